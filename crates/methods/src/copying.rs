//! The copy engine of an operating system: a script of dependent I/Os.
//!
//! One thread of the copy processes block after block: a block must have been read (the cache manager reads a few
//! blocks ahead), is copied in memory, and is then dirty. Dirty memory is limited: the block that would exceed the
//! limit waits until an old one has been written. The lazy writer does not write each block at once, but an eighth of
//! the limit at a time, sequentially, with a few writes in flight. So a copy within one drive alternates between bursts
//! of reads and bursts of writes, which overlap as far as memory and drive allow.
//!
//! Two engines: Windows XP (pieces and writes of 64 KiB, each read when the last one has been copied:
//! a Toshiba HG2 and an X25-M, which give 64 KiB in order in 262 to 285 us, took 403 and 390 us a
//! piece to a RAM disk in the HG2's review of 2009, so nothing is fetched ahead of the copying thread; the lazy writer
//! flushes a file with one paging write after the other) and Windows
//! 7 (pieces and writes of 1 MiB, four reads in flight). After M. Russinovich, "Inside Vista SP1 File
//! Copy Improvements" (2008); sizes of read-ahead and writes, and the time a piece, are estimates. The
//! lazy writer of Windows also wakes by the clock, once a second; here it is the amount alone.

use std::collections::VecDeque;

use base::script::Unfold;
use base::{
    Bytes, Duration, Io, Op, PhaseRecord, Script, Setting, Settings, StepId, Takes, splitmix64,
};

use crate::figures::was_served;
use crate::shared_settings::seconds;

/// The copy engine to model.
pub(crate) const ENGINE: Setting = Setting::choice(
    "engine",
    "copy engine of the operating system",
    ENGINES,
    ["windows-7"; 3],
);

/// The limit on the host's dirty memory.
pub(crate) const MEMORY: Setting = Setting::size(
    "memory",
    "maximum dirty data in the host's memory",
    Bytes::mib(1)..=Bytes::gib(1_024),
    ["16MiB", "512MiB", "512MiB"],
);

/// The host's work on each file.
pub(crate) const PER_FILE: Setting = Setting::time(
    "per-file",
    "the host's work on each file",
    seconds(0)..=seconds(1),
    ["500us"; 3],
);

/// When a copy counts as over: see [`Copy::over`].
pub(crate) const UNTIL: Setting = Setting::choice(
    "until",
    "when a copy is finished: the last block is in memory, or everything is on the drive",
    &["accepted", "written"],
    ["accepted"; 3],
);

/// How often a copy is made.
pub(crate) const RUNS: Setting =
    Setting::count("runs", "number of runs; the mean counts", 1..=9, ["1"; 3]);

/// The engines by name: see [`Engine::named`].
const ENGINES: &[&str] = &["windows-xp", "windows-7"];

/// How a system copies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Engine {
    /// Bytes that are read, and written, at once.
    pub(crate) piece: Bytes,
    /// Pieces that are read ahead of the copying thread, itself included.
    pub(crate) ahead: u32,
    /// Writes in flight.
    pub(crate) writes: u32,
    /// The host's time a piece: system calls and the copy in memory.
    pub(crate) per_piece: Duration,
    /// Most dirty memory.
    pub(crate) dirty: Bytes,
}

/// Of the bound on dirty memory, this part is written at a time.
const BURSTS: u64 = 8;

impl Engine {
    /// `windows-xp` or `windows-7`, with this much memory for dirty data.
    pub(crate) fn named(name: &str, dirty: Bytes) -> Engine {
        match name {
            "windows-xp" => Engine {
                piece: Bytes::kib(64),
                ahead: 1,
                writes: 1,
                per_piece: Duration::from_micros(50),
                dirty,
            },
            _ => Engine {
                piece: Bytes::mib(1),
                ahead: 4,
                writes: 4,
                per_piece: Duration::from_micros(400),
                dirty,
            },
        }
    }

