//! Generated traces: the I/O of a boot or an application, generated from a few numbers.
//!
//! Real traces may not be redistributed, so these are generated: a number of reads and writes, of certain sizes, a
//! share of them random and the rest sequential to the previous one, one at a time or a few together, each group sent
//! when the previous one has completed and the host has worked on it. The numbers of a trace come from published
//! descriptions of such traces; the order of the I/Os is drawn from the seed.

use base::{Bytes, Duration, Io, Op, Rng, Script, Span, StepId, Takes, splitmix64};

/// Sizes in KiB with their weights.
pub(crate) type Sizes = &'static [(u64, u32)];

/// What one trace is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trace {
    /// Number of reads.
    pub(crate) reads: u64,
    /// Number of writes.
    pub(crate) writes: u64,
    pub(crate) read_sizes: Sizes,
    pub(crate) write_sizes: Sizes,
    /// Percentage of I/Os that go anywhere.
    pub(crate) random_percent: u64,
    /// Percentage of groups that are a single I/O.
    pub(crate) single_percent: u64,
    /// I/Os of the largest groups.
    pub(crate) depth: u64,
    /// The host's work in all, spread over the groups by chance.
    pub(crate) host: Duration,
    /// The end of the span that writes go to; all of it where nothing is given.
    pub(crate) written: Option<Bytes>,
    /// Writes go through the host's cache: nothing waits for them.
    pub(crate) behind: bool,
    /// Per cent of reads that the host's prefetcher reads ahead, since it knows them from earlier runs: a consumer
    /// waits only if the prefetcher has not got that far.
    pub(crate) prefetched_percent: u64,
}

/// Reads of the prefetcher in flight.
const PREFETCHES: usize = 2;

/// I/Os that are sent together, when the previous group has completed and the host has worked on it.
struct Group {
    ios: Vec<Io>,
    think: Duration,
}

/// Where a kind of I/O continues.
struct Cursor {
    span: Span,
    next: Bytes,
}

/// Draws a trace's I/Os.
struct Drawing {
    rng: Rng,
    page: Bytes,
    reads: Cursor,
    writes: Cursor,
}

impl Drawing {
    fn io(&mut self, op: Op, sizes: Sizes, random_percent: u64) -> Io {
        let len = self.size(sizes);
        let jumps = self.rng.below(100) < random_percent;
        let cursor = match op {
            Op::Read => &mut self.reads,
            _ => &mut self.writes,
        };
        let len = len
            .min(cursor.span.len)
            .round_down(self.page)
            .max(self.page);
        if jumps || cursor.next + len > cursor.span.end() {
            let places = cursor.span.len.saturating_sub(len).get() / self.page.get() + 1;
            cursor.next = cursor.span.start + self.page * self.rng.below(places);
        }
        let at = cursor.next;
        cursor.next += len;
        match op {
            Op::Read => Io::read(at, len),
            _ => Io::write(at, len, splitmix64(self.rng.next_u64())),
        }
    }

    fn size(&mut self, sizes: Sizes) -> Bytes {
        let total: u64 = sizes.iter().map(|size| u64::from(size.1)).sum();
        let mut ticket = self.rng.below(total);
        for (kib, weight) in sizes {
            if ticket < u64::from(*weight) {
                return Bytes::kib(*kib);
            }
            ticket -= u64::from(*weight);
        }
        self.page
    }
}

impl Trace {
    /// The same with a percentage of its I/Os and of the host's work.
    pub(crate) fn scaled(self, percent: u64) -> Trace {
        let share = |n: u64| (n * percent).div_ceil(100);
        Trace {
            reads: share(self.reads),
            writes: share(self.writes),
            host: Duration::from_nanos(share(self.host.as_nanos())),
            ..self
        }
    }

    /// What it takes. What is drawn is seldom exactly the mean, and never far above it.
    pub(crate) fn takes(&self) -> Takes {
        let of = |sizes, n: u64| Bytes::new((1.25 * mean(sizes) * n as f64) as u64);
        Takes::moving(of(self.write_sizes, self.writes))
            .and_reading(of(self.read_sizes, self.reads))
            .and_idle(self.host)
            .and_accesses(self.reads + self.writes)
    }

