//! Several actuators: a disk whose heads are on more than one arm, each with a part of the addresses.
//!
//! One arm over ten discs serves one command at a time, however large the discs are, so a larger disk has fewer I/Os a
//! second for each terabyte. Two arms in one case, one above the other on the same spindle, have half of the surfaces
//! each. What the host sees of it depends on the interface: over SAS each actuator is a logical unit of its own, over
//! Serial ATA the first half of the addresses is the one's and the second half the other's, and a log page says so (*concurrent
//! positioning ranges*, ACS-5, log 47h; Linux has them in `queue/independent_access_ranges` since 5.19). Two streams in
//! two halves come to twice the rate; two in one half share one arm, as they would on any disk.
//!
//! So the model is as many disks as there are actuators: each has its share of the surfaces, of the buffer and of the
//! addresses, a queue and an arm of its own. They share the turning of the discs, and the link: one controller decodes, one
//! transfer at a time is on the wire. A command across the border is one in either part, and ends with the later; a flush
//! is one in all of them. Logical units of a SAS disk lie one behind the other here.
//!
//! Without the section `actuators`, or with one of them, the disk is what it is without this file. What one arm's movement
//! does to the other's heads (the makers damp it) is left out.

use base::health::{ByteCount, Health};
use base::io::{Io, Op};
use base::size::Bytes;
use base::target::{Info, Outcome, Tag};
use base::time::Instant;
use base::workload::Span;

use super::HddConfig;
use super::no_such_disk::NoSuchDisk;
use crate::hdd::drive::Hdd;
use crate::hdd::drive::parameters::Parameters;
use crate::interface::Slot;
use crate::model::{Finished, Model, WriteCaching};
use crate::sheet::quantity::Count;
use crate::sheet::table::parameters;
use base::state::State;

parameters! {
    /// Actuators of a disk.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Actuators from ActuatorsConfig ["actuators"] {
        /// Arms that move for themselves, each with as many of the surfaces and as large a part of the addresses.
        count "count": Count("actuators") in 1..=4;
    }
}

/// The drive's addresses are cut at whole blocks of so many bytes: a physical sector at most.
const CUT_AT: Bytes = Bytes::kib(4);

/// The capacity of each actuator's part: the last has what does not divide.
fn parts_of(capacity: Bytes, count: u32) -> Vec<Bytes> {
    let each = Bytes::new(capacity.get() / u64::from(count)).round_down(CUT_AT);
    let last = capacity.saturating_sub(each * u64::from(count - 1));
    let mut parts = vec![each; count as usize];
    if let Some(part) = parts.last_mut() {
        *part = last;
    }
    parts
}

impl HddConfig {
    /// The plain numbers of each actuator's part in a state, in order of address; of the whole disk where it has one
    /// actuator.
    ///
    /// # Errors
    /// As [`HddConfig::in_state`], and where the surfaces or the buffer do not divide among the actuators.
    pub fn parts(
        &self,
        capacity: Bytes,
        slot: &Slot,
        seed: u64,
        state: &State,
    ) -> Result<Vec<Parameters>, NoSuchDisk> {
        let count = self.actuators().count;
        let parts = parts_of(capacity, count).into_iter();
        let made = parts.zip(0_u64..).map(|(part, n)| {
            let mut p = self.in_state(part, slot, seed, state)?;
            // Surfaces are laid out by the copy's seed; what comes by chance is each actuator's own.
            p.seed = seed.wrapping_add(n << 32);
            Ok(p)
        });
        made.collect()
    }

    /// What the disk says of itself.
    ///
    /// # Errors
    /// As [`HddConfig::parts`].
    pub fn info(
        &self,
        capacity: Bytes,
        slot: &Slot,
        seed: u64,
        state: &State,
    ) -> Result<Info, NoSuchDisk> {
        let parts = self.parts(capacity, slot, seed, state)?;
        Ok(whole(parts.iter().map(Parameters::info)))
    }
}

/// What parts say of themselves together.
fn whole(mut parts: impl Iterator<Item = Info>) -> Info {
    let first = parts.next().unwrap_or(Info {
        capacity: Bytes::ZERO,
        block: Bytes::SECTOR,
        max_in_flight: 1,
        writable: false,
    });
    parts.fold(first, |info, part| Info {
        capacity: info.capacity.saturating_add(part.capacity),
        ..info
    })
}

/// A command that is under way in one part or more.
#[derive(Clone, Copy, Debug)]
struct Shared {
    /// Parts that have not ended it.
    left: u32,
    outcome: Outcome,
}

/// A disk with several actuators.
#[derive(Clone, Debug)]
pub struct ManyActuators {
    parts: Vec<Hdd>,
    /// Where each part begins.
    starts: Vec<Bytes>,
    info: Info,
    commands: Vec<Shared>,
    ended: Vec<Finished>,
}

