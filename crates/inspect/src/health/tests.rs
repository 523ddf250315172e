//! smartctl's output for many kinds of drives, complete and truncated. The drives are invented; field names and nesting
//! are those of smartctl 7.3.

use base::message::Message;
use std::path::Path;

use base::health::{Condition, HealthReading, Overall, Sign};
use base::size::Bytes;
use proptest::prelude::*;

mod verdicts;

use super::asking::{Depth, Ran, ask_by};
use super::*;

macro_rules! recorded {
    ($name:literal) => {
        include_str!(concat!("recorded/", $name, ".json"))
    };
}

const ALL: [&str; 14] = [
    recorded!("ata_ssd"),
    recorded!("ata_ssd_unknown"),
    recorded!("ata_ssd_statistics"),
    recorded!("ata_hdd_pending"),
    recorded!("ata_failing"),
    recorded!("nvme"),
    recorded!("nvme_read_only"),
    recorded!("sas_hdd"),
    recorded!("sas_ssd_worn"),
    recorded!("usb_unknown"),
    recorded!("not_allowed"),
    recorded!("not_a_drive"),
    recorded!("usb_stick"),
    "{}",
];

fn read(document: &str) -> Health {
    match interpret(document.as_bytes(), None) {
        HealthReading::Read { health } => *health,
        HealthReading::Unreadable { reason, .. } => panic!("unreadable: {reason}"),
    }
}

fn refused_because(document: &[u8]) -> Message {
    match interpret(document, None) {
        HealthReading::Read { health } => panic!("read: {health:?}"),
        HealthReading::Unreadable { reason, .. } => reason,
    }
}

fn bytes(count: Option<&base::health::ByteCount>) -> Option<Bytes> {
    count.and_then(|count| count.bytes)
}

#[test]
fn an_ata_ssd_of_the_database_counts_in_the_units_of_its_attributes_names() {
    let health = read(recorded!("ata_ssd"));
    assert_eq!(health.overall, Overall::Passed);
    assert_eq!(health.source, "smartctl 7.3, sat");
    assert_eq!(health.model.as_deref(), Some("EXAMPLE SSD 500GB"));
    assert_eq!(health.serial.as_deref(), Some("EX500A0001"));
    assert_eq!(health.firmware.as_deref(), Some("1.03"));
    assert_eq!(health.capacity, Some(Bytes::new(500_107_862_016)));
    assert_eq!(health.temperature_celsius, Some(33));
    assert_eq!(health.power_on_hours, Some(9_123));
    assert_eq!(health.power_cycles, Some(410));
    let written = bytes(health.host_written.as_ref());
    assert_eq!(written, Some(Bytes::mib(32 * 612_345)));
    let of_host = bytes(health.host_read.as_ref());
    assert_eq!(of_host, Some(Bytes::mib(32 * 1_034_567)));
    let of_flash = bytes(health.nand_written.as_ref());
    assert_eq!(of_flash, Some(Bytes::gib(31_000)));
    assert_eq!(health.percentage_used, Some(7.0));
    assert_eq!((health.reallocated, health.link_errors), (Some(0), Some(3)));
    assert_eq!((health.pending, health.uncorrectable), (None, Some(0)));
    assert_eq!(health.self_test.as_ref().unwrap().passed, Some(true));
    assert_eq!(health.assess().condition, Condition::Good);
}

#[test]
fn counters_of_an_ssd_that_the_database_does_not_know_have_no_unit() {
    let health = read(recorded!("ata_ssd_unknown"));
    let written = health.host_written.unwrap();
    assert_eq!(written.bytes, None);
    assert!(written.of.contains("raw 807"), "{}", written.of);
    assert!(written.of.contains("unit unknown"), "{}", written.of);
    assert_eq!(health.percentage_used, None);
}

#[test]
fn device_statistics_have_units_and_go_before_attributes_where_they_are_valid() {
    let health = read(recorded!("ata_ssd_statistics"));
    let written = bytes(health.host_written.as_ref());
    assert_eq!(written, Some(Bytes::SECTOR * 52_898_304));
    // Not marked as valid: the attribute stays, without a unit.
    assert_eq!(health.host_read.unwrap().bytes, None);
    assert_eq!(health.percentage_used, Some(4.0));
    let of = health.percentage_used_of.as_deref();
    assert_eq!(of, Some("device statistics"));
}

