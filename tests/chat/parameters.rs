//! Calls whose parameters stand one by one: generated, read back by a small reader of this file, and judged by another
//! validator of JSON Schema.

use maskwright::base::TokenId;
use maskwright::front::chat::{Analysis, ChatOptions, ToolChoice, compile};
use maskwright::front::json_schema::PropertyOrder;
use maskwright::session::Constraint;
use serde_json::{Map, Value, json};

use super::random::Random;
use super::{constraint, engine, format, tools};

/// Schemas of arguments.
pub(super) fn schemas() -> Vec<Value> {
    vec![
        json!({"type": "object", "properties": {
            "city": {"type": "string", "minLength": 1, "maxLength": 5},
            "unit": {"enum": ["C", "F", "</parameter>"]}, "days": {"type": "integer", "minimum": 1, "maximum": 14}},
            "required": ["city", "days"], "additionalProperties": false}),
        json!({"type": "object", "properties": {
            "either": {"type": ["string", "integer", "null"]},
            "all": {}, "list": {"type": "array", "items": {"type": ["string", "boolean", "null"]}, "maxItems": 2}},
            "additionalProperties": {"type": ["boolean", "string"]}, "minProperties": 2, "maxProperties": 3}),
        json!({"type": "object", "properties": {
            "a": {"type": "string", "pattern": "^[a-z ]*$"}, "b": {"type": "number"},
            "c": {"type": "object", "properties": {"d": {"type": "string", "maxLength": 3}}, "additionalProperties": false}},
            "additionalProperties": false, "dependentRequired": {"a": ["c"]},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
    ]
}

/// How a format writes a call.
struct Form {
    format: &'static str,
    before: &'static str,
    after_name: &'static str,
    parameter: &'static str,
    /// What stands between a name and its value, and what values of this kind are like.
    values: &'static [(&'static str, Kind)],
    after_value: &'static str,
    after_call: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A string as it is, but for what is JSON that the schema allows.
    Raw,
    String,
    Json,
}

const FORMS: [Form; 5] = [
    Form {
        format: "qwen3-coder",
        before: "\n<tool_call>\n<function=",
        after_name: ">\n",
        parameter: "<parameter=",
        values: &[(">\n", Kind::Raw)],
        after_value: "\n</parameter>",
        after_call: "</function>\n</tool_call><|im_end|>",
    },
    Form {
        format: "glm-4.5",
        before: "<tool_call>",
        after_name: "",
        parameter: "<arg_key>",
        values: &[("</arg_key><arg_value>", Kind::Raw)],
        after_value: "</arg_value>",
        after_call: "</tool_call>",
    },
    Form {
        format: "minimax-m2",
        before: "\n<minimax:tool_call>\n<invoke name=\"",
        after_name: "\">\n",
        parameter: "<parameter name=\"",
        values: &[("\">", Kind::Raw)],
        after_value: "</parameter>",
        after_call: "</invoke>\n</minimax:tool_call>[e~[",
    },
    Form {
        format: "deepseek-v3.2",
        before: "\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"",
        after_name: "\">\n",
        parameter: "<｜DSML｜parameter name=\"",
        values: &[
            ("\" string=\"true\">", Kind::String),
            ("\" string=\"false\">", Kind::Json),
        ],
        after_value: "</｜DSML｜parameter>\n",
        after_call: "</｜DSML｜invoke>\n</｜DSML｜function_calls><｜end▁of▁sentence｜>",
    },
    Form {
        format: "kimi-k3",
        before: "<|open|>response<|sep|><|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool=\"",
        after_name: "\" index=\"1\"<|sep|>",
        parameter: "<|open|>argument key=\"",
        values: &[
            ("\" type=\"string\"<|sep|>", Kind::String),
            ("\" type=\"number\"<|sep|>", Kind::Json),
            ("\" type=\"boolean\"<|sep|>", Kind::Json),
            ("\" type=\"null\"<|sep|>", Kind::Json),
            ("\" type=\"array\"<|sep|>", Kind::Json),
            ("\" type=\"object\"<|sep|>", Kind::Json),
        ],
        after_value: "<|close|>argument<|sep|>",
        after_call: "<|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>",
    },
];

