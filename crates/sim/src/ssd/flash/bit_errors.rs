//! Bit errors: worn cells are read with more of them, long before they are given up.
//!
//! Each erase and program damages the oxide of a cell a little, so that of the bits of a page more
//! and more are read wrong and have to be corrected. The raw rate grows as a power of the cycles
//! that a block has been through; a block's life is over where the rate comes near to what the code
//! corrects. A drive counts what it corrects, and says it as a normalised attribute: 100 where next
//! to nothing is corrected, falling towards 0 as the mean rate comes near to that of blocks that
//! are given up. So the attribute falls while there still are spare blocks: it warns before the
//! drive turns read-only ([`crate::ssd::ftl::wear`]).
//!
//! Off where there is no section; without `[ssd.wear]` nothing is worn. Source of the form: Mielke
//! et al., "Bit error rate in NAND flash memories" (IRPS 2008), whose curves of MLC of 63 to 72 nm
//! rise by one to two orders of magnitude over the rated cycles. How a maker's firmware computes
//! its attribute is not published: that it is the mean over the blocks in use is an estimate.

use crate::sheet::quantity::Number;
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;
use crate::ssd::ftl::block_pool::State;

parameters! {
    /// How the errors grow.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub BitErrors from BitErrorsConfig ["bit_errors"] {
        /// Rate of new flash, as a share of that at the end of its life.
        new_share "new_share": Number("of a worn block's") in 0.0..=1.0;
        /// Power of the share of its life that is over.
        growth "growth": Number in 0.1..=20.0;
    }
}

impl BitErrors {
    /// The rate where such a share of its life is over, as a share of that at its end.
    pub fn rate(&self, over: f64) -> f64 {
        self.new_share + (1.0 - self.new_share) * libm::pow(over.clamp(0.0, 1.0), self.growth)
    }
}

impl Drive {
    /// The normalised attribute of the read error rate, 100 to 1; `None` if errors or wear are not
    /// modelled.
    pub(in crate::ssd) fn read_error_rate(&self) -> Option<f64> {
        let errors = self.p.bit_errors?;
        let wear = self.ftl.pool.wear()?;
        let blocks = self.ftl.pool.blocks().iter().zip(0..);
        let in_use = blocks.filter(|(block, _)| block.state != State::Unused && !block.slc);
        let rates = in_use.map(|(_, superblock)| errors.rate(wear.share(superblock)));
        let (count, sum) = rates.fold((0_u32, 0.0), |(n, sum), rate| (n + 1, sum + rate));
        let mean = sum / f64::from(count.max(1));
        Some((100.0 - libm::floor(100.0 * mean)).max(1.0))
    }
}
