//! Keyword arguments, each taken once: what is left at the end is unknown.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Failure;

/// The keyword arguments of one call.
pub(crate) struct Keywords<'py>(Bound<'py, PyDict>);

impl<'py> Keywords<'py> {
    pub(crate) fn new(py: Python<'py>, given: Option<&Bound<'py, PyDict>>) -> PyResult<Self> {
        let copied = given.map_or_else(|| Ok(PyDict::new(py)), |given| given.copy())?;
        Ok(Self(copied))
    }

    /// The value of `name`; `None` where there is none, or it is `None`.
    pub(crate) fn any(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.0.get_item(name)?;
        if found.is_some() {
            self.0.del_item(name)?;
        }
        Ok(found.filter(|value| !value.is_none()))
    }

    pub(crate) fn take<T>(&self, name: &str, otherwise: T) -> PyResult<T>
    where
        T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
    {
        match self.any(name)? {
            Some(value) => value.extract::<T>(),
            None => Ok(otherwise),
        }
    }

    pub(crate) fn dict(&self, name: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
        let found = self.any(name)?.map(|value| value.cast_into::<PyDict>());
        Ok(found.transpose()?)
    }

    /// Sets `field` to the member of `known` that `name` gives, if it gives one.
    pub(crate) fn choose<T: Clone>(
        &self,
        name: &str,
        known: &[(&str, T)],
        field: &mut T,
    ) -> PyResult<()> {
        if let Some(given) = self.any(name)? {
            *field = choice(name, &given.extract::<String>()?, known)?;
        }
        Ok(())
    }

    /// Sees that nothing is left.
    ///
    /// # Errors
    /// An argument that nothing has asked for.
    pub(crate) fn finish(&self) -> PyResult<()> {
        let Some((name, _)) = self.0.iter().next() else {
            return Ok(());
        };
        let message = format!("there is no option {name}");
        Err(pyo3::exceptions::PyTypeError::new_err(message))
    }
}

/// The member of `known` that is called `given`.
pub(crate) fn choice<T: Clone>(
    argument: &str,
    given: &str,
    known: &[(&str, T)],
) -> Result<T, Failure> {
    let found = known.iter().find(|(name, _)| *name == given);
    found.map(|(_, value)| value.clone()).ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|(name, _)| format!("{name:?}")).collect();
        Failure::invalid(format!("`{argument}`: {given:?} is no value of it"))
            .hint(format!("it is one of {}", names.join(", ")))
    })
}
