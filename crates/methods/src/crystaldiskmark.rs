//! CrystalDiskMark 8 and 9.
//!
//! **What it measures.** Sequential and random rates at fixed block sizes, queue depths and threads in a test file of 1
//! GiB: the grid that every review prints.
//!
//! **Who published it.** hiyohiyo, CrystalDiskMark 8.x and 9.x, based on Microsoft's DiskSpd.
//!
//! **Protocol.** The test file is written once sequentially. Then all read cells, then all write cells (then the mix,
//! if requested). A cell is one discarded run and N counted ones of 5 s each with a pause of 5 s between; the best
//! MB/s, the best IOPS and the best mean latency are chosen independently. The drive's write cache stays enabled, and
//! no flush ends a run: data still in the cache is not waited for. MB/s are 10^6 bytes per second.
//!
//! **What it cannot tell.** The best of N hides stutter, and a 1 GiB file fits into the SLC cache of most drives and
//! into the map cache of all: it says nothing about a full drive or a long write.

use base::workload::Look;
use base::{
    Bytes, Card, Forecast, Group, Info, Message, Op, Order, Setting, Settings, Span, Stop, Stopped,
    Takes,
};

use crate::areas::{forecast, prepared, timed_in};
use crate::mark_cell::{Cell, RUNS, Runs, output};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{DATA, OPS, fill_of, millis, ops_of, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

const SEQ1M_Q8T1: Cell = Cell::new("seq1m-q8t1", Order::Sequential, Bytes::mib(1), 8, 1);
const SEQ1M_Q1T1: Cell = Cell::new("seq1m-q1t1", Order::Sequential, Bytes::mib(1), 1, 1);
const SEQ128K_Q32T1: Cell = Cell::new("seq128k-q32t1", Order::Sequential, Bytes::kib(128), 32, 1);
const RND4K_Q32T1: Cell = Cell::new("rnd4k-q32t1", Order::Random, Bytes::kib(4), 32, 1);
const RND4K_Q32T16: Cell = Cell::new("rnd4k-q32t16", Order::Random, Bytes::kib(4), 32, 16);
const RND4K_Q1T1: Cell = Cell::new("rnd4k-q1t1", Order::Random, Bytes::kib(4), 1, 1);

/// A profile's cells, from the source of CrystalDiskMark 8 (default and NVMe presets; peak, real
/// world and demo profiles).
fn cells(profile: &str) -> &'static [Cell] {
    match profile {
        "nvme" => &[SEQ1M_Q8T1, SEQ128K_Q32T1, RND4K_Q32T16, RND4K_Q1T1],
        "peak" => &[SEQ1M_Q8T1, RND4K_Q32T1],
        "peak-nvme" => &[SEQ1M_Q8T1, RND4K_Q32T16],
        "real-world" => &[SEQ1M_Q1T1, RND4K_Q1T1],
        "demo" => &[SEQ1M_Q8T1],
        _ => &[SEQ1M_Q8T1, SEQ1M_Q1T1, RND4K_Q32T1, RND4K_Q1T1],
    }
}

static CARD: Card = Card {
    id: "crystaldiskmark",
    title: "CrystalDiskMark 8/9",
    publisher: "hiyohiyo, CrystalDiskMark 8 and 9 (over Microsoft DiskSpd)",
    summary: "Sequential and random rates in a test file at the familiar block sizes, queue depths and threads; best of N runs, with median, tail and worst response.",
    version: 2,
    group: Group::Program,
    short: "Sequential and random, deep queue and QD1",
    shortest: &["size=16MiB", "time=10ms"],
    #[rustfmt::skip]
    settings: &[
        Setting::choice("profile", "cells of the grid", &["default", "nvme", "peak", "peak-nvme", "real-world", "demo"], ["default"; 3]),
        Setting::size("size", "size of the test file", Bytes::mib(16)..=Bytes::gib(64), ["64MiB", "256MiB", "1GiB"]),
        RUNS,
        Setting::time("time", "length of a run", millis(10)..=seconds(60), ["100ms", "500ms", "5s"]),
        Setting::time("pause", "idle time after each run", seconds(0)..=seconds(600), ["0", "0", "5s"]),
        DATA,
        Setting::count("mix", "per cent of reads in an extra mixed column (the original offers 10 to 90); 0 for none", 0..=90, ["0"; 3]),
        OPS,
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let ops = ops_of(settings, on);
    let mix = settings.count("mix");
    let (time, pause) = (settings.time("time"), settings.time("pause"));
    let mut a_run = timed_in(&ops, time).and_idle(pause.saturating_mul(ops.len() as u64));
    if mix > 0 {
        a_run = a_run.and(Takes::mixed_for(time, mix).and_idle(pause));
    }
    let runs = cells(settings.text("profile")).len() as u64 * (settings.count("runs") + 1);
    let (size, writes) = (settings.size("size"), ops.contains(&Op::Write));
    let takes = a_run
        .times(runs)
        .and_moving(prepared(size, on.writable && writes));
    forecast(size, writes || mix > 0, takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let ops = ops_of(settings, &run.on);
    let runs = Runs {
        span: Span::first(settings.size("size")),
        counted: settings.count("runs"),
        time: settings.time("time"),
        pause: settings.time("pause"),
        fill: fill_of(settings),
        flush: false,
        seed: settings.seed,
    };
    let stop = Stop {
        time: Some(runs.time),
        look: Look::Always,
        ..Stop::default()
    };
    if run.on.writable && (ops.contains(&Op::Write) || settings.text("ops") == "as-allowed") {
        run.write_at_depth(1, "prepare", runs.span, runs.fill)?;
    }
    let mut figures = Vec::new();
    let mut distributions = Vec::new();
    let mut columns: Vec<(String, Op, u8)> = ops.iter().map(|op| column(*op)).collect();
    let mix = settings.count("mix") as u8;
    if mix > 0 {
        columns.push((format!("mix-r{mix}"), Op::Read, mix));
    }
    for (name, op, read_percent) in &columns {
        for cell in cells(settings.text("profile")) {
            let (cell_figures, latencies) =
                cell.measure(run.bench, name, *op, *read_percent, &runs, stop)?;
            figures.extend(cell_figures);
            if cell.key == "rnd4k-q1t1" {
                distributions.push((name.clone(), latencies));
            }
        }
    }
    let notes = vec![
        Message::of("note-best-of-each"),
        Message::new("note-response-chart", [("test", "RND4K Q1T1".into())]),
    ];
    run.output = output(figures, &distributions, notes);
    Ok(())
}

fn column(op: Op) -> (String, Op, u8) {
    (
        op.name().to_owned(),
        op,
        if op == Op::Read { 100 } else { 0 },
    )
}
