//! Write amplification: what a drive writes to its flash for each byte that the host writes.
//!
//! **What it measures.** The drive's own counters of host and flash writes before and after each of four workloads, and
//! their ratio: how much of the drive's work, and of its endurance, goes into moving data. Two drives with the same rate
//! can differ by a factor of three here.
//!
//! **Who published it.** Makers define it (JESD218, JESD219 for endurance); Haas, Lee, Bonnet and Leis compared drives
//! for data centres by it with these patterns (SSD-iq, PVLDB 18(11), 2025).
//!
//! **Protocol.** The area is written once sequentially. Then it is overwritten: sequentially in 1 MiB (what a log does),
//! uniformly at random in 4 KiB (the worst case), at random with a Zipf distribution (theta 0.9), and with 90 % of the
//! writes to 10 % of the area. Each workload is cut into equal steps, and counters are read after each; the figure is of
//! the second half of the steps, when collection has settled to the workload.
//!
//! **What it cannot tell.** It reads attributes (ATA 241 and its kin with a NAND counter, such as 249) and, of NVMe
//! drives, log page C0h of the Open Compute Project through nvme-cli. Client NVMe drives report no flash writes: then
//! nothing is written, and the figures have no value. Counters have a unit,
//! often 32 MiB or 1 GiB: a step must be many of them. Areas smaller than the drive leave the rest as spare flash, so the
//! whole drive is the honest area. A drive that compresses, or has much of the data still in its cache, counts less than
//! one.

use base::chart::designs;
use base::write_counters::WriteCounters;
use base::{
    Better, Bytes, Card, Chart, Curve, Figure, Fill, Forecast, Group, Info, Job, Message,
    MethodOutput, Needs, Op, Order, Setting, Settings, Span, Stop, Stopped, Takes, Workload,
    splitmix64,
};

use crate::areas::{access, forecast, prepared};
use crate::figures::{Origin, valued, withheld};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{PREPARE, extent, part, prepares};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// I/Os in flight.
const DEPTH: u32 = 16;
/// A pattern of overwrites.
struct Pattern {
    name: &'static str,
    order: Order,
    block: Bytes,
}

const PATTERNS: [Pattern; 4] = [
    Pattern {
        name: "sequential",
        order: Order::Sequential,
        block: Bytes::mib(1),
    },
    Pattern {
        name: "random",
        order: Order::Random,
        block: Bytes::kib(4),
    },
    Pattern {
        name: "zipf",
        order: Order::Zipf { theta: 0.9 },
        block: Bytes::kib(4),
    },
    Pattern {
        name: "hot-spot",
        order: Order::HotSpot {
            span_percent: 10,
            access_percent: 90,
        },
        block: Bytes::kib(4),
    },
];

