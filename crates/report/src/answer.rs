//! The answer first, in words: before all tables, on the page and on the terminal.
//!
//! For each drive a sentence that groups the uses by verdict, then its strengths and weaknesses, each with the figure
//! and what it means for a person (seconds that a game loads, streams that can be recorded), and the command that
//! would determine the open verdicts.

use std::fmt::Write as _;

use analysis::answer::{Answer, Measure, Next, Point, answer, measures};
use analysis::group::Subject;
use analysis::tails::tail_mark;
use analysis::uses::{Rule, Verdict};
use base::health::HealthReading;
use base::method::Scale;
use results::{RunResult, Standing, TargetRecord};

use crate::findings;
use crate::lang::Texts;
use crate::number;
use crate::reserved::reserved;
use crate::terminal::{TerminalOptions, terminal_unit};
use crate::text_table::{TextCell, TextTable, hanging};
use crate::uses as said;

/// What is said of one drive.
pub(crate) struct Said<'a> {
    /// All that it is said from.
    pub(crate) answer: Answer<'a>,
    /// What stood between the drive and its figures, and so is said first; empty where nothing did.
    pub(crate) reservations: String,
    /// Uses by verdict, in a sentence.
    pub(crate) sentence: String,
    /// What is the matter with it, the gravest first.
    pub(crate) findings: Vec<findings::Said>,
    /// What the drive says of itself, where it was asked.
    pub(crate) health: Option<String>,
    /// Each strength: the figure, and what it means.
    pub(crate) strengths: Vec<String>,
    /// Each weakness likewise.
    pub(crate) weaknesses: Vec<String>,
    /// The command that would judge the most of what is open.
    pub(crate) next: Option<String>,
    /// What was not measured, each with the command that does; empty where nothing is open.
    pub(crate) unchecked: String,
}

/// What is said of a drive.
pub(crate) fn of<'a>(subject: &Subject<'a>, texts: &Texts) -> Said<'a> {
    let answer = answer(&subject.results);
    let points = |points: &[Point]| {
        points
            .iter()
            .map(|point| self::point(point, texts))
            .collect()
    };
    Said {
        reservations: reserved(&subject.results, texts),
        sentence: sentence(&answer.verdicts, texts),
        strengths: points(&answer.strengths),
        weaknesses: points(&answer.weaknesses),
        next: answer
            .next
            .as_ref()
            .map(|next| self::next(next, subject.target)),
        findings: findings::of(&answer.findings, texts),
        unchecked: unchecked(&answer, subject.target, texts),
        health: answer.health.map(|reading| health(reading, texts)),
        answer,
    }
}

/// `Health: good (36 °C, 12,040 h, 3 % of its endurance used)`.
fn health(reading: &HealthReading, texts: &Texts) -> String {
    let condition = reading.assess().condition;
    let word = texts.say(&format!("health-word-{}", condition.word()));
    let told = |text: Option<String>| text.into_iter();
    let facts: Vec<String> = match reading.health() {
        Some(health) => told(health.temperature_celsius.map(|heat| format!("{heat} °C")))
            .chain(told(health.power_on_hours.map(|hours| {
                format!("{} h", number::with_commas(&hours.to_string()))
            })))
            .chain(told(health.percentage_used.map(|used| {
                texts.with("answer-health-used", &[("used", &format!("{used:.0}"))])
            })))
            .collect(),
        None => Vec::new(),
    };
    let facts = match facts.is_empty() {
        true => String::new(),
        false => format!(" ({})", facts.join(&texts.say("list-separator"))),
    };
    texts.with("answer-health", &[("word", &word), ("facts", &facts)])
}

/// The command that would judge what is open.
fn next(next: &Next, target: &TargetRecord) -> String {
    let scale = match next {
        Next::Run(lack) => return said::remedy(lack, target),
        Next::Review(Scale::Full) => " --scale full",
        Next::Review(_) => "",
    };
    format!("drivelab review {}{scale}", said::quoted(&target.name))
}

