//! The C interface: check, call, translate. `include/maskwright.h` is its documentation, and
//! `capi/tests/ffi_header.rs` holds the two together by name, arity and type.
//!
//! From the bottom: `status` has the codes, and `failure` turns the errors of the layers below into
//! them; `panic`, `pointer`, `text` and `options` are the way in and out; `error` is the handle of
//! what went wrong, and has the guards that every call runs in. Then a file per kind of handle; what a
//! constraint is asked for is `request`'s, with `constraint_options`, `chat` and `lead`.

// The one layer that takes pointers from elsewhere.
#![allow(unsafe_code)]

mod chat;
mod constraint;
mod constraint_options;
mod error;
mod failure;
mod fork;
mod lead;
mod mask;
mod options;
mod panic;
mod pointer;
mod reader;
mod request;
mod session;
mod status;
mod text;
mod version;
mod vocabulary;
