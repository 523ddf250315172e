//! Runs one case on a machine: performs its steps, and reports what failed.
//!
//! Everything that is sent and received goes into the case's log. The first failure ends the case; its message goes to
//! the terminal.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::fleet::case::{Case, FullStep, Step};
use crate::fleet::{Fleet, Kernel};
use crate::guest::{Guest, image_of};
use crate::images::{Differences, Images};
use crate::machine::{Job, Machine, Places};
use crate::numbers;
use crate::served;
use crate::skipped::Skipped;
use crate::stick;
use crate::wire::Answer;
use crate::wiring::{self, Wired, wire};

mod stated;

/// Default timeout of a command in seconds; the guest is slow.
const LIMIT_S: u64 = 180;

/// A command that ends so has found that it cannot be tried here; its last line is the reason.
const SKIPPED: i32 = 77;

/// A fleet, its machine while one runs, and the files of both.
pub(crate) struct Laboratory<'a> {
    pub(crate) fleet: &'a Fleet,
    guest: &'a Guest,
    pub(crate) images: Images,
    folder: PathBuf,
    places: Places,
    wired: Wired,
    machine: Option<Machine>,
    stick: Option<stick::Machine>,
    jobs: BTreeMap<String, Job>,
    numbers: BTreeMap<String, f64>,
    log: Option<File>,
}

