//! A drive that does not respond when a stop was requested.
//!
//! A phase ends when all I/Os in flight have completed, and on a hung drive each may take half a minute, or for ever. A
//! user who pressed Ctrl-C is told what is being waited for, and that pressing it again ends the program at once.

use base::run::Live;
use base::{Duration, Message};

/// A responding drive has completed by then.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time since the phase was asked to stop.
#[derive(Debug, Default)]
pub(super) struct Hung {
    asked_at: Option<Duration>,
    said: bool,
}

impl Hung {
    /// The message, once, if I/Os are still in flight some time after the stop request.
    pub(super) fn since_the_wish(&mut self, target: &str, live: &Live<'_>) -> Option<Message> {
        let now = live.record.took;
        let asked_at = *self.asked_at.get_or_insert(now);
        if self.said || live.in_flight == 0 || now.saturating_sub(asked_at) < PATIENCE {
            return None;
        }
        self.said = true;
        let (target, time) = (target.into(), live.quiet.into());
        Some(match live.in_flight {
            1 => Message::new(
                "waiting-for-drive-one",
                [("target", target), ("time", time)],
            ),
            ios => Message::new(
                "waiting-for-drive",
                [("target", target), ("ios", ios.into()), ("time", time)],
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;
    use base::null::Null;
    use base::record::PhaseRecord;
    use base::run::{Unwatched, run};
    use base::size::Bytes;
    use base::workload::{Job, Order, Span, Stop, Workload};

    fn record(took: Duration) -> PhaseRecord {
        let span = Span::first(Bytes::mib(1));
        let job = Job::closed("read", Op::Read, Order::Random, span, Bytes::kib(4), 1);
        let stop = Stop::after_ios(1);
        let mut null = Null::new(Bytes::mib(1), Duration::from_micros(1));
        let work = Workload::single(job, stop, 1);
        let record = run(&mut null, "read", &work, &mut Unwatched).unwrap();
        PhaseRecord { took, ..record }
    }

    #[test]
    fn after_a_second_it_is_said_once_what_is_waited_for_and_since_when() {
        let mut hung = Hung::default();
        let mut said = |seconds: u64, in_flight| {
            let live = Live {
                record: &record(Duration::from_secs(seconds)),
                in_flight,
                quiet: Duration::from_secs(seconds - 5),
            };
            hung.since_the_wish("a disk", &live)
        };
        assert_eq!(said(20, 3), None, "asked just now");
        assert_eq!(said(21, 0), None, "all have come back");
        let line = said(22, 3).unwrap();
        assert!(
            line.contains("waiting for a disk: 3 I/Os are outstanding"),
            "{line}"
        );
        assert!(line.contains("for 17.0 s; press Ctrl-C again"), "{line}");
        assert_eq!(said(23, 3), None, "once");
    }
}
