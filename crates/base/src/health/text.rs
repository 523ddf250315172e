//! Health in words: only what was reported.

use super::{ByteCount, Health, HealthReading, SelfTest};
use crate::message::{Argument, Message};
use crate::size::Bytes;

/// A reading as pieces of text, each to be translated.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The word for it all: `good`.
    pub condition: &'static str,
    /// Why, the worst first.
    pub reasons: Vec<Message>,
    /// What can be done if the drive could not be queried.
    pub remedy: Option<Message>,
    /// The name and value of each thing that the drive reported.
    pub rows: Vec<(&'static str, Message)>,
}

/// The reading for people: the verdict with its reasons, and each reported value.
pub fn told(reading: &HealthReading) -> Told {
    let assessment = reading.assess();
    let (remedy, rows) = match reading {
        HealthReading::Unreadable { remedy, .. } => (remedy.clone(), Vec::new()),
        HealthReading::Read { health } => (None, rows(health)),
    };
    Told {
        condition: assessment.condition.word(),
        reasons: assessment.reasons,
        remedy,
        rows,
    }
}

fn rows(health: &Health) -> Vec<(&'static str, Message)> {
    let plain = |text: Option<String>| text.map(Message::as_it_stands);
    let number = |count: Option<u64>| plain(count.map(|n| n.to_string()));
    let percent = |share: f64| format!("{share:.0} %");
    let used = health.percentage_used.map(percent);
    let used = used.map(|used| of(used, health.percentage_used_of.clone().unwrap_or_default()));
    let temperature = health.temperature_celsius.map(|t| format!("{t} C"));
    let hours = health.power_on_hours.map(|h| format!("{h} h"));
    let error_rate = health.read_error_rate.map(|rate| {
        let rate = Argument::text(format_args!("{rate:.0}"));
        Message::new("health-error-rate", [("rate", rate)])
    });
    let erases = health.mean_erases.map(|n| format!("{n:.2}"));
    let capacity = health.capacity.map(|size| size.to_string());
    let read_by = format!("{} ({})", health.source, health.protocol);
    let rows = [
        ("model", plain(health.model.clone())),
        ("serial", plain(health.serial.clone())),
        ("firmware", plain(health.firmware.clone())),
        ("capacity", plain(capacity)),
        ("read by", plain(Some(read_by))),
        ("temperature", plain(temperature)),
        ("power-on time", plain(hours)),
        ("power cycles", number(health.power_cycles)),
        ("unsafe shutdowns", number(health.unsafe_shutdowns)),
        ("host read", health.host_read.as_ref().map(count)),
        ("host written", health.host_written.as_ref().map(count)),
        ("flash written", health.nand_written.as_ref().map(count)),
        ("endurance used", used),
        ("mean erases", plain(erases)),
        ("read error rate", error_rate),
        (
            "spare left",
            plain(health.available_spare_percent.map(percent)),
        ),
        ("reallocated", number(health.reallocated)),
        ("pending", number(health.pending)),
        ("uncorrectable", number(health.uncorrectable)),
        ("media errors", number(health.media_errors)),
        ("link errors", number(health.link_errors)),
        ("logged errors", number(health.logged_errors)),
        ("last self-test", health.self_test.as_ref().map(self_test)),
        (
            "failed self-test",
            health.failed_self_test.as_ref().map(self_test),
        ),
    ];
    let said = rows
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    let remarks = health.remarks.iter().map(|r| ("remark", r.clone()));
    said.chain(remarks).collect()
}

fn count(count: &ByteCount) -> Message {
    match count.bytes {
        Some(bytes) => of(decimal(bytes), count.of.clone()),
        None => count.of.clone(),
    }
}

/// A value, and which counter it is of, where that is known.
fn of(value: String, counter: Message) -> Message {
    match counter.is_empty() {
        true => Message::as_it_stands(value),
        false => {
            let value = ("value", value.into());
            Message::new("health-of", [value, ("counter", counter.into())])
        }
    }
}

fn self_test(test: &SelfTest) -> Message {
    let (kind, status) = (
        ("kind", (&test.kind).into()),
        ("status", (&test.status).into()),
    );
    match test.at_hours {
        Some(hours) => Message::new("health-test-at", [kind, status, ("hours", hours.into())]),
        None => Message::new("health-test", [kind, status]),
    }
}

/// Bytes as makers of drives count them: in powers of 1000.
fn decimal(bytes: Bytes) -> String {
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let value = bytes.get() as f64;
    match units.iter().find(|(_, size)| value >= *size) {
        Some((unit, size)) => format!("{:.2} {unit}", value / size),
        None => format!("{} B", bytes.get()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::Overall;

    #[test]
    fn the_text_says_what_was_said_and_nothing_else() {
        let health = Health {
            source: "smartctl 7.3, nvme".to_owned(),
            protocol: "NVMe".to_owned(),
            overall: Overall::Passed,
            temperature_celsius: Some(35),
            host_written: Some(ByteCount {
                bytes: Some(Bytes::new(33_588_269_056)),
                of: Message::as_it_stands("65602088 units"),
            }),
            ..Health::default()
        };
        let reading = HealthReading::Read {
            health: Box::new(health),
        };
        let told = told(&reading);
        assert_eq!((told.condition, told.remedy), ("good", None));
        let rows: Vec<(&str, &str)> = told.rows.iter().map(|(n, v)| (*n, v.as_str())).collect();
        assert_eq!(
            rows,
            [
                ("read by", "smartctl 7.3, nvme (NVMe)"),
                ("temperature", "35 C"),
                ("host written", "33.59 GB (65602088 units)"),
            ]
        );
    }

    #[test]
    fn an_unreadable_drive_is_unknown_with_the_reason_and_what_to_do() {
        let reading = HealthReading::Unreadable {
            reason: Message::as_it_stands("/dev/sdx: Permission denied"),
            remedy: Some(Message::as_it_stands("ask again as root")),
        };
        let told = told(&reading);
        assert_eq!(told.condition, "unknown");
        assert_eq!(told.reasons, ["/dev/sdx: Permission denied"]);
        assert_eq!(told.remedy.as_deref(), Some("ask again as root"));
        assert!(told.rows.is_empty());
    }
}
