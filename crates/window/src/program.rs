//! The program itself, as the window uses it: started with arguments, read as JSON or as a refusal.
//!
//! The window measures nothing and opens no store. Whatever it shows, it has from this same program, started once more
//! and asked for `--json`; so the page and the terminal cannot say different things, a page never holds a drive open, and
//! only a child that measures needs rights that the window has not: it alone is started by way of a command such as
//! `sudo -n`. A child that answers at once has a limit of time and of output, since a drive that is stuck keeps also the
//! program stuck that asks it.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use report::Lang;
use serde_json::Value;

/// How long a child may take that only lists or tells something.
const PATIENCE: Duration = Duration::from_secs(120);
/// The longest output that is taken, in bytes: a stored review with all its charts has some ten MB.
const MOST_OUTPUT: u64 = 64 << 20;

/// This program, and with what it is started.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its file.
    pub path: PathBuf,
    /// What stands before it where a drive is touched: `sudo -n`, a word each.
    pub before: Vec<String>,
    /// The store, if not the default one.
    pub store: Option<PathBuf>,
}

/// Who starts a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// The user of the window: the store, the catalogue, what the system tells everybody.
    Own,
    /// Whoever may touch drives: what measures, forecasts or asks a drive.
    Drives,
}

/// What a child said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub out: Vec<u8>,
    /// Its standard error, word for word.
    pub words: String,
}

/// Why there is no document: what the command line says, and its exit code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct Refusal {
    /// The exit code, if the program ran.
    pub code: Option<i32>,
    /// The words of the command line.
    pub words: String,
}

impl Refusal {
    fn of_the_window(words: String) -> Refusal {
        Refusal { code: None, words }
    }
}

