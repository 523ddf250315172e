//! What a run would do, told and checked beforehand.

use base::method::Forecast;
use base::size::Bytes;
use stats::repeat::Repeat;

use super::Prepared;
use crate::error::LabError;
use crate::how_long::{self, HowLong, span};

/// Ranges of a test file that are named one by one.
const SHOWN: usize = 4;

impl Prepared<'_> {
    /// What it will take, once.
    pub fn how_long(&self) -> HowLong {
        let (settings, scale) = (&self.settings, self.request.scale);
        how_long::of_run(self.method, settings, &self.resolved, &self.forecast, scale)
    }

    /// The size of the test file that the run makes, and what it will do in it; nothing where it makes none.
    pub fn in_test_file(&self) -> Option<(Bytes, Forecast)> {
        let (settings, scale) = (&self.settings, self.request.scale);
        how_long::in_test_file(self.method, settings, &self.resolved, &self.forecast, scale)
    }

    /// What a run would write, for people: every range and the number of bytes.
    pub fn dry_run(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{} on {}",
            self.request.method, self.request.target
        )];
        let in_file = self.in_test_file();
        let forecast = in_file.as_ref().map_or(&self.forecast, |(_, of_it)| of_it);
        if let Some((file, _)) = &in_file {
            lines.push(format!(
                "  in a new test file of {file}, which is written before it is read, and removed"
            ));
        } else if forecast.written.is_empty() {
            lines.push("  writes nothing".to_owned());
        }
        // Every byte of the user's is named; in a file of ours the first and the last are enough.
        let all = forecast.written.len();
        let is_short = in_file.is_none() || all <= SHOWN;
        let (head, tail) = if is_short {
            (all, all)
        } else {
            (SHOWN - 1, all - 1)
        };
        for (at, span) in forecast.written.iter().enumerate() {
            if at == head {
                lines.push(format!("  ... and {} ranges more like it", tail - head));
            }
            if at < head || at >= tail {
                lines.push(format!(
                    "  writes bytes {} to {} ({})",
                    span.start.get(),
                    span.end().get(),
                    span.len
                ));
            }
        }
        if !forecast.written.is_empty() {
            let total: u64 = forecast.written.iter().map(|s| s.len.get()).sum();
            let what = if in_file.is_some() { "are" } else { "may be" };
            lines.push(format!(
                "  {total} bytes {what} overwritten ({}), some more than once",
                Bytes::new(total)
            ));
            for lost in self.resolved.would_be_lost() {
                lines.push(format!("  would be lost: {lost}"));
            }
        }
        if self.request.repeat != Repeat::Times(1) {
            lines.push(format!(
                "  all of it up to {} times over (--repeat {})",
                self.request.repeat.most(),
                self.request.repeat
            ));
        }
        let HowLong {
            seconds,
            assumed_mb_s,
            ..
        } = self.how_long();
        let time = span(seconds);
        lines.extend((seconds > 0.0).then(|| match assumed_mb_s {
            None => format!("  takes {time} at most"),
            Some(mb_s) => format!("  takes about {time}, assuming {mb_s:.0} MB/s"),
        }));
        lines
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
        self.resolved
            .would_open(&self.forecast, scale, &self.request.consent)
    }
}
