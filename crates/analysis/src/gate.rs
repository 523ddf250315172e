//! Requirements of a gate: `METHOD.FIGURE <= LIMIT`, held against a result.
//!
//! A figure is an estimate. Where it has an interval, the whole interval must be on one side of the limit to decide the
//! requirement; where the limit is inside, more measuring would decide it, and neither "met" nor "not met" is said. A
//! figure without an interval (a count, a single run) is taken at its value. What is counted and the longest response are
//! taken of all repeats together.
//!
//! A limit has a unit wherever the figure has one that comes in several sizes, so that nobody passes a drive with 5 s who
//! meant 5 ms.

use base::exit::Exit;
use base::nearest::nearest;
use base::result::{Figure, Interval};
use results::gate::{GATE_SCHEMA, Gate, GateOutcome, GatedRequirement};
use results::{RunEnd, RunResult};

/// How a figure is compared with its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    AtMost,
    Below,
    AtLeast,
    Above,
    Equal,
    NotEqual,
}

/// As they are written; those of two characters first.
const SIGNS: [(&str, Sign); 9] = [
    ("<=", Sign::AtMost),
    (">=", Sign::AtLeast),
    ("==", Sign::Equal),
    ("!=", Sign::NotEqual),
    ("≤", Sign::AtMost),
    ("≥", Sign::AtLeast),
    ("<", Sign::Below),
    (">", Sign::Above),
    ("=", Sign::Equal),
];

impl Sign {
    /// As documents have it.
    pub const fn text(self) -> &'static str {
        match self {
            Sign::AtMost => "<=",
            Sign::Below => "<",
            Sign::AtLeast => ">=",
            Sign::Above => ">",
            Sign::Equal => "=",
            Sign::NotEqual => "!=",
        }
    }

    fn holds(self, value: f64, limit: f64) -> bool {
        // What a conversion of units does to a number is no difference.
        let equal = (value - limit).abs() <= limit.abs().max(value.abs()) * 1e-9;
        match self {
            Sign::AtMost => value < limit || equal,
            Sign::Below => value < limit && !equal,
            Sign::AtLeast => value > limit || equal,
            Sign::Above => value > limit && !equal,
            Sign::Equal => equal,
            Sign::NotEqual => !equal,
        }
    }
}

/// What units measure. Only units of one dimension are converted into each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dimension {
    Time,
    Rate,
    Size,
    Operations,
}

/// Units that come in several sizes, each in the dimension's own: seconds, bytes a second, bytes, I/Os a second.
const UNITS: [(&str, Dimension, f64); 31] = [
    ("ns", Dimension::Time, 1e-9),
    ("us", Dimension::Time, 1e-6),
    ("µs", Dimension::Time, 1e-6),
    ("ms", Dimension::Time, 1e-3),
    ("s", Dimension::Time, 1.0),
    ("min", Dimension::Time, 60.0),
    ("h", Dimension::Time, 3_600.0),
    ("B/s", Dimension::Rate, 1.0),
    ("kB/s", Dimension::Rate, 1e3),
    ("MB/s", Dimension::Rate, 1e6),
    ("GB/s", Dimension::Rate, 1e9),
    ("KiB/s", Dimension::Rate, 1_024.0),
    ("MiB/s", Dimension::Rate, 1_048_576.0),
    ("GiB/s", Dimension::Rate, 1_073_741_824.0),
    ("B", Dimension::Size, 1.0),
    ("kB", Dimension::Size, 1e3),
    ("MB", Dimension::Size, 1e6),
    ("GB", Dimension::Size, 1e9),
    ("TB", Dimension::Size, 1e12),
    ("KiB", Dimension::Size, 1_024.0),
    ("MiB", Dimension::Size, 1_048_576.0),
    ("GiB", Dimension::Size, 1_073_741_824.0),
    ("TiB", Dimension::Size, 1_099_511_627_776.0),
    ("IOPS", Dimension::Operations, 1.0),
    ("k", Dimension::Operations, 1e3),
    ("kIOPS", Dimension::Operations, 1e3),
    ("k IOPS", Dimension::Operations, 1e3),
    ("M", Dimension::Operations, 1e6),
    ("MIOPS", Dimension::Operations, 1e6),
    ("M IOPS", Dimension::Operations, 1e6),
    ("", Dimension::Operations, 1.0),
];

