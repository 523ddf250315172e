//! Zones below a method that writes in address order: they are reset first, so that address order is also zone order.
//!
//! A zone accepts a write only at its write pointer, which is its start after a reset. After that, a pass in address
//! order writes every zone sequentially from start to end, provided that zones hold their full length and no I/O
//! crosses the end of one. Conventional zones accept any write, and are left unchanged.

use base::zone::{Zone, ZoneKind, Zoning};
use base::{Bench, Bytes, Duration, Io, Message, Script, Span, StepId, Stopped};

/// Resets the zones of a span that is about to be written in order, in I/Os of `block`; does nothing where there are
/// none. Gives why the span cannot be written so, where it cannot; then nothing was reset.
///
/// # Errors
/// [`Stopped`] if the zones cannot be queried, or the run cannot continue.
pub(crate) fn emptied(
    bench: &mut dyn Bench,
    span: Span,
    block: Bytes,
) -> Result<Option<Message>, Stopped> {
    let on = bench.info();
    let zones = zones_in_order(bench, span)?;
    if zones.is_empty() {
        return Ok(None);
    }
    if let Some(why) = zones
        .iter()
        .find_map(|zone| out_of_order(zone, span, block))
    {
        return Ok(Some(why));
    }
    let resets = zones
        .iter()
        .map(|zone| Io::zone(Zoning::Reset, zone.start, on.block));
    bench.script("reset zones", &chain("reset zones", resets))?;
    Ok(None)
}

/// Why a span cannot be read from start to end, if it cannot: gaps beyond the zone capacity have addresses, but no
/// data, and a read of them is an error that says nothing about the drive's health.
///
/// # Errors
/// [`Stopped`] if the zones cannot be queried.
pub(crate) fn unreadable(bench: &mut dyn Bench, span: Span) -> Result<Option<Message>, Stopped> {
    let zones = zones_in_order(bench, span)?;
    let mut whys = (zones.iter()).filter_map(|zone| hole(zone, span, "note-gaps-unread"));
    Ok(whys.next())
}

/// The zones of a span that are written in order; none on a target that has none.
fn zones_in_order(bench: &mut dyn Bench, span: Span) -> Result<Vec<Zone>, Stopped> {
    let Some(zoned) = bench.zoned() else {
        return Ok(Vec::new());
    };
    let length = zoned.limits().zone_length;
    if length.is_zero() {
        return Ok(Vec::new());
    }
    let first = span.start.round_down(length);
    let count = span
        .end()
        .saturating_sub(first)
        .get()
        .div_ceil(length.get());
    let reported = zoned.report(first, count as usize);
    let mut zones = reported.map_err(|errno| {
        Stopped::Failed(format!("the target does not tell its zones: error {errno}"))
    })?;
    zones.retain(|zone| zone.kind != ZoneKind::Conventional && zone.start < span.end());
    Ok(zones)
}

/// Whether a zone's capacity is below its length, if the span continues after it.
fn hole(zone: &Zone, span: Span, key: &'static str) -> Option<Message> {
    let holds = zone.writable_end();
    let (capacity, length) = (zone.capacity, zone.length);
    (holds < zone.end() && holds < span.end()).then(|| {
        let places = [("held", capacity.into()), ("addresses", length.into())];
        Message::new(key, places)
    })
}

/// Why a zone would not be written from its start to its end.
fn out_of_order(zone: &Zone, span: Span, block: Bytes) -> Option<Message> {
    let start = zone.start;
    if start < span.start {
        return Some(Message::of("why-within-zone"));
    }
    if let Some(why) = hole(zone, span, "note-gaps-unwritten") {
        return Some(why);
    }
    let whole = (start - span.start).is_multiple_of(block);
    (!whole).then(|| Message::new("why-across-zones", [("block", block.into())]))
}

/// I/Os that each wait for the previous one.
pub(crate) fn chain(name: &str, ios: impl Iterator<Item = Io>) -> Script {
    let mut script = Script::new(name, 1);
    let mut last: Option<StepId> = None;
    for io in ios {
        last = Some(script.io(io, Duration::ZERO, last.as_slice()));
    }
    script
}
