//! The overhead of the transport itself, without a drive: the floor of all measurements over it.
//!
//! Drives that only wait are served over a socket of this process, and read from. One completes after 100 us, like a
//! flash drive, one read at a time: the additional time of a read is what a client's figures contain on top of the
//! drive's own. (A drive with zero latency would not do: no thread falls asleep meanwhile, and wake-ups are most of the
//! overhead.) One completes at once, with 4 KiB reads and with long ones in flight, whose rates are the maximum for any
//! drive here. A real client is a separate program with its own overhead; that is not included.

use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;

use base::null::Null;
use base::{Bytes, Duration, Instant, Interrupt, Latencies};
use uring::clock::Clock;

use crate::drive::Emulated;
use crate::image::Image;
use crate::lateness::Lateness;
use crate::nbd::Export;
use crate::offer::{Wanted, offer};
use crate::server::Server;
use crate::transport::Stream;

/// How long the drive takes with which one read at a time is timed.
const WAITS: Duration = Duration::from_micros(100);
/// Size of the drives that only wait.
const SPAN: Bytes = Bytes::mib(16);
/// Bytes of a simple reply before its data.
const REPLY: usize = 16;
/// Bytes of a request.
const REQUEST: usize = 28;
/// From one read to the next where they are not in order, in reads: a prime number.
const STRIDE: u64 = 6_700_417;

/// The transport overhead on this machine, just measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// What a 4 KiB read of a drive takes longer than the drive with one in flight: half take less.
    pub latency: Duration,
    /// 4 KiB reads a second with 32 in flight.
    pub iops: f64,
    /// Bytes a second of 128 KiB reads with 8 in flight.
    pub bytes_per_second: f64,
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = self.latency.as_micros_f64();
        let (iops, mb) = (self.iops, self.bytes_per_second / 1e6);
        write!(
            f,
            "a 4 KiB read takes {us:.1} us longer than the drive's own time; no more than {iops:.0} a second get through, and of long reads no more than {mb:.0} MB/s"
        )
    }
}

/// What is read of a drive, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Bytes of each read.
    pub block: Bytes,
    /// Reads in flight.
    pub in_flight: u32,
    /// True for sequential reads; otherwise they are spread over the drive.
    pub in_order: bool,
}

impl Load {
    /// One read at a time, all over the drive.
    pub const ALONE: Load = Load {
        block: Bytes::kib(4),
        in_flight: 1,
        in_order: false,
    };
    /// Short reads, many at a time.
    pub const SHORT: Load = Load {
        block: Bytes::kib(4),
        in_flight: 32,
        in_order: true,
    };
    /// Long reads, some at a time.
    pub const LONG: Load = Load {
        block: Bytes::kib(128),
        in_flight: 8,
        in_order: true,
    };
}

/// Measures it: three times this time.
///
/// # Errors
/// No socket, no thread, no file.
pub fn measured(time: Duration) -> io::Result<Floor> {
    let alone = served(WAITS, |client| latency(client, time))?;
    Ok(Floor {
        latency: alone.saturating_sub(WAITS),
        iops: served(Duration::ZERO, |client| rate(client, Load::SHORT, time))?,
        bytes_per_second: served(Duration::ZERO, |client| rate(client, Load::LONG, time))?
            * Load::LONG.block.get() as f64,
    })
}

/// How late the replies of a modelled drive leave.
///
/// # Errors
/// The drive cannot be offered; else as [`measured`].
pub fn lateness_of(target: &str, load: Load, reads: u64) -> io::Result<Lateness> {
    let (ours, theirs) = UnixStream::pair()?;
    theirs.set_nonblocking(true)?;
    let target = target.to_owned();
    let serving = thread::Builder::new()
        .name("drive".to_owned())
        .spawn(move || late(&target, theirs))?;
    let mut client = Client::greet(ours, load)?;
    client.ask(load.in_flight.into())?;
    for _ in 0..reads {
        client.fetch(1)?;
        client.ask(1)?;
    }
    client.fetch(load.in_flight.into())?;
    drop(client);
    serving
        .join()
        .map_err(|_| io::Error::other("the server of the drive stopped"))?
}

fn late(target: &str, client: UnixStream) -> io::Result<Lateness> {
    let wanted = Wanted {
        target,
        seed: 1,
        folder: None,
        ignores_flushes: false,
        read_only: true,
    };
    let offered = offer(&wanted, &Interrupt::new()).map_err(io::Error::other)?;
    let mut server = Server::starting_now(offered.drive, offered.export);
    server.serve_one(Stream::Unix(client))?;
    Ok(server.lateness().clone())
}

/// The traffic on a connection to a drive with some latency.
fn served<T>(waits: Duration, run: impl FnOnce(UnixStream) -> io::Result<T>) -> io::Result<T> {
    let (ours, theirs) = UnixStream::pair()?;
    theirs.set_nonblocking(true)?;
    let serving = thread::Builder::new()
        .name("floor".to_owned())
        .spawn(move || serve(theirs, waits))?;
    let result = run(ours)?;
    serving
        .join()
        .map_err(|_| io::Error::other("the server of the drive that waits stopped"))??;
    Ok(result)
}