impl Form {
    /// The text without what may be left out: line breaks between tags, and the token after calls.
    fn without_optional(&self, text: &str) -> String {
        let breaks = ["</arg_key>", "</arg_value>", "<tool_call>f"];
        match self.format {
            "glm-4.5" => breaks
                .into_iter()
                .fold(text.replace("<|observation|>", ""), |text, tag| {
                    text.replace(&format!("{tag}\n"), tag)
                }),
            "kimi-k3" => text.replace("<|end_of_msg|>", ""),
            "qwen3-coder" | "minimax-m2" => {
                text.replace(&format!("{}\n", self.after_value), self.after_value)
            }
            _ => text.to_owned(),
        }
    }

    /// The arguments of the one call that `text` is.
    fn read(&self, text: &str, schema: &Value) -> Map<String, Value> {
        let opening = format!("{}f{}", self.before, self.after_name);
        let text = &self.without_optional(text);
        let mut rest = text.strip_prefix(&opening).expect(text);
        let mut arguments = Map::new();
        while let Some(parameter) = rest.strip_prefix(self.parameter) {
            let at = |(between, _): &(&str, Kind)| parameter.find(between).unwrap_or(usize::MAX);
            let (between, kind) = self.values.iter().min_by_key(|value| at(value)).unwrap();
            let (name, value) = parameter.split_once(between).expect(text);
            let (value, after) = value.split_once(self.after_value).expect(text);
            let value = read_value(value, *kind, &schema_of(name, schema));
            assert!(arguments.insert(name.to_owned(), value).is_none(), "{text}");
            rest = after;
        }
        assert_eq!(rest, self.after_call, "{text}");
        arguments
    }
}

fn schema_of(name: &str, schema: &Value) -> Value {
    let own = schema["properties"].get(name);
    let others = schema.get("additionalProperties");
    own.or(others).cloned().unwrap_or(Value::Bool(true))
}

fn read_value(text: &str, kind: Kind, schema: &Value) -> Value {
    let string = || Value::String(text.to_owned());
    match kind {
        Kind::String => string(),
        Kind::Json => {
            let value: Value = serde_json::from_str(text).expect(text);
            assert!(!value.is_string(), "{text}");
            value
        }
        Kind::Raw => match serde_json::from_str::<Value>(text) {
            Ok(value) if !value.is_string() && jsonschema::is_valid(schema, &value) => value,
            _ => string(),
        },
    }
}

/// A turn that begins with `start`.
fn turn(
    constraint: &Constraint,
    start: &[TokenId],
    words: usize,
    draw: &mut Random,
) -> Vec<TokenId> {
    let mut session = constraint.session();
    let mut row = vec![0; words];
    for &token in start {
        session.accept(token).unwrap();
    }
    let long = start.len() + 20 + draw.below(160);
    while !session.is_finished() && session.len() < long {
        session.mask(&mut row).unwrap();
        let allowed = |id: &usize| row[id / 32] >> (id % 32) & 1 == 1;
        let all: Vec<usize> = (0..words * 32).filter(allowed).collect();
        // What closes something is met more often than by chance.
        let tags = b"</>\"\n0az1";
        let some: Vec<usize> = all
            .iter()
            .copied()
            .filter(|&id| id > 255 || tags.contains(&(id as u8)))
            .collect();
        let from = if some.is_empty() || draw.below(3) == 0 {
            &all
        } else {
            &some
        };
        session
            .accept(TokenId::from_usize(from[draw.below(from.len())]))
            .unwrap();
    }
    for token in session.way_out().unwrap() {
        session.accept(token).unwrap();
    }
    session.tokens()
}

#[test]
fn generated_parameters_are_read_back_and_valid() {
    for (number, schema) in schemas().into_iter().enumerate() {
        let judge = jsonschema::validator_for(&schema).unwrap();
        let file = json!([{"name": "f", "parameters": schema}]).to_string();
        let hold = |name: &str, start: &str, read: &dyn Fn(&str) -> Value| {
            for text in turns_of(name, start, &file, (25, 1 + number as u64)) {
                let arguments = read(&text);
                assert!(judge.is_valid(&arguments), "{name}: {text}\n{arguments}");
            }
        };
        for form in &FORMS {
            let start = format!("{}f{}", form.before, form.after_name);
            let read = |text: &str| Value::Object(form.read(text, &schema));
            hold(form.format, &start, &read);
        }
        hold(
            "gemma-4",
            "\n<|tool_call>call:f{",
            &read_braces_between_marks,
        );
    }
}

