//! Runs test binaries side by side, and prints what each said when it has ended.
//!
//! A binary spends much of its time on one processor: at its end, where the longest test is left, and where it waits
//! for a program or for real time. Another binary fills the gaps. Each is the leader of a process group of its own, so
//! that those still running, and what they have started, can be ended.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::counts::Counts;
use crate::test_binaries::Binary;

/// How long what was asked to end may take for it.
const GRACE: Duration = Duration::from_secs(5);

/// What happened to the binaries that run.
enum Event {
    /// A line on standard output of the binary of that number.
    Line(usize, String),
    /// It has closed its standard output.
    End(usize),
    /// The user or the system wants an end.
    Stop(i32),
}

/// A binary that runs.
struct Running {
    number: usize,
    name: String,
    child: Child,
    said: Vec<String>,
    /// Its standard error, printed after the rest: the harness says nothing there.
    errors: PathBuf,
}

/// How a run of binaries ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    All,
    /// What was still running was killed.
    Early,
}

/// Runs binaries of one list after another, at most so many at once.
pub(crate) struct SideBySide<'a> {
    /// Where standard error is kept until it is printed.
    folder: &'a Path,
    /// No line for so long ends the run.
    silence: Duration,
    counts: &'a mut Counts,
    running: Vec<Running>,
    started: usize,
    events: Receiver<Event>,
    tell: Sender<Event>,
}

impl<'a> SideBySide<'a> {
    /// From here on a signal to end is obeyed by ending what runs.
    ///
    /// # Errors
    /// Where signals cannot be received.
    pub(crate) fn new(
        folder: &'a Path,
        silence: Duration,
        counts: &'a mut Counts,
    ) -> Result<SideBySide<'a>> {
        let (tell, events) = channel();
        let mut signals = Signals::new([SIGINT, SIGTERM]).context("signals")?;
        let stop = tell.clone();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                // Nobody listens any more: the run is over.
                let _ = stop.send(Event::Stop(signal));
            }
        });
        Ok(SideBySide {
            folder,
            silence,
            counts,
            running: Vec::new(),
            started: 0,
            events,
            tell,
        })
    }

    /// Runs all of them.
    pub(crate) fn run(&mut self, binaries: Vec<Binary>, at_once: usize) -> Ended {
        let mut waiting = VecDeque::from(binaries);
        loop {
            while self.running.len() < at_once
                && let Some(next) = waiting.pop_front()
            {
                if let Err(error) = self.start(&next) {
                    let name = next.name().join(" ");
                    let what = format!("the tests of {name} do not start: {error:#}");
                    self.counts.take_failure_outside(&what);
                }
            }
            if self.running.is_empty() {
                return Ended::All;
            }
            match self.events.recv_timeout(self.silence) {
                Ok(Event::Line(number, line)) => self.take_line(number, line),
                Ok(Event::End(number)) => self.end(number),
                Ok(Event::Stop(signal)) => {
                    self.kill_all(&format!("signal {signal} ended the run"));
                    return Ended::Early;
                }
                Err(_) => {
                    let minutes = self.silence.as_secs() / 60;
                    self.kill_all(&format!("no test has ended for {minutes} minutes"));
                    return Ended::Early;
                }
            }
        }
    }

    fn start(&mut self, binary: &Binary) -> Result<()> {
        let number = self.started;
        self.started += 1;
        let errors = self.folder.join(format!("errors-{number}"));
        let mut child = binary
            .command()
            .stdout(Stdio::piped())
            .stderr(File::create(&errors)?)
            .process_group(0)
            .spawn()?;
        let output = child.stdout.take().context("no standard output")?;
        let tell = self.tell.clone();
        std::thread::spawn(move || {
            // A test may print anything; what is not text is no line of the harness.
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                let _ = tell.send(Event::Line(number, line));
            }
            let _ = tell.send(Event::End(number));
        });
        self.running.push(Running {
            number,
            name: binary.name().join(" "),
            child,
            said: Vec::new(),
            errors,
        });
        Ok(())
    }

    fn take_line(&mut self, number: usize, line: String) {
        let found = self.running.iter_mut().find(|one| one.number == number);
        if let Some(one) = found {
            one.said.push(line);
        }
    }

    fn end(&mut self, number: usize) {
        if let Some(at) = self.running.iter().position(|one| one.number == number) {
            let mut one = self.running.swap_remove(at);
            let status = one.child.wait();
            one.tell(self.counts);
            one.judge(status, self.counts);
        }
    }

    /// Asks all to end, and ends what does not; says what they had said.
    fn kill_all(&mut self, why: &str) {
        self.signal_all(Signal::TERM);
        while !self.running.is_empty() {
            match self.events.recv_timeout(GRACE) {
                Ok(Event::Line(number, line)) => self.take_line(number, line),
                Ok(Event::End(number)) => {
                    let at = self.running.iter().position(|one| one.number == number);
                    if let Some(mut one) = at.map(|at| self.running.swap_remove(at)) {
                        // How it ended is our doing.
                        let _ = one.child.wait();
                        one.tell(self.counts);
                        self.counts
                            .take_failure_outside(&format!("{}: not ended: {why}", one.name));
                    }
                }
                Ok(Event::Stop(_)) | Err(_) => self.signal_all(Signal::KILL),
            }
        }
    }

    fn signal_all(&self, signal: Signal) {
        for one in &self.running {
            // It may have ended this instant: that is what we want.
            let _ = kill_process_group(Pid::from_child(&one.child), signal);
        }
    }
}

