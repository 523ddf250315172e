//! What was measured, as workloads that can be run again with the figures that they gave.
//!
//! A run is a session: the drive was in a state, and then phases followed each other. The twin runs the same phases in the
//! same order, each shortened to as many I/Os as its figures need, and of repeats one; and once, at the end, as long as they
//! were. Scripts and traces are not in a
//! result, so their phases are left out; so is a fill of more than `MOST_WRITTEN`, which would take longer than all else.

use std::collections::BTreeMap;

use base::io::Op;
use base::record::{Ended, Latencies, PhaseRecord};
use base::size::Bytes;
use base::state::{State, Written};
use base::workload::{Pacing, Workload};
use results::{FILE_SYSTEM, RunEnd, RunResult, TargetKind};

use super::structure::{self, Structure};
use crate::error::AccuracyError;

/// Of phases that differ only in their place (the regions of a scan), so many are run again.
const MOST_PLACES: usize = 8;
/// A phase that writes more than this is not run again.
const MOST_WRITTEN: Bytes = Bytes::gib(16);
/// Of what was written before a phase, so much may be left out when it is run again: less than caches of flash hold.
const MOST_UNREPEATED: Bytes = Bytes::gib(1);
/// Of fewer I/Os a rate says little.
const LEAST_IOS: u64 = 16;
/// Of the 99th percentile of so many I/Os, ten lie beyond it.
const LEAST_FOR_P99: u64 = 1_000;

/// Which figure of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Statistic {
    /// I/Os a second.
    Rate,
    /// The median service time.
    Median,
    /// The 99th percentile of service times.
    P99,
}

impl Statistic {
    /// All of them.
    pub const ALL: [Statistic; 3] = [Statistic::Rate, Statistic::Median, Statistic::P99];

    /// Its word in a document.
    pub const fn name(self) -> &'static str {
        match self {
            Statistic::Rate => "rate",
            Statistic::Median => "median",
            Statistic::P99 => "p99",
        }
    }

    /// Its unit.
    pub const fn unit(self) -> &'static str {
        match self {
            Statistic::Rate => "IOPS",
            Statistic::Median | Statistic::P99 => "us",
        }
    }
}

/// A workload that was measured.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The result that has it.
    pub result: i64,
    /// The phase's name.
    pub label: String,
    /// No search sees its figures.
    pub held_back: bool,
}

/// One figure of a workload.
#[derive(Clone, Debug)]
pub struct MeasuredFigure {
    /// The place of its workload.
    pub workload: usize,
    /// Reads or writes.
    pub op: Op,
    pub what: Statistic,
    /// The figure, in the statistic's unit.
    pub measured: f64,
    /// Its standard error, as a share of it.
    pub noise: f64,
}

/// A figure that phases gave.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// Reads or writes.
    pub op: Op,
    pub what: Statistic,
    /// The figure, in the statistic's unit.
    pub value: f64,
    /// Its standard error, as a share of it.
    pub noise: f64,
}

/// A figure that may be fitted to: none of a workload that is held back can be made one.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToFit {
    /// Its place among all figures.
    pub(super) place: usize,
    pub(super) what: Statistic,
    pub(super) measured: f64,
    /// Its standard error, as a share of it.
    pub(super) noise: f64,
}

/// Errors of cut workloads below this share are not told from noise.
const LEAST_NOISE: f64 = 0.01;

impl ToFit {
    /// How much an error of it counts: a tail is known, and modelled, less well than a rate, and a figure of few I/Os
    /// less well than one of many.
    pub(super) fn weight(&self) -> f64 {
        let of_kind = match self.what {
            Statistic::Rate => 1.0,
            Statistic::Median => 0.5,
            Statistic::P99 => 0.25,
        };
        of_kind * LEAST_NOISE / libm::hypot(LEAST_NOISE, self.noise)
    }
}

/// A phase to be run again.
#[derive(Clone, Debug)]
pub struct Step {
    pub work: Workload,
    /// The workload whose figures it gives; nothing where it only prepares.
    pub gives: Option<usize>,
}

