//! NVMe: the SMART / health information log (NVM Express base specification, log page 02h) and the
//! device self-test log (06h).

use base::health::{ByteCount, Health, SelfTest};
use base::size::Bytes;
use serde_json::Value;

use super::answer::{at, count_at, integer_at, list_at, text_at};
use super::percent;

/// A data unit: a thousand sectors of 512 bytes, rounded up, whatever the namespace's block is.
const DATA_UNIT: u64 = 512_000;

/// Bits of the critical warning.
const WARNINGS: [(u64, &str); 6] = [
    (1 << 0, "the spare blocks are fewer than the threshold"),
    (1 << 1, "the temperature is outside its limits"),
    (
        1 << 2,
        "its reliability is degraded by media errors or an internal error",
    ),
    (1 << 3, "the media are read-only"),
    (1 << 4, "the backup of its volatile memory has failed"),
    (
        1 << 5,
        "its persistent memory region is unreliable or read-only",
    ),
];

/// Adds what an NVMe drive says.
pub(super) fn add(health: &mut Health, answer: &Value) {
    let Some(log) = at(answer, &["nvme_smart_health_information_log"]) else {
        return;
    };
    let number = |key: &str| count_at(log, &[key]);
    let warning = number("critical_warning").unwrap_or(0);
    let set = WARNINGS.iter().filter(|(bit, _)| warning & bit != 0);
    health
        .critical_warnings
        .extend(set.map(|(_, what)| (*what).to_owned()));
    if health.temperature_celsius.is_none() {
        health.temperature_celsius = integer_at(log, &["temperature"]);
    }
    health.power_on_hours = health.power_on_hours.or(number("power_on_hours"));
    health.power_cycles = health.power_cycles.or(number("power_cycles"));
    health.unsafe_shutdowns = number("unsafe_shutdowns");
    health.media_errors = number("media_errors");
    health.logged_errors = number("num_err_log_entries");
    health.host_read = units(log, "data_units_read");
    health.host_written = units(log, "data_units_written");
    if let Some(used) = number("percentage_used") {
        health.percentage_used = Some(percent(used));
        health.percentage_used_of = Some("NVMe health log".to_owned());
    }
    health.available_spare_percent = number("available_spare").map(percent);
    health.available_spare_threshold_percent = number("available_spare_threshold").map(percent);
    health.self_test = self_test(answer);
}

fn units(log: &Value, key: &str) -> Option<ByteCount> {
    let units = count_at(log, &[key])?;
    Some(ByteCount {
        bytes: units.checked_mul(DATA_UNIT).map(Bytes::new),
        of: format!("{key}, {units} units of 512,000 bytes"),
    })
}

fn self_test(answer: &Value) -> Option<SelfTest> {
    let last = list_at(answer, &["nvme_self_test_log", "table"]).next()?;
    // Results (log page 06h): 0 completed, 1 to 4 and 8 to 9 ended early, 5 to 7 failed.
    let passed = match count_at(last, &["self_test_result", "value"]) {
        Some(0) => Some(true),
        Some(5..=7) => Some(false),
        _ => None,
    };
    Some(SelfTest {
        kind: text_at(last, &["self_test_code", "string"]).unwrap_or_default(),
        status: text_at(last, &["self_test_result", "string"]).unwrap_or_default(),
        passed,
        at_hours: count_at(last, &["power_on_hours"]),
    })
}
