//! From counters to a word: is the drive good, suspect or failing, and why.
//!
//! The drive's own verdict and its makers' failure thresholds decide `failing`. Anything that a
//! prudent person would look into makes it `suspect`: in Google's population a drive with a first
//! reallocation, offline reallocation or scan error was 14 to 39 times as likely to fail within 60
//! days (Pinheiro, Weber, Barroso, "Failure Trends in a Large Disk Drive Population", FAST 2007,
//! sections 3.5.1 to 3.5.4), although most drives that failed gave no such sign. `good` is said only
//! where the drive itself passed; a drive that does not say stays `unknown`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Health, Overall};

/// How a drive is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// It passed its own assessment, and no counter speaks against it.
    Good,
    /// It could not be read, or does not say.
    Unknown,
    /// Something should be looked into.
    Suspect,
    /// It predicts its failure, or has failed.
    Failing,
}

impl Condition {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Condition::Good => "good",
            Condition::Unknown => "unknown",
            Condition::Suspect => "suspect",
            Condition::Failing => "failing",
        }
    }
}

/// How a drive is, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Assessment {
    /// The word.
    pub condition: Condition,
    /// The reasons, worst first; empty where it is good.
    pub reasons: Vec<String>,
}

impl Health {
    /// How the drive is, with every reason.
    pub fn assess(&self) -> Assessment {
        let mut found = self.failures();
        found.extend(self.suspicions());
        if self.overall == Overall::Unknown {
            let reason = "the drive does not say whether it passes its own assessment".to_owned();
            found.push((Condition::Unknown, reason));
        }
        found.sort_by_key(|(condition, _)| std::cmp::Reverse(*condition));
        Assessment {
            condition: found.first().map_or(Condition::Good, |worst| worst.0),
            reasons: found.into_iter().map(|(_, reason)| reason).collect(),
        }
    }

    fn failures(&self) -> Vec<(Condition, String)> {
        let mut found = Vec::new();
        if self.overall == Overall::Failed {
            let reason = "the drive fails its own assessment: save what is on it".to_owned();
            found.push((Condition::Failing, reason));
        }
        for warning in &self.critical_warnings {
            found.push((Condition::Failing, format!("the drive warns: {warning}")));
        }
        for alarm in &self.alarms {
            let (condition, when) = match (alarm.now, alarm.predicts_failure) {
                (true, true) => (Condition::Failing, "is below its failure threshold"),
                (true, false) => (Condition::Suspect, "is below its threshold of age"),
                (false, _) => (Condition::Suspect, "was below its threshold once"),
            };
            found.push((condition, format!("{} {when}", alarm.attribute)));
        }
        found
    }

    fn suspicions(&self) -> Vec<(Condition, String)> {
        let counted = [
            (self.pending, "sectors wait to be rewritten or replaced"),
            (self.uncorrectable, "errors could not be corrected"),
            (self.media_errors, "media or data-integrity errors"),
            (self.reallocated, "sectors or blocks were replaced"),
        ];
        let mut found: Vec<(Condition, String)> = counted
            .into_iter()
            .filter_map(|(count, what)| count.filter(|n| *n > 0).map(|n| format!("{n} {what}")))
            .map(|reason| (Condition::Suspect, reason))
            .collect();
        if let Some(used) = self.percentage_used.filter(|used| *used >= 100.0) {
            let reason = format!("{used:.0} % of the rated endurance is used");
            found.push((Condition::Suspect, reason));
        }
        let spare = self.available_spare_percent;
        if let Some((left, least)) = spare.zip(self.available_spare_threshold_percent)
            && left < least
        {
            let reason =
                format!("{left:.0} % of the spare blocks are left, {least:.0} % the least");
            found.push((Condition::Failing, reason));
        }
        if let Some(test) = self.self_test.as_ref().filter(|t| t.passed == Some(false)) {
            let reason = format!("the last self-test ({}) failed: {}", test.kind, test.status);
            found.push((Condition::Suspect, reason));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::{Alarm, HealthReading, SelfTest};

    fn passed() -> Health {
        Health {
            overall: Overall::Passed,
            pending: Some(0),
            ..Health::default()
        }
    }

    #[test]
    fn a_drive_is_good_only_where_it_says_so_and_nothing_speaks_against_it() {
        assert_eq!(passed().assess().condition, Condition::Good);
        assert_eq!(passed().assess().reasons, [] as [&str; 0]);
        assert_eq!(Health::default().assess().condition, Condition::Unknown);
        let unreadable = HealthReading::Unreadable {
            reason: "Permission denied".to_owned(),
            remedy: None,
        };
        assert_eq!(unreadable.assess().condition, Condition::Unknown);
    }

    #[test]
    fn a_pending_sector_makes_a_passed_drive_suspect_and_its_own_failure_comes_first() {
        let mut health = passed();
        health.pending = Some(8);
        assert_eq!(health.assess().condition, Condition::Suspect);
        health.overall = Overall::Failed;
        let assessment = health.assess();
        assert_eq!(assessment.condition, Condition::Failing);
        assert_eq!(assessment.reasons.len(), 2);
        assert!(assessment.reasons[0].contains("its own assessment"));
    }

    #[test]
    fn an_attribute_that_predicts_failure_now_counts_more_than_one_of_the_past() {
        let alarm = |now, predicts_failure| Alarm {
            attribute: "5 Reallocated_Sector_Ct".to_owned(),
            now,
            predicts_failure,
        };
        for (now, predicts, expected) in [
            (true, true, Condition::Failing),
            (true, false, Condition::Suspect),
            (false, true, Condition::Suspect),
        ] {
            let mut health = passed();
            health.alarms.push(alarm(now, predicts));
            assert_eq!(health.assess().condition, expected);
        }
    }

    #[test]
    fn worn_flash_and_a_failed_self_test_are_looked_into() {
        let mut health = passed();
        health.percentage_used = Some(99.0);
        assert_eq!(health.assess().condition, Condition::Good);
        health.percentage_used = Some(104.0);
        assert_eq!(health.assess().condition, Condition::Suspect);
        let mut health = passed();
        health.self_test = Some(SelfTest {
            kind: "Extended offline".to_owned(),
            status: "Completed: read failure".to_owned(),
            passed: Some(false),
            at_hours: Some(9_000),
        });
        assert_eq!(health.assess().condition, Condition::Suspect);
    }
}
