//! One time span on a target: threads whose requests are sent anew as soon as they are back.
//!
//! DiskSpd's threads each have their own queue; here they are streams of one loop, and the drive sees the same I/Os. An
//! I/O counts where it ends while the span is measured, be it sent in the warm-up. Its latency counts from when its
//! thread sends it, also where it then waits for room in the target's queue. A throttle holds a thread back until its
//! mean rate since the beginning would not be above the limit; a rest follows so many I/Os that came back.

use std::collections::VecDeque;

use base::io::{Fill, Io, Op};
use base::record::{Completion, JobRecord};
use base::rng::{Rng, splitmix64};
use base::size::Bytes;
use base::target::{Done, Outcome, Tag, Target};
use base::time::{Duration, Instant};

use crate::error::DiskSpdError;
use crate::kept::{Kept, Side};
use crate::places::Places;
use crate::processors::{Ticks, Usage, between};
use crate::profile::{Throttle, TimeSpan, Work};

/// How often the loop asks whether somebody wants it to end, in the target's time.
const LOOK: Duration = Duration::from_millis(100);
/// EIO, where fewer bytes were moved than asked.
const SHORT: i32 = 5;

/// What came of a time span.
#[derive(Clone, Debug)]
pub struct Ran {
    /// How long it was measured.
    pub time: Duration,
    /// Of each thread, in order.
    pub threads: Vec<Kept>,
    /// What the processors did.
    pub processors: Vec<Usage>,
    /// The same I/Os as drivelab keeps them, for each piece of work.
    pub records: Vec<JobRecord>,
    /// Bytes of each piece of work's target.
    pub sizes: Vec<u64>,
}

struct Thread<'a> {
    work: &'a Work,
    number: usize,
    fill: Fill,
    /// Whose places it takes.
    places: usize,
    rng: Rng,
    idle: VecDeque<u32>,
    rests_until: Instant,
    of_burst: u32,
    /// Bytes, or I/Os, that its throttle has let through.
    let_through: u64,
    stamp: u64,
    kept: Kept,
}

/// One I/O on its way.
struct Sent {
    thread: usize,
    request: u32,
    io: Io,
    issued: Instant,
    /// It waited for room, so that it was sent later than it was issued.
    waited: bool,
}

struct Running<'t, 'a> {
    target: &'t mut dyn Target,
    span: &'a TimeSpan,
    threads: Vec<Thread<'a>>,
    places: Vec<Places>,
    records: Vec<JobRecord>,
    slots: Vec<Option<Sent>>,
    free: Vec<u32>,
    waiting: VecDeque<Sent>,
    now: Instant,
    began: Instant,
    /// Measured from, to; nothing is issued from the last one on.
    edges: [Instant; 3],
    ticks: [Option<Vec<Ticks>>; 2],
}

/// Runs a time span. `processors` tells what the processors have done so far.
///
/// # Errors
/// An I/O that failed, the wish to stop.
pub fn run(
    target: &mut dyn Target,
    span: &TimeSpan,
    processors: &dyn Fn() -> Vec<Ticks>,
    stop: &dyn Fn() -> bool,
) -> Result<Ran, DiskSpdError> {
    let info = target.info();
    let seconds = |n: u32| Duration::from_secs(u64::from(n));
    let began = target.now();
    let from = began.saturating_add(seconds(span.warm_up));
    let to = from.saturating_add(seconds(span.duration));
    let end = to.saturating_add(seconds(span.cool_down));
    let mut running = Running {
        target,
        span,
        threads: Vec::new(),
        places: Vec::new(),
        records: Vec::new(),
        slots: Vec::new(),
        free: Vec::new(),
        waiting: VecDeque::new(),
        now: began,
        began,
        edges: [from, to, end],
        ticks: [None, None],
    };
    let mut sizes = Vec::new();
    for (n, work) in span.works.iter().enumerate() {
        running.add(n, work, info.capacity)?;
        let has = work.create.unwrap_or(info.capacity.get());
        sizes.push(has.min(info.capacity.get()));
        let name = format!("{} {n}", work.path);
        running
            .records
            .push(JobRecord::new(&name, seconds(1), None));
    }
    let requests: usize = running.threads.iter().map(|thread| thread.idle.len()).sum();
    let most = u32::try_from(requests)
        .unwrap_or(u32::MAX)
        .min(info.max_in_flight)
        .max(1);
    running.slots.resize_with(most as usize, || None);
    running.free = (0..most).rev().collect();
    running.go(processors, stop)?;
    running.records.iter_mut().for_each(JobRecord::settle);
    let [before, after] = running.ticks.map(Option::unwrap_or_default);
    Ok(Ran {
        time: seconds(span.duration),
        threads: running
            .threads
            .into_iter()
            .map(|thread| thread.kept)
            .collect(),
        processors: between(&before, &after),
        records: running.records,
        sizes,
    })
}

