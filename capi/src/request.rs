//! Which language a host asks for: `mw_constraint_options`, read, checked and compiled.

use super::chat::{Chat, Source};
use super::constraint_options::{MwConstraintOptions, Spelling};
use super::failure::Failure;
use super::lead::Lead;
use super::options::options;
use super::pointer::slice;
use super::vocabulary::MwVocabulary;
use maskwright::base::{Limits, TokenId};
use maskwright::front::choice::Choices;
use maskwright::front::ebnf::{self, Ebnf};
use maskwright::front::json_schema::{self, JsonRules, SchemaConfig};
use maskwright::front::lark::{self, Lark};
use maskwright::front::regex;
use maskwright::front::structural_tag::{self, StructuralTagConfig};
use maskwright::grammar::{Grammar, GrammarBuilder};
use maskwright::reader::ReaderPlan;
use maskwright::regular::Dialect;
use maskwright::session::ConstraintConfig;

/// The options, read.
pub(super) struct Request<'a> {
    language: Language<'a>,
    limits: Limits,
    config: ConstraintConfig,
    lead: Lead<'a>,
}

enum Language<'a> {
    Chat(Box<Chat<'a>>),
    Schema {
        text: &'a str,
        config: SchemaConfig,
    },
    Regex {
        text: &'a str,
        dialect: Dialect,
    },
    Choice(&'a str),
    Ebnf {
        text: &'a str,
        start: &'a str,
    },
    Lark {
        text: &'a str,
        start: &'a str,
        config: SchemaConfig,
    },
    StructuralTag {
        text: &'a str,
        config: SchemaConfig,
    },
}

impl<'a> Request<'a> {
    /// Reads the options.
    ///
    /// # Safety
    /// The host's: the options, and what they point to, can be read during `'a`.
    pub(super) unsafe fn read(pointer: *const MwConstraintOptions) -> Result<Self, Failure> {
        // SAFETY: as above.
        unsafe {
            let given = options(pointer, "options")?;
            let language = given.language()?;
            let count = given.stop_token_count;
            let stop_tokens = slice(given.stop_tokens, count, "options.stop_tokens")?;
            let mut config = ConstraintConfig::default();
            if !stop_tokens.is_empty() {
                let ids = stop_tokens.iter().map(|&id| TokenId::new(id));
                config = config.stop_tokens(ids.collect());
            }
            let tokens = (given.lead_tokens, given.lead_token_count);
            let lead = Lead::read(given.lead, tokens, "lead")?;
            if lead.is_some() && (!given.prompt.is_absent() || given.prompt_token_count != 0) {
                return Err(Failure::invalid(
                    "`options.prompt` says itself what of the turn is there: give no `options.lead`",
                ));
            }
            Ok(Self {
                language,
                limits: given.limits(),
                config,
                lead: lead.unwrap_or(Lead::None),
            })
        }
    }

    /// How a constraint is made of the grammar.
    pub(super) fn config(&self) -> &ConstraintConfig {
        &self.config
    }

    /// Compiles the language; its control tokens are looked for in the vocabulary. Gives what stands before each
    /// session, too.
    pub(super) fn compile(
        &self,
        over: Option<&MwVocabulary>,
    ) -> Result<(Grammar, Lead<'a>), Failure> {
        let limits = &self.limits;
        let grammar = match &self.language {
            Language::Chat(chat) => {
                let (grammar, lead) = chat.compile(over)?;
                return Ok(match lead {
                    Lead::None => (grammar, self.lead.clone()),
                    lead => (grammar, lead),
                });
            }
            Language::Schema { text, config } => compile_schema(text, config)?,
            Language::Regex { text, dialect } => regex::compile(text, *dialect, limits)?,
            Language::Choice(text) => Choices::parse(text, limits)?.compile(limits)?,
            Language::Ebnf { text, start } => Ebnf::parse(text, limits)?.lower(start, limits)?,
            Language::Lark {
                text,
                start,
                config,
            } => Lark::parse(text, config)?.lower(start, config)?,
            Language::StructuralTag { text, config } => {
                let specials = over
                    .into_iter()
                    .flat_map(|over| over.0.vocabulary().specials());
                let mut tag = StructuralTagConfig::default();
                tag.specials = specials.map(|(name, _)| name.to_owned()).collect();
                tag.schemas = config.clone();
                structural_tag::compile(text, &tag)?
            }
        };
        Ok((grammar, self.lead.clone()))
    }

    /// What readers of a turn share, and what stands before it.
    pub(super) fn reader(
        &self,
        over: Option<&MwVocabulary>,
    ) -> Result<(ReaderPlan, Lead<'a>), Failure> {
        Ok(match self.turn()?.reader(over)? {
            (plan, Lead::None) => (plan, self.lead.clone()),
            ready => ready,
        })
    }

    /// Shows that each turn has one reading.
    pub(super) fn settle(&self) -> Result<(), Failure> {
        self.turn()?.settle()
    }

    fn turn(&self) -> Result<&Chat<'a>, Failure> {
        match &self.language {
            Language::Chat(chat) => Ok(chat),
            _ => Err(Failure::invalid(
                "readers read turns: give `options.format` or `options.grammar`",
            )),
        }
    }

    /// All that is wrong with the schemas, as far as [`json_schema::faults`] finds it.
    pub(super) fn check_schemas(&self) -> Result<(), Failure> {
        let failures = match &self.language {
            Language::Schema { text, config } => {
                let faults = json_schema::faults(text, config);
                let of_schema = |error| Failure::schema(error, "schema");
                faults.iter().map(of_schema).collect()
            }
            Language::Chat(chat) => chat.faults(),
            // Compiling them says all that is known.
            _ => Vec::new(),
        };
        match failures.into_iter().reduce(Failure::and) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }
}

