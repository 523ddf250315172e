//! SCSI and SAS: error counters (log pages 02h, 03h, 05h), grown defects, informational exceptions,
//! endurance, self-tests (SPC-5, SBC-4).

use base::health::{ByteCount, Health, Overall, SelfTest};
use serde_json::Value;

use super::answer::{at, count_at, decimal_bytes, integer_at, text_at};
use super::percent;

/// Adds what a SCSI drive says.
pub(super) fn add(health: &mut Health, answer: &Value) {
    if health.protocol != "SCSI" {
        return;
    }
    health.reallocated = count_at(answer, &["scsi_grown_defect_list"]);
    health.pending = count_at(answer, &["scsi_pending_defects", "count"]);
    if let Some(counters) = at(answer, &["scsi_error_counter_log"]) {
        health.uncorrectable = uncorrected(counters);
        health.host_read = gigabytes(counters, "read");
        health.host_written = gigabytes(counters, "write");
    }
    // Some drives leave their temperature page empty and report in the environment's.
    if health.temperature_celsius.is_none() {
        let path = ["scsi_environmental_reports", "temperature_1", "current"];
        health.temperature_celsius = integer_at(answer, &path);
    }
    let used = [
        "scsi_percentage_used_endurance_indicator",
        "percentage_used_endurance_indicator",
    ];
    if let Some(used) = used.iter().find_map(|key| count_at(answer, &[key])) {
        health.percentage_used = Some(percent(used));
        health.percentage_used_of = Some("percentage used endurance indicator".to_owned());
    }
    if health.overall == Overall::Failed {
        let said = text_at(answer, &["smart_status", "scsi", "ie_string"]);
        health.critical_warnings.extend(said);
    }
    health.self_test = self_test(answer);
}

fn uncorrected(counters: &Value) -> Option<u64> {
    let of = |kind: &str| count_at(counters, &[kind, "total_uncorrected_errors"]);
    let counted = ["read", "write", "verify"].into_iter().filter_map(of);
    counted.reduce(u64::saturating_add)
}

/// The counters are in units of 10^9 bytes, as text with three decimals.
fn gigabytes(counters: &Value, kind: &str) -> Option<ByteCount> {
    let text = text_at(counters, &[kind, "gigabytes_processed"])?;
    Some(ByteCount {
        bytes: decimal_bytes(&text, 1e9),
        of: format!("{kind} error counters, {text} GB processed"),
    })
}

fn self_test(answer: &Value) -> Option<SelfTest> {
    let last = at(answer, &["scsi_self_test_0"])?;
    // Results (SPC-5, self-test results log page): 0 completed, 3 to 7 failed, 15 still runs.
    let passed = match count_at(last, &["result", "value"]) {
        Some(0) => Some(true),
        Some(3..=7) => Some(false),
        _ => None,
    };
    Some(SelfTest {
        kind: text_at(last, &["code", "string"]).unwrap_or_default(),
        status: text_at(last, &["result", "string"]).unwrap_or_default(),
        passed,
        at_hours: count_at(last, &["power_on_time", "hours"]),
    })
}
