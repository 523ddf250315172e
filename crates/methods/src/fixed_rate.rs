//! Fixed rate: latency under an open-loop load, as its clients see it.
//!
//! **What it measures.** Two times of every I/O at a given I/O rate: its **service** time, from submission to the
//! drive, and its **response** time, from its intended submission. They differ if the drive (or its queue) delays the
//! sender.
//!
//! **Who published it.** This is how load is applied to services rather than to benchmarks (Tene, "How NOT to Measure
//! Latency", 2013, named the usual mistake *coordinated omission*: a load generator that waits for a stalled drive
//! omits exactly those I/Os that would have suffered). Schroeder, Wierman and Harchol-Balter, "Open Versus Closed: A
//! Cautionary Tale" (NSDI 2006), measured the difference between the two loops.
//!
//! **Protocol.** The extent is written once sequentially. Random 4 KiB I/Os at queue depth 32 give the saturated rate.
//! Then I/Os are sent at 10, 20 ... 90 % of it, a minute each, whether or not earlier ones have completed, at equal or
//! random intervals (Poisson: many independent users); or at one given rate. An I/O that is due when the queue is full
//! is sent when there is room, and its response time counts from when it was due. Median, 99th and 99.9th percentile
//! and worst of both times are given. I/Os still overdue at the end are not sent; if the drive does not keep up with a
//! rate, a warning says so, since its response times grow with the length of the test.
//!
//! **What it cannot tell.** The behaviour over hours: a drive that slows down after long writes saturates at a lower
//! rate than first measured.

use base::chart::designs;
use base::workload::Arrivals;
use base::{
    Argument, Better, Bytes, Card, Chart, Curve, Duration, Forecast, Group, Info, Job, Latencies,
    Message, MethodOutput, Op, Order, Pacing, PhaseRecord, Setting, Settings, Span, Stop, Stopped,
    Takes, Workload, splitmix64,
};

