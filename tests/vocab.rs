//! Vocabularies: the loaders on small files worked out by hand, and on real ones where they are.

#![allow(clippy::unwrap_used)]

#[path = "support/archive.rs"]
mod archive;

use std::collections::BTreeMap;
use std::fmt::Write;

use maskwright::base::TokenId;
use maskwright::vocab::{
    FileKind, NodeId, TokenKind, VocabErrorKind, Vocabulary, VocabularyBuilder,
};

fn ids(ids: impl IntoIterator<Item = u32>) -> Vec<TokenId> {
    ids.into_iter().map(TokenId::new).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// The ordinary tokens, bytes in hexadecimal.
fn ordinary(vocabulary: &Vocabulary) -> BTreeMap<usize, String> {
    let all = (0..vocabulary.len()).map(|id| (id, TokenId::from_usize(id)));
    all.filter_map(|(id, token)| Some((id, hex(vocabulary.bytes(token)?))))
        .collect()
}

fn load(case: &toml::Table) -> Result<Vocabulary, maskwright::vocab::VocabError> {
    let text = |key: &str| case.get(key).map(|text| text.as_str().unwrap().as_bytes());
    if let Some(tekken) = text("tekken") {
        assert_eq!(FileKind::of(tekken), FileKind::Tekken);
        return Vocabulary::from_tekken(tekken);
    }
    if let Some(pieces) = case.get("pieces") {
        let pieces: Vec<(&str, i64)> = pieces
            .as_array()
            .unwrap()
            .iter()
            .map(|piece| (piece[0].as_str().unwrap(), piece[1].as_integer().unwrap()))
            .collect();
        return match case["container"].as_str().unwrap() {
            "sentence-piece" => {
                let file = sentence_piece(&pieces);
                assert_eq!(FileKind::of(&file), FileKind::SentencePiece);
                Vocabulary::from_sentence_piece(&file)
            }
            family => {
                let file = gguf(family, &pieces);
                assert_eq!(FileKind::of(&file), FileKind::Gguf);
                Vocabulary::from_gguf(&file)
            }
        };
    }
    match text("ranks") {
        Some(ranks) => {
            assert_eq!(FileKind::of(ranks), FileKind::Ranks);
            Vocabulary::from_tiktoken(ranks, &[], &[])
        }
        None => Vocabulary::from_tokenizer_json(text("tokenizer").unwrap(), text("config")),
    }
}

/// A GGUF file of version 3 with these pieces and their types, where token 2 ends a generation.
fn gguf(family: &str, pieces: &[(&str, i64)]) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let key = |name: &str, kind: u32| [text(name), kind.to_le_bytes().to_vec()].concat();
    let array = |kind: u32| {
        let count = pieces.len() as u64;
        [&kind.to_le_bytes()[..], &count.to_le_bytes()].concat()
    };
    let mut file = b"GGUF".to_vec();
    file.extend(3u32.to_le_bytes());
    file.extend([0u64, 6].iter().flat_map(|count| count.to_le_bytes()));
    file.extend([key("general.scale", 6), 1.5f32.to_le_bytes().to_vec()].concat());
    file.extend([key("general.flags", 9), 7u32.to_le_bytes().to_vec()].concat());
    file.extend([&2u64.to_le_bytes()[..], &[0, 1]].concat());
    file.extend([key("tokenizer.ggml.model", 8), text(family)].concat());
    file.extend([key("tokenizer.ggml.tokens", 9), array(8)].concat());
    pieces
        .iter()
        .for_each(|(piece, _)| file.extend(text(piece)));
    file.extend([key("tokenizer.ggml.token_type", 9), array(5)].concat());
    let kinds = pieces
        .iter()
        .flat_map(|(_, kind)| (*kind as i32).to_le_bytes());
    file.extend(kinds);
    file.extend(
        [
            key("tokenizer.ggml.eos_token_id", 4),
            2u32.to_le_bytes().to_vec(),
        ]
        .concat(),
    );
    file
}

