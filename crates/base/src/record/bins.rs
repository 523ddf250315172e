//! A series by address: the transfer curve of a scan.
//!
//! Each bin has the mean rate and a band: the minimum and maximum rate among its *slices*, a sixteenth of a bin each,
//! so that a stall in a bin is visible and not averaged away. A slice's rate is its bytes over the time from the
//! completion before it to its last completion.
//!
//! A slice of a large bin would be long: on a disk of 3 TB in a thousand bins it lasts a second, in
//! which a retry of ten milliseconds disappears. So a slice may be given a longest *interval* too:
//! then it ends with the first completion at or after that. What completes in the first four such
//! intervals of a phase takes no part in the band of a bin that lasts longer, for until then it is not
//! the drive's medium that is measured but the caches in front of it, which take data at the speed of
//! the link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::size::{Bytes, Rate};
use crate::time::Duration;
use crate::workload::Span;

/// Slices a bin: enough to see a stall, each still long against one access.
const SLICES: u64 = 16;

/// Intervals at the begin of a phase that take no part in a band.
const RUN_IN: u64 = 4;

/// What was completed, by address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddressBins {
    /// What the bins cover.
    pub span: Span,
    /// Bytes a bin; the last one may hold less.
    pub width: Bytes,
    /// Equal parts of the address range, in the order of addresses.
    pub bins: Vec<AddressBin>,
    #[serde(skip)]
    slice: Slice,
    /// The longest that a slice lasts, where it is limited.
    #[serde(skip)]
    interval: Option<Duration>,
}

/// One bin, of sixteen slices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddressBin {
    /// I/Os that began in it.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: Bytes,
    /// Time that passed in it, from completion to completion.
    pub time: Duration,
    /// Least latency; zero where there is none.
    pub least: Duration,
    /// Sum of latencies.
    pub sum: Duration,
    /// Greatest latency.
    pub worst: Duration,
    /// Bytes of the slowest slice, and the time that it took.
    pub slowest: (Bytes, Duration),
    /// Bytes of the fastest slice, and the time that it took.
    pub fastest: (Bytes, Duration),
}

/// The current slice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Slice {
    bin: usize,
    bytes: Bytes,
    time: Duration,
    last_at: Duration,
    /// The band of this bin is made of slices at the phase's begin alone.
    run_in: bool,
}

impl AddressBin {
    /// Bytes over time.
    pub fn rate(&self) -> Option<Rate> {
        Rate::of(self.bytes, self.time)
    }
    /// The band's lower edge: rate of the slowest slice.
    pub fn slowest_rate(&self) -> Option<Rate> {
        Rate::of(self.slowest.0, self.slowest.1)
    }
    /// The band's upper edge: rate of the fastest slice.
    pub fn fastest_rate(&self) -> Option<Rate> {
        Rate::of(self.fastest.0, self.fastest.1)
    }

    fn keep_slice(&mut self, bytes: Bytes, time: Duration) {
        // Compared by cross multiplication: a is slower than b where bytes_a * time_b < bytes_b * time_a.
        let product = |b: Bytes, t: Duration| u128::from(b.get()) * u128::from(t.as_nanos());
        if self.slowest.1.is_zero()
            || product(bytes, self.slowest.1) < product(self.slowest.0, time)
        {
            self.slowest = (bytes, time);
        }
        if self.fastest.1.is_zero()
            || product(bytes, self.fastest.1) > product(self.fastest.0, time)
        {
            self.fastest = (bytes, time);
        }
    }

    fn merge(&mut self, other: &AddressBin) {
        if other.ios == 0 {
            return;
        }
        self.least = if self.ios == 0 {
            other.least
        } else {
            self.least.min(other.least)
        };
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.time = self.time.saturating_add(other.time);
        self.sum = self.sum.saturating_add(other.sum);
        self.worst = self.worst.max(other.worst);
        for (bytes, time) in [other.slowest, other.fastest] {
            if !time.is_zero() {
                self.keep_slice(bytes, time);
            }
        }
    }
}

impl AddressBins {
    /// `count` bins of equal width over a span, in whole `block`s.
    pub(crate) fn new(span: Span, count: u32, block: Bytes) -> AddressBins {
        let width = Bytes::new(span.len.get().div_ceil(u64::from(count.max(1)))).round_up(block);
        let count = span.len.get().div_ceil(width.get()) as usize;
        AddressBins {
            span,
            width,
            bins: vec![AddressBin::default(); count],
            slice: Slice::default(),
            interval: None,
        }
    }

    /// The same with slices that end after this time, if set.
    pub(crate) fn within(self, interval: Option<Duration>) -> AddressBins {
        AddressBins { interval, ..self }
    }

    #[inline]
    pub(crate) fn keep(&mut self, offset: Bytes, len: Bytes, at: Duration, latency: Duration) {
        let Some(inside) = offset.get().checked_sub(self.span.start.get()) else {
            return;
        };
        let index = (inside / self.width.get()) as usize;
        if index >= self.bins.len() {
            return;
        }
        if index != self.slice.bin {
            self.end_slice();
            self.slice.bin = index;
            self.slice.run_in = false;
        }
        let passed = at.saturating_sub(self.slice.last_at);
        self.slice.last_at = at;
        self.slice.bytes += len;
        self.slice.time += passed;
        let bin = &mut self.bins[index];
        bin.least = if bin.ios == 0 {
            latency
        } else {
            bin.least.min(latency)
        };
        bin.ios += 1;
        bin.bytes += len;
        bin.time += passed;
        bin.sum += latency;
        bin.worst = bin.worst.max(latency);
        let long = self
            .interval
            .is_some_and(|interval| self.slice.time >= interval);
        if long || self.slice.bytes.get() * SLICES >= self.width.get() {
            self.end_slice();
        }
    }

