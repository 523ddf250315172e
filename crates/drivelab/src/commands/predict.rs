//! `drivelab predict`: predicted figures of drives that were not measured here, each with an interval.

use std::path::Path;

use accuracy::prediction::questions::Question;
use accuracy::prediction::{Predict, predict, questions};
use base::size::Bytes;

use super::Session;
use crate::arguments::PredictArguments;
use crate::output::{Failure, print, print_json, say};

/// The longest table of questions that is read.
const MOST_TEXT: Bytes = Bytes::mib(16);

/// Answers a table of questions.
pub(crate) fn run(session: &Session, arguments: &PredictArguments) -> Result<(), Failure> {
    let path = &arguments.questions;
    let text = base::whole_file::text(path, MOST_TEXT)
        .map_err(|cause| Failure::Usage(format!("cannot read {}: {cause}", path.display())))?;
    let mut questions = questions::read(&text)?;
    if let Some(folder) = &arguments.drives {
        own_drives(&mut questions, folder)?;
    }
    let asked = Predict {
        questions,
        drawings: arguments.drawings,
        jobs: arguments.jobs.threads(),
        seed: arguments.seed,
    };
    crate::signals::watch(&session.interrupt)?;
    let said = std::sync::Mutex::new(0);
    let found = predict(&asked, &session.interrupt, &|done, of| {
        let percent = 100 * done / of.max(1);
        let mut last = said.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if percent >= *last + 5 {
            *last = percent;
            say(&format!("{percent} %: {done} of {of} runs"));
        }
    })?;
    if arguments.json {
        return print_json(&found);
    }
    match &arguments.csv {
        None => print(&found.csv()),
        Some(path) => {
            lab::whole_file::write_whole(path, found.csv().as_bytes()).map_err(|cause| {
                Failure::Failed(format!("cannot write {}: {cause}", path.display()))
            })?;
            let answered = found.answers.iter().filter(|answer| answer.value.is_some());
            say(&format!(
                "{} of {} answered; written: {}",
                answered.count(),
                found.answers.len(),
                path.display()
            ));
            Ok(())
        }
    }
}

/// A drive that has a file in the folder is that file's.
fn own_drives(questions: &mut [Question], folder: &Path) -> Result<(), Failure> {
    if !folder.is_dir() {
        let why = format!("no folder {}", folder.display());
        return Err(Failure::Usage(why));
    }
    for question in questions {
        let file = folder.join(format!("{}.toml", question.drive));
        if file.is_file() {
            question.drive = file.display().to_string();
        }
    }
    Ok(())
}
