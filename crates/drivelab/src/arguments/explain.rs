//! The arguments of `drivelab explain`: those of a run of its method.

use base::size::Bytes;
use base::workload::Span;
use clap::Args;

use super::{HowArguments, RunArguments};

#[derive(Debug, Args)]
#[command(
    after_help = "The same as `drivelab run explain TARGET`. Without --destroy-data nothing is written on a device; with it, questions that must write a part of it are asked, too (--writes-in says which part), and with --set writes=whole those that must write all of it (SLC cache). JSON is what was found (drivelab.explain/1); that of `run explain` is the result. `drivelab methods explain` says more."
)]
pub(crate) struct ExplainArguments {
    /// The target; several give one result each, and a comparison
    #[arg(value_name = "TARGET", required = true, add = crate::completing::targets())]
    pub(crate) targets: Vec<String>,
    /// Write only this part for an answer, whatever `writes` says: `4GiB` from the start, or `100GiB+4GiB` from there on
    #[arg(long, value_name = "SPAN", value_parser = span)]
    pub(crate) writes_in: Option<Span>,
    #[command(flatten)]
    pub(crate) how: HowArguments,
}

impl ExplainArguments {
    /// The run that it is.
    pub(crate) fn into_run(mut self) -> RunArguments {
        if let Some(part) = self.writes_in {
            let bytes = |bytes: Bytes| format!("{}B", bytes.get());
            self.how.set.extend([
                "writes=within".to_owned(),
                format!("within-from={}", bytes(part.start)),
                format!("within={}", bytes(part.len)),
            ]);
        }
        RunArguments {
            what: "explain".to_owned(),
            targets: self.targets,
            how: self.how,
            repeat: None,
            explain: true,
            junit: None,
        }
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
