//! File system: the same method on two file systems.
//!
//! **What it measures.** The effect of a file system on a drive's performance: the figures of any method in a test file
//! on one file system, those on another, and their ratio.
//!
//! **Who published it.** Reviewers of the first consumer SSDs, who formatted a drive with FAT32 and with NTFS and ran
//! one benchmark on both.
//!
//! **Protocol.** The method runs with its own settings for the scale, first on one file system, then on the other. On a
//! modelled drive these are the host's layouts (where clusters and metadata are, and when metadata is written), and the
//! drive is in the same state before each. A directory has only its own file system: the method runs there in a test
//! file, and the other half stays empty; run it in a second directory on another file system for that. Figures are
//! prefixed with the file system's name (`ntfs.seq.read`), and with `ratio` for the second relative to the first
//! (`ratio.seq.read`).
//!
//! **What it cannot tell.** How a file system ages: the volume is empty except for the test file, which is as
//! contiguous as possible. Programs that use the system's cache are affected more by the file system than a benchmark
//! that bypasses it. For other settings of the method use a sweep over the target's `file_system`, which runs any
//! method with any settings.

use base::{
    Bench, Better, Card, Chart, Duration, Figure, Forecast, Group, Info, Message, Method,
    MethodOutput, OnModels, PhaseRecord, Setting, Settings, Stopped,
};
use std::sync::LazyLock;

use base::bench::{Files, ModelledDrive};
use base::health::Health;
use base::input::{BadInput, Inputs, Reader};
use base::run::PhaseInput;
use base::statistic::Statistic;

pub(crate) struct FileSystem;

/// The methods that work in a test file and leave a drive alive, by name; this one apart.
fn inner_methods() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let cards = crate::METHODS.iter().map(|method| method.card());
        let inner = cards
            .filter(|card| card.files && card.on_models != OnModels::Only && card.id != CARD.id);
        inner.map(|card| card.id).collect()
    });
    &NAMES
}

const SYSTEMS: [&str; 6] = ["any", "fat32", "exfat", "ntfs", "ext4", "xfs"];

static CARD: Card = Card {
    id: "file-system",
    title: "File system",
    publisher: "reviewers of the first consumer SSDs (2008 to 2010)",
    summary: "Any method in a test file on one file system and on another, on the same drive in the same state: the figures of both, and their ratio.",
    version: 1,
    on_models: OnModels::More,
    group: Group::Work,
    short: "Any method on two file systems, and the ratio",
    shortest: &["method=os-boot"],
    #[rustfmt::skip]
    settings: &[
        Setting::choice_of("method", "the method to run on both, with its own settings for the scale", inner_methods, ["crystaldiskmark-classic"; 3]),
        Setting::choice("one", "the first file system; any is the simplest that the target has", &SYSTEMS, ["any"; 3]),
        Setting::choice("other", "the second file system; any is the one with the most metadata work", &SYSTEMS, ["any"; 3]),
    ],
    ..Card::PLAIN
};

/// The method that runs on both, and its settings.
fn inner(settings: &Settings) -> (&'static dyn Method, Settings) {
    let id = settings.text("method");
    let method = crate::find(id).expect("the card offers methods that there are");
    let own = Settings::new(method.card(), settings.scale, settings.seed, &[]);
    let mut own = own.expect("a card keeps its own bounds");
    own.inputs.clone_from(&settings.inputs);
    (method, own)
}

/// The two file systems among the available ones; `None` for one that is not available.
fn chosen(settings: &Settings, there: &[String]) -> [Option<String>; 2] {
    let pick = |key: &str, any: Option<&String>| match settings.text(key) {
        "any" => any.cloned(),
        name => there.iter().find(|known| *known == name).cloned(),
    };
    let one = pick("one", there.first());
    let rest = there
        .iter()
        .rev()
        .find(|known| Some(*known) != one.as_ref());
    [one, pick("other", rest)]
}

impl Method for FileSystem {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn survey(
        &self,
        settings: &mut Settings,
        on: &Info,
        inputs: &dyn Inputs,
    ) -> Result<(), BadInput> {
        let (method, mut own) = inner(settings);
        method.survey(&mut own, on, inputs)?;
        settings.inputs = own.inputs;
        Ok(())
    }

    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast {
        let (method, own) = inner(settings);
        let once = method.forecast(&own, on);
        Forecast {
            takes: once.takes.times(2),
            reads: once.reads.map(|bytes| bytes * 2),
            writes: once.writes.map(|bytes| bytes * 2),
            ..once
        }
    }

    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<MethodOutput, Stopped> {
        let (method, own) = inner(settings);
        let there = bench.files().map_or_else(Vec::new, |files| files.systems());
        let [one, other] = chosen(settings, &there);
        let mut halves = Vec::new();
        for system in [one, other].into_iter().flatten() {
            if let Some(files) = bench.files() {
                files.on(&system)?;
            }
            let mut named = Named {
                bench: &mut *bench,
                system: &system,
                record: None,
            };
            let output = method.run(&own, &mut named)?;
            halves.push((system, output));
        }
        if halves.is_empty() {
            // No file system at all: the method as it is, so that there is something to look at.
            let bare = method.run(&own, bench)?;
            halves.push(("bare".to_owned(), bare));
        }
        Ok(side_by_side(halves, settings, &there))
    }
}

