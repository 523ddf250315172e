//! Every method on a target with known latencies.

use base::fault::{Faults, Faulty};
use base::io::{Io, Op};
use base::method::{Kind, OnModels, Scale, Settings};
use base::null::Null;
use base::result::MethodOutput;
use base::size::Bytes;
use base::target::Target;
use base::time::Duration;
use base::workload::Span;

use crate::{METHODS, find};

pub(crate) mod bench_double;
mod forecasts;
mod odd_targets;
pub(crate) mod timed_double;

use bench_double::BenchDouble;
use timed_double::Timed;

pub(crate) const SERVICE: Duration = Duration::from_micros(100);

pub(crate) fn settings(id: &str, scale: Scale, given: &[&str]) -> Settings {
    let given: Vec<String> = given.iter().map(|&g| g.to_owned()).collect();
    Settings::new(
        find(id).unwrap_or_else(|_| panic!("{id}")).card(),
        scale,
        1,
        &given,
    )
    .unwrap()
}

pub(crate) fn drive() -> Null {
    drive_of(Bytes::gib(4))
}

/// The same of another size.
pub(crate) fn drive_of(size: Bytes) -> Null {
    // One I/O at a time: the rate does not depend on the queue depth.
    Null::new(size, SERVICE).with_servers(1)
}

pub(crate) fn output_of<T: Target>(
    id: &str,
    settings: &Settings,
    bench: &mut BenchDouble<T>,
) -> MethodOutput {
    find(id)
        .unwrap_or_else(|_| panic!("{id}"))
        .run(settings, bench)
        .unwrap()
}

pub(crate) fn value(output: &MethodOutput, key: &str) -> f64 {
    let figure = output.figures.iter().find(|f| f.key == key);
    figure
        .unwrap_or_else(|| panic!("no figure {key}"))
        .value
        .unwrap_or_else(|| panic!("{key} has no value"))
}

#[test]
fn every_card_keeps_its_own_bounds_and_every_method_runs_on_its_defaults() {
    for method in METHODS {
        let card = method.card();
        let shortest: Vec<String> = card.shortest.iter().map(|&pair| pair.to_owned()).collect();
        Settings::new(card, Scale::Quick, 1, &shortest).unwrap();
        let [titles, shorts, summaries] = [
            [card.title, card.title_ja()],
            [card.short, card.short_ja()],
            [card.summary, card.summary_ja()],
        ];
        for [english, japanese] in [titles, shorts, summaries] {
            assert!(!english.is_empty() && !japanese.is_empty(), "{}", card.id);
        }
        let both = [card.short_ja(), card.summary_ja()];
        assert!(both.iter().all(|text| !text.is_ascii()), "{}", card.id);
        for setting in card.settings {
            for value in setting.by_scale {
                assert!(
                    setting.kind.takes(value),
                    "{} {}={value}",
                    card.id,
                    setting.key
                );
            }
            let choice = matches!(setting.kind, Kind::Choice(_) | Kind::ChoiceOf(_));
            assert!(!choice || !setting.kind.words().is_empty());
        }
        let settings = Settings::new(card, Scale::Quick, 1, &[]).unwrap();
        let mut bench = BenchDouble::new(drive());
        let output = method.run(&settings, &mut bench).unwrap();
        assert!(!output.figures.is_empty(), "{}", card.id);
        // What has nothing to say has nothing to draw.
        let told = output.figures.iter().any(|figure| figure.value.is_some());
        assert!(
            !told || !output.charts.is_empty() || card.respects_zones(),
            "{}",
            card.id
        );
        let mut keys: Vec<&str> = output.figures.iter().map(|f| f.key.as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), output.figures.len(), "{}: a key twice", card.id);
        for figure in &output.figures {
            assert!(
                (figure.value.is_some() || figure.why_not.is_some())
                    && !figure.unit.is_empty()
                    && !figure.statistic.is_empty(),
                "{figure:?}"
            );
            for said in figure.clone().sentences() {
                let is_word = |word: &str| word.bytes().all(|b| b.is_ascii_lowercase());
                let words = said
                    .split(' ')
                    .filter(|word| word.len() > 1 && is_word(word));
                assert!(said.key().is_some() || words.count() < 2, "no key: {said}");
            }
            assert!(
                figure
                    .phases
                    .iter()
                    .all(|name| bench.phases.iter().any(|p| p.name == *name))
            );
        }
    }
}

