//! Scans of a file, killed and resumed again and again.
//!
//! After each kill the store is read: every finished phase must be there with the same record, and an unfinished one
//! must not have gone back. At the end of a run each of its phases is there once, and equals that of an uninterrupted
//! run: the same number of I/Os in every bin, and the same bad sectors. (Times differ: they are a real file's.)

use std::collections::BTreeMap;
use std::time::Duration as WallDuration;

use base::record::PhaseRecord;
use base::rng::Rng;
use base::size::Bytes;
use results::benchmarks::Kills;
use store::{RunId, RunState, Store, StoredPhase, Which};

use super::{Endurance, Place, mib};
use crate::error::BenchmarkError;
use base::interrupt::Interrupt;
use lab::LabError;

/// A file of 16 MiB, every I/O delayed by 2 ms; two positions are bad.
const TARGET: &str = "fault(./own.img)?delays=1000000&delay=2ms&bad=1MiB+4KiB,9MiB+512";
const FILE_BYTES: usize = 16 << 20;
/// Three passes, each of them a phase.
const RUN: [&str; 8] = [
    "run",
    "full-scan",
    TARGET,
    "--set",
    "ops=read",
    "--repeat",
    "3",
    "--json",
];
/// Latest moment of a kill after a start.
const LATEST_MS: u64 = 700;

/// What came of the kills, in a line.
pub(super) fn line(found: &Kills) -> String {
    format!(
        "kills: {} survived by {} runs of {} phases, {} phases lost; store {:.2} MiB",
        found.kills,
        found.runs,
        found.phases,
        found.lost,
        mib(found.store_bytes)
    )
}

/// What must be the same in every scan of the file: I/Os, I/Os and bytes of each bin, positions of errors.
type Essence = (u64, Vec<(u64, Bytes)>, Vec<Bytes>);

fn essence(phase: &PhaseRecord) -> Essence {
    let job = phase.job();
    let bins = job.bins.iter().flat_map(|bins| &bins.bins);
    (
        phase.ios(),
        bins.map(|bin| (bin.ios, bin.bytes)).collect(),
        job.errors.first.iter().map(|error| error.offset).collect(),
    )
}

/// The state of the current run after the last kill.
#[derive(Default)]
struct Seen {
    done: BTreeMap<String, String>,
    /// The phase in its making, and how far it was.
    part: Option<(String, Bytes)>,
}

pub(super) fn kill_again_and_again(
    endurance: &Endurance<'_>,
    interrupt: &Interrupt,
    say: &mut dyn FnMut(&str),
) -> Result<Kills, BenchmarkError> {
    let place = Place::make(endurance.directory)?;
    let path = place.path("own.img");
    let content: Vec<u8> = (0..FILE_BYTES)
        .map(|at| (at / 4_096 + 1) as u8 | 1)
        .collect();
    std::fs::write(&path, content).map_err(|source| LabError::File { path, source })?;
    let mut undisturbed = place.start(&RUN)?;
    undisturbed.must_have_succeeded()?;
    let mut found = Kills::default();
    let expected = essences(&result_of(&place, RunId(1))?);
    let mut rng = Rng::new(endurance.seed);
    let mut seen = Seen::default();
    let mut under_way: Option<RunId> = None;
    while found.kills < endurance.kills || under_way.is_some() {
        let number = under_way.map(|id| id.to_string()).unwrap_or_default();
        let resume = ["resume", &number, "--json"];
        let mut child = place.start(if under_way.is_some() { &resume } else { &RUN })?;
        LabError::not_interrupted(interrupt)?;
        if found.kills < endurance.kills {
            std::thread::sleep(WallDuration::from_millis(rng.below(LATEST_MS)));
            if child.is_alive()? {
                child.child.kill().map_err(super::failed)?;
            }
        }
        let status = child.child.wait().map_err(super::failed)?;
        if status.code().is_some() {
            child.must_have_succeeded()?;
            // It was quicker.
            let id = newest(&place)?.map_or(RunId(1), |(id, _)| id);
            ended(&place, id, &expected, &mut seen, &mut found)?;
            under_way = None;
            continue;
        }
        found.kills += 1;
        under_way = match newest(&place)? {
            Some((id, RunState::Interrupted)) => {
                killed(&place, id, &mut seen, &mut found)?;
                Some(id)
            }
            // Between the end of the run and that of the process.
            Some((id, _)) if under_way == Some(id) || id.0 > last_ended(&found) => {
                ended(&place, id, &expected, &mut seen, &mut found)?;
                None
            }
            _ => None,
        };
        if found.kills % 100 == 0 {
            found.store_bytes = place.bytes();
            say(&line(&found));
        }
    }
    found.store_bytes = place.bytes();
    Ok(found)
}

