//! What holds for every sequence of commands: answers, their earliest times, and what is kept.

use std::collections::BTreeMap;

use super::*;

/// What the test remembers of a write: its blocks, and what happened to it when.
#[derive(Clone, Copy, Debug)]
struct Written {
    start: u64,
    end: u64,
    sent: Instant,
    acknowledged: Option<Instant>,
}

/// What came of a run of commands that ends with a power cut.
struct Aftermath {
    lost: Vec<(u64, u64)>,
    writes: Vec<Written>,
    /// When each flush that ended was sent.
    flushed: Vec<Instant>,
    cut: Instant,
}

/// Sends the commands one after another with rests between, at most `depth` in flight, and cuts the
/// power right after the last one was sent. Checks each answer on the way.
fn until_power_cut(p: Parameters, ios: &[(u8, u64, u64, u64)]) -> Aftermath {
    let depth = p.queue_depth;
    let least = |io: &Io| match io.op {
        Op::Read => p.read_overhead_ns + wire_ns(&p, io),
        Op::Write => p.write_overhead_ns + wire_ns(&p, io),
        _ => p.read_overhead_ns,
    };
    let mut target = drive(p.clone());
    let mut done: Vec<Done> = Vec::new();
    let mut in_flight: BTreeMap<u32, (Io, Option<usize>)> = BTreeMap::new();
    let mut after = Aftermath {
        lost: Vec::new(),
        writes: Vec::new(),
        flushed: Vec::new(),
        cut: Instant::ZERO,
    };
    let take = |done: &mut Vec<Done>,
                in_flight: &mut BTreeMap<u32, (Io, Option<usize>)>,
                after: &mut Aftermath| {
        for d in done.drain(..) {
            let (io, write) = in_flight
                .remove(&d.tag.0)
                .expect("an answer without a question");
            assert_eq!(d.outcome, Outcome::Complete);
            assert!(
                d.at.since(d.sent).as_nanos() >= least(&io),
                "{io:?} ended too early"
            );
            match (io.op, write) {
                (Op::Write, Some(index)) => after.writes[index].acknowledged = Some(d.at),
                (Op::Flush, _) => after.flushed.push(d.sent),
                _ => {}
            }
        }
    };
    for &(kind, place, length, rest) in ios {
        let until = target.now() + Duration::from_nanos(rest);
        while target.now() < until {
            target.wait(Some(until), &mut done);
            take(&mut done, &mut in_flight, &mut after);
        }
        while in_flight.len() == depth as usize {
            target.wait(None, &mut done);
            take(&mut done, &mut in_flight, &mut after);
        }
        let tag = (0..depth).find(|tag| !in_flight.contains_key(tag)).unwrap();
        let (start, io) = match kind {
            0..=2 => (place * 40, write(place * 40, length)),
            3 | 4 => (place * 123_457, write(place * 123_457, length)),
            5 => (place * 40, read(place * 40, length)),
            6 => (place * 123_457, read(place * 123_457, length)),
            _ => (0, Io::flush()),
        };
        let write = (io.op == Op::Write).then(|| {
            after.writes.push(Written {
                start,
                end: start + length,
                sent: target.now(),
                acknowledged: None,
            });
            after.writes.len() - 1
        });
        target.submit(Tag(tag), &io).unwrap();
        in_flight.insert(tag, (io, write));
    }
    after.cut = target.now();
    target.model().power_cut(after.cut);
    let lost = target.model().lost().iter();
    after.lost = lost
        .map(|(offset, len)| (offset.get() / 512, (offset.get() + len.get()) / 512))
        .collect();
    assert!(lost_blocks(&after.lost) <= p.write_cache.blocks.max(4_096));
    after
}

fn wire_ns(p: &Parameters, io: &Io) -> u64 {
    let last_frame = (io.len.get() / 512).min(p.wire_frame_blocks);
    last_frame * p.wire_block_picos / 1_000
}

fn lost_blocks(lost: &[(u64, u64)]) -> u64 {
    lost.iter().map(|(start, end)| end - start).sum()
}