impl MwConstraintOptions {
    /// Which language is asked for.
    ///
    /// # Safety
    /// As [`Request::read`].
    unsafe fn language<'a>(&self) -> Result<Language<'a>, Failure> {
        let texts = [
            ("options.format", self.format),
            ("options.grammar", self.grammar),
            ("options.schema", self.schema),
            ("options.regex", self.regex),
            ("options.choice", self.choice),
            ("options.ebnf", self.ebnf),
            ("options.lark", self.lark),
            ("options.structural_tag", self.structural_tag),
        ];
        let mut given = Vec::new();
        for (name, text) in texts {
            // SAFETY: as above.
            if let Some(text) = unsafe { text.read(name)? } {
                given.push((name, text));
            }
        }
        let [(name, text)] = given[..] else {
            let names = texts.map(|(name, _)| format!("`{name}`")).join(", ");
            return Err(Failure::invalid(format!("give exactly one of {names}")));
        };
        // SAFETY: as above.
        unsafe {
            let spelling = self.spelling()?;
            self.check_belongs(name)?;
            match name {
                "options.format" => self.chat(Source::BuiltIn(text), spelling),
                "options.grammar" => self.chat(Source::Own(text), spelling),
                _ => self.text(name, text, spelling),
            }
        }
    }

    /// # Safety
    /// As [`Request::read`].
    unsafe fn chat<'a>(
        &self,
        format: Source<'a>,
        spelling: Spelling,
    ) -> Result<Language<'a>, Failure> {
        // SAFETY: as above.
        let chat = unsafe { Chat::read(self, format, spelling)? };
        Ok(Language::Chat(Box::new(chat)))
    }

    /// A language that one text says, which is the option `name`.
    ///
    /// # Safety
    /// As [`Request::read`].
    unsafe fn text<'a>(
        &self,
        name: &str,
        text: &'a str,
        spelling: Spelling,
    ) -> Result<Language<'a>, Failure> {
        // SAFETY: as above.
        let start = unsafe { self.start.read("options.start")? };
        Ok(match name {
            "options.schema" => Language::Schema {
                text,
                config: spelling.config(),
            },
            "options.regex" => Language::Regex {
                text,
                dialect: spelling.dialect.unwrap_or(regex::DIALECT),
            },
            "options.choice" => Language::Choice(text),
            "options.ebnf" => Language::Ebnf {
                text,
                start: start.unwrap_or(ebnf::ROOT),
            },
            "options.lark" => Language::Lark {
                text,
                start: start.unwrap_or(lark::START),
                config: spelling.config(),
            },
            _ => Language::StructuralTag {
                text,
                config: spelling.config(),
            },
        })
    }

    /// Refuses what is for other languages than the one that is asked for.
    fn check_belongs(&self, language: &str) -> Result<(), Failure> {
        let is_chat = matches!(language, "options.format" | "options.grammar");
        let has_rules = is_chat || matches!(language, "options.ebnf" | "options.lark");
        let has_formats = matches!(
            language,
            "options.schema" | "options.lark" | "options.structural_tag"
        );
        let fault = if !is_chat && self.asks_for_chat() {
            "what is for formats only"
        } else if !has_rules && !self.start.is_absent() {
            "`options.start`, which is for languages that have rules"
        } else if !has_formats && self.schema_formats != 0 {
            "`options.schema_formats`, which is for languages that are schemas or have some of their own"
        } else {
            return Ok(());
        };
        Err(Failure::invalid(format!(
            "`options` asks for `{language}`, and sets {fault}"
        )))
    }
}