    /// Adds the trace to a script, after `after`, in the span's whole pages of 4 KiB (or `block`,
    /// where that is larger); returns the last group's steps.
    pub(crate) fn play(
        &self,
        script: &mut Script,
        span: Span,
        block: Bytes,
        seed: u64,
        after: &[StepId],
    ) -> Vec<StepId> {
        let page = Bytes::kib(4).max(block);
        let cursor = |span: Span| Cursor {
            span,
            next: span.start,
        };
        let written = self.written.unwrap_or(span.len).max(page).min(span.len);
        let from = span.start + (span.len - written).round_down(page);
        let mut drawing = Drawing {
            rng: Rng::new(splitmix64(seed)),
            page,
            reads: cursor(span),
            writes: cursor(Span::new(from, written)),
        };
        let groups = self.drawn(&mut drawing);
        let ahead = self.prefetch(script, &groups, after, Rng::new(splitmix64(!seed)));
        self.follow(script, &groups, after, ahead)
    }

    /// The groups with their I/Os, in order.
    fn drawn(&self, drawing: &mut Drawing) -> Vec<Group> {
        let sizes = self.groups(&mut drawing.rng);
        let thinks = spread(self.host, sizes.len(), &mut drawing.rng);
        let (mut reads, mut writes) = (self.reads, self.writes);
        let mut io = || {
            let reads_now = drawing.rng.below(reads + writes) < reads;
            if reads_now {
                reads -= 1;
                drawing.io(Op::Read, self.read_sizes, self.random_percent)
            } else {
                writes -= 1;
                drawing.io(Op::Write, self.write_sizes, self.random_percent)
            }
        };
        let group = |(size, think)| Group {
            ios: (0..size).map(|_| io()).collect(),
            think,
        };
        sizes.into_iter().zip(thinks).map(group).collect()
    }

    /// Adds the prefetcher's reads, in the order of need; returns for each read of the groups, in order, the step that
    /// reads it ahead, if any.
    fn prefetch(
        &self,
        script: &mut Script,
        groups: &[Group],
        after: &[StepId],
        mut rng: Rng,
    ) -> Vec<Option<StepId>> {
        let reads = groups.iter().flat_map(|group| &group.ios);
        let reads = reads.filter(|io| io.op == Op::Read);
        let mut sent: Vec<StepId> = Vec::new();
        let mut ahead = Vec::new();
        for io in reads {
            let prefetched =
                self.prefetched_percent > 0 && rng.below(100) < self.prefetched_percent;
            ahead.push(prefetched.then(|| {
                let room = sent.len().checked_sub(PREFETCHES).map(|at| [sent[at]]);
                let after = room.as_ref().map_or(after, |step| step.as_slice());
                let step = script.io(*io, Duration::ZERO, after);
                sent.push(step);
                step
            }));
        }
        ahead
    }

    /// Adds the groups, each after the last; returns the last one's steps.
    fn follow(
        &self,
        script: &mut Script,
        groups: &[Group],
        after: &[StepId],
        ahead: Vec<Option<StepId>>,
    ) -> Vec<StepId> {
        let mut ahead = ahead.into_iter();
        let mut last = after.to_vec();
        for group in groups {
            let mut steps = Vec::with_capacity(group.ios.len());
            let mut prefetched = Vec::new();
            for io in &group.ios {
                if io.op == Op::Read
                    && let Some(step) = ahead.next().flatten()
                {
                    prefetched.push(step);
                    continue;
                }
                let step = script.io(*io, group.think, &last);
                if io.op == Op::Read || !self.behind {
                    steps.push(step);
                }
            }
            // What nobody waits for does not move the others on, and what was read ahead is there
            // when the host has worked and the prefetcher has come so far.
            if steps.is_empty() {
                steps.push(script.host(group.think, &last));
            }
            steps.extend(prefetched);
            last = steps;
        }
        last
    }

