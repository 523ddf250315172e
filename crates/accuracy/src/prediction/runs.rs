//! The runs that answer questions: one drive on one host, by one test, with all figures that it gives.
//!
//! Random 4 KiB and commits are run as fio runs them, for the same time, on the drive behind its host: a latency counts
//! from the end of the submission, like fio's. Programs with their own protocol are the methods'. A fill is run on an
//! eighth of the flash where that makes a drive, blocks and cache alike: its rates follow from dies and channels, which are
//! complete.

use std::collections::BTreeMap;

use base::interrupt::Interrupt;
use base::io::Op;
use base::method::Scale;
use base::record::{Latencies, PhaseRecord};
use base::run::{Unwatched, run};
use base::size::{Bytes, Rate};
use base::target::Target;
use base::time::Duration;
use base::workload::{Job, Order, Span, Stop, Workload};
use sim::catalogue::{Kind, ModelOptions, describe, open, open_without_host};
use sim::virtual_time::Virtual;

use super::questions::{Asked, Question, Response, Safe};
use crate::compare::run::simulate;
use crate::experiments::Experiment;

/// A fill is run on so small a part of the flash: the first of these of which a drive can be made, as blocks are whole.
const FILL_PARTS: [f64; 4] = [8.0, 4.0, 2.0, 1.0];

/// One run: the questions that it answers differ only in depth and figure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Series {
    pub(super) drive: String,
    pub(super) host: String,
    /// The drive's volatile cache is switched off.
    cache_off: bool,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Test {
    Random(u8, Option<Bytes>),
    Commit(Safe),
    Sequential,
    Method(&'static str, Vec<String>, String),
}

impl Series {
    /// The series that answers a question.
    pub(super) fn of(question: &Question, asked: &Asked) -> Series {
        let test = match asked {
            Asked::Random {
                read_percent, file, ..
            } => Test::Random(*read_percent, *file),
            Asked::Commit { by, .. } => Test::Commit(*by),
            Asked::Sequential { .. } => Test::Sequential,
            Asked::Figure {
                method,
                settings,
                state,
                ..
            } => Test::Method(method, settings.clone(), state.clone()),
        };
        Series {
            drive: question.drive.clone(),
            host: question.host.clone(),
            cache_off: question.cache_is_off(),
            test,
        }
    }
}

/// How a series is run.
#[derive(Clone, Copy, Debug)]
pub(super) struct How<'a> {
    /// Values that replace the drive's own.
    pub(super) values: &'a [(String, String)],
    /// How long each depth is run.
    pub(super) time: Duration,
    pub(super) seed: u64,
}

/// The answers to questions of one series, in order: a number, or why there is none.
pub(super) fn answers(
    series: &Series,
    asked: &[Asked],
    how: How<'_>,
    interrupt: &Interrupt,
) -> Vec<Result<f64, String>> {
    let found = match &series.test {
        Test::Method(method, settings, state) => {
            figures(series, method, settings, state, how, interrupt).map(|figures| -> Answer {
                Box::new(move |asked| match asked {
                    Asked::Figure { key, .. } => figures.get(key).copied(),
                    _ => None,
                })
            })
        }
        Test::Random(read_percent, file) => random(series, *read_percent, *file, asked, how),
        Test::Commit(by) => commits(series, *by, asked, how),
        Test::Sequential => sequential(series, asked, how),
    };
    match found {
        Ok(answer) => asked
            .iter()
            .map(|one| answer(one).ok_or_else(|| "the run gives no such figure".to_owned()))
            .collect(),
        Err(why) => vec![Err(why); asked.len()],
    }
}

type Answer = Box<dyn Fn(&Asked) -> Option<f64>>;

/// A drive behind its host, as a target, and the host time before a command is submitted.
fn opened(
    series: &Series,
    state: &str,
    how: How<'_>,
) -> Result<(Virtual<Box<dyn sim::model::Model>>, f64), String> {
    let options = ModelOptions {
        state: state.parse().map_err(|why| format!("{why:?}"))?,
        host: Some(series.host.clone()),
        seed: how.seed,
        overrides: values_of(series, how)?,
        ..ModelOptions::default()
    };
    let failed = |error: sim::catalogue::CatalogueError| error.to_string();
    let outline = ModelOptions {
        extent: sim::halt::Extent::Outline,
        ..options.clone()
    };
    let (_, computer) = open_without_host(&series.drive, &outline).map_err(failed)?;
    let before = computer.map_or(0.0, |computer| computer.times.before.as_secs_f64() * 1e6);
    let model = open(&series.drive, &options).map_err(failed)?.model;
    Ok((Virtual::new(model), before))
}

