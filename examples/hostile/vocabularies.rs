//! Hostile vocabularies: tokenizers, rank files, GGUF.

use crate::inputs::{Content, Inputs};
use crate::schemas::list;

fn tokenizer(decoder: &str) -> String {
    let vocab = list(256, |at| {
        format!(
            "\"{}\":{at}",
            if at == 0 {
                "x".into()
            } else {
                format!("x{at}")
            }
        )
    });
    format!(
        r#"{{"version":"1.0","added_tokens":[],"decoder":{decoder},"model":{{"type":"BPE","vocab":{{{vocab}}},"merges":[]}}}}"#
    )
}

/// A GGUF file of these metadata, all of whose lengths have no byte above 127.
fn gguf(count: usize, metadata: &str) -> String {
    format!(
        "GGUF{}{}{}{metadata}",
        number(3, 4),
        number(0, 8),
        number(count, 8)
    )
}

/// `value` in so many bytes, little-endian.
fn number(value: usize, bytes: usize) -> String {
    (0..bytes)
        .map(|at| char::from((value >> (8 * at)) as u8 & 127))
        .collect()
}

fn text(text: &str) -> String {
    format!("{}{text}", number(text.len(), 8))
}

/// Vocabularies that are large, and tokenizers whose decoders grow.
pub(crate) fn tokenizers(inputs: &mut Inputs) {
    inputs.class("tokenizers");
    inputs.sizes(
        "decoder-nested",
        &[100, 200, 100_000, 1_000_000],
        Content::Tokenizer,
        |n| {
            tokenizer(&format!(
                r#"{}{{"type":"ByteLevel"}}{}"#,
                r#"{"type":"Sequence","decoders":["#.repeat(n),
                "]}".repeat(n)
            ))
        },
    );
    inputs.sizes(
        "decoder-replace",
        &[5, 20, 60, 1_000],
        Content::Tokenizer,
        |n| {
            let step = r#"{"type":"Replace","pattern":{"String":"x"},"content":"xx"}"#;
            tokenizer(&format!(
                r#"{{"type":"Sequence","decoders":[{}]}}"#,
                list(n, |_| step.into())
            ))
        },
    );
    inputs.sizes("decoder-empty", &[20, 60], Content::Tokenizer, |n| {
        let step = r#"{"type":"Replace","pattern":{"String":""},"content":"xx"}"#;
        tokenizer(&format!(
            r#"{{"type":"Sequence","decoders":[{}]}}"#,
            list(n, |_| step.into())
        ))
    });
    inputs.sizes("decoder-long", &[100_000, 10_000_000], Content::Tokenizer, |n| {
        tokenizer(&format!(r#"{{"type":"Sequence","decoders":[{{"type":"Replace","pattern":{{"String":"x"}},"content":"{}"}}]}}"#, "y".repeat(n)))
    });
    inputs.sizes("decoder-steps", &[100_000], Content::Tokenizer, |n| {
        let step = r#"{"type":"Replace","pattern":{"String":"q"},"content":"z"}"#;
        tokenizer(&format!(
            r#"{{"type":"Sequence","decoders":[{}]}}"#,
            list(n, |_| step.into())
        ))
    });
    inputs.sizes("token-id", &[1_000_000, 4_294_967_295], Content::Tokenizer, |n| {
        format!(r#"{{"added_tokens":[],"decoder":{{"type":"ByteLevel"}},"model":{{"type":"BPE","vocab":{{"a":{n}}},"merges":[]}}}}"#)
    });
    inputs.sizes("token-long", &[1_000_000, 10_000_000], Content::Tokenizer, |n| {
        format!(r#"{{"added_tokens":[],"decoder":{{"type":"ByteLevel"}},"model":{{"type":"BPE","vocab":{{"{}":0}},"merges":[]}}}}"#, "a".repeat(n))
    });
    inputs.sizes("added", &[100_000], Content::Tokenizer, |n| {
        let added = list(n, |at| format!(r#"{{"id":{at},"content":"<|s{at}|>","special":true}}"#));
        format!(r#"{{"added_tokens":[{added}],"decoder":{{"type":"ByteLevel"}},"model":{{"type":"BPE","vocab":{{"a":{n}}},"merges":[]}}}}"#)
    });
    inputs.sizes("ranks", &[1_000, 300_000], Content::Ranks, |n| {
        (0..n).map(|at| format!("{at:08} {at}\n")).collect()
    });
    inputs.sizes(
        "ranks-far",
        &[16_000_000, 4_000_000_000],
        Content::Ranks,
        |n| format!("eHg= {n}\n"),
    );
    inputs.sizes(
        "ranks-long",
        &[1_000_000, 16_000_000],
        Content::Ranks,
        |n| format!("{} 0\n", "eHh4".repeat(n / 4)),
    );
    inputs.sizes("ranks-equal", &[100_000], Content::Ranks, |n| {
        (0..n).map(|at| format!("eHg= {at}\n")).collect()
    });
    inputs.sizes("ranks-nested", &[1_000, 5_000], Content::Ranks, |n| {
        (0..n)
            .map(|at| format!("{} {at}\n", "eHh4".repeat(at + 1)))
            .collect()
    });
    // A number whose bytes are below 128.
    inputs.sizes("gguf-roles", &[1_000, 0x03_0d40], Content::Gguf, |n| {
        let n = n & 0x7f7f7f;
        let tokens: String = (0..n).map(|at| text(&format!("t{at}"))).collect();
        let role = format!(
            "{}{}{}",
            text("tokenizer.ggml.eos_token_id"),
            number(4, 4),
            number(1, 4)
        );
        let model = format!(
            "{}{}{}",
            text("tokenizer.ggml.model"),
            number(8, 4),
            text("llama")
        );
        let all = format!(
            "{}{}{}{}{tokens}",
            text("tokenizer.ggml.tokens"),
            number(9, 4),
            number(8, 4),
            number(n, 8)
        );
        let count = n & 0x7f7f7f;
        gguf(count + 2, &format!("{model}{all}{}", role.repeat(count)))
    });
    inputs.sizes("gguf-counts", &[0x7f_ffff], Content::Gguf, |_| {
        let all = format!(
            "{}{}{}{}",
            text("tokenizer.ggml.tokens"),
            number(9, 4),
            number(8, 4),
            number(usize::MAX >> 1, 8)
        );
        gguf(1, &all)
    });
    inputs.sizes("gguf-nested", &[1_000, 100_000], Content::Gguf, |n| {
        let array = format!("{}{}", number(9, 4), number(1, 8));
        gguf(
            1,
            &format!("{}{}{}", text("x"), number(9, 4), array.repeat(n)),
        )
    });
}
