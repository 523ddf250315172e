//! A [`Script`] as a source of I/Os: each step is sent when what it waits for is complete.
//!
//! Steps that may be sent wait in a queue of due times, earliest first, ties in list order, until one of the script's
//! slots is free. In a script that unfolds, the next steps are generated when the one that they wait for is complete,
//! so that only those that could be active are in memory ([`Window`]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use window::Window;

use super::flight::{Flight, Slot, Source};
use super::{Watcher, new_record};
use crate::io::Io;
use crate::record::{PhaseRecord, ScriptRecord, Trail};
use crate::script::{Script, StepId, Unfold};
use crate::target::{Done, Outcome, Target};
use crate::time::{Duration, Instant};

/// Steps whose I/Os are hinted at once.
const AHEAD: usize = 64;

mod window;

/// Plays a script, which was checked, from nothing in flight until every step is complete.
pub(super) fn run<T: Target + ?Sized>(
    target: &mut T,
    name: &str,
    script: &Script,
    watcher: &mut dyn Watcher,
) -> PhaseRecord {
    let info = target.info();
    let record = new_record(name, &script.workload(), target.now(), info.block);
    let mut steps = Steps::new(script, record.began);
    let depth = script.depth().min(info.max_in_flight).max(1);
    let mut flight = Flight::new(record, depth);
    flight.go(target, &mut steps, watcher);
    PhaseRecord {
        script: Some(steps.kept),
        ..flight.record
    }
}

/// The steps of a script, and which of them may be sent when.
struct Steps {
    kept: ScriptRecord,
    steps: Window,
    /// Makes the steps that are still to come, and the one whose completion they are made at.
    unfold: Option<Box<dyn Unfold>>,
    part: Script,
    gate: Option<StepId>,
    /// Steps that wait for nothing but their time and a slot.
    due: BinaryHeap<Reverse<(Instant, u32)>>,
    busy_since: Instant,
    began: Instant,
    /// Steps below this were hinted.
    hinted: u32,
    most_time: Option<Duration>,
}

impl Steps {
    fn new(script: &Script, began: Instant) -> Steps {
        let whole = script.whole();
        let mut steps = Steps {
            kept: ScriptRecord {
                steps: whole.steps,
                host: whole.host(),
                trail: script.keeps_trail.then(Trail::default),
                ..ScriptRecord::default()
            },
            steps: Window::new(began),
            unfold: script.begin(),
            part: Script::new(script.name(), script.depth()),
            gate: None,
            due: BinaryHeap::new(),
            busy_since: began,
            began,
            hinted: 0,
            most_time: script.most_time,
        };
        if steps.unfold.is_some() {
            steps.go_on_unfolding(began);
        } else {
            steps.take_steps(script, began);
        }
        steps
    }

    /// Generates steps up to one that the next ones wait for and that is not complete, at a moment.
    fn go_on_unfolding(&mut self, at: Instant) {
        while let Some(unfold) = &mut self.unfold {
            let more = unfold.more(&mut self.part);
            self.gate = unfold.waits_for();
            let part = std::mem::replace(&mut self.part, Script::new("", 1));
            self.take_steps(&part, at);
            self.part = part;
            self.part.hand_over();
            if !more {
                self.unfold = None;
            }
            if self.gate.is_some_and(|gate| !self.steps.is_over(gate.0)) {
                return;
            }
        }
    }

    fn take_steps(&mut self, part: &Script, at: Instant) {
        for (step, i) in part.steps.iter().zip(0..) {
            if let Some(number) = self.steps.add(step, part.after(i), at) {
                self.is_due(number);
            }
        }
    }

    fn send<T: Target + ?Sized>(
        &mut self,
        flight: &mut Flight,
        target: &mut T,
        step: u32,
        io: &Io,
    ) -> bool {
        self.hint(target, step);
        let idle = flight.in_flight() == 0;
        let sent = flight.send(target, io, step, None).is_some();
        if sent && idle {
            self.busy_since = flight.now;
        }
        sent
    }

    fn hint<T: Target + ?Sized>(&mut self, target: &mut T, step: u32) {
        if step < self.hinted {
            return;
        }
        let ahead: Vec<Io> = self
            .steps
            .from(step)
            .take(AHEAD)
            .filter_map(|step| step.io)
            .collect();
        target.hint(&ahead);
        self.hinted = step.saturating_add(AHEAD as u32).min(self.steps.end());
    }

