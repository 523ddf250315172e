//! fio's logs: a line an I/O, or a line a window and operation.
//!
//! A line is `time, value, operation, size, offset, priority`: milliseconds since counting began (after the ramp); KiB
//! per second, nanoseconds or I/Os; 0 for reads, 1 for writes, 2 for trims; bytes, 0 for a window; the offset if
//! `log_offset` requests it.

use std::fmt::Write;

use base::{Duration, Instant, Io, Op};

use crate::job::logs::Logs;
use crate::kept::One;

/// A file and its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    pub name: String,
    /// Its lines.
    pub text: String,
}

/// What a window has of one operation.
#[derive(Clone, Copy, Default)]
struct Window {
    ios: u64,
    bytes: u64,
    sums: [u64; 3],
    most: [u64; 3],
}

/// Writes the logs of one copy of a job.
pub(crate) struct Logger {
    logs: Logs,
    /// When the job began: the times of its trace.
    began: Instant,
    /// When counting began, after the ramp: the origin of all other times.
    counted_from: Instant,
    window_ends: Instant,
    windows: [Window; 3],
    rates: String,
    iops: String,
    /// Submission, completion, both.
    latencies: [String; 3],
    trace: String,
}

impl Logger {
    pub(crate) fn new(logs: &Logs, began: Instant, counted_from: Instant) -> Option<Logger> {
        logs.any().then(|| Logger {
            logs: logs.clone(),
            began,
            counted_from,
            window_ends: counted_from.saturating_add(logs.window),
            windows: Default::default(),
            rates: String::new(),
            iops: String::new(),
            latencies: Default::default(),
            trace: String::new(),
        })
    }

    /// An I/O was sent.
    pub(crate) fn sent(&mut self, io: &Io, at: Instant) {
        if self.logs.trace.is_none() {
            return;
        }
        let micros = at.since(self.began.min(at)).as_nanos() / 1_000;
        let (from, len) = (io.offset.get(), io.len.get());
        let _ = match io.op {
            Op::Flush => writeln!(self.trace, "{micros} target sync 0 0"),
            op => writeln!(self.trace, "{micros} target {} {from} {len}", op.name()),
        };
    }

    /// An I/O is complete.
    pub(crate) fn keep(&mut self, one: &One, offset: u64) {
        let times = [
            one.sent.since(one.drawn),
            one.at.since(one.sent),
            one.at.since(one.drawn),
        ]
        .map(Duration::as_nanos);
        if !self.logs.window.is_zero() {
            self.pass_to(one.at);
            let window = &mut self.windows[one.op.min(2)];
            window.ios += 1;
            window.bytes += one.bytes;
            for (n, time) in times.into_iter().enumerate() {
                window.sums[n] += time;
                window.most[n] = window.most[n].max(time);
            }
            return;
        }
        let at = one.at.since(self.counted_from.min(one.at)).as_nanos() / 1_000_000;
        let offset = self.logs.offsets.then_some(offset);
        let rate = u128::from(one.bytes) * 1_000_000_000 / 1_024 / u128::from(times[2].max(1));
        line(&mut self.rates, at, rate as u64, one.op, one.bytes, offset);
        line(&mut self.iops, at, 1, one.op, one.bytes, offset);
        for (text, time) in self.latencies.iter_mut().zip(times) {
            line(text, at, time, one.op, one.bytes, offset);
        }
    }

    /// Windows that are over by a moment are written down.
    fn pass_to(&mut self, now: Instant) {
        while now >= self.window_ends {
            self.close(self.window_ends, true);
            self.window_ends = self.window_ends.saturating_add(self.logs.window);
            if self.windows.iter().all(|window| window.ios == 0) && now >= self.window_ends {
                // Nothing came back for long: the next window is the one in which something does.
                let over = now.since(self.window_ends).as_nanos() / self.logs.window.as_nanos();
                self.window_ends = self
                    .window_ends
                    .saturating_add(self.logs.window.saturating_mul(over));
            }
        }
    }

    /// A window is over; one that the end cuts off has latencies, but no rate.
    fn close(&mut self, at: Instant, is_whole: bool) {
        let ms = at.since(self.counted_from.min(at)).as_nanos() / 1_000_000;
        let seconds = self.logs.window.as_secs_f64();
        let offset = self.logs.offsets.then_some(0);
        for (op, window) in self.windows.iter_mut().enumerate() {
            let window = std::mem::take(window);
            if window.ios == 0 {
                continue;
            }
            if is_whole {
                let rate = (window.bytes as f64 / 1_024.0 / seconds) as u64;
                line(&mut self.rates, ms, rate, op, 0, offset);
                let iops = (window.ios as f64 / seconds).round() as u64;
                line(&mut self.iops, ms, iops, op, 0, offset);
            }
            for (n, text) in self.latencies.iter_mut().enumerate() {
                let value = match self.logs.largest {
                    true => window.most[n],
                    false => window.sums[n] / window.ios,
                };
                line(text, ms, value, op, 0, offset);
            }
        }
    }

