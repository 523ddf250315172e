//! Verdicts on outputs: of good drives with one defect each; of outputs that are damaged or meaningless.

use base::health::{Assessment, Condition, HealthReading, Overall, Sign};
use proptest::prelude::*;
use serde_json::json;

use crate::health::*;

const GOOD: [&str; 3] = [
    include_str!("../recorded/ata_ssd.json"),
    include_str!("../recorded/ata_ssd_statistics.json"),
    include_str!("../recorded/nvme.json"),
];

fn of(document: &Value) -> HealthReading {
    interpret(document.to_string().as_bytes(), None)
}

fn read(document: &Value) -> Health {
    of(document).health().expect("it is read").clone()
}

/// A drive that passes, with attributes of these numbers, names, values and raw values.
fn ssd(attributes: &[(u64, &str, u64, u64)]) -> Value {
    let row = |(id, name, value, raw): &(u64, &str, u64, u64)| {
        json!({"id": id, "name": name, "value": value, "worst": value, "thresh": 0, "when_failed": "",
            "flags": {"value": 50, "prefailure": false}, "raw": {"value": raw, "string": raw.to_string()}})
    };
    let table: Vec<Value> = attributes.iter().map(row).collect();
    json!({"smartctl": {"version": [7, 4], "exit_status": 0},
        "device": {"name": "/dev/sdz", "type": "sat", "protocol": "ATA"},
        "model_name": "EXAMPLE SSD", "serial_number": "SN0001", "in_smartctl_database": true,
        "logical_block_size": 512, "smart_status": {"passed": true},
        "ata_smart_attributes": {"table": table}})
}

fn nvme(log: Value) -> Value {
    json!({"smartctl": {"exit_status": 0}, "device": {"type": "nvme", "protocol": "NVMe"},
        "model_name": "EXAMPLE NVME", "smart_status": {"passed": true, "nvme": {"value": 0}},
        "nvme_smart_health_information_log": log})
}

fn self_tests(tests: &[(&str, u64)]) -> Value {
    let row = |(kind, status): &(&str, u64)| {
        json!({"type": {"string": kind}, "status": {"value": status, "string": "in words",
            "passed": status >> 4 == 0}, "lifetime_hours": 99})
    };
    let table: Vec<Value> = tests.iter().map(row).collect();
    json!({"extended": {"table": table}})
}

#[test]
fn the_share_that_is_used_is_told_by_the_name_in_its_direction() {
    for (id, name, value, raw, used) in [
        (
            230,
            "Media_Wearout_Indicator",
            1,
            644_246_405_270,
            Some(1.0),
        ),
        (230, "Media_Wearout_Indicator", 97, 0, Some(97.0)),
        (233, "Media_Wearout_Indicator", 97, 0, Some(3.0)),
        (226, "Media_Wearout_Indicator", 97, 0, None),
        (177, "Wear_Leveling_Count", 97, 88, Some(3.0)),
        (173, "Wear_Leveling_Count", 191, 88, None),
        (202, "Percent_Lifetime_Remain", 97, 3, Some(3.0)),
        (202, "Percent_Lifetime_Used", 97, 3, Some(3.0)),
        (202, "Percent_Lifetime_Used", 97, 1 << 33, Some(3.0)),
        (231, "SSD_Life_Left", 97, 97, Some(3.0)),
        (169, "Remaining_Lifetime_Perc", 100, 97, Some(3.0)),
        (169, "Remaining_Lifetime_Perc", 100, 0, None),
        (230, "Life_Curve_Status", 100, 100, None),
        (177, "Wear_Range_Delta", 100, 3, None),
    ] {
        let health = read(&ssd(&[(id, name, value, raw)]));
        assert_eq!(health.percentage_used, used, "{id} {name} {value} {raw}");
        let unsure = matches!((id, name), (226, _) | (173, _));
        assert_eq!(health.remarks.is_empty(), !unsure, "{:?}", health.remarks);
    }
    // What tells of the rated life goes before what tells of erases.
    let both = [
        (177, "Wear_Leveling_Count", 60, 1),
        (231, "SSD_Life_Left", 97, 97),
    ];
    assert_eq!(read(&ssd(&both)).percentage_used, Some(3.0));
    let spare = read(&ssd(&[(232, "Available_Reservd_Space", 88, 88)]));
    assert_eq!(spare.available_spare_percent, Some(88.0));
}

