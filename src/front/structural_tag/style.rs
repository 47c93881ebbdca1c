//! Arguments parameter by parameter, in the spellings that structural tags have names for.

use super::text::Symbol;
use crate::base::{LimitError, Limits};
use crate::front::json_schema::{FormNode, FormParts, JsonType, ParameterForm, ValueForm};
use crate::grammar::Edge;
use crate::regular::Dfa;

/// How arguments are written that are no JSON as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Style {
    Qwen,
    MiniMax,
    DeepSeek,
    DeepSeek41,
    Glm,
    KimiK3,
    Cohere,
    MiniMaxM3,
}

/// The white space between parameters.
const SPACES: [(u8, u8); 3] = [(b'\t', b'\n'), (b'\r', b'\r'), (b' ', b' ')];

/// The strings around the name and the value of a parameter.
struct Marks {
    before: &'static str,
    behind_name: &'static str,
    /// White space may stand before what tells the form.
    spaced: bool,
    /// What tells in which form the value is written.
    told: &'static [(&'static str, ValueForm)],
    closing: &'static str,
    /// What stands behind the name that the closing has, where it has one.
    behind_again: Option<&'static str>,
    /// What stands before what tells the form of an item, where arrays are written item by item.
    item: Option<&'static str>,
    /// What closes an item.
    item_closing: &'static str,
}

const TOLD_BY_STRING: &[(&str, ValueForm)] = &[
    ("true\">", ValueForm::String),
    ("false\">", ValueForm::Other),
];

/// The names of types are those of Kimi K3's chat template.
const TOLD_BY_TYPE: &[(&str, ValueForm)] = &[
    ("string\"<|sep|>", ValueForm::String),
    ("number\"<|sep|>", ValueForm::Typed(JsonType::Number)),
    ("boolean\"<|sep|>", ValueForm::Typed(JsonType::Boolean)),
    ("null\"<|sep|>", ValueForm::Typed(JsonType::Null)),
    ("array\"<|sep|>", ValueForm::Typed(JsonType::Array)),
    ("object\"<|sep|>", ValueForm::Typed(JsonType::Object)),
];

const TOLD_BY_KIND: &[(&str, ValueForm)] = &[
    ("raw\">", ValueForm::String),
    ("json\">", ValueForm::Scalar),
    ("dict\">", ValueForm::Members),
    ("list\">", ValueForm::Elements),
];

/// Nothing tells them, since strings have no tag of the format in them.
const TOLD_BY_TAGS: &[(&str, ValueForm)] = &[
    ("", ValueForm::Plain),
    ("", ValueForm::Members),
    ("", ValueForm::Elements),
];

