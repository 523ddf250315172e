//! The pace of a job: its rates, and its think times.

use base::time::Duration;

use super::{Each, Options};

/// How fast a job is.
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    /// Bytes a second.
    pub rate: Each<Option<u64>>,
    /// I/Os a second.
    pub rate_iops: Each<Option<u64>>,
    /// Gaps of the rate are exponential.
    pub poisson: bool,
    /// A think time, which begins when the I/Os in flight have completed.
    pub rest: Duration,
    /// After this many I/Os, if it is not by time.
    pub rest_ios: u64,
    /// These are counted at submission, not at completion.
    pub counts_sent: bool,
    /// After this much time.
    pub rest_after: Option<Duration>,
    /// Think time is not made up for by a higher rate afterwards.
    pub rest_is_lost: bool,
    /// Its share of I/Os among the jobs with the same number: number, weight.
    pub flow: Option<(u64, u64)>,
}

impl Pace {
    /// I/Os or bytes a second of an operation, by its number.
    pub fn has_rate(&self, op: usize) -> bool {
        let some =
            |rates: &Each<Option<u64>>| rates.get(op).is_some_and(|r| r.is_some_and(|r| r > 0));
        some(&self.rate_iops) || some(&self.rate)
    }
}

pub(super) fn pace(o: &mut Options<'_>) -> Pace {
    let flow = o.number("flow", 0, 0, 1_000);
    let flow_id = o.number("flow_id", 0, 0, u64::MAX);
    Pace {
        rate: o.each("rate"),
        rate_iops: o.each("rate_iops"),
        poisson: o.choice("rate_process", &[("linear", false), ("poisson", true)]),
        rest: o.time("thinktime", 1).unwrap_or(Duration::ZERO),
        rest_ios: o.number("thinktime_blocks", 1, 1, u64::MAX),
        counts_sent: o.choice(
            "thinktime_blocks_type",
            &[("complete", false), ("issue", true)],
        ),
        rest_after: o
            .time("thinktime_iotime", 1_000_000)
            .filter(|time| !time.is_zero()),
        rest_is_lost: o.flag("rate_ignore_thinktime", false),
        flow: (flow > 0).then_some((flow_id, flow)),
    }
}
