//! What a vocabulary needs of `tokenizer.json` and `tokenizer_config.json`, read in one pass.
//!
//! The files are read by visitors that borrow from them, so the megabytes that do not matter here
//! (merges above all) are skipped over, not stored.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::vocab::error::{Position, VocabError, VocabErrorKind};

/// What errors call the tokenizer's file.
pub(super) const FILE: &str = "tokenizer.json";

/// Reads the JSON text `json`, which errors call `file`.
pub(super) fn read<'a, T: Deserialize<'a>>(
    json: &'a [u8],
    file: &'static str,
) -> Result<T, VocabError> {
    serde_json::from_slice(json).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let place = format!(" at line {line} column {column}");
        let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
        VocabError::from(VocabErrorKind::Malformed(message))
            .at(file, Position::LineColumn(line, column))
    })
}

/// A type that is read from an object's fields.
trait Fields<'de>: Default {
    /// What is read, for errors.
    const WHAT: &'static str;

    /// Reads the value of the field `key`, which `map` gives next, or ignores it.
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;
}

struct FieldsVisitor<T>(PhantomData<T>);

impl<'de, T: Fields<'de>> Visitor<'de> for FieldsVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WHAT)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut value = T::default();
        while let Some(Text(key)) = map.next_key()? {
            value.field(&key, &mut map)?;
        }
        Ok(value)
    }
}

/// Reads a type by its [`Fields`].
macro_rules! deserialize_fields {
    ($($name:ident),*) => {$(
        impl<'de> Deserialize<'de> for $name<'de> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_map(FieldsVisitor(PhantomData))
            }
        }
    )*};
}
deserialize_fields!(
    Tokenizer, Model, Component, Pattern, Added, Config, Described
);

fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}

/// A string, borrowed where it has no escapes.
#[derive(Clone, Default)]
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(text.into()))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(text.to_owned().into()))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// An optional string: `null` is none.
fn optional_text<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<Cow<'de, str>>, A::Error> {
    Ok(map.next_value::<Option<Text<'de>>>()?.map(|text| text.0))
}

/// A list: `null` is the empty one.
fn optional_list<'de, A: MapAccess<'de>, T: Deserialize<'de>>(
    map: &mut A,
) -> Result<Vec<T>, A::Error> {
    Ok(map.next_value::<Option<Vec<T>>>()?.unwrap_or_default())
}

/// A `tokenizer.json`.
#[derive(Default)]
pub(super) struct Tokenizer<'a> {
    pub(super) added_tokens: Vec<Added<'a>>,
    pub(super) normalizer: Option<Component<'a>>,
    pub(super) pre_tokenizer: Option<Component<'a>>,
    pub(super) decoder: Option<Component<'a>>,
    pub(super) model: Model<'a>,
    has_model: bool,
}

impl Tokenizer<'_> {
    /// Whether the file has a model at all.
    pub(super) fn has_model(&self) -> bool {
        self.has_model
    }
}

impl<'de> Fields<'de> for Tokenizer<'de> {
    const WHAT: &'static str = "a tokenizer";

    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "added_tokens" => self.added_tokens = optional_list(map)?,
            "normalizer" => self.normalizer = map.next_value()?,
            "pre_tokenizer" => self.pre_tokenizer = map.next_value()?,
            "decoder" => self.decoder = map.next_value()?,
            "model" => {
                self.model = map.next_value()?;
                self.has_model = true;
            }
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// A token of `added_tokens`.
#[derive(Default)]
pub(super) struct Added<'a> {
    pub(super) id: Option<u32>,
    pub(super) content: Cow<'a, str>,
    pub(super) special: bool,
}

impl<'de> Fields<'de> for Added<'de> {
    const WHAT: &'static str = "an added token";

    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "id" => self.id = Some(map.next_value()?),
            "content" => self.content = map.next_value::<Text<'de>>()?.0,
            "special" => self.special = map.next_value()?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// The model of a tokenizer: its vocabulary, and how pieces spell bytes.
