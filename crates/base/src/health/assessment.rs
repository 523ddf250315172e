//! From counters to a word: is the drive good, suspect or failing, and why.
//!
//! The drive's own verdict and its makers' failure thresholds decide `failing`. Anything that a prudent person would
//! investigate makes it `suspect`: in Google's population a drive with a first reallocation, offline reallocation or
//! scan error was 14 to 39 times as likely to fail within 60 days (Pinheiro, Weber, Barroso, "Failure Trends in a Large
//! Disk Drive Population", FAST 2007, sections 3.5.1 to 3.5.4), although most drives that failed showed no such sign.
//! `good` requires that the drive itself passed and that nothing contradicts it; a drive that does not report stays
//! `unknown`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Health, Overall, Sign};
use crate::message::{Argument, Message};

/// The rated endurance counts as used up from this percentage on: the normalised wear attributes fall from 100 to 1 and
/// no further, so 99 % is the most that they can report.
pub const WORN_PERCENT: f64 = 99.0;

/// From here on the end of the rated endurance is near enough to plan for it, in per cent: a drive that took nine years
/// for this has one left at the same work.
const NEARLY_WORN_PERCENT: f64 = 90.0;

/// Fewer spare blocks than this are few where the drive names no least number, in per cent: NVMe drives mostly name 10.
const FEW_SPARES_PERCENT: f64 = 10.0;

/// How a drive is.
///
/// Only [`Condition::Failing`] means: copy your data now, and replace the drive. [`Condition::Suspect`] means:
/// investigate, and keep a backup; many such drives last for years.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// It passed its self-assessment, and nothing contradicts it.
    Good,
    /// It could not be read, or not completely, or it does not report.
    Unknown,
    /// Something should be looked into: pending or replaced sectors, errors in its logs, a failed
    /// self-test, used-up endurance.
    Suspect,
    /// It predicts its failure, or has failed: copy its data now.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Assessment {
    /// The word.
    pub condition: Condition,
    /// The reasons, in order of severity; if it is good, only what its report lacks.
    pub reasons: Vec<Message>,
}

impl Health {
    /// How the drive is, with every reason.
    pub fn assess(&self) -> Assessment {
        let mut found = self.failures();
        found.extend(self.suspicions());
        found.extend(self.of_signs());
        if self.overall == Overall::Unknown && !self.signs.contains(&Sign::SwitchedOff) {
            let reason = Message::of("health-untold");
            found.push((Condition::Unknown, reason));
        }
        // Within a condition the order is the one in which they were found: gravest first.
        found.sort_by_key(|(condition, _)| std::cmp::Reverse(*condition));
        Assessment {
            condition: found.first().map_or(Condition::Good, |worst| worst.0),
            reasons: found.into_iter().map(|(_, reason)| reason).collect(),
        }
    }

    /// Whether the rated endurance, or the spare that it lives on, is used up.
    pub fn is_worn(&self) -> bool {
        self.percentage_used
            .is_some_and(|used| used >= WORN_PERCENT)
            || self.spare_lacks().is_some()
    }

    /// Spare blocks that are left and the least that there should be, where they are fewer.
    fn spare_lacks(&self) -> Option<(f64, f64)> {
        let spare = self.available_spare_percent;
        let both = spare.zip(self.available_spare_threshold_percent);
        both.filter(|(left, least)| left < least)
    }

    /// Remaining spare blocks, if they are few and the drive reports no threshold.
    fn few_spares(&self) -> Option<f64> {
        let says_least = self
            .available_spare_threshold_percent
            .is_some_and(|least| least > 0.0);
        self.available_spare_percent
            .filter(|left| !says_least && *left < FEW_SPARES_PERCENT)
    }

    fn failures(&self) -> Vec<(Condition, Message)> {
        let mut found = Vec::new();
        if self.overall == Overall::Failed {
            let reason = Message::of("health-own-failure");
            found.push((Condition::Failing, reason));
        }
        for warning in &self.critical_warnings {
            let reason = Message::new("health-own-warning", [("what", warning.clone().into())]);
            found.push((Condition::Failing, reason));
        }
        if let Some((left, least)) = self.spare_lacks() {
            let places = [("left", rounded(left)), ("least", rounded(least))];
            let reason = Message::new("health-spare-lacks", places);
            found.push((Condition::Failing, reason));
        }
        let now = |alarm: &&super::Alarm| alarm.now && alarm.predicts_failure;
        for alarm in self.alarms.iter().filter(now) {
            let attribute = (&alarm.attribute).into();
            let reason = Message::new("health-below-threshold", [("attribute", attribute)]);
            found.push((Condition::Failing, reason));
        }
        found
    }

