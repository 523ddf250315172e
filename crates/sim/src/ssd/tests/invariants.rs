//! What must hold whatever happens: random work, trims, rests and power cuts on small drives of every
//! policy, checked after each step against a plain list that remembers.

use super::*;
use crate::model::{Finished, Model};
use crate::ssd::flash::die::{Die, Programming, Turn};
use crate::ssd::flash::layout::NONE;
use crate::ssd::ftl::slc::WhenFull;
use crate::ssd::ftl::wear::WearLimits;
use base::io::Io;
use base::target::{Outcome, Tag};
use proptest::prelude::*;

const PAGES: u64 = 6_000;

#[derive(Clone, Copy, Debug)]
enum Act {
    Write { page: u64, pages: u64 },
    Trim { page: u64, pages: u64 },
    Read { page: u64, pages: u64 },
    Flush,
    Drain,
    Rest { ms: u64 },
    Cut,
}

fn act() -> impl Strategy<Value = Act> {
    let range = |most| (0..PAGES, 1_u64..most);
    prop_oneof![
        8 => range(80).prop_map(|(page, pages)| Act::Write { page, pages }),
        1 => range(900).prop_map(|(page, pages)| Act::Trim { page, pages }),
        2 => range(40).prop_map(|(page, pages)| Act::Read { page, pages }),
        1 => Just(Act::Flush),
        1 => Just(Act::Drain),
        1 => (1_u64..400).prop_map(|ms| Act::Rest { ms }),
        1 => Just(Act::Cut),
    ]
}

fn policy() -> impl Strategy<Value = Parameters> {
    let fixed = prop_oneof![Just(0_u32), Just(4)];
    let share = prop_oneof![Just(0_u32), Just(400), Just(1_000)];
    let keep = prop_oneof![Just(0_u32), Just(300)];
    let cycles = prop_oneof![Just(None), Just(Some(6_u32)), Just(Some(1_000))];
    let stripe = prop_oneof![3 => Just(0_u32), 1 => Just(4)];
    (
        fixed,
        share,
        any::<bool>(),
        keep,
        cycles,
        24_u32..40,
        (stripe, any::<bool>()),
    )
        .prop_map(
            |(fixed, dynamic_per_mille, folds, keep_per_mille, cycles, superblocks, own)| {
                let (stripe, moves_apart) = own;
                // A quarter of the dies for parity: superblocks hold so much less.
                let more = if stripe > 0 { superblocks / 2 } else { 0 };
                let mut p = small(superblocks + more + fixed, PAGES);
                p.geometry.stripe = stripe;
                p.moves_apart = moves_apart;
                p.slc = SlcPolicy {
                    fixed,
                    dynamic_per_mille,
                    dynamic_most: u32::MAX,
                    when_full: if folds {
                        WhenFull::Fold
                    } else {
                        WhenFull::Direct
                    },
                    keep_per_mille,
                    ..SlcPolicy::default()
                };
                p.wear = cycles.map(|cycles| WearLimits {
                    cycles,
                    slc_cycles: cycles / 2,
                    spread_per_mille: 300,
                });
                p
            },
        )
}

/// A drive, the time, and what a plain list says of each page: data, none, or unknown since the
/// power was cut while it was being written.
struct Case {
    drive: Drive,
    now: Instant,
    plain: Vec<Option<bool>>,
    in_flight: Vec<Option<Io>>,
}

impl Case {
    fn new(p: Parameters) -> Case {
        Case {
            drive: Drive::new(p, 5).unwrap(),
            now: Instant::ZERO,
            plain: vec![Some(false); PAGES as usize],
            in_flight: vec![None; 8],
        }
    }

    fn start(&mut self, op: Op, page: u64, pages: u64) {
        let pages = pages.min(PAGES - page);
        let io = Io::write(Bytes::kib(4 * page), Bytes::kib(4 * pages), 1);
        let io = if op == Op::Flush {
            Io::flush()
        } else {
            Io { op, ..io }
        };
        // Trims and writes overtake each other: a trim is alone.
        if op == Op::Trim || self.in_flight.iter().all(Option::is_some) {
            self.drain();
        }
        let tag = self.in_flight.iter().position(Option::is_none).unwrap();
        self.in_flight[tag] = Some(io);
        self.drive.start(self.now, Tag(tag as u32), &io);
        if op == Op::Trim {
            self.drain();
        }
    }

    fn drain(&mut self) {
        let mut steps = 0;
        while self.in_flight.iter().any(Option::is_some) {
            let at = self.drive.next().expect("what is in flight goes on");
            self.step(at);
            steps += 1;
            assert!(steps < 1_000_000, "the drive hangs");
        }
    }

