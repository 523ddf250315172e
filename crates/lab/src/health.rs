//! `drivelab health`: how the drives of a target are.

use std::collections::BTreeMap;

use base::health::HealthReading;
use inspect::DriveId;
use results::health::{DriveHealth, HEALTH_SCHEMA, HealthReport};

use crate::error::LabError;
use crate::opening::{Consent, resolve};

/// Asks the drives of a target; `device_type` as smartctl's `-d` takes it, where smartctl cannot find
/// out by itself.
///
/// # Errors
/// An unknown target. A drive that cannot be read is no error but part of the report.
pub fn health(target: &str, device_type: Option<&str>) -> Result<HealthReport, LabError> {
    let resolved = resolve(target, &Consent::default(), 0)?;
    let asked = resolved.ask_health(device_type)?.into_iter();
    let drives = asked.map(|drive| {
        let assessment = drive.reading.assess();
        DriveHealth {
            device: drive.device,
            condition: assessment.condition,
            reasons: assessment.reasons,
            identity: drive.identity.as_ref().map(told).unwrap_or_default(),
            reading: drive.reading,
        }
    });
    Ok(HealthReport {
        schema: HEALTH_SCHEMA,
        target: target.to_owned(),
        drives: drives.collect(),
    })
}

/// What is told of a drive by others than itself.
fn told(id: &DriveId) -> BTreeMap<&'static str, String> {
    let told = [
        ("model", id.model.clone()),
        ("serial", id.serial.clone()),
        ("wwn", id.wwn.clone()),
        ("namespace", id.namespace.map(|number| number.to_string())),
        ("capacity", Some(id.capacity.to_string())),
    ];
    let told = told.into_iter();
    told.filter_map(|(key, value)| Some((key, value?)))
        .collect()
}

fn lines(identity: &BTreeMap<&'static str, String>) -> String {
    let lines = identity
        .iter()
        .map(|(key, value)| format!("{key:9}  {value}\n"));
    lines.collect()
}

/// The report for people.
pub fn text(report: &HealthReport) -> String {
    let parts = report.drives.iter().map(|drive| {
        // A drive that answers tells the same itself.
        let known = match drive.reading {
            HealthReading::Unreadable { .. } => lines(&drive.identity),
            HealthReading::Read { .. } => String::new(),
        };
        let said = base::health::text(&drive.reading);
        format!("{}\n{said}{known}", drive.device)
    });
    parts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::health::Condition;

    #[test]
    fn a_modelled_drive_tells_what_it_was_made_to_write() {
        let report = health("model:samsung-840-evo-750gb", None).unwrap();
        assert_eq!(report.drives[0].condition, Condition::Good);
        let health = report.drives[0].reading.health().unwrap();
        assert_eq!(
            health.host_written.as_ref().unwrap().bytes.unwrap().get(),
            0
        );
        assert!(text(&report).contains("health: good"), "{}", text(&report));
        assert!(!report.any_failing());
    }

    #[test]
    fn a_drive_that_does_not_answer_still_has_its_names() {
        let id = DriveId {
            model: Some("QEMU QEMU HARDDISK".to_owned()),
            serial: Some("disk-7".to_owned()),
            capacity: base::size::Bytes::gib(1),
            ..DriveId::default()
        };
        let reading = HealthReading::Unreadable {
            reason: "smartctl is not installed".to_owned(),
            remedy: None,
        };
        let assessment = reading.assess();
        let report = HealthReport {
            schema: HEALTH_SCHEMA,
            target: "/dev/sda".to_owned(),
            drives: vec![DriveHealth {
                device: "/dev/sda".to_owned(),
                condition: assessment.condition,
                reasons: assessment.reasons,
                identity: told(&id),
                reading,
            }],
        };
        let text = text(&report);
        for line in [
            "model      QEMU QEMU HARDDISK",
            "serial     disk-7",
            "capacity   1 GiB",
        ] {
            assert!(text.contains(line), "{text}");
        }
        let document = serde_json::to_value(&report).unwrap();
        assert_eq!(document["drives"][0]["identity"]["serial"], "disk-7");
    }

    #[test]
    fn what_is_no_drive_is_unknown_and_not_good() {
        let report = health("null:", None).unwrap();
        assert_eq!(report.drives[0].condition, Condition::Unknown);
        let document = serde_json::to_value(&report).unwrap();
        assert_eq!(document["schema"], HEALTH_SCHEMA);
        assert_eq!(document["drives"][0]["reading"], "unreadable");
    }
}
