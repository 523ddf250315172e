//! Points of a sweep, made by the workers of a Dask scheduler.
//!
//! Dask sends objects of Python, so Python speaks with it: the package drivelab, started as a program, takes a point a
//! line and gives a line for each as it comes. A worker makes a point from its line alone, by the code that this program
//! has, too; the figures are those of a sweep here, to the bit.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use base::Interrupt;
use lab::LabError;
use lab::point::Point;
use results::RunResult;
use serde::Deserialize;

use crate::output::Failure;

/// How long an interrupt may wait for its answer.
const PATIENCE: Duration = Duration::from_millis(100);
/// What is to be installed.
const NEEDS: &str = "sweep --scheduler needs Python with drivelab's package and Dask (pip install 'drivelab[fleet]', from the wheel that `make python` builds); PYTHON names another interpreter than python3";

/// A line of the package's.
#[derive(Deserialize)]
struct Made {
    /// Its number in the order in which they were given.
    point: usize,
    result: Option<Box<RunResult>>,
    why_not: Option<String>,
}

/// Makes all points; one result each, in order. `told` hears how many are done, of how many.
pub(super) fn make(
    address: &str,
    points: &[Point],
    interrupt: &Interrupt,
    told: &dyn Fn(usize, usize),
) -> Result<Vec<Result<RunResult, LabError>>, Failure> {
    for point in points {
        point.check_it_names_no_file()?;
    }
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut child = Command::new(&python)
        .args(["-m", "drivelab", "fleet", address])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|why| Failure::Failed(format!("{NEEDS}: {python}: {why}")))?;
    let said = last_line_of(&mut child);
    let lines = output_of(&mut child, points);
    let mut made: Vec<Option<Result<RunResult, LabError>>> = Vec::new();
    made.resize_with(points.len(), || None);
    let mut done = 0;
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                let (number, result) = read(&line, points.len())?;
                made[number] = Some(result);
                done += 1;
                told(done, points.len());
            }
            Err(RecvTimeoutError::Timeout) if interrupt.wanted() => {
                // It has a signal of its own where that came from a terminal; it may be gone already.
                let _ = child.kill();
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = child.wait();
    LabError::not_interrupted(interrupt)?;
    match made.into_iter().collect::<Option<Vec<_>>>() {
        Some(made) if status.is_ok_and(|status| status.success()) => Ok(made),
        _ => Err(Failure::Failed(why_not(&said.recv().unwrap_or_default()))),
    }
}

/// One line for what the package said last.
fn why_not(said: &str) -> String {
    match said {
        "" => "the Python that speaks with the scheduler ended without a word".to_owned(),
        said if said.contains("No module named") || said.contains("drivelab[fleet]") => {
            format!("{NEEDS}: {said}")
        }
        said => said.to_owned(),
    }
}

/// Gives it the points, and reads what it prints.
fn output_of(child: &mut Child, points: &[Point]) -> Receiver<String> {
    let (send, lines) = channel();
    let asked: String = points.iter().map(|point| point.line() + "\n").collect();
    let (input, output) = (child.stdin.take(), child.stdout.take());
    std::thread::spawn(move || {
        // One that has ended early says why on its standard error.
        let _ = input.map(|mut input| input.write_all(asked.as_bytes()));
        let lines = output
            .into_iter()
            .flat_map(|output| BufReader::new(output).lines());
        for line in lines.map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

fn last_line_of(child: &mut Child) -> Receiver<String> {
    let (send, said) = channel();
    let errors = child.stderr.take();
    std::thread::spawn(move || {
        let mut all = Vec::new();
        let _ = errors.map(|mut errors| errors.read_to_end(&mut all));
        let all = String::from_utf8_lossy(&all);
        let last = all.lines().rev().find(|line| !line.trim().is_empty());
        let _ = send.send(last.unwrap_or_default().to_owned());
    });
    said
}

fn read(line: &str, points: usize) -> Result<(usize, Result<RunResult, LabError>), Failure> {
    let bad = |why: String| Failure::Failed(format!("the Python package drivelab said: {why}"));
    let made: Made = serde_json::from_str(line).map_err(|why| bad(why.to_string()))?;
    if made.point >= points {
        return Err(bad(format!("point {} of {points}", made.point)));
    }
    let result = match (made.result, made.why_not) {
        (Some(mut result), _) => {
            result.restore_messages();
            Ok(*result)
        }
        (None, why) => Err(LabError::Elsewhere(why.unwrap_or_default())),
    };
    Ok((made.point, result))
}
