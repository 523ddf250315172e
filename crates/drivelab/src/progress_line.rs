//! The progress line on the terminal: which run of how many, phase, rate, p99, time left.
//!
//! It goes to standard error, and only if that is a terminal; otherwise each step is one line. It is never wider than
//! the terminal: the time left and the tail stay; omitted first are the number of I/Os, then the rate, then the end of
//! the phase's name. A modelled drive runs in virtual time, which says nothing about the waiting time; so for such a
//! run the line shows the computer's time, extrapolated from its progress so far.
//!
//! With `--progress json` each update is a line of JSON instead (`drivelab.progress/2`).

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use base::message::Message;
use base::printable::printable;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::progress::{Progress, RunOfMany, Standing};
use report::Lang;
use results::progress::{PROGRESS_SCHEMA, ProgressLine as Line};

use crate::arguments::ProgressForm;
use crate::output::{columns, language, say, tell};
use crate::paragraph::{cut, length};
use crate::progress_since::Seen;

/// Columns of the bar.
const BAR: usize = 8;
/// The text around the remaining times: of this run, and of all runs.
const WORDS: [&str; 2] = ["progress-left", "progress-in-all"];
/// The least time between two lines of JSON.
const PACE: Duration = Duration::from_millis(200);
/// The minimum time and share of a simulation before its pace is meaningful.
const TELLING: (Duration, f64) = (Duration::from_millis(300), 0.01);

/// The progress line.
pub(crate) struct ProgressLine {
    bar: Option<ProgressBar>,
    json: bool,
    many: Many,
    pace: Pace,
    /// When the last line of JSON was written, and what was seen then.
    wrote: Option<Instant>,
    seen: Seen,
}

impl ProgressLine {
    /// Progress on standard error.
    pub(crate) fn new(form: ProgressForm) -> ProgressLine {
        let is_shown = form == ProgressForm::Auto && std::io::stderr().is_terminal();
        let bar = is_shown.then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(1_000), ProgressDrawTarget::stderr_with_hz(5));
            let style = ProgressStyle::with_template("{bar:8} {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style);
            bar
        });
        ProgressLine {
            bar,
            json: form == ProgressForm::Json,
            many: Many::default(),
            pace: Pace::default(),
            wrote: None,
            seen: Seen::default(),
        }
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn message(&self, text: &str) {
        if let Some(bar) = &self.bar {
            let text = cut(text, columns().saturating_sub(BAR + 2));
            bar.set_message(printable(&text).into_owned());
        }
    }

    fn write(line: &Line) {
        if let Ok(text) = serde_json::to_string(line) {
            say(&text);
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Progress for ProgressLine {
    fn show(&mut self, standing: &Standing<'_>) {
        if self.bar.is_none() && !self.json {
            return;
        }
        let now = now();
        let left = match standing.simulated {
            true => self.pace.left(standing, now),
            false => standing
                .left
                .map(|left| Duration::from_nanos(left.as_nanos())),
        };
        let in_all = left.and_then(|left| self.many.left(left));
        if self.json {
            if self.wrote.is_none_or(|at| now.duration_since(at) >= PACE) {
                self.wrote = Some(now);
                let mut line = line_of(standing, &self.many, left, in_all);
                if let Some(record) = standing.record {
                    (line.since, line.worst) = self.seen.since(record, standing.done);
                }
                ProgressLine::write(&line);
            }
            return;
        }
        if let Some(bar) = &self.bar {
            bar.set_position((standing.fraction.unwrap_or(0.0) * 1_000.0) as u64);
        }
        let width = columns().saturating_sub(BAR + 2);
        let texts = around_times(language());
        let phase = report::phase(standing.phase, language());
        let standing = Standing {
            method: [title_of(standing.method, language()); 2],
            phase: &phase,
            ..*standing
        };
        self.message(&words(
            &standing,
            &self.many.place(),
            [left, in_all],
            &texts,
            width,
        ));
    }

    fn begins(&mut self, run: &RunOfMany<'_>) {
        self.many.begins(run, now());
        self.pace = Pace::default();
        if let Some(bar) = &self.bar {
            bar.set_position(0);
        }
        let places = [("method", run.method.into()), ("target", run.target.into())];
        let what = report::message(&Message::new("progress-run", places), language());
        self.message(&format!("{}{what}", self.many.place()));
    }

    fn building(&mut self, target: &str) {
        let building = Message::new("progress-building", [("target", target.into())]);
        let what = report::message(&building, language());
        self.message(&format!("{}{what}", self.many.place()));
    }

    fn say(&mut self, said: &Message) {
        if self.json {
            return ProgressLine::write(&Line {
                schema: PROGRESS_SCHEMA,
                message: Some(said.as_str().to_owned()),
                ..Line::default()
            });
        }
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(said)),
            None => tell(said),
        }
    }
}

/// The text around the remaining times, with `{}` for the time.
fn around_times(lang: Lang) -> [String; 2] {
    WORDS.map(|key| report::message(&Message::new(key, [("time", "{}".into())]), lang))
}

