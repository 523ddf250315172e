//! Cold start: a disk in the first minutes after power-on at low temperature.
//!
//! **What it measures.** Rate and response against the time since power-on, reads first and writes first, compared with
//! the same drive when it is warm.
//!
//! **Who published it.** A maker of disk testers, who found that some disks have a special mode below a threshold
//! temperature ("TCLPM"): written data is read back, and slow responses become frequent, for some minutes after
//! power-on.
//!
//! **Protocol.** Three quick scans (see `quick-scan`): immediately after power-on, reads over all regions and then
//! writes; immediately after power-on again, writes and then reads; and warm, reads and then writes. A modelled drive
//! is power-cycled for each, in its original state, at the temperature that is set. Time since power-on is the time of
//! the I/Os since then. The ratios compare the first direction of each cold scan with the same direction when warm: the
//! drive may already be warmer in the second.
//!
//! **What it cannot tell.** drivelab cannot power-cycle a real drive: there, the first scan is cold only if the drive
//! was switched on just before, and the others find it as warm as it is by then. For writes first, switch it off until
//! it is cold and run the method with `order=writes-first`; for reads first, do the same with `order=reads-first`.

use base::chart::designs;
use base::{
    Better, Card, Chart, Curve, Duration, Figure, Forecast, Group, Info, Message, OnModels, Op,
    PhaseRecord, Setting, Settings, Stopped, Takes,
};

use crate::areas::forecast;
use crate::figures::valued;
use crate::quick_scan::{BLOCK, DWELL, REGIONS, dwell, position, regions};
use crate::run::{PlainMethod, Run};
use crate::scan::Pass;
use crate::shared_settings::{SCANNED_EXTENT, extent};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

static CARD: Card = Card {
    id: "cold-start",
    title: "Cold start",
    publisher: "after a maker of disk testers",
    summary: "Quick scans immediately after a cold power-on, reads first and writes first, and once warm: rate and response against the time since power-on.",
    version: 2,
    on_models: OnModels::More,
    group: Group::Surface,
    short: "The first minutes after a cold power-on",
    shortest: &["extent=16MiB", "regions=4", "dwell=10ms"],
    #[rustfmt::skip]
    settings: &[
        Setting::choice("celsius", "temperature of a modelled drive at power-on", &["-20", "-10", "-5", "0", "5", "10", "15", "20"], ["0"; 3]),
        Setting::choice("order", "which cold scans are run", &["both", "reads-first", "writes-first"], ["both"; 3]),
        REGIONS,
        DWELL.with_values(["30ms", "1s", "3s"]),
        SCANNED_EXTENT,
        BLOCK,
    ],
    ..Card::PLAIN
};

/// One of the scans.
struct Scan {
    name: &'static str,
    cold: bool,
    ops: Vec<Op>,
}

