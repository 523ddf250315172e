//! The sample's curves: humps, zones and stalls as real drives have them, all made up.

use base::io::Op;
use base::result::{Chart, ChartKind, Curve, Mark};
use base::rng::splitmix64;

use super::{Drive, OPS};

/// A value between 0 and 1 that is the same every time.
pub(super) fn noise(seed: u64) -> f64 {
    (splitmix64(seed) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Counts in twenty buckets a decade, a hump around the access time and a tail up to the worst.
fn histogram(drive: &Drive, op: Op, total: f64) -> Curve {
    let middle = libm::log10(drive.access[op as usize]);
    let last = libm::log10(drive.worst * 1e3);
    let first = ((middle - 0.3) * 20.0).floor() as i32;
    let buckets: Vec<f64> = (first..=(last * 20.0).ceil() as i32)
        .map(|bucket| f64::from(bucket) / 20.0)
        .collect();
    let count = |log: f64| {
        let distance = (log - middle) / 0.08;
        let hump = total * 0.2 * libm::exp(-distance * distance / 2.0);
        let seed = (log * 20.0) as u64 + 7 * op as u64 + drive.outer as u64;
        let tail = total * 4e-5 * noise(seed) * (last - log).max(0.05);
        (hump + tail).round()
    };
    Curve {
        name: op.name().to_owned(),
        y: buckets.iter().map(|log| Some(count(*log))).collect(),
        x: buckets
            .into_iter()
            .map(|log| libm::pow(10.0, log))
            .collect(),
        low: None,
        high: None,
    }
}

pub(super) fn response_chart(drive: &Drive, key: &str, total: f64) -> Chart {
    Chart {
        key: key.to_owned(),
        kind: ChartKind::Response,
        curves: OPS.iter().map(|op| histogram(drive, *op, total)).collect(),
        marks: Vec::new(),
    }
}

/// A disk falls from zone to zone, a flash drive is flat; now and then a stall pulls the band down.
pub(super) fn transfer(drive: &Drive, op: Op, positions: u64) -> Curve {
    let factor = if op == Op::Write { drive.write } else { 1.0 };
    let zones = 18.0;
    let mean = |i: u64| {
        let place = i as f64 / positions as f64;
        let zone = libm::pow((place * zones).floor() / zones, 1.25);
        let rate = drive.outer + (drive.inner - drive.outer) * zone;
        factor * rate * (0.99 + 0.02 * noise(i * 4 + op as u64))
    };
    let low = |i: u64| {
        let stall = if noise(i * 31 + op as u64 + drive.outer as u64) > 0.975 {
            0.35
        } else {
            0.95
        };
        Some(mean(i) * stall)
    };
    Curve {
        name: op.name().to_owned(),
        x: (0..positions)
            .map(|i| (drive.capacity.get() / positions * i) as f64)
            .collect(),
        y: (0..positions).map(|i| Some(mean(i))).collect(),
        low: Some((0..positions).map(low).collect()),
        high: Some((0..positions).map(|i| Some(mean(i) * 1.03)).collect()),
    }
}

pub(super) fn latency_chart(drive: &Drive, name: &str, base_ms: f64, worst_ms: f64) -> Chart {
    let points = 250_u64;
    let mean = |i: u64| base_ms * (0.9 + 0.25 * noise(i + drive.capacity.get()));
    let stall = |i: u64| (i % 83 == 41).then_some(worst_ms * (1.0 - 0.2 * (i / 83) as f64));
    let high = |i: u64| stall(i).unwrap_or(mean(i) * (1.2 + noise(i * 3 + 1)));
    let x = |i: u64| (i as f64 + 0.5) * 0.04;
    let marks = (0..points).filter_map(|i| {
        let y = stall(i)?;
        Some(Mark {
            x: x(i),
            y,
            label: format!(
                "read of 4 KiB at {} MiB: {y:.3} ms, beside 0 reads and 2 writes",
                i * 3
            ),
        })
    });
    Chart {
        key: format!("{name}.latency"),
        kind: ChartKind::Latency,
        curves: vec![Curve {
            name: "watch read".to_owned(),
            x: (0..points).map(x).collect(),
            y: (0..points).map(|i| Some(mean(i))).collect(),
            low: Some((0..points).map(|i| Some(mean(i))).collect()),
            high: Some((0..points).map(|i| Some(high(i))).collect()),
        }],
        marks: marks.collect(),
    }
}
