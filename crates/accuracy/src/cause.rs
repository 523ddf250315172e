//! Which differences between two drives make a difference in a figure.
//!
//! Two drives differ in dozens of values. These are grouped by the mechanism that they belong to (`groups`), and the model
//! of A is changed into that of B, group by group: the figure is run for A with every set of groups as in B. One group
//! at a time is not enough. Two parts that stand in for each other would each explain the whole difference, and two
//! that work only together none of it; so a group's share is its Shapley value, the mean of what it adds over all orders in
//! which the groups can be changed ([`stats::shapley`]).
//!
//! Shares are said only of a difference that is there (beyond the noise of other seeds), of models that have the measured
//! figures (where they are given), and where the groups carry the difference: what A with all groups as in B still lacks of
//! B is the rest. And some answers are in no share: a mechanism that both drives have costs both, and the state or the
//! partition acts through a mechanism of the drive. So the mechanisms that both have are switched off in both, too
//! (`switched_off`).

use std::collections::BTreeMap;

use base::interrupt::Interrupt;
use base::method::Scale;
use base::nearest::nearest;
use lab::LabError;
use results::cause::{
    CAUSE_SCHEMA, Cause, CauseGroup, CauseInteraction, CauseSide, CauseVerdict, CausedFigure,
    DriveMechanism, Inseparable,
};
use results::{RunResult, TargetKind};
use sim::catalogue;
use targets::check_models;
use targets::error::did_you_mean;

mod groups;
mod pair;
mod parting;
mod runs;
mod side;
mod switched_off;

use crate::metric::{Metric, Outcome};
use groups::Group;
use pair::Pair;
use runs::{Figures, Run};

/// Groups up to this are switched in all combinations: 64 runs.
const ALL_SETS: usize = 6;
/// Random orders of more groups, each with its reverse.
const ORDER_PAIRS: usize = 6;
/// Seeds whose range is the figure's noise.
const SEEDS: u64 = 3;
/// A smaller difference, as a share of the greater figure, is none.
const LEAST_DIFFERENCE: f64 = 0.02;
/// A model that misses a measured figure by more explains nothing of it.
const MOST_MISS_PERCENT: f64 = 10.0;
/// More of the difference than this in no group is not explained.
const MOST_REST: f64 = 0.25;
/// So many mechanisms that do nothing have one name.
const MANY: usize = 6;
/// A group that moves the figure by less, as a share of the difference, does nothing.
const LEAST_SHARE: f64 = 0.01;

/// Two drives and the figure in which they differ.
#[derive(Clone, Debug)]
pub struct AskCause {
    /// The first modelled drive, as a target.
    pub a: String,
    /// The second one.
    pub b: String,
    /// The method's name.
    pub method: String,
    /// Its settings, each `key=value`.
    pub set: Vec<String>,
    /// The figure's key, or what is read off a chart ([`crate::metric`]).
    pub figure: String,
    /// Scale of all runs.
    pub scale: Scale,
    /// Seeds everything random.
    pub seed: u64,
    /// Threads.
    pub jobs: usize,
    /// What was measured on the real drives, in the figure's unit: A and B.
    pub measured: [Option<f64>; 2],
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum CauseError {
    /// What any run may fail with.
    #[error(transparent)]
    Lab(LabError),
    /// The text of a figure.
    #[error("{0}")]
    BadFigure(String),
    /// The method has no such figure.
    #[error("{method} gives no figure '{key}'{meant}; it gives {there}")]
    NoFigure {
        key: String,
        /// A suggestion, as printed.
        meant: String,
        method: String,
        /// The keys of those that it gives.
        there: String,
    },
    /// A drive has no value of the figure.
    #[error("'{key}' has no value on {target}: {why}")]
    NoValue {
        key: String,
        target: String,
        why: String,
    },
    /// A stored result of another method.
    #[error("result {result} is of {is}, not of {asked}")]
    OtherMethod {
        result: i64,
        is: String,
        asked: String,
    },
    /// A stored result of a real drive that is not in the catalogue.
    #[error(
        "result {result}: '{model}' is not modelled{meant}; give a model:NAME and its figure with --measured-a or --measured-b"
    )]
    NoModel {
        result: i64,
        model: String,
        /// A suggestion, as printed.
        meant: String,
    },
    /// A target that is no single modelled drive.
    #[error("{0}: only modelled drives without layers can be changed into each other: model:NAME")]
    NotADrive(String),
}

impl<E: Into<LabError>> From<E> for CauseError {
    fn from(error: E) -> CauseError {
        CauseError::Lab(error.into())
    }
}

