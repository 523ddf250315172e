//! Fits a drive's file to its own data sheet: the values of its kind that determine a rated figure are moved, within
//! the range of the kind, until the model has that figure.
//!
//! A kind says which value determines a figure (`[kind.fits]`): rates of random I/Os follow from the controller's time
//! per command, sequential rates from the link, the buses or the programs, steady random writes from the spare flash.
//! Each figure is a search along one value, with which the model's figure rises or falls; if the range of the kind does
//! not reach the figure, the next value is tried. Values that a file marks as published or construction are not
//! changed.

use sim::catalogue::kind::KindHead;
use sim::catalogue::rated::{RatedFigure, RatedValue};
use sim::catalogue::{CatalogueError, DriveSheet, ModelOptions, describe, ratings};
use sim::sheet::{FittedBy, Row, Source};

use base::interrupt::Interrupt;
use base::method::Scale;
use lab::LabError;
use results::rated::{RATED_FIT_SCHEMA, RatedFit, RatedOutcome, RatedParameter};
use targets::Consent;

use crate::compare::run::simulate;
use crate::error::AccuracyError;
use crate::experiments::Experiment;

/// A figure within this share of its rating is met.
const MET: f64 = 0.03;

/// A search ends where the figure is so near.
const NEAR: f64 = 0.003;

/// Most figures along one value.
const MOST_STEPS: usize = 14;

/// Whether a drive's file is fitted to its own data sheet: one that has rated figures, and any user's file; a family
/// table (`rows-002`) has none.
///
/// # Errors
/// Where a file of one's own is wrong.
pub fn is_rated(drive: &str) -> Result<bool, AccuracyError> {
    match ratings(drive, &ModelOptions::default()) {
        // A file of one's own has no published figures beside: it is fitted to what it rates, or not at all.
        Ok((rated, _)) => Ok(!rated.figures().is_empty() || drive.ends_with(".toml")),
        Err(CatalogueError::Unknown { .. }) => Ok(false),
        Err(wrong) => Err(wrong.into()),
    }
}

/// Fits a drive's own file to its rated figures. Nothing is written.
///
/// # Errors
/// If there is no such drive, it has no ratings, a run fails, or a stop is requested.
pub fn fit_to_ratings(
    drive: &str,
    seed: u64,
    interrupt: &Interrupt,
) -> Result<RatedFit, AccuracyError> {
    let (rated, kind) = ratings(drive, &ModelOptions::default())?;
    let figures = rated.figures();
    if figures.is_empty() {
        return Err(AccuracyError::Calibrate(format!(
            "{drive} has no ratings: add those of its data sheet under [rated]"
        )));
    }
    let sheet = describe(drive)?;
    let mut search = Search {
        drive,
        sheet: &sheet,
        kind: kind.as_ref(),
        seed,
        interrupt,
        parameters: Vec::new(),
        runs: 0,
    };
    let mut outcomes = Vec::new();
    for (figure, value) in &figures {
        outcomes.push(search.bring(*figure, value)?);
    }
    // A value that one figure moved may have moved another.
    for (outcome, (figure, value)) in outcomes.iter_mut().zip(&figures) {
        outcome.after = search.simulated(*figure, value)?;
        outcome.error = outcome.after / outcome.rated - 1.0;
        if outcome.error.abs() <= MET {
            outcome.why = None;
        } else if outcome.why.is_none() {
            outcome.why = Some("a value that another figure asked for moved it".to_owned());
        }
    }
    let runs = search.runs;
    Ok(RatedFit {
        schema: RATED_FIT_SCHEMA,
        drive: drive.to_owned(),
        parameters: search.parameters,
        figures: outcomes,
        runs,
    })
}

/// What a figure is simulated by.
struct Search<'a> {
    drive: &'a str,
    sheet: &'a DriveSheet,
    kind: Option<&'a KindHead>,
    seed: u64,
    interrupt: &'a Interrupt,
    /// The values that were moved so far.
    parameters: Vec<RatedParameter>,
    runs: usize,
}

