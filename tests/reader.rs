//! Readers made from formats: what they tell of turns, whole and in pieces, and that no text has two readings.

#![allow(clippy::unwrap_used)]

#[path = "reader/settled.rs"]
mod settled;
#[path = "reader/turns.rs"]
mod turns;
