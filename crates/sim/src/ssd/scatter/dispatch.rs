//! Dispatch: when the firmware gets round to a command.
//!
//! A controller's core runs a loop over its queues: commands that came, transfers that ended, dies
//! that are ready, timers. A command that comes to an idle drive finds the loop somewhere, and waits
//! until it comes round; then its handling walks tables (a chain of the hash of cached map lines,
//! entries that the core's cache does not hold, a list of descriptors), each walk some steps longer
//! or shorter. Waits of independent steps, each as likely to be the last, are exponential: half of
//! all commands wait for less than 0.7 of the mean, one in a hundred for more than 4.6 of it. Where
//! commands queue, the loop goes from one to the next without a rest: their spacing is the
//! controller's interval, and does not scatter.
//!
//! The wait is a part of the controller's latency, so its mean stays. The share is fitted to lone
//! writes into a buffer that is never full, which have no other reason to differ: on the Intel
//! D3-S4610 their 99th percentile is 27 % above the median (crates/accuracy/data/responses).

use base::time::{Duration, Instant};

use crate::sheet::quantity::PerMille;
use crate::sheet::table::parameters;

/// Waits are kept for so many equally likely classes.
const CLASSES: usize = 1_024;

parameters! {
    /// How long a command waits for the firmware.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Dispatching from DispatchConfig ["scatter.dispatch"] {
        /// The mean wait, as a part of the controller's latency.
        wait "wait_share": PerMille("of the controller's latency") in 0.0..=1.0;
    }
}

/// Draws the waits of one drive's commands.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct Dispatch {
    seed: u64,
    drawn: u64,
    /// By class: the wait less its mean, in millionths of the controller's latency.
    beyond: Box<[i32; CLASSES]>,
    /// When the last read and the last write were handed on: those of a kind keep their order, and
    /// no write overtakes a read.
    last: [Instant; 2],
}

impl Dispatch {
    pub(in crate::ssd) fn new(rules: Dispatching, seed: u64) -> Dispatch {
        let mean = f64::from(rules.wait) * 1e3;
        let quantile = |class: usize| -libm::log(1.0 - (class as f64 + 0.5) / CLASSES as f64);
        // The classes' own mean, which the end that they cut off makes a little less than one.
        let own = (0..CLASSES).map(quantile).sum::<f64>() / CLASSES as f64;
        let beyond = |class| libm::round(mean * (quantile(class) / own - 1.0)) as i32;
        Dispatch {
            seed: base::rng::splitmix64(seed ^ 0xd15b),
            drawn: 0,
            beyond: Box::new(std::array::from_fn(beyond)),
            last: [Instant::ZERO; 2],
        }
    }

    /// The latency of a command that finds the controller idle, or not.
    #[inline]
    pub(in crate::ssd) fn latency(&mut self, mean: Duration, idle: bool) -> Duration {
        if !idle {
            return mean;
        }
        self.drawn += 1;
        let draw = base::rng::splitmix64(self.seed.wrapping_add(self.drawn));
        let beyond = i64::from(self.beyond[draw as usize % CLASSES]);
        let mean = mean.as_nanos() as i64;
        Duration::from_nanos((mean + mean * beyond / 1_000_000).max(0) as u64)
    }

    /// A read that is ready at a time is handed on then, or after those before it.
    #[inline]
    pub(in crate::ssd) fn read(&mut self, ready: Instant) -> Instant {
        self.last[0] = self.last[0].max(ready);
        self.last[0]
    }

    /// The same of a write, after all reads before it where these are not slower anyway.
    #[inline]
    pub(in crate::ssd) fn write(&mut self, ready: Instant, behind_reads: bool) -> Instant {
        let reads = if behind_reads {
            self.last[0]
        } else {
            Instant::ZERO
        };
        self.last[1] = self.last[1].max(ready).max(reads);
        self.last[1]
    }

    /// The power has failed: nothing is to be handed on any more.
    pub(in crate::ssd) fn power_cut(&mut self) {
        self.last = [Instant::ZERO; 2];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATENCY: Duration = Duration::from_micros(20);

    fn sorted(share: u32) -> Vec<f64> {
        let mut dispatch = Dispatch::new(Dispatching { wait: share }, 3);
        let mut times: Vec<f64> = (0..100_000)
            .map(|_| dispatch.latency(LATENCY, true).as_nanos() as f64 / 20_000.0)
            .collect();
        times.sort_by(f64::total_cmp);
        times
    }

    #[test]
    fn waits_are_exponential_and_keep_the_mean() {
        let times = sorted(200);
        let mean = times.iter().sum::<f64>() / 1e5;
        assert!((mean - 1.0).abs() < 0.003, "{mean}");
        // 1 - 0.2 + 0.2 ln 2, ln 100 and ln 500.
        for (place, wanted) in [(50_000, 0.9386), (99_000, 1.721), (99_800, 2.0429)] {
            let got = times[place];
            assert!((got / wanted - 1.0).abs() < 0.03, "{place}: {got}");
        }
    }

    #[test]
    fn commands_that_queue_and_a_share_of_zero_do_not_scatter() {
        let mut dispatch = Dispatch::new(Dispatching { wait: 300 }, 3);
        assert!((0..1_000).all(|_| dispatch.latency(LATENCY, false) == LATENCY));
        assert!(sorted(0).iter().all(|&time| (time - 1.0).abs() < 1e-9));
    }

    #[test]
    fn reads_keep_their_order_and_writes_come_after_the_reads_before_them() {
        let at = Instant::from_nanos;
        let mut dispatch = Dispatch::new(Dispatching { wait: 300 }, 3);
        assert_eq!(dispatch.read(at(50)), at(50));
        assert_eq!(dispatch.read(at(40)), at(50));
        assert_eq!(dispatch.write(at(45), false), at(45));
        assert_eq!(dispatch.write(at(45), true), at(50));
        // A read may overtake a write, which takes longer.
        assert_eq!(dispatch.write(at(90), true), at(90));
        assert_eq!(dispatch.read(at(60)), at(60));
    }
}
