//! Mixed work on a model, held to what every model owes its host: each I/O is answered once, time goes
//! on, and nothing stands still.

use base::io::{Io, Op};
use base::rng::Rng;
use base::size::Bytes;
use base::target::{Outcome, Tag};
use base::time::Instant;
use sim::model::{Finished, Model};

/// Steps without a completion after which a drive stands still.
const MOST_STEPS: u32 = 2_000_000;

/// Errors that a drive may end an I/O with: lost data, no such command, a drive that is worn out.
const ALLOWED: [i32; 3] = [5, 95, 30];

/// What is asked of the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// I/Os in all.
    pub(crate) ios: u64,
    /// In flight at most.
    pub(crate) depth: u32,
    /// A third of the I/Os begin at any sector and are up to 1 MiB long.
    pub(crate) crooked: bool,
    /// Draws the I/Os.
    pub(crate) seed: u64,
}

/// Runs the load; gives what went wrong, in words.
pub(crate) fn run(model: &mut dyn Model, load: Load) -> Result<(), String> {
    let most = model.info().max_in_flight;
    let mut work = Work {
        rng: Rng::stream(load.seed, 9),
        now: Instant::ZERO,
        free: (0..load.depth.clamp(1, most)).collect(),
        in_flight: vec![false; most as usize],
        left: load.ios,
    };
    loop {
        while work.left > 0
            && let Some(tag) = work.free.pop()
        {
            let io = work.draw(model.info().capacity, load.crooked);
            work.in_flight[tag as usize] = true;
            work.left -= 1;
            model.start(work.now, Tag(tag), &io);
        }
        if !work.in_flight.contains(&true) {
            return work.rests(model);
        }
        work.until_one_is_finished(model)?;
    }
}

struct Work {
    rng: Rng,
    now: Instant,
    free: Vec<u32>,
    in_flight: Vec<bool>,
    left: u64,
}

impl Work {
    /// Mostly small writes, since they wear every mechanism; now and then anything else.
    fn draw(&mut self, capacity: Bytes, crooked: bool) -> Io {
        let capacity = capacity.get();
        let at = Bytes::new(self.rng.below((capacity / 4_096).max(1)) * 4_096);
        let kind = self.rng.below(100);
        let mut io = match kind {
            0..=1 => Io {
                op: Op::Trim,
                ..Io::read(at, Bytes::kib(4 << self.rng.below(12)))
            },
            2 => return Io::flush(),
            3..=9 => Io::read(at, Bytes::kib(4 << self.rng.below(7))),
            _ => Io::write(at, Bytes::kib(4), self.left),
        };
        if crooked && (30..63).contains(&kind) {
            io.offset = Bytes::new(self.rng.below(capacity / 512) * 512);
            io.len = Bytes::new((1 + self.rng.below(2_048)) * 512);
        }
        let inside = (capacity - io.offset.get()) / 512 * 512;
        io.len = io.len.min(Bytes::new(inside.max(512)));
        io
    }

    fn until_one_is_finished(&mut self, model: &mut dyn Model) -> Result<(), String> {
        let mut finished = Vec::new();
        for _ in 0..MOST_STEPS {
            let Some(at) = model.next() else {
                return Err(format!("it stands still with {} I/Os to come", self.left));
            };
            if at < self.now {
                return Err(format!("time goes back from {:?} to {at:?}", self.now));
            }
            self.now = at;
            model.step(&mut finished);
            if !finished.is_empty() {
                return finished.iter().try_for_each(|one| self.take(one));
            }
        }
        Err(format!("{MOST_STEPS} steps finish nothing"))
    }

    fn take(&mut self, finished: &Finished) -> Result<(), String> {
        let tag = finished.tag.0;
        if !std::mem::take(&mut self.in_flight[tag as usize]) {
            return Err(format!("tag {tag} is answered and was not asked"));
        }
        self.free.push(tag);
        match finished.outcome {
            Outcome::Complete => Ok(()),
            Outcome::Failed(error) if ALLOWED.contains(&error) => Ok(()),
            other => Err(format!("an I/O ends with {other:?}")),
        }
    }

    /// What the drive does of itself goes on without an I/O, and answers nothing.
    fn rests(&mut self, model: &mut dyn Model) -> Result<(), String> {
        let mut finished = Vec::new();
        for _ in 0..2_000 {
            if model.next().is_none() {
                break;
            }
            model.step(&mut finished);
        }
        match finished.first() {
            None => Ok(()),
            Some(one) => self.take(one),
        }
    }
}
