//! What a trace holds, from one pass over it: how much of what, where, when, and with which sizes.
//!
//! The pass finds malformed lines before a drive is touched, and its counts represent the trace in forecasts and
//! records. Its memory use does not grow with the trace.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{BadTrace, Traced};
use base::io::{Fill, Op};
use base::rng::splitmix64;
use base::size::Bytes;
use base::time::Duration;
use base::workload::{Access, Arrivals, Job, Order, Pacing, Span, Stop, Workload};

/// Maximum number of distinct sizes in the representing workload; a trace with more is represented by its largest.
const MOST_SIZES: usize = 16;
/// Maximum number of distinct drives.
const MOST_DEVICES: usize = 64;

/// What a trace holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    pub reads: u64,
    pub writes: u64,
    pub trims: u64,
    pub flushes: u64,
    pub read_bytes: Bytes,
    pub written_bytes: Bytes,
    /// First byte that is touched.
    pub start: Bytes,
    /// First byte after all that is touched.
    pub end: Bytes,
    /// The longest read or write.
    pub largest: Bytes,
    /// The longest I/O of any kind.
    pub longest: Bytes,
    /// The greatest common divisor of all offsets and lengths: the trace's alignment.
    pub granule: Bytes,
    /// From the first send to the last.
    pub lasts: Duration,
    /// The greatest common divisor of all times, counted from the first: the resolution of the trace's clock.
    #[serde(default)]
    pub tick: Duration,
    /// I/Os with the same time as the one before.
    #[serde(default)]
    pub together: u64,
    /// I/Os that are sent later than the trace says, since their lines stand too far behind.
    #[serde(default)]
    pub late: u64,
    /// I/Os with a completion in the trace.
    pub completions: u64,
    /// Drives in the trace, up to 64.
    pub drives: u32,
    /// Sizes of reads and writes, with how many there are and how many of those are reads; only the largest,
    /// with all of them, where there are more than 16.
    pub sizes: Vec<(Bytes, u64, u64)>,
    /// Mixes all I/Os with their times and order.
    pub digest: u64,
}

/// Greatest common divisor; that of 0 and a number is the number.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

impl Survey {
    /// Looks at all I/Os of a trace.
    ///
    /// # Errors
    /// The first line that makes no sense.
    pub fn of(trace: impl Iterator<Item = Result<Traced, BadTrace>>) -> Result<Survey, BadTrace> {
        let mut survey = Survey::default();
        let mut sizes = BTreeMap::<Bytes, (u64, u64)>::new();
        let mut drives = BTreeSet::new();
        let mut began = None;
        for traced in trace {
            let traced = traced?;
            let began = *began.get_or_insert(traced.sent.at);
            let since = traced.sent.at.saturating_sub(began);
            survey.together +=
                u64::from(survey.ios() + survey.flushes > 0 && since == survey.lasts);
            survey.lasts = since;
            let tick = divisor(survey.tick.as_nanos(), survey.lasts.as_nanos());
            survey.tick = Duration::from_nanos(tick);
            if drives.len() < MOST_DEVICES {
                drives.insert(traced.device);
            }
            survey.late += u64::from(traced.late);
            survey.take(&traced);
            let io = &traced.io;
            if matches!(io.op, Op::Read | Op::Write) && sizes.len() <= MOST_SIZES {
                let counted = sizes.entry(io.len).or_default();
                counted.0 += 1;
                counted.1 += u64::from(io.op == Op::Read);
            }
        }
        survey.drives = drives.len() as u32;
        survey.sizes = if sizes.len() > MOST_SIZES {
            let all = survey.reads + survey.writes;
            vec![(survey.largest, all, survey.reads)]
        } else {
            let entry = |(size, (all, reads))| (size, all, reads);
            sizes.into_iter().map(entry).collect()
        };
        Ok(survey)
    }

