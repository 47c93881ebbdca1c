//! The `chat` layer.
