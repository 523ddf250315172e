//! A real drive's health, asked through smartmontools.
//!
//! `smartctl --json` speaks ATA, SCSI, NVMe and a dozen bridges, and its database knows what makers
//! mean by their attributes: all that is left to do here is to run it and to read its answer with
//! care. The document is read field by field, since what is there differs with the drive, the bridge
//! and the version (field names as smartmontools 7.0 to 7.5 print them); what is missing or of an
//! unexpected type is absent from the result. The exit status is a set of bits
//! (`exit_status`, smartctl(8)), of which two mean that nothing could be read.
//!
//! * [`ask`]: everything, before and after a run;
//! * [`ask_briefly`]: temperature and bytes written, while a run goes on;
//! * [`Watching`]: how that is done;
//! * [`interpret`]: what smartctl's answer says, without a drive.

use std::path::Path;

use base::health::{Health, HealthReading, Overall};
use serde_json::Value;

mod answer;
mod asking;
mod ata;
mod exit_status;
mod nvme;
mod scsi;
#[cfg(test)]
mod tests;
mod watching;

use answer::{bytes_at, count_at, integer_at, list_at, text_at};
use asking::Depth;

pub use watching::{LEAST_PERIOD, Watching};

/// Asks a drive everything; its `device_type` as smartctl's `-d` takes it, where smartctl cannot
/// find out by itself.
pub fn ask(device: &Path, device_type: Option<&str>) -> HealthReading {
    asking::ask(device, device_type, Depth::Everything)
}

/// Asks a drive for its attributes only: a command or two of 512 bytes, no logs.
pub fn ask_briefly(device: &Path, device_type: Option<&str>) -> HealthReading {
    asking::ask(device, device_type, Depth::Attributes)
}

/// What an answer of `smartctl --json` says. `status` is the exit status of its process, if it is
/// known; the document carries it, too.
pub fn interpret(document: &[u8], status: Option<u8>) -> HealthReading {
    let answer: Value = match serde_json::from_slice(document) {
        Ok(answer @ Value::Object(_)) => answer,
        Ok(_) => return unreadable("smartctl's answer is JSON, but no document of a drive"),
        Err(_) if document.iter().all(u8::is_ascii_whitespace) => {
            return unreadable("smartctl answered nothing");
        }
        Err(why) if why.is_eof() => {
            return unreadable(&format!(
                "smartctl's answer breaks off after {} bytes",
                document.len()
            ));
        }
        Err(why) => return unreadable(&format!("smartctl's answer is not JSON: {why}")),
    };
    let said = text_of_status(&answer).or(status).unwrap_or(0) | status.unwrap_or(0);
    if exit_status::nothing_was_read(said) {
        return refused(&answer, said);
    }
    let health = health_of(&answer, said);
    if tells_nothing(&answer, &health) {
        let reason = "the device answers, but tells nothing of its health";
        return unreadable(&messages(&answer).first().map_or_else(
            || reason.to_owned(),
            |message| format!("{reason}: {message}"),
        ));
    }
    HealthReading::Read {
        health: Box::new(health),
    }
}

fn unreadable(reason: &str) -> HealthReading {
    HealthReading::Unreadable {
        reason: reason.to_owned(),
        remedy: None,
    }
}

fn text_of_status(answer: &Value) -> Option<u8> {
    u8::try_from(count_at(answer, &["smartctl", "exit_status"])?).ok()
}

/// Why nothing was read: smartctl's own words, else what its exit status means.
fn refused(answer: &Value, status: u8) -> HealthReading {
    let messages = messages(answer);
    let reason = if messages.is_empty() {
        exit_status::meanings(status).join("; ")
    } else {
        messages.join("; ")
    };
    HealthReading::Unreadable {
        remedy: remedy(&reason),
        reason,
    }
}

fn remedy(reason: &str) -> Option<String> {
    let says = |what: &str| reason.to_ascii_lowercase().contains(what);
    let remedy = if says("permission denied") {
        "smartctl needs the administrator's rights: ask again with sudo"
    } else if says("usb bridge") {
        "name the bridge's type with --device-type: sat, sntjmicron, sntasmedia, sntrealtek (smartctl(8), option -d)"
    } else if says("unable to detect device type") {
        "it may be no drive but something built on drives: ask those beneath"
    } else {
        return None;
    };
    Some(remedy.to_owned())
}

/// Messages of smartctl, without those that only inform.
fn messages(answer: &Value) -> Vec<String> {
    let listed = list_at(answer, &["smartctl", "messages"]);
    let important = listed.filter(|m| text_at(m, &["severity"]).as_deref() != Some("information"));
    important.filter_map(|m| text_at(m, &["string"])).collect()
}

/// A bridge or a controller may answer for itself and know nothing of the drive.
fn tells_nothing(answer: &Value, health: &Health) -> bool {
    let has = |key: &str| answer.get(key).is_some();
    health.overall == Overall::Unknown
        && !has("ata_smart_attributes")
        && !has("ata_device_statistics")
        && !has("nvme_smart_health_information_log")
        && !has("scsi_error_counter_log")
        && health.temperature_celsius.is_none()
        && health.power_on_hours.is_none()
}

fn health_of(answer: &Value, status: u8) -> Health {
    let overall = match answer
        .pointer("/smart_status/passed")
        .and_then(Value::as_bool)
    {
        Some(true) if !exit_status::is_failing(status) => Overall::Passed,
        None if !exit_status::is_failing(status) => Overall::Unknown,
        _ => Overall::Failed,
    };
    let text = |keys: &[&str]| keys.iter().find_map(|key| text_at(answer, &[key]));
    let mut remarks = messages(answer);
    remarks.extend(exit_status::remarks(status));
    let mut health = Health {
        source: source(answer),
        protocol: text_at(answer, &["device", "protocol"]).unwrap_or_default(),
        model: text(&["model_name", "scsi_model_name", "product", "scsi_product"]),
        serial: text(&["serial_number"]),
        firmware: text(&["firmware_version", "revision", "scsi_revision"]),
        capacity: bytes_at(answer, &["user_capacity", "bytes"])
            .or_else(|| bytes_at(answer, &["nvme_total_capacity"])),
        overall,
        temperature_celsius: integer_at(answer, &["temperature", "current"]).filter(|t| *t != 0),
        power_on_hours: count_at(answer, &["power_on_time", "hours"]),
        power_cycles: count_at(answer, &["power_cycle_count"]),
        percentage_used: count_at(answer, &["endurance_used", "current_percent"]).map(percent),
        available_spare_percent: count_at(answer, &["spare_available", "current_percent"])
            .map(percent),
        available_spare_threshold_percent: count_at(
            answer,
            &["spare_available", "threshold_percent"],
        )
        .map(percent),
        remarks,
        ..Health::default()
    };
    if health.percentage_used.is_some() {
        health.percentage_used_of = Some("smartctl's endurance_used".to_owned());
    }
    ata::add(&mut health, answer);
    nvme::add(&mut health, answer);
    scsi::add(&mut health, answer);
    health
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
