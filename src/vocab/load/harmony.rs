//! The special tokens of `o200k_harmony`, which stand in no rank file.

use crate::base::TokenId;
use crate::vocab::builder::VocabularyBuilder;
use crate::vocab::error::VocabError;
use crate::vocab::vocabulary::Vocabulary;

/// The special ids follow the ranks 0 to 199,997 and fill the model's logits.
const SPECIALS: std::ops::Range<u32> = 199_998..201_088;

const NAMED: [(u32, &str); 10] = [
    (199_998, "<|startoftext|>"),
    (ENDOFTEXT, "<|endoftext|>"),
    (RETURN, "<|return|>"),
    (200_003, "<|constrain|>"),
    (200_005, "<|channel|>"),
    (200_006, "<|start|>"),
    (200_007, "<|end|>"),
    (200_008, "<|message|>"),
    (CALL, "<|call|>"),
    (200_018, "<|endofprompt|>"),
];

const ENDOFTEXT: u32 = 199_999;
const RETURN: u32 = 200_002;
const CALL: u32 = 200_012;

impl Vocabulary {
    /// The vocabulary `o200k_harmony` of gpt-oss, from the rank file of `o200k_base`.
    ///
    /// It has 201,088 logits; `<|return|>`, `<|call|>` and `<|endoftext|>` are its end tokens, and
    /// special ids without a name of their own are `<|reserved_200000|>` and so on.
    ///
    /// # Errors
    ///
    /// As [`from_tiktoken`](Self::from_tiktoken).
    pub fn o200k_harmony(ranks: &[u8]) -> Result<Self, VocabError> {
        let mut builder = VocabularyBuilder::o200k_harmony();
        builder.tiktoken(ranks)?;
        builder.build()
    }
}

impl VocabularyBuilder {
    /// The special tokens, end tokens and logits of `o200k_harmony`; the ordinary tokens, those
    /// of `o200k_base`, are to be added.
    pub fn o200k_harmony() -> Self {
        let mut builder = Self::new();
        for id in SPECIALS {
            let named = NAMED.iter().find(|(named, _)| *named == id);
            let name =
                named.map_or_else(|| format!("<|reserved_{id}|>"), |(_, name)| (*name).into());
            builder
                .special(TokenId::new(id), &name)
                .expect("ids and names are distinct and few");
        }
        builder.logits(SPECIALS.end as usize);
        for id in [ENDOFTEXT, RETURN, CALL] {
            builder.end_token(TokenId::new(id));
        }
        builder
    }
}
