//! One time span in the run loop: threads whose requests are sent anew as soon as they are back.
//!
//! DiskSpd's threads each have their own queue; here they are streams of one loop, or of as many loops as a real drive
//! is given rings, and the drive sees the same I/Os. An
//! I/O counts if it completes in the measured time, even if it was sent in the warm-up. Its latency counts from
//! submission by its thread, including waiting for room in the target's queue. A throttle holds a thread back until its
//! mean rate since the beginning is within the limit; a pause follows a number of completions.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use base::io::{Fill, Io, Op};
use base::record::{JobRecord, PhaseRecord};
use base::rng::{Rng, splitmix64};
use base::run::{Flight, Share, Slot, Source, Watcher};
use base::side_by_side::held;
use base::size::Bytes;
use base::target::{Done, Outcome, Target};
use base::time::{Duration, Instant};

use crate::error::DiskSpdError;
use crate::kept::{Kept, Side};
use crate::places::Places;
use crate::processors::{self, Ticks, Usage, between};
use crate::profile::{Throttle, TimeSpan, Work};

/// EIO, if fewer bytes were moved than requested.
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
    /// Bytes of each piece of work's target.
    pub sizes: Vec<u64>,
    /// How long the program itself stood still in the measured span. DiskSpd counts that as its time; a rate of the
    /// drive's leaves it out.
    pub(crate) stood_still: Duration,
}

impl Ran {
    /// What came of all threads, from what came of each ring's.
    pub(crate) fn merged(rings: Vec<Ran>) -> Option<Ran> {
        let mut rings = rings.into_iter();
        let mut whole = rings.next()?;
        for ring in rings {
            whole.time = whole.time.max(ring.time);
            whole.stood_still = whole.stood_still.max(ring.stood_still);
            whole.threads.extend(ring.threads);
            if whole.processors.is_empty() {
                whole.processors = ring.processors;
            }
        }
        whole.threads.sort_by_key(|thread| thread.thread);
        Some(whole)
    }
}

/// The first I/O that failed, on any ring: all of them end with it.
#[derive(Default)]
pub(crate) struct Failed {
    any: AtomicBool,
    first: Mutex<Option<DiskSpdError>>,
}

impl Failed {
    fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    fn keep(&self, why: DiskSpdError) {
        held(&self.first).get_or_insert(why);
        self.any.store(true, Ordering::Relaxed);
    }

    /// The failure, if there was one.
    pub(crate) fn first(self) -> Option<DiskSpdError> {
        let first = self.first.into_inner();
        first.unwrap_or_else(PoisonError::into_inner)
    }
}

struct Thread<'a> {
    work: &'a Work,
    number: usize,
    fill: Fill,
    /// The thread whose positions it uses.
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

/// One outstanding I/O.
struct Sent {
    thread: usize,
    request: u32,
    io: Io,
    issued: Instant,
    /// It waited for room, so it was sent later than it was issued.
    waited: bool,
}

/// The threads of a time span that run in this loop.
pub(crate) struct Threads<'a> {
    span: &'a TimeSpan,
    threads: Vec<Thread<'a>>,
    /// Threads so far, those of other rings included.
    made: usize,
    places: Vec<Places>,
    /// Outstanding I/Os, by slot.
    sent: Vec<Option<Sent>>,
    waiting: VecDeque<Sent>,
    /// More requests than the target takes at once: response times count from when a thread sends.
    may_wait: bool,
    now: Instant,
    began: Instant,
    /// Measured from, to; nothing is issued from the last one on.
    edges: [Instant; 3],
    counts_processors: bool,
    ticks: [Option<Vec<Ticks>>; 2],
    records: Vec<JobRecord>,
    sizes: Vec<u64>,
    failed: &'a Failed,
    /// How long the program itself stood still in the measured span.
    stood_still: Duration,
}