/// `Not checked: whether all of its capacity is there (drivelab ask fake /dev/sdb).`
fn unchecked(answer: &Answer, target: &TargetRecord, texts: &Texts) -> String {
    let name = said::quoted(&target.name);
    let open = answer.unchecked.iter().map(|one| {
        let command = format!("{} {name}", one.command);
        texts.with(&format!("unchecked-{}", one.id), &[("command", &command)])
    });
    let open: Vec<String> = open.collect();
    match open.is_empty() {
        true => String::new(),
        false => {
            let what = open.join(&texts.say("list-separator"));
            texts.with("unchecked", &[("what", &what)])
        }
    }
}

/// `Good for: OS drive, Game load (so far). With limits: NAS. Not for: Continuous recording.`
fn sentence(verdicts: &[Verdict], texts: &Texts) -> String {
    type Among = fn(&Verdict) -> bool;
    let parts: [(&str, Among); 5] = [
        ("answer-fit", |v| v.standing == Standing::Fit),
        ("answer-limited", |v| v.standing == Standing::Limited),
        ("answer-unfit", |v| v.standing == Standing::Unfit),
        ("answer-provisional", |v| v.is_provisional()),
        ("answer-open", |v| {
            v.standing == Standing::CannotBeSaid && !v.is_provisional()
        }),
    ];
    let of = |(key, among): (&str, Among)| {
        let named = verdicts.iter().filter(|verdict| among(verdict));
        let names: Vec<String> = named.map(|verdict| use_name(verdict, texts)).collect();
        let joined = names.join(&texts.say("list-separator"));
        (!names.is_empty()).then(|| texts.with(key, &[("uses", &joined)]))
    };
    let mut sentences: Vec<String> = parts.into_iter().filter_map(of).collect();
    if verdicts.iter().any(Verdict::unverified) {
        sentences.push(texts.say("answer-unverified"));
    }
    sentences.join(&texts.say("sentence-separator"))
}

fn use_name(verdict: &Verdict, texts: &Texts) -> String {
    let name = said::name(verdict.of, texts);
    match verdict.so_far() {
        true => texts.with("so-far", &[("what", &name)]),
        false => name,
    }
}

/// The figure, its bound where it falls short, and what it means for a person.
fn point(point: &Point, texts: &Texts) -> String {
    let rule = point.rule;
    let unit = texts.unit(rule.unit);
    let value = format!(
        "{} {unit}",
        number::beside(point.value, rule.unit, &rule.bound.limits())
    );
    let name = said::rule_name(rule, texts);
    // Beside it the method's own answer may tell the best run.
    let statistic = &point.result.statistic_in_all_repeats(point.figure);
    let name = match statistic.as_str().starts_with("median of ") {
        true => format!("{name} ({})", texts.statistic(statistic)),
        false => name,
    };
    let means = means(rule, point.value, texts);
    match point.standing {
        Standing::Fit => texts.with(
            "point-strong",
            &[("name", &name), ("value", value.trim()), ("means", &means)],
        ),
        _ => texts.with(
            "point-weak",
            &[
                ("name", &name),
                ("value", value.trim()),
                ("fit", &said::fit_bound(rule, texts)),
                ("means", &means),
            ],
        ),
    }
}

/// What a rule's figure means for a person, in the rule's own text.
fn means(rule: &Rule, value: f64, texts: &Texts) -> String {
    let n = match rule.means.of(value) {
        n if !n.is_finite() => texts.say("no-value"),
        n if n < 10.0 => format!("{n:.1}"),
        n => number::with_commas(&format!("{n:.0}")),
    };
    texts.with(&format!("rule-{}-means", rule.id), &[("n", &n)])
}

/// A measure of a drive, as printed; nothing where it was not measured.
pub(crate) fn measured(measure: &Measure, subject: &Subject) -> Option<String> {
    let measured = measure.of(&subject.results)?;
    Some(number::value(measured.value, measure.unit))
}