    /// A step is complete: those that waited for it alone become due.
    fn is_over(&mut self, step: u32, at: Instant) {
        if self.steps.get(step).mark {
            self.kept.marks.push(at.since(self.began));
        }
        let mut waiting = self.steps.over(step, at);
        while let Some((number, next)) = self.steps.next_waiting(waiting, at) {
            waiting = next;
            if self.steps.get_state(number).left == 0 {
                self.is_due(number);
            }
        }
        self.steps.forget_what_is_over();
        if self.gate == Some(StepId(step)) && self.unfold.is_some() {
            self.go_on_unfolding(at);
        }
    }

    /// Leaves out what was not sent in time.
    fn run_out_of_time(&mut self) {
        self.kept.out_of_time = true;
        self.due.clear();
        self.unfold = None;
    }

    fn is_due(&mut self, step: u32) {
        if self.kept.out_of_time {
            return;
        }
        let at = self.steps.due(step);
        self.due.push(Reverse((at, step)));
    }
}

impl Source for Steps {
    /// Sends all that is due, as far as there are slots; work of the host is over when it is due.
    fn issue<T: Target + ?Sized>(&mut self, flight: &mut Flight, target: &mut T) {
        let over = |most| flight.now.since(self.began) >= most;
        if self.most_time.is_some_and(over) && !self.due.is_empty() {
            self.run_out_of_time();
        }
        while let Some(&Reverse((at, step))) = self.due.peek() {
            if flight.stopping || at > flight.now {
                return;
            }
            match self.steps.get(step).io {
                None => {
                    self.due.pop();
                    self.is_over(step, at);
                }
                Some(io) => {
                    if !self.send(flight, target, step, &io) {
                        return;
                    }
                    self.due.pop();
                }
            }
        }
    }

    fn due(&self, flight: &Flight) -> Option<Instant> {
        let first = self.due.peek().filter(|_| !flight.stopping);
        first.map(|Reverse((at, _))| *at)
    }

    fn is_exhausted(&self) -> bool {
        self.due.is_empty()
    }

