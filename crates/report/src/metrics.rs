//! Figures as OpenMetrics text, for node_exporter's textfile collector.
//!
//! Metrics have base units, as Prometheus asks: seconds, bytes, bytes a second, ratios from 0 to 1. Every figure is a
//! gauge of its unit's family with the figure's key as a label; response times are histograms with fixed buckets, so that
//! those of many drives can be summed. Only gauges and histograms are used: for these OpenMetrics and the older text
//! format that the collector reads agree. No series comes twice, since the collector would refuse it: of two results of
//! a drive and a method the later one is exported. A run of many phases (a scan has hundreds) has one histogram for all of
//! them, labelled `all`, since each histogram is some twenty series.
//!
//! Sources: OpenMetrics 1.0 (exposition format); Prometheus, "Metric and label naming".

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use base::health::{ByteCount, Condition, Health, HealthReading};
use base::{Duration, Latencies, PhaseRecord};
use results::RunResult;
use results::health::HealthReport;

use crate::hdr_log::histograms;

/// A metric family: its name, type, help and samples.
#[derive(Default)]
struct Families(BTreeMap<&'static str, Family>);

struct Family {
    kind: &'static str,
    help: &'static str,
    /// Each series with its value, in order of first occurrence.
    samples: Vec<(String, String)>,
    places: HashMap<String, usize>,
}

impl Families {
    fn family(
        &mut self,
        name: &'static str,
        kind: &'static str,
        help: &'static str,
    ) -> &mut Family {
        self.0.entry(name).or_insert_with(|| Family {
            kind,
            help,
            samples: Vec::new(),
            places: HashMap::new(),
        })
    }

    fn gauge(&mut self, name: &'static str, help: &'static str, labels: &Labels, value: f64) {
        let series = format!("{name}{}", labels.text());
        self.family(name, "gauge", help)
            .set(series, value.to_string());
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for (name, family) in &self.0 {
            let _ = writeln!(out, "# HELP {name} {}", family.help);
            let _ = writeln!(out, "# TYPE {name} {}", family.kind);
            for (series, value) in &family.samples {
                let _ = writeln!(out, "{series} {value}");
            }
        }
        out.push_str("# EOF\n");
        out
    }
}

impl Family {
    /// Sets a series, or replaces its value.
    fn set(&mut self, series: String, value: String) {
        match self.places.get(&series) {
            Some(&at) => self.samples[at].1 = value,
            None => {
                self.places.insert(series.clone(), self.samples.len());
                self.samples.push((series, value));
            }
        }
    }
}

/// Labels of a sample, in order.
#[derive(Clone, Default)]
struct Labels(Vec<(&'static str, String)>);

impl Labels {
    fn and(&self, name: &'static str, value: &str) -> Labels {
        let mut all = self.clone();
        all.0.push((name, value.to_owned()));
        all
    }

    fn text(&self) -> String {
        let each = self.0.iter().map(|(name, value)| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            let value = value.replace('\n', "\\n");
            format!("{name}=\"{value}\"")
        });
        format!("{{{}}}", each.collect::<Vec<_>>().join(","))
    }
}

/// The labels of a drive: they identify it even after its device name has changed.
fn drive<K: Borrow<str> + Ord>(target: &str, identity: &BTreeMap<K, String>) -> Labels {
    let of = |key: &str| identity.get(key).map_or("", String::as_str);
    let labels = Labels::default().and("target", target);
    let labels = labels.and("model", of("model")).and("serial", of("serial"));
    labels.and("firmware", of("firmware"))
}

/// The figures and response times of results, and the drives' health as they left it.
pub fn of_results(results: &[RunResult]) -> String {
    let mut families = Families::default();
    for result in results {
        let labels = drive(&result.target.name, &result.target.identity);
        let labels = labels.and("method", &result.method);
        if result.began_unix_ms > 0 {
            families.gauge(
                "drivelab_run_start_time_seconds",
                "When the run began, in seconds of the Unix epoch.",
                &labels,
                result.began_unix_ms as f64 / 1e3,
            );
        }
        figures(&mut families, &labels, result);
        responses(&mut families, &labels, &result.phases);
        if let Some(reading) = &result.health_after {
            let labels = drive(&result.target.name, &result.target.identity);
            health(&mut families, &labels, reading);
        }
    }
    families.text()
}

/// The health of the drives of a target.
pub fn of_health(report: &HealthReport) -> String {
    let mut families = Families::default();
    for one in &report.drives {
        health(
            &mut families,
            &drive(&one.device, &one.identity),
            &one.reading,
        );
    }
    families.text()
}

/// The family of a figure's unit, its help, and what its value is multiplied by.
fn family(unit: &str) -> Option<(&'static str, &'static str, f64)> {
    const SECONDS: (&str, &str) = (
        "drivelab_figure_seconds",
        "Figures of methods that are times.",
    );
    const BYTES: (&str, &str) = (
        "drivelab_figure_bytes",
        "Figures of methods that are sizes.",
    );
    const RATE: (&str, &str) = (
        "drivelab_figure_bytes_per_second",
        "Figures of methods that are transfer rates.",
    );
    const RATIO: (&str, &str) = (
        "drivelab_figure_ratio",
        "Figures of methods that are shares.",
    );
    const NUMBER: (&str, &str) = (
        "drivelab_figure_value",
        "Figures of methods that are counts, IOPS or scores.",
    );
    let ((name, help), factor) = match unit {
        "ns" => (SECONDS, 1e-9),
        "us" => (SECONDS, 1e-6),
        "ms" => (SECONDS, 1e-3),
        "s" => (SECONDS, 1.0),
        "MB" => (BYTES, 1e6),
        "GB" => (BYTES, 1e9),
        "MiB" => (BYTES, 1_048_576.0),
        "GiB" => (BYTES, 1_073_741_824.0),
        "MB/s" => (RATE, 1e6),
        "MiB/s" => (RATE, 1_048_576.0),
        "%" => (RATIO, 0.01),
        "count" | "IOPS" | "I/Os" | "points" | "per min" | "x" | "ratio" | "of 100" => {
            (NUMBER, 1.0)
        }
        _ => return None,
    };
    Some((name, help, factor))
}

fn figures(families: &mut Families, labels: &Labels, result: &RunResult) {
    for figure in &result.figures {
        let Some((value, (name, help, factor))) = figure.value.zip(family(&figure.unit)) else {
            continue;
        };
        let mut labels = labels.and("figure", &figure.key);
        if name == "drivelab_figure_value" {
            labels = labels.and("unit", &figure.unit);
        }
        families.gauge(name, help, &labels, value * factor);
    }
}

/// Up to this many phases have a histogram each.
const MOST_PHASES: usize = 16;

/// The response times of each phase, or of all of them together where there are many.
fn responses(families: &mut Families, labels: &Labels, phases: &[PhaseRecord]) {
    if phases.len() <= MOST_PHASES {
        for phase in phases {
            let labels = labels.and("phase", &phase.name);
            for (op, times) in histograms(phase) {
                histogram(families, &labels.and("op", op.name()), &times);
            }
        }
        return;
    }
    let mut all: BTreeMap<&str, Latencies> = BTreeMap::new();
    for (op, times) in phases.iter().flat_map(histograms) {
        all.entry(op.name()).or_default().merge(&times);
    }
    for (op, times) in all {
        histogram(families, &labels.and("phase", "all").and("op", op), &times);
    }
}

/// Upper edges of the buckets: 1, 2 and 5 in each decade from 10 us to 10 s.
fn edges() -> impl Iterator<Item = Duration> {
    let decades = (0..6).flat_map(|decade| [1, 2, 5].map(|step| step * 10_u64.pow(decade + 4)));
    decades.chain([10_u64.pow(10)]).map(Duration::from_nanos)
}

/// A latency counts at the middle of its recorded bucket; buckets are at most 1/128 wide.
fn histogram(families: &mut Families, labels: &Labels, times: &Latencies) {
    const NAME: &str = "drivelab_io_response_seconds";
    const HELP: &str = "Response times of the I/Os of a phase.";
    let family = families.family(NAME, "histogram", HELP);
    let mut add = |suffix: &str, labels: &Labels, value: String| {
        family.set(format!("{NAME}{suffix}{}", labels.text()), value);
    };
    for edge in edges() {
        let within = times
            .buckets()
            .filter(|(low, width, _)| low.as_nanos() + width.as_nanos() / 2 <= edge.as_nanos());
        let count: u64 = within.map(|(.., count)| count).sum();
        add(
            "_bucket",
            &labels.and("le", &edge.as_secs_f64().to_string()),
            count.to_string(),
        );
    }
    add(
        "_bucket",
        &labels.and("le", "+Inf"),
        times.count().to_string(),
    );
    let mean = times.mean().map_or(0.0, Duration::as_secs_f64);
    add("_sum", labels, (mean * times.count() as f64).to_string());
    add("_count", labels, times.count().to_string());
}

fn health(families: &mut Families, labels: &Labels, reading: &HealthReading) {
    for (condition, name) in [
        (Condition::Good, "good"),
        (Condition::Unknown, "unknown"),
        (Condition::Suspect, "suspect"),
        (Condition::Failing, "failing"),
    ] {
        families.gauge(
            "drivelab_health_condition",
            "1 for the drive's condition, 0 for the others.",
            &labels.and("condition", name),
            f64::from(u8::from(reading.assess().condition == condition)),
        );
    }
    if let Some(health) = reading.health() {
        for (name, help, value) in COUNTERS {
            if let Some(value) = value(health) {
                families.gauge(name, help, labels, value);
            }
        }
    }
}

/// A metric of a drive's health: its name, its help, and its value.
type Counter = (&'static str, &'static str, fn(&Health) -> Option<f64>);

/// The values that a drive reports, in base units.
const COUNTERS: [Counter; 14] = [
    (
        "drivelab_health_temperature_celsius",
        "Temperature.",
        |health| health.temperature_celsius.map(|t| t as f64),
    ),
    (
        "drivelab_health_power_on_seconds",
        "Time powered on.",
        |health| health.power_on_hours.map(|h| h as f64 * 3_600.0),
    ),
    ("drivelab_health_power_cycles", "Power cycles.", |health| {
        count(health.power_cycles)
    }),
    (
        "drivelab_health_unsafe_shutdowns",
        "Shutdowns without notice.",
        |health| count(health.unsafe_shutdowns),
    ),
    (
        "drivelab_health_host_read_bytes",
        "Bytes read by the host.",
        |health| bytes(health.host_read.as_ref()),
    ),
    (
        "drivelab_health_host_written_bytes",
        "Bytes written by the host.",
        |health| bytes(health.host_written.as_ref()),
    ),
    (
        "drivelab_health_flash_written_bytes",
        "Bytes written to flash.",
        |health| bytes(health.nand_written.as_ref()),
    ),
    (
        "drivelab_health_endurance_used_ratio",
        "Share of the rated endurance that is used.",
        |health| health.percentage_used.map(|p| p / 100.0),
    ),
    (
        "drivelab_health_spare_ratio",
        "Share of the spare blocks that is left.",
        |health| health.available_spare_percent.map(|p| p / 100.0),
    ),
    (
        "drivelab_health_reallocated_sectors",
        "Sectors or blocks that were replaced.",
        |health| count(health.reallocated),
    ),
    (
        "drivelab_health_pending_sectors",
        "Sectors that wait to be replaced.",
        |health| count(health.pending),
    ),
    (
        "drivelab_health_uncorrectable_errors",
        "Errors that could not be corrected.",
        |health| count(health.uncorrectable),
    ),
    (
        "drivelab_health_media_errors",
        "Media and data integrity errors.",
        |health| count(health.media_errors),
    ),
    (
        "drivelab_health_link_errors",
        "CRC errors of the link.",
        |health| count(health.link_errors),
    ),
];

fn count(value: Option<u64>) -> Option<f64> {
    value.map(|value| value as f64)
}

fn bytes(count: Option<&ByteCount>) -> Option<f64> {
    let bytes = count.and_then(|count| count.bytes);
    bytes.map(|bytes| bytes.get() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_label_may_not_hold_is_escaped_and_each_family_has_its_help_once() {
        let mut families = Families::default();
        let labels = drive("a\"b\\c\nd", &BTreeMap::<String, String>::new());
        families.gauge("drivelab_x", "An x.", &labels, 1.5);
        families.gauge("drivelab_x", "An x.", &labels, 2.0);
        families.gauge("drivelab_x", "An x.", &labels.and("b", ""), 3.0);
        let text = families.text();
        let values: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split("} ").nth(1))
            .collect();
        assert_eq!(
            values,
            ["2", "3"],
            "a series comes once, with its later value"
        );
        assert_eq!(text.matches("# HELP drivelab_x An x.").count(), 1);
        assert!(
            text.contains("target=\"a\\\"b\\\\c\\nd\",model=\"\""),
            "{text}"
        );
        assert!(text.ends_with("# EOF\n"));
        assert!(
            text.lines()
                .all(|line| line.starts_with('#') || line.starts_with("drivelab_x{"))
        );
    }

    #[test]
    fn the_dashboard_shows_only_metrics_that_are_written() {
        let dashboard = include_str!("../../../packaging/grafana/drivelab.json");
        let mut written: Vec<&str> = COUNTERS.iter().map(|(name, ..)| *name).collect();
        written.extend(["ms", "MB", "MB/s", "%", "count"].map(|unit| family(unit).unwrap().0));
        written.extend([
            "drivelab_health_condition",
            "drivelab_io_response_seconds_bucket",
        ]);
        let is_word = |c: char| c.is_ascii_lowercase() || c == '_';
        let shown: Vec<&str> = (dashboard.match_indices("drivelab_"))
            .map(|(at, _)| {
                let rest = &dashboard[at..];
                &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())]
            })
            .collect();
        assert!(shown.len() > 5);
        for name in shown {
            assert!(written.contains(&name), "{name}");
        }
    }

    #[test]
    fn buckets_count_what_is_within_them_and_the_last_holds_all() {
        let mut times = Latencies::default();
        for micros in [5, 15, 15, 150, 20_000_000] {
            times.keep(Duration::from_micros(micros));
        }
        let mut families = Families::default();
        histogram(&mut families, &Labels::default().and("op", "read"), &times);
        let text = families.text();
        let count = |le: &str| {
            let line = text
                .lines()
                .find(|line| line.contains(&format!("le=\"{le}\"")));
            line.unwrap().rsplit(' ').next().unwrap().to_owned()
        };
        let counts = ["0.00001", "0.00002", "0.0002", "10", "+Inf"].map(count);
        assert_eq!(counts, ["1", "3", "4", "4", "5"]);
        assert!(text.contains("_count{op=\"read\"} 5"), "{text}");
    }
}
