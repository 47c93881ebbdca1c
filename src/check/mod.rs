//! The `check` layer.