#[derive(Default)]
pub(super) struct Model<'a> {
    pub(super) kind: Cow<'a, str>,
    pub(super) vocab: Pairs<'a>,
    pub(super) byte_fallback: bool,
    pub(super) unk_token: Option<Cow<'a, str>>,
    pub(super) unk_id: Option<u32>,
    pub(super) continuing_subword_prefix: Option<Cow<'a, str>>,
    pub(super) end_of_word_suffix: Option<Cow<'a, str>>,
}

impl<'de> Fields<'de> for Model<'de> {
    const WHAT: &'static str = "a model";

    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "type" => self.kind = map.next_value::<Text<'de>>()?.0,
            "vocab" => self.vocab = map.next_value()?,
            "byte_fallback" => {
                self.byte_fallback = map.next_value::<Option<bool>>()?.unwrap_or_default();
            }
            "unk_token" => self.unk_token = optional_text(map)?,
            "unk_id" => self.unk_id = map.next_value()?,
            "continuing_subword_prefix" => self.continuing_subword_prefix = optional_text(map)?,
            "end_of_word_suffix" => self.end_of_word_suffix = optional_text(map)?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// A model's pieces with their ids: an object, or a list of pieces and scores.
#[derive(Default)]
pub(super) struct Pairs<'a>(pub(super) Vec<(Cow<'a, str>, u32)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of pieces and ids, or a list of pieces and scores")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some((Text(piece), id)) = map.next_entry()? {
                    pairs.push((piece, id));
                }
                Ok(Pairs(pairs))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some((Text(piece), _)) = list.next_element::<(Text<'de>, f64)>()? {
                    pairs.push((piece, u32::try_from(pairs.len()).map_err(A::Error::custom)?));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_any(PairsVisitor)
    }
}

/// A normalizer, pre-tokenizer or decoder, with its parts if it is a sequence.
#[derive(Default)]
pub(super) struct Component<'a> {
    pub(super) kind: Cow<'a, str>,
    pub(super) pattern: Pattern<'a>,
    pub(super) content: Cow<'a, str>,
    replacement: Option<Cow<'a, str>>,
    parts: Vec<Component<'a>>,
}

impl<'a> Component<'a> {
    /// Visits the component and its parts, in order.
    pub(super) fn each(&self, visit: &mut impl FnMut(&Self)) {
        visit(self);
        // The reader bounds the nesting of JSON, and with it this recursion.
        self.parts.iter().for_each(|part| part.each(visit));
    }

    /// The character that stands for a space, if this is a Metaspace.
    pub(super) fn metaspace(&self) -> Cow<'a, str> {
        self.replacement
            .clone()
            .filter(|text| !text.is_empty())
            .unwrap_or("\u{2581}".into())
    }
}

impl<'de> Fields<'de> for Component<'de> {
    const WHAT: &'static str = "a normalizer, pre-tokenizer or decoder";

    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "type" => self.kind = map.next_value::<Text<'de>>()?.0,
            "pattern" => self.pattern = map.next_value()?,
            "content" => self.content = map.next_value::<Text<'de>>()?.0,
            "replacement" => self.replacement = optional_text(map)?,
            "normalizers" | "pretokenizers" | "decoders" => self.parts = map.next_value()?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// What a `Replace` looks for, if it is a string.
#[derive(Default)]
pub(super) struct Pattern<'a> {
    pub(super) string: Option<Cow<'a, str>>,
}

impl<'de> Fields<'de> for Pattern<'de> {
    const WHAT: &'static str = "a pattern";

    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "String" => self.string = Some(map.next_value::<Text<'de>>()?.0),
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// A `tokenizer_config.json`, or a `generation_config.json`.
#[derive(Default)]
pub(super) struct Config<'a> {
    pub(super) added_tokens: Vec<Added<'a>>,
    pub(super) eos_token: Names<'a>,
    pub(super) eos_token_id: Ids,
    /// Other tokens that the file calls special.
    pub(super) special: Vec<Cow<'a, str>>,
}

