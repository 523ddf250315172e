//! What a phase has done since the last line of progress: a point of a curve, as a program draws it that reads the lines.
//!
//! A record only grows. So the difference of two looks at it is what was completed between them, its percentiles too, and
//! nothing is counted twice however seldom somebody looks.

use base::record::WorstIo;
use base::{Bytes, Duration, Latencies, PhaseRecord};
use results::progress::{LongIo, Stretch};

/// Long I/Os on a line at most.
const WORST: usize = 10;

/// A phase as it was when somebody looked last.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    phase: String,
    took: Duration,
    /// I/Os and bytes.
    done: (u64, Bytes),
    done_below: Option<Bytes>,
    felt: Latencies,
}

impl Seen {
    fn of(record: &PhaseRecord, done: (u64, Bytes)) -> Seen {
        let mut felt = Latencies::default();
        for op in record.jobs.iter().flat_map(|job| &job.ops) {
            felt.merge(op.felt());
        }
        Seen {
            phase: record.name.clone(),
            took: record.took,
            done,
            done_below: record.done_below,
            felt,
        }
    }

    /// What was completed since then, and the longest of it; nothing where no time has passed. `done` is what all rings have
    /// completed, of which the record may be one.
    pub(crate) fn since(
        &mut self,
        record: &PhaseRecord,
        done: (u64, Bytes),
    ) -> (Option<Stretch>, Vec<LongIo>) {
        let now = Seen::of(record, done);
        let before = match self.phase == now.phase && self.took <= now.took {
            true => std::mem::take(self),
            false => Seen::default(),
        };
        let seconds = now.took.saturating_sub(before.took).as_secs_f64();
        let worst = longest(record, before.took);
        let stretch = (seconds > 0.0).then(|| now.stretch_from(&before, seconds));
        *self = now;
        (stretch, worst)
    }

    fn stretch_from(&self, before: &Seen, seconds: f64) -> Stretch {
        let felt = self.felt.since(&before.felt);
        let ms = |time: Option<Duration>| time.map(Duration::as_millis_f64);
        Stretch {
            from_seconds: before.took.as_secs_f64(),
            to_seconds: self.took.as_secs_f64(),
            from_byte: before.done_below.map(Bytes::get),
            to_byte: self.done_below.map(Bytes::get),
            mb_s: self.done.1.saturating_sub(before.done.1).get() as f64 / 1e6 / seconds,
            iops: self.done.0.saturating_sub(before.done.0) as f64 / seconds,
            p50_ms: ms(felt.percentile(50.0)),
            p99_ms: ms(felt.percentile(99.0)),
            longest_ms: ms((!felt.is_empty()).then(|| felt.max())),
        }
    }
}

fn longest(record: &PhaseRecord, after: Duration) -> Vec<LongIo> {
    let all = record.jobs.iter().flat_map(|job| job.worst.ios());
    let mut all: Vec<&WorstIo> = all.filter(|io| io.at > after).collect();
    all.sort_by_key(|io| (std::cmp::Reverse(io.felt), io.at));
    let long = |io: &&WorstIo| LongIo {
        at_seconds: io.at.as_secs_f64(),
        op: io.op.name(),
        byte: io.offset.get(),
        ms: io.felt.as_millis_f64(),
    };
    all.iter().take(WORST).map(long).collect()
}

#[cfg(test)]
mod tests {
    use base::io::Op;
    use base::null::Null;
    use base::run::{Live, Verdict, Watcher, run};
    use base::workload::{Job, Order, Span, Stop, Workload};

    use super::*;

    fn of(record: &PhaseRecord) -> (u64, Bytes) {
        (record.ios(), record.bytes())
    }

    /// Looks every 100 ms, and keeps what it saw.
    #[derive(Default)]
    struct Looking {
        seen: Seen,
        stretches: Vec<Stretch>,
        worst: Vec<LongIo>,
    }

    impl Watcher for Looking {
        fn every(&self) -> Duration {
            Duration::from_millis(100)
        }

        fn look(&mut self, live: &Live<'_>) -> Verdict {
            let (stretch, worst) = self.seen.since(live.record, of(live.record));
            self.stretches.extend(stretch);
            self.worst.extend(worst);
            Verdict::Continue
        }

        fn wants_to_stop(&self) -> bool {
            false
        }
    }

    #[test]
    fn stretches_follow_each_other_and_add_up_to_the_phase() {
        let mut null = Null::new(Bytes::gib(1), Duration::from_micros(100));
        let (span, access) = (Span::first(Bytes::gib(1)), Bytes::kib(64));
        let job = Job::closed("reads", Op::Read, Order::Sequential, span, access, 1);
        let stop = Stop::after_ios(10_000);
        let mut looking = Looking::default();
        for phase in ["one", "other"] {
            let work = Workload::single(job.clone(), stop, 1);
            let record = run(&mut null, phase, &work, &mut looking).unwrap();
            let (last, _) = looking.seen.since(&record, of(&record));
            looking.stretches.extend(last);
            let all = std::mem::take(&mut looking.stretches);
            assert!(all.len() > 5, "{}", all.len());
            let gap = |two: &[Stretch]| (two[0].to_seconds - two[1].from_seconds).abs();
            assert!(all.windows(2).all(|two| gap(two) < 1e-12));
            assert!(all[0].from_seconds < 1e-12 && all[0].from_byte.is_none());
            let ios: f64 = all
                .iter()
                .map(|it| it.iops * (it.to_seconds - it.from_seconds))
                .sum();
            assert!((ios - 10_000.0).abs() < 0.5, "{ios}");
            let p99 = all[1].p99_ms.unwrap();
            assert!((p99 - 0.1).abs() < 0.002, "{p99}");
        }
        assert!(!looking.worst.is_empty());
    }
}
