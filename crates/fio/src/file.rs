//! The text of a job file: sections with options, includes, environment variables.
//!
//! `[global]` gives options to the sections after it, and may be repeated. A `;` or `#` begins a comment, also after an
//! option. `include FILE` inserts that file's lines; `${NAME}` an environment variable, `$ncpus`, `$mb_memory` and
//! `$pagesize` the machine's values. Everything is read through [`Around`], so that the same text gives the same jobs
//! everywhere.

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::{Problem, Problems};
use crate::options::{self, Fate};

/// What a job file takes from around it.
pub trait Around {
    /// The text of an included file.
    ///
    /// # Errors
    /// Why it cannot be read, in words.
    fn include(&self, path: &str) -> Result<String, String>;

    /// A variable of the environment; nothing where it is not set.
    fn variable(&self, name: &str) -> Option<String>;

    /// `ncpus`, `mb_memory`, `pagesize` of the machine.
    fn machine(&self, word: &str) -> Option<u64> {
        let _ = word;
        None
    }
}

/// Nothing around: for text alone.
#[derive(Debug, Default)]
pub struct Nothing;

impl Around for Nothing {
    fn include(&self, path: &str) -> Result<String, String> {
        Err(format!("'{path}' cannot be included here"))
    }
    fn variable(&self, _: &str) -> Option<String> {
        None
    }
}

/// One option as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its first name.
    pub name: &'static str,
    /// Its value; nothing where it was given alone.
    pub value: Option<String>,
    /// The file it is in.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
}

/// A job before its options are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: String,
    /// Options of the `[global]` sections before it: the last one of each name, which is the one that counts. Sections
    /// with the same share them.
    pub global: Arc<[Arc<Given>]>,
    /// Its own options, in order.
    pub own: Vec<Given>,
    /// Where it begins.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
}

impl Section {
    /// The last value given for an option, its own before the global ones.
    pub fn get(&self, name: &str) -> Option<&Given> {
        let mut all = self
            .own
            .iter()
            .rev()
            .chain(self.global.iter().map(Arc::as_ref));
        all.find(|given| given.name == name)
    }
}

/// All sections of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFile {
    /// Jobs in order.
    pub sections: Vec<Section>,
    /// Options of all `[global]` sections.
    pub global: Vec<Given>,
    /// Options that are skipped, each once, with the reason.
    pub skipped: Vec<(&'static str, &'static str)>,
}

/// Files may include files so deep.
const DEEPEST: usize = 8;
/// Lines of a file with all that it includes.
const MOST_LINES: usize = 100_000;
/// Characters of an unknown option in a message.
const MOST_SHOWN: usize = 64;

/// Reads the text of a job file.
///
/// # Errors
/// All that is wrong with it.
pub fn read(name: &str, text: &str, around: &dyn Around) -> Result<JobFile, Problems> {
    let mut reader = Reader {
        around,
        file: JobFile::default(),
        inside: Inside::Nothing,
        global: Arc::new([]),
        problems: Vec::new(),
        lines: 0,
    };
    reader.text(name, text, 0);
    if reader.problems.is_empty() && reader.file.sections.is_empty() {
        reader.problem(name, 0, "", "there is no job: a section [NAME] is one");
    }
    match reader.problems.is_empty() {
        true => Ok(reader.file),
        false => Err(Problems(reader.problems)),
    }
}

/// A name of any length, as far as a message shows it.
fn readable(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}...", &name[..end])),
        None => Cow::Borrowed(name),
    }
}

enum Inside {
    Nothing,
    Global,
    Job,
}

struct Reader<'a> {
    around: &'a dyn Around,
    file: JobFile,
    inside: Inside,
    /// What counts of the global options so far.
    global: Arc<[Arc<Given>]>,
    problems: Vec<Problem>,
    lines: usize,
}