impl<'a> Laboratory<'a> {
    /// Makes the drives' images and the disk for results; boots nothing yet.
    pub(crate) fn new(
        fleet: &'a Fleet,
        guest: &'a Guest,
        folder: PathBuf,
    ) -> Result<Laboratory<'a>> {
        std::fs::create_dir_all(&folder)?;
        let images = Images::new(&folder);
        for drive in &fleet.drives {
            match drive.serves {
                Some(_) => served::forget(&folder, &drive.id),
                None => images.make(drive)?,
            }
        }
        let empty = folder.join("empty");
        std::fs::create_dir_all(&empty)?;
        let state = folder.join("state.img");
        image_of(&empty, &state, 1024)?;
        Ok(Laboratory {
            fleet,
            guest,
            images,
            wired: wire(fleet, None, &folder)?,
            places: Places {
                folder: folder.clone(),
                state,
            },
            folder,
            machine: None,
            stick: None,
            jobs: BTreeMap::new(),
            numbers: BTreeMap::new(),
            log: None,
        })
    }

    /// The location of a case's log.
    pub(crate) fn log_of(&self, case: &Case) -> PathBuf {
        let name: String = case
            .name
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '-' })
            .collect();
        self.folder.join(format!("{name}.log"))
    }

    /// Tries a case; an error is what did not hold.
    pub(crate) fn perform(&mut self, case: &Case) -> Result<()> {
        self.log = Some(File::create(self.log_of(case))?);
        self.numbers.clear();
        let result = self
            .attempt(case)
            .map_err(|error| self.with_what_goes_on(error));
        if let Err(error) = &result {
            self.write_log(&format!("DID NOT HOLD: {error:#}"));
        }
        self.clear_away(case, result.is_err());
        match (result, &case.waits_for) {
            (Err(error), Some(what)) if error.downcast_ref::<Skipped>().is_none() => {
                Err(Skipped(format!("it waits for {what} ({error:#})")).into())
            }
            (Ok(()), Some(what)) => bail!("it holds, and says that it waits for {what}"),
            (result, _) => result,
        }
    }

    /// A background command is often the reason for a failed step: the log has its output, the error how it ended.
    fn with_what_goes_on(&mut self, mut error: anyhow::Error) -> anyhow::Error {
        let jobs = std::mem::take(&mut self.jobs);
        for (name, job) in &jobs {
            match job.ended() {
                Some(answer) => {
                    self.log_answer(&format!("{name}, which had ended before"), &answer);
                    if error.downcast_ref::<Skipped>().is_none() {
                        error = error.context(ended_before(name, &answer));
                    }
                }
                None if self.machine.is_some() => {
                    let _ = self.run(&format!("tail -n 40 {}", job.output()), 20); // the log is all
                }
                None => {}
            }
        }
        self.jobs = jobs;
        error
    }

    fn attempt(&mut self, case: &Case) -> Result<()> {
        if self.fleet.kernel == Kernel::Stick {
            // Each case has a new stick.
            self.stick = None;
            stick::new_stick(self.guest, &self.folder)?;
        } else {
            self.machine()?;
        }
        if !case.needs.is_empty() {
            let needs = format!("guest-needs {}", case.needs.join(" "));
            let answer = self.run(&needs, LIMIT_S)?;
            expect(&needs, &answer, &FullStep::default())?;
        }
        for id in &case.unchanged {
            self.images.remember(id)?;
        }
        for step in &case.steps {
            match step {
                Step::Plain(command) => {
                    let answer = self.run(command, LIMIT_S)?;
                    expect(command, &answer, &FullStep::default())?;
                }
                Step::Full(step) => self.watched_step(step)?,
            }
        }
        self.still_the_same(&case.unchanged)
    }

    fn watched_step(&mut self, step: &FullStep) -> Result<()> {
        for id in step.watched() {
            self.images.remember(id)?;
        }
        self.step(step)?;
        self.still_the_same(&step.unchanged)?;
        for (id, ranges) in &step.may_change {
            let ranges: Vec<Range<u64>> = ranges.iter().map(|[from, to]| *from..*to).collect();
            let found = self.images.compare(id, &ranges)?;
            self.outside_of(id, &found)?;
            if found.inside == 0 {
                bail!("{id}: nothing was written at all: this tries nothing");
            }
        }
        Ok(())
    }

    fn still_the_same(&self, drives: &[String]) -> Result<()> {
        drives
            .iter()
            .try_for_each(|id| self.outside_of(id, &self.images.compare(id, &[])?))
    }

    fn outside_of(&self, id: &str, found: &Differences) -> Result<()> {
        match found.first_outside {
            None => Ok(()),
            Some(first) => bail!(
                "{id}: {} bytes were written that may not be, the first at {first}",
                found.outside
            ),
        }
    }

    /// A guest in which a case has failed is not reused for the next one.
    fn clear_away(&mut self, case: &Case, failed: bool) {
        if self.machine.is_some() {
            for command in &case.after {
                let _ = self.run(command, LIMIT_S);
            }
        }
        self.stick = None;
        let hung = !self.jobs.is_empty();
        self.jobs.clear();
        if failed && hung || self.machine.is_some() && self.run("true", 20).is_err() {
            self.machine = None;
        }
    }

    fn step(&mut self, step: &FullStep) -> Result<()> {
        let limit = step.limit_s.unwrap_or(LIMIT_S);
        if let Some(command) = &step.run {
            let answer = self.run(command, limit)?;
            expect(command, &answer, step)?;
            self.keep(&answer, step)
        } else if let Some(command) = &step.start {
            self.write_log(&format!("in the background: $ {command}"));
            let job = self.machine()?.start(command, limit)?;
            self.jobs.insert(step.job.clone(), job);
            Ok(())
        } else if let Some(name) = &step.finish {
            let job = self
                .jobs
                .remove(name)
                .with_context(|| format!("no job {name} was started"))?;
            let answer = job.finish()?;
            self.log_answer(name, &answer);
            expect(name, &answer, step)?;
            self.keep(&answer, step)
        } else if let Some(command) = &step.stated {
            stated::try_on_all(self, command, step, limit)
        } else if let Some(text) = &step.types {
            self.write_log(&format!("typed: {text:?}"));
            self.stick.as_mut().context("no stick runs")?.types(text)
        } else if let Some(text) = &step.screen {
            self.write_log(&format!("on the screen: {text:?}"));
            self.stick
                .as_ref()
                .context("no stick runs")?
                .wait_for(text, limit)
        } else if let Some(deed) = &step.machine {
            self.write_log(&format!("the machine: {deed}"));
            self.do_to_machine(deed).with_context(|| deed.clone())
        } else {
            numbers::judge(step, &self.numbers)
        }
    }

    /// Starts a command on the machine, and logs it.
    pub(crate) fn start(&mut self, command: &str, limit_s: u64) -> Result<Job> {
        self.machine()?.start(command, limit_s)
    }

    /// Runs a command in the guest to its end.
    pub(crate) fn run(&mut self, command: &str, limit_s: u64) -> Result<Answer> {
        let answer = match self.fleet.kernel {
            Kernel::Stick => stick::run_beside(command, &self.folder, limit_s),
            _ => self.machine()?.start(command, limit_s)?.finish(),
        };
        match &answer {
            Ok(answer) => self.log_answer(command, answer),
            Err(error) => self.write_log(&format!("$ {command}\n{error:#}")),
        }
        answer
    }

    fn keep(&mut self, answer: &Answer, step: &FullStep) -> Result<()> {
        if step.keep.is_empty() {
            return Ok(());
        }
        let start = answer.output.find('{').context("the output is no JSON")?;
        let json: Value = serde_json::Deserializer::from_str(&answer.output[start..])
            .into_iter()
            .next()
            .context("the output is no JSON")?
            .context("the output is no JSON")?;
        for (name, path) in &step.keep {
            let number = numbers::find(&json, path)?;
            self.write_log(&format!("{name} = {number}"));
            self.numbers.insert(name.clone(), number);
        }
        Ok(())
    }

    fn machine(&mut self) -> Result<&mut Machine> {
        if self.machine.is_none() {
            self.boot(None)?;
        }
        self.machine.as_mut().context("no machine runs")
    }

    fn boot(&mut self, wiring: Option<&str>) -> Result<()> {
        self.machine = None;
        self.jobs.clear();
        self.stick = None;
        self.wired = wire(self.fleet, wiring, &self.folder)?;
        if self.fleet.kernel == Kernel::Stick {
            let stick = stick::Machine::boot(self.guest, self.fleet, &self.wired, &self.places)?;
            self.stick = Some(stick);
            return Ok(());
        }
        let machine = Machine::boot(self.guest, self.fleet, &self.wired, &self.places)?;
        self.machine = Some(machine);
        Ok(())
    }

    fn do_to_machine(&mut self, deed: &str) -> Result<()> {
        let words: Vec<&str> = deed.split_whitespace().collect();
        match words[..] {
            ["unplug", id] => {
                let devices = wiring::pulled_with(self.fleet, &self.wired, id)?;
                let outermost = devices[0]["id"].as_str().unwrap_or(id).to_string();
                self.machine()?.unplug(&outermost)
            }
            ["plug", id] => {
                let devices = wiring::pulled_with(self.fleet, &self.wired, id)?;
                let machine = self.machine()?;
                devices.iter().try_for_each(|device| machine.plug(device))
            }
            ["resize", id, mib] => {
                let size = mib.parse::<u64>()? << 20;
                self.machine()?.resize(&format!("{id}-node"), size)
            }
            ["limit", id, bytes_per_second] => {
                let bytes_per_second = bytes_per_second.parse()?;
                self.machine()?.limit(id, bytes_per_second)
            }
            ["pause", seconds] => {
                let seconds = Duration::from_secs(seconds.parse()?);
                self.machine()?.pause(seconds)
            }
            ["reset"] => {
                self.jobs.clear();
                let machine = self.machine.as_mut().context("no machine runs")?;
                machine.reset(&self.wired)
            }
            ["kill"] => {
                self.jobs.clear();
                self.stick = None;
                self.machine = None;
                Ok(())
            }
            ["boot"] => self.boot(None),
            ["boot", wiring] => self.boot(Some(wiring)),
            _ => bail!("nothing that can be done to a machine"),
        }
    }

    /// A line for the case's log.
    pub(crate) fn write_log(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            // The verdict does not depend on the log.
            let _ = writeln!(log, "{line}");
        }
    }

    /// A command and what came of it, for the case's log.
    pub(crate) fn log_answer(&mut self, command: &str, answer: &Answer) {
        self.write_log(&format!(
            "$ {command}\n{}[exit {}]",
            answer.output, answer.exit
        ));
    }
}

