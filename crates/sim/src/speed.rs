//! What a benchmark of the simulator runs: a drive, a workload, and the two ways to call it.
//!
//! The clock is the caller's: preparing a drive in its state and running the workload are two calls,
//! and only the second is to be timed. The same drive is reached either directly, as one loop that
//! the compiler sees whole, or through the two trait objects that the laboratory uses; the
//! difference is what the boundaries cost.

use base::io::Op;
use base::run::{Unwatched, run};
use base::size::Bytes;
use base::target::Target;
use base::workload::{Job, Order, Span, Stop, Unrunnable, Workload};

use crate::catalogue::{CatalogueError, ModelOptions, open_ssd};
use crate::model::Model;
use crate::ssd::drive::Drive;
use crate::ssd::parameters::Parameters;
use crate::ssd::slc::SlcPolicy;
use crate::state::State;
use crate::virtual_time::Virtual;

/// How the drive is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dispatch {
    /// The compiler sees loop, clock and drive at once.
    Static,
    /// Through `dyn Target` and `dyn Model`, as the laboratory does.
    Dyn,
}

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// 4 KiB random reads at 32 in flight on the 840 EVO 750GB, full in order: the map is extents.
    ReadsInOrder,
    /// The same after steady random overwriting: the whole map is dense.
    ReadsDense,
    /// 4 KiB random writes at 32 in flight in steady collection: 256 GB with 12 % spare.
    WritesCollecting,
    /// 128 KiB sequential writes on a fresh 840 EVO 750GB.
    WritesInOrder,
}

impl Case {
    /// All of them.
    pub const ALL: [Case; 4] = [
        Case::ReadsInOrder,
        Case::ReadsDense,
        Case::WritesCollecting,
        Case::WritesInOrder,
    ];

    /// What it is, in words.
    pub const fn title(self) -> &'static str {
        match self {
            Case::ReadsInOrder => "4K random reads, QD32, 840 EVO 750GB full in order",
            Case::ReadsDense => "4K random reads, QD32, 840 EVO 750GB, whole map dense",
            Case::WritesCollecting => {
                "4K random writes, QD32, steady collection, 256 GB, 12 % spare"
            }
            Case::WritesInOrder => "128K sequential writes, QD32, fresh 840 EVO 750GB",
        }
    }

    /// Prepares the drive in its state, and the workload of so many I/Os.
    ///
    /// # Errors
    /// Where the drive cannot be built, for want of memory.
    pub fn prepare(self, dispatch: Dispatch, ios: u64) -> Result<Prepared, CatalogueError> {
        let drive = self.drive()?;
        let capacity = drive.info().capacity;
        let called = match dispatch {
            Dispatch::Static => Called::Static(Box::new(Virtual::new(drive))),
            Dispatch::Dyn => {
                let model: Box<dyn Model> = Box::new(drive);
                Called::Dyn(Box::new(Virtual::new(model)))
            }
        };
        Ok(Prepared {
            called,
            work: self.workload(capacity, ios),
        })
    }

    fn drive(self) -> Result<Drive, CatalogueError> {
        let state: State = match self {
            Case::WritesInOrder => "fresh",
            Case::ReadsInOrder => "full-in-order",
            Case::ReadsDense => "steady-random",
            // As the last write left it: collection begins at once.
            Case::WritesCollecting => "steady-random,idle=0s",
        }
        .parse()
        .unwrap_or_default();
        let mut options = ModelOptions {
            state,
            seed: 1,
            ..ModelOptions::default()
        };
        if self != Case::WritesCollecting {
            return open_ssd("samsung-840-evo-750gb", &options);
        }
        options.state = State::FRESH;
        let evo = open_ssd("samsung-840-evo-750gb", &options)?;
        let p = spare_12_percent(evo.parameters().clone());
        Ok(Drive::in_state(p, options.seed, &state)?)
    }

    fn workload(self, capacity: Bytes, ios: u64) -> Workload {
        let (op, order, size) = match self {
            Case::ReadsInOrder | Case::ReadsDense => (Op::Read, Order::Random, 4),
            Case::WritesCollecting => (Op::Write, Order::Random, 4),
            Case::WritesInOrder => (Op::Write, Order::Sequential, 128),
        };
        let size = Bytes::kib(size);
        let span = Span::first(capacity.round_down(size));
        let job = Job::closed("bench", op, order, span, size, 32);
        let stop = Stop {
            ios: Some(ios),
            ..Stop::default()
        };
        Workload::single(job, stop, 1)
    }
}

/// The drive's flash without an SLC area, for 256 GB with 12 % more flash than that.
fn spare_12_percent(p: Parameters) -> Parameters {
    let capacity = Bytes::gb(256);
    let superblock = u64::from(p.geometry.superblock_pages()) * 4_096;
    let mut geometry = p.geometry;
    geometry.superblocks = (capacity.get() * 112 / 100).div_ceil(superblock) as u32;
    Parameters {
        capacity,
        geometry,
        slc: SlcPolicy::default(),
        unused_superblocks: 0,
        ..p
    }
}

enum Called {
    Static(Box<Virtual<Drive>>),
    Dyn(Box<dyn Target>),
}

/// A drive in its state with a workload, ready to be timed.
pub struct Prepared {
    called: Called,
    work: Workload,
}

impl Prepared {
    /// Runs the workload; gives the I/Os that were recorded.
    ///
    /// # Errors
    /// Where the workload cannot run on the drive.
    pub fn run(&mut self) -> Result<u64, Unrunnable> {
        let record = match &mut self.called {
            Called::Static(target) => run(&mut **target, "bench", &self.work, &mut Unwatched)?,
            Called::Dyn(target) => run(&mut **target, "bench", &self.work, &mut Unwatched)?,
        };
        Ok(record.jobs[0].ops.iter().map(|op| op.ios).sum())
    }
}
