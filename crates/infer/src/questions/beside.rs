//! What do reads wait for beside writes?
//!
//! A die that programs cannot read: the read waits for the program, unless the controller lets it stop. So reads beside
//! writes show whether programs are suspended. Their median says little, since most dies are idle; the slowest in a hundred
//! stand where a program ran: a tenth of a millisecond more where it is suspended, a program's time (0.5 to 3 ms) where it
//! is not. On drives of the first years everything waits for everything, which is the stutter that reviewers felt. A disk's
//! reads wait for the arm.
//!
//! Writes of 128 KiB go at half the rate that the drive was just seen to take them at, so that they do not queue up.

use base::{Bytes, Duration, Io, Message, Op, Script, Stopped, TrailIo};

use crate::probe::{Probe, accesses, micros};
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "beside",
    suits: |_| true,
    writes: |asked| Some(asked.area()),
    takes: |asked| {
        let written = WRITE.min(asked.area().len) * (FIRST_WRITES + MOST_WRITES);
        asked.singles(2 * READS).and_moving(written)
    },
    ask,
};

/// Reads alone, and beside writes.
const READS: u64 = 2_000;
/// What is written.
const WRITE: Bytes = Bytes::kib(128);
/// Writes that show how fast they go.
const FIRST_WRITES: u64 = 512;
/// Writes beside reads at most.
const MOST_WRITES: u64 = 20_000;
/// The part of that rate at which the others are sent.
const PACE: f64 = 0.5;
/// Writes and reads in flight at most.
const DEPTH: u32 = 64;
/// The slowest of so many per cent are left out of the figure.
const PERCENT: f64 = 99.0;
/// Reads that a 99th percentile needs.
const LEAST_READS: usize = 500;

fn ask(probe: &mut Probe<'_>, _: &mut Known) -> Result<Found, Stopped> {
    let alone: Vec<Io> = (0..READS).map(|_| probe.random_read()).collect();
    let alone = micros(&probe.one_at_a_time("reads alone", alone)?);
    let writes: Vec<Io> = (0..FIRST_WRITES).map(|n| nth_write(probe, n)).collect();
    let (took, done) = probe.at_once("writes", 8, writes)?;
    let each = Duration::from_secs_f64(took.as_secs_f64() / done.max(1) as f64 / PACE);
    let read = alone.iter().sum::<f64>() / 1e6;
    let script = both(probe, each, read);
    let trail = probe.script("reads beside writes", script)?;
    let beside: Vec<TrailIo> = trail.into_iter().filter(|io| io.op == Op::Read).collect();
    let mut found = Found::default();
    found.add(probe, "alone", "us", percentile(&alone));
    found.add(probe, "writes", "us", percentile(&micros(&beside)));
    Ok(found)
}

fn nth_write(probe: &mut Probe<'_>, n: u64) -> Io {
    let area = probe.asked.area();
    let len = WRITE.min(area.len);
    let place = n % accesses(area.len, len);
    probe.write(area.start + len * place, len)
}

/// Reads one after another, and writes at a pace beside them, for as long as the reads took alone and twice that.
fn both(probe: &mut Probe<'_>, each: Duration, reads_take_s: f64) -> Script {
    let mut script = Script::new("both", DEPTH);
    let mut last = None;
    for _ in 0..READS {
        let read = probe.random_read();
        last = Some(script.io(read, Duration::ZERO, last.as_slice()));
    }
    let writes = (2.0 * reads_take_s / each.as_secs_f64().max(1e-6)) as u64;
    for n in 0..writes.clamp(1, MOST_WRITES) {
        let write = nth_write(probe, FIRST_WRITES + n);
        script.io(write, each.saturating_mul(n), &[]);
    }
    script
}

/// The time that 99 of 100 reads take at most, with the order statistics about it that enclose it in 95 % of all cases.
fn percentile(responses: &[f64]) -> Estimate {
    if responses.len() < LEAST_READS {
        return Err(Message::of("why-nothing-completed"));
    }
    let mut sorted = responses.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let share = PERCENT / 100.0;
    // The rank of a percentile is binomial.
    let off = 1.96 * libm::sqrt(n * share * (1.0 - share));
    let at = |rank: f64| sorted[(rank.max(0.0) as usize).min(sorted.len() - 1)];
    Ok((
        at(n * share),
        Some([at(n * share - off), at(n * share + off)]),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_hundredth_is_what_is_told() {
        let responses: Vec<f64> = (0..2_000).map(f64::from).collect();
        let (value, interval) = percentile(&responses).unwrap();
        let [low, high] = interval.unwrap();
        assert!((value - 1_980.0).abs() < 1e-9 && low < value && value < high);
        assert!(percentile(&responses[..100]).is_err());
    }
}
