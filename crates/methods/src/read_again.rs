//! Slow positions of a scan, read again.
//!
//! A scan passes each position once. So it cannot tell a slow place from a slow moment: a busy host, another guest of a
//! virtual machine, a drive that collects or refreshes what it stores. A place with weak sectors is slow again; a moment
//! is over. So the slowest position of each group is read once more when all have been read, and a surface map drops
//! those that are then as fast as their neighbours. A drive's cache must not answer: where what was read last is suspect,
//! something else is read before. A failing drive is spared: a position is left as soon as it has taken several times
//! as long as its neighbours, which settles it.

use base::{Bytes, Duration, Job, Op, Order, Settings, Span, Stop, Stopped, Workload};
use stats::weak_places::{Place, Weak, weak_places};

use crate::run::Run;

/// At most so many positions are read again, and an eighth of all.
const MOST: u64 = 8;
const MOST_OF: u64 = 8;
/// A position is left when it has taken so many times as long as its neighbours, and at least this time.
const LEFT_AFTER: f64 = 3.0;
const LEAST_LEFT_AFTER: Duration = Duration::from_secs(1);
/// A drive's cache may hold what was read last: so much has to be read between a position's two readings.
pub(crate) const CACHED: Bytes = Bytes::mib(512);

/// How many of so many positions are read again at most.
pub(crate) fn most(positions: u64) -> u64 {
    (positions / MOST_OF).clamp(1, MOST)
}

/// A position that is to be read again, and the longest that it may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspect {
    pub(crate) span: Span,
    pub(crate) at_most: Duration,
}

/// Reads suspect positions again, each as `work` says; `others` may be read before, so that no cache holds what was read
/// last. Without others that is not read again.
pub(crate) fn read(
    visited: &[Place],
    others: Option<Span>,
    run: &mut Run<'_>,
    work: impl Fn(Suspect) -> Workload,
) -> Result<(), Stopped> {
    let (suspects, before) = suspects(visited, others);
    if let Some(before) = before {
        let others = through(before, run.settings);
        run.bench.phase("read others", &others)?;
    }
    for (n, suspect) in suspects.into_iter().enumerate() {
        let name = format!("read again {}", n + 1);
        run.bench.phase(&name, &work(suspect))?;
    }
    Ok(())
}

/// A range, read once.
fn through(span: Span, settings: &Settings) -> Workload {
    let block = settings.size("block").min(span.len);
    let job = Job::closed("read", Op::Read, Order::Sequential, span, block, 1);
    Workload::single(job, Stop::after_passes(1), settings.seed)
}

/// What is to be read again, the slowest first; and the others, if they have to be read before. What failed is left alone.
fn suspects(visited: &[Place], others: Option<Span>) -> (Vec<Suspect>, Option<Span>) {
    let weak = weak_places(Op::Read, visited, None, &[], true);
    let fails = |span: Span| {
        let mut failed = visited.iter().filter(|place| place.failed > 0);
        failed.any(|place| place.span.within(span).is_some())
    };
    let others = others.filter(|others| !fails(*others));
    let excess = |place: &Place, weak: &Weak| place.sum - place.ios as f64 * weak.expected;
    // Of neighbours the slowest stands for all.
    let mut found: Vec<(f64, usize)> = Vec::new();
    let mut at = 0;
    for group in weak.chunk_by(|a, b| a.is_some() == b.is_some()) {
        let each = (at..).zip(group).filter_map(|(at, weak)| {
            let weak = weak.as_ref()?;
            Some((excess(&visited[at], weak), at))
        });
        found.extend(each.max_by(|a, b| a.0.total_cmp(&b.0)));
        at += group.len();
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let was_last = |at: usize| {
        let behind = visited[at + 1..].iter().map(|place| place.visited);
        behind.fold(Bytes::ZERO, Bytes::saturating_add) < CACHED
    };
    let can_be_told = |(_, at): &(f64, usize)| {
        let place = &visited[*at];
        let is_apart = others.is_some_and(|others| place.span.start >= others.end());
        place.failed == 0 && (is_apart || !was_last(*at))
    };
    let again = found.into_iter().filter(can_be_told);
    let again: Vec<(f64, usize)> = again.take(most(visited.len() as u64) as usize).collect();
    let before = others.filter(|_| again.iter().any(|(_, at)| was_last(*at)));
    let suspect = |(excess, at): (f64, usize)| {
        let place = &visited[at];
        let at_most = Duration::from_nanos((LEFT_AFTER * (place.sum - excess)) as u64);
        Suspect {
            span: place.span,
            at_most: at_most.max(LEAST_LEFT_AFTER),
        }
    };
    (again.into_iter().map(suspect).collect(), before)
}