#[test]
fn only_a_method_whose_card_says_so_can_tell_a_modelled_drive_from_a_real_one() {
    for method in METHODS {
        let card = method.card();
        let settings = Settings::new(card, Scale::Quick, 1, &[]).unwrap();
        let mut bench = BenchDouble::new(drive());
        method.run(&settings, &mut bench).unwrap();
        let says_so = card.on_models != OnModels::Same;
        // What file-system asks for depends on the method that it runs.
        assert!(
            bench.asked_model == says_so || (says_so && card.id == "file-system"),
            "{}",
            card.id
        );
    }
}

#[test]
fn no_method_writes_outside_its_forecast() {
    for method in METHODS {
        let settings = Settings::new(method.card(), Scale::Quick, 1, &[]).unwrap();
        let mut bench = BenchDouble::new(drive());
        let info = base::bench::Bench::info(&bench);
        let forecast = method.forecast(&settings, &info);
        method.run(&settings, &mut bench).unwrap();
        let covered = |span: &Span| {
            forecast
                .written
                .iter()
                .any(|w| w.start <= span.start && span.end() <= w.end())
        };
        assert!(
            bench.script_writes.iter().all(covered),
            "{}",
            method.card().id
        );
        for phase in &bench.phases {
            let streams = phase
                .workload
                .jobs
                .iter()
                .filter(|_| phase.script.is_none());
            for job in streams.filter(|job| job.writes()) {
                assert!(
                    covered(&job.span),
                    "{}: {:?} in '{}'",
                    method.card().id,
                    job.span,
                    phase.name
                );
            }
            assert!(
                phase
                    .workload
                    .jobs
                    .iter()
                    .all(|job| job.span.end() <= forecast.extent)
            );
        }
    }
}

/// Whether a run read a range that no previous phase had written completely, and no concurrent job.
fn read_as_found(bench: &BenchDouble<Null>) -> bool {
    let mut written: Vec<Span> = bench.script_writes.clone();
    for phase in bench.phases.iter().filter(|phase| phase.script.is_none()) {
        let jobs = || phase.workload.jobs.iter();
        written.extend(jobs().filter(|job| job.writes()).map(|job| job.span));
        let is_written = |span: &Span| {
            let inside = |w: &Span| w.start <= span.start && span.end() <= w.end();
            written.iter().any(inside)
        };
        if jobs().any(|job| job.reads() && !is_written(&job.span)) {
            return true;
        }
    }
    false
}

#[test]
fn a_forecast_says_whether_the_run_reads_what_it_has_not_written() {
    for (method, writable) in METHODS.iter().flat_map(|m| [(m, true), (m, false)]) {
        let settings = Settings::new(method.card(), Scale::Quick, 1, &[]).unwrap();
        let mut bench = BenchDouble::new(drive());
        bench.writable = writable;
        let info = base::bench::Bench::info(&bench);
        let forecast = method.forecast(&settings, &info);
        method.run(&settings, &mut bench).unwrap();
        let (says_so, id) = (forecast.reads_as_found, method.card().id);
        if read_as_found(&bench) {
            assert!(says_so, "{id}, writable {writable}");
        }
        // What replays needs a trace to read anything, and what explains reads by scripts, which are not looked at here; what
        // only writes does nothing where it may not.
        assert!(
            !says_so || !writable || read_as_found(&bench) || ["replay", "explain"].contains(&id),
            "{id}"
        );
    }
}

#[test]
fn on_a_target_that_may_not_be_written_every_method_only_reads() {
    for method in METHODS {
        let settings = Settings::new(method.card(), Scale::Quick, 1, &[]).unwrap();
        let mut bench = BenchDouble::new(drive());
        bench.writable = false;
        let info = base::bench::Bench::info(&bench);
        assert!(
            method.forecast(&settings, &info).written.is_empty(),
            "{}",
            method.card().id
        );
        method.run(&settings, &mut bench).unwrap();
    }
}

#[test]
fn crystaldiskmark_prints_bytes_over_time_in_decimal_megabytes() {
    let settings = settings("crystaldiskmark", Scale::Quick, &["mix=70"]);
    let output = output_of("crystaldiskmark", &settings, &mut BenchDouble::new(drive()));
    // 1 MiB each 100 us; 4 KiB each 100 us.
    assert!((value(&output, "seq1m-q1t1.read") - 10_485.76).abs() < 1.0);
    assert!((value(&output, "rnd4k-q1t1.read") - 40.96).abs() < 0.01);
    assert!((value(&output, "rnd4k-q32t1.read.latency") - 3_200.0).abs() < 60.0);
    assert!((value(&output, "rnd4k-q1t1.mix-r70") - 40.96).abs() < 0.1);
    assert!((value(&output, "rnd4k-q1t1.read.worst") - 100.0).abs() < 1e-9);
}