/// What is to be known of a measure: that it is of a part of the drive, or a modelled tail.
pub(crate) fn reserve(measure: &Measure, subject: &Subject, texts: &Texts) -> Option<String> {
    let measured = measure.of(&subject.results)?;
    match tail_mark(measured.figure, &measured.result.target) {
        Some(mark) => Some(crate::tails::sign(mark, texts)),
        None => measured.part.map(|_| texts.say("so-far-chip")),
    }
}

/// The answers for the terminal: of the first drive all of it, of those beside it the four measures; at most 24 lines.
pub fn text(results: &[RunResult], options: &TerminalOptions) -> String {
    let texts = Texts::new(options.lang);
    let groups = texts.groups(results);
    let mut out = String::new();
    let Some(first) = groups.subjects.first() else {
        return out;
    };
    let said = of(first, &texts);
    let _ = writeln!(out, "{}", first.title);
    let mut line = |head: &str, text: &str| {
        out.push_str(&hanging(head, text, options.columns.max(head.len() + 20)));
    };
    let (grave, other): (Vec<_>, Vec<_>) = said.findings.iter().partition(|f| f.failing);
    for finding in grave {
        line("! ", &finding.sentence(&texts));
    }
    if !said.reservations.is_empty() {
        line("", &said.reservations);
    }
    if !said.answer.fails() {
        line("", &said.sentence);
    }
    if let Some(health) = &said.health {
        line("", health);
    }
    for finding in other {
        line("  * ", &finding.sentence(&texts));
    }
    if !said.answer.fails() {
        for point in &said.strengths {
            line("  + ", point);
        }
        for point in &said.weaknesses {
            line("  - ", point);
        }
        if let Some(next) = &said.next {
            line("  ? ", &texts.with("answer-next", &[("command", next)]));
        }
        if !said.unchecked.is_empty() {
            line("  ? ", &said.unchecked);
        }
    }
    out.push('\n');
    out.push_str(&measure_table(&groups.subjects, &texts).render(options.columns, options.colour));
    out
}

