//! What a modelled SSD says of its health: bytes from the host, bytes to the flash, erases.
//!
//! The same questions that smartctl puts to a real drive, answered from the model's own counters.
//! They begin when the drive is made: what a constructed state (`steady-random`, `age=...`) stands
//! for was never written by a host here, and is not counted. The mean number of erases is that of
//! all blocks; a block is one die's share of a superblock. A worn drive says so: the used part of its flash's life is
//! that of the state it was made in, too, its read error rate ([`super::flash::bit_errors`]) falls, and where it is
//! read-only that is a critical warning. Where its heat is modelled it has the temperature of its last command.

use base::health::{ByteCount, Health, Overall};
use base::message::Message;
use base::size::Bytes;

use super::drive::Drive;
use super::flash::layout::PAGE;

impl Drive {
    /// Per cent of its flash's life that is over, where its wear is modelled.
    pub(super) fn used_percent(&self) -> Option<f64> {
        let pool = &self.ftl().pool;
        Some(pool.wear()?.used_percent(pool.slc().policy.fixed))
    }

    pub(super) fn present_health(&self) -> Health {
        let counters = self.counters();
        let geometry = &self.parameters().geometry;
        let blocks = u64::from(geometry.dies) * u64::from(geometry.superblocks);
        let count = |bytes: u64, what: &'static str| {
            Some(ByteCount {
                bytes: Some(Bytes::new(bytes)),
                of: Message::of(what),
            })
        };
        Health {
            source: "model".to_owned(),
            protocol: "model".to_owned(),
            overall: Overall::Passed,
            capacity: Some(self.parameters().capacity),
            host_written: count(counters.host_bytes, "count-host-bytes"),
            nand_written: count(counters.programmed_pages * PAGE, "count-pages"),
            read_error_rate: self.read_error_rate(),
            critical_warnings: if self.ftl().pool.is_read_only() {
                vec![Message::of("health-warning-worn-out")]
            } else {
                Vec::new()
            },
            percentage_used: self.used_percent().map(libm::round),
            percentage_used_of: self
                .used_percent()
                .map(|_| Message::of("health-used-of-model")),
            temperature_celsius: self.last_celsius(),
            mean_erases: Some(counters.erased_blocks as f64 / blocks.max(1) as f64),
            ..Health::default()
        }
    }
}
