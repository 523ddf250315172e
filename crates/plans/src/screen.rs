//! The table `[screen]`: what each drive of a batch must keep to.
//!
//! A limit that no step of the plan measures would always hold, and look as if it had been checked: it is refused.

use base::health::Condition;
use base::{Bytes, Duration, Info, Settings};
use results::screening::Limits;
use serde::Deserializer;

use super::PlannedStep;
use super::reading::written;
use analysis::screening::ODD;

/// The table as written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScreenTable {
    #[serde(default, deserialize_with = "response")]
    response_max: Option<Duration>,
    #[serde(default, deserialize_with = "response")]
    response_p99: Option<Duration>,
    #[serde(default, deserialize_with = "response")]
    read_max: Option<Duration>,
    #[serde(default, deserialize_with = "response")]
    read_p99: Option<Duration>,
    #[serde(default, deserialize_with = "response")]
    write_max: Option<Duration>,
    #[serde(default, deserialize_with = "response")]
    write_p99: Option<Duration>,
    #[serde(default, deserialize_with = "percent")]
    curve_below_percent: Option<f64>,
    errors: Option<u64>,
    condition: Option<Condition>,
    reallocated: Option<u64>,
    pending: Option<u64>,
    uncorrectable: Option<u64>,
    #[serde(default, deserialize_with = "heat")]
    temperature_celsius: Option<i64>,
    #[serde(default, deserialize_with = "oddness")]
    odd: Option<f64>,
}

impl ScreenTable {
    /// The limits, for a plan of such steps; else why one of them never bites.
    pub(super) fn limits(&self, steps: &[PlannedStep], seed: u64) -> Result<Limits, String> {
        let limits = Limits {
            response_max: self.response_max,
            response_p99: self.response_p99,
            read_max: self.read_max,
            read_p99: self.read_p99,
            write_max: self.write_max,
            write_p99: self.write_p99,
            curve_below_percent: self.curve_below_percent,
            errors: self.errors,
            condition: self.condition,
            reallocated: self.reallocated,
            pending: self.pending,
            uncorrectable: self.uncorrectable,
            temperature_celsius: self.temperature_celsius,
            odd: self.odd.unwrap_or(ODD),
        };
        match unmeasured(&limits, steps, seed) {
            Some(why) => Err(why),
            None => Ok(limits),
        }
    }
}

/// A limit that no step of the plan gives a value for, in words: it would hold for every drive.
fn unmeasured(limits: &Limits, steps: &[PlannedStep], seed: u64) -> Option<String> {
    let any = Info {
        capacity: Bytes::gib(1_024),
        block: Bytes::SECTOR,
        max_in_flight: 32,
        writable: true,
    };
    let of = |step: &PlannedStep| {
        let method = methods::find(&step.method).ok()?;
        let settings = Settings::new(method.card(), step.scale, seed, &step.set).ok()?;
        Some(method.forecast(&settings, &any))
    };
    let reads = steps
        .iter()
        .filter_map(of)
        .any(|f| f.reads != Some(Bytes::ZERO));
    let writes = steps.iter().filter_map(of).any(|f| !f.written.is_empty());
    let curves = steps
        .iter()
        .any(|step| methods::WITH_TRANSFER_CURVES.contains(&step.method.as_str()));
    let asked = [
        ("read_max", limits.read_max.is_some(), reads),
        ("read_p99", limits.read_p99.is_some(), reads),
        ("write_max", limits.write_max.is_some(), writes),
        ("write_p99", limits.write_p99.is_some(), writes),
        (
            "curve_below_percent",
            limits.curve_below_percent.is_some(),
            curves,
        ),
    ];
    let (key, ..) = asked
        .into_iter()
        .find(|(_, asked, given)| *asked && !given)?;
    Some(format!(
        "[screen] {key}: the plan has no method that gives it, and every drive would keep to it"
    ))
}

fn response<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Duration>, D::Error> {
    let bounds = Duration::from_micros(1)..=Duration::from_secs(3_600);
    let takes = "a time from 1us to 1h, such as \"1s\"";
    written(value, takes, |time| bounds.contains(time))
}

fn percent<'de, D: Deserializer<'de>>(value: D) -> Result<Option<f64>, D::Error> {
    let bounds = 1.0..=100.0;
    written(value, "a share from 1 to 100", |number| {
        bounds.contains(number)
    })
}

fn heat<'de, D: Deserializer<'de>>(value: D) -> Result<Option<i64>, D::Error> {
    written(value, "degrees from 0 to 120", |heat| {
        (0..=120).contains(heat)
    })
}

fn oddness<'de, D: Deserializer<'de>>(value: D) -> Result<Option<f64>, D::Error> {
    let bounds = 1.0..=100.0;
    written(value, "a number from 1 to 100", |odd| bounds.contains(odd))
}

#[cfg(test)]
mod tests {
    use crate::file::parse;

    #[test]
    fn a_limit_that_no_step_can_measure_is_refused_where_it_stands() {
        let plan = |method: &str, limit: &str| {
            let text = format!("[[step]]\nmethod = {method}\n[screen]\n{limit}\n");
            parse("own", "own.toml", &text).map_err(|error| error.to_string())
        };
        let scan = "\"full-scan\"\nset = { ops = \"read\" }";
        for (method, limit, key) in [
            (scan, "write_max = \"1s\"", "write_max"),
            (scan, "write_p99 = \"1s\"", "write_p99"),
            (
                "\"quick-scan\"\nset = { ops = \"write\" }",
                "read_p99 = \"1s\"",
                "read_p99",
            ),
            (
                "\"latency-watch\"",
                "curve_below_percent = 5",
                "curve_below_percent",
            ),
        ] {
            let refused = plan(method, limit).unwrap_err();
            let says = format!("line 3: [screen] {key}: the plan has no method that gives it");
            assert!(
                refused.contains(&says) || refused.contains(&says.replace("line 3", "line 4")),
                "{refused}"
            );
        }
        assert!(plan(scan, "read_p99 = \"1s\"\ncurve_below_percent = 5").is_ok());
        assert!(plan("\"full-scan\"", "write_max = \"1s\"").is_ok());
    }
}