/// The number of the last run that came to its end: the first was undisturbed, and the others follow.
fn last_ended(found: &Kills) -> i64 {
    i64::from(found.runs) + 1
}

fn newest(place: &Place) -> Result<Option<(RunId, RunState)>, BenchmarkError> {
    let runs = Store::open(&place.store())?.list()?;
    Ok(runs.into_iter().next().map(|run| (run.id, run.state)))
}

fn result_of(place: &Place, id: RunId) -> Result<Vec<PhaseRecord>, BenchmarkError> {
    let store = Store::open(&place.store())?;
    Ok(lab::running::stored_result(&store, Which::Id(id))?.phases)
}

fn essences(phases: &[PhaseRecord]) -> BTreeMap<String, Essence> {
    let named = |phase: &PhaseRecord| (phase.name.clone(), essence(phase));
    phases.iter().map(named).collect()
}

/// Checks after a kill that nothing is lost.
fn killed(
    place: &Place,
    id: RunId,
    seen: &mut Seen,
    found: &mut Kills,
) -> Result<(), BenchmarkError> {
    let phases = Store::open(&place.store())?.phases(id)?;
    let (done, parts): (Vec<StoredPhase>, Vec<StoredPhase>) =
        phases.into_iter().partition(|phase| phase.done);
    let done: BTreeMap<String, String> = done.into_iter().map(|p| (p.name, p.record)).collect();
    let is_kept = |(name, record): (&String, &String)| done.get(name) == Some(record);
    found.lost += seen.done.iter().filter(|phase| !is_kept(*phase)).count() as u64;
    let part = parts.last().map(|phase| (phase.name.clone(), below(phase)));
    if let Some((name, was)) = &seen.part {
        let is_further = |(now, at): &(String, Bytes)| now != name || at >= was;
        let goes_on = done.contains_key(name) || part.as_ref().is_some_and(is_further);
        found.lost += u64::from(!goes_on);
    }
    *seen = Seen { done, part };
    Ok(())
}

/// How far a scan has come; zero where its record makes no sense.
fn below(phase: &StoredPhase) -> Bytes {
    let record: Result<PhaseRecord, _> = serde_json::from_str(&phase.record);
    record.ok().and_then(|r| r.done_below).unwrap_or_default()
}

/// At the end of a run: each phase once, those that were done as they were, and all as expected.
fn ended(
    place: &Place,
    id: RunId,
    expected: &BTreeMap<String, Essence>,
    seen: &mut Seen,
    found: &mut Kills,
) -> Result<(), BenchmarkError> {
    let phases = result_of(place, id)?;
    let now = essences(&phases);
    let twice = phases.len() - now.len();
    let wrong = expected
        .iter()
        .filter(|(name, e)| now.get(*name) != Some(e));
    let changed = seen.done.iter().filter(|(name, record)| {
        let was: Option<PhaseRecord> = serde_json::from_str(record).ok();
        phases.iter().find(|phase| phase.name == **name) != was.as_ref()
    });
    found.lost += (twice + wrong.count() + changed.count()) as u64;
    found.runs += 1;
    found.phases += phases.len() as u64;
    *seen = Seen::default();
    Ok(())
}
