//! Values of JSON: the rules of schemas, and how they are to be spelt.

use std::sync::Arc;

use super::Lowering;
use crate::base::RuleId;
use crate::front::json_schema::{
    self, JsonRules, Outermost, ParameterForm, PropertyOrder, SchemaConfig, SpacePattern,
    Whitespace,
};
use crate::front::structural_tag::error::StructuralTagError as Error;
use crate::front::structural_tag::node::Json;
use crate::front::structural_tag::style::Style;

impl Lowering<'_> {
    /// The rule of a JSON value.
    pub(super) fn json(&mut self, json: &Json) -> Result<RuleId, Error> {
        let refused = |source| Error::Schema {
            pointer: json.pointer.clone(),
            source: Box::new(source),
        };
        let key = (
            json.any_order,
            json.most_space,
            json.excludes.clone(),
            json.style,
        );
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
        let form = match json.style {
            None => None,
            Some(style) => Some(self.form(style, number)?),
        };
        let (_, config, rules) = &mut self.json[number];
        let schema = json_schema::compile(&json.schema, config).map_err(refused)?;
        let rule = match form {
            None => schema.lower_into(rules, &mut self.builder),
            Some(form) => {
                let builder = &mut self.builder;
                let rule = schema.lower_parameters(&form, rules, &config.limits, builder);
                rule.map_err(refused)?
            }
        };
        self.schemas.insert((number, json.schema.clone()), rule);
        Ok(rule)
    }

    /// How parameters are written in a style, under the spelling with this number.
    fn form(&mut self, style: Style, number: usize) -> Result<Arc<ParameterForm>, Error> {
        let config = &self.json[number].1;
        let (forbidden, limits) = (config.forbidden.clone(), config.limits.clone());
        let form = style.form(&forbidden, &limits, &mut |text| self.symbols(text));
        Ok(Arc::new(form.map_err(Error::Limit)?))
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
        let mut forbidden = [&config.forbidden[..], &self.spelt[..], &json.excludes[..]].concat();
        forbidden.extend(json.style.map(|style| style.closing().to_owned()));
        let outermost = match json.style {
            None => config.outermost,
            Some(_) => Outermost::Object,
        };
        Ok(SchemaConfig {
            outermost,
            whitespace,
            order,
            forbidden,
            ..config.clone()
        })
    }
}
