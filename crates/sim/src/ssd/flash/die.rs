//! A die: one reading, program or erase at a time, and their priorities.
//!
//! A program holds a die for milliseconds, a reading for a twentieth of that, so the order decides
//! what a read waits for while the drive writes. Four policies: first come, first served; reads
//! overtake programs that have not begun; a read also suspends a running erase, the longest of all; or it suspends
//! a running program, too. What was suspended resumes afterwards. A cell is charged in pulses, each of which is checked before the next one, so that a program
//! stops between two of them. Cells of three bits are programmed in steps, each a command of its own (the charge
//! is laid down coarsely, then finely, when the neighbours have theirs), so that a read that
//! overtakes waits for the running step alone. Of programs that wait, the host's and the drive's own
//! alternate, so that neither waits for all that the other has in the buffer. A small state is
//! enough: the end of the last reading that was accepted, the end of the running program, and the
//! programs that wait. The cache register lets a die read on while its last page is moved out, and
//! pages of one unit that are asked for together are read together by the planes. Where each plane
//! reads independently (`planes`), a reading waits for the last one of its plane alone; a
//! program still takes all planes, and begins when the last reading of any has ended.

use std::collections::VecDeque;

use base::time::{Duration, Instant};
use serde::Deserialize;

use crate::sheet::quantity::{Count, Microseconds, Word};
use crate::sheet::table::parameters;

/// Who goes first on a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadPolicy {
    /// One thing at a time on the whole drive: a read waits until no program is under way on any die.
    Drain,
    /// First come, first served.
    Fifo,
    /// Reads overtake programs that wait, but not the running one.
    ReadFirst,
    /// Reads also suspend a running erase, but wait for a running program.
    SuspendErase,
    /// Reads also suspend the running program or erase.
    Suspend,
}

impl std::fmt::Display for ReadPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            ReadPolicy::Drain => "drain",
            ReadPolicy::Fifo => "fifo",
            ReadPolicy::ReadFirst => "read-first",
            ReadPolicy::SuspendErase => "suspend-erase",
            ReadPolicy::Suspend => "suspend",
        })
    }
}

parameters! {
    /// The rules of arbitration.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Arbitration from DiesConfig ["dies"] {
        /// Who goes first.
        policy "read_policy": Word<ReadPolicy>;
        /// From a read's arrival until the running program has stopped for it.
        suspend "suspend_us": Microseconds in 0.0..=10_000.0;
        /// A program stops for a read at the end of a pulse only, each of which takes so long; zero: at any time.
        pulse "pulse_us": Microseconds in 0.0..=10_000.0, or Duration::ZERO;
        /// How often a program may be suspended before it runs through.
        suspensions "suspensions": Count("a program") in 0..=1_000;
        /// How long readings may keep a waiting program from beginning, or a running one from going
        /// on.
        patience "patience_us": Microseconds in 0.0..=10_000_000.0;
        /// Steps of a program of all bits a cell, between which a read may be served, where reads
        /// overtake; 1: none. One bit a cell is programmed in one step.
        steps "program_steps": Count in 1..=16, or 1;
    }
}

/// What a program takes.
#[derive(Clone, Copy, Debug)]
pub struct Programming {
    /// Its time on the die, with the erase before it.
    pub takes: Duration,
    /// The erase before it; none where the block is empty.
    pub erase: Duration,
    /// Steps between which a read may be served.
    pub steps: u32,
}

/// A program (with the erase before it, if any) that waits for the die.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    op: u32,
    what: Programming,
    since: Instant,
}

/// What becomes of the program at the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// None is waiting, or one is running.
    Nothing,
    /// This operation's program may begin at this time at the earliest: ask again then.
    Later(u32, Instant),
    /// This operation's program has begun and ends at this time.
    Begun(u32, Instant),
}