use crate::areas::{access, forecast, prepared};
use crate::chart::responses;
use crate::figures::{Of, Origin, valued};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{EXTENT, PREPARE, extent, millis, prepares, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Shares of the saturated rate, in per cent.
const SHARES: [u64; 9] = [10, 20, 30, 40, 50, 60, 70, 80, 90];
/// A drive that does less than this share of the requested rate fell behind.
const KEPT_UP: f64 = 0.95;
/// The statistics of each time.
const TOLD: [(&str, Of); 4] = [
    ("p50", Of::Percentile(50.0)),
    ("p99", Of::Percentile(99.0)),
    ("p99.9", Of::Percentile(99.9)),
    ("worst", Of::Max),
];

/// How I/Os are spaced.
pub(crate) const ARRIVALS: Setting = Setting::choice(
    "arrivals",
    "how I/Os are spaced: at random, as from many users, or evenly",
    &["poisson", "even"],
    ["poisson"; 3],
);

/// The spacing selected by [`ARRIVALS`].
pub(crate) fn arrivals_of(settings: &Settings) -> Arrivals {
    match settings.text(ARRIVALS.key) {
        "even" => Arrivals::Even,
        _ => Arrivals::Poisson,
    }
}

/// Bytes of an I/O.
pub(crate) const SIZE: Setting = Setting::size(
    "size",
    "bytes an access",
    Bytes::SECTOR..=Bytes::mib(8),
    ["4KiB"; 3],
);

/// I/Os in flight where as fast as possible is measured.
pub(crate) const DEPTH: Setting = Setting::count(
    "depth",
    "accesses in flight while the saturated rate is measured",
    1..=1_024,
    ["32"; 3],
);

static CARD: Card = Card {
    id: "fixed-rate",
    title: "Fixed rate",
    publisher: "after G. Tene's coordinated omission and Schroeder et al., NSDI 2006",
    summary: "Random I/Os at 10 to 90 % of the saturated rate, or at a given one, whether or not the drive keeps up: service time, and response time from the intended submission.",
    version: 1,
    group: Group::Response,
    short: "Latency at fixed rates (open loop)",
    shortest: &["extent=4MiB", "time=10ms"],
    #[rustfmt::skip]
    settings: &[
        EXTENT,
        PREPARE,
        SIZE,
        Setting::count("reads", "per cent of reads; always 100 on a read-only target", 0..=100, ["100"; 3]),
        Setting::count("rate", "I/Os per second; 0 for 10, 20 ... 90 % of the saturated rate, which is measured first", 0..=100_000_000, ["0"; 3]),
        ARRIVALS,
        DEPTH,
        Setting::time("time", "length of each rate", millis(10)..=seconds(86_400), ["50ms", "3s", "60s"]),
    ],
    ..Card::PLAIN
};

/// Percentage of reads.
fn reads_of(settings: &Settings, on: &Info) -> u8 {
    if on.writable {
        u8::try_from(settings.count("reads")).unwrap_or(100)
    } else {
        100
    }
}

fn writes(settings: &Settings, on: &Info) -> bool {
    prepares(settings, on) || reads_of(settings, on) < 100
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let span = extent(settings, "extent", on);
    let rates = match settings.count("rate") {
        0 => 1 + SHARES.len() as u64,
        _ => 1,
    };
    let time = settings.time("time").saturating_mul(rates);
    let takes = Takes::mixed_for(time, settings.count("reads"))
        .and_moving(prepared(span, prepares(settings, on)));
    forecast(span, writes(settings, on), takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let span = run.extent("extent");
    let size = settings.size(SIZE.key);
    run.tell_grown(&[size]);
    run.prepare(span)?;
    if !run.on.writable && settings.count("reads") < 100 {
        run.output.notes.push(Message::of("note-only-reads"));
    }
    let job = job(span, settings, &run.on);
    let rates = match settings.count("rate") {
        0 => shares(&job, run)?,
        rate => vec![("stated".to_owned(), rate as f64)],
    };
    if rates.is_empty() {
        let why = Message::of("why-no-saturated-rate");
        return run.without_number("saturated", "IOPS", Better::Higher, why);
    }
    let mut steps = Vec::new();
    for (number, (key, rate)) in (1..).zip(rates) {
        let mut job = job.clone();
        job.pacing = Pacing::Open {
            per_second: rate,
            arrivals: arrivals_of(settings),
        };
        let work = timed(job, settings, number);
        let record = run.bench.phase(&key, &work)?;
        let step = Step::of(&key, rate, record);
        step.add_figures(&Origin::of(record), &mut run.output);
        steps.push(step);
    }
    run.output.charts.push(load(&steps));
    if let Some(last) = steps.last() {
        let kinds = [("service", &last.service), ("response", &last.response)];
        let chart = responses(&format!("{}.response", last.key), &kinds);
        run.output.charts.push(chart);
    }
    Ok(())
}

/// Whether a drive did clearly less than the requested rate. A handful of I/Os proves nothing.
pub(crate) fn fell_behind(asked: f64, done: f64, accesses: u64) -> bool {
    accesses >= 100 && done < KEPT_UP * asked
}

fn job(span: Span, settings: &Settings, on: &Info) -> Job {
    let size = access(settings.size(SIZE.key), on).min(span.len);
    let depth = u32::try_from(settings.count("depth")).unwrap_or(32);
    let mut job = Job::closed("access", Op::Read, Order::Random, span, size, depth);
    job.accesses[0].read_percent = reads_of(settings, on);
    job
}

fn timed(job: Job, settings: &Settings, salt: u64) -> Workload {
    let stop = Stop::after_time(settings.time("time"));
    Workload::single(job, stop, splitmix64(settings.seed ^ salt))
}

/// The saturated rate, and the shares of it.
fn shares(job: &Job, run: &mut Run<'_>) -> Result<Vec<(String, f64)>, Stopped> {
    let work = timed(job.clone(), run.settings, 0);
    let record = run.bench.phase("saturated", &work)?;
    let start = Origin::of(record).figure("saturated", "IOPS", Better::Higher);
    run.output
        .figures
        .push(valued(start, record.iops(), "mean", record.ios()));
    let saturated = record.iops().filter(|iops| *iops > 0.0);
    let of = |most: f64| move |share: u64| (format!("at-{share}"), most * share as f64 / 100.0);
    Ok(saturated.map_or_else(Vec::new, |most| SHARES.into_iter().map(of(most)).collect()))
}

/// One rate.
struct Step {
    key: String,
    /// Requested I/Os per second.
    asked: f64,
    /// I/Os a second that were done.
    done: f64,
    service: Latencies,
    response: Latencies,
}

impl Step {
    fn of(key: &str, asked: f64, record: &PhaseRecord) -> Step {
        let [read, write] = [Op::Read, Op::Write].map(|op| record.of(op));
        let (mut service, mut response) = (read.service, read.response);
        service.merge(&write.service);
        response.merge(&write.response);
        Step {
            key: key.to_owned(),
            asked,
            done: record.iops().unwrap_or(0.0),
            service,
            response,
        }
    }

    fn add_figures(&self, origin: &Origin, into: &mut MethodOutput) {
        let key = |what: &str| format!("{}.{what}", self.key);
        let n = self.service.count();
        let asked = origin.figure(&key("asked"), "IOPS", Better::None);
        let done = origin.figure(&key("done"), "IOPS", Better::Higher);
        into.figures.extend([
            valued(asked, Some(self.asked), Message::of("made-intended"), n),
            valued(done, (n > 0).then_some(self.done), "mean", n),
        ]);
        for (kind, times) in [("service", &self.service), ("response", &self.response)] {
            for (what, of) in TOLD {
                let key = key(&format!("{kind}.{what}"));
                into.figures.push(origin.latency(&key, "us", of, times));
            }
        }
        if fell_behind(self.asked, self.done, n) {
            let done = Argument::text(format_args!("{:.0}", self.done));
            let asked = Argument::text(format_args!("{:.0}", self.asked));
            into.warnings.push(Message::new(
                "warning-fell-behind",
                [
                    ("rate", Argument::Phase(self.key.clone())),
                    ("done", done),
                    ("asked", asked),
                ],
            ));
        }
    }
}

/// Both times against the rate.
fn load(steps: &[Step]) -> Chart {
    let curve = |name: &str, of: &dyn Fn(&Step) -> Option<Duration>| {
        let millis = |step: &Step| of(step).map(|time| time.as_millis_f64());
        Curve::through(name, steps.iter().map(|step| (step.asked, millis(step))))
    };
    Chart::new(
        "load",
        designs::LOAD,
        vec![
            curve("service p50", &|step| step.service.percentile(50.0)),
            curve("service p99", &|step| step.service.percentile(99.0)),
            curve("response p50", &|step| step.response.percentile(50.0)),
            curve("response p99", &|step| step.response.percentile(99.0)),
            curve("response p99.9", &|step| step.response.percentile(99.9)),
        ],
    )
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{SERVICE, drive, output_of, settings, value};
    use base::fault::{Faults, Faulty};
    use base::io::Op;
    use base::method::Scale;
    use base::null::Null;
    use base::size::Bytes;
    use base::time::Duration;

    #[test]
    fn nine_shares_of_the_saturated_rate_are_sent_on_time() {
        let settings = settings("fixed-rate", Scale::Quick, &["arrivals=even", "time=1s"]);
        let output = output_of("fixed-rate", &settings, &mut BenchDouble::new(drive()));
        assert!((value(&output, "saturated") - 10_000.0).abs() < 1.0);
        for share in [10, 50, 90] {
            let of = |what: &str| value(&output, &format!("at-{share}.{what}"));
            assert!((of("asked") - f64::from(share) * 100.0).abs() < 0.1);
            assert!((of("done") / of("asked") - 1.0).abs() < 0.001);
            // Every I/O comes back before the next one is due.
            assert!((of("service.worst") - 100.0).abs() < 1e-9);
            assert!((of("response.worst") - 100.0).abs() < 0.01);
        }
    }

    #[test]
    fn one_at_a_time_at_half_the_rate_a_response_is_what_queueing_theory_says() {
        // M/D/1: with a load of one half the mean wait is half a service time.
        let one = Null::new(Bytes::gib(4), SERVICE).with_depth(1);
        let settings = settings("fixed-rate", Scale::Quick, &["rate=5000", "time=20s"]);
        let mut bench = BenchDouble::new(one);
        let output = output_of("fixed-rate", &settings, &mut bench);
        assert!((value(&output, "stated.service.worst") - 100.0).abs() < 1e-9);
        let reads = bench.phases.last().unwrap().of(Op::Read);
        let mean = reads.response.mean().unwrap().as_micros_f64();
        assert!((mean / 150.0 - 1.0).abs() < 0.02, "{mean}");
        assert!(value(&output, "stated.response.p99") > 200.0);
    }

    #[test]
    fn those_who_should_have_been_sent_during_a_stall_are_not_left_out() {
        // One I/O in 2,000 takes 300 ms, and holds up the 300 that are due meanwhile.
        let faults = Faults {
            delays_per_million: 500,
            delay: Duration::from_millis(300),
            seed: 2,
            ..Faults::default()
        };
        let one = Null::new(Bytes::gib(4), SERVICE).with_depth(1);
        let mut bench = BenchDouble::new(Faulty::new(one, faults));
        let settings = settings("fixed-rate", Scale::Quick, &["rate=1000", "time=60s"]);
        let output = output_of("fixed-rate", &settings, &mut bench);
        assert!((value(&output, "stated.service.p99") - 100.0).abs() < 1.0);
        assert!(value(&output, "stated.response.p99") > 100_000.0);
    }

    #[test]
    fn a_rate_that_is_too_high_is_warned_of() {
        let settings = settings(
            "fixed-rate",
            Scale::Quick,
            &["rate=20000", "time=1s", "arrivals=even"],
        );
        let mut bench = BenchDouble::new(drive().with_depth(1));
        let output = output_of("fixed-rate", &settings, &mut bench);
        assert!((value(&output, "stated.done") - 10_000.0).abs() < 1.0);
        assert!(output.warnings[0].contains("fell behind"));
        // The ten thousandth is done after a second, and was due after half of one.
        let worst = value(&output, "stated.response.worst");
        assert!((worst / 1e6 - 0.5).abs() < 0.02, "{worst}");
    }
}
