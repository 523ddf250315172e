//! Does it turn?
//!
//! A lone random read waits for the arm and for half a turn on a disk, some 5 to 15 ms, and for one sensing of cells on
//! flash, some 0.02 to 0.2 ms. Between 1 and 3 ms it may be either (an early SSD behind a slow bridge, a disk that is
//! asked about a few tracks): then both kinds of question are asked.

use base::{Message, Stopped};
use stats::{median, median_interval};

use crate::probe::{Probe, micros};
use crate::question::{Found, Known, Question};
use crate::settled::slow;

pub(crate) const QUESTION: Question = Question {
    id: "lone",
    suits: |_| true,
    writes: |_| None,
    takes: |asked| asked.singles(READS),
    ask,
};

/// Reads: the median of so many is within a tenth on a disk.
const READS: u64 = 101;
/// Below it is no disk, in microseconds.
const FLASH_BELOW: f64 = 1_000.0;
/// Above it is no flash.
const TURNS_ABOVE: f64 = 3_000.0;

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let reads: Vec<_> = (0..READS).map(|_| probe.random_read()).collect();
    let responses = micros(&probe.one_at_a_time("reads", reads)?);
    let mut found = Found::default();
    known.slow_read_us = slow(&responses);
    let middle = median(&responses);
    known.turns = match middle {
        Some(median) if median < FLASH_BELOW => Some(false),
        Some(median) if median > TURNS_ABOVE => Some(true),
        _ => None,
    };
    let interval = median_interval(&responses).map(|it| [it.low, it.high]);
    let estimate = middle.map(|median| (median, interval));
    let estimate = estimate.ok_or_else(|| Message::of("why-nothing-completed"));
    found.add(probe, "read", "us", estimate);
    Ok(found)
}