/// One die.
#[derive(Clone, Debug, Default)]
pub struct Die {
    reads_end: Instant,
    running: Option<Running>,
    /// The host's programs that wait.
    host: VecDeque<Waiting>,
    /// The drive's own.
    own: VecDeque<Waiting>,
    /// The last program that began was the host's.
    host_was_last: bool,
    /// Of [`ReadPolicy::Fifo`]: when every program accepted so far has ended.
    programs_end: Instant,
    /// From when on the running program has stopped, or will have, for the readings under way.
    gap: Instant,
    last: Option<(u32, Instant)>,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    op: u32,
    /// What a step takes, and how many there are.
    step: Duration,
    steps: u32,
    /// What follows the erase.
    program: Duration,
    end: Instant,
    suspensions: u32,
    /// By how much readings have pushed it back between its steps.
    pushed: Duration,
}

impl Running {
    /// Whether the block is still being erased.
    fn erases(&self, now: Instant) -> bool {
        now + self.program < self.end
    }

    /// When it has stopped for a reading that comes now.
    fn stops(&self, now: Instant, rules: &Arbitration) -> Instant {
        now + self.pulse_left(now, rules.pulse) + rules.suspend
    }

    /// What is left of the pulse that is under way, of so long ones.
    fn pulse_left(&self, now: Instant, pulse: Duration) -> Duration {
        if pulse.is_zero() {
            return Duration::ZERO;
        }
        let all = self.step.as_nanos() * u64::from(self.steps);
        let done = all.saturating_sub(self.end.since(now.min(self.end)).as_nanos());
        Duration::from_nanos(pulse.as_nanos() - done % pulse.as_nanos())
    }
}

/// A reading that was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// When the data are in the die's register.
    pub end: Instant,
    /// A running program that was pushed back, and its new end.
    pub pushed: Option<(u32, Instant)>,
}

impl Die {
    /// Accepts a reading of a unit that takes `takes`.
    #[inline(always)]
    pub fn read(
        &mut self,
        now: Instant,
        unit: u32,
        takes: Duration,
        rules: &Arbitration,
    ) -> Reading {
        if self.last == Some((unit, now)) {
            return Reading {
                end: self.reads_end,
                pushed: None,
            };
        }
        self.last = Some((unit, now));
        self.read_when_free(now.max(self.reads_end), now, takes, rules)
    }

    /// Accepts a reading by what has read until `free`: all planes together, or one of them.
    #[inline(always)]
    pub(in crate::ssd) fn read_when_free(
        &mut self,
        free: Instant,
        now: Instant,
        takes: Duration,
        rules: &Arbitration,
    ) -> Reading {
        let (begin, pushed) = match (rules.policy, self.running) {
            (ReadPolicy::Drain | ReadPolicy::Fifo, _) => (free.max(self.programs_end), None),
            (_, None) => (free, None),
            (ReadPolicy::Suspend, Some(running)) => self.suspend(free, now, running, takes, rules),
            (ReadPolicy::SuspendErase, Some(running))
                if running.erases(running.stops(now, rules)) =>
            {
                self.suspend(free, now, running, takes, rules)
            }
            (_, Some(running)) if running.steps < 2 => (free.max(running.end), None),
            (_, Some(running)) => self.between_steps(free, now, running, takes, rules),
        };
        debug_assert!(
            begin >= now && begin >= free,
            "a die, or a plane, reads one unit at a time"
        );
        let end = begin + takes;
        self.reads_end = self.reads_end.max(end);
        Reading { end, pushed }
    }

    /// Stops the running program for a reading, unless it was stopped too often.
    fn suspend(
        &mut self,
        free: Instant,
        now: Instant,
        mut running: Running,
        takes: Duration,
        rules: &Arbitration,
    ) -> (Instant, Option<(u32, Instant)>) {
        let already_stopped = self.reads_end > now && self.reads_end < running.end;
        if !already_stopped {
            let stopped = running.stops(now, rules);
            if running.suspensions >= rules.suspensions || stopped >= running.end {
                return (free.max(running.end), None);
            }
            running.suspensions += 1;
            // Until the pulse has ended the program goes on.
            running.end += rules.suspend;
            self.gap = stopped;
        }
        let begin = free.max(self.gap);
        running.end += self.longer(begin, takes, already_stopped);
        self.running = Some(running);
        (begin, Some((running.op, running.end)))
    }