impl Style {
    /// The styles that are known, by their names.
    const ALL: [(&'static str, Self); 8] = [
        ("qwen_xml", Self::Qwen),
        ("minimax_xml", Self::MiniMax),
        ("deepseek_xml", Self::DeepSeek),
        ("deepseek_v4_1_xml", Self::DeepSeek41),
        ("glm_xml", Self::Glm),
        ("kimi_k3_xml", Self::KimiK3),
        ("cohere_xml", Self::Cohere),
        ("minimax_m3_xml", Self::MiniMaxM3),
    ];

    pub(super) fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, style)| style)
    }

    fn marks(self) -> Marks {
        let marks = |before, behind_name, told, closing| Marks {
            before,
            behind_name,
            spaced: false,
            told,
            closing,
            behind_again: None,
            item: None,
            item_closing: closing,
        };
        let raw: &[_] = &[("", ValueForm::Raw)];
        match self {
            Self::Qwen => marks("<parameter=", ">", raw, "</parameter>"),
            Self::MiniMax => marks("<parameter name=\"", "\">", raw, "</parameter>"),
            Self::DeepSeek => marks(
                "<｜DSML｜parameter name=\"",
                "\" string=\"",
                TOLD_BY_STRING,
                "</｜DSML｜parameter>",
            ),
            Self::DeepSeek41 => marks(
                "<｜DSML｜ parameter name=\"",
                "\" string=\"",
                TOLD_BY_STRING,
                "</｜DSML｜ parameter>",
            ),
            Self::Glm => Marks {
                spaced: true,
                ..marks(
                    "<arg_key>",
                    "</arg_key>",
                    &[("<arg_value>", ValueForm::Raw)],
                    "</arg_value>",
                )
            },
            Self::KimiK3 => marks(
                "<|open|>argument key=\"",
                "\" type=\"",
                TOLD_BY_TYPE,
                "<|close|>argument<|sep|>",
            ),
            Self::Cohere => Marks {
                item: Some("<cofl:value type=\""),
                ..marks(
                    "<cofl:value name=\"",
                    "\" type=\"",
                    TOLD_BY_KIND,
                    "</cofl:value>",
                )
            },
            Self::MiniMaxM3 => Marks {
                behind_again: Some(">"),
                item: Some("]<]minimax[>[<item>"),
                item_closing: "]<]minimax[>[</item>",
                ..marks("]<]minimax[>[<", ">", TOLD_BY_TAGS, "]<]minimax[>[</")
            },
        }
    }

    /// What no string written as it is has in it, since it closes a value or begins another.
    pub(super) fn closing(self) -> &'static str {
        match self {
            Self::MiniMaxM3 => "]<]minimax[>[",
            _ => self.marks().closing,
        }
    }

    /// What names have not in them: the first byte of what stands behind them, and what a format would escape.
    fn not_in_names(self) -> &'static [u8] {
        match self {
            Self::Cohere => b"\"&<>",
            Self::MiniMaxM3 => b"><]/",
            _ => &self.marks().behind_name.as_bytes()[..1],
        }
    }

    /// The strings that parameters have around their names and values.
    pub(super) fn texts(self) -> Vec<&'static str> {
        let marks = self.marks();
        let around = [
            marks.before,
            marks.behind_name,
            marks.closing,
            marks.item_closing,
        ];
        let around = around
            .into_iter()
            .chain(marks.item)
            .chain(marks.behind_again);
        let told = marks.told.iter().map(|&(text, _)| text);
        around.chain(told).filter(|text| !text.is_empty()).collect()
    }

    /// How parameters are written whose names and strings have none of `forbidden` in them. `symbols` says which bytes and
    /// control tokens a string is.
    ///
    /// # Errors
    /// A limit.
    pub(super) fn form(
        self,
        forbidden: &[String],
        limits: &Limits,
        symbols: &mut dyn FnMut(&str) -> Vec<Symbol>,
    ) -> Result<ParameterForm, LimitError> {
        let marks = self.marks();
        let mut form = Writer::default();
        let start = form.state();
        form.spaces(start);
        let name = form.path(start, &symbols(marks.before));
        let named = form.state();
        form.nodes[name as usize].name = Some(named);
        let behind = form.path(named, &symbols(marks.behind_name));
        if marks.spaced {
            form.spaces(behind);
        }
        let closing = symbols(marks.closing);
        for (index, (told, kind)) in marks.told.iter().enumerate() {
            let value = form.path(behind, &symbols(told));
            let end = form.value(value, (index, *kind), &closing);
            let end = match marks.behind_again {
                None => end,
                Some(behind) => {
                    let named = form.state();
                    form.nodes[end as usize].again = Some(named);
                    form.path(named, &symbols(behind))
                }
            };
            form.nodes[end as usize].ends = true;
        }
        let parts = FormParts {
            nodes: form.nodes.into(),
            forms: marks.told.iter().map(|&(_, form)| form).collect(),
            separator: Box::default(),
            names: names(self.not_in_names(), forbidden, limits)?,
            forbidden: forbidden.to_vec(),
            quote: None,
            elements: marks.elements(symbols).into(),
        };
        Ok(ParameterForm::new(parts).expect("each style has one name, and then one value"))
    }
}

