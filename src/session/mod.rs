//! The `session` layer.
