//! A real drive's health, queried through smartmontools.
//!
//! `smartctl --json` supports ATA, SCSI, NVMe and a dozen bridges, and its database interprets the makers' attributes:
//! what remains here is to run it and to parse its output carefully. The document is read field by field, since its
//! contents depend on the drive, the bridge and the version (field names as smartmontools 7.0 to 7.5 print them); what
//! is missing or of an unexpected type is absent from the result. The exit status is a set of bits (`exit_status`,
//! smartctl(8)), of which two mean that nothing could be read, and all others affect the verdict. Damaged output is
//! read as far as possible (`document`): a drive that reports that it is failing is not "unknown" because of a byte in
//! its serial number.
//!
//! * [`ask`]: everything, before and after a run;
//! * [`ask_with_flash_counter`]: the same, and what an NVMe drive wrote to its flash, for what measures that;
//! * [`ask_briefly`]: temperature and bytes written, during a run;
//! * [`Watching`]: how that is done;
//! * [`interpret`]: parses smartctl's output, without a drive.

use base::message::{Argument, Message};
use std::path::Path;

use base::health::{Health, HealthReading, Overall, Sign};
use serde_json::Value;

mod answer;
mod asking;
mod ata;
mod document;
mod exit_status;
mod nvme;
mod ocp;
mod scsi;
#[cfg(test)]
mod tests;
mod watching;

use answer::{bytes_at, celsius_at, count_at, list_at, percent_at, text_at, truth_at};
use asking::Depth;
use document::Document;

pub use watching::{LEAST_PERIOD, Watching};

/// Asks a drive everything; its `device_type` as smartctl's `-d` takes it, where smartctl cannot
/// find out by itself.
pub fn ask(device: &Path, device_type: Option<&str>) -> HealthReading {
    asking::ask(device, device_type, Depth::Everything)
}

/// [`ask`], and a data-centre drive's count of bytes written to its flash, through nvme-cli where that is installed.
pub fn ask_with_flash_counter(device: &Path) -> HealthReading {
    let mut reading = ask(device, None);
    if let HealthReading::Read { health } = &mut reading {
        ocp::add(health, &asking::nvme_cli, device);
    }
    reading
}

/// Asks a drive for its attributes only: a command or two of 512 bytes, no logs.
pub fn ask_briefly(device: &Path, device_type: Option<&str>) -> HealthReading {
    asking::ask(device, device_type, Depth::Attributes)
}

/// Parses the output of `smartctl --json`. `status` is the exit status of its process, if known; the document contains
/// it, too.
pub fn interpret(document: &[u8], status: Option<u8>) -> HealthReading {
    let bits = status.unwrap_or(0);
    let read = match document::read(document) {
        Ok(read) => read,
        // The status alone says that the drive fails.
        Err(_) if exit_status::speaks_of_the_drive(bits) => Document::default(),
        Err(why) => return unreadable(why),
    };
    let said = status_of(&read.answer).unwrap_or(0) | bits;
    let health = health_of(&read, said);
    let told = !tells_nothing(&read.answer, &health);
    if exit_status::nothing_was_read(said) && !told {
        return refused(&read.answer, said);
    }
    if told || exit_status::speaks_of_the_drive(said) {
        return HealthReading::Read {
            health: Box::new(health),
        };
    }
    let said = messages(&read.answer)
        .into_iter()
        .map(Message::as_it_stands);
    unreadable(match read.damage.into_iter().chain(said).next() {
        Some(why) => Message::new("health-tells-nothing-because", [("why", why.into())]),
        None => Message::of("health-tells-nothing"),
    })
}

fn unreadable(reason: Message) -> HealthReading {
    HealthReading::Unreadable {
        reason,
        remedy: None,
    }
}

fn status_of(answer: &Value) -> Option<u8> {
    u8::try_from(count_at(answer, &["smartctl", "exit_status"])?).ok()
}

/// Why nothing was read: smartctl's own words, else what its exit status means.
fn refused(answer: &Value, status: u8) -> HealthReading {
    let messages = messages(answer);
    let reason = if messages.is_empty() {
        let reasons = Argument::clauses(exit_status::meanings(status));
        Message::new("health-reasons", [("reasons", reasons)])
    } else {
        Message::as_it_stands(messages.join("; "))
    };
    HealthReading::Unreadable {
        remedy: remedy(&reason),
        reason,
    }
}

fn remedy(reason: &str) -> Option<Message> {
    let says = |what: &str| reason.to_ascii_lowercase().contains(what);
    let remedy = if says("permission denied") {
        "health-needs-rights"
    } else if says("usb bridge") {
        "health-name-bridge"
    } else if says("unable to detect device type") {
        "health-no-drive-itself"
    } else {
        return None;
    };
    Some(Message::of(remedy))
}

