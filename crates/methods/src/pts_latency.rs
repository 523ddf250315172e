//! PTS latency: small I/Os at queue depth 1, in steady state.
//!
//! **What it measures.** The mean and worst latency of single small I/Os of a drive in steady state.
//!
//! **Who published it.** SNIA, Solid State Storage Performance Test Specification (Enterprise 1.1, Client 1.2, one
//! document since 2.0), the latency test.
//!
//! **Protocol.** The extent is purged (trimmed), and written twice sequentially, 128 KiB per I/O. Then rounds: for 100,
//! 65 and 0 % of reads, and in each for 8, 4 and 0.5 KiB, random I/Os for a minute, one thread and one I/O in flight.
//! The mean latency of 4 KiB writes is tracked: steady state is reached when over five rounds its maximum and minimum
//! differ by no more than 20 % of the mean, and the fitted line changes by no more than 10 % of it. After 25 rounds the
//! test ends regardless, with a warning. Mean latencies are means over those five rounds; the 99.9th percentile (our
//! addition) and the worst are those of all their I/Os.
//!
//! **What it cannot tell.** Latency under load. The purge is a trim, not a secure erase, and the drive's write cache
//! stays as it is (the enterprise test disables it): with it enabled, a write's latency is that of the cache.

use base::{Better, Bytes, Card, Figure, Forecast, Group, Info, Latencies, Settings, Stopped};

use crate::chart::responses;
use crate::figures::Of;
use crate::pts::grid::Grid;
use crate::pts::rounds::{Made, Measured, Stimulus};
use crate::pts::{
    EXTENT, NEEDS, PUBLISHER, ROUNDS, TIME, begin, condition, in_rounds, one_at_a_time,
};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::extent;

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Percentage of reads.
const MIXES: [u8; 3] = [100, 65, 0];
/// Sizes of I/Os, in the order of the test.
const SIZES: [Bytes; 3] = [Bytes::kib(8), Bytes::kib(4), Bytes::SECTOR];

static CARD: Card = Card {
    id: "pts-latency",
    title: "SNIA PTS latency",
    publisher: PUBLISHER,
    summary: "Purge, precondition, then rounds of random I/Os of 0.5, 4 and 8 KiB in 3 mixes of reads and writes, at queue depth 1, until steady state: mean and worst latency of each.",
    version: 1,
    group: Group::Standard,
    short: "Mean and worst latency, in steady state",
    needs: NEEDS,
    shortest: &["extent=4MiB", "time=2ms"],
    #[rustfmt::skip]
    settings: &[
        EXTENT,
        TIME.with_values(["10ms", "500ms", "60s"]),
        ROUNDS,
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let stimuli = SIZES.len() * MIXES.len();
    let span = extent(settings, EXTENT.key, on);
    in_rounds(span, stimuli as u64, settings, on)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let main = ("rnd4k-r0.mean", "us", Better::Lower);
    let Some((span, sizes)) = begin(&SIZES, main, run)? else {
        return Ok(());
    };
    let job = |size, mix| one_at_a_time(span, size, mix);
    let grid = Grid::new(&sizes, &MIXES, settings, job);
    condition("", span, run)?;
    let rounds = grid.rounds("latency", Measured::mean_us);
    let made = rounds.make(run, |made, place| {
        figures(made, place, &grid.stimuli[place])
    })?;
    let of = |(place, stimulus): (usize, &Stimulus)| (stimulus.key.clone(), made.latencies(place));
    let distributions: Vec<(String, Latencies)> = grid.stimuli.iter().enumerate().map(of).collect();
    run.output
        .charts
        .push(responses("response", &distributions));
    Ok(())
}

/// Mean, 99.9th percentile and worst of one kind of I/O.
fn figures(made: &Made, place: usize, stimulus: &Stimulus) -> Vec<Figure> {
    let origin = made.origin(place, &stimulus.work);
    let key = |what: &str| format!("{}.{what}", stimulus.key);
    let mean = origin.figure(&key("mean"), "us", Better::Lower);
    let mut figures = vec![made.mean_response(mean, place)];
    let all = made.latencies(place);
    for (what, of) in [("p99.9", Of::Percentile(99.9)), ("worst", Of::Max)] {
        let mut figure = origin.latency(&key(what), "us", of, &all);
        figure.statistic = made.steadiness.statistic(&figure.statistic);
        figures.push(figure);
    }
    figures
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn nine_patterns_a_round_have_one_access_in_flight_each() {
        let settings = settings("pts-latency", Scale::Quick, &[]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("pts-latency", &settings, &mut bench);
        assert_eq!(bench.phases.len(), 2 + 5 * 9);
        let names: Vec<&str> = bench.phases[2..11]
            .iter()
            .map(|p| p.name.as_str())
            .collect();
        assert_eq!(names[0], "round 1 rnd8k-r100");
        assert_eq!(names[4], "round 1 rnd4k-r65");
        assert_eq!(names[8], "round 1 rnd512b-r0");
        assert!(
            bench.phases[2..]
                .iter()
                .all(|p| p.workload.jobs[0].depth() == 1)
        );
        for key in ["rnd512b-r100.mean", "rnd4k-r65.worst", "rnd8k-r0.worst"] {
            assert!((value(&output, key) - 100.0).abs() < 1e-9, "{key}");
        }
    }
}
