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

impl Style {
    /// The styles that are known, by their names.
    const ALL: [(&'static str, Self); 6] = [
        ("qwen_xml", Self::Qwen),
        ("minimax_xml", Self::MiniMax),
        ("deepseek_xml", Self::DeepSeek),
        ("deepseek_v4_1_xml", Self::DeepSeek41),
        ("glm_xml", Self::Glm),
        ("kimi_k3_xml", Self::KimiK3),
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
        }
    }

    /// What closes a value.
    pub(super) fn closing(self) -> &'static str {
        self.marks().closing
    }

    /// The strings that parameters have around their names and values.
    pub(super) fn texts(self) -> Vec<&'static str> {
        let marks = self.marks();
        let around = [marks.before, marks.behind_name, marks.closing];
        let told = marks.told.iter().map(|&(text, _)| text);
        around.into_iter().chain(told).collect()
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
        for (index, (told, _)) in marks.told.iter().enumerate() {
            let value = form.path(behind, &symbols(told));
            form.value(value, index, &closing);
        }
        let parts = FormParts {
            nodes: form.nodes.into(),
            forms: marks.told.iter().map(|&(_, form)| form).collect(),
            separator: Box::default(),
            names: names(marks.behind_name, forbidden, limits)?,
            forbidden: forbidden.to_vec(),
            quote: None,
        };
        Ok(ParameterForm::new(parts).expect("each style has one name, and then one value"))
    }
}

/// The names of parameters: they have neither white space nor the first byte of what stands behind them.
fn names(behind: &str, forbidden: &[String], limits: &Limits) -> Result<Dfa, LimitError> {
    let bytes: Vec<[u8; 1]> = (0..=b' ')
        .chain([0x7F, behind.as_bytes()[0]])
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

    /// A value at `from`, and what closes it.
    fn value(&mut self, from: u32, form: usize, closing: &[Symbol]) {
        let to = self.state();
        self.nodes[from as usize].values.push((form, to));
        let end = self.path(to, closing);
        self.nodes[end as usize].ends = true;
    }
}