/// The one of a method's two titles that is in this language.
fn title_of([english, japanese]: [&str; 2], lang: Lang) -> &str {
    match lang {
        Lang::Ja if !japanese.is_empty() => japanese,
        Lang::En | Lang::Ja => english,
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "how long somebody has waited is told by the computer's clock"
)]
fn now() -> Instant {
    Instant::now()
}

/// Which of several runs it is, and the time of the others.
#[derive(Debug, Default)]
struct Many {
    number: u32,
    of: usize,
    simulated: bool,
    began: Option<Instant>,
    /// Time and number of the simulated runs that are over.
    simulations: (Duration, u32),
    /// The time of the following runs on real drives.
    real_left: Duration,
    simulated_left: u32,
}

impl Many {
    fn begins(&mut self, run: &RunOfMany<'_>, now: Instant) {
        if let Some(began) = self.began.filter(|_| self.simulated) {
            self.simulations.0 += now.duration_since(began);
            self.simulations.1 += 1;
        }
        self.number = run.number;
        self.of = run.of;
        self.simulated = run.simulated;
        self.began = Some(now);
        self.real_left = Duration::from_nanos(run.real_left.as_nanos());
        self.simulated_left = u32::try_from(run.simulated_left).unwrap_or(u32::MAX);
    }

    /// `9/12 `, or nothing of a single run.
    fn place(&self) -> String {
        match self.of {
            0 | 1 => String::new(),
            of => format!("{}/{of} ", self.number),
        }
    }

    /// Time left for all, of which this run takes `own`: later simulations are assumed to take as long as earlier ones
    /// on average. `None` while none is finished.
    fn left(&self, own: Duration) -> Option<Duration> {
        if self.of < 2 {
            return None;
        }
        let simulations = match (self.simulated_left, self.simulations) {
            (0, _) => Duration::ZERO,
            (_, (_, 0)) => return None,
            (left, (time, over)) => (time / over).saturating_mul(left),
        };
        Some(
            own.saturating_add(self.real_left)
                .saturating_add(simulations),
        )
    }
}

/// How fast a simulation comes on.
#[derive(Debug, Default)]
struct Pace {
    began: Option<(Instant, f64)>,
    last: f64,
}

impl Pace {
    /// The computer's time left, extrapolated from the progress since the first update.
    fn left(&mut self, standing: &Standing<'_>, now: Instant) -> Option<Duration> {
        let fraction = standing.fraction?;
        // A method of which only phases can be told begins anew with each.
        if fraction < self.last {
            self.began = None;
        }
        self.last = fraction;
        let (began, from) = *self.began.get_or_insert((now, fraction));
        let (took, done) = (now.duration_since(began), fraction - from);
        if took < TELLING.0 || done < TELLING.1 {
            return None;
        }
        let left = took.as_secs_f64() * (1.0 - fraction) / done;
        Duration::try_from_secs_f64(left).ok()
    }
}

/// `9/12 Quick scan: read region 012  512 MB/s, 7,800 IOPS, p99 1.20 ms, 42 s left, 3 min in total`, in `width`
/// columns.
fn words(
    standing: &Standing<'_>,
    place: &str,
    [left, in_all]: [Option<Duration>; 2],
    [left_word, in_all_word]: &[String; 2],
    width: usize,
) -> String {
    let with = |word: &String, time: Duration| word.replace("{}", &span(time));
    let name = format!("{place}{}: {}", standing.method[0], standing.phase);
    // The last ones give way first.
    let parts = [
        (2, standing.mb_s.map(|mb_s| format!("{} MB/s", three(mb_s)))),
        (
            3,
            standing
                .iops
                .map(|iops| format!("{} IOPS", thousands(iops))),
        ),
        (1, standing.p99.map(|p99| format!("p99 {p99}"))),
        (0, left.map(|left| with(left_word, left))),
        (0, in_all.map(|left| with(in_all_word, left))),
    ];
    let joined = |least: u8| {
        let kept = parts.iter().filter(|(rank, _)| *rank < least);
        let kept: Vec<&str> = kept.filter_map(|(_, part)| part.as_deref()).collect();
        kept.join(", ")
    };
    let least_name = length(&name).min(24);
    let fits = |text: &String| least_name + 2 + length(text) <= width;
    let figures = (1..=4).rev().map(joined).find(fits).unwrap_or_default();
    if figures.is_empty() {
        return cut(&name, width);
    }
    let name = cut(&name, width.saturating_sub(2 + length(&figures)));
    format!("{name}  {figures}")
}

/// Three digits.
fn three(value: f64) -> String {
    match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

fn thousands(value: f64) -> String {
    match value {
        v if v >= 9_999.5 => format!("{}k", three(v / 1_000.0)),
        v => format!("{v:.0}"),
    }
}

/// `42 s`, `3 min`, `2.5 h`.
fn span(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5_970.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3_600.0),
    }
}

