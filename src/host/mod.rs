//! Constraints straight from what a request says, for hosts that need nothing in between, and what is wrong with one
//! in a host's terms.

mod diagnosis;

pub use diagnosis::{Diagnosis, DiagnosisKind, Fault, SchemaPlace};

use crate::front::chat::{self, ChatError, ChatOptions, Format};
use crate::front::json_schema::{self, JsonRules, SchemaConfig, SchemaError};
use crate::grammar::{Grammar, GrammarBuilder, GrammarError};
use crate::session::{Constraint, ConstraintConfig, ConstraintError, Engine};

/// The rule from which a format file generates.
const ASSISTANT_TURN: &str = "assistant-turn";

/// Why a request cannot be constrained. Each variant is the error of the step that refused it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The JSON Schema is malformed, means something that cannot be compiled exactly, or admits no value.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The chat format, its tools or its options are refused.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// The rules of the language are refused: for instance, they admit no text.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// The vocabulary lacks what the language needs.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
}

impl Constraint {
    /// Constrains texts to the JSON values that satisfy `schema`.
    ///
    /// The stop tokens are the vocabulary's end tokens. To choose others, compile the schema with
    /// [`json_schema::compile`] and call [`Engine::constraint`].
    ///
    /// ```
    /// use maskwright::{Constraint, Engine, SchemaConfig, TokenId, VocabularyBuilder};
    ///
    /// let mut vocabulary = VocabularyBuilder::new();
    /// for byte in 0..=255 {
    ///     vocabulary.ordinary(TokenId::new(byte.into()), &[byte])?;
    /// }
    /// vocabulary.special(TokenId::new(256), "<end>")?.end_token(TokenId::new(256));
    /// let engine = Engine::new(vocabulary.build()?);
    ///
    /// let schema = r#"{"type": "boolean"}"#;
    /// let constraint = Constraint::from_json_schema(&engine, schema, &SchemaConfig::default())?;
    /// let mut mask = vec![0; constraint.vocabulary().mask_words()];
    /// constraint.session().mask(&mut mask)?;
    /// let allowed: Vec<u8> = (0..=255).filter(|&b| mask[b as usize / 32] >> (b % 32) & 1 == 1).collect();
    /// assert_eq!(allowed, b"ft");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RequestError::Schema`] with the keyword and the JSON pointer of what is refused, a limit, or
    /// [`RequestError::Constraint`] where the vocabulary cannot spell any value.
    pub fn from_json_schema(
        engine: &Engine,
        schema: &str,
        config: &SchemaConfig,
    ) -> Result<Self, RequestError> {
        let grammar = schema_grammar(schema, config)?;
        Ok(engine.constraint(grammar, &ConstraintConfig::default())?)
    }

    /// Constrains texts to the assistant's turns of a chat format: the rule `assistant-turn` of its
    /// file, with the tools and options of a request.
    ///
    /// # Errors
    /// [`RequestError::Chat`] with the tool and the JSON pointer of a schema that is refused, or with
    /// what options contradict the format; [`RequestError::Constraint`] where the vocabulary lacks what
    /// every turn needs.
    pub fn from_format(
        engine: &Engine,
        format: &Format,
        options: &ChatOptions,
    ) -> Result<Self, RequestError> {
        let grammar = chat::compile(format, ASSISTANT_TURN, options)?;
        Ok(engine.constraint(grammar, &ConstraintConfig::default())?)
    }
}

fn schema_grammar(schema: &str, config: &SchemaConfig) -> Result<Grammar, RequestError> {
    let config = &config.begin();
    let compiled = json_schema::compile(schema, config)?;
    let mut rules = JsonRules::new(config)?;
    let mut builder = GrammarBuilder::new(config.limits.clone());
    let root = compiled.lower_into(&mut rules, &mut builder);
    Ok(builder.finish(root)?)
}
