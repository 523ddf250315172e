//! A drive of 3D XPoint: cells that are written where they lie.
//!
//! A cell of phase-change material between two crossing wires is read and written by itself: there
//! is no page to program, no block to erase first, and so nothing to collect, no spare that a drive
//! could run out of, no cache of faster cells, and no state that a drive could be in. An access takes as
//! long on a full drive as on an empty one. The rest has a closed form:
//!
//! - a lone access takes link, controller and cells, about 10 us; some 4 us of it are the link's
//!   and the host's;
//! - all channels together carry so many bytes a second, and lose little for each access: the ceiling of
//!   4 KiB random reads is nearly that of sequential reads (550 thousand a second are rated, 2.25 GB/s, and 2.4
//!   GB/s sequential), and beyond it an access waits for those before it;
//! - reads and writes share the channels, and neither stops the other's cells: under writes a read
//!   waits for bytes, not for a program or an erase;
//! - a few accesses take a little longer (errors to correct, a refresh of what was written long ago): a given share of
//!   them, by times that fall off exponentially.
//!
//! What an acknowledged write wrote is in the cells: a power failure loses nothing.
//!
//! Sources: Tallis, "The Intel Optane SSD DC P4800X", anandtech.com/show/11930 and /11953 (written in place, no
//! DRAM; 7 channels of 4 dies), and Lenovo's product guide of the P5800X. A section of this kind is
//! what takes NAND's mechanisms away; `xpoint.read_mb_s` and `write_mb_s` at their greatest take the ceiling.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::io::{Io, Op};
use base::rng::Rng;
use base::size::{Bytes, PicosPerByte};
use base::target::{Info, Outcome, Tag};
use base::time::{Duration, Instant};

use crate::interface::link::{Link, LinkTimes};
use crate::interface::{Interface, Slot};
use crate::model::{Finished, Model, WriteCaching};
use crate::sheet::quantity::{Count, MegabytesPerSecond, Microseconds, Number};
use crate::sheet::table::parameters;

/// "Invalid argument", for an I/O outside the drive.
const EINVAL: i32 = 22;

parameters! {
    /// A drive of 3D XPoint, as its file describes it.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub CrossPoint from XPointConfig ["xpoint"] {
        /// Controller and cells of a read, until its first byte.
        read "read_us": Microseconds in 0.1..=1_000.0;
        /// Controller and cells of a write, until it is in its place.
        write "write_us": Microseconds in 0.1..=1_000.0;
        /// What all channels together read.
        read_rate "read_mb_s": MegabytesPerSecond in 1.0..=100_000.0;
        /// What they write.
        write_rate "write_mb_s": MegabytesPerSecond in 1.0..=100_000.0;
        /// The channels' own time for a read, whatever its size.
        read_access "read_access_us": Microseconds in 0.0..=100.0, or Duration::ZERO;
        /// Their own time for a write.
        write_access "write_access_us": Microseconds in 0.0..=100.0, or Duration::ZERO;
        /// Commands in flight.
        queue "queue": Count("commands") in 1..=256;
        /// Accesses that take longer.
        late_share "late_share": Number in 0.0..=1.0, or 0.0;
        /// By how much, in the mean.
        late "late_us": Microseconds in 0.0..=1_000.0, or Duration::ZERO;
    }
}

impl XPointConfig {
    /// The drive, in a slot; `seed` draws which accesses take longer.
    pub fn build(
        &self,
        capacity: Bytes,
        own: Interface,
        slot: &Slot,
        seed: u64,
    ) -> Box<XPointDrive> {
        let rules = self.parameters();
        let rules = CrossPoint {
            queue: slot.queue(rules.queue),
            ..rules
        };
        let link = slot.narrows(own.link());
        Box::new(XPointDrive::new(rules, capacity, link, seed))
    }
}

/// What happens to a command next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// A write's data are asked for over the link.
    FromHost,
    /// The channels are asked for its bytes.
    Channels,
    /// Its bytes are read: the link is asked for.
    ToHost,
    /// The host knows.
    Complete,
}

/// A command under way.
#[derive(Clone, Copy, Debug)]
struct Command {
    io: Io,
    outcome: Outcome,
}

/// A drive whose cells are written in place.
#[derive(Clone, Debug)]
pub struct XPointDrive {
    rules: CrossPoint,
    capacity: Bytes,
    link: Link,
    times: LinkTimes,
    /// Until when the channels are taken.
    channels: Instant,
    commands: Vec<Option<Command>>,
    /// What happens when, in order of time and then of arrival.
    agenda: BinaryHeap<Reverse<(Instant, u64, Stage, u32)>>,
    arrived: u64,
    rng: Rng,
}

