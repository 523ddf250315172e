//! Is TRIM obeyed?
//!
//! A page that was trimmed belongs to no flash page any more: a drive that obeys answers a read of it without looking, in a
//! tenth of the time. So one half of what was just written is trimmed, and reads of both halves alternate. That reads are as
//! slow as before does not say that the drive ignores TRIM for good: it may do it later, or keep the map and only note it. In
//! a file nothing is asked: there the file system answers.

use base::{Bytes, Duration, Io, Message, Span, Stopped};

use crate::asked::Asked;
use crate::evidence::ratio;
use crate::probe::{Probe, accesses};
use crate::question::{Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "trim",
    suits: |known| known.may_be_flash() && known.is_drive,
    writes: |asked| Some(half(asked)),
    takes: |asked| {
        asked
            .singles(2 * READS)
            .and_moving(half(asked).len * 2)
            .and_idle(REST)
    },
    ask,
};

/// What is written, half of which is trimmed.
const WRITTEN: Bytes = Bytes::mib(256);
/// Reads of each half.
const READS: u64 = 300;
/// A read of a trimmed page that takes less of another one did not go to the flash.
const NOT_READ: f64 = 0.6;
/// Afterwards the drive is left alone: what waits in its buffers is no flash.
const REST: Duration = Duration::from_secs(2);

fn half(asked: &Asked) -> Span {
    let area = asked.area();
    Span::new(area.start, WRITTEN.min(area.len))
}

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let span = half(probe.asked);
    let mut found = Found::default();
    if span.len < probe.asked.access * 2 {
        let why = Message::of("why-too-small-to-ask");
        found.add(probe, "read", "ratio", Err(why));
        return Ok(found);
    }
    probe.fill(span, REST)?;
    let trimmed = (span.len.round_down(Bytes::mib(2)).get() / 2).max(probe.asked.access.get());
    if !probe.trim(Span::new(span.start, Bytes::new(trimmed)))? {
        found.add(probe, "read", "ratio", Err(Message::of("why-no-trim")));
        return Ok(found);
    }
    let each = accesses(Bytes::new(trimmed), probe.asked.access);
    let reads: Vec<Io> = (0..2 * READS)
        .map(|n| {
            let place = probe.rng.below(each) + if n % 2 == 0 { 0 } else { each };
            Io::read(span.start + probe.asked.access * place, probe.asked.access)
        })
        .collect();
    let trail = probe.one_at_a_time("reads", reads)?;
    let of = |odd: u32| -> Vec<f64> {
        let own = trail.iter().filter(|io| io.step % 2 == odd);
        own.map(|io| io.took.as_secs_f64() * 1e6).collect()
    };
    let share = ratio(&of(0), &of(1));
    known.obeys_trim = matches!(&share, Ok((share, _)) if *share < NOT_READ);
    found.add(probe, "read", "ratio", share);
    Ok(found)
}
