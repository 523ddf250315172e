//! What is inside a drive, inferred from the timings of host I/O alone.
//!
//! A drive does not say how its inside works, but it cannot hide it either: whatever takes time shows in how long single
//! I/Os take, after what, and where. Random reads over more than the part of the map that a drive holds in memory cost a
//! second look at the flash; reads that descend by random steps on one track of a disk come back after a whole turn less
//! the step; two reads that were sent together wait for each other where they meet on one die.
//!
//! Each **question** is a file of its own: what it asks, what it costs, a probe (a script of single I/Os whose trail is
//! kept) and an estimator, a pure function over the trail. An answer is a number with an interval, or it says why there is
//! none: an effect that does not stand out from the scatter is *not visible*, which is not the same as absent. What an
//! answer means for whoever uses the drive is said elsewhere, by the crates that judge results.
//!
//! Questions run one after another as phases of the method `explain`, on real and modelled drives by the same code, and
//! are resumed, stored and compared as any method's. Those that only read come first, since what the others write spoils
//! what they look at; those that must write are asked only where the target may be written, and those that write all of it
//! only where that was asked for.

use base::{Bench, Bytes, Figure, Message, MethodOutput, Span, Stopped, Takes};

mod asked;
mod clock;
mod comb;
mod counted;
mod evidence;
mod floor;
mod in_order;
mod line;
mod long_responses;
mod passing;
mod pieces;
mod probe;
mod question;
mod questions;
mod rounds;
mod search;
mod settled;

pub use asked::{Asked, Writes};
use clock::Clock;
use passing::Passing;
pub use pieces::Pieces;
use probe::Probe;
use question::{Known, Question};
use settled::settle;

/// All questions, in the order in which they are asked: what reads first, and what the next ones depend on before them.
const QUESTIONS: &[&Question] = &[
    &questions::nature::QUESTION,
    &questions::rotation::QUESTION,
    &questions::seek::QUESTION,
    &questions::transfer::QUESTION,
    &questions::read_ahead::QUESTION,
    &questions::segments::QUESTION,
    &questions::depth::QUESTION,
    &questions::again::QUESTION,
    &questions::host_cache::QUESTION,
    &questions::members::QUESTION,
    &questions::wake::QUESTION,
    &questions::map::QUESTION,
    &questions::sustained::QUESTION,
    &questions::write_cache::QUESTION,
    &questions::shingled::QUESTION,
    &questions::unit::QUESTION,
    &questions::compression::QUESTION,
    &questions::beside::QUESTION,
    &questions::stripe::QUESTION,
    &questions::trim::QUESTION,
    &questions::buffer::QUESTION,
];

/// Those that write all of the target. They come last: a drive that was filled is no longer what the others ask about.
const OF_THE_WHOLE: &[&Question] = &[
    // Little of it: before what takes long, and what a drive is slow after.
    &questions::capacity::QUESTION,
    &questions::media_cache::QUESTION,
    &questions::slc::QUESTION,
    &questions::rest::QUESTION,
];

/// Those that fill most of it.
const OF_A_FULL_DRIVE: &[&Question] = &[&questions::full::QUESTION, &questions::spare::QUESTION];

/// The most that all questions take that may be asked.
pub fn takes(asked: &Asked) -> Takes {
    // What does not suit it is asked of no disk: only flash has a fall of its write rate, or trims.
    let disk = Known {
        is_drive: true,
        turns: Some(true),
        has_one_arm: true,
        writes_elsewhere: true,
        ..Known::default()
    };
    let each = asks(asked).map(|question| {
        let own = (question.takes)(asked);
        let own = match (question.suits)(&disk) {
            true => own,
            false => own.without_disks(),
        };
        match (question.writes)(asked) {
            Some(_) => own.and(settled::takes(asked).only_reading()),
            None => own.only_reading(),
        }
    });
    let reading = asks(asked).filter(|question| (question.writes)(asked).is_none());
    let looks = passing::takes(asked, reading.count() as u64 + 1).only_reading();
    each.fold(looks, Takes::and)
}

/// Every part of the target that they write, each once, in order.
pub fn written(asked: &Asked) -> Vec<Span> {
    let parts = asks(asked).filter_map(|question| (question.writes)(asked));
    let mut parts: Vec<Span> = parts.collect();
    parts.sort_by_key(|part| part.start);
    let mut all: Vec<Span> = Vec::new();
    for part in parts {
        match all.last_mut().filter(|last| part.start <= last.end()) {
            Some(last) => last.len = last.end().max(part.end()) - last.start,
            None => all.push(part),
        }
    }
    all
}

