//! Only the stated ranges: a command's own `--dry-run` states what it may write, and nothing else may differ
//! afterwards.
//!
//! The command is run on several drives in parallel, since most of its time is waiting: first its dry run on each, then
//! the run itself, then each image is compared with its reference, byte by byte. A method that requires flash is
//! refused on a hard disk, dry or not, and there no byte may differ.

use std::ops::Range;

use anyhow::{Context, Result, bail};

use crate::fleet::case::FullStep;
use crate::perform::{Laboratory, expect};

/// Tries the command on every drive of the step.
pub(crate) fn try_on_all(
    laboratory: &mut Laboratory<'_>,
    command: &str,
    step: &FullStep,
    limit_s: u64,
) -> Result<()> {
    let run_on = |id: &String| {
        format!(
            "{} --destroy-data --confirm ${id}_serial",
            on_drive(command, id)
        )
    };
    let mut ranges = Vec::new();
    let mut jobs = Vec::new();
    let mut refused = Vec::new();
    for id in &step.on {
        if laboratory.fleet.refuses(id, command)? {
            refused.push(id);
            continue;
        }
        laboratory.images.remember(id)?;
        let dry = format!("{} --dry-run", run_on(id));
        jobs.push((id, dry.clone(), laboratory.start(&dry, limit_s)?));
    }
    for (id, dry, job) in jobs {
        let answer = job.finish()?;
        laboratory.log_answer(&dry, &answer);
        expect(&dry, &answer, &FullStep::default())?;
        ranges.push((id, stated_ranges(&answer.output)?));
    }
    for id in refused {
        must_be_refused(laboratory, id, &run_on(id), limit_s)?;
    }
    let mut jobs = Vec::new();
    for (id, allowed) in ranges {
        let run = run_on(id);
        jobs.push((id, allowed, run.clone(), laboratory.start(&run, limit_s)?));
    }
    let mut ran = Vec::new();
    for (id, allowed, run, job) in jobs {
        let answer = job.finish()?;
        laboratory.log_answer(&run, &answer);
        expect(&run, &answer, step)?;
        let reason = step.writes_nothing_saying.as_ref();
        let has_reason = reason.is_some_and(|reason| answer.output.contains(reason));
        ran.push((id, allowed, has_reason || step.may_write_nothing));
    }
    for (id, allowed, may_write_nothing) in ran {
        compare(laboratory, id, &allowed, may_write_nothing)?;
    }
    Ok(())
}

fn must_be_refused(
    laboratory: &mut Laboratory<'_>,
    id: &str,
    run: &str,
    limit_s: u64,
) -> Result<()> {
    let refusal = FullStep {
        exit: 2,
        says: vec!["does not apply to hard disks".to_owned()],
        ..FullStep::default()
    };
    laboratory.images.remember(id)?;
    for command in [format!("{run} --dry-run"), run.to_owned()] {
        let answer = laboratory.run(&command, limit_s)?;
        expect(&command, &answer, &refusal)?;
    }
    compare(laboratory, id, &[], true)
}

fn compare(
    laboratory: &mut Laboratory<'_>,
    id: &str,
    allowed: &[Range<u64>],
    may_write_nothing: bool,
) -> Result<()> {
    let found = laboratory.images.compare(id, allowed)?;
    laboratory.write_log(&format!(
        "{id}: {} bytes changed inside the ranges, {} outside",
        found.inside, found.outside
    ));
    if let Some(first) = found.first_outside {
        bail!(
            "{id}: {} bytes outside the stated ranges, the first at {first}",
            found.outside
        );
    }
    if found.inside == 0 && !may_write_nothing {
        bail!("{id}: nothing was written at all: this tries nothing");
    }
    Ok(())
}

fn on_drive(command: &str, id: &str) -> String {
    command.replace("$DRIVE", &format!("${id}"))
}

/// The lines `  writes bytes A to B (...)` of a dry run; B is not written.
fn stated_ranges(output: &str) -> Result<Vec<Range<u64>>> {
    output
        .lines()
        .filter_map(|line| line.trim().strip_prefix("writes bytes "))
        .map(|line| {
            let mut words = line.split_whitespace();
            let (from, to, until) = (words.next(), words.next(), words.next());
            match (from.map(str::parse), to, until.map(str::parse)) {
                (Some(Ok(from)), Some("to"), Some(Ok(until))) => Ok(from..until),
                _ => Err(()),
            }
            .ok()
            .with_context(|| format!("a range that is not understood: {line}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_taken_from_a_dry_run() {
        let output = "full-scan on /dev/sda\n  writes bytes 0 to 8388608 (8 MiB)\n  \
                      writes bytes 16777216 to 16781312 (4 KiB)\n  8392704 bytes may be overwritten\n";
        assert_eq!(
            stated_ranges(output).unwrap(),
            [0..8_388_608, 16_777_216..16_781_312]
        );
        assert!(stated_ranges("writes bytes many to none").is_err());
        assert!(stated_ranges("writes nothing").unwrap().is_empty());
    }
}
