//! CrystalDiskMark classic (3.x).
//!
//! **What it measures.** Four cells in a test file of 1000 MiB (printed as "1000MB"): sequential 1 MiB, random 512 KiB
//! and random 4 KiB at queue depth 1, and random 4 KiB at queue depth 32.
//!
//! **Who published it.** hiyohiyo, CrystalDiskMark 3.0; used in most reviews from 2010 to 2015.
//!
//! **Protocol.** The test file is written once sequentially, 1 MiB at a time. For each cell: the read runs, then the
//! write runs; one discarded run and N counted ones, of which the best counts. A run lasts 5 s, but its timer is
//! checked only after a whole pass over the file (Seq), or after every 20 I/Os (512K) or 160 I/Os (4K). Draining the
//! queue and a final flush are included in the time. The data is about half compressible and repeats every MiB. MB/s
//! are 10^6 bytes per second.
//!
//! **What it cannot tell.** The best of N hides stutter; on a slow drive a sequential run lasts as long as a pass
//! takes; data that repeats every MiB flatters a drive that compresses or deduplicates.

use base::workload::Look;
use base::{
    Bytes, Card, Duration, Forecast, Group, Info, Message, Op, Order, Setting, Settings, Span,
    Stop, Stopped, Takes,
};

use crate::areas::{forecast, moved_in, prepared, timed_in};
use crate::mark_cell::{CLASSIC_DATA, Cell, RUNS, Runs, classic_fill, output};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{OPS, millis, ops_of, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// The grid's rows, each with the interval at which its run checks the time.
#[rustfmt::skip]
const CELLS: [(Cell, Look); 4] = [
    (Cell::new("seq", Order::Sequential, Bytes::mib(1), 1, 1), Look::EveryPass),
    (Cell::new("512k", Order::Random, Bytes::kib(512), 1, 1), Look::EveryIos(20)),
    (Cell::new("4k", Order::Random, Bytes::kib(4), 1, 1), Look::EveryIos(160)),
    (Cell::new("4k-qd32", Order::Random, Bytes::kib(4), 32, 1), Look::EveryIos(160)),
];

static CARD: Card = Card {
    id: "crystaldiskmark-classic",
    title: "CrystalDiskMark 3 (classic)",
    publisher: "hiyohiyo, CrystalDiskMark 3.0",
    summary: "The four cells of the classic grid: sequential, random 512 KiB, random 4 KiB at queue depth 1 and 32; best of N runs, with median, tail and worst response.",
    version: 1,
    group: Group::Program,
    short: "Version 3: sequential, 512 KiB, 4 KiB, 4 KiB QD32",
    shortest: &["size=16MiB", "time=10ms"],
    #[rustfmt::skip]
    settings: &[
        Setting::size("size", "size of the test file (the original's 1000MB are MiB)", Bytes::mib(16)..=Bytes::mib(4000), ["50MiB", "100MiB", "1000MiB"]),
        RUNS,
        Setting::time("time", "length of a run, checked as in the original", millis(10)..=seconds(60), ["100ms", "500ms", "5s"]),
        CLASSIC_DATA,
        OPS,
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let ops = ops_of(settings, on);
    let (size, writes) = (settings.size("size"), ops.contains(&Op::Write));
    let mut takes = Takes::moving(prepared(size, on.writable && writes));
    for (cell, look) in CELLS {
        let run = timed_in(&ops, settings.time("time"));
        let run = match look {
            // It lasts whole passes, however slow the drive is.
            Look::EveryPass => run.and(moved_in(&ops, size)),
            Look::EveryIos(ios) => {
                let ios = u64::from(ios);
                run.and_accesses(ios * ops.len() as u64)
                    .and(moved_in(&ops, cell.size * ios))
            }
            Look::Always => run,
        };
        takes = takes.and(run.times(settings.count("runs") + 1));
    }
    forecast(size, writes, takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let ops = ops_of(settings, &run.on);
    let runs = Runs {
        span: Span::first(settings.size("size")),
        counted: settings.count("runs"),
        time: settings.time("time"),
        pause: Duration::ZERO,
        fill: classic_fill(settings),
        flush: true,
        seed: settings.seed,
    };
    if run.on.writable && (ops.contains(&Op::Write) || settings.text("ops") == "as-allowed") {
        run.write_at_depth(1, "prepare", runs.span, runs.fill)?;
    }
    let mut figures = Vec::new();
    let mut distributions = Vec::new();
    for (cell, look) in CELLS {
        for op in &ops {
            let stop = Stop {
                time: Some(runs.time),
                look,
                ..Stop::default()
            };
            let read_percent = if *op == Op::Read { 100 } else { 0 };
            let (cell_figures, latencies) =
                cell.measure(run.bench, op.name(), *op, read_percent, &runs, stop)?;
            figures.extend(cell_figures);
            if cell.key == "4k" {
                distributions.push((op.name().to_owned(), latencies));
            }
        }
    }
    let notes = vec![
        Message::of("note-best-of-whole-passes"),
        Message::new(
            "note-response-chart-at-depth",
            [("test", "4K".into()), ("depth", "1".into())],
        ),
    ];
    run.output = output(figures, &distributions, notes);
    Ok(())
}