fn unit(name: &str) -> Option<(Dimension, f64)> {
    let found = UNITS.iter().find(|(unit, ..)| *unit == name)?;
    Some((found.1, found.2))
}

/// Why a requirement cannot be held against anything.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    #[error(
        "'{asked}' is no requirement: write METHOD.FIGURE, then <=, <, >=, >, = or !=, then a number with its unit, \
         such as 'latency-watch.alone.p99 <= 5ms'"
    )]
    NoRequirement { asked: String },
    #[error("'{asked}': no method is called '{method}'{meant}; `drivelab methods` lists them")]
    NoMethod {
        asked: String,
        method: String,
        /// `: did you mean ...?`, or nothing.
        meant: String,
    },
    #[error("'{asked}': {method} has no figure '{figure}'{meant}; it has {all}")]
    NoFigure {
        asked: String,
        method: String,
        figure: String,
        meant: String,
        all: String,
    },
    #[error("'{asked}': expected a limit in {unit}{example}, not '{limit}'")]
    Unit {
        asked: String,
        unit: String,
        /// ` or the like`, where there are several.
        example: &'static str,
        limit: String,
    },
    #[error("no requirement is given: add --require 'latency-watch.alone.p99 <= 5ms'")]
    Nothing,
}

fn meant(wanted: &str, known: &[String]) -> String {
    match nearest(wanted, known) {
        near if near.is_empty() => String::new(),
        near => format!(": did you mean {}?", near.join(" or ")),
    }
}

/// What a figure must be.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// As it was written.
    pub asked: String,
    /// The method that measures it.
    pub method: String,
    /// The figure's key.
    pub figure: String,
    sign: Sign,
    number: f64,
    unit: String,
}

impl Requirement {
    /// Reads one, of one of these methods.
    ///
    /// # Errors
    /// It is not of this form, or there is no such method.
    pub fn read(asked: &str, methods: &[String]) -> Result<Requirement, GateError> {
        let asked = asked.trim().to_owned();
        let wrong = || GateError::NoRequirement {
            asked: asked.clone(),
        };
        let first = asked
            .find(['<', '>', '=', '!', '≤', '≥'])
            .ok_or_else(wrong)?;
        let (name, rest) = asked.split_at(first);
        let (written, sign) = SIGNS
            .into_iter()
            .find(|(written, _)| rest.starts_with(written))
            .ok_or_else(wrong)?;
        let limit = rest[written.len()..].trim();
        let (number, unit) = limit.split_at(number_ends(limit));
        let number: f64 = number.replace('_', "").parse().map_err(|_| wrong())?;
        if !number.is_finite() || name.trim().ends_with('.') {
            return Err(wrong());
        }
        let (method, figure) = method_and_figure(name.trim(), methods).ok_or_else(|| {
            let method = name.trim().split('.').next().unwrap_or_default();
            GateError::NoMethod {
                asked: asked.clone(),
                method: method.to_owned(),
                meant: meant(method, methods),
            }
        })?;
        let unit = unit.trim().to_owned();
        Ok(Requirement {
            asked,
            method,
            figure,
            sign,
            number,
            unit,
        })
    }

    /// Whether a method that gives these figures has this one.
    ///
    /// # Errors
    /// It has not, with those that may be meant.
    pub fn is_among(&self, keys: &[String]) -> Result<(), GateError> {
        if keys.contains(&self.figure) {
            return Ok(());
        }
        Err(GateError::NoFigure {
            asked: self.asked.clone(),
            method: self.method.clone(),
            figure: self.figure.clone(),
            meant: meant(&self.figure, keys),
            all: keys.join(", "),
        })
    }

    /// Holds a figure against it.
    ///
    /// # Errors
    /// The limit's unit is not one of the figure's.
    pub fn check(&self, figure: &Figure) -> Result<GatedRequirement, GateError> {
        let limit = self.limit_in(&figure.unit)?;
        Ok(GatedRequirement {
            asked: self.asked.clone(),
            method: self.method.clone(),
            figure: self.figure.clone(),
            sign: self.sign.text(),
            limit,
            unit: figure.unit.clone(),
            value: figure.value,
            interval: figure.interval,
            why_not: figure.why_not.clone(),
            outcome: outcome(self.sign, limit, figure.value, figure.interval),
        })
    }

