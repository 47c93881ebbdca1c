//! What the grammars think of whole transcripts: what the parser thinks, on the grammars' own
//! questions. Those are neither ids, nor YAML, nor schemas.

use std::collections::BTreeMap;

use super::random::Random;
use super::{Case, cases, parse_case, read};
use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{self, ChatOptions, SequenceTokens, compile};
use maskwright::session::{Constraint, ConstraintConfig, Engine};
use maskwright::vocab::VocabularyBuilder;
use maskwright_transcript::{
    ErrorCode, Format, RenderOptions, Transcript, TranscriptError, render,
};

/// How many mutants of each transcript.
const MUTANTS: usize = 40;

/// A start rule of a format, over single bytes and its control tokens.
pub(crate) struct Automaton {
    constraint: Constraint,
    controls: Vec<String>,
}

impl Automaton {
    pub(crate) fn new(format: &str, start: &str, sequence: [&str; 2]) -> Self {
        let format = chat::Format::built_in(format, &Limits::default())
            .unwrap()
            .unwrap();
        let mut options = ChatOptions::default();
        options.sequence_tokens = SequenceTokens {
            begin: sequence[0].to_owned(),
            end: sequence[1].to_owned(),
        };
        let grammar = compile(&format, start, &options).unwrap();
        let mut controls = format.controls().to_vec();
        if format.name() == "openchatml-0.1" {
            controls.extend(sequence.map(str::to_owned));
            controls.sort();
            controls.dedup();
        }
        let mut builder = VocabularyBuilder::new();
        for byte in 0..=255u8 {
            let id = TokenId::new(u32::from(byte));
            builder.ordinary(id, &[byte]).unwrap();
        }
        for (id, name) in (256..).zip(&controls) {
            builder.special(TokenId::new(id), name).unwrap();
        }
        let end = TokenId::from_usize(256 + controls.len());
        builder.special(end, "<the end>").unwrap();
        builder.end_token(end);
        let engine = Engine::new(builder.build().unwrap());
        let config = ConstraintConfig::default();
        Self {
            constraint: engine.constraint(grammar, &config).unwrap(),
            controls,
        }
    }

    /// The same, for texts in which control tokens are spelt.
    pub(crate) fn in_bytes(mut self) -> Self {
        self.controls.clear();
        self
    }

    /// Whether `text`, its control tokens as such, is complete; none where it is refused.
    fn reads(&self, text: &str) -> Option<bool> {
        let mut recogniser = self.constraint.recogniser();
        let mut rest = text;
        while !rest.is_empty() {
            let begins = |name: &&String| rest.starts_with(name.as_str());
            let taken = match self.controls.iter().find(begins) {
                Some(name) => recogniser.control(name).unwrap().then_some(name.len()),
                None => recogniser.byte(rest.as_bytes()[0]).unwrap().then_some(1),
            };
            rest = match (taken?, rest.is_char_boundary(1)) {
                (1, false) => {
                    let length = rest.chars().next().map_or(0, char::len_utf8);
                    for &byte in &rest.as_bytes()[1..length] {
                        if !recogniser.byte(byte).unwrap() {
                            return None;
                        }
                    }
                    &rest[length..]
                }
                (taken, _) => &rest[taken..],
            };
        }
        Some(recogniser.may_end())
    }

    /// What is wrong where the automaton does not think what the parser does.
    pub(crate) fn disagreement(
        &self,
        text: &str,
        parsed: &Result<Transcript, TranscriptError>,
    ) -> Option<String> {
        let reads = self.reads(text);
        let agrees = match parsed {
            Ok(_) => reads == Some(true),
            Err(error) if is_asked_elsewhere(error) => true,
            // Where the parser waits for the end of a header, the automaton may know already.
            Err(error) if error.is_truncated() => reads != Some(true),
            Err(_) => reads.is_none(),
        };
        let automaton = match reads {
            Some(true) => "good",
            Some(false) => "unfinished",
            None => "refused",
        };
        let parser = match parsed {
            Ok(_) => "good".to_owned(),
            Err(error) => error.to_string(),
        };
        (!agrees).then(|| format!("automaton: {automaton}; parser: {parser}\n{text}"))
    }
}

/// Ids, YAML, schemas, and what other messages ask for.
fn is_asked_elsewhere(error: &TranscriptError) -> bool {
    let by_code = matches!(
        error.code(),
        ErrorCode::ReplyUnmatched
            | ErrorCode::ToolUnknown
            | ErrorCode::ParseChannelMissing
            | ErrorCode::TurnChannel
    );
    let by_words = [
        "call_id",
        "no open call has the id",
        "version",
        "document header",
        "system message has asked",
        "without the thought",
        "are no object",
    ];
    by_code || by_words.iter().any(|words| error.message().contains(words))
}

/// The rule that reads such a transcript.
pub(crate) fn start(parsed: &Result<Transcript, TranscriptError>) -> &'static str {
    match parsed {
        Ok(transcript) if !transcript.files().is_empty() => "document",
        _ => "transcript",
    }
}

