//! Plays a [`Script`]: each step is sent when what it waits for is complete.
//!
//! A loop of its own, so that the loop over streams has nothing to do with it; records and targets
//! are the same. Steps that may be sent wait in a queue of due times, earliest first, equal times in
//! the order of the list, until one of the script's slots is free. Of a script that unfolds, the next
//! steps are made when the one that they wait for is complete, so that those in memory ([`Window`])
//! are those that could be under way.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use window::Window;

use super::{Live, Looks, Verdict, Watcher, at_most_u16, new_record};
use crate::io::{Io, Op};
use crate::record::{Completion, Ended, PhaseRecord, ScriptRecord};
use crate::script::{Script, StepId, Unfold};
use crate::target::{Done, Tag, Target};
use crate::time::Instant;
use crate::workload::Unrunnable;

/// Steps whose I/Os are hinted at once.
const AHEAD: usize = 64;

mod window;

/// Plays a script from nothing in flight until every step is complete.
///
/// # Errors
/// [`Unrunnable`] before anything was issued, where the script cannot run on this target.
pub fn run_script<T: Target + ?Sized>(
    target: &mut T,
    name: &str,
    script: &Script,
    watcher: &mut dyn Watcher,
) -> Result<PhaseRecord, Unrunnable> {
    script.check(&target.info())?;
    let mut play = Play::new(target, name, script);
    play.go(target, watcher);
    Ok(play.finish())
}

/// One I/O in flight.
#[derive(Clone, Copy)]
struct Slot {
    step: u32,
    beside_reads: u16,
    beside_writes: u16,
}

struct Play {
    record: PhaseRecord,
    kept: ScriptRecord,
    steps: Window,
    /// Makes the steps that are still to come, and the one whose completion they are made at.
    unfold: Option<Box<dyn Unfold>>,
    part: Script,
    gate: Option<StepId>,
    /// Steps that wait for nothing but their time and a slot.
    due: BinaryHeap<Reverse<(Instant, u32)>>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    reads_in_flight: u32,
    writes_in_flight: u32,
    busy_since: Instant,
    began: Instant,
    now: Instant,
    /// Steps below this were hinted.
    hinted: u32,
    stopping: bool,
    ended: Ended,
}

impl Play {
    fn new<T: Target + ?Sized>(target: &T, name: &str, script: &Script) -> Play {
        let info = target.info();
        let began = target.now();
        let depth = script.depth().min(info.max_in_flight).max(1);
        let whole = script.whole();
        let mut play = Play {
            record: new_record(name, &script.workload(), began, info.block),
            kept: ScriptRecord {
                steps: whole.steps,
                host: whole.host(),
                ..ScriptRecord::default()
            },
            steps: Window::new(began),
            unfold: script.begin(),
            part: Script::new(script.name(), script.depth()),
            gate: None,
            due: BinaryHeap::new(),
            slots: vec![
                Slot {
                    step: 0,
                    beside_reads: 0,
                    beside_writes: 0
                };
                depth as usize
            ],
            free: (0..depth).rev().collect(),
            reads_in_flight: 0,
            writes_in_flight: 0,
            busy_since: began,
            began,
            now: began,
            hinted: 0,
            stopping: false,
            ended: Ended::Complete,
        };
        if play.unfold.is_some() {
            play.go_on_unfolding(began);
        } else {
            play.take_steps(script, began);
        }
        play
    }

    /// Makes steps up to one that the next ones wait for and that is not complete, at a moment.
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

    fn go<T: Target + ?Sized>(&mut self, target: &mut T, watcher: &mut dyn Watcher) {
        let mut looks = Looks::new(watcher, self.began);
        let mut done = Vec::with_capacity(self.slots.len());
        loop {
            self.issue(target);
            if self.in_flight() == 0 && (self.stopping || self.due.is_empty()) {
                break;
            }
            target.wait(self.wait_until(looks.next()), &mut done);
            let last_at = done.last().map(|d| d.at);
            self.now = last_at.map_or_else(|| target.now(), |at| at.max(self.now));
            let ask = looks.came_back(done.len(), self.now);
            for d in done.drain(..) {
                self.complete(&d);
            }
            if looks.are_due(self.now) {
                self.show(watcher, &looks);
            } else if ask && watcher.wants_to_stop() {
                self.interrupt();
            }
        }
        self.record.took = target.now().max(self.now).since(self.began);
    }

    fn in_flight(&self) -> u32 {
        self.reads_in_flight + self.writes_in_flight
    }

    fn wait_until(&self, next_look: Instant) -> Option<Instant> {
        let mut until = next_look;
        if let (Some(Reverse((at, _))), false) = (self.due.peek(), self.stopping)
            && *at > self.now
        {
            until = until.min(*at);
        }
        (until != Instant::MAX && until > self.now).then_some(until)
    }

