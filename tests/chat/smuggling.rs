//! No text smuggles a control sequence in, whether control tokens are single tokens or spelt out: an
//! adversary samples turns, leaning towards pieces of control tokens, and the parser reads them.

use maskwright::base::{Part, TokenId};
use maskwright::front::chat::{BuiltIn, ChatOptions, Feature, ParallelCalls, compile};
use maskwright::session::{Constraint, ConstraintConfig, Engine, Session};
use maskwright::vocab::{Vocabulary, VocabularyBuilder};
use maskwright_transcript::{
    CallLimit, ControlSet, ControlToken, Format as ParserFormat, ParserConfig, Piece, parse_pieces,
};

use super::random::Random;
use super::{SPECIFIED, TOOLS, archive, format, tools};

/// How long a turn grows before it is led to its end, in tokens.
const LONG: usize = 60;
/// How much longer it may take to end.
const LONGEST: usize = 200;

/// A vocabulary of single bytes and of all that control tokens can be cut into, also with other
/// bytes around; with the control tokens of `specials` as such.
fn pieces_of_controls(specials: &[String]) -> Vocabulary {
    let mut words: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
    for name in SPECIFIED
        .iter()
        .flat_map(|name| format(name).controls().to_vec())
    {
        for cut in 0..name.len() {
            let (left, right) = name.split_at(cut);
            words.extend([left, right].map(|part| part.as_bytes().to_vec()));
            words.push([b"x", left.as_bytes()].concat());
            words.push([right.as_bytes(), b"y"].concat());
            words.push([b"<", left.as_bytes()].concat());
        }
    }
    words.extend([
        b"the ".to_vec(),
        b" word".to_vec(),
        b"\": \"".to_vec(),
        b"\"}".to_vec(),
    ]);
    words.retain(|word| !word.is_empty());
    words.sort();
    words.dedup();
    let mut builder = VocabularyBuilder::new();
    for (id, word) in words.iter().enumerate() {
        builder.ordinary(TokenId::from_usize(id), word).unwrap();
    }
    for (id, name) in (words.len()..).zip(specials) {
        builder.special(TokenId::from_usize(id), name).unwrap();
    }
    let end = TokenId::from_usize(words.len() + specials.len());
    builder.special(end, "<the end>").unwrap();
    builder.end_token(end);
    builder.build().unwrap()
}

/// Someone who wants to smuggle.
struct Adversary<'v> {
    vocabulary: &'v Vocabulary,
    /// Tokens that control tokens may be pieced together of, and such as close JSON.
    pieces: Vec<TokenId>,
    /// The control tokens that are spelt, byte by byte.
    scripts: Vec<Vec<TokenId>>,
    draw: Random,
}

impl<'v> Adversary<'v> {
    fn new(constraint: &Constraint, vocabulary: &'v Vocabulary, controls: &[String]) -> Self {
        let byte = |byte: &u8| {
            let node = vocabulary.trie().find(&[*byte]).unwrap();
            vocabulary.trie().tokens(node)[0]
        };
        let is_piece = |bytes: &[u8]| {
            let text = std::str::from_utf8(bytes).unwrap_or("\u{0}");
            [b'<', b'>', b'|'].iter().any(|byte| bytes.contains(byte))
                || bytes.iter().all(|byte| b"\"}]".contains(byte))
                || controls.iter().any(|name| name.contains(text))
        };
        let ids = (0..vocabulary.len()).map(TokenId::from_usize);
        Self {
            vocabulary,
            pieces: ids
                .filter(|&id| vocabulary.bytes(id).is_some_and(is_piece))
                .collect(),
            scripts: constraint
                .spelt_controls()
                .map(|name| name.as_bytes().iter().map(byte).collect())
                .collect(),
            draw: Random(7),
        }
    }

    /// A turn; perhaps one that was cut off.
    fn turn(&mut self, constraint: &Constraint) -> Vec<TokenId> {
        let mut session = constraint.session();
        let mut row = vec![0; self.vocabulary.mask_words()];
        while !session.is_finished() && session.len() < LONGEST {
            session.mask(&mut row).unwrap();
            let tokens = self.next(&session, &row);
            for token in tokens {
                session.accept(token).unwrap();
            }
        }
        let mut tokens = session.tokens();
        if session.has_ended() {
            tokens.pop();
        }
        tokens
    }

