//! How much of a response can be the host's?
//!
//! A drive does not say when a command reached it. But what the computer needs (submitting, interrupt, waking the program),
//! what the link needs and what the controller needs for any command is in every response, also in that of a read which the
//! drive has ready. So they take no more together than the shortest response to a lone read, and what a read somewhere takes
//! beyond that is the medium's. No phase of its own is needed for it: the shortest ones are looked for in all phases that
//! send single reads. It is a bound. Of a drive that has nothing ready the shortest read comes from the medium, too. What a
//! cache in front of the drive has ready never went over the link: then nothing is said.

use base::{Op, PhaseRecord};

use crate::probe::Probe;
use crate::question::{Found, Known};

/// The shortest of a phase are read off at this percentile: a single one may be a mistake of the clock.
const SHORTEST: f64 = 1.0;
/// Of fewer reads, that would be a single one.
const FEW: u64 = 100;

/// The shortest lone reads so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Floor {
    /// In us, with the phase that has them and its reads.
    shortest: Option<(f64, String, u64)>,
}

impl Floor {
    /// Looks at a phase that sends one I/O at a time.
    pub(crate) fn look(&mut self, record: &PhaseRecord) {
        let depth: u32 = record.workload.jobs.iter().map(|job| job.depth()).sum();
        for job in record.jobs.iter().filter(|_| depth == 1) {
            let reads = &job.ops[Op::Read as usize];
            let shortest = reads.felt().percentile(SHORTEST);
            let Some(shortest) = shortest.filter(|_| reads.ios >= FEW) else {
                continue;
            };
            let shortest = shortest.as_secs_f64() * 1e6;
            if (self.shortest.as_ref()).is_none_or(|(known, ..)| shortest < *known) {
                self.shortest = Some((shortest, record.name.clone(), reads.ios));
            }
        }
    }

    /// What came of it; nothing where no phase sent enough reads one at a time, or not all of them to the drive.
    pub(crate) fn found(self, mut probe: Probe<'_>, known: &Known) -> Found {
        let mut found = Found::default();
        let Some((shortest, phase, reads)) = self.shortest.filter(|_| !known.is_behind_a_cache)
        else {
            return found;
        };
        (probe.phases, probe.ios) = (vec![phase], reads);
        found.add(&probe, "at-most", "us", Ok((shortest, None)));
        found
    }
}

#[cfg(test)]
mod tests {
    use base::null::Null;
    use base::run::{Unwatched, run};
    use base::size::Bytes;
    use base::time::Duration;
    use base::workload::{Job, Order, Span, Stop, Workload};

    use super::*;

    fn reads(service_us: u64, depth: u32, ios: u64) -> PhaseRecord {
        let mut null = Null::new(Bytes::gib(1), Duration::from_micros(service_us));
        let (span, access) = (Span::first(Bytes::gib(1)), Bytes::kib(4));
        let job = Job::closed("reads", Op::Read, Order::Random, span, access, depth);
        let stop = Stop::after_ios(ios);
        let name = format!("{service_us} us");
        let work = Workload::single(job, stop, 1);
        run(&mut null, &name, &work, &mut Unwatched).unwrap()
    }

    #[test]
    fn the_shortest_of_many_lone_reads_is_kept_and_neither_few_nor_queued_ones() {
        let mut floor = Floor::default();
        for (service_us, depth, ios) in [(80, 1, 500), (20, 1, 500), (5, 1, 99), (10, 32, 500)] {
            floor.look(&reads(service_us, depth, ios));
        }
        let (shortest, phase, reads) = floor.shortest.unwrap();
        assert!((shortest - 20.0).abs() < 0.5, "{shortest}");
        assert_eq!((phase.as_str(), reads), ("20 us", 500));
    }
}
