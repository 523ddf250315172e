//! Scatter: why two equal commands do not take the same time.
//!
//! Flash cells, their errors and the firmware's own work make a drive's times a distribution. Each
//! mechanism is one file with its rules and its section of a drive's file (`[ssd.scatter.*]`), and
//! one line here: [`cells`] (reads, programs and erases vary about their mean), [`read_retry`] (a
//! page with more errors is decoded longer, and read again with other voltages), [`dispatch`] (a
//! command waits until the firmware gets round to it), [`housekeeping`] (the firmware is busy now and
//! then), [`map_journal`] (changes of the map are saved in flash). All draws come from the drive's
//! seed. A section that is left out, or whose spreads are zero, leaves every time as it is.

use serde::Deserialize;

use crate::sheet::Section;

pub mod cells;
pub mod dispatch;
pub mod housekeeping;
pub mod map_journal;
pub mod read_retry;

macro_rules! mechanisms {
    ($($(#[$doc:meta])* $name:ident: $plain:ty, $config:ty;)*) => {
        /// What scatters in a drive, as plain numbers; nothing where a drive's file says nothing.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Scatter {
            $($(#[$doc])* pub $name: Option<$plain>,)*
        }

        /// The sections of a drive's file that make a [`Scatter`].
        #[derive(Clone, Debug, Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct ScatterConfig {
            $($name: Option<$config>,)*
        }

        impl ScatterConfig {
            /// Every value with its unit, source and allowed range.
            pub fn sections(&self) -> Vec<Section> {
                let sections = [$(self.$name.as_ref().map(<$config>::section),)*];
                sections.into_iter().flatten().collect()
            }

            /// The plain numbers.
            pub fn parameters(&self) -> Scatter {
                Scatter {
                    $($name: self.$name.as_ref().map(<$config>::parameters),)*
                }
            }
        }
    };
}

mechanisms! {
    /// Times of flash operations about their mean.
    cells: cells::CellSpread, cells::CellsConfig;
    /// Decoding, and reading again with other voltages.
    read_retry: read_retry::RetryRules, read_retry::ReadRetryConfig;
    /// When the firmware gets round to a command.
    dispatch: dispatch::Dispatching, dispatch::DispatchConfig;
    /// The firmware's own periodic work.
    housekeeping: housekeeping::Chores, housekeeping::HousekeepingConfig;
    /// Changes of the map that are saved in flash.
    map_journal: map_journal::Journaling, map_journal::MapJournalConfig;
}

/// A standard normal draw from 64 random bits, in thousandths: the sum of four uniform ones, which
/// has no tail beyond 3.46 and needs no logarithm.
#[inline]
pub(super) const fn normal_thousandths(bits: u64) -> i64 {
    let sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    // The sum has the mean 2 * 65,535 and the deviation 65,536 / sqrt(3) = 37,837.
    (sum as i64 - 131_070) * 1_000 / 37_837
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_draws_have_mean_zero_and_deviation_one() {
        let draws = (0..100_000).map(|i| normal_thousandths(base::rng::splitmix64(i)) as f64 / 1e3);
        let (sum, squares) = draws.fold((0.0, 0.0), |(s, q), z| (s + z, q + z * z));
        let (mean, deviation) = (sum / 1e5, f64::sqrt(squares / 1e5));
        assert!(mean.abs() < 0.01, "{mean}");
        assert!((deviation - 1.0).abs() < 0.01, "{deviation}");
    }
}
