//! The pages of the menu: which there are, and what each says, made of the documents that it was opened with.

use report::Texts;
use serde_json::Value;

use super::Known;
use super::choice::{Action, Opened};
use super::view::{View, bar};
use crate::asked::{Resume, Review, Run, Scale, Start};
use crate::runs::{Shown, State};

/// A page, with the documents that it was opened with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Page {
    Begin,
    /// Runs that a power cut or a stop has left: `drivelab results --json`.
    Interrupted(Value),
    /// `drivelab devices --json`.
    Drives(Value),
    /// What can be done with a device of that document.
    Drive(Value),
    /// `drivelab ask --json`.
    Questions(String, Value),
    /// `--dry-run --json`.
    Forecast(Box<Start>, Value),
    Run(u64),
    Runs,
    Network(Vec<String>),
    Off,
    /// Words of the program.
    Words(String),
}

/// What a page is drawn from, beside its own documents.
pub(super) struct Around<'a> {
    pub(super) texts: &'a Texts,
    pub(super) runs: &'a [Shown],
    /// The longest response of the run that is looked at.
    pub(super) longest_ms: Option<f64>,
    pub(super) known: &'a Known,
    /// Whether there are programs for the network and to switch off.
    pub(super) has_helpers: bool,
    pub(super) reports: &'a str,
}

impl Page {
    /// The page as it is now.
    pub(super) fn view(&self, around: &Around<'_>) -> View {
        let mut view = match self {
            Page::Begin => begin(around),
            Page::Interrupted(results) => interrupted(results, around),
            Page::Drives(devices) => drives(devices, around),
            Page::Drive(device) => drive(device, around),
            Page::Questions(target, questions) => question_list(target, questions, around),
            Page::Forecast(start, forecast) => forecast_of(start, forecast, around),
            Page::Run(id) => run(*id, around),
            Page::Runs => runs(around),
            Page::Network(interfaces) => network(interfaces, around),
            Page::Off => off(around),
            Page::Words(words) => View {
                title: "drivelab".to_owned(),
                body: words.lines().map(str::to_owned).collect(),
                ..View::default()
            },
        };
        let way_back = match self {
            Page::Begin => None,
            Page::Forecast(..) | Page::Off => Some("menu-no"),
            _ => Some("menu-back"),
        };
        match way_back {
            Some(key) => view.choices.push((around.texts.say(key), Action::Back)),
            // The first page has no way back: its last choice switches off, or draws the page again.
            None if !around.has_helpers => view
                .choices
                .push((around.texts.say("menu-again"), Action::Back)),
            None => {}
        }
        let is_under_way = matches!(self, Page::Run(id) if around.is_under_way(*id));
        let keys = if is_under_way {
            "menu-keys-run"
        } else {
            "menu-keys"
        };
        view.keys = around.texts.say(keys);
        view
    }
}

impl Around<'_> {
    fn is_under_way(&self, id: u64) -> bool {
        self.runs
            .iter()
            .any(|run| run.id == id && run.state != State::Ended)
    }

    fn open(&self, key: &str, what: Opened) -> (String, Action) {
        (self.texts.say(key), Action::Open(what))
    }

    fn name(&self, target: &str) -> String {
        let name = self.known.names.get(target);
        name.map_or_else(|| target.to_owned(), |name| format!("{target} ({name})"))
    }
}

fn begin(around: &Around<'_>) -> View {
    let texts = around.texts;
    let under_way = around
        .runs
        .iter()
        .filter(|run| run.state != State::Ended)
        .count();
    let mut body = Vec::new();
    if under_way > 0 {
        body.push(texts.with("menu-under-way", &[("n", &under_way.to_string())]));
    }
    body.push(texts.with("menu-reports-are", &[("folder", around.reports)]));
    if around.has_helpers {
        let off = texts.say("menu-network-off");
        body.push(around.known.network.clone().unwrap_or(off));
    }
    let mut choices = vec![
        around.open("menu-drives", Opened::Drives),
        around.open("menu-runs", Opened::Runs),
        around.open("menu-go-on", Opened::Interrupted),
    ];
    if around.has_helpers {
        choices.push(around.open("menu-network", Opened::Network));
        choices.push(around.open("menu-off", Opened::Off));
    }
    View {
        title: texts.say("menu-title"),
        body,
        choices,
        ..View::default()
    }
}

/// The selectors of what can be gone on with, with words for each; a plan once, though several steps are listed.
pub(super) fn unfinished(results: &Value) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for result in results["results"].as_array().into_iter().flatten() {
        if !matches!(text(result, "state"), "interrupted" | "went away") {
            continue;
        }
        let selector = match result["plan"]["id"].as_i64() {
            Some(id) => format!("plan-{id}"),
            None => result["id"].to_string(),
        };
        let words = format!(
            "{selector}: {}, {}",
            text(result, "method"),
            text(result, "target")
        );
        if found.iter().all(|(known, _)| *known != selector) {
            found.push((selector, words));
        }
    }
    found
}

