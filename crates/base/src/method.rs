//! The interface of a method: a card that describes it, a forecast, and a function over a bench.
//!
//! Command line, help, man page and JSON listing all come from the cards, and a setting is checked
//! once, when [`Settings`] are made: a method reads its values without ever failing.

use std::collections::HashMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bench::{Bench, Stopped};
use crate::input::{BadInput, Inputs};
use crate::message::{Argument, Message, sentences};
use crate::result::MethodOutput;
use crate::size::Bytes;
use crate::target::Info;
use crate::time::Duration;
use crate::workload::Span;

mod settings;

pub use settings::{BadSetting, Kind, Setting, Settings};

/// What the cards say in Japanese, by the method's name and the part of the card.
static JAPANESE: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| sentences(include_str!("../assets/methods.ja.ftl")).collect());

/// A named procedure of measurement, most of them published: a benchmark, a scan, a standard's test.
pub trait Method: Sync {
    /// What it is.
    fn card(&self) -> &'static Card;

    /// Reads the files that the settings name, before the target is opened: malformed files and files that do not fit
    /// the target are detected here, and facts for forecast and run are stored in [`Settings::inputs`]. A method
    /// without files does nothing.
    ///
    /// # Errors
    /// [`BadInput`] where a file cannot be read, or makes no sense.
    fn survey(
        &self,
        settings: &mut Settings,
        on: &Info,
        inputs: &dyn Inputs,
    ) -> Result<(), BadInput> {
        let _ = (settings, on, inputs);
        Ok(())
    }

    /// Whether with these settings all its writes to a zoned drive go to the write pointers of zones that it has reset:
    /// otherwise no write of it is allowed on one.
    fn respects_zones(&self, settings: &Settings) -> bool {
        let _ = settings;
        self.card().respects_zones()
    }

    /// For jobs in another program's language: what must be identical for two results to be compared, instead of scale
    /// and settings. The figures of such jobs are those of their phases, and they are not resumed.
    fn alike(&self) -> Option<String> {
        None
    }

    /// What becomes of it on a drive whose zones are written in order, in a line.
    fn on_zoned(&self) -> &'static str {
        let card = self.card();
        match (card.respects_zones(), card.writes) {
            (true, _) => "made for them: it writes at the write pointers",
            (false, true) => {
                "refused where it writes: its writes do not go to the write pointers, and it resets no zone"
            }
            (false, false) => "it only reads, and runs",
        }
    }

    /// The cost of a run on such a target: upper bounds, and every range that it writes. On a zoned drive a written
    /// range extends to the end of each zone that it touches, since the whole zone is reset.
    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast;

    /// Runs it: the same phases in the same order each time.
    ///
    /// # Errors
    /// [`Stopped`] if the bench could not continue.
    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<MethodOutput, Stopped>;
}

/// The description of a method.
#[derive(Debug)]
pub struct Card {
    /// The name on the command line: lower case, dashes.
    pub id: &'static str,
    /// The name for people, in English.
    pub title: &'static str,
    /// Who published it, and in which version it is copied.
    pub publisher: &'static str,
    /// One paragraph: what it measures.
    pub summary: &'static str,
    /// Changes when the same settings would no longer give the same workloads.
    pub version: u32,
    /// Whether it writes to the target.
    pub writes: bool,
    /// Whether it works in a test file if the target is a directory or a file; else it needs the whole
    /// drive.
    pub files: bool,
    /// What it does on a modelled drive that it cannot do on a real one.
    pub on_models: OnModels,
    /// Under which heading it is listed.
    pub group: Group,
    /// What it measures in one short line: 52 letters at most, so that a list fits a terminal.
    pub short: &'static str,
    /// What a target must be for it to mean something; refused on any other, before anything is run.
    pub needs: &'static [Needs],
    /// The settings of its shortest run that still gives figures, as `key=value`: under a second, on a
    /// target of 16 MiB, at `quick` scale. Tests run every method so on every kind of target.
    pub shortest: &'static [&'static str],
    /// What can be set.
    pub settings: &'static [Setting],
}

impl Card {
    /// Defaults that most methods share: they write, and work in a file, on any target, and in the same way on modelled
    /// and real drives. The rest is empty.
    pub const PLAIN: Card = Card {
        id: "",
        title: "",
        publisher: "",
        summary: "",
        version: 1,
        writes: true,
        files: true,
        on_models: OnModels::Same,
        group: Group::Program,
        short: "",
        needs: &[],
        shortest: &[],
        settings: &[],
    };

