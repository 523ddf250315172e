//! Zones of catalogued drives: a drive whose file has a section `zoned` is put behind them, and its outline says so.
//!
//! The capacity that a file gives is what can be written; where zones hold less than their length, addresses reach
//! further.

use base::target::Info;

use super::{CatalogueError, Head, ModelOptions, Parts};
use crate::model::Model;
use crate::outline::Outline;
use crate::zoned::table::ZoneTable;
use crate::zoned::{ZonedDrive, Zones};
use base::state::Written;

impl Parts<'_> {
    /// Its zones; nothing for a drive that is written anywhere.
    pub(super) fn zones(&self) -> Option<Zones> {
        match self {
            Parts::Ssd(config) => config.zones(),
            Parts::Hdd(config) => config.zones(),
            Parts::BlockMapped(_) | Parts::RamDrive(_) | Parts::XPoint(_) => None,
        }
    }

    /// The drive behind its zones, where it has any.
    pub(super) fn in_zones<M: Model + 'static>(
        &self,
        drive: M,
        options: &ModelOptions,
    ) -> Box<dyn Model> {
        match self.zones() {
            None => Box::new(drive),
            Some(zones) => {
                let full = options.state.written != Written::Fresh;
                Box::new(ZonedDrive::new(drive, zones, full))
            }
        }
    }

    /// What the drive will say of itself; refuses what [`Parts::build`] refuses.
    pub(super) fn info(&self, head: &Head, options: &ModelOptions) -> Result<Info, CatalogueError> {
        let written_anywhere = self.info_without_zones(head, options)?;
        Ok(match self.zones() {
            None => written_anywhere,
            Some(zones) => zones.info(written_anywhere),
        })
    }

    /// The drive's outline, with its zones.
    pub(super) fn outline(
        &self,
        head: &Head,
        options: &ModelOptions,
    ) -> Result<Outline, CatalogueError> {
        let zones = self.zones();
        let rules = zones.map(|zones| zones.rules(head.capacity()));
        let table = rules.map(|rules| ZoneTable::new(rules, false));
        Ok(Outline::new(self.info(head, options)?).with_zones(table))
    }
}