    /// By how much a reading makes the running program's stop longer.
    fn longer(&self, begin: Instant, takes: Duration, already_stopped: bool) -> Duration {
        match already_stopped {
            true => (begin + takes).since(self.reads_end),
            false => takes,
        }
    }

    /// Puts a reading where the running step ends, unless that is the last one, readings wait
    /// behind the program already, or it was kept too long.
    fn between_steps(
        &mut self,
        free: Instant,
        now: Instant,
        mut running: Running,
        takes: Duration,
        rules: &Arbitration,
    ) -> (Instant, Option<(u32, Instant)>) {
        let behind = free.max(running.end);
        if self.reads_end >= running.end || running.pushed + takes > rules.patience {
            return (behind, None);
        }
        let step = running.step;
        let between = self.reads_end > now;
        let begin = if between {
            free.max(self.gap)
        } else {
            let left = running.end.since(now);
            let steps =
                (left.as_nanos() / step.as_nanos().max(1)).min(u64::from(running.steps) - 1);
            now + left.saturating_sub(step.saturating_mul(steps))
        };
        if begin >= running.end {
            return (behind, None);
        }
        let longer = self.longer(begin, takes, between);
        running.end += longer;
        running.pushed += longer;
        if !between {
            self.gap = begin;
        }
        self.running = Some(running);
        (begin, Some((running.op, running.end)))
    }

    /// Accepts a program, and starts it if possible.
    #[inline]
    pub fn program(
        &mut self,
        now: Instant,
        (op, own): (u32, bool),
        what: Programming,
        rules: &Arbitration,
    ) -> Turn {
        if matches!(rules.policy, ReadPolicy::Drain | ReadPolicy::Fifo) {
            self.programs_end = now.max(self.reads_end).max(self.programs_end) + what.takes;
            return Turn::Begun(op, self.programs_end);
        }
        let waiting = Waiting {
            op,
            what,
            since: now,
        };
        let alone = self.host.is_empty() && self.own.is_empty();
        let rests = self.reads_end <= now || rules.patience.is_zero();
        if alone && rests && self.running.is_none() {
            return self.begin(now, &waiting, own);
        }
        let line = if own { &mut self.own } else { &mut self.host };
        line.push_back(waiting);
        if alone {
            self.turn(now, rules)
        } else {
            Turn::Nothing
        }
    }

    /// Lets the program at the head begin where it may.
    pub fn turn(&mut self, now: Instant, rules: &Arbitration) -> Turn {
        if self.running.is_some() {
            return Turn::Nothing;
        }
        let own = !self.own.is_empty() && (self.host_was_last || self.host.is_empty());
        let line = if own { &mut self.own } else { &mut self.host };
        let Some(head) = line.front().copied() else {
            return Turn::Nothing;
        };
        let impatient = now >= head.since + rules.patience;
        if self.reads_end > now && !impatient {
            return Turn::Later(head.op, self.reads_end);
        }
        line.pop_front();
        self.begin(now, &head, own)
    }

    /// A program begins.
    #[inline]
    fn begin(&mut self, now: Instant, head: &Waiting, own: bool) -> Turn {
        self.host_was_last = !own;
        let Programming {
            takes,
            erase,
            steps,
        } = head.what;
        let end = now.max(self.reads_end) + takes;
        let step = match steps {
            0 | 1 => takes,
            steps => Duration::from_nanos(takes.as_nanos() / u64::from(steps)),
        };
        self.running = Some(Running {
            op: head.op,
            step,
            steps,
            program: takes.saturating_sub(erase),
            end,
            suspensions: 0,
            pushed: Duration::ZERO,
        });
        Turn::Begun(head.op, end)
    }