    /// The name for people, in Japanese; the same where the name is a program's.
    pub fn title_ja(&self) -> &'static str {
        self.japanese("")
    }

    /// `short` in Japanese.
    pub fn short_ja(&self) -> &'static str {
        self.japanese("-short")
    }

    /// `summary` in Japanese.
    pub fn summary_ja(&self) -> &'static str {
        self.japanese("-summary")
    }

    fn japanese(&self, what: &str) -> &'static str {
        let key = format!("{}{what}", self.id);
        JAPANESE.get(&*key).copied().unwrap_or_default()
    }

    /// Whether it writes zones in their required order: otherwise its writes are not allowed on a zoned drive. Reads
    /// are always allowed.
    pub fn respects_zones(&self) -> bool {
        self.needs.contains(&Needs::Zones)
    }
}

/// What a method does on a modelled drive that it cannot do on a real one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnModels {
    /// Nothing: it cannot tell one from the other.
    Same,
    /// More: it uses [`Bench::model`], and skips that part on a real drive.
    More,
    /// It would ruin a real drive: it is refused on one, with any consent.
    Only,
}

/// Headings under which methods are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Copies of well-known programs.
    Program,
    /// The full LBA range.
    Surface,
    /// Response times under a stated load.
    Response,
    /// What is inside an SSD, seen from outside.
    Inside,
    /// What a computer does all day.
    Work,
    /// Data sheets and standards.
    Standard,
}

impl Group {
    /// All groups in the order in which they are listed.
    pub const ALL: [Group; 6] = [
        Group::Program,
        Group::Surface,
        Group::Response,
        Group::Inside,
        Group::Work,
        Group::Standard,
    ];

    /// The word in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Program => "program",
            Group::Surface => "surface",
            Group::Response => "response",
            Group::Inside => "inside",
            Group::Work => "work",
            Group::Standard => "standard",
        }
    }

    /// The heading.
    pub const fn title(self) -> &'static str {
        match self {
            Group::Program => "Well-known programs",
            Group::Surface => "Full LBA range",
            Group::Response => "Response times",
            Group::Inside => "SSD internals",
            Group::Work => "Everyday work",
            Group::Standard => "Data sheets and standards",
        }
    }
}

/// What a target must be for a method to mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Flash; with the reason why it does not apply to hard disks.
    Flash(&'static str),
    /// That it may be written: all that it measures are writes, or what follows them.
    Writing,
    /// Zones that are written in order ([`crate::zone`]).
    Zones,
}

impl Needs {
    /// The word in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Needs::Flash(_) => "flash",
            Needs::Writing => "writing",
            Needs::Zones => "zones",
        }
    }
}

/// How much of the original's counts and times a run takes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Seconds: does it work, roughly how fast.
    Quick = 0,
    /// Under two minutes for a review: shortened, and marked so.
    #[default]
    Default = 1,
    /// The original's own counts and times: the only scale comparable with published figures.
    Full = 2,
}

impl Scale {
    /// All scales, shortest first.
    pub const ALL: [Scale; 3] = [Scale::Quick, Scale::Default, Scale::Full];

    /// The word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Scale::Quick => "quick",
            Scale::Default => "default",
            Scale::Full => "full",
        }
    }

    fn said(self) -> Message {
        Message::of(match self {
            Scale::Quick => "scale-quick",
            Scale::Default => "scale-default",
            Scale::Full => "scale-full",
        })
    }
}

/// A recorded scale as a sentence with its key; the settings that were changed stay as they are typed. Nothing where
/// the text begins with no scale.
pub fn told_scale(text: &str) -> Option<Message> {
    let mut parts = text.split(", ");
    let first = parts.next()?;
    let scale = Scale::ALL.into_iter().find(|scale| scale.name() == first)?;
    let settings = parts.map(Message::as_it_stands);
    let parts = Argument::list(std::iter::once(scale.said()).chain(settings).collect());
    Some(Message::new("scale-of", [("parts", parts)]))
}

/// What the time of a run is made of: upper bounds. How long the last two take depends on the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Takes {
    /// Phases that a time ends.
    pub timed: Duration,
    /// Rests, and the host's own work: nothing is moved.
    pub idle: Duration,
    /// The part of `timed` in which nothing is written.
    #[serde(default)]
    pub reading: Duration,
    /// Bytes moved by phases that bytes, passes or a number of accesses end.
    pub moved: Bytes,
    /// The part of `moved` that is read.
    #[serde(default)]
    pub read: Bytes,
    /// Random I/Os in such phases, each of which waits for the previous one.
    pub accesses: u64,
    /// The part of `accesses` that is left out once it is known that the drive is a disk.
    #[serde(default)]
    pub not_on_disks: u64,
    /// Time over which these bytes and I/Os are sent: they take it at least.
    #[serde(default)]
    pub spread: Duration,
}

impl Takes {
    /// Phases that a time ends.
    pub fn timed(time: Duration) -> Takes {
        Takes {
            timed: time,
            ..Takes::default()
        }
    }