/// A SentencePiece model with these pieces and their types.
fn sentence_piece(pieces: &[(&str, i64)]) -> Vec<u8> {
    let mut model = Vec::new();
    for (piece, kind) in pieces {
        let mut message = vec![0x0A, piece.len() as u8];
        message.extend(piece.as_bytes());
        message.extend([0x15, 0, 0, 0, 0]);
        // The type is left out where it is the usual one.
        if *kind != 1 {
            message.extend([0x18, *kind as u8]);
        }
        model.extend([0x0A, message.len() as u8]);
        model.extend(message);
    }
    // The trainer's: the end is token 2.
    model.extend([0x12, 3, 0xD0, 0x02, 2]);
    model
}

#[test]
fn files_that_are_cut_off_are_refused() {
    let pieces = [("<unk>", 2), ("<s>", 3), ("</s>", 3), ("a", 1)];
    let file = gguf("llama", &pieces);
    assert!(Vocabulary::from_gguf(&file).is_ok());
    for end in 0..file.len() - 1 {
        assert!(Vocabulary::from_gguf(&file[..end]).is_err(), "{end}");
    }
    // The number of its metadata, which would end it late.
    let mut endless = file.clone();
    endless[16..24].copy_from_slice(&(1u64 << 60).to_le_bytes());
    let error = Vocabulary::from_gguf(&endless).unwrap_err().to_string();
    assert!(error.contains("1152921504606846976"), "{error}");
    let model = sentence_piece(&pieces);
    assert!(Vocabulary::from_sentence_piece(&model).is_ok());
    assert!(Vocabulary::from_sentence_piece(&model[..model.len() - 1]).is_err());
    assert!(Vocabulary::from_sentence_piece(b"not a model").is_err());
}

/// Real files, where they are: one vocabulary in two containers is one.
#[test]
fn real_gguf_vocabularies_are_read() {
    let names = [
        "ggml-vocab-qwen2.gguf",
        "qwen2_5.tokenizer.json",
        "ggml-vocab-llama-spm.gguf",
        "ggml-vocab-gpt-2.gguf",
    ];
    let Some(files) = archive::files(&names) else {
        return;
    };
    let qwen = Vocabulary::from_gguf(&files[0]).unwrap();
    let json = Vocabulary::from_tokenizer_json(&files[1], None).unwrap();
    let ranks = 151_643;
    for id in (0..ranks).map(TokenId::from_usize) {
        assert_eq!(qwen.bytes(id), json.bytes(id), "{id:?}");
    }
    for (file, tokens, space, end) in [
        (2, 32_000, 29_871, "</s>"),
        (3, 50_257, 220, "<|endoftext|>"),
    ] {
        let (name, vocabulary) = (names[file], Vocabulary::from_gguf(&files[file]).unwrap());
        assert_eq!(vocabulary.len(), tokens, "{name}");
        assert_eq!(
            vocabulary.bytes(TokenId::new(space)),
            Some(&b" "[..]),
            "{name}"
        );
        let ends: Vec<_> = vocabulary.end_tokens().to_vec();
        assert_eq!(
            vocabulary.special(end).map(|id| vec![id]),
            Some(ends),
            "{name}"
        );
    }
}

