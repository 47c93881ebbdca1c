//! The `mask` layer.
