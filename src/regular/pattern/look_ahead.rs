//! The automata of look-aheads: determinised as a whole, or else as far as the pattern around them goes.
//!
//! What a look-ahead leaves open may be told only where the rest of the pattern is read beside it: in
//! `^(?=.{1,64}@.{1,255}$)[^@]+@[^@]+$` each `@` could be the one that is meant, and there is but one.

use super::gap::Before;
use super::nfa::State;
use super::obligations::LookAhead;
use super::subset::{Builder, Context, determinise};
use super::table::{DEAD, Table};
use crate::base::LimitError;

/// The automaton of a look-ahead with that `body`, which may have look-aheads of those `before` it.
pub(super) fn look_ahead<'a>(
    context: Context<'a>,
    before: &mut [Box<dyn LookAhead + 'a>],
    body: u32,
) -> Result<Box<dyn LookAhead + 'a>, LimitError> {
    let is_look = |state: &State| matches!(state, State::Look { .. });
    match determinise(context, before, body, &Before::ALL) {
        Ok(table) => Ok(Box::new(table)),
        Err(_) if !context.nfa.leads_to(is_look)[body as usize] => {
            Ok(Box::new(Met::new(context, body)))
        }
        Err(error) => Err(error),
    }
}

impl LookAhead for Table {
    fn start(&self, before: Before) -> u32 {
        self.starts[before as usize]
    }

    fn is_universal(&self, state: u32) -> bool {
        self.universal() == Some(state)
    }

    fn next(&mut self, state: u32, class: u32) -> Result<u32, LimitError> {
        Ok(Table::next(self, state, class))
    }

    fn accepts(&mut self, state: u32) -> Result<bool, LimitError> {
        Ok(Table::accepts(self, state))
    }
}

/// An automaton with the rows that were asked for.
struct Met<'a> {
    builder: Builder<'a, 'a>,
    starts: [u32; Before::ALL.len()],
    rows: Vec<Option<Row>>,
}

/// Whether the text may end, and the state after each class.
type Row = (bool, Vec<u32>);

impl LookAhead for Met<'_> {
    fn start(&self, before: Before) -> u32 {
        self.starts[before as usize]
    }

    fn is_universal(&self, state: u32) -> bool {
        state != DEAD && self.builder.is_universal(state)
    }

    fn next(&mut self, state: u32, class: u32) -> Result<u32, LimitError> {
        match state {
            DEAD => Ok(DEAD),
            state => Ok(self.row(state)?.1[class as usize]),
        }
    }

    fn accepts(&mut self, state: u32) -> Result<bool, LimitError> {
        Ok(state != DEAD && self.row(state)?.0)
    }
}

impl<'a> Met<'a> {
    fn new(context: Context<'a>, body: u32) -> Self {
        let mut builder = Builder::new(context, &mut []);
        Self {
            starts: Before::ALL.map(|before| builder.start(body, before)),
            builder,
            rows: Vec::new(),
        }
    }

    fn row(&mut self, state: u32) -> Result<&Row, LimitError> {
        let index = state as usize;
        if self.rows.len() <= index {
            self.rows.resize_with(index + 1, || None);
        }
        let known = &mut self.rows[index];
        if known.is_none() {
            *known = Some(self.builder.row(state)?);
        }
        Ok(known.as_ref().expect("it was made if it was not known"))
    }
}