#[test]
fn a_disk_with_pending_sectors_passes_its_own_test_and_is_suspect() {
    let health = read(recorded!("ata_hdd_pending"));
    assert_eq!(health.overall, Overall::Passed);
    let counted = (health.reallocated, health.pending, health.uncorrectable);
    assert_eq!(counted, (Some(24), Some(16), Some(16)));
    assert_eq!(health.power_on_hours, Some(41_877));
    assert_eq!(health.logged_errors, Some(8));
    let written = bytes(health.host_written.as_ref());
    assert_eq!(written, Some(Bytes::SECTOR * 31_234_567_890));
    assert_eq!(health.alarms.len(), 1);
    assert!(!health.alarms[0].now);
    assert_eq!(health.self_test.as_ref().unwrap().passed, Some(false));
    let signs = [Sign::WasBelowThreshold, Sign::ErrorLog, Sign::SelfTestLog];
    assert_eq!(health.signs, signs);
    assert_eq!(health.assess().condition, Condition::Suspect);
}

#[test]
fn a_drive_that_fails_its_own_test_is_failing() {
    let health = read(recorded!("ata_failing"));
    assert_eq!(health.overall, Overall::Failed);
    assert!(health.alarms[0].now && health.alarms[0].predicts_failure);
    assert_eq!(health.alarms[0].attribute, "5 Reallocated_Sector_Ct");
    let assessment = health.assess();
    assert_eq!(assessment.condition, Condition::Failing);
    assert!(assessment.reasons.len() >= 4, "{:?}", assessment.reasons);
}

#[test]
fn a_failing_bit_of_the_process_counts_although_the_document_says_passed() {
    let reading = interpret(recorded!("ata_ssd").as_bytes(), Some(8));
    assert_eq!(reading.health().unwrap().overall, Overall::Failed);
}

#[test]
fn an_nvme_drive_counts_in_units_of_512000_bytes() {
    let health = read(recorded!("nvme"));
    let written = bytes(health.host_written.as_ref());
    assert_eq!(written, Some(Bytes::new(65_602_088 * 512_000)));
    assert_eq!(health.percentage_used, Some(3.0));
    assert_eq!(health.available_spare_percent, Some(100.0));
    assert_eq!(
        (health.media_errors, health.unsafe_shutdowns),
        (Some(0), Some(31))
    );
    assert_eq!(health.temperature_celsius, Some(41));
    assert_eq!(health.self_test.as_ref().unwrap().at_hours, Some(12_000));
    assert_eq!(health.assess().condition, Condition::Good);
}

#[test]
fn an_nvme_drive_that_is_read_only_says_so_and_counters_may_be_texts() {
    let health = read(recorded!("nvme_read_only"));
    assert_eq!(health.critical_warnings.len(), 2);
    assert!(health.critical_warnings[1].contains("read-only"));
    assert_eq!(health.percentage_used, Some(131.0));
    // 2^55 units are more bytes than 64 bits hold.
    assert_eq!(health.host_read.unwrap().bytes, None);
    assert_eq!(
        read(recorded!("nvme_read_only")).assess().condition,
        Condition::Failing
    );
}

#[test]
fn a_sas_disk_counts_gigabytes_and_its_temperature_may_be_in_the_environment() {
    let health = read(recorded!("sas_hdd"));
    assert_eq!(health.model.as_deref(), Some("EXAMPLE SAS16T"));
    assert_eq!(health.firmware.as_deref(), Some("EJ08"));
    let written = bytes(health.host_written.as_ref());
    assert_eq!(written, Some(Bytes::new(73_889_776_000_000)));
    assert_eq!(
        (health.reallocated, health.uncorrectable),
        (Some(3), Some(3))
    );
    assert_eq!(health.temperature_celsius, Some(36));
    assert_eq!(health.self_test.as_ref().unwrap().kind, "Background long");
    assert_eq!(health.assess().condition, Condition::Suspect);
}

#[test]
fn a_worn_sas_ssd_fails_with_the_reason_that_it_gives() {
    let health = read(recorded!("sas_ssd_worn"));
    assert_eq!(health.percentage_used, Some(112.0));
    let said = "MEDIA IMPENDING FAILURE ENDURANCE LIMIT MET";
    assert_eq!(health.critical_warnings, [said]);
    assert_eq!(health.assess().condition, Condition::Failing);
}

#[test]
fn a_device_that_cannot_be_opened_is_unreadable_with_the_reason_and_a_remedy() {
    let reading = interpret(recorded!("not_allowed").as_bytes(), Some(2));
    assert_eq!(reading.assess().condition, Condition::Unknown);
    let HealthReading::Unreadable { reason, remedy } = reading else {
        panic!("nothing can be read");
    };
    assert!(reason.contains("Permission denied"), "{reason}");
    assert!(remedy.unwrap().contains("sudo"));
    let reason = refused_because(recorded!("not_a_drive").as_bytes());
    assert!(reason.contains("Unable to detect device type"), "{reason}");
}

