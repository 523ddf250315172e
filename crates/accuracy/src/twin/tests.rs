//! Twins of modelled drives whose values are hidden, and of real drives whose responses were published.
//!
//! The searches take minutes, so most of these are run by hand: `cargo test -p accuracy --lib twin -- --ignored
//! --nocapture --test-threads 1` prints every drive. `DRIVELAB_TWINS=1` takes one hidden drive of each kind.

use base::io::Op;
use base::method::Scale;
use base::size::Bytes;
use base::time::Duration;
use base::workload::{Job, Order, Span, Stop, Workload};
use lab::progress::Silent;
use lab::running::{Request, prepare};
use sim::catalogue::free::open_values;
use sim::catalogue::{ModelOptions, describe, open};
use stats::repeat::Repeat;
use targets::Consent;
use toml_edit::DocumentMut;

use super::measured::{Given, Session, Step};
use super::*;
use crate::fit::family::{FittedTo, put, put_chosen};
use crate::prediction::drawn;

/// Threads of a fit: the bars are for two processors.
const JOBS: usize = 2;

/// A drive of a kind whose open values are drawn; a drawing that cannot be built is drawn again.
fn hidden(kind: &str, capacity: u64, link: &str, seed: u64, folder: &std::path::Path) -> String {
    let path = folder.join(format!("{kind}-{seed}.toml"));
    let name = path.to_str().unwrap().to_owned();
    let head = format!(
        "[drive]\nkind = \"{kind}\"\ntitle = \"hidden\"\nmaker = \"x\"\nyear = 2020\ncapacity_bytes = {capacity}\ninterface = \"{link}\"\n"
    );
    for drawing in 0..50 {
        std::fs::write(&path, &head).unwrap();
        let open_values = open_values(&name).unwrap();
        let mut document: DocumentMut = head.parse().unwrap();
        for (value, (key, text)) in open_values.iter().zip(drawn(&open_values, seed, drawing)) {
            if value.flag {
                put_chosen(&mut document, &key, text == "true", "drawn").unwrap();
                continue;
            }
            let to = FittedTo {
                by: "twin",
                facts: &["drawn".to_owned()],
                why: "drawn",
            };
            let number: f64 = text.parse().unwrap();
            put(
                &mut document,
                &key,
                (number, value.whole),
                value.within,
                &to,
            )
            .unwrap();
        }
        std::fs::write(&path, document.to_string()).unwrap();
        if describe(&name).is_ok() && open(&name, &ModelOptions::default()).is_ok() {
            return name;
        }
    }
    panic!("no drive of {kind} can be built with seed {seed}")
}

/// What a review of a drive gives, without the methods whose phases are scripts: a twin leaves them out.
fn reviewed(drive: &str, seed: u64) -> Vec<RunResult> {
    let target = format!("model:{drive}");
    let consent = Consent::default();
    let plan = plans::review::plan(&target, &consent, &[], &[], Scale::Default, seed).unwrap();
    let unused = ["application-traces", "delay-ratio", "idle-latency"];
    let steps = plan
        .steps
        .iter()
        .filter(|step| !unused.contains(&step.method.as_str()));
    let run = |(place, step): (usize, &plans::PlannedStep)| {
        let request = asked_of(&step.method, drive, step.scale, seed);
        let set = step.set.clone();
        run_as(Request { set, ..request }, place as i64 + 1)
    };
    steps.enumerate().map(run).collect()
}

fn asked(kind: Option<&str>) -> MakeTwin {
    MakeTwin {
        kind: kind.map(str::to_owned),
        jobs: JOBS,
        seed: 1,
        ..MakeTwin::default()
    }
}

/// What this process has taken of the processors: the same on a machine that does other things, too.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .collect();
    let ticks = |field: usize| fields[field].parse::<f64>().unwrap();
    (ticks(11) + ticks(12)) / 100.0 // utime and stime, in hundredths of a second on Linux
}

