//! Runs under way: a child process each, whose lines are kept here for whoever looks.
//!
//! A run belongs to the machine and not to a page. The child measures and stores its result itself; a thread reads its
//! lines as they come, so that it never waits for a reader, and pages come, go and come back to the same run. Whoever
//! looks asks for what came after the last line that it has seen, and waits until there is more: a task of the server on
//! a channel, a menu on a terminal on a condition. Each child has a process group of its own, so that Ctrl-C in the
//! terminal reaches the window alone, which then decides what becomes of the children.
//!
//! A run is stopped by SIGINT, as by Ctrl-C: it stores what it has measured. The signal goes out under the same lock
//! under which an ended child is released, so that it cannot reach a stranger to whom the system has given the number.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use report::Lang;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use crate::asked::{Refused, Start};
use crate::lines::{Line, Lines};
use crate::program::{Program, Rights};

/// Runs that are under way at once, at most.
const MOST_AT_ONCE: usize = 8;
/// Runs that are kept, at most; the oldest that have ended go first. Their results are in the store.
const MOST_KEPT: usize = 64;
/// The longest line that is read, in bytes; the rest of it is skipped.
const LONGEST_LINE: u64 = 64 << 10;
/// The longest result that is read for its numbers, in bytes.
const MOST_OUTPUT: u64 = 64 << 20;
/// The longest answer in words that is kept.
const LONGEST_TEXT: usize = 64 << 10;

/// Why a run was not started.
#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    /// The request is none.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// There are enough.
    #[error("{MOST_AT_ONCE} runs are under way; stop one, or wait for its end")]
    TooMany,
    /// The system does not start it.
    #[error("{program} cannot be started: {why}")]
    Failed {
        program: String,
        why: std::io::Error,
    },
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Under way.
    Running,
    /// Asked to stop; it stores what it has.
    Stopping,
    /// Over.
    Ended,
}

/// A run as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    /// Its number in this window.
    pub id: u64,
    /// The method, plan or question.
    pub what: String,
    /// What it runs on.
    pub targets: Vec<String>,
    /// The request that began it.
    pub asked: Start,
    /// When it began, in milliseconds of the Unix epoch.
    pub began_unix_ms: u64,
    /// Where it is.
    pub state: State,
    /// The exit code, once it has ended by itself.
    pub code: Option<i32>,
    /// Numbers of the stored results that it printed.
    pub results: Vec<i64>,
    /// The stored plan or review that it was: `plan-2`.
    pub plan: Option<String>,
    /// The answer to a question, in words.
    pub text: Option<String>,
    /// The last words of the command line.
    pub words: Vec<String>,
    /// The last line of progress.
    pub progress: Option<Value>,
}

#[derive(Debug)]
struct Entry {
    shown: Shown,
    lines: Lines,
    /// The child, until it has been released.
    child: Option<Child>,
    /// What its rights were got by, which a signal needs, too.
    before: Vec<String>,
}

#[derive(Debug, Default)]
struct All {
    last: u64,
    entries: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Shared {
    all: Mutex<All>,
    moved: Condvar,
    changes: watch::Sender<u64>,
}

/// All runs of a window. A clone is the same ones.
#[derive(Clone, Debug)]
pub struct Runs {
    shared: Arc<Shared>,
}

impl Default for Runs {
    fn default() -> Runs {
        let shared = Shared {
            all: Mutex::default(),
            moved: Condvar::new(),
            changes: watch::Sender::new(0),
        };
        Runs {
            shared: Arc::new(shared),
        }
    }
}

impl Runs {
    /// Starts a run; its number.
    ///
    /// # Errors
    /// The request is none, there are enough runs, or the system does not start it. What the command line refuses is not
    /// an error here: the run ends, with its words and its exit code.
    pub fn start(
        &self,
        program: &Program,
        asked: Start,
        lang: Lang,
        now_unix_ms: u64,
    ) -> Result<u64, NotStarted> {
        let mut command = program.command(&asked.arguments()?, lang, Rights::Drives);
        command.process_group(0);
        let mut all = self.lock();
        let under_way = all.entries.values();
        let under_way = under_way.filter(|entry| entry.shown.state != State::Ended);
        if under_way.count() >= MOST_AT_ONCE {
            return Err(NotStarted::TooMany);
        }
        let mut child = spawn(&mut command)?;
        let pipes = (child.stdout.take(), child.stderr.take());
        all.last += 1;
        let id = all.last;
        let entry = Entry {
            shown: shown(id, asked, now_unix_ms),
            lines: Lines::default(),
            child: Some(child),
            before: program.before.clone(),
        };
        all.entries.insert(id, entry);
        all.forget_old_ones();
        drop(all);
        self.told();
        let runs = self.clone();
        std::thread::spawn(move || runs.follow(id, pipes));
        Ok(id)
    }