/// A run: phases on one drive, one after the other.
#[derive(Clone, Debug)]
pub struct Session {
    /// The drive's state before.
    pub state: State,
    /// What a search runs again, shortened.
    pub steps: Vec<Step>,
    /// All that is in the result, as long as it was: what the twin is held to.
    pub whole: Vec<Step>,
}

/// A fill of the drive whose rate fell for good.
#[derive(Clone, Debug)]
pub struct Fill {
    /// The result that has it.
    pub result: i64,
    /// How much was written when it fell.
    pub cache: Bytes,
    /// The drive's state before.
    pub state: State,
    pub work: Workload,
}

/// What is known of a drive.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What the drive calls itself.
    pub name: String,
    /// Bytes that can be addressed.
    pub capacity: Bytes,
    /// Discs or not, where the results say it.
    pub rotational: Option<bool>,
    /// The link in the words of the results: `sata-6`, `PCIe 8.0 GT/s x4`.
    pub link: String,
    /// The modelled host of the results, if it was one.
    pub host: Option<String>,
    pub sessions: Vec<Session>,
    pub workloads: Vec<Measurement>,
    pub figures: Vec<MeasuredFigure>,
    /// Where a fill fell, which shows a cache's size.
    pub fill: Option<Fill>,
    /// What `explain` found inside the drive.
    pub structure: Structure,
    /// What of the results is not used, and why.
    pub left_out: Vec<String>,
}

impl Measured {
    /// What results of one drive say.
    ///
    /// # Errors
    /// Where none of them can be run again.
    pub fn of(results: &[RunResult]) -> Result<Measured, AccuracyError> {
        let whole = results.iter().find(|result| is_whole_drive(result));
        let Some(first) = whole else {
            return Err(AccuracyError::Calibrate(
                "no result is of a whole drive that was measured here: a twin needs results of `drivelab review DEVICE`, a device or a modelled drive".to_owned(),
            ));
        };
        let says = |key: &str| {
            let said = results.iter().find_map(|r| r.target.identity.get(key));
            said.cloned().unwrap_or_default()
        };
        let mut measured = Measured {
            name: first.target.title.to_string(),
            capacity: first
                .target
                .info
                .as_ref()
                .map_or(Bytes::ZERO, |i| i.capacity),
            rotational: match says("rotational").as_str() {
                "yes" => Some(true),
                "no" => Some(false),
                _ => None,
            },
            link: format!("{} {}", says("interface"), says("link"))
                .trim()
                .to_owned(),
            host: first
                .target
                .path
                .as_str()
                .strip_prefix("modelled host ")
                .map(str::to_owned),
            sessions: Vec::new(),
            workloads: Vec::new(),
            figures: Vec::new(),
            fill: results.iter().find_map(fill_of),
            structure: Structure::of(results),
            left_out: Vec::new(),
        };
        for result in results {
            measured.add(result);
        }
        measured.hold_back();
        match measured.figures.is_empty() {
            true => Err(AccuracyError::Calibrate(format!(
                "nothing of these results can be run again on a model ({}): give results of `drivelab review`",
                measured.left_out.join("; ")
            ))),
            false => Ok(measured),
        }
    }

