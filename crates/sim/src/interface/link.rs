//! The link to the host: what commands and data share, and what they do not.
//!
//! SATA is half duplex in effect: while a data frame travels one way, only its acknowledgement
//! travels the other, so commands, data and completions of all commands in flight queue on one
//! resource, first come, first served; so do parallel ATA's wires and a USB case's pipe. PCI
//! Express is full duplex: each way is a resource of its own. A rate in picoseconds a byte includes
//! the coding, headers, checks and handshakes.
//!
//! Each command costs a fixed time before and after its data. On the half-duplex links it holds the
//! wire (register, DMA set-up and set-device-bits frames; task file; command and status packets).
//! With NVMe it is mostly waiting: the drive, told by a doorbell, fetches 64 bytes of command from
//! the host's memory, a round trip during which the link is free for others, and posts 16 bytes of
//! completion and an interrupt; only these bytes hold the wire (NVM Express base specification, 4:
//! queue entries of 64 and 16 bytes).

use base::size::{Bytes, PicosPerByte};
use base::time::{Duration, Instant};

/// Bytes of a fetched command: the read request, then 64 bytes with their packet's 24.
const NVME_COMMAND: Bytes = Bytes::new(88);
/// Bytes that end a command: 16 and the interrupt's 4, with 24 of packet each.
const NVME_STATUS: Bytes = Bytes::new(68);

/// Whether data may travel both ways at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplex {
    /// One way at a time: SATA, parallel ATA, bulk-only USB.
    #[default]
    Half,
    /// Both directions at once: PCI Express.
    Full,
    /// Both ways, and a command's or response's fixed time is that of its frame on the lane: SAS.
    Lanes,
}

/// What the link takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTimes {
    /// Data to the host.
    pub read: PicosPerByte,
    /// Data to the drive.
    pub write: PicosPerByte,
    /// A command's time before its data.
    pub command: Duration,
    /// A command's time after its data.
    pub status: Duration,
    /// Whether data may travel both ways at once.
    pub duplex: Duplex,
    /// What the drive says before a write's data may come, on the way to the host: a frame on SAS, nothing elsewhere. It
    /// is counted with the write's completion.
    pub transfer_ready: Duration,
}

/// A fixed time of a command: how long it holds the wire, and how long it continues after that.
#[derive(Clone, Copy, Debug)]
struct Fixed {
    holds: Duration,
    after: Duration,
}

impl Fixed {
    /// Of `time`, the wire is held for as long as so many bytes take (all of it on a half-duplex
    /// link).
    fn new(time: Duration, duplex: Duplex, rate: PicosPerByte, bytes: Bytes) -> Fixed {
        let holds = match duplex {
            Duplex::Half | Duplex::Lanes => time,
            Duplex::Full => rate.time_for(bytes).min(time),
        };
        Fixed {
            holds,
            after: time.saturating_sub(holds),
        }
    }
}

/// The way to the drive, and where both ways are one.
const DOWN: usize = 0;

/// The link and how far it is taken.
#[derive(Clone, Debug)]
pub struct Link {
    times: LinkTimes,
    /// Until when the ways to the drive and to the host are taken.
    free: [Instant; 2],
    /// The way to the host.
    up: usize,
    command: Fixed,
    status: Fixed,
    /// The last sizes in each direction and their times: a workload has few sizes, and the exact
    /// division of picoseconds is the dearest step of an I/O.
    last_read: (Bytes, Duration),
    last_write: (Bytes, Duration),
}

impl Link {
    /// An idle link.
    pub fn new(times: LinkTimes) -> Link {
        Link {
            free: [Instant::ZERO; 2],
            up: match times.duplex {
                Duplex::Half => DOWN,
                Duplex::Full | Duplex::Lanes => 1,
            },
            command: Fixed::new(times.command, times.duplex, times.write, NVME_COMMAND),
            status: Fixed::new(times.status, times.duplex, times.read, NVME_STATUS),
            times,
            last_read: (Bytes::ZERO, Duration::ZERO),
            last_write: (Bytes::ZERO, Duration::ZERO),
        }
    }

    /// A command; gives the time at which the drive has it.
    #[inline]
    pub fn command(&mut self, now: Instant) -> Instant {
        self.take(DOWN, now, self.command.holds) + self.command.after
    }

