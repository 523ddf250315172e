//! Random writes that come more slowly than the drive could take them: collection shows all the same, in
//! the slowest of them.

use super::back_pressure::cut_down;
use super::*;
use crate::catalogue::{ModelOptions, open_ssd};
use base::io::Io;
use base::target::Tag;

/// Writes of 4 KiB each, after as many that are not looked at.
const WRITES: usize = 40_000;

/// Where the writes of a load lie in time, and how many may be in flight.
#[derive(Clone, Copy)]
enum Load {
    /// As many at once as the queue takes.
    Saturated,
    /// One each so many nanoseconds in the mean, at random (a Poisson process).
    Every(u64),
}

/// Writes at random; gives the mean time from one to the next in nanoseconds, and all latencies in order.
/// A write that finds the queue full waits, and its latency counts from when it came.
fn written(p: Parameters, state: &str, load: Load) -> (u64, Vec<Duration>) {
    let mut drive = in_state(p, state);
    let pages = drive.info().capacity.get() / PAGE;
    let mut rng = base::rng::Rng::stream(5, 6);
    let depth = 32.min(drive.info().max_in_flight);
    let mut came = [Instant::ZERO; 32];
    let mut free: Vec<u32> = (0..depth).collect();
    let (mut latencies, mut done) = (Vec::new(), Vec::new());
    let (mut due, mut began) = (drive.now(), drive.now());
    while latencies.len() < 2 * WRITES {
        let coming = matches!(load, Load::Saturated) || due <= drive.now();
        if coming && let Some(tag) = free.pop() {
            came[tag as usize] = match load {
                Load::Saturated => drive.now(),
                Load::Every(_) => due,
            };
            let at = Bytes::new(rng.below(pages) * PAGE);
            drive
                .submit(Tag(tag), &Io::write(at, Bytes::new(PAGE), 1))
                .unwrap();
            if let Load::Every(mean) = load {
                let share = (rng.below(1 << 30) + 1) as f64 / (1_u64 << 30) as f64;
                due += Duration::from_nanos((-libm::log(share) * mean as f64) as u64);
            }
            continue;
        }
        let until = (!coming).then_some(due);
        drive.wait(until, &mut done);
        for done in done.drain(..) {
            if latencies.len() == WRITES {
                began = done.at;
            }
            latencies.push(done.at.since(came[done.tag.0 as usize]));
            free.push(done.tag.0);
        }
    }
    let each = drive.now().since(began).as_nanos() / WRITES as u64;
    let mut latencies = latencies.split_off(WRITES);
    latencies.sort_unstable();
    (each, latencies)
}

/// A tail is told from the bulk by ten times its median.
const WELL_OVER: u64 = 10;

#[test]
fn collection_shows_in_the_slowest_writes_below_saturation() {
    // Drives of four controllers. Those that take small writes into 32 MiB of DRAM and write them out slowly
    // (the 840 and its kin) hide it.
    for slug in [
        "samsung-970-evo-plus-1tb",
        "wd-black-sn770-1tb",
        "intel-x25-m-g2-80gb",
        "ocz-vertex-2-50gb",
    ] {
        let drive = open_ssd(slug, &ModelOptions::default()).unwrap();
        let p = cut_down(drive.parameters());
        let (each, _) = written(p.clone(), "steady-random,idle=0s", Load::Saturated);
        // Nine tenths of the rate.
        let load = Load::Every(each * 10 / 9);
        let (_, collecting) = written(p.clone(), "steady-random,idle=0s", load);
        let (_, empty) = written(p, "fresh", load);
        let at = |all: &[Duration], per_mille: usize| all[all.len() * per_mille / 1_000];
        let (median, slow) = (at(&collecting, 500), at(&collecting, 999));
        assert!(slow > median * WELL_OVER, "{slug}: {slow:?} and {median:?}");
        assert!(
            slow > at(&empty, 999) * 5,
            "{slug}: {slow:?} and {:?} where nothing is collected",
            at(&empty, 999)
        );
        assert!(
            median < at(&empty, 500) * 2,
            "{slug}: {median:?} is no queue's"
        );
    }
}