    fn came_back(&mut self, flight: &mut Flight, slot: &Slot, done: &Done) {
        if flight.in_flight() == 0 {
            self.kept.busy += done.at.since(self.busy_since);
        }
        if let Some(trail) = &mut self.kept.trail
            && done.outcome == Outcome::Complete
        {
            let sent = done.sent.since(self.began);
            trail.keep(slot.of, &slot.io, sent, done.at.since(done.sent));
        }
        self.is_over(slot.of, done.at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{ENODEV, Faults, Faulty};
    use crate::null::Null;
    use crate::record::Ended;
    use crate::run::{PhaseInput, Unwatched, run_phase};
    use crate::size::Bytes;
    use crate::time::Duration;

    const SERVICE: Duration = Duration::from_micros(100);
    const US: fn(u64) -> Duration = Duration::from_micros;

    fn read(n: u64) -> Io {
        Io::read(Bytes::kib(4 * n), Bytes::kib(4))
    }

    fn play(target: &mut dyn Target, script: &Script) -> PhaseRecord {
        run_phase(target, "s", PhaseInput::Script(script), &mut Unwatched).unwrap()
    }

    fn played(script: &Script) -> PhaseRecord {
        let mut target = Null::new(Bytes::mib(64), SERVICE);
        play(&mut target, script)
    }

    #[test]
    fn a_chain_takes_the_sum_of_its_parts_to_the_nanosecond() {
        let mut script = Script::new("chain", 8);
        let mut last: Vec<StepId> = Vec::new();
        for i in 0..10 {
            let step = script.io(read(i), US(7), &last);
            last = vec![script.host(US(13), &[step])];
        }
        let record = played(&script);
        assert_eq!(record.took, US(10 * (100 + 7 + 13)));
        let kept = record.script.unwrap();
        assert_eq!((kept.busy, kept.host), (US(1_000), US(200)));
        assert_eq!(record.jobs[0].ops[0].ios, 10);
    }

    #[test]
    fn a_trail_has_each_io_with_its_step_and_its_times() {
        let mut script = Script::new("two", 1).keeping_trail();
        let first = script.io(read(3), US(7), &[]);
        let work = script.host(US(13), &[first]);
        script.io(read(5), Duration::ZERO, &[work]);
        let kept = played(&script).script.unwrap();
        let trail = kept.trail.unwrap();
        let all: Vec<_> = (trail.ios().iter())
            .map(|io| (io.step, io.offset, io.sent, io.took))
            .collect();
        let at = |n: u64| Bytes::kib(4 * n);
        assert_eq!(
            all,
            [(0, at(3), US(7), SERVICE), (2, at(5), US(120), SERVICE)]
        );
        assert!(!kept.out_of_time);
    }

    #[test]
    fn a_script_sends_nothing_after_its_time_and_says_so() {
        let mut script = Script::new("chain", 1).for_at_most(US(350));
        let mut last: Vec<StepId> = Vec::new();
        for i in 0..10 {
            last = vec![script.io(read(i), Duration::ZERO, &last)];
        }
        let record = played(&script);
        assert_eq!((record.ios(), record.ended), (4, Ended::Complete));
        assert!(record.script.unwrap().out_of_time);
        let whole = script.for_at_most(US(1_000));
        assert!(!played(&whole).script.unwrap().out_of_time);
    }

    #[test]
    fn independent_steps_run_side_by_side_up_to_the_depth() {
        let took = |depth| {
            let mut script = Script::new("wide", depth);
            for i in 0..12 {
                script.io(read(i), Duration::ZERO, &[]);
            }
            played(&script).took
        };
        assert_eq!(took(1), US(1_200));
        assert_eq!(took(4), US(300));
        assert_eq!(took(64), US(100));
    }

    #[test]
    fn a_step_waits_for_all_that_it_names_and_its_time_can_be_kept() {
        let mut script = Script::new("join", 8);
        let short = script.io(read(0), Duration::ZERO, &[]);
        let long = script.host(US(250), &[]);
        let joined = script.io(read(1), US(1), &[short, long]);
        script.mark(joined);
        script.mark(short);
        let record = played(&script);
        let marks = record.script.unwrap().marks;
        assert_eq!(marks, [US(100), US(351)]);
        assert_eq!(record.took, US(351));
    }

    #[test]
    fn a_target_that_takes_fewer_at_once_only_slows_the_script_down() {
        let mut script = Script::new("wide", 32);
        for i in 0..12 {
            script.io(read(i), Duration::ZERO, &[]);
        }
        let mut target = Null::new(Bytes::mib(64), SERVICE).with_depth(3);
        let record = play(&mut target, &script);
        assert_eq!((record.took, record.ios()), (US(400), 12));
    }

    #[test]
    fn a_device_that_goes_away_ends_the_script_and_a_bad_sector_does_not() {
        let mut script = Script::new("chain", 1);
        let mut last: Vec<StepId> = Vec::new();
        for i in 0..10 {
            last = vec![script.io(read(i), Duration::ZERO, &last)];
        }
        let faulty = |faults| {
            let mut target = Faulty::new(Null::new(Bytes::mib(64), SERVICE), faults);
            play(&mut target, &script)
        };
        let gone = faulty(Faults {
            gone_after: Some(4),
            ..Faults::default()
        });
        assert_eq!((gone.ended, gone.ios()), (Ended::Gone(ENODEV), 4));
        let bad = faulty(Faults {
            bad: vec![crate::workload::Span::first(Bytes::kib(8))],
            ..Faults::default()
        });
        assert_eq!(
            (bad.ended, bad.ios(), bad.errors()),
            (Ended::Complete, 8, 2)
        );
    }

    /// A chain of reads with the host's work between them.
    struct Chain {
        left: u32,
        last: Option<StepId>,
    }

    impl Unfold for Chain {
        fn more(&mut self, script: &mut Script) -> bool {
            let after: Vec<StepId> = self.last.into_iter().collect();
            let step = script.io(read(u64::from(self.left % 100)), US(7), &after);
            self.last = Some(script.host(US(13), &[step]));
            self.left -= 1;
            self.left > 0
        }

        fn waits_for(&self) -> Option<StepId> {
            self.last
        }
    }

    #[test]
    fn a_script_that_unfolds_takes_its_time_and_memory_for_what_is_under_way() {
        let script = Script::unfolding("chain", 8, || {
            Box::new(Chain {
                left: 100_000,
                last: None,
            })
        });
        let mut target = Null::new(Bytes::mib(64), SERVICE);
        let work = script.workload();
        let mut steps = Steps::new(&script, Instant::ZERO);
        let mut flight = Flight::new(new_record("s", &work, Instant::ZERO, Bytes::SECTOR), 8);
        flight.go(&mut target, &mut steps, &mut Unwatched);
        assert!(steps.steps.room() < 64, "{}", steps.steps.room());
        let record = flight.record;
        assert_eq!(record.took, US(100_000 * (100 + 7 + 13)));
        assert_eq!(steps.kept.steps, 200_000);
        assert_eq!(record.workload.stop.ios, Some(100_000));
    }
}