    /// The running program has ended; the next one may begin.
    pub fn program_ended(&mut self, now: Instant, rules: &Arbitration) -> Turn {
        debug_assert!(
            self.running.is_none_or(|running| now >= running.end),
            "a program takes its whole time"
        );
        self.running = None;
        self.turn(now, rules)
    }

    /// Forgets all that runs or waits: the power has failed.
    pub fn stop(&mut self, at: Instant) {
        *self = Die {
            reads_end: at,
            programs_end: at,
            gap: at,
            ..Die::default()
        };
    }

    /// Programs that wait or run.
    pub fn programs(&self) -> usize {
        self.host.len() + self.own.len() + usize::from(self.running.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(policy: ReadPolicy) -> Arbitration {
        Arbitration {
            policy,
            pulse: Duration::ZERO,
            suspend: Duration::from_micros(10),
            suspensions: 2,
            patience: Duration::from_millis(10),
            steps: 1,
        }
    }
    fn us(us: u64) -> Instant {
        Instant::from_nanos(us * 1_000)
    }
    fn of(takes: Duration, steps: u32) -> Programming {
        let erase = Duration::ZERO;
        Programming {
            takes,
            erase,
            steps,
        }
    }
    const READ: Duration = Duration::from_micros(60);
    const PROGRAM: Duration = Duration::from_micros(1_000);

    fn read_end_behind_two_programs(policy: ReadPolicy) -> (Instant, Die) {
        let rules = rules(policy);
        let mut die = Die::default();
        die.program(us(0), (1, false), of(PROGRAM, rules.steps), &rules);
        die.program(us(0), (2, false), of(PROGRAM, rules.steps), &rules);
        (die.read(us(100), 7, READ, &rules).end, die)
    }

    #[test]
    fn a_read_waits_for_all_for_one_or_for_no_program() {
        assert_eq!(read_end_behind_two_programs(ReadPolicy::Fifo).0, us(2_060));
        assert_eq!(
            read_end_behind_two_programs(ReadPolicy::ReadFirst).0,
            us(1_060)
        );
        assert_eq!(read_end_behind_two_programs(ReadPolicy::Suspend).0, us(170));
    }

    #[test]
    fn a_read_that_overtakes_waits_for_the_running_step_of_a_program_in_steps() {
        let rules = Arbitration {
            steps: 4,
            ..rules(ReadPolicy::ReadFirst)
        };
        let mut die = Die::default();
        die.program(us(0), (1, false), of(PROGRAM, rules.steps), &rules);
        let first = die.read(us(100), 7, READ, &rules);
        assert_eq!((first.end, first.pushed), (us(310), Some((1, us(1_060)))));
        // A second one in the same gap, and a third after the next step, with 250 us left.
        assert_eq!(die.read(us(260), 8, READ, &rules).end, us(370));
        let third = die.read(us(400), 9, READ, &rules);
        assert_eq!((third.end, third.pushed), (us(680), Some((1, us(1_180)))));
        // In the last step it waits for the end, and those after it behind it.
        assert_eq!(die.read(us(1_000), 10, READ, &rules).end, us(1_240));
        assert_eq!(die.read(us(1_001), 11, READ, &rules).end, us(1_300));
    }

    #[test]
    fn an_erase_may_stop_for_a_read_where_the_program_behind_it_does_not() {
        let rules = rules(ReadPolicy::SuspendErase);
        let mut die = Die::default();
        let what = Programming {
            takes: Duration::from_micros(4_000),
            erase: Duration::from_micros(3_000),
            steps: 1,
        };
        die.program(us(0), (1, false), what, &rules);
        let early = die.read(us(100), 7, READ, &rules);
        assert_eq!((early.end, early.pushed), (us(170), Some((1, us(4_070)))));
        // The erase ends later by the reading and by what stopping costs.
        assert_eq!(die.read(us(3_080), 8, READ, &rules).end, us(4_130));
    }

    #[test]
    fn readings_between_steps_do_not_keep_a_program_for_ever() {
        let rules = Arbitration {
            steps: 3,
            patience: Duration::from_micros(200),
            ..rules(ReadPolicy::ReadFirst)
        };
        let mut die = Die::default();
        die.program(us(0), (1, false), of(PROGRAM, rules.steps), &rules);
        let ends: Vec<Instant> = (0..20)
            .filter_map(|n| die.read(us(10 + n), n as u32, READ, &rules).pushed)
            .map(|(_, end)| end)
            .collect();
        assert_eq!(ends, [us(1_060), us(1_120), us(1_180)]);
    }

    #[test]
    fn a_program_that_waits_begins_after_the_reads_that_overtook_it() {
        let (_, mut die) = read_end_behind_two_programs(ReadPolicy::ReadFirst);
        let rules = rules(ReadPolicy::ReadFirst);
        assert_eq!(
            die.program_ended(us(1_000), &rules),
            Turn::Later(2, us(1_060))
        );
        assert_eq!(die.turn(us(1_060), &rules), Turn::Begun(2, us(2_060)));
    }

    #[test]
    fn a_suspended_program_ends_later_by_what_it_lost() {
        let rules = rules(ReadPolicy::Suspend);
        let mut die = Die::default();
        assert_eq!(
            die.program(us(0), (1, false), of(PROGRAM, rules.steps), &rules),
            Turn::Begun(1, us(1_000))
        );
        let first = die.read(us(100), 7, READ, &rules);
        assert_eq!((first.end, first.pushed), (us(170), Some((1, us(1_070)))));
        // It is still stopped: the second one pays no second suspension.
        let second = die.read(us(120), 8, READ, &rules);
        assert_eq!((second.end, second.pushed), (us(230), Some((1, us(1_130)))));
        // A second suspension, and then no third.
        let third = die.read(us(300), 9, READ, &rules);
        assert_eq!((third.end, third.pushed), (us(370), Some((1, us(1_200)))));
        let fourth = die.read(us(500), 10, READ, &rules);
        assert_eq!((fourth.end, fourth.pushed), (us(1_260), None));
    }

    #[test]
    fn pages_of_one_unit_asked_for_together_are_read_once() {
        let rules = rules(ReadPolicy::ReadFirst);
        let mut die = Die::default();
        assert_eq!(die.read(us(0), 7, READ, &rules).end, us(60));
        assert_eq!(die.read(us(0), 7, READ, &rules).end, us(60));
        assert_eq!(die.read(us(0), 8, READ, &rules).end, us(120));
        assert_eq!(die.read(us(9), 8, READ, &rules).end, us(180));
    }

    #[test]
    fn readings_cannot_hold_a_program_back_for_ever() {
        let rules = rules(ReadPolicy::ReadFirst);
        let mut die = Die::default();
        die.read(us(0), 0, READ, &rules);
        assert_eq!(
            die.program(us(1), (5, false), of(PROGRAM, rules.steps), &rules),
            Turn::Later(5, us(60))
        );
        let mut at = us(60);
        for unit in 1..1_000 {
            die.read(Instant::from_nanos(at.as_nanos() - 1), unit, READ, &rules);
            match die.turn(at, &rules) {
                Turn::Later(5, next) => at = next,
                Turn::Begun(5, _) => break,
                other => panic!("{other:?}"),
            }
        }
        assert!(at >= us(10_000) && at < us(10_200), "{at:?}");
    }

    #[test]
    fn a_program_stops_at_the_end_of_a_pulse_and_takes_no_longer_for_that() {
        let rules = Arbitration {
            pulse: Duration::from_micros(300),
            ..rules(ReadPolicy::Suspend)
        };
        let mut die = Die::default();
        die.program(us(0), (1, false), of(PROGRAM, rules.steps), &rules);
        // The pulse that is under way at 350 ends at 600; ten more until the cells can be read.
        let first = die.read(us(350), 7, READ, &rules);
        assert_eq!((first.end, first.pushed), (us(670), Some((1, us(1_070)))));
        // 330 of the program are left, 30 of the last whole pulse.
        let second = die.read(us(740), 8, READ, &rules);
        assert_eq!(second.end, us(1_040));
    }
}