/// Prints how near the twins of drives of a kind are, and holds the medians over the drives to the bars.
fn twins_of(kind: &str, capacity: u64, link: &str, seeds: std::ops::Range<u64>) {
    let folder = tempfile::tempdir().unwrap();
    let (mut rates, mut tails) = (Vec::new(), Vec::new());
    let most = std::env::var("DRIVELAB_TWINS").map_or(usize::MAX, |most| most.parse().unwrap());
    for seed in seeds.take(most) {
        let drive = hidden(kind, capacity, link, seed, folder.path());
        let results = reviewed(&drive, seed);
        let began = processor_seconds();
        let made = twin_of(&results, &asked(None), &Interrupt::new(), &|_| {}).unwrap();
        let TwinError {
            rates_percent,
            p99_percent,
            ..
        } = made.twin.held_back;
        let worst = (made.twin.figures.iter())
            .filter(|figure| figure.held_back && figure.statistic == "rate")
            .max_by(|a, b| a.error.abs().total_cmp(&b.error.abs()))
            .unwrap();
        eprintln!(
            "{kind} {seed}: {} held back {:?} fit {:?} worst rate {:.1} % of {}; {} fitted, {} runs, {:.0} s of a processor",
            made.twin.kind,
            made.twin.held_back,
            made.twin.fit,
            100.0 * worst.error,
            worst.workload,
            made.twin.parameters.len(),
            made.twin.runs,
            processor_seconds() - began
        );
        for figure in made
            .twin
            .figures
            .iter()
            .filter(|figure| figure.error.abs() > 0.1)
        {
            eprintln!(
                "  {} {}{}: {:.0} for {:.0} {}, {:+.0} %",
                figure.workload,
                figure.statistic,
                if figure.held_back { " (held back)" } else { "" },
                figure.simulated,
                figure.measured,
                figure.unit,
                100.0 * figure.error
            );
        }
        for value in (made.twin.parameters.iter()).filter(|value| value.key.contains(".slc.")) {
            let short = value.key.rsplit_once('.').unwrap().1;
            let text = std::fs::read_to_string(&drive).unwrap();
            let hidden = text.lines().find(|line| line.starts_with(short)).unwrap();
            eprintln!("  {} {:?}; hidden {hidden:.60}", value.key, value.value);
        }
        rates.extend(rates_percent);
        tails.extend(p99_percent);
    }
    let (rates, tails) = (median(rates), median(tails));
    eprintln!("{kind}: rates {rates:.1} %, p99 {tails:.1} % (medians over drives)");
    assert!(rates <= 8.0 && tails <= 25.0, "{kind}: {rates} {tails}");
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    f64::midpoint(all[(all.len() - 1) / 2], all[all.len() / 2])
}

#[test]
#[ignore = "minutes"]
fn twins_of_hidden_client_drives_on_sata() {
    twins_of("sata-tlc", 250_059_350_016, "sata-6", 1..5);
}

#[test]
#[ignore = "minutes"]
fn twins_of_hidden_server_drives_on_sata() {
    twins_of("sata-plp", 480_103_981_056, "sata-6", 11..15);
}

#[test]
#[ignore = "minutes"]
fn twins_of_hidden_drives_without_dram_on_sata() {
    twins_of("sata-no-dram", 240_057_409_536, "sata-6", 21..24);
}

#[test]
#[ignore = "minutes"]
fn twins_of_hidden_client_drives_on_nvme() {
    twins_of("nvme-tlc", 500_107_862_016, "pcie4x4", 31..34);
}

#[test]
#[ignore = "minutes"]
fn twins_of_hidden_drives_without_dram_on_nvme() {
    twins_of("nvme-tlc-no-dram", 500_107_862_016, "pcie4x4", 41..44);
}

#[test]
#[ignore = "minutes"]
fn twins_of_hidden_disks() {
    twins_of("disk-desktop", 500_107_862_016, "sata-3", 51..54);
}

const ROWS: &str = include_str!("../../data/responses/random-4k.csv");

/// What was written between a row and the next: fio-plot's bench-fio goes through 1, 2, 4 ... 64 jobs at each depth
/// (`loop_items` in its settings), each with the same addresses again. Reads change nothing.
fn between(op: Op, work: &Workload) -> Vec<Step> {
    let jobs = [2, 4, 8, 16, 32, 64].iter().filter(|_| op == Op::Write);
    let of = |jobs: &usize| {
        let mut work = work.clone();
        work.jobs = vec![work.jobs[0].clone(); *jobs];
        Step { work, gives: None }
    };
    jobs.map(of).collect()
}

