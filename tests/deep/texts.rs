//! Texts that have ever more open, or are read on and on as one.

use maskwright::base::{Limits, TokenId};
use maskwright::front::abnf::{Abnf, Unbound};
use maskwright::session::{Constraint, ConstraintConfig, SessionError};

fn brackets(limits: &Limits) -> Constraint {
    let abnf = Abnf::parse("a = \"[\" *b [ a ] \"]\"\r\nb = %x61-7A\r\n", limits).unwrap();
    let grammar = abnf.lower("a", &mut Unbound, limits).unwrap();
    let constraint = super::engine().constraint(grammar, &ConstraintConfig::default());
    constraint.unwrap()
}

fn small() -> Limits {
    let mut limits = Limits::default();
    limits.machine_bytes = 1 << 20;
    limits
}

#[test]
fn what_is_open_takes_half_of_the_room_at_most() {
    let mut session = brackets(&small()).session();
    let (open, close) = (TokenId::new(b'['.into()), TokenId::new(b']'.into()));
    let error = (0..1_000_000).find_map(|_| session.accept(open).err());
    let Some(SessionError::Limit(error)) = error else {
        panic!("nothing is refused");
    };
    assert_eq!(error.what, "bytes for what a text has open");
    assert!(error.to_string().contains("raise `machine_bytes`"));
    let accepted = session.len();
    assert!(accepted > 1_000, "{accepted}");
    assert_eq!(session.tokens(), vec![open; accepted]);
    // Half as deep, all can be closed again, however often room is made meanwhile.
    session.rollback(accepted / 2).unwrap();
    for _ in 0..accepted - accepted / 2 {
        session.accept(close).unwrap();
    }
    assert!(session.may_end());
}

#[test]
fn a_text_is_held_to_work_and_what_is_known_costs_nothing() {
    let mut limits = Limits::default();
    limits.work = 200_000;
    let constraint = brackets(&limits);
    let mut reader = constraint.recogniser();
    let error = (0..1_000_000).find_map(|_| reader.byte(b'[').err());
    let error = error.expect("the limit is met");
    assert_eq!(error.what, "steps to read a text");
    let expected = reader.expected();
    assert_eq!(reader.byte(b'['), Err(error));
    assert_eq!(reader.expected(), expected);
    // However long a text is that comes by the same states.
    let mut reader = constraint.recogniser();
    assert!(reader.byte(b'[').unwrap());
    assert!((0..1_000_000).all(|_| reader.byte(b'a').unwrap()));
}
