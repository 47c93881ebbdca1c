//! Memory that masks and logits lie in: somebody else's array, an address, or our own. The only file with
//! `unsafe`.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple};

const DLTENSOR: &CStr = c"dltensor";
/// The kinds of devices whose memory a processor reaches: its own, and pinned for CUDA or ROCm.
const HOST_DEVICES: [i32; 3] = [1, 3, 11];

/// `DLTensor` of DLPack 1.0, `dlpack.h`; also what a managed tensor of version 0 begins with.
#[repr(C)]
struct DlTensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
}

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// An integer of 32 bits, with or without a sign.
    Word,
    F32,
    F16,
    Bf16,
}

impl Element {
    const fn bytes(self) -> usize {
        match self {
            Self::Word | Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }
}

/// Rows of elements. The elements of a row lie side by side.
pub(crate) struct Memory {
    start: *mut u8,
    rows: usize,
    columns: usize,
    /// From one row to the next, in elements; at least `columns`.
    stride: usize,
    element: Element,
    /// Held by whoever reads or writes rows, so that no two threads do so at once by this object.
    lock: Mutex<()>,
    /// What keeps the memory alive; `None` where that is the caller's word.
    _owner: Option<Py<PyAny>>,
    /// Memory of our own.
    _own: Box<[u32]>,
}

// SAFETY: the memory is reached under `lock` only, and `_owner` keeps it alive on any thread.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Rows of our own, all zero.
    pub(crate) fn own(rows: usize, columns: usize) -> Self {
        let mut own = vec![0u32; rows.saturating_mul(columns)].into_boxed_slice();
        Self {
            start: own.as_mut_ptr().cast(),
            rows,
            columns,
            stride: columns,
            element: Element::Word,
            lock: Mutex::new(()),
            _owner: None,
            _own: own,
        }
    }

    /// Words at an address. That they are there, and stay as long as this lives, is the caller's word.
    pub(crate) fn at(address: usize, rows: usize, columns: usize, stride: usize) -> PyResult<Self> {
        if address == 0 || !address.is_multiple_of(align_of::<u32>()) {
            return Err(PyValueError::new_err(format!(
                "{address:#x} is no address of 32-bit words"
            )));
        }
        if stride < columns {
            return Err(PyValueError::new_err(format!(
                "a stride of {stride} words, where a row has {columns}"
            )));
        }
        Ok(Self {
            start: address as *mut u8,
            rows,
            columns,
            stride,
            element: Element::Word,
            lock: Mutex::new(()),
            _owner: None,
            _own: Box::default(),
        })
    }

    /// The memory of an array of one or two dimensions: by DLPack where it has that (NumPy, PyTorch, JAX),
    /// else by the buffer protocol, as words.
    pub(crate) fn of(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        match array.hasattr("__dlpack__")? {
            true => Self::of_dlpack(array),
            false => Self::of_buffer(array),
        }
    }

    fn of_dlpack(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let capsule = array.call_method0("__dlpack__")?.cast_into::<PyCapsule>()?;
        let tensor = capsule.pointer_checked(Some(DLTENSOR))?.cast::<DlTensor>();
        // SAFETY: a capsule of this name holds a `DLManagedTensor`, which begins with its `DLTensor`; it lives as
        // long as the capsule, which is not renamed and so keeps it.
        let tensor = unsafe { tensor.as_ref() };
        if !HOST_DEVICES.contains(&tensor.device_type) {
            let device = tensor.device_type;
            return Err(PyBufferError::new_err(format!(
                "the memory is on a device (DLPack's type {device}), where the processor's is needed"
            )));
        }
        let element = match (tensor.code, tensor.bits, tensor.lanes) {
            (0 | 1, 32, 1) => Element::Word,
            (2, 32, 1) => Element::F32,
            (2, 16, 1) => Element::F16,
            (4, 16, 1) => Element::Bf16,
            _ => {
                return Err(PyTypeError::new_err(
                    "neither 32-bit integers nor floats of 32 or 16 bits",
                ));
            }
        };
        let ndim = usize::try_from(tensor.ndim).unwrap_or(0);
        let (shape, strides) = match ndim {
            1 | 2 => {
                // SAFETY: both have `ndim` members; strides may be absent.
                let list = |at: *const i64| {
                    (!at.is_null()).then(|| unsafe { std::slice::from_raw_parts(at, ndim) })
                };
                (list(tensor.shape).unwrap_or_default(), list(tensor.strides))
            }
            _ => return Err(dimensions(ndim)),
        };
        let shape: Vec<usize> = shape
            .iter()
            .map(|&n| usize::try_from(n).unwrap_or(0))
            .collect();
        let &columns = shape.last().unwrap_or(&0);
        let rows = if ndim == 2 { shape[0] } else { 1 };
        let stride = match strides {
            Some(strides) if columns > 1 && strides[ndim - 1] != 1 => return Err(scattered()),
            Some(strides) if ndim == 2 && rows > 1 => {
                usize::try_from(strides[0]).map_err(|_| scattered())?
            }
            _ => columns,
        };
        if stride < columns {
            return Err(scattered());
        }
        let offset = usize::try_from(tensor.byte_offset).unwrap_or(0);
        let start = tensor.data.cast::<u8>().wrapping_add(offset);
        if rows * columns > 0 && (start.is_null() || !start.addr().is_multiple_of(element.bytes()))
        {
            return Err(PyBufferError::new_err(
                "the memory is not aligned to its elements",
            ));
        }
        Ok(Self {
            start,
            rows,
            columns,
            stride,
            element,
            lock: Mutex::new(()),
            _owner: Some(capsule.into_any().unbind()),
            _own: Box::default(),
        })
    }

