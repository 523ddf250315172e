//! Positions of a scan that are weak: slower than their neighbours, or than the same positions of other drives.
//!
//! A scan visits the LBA range sequentially, one I/O at a time, and its record contains the time of each position. A
//! healthy map is smooth: a disk's zones get slower towards the inner diameter, gradually, and flash is the same
//! everywhere. So a position that takes far longer than those on *both* sides is weak: its sectors are retried, or a
//! head reads badly there. A difference on one side only is a step (a zone, the end of written data) and insignificant.
//! With drives of the same kind, each position is compared with theirs at the same address instead.
//!
//! One long I/O is not a weak area: any drive has them (recalibration, a busy host). So the excess time of a position
//! over its neighbours is divided by its longest I/O, which gives the minimum number of slow I/Os there. A position is
//! weak if there are several, and
//!
//! - it took half as long again as its neighbours or more, beyond their own scatter; or
//! - its longest I/O is four times theirs and a stall: retries in an otherwise good area.
//!
//! A scan passes each position once, so a slow moment looks like a slow place. Where a position was read again later, the
//! second reading decides: a group of weak positions of which one was read again, and none was slow again, is not weak.
//!
//! A drive that stalls everywhere has no weak area, and neither has one that is slower everywhere: it is compared with
//! others at its own pace.

use base::record::STALL;
use base::{Bytes, Duration, JobRecord, Op, Span};

use crate::median;

/// So many times as long as its neighbours is weak: zones of a disk differ by less from one to the next, and by 2 to 2.5
/// from the first to the last.
const FACTOR: f64 = 1.5;
/// A longest I/O is significant at this multiple of its neighbours'.
const TAIL_FACTOR: f64 = 4.0;
/// The shortest significant longest I/O.
const TAIL: Duration = STALL;
/// Minimum number of slow I/Os of a slow position, and of one with retries.
const FEWEST: [f64; 2] = [3.0, 5.0];
/// Minimum number of positions: with fewer, neighbours say nothing.
pub const LEAST_PLACES: usize = 8;

/// Standard deviations of normal values in a median absolute deviation.
const SCALE: f64 = 1.4826;
/// Deviations of this many times the scatter are not chance: none in ten thousand positions.
const SCATTER: f64 = 6.0;
/// Neighbours on each side: at least this many, and an eighth of the range.
const LEAST_SIDE: usize = 4;
const SIDES_OF: usize = 8;
/// Minimum number of scans of similar drives for comparing positions one by one.
const LEAST_BESIDE: usize = 2;

/// A position as it was read or written once.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Where it is.
    pub span: Span,
    /// Bytes of it that were visited.
    pub visited: Bytes,
    /// I/Os of it.
    pub ios: u64,
    /// Of all its I/Os, in nanoseconds.
    pub sum: f64,
    /// The longest I/O.
    pub worst: Duration,
    /// I/Os that failed.
    pub failed: u64,
}

impl Place {
    /// The positions of a scan: its bins.
    pub fn all_of(scan: &JobRecord) -> Vec<Place> {
        let bins = scan.bins.iter();
        let each = bins.flat_map(|bins| {
            let numbered = bins.bins.iter().enumerate();
            numbered.map(|(at, bin)| {
                let start = bins.start_of(at);
                let end = start.saturating_add(bins.width).min(bins.span.end());
                let span = Span::new(start, end.saturating_sub(start));
                Place {
                    span,
                    visited: bin.bytes,
                    ios: bin.ios,
                    sum: bin.sum.as_nanos() as f64,
                    worst: bin.worst,
                    failed: failed_in(span, scan),
                }
            })
        });
        each.collect()
    }

    /// The position of a job that visits nothing else.
    pub fn alone(span: Span, op: Op, record: &JobRecord) -> Place {
        let done = &record.ops[op as usize];
        let ios = done.service.count();
        let mean = done.service.mean().unwrap_or_default();
        Place {
            span,
            visited: done.bytes.min(span.len),
            ios,
            sum: mean.as_nanos() as f64 * ios as f64,
            worst: done.service.max(),
            failed: failed_in(span, record),
        }
    }

