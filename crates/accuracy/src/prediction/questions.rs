//! A table of questions: which figure of which drive, on which host, by which test, under which conditions.
//!
//! ```csv
//! id,drive,host,test,op,conditions,metric
//! B001,samsung-pm883-480gb,p420i,fio randread,read,"4 KiB, whole raw device, queue depth 4, one job, 60 s",p99_us
//! ```
//!
//! The terms are those commonly used for such figures, and are parsed:
//!
//! | test | conditions that count | metric |
//! |---|---|---|
//! | `fio randread`, `fio randwrite`, `fio randrw rwmixread=N` | `queue depth N` | `iops`, `p50_us`, `p99_us`, `p99_9_us`, `max_us` |
//! | `commit` | `N job(s)` | `IOPS` |
//! | `HD Tune transfer rate minimum` (`maximum`, `average`), `access time`, `burst rate` | | `MB/s`, `ms` |
//! | `CDM5.1 seq read Q32T1`, `CDM8 SEQ1M Q8T1 read`, `CDM7 RND4K Q32T16 write` | `N % full` | `MB/s`, `IOPS` |
//! | `fill: rate in the cache`, `rate after the cache`, `mean over the whole drive` | `the cache is known to end at N GB` | `MB/s` |

use base::io::Op;
use serde::Deserialize;

use crate::error::AccuracyError;

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Question {
    /// Its name in the table.
    pub id: String,
    /// The drive, as the catalogue names it.
    pub drive: String,
    /// The host, as the catalogue names it.
    pub host: String,
    pub test: String,
    /// `read` or `write`, if the test does not imply it.
    pub op: String,
    /// Under which conditions.
    pub conditions: String,
    /// Which figure of it.
    pub metric: String,
}

/// The requested statistic of a response-time distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Response {
    /// I/Os a second.
    Rate,
    Median,
    /// The 99th percentile.
    P99,
    /// The 99.9th percentile.
    P999,
    Longest,
}

/// The request, in terms of what can be run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// 4 KiB at random over the whole drive.
    Random {
        /// Per cent of I/Os that are reads.
        read_percent: u8,
        /// Reads or writes are requested.
        writes: bool,
        /// I/Os in flight.
        depth: u32,
        what: Response,
    },
    /// 4 KiB in order, each made durable, a second.
    Commit {
        /// Programs at once.
        jobs: u32,
    },
    /// A figure of a method.
    Figure {
        method: &'static str,
        settings: Vec<String>,
        /// The state that the drive is in.
        state: String,
        /// The figure's key.
        key: String,
    },
}

/// Reads a table.
///
/// # Errors
/// Where it is no such table, with the line.
pub fn read(text: &str) -> Result<Vec<Question>, AccuracyError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Result<Vec<Question>, csv::Error> = reader.deserialize().collect();
    rows.map_err(|error| AccuracyError::Questions(error.to_string()))
}

impl Question {
    /// The parsed question, or why it is invalid.
    ///
    /// # Errors
    /// In words, for the table of answers.
    pub fn asked(&self) -> Result<Asked, String> {
        let test = self.test.as_str();
        if let Some(kind) = test.strip_prefix("fio ") {
            return self.random(kind);
        }
        if test == "commit" {
            let jobs = at_once(number_before(&self.conditions, " job").unwrap_or(1))?;
            return Ok(Asked::Commit { jobs });
        }
        if let Some(what) = test.strip_prefix("HD Tune ") {
            return hd_tune(what);
        }
        if let Some(part) = test.strip_prefix("fill: ") {
            return fill(part);
        }
        match test
            .strip_prefix("CDM")
            .and_then(|rest| rest.split_once(' '))
        {
            Some((_, cell)) => self.crystaldiskmark(cell),
            None => Err(format!("no test '{test}' is known")),
        }
    }

    fn random(&self, kind: &str) -> Result<Asked, String> {
        let read_percent = match kind.split_once(" rwmixread=") {
            Some(("randrw", share)) => share.parse().map_err(|_| format!("no share '{share}'"))?,
            _ => match kind {
                "randread" => 100,
                "randwrite" => 0,
                _ => return Err(format!("no pattern '{kind}' is known")),
            },
        };
        let depth = number_after(&self.conditions, "queue depth ");
        Ok(Asked::Random {
            read_percent,
            writes: op(&self.op)? == Op::Write,
            depth: at_once(depth.ok_or("the conditions name no queue depth")?)?,
            what: response(&self.metric)?,
        })
    }

    fn crystaldiskmark(&self, cell: &str) -> Result<Asked, String> {
        let words = cell.to_lowercase();
        let has = |word: &str| words.split(' ').any(|own| own == word);
        let write = has("write");
        let (key, profile) = if has("q32t16") {
            ("rnd4k-q32t16", "nvme")
        } else if has("seq1m") || has("seq") {
            match (has("q8t1"), has("q32t1")) {
                (true, _) => ("seq1m-q8t1", "default"),
                (_, true) => ("seq128k-q32t1", "nvme"),
                _ => ("seq1m-q1t1", "default"),
            }
        } else if has("q32t1") {
            ("rnd4k-q32t1", "default")
        } else if has("q1t1") {
            ("rnd4k-q1t1", "default")
        } else {
            return Err(format!("no cell '{cell}' is known"));
        };
        let op = if write { "write" } else { "read" };
        let iops = if self.metric == "IOPS" { ".iops" } else { "" };
        let full = number_before(&self.conditions, " % full");
        Ok(Asked::Figure {
            method: "crystaldiskmark",
            settings: settings(&[
                &format!("profile={profile}"),
                "size=1GiB",
                "runs=3",
                "time=1s",
                &format!("ops={op}"),
            ]),
            state: full.map_or("fresh".to_owned(), |share| format!("{share}%-in-order")),
            key: format!("{key}.{op}{iops}"),
        })
    }
}

