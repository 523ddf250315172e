//! A session: which cases are tried, on how many machines at once, and the lines that tell of it.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::choice;
use crate::fleet::Fleet;
use crate::fleet::case::Case;
use crate::guest::{Guest, missing_tools};
use crate::perform::Laboratory;
use crate::skipped::Skipped;

/// The command line.
#[derive(Debug, Default)]
pub(crate) struct Options {
    only: Vec<String>,
    list: bool,
    program: Option<PathBuf>,
    machines: Option<usize>,
    quarter_since: Option<String>,
    patience: Option<u32>,
}

const USAGE: &str = "usage: devices [--list] [--only TEXT]... [--quarter-since REVISION] [--program DRIVELAB] [--machines N] [--patience FACTOR]";

impl Options {
    /// Reads the command line.
    pub(crate) fn read(arguments: &[String]) -> Result<Options> {
        let mut options = Options::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().context(USAGE);
            match word.as_str() {
                "--list" => options.list = true,
                "--only" => options.only.push(value()?.clone()),
                "--quarter-since" => options.quarter_since = Some(value()?.clone()),
                "--program" => options.program = Some(value()?.into()),
                "--machines" => options.machines = Some(value()?.parse().context(USAGE)?),
                "--patience" => options.patience = Some(value()?.parse().context(USAGE)?),
                _ => bail!(USAGE),
            }
        }
        Ok(options)
    }

    fn wants(&self, fleet: &str, case: &Case) -> bool {
        let name = format!("{fleet}/{}", case.name);
        self.only.is_empty() || self.only.iter().any(|text| name.contains(text.as_str()))
    }
}

#[derive(Debug, Default)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
}

/// Runs the requested cases; true if nothing failed.
#[allow(clippy::disallowed_methods, reason = "a chore watches the real clock")]
pub(crate) fn run(options: &Options) -> Result<bool> {
    let begun = Instant::now();
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lists = lists_of_methods(&program(options)?)?;
    let mut fleets = read_fleets(&source.join("fleets"), &names(options, source)?, &lists)?;
    for fleet in &mut fleets {
        let cases = std::mem::take(&mut fleet.cases);
        fleet.cases = cases
            .into_iter()
            .filter(|case| options.wants(&fleet.name, case))
            .collect();
    }
    fleets.retain(|fleet| !fleet.cases.is_empty());
    if options.list {
        list(&fleets);
        return Ok(true);
    }
    let fleets: Vec<Fleet> = fleets.into_iter().flat_map(Fleet::deal_out).collect();
    let place = source
        .ancestors()
        .nth(2)
        .context("the sources lie in crates/devices")?
        .join("target/devices");
    let counts = match prepare(options, &place) {
        Ok(guest) => try_all(options, fleets, &guest, &place)?,
        Err(why) => skip_all(&fleets, &why),
    };
    println!(
        "{} passed, {} failed, {} skipped ({} s)",
        counts.passed,
        counts.failed,
        counts.skipped,
        begun.elapsed().as_secs()
    );
    Ok(counts.failed == 0)
}

/// The program that is tried.
fn program(options: &Options) -> Result<PathBuf> {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()?.with_file_name("drivelab"),
    };
    if !program.exists() {
        bail!(
            "{} is not there: cargo build -p drivelab",
            program.display()
        );
    }
    Ok(program)
}

/// The program's methods, each with the settings of its shortest run: those for any drive as the list
/// `methods`, those for models alone as `models_only`; and the names of those that are refused on hard disks.
fn lists_of_methods(program: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let said = Command::new(program).args(["methods", "--json"]).output();
    let said = said.with_context(|| format!("{} cannot be run", program.display()))?;
    let listing: Listing = serde_json::from_slice(&said.stdout)
        .with_context(|| format!("{} methods --json", program.display()))?;
    let mut lists = BTreeMap::from([
        ("methods", vec![]),
        ("models_only", vec![]),
        ("flash_only", vec![]),
    ]);
    // What needs zones is tried by fleets/zones.toml alone: on any other drive it is refused.
    let suits = |method: &ListedMethod| !method.needs.iter().any(|needs| needs == "zones");
    for method in listing.methods.into_iter().filter(suits) {
        let list = if method.models_only {
            "models_only"
        } else {
            "methods"
        };
        if method.needs.iter().any(|needs| needs == "flash") {
            let name = method.id.clone();
            lists.entry("flash_only").or_default().push(name);
        }
        let settings = method.shortest.iter().map(|pair| format!(" --set {pair}"));
        let run = method.id + &settings.collect::<String>();
        lists.entry(list).or_default().push(run);
    }
    let named = lists.into_iter();
    Ok(named.map(|(name, list)| (name.to_owned(), list)).collect())
}

/// What is looked at in `drivelab methods --json`.
#[derive(Deserialize)]
struct Listing {
    methods: Vec<ListedMethod>,
}