    /// Sizes of the groups, which have all I/Os together.
    fn groups(&self, rng: &mut Rng) -> Vec<usize> {
        let mut left = self.reads + self.writes;
        let mut groups = Vec::new();
        while left > 0 {
            let alone = self.depth < 2 || rng.below(100) < self.single_percent;
            let size = if alone {
                1
            } else {
                2 + rng.below(self.depth - 1)
            };
            let size = size.min(left);
            groups.push(size as usize);
            left -= size;
        }
        groups
    }
}

/// Mean of some sizes, in bytes.
fn mean(sizes: Sizes) -> f64 {
    let weights: u64 = sizes.iter().map(|size| u64::from(size.1)).sum();
    let weighed = sizes.iter().map(|(kib, weight)| kib * u64::from(*weight));
    1_024.0 * weighed.sum::<u64>() as f64 / weights.max(1) as f64
}

/// Cuts a time into parts with exponential lengths that have it as their sum.
fn spread(all: Duration, parts: usize, rng: &mut Rng) -> Vec<Duration> {
    let weights: Vec<f64> = (0..parts).map(|_| rng.exponential()).collect();
    let sum: f64 = weights.iter().sum();
    let (mut so_far, mut given) = (0.0, Duration::ZERO);
    let part = |weight: &f64| {
        so_far += weight;
        let until = Duration::from_nanos((all.as_nanos() as f64 * (so_far / sum)) as u64);
        let part = until.saturating_sub(given);
        given = until;
        part
    };
    weights.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: Trace = Trace {
        reads: 3_000,
        writes: 1_000,
        read_sizes: &[(4, 70), (64, 30)],
        write_sizes: &[(4, 1)],
        random_percent: 60,
        single_percent: 75,
        depth: 4,
        host: Duration::from_secs(2),
        written: None,
        behind: false,
        prefetched_percent: 0,
    };

    fn played(span: Span) -> Script {
        let mut script = Script::new("t", 32);
        TRACE.play(&mut script, span, Bytes::SECTOR, 7, &[]);
        script
    }

    #[test]
    fn a_trace_has_the_numbers_that_it_was_made_of() {
        let span = Span::new(Bytes::mib(1), Bytes::gib(1));
        let script = played(span);
        let reads = script.ios().filter(|io| io.op == Op::Read).count();
        assert_eq!((reads, script.ios().count()), (3_000, 4_000));
        assert!(
            script
                .ios()
                .all(|io| io.offset >= span.start && io.end() <= span.end())
        );
        let large = script.ios().filter(|io| io.len == Bytes::kib(64)).count() as f64;
        assert!((large / 3_000.0 - 0.3).abs() < 0.03, "{large}");
        assert_eq!(script.workload().seed, played(span).workload().seed);
    }

    #[test]
    fn the_hosts_work_is_spread_whole() {
        let parts = spread(Duration::from_secs(2), 1_000, &mut Rng::new(3));
        let sum: u64 = parts.iter().map(|part| part.as_nanos()).sum();
        assert!(2_000_000_000 - sum < 10, "{sum}");
        let longest = parts.iter().max().unwrap();
        assert!(*longest > Duration::from_millis(6));
    }

    #[test]
    fn a_prefetcher_reads_the_same_and_changes_no_write() {
        let span = Span::first(Bytes::gib(1));
        let sorted = |prefetched_percent| {
            let trace = Trace {
                prefetched_percent,
                ..TRACE
            };
            let mut script = Script::new("t", 32);
            trace.play(&mut script, span, Bytes::SECTOR, 7, &[]);
            let key = |io: &Io| (io.op == Op::Read, io.offset, io.len);
            let mut ios: Vec<_> = script.ios().map(key).collect();
            ios.sort();
            ios
        };
        assert_eq!(sorted(0), sorted(60));
    }

    #[test]
    fn a_span_of_a_few_pages_is_enough() {
        let script = played(Span::first(Bytes::kib(16)));
        assert!(script.ios().all(|io| io.end() <= Bytes::kib(16)));
    }
}