    /// The duration of a copy of `bytes` in this many files in addition to moving `moves` times the bytes: the copying
    /// thread's own work.
    pub(crate) fn takes(&self, bytes: Bytes, files: u64, per_file: Duration, moves: u64) -> Takes {
        // The last piece of a file may be a small one.
        let pieces = bytes.get() / self.piece.get() + files;
        Takes::moving(bytes * moves)
            .and_idle(self.per_piece.saturating_mul(pieces))
            .and_idle(per_file.saturating_mul(files))
    }

    /// Maximum I/Os in flight during a copy, including room for metadata.
    pub(crate) fn depth(&self) -> u32 {
        self.ahead + self.writes + 4
    }

    fn dirty_pieces(&self) -> usize {
        (self.dirty.get() / self.piece.get()).max(1) as usize
    }

    fn burst_pieces(&self) -> usize {
        (self.dirty_pieces() / BURSTS as usize).max(1)
    }
}

/// Where data come from, or go to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// The target, from this byte on.
    Target(Bytes),
    /// The host's memory (a RAM disk), which takes the copying thread this much for all of the file.
    Memory(Duration),
    /// Another drive, which takes this long for the whole file, in parallel with the host.
    Elsewhere(Duration),
}

/// A copy in progress: what the next file must wait for. It remembers only steps that later ones may wait for.
pub(crate) struct Copy {
    pub(crate) engine: Engine,
    /// Seeds the data.
    seed: u64,
    /// The last piece that was copied.
    thread: Option<StepId>,
    /// The last read of another drive.
    elsewhere: Option<StepId>,
    /// The copied pieces, in order.
    copied: Recent<StepId>,
    /// Number of the file's first piece, and the step by which the file was opened: nothing is read
    /// ahead of that.
    first_piece: usize,
    opened: Option<StepId>,
    /// Their writes, as far as they have a step already; `None` for those that are not written to
    /// the target.
    written: Recent<Option<StepId>>,
    /// Copied pieces that wait for the lazy writer.
    unwritten: Vec<Io>,
}

/// A file that is being copied, and how much of it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneFile {
    size: Bytes,
    from: End,
    to: End,
    at: Bytes,
}

impl OneFile {
    /// Nothing of it yet.
    pub(crate) fn new(size: Bytes, from: End, to: End) -> OneFile {
        OneFile {
            size,
            from,
            to,
            at: Bytes::ZERO,
        }
    }

    fn is_whole(&self) -> bool {
        self.at >= self.size
    }
}

/// The last of many, by their numbers.
struct Recent<T> {
    first: usize,
    last: VecDeque<T>,
}

impl<T: std::marker::Copy> Recent<T> {
    fn new() -> Recent<T> {
        Recent {
            first: 0,
            last: VecDeque::new(),
        }
    }

    fn len(&self) -> usize {
        self.first + self.last.len()
    }

    fn push(&mut self, one: T) {
        self.last.push_back(one);
    }

    fn get(&self, number: usize) -> Option<T> {
        self.last.get(number.checked_sub(self.first)?).copied()
    }

    /// Those before this number are not needed any more.
    fn forget_before(&mut self, number: usize) {
        let forgotten = number.saturating_sub(self.first).min(self.last.len());
        self.last.drain(..forgotten);
        self.first += forgotten;
    }
}

impl Copy {
    pub(crate) fn new(engine: Engine, seed: u64) -> Copy {
        Copy {
            engine,
            seed,
            thread: None,
            elsewhere: None,
            copied: Recent::new(),
            first_piece: 0,
            opened: None,
            written: Recent::new(),
            unwritten: Vec::new(),
        }
    }

    /// The copying thread works for `time` on its own: a file is opened, or closed.
    pub(crate) fn host(&mut self, script: &mut Script, time: Duration) {
        if !time.is_zero() {
            let after: Vec<StepId> = self.thread.into_iter().collect();
            self.thread = Some(script.host(time, &after));
        }
    }

    /// A concurrent write that nothing waits for: metadata.
    pub(crate) fn beside(&mut self, script: &mut Script, io: Io) {
        let after: Vec<StepId> = self.thread.into_iter().collect();
        script.io(io, Duration::ZERO, &after);
    }