    /// The limit in the unit of a figure.
    ///
    /// # Errors
    /// It has another unit, or none where it must have one.
    pub fn limit_in(&self, of: &str) -> Result<f64, GateError> {
        let converted = match (unit(&self.unit), unit(of)) {
            (Some((given, size)), Some((dimension, own))) if given == dimension => {
                Some(self.number * size / own)
            }
            (_, None) if self.unit == of || self.unit.is_empty() => Some(self.number),
            _ => None,
        };
        converted.ok_or_else(|| GateError::Unit {
            asked: self.asked.clone(),
            unit: of.to_owned(),
            example: match unit(of) {
                Some((Dimension::Time, _)) => " or another unit of time",
                Some((Dimension::Rate, _)) => " or another unit of bytes a second",
                Some((Dimension::Size, _)) => " or another unit of bytes",
                _ => "",
            },
            limit: format!("{}{}", self.number, self.unit),
        })
    }
}

/// Where the number at the beginning of a limit ends, and its unit begins: `-1_000.5`, `1e-15`.
fn number_ends(limit: &str) -> usize {
    let after = |from: usize, inside: fn(char) -> bool| {
        let end = limit[from..].find(|c| !inside(c));
        end.map_or(limit.len(), |at| from + at)
    };
    let below_zero = usize::from(limit.starts_with('-'));
    let digits = after(below_zero, |c| c.is_ascii_digit() || c == '.' || c == '_');
    // No unit begins with an e and a number.
    let Some(exponent) = limit[digits..].strip_prefix(['e', 'E']) else {
        return digits;
    };
    let signed = usize::from(exponent.starts_with(['-', '+']));
    match exponent[signed..].starts_with(|c: char| c.is_ascii_digit()) {
        true => after(digits + 1 + signed, |c| c.is_ascii_digit()),
        false => digits,
    }
}

/// `full-scan.read.errors`: names of methods have no dots.
fn method_and_figure(name: &str, methods: &[String]) -> Option<(String, String)> {
    let (method, figure) = name.split_once('.')?;
    let known = methods.iter().any(|known| known == method);
    (known && !figure.is_empty()).then(|| (method.to_owned(), figure.to_owned()))
}

fn outcome(sign: Sign, limit: f64, value: Option<f64>, interval: Option<Interval>) -> GateOutcome {
    let Some(value) = value else {
        return GateOutcome::NotDecided;
    };
    let ends = interval.map_or([value; 2], |interval| [interval.low, interval.high]);
    // Between the ends a value may be the limit and may not, whatever it is at each of them.
    let is_between = ends[0] < ends[1] && ends[0] <= limit && limit <= ends[1];
    if is_between && matches!(sign, Sign::Equal | Sign::NotEqual) {
        return GateOutcome::NotDecided;
    }
    let [low, value, high] = [ends[0], value, ends[1]].map(|at| sign.holds(at, limit));
    match (low, value, high) {
        (true, true, true) => GateOutcome::Met,
        (false, false, false) => GateOutcome::NotMet,
        _ => GateOutcome::NotDecided,
    }
}

/// Holds the requirements against a drive's results. One whose method has no result is not decided.
///
/// # Errors
/// A figure that a method does not give, or a limit of another unit.
pub fn gate(
    target: &str,
    requirements: &[Requirement],
    results: &[RunResult],
) -> Result<Gate, GateError> {
    let mut checked = Vec::new();
    for requirement in requirements {
        let of_it = |result: &&RunResult| result.method == requirement.method;
        let Some(result) = results.iter().rfind(of_it) else {
            continue;
        };
        let keys: Vec<String> = result.figures.iter().map(|f| f.key.clone()).collect();
        // What ended early has not all of its figures: whether the drive meets the requirement is open.
        if matches!(result.ended, RunEnd::Early(_)) && !keys.contains(&requirement.figure) {
            continue;
        }
        requirement.is_among(&keys)?;
        for figure in result
            .figures
            .iter()
            .filter(|f| f.key == requirement.figure)
        {
            checked.push(requirement.check(&judged(result, figure))?);
        }
    }
    let outcomes = checked.iter().map(|requirement| requirement.outcome);
    Ok(Gate {
        schema: GATE_SCHEMA,
        target: target.to_owned(),
        title: (results.first()).map_or_else(String::new, |result| result.target.title.to_string()),
        outcome: outcomes.max().unwrap_or(GateOutcome::NotDecided),
        requirements: checked,
    })
}

