//! The map of a rescue: which bytes have arrived, which are lost, and which are still to be tried.
//!
//! It is text, in the format of GNU ddrescue's mapfile, so that people and existing tools can read it (ddrescueview;
//! ddrescue itself can continue from it): comment lines, a line of status, then position, size and status of each area.
//! `?` not tried, `*` failed as a large block and not yet trimmed, `/` trimmed and not yet read sector by sector, `-`
//! bad sectors, `+` copied. Source of the format: GNU ddrescue manual, chapter "Mapfile structure".

use std::collections::BTreeMap;

use base::size::Bytes;

/// Maximum size of a map: two million areas, alternating bad sectors.
pub(super) const MOST_TEXT: Bytes = Bytes::mib(64);
/// Maximum number of comments kept; ours has six.
const MOST_REMARKS: usize = 64;

/// What is known of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Not tried yet.
    Untried,
    /// A large block that failed: its good edges are not known yet.
    Failed,
    /// What is left of such a block between its bad edges.
    Trimmed,
    /// Cannot be read.
    Bad,
    Arrived,
}

impl Status {
    const ALL: [Status; 5] = [
        Status::Untried,
        Status::Failed,
        Status::Trimmed,
        Status::Bad,
        Status::Arrived,
    ];

    /// Its sign in the map.
    pub const fn sign(self) -> char {
        match self {
            Status::Untried => '?',
            Status::Failed => '*',
            Status::Trimmed => '/',
            Status::Bad => '-',
            Status::Arrived => '+',
        }
    }

    fn of_sign(sign: &str) -> Option<Status> {
        let mut letters = sign.chars();
        let (first, rest) = (letters.next(), letters.next());
        Status::ALL
            .into_iter()
            .find(|status| first == Some(status.sign()) && rest.is_none())
    }
}

/// An area of one status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// First byte.
    pub start: u64,
    /// First byte after it.
    pub end: u64,
    /// What is known of it.
    pub status: Status,
}

/// How far bad sectors have been tried again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retried {
    /// Whole passes over all of them.
    pub passes: u32,
    /// Position of the current pass.
    pub at: Option<u64>,
}

/// What the remark with [`Retried`] begins with.
const RETRIED: &str = "retried:";

/// The status of every byte of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// How far bad sectors have been tried again.
    pub retried: Retried,
    size: u64,
    /// Where each area begins.
    areas: BTreeMap<u64, Status>,
}

impl Map {
    /// Nothing has been tried yet.
    pub fn new(size: u64) -> Map {
        Map {
            retried: Retried::default(),
            size,
            areas: BTreeMap::from([(0, Status::Untried)]),
        }
    }

    /// Bytes of the source.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// From `start` to before `end`, this is known now.
    pub fn set(&mut self, start: u64, end: u64, status: Status) {
        let end = end.min(self.size);
        if start >= end {
            return;
        }
        let after = self.at(end);
        let inside: Vec<u64> = self.areas.range(start..end).map(|(at, _)| *at).collect();
        for at in inside {
            self.areas.remove(&at);
        }
        if self.before(start) != Some(status) {
            self.areas.insert(start, status);
        }
        if end < self.size {
            match after {
                Some(same) if same == status => self.areas.remove(&end),
                Some(other) => self.areas.insert(end, other),
                None => None,
            };
        }
    }

    /// What is known of a byte.
    fn at(&self, byte: u64) -> Option<Status> {
        let (_, status) = self.areas.range(..=byte).next_back()?;
        (byte < self.size).then_some(*status)
    }

    fn before(&self, start: u64) -> Option<Status> {
        self.areas.range(..start).next_back().map(|(_, s)| *s)
    }

