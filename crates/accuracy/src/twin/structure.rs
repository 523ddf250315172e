//! What `explain` found inside the drive, as values of its file.
//!
//! A search moves a value until workloads take as long as they did, and many values make a workload longer in the same
//! way: whether a read waited for the map, for the cells or for the bus, its time does not say. `explain` asks for one
//! thing at a time and answers with a number and an interval. Where that number is a value of a drive's file, in another
//! unit, it is put there before the kinds are compared, and no search moves it again. It is taken only where it says more
//! than the kind does: where its interval is narrower than the kind's range, and the drive can be built with it. Whether
//! all of the map is in memory also rules out kinds.
//!
//! A value that is fixed one per cent beside the truth is made up for by others, which are then wrong. So nothing is taken
//! that workloads tell better than single I/Os do: seeks, the inner tracks, how far is read ahead and the pages of a write
//! cache. Held back workloads of hidden disks were further off with them, and with their intervals as ranges, too.

use base::result::Figure;
use base::size::Bytes;
use results::twin::TwinStructure;
use results::{RunEnd, RunResult};
use sim::catalogue::{DriveSheet, Kind, ModelOptions, describe, open};
use sim::halt::Extent;
use sim::sheet::{Row, Source};
use toml_edit::DocumentMut;

use super::candidate::{Candidate, write};
use crate::error::AccuracyError;
use crate::fit::family::{FittedTo, put};

/// The method whose figures are meant.
pub(super) const METHOD: &str = "explain";

/// A read of cells of several bits takes longer than this.
const LEAST_READ_US: f64 = 45.0;

/// What a figure of `explain` means in a drive's file.
struct Meaning {
    figure: &'static str,
    /// Section and key of the value.
    value: (&'static str, &'static str),
    /// Whether the value is a whole number.
    whole: bool,
    /// The value for a number of the figure; nothing where it depends on what is not known.
    of: fn(f64, &Inside<'_>) -> Option<f64>,
}

const fn meaning(
    figure: &'static str,
    value: (&'static str, &'static str),
    whole: bool,
    of: fn(f64, &Inside<'_>) -> Option<f64>,
) -> Meaning {
    Meaning {
        figure,
        value,
        whole,
        of,
    }
}

fn same(number: f64, _: &Inside<'_>) -> Option<f64> {
    Some(number)
}

/// All that is taken, in this order. What stands together makes a drive together only; what depends on another value is
/// behind it.
#[rustfmt::skip]
const MEANINGS: &[&[Meaning]] = &[
    &[meaning("map.coverage", ("map_cache", "memory_mib"), false, |gib, inside| inside.map_mib(gib))],
    &[
        meaning("stripe.side-by-side", ("nand", "planes"), true, |pages, inside| inside.planes(pages)),
        meaning("stripe.pages", ("nand", "dies"), true, |pages, inside| inside.dies(pages)),
        meaning("stripe.pages", ("nand", "channels"), true, |pages, inside| inside.fewer_channels(pages)),
        meaning("stripe.pages", ("nand", "blocks_a_plane"), true, |pages, inside| inside.other_blocks(pages)),
    ],
    &[meaning("rest.onset", ("slc", "fold_after_ms"), false, |seconds, inside| inside.fold_after_ms(seconds))],
    &[meaning("rotation.speed", ("media", "rpm"), true, same)],
    &[meaning("rotation.skew", ("media", "track_skew"), false, same)],
    &[meaning("rotation.track", ("media", "outer_sectors"), true, |kib, inside| Some(inside.physical(2.0 * kib)))],
    &[meaning("segments.streams", ("read_cache", "segments"), true, same)],
    &[meaning("write-cache.bytes", ("write_cache", "size_mib"), true, same)],
];

/// A number that `explain` found.
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    figure: String,
    result: i64,
    value: f64,
    interval: [f64; 2],
}

/// All that `explain` found of a drive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    answers: Vec<Answer>,
    /// Whether a part of the map alone is in memory; nothing where that was not asked.
    has_part_of_map: Option<bool>,
}

impl Structure {
    /// What the results of `explain` say of the whole drive; of several answers to a question, the surest.
    pub fn of(results: &[RunResult]) -> Structure {
        let mut structure = Structure::default();
        for result in results.iter().filter(|result| is_used(result)) {
            for figure in &result.figures {
                if let Some(answer) = structure.answer_of(figure, result) {
                    structure.add(answer);
                }
            }
        }
        structure
    }

