//! The `regular` layer.
