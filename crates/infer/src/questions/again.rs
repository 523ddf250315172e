//! Is what was read before read again from a cache?
//!
//! A cache in the host's memory (the page cache, a vendor's "turbo" driver, a controller with memory of its own) answers a
//! second read of the same place without the drive; so does a disk's buffer, for the last few places. A benchmark that
//! comes back to the same addresses then measures the cache. So a few places are read, and then again, mixed with others
//! that were not read before. Of flash the others lie near the first, where the same page of the address map is at hand:
//! else a miss of the map would look like a cache. Of a disk they lie far away, as its buffer holds what follows a read.

use base::{Bytes, Io, Message, Stopped};

use crate::evidence::ratio;
use crate::probe::{Probe, micros};
use crate::question::{Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "again",
    suits: |_| true,
    writes: |_| None,
    takes: |asked| asked.singles(ROUNDS * PLACES * 3),
    ask,
};

/// Rounds, and places that are read in each: few, as a small buffer keeps no more.
const ROUNDS: u64 = 100;
const PLACES: u64 = 2;
/// From a place to the other that was not read before: on flash, and on a disk.
const NEAR: Bytes = Bytes::mib(1);
const FAR: Bytes = Bytes::mib(256);

/// Which read of a place it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    First,
    Again,
    Other,
}

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let apart = if known.may_turn() { FAR } else { NEAR };
    let mut found = Found::default();
    if probe.asked.span.len < apart * 4 {
        let why = Message::of("why-too-small-to-ask");
        found.add(probe, "read", "ratio", Err(why));
        return Ok(found);
    }
    let (ios, times) = rounds(probe, apart);
    let trail = probe.one_at_a_time("reads", ios)?;
    let of = |time: Time| -> Vec<f64> {
        let own = trail
            .iter()
            .filter(|io| times.get(io.step as usize) == Some(&time));
        micros(&own.copied().collect::<Vec<_>>())
    };
    found.add(
        probe,
        "read",
        "ratio",
        ratio(&of(Time::Again), &of(Time::Other)),
    );
    Ok(found)
}

/// All reads in order, and which each of them is.
fn rounds(probe: &mut Probe<'_>, apart: Bytes) -> (Vec<Io>, Vec<Time>) {
    let access = probe.asked.access;
    let places = (probe.asked.span.len - apart).get() / access.get().max(1);
    let (mut ios, mut times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let of_round: Vec<Io> = (0..PLACES)
            .map(|_| {
                let place = probe.rng.below(places.max(1));
                Io::read(probe.asked.span.start + access * place, access)
            })
            .collect();
        let mut second: Vec<(Io, Time)> = of_round
            .iter()
            .flat_map(|io| {
                let other = Io::read(io.offset + apart, access);
                [(*io, Time::Again), (other, Time::Other)]
            })
            .collect();
        probe.shuffle(&mut second);
        let first = of_round.into_iter().map(|io| (io, Time::First));
        for (io, time) in first.chain(second) {
            ios.push(io);
            times.push(time);
        }
    }
    (ios, times)
}
