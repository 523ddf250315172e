//! The first consumer SSDs' random writes compared with measurements in reviews of 2008 and 2009: the stutter that drew
//! attention to latency. Nothing is fitted to these rows; `cargo test -p accuracy --test early_random_writes --
//! --nocapture` prints each of them.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::collections::BTreeMap;

use base::io::Op;
use base::run::{Unwatched, run};
use base::size::Bytes;
use base::target::Target;
use base::time::Duration;
use base::workload::{Job, Order, Span, Stop, Workload};
use sim::catalogue::{ModelOptions, describe, open};
use sim::virtual_time::Virtual;

const ROWS: &str = include_str!("../data/early-random-writes/rows.csv");

/// Drive, state, span in GB or the whole drive, queue depth.
type Test = (&'static str, &'static str, &'static str, u32);

/// The rows of each test: statistic and value.
fn tests() -> BTreeMap<Test, Vec<(&'static str, f64)>> {
    let mut tests: BTreeMap<Test, Vec<_>> = BTreeMap::new();
    for row in ROWS.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let [_, drive, state, span, depth, statistic, value] = fields[..] else {
            panic!("{row}");
        };
        let test = (drive, state, span, depth.parse().unwrap());
        let rows = tests.entry(test).or_default();
        rows.push((statistic, value.parse().unwrap()));
    }
    tests
}

/// I/Os a second, MB/s, mean and longest in ms, over the three minutes of the reviews.
fn simulated((drive, state, span, depth): Test) -> BTreeMap<&'static str, f64> {
    let state = match state {
        "used" => "full-in-order".to_owned(),
        // Erased, and then the test's own file written: so many per cent of the drive, rounded up.
        _ => format!("{}%-in-order", (8e11 / capacity_of(drive)).ceil()),
    };
    let options = ModelOptions {
        state: state.parse().unwrap(),
        host: Some("windows-desktop-sata2".to_owned()),
        seed: 1,
        ..ModelOptions::default()
    };
    let mut drive = Virtual::new(open(drive, &options).unwrap().model);
    let block = Bytes::kib(4);
    let whole = drive.info().capacity.round_down(block);
    let span = match span {
        "" => whole,
        gb => Bytes::gb(gb.parse().unwrap()).round_down(block),
    };
    let span = Span::first(span);
    let job = Job::closed("writes", Op::Write, Order::Random, span, block, depth);
    let stop = Stop::after_time(Duration::from_secs(180));
    let record = run(
        &mut drive,
        "writes",
        &Workload::single(job, stop, 1),
        &mut Unwatched,
    )
    .unwrap();
    let done = &record.jobs[0].ops[Op::Write as usize];
    let iops = done.ios as f64 / record.took.as_secs_f64();
    [
        ("iops", iops),
        ("mb_s", iops * 4096.0 / 1e6),
        ("mean_ms", done.service.mean().unwrap().as_millis_f64()),
        ("longest_ms", done.service.max().as_millis_f64()),
    ]
    .into()
}

fn capacity_of(drive: &str) -> f64 {
    describe(drive).unwrap().card.capacity.get() as f64
}

/// Holds each row of a drive to how many times too much or too little it may be: state, depth, statistic, factor.
fn within(drive: &str, limits: &[(&str, u32, &str, f64)]) {
    let mut judged = 0;
    let mut missed = Vec::new();
    for (test, rows) in tests().into_iter().filter(|(test, _)| test.0 == drive) {
        let found = simulated(test);
        for (statistic, value) in rows {
            let factor = found[statistic] / value;
            let line = format!(
                "{test:?} {statistic}: {value}, {:.4}, x{factor:.2}",
                found[statistic]
            );
            eprintln!("{line}");
            let (_, state, _, depth) = test;
            let limit = limits
                .iter()
                .find(|(s, d, of, _)| (*s, *d, *of) == (state, depth, statistic));
            let (.., limit) = limit.unwrap();
            judged += 1;
            if factor.max(1.0 / factor) > *limit {
                missed.push(line);
            }
        }
    }
    assert_eq!(judged, limits.len());
    assert!(missed.is_empty(), "{missed:?}");
}

// Wanted are rates and means within 25 % and the longest within a factor of 2.5. Where a
// limit is another, it is what the model reaches, so that none gets worse unseen: the data's README says what is missing.

#[test]
fn the_drives_that_made_stutter_known_write_as_slowly_as_the_real_ones() {
    let rates = [("new", 3, "mb_s", 1.25), ("used", 3, "mb_s", 1.25)];
    within("ocz-apex-120gb", &rates);
    let [new, used] = rates;
    let alone = [
        ("used", 1, "iops", 1.45),
        ("used", 1, "mean_ms", 1.45),
        ("used", 1, "longest_ms", 5.5),
    ];
    let [iops, mean, longest] = alone;
    within("ocz-core-v2-30gb", &[new, used, iops, mean, longest]);
}

#[test]
fn the_others_are_faster_than_the_real_ones_were_by_no_more_than_is_known() {
    within(
        "ocz-vertex-30gb",
        &[
            ("new", 3, "mb_s", 2.5),
            ("new", 3, "mean_ms", 2.4),
            ("used", 3, "mb_s", 3.7),
            ("used", 3, "mean_ms", 3.6),
        ],
    );
    within(
        "samsung-mccoe64g5mpp-64gb",
        &[
            ("new", 3, "mb_s", 14.0),
            ("used", 3, "mb_s", 41.0),
            ("used", 1, "iops", 16.5),
            ("used", 1, "mean_ms", 16.5),
            ("used", 1, "longest_ms", 2.55),
        ],
    );
    within(
        "intel-x25-m-g1-80gb",
        &[
            ("new", 3, "mb_s", 2.0),
            ("used", 3, "mb_s", 2.4),
            ("used", 3, "mean_ms", 2.3),
            ("used", 1, "iops", 1.75),
            ("used", 1, "mean_ms", 1.75),
            ("used", 1, "longest_ms", 8.5),
        ],
    );
}
