//! The fields of a line of comma-separated values, as the collections of traces have them: no quotes, blanks beside the
//! commas allowed.

use super::decimal_time;
use base::io::Op;
use base::time::Duration;

/// What is left of a line.
pub(super) struct Fields<'a> {
    rest: std::str::Split<'a, char>,
    form: &'static str,
}

impl<'a> Fields<'a> {
    /// All fields of a line of this form.
    pub(super) fn of(line: &'a str, form: &'static str) -> Fields<'a> {
        Fields {
            rest: line.split(','),
            form,
        }
    }

    /// The next one; empty where there is none.
    pub(super) fn text(&mut self) -> &'a str {
        self.rest.next().unwrap_or_default().trim()
    }

    /// The next one, a whole number.
    pub(super) fn number(&mut self, what: &str) -> Result<u64, String> {
        super::number(self.rest.next(), what, self.form)
    }

    /// A time in seconds.
    pub(super) fn seconds_of(&self, text: &str) -> Result<Duration, String> {
        decimal_time(text, 1_000_000_000).ok_or_else(|| {
            let form = self.form;
            format!("'{text}' is not a time in seconds; line format: {form}")
        })
    }

    /// A read or a write, by their words.
    pub(super) fn op_of(&self, text: &str, read: &str, write: &str) -> Result<Op, String> {
        match text {
            _ if text.eq_ignore_ascii_case(read) => Ok(Op::Read),
            _ if text.eq_ignore_ascii_case(write) => Ok(Op::Write),
            _ => {
                let form = self.form;
                Err(format!(
                    "'{text}' is not {read} or {write}; line format: {form}"
                ))
            }
        }
    }
}