    fn add(&mut self, answer: Answer) {
        let width = |answer: &Answer| answer.interval[1] - answer.interval[0];
        let known = self
            .answers
            .iter()
            .position(|it| it.figure == answer.figure);
        match known {
            Some(at) if width(&self.answers[at]) <= width(&answer) => {}
            Some(at) => self.answers[at] = answer,
            None => self.answers.push(answer),
        }
    }

    /// The number of a figure. A map without a step is all in memory.
    fn answer_of(&mut self, figure: &Figure, result: &RunResult) -> Option<Answer> {
        let mut value = figure.value;
        if figure.key == "map.coverage" {
            let why = figure.why_not.as_ref().and_then(|why| why.key());
            match (value, why) {
                (Some(_), _) | (None, Some("why-covers-less")) => self.has_part_of_map = Some(true),
                (None, Some("why-no-step")) if reached_flash(result) => {
                    self.has_part_of_map = Some(false);
                    let capacity = result.target.info.as_ref()?.capacity;
                    value = Some(capacity.get() as f64 / Bytes::gib(1).get() as f64);
                }
                _ => {}
            }
        }
        let value = value?;
        let interval = figure.interval.as_ref();
        Some(Answer {
            figure: figure.key.clone(),
            result: result.id,
            value,
            interval: interval.map_or([value; 2], |it| [it.low, it.high]),
        })
    }

    fn answer(&self, figure: &str) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.figure == figure)
    }

    /// Whether the drive may be of the candidate's kind: one with a part of its map in memory is of none that has all of
    /// it, and one with all of it of none that has memory for less.
    fn admits(&self, candidate: &Candidate) -> bool {
        let Ok(sheet) = describe(&candidate.path) else {
            return false;
        };
        let inside = Inside {
            sheet: &sheet,
            structure: self,
        };
        let memory = inside.row("map_cache", "memory_mib");
        match (self.has_part_of_map, memory) {
            (None, _) | (Some(false), None) | (Some(true), Some(_)) => true,
            (Some(true), None) => false,
            (Some(false), Some(row)) => {
                let all = inside
                    .found("map.coverage")
                    .and_then(|gib| inside.map_mib(gib));
                let most = row.within.map(|[_, high]| high);
                all.zip(most).is_none_or(|(all, most)| all <= most)
            }
        }
    }

    /// Puts into a candidate's file what it says of a drive of its kind.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub(super) fn put_into(&self, candidate: &mut Candidate) -> Result<(), AccuracyError> {
        candidate.is_admitted = self.admits(candidate);
        for together in MEANINGS {
            let Ok(sheet) = describe(&candidate.path) else {
                return Ok(());
            };
            let inside = Inside {
                sheet: &sheet,
                structure: self,
            };
            let all = together.iter();
            let taken =
                all.filter_map(|meaning| inside.taken(meaning, self.answer(meaning.figure)?));
            put_together(candidate, taken.collect())?;
        }
        Ok(())
    }
}

/// Whether a result is an answer about all of a drive.
fn is_used(result: &RunResult) -> bool {
    let extent = result.settings.values.get("extent");
    let is_whole = extent.is_some_and(|extent| extent == "whole");
    result.method == METHOD && result.ended == RunEnd::Complete && is_whole
}

/// Whether reads went to the flash: where nothing was written, none does, and no step is one of the map.
fn reached_flash(result: &RunResult) -> bool {
    let hit = result.figures.iter().find(|figure| figure.key == "map.hit");
    let hit = hit.and_then(|figure| figure.value);
    hit.is_some_and(|us| us >= LEAST_READ_US) && !result.target.state.starts_with("fresh")
}

/// A candidate as it stands, and what was found of the drive.
struct Inside<'a> {
    sheet: &'a DriveSheet,
    structure: &'a Structure,
}

