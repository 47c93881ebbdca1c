//! The `abnf` layer.
