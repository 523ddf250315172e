//! A sweep: one method on one modelled drive, over a grid of parameters.
//!
//! A varied parameter is a number of the drive file (`ssd.nand.dies`), an option of the target (`state`, `link`, a
//! layer's `stripe`) or a setting of the method, whichever has that name. Each point is a newly built drive; the points
//! run on all processors, and are listed in grid order. Everything is checked before the first of them runs. An
//! impossible combination (more cache than flash) is a point with the reason instead of figures.

use base::nearest::nearest;
use base::side_by_side::side_by_side;
use base::{Better, Figure, Interrupt, Method, Scale, Stopped};
use results::RunResult;
use results::sweep::{SWEEP_SCHEMA, Sweep, SweptAxis, SweptFigure, SweptPoint};

use crate::error::PlanError;
use lab::LabError;
use lab::point::Point;
use lab::progress::Silent;
use targets::error::did_you_mean;
use targets::grammar::FILE_SYSTEM;
use targets::grammar::Spec;
use targets::{MODEL_OPTIONS, is_of_the_file};

use crate::grid;

/// Maximum number of figures if none is selected.
const USUAL_FIGURES: usize = 8;

/// What is to be swept.
#[derive(Clone, Debug)]
pub struct SweepRequest {
    /// The method's name.
    pub method: String,
    /// The target's name: modelled drives, with layers or without.
    pub target: String,
    /// What is varied, each `KEY=VALUES`.
    pub vary: Vec<String>,
    /// Keys of the figures that are wanted; the method's main ones where there are none.
    pub figures: Vec<String>,
    /// Settings of the method, each `key=value`.
    pub set: Vec<String>,
    /// How long.
    pub scale: Scale,
    /// Seeds everything random.
    pub seed: u64,
    /// Points at once.
    pub jobs: usize,
}

/// The meaning of a key.
enum Place {
    /// A number of the drives' files, or an option of theirs.
    Models,
    /// An option of the outermost layer, or of the drive where there is none.
    Layer,
    /// A setting of the method.
    Setting,
}

/// Runs a sweep. `told` is called after each point with the number done and the total.
///
/// # Errors
/// A grid that cannot be read, a key that nothing has, a value outside its range, a real target, an
/// unknown figure, an interrupt; or what went wrong where no point could be run at all.
pub fn sweep(
    request: &SweepRequest,
    interrupt: &Interrupt,
    told: &(dyn Fn(usize, usize) + Sync),
) -> Result<Sweep, PlanError> {
    sweep_by(request, |points| {
        Ok(run_all(request.jobs, points, interrupt, told))
    })
}

/// The same where `run` makes the points, elsewhere perhaps: one result each, in order.
///
/// # Errors
/// As [`sweep`], and those of `run`.
pub fn sweep_by<E: From<PlanError>>(
    request: &SweepRequest,
    run: impl FnOnce(&[Point]) -> Result<Vec<Result<RunResult, LabError>>, E>,
) -> Result<Sweep, E> {
    let (method, axes, values, points) = grid_of(request)?;
    let results = run(&points)?;
    Ok(gather(request, method, axes, values, results)?)
}

/// A grid: its axes, and of each point the values and the run.
type Grid = (
    &'static dyn Method,
    Vec<SweptAxis>,
    Vec<Vec<String>>,
    Vec<Point>,
);

/// The points, each of them checked.
fn grid_of(request: &SweepRequest) -> Result<Grid, PlanError> {
    let method = methods::find(&request.method).map_err(|nearest| LabError::NoMethod {
        id: request.method.clone(),
        nearest,
    })?;
    let axes = grid::axes(&request.vary)?;
    let values = grid::points(&axes);
    let spec: Spec = request.target.parse()?;
    let places = axes
        .iter()
        .map(|axis| place_of(&axis.key, method, &spec))
        .collect::<Result<Vec<_>, _>>()?;
    let points = values
        .iter()
        .map(|values| point_of(request, &spec, &axes, &places, values))
        .collect::<Result<Vec<_>, _>>()?;
    Ok((method, axes, values, points))
}

fn place_of(key: &str, method: &dyn Method, spec: &Spec) -> Result<Place, PlanError> {
    let card = method.card();
    // The file system stands over all layers, and so belongs to the outermost target.
    if key == FILE_SYSTEM {
        return Ok(Place::Layer);
    }
    if is_of_the_file(key) || MODEL_OPTIONS.contains(&key) {
        return Ok(Place::Models);
    }
    let settings: Vec<&str> = card.settings.iter().map(|setting| setting.key).collect();
    if settings.contains(&key) {
        return Ok(Place::Setting);
    }
    if matches!(spec, Spec::Layer { .. }) {
        return Ok(Place::Layer);
    }
    let known: Vec<&str> = settings.iter().chain(&MODEL_OPTIONS).copied().collect();
    Err(PlanError::NothingToVary {
        key: key.to_owned(),
        meant: did_you_mean(&nearest(key, &known)),
        method: card.id.to_owned(),
    })
}