    /// Nanoseconds of an I/O.
    pub fn mean(&self) -> Option<f64> {
        (self.ios > 0).then(|| self.sum / self.ios as f64)
    }
}

/// I/Os of a job that failed at an address; a read that found something else than it looked for did not.
fn failed_in(span: Span, record: &JobRecord) -> u64 {
    let failed = record.errors.first.iter().filter(|e| e.differs.is_none());
    let inside = failed.filter(|e| e.offset >= span.start && e.offset < span.end());
    inside.count() as u64
}

/// The expected time of a position, in nanoseconds per I/O.
#[derive(Clone, Copy, Debug)]
struct Expected {
    mean: f64,
    /// What the mean may be by scatter alone.
    most: f64,
    worst: f64,
    /// Whether a longest I/O is significant: neighbours on one side only are not a sufficient reference.
    tail_tells: bool,
}

/// The time of a weak position compared with the expected one.
#[derive(Clone, Copy, Debug)]
pub struct Weak {
    /// Nanoseconds of an I/O that were to be expected.
    pub expected: f64,
    /// The least number of slow I/Os that explain the rest.
    pub reads: f64,
}

/// The weakness of each of the `places`, in order of address, where it is weak. `again` are later visits of some of them;
/// without any (`None`), also what may only have had a slow moment is weak. `others` are the scans of similar drives:
/// without them only reads count, since writes change their speed with time, when a cache is full. `is_disk`: also where
/// it is slower than the disk is before and after, however wide.
pub fn weak_places(
    op: Op,
    places: &[Place],
    again: Option<&[Place]>,
    others: &[Vec<Place>],
    is_disk: bool,
) -> Vec<Option<Weak>> {
    let mine: Vec<Option<f64>> = places.iter().map(Place::mean).collect();
    let judge = |expected: Vec<Option<Expected>>| -> Vec<Option<Weak>> {
        let each = places.iter().zip(&expected);
        let weak: Vec<Option<Weak>> = each
            .map(|(place, expected)| weak(place, expected.as_ref()?))
            .collect();
        match again {
            Some(again) => without_moments(weak, &seen_again(places, again, &expected)),
            None => weak,
        }
    };
    if let Some(expected) = in_batch(places, &mine, others) {
        return judge(expected);
    }
    if op != Op::Read {
        return vec![None; places.len()];
    }
    let near = judge(in_neighbourhood(places, &mine));
    if !is_disk {
        return near;
    }
    let far = judge(on_both_sides(places, &mine));
    near.into_iter()
        .zip(far)
        .map(|(near, far)| near.or(far))
        .collect()
}

fn is_slow(mean: f64, expected: &Expected) -> bool {
    mean >= FACTOR * expected.mean && mean > expected.most
}

fn weak(place: &Place, expected: &Expected) -> Option<Weak> {
    let mean = place.mean()?;
    let worst = place.worst.as_nanos() as f64;
    let more = place.sum - place.ios as f64 * expected.mean;
    let reads = more / (worst - expected.mean).max(1.0);
    // A dwell is over after one or two I/Os that take for ever.
    let tells = reads >= FEWEST[0] || mean >= TAIL.as_nanos() as f64;
    let slow = is_slow(mean, expected) && tells;
    let tail = expected.tail_tells
        && worst >= TAIL_FACTOR * expected.worst
        && place.worst >= TAIL
        && reads >= FEWEST[1];
    (slow || tail).then_some(Weak {
        expected: expected.mean,
        reads,
    })
}