/// The measures of all drives side by side.
fn measure_table(subjects: &[Subject], texts: &Texts) -> TextTable {
    let cell = |measure: &Measure, subject: &Subject| TextCell {
        text: measured(measure, subject).unwrap_or_else(|| texts.say("no-value")),
        mark: match reserve(measure, subject, texts) {
            Some(reserve) => format!(" {reserve}"),
            None => String::new(),
        },
        ..TextCell::default()
    };
    let row = |measure: &'static Measure| {
        (
            texts.say(&format!("measure-{}", measure.id)),
            terminal_unit(measure.unit, texts),
            subjects
                .iter()
                .map(|subject| cell(measure, subject))
                .collect(),
        )
    };
    TextTable {
        heads: subjects
            .iter()
            .map(|subject| subject.title.clone())
            .collect(),
        rows: measures(subjects).into_iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::HtmlOptions;
    use crate::lang::{Lang, keys};
    use base::surroundings::HostActivity;
    use fixtures::results as sample;
    use results::TEST_FILE;

    #[test]
    fn the_answer_of_a_review_fits_a_terminal_of_24_lines_in_both_languages() {
        let results = sample::review();
        for lang in Lang::ALL {
            let options = TerminalOptions {
                lang,
                ..TerminalOptions::default()
            };
            let text = text(&results, &options);
            assert!(text.lines().count() <= 24, "{text}");
            for line in text.lines() {
                assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
            }
        }
    }

    #[test]
    fn a_review_names_what_it_did_not_look_at_and_nothing_that_was_run() {
        let mut results = sample::review();
        let said = |results: &[RunResult], lang| {
            let options = TerminalOptions {
                columns: 400,
                lang,
                ..TerminalOptions::default()
            };
            let page_options = HtmlOptions {
                lang,
                ..HtmlOptions::default()
            };
            let page = crate::html_of_review(results, &[], &page_options);
            let line = text(results, &options)
                .lines()
                .find(|line| line.contains("Not checked: ") || line.contains("未確認: "))?
                .to_owned();
            let said = line.strip_prefix("  ? ").unwrap().to_owned();
            assert_eq!(page.matches("p class=\"next unchecked\"").count(), 1);
            Some(said)
        };
        for result in &mut results {
            result.target.identity.remove(TEST_FILE);
        }
        let name = said::quoted(&results[0].target.name);
        let english = said(&results, Lang::En).unwrap();
        for command in [
            "drivelab ask fake",
            "drivelab run verify",
            "drivelab run idle-latency",
        ] {
            assert!(
                english.contains(&format!("({command} {name})")),
                "{english}"
            );
        }
        assert!(said(&results, Lang::Ja).unwrap().contains("公称容量"));
        let mut verified = results[0].clone();
        verified.method = "verify".to_owned();
        results.push(verified);
        let english = said(&results, Lang::En).unwrap();
        assert!(!english.contains("run verify") && english.contains("ask fake"));
        for result in &mut results {
            result
                .target
                .identity
                .insert(TEST_FILE.to_owned(), "1 GiB".to_owned());
        }
        assert!(!said(&results, Lang::En).unwrap().contains("ask fake"));
    }

    #[test]
    fn what_a_figure_means_is_the_work_of_its_rule_at_that_rate() {
        let texts = Texts::new(Lang::En);
        let rule = |id: &str| {
            let all = analysis::uses::USES.iter().flat_map(|of| of.rules);
            all.into_iter().find(|rule| rule.id == id).unwrap()
        };
        assert_eq!(
            means(rule("level-rate"), 500.0, &texts),
            "a 10 GB level loads in 20 s"
        );
        assert_eq!(
            means(rule("stream-writes"), 221.0, &texts),
            "records 2.0 UHD streams at once"
        );
        assert_eq!(
            means(rule("worst-beside-load"), 1_204.0, &texts),
            "the longest wait seen while other programs kept the drive busy"
        );
    }

    #[test]
    fn every_rule_and_measure_says_what_it_means_in_both_languages() {
        for lang in Lang::ALL {
            let texts = Texts::new(lang);
            for rule in analysis::uses::USES.iter().flat_map(|of| of.rules) {
                let key = format!("rule-{}-means", rule.id);
                assert!(texts.find(&key, &[("n", "1")]).is_some(), "{key}");
            }
            for measure in analysis::answer::MEASURES {
                let key = format!("measure-{}", measure.id);
                assert!(texts.find(&key, &[]).is_some(), "{key}");
            }
        }
    }

    #[test]
    fn what_stood_between_a_drive_and_its_figures_is_said_before_the_verdict() {
        let mut results = sample::review();
        let busy = HostActivity {
            load: Some(10.1),
            processors: 2,
            ..HostActivity::default()
        };
        for result in results.iter_mut().filter(|r| r.target.tails.is_none()) {
            result.environment.activity = Some(busy);
        }
        for (lang, head, verdict) in [
            (Lang::En, "Provisional: The computer was busy", "Good for:"),
            (Lang::Ja, "暫定: 測定中", "向く用途:"),
        ] {
            let options = TerminalOptions {
                lang,
                ..TerminalOptions::default()
            };
            let text = text(&results, &options);
            let said = text.find(head).unwrap_or_else(|| panic!("{text}"));
            assert!(text.find(verdict).is_none_or(|at| said < at), "{text}");
            assert!(text.contains("10"), "{text}");
            let page = crate::html::html(
                &results,
                &HtmlOptions {
                    lang,
                    ..HtmlOptions::default()
                },
            );
            let (reserved, sentence) = (
                page.find("p class=\"reserved\""),
                page.find("p class=\"sentence\""),
            );
            assert!(reserved.unwrap() < sentence.unwrap());
        }
    }

    #[test]
    fn every_reservation_has_its_words_in_both_languages() {
        for lang in Lang::ALL {
            for kind in analysis::observer::RESERVATIONS {
                for key in [&format!("reservation-{}", kind.id)[..], kind.does] {
                    assert!(keys(lang).contains(&key), "{key}");
                }
            }
        }
    }
}
