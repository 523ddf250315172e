//! A phase on a real drive: one ring a thread.
//!
//! One ring carries about a million I/Os per second, which the fastest drives exceed. A workload of several streams
//! that is limited by time alone is therefore distributed over as many threads as there are processors, each with its
//! own ring, and the records are merged, which is exact. Everything else runs on one ring, in the method's thread.

use std::sync::atomic::{AtomicU64, Ordering};

use base::bench::Stopped;
use base::record::PhaseRecord;
use base::run::{Live, Part, PhaseInput, Share, Verdict, Watcher, run_phase, shares_of};
use base::size::Bytes;
use base::time::Duration;
use base::workload::Workload;

use base::interrupt::Interrupt;
use targets::RealDrive;

use super::stopped;

/// Progress of the additional rings, for the progress line.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    ios: AtomicU64,
    bytes: AtomicU64,
}

impl Beside {
    /// I/Os and bytes so far.
    pub(crate) fn so_far(&self) -> (u64, Bytes) {
        (
            self.ios.load(Ordering::Relaxed),
            Bytes::new(self.bytes.load(Ordering::Relaxed)),
        )
    }
}

/// Runs streams, on several rings where that gives the same phase.
///
/// # Errors
/// Where the drive cannot be opened, or the workload does not fit it.
pub(super) fn run(
    real: &RealDrive,
    name: &str,
    work: &Workload,
    part: Part,
    watcher: &mut dyn Watcher,
    (interrupt, beside): (&Interrupt, &Beside),
) -> Result<PhaseRecord, Stopped> {
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    let of = shares_of(work, processors);
    let ring = |share: Option<Share>, watcher: &mut dyn Watcher| {
        let opened = real.target_for(work);
        let mut target = opened.map_err(|why| Stopped::Failed(why.to_string()))?;
        let input = PhaseInput::Streams(work, Part { share, ..part });
        run_phase(&mut target, name, input, watcher).map_err(|why| stopped(name, why))
    };
    if of == 1 {
        return ring(None, watcher);
    }
    let ring = &ring;
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..of)
            .map(|index| {
                scope.spawn(move || {
                    let mut watcher = Counting {
                        interrupt,
                        beside,
                        ios: 0,
                        bytes: Bytes::ZERO,
                    };
                    ring(Some(Share { index, of }), &mut watcher)
                })
            })
            .collect();
        let mut whole = ring(Some(Share { index: 0, of }), watcher)?;
        for other in others {
            match other.join() {
                Ok(share) => whole.merge_share(&share?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(whole)
    })
}

/// Watches a ring that is not displayed itself: counts for the displayed one, and receives the interrupt.
struct Counting<'a> {
    interrupt: &'a Interrupt,
    beside: &'a Beside,
    ios: u64,
    bytes: Bytes,
}

impl Watcher for Counting<'_> {
    fn every(&self) -> Duration {
        Duration::from_millis(100)
    }

    fn look(&mut self, live: &Live<'_>) -> Verdict {
        let (ios, bytes) = (live.record.ios(), live.record.bytes());
        self.beside.ios.fetch_add(ios - self.ios, Ordering::Relaxed);
        self.beside
            .bytes
            .fetch_add((bytes - self.bytes).get(), Ordering::Relaxed);
        (self.ios, self.bytes) = (ios, bytes);
        if self.interrupt.wanted() {
            Verdict::Stop
        } else {
            Verdict::Continue
        }
    }

    fn wants_to_stop(&self) -> bool {
        self.interrupt.wanted()
    }
}