/// The scans that are made where the target may be written, or not.
fn scans(settings: &Settings, writable: bool) -> Vec<Scan> {
    let order = settings.text("order");
    let scan = |name, cold, first: Op| Scan {
        name,
        cold,
        ops: match (writable, first) {
            (false, _) => vec![Op::Read],
            (true, Op::Read) => vec![Op::Read, Op::Write],
            (true, _) => vec![Op::Write, Op::Read],
        },
    };
    let mut scans = Vec::new();
    if order != "writes-first" || !writable {
        scans.push(scan("cold-reads-first", true, Op::Read));
    }
    if order != "reads-first" && writable {
        scans.push(scan("cold-writes-first", true, Op::Write));
    }
    scans.push(scan("warm", false, Op::Read));
    scans
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let regions = regions(settings, on);
    let passes = scans(settings, on.writable)
        .iter()
        .map(|s| s.ops.len() as u64)
        .sum();
    let a_pass = settings.time("dwell").saturating_mul(regions.len() as u64);
    let takes = Takes::timed(a_pass.saturating_mul(passes));
    Forecast {
        // Of either order, one scan begins with reads.
        reads_as_found: true,
        written: if on.writable { regions } else { Vec::new() },
        ..forecast(extent(settings, "extent", on), on.writable, takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let celsius = run.settings.text("celsius").parse().unwrap_or(0);
    let mut firsts: Vec<Figure> = Vec::new();
    let mut switched = true;
    for scan in scans(run.settings, run.on.writable) {
        switched &= match run.bench.model() {
            Some(model) => model.switch_on(scan.cold.then_some(celsius))?,
            None => false,
        };
        let passes = made(&scan, run)?;
        for pass in &passes {
            run.output.figures.extend(figures(&scan, pass));
        }

        if scan.cold {
            firsts.extend(passes.first().map(first));
        } else {
            run.output.figures.extend(ratios(&firsts, &passes));
        }
        run.output.charts.extend(charts(&scan, &passes));
    }
    if !switched {
        run.output.notes.push(Message::of("note-not-switched-off"));
    }
    Ok(())
}

/// A pass over all regions, with the time since power-on of each.
struct TimedPass {
    pass: Pass,
    /// By region: seconds since power-on in the middle of its dwell; mean and worst response in ms.
    seconds: Vec<f64>,
    mean_ms: Vec<Option<f64>>,
    worst_ms: Vec<Option<f64>>,
}

fn made(scan: &Scan, run: &mut Run<'_>) -> Result<Vec<TimedPass>, Stopped> {
    let regions = regions(run.settings, &run.on);
    let mut since_power_on = Duration::ZERO;
    let mut passes = Vec::new();
    for op in &scan.ops {
        let mut timed = TimedPass {
            pass: Pass::new(*op),
            seconds: Vec::new(),
            mean_ms: Vec::new(),
            worst_ms: Vec::new(),
        };
        for (i, region) in regions.iter().enumerate() {
            let name = format!("{} {} region {i:03}", scan.name, op.name());
            let record = run.bench.phase(&name, &dwell(*op, *region, run.settings))?;
            timed.add(record, since_power_on);
            timed
                .pass
                .positions
                .extend(position(*op, region.start, record));
            since_power_on += record.took;
        }
        timed.pass.origin.by.span = Message::new("span-regions", [("n", regions.len().into())]);
        passes.push(timed);
    }
    Ok(passes)
}

impl TimedPass {
    fn add(&mut self, record: &PhaseRecord, since_power_on: Duration) {
        let middle = since_power_on.as_secs_f64() + record.took.as_secs_f64() / 2.0;
        let latencies = record.of(self.pass.op).service;
        let worst = (!latencies.is_empty()).then(|| latencies.max().as_millis_f64());
        self.seconds.push(middle);
        self.mean_ms
            .push(latencies.mean().map(Duration::as_millis_f64));
        self.worst_ms.push(worst);
        self.pass.add(record);
    }

    fn curve(&self, y: Vec<Option<f64>>) -> Curve {
        Curve::new(self.pass.op.name(), self.seconds.clone(), y)
    }
}

/// A scan's figures that matter here.
fn figures(scan: &Scan, timed: &TimedPass) -> Vec<Figure> {
    let wanted = [
        "mean",
        "response.mean",
        "response.p99.9",
        "response.max",
        "errors",
    ];
    let named = |mut figure: Figure| {
        figure.key = format!("{}.{}", scan.name, figure.key);
        figure
    };
    let is_wanted = |figure: &Figure| {
        let key = figure.key.split_once('.').map_or("", |(_, key)| key);
        wanted.contains(&key)
    };
    timed
        .pass
        .figures()
        .into_iter()
        .filter(is_wanted)
        .map(named)
        .collect()
}

/// The mean rate of a cold scan's first pass.
fn first(timed: &TimedPass) -> Figure {
    let key = format!("{}.cold-to-warm", timed.pass.op.name());
    let figure = timed.pass.origin.figure(&key, "x", Better::Higher);
    let n = timed.seconds.len() as u64;
    valued(
        figure,
        timed.pass.mean_mb_s(),
        Message::of("made-cold-over-warm"),
        n,
    )
}

/// The first passes of the cold scans over the same directions of the warm one.
fn ratios(firsts: &[Figure], warm: &[TimedPass]) -> Vec<Figure> {
    let over = |first: &Figure| {
        let same = warm
            .iter()
            .find(|timed| first.key.starts_with(timed.pass.op.name()));
        let warm = same.and_then(|timed| timed.pass.mean_mb_s());
        let ratio = first.value.zip(warm).map(|(cold, warm)| cold / warm);
        let made = Message::of("made-cold-over-warm");
        valued(first.clone(), ratio, made, first.n)
    };
    firsts.iter().map(over).collect()
}

/// Rate and response against the time since power-on.
fn charts(scan: &Scan, passes: &[TimedPass]) -> Vec<Chart> {
    let chart =
        |key: &str, design, curves| Chart::new(format!("{}.{key}", scan.name), design, curves);
    let rate = |timed: &TimedPass| {
        let means = timed
            .pass
            .positions
            .iter()
            .map(|position| Some(position.mean));
        timed.curve(means.collect())
    };
    let response = |timed: &TimedPass| {
        let mean = timed.curve(timed.mean_ms.clone());
        mean.with_band(timed.mean_ms.clone(), timed.worst_ms.clone())
    };
    vec![
        chart(
            "rate",
            designs::RATE_OVER_TIME,
            passes.iter().map(rate).collect(),
        ),
        chart(
            "latency",
            designs::LATENCY_OVER_TIME,
            passes.iter().map(response).collect(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn both_orders_are_scanned_cold_and_one_warm_with_the_time_since_power_on() {
        let settings = settings("cold-start", Scale::Quick, &["regions=4"]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("cold-start", &settings, &mut bench);
        let of = |from: usize| {
            let names = bench.phases[from..]
                .iter()
                .step_by(4)
                .map(|p| p.name.as_str());
            names.take(2).collect::<Vec<_>>()
        };
        assert_eq!(
            of(0),
            [
                "cold-reads-first read region 000",
                "cold-reads-first write region 000"
            ]
        );
        assert_eq!(
            of(8),
            [
                "cold-writes-first write region 000",
                "cold-writes-first read region 000"
            ]
        );
        assert_eq!(of(16), ["warm read region 000", "warm write region 000"]);
        assert!((value(&output, "read.cold-to-warm") - 1.0).abs() < 1e-6);
        assert!((value(&output, "write.cold-to-warm") - 1.0).abs() < 1e-6);
        let writes = &output.charts[0].curves[1];
        // The fourth to seventh of dwells of 30 ms.
        let expected = [0.135, 0.165, 0.195, 0.225];
        assert!(
            writes
                .x
                .iter()
                .zip(expected)
                .all(|(x, e)| (x - e).abs() < 1e-6),
            "{writes:?}"
        );
        assert!(output.notes[0].contains("by hand"), "{:?}", output.notes);
    }
}