fn interrupted(results: &Value, around: &Around<'_>) -> View {
    let found = unfinished(results);
    let key = if found.is_empty() {
        "menu-nothing-interrupted"
    } else {
        "menu-interrupted-says"
    };
    let choices = found.into_iter().map(|(run, words)| {
        (
            words,
            Action::Begin(Box::new(Start::Resume(Resume { run }))),
        )
    });
    View {
        title: around.texts.say("menu-go-on"),
        body: vec![around.texts.say(key)],
        choices: choices.collect(),
        ..View::default()
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Model, size, link, use and health of a device in a line.
fn device_line(device: &Value, around: &Around<'_>) -> String {
    let path = text(device, "path");
    let size = device["capacity"].as_u64().map(size).unwrap_or_default();
    let health = around.known.health.get(path).cloned();
    let health = health.unwrap_or_else(|| "...".to_owned());
    let health = around
        .texts
        .with("menu-health-is", &[("condition", &health)]);
    let state = match text(device, "state") {
        "in use" => around.texts.say("menu-in-use"),
        _ => String::new(),
    };
    let parts = [
        path.trim_start_matches("/dev/"),
        &size,
        &health,
        &state,
        text(device, "model"),
        text(device, "link"),
    ];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("  ")
}

/// Decimal, as on the label of a drive.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        1_000_000_000..1_000_000_000_000 => format!("{} GB", bytes / 1_000_000_000),
        _ => format!("{:.1} TB", bytes as f64 / 1e12),
    }
}

fn drives(devices: &Value, around: &Around<'_>) -> View {
    let devices = devices["devices"].as_array().into_iter().flatten();
    let choices: Vec<_> = devices
        .map(|device| {
            (
                device_line(device, around),
                Action::Open(Opened::Drive(device.clone())),
            )
        })
        .collect();
    let key = if choices.is_empty() {
        "menu-no-drives"
    } else {
        "menu-drives-say"
    };
    View {
        title: around.texts.say("menu-drives"),
        body: vec![around.texts.say(key)],
        choices,
        ..View::default()
    }
}

fn drive(device: &Value, around: &Around<'_>) -> View {
    let path = text(device, "path").to_owned();
    let review = |scale| {
        Start::Review(Review {
            target: path.clone(),
            beside: Vec::new(),
            scale: Some(scale),
        })
    };
    let method = |what: &str, scale| {
        Start::Run(Run {
            what: what.to_owned(),
            targets: vec![path.clone()],
            scale: Some(scale),
            ..Run::default()
        })
    };
    let ask = |key: &str, start| (around.texts.say(key), Action::Ask(Box::new(start)));
    let choices = vec![
        ask("menu-review-quick", review(Scale::Quick)),
        ask("menu-review", review(Scale::Default)),
        ask("menu-scan", method("full-scan", Scale::Full)),
        ask("menu-quick-scan", method("quick-scan", Scale::Default)),
        ask("menu-latency", method("latency-watch", Scale::Default)),
        ask("menu-explain", method("explain", Scale::Default)),
        around.open("menu-questions", Opened::Questions(path.clone())),
        around.open("menu-health", Opened::Health(path.clone())),
    ];
    let mut body = vec![device_line(device, around)];
    body.extend((!text(device, "serial").is_empty()).then(|| text(device, "serial").to_owned()));
    let uses = device["uses"].as_array().into_iter().flatten();
    body.extend(uses.filter_map(Value::as_str).map(str::to_owned));
    View {
        title: path.clone(),
        body,
        choices,
        ..View::default()
    }
}

fn question_list(target: &str, questions: &Value, around: &Around<'_>) -> View {
    let all = questions["questions"].as_array().into_iter().flatten();
    let of_one = all.filter(|question| question["least_drives"].as_u64() == Some(1));
    let choices = of_one.map(|question| {
        let asked = crate::asked::Ask {
            question: text(question, "id").to_owned(),
            targets: vec![target.to_owned()],
            scale: None,
        };
        (
            text(question, "asks").to_owned(),
            Action::Ask(Box::new(Start::Ask(asked))),
        )
    });
    View {
        title: around.texts.say("menu-questions"),
        body: vec![around.name(target)],
        choices: choices.collect(),
        ..View::default()
    }
}

fn forecast_of(start: &Start, forecast: &Value, around: &Around<'_>) -> View {
    let (what, targets) = start.names();
    let title = format!("{what}: {}", targets.join(", "));
    let lines = forecast["lines"].as_array().into_iter().flatten();
    let body: Vec<String> = lines.filter_map(Value::as_str).map(str::to_owned).collect();
    // What would overwrite is refused by the program itself, which is given no consent.
    match forecast["refused"].as_str() {
        Some(why) => View {
            title,
            body: vec![why.to_owned()],
            ..View::default()
        },
        None => {
            let choices = vec![(
                around.texts.say("menu-yes"),
                Action::Begin(Box::new(start.clone())),
            )];
            View {
                title,
                body,
                choices,
                ..View::default()
            }
        }
    }
}