/// Asks all questions that suit the target, one after another.
///
/// # Errors
/// [`Stopped`] where the run cannot go on.
pub fn explain(asked: &Asked, bench: &mut dyn Bench) -> Result<MethodOutput, Stopped> {
    let bench = &mut Clock::new(bench);
    let mut known = Known {
        is_drive: bench.whole().key() == Some("span-whole"),
        ..Known::default()
    };
    let mut output = MethodOutput::default();
    if matches!(asked.writes, Writes::Within(_)) && asked.area().len == Bytes::ZERO {
        output.warnings.push(Message::of("warning-part-beyond"));
    }
    // All that only read come first.
    let mut passing = Some(Passing::default());
    if let Some(passing) = &mut passing {
        passing.look(bench, asked)?;
    }
    for question in asks(asked) {
        if (question.writes)(asked).is_some()
            && let Some(passing) = passing.take()
        {
            let figures = meanwhile(passing, bench, asked, &known);
            output.figures.extend(figures);
        }
        if !(question.suits)(&known) {
            continue;
        }
        let mut probe = Probe::new(bench, question.id, asked);
        let found = (question.ask)(&mut probe, &mut known)?;
        if (question.writes)(asked).is_some() && !probe.phases.is_empty() {
            let unsettled = settle(&mut probe, &known)?;
            // Once is enough.
            if output.warnings.is_empty() {
                output.warnings.extend(unsettled);
            }
        }
        output.figures.extend(found.figures);
        output.charts.extend(found.charts);
        bench.so_far(&output);
        if let Some(passing) = &mut passing {
            passing.look(bench, asked)?;
        }
    }
    if let Some(passing) = passing.take() {
        let figures = meanwhile(passing, bench, asked, &known);
        output.figures.extend(figures);
    }
    Ok(output)
}

/// What was seen over all questions that only read.
fn meanwhile(passing: Passing, bench: &mut Clock<'_>, asked: &Asked, known: &Known) -> Vec<Figure> {
    let mut figures = passing.found(bench, asked).figures;
    let watch = bench.watched();
    let floor = bench.floor();
    let probe = Probe::new(bench, "long-responses", asked);
    figures.extend(watch.found(probe, known).figures);
    let probe = Probe::new(bench, "floor", asked);
    figures.extend(floor.found(probe, known).figures);
    figures
}

/// The questions that only read, and those that write where that is allowed.
fn asks(asked: &Asked) -> impl Iterator<Item = &'static Question> {
    let (of_the_whole, of_a_full_drive) = match asked.writes {
        Writes::Whole { fills: true } => (OF_THE_WHOLE, OF_A_FULL_DRIVE),
        Writes::Whole { fills: false } => (OF_THE_WHOLE, &[][..]),
        Writes::Nothing | Writes::Bounded | Writes::Within(_) => (&[][..], &[][..]),
    };
    let all = QUESTIONS.iter().chain(of_the_whole);
    let all = all.chain(of_a_full_drive).copied();
    all.filter(move |question| (question.writes)(asked).is_none_or(|part| asked.may_write(part)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::target::Info;
    use base::time::Duration;

    #[test]
    fn what_is_written_is_said_once() {
        let on = Info {
            capacity: Bytes::gib(64),
            block: Bytes::SECTOR,
            max_in_flight: 32,
            writable: true,
        };
        let of = |writes| {
            let asked = Asked::of(on.capacity, &on, writes, Duration::from_secs(20), 1);
            written(&asked)
        };
        assert_eq!(of(Writes::Nothing), []);
        // A part is kept to, whole MiB of it.
        let within = |from, len| Writes::Within(Span::new(Bytes::new(from), Bytes::gib(len)));
        let part = Span::new(Bytes::mib(1), Bytes::gib(5) - Bytes::mib(1));
        assert_eq!(of(within(4_096, 5)), [part]);
        let last = Span::new(Bytes::gib(63), Bytes::gib(1));
        assert_eq!(of(within(63 << 30, 5)), [last]);
        assert_eq!(of(within(64 << 30, 5)), []);
        // To tell a shingled disk, places of the whole drive are written.
        assert_eq!(of(Writes::Bounded), [Span::first(on.capacity)]);
        assert_eq!(
            of(Writes::Whole { fills: true }),
            [Span::first(on.capacity)]
        );
    }
}
