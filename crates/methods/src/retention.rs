//! Retention: reading data that was stored for a long time.
//!
//! **What it measures.** The sequential read rate, the response times and the errors after the data has been stored for
//! a month, two, four, up to years: flash loses charge, needs read retries until the right voltages are found, and
//! finally becomes unreadable.
//!
//! **Who published it.** In 2014, owners of a TLC drive found that data written months before was read at a tenth of
//! the rate; JEDEC's JESD218 specifies retention at a temperature after wear. The method is ours.
//!
//! **Protocol.** The extent is written once sequentially with labelled sectors (see `verify`), flushed, and read
//! sequentially: the reference. Then it is left alone until it reaches the first age, and read sequentially with every
//! sector checked; then until it is twice as old, and so on up to the last age. Ages count from the write. For worn
//! flash use the state in the target's name (`state=fresh,wear=90%`). With `write=no` nothing is written: the data of
//! the state in the target's name (`full-in-order`) is read, and sectors cannot be checked.
//!
//! **What it cannot tell.** The drive stays powered on while the data ages, so a drive that refreshes old data does so;
//! for an unpowered drive use `state=full-in-order,age=1y` and `write=no`. On a real drive it would take years: it runs
//! on modelled drives only.

use base::{
    Better, Bytes, Card, Duration, Figure, Fill, Forecast, Group, Info, Latencies, Message, Needs,
    OnModels, Op, PhaseRecord, Rate, Setting, Settings, Stopped, Takes, Workload,
};

use crate::areas::{ONE_PASS, access, forecast, in_order, prepared};
use crate::chart::responses;
use crate::figures::{Of, Origin, valued};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{extent, part};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

const DAY: Duration = Duration::from_secs(86_400);

static CARD: Card = Card {
    id: "retention",
    title: "Retention (modelled drives only)",
    publisher: "drivelab, after the findings of owners of a TLC drive",
    summary: "Writes, lets the data age for a month, two, up to years, and reads back: rate, response, errors and differing sectors, by age. For modelled drives; refused on real ones.",
    version: 1,
    writes: true,
    files: false,
    on_models: OnModels::Only,
    group: Group::Inside,
    short: "Read speed of data stored for months and years",
    needs: &[Needs::Flash("its discs lose no charge"), Needs::Writing],
    shortest: &["extent=4MiB"],
    #[rustfmt::skip]
    settings: &[
        part("extent", "how much is written and read, from the start", ["256MiB", "1GiB", "8GiB"]),
        Setting::size("block", "bytes per read", Bytes::SECTOR..=Bytes::mib(8), ["128KiB"; 3]),
        Setting::count("first", "the first age, in days; each next one is twice as long", 1..=3_650, ["30"; 3]),
        Setting::count("last", "the last age, in days", 1..=3_650, ["240", "960", "960"]),
        Setting::choice("write", "write first; no reads the data of the state in the target's name", &["yes", "no"], ["yes"; 3]),
    ],
};

/// The ages in days: from the first, doubled, up to the last.
fn ages(settings: &Settings) -> Vec<u64> {
    let last = settings.count("last");
    let doubled = std::iter::successors(Some(settings.count("first")), |age| Some(age * 2));
    let mut ages: Vec<u64> = doubled.take_while(|age| *age < last).collect();
    ages.push(last);
    ages
}

fn writes(settings: &Settings, on: &Info) -> bool {
    on.writable && settings.text("write") == "yes"
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let extent = extent(settings, "extent", on);
    let writes = writes(settings, on);
    let reads = extent * (1 + ages(settings).len() as u64);
    let written = prepared(extent, writes);
    let takes = Takes::moving(reads + written).and_idle(DAY.saturating_mul(settings.count("last")));
    Forecast {
        reads: Some(reads),
        writes: Some(written),
        ..forecast(extent, writes, takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let span = run.extent("extent");
    let mut checked = false;
    if writes(settings, &run.on) {
        checked = match run.bench.model() {
            Some(model) => model.keep_contents()?,
            // A real drive keeps what is written.
            None => true,
        };
        run.write_in_order("write", span, Fill::labelled(1))?;
    }
    let size = settings.size("block");
    let mut job = in_order("read", Op::Read, span, access(size, &run.on), 1);
    if checked {
        job.fill = Fill::labelled(1);
    }
    let work = Workload::single(job, ONE_PASS, settings.seed);
    run.tell_grown(&[size]);
    let mut distributions: Vec<(String, Latencies)> = Vec::new();
    let mut rates = Vec::new();
    let mut old = 0;
    for age in std::iter::once(0).chain(ages(settings)) {
        if age > old {
            let days = DAY.saturating_mul(age - old);
            run.bench
                .idle(&format!("lies until {age} days old"), days)?;
            old = age;
        }
        let record = run.bench.phase(&format!("read after {age} days"), &work)?;
        run.output.figures.extend(figures(age, record, checked));
        rates.push(record.rate().map(Rate::mb_s));
        distributions.push((format!("{age} days"), record.of(Op::Read).service));
    }
    let slowdown = slowdown(&rates, &run.output.figures[0]);
    run.output.figures.push(slowdown);
    let chart = responses("age.response", &distributions);
    run.output.charts.push(chart);
    if !checked {
        run.output.notes.push(Message::of("note-sectors-unseen"));
    }
    Ok(())
}

/// Rate, response times, failed reads and differing sectors at an age.
fn figures(age: u64, record: &PhaseRecord, checked: bool) -> Vec<Figure> {
    let origin = Origin::of(record);
    let reads = record.of(Op::Read).service;
    let key = |of: &str| format!("after-{age}d.{of}");
    let response = |name: &str, of| origin.latency(&key(name), "ms", of, &reads);
    let errors = &record.job().errors;
    let n = record.ios() + errors.count;
    let count = |name: &str, value: u64| {
        let figure = origin.figure(&key(name), "count", Better::Lower);
        valued(figure, Some(value as f64), "count", n)
    };
    let failed = record.failed();
    let mut figures = vec![
        origin.transfer_rate(&key("rate"), record),
        response("response.mean", Of::Mean),
        response("response.max", Of::Max),
        count("read-errors", failed),
    ];
    if checked {
        figures.push(count("differing", errors.differing.values().sum()));
    }
    figures
}

/// The last rate over the first.
fn slowdown(rates: &[Option<f64>], like: &Figure) -> Figure {
    let first = rates.first().copied().flatten();
    let last = rates.last().copied().flatten();
    let ratio = last.zip(first).map(|(last, first)| last / first);
    let figure = Origin::like(like).figure("old-to-new", "x", Better::Higher);
    let made = Message::of("made-age-over-fresh");
    valued(figure, ratio, made, rates.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn ages_double_and_are_counted_from_the_writing() {
        let settings = settings("retention", Scale::Quick, &["last=100"]);
        assert_eq!(ages(&settings), [30, 60, 100]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("retention", &settings, &mut bench);
        let days: Vec<u64> = bench.phases[1..]
            .iter()
            .map(|phase| phase.began.as_nanos() / DAY.as_nanos())
            .collect();
        assert_eq!(days, [0, 30, 60, 100]);
        assert!((value(&output, "old-to-new") - 1.0).abs() < 1e-6);
        assert!(output.notes[0].contains("not checked"));
    }
}
