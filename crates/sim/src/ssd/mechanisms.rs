//! The mechanisms that only some drives have.
//!
//! Each is one file with its rules, its state and its part of the drive's work, and one line here.
//! [`super::flash::page_types`] and [`super::flash::retention`] are optional, too, but belong to the
//! cells.

use super::flash::die::ReadPolicy;
use super::front::drain::Drain;
use super::front::map_cache::MapCache;
use super::front::read_ahead::ReadAhead;
use super::front::thermal::Thermal;
use super::ftl::compression::Compression;
use super::ftl::partial_write::PartialWrites;
use super::parameters::Parameters;
use super::scatter::housekeeping::Housekeeping;
use super::scatter::map_journal::MapJournal;

/// What a drive has beyond a buffer, a map and flash.
#[derive(Debug)]
pub(super) struct Mechanisms {
    pub(super) map_cache: Option<Box<MapCache>>,
    pub(super) read_ahead: Option<Box<ReadAhead>>,
    pub(super) partial_writes: Option<PartialWrites>,
    pub(super) compression: Option<Compression>,
    pub(super) thermal: Option<Box<Thermal>>,
    pub(super) housekeeping: Option<Box<Housekeeping>>,
    pub(super) map_journal: Option<MapJournal>,
    pub(super) drain: Option<Drain>,
}

impl Mechanisms {
    /// Those that the parameters name.
    pub(super) fn new(p: &Parameters, seed: u64) -> Mechanisms {
        Mechanisms {
            map_cache: p.map_cache.map(|caching| {
                let pages = p.logical_pages() as u32;
                Box::new(MapCache::new(caching, pages, p.queue, seed))
            }),
            read_ahead: p.read_ahead.map(|rules| Box::new(ReadAhead::new(rules))),
            partial_writes: p.partial_write.map(PartialWrites::new),
            compression: p.compression.map(Compression::new),
            thermal: p.thermal.map(|heating| Box::new(Thermal::new(heating))),
            housekeeping: (p.scatter.housekeeping)
                .map(|chores| Box::new(Housekeeping::new(chores, seed))),
            map_journal: p.scatter.map_journal.map(MapJournal::new),
            drain: (p.arbitration.policy == ReadPolicy::Drain).then(Drain::default),
        }
    }

    /// The power has failed: what each holds in volatile memory is gone.
    pub(super) fn power_cut(&mut self) {
        if let Some(cache) = &mut self.map_cache {
            cache.power_cut();
        }
        if let Some(ahead) = &mut self.read_ahead {
            ahead.power_cut();
        }
        if let Some(partial_writes) = &mut self.partial_writes {
            partial_writes.power_cut();
        }
        if let Some(compression) = &mut self.compression {
            compression.power_cut();
        }
        if let Some(drain) = &mut self.drain {
            drain.power_cut();
        }
    }
}
