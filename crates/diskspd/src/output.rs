//! DiskSpd's output, as text and as XML: the layout of DiskSpd 2.2, so that whatever reads that reads this.
//!
//! MiB are 2^20 bytes and times are in milliseconds, as in the original. A modelled drive uses no processor; the name
//! of the computer is not printed.

use crate::kept::{Kept, Side};
use crate::processors::Usage;
use crate::profile::Profile;
use crate::running::Ran;

mod document;
mod text;

pub use document::document;
pub use text::{profile_text, text};

/// The output's description of its environment.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// What ran: the version of drivelab.
    pub program: String,
    /// When it began: `2026/11/23 10:59:20 UTC`.
    pub began: String,
    pub processors: usize,
}

/// Names and values of the percentiles.
const PERCENTILES: [(f64, &str); 13] = [
    (25.0, "25th"),
    (50.0, "50th"),
    (75.0, "75th"),
    (90.0, "90th"),
    (95.0, "95th"),
    (99.0, "99th"),
    (99.9, "3-nines"),
    (99.99, "4-nines"),
    (99.999, "5-nines"),
    (99.9999, "6-nines"),
    (99.99999, "7-nines"),
    (99.999999, "8-nines"),
    (99.9999999, "9-nines"),
];

/// Which I/Os a table is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Total,
    Read,
    Write,
}

impl Which {
    fn of(self, kept: &Kept) -> Side {
        match self {
            Which::Total => kept.total(),
            Which::Read => kept.reads.clone(),
            Which::Write => kept.writes.clone(),
        }
    }

    /// Of all threads together.
    fn of_all(self, ran: &Ran) -> Side {
        let mut all = Side::default();
        ran.threads
            .iter()
            .for_each(|kept| all.merge(&self.of(kept)));
        all
    }
}

/// The percentile of the latencies, in milliseconds.
fn percentile(side: &Side, percent: f64) -> f64 {
    side.latencies
        .nearest_rank(percent)
        .map_or(0.0, |latency| latency.as_millis_f64())
}

/// Of all processors; where none took part, none was busy.
fn mean(usage: &[Usage]) -> Usage {
    let sum = |what: fn(&Usage) -> f64| usage.iter().map(what).sum::<f64>();
    let count = usage.len().max(1) as f64;
    match usage.is_empty() {
        true => Usage {
            user: 0.0,
            kernel: 0.0,
            idle: 100.0,
        },
        false => Usage {
            user: sum(|one| one.user) / count,
            kernel: sum(|one| one.kernel) / count,
            idle: sum(|one| one.idle) / count,
        },
    }
}

/// The output in the profile's format.
pub fn output(profile: &Profile, ran: &[Ran], machine: &Machine) -> String {
    match profile.as_xml {
        true => document(profile, ran, machine),
        false => text(profile, ran, machine),
    }
}
