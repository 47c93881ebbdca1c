//! What is wrong with a schema, what is probably not meant, and what it amounts to.

use maskwright::front::json_schema::{self, SchemaConfig};
use maskwright::front::schema_lint;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Failure, to_python};
use crate::json;
use crate::keywords::Keywords;
use crate::options;

fn read(
    schema: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(String, SchemaConfig)> {
    let keywords = Keywords::new(schema.py(), options)?;
    let config = options::schema(&keywords)?;
    keywords.finish()?;
    Ok((json::text(schema)?, config))
}

/// All that speaks against compiling a schema.
#[pyfunction]
#[pyo3(signature = (schema, **options))]
pub(crate) fn check_schema<'py>(
    schema: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = schema.py();
    let (text, config) = read(schema, options)?;
    let faults = py.detach(|| json_schema::faults(&text, &config));
    let failures = faults
        .iter()
        .map(|error| Failure::schema(error, Some(&text), "schema"));
    let faults: Vec<_> = failures
        .flat_map(|failure| failure.faults().to_vec())
        .collect();
    faults.iter().map(|fault| to_python(fault, py)).collect()
}

/// What is well-formed and probably not meant.
#[pyfunction]
#[pyo3(signature = (schema, **options))]
pub(crate) fn lint_schema<'py>(
    schema: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = schema.py();
    let (text, config) = read(schema, options)?;
    let warnings = py.detach(|| schema_lint::lint(&text, &config));
    let warnings = warnings.map_err(|error| Failure::schema(&error, Some(&text), "schema"))?;
    let class = py.import("maskwright._errors")?.getattr("Warning")?;
    let made = warnings.iter().map(|warning| {
        let fields = (
            warning.lint.name(),
            &warning.pointer,
            &warning.message,
            &warning.hint,
        );
        class.call1(fields)
    });
    made.collect()
}

/// What a schema amounts to: its distinct sets of values, and the formats, encodings and media types that are not known.
#[pyfunction]
#[pyo3(signature = (schema, **options))]
pub(crate) fn schema_report(
    py: Python<'_>,
    schema: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(usize, Vec<String>, Vec<String>)> {
    let (text, config) = read(schema, options)?;
    let compiled = py.detach(|| json_schema::compile(&text, &config));
    let compiled = compiled.map_err(|error| Failure::schema(&error, Some(&text), "schema"))?;
    let report = compiled.report();
    Ok((report.sets, report.unknown_formats, report.unknown_content))
}