    /// Phases that a time ends and that only read.
    pub fn reading_for(time: Duration) -> Takes {
        Takes {
            reading: time,
            ..Takes::timed(time)
        }
    }

    /// Phases limited by time, with this percentage of bytes read: reads take that share of the time.
    pub fn mixed_for(time: Duration, reads_percent: u64) -> Takes {
        let reading = time.as_nanos() / 100 * reads_percent.min(100);
        Takes {
            reading: Duration::from_nanos(reading),
            ..Takes::timed(time)
        }
    }

    /// Bytes moved, and nothing else; all of them may be writes.
    pub fn moving(bytes: Bytes) -> Takes {
        Takes::default().and_moving(bytes)
    }

    /// With these bytes moved as well.
    #[must_use]
    pub fn and_moving(self, bytes: Bytes) -> Takes {
        Takes {
            moved: self.moved.saturating_add(bytes),
            ..self
        }
    }

    /// With these bytes read as well.
    #[must_use]
    pub fn and_reading(self, bytes: Bytes) -> Takes {
        Takes {
            read: self.read.saturating_add(bytes),
            ..self.and_moving(bytes)
        }
    }

    /// Adds this idle time, or host work.
    #[must_use]
    pub fn and_idle(self, time: Duration) -> Takes {
        Takes {
            idle: self.idle.saturating_add(time),
            ..self
        }
    }

    /// Adds these random I/Os.
    #[must_use]
    pub fn and_accesses(self, accesses: u64) -> Takes {
        Takes {
            accesses: self.accesses.saturating_add(accesses),
            ..self
        }
    }

    /// The same, of which a disk has no access.
    #[must_use]
    pub fn without_disks(self) -> Takes {
        Takes {
            not_on_disks: self.accesses,
            ..self
        }
    }

    /// The same, sent over so much time at least.
    #[must_use]
    pub fn spread_over(self, time: Duration) -> Takes {
        Takes {
            spread: time,
            ..self
        }
    }

    /// The same, with nothing of it written.
    #[must_use]
    pub fn only_reading(self) -> Takes {
        Takes {
            read: self.moved,
            reading: self.timed,
            ..self
        }
    }

    /// Both, one after the other.
    #[must_use]
    pub fn and(self, other: Takes) -> Takes {
        let both = self.and_idle(other.idle).and_moving(other.moved);
        Takes {
            timed: self.timed.saturating_add(other.timed),
            reading: self.reading.saturating_add(other.reading),
            read: self.read.saturating_add(other.read),
            spread: self.spread.saturating_add(other.spread),
            not_on_disks: self.not_on_disks.saturating_add(other.not_on_disks),
            ..both.and_accesses(other.accesses)
        }
    }

    /// All of it `n` times.
    #[must_use]
    pub fn times(self, n: u64) -> Takes {
        Takes {
            timed: self.timed.saturating_mul(n),
            reading: self.reading.saturating_mul(n),
            read: Bytes::new(self.read.get().saturating_mul(n)),
            idle: self.idle.saturating_mul(n),
            moved: Bytes::new(self.moved.get().saturating_mul(n)),
            accesses: self.accesses.saturating_mul(n),
            not_on_disks: self.not_on_disks.saturating_mul(n),
            spread: self.spread.saturating_mul(n),
        }
    }

    /// The part that follows from the settings alone: phases limited by time, idle time and host work, and the time over
    /// which I/Os are sent.
    pub fn known(&self) -> Duration {
        let sent = self.timed.saturating_add(self.spread);
        sent.saturating_add(self.idle)
    }

    /// The time of `timed` in which something may be written.
    pub fn writing(&self) -> Duration {
        self.timed.saturating_sub(self.reading)
    }

    /// The bytes of `moved` that may be written.
    pub fn written(&self) -> Bytes {
        self.moved.saturating_sub(self.read)
    }

    /// Whether nothing depends on the drive's speed.
    pub fn is_known(&self) -> bool {
        self.moved.is_zero() && self.accesses == 0
    }
}

/// Upper bounds of the cost of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Forecast {
    /// What its time is made of.
    pub takes: Takes,
    /// Bytes read, at most; `None` where only the time bounds them.
    pub reads: Option<Bytes>,
    /// Bytes written, at most; `None` where only the time bounds them.
    pub writes: Option<Bytes>,
    /// Every range that may be written.
    pub written: Vec<Span>,
    /// Whether it reads blocks that it has not written itself: on a drive that was never written this does not access
    /// flash.
    #[serde(default)]
    pub reads_as_found: bool,
    /// Size of the test file that it needs, or of the part of the drive that it uses.
    pub extent: Bytes,
}
