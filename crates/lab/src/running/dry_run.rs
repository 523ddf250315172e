//! What a run would do, printed and checked in advance.

use base::{Argument, Bytes, Forecast, Message, Span};
use stats::repeat::Repeat;

use super::{Prepared, Request};
use crate::error::LabError;
use crate::how_long::{self, HowLong, span};

/// Ranges of a test file that are named one by one.
const SHOWN: usize = 4;

impl Prepared<'_> {
    /// The method, its target, and how often it is run.
    pub fn asked(&self) -> (&str, &str, Repeat) {
        let Request {
            method,
            target,
            repeat,
            ..
        } = &self.request;
        (method, target, *repeat)
    }

    /// What it will take, once.
    pub fn how_long(&self) -> HowLong {
        let (settings, scale) = (&self.settings, self.request.scale);
        how_long::of_run(self.method, settings, &self.resolved, &self.forecast, scale)
    }

    /// The size of the test file that the run creates, and what it does in it; nothing if it creates none.
    pub fn in_test_file(&self) -> Option<(Bytes, Forecast)> {
        let (settings, scale) = (&self.settings, self.request.scale);
        how_long::in_test_file(self.method, settings, &self.resolved, &self.forecast, scale)
    }

    /// What a run would write, for people: every range and the number of bytes.
    pub fn dry_run(&self) -> Vec<Message> {
        let (method, target) = (&self.request.method, &self.request.target);
        let of = [("method", method.into()), ("target", target.into())];
        let mut lines = Vec::new();
        let in_file = self.in_test_file();
        let forecast = in_file.as_ref().map_or(&self.forecast, |(_, of_it)| of_it);
        if let Some((file, _)) = in_file {
            lines.push(Message::new("dry-run-test-file", [("file", file.into())]));
        } else if forecast.written.is_empty() {
            lines.push(Message::new("forecast-writes-nothing", []));
        }
        lines.extend(ranges(&forecast.written, in_file.is_none()));
        if !forecast.written.is_empty() {
            lines.push(overwritten(&forecast.written, in_file.is_some()));
            let lost = self.resolved.would_be_lost();
            lines.extend(
                lost.iter()
                    .map(|what| Message::new("dry-run-lost", [("what", Argument::text(what))])),
            );
        }
        let repeat = self.request.repeat;
        if repeat != Repeat::Times(1) {
            let (times, rule) = (repeat.most().into(), Argument::text(repeat));
            let places = [("times", times), ("rule", rule)];
            lines.push(Message::new("dry-run-repeated", places));
        }
        lines.extend(takes(&self.how_long()));
        let lines = lines.into_iter().map(|line| line.behind("  "));
        std::iter::once(Message::new("dry-run-of", of))
            .chain(lines)
            .collect()
    }

    /// Checks all that a run checks before its first phase. Nothing is made, claimed or written.
    ///
    /// # Errors
    /// What would refuse the run.
    pub fn would_run(&self) -> Result<(), LabError> {
        self.check_same()?;
        if let Some(to) = &self.record_to {
            to.check_place()?;
        }
        let scale = self.request.scale;
        let consent = &self.request.consent;
        Ok(self.resolved.would_open(&self.forecast, scale, consent)?)
    }
}

/// Every range that is written. Every byte of the user's is named; in a file of ours the first and the last are enough.
fn ranges(written: &[Span], is_the_users: bool) -> Vec<Message> {
    let all = written.len();
    let (head, tail) = match is_the_users || all <= SHOWN {
        true => (all, all),
        false => (SHOWN - 1, all - 1),
    };
    let mut lines = Vec::new();
    for (at, span) in written.iter().enumerate() {
        if at == head {
            let ranges = (tail - head).into();
            lines.push(Message::new("dry-run-more", [("ranges", ranges)]));
        }
        if at < head || at >= tail {
            lines.push(Message::new(
                "dry-run-range",
                [
                    ("start", span.start.get().into()),
                    ("end", span.end().get().into()),
                    ("length", span.len.into()),
                ],
            ));
        }
    }
    lines
}

/// How many bytes are written in all.
fn overwritten(written: &[Span], in_file: bool) -> Message {
    let total: u64 = written.iter().map(|span| span.len.get()).sum();
    let key = match in_file {
        true => "dry-run-overwritten",
        false => "dry-run-may-be-overwritten",
    };
    let size = Bytes::new(total).into();
    Message::new(key, [("bytes", total.into()), ("size", size)])
}

/// How long it takes; nothing where that is no time at all.
fn takes(how_long: &HowLong) -> Option<Message> {
    let time = Argument::text(span(how_long.seconds));
    (how_long.seconds > 0.0).then(|| match how_long.assumed_mb_s {
        None => Message::new("dry-run-takes", [("time", time)]),
        Some(mb_s) => {
            let rate = Argument::text(format_args!("{mb_s:.0}"));
            Message::new("dry-run-takes-about", [("time", time), ("rate", rate)])
        }
    })
}