    /// All runs, the latest first.
    pub fn list(&self) -> Vec<Shown> {
        self.lock()
            .entries
            .values()
            .rev()
            .map(Entry::shown)
            .collect()
    }

    /// One run.
    pub fn run(&self, id: u64) -> Option<Shown> {
        self.lock().entries.get(&id).map(Entry::shown)
    }

    /// What a run has said after the line of this number, and whether it is over: then nothing will follow.
    pub fn lines_after(&self, id: u64, number: u64) -> Option<(Vec<Line>, bool)> {
        let all = self.lock();
        let entry = all.entries.get(&id)?;
        let is_over = entry.shown.state == State::Ended;
        Some((entry.lines.after(number), is_over))
    }

    /// The longest response of a run so far, in ms.
    pub fn longest_ms(&self, id: u64) -> Option<f64> {
        self.lock().entries.get(&id)?.lines.longest_ms()
    }

    /// Asks a run to stop: it stores what it has measured. Nothing happens to one that is asked already, or over; a
    /// second signal would end the program before it has stored anything.
    ///
    /// # Errors
    /// Why the signal does not reach it.
    pub fn stop(&self, id: u64) -> Result<(), String> {
        let mut all = self.lock();
        let Some(entry) = all.entries.get_mut(&id) else {
            return Err(format!("there is no run {id}"));
        };
        if entry.shown.state == State::Running {
            entry.interrupt()?;
            entry.shown.state = State::Stopping;
        }
        drop(all);
        self.told();
        Ok(())
    }

    /// Asks every run to stop; how many there were.
    pub fn stop_all(&self) -> usize {
        let under_way = self
            .list()
            .into_iter()
            .filter(|run| run.state != State::Ended);
        // One that no signal reaches goes on, and stores its result itself.
        let asked = under_way.map(|run| self.stop(run.id));
        asked.filter(Result::is_ok).count()
    }

    /// Waits until something has changed after that state of things, for so long at most; how things are then.
    pub fn wait(&self, seen: u64, at_most: Duration) -> u64 {
        let all = self.lock();
        let changes = || *self.shared.changes.borrow();
        let waited = self
            .shared
            .moved
            .wait_timeout_while(all, at_most, |_| changes() == seen);
        drop(waited);
        changes()
    }

    /// Waits for the end of all runs, for so long at most; whether they have ended.
    pub fn wait_for_all(&self, at_most: Duration) -> bool {
        let is_under_way = |all: &mut All| {
            let mut entries = all.entries.values();
            entries.any(|entry| entry.shown.state != State::Ended)
        };
        let all = self.lock();
        let moved = &self.shared.moved;
        match moved.wait_timeout_while(all, at_most, is_under_way) {
            Ok((_, time)) => !time.timed_out(),
            Err(_) => false,
        }
    }

    /// Tells of every change: a line, a start, an end.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Reads a child until its end.
    fn follow(&self, id: u64, (out, words): (Option<ChildStdout>, Option<ChildStderr>)) {
        let printed = std::thread::spawn(move || read_all(out));
        if let Some(words) = words {
            self.read_lines(id, words);
        }
        let printed = printed.join().unwrap_or_default();
        self.end(id, &printed);
    }

    fn read_lines(&self, id: u64, words: ChildStderr) {
        let mut words = BufReader::new(words);
        let mut line = Vec::new();
        loop {
            line.clear();
            match (&mut words).take(LONGEST_LINE).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {
                    let text = String::from_utf8_lossy(&line);
                    if let Some(entry) = self.lock().entries.get_mut(&id) {
                        entry.lines.take(&text);
                    }
                    self.told();
                }
            }
        }
    }