fn check(case: &toml::Table) {
    let name = case["name"].as_str().unwrap();
    let loaded = load(case);
    if let Some(error) = case.get("error") {
        let message = loaded.expect_err(name).to_string();
        assert!(
            message.contains(error.as_str().unwrap()),
            "{name}: {message}"
        );
        return;
    }
    let vocabulary = loaded.unwrap_or_else(|error| panic!("{name}: {error}"));
    let table = |key: &str| case.get(key).and_then(|table| table.as_table()).cloned();
    let tokens = table("tokens").unwrap();
    let tokens = tokens
        .iter()
        .map(|(id, hex)| (id.parse().unwrap(), hex.as_str().unwrap().into()));
    assert_eq!(ordinary(&vocabulary), tokens.collect(), "{name}");
    let specials = table("specials").unwrap_or_default();
    let found: toml::Table = vocabulary
        .specials()
        .map(|(name, id)| (name.into(), i64::from(id.get()).into()))
        .collect();
    assert_eq!(found, specials, "{name}");
    let ends = case
        .get("ends")
        .map_or(vec![], |ends| ends.as_array().unwrap().clone());
    let ends = ends.iter().map(|id| id.as_integer().unwrap() as u32);
    assert_eq!(vocabulary.end_tokens(), ids(ends), "{name}");
    assert_eq!(
        vocabulary.len() as i64,
        case["logits"].as_integer().unwrap(),
        "{name}"
    );
}

#[test]
fn files_say_what_they_say() {
    let cases: toml::Table = include_str!("data/vocab.toml").parse().unwrap();
    for case in cases["case"].as_array().unwrap() {
        check(case.as_table().unwrap());
    }
}

#[test]
fn a_vocabulary_by_hand() {
    let mut builder = VocabularyBuilder::new();
    builder
        .ordinary(TokenId::new(0), b"ab")
        .unwrap()
        .ordinary(TokenId::new(1), b"")
        .unwrap();
    builder
        .ordinary(TokenId::new(5), b"ab")
        .unwrap()
        .ordinary(TokenId::new(2), b"\xff")
        .unwrap();
    builder
        .special(TokenId::new(4), "<e>")
        .unwrap()
        .special(TokenId::new(3), "ab")
        .unwrap();
    for id in [4, 3, 4] {
        builder.end_token(TokenId::new(id));
    }
    let vocabulary = builder.build().unwrap();
    assert_eq!((vocabulary.len(), vocabulary.mask_words()), (6, 1));
    assert_eq!(vocabulary.end_tokens(), ids([3, 4]));
    let kinds = (0..8).map(|id| vocabulary.kind(TokenId::new(id)));
    use TokenKind::{Hole, Ordinary, Special};
    let expected = [
        Ordinary, Hole, Ordinary, Special, Special, Ordinary, Hole, Hole,
    ];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
    assert_eq!(vocabulary.kind(TokenId::new(u32::MAX)), Hole);
    assert_eq!(vocabulary.bytes(TokenId::new(3)), None);
    assert_eq!(vocabulary.special_name(TokenId::new(3)), Some("ab"));
    assert_eq!(vocabulary.special_name(TokenId::new(0)), None);
    assert_eq!(vocabulary.special("<e>"), Some(TokenId::new(4)));
    assert_eq!(vocabulary.special("<f>"), None);
    let specials: Vec<_> = vocabulary.specials().collect();
    assert_eq!(
        specials,
        [("ab", TokenId::new(3)), ("<e>", TokenId::new(4))]
    );
    assert_eq!(
        vocabulary.single_byte_tokens().iter().collect::<Vec<_>>(),
        [0xff]
    );
    assert_eq!(vocabulary.longest_token(), 2);
    let ab = vocabulary.trie().find(b"ab").unwrap();
    assert_eq!(vocabulary.trie().tokens(ab), ids([0, 5]));
    assert_eq!(
        vocabulary.trie().subtree_tokens(NodeId::ROOT),
        ids([0, 5, 2])
    );
}

