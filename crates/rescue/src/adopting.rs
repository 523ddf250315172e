//! Going on from a map that this rescue did not make.
//!
//! GNU ddrescue's map has the same format, but does not identify either end: a map of another drive of the same size
//! would be accepted for this one, and a copy of one drive would get the rest of another. So adopting must be
//! requested, and everything that can be checked is checked and reported:
//!
//! * its areas follow one another from the first byte to the last of the source (`Map::read`);
//! * a source that it names is this one;
//! * the copy is as long as what was copied according to the map;
//! * areas begin and end with whole sectors of the source; where one does not, that sector is read again;
//! * of some sectors that have arrived, source and copy hold the same bytes ([`compared`]).

use base::message::{Argument, Message};
use std::path::Path;

use crate::ends::Ends;
use crate::error::RescueError;
use crate::map::{Map, Status};

/// Maximum number of samples compared, spread over the copied areas.
const PIECES: u64 = 16;
/// Bytes of a piece: a sector of any drive.
const PIECE: u64 = 4_096;
/// What the remark begins with in which a map names its source.
const NAMES_A_SOURCE: &str = "source: ";

/// Checks a map, including what it says about itself, against the source and the copy; returns what was checked, for
/// people.
///
/// # Errors
/// What speaks against it.
pub(super) fn checked(
    mut map: Map,
    remarks: &[String],
    sources: &[String],
    sector: u64,
    copy: &str,
) -> Result<(Map, Vec<Message>), String> {
    let named = remarks.iter().find_map(|r| r.strip_prefix(NAMES_A_SOURCE));
    if let Some(named) =
        named.filter(|named| !sources.iter().any(|source| source.as_str() == *named))
    {
        return Err(format!("it is a map of another source, {named}"));
    }
    let arrived = map.areas().filter(|area| area.status == Status::Arrived);
    let needed = arrived.map(|area| area.end).max().unwrap_or(0);
    let size = map.size();
    match std::fs::metadata(Path::new(copy)) {
        Ok(found) if found.is_file() && !(needed..=size).contains(&found.len()) => {
            let has = found.len();
            return Err(format!(
                "{copy} has {has} bytes, but by the map it has {needed} at least, and the source {size}"
            ));
        }
        Err(_) if needed > 0 => {
            return Err(format!("by it bytes have arrived, but {copy} is not there"));
        }
        _ => {}
    }
    let torn: Vec<u64> = map
        .areas()
        .map(|area| area.start)
        .filter(|start| !start.is_multiple_of(sector))
        .collect();
    for at in &torn {
        let start = at - at % sector;
        map.set(
            start,
            start.saturating_add(sector).min(size),
            Status::Untried,
        );
    }
    let places = [("size", size.into()), ("copy", Argument::text(copy))];
    let mut said = vec![Message::new("adopted", places)];
    if !torn.is_empty() {
        let places = [("areas", torn.len().into()), ("sector", sector.into())];
        said.push(Message::new("adopted-within-sectors", places));
    }
    Ok((map, said))
}

/// Compares samples of the copied areas, and returns the outcome.
///
/// # Errors
/// Where source and copy differ: then the map belongs to neither, or not to both; and as a copying fails.
pub(super) fn compared(ends: &mut Ends, map: &Map) -> Result<Message, RescueError> {
    let arrived = map.bytes(Status::Arrived);
    let (mut same, mut unread) = (0, 0);
    let mut last = None;
    for piece in 0..PIECES {
        let Some(start) = place(map, arrived / PIECES * piece) else {
            break;
        };
        if last.replace(start) == Some(start) {
            continue;
        }
        let area = map.next(Status::Arrived, start);
        let end = area.map_or(start, |area| area.end.min(start + PIECE));
        match ends.is_same(start, end)? {
            Some(true) => same += 1,
            Some(false) => {
                return Err(RescueError::Refused(format!(
                    "the map cannot be adopted: by it byte {start} has arrived, but source and copy differ there"
                )));
            }
            None => unread += 1,
        }
    }
    let places = [
        ("same", Argument::text(same)),
        ("unread", Argument::text(unread)),
    ];
    Ok(Message::new("adopted-compared", places))
}

/// The position of the n-th copied byte, at the beginning of its sample.
fn place(map: &Map, number: u64) -> Option<u64> {
    let mut before = 0;
    for area in map.areas().filter(|area| area.status == Status::Arrived) {
        let len = area.end - area.start;
        if number < before + len {
            let within = number - before;
            return Some(area.start + within - within % PIECE);
        }
        before += len;
    }
    None
}