    /// Waits for the child's end, and releases it under the lock.
    fn end(&self, id: u64, printed: &[u8]) {
        let number = self.lock().entries.get(&id).and_then(Entry::pid);
        if let Some(pid) = number {
            let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            let wait = || rustix::process::waitid(WaitId::Pid(pid), ended).map(drop);
            while wait() == Err(Errno::INTR) {}
        }
        if let Some(entry) = self.lock().entries.get_mut(&id) {
            let status = entry.child.take().and_then(|mut child| child.wait().ok());
            entry.shown.code = status.and_then(|status| status.code());
            entry.shown.state = State::Ended;
            entry.shown.found_in(printed);
        }
        self.told();
    }

    fn told(&self) {
        // Under the lock: who waits has looked at the number with it, and would miss a change in between.
        let all = self.lock();
        self.shared.changes.send_modify(|changes| *changes += 1);
        drop(all);
        self.shared.moved.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        // What is kept stays readable, whatever happened to a thread that held it.
        self.shared
            .all
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
    fn forget_old_ones(&mut self) {
        while self.entries.len() > MOST_KEPT {
            let ended = self
                .entries
                .iter()
                .find(|(_, entry)| entry.shown.state == State::Ended);
            let Some(id) = ended.map(|(id, _)| *id) else {
                return;
            };
            self.entries.remove(&id);
        }
    }
}

impl Entry {
    fn shown(&self) -> Shown {
        Shown {
            words: self.lines.words(20),
            progress: self.lines.progress().cloned(),
            ..self.shown.clone()
        }
    }

    fn pid(&self) -> Option<Pid> {
        let number = self.child.as_ref()?.id();
        Pid::from_raw(i32::try_from(number).ok()?)
    }

    fn interrupt(&self) -> Result<(), String> {
        let Some(pid) = self.pid() else {
            return Ok(());
        };
        let failed = |why: &dyn std::fmt::Display| format!("the run cannot be stopped: {why}");
        let Some((first, others)) = self.before.split_first() else {
            let sent = rustix::process::kill_process(pid, Signal::INT);
            return sent.map_err(|why| failed(&why));
        };
        // It has another user's rights, so the signal needs them, too; sudo passes it on to the program.
        let number = pid.as_raw_nonzero().to_string();
        let mut command = Command::new(first);
        command.args(others).args(["kill", "-INT", &number]);
        let ended = command.stdin(Stdio::null()).output();
        let ended = ended.map_err(|why| failed(&why))?;
        if ended.status.success() {
            return Ok(());
        }
        let words = String::from_utf8_lossy(&ended.stderr);
        let why = words.lines().next().unwrap_or_default();
        let typed = self.before.join(" ");
        Err(failed(&format!("{typed} kill: {why}")))
    }
}

impl Shown {
    /// What the printed document says of where its results are.
    fn found_in(&mut self, printed: &[u8]) {
        let Ok(document) = serde_json::from_slice::<Value>(printed) else {
            let text = String::from_utf8_lossy(printed);
            let text: String = text.trim().chars().take(LONGEST_TEXT).collect();
            self.text = (!text.is_empty()).then_some(text);
            return;
        };
        let id = document["id"].as_i64().filter(|id| *id > 0);
        if document["steps"].is_array() {
            self.plan = id.map(|id| format!("plan-{id}"));
        } else {
            self.results.extend(id);
        }
        let plan = document["plan"].as_i64().map(|id| format!("plan-{id}"));
        self.plan = plan.or(self.plan.take());
        let several = document["results"].as_array().into_iter().flatten();
        let several = several.filter_map(|result| result["id"].as_i64());
        self.results.extend(several.filter(|id| *id > 0));
    }
}

fn shown(id: u64, asked: Start, began_unix_ms: u64) -> Shown {
    let (what, targets) = asked.names();
    Shown {
        id,
        what: what.to_owned(),
        targets,
        began_unix_ms,
        state: State::Running,
        code: None,
        results: Vec::new(),
        plan: None,
        text: None,
        words: Vec::new(),
        progress: None,
        asked,
    }
}

fn spawn(command: &mut Command) -> Result<Child, NotStarted> {
    command.spawn().map_err(|why| NotStarted::Failed {
        program: command.get_program().to_string_lossy().into_owned(),
        why,
    })
}

/// All that is printed; what is beyond the limit is read and not kept, so that the child can end.
fn read_all(out: Option<ChildStdout>) -> Vec<u8> {
    let mut printed = Vec::new();
    if let Some(mut out) = out {
        let _ = (&mut out).take(MOST_OUTPUT).read_to_end(&mut printed);
        let _ = std::io::copy(&mut out, &mut std::io::sink());
    }
    printed
}

#[cfg(test)]
mod tests;
