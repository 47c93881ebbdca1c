//! What the fuzz targets do: bytes to a constraint, and the promise driven over it.
//!
//! The engine is small on purpose: a byte a token, and a few longer tokens that begin in one
//! construct and end in another.

use crate::base::{Limits, TokenId};
use crate::check::{Broken, CheckConfig, Encoding, Run, Violation, drive};
use crate::front::abnf::{Abnf, Unbound};
use crate::front::json_schema::{
    Escapes, JsonRules, SchemaConfig, SpacePattern, Whitespace, compile,
};
use crate::grammar::{Grammar, GrammarBuilder};
use crate::session::{Constraint, ConstraintConfig, ConstraintError, Engine, SessionError};
use crate::vocab::VocabularyBuilder;

/// Judges an instance by a schema, both as JSON texts: `Err` says what is wrong with the instance.
pub type Judge<'a> = &'a mut dyn FnMut(&str, &str) -> Result<(), String>;

/// What became of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is no constraint, or one over the limits.
    Refused(String),
    /// It was driven, and the promise held.
    Held(Run),
}

/// Runs inputs, all over one engine, so that what one leaves in the engine's caches meets the next.
#[derive(Debug)]
pub struct Fuzzer {
    engine: Engine,
    spaces: SpacePattern,
    limits: Limits,
    config: CheckConfig,
    fixed: Vec<(Constraint, Option<&'static str>)>,
}

impl Default for Fuzzer {
    fn default() -> Self {
        Self::new()
    }
}

/// Tokens of several bytes: JSON across its seams, characters and pieces of them.
const WORDS: [&[u8]; 34] = [
    b"{\"",
    b"\"}",
    b"\": ",
    b"\":",
    b", ",
    b", \"",
    b"\",",
    b"},",
    b"}]",
    b"[]",
    b"[{",
    b"{}",
    b"\"\"",
    b"true",
    b"null",
    b"als",
    b"00",
    b"12",
    b"-1",
    b".5",
    b"e+",
    b"\\u",
    b"\\\"",
    b"\\\\",
    b"ab",
    b"abc",
    b"bc",
    b"  ",
    b"a a a a a a a a a a",
    b"aaaaaaaaaaaaaaaaaa\"",
    "é".as_bytes(),
    "日本".as_bytes(),
    b"\xF0\x9F",
    b"\x98\x80",
];

/// The grammars of [`Fuzzer::choices`]: each strains another part of the engine.
const GRAMMARS: [&str; 6] = [
    // Ambiguity, and no longest match.
    "s = 1*(\"a\" / \"b\") \"b\"\n",
    // Left recursion.
    "e = e \"+\" t / t\nt = t \"*\" f / f\nf = \"(\" e \")\" / 1*DIGIT\n",
    // Rules that may be empty, around themselves.
    "s = [a] [b] s %x63 / \"d\"\na = *b\nb = [\"b\"]\n",
    // Nesting on both sides.
    "s = \"ab\" s \"bc\" / [\"a\" s \"c\"] \"b\"\n",
    // Code points of every length.
    "s = 1*4(%x61-7A / %xE9-20AC / %x1F600-1F64F) %x0A\n",
    // A case-insensitive alternative that begins another.
    "s = \"null\" / \"nul\" 1*3ALPHA / 2*5(\"0\" / \"00\" / \"12\") \".5\"\n",
];

/// White space, once in a while.
const SPACES: &str = " ?|\\n\\t*";

/// The schemas of [`Fuzzer::choices`].
const SCHEMAS: [&str; 9] = [
    "true",
    r#"{"type": "object", "properties": {"a": {"type": "integer", "minimum": -12, "maximum": 120},
        "b": {"type": "number", "multipleOf": 0.25, "exclusiveMaximum": 12.3}, "ab": {"type": "string", "maxLength": 3}}, "required": ["ab"]}"#,
    r#"{"type": "array", "items": {"enum": ["a", "abc", 12, null, {"a": []}]}, "minItems": 1, "maxItems": 3}"#,
    r##"{"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {"next":
        {"$ref": "#/$defs/tree"}, "é": {"type": "boolean"}}, "additionalProperties": false}}}"##,
    r#"{"type": "string", "pattern": "^(ab|abc)*é?$", "minLength": 2, "maxLength": 9}"#,
    r#"{"anyOf": [{"type": "number", "exclusiveMinimum": 0.5, "maximum": 12}, {"type": "string", "minLength": 1,
        "maxLength": 2}, {"const": [true, "\\\""]}]}"#,
    r#"{"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "null"}, "required": ["b"]}"#,
    r#"{"type": "array", "items": {"type": "string", "pattern": "ab+c|^12|é$", "maxLength": 40}}"#,
    r#"{"anyOf": [{"type": "string", "format": "email"}, {"type": "array", "items": {"type": "string", "format":
        "regex"}, "minItems": 1}, {"const": "1999-01-31", "format": "date"}]}"#,
];