static CARD: Card = Card {
    id: "write-amplification",
    title: "Write amplification",
    publisher: "after JESD218 and SSD-iq, PVLDB 18(11)",
    summary: "The drive's own counters of host and flash writes under sequential, random, Zipf and hot-spot overwrites: bytes written to flash per byte from the host, over time and by workload.",
    version: 1,
    group: Group::Inside,
    short: "Flash writes per host write, by workload",
    needs: &[
        Needs::Flash("a disk writes what it is given, once"),
        Needs::Writing,
    ],
    shortest: &["extent=4MiB", "amount=20"],
    #[rustfmt::skip]
    settings: &[
        part("extent", "part of the target that is overwritten; only the whole drive is without extra spare flash", ["16MiB", "whole", "whole"]),
        PREPARE,
        Setting::count("amount", "host writes of each workload, in per cent of the area", 1..=10_000, ["100", "100", "400"]),
        Setting::count("steps", "readings of the counters during each workload", 2..=256, ["4", "8", "16"]),
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let span = extent(settings, "extent", on);
    if !on.writable {
        return forecast(span, false, Takes::default());
    }
    let each = (step_bytes(settings, on).get()).saturating_mul(settings.count("steps"));
    let accesses = (PATTERNS.iter())
        .map(|pattern| each / access(pattern.block, on).min(span).get().max(1))
        .fold(0, u64::saturating_add);
    let written = Bytes::new(each.saturating_mul(PATTERNS.len() as u64));
    let before = prepared(span, prepares(settings, on));
    let takes = Takes::moving(written)
        .and_moving(before)
        .and_accesses(accesses);
    Forecast {
        writes: Some(written + before),
        ..forecast(span, true, takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    if !run.on.writable {
        return run.not_writable("random.waf", "ratio", Better::Lower);
    }
    // A drive without counters is not worn for figures that it cannot give.
    if !WriteCounters::of(run.bench.health()).is_complete() {
        run.output = without_counters();
        return Ok(());
    }
    let span = run.extent("extent");
    run.prepare(span)?;
    let mut curves = Vec::new();
    for pattern in &PATTERNS {
        let found = overwritten(pattern, span, run)?;
        curves.push(found.curve(pattern.name));
        run.output.figures.extend(found.figures(pattern.name));
    }
    let chart = Chart::new("amplification", designs::AMPLIFICATION, curves);
    run.output.charts.push(chart);
    Ok(())
}

/// The figures of a drive that does not say what it writes to its flash: nothing was written.
fn without_counters() -> MethodOutput {
    let figures = PATTERNS.iter().map(|pattern| {
        let name = format!("{}.waf", pattern.name);
        let waf = Origin::default().figure(&name, "ratio", Better::Lower);
        withheld(waf, Message::of("why-no-flash-counter"))
    });
    MethodOutput {
        figures: figures.collect(),
        ..MethodOutput::default()
    }
}

/// Host writes of a step, in whole MiB.
fn step_bytes(settings: &Settings, on: &Info) -> Bytes {
    let area = extent(settings, "extent", on);
    let all = u128::from(area.get()) * u128::from(settings.count("amount")) / 100;
    let step = all / u128::from(settings.count("steps").max(1));
    let step = Bytes::new(u64::try_from(step).unwrap_or(u64::MAX));
    step.round_down(Bytes::mib(1)).max(Bytes::mib(1))
}

/// Runs a workload step by step, with the counters before and after each.
fn overwritten(pattern: &Pattern, span: Span, run: &mut Run<'_>) -> Result<Overwritten, Stopped> {
    let mut found = Overwritten::default();
    found.readings.push(WriteCounters::of(run.bench.health()));
    for step in 1..=run.settings.count("steps") {
        let name = format!("{} round {step}", pattern.name);
        let work = workload(pattern, span, step, run.settings, &run.on);
        let record = run.bench.phase(&name, &work)?;

        found.written.push(record.of(Op::Write).bytes);
        found.origin.add(record);
        found.readings.push(WriteCounters::of(run.bench.health()));
    }
    Ok(found)
}

fn workload(pattern: &Pattern, span: Span, step: u64, settings: &Settings, on: &Info) -> Workload {
    let block = access(pattern.block, on).min(span.len);
    let mut job = Job::closed(pattern.name, Op::Write, pattern.order, span, block, DEPTH);
    job.fill = Fill::FRESH;
    let stop = Stop::after_bytes(step_bytes(settings, on));
    let mut work = Workload::single(job, stop, splitmix64(settings.seed ^ step));
    work.flush_at_end = true;
    work
}

/// A workload with its readings: one before it, one after each step.
#[derive(Default)]
struct Overwritten {
    readings: Vec<WriteCounters>,
    written: Vec<Bytes>,
    origin: Origin,
}

impl Overwritten {
    /// Flash bytes over host bytes between two readings, or why that is not known.
    fn amplification(&self, from: usize, to: usize) -> Result<f64, Message> {
        let sent = self.written[from..to].iter();
        let sent = sent.fold(Bytes::new(0), |sent, bytes| sent + *bytes);
        self.readings[to].amplification(self.readings[from], sent)
    }

    /// The second half of the workload, and its bytes.
    fn figures(&self, name: &str) -> Vec<Figure> {
        let steps = self.written.len();
        let half = steps / 2;
        let origin = Origin {
            by: self.origin.by.clone(),
            phases: self.origin.phases[half..].to_vec(),
        };
        let waf = origin.figure(&format!("{name}.waf"), "ratio", Better::Lower);
        let waf = match self.amplification(half, steps) {
            Ok(value) => {
                let made = Message::of("made-amplification");
                valued(waf, Some(value), made, (steps - half) as u64)
            }
            Err(why) => withheld(waf, why),
        };
        vec![waf]
    }

    /// Step by step over what was written.
    fn curve(&self, name: &str) -> Curve {
        let mut sent = 0.0;
        let mut x = Vec::new();
        let mut y = Vec::new();
        for (step, bytes) in self.written.iter().enumerate() {
            sent += bytes.get() as f64 / 1e9;
            x.push(sent);
            y.push(self.amplification(step, step + 1).ok());
        }
        Curve::new(name, x, y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{output_of, settings};
    use base::method::Scale;
    use base::null::Null;
    use base::time::Duration;

    fn with(readings: &[(u64, u64)], written_mib: &[u64]) -> Overwritten {
        Overwritten {
            readings: (readings.iter())
                .map(|(host, flash)| WriteCounters {
                    host: Some(Bytes::mib(*host)),
                    flash: Some(Bytes::mib(*flash)),
                })
                .collect(),
            written: written_mib.iter().copied().map(Bytes::mib).collect(),
            origin: Origin {
                phases: vec!["a".to_owned(); written_mib.len()],
                ..Origin::default()
            },
        }
    }

    #[test]
    fn amplification_is_flash_bytes_over_what_was_written() {
        let found = with(&[(0, 0), (100, 100), (200, 350)], &[100, 100]);
        assert_eq!(found.amplification(0, 1), Ok(1.0));
        assert_eq!(found.amplification(1, 2), Ok(2.5));
        assert_eq!(found.figures("random")[0].value, Some(2.5));
        assert_eq!(found.curve("random").y, [Some(1.0), Some(2.5)]);
    }

    #[test]
    fn a_drive_without_counters_is_not_written_to() {
        let on = Null::new(Bytes::gib(1), Duration::from_micros(1));
        let mut bench = BenchDouble::new(on);
        let settings = settings("write-amplification", Scale::Quick, &[]);
        let output = output_of("write-amplification", &settings, &mut bench);
        assert!(bench.phases.is_empty());
        assert_eq!(output.figures.len(), PATTERNS.len());
        assert!(output.figures.iter().all(|figure| figure.value.is_none()));
    }

    #[test]
    fn a_counter_that_does_not_follow_the_writes_gives_no_figure() {
        // A unit of 1 GiB, or somebody else who writes.
        let coarse = with(&[(0, 0), (0, 1_024)], &[100]);
        assert!(coarse.amplification(0, 1).is_err());
        // A resumed run reads the counters after phases that it does not run again.
        assert!(
            with(&[(500, 900), (500, 900)], &[100])
                .amplification(0, 1)
                .is_err()
        );
        for leave_out in [
            |r: &mut WriteCounters| r.flash = None,
            |r: &mut WriteCounters| r.host = None,
        ] {
            let mut silent = with(&[(0, 0), (100, 100)], &[100]);
            leave_out(&mut silent.readings[1]);
            let why = Message::of("why-no-flash-counter");
            assert_eq!(silent.amplification(0, 1), Err(why));
        }
        let nothing = with(&[(0, 0), (0, 0)], &[0]).amplification(0, 1);
        assert_eq!(nothing, Err(Message::of("why-nothing-completed")));
    }
}