/// Whether each position that was read again was weak again.
fn seen_again(
    places: &[Place],
    again: &[Place],
    expected: &[Option<Expected>],
) -> Vec<Option<bool>> {
    let each = places.iter().zip(expected).map(|(place, expected)| {
        let second = again.iter().find(|other| other.span == place.span)?;
        let expected = expected.as_ref()?;
        // One that is slow again is left before all of it is read, perhaps after a few very long I/Os.
        let is_left = second.visited < second.span.len;
        let is_slow = (second.mean()).is_some_and(|mean| is_slow(mean, expected));
        Some(weak(second, expected).is_some() || (is_left && is_slow))
    });
    each.collect()
}

/// Adjacent weak positions of which one was read again, and none was weak again, are not weak: it was a slow moment. Those
/// with fewer slow I/Os than tell a place from a moment must be read again to be weak.
fn without_moments(mut weak: Vec<Option<Weak>>, again: &[Option<bool>]) -> Vec<Option<Weak>> {
    let mut at = 0;
    for group in weak.chunk_by_mut(|a, b| a.is_some() == b.is_some()) {
        let mut read = again[at..at + group.len()].iter().flatten();
        at += group.len();
        let is_read = read.clone().count() > 0;
        if read.any(|again| *again) {
            continue;
        }
        for place in group {
            *place = place
                .take()
                .filter(|weak| !is_read && weak.reads >= FEWEST[0]);
        }
    }
    weak
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

/// Compared with the positions before and after, whichever side is slower.
fn in_neighbourhood(places: &[Place], mine: &[Option<f64>]) -> Vec<Option<Expected>> {
    if places.len() < LEAST_PLACES {
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

/// So many times as long as stretches far away: from its edge to its centre a disk differs by 2 to 2.5, and one with two
/// actuators begins anew at the edge in its middle.
const FACTOR_FAR: f64 = 3.0;

/// The time per I/O in adjacent positions: median and scatter.
type Stretch = (f64, f64);

/// For a disk: compared with the fastest stretch before and the fastest after, whichever of the two is slower, however
/// far away. So a wide area is detected that is its own neighbourhood. A disk only gets slower towards the inner
/// diameter, so after a good position the fastest stretch is the next one, and it is about as slow. Unwritten flash is
/// no reference for written flash: there a wide area may be the one that holds the data.
fn on_both_sides(places: &[Place], mine: &[Option<f64>]) -> Vec<Option<Expected>> {
    let stretch = |at: usize| -> Option<Stretch> {
        let values: Vec<f64> = mine
            .get(at..at + LEAST_SIDE)?
            .iter()
            .flatten()
            .copied()
            .collect();
        let whole = values.len() == LEAST_SIDE;
        whole.then(|| Some((median(&values)?, scatter(&values))))?
    };
    let faster = |a: Option<Stretch>, b: Option<Stretch>| match (a, b) {
        (Some(a), Some(b)) if b.0 < a.0 => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    };
    let count = places.len();
    let (mut before, mut behind) = (vec![None; count], vec![None; count]);
    for at in LEAST_SIDE..count {
        before[at] = faster(before[at - 1], stretch(at - LEAST_SIDE));
    }
    for at in (0..count.saturating_sub(LEAST_SIDE)).rev() {
        behind[at] = faster(behind[at + 1], stretch(at + 1));
    }
    let usual = usual_worst(places);
    let expected = |(before, behind): (Option<Stretch>, Option<Stretch>)| {
        let ((one, a), (other, b)) = (before?, behind?);
        let mean = one.max(other);
        Some(Expected {
            mean,
            most: (mean + SCATTER * a.max(b)).max(FACTOR_FAR * mean),
            worst: usual,
            tail_tells: false,
        })
    };
    before.into_iter().zip(behind).map(expected).collect()
}

/// The usual longest I/O of a position on this drive.
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

#[cfg(test)]
mod tests {
    use base::size::Bytes;
    use base::workload::Span;

    use super::*;

    /// Positions of one GiB, each with this many microseconds per I/O.
    fn places(took_us: &[f64]) -> Vec<Place> {
        let place = |(at, us): (usize, &f64)| Place {
            span: Span {
                start: Bytes::gib(at as u64),
                len: Bytes::gib(1),
            },
            visited: Bytes::gib(1),
            ios: 1_000,
            sum: 1_000.0 * us * 1e3,
            worst: Duration::from_nanos((us * 2e3) as u64),
            failed: 0,
        };
        took_us.iter().enumerate().map(place).collect()
    }

    fn weak_of(took_us: &[f64], is_disk: bool) -> Vec<usize> {
        let all = weak_places(Op::Read, &places(took_us), Some(&[]), &[], is_disk);
        (0..all.len()).filter(|at| all[*at].is_some()).collect()
    }

    /// A disk that takes twice as long at its centre as at its edge.
    fn disk() -> Vec<f64> {
        (0..64).map(|at| 400.0 * (1.0 + at as f64 / 63.0)).collect()
    }

    #[test]
    fn a_third_of_a_disk_that_is_slow_is_seen_and_a_step_or_the_zones_are_not() {
        let mut slow = disk();
        slow[20..40].iter_mut().for_each(|us| *us += 15_000.0);
        assert_eq!(weak_of(&slow, true), (20..40).collect::<Vec<_>>());
        assert!(weak_of(&disk(), true).is_empty());
        let two_actuators = [disk(), disk()].concat();
        assert!(weak_of(&two_actuators, true).is_empty());
        let mut step = disk();
        step[30..].iter_mut().for_each(|us| *us *= 3.0);
        assert!(weak_of(&step, true).is_empty());
        step.reverse();
        assert!(weak_of(&step, true).is_empty());
    }

    #[test]
    fn what_was_read_again_as_fast_as_its_neighbours_was_a_slow_moment() {
        let mut first = vec![20.0; 64];
        first[20..24].fill(90.0);
        let weak = |second: f64, ios: u64| {
            let all = places(&first);
            let again = [Place {
                sum: ios as f64 * second * 1e3,
                ios,
                worst: Duration::from_nanos((second * 2e3) as u64),
                visited: Bytes::new(all[21].span.len.get() / 1_000 * ios),
                ..all[21]
            }];
            let weak = weak_places(Op::Read, &all, Some(&again), &[], false);
            (0..64).filter(|at| weak[*at].is_some()).collect::<Vec<_>>()
        };
        assert_eq!(weak(80.0, 1_000), [20, 21, 22, 23]);
        assert!(weak(21.0, 1_000).is_empty());
        // Left after two I/Os that took for ever.
        assert_eq!(weak(500_000.0, 2), [20, 21, 22, 23]);
        // One that nobody read again is left as it was seen.
        first[40] = 90.0;
        assert_eq!(weak_of(&first, false), [20, 21, 22, 23, 40]);
    }

    /// A dwell of half a second holds two I/Os of 300 ms, and one stall of half a second, too.
    #[test]
    fn a_place_that_takes_for_ever_is_weak_where_it_does_so_twice() {
        let all = |us: f64| {
            let mut all = places(&[400.0; 64]);
            all[20] = Place {
                ios: 2,
                sum: 2.0 * us * 1e3,
                worst: Duration::from_nanos((us * 1e3) as u64),
                ..all[20]
            };
            all
        };
        let weak = |again: Option<&[Place]>| {
            weak_places(Op::Read, &all(300_000.0), again, &[], true)[20].is_some()
        };
        assert!(weak(None));
        assert!(!weak(Some(&[])));
        assert!(weak(Some(&[all(300_000.0)[20]])));
        assert!(!weak(Some(&[all(400.0)[20]])));
    }

    #[test]
    fn flash_that_holds_data_between_flash_that_holds_none_is_not_weak() {
        let mut written = vec![20.0; 64];
        written[10..50].iter_mut().for_each(|us| *us = 90.0);
        assert!(weak_of(&written, false).is_empty());
    }
}