impl Search<'_> {
    /// Moves one value after the other until the model has a figure.
    fn bring(
        &mut self,
        figure: RatedFigure,
        value: &RatedValue,
    ) -> Result<RatedOutcome, AccuracyError> {
        let before = self.simulated(figure, value)?;
        let mut after = before;
        let mut tried = Vec::new();
        for key in self.keys(figure) {
            if near(after, value.get()) {
                break;
            }
            let Some(free) = self.free(&key, figure) else {
                continue;
            };
            tried.push(key);
            after = self.along(free, figure, value, after)?;
        }
        let error = after / value.get() - 1.0;
        Ok(RatedOutcome {
            key: figure.key().to_owned(),
            conditions: conditions(self.sheet, figure, value),
            rated: value.get(),
            before,
            after,
            error,
            why: (error.abs() > MET).then(|| why_not(&tried)),
        })
    }

    fn keys(&self, figure: RatedFigure) -> Vec<String> {
        let fits = self.kind.and_then(|kind| kind.fits.get(figure.key()));
        fits.cloned().unwrap_or_default()
    }

    /// A value that may be moved: of the class, or moved for this figure before.
    fn free(&self, key: &str, figure: RatedFigure) -> Option<RatedParameter> {
        if self.parameters.iter().any(|moved| moved.key == key) {
            return None;
        }
        let row = row(self.sheet, key)?;
        let of_class = row.source == Source::Class;
        let of_sheet = row.source == Source::Fitted && row.by == Some(FittedBy::Rated);
        let before: f64 = row.value.parse().ok()?;
        (of_class || of_sheet).then_some(())?;
        Some(RatedParameter {
            key: key.to_owned(),
            before,
            after: before,
            within: row.within?,
            figure: figure.key().to_owned(),
            whole: row.unit == "a plane" || is_whole(key),
        })
    }

    /// Searches along one value, and keeps the nearest result.
    fn along(
        &mut self,
        mut free: RatedParameter,
        figure: RatedFigure,
        value: &RatedValue,
        now: f64,
    ) -> Result<f64, AccuracyError> {
        let place = self.parameters.len();
        self.parameters.push(free.clone());
        let bounds = free.within.map(|end| self.buildable(&free, figure, end));
        let rated = value.get();
        let mut best = (free.before, now);
        let mut at = |search: &mut Self, x: f64| -> Result<f64, AccuracyError> {
            search.parameters[place].after = x;
            let found = search.simulated(figure, value)?;
            if off(found, rated) < off(best.1, rated) {
                best = (x, found);
            }
            Ok(found)
        };
        let [mut low, mut high] = bounds;
        let ends = (at(self, low)?, at(self, high)?);
        let rises = ends.1 > ends.0;
        let reaches = (ends.0.min(ends.1)..=ends.0.max(ends.1)).contains(&rated);
        let mut left = if reaches { MOST_STEPS } else { 0 };
        while left > 0 {
            left -= 1;
            let middle = rounded((low * high).sqrt(), free.whole);
            if middle <= low || middle >= high {
                break;
            }
            let found = at(self, middle)?;
            if off(found, rated) < NEAR {
                break;
            }
            match (found > rated) == rises {
                true => high = middle,
                false => low = middle,
            }
        }
        // A value that hardly moves the figure is not what it follows from: it stays where its kind has it.
        if off(now, rated) - off(best.1, rated) < NEAR {
            self.parameters.remove(place);
            return Ok(now);
        }
        free.after = best.0;
        self.parameters[place] = free;
        Ok(best.1)
    }

    /// The end of a value's range, or the nearest value that gives a valid drive: the unused blocks that a kind allows
    /// may exceed what the capacity leaves. The value is the last that was moved, and valid as it is.
    fn buildable(&mut self, free: &RatedParameter, figure: RatedFigure, end: f64) -> f64 {
        let mut is_there = |x: f64| {
            if let Some(moved) = self.parameters.last_mut() {
                moved.after = x;
            }
            let target = self.target(figure);
            targets::resolve(&target, &Consent::default(), self.seed).is_ok()
        };
        let (mut there, mut beyond) = (free.before, rounded(end, free.whole));
        if is_there(beyond) {
            return beyond;
        }
        for _ in 0..MOST_STEPS {
            let middle = rounded((there * beyond).sqrt(), free.whole);
            // Rounded to the same digits they are the same to the bit.
            if [there, beyond]
                .iter()
                .any(|end| end.total_cmp(&middle).is_eq())
            {
                break;
            }
            match is_there(middle) {
                true => there = middle,
                false => beyond = middle,
            }
        }
        there
    }

    /// What the model has for a figure with the values as they are now.
    fn simulated(&mut self, figure: RatedFigure, value: &RatedValue) -> Result<f64, AccuracyError> {
        LabError::not_interrupted(self.interrupt)?;
        self.runs += 1;
        let asked = Asked::of(self.sheet, figure, value);
        let experiment = asked.experiment(&self.target(figure));
        let failed = |why: String| AccuracyError::Calibrate(format!("{}: {why}", figure.key()));
        let outcome = simulate(&experiment, self.seed, self.interrupt).map_err(failed)?;
        let measured = outcome.figures.get(&asked.key());
        let measured = measured.and_then(|measured| measured.value);
        measured.ok_or_else(|| failed("it has no number".to_owned()))
    }

    fn target(&self, figure: RatedFigure) -> String {
        let mut options = vec![if is_latency(figure) {
            "host=linux-uring".to_owned()
        } else {
            // Makers rate with as many programs as it takes: no one processor is the limit.
            "host=none".to_owned()
        }];
        let state = match figure {
            RatedFigure::RandomWriteSteady => Some("steady-random"),
            // Where data stay: what was written just now may lie in one-bit mode, which reads faster.
            RatedFigure::RandomReadLatency => Some("full-in-order"),
            _ => None,
        };
        options.extend(state.map(|state| format!("state={state}")));
        let moved = self.parameters.iter();
        options.extend(moved.map(|moved| format!("{}={}", moved.key, moved.after)));
        format!("model:{}?{}", self.drive, options.join("&"))
    }
}

