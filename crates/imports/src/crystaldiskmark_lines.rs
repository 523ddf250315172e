//! The lines that CrystalDiskMark's text and those made after it share: what was measured, and the run's conditions.

use base::size::Bytes;
use base::span::Span;

use crate::error::ImportError;
use crate::number::Decimal;
use crate::text::Text;

/// `SEQ    1MiB (Q=  8, T= 1):  3500.000 MB/s [   3337.9 IOPS] <  2395.00 us>`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured<'a> {
    /// What stands before the colon.
    pub(crate) name: &'a str,
    pub(crate) rate: Decimal,
    pub(crate) iops: Option<Decimal>,
    pub(crate) latency: Option<Decimal>,
}

/// A line with a rate; nothing where it is no such line.
pub(crate) fn measured(line: &str) -> Option<Measured<'_>> {
    let (before, behind) = line.split_once("MB/s")?;
    let (name, rate) = before.rsplit_once(':')?;
    let within = |open: char, unit: &str| -> Option<Option<Decimal>> {
        let Some((_, rest)) = behind.split_once(open) else {
            return Some(None);
        };
        let (number, _) = rest.split_once(unit)?;
        Decimal::read(number.trim()).map(Some)
    };
    Some(Measured {
        name: name.trim(),
        rate: Decimal::read(rate.trim()).filter(|rate| !rate.is_negative())?,
        iops: within('[', "IOPS]")?,
        latency: within('<', "us>")?,
    })
}

/// Whether a line must have a rate: it begins as a test does, and is cut off where it has none.
pub(crate) fn begins_a_test(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    matches!(first, "Sequential" | "Random" | "SEQ" | "RND")
}

/// A test of the grid since version 7: order, size, depth and threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) is_random: bool,
    pub(crate) size: Bytes,
    pub(crate) depth: u32,
    pub(crate) threads: u32,
}

impl Test {
    /// `SEQ 1MiB (Q= 8, T= 1)`, `Random 4 KiB (Q=32, T= 1)`.
    pub(crate) fn read(name: &str) -> Option<Test> {
        let (what, queue) = name.split_once('(')?;
        let (order, size) = what.trim().split_once(char::is_whitespace)?;
        let is_random = match order {
            "SEQ" | "Sequential" => false,
            "RND" | "Random" => true,
            _ => return None,
        };
        let (depth, threads) = queue_of(queue)?;
        Some(Test {
            is_random,
            size: size_of(size)?,
            depth: depth?,
            threads,
        })
    }

    /// The key of its figures: `seq1m-q8t1`.
    pub(crate) fn key(self) -> String {
        let order = if self.is_random { "rnd" } else { "seq" };
        let size = match self.size.get() {
            bytes if bytes % (1 << 20) == 0 => format!("{}m", bytes >> 20),
            bytes => format!("{}k", bytes >> 10),
        };
        format!("{order}{size}-q{}t{}", self.depth, self.threads)
    }
}

/// `Q= 8,T= 1)`, or `T= 1)` where the depth is not written.
pub(crate) fn queue_of(text: &str) -> Option<(Option<u32>, u32)> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let text = text.strip_suffix(')')?;
    let (depth, threads) = match text.split_once(',') {
        Some((depth, threads)) => (Some(depth.strip_prefix("Q=")?.parse().ok()?), threads),
        None => (None, text),
    };
    Some((depth, threads.strip_prefix("T=")?.parse().ok()?))
}

/// `1MiB`, `4 KiB`, `512KB`, `1000 MB`: these programs mean powers of 1024 by all of them.
pub(crate) fn size_of(text: &str) -> Option<Bytes> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok().filter(|number| *number > 0)?;
    let unit = match unit.trim() {
        "KiB" | "KB" => 1_u64 << 10,
        "MiB" | "MB" => 1 << 20,
        "GiB" | "GB" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(unit).map(Bytes::new)
}

/// What the lines under the grid say.
#[derive(Clone, Debug)]
pub(crate) struct Conditions<'a> {
    /// Size of the test file, and as it stands in settings: `1GiB`.
    pub(crate) size: Bytes,
    pub(crate) size_text: String,
    pub(crate) runs: u64,
    pub(crate) data: Data,
    /// Seconds between two tests, and of a run.
    pub(crate) interval: Option<u64>,
    pub(crate) measure: Option<u64>,
    pub(crate) profile: Option<&'a str>,
    /// `D: 3% (29/931GiB)`.
    pub(crate) volume: Option<&'a str>,
    pub(crate) date: Option<&'a str>,
    pub(crate) system: Option<&'a str>,
    pub(crate) target: Option<&'a str>,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    Random,
    Zeros,
    Ones,
}

impl Conditions<'_> {
    /// The test file.
    pub(crate) fn span(&self) -> Span {
        Span::first(self.size)
    }
}

/// Reads them. Without the line of the test the text is cut off.
pub(crate) fn conditions<'a>(
    text: &'a Text<'_>,
    tool: &'static str,
) -> Result<Conditions<'a>, ImportError> {
    let last = text.lines().last().map_or(1, |(line, _)| line);
    let of = |label: &str| {
        text.lines().find_map(|(number, line)| {
            let (before, value) = line.split_once(':')?;
            (before.trim() == label).then_some((number, value.trim()))
        })
    };
    let layout = |line: usize, what: &str| ImportError::layout(tool, line, what);
    let (number, test) = of("Test").ok_or_else(|| layout(last, "the line Test is missing"))?;
    let size_text: String = test.split_whitespace().take(2).collect();
    let size = size_of(&size_text).ok_or_else(|| layout(number, "no size of a test file"))?;
    let runs = between(test, "(x", ")").and_then(|runs| runs.parse().ok());
    let runs = runs.ok_or_else(|| layout(number, "no number of runs"))?;
    let written = [Some(test), of("Mode").map(|(_, mode)| mode)];
    let says = |word: &str| written.iter().flatten().any(|text| text.contains(word));
    let time = [Some(test), of("Time").map(|(_, time)| time)];
    let seconds = |word: &str| time.iter().flatten().find_map(|text| seconds(text, word));
    let value = |label: &str| of(label).map(|(_, value)| value).filter(|v| !v.is_empty());
    Ok(Conditions {
        size,
        size_text,
        runs,
        data: match (says("<0Fill>"), says("<1Fill>")) {
            (true, _) => Data::Zeros,
            (_, true) => Data::Ones,
            _ => Data::Random,
        },
        interval: seconds("Interval"),
        measure: seconds("Measure"),
        profile: value("Profile"),
        volume: between(test, "[", "]").filter(|text| text.contains('%')),
        date: value("Date"),
        system: value("OS"),
        target: value("Target"),
    })
}

/// The seconds of `Interval: 5 sec`, `[Interval=5 sec]`, `Measure 5 sec`.
fn seconds(text: &str, word: &str) -> Option<u64> {
    let (_, rest) = text.split_once(word)?;
    let rest = rest.trim_start_matches([':', '=', ' ']);
    rest.split_once(" sec")?.0.parse().ok()
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inside, _)| inside)
}

/// The heading of a column: `read`, `write`, `mix-r70`.
pub(crate) fn column(line: &str) -> Option<String> {
    let line = line.trim();
    if let Some(mix) = line.strip_prefix("[Mix]") {
        let share: u8 = between(mix, "Read", "%")?.trim().parse().ok()?;
        return (share <= 100).then(|| format!("mix-r{share}"));
    }
    match line {
        "[Read]" => Some("read".to_owned()),
        "[Write]" => Some("write".to_owned()),
        _ => None,
    }
}
