//! The `grammar` layer.