/// The values that replace the drive's own.
fn values_of(series: &Series, how: How<'_>) -> Result<Vec<(String, String)>, String> {
    let mut values = how.values.to_vec();
    if series.cache_off {
        let sheet = describe(&series.drive).map_err(|error| error.to_string())?;
        let (section, key) = match sheet.card.kind {
            Kind::Ssd => ("buffer", "ssd.buffer.write_back"),
            Kind::Hdd => ("write_cache", "hdd.write_cache.on"),
        };
        // What has no cache has none to switch off.
        if sheet.sections.iter().any(|known| known.name == section) {
            values.push((key.to_owned(), "false".to_owned()));
        }
    }
    Ok(values)
}

fn random(
    series: &Series,
    read_percent: u8,
    file: Option<Bytes>,
    asked: &[Asked],
    how: How<'_>,
) -> Result<Answer, String> {
    let mut depths: Vec<u32> = (asked.iter())
        .filter_map(|one| match one {
            Asked::Random { depth, .. } => Some(*depth),
            _ => None,
        })
        .collect();
    depths.sort_unstable();
    depths.dedup();
    let (mut drive, before) = opened(series, "full-in-order", how)?;
    let block = Bytes::kib(4);
    let whole = drive.info().capacity.round_down(block);
    let span = Span::first(file.map_or(whole, |file| file.min(whole)));
    let mut records: BTreeMap<u32, PhaseRecord> = BTreeMap::new();
    for depth in depths {
        let op = if read_percent > 0 {
            Op::Read
        } else {
            Op::Write
        };
        let mut job = Job::closed("random", op, Order::Random, span, block, depth);
        for access in &mut job.accesses {
            access.read_percent = read_percent;
        }
        let stop = Stop::after_time(how.time);
        // fio draws the same places in each run.
        let work = Workload::single(job, stop, how.seed);
        let record = run(&mut drive, "random", &work, &mut Unwatched);
        records.insert(depth, record.map_err(|error| error.to_string())?);
    }
    Ok(Box::new(move |asked| match asked {
        Asked::Random {
            writes,
            depth,
            what,
            ..
        } => response(records.get(depth)?, *writes, *what, before),
        _ => None,
    }))
}

fn response(record: &PhaseRecord, writes: bool, what: Response, before_us: f64) -> Option<f64> {
    let op = if writes { Op::Write } else { Op::Read };
    statistic(&record.of(op).service, record.took, what, before_us)
}

/// A statistic of latencies that a program sees, who counts from the end of the submission.
fn statistic(latencies: &Latencies, took: Duration, what: Response, before_us: f64) -> Option<f64> {
    let us = |time: Duration| time.as_secs_f64() * 1e6 - before_us;
    let at = |share| latencies.percentile(share).map(us);
    match what {
        Response::Rate => Some(latencies.count() as f64 / took.as_secs_f64()),
        Response::Median => at(50.0),
        Response::P99 => at(99.0),
        Response::P999 => at(99.9),
        Response::Longest => Some(us(latencies.max())),
    }
}

fn commits(series: &Series, by: Safe, asked: &[Asked], how: How<'_>) -> Result<Answer, String> {
    let (mut drive, before) = opened(series, "full-in-order", how)?;
    let span = Span::first(drive.info().capacity.round_down(Bytes::mib(1)));
    let mut records: BTreeMap<u32, PhaseRecord> = BTreeMap::new();
    for one in asked {
        let Asked::Commit { jobs, .. } = one else {
            continue;
        };
        if records.contains_key(jobs) {
            continue;
        }
        let block = Bytes::kib(4);
        let mut job = Job::closed("commit", Op::Write, Order::Sequential, span, block, 1);
        job.streams = *jobs;
        job.durable = by == Safe::Synchronous;
        job.flush_every = Some(1);
        let stop = Stop::after_time(how.time);
        let work = Workload::single(job, stop, how.seed);
        let record = run(&mut drive, "commit", &work, &mut Unwatched);
        records.insert(*jobs, record.map_err(|error| error.to_string())?);
    }
    Ok(Box::new(move |asked| match asked {
        Asked::Commit { jobs, by, what } => committed(records.get(jobs)?, *by, *what, before),
        _ => None,
    }))
}