#[test]
fn a_device_that_tells_nothing_of_its_health_is_unreadable_and_not_healthy() {
    let reason = refused_because(recorded!("usb_stick").as_bytes());
    assert!(reason.contains("nothing about its health"), "{reason}");
}

#[test]
fn nonsense_and_halves_are_unreadable_with_a_reason() {
    assert!(refused_because(b"smartctl: segmentation fault").contains("not JSON"));
    assert!(refused_because(&[0xff, 0xfe, 0x00]).contains("not JSON"));
    assert!(refused_because(b"").contains("nothing"));
    assert!(refused_because(b"[1,2]").contains("does not describe a drive"));
}

#[test]
fn half_an_answer_is_read_as_far_as_it_goes_and_is_never_good() {
    let whole = recorded!("ata_ssd").trim_end().as_bytes();
    for end in 1..whole.len() {
        match interpret(&whole[..end], None) {
            HealthReading::Unreadable { reason, .. } => {
                assert!(reason.contains("is truncated"), "{end}: {reason}");
            }
            HealthReading::Read { health } => {
                assert!(health.assess().condition > Condition::Good, "{end}");
                assert!(health.remarks.iter().any(|r| r.contains("is truncated")));
            }
        }
    }
    let most = interpret(&whole[..whole.len() - 2], None);
    assert_eq!(most.health().unwrap().temperature_celsius, Some(33));
    let failing = recorded!("ata_failing").trim_end().as_bytes();
    let most = interpret(&failing[..failing.len() - 40], None);
    assert_eq!(most.assess().condition, Condition::Failing);
}

#[test]
fn an_unknown_usb_bridge_is_asked_again_as_sat() {
    let bridge = |arguments: &[&str]| {
        let document = if arguments.contains(&"sat") {
            recorded!("ata_ssd")
        } else {
            recorded!("usb_unknown")
        };
        Ran::Ended(document.as_bytes().to_vec(), None)
    };
    let device = Path::new("/dev/sdf");
    let reading = ask_by(&bridge, device, None, Depth::Everything);
    let health = reading.health().unwrap();
    assert!(health.remarks[0].contains("SAT"), "{:?}", health.remarks);
    // What the user named is asked, and nothing else.
    let named = ask_by(&bridge, device, Some("sntjmicron"), Depth::Everything);
    let HealthReading::Unreadable { reason, remedy } = named else {
        panic!("the bridge does not answer as sntjmicron");
    };
    assert!(reason.contains("0x152d:0x0578"), "{reason}");
    assert!(remedy.unwrap().contains("--device-type"));
}

/// Any JSON, with the keys that are looked for among its keys.
fn any_json() -> impl Strategy<Value = Value> {
    const KEYS: [&str; 24] = [
        "smartctl",
        "exit_status",
        "messages",
        "device",
        "protocol",
        "smart_status",
        "passed",
        "temperature",
        "current",
        "ata_smart_attributes",
        "table",
        "id",
        "name",
        "raw",
        "value",
        "string",
        "ata_device_statistics",
        "pages",
        "number",
        "nvme_smart_health_information_log",
        "data_units_written",
        "scsi_error_counter_log",
        "write",
        "gigabytes_processed",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[A-Za-z0-9_+. ]{0,12}".prop_map(Value::from),
        Just(Value::from("SCSI")),
        Just(Value::from("Total_LBAs_Written")),
        Just(Value::from("Host_Writes_32MiB")),
    ];
    leaf.prop_recursive(6, 96, 8, |inner| {
        let key = prop_oneof![
            proptest::sample::select(KEYS.as_slice()).prop_map(str::to_owned),
            "[a-z_]{1,6}",
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((key, inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Replaces the `nth` value found.
fn replace(document: &mut Value, nth: &mut usize, with: &Value) {
    if *nth == 0 {
        *document = with.clone();
    }
    *nth = nth.wrapping_sub(1);
    match document {
        Value::Array(members) => members.iter_mut().for_each(|m| replace(m, nth, with)),
        Value::Object(members) => members.values_mut().for_each(|m| replace(m, nth, with)),
        _ => {}
    }
}

proptest! {
    #[test]
    fn no_json_makes_the_reader_panic(document in any_json(), status: Option<u8>) {
        let reading = interpret(document.to_string().as_bytes(), status);
        base::health::told(&reading);
    }

    #[test]
    fn no_change_of_a_recorded_answer_makes_the_reader_panic(
        which in 0..ALL.len(), nth in 0_usize..400, with in any_json(),
    ) {
        let mut document: Value = serde_json::from_str(ALL[which]).unwrap();
        replace(&mut document, &mut nth.clone(), &with);
        let reading = interpret(document.to_string().as_bytes(), None);
        base::health::told(&reading);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(document: Vec<u8>, status: Option<u8>) {
        interpret(&document, status);
    }
}