impl ManyActuators {
    /// One disk of these parts, in order of address.
    pub fn new(parts: Vec<Hdd>) -> ManyActuators {
        let info = whole(parts.iter().map(Hdd::info));
        let mut next = Bytes::ZERO;
        let starts = parts.iter().map(|part| {
            let start = next;
            next = next.saturating_add(part.info().capacity);
            start
        });
        let idle = Shared {
            left: 0,
            outcome: Outcome::Complete,
        };
        ManyActuators {
            starts: starts.collect(),
            commands: vec![idle; info.max_in_flight as usize],
            ended: Vec::new(),
            info,
            parts,
        }
    }

    /// Where a part ends.
    fn end_of(&self, part: usize) -> Bytes {
        self.starts
            .get(part + 1)
            .copied()
            .unwrap_or(self.info.capacity)
    }

    /// The pieces of an I/O: the part of each, and the I/O that it gets.
    fn pieces(&self, io: &Io) -> Vec<(usize, Io)> {
        if io.op == Op::Flush {
            return (0..self.parts.len()).map(|part| (part, *io)).collect();
        }
        let last = self.parts.len() - 1;
        let whole = [io.offset, io.len]
            .iter()
            .all(|at| at.is_multiple_of(self.info.block));
        let end = io.offset.get().saturating_add(io.len.get());
        if !whole || io.len.is_zero() || end > self.info.capacity.get() {
            // Refused, by the last part: for what it is, or as beyond its end.
            let offset = match whole && !io.len.is_zero() {
                true => self.parts[last].info().capacity,
                false => io.offset,
            };
            return vec![(last, Io { offset, ..*io })];
        }
        let inside = (0..self.parts.len()).filter_map(|part| {
            let (start, stop) = (self.starts[part], self.end_of(part));
            let from = io.offset.max(start);
            let len = Bytes::new(end).min(stop).saturating_sub(from);
            let offset = from.saturating_sub(start);
            (!len.is_zero()).then_some((part, Io { offset, len, ..*io }))
        });
        inside.collect()
    }

    /// One controller and one wire: what a part took of them is taken for all.
    fn share_link(&mut self, of: usize) {
        let link = self.parts[of].link.clone();
        for (n, part) in self.parts.iter_mut().enumerate() {
            if n != of {
                part.link.clone_from(&link);
            }
        }
    }

    /// The part with the next event.
    fn first(&self) -> Option<(Instant, usize)> {
        let times = self.parts.iter().enumerate();
        times.filter_map(|(n, part)| Some((part.next()?, n))).min()
    }
}

impl Model for ManyActuators {
    fn info(&self) -> Info {
        self.info
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        let pieces = self.pieces(io);
        self.commands[tag.0 as usize] = Shared {
            left: pieces.len() as u32,
            outcome: Outcome::Complete,
        };
        for (part, piece) in pieces {
            self.parts[part].start(now, tag, &piece);
            self.share_link(part);
        }
    }

    fn next(&self) -> Option<Instant> {
        self.first().map(|(at, _)| at)
    }

    fn step(&mut self, done: &mut Vec<Finished>) {
        let Some((_, part)) = self.first() else {
            return;
        };
        self.parts[part].step(&mut self.ended);
        self.share_link(part);
        for ended in self.ended.drain(..) {
            let command = &mut self.commands[ended.tag.0 as usize];
            command.left = command.left.saturating_sub(1);
            if ended.outcome != Outcome::Complete {
                command.outcome = ended.outcome;
            }
            if command.left == 0 {
                done.push(Finished {
                    outcome: command.outcome,
                    ..ended
                });
            }
        }
    }

    fn power_cut(&mut self, at: Instant) {
        for part in &mut self.parts {
            part.power_cut(at);
        }
    }

    fn at_risk(&mut self, at: Instant, span: Span) -> Vec<Span> {
        let mut found = Vec::new();
        for (part, start) in self.parts.iter_mut().zip(&self.starts) {
            let all = Span::new(*start, part.info().capacity);
            let Some(inside) = span.within(all) else {
                continue;
            };
            let of_part = part.at_risk(at, Span::new(inside.start - *start, inside.len));
            found.extend(
                of_part
                    .iter()
                    .map(|lost| Span::new(*start + lost.start, lost.len)),
            );
        }
        found
    }

    fn lost(&self) -> Vec<Span> {
        let parts = self.parts.iter().zip(&self.starts);
        let lost = parts.flat_map(|(part, start)| {
            let of_part = part.lost().iter();
            of_part.map(|(at, len)| Span::new(start.saturating_add(*at), *len))
        });
        lost.collect()
    }

    fn write_caching(&self) -> WriteCaching {
        self.parts[0].write_caching()
    }

    fn health(&self) -> Option<Health> {
        let mut all = self.parts.iter().filter_map(Model::health);
        let first = all.next()?;
        let bytes = |health: &Health| health.host_written.as_ref()?.bytes;
        let others: u64 = all
            .filter_map(|health| bytes(&health))
            .map(Bytes::get)
            .sum();
        let host_written = first.host_written.as_ref().map(|written| ByteCount {
            bytes: bytes(&first).map(|own| Bytes::new(own.get() + others)),
            of: written.of.clone(),
        });
        Some(Health {
            capacity: Some(self.info.capacity),
            host_written,
            ..first
        })
    }
}
