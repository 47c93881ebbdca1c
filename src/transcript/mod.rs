//! The `transcript` layer.