impl<'de> Fields<'de> for Config<'de> {
    const WHAT: &'static str = "a tokenizer's configuration";

    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "added_tokens_decoder" => {
                self.added_tokens = map.next_value::<Option<ById<'de>>>()?.unwrap_or_default().0;
            }
            "eos_token" => self.eos_token = map.next_value()?,
            "eos_token_id" => self.eos_token_id = map.next_value()?,
            "bos_token"
            | "unk_token"
            | "pad_token"
            | "sep_token"
            | "cls_token"
            | "mask_token"
            | "additional_special_tokens" => {
                self.special.extend(map.next_value::<Names<'de>>()?.0);
            }
            "extra_special_tokens" => {
                self.special.extend(map.next_value::<NamesByRole<'de>>()?.0);
            }
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// `extra_special_tokens`: tokens by their roles, or a list of them.
#[derive(Default)]
struct NamesByRole<'a>(Vec<Cow<'a, str>>);

impl<'de> Deserialize<'de> for NamesByRole<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByRoleVisitor;
        impl<'de> Visitor<'de> for ByRoleVisitor {
            type Value = NamesByRole<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("tokens by their roles, or a list of them")
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(NamesByRole::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut names = Vec::new();
                while let Some((_, Names(some))) = map.next_entry::<IgnoredAny, Names<'de>>()? {
                    names.extend(some);
                }
                Ok(NamesByRole(names))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut names = Vec::new();
                while let Some(Names(some)) = list.next_element()? {
                    names.extend(some);
                }
                Ok(NamesByRole(names))
            }
        }
        deserializer.deserialize_any(ByRoleVisitor)
    }
}

/// `added_tokens_decoder`: added tokens under their ids.
#[derive(Default)]
struct ById<'a>(Vec<Added<'a>>);

impl<'de> Deserialize<'de> for ById<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByIdVisitor;
        impl<'de> Visitor<'de> for ByIdVisitor {
            type Value = ById<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of added tokens under their ids")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut tokens = Vec::new();
                while let Some(Text(key)) = map.next_key()? {
                    let id = key.parse().map_err(|_| {
                        A::Error::custom(format_args!("expected a token id as a key, not {key:?}"))
                    })?;
                    tokens.push(Added {
                        id: Some(id),
                        ..map.next_value()?
                    });
                }
                Ok(ById(tokens))
            }
        }
        deserializer.deserialize_map(ByIdVisitor)
    }
}

/// Names of tokens: none, a string, an object with the name as its `content`, or a list of these.
#[derive(Default)]
pub(super) struct Names<'a>(pub(super) Vec<Cow<'a, str>>);

/// A token described by an object.
#[derive(Default)]
struct Described<'a> {
    content: Option<Cow<'a, str>>,
}

impl<'de> Fields<'de> for Described<'de> {
    const WHAT: &'static str = "a token's name or description";

    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "content" => self.content = Some(map.next_value::<Text<'de>>()?.0),
            _ => skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Names<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NamesVisitor;
        impl<'de> Visitor<'de> for NamesVisitor {
            type Value = Names<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a token's name, its description, or a list of these")
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(Names::default())
            }

            fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Names(vec![name.into()]))
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Names(vec![name.to_owned().into()]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let described = FieldsVisitor::<Described<'de>>(PhantomData).visit_map(map)?;
                let content = described
                    .content
                    .ok_or_else(|| A::Error::missing_field("content"))?;
                Ok(Names(vec![content]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut names = Vec::new();
                while let Some(Names(some)) = list.next_element()? {
                    names.extend(some);
                }
                Ok(Names(names))
            }
        }
        deserializer.deserialize_any(NamesVisitor)
    }
}

/// Token ids: none, one, or a list.
#[derive(Default)]
pub(super) struct Ids(pub(super) Vec<u32>);

impl<'de> Deserialize<'de> for Ids {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdsVisitor;
        impl<'de> Visitor<'de> for IdsVisitor {
            type Value = Ids;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a token id, or a list of these")
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(Ids::default())
            }

            fn visit_u64<E: Error>(self, id: u64) -> Result<Self::Value, E> {
                Ok(Ids(vec![u32::try_from(id).map_err(E::custom)?]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut ids = Vec::new();
                while let Some(id) = list.next_element()? {
                    ids.push(id);
                }
                Ok(Ids(ids))
            }
        }
        deserializer.deserialize_any(IdsVisitor)
    }
}