/// How a figure is measured on a model.
struct Asked {
    figure: RatedFigure,
    block_kib: u32,
    depth: u32,
}

impl Asked {
    fn of(sheet: &DriveSheet, figure: RatedFigure, value: &RatedValue) -> Asked {
        let nvme = sheet.card.interface.protocol() == sim::interface::Protocol::Nvme;
        let jobs = value
            .jobs
            .unwrap_or(match nvme && is_rate_at_random(figure) {
                true => 8,
                false => 1,
            });
        let depth = value.depth.unwrap_or(match is_latency(figure) {
            true => 1,
            false => 32,
        });
        Asked {
            figure,
            block_kib: value
                .block_kib
                .unwrap_or(match in_order(figure) && !is_latency(figure) {
                    true => 128,
                    false => 4,
                }),
            // The curve has powers of two.
            depth: (depth.saturating_mul(jobs))
                .clamp(1, 4_096)
                .next_power_of_two(),
        }
    }

    fn experiment(&self, target: &str) -> Experiment {
        let size = format!("{}KiB", self.block_kib);
        let (extent, prepare, time) = match self.figure {
            RatedFigure::RandomWriteSteady => ("whole", "no", "2s"),
            RatedFigure::RandomReadLatency => ("1GiB", "no", "100ms"),
            // In a tenth of a second a buffer of tens of MiB is most of what is written, and a seek a tenth of it.
            figure if in_order(figure) => ("1GiB", "yes", "1s"),
            _ => ("1GiB", "yes", "100ms"),
        };
        let set = [
            ("ops", if writes(self.figure) { "write" } else { "read" }),
            (
                "order",
                if in_order(self.figure) {
                    "in-order"
                } else {
                    "random"
                },
            ),
            ("first", &size),
            ("last", &size),
            ("extent", extent),
            ("prepare", prepare),
            ("time", time),
            ("most-depth", &self.depth.to_string()),
        ]
        .map(|(name, value): (&str, &str)| format!("{name}={value}"));
        Experiment {
            target: target.to_owned(),
            method: "queue-depth-sweep".to_owned(),
            settings: set.to_vec(),
            scale: Scale::Default,
        }
    }