/// What a step wants of a command's end.
pub(crate) fn expect(command: &str, answer: &Answer, step: &FullStep) -> Result<()> {
    let seen = || format!("{}: {}", shortened(command), last_lines(&answer.output));
    if answer.exit == SKIPPED && step.exit != SKIPPED {
        let why = answer.output.lines().next_back().unwrap_or("no reason");
        return Err(Skipped(why.to_owned()).into());
    }
    if answer.exit != step.exit {
        bail!("exit {} in place of {}: {}", answer.exit, step.exit, seen());
    }
    for text in &step.says {
        if !answer.output.contains(text.as_str()) {
            bail!("does not say {text:?}: {}", seen());
        }
    }
    for text in &step.never {
        if answer.output.contains(text.as_str()) {
            bail!("says {text:?}: {}", seen());
        }
    }
    Ok(())
}

/// Stands before what did not hold: a step that waits for a job's doing waits in vain once the job has ended.
fn ended_before(job: &str, answer: &Answer) -> String {
    let said = last_lines(&answer.output);
    format!("{job} had ended with {} ({said})", answer.exit)
}

fn shortened(command: &str) -> String {
    let line = command.lines().next().unwrap_or_default();
    if line.len() == command.len() {
        line.to_string()
    } else {
        format!("{line} ...")
    }
}

fn last_lines(output: &str) -> String {
    let lines: Vec<&str> = output
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(3)..].join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_job_ended_with_stands_before_what_did_not_hold() {
        let answer = Answer {
            id: 1,
            exit: 1,
            output: "1 of 2\n\nheld open\n".to_string(),
        };
        let error =
            anyhow::anyhow!("exit 124 in place of 0").context(ended_before("plan", &answer));
        assert_eq!(
            format!("{error:#}"),
            "plan had ended with 1 (1 of 2 / held open): exit 124 in place of 0"
        );
    }
}