impl Running {
    /// Prints and counts what it said.
    fn tell(&self, counts: &mut Counts) {
        println!("\ntests of {}", self.name);
        for line in &self.said {
            println!("{line}");
            counts.take_line(line);
        }
        let errors = std::fs::read(&self.errors).unwrap_or_default();
        eprint!("{}", String::from_utf8_lossy(&errors));
    }

    /// A binary that dies has no line that would be counted.
    fn judge(&self, status: std::io::Result<ExitStatus>, counts: &mut Counts) {
        let failed = self
            .said
            .iter()
            .any(|line| line.starts_with("test result: FAILED"));
        let what = match status {
            Ok(status) if status.success() || failed => return,
            Ok(status) => format!("ended with {status} though no test failed: it died"),
            Err(error) => format!("cannot be waited for: {error}"),
        };
        counts.take_failure_outside(&format!("the tests of {}: {what}", self.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(scripts: &[(&str, &str)], at_once: usize, silence: Duration) -> (Ended, Counts) {
        static FOLDERS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = FOLDERS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("drivelab-side-by-side-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let mut counts = Counts::default();
        let binaries = scripts.iter().map(|(name, script)| {
            let script = script.replace("FOLDER", folder.to_str().unwrap());
            Binary::script(name, &script)
        });
        let binaries = binaries.collect();
        let ended = SideBySide::new(&folder, silence, &mut counts)
            .unwrap()
            .run(binaries, at_once);
        std::fs::remove_dir_all(&folder).unwrap();
        (ended, counts)
    }

    const LONG: Duration = Duration::from_secs(60);
    const GOOD: &str = "echo test a ... ok; echo 'test result: ok. 1 passed; 0 failed; 0 ignored'";

    #[test]
    fn a_failed_binary_and_one_that_dies_do_not_end_the_run() {
        let bad =
            "echo test b ... FAILED; echo 'test result: FAILED. 0 passed; 1 failed'; exit 101";
        let scripts = [("bad", bad), ("dead", "kill -9 $$"), ("good", GOOD)];
        let (ended, counts) = run(&scripts, 2, LONG);
        assert_eq!(ended, Ended::All);
        assert_eq!(counts.line(), "1 passed, 2 failed, 0 skipped");
        // Which of the two ends first is chance.
        let told = |start: &str| counts.failures.iter().any(|told| told.starts_with(start));
        assert!(told("b") && told("the tests of dead"), "{counts:?}");
    }

    #[test]
    fn two_run_at_once_and_one_that_is_alone_has_nobody_beside_it() {
        // Each waits for what the other does: one after the other they would wait for ever.
        let meet = |own: &str, other: &str| {
            format!("touch FOLDER/{own}; until [ -e FOLDER/{other} ]; do sleep 0.01; done; {GOOD}")
        };
        let (first, second) = (meet("a", "b"), meet("b", "a"));
        let pair = [("first", first.as_str()), ("second", second.as_str())];
        let (_, counts) = run(&pair, 2, LONG);
        assert_eq!(counts.line(), "2 passed, 0 failed, 0 skipped");
        let alone = format!("mkdir FOLDER/held && sleep 0.05 && rmdir FOLDER/held && {GOOD}");
        let (_, counts) = run(&[("a", alone.as_str()), ("b", alone.as_str())], 1, LONG);
        assert_eq!(counts.line(), "2 passed, 0 failed, 0 skipped");
    }

    #[test]
    fn silence_ends_what_runs_and_what_it_has_started() {
        let hangs = "echo $$ > FOLDER/group; sleep 1000 & echo test a ... ok; sleep 1000";
        let (ended, counts) = run(&[("hangs", hangs)], 2, Duration::from_millis(300));
        assert_eq!(ended, Ended::Early);
        // Had the child of the shell lived on, its standard output would not have been closed, and we not be here.
        assert_eq!(counts.failed, 1, "{counts:?}");
        assert!(counts.failures[0].starts_with("hangs"), "{counts:?}");
    }
}
