//! The arguments of `drivelab explain`: those of a run of its method.

use base::{Bytes, Span};
use clap::Args;

use super::{HowArguments, RunArguments};
use crate::output::Failure;

#[derive(Debug, Args)]
#[command(
    after_help = "The same as `drivelab run explain TARGET`. Without --destroy-data nothing is written on a device; with it, questions that must write a part of it are asked, too (--writes-in names another part, or a folder or file on the drive: then the device itself is only read), and with --set writes=whole those that must write all of it (SLC cache). JSON is what was found (drivelab.explain/1); that of `run explain` is the result. `drivelab methods explain` says more."
)]
pub(crate) struct ExplainArguments {
    /// The target; several give one result each, and a comparison
    #[arg(value_name = "TARGET", required = true, add = crate::completing::targets())]
    pub(crate) targets: Vec<String>,
    /// Write only here for an answer, whatever `writes` says: in this part of the target (`4GiB` from its start, or
    /// `100GiB+4GiB` from there on), or in a folder or file on it, which is explained beside it
    #[arg(long, value_name = "SPAN|FILE", value_parser = place)]
    pub(crate) writes_in: Option<Place>,
    #[command(flatten)]
    pub(crate) how: HowArguments,
}

impl ExplainArguments {
    /// The run that it is.
    ///
    /// # Errors
    /// Where the target shall be written, too, and only a file on it.
    pub(crate) fn into_run(mut self) -> Result<RunArguments, Failure> {
        match self.writes_in {
            None => {}
            Some(Place::Part(part)) => {
                let bytes = |bytes: Bytes| format!("{}B", bytes.get());
                self.how.set.extend([
                    "writes=within".to_owned(),
                    format!("within-from={}", bytes(part.start)),
                    format!("within={}", bytes(part.len)),
                ]);
            }
            Some(Place::File(file)) if self.how.consent.destroy_data => {
                return Err(Failure::Usage(format!(
                    "--writes-in {file} leaves the target as it is, and --destroy-data overwrites it: give one of them"
                )));
            }
            Some(Place::File(file)) => self.targets.push(file),
        }
        Ok(RunArguments {
            what: "explain".to_owned(),
            targets: self.targets,
            how: self.how,
            repeat: None,
            explain: true,
            junit: None,
        })
    }
}

/// Where something may be written.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In a part of the target.
    Part(Span),
    /// In a folder or file, a target of its own.
    File(String),
}

/// A part begins with a digit; a file whose name does is written `./4GiB`.
fn place(text: &str) -> Result<Place, String> {
    match text.starts_with(|first: char| first.is_ascii_digit()) {
        true => span(text).map(Place::Part),
        false => Ok(Place::File(text.to_owned())),
    }
}

/// A part of a target: its size, or where it begins and its size.
fn span(text: &str) -> Result<Span, String> {
    let (start, len) = text.split_once('+').unwrap_or(("0B", text));
    let size = |text: &str| text.parse::<Bytes>().map_err(|why| why.to_string());
    let (start, len) = (size(start)?, size(len)?);
    match start.get().checked_add(len.get()) {
        Some(_) if len >= LEAST => Ok(Span::new(start, len)),
        _ => Err(format!(
            "a part of at least {LEAST} is needed, as 4GiB or 100GiB+4GiB"
        )),
    }
}

/// No question is asked in less.
const LEAST: Bytes = Bytes::mib(2);
