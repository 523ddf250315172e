//! fio's job files: sections, options, units, arithmetic, includes.

use fio::file::{Around, read};

/// Includes itself, and defines every variable.
struct Itself<'a>(&'a str);

impl Around for Itself<'_> {
    fn include(&self, path: &str) -> Result<String, String> {
        match path {
            "more" => Ok(self.0.lines().take(3).collect::<Vec<_>>().join("\n")),
            _ => Err("it is not there".to_owned()),
        }
    }
    fn variable(&self, name: &str) -> Option<String> {
        Some(name.to_owned())
    }
}

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    let read = read("jobs.fio", text, &Itself(text));
    match read.and_then(|file| fio::job::jobs(&file)) {
        Err(bad) => bad.0.iter().for_each(super::refusal),
        Ok(jobs) => {
            for job in jobs {
                assert!(job.least() > 0 && job.least() <= job.largest());
            }
        }
    }
}