impl<'a> Threads<'a> {
    /// None has begun; on one of several rings only its share. What the processors do counts on a real drive.
    ///
    /// # Errors
    /// Work that does not fit the target.
    pub(crate) fn new(
        target: &dyn Target,
        span: &'a TimeSpan,
        failed: &'a Failed,
        (share, counts_processors): (Option<Share>, bool),
    ) -> Result<Threads<'a>, DiskSpdError> {
        let info = target.info();
        let seconds = |n: u32| Duration::from_secs(u64::from(n));
        let began = target.now();
        let from = began.saturating_add(seconds(span.warm_up));
        let to = from.saturating_add(seconds(span.duration));
        let end = to.saturating_add(seconds(span.cool_down));
        let mut all = Threads {
            span,
            threads: Vec::new(),
            made: 0,
            places: Vec::new(),
            sent: Vec::new(),
            waiting: VecDeque::new(),
            may_wait: false,
            now: began,
            began,
            edges: [from, to, end],
            counts_processors,
            ticks: [None, None],
            records: Vec::new(),
            sizes: Vec::new(),
            failed,
            stood_still: Duration::ZERO,
        };
        for (n, work) in span.works.iter().enumerate() {
            all.add(n, work, info.capacity, share)?;
            let has = work.create.unwrap_or(info.capacity.get());
            all.sizes.push(has.min(info.capacity.get()));
            let name = format!("{} {n}", work.path);
            all.records.push(JobRecord::new(&name, seconds(1), None));
        }
        let requests: usize = all.threads.iter().map(|thread| thread.idle.len()).sum();
        let most = u32::try_from(requests).unwrap_or(u32::MAX);
        all.may_wait = most > info.max_in_flight;
        all.sent
            .resize_with(most.clamp(1, info.max_in_flight.max(1)) as usize, || None);
        Ok(all)
    }

    /// Runs the span to its end, or to where it was ended.
    pub(crate) fn run(
        mut self,
        target: &mut dyn Target,
        mut record: PhaseRecord,
        watcher: &mut dyn Watcher,
    ) -> (PhaseRecord, Ran) {
        record.jobs = std::mem::take(&mut self.records);
        let mut flight = Flight::new(record, self.sent.len() as u32);
        flight.go(target, &mut self, watcher);
        self.now = flight.now;
        let ran = self.into_ran(&flight.record);
        (flight.record, ran)
    }

    /// The outcome: of the whole span, or of what was measured if it ended early.
    fn into_ran(self, record: &PhaseRecord) -> Ran {
        let [from, to, _] = self.edges;
        let is_whole = record.ended == base::record::Ended::Complete && !self.failed.any();
        let [before, after] = self.ticks.map(Option::unwrap_or_default);
        Ran {
            time: match is_whole {
                true => to.since(from),
                false => self.now.min(to).since(from),
            },
            threads: self.threads.into_iter().map(|thread| thread.kept).collect(),
            processors: between(&before, &after),
            sizes: self.sizes,
            stood_still: self.stood_still,
        }
    }

    /// The threads of a piece of work.
    fn add(
        &mut self,
        number: usize,
        work: &'a Work,
        capacity: Bytes,
        share: Option<Share>,
    ) -> Result<(), DiskSpdError> {
        let region = work.region(capacity)?;
        let (threads, requests) = self.span.threads_of(work);
        let intervals = self.span.interval_ms.map_or(0, |interval| {
            (u64::from(self.span.duration) * 1_000 / u64::from(interval)) as usize
        });
        for thread in 0..threads {
            let among_all = self.made;
            self.made += 1;
            if share.is_some_and(|share| !share.has(among_all)) {
                continue;
            }
            if thread == 0 || !work.interlocked {
                self.places
                    .push(Places::new(work, thread, requests, region));
            }
            // As in DiskSpd, the threads of one run differ and those of two runs do not.
            let seed = u64::from(self.span.seed) + among_all as u64;
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
                    thread: among_all,
                    reads: Side::new(intervals),
                    writes: Side::new(intervals),
                },
            });
        }
        Ok(())
    }

    /// What the processors have done, where the measured span begins and ends.
    fn look_at_processors(&mut self) {
        for edge in 0..2 {
            if self.now >= self.edges[edge] && self.ticks[edge].is_none() {
                self.ticks[edge] = Some(match self.counts_processors {
                    true => processors::now(),
                    false => Vec::new(),
                });
            }
        }
    }

    /// When a thread may send its next I/O.
    fn due_of(&self, thread: &Thread<'_>) -> Instant {
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

    /// Draws the I/Os of all threads that may send now.
    fn draw_all(&mut self) {
        for n in 0..self.threads.len() {
            while !self.threads[n].idle.is_empty() && self.due_of(&self.threads[n]) <= self.now {
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

    fn send_all<T: Target + ?Sized>(&mut self, flight: &mut Flight, target: &mut T) {
        while let Some(sent) = self.waiting.pop_front() {
            if self.threads.len() > 1 {
                target.next_from(sent.thread as u32);
            }
            let counts_from = self.may_wait.then_some(sent.issued);
            let Some(slot) = flight.send(target, &sent.io, sent.thread as u32, counts_from) else {
                self.waiting.push_front(sent);
                break;
            };
            self.sent[slot as usize] = Some(sent);
        }
        self.waiting.iter_mut().for_each(|sent| sent.waited = true);
    }
}

impl Source for Threads<'_> {
    fn issue<T: Target + ?Sized>(&mut self, flight: &mut Flight, target: &mut T) {
        self.now = flight.now;
        self.look_at_processors();
        flight.stopping |= self.failed.any();
        if flight.stopping || self.now >= self.edges[2] {
            self.waiting.clear();
            return;
        }
        self.draw_all();
        self.send_all(flight, target);
    }

    fn due(&self, _: &Flight) -> Option<Instant> {
        let edges = self.edges.iter().copied();
        let threads = self.threads.iter().filter(|thread| !thread.idle.is_empty());
        let due = threads.map(|thread| self.due_of(thread));
        edges.chain(due).filter(|at| *at > self.now).min()
    }

    fn is_exhausted(&self) -> bool {
        self.now >= self.edges[2]
    }

    /// An I/O counts where it ends while the span is measured.
    fn job_of(&self, slot: &Slot, done: &Done) -> Option<usize> {
        let [from, to, _] = self.edges;
        let counts = done.at >= from && done.at < to;
        counts.then(|| self.threads[slot.of as usize].number)
    }

    fn origin(&self, _: usize) -> Option<Instant> {
        Some(self.edges[0])
    }

    fn stood_still(&mut self, time: Duration) {
        // The last moment at which the loop was awake.
        let [from, to, _] = self.edges;
        if self.now >= from {
            let measured = time.min(to.since(self.now));
            self.stood_still = self.stood_still.saturating_add(measured);
        }
    }

    fn came_back(&mut self, flight: &mut Flight, slot: &Slot, done: &Done) {
        let Some(sent) = self.sent[done.tag.0 as usize].take() else {
            return;
        };
        let errno = match done.outcome {
            Outcome::Complete | Outcome::Differs(_) => None,
            Outcome::Short(_) => Some(SHORT),
            Outcome::Failed(errno) | Outcome::Broken(errno) => Some(errno),
        };
        if let Some(errno) = errno {
            flight.stopping = true;
            self.failed.keep(DiskSpdError::Io {
                op: slot.io.op,
                offset: slot.io.offset,
                len: slot.io.len,
                errno,
            });
            return;
        }
        let thread = &mut self.threads[sent.thread];
        thread.idle.push_back(sent.request);
        thread.came_back(done.at);
        let [from, to, _] = self.edges;
        if done.at < from || done.at >= to {
            return;
        }
        let began = if sent.waited { sent.issued } else { done.sent };
        let (latency, at) = (done.at.since(began), done.at.since(from));
        let interval = Duration::from_millis(u64::from(self.span.interval_ms.unwrap_or(0)));
        let side = match slot.io.op {
            Op::Write => &mut thread.kept.writes,
            _ => &mut thread.kept.reads,
        };
        side.keep(slot.io.len.get(), latency, at, interval);
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