/// A real drive by its rows: random 4 KiB at six depths, of which the second, fourth and sixth are held back.
fn real(drive: &str, host: &str, capacity: u64, link: &str, written: &str) -> Measured {
    let capacity = Bytes::new(capacity);
    let mut measured = Measured {
        name: drive.to_owned(),
        capacity,
        rotational: None,
        link: link.to_owned(),
        host: Some(host.to_owned()),
        sessions: Vec::new(),
        workloads: Vec::new(),
        figures: Vec::new(),
        fill: None,
        structure: structure::Structure::default(),
        left_out: Vec::new(),
    };
    for (place, row) in ROWS.lines().skip(1).enumerate() {
        let fields: Vec<&str> = row.split(',').collect();
        if (fields[0], fields[1]) != (drive, host) {
            continue;
        }
        let op = if fields[3] == "read" {
            Op::Read
        } else {
            Op::Write
        };
        let depth: u32 = fields[5].parse().unwrap();
        let number = |column: usize| fields[column].parse::<f64>().unwrap();
        let given = |what, column| Given {
            op,
            what,
            value: number(column),
            noise: 0.0,
        };
        let figures = [
            given(Statistic::Rate, 8),
            given(Statistic::Median, 9),
            given(Statistic::P99, 10),
        ];
        let label = format!("{} at {depth}", fields[3]);
        let gives = measured.add_workload(place as i64 + 1, &label, &figures);
        measured.workloads[gives].held_back = [2, 8, 32].contains(&depth);
        let block = Bytes::kib(4);
        let span = Span::first(capacity.round_down(block));
        let job = Job::closed("responses", op, Order::Random, span, block, depth);
        let stop = Stop {
            time: Some(Duration::from_secs(60)),
            ..Stop::default()
        };
        let state = if op == Op::Write {
            written
        } else {
            "full-in-order"
        };
        let state = state.parse().unwrap();
        let step = Step {
            work: Workload::single(job, stop, 1),
            gives: Some(gives),
        };
        // Rows of an operation were measured one after the other, on a drive as the row before left it.
        let of_op =
            |session: &&mut Session| session.steps[0].work.jobs[0].writes() == (op == Op::Write);
        let whole = std::iter::once(step.clone()).chain(between(op, &step.work));
        match measured.sessions.iter_mut().find(of_op) {
            Some(session) => {
                session.steps.push(step.clone());
                session.whole.extend(whole);
            }
            None => measured.sessions.push(Session {
                state,
                steps: vec![step.clone()],
                whole: whole.collect(),
            }),
        }
    }
    measured
}

fn real_twin(measured: &Measured) -> TwinError {
    let made = make(measured, &asked(None), &Interrupt::new(), &|_| {}).unwrap();
    eprintln!("{}", made.twin);
    eprintln!(
        "{}: {:?}, fit {:?}",
        measured.name, made.twin.held_back, made.twin.fit
    );
    made.twin.held_back
}

/// Rates within 15 %, p99 within 30 %, on the half of the depths that was held back.
fn is_near(drive: &str, host: &str, capacity: u64, link: &str, written: &str) {
    let off = real_twin(&real(drive, host, capacity, link, written));
    let (rates, tails) = (off.rates_percent.unwrap(), off.p99_percent.unwrap());
    assert!(rates <= 15.0 && tails <= 30.0, "{drive}: {off:?}");
}

#[test]
#[ignore = "minutes"]
fn the_twin_of_a_measured_s4610_is_near_at_other_depths() {
    is_near(
        "intel-d3-s4610-480gb",
        "microserver-g8-sata3g",
        480_103_981_056,
        "sata-6",
        "full-in-order",
    );
}

#[test]
#[ignore = "minutes"]
fn the_twin_of_a_measured_mx200_is_near_at_other_depths() {
    is_near(
        "crucial-mx200-250gb",
        "microserver-g8-sata3g",
        250_059_350_016,
        "sata-6",
        "steady-random,idle=0s",
    );
}

#[test]
#[ignore = "minutes"]
fn the_twin_of_a_measured_860_pro_is_near_at_other_depths() {
    is_near(
        "samsung-860-pro-512gb",
        "hba-m1015",
        512_110_190_592,
        "sata-6",
        "full-in-order",
    );
}

#[test]
#[ignore = "minutes"]
fn the_twin_of_a_measured_disk_is_near_at_other_depths() {
    is_near(
        "hitachi-travelstar-7k100-100gb",
        "microserver-g10-ahci",
        100_030_242_816,
        "sata-1.5",
        "full-in-order",
    );
}

