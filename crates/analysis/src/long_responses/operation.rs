//! Of reads and writes that went side by side, one kind is long: writes wait for room, reads for writes.
//!
//! The events are shared among the operations as all I/Os that took at least half as long are: of I/Os that take alike long
//! only the longest are kept singly, and a read that comes a little later than a write would be all of them.

use base::io::Op;
use results::{Quantity, Statement};

use super::chance::at_least;
use super::{Common, Phase, long};

/// Operations and their sentences.
const OPERATIONS: [(Op, &str); 3] = [
    (Op::Read, "answer-long-responses-reads"),
    (Op::Write, "answer-long-responses-writes"),
    (Op::Flush, "answer-long-responses-flushes"),
];

pub(super) fn habit(phase: &Phase<'_>) -> Option<Common> {
    let all = [Op::Read, Op::Write, Op::Trim, Op::Flush].map(|op| phase.record.of(op).ios);
    // Job by job: one that is paced has other times than one that is not.
    let jobs = phase.record.jobs.iter();
    let long = jobs.fold([0; 4], |sum: [u64; 4], job| {
        let own = long(job, phase.shortest());
        std::array::from_fn(|op| sum[op] + own[op])
    });
    let share = |counts: [u64; 4], op: Op| {
        counts[op as usize] as f64 / counts.iter().sum::<u64>().max(1) as f64
    };
    let common = OPERATIONS.map(|(op, key)| {
        let events = phase.events.len();
        let of_op = (share(long, op) * events as f64) as usize;
        Common {
            says: Statement::new(key)
                .with("long", Quantity::Percent(100.0 * share(long, op)))
                .with("share", Quantity::Percent(100.0 * share(all, op))),
            // Any of them would have been said.
            chance: OPERATIONS.len() as f64 * at_least(of_op, events, share(all, op)),
        }
    });
    common
        .into_iter()
        .min_by(|a, b| a.chance.total_cmp(&b.chance))
}