/// Messages of smartctl, without those that only inform.
fn messages(answer: &Value) -> Vec<String> {
    let listed = list_at(answer, &["smartctl", "messages"]);
    let important = listed.filter(|m| text_at(m, &["severity"]).as_deref() != Some("information"));
    important.filter_map(|m| text_at(m, &["string"])).collect()
}

/// A bridge or a controller may answer for itself without access to the drive.
fn tells_nothing(answer: &Value, health: &Health) -> bool {
    let has = |key: &str| answer.get(key).is_some();
    health.overall == Overall::Unknown
        && !has("ata_smart_attributes")
        && !has("ata_device_statistics")
        && !has("nvme_smart_health_information_log")
        && !has("scsi_error_counter_log")
        && !health.signs.contains(&Sign::SwitchedOff)
        && health.temperature_celsius.is_none()
        && health.power_on_hours.is_none()
}

fn health_of(read: &Document, status: u8) -> Health {
    let answer = &read.answer;
    let passed = truth_at(answer, &["smart_status", "passed"]);
    let overall = match passed {
        Some(false) => Overall::Failed,
        _ if exit_status::is_failing(status) => Overall::Failed,
        Some(true) => Overall::Passed,
        None => Overall::Unknown,
    };
    let text = |keys: &[&str]| keys.iter().find_map(|key| text_at(answer, &[key]));
    let mut health = Health {
        source: source(answer),
        protocol: text_at(answer, &["device", "protocol"]).unwrap_or_default(),
        model: text(&["model_name", "scsi_model_name", "product", "scsi_product"]),
        serial: text(&["serial_number"]),
        firmware: text(&["firmware_version", "revision", "scsi_revision"]),
        capacity: bytes_at(answer, &["user_capacity", "bytes"])
            .or_else(|| bytes_at(answer, &["nvme_total_capacity"]))
            .filter(|bytes| !bytes.is_zero()),
        overall,
        temperature_celsius: celsius_at(answer, &["temperature", "current"]),
        power_on_hours: count_at(answer, &["power_on_time", "hours"]),
        power_cycles: count_at(answer, &["power_cycle_count"]),
        available_spare_percent: percent_at(answer, &["spare_available", "current_percent"]),
        available_spare_threshold_percent: percent_at(
            answer,
            &["spare_available", "threshold_percent"],
        ),
        remarks: (messages(answer).into_iter())
            .map(Message::as_it_stands)
            .collect(),
        signs: exit_status::signs(status).collect(),
        ..Health::default()
    };
    let used = count_at(answer, &["endurance_used", "current_percent"]);
    used_endurance(&mut health, used, "smartctl's endurance_used");
    health.remarks.extend(read.damage.clone());
    if exit_status::nothing_was_read(status) {
        health.remarks.extend(exit_status::meanings(status & 3));
    }
    ata::add(&mut health, answer);
    nvme::add(&mut health, answer);
    scsi::add(&mut health, answer);
    add_signs(&mut health, read);
    health
}

/// Parts of the whole output that affect the verdict.
fn add_signs(health: &mut Health, read: &Document) {
    let mut sign = |sign: Sign| {
        if !health.signs.contains(&sign) {
            health.signs.push(sign);
        }
    };
    let misfits = document::misfits(&read.answer);
    let damaged = messages(&read.answer)
        .iter()
        .any(|message| message.to_ascii_lowercase().contains("checksum"));
    if read.lost || damaged || !misfits.is_empty() {
        sign(Sign::Incomplete);
    }
    if truth_at(&read.answer, &["smart_support", "enabled"]) == Some(false) {
        sign(Sign::SwitchedOff);
    }
    let of = |place: String| Message::new("health-unexpected", [("place", place.into())]);
    health.remarks.extend(misfits.into_iter().map(of));
}

/// The used endurance as a counter reports it. 255 is the largest value: by the standards it means more than 254 per
/// cent, and in practice that the drive or its bridge does not report it.
fn used_endurance(health: &mut Health, used: Option<u64>, of: &str) {
    match used {
        Some(255) if health.signs.contains(&Sign::EnduranceUnclear) => {}
        Some(255) => health.signs.push(Sign::EnduranceUnclear),
        Some(used @ 0..=254) => {
            health.percentage_used = Some(percent(used));
            health.percentage_used_of = Some(Message::as_it_stands(of));
        }
        _ => {}
    }
}

fn percent(count: u64) -> f64 {
    count as f64
}

/// `smartctl 7.3, sat`.
fn source(answer: &Value) -> String {
    let version: Vec<String> = list_at(answer, &["smartctl", "version"])
        .filter_map(Value::as_u64)
        .map(|part| part.to_string())
        .collect();
    let mut source = "smartctl".to_owned();
    if !version.is_empty() {
        source = format!("{source} {}", version.join("."));
    }
    match text_at(answer, &["device", "type"]) {
        Some(kind) => format!("{source}, {kind}"),
        None => source,
    }
}
