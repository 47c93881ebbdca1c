//! Runs the tests of a file and judges each.

use maskwright::base::{Limits, TokenId};
use maskwright::front::json_schema::{
    Draft, Formats, JsonRules, PropertyOrder, SchemaConfig, SchemaDocument, SchemaError, compile,
};
use maskwright::grammar::GrammarBuilder;
use maskwright::session::{Constraint, ConstraintConfig, Engine};
use maskwright::vocab::VocabularyBuilder;

use super::json;

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    /// What is invalid is accepted.
    Accepts,
    /// What is valid is refused.
    Refuses,
    /// The schema does not compile.
    Error(String),
}

/// The tests of one schema.
pub(crate) struct Group {
    pub name: String,
    pub tests: Vec<(String, Verdict)>,
}

/// The draft of the tests in a folder.
pub(crate) fn draft(path: &str) -> Option<Draft> {
    Some(match path.split('/').next()? {
        "draft4" => Draft::Draft4,
        "draft6" => Draft::Draft6,
        "draft7" => Draft::Draft7,
        "draft2019-09" => Draft::Draft201909,
        "draft2020-12" => Draft::Draft202012,
        _ => return None,
    })
}

pub(crate) struct Judge {
    engine: Engine,
    config: SchemaConfig,
}

impl Judge {
    /// With the documents that schemas may refer to.
    pub(crate) fn new<'r>(remotes: impl Iterator<Item = (&'r str, &'r str)>) -> Self {
        let mut vocabulary = VocabularyBuilder::new();
        for byte in 0..=255u8 {
            vocabulary
                .ordinary(TokenId::new(u32::from(byte)), &[byte])
                .unwrap();
        }
        vocabulary.special(TokenId::new(256), "<end>").unwrap();
        vocabulary.end_token(TokenId::new(256));
        let documents = remotes.map(|(path, text)| SchemaDocument {
            uri: format!("http://localhost:1234/{path}"),
            text: text.to_owned(),
        });
        Self {
            engine: Engine::new(vocabulary.build().unwrap()),
            config: SchemaConfig {
                documents: documents.collect(),
                order: PropertyOrder::Any,
                ..SchemaConfig::default()
            },
        }
    }

    /// The groups of a file.
    pub(crate) fn file(&mut self, path: &str, text: &str) -> Vec<Group> {
        self.config.draft = draft(path).unwrap();
        // Formats are annotations, but where the tests ask otherwise.
        self.config.formats = match path.contains("optional/format") {
            true => Formats::Assert,
            false => Formats::Ignore,
        };
        let groups = json::parts(text).into_iter();
        groups.map(|group| self.group(group)).collect()
    }

    fn group(&self, group: &str) -> Group {
        let text = |object, key| json::string(json::get(object, key).unwrap());
        let compiled = self.compile(json::get(group, "schema").unwrap());
        let tests = json::parts(json::get(group, "tests").unwrap()).into_iter();
        let tests = tests.map(|test| {
            let instance = json::get(test, "data").unwrap();
            let valid = json::get(test, "valid") == Some("true");
            let verdict = match &compiled {
                Ok(constraint) => judge(constraint, instance, valid),
                // Nothing is generated, and nothing must be.
                Err(SchemaError::Unsatisfiable { .. }) if valid => Verdict::Refuses,
                Err(SchemaError::Unsatisfiable { .. }) => Verdict::Passed,
                Err(error) => Verdict::Error(error.to_string()),
            };
            (text(test, "description"), verdict)
        });
        Group {
            name: text(group, "description"),
            tests: tests.collect(),
        }
    }

    fn compile(&self, schema: &str) -> Result<Constraint, SchemaError> {
        let schema = compile(schema, &self.config)?;
        let mut builder = GrammarBuilder::new(Limits::default());
        let mut rules = JsonRules::new(&self.config)?;
        let root = schema.lower_into(&mut rules, &mut builder);
        let grammar = builder.finish(root).unwrap();
        let constraint = self
            .engine
            .constraint(grammar, &ConstraintConfig::default());
        Ok(constraint.unwrap())
    }
}

fn judge(constraint: &Constraint, instance: &str, valid: bool) -> Verdict {
    match (accepts(constraint, &json::spaced(instance)), valid) {
        (true, true) | (false, false) => Verdict::Passed,
        (true, false) => Verdict::Accepts,
        (false, true) => Verdict::Refuses,
    }
}

fn accepts(constraint: &Constraint, text: &str) -> bool {
    let mut recogniser = constraint.recogniser();
    text.bytes().all(|byte| recogniser.byte(byte).unwrap()) && recogniser.may_end()
}
