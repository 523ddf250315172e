//! ATA: attributes, the device statistics log, the logs of errors and self-tests.
//!
//! Attributes are vendor-specific: number 241 counts sectors on one drive, GiB on the next, and 32 MiB on a third.
//! smartmontools' database names the attributes of known drives after their unit (`Host_Writes_32MiB`,
//! `Lifetime_Writes_GiB`), and that name is the interpretation used here. A drive that is not in the database gets
//! default names, which mean nothing: its counters are shown raw, without a unit. The device statistics (ACS-4, section
//! 9.5) are a standard with defined units and take precedence over attributes wherever the drive marks them as valid.

use base::health::{Alarm, ByteCount, Health, SelfTest, Sign};
use base::{Bytes, Message};
use serde_json::Value;

use super::answer::{at, count_at, is_told, leading_count, list_at, text_at, truth_at};
use super::used_endurance;

mod wear;

/// The used fields of an attribute.
pub(super) struct Attribute<'a> {
    pub id: u64,
    pub name: &'a str,
    /// Normalised: 100 (or 200, 253) as new, towards the threshold with age.
    pub value: Option<u64>,
    /// The lowest that it has been.
    worst: Option<u64>,
    /// At or below it, the maker says, something is wrong; 0 if never.
    pub threshold: u64,
    /// As smartctl decodes the raw bytes: the number in front of its text.
    pub raw: Option<u64>,
    document: &'a Value,
}

/// Adds an ATA drive's report.
pub(super) fn add(health: &mut Health, answer: &Value) {
    let attributes: Vec<Attribute<'_>> = list_at(answer, &["ata_smart_attributes", "table"])
        .filter_map(attribute)
        .collect();
    let known = answer.get("in_smartctl_database").and_then(Value::as_bool) == Some(true);
    let sector = count_at(answer, &["logical_block_size"]).unwrap_or(512);
    add_errors(health, &attributes);
    for attribute in &attributes {
        add_bytes(health, attribute, known, sector);
    }
    if known {
        wear::add(health, &attributes);
    }
    health.alarms.extend(attributes.iter().filter_map(alarm));
    add_statistics(health, answer, sector);
    let defects = count_at(answer, &["ata_pending_defects_log", "count"]);
    health.pending = health.pending.max(defects);
    let errors = ["extended", "summary"]
        .iter()
        .filter_map(|log| count_at(answer, &["ata_smart_error_log", log, "count"]))
        .max();
    health.logged_errors = health.logged_errors.or(errors);
    if errors > Some(0) && !health.signs.contains(&Sign::ErrorLog) {
        health.signs.push(Sign::ErrorLog);
    }
    let tests = self_tests(answer);
    if !tests.is_empty() {
        health.take_self_tests(tests);
    }
}

fn attribute(document: &Value) -> Option<Attribute<'_>> {
    let decoded = text_at(document, &["raw", "string"]);
    Some(Attribute {
        id: count_at(document, &["id"])?,
        name: document.get("name")?.as_str()?,
        value: count_at(document, &["value"]),
        worst: count_at(document, &["worst"]),
        threshold: count_at(document, &["thresh"]).unwrap_or(0),
        raw: decoded
            .and_then(|text| leading_count(&text))
            .or_else(|| count_at(document, &["raw", "value"])),
        document,
    })
}

/// At or below its threshold, by smartctl's word; where that is missing, by its own numbers. Normalised values
/// go from 1 to 253.
fn alarm(attribute: &Attribute<'_>) -> Option<Alarm> {
    let below = |value: Option<u64>| {
        value.is_some_and(|v| (1..=253).contains(&v) && v <= attribute.threshold)
    };
    let now = match attribute
        .document
        .get("when_failed")
        .and_then(Value::as_str)
    {
        Some(when) if matches!(when.trim(), "" | "-") => return None,
        Some(when) => when.to_ascii_lowercase().contains("now"),
        None if below(attribute.value) => true,
        None if below(attribute.worst) => false,
        None => return None,
    };
    let flagged = truth_at(attribute.document, &["flags", "prefailure"]);
    let bits = count_at(attribute.document, &["flags", "value"]);
    Some(Alarm {
        attribute: format!("{} {}", attribute.id, attribute.name),
        now,
        predicts_failure: flagged.or(bits.map(|bits| bits & 1 != 0)).unwrap_or(false),
    })
}

