//! What the sample's real drive says of its health around a watch: invented like the rest.

use base::health::{ByteCount, Health, HealthReading, HealthSample, Overall};
use base::result::{Chart, ChartKind, Curve, RunResult};
use base::size::Bytes;
use base::time::Duration;

/// What the drive's counter of host writes stands at before, and what each second adds.
const WRITTEN: u64 = 4_310_000_000_000;
const A_SECOND: u64 = 91_000_000;

/// Puts health before, during and after into a result.
pub(super) fn watched(result: &mut RunResult) {
    result.health_before = Some(reading(31, 0));
    result.health_after = Some(reading(44, 20));
    result.health_during = (0..=20_u64)
        .map(|second| HealthSample {
            at: Duration::from_secs(second),
            temperature_celsius: Some(heat(second)),
            host_written: Some(Bytes::new(WRITTEN + A_SECOND * second)),
        })
        .collect();
    result.charts.push(Chart {
        key: "temperature".to_owned(),
        kind: ChartKind::Temperature,
        curves: vec![Curve {
            name: "temperature".to_owned(),
            x: (0..=20).map(f64::from).collect(),
            y: (0..=20).map(|second| Some(heat(second) as f64)).collect(),
            low: None,
            high: None,
        }],
        marks: Vec::new(),
    });
}

fn heat(second: u64) -> i64 {
    44 - 13 * (20 - second as i64) / 20
}

fn reading(heat: i64, second: u64) -> HealthReading {
    HealthReading::Read {
        health: Box::new(Health {
            source: "smartctl 7.3, nvme".to_owned(),
            protocol: "NVMe".to_owned(),
            overall: Overall::Passed,
            temperature_celsius: Some(heat),
            power_on_hours: Some(1_204),
            host_written: Some(ByteCount {
                bytes: Some(Bytes::new(WRITTEN + A_SECOND * second)),
                of: "data units written".to_owned(),
            }),
            percentage_used: Some(3.0),
            media_errors: Some(0),
            ..Health::default()
        }),
    }
}