    /// By way of `ctypes`, since the stable interface of Python 3.10 has no buffers. What it makes holds the buffer.
    fn of_buffer(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = array.py();
        let view = py
            .import("builtins")?
            .getattr("memoryview")?
            .call1((array,))?;
        let item: usize = view.getattr("itemsize")?.extract()?;
        let format: String = view.getattr("format")?.extract()?;
        if item != 4
            || !format
                .trim_start_matches(['@', '=', '<'])
                .starts_with(['i', 'I', 'l', 'L'])
        {
            return Err(PyTypeError::new_err(format!(
                "a buffer of format {format:?}, where 32-bit integers are needed"
            )));
        }
        let shape = view.getattr("shape")?.cast_into::<PyTuple>()?;
        let shape: Vec<usize> = shape.extract()?;
        let (rows, columns) = match *shape.as_slice() {
            [columns] => (1, columns),
            [rows, columns] => (rows, columns),
            _ => return Err(dimensions(shape.len())),
        };
        if !view.getattr("c_contiguous")?.extract::<bool>()? {
            return Err(scattered());
        }
        let ctypes = py.import("ctypes")?;
        let bytes = view.call_method1("cast", ("B",))?;
        let held = ctypes
            .getattr("c_char")?
            .call_method1("from_buffer", (bytes,))?;
        let address: usize = ctypes.call_method1("addressof", (&held,))?.extract()?;
        let mut memory = Self::at(address, rows, columns, columns)?;
        memory._owner = Some(held.unbind());
        Ok(memory)
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    pub(crate) fn element(&self) -> Element {
        self.element
    }

    pub(crate) fn address(&self) -> usize {
        self.start.addr()
    }

    /// Takes the memory for this thread.
    pub(crate) fn lock(&self) -> Locked<'_> {
        Locked {
            memory: self,
            _guard: self.lock.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

fn dimensions(given: usize) -> PyErr {
    PyValueError::new_err(format!("{given} dimensions, where one or two are needed"))
}

fn scattered() -> PyErr {
    PyBufferError::new_err("the elements of a row do not lie side by side")
}

/// [`Memory`] that is this thread's.
pub(crate) struct Locked<'m> {
    memory: &'m Memory,
    _guard: MutexGuard<'m, ()>,
}

impl Locked<'_> {
    /// A row of words.
    ///
    /// # Panics
    /// Never: callers have checked `row`, and that there are words.
    pub(crate) fn words(&mut self, row: usize) -> &mut [u32] {
        self.row(row)
    }

    /// A row of elements as `T`.
    pub(crate) fn row<T>(&mut self, row: usize) -> &mut [T] {
        let memory = self.memory;
        assert!(row < memory.rows && size_of::<T>() == memory.element.bytes());
        if memory.columns == 0 {
            return &mut [];
        }
        // SAFETY: the row lies within the memory, which is aligned, alive and locked; every pattern of bits is a
        // `T`, which is a number; the borrow of `self` keeps the row from being lent twice.
        unsafe {
            let start = memory.start.cast::<T>().add(row * memory.stride);
            std::slice::from_raw_parts_mut(start, memory.columns)
        }
    }

    /// Ranges of rows, all at once; `None` if two of them overlap, or more than one row is asked of
    /// memory whose rows do not lie one after the other.
    pub(crate) fn ranges(&mut self, ranges: &[Range<usize>]) -> Option<Vec<&mut [u32]>> {
        let memory = self.memory;
        assert!(memory.element == Element::Word);
        let mut order: Vec<_> = ranges.iter().collect();
        order.sort_by_key(|range| range.start);
        let disjoint = order.windows(2).all(|pair| pair[0].end <= pair[1].start);
        let inside = ranges
            .iter()
            .all(|range| range.start <= range.end && range.end <= memory.rows);
        let whole = memory.stride == memory.columns || ranges.iter().all(|range| range.len() <= 1);
        if !(disjoint && inside && whole) {
            return None;
        }
        if memory.columns == 0 {
            return Some(ranges.iter().map(|_| Default::default()).collect());
        }
        let lend = |range: &Range<usize>| {
            // SAFETY: as in `row`; the ranges are disjoint, and so is what is lent.
            unsafe {
                let start = memory.start.cast::<u32>().add(range.start * memory.stride);
                std::slice::from_raw_parts_mut(start, range.len() * memory.columns)
            }
        };
        Some(ranges.iter().map(lend).collect())
    }
}
