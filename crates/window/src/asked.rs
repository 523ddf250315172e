//! What a client may ask for, and the arguments that it becomes.
//!
//! A page in a browser is a stranger to the command line: whatever it sends arrives as text. So a request is first read
//! into typed fields, and the arguments of the program are made of these, here and nowhere else. A name can never become
//! an option: one that begins with `-` is refused, options come before the names, as `--key=value`, and `--` stands
//! between them. What allows the program to overwrite a drive (`--destroy-data`, `--confirm`) has no field, and a request
//! that tries is told why. Nothing here touches files, processes or the network: bytes in, arguments or a refusal out.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest request, in bytes.
pub const LONGEST_REQUEST: usize = 64 << 10;
/// The longest name, path or value, in bytes.
const LONGEST_NAME: usize = 1024;
/// The longest note, in bytes.
const LONGEST_NOTE: usize = 8192;
/// Targets, settings, results or tags in one request at most.
const MOST: usize = 64;

/// Why a request does not become arguments: one line each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is not JSON of a known form.
    #[error("the request cannot be read: {0}")]
    NotRead(String),
    /// It is asked for the right to overwrite.
    #[error(
        "what overwrites a drive is confirmed in a terminal: the window passes neither --destroy-data nor --confirm"
    )]
    Consent,
    /// A name would be taken for an option.
    #[error(
        "{field}: '{value}' begins with '-', as options do; write ./{value} for a file of this name"
    )]
    LikeAnOption { field: &'static str, value: String },
    /// A name contains what no name on a command line may.
    #[error("{0}: control characters are not allowed")]
    Control(&'static str),
    /// Nothing is named.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// It is more than anybody needs.
    #[error("{field}: {most} at most")]
    TooMuch { field: &'static str, most: usize },
    /// A page of that name does not exist.
    #[error("nothing to look at is called '{0}'")]
    Unknown(String),
}

/// Something that measures, in a process of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// `drivelab run`: a method on targets, or a plan.
    Run(Run),
    /// `drivelab ask`: a question about drives.
    Ask(Ask),
    /// `drivelab review`: several methods on a drive, with two modelled drives beside it.
    Review(Review),
    /// `drivelab resume`: an interrupted run or plan.
    Resume(Resume),
}

/// A method on targets, or a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The method or the plan.
    pub what: String,
    /// What it runs on; a plan may have its own.
    #[serde(default)]
    pub targets: Vec<String>,
    /// Settings of the method that differ from the scale's.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// How much of the original's counts and times.
    #[serde(default)]
    pub scale: Option<Scale>,
    /// Seeds everything random.
    #[serde(default)]
    pub seed: Option<u64>,
    /// How often: a number, or a rule such as `auto:5%`.
    #[serde(default)]
    pub repeat: Option<String>,
}

/// A question about drives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The question's name.
    pub question: String,
    /// The drives in question.
    pub targets: Vec<String>,
    /// The scale of its runs.
    #[serde(default)]
    pub scale: Option<Scale>,
}

/// Several methods on a drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// The drive.
    pub target: String,
    /// Drives to set beside it, instead of the two modelled ones.
    #[serde(default)]
    pub beside: Vec<String>,
    /// The scale of its runs.
    #[serde(default)]
    pub scale: Option<Scale>,
}

/// What to go on with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resume {
    /// A run's number or name, or a plan: `plan-2`.
    pub run: String,
}

/// How much of the original's counts and times a run takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Seconds.
    Quick,
    /// Minutes.
    Default,
    /// The original's own.
    Full,
}

impl Scale {
    /// As the command line has it.
    pub const fn name(self) -> &'static str {
        match self {
            Scale::Quick => "quick",
            Scale::Default => "default",
            Scale::Full => "full",
        }
    }
}

impl Start {
    /// Reads a request.
    ///
    /// # Errors
    /// It is not one of these, it asks for what only a terminal may give, or a name of it is no name.
    pub fn read(body: &[u8]) -> Result<Start, Refused> {
        let start: Start = read(body)?;
        start.arguments()?;
        Ok(start)
    }

