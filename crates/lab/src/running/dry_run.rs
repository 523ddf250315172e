//! What a run would do, told and checked beforehand.

use base::size::Bytes;
use stats::repeat::Repeat;

use super::Prepared;
use crate::error::LabError;
use crate::how_long::{self, HowLong, span};

impl Prepared {
    /// What it will take, once.
    pub fn how_long(&self) -> HowLong {
        let (settings, scale) = (&self.settings, self.request.scale);
        how_long::of_run(self.method, settings, &self.resolved, &self.forecast, scale)
    }

    /// What a run would write, for people: every range and the number of bytes.
    pub fn dry_run(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{} on {}",
            self.request.method, self.request.target
        )];
        if self.resolved.is_a_test_file() {
            lines.push(
                "  in a new test file, which is written before it is read, and removed".to_owned(),
            );
        } else if self.forecast.written.is_empty() {
            lines.push("  writes nothing".to_owned());
        }
        for span in &self.forecast.written {
            lines.push(format!(
                "  writes bytes {} to {} ({})",
                span.start.get(),
                span.end().get(),
                span.len
            ));
        }
        if !self.forecast.written.is_empty() {
            let total: u64 = self.forecast.written.iter().map(|s| s.len.get()).sum();
            lines.push(format!(
                "  {} bytes may be overwritten ({}), some more than once",
                total,
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