/// So many turns of a format with these tools that begin with `start`, in each order.
pub(super) fn turns_of(
    name: &str,
    start: &str,
    file: &str,
    (count, seed): (usize, u64),
) -> Vec<String> {
    let format = format(name);
    let (start, mut turns) = (tokens(start, format.controls()), Vec::new());
    for order in [PropertyOrder::Declared, PropertyOrder::Any] {
        let mut options = ChatOptions::default();
        options.tools = tools(file);
        options.tool_choice = ToolChoice::Required;
        options.analysis = Analysis::Forbidden;
        options.order = order;
        let grammar = compile(&format, "assistant-turn", &options).unwrap();
        let engine = engine(format.controls());
        let constraint = constraint(&engine, &grammar);
        let words = (256 + format.controls().len() + 1).div_ceil(32);
        let mut draw = Random(seed);
        for _ in 0..count {
            let turn = turn(&constraint, &start, words, &mut draw);
            turns.push(spelt(&turn, format.controls()));
        }
    }
    turns
}

/// The arguments of a call of Gemma 4.
fn read_braces_between_marks(text: &str) -> Value {
    let call = text.strip_prefix("\n<|tool_call>call:f").expect(text);
    let (value, rest) = read_between_marks(call);
    let rest = rest.strip_suffix("<|tool_response>").unwrap_or(rest);
    assert_eq!(rest, "<tool_call|>", "{text}");
    value
}

/// A value whose strings stand between marks, and what follows it.
fn read_between_marks(text: &str) -> (Value, &str) {
    if let Some(inner) = text.strip_prefix("<|\"|>") {
        let (string, rest) = inner.split_once("<|\"|>").expect(text);
        return (Value::String(string.to_owned()), rest);
    }
    let (open, mut rest) = text.split_at(1);
    let (mut items, mut members) = (Vec::new(), Map::new());
    match open {
        "[" => loop {
            if let Some(rest) = rest.strip_prefix(']') {
                return (Value::Array(items), rest);
            }
            let (item, after) = read_between_marks(rest);
            items.push(item);
            rest = after.strip_prefix(',').unwrap_or(after);
        },
        "{" => loop {
            if let Some(rest) = rest.strip_prefix('}') {
                return (Value::Object(members), rest);
            }
            let (name, value) = rest.split_once(':').expect(text);
            let (value, after) = read_between_marks(value);
            assert!(members.insert(name.to_owned(), value).is_none(), "{text}");
            rest = after.strip_prefix(',').unwrap_or(after);
        },
        _ => {
            let end = text.find([',', ']', '}']).expect(text);
            (
                serde_json::from_str(&text[..end]).expect(text),
                &text[end..],
            )
        }
    }
}

fn tokens(text: &str, controls: &[String]) -> Vec<TokenId> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let control = controls
            .iter()
            .position(|control| rest.starts_with(control.as_str()));
        let read = match control {
            Some(index) => {
                tokens.push(TokenId::from_usize(256 + index));
                controls[index].len()
            }
            None => {
                let length = rest.chars().next().unwrap().len_utf8();
                let bytes = rest.bytes().take(length);
                tokens.extend(bytes.map(|byte| TokenId::from_usize(usize::from(byte))));
                length
            }
        };
        rest = &rest[read..];
    }
    tokens
}

fn spelt(turn: &[TokenId], controls: &[String]) -> String {
    let mut bytes = Vec::new();
    for token in turn {
        match token.index() {
            byte @ 0..=255 => bytes.push(byte as u8),
            id => bytes.extend(
                controls
                    .get(id - 256)
                    .into_iter()
                    .flat_map(|control| control.bytes()),
            ),
        }
    }
    String::from_utf8(bytes).unwrap()
}