impl Fuzzer {
    /// A fuzzer with its engine.
    pub fn new() -> Self {
        let mut limits = Limits::default();
        (limits.source_bytes, limits.depth, limits.rules) = (1 << 14, 64, 1 << 12);
        (limits.automaton_states, limits.state_items) = (1 << 11, 1 << 7);
        (limits.machine_bytes, limits.mask_bytes) = (1 << 21, 1 << 20);
        limits.work = 1 << 24;
        let spaces = SpacePattern::new(SPACES, &limits);
        let mut fuzzer = Self {
            engine: engine(),
            spaces: spaces.expect("the pattern is one of white space"),
            limits,
            config: CheckConfig::default().steps(48, 24),
            fixed: Vec::new(),
        };
        for text in GRAMMARS {
            let constraint = fuzzer.abnf_constraint(text);
            let constraint = constraint.expect("the grammars are well-formed and small");
            fuzzer.fixed.push((constraint, None));
        }
        for text in SCHEMAS {
            let config = SchemaConfig {
                limits: fuzzer.limits.clone(),
                ..SchemaConfig::default()
            };
            let constraint = fuzzer.schema_constraint(text, &config);
            let constraint = constraint.expect("the schemas are well-formed and small");
            fuzzer.fixed.push((constraint, Some(text)));
        }
        fuzzer
    }

    /// ABNF, then, after a zero byte, choices. The grammar's first rule is the start.
    ///
    /// # Errors
    /// A promise that does not hold.
    pub fn abnf(&self, data: &[u8]) -> Result<Outcome, Violation> {
        let (text, mut choices) = split(data);
        match self.abnf_constraint(&text) {
            Err(reason) => Ok(Outcome::Refused(reason)),
            Ok(constraint) => {
                let config = self.config.clone().encoding(encoding(&text));
                held(&constraint, &config, &mut choices, &mut |_| Ok(()))
            }
        }
    }

    /// A JSON Schema, then, after a zero byte, choices. Complete texts are judged by `judge`.
    ///
    /// # Errors
    /// A promise that does not hold.
    pub fn json_schema(&self, data: &[u8], judge: Judge<'_>) -> Result<Outcome, Violation> {
        let (text, mut choices) = split(data);
        let mut config = SchemaConfig {
            limits: self.limits.clone(),
            ..SchemaConfig::default()
        };
        config.whitespace = match choices.below(3) {
            0 => Whitespace::Compact,
            1 => Whitespace::Json,
            _ => Whitespace::Pattern(self.spaces.clone()),
        };
        config.escapes = match choices.below(3) {
            0 => Escapes::Minimal,
            1 => Escapes::Free,
            _ => Escapes::All,
        };
        match self.schema_constraint(&text, &config) {
            Err(reason) => Ok(Outcome::Refused(reason)),
            Ok(constraint) => held(&constraint, &self.config, &mut choices, &mut |run| {
                judged(&text, run, judge)
            }),
        }
    }

    /// Choices, of which the first is one of a few fixed constraints.
    ///
    /// # Errors
    /// A promise that does not hold.
    pub fn choices(&self, data: &[u8], judge: Judge<'_>) -> Result<Outcome, Violation> {
        let mut choices = Choices::new(data);
        let (constraint, schema) = &self.fixed[choices.below(self.fixed.len() as u32) as usize];
        held(constraint, &self.config, &mut choices, &mut |run| {
            schema.map_or(Ok(()), |schema| judged(schema, run, judge))
        })
    }

    /// A grammar from elsewhere, compiled within [`Self::limits`], and choices through it. Complete texts are judged by `judge`.
    ///
    /// # Errors
    /// A promise that does not hold.
    pub fn grammar(
        &self,
        grammar: Grammar,
        encoding: Encoding,
        choices: &[u8],
        judge: &mut dyn FnMut(&Run) -> Result<(), String>,
    ) -> Result<Outcome, Violation> {
        match self.constraint(grammar) {
            Err(reason) => Ok(Outcome::Refused(reason)),
            Ok(constraint) => {
                let config = self.config.clone().encoding(encoding);
                held(&constraint, &config, &mut Choices::new(choices), judge)
            }
        }
    }

