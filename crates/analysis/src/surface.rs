//! The surface map of a drive: which positions are slow, or failed.
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
//! A full scan reads its slowest positions once more when it is through. A group of weak positions of which one was read
//! again, and none was slow again, was a slow moment and no place.
//!
//! A drive that stalls everywhere has no weak area, and neither has one that is slower everywhere: it is compared with
//! others at its own pace.

use base::record::{AddressBins, STALL};
use base::{Bytes, Duration, JobRecord, Op, Order, Pacing, PhaseRecord, Span};
use results::RunResult;
pub use results::surface::{Mark, Region, Surface, WeakArea};

mod weak;

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
const LEAST_REGIONS: usize = 8;

/// A position as in the record.
#[derive(Clone, Copy, Debug)]
struct Place {
    span: Span,
    visited: Bytes,
    ios: u64,
    /// Of all its accesses, in nanoseconds.
    sum: f64,
    worst: Duration,
    failed: u64,
}

impl Place {
    /// Nanoseconds of an access.
    fn mean(&self) -> Option<f64> {
        (self.ios > 0).then(|| self.sum / self.ios as f64)
    }
}

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
    if places.len() < LEAST_REGIONS {
        return None;
    }
    let others: Vec<Vec<Place>> = beside
        .iter()
        .map(|other| self::places(other, op).0)
        .collect();
    let weak = weak::regions(op, &places, &again, &others, is_disk);
    let mut regions: Vec<Region> = places.iter().map(region).collect();
    for (region, _) in regions.iter_mut().zip(&weak).filter(|(_, w)| w.is_some()) {
        if region.mark == Mark::Sound {
            region.mark = Mark::Slow;
        }
    }
    Some(Surface {
        op,
        visited: Bytes::new(places.iter().map(|place| place.visited.get()).sum()),
        regions,
        weak: weak::areas(op, &places, &weak),
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
        end = end.max(place.span.end());
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
    Some(match &record.bins {
        Some(bins) => of_bins(bins, record),
        None => vec![of_dwell(job.span, record, op)],
    })
}

fn of_bins(bins: &AddressBins, record: &JobRecord) -> Vec<Place> {
    let place = |(at, bin): (usize, &base::record::AddressBin)| {
        let start = bins.start_of(at);
        let end = (start + bins.width).min(bins.span.end());
        let span = Span::new(start, end.saturating_sub(start));
        Place {
            span,
            visited: bin.bytes,
            ios: bin.ios,
            sum: bin.sum.as_nanos() as f64,
            worst: bin.worst,
            failed: failed_in(span, record),
        }
    };
    bins.bins.iter().enumerate().map(place).collect()
}

fn of_dwell(span: Span, record: &JobRecord, op: Op) -> Place {
    let done = &record.ops[op as usize];
    let (ios, mean) = (
        done.service.count(),
        done.service.mean().unwrap_or_default(),
    );
    Place {
        span,
        visited: done.bytes.min(span.len),
        ios,
        sum: mean.as_nanos() as f64 * ios as f64,
        worst: done.service.max(),
        failed: failed_in(span, record),
    }
}

/// I/Os of a job that failed at an address; a read that found something else than it looked for did not.
fn failed_in(span: Span, record: &JobRecord) -> u64 {
    let failed = record.errors.first.iter().filter(|e| e.differs.is_none());
    let inside = failed.filter(|e| e.offset >= span.start && e.offset < span.end());
    inside.count() as u64
}