/// What a stored result says of one of the two drives: the modelled drive that it is of, or has the model of, and for a
/// real drive the figure that was measured.
///
/// # Errors
/// A result of another method, without the figure, or of a real drive that is not modelled.
pub fn stored(
    result: &RunResult,
    method: &str,
    figure: &str,
) -> Result<(String, Option<f64>), CauseError> {
    if result.method != method {
        return Err(CauseError::OtherMethod {
            result: result.id,
            is: result.method.clone(),
            asked: method.to_owned(),
        });
    }
    if result.target.kind == TargetKind::Model {
        return Ok((result.target.name.clone(), None));
    }
    let model = result
        .target
        .identity
        .get("model")
        .cloned()
        .unwrap_or_default();
    let mut cards = catalogue::drives()?;
    cards.extend(catalogue::sheet_drives()?);
    let mut known = Vec::new();
    let mut slug = None;
    for card in cards {
        let of_card = catalogue::describe(&card.slug)?.identity.remove("model");
        if of_card.as_deref().is_some_and(|of_card| of_card == model) {
            slug = slug.or(Some(card.slug));
        }
        known.extend(of_card);
    }
    let slug = slug.ok_or_else(|| CauseError::NoModel {
        result: result.id,
        meant: did_you_mean(&nearest(&model, &known)),
        model,
    })?;
    let metric: Metric = figure.parse().map_err(CauseError::BadFigure)?;
    let found = metric
        .find(&Outcome::of(result))
        .map_err(CauseError::BadFigure)?;
    let value = found.value.ok_or_else(|| CauseError::NoValue {
        key: figure.to_owned(),
        target: result.target.name.clone(),
        why: "nothing was measured".to_owned(),
    })?;
    Ok((format!("model:{slug}"), Some(value)))
}

/// Finds what makes the difference. `told` is called after each run with the number done and the total of those begun
/// together.
///
/// # Errors
/// A target that is no modelled drive, an unknown method, setting or figure, a run of A or B itself that fails, an
/// interrupt.
pub fn cause(
    ask: &AskCause,
    interrupt: &Interrupt,
    told: &(dyn Fn(usize, usize) + Sync),
) -> Result<Cause, CauseError> {
    let pair = Pair::of(&ask.a, &ask.b)?;
    let mut figures = Figures::new(ask, interrupt, told)?;
    let targets = [pair.a.target(), pair.b.target()];
    let (figure, values) = figures.both([&targets[0], &targets[1]])?;
    let mut found = empty(ask, &pair, figure, values)?;
    if misses(&found) {
        found.verdict = CauseVerdict::ModelsMiss;
        return Ok(finished(found, &figures));
    }
    noise(&mut found, &targets, &mut figures)?;
    let [a, b] = values;
    if (b - a).abs() <= found.noise.max(LEAST_DIFFERENCE * a.abs().max(b.abs())) {
        found.verdict = CauseVerdict::NoDifference;
        return Ok(finished(found, &figures));
    }
    let mut search = Search::new(pair, &mut figures, found.noise, [a, b]);
    search.run()?;
    search.tell(&mut found);
    found.common = switched_off::in_both(&search.pair, search.figures, [a, b])?;
    Ok(finished(found, &figures))
}

/// Whether both drives give the figure.
///
/// # Errors
/// As [`cause`].
pub fn check(ask: &AskCause, interrupt: &Interrupt) -> Result<(), CauseError> {
    let pair = Pair::of(&ask.a, &ask.b)?;
    let targets = [pair.a.target(), pair.b.target()];
    let mut figures = Figures::new(ask, interrupt, &|_, _| ())?;
    figures.both([&targets[0], &targets[1]]).map(|_| ())
}

fn empty(
    ask: &AskCause,
    pair: &Pair,
    figure: CausedFigure,
    values: [f64; 2],
) -> Result<Cause, CauseError> {
    let method = methods::find(&ask.method).map_err(|nearest| LabError::NoMethod {
        id: ask.method.clone(),
        nearest,
    })?;
    let titles = [&pair.a, &pair.b].map(|side| side.sheet.card.title.clone());
    let side = |target: &str, title: &str, value: f64, measured: Option<f64>| CauseSide {
        target: target.to_owned(),
        title: title.to_owned(),
        value,
        spread: 0.0,
        measured,
        off_percent: measured.map(|of| 100.0 * (value - of) / of.abs().max(f64::MIN_POSITIVE)),
    };
    let [a, b] = ask.measured;
    Ok(Cause {
        schema: CAUSE_SCHEMA,
        method: ask.method.clone(),
        method_title: method.card().title.to_owned(),
        scale: ask.scale,
        seed: ask.seed,
        set: ask.set.clone(),
        figure,
        a: side(&ask.a, &titles[0], values[0], a),
        b: side(&ask.b, &titles[1], values[1], b),
        verdict: CauseVerdict::Explained,
        noise: 0.0,
        carried: None,
        rest: None,
        groups: Vec::new(),
        interaction: None,
        common: Vec::new(),
        inseparable: Vec::new(),
        orders: None,
        runs: 0,
    })
}