#[test]
fn a_stored_fill_without_bins_or_sizes_is_no_fill_to_cut() {
    let span = Span::first(Bytes::gib(1));
    let job = Job::closed("fill", Op::Write, Order::Sequential, span, Bytes::mib(1), 1);
    let mut work = Workload::single(job, Stop::default(), 1);
    work.keep.bins = Some(64);
    let at = base::time::Instant::ZERO;
    let fill = base::run::new_record("fill", &work, at, Bytes::SECTOR);
    assert!(measured::is_a_fill(&fill));
    let mut without = [fill.clone(), fill.clone(), fill.clone(), fill];
    without[0].workload.keep.bins = None;
    without[1].workload.jobs[0].span.len = Bytes::ZERO;
    without[2].workload.jobs[0].accesses.clear();
    without[3].workload.jobs.clear();
    assert!(without.iter().all(|fill| !measured::is_a_fill(fill)));
}

/// A value that a drive refuses is passed over in silence: a key that no drive knows would never be tried.
#[test]
fn every_way_that_a_twin_may_go_is_one_that_drives_know() {
    let is_taken = |key: &str, value: String| {
        let options = ModelOptions {
            overrides: vec![(key.to_owned(), value)],
            ..ModelOptions::default()
        };
        open("samsung-860-evo-1tb", &options).is_ok()
    };
    for variant in variants::VARIANTS {
        assert!(is_taken(variant.key, variant.tried[0].to_string()));
    }
    for way in variants::AT_LENGTH {
        for value in [way.value, way.usual] {
            assert!(is_taken(way.key, value.to_string()), "{}", way.key);
        }
        assert!(is_taken(way.rates_follow, "0.5".to_owned()));
    }
}

/// A number of a drive's file, by its path.
fn value_of(drive: &str, key: &str) -> Option<f64> {
    let (_, path) = key.split_once('.').unwrap();
    let (section, key) = path.rsplit_once('.').unwrap();
    let sheet = describe(drive).unwrap();
    let mut rows = sheet
        .sections
        .iter()
        .filter(|known| known.name == section)
        .flat_map(|known| &known.rows);
    rows.find(|row| row.key == key)?.value.parse().ok()
}

/// The twin of a drive by a scan, and by what `explain` found besides.
fn twin_of_scanned(drive: &str, kind: &str, explained: Option<RunResult>) -> Made {
    let mut results = vec![measured_by("quick-scan", drive, Scale::Quick, 1)];
    results.extend(explained);
    twin_of(&results, &asked(Some(kind)), &Interrupt::new(), &|_| {}).unwrap()
}

#[test]
fn a_twin_has_the_dies_that_explain_found_and_blocks_for_its_capacity() {
    let folder = tempfile::tempdir().unwrap();
    let drive = folder.path().join("drive.toml");
    let head = "[drive]\nkind = \"sata-tlc\"\ntitle = \"x\"\nmaker = \"x\"\nyear = 2020\ncapacity_bytes = 250059350016\ninterface = \"sata-6\"\n";
    let value = |key, value| {
        format!("{key} = {{ value = {value}, source = \"estimated\", why = \"hidden\" }}\n")
    };
    let flash = value("dies", 16) + &value("blocks_a_plane", 700);
    std::fs::write(&drive, format!("{head}[ssd.nand]\n{flash}")).unwrap();
    let drive = drive.to_str().unwrap();
    // Half of the seeds leave it open whether they are dies or channels.
    let mut explained = (1..=8).map(|seed| {
        let asked = asked_of(structure::METHOD, drive, Scale::Default, seed);
        run_as(asked, 2)
    });
    let has_dies = |result: &RunResult| {
        let mut figures = result.figures.iter();
        figures.any(|figure| figure.key == "stripe.pages" && figure.value.is_some())
    };
    let explained = explained.find(has_dies);
    let made = twin_of_scanned(drive, "sata-tlc", explained);
    let structure = &made.twin.structure;
    for (key, value) in [("dies", 16), ("blocks_a_plane", 700)] {
        let key = format!("ssd.nand.{key}");
        let found = structure.iter().find(|it| it.key == key).unwrap();
        assert_eq!(found.value as u32, value, "{key}");
    }
}

