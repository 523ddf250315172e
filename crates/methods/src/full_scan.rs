//! Full scan: the whole surface in order.
//!
//! **What it measures.** Rate by position, with a min-max band at each position, and the
//! distribution of response times over every access of the drive.
//!
//! **Who published it.** Ladybug Systems' disk tester HDT-201A; acceptance tests of disks do the same.
//!
//! **Protocol.** The whole surface in order, 64 KiB an access, one at a time without a wait, caches
//! on; reads first, then writes. The curve has 1,024 positions; the band at a position runs from the
//! slowest to the fastest of the sixteen slices of its range. The shortened scan covers the first
//! part only.
//!
//! **What it cannot tell.** How the drive behaves under random access or with a queue. Over a fresh
//! SSD the reads find nothing written, and are answered without touching the flash.

use base::bench::{Bench, Stopped};
use base::io::Op;
use base::method::{Card, Forecast, Kind, Method, SettingCard, Settings};
use base::record::{AddressBins, PhaseRecord};
use base::result::Judgement;
use base::size::Bytes;
use base::target::Info;
use base::time::Duration;
use base::workload::{Job, Keep, Order, Span, Stop, Workload};

use crate::figures::{WHOLE, conditions};
use crate::mark_cell::ops_of;
use crate::scan::{Pass, Position, charts};

/// The method.
pub(crate) struct FullScan;

/// Positions of the transfer curve.
const POSITIONS: u32 = 1_024;

static CARD: Card = Card {
    id: "full-scan",
    title: "Full scan",
    publisher: "after the HDT-201A disk tester (Ladybug Systems)",
    summary: "The whole surface in order: transfer curve with its min-max band, and the response-time distribution of every access. Bad sectors are counted, not a reason to stop.",
    version: 1,
    writes: true,
    files: true,
    models_only: false,
    settings: &[
        SettingCard {
            key: "extent",
            help: "how much is scanned, from the start",
            kind: Kind::Size {
                min: Bytes::mib(1),
                max: Bytes::new(u64::MAX),
                or_whole: true,
            },
            by_scale: ["1GiB", "whole", "whole"],
        },
        SettingCard {
            key: "block",
            help: "bytes an access",
            kind: Kind::Size {
                min: Bytes::new(512),
                max: Bytes::mib(16),
                or_whole: false,
            },
            by_scale: ["64KiB", "64KiB", "64KiB"],
        },
        SettingCard {
            key: "ops",
            help: "directions; as-allowed writes where the target may be written",
            kind: Kind::Choice(&["as-allowed", "read-write", "read", "write"]),
            by_scale: ["as-allowed", "as-allowed", "as-allowed"],
        },
    ],
};

fn extent(settings: &Settings, on: &Info) -> Bytes {
    settings
        .size_or_whole("extent", on.capacity)
        .min(on.capacity)
        .round_down(on.block)
}

impl Method for FullScan {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast {
        let extent = extent(settings, on);
        let ops = ops_of(settings, on);
        let all_if = |op| {
            if ops.contains(&op) {
                extent
            } else {
                Bytes::ZERO
            }
        };
        Forecast {
            time: None,
            reads: Some(all_if(Op::Read)),
            writes: Some(all_if(Op::Write)),
            written: if ops.contains(&Op::Write) {
                vec![Span::first(extent)]
            } else {
                Vec::new()
            },
            extent,
        }
    }

    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<Judgement, Stopped> {
        let info = bench.info();
        let span = Span::first(extent(settings, &info));
        let mut passes = Vec::new();
        for op in ops_of(settings, &info) {
            let job = Job::closed(
                op.name(),
                op,
                Order::Sequential,
                span,
                settings.size("block"),
                1,
            );
            let stop = Stop {
                passes: Some(1),
                ..Stop::default()
            };
            let mut work = Workload::single(job, stop, settings.seed);
            work.keep = Keep {
                series: Duration::from_secs(1),
                bins: Some(POSITIONS),
            };
            let record = bench.phase(op.name(), &work)?;
            let mut pass = pass(op, record, &work);
            if span.len == info.capacity.round_down(info.block) {
                pass.by.span = WHOLE.to_owned();
            }
            passes.push(pass);
        }
        let figures = passes.iter().flat_map(Pass::figures).collect();
        Ok(Judgement {
            figures,
            charts: charts(&passes),
            notes: Vec::new(),
        })
    }
}

fn pass(op: Op, record: &PhaseRecord, work: &Workload) -> Pass {
    let job = record.job();
    Pass {
        op,
        positions: job.bins.as_ref().map(positions).unwrap_or_default(),
        responses: job.ops[op as usize].service.clone(),
        mean_mb_s: record.rate().map(|r| r.mb_s()),
        errors: record.errors(),
        phases: vec![record.name.clone()],
        by: conditions(work),
    }
}

fn positions(bins: &AddressBins) -> Vec<Position> {
    let position = |(i, bin): (usize, &base::record::AddressBin)| {
        Some(Position {
            at: bins.start_of(i),
            low: bin.slowest_rate()?.mb_s(),
            mean: bin.rate()?.mb_s(),
            high: bin.fastest_rate()?.mb_s(),
        })
    };
    bins.bins.iter().enumerate().filter_map(position).collect()
}
