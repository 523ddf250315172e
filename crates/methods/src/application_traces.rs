//! Application traces: everyday work on a PC, replayed as in a system benchmark.
//!
//! **What it measures.** Bandwidth and mean access time of a drive under the I/O of programs, games and copies, and one
//! score from both.
//!
//! **Who published it.** UL's PCMark 10 Full System Drive (23 traces: boot, starts of programs and games, use, copies)
//! and 3DMark Storage (7 traces: loading, recording, installing, saving and moving games) work in this way. Their
//! traces are not public. These are drivelab's own traces of the same kinds, and its score is not comparable with
//! theirs.
//!
//! **Protocol.** The span is written once sequentially. Then each trace is replayed: the number and sizes of its I/Os
//! are fixed, their order and positions are drawn from the seed, and each group is sent when the previous one has
//! completed and the host has worked for about 0.1 ms. Bandwidth is bytes over the time with at least one I/O in
//! flight, reads and writes together (a copy within the drive moves each byte twice, and may exceed what the link
//! carries in one direction). The host's work between two groups is excluded from that time, as in the benchmarks that
//! it follows, but the drive continues to flush its write buffer meanwhile: so a copy to the drive may show more MB/s
//! than the drive sustains without pauses. Access time is the mean over all reads and writes. Score: the geometric mean
//! of the bandwidth in MB/s (10^6) and the inverse of the mean access time in 1/s, over all traces of all passes.
//!
//! **What it cannot tell.** The score of PCMark or 3DMark: only results of these very traces are comparable. Since
//! every I/O counts equally in the mean, small ones dominate.

use base::{
    Better, Bytes, Card, Duration, Figure, Forecast, Group, Info, Latencies, Message, Op,
    PhaseRecord, Rate, Script, Setting, Settings, Span, Stopped, Takes, splitmix64,
};

use crate::areas::{forecast, prepared};
use crate::chart::responses;
use crate::figures::{Of, Origin};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{PREPARE, extent, prepares};
use crate::trace::{Sizes, Trace};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Most I/Os of a desktop are of 4 KiB.
const SMALL: Sizes = &[(4, 70), (8, 10), (16, 10), (64, 10)];
/// A game that starts, or loads a level.
const GAME: Sizes = &[(4, 20), (8, 12), (16, 17), (32, 11), (64, 7), (128, 33)];
/// A system or a program that starts.
const START: Sizes = &[(4, 40), (8, 12), (16, 20), (32, 18), (64, 5), (128, 5)];
/// Files of megabytes.
const LARGE: Sizes = &[(128, 20), (1_024, 80)];
/// Files of gigabytes.
const HUGE: Sizes = &[(1_024, 1)];

/// What programs in use save: mostly little, at times a file of megabytes.
const SAVED: Sizes = &[(4, 55), (16, 10), (64, 10), (128, 10), (1_024, 15)];

/// The host's work a group of I/Os.
const WORK: Duration = Duration::from_micros(100);

const fn trace(
    accesses: (u64, u64),
    read_sizes: Sizes,
    write_sizes: Sizes,
    random_percent: u64,
    single_percent: u64,
    depth: u64,
) -> Trace {
    Trace {
        reads: accesses.0,
        writes: accesses.1,
        read_sizes,
        write_sizes,
        random_percent,
        single_percent,
        depth,
        host: Duration::from_nanos(WORK.as_nanos() * (accesses.0 + accesses.1)),
        written: None,
        behind: false,
        prefetched_percent: 0,
    }
}

/// A kind of trace: its name, its number in the set, and its components.
type Kinds = &'static [(&'static str, u64, Trace)];

