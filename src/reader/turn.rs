//! A reader of one turn.

use super::assemble::Assembler;
use super::error::ReadError;
use super::event::{Event, Message};
use super::places::Controls;
use super::plan::ReaderPlan;
use super::readings::{Ending, Readings};
use super::table::Symbol;
use super::tables::Lent;
use crate::base::{ControlId, Part, Span, TokenId};

/// What a reader does with a text that is no turn of its format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// It is an error, with the place.
    #[default]
    Strict,
    /// From there on it is content, what was held back so far included, and [`Message::broken_at`] has the place. A turn that
    /// breaks off is no error either.
    Lenient,
}

/// Whether the control token that ends a turn must be there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Closing {
    /// It may be left out, since many hosts cut it off.
    #[default]
    Optional,
    /// It must be there.
    Needed,
}

/// How a turn is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReaderConfig {
    /// What is done with a text that is no turn.
    pub strictness: Strictness,
    /// Whether the token that ends a turn must be there.
    pub closing: Closing,
}

impl ReaderConfig {
    /// One that takes any text.
    pub fn lenient() -> Self {
        Self {
            strictness: Strictness::Lenient,
            ..Self::default()
        }
    }
}

/// Reads one turn, piece by piece. The work for a byte does not grow with the text before it.
#[derive(Debug)]
pub struct Reader {
    plan: ReaderPlan,
    config: ReaderConfig,
    table: Lent,
    readings: Readings,
    assembler: Assembler,
    /// The text from `base` on.
    text: Vec<u8>,
    base: usize,
    at: usize,
    state: State,
    /// Whether an end token was read that the format does not name.
    has_ended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// All is a turn so far.
    Fits,
    /// A lenient reader found what is no turn.
    Broken,
    /// A strict one did.
    Failed(ReadError),
}

impl Reader {
    /// A reader at the beginning of a turn.
    pub fn new(plan: &ReaderPlan, config: ReaderConfig) -> Self {
        let mut table = plan.tables.lend(&plan.skeleton, &plan.controls);
        let start = table.start();
        Self {
            plan: plan.clone(),
            config,
            readings: Readings::new(start),
            table,
            assembler: Assembler::new(plan.skeleton.clone()),
            text: Vec::new(),
            base: 0,
            at: 0,
            state: State::Fits,
            has_ended: false,
        }
    }

    /// Reads what of the turn the prompt has already, such as `<think>` and a line break: no events tell of it, and places
    /// count from behind it. For the beginning of a turn only. Control tokens in it are read as they are spelt.
    ///
    /// # Errors
    /// A text with which no turn begins.
    pub fn skip(&mut self, lead: &str) -> Result<(), ReadError> {
        let names = self.control_tokens();
        let mut parts = Vec::new();
        let (mut from, mut at) = (0, 0);
        while let Some(first) = lead[at..].chars().next() {
            let here = names.iter().map(|(_, name)| name);
            let here = here.filter(|name| lead[at..].starts_with(name.as_str()));
            match here.max_by_key(|name| name.len()) {
                Some(name) => {
                    parts.extend([Part::Text(&lead.as_bytes()[from..at]), Part::Special(name)]);
                    at += name.len();
                    from = at;
                }
                None => at += first.len_utf8(),
            }
        }
        parts.push(Part::Text(&lead.as_bytes()[from..]));
        self.skip_parts(parts)
    }

