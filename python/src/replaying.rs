//! Arrays of I/Os on a modelled drive, and the time of each back as an array.
//!
//! The arrays come as bytes: Python's stable interface has buffers from version 3.11 on only, and a copy of eight
//! megabytes costs a thousandth of what a million simulated I/Os take. So no memory is shared with a thread of Python that
//! might write to it meanwhile, either.

use base::io::Op;
use base::run::ReplayPace;
use base::size::Bytes;
use base::time::Duration;
use lab::io_list::{IoTimes, ListReplay, ListedIo, ReplayedList, replay};
use pyo3::prelude::*;

use crate::errors::{Failure, raise};
use crate::frame::{Columns, Frame};
use crate::worker::with_signals;

/// What Python asks for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct AskedReplay {
    target: String,
    seed: u64,
    /// Above 0; nothing where I/Os are sent as fast as possible.
    speed: Option<f64>,
    depth: u32,
}

/// Columns of equal length: times in nanoseconds, operations as letters, first bytes, lengths.
#[derive(FromPyObject)]
pub(crate) struct Arrays {
    time_ns: Vec<u8>,
    op: Vec<u8>,
    offset: Vec<u8>,
    length: Vec<u8>,
}

/// The whole numbers of eight bytes in an array.
fn wholes<'a>(bytes: &'a [u8], name: &'a str) -> impl Iterator<Item = Result<u64, Failure>> + 'a {
    let (eights, _) = bytes.as_chunks::<8>();
    eights.iter().enumerate().map(move |(at, eight)| {
        let number = i64::from_ne_bytes(*eight);
        let negative = || Failure::invalid(format!("{name}[{at}] is {number}: below 0"));
        u64::try_from(number).map_err(|_| negative())
    })
}

impl Arrays {
    fn list(&self) -> Result<Vec<ListedIo>, Failure> {
        let ios = self.op.len();
        for (name, bytes) in [
            ("time_ns", &self.time_ns),
            ("offset", &self.offset),
            ("length", &self.length),
        ] {
            if bytes.len() != 8 * ios {
                let has = bytes.len() / 8;
                let line = format!("{name} has {has} values, and op has {ios}");
                return Err(Failure::invalid(line));
            }
        }
        let times = wholes(&self.time_ns, "time_ns");
        let places = wholes(&self.offset, "offset").zip(wholes(&self.length, "length"));
        let each = times.zip(places).zip(self.op.iter().enumerate());
        each.map(|((time, (offset, length)), (at, op))| {
            Ok(ListedIo {
                at: Duration::from_nanos(time?),
                op: op_of(*op, at)?,
                offset: Bytes::new(offset?),
                len: Bytes::new(length?),
            })
        })
        .collect()
    }
}

fn op_of(number: u8, at: usize) -> Result<Op, Failure> {
    let found = Op::ALL.into_iter().find(|op| *op as u8 == number);
    found.ok_or_else(|| {
        Failure::invalid(format!(
            "op[{at}] is {number}: 0 is a read, 1 a write, 2 a trim, 3 a flush"
        ))
    })
}

/// Replays them; gives a row for each, in their order, and the exception that ended it early, if one did.
#[pyfunction]
pub(crate) fn replay_arrays(
    py: Python<'_>,
    asked: AskedReplay,
    arrays: Arrays,
    callback: Option<Py<PyAny>>,
) -> PyResult<(Frame, Option<PyErr>)> {
    let list = raise(py, arrays.list())?;
    let pace = match asked.speed {
        Some(speed) if speed.is_finite() && speed > 0.0 => ReplayPace::Timed { speed },
        Some(speed) => {
            return Err(Failure::invalid(format!("a speed of {speed}: it is above 0")).raised(py));
        }
        None => ReplayPace::Unpaced,
    };
    let ended = with_signals(py, callback.as_ref(), |teller, interrupt| {
        let asked = ListReplay {
            target: &asked.target,
            seed: asked.seed,
            pace,
            depth: asked.depth.max(1),
        };
        let mut told = |done| teller.parts(done, list.len());
        replay(&asked, &list, interrupt, &mut told).map(|replayed| timed(&replayed))
    });
    Ok((raise(py, ended.outcome)?.frame()?, ended.stopped_by))
}

/// The columns; an I/O that was not complete is -1.
fn timed(replayed: &ReplayedList) -> Columns {
    let whole = |duration: Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    let column = |of: &dyn Fn(&IoTimes) -> i64| -> Vec<i64> {
        let each = replayed.times.iter();
        each.map(|times| times.as_ref().map_or(-1, of)).collect()
    };
    Columns::default()
        .signed("due_ns", column(&|times| whole(times.due)))
        .signed("sent_ns", column(&|times| whole(times.sent)))
        .signed("done_ns", column(&|times| whole(times.done)))
        .signed(
            "latency_ns",
            column(&|times| whole(times.done.saturating_sub(times.sent))),
        )
        .signed(
            "response_ns",
            column(&|times| whole(times.done.saturating_sub(times.due))),
        )
        .signed("errno", column(&|times| i64::from(times.errno)))
}