#[test]
fn the_grammars_read_transcripts_as_the_parser_does() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in cases().iter().filter(|case| case.is_plain()) {
        let parsed = parse_case(case);
        let sequence = match &case.sequence {
            Some([begin, end]) => [begin.as_str(), end.as_str()],
            None => ["<s>", "</s>"],
        };
        let automaton = Automaton::new(&case.format, start(&parsed), sequence);
        let disagreement = automaton.disagreement(&case.text.replace('▶', ""), &parsed);
        count += 1;
        wrong.extend(disagreement.map(|what| format!("{}: {what}", case.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count > 100, "{count} transcripts only");
}

/// What headers may have, and what comes near it.
const FIELDS: [&str; 30] = [
    " name=Bot",
    " name=Zo\u{eb}",
    " name=",
    " name=a.b-c",
    "\tname=Bot",
    "name=Bot",
    " name=x name=y",
    " name=a b",
    " to=assistant",
    " to=functions.f",
    " to=",
    " call_id=a1",
    " call_id=",
    " intent=preamble",
    " intent=status",
    " intent=other",
    " content_type=json",
    " content_type=",
    " json",
    "json",
    "text",
    "analysis",
    "final",
    "user",
    "tool",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
];

/// Each transcript with a field of a header written at the edge of a line, a word or a control token, with a stretch
/// between two of these taken away, or with two of them changing places.
#[test]
fn mutants_of_transcripts_get_one_verdict() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut automata = BTreeMap::new();
    let mut wrong = Vec::new();
    let (mut count, mut good) = (0, 0);
    for case in cases()
        .iter()
        .filter(|case| case.is_plain() && case.sequence.is_none())
    {
        let text = case.text.replace('▶', "");
        let format = Format::from_name(&case.format).unwrap();
        for _ in 0..MUTANTS {
            let mutant = mutant(&text, &mut random);
            let parsed = read(&mutant, format);
            let key = (case.format.clone(), start(&parsed));
            let automaton = automata.entry(key).or_insert_with_key(|(format, start)| {
                Automaton::new(format, start, ["<s>", "</s>"])
            });
            count += 1;
            good += usize::from(parsed.is_ok());
            // What is written with a doubled "<" is JSON only when that is undone.
            let is_doubled = mutant.contains("<<|");
            if !is_doubled
                || !matches!(&parsed, Err(error) if error.code() == ErrorCode::BodyConstraintViolation)
            {
                wrong.extend(automaton.disagreement(&mutant, &parsed));
            }
        }
    }
    let shown = wrong.len().min(20);
    assert!(
        wrong.is_empty(),
        "{} of {count}: {}",
        wrong.len(),
        wrong[..shown].join("\n\n")
    );
    assert!(good > count / 20, "{good} of {count} mutants are good");
}

/// Where a mutant is changed: the beginnings of words, lines and control tokens, and their ends.
fn edges(text: &str) -> Vec<usize> {
    let is_edge = |at: &usize| {
        let (before, after) = text.split_at(*at);
        before.is_empty()
            || after.is_empty()
            || before.ends_with(['>', ' ', '\n', '='])
            || after.starts_with(['<', ' ', '\n', '='])
    };
    let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    places.filter(is_edge).collect()
}

fn mutant(text: &str, random: &mut Random) -> String {
    let edges = edges(text);
    let mut edge = || edges[random.below(edges.len())];
    let mut cuts = [edge(), edge(), edge()];
    cuts.sort_unstable();
    let [a, b, c] = cuts;
    match random.below(4) {
        0 => [&text[..a], &text[b..]].concat(),
        1 => [&text[..a], &text[b..c], &text[a..b], &text[c..]].concat(),
        _ => [&text[..a], FIELDS[random.below(FIELDS.len())], &text[a..]].concat(),
    }
}

/// All orders of `items`.
fn orders<'i>(items: &[&'i str]) -> Vec<Vec<&'i str>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let begun_with = |at: usize| {
        let rest = [&items[..at], &items[at + 1..]].concat();
        let ends = orders(&rest).into_iter();
        ends.map(move |end| [&[items[at]][..], &end].concat())
    };
    (0..items.len()).flat_map(begun_with).collect()
}

/// Attributes come in any order over both places, and are written in one (OpenChatML 2.2 §6).
#[test]
fn attributes_come_in_any_order_and_are_written_in_one() {
    let attributes = [
        "to=functions.f",
        "call_id=a",
        "name=n",
        "intent=status",
        "content_type=json",
    ];
    // Those that may stand after the channel.
    let movable = |attribute: &&str| !["call_id=a", "name=n"].contains(attribute);
    let automaton = Automaton::new("openchatml-2.2", "transcript", ["<s>", "</s>"]);
    let mut count = 0;
    for order in orders(&attributes) {
        for cut in 0..=order.len() {
            let (start, channel) = order.split_at(cut);
            if !channel.iter().all(movable) {
                continue;
            }
            let written = |attributes: &[&str]| -> String {
                attributes.iter().map(|name| format!(" {name}")).collect()
            };
            let text = format!(
                "<|start|>assistant{}<|channel|>commentary{}<|message|>{{}}<|call|>",
                written(start),
                written(channel)
            );
            let parsed = read(&text, Format::OpenChatMl22);
            assert_eq!(automaton.disagreement(&text, &parsed), None);
            let options = RenderOptions::new(Format::OpenChatMl22);
            let rendered = render(parsed.unwrap().messages(), &options).unwrap();
            assert_eq!(
                rendered.text(),
                "version: 2.2\n<|start|>assistant to=functions.f call_id=a name=n intent=status \
                 content_type=json<|channel|>commentary<|message|>{}<|call|>",
                "{text}"
            );
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}

impl Case {
    /// Whether this is a whole transcript, read as text, of which the request says nothing.
    fn is_plain(&self) -> bool {
        self.start.is_none() && !self.tokens
    }
}
