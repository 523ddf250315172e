//! Each mechanism has its effect in timings, and every drawn drive keeps the contract of targets.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod contract;
mod disk;
mod ssd;

use alien::{Alien, Description, Inside, Link};
use base::io::Io;
use base::rng::Rng;
use base::size::{Bytes, PicosPerByte};
use base::target::{Tag, Target};
use base::time::{Duration, Instant};

const US: fn(u64) -> Duration = Duration::from_micros;
const MS: fn(u64) -> Duration = Duration::from_millis;

/// A drive behind a link that costs nearly nothing.
fn drive(inside: Inside) -> Alien {
    Alien::new(Description {
        seed: 7,
        link: Link {
            queue: 64,
            command: Duration::from_nanos(100),
            rate: PicosPerByte::new(1),
            both_ways: true,
        },
        inside,
    })
}

/// The drive does I/Os, `depth` at a time; gives what each took.
fn each(drive: &mut Alien, depth: usize, ios: &[Io]) -> Vec<Duration> {
    let mut took = vec![Duration::ZERO; ios.len()];
    let mut of_tag = vec![0; depth];
    let mut free: Vec<usize> = (0..depth).rev().collect();
    let mut done = Vec::new();
    let mut next = 0;
    while next < ios.len() || free.len() < depth {
        while next < ios.len()
            && let Some(tag) = free.pop()
        {
            of_tag[tag] = next;
            drive.submit(Tag(tag as u32), &ios[next]).unwrap();
            next += 1;
        }
        drive.wait(None, &mut done);
        for one in done.drain(..) {
            let tag = one.tag.0 as usize;
            took[of_tag[tag]] = one.at.since(one.sent);
            free.push(tag);
        }
    }
    took
}

/// One I/O by itself.
fn one(drive: &mut Alien, io: Io) -> Duration {
    each(drive, 1, &[io])[0]
}

/// The time of all of them.
fn all(drive: &mut Alien, depth: usize, ios: &[Io]) -> Duration {
    let began = drive.now();
    each(drive, depth, ios);
    drive.now().since(began)
}

fn mean(took: &[Duration]) -> Duration {
    let sum: u64 = took.iter().map(|time| time.as_nanos()).sum();
    Duration::from_nanos(sum / took.len() as u64)
}

fn rest(drive: &mut Alien, time: Duration) {
    let until: Instant = drive.now() + time;
    drive.wait(Some(until), &mut Vec::new());
}

const PAGE: Bytes = Bytes::kib(4);

fn read(page: u64) -> Io {
    Io::read(PAGE * page, PAGE)
}

fn write(page: u64) -> Io {
    Io::write(PAGE * page, PAGE, page)
}

/// 4 KiB at random places of the first so many bytes.
fn anywhere(count: usize, within: Bytes, seed: u64, io: fn(u64) -> Io) -> Vec<Io> {
    let mut rng = Rng::new(seed);
    let pages = within.get() / PAGE.get();
    (0..count).map(|_| io(rng.below(pages))).collect()
}
