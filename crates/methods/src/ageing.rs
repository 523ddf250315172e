//! Ageing: the latency watch after increasing use, and after idle time.
//!
//! **What it measures.** Rate and stutter of a drive against its use: random writes of a quarter, a half, once, twice
//! and four times its capacity; and how much idle time or a trim recovers.
//!
//! **Who published it.** Reviewers of the first SSDs, who observed the same drive for months; expressing use as a
//! multiple of the capacity follows SNIA's Performance Test Specification.
//!
//! **Protocol.** The extent is written once sequentially, left idle for as long as at the end, and watched: a small I/O
//! every few milliseconds under load (as in the latency watch). Then a number of random writes, given in per cent of
//! the extent, another watch, and so on. At the end the drive is left idle for a time, after a trim of the extent if
//! requested, and watched once more. The rate of each step is that of its random writes.
//!
//! **What it cannot tell.** The effect of years: charge leakage, dust and heat are not use. A drive that writes into a
//! fast cache empties it while idle, and afterwards reads the same data from slower cells: so the first watch also
//! follows idle time and is compared with the last one, while those in between find part of the data in the cache. The
//! shortened test writes larger blocks, which age a drive less than small ones, and covers only part of a large drive.

use base::{
    Better, Bytes, Card, Fill, Forecast, Group, Info, Job, Message, Needs, Op, Order, Rate,
    Setting, Settings, Span, Stop, Stopped, Takes, Workload,
};

