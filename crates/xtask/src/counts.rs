//! Sums up the test harness's output: the `test result:` line of every test binary, the names of failed or ignored
//! tests, and the lines of tests that skipped themselves.
//!
//! Rust's own harness prints, a binary, `test result: ok. 12 passed; 0 failed; 1 ignored; ...`. A test that
//! skipped itself is among the passed there (the harness has no word for it), hence the subtraction.

use std::collections::BTreeMap;

/// The whole run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// As the harness counts them: with those that skipped themselves.
    harness_passed: u64,
    pub(crate) failed: u64,
    /// Names of the failed tests, as printed.
    pub(crate) failures: Vec<String>,
    ignored: u64,
    /// Skipped tests by name, with the reason.
    pub(crate) skips: BTreeMap<String, String>,
    /// How many of `skips` the harness took for passed.
    skipped_themselves: u64,
}

impl Counts {
    /// Takes one line of `cargo test`'s standard output.
    pub(crate) fn take_line(&mut self, line: &str) {
        if let Some(result) = line.strip_prefix("test result: ") {
            self.harness_passed += number_before(result, " passed");
            self.failed += number_before(result, " failed");
            self.ignored += number_before(result, " ignored");
        } else if let Some((name, outcome)) = line
            .strip_prefix("test ")
            .and_then(|rest| rest.split_once(" ... "))
        {
            if outcome.starts_with("FAILED") {
                self.failures.push(name.to_string());
            } else if let Some(why) = outcome.strip_prefix("ignored") {
                self.skips
                    .insert(name.to_string(), why.trim_start_matches(", ").to_string());
            }
        }
    }

    /// Takes the text of the file named by `DRIVELAB_SKIPS`: `skipped: <test>: <why>`, one per line. Duplicate lines
    /// count once.
    pub(crate) fn take_skips(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let said = line.strip_prefix("skipped: ").unwrap_or(line);
            let (name, why) = said.split_once(": ").unwrap_or((said, "no reason given"));
            if self
                .skips
                .insert(name.to_string(), why.to_string())
                .is_none()
            {
                self.skipped_themselves += 1;
            }
        }
    }

    /// A failure that no test counted: the code did not compile, a test binary died, time was up.
    pub(crate) fn take_failure_outside(&mut self, what: &str) {
        self.failed += 1;
        self.failures.push(what.to_string());
    }

    /// Passed in earnest.
    pub(crate) fn passed(&self) -> u64 {
        self.harness_passed.saturating_sub(self.skipped_themselves)
    }

    /// Ignored by attribute, or skipped by the test itself.
    pub(crate) fn skipped(&self) -> u64 {
        self.ignored + self.skipped_themselves
    }

    /// The closing line.
    pub(crate) fn line(&self) -> String {
        format!(
            "{} passed, {} failed, {} skipped",
            self.passed(),
            self.failed,
            self.skipped()
        )
    }
}

/// The number before a word: 12 in `ok. 12 passed; 0 failed`.
fn number_before(text: &str, word: &str) -> u64 {
    text.split_once(word)
        .and_then(|(before, _)| before.rsplit(' ').next())
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(lines: &[&str], skips: &str) -> Counts {
        let mut counts = Counts::default();
        lines.iter().for_each(|line| counts.take_line(line));
        counts.take_skips(skips);
        counts
    }

    const OK: &str = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.00s";
    const BAD: &str =
        "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out";

    #[test]
    fn results_of_all_binaries_are_summed() {
        assert_eq!(
            counts(&[OK, BAD], "").line(),
            "16 passed, 2 failed, 1 skipped"
        );
    }

    #[test]
    fn a_test_that_skipped_itself_is_not_passed() {
        let counts = counts(&[OK], "skipped: charts_have_data: no Chromium here\n");
        assert_eq!(counts.line(), "11 passed, 0 failed, 2 skipped");
        assert_eq!(counts.skips["charts_have_data"], "no Chromium here");
    }

    #[test]
    fn a_skip_said_twice_counts_once() {
        assert_eq!(
            counts(&[OK], "skipped: a: x\nskipped: a: x\n\n").line(),
            "11 passed, 0 failed, 2 skipped"
        );
    }

    #[test]
    fn failed_and_ignored_tests_are_named() {
        let counts = counts(
            &[
                "test a::good ... ok",
                "test a::bad ... FAILED",
                "test src/lib.rs - f (line 3) ... FAILED",
                "test slow ... ignored, takes an hour",
            ],
            "",
        );
        assert_eq!(counts.failures, ["a::bad", "src/lib.rs - f (line 3)"]);
        assert_eq!(counts.skips["slow"], "takes an hour");
    }

    #[test]
    fn what_fails_outside_of_a_test_is_counted() {
        let mut counts = counts(&[OK], "");
        counts.take_failure_outside("it did not compile");
        assert_eq!(counts.line(), "12 passed, 1 failed, 1 skipped");
    }

    #[test]
    fn other_lines_count_nothing() {
        assert_eq!(
            counts(&["running 3 tests", "", "test", "test result"], ""),
            Counts::default()
        );
    }
}
