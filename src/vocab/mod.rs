//! The `vocab` layer.