#[test]
fn more_logits_than_tokens_never_fewer() {
    let vocabulary = Vocabulary::from_tiktoken(b"YQ== 40", &[("e", TokenId::new(7))], &[]).unwrap();
    assert_eq!((vocabulary.len(), vocabulary.mask_words()), (41, 2));
    let wider = vocabulary.clone().with_logits(97).unwrap();
    assert_eq!((wider.len(), wider.mask_words()), (97, 4));
    assert_eq!(wider.kind(TokenId::new(96)), TokenKind::Hole);
    let error = vocabulary.clone().with_logits(40).unwrap_err();
    assert_eq!(
        error.kind(),
        &VocabErrorKind::TooFewLogits {
            logits: 40,
            needed: 41
        }
    );
    let error = vocabulary.clone().with_logits(1 << 22).unwrap_err();
    assert!(matches!(error.kind(), VocabErrorKind::Limit(limit) if limit.given == 1 << 22));
    let mut builder = VocabularyBuilder::new();
    builder.logits(40).ordinary(TokenId::new(40), b"a").unwrap();
    assert!(builder.build().is_err());
}

#[test]
fn end_tokens_are_special() {
    let specials = [("e", TokenId::new(7)), ("f", TokenId::new(3))];
    let vocabulary = Vocabulary::from_tiktoken(b"YQ== 0", &specials, &ids([7])).unwrap();
    let more = vocabulary.clone().with_end_tokens(&ids([3, 7])).unwrap();
    assert_eq!(more.end_tokens(), ids([3, 7]));
    for (id, kind) in [
        (0, TokenKind::Ordinary),
        (1, TokenKind::Hole),
        (99, TokenKind::Hole),
    ] {
        let error = vocabulary.clone().with_end_tokens(&ids([id])).unwrap_err();
        assert_eq!(
            error.kind(),
            &VocabErrorKind::EndToken {
                id: TokenId::new(id),
                kind
            }
        );
    }
}

#[test]
fn what_a_builder_refuses_it_has_not_done() {
    let mut builder = VocabularyBuilder::new();
    builder
        .ordinary(TokenId::new(0), b"a")
        .unwrap()
        .special(TokenId::new(1), "e")
        .unwrap();
    let limit = 1 << 22;
    for id in [0, 1, limit, u32::MAX] {
        assert!(builder.ordinary(TokenId::new(id), b"x").is_err());
        assert!(builder.special(TokenId::new(id), "x").is_err());
    }
    assert!(
        builder
            .ordinary(TokenId::new(9), &[0; (1 << 16) + 1])
            .is_err()
    );
    assert!(builder.special(TokenId::new(9), "").is_err());
    assert!(builder.special(TokenId::new(9), "e").is_err());
    let vocabulary = builder.build().unwrap();
    assert_eq!(vocabulary.len(), 2);
    assert_eq!(ordinary(&vocabulary), [(0, "61".to_owned())].into());
    assert_eq!(
        vocabulary.specials().collect::<Vec<_>>(),
        [("e", TokenId::new(1))]
    );
}

#[test]
fn the_text_of_all_tokens_is_bounded() {
    let mut builder = VocabularyBuilder::new();
    let fit = (0..20_000).take_while(|&id| builder.ordinary(TokenId::new(id), &[0; 1000]).is_ok());
    assert_eq!(fit.count(), 16_777);
    assert_eq!(builder.build().unwrap().trie().node_count(), 1001);
}

