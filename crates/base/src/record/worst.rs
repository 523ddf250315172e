//! The individual worst I/Os of a job, perceived as stutter: position, time, and what else was in flight.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::io::Op;
use crate::record::Completion;
use crate::size::Bytes;
use crate::time::Duration;

/// Number kept of each job.
pub const WORST_KEPT: usize = 100;

/// The worst I/Os by response time, in no order while they are gathered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Worst {
    ios: Vec<WorstIo>,
    /// The smallest one kept once there are enough of them.
    #[serde(skip)]
    threshold: Duration,
}

/// One of the worst I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorstIo {
    /// What it was.
    pub op: Op,
    /// First byte.
    pub offset: Bytes,
    /// Number of bytes.
    pub len: Bytes,
    /// When it was complete, since the beginning of the phase.
    pub at: Duration,
    /// From handing over to completion.
    pub service: Duration,
    /// What was waited: in an open loop from the intended send.
    pub felt: Duration,
    /// Reads in flight when it was sent, itself not counted.
    pub beside_reads: u16,
    /// Writes, trims and flushes in flight when it was sent, itself not counted.
    pub beside_writes: u16,
}

impl WorstIo {
    pub(crate) fn of(done: &Completion, felt: Duration) -> WorstIo {
        WorstIo {
            op: done.io.op,
            offset: done.io.offset,
            len: done.io.len,
            at: done.at,
            service: done.service,
            felt,
            beside_reads: done.beside_reads,
            beside_writes: done.beside_writes,
        }
    }
}

impl Worst {
    /// Latencies above this are kept.
    #[inline]
    pub(crate) fn threshold(&self) -> Duration {
        self.threshold
    }

    /// Twice as many are gathered before the lesser half is dropped: cheap, and memory is bounded.
    #[cold]
    pub(crate) fn keep(&mut self, io: WorstIo) {
        self.ios.push(io);
        if self.ios.len() >= 2 * WORST_KEPT {
            self.trim();
        }
    }

    fn trim(&mut self) {
        // Among equals the earliest stay, whichever way the records were merged.
        self.ios
            .sort_by_key(|io| (std::cmp::Reverse(io.felt), io.at, io.offset));
        self.ios.truncate(WORST_KEPT);
        if self.ios.len() == WORST_KEPT {
            self.threshold = self.ios.last().map_or(Duration::ZERO, |io| io.felt);
        }
    }

    pub(crate) fn merge(&mut self, other: &Worst, later: Duration) {
        self.ios.extend(other.ios.iter().map(|io| WorstIo {
            at: io.at.saturating_add(later),
            ..*io
        }));
        self.trim();
    }

    /// Done gathering: worst first, at most a hundred.
    pub(crate) fn settle(&mut self) {
        self.trim();
    }

    /// The worst I/Os, worst first once the phase has ended.
    pub fn ios(&self) -> &[WorstIo] {
        &self.ios
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Io;
    use crate::target::Outcome;

    #[test]
    fn the_hundred_worst_are_kept_worst_first() {
        let mut worst = Worst::default();
        for i in 0..10_000_u64 {
            let felt = Duration::from_nanos(i * 7_919 % 10_007);
            let done = Completion {
                io: Io::read(Bytes::new(i), Bytes::kib(4)),
                at: Duration::from_nanos(i),
                service: felt,
                response: None,
                outcome: Outcome::Complete,
                beside_reads: 0,
                beside_writes: 0,
            };
            if felt > worst.threshold() {
                worst.keep(WorstIo::of(&done, felt));
            }
        }
        worst.settle();
        let mut expected: Vec<u64> = (0..10_000_u64).map(|i| i * 7_919 % 10_007).collect();
        expected.sort_unstable_by(|a, b| b.cmp(a));
        let kept: Vec<u64> = worst.ios().iter().map(|io| io.felt.as_nanos()).collect();
        assert_eq!(kept, expected[..100]);
    }
}
