//! `drivelab fleet`: one plan on the drives of many hosts.

use std::path::{Path, PathBuf};

use ::fleet::hosts::{self, Host};
use ::fleet::{Ended, Event, FleetError, Order, Ssh};
use base::method::Scale;
use plans::hosts::{Batch, batches};
use results::plan::PlanOutcome;
use results::screening::Acceptance;

use crate::arguments::FleetArguments;
use crate::commands::{Session, accepted, report_at, write};
use crate::output::{Failure, print, say, tell};
use crate::signals;

/// Runs the plan everywhere, fetches and stores the results, and judges the drives by model and firmware.
pub(crate) fn fleet(session: &Session, arguments: &FleetArguments) -> Result<(), Failure> {
    if plans::ready::find(&arguments.plan)?.is_none() {
        return Err(Failure::Usage(format!(
            "'{}' is not a plan: `drivelab plans` lists them; a method needs a plan's file with one [[step]]",
            arguments.plan
        )));
    }
    let hosts = hosts::read(&arguments.hosts)?;
    let html = session.report_place(arguments.html.clone());
    lab::check_report_place(&html)?;
    let store = session.open_store()?;
    let folder = Scratch::new(store.path())?;
    let order = order(arguments, &folder.0)?;
    signals::watch(&session.interrupt)?;
    let outcomes = ::fleet::run(&order, &hosts, &session.interrupt, &told)?;
    let mut done = Vec::new();
    let mut without = 0;
    for (host, outcome) in hosts.iter().zip(outcomes) {
        match taken(&store, host, outcome) {
            Ok(Some(outcome)) => {
                done.push((host.name.clone(), outcome));
                clean(&order, host);
            }
            Ok(None) => {
                without += 1;
                // What was refused is asked again by the same command, and not remembered there.
                clean(&order, host);
            }
            Err(why) => {
                without += 1;
                say(&format!("{}: {}", host.name, why.line()));
            }
        }
    }
    lab::rest(&store)?;
    if session.interrupt.wanted() {
        return Err(FleetError::Interrupted.into());
    }
    let batches = batches(&done);
    show(session, &batches, &html)?;
    ended(without, hosts.len(), &batches)
}

/// Removes what a run has left on its host; its results are stored here.
fn clean(order: &Order, host: &Host) {
    if let Err(why) = ::fleet::clean(order, host) {
        say(&format!("{}: {why}", host.name));
    }
}

fn order(arguments: &FleetArguments, folder: &Path) -> Result<Order, Failure> {
    let program = match &arguments.program {
        Some(program) => program.clone(),
        None => std::env::current_exe().map_err(|why| Failure::Failed(why.to_string()))?,
    };
    // A ready plan is copied to the hosts as a file.
    let plan = match Path::new(&arguments.plan) {
        path if path.is_file() => path.to_owned(),
        _ => {
            let path = folder.join("plan.toml");
            write(&path, plans::ready::text(&arguments.plan)?)?;
            path
        }
    };
    let mut words = Vec::new();
    if let Some(scale) = arguments.scale {
        words.extend(["--scale".to_owned(), Scale::from(scale).name().to_owned()]);
    }
    if let Some(seed) = arguments.seed {
        words.extend(["--seed".to_owned(), seed.to_string()]);
    }
    Ok(Order {
        ssh: Ssh {
            options: arguments.ssh_option.clone(),
            ..Ssh::default()
        },
        program,
        plan,
        arguments: words,
        at_once: arguments.at_once,
        between: std::time::Duration::from_nanos(arguments.every.as_nanos()),
        tries: arguments.tries,
        folder: folder.to_owned(),
    })
}

/// A line of what happens on a host.
fn told(host: &Host, event: Event) {
    let name = &host.name;
    say(&match event {
        Event::Copied => format!("{name}: program copied"),
        Event::Begun => format!("{name}: begun"),
        Event::Resumed => format!("{name}: the run had stopped, and is resumed"),
        Event::Says(line) => format!("{name}: {line}"),
        Event::Lost(why) => format!("{name}: {why}; trying again"),
        Event::Fetched => format!("{name}: results fetched"),
    });
}

/// Stores what came of a host. Nothing where it has no results, which is said.
fn taken(
    store: &lab::Store,
    host: &Host,
    outcome: Result<Ended, FleetError>,
) -> Result<Option<PlanOutcome>, Failure> {
    let ended = outcome?;
    let Some(path) = &ended.store else {
        say(&format!("{}: no results: {}", host.name, ended.said));
        return Ok(None);
    };
    let fetched = lab::open_existing_store(path)?;
    lab::merge(store, &fetched)?;
    let plans = fetched.plans().map_err(lab::LabError::from)?;
    let Some(plan) = plans.first() else {
        say(&format!("{}: no results: {}", host.name, ended.said));
        return Ok(None);
    };
    Ok(Some(plans::outcome::stored_outcome(&fetched, plan.id)?))
}

fn show(session: &Session, batches: &[Batch], html: &Path) -> Result<(), Failure> {
    let columns = session.terminal().columns;
    for batch in batches {
        let kind = match batch.kind.is_empty() {
            true => "not measured",
            false => &batch.kind,
        };
        let text = report::screening::text(&batch.screening, columns, session.lang);
        print(&format!("{kind}\n{text}"))?;
    }
    let shown: Vec<_> = batches
        .iter()
        .map(|batch| (&*batch.kind, &batch.screening))
        .collect();
    let options = session.html_options(Some("drivelab fleet".to_owned()));
    let title = options.title.clone().unwrap_or_default();
    let page = report::screening::html_of_batches(&shown, &title, &options);
    lab::replace_report(html, &page)?;
    tell(&report_at(html));
    Ok(())
}

/// What the command ends with: a host without results is a failure, whatever its drives are.
fn ended(without: usize, hosts: usize, batches: &[Batch]) -> Result<(), Failure> {
    if without > 0 {
        return Err(Failure::Failed(format!(
            "{without} of {hosts} hosts have no results; the same command tries them again"
        )));
    }
    let count = |verdict| -> usize {
        let of = |batch: &Batch| batch.screening.count(verdict);
        batches.iter().map(of).sum()
    };
    let drives: usize = batches
        .iter()
        .map(|batch| batch.screening.drives.len())
        .sum();
    accepted([Acceptance::Look, Acceptance::Reject].map(count), drives)
}

/// A folder beside the store for what is fetched, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(store: &Path) -> Result<Scratch, Failure> {
        let beside = store.with_extension(format!("fleet-{}", std::process::id()));
        std::fs::create_dir_all(&beside)
            .map_err(|why| Failure::Failed(format!("{}: {why}", beside.display())))?;
        Ok(Scratch(beside))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is in it is stored.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