    /// A piece of a read's data, with the command's completion where it is the last one.
    #[inline]
    pub fn to_host(&mut self, now: Instant, bytes: Bytes, last: bool) -> Instant {
        let (holds, after) = if last {
            (self.status.holds, self.status.after)
        } else {
            (Duration::ZERO, Duration::ZERO)
        };
        if self.last_read.0 != bytes {
            self.last_read = (bytes, self.times.read.time_for(bytes));
        }
        self.take(self.up, now, self.last_read.1 + holds) + after
    }

    /// A piece of a write's data.
    #[inline]
    pub fn to_drive(&mut self, now: Instant, bytes: Bytes) -> Instant {
        if self.last_write.0 != bytes {
            self.last_write = (bytes, self.times.write.time_for(bytes));
        }
        self.take(DOWN, now, self.last_write.1)
    }

    /// A completion without data.
    #[inline]
    pub fn status(&mut self, now: Instant) -> Instant {
        let holds = self.status.holds + self.times.transfer_ready;
        self.take(self.up, now, holds) + self.status.after
    }

    #[inline]
    fn take(&mut self, way: usize, now: Instant, time: Duration) -> Instant {
        let free = &mut self.free[way & 1];
        *free = now.max(*free) + time;
        *free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(duplex: Duplex) -> Link {
        Link::new(LinkTimes {
            read: PicosPerByte::new(1_000),
            write: PicosPerByte::new(2_000),
            command: Duration::from_micros(1),
            status: Duration::from_micros(2),
            duplex,
            transfer_ready: Duration::ZERO,
        })
    }
    fn ns(at: Instant) -> u64 {
        at.as_nanos()
    }
    const KB: Bytes = Bytes::new(1_000);

    #[test]
    fn a_half_duplex_link_carries_one_thing_at_a_time() {
        let mut link = link(Duplex::Half);
        assert_eq!(ns(link.command(Instant::ZERO)), 1_000);
        assert_eq!(ns(link.to_drive(Instant::ZERO, KB)), 3_000);
        assert_eq!(ns(link.to_host(Instant::ZERO, KB, false)), 4_000);
        assert_eq!(ns(link.status(Instant::ZERO)), 6_000);
    }

    #[test]
    fn four_kib_over_sas_take_a_command_four_data_frames_and_a_response() {
        let mut link = Link::new(crate::interface::Interface::Sas(12).link());
        let size = Bytes::kib(4);
        let asked = link.command(Instant::ZERO);
        let read = link.to_host(asked, size, true);
        // 64 bytes, four frames of 1,024 and 36, and 60 bytes at 1.2 GB/s; rates are whole picoseconds a byte.
        let closed_form = (64.0 + 4.0 * 1_060.0 + 60.0) / 1.2;
        assert!((ns(read) as f64 - closed_form).abs() < 3.0, "{read:?}");
        // A write's data wait for a frame of 48 bytes more, and the lanes are two: nothing waits for the read.
        let mut link = Link::new(crate::interface::Interface::Sas(12).link());
        let asked = link.command(Instant::ZERO);
        let arrived = link.to_drive(asked, size);
        let written = link.status(arrived);
        let more = ns(written) as f64 - closed_form - 48.0 / 1.2;
        assert!(more.abs() < 3.0, "{written:?}");
        let both = [
            link.to_host(written, size, false),
            link.to_drive(written, size),
        ];
        assert_eq!(both[0], both[1]);
    }

    #[test]
    fn a_full_duplex_link_carries_data_both_ways_at_once() {
        let mut link = link(Duplex::Full);
        assert_eq!(ns(link.to_drive(Instant::ZERO, KB)), 2_000);
        assert_eq!(ns(link.to_host(Instant::ZERO, KB, false)), 1_000);
        // The completion's bytes queue behind the data, its waiting behind nothing.
        assert_eq!(ns(link.status(Instant::ZERO)), 1_000 + 2_000);
        assert_eq!(
            ns(link.to_host(Instant::ZERO, KB, false)),
            1_000 + 68 + 1_000
        );
    }

    #[test]
    fn nvme_commands_wait_beside_each_other() {
        let mut full = link(Duplex::Full);
        let mut half = link(Duplex::Half);
        let both = |link: &mut Link| {
            [
                ns(link.command(Instant::ZERO)),
                ns(link.command(Instant::ZERO)),
            ]
        };
        assert_eq!(both(&mut half), [1_000, 2_000]);
        assert_eq!(both(&mut full), [1_000, 1_000 + 176]);
    }
}