/// A figure as it counts: one stall in one of several repeats is one, though their median is none.
fn judged(result: &RunResult, figure: &Figure) -> Figure {
    let interval = figure.interval.filter(|_| !result.hides_repeats(figure));
    Figure {
        value: result.in_all_repeats(figure),
        interval,
        ..figure.clone()
    }
}

/// Why a gate does not let a drive through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotThrough {
    #[error("{count} of {asked} requirements are not met")]
    NotMet { count: usize, asked: usize },
    #[error("{count} of {asked} requirements are not decided, and the others are met")]
    NotDecided { count: usize, asked: usize },
    #[error("a requirement has no result: its method is not among the stored results")]
    NoResult,
}

impl NotThrough {
    /// What a command ends with.
    pub const fn exit(self) -> Exit {
        match self {
            NotThrough::NotMet { .. } => Exit::Rejected,
            NotThrough::NotDecided { .. } => Exit::Suspect,
            NotThrough::NoResult => Exit::Failed,
        }
    }
}

/// Whether a gate lets its drive through; `asked` is how many requirements were given.
///
/// # Errors
/// [`NotThrough`].
pub fn is_met(gate: &Gate, asked: usize) -> Result<(), NotThrough> {
    let count = |outcome: GateOutcome| {
        let of_it = gate.requirements.iter().filter(|r| r.outcome == outcome);
        of_it.count()
    };
    match gate.outcome {
        GateOutcome::Met if gate.requirements.len() >= asked => Ok(()),
        GateOutcome::Met => Err(NotThrough::NoResult),
        GateOutcome::NotMet => Err(NotThrough::NotMet {
            count: count(GateOutcome::NotMet),
            asked,
        }),
        GateOutcome::NotDecided => Err(NotThrough::NotDecided {
            count: count(GateOutcome::NotDecided),
            asked,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::result::{Better, Comparable};

    fn methods() -> Vec<String> {
        ["latency-watch", "full-scan"].map(str::to_owned).to_vec()
    }

    fn figure(unit: &str, value: Option<f64>, interval: Option<(f64, f64)>) -> Figure {
        Figure {
            key: "alone.p99".to_owned(),
            value,
            why_not: None,
            unit: unit.to_owned(),
            better: Better::Lower,
            statistic: "p99".into(),
            n: 1_000,
            interval: interval.map(|(low, high)| Interval {
                low,
                high,
                confidence_percent: 95.0,
            }),
            phases: Vec::new(),
            comparable_by: Comparable::default(),
        }
    }

    fn said(asked: &str, figure: &Figure) -> Result<GateOutcome, String> {
        let requirement = Requirement::read(asked, &methods()).map_err(|e| e.to_string())?;
        let checked = requirement.check(figure).map_err(|e| e.to_string())?;
        Ok(checked.outcome)
    }

    #[test]
    fn a_limit_is_converted_into_the_figures_unit() {
        let one_ms = figure("us", Some(1_000.0), None);
        for asked in [
            "<= 1ms",
            "<= 1000 us",
            "= 0.001 s",
            ">= 1ms",
            "< 1.1 ms",
            "!= 2 ms",
            "≤1 ms",
            "= 1e-3s",
            "= 1E3 us",
        ] {
            let asked = format!("latency-watch.alone.p99 {asked}");
            assert_eq!(said(&asked, &one_ms), Ok(GateOutcome::Met), "{asked}");
        }
        for asked in ["< 1ms", "> 1 ms", "= 2ms", "!= 1 ms"] {
            let asked = format!("latency-watch.alone.p99{asked}");
            assert_eq!(said(&asked, &one_ms), Ok(GateOutcome::NotMet), "{asked}");
        }
        let rate = figure("MB/s", Some(3_500.0), None);
        assert_eq!(said("full-scan.x >= 3.2GiB/s", &rate), Ok(GateOutcome::Met));
        let operations = figure("IOPS", Some(250_000.0), None);
        assert_eq!(
            said("full-scan.x >= 249k", &operations),
            Ok(GateOutcome::Met)
        );
        assert_eq!(
            said("full-scan.x >= 1 M IOPS", &operations),
            Ok(GateOutcome::NotMet)
        );
        let slope = figure("%", Some(-3.0), None);
        assert_eq!(said("full-scan.x >= -5 %", &slope), Ok(GateOutcome::Met));
        let errors = figure("count", Some(0.0), None);
        assert_eq!(said("full-scan.x = 0", &errors), Ok(GateOutcome::Met));
        assert_eq!(said("full-scan.x = 0 count", &errors), Ok(GateOutcome::Met));
    }

    /// The median of [0, 0, 2] is none, and so is the lower end of any interval of it.
    #[test]
    fn what_is_counted_in_one_of_several_repeats_counts() {
        let mut result = fixtures::results::review().swap_remove(0);
        let counted = Figure {
            statistic: "median of repeats of: count".into(),
            ..figure("count", Some(0.0), Some((0.0, 2.0)))
        };
        assert_eq!(judged(&result, &counted), counted);
        let values = [(counted.key.clone(), vec![0.0, 0.0, 2.0])];
        result.repeats = Some(results::Repeats {
            values: values.into(),
            ..results::Repeats::default()
        });
        let judged = judged(&result, &counted);
        assert_eq!((judged.value, judged.interval), (Some(2.0), None));
        // A percentile is the median of its repeats.
        let percentile = figure("ms", Some(5.0), Some((4.0, 6.0)));
        assert_eq!(super::judged(&result, &percentile), percentile);
    }

    #[test]
    fn a_limit_inside_the_interval_decides_nothing_and_so_does_a_figure_without_a_value() {
        let around = figure("ms", Some(5.0), Some((4.0, 6.0)));
        let of = |limit: &str| said(&format!("full-scan.x <= {limit}"), &around);
        assert_eq!(of("6ms"), Ok(GateOutcome::Met));
        assert_eq!(of("5.5ms"), Ok(GateOutcome::NotDecided));
        assert_eq!(of("4.5ms"), Ok(GateOutcome::NotDecided));
        assert_eq!(of("3.9ms"), Ok(GateOutcome::NotMet));
        let equal = |asked: &str| said(&format!("full-scan.x {asked}"), &around);
        assert_eq!(equal("= 5ms"), Ok(GateOutcome::NotDecided));
        assert_eq!(equal("!= 5.5ms"), Ok(GateOutcome::NotDecided));
        assert_eq!(equal("!= 7ms"), Ok(GateOutcome::Met));
        assert_eq!(equal("= 7ms"), Ok(GateOutcome::NotMet));
        let none = figure("ms", None, None);
        assert_eq!(
            said("full-scan.x <= 5ms", &none),
            Ok(GateOutcome::NotDecided)
        );
    }

    #[test]
    fn a_limit_without_its_unit_or_with_another_dimension_is_refused_with_what_was_expected() {
        let time = figure("ms", Some(5.0), None);
        for limit in ["5", "5 MB/s", "5 parsecs", "5k"] {
            let error = said(&format!("full-scan.x <= {limit}"), &time).unwrap_err();
            assert!(
                error.contains("expected a limit in ms or another unit of time"),
                "{error}"
            );
        }
        let errors = figure("count", Some(0.0), None);
        assert!(said("full-scan.x = 0 ms", &errors).is_err());
    }

    #[test]
    fn what_is_no_requirement_is_told_with_an_example_and_a_slip_with_what_was_meant() {
        for asked in [
            "",
            "full-scan.x",
            "full-scan.x <= ",
            "full-scan.x <= fast",
            "full-scan.x <= 1.2.3 ms",
        ] {
            let error = Requirement::read(asked, &methods())
                .unwrap_err()
                .to_string();
            assert!(error.contains("is no requirement"), "{asked}: {error}");
        }
        let error = Requirement::read("latency-wach.x = 1", &methods())
            .unwrap_err()
            .to_string();
        assert!(error.contains("did you mean latency-watch?"), "{error}");
        let known = Requirement::read("latency-watch.alon.p99 = 1 ms", &methods()).unwrap();
        let error = known
            .is_among(&["alone.p99".to_owned()])
            .unwrap_err()
            .to_string();
        assert!(error.contains("did you mean alone.p99?"), "{error}");
    }
}