fn overlap(a: (u64, u64), b: (u64, u64)) -> bool {
    a.0 < b.1 && b.0 < a.1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A power cut loses only what was written and not flushed; what it does not lose had the time
    /// to pass under the heads; and no answer comes before the wire could have carried it.
    #[test]
    fn a_power_cut_loses_only_what_was_not_flushed_and_keeps_only_what_could_be_written(
        ios in prop::collection::vec((0_u8..8, 0_u64..400, 1_u64..600, 0_u64..20_000_000), 1..200),
        blocks in 1_024_u64..8_192,
        runs in 1_u32..40,
        run in prop_oneof![Just(u64::MAX), 64_u64..2_000],
        depth in 1_u32..33,
    ) {
        let p = with(disk(), |p| { p.write_cache.blocks = blocks; p.write_cache.runs = runs; p.write_cache.run_blocks = run; p.queue_depth = depth; });
        let after = until_power_cut(p, &ios);
        // What is lost was written by somebody, and by somebody whom no later flush covers.
        for &lost in &after.lost {
            let mut covered = vec![];
            for w in after.writes.iter().filter(|w| overlap(lost, (w.start, w.end))) {
                let safe = w.acknowledged.is_some_and(|at| after.flushed.iter().any(|&f| at <= f));
                if !safe {
                    covered.push((w.start.max(lost.0), w.end.min(lost.1)));
                }
            }
            covered.sort_unstable();
            let mut reached = lost.0;
            for (start, end) in covered {
                prop_assert!(start <= reached, "block {reached} was lost after it was flushed");
                reached = reached.max(end);
            }
            prop_assert!(reached >= lost.1, "block {reached} was lost after it was flushed");
        }
        // What was acknowledged and not lost is on the medium: that took its time.
        let mut kept = std::collections::BTreeSet::new();
        for w in after.writes.iter().filter(|w| w.acknowledged.is_some()) {
            kept.extend((w.start..w.end).filter(|&b| !after.lost.iter().any(|&l| overlap(l, (b, b + 1)))));
        }
        let first = after.writes.iter().map(|w| w.sent).min().unwrap_or(after.cut);
        let sectors_passed = after.cut.since(first).as_nanos() as f64 / (TURN / 3_000.0);
        prop_assert!(kept.len() as f64 <= sectors_passed + 1.0, "{} {}", kept.len(), sectors_passed);
    }
}

/// Steps of the agenda for so many I/Os, and the longest queue and cache meanwhile.
fn steps(p: Parameters, op: Op, order: Order, depth: u32, ios: u64) -> (u64, usize) {
    struct Counted(Hdd, u64, usize);
    impl Model for Counted {
        fn info(&self) -> base::target::Info {
            self.0.info()
        }
        fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
            self.0.start(now, tag, io);
        }
        fn next(&self) -> Option<Instant> {
            self.0.next()
        }
        fn step(&mut self, done: &mut Vec<crate::model::Finished>) {
            self.1 += 1;
            self.2 = self
                .2
                .max(self.0.writing.cache.len())
                .max(self.0.writing.stalled.len());
            self.0.step(done);
        }
        fn power_cut(&mut self, at: Instant) {
            self.0.power_cut(at);
        }
    }
    let mut target = Virtual::new(Counted(Hdd::new(p), 0, 0));
    let span = Span::first(target.info().capacity);
    let job = Job::closed("job", op, order, span, Bytes::kib(16), depth);
    let stop = Stop {
        ios: Some(ios),
        ..Stop::default()
    };
    run(
        &mut target,
        "phase",
        &Workload::single(job, stop, 5),
        &mut Unwatched,
    )
    .unwrap();
    let counted = target.model();
    (counted.1, counted.2)
}

#[test]
fn work_grows_with_the_number_of_commands_and_not_with_what_came_before() {
    for op in [Op::Read, Op::Write] {
        for (order, depth) in [
            (Order::Random, 32),
            (Order::Sequential, 1),
            (Order::Random, 1),
        ] {
            let (few, _) = steps(disk(), op, order, depth, 2_000);
            let (many, longest) = steps(disk(), op, order, depth, 20_000);
            assert!(many <= 11 * few, "{op:?} {depth} {few} {many}");
            // Decoding, wire, end, and the arm between them.
            assert!(many <= 5 * 20_000, "{op:?} {depth} {many}");
            assert!(longest <= 128, "{longest}");
        }
    }
}