impl Inside<'_> {
    fn row(&self, section: &str, key: &str) -> Option<&Row> {
        let sections = self.sheet.sections.iter();
        let mut rows = sections
            .filter(|known| known.name == section)
            .flat_map(|known| &known.rows);
        rows.find(|row| row.key == key)
    }

    fn number(&self, section: &str, key: &str) -> Option<f64> {
        self.row(section, key)?.value.parse().ok()
    }

    fn found(&self, figure: &str) -> Option<f64> {
        Some(self.structure.answer(figure)?.value)
    }

    /// The memory whose map pages cover so much.
    fn map_mib(&self, gib: f64) -> Option<f64> {
        let of = |key| self.number("map_cache", key);
        let entries = gib * 1_048_576.0 / of("entry_kib")?;
        let share = of("map_share").filter(|share| *share > 0.0)?;
        Some(entries * of("entry_bytes")? / 1_048_576.0 / share)
    }

    /// As many pages of the drive's flash as pages of 16 KiB, if they are whole.
    fn flash_pages(&self, pages: f64) -> Option<f64> {
        let pages = pages * 16.0 / self.number("nand", "page_kib")?;
        (pages.fract() == 0.0 && pages >= 1.0).then_some(pages)
    }

    /// Planes, where the dies are known as well.
    fn planes(&self, pages: f64) -> Option<f64> {
        self.dies(self.found("stripe.pages")?)?;
        self.flash_pages(pages)
    }

    /// Dies for a round of so many pages of 16 KiB, if it can be no other and they are whole.
    fn dies(&self, pages: f64) -> Option<f64> {
        let [low, high] = self.structure.answer("stripe.pages")?.interval;
        if low < high {
            return None;
        }
        let found = self
            .found("stripe.side-by-side")
            .and_then(|pages| self.flash_pages(pages));
        let planes = found.or_else(|| self.number("nand", "planes"))?;
        let dies = self.flash_pages(pages)? / planes;
        (dies.fract() == 0.0 && dies >= 1.0).then_some(dies)
    }

    /// Channels, where there are more of them than dies.
    fn fewer_channels(&self, pages: f64) -> Option<f64> {
        let dies = self.dies(pages)?;
        (dies < self.number("nand", "channels")?).then_some(dies)
    }

    /// Blocks of a plane, where other dies have to hold what the kind's hold.
    fn other_blocks(&self, pages: f64) -> Option<f64> {
        self.dies(pages)?;
        let of = |key| self.number("nand", key);
        let all = of("blocks_a_plane")? * of("dies")? * of("planes")?;
        let blocks = libm::ceil(all / self.flash_pages(pages)?);
        (Some(blocks) != of("blocks_a_plane")).then_some(blocks)
    }

    /// The silence behind which the drive begins to rest.
    fn fold_after_ms(&self, seconds: f64) -> Option<f64> {
        let idle = self.number("background", "idle_after_ms")?;
        Some((1e3 * seconds - idle).max(0.0))
    }

    /// A track holds whole physical sectors.
    fn physical(&self, sectors: f64) -> f64 {
        let bytes = self.number("media", "physical_sector").unwrap_or(512.0);
        let step = (bytes / 512.0).max(1.0);
        libm::round(sectors / step) * step
    }

    /// The value that an answer means, if it says more than the kind does.
    fn taken(&self, meaning: &Meaning, answer: &Answer) -> Option<TwinStructure> {
        let (section, key) = meaning.value;
        let row = self.row(section, key)?;
        let of_kind = row.value.parse().ok()?;
        let of = |number: f64| {
            let value = (meaning.of)(number, self)?;
            Some(match meaning.whole {
                true => libm::round(value),
                false => value,
            })
        };
        let interval = [of(answer.interval[0])?, of(answer.interval[1])?];
        let range = row.within.filter(|_| row.source == Source::Class);
        if let Some([low, high]) = range
            && interval[1] - interval[0] >= high - low
        {
            return None;
        }
        let kind = match self.sheet.card.kind {
            Kind::Ssd => "ssd",
            Kind::Hdd => "hdd",
        };
        Some(TwinStructure {
            key: format!("{kind}.{section}.{key}"),
            value: of(answer.value)?,
            interval,
            of_kind,
            figure: answer.figure.clone(),
            result: answer.result,
            whole: meaning.whole,
        })
    }
}

/// Puts values into a candidate's file, unless no drive can be built with them.
fn put_together(candidate: &mut Candidate, taken: Vec<TwinStructure>) -> Result<(), AccuracyError> {
    if taken.is_empty() {
        return Ok(());
    }
    let wrong = |why: String| AccuracyError::Calibrate(why);
    let mut document: DocumentMut = candidate.head.parse().map_err(|e| wrong(format!("{e}")))?;
    for one in &taken {
        let to = FittedTo {
            by: "twin",
            facts: &[format!("result-{}", one.result)],
            why: &one.why(),
        };
        let value = (one.value, one.whole);
        put(&mut document, &one.key, value, one.interval, &to)
            .ok_or_else(|| wrong(format!("{} is no section of values", one.key)))?;
    }
    let head = document.to_string();
    write(&candidate.path, &head)?;
    let outline = ModelOptions {
        extent: Extent::Outline,
        ..ModelOptions::default()
    };
    if open(&candidate.path, &outline).is_err() {
        return write(&candidate.path, &candidate.head);
    }
    candidate.head = head;
    candidate.structure.extend(taken);
    Ok(())
}