impl Marks {
    /// An item of an array: as a parameter, without a name.
    fn elements(&self, symbols: &mut dyn FnMut(&str) -> Vec<Symbol>) -> Vec<FormNode> {
        let Some(item) = self.item else {
            return Vec::new();
        };
        let mut form = Writer::default();
        let start = form.state();
        form.spaces(start);
        let behind = form.path(start, &symbols(item));
        let closing = symbols(self.item_closing);
        for (index, (told, kind)) in self.told.iter().enumerate() {
            let value = form.path(behind, &symbols(told));
            let end = form.value(value, (index, *kind), &closing);
            form.nodes[end as usize].ends = true;
        }
        form.nodes
    }
}

/// The names of parameters: they have neither white space nor any of `others`.
fn names(others: &[u8], forbidden: &[String], limits: &Limits) -> Result<Dfa, LimitError> {
    let bytes: Vec<[u8; 1]> = (0..=b' ')
        .chain([0x7F])
        .chain(others.iter().copied())
        .map(|byte| [byte])
        .collect();
    let bytes = bytes.iter().map(<[u8; 1]>::as_slice);
    let forbidden = forbidden.iter().map(|text| text.as_bytes());
    let others: Vec<&[u8]> = bytes.chain(forbidden).collect();
    let nothing = Dfa::literals([b"".as_slice()], limits)?;
    Dfa::text_without(&others, limits)?.difference(&nothing, limits)
}

/// The automaton of a parameter, as it is written.
#[derive(Default)]
struct Writer {
    nodes: Vec<FormNode>,
}

impl Writer {
    fn state(&mut self) -> u32 {
        self.nodes.push(FormNode::default());
        self.nodes.len() as u32 - 1
    }

    fn edge(&mut self, from: u32, (lo, hi): (u8, u8), to: u32) {
        let edge = Edge { lo, hi, to };
        self.nodes[from as usize].edges.push(edge);
    }

    /// Any white space at `from`.
    fn spaces(&mut self, from: u32) {
        SPACES
            .into_iter()
            .for_each(|range| self.edge(from, range, from));
    }

    fn path(&mut self, from: u32, symbols: &[Symbol]) -> u32 {
        let mut at = from;
        for &symbol in symbols {
            // What tells forms apart may begin alike.
            let to = match self.after(at, symbol) {
                Some(known) => known,
                None => self.step(at, symbol),
            };
            at = to;
        }
        at
    }

    fn after(&self, at: u32, symbol: Symbol) -> Option<u32> {
        let node = &self.nodes[at as usize];
        match symbol {
            Symbol::Byte(byte) => {
                let mut edges = node.edges.iter();
                let edge = edges.find(|edge| (edge.lo, edge.hi) == (byte, byte));
                edge.map(|edge| edge.to)
            }
            Symbol::Control(control) => {
                let mut controls = node.controls.iter();
                let known = controls.find(|&&(known, _)| known == control);
                known.map(|&(_, to)| to)
            }
        }
    }

    fn step(&mut self, at: u32, symbol: Symbol) -> u32 {
        let to = self.state();
        match symbol {
            Symbol::Byte(byte) => self.edge(at, (byte, byte), to),
            Symbol::Control(control) => self.nodes[at as usize].controls.push((control, to)),
        }
        to
    }

    /// A value at `from` in a form, and what closes it; gives where that leads.
    fn value(&mut self, from: u32, (index, form): (usize, ValueForm), closing: &[Symbol]) -> u32 {
        let to = self.state();
        // White space is no part of what is made of other values, nor of what is JSON where that is said.
        match form {
            ValueForm::Members | ValueForm::Elements => self.spaces(to),
            ValueForm::Scalar => {
                self.spaces(from);
                self.spaces(to);
            }
            _ => {}
        }
        self.nodes[from as usize].values.push((index, to));
        self.path(to, closing)
    }
}