    /// Sends all that is due, as far as there are slots; work of the host is over when it is due.
    fn issue<T: Target + ?Sized>(&mut self, target: &mut T) {
        while let Some(&Reverse((at, step))) = self.due.peek() {
            if self.stopping || at > self.now {
                return;
            }
            match self.steps.get(step).io {
                None => {
                    self.due.pop();
                    self.is_over(step, at);
                }
                Some(io) => {
                    if !self.send(target, step, &io) {
                        return;
                    }
                    self.due.pop();
                }
            }
        }
    }

    fn send<T: Target + ?Sized>(&mut self, target: &mut T, step: u32, io: &Io) -> bool {
        self.hint(target, step);
        let Some(slot) = self.free.pop() else {
            return false;
        };
        if target.submit(Tag(slot), io).is_err() {
            self.free.push(slot);
            return false;
        }
        self.slots[slot as usize] = Slot {
            step,
            beside_reads: at_most_u16(self.reads_in_flight),
            beside_writes: at_most_u16(self.writes_in_flight),
        };
        if self.in_flight() == 0 {
            self.busy_since = self.now;
        }
        match io.op {
            Op::Read => self.reads_in_flight += 1,
            _ => self.writes_in_flight += 1,
        }
        true
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

    fn complete(&mut self, done: &Done) {
        let slot = self.slots[done.tag.0 as usize];
        self.free.push(done.tag.0);
        let Some(io) = self.steps.get(slot.step).io else {
            return;
        };
        match io.op {
            Op::Read => self.reads_in_flight -= 1,
            _ => self.writes_in_flight -= 1,
        }
        if self.in_flight() == 0 {
            self.kept.busy += done.at.since(self.busy_since);
        }
        self.record.jobs[0].keep(&Completion {
            io,
            at: done.at.since(self.began),
            service: done.at.since(done.sent),
            response: None,
            outcome: done.outcome,
            beside_reads: slot.beside_reads,
            beside_writes: slot.beside_writes,
        });
        if let (Some(ended), false) = (Ended::by(done.outcome), self.ended.is_loss()) {
            self.stopping = true;
            self.ended = ended;
        }
        self.is_over(slot.step, done.at);
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

    fn is_due(&mut self, step: u32) {
        let at = self.steps.due(step);
        self.due.push(Reverse((at, step)));
    }

    fn show(&mut self, watcher: &mut dyn Watcher, looks: &Looks) {
        self.record.took = self.now.since(self.began);
        let live = Live {
            record: &self.record,
            in_flight: self.in_flight(),
            quiet: looks.quiet(self.now),
        };
        if watcher.look(&live) == Verdict::Stop {
            self.interrupt();
        }
    }

    fn interrupt(&mut self) {
        if !self.stopping {
            self.stopping = true;
            self.ended = Ended::Interrupted;
        }
    }

    fn finish(mut self) -> PhaseRecord {
        self.record.ended = self.ended;
        for job in &mut self.record.jobs {
            job.settle();
        }
        self.record.script = Some(self.kept);
        self.record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{ENODEV, Faults, Faulty};
    use crate::null::Null;
    use crate::run::Unwatched;
    use crate::script::StepId;
    use crate::size::Bytes;
    use crate::time::Duration;

    const SERVICE: Duration = Duration::from_micros(100);
    const US: fn(u64) -> Duration = Duration::from_micros;

    fn read(n: u64) -> Io {
        Io::read(Bytes::kib(4 * n), Bytes::kib(4))
    }

    fn played(script: &Script) -> PhaseRecord {
        let mut target = Null::new(Bytes::mib(64), SERVICE);
        run_script(&mut target, "s", script, &mut Unwatched).unwrap()
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
        let record = run_script(&mut target, "s", &script, &mut Unwatched).unwrap();
        assert_eq!((record.took, record.ios()), (US(400), 12));
    }

    #[test]
    fn a_device_that_goes_away_ends_the_script_and_a_bad_sector_does_not() {
        let mut script = Script::new("chain", 1);
        let mut last: Vec<StepId> = Vec::new();
        for i in 0..10 {
            last = vec![script.io(read(i), Duration::ZERO, &last)];
        }
        let play = |faults| {
            let mut target = Faulty::new(Null::new(Bytes::mib(64), SERVICE), faults);
            run_script(&mut target, "s", &script, &mut Unwatched).unwrap()
        };
        let gone = play(Faults {
            gone_after: Some(4),
            ..Faults::default()
        });
        assert_eq!((gone.ended, gone.ios()), (Ended::Gone(ENODEV), 4));
        let bad = play(Faults {
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
        let mut play = Play::new(&target, "s", &script);
        play.go(&mut target, &mut Unwatched);
        assert!(play.steps.room() < 64, "{}", play.steps.room());
        let record = play.finish();
        assert_eq!(record.took, US(100_000 * (100 + 7 + 13)));
        assert_eq!(record.script.unwrap().steps, 200_000);
        assert_eq!(record.workload.stop.ios, Some(100_000));
    }
}