#[test]
fn the_classic_sequential_run_lasts_whole_passes_and_counts_drain_and_flush() {
    let settings = settings(
        "crystaldiskmark-classic",
        Scale::Quick,
        &["size=50MiB", "time=12ms", "runs=2"],
    );
    let mut bench = BenchDouble::new(drive());
    output_of("crystaldiskmark-classic", &settings, &mut bench);
    let run = |name: &str| {
        bench
            .phases
            .iter()
            .find(|p| p.name == name)
            .unwrap_or_else(|| panic!("{name}"))
    };
    // A pass takes 5 ms: the timer of 12 ms is looked at after 5, 10 and 15 ms.
    assert_eq!(run("seq read run 1").took, Duration::from_millis(15));
    assert_eq!(
        run("seq write run 1").took,
        Duration::from_millis(15) + SERVICE
    );
    // 20 I/Os are 2 ms, 160 are 16 ms.
    assert_eq!(run("512k read run 2").took, Duration::from_millis(12));
    assert_eq!(run("4k read run 2").took, Duration::from_millis(16));
    assert_eq!(
        run("4k-qd32 read run 1").took,
        Duration::from_millis(16) + SERVICE * 31
    );
    assert_eq!(bench.phases.len(), 1 + 8 * 3);
}

#[test]
fn a_full_scan_reads_every_sector_once_and_finds_the_slow_place() {
    let settings = settings("full-scan", Scale::Full, &["ops=read"]);
    let mut bench = BenchDouble::new(drive());
    let output = output_of("full-scan", &settings, &mut bench);
    assert_eq!(bench.phases[0].bytes(), Bytes::gib(4));
    let rate = 65_536.0 / 100.0;
    assert!((value(&output, "read.outermost.top") - rate).abs() < 0.01);
    assert!((value(&output, "read.innermost.bottom") - rate).abs() < 0.01);
    assert_eq!(output.charts[0].curves[0].x.len(), 1_024);
}

#[test]
fn a_scan_over_bad_sectors_counts_them_and_goes_on() {
    let faults = Faults {
        bad: vec![Span::new(Bytes::mib(100), Bytes::kib(256))],
        ..Faults::default()
    };
    let mut bench = BenchDouble::new(Faulty::new(drive(), faults));
    let settings = settings("full-scan", Scale::Full, &["ops=read"]);
    let output = find("full-scan")
        .unwrap_or_else(|_| panic!())
        .run(&settings, &mut bench)
        .unwrap();
    assert!((value(&output, "read.errors") - 4.0).abs() < 1e-9);
}

#[test]
fn a_quick_scan_dwells_at_the_head_of_every_region() {
    let settings = settings(
        "quick-scan",
        Scale::Quick,
        &["regions=16", "dwell=300ms", "ops=read"],
    );
    let mut bench = BenchDouble::new(drive());
    let output = output_of("quick-scan", &settings, &mut bench);
    let starts: Vec<u64> = bench
        .phases
        .iter()
        .map(|p| p.workload.jobs[0].span.start.get() >> 20)
        .collect();
    assert_eq!(starts, (0..16).map(|i| i * 256).collect::<Vec<_>>());
    assert!((value(&output, "read.mean") - 655.36).abs() < 0.5);
    assert!(
        bench
            .phases
            .iter()
            .all(|p| p.took == Duration::from_millis(300))
    );
}

#[test]
fn a_stall_of_the_drive_is_one_stutter_and_is_felt_by_every_access_that_falls_due_in_it() {
    // One I/O in 2,000 is held back by 300 ms.
    let faults = Faults {
        delays_per_million: 500,
        delay: Duration::from_millis(300),
        seed: 2,
        ..Faults::default()
    };
    let mut bench = BenchDouble::new(Faulty::new(Null::new(Bytes::gib(4), SERVICE), faults));
    let settings = settings("latency-watch", Scale::Quick, &["time=60s", "load=none"]);
    let output = find("latency-watch")
        .unwrap_or_else(|_| panic!())
        .run(&settings, &mut bench)
        .unwrap();
    let alone = bench.phases.iter().find(|phase| phase.name == "alone");
    let held = alone.unwrap().job().ops[0]
        .response
        .buckets()
        .filter(|b| b.0 > SERVICE * 10)
        .map(|b| b.2)
        .sum::<u64>();
    let stalls = value(&output, "alone.stalls");
    assert!(stalls >= 1.0);
    assert!((value(&output, "alone.stutters") - stalls).abs() < 0.01);
    // One each 5 ms: itself, and 59 that fell due 5 ms or more before it came back.
    assert!((held as f64 - 60.0 * stalls).abs() < 0.5, "{held} {stalls}");
    assert!((value(&output, "alone.worst") - 300.1).abs() < 1e-6);
    assert!((value(&output, "alone.median") - 0.1).abs() < 0.001);
}