#[test]
fn an_attribute_at_its_floor_is_worn_out_and_no_longer_good() {
    let health = read(&ssd(&[(177, "Wear_Leveling_Count", 1, 2_981)]));
    assert_eq!(health.percentage_used, Some(99.0));
    assert_eq!(health.assess().condition, Condition::Suspect);
    assert!(health.is_worn());
}

#[test]
fn a_failed_extended_test_is_not_outdated_by_a_passed_short_one() {
    let judged = |tests: &[(&str, u64)]| {
        let mut document = ssd(&[]);
        document["ata_smart_self_test_log"] = self_tests(tests);
        of(&document).assess()
    };
    let failed = judged(&[("Short offline", 0), ("Extended offline", 121)]);
    assert_eq!(failed.condition, Condition::Suspect);
    assert!(
        failed.reasons[0].contains("Extended offline"),
        "{:?}",
        failed.reasons
    );
    let outdated = judged(&[("Extended offline", 0), ("Short offline", 121)]);
    assert_eq!(outdated.condition, Condition::Good);
    // Where the log is empty, the drive still says how the last one ended.
    let mut document = ssd(&[]);
    document["ata_smart_data"] =
        json!({"self_test": {"status": {"value": 116, "string": "failed"}}});
    assert_eq!(of(&document).assess().condition, Condition::Suspect);
}

#[test]
fn each_bit_of_the_exit_status_reaches_the_verdict_by_document_and_by_process() {
    for good in GOOD {
        for status in 0..=u8::MAX {
            let of_process = interpret(good.as_bytes(), Some(status)).assess();
            let mut document: Value = serde_json::from_str(good).unwrap();
            document["smartctl"]["exit_status"] = json!(status);
            let Assessment { condition, .. } = of(&document).assess();
            if status < 255 {
                assert_eq!(of_process.condition, condition, "{status}");
            }
            let least = match status {
                _ if status & 0x18 != 0 => Condition::Failing,
                _ if status & 0xe0 != 0 => Condition::Suspect,
                _ => Condition::Good,
            };
            assert_eq!(of_process.condition, least, "{status}");
            assert_eq!(of_process.reasons.is_empty(), status & !3 == 0, "{status}");
        }
    }
    // Of an answer that nobody can read, the status alone still counts.
    for (status, condition) in [
        (8, Condition::Failing),
        (64, Condition::Suspect),
        (4, Condition::Unknown),
    ] {
        let reading = interpret(b"no document", Some(status));
        assert_eq!(reading.assess().condition, condition);
    }
}

#[test]
fn a_byte_that_is_no_text_takes_nothing_else_with_it() {
    let document = ssd(&[(5, "Reallocated_Sector_Ct", 100, 0)]).to_string();
    let damaged: Vec<u8> = document
        .bytes()
        .map(|byte| if byte == b'N' { 0xff } else { byte })
        .collect();
    let reading = interpret(&damaged, Some(24));
    assert_eq!(reading.assess().condition, Condition::Failing);
    let health = reading.health().unwrap();
    assert!(
        health.remarks[0].contains("not text"),
        "{:?}",
        health.remarks
    );
    assert_eq!(health.model.as_deref(), Some("EXAMPLE SSD"));
    // A control character, which JSON forbids, is no more of a hindrance.
    let control = document.replace("SN0001", "SN\u{1}01");
    assert_eq!(
        interpret(control.as_bytes(), None).assess().condition,
        Condition::Good
    );
}

#[test]
fn text_before_and_behind_the_document_is_passed_over_and_said() {
    let document = ssd(&[]).to_string();
    for around in [
        format!("warning: a wrapper\n{document}"),
        format!("{document}\nkilled"),
        format!("\u{feff}{document}"),
    ] {
        let reading = interpret(around.as_bytes(), None);
        assert_eq!(reading.assess().condition, Condition::Good);
        assert!(reading.health().unwrap().remarks[0].contains("other text"));
    }
}