impl<'a> Running<'_, 'a> {
    /// The threads of a piece of work.
    fn add(&mut self, number: usize, work: &'a Work, capacity: Bytes) -> Result<(), DiskSpdError> {
        let region = work.region(capacity)?;
        let (threads, requests) = self.span.threads_of(work);
        let intervals = self.span.interval_ms.map_or(0, |interval| {
            (u64::from(self.span.duration) * 1_000 / u64::from(interval)) as usize
        });
        for thread in 0..threads {
            if thread == 0 || !work.interlocked {
                self.places
                    .push(Places::new(work, thread, requests, region));
            }
            // As in DiskSpd, the threads of one run differ and those of two runs do not.
            let seed = u64::from(self.span.seed) + self.threads.len() as u64;
            self.threads.push(Thread {
                work,
                number,
                fill: work.fill(self.span.fresh_data),
                places: self.places.len() - 1,
                rng: Rng::new(splitmix64(seed)),
                idle: (0..requests).collect(),
                rests_until: Instant::ZERO,
                of_burst: 0,
                let_through: 0,
                stamp: splitmix64(seed ^ 0x6469_736B),
                kept: Kept {
                    work: number,
                    reads: Side::new(intervals),
                    writes: Side::new(intervals),
                },
            });
        }
        Ok(())
    }

    fn go(
        &mut self,
        processors: &dyn Fn() -> Vec<Ticks>,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), DiskSpdError> {
        let mut done = Vec::new();
        let mut look = self.now.saturating_add(LOOK);
        loop {
            for edge in 0..2 {
                if self.now >= self.edges[edge] && self.ticks[edge].is_none() {
                    self.ticks[edge] = Some(processors());
                }
            }
            if self.now < self.edges[2] {
                self.issue();
            } else {
                self.waiting.clear();
            }
            self.submit();
            let in_flight = self.slots.len() - self.free.len();
            if in_flight == 0 && self.now >= self.edges[2] {
                return Ok(());
            }
            let until = self.until().min(look).max(self.now);
            self.target
                .wait((until > self.now).then_some(until), &mut done);
            self.now = match done.last() {
                Some(last) => last.at.max(self.now),
                None => self.target.now().max(self.now),
            };
            for one in done.drain(..) {
                self.came_back(&one)?;
            }
            if self.now >= look {
                look = self.now.saturating_add(LOOK);
                if stop() {
                    return Err(DiskSpdError::Interrupted);
                }
            }
        }
    }

    /// When the loop has to look again, whether or not something comes back.
    fn until(&self) -> Instant {
        let edges = self.edges.iter().copied();
        let threads = self.threads.iter().filter(|thread| !thread.idle.is_empty());
        let due = threads.map(|thread| self.due(thread));
        let ahead = edges.chain(due).filter(|at| *at > self.now).min();
        ahead.unwrap_or_else(|| self.now.saturating_add(LOOK))
    }

    /// When a thread may send its next I/O.
    fn due(&self, thread: &Thread<'_>) -> Instant {
        let next = match thread.work.throttle {
            None => return thread.rests_until,
            // What would then have been let through has to be due.
            Some(Throttle::BytesPerMs(rate)) => {
                let bytes = thread.let_through + thread.work.block;
                Duration::from_secs_f64(bytes as f64 / (f64::from(rate) * 1_000.0))
            }
            Some(Throttle::Iops(rate)) => {
                Duration::from_secs_f64((thread.let_through + 1) as f64 / f64::from(rate))
            }
        };
        self.began.saturating_add(next)
    }

    fn issue(&mut self) {
        for n in 0..self.threads.len() {
            while !self.threads[n].idle.is_empty() && self.due(&self.threads[n]) <= self.now {
                let thread = &mut self.threads[n];
                let Some(request) = thread.idle.pop_front() else {
                    break;
                };
                let io = thread.draw(&mut self.places[thread.places], request);
                thread.issued();
                self.waiting.push_back(Sent {
                    thread: n,
                    request,
                    io,
                    issued: self.now,
                    waited: false,
                });
            }
        }
    }

    fn submit(&mut self) {
        while let Some(sent) = self.waiting.pop_front() {
            let Some(tag) = self.free.pop() else {
                self.waiting.push_front(sent);
                break;
            };
            if self.threads.len() > 1 {
                self.target.next_from(sent.thread as u32);
            }
            if self.target.submit(Tag(tag), &sent.io).is_err() {
                self.free.push(tag);
                self.waiting.push_front(sent);
                break;
            }
            self.slots[tag as usize] = Some(sent);
        }
        self.waiting.iter_mut().for_each(|sent| sent.waited = true);
    }

    fn came_back(&mut self, done: &Done) -> Result<(), DiskSpdError> {
        let slot = self.slots.get_mut(done.tag.0 as usize);
        let Some(sent) = slot.and_then(Option::take) else {
            return Ok(());
        };
        self.free.push(done.tag.0);
        let errno = match done.outcome {
            Outcome::Complete | Outcome::Differs(_) => None,
            Outcome::Short(_) => Some(SHORT),
            Outcome::Failed(errno) | Outcome::Broken(errno) => Some(errno),
        };
        if let Some(errno) = errno {
            return Err(DiskSpdError::Io {
                op: sent.io.op,
                offset: sent.io.offset,
                len: sent.io.len,
                errno,
            });
        }
        let thread = &mut self.threads[sent.thread];
        thread.idle.push_back(sent.request);
        thread.came_back(done.at);
        let [from, to, _] = self.edges;
        if done.at < from || done.at >= to {
            return Ok(());
        }
        let began = if sent.waited { sent.issued } else { done.sent };
        let (latency, at) = (done.at.since(began), done.at.since(from));
        let interval = Duration::from_millis(u64::from(self.span.interval_ms.unwrap_or(0)));
        let side = match sent.io.op {
            Op::Write => &mut thread.kept.writes,
            _ => &mut thread.kept.reads,
        };
        side.keep(sent.io.len.get(), latency, at, interval);
        self.records[thread.number].keep(&Completion {
            io: sent.io,
            at,
            service: latency,
            response: None,
            outcome: done.outcome,
            beside_reads: 0,
            beside_writes: 0,
        });
        Ok(())
    }
}

impl Thread<'_> {
    fn draw(&mut self, places: &mut Places, request: u32) -> Io {
        let writes = match self.work.write_percent {
            0 => false,
            100 => true,
            share => self.rng.below(100) < u64::from(share),
        };
        let offset = Bytes::new(places.draw(request, &mut self.rng));
        let len = Bytes::new(self.work.block);
        if !writes {
            return Io::read(offset, len);
        }
        self.stamp = self.stamp.wrapping_add(1);
        Io {
            fill: self.fill,
            durable: self.work.write_through,
            ..Io::write(offset, len, splitmix64(self.stamp))
        }
    }

    fn issued(&mut self) {
        self.let_through += match self.work.throttle {
            Some(Throttle::BytesPerMs(_)) => self.work.block,
            Some(Throttle::Iops(_)) | None => 1,
        };
    }

    fn came_back(&mut self, at: Instant) {
        if self.work.think_ms == 0 {
            return;
        }
        self.of_burst += 1;
        if self.of_burst >= self.work.burst.max(1) {
            self.of_burst = 0;
            self.rests_until =
                at.saturating_add(Duration::from_millis(u64::from(self.work.think_ms)));
        }
    }
}