    fn suspicions(&self) -> Vec<(Condition, Message)> {
        let counted = |count: Option<u64>, key: &'static str| {
            let counted = count.filter(|count| *count > 0);
            counted.map(|count| Message::new(key, [("count", count.into())]))
        };
        let mut found: Vec<Message> = Vec::new();
        found.extend(counted(self.pending, "health-pending-sectors"));
        found.extend(counted(self.uncorrectable, "health-uncorrected"));
        found.extend(counted(self.media_errors, "health-media-trouble"));
        found.extend(self.failed_test());
        found.extend(counted(self.reallocated, "health-replaced"));
        if let Some(left) = self.few_spares() {
            found.push(Message::new("health-spare-few", [("left", rounded(left))]));
        }
        let nearly_worn = |used: &f64| *used >= NEARLY_WORN_PERCENT;
        if let Some(used) = self.percentage_used.filter(nearly_worn) {
            found.push(Message::new("health-endurance", [("used", rounded(used))]));
        }
        for alarm in &self.alarms {
            let key = match (alarm.now, alarm.predicts_failure) {
                (true, true) => continue,
                (true, false) => "health-below-age",
                (false, _) => "health-was-below",
            };
            let attribute = (&alarm.attribute).into();
            found.push(Message::new(key, [("attribute", attribute)]));
        }
        found
            .into_iter()
            .map(|reason| (Condition::Suspect, reason))
            .collect()
    }

    fn failed_test(&self) -> Option<Message> {
        let test = self.failure_of_self_tests()?;
        let key = match self.self_test.as_ref() == Some(test) {
            true => "health-last-test",
            false => "health-earlier-test",
        };
        let (kind, status) = ((&test.kind).into(), (&test.status).into());
        Some(Message::new(key, [("kind", kind), ("status", status)]))
    }

    /// Signs, except those that a counter already reports in more detail.
    fn of_signs(&self) -> impl Iterator<Item = (Condition, Message)> + '_ {
        let predicts = |alarm: &super::Alarm| alarm.now && alarm.predicts_failure;
        let said = move |sign: &Sign| match sign {
            Sign::BelowThreshold => self.alarms.iter().any(predicts),
            Sign::WasBelowThreshold => self.alarms.iter().any(|alarm| !predicts(alarm)),
            Sign::SelfTestLog => self.failure_of_self_tests().is_some(),
            _ => false,
        };
        let signs = self.signs.iter().filter(move |sign| !said(sign));
        signs.map(|sign| (sign.condition(), sign.said()))
    }
}

/// A number without decimals.
fn rounded(value: f64) -> Argument {
    Argument::text(format_args!("{value:.0}"))
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
            reason: Message::as_it_stands("Permission denied"),
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
        assert!(assessment.reasons[0].contains("its self-assessment"));
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
        health.percentage_used = Some(89.0);
        assert_eq!(health.assess().condition, Condition::Good);
        health.percentage_used = Some(97.0);
        let near = health.assess();
        assert_eq!(near.condition, Condition::Suspect);
        assert_eq!(near.reasons, ["97 % of the rated endurance is used"]);
        assert!(!health.is_worn());
        // An attribute that falls from 100 to 1 can say no more than this.
        for used in [99.0, 104.0] {
            health.percentage_used = Some(used);
            assert_eq!(health.assess().condition, Condition::Suspect);
            assert!(health.is_worn());
        }
        let mut health = passed();
        health.self_test = Some(SelfTest {
            kind: "Extended offline".to_owned(),
            status: "Completed: read failure".to_owned(),
            passed: Some(false),
            at_hours: Some(9_000),
        });
        assert_eq!(health.assess().condition, Condition::Suspect);
    }

    #[test]
    fn a_drive_without_spare_blocks_is_looked_into_whether_or_not_it_names_a_least_number() {
        for (left, least, expected) in [
            (0.0, None, Condition::Suspect),
            (0.0, Some(0.0), Condition::Suspect),
            (10.0, None, Condition::Good),
            (6.0, Some(5.0), Condition::Good),
            (4.0, Some(5.0), Condition::Failing),
        ] {
            let mut health = passed();
            health.available_spare_percent = Some(left);
            health.available_spare_threshold_percent = least;
            let assessed = health.assess();
            assert_eq!(assessed.condition, expected, "{left} {least:?}");
            assert_eq!(
                assessed.reasons.len(),
                usize::from(expected != Condition::Good)
            );
        }
    }

    #[test]
    fn every_sign_but_a_failed_command_keeps_a_drive_from_being_good() {
        for sign in [
            Sign::BelowThreshold,
            Sign::WasBelowThreshold,
            Sign::SelfTestLog,
            Sign::ErrorLog,
            Sign::SwitchedOff,
            Sign::EnduranceUnclear,
            Sign::Incomplete,
        ] {
            let mut health = passed();
            health.signs.push(sign);
            assert!(health.assess().condition > Condition::Good, "{sign:?}");
            assert_eq!(health.assess().reasons, [sign.said()]);
        }
        let mut health = passed();
        health.signs.push(Sign::CommandFailed);
        assert_eq!(health.assess().condition, Condition::Good);
        assert_eq!(health.assess().reasons.len(), 1);
    }

    #[test]
    fn reasons_stand_in_order_of_gravity() {
        let mut health = passed();
        health.signs = vec![Sign::CommandFailed, Sign::ErrorLog, Sign::BelowThreshold];
        health.reallocated = Some(3);
        health.pending = Some(2);
        health
            .critical_warnings
            .push(Message::of("health-warning-read-only"));
        health.overall = Overall::Failed;
        let reasons = health.assess().reasons;
        let found: Vec<usize> = [
            "its self-assessment",
            "read-only",
            "predict failure",
            "2 sectors are pending",
            "3 sectors or blocks",
            "error log",
            "a command",
        ]
        .into_iter()
        .filter_map(|word| reasons.iter().position(|reason| reason.contains(word)))
        .collect();
        assert_eq!(found, [0, 1, 2, 3, 4, 5, 6]);
    }
}
