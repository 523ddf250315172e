//! What a benchmark of the simulator runs: a drive, a workload, and the two ways to call it.
//!
//! The clock is the caller's: preparing a drive in its state and running the workload are two
//! calls, and only the second is to be timed. The same drive is reached either directly, as one
//! loop that the compiler sees whole, or through the two trait objects that the laboratory uses;
//! the difference is what the boundaries cost.

use base::io::Op;
use base::run::{Part, Unwatched, run_part};
use base::size::Bytes;
use base::target::Target;
use base::workload::{Job, Order, Span, Stop, Unrunnable, Workload};

use crate::catalogue::{CatalogueError, ModelOptions, open_hdd, open_ssd};
use crate::hdd::drive::Hdd;
use crate::model::Model;
use crate::ssd::drive::Drive;
use crate::ssd::ftl::slc::SlcPolicy;
use crate::ssd::parameters::Parameters;
use crate::virtual_time::Virtual;
use base::state::State;

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
    /// 4 KiB random reads at 32 in flight on the 840 EVO 750GB, filled sequentially: the map is extents.
    ReadsInOrder,
    /// The same after steady random overwriting: the whole map is dense.
    ReadsDense,
    /// 4 KiB random writes at 32 in flight in steady collection: 256 GB with 12 % spare.
    WritesCollecting,
    /// The same with 7 % spare.
    WritesCollectingMore,
    /// 128 KiB sequential writes on a fresh 970 EVO Plus 2TB.
    WritesInOrder,
    /// 4 KiB random reads at 32 in flight on a 3 TB disk: the choice among waiting accesses.
    DiskReads,
    /// 4 KiB random writes at 32 in flight on the same disk: the choice among runs in its cache.
    DiskWrites,
    /// 64 KiB sequential reads, one at a time, on the same disk: a full scan.
    DiskScanReads,
    /// 64 KiB sequential writes, one at a time, on the same disk.
    DiskScanWrites,
    /// 4 KiB random writes at 32 in flight on a shingled disk of 8 TB behind its cliff: a cleaning a write.
    ShingledWrites,
}

impl Case {
    /// All of them.
    pub const ALL: [Case; 10] = [
        Case::ReadsInOrder,
        Case::ReadsDense,
        Case::WritesCollecting,
        Case::WritesCollectingMore,
        Case::WritesInOrder,
        Case::DiskReads,
        Case::DiskWrites,
        Case::DiskScanReads,
        Case::DiskScanWrites,
        Case::ShingledWrites,
    ];

