//! What the way itself costs, without a drive: the floor of everything that is measured over it.
//!
//! A drive that answers at once is served over a socket of this process, and read from: one read at a time, whose
//! time from request to reply is what a client's figures have on top of the drive's own, and thirty-two at a time,
//! whose rate is the most that any drive can show here. A client is a program of its own with its own costs; those
//! are not in it.

use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;

use base::null::Null;
use base::record::Latencies;
use base::size::Bytes;
use base::time::Duration;
use lab::progress::Interrupt;
use uring::clock::Clock;

use crate::drive::Emulated;
use crate::image::Image;
use crate::lateness::Lateness;
use crate::nbd::Export;
use crate::offer::{Wanted, offer};
use crate::server::Server;
use crate::transport::Stream;

/// How much is read at once.
const BLOCK: usize = 4_096;
/// Bytes of a simple reply before its data, and of a request.
const REPLY: usize = 16;
const REQUEST: usize = 28;
/// The part of a drive that is read.
const SPAN: u64 = 64 << 20;
/// From one read to the next where they are not in order: a prime number of blocks, some two fifths of the part.
const STRIDE: u64 = 6_547 * BLOCK as u64;

/// What the way costs on this machine, measured a moment ago.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// From a 4 KiB read's request to its reply with one in flight: half take less.
    pub latency: Duration,
    /// 4 KiB reads a second with 32 in flight.
    pub iops: f64,
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = self.latency.as_micros_f64();
        let Floor { iops, .. } = self;
        write!(
            f,
            "a 4 KiB read takes {us:.1} us longer than the drive's own time, and no more than {iops:.0} a second get through"
        )
    }
}

/// Measures it: twice this time.
///
/// # Errors
/// No socket, no thread, no file.
pub fn measured(time: Duration) -> io::Result<Floor> {
    let (ours, theirs) = UnixStream::pair()?;
    theirs.set_nonblocking(true)?;
    let serving = thread::Builder::new()
        .name("floor".to_owned())
        .spawn(move || serve(theirs))?;
    let floor = read_from(ours, time, SPAN)?;
    serving
        .join()
        .map_err(|_| io::Error::other("the server of the null drive stopped"))??;
    Ok(floor)
}

/// How late the replies of a modelled drive leave with one 4 KiB read in flight, all over it.
///
/// # Errors
/// The drive cannot be offered; else as [`measured`].
pub fn lateness_of(target: &str, reads: u64) -> io::Result<Lateness> {
    let (mut ours, theirs) = UnixStream::pair()?;
    theirs.set_nonblocking(true)?;
    let target = target.to_owned();
    let serving = thread::Builder::new()
        .name("drive".to_owned())
        .spawn(move || late(&target, theirs))?;
    greet(&mut ours)?;
    let mut next = Next {
        number: 1,
        stride: STRIDE,
        span: SPAN,
    };
    for _ in 0..reads {
        ask(&mut ours, 1, &mut next)?;
        fetch(&mut ours, 1)?;
    }
    drop(ours);
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

/// Serves a drive that answers at once to one client.
fn serve(client: UnixStream) -> io::Result<()> {
    let capacity = Bytes::new(SPAN);
    let image = Image::new(tempfile::tempfile()?, capacity)?;
    let drive = Emulated::new(Box::new(Null::new(capacity, Duration::ZERO)), image);
    let export = Export {
        capacity,
        block: Bytes::SECTOR,
        preferred: Bytes::kib(4),
        read_only: true,
        rotational: false,
        description: String::new(),
    };
    Server::starting_now(drive, export).serve_one(Stream::Unix(client))
}

/// The same of any server's export, over a connection to it that has not been used: 4 KiB reads of its first `span`
/// bytes, in order.
///
/// # Errors
/// The server is none, or breaks off.
pub fn read_from(mut stream: UnixStream, time: Duration, span: u64) -> io::Result<Floor> {
    greet(&mut stream)?;
    let clock = Clock::starting_now();
    let mut alone = Latencies::default();
    let mut next = Next {
        number: 0,
        stride: BLOCK as u64,
        span,
    };
    let until = clock.now() + time;
    while clock.now() < until {
        let sent = clock.now();
        ask(&mut stream, 1, &mut next)?;
        fetch(&mut stream, 1)?;
        alone.keep(clock.now().since(sent));
    }
    let begun = clock.now();
    let until = begun + time;
    let mut answered = 0_u64;
    ask(&mut stream, 32, &mut next)?;
    while clock.now() < until {
        // Half of them at a time, so that the drive is never without.
        fetch(&mut stream, 16)?;
        ask(&mut stream, 16, &mut next)?;
        answered += 16;
    }
    let took = clock.now().since(begun).as_secs_f64();
    fetch(&mut stream, 32)?;
    Ok(Floor {
        latency: alone.percentile(50.0).unwrap_or(Duration::ZERO),
        iops: answered as f64 / took,
    })
}

/// An old client's handshake: the shortest.
fn greet(stream: &mut UnixStream) -> io::Result<()> {
    let mut greeting = [0; 18];
    stream.read_exact(&mut greeting)?;
    let mut said = 3_u32.to_be_bytes().to_vec();
    said.extend_from_slice(b"IHAVEOPT");
    said.extend_from_slice(&1_u32.to_be_bytes());
    said.extend_from_slice(&0_u32.to_be_bytes());
    stream.write_all(&said)?;
    let mut export = [0; 10];
    stream.read_exact(&mut export)
}

/// The next read of a client that reads in order, over and over.
struct Next {
    number: u64,
    stride: u64,
    span: u64,
}

fn ask(stream: &mut UnixStream, many: usize, next: &mut Next) -> io::Result<()> {
    let mut requests = Vec::with_capacity(many * REQUEST);
    for _ in 0..many {
        requests.extend_from_slice(&0x2560_9513_u32.to_be_bytes());
        requests.extend_from_slice(&0_u32.to_be_bytes());
        requests.extend_from_slice(&next.number.to_be_bytes());
        let at = next.number * next.stride % next.span;
        requests.extend_from_slice(&at.to_be_bytes());
        requests.extend_from_slice(&(BLOCK as u32).to_be_bytes());
        next.number += 1;
    }
    stream.write_all(&requests)
}

fn fetch(stream: &mut UnixStream, many: usize) -> io::Result<()> {
    let mut replies = vec![0; many * (REPLY + BLOCK)];
    stream.read_exact(&mut replies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_that_answers_at_once_is_read_from_and_takes_some_time() {
        let floor = measured(Duration::from_millis(20)).unwrap();
        assert!(!floor.latency.is_zero());
        assert!(floor.iops > 0.0);
    }
}