    fn next(&mut self, session: &Session, row: &[u32]) -> Vec<TokenId> {
        let allowed = |token: &TokenId| row[token.index() / 32] >> (token.index() % 32) & 1 == 1;
        let choose = |draw: &mut Random, from: Vec<TokenId>| {
            (!from.is_empty()).then(|| vec![from[draw.below(from.len())]])
        };
        if session.len() >= LONG || self.draw.below(24) == 0 {
            let specials = self.vocabulary.specials().map(|(_, id)| id);
            let fitting =
                |script: &&Vec<TokenId>| session.validate(script).unwrap() == script.len();
            let scripts: Vec<_> = self.scripts.iter().filter(fitting).cloned().collect();
            if !scripts.is_empty() {
                return scripts[self.draw.below(scripts.len())].clone();
            }
            if let Some(end) = choose(&mut self.draw, specials.filter(|id| allowed(id)).collect()) {
                return end;
            }
        }
        let pieces: Vec<_> = self
            .pieces
            .iter()
            .copied()
            .filter(|id| allowed(id))
            .collect();
        if self.draw.below(4) > 0
            && let Some(piece) = choose(&mut self.draw, pieces)
        {
            return piece;
        }
        let all = (0..self.vocabulary.len()).map(TokenId::from_usize);
        choose(&mut self.draw, all.filter(|id| allowed(id)).collect()).unwrap()
    }
}

/// Samples so many turns of each format; how many of them came to their end.
fn check(vocabulary: &Vocabulary, turns: usize) -> usize {
    let engine = Engine::new(vocabulary.clone());
    let mut finished = 0;
    for name in SPECIFIED {
        let format = format(name);
        let mut options = ChatOptions::default();
        options.tools = tools(TOOLS);
        if format.has(Feature::Python) {
            options.built_ins.python = BuiltIn::Offered;
        }
        options.parallel_calls = ParallelCalls::Allowed;
        let grammar = compile(&format, "assistant-turn", &options).unwrap();
        let constraint = engine
            .constraint(grammar, &ConstraintConfig::default())
            .unwrap();
        let mut config = ParserConfig::assistant_turn(ParserFormat::from_name(name).unwrap());
        let names = options.tools.names().chain(["python"]);
        config.tools = Some(names.collect());
        config.calls = CallLimit::Many;
        let known = |token: &ControlToken| vocabulary.special(token.spelling()).is_some();
        let controls: ControlSet = ControlToken::ALL.into_iter().filter(known).collect();
        let mut adversary = Adversary::new(&constraint, vocabulary, format.controls());
        for _ in 0..turns {
            let turn = adversary.turn(&constraint);
            let pieces = turn.iter().map(|&id| match vocabulary.part(id).unwrap() {
                Part::Text(bytes) => Piece::Text(bytes),
                Part::Special(name) => Piece::special(name),
            });
            match parse_pieces(pieces, controls, &config) {
                Ok(_) => finished += 1,
                Err(error) if error.is_truncated() => {}
                Err(error) => {
                    let bytes = turn
                        .iter()
                        .flat_map(|&id| match vocabulary.part(id).unwrap() {
                            Part::Text(bytes) => bytes,
                            Part::Special(name) => name.as_bytes(),
                        });
                    let text: Vec<u8> = bytes.copied().collect();
                    panic!("{name}: {error}: {:?}", String::from_utf8_lossy(&text));
                }
            }
        }
    }
    finished
}

#[test]
fn nothing_is_smuggled_in_pieces() {
    let all: Vec<String> = SPECIFIED
        .iter()
        .flat_map(|name| format(name).controls().to_vec())
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    let some: Vec<String> = all.iter().step_by(2).cloned().collect();
    for specials in [&all, &some, &Vec::new()] {
        let finished = check(&pieces_of_controls(specials), 40);
        assert!(finished >= 60, "{finished} turns came to an end");
    }
}

#[test]
fn nothing_is_smuggled_over_real_vocabularies() {
    let names = [
        "o200k_base.tiktoken",
        "internlm2.tokenizer.json",
        "internlm2.tokenizer_config.json",
        "qwen2_5.tokenizer.json",
    ];
    let Some(files) = archive::files(&names) else {
        return;
    };
    let qwen = br#"{"eos_token": "<|im_end|>"}"#;
    for vocabulary in [
        Vocabulary::o200k_harmony(&files[0]).unwrap(),
        Vocabulary::from_tokenizer_json(&files[1], Some(&files[2])).unwrap(),
        Vocabulary::from_tokenizer_json(&files[3], Some(qwen)).unwrap(),
    ] {
        let finished = check(&vocabulary, 4);
        assert!(finished >= 6, "{finished} turns came to an end");
    }
}