#[test]
fn a_broken_place_in_the_middle_leaves_what_stands_before_it() {
    let document = ssd(&[(197, "Current_Pending_Sector", 100, 8)]).to_string();
    let broken = document.replacen("\"smart_status\":", "\"smart_status\":nan,", 1);
    let reading = interpret(broken.as_bytes(), None);
    let health = reading.health().unwrap();
    assert_eq!(health.pending, Some(8));
    assert!(health.signs.contains(&Sign::Incomplete));
    assert_eq!(reading.assess().condition, Condition::Suspect);
}

#[test]
fn a_field_of_another_type_leaves_all_others_and_no_good_verdict() {
    let good = ssd(&[(197, "Current_Pending_Sector", 100, 0)]);
    assert_eq!(of(&good).assess().condition, Condition::Good);
    for place in [
        "/smart_status",
        "/smart_status/passed",
        "/ata_smart_attributes",
        "/ata_smart_attributes/table",
        "/ata_smart_attributes/table/0",
        "/ata_smart_attributes/table/0/when_failed",
        "/ata_smart_attributes/table/0/raw",
        "/smartctl/exit_status",
    ] {
        let mut document = good.clone();
        *document.pointer_mut(place).unwrap() = json!([7]);
        let health = read(&document);
        assert_eq!(health.serial.as_deref(), Some("SN0001"));
        assert!(health.assess().condition > Condition::Good, "{place}");
    }
    // Another way to write the same is not another type.
    for passed in [json!("true"), json!(1)] {
        let mut document = good.clone();
        document["smart_status"]["passed"] = passed;
        assert_eq!(of(&document).assess().condition, Condition::Good);
        document["smart_status"]["passed"] = json!("false");
        assert_eq!(of(&document).assess().condition, Condition::Failing);
    }
}

#[test]
fn values_that_mean_not_told_are_not_told() {
    let ones = [
        json!(u64::MAX),
        json!(u32::MAX),
        json!((1_u64 << 48) - 1),
        json!(3.5e38),
        json!(-1),
    ];
    for told in ones {
        let health = read(&nvme(json!({"critical_warning": 0, "temperature": -273,
            "available_spare": 255, "available_spare_threshold": 255, "percentage_used": 0,
            "power_on_hours": told, "data_units_written": told, "unsafe_shutdowns": told})));
        assert_eq!(health.temperature_celsius, None);
        assert_eq!(
            (
                health.available_spare_percent,
                health.available_spare_threshold_percent
            ),
            (None, None)
        );
        assert_eq!(
            (health.power_on_hours, health.unsafe_shutdowns),
            (None, None),
            "{told}"
        );
        assert_eq!(health.host_written, None);
        assert_eq!(health.assess().condition, Condition::Good);
    }
    for celsius in [-273, -128, -70, 0, 126, 127, 255] {
        let mut document = ssd(&[(194, "Temperature_Celsius", 60, celsius.max(0) as u64)]);
        document["temperature"] = json!({"current": celsius});
        assert_eq!(read(&document).temperature_celsius, None, "{celsius}");
    }
    let full = read(&nvme(
        json!({"critical_warning": 0, "percentage_used": 255}),
    ));
    assert_eq!(full.percentage_used, None);
    assert_eq!(full.signs, [Sign::EnduranceUnclear]);
    assert_eq!(full.assess().condition, Condition::Unknown);
    let busy = read(&nvme(
        json!({"critical_warning": 0, "num_err_log_entries": 9_000}),
    ));
    assert_eq!(busy.assess().condition, Condition::Good);
}

#[test]
fn smart_that_is_switched_off_is_said_with_the_drive_and_how_to_switch_it_on() {
    let mut document = ssd(&[]);
    let members = document.as_object_mut().unwrap();
    members.remove("smart_status");
    members.remove("ata_smart_attributes");
    document["smart_support"] = json!({"available": true, "enabled": false});
    let reading = of(&document);
    let health = reading.health().unwrap();
    let names = (health.model.as_deref(), health.serial.as_deref());
    assert_eq!(names, (Some("EXAMPLE SSD"), Some("SN0001")));
    let Assessment { condition, reasons } = reading.assess();
    assert_eq!((condition, reasons.len()), (Condition::Unknown, 1));
    assert!(reasons[0].contains("smartctl -s on"), "{reasons:?}");
}

