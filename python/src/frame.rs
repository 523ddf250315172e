//! A table that other libraries take without a copy: the Arrow C stream.
//!
//! polars, pandas 3, pyarrow, DuckDB and nanoarrow all accept any object with `__arrow_c_stream__`, so none of them is
//! needed, here or in the package. The crate `arrow-array` makes the stream; a capsule around it is three lines. The crate
//! `pyo3-arrow`, made for this, would bring NumPy and half of Arrow along for what is not used here: reading tables from
//! Python.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_schema::{Field, Schema};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};

use crate::errors::internal;

/// The name that the protocol gives the capsule.
const STREAM: &std::ffi::CStr = c"arrow_array_stream";

/// Columns before they are a table.
#[derive(Default)]
pub(crate) struct Columns {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl Columns {
    fn with(mut self, name: &str, array: ArrayRef) -> Columns {
        let field = Field::new(name, array.data_type().clone(), array.null_count() > 0);
        self.fields.push(field);
        self.arrays.push(array);
        self
    }

    /// A column of texts.
    pub(crate) fn text<T: AsRef<str>>(self, name: &str, values: &[T]) -> Columns {
        let values = values.iter().map(|value| Some(value.as_ref()));
        self.with(name, Arc::new(values.collect::<StringArray>()))
    }

    /// A column of texts that may be missing.
    pub(crate) fn text_or_none(self, name: &str, values: &[Option<String>]) -> Columns {
        let values = values.iter().map(Option::as_deref);
        self.with(name, Arc::new(values.collect::<StringArray>()))
    }

    /// A column of numbers that may be missing.
    pub(crate) fn float_or_none(self, name: &str, values: Vec<Option<f64>>) -> Columns {
        self.with(name, Arc::new(Float64Array::from(values)))
    }

    /// A column of whole numbers. Nothing that drivelab counts comes near 2^63; what would is cut off there.
    pub(crate) fn whole(self, name: &str, values: impl IntoIterator<Item = u64>) -> Columns {
        let values = values.into_iter();
        let values: Vec<i64> = values
            .map(|n| i64::try_from(n).unwrap_or(i64::MAX))
            .collect();
        self.signed(name, values)
    }

    /// A column of whole numbers, taken over as they are.
    pub(crate) fn signed(self, name: &str, values: Vec<i64>) -> Columns {
        self.with(name, Arc::new(Int64Array::from(values)))
    }

    /// The table; all columns are equally long.
    pub(crate) fn frame(self) -> PyResult<Frame> {
        let schema = Arc::new(Schema::new(self.fields));
        let batch = RecordBatch::try_new(schema, self.arrays).map_err(internal)?;
        Ok(Frame { batch })
    }
}

/// A table of columns from Python, each its name, its kind (`text` or `number`) and its values; any may be missing.
#[pyfunction]
pub(crate) fn frame_of(of: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<Frame> {
    let with = |columns: Columns, (name, kind, values): &(String, String, Bound<'_, PyAny>)| {
        Ok::<_, PyErr>(match kind.as_str() {
            "number" => columns.float_or_none(name, values.extract()?),
            _ => columns.text_or_none(name, &values.extract::<Vec<Option<String>>>()?),
        })
    };
    of.iter().try_fold(Columns::default(), with)?.frame()
}

/// A table.
#[pyclass(frozen, module = "drivelab")]
pub(crate) struct Frame {
    batch: RecordBatch,
}

impl Frame {
    fn column(&self, name: &str) -> PyResult<&ArrayRef> {
        self.batch.column_by_name(name).ok_or_else(|| {
            PyKeyError::new_err(format!(
                "there is no column '{name}': there are {}",
                self.columns().join(", ")
            ))
        })
    }
}

impl Frame {
    /// A column of texts.
    pub(crate) fn texts(&self, name: &str) -> PyResult<&StringArray> {
        let texts = self.column(name)?.as_any().downcast_ref::<StringArray>();
        texts.ok_or_else(|| PyTypeError::new_err(format!("column '{name}' holds no texts")))
    }

    /// A column of whole numbers.
    pub(crate) fn wholes(&self, name: &str) -> PyResult<&[i64]> {
        let numbers = self.column(name)?.as_any().downcast_ref::<Int64Array>();
        let numbers = numbers.map(|numbers| &numbers.values()[..]);
        numbers.ok_or_else(|| PyTypeError::new_err(format!("column '{name}' holds no whole numbers")))
    }
}

#[pymethods]
impl Frame {
    /// The table as a stream of Arrow's C interface. A requested schema is not looked at, as the protocol allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = [Ok(self.batch.clone())];
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, STREAM)
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let schema = self.batch.schema();
        let fields = schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// A column as a list.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let column: &dyn Array = self.column(name)?;
        let any = column.as_any();
        if let Some(texts) = any.downcast_ref::<StringArray>() {
            return PyList::new(py, texts.iter().collect::<Vec<_>>());
        }
        if let Some(numbers) = any.downcast_ref::<Float64Array>() {
            return PyList::new(py, numbers.iter().collect::<Vec<_>>());
        }
        if let Some(numbers) = any.downcast_ref::<Int64Array>() {
            return PyList::new(py, numbers.iter().collect::<Vec<_>>());
        }
        Err(internal("a column of an unknown type"))
    }

    /// The bytes of a column of numbers without gaps, and the letter of their type in the module `struct`.
    fn raw<'py>(&self, py: Python<'py>, name: &str) -> PyResult<(Bound<'py, PyBytes>, char)> {
        let column = self.column(name)?;
        let numbers: (&[u8], char) = if let Some(of) = column.as_any().downcast_ref::<Int64Array>()
        {
            (bytes_of::<Int64Type>(of), 'q')
        } else if let Some(of) = column.as_any().downcast_ref::<Float64Array>() {
            (bytes_of::<Float64Type>(of), 'd')
        } else {
            return Err(PyTypeError::new_err(format!(
                "{name} is no column of numbers"
            )));
        };
        if column.null_count() > 0 {
            return Err(PyTypeError::new_err(format!(
                "{name} has gaps: take it as a list"
            )));
        }
        Ok((PyBytes::new(py, numbers.0), numbers.1))
    }
}

/// The values of a column as they lie in memory.
fn bytes_of<T: arrow_array::ArrowPrimitiveType>(column: &arrow_array::PrimitiveArray<T>) -> &[u8] {
    column.values().inner().as_slice()
}
