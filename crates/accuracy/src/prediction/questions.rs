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
//! | `fio randread`, `fio randwrite`, `fio randrw rwmixread=N` | `queue depth N`; `N GiB file` | `iops`, `p50_us`, `p99_us`, `p99_9_us`, `max_us` |
//! | `commit`, `commit O_SYNC` | `N job(s)`; `write cache off` | `IOPS`, `rate`, `flush_p50`, `flush_p99`, `flush_p99_9`, `flush_max` |
//! | `fio read 1 MiB`, `fio write 1 MiB` | `depth N` | `MB/s` |
//! | `HD Tune transfer rate minimum` (`maximum`, `average`), `access time`, `burst rate` | | `MB/s`, `ms` |
//! | `CDM5.1 seq read Q32T1`, `CDM8 SEQ1M Q8T1 read`, `CDM7 RND4K Q32T16 write` | `N % full` | `MB/s`, `IOPS` |
//! | `fill: size of the cache`, `rate in the cache`, `rate after the cache (next level)`, `rate of the last level`, `mean over the whole drive` | | `GB`, `MB/s` |
//!
//! Where `write cache off` stands in the conditions, the drive's volatile cache is switched off (`hdparm -W 0`).

use base::io::Op;
use base::size::Bytes;
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

/// What makes a write safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Safe {
    /// A flush behind it: fdatasync.
    Flush,
    /// `O_DIRECT` and `O_SYNC` on a raw device: it is durable by itself, and Linux sends a flush behind it all the same.
    Synchronous,
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
        /// In a file of that size at the beginning of the drive; `None` is the whole drive.
        file: Option<Bytes>,
        what: Response,
    },
    /// 4 KiB in order, each made safe.
    Commit {
        /// Programs at once.
        jobs: u32,
        by: Safe,
        /// [`Response::Rate`] is commits a second; the others are of the flush alone, or, by
        /// `O_SYNC`, of the write with the flush behind it.
        what: Response,
    },
    /// In order from the beginning, MB/s.
    Sequential {
        writes: bool,
        /// Bytes of an I/O.
        block: Bytes,
        depth: u32,
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

impl Asked {
    /// Which statistic of a distribution is asked for, if one is.
    pub fn what(&self) -> Option<Response> {
        match self {
            Asked::Random { what, .. } | Asked::Commit { what, .. } => Some(*what),
            Asked::Sequential { .. } | Asked::Figure { .. } => None,
        }
    }
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
        if test == "commit" || test == "commit O_SYNC" {
            return Ok(Asked::Commit {
                jobs: at_once(number_before(&self.conditions, " job").unwrap_or(1))?,
                by: match test {
                    "commit" => Safe::Flush,
                    _ => Safe::Synchronous,
                },
                what: response(&self.metric)?,
            });
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

    /// Whether the drive's volatile cache is switched off.
    pub fn cache_is_off(&self) -> bool {
        self.conditions.to_lowercase().contains("write cache off")
    }

    fn random(&self, kind: &str) -> Result<Asked, String> {
        if let "read 1 MiB" | "write 1 MiB" = kind {
            return Ok(Asked::Sequential {
                writes: kind.starts_with("write"),
                block: Bytes::mib(1),
                depth: at_once(self.depth()?)?,
            });
        }
        let kind = kind.strip_suffix(" 4 KiB").unwrap_or(kind);
        let read_percent = match kind.split_once(" rwmixread=") {
            Some(("randrw", share)) => share.parse().map_err(|_| format!("no share '{share}'"))?,
            _ => match kind {
                "randread" => 100,
                "randwrite" => 0,
                _ => return Err(format!("no pattern '{kind}' is known")),
            },
        };
        Ok(Asked::Random {
            read_percent,
            writes: op(&self.op)? == Op::Write,
            depth: at_once(self.depth()?)?,
            file: self.file(),
            what: response(&self.metric)?,
        })
    }

    /// The file that the I/Os are in: `1 GiB file`. Of a `small file` nothing more is known: 1 GiB is what people take.
    fn file(&self) -> Option<Bytes> {
        let small = self.conditions.contains("small file").then_some(1);
        let gib = number_before(&self.conditions, " GiB file").or(small)?;
        Some(Bytes::gib(u64::from(gib.clamp(1, 1 << 20))))
    }

    fn depth(&self) -> Result<u32, String> {
        let depth = number_after(&self.conditions, "depth ");
        depth.ok_or_else(|| "the conditions name no queue depth".to_owned())
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
        "size of the cache" => "cache.size",
        "rate in the cache" => "before.rate",
        "rate after the cache (next level)" => "next.rate",
        "rate after the cache (last level)" | "rate of the last level" => "last.rate",
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
        "iops" | "IOPS" | "rate" | "value" => Response::Rate,
        "p50_us" | "flush_p50" => Response::Median,
        "p99_us" | "flush_p99" => Response::P99,
        "p99_9_us" | "flush_p99_9" => Response::P999,
        "max_us" | "flush_max" => Response::Longest,
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
            file: None,
            what: Response::P999,
        };
        assert_eq!(found, Ok(expected));
        let near = "file on XFS, depth 64, 60 s (small file: addresses near each other)";
        let file = Some(Bytes::gib(1));
        for conditions in [near, "4 KiB, 1 GiB file, depth 64, 4 jobs"] {
            let found = asked("fio randwrite 4 KiB", "write", conditions, "value");
            let expected = Asked::Random {
                read_percent: 0,
                writes: true,
                depth: 64,
                file,
                what: Response::Rate,
            };
            assert_eq!(found, Ok(expected));
        }
        let ten = "4 KiB written in order, synchronous calls, 10 jobs at a place of its own each";
        let commit = |by, what| Asked::Commit { jobs: 10, by, what };
        for (test, metric, expected) in [
            ("commit", "IOPS", commit(Safe::Flush, Response::Rate)),
            ("commit", "flush_p99", commit(Safe::Flush, Response::P99)),
            (
                "commit O_SYNC",
                "rate",
                commit(Safe::Synchronous, Response::Rate),
            ),
        ] {
            assert_eq!(asked(test, "write", ten, metric), Ok(expected));
        }
        let sequential = Asked::Sequential {
            writes: true,
            block: Bytes::mib(1),
            depth: 64,
        };
        let conditions = "file on XFS on the empty disk, libaio, depth 64, 60 s, in order";
        assert_eq!(
            asked("fio write 1 MiB", "write", conditions, "value"),
            Ok(sequential)
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
            "last.rate"
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
