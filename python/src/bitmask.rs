//! `Bitmask`: rows of mask words, in whose memory ever they lie.

use std::ops::Range;

use maskwright::batch::{Bf16, F16, apply_mask};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::memory::{Element, Memory};
use crate::vocabulary::Vocabulary;

/// Rows of mask words, bit `id & 31` of word `id >> 5`, in the memory of an array or in its own.
#[pyclass(frozen, module = "maskwright")]
pub(crate) struct Bitmask {
    memory: Memory,
}

impl Bitmask {
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Checks a row's number, and that rows are as long as `words`.
    pub(crate) fn check(&self, row: usize, words: usize) -> PyResult<()> {
        if row >= self.memory.rows() {
            let rows = self.memory.rows();
            return Err(PyIndexError::new_err(format!("row {row} of {rows}")));
        }
        self.check_words(words)
    }

    pub(crate) fn check_words(&self, words: usize) -> PyResult<()> {
        let columns = self.memory.columns();
        if columns == words {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "a row has {columns} words, where the vocabulary needs {words}; if the model has more logits than \
             tokens, make the vocabulary with `logits`"
        )))
    }
}

#[pymethods]
impl Bitmask {
    /// The rows of an array of 32-bit integers with one or two dimensions, which stays alive.
    #[new]
    pub(crate) fn new(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let memory = Memory::of(array)?;
        match memory.element() {
            Element::Word => Ok(Self { memory }),
            _ => Err(PyTypeError::new_err(
                "a mask is of 32-bit integers, not of floats",
            )),
        }
    }

    /// Rows of its own for a vocabulary, all zero. `numpy.asarray` shows them without a copy.
    #[staticmethod]
    fn allocate(rows: usize, vocabulary: &Vocabulary) -> Self {
        let words = vocabulary.vocabulary().mask_words();
        Self {
            memory: Memory::own(rows, words),
        }
    }

    /// Rows at an address, `stride` words apart. That they are there and stay is the caller's word.
    #[staticmethod]
    #[pyo3(signature = (address, rows, words, stride=None))]
    fn from_pointer(
        address: usize,
        rows: usize,
        words: usize,
        stride: Option<usize>,
    ) -> PyResult<Self> {
        let memory = Memory::at(address, rows, words, stride.unwrap_or(words))?;
        Ok(Self { memory })
    }

    /// Rows and words.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.memory.rows(), self.memory.columns())
    }

    /// The tokens that a row allows.
    fn allowed(&self, row: usize) -> PyResult<Vec<usize>> {
        self.check(row, self.memory.columns())?;
        let mut locked = self.memory.lock();
        let bits = locked
            .words(row)
            .iter()
            .enumerate()
            .flat_map(|(index, &word)| {
                let set: Range<usize> = 0..32;
                set.filter(move |bit| word >> bit & 1 == 1)
                    .map(move |bit| index * 32 + bit)
            });
        Ok(bits.collect())
    }

    /// Sets the logits that a row does not allow to minus infinity. `logits` is an array of floats of 32 or
    /// 16 bits in the processor's memory; of one with several rows, `logits_row` is masked.
    #[pyo3(signature = (logits, row=0, logits_row=0))]
    fn apply(&self, logits: &Bound<'_, PyAny>, row: usize, logits_row: usize) -> PyResult<()> {
        self.check(row, self.memory.columns())?;
        let target = Memory::of(logits)?;
        if logits_row >= target.rows() {
            let rows = target.rows();
            return Err(PyIndexError::new_err(format!(
                "row {logits_row} of {rows} of the logits"
            )));
        }
        let mut locked = self.memory.lock();
        let mask = locked.words(row);
        let mut floats = target.lock();
        match target.element() {
            Element::F32 => apply_mask(mask, floats.row::<f32>(logits_row)),
            Element::F16 => apply_mask(mask, floats.row::<F16>(logits_row)),
            Element::Bf16 => apply_mask(mask, floats.row::<Bf16>(logits_row)),
            Element::Word => return Err(PyTypeError::new_err("logits are floats, not integers")),
        }
        Ok(())
    }

    /// NumPy's array interface, version 3.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item(
            "typestr",
            if cfg!(target_endian = "little") {
                "<i4"
            } else {
                ">i4"
            },
        )?;
        interface.set_item("shape", self.shape())?;
        interface.set_item("strides", (self.memory.stride() * 4, 4))?;
        interface.set_item("data", (self.memory.address(), false))?;
        Ok(interface)
    }

    fn __repr__(&self) -> String {
        let (rows, words) = self.shape();
        format!("<Bitmask of {rows} rows of {words} words>")
    }
}