fn line_of(
    standing: &Standing<'_>,
    many: &Many,
    left: Option<Duration>,
    in_all: Option<Duration>,
) -> Line {
    Line {
        schema: PROGRESS_SCHEMA,
        step: (many.of > 1).then_some(many.number),
        of: (many.of > 1).then_some(many.of),
        target: Some(standing.target.to_owned()),
        method: Some(standing.method[0].to_owned()),
        phase: Some(standing.phase.to_owned()),
        mb_s: standing.mb_s,
        iops: standing.iops,
        p99_ms: standing.p99.map(base::time::Duration::as_millis_f64),
        temperature_celsius: standing.temperature,
        fraction: standing.fraction,
        seconds_left: left.map(|left| left.as_secs_f64()),
        seconds_left_in_all: in_all.map(|left| left.as_secs_f64()),
        ..Line::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing<'a>() -> Standing<'a> {
        Standing {
            target: "a drive",
            method: ["Quick scan", "クイックスキャン"],
            phase: "read region 012",
            mb_s: Some(512.25),
            iops: Some(17_816.4),
            p99: Some(base::time::Duration::from_micros(1_200)),
            fraction: Some(0.5),
            left: Some(base::time::Duration::from_secs(42)),
            simulated: false,
            record: None,
            done: (0, base::size::Bytes::ZERO),
            temperature: None,
        }
    }

    fn left() -> [Option<Duration>; 2] {
        [seconds(42), seconds(180)]
    }

    fn english() -> [String; 2] {
        around_times(Lang::En)
    }

    #[test]
    fn in_japanese_the_line_has_the_same_parts_and_fits() {
        let texts = around_times(Lang::Ja);
        let phase = report::phase(standing().phase, Lang::Ja);
        let standing = Standing {
            method: [title_of(standing().method, Lang::Ja); 2],
            phase: &phase,
            ..standing()
        };
        assert_eq!(
            words(&standing, "9/12 ", left(), &texts, 120),
            "9/12 クイックスキャン: 読み込み 領域 012  512 MB/s, 17.8k IOPS, p99 1.20 ms, 残り 42 s, 全体の残り 3 min"
        );
        for width in 0..120 {
            let line = words(&standing, "9/12 ", left(), &texts, width);
            assert!(length(&line) <= width.max(1), "{width}: {line}");
        }
    }

    fn seconds(seconds: u64) -> Option<Duration> {
        Some(Duration::from_secs(seconds))
    }

    #[test]
    fn the_line_says_place_phase_speed_tail_and_times_left() {
        assert_eq!(
            words(&standing(), "9/12 ", left(), &english(), 120),
            "9/12 Quick scan: read region 012  512 MB/s, 17.8k IOPS, p99 1.20 ms, 42 s left, 3 min in total"
        );
    }

    #[test]
    fn whatever_the_width_is_the_line_fits_and_the_time_left_goes_last() {
        for width in 0..120 {
            let line = words(&standing(), "9/12 ", left(), &english(), width);
            assert!(length(&line) <= width.max(1), "{width}: {line}");
        }
        // A terminal of 80 columns, less the bar.
        let line = words(&standing(), "9/12 ", left(), &english(), 70);
        assert!(
            line.contains("p99 1.20 ms, 42 s left, 3 min in total"),
            "{line}"
        );
        assert!(line.starts_with("9/12 Quick scan: read"), "{line}");
    }

    #[test]
    fn of_a_simulation_the_time_of_the_computer_is_told() {
        let began = now();
        let mut pace = Pace::default();
        let at = |fraction: f64| Standing {
            fraction: Some(fraction),
            left: Some(base::time::Duration::from_secs(18_000)),
            simulated: true,
            ..standing()
        };
        assert_eq!(pace.left(&at(0.0), began), None);
        let after = |seconds| began + Duration::from_secs(seconds);
        assert_eq!(pace.left(&at(0.25), after(2)), seconds(6));
        // Another phase begins from nothing.
        assert_eq!(pace.left(&at(0.1), after(3)), None);
    }

    #[test]
    fn simulations_to_come_are_taken_to_last_as_long_as_those_that_are_over() {
        let began = now();
        let mut many = Many::default();
        let run = |number: u32, simulated: bool, simulated_left: usize| RunOfMany {
            number,
            of: 4,
            method: "m",
            target: "t",
            simulated,
            real_left: base::time::Duration::from_secs(60),
            simulated_left,
        };
        many.begins(&run(1, true, 2), began);
        assert_eq!(many.left(Duration::from_secs(1)), None, "none is over");
        many.begins(&run(2, true, 1), began + Duration::from_secs(10));
        assert_eq!(many.left(Duration::from_secs(5)), seconds(75));
        many.begins(&run(4, false, 0), began + Duration::from_secs(20));
        assert_eq!(many.left(Duration::from_secs(5)), seconds(65));
        assert_eq!(many.place(), "4/4 ");
    }
}
