//! Arguments parameter by parameter, in the spellings that structural tags have names for.

use crate::base::{LimitError, Limits};
use crate::front::json_schema::{FormNode, FormParts, ParameterForm, ValueForm};
use crate::grammar::Edge;
use crate::regular::Dfa;

/// How arguments are written that are no JSON as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Style {
    Qwen,
    MiniMax,
    DeepSeek,
    Glm,
}

/// The white space between parameters.
const SPACES: [(u8, u8); 3] = [(b'\t', b'\n'), (b'\r', b'\r'), (b' ', b' ')];

impl Style {
    /// The styles that are known, by their names.
    const ALL: [(&'static str, Self); 4] = [
        ("qwen_xml", Self::Qwen),
        ("minimax_xml", Self::MiniMax),
        ("deepseek_xml", Self::DeepSeek),
        ("glm_xml", Self::Glm),
    ];

    pub(super) fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, style)| style)
    }

    /// What stands before a name, between it and the value, and behind that.
    fn marks(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Qwen => ("<parameter=", ">", "</parameter>"),
            Self::MiniMax => ("<parameter name=\"", "\">", "</parameter>"),
            Self::DeepSeek => (
                "<｜DSML｜parameter name=\"",
                "\" string=\"",
                "</｜DSML｜parameter>",
            ),
            Self::Glm => ("<arg_key>", "</arg_key>", "</arg_value>"),
        }
    }

    /// What closes a value.
    pub(super) fn closing(self) -> &'static str {
        self.marks().2
    }

    /// How parameters are written whose strings have none of `forbidden` in them.
    ///
    /// # Errors
    /// A limit.
    pub(super) fn form(
        self,
        forbidden: &[String],
        limits: &Limits,
    ) -> Result<ParameterForm, LimitError> {
        let (before, behind_name, closing) = self.marks();
        let mut form = Writer::default();
        let start = form.state();
        form.spaces(start);
        let name = form.literal(start, before);
        let named = form.state();
        form.nodes[name as usize].name = Some(named);
        let behind = form.literal(named, behind_name);
        let forms = match self {
            Self::Qwen | Self::MiniMax => {
                form.value(behind, 0, closing);
                vec![ValueForm::Raw]
            }
            Self::Glm => {
                form.spaces(behind);
                let value = form.literal(behind, "<arg_value>");
                form.value(value, 0, closing);
                vec![ValueForm::Raw]
            }
            Self::DeepSeek => {
                for (index, told) in ["true\">", "false\">"].into_iter().enumerate() {
                    let value = form.literal(behind, told);
                    form.value(value, index, closing);
                }
                vec![ValueForm::String, ValueForm::Other]
            }
        };
        let stop = behind_name.as_bytes()[0];
        // Names have neither white space nor what stands behind them.
        let others: Vec<[u8; 1]> = (0..=b' ').chain([0x7F, stop]).map(|byte| [byte]).collect();
        let others: Vec<&[u8]> = others.iter().map(<[u8; 1]>::as_slice).collect();
        let names = Dfa::text_without(&others, limits)?;
        let nothing = Dfa::literals([b"".as_slice()], limits)?;
        let parts = FormParts {
            nodes: form.nodes.into(),
            forms,
            separator: Box::default(),
            names: names.difference(&nothing, limits)?,
            forbidden: forbidden.to_vec(),
        };
        Ok(ParameterForm::new(parts).expect("each style has one name, and then one value"))
    }
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

    fn literal(&mut self, from: u32, text: &str) -> u32 {
        let mut at = from;
        for byte in text.bytes() {
            let to = self.state();
            self.edge(at, (byte, byte), to);
            at = to;
        }
        at
    }

    /// A value at `from`, and what closes it.
    fn value(&mut self, from: u32, form: usize, closing: &str) {
        let to = self.state();
        self.nodes[from as usize].values.push((form, to));
        let end = self.literal(to, closing);
        self.nodes[end as usize].ends = true;
    }
}