impl Program {
    /// A child with these arguments, not started yet. It reads nothing, and what it says is read by us.
    pub fn command(&self, arguments: &[String], lang: Lang, rights: Rights) -> Command {
        let before: &[String] = match rights {
            Rights::Own => &[],
            Rights::Drives => &self.before,
        };
        let mut command = match before.split_first() {
            None => Command::new(&self.path),
            Some((first, others)) => {
                let mut command = Command::new(first);
                command.args(others).arg(&self.path);
                command
            }
        };
        if let Some(store) = &self.store {
            command.arg("--store").arg(store);
        }
        command.args(["--lang", lang.tag()]).args(arguments);
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a child that answers at once.
    ///
    /// # Errors
    /// It cannot be started, takes too long, or says more than can be shown.
    pub fn answer(
        &self,
        arguments: &[String],
        lang: Lang,
        rights: Rights,
    ) -> Result<Answer, Refusal> {
        let mut command = self.command(arguments, lang, rights);
        let mut child = command.spawn().map_err(|why| {
            let program = command.get_program().to_string_lossy();
            Refusal::of_the_window(format!("{program} cannot be started: {why}"))
        })?;
        let read = outputs(&mut child);
        let Some([out, words]) = read else {
            // It is killed and not asked: it holds nothing, since it only tells something.
            let _ = child.kill();
            let _ = child.wait();
            let what = arguments.first().map_or("", String::as_str);
            let (time, most) = (PATIENCE.as_secs(), MOST_OUTPUT >> 20);
            return Err(Refusal::of_the_window(format!(
                "drivelab {what} has not answered within {time} s and {most} MiB"
            )));
        };
        let status = child.wait().map_err(|why| {
            Refusal::of_the_window(format!("how the program ended is not known: {why}"))
        })?;
        Ok(Answer {
            code: status.code(),
            out,
            words: String::from_utf8_lossy(&words).trim().to_owned(),
        })
    }

    /// The text that a child prints.
    ///
    /// # Errors
    /// It printed none: then what it said instead.
    pub fn text(
        &self,
        arguments: &[String],
        lang: Lang,
        rights: Rights,
    ) -> Result<String, Refusal> {
        let answer = self.answer(arguments, lang, rights)?;
        match answer.out.is_empty() {
            true => Err(Refusal {
                code: answer.code,
                words: answer.words,
            }),
            false => Ok(String::from_utf8_lossy(&answer.out).into_owned()),
        }
    }

    /// The document that a child prints. One that found something (a failing drive, results that cannot be compared) ends
    /// with a code and has printed it all the same.
    ///
    /// # Errors
    /// It printed none: then what it said instead.
    pub fn json(&self, arguments: &[String], lang: Lang, rights: Rights) -> Result<Value, Refusal> {
        let answer = self.answer(arguments, lang, rights)?;
        serde_json::from_slice(&answer.out).map_err(|why| Refusal {
            code: answer.code,
            words: match answer.words.is_empty() {
                false => answer.words,
                true => format!("the program's answer cannot be read: {why}"),
            },
        })
    }
}

/// Standard output and standard error until both are closed; nothing if that takes too long or is too much.
fn outputs(child: &mut Child) -> Option<[Vec<u8>; 2]> {
    let (done, both) = mpsc::channel();
    let out = child
        .stdout
        .take()
        .map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
    let error = child
        .stderr
        .take()
        .map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
    for (which, pipe) in [out, error].into_iter().enumerate() {
        let (pipe, done) = (pipe?, done.clone());
        std::thread::spawn(move || {
            let mut text = Vec::new();
            // What was read before an error is what there is.
            let _ = pipe.take(MOST_OUTPUT).read_to_end(&mut text);
            let _ = done.send((which, text));
        });
    }
    let mut read = [Vec::new(), Vec::new()];
    for _ in 0..2 {
        let (which, text) = both.recv_timeout(PATIENCE).ok()?;
        if text.len() as u64 == MOST_OUTPUT {
            return None;
        }
        read[which] = text;
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shell in place of the program: it gets the program's own options as its first arguments, and skips them.
    fn shell(script: &str) -> (Program, Vec<String>) {
        let program = Program {
            path: "/bin/sh".into(),
            before: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
            store: None,
        };
        (program, Vec::new())
    }

    fn json(script: &str) -> Result<Value, Refusal> {
        let (program, arguments) = shell(script);
        program.json(&arguments, Lang::En, Rights::Drives)
    }

    #[test]
    fn a_document_is_taken_also_of_a_program_that_ends_with_a_code() {
        let document = json("echo '{\"schema\": \"x\"}'; echo failing >&2; exit 3").unwrap();
        assert_eq!(document["schema"], "x");
    }

    #[test]
    fn a_refusal_is_the_words_of_the_command_line_and_its_code() {
        let refusal = json("echo 'drivelab: no such drive' >&2; exit 2").unwrap_err();
        assert_eq!(refusal.code, Some(2));
        assert_eq!(refusal.to_string(), "drivelab: no such drive");
    }

    #[test]
    fn a_program_that_cannot_be_started_is_a_refusal_too() {
        let program = Program {
            path: "./no-such-program".into(),
            before: Vec::new(),
            store: None,
        };
        let refusal = program.json(&[], Lang::En, Rights::Own).unwrap_err();
        assert!(refusal.words.contains("no-such-program"), "{refusal}");
    }

    #[test]
    fn store_and_language_come_first_and_other_rights_before_them() {
        let program = Program {
            path: "drivelab".into(),
            before: vec!["sudo".to_owned(), "-n".to_owned()],
            store: Some("s.sqlite3".into()),
        };
        let words = |rights| {
            let command = program.command(&["devices".to_owned()], Lang::Ja, rights);
            let words = std::iter::once(command.get_program()).chain(command.get_args());
            let words: Vec<_> = words
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            words.join(" ")
        };
        let own = "drivelab --store s.sqlite3 --lang ja devices";
        assert_eq!(words(Rights::Own), own);
        assert_eq!(words(Rights::Drives), format!("sudo -n {own}"));
    }
}
