//! Findings compared with the expected ones, and the score.
//!
//! A row counts once, however many findings it has too much or too little: counted by findings, a table in which nearly
//! every finding is expected to be absent would be nearly right with none at all.

use std::collections::BTreeSet;

use analysis::findings::Severity;
use results::statement::Statement;

use super::{Expected, Row};

/// Minimum per cent of rows that are right.
pub const BAR_PERCENT: usize = 95;

/// A finding that was given.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    pub id: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// What was seen.
    pub says: Statement,
}

/// A row with its findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub target: String,
    /// What was found, as it was given.
    pub given: Vec<&'static str>,
    /// Expected, and not found.
    pub missed: Vec<String>,
    /// Found, and not expected.
    pub wrong: Vec<Given>,
    /// Those of them that frighten the owner of a healthy drive.
    pub alarms: Vec<&'static str>,
    /// Steps that had no result, and why.
    pub without_result: Vec<String>,
}

impl Judged {
    /// A row, judged by its findings.
    pub fn of(row: &Row, given: &[Given], without_result: Vec<String>) -> Judged {
        let has: BTreeSet<&str> = given.iter().map(|given| given.id).collect();
        let expected = row.expected.iter();
        let missed = expected
            .filter(|(id, of)| **of == Expected::Yes && !has.contains(id.as_str()))
            .map(|(id, _)| id.clone());
        let wrong = || {
            let all = given.iter();
            all.filter(|given| row.expects(given.id) == Expected::No)
        };
        let is_grave = |given: &&Given| given.severity <= Severity::Weakness;
        Judged {
            target: row.target.clone(),
            given: given.iter().map(|given| given.id).collect(),
            missed: missed.collect(),
            wrong: wrong().cloned().collect(),
            alarms: wrong()
                .filter(|given| row.is_healthy && is_grave(given))
                .map(|given| given.id)
                .collect(),
            without_result,
        }
    }

    /// All that was expected was found, and nothing else.
    pub fn is_right(&self) -> bool {
        self.missed.is_empty() && self.wrong.is_empty()
    }

    /// Expected and actual findings, in a line.
    pub fn line(&self) -> String {
        let list = |ids: &[&str]| match ids {
            [] => "nothing".to_owned(),
            ids => ids.join(", "),
        };
        let mut line = format!("{}: {}", self.target, list(&self.given));
        for missed in &self.missed {
            line.push_str(&format!("; MISSED {missed}"));
        }
        for wrong in &self.wrong {
            let alarm = match self.alarms.contains(&wrong.id) {
                true => "FALSE ALARM",
                false => "NOT EXPECTED",
            };
            let (id, seen) = (wrong.id, &wrong.says.quantities);
            line.push_str(&format!("; {alarm} {id} {seen:?}"));
        }
        line
    }
}

/// All rows.
#[derive(Clone, Debug)]
pub struct Score {
    /// The rows, in the order of the table.
    pub rows: Vec<Judged>,
}

impl Score {
    /// How many are right.
    pub fn right(&self) -> usize {
        self.rows.iter().filter(|row| row.is_right()).count()
    }

    /// Grave findings on healthy drives.
    pub fn alarms(&self) -> usize {
        self.rows.iter().map(|row| row.alarms.len()).sum()
    }

    /// Whether it is good enough: [`BAR_PERCENT`] of the rows, and no false alarm.
    pub fn holds(&self) -> bool {
        self.right() * 100 >= BAR_PERCENT * self.rows.len() && self.alarms() == 0
    }

    /// The score in a line.
    pub fn line(&self) -> String {
        let (right, all) = (self.right(), self.rows.len());
        format!(
            "{right} of {all} rows are right ({:.1} %, bar {BAR_PERCENT} %), {} false alarms on healthy drives (bar 0)",
            100.0 * right as f64 / all.max(1) as f64,
            self.alarms()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(id: &'static str, severity: Severity) -> Given {
        let says = Statement::new("finding");
        Given { id, severity, says }
    }

    fn row(is_healthy: bool) -> Row {
        let expected = [("a", Expected::Yes), ("b", Expected::Either)];
        Row {
            target: "model:x".to_owned(),
            is_healthy,
            methods: Vec::new(),
            expected: expected.map(|(id, of)| (id.to_owned(), of)).into(),
        }
    }

    fn judged(is_healthy: bool, found: &[Given]) -> Judged {
        Judged::of(&row(is_healthy), found, Vec::new())
    }

    #[test]
    fn a_row_is_right_with_all_that_is_expected_and_nothing_else() {
        let (a, b) = (given("a", Severity::Trait), given("b", Severity::Failing));
        let c = given("c", Severity::Trait);
        assert!(judged(true, std::slice::from_ref(&a)).is_right());
        assert!(judged(true, &[a.clone(), b.clone()]).is_right());
        assert_eq!(judged(true, &[b]).missed, ["a"]);
        let wrong = judged(true, &[a, c.clone()]);
        assert_eq!((wrong.wrong, wrong.alarms), (vec![c], vec![]));
    }

    #[test]
    fn a_grave_finding_is_a_false_alarm_on_a_healthy_drive_alone() {
        let found = [given("a", Severity::Trait), given("c", Severity::Weakness)];
        assert_eq!(judged(true, &found).alarms, ["c"]);
        assert_eq!(judged(false, &found).alarms, Vec::<&str>::new());
        let rows = |alarms: usize, right: usize| Score {
            rows: (0..right)
                .map(|_| judged(true, &found[..1]))
                .chain((0..alarms).map(|_| judged(true, &found)))
                .collect(),
        };
        assert!(rows(0, 1).holds());
        assert!(!rows(1, 99).holds());
    }
}