impl XPointDrive {
    /// A drive at rest; `seed` draws which accesses take longer.
    pub fn new(rules: CrossPoint, capacity: Bytes, times: LinkTimes, seed: u64) -> XPointDrive {
        XPointDrive {
            rules,
            capacity,
            link: Link::new(times),
            times,
            channels: Instant::ZERO,
            commands: Vec::new(),
            agenda: BinaryHeap::new(),
            arrived: 0,
            rng: Rng::new(seed),
        }
    }

    /// By how much this access takes longer than nearly all.
    fn late(&mut self) -> Duration {
        if self.rules.late_share <= 0.0 || self.rng.unit() >= self.rules.late_share {
            return Duration::ZERO;
        }
        Duration::from_secs_f64(self.rules.late.as_secs_f64() * self.rng.exponential())
    }

    fn plan(&mut self, at: Instant, stage: Stage, tag: u32) {
        self.arrived += 1;
        self.agenda.push(Reverse((at, self.arrived, stage, tag)));
    }

    fn is_outside(&self, io: &Io) -> bool {
        let end = io.offset.get().checked_add(io.len.get());
        let empty = io.len.is_zero() && io.op != Op::Flush;
        empty || end.is_none_or(|end| end > self.capacity.get())
    }

    /// The channels move a command's bytes; gives when they have.
    fn move_bytes(
        &mut self,
        now: Instant,
        bytes: Bytes,
        (rate, access): (PicosPerByte, Duration),
    ) -> Instant {
        self.channels = now.max(self.channels) + access + rate.time_for(bytes);
        self.channels
    }

    /// The channels' turn at a command.
    fn in_channels(&mut self, now: Instant, tag: u32, io: &Io) {
        match io.op {
            Op::Read => {
                let of_reads = (self.rules.read_rate, self.rules.read_access);
                let end = self.move_bytes(now, io.len, of_reads);
                self.plan(end, Stage::ToHost, tag);
            }
            _ => {
                let of_writes = (self.rules.write_rate, self.rules.write_access);
                let end = self.move_bytes(now, io.len, of_writes);
                self.plan(end + self.times.status, Stage::Complete, tag);
            }
        }
    }
}

impl Model for XPointDrive {
    fn info(&self) -> Info {
        Info {
            capacity: self.capacity,
            block: Bytes::SECTOR,
            max_in_flight: self.rules.queue,
            writable: true,
        }
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        let at = self.link.command(now);
        let (stage, at, outcome) = if self.is_outside(io) {
            let at = self.link.status(at);
            (Stage::Complete, at, Outcome::Failed(EINVAL))
        } else {
            match io.op {
                Op::Read => {
                    let at = at + self.rules.read + self.late();
                    (Stage::Channels, at, Outcome::Complete)
                }
                Op::Write => (Stage::FromHost, at, Outcome::Complete),
                Op::Trim | Op::Flush => {
                    let at = self.link.status(at);
                    (Stage::Complete, at, Outcome::Complete)
                }
            }
        };
        let slot = tag.0 as usize;
        if self.commands.len() <= slot {
            self.commands.resize(slot + 1, None);
        }
        self.commands[slot] = Some(Command { io: *io, outcome });
        self.plan(at, stage, tag.0);
    }

    fn next(&self) -> Option<Instant> {
        self.agenda.peek().map(|Reverse((at, ..))| *at)
    }

    fn step(&mut self, done: &mut Vec<Finished>) {
        let Some(Reverse((at, _, stage, tag))) = self.agenda.pop() else {
            return;
        };
        let Some(command) = self.commands.get(tag as usize).copied().flatten() else {
            return;
        };
        match stage {
            Stage::FromHost => {
                let data = self.link.to_drive(at, command.io.len);
                let at = data + self.rules.write + self.late();
                self.plan(at, Stage::Channels, tag);
            }
            Stage::Channels => self.in_channels(at, tag, &command.io),
            Stage::ToHost => {
                let end = self.link.to_host(at, command.io.len, true);
                self.plan(end, Stage::Complete, tag);
            }
            Stage::Complete => {
                self.commands[tag as usize] = None;
                done.push(Finished {
                    tag: Tag(tag),
                    at,
                    outcome: command.outcome,
                });
            }
        }
    }

    fn write_caching(&self) -> WriteCaching {
        WriteCaching::Through
    }