    /// What it is, in words.
    pub const fn title(self) -> &'static str {
        match self {
            Case::ReadsInOrder => "4K random reads, QD32, 840 EVO 750GB full in order",
            Case::ReadsDense => "4K random reads, QD32, 840 EVO 750GB, whole map dense",
            Case::WritesCollecting => {
                "4K random writes, QD32, steady collection, 256 GB, 12 % spare"
            }
            Case::WritesCollectingMore => {
                "4K random writes, QD32, steady collection, 256 GB, 7 % spare"
            }
            Case::WritesInOrder => "128K sequential writes, QD32, fresh 970 EVO Plus 2TB",
            Case::DiskReads => "4K random reads, QD32, Deskstar NAS 3TB",
            Case::DiskWrites => "4K random writes, QD32, Deskstar NAS 3TB",
            Case::DiskScanReads => "64K reads in order, QD1, Deskstar NAS 3TB",
            Case::DiskScanWrites => "64K writes in order, QD1, Deskstar NAS 3TB",
            Case::ShingledWrites => "4K random writes, QD32, Archive 8TB behind its cliff",
        }
    }

    /// Prepares the drive in its state, and the workload.
    ///
    /// # Errors
    /// Where the drive cannot be built, for want of memory.
    pub fn prepare(self, dispatch: Dispatch) -> Result<Prepared, CatalogueError> {
        if let Some(name) = self.disk() {
            let options = ModelOptions {
                state: self.state(),
                ..ModelOptions::default()
            };
            let disk = open_hdd(name, &options)?;
            return Ok(self.prepared(disk, dispatch, Called::Disk));
        }
        Ok(self.prepared(self.drive()?, dispatch, Called::Static))
    }

    fn prepared<M: Model + 'static>(
        self,
        drive: M,
        dispatch: Dispatch,
        inlined: fn(Box<Virtual<M>>) -> Called,
    ) -> Prepared {
        let capacity = drive.info().capacity;
        let called = match dispatch {
            Dispatch::Static => inlined(Box::new(Virtual::new(drive))),
            Dispatch::Dyn => {
                let model: Box<dyn Model> = Box::new(drive);
                Called::Dyn(Box::new(Virtual::new(model)))
            }
        };
        Prepared {
            called,
            work: self.workload(capacity),
            part: Part::default(),
        }
    }

    const fn disk(self) -> Option<&'static str> {
        match self {
            Case::DiskReads | Case::DiskWrites | Case::DiskScanReads | Case::DiskScanWrites => {
                Some("hgst-deskstar-nas-hdn724030-3tb")
            }
            Case::ShingledWrites => Some("seagate-archive-st8000as0002-8tb"),
            _ => None,
        }
    }

    fn state(self) -> State {
        match self {
            Case::ReadsInOrder => "full-in-order",
            Case::ReadsDense | Case::ShingledWrites => "steady-random",
            // As the last write left it: collection begins at once.
            Case::WritesCollecting | Case::WritesCollectingMore => "steady-random,idle=0s",
            _ => "fresh",
        }
        .parse()
        .unwrap_or_default()
    }

    fn drive(self) -> Result<Drive, CatalogueError> {
        let mut options = ModelOptions {
            state: self.state(),
            seed: 1,
            ..ModelOptions::default()
        };
        let flash_percent = match self {
            Case::WritesCollecting => 112,
            Case::WritesCollectingMore => 107,
            Case::WritesInOrder => return open_ssd("samsung-970-evo-plus-2tb", &options),
            _ => return open_ssd("samsung-840-evo-750gb", &options),
        };
        options.state = State::FRESH;
        let evo = open_ssd("samsung-840-evo-750gb", &options)?;
        let p = with_flash(evo.parameters().clone(), flash_percent);
        Ok(Drive::in_state(p, options.seed, &self.state())?)
    }

    fn workload(self, capacity: Bytes) -> Workload {
        let (op, order, size, depth) = match self {
            Case::ReadsInOrder | Case::ReadsDense | Case::DiskReads => {
                (Op::Read, Order::Random, 4, 32)
            }
            Case::WritesCollecting
            | Case::WritesCollectingMore
            | Case::DiskWrites
            | Case::ShingledWrites => (Op::Write, Order::Random, 4, 32),
            Case::WritesInOrder => (Op::Write, Order::Sequential, 128, 32),
            Case::DiskScanReads => (Op::Read, Order::Sequential, 64, 1),
            Case::DiskScanWrites => (Op::Write, Order::Sequential, 64, 1),
        };
        let size = Bytes::kib(size);
        let span = Span::first(capacity.round_down(size));
        let job = Job::closed("bench", op, order, span, size, depth);
        Workload::single(job, Stop::default(), 1)
    }
}

/// The drive's flash without an SLC area, for 256 GB, as much of it as is said in per cent of that.
fn with_flash(p: Parameters, percent: u64) -> Parameters {
    let capacity = Bytes::gb(256);
    let superblock = u64::from(p.geometry.superblock_pages()) * 4_096;
    let mut geometry = p.geometry;
    geometry.superblocks = (capacity.get() * percent / 100).div_ceil(superblock) as u32;
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
    Disk(Box<Virtual<Hdd>>),
    Dyn(Box<dyn Target>),
}

/// A drive in its state with a workload, ready to be timed.
pub struct Prepared {
    called: Called,
    work: Workload,
    /// Where sequential I/O continues: only so is a drive written sequentially again and again.
    part: Part,
}

impl Prepared {
    /// Runs so many I/Os of the workload, in order from where the last ones ended; gives those that
    /// were recorded.
    ///
    /// # Errors
    /// Where the workload cannot run on the drive.
    pub fn run(&mut self, ios: u64) -> Result<u64, Unrunnable> {
        self.work.stop.ios = Some(ios);
        let (work, part) = (&self.work, self.part);
        let record = match &mut self.called {
            Called::Static(target) => run_part(&mut **target, "bench", work, part, &mut Unwatched)?,
            Called::Disk(target) => run_part(&mut **target, "bench", work, part, &mut Unwatched)?,
            Called::Dyn(target) => run_part(&mut **target, "bench", work, part, &mut Unwatched)?,
        };
        self.part.from = record.done_below;
        Ok(record.jobs[0].ops.iter().map(|op| op.ios).sum())
    }

    /// What the drive's tables take now, where it is a solid-state drive that is called directly.
    pub fn memory(&mut self) -> Option<Tables> {
        let Called::Static(target) = &mut self.called else {
            return None;
        };
        let drive = target.model();
        Some(Tables {
            bytes: Bytes::new(drive.memory() as u64),
            pages: drive.ftl().pool.valid(),
        })
    }
}

/// A solid-state drive's tables in memory: the map, the way back, and what is kept of superblocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tables {
    /// Bytes that they take.
    pub bytes: Bytes,
    /// Pages of 4 KiB that are mapped.
    pub pages: u64,
}