#[derive(Deserialize)]
struct ListedMethod {
    id: String,
    models_only: bool,
    needs: Vec<String>,
    shortest: Vec<String>,
}

/// The fleets to run, and the message about omitted ones.
fn names(options: &Options, source: &Path) -> Result<Vec<&'static str>> {
    let Some(revision) = &options.quarter_since else {
        return Ok(choice::FLEETS.iter().map(|line| line.fleet).collect());
    };
    let (changed, commits) = choice::since(revision, source)?;
    let (taken, left_out) = choice::quarter(&changed, commits);
    println!(
        "devices: a quarter of the fleets: {}; left out: {}",
        taken.join(", "),
        left_out.join(", ")
    );
    Ok(taken)
}

fn read_fleets(
    folder: &Path,
    names: &[&str],
    lists: &BTreeMap<String, Vec<String>>,
) -> Result<Vec<Fleet>> {
    let path = |name: &&str| folder.join(format!("{name}.toml"));
    names
        .iter()
        .map(|name| Fleet::read(&path(name), lists))
        .collect()
}

fn list(fleets: &[Fleet]) {
    for fleet in fleets {
        for case in &fleet.cases {
            println!("{}/{}: {}", fleet.name, case.name, case.holds);
        }
    }
}

/// The guest, or why there is none.
fn prepare(options: &Options, place: &Path) -> Result<Guest> {
    if std::env::consts::ARCH != "x86_64" {
        bail!(
            "the guest is made for x86_64, this is {}",
            std::env::consts::ARCH
        );
    }
    let missing = missing_tools();
    if !missing.is_empty() {
        bail!(
            "missing here: {} (setup/devices-needs.sh)",
            missing.join(", ")
        );
    }
    let ourselves = std::env::current_exe()?;
    let program = program(options)?;
    println!(
        "devices: the guest is made of the distribution's packages (once; kept in target/devices)"
    );
    let mut guest = Guest::ready(
        &place.join("guest"),
        &[("drivelab", &program), ("devices", &ourselves)],
    )?;
    guest.patience = options.patience.unwrap_or(1);
    Ok(guest)
}

fn skip_all(fleets: &[Fleet], why: &anyhow::Error) -> Counts {
    println!("skipped: every case: {why:#}");
    Counts {
        skipped: fleets.iter().map(|fleet| fleet.cases.len()).sum(),
        ..Counts::default()
    }
}

/// A machine a fleet, as many at once as there are processors, two at most.
fn try_all(options: &Options, fleets: Vec<Fleet>, guest: &Guest, place: &Path) -> Result<Counts> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let machines = options.machines.unwrap_or(processors.min(2));
    // The longest first, so that none is left alone at the end.
    let mut fleets = fleets;
    fleets.sort_by_key(|fleet| std::cmp::Reverse(fleet.cases.len()));
    let queue = Mutex::new(VecDeque::from(fleets));
    let counts = Mutex::new(Counts::default());
    std::thread::scope(|scope| {
        for _ in 0..machines {
            scope.spawn(|| {
                while let Some(fleet) = queue.lock().ok().and_then(|mut queue| queue.pop_front()) {
                    try_fleet(&fleet, guest, place, &counts);
                }
            });
        }
    });
    counts
        .into_inner()
        .map_err(|_| anyhow::anyhow!("a thread that tried cases died"))
}

#[allow(clippy::disallowed_methods, reason = "a chore watches the real clock")]
fn try_fleet(fleet: &Fleet, guest: &Guest, place: &Path, counts: &Mutex<Counts>) {
    let folder = place.join(&fleet.name);
    let mut laboratory = match Laboratory::new(fleet, guest, folder) {
        Ok(laboratory) => laboratory,
        Err(error) => {
            println!("FAILED {}: the fleet cannot be made: {error:#}", fleet.name);
            return count(counts, |counts| counts.failed += fleet.cases.len());
        }
    };
    for case in &fleet.cases {
        let begun = Instant::now();
        let result = laboratory.perform(case);
        let took = begun.elapsed().as_secs_f64();
        let name = format!("{}/{}", fleet.name, case.name);
        match result {
            Ok(()) => {
                println!("ok     {name}: {} ({took:.1} s)", case.holds);
                count(counts, |counts| counts.passed += 1);
            }
            Err(error) if error.downcast_ref::<Skipped>().is_some() => {
                println!("skip   {name}: {error:#}");
                count(counts, |counts| counts.skipped += 1);
            }
            Err(error) => {
                let log = laboratory.log_of(case);
                println!(
                    "FAILED {name}: {}\n       {error:#}\n       log: {}",
                    case.holds,
                    log.display()
                );
                count(counts, |counts| counts.failed += 1);
            }
        }
    }
}

fn count(counts: &Mutex<Counts>, change: impl FnOnce(&mut Counts)) {
    if let Ok(mut counts) = counts.lock() {
        change(&mut counts);
    }
}