    /// The results that gave a workload, in order.
    pub fn results(&self) -> Vec<i64> {
        let mut all: Vec<i64> = self.workloads.iter().map(|work| work.result).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The figures that may be fitted to.
    pub(super) fn to_fit(&self) -> Vec<ToFit> {
        let all = self.figures.iter().enumerate();
        let open = all.filter(|(_, figure)| !self.workloads[figure.workload].held_back);
        open.map(|(place, figure)| ToFit {
            place,
            what: figure.what,
            measured: figure.measured,
            noise: figure.noise,
        })
        .collect()
    }

    /// Of those, the ones of sessions that begin at once: a drive that was overwritten at random takes seconds to build.
    /// All where there are none.
    pub(super) fn to_fit_soon(&self) -> Vec<ToFit> {
        let late = |session: &&Session| matches!(session.state.written, Written::SteadyRandom(_));
        let late = self.sessions.iter().filter(late);
        let late: Vec<usize> = late
            .flat_map(|session| session.steps.iter().filter_map(|step| step.gives))
            .collect();
        let all = self.to_fit();
        let is_late = |figure: &&ToFit| late.contains(&self.figures[figure.place].workload);
        let soon: Vec<ToFit> = all.iter().filter(|one| !is_late(one)).copied().collect();
        if soon.is_empty() { all } else { soon }
    }

    /// Adds a workload with its figures.
    pub fn add_workload(&mut self, result: i64, label: &str, figures: &[Given]) -> usize {
        let workload = self.workloads.len();
        self.workloads.push(Measurement {
            result,
            label: label.to_owned(),
            held_back: false,
        });
        let figure = |given: &Given| MeasuredFigure {
            workload,
            op: given.op,
            what: given.what,
            measured: given.value,
            noise: given.noise,
        };
        self.figures.extend(figures.iter().map(figure));
        workload
    }

    /// Adds what of a result can be run again.
    fn add(&mut self, result: &RunResult) {
        if !is_whole_drive(result) {
            return self.leave_out(result, "not of a whole drive");
        }
        if result.ended != RunEnd::Complete {
            return self.leave_out(result, "ended early");
        }
        if result.method == structure::METHOD {
            return self.leave_out(result, "only what it found inside the drive is used");
        }
        let session = self.session_of(result);
        if session.steps.iter().all(|step| step.gives.is_none()) {
            let is_fill = (self.fill.as_ref()).is_some_and(|fill| fill.result == result.id);
            return self.leave_out(
                result,
                match is_fill {
                    true => "only where its rate fell is used",
                    false => "its phases are scripts or too long to be run again",
                },
            );
        }
        let again = plain_phases(result).into_iter().filter(is_short).count();
        if again < result.phases.len() {
            let few = result.phases.len() - again;
            let why = format!("{few} phases are scripts or too long to be run again");
            self.leave_out(result, &why);
        }
        self.sessions.push(session);
    }

    fn leave_out(&mut self, result: &RunResult, why: &str) {
        let left = format!("{} ({}): {why}", result.id, result.method);
        self.left_out.push(left);
    }

    /// The phases of a result that can be run again, with the workloads that they give.
    fn session_of(&mut self, result: &RunResult) -> Session {
        let all = plain_phases(result);
        let phases: Vec<&PhaseRecord> = all.iter().copied().filter(is_short).collect();
        let chosen = chosen(&phases);
        let before = written_before(result, &phases);
        let step = |phase: &PhaseRecord, gives| Step {
            work: phase.workload.clone(),
            gives,
        };
        let mut steps = Vec::new();
        let mut whole: Vec<Step> = all.iter().map(|phase| step(phase, None)).collect();
        for (place, phase) in phases.iter().enumerate() {
            let gives = chosen.get(&place).map(|alike| {
                let merged: Vec<&PhaseRecord> = alike.iter().map(|at| phases[*at]).collect();
                let gives = self.add_workload(result.id, &phase.name, &figures_of(&merged));
                let writes = bytes_of(phase, Op::Write) > Bytes::ZERO;
                let is_after_more = writes && before[place] > MOST_UNREPEATED;
                self.workloads[gives].held_back = is_after_more && self.rotational != Some(true);
                for (step, phase) in whole.iter_mut().zip(&all) {
                    if merged.iter().any(|merged| std::ptr::eq(*merged, *phase)) {
                        step.gives = Some(gives);
                    }
                }
                gives
            });
            if gives.is_some() || is_preparation(phase) {
                steps.push(step(phase, gives));
            }
        }
        Session {
            state: state_of(result),
            steps,
            whole,
        }
    }

    /// Holds back every third workload, in the order of operation, size and depth, so that what is held back lies
    /// between others. Writes to flash that followed much that is not written again are held back already: what a cache
    /// had left for them is not the same, and a search would lay that upon its values.
    fn hold_back(&mut self) {
        let mut order: Vec<(String, usize)> = Vec::new();
        for step in self.sessions.iter().flat_map(|session| &session.steps) {
            if let (Some(place), Some(job)) = (step.gives, step.work.jobs.first()) {
                let access = job.accesses.first();
                let (size, reads) = access.map_or((0, 0), |a| (a.size.get(), a.read_percent));
                let order_of = format!("{:?}", job.order);
                let depth = job.depth();
                order.push((
                    format!("{reads:03} {order_of:.6} {size:012} {depth:012}"),
                    place,
                ));
            }
        }
        order.retain(|(_, place)| !self.workloads[*place].held_back);
        order.sort();
        for (_, place) in order.iter().skip(1).step_by(3) {
            self.workloads[*place].held_back = true;
        }
    }
}

/// The phases that are neither a script nor a trace, whose I/Os a result does not keep.
fn plain_phases(result: &RunResult) -> Vec<&PhaseRecord> {
    let is_plain = |phase: &&PhaseRecord| phase.script.is_none() && phase.traced.is_none();
    result.phases.iter().filter(is_plain).collect()
}

/// Whether a phase writes no more than a search can afford.
fn is_short(phase: &&PhaseRecord) -> bool {
    bytes_of(phase, Op::Write) <= MOST_WRITTEN
}

/// Whether a result is of a drive that can be addressed whole, and was measured by drivelab.
fn is_whole_drive(result: &RunResult) -> bool {
    let identity = &result.target.identity;
    result.imported.is_none() && result.target.info.is_some() && !identity.contains_key(FILE_SYSTEM)
}

/// The state before a run. Of a real drive it is not known: it is taken as full, written in order, as most are.
fn state_of(result: &RunResult) -> State {
    let known = result.target.kind == TargetKind::Model;
    let state = known.then(|| result.target.state.parse().ok()).flatten();
    state.unwrap_or(State {
        written: Written::InOrder(100),
        ..State::FRESH
    })
}

/// The fill of a result, where its rate fell.
fn fill_of(result: &RunResult) -> Option<Fill> {
    if result.method != "slc-fill" || !is_whole_drive(result) || result.ended != RunEnd::Complete {
        return None;
    }
    let phase = result.phases.first().filter(|phase| is_a_fill(phase))?;
    let capacity = result.target.info.as_ref()?.capacity;
    let trimmed = result.settings.values.get("trim");
    Some(Fill {
        result: result.id,
        cache: methods::fallen_at(phase, capacity)?,
        state: match trimmed.is_some_and(|trim| trim == "yes") {
            true => State::FRESH,
            false => state_of(result),
        },
        work: phase.workload.clone(),
    })
}

/// Whether a stored phase has what a fill is cut by: one job with a span and a size, and bins.
pub(super) fn is_a_fill(phase: &PhaseRecord) -> bool {
    let [job] = &phase.workload.jobs[..] else {
        return false;
    };
    let has_size = job.largest() > Bytes::ZERO && job.span.len > Bytes::ZERO;
    has_size && phase.workload.keep.bins.is_some_and(|bins| bins > 0) && phase.jobs.len() == 1
}

/// A phase that fills the area for others, or runs in before they are counted.
fn is_preparation(phase: &PhaseRecord) -> bool {
    let name = &phase.name;
    phase.workload.flush_at_end || name.ends_with("(discarded)") || name.ends_with(" ramp")
}

fn bytes_of(phase: &PhaseRecord, op: Op) -> Bytes {
    let bytes = phase
        .jobs
        .iter()
        .map(|job| job.ops[op as usize].bytes.get());
    Bytes::new(bytes.sum())
}

/// For each of the phases that may be run again, how much the run had written before.
fn written_before(result: &RunResult, phases: &[&PhaseRecord]) -> Vec<Bytes> {
    let before = |phase: &&PhaseRecord| {
        let others = result.phases.iter();
        let earlier = others.take_while(|other| !std::ptr::eq(*other, *phase));
        Bytes::new(earlier.map(|other| bytes_of(other, Op::Write).get()).sum())
    };
    phases.iter().map(before).collect()
}

/// The phases that stand for a workload, each with those that repeat it.
fn chosen(phases: &[&PhaseRecord]) -> BTreeMap<usize, Vec<usize>> {
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, phase) in phases.iter().enumerate() {
        let is_sound =
            phase.ended == Ended::Complete && phase.jobs.iter().all(|job| job.errors.count == 0);
        if is_sound && !is_preparation(phase) {
            alike
                .entry(key(&phase.workload, true))
                .or_default()
                .push(place);
        }
    }
    // Regions of one scan: those that differ in their place alone.
    let mut scans: BTreeMap<String, Vec<Vec<usize>>> = BTreeMap::new();
    for repeats in alike.into_values() {
        let scan = key(&phases[repeats[0]].workload, false);
        scans.entry(scan).or_default().push(repeats);
    }
    let mut chosen = BTreeMap::new();
    for mut regions in scans.into_values() {
        regions.sort();
        let last = regions.len() - 1;
        let few = regions.len().min(MOST_PLACES);
        for nth in 0..few {
            let repeats = &regions[nth * last / few.saturating_sub(1).max(1)];
            chosen.insert(repeats[0], repeats.clone());
        }
    }
    chosen.retain(|_, repeats| {
        !figures_of(&repeats.iter().map(|at| phases[*at]).collect::<Vec<_>>()).is_empty()
    });
    chosen
}

