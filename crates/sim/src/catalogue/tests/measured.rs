//! A disk of the catalogue beside responses that were measured on one: 4 KiB at random, by queue depth.
//!
//! The measured numbers are from the benchmark data published with the fio-plot project (BSD 3-clause):
//! fio 3 on the raw device, one job, 60 s each, completion latencies.

use base::io::Op;
use base::run::{Unwatched, run};
use base::size::Bytes;
use base::time::Duration;
use base::workload::{Job, Order, Span, Stop, Workload};

use crate::catalogue::{ModelOptions, open};
use crate::virtual_time::Virtual;

/// Depth, I/Os per second, median, p99, p99.9 and longest in ms.
type Measured = (u32, [f64; 5]);

const READS: [Measured; 6] = [
    (1, [58.6, 16.58, 29.75, 34.34, 353.9]),
    (2, [59.8, 32.90, 51.12, 56.89, 61.3]),
    (4, [64.7, 56.36, 141.6, 191.9, 255.5]),
    (8, [72.2, 89.65, 375.4, 497.0, 689.7]),
    (16, [77.4, 164.6, 775.9, 1044.4, 1399.1]),
    (32, [82.2, 308.3, 1451.2, 2055.2, 2934.1]),
];

const WRITES: [Measured; 6] = [
    (1, [43.9, 25.03, 57.41, 76.02, 1228.0]),
    (2, [43.9, 45.35, 85.46, 107.5, 118.9]),
    (4, [43.4, 86.51, 225.4, 291.5, 349.6]),
    (8, [42.0, 158.3, 650.1, 935.3, 1208.3]),
    (16, [43.8, 304.1, 1233.1, 1652.6, 1910.7]),
    (32, [45.6, 583.0, 2164.3, 3003.1, 3314.5]),
];

fn simulated(op: Op, depth: u32) -> [f64; 5] {
    let options = ModelOptions {
        host: Some("microserver-g10-ahci".to_owned()),
        seed: 1,
        ..ModelOptions::default()
    };
    let drive = open("hitachi-travelstar-7k100-100gb", &options).unwrap();
    let mut target = Virtual::new(drive.model);
    let whole = Span::first(Bytes::new(100_030_242_816));
    let job = Job::closed("random", op, Order::Random, whole, Bytes::kib(4), depth);
    let stop = Stop {
        time: Some(Duration::from_secs(60)),
        ..Stop::default()
    };
    let work = Workload::single(job, stop, 7);
    let record = run(&mut target, "random", &work, &mut Unwatched).unwrap();
    let done = &record.jobs[0].ops[op as usize];
    let ms = |per_cent| done.service.percentile(per_cent).unwrap().as_millis_f64();
    [
        done.ios as f64 / record.took.as_secs_f64(),
        ms(50.0),
        ms(99.0),
        ms(99.9),
        done.service.max().as_millis_f64(),
    ]
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

#[test]
fn the_travelstar_answers_at_every_depth_nearly_as_the_measured_one() {
    let mut table = String::new();
    let mut off = [const { Vec::new() }; 5];
    for (op, rows) in [(Op::Read, READS), (Op::Write, WRITES)] {
        for (depth, measured) in rows {
            let simulated = simulated(op, depth);
            table += &format!("{op:?} {depth:2} {measured:9.1?} {simulated:9.1?}\n");
            for (column, (is, was)) in simulated.iter().zip(measured).enumerate() {
                off[column].push((is / was).max(was / is) - 1.0);
            }
        }
    }
    let [rates, medians, p99, p99_9, longest] = off;
    let usual = median(rates.into_iter().chain(medians).collect());
    let (p99, p99_9, longest) = (median(p99), median(p99_9), median(longest));
    assert!(usual <= 0.08, "rates and medians: {usual}\n{table}");
    assert!(p99 <= 0.12, "p99: {p99}\n{table}");
    assert!(p99_9 <= 0.20, "p99.9: {p99_9}\n{table}");
    assert!(longest <= 1.5, "longest: {longest}\n{table}");
}