#[test]
fn a_watch_counts_each_standstill_once_and_gives_the_longest() {
    // One I/O a second, one in ten of which takes 300 ms: nothing else comes back then.
    let faults = Faults {
        delays_per_million: 100_000,
        delay: Duration::from_millis(300),
        seed: 2,
        ..Faults::default()
    };
    let mut bench = BenchDouble::new(Faulty::new(Null::new(Bytes::gib(4), SERVICE), faults));
    let given = ["time=60s", "every=1s", "load=none"];
    let settings = settings("latency-watch", Scale::Quick, &given);
    let output = output_of("latency-watch", &settings, &mut bench);
    let stalls = value(&output, "alone.stalls");
    assert!(stalls >= 1.0);
    assert!((stalls - value(&output, "alone.stutters")).abs() < 0.01);
    assert!((value(&output, "alone.longest-stall") - 300.1).abs() < 1e-6);
}

#[test]
fn a_watch_of_a_drive_that_is_slower_than_when_its_pace_was_found_never_shows_its_own_queue() {
    // Writes that take 9 ms once a few hundred are written: the pace was found with 0.1 ms.
    let mut writes = 0;
    let service = move |io: &Io, _| {
        writes += u64::from(io.op == Op::Write);
        match writes {
            0..5_500 => SERVICE,
            _ => Duration::from_millis(9),
        }
    };
    let mut bench = BenchDouble::new(Timed::new(service));
    let settings = settings(
        "latency-watch",
        Scale::Quick,
        &["time=10s", "load=none", "op=write"],
    );
    let output = output_of("latency-watch", &settings, &mut bench);
    assert!((value(&output, "alone.worst") - 9.0).abs() < 1e-6);
    assert!(value(&output, "alone.stutters").abs() < f64::EPSILON);
    let said: Vec<&str> = output.notes.iter().map(|note| note.as_str()).collect();
    let said = said.join("\n");
    assert!(
        said.contains("longer than the interval of 5.00 ms"),
        "{said}"
    );
}

/// The least value of a setting, and those of its words.
fn extremes(kind: &Kind) -> Vec<String> {
    match kind {
        Kind::Size { min, .. } | Kind::SizeOrWhole { min } => {
            let mut values = vec![min.get().to_string(), "whole".to_owned()];
            values.extend([1_000_003, 4_097 * 512].map(|n: u64| n.to_string()));
            values.retain(|value| kind.takes(value));
            values
        }
        Kind::Count { min, .. } => vec![min.to_string()],
        Kind::Time { min, .. } => vec![format!("{}ns", min.as_nanos())],
        Kind::Factor { min, max } => vec![min.to_string(), max.to_string()],
        Kind::Choice(_) | Kind::ChoiceOf(_) | Kind::File { .. } => {
            kind.words().iter().map(|&word| word.to_owned()).collect()
        }
    }
}

#[test]
fn extreme_settings_on_tiny_targets_end_in_figures_or_in_a_reason() {
    let capacities = [
        Bytes::SECTOR,
        Bytes::kib(60),
        Bytes::mib(1) + Bytes::SECTOR,
        Bytes::mib(70),
    ];
    for method in METHODS {
        let card = method.card();
        let shortest: Vec<String> = card.shortest.iter().map(|&pair| pair.to_owned()).collect();
        Settings::new(card, Scale::Quick, 1, &shortest).unwrap();
        for setting in card.settings {
            for value in extremes(&setting.kind) {
                let given = [format!("{}={value}", setting.key)];
                let settings = Settings::new(card, Scale::Quick, 1, &given).unwrap();
                for capacity in capacities {
                    let mut bench = BenchDouble::new(Null::new(capacity, SERVICE));
                    let info = base::bench::Bench::info(&bench);
                    let forecast = method.forecast(&settings, &info);
                    let said = method.run(&settings, &mut bench).map_err(|e| e.to_string());
                    let outside = |w: &Span| w.end() > forecast.extent;
                    assert!(
                        !forecast.written.iter().any(outside),
                        "{} {given:?}",
                        card.id
                    );
                    match said {
                        Ok(output) => assert!(
                            output
                                .figures
                                .iter()
                                .all(|f| f.value.is_some() || f.why_not.is_some()),
                            "{} {given:?}",
                            card.id
                        ),
                        Err(reason) => assert!(!reason.is_empty() && !reason.contains('\n')),
                    }
                }
            }
        }
    }
}
