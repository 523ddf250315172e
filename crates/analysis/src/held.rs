//! Which figures are limited by something other than the drive, or by less than all of it: rates within 5 % of the
//! link's, or of the modelled host's processors; writes to a disk that are faster than its media.
//!
//! If a drive is faster than its slot, the slot is measured; if it is faster than the submitting thread, the thread.
//! Such a figure is the same for all fast drives. The limits of link and host are in the target's record. A rate above
//! the link's does not come over it, but from a cache in the host's memory. A disk's platters pass its heads as fast to
//! read as to write, so what it writes faster than it reads anything in order lay in its write cache when the time was
//! taken.

use base::surroundings::LayerKind;
use base::target::LinkRates;
use base::{Better, Duration, Figure, Job, Op, Order, PhaseRecord};
use results::{RunResult, TargetRecord};

use crate::key;
use crate::observer::has_layer;

/// A rate is limited from this share of the limit on, and up to as much above it.
const WITHIN: f64 = 0.05;
/// Reads and writes in order differ by less: by turns of the platters that a request misses.
const ABOVE: f64 = 1.2;
/// A shorter read tells of the seek that it begins with: one of ten is within what [`ABOVE`] allows.
const SEEKS: Duration = Duration::from_millis(100);

/// The limiting component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// The drive's link, or the slot that it is in.
    ByLink,
    /// The processors of the modelled computer.
    ByHost,
    /// Nothing but a disk's write cache: its media are slower.
    ByWriteCache,
}

/// What holds a figure of a result, if not the drive.
pub fn held(figure: &Figure, result: &RunResult) -> Option<Held> {
    // A full cache is slower than the link that fills it.
    if is_above_media(figure, result) {
        return Some(Held::ByWriteCache);
    }
    if is_held_by_link(figure, &result.target) {
        return Some(Held::ByLink);
    }
    is_held_by_host(figure, result).then_some(Held::ByHost)
}

/// Megabytes a second of a rate of bytes.
fn mb_s(figure: &Figure) -> Option<f64> {
    let unit = match figure.unit.as_str() {
        "MB/s" => 1.0,
        "MiB/s" => 1.048_576,
        _ => return None,
    };
    Some(figure.value? * unit)
}

/// True for a rate of reading or writing that the link holds.
fn is_held_by_link(figure: &Figure, target: &TargetRecord) -> bool {
    let carries = |link: LinkRates| match key::direction(&figure.key) {
        Some(Op::Read) => Some(link.read_mb_s),
        Some(Op::Write) => Some(link.write_mb_s),
        _ => None,
    };
    let known = mb_s(figure).zip(target.link.and_then(carries));
    known.is_some_and(|(value, carries)| is_near(value, carries))
}

/// True for a rate at which a disk writes, and which nothing comes near that it reads in order.
fn is_above_media(figure: &Figure, result: &RunResult) -> bool {
    // A virtual disk says that it rotates, whatever it lies on, and writes into the memory of its host.
    let is_disk = result.target.identity.get("rotational").map(String::as_str) == Some("yes")
        && !has_layer(result, &[LayerKind::VirtualDisk]);
    let written = mb_s(figure).filter(|_| key::direction(&figure.key) == Some(Op::Write));
    let (true, Some(written)) = (is_disk, written) else {
        return false;
    };
    let phases_of = |figure: &Figure| {
        let phases = result.phases.iter();
        let of_figure = phases.filter(|phase| figure.phases.contains(&phase.name));
        of_figure.collect::<Vec<&PhaseRecord>>()
    };
    let reads_in_order = |figure: &&Figure| {
        let is_in_order = |job: &Job| job.order == Order::Sequential;
        let mut phases = phases_of(figure).into_iter();
        key::direction(&figure.key) == Some(Op::Read)
            && phases.all(|phase| phase.workload.jobs.iter().all(is_in_order))
    };
    let reads = result.figures.iter().filter(reads_in_order);
    let rates = reads.filter_map(|figure| Some((mb_s(figure)?, figure)));
    let Some((fastest, figure)) = rates.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return false;
    };
    let is_long = phases_of(figure).iter().any(|phase| phase.took >= SEEKS);
    is_long && written > fastest * ABOVE
}

/// True for a rate of bytes or of I/Os one of whose phases had as many I/Os a second as the host lets through.
fn is_held_by_host(figure: &Figure, result: &RunResult) -> bool {
    let Some(host) = result.target.host else {
        return false;
    };
    let is_a_rate = figure.value.is_some_and(|value| value > 0.0)
        && figure.better == Better::Higher
        && (figure.unit == "IOPS" || mb_s(figure).is_some());
    let is_at_the_limit = |phase: &PhaseRecord| {
        let threads: u32 = phase.workload.jobs.iter().map(|job| job.streams).sum();
        let limit = host.thread_iops * f64::from(threads.clamp(1, host.threads.max(1)));
        phase.iops().is_some_and(|iops| is_near(iops, limit))
    };
    let of_figure = |phase: &&PhaseRecord| figure.phases.contains(&phase.name);
    is_a_rate && result.phases.iter().filter(of_figure).any(is_at_the_limit)
}