/// Twenty-three traces; about 68 GB written, 46 of them by copies, as a pass of PCMark 10's writes.
#[rustfmt::skip]
const FULL_SYSTEM: Kinds = &[
    ("boot", 1, trace((15_000, 3_000), START, SMALL, 60, 75, 4)),
    ("start", 7, trace((4_000, 300), START, SMALL, 60, 75, 4)),
    ("game", 3, trace((14_000, 500), GAME, SMALL, 40, 75, 4)),
    ("use", 6, trace((10_000, 20_000), SMALL, SAVED, 60, 85, 4)),
    ("copy-iso-to", 1, trace((0, 19_000), HUGE, HUGE, 0, 0, 4)),
    ("copy-iso-within", 1, trace((19_000, 19_000), HUGE, HUGE, 0, 0, 4)),
    ("copy-iso-from", 1, trace((19_000, 0), HUGE, HUGE, 0, 0, 4)),
    ("copy-jpeg-to", 1, trace((300, 3_500), SMALL, LARGE, 10, 20, 4)),
    ("copy-jpeg-within", 1, trace((3_500, 3_500), LARGE, LARGE, 10, 20, 4)),
    ("copy-jpeg-from", 1, trace((3_500, 300), LARGE, SMALL, 10, 20, 4)),
];

/// Seven traces.
#[rustfmt::skip]
const GAMES: Kinds = &[
    ("load", 3, trace((14_000, 500), GAME, SMALL, 40, 75, 4)),
    ("record", 1, trace((8_000, 3_000), GAME, LARGE, 35, 75, 4)),
    ("install", 1, trace((2_000, 20_000), SMALL, LARGE, 10, 40, 4)),
    ("save", 1, trace((500, 1_500), SMALL, SMALL, 40, 85, 4)),
    ("move", 1, trace((500, 25_000), SMALL, LARGE, 10, 20, 4)),
];

static CARD: Card = Card {
    id: "application-traces",
    title: "Application traces",
    publisher: "drivelab's own traces, of the kinds that UL's PCMark 10 and 3DMark Storage have",
    summary: "Boot, programs, games and copies, replayed as dependent I/Os: bandwidth, mean access time, and their geometric mean as a score. The traces are drivelab's own.",
    version: 2,
    group: Group::Work,
    short: "Programs, games, copies: bandwidth and a score",
    shortest: &["span=16MiB"],
    #[rustfmt::skip]
    settings: &[
        Setting::choice("set", "23 traces of a whole system, 7 of games, or both", &["full-system", "games", "all"], ["games", "full-system", "full-system"]),
        Setting::count("percent", "share of each trace that is replayed", 1..=100, ["1", "10", "100"]),
        Setting::count("passes", "number of passes over all traces", 1..=100, ["1", "1", "3"]),
        Setting::size_or_whole("span", "part of the target that is used", Bytes::mib(16), ["256MiB", "64GiB", "64GiB"]),
        PREPARE,
    ],
    ..Card::PLAIN
};