    /// All areas, in order.
    pub fn areas(&self) -> impl Iterator<Item = Area> + '_ {
        let ends = self.areas.keys().skip(1).copied().chain([self.size]);
        self.areas
            .iter()
            .zip(ends)
            .filter(|((start, _), end)| *start < end)
            .map(|((start, status), end)| Area {
                start: *start,
                end,
                status: *status,
            })
    }

    /// The first area of a status that ends after `from`, cut off before it.
    pub fn next(&self, status: Status, from: u64) -> Option<Area> {
        let first = self
            .areas
            .range(..=from)
            .next_back()
            .map_or(0, |(at, _)| *at);
        let ends = self.areas.range(first..).skip(1).map(|(at, _)| *at);
        let mut areas = self.areas.range(first..).zip(ends.chain([self.size]));
        let cut = |((start, _), end): ((&u64, &Status), u64)| Area {
            start: (*start).max(from),
            end,
            status,
        };
        areas
            .find(|((_, known), end)| **known == status && *end > from)
            .map(cut)
    }

    /// The last area of a status that begins before `until`, cut off there.
    pub fn last(&self, status: Status, until: u64) -> Option<Area> {
        let mut end = until.min(self.size);
        for (start, known) in self.areas.range(..until).rev() {
            if *known == status && *start < end {
                return Some(Area {
                    start: *start,
                    end,
                    status,
                });
            }
            end = *start;
        }
        None
    }

    /// Bytes of a status.
    pub fn bytes(&self, status: Status) -> u64 {
        self.areas()
            .filter(|area| area.status == status)
            .map(|area| area.end - area.start)
            .sum()
    }

    /// True where nothing is left to be tried.
    pub fn is_done(&self) -> bool {
        self.areas()
            .all(|area| matches!(area.status, Status::Arrived | Status::Bad))
    }

    /// The text of the map; `remarks` come first.
    pub fn text(&self, remarks: &[String]) -> String {
        let mut text = format!(
            "# Mapfile. Made by drivelab {}\n",
            env!("CARGO_PKG_VERSION")
        );
        for remark in remarks {
            text.push_str(&format!("# {remark}\n"));
        }
        let at = self.retried.at.map_or("-".to_owned(), |at| at.to_string());
        text.push_str(&format!("# {RETRIED} {} {at}\n", self.retried.passes));
        let left = [Status::Untried, Status::Failed, Status::Trimmed];
        let next = left
            .into_iter()
            .find_map(|status| self.next(status, 0))
            .map_or((self.size, '+'), |area| (area.start, area.status.sign()));
        text.push_str("# current_pos  current_status  current_pass\n");
        text.push_str(&format!(
            "0x{:08X}     {}               1\n",
            next.0, next.1
        ));
        text.push_str("#      pos        size  status\n");
        for area in self.areas() {
            let (size, sign) = (area.end - area.start, area.status.sign());
            text.push_str(&format!("0x{:08X}  0x{size:08X}  {sign}\n", area.start));
        }
        text
    }

    /// Reads the text of a map of a source of `size` bytes; gives its first remarks, too.
    ///
    /// # Errors
    /// Which line makes no sense, and why, in words.
    pub fn read(text: &str, size: u64) -> Result<(Map, Vec<String>), String> {
        let mut map = Map::new(size);
        let mut remarks = Vec::new();
        let mut status_line = true;
        let mut next = 0;
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            let bad = |what: &str| format!("line {}: {what}: '{line}'", index + 1);
            if let Some(remark) = line.strip_prefix('#') {
                let remark = remark.trim();
                if let Some(retried) = remark.strip_prefix(RETRIED) {
                    let mut words = retried.split_whitespace();
                    let passes = words.next().and_then(|n| n.parse().ok());
                    map.retried.passes = passes.unwrap_or(0);
                    map.retried.at = words.next().and_then(|at| at.parse().ok());
                }
                if remarks.len() < MOST_REMARKS {
                    remarks.push(remark.to_owned());
                }
                continue;
            }
            if line.is_empty() || std::mem::take(&mut status_line) {
                continue;
            }
            let mut words = line.split_whitespace();
            let mut number = || number(words.next()?);
            let (Some(start), Some(length)) = (number(), number()) else {
                return Err(bad("a position and a size were expected"));
            };
            let status = words
                .next()
                .and_then(Status::of_sign)
                .ok_or_else(|| bad("a status of ? * / - + was expected"))?;
            let end = start.checked_add(length);
            let Some(end) = end.filter(|end| start == next && length > 0 && *end <= size) else {
                return Err(bad(&format!(
                    "areas must follow one another up to {size} bytes"
                )));
            };
            map.set(start, end, status);
            next = end;
        }
        if next != size {
            return Err(format!(
                "its areas end at {next}, but the source has {size} bytes"
            ));
        }
        Ok((map, remarks))
    }
}

/// A number, with `0x` before hexadecimal digits.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    #[test]
    fn a_map_is_what_was_set_last_and_reads_back_from_its_text() {
        let size = 300_u64;
        let mut rng = Rng::new(3);
        let mut map = Map::new(size);
        let mut plain = vec![Status::Untried; size as usize];
        for _ in 0..2_000 {
            let (start, len) = (rng.below(size), 1 + rng.below(40));
            let status = Status::ALL[rng.below(5) as usize];
            map.set(start, start + len, status);
            for byte in start..(start + len).min(size) {
                plain[byte as usize] = status;
            }
            let mut all = Vec::new();
            for area in map.areas() {
                all.extend((area.start..area.end).map(|_| area.status));
            }
            assert_eq!(all, plain);
            // No two neighbours are alike.
            let areas: Vec<Area> = map.areas().collect();
            assert!(areas.windows(2).all(|w| w[0].status != w[1].status));
            let from = rng.below(size);
            let expected = (from..size).find(|b| plain[*b as usize] == status);
            assert_eq!(map.next(status, from).map(|a| a.start), expected);
            let expected = (0..from).rev().find(|b| plain[*b as usize] == status);
            assert_eq!(map.last(status, from).map(|a| a.end - 1), expected);
            let count = plain.iter().filter(|s| **s == status).count() as u64;
            assert_eq!(map.bytes(status), count);
        }
        map.retried = Retried {
            passes: 3,
            at: Some(512),
        };
        let text = map.text(&["source: x".to_owned()]);
        let (back, remarks) = Map::read(&text, size).unwrap();
        assert_eq!(back, map);
        assert!(remarks.contains(&"source: x".to_owned()));
    }

    #[test]
    fn of_a_map_full_of_remarks_the_first_are_kept() {
        let text = "#\n".repeat(100_000) + &Map::new(4_096).text(&[]);
        let (map, remarks) = Map::read(&text, 4_096).unwrap();
        assert_eq!((map, remarks.len()), (Map::new(4_096), MOST_REMARKS));
    }

    #[test]
    fn a_map_that_is_torn_or_of_another_source_is_refused() {
        let map = Map::new(4_096);
        let text = map.text(&[]);
        assert!(Map::read(&text, 8_192).unwrap_err().contains("8192 bytes"));
        let said = |rows: &str| Map::read(&format!("0x0 ? 1\n{rows}"), 4_096).unwrap_err();
        assert!(said("0x0 0x800 +\n").contains("end at 2048"));
        assert!(said("0x0 0x800 +\n0x900 0x700 +\n").contains("line 3"));
        assert!(said("0x0 0x1000 x\n").contains("status"));
        assert!(said("0x0\n").contains("a position and a size"));
    }
}