    /// The arguments that measure.
    ///
    /// # Errors
    /// A name is no name.
    pub fn arguments(&self) -> Result<Vec<String>, Refused> {
        let mut line = self.line()?;
        // A question is answered in words.
        if !matches!(self, Start::Ask(_)) {
            line.option("--json");
        }
        line.option("--progress=json");
        self.without_report(&mut line);
        Ok(line.finish())
    }

    /// The page shows the report; no file of it is left where the window was started.
    fn without_report(&self, line: &mut Line) {
        if matches!(self, Start::Run(_) | Start::Review(_)) {
            line.option("--no-html");
        }
    }

    /// The arguments that say how long it takes, what is written, and what would refuse it, and do nothing else.
    ///
    /// # Errors
    /// A name is no name.
    pub fn forecast(&self) -> Result<Vec<String>, Refused> {
        let mut line = self.line()?;
        line.option("--dry-run");
        line.option("--json");
        self.without_report(&mut line);
        Ok(line.finish())
    }

    /// What it is, for a list: a method, a plan or a question, and the targets.
    pub fn names(&self) -> (&str, Vec<String>) {
        match self {
            Start::Run(run) => (&run.what, run.targets.clone()),
            Start::Ask(ask) => (&ask.question, ask.targets.clone()),
            Start::Review(review) => {
                let beside = review.beside.iter().cloned();
                let all = std::iter::once(review.target.clone()).chain(beside);
                ("review", all.collect())
            }
            Start::Resume(resume) => ("resume", vec![resume.run.clone()]),
        }
    }

    /// The line that a terminal takes for the same, without what is the window's own: for a person who has to type it.
    ///
    /// # Errors
    /// A name is no name.
    pub fn typed(&self) -> Result<Vec<String>, Refused> {
        Ok(self.line()?.finish())
    }

    fn line(&self) -> Result<Line, Refused> {
        match self {
            Start::Run(run) => run.line(),
            Start::Ask(ask) => {
                let mut line = Line::new("ask");
                line.scale(ask.scale);
                line.name("question", &ask.question)?;
                line.names("targets", &ask.targets)?;
                Ok(line)
            }
            Start::Review(review) => {
                let mut line = Line::new("review");
                line.scale(review.scale);
                few("beside", review.beside.len())?;
                for beside in &review.beside {
                    line.value("--beside", "beside", beside)?;
                }
                line.name("target", &review.target)?;
                Ok(line)
            }
            Start::Resume(resume) => {
                let mut line = Line::new("resume");
                line.name("run", &resume.run)?;
                Ok(line)
            }
        }
    }
}

impl Run {
    fn line(&self) -> Result<Line, Refused> {
        let mut line = Line::new("run");
        line.scale(self.scale);
        few("set", self.set.len())?;
        for (key, value) in &self.set {
            let value = named("a setting's value", value)?;
            line.value("--set", "a setting", &format!("{key}={value}"))?;
        }
        if let Some(seed) = self.seed {
            line.option(&format!("--seed={seed}"));
        }
        if let Some(repeat) = &self.repeat {
            line.value("--repeat", "repeat", repeat)?;
        }
        line.name("what", &self.what)?;
        line.names("targets", &self.targets)?;
        Ok(line)
    }
}

/// Something to look at: it is printed at once, as JSON but for a summary, and changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    Devices,
    Drives,
    Methods,
    Plans,
    Questions,
    Runs,
    /// A modelled drive's sheet.
    Drive(String),
    /// A target's health.
    Health(String),
    /// Stored results in full.
    Results(Vec<String>),
    /// Stored results in words, as the command line prints them.
    Summary(Vec<String>),
    /// Stored results side by side.
    Comparison(Vec<String>),
}

