//! Self-tests: which failure of the past still counts.
//!
//! A short test checks the electronics and a small part of the medium, an extended one reads all of it. So a passed
//! test supersedes an earlier failure of its own kind, a passed extended test supersedes all, and a passed short test
//! does not supersede an earlier failed extended test. Selective tests and vendor-specific tests are superseded by an
//! extended test only.

use super::{Health, SelfTest};

#[derive(PartialEq, Eq)]
enum Strength {
    Part,
    Short,
    Extended,
}

impl SelfTest {
    fn strength(&self) -> Strength {
        let kind = self.kind.to_ascii_lowercase();
        if kind.contains("extended") || kind.contains("long") {
            Strength::Extended
        } else if kind.contains("short") {
            Strength::Short
        } else {
            Strength::Part
        }
    }

    /// Whether this one, passed, makes an earlier failure of the other one a thing of the past.
    fn outdates(&self, earlier: &SelfTest) -> bool {
        let enough = match self.strength() {
            Strength::Part => false,
            Strength::Short => earlier.strength() == Strength::Short,
            Strength::Extended => true,
        };
        self.passed == Some(true) && enough
    }
}

impl Health {
    /// Reduces the self-test log, newest first: keeps the last test, and the newest failure before it that counts.
    pub fn take_self_tests(&mut self, tests: Vec<SelfTest>) {
        let counts = |(at, test): &(usize, &SelfTest)| {
            test.passed == Some(false) && !tests[..*at].iter().any(|later| later.outdates(test))
        };
        let failed = tests.iter().enumerate().skip(1).find(counts);
        self.failed_self_test = failed.map(|(_, test)| test.clone());
        self.self_test = tests.into_iter().next();
    }

    /// The newest failed self-test that counts.
    pub(super) fn failure_of_self_tests(&self) -> Option<&SelfTest> {
        let last = self.self_test.as_ref().filter(|t| t.passed == Some(false));
        last.or(self.failed_self_test.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(tests: &[(&str, Option<bool>)]) -> Option<String> {
        let test = |(kind, passed): &(&str, Option<bool>)| SelfTest {
            kind: (*kind).to_owned(),
            status: String::new(),
            passed: *passed,
            at_hours: None,
        };
        let mut health = Health::default();
        health.take_self_tests(tests.iter().map(test).collect());
        health.failure_of_self_tests().map(|test| test.kind.clone())
    }

    #[test]
    fn a_passed_test_outdates_failures_of_its_own_and_of_weaker_kinds_alone() {
        let (yes, no) = (Some(true), Some(false));
        for (newest_first, counts) in [
            (
                vec![("Short offline", yes), ("Extended offline", no)],
                Some("Extended offline"),
            ),
            (vec![("Extended offline", yes), ("Short offline", no)], None),
            (vec![("Short offline", yes), ("Short captive", no)], None),
            (
                vec![("Background long", yes), ("Background short", no)],
                None,
            ),
            (
                vec![("Selective offline", yes), ("Selective offline", no)],
                Some("Selective offline"),
            ),
            (
                vec![("Extended offline", yes), ("Selective offline", no)],
                None,
            ),
            (
                vec![("Short", yes), ("Vendor specific", no)],
                Some("Vendor specific"),
            ),
            (
                vec![("Extended offline", None), ("Extended offline", no)],
                Some("Extended offline"),
            ),
            (vec![("Short offline", no)], Some("Short offline")),
            (
                vec![
                    ("Short offline", None),
                    ("Extended offline", yes),
                    ("Extended offline", no),
                ],
                None,
            ),
            (vec![], None),
        ] {
            assert_eq!(
                standing(&newest_first).as_deref(),
                counts,
                "{newest_first:?}"
            );
        }
    }
}
