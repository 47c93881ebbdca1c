//! JSON whose objects keep the order of their members.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Number;

/// A JSON value; of members with one key all are kept.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a JSON text, nested at most 128 deep.
    pub(super) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// An object without the members that are `Null`.
    pub(super) fn object<const N: usize>(members: [(&str, Json); N]) -> Self {
        let present = members
            .into_iter()
            .filter(|(_, value)| *value != Self::Null);
        Self::Object(
            present
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        )
    }

    /// A string, or null.
    pub(super) fn optional(text: Option<&str>) -> Self {
        text.map_or(Self::Null, |text| Self::String(text.to_owned()))
    }

    /// The member `key`, if it is there and not null.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.member(key).filter(|value| **value != Self::Null)
    }

    /// The member `key`, if it is there, perhaps null.
    pub(super) fn member(&self, key: &str) -> Option<&Self> {
        let found = self.members().iter().rfind(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    pub(super) fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    pub(super) fn items(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The text, with a space after `:` and `,`, as Python's `json.dumps` writes it.
    pub(super) fn spaced(&self) -> String {
        let list = |parts: Vec<String>| parts.join(", ");
        match self {
            Self::Array(items) => format!("[{}]", list(items.iter().map(Self::spaced).collect())),
            Self::Object(members) => {
                let member = |(key, value): &(String, Self)| {
                    format!("{}: {}", Self::String(key.clone()), value.spaced())
                };
                format!("{{{}}}", list(members.iter().map(member).collect()))
            }
            scalar => scalar.to_string(),
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

/// The text without white space.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(value) => value.serialize(serializer),
            Self::String(value) => serializer.serialize_str(value),
            Self::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept() {
        let text = r#"{"b":1,"a":[true,null,-1.5,"x\n"]}"#;
        let json = Json::parse(text).expect("JSON");
        assert_eq!(json.to_string(), text);
        assert_eq!(json.spaced(), r#"{"b": 1, "a": [true, null, -1.5, "x\n"]}"#);
    }
}