impl Look {
    /// What is called this, of what is named: words with a comma between them.
    ///
    /// # Errors
    /// There is nothing of this name, or what it is of is missing or no name.
    pub fn named(name: &str, of: &str) -> Result<Look, Refused> {
        let one = || named("of", of).map(str::to_owned);
        let look = match name {
            "devices" => Look::Devices,
            "drives" => Look::Drives,
            "methods" => Look::Methods,
            "plans" => Look::Plans,
            "questions" => Look::Questions,
            "runs" => Look::Runs,
            "drive" => Look::Drive(one()?),
            "health" => Look::Health(one()?),
            "results" => Look::Results(selectors(of)?),
            "summary" => Look::Summary(selectors(of)?),
            "comparison" => Look::Comparison(selectors(of)?),
            other => {
                let beginning: String = other.chars().take(40).collect();
                return Err(Refused::Unknown(in_one_line(&beginning)));
            }
        };
        look.arguments().map(|_| look)
    }

    /// The arguments that print it.
    ///
    /// # Errors
    /// A name is no name.
    pub fn arguments(&self) -> Result<Vec<String>, Refused> {
        let (command, names): (_, &[String]) = match self {
            Look::Devices => ("devices", &[]),
            Look::Drives => ("drives", &[]),
            Look::Methods => ("methods", &[]),
            Look::Plans => ("plans", &[]),
            Look::Questions => ("ask", &[]),
            Look::Runs => ("results", &[]),
            Look::Drive(slug) => ("show", std::slice::from_ref(slug)),
            Look::Health(target) => ("health", std::slice::from_ref(target)),
            Look::Results(results) | Look::Summary(results) => ("report", results),
            Look::Comparison(results) => ("compare", results),
        };
        let mut line = Line::new(command);
        if !matches!(self, Look::Summary(_)) {
            line.option("--json");
        }
        line.names("of", names)?;
        Ok(line.finish())
    }
}

/// Results by what selects them, with a comma between them: `12`, `last:3`, `plan-2`, a name.
///
/// # Errors
/// None is named, too many are, or one is no name.
pub fn selectors(text: &str) -> Result<Vec<String>, Refused> {
    let all: Vec<String> = text
        .split(',')
        .map(str::trim)
        .filter(|one| !one.is_empty())
        .take(MOST + 1)
        .map(str::to_owned)
        .collect();
    few("of", all.len())?;
    match all.is_empty() {
        true => Err(Refused::Missing("of")),
        false => Ok(all),
    }
}

/// The arguments that write the report of results into a file.
///
/// # Errors
/// A name is no name.
pub fn report(results: &[String], file: &Path) -> Result<Vec<String>, Refused> {
    let mut line = Line::new("report");
    line.option(&format!("--html={}", file.display()));
    line.names("of", results)?;
    Ok(line.finish())
}

/// What is written beside stored results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Which.
    pub results: Vec<String>,
    /// The name; an empty one takes it away.
    #[serde(default)]
    pub name: Option<String>,
    /// Tags to add.
    #[serde(default)]
    pub tag: Vec<String>,
    /// Tags to take away.
    #[serde(default)]
    pub untag: Vec<String>,
    /// The note; an empty one takes it away.
    #[serde(default)]
    pub note: Option<String>,
}

impl Label {
    /// Reads a request.
    ///
    /// # Errors
    /// It is none, or a name of it is no name.
    pub fn read(body: &[u8]) -> Result<Label, Refused> {
        let label: Label = read(body)?;
        label.arguments().map(|_| label)
    }

    /// The arguments that write it.
    ///
    /// # Errors
    /// A name is no name.
    pub fn arguments(&self) -> Result<Vec<String>, Refused> {
        let mut line = Line::new("label");
        if let Some(name) = &self.name {
            printable("name", name, LONGEST_NAME)?;
            line.option(&format!("--name={name}"));
        }
        if let Some(note) = &self.note {
            printable("note", &note.replace('\n', " "), LONGEST_NOTE)?;
            line.option(&format!("--note={note}"));
        }
        few("tag", self.tag.len() + self.untag.len())?;
        for (option, tags) in [("--tag", &self.tag), ("--untag", &self.untag)] {
            for tag in tags {
                line.value(option, "tag", tag)?;
            }
        }
        if self.results.is_empty() {
            return Err(Refused::Missing("results"));
        }
        line.names("results", &self.results)?;
        Ok(line.finish())
    }
}

