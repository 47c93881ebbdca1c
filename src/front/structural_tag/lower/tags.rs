//! Tags: alone, after triggers in free text, and with separators.

use super::{Lowering, Out};
use crate::front::structural_tag::error::StructuralTagError as Error;
use crate::front::structural_tag::node::{Count, Free, Tag, Then, Triggered};
use crate::front::structural_tag::text::{Found, Symbol};
use crate::grammar::{Control, NfaState};

impl Lowering<'_> {
    /// The content of a tag and its end, from behind its beginning.
    pub(super) fn within_tag(&mut self, tag: &Tag, begun: NfaState) -> Result<NfaState, Error> {
        let ends: Vec<Vec<Symbol>> = tag.ends.iter().map(|end| self.mark(end)).collect();
        let (empty, ends): (Vec<_>, Vec<_>) = ends.into_iter().partition(Vec::is_empty);
        let out = self.node(&tag.content, begun, &ends)?;
        let to = self.nfa.state();
        if let Some(open) = out.open {
            for end in &ends {
                let at = self.path(open, end);
                self.nfa.empty(at, to);
            }
        }
        let without_end = [out.open, out.free]
            .into_iter()
            .filter(|_| !empty.is_empty());
        for at in without_end.chain([out.closed]).flatten() {
            self.nfa.empty(at, to);
        }
        Ok(to)
    }

    /// Free text in which triggers begin something.
    pub(super) fn triggered(
        &mut self,
        triggered: &Triggered,
        from: NfaState,
        until: &[Vec<Symbol>],
    ) -> Result<Out, Error> {
        let count = triggered.count;
        let marks: Vec<Vec<Symbol>> = triggered
            .triggers
            .iter()
            .map(|trigger| self.mark(&trigger.mark))
            .collect();
        let (free, done) = (self.nfa.state(), self.nfa.state());
        let mut stops = Vec::new();
        for (trigger, mark) in triggered.triggers.iter().zip(&marks) {
            let found = self.nfa.state();
            stops.push(found);
            if count.must() {
                let at = self.path(from, mark);
                self.nfa.empty(at, found);
            }
            self.behind_trigger(&trigger.then, mark, found, done)?;
        }
        if count.again() {
            self.nfa.empty(done, free);
        }
        if !count.must() {
            self.nfa.empty(from, free);
        }
        let open = (!count.again()).then_some(done);
        if count == Count::One {
            return Ok(Out {
                open,
                ..Out::default()
            });
        }
        let out = self.between(&triggered.free, &marks, stops, free, until)?;
        Ok(Out {
            open: self.join([open, out.open]),
            ..out
        })
    }

    /// What stands before and between the things that triggers begin, from `free` on.
    fn between(
        &mut self,
        kind: &Free,
        marks: &[Vec<Symbol>],
        mut stops: Vec<NfaState>,
        free: NfaState,
        until: &[Vec<Symbol>],
    ) -> Result<Out, Error> {
        match kind {
            Free::TextBut(excludes) => {
                let closed = self.nfa.state();
                let mut search = self.search(excludes);
                for (number, mark) in marks.iter().enumerate() {
                    search.insert(mark, Found::Stop(number));
                }
                for end in until {
                    search.insert(end, Found::Stop(stops.len()));
                }
                stops.push(closed);
                Ok(Out {
                    open: None,
                    free: Some(self.free_text(search, free, &stops, None)?),
                    closed: (!until.is_empty()).then_some(closed),
                })
            }
            Free::TokensBut(excluded) => {
                let mut excluded = excluded.clone();
                for (mark, &stop) in marks.iter().zip(&stops) {
                    let at = self.path(free, mark);
                    self.nfa.empty(at, stop);
                    excluded.extend(self.names(mark));
                }
                for end in until {
                    excluded.extend(self.names(end));
                }
                let other = self.builder.control_for(Control::Except(excluded));
                self.nfa.control(free, other, free);
                Ok(Out {
                    open: Some(free),
                    ..Out::default()
                })
            }
        }
    }

    /// What may follow a trigger that has been read.
    fn behind_trigger(
        &mut self,
        then: &Then,
        trigger: &[Symbol],
        found: NfaState,
        done: NfaState,
    ) -> Result<(), Error> {
        match then {
            Then::Node(node) => {
                let to = self.whole(node, found)?;
                self.nfa.empty(to, done);
            }
            Then::Tags(tags) => {
                for tag in tags {
                    let begin = self.mark(&tag.begin);
                    let Some(rest) = begin.strip_prefix(trigger) else {
                        return Err(Error::Conflict {
                            pointer: tag.pointer.clone(),
                            reason: "the trigger ends within a special token of the tag's `begin`"
                                .to_owned(),
                        });
                    };
                    let begun = self.path(found, rest);
                    let to = self.within_tag(tag, begun)?;
                    self.nfa.empty(to, done);
                }
            }
        }
        Ok(())
    }

    pub(super) fn separated(
        &mut self,
        tags: &[Tag],
        separator: &str,
        count: Count,
        from: NfaState,
    ) -> Result<Out, Error> {
        let (first, done) = (self.after(from), self.nfa.state());
        for tag in tags {
            let begin = self.mark(&tag.begin);
            let begun = self.path(first, &begin);
            let to = self.within_tag(tag, begun)?;
            self.nfa.empty(to, done);
        }
        if count.again() {
            let separator = self.symbols(separator);
            let next = self.path(done, &separator);
            self.nfa.empty(next, first);
        }
        let none = (!count.must()).then_some(from);
        Ok(Out {
            open: self.join([Some(done), none]),
            ..Out::default()
        })
    }
}
