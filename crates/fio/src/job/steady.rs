//! `steadystate`: a job ends when its rate no longer changes; `latency_target`: its depth is what a latency target
//! allows.

use base::time::Duration;

use super::{Options, Read};

/// When a rate is steady.
#[derive(Clone, Debug, PartialEq)]
pub struct Steady {
    /// As it was given, with the limit in six digits: `iops:10.000000%`.
    pub name: String,
    /// Of bytes a second, not I/Os.
    pub of_bytes: bool,
    /// By the slope of a line through the samples, not by the largest deviation from the mean.
    pub by_slope: bool,
    /// Steady below this.
    pub limit: f64,
    /// The limit is in per cent of the mean.
    pub in_percent: bool,
    /// So many samples, one a second.
    pub samples: usize,
    /// None are taken before.
    pub ramp: Duration,
}

/// Which depth is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyTarget {
    /// I/Os that take longer are too slow.
    pub most: Duration,
    /// Duration of a trial of one depth.
    pub window: Duration,
    /// Per cent of I/Os that must be fast enough.
    pub percent: f64,
    /// Continues after the result.
    pub goes_on: bool,
}

/// Maximum number of samples: a day of seconds.
const MOST_SAMPLES: u64 = 86_400;

pub(super) fn steady(o: &mut Options<'_>) -> Option<Steady> {
    let time = o
        .time("steadystate_duration", 1_000_000)
        .unwrap_or(Duration::ZERO);
    let ramp = o
        .time("steadystate_ramp_time", 1_000_000)
        .unwrap_or(Duration::ZERO);
    let samples = time.as_nanos() / 1_000_000_000;
    let steady = o.take("steadystate", None, |text, _| criterion(text).map(Some));
    if steady.is_some() && !(1..=MOST_SAMPLES).contains(&samples) {
        o.wrong(
            "steadystate",
            "it needs steadystate_duration=..., of a second to a day".to_owned(),
        );
    }
    steady.map(|steady| Steady {
        samples: samples.clamp(1, MOST_SAMPLES) as usize,
        ramp,
        ..steady
    })
}

fn criterion(text: &str) -> Read<Steady> {
    let (name, limit) = text
        .split_once(':')
        .ok_or("it is CRITERION:LIMIT, such as iops:0.1%")?;
    let (of_bytes, by_slope) = match name {
        "iops" => (false, false),
        "iops_slope" => (false, true),
        "bw" => (true, false),
        "bw_slope" => (true, true),
        _ => {
            return Err(format!(
                "'{name}' is none of iops, iops_slope, bw, bw_slope"
            ));
        }
    };
    let (number, in_percent) = match limit.strip_suffix('%') {
        Some(number) => (number, true),
        None => (limit, false),
    };
    let limit = number
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|n| n.is_finite() && *n >= 0.0);
    let limit = limit.ok_or_else(|| format!("'{number}' is not a limit"))?;
    Ok(Steady {
        name: format!("{name}:{limit:.6}{}", if in_percent { "%" } else { "" }),
        of_bytes,
        by_slope,
        limit,
        in_percent,
        samples: 1,
        ramp: Duration::ZERO,
    })
}

pub(super) fn latency_target(o: &mut Options<'_>) -> Option<LatencyTarget> {
    let most = o.time("latency_target", 1).filter(|time| !time.is_zero());
    let window = o.time("latency_window", 1).filter(|time| !time.is_zero());
    let percent = o.take("latency_percentile", 100.0, |text, _| {
        let read = text.trim().parse::<f64>().ok();
        read.filter(|n| (0.0..=100.0).contains(n))
            .ok_or_else(|| format!("'{text}' is not from 0 to 100"))
    });
    let goes_on = o.flag("latency_run", false);
    Some(LatencyTarget {
        most: most?,
        window: window.unwrap_or(Duration::ZERO),
        percent,
        goes_on,
    })
}
