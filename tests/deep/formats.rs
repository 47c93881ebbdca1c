//! Chat formats and vocabularies that lead on and on, or multiply.

use maskwright::base::Limits;
use maskwright::front::chat::{ChatOptions, Format, ToolSet, compile};
use maskwright::reader::{Reader, ReaderConfig, ReaderPlan};
use maskwright::vocab::Vocabulary;

use super::on_a_small_stack;

/// What compiling a format says within so many steps, with one tool.
fn compiled(source: &str, work: usize) -> Result<usize, String> {
    let mut limits = Limits::default();
    limits.work = work;
    let format = Format::parse("hostile", source, &[], &limits).map_err(|e| e.to_string())?;
    let mut options = ChatOptions::default();
    let tool = r#"[{"name":"f","parameters":{"type":"object"}}]"#;
    options.tools = ToolSet::parse(tool, &limits).map_err(|e| e.to_string())?;
    options.limits = limits;
    let grammar = compile(&format, "assistant-turn", &options).map_err(|e| e.to_string())?;
    Ok(grammar.work())
}

/// `count` rules, as `rule` writes each.
fn rules(count: usize, rule: impl Fn(usize) -> String) -> String {
    (0..count).map(rule).collect()
}

/// Rules that a prose-val puts within each other, as deep as is allowed, deeper, and into themselves.
#[test]
fn rules_within_each_other() {
    for word in ["text", "content", "reasoning", "longest"] {
        let chain = |depth: usize| {
            let links = rules(depth, |at| {
                format!("r{at} = \"x\" [ <{word} r{}> ]\n", at + 1)
            });
            format!("assistant-turn = r0\n{links}r{depth} = \"y\"\n")
        };
        for (source, is_refused) in [
            (chain(8), false),
            (chain(40), true),
            (chain(20_000), true),
            (
                format!("assistant-turn = \"x\" <{word} assistant-turn>\n"),
                true,
            ),
        ] {
            on_a_small_stack(move || {
                let answer = compiled(&source, Limits::default().work);
                assert_eq!(answer.is_err(), is_refused, "{answer:?}");
                let format = Format::parse("hostile", &source, &[], &Limits::default());
                let options = ChatOptions::default();
                let plan = ReaderPlan::new(&format.unwrap(), "assistant-turn", &options);
                assert!(plan.is_ok() || is_refused);
            });
        }
    }
}

/// Each lowering of a rule is charged, though the file has few.
#[test]
fn rules_that_mention_each_other_twice_are_refused_by_work() {
    let links = rules(14, |at| {
        let next = at + 1;
        format!("r{at} = \"x\" <text r{next}> <content r{next}>\n")
    });
    let source = format!("assistant-turn = r0\n{links}r14 = \"y\"\n");
    let error = compiled(&source, 1 << 22).unwrap_err();
    assert!(error.contains("steps of a compile"), "{error}");
}

/// What a text must not spell is charged by its bytes, however long, and takes room in proportion.
#[test]
fn long_control_tokens_are_refused_by_work() {
    let source =
        |length: usize| format!("assistant-turn = <text> \"<|{}|>\"\n", "c".repeat(length));
    assert!(compiled(&source(1_000), Limits::default().work).is_ok());
    let error = compiled(&source(300_000), usize::MAX).unwrap_err();
    assert!(error.contains("states of a rule body"), "{error}");
    let error = compiled(&source(2_000), 70_000).unwrap_err();
    assert!(error.contains("steps of a compile"), "{error}");
}

/// A string in which each letter may be of either case is not one of a few.
#[test]
fn strings_of_either_case_are_no_few() {
    for word in ["text-without", "content-but", "name-but"] {
        let source = |letters: usize| {
            let letters = "xy".repeat(letters / 2);
            format!("assistant-turn = <{word} word> \"!\"\nword = \"{letters}\"\n")
        };
        assert!(compiled(&source(8), Limits::default().work).is_ok());
        let error = compiled(&source(100), Limits::default().work).unwrap_err();
        assert!(error.contains("one of a few"), "{error}");
    }
}

/// A long text in one piece, where readings part again and again, and JSON that nests deep: what it costs grows with the text.
#[test]
fn long_turns_are_taken_apart() {
    let limits = Limits::default();
    let format = Format::built_in("harmony", &limits).unwrap().unwrap();
    let plan = ReaderPlan::new(&format, "assistant-turn", &ChatOptions::default()).unwrap();
    let read = |text: String| {
        let mut reader = Reader::new(&plan, ReaderConfig::lenient());
        reader.feed(&text).unwrap();
        reader.finish().unwrap().1
    };
    let note = "<|channel|>analysis<|message|>x<|end|><|start|>assistant";
    let answer = "<|channel|>final<|message|>y<|return|>";
    let message = read(format!("{}{answer}", note.repeat(20_000)));
    assert_eq!((message.parts.len(), message.broken_at), (20_001, None));
    let call = "<|channel|>commentary to=functions.f<|message|>";
    for (depth, fits) in [(1_000, true), (200_000, false)] {
        let json = super::nested(depth, "{\"a\":", "1", "}");
        let message = read(format!("{call}{json}<|call|>"));
        assert_eq!(message.broken_at.is_none(), fits, "{depth}");
    }
}

/// Many rules that each lower one of many others: whether each is reached is looked at for each.
#[test]
fn many_rules_within_one_are_refused_by_work() {
    let count = 6_000;
    let all = rules(count, |at| format!("r{at} = \"x{at}\"\n"));
    let calls: Vec<String> = (0..count).map(|at| format!("<text r{at}>")).collect();
    let source = format!("assistant-turn = {}\n{all}", calls.join(" / "));
    let error = compiled(&source, Limits::default().work).unwrap_err();
    assert!(error.contains("steps of a compile"), "{error}");
}

/// Arrays of a GGUF file within each other.
#[test]
fn metadata_within_each_other() {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    for depth in [1, 10, 1_000_000] {
        let mut file = b"GGUF".to_vec();
        file.extend(3u32.to_le_bytes());
        file.extend(0u64.to_le_bytes());
        file.extend(1u64.to_le_bytes());
        file.extend(text("x"));
        file.extend(9u32.to_le_bytes());
        for _ in 0..depth {
            file.extend(9u32.to_le_bytes());
            file.extend(1u64.to_le_bytes());
        }
        on_a_small_stack(move || assert!(Vocabulary::from_gguf(&file).is_err()));
    }
}