fn run(id: u64, around: &Around<'_>) -> View {
    let Some(run) = around.runs.iter().find(|run| run.id == id) else {
        return View::default();
    };
    let texts = around.texts;
    let mut body = Vec::new();
    let targets: Vec<String> = run
        .targets
        .iter()
        .map(|target| around.name(target))
        .collect();
    body.push(targets.join(", "));
    match run.state {
        State::Ended => body.extend(ended(run, around)),
        State::Stopping => body.push(texts.say("menu-stopping")),
        State::Running => body.extend(progress(run, around)),
    }
    let choices = match run.state {
        State::Running => vec![(texts.say("menu-stop"), Action::Stop(id))],
        _ => Vec::new(),
    };
    View {
        title: run.what.clone(),
        body,
        choices,
        ..View::default()
    }
}

fn progress(run: &Shown, around: &Around<'_>) -> Vec<String> {
    let texts = around.texts;
    let Some(progress) = &run.progress else {
        return run.words.last().cloned().into_iter().collect();
    };
    let number = |key: &str| progress[key].as_f64();
    let mut body = vec![];
    let (step, of) = (progress["step"].as_u64(), progress["of"].as_u64());
    let step = step
        .zip(of)
        .map(|(step, of)| format!("{step}/{of}  "))
        .unwrap_or_default();
    body.push(format!(
        "{step}{}: {}",
        text(progress, "method"),
        text(progress, "phase")
    ));
    body.push(bar(number("fraction").unwrap_or(0.0), 40));
    if let Some((rate, iops)) = number("mb_s").zip(number("iops")) {
        let [rate, iops] = [three_digits(rate), format!("{iops:.0}")];
        body.push(texts.with("menu-rate", &[("rate", &rate), ("iops", &iops)]));
    }
    if let Some(worst) = around.longest_ms {
        body.push(texts.with("menu-worst", &[("time", &three_digits(worst))]));
    }
    if let Some(left) = number("seconds_left_in_all").or_else(|| number("seconds_left")) {
        let (minutes, seconds) = (left as u64 / 60, left as u64 % 60);
        body.push(texts.with("menu-left", &[("time", &format!("{minutes}:{seconds:02}"))]));
    }
    body
}

/// A rate or a time as a data sheet has it: 0.24 MB/s is not 0.
fn three_digits(number: f64) -> String {
    match number {
        100.0.. => format!("{number:.0}"),
        10.0.. => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

fn ended(run: &Shown, around: &Around<'_>) -> Vec<String> {
    let texts = around.texts;
    let code = run
        .code
        .map_or_else(|| "-".to_owned(), |code| code.to_string());
    let mut body = vec![match run.code {
        Some(0 | 3 | 4) => texts.say("menu-over"),
        _ => texts.with("menu-over-code", &[("code", &code)]),
    }];
    body.extend(around.known.reports.get(&run.id).cloned());
    let answer = run.text.iter().flat_map(|text| text.lines());
    body.extend(answer.map(str::to_owned));
    if run.code != Some(0) {
        let words = run.words.iter().rev().take(3).rev();
        body.extend(words.cloned());
    }
    body
}

fn runs(around: &Around<'_>) -> View {
    let choices = around.runs.iter().map(|run| {
        let state = match run.state {
            State::Ended => around.texts.say("menu-over"),
            _ => around.texts.say("menu-running"),
        };
        let words = format!("{}, {}: {state}", run.what, run.targets.join(", "));
        (words, Action::Open(Opened::Run(run.id)))
    });
    View {
        title: around.texts.say("menu-runs"),
        body: vec![
            around
                .texts
                .with("menu-reports-are", &[("folder", around.reports)]),
        ],
        choices: choices.collect(),
        ..View::default()
    }
}

fn network(interfaces: &[String], around: &Around<'_>) -> View {
    let said = around.known.network.clone();
    let key = if interfaces.is_empty() {
        "menu-no-interfaces"
    } else {
        "menu-network-says"
    };
    let choices = interfaces
        .iter()
        .map(|name| (name.clone(), Action::Connect(name.clone())));
    View {
        title: around.texts.say("menu-network"),
        body: said.map_or_else(
            || vec![around.texts.say(key)],
            |said| said.lines().map(str::to_owned).collect(),
        ),
        choices: choices.collect(),
        ..View::default()
    }
}

fn off(around: &Around<'_>) -> View {
    View {
        title: around.texts.say("menu-off"),
        body: vec![around.texts.say("menu-off-says")],
        choices: vec![(around.texts.say("menu-yes"), Action::Off)],
        ..View::default()
    }
}