    /// The key of the figure in the result.
    fn key(&self) -> String {
        let kind = if in_order(self.figure) { "seq" } else { "rnd" };
        let op = if writes(self.figure) { "write" } else { "read" };
        let what = match self.figure {
            figure if is_latency(figure) => "mean",
            figure if in_order(figure) => "rate",
            _ => "iops",
        };
        let size = match self.block_kib.is_multiple_of(1_024) {
            true => format!("{}m", self.block_kib / 1_024),
            false => format!("{}k", self.block_kib),
        };
        format!("{kind}{size}.{op}.qd{}.{what}", self.depth)
    }
}

fn conditions(sheet: &DriveSheet, figure: RatedFigure, value: &RatedValue) -> String {
    let asked = Asked::of(sheet, figure, value);
    let steady = match figure {
        RatedFigure::RandomWriteSteady => ", steady",
        _ => "",
    };
    format!("{} KiB, {} in flight{steady}", asked.block_kib, asked.depth)
}

fn why_not(tried: &[String]) -> String {
    match tried.is_empty() {
        true => "no value of its kind is free that it would follow from".to_owned(),
        false => format!(
            "the range of its kind does not reach it: {}",
            tried.join(", ")
        ),
    }
}

const fn is_latency(figure: RatedFigure) -> bool {
    matches!(
        figure,
        RatedFigure::RandomReadLatency
            | RatedFigure::RandomWriteLatency
            | RatedFigure::SequentialReadLatency
            | RatedFigure::SequentialWriteLatency
    )
}

const fn in_order(figure: RatedFigure) -> bool {
    matches!(
        figure,
        RatedFigure::SequentialRead
            | RatedFigure::SequentialWrite
            | RatedFigure::SequentialReadLatency
            | RatedFigure::SequentialWriteLatency
    )
}

const fn is_rate_at_random(figure: RatedFigure) -> bool {
    matches!(
        figure,
        RatedFigure::RandomRead | RatedFigure::RandomWrite | RatedFigure::RandomWriteSteady
    )
}

const fn writes(figure: RatedFigure) -> bool {
    matches!(
        figure,
        RatedFigure::SequentialWrite
            | RatedFigure::RandomWrite
            | RatedFigure::RandomWriteSteady
            | RatedFigure::RandomWriteLatency
            | RatedFigure::SequentialWriteLatency
    )
}

fn off(found: f64, rated: f64) -> f64 {
    libm::log(found / rated).abs()
}

fn near(found: f64, rated: f64) -> bool {
    off(found, rated) < NEAR
}

/// Counts are whole; other values have four digits, as a person would write them.
fn rounded(value: f64, whole: bool) -> f64 {
    if whole {
        return value.round();
    }
    let scale = 10_f64.powi(3 - value.abs().max(1e-9).log10().floor() as i32);
    (value * scale).round() / scale
}

fn is_whole(key: &str) -> bool {
    key.ends_with("_a_plane") || key.ends_with(".dies") || key.ends_with("_sectors")
}

