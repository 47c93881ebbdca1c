//! JSON as callers give it: a text, or what `json.dumps` writes.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::{Failure, Kind};

/// The JSON text of `value`: a string is JSON already, a pydantic model has a schema, and all else is
/// written by `json.dumps`, in its own order.
pub(crate) fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    let py = value.py();
    if value.hasattr("model_json_schema")? {
        return text(&value.call_method0("model_json_schema")?);
    }
    let options = PyDict::new(py);
    options.set_item("allow_nan", false)?;
    let dumped = py
        .import("json")?
        .call_method("dumps", (value,), Some(&options));
    match dumped {
        Ok(dumped) => dumped.extract(),
        Err(error)
            if error.is_instance_of::<PyTypeError>(py)
                || error.is_instance_of::<PyValueError>(py) =>
        {
            let message = format!("not JSON: {}", error.value(py));
            Err(Failure::new(Kind::Malformed, message).into())
        }
        Err(error) => Err(error),
    }
}
