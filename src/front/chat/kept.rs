//! What a format keeps for further requests: its rules by the requests' shapes, its texts, and the requests' schemas.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::outline::Outline;
use super::schemas::KeptSchemas;
use super::shape::Shape;
use crate::base::lock;
use crate::front::json_schema::SchemaConfig;
use crate::grammar::SharedBody;

/// More are not kept: a format has few texts, and its requests few sets of control tokens and few shapes.
const MOST: usize = 64;

/// Of more ways to compile schemas than these, the first is forgotten.
const WAYS: usize = 4;

/// What a format keeps.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// By shape, the rules of the file.
    ///
    /// PERF: a request of one tool takes Harmony 32 µs for 360, OpenChatML 2.2 38 for 817, MiniMax M2 38 for 878 (benches/LOG.md,
    /// "Formats").
    outlines: Mutex<Vec<(Shape, Arc<Outline>)>>,
    /// The bodies of texts, by prose-val, for each set of control tokens: requests of several shapes share them.
    ///
    /// PERF: requests without tools compile in a third (ChatML: 0.42 to 0.13 ms), a tenth (OpenChatML 2.2: 9.8 to 0.98 ms) or
    /// less of the time, dev profile, medians of 31 beside the build before: `cargo bench --bench formats`.
    texts: Mutex<FxHashMap<(String, Vec<String>), KeptText>>,
    /// The schemas of requests, for each way to compile them.
    schemas: Mutex<Vec<Arc<KeptSchemas>>>,
}

/// A text.
#[derive(Clone, Debug)]
pub(super) struct KeptText {
    pub(super) body: SharedBody,
    /// What writing it took of [`Limits::work`](crate::base::Limits::work), before it was determinised.
    pub(super) steps: usize,
}

impl Kept {
    /// The outline of requests of this shape, if it is kept.
    pub(super) fn outline(&self, shape: &Shape) -> Option<Arc<Outline>> {
        let known = lock(&self.outlines);
        let found = known.iter().find(|(known, _)| known == shape);
        found.map(|(_, outline)| outline.clone())
    }

    /// Keeps the outline of requests of this shape.
    pub(super) fn keep_outline(&self, shape: &Shape, outline: &Arc<Outline>) {
        let mut known = lock(&self.outlines);
        if known.len() == MOST {
            known.clear();
        }
        if known.iter().all(|(known, _)| known != shape) {
            known.push((shape.clone(), outline.clone()));
        }
    }

    /// The body of `<prose>` where the control tokens are `controls`, if it is kept.
    pub(super) fn text(&self, prose: &str, controls: &[String]) -> Option<KeptText> {
        let known = lock(&self.texts);
        known.get(&key(prose, controls)).cloned()
    }

    /// Keeps the body of `<prose>` where the control tokens are `controls`.
    pub(super) fn keep_text(&self, prose: &str, controls: &[String], text: KeptText) {
        let mut known = lock(&self.texts);
        if known.len() == MOST {
            known.clear();
        }
        known.insert(key(prose, controls), text);
    }

    /// The schemas that are compiled as `config` says.
    pub(super) fn schemas(&self, config: &SchemaConfig) -> Arc<KeptSchemas> {
        let mut ways = lock(&self.schemas);
        if let Some(known) = ways.iter().find(|known| known.are_of(config)) {
            return known.clone();
        }
        if ways.len() == WAYS {
            ways.remove(0);
        }
        let schemas = Arc::new(KeptSchemas::new(config));
        ways.push(schemas.clone());
        schemas
    }
}

fn key(prose: &str, controls: &[String]) -> (String, Vec<String>) {
    (prose.to_owned(), controls.to_vec())
}