/// A bench whose phases carry the file system's name. The method inside does not see it: figures and keys are named after
/// the phases of a record.
struct Named<'a> {
    bench: &'a mut dyn Bench,
    system: &'a str,
    /// What is given to the method: the last phase under the name that it gave.
    record: Option<PhaseRecord>,
}

impl Named<'_> {
    fn name(&self, name: &str) -> String {
        format!("{}: {name}", self.system)
    }
}

impl Bench for Named<'_> {
    fn info(&self) -> Info {
        self.bench.info()
    }
    fn whole(&self) -> Message {
        self.bench.whole()
    }
    fn checks_labels(&self) -> bool {
        self.bench.checks_labels()
    }
    fn run_phase(&mut self, name: &str, input: PhaseInput<'_>) -> Result<&PhaseRecord, Stopped> {
        let named = self.name(name);
        let record = self.bench.run_phase(&named, input)?.clone();
        Ok(self.record.insert(PhaseRecord {
            name: name.to_owned(),
            ..record
        }))
    }
    fn input(&mut self, key: &str) -> Result<Reader, Stopped> {
        self.bench.input(key)
    }
    fn idle(&mut self, name: &str, time: Duration) -> Result<(), Stopped> {
        let name = self.name(name);
        self.bench.idle(&name, time)
    }
    fn files(&mut self) -> Option<&mut dyn Files> {
        self.bench.files()
    }
    fn health(&mut self) -> Option<Health> {
        self.bench.health()
    }
    fn model(&mut self) -> Option<&mut dyn ModelledDrive> {
        self.bench.model()
    }
}

/// Both halves' figures and charts under their file systems' names, and the ratios.
fn side_by_side(
    halves: Vec<(String, MethodOutput)>,
    settings: &Settings,
    there: &[String],
) -> MethodOutput {
    let mut all = MethodOutput::default();
    let ratios = match halves.as_slice() {
        [one, other] => ratios(one, other),
        [only] => missing(&only.1.figures, settings, there),
        _ => Vec::new(),
    };
    for (system, half) in halves {
        let figures = half.figures.into_iter();
        all.figures
            .extend(figures.map(|figure| of_half(&system, figure)));
        let charts = half.charts.into_iter();
        all.charts.extend(charts.map(|chart| Chart {
            key: format!("{system}.{}", chart.key),
            ..chart
        }));
        for note in half.notes {
            let places = [("part", (&system).into()), ("note", note.into())];
            all.notes.push(Message::new("note-of-part", places));
        }
    }
    all.figures.extend(ratios);
    all
}

fn of_half(system: &str, figure: Figure) -> Figure {
    let phases = figure.phases.iter();
    Figure {
        key: format!("{system}.{}", figure.key),
        phases: if system == "bare" {
            figure.phases.clone()
        } else {
            phases.map(|phase| format!("{system}: {phase}")).collect()
        },
        ..figure
    }
}

/// The second half's figures over the first's, if both have a number and the figure has a better direction.
fn ratios(one: &(String, MethodOutput), other: &(String, MethodOutput)) -> Vec<Figure> {
    let telling = one.1.figures.iter().filter(|f| f.better != Better::None);
    let ratio = |first: &Figure| {
        let second = other.1.figures.iter().find(|f| f.key == first.key)?;
        let (a, b) = (first.value?, second.value?);
        let figure = of_half(&other.0, second.clone());
        let mut phases = of_half(&one.0, first.clone()).phases;
        phases.extend(figure.phases);
        (a > 0.0).then(|| Figure {
            key: format!("ratio.{}", first.key),
            value: Some(b / a),
            why_not: None,
            unit: "ratio".to_owned(),
            statistic: ratio_of(&other.0, &one.0),
            n: 1,
            interval: None,
            phases,
            ..second.clone()
        })
    };
    telling.filter_map(ratio).collect()
}

fn ratio_of(other: &str, one: &str) -> Statistic {
    Message::new("made-ratio", [("other", other.into()), ("one", one.into())]).into()
}

/// Why there is nothing to compare with.
fn missing(figures: &[Figure], settings: &Settings, there: &[String]) -> Vec<Figure> {
    let why = match there {
        [] => Message::of("why-bare-drive"),
        [one] => Message::new("why-one-file-system", [("system", one.into())]),
        _ => Message::new(
            "why-other-file-systems",
            [
                ("one", settings.text("one").into()),
                ("other", settings.text("other").into()),
                ("systems", there.join(", ").into()),
            ],
        ),
    };
    let first = figures.iter().find(|figure| figure.better != Better::None);
    let empty = |figure: &Figure| Figure {
        key: format!("ratio.{}", figure.key),
        value: None,
        why_not: Some(why.clone()),
        unit: "ratio".to_owned(),
        statistic: "none".into(),
        n: 0,
        interval: None,
        phases: Vec::new(),
        ..figure.clone()
    };
    first.map(empty).into_iter().collect()
}

#[cfg(test)]
mod tests;