fn finished(mut found: Cause, figures: &Figures<'_>) -> Cause {
    found.runs = figures.runs();
    found
}

fn misses(found: &Cause) -> bool {
    let off = [found.a.off_percent, found.b.off_percent];
    let mut off = off.into_iter().flatten();
    off.any(|percent| percent.abs() > MOST_MISS_PERCENT)
}

/// The range of the figure over some seeds, of the drive that has the greater one.
fn noise(
    found: &mut Cause,
    targets: &[String; 2],
    figures: &mut Figures<'_>,
) -> Result<(), CauseError> {
    let seeds: Vec<u64> = (0..SEEDS).map(|i| found.seed.wrapping_add(i)).collect();
    let runs = targets.iter().flat_map(|target| {
        let seeds = seeds.iter();
        seeds.map(move |seed| (target.clone(), *seed))
    });
    figures.find(runs)?;
    for (target, side) in targets.iter().zip([&mut found.a, &mut found.b]) {
        let values = seeds
            .iter()
            .filter_map(|seed| figures.with_seed(target, *seed).ok());
        let values: Vec<f64> = values.collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        side.spread = (most - least).max(0.0);
    }
    found.noise = found.a.spread.max(found.b.spread);
    Ok(())
}

/// The runs of sets of groups.
struct Search<'a, 'b> {
    pair: Pair,
    figures: &'a mut Figures<'b>,
    /// What moves the figure by less does nothing, in its unit.
    least: f64,
    values: [f64; 2],
    groups: Vec<Group>,
    inseparable: Vec<Inseparable>,
    /// Orders in place of all sets.
    orders: Option<Vec<Vec<usize>>>,
}

impl<'a, 'b> Search<'a, 'b> {
    fn new(pair: Pair, figures: &'a mut Figures<'b>, noise: f64, [a, b]: [f64; 2]) -> Self {
        Search {
            groups: pair.groups(),
            pair,
            figures,
            least: noise.max(LEAST_SHARE * (b - a).abs()),
            values: [a, b],
            inseparable: Vec::new(),
            orders: None,
        }
    }

    /// Runs all that the shares need. Whatever cannot be run joins two groups, and the rest is asked for again.
    fn run(&mut self) -> Result<(), CauseError> {
        loop {
            self.part();
            let singles = self.singles();
            self.find(&singles)?;
            if self.has_failed(&singles) {
                continue;
            }
            if self.groups.len() > ALL_SETS && self.join_idle() {
                continue;
            }
            let sets = self.sets();
            self.find(&sets)?;
            if !self.has_failed(&sets) {
                return Ok(());
            }
        }
    }

    /// Joins what cannot be had apart, as far as is known.
    fn part(&mut self) {
        let (pair, figures) = (&self.pair, &*self.figures);
        let mut checked: BTreeMap<String, Option<String>> = BTreeMap::new();
        let checked = std::cell::RefCell::new(&mut checked);
        let refused = |groups: &[Group], set: u32| {
            let target = pair.target(groups, set);
            let known = figures.of(&target).err().filter(|why| why != runs::NOT_RUN);
            known.or_else(|| {
                let mut checked = checked.borrow_mut();
                let check = || check_models(&target, 0).err().map(|why| why.to_string());
                checked.entry(target.clone()).or_insert_with(check).clone()
            })
        };
        let joined = parting::join_inseparable(&mut self.groups, &refused);
        self.inseparable.extend(joined);
    }

    /// Each group alone from A, and each left out from A with all.
    fn singles(&self) -> Vec<u32> {
        let all = stats::shapley::all(self.groups.len());
        let each = (0..self.groups.len()).flat_map(|at| [1 << at, all & !(1 << at)]);
        each.chain([0, all]).collect()
    }

    fn sets(&mut self) -> Vec<u32> {
        let groups = self.groups.len();
        if groups <= ALL_SETS {
            self.orders = None;
            return (0..=stats::shapley::all(groups)).collect();
        }
        let orders = stats::shapley::orders(groups, ORDER_PAIRS, self.figures.seed());
        let sets = stats::shapley::sets_of(&orders);
        self.orders = Some(orders);
        sets
    }

