//! `contentEncoding` and `contentMediaType` in drafts 6 and 7, in which they may assert: what is
//! generated is right whether they do or not.

use super::{Keywords, Parts};
use crate::front::json_schema::draft::Draft;
use crate::front::json_schema::keyword::Keyword;
use crate::front::json_schema::schema::Schema;
use crate::front::json_schema::values::{Extent, Language, Types, Wider};
use crate::front::json_schema::{SchemaError, pointer};
use crate::regular::Dfa;

/// The encodings of RFC 4648, sections 4 to 8, with their padding, and no bits but zeros beyond the last octet.
const ENCODINGS: [(&str, &str); 5] = [
    (
        "base64",
        "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?",
    ),
    (
        "base64url",
        "(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9_-][AQgw]==)?",
    ),
    (
        "base32",
        "(?:[A-Z2-7]{8})*(?:[A-Z2-7][AEIMQUY4]={6}|[A-Z2-7]{3}[AQ]={4}|[A-Z2-7]{4}[ACEGIKMOQSUWY246]={3}|[A-Z2-7]{6}[AIQY]=)?",
    ),
    (
        "base32hex",
        "(?:[0-9A-V]{8})*(?:[0-9A-V][048CGKOS]={6}|[0-9A-V]{3}[0G]={4}|[0-9A-V]{4}[02468ACEGIKMOQSU]={3}|[0-9A-V]{6}[08GO]=)?",
    ),
    ("base16", "(?:[0-9A-Fa-f]{2})*"),
];

impl Keywords<'_> {
    pub(super) fn content(
        &mut self,
        parts: &Parts,
        schema: &mut Schema,
    ) -> Result<(), SchemaError> {
        if self.draft > Draft::Draft7 || !schema.types.meets(Types::STRING) {
            return Ok(());
        }
        let encoding = parts[Keyword::ContentEncoding].and_then(|value| {
            let name = self.document.string(value)?;
            let (_, pattern) = ENCODINGS.iter().find(|(known, _)| *known == name)?;
            Some((value, *pattern))
        });
        if let Some((value, pattern)) = encoding {
            let dfa = Dfa::regex_full(pattern, self.limits).map_err(|error| {
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
