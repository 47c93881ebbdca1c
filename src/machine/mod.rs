//! The `machine` layer.
