//! JSON in bodies: arguments, responses, and any value.

use super::options::ChatOptions;
use super::tools::Arguments;
use crate::base::RuleId;
use crate::front::abnf::{Abnf, Binding, Bindings, Filling};
use crate::front::json_schema::SchemaError;
use crate::grammar::GrammarBuilder;

/// Makes rules of JSON whose strings spell no control token.
pub(super) struct JsonRules {
    controls: Vec<String>,
}

struct B(RuleId);
impl Bindings for B {
    fn controls(&self) -> Vec<String> { Vec::new() }
    fn known(&self) -> Vec<String> { Vec::new() }
    fn bind(&mut self, _: &str, _: &mut GrammarBuilder) -> Option<Binding> { Some(Binding::One(Filling::Rule(self.0))) }
}

impl JsonRules {
    pub(super) fn new(controls: &[String], _: &ChatOptions) -> Self {
        Self { controls: controls.to_vec() }
    }
    pub(super) fn any_value(&mut self, builder: &mut GrammarBuilder) -> Result<RuleId, SchemaError> {
        let src = r#"v = o / a / s / 1*DIGIT / "true" / "false" / "null"
o = "{" [m *("," *SP m)] "}"
m = s ":" *SP v
a = "[" [v *("," *SP v)] "]"
s = DQUOTE <str> DQUOTE
"#;
        let mut without = self.controls.clone();
        without.push("\"".into());
        let t = super::text::Text { without: &without, spelling: super::text::Spelling::Never };
        let r = builder.declare("str");
        builder.define(r, &t.automaton()).ok();
        let a = Abnf::parse(src, builder.limits()).map_err(|e| panic!("{e}")).ok();
        Ok(a.and_then(|a| a.lower_into(builder, "v", &mut B(r)).ok()).unwrap_or(r))
    }
    pub(super) fn schema(&mut self, _s: &str, builder: &mut GrammarBuilder) -> Result<RuleId, SchemaError> { self.any_value(builder) }
    pub(super) fn arguments(&mut self, _s: &Arguments, builder: &mut GrammarBuilder) -> Result<RuleId, SchemaError> { self.any_value(builder) }
}