    /// As [`Self::skip`], for parts such as those of [`Prompt::lead`](crate::front::chat::Prompt::lead).
    ///
    /// # Errors
    /// As [`Self::skip`].
    pub fn skip_parts<'a>(
        &mut self,
        parts: impl IntoIterator<Item = Part<'a>>,
    ) -> Result<(), ReadError> {
        let names = self.control_tokens();
        for part in parts {
            let spelling = match part {
                Part::Text(bytes) => bytes,
                Part::Special(name) => name.as_bytes(),
            };
            let control = match part {
                Part::Special(name) => names.iter().find(|(_, own)| own == name),
                Part::Text(_) => None,
            };
            let fits = match control {
                Some((control, _)) => self.push(Symbol::Control(*control), spelling)?,
                None => self.push_bytes(spelling)?,
            };
            if !fits {
                let error = ReadError::Unexpected { at: 0 };
                self.state = State::Failed(error.clone());
                return Err(error);
            }
        }
        self.assembler.origin = self.at;
        Ok(())
    }

    fn push_bytes(&mut self, bytes: &[u8]) -> Result<bool, ReadError> {
        for &byte in bytes {
            if !self.push(Symbol::Byte(byte), &[byte])? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The control tokens that are tokens, with their names.
    fn control_tokens(&self) -> Vec<(ControlId, String)> {
        let controls = self.plan.skeleton.grammar.controls();
        let tokens = controls.filter(|(id, _)| self.is_token(*id));
        tokens
            .map(|(id, control)| (id, control.to_string()))
            .collect()
    }

    fn is_token(&self, control: ControlId) -> bool {
        match &*self.plan.controls {
            Controls::Spelt => false,
            Controls::Tokens(tokens) => tokens[control.index()],
        }
    }

    /// Reads more text, and gives what is certain now and was not before.
    ///
    /// # Errors
    /// For a strict reader, a text that is no turn; then and ever after. What was certain before the fault comes first: where
    /// one piece has both, this gives the events, and the next call the error.
    pub fn feed(&mut self, text: &str) -> Result<Vec<Event>, ReadError> {
        self.feed_bytes(text.as_bytes())
    }

    /// As [`Self::feed`], for text that is cut anywhere.
    ///
    /// # Errors
    /// As [`Self::feed`].
    pub fn feed_bytes(&mut self, bytes: &[u8]) -> Result<Vec<Event>, ReadError> {
        self.check()?;
        let read = self.read(bytes);
        self.told(read)
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            if self.state == State::Broken || !self.push(Symbol::Byte(byte), &[byte])? {
                return self.break_off(rest);
            }
            let more = self.readings.run(&self.table, &rest[1..], self.at);
            self.text.extend_from_slice(&rest[1..=more]);
            self.at += more;
            rest = &rest[1 + more..];
            if self.readings.are_long() || self.table.is_full() {
                self.settle();
            }
        }
        Ok(())
    }

    /// Reads a token of the plan's vocabulary. Behind an end token that the format does not name nothing may follow but others.
    ///
    /// # Errors
    /// As [`Self::feed`], and a token that is not in the vocabulary, or a plan without one.
    pub fn feed_token(&mut self, token: TokenId) -> Result<Vec<Event>, ReadError> {
        self.check()?;
        let tokens = self
            .plan
            .vocabulary
            .clone()
            .ok_or(ReadError::NoVocabulary)?;
        let vocabulary = &tokens.vocabulary;
        if let Some(bytes) = vocabulary.bytes(token) {
            return self.feed_bytes(bytes);
        }
        let Some(name) = vocabulary.special_name(token) else {
            return Err(ReadError::UnknownToken(token.get()));
        };
        let read = match tokens.controls.get(&token) {
            Some(&control) => self.read_control(control, name),
            None if vocabulary.end_tokens().contains(&token) => {
                self.has_ended = true;
                Ok(())
            }
            None => self.break_off(name.as_bytes()),
        };
        self.told(read)
    }

    /// Reads more tokens, one after the other.
    ///
    /// # Errors
    /// As [`Self::feed_token`]. A token that is not in the vocabulary is refused before any is read; what was certain before
    /// any other fault comes first, and the next call gives the error.
    pub fn feed_tokens(&mut self, tokens: &[TokenId]) -> Result<Vec<Event>, ReadError> {
        self.check()?;
        let plan = self.plan.vocabulary.as_ref();
        let vocabulary = &plan.ok_or(ReadError::NoVocabulary)?.vocabulary;
        let is_known = |&token: &TokenId| {
            vocabulary.bytes(token).is_some() || vocabulary.special_name(token).is_some()
        };
        if let Some(unknown) = tokens.iter().find(|token| !is_known(token)) {
            return Err(ReadError::UnknownToken(unknown.get()));
        }
        let mut events = Vec::new();
        for &token in tokens {
            match self.feed_token(token) {
                Ok(more) => events.extend(more),
                Err(error) if events.is_empty() => return Err(error),
                Err(_) => break,
            }
        }
        Ok(events)
    }

    fn read_control(&mut self, control: ControlId, name: &str) -> Result<(), ReadError> {
        let broken = self.state == State::Broken;
        if broken || !self.push(Symbol::Control(control), name.as_bytes())? {
            return self.break_off(name.as_bytes());
        }
        Ok(())
    }

    /// Whether the turn may end here, with or without the token that ends it as the configuration says.
    pub fn may_end(&mut self) -> bool {
        self.state == State::Fits && !matches!(self.ending(), Ending::None)
    }

    /// Ends the turn, and gives the last events and the message.
    ///
    /// # Errors
    /// A turn that has two meanings; for a strict reader, what [`Self::feed`] found, and a turn that is not complete.
    pub fn finish(mut self) -> Result<(Vec<Event>, Message), ReadError> {
        self.check()?;
        let ending = match self.state {
            State::Fits => self.ending(),
            _ => Ending::None,
        };
        match ending {
            Ending::One(pieces) => {
                self.assembler.take(&pieces, &self.text, self.base);
                self.assembler.end(self.at);
            }
            Ending::Two(first, second) => {
                let message = |pieces| {
                    let mut assembler = self.assembler.clone();
                    assembler.take(pieces, &self.text, self.base);
                    assembler.end(self.at);
                    Box::new(assembler.message)
                };
                return Err(ReadError::Ambiguous {
                    first: message(&first),
                    second: message(&second),
                });
            }
            Ending::None if self.config.strictness == Strictness::Lenient => {
                self.tell_held_back();
                self.assembler.cut(self.at);
            }
            Ending::None => {
                let at = self.at - self.assembler.origin;
                return Err(ReadError::Incomplete { at });
            }
        }
        Ok((self.assembler.events, self.assembler.message))
    }

    fn check(&self) -> Result<(), ReadError> {
        match &self.state {
            State::Failed(error) => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// The events of what is certain; where something was wrong, that comes after them.
    fn told(&mut self, read: Result<(), ReadError>) -> Result<Vec<Event>, ReadError> {
        let events = self.tell();
        let Err(error) = read else {
            return Ok(events);
        };
        self.state = State::Failed(error.clone());
        match events.is_empty() {
            true => Err(error),
            false => Ok(events),
        }
    }

    /// Reads a symbol that is spelt so; `false` where no turn goes on with it, and all is as before.
    fn push(&mut self, symbol: Symbol, spelling: &[u8]) -> Result<bool, ReadError> {
        if self.has_ended {
            return Ok(false);
        }
        let end = self.at + spelling.len();
        let fits = self.readings.step(&mut self.table, symbol, self.at, end)?;
        if fits {
            self.text.extend_from_slice(spelling);
            self.at = end;
        }
        Ok(fits)
    }

    /// What comes now, `rest`, is no turn.
    fn break_off(&mut self, rest: &[u8]) -> Result<(), ReadError> {
        let origin = self.assembler.origin;
        if self.config.strictness == Strictness::Strict {
            let at = self.at.saturating_sub(origin);
            return Err(ReadError::Unexpected { at });
        }
        if self.state == State::Fits {
            let settled = self.readings.settled();
            self.assembler.take(&settled, &self.text, self.base);
            self.assembler.break_off(self.at);
            self.tell_held_back();
            self.state = State::Broken;
        }
        let span = Span::new(self.at, self.at + rest.len());
        self.assembler.plain(rest, span);
        self.at = span.end;
        self.base = self.at;
        Ok(())
    }

    /// Tells what no reading is certain of as content.
    fn tell_held_back(&mut self) {
        if let Some(start) = self
            .readings
            .held_back_from()
            .filter(|_| self.state == State::Fits)
        {
            let bytes = &self.text[start - self.base..];
            self.assembler.plain(bytes, Span::new(start, self.at));
        }
        self.text.clear();
        self.base = self.at;
    }

    /// The events of what is certain now.
    fn tell(&mut self) -> Vec<Event> {
        if self.state == State::Fits {
            self.settle();
        }
        std::mem::take(&mut self.assembler.events)
    }

    /// Takes what is certain now.
    fn settle(&mut self) {
        let settled = self.readings.settled();
        self.assembler.take(&settled, &self.text, self.base);
        let kept = self.readings.held_back_from().unwrap_or(self.at);
        self.text.drain(..kept - self.base);
        self.base = kept;
        if self.table.is_full() {
            self.table.renew(self.readings.sets());
        }
    }

    /// How the turn ends here, without its last control token if it may be left out.
    fn ending(&mut self) -> Ending {
        let ending = self.readings.ending(&mut self.table, self.at);
        if !matches!(ending, Ending::None) || self.config.closing == Closing::Needed {
            return ending;
        }
        let controls = self.plan.skeleton.grammar.controls();
        let controls: Vec<_> = controls
            .map(|(id, control)| (id, control.to_string()))
            .collect();
        for (control, spelling) in controls {
            let mut longer = self.readings.clone();
            let symbols: Vec<Symbol> = match self.is_token(control) {
                true => vec![Symbol::Control(control)],
                false => spelling.bytes().map(Symbol::Byte).collect(),
            };
            // What is not there takes no room.
            let fits = symbols.into_iter().all(|symbol| {
                let step = longer.step(&mut self.table, symbol, self.at, self.at);
                step.unwrap_or(false)
            });
            if fits {
                let ending = longer.ending(&mut self.table, self.at);
                if !matches!(ending, Ending::None) {
                    return ending;
                }
            }
        }
        Ending::None
    }
}
