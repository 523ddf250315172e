//! What does a queue gain?
//!
//! With one read in flight a drive has one thing to do. With more, a disk takes the nearest first and an SSD lets its dies
//! work side by side, until the arm, the controller or the host is busy all the time. Which of these it is cannot be told
//! from the rate alone: only that a ceiling is there, and where.

use base::chart::designs;
use base::{Chart, Curve, Message, Stopped};

use crate::probe::Probe;
use crate::question::{Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "depth",
    suits: |_| true,
    writes: |_| None,
    takes: |asked| asked.singles(DEPTHS.iter().map(|depth| reads(*depth, false)).sum()),
    ask,
};

const DEPTHS: [u32; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/// Serial ATA's queue, beyond which a disk is not asked.
const DISK_DEPTH: u32 = 32;
/// Reads for each one in flight, and at least.
const READS_EACH: u64 = 100;
const LEAST_READS: u64 = 200;
/// The smallest depth that gives so much of the most is the one from which on more does not help.
const NEARLY: f64 = 0.9;

/// Reads at a depth: fewer on a disk, which takes a hundred times as long for each.
fn reads(depth: u32, turns: bool) -> u64 {
    match turns {
        true => LEAST_READS + 10 * u64::from(depth),
        false => (READS_EACH * u64::from(depth)).max(LEAST_READS),
    }
}

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let most = match known.may_turn() {
        true => DISK_DEPTH,
        false => u32::MAX,
    };
    let mut rates = Vec::new();
    for depth in DEPTHS.into_iter().filter(|depth| *depth <= most) {
        let reads = reads(depth, known.may_turn());
        let ios: Vec<_> = (0..reads).map(|_| probe.random_read()).collect();
        let (took, done) = probe.at_once(&format!("point {depth}"), depth, ios)?;
        probe.ios += done;
        if !took.is_zero() && done > 0 {
            rates.push((f64::from(depth), done as f64 / took.as_secs_f64()));
        }
    }
    let mut found = Found::default();
    let none = || Message::of("why-nothing-completed");
    let best = rates.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    let one = rates
        .first()
        .map(|(_, rate)| *rate)
        .filter(|rate| *rate > 0.0);
    let ceiling = (best > 0.0).then_some((best, None));
    found.add(probe, "ceiling", "IOPS", ceiling.ok_or_else(none));
    let gain = one.map(|one| (best / one, None));
    found.add(probe, "gain", "ratio", gain.ok_or_else(none));
    let knee = rates.iter().find(|(_, rate)| *rate >= NEARLY * best);
    let knee = knee.map(|(depth, _)| (*depth, None));
    found.add(probe, "enough", "count", knee.ok_or_else(none));
    let (x, y) = rates.iter().map(|(x, y)| (*x, Some(*y))).unzip();
    let curve = Curve::new("reads", x, y);
    found.charts.push(Chart::new(
        "explain-depth",
        designs::RATE_BY_DEPTH,
        vec![curve],
    ));
    Ok(found)
}