/// I/Os or programs at once: as many as a host takes.
fn at_once(number: u32) -> Result<u32, String> {
    match (1..=4_096).contains(&number) {
        true => Ok(number),
        false => Err(format!("{number} at once; 1 to 4,096 are allowed")),
    }
}

fn hd_tune(what: &str) -> Result<Asked, String> {
    let key = match what {
        "transfer rate minimum" => "read.min",
        "transfer rate maximum" => "read.max",
        "transfer rate average" => "read.mean",
        "access time" => "read.access",
        "burst rate" => "read.burst",
        _ => return Err(format!("HD Tune has no '{what}'")),
    };
    Ok(Asked::Figure {
        method: "hd-tune",
        settings: settings(&["ops=read"]),
        // What was never written says nothing.
        state: "full-in-order".to_owned(),
        key: key.to_owned(),
    })
}

fn fill(part: &str) -> Result<Asked, String> {
    let key = match part {
        "rate in the cache" => "before.rate",
        "mean over the whole drive" => "whole.rate",
        _ if part.starts_with("rate after the cache") => "after.rate",
        _ => return Err(format!("a fill has no '{part}'")),
    };
    Ok(Asked::Figure {
        method: "slc-fill",
        settings: settings(&["block=1MiB", "depth=1"]),
        state: "fresh".to_owned(),
        key: key.to_owned(),
    })
}

fn settings(all: &[&str]) -> Vec<String> {
    all.iter().map(|one| (*one).to_owned()).collect()
}

fn op(word: &str) -> Result<Op, String> {
    match word {
        "read" => Ok(Op::Read),
        "write" => Ok(Op::Write),
        _ => Err(format!("'{word}' is neither read nor write")),
    }
}

fn response(metric: &str) -> Result<Response, String> {
    Ok(match metric {
        "iops" | "IOPS" => Response::Rate,
        "p50_us" => Response::Median,
        "p99_us" => Response::P99,
        "p99_9_us" => Response::P999,
        "max_us" => Response::Longest,
        _ => return Err(format!("no figure '{metric}' is known")),
    })
}

/// The integer after a word.
fn number_after(text: &str, word: &str) -> Option<u32> {
    let behind = &text[text.find(word)? + word.len()..];
    let end = behind.find(|c: char| !c.is_ascii_digit());
    behind[..end.unwrap_or(behind.len())].parse().ok()
}

/// The whole number before a word.
fn number_before(text: &str, word: &str) -> Option<u32> {
    let before = &text[..text.find(word)?];
    let start = before.rfind(|c: char| !c.is_ascii_digit());
    before[start.map_or(0, |at| at + 1)..].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(test: &str, op: &str, conditions: &str, metric: &str) -> Result<Asked, String> {
        let question = Question {
            id: "B001".to_owned(),
            drive: "x".to_owned(),
            host: "none".to_owned(),
            test: test.to_owned(),
            op: op.to_owned(),
            conditions: conditions.to_owned(),
            metric: metric.to_owned(),
        };
        question.asked()
    }

    #[test]
    fn a_question_is_read_from_the_words_beside_a_figure() {
        let found = asked(
            "fio randrw rwmixread=50",
            "write",
            "4 KiB, whole raw device, queue depth 16, one job, 60 s",
            "p99_9_us",
        );
        let expected = Asked::Random {
            read_percent: 50,
            writes: true,
            depth: 16,
            what: Response::P999,
        };
        assert_eq!(found, Ok(expected));
        let ten = "4 KiB written in order, synchronous calls, 10 jobs at a place of its own each";
        assert_eq!(
            asked("commit", "write", ten, "IOPS"),
            Ok(Asked::Commit { jobs: 10 })
        );
        let key = |test: &str, metric: &str| match asked(
            test,
            "",
            "the drive is 13 % full with files",
            metric,
        ) {
            Ok(Asked::Figure { key, state, .. }) => (key, state),
            other => panic!("{test}: {other:?}"),
        };
        let full = "13%-in-order".to_owned();
        for (test, metric, expected) in [
            ("CDM8 SEQ1M Q8T1 read", "MB/s", "seq1m-q8t1.read"),
            ("CDM5.1 seq write Q32T1", "MB/s", "seq128k-q32t1.write"),
            (
                "CDM5.1 4KiB random read Q1T1",
                "IOPS",
                "rnd4k-q1t1.read.iops",
            ),
            ("CDM7 RND4K Q32T16 write", "IOPS", "rnd4k-q32t16.write.iops"),
        ] {
            assert_eq!(key(test, metric), (expected.to_owned(), full.clone()));
        }
        assert_eq!(
            key("fill: rate after the cache (last level)", "MB/s").0,
            "after.rate"
        );
        assert_eq!(key("HD Tune access time", "ms").0, "read.access");
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let depth = asked("fio randread", "read", "4 KiB", "iops").unwrap_err();
        assert!(depth.contains("queue depth"), "{depth}");
        let deep = asked("fio randread", "read", "queue depth 4000000000", "iops").unwrap_err();
        assert!(deep.contains("1 to 4,096"), "{deep}");
        let test = asked("ATTO 4 KiB", "", "", "MB/s").unwrap_err();
        assert!(test.contains("ATTO"), "{test}");
    }

    #[test]
    fn a_table_without_its_columns_is_refused_with_the_reason() {
        let error = read("id,drive\nB1,x\n").unwrap_err().to_string();
        assert!(error.contains("host"), "{error}");
    }
}
