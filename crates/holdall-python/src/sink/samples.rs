//! What functions of Python make for objects beyond their rows, by samples: to measure each would take longer than to make it.

use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;
use holdall::Result;
use holdall::bindings::memory::Grow;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::Builder;
use super::charges;
use super::class::Measured;
use super::kept::LayoutId;
use crate::raw;
use crate::support;

/// The first object of a class that can be measured: few cost no time. Those before it are free, whatever their fields are.
const FIRST_MEASURED: u32 = 8;

/// The objects of a class in one message, for which functions make more than their rows say.
#[derive(Default)]
pub(super) struct SampledClass {
    count: u32,
    /// The first object, until another is measured.
    first: Option<Sample>,
    /// What measured objects have in them, by its address. What is in a later one, too, is not made for each.
    seen: Option<Py<PyDict>>,
    /// By the fields that the data give.
    shapes: HashMap<u64, SampledShape>,
}

#[derive(Default)]
struct SampledShape {
    count: u32,
    /// The least of those measured: objects differ, and honest data are not to be refused because of some large ones.
    least: Option<u64>,
}

/// Returns the value of a key, which is made if it is not there.
fn found_in<K: Copy + Eq + Hash, V: Default>(map: &mut HashMap<K, V>, key: K) -> &mut V {
    map.room(1);
    map.entry(key).or_default()
}

/// An object, or what was made for it; the names of the fields that the data gave; and the function that measures it.
struct Sample {
    measure: &'static str,
    made: Py<PyAny>,
    given: Py<PyTuple>,
}

impl Sample {
    /// Returns the bytes of what was not seen, which is then seen.
    fn bytes(&self, seen: &Bound<'_, PyDict>) -> PyResult<u64> {
        support(seen.py(), self.measure)?.call1((seen, &self.made, &self.given))?.extract()
    }
}

impl SampledClass {
    /// Counts an object. Returns whether it is a sample.
    fn is_sample(&mut self, shape: u64) -> bool {
        let own = found_in(&mut self.shapes, shape);
        self.count = self.count.saturating_add(1);
        own.count = own.count.saturating_add(1);
        self.count == 1 || self.count >= FIRST_MEASURED && own.count.is_power_of_two()
    }

    /// Takes the first object, or returns what is needed to measure a later one.
    fn add(&mut self, py: Python<'_>, sample: Sample) -> Option<Measurement> {
        if self.count == 1 {
            self.first = Some(sample);
            return None;
        }
        let seen = self.seen.as_ref().map(|seen| seen.clone_ref(py));
        Some(Measurement { first: self.first.take(), sample, seen })
    }

    fn measured(&mut self, shape: u64, (bytes, seen): (u64, Py<PyDict>)) {
        self.seen.get_or_insert(seen);
        if let Some(own) = self.shapes.get_mut(&shape) {
            own.least = Some(own.least.map_or(bytes, |least| least.min(bytes)));
        }
    }

    /// Charges what was made for an object.
    fn charge(&self, shape: u64) -> Result<()> {
        self.shapes.get(&shape).and_then(|own| own.least).map_or(Ok(()), charges::take)
    }
}

/// A sample to be measured. This can run code, which may make other objects of the class.
struct Measurement {
    first: Option<Sample>,
    sample: Sample,
    seen: Option<Py<PyDict>>,
}

impl Measurement {
    /// Returns the bytes of the sample, and all that was seen.
    fn done(self, py: Python<'_>) -> PyResult<(u64, Py<PyDict>)> {
        let seen = match self.seen {
            Some(seen) => seen.into_bound(py),
            None => raw::dict(py)?,
        };
        if let Some(first) = &self.first {
            first.bytes(&seen)?;
        }
        Ok((self.sample.bytes(&seen)?, seen.unbind()))
    }
}

impl<'py> Builder<'py, '_> {
    /// Returns the class of a layout, and the number of its fields among those of the class.
    fn sampled(&mut self, layout: LayoutId) -> (&mut SampledClass, u64) {
        let class = Arc::as_ptr(&self.kept.layout(layout).class) as usize;
        (found_in(&mut self.sampled, class), layout as u64)
    }

    /// Counts an object, for which functions make more than its rows say. Returns whether that is a sample.
    pub(super) fn is_sample(&mut self, layout: LayoutId) -> bool {
        let (class, shape) = self.sampled(layout);
        class.is_sample(shape)
    }

    /// Samples what factories made for fields that the data lack.
    pub(super) fn sample_defaults(
        &mut self,
        layout: LayoutId,
        made: Vec<Bound<'py, PyAny>>,
    ) -> Result<()> {
        let made = raw::tuple_of(self.py, made.into_iter().map(Ok));
        let made = self.check(made)?.into_any().unbind();
        let given = self.empty.clone().unbind();
        self.sample(layout, Sample { measure: "made_anew", made, given })
    }

    /// Charges an object that a function of Python made, or set fields of.
    pub(super) fn charge_object(
        &mut self,
        layout: LayoutId,
        object: &Bound<'py, PyAny>,
    ) -> Result<()> {
        if !matches!(self.kept.layout(layout).measured, Measured::Object(_)) {
            return Ok(());
        }
        let is_sample = self.is_sample(layout);
        let own = self.kept.layout(layout);
        if is_sample && let Measured::Object(given) = &own.measured {
            let (made, given) = (object.clone().unbind(), given.clone_ref(self.py));
            let measure = if own.class.has_size() { "lacking_fields" } else { "beyond_fields" };
            self.sample(layout, Sample { measure, made, given })?;
        }
        self.charge_made(layout)
    }

    /// Charges what was made for an object, by the samples of its layout.
    pub(super) fn charge_made(&mut self, layout: LayoutId) -> Result<()> {
        let (class, shape) = self.sampled(layout);
        class.charge(shape)
    }

    fn sample(&mut self, layout: LayoutId, sample: Sample) -> Result<()> {
        let py = self.py;
        let (class, _) = self.sampled(layout);
        let Some(measurement) = class.add(py, sample) else { return Ok(()) };
        let measured = measurement.done(py);
        let measured = self.check(measured)?;
        let (class, shape) = self.sampled(layout);
        class.measured(shape, measured);
        Ok(())
    }
}

/// The same for objects of a class that Python's side makes. An exception can bring it to another thread.
#[pyclass(frozen, module = "holdall._holdall")]
pub struct Samples(Mutex<SampledClass>);

impl Samples {
    /// Returns the class, for work that runs no code.
    fn class(&self) -> MutexGuard<'_, SampledClass> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Samples {
    #[new]
    fn new() -> Samples {
        Samples(Mutex::default())
    }

    /// Charges an object to which the data gave fields of these names.
    fn pay(&self, object: &Bound<'_, PyAny>, given: &Bound<'_, PyTuple>) -> PyResult<()> {
        let py = object.py();
        let shape = given.hash()?.cast_unsigned() as u64;
        let is_sample = self.class().is_sample(shape);
        if is_sample {
            let (made, given) = (object.clone().unbind(), given.clone().unbind());
            let sample = Sample { measure: "beyond_fields", made, given };
            let measurement = self.class().add(py, sample);
            if let Some(measurement) = measurement {
                let measured = measurement.done(py)?;
                self.class().measured(shape, measured);
            }
        }
        let charged = self.class().charge(shape);
        charged.map_err(|error| charges::refusal(py, &error))
    }
}
