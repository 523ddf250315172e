//! Slow positions of a scan, read again.
//!
//! A scan passes each position once. So it cannot tell a slow place from a slow moment: a busy host, another guest of a
//! virtual machine, a drive that collects or refreshes what it stores. A place with weak sectors is slow again; a moment
//! is over. So the slowest position of each group is read once more when the scan is through, and a surface map drops
//! those that are then as fast as their neighbours. A drive's cache must not answer: where what was read last is suspect,
//! something else is read before.

use base::record::{AddressBin, AddressBins, STALL};
use base::{Bytes, JobRecord, Span};
use stats::median;

/// At most so many positions are read again.
const MOST: u32 = 8;
/// So many times as long as its neighbours, on whichever side is slower, makes a position suspect.
const FACTOR: f64 = 1.5;
/// So does a stall of so many times the usual longest I/O.
const STALL_FACTOR: f64 = 4.0;
/// One long I/O is no slow place: at least so many must have been slow for the excess to come about.
const FEWEST: f64 = 3.0;
/// Neighbours on each side: at least this many, and an eighth of the scan.
const LEAST_SIDE: usize = 4;
const SIDES_OF: usize = 8;
/// A drive's cache may hold what was read last: so much has to be read between a position's two readings.
const CACHED: Bytes = Bytes::mib(512);

/// What is to be read once more.
#[derive(Debug, Default)]
pub(crate) struct Again {
    /// What is read before, so that no cache holds what was read last.
    pub(crate) before: Option<Span>,
    /// Suspect positions, the slowest first.
    pub(crate) suspects: Vec<Span>,
}

/// The most that [`again`] reads of a scan of this many positions.
pub(crate) fn most(scanned: Bytes, positions: u32) -> Bytes {
    let suspects = Bytes::new(scanned.get() / u64::from(positions.max(1)) * u64::from(MOST));
    suspects + CACHED.min(scanned)
}

/// What is to be read again of a scan.
pub(crate) fn again(scan: &JobRecord) -> Again {
    let Some(bins) = &scan.bins else {
        return Again::default();
    };
    let mut found: Vec<(f64, usize)> = Vec::new();
    let mut before = None;
    for (at, excess) in excess(bins) {
        // Of neighbours the slowest stands for all.
        match found.last_mut().filter(|_| before == at.checked_sub(1)) {
            Some(last) if last.0 < excess => *last = (excess, at),
            Some(_) => {}
            None => found.push((excess, at)),
        }
        before = Some(at);
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let spans = found.into_iter().map(|(_, at)| span_of(bins, at));
    let was_last = |span: &Span| bins.span.end().saturating_sub(span.end()) < CACHED;
    let first = Span::new(bins.span.start, CACHED);
    let failed = |span: &Span| {
        let mut first = scan.errors.first.iter();
        first.any(|error| error.offset >= span.start && error.offset < span.end())
    };
    let can_be_told = |span: &Span| !was_last(span) || span.start >= first.end();
    let again = spans.filter(|span| can_be_told(span) && !failed(span));
    let suspects: Vec<Span> = again.take(MOST as usize).collect();
    Again {
        before: suspects.iter().any(was_last).then_some(first),
        suspects,
    }
}

fn span_of(bins: &AddressBins, at: usize) -> Span {
    let start = bins.start_of(at);
    let end = (start + bins.width).min(bins.span.end());
    Span::new(start, end.saturating_sub(start))
}

/// Suspect positions, and the nanoseconds that they took more than their neighbours.
fn excess(bins: &AddressBins) -> Vec<(usize, f64)> {
    let means: Vec<Option<f64>> = bins.bins.iter().map(mean).collect();
    let longest = bins.bins.iter().filter(|bin| bin.ios > 0);
    let longest: Vec<f64> = longest.map(|bin| bin.worst.as_nanos() as f64).collect();
    let usual = median(&longest).unwrap_or(0.0);
    let side = (means.len() / SIDES_OF).max(LEAST_SIDE);
    let suspect = |at: usize| {
        let (bin, mean) = (&bins.bins[at], means[at]?);
        let sides = [
            &means[at.saturating_sub(side)..at],
            &means[at + 1..means.len().min(at + 1 + side)],
        ];
        let middles = sides.iter().filter_map(|side| {
            let known: Vec<f64> = side.iter().flatten().copied().collect();
            median(&known).filter(|_| known.len() >= LEAST_SIDE)
        });
        let expected = middles.reduce(f64::max)?;
        let longest = bin.worst.as_nanos() as f64;
        let excess = (mean - expected) * bin.ios as f64;
        let ios = excess / (longest - expected).max(1.0);
        let stalls = bin.worst >= STALL && longest >= STALL_FACTOR * usual;
        let is_slow = (mean >= FACTOR * expected || stalls) && ios >= FEWEST;
        is_slow.then_some((at, excess))
    };
    (0..means.len()).filter_map(suspect).collect()
}

/// Nanoseconds of an I/O.
fn mean(bin: &AddressBin) -> Option<f64> {
    (bin.ios > 0).then(|| bin.sum.as_nanos() as f64 / bin.ios as f64)
}