#[test]
fn every_bit_of_the_critical_warning_is_told_named_or_not() {
    for bit in 0..8 {
        let health = read(&nvme(json!({"critical_warning": 1 << bit})));
        assert_eq!(health.critical_warnings.len(), 1, "{bit}");
        assert_eq!(health.assess().condition, Condition::Failing);
        let mut again = nvme(json!({"critical_warning": 0}));
        again["smart_status"]["nvme"]["value"] = json!(1 << bit);
        assert_eq!(read(&again).critical_warnings.len(), 1, "{bit}");
    }
    let ones = read(&nvme(json!({"critical_warning": 255})));
    assert!(ones.critical_warnings.is_empty() && ones.overall == Overall::Passed);
    assert_eq!(ones.assess().condition, Condition::Unknown);
}

/// A defect, inserted into the output of an ATA or an NVMe drive.
fn spoil(document: &mut Value, which: usize, count: u64) {
    let is_nvme = document.get("nvme_smart_health_information_log").is_some();
    let attribute = |id: u64, name: &str| {
        json!({"id": id, "name": name, "value": 100, "worst": 100, "thresh": 0, "when_failed": "",
            "raw": {"value": count, "string": count.to_string()}})
    };
    let mut row = attribute(9, "Power_On_Hours");
    match (is_nvme, which) {
        (_, 0) => document["smart_status"]["passed"] = json!(false),
        (_, bit @ 1..=5) => document["smartctl"]["exit_status"] = json!(4 << bit),
        (true, 6) => document["nvme_smart_health_information_log"]["media_errors"] = json!(count),
        (true, 7) => {
            document["nvme_smart_health_information_log"]["available_spare"] = json!(count % 10)
        }
        (true, 8) => {
            document["nvme_smart_health_information_log"]["percentage_used"] =
                json!(99 + count % 157)
        }
        (true, _) => {
            let log = &mut document["nvme_smart_health_information_log"];
            log["critical_warning"] = json!(1 + count % 255);
        }
        (false, 6) => row = attribute(5, "Reallocated_Sector_Ct"),
        (false, 7) => row = attribute(197, "Current_Pending_Sector"),
        (false, 8) => row = attribute(198, "Offline_Uncorrectable"),
        (false, 9) => {
            row["thresh"] = json!(100);
            row.as_object_mut().unwrap().remove("when_failed");
        }
        (false, 10) => row["when_failed"] = json!("past"),
        (false, 11) => document["ata_pending_defects_log"] = json!({"count": count}),
        (false, 12) => document["ata_smart_error_log"] = json!({"summary": {"count": count}}),
        (false, _) => {
            document["ata_smart_self_test_log"] = self_tests(&[
                ("Short offline", 0),
                ("Extended offline", (3 + count % 6) << 4),
            ]);
        }
    }
    if let Some(table) = document.pointer_mut("/ata_smart_attributes/table") {
        let rows = table.as_array_mut().unwrap();
        rows.retain(|there| there["id"] != row["id"]);
        rows.push(row);
    }
}

proptest! {
    #[test]
    fn no_answer_with_anything_bad_in_it_is_good(
        which in 0..GOOD.len(), bad in 0_usize..14, count in 1_u64..1 << 31, cut in 0.0..2.0_f64,
        byte in any::<u8>(), at in 0.0..1.0_f64,
    ) {
        let mut document: Value = serde_json::from_str(GOOD[which]).unwrap();
        prop_assert_eq!(of(&document).assess().condition, Condition::Good);
        spoil(&mut document, bad, count);
        let mut bytes = document.to_string().into_bytes();
        prop_assert!(interpret(&bytes, None).assess().condition > Condition::Good);
        // Nor one that is cut off as well.
        let end = (bytes.len() as f64 * cut) as usize;
        let half = &bytes[..end.min(bytes.len())];
        prop_assert!(interpret(half, None).assess().condition > Condition::Good);
        // A byte that is no text changes a text at most.
        let at = (bytes.len() as f64 * at) as usize;
        bytes[at] = byte | 0x80;
        interpret(&bytes, None);
    }
}