fn is_near(value: f64, limit: f64) -> bool {
    (value / limit - 1.0).abs() <= WITHIN
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::target::HostRates;
    use fixtures::results as sample;

    #[test]
    fn a_rate_near_what_the_link_carries_in_its_direction_is_held_by_it() {
        let mut result = sample::review()[0].clone();
        result.target.link = Some(LinkRates {
            read_mb_s: 558.0,
            write_mb_s: 31.0,
        });
        let is_held = |key: &str, unit: &str, value: f64| {
            let figure = Figure {
                key: key.to_owned(),
                unit: unit.to_owned(),
                value: Some(value),
                ..result.figures[0].clone()
            };
            held(&figure, &result) == Some(Held::ByLink)
        };
        assert!(is_held("seq1m-q8t1.read", "MB/s", 540.0));
        assert!(is_held("seq1m-q8t1.read", "MiB/s", 520.0));
        assert!(is_held("seq.write", "MB/s", 30.0));
        assert!(!is_held("seq1m-q8t1.read", "MB/s", 500.0));
        // Out of the host's memory.
        assert!(!is_held("seq1m-q8t1.read", "MB/s", 3_000.0));
        assert!(!is_held("seq.write", "MB/s", 540.0));
        assert!(!is_held("rnd4k.read", "IOPS", 558.0));
    }

    #[test]
    fn a_disk_that_writes_faster_than_it_reads_anything_in_order_writes_into_its_cache() {
        let mut result = sample::review()[0].clone();
        let rates = |op| {
            let of = move |figure: &&Figure| key::direction(&figure.key) == Some(op);
            let figures = result.figures.iter().filter(of);
            figures.filter(|figure| mb_s(figure).is_some())
        };
        let write = rates(Op::Write).next().unwrap().clone();
        let read = rates(Op::Read).filter_map(mb_s).fold(0.0, f64::max);
        let at = |factor: f64| Figure {
            value: Some(read * factor),
            ..write.clone()
        };
        (result.target.link, result.target.host) = (None, None);
        result.target.beneath.clear();
        let says = |is: &str| ("rotational".to_owned(), is.to_owned());
        result.target.identity.extend([says("no")]);
        assert_eq!(held(&at(1.5), &result), None);
        result.target.identity.extend([says("yes")]);
        assert_eq!(held(&at(1.5), &result), Some(Held::ByWriteCache));
        assert_eq!(held(&at(1.1), &result), None);
        let carried = LinkRates {
            read_mb_s: read * 1.5,
            write_mb_s: read * 1.5,
        };
        let mut at_the_link = result.clone();
        at_the_link.target.link = Some(carried);
        assert_eq!(held(&at(1.5), &at_the_link), Some(Held::ByWriteCache));
        let mut at_random = result.clone();
        let jobs = at_random
            .phases
            .iter_mut()
            .flat_map(|phase| &mut phase.workload.jobs);
        jobs.for_each(|job| job.order = Order::Random);
        assert_eq!(
            held(&at(1.5), &at_random),
            None,
            "seeks tell nothing of the media"
        );
        let (kind, name) = (LayerKind::VirtualDisk, "vda".to_owned());
        result.target.beneath = vec![base::surroundings::Layer { kind, name }];
        assert_eq!(held(&at(1.5), &result), None);
    }

    #[test]
    fn a_rate_of_as_many_ios_as_the_hosts_threads_can_send_is_held_by_the_host() {
        let mut result = sample::review()[0].clone();
        let named = |figure: &&Figure| {
            figure.better == Better::Higher && figure.unit == "MB/s" && !figure.phases.is_empty()
        };
        let figure = result.figures.iter().find(named).unwrap().clone();
        let phase = result
            .phases
            .iter()
            .find(|p| figure.phases.contains(&p.name))
            .unwrap();
        let iops = phase.iops().unwrap();
        let threads: u32 = phase.workload.jobs.iter().map(|job| job.streams).sum();
        let mut with = |thread_iops: f64| {
            let threads = 64;
            result.target.host = Some(HostRates {
                thread_iops,
                threads,
            });
            result
                .phases
                .retain(|p| figure.phases[0] == p.name || !figure.phases.contains(&p.name));
            held(&figure, &result)
        };
        assert_eq!(with(iops / f64::from(threads)), Some(Held::ByHost));
        assert_eq!(with(1.2 * iops / f64::from(threads)), None);
    }
}
