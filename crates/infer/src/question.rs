//! A question: whom it suits, what it costs, and how it is asked.

use base::result::Interval;
use base::{Better, Chart, Figure, Message, Span, Stopped, Takes};

use crate::asked::Asked;
use crate::in_order::Place;
use crate::probe::Probe;

/// One question.
pub(crate) struct Question {
    /// What its phases and the keys of its figures begin with.
    pub(crate) id: &'static str,
    /// Whether it makes sense, after what is known of the drive.
    pub(crate) suits: fn(&Known) -> bool,
    /// The part of the target that it writes: nothing where it only reads.
    pub(crate) writes: fn(&Asked) -> Option<Span>,
    /// The most that it takes.
    pub(crate) takes: fn(&Asked) -> Takes,
    /// Asks the drive.
    pub(crate) ask: fn(&mut Probe<'_>, &mut Known) -> Result<Found, Stopped>,
}

/// What earlier questions found, as far as later ones depend on it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// Whether it is a drive or a part of one, and no file: a file system answers by itself for what was trimmed in one.
    pub(crate) is_drive: bool,
    /// Whether it turns; nothing where a lone read could be either.
    pub(crate) turns: Option<bool>,
    /// What the slowest tenth of lone reads takes, in us, before anything is written.
    pub(crate) slow_read_us: Option<f64>,
    /// Its turn, where one was found.
    pub(crate) turn: Option<Turn>,
    /// Whether its seeks are those of a single arm.
    pub(crate) has_one_arm: bool,
    /// What it reads in order, in MB/s, where that was measured.
    pub(crate) reads_mb_s: Option<f64>,
    /// Whether something in front of it keeps what was read.
    pub(crate) is_behind_a_cache: bool,
    /// Whether it puts random writes somewhere else first.
    pub(crate) writes_elsewhere: bool,
    /// Whether a part that was trimmed is empty at once.
    pub(crate) obeys_trim: bool,
    /// The fall of its write rate, where one was found.
    pub(crate) fall: Option<Fall>,
    /// What rests give back of it, where that was found.
    pub(crate) gives_back: Option<GivesBack>,
}

/// A fast part of the write path that was used up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fall {
    /// What was written until then, in bytes.
    pub(crate) after_bytes: f64,
    /// The rates before and after it, in MB/s.
    pub(crate) before: f64,
    pub(crate) after: f64,
    /// Where the writes ended.
    pub(crate) place: Place,
}

/// A fast part of the write path that comes back at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GivesBack {
    /// Seconds after the last write.
    pub(crate) onset: f64,
    /// Bytes a second from then on.
    pub(crate) bytes_a_second: f64,
}

/// A turn of a disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turn {
    /// What it takes.
    pub(crate) ms: f64,
    /// What a track at the beginning holds.
    pub(crate) track_bytes: f64,
}

impl Known {
    /// Whether it may be a disk.
    pub(crate) fn may_turn(&self) -> bool {
        self.turns != Some(false)
    }

    /// Whether it may be flash.
    pub(crate) fn may_be_flash(&self) -> bool {
        self.turns != Some(true)
    }
}

/// What came of a question.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The numbers, or why there are none.
    pub(crate) figures: Vec<Figure>,
    /// What they were read off.
    pub(crate) charts: Vec<Chart>,
}

/// A number with an interval of 95 %, or the reason why there is none.
pub(crate) type Estimate = Result<(f64, Option<[f64; 2]>), Message>;

impl Found {
    /// Adds a number to the answer, found in some phases from so many I/Os.
    pub(crate) fn add(&mut self, probe: &Probe<'_>, key: &str, unit: &str, estimate: Estimate) {
        let phases = probe.phases.clone();
        let mut figure = Figure {
            key: format!("{}.{key}", probe.id),
            value: None,
            why_not: None,
            unit: unit.to_owned(),
            better: Better::None,
            statistic: Message::of("made-estimate").into(),
            n: probe.ios,
            interval: None,
            phases,
            comparable_by: probe.asked.by.clone(),
        };
        match estimate {
            Ok((value, interval)) => {
                figure.value = Some(value);
                figure.interval = interval.map(|[low, high]| Interval {
                    low,
                    high,
                    confidence_percent: 95.0,
                });
            }
            Err(why) => figure.why_not = Some(why),
        }
        self.figures.push(figure);
    }
}
