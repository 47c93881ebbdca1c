//! The keywords of one subschema that only mean something together, before they are.

use crate::front::json_schema::draft::Draft;
use crate::front::json_schema::number_set::Integrality;
use crate::front::json_schema::reader::ValueId;

/// Where the keywords of a subschema have their values.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) integrality: Integrality,
    pub(super) format: Option<ValueId>,
    pub(super) minimum: Option<ValueId>,
    pub(super) maximum: Option<ValueId>,
    pub(super) exclusive_minimum: Option<ValueId>,
    pub(super) exclusive_maximum: Option<ValueId>,
    pub(super) multiple_of: Option<ValueId>,
    pub(super) items: Option<ValueId>,
    pub(super) additional_items: Option<ValueId>,
    pub(super) prefix_items: Option<ValueId>,
    pub(super) min_items: Option<ValueId>,
    pub(super) max_items: Option<ValueId>,
    pub(super) unique_items: Option<ValueId>,
    pub(super) contains: Option<ValueId>,
    pub(super) min_contains: Option<ValueId>,
    pub(super) max_contains: Option<ValueId>,
    pub(super) unevaluated_items: Option<ValueId>,
    pub(super) properties: Option<ValueId>,
    pub(super) required: Option<ValueId>,
    pub(super) pattern_properties: Option<ValueId>,
    pub(super) additional_properties: Option<ValueId>,
    pub(super) property_names: Option<ValueId>,
    pub(super) min_properties: Option<ValueId>,
    pub(super) max_properties: Option<ValueId>,
    pub(super) dependencies: Option<ValueId>,
    pub(super) dependent_required: Option<ValueId>,
    pub(super) dependent_schemas: Option<ValueId>,
    pub(super) unevaluated_properties: Option<ValueId>,
    pub(super) condition: Option<ValueId>,
    pub(super) then: Option<ValueId>,
    pub(super) otherwise: Option<ValueId>,
    pub(super) content_encoding: Option<ValueId>,
    pub(super) content_media_type: Option<ValueId>,
}

impl Parts {
    /// Whether a keyword for numbers is among them.
    pub(super) fn have_numbers(&self) -> bool {
        let bounds = [self.minimum, self.maximum, self.multiple_of];
        let exclusive = [self.exclusive_minimum, self.exclusive_maximum];
        bounds.iter().chain(&exclusive).any(Option::is_some)
    }

    /// The place for the value of the keyword `name`, where `draft` has it.
    pub(super) fn slot(&mut self, name: &str, draft: Draft) -> Option<&mut Option<ValueId>> {
        use Draft::{Draft4, Draft6, Draft7, Draft201909, Draft202012};
        let (since, slot) = match name {
            "format" => (Draft4, &mut self.format),
            "minimum" => (Draft4, &mut self.minimum),
            "maximum" => (Draft4, &mut self.maximum),
            "exclusiveMinimum" => (Draft4, &mut self.exclusive_minimum),
            "exclusiveMaximum" => (Draft4, &mut self.exclusive_maximum),
            "multipleOf" => (Draft4, &mut self.multiple_of),
            "items" => (Draft4, &mut self.items),
            "additionalItems" => (Draft4, &mut self.additional_items),
            "prefixItems" => (Draft202012, &mut self.prefix_items),
            "minItems" => (Draft4, &mut self.min_items),
            "maxItems" => (Draft4, &mut self.max_items),
            "uniqueItems" => (Draft4, &mut self.unique_items),
            "contains" => (Draft6, &mut self.contains),
            "minContains" => (Draft201909, &mut self.min_contains),
            "maxContains" => (Draft201909, &mut self.max_contains),
            "unevaluatedItems" => (Draft201909, &mut self.unevaluated_items),
            "properties" => (Draft4, &mut self.properties),
            "required" => (Draft4, &mut self.required),
            "patternProperties" => (Draft4, &mut self.pattern_properties),
            "additionalProperties" => (Draft4, &mut self.additional_properties),
            "propertyNames" => (Draft6, &mut self.property_names),
            "minProperties" => (Draft4, &mut self.min_properties),
            "maxProperties" => (Draft4, &mut self.max_properties),
            "dependencies" => (Draft4, &mut self.dependencies),
            "dependentRequired" => (Draft201909, &mut self.dependent_required),
            "dependentSchemas" => (Draft201909, &mut self.dependent_schemas),
            "unevaluatedProperties" => (Draft201909, &mut self.unevaluated_properties),
            "if" => (Draft7, &mut self.condition),
            "then" => (Draft7, &mut self.then),
            "else" => (Draft7, &mut self.otherwise),
            "contentEncoding" => (Draft6, &mut self.content_encoding),
            "contentMediaType" => (Draft6, &mut self.content_media_type),
            _ => return None,
        };
        (since <= draft).then_some(slot)
    }
}
