//! A probe: scripts of single I/Os as phases of a question, and the times that they took.

use base::write_counters::WriteCounters;
use base::{
    Bench, Bytes, Duration, Io, Job, Op, Order, PhaseRecord, Rng, Script, Span, Stop, Stopped,
    TrailIo, Workload, splitmix64,
};

use crate::asked::Asked;

/// What a fill is written by.
const FILLED_BY: Bytes = Bytes::mib(1);

/// Writes in order in flight: more than enough for the fastest drives.
const IN_ORDER_DEPTH: u32 = 8;

/// How often their rate is read.
const EACH: Duration = Duration::from_millis(10);

/// What a part is trimmed by.
const TRIMMED_BY: Bytes = Bytes::mib(64);

/// A question at work on a target.
pub(crate) struct Probe<'a> {
    bench: &'a mut dyn Bench,
    /// The question's name.
    pub(crate) id: &'static str,
    /// What is asked about.
    pub(crate) asked: &'a Asked,
    /// The phases so far.
    pub(crate) phases: Vec<String>,
    /// I/Os of them whose times were kept.
    pub(crate) ios: u64,
    /// Draws addresses and orders, the same in every run.
    pub(crate) rng: Rng,
}

impl<'a> Probe<'a> {
    /// A question that begins.
    pub(crate) fn new(bench: &'a mut dyn Bench, id: &'static str, asked: &'a Asked) -> Probe<'a> {
        let own = id
            .bytes()
            .fold(asked.seed, |seed, byte| splitmix64(seed ^ u64::from(byte)));
        Probe {
            bench,
            id,
            asked,
            phases: Vec::new(),
            ios: 0,
            rng: Rng::new(own),
        }
    }

    /// A read of one access at the n-th place.
    pub(crate) fn read(&self, place: u64) -> Io {
        let at = self.asked.span.start + self.asked.access * (place % self.asked.places());
        Io::read(at, self.asked.access)
    }

    /// A read somewhere.
    pub(crate) fn random_read(&mut self) -> Io {
        let place = self.rng.below(self.asked.places());
        self.read(place)
    }

    /// Sends I/Os one at a time, each when the one before is complete; gives them with their times, in order. There are
    /// fewer where the phase took too long, or where some failed.
    pub(crate) fn one_at_a_time(
        &mut self,
        name: &str,
        ios: impl IntoIterator<Item = Io>,
    ) -> Result<Vec<TrailIo>, Stopped> {
        let name = format!("{} {name}", self.id);
        let mut script = Script::new(&name, 1).keeping_trail();
        let mut last = None;
        for io in ios {
            last = Some(script.io(io, Duration::ZERO, last.as_slice()));
        }
        self.play(name, script)
    }

    /// Puts things in random order.
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            let other = self.rng.below(last as u64 + 1) as usize;
            things.swap(last, other);
        }
    }

    /// A write of fresh data.
    pub(crate) fn write(&mut self, at: Bytes, len: Bytes) -> Io {
        Io::write(at, len, self.rng.next_u64())
    }

    /// Writes a part in order, and leaves the drive alone for a while.
    pub(crate) fn fill(&mut self, span: Span, rest: Duration) -> Result<(), Stopped> {
        let piece = FILLED_BY.min(span.len);
        let pieces = accesses(span.len, piece);
        let ios: Vec<Io> = (0..pieces)
            .map(|n| self.write(span.start + piece * n, piece))
            .collect();
        let name = format!("{} fill to read", self.id);
        let mut script = Script::new(&name, 8);
        for io in ios {
            script.io(io, Duration::ZERO, &[]);
        }
        self.bench.script(&name, &script)?;
        self.rest("rest", rest)
    }

    /// What writes in order are made of.
    pub(crate) fn in_order_piece(span: Span) -> Bytes {
        FILLED_BY.min(span.len)
    }

    /// Writes a part in order at full rate until it is written or the phase is over; gives how many writes were sent.
    pub(crate) fn in_order(
        &mut self,
        name: &str,
        part: Span,
        piece: Bytes,
        look: impl FnOnce(&PhaseRecord),
    ) -> Result<u64, Stopped> {
        let job = Job::closed(
            name,
            Op::Write,
            Order::Sequential,
            part,
            piece,
            IN_ORDER_DEPTH,
        );
        let stop = Stop {
            passes: Some(1),
            time: Some(self.asked.patience),
            ..Stop::default()
        };
        let work = Workload::single(job, stop, self.rng.next_u64());
        self.streamed(name, work, look)
    }

    /// Runs a stream as a phase, with its rate in short steps; gives how many of its I/Os were sent.
    pub(crate) fn streamed(
        &mut self,
        name: &str,
        mut work: Workload,
        look: impl FnOnce(&PhaseRecord),
    ) -> Result<u64, Stopped> {
        let name = format!("{} {name}", self.id);
        for job in &mut work.jobs {
            job.name.clone_from(&name);
        }
        work.keep.series = EACH;
        let record = self.bench.phase(&name, &work)?;
        look(record);
        let sent = record.ios() + record.errors();
        self.ios += record.ios();
        self.phases.push(name);
        Ok(sent)
    }

    /// Leaves the drive alone for a while.
    pub(crate) fn rest(&mut self, name: &str, time: Duration) -> Result<(), Stopped> {
        self.bench.idle(&format!("{} {name}", self.id), time)
    }

    /// Lets the drive save what it was sent.
    pub(crate) fn flush(&mut self) -> Result<(), Stopped> {
        let name = format!("flush after {}", self.id);
        let mut script = Script::new(&name, 1);
        script.io(Io::flush(), Duration::ZERO, &[]);
        self.bench.script(&name, &script).map(drop)
    }

    /// Lets the drive save what it was sent, before a phase of this name; gives the time that it took.
    pub(crate) fn flush_before(&mut self, phase: &str) -> Result<Duration, Stopped> {
        let name = format!("{} flush before {phase}", self.id);
        let mut script = Script::new(&name, 1);
        script.io(Io::flush(), Duration::ZERO, &[]);
        Ok(self.bench.script(&name, &script)?.took)
    }

    /// Trims a part; false where the target refuses.
    pub(crate) fn trim(&mut self, span: Span) -> Result<bool, Stopped> {
        let name = format!("{} trim", self.id);
        let piece = TRIMMED_BY.min(span.len);
        let job = Job::closed(&name, Op::Trim, Order::Sequential, span, piece, 1);
        let stop = Stop::after_passes(1);
        let work = Workload::single(job, stop, self.asked.seed);
        let record = self.bench.phase(&name, &work)?;
        let done = record.errors() == 0;
        self.phases.push(name);
        Ok(done)
    }

    /// Plays a script of one's own.
    pub(crate) fn script(&mut self, name: &str, script: Script) -> Result<Vec<TrailIo>, Stopped> {
        let name = format!("{} {name}", self.id);
        self.play(name, script.keeping_trail())
    }

    /// The drive's own counters of writes, where it has any.
    pub(crate) fn write_counters(&mut self) -> WriteCounters {
        WriteCounters::of(self.bench.health())
    }

    /// Whether labelled reads are checked.
    pub(crate) fn checks_labels(&self) -> bool {
        self.bench.checks_labels()
    }

    /// Plays a script to its end, however long that takes; gives what is read off its record.
    pub(crate) fn whole<T>(
        &mut self,
        name: &str,
        script: &Script,
        read: impl FnOnce(&PhaseRecord) -> T,
    ) -> Result<T, Stopped> {
        let name = format!("{} {name}", self.id);
        let record = self.bench.script(&name, script)?;
        let seen = read(record);
        self.ios += record.ios() + record.errors();
        self.phases.push(name);
        Ok(seen)
    }

    /// Sends I/Os as many at once as `depth` says, in no order; gives the time that they took together, and how many they
    /// were.
    pub(crate) fn at_once(
        &mut self,
        name: &str,
        depth: u32,
        ios: impl IntoIterator<Item = Io>,
    ) -> Result<(Duration, u64), Stopped> {
        let name = format!("{} {name}", self.id);
        let mut script = Script::new(&name, depth).for_at_most(self.asked.patience);
        for io in ios {
            script.io(io, Duration::ZERO, &[]);
        }
        let record = self.bench.script(&name, &script)?;
        let done = (record.took, record.ios());
        self.phases.push(name);
        Ok(done)
    }

    fn play(&mut self, name: String, script: Script) -> Result<Vec<TrailIo>, Stopped> {
        let script = script.for_at_most(self.asked.patience);
        let record = self.bench.script(&name, &script)?;
        let trail = record.script.as_ref().and_then(|kept| kept.trail.as_ref());
        let mut ios = trail.map(|trail| trail.ios().to_vec()).unwrap_or_default();
        ios.sort_by_key(|io| io.step);
        self.ios += ios.len() as u64;
        self.phases.push(name);
        Ok(ios)
    }
}

/// What I/Os took, in microseconds.
pub(crate) fn micros(ios: &[TrailIo]) -> Vec<f64> {
    ios.iter().map(|io| io.took.as_secs_f64() * 1e6).collect()
}

/// Whole accesses in so many bytes, one at least.
pub(crate) fn accesses(bytes: Bytes, access: Bytes) -> u64 {
    (bytes.get() / access.get().max(1)).max(1)
}
