//! A drive of DRAM modules behind SATA.
//!
//! There is nothing in it that could be in a state: each command costs a fixed time of the bridge
//! (access), then the memory's rate or the link's, whichever is slower, and the frames. Modules
//! without a ninth chip keep their error correction in the same memory: of nine bytes that move,
//! eight are data, and a part of a line of memory is read before it is written.
//!
//! Source: i-RAM's published 0.1 ms an access on a like device (Wikipedia, "I-RAM"); the rest is
//! estimated in the drive's file.

use base::io::{Io, Op};
use base::size::{Bytes, PicosPerByte};
use base::target::Info;
use base::time::{Duration, Instant};

use crate::interface::link::{Link, LinkTimes};
use crate::interface::{Interface, Slot};
use crate::one_at_a_time::{OneAtATime, Serve};
use crate::sheet::quantity::{Count, Microseconds, Number};
use crate::sheet::table::parameters;

parameters! {
    /// A drive of DRAM modules, as its file describes it.
    #[derive(Clone, Copy, Debug)]
    pub Memory from RamDriveConfig ["ram_drive"] {
        /// From a command's arrival until memory is asked.
        access "access_us": Microseconds in 0.0..=10_000.0;
        /// The memory's rate in MB/s, parity included.
        rate "memory_mb_s": Number("MB/s") in 1.0..=100_000.0;
        /// Parity bytes per data byte; 0 without.
        ecc_share "ecc_share": Number("a data byte") in 0.0..=1.0;
        /// Bytes over which parity is kept.
        line "line_bytes": Count("B") in 1..=4_096;
        /// Commands that it takes at once.
        queue "queue": Count("commands") in 1..=32;
    }
}

impl Memory {
    /// The drive, in a slot.
    pub fn build(&self, capacity: Bytes, own: Interface, slot: &Slot) -> OneAtATime<RamDrive> {
        let rate = self.rate / (1.0 + self.ecc_share);
        OneAtATime::new(RamDrive::new(RamDriveParameters {
            capacity,
            queue: slot.queue(self.queue),
            link: slot.narrows(own.link()),
            access: self.access,
            memory: PicosPerByte::from_mb_s(rate),
            line: u64::from(self.line),
        }))
    }
}

/// What makes a RAM drive.
#[derive(Clone, Copy, Debug)]
pub struct RamDriveParameters {
    /// Bytes that the host can address.
    pub capacity: Bytes,
    /// Commands that it takes at once, and serves in order.
    pub queue: u32,
    pub link: LinkTimes,
    /// From a command's arrival until memory is asked.
    pub access: Duration,
    /// The memory, parity included.
    pub memory: PicosPerByte,
    /// Bytes over which parity is kept.
    pub line: u64,
}

/// A RAM drive.
#[derive(Clone, Debug)]
pub struct RamDrive {
    p: RamDriveParameters,
    link: Link,
}

impl RamDrive {
    /// A drive at rest.
    pub fn new(p: RamDriveParameters) -> RamDrive {
        RamDrive {
            link: Link::new(p.link),
            p,
        }
    }

    /// What memory takes for an I/O: a write reads the lines first that it covers in part.
    fn memory(&self, io: &Io) -> Duration {
        let line = self.p.line.max(1);
        let (from, to) = (io.offset.get(), io.end().get());
        let parts = match io.op {
            Op::Write => u64::from(from % line != 0) + u64::from(to % line != 0),
            _ => 0,
        };
        let bytes = to.div_ceil(line) * line - from / line * line + parts * line;
        self.p.memory.time_for(Bytes::new(bytes))
    }
}

impl Serve for RamDrive {
    fn info(&self) -> Info {
        Info {
            capacity: self.p.capacity,
            block: Bytes::SECTOR,
            max_in_flight: self.p.queue,
            writable: true,
        }
    }

    /// Memory and link work on one command side by side: the slower one counts.
    fn serve(&mut self, now: Instant, io: &Io) -> Instant {
        let begin = self.link.command(now) + self.p.access;
        let memory = begin + self.memory(io);
        match io.op {
            Op::Read => self.link.to_host(begin, io.len, false).max(memory) + self.p.link.status,
            Op::Write => self.link.to_drive(begin, io.len).max(memory) + self.p.link.status,
            Op::Trim | Op::Flush => self.link.status(begin),
        }
    }

    fn refuse(&mut self, now: Instant) -> Instant {
        let at = self.link.command(now);
        self.link.status(at)
    }

    fn power_cut(&mut self, _at: Instant) {
        self.link = Link::new(self.p.link);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use base::target::Tag;

    const US: fn(u64) -> Duration = Duration::from_micros;

    fn drive(memory: u64, line: u64) -> OneAtATime<RamDrive> {
        OneAtATime::new(RamDrive::new(RamDriveParameters {
            capacity: Bytes::mib(64),
            queue: 32,
            link: LinkTimes {
                read: PicosPerByte::new(4_000),
                write: PicosPerByte::new(5_000),
                command: US(1),
                status: US(2),
                duplex: crate::interface::link::Duplex::Half,
                transfer_ready: Duration::ZERO,
            },
            access: US(50),
            memory: PicosPerByte::new(memory),
            line,
        }))
    }

    fn took(drive: &mut OneAtATime<RamDrive>, ios: &[Io]) -> Vec<u64> {
        for (tag, io) in (0..).zip(ios) {
            drive.start(Instant::ZERO, Tag(tag), io);
        }
        let mut done = Vec::new();
        while drive.next().is_some() {
            drive.step(&mut done);
        }
        done.iter().map(|finished| finished.at.as_nanos()).collect()
    }

    #[test]
    fn a_command_takes_access_and_the_slower_of_link_and_memory_and_others_wait() {
        let read = Io::read(Bytes::ZERO, Bytes::kib(4));
        let write = Io::write(Bytes::ZERO, Bytes::kib(4), 1);
        let first = 1_000 + 50_000 + 4_096 * 4 + 2_000;
        let second = first + 1_000 + 50_000 + 4_096 * 5 + 2_000;
        assert_eq!(took(&mut drive(1_000, 8), &[read, write]), [first, second]);
        let slow = 1_000 + 50_000 + 4_096 * 9 + 2_000;
        assert_eq!(took(&mut drive(9_000, 8), &[read]), [slow]);
    }

    #[test]
    fn a_part_of_a_line_is_read_before_it_is_written() {
        let time = |line, offset| {
            let io = Io::write(Bytes::new(offset), Bytes::kib(4), 1);
            took(&mut drive(9_000, line), &[io])[0]
        };
        assert_eq!(time(4_096, 4_096), 53_000 + 4_096 * 9);
        // Two lines are touched, and both are read before.
        assert_eq!(time(4_096, 512), 53_000 + 4 * 4_096 * 9);
        assert_eq!(time(8, 512), time(8, 4_096));
    }

    #[test]
    fn an_io_outside_fails_and_a_power_cut_forgets_what_waits() {
        let outside = Io::read(Bytes::mib(64), Bytes::kib(4));
        let mut drive = drive(1_000, 8);
        drive.start(Instant::ZERO, Tag(0), &outside);
        let mut done = Vec::new();
        drive.step(&mut done);
        assert_eq!(done[0].outcome, base::target::Outcome::Failed(22));
        drive.start(done[0].at, Tag(0), &Io::flush());
        drive.power_cut(done[0].at);
        assert_eq!(drive.next(), None);
    }
}