/// What a workload is, without its seed and the names in it.
fn key(work: &Workload, with_place: bool) -> String {
    let mut jobs = work.jobs.clone();
    for job in &mut jobs {
        job.name.clear();
        if !with_place {
            job.span.start = Bytes::ZERO;
        }
    }
    format!("{jobs:?}")
}

/// The figures of phases that are one workload, repeated, as far as there are enough I/Os for them.
fn figures_of(phases: &[&PhaseRecord]) -> Vec<Given> {
    figures_from(phases, LEAST_IOS, LEAST_FOR_P99)
}

/// The figures of phases that are one workload, of however few I/Os.
pub(super) fn figures_anyway(phases: &[&PhaseRecord]) -> Vec<Given> {
    figures_from(phases, 1, 1)
}

fn figures_from(phases: &[&PhaseRecord], least: u64, least_for_p99: u64) -> Vec<Given> {
    let mut figures = Vec::new();
    let seconds: f64 = phases.iter().map(|phase| phase.took.as_secs_f64()).sum();
    let closed = |phase: &PhaseRecord| {
        let mut jobs = phase.workload.jobs.iter();
        jobs.all(|job| matches!(job.pacing, Pacing::Closed { .. }))
    };
    let closed = phases.iter().all(|phase| closed(phase));
    for op in [Op::Read, Op::Write] {
        let mut times = Latencies::default();
        for job in phases.iter().flat_map(|phase| &phase.jobs) {
            times.merge(&job.ops[op as usize].service);
        }
        let ios = times.count();
        if ios < least || seconds <= 0.0 {
            continue;
        }
        let spread = spread(&times) / (ios as f64).sqrt();
        let mut give = |what, value: f64, noise: f64| {
            if value > 0.0 {
                figures.push(Given {
                    op,
                    what,
                    value,
                    noise: noise * spread,
                });
            }
        };
        let us = |per_cent| {
            let time = times.nearest_rank(per_cent);
            time.map_or(0.0, |time| time.as_secs_f64() * 1e6)
        };
        if closed {
            give(Statistic::Rate, ios as f64 / seconds, 1.0);
        }
        give(Statistic::Median, us(50.0), MEDIAN_NOISE);
        if ios >= least_for_p99 {
            give(Statistic::P99, us(99.0), P99_NOISE);
        }
    }
    figures
}

/// The standard error of a median, in standard errors of the mean: of a normal distribution.
const MEDIAN_NOISE: f64 = 1.25;
/// The same of a 99th percentile.
const P99_NOISE: f64 = 3.7;

/// The standard deviation of service times as a share of their mean.
fn spread(times: &Latencies) -> f64 {
    let mean = times.mean().map_or(0.0, |mean| mean.as_secs_f64());
    let squares = times.buckets().map(|(low, width, count)| {
        let off = low.as_secs_f64() + 0.5 * width.as_secs_f64() - mean;
        count as f64 * off * off
    });
    let variance = squares.sum::<f64>() / times.count().max(1) as f64;
    variance.sqrt() / mean.max(f64::MIN_POSITIVE)
}
