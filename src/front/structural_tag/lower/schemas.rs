//! Values of JSON: the rules of schemas, and how they are to be spelt.

use super::Lowering;
use crate::base::RuleId;
use crate::front::json_schema::{
    self, JsonRules, PropertyOrder, SchemaConfig, SpacePattern, Whitespace,
};
use crate::front::structural_tag::error::StructuralTagError as Error;
use crate::front::structural_tag::node::Json;

impl Lowering<'_> {
    /// The rule of a JSON value.
    pub(super) fn json(&mut self, json: &Json) -> Result<RuleId, Error> {
        let refused = |source| Error::Schema {
            pointer: json.pointer.clone(),
            source: Box::new(source),
        };
        let key = (json.any_order, json.most_space, json.excludes.clone());
        let known = self.json.iter().position(|(known, ..)| *known == key);
        let number = match known {
            Some(number) => number,
            None => {
                let config = self.schema_config(json).map_err(refused)?;
                let rules = JsonRules::new(&config).map_err(refused)?;
                self.json.push((key, config, rules));
                self.json.len() - 1
            }
        };
        if let Some(&rule) = self.schemas.get(&(number, json.schema.clone())) {
            return Ok(rule);
        }
        let (_, config, rules) = &mut self.json[number];
        let schema = json_schema::compile(&json.schema, config).map_err(refused)?;
        let rule = schema.lower_into(rules, &mut self.builder);
        self.schemas.insert((number, json.schema.clone()), rule);
        Ok(rule)
    }

    fn schema_config(&self, json: &Json) -> Result<SchemaConfig, json_schema::SchemaError> {
        let config = &self.config.schemas;
        let whitespace = match json.most_space {
            None => config.whitespace.clone(),
            Some(0) => Whitespace::Compact,
            Some(most) => {
                let pattern = format!("[ \\t\\n\\r]{{0,{most}}}");
                Whitespace::Pattern(SpacePattern::new(&pattern, &config.limits)?)
            }
        };
        let order = match json.any_order {
            true => PropertyOrder::Any,
            false => config.order,
        };
        let forbidden = [&config.forbidden[..], &self.spelt[..], &json.excludes[..]].concat();
        Ok(SchemaConfig {
            whitespace,
            order,
            forbidden,
            ..config.clone()
        })
    }
}