    fn step(&mut self, at: Instant) {
        assert!(at >= self.now, "time goes on");
        self.now = at;
        let mut done: Vec<Finished> = Vec::new();
        self.drive.step(&mut done);
        for finished in done {
            let io = self.in_flight[finished.tag.0 as usize].take().unwrap();
            match finished.outcome {
                Outcome::Complete => self.note(&io, Some(io.op == Op::Write)),
                Outcome::Failed(error) => {
                    assert_eq!(error, 30);
                    assert!(self.drive.ftl().pool.is_read_only());
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn note(&mut self, io: &Io, holds: Option<bool>) {
        if matches!(io.op, Op::Write | Op::Trim) {
            let (first, end) = (io.offset.get() / PAGE, io.end().get() / PAGE);
            self.plain[first as usize..end as usize].fill(holds);
        }
    }

    fn rest(&mut self, ms: u64) {
        self.drain();
        let until = self.now + Duration::from_millis(ms);
        while let Some(at) = self.drive.next().filter(|at| *at <= until) {
            self.step(at);
        }
        self.now = until;
    }

    fn cut(&mut self) {
        self.drive.power_cut(self.now);
        for tag in 0..self.in_flight.len() {
            if let Some(io) = self.in_flight[tag].take() {
                self.note(&io, None);
            }
        }
        // What was acknowledged is mapped still: the model's buffer is safe, or said to be.
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Write { page, pages } => self.start(Op::Write, page, pages),
            Act::Trim { page, pages } => self.start(Op::Trim, page, pages),
            Act::Read { page, pages } => self.start(Op::Read, page, pages),
            Act::Flush => self.start(Op::Flush, 0, 1),
            Act::Drain => self.drain(),
            Act::Rest { ms } => self.rest(ms),
            Act::Cut => self.cut(),
        }
    }

    fn check(&self) {
        let t = self.drive.ftl();
        t.check().unwrap();
        if self.in_flight.iter().all(Option::is_none) {
            for (lpn, holds) in self.plain.iter().enumerate() {
                let mapped = t.l2p.get(lpn as u32) != NONE;
                assert!(holds.is_none_or(|holds| holds == mapped), "page {lpn}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_drive_of_any_policy_remembers_what_a_plain_list_does(
        p in policy(),
        acts in prop::collection::vec(act(), 100..500),
    ) {
        let mut case = Case::new(p);
        for (step, act) in acts.into_iter().enumerate() {
            case.act(act);
            if step % 8 == 0 {
                case.check();
            }
        }
        case.drain();
        case.rest(30_000);
        case.check();
        let counters = case.drive.counters();
        // Bytes in equal bytes out: each page the host wrote was programmed once and each that was
        // moved once more; what is left lies in open superblocks or was lost by a power cut.
        prop_assert!(counters.direct_pages <= counters.host_pages);
    }

    /// A die does one thing at a time, under each policy: readings never overlap each other, nor a
    /// program that is not suspended; and a program takes its whole time.
    #[test]
    fn a_die_does_one_thing_at_a_time(
        policy in 0_usize..5,
        pulse in 0_u64..400,
        (steps, step_growth) in (1_u32..5, 1_000_u32..4_000),
        acts in prop::collection::vec((0_u64..400, 0_u8..3), 1..200),
    ) {
        let policy = [ReadPolicy::Drain, ReadPolicy::Fifo, ReadPolicy::ReadFirst, ReadPolicy::SuspendErase, ReadPolicy::Suspend][policy];
        let rules = Arbitration { policy, pulse: US(pulse), suspend: US(10), suspensions: 3, patience: US(2_000), steps, step_growth };
        let mut die = Die::default();
        let mut busy = Busy::default();
        let mut now = Instant::ZERO;
        for (op, (wait, kind)) in (0_u32..).zip(acts) {
            now += US(wait);
            while let Some(at) = busy.due(now) {
                let turn = match busy.event(at) {
                    Event::Ended => die.program_ended(at, &rules),
                    Event::Turn => die.turn(at, &rules),
                };
                busy.follow(turn, at);
            }
            if kind == 0 {
                let turn = die.program(now, (op, op % 3 == 0), Programming { takes: US(600), erase: US(u64::from(op % 2) * 400), steps }, &rules);
                // First come, first served: the die gives all its ends at once.
                if matches!(policy, ReadPolicy::Drain | ReadPolicy::Fifo) {
                    let Turn::Begun(_, end) = turn else { panic!("{turn:?}") };
                    busy.took(end, US(600));
                } else {
                    busy.follow(turn, now);
                }
            } else {
                let reading = die.read(now, op, US(50), &rules);
                if let Some((_, end)) = reading.pushed {
                    busy.running = Some(end);
                } else {
                    let begin = Instant::from_nanos(reading.end.as_nanos() - 50_000);
                    let alone = busy.running.is_none_or(|end| begin >= end);
                    prop_assert!(alone || matches!(policy, ReadPolicy::SuspendErase | ReadPolicy::Suspend));
                }
                busy.took(reading.end, US(50));
            }
        }
    }
}

/// What a die has been told to do.
#[derive(Default)]
struct Busy {
    /// The end of the running program.
    running: Option<Instant>,
    /// When the waiting one asks again.
    turn: Option<Instant>,
    last: Instant,
}

enum Event {
    Ended,
    Turn,
}

impl Busy {
    /// Something took the die for a time until `end`: not before what it did last had ended.
    fn took(&mut self, end: Instant, time: Duration) {
        assert!(
            end.as_nanos() - time.as_nanos() >= self.last.as_nanos(),
            "two at once"
        );
        self.last = end;
    }

    fn due(&self, now: Instant) -> Option<Instant> {
        [self.running, self.turn]
            .into_iter()
            .flatten()
            .min()
            .filter(|at| *at <= now)
    }

    fn event(&mut self, at: Instant) -> Event {
        if self.running == Some(at) {
            self.running = None;
            Event::Ended
        } else {
            self.turn = None;
            Event::Turn
        }
    }

    fn follow(&mut self, turn: Turn, now: Instant) {
        match turn {
            Turn::Nothing => {}
            Turn::Later(_, at) => self.turn = Some(at),
            Turn::Begun(_, end) => {
                assert!(self.running.is_none(), "two programs at once");
                assert!(end.as_nanos() >= now.as_nanos().max(self.last.as_nanos()) + 600_000);
                self.running = Some(end);
            }
        }
    }
}