    /// Excludes time that is not the drive's.
    pub(crate) fn leave_out(&mut self, time: Duration, until: Duration) {
        self.slice.last_at = (self.slice.last_at + time).min(until);
    }

    /// Closes the current slice; one that is less than half full is too short for a rate, and counts only if its bin
    /// has no other.
    pub(crate) fn end_slice(&mut self) {
        let slice = self.slice;
        self.slice.bytes = Bytes::ZERO;
        self.slice.time = Duration::ZERO;
        let Some(bin) = self.bins.get_mut(slice.bin) else {
            return;
        };
        let part_of_interval =
            |interval: Duration| slice.time.as_nanos() * 2 >= interval.as_nanos();
        let full_enough = slice.bytes.get() * SLICES * 2 >= self.width.get()
            || self.interval.is_some_and(part_of_interval);
        let begun = |interval: Duration| slice.last_at >= interval.saturating_mul(RUN_IN);
        if !self.interval.is_none_or(begun) {
            self.slice.run_in = true;
        } else if slice.run_in {
            self.slice.run_in = false;
            (bin.slowest, bin.fastest) = Default::default();
        }
        if !slice.time.is_zero() && (full_enough || bin.slowest.1.is_zero()) {
            bin.keep_slice(slice.bytes, slice.time);
        }
    }

    /// Adds the bins of another record over the same span.
    pub(crate) fn merge(&mut self, other: &AddressBins) {
        for (mine, theirs) in self.bins.iter_mut().zip(&other.bins) {
            mine.merge(theirs);
        }
    }

    /// First byte of a bin.
    pub fn start_of(&self, bin: usize) -> Bytes {
        let before = self.width.get().saturating_mul(bin as u64);
        self.span.start.saturating_add(Bytes::new(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(
        bins: &mut AddressBins,
        from: u64,
        to: u64,
        start: Duration,
        each: impl Fn(u64) -> Duration,
    ) -> Duration {
        let mut at = start;
        for i in from..to {
            at += each(i);
            bins.keep(Bytes::kib(64 * i), Bytes::kib(64), at, each(i));
        }
        at
    }

    #[test]
    fn a_stall_shows_in_the_band_and_hardly_in_the_mean() {
        // 256 accesses of 64 KiB in two bins, 1 ms each, one of 100 ms in the second bin.
        let mut bins = AddressBins::new(Span::first(Bytes::mib(16)), 2, Bytes::SECTOR);
        let each = |i| Duration::from_millis(if i == 200 { 100 } else { 1 });
        scan(&mut bins, 0, 256, Duration::ZERO, each);
        bins.end_slice();
        let [quiet, stalled] = [&bins.bins[0], &bins.bins[1]];
        assert!((quiet.rate().unwrap().mb_s() - 65.536).abs() < 0.001);
        assert!((quiet.slowest_rate().unwrap().mb_s() - 65.536).abs() < 0.001);
        // A slice is 8 accesses: 7 of 1 ms and one of 100.
        assert!((stalled.slowest_rate().unwrap().mb_s() - 8.0 * 65.536 / 107.0).abs() < 0.001);
        assert!((stalled.fastest_rate().unwrap().mb_s() - 65.536).abs() < 0.001);
        assert_eq!(stalled.worst, Duration::from_millis(100));
    }

    #[test]
    fn a_limited_slice_shows_a_short_stall_in_a_long_bin_and_leaves_out_how_a_phase_begins() {
        // 16,384 accesses of 64 KiB in one bin: 1 ms each, the first hundred 0.1 ms, one 20 ms.
        let each = |i: u64| {
            Duration::from_micros(match i {
                0..100 => 100,
                9_000 => 20_000,
                _ => 1_000,
            })
        };
        let band = |interval| {
            let span = Span::first(Bytes::gib(1));
            let mut bins = AddressBins::new(span, 1, Bytes::SECTOR).within(interval);
            scan(&mut bins, 0, 16_384, Duration::ZERO, each);
            bins.end_slice();
            let bin = bins.bins[0];
            [bin.slowest_rate(), bin.fastest_rate()].map(|rate| rate.unwrap().mb_s())
        };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 0.02 * b, "{a} {b}");
        let [slowest, fastest] = band(None);
        near(slowest, 65.536 * 1_024.0 / 1_043.0);
        near(fastest, 65.536 * 1_024.0 / 934.0);
        let [slowest, fastest] = band(Some(Duration::from_millis(100)));
        near(slowest, 65.536 * 81.0 / 100.0);
        near(fastest, 65.536);
    }

    #[test]
    fn bins_of_two_halves_merge_to_the_bins_of_the_whole() {
        let each = |i: u64| Duration::from_micros(500 + i % 7);
        let fresh = || AddressBins::new(Span::first(Bytes::mib(16)), 4, Bytes::SECTOR);
        let mut whole = fresh();
        let end = scan(&mut whole, 0, 256, Duration::ZERO, each);
        whole.end_slice();
        let (mut first, mut second) = (fresh(), fresh());
        scan(&mut first, 0, 128, Duration::ZERO, each);
        first.end_slice();
        scan(&mut second, 128, 256, Duration::ZERO, each);
        second.end_slice();
        first.merge(&second);
        assert_eq!(first.bins, whole.bins);
        assert_eq!(
            whole.bins.iter().map(|b| b.time.as_nanos()).sum::<u64>(),
            end.as_nanos()
        );
    }
}
