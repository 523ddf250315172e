//! Jobs on a target, as the command line runs them.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]
#![allow(dead_code, reason = "each test takes what it needs")]

use std::path::Path;

use base::interrupt::Interrupt;
use fio::job::Job;
use fio::running::Ran;
use fio::work::{On, Work};
use lab::progress::Silent;
use lab::running::{Prepared, Request, prepare_work};
use targets::grammar::Spec;
use targets::{Consent, resolve};

/// The target as the jobs need it.
pub(crate) fn named(jobs: &[Job], target: &str) -> String {
    let spec: Spec = target.parse().unwrap();
    let spec = match jobs.iter().any(|job| !job.direct) && Path::new(target).exists() {
        true => spec.through_page_cache(),
        false => spec,
    };
    let verifies = jobs.iter().any(|job| job.verify.is_some());
    let kept = spec.keeping_contents().filter(|_| verifies);
    kept.unwrap_or(spec).to_string()
}

/// Jobs laid out on a target.
pub(crate) fn work(jobs: Vec<Job>, target: &str, consent: &Consent) -> Result<Work, String> {
    let resolved = resolve(target, consent, 1).map_err(|why| why.to_string())?;
    let zones = resolved.zones();
    let on = On {
        name: target,
        info: resolved.provisional,
        zones: zones.as_ref(),
        is_made: resolved.is_a_test_file(),
        is_a_model: resolved.is_a_model(),
    };
    Work::new(jobs, "", &on).map_err(|why| why.to_string())
}

/// The same, checked as any method is.
pub(crate) fn prepared<'w>(
    work: &'w Work,
    target: &str,
    consent: Consent,
) -> Result<Prepared<'w>, String> {
    let settings = work.settings(1);
    let request = Request {
        consent,
        ..Request::new("fio", target, settings.scale, settings.seed)
    };
    prepare_work(work, settings, request).map_err(|why| why.to_string())
}

/// Runs jobs to their end: the jobs, and what came of each copy.
pub(crate) fn run(
    jobs: Vec<Job>,
    target: &str,
    consent: Consent,
) -> Result<(Vec<Job>, Vec<Ran>), String> {
    let target = named(&jobs, target);
    let work = work(jobs, &target, &consent)?;
    let prepared = prepared(&work, &target, consent)?;
    let ran = prepared.run(None, &mut Silent, &Interrupt::new());
    ran.map_err(|why| why.to_string())?;
    Ok((work.jobs().to_vec(), work.ran()))
}
