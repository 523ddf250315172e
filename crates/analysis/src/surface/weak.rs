//! Which places of a surface stand off: against what is around them, or against other drives.

use base::io::Op;
use base::time::Duration;
use results::surface::WeakArea;
use stats::median;

use super::{FACTOR, FEWEST, LEAST_REGIONS, Place, TAIL, TAIL_FACTOR};

/// Standard deviations of normal values in a median absolute deviation.
const SCALE: f64 = 1.4826;
/// So many of them beyond what is expected is no scatter: of ten thousand places none.
const SCATTER: f64 = 6.0;
/// Neighbours on a side: at least so many, and an eighth of the surface.
const LEAST_SIDE: usize = 4;
const SIDES_OF: usize = 8;
/// Fewest scans of like drives with which places are compared one by one.
const LEAST_BESIDE: usize = 2;

/// What is expected of a place, in nanoseconds of an access.
#[derive(Clone, Copy, Debug)]
struct Expected {
    mean: f64,
    /// What the mean may be by scatter alone.
    most: f64,
    worst: f64,
    /// Whether a longest access tells: neighbours on one side only are no measure for it.
    tail_tells: bool,
}

/// What a weak place took beside what was expected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weak {
    expected: f64,
    reads: f64,
}

/// For each place how weak it is, if it is.
pub(super) fn regions(op: Op, places: &[Place], others: &[Vec<Place>]) -> Vec<Option<Weak>> {
    let mine: Vec<Option<f64>> = places.iter().map(Place::mean).collect();
    let expected = match in_batch(places, &mine, others) {
        Some(expected) => expected,
        None if op == Op::Read => in_neighbourhood(places, &mine),
        None => vec![None; places.len()],
    };
    let each = places.iter().zip(expected);
    each.map(|(place, expected)| weak(place, &expected?))
        .collect()
}

fn weak(place: &Place, expected: &Expected) -> Option<Weak> {
    let mean = place.mean()?;
    let worst = place.worst.as_nanos() as f64;
    let more = place.sum - place.ios as f64 * expected.mean;
    let reads = more / (worst - expected.mean).max(1.0);
    let slow = mean >= FACTOR * expected.mean && mean > expected.most && reads >= FEWEST[0];
    let tail = expected.tail_tells
        && worst >= TAIL_FACTOR * expected.worst
        && place.worst >= TAIL
        && reads >= FEWEST[1];
    (slow || tail).then_some(Weak {
        expected: expected.mean,
        reads,
    })
}

/// Weak places one beside the other, put together.
pub(super) fn areas(op: Op, places: &[Place], weak: &[Option<Weak>]) -> Vec<WeakArea> {
    let mut areas: Vec<WeakArea> = Vec::new();
    let (mut took, mut expected) = (0.0, 0.0);
    for (place, weak) in places.iter().zip(weak) {
        let Some(weak) = weak else { continue };
        let joins = areas.last().is_some_and(|a| a.to == place.span.start);
        if !joins {
            (took, expected) = (0.0, 0.0);
            areas.push(WeakArea {
                op,
                from: place.span.start,
                to: place.span.start,
                factor: 1.0,
                worst: Duration::ZERO,
                reads: 0,
            });
        }
        took += place.sum;
        expected += weak.expected * place.ios as f64;
        if let Some(area) = areas.last_mut() {
            area.to = place.span.end();
            area.factor = took / expected;
            area.worst = area.worst.max(place.worst);
            area.reads += weak.reads as u64;
        }
    }
    areas
}

/// Against the other drives at the same addresses, at this drive's own pace.
fn in_batch(
    places: &[Place],
    mine: &[Option<f64>],
    others: &[Vec<Place>],
) -> Option<Vec<Option<Expected>>> {
    let alike = |other: &&Vec<Place>| {
        let spans = || other.iter().zip(places);
        other.len() == places.len() && spans().all(|(a, b)| a.span == b.span)
    };
    let others: Vec<&Vec<Place>> = others.iter().filter(alike).collect();
    if others.len() < LEAST_BESIDE {
        return None;
    }
    let at = |place: usize| -> Vec<f64> { others.iter().filter_map(|o| o[place].mean()).collect() };
    let means: Vec<Vec<f64>> = (0..places.len()).map(at).collect();
    let middles: Vec<Option<f64>> = means.iter().map(|all| median(all)).collect();
    let paces = mine.iter().zip(&middles);
    let paces: Vec<f64> = paces
        .filter_map(|(mine, middle)| Some((*mine)? / (*middle)?))
        .collect();
    let pace = median(&paces)?;
    let usual = usual_worst(places);
    let expected = |place: usize| {
        let mean = middles[place]? * pace;
        let worst = others.iter().map(|o| o[place].worst.as_nanos() as f64);
        Some(Expected {
            mean,
            most: mean + SCATTER * scatter(&means[place]) * pace,
            worst: median(&worst.collect::<Vec<f64>>())?.max(usual),
            tail_tells: true,
        })
    };
    Some((0..places.len()).map(expected).collect())
}

/// Against what lies before and behind, whichever of the two is slower.
fn in_neighbourhood(places: &[Place], mine: &[Option<f64>]) -> Vec<Option<Expected>> {
    if places.len() < LEAST_REGIONS {
        return vec![None; places.len()];
    }
    let side = (places.len() / SIDES_OF).max(LEAST_SIDE);
    let usual = usual_worst(places);
    let touches = |at: usize| places[at].span.end() == places[at + 1].span.start;
    let expected = |at: usize| {
        let first = (at.saturating_sub(side)..at)
            .rev()
            .take_while(|i| touches(*i));
        let before: Vec<f64> = first.filter_map(|i| mine[i]).collect();
        let last = (at + 1..places.len().min(at + 1 + side)).take_while(|i| touches(*i - 1));
        let behind: Vec<f64> = last.filter_map(|i| mine[i]).collect();
        let both = [before, behind]
            .into_iter()
            .filter(|s| s.len() >= LEAST_SIDE);
        let both: Vec<Vec<f64>> = both.collect();
        let medians = both.iter().filter_map(|side| median(side));
        let mean = medians.reduce(f64::max)?;
        let widest = both.iter().map(|side| scatter(side)).reduce(f64::max)?;
        Some(Expected {
            mean,
            most: mean + SCATTER * widest,
            worst: usual,
            tail_tells: both.len() == 2,
        })
    };
    (0..places.len()).map(expected).collect()
}

/// The longest access of a place as it mostly is on this drive.
fn usual_worst(places: &[Place]) -> f64 {
    let visited = places.iter().filter(|place| place.ios > 0);
    let worst: Vec<f64> = visited.map(|p| p.worst.as_nanos() as f64).collect();
    median(&worst).unwrap_or(0.0)
}

/// A robust standard deviation.
fn scatter(values: &[f64]) -> f64 {
    let Some(middle) = median(values) else {
        return 0.0;
    };
    let off: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    SCALE * median(&off).unwrap_or(0.0)
}
