//! Part of the drive is far slower than its surroundings.
//!
//! A disk retries a sector that it can hardly read, and flash retries a page with other thresholds, before giving up:
//! what is slow today is unreadable tomorrow. So an area that takes far longer than both neighbours, in a scan without
//! errors ([`crate::surface`]), is reported with its address, from the scan with the finest resolution if several saw
//! it. A scan of the starts of regions only knows between which of them it is. Steps that every drive of the kind has,
//! between zones or at the end of written data, do not count. Flash may also be slow where old data is stored: there
//! the finding is only likely. A place on a virtual disk is no fixed place on a drive, and other guests make it slow for
//! a moment: there it is only possible, decides nothing, and the drive is to be scanned on its host.

use base::surroundings::LayerKind;
use base::{Op, Span};
use results::surface::{Surface, WeakArea};
use results::{Quantity, RunResult, Standing, Statement};

use super::{Evidence, Finding, Found, Severity, Sureness};
use crate::observer::{Figures, has_layer, is_worsened};
use crate::surface::{surfaces, surfaces_of_disk};

pub(super) const FINDING: Finding = Finding::new("weak-area", Severity::Weakness, look);

/// What an array or a recorder waits for.
const STANDING: &[(&str, Standing)] = &[
    ("nas", Standing::Limited),
    ("continuous-recording", Standing::Limited),
];

/// A weak area, and the resolution of the scan that saw it.
struct Seen<'a> {
    result: &'a RunResult,
    area: WeakArea,
    /// Its certain bounds: for a scan of the starts of regions, the neighbouring starts.
    between: Span,
}

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let is_disk = evidence.is_disk() == Some(true);
    let all = evidence.results.iter();
    let all: Vec<Seen> = all.flat_map(|result| seen(result, is_disk)).collect();
    let by_factor = |a: &&Seen, b: &&Seen| a.area.factor.total_cmp(&b.area.factor);
    let worst = all.iter().max_by(by_factor)?;
    // The same place, as the scan saw it that says best where it lies.
    let same = all
        .iter()
        .filter(|one| one.between.within(worst.between).is_some());
    let finest = same.min_by_key(|one| one.between.len).unwrap_or(worst);
    let disturbed = is_worsened(Figures::ResponseTimes, finest.result);
    let is_virtual = has_layer(finest.result, &[LayerKind::VirtualDisk]);
    let is_open = disturbed || is_virtual;
    let is_exact = finest.between.start == finest.area.from;
    let says = match is_exact {
        true => "finding-weak-area-says",
        false => "finding-weak-area-says-between",
    };
    let says = Statement::new(says)
        .with("from", Quantity::Place(finest.between.start))
        .with("to", Quantity::Place(finest.between.end()))
        .with("factor", Quantity::Factor(finest.area.factor))
        .with("longest", Quantity::Time(finest.area.worst));
    Some(Found {
        sure: match (is_open, is_disk) {
            (true, _) => Sureness::Possible,
            (false, true) => Sureness::Seen,
            (false, false) => Sureness::Likely,
        },
        standing: if is_open { &[] } else { STANDING },
        does: match (is_virtual, disturbed, is_disk) {
            (true, ..) => Some(Statement::new("finding-weak-area-do-on-host")),
            (_, true, _) => Some(Statement::new("finding-weak-area-do-again")),
            (_, _, true) => None,
            (_, _, false) => Some(Statement::new("finding-weak-area-do-flash")),
        },
        ..FINDING.found(says)
    })
}

/// The weak areas in a scan's reads.
fn seen(result: &RunResult, is_disk: bool) -> Vec<Seen<'_>> {
    let all = match is_disk {
        true => surfaces_of_disk(result),
        false => surfaces(result, &[]),
    };
    let read = all.into_iter().filter(|surface| surface.op == Op::Read);
    let of = |surface: Surface| {
        let between = |area: &WeakArea| between(area, &surface);
        let of = |area: WeakArea| Seen {
            result,
            between: between(&area),
            area,
        };
        surface.weak.iter().copied().map(of).collect::<Vec<_>>()
    };
    read.flat_map(of).collect()
}

/// The bounds of a weak area: as seen by a scan of everything. For starts of regions the first weak one only says that
/// it begins after the one before.
fn between(area: &WeakArea, surface: &Surface) -> Span {
    let regions = &surface.regions;
    let all: u64 = regions.iter().map(|region| region.span.len.get()).sum();
    let before = regions.iter().rev().map(|region| region.span.start);
    let from = match surface.visited.get() < all {
        true => before.into_iter().find(|start| *start < area.from),
        false => None,
    };
    let from = from.unwrap_or(area.from);
    Span::new(from, area.to - from)
}
