//! What all steps of a script are together: counts, span, sizes, and a digest by which it is known.

use std::collections::BTreeMap;

use super::{Script, Step};
use crate::io::{Fill, Io, Op};
use crate::rng::splitmix64;
use crate::size::Bytes;
use crate::time::Duration;
use crate::workload::{Access, Job, Order, Span, Stop, Workload};

/// Maximum number of distinct sizes in the representing workload; a script with more is represented by its largest.
const MOST_SIZES: usize = 16;

/// All steps together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Whole {
    /// Number of steps.
    pub(crate) steps: u64,
    /// Nanoseconds of the host's own work and of all think times.
    host: u64,
    start: Option<Bytes>,
    end: Bytes,
    /// I/Os but flushes.
    ios: u64,
    /// By size: reads, and all.
    sizes: BTreeMap<Bytes, (u32, u32)>,
    /// What the last write was of.
    fill: Option<Fill>,
    /// A number that another script has with a probability of 2^-64 only.
    digest: u64,
}

impl Whole {
    pub(super) fn of(script: &Script) -> Whole {
        let mut whole = Whole {
            digest: splitmix64(u64::from(script.depth)),
            ..Whole::default()
        };
        script.each(|step, after| whole.add(step, after));
        whole
    }

    fn add(&mut self, step: &Step, after: &[u32]) {
        self.steps += 1;
        self.host = self.host.saturating_add(step.think.as_nanos());
        self.mix(step.think.as_nanos());
        if let Some(io) = &step.io {
            self.mix(io.op as u64 + 1);
            self.mix(io.offset.get());
            self.mix(io.len.get());
            if let Some(zone) = io.zone {
                self.mix(zone as u64 + 1);
            }
            self.add_io(io);
        }
        for after in after {
            self.mix(u64::from(*after));
        }
    }

    fn mix(&mut self, word: u64) {
        self.digest = splitmix64(self.digest ^ word);
    }

    fn add_io(&mut self, io: &Io) {
        self.start = Some(self.start.map_or(io.offset, |start| start.min(io.offset)));
        self.end = self.end.max(io.end());
        if io.op == Op::Write {
            self.fill = Some(io.fill);
        }
        if io.op != Op::Flush {
            self.ios += 1;
            let counted = self.sizes.entry(io.len).or_default();
            counted.0 += u32::from(io.op == Op::Read);
            counted.1 += 1;
        }
    }

    /// Sum of the host's own work and of all think times, which may overlap with I/Os.
    pub(crate) fn host(&self) -> Duration {
        Duration::from_nanos(self.host)
    }

    /// The workload that represents the script in a record.
    pub(super) fn workload(&self, name: &str, depth: u32) -> Workload {
        let start = self.start.unwrap_or(Bytes::ZERO);
        let span = Span::new(start, self.end.saturating_sub(start));
        let job = Job {
            accesses: self.accesses(),
            fill: self.fill.unwrap_or(Fill::FRESH),
            ..Job::closed(name, Op::Read, Order::Random, span, Bytes::SECTOR, depth)
        };
        let mut work = Workload::single(job, Stop::after_ios(self.ios), self.digest);
        work.keep.series = Duration::from_millis(100);
        work
    }

    fn accesses(&self) -> Vec<Access> {
        let mut sizes = self.sizes.clone();
        if sizes.len() > MOST_SIZES {
            let all = sizes.values().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
            sizes = sizes
                .keys()
                .next_back()
                .map(|most| (*most, all))
                .into_iter()
                .collect();
        }
        let access = |(size, (reads, all)): (Bytes, (u32, u32))| Access {
            weight: all,
            size,
            read_percent: (u64::from(reads) * 100 / u64::from(all.max(1))) as u8,
            trims: false,
        };
        sizes.into_iter().map(access).collect()
    }
}
