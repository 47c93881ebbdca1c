//! Constraints of one engine share a budget: those that are idle make room, and nobody is told anything else for it.

use maskwright::base::{Limits, TokenId};
use maskwright::check::{CheckConfig, drive};
use maskwright::front::json_schema::Whitespace;
use maskwright::session::{Constraint, ConstraintConfig, Engine, Session};

use super::{engine_within, grammar};

const SCHEMA: &str = r#"{"type": "array", "items": {"type": "object"}}"#;

fn engine(engine_bytes: usize) -> Engine {
    let mut limits = Limits::default();
    limits.engine_bytes = engine_bytes;
    engine_within(&limits)
}

fn constraint(engine: &Engine) -> Constraint {
    let grammar = grammar(SCHEMA, Whitespace::Json, Limits::default());
    let config = ConstraintConfig::default();
    engine.constraint(grammar, &config).unwrap()
}

/// Accepts so many objects, each with a key of its own, and takes a mask now and then.
fn write(session: &mut Session, objects: usize) {
    let mut row = vec![0; session.constraint().vocabulary().mask_words()];
    for number in 0..objects {
        let opening = if session.is_empty() { '[' } else { ',' };
        let text = format!("{opening}{{\"k{}\": {number}}}", session.len());
        for byte in text.bytes() {
            session.accept(TokenId::new(u32::from(byte))).unwrap();
        }
        session.mask(&mut row).unwrap();
    }
}

#[test]
fn idle_constraints_make_room() {
    const MOST: usize = 2 << 20;
    let alone = engine(usize::MAX);
    let one = constraint(&alone);
    write(&mut one.session(), 300);
    let each = alone.constraint_bytes();
    assert!(each > MOST / 8, "{each} bytes are too few to fill anything");

    let engine = engine(MOST);
    let all: Vec<Constraint> = (0..40).map(|_| constraint(&engine)).collect();
    for one in &all {
        write(&mut one.session(), 300);
        let held = engine.constraint_bytes();
        assert!(held <= MOST + MOST / 4, "{held} bytes are held");
    }
    drop(all);
    assert_eq!(engine.constraint_bytes(), 0);
}

/// How many states its generation has.
fn states(session: &Session) -> usize {
    let told = format!("{session:?}");
    let rest = told.split_once("Generation { states: ").unwrap().1;
    let number = rest.split(|c: char| !c.is_ascii_digit()).next();
    number.unwrap().parse().unwrap()
}

#[test]
fn who_is_in_use_stays_warm_while_idle_ones_make_room() {
    const MOST: usize = 8 << 20;
    let engine = engine(MOST);
    let used = constraint(&engine);
    let mut session = used.session();
    write(&mut session, 100);
    let before = states(&session);
    let mut idle = Vec::new();
    for _ in 0..60 {
        idle.push(constraint(&engine));
        let mut other = idle.last().unwrap().session();
        for _ in 0..10 {
            write(&mut other, 30);
            // All of it is warm.
            let newest = *session.tokens().last().unwrap();
            session.rollback(1).unwrap();
            session.accept(newest).unwrap();
        }
    }
    assert_eq!(states(&session), before, "it has begun anew");
    let held = engine.constraint_bytes();
    assert!(held > MOST / 2 && held <= MOST + MOST / 4, "{held} bytes");
    // The others have not all begun anew.
    let kept: Vec<usize> = idle.iter().map(|one| states(&one.session())).collect();
    let fresh = kept.iter().filter(|&&states| states < 100).count();
    assert!((1..idle.len()).contains(&fresh), "{kept:?}");
}

#[test]
fn sessions_in_what_makes_room_go_on_as_they_were() {
    let (small, large) = (engine(1 << 20), engine(usize::MAX));
    let pairs: Vec<_> = (0..12)
        .map(|_| (constraint(&small), constraint(&large)))
        .collect();
    let mut sessions: Vec<(Session, Session)> = pairs
        .iter()
        .map(|(small, large)| (small.session(), large.session()))
        .collect();
    let words = small.vocabulary().mask_words();
    let (mut row, mut expected) = (vec![0; words], vec![0; words]);
    for round in 0..6 {
        for (small, large) in &mut sessions {
            write(small, 40);
            write(large, 40);
            let written = small.tokens();
            let left = written.len() - 30 * round;
            for session in [&mut *small, &mut *large] {
                session.rollback(30 * round).unwrap();
            }
            small.mask(&mut row).unwrap();
            large.mask(&mut expected).unwrap();
            assert_eq!(row, expected);
            let way = |session: &Session| session.way_out().unwrap().len();
            assert_eq!(way(small), way(large));
            for &token in &written[left..] {
                small.accept(token).unwrap();
                large.accept(token).unwrap();
            }
        }
    }
}

/// The whole promise, where every few calls somebody makes room.
#[test]
fn the_promise_holds_without_any_room() {
    let engine = engine(0);
    let all: Vec<Constraint> = (0..3).map(|_| constraint(&engine)).collect();
    let mut seed = 1u32;
    let mut choose = |n: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % n
    };
    for round in 0..9 {
        let config = CheckConfig::default().steps(60, 60).reference_every(16);
        let held = drive(&all[round % 3], &config, &mut choose, &mut |_| Ok(()));
        held.unwrap();
    }
}
