//! What is inside a drive, inferred from the timings of host I/O alone.
//!
//! A drive does not say how its inside works, but it cannot hide it either: whatever takes time shows in how long single
//! I/Os take, after what, and where. Random reads over more than the part of the map that a drive holds in memory cost a
//! second look at the flash; reads that descend by random steps on one track of a disk come back after a whole turn less
//! the step; two reads that were sent together wait for each other where they meet on one die.
//!
//! Each **question** is a file of its own: what it asks, what it costs, a probe (a script of single I/Os whose trail is
//! kept) and an estimator, a pure function over the trail. An answer is a number with an interval, or it says why there is
//! none: an effect that does not stand out from the scatter is *not visible*, which is not the same as absent. What an
//! answer means for whoever uses the drive is said elsewhere, by the crates that judge results.
//!
//! Questions run one after another as phases of the method [`Explain`], on real and modelled drives by the same code, and
//! are resumed, stored and compared as any method's. Those that only read come first, since what the others write spoils
//! what they look at; those that must write are asked only where the target may be written.

use base::bench::{Bench, Stopped};
use base::method::{Card, Forecast, Group, Method, Setting, Settings, Takes};
use base::result::MethodOutput;
use base::size::Bytes;
use base::target::Info;
use base::workload::Span;

mod evidence;
mod line;
mod probe;
mod question;
mod questions;

use probe::Probe;
use question::{Asked, Known, Question};

/// All questions, in the order in which they are asked: what reads first, and what the next ones depend on before them.
const QUESTIONS: &[&Question] = &[
    &questions::nature::QUESTION,
    &questions::rotation::QUESTION,
    &questions::read_ahead::QUESTION,
    &questions::depth::QUESTION,
    &questions::map::QUESTION,
    &questions::shingled::QUESTION,
    &questions::unit::QUESTION,
    &questions::beside::QUESTION,
    &questions::stripe::QUESTION,
    &questions::trim::QUESTION,
];

/// The method that asks all questions that suit a target.
pub struct Explain;

static CARD: Card = Card {
    id: "explain",
    title: "Explain",
    title_ja: "内部構造の推定",
    publisher: "drivelab",
    summary: "What is inside the drive, from the timings of single I/Os: rotation, tracks and skew of a disk, whether it is shingled, the part of the map that an SSD holds in memory, read-ahead, what a queue gains; where it may write, the mapping unit, what reads wait for beside writes, how pages lie on dies, TRIM.",
    version: 1,
    group: Group::Inside,
    short: "What is inside, inferred from single I/Os",
    shortest: &["extent=16MiB"],
    #[rustfmt::skip]
    settings: &[
        Setting::size_or_whole("extent", "part of the target that is asked about", Bytes::mib(1), ["whole"; 3]),
        Setting::choice("writes", "whether questions that must write are asked, too", &["as-allowed", "no"], ["as-allowed"; 3]),
        Setting::count("patience", "seconds that one phase may take", 1..=3_600, ["5", "20", "60"]),
    ],
    ..Card::PLAIN
};

impl Method for Explain {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast {
        let asked = Asked::of(settings, on);
        let asks = QUESTIONS
            .iter()
            .filter(|question| question.may_be_asked(&asked));
        let written: Vec<Span> = asks.clone().filter_map(|it| (it.writes)(&asked)).collect();
        Forecast {
            takes: asks
                .map(|it| (it.takes)(&asked))
                .fold(Takes::default(), Takes::and),
            reads: None,
            writes: written.is_empty().then_some(Bytes::ZERO),
            written,
            reads_as_found: true,
            extent: asked.span.len,
        }
    }

    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<MethodOutput, Stopped> {
        let asked = Asked::of(settings, &bench.info());
        let mut known = Known::default();
        let mut output = MethodOutput::default();
        for question in QUESTIONS {
            if !(question.suits)(&known) || !question.may_be_asked(&asked) {
                continue;
            }
            let mut probe = Probe::new(bench, question.id, &asked);
            let found = (question.ask)(&mut probe, &mut known)?;
            output.figures.extend(found.figures);
            output.charts.extend(found.charts);
        }
        Ok(output)
    }
}