/// A value's row of the sheet: `ssd.nand.read_us` is `read_us` of the section `nand`.
fn row<'a>(sheet: &'a DriveSheet, key: &str) -> Option<&'a Row> {
    let (section, name) = key.rsplit_once('.')?;
    let section = section
        .split_once('.')
        .map_or(section, |(_, section)| section);
    let found = sheet.sections.iter().find(|known| known.name == section)?;
    found.rows.iter().find(|row| row.key == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(rated: &str) -> (RatedFit, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        let text = format!(
            "# mine\n[drive]\nkind = \"sata-tlc\"\ntitle = \"Mine\"\nmaker = \"x\"\nyear = 2020\n\
             capacity_bytes = 120034123776\ninterface = \"sata-6\"\n\n[rated]\n{rated}"
        );
        std::fs::write(&path, text).unwrap();
        let found = fit_to_ratings(path.to_str().unwrap(), 1, &Interrupt::new()).unwrap();
        let written = crate::fit::family::write_rated(&found).unwrap();
        let text = std::fs::read_to_string(written).unwrap();
        let again = fit_to_ratings(path.to_str().unwrap(), 1, &Interrupt::new()).unwrap();
        assert!(again.parameters.is_empty(), "{again}");
        (found, text)
    }

    #[test]
    fn a_file_comes_to_what_its_data_sheet_rates_and_keeps_its_comments() {
        let (found, text) = fitted(
            "random_read_iops = { value = 88000.0 }\nrandom_write_iops = { value = 80000.0 }\n\
             sequential_write_mb_s = { value = 500.0 }\n",
        );
        for figure in &found.figures {
            assert!(figure.error.abs() < MET && figure.why.is_none(), "{found}");
        }
        assert!(text.starts_with("# mine\n"), "{text}");
        assert!(text.contains("by = \"rated\""), "{text}");
    }

    #[test]
    fn a_drive_that_its_path_limits_gets_a_path_of_the_rated_speed_and_none_that_its_buffer_flatters()
     {
        // 440 MB/s are rated: with a path of 407 the buffer alone would make up the rest of a tenth of a second.
        let drive = "sandisk-ssd-plus-240gb";
        let found = fit_to_ratings(drive, 1, &Interrupt::new()).unwrap();
        assert!(found.parameters.is_empty(), "{found}");
        let sheet = describe(drive).unwrap();
        let path = row(&sheet, "ssd.controller.program_path_mb_s").unwrap();
        let path: f64 = path.value.parse().unwrap();
        assert!((path / 440.0 - 1.0).abs() < 0.02, "{path}");
    }

    #[test]
    fn a_value_that_a_figure_hardly_follows_from_stays_as_its_kind_has_it() {
        // The link carries 552 MB/s: what the buses do beyond that moves nothing.
        let (found, _) = fitted("sequential_read_mb_s = { value = 560.0 }\n");
        assert!(found.parameters.is_empty(), "{found}");
        assert!(found.figures[0].why.is_none(), "{found}");
    }

    #[test]
    fn a_table_of_settings_is_no_drive_with_ratings() {
        assert!(!is_rated("rows-002").unwrap());
        assert!(is_rated("samsung-860-evo-1tb").unwrap());
        assert!(is_rated("./no-such-file.toml").is_err());
    }

    #[test]
    fn a_range_that_leaves_too_little_room_is_searched_as_far_as_there_is_a_drive() {
        // Of the 1,432 blocks a plane, the capacity, the streams and the reserves leave less than the 150 that the kind
        // lets lie unused.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p4500.toml");
        let text = "[drive]\nkind = \"nvme-plp\"\ntitle = \"P4500 1 TB\"\nmaker = \"Intel\"\nyear = 2017\n\
             capacity_bytes = 1000204886016\ninterface = \"pcie3x4\"\n\n[rated]\n\
             random_write_steady_iops = { value = 30500.0 }\n";
        std::fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap();
        let widest = format!("model:{path}?ssd.nand.unused_blocks_a_plane=150");
        assert!(targets::resolve(&widest, &Consent::default(), 1).is_err());
        let (rated, kind) = ratings(path, &ModelOptions::default()).unwrap();
        let (sheet, interrupt) = (describe(path).unwrap(), Interrupt::new());
        let mut search = Search {
            drive: path,
            sheet: &sheet,
            kind: kind.as_ref(),
            seed: 1,
            interrupt: &interrupt,
            parameters: Vec::new(),
            runs: 0,
        };
        let figure = rated.figures()[0].0;
        let free = search
            .free("ssd.nand.unused_blocks_a_plane", figure)
            .unwrap();
        search.parameters.push(free.clone());
        let widest = search.buildable(&free, figure, 150.0);
        assert!((100.0..150.0).contains(&widest), "{widest}");
        let least = search.buildable(&free, figure, 7.0);
        assert!((least - 7.0).abs() < 1e-9, "{least}");
    }

    #[test]
    fn a_rating_beyond_the_kinds_range_is_missed_and_says_why() {
        let (found, _) = fitted("random_read_iops = { value = 30000.0 }\n");
        let why = found.figures[0].why.as_deref().unwrap();
        assert!(why.contains("ssd.controller.read_interval_us"), "{why}");
        assert!(found.figures[0].error > MET);
    }
}