/// A figure of commits: how many there were a second, or how long what made them safe took.
fn committed(record: &PhaseRecord, by: Safe, what: Response, before_us: f64) -> Option<f64> {
    let flushes = record.of(Op::Flush);
    let latencies = match by {
        Safe::Flush => flushes.service,
        Safe::Synchronous => flushes.response,
    };
    statistic(&latencies, record.took, what, before_us)
}

fn sequential(series: &Series, asked: &[Asked], how: How<'_>) -> Result<Answer, String> {
    let mut found = Vec::new();
    for one in asked {
        let Asked::Sequential {
            writes,
            block,
            depth,
        } = *one
        else {
            continue;
        };
        let (mut drive, _) = opened(series, "full-in-order", how)?;
        let span = Span::first(drive.info().capacity.round_down(block));
        let op = if writes { Op::Write } else { Op::Read };
        let job = Job::closed("in order", op, Order::Sequential, span, block, depth);
        let stop = Stop::after_time(how.time);
        let work = Workload::single(job, stop, how.seed);
        let record = run(&mut drive, "in order", &work, &mut Unwatched);
        let record = record.map_err(|error| error.to_string())?;
        found.push((one.clone(), record.rate().map(Rate::mb_s)));
    }
    Ok(Box::new(move |asked| {
        let (_, rate) = found.iter().find(|(one, _)| one == asked)?;
        *rate
    }))
}

fn figures(
    series: &Series,
    method: &str,
    settings: &[String],
    state: &str,
    how: How<'_>,
    interrupt: &Interrupt,
) -> Result<BTreeMap<String, f64>, String> {
    let values = values_of(series, how)?;
    if method != "slc-fill" {
        return figures_with(series, (method, settings, state), &values, how, interrupt);
    }
    let mut why = String::new();
    for part in FILL_PARTS {
        let small = a_part(part, &series.drive, &values)?;
        match figures_with(series, (method, settings, state), &small, how, interrupt) {
            Ok(mut figures) => {
                if let Some(size) = figures.get_mut("cache.size") {
                    *size *= part;
                }
                return Ok(figures);
            }
            Err(error) => why = error,
        }
    }
    Err(why)
}

fn figures_with(
    series: &Series,
    (method, settings, state): (&str, &[String], &str),
    values: &[(String, String)],
    how: How<'_>,
    interrupt: &Interrupt,
) -> Result<BTreeMap<String, f64>, String> {
    let mut options = vec![format!("host={}", series.host), format!("state={state}")];
    options.extend(values.iter().map(|(key, value)| format!("{key}={value}")));
    let experiment = Experiment {
        target: format!("model:{}?{}", series.drive, options.join("&")),
        method: method.to_owned(),
        settings: settings.to_vec(),
        scale: Scale::Default,
    };
    let outcome = simulate(&experiment, how.seed, interrupt)?;
    let figures = outcome.figures.into_iter();
    Ok(figures
        .filter_map(|(key, measured)| Some((key, measured.value?)))
        .collect())
}

/// The values of a drive with a part of its blocks, of its capacity and of its cache.
fn a_part(
    part: f64,
    drive: &str,
    values: &[(String, String)],
) -> Result<Vec<(String, String)>, String> {
    let sheet = describe(drive).map_err(|error| error.to_string())?;
    let mut small = values.to_vec();
    let mut put = |key: &str, of: &dyn Fn(f64) -> String| {
        let (section, name) = key.rsplit_once('.')?;
        let section = section.trim_start_matches("ssd.");
        let section = sheet.sections.iter().find(|known| known.name == section)?;
        let row = section.rows.iter().find(|row| row.key == name)?;
        let given = small.iter_mut().find(|(given, _)| given == key);
        match given {
            Some((_, value)) => *value = of(value.parse().ok()?),
            None => small.push((key.to_owned(), of(row.value.parse().ok()?))),
        }
        Some(())
    };
    let whole = |value: f64| format!("{}", (value / part).ceil());
    let share = |value: f64| format!("{}", value / part);
    for key in ["ssd.nand.blocks_a_plane", "ssd.nand.unused_blocks_a_plane"] {
        put(key, &whole);
    }
    for key in ["ssd.slc.size_gb", "ssd.slc.dynamic_gb"] {
        put(key, &share);
    }
    let capacity = sheet.card.capacity.get() as f64 / part;
    let capacity = Bytes::new(capacity as u64).round_down(Bytes::mib(1));
    small.push((
        "drive.capacity_bytes".to_owned(),
        capacity.get().to_string(),
    ));
    Ok(small)
}
