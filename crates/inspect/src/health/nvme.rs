//! NVMe: the SMART / health information log (NVM Express base specification, log page 02h) and the
//! device self-test log (06h).

use base::health::{ByteCount, Health, SelfTest};
use base::{Argument, Bytes, Message};
use serde_json::Value;

use super::answer::{at, celsius_at, count_at, list_at, percent_at, text_at};
use super::used_endurance;

/// A data unit: a thousand sectors of 512 bytes, rounded up, whatever the namespace's block is.
const DATA_UNIT: u64 = 512_000;

/// Bits of the critical warning, and the keys of what they mean.
const WARNINGS: [(u64, &str); 6] = [
    (1 << 0, "health-warning-spare"),
    (1 << 1, "health-warning-temperature"),
    (1 << 2, "health-warning-reliability"),
    (1 << 3, "health-warning-read-only"),
    (1 << 4, "health-warning-backup"),
    (1 << 5, "health-warning-memory-region"),
];

/// Adds an NVMe drive's report.
pub(super) fn add(health: &mut Health, answer: &Value) {
    let Some(log) = at(answer, &["nvme_smart_health_information_log"]) else {
        return;
    };
    let number = |key: &str| count_at(log, &[key]);
    add_warnings(health, number("critical_warning"), answer);
    if health.temperature_celsius.is_none() {
        health.temperature_celsius = celsius_at(log, &["temperature"]);
    }
    health.power_on_hours = health.power_on_hours.or(number("power_on_hours"));
    health.power_cycles = health.power_cycles.or(number("power_cycles"));
    health.unsafe_shutdowns = number("unsafe_shutdowns");
    health.media_errors = number("media_errors");
    health.logged_errors = number("num_err_log_entries");
    health.host_read = units(log, "data_units_read");
    health.host_written = units(log, "data_units_written");
    used_endurance(health, number("percentage_used"), "NVMe health log");
    health.available_spare_percent = percent_at(log, &["available_spare"]);
    health.available_spare_threshold_percent = percent_at(log, &["available_spare_threshold"]);
    let tests = list_at(answer, &["nvme_self_test_log", "table"]);
    health.take_self_tests(tests.map(self_test).collect());
}

/// The bits of the critical warning, which smartctl prints in two places. All ones are an unused register.
fn add_warnings(health: &mut Health, byte: Option<u64>, answer: &Value) {
    let again = count_at(answer, &["smart_status", "nvme", "value"]);
    let told = [byte, again]
        .into_iter()
        .flatten()
        .filter(|byte| *byte < 255);
    let warning = told.fold(0, |bits, byte| bits | byte);
    let set = WARNINGS.iter().filter(|(bit, _)| warning & bit != 0);
    let said = set.map(|(_, key)| Message::of(key));
    health.critical_warnings.extend(said);
    let unnamed = warning & !((1 << WARNINGS.len()) - 1);
    if unnamed != 0 {
        let bits = Argument::text(format_args!("{unnamed:02x}"));
        let said = Message::new("health-warning-unnamed", [("bits", bits)]);
        health.critical_warnings.push(said);
    }
}

fn units(log: &Value, key: &str) -> Option<ByteCount> {
    let units = count_at(log, &[key])?;
    Some(ByteCount {
        bytes: units.checked_mul(DATA_UNIT).map(Bytes::new),
        of: Message::new(
            "count-units",
            [("counter", key.into()), ("units", units.into())],
        ),
    })
}

fn self_test(row: &Value) -> SelfTest {
    let status = text_at(row, &["self_test_result", "string"]).unwrap_or_default();
    // Results (log page 06h): 0 completed, 1 to 4 and 8 to 9 ended early, 5 to 7 failed.
    let passed = match count_at(row, &["self_test_result", "value"]) {
        Some(0) => Some(true),
        Some(5..=7) => Some(false),
        None if status.to_ascii_lowercase().contains("fail") => Some(false),
        _ => None,
    };
    SelfTest {
        kind: text_at(row, &["self_test_code", "string"]).unwrap_or_default(),
        status,
        passed,
        at_hours: count_at(row, &["power_on_hours"]),
    }
}