/// The run of a point, checked.
fn point_of(
    request: &SweepRequest,
    spec: &Spec,
    axes: &[SweptAxis],
    places: &[Place],
    values: &[String],
) -> Result<Point, PlanError> {
    let mut spec = spec.clone();
    let mut set = request.set.clone();
    for ((axis, place), value) in axes.iter().zip(places).zip(values) {
        match place {
            Place::Models => spec.set_in_models(&axis.key, value),
            Place::Layer => spec.set_option(&axis.key, value),
            Place::Setting => set.push(format!("{}={value}", axis.key)),
        }
    }
    let target = spec.to_string();
    let point = Point::new(&request.method, &target, request.scale, request.seed, set);
    point.check()?;
    Ok(point)
}

/// Runs the points in parallel; one result each, in order. After an interrupt the remaining ones have none.
fn run_all(
    jobs: usize,
    points: &[Point],
    interrupt: &Interrupt,
    told: &(dyn Fn(usize, usize) + Sync),
) -> Vec<Result<RunResult, LabError>> {
    let run = |point: &Point| {
        if interrupt.wanted() {
            Err(LabError::Stopped(Stopped::Interrupted))
        } else {
            point.run(&mut Silent, interrupt)
        }
    };
    side_by_side(points, jobs, run, told)
}

fn gather(
    request: &SweepRequest,
    method: &dyn Method,
    axes: Vec<SweptAxis>,
    values: Vec<Vec<String>>,
    results: Vec<Result<RunResult, LabError>>,
) -> Result<Sweep, PlanError> {
    if let Some(at) = results.iter().position(is_interrupted) {
        return Err(results
            .into_iter()
            .nth(at)
            .and_then(Result::err)
            .unwrap_or(LabError::Stopped(Stopped::Interrupted))
            .into());
    }
    let Some(first) = results.iter().find_map(|result| result.as_ref().ok()) else {
        let error = results.into_iter().find_map(Result::err);
        return Err(error.map_or(PlanError::Grid(grid::BadGrid::Nothing), PlanError::Lab));
    };
    let figures = chosen(request, &first.figures)?;
    let points = values
        .into_iter()
        .zip(&results)
        .map(|(values, result)| point(values, result, &figures))
        .collect();
    Ok(Sweep {
        schema: SWEEP_SCHEMA,
        method: request.method.clone(),
        method_title: method.card().title.to_owned(),
        target: request.target.clone(),
        scale: request.scale,
        seed: request.seed,
        set: request.set.clone(),
        axes,
        figures,
        points,
    })
}

fn is_interrupted(result: &Result<RunResult, LabError>) -> bool {
    matches!(
        result,
        Err(LabError::Stopped(Stopped::Interrupted)
            | LabError::Ended {
                why: Stopped::Interrupted,
                ..
            }
            | LabError::Unkept {
                why: Stopped::Interrupted,
                ..
            })
    )
}

/// The selected figures, or the method's main ones: those whose keys have the fewest parts (`rnd4k-q1t1.read`, not
/// `rnd4k-q1t1.read.p99`).
fn chosen(request: &SweepRequest, there: &[Figure]) -> Result<Vec<SweptFigure>, PlanError> {
    let swept = |figure: &Figure| SweptFigure {
        key: figure.key.clone(),
        unit: figure.unit.clone(),
        better: figure.better,
    };
    if request.figures.is_empty() {
        let parts = |figure: &Figure| figure.key.matches('.').count();
        let telling = || there.iter().filter(|figure| figure.better != Better::None);
        let fewest = telling().map(parts).min();
        let main = telling().filter(|figure| Some(parts(figure)) == fewest);
        return Ok(main.take(USUAL_FIGURES).map(swept).collect());
    }
    let find = |key: &String| {
        let figure = there.iter().find(|figure| figure.key == *key);
        figure.map(swept).ok_or_else(|| {
            let keys: Vec<&str> = there.iter().map(|figure| figure.key.as_str()).collect();
            PlanError::NoFigure {
                key: key.clone(),
                meant: did_you_mean(&nearest(key, &keys)),
                method: request.method.clone(),
                there: keys.join(", "),
            }
        })
    };
    request.figures.iter().map(find).collect()
}

fn point(
    values: Vec<String>,
    result: &Result<RunResult, LabError>,
    figures: &[SweptFigure],
) -> SweptPoint {
    let number = |result: &RunResult, key: &str| {
        let figure = result.figures.iter().find(|figure| figure.key == key);
        figure.and_then(|figure| figure.value)
    };
    match result {
        Ok(result) => SweptPoint {
            values,
            figures: figures.iter().map(|f| number(result, &f.key)).collect(),
            why_not: None,
        },
        Err(error) => SweptPoint {
            values,
            figures: vec![None; figures.len()],
            why_not: Some(error.to_string()),
        },
    }
}

#[cfg(test)]
mod tests;
