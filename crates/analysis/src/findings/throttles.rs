//! It throttles: the drive became so hot that it slowed itself down.
//!
//! A bare M.2 drive heats by several degrees a second of full load; above its limit the firmware spaces commands. The
//! drive's own warning decides; a fall of the rate while it is hot suggests it.

use base::chart::designs;
use results::{ChangePoint, Quantity, RunResult, Statement};

use crate::answers::figures::{HOT, hottest, readings};

use super::{Evidence, Finding, Found, Severity, Sureness};

pub(super) const FINDING: Finding = Finding::new("throttles", Severity::Weakness, look);

/// What is left of the rate, at most.
const SHARE: f64 = 0.8;

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    evidence.results.iter().find_map(|result| {
        let hottest = hottest(result)?;
        let warned = warns_of_heat(result);
        let (before, after) = rise(result).or_else(|| fall(result))?;
        if !warned && hottest < HOT {
            return None;
        }
        let says = Statement::new("finding-throttles-says")
            .with("hottest", Quantity::Celsius(hottest as f64))
            .with("before", Quantity::MegabytesPerSecond(before))
            .with("after", Quantity::MegabytesPerSecond(after));
        Some(Found {
            sure: if warned {
                Sureness::Likely
            } else {
                Sureness::Possible
            },
            ..FINDING.found(says)
        })
    })
}

fn warns_of_heat(result: &RunResult) -> bool {
    let mut warnings = readings(result).flat_map(|health| &health.critical_warnings);
    warnings.any(|warning| warning.contains("temperature"))
}

/// Of a drive that was hot to begin with: where the rate over time rises since it cooled, as `(cool, hot)`.
fn rise(result: &RunResult) -> Option<(f64, f64)> {
    let before = result.health_before.as_ref()?.health()?;
    before.temperature_celsius.filter(|heat| *heat >= HOT)?;
    let mut points = over_time(result);
    let rose = points.find(|point| point.before < SHARE * point.after)?;
    Some((rose.after, rose.before))
}

/// Where the rate over time falls for good.
fn fall(result: &RunResult) -> Option<(f64, f64)> {
    let mut points = over_time(result);
    let fell = points.find(|point| point.after < SHARE * point.before)?;
    Some((fell.before, fell.after))
}

/// Where levels of a rate over time change.
fn over_time(result: &RunResult) -> impl Iterator<Item = &ChangePoint> {
    let is_over_time = |key: &str| {
        let mut charts = result.charts.iter();
        charts
            .any(|c| c.key == key && c.design.y.quantity == designs::RATE && c.design.x.unit == "s")
    };
    let points = result.change_points.iter();
    points.filter(move |point| is_over_time(&point.chart))
}