/// A command line in the making: options first, then the names, apart.
struct Line {
    command: &'static str,
    options: Vec<String>,
    names: Vec<String>,
}

impl Line {
    fn new(command: &'static str) -> Line {
        Line {
            command,
            options: Vec::new(),
            names: Vec::new(),
        }
    }

    fn option(&mut self, option: &str) {
        self.options.push(option.to_owned());
    }

    fn scale(&mut self, scale: Option<Scale>) {
        if let Some(scale) = scale {
            self.option(&format!("--scale={}", scale.name()));
        }
    }

    fn value(&mut self, option: &str, field: &'static str, value: &str) -> Result<(), Refused> {
        let value = named(field, value)?;
        self.option(&format!("{option}={value}"));
        Ok(())
    }

    fn name(&mut self, field: &'static str, name: &str) -> Result<(), Refused> {
        self.names.push(named(field, name)?.to_owned());
        Ok(())
    }

    fn names(&mut self, field: &'static str, names: &[String]) -> Result<(), Refused> {
        few(field, names.len())?;
        names.iter().try_for_each(|name| self.name(field, name))
    }

    fn finish(self) -> Vec<String> {
        let mut all = vec![self.command.to_owned()];
        all.extend(self.options);
        if !self.names.is_empty() {
            all.push("--".to_owned());
            all.extend(self.names);
        }
        all
    }
}

fn few(field: &'static str, count: usize) -> Result<(), Refused> {
    match count > MOST {
        true => Err(Refused::TooMuch { field, most: MOST }),
        false => Ok(()),
    }
}

/// A name, a path or a value, without the blanks around it.
fn named<'a>(field: &'static str, value: &'a str) -> Result<&'a str, Refused> {
    let value = value.trim();
    printable(field, value, LONGEST_NAME)?;
    if is_of_consent(value) {
        return Err(Refused::Consent);
    }
    match value.chars().next() {
        None => Err(Refused::Missing(field)),
        Some('-') => Err(Refused::LikeAnOption {
            field,
            value: value.chars().take(40).collect(),
        }),
        Some(_) => Ok(value),
    }
}

fn printable(field: &'static str, value: &str, most: usize) -> Result<(), Refused> {
    match value {
        long if long.len() > most => Err(Refused::TooMuch { field, most }),
        value if value.chars().any(char::is_control) => Err(Refused::Control(field)),
        _ => Ok(()),
    }
}

/// Whether an option would allow to overwrite a drive.
fn is_of_consent(word: &str) -> bool {
    let bare = word.trim_start_matches('-').replace('_', "-");
    let is_option = word.starts_with('-');
    is_option && (bare.starts_with("destroy") || bare.starts_with("confirm"))
}

/// Reads JSON of a known form; one with a field that would allow to overwrite is told why there is none.
fn read<T: for<'de> Deserialize<'de>>(body: &[u8]) -> Result<T, Refused> {
    if body.len() > LONGEST_REQUEST {
        let most = LONGEST_REQUEST;
        return Err(Refused::TooMuch {
            field: "bytes",
            most,
        });
    }
    // It may quote the request.
    let not_read = |error: serde_json::Error| Refused::NotRead(in_one_line(&error.to_string()));
    let value: Value = serde_json::from_slice(body).map_err(not_read)?;
    if has_consent(&value) {
        return Err(Refused::Consent);
    }
    // From the bytes again: a map keeps one of two equal fields, and a request with two is none.
    serde_json::from_slice(body).map_err(not_read)
}

/// Words of a stranger, in which nothing controls a terminal or ends the line.
fn in_one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

fn has_consent(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields
            .iter()
            .any(|(key, value)| is_of_consent(&format!("-{key}")) || has_consent(value)),
        Value::Array(all) => all.iter().any(has_consent),
        Value::String(text) => is_of_consent(text.trim()),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