fn sets(word: &str) -> Vec<(&'static str, Kinds)> {
    [("full-system", FULL_SYSTEM), ("games", GAMES)]
        .into_iter()
        .filter(|set| word == "all" || word == set.0)
        .collect()
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let span = extent(settings, "span", on);
    let traces = sets(settings.text("set")).into_iter().flat_map(|set| set.1);
    let of_a_kind = |(_, count, trace): &(&str, u64, Trace)| {
        let trace = trace.scaled(settings.count("percent"));
        let writes = if on.writable { trace.writes } else { 0 };
        Trace { writes, ..trace }
            .takes()
            .times(count * settings.count("passes"))
    };
    let all = traces.map(of_a_kind).fold(Takes::default(), Takes::and);
    let takes = all.and_moving(prepared(span, prepares(settings, on)));
    forecast(span, on.writable, takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let span = run.extent("span");
    run.prepare(span)?;
    run.tell_grown(&[Bytes::kib(4)]);
    for (set, kinds) in sets(settings.text("set")) {
        let mut whole = Sum::default();
        for (kind, count, trace) in kinds {
            let mut sum = Sum::default();
            let scaled = trace.scaled(settings.count("percent"));
            for nth in 1..=*count * settings.count("passes") {
                let name = format!("{set} {kind} {nth}");
                let seed = splitmix64(settings.seed ^ splitmix64(nth) ^ kind.len() as u64);
                let Some(script) = script(&name, scaled, span, seed, &run.on) else {
                    continue;
                };
                sum.add(run.bench.script(&name, &script)?);
            }
            if !sum.origin.phases.is_empty() {
                run.output
                    .figures
                    .extend(sum.figures(&format!("{set}.{kind}")));
                whole.merge(&sum);
            }
        }
        run.output.figures.extend(whole.figures(set));
        run.output.figures.extend(whole.score(set));
        let chart = responses(
            &format!("{set}.response"),
            &[("read", &whole.reads), ("write", &whole.writes)],
        );
        run.output.charts.push(chart);
    }
    run.output.notes.push(Message::of("note-own-traces"));
    if !run.on.writable {
        let note = Message::of("note-traces-writes-left-out");
        run.output.notes.push(note);
    }
    Ok(())
}

/// One trace; `None` where all of it would be writes, and the target may not be written.
fn script(name: &str, trace: Trace, span: Span, seed: u64, on: &Info) -> Option<Script> {
    let writes = if on.writable { trace.writes } else { 0 };
    if trace.reads + writes == 0 {
        return None;
    }
    let trace = Trace { writes, ..trace };
    let mut script = Script::new(name, u32::try_from(trace.depth).unwrap_or(1));
    trace.play(&mut script, span, on.block, seed, &[]);
    Some(script)
}

/// What came of some traces together.
#[derive(Default)]
struct Sum {
    bytes: Bytes,
    busy: Duration,
    reads: Latencies,
    writes: Latencies,
    origin: Origin,
}

impl Sum {
    fn add(&mut self, record: &PhaseRecord) {
        self.bytes += record.bytes();
        self.busy += record.script.as_ref().map_or(Duration::ZERO, |s| s.busy);
        self.reads.merge(&record.of(Op::Read).service);
        self.writes.merge(&record.of(Op::Write).service);
        self.origin.add(record);
    }

    fn merge(&mut self, other: &Sum) {
        self.bytes += other.bytes;
        self.busy += other.busy;
        self.reads.merge(&other.reads);
        self.writes.merge(&other.writes);
        self.origin.merge(&other.origin);
    }

    fn accesses(&self) -> Latencies {
        let mut all = self.reads.clone();
        all.merge(&self.writes);
        all
    }

    fn bandwidth(&self) -> Option<f64> {
        Rate::of(self.bytes, self.busy).map(Rate::mb_s)
    }

    fn figures(&self, key: &str) -> Vec<Figure> {
        let all = self.accesses();
        #[rustfmt::skip]
        let bandwidth = (".bandwidth", "MB/s", Better::Higher, self.bandwidth(), "made-bytes-over-busy-time", all.count());
        let mut figures = self.origin.table(key, &[bandwidth]);
        let access = format!("{key}.access");
        figures.push(self.origin.latency(&access, "us", Of::Mean, &all));
        figures
    }

    fn score(&self, key: &str) -> Vec<Figure> {
        let all = self.accesses();
        let mean = all.mean().map(|mean| mean.as_secs_f64());
        let value = self
            .bandwidth()
            .zip(mean.filter(|mean| *mean > 0.0))
            .map(|(bandwidth, mean)| libm::sqrt(bandwidth / mean));
        #[rustfmt::skip]
        let score = (".score", "drivelab points", Better::Higher, value, "made-points", all.count());
        self.origin.table(key, &[score])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn the_sets_have_as_many_traces_and_bytes_as_they_should() {
        let count = |kinds: Kinds| kinds.iter().map(|kind| kind.1).sum::<u64>();
        assert_eq!((count(FULL_SYSTEM), count(GAMES)), (23, 7));
        let mean = |sizes: Sizes| {
            let weights: u64 = sizes.iter().map(|s| u64::from(s.1)).sum();
            let sum: u64 = sizes.iter().map(|s| s.0 * u64::from(s.1)).sum();
            sum as f64 * 1_024.0 / weights as f64
        };
        let written: f64 = FULL_SYSTEM
            .iter()
            .map(|(_, n, t)| (n * t.writes) as f64 * mean(t.write_sizes))
            .sum();
        assert!((65e9..71e9).contains(&written), "{written}");
    }

    #[test]
    fn the_score_is_the_geometric_mean_of_bandwidth_and_inverse_access_time() {
        let settings = settings("application-traces", Scale::Quick, &["percent=2"]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("application-traces", &settings, &mut bench);
        let of = |key: &str| value(&output, key);
        let expected = libm::sqrt(of("games.bandwidth") * 1e6 / of("games.access"));
        assert!((of("games.score") / expected - 1.0).abs() < 1e-9);
        assert!(of("games.access") >= 100.0);
        assert_eq!(bench.phases.len(), 8);
    }
}
