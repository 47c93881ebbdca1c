//! `contentEncoding`, `contentMediaType` and `contentSchema`. In drafts 6 and 7 an encoding may assert: what is
//! generated is right whether it does or not. All assert where that is asked for.

use super::{Keywords, Parts};
use crate::front::json_schema::config::Content;
use crate::front::json_schema::draft::Draft;
use crate::front::json_schema::keyword::Keyword;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::schema::Schema;
use crate::front::json_schema::values::{Extent, Language, SetId, Types, Wider};
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

/// The encodings that leave a text as it is (RFC 2045, section 6).
const PLAIN: [&str; 3] = ["7bit", "8bit", "binary"];

impl Keywords<'_> {
    pub(super) fn content(
        &mut self,
        parts: &Parts,
        schema: &mut Schema,
    ) -> Result<(), SchemaError> {
        if !schema.types.meets(Types::STRING) {
            return Ok(());
        }
        let asserts = self.content == Content::Assert;
        if let Some(value) = parts[Keyword::ContentEncoding]
            && (asserts || self.draft <= Draft::Draft7)
            && let Some(name) = self.document.string(value)
        {
            match ENCODINGS.iter().find(|(known, _)| *known == name) {
                Some((_, pattern)) => self.encoded(value, pattern, schema)?,
                None if asserts => self.note_unknown(&name),
                None => {}
            }
        }
        match parts[Keyword::ContentMediaType].filter(|_| asserts) {
            Some(media_type) => self.media_type(media_type, parts, schema),
            None => Ok(()),
        }
    }

    /// The strings that are encoded by `pattern`.
    fn encoded(
        &mut self,
        value: ValueId,
        pattern: &str,
        schema: &mut Schema,
    ) -> Result<(), SchemaError> {
        let dfa = Dfa::regex_full(pattern, self.limits).map_err(|error| {
            let pointer = pointer::of(self.document, value);
            SchemaError::unsupported("contentEncoding", pointer, error)
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
        Ok(())
    }

    /// The strings of a media type, where that is JSON.
    fn media_type(
        &mut self,
        value: ValueId,
        parts: &Parts,
        schema: &mut Schema,
    ) -> Result<(), SchemaError> {
        let document = self.document;
        let Some(name) = document.string(value) else {
            return Err(self.malformed(value, "must be a string"));
        };
        if !is_json(&name) {
            self.note_unknown(&name);
            return Ok(());
        }
        let encoding = parts[Keyword::ContentEncoding].and_then(|value| document.string(value));
        if encoding.is_some_and(|name| !PLAIN.contains(&&*name.to_ascii_lowercase())) {
            return Err(SchemaError::unsupported(
                "contentMediaType",
                pointer::of(document, value),
                "JSON that is encoded by the `contentEncoding` beside it cannot be asserted",
            ));
        }
        let inner = parts[Keyword::ContentSchema].map(|value| self.schema(value));
        let mut content = Schema::any();
        content.string.content = Some(inner.unwrap_or(Ok(SetId::ANY))?);
        schema.all_of.push(self.sets.add(content, value));
        Ok(())
    }

    fn note_unknown(&mut self, name: &str) {
        self.sets.unknown_content.insert(name.to_owned());
    }
}

/// Whether a media type (RFC 6838), be there parameters behind it, is JSON or written in it.
fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    essence == "application/json" || essence.contains('/') && essence.ends_with("+json")
}
