//! A die: one reading, program or erase at a time, and their priorities.
//!
//! A program holds a die for milliseconds, a reading for a twentieth of that, so the order decides what a read waits
//! for while the drive writes. Five policies: no read while any die programs; first come, first served; reads overtake
//! programs that have not begun; a read also suspends a running erase, the longest of all; or it suspends a running
//! program, too. What was suspended resumes afterwards. A cell is charged in pulses, each of which is checked before
//! the next one, so that a program stops between two of them. Cells of three bits are programmed in steps, each a
//! command of its own (the charge is laid down coarsely, then finely, when the neighbours have theirs), so that a read
//! that overtakes waits for the running step alone. The finest step takes by far the longest, and most reads come in
//! it. Of programs that wait, the host's and the drive's own alternate, so that neither waits for all that the other
//! has in the buffer. A small state is enough: the end of the last reading that was accepted, the end of the running
//! program, and the programs that wait. The cache register lets a die read on while its last page is moved out, and
//! pages of one unit that are asked for together are read together by the planes. Where each plane reads independently
//! (`planes`), a reading waits for the last one of its plane alone; a program still takes all planes, and begins when
//! the last reading of any has ended.

use std::collections::VecDeque;

use base::time::{Duration, Instant};
use serde::Deserialize;

use crate::sheet::quantity::{Count, Microseconds, PerMille, Word};
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
        /// How many times as long as the one before each of these steps takes; 1: equal steps.
        step_growth "program_step_growth": PerMille in 1.0..=10.0, or 1_000;
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
    /// All of it, with the erase before it.
    takes: Duration,
    /// What follows the erase, and in how many steps.
    program: Duration,
    steps: u32,
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
        let left = self.end.since(now.min(self.end));
        let done = self.takes.saturating_sub(left).as_nanos();
        Duration::from_nanos(pulse.as_nanos() - done % pulse.as_nanos())
    }

    /// What will be left of the program when the running step, or the erase, has ended; `left` is now.
    fn left_after_step(&self, left: Duration, growth: u32) -> Duration {
        let shorter = 1_000.0 / f64::from(growth);
        let mut sum = 0.0;
        for _ in 0..self.steps {
            sum = sum * shorter + 1.0;
        }
        let mut step = self.program.as_nanos() as f64 / sum;
        let mut after = 0.0;
        for _ in 0..self.steps {
            if (left.as_nanos() as f64) < after + step {
                break;
            }
            after += step;
            step *= shorter;
        }
        Duration::from_nanos(after as u64)
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
        let between = self.reads_end > now;
        let begin = if between {
            free.max(self.gap)
        } else {
            let left = running.end.since(now);
            now + left.saturating_sub(running.left_after_step(left, rules.step_growth))
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
        self.running = Some(Running {
            op: head.op,
            takes,
            program: takes.saturating_sub(erase),
            steps,
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
mod tests;