    /// What inputs may cost: less than hosts are given, so that a run has many.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The engine that all inputs share: a token is a byte, or one of a few longer ones.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    fn abnf_constraint(&self, text: &str) -> Result<Constraint, String> {
        let abnf = Abnf::parse(text, &self.limits).map_err(|error| error.to_string())?;
        abnf.warnings(&[]);
        let start = abnf.rule_names().next().unwrap_or_default();
        let grammar = abnf.lower(start, &mut Unbound, &self.limits);
        self.constraint(grammar.map_err(|error| error.to_string())?)
    }

    fn schema_constraint(&self, text: &str, config: &SchemaConfig) -> Result<Constraint, String> {
        let schema = compile(text, config).map_err(|error| error.to_string())?;
        let mut rules = JsonRules::new(config).map_err(|error| error.to_string())?;
        let mut builder = GrammarBuilder::new(self.limits.clone());
        let root = schema.lower_into(&mut rules, &mut builder);
        self.constraint(builder.finish(root).map_err(|error| error.to_string())?)
    }

    fn constraint(&self, grammar: Grammar) -> Result<Constraint, String> {
        let made = self
            .engine
            .constraint(grammar, &ConstraintConfig::default());
        made.map_err(|error: ConstraintError| error.to_string())
    }
}

/// Drives a constraint.
fn held(
    constraint: &Constraint,
    config: &CheckConfig,
    choices: &mut Choices<'_>,
    judge: &mut dyn FnMut(&Run) -> Result<(), String>,
) -> Result<Outcome, Violation> {
    let mut choose = |below| choices.below(below);
    match drive(constraint, config, &mut choose, judge) {
        Ok(run) => Ok(Outcome::Held(run)),
        // A limit that is met is an answer too.
        Err(Violation {
            broken: Broken::Session(SessionError::Limit(limit)),
            ..
        }) => Ok(Outcome::Refused(limit.to_string())),
        Err(violation) => Err(violation),
    }
}

/// What the texts of a grammar consist of: bytes, where it may speak of some that are no characters.
fn encoding(grammar: &str) -> Encoding {
    let grammar = grammar.to_ascii_lowercase();
    match grammar.contains("octet") || grammar.contains("@bytes") {
        true => Encoding::Bytes,
        false => Encoding::Utf8,
    }
}

fn engine() -> Engine {
    const ALL: &str = "the tokens are distinct and not empty";
    let mut vocabulary = VocabularyBuilder::new();
    let bytes: Vec<[u8; 1]> = (0..=u8::MAX).map(|byte| [byte]).collect();
    let words = bytes.iter().map(|byte| &byte[..]).chain(WORDS);
    for (id, word) in words.enumerate() {
        let id = TokenId::from_usize(id);
        vocabulary.ordinary(id, word).expect(ALL);
    }
    // Ids without a token lie before the end token.
    let end = TokenId::new(300);
    vocabulary.special(end, "<end>").expect(ALL).end_token(end);
    Engine::new(vocabulary.build().expect(ALL))
}

fn judged(schema: &str, run: &Run, judge: Judge<'_>) -> Result<(), String> {
    let text = std::str::from_utf8(&run.text).map_err(|error| error.to_string())?;
    judge(schema, text).map_err(|reason| format!("{text}: {reason}"))
}

/// The text up to the first zero byte, and the choices after it.
fn split(data: &[u8]) -> (String, Choices<'_>) {
    let end = data.iter().position(|&byte| byte == 0);
    let (text, choices) = data.split_at(end.unwrap_or(data.len()));
    let text = String::from_utf8_lossy(text).into_owned();
    (text, Choices::new(choices))
}

/// A stream of choices: the input's bytes, two a choice, then pseudo-random ones that it decides.
struct Choices<'a> {
    bytes: &'a [u8],
    state: u64,
}

impl<'a> Choices<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        // FNV-1a; the generator that follows must not begin with zero.
        let mix = |state: u64, &byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        let state = bytes.iter().fold(0xCBF2_9CE4_8422_2325, mix) | 1;
        Self { bytes, state }
    }

    /// A number below `bound`; 0 below 0.
    fn below(&mut self, bound: u32) -> u32 {
        let value = match self.bytes {
            [low, high, rest @ ..] => {
                self.bytes = rest;
                u32::from(u16::from_le_bytes([*low, *high]))
            }
            _ => self.random(),
        };
        value.checked_rem(bound).unwrap_or_default()
    }

    /// Marsaglia's xorshift64.
    fn random(&mut self) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_who_refuses_is_heard() {
        let fuzzer = Fuzzer::new();
        let refused = fuzzer.json_schema(b"{\"const\": 1}", &mut |schema, text| {
            assert_eq!(schema, "{\"const\": 1}");
            // One has several spellings, such as `1.0`.
            let value: f64 = text.parse().unwrap();
            assert_eq!(value, 1.0);
            Err("no".to_owned())
        });
        match refused.unwrap_err().broken {
            Broken::Judged(reason) => assert!(reason.ends_with(": no"), "{reason}"),
            broken => panic!("{broken:?}"),
        }
    }

    #[test]
    fn what_is_no_constraint_is_refused() {
        let fuzzer = Fuzzer::new();
        let outcome = fuzzer.abnf(b"a = b\0choices").unwrap();
        assert!(
            matches!(outcome, Outcome::Refused(reason) if reason.contains("`b` is not defined"))
        );
    }
}
