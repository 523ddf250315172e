//! Work in a thread of its own, while the calling thread answers Ctrl-C and shows progress.
//!
//! A measuring thread must not wait for Python's lock, or another thread of the interpreter would show up as a stall of
//! the drive. So it only sends what there is to tell; the calling thread holds the lock for as long as the callback takes,
//! and asks every twentieth of a second whether a signal has come. After one, the work is asked to stop, and what it gives
//! back then is kept.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use base::interrupt::Interrupt;
use base::message::Message;
use lab::progress::{Progress, Standing};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How long a signal may wait for its answer.
const PATIENCE: Duration = Duration::from_millis(50);

/// What the worker tells.
enum Told {
    /// How far it is.
    Standing(Shown),
    /// Something to be read once.
    Said(String),
    /// Work of several parts: how many are done, of how many.
    Parts(usize, usize),
}

/// How far a run is; see [`Standing`].
struct Shown {
    target: String,
    method: String,
    phase: String,
    mb_s: Option<f64>,
    iops: Option<f64>,
    fraction: Option<f64>,
    left_seconds: Option<f64>,
    simulated: bool,
}

/// The worker's side.
pub(crate) struct Teller(Sender<Told>);

impl Teller {
    /// Tells how many parts are done.
    pub(crate) fn parts(&self, done: usize, of: usize) {
        // Nobody listens any more only where the caller has gone, too.
        let _ = self.0.send(Told::Parts(done, of));
    }
}

impl Progress for Teller {
    fn show(&mut self, standing: &Standing<'_>) {
        let shown = Shown {
            target: standing.target.to_owned(),
            method: standing.method[0].to_owned(),
            phase: standing.phase.to_owned(),
            mb_s: standing.mb_s,
            iops: standing.iops,
            fraction: standing.fraction,
            left_seconds: standing.left.map(base::time::Duration::as_secs_f64),
            simulated: standing.simulated,
        };
        let _ = self.0.send(Told::Standing(shown));
    }

    fn say(&mut self, said: &Message) {
        let _ = self.0.send(Told::Said(said.as_str().to_owned()));
    }
}

/// What came of the work, and the exception that stopped it, if one did: of a signal, or of the callback.
pub(crate) struct Ended<T> {
    pub(crate) outcome: T,
    pub(crate) stopped_by: Option<PyErr>,
}

/// Does the work in another thread. `callback` is called with a dictionary for each thing told.
pub(crate) fn with_signals<T: Send>(
    py: Python<'_>,
    callback: Option<&Py<PyAny>>,
    work: impl FnOnce(Teller, &Interrupt) -> T + Send,
) -> Ended<T> {
    let interrupt = Interrupt::new();
    py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let asked = interrupt.clone();
            let worker = scope.spawn(move || work(Teller(sender), &asked));
            let stopped_by = listen(&receiver, callback, &interrupt);
            match worker.join() {
                Ok(outcome) => Ended {
                    outcome,
                    stopped_by,
                },
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    })
}

/// Hands on what is told until the worker has ended.
fn listen(
    receiver: &Receiver<Told>,
    callback: Option<&Py<PyAny>>,
    interrupt: &Interrupt,
) -> Option<PyErr> {
    let mut stopped_by = None;
    loop {
        let told = match receiver.recv_timeout(PATIENCE) {
            Ok(told) => Some(told),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return stopped_by,
        };
        // After the first exception nothing is shown any more, and a second Ctrl-C changes nothing.
        if stopped_by.is_some() {
            continue;
        }
        let heard = Python::attach(|py| {
            if let (Some(told), Some(callback)) = (told, callback) {
                callback.call1(py, (told.as_dictionary(py)?,))?;
            }
            py.check_signals()
        });
        if let Err(error) = heard {
            interrupt.flag().store(true, Ordering::Relaxed);
            stopped_by = Some(error);
        }
    }
}

impl Told {
    fn as_dictionary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let told = PyDict::new(py);
        match self {
            Told::Said(text) => told.set_item("said", text)?,
            Told::Parts(done, of) => {
                told.set_item("done", done)?;
                told.set_item("of", of)?;
            }
            Told::Standing(shown) => {
                told.set_item("target", &shown.target)?;
                told.set_item("method", &shown.method)?;
                told.set_item("phase", &shown.phase)?;
                told.set_item("mb_s", shown.mb_s)?;
                told.set_item("iops", shown.iops)?;
                told.set_item("fraction", shown.fraction)?;
                told.set_item("left_seconds", shown.left_seconds)?;
                told.set_item("simulated", shown.simulated)?;
            }
        }
        Ok(told)
    }
}