    fn take(&mut self, traced: &Traced) {
        let io = &traced.io;
        let parts = [
            traced.sent.at.as_nanos(),
            traced.done.map_or(u64::MAX, |done| done.at.as_nanos()),
            io.op as u64,
            io.offset.get(),
            io.len.get(),
        ];
        for part in parts {
            self.digest = splitmix64(self.digest ^ part);
        }
        self.completions += u64::from(traced.done.is_some());
        match io.op {
            Op::Flush => {
                self.flushes += 1;
                return;
            }
            Op::Read => {
                self.reads += 1;
                self.read_bytes = self.read_bytes.saturating_add(io.len);
            }
            Op::Write => {
                self.writes += 1;
                self.written_bytes = self.written_bytes.saturating_add(io.len);
            }
            Op::Trim => self.trims += 1,
        }
        if io.op != Op::Trim {
            self.largest = self.largest.max(io.len);
        }
        self.longest = self.longest.max(io.len);
        let granule = divisor(self.granule.get(), io.offset.get());
        self.granule = Bytes::new(divisor(granule, io.len.get()));
        let first = self.end.is_zero();
        self.start = if first {
            io.offset
        } else {
            self.start.min(io.offset)
        };
        self.end = self.end.max(io.end());
    }

    /// Whether the trace's clock counts whole seconds, and several I/Os share one: how they queued is then not in it. A
    /// trace without any time has no clock.
    pub fn has_whole_seconds(&self) -> bool {
        let second = Duration::from_secs(1).as_nanos();
        let has_a_clock = !self.tick.is_zero();
        has_a_clock && self.tick.as_nanos().is_multiple_of(second) && self.together > 0
    }

    /// Reads, writes and trims.
    pub fn ios(&self) -> u64 {
        self.reads + self.writes + self.trims
    }

    /// The workload that represents a replay of the trace in a record: range, sizes and shares, number, mean rate
    /// (`depth` in flight if the trace's timing is not kept), and as its seed the digest.
    pub fn workload(&self, name: &str, span: Span, depth: Option<u32>, fill: Fill) -> Workload {
        let rate = self.ios() as f64 / self.lasts.as_secs_f64().max(1e-9);
        let pacing = match depth {
            Some(depth) => Pacing::Closed {
                depth,
                think: Duration::ZERO,
                burst: 1,
            },
            None => Pacing::Open {
                per_second: rate.clamp(1e-3, 1e9),
                arrivals: Arrivals::Even,
            },
        };
        let most = self.sizes.iter().map(|size| size.1).max().unwrap_or(1);
        // Weights of 32 bits.
        let scale = most / u64::from(u32::MAX >> 8) + 1;
        let access = |&(size, all, reads): &(Bytes, u64, u64)| Access {
            weight: u32::try_from((all / scale).max(1)).unwrap_or(u32::MAX),
            size,
            read_percent: (reads * 100 / all.max(1)).min(100) as u8,
            trims: false,
        };
        let job = Job {
            accesses: self.sizes.iter().map(access).collect(),
            fill,
            pacing,
            ..Job::closed(name, Op::Read, Order::Recorded, span, Bytes::SECTOR, 1)
        };
        let mut work = Workload::single(job, Stop::after_ios(self.ios()), self.digest);
        work.keep.series = match self.lasts > Duration::from_secs(600) {
            true => Duration::from_secs(1),
            false => Duration::from_millis(100),
        };
        work
    }
}

impl Survey {
    /// As stored with a setting.
    pub fn note(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// What [`Survey::note`] made; nothing of anything else.
    pub fn of_note(note: &serde_json::Value) -> Option<Survey> {
        serde_json::from_value(note.clone()).ok()
    }

    /// The same on a target with such blocks, to which offsets and ends are rounded outwards: sizes may grow.
    #[must_use]
    pub fn in_blocks(mut self, block: Bytes) -> Survey {
        if !self.granule.is_multiple_of(block) {
            let grown = |size: Bytes| size.round_up(block) + block;
            (self.largest, self.longest) = (grown(self.largest), grown(self.longest));
            for size in &mut self.sizes {
                size.0 = grown(size.0);
            }
        }
        self
    }

    /// What is left of it without writes, trims and flushes.
    #[must_use]
    pub fn of_reads(mut self) -> Survey {
        (self.writes, self.trims, self.flushes) = (0, 0, 0);
        self.written_bytes = Bytes::ZERO;
        self.sizes.retain(|size| size.2 > 0);
        for size in &mut self.sizes {
            size.1 = size.2;
        }
        self
    }
}