fn add_errors(health: &mut Health, attributes: &[Attribute<'_>]) {
    let of = |id: u64, words: &[&str]| {
        let named = |a: &&Attribute<'_>| a.id == id && words.iter().any(|w| a.name.contains(w));
        attributes.iter().find(named).and_then(|a| a.raw)
    };
    health.reallocated = of(5, &["Reallocate", "Retired_Block", "Bad_Block"]);
    health.pending = of(197, &["Pending"]);
    // Reported to hosts (187) and found offline (198) overlap: the larger one is not too many.
    health.uncorrectable = of(187, &["Uncorrect"]).max(of(198, &["Uncorrect"]));
    health.link_errors = of(199, &["CRC"]);
    if health.temperature_celsius.is_none() {
        let warmth = of(194, &["Temperature"]).or(of(190, &["Temperature"]));
        let warmth = warmth.and_then(|t| i64::try_from(t).ok());
        health.temperature_celsius = warmth.filter(|t| is_told(*t));
    }
}

/// The unit that smartmontools' name of an attribute gives, in bytes.
fn unit_of(name: &str, sector: u64) -> Option<u64> {
    let ends = |ending: &str| name.ends_with(ending);
    Some(if ends("_32MiB") {
        32 << 20
    } else if ends("_GiB") || ends("_1GiB") {
        1 << 30
    } else if ends("_MiB") {
        1 << 20
    } else if ends("_GB") || name.contains("_GB_") {
        1_000_000_000
    } else if name.contains("LBAs") || ends("_Sectors") {
        sector
    } else {
        return None;
    })
}

/// Which bytes an attribute counts, by its name.
fn counted<'a>(
    health: &'a mut Health,
    attribute: &Attribute<'_>,
) -> Option<&'a mut Option<ByteCount>> {
    let has = |words: &[&str]| words.iter().any(|word| attribute.name.contains(word));
    let of_flash = has(&["NAND", "Nand", "Flash", "Flsh", "TLC", "SLC"]);
    let writes = has(&["Writes", "Written", "Wts", "Prg", "Prog"]);
    let reads = has(&["Reads", "_Read", "Rds"]);
    match (of_flash, writes, reads) {
        (true, true, _) => Some(&mut health.nand_written),
        (false, true, false) => Some(&mut health.host_written),
        (false, false, true) => Some(&mut health.host_read),
        _ => None,
    }
}

fn add_bytes(health: &mut Health, attribute: &Attribute<'_>, known: bool, sector: u64) {
    let is_total = matches!(attribute.id, 241 | 242);
    let unit = unit_of(attribute.name, sector).filter(|_| known);
    let Some(raw) = attribute.raw.filter(|_| unit.is_some() || is_total) else {
        return;
    };
    // A half of a counter that is in two attributes is no counter.
    if attribute.name.ends_with("_Low") || attribute.name.ends_with("_High") {
        return;
    }
    let bytes = unit.and_then(|unit| raw.checked_mul(unit)).map(Bytes::new);
    let key = match (bytes, known) {
        (Some(_), _) => "count-attribute",
        (None, true) => "count-attribute-no-unit",
        (None, false) => "count-attribute-unlisted",
    };
    let count = ByteCount {
        bytes,
        of: Message::new(
            key,
            [
                ("id", attribute.id.into()),
                ("name", attribute.name.into()),
                ("raw", raw.into()),
            ],
        ),
    };
    if let Some(place) = counted(health, attribute)
        && place.as_ref().is_none_or(|there| there.bytes.is_none())
    {
        *place = Some(count);
    }
}

/// The statistics that are used: page and offset in it, as the standard numbers them.
fn add_statistics(health: &mut Health, answer: &Value, sector: u64) {
    for page in list_at(answer, &["ata_device_statistics", "pages"]) {
        let Some(number) = count_at(page, &["number"]) else {
            continue;
        };
        for row in list_at(page, &["table"]) {
            let valid = row.pointer("/flags/valid").and_then(Value::as_bool) == Some(true);
            let place = count_at(row, &["offset"]).zip(count_at(row, &["value"]));
            if let Some((offset, value)) = place.filter(|_| valid) {
                add_statistic(health, (number, offset), value, sector);
            }
        }
    }
}

fn add_statistic(health: &mut Health, place: (u64, u64), value: u64, sector: u64) {
    let sectors = |key: &'static str| ByteCount {
        bytes: value.checked_mul(sector).map(Bytes::new),
        of: Message::new(key, [("sectors", value.into())]),
    };
    match place {
        (1, 0x18) => health.host_written = Some(sectors("count-sectors-written")),
        (1, 0x28) => health.host_read = Some(sectors("count-sectors-read")),
        (1, 0x10) => health.power_on_hours = health.power_on_hours.or(Some(value)),
        (3, 0x20) => health.reallocated = Some(value),
        (3, 0x38) => health.pending = health.pending.or(Some(value)),
        (4, 0x08) => health.uncorrectable = health.uncorrectable.max(Some(value)),
        (7, 0x08) => used_endurance(health, Some(value), "device statistics"),
        _ => {}
    }
}

/// The log of self-tests, the newest first; where it is empty, how the last one ended.
fn self_tests(answer: &Value) -> Vec<SelfTest> {
    let of = |log: &str| -> Vec<SelfTest> {
        let rows = list_at(answer, &["ata_smart_self_test_log", log, "table"]);
        rows.map(self_test).collect()
    };
    let mut tests = of("extended");
    if tests.is_empty() {
        tests = of("standard");
    }
    let last = at(answer, &["ata_smart_data", "self_test"]);
    if let Some(last) = last.filter(|_| tests.is_empty()) {
        let last = self_test(last);
        tests.extend((last.passed == Some(false)).then_some(last));
    }
    tests
}

fn self_test(row: &Value) -> SelfTest {
    let status = text_at(row, &["status", "string"]).unwrap_or_default();
    // The upper half of the status (ACS-4, self-test execution status): 0 completed, 3 to 8 failed, 15 still
    // runs, which smartctl calls "passed".
    let by_number = count_at(row, &["status", "value"]).map(|value| value >> 4);
    let said = truth_at(row, &["status", "passed"]).filter(|_| !status.contains("in progress"));
    let passed = match (by_number, said) {
        (Some(3..=8), _) | (_, Some(false)) => Some(false),
        (Some(15), _) => None,
        (Some(0), _) | (_, Some(true)) => Some(true),
        _ => None,
    };
    SelfTest {
        kind: text_at(row, &["type", "string"]).unwrap_or_default(),
        status,
        passed,
        at_hours: count_at(row, &["lifetime_hours"]),
    }
}
