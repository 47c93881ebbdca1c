//! `contentEncoding` and `contentMediaType` in drafts 6 and 7, in which they may assert: what is
//! generated is right whether they do or not.

use super::{Keywords, Parts};
use crate::front::json_schema::draft::Draft;
use crate::front::json_schema::keyword::Keyword;
use crate::front::json_schema::schema::Schema;
use crate::front::json_schema::values::{Extent, Language, Types, Wider};
use crate::front::json_schema::{SchemaError, pointer};
use crate::regular::Dfa;

/// RFC 4648, section 4, with its padding, and no bits but zeros beyond the last octet.
const BASE64: &str =
    "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?";

impl Keywords<'_> {
    pub(super) fn content(
        &mut self,
        parts: &Parts,
        schema: &mut Schema,
    ) -> Result<(), SchemaError> {
        if self.draft > Draft::Draft7 || !schema.types.meets(Types::STRING) {
            return Ok(());
        }
        let says = |value, text| self.document.string(value).is_some_and(|said| said == text);
        if let Some(value) =
            parts[Keyword::ContentMediaType].filter(|&value| says(value, "application/json"))
        {
            return Err(SchemaError::unsupported(
                "contentMediaType",
                pointer::of(self.document, value),
                "JSON in a string is not regular; leave it out to generate without it",
            ));
        }
        if let Some(value) = parts[Keyword::ContentEncoding].filter(|&value| says(value, "base64"))
        {
            let dfa = Dfa::regex_full(BASE64, self.limits).map_err(|error| {
                SchemaError::unsupported(
                    "contentEncoding",
                    pointer::of(self.document, value),
                    error,
                )
            })?;
            let mut encoded = Schema::any();
            let mut language = Language::new(dfa, value);
            // Who takes the keyword for an annotation takes any string.
            language.extent = Extent::Narrower {
                wider: Wider::Pattern("[^]*"),
                most: u32::MAX,
            };
            encoded.string.language = Some(self.sets.add_language(language));
            schema.all_of.push(self.sets.add(encoded, value));
        }
        Ok(())
    }
}