    fn power_cut(&mut self, at: Instant) {
        self.agenda.clear();
        self.commands.clear();
        self.channels = at;
        self.link = Link::new(self.times);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::link::Duplex;
    use crate::virtual_time::Virtual;
    use base::record::PhaseRecord;
    use base::run::{Unwatched, run};
    use base::target::Target;
    use base::workload::{Job, Order, Span, Stop, Workload};

    /// 1 us of command, 283 ps a byte on the link (3.5 GB/s), 5 and 6 us of cells, 2.4 and 2.0 GB/s.
    fn drive() -> XPointDrive {
        let rules = CrossPoint {
            read: Duration::from_micros(5),
            write: Duration::from_micros(6),
            read_rate: PicosPerByte::from_mb_s(2_400.0),
            write_rate: PicosPerByte::from_mb_s(2_000.0),
            read_access: Duration::ZERO,
            write_access: Duration::ZERO,
            queue: 256,
            late_share: 0.0,
            late: Duration::ZERO,
        };
        let times = LinkTimes {
            read: PicosPerByte::new(283),
            write: PicosPerByte::new(283),
            command: Duration::from_micros(1),
            status: Duration::from_nanos(500),
            duplex: Duplex::Full,
            transfer_ready: Duration::ZERO,
        };
        XPointDrive::new(rules, Bytes::gib(1), times, 1)
    }

    fn measured(op: Op, order: Order, kib: u64, depth: u32, before: u64) -> PhaseRecord {
        let mut target = Virtual::new(drive());
        let span = Span::first(target.info().capacity);
        let mut go = |op, order, kib, depth, ios| {
            let job = Job::closed("test", op, order, span, Bytes::kib(kib), depth);
            let stop = Stop {
                ios: Some(ios),
                ..Stop::default()
            };
            let work = Workload::single(job, stop, 7);
            run(&mut target, "test", &work, &mut Unwatched).unwrap()
        };
        if before > 0 {
            go(Op::Write, Order::Random, 4, 16, before);
        }
        go(op, order, kib, depth, 20_000)
    }

    fn near(got: f64, wanted: f64) {
        assert!((got / wanted - 1.0).abs() < 0.005, "{got} for {wanted}");
    }

    #[test]
    fn a_lone_access_takes_command_cells_bytes_and_status() {
        let lone = |op| {
            let record = measured(op, Order::Random, 4, 1, 0);
            record.of(op).service.max().as_nanos()
        };
        // 4 KiB: 1,159 ns on the link; 1,707 ns of reading, 2,048 of writing.
        let off =
            |got: u64, wanted: u64| assert!(got.abs_diff(wanted) * 100 <= wanted, "{got} {wanted}");
        off(lone(Op::Read), 1_000 + 5_000 + 1_707 + 1_159 + 500);
        off(lone(Op::Write), 1_000 + 1_159 + 6_000 + 2_048 + 500);
    }

    #[test]
    fn a_share_of_the_accesses_is_late_by_times_that_fall_off_exponentially() {
        let mut drive = drive();
        drive.rules.late_share = 0.02;
        drive.rules.late = Duration::from_micros(4);
        let late: Vec<f64> = (0..200_000)
            .map(|_| drive.late().as_secs_f64() * 1e6)
            .filter(|late| *late > 0.0)
            .collect();
        let share = late.len() as f64 / 200_000.0;
        assert!((share - 0.02).abs() < 0.001, "{share}");
        let mean = late.iter().sum::<f64>() / late.len() as f64;
        assert!((mean - 4.0).abs() < 0.2, "{mean}");
        // One in e^3 of them is late by three times the mean and more.
        let long = late.iter().filter(|late| **late > 12.0).count() as f64;
        let share = long / late.len() as f64;
        assert!((share - 0.0498).abs() < 0.012, "{share}");
    }

    #[test]
    fn accesses_of_any_size_share_a_ceiling_of_bytes() {
        for kib in [4, 8, 64] {
            let rate = |op| {
                measured(op, Order::Random, kib, 64, 0)
                    .rate()
                    .unwrap()
                    .mb_s()
            };
            near(rate(Op::Read), 2_400.0);
            near(rate(Op::Write), 2_000.0);
        }
        // Beyond it an access waits for those before it: depth over rate.
        let record = measured(Op::Read, Order::Random, 4, 64, 0);
        let mean = record.of(Op::Read).service.mean().unwrap().as_nanos() as f64;
        near(mean, 64.0 * 4_096.0 / 2.4);
    }

    #[test]
    fn a_drive_that_was_written_many_times_over_is_as_fast_as_a_new_one() {
        for op in [Op::Read, Op::Write] {
            let new = measured(op, Order::Random, 4, 8, 0);
            let used = measured(op, Order::Random, 4, 8, 600_000);
            assert_eq!(new.took, used.took);
            assert_eq!(new.of(op).service.max(), used.of(op).service.max());
        }
    }

    #[test]
    fn an_io_outside_fails_and_a_power_cut_loses_nothing_that_was_acknowledged() {
        let mut drive = drive();
        let mut done = Vec::new();
        drive.start(
            Instant::ZERO,
            Tag(3),
            &Io::read(Bytes::gib(1), Bytes::kib(4)),
        );
        while drive.next().is_some() {
            drive.step(&mut done);
        }
        assert_eq!(done[0].outcome, Outcome::Failed(EINVAL));
        let now = done[0].at;
        drive.start(now, Tag(0), &Io::write(Bytes::ZERO, Bytes::kib(4), 1));
        drive.power_cut(now);
        assert_eq!((drive.next(), drive.lost()), (None, Vec::new()));
    }
}