    fn find(&mut self, sets: &[u32]) -> Result<(), CauseError> {
        let seed = self.figures.seed();
        let runs = sets.iter().map(|set| (self.target(*set), seed));
        let runs: Vec<Run> = runs.collect();
        self.figures.find(runs)
    }

    fn target(&self, set: u32) -> String {
        self.pair.target(&self.groups, set)
    }

    fn has_failed(&self, sets: &[u32]) -> bool {
        // One group that cannot be run has nothing to be joined with: then the rest is all of it.
        let failed = |set: &u32| self.figures.of(&self.target(*set)).is_err();
        self.groups.len() > 1 && sets.iter().any(failed)
    }

    /// Joins the groups that do nothing alone, neither from A nor from B. True if any were.
    fn join_idle(&mut self) -> bool {
        let all = stats::shapley::all(self.groups.len());
        let idle = (0..self.groups.len()).filter(|at| {
            let part = 1 << at;
            let from_a = self.value(part) - self.value(0);
            let from_b = self.value(all) - self.value(all & !part);
            from_a.abs() <= self.least && from_b.abs() <= self.least
        });
        let idle: Vec<usize> = idle.collect();
        if idle.len() < 2 {
            return false;
        }
        let mut rest = Group {
            is_idle: true,
            ..Group::default()
        };
        for at in idle.into_iter().rev() {
            rest.join(self.groups.remove(at));
        }
        self.groups.push(rest);
        true
    }

    /// The figure of A with a set of groups as in B; where that cannot be run, A's.
    fn value(&self, set: u32) -> f64 {
        self.figures.of(&self.target(set)).unwrap_or(self.values[0])
    }

    /// Fills in groups, shares and the verdict.
    fn tell(&self, found: &mut Cause) {
        let [a, b] = self.values;
        let groups = self.groups.len();
        let all = stats::shapley::all(groups);
        let value = |set: u32| self.value(set);
        let shares = match &self.orders {
            None => stats::shapley::shares(groups, value),
            Some(orders) => stats::shapley::shares_over(orders, groups, value),
        };
        let mut told: Vec<(usize, CauseGroup)> = (self.groups.iter().zip(&shares).enumerate())
            .map(|(at, (group, share))| (at, self.told(group, at, *share)))
            .collect();
        told.sort_by(|(_, x), (_, y)| y.share.abs().total_cmp(&x.share.abs()));
        let carried = value(all) - a;
        found.interaction = self.interaction(&told);
        found.groups = told.into_iter().map(|(_, group)| group).collect();
        found.carried = Some(carried);
        found.rest = Some(b - a - carried);
        found.inseparable.clone_from(&self.inseparable);
        found.orders = self.orders.as_ref().map(Vec::len);
        if (b - a - carried).abs() > MOST_REST * (b - a).abs() {
            found.verdict = CauseVerdict::Unexplained;
        }
    }

    fn told(&self, group: &Group, at: usize, share: f64) -> CauseGroup {
        let [a, b] = self.values;
        let all = stats::shapley::all(self.groups.len());
        let part = 1 << at;
        let alone_from_a = self.value(part) - self.value(0);
        let alone_from_b = self.value(all) - self.value(all & !part);
        let mut effects = [share, alone_from_a, alone_from_b].into_iter();
        CauseGroup {
            mechanisms: named(group),
            changes: group.changes.clone(),
            share,
            share_percent: 100.0 * share / (b - a),
            alone_from_a,
            alone_from_b,
            matters: effects.any(|effect| effect.abs() > self.least),
        }
    }

    /// The strongest interaction of two groups, by their places in the list as told.
    fn interaction(&self, told: &[(usize, CauseGroup)]) -> Option<CauseInteraction> {
        let pairs =
            (0..told.len()).flat_map(|first| (first + 1..told.len()).map(move |s| (first, s)));
        let of = |(first, second): (usize, usize)| {
            let (i, j) = (told[first].0, told[second].0);
            let value = |set: u32| self.value(set);
            let value = match &self.orders {
                None => stats::shapley::interaction(told.len(), value, i, j),
                Some(orders) => stats::shapley::interaction_over(orders, value, i, j)?,
            };
            Some(CauseInteraction {
                first,
                second,
                value,
            })
        };
        let found = pairs.filter_map(of);
        let strongest = found.max_by(|x, y| x.value.abs().total_cmp(&y.value.abs()));
        strongest.filter(|found| found.value.abs() > self.least)
    }
}

/// What a group is called: many that do nothing have one name.
fn named(group: &Group) -> Vec<DriveMechanism> {
    match group.mechanisms.len() {
        MANY.. if group.is_idle => vec![DriveMechanism::EverythingElse],
        _ => group.mechanisms.clone(),
    }
}

#[cfg(test)]
mod tests;