impl Reader<'_> {
    fn problem(&mut self, file: &str, line: usize, option: &str, what: impl Into<String>) {
        self.problems.push(Problem {
            file: file.to_owned(),
            line,
            option: option.to_owned(),
            what: what.into(),
        });
    }

    fn text(&mut self, file: &str, text: &str, depth: usize) {
        // What editors of Windows put before a text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (n, line) in text.lines().enumerate() {
            self.lines += 1;
            if self.lines > MOST_LINES {
                self.problem(
                    file,
                    n + 1,
                    "",
                    format!("the file has more than {MOST_LINES} lines"),
                );
                return;
            }
            self.line(file, n + 1, line, depth);
        }
    }

    fn line(&mut self, file: &str, n: usize, line: &str, depth: usize) {
        let line = line.split([';', '#']).next().unwrap_or_default().trim();
        if line.is_empty() {
            return;
        }
        if let Some(path) = line.strip_prefix("include ") {
            return self.included(file, n, path.trim(), depth);
        }
        match line.strip_prefix('[') {
            Some(name) => self.section(file, n, name),
            None => self.option(file, n, line),
        }
    }

    fn included(&mut self, file: &str, n: usize, path: &str, depth: usize) {
        if depth + 1 >= DEEPEST {
            return self.problem(
                file,
                n,
                "include",
                format!("files include each other more than {DEEPEST} deep"),
            );
        }
        match self.around.include(path) {
            Ok(text) => self.text(path, &text, depth + 1),
            Err(why) => self.problem(file, n, "include", why),
        }
    }

    fn section(&mut self, file: &str, n: usize, name: &str) {
        let Some((name, "")) = name.split_once(']') else {
            return self.problem(file, n, "", "a section is [NAME], alone in its line");
        };
        // fio looks at the first six letters alone.
        if name.starts_with("global") {
            self.inside = Inside::Global;
            return;
        }
        self.inside = Inside::Job;
        self.file.sections.push(Section {
            name: name.to_owned(),
            global: self.global.clone(),
            own: Vec::new(),
            file: file.to_owned(),
            line: n,
        });
    }

    fn option(&mut self, file: &str, n: usize, line: &str) {
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim())),
            None => (line, None),
        };
        let Some((first, fate)) = options::find(name) else {
            let near = base::nearest::nearest(name, &options::names().collect::<Vec<_>>());
            let near = match near.first() {
                Some(near) => format!("; {near}?"),
                None => String::new(),
            };
            let name = readable(name);
            return self.problem(file, n, &name, format!("fio 3.33 has no such option{near}"));
        };
        let value = match value.map(|value| self.replaced(value)).transpose() {
            Ok(value) => value,
            Err(why) => return self.problem(file, n, name, why),
        };
        match fate {
            Fate::Works => {}
            Fate::Skipped(why) => {
                if !self.file.skipped.contains(&(first, why)) {
                    self.file.skipped.push((first, why));
                }
                return;
            }
            Fate::Refused { harmless, why } => {
                let value = value.as_deref().unwrap_or("1");
                if !harmless.split(',').any(|harmless| harmless == value) {
                    self.problem(file, n, name, format!("not done here: {why}"));
                }
                return;
            }
        }
        let given = Given {
            name: first,
            value,
            file: file.to_owned(),
            line: n,
        };
        match (&self.inside, self.file.sections.last_mut()) {
            (Inside::Global, _) => {
                self.count(&given);
                self.file.global.push(given);
            }
            (Inside::Job, Some(section)) => section.own.push(given),
            _ => self.problem(
                file,
                n,
                name,
                "it stands before the first section: put [global] or [NAME] above it",
            ),
        }
    }

    /// A global option counts from here on, in place of an earlier one of its name.
    fn count(&mut self, given: &Given) {
        let others = self.global.iter().filter(|other| other.name != given.name);
        let new = Arc::new(given.clone());
        self.global = others.cloned().chain([new]).collect();
    }

    /// With variables and words of the machine replaced.
    fn replaced(&self, value: &str) -> Result<String, String> {
        let mut done = String::new();
        let mut rest = value;
        while let Some((before, after)) = rest.split_once("${") {
            done.push_str(before);
            let Some((name, behind)) = after.split_once('}') else {
                return Err(format!("'{value}' has ${{ without a }}"));
            };
            let Some(found) = self.around.variable(name) else {
                return Err(format!(
                    "the variable {name} is not set: set it before drivelab ({name}=... drivelab fio ...)"
                ));
            };
            done.push_str(&found);
            rest = behind;
        }
        done.push_str(rest);
        for word in ["ncpus", "mb_memory", "pagesize"] {
            let keyword = format!("${word}");
            if done.contains(&keyword) {
                let Some(value) = self.around.machine(word) else {
                    return Err(format!("{keyword} is not known here: write the number"));
                };
                done = done.replace(&keyword, &value.to_string());
            }
        }
        Ok(done)
    }
}