use crate::areas::{access, forecast, prepared};
use crate::figures::{Origin, valued};
use crate::latency_watch;
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{EXTENT, extent, millis, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Uses at which the drive is watched, in per cent of the extent.
const USES: [u64; 7] = [0, 25, 50, 100, 200, 400, 800];

static CARD: Card = Card {
    id: "ageing",
    title: "Ageing",
    publisher: "after reviewers of the first SSDs; use counted as SNIA's Performance Test Specification does",
    summary: "The latency watch after random writes of 0, 25, 50, 100, 200, 400 % of the capacity, and after idle time: rate and stutter against use.",
    version: 2,
    group: Group::Inside,
    short: "Stutter after writing 0 to 4 times the capacity",
    needs: &[
        Needs::Flash("it has no garbage collection, so it does not slow down with use"),
        Needs::Writing,
    ],
    shortest: &["extent=8MiB", "time=100ms"],
    #[rustfmt::skip]
    settings: &[
        EXTENT.with_values(["64MiB", "32GiB", "whole"]),
        Setting::count("most", "total random writes, in per cent of the extent", 0..=800, ["50", "25", "400"]),
        Setting::size("block", "bytes per random write", Bytes::kib(4)..=Bytes::mib(1), ["4KiB", "64KiB", "4KiB"]),
        Setting::count("depth", "random writes in flight", 1..=1_024, ["32"; 3]),
        Setting::time("rest", "idle time before the first watch and at the end; 0 for none", seconds(0)..=seconds(604_800), ["100ms", "60s", "1h"]),
        Setting::choice("trim", "trim the extent before the idle time", &["no", "yes"], ["no"; 3]),
        Setting::time("time", "length of each watch", millis(100)..=seconds(86_400), ["100ms", "10s", "5min"]),
        latency_watch::EVERY,
        latency_watch::OP,
        Setting::choice("load", "background load of the watch", latency_watch::LOADS, ["mixed"; 3]),
        latency_watch::LOAD_DEPTH,
        latency_watch::STUTTER,
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let extent = extent(settings, "extent", on);
    if !on.writable {
        return forecast(extent, false, Takes::default());
    }
    let most = settings.count("most");
    let uses = USES.into_iter().filter(|percent| *percent <= most);
    let used = uses.clone().max().unwrap_or(0);
    let used = Bytes::new((u128::from(extent.get()) * u128::from(used) / 100) as u64);
    let block = access(settings.size("block"), on);
    let trimmed = prepared(extent, settings.text("trim") == "yes");
    let watches = uses.count() as u64 + 1;
    // Each step of use is of one I/O at least.
    let used = used + block * watches;
    let takes = Takes::timed(settings.time("time").saturating_mul(watches))
        .and_idle(settings.time("rest").saturating_mul(2))
        .and_moving(extent + used + trimmed)
        .and_accesses(used.get() / block.get());
    forecast(extent, true, takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    if !run.on.writable {
        return run.not_writable("use-0.worst", "ms", Better::Lower);
    }
    let span = run.extent("extent");
    run.write_in_order("write in order", span, Fill::FRESH)?;
    let size = settings.size("block");
    run.tell_grown(&[size]);
    let (rest, trims) = (settings.time("rest"), settings.text("trim") == "yes");
    if !rest.is_zero() {
        run.bench.idle("rest before", rest)?;
    }
    let mut used = 0;
    for percent in USES.into_iter().filter(|p| *p <= settings.count("most")) {
        if percent > used {
            age(percent - used, percent, span, run)?;
            used = percent;
        }
        watch(&format!("use-{percent}"), span, run)?;
    }
    if trims {
        run.trim(span)?;
    }
    if !rest.is_zero() {
        run.bench.idle("rest", rest)?;
    }
    if trims || !rest.is_zero() {
        watch("rested", span, run)?;
    }
    Ok(())
}

/// Random writes of a percentage of the span.
fn age(percent: u64, to: u64, span: Span, run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let size = access(settings.size("block"), &run.on).min(span.len);
    let depth = u32::try_from(settings.count("depth")).unwrap_or(1);
    let job = Job::closed("use", Op::Write, Order::Random, span, size, depth);
    let bytes = u128::from(span.len.get()) * u128::from(percent) / 100;
    let stop = Stop::after_bytes(Bytes::new(bytes as u64).max(size));
    let work = Workload::single(job, stop, base::rng::splitmix64(settings.seed ^ to));
    let name = format!("use up to {to} %");
    let record = run.bench.phase(&name, &work)?;
    let figure = Origin::of(record).figure(&format!("use-{to}.rate"), "MB/s", Better::Higher);
    let (rate, made) = (
        record.rate().map(Rate::mb_s),
        Message::of("made-step-over-time"),
    );
    run.output
        .figures
        .push(valued(figure, rate, made, record.ios()));
    Ok(())
}

fn watch(key: &str, span: Span, run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let (load, op) = (
        latency_watch::load_of(settings, &run.on),
        latency_watch::op_of(settings),
    );
    let work = latency_watch::workload(span, settings, op, settings.time("every"), load);
    let record = run.bench.phase(&format!("watch {key}"), &work)?;
    latency_watch::add_figures(key, record, settings, &mut run.output);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;
    use base::size::Bytes;
    use base::time::Duration;

    #[test]
    fn the_first_watch_and_the_last_come_after_the_same_rest() {
        let settings = settings("ageing", Scale::Quick, &["extent=16MiB", "rest=3s"]);
        let mut bench = BenchDouble::new(drive());
        output_of("ageing", &settings, &mut bench);
        let rest_before = |name: &str| {
            let at = bench.phases.iter().position(|p| p.name == name).unwrap();
            let earlier = &bench.phases[at - 1];
            bench.phases[at].began.since(earlier.began + earlier.took)
        };
        assert_eq!(rest_before("watch use-0"), Duration::from_secs(3));
        assert_eq!(rest_before("watch rested"), Duration::from_secs(3));
    }

    #[test]
    fn a_trim_is_watched_though_no_rest_follows() {
        let given = ["extent=16MiB", "most=0", "trim=yes", "rest=0"];
        let settings = settings("ageing", Scale::Quick, &given);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("ageing", &settings, &mut bench);
        assert!(value(&output, "rested.median") > 0.0);
        assert!(bench.phases.iter().any(|p| p.name == "trim"));
    }

    #[test]
    fn each_step_writes_what_is_missing_to_its_use_and_is_watched() {
        let settings = settings("ageing", Scale::Quick, &["extent=16MiB", "most=100"]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("ageing", &settings, &mut bench);
        let written: Vec<u64> = bench
            .phases
            .iter()
            .filter(|p| p.name.starts_with("use"))
            .map(|p| p.bytes().get() >> 20)
            .collect();
        assert_eq!(written, [4, 4, 8]);
        assert!((value(&output, "use-100.rate") - 40.96).abs() < 0.5);
        for key in [
            "use-0.worst",
            "use-25.stutters",
            "use-100.median",
            "rested.median",
        ] {
            assert!(value(&output, key) >= 0.0, "{key}");
        }
        assert_eq!(bench.phases[0].bytes(), Bytes::mib(16));
    }
}
