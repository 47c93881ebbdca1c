//! Limits: what a grammar, a schema or a running session may cost before it is refused.

use super::meter::Meter;

/// What compiling and running may cost.
///
/// Every loop whose length an input decides is charged against one of these, so a grammar or a
/// schema made to explode meets a [`LimitError`], never the machine's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a source text (grammar, schema, tools file).
    pub source_bytes: usize,
    /// Nesting depth of a source text.
    pub depth: usize,
    /// Rules of a grammar.
    pub rules: usize,
    /// States that one regular expression, literal set or rule body may need when determinised.
    pub automaton_states: usize,
    /// States of all automata of one schema's patterns and formats together, and of what is made of them.
    pub schema_states: usize,
    /// Items of one state of the machine.
    pub state_items: usize,
    /// Bytes for states of the machine, with the positions they are made of: when seven eighths are taken, a fresh
    /// generation replaces them; one answer may make three quarters of as many.
    pub machine_bytes: usize,
    /// Bytes of cached masks.
    pub mask_bytes: usize,
    /// Bytes for the states and masks of all constraints of one engine together; see
    /// [`Engine::with_limits`](crate::session::Engine::with_limits).
    pub engine_bytes: usize,
    /// Steps of one compile, from the text to the grammar, with all that it refers to. A step is about as much as
    /// looking at one value, edge or member of a set: ten nanoseconds, more or less. One answer of a session is held to as many.
    pub work: usize,
    /// What is spent of `work`.
    pub(crate) meter: Meter,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source_bytes: 16 << 20,
            depth: 256,
            rules: 1 << 20,
            automaton_states: 1 << 16,
            schema_states: 1 << 20,
            state_items: 1 << 12,
            machine_bytes: 128 << 20,
            mask_bytes: 256 << 20,
            engine_bytes: 512 << 20,
            work: 80_000_000,
            meter: Meter::default(),
        }
    }
}

/// What [`Limits::work`] bounds.
const STEPS: &str = "steps of a compile";

impl Limits {
    /// These limits for a compile, which begins here unless it has begun: what works within clones of them shares
    /// [`Limits::work`].
    pub(crate) fn begin(&self) -> Self {
        self.clone().begun()
    }

    /// The same of limits that nobody else needs.
    pub(crate) fn begun(mut self) -> Self {
        self.meter.begin();
        self
    }

    /// Whether they are those of a compile that has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.meter.has_begun()
    }

    /// Takes `steps` of [`Limits::work`].
    ///
    /// # Errors
    /// If there are no more so many.
    // Away from who calls it, so that a compile fetches its code once.
    #[inline(never)]
    pub(crate) fn charge(&self, steps: usize) -> Result<(), LimitError> {
        LimitError::check(STEPS, self.meter.add(steps), self.work)
    }

    /// How much of [`Limits::work`] is spent.
    pub(crate) fn spent(&self) -> usize {
        self.meter.spent()
    }
}

/// A limit was met.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what}: {}{given} needed, {allowed} allowed{}",
    bound(what),
    remedy(what)
)]
pub struct LimitError {
    /// What was limited, as a phrase: "states of a regular expression".
    pub what: &'static str,
    /// How much the input asked for (a lower bound where counting stopped at the limit, and the message says so).
    pub given: usize,
    /// How much [`Limits`] allows.
    pub allowed: usize,
}

/// What is measured before anything is done; of all else it is only known that the limit was passed.
const EXACT: [&str; 9] = [
    "bytes of a JSON text",
    "bytes of a file",
    "bytes of a grammar",
    "bytes of a pattern",
    "bytes of a token",
    "bytes of a tool's name",
    "digits of a multipleOf",
    "repetitions of a structural tag",
    "repetitions of an element",
];

/// What stands before the number that is needed.
fn bound(what: &str) -> &'static str {
    match EXACT.contains(&what) {
        true => "",
        false => "at least ",
    }
}

/// What can be done about a limit whose name alone tells nobody, as an end of the message.
fn remedy(what: &str) -> &'static str {
    match what {
        "items of one state" => {
            " (a text can be read in too many ways at once: let alternatives differ sooner, or raise `state_items`)"
        }
        "states of a regular expression"
        | "states of a product of automata"
        | "states of a set of literals" => {
            " (say less with one pattern, above all with `.*` and counts, or raise `automaton_states`)"
        }
        "states of a rule body" | "states of a rule body as it is written" => {
            " (split the rule, or raise `automaton_states`)"
        }
        "states of all automata of a schema" => {
            " (use fewer or simpler patterns and formats, or raise `schema_states`)"
        }
        "bytes for states of the machine" | "bytes for states of one answer" | OPEN => {
            " (nest the text less deep or let it repeat itself less, or raise `machine_bytes`)"
        }
        STEPS | ANSWER | TEXT | DEPENDENT => " (ask for less at once, or raise `work`)",
        _ => "",
    }
}

/// What half of [`Limits::machine_bytes`] bounds.
pub(crate) const OPEN: &str = "bytes for what a text has open";

/// What [`Limits::work`] bounds of a session.
pub(crate) const ANSWER: &str = "steps of one answer";

/// What a quarter of [`Limits::work`] bounds, as each takes two steps of an answer.
pub(crate) const DEPENDENT: &str = "looks at properties that depend on each other or are counted";

/// What [`Limits::work`] bounds of a text that is read as a whole.
pub(crate) const TEXT: &str = "steps to read a text";

impl LimitError {
    /// Whether a compile took more than [`Limits::work`].
    pub(crate) fn is_of_work(&self) -> bool {
        self.what == STEPS
    }

    /// Checks `given` against `allowed`.
    ///
    /// # Errors
    /// If `given` is greater.
    pub fn check(what: &'static str, given: usize, allowed: usize) -> Result<(), Self> {
        if given > allowed {
            return Err(Self {
                what,
                given,
                allowed,
            });
        }
        Ok(())
    }
}
