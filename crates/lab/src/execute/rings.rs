//! A phase on a real drive: one ring a thread.
//!
//! One ring carries about a million I/Os per second, which the fastest drives exceed. A workload of several streams
//! that is limited by time alone is therefore distributed over as many threads as there are processors, each with its
//! own ring, and the records are merged, which is exact. So are the jobs of another program's file that have nothing to
//! do with each other, which decides the crate of its language ([`Jobs::shares`]). Everything else runs on one ring, in
//! the method's thread.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use base::run::{Jobs, Live, Part, PhaseInput, Share, Verdict, Watcher, run_phase, shares_of};
use base::{Bytes, Duration, Interrupt, PhaseRecord, Stopped, Target, Workload};

use targets::RealDrive;

use super::stopped;

/// Progress of the additional rings, for the progress line.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    ios: AtomicU64,
    bytes: AtomicU64,
    /// The displayed ring could not run, so that the others need not.
    in_vain: AtomicBool,
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

/// Who hears of an interrupt, and where the additional rings' progress is counted.
pub(crate) type Others<'a> = (&'a Interrupt, &'a Beside);

fn processors() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u32)
}

fn opened(real: &RealDrive, work: &Workload) -> Result<Box<dyn Target>, Stopped> {
    let opened = real.target_for(work);
    opened.map_err(|why| Stopped::Failed(why.to_string()))
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
    others: Others<'_>,
) -> Result<PhaseRecord, Stopped> {
    let ring = |share: Option<Share>, watcher: &mut dyn Watcher| {
        let mut target = opened(real, work)?;
        let input = PhaseInput::Streams(work, Part { share, ..part });
        run_phase(&mut target, name, input, watcher).map_err(|why| stopped(name, why))
    };
    side_by_side(shares_of(work, processors()), &ring, watcher, others)
}

/// Runs the jobs of another program's file, on several rings where that gives the same phases.
///
/// # Errors
/// As [`run`].
pub(super) fn run_jobs(
    real: &RealDrive,
    jobs: &dyn Jobs,
    watcher: &mut dyn Watcher,
    others: Others<'_>,
) -> Result<PhaseRecord, Stopped> {
    let ring = |share: Option<Share>, watcher: &mut dyn Watcher| {
        let mut target = opened(real, &jobs.workload(share))?;
        jobs.run(share, target.as_mut(), watcher)
            .map_err(Stopped::Failed)
    };
    side_by_side(jobs.shares(processors()), &ring, watcher, others)
}

/// Runs all of a phase, or one ring's share of it.
type Ring<'a> = dyn Fn(Option<Share>, &mut dyn Watcher) -> Result<PhaseRecord, Stopped> + Sync + 'a;

/// Runs `of` rings at once, the first of them in this thread, and merges their records.
fn side_by_side(
    of: u32,
    ring: &Ring<'_>,
    watcher: &mut dyn Watcher,
    (interrupt, beside): Others<'_>,
) -> Result<PhaseRecord, Stopped> {
    if of <= 1 {
        return ring(None, watcher);
    }
    let (here, ended) = (std::thread::current(), AtomicU32::new(1));
    std::thread::scope(|scope| {
        let start = |index| {
            let (here, ended) = (here.clone(), &ended);
            scope.spawn(move || {
                let mut watcher = Counting {
                    interrupt,
                    beside,
                    ios: 0,
                    bytes: Bytes::ZERO,
                };
                let ran = ring(Some(Share { index, of }), &mut watcher);
                ended.fetch_add(1, Ordering::Release);
                here.unpark();
                ran
            })
        };
        let others: Vec<_> = (1..of).map(start).collect();
        let first = ring(Some(Share { index: 0, of }), watcher);
        beside.in_vain.store(first.is_err(), Ordering::Relaxed);
        let mut whole = first?;
        // One that panicked has not counted itself.
        let are_over = || {
            ended.load(Ordering::Acquire) == of || others.iter().all(|other| other.is_finished())
        };
        show_until(are_over, &whole, watcher);
        for other in others {
            match other.join() {
                Ok(share) => whole.merge_share(&share?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(whole)
    })
}

/// Jobs of a file need not end together: shows those that still run after the displayed ring has ended.
fn show_until(is_over: impl Fn() -> bool, record: &PhaseRecord, watcher: &mut dyn Watcher) {
    let every = std::time::Duration::from_nanos(watcher.every().as_nanos());
    let mut so_far = record.clone();
    while !is_over() {
        std::thread::park_timeout(every);
        so_far.took += watcher.every();
        watcher.look(&Live {
            record: &so_far,
            in_flight: 0,
            quiet: Duration::ZERO,
        });
    }
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
        match self.wants_to_stop() {
            true => Verdict::Stop,
            false => Verdict::Continue,
        }
    }

    fn wants_to_stop(&self) -> bool {
        self.interrupt.wanted() || self.beside.in_vain.load(Ordering::Relaxed)
    }
}
