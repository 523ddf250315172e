//! The outline of a drive: its properties, without the drive.
//!
//! A name has to be understood before anything runs: does the drive exist, does its state, do the layers
//! over it fit, how large is it. None of that needs the drive, whose tables take seconds to fill in a
//! used state. Layers are put over an outline exactly as over the drive, so there is one set of
//! checks. An I/O on an outline fails at once.

use std::collections::VecDeque;

use base::io::Io;
use base::target::{Info, Outcome, Tag};
use base::time::Instant;
use base::zone::Zoned;

use crate::model::{Finished, Model};
use crate::zoned::table::ZoneTable;

/// ENODEV: no such device.
const NO_DEVICE: i32 = 19;

/// What a drive says of itself.
#[derive(Clone, Debug)]
pub struct Outline {
    info: Info,
    refused: VecDeque<Finished>,
    zones: Option<ZoneTable>,
}

impl Outline {
    /// The outline of a drive that says this of itself.
    pub fn new(info: Info) -> Outline {
        Outline {
            info,
            refused: VecDeque::new(),
            zones: None,
        }
    }

    /// With what zones the drive will have.
    pub fn with_zones(self, zones: Option<ZoneTable>) -> Outline {
        Outline { zones, ..self }
    }
}

impl Model for Outline {
    fn info(&self) -> Info {
        self.info
    }

    fn start(&mut self, now: Instant, tag: Tag, _: &Io) {
        self.refused.push_back(Finished {
            tag,
            at: now,
            outcome: Outcome::Failed(NO_DEVICE),
        });
    }

    fn next(&self) -> Option<Instant> {
        self.refused.front().map(|finished| finished.at)
    }

    fn step(&mut self, done: &mut Vec<Finished>) {
        done.extend(self.refused.pop_front());
    }

    fn power_cut(&mut self, _: Instant) {
        self.refused.clear();
    }

    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        Some(self.zones.as_mut()?)
    }
}