    /// One file of whole blocks.
    pub(crate) fn file(&mut self, script: &mut Script, size: Bytes, from: End, to: End) {
        let mut file = OneFile::new(size, from, to);
        self.open();
        while !file.is_whole() {
            self.piece(script, &mut file);
        }
    }

    /// Another file begins.
    fn open(&mut self) {
        self.first_piece = self.copied.len();
        self.opened = self.thread;
    }

    /// The next piece of a file.
    fn piece(&mut self, script: &mut Script, file: &mut OneFile) {
        let OneFile { size, from, to, at } = *file;
        let len = self.engine.piece.min(size - at);
        file.at = at + len;
        let share = |all: Duration| {
            let part = u128::from(all.as_nanos()) * u128::from(len.get());
            Duration::from_nanos((part / u128::from(size.get())) as u64)
        };
        let mut work = self.engine.per_piece;
        let mut after: Vec<StepId> = self.thread.into_iter().collect();
        match from {
            End::Target(start) => after.push(self.read(script, start + at, len)),
            End::Memory(all) => work += share(all),
            End::Elsewhere(all) => after.push(self.fetch(script, share(all))),
        }
        if let End::Memory(all) = to {
            work += share(all);
        }
        after.extend(self.room(script));
        let copied = script.host(work, &after);
        self.thread = Some(copied);
        self.copied.push(copied);
        match to {
            End::Target(start) => self.is_dirty(script, start + at, len),
            _ => self.written.push(None),
        }
        self.forget();
    }

    /// What no later piece will wait for.
    fn forget(&mut self) {
        let copied = self.copied.len();
        let ahead = self.engine.ahead as usize;
        self.copied.forget_before(copied.saturating_sub(ahead));
        let in_memory = copied.saturating_sub(self.engine.dirty_pieces());
        let writes = self.engine.writes as usize;
        let in_flight = self.written.len().saturating_sub(writes);
        self.written.forget_before(in_memory.min(in_flight));
    }

    /// The step after which a new piece is read ahead.
    fn read_ahead_of(&self) -> Option<StepId> {
        let ahead = self.engine.ahead as usize;
        match self.copied.len().checked_sub(ahead) {
            Some(n) if n >= self.first_piece => self.copied.get(n),
            _ => self.opened,
        }
    }

    fn read(&mut self, script: &mut Script, at: Bytes, len: Bytes) -> StepId {
        let after: Vec<StepId> = self.read_ahead_of().into_iter().collect();
        script.io(Io::read(at, len), Duration::ZERO, &after)
    }

    fn fetch(&mut self, script: &mut Script, time: Duration) -> StepId {
        let mut after: Vec<StepId> = self.read_ahead_of().into_iter().collect();
        after.extend(self.elsewhere);
        let fetched = script.host(time, &after);
        self.elsewhere = Some(fetched);
        fetched
    }

    /// The write that must be complete before another piece may be dirty.
    fn room(&mut self, script: &mut Script) -> Option<StepId> {
        let full = self.copied.len().checked_sub(self.engine.dirty_pieces())?;
        if full >= self.written.len() {
            self.write_back(script);
        }
        self.written.get(full).flatten()
    }

    fn is_dirty(&mut self, script: &mut Script, at: Bytes, len: Bytes) {
        let stamp = splitmix64(self.seed ^ self.copied.len() as u64);
        self.unwritten.push(Io {
            op: Op::Write,
            ..Io::write(at, len, stamp)
        });
        if self.unwritten.len() >= self.engine.burst_pieces() {
            self.write_back(script);
        }
    }

    /// The lazy writer takes the dirty data.
    fn write_back(&mut self, script: &mut Script) {
        let dirty = std::mem::take(&mut self.unwritten);
        for io in dirty {
            let mut after: Vec<StepId> = self.thread.into_iter().collect();
            let before = self.written.len().checked_sub(self.engine.writes as usize);
            after.extend(before.and_then(|n| self.written.get(n)).flatten());
            let write = script.io(io, Duration::ZERO, &after);
            self.written.push(Some(write));
        }
    }

