//! The surface of a drive: which places of it are slow, or failed.
//!
//! A scan visits a surface in order, one access at a time, and its record keeps what each place took. A healthy
//! surface is smooth: a disk's zones take longer towards its centre, little by little, and flash takes the same
//! everywhere. So a place that takes far longer than those on *both* sides of it is weak: its sectors are read again and
//! again, or a head reads badly there. On one side only it is a step (a zone, the end of what was written) and says
//! nothing. Beside drives of the same kind, each place is compared with theirs at the same address instead.
//!
//! One long access is no weak place: any drive has them (recalibration, a host that was busy). So what a place took
//! more than its neighbours is divided by its longest access, and that gives the least number of slow ones there.
//! A place is weak where these are several, and
//!
//! - it took half as long again as its neighbours or more, beyond their own scatter; or
//! - its longest access is four times theirs and a stall: retries in a place that is
//!   otherwise sound.
//!
//! A drive that stalls everywhere has no weak place, and one that is slower everywhere has none either: beside others, it
//! is compared at its own pace.

use base::io::Op;
use base::record::{AddressBins, JobRecord, PhaseRecord, STALL};
use base::size::Bytes;
use base::time::Duration;
use base::workload::{Order, Pacing, Span};
use results::RunResult;
pub use results::surface::{Mark, Region, Surface, WeakArea};

mod weak;

/// So many times as long as its neighbours is weak: zones of a disk differ by less from one to the next, and by 2 to 2.5
/// from the first to the last.
const FACTOR: f64 = 1.5;
/// So many times as long as its neighbours' is a longest access that tells.
const TAIL_FACTOR: f64 = 4.0;
/// The least longest access that tells.
const TAIL: Duration = STALL;
/// Fewest slow accesses of a slow place, and of a place with retries.
const FEWEST: [f64; 2] = [3.0, 5.0];
/// Fewest places of a surface: of fewer, neighbours say nothing.
const LEAST_REGIONS: usize = 8;

/// A place as the record has it.
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

/// The surfaces that a scan visited: what it read, then what it wrote. Nothing for what is no scan.
pub fn surfaces(result: &RunResult, beside: &[&RunResult]) -> Vec<Surface> {
    of_kind(result, beside, false)
}

fn of_kind(result: &RunResult, beside: &[&RunResult], is_disk: bool) -> Vec<Surface> {
    let of = |op| surface(result, beside, op, is_disk);
    [Op::Read, Op::Write].into_iter().filter_map(of).collect()
}

/// Where a drive's surface is weak: beside two or more scans of like drives at the same addresses, what stands off
/// theirs; else what stands off the places around it. Alone, only what was read tells: what is written changes its speed
/// with time, when a cache is full, and not with the place.
pub fn weak_areas(result: &RunResult, beside: &[&RunResult]) -> Vec<WeakArea> {
    let surfaces = surfaces(result, beside);
    surfaces.into_iter().flat_map(|one| one.weak).collect()
}

/// The surfaces of a disk, weak where they are slower than a disk is before and behind, however wide.
pub fn surfaces_of_disk(result: &RunResult) -> Vec<Surface> {
    of_kind(result, &[], true)
}

fn surface(result: &RunResult, beside: &[&RunResult], op: Op, is_disk: bool) -> Option<Surface> {
    let places = places(result, op);
    if places.len() < LEAST_REGIONS {
        return None;
    }
    let others: Vec<Vec<Place>> = beside.iter().map(|other| self::places(other, op)).collect();
    let weak = weak::regions(op, &places, &others, is_disk);
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

/// The places that scans of a result visited, in the order of their addresses, none twice.
fn places(result: &RunResult, op: Op) -> Vec<Place> {
    let mut all: Vec<Place> = result
        .phases
        .iter()
        .filter_map(|phase| scan(phase, op))
        .flatten()
        .collect();
    all.sort_by_key(|place| place.span.start);
    let mut end = Bytes::ZERO;
    all.retain(|place| {
        let apart = place.span.start >= end;
        end = end.max(place.span.end());
        apart
    });
    all
}

/// The places of a phase that visits addresses in order, one access at a time: its bins, or all of it as one place.
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