#[test]
fn garbage_is_refused() {
    let good = br#"{"model": {"vocab": {"a": 0, "b": 1}}, "decoder": {"type": "ByteLevel"}}"#;
    assert!(Vocabulary::from_tokenizer_json(good, None).is_ok());
    for cut in 0..good.len() {
        assert!(
            Vocabulary::from_tokenizer_json(&good[..cut], None).is_err(),
            "{cut}"
        );
        // A byte replaced may or may not make another good file; it never makes a panic.
        for byte in [b'{', b'"', b'9', 0xff] {
            let mut bad = good.to_vec();
            bad[cut] = byte;
            let _ = Vocabulary::from_tokenizer_json(&bad, Some(&bad));
            let _ = Vocabulary::from_tiktoken(&bad, &[], &[]);
        }
    }
    let deep = [&br#"{"decoder":"#[..], &br#"{"decoders":["#.repeat(100_000)].concat();
    assert!(Vocabulary::from_tokenizer_json(&deep, None).is_err());
}

#[test]
fn replacements_that_grow_are_bounded() {
    let step =
        |to: &str| format!(r#"{{"type":"Replace","pattern":{{"String":"x"}},"content":"{to}"}}"#);
    // Pieces grow step by step, and the last makes them small again.
    let refused = |pieces: usize, steps: usize| {
        let pieces: Vec<_> = (0..pieces).map(|id| format!(r#""x{id}":{id}"#)).collect();
        let file = format!(
            r#"{{"model": {{"vocab": {{{}}}}}, "decoder": {{"type": "Sequence", "decoders": [{}]}}}}"#,
            pieces.join(","),
            [vec![step("xx"); steps], vec![step("")]].concat().join(",")
        );
        let error = Vocabulary::from_tokenizer_json(file.as_bytes(), None).err();
        error.map(|error| error.to_string())
    };
    assert_eq!(refused(1_000, 5), None);
    for (pieces, steps, limit) in [
        (1, 60, "bytes of a token being decoded"),
        (1, 1_000, "steps of a decoder"),
        (300, 16, "bytes that replacements of a decoder read"),
    ] {
        let error = refused(pieces, steps).unwrap();
        assert!(error.contains(limit), "{error}");
    }
}

#[test]
fn harmony_has_its_specials() {
    // A stand-in for the ranks: what is checked here is what no rank file has.
    let vocabulary = Vocabulary::o200k_harmony(b"IQ== 0\n").unwrap();
    check_harmony(&vocabulary);
    assert_eq!(vocabulary.specials().count(), 201_088 - 199_998);
    assert!(Vocabulary::o200k_harmony(b"IQ== 199998\n").is_err());
}

fn check_harmony(vocabulary: &Vocabulary) {
    assert_eq!((vocabulary.len(), vocabulary.mask_words()), (201_088, 6284));
    for (name, id) in [
        ("<|startoftext|>", 199_998),
        ("<|endoftext|>", 199_999),
        ("<|reserved_200000|>", 200_000),
        ("<|return|>", 200_002),
        ("<|constrain|>", 200_003),
        ("<|channel|>", 200_005),
        ("<|start|>", 200_006),
        ("<|end|>", 200_007),
        ("<|message|>", 200_008),
        ("<|call|>", 200_012),
        ("<|endofprompt|>", 200_018),
        ("<|reserved_201087|>", 201_087),
    ] {
        assert_eq!(vocabulary.special(name), Some(TokenId::new(id)), "{name}");
        assert_eq!(vocabulary.special_name(TokenId::new(id)), Some(name));
    }
    assert_eq!(vocabulary.end_tokens(), ids([199_999, 200_002, 200_012]));
}

#[test]
fn real_o200k() {
    let Some(files) = archive::files(&["o200k_base.tiktoken"]) else {
        return;
    };
    let vocabulary = Vocabulary::o200k_harmony(&files[0]).unwrap();
    check_harmony(&vocabulary);
    assert_eq!(vocabulary.trie().node_count(), 421_661);
    assert_eq!(
        vocabulary.trie().subtree_tokens(NodeId::ROOT).len(),
        199_998
    );
    assert_eq!(vocabulary.single_byte_tokens().len(), 256);
    assert_eq!(
        vocabulary.bytes(TokenId::new(199_997)),
        Some(&b" cocos"[..])
    );
    // Every token is found again by its bytes.
    for id in 0..199_998 {
        let bytes = vocabulary.bytes(TokenId::new(id)).unwrap();
        let node = vocabulary.trie().find(bytes).unwrap();
        assert_eq!(vocabulary.trie().tokens(node), ids([id]));
    }
}

#[test]
fn real_qwen2_5() {
    let Some(files) = archive::files(&["qwen2_5.tokenizer.json"]) else {
        return;
    };
    let vocabulary = Vocabulary::from_tokenizer_json(&files[0], None).unwrap();
    assert_eq!(vocabulary.len(), 151_665);
    assert_eq!(vocabulary.single_byte_tokens().len(), 256);
    let end = vocabulary.special("<|im_end|>").unwrap();
    assert_eq!(end, TokenId::new(151_645));
    assert_eq!(vocabulary.end_tokens(), []);
    assert_eq!(
        vocabulary.bytes(TokenId::new(151_657)),
        Some(&b"<tool_call>"[..])
    );
    let vocabulary = vocabulary
        .with_end_tokens(&[end])
        .unwrap()
        .with_logits(151_936)
        .unwrap();
    assert_eq!(
        (vocabulary.end_tokens(), vocabulary.mask_words()),
        (&[end][..], 4748)
    );
    let config = br#"{"eos_token": "<|im_end|>", "additional_special_tokens": ["<|im_start|>"]}"#;
    let vocabulary = Vocabulary::from_tokenizer_json(&files[0], Some(config)).unwrap();
    assert_eq!(vocabulary.end_tokens(), [end]);
    let newline = vocabulary.trie().find(b" \n\n").unwrap();
    assert_eq!(vocabulary.trie().tokens(newline).len(), 1);
}

#[test]
fn real_internlm2() {
    let names = [
        "internlm2.tokenizer.json",
        "internlm2.tokenizer_config.json",
    ];
    let Some(files) = archive::files(&names) else {
        return;
    };
    let vocabulary = Vocabulary::from_tokenizer_json(&files[0], Some(&files[1])).unwrap();
    assert_eq!(vocabulary.len(), 92_544);
    let renamed = [
        "<|plugin|>",
        "<|interpreter|>",
        "<|action_end|>",
        "<|action_start|>",
        "<|im_end|>",
        "<|im_start|>",
    ];
    for (name, id) in renamed.into_iter().zip(92_538..) {
        assert_eq!(vocabulary.special(name), Some(TokenId::new(id)));
    }
    assert_eq!(vocabulary.trie().find(b"[UNUSED_TOKEN_141]"), None);
    let basic = ["<unk>", "<s>", "</s>"].map(|name| vocabulary.special(name).map(TokenId::get));
    assert_eq!(basic, [Some(0), Some(1), Some(2)]);
    assert_eq!(vocabulary.end_tokens(), ids([2]));
    // Bytes 0x00 to 0xff are the ids from 3 on; the printable ones have a piece as well.
    for byte in 0..=255u8 {
        assert_eq!(
            vocabulary.bytes(TokenId::new(u32::from(byte) + 3)),
            Some(&[byte][..])
        );
    }
    assert_eq!(vocabulary.single_byte_tokens().len(), 256);
    let letter = vocabulary.trie().find(b"b").unwrap();
    assert_eq!(
        vocabulary.trie().tokens(letter),
        ids([u32::from(b'b') + 3, 260])
    );
    let with_im_end = vocabulary.with_end_tokens(&ids([92_542])).unwrap();
    assert_eq!(with_im_end.end_tokens(), ids([2, 92_542]));
}

#[test]
#[ignore = "measures; run it in release mode with --nocapture"]
fn loading_time() {
    let Some(files) = archive::files(&["o200k_base.tiktoken", "qwen2_5.tokenizer.json"]) else {
        return;
    };
    let time = |what: &str, work: &dyn Fn()| {
        let start = std::time::Instant::now();
        work();
        println!("{what}: {:?}", start.elapsed());
    };
    for _ in 0..3 {
        time("o200k_harmony, rank file alone", &|| {
            VocabularyBuilder::o200k_harmony()
                .tiktoken(&files[0])
                .map(drop)
                .unwrap();
        });
        time("o200k_harmony, ready", &|| {
            drop(Vocabulary::o200k_harmony(&files[0]).unwrap())
        });
        time("Qwen2.5, ready", &|| {
            drop(Vocabulary::from_tokenizer_json(&files[1], None).unwrap());
        });
    }
}
