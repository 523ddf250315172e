//! What is wrong with a job file: all of it at once, each with its file, line and option, and what to do.

use std::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, as it was named.
    pub file: String,
    /// Its line, from 1; 0 where it is not about a line.
    pub line: usize,
    /// The option, or a section in brackets; empty where it is about neither.
    pub option: String,
    /// What is wrong, and what to do.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if !self.option.is_empty() {
            write!(f, ": {}", self.option)?;
        }
        write!(f, ": {}", self.what)
    }
}

/// All that is wrong with a job file, in the order of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, problem) in self.0.iter().enumerate() {
            if n > 0 {
                writeln!(f)?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Why jobs did not run.
#[derive(Debug, thiserror::Error)]
pub enum FioError {
    /// The job file.
    #[error(transparent)]
    File(#[from] Problems),
    /// A job cannot run on the target.
    #[error("job '{job}': {what}")]
    Job {
        /// The job's name.
        job: String,
        /// What is wrong, and what to do.
        what: String,
    },
    /// Jobs and target do not fit.
    #[error("{0}")]
    Target(String),
}

impl FioError {
    pub(crate) fn job(job: &str, what: impl fmt::Display) -> FioError {
        FioError::Job {
            job: job.to_owned(),
            what: what.to_string(),
        }
    }
}
