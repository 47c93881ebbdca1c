//! The `json_schema` layer.