    /// The copy is finished as shown by the dialog: the time of its last block is kept. Remaining dirty data is written
    /// afterwards.
    fn accepted(&mut self, script: &mut Script) {
        if let Some(last) = self.thread {
            script.mark(last);
        }
    }

    /// The copying thread waits until everything is written, and that time is kept.
    fn all_written(&mut self, script: &mut Script) {
        self.write_back(script);
        let last = self.engine.writes as usize;
        let mut after: Vec<StepId> = self
            .written
            .last
            .iter()
            .rev()
            .take(last)
            .copied()
            .flatten()
            .collect();
        after.extend(self.thread);
        let all = script.host(Duration::ZERO, &after);
        script.mark(all);
        self.thread = Some(all);
    }

    /// Ends the copy, which is finished when [`UNTIL`] says; remaining dirty data is written afterwards.
    pub(crate) fn over(&mut self, script: &mut Script, settings: &Settings) {
        self.over_when(script, settings.text(UNTIL.key) == "written");
    }

    fn over_when(&mut self, script: &mut Script, written: bool) {
        if written {
            self.all_written(script);
        } else {
            self.accepted(script);
        }
        self.write_back(script);
    }
}

/// A copy of one file, however large, as a script that unfolds piece by piece.
pub(crate) fn of_one_file(
    name: &str,
    engine: Engine,
    file: OneFile,
    settings: &Settings,
) -> Script {
    let (seed, written) = (settings.seed, settings.text(UNTIL.key) == "written");
    Script::unfolding(name, engine.depth(), move || {
        Box::new(Unfolding::new(engine, file, seed, written))
    })
}

struct Unfolding {
    copy: Copy,
    file: OneFile,
    /// It is over when all is written.
    written: bool,
}

impl Unfolding {
    fn new(engine: Engine, file: OneFile, seed: u64, written: bool) -> Unfolding {
        let mut copy = Copy::new(engine, seed);
        copy.open();
        Unfolding {
            copy,
            file,
            written,
        }
    }
}

impl Unfold for Unfolding {
    fn more(&mut self, script: &mut Script) -> bool {
        if !self.file.is_whole() {
            self.copy.piece(script, &mut self.file);
        }
        if self.file.is_whole() {
            self.copy.over_when(script, self.written);
        }
        !self.file.is_whole()
    }

    fn waits_for(&self) -> Option<StepId> {
        match self.file.from {
            End::Memory(_) => self.copy.thread,
            End::Target(_) | End::Elsewhere(_) => self.copy.read_ahead_of(),
        }
    }
}

