//! The surface map of a drive: which positions are slow, or failed.
//!
//! A scan visits the LBA range sequentially, one I/O at a time, and its record contains the time of each position. Which
//! of them are weak, compared with their neighbours or with other drives, [`stats::weak_places`] tells.

use base::{Bytes, Duration, Op, Order, Pacing, PhaseRecord};
use results::RunResult;
pub use results::surface::{Mark, Region, Surface, WeakArea};
use stats::weak_places::{LEAST_PLACES, Place, Weak, weak_places};

/// The maps of a scan: its reads, then its writes. Empty for other methods.
pub fn surfaces(result: &RunResult, beside: &[&RunResult]) -> Vec<Surface> {
    of_kind(result, beside, false)
}

fn of_kind(result: &RunResult, beside: &[&RunResult], is_disk: bool) -> Vec<Surface> {
    let of = |op| surface(result, beside, op, is_disk);
    [Op::Read, Op::Write].into_iter().filter_map(of).collect()
}

/// Where a drive is weak: with two or more scans of similar drives at the same addresses, where it deviates from
/// theirs; else where it deviates from its surroundings. Without others, only reads count: writes change their speed
/// with time, when a cache is full, and not with the position.
pub fn weak_areas(result: &RunResult, beside: &[&RunResult]) -> Vec<WeakArea> {
    let surfaces = surfaces(result, beside);
    surfaces.into_iter().flat_map(|one| one.weak).collect()
}

/// The maps of a disk, weak where they are slower than the disk is before and after, however wide.
pub fn surfaces_of_disk(result: &RunResult) -> Vec<Surface> {
    of_kind(result, &[], true)
}

fn surface(result: &RunResult, beside: &[&RunResult], op: Op, is_disk: bool) -> Option<Surface> {
    let (places, again) = places(result, op);
    if places.len() < LEAST_PLACES {
        return None;
    }
    let others: Vec<Vec<Place>> = beside
        .iter()
        .map(|other| self::places(other, op).0)
        .collect();
    let weak = weak_places(op, &places, Some(&again), &others, is_disk);
    let mut regions: Vec<Region> = places.iter().map(region).collect();
    for (region, _) in regions.iter_mut().zip(&weak).filter(|(_, w)| w.is_some()) {
        if region.mark == Mark::Sound {
            region.mark = Mark::Slow;
        }
    }
    Some(Surface {
        op,
        visited: places
            .iter()
            .fold(Bytes::ZERO, |all, place| all.saturating_add(place.visited)),
        regions,
        weak: areas(op, &places, &weak),
    })
}

fn region(place: &Place) -> Region {
    let mean = place.mean();
    Region {
        span: place.span,
        ios: place.ios,
        mean: mean.map(|nanos| Duration::from_nanos(nanos as u64)),
        worst: mean.map(|_| place.worst),
        failed: place.failed,
        mark: match (place.failed, place.ios) {
            (1.., _) => Mark::Failed,
            (0, 0) => Mark::Unvisited,
            _ => Mark::Sound,
        },
    }
}

/// The positions scanned in a result, in order of address, without duplicates; and those that were read again.
fn places(result: &RunResult, op: Op) -> (Vec<Place>, Vec<Place>) {
    let mut all: Vec<Place> = result
        .phases
        .iter()
        .filter_map(|phase| scan(phase, op))
        .flatten()
        .collect();
    // Of the same address the first reading stays first.
    all.sort_by_key(|place| place.span.start);
    let mut end = Bytes::ZERO;
    all.into_iter().partition(|place| {
        let apart = place.span.start >= end;
        if apart {
            end = place.span.end();
        }
        apart
    })
}

/// The positions of a phase that visits addresses in order, one I/O at a time: its bins, or all of it as one position.
fn scan(phase: &PhaseRecord, op: Op) -> Option<Vec<Place>> {
    let ([job], [record]) = (phase.workload.jobs.as_slice(), phase.jobs.as_slice()) else {
        return None;
    };
    let one_at_a_time = matches!(job.pacing, Pacing::Closed { depth: 1, .. });
    let in_order = job.order == Order::Sequential && one_at_a_time && job.streams == 1;
    let scripted = phase.script.is_some() || phase.traced.is_some();
    let [access] = job.accesses.as_slice() else {
        return None;
    };
    let does = match access.read_percent {
        100 => Op::Read,
        0 if !access.trims => Op::Write,
        _ => return None,
    };
    if !in_order || scripted || does != op {
        return None;
    }
    Some(match record.bins {
        Some(_) => Place::all_of(record),
        None => vec![Place::alone(job.span, op, record)],
    })
}

/// Adjacent weak positions, merged.
fn areas(op: Op, places: &[Place], weak: &[Option<Weak>]) -> Vec<WeakArea> {
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
