//! What the benchmark asks of an engine.

use maskwright::base::TokenId;

/// An engine, ready with its vocabulary.
pub(crate) trait Engine {
    /// What it is called in reports.
    fn name(&self) -> &'static str;

    /// How long making the vocabulary ready took, in milliseconds, from the tokens' bytes on.
    fn vocab_ms(&self) -> f64;

    /// Compiles the JSON Schema in `schema`.
    fn compile(&self, schema: &str) -> Result<Box<dyn Compiled>, Refusal>;
}

/// A compiled schema.
pub(crate) trait Compiled {
    /// Starts at the beginning of an instance.
    fn start(&self) -> Result<Box<dyn Run + '_>, String>;
}

/// An instance being generated.
pub(crate) trait Run {
    /// Writes the tokens that may come next, a bit each.
    fn mask(&mut self, row: &mut [u32]) -> Result<(), String>;

    /// Takes a token.
    fn accept(&mut self, token: TokenId) -> Result<(), String>;
}

/// Why a schema was refused.
pub(crate) struct Refusal {
    /// A short reason that refusals are counted by.
    pub(crate) reason: String,
}
