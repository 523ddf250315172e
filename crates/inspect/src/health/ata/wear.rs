//! Used endurance and spare blocks of ATA SSDs, by the attributes' names.
//!
//! Makers number, name and scale them arbitrarily. The name in smartmontools' database is the only key, and even one
//! name has two meanings: `Media_Wearout_Indicator` is 233 on Intel's drives, where its normalised value falls from 100
//! to 1, and 230 on SanDisk's and WD's, where it rises from 1 with the used per cent. The rules, first match first:
//!
//! | name | what it says |
//! |---|---|
//! | has `Life` and `Used` | raw: used per cent |
//! | has `Life` and `Left` or `Remain` | normalised: per cent left; of attribute 169 (Silicon Motion, JMicron) raw, its normalised value stands still |
//! | `Media_Wearout_Indicator` | 230: normalised, used per cent; 233: normalised, per cent left |
//! | `Wear_Leveling_Count` | 177 (Samsung): normalised, per cent left; 173 has other scales (Apple: from 200 to 100) and says nothing here |
//! | `Available_Reservd_Space` | normalised: spare left in per cent; its threshold, the least |
//!
//! Whatever else speaks of wear (spread, counts of erases) has no share of a rated life in it. Source of the
//! names: smartmontools' drivedb.h; of the floor of 1: Intel, "Solid-State Drive 520 Series", attribute E9h.

use base::health::Health;
use base::message::{Argument, Message};

use super::Attribute;
use crate::health::used_endurance;

/// Adds the attributes' values; values in a standard form take precedence.
pub(super) fn add(health: &mut Health, attributes: &[Attribute<'_>]) {
    if health.percentage_used.is_none() {
        let rules = [of_life, of_wearout, of_levelling];
        let told = rules.iter().find_map(|rule| {
            let of = |a: &Attribute<'_>| rule(a).map(|used| (used, a.id, a.name.to_owned()));
            attributes.iter().find_map(of)
        });
        if let Some((used, id, name)) = told {
            used_endurance(health, Some(used), &format!("attribute {id} {name}"));
        } else if let Some(a) = attributes.iter().find(|a| is_of_wear(a)) {
            let places = [("id", Argument::text(a.id)), ("name", a.name.into())];
            let remark = Message::new("health-wear-direction", places);
            health.remarks.push(remark);
        }
    }
    let spare = attributes
        .iter()
        .find(|a| a.name == "Available_Reservd_Space");
    if let Some((a, left)) = spare.and_then(|a| a.value.zip(Some(a)).map(|(left, a)| (a, left)))
        && health.available_spare_percent.is_none()
        && (1..=100).contains(&left)
    {
        health.available_spare_percent = Some(left as f64);
        health.available_spare_threshold_percent = Some(a.threshold as f64).filter(|t| *t > 0.0);
    }
}

/// What is left of 100, from the normalised value.
fn left_of(value: Option<u64>) -> Option<u64> {
    value.filter(|value| *value <= 100).map(|left| 100 - left)
}

fn of_life(a: &Attribute<'_>) -> Option<u64> {
    let name = a.name.to_ascii_lowercase();
    if !name.contains("life") {
        return None;
    }
    if name.contains("used") {
        return a.raw.filter(|raw| *raw < 255).or_else(|| left_of(a.value));
    }
    if !name.contains("left") && !name.contains("remain") {
        return None;
    }
    match (a.id, a.raw, a.value) {
        // Nothing left, or nothing told: the two numbers contradict each other.
        (169, Some(0), Some(100)) => None,
        (169, Some(left @ 0..=100), _) => Some(100 - left),
        _ => left_of(a.value),
    }
}

fn of_wearout(a: &Attribute<'_>) -> Option<u64> {
    match (a.name, a.id) {
        ("Media_Wearout_Indicator", 230) => a.value.filter(|used| *used < 254),
        ("Media_Wearout_Indicator", 233) => left_of(a.value),
        _ => None,
    }
}

fn of_levelling(a: &Attribute<'_>) -> Option<u64> {
    // A threshold in the upper half belongs to a scale that does not end at 0.
    let is_samsungs = a.name == "Wear_Leveling_Count" && a.id == 177 && a.threshold < 50;
    left_of(a.value).filter(|_| is_samsungs)
}

fn is_of_wear(a: &Attribute<'_>) -> bool {
    matches!(a.name, "Media_Wearout_Indicator" | "Wear_Leveling_Count")
}
