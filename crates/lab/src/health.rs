//! `drivelab health`: how the drives of a target are.

use std::collections::BTreeMap;

use base::health::HealthReading;
use base::zone::ZoneLimits;
use inspect::DriveId;
use results::health::{DriveHealth, HEALTH_SCHEMA, HealthReport};

use crate::error::LabError;
use targets::{Consent, resolve};

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
            reasons_ja: Vec::new(),
            identity: told(drive.identity.as_ref(), drive.zones),
            reading: drive.reading,
        }
    });
    Ok(HealthReport {
        schema: HEALTH_SCHEMA,
        target: target.to_owned(),
        drives: drives.collect(),
    })
}

/// Facts about a drive from sources other than the drive.
fn told(id: Option<&DriveId>, zones: Option<ZoneLimits>) -> BTreeMap<&'static str, String> {
    let told = [
        ("model", id.and_then(|id| id.model.clone())),
        ("serial", id.and_then(|id| id.serial.clone())),
        ("wwn", id.and_then(|id| id.wwn.clone())),
        (
            "namespace",
            id.and_then(|id| Some(id.namespace?.to_string())),
        ),
        ("capacity", id.map(|id| id.capacity.to_string())),
        ("zones", zones.map(|zones| zones.to_string())),
    ];
    let told = told.into_iter();
    told.filter_map(|(key, value)| Some((key, value?)))
        .collect()
}

/// Facts about a drive beyond its own answer. A drive that answers reports the same itself, except for its zones.
pub fn beside_its_answer(drive: &DriveHealth) -> Vec<(&'static str, String)> {
    let answers = matches!(drive.reading, HealthReading::Read { .. });
    let told = drive.identity.iter();
    let told = told.filter(|(key, _)| !answers || **key == "zones");
    told.map(|(key, value)| (*key, value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::health::Condition;
    use base::message::Message;

    #[test]
    fn a_modelled_drive_tells_what_it_was_made_to_write() {
        let report = health("model:samsung-840-evo-750gb", None).unwrap();
        assert_eq!(report.drives[0].condition, Condition::Good);
        let health = report.drives[0].reading.health().unwrap();
        assert_eq!(
            health.host_written.as_ref().unwrap().bytes.unwrap().get(),
            0
        );
        assert_eq!(report.worst(), Some(Condition::Good));
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
            reason: Message::as_it_stands("smartctl is not installed"),
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
                reasons_ja: Vec::new(),
                identity: told(Some(&id), None),
                reading,
            }],
        };
        let told = beside_its_answer(&report.drives[0]);
        for (key, value) in [
            ("model", "QEMU QEMU HARDDISK"),
            ("serial", "disk-7"),
            ("capacity", "1 GiB"),
        ] {
            assert!(told.contains(&(key, value.to_owned())), "{told:?}");
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
