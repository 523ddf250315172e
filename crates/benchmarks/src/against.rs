//! This program's models compared with another drivelab's: the same cases alternately, as a ratio.
//!
//! A machine's speed drifts by more than the effect of a change of the models, so figures of two days are not
//! comparable. The other program may be any drivelab with `bench model --json`, however old. It runs as a separate
//! process and announces each case; then it is stopped, while this program runs the case that the other has just
//! finished. Both count their own processor time. A ratio is the median of several such rounds.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use stats::median;

use crate::error::BenchmarkError;
use crate::model::{CASES, row};

/// One case in both programs, in I/Os a second of processor time, round by round.
#[derive(Clone, Debug)]
pub struct Beside {
    /// What was simulated.
    pub name: &'static str,
    /// This program's.
    pub ours: Vec<f64>,
    /// The other's; none where it does not have the case.
    pub theirs: Vec<f64>,
}

impl Beside {
    /// How many times as fast this program is, in each round.
    fn ratios(&self) -> Vec<f64> {
        let rounds = self.ours.iter().zip(&self.theirs);
        rounds.map(|(ours, theirs)| ours / theirs).collect()
    }
}

/// Runs the cases in this program and in another one; a round takes two minutes or so.
///
/// # Errors
/// If the other program cannot be run or has unexpected output, or a drive cannot be built.
pub fn bench_against(
    program: &Path,
    rounds: u32,
    say: &mut dyn FnMut(&str),
) -> Result<Vec<Beside>, BenchmarkError> {
    let nothing_yet = |case: &(sim::speed::Case, _, _)| Beside {
        name: case.0.title(),
        ours: Vec::new(),
        theirs: Vec::new(),
    };
    let mut all: Vec<Beside> = CASES.iter().map(nothing_yet).collect();
    for round in 1..=rounds {
        say(&format!("round {round} of {rounds}"));
        let theirs = one_round(program, &mut all, say)?;
        for beside in &mut all {
            let same = theirs.rows.iter().find(|row| row.name == beside.name);
            beside.theirs.extend(same.map(|row| row.per_cpu_second));
        }
    }
    Ok(all)
}

/// Each case in the other program, then in this one; returns the other one's final output.
fn one_round(
    program: &Path,
    all: &mut [Beside],
    say: &mut dyn FnMut(&str),
) -> Result<Theirs, BenchmarkError> {
    let mut other = Other::start(program)?;
    let mut cases = CASES.iter().zip(all.iter_mut());
    while other.ends_a_case()? {
        other.signal(Signal::STOP)?;
        let Some(((case, ios, bar), beside)) = cases.next() else {
            return Err(failed(program, "it has more cases than this program"));
        };
        beside.ours.push(row(*case, *ios, *bar)?.per_cpu_second);
        say(beside.name);
        other.signal(Signal::CONT)?;
    }
    for ((case, ios, bar), beside) in cases {
        beside.ours.push(row(*case, *ios, *bar)?.per_cpu_second);
        say(beside.name);
    }
    other.end(program)
}

/// The other program while it runs.
struct Other {
    child: Child,
    said: BufReader<std::process::ChildStderr>,
    begun: bool,
}

impl Other {
    fn start(program: &Path) -> Result<Other, BenchmarkError> {
        let mut child = Command::new(program)
            .args(["develop", "bench", "model", "--json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|why| failed(program, &why.to_string()))?;
        let said = child.stderr.take();
        let said = said.ok_or_else(|| failed(program, "its standard error is closed"))?;
        Ok(Other {
            child,
            said: BufReader::new(said),
            begun: false,
        })
    }

    /// Waits until it announces another case after its first one; false if it has ended.
    fn ends_a_case(&mut self) -> Result<bool, BenchmarkError> {
        loop {
            let mut line = String::new();
            let read = self.said.read_line(&mut line);
            if read.map_err(|why| BenchmarkError::Failed(why.to_string()))? == 0 {
                return Ok(false);
            }
            if CASES
                .iter()
                .any(|(case, ..)| line.starts_with(case.title()))
                && std::mem::replace(&mut self.begun, true)
            {
                return Ok(true);
            }
        }
    }

    fn signal(&self, signal: Signal) -> Result<(), BenchmarkError> {
        kill_process(Pid::from_child(&self.child), signal)
            .map_err(|why| BenchmarkError::Failed(why.to_string()))
    }

    /// What it printed, once it has ended.
    fn end(mut self, program: &Path) -> Result<Theirs, BenchmarkError> {
        let mut printed = String::new();
        if let Some(mut output) = self.child.stdout.take() {
            let read = output.read_to_string(&mut printed);
            read.map_err(|why| failed(program, &why.to_string()))?;
        }
        serde_json::from_str(&printed).map_err(|why| failed(program, &why.to_string()))
    }
}

impl Drop for Other {
    /// Stopped or not, it does not outlive this program's interest in it.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What is read of the other program's document.
#[derive(Deserialize)]
struct Theirs {
    rows: Vec<TheirRow>,
}

#[derive(Deserialize)]
struct TheirRow {
    name: String,
    per_cpu_second: f64,
}

fn failed(program: &Path, why: &str) -> BenchmarkError {
    BenchmarkError::Failed(format!("{} bench model: {why}", program.display()))
}

/// The comparison for people, the least ratio first.
pub fn text(mut all: Vec<Beside>) -> String {
    let ratio = |beside: &Beside| median(&beside.ratios()).unwrap_or(f64::NAN);
    all.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let mut out = format!(
        "{:62} {:>6} {:>11} {:>12} {:>6}\n",
        "simulated, one core: this program's speed over the other's",
        "ratio",
        "rounds",
        "M I/O/CPU-s",
        "other"
    );
    for beside in &all {
        let ratios = beside.ratios();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let millions = |rates: &[f64]| median(rates).unwrap_or(f64::NAN) / 1e6;
        // Writing to memory cannot fail.
        let _ = writeln!(
            out,
            "{:62} {:>6.2} {:>5.2}-{:<5.2} {:>12.2} {:>6.2}",
            beside.name,
            ratio(beside),
            least,
            most,
            millions(&beside.ours),
            millions(&beside.theirs)
        );
    }
    out
}
