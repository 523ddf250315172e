//! Static wear levelling: data that nobody overwrites make way, so that their blocks are worn, too.
//!
//! Superblocks are opened in the order in which they were freed, which spreads erases over all that is
//! overwritten (*dynamic* levelling). Under data that stay where they are blocks keep their youth, and the
//! others wear out so much earlier: with half of a drive cold, in half the time. Firmware therefore looks
//! at the *spread*, how many erases the most worn superblock is ahead of the least worn one that holds
//! data, and where that passes a limit it moves these data (`cold_data`) to the most worn free
//! superblock and gives theirs to the host. Open simulators and products use limits of 50 to 1,000 erases
//! (MQSim's default is 100: `src/exec/Device_Parameter_Set.cpp`, static wear levelling threshold). What is
//! moved costs writes of its own, at most a stated share of the host's: that bounds write amplification and
//! the time that reads wait for it.
//!
//! It counts erases, so it needs a section `[ssd.wear]`; a drive without one has nothing to level.

use crate::sheet::quantity::{Count, Number};
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;

parameters! {
    /// When wear is levelled, and how fast.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub Levelling from WearLevellingConfig ["wear_levelling"] {
        /// Erases that the most worn superblock may be ahead of the least worn one that holds data.
        spread "spread": Count("erases") in 1..=100_000;
        /// Pages that are moved for each page of the host's, at most.
        share "share": Number("of the host's writes") in 0.001..=1.0;
    }
}

/// What is owed to wear levelling.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct WearLevelling {
    rules: Levelling,
    /// Pages that may be moved.
    pages: f64,
    /// Superblocks that had been opened when the spread was looked at last.
    looked_at: u32,
}

impl WearLevelling {
    pub(in crate::ssd) fn new(rules: Levelling) -> WearLevelling {
        WearLevelling {
            rules,
            pages: 0.0,
            looked_at: 0,
        }
    }

    /// The host wrote pages: gives the units that may be moved for it.
    fn wrote(&mut self, pages: u32, unit: u32) -> u32 {
        self.pages += f64::from(pages) * self.rules.share;
        let units = (self.pages / f64::from(unit)) as u32;
        self.pages -= f64::from(units * unit);
        units
    }
}

impl Drive {
    /// The host wrote pages: wear is levelled a little further, and where a superblock was opened since,
    /// the spread is looked at again.
    #[inline]
    pub(in crate::ssd) fn level_wear(&mut self, pages: u32) {
        if self.mechanisms.wear_levelling.is_some() {
            self.level_further(pages);
        }
    }

    fn level_further(&mut self, pages: u32) {
        let unit = self.ftl.layout.geometry().unit_pages();
        let busy = self.ftl.relocator.cold.is_some() || self.ftl.relocator.cold_data.waits();
        let Some(levelling) = &mut self.mechanisms.wear_levelling else {
            return;
        };
        let units = levelling.wrote(pages, unit);
        let opened = self.ftl.pool.opened();
        let look = !busy && std::mem::replace(&mut levelling.looked_at, opened) != opened;
        let most = levelling.rules.spread;
        if busy {
            self.ftl.relocator.cold_data.give_turns(units);
        }
        if look
            && let Some((youngest, spread)) = self.ftl.pool.youngest()
            && spread > most
        {
            self.ftl.relocator.cold_data.name(youngest);
        }
    }
}
