//! SCSI and SAS: error counters (log pages 02h, 03h, 05h), grown defects, informational exceptions,
//! endurance, self-tests (SPC-5, SBC-4).

use base::health::{ByteCount, Health, Overall, SelfTest};
use base::message::{Argument, Message};
use serde_json::Value;

use super::answer::{at, celsius_at, count_at, decimal_bytes, text_at};
use super::used_endurance;

/// Self-tests in their log page.
const TESTS: usize = 20;

/// Adds a SCSI drive's report.
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
        health.temperature_celsius = celsius_at(answer, &path);
    }
    let used = [
        "scsi_percentage_used_endurance_indicator",
        "percentage_used_endurance_indicator",
    ];
    let used = used.iter().find_map(|key| count_at(answer, &[key]));
    used_endurance(health, used, "percentage used endurance indicator");
    if health.overall == Overall::Failed {
        let said = text_at(answer, &["smart_status", "scsi", "ie_string"]);
        health
            .critical_warnings
            .extend(said.map(Message::as_it_stands));
    }
    let tests = (0..TESTS).map_while(|index| at(answer, &[&format!("scsi_self_test_{index}")]));
    health.take_self_tests(tests.map(self_test).collect());
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
        of: Message::new(
            "count-gigabytes",
            [
                ("kind", Argument::Phase(kind.to_owned())),
                ("gigabytes", text.into()),
            ],
        ),
    })
}

fn self_test(row: &Value) -> SelfTest {
    let status = text_at(row, &["result", "string"]).unwrap_or_default();
    // Results (SPC-5, self-test results log page): 0 completed, 3 to 7 failed, 15 still runs.
    let passed = match count_at(row, &["result", "value"]) {
        Some(0) => Some(true),
        Some(3..=7) => Some(false),
        None if status.to_ascii_lowercase().contains("fail") => Some(false),
        _ => None,
    };
    SelfTest {
        kind: text_at(row, &["code", "string"]).unwrap_or_default(),
        status,
        passed,
        at_hours: count_at(row, &["power_on_time", "hours"]),
    }
}