fn serve(client: UnixStream, waits: Duration) -> io::Result<()> {
    let mut image = Image::new(tempfile::tempfile()?, SPAN)?;
    // Data, so that they are fetched and sent: what was never written is not.
    image.write(Bytes::ZERO, &vec![0xD5; SPAN.get() as usize], 0)?;
    let drive = Emulated::new(Box::new(Null::new(SPAN, waits)), image);
    let export = Export {
        capacity: SPAN,
        block: Bytes::SECTOR,
        preferred: Bytes::kib(4),
        read_only: true,
        rotational: false,
        description: String::new(),
    };
    Server::starting_now(drive, export).serve_one(Stream::Unix(client))
}

/// How long one read at a time takes of any server's export, over a connection to it that has not been used: half
/// take less.
///
/// # Errors
/// The server is none, or breaks off.
pub fn latency(stream: UnixStream, time: Duration) -> io::Result<Duration> {
    let mut client = Client::greet(stream, Load::ALONE)?;
    let clock = Clock::starting_now();
    let until = clock.now() + time;
    let mut took = Latencies::default();
    while clock.now() < until {
        let sent = clock.now();
        client.ask(1)?;
        client.fetch(1)?;
        took.keep(clock.now().since(sent));
    }
    Ok(took.percentile(50.0).unwrap_or(Duration::ZERO))
}

/// Reads a second of any server's export, over a connection to it that has not been used.
///
/// # Errors
/// As [`latency`].
pub fn rate(stream: UnixStream, load: Load, time: Duration) -> io::Result<f64> {
    let mut client = Client::greet(stream, load)?;
    let clock = Clock::starting_now();
    // Half of them at a time, so that the drive is never without.
    let half = u64::from(load.in_flight / 2).max(1);
    client.ask(load.in_flight.into())?;
    let begun = clock.now();
    let mut answered = 0;
    let mut now = Instant::ZERO;
    while now < begun + time {
        client.fetch(half)?;
        client.ask(half)?;
        answered += half;
        now = clock.now();
    }
    client.fetch(load.in_flight.into())?;
    Ok(answered as f64 / now.since(begun).as_secs_f64())
}

/// A client that reads, over and over.
struct Client {
    stream: UnixStream,
    load: Load,
    /// Reads of the largest block that the export supports.
    places: u64,
    /// Of the next read.
    number: u64,
    requests: Vec<u8>,
    replies: Vec<u8>,
}

impl Client {
    /// An old client's handshake: the shortest.
    fn greet(mut stream: UnixStream, load: Load) -> io::Result<Client> {
        let mut greeting = [0; 18];
        stream.read_exact(&mut greeting)?;
        let mut said = 3_u32.to_be_bytes().to_vec();
        said.extend_from_slice(b"IHAVEOPT");
        said.extend_from_slice(&1_u32.to_be_bytes());
        said.extend_from_slice(&0_u32.to_be_bytes());
        stream.write_all(&said)?;
        let mut size = [0; 8];
        stream.read_exact(&mut size)?;
        stream.read_exact(&mut [0; 2])?;
        let places = u64::from_be_bytes(size) / load.block.get();
        if places == 0 {
            return Err(io::Error::other("the export has no room for one read"));
        }
        Ok(Client {
            stream,
            load,
            places,
            number: 0,
            requests: Vec::new(),
            replies: Vec::new(),
        })
    }

    fn ask(&mut self, many: u64) -> io::Result<()> {
        let stride = if self.load.in_order { 1 } else { STRIDE };
        self.requests.clear();
        self.requests.reserve(many as usize * REQUEST);
        for _ in 0..many {
            let place = self.number * stride % self.places;
            let at = place * self.load.block.get();
            let len = self.load.block.get() as u32;
            for word in [0x2560_9513, 0_u32] {
                self.requests.extend_from_slice(&word.to_be_bytes());
            }
            for word in [self.number, at] {
                self.requests.extend_from_slice(&word.to_be_bytes());
            }
            self.requests.extend_from_slice(&len.to_be_bytes());
            self.number += 1;
        }
        self.stream.write_all(&self.requests)
    }

    fn fetch(&mut self, many: u64) -> io::Result<()> {
        let bytes = many as usize * (REPLY + self.load.block.get() as usize);
        self.replies.resize(bytes, 0);
        self.stream.read_exact(&mut self.replies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_takes_some_time_and_lets_something_through() {
        let floor = measured(Duration::from_millis(20)).unwrap();
        assert!(!floor.latency.is_zero());
        assert!(floor.iops > 0.0 && floor.bytes_per_second > 0.0);
    }

    #[test]
    fn every_read_of_a_load_is_answered_and_timed() {
        let drive = "model:samsung-840-evo-120gb";
        for load in [Load::ALONE, Load::SHORT, Load::LONG] {
            let late = lateness_of(drive, load, 100).unwrap();
            assert_eq!(late.count(), 100 + u64::from(load.in_flight));
        }
    }
}