/// When a copy was finished, in s; `None` if it read or wrote nothing of what it should have: then nothing was copied.
pub(crate) fn seconds_of(record: &PhaseRecord) -> Option<f64> {
    let script = record.script.as_ref().filter(|_| was_served(record));
    let marks = &script?.marks;
    marks.last().map(|time| time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::fault::{Faults, Faulty};
    use base::null::Null;
    use base::run::{PhaseInput, Unwatched, run_phase};

    const SERVICE: Duration = Duration::from_micros(1_000);

    fn engine(dirty: Bytes) -> Engine {
        Engine {
            per_piece: Duration::from_micros(100),
            ..Engine::named("windows-7", dirty)
        }
    }

    fn copied(engine: Engine, from: End, to: End) -> PhaseRecord {
        let mut script = Script::new("copy", engine.depth());
        let mut copy = Copy::new(engine, 1);
        copy.file(&mut script, Bytes::mib(64), from, to);
        copy.over_when(&mut script, false);
        let mut target = Null::new(Bytes::gib(1), SERVICE).with_servers(1);
        run_phase(
            &mut target,
            "copy",
            PhaseInput::Script(&script),
            &mut Unwatched,
        )
        .unwrap()
    }

    fn millis(record: &PhaseRecord) -> f64 {
        record.script.as_ref().unwrap().marks[0].as_millis_f64()
    }

    #[test]
    fn a_copy_within_the_target_reads_and_writes_every_byte_once() {
        let to = End::Target(Bytes::mib(512));
        let record = copied(engine(Bytes::mib(16)), End::Target(Bytes::ZERO), to);
        assert_eq!(record.of(Op::Read).bytes, Bytes::mib(64));
        assert_eq!(record.of(Op::Write).bytes, Bytes::mib(64));
        // 64 reads and 64 writes of a millisecond each, one at a time.
        assert!((record.took.as_millis_f64() - 128.0).abs() < 2.0);
    }

    #[test]
    fn memory_for_dirty_data_hides_the_last_writes() {
        let to = End::Target(Bytes::ZERO);
        let from = End::Memory(Duration::ZERO);
        // 6.4 ms of copying; all fits into memory.
        assert!((millis(&copied(engine(Bytes::mib(128)), from, to)) - 6.4).abs() < 0.1);
        // 64 writes of 1 ms, of which the last 16 are hidden.
        let bounded = millis(&copied(engine(Bytes::mib(16)), from, to));
        assert!((45.0..=52.0).contains(&bounded), "{bounded}");
    }

    #[test]
    fn a_slow_source_bounds_the_copy_and_overlaps_with_the_writes() {
        let from = End::Elsewhere(Duration::from_millis(640));
        let record = copied(engine(Bytes::mib(16)), from, End::Target(Bytes::ZERO));
        assert!((millis(&record) - 640.0).abs() < 2.0);
    }

    #[test]
    fn a_copy_that_unfolds_as_it_is_played_is_the_same_as_its_list() {
        let (memory, elsewhere) = (Duration::from_millis(3), Duration::from_millis(90));
        let ends = [
            (End::Memory(memory), End::Target(Bytes::ZERO)),
            (End::Target(Bytes::ZERO), End::Memory(memory)),
            (End::Target(Bytes::ZERO), End::Target(Bytes::mib(512))),
            (End::Elsewhere(elsewhere), End::Target(Bytes::ZERO)),
        ];
        let faults = Faults {
            delays_per_million: 200_000,
            delay: Duration::from_micros(2_345),
            seed: 7,
            ..Faults::default()
        };
        let played = |script: &Script| {
            let drive = Null::new(Bytes::gib(1), Duration::from_micros(143)).with_servers(2);
            let mut drive = Faulty::new(drive, faults.clone());
            run_phase(
                &mut drive,
                "copy",
                PhaseInput::Script(script),
                &mut Unwatched,
            )
            .unwrap()
        };
        for name in ["windows-xp", "windows-7"] {
            for (from, to) in ends {
                for written in [false, true] {
                    let engine = Engine::named(name, Bytes::mib(4));
                    let file = OneFile::new(Bytes::kib(40_000), from, to);
                    let make = move || Unfolding::new(engine, file, 1, written);
                    let unfolding =
                        Script::unfolding("copy", engine.depth(), move || Box::new(make()));
                    let mut list = Script::new("copy", engine.depth());
                    let mut whole = make();
                    while whole.more(&mut list) {}
                    assert_eq!(unfolding.workload(), list.workload());
                    let what = format!("{name} {from:?} {to:?} {written}");
                    assert_eq!(played(&unfolding), played(&list), "{what}");
                }
            }
        }
    }

    #[test]
    fn a_copy_remembers_no_more_than_what_is_dirty() {
        let engine = Engine::named("windows-xp", Bytes::mib(4));
        let (from, to) = (End::Target(Bytes::ZERO), End::Target(Bytes::gib(8)));
        let file = OneFile::new(Bytes::gib(1), from, to);
        let mut one = Unfolding::new(engine, file, 1, true);
        let mut script = Script::new("copy", engine.depth());
        while one.more(&mut script) {
            let copy = &one.copy;
            let kept = copy.copied.last.len() + copy.written.last.len() + copy.unwritten.len();
            assert!(kept <= 2 * engine.dirty_pieces(), "{kept}");
        }
    }
}