    /// The files, of the copy with this number (from 1) among all.
    pub(crate) fn files(mut self, number: usize, at: Instant, asynchronous: bool) -> Vec<LogFile> {
        if !self.logs.window.is_zero() {
            self.pass_to(at);
            self.close(at, false);
        }
        let name = |prefix: &str, kind: &str| match self.logs.per_job {
            true => format!("{prefix}_{kind}.{number}.log"),
            false => format!("{prefix}_{kind}.log"),
        };
        let mut files = Vec::new();
        let mut add = |prefix: &Option<String>, kind: &str, text: String| {
            if let Some(prefix) = prefix {
                let name = name(prefix, kind);
                files.push(LogFile { name, text });
            }
        };
        add(&self.logs.rates, "bw", self.rates);
        add(&self.logs.iops, "iops", self.iops);
        let [submission, completion, whole] = self.latencies;
        // One at a time is submitted and complete in one call.
        add(
            &self.logs.latencies,
            "slat",
            if asynchronous {
                submission
            } else {
                String::new()
            },
        );
        add(&self.logs.latencies, "clat", completion);
        add(&self.logs.latencies, "lat", whole);
        if let Some(name) = self.logs.trace {
            let end = at.since(self.began.min(at)).as_nanos() / 1_000;
            let text = format!(
                "fio version 3 iolog\n0 target add\n0 target open\n{}{end} target close\n",
                self.trace
            );
            files.push(LogFile { name, text });
        }
        files
    }
}

fn line(text: &mut String, ms: u64, value: u64, op: usize, bytes: u64, offset: Option<u64>) {
    let _ = match offset {
        Some(offset) => writeln!(text, "{ms}, {value}, {op}, {bytes}, {offset}, 0"),
        None => writeln!(text, "{ms}, {value}, {op}, {bytes}, 0"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::size::Bytes;

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    fn one(ms: u64) -> One {
        One {
            op: 0,
            bytes: 4096,
            drawn: at(ms - 2),
            sent: at(ms - 2),
            at: at(ms),
            depth: 1,
        }
    }

    fn logged(logs: Logs, ends: &[u64]) -> Vec<LogFile> {
        let logs = Logs {
            rates: Some("a".to_owned()),
            latencies: Some("a".to_owned()),
            iops: Some("a".to_owned()),
            per_job: true,
            ..logs
        };
        let mut logger = Logger::new(&logs, Instant::ZERO, Instant::ZERO).unwrap();
        ends.iter().for_each(|ms| logger.keep(&one(*ms), 8192));
        logger.files(1, at(2_500), false)
    }

    #[test]
    fn each_io_has_a_line_where_no_window_is_given() {
        let offsets = Logs {
            offsets: true,
            ..Logs::default()
        };
        let files = logged(offsets, &[2, 7]);
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "a_bw.1.log",
                "a_iops.1.log",
                "a_slat.1.log",
                "a_clat.1.log",
                "a_lat.1.log"
            ]
        );
        assert_eq!(
            files[0].text,
            "2, 2000, 0, 4096, 8192, 0\n7, 2000, 0, 4096, 8192, 0\n"
        );
        assert_eq!(files[2].text, "");
        assert_eq!(
            files[4].text.lines().next(),
            Some("2, 2000000, 0, 4096, 8192, 0")
        );
    }

    #[test]
    fn a_window_has_the_mean_and_a_short_last_one_no_rate() {
        let windows = Logs {
            window: Duration::from_secs(1),
            ..Logs::default()
        };
        let files = logged(windows, &[100, 200, 300, 400, 2_100, 2_200]);
        assert_eq!(files[1].text, "1000, 4, 0, 0, 0\n");
        assert_eq!(files[0].text, "1000, 16, 0, 0, 0\n");
        assert_eq!(
            files[4].text,
            "1000, 2000000, 0, 0, 0\n2500, 2000000, 0, 0, 0\n"
        );
    }

    #[test]
    fn a_trace_is_an_iolog_of_version_3() {
        let logs = Logs {
            trace: Some("t".to_owned()),
            ..Logs::default()
        };
        let mut logger = Logger::new(&logs, Instant::ZERO, Instant::ZERO).unwrap();
        logger.sent(&Io::read(Bytes::ZERO, Bytes::kib(4)), at(1));
        logger.sent(&Io::flush(), at(2));
        let files = logger.files(1, at(3), false);
        assert_eq!(
            files[0].text,
            "fio version 3 iolog\n0 target add\n0 target open\n1000 target read 0 4096\n2000 target sync 0 0\n3000 target close\n"
        );
    }
}