#[test]
fn a_twin_has_the_memory_of_the_map_that_explain_found_and_is_as_before_without() {
    let folder = tempfile::tempdir().unwrap();
    let drive = hidden(
        "nvme-tlc-no-dram",
        120_034_123_776,
        "pcie3x4",
        41,
        folder.path(),
    );
    let key = "ssd.map_cache.memory_mib";
    let explained = measured_by(structure::METHOD, &drive, Scale::Quick, 2);
    let with = twin_of_scanned(&drive, "nvme-tlc-no-dram", Some(explained.clone()));
    let found = with.twin.structure.iter().find(|it| it.key == key).unwrap();
    let is = value_of(&drive, key).unwrap();
    assert!((found.value / is - 1.0).abs() < 0.15, "{found:?} for {is}");
    let file = folder.path().join("twin.toml");
    std::fs::write(&file, &with.text).unwrap();
    assert_eq!(value_of(file.to_str().unwrap(), key), Some(found.value));

    let without = twin_of_scanned(&drive, "nvme-tlc-no-dram", None);
    let document = serde_json::to_value(&without.twin).unwrap();
    assert_eq!(document.get("structure"), None);
    // Of a part of the drive it says nothing of the whole.
    let mut of_a_part = explained;
    let settings = &mut of_a_part.settings.values;
    settings.insert("extent".to_owned(), "64GiB".to_owned());
    let structure = structure::Structure::of(&[of_a_part]);
    assert_eq!(structure, structure::Structure::default());
}

/// Prints how near twins are without what `explain` found and with it, and what it found beside what is so.
#[test]
#[ignore = "minutes"]
fn twins_with_what_explain_found() {
    let folder = tempfile::tempdir().unwrap();
    let only = std::env::var("DRIVELAB_KIND").unwrap_or_default();
    let of_kind = |hidden: &&(&str, u64, &str, _)| only.is_empty() || only == hidden.0;
    for (kind, capacity, link, seeds) in HIDDEN.iter().filter(of_kind) {
        let mut all: [[Vec<f64>; 3]; 2] = Default::default();
        for seed in seeds.clone() {
            let drive = hidden(kind, *capacity, link, seed, folder.path());
            let mut results = reviewed(&drive, seed);
            results.retain(|result| result.method != structure::METHOD);
            for with in 0..2 {
                if with == 1 {
                    results.push(measured_by(structure::METHOD, &drive, Scale::Default, 99));
                }
                let made = twin_of(&results, &asked(None), &Interrupt::new(), &|_| {}).unwrap();
                let off = made.twin.held_back;
                let off = [off.rates_percent, off.medians_percent, off.p99_percent];
                eprintln!(
                    "{kind} {seed} {with}: {} {off:.1?} %, {} runs",
                    made.twin.kind, made.twin.runs
                );
                for found in &made.twin.structure {
                    let is = value_of(&drive, &found.key);
                    eprintln!(
                        "  {}: {:.4} {:.4?} is {is:.4?}",
                        found.key, found.value, found.interval
                    );
                }
                for (all, off) in all[with].iter_mut().zip(off) {
                    all.extend(off);
                }
            }
        }
        eprintln!(
            "{kind}: without, with: {:.1?} % (medians over drives)",
            all.map(|one| one.map(median))
        );
    }
}

/// Kinds, capacities, links and seeds of hidden drives.
const HIDDEN: &[(&str, u64, &str, std::ops::Range<u64>)] = &[
    ("sata-tlc", 250_059_350_016, "sata-6", 1..3),
    ("sata-plp", 480_103_981_056, "sata-6", 11..12),
    ("sata-no-dram", 240_057_409_536, "sata-6", 21..24),
    ("nvme-tlc", 500_107_862_016, "pcie4x4", 31..33),
    ("nvme-tlc-no-dram", 500_107_862_016, "pcie4x4", 41..44),
    ("disk-desktop", 500_107_862_016, "sata-3", 51..54),
];

fn measured_by(method: &str, drive: &str, scale: Scale, id: i64) -> RunResult {
    run_as(asked_of(method, drive, scale, 7), id)
}

fn asked_of(method: &str, drive: &str, scale: Scale, seed: u64) -> Request {
    Request {
        method: method.to_owned(),
        target: format!("model:{drive}"),
        scale,
        seed,
        set: Vec::new(),
        repeat: Repeat::Times(1),
        consent: Consent::default(),
        command: Vec::new(),
        now_unix_ms: || 0,
    }
}

fn run_as(request: Request, id: i64) -> RunResult {
    let run = prepare(request).unwrap();
    let mut result = run.run(None, &mut Silent, &Interrupt::new()).unwrap();
    result.id = id;
    result
}
