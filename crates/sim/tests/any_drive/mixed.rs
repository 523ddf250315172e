//! Mixed work of all kinds: reads, writes and trims of one sector to several MiB that begin at any
//! sector, at a page, at a multiple of their size, where the last one ended or over it, flushes
//! between them, a queue that is shallow and deep in turns, and rests in which the drive works for
//! itself. Held to what every model owes its host: each I/O is answered once and at its time, time
//! goes on, and nothing stands still.

use base::io::{Io, Op};
use base::rng::Rng;
use base::size::Bytes;
use base::target::{Outcome, Tag};
use base::time::{Duration, Instant};
use sim::model::{Finished, Model};

/// Steps without a completion after which a drive stands still.
const MOST_STEPS: u32 = 5_000_000;
/// Steps of a drive's own work in a rest that are waited for.
const STEPS_OF_A_REST: u32 = 20_000;
/// Powers of two sectors that an I/O may have: up to 4 MiB.
const SIZES: u64 = 14;
/// Bytes of the place that a part of the work keeps coming back to.
const HOT: u64 = 24 << 20;
/// Queue depths.
const DEPTHS: [u32; 8] = [1, 1, 2, 4, 8, 16, 32, 32];

/// Errors that a drive may end an I/O with: lost data, no such command, a drive that is worn out.
const ALLOWED: [i32; 3] = [5, 95, 30];

/// Runs so many I/Os, drawn from a seed; gives what went wrong, in words.
pub(crate) fn run(model: &mut dyn Model, ios: u64, seed: u64) -> Result<(), String> {
    let most = model.info().max_in_flight.min(32);
    let mut work = Work {
        rng: Rng::stream(seed, 11),
        now: Instant::ZERO,
        sent: vec![None; most as usize],
        free: (0..most).rev().collect(),
        depth: 1,
        left: ios,
        last: Io::read(Bytes::ZERO, Bytes::SECTOR),
        hot: 0,
    };
    while work.left > 0 {
        work.turn(model)?;
    }
    work.drained(model)?;
    work.rest(model, Duration::from_secs(10))
}

struct Work {
    rng: Rng,
    now: Instant,
    /// By tag: when it was sent, while it is in flight.
    sent: Vec<Option<Instant>>,
    free: Vec<u32>,
    depth: u32,
    left: u64,
    last: Io,
    /// Where the place begins that the work keeps coming back to.
    hot: u64,
}

impl Work {
    /// Some I/Os of one depth; now and then a rest.
    fn turn(&mut self, model: &mut dyn Model) -> Result<(), String> {
        let most = self.sent.len() as u32;
        self.depth = DEPTHS[self.rng.below(8) as usize].min(most);
        self.hot = self.rng.below(model.info().capacity.get());
        let ios = (1 + self.rng.below(400)).min(self.left);
        for _ in 0..ios {
            while self.in_flight() >= self.depth {
                self.until_one_is_finished(model)?;
            }
            self.left -= 1;
            self.send(model);
        }
        if self.rng.below(4) == 0 {
            self.drained(model)?;
            let most = [1_000, 200_000, 20_000_000][self.rng.below(3) as usize];
            let time = Duration::from_micros(self.rng.below(most));
            self.rest(model, time)?;
        }
        Ok(())
    }

    fn in_flight(&self) -> u32 {
        (self.sent.len() - self.free.len()) as u32
    }

    fn send(&mut self, model: &mut dyn Model) {
        let io = self.draw(model.info().capacity.get());
        let Some(tag) = self.free.pop() else {
            return;
        };
        self.sent[tag as usize] = Some(self.now);
        model.start(self.now, Tag(tag), &io);
        if io.op != Op::Flush {
            self.last = io;
        }
    }

    fn draw(&mut self, capacity: u64) -> Io {
        let kind = self.rng.below(100);
        if kind < 3 {
            return Io::flush();
        }
        let mut sectors = 1_u64 << self.rng.below(SIZES);
        if self.rng.below(3) == 0 {
            sectors = 1 + self.rng.below(2 * sectors);
        }
        if (3..9).contains(&kind) && self.rng.below(20) == 0 {
            sectors = 1 + self.rng.below(capacity / 512 / 4);
        }
        let len = (sectors * 512).min(capacity / 512 * 512);
        let at = self.place(capacity, len).min(capacity - len) / 512 * 512;
        let read = Io::read(Bytes::new(at), Bytes::new(len));
        match kind {
            3..9 => Io {
                op: Op::Trim,
                ..read
            },
            9..50 => read,
            _ => Io::write(read.offset, read.len, self.left),
        }
    }

    /// Where an I/O of so many bytes begins.
    fn place(&mut self, capacity: u64, len: u64) -> u64 {
        let anywhere = match self.rng.below(3) {
            0 => self.hot + self.rng.below(HOT),
            _ => self.rng.below(capacity),
        };
        match self.rng.below(6) {
            0 => anywhere / 512 * 512,
            1 => self.last.end().get(),
            2 => self.last.offset.get() + self.rng.below(self.last.len.get()),
            3 => anywhere / len * len,
            _ => anywhere / 4_096 * 4_096,
        }
    }

    fn drained(&mut self, model: &mut dyn Model) -> Result<(), String> {
        while self.in_flight() > 0 {
            self.until_one_is_finished(model)?;
        }
        Ok(())
    }

    fn until_one_is_finished(&mut self, model: &mut dyn Model) -> Result<(), String> {
        let mut finished = Vec::new();
        for _ in 0..MOST_STEPS {
            if !self.step(model, Instant::MAX, &mut finished)? {
                return Err(format!(
                    "it stands still at {:?} with {} in flight and {} to come",
                    self.now,
                    self.in_flight(),
                    self.left
                ));
            }
            if !finished.is_empty() {
                return finished.iter().try_for_each(|one| self.take(one));
            }
        }
        Err(format!("{MOST_STEPS} steps finish nothing"))
    }

    /// The next thing happens, where there is one up to a moment.
    fn step(
        &mut self,
        model: &mut dyn Model,
        until: Instant,
        finished: &mut Vec<Finished>,
    ) -> Result<bool, String> {
        let Some(at) = model.next().filter(|at| *at <= until) else {
            return Ok(false);
        };
        if at < self.now {
            return Err(format!("time goes back from {:?} to {at:?}", self.now));
        }
        self.now = at;
        model.step(finished);
        Ok(true)
    }

    fn take(&mut self, finished: &Finished) -> Result<(), String> {
        let tag = finished.tag.0;
        let Some(sent) = self.sent[tag as usize].take() else {
            return Err(format!("tag {tag} is answered and was not asked"));
        };
        self.free.push(tag);
        if finished.at < sent || finished.at > self.now {
            return Err(format!(
                "an I/O of {sent:?} is complete at {:?}, told at {:?}",
                finished.at, self.now
            ));
        }
        match finished.outcome {
            Outcome::Complete => Ok(()),
            Outcome::Failed(error) if ALLOWED.contains(&error) => Ok(()),
            other => Err(format!("an I/O ends with {other:?}")),
        }
    }

    /// The drive works for itself, and answers nothing.
    fn rest(&mut self, model: &mut dyn Model, time: Duration) -> Result<(), String> {
        let until = self.now.saturating_add(time);
        let mut finished = Vec::new();
        for _ in 0..STEPS_OF_A_REST {
            if !self.step(model, until, &mut finished)? {
                self.now = until;
                break;
            }
            if let Some(one) = finished.first() {
                return Err(format!("tag {} is answered twice", one.tag.0));
            }
        }
        Ok(())
    }
}