fn compile_schema(text: &str, config: &SchemaConfig) -> Result<Grammar, Failure> {
    let compiled = json_schema::compile(text, config);
    let compiled = compiled.map_err(|error| Failure::schema(&error, "schema"))?;
    let rules = JsonRules::new(config);
    let mut rules = rules.map_err(|error| Failure::schema(&error, "schema"))?;
    let mut builder = GrammarBuilder::new(config.limits.clone());
    let root = compiled.lower_into(&mut rules, &mut builder);
    Ok(builder.finish(root)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::guard;
    use crate::status::Status;
    use crate::text::MwText;

    /// The status of compiling what the options ask for.
    fn compiled(set: impl FnOnce(&mut MwConstraintOptions)) -> i32 {
        // SAFETY: numbers and pointers, which may be zero.
        let mut options: MwConstraintOptions = unsafe { std::mem::zeroed() };
        options.size = size_of::<MwConstraintOptions>();
        set(&mut options);
        // SAFETY: the options and the texts that they lend live until the end.
        unsafe {
            guard(std::ptr::null_mut(), || {
                let request = Request::read(&options)?;
                request.check_schemas()?;
                request.compile(None).map(drop)
            })
        }
    }

    #[test]
    fn every_language_has_its_way_in() {
        let text = |text: &'static str| MwText::lent(Some(text));
        let tag = r#"{"type": "structural_tag", "format": {"type": "any_text"}}"#;
        let ok = Status::Ok.code();
        assert_eq!(compiled(|o| o.regex = text("[0-9]+")), ok);
        assert_eq!(compiled(|o| o.choice = text(r#"["a", "b"]"#)), ok);
        assert_eq!(compiled(|o| o.ebnf = text("root ::= \"a\"")), ok);
        assert_eq!(compiled(|o| o.structural_tag = text(tag)), ok);
        let start = |o: &mut MwConstraintOptions| {
            o.ebnf = text("list ::= \"a\" list | \"b\"");
            o.start = text("list");
        };
        assert_eq!(compiled(start), ok);
        assert_eq!(
            compiled(|o| o.lark = text("start: \"a\" start | %json {}")),
            ok
        );
        for (expected, status) in [
            (Status::Malformed, compiled(|o| o.regex = text("(a"))),
            (Status::Unsatisfiable, compiled(|o| o.regex = text("a$b"))),
            (Status::Unsatisfiable, compiled(|o| o.choice = text("[]"))),
            (
                Status::Malformed,
                compiled(|o| o.ebnf = text("root ::= other")),
            ),
            (
                Status::InvalidArgument,
                compiled(|o| o.ebnf = text("a ::= \"a\"")),
            ),
            (
                Status::Malformed,
                compiled(|o| o.structural_tag = text("{}")),
            ),
            (Status::Malformed, compiled(|o| o.lark = text("start: a"))),
            (
                Status::Unsupported,
                compiled(|o| o.lark = text("start[max_tokens=3]: \"a\"")),
            ),
            (Status::InvalidArgument, compiled(|_| ())),
        ] {
            assert_eq!(status, expected.code());
        }
    }

    #[test]
    fn what_belongs_to_another_language_is_refused() {
        let text = |text: &'static str| MwText::lent(Some(text));
        let invalid = Status::InvalidArgument.code();
        let two = |o: &mut MwConstraintOptions| (o.regex, o.schema) = (text("a"), text("{}"));
        assert_eq!(compiled(two), invalid);
        let tools = |o: &mut MwConstraintOptions| (o.regex, o.tools) = (text("a"), text("[]"));
        assert_eq!(compiled(tools), invalid);
        let start = |o: &mut MwConstraintOptions| (o.regex, o.start) = (text("a"), text("a"));
        assert_eq!(compiled(start), invalid);
        let formats = |o: &mut MwConstraintOptions| {
            (o.format, o.schema_formats) = (text("harmony"), 1);
        };
        assert_eq!(compiled(formats), invalid);
        let escapes = |o: &mut MwConstraintOptions| (o.schema, o.escapes) = (text("{}"), 3);
        assert_eq!(compiled(escapes), invalid);
    }

    type Set = fn(&mut MwConstraintOptions, MwText);

    /// The status of compiling a text, which `set` says, on a stack as small as hosts have.
    fn on_small_stack(set: Set, text: String) -> i32 {
        let compile = move || compiled(|options| set(options, MwText::lent(Some(&text))));
        let thread = std::thread::Builder::new().stack_size(512 << 10);
        thread.spawn(compile).unwrap().join().unwrap()
    }

    #[test]
    #[cfg_attr(miri, ignore = "reads texts of a megabyte")]
    fn grammars_that_are_deep_are_a_status() {
        let ebnf: Set = |options, text| options.ebnf = text;
        let lark: Set = |options, text| options.lark = text;
        let regex: Set = |options, text| options.regex = text;
        let tag: Set = |options, text| options.structural_tag = text;
        let nested = |depth: usize, begin: &str, open: &str, core: &str, close: &str| {
            format!("{begin}{}{core}{}", open.repeat(depth), close.repeat(depth))
        };
        let chain = |begin: &str, rule: fn(usize) -> String, end: &str| {
            format!("{begin}{}{end}", (0..5000).map(rule).collect::<String>())
        };
        let (ok, limit) = (Status::Ok.code(), Status::Limit.code());
        for (set, text, expected) in [
            (ebnf, nested(60, "root ::= ", "(", "\"a\"", ")"), ok),
            (ebnf, nested(100_000, "root ::= ", "(", "\"a\"", ")"), limit),
            (ebnf, nested(100_000, "root ::= ", "", "\"a\"", "?"), limit),
            (
                ebnf,
                nested(100_000, "root ::= ", "", "\"a\"", "{1,2}"),
                limit,
            ),
            (
                ebnf,
                chain(
                    "root ::= r0\n",
                    |i| format!("r{i} ::= r{}\n", i + 1),
                    "r5000 ::= \"a\"",
                ),
                ok,
            ),
            (
                ebnf,
                chain(
                    "root ::= r0\n",
                    |i| format!("r{i} ::= r{} \"a\" | r0\n", i + 1),
                    "r5000 ::= \"a\"",
                ),
                ok,
            ),
            (lark, nested(60, "start: ", "(", "\"a\"", ")"), ok),
            (lark, nested(100_000, "start: ", "(", "\"a\"", ")"), limit),
            (lark, nested(100_000, "start: ", "[", "\"a\"", "]"), limit),
            (lark, nested(100_000, "start: ", "", "\"a\"", "?"), limit),
            (
                lark,
                nested(100_000, "start: A\nA: ", "~", "\"a\"", ""),
                limit,
            ),
            (
                lark,
                nested(1_000, "start: ", "%lark { start: ", "\"a\"", "}"),
                limit,
            ),
            (
                lark,
                chain(
                    "start: r0\n",
                    |i| format!("r{i}: r{}\n", i + 1),
                    "r5000: \"a\"",
                ),
                ok,
            ),
            (
                lark,
                chain(
                    "start: T0\n",
                    |i| format!("T{i}: T{}\n", i + 1),
                    "T5000: \"a\"",
                ),
                ok,
            ),
            (
                lark,
                chain(
                    "start: T0\n",
                    |i| format!("T{i}: T{} & /a*/\n", i + 1),
                    "T5000: \"a\"",
                ),
                ok,
            ),
            (regex, nested(100_000, "", "(", "a", ")"), limit),
            (
                tag,
                nested(
                    100_000,
                    "{\"type\": \"structural_tag\", \"format\": ",
                    "{\"type\": \"optional\", \"content\": ",
                    "{}",
                    "}",
                ),
                limit,
            ),
        ] {
            let start = text.chars().take(60).collect::<String>();
            assert_eq!(
                Status::name(on_small_stack(set, text)),
                Status::name(expected),
                "{start}"
            );
        }
    }

    /// The status of compiling a schema, on a stack as small as hosts have.
    fn status(schema: String) -> i32 {
        on_small_stack(|options, text| options.schema = text, schema)
    }

    #[test]
    #[cfg_attr(miri, ignore = "reads texts of a megabyte")]
    fn what_is_deep_is_a_status() {
        let not = |depth: usize| format!("{}true{}", "{\"not\":".repeat(depth), "}".repeat(depth));
        assert_eq!(status(not(200)), Status::Ok.code());
        assert_eq!(status(not(100_000)), Status::Limit.code());
        let links = (0..5000).map(|i| {
            let next = format!("{{\"$ref\":\"#/$defs/{}\"}}", i + 1);
            format!("\"{i}\":{{\"if\":{{\"const\":1}},\"then\":{{\"const\":1}},\"else\":{next}}},")
        });
        let links: String = links.collect();
        let chain = format!("{{\"$ref\":\"#/$defs/0\",\"$defs\":{{{links}\"5000\":true}}}}");
        assert_eq!(status(chain), Status::Ok.code());
    }
}
