//! The text of `blkparse`, as block-layer traces of Linux are printed.
//!
//! `MAJOR,MINOR CPU SEQUENCE SECONDS.NANOSECONDS PID ACTION RWBS SECTOR + SECTORS [PROCESS]`, sectors of 512 bytes. Of
//! the actions, `D` (issued to the driver) is an I/O's submission and `C` its completion; a trace without any `D` in
//! its first lines has its submissions in `Q` (queued). The letters of RWBS are the operation: `D` discard, `W` write,
//! `R` read; `F` without sectors is a flush. All other actions are ignored. Source: the blktrace package's blkparse(1),
//! "TRACE ACTIONS" and "OUTPUT DESCRIPTION".
//!
//! The tools print more than the trace: which files they opened, and counts per processor and in total
//! ([`is_about_the_trace`]). Such lines come before, after and, if several outputs were joined, between the others, so
//! none of them ends a trace. If time restarts after a summary, another trace begins: it follows the previous one, and
//! no completion of one belongs to the other.
//!
//! A completion belongs to the earliest outstanding I/O with the same drive, operation and first sector. An I/O is
//! returned when its completion has been found, or when there is none after [`MOST_OPEN`] lines (lost events; partial
//! completions count as complete).

use std::collections::{BTreeMap, VecDeque};

use super::{Moment, Parser, Traced, decimal_time, device_of, io_of_sectors, number};
use base::io::Op;
use base::time::Duration;

pub(super) const FORM: &str =
    "MAJOR,MINOR CPU SEQUENCE SECONDS.NANOSECONDS PID ACTION RWBS SECTOR + SECTORS";

/// I/Os that may wait for their completions at once.
const MOST_OPEN: usize = 65_536;

pub(super) struct Blkparse {
    /// The action that is a send.
    sends: &'static str,
    /// I/Os in order of their lines, including outstanding ones.
    open: VecDeque<Traced>,
    /// Number of the first of them, counted from the beginning.
    first: u64,
    /// Outstanding ones, by drive, operation and first sector.
    under_way: BTreeMap<(u64, Op, u64), VecDeque<u64>>,
    /// Lines of a summary precede the next line of the trace.
    summed_up: bool,
    /// The latest time of a line.
    latest: Duration,
    /// When the trace that is being read began, by the time of the first.
    begins: Duration,
}

/// What `blkparse`, `btrace` and `blktrace` print besides the lines of a trace: opened files, headings of devices,
/// counts per processor and in total, and their rows.
pub(super) fn is_about_the_trace(line: &str) -> bool {
    const BEGIN: [&str; 8] = [
        "===",
        "Input file ",
        "CPU",
        "Total",
        "Throughput (",
        "Events (",
        "Skips:",
        "Device:",
    ];
    // Rows of a summary: `Reads Queued: 1, 4KiB`, `Read depth: 2`, `IO unplugs: 0`, `PC Reads Compl.: 0`.
    const ROWS: [&str; 7] = ["Read", "Write", "PC ", "IO ", "Timer ", "Rd ", "Wr "];
    let line = line.trim_start();
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    begins(&BEGIN) || (begins(&ROWS) && line.contains(':'))
}

impl Blkparse {
    /// For a trace that begins so.
    pub(super) fn of(head: &str) -> Blkparse {
        let action = |line: &str| line.split_whitespace().nth(5) == Some("D");
        Blkparse {
            sends: if head.lines().any(action) { "D" } else { "Q" },
            open: VecDeque::new(),
            first: 0,
            under_way: BTreeMap::new(),
            summed_up: false,
            latest: Duration::ZERO,
            begins: Duration::ZERO,
        }
    }

    fn give_out(&mut self, out: &mut VecDeque<Traced>) {
        while let Some(front) = self.open.front() {
            if front.done.is_none() && self.open.len() <= MOST_OPEN {
                return;
            }
            if front.done.is_none() {
                self.forget(self.first);
            }
            out.extend(self.open.pop_front());
            self.first += 1;
        }
    }

    /// The time of a line, since the first trace began.
    fn moment(&mut self, at: Duration) -> Duration {
        if std::mem::take(&mut self.summed_up) && self.begins + at < self.latest {
            self.begins = self.latest;
            self.under_way.clear();
        }
        let at = self.begins.saturating_add(at);
        self.latest = self.latest.max(at);
        at
    }

    /// The earliest outstanding I/O with this drive, operation and first sector is complete.
    fn complete(&mut self, key: (u64, Op, u64), moment: Moment) {
        let which = self.under_way.get_mut(&key).and_then(VecDeque::pop_front);
        if self.under_way.get(&key).is_some_and(VecDeque::is_empty) {
            self.under_way.remove(&key);
        }
        if let Some(traced) =
            which.and_then(|which| self.open.get_mut((which - self.first) as usize))
        {
            traced.done = Some(moment);
        }
    }

    /// An I/O is no longer waited for.
    fn forget(&mut self, which: u64) {
        let Some(traced) = self.open.get((which - self.first) as usize) else {
            return;
        };
        let key = key_of(traced);
        if let Some(list) = self.under_way.get_mut(&key) {
            // The first of all is the first of its list, unless a new trace has emptied the lists.
            if list.front() == Some(&which) {
                list.pop_front();
            }
            if list.is_empty() {
                self.under_way.remove(&key);
            }
        }
    }
}

fn key_of(traced: &Traced) -> (u64, Op, u64) {
    (traced.device, traced.io.op, traced.io.offset.get() / 512)
}

/// The operation in RWBS; `None` if it moves no data.
fn op_of(rwbs: &str, sectors: u64) -> Option<Op> {
    if sectors == 0 {
        return rwbs.starts_with('F').then_some(Op::Flush);
    }
    if rwbs.contains('D') {
        Some(Op::Trim)
    } else if rwbs.contains('W') {
        Some(Op::Write)
    } else if rwbs.contains('R') {
        Some(Op::Read)
    } else {
        None
    }
}

impl Parser for Blkparse {
    fn line(&mut self, text: &str, line: u64, out: &mut VecDeque<Traced>) -> Result<(), String> {
        if is_about_the_trace(text) {
            self.summed_up = true;
            return Ok(());
        }
        let mut words = text.split_whitespace();
        let device = words.next().unwrap_or_default();
        if !device.contains(',') {
            return Err(format!(
                "'{device}' is not MAJOR,MINOR; line format: {FORM}"
            ));
        }
        let device = device_of(device);
        let mut word = || words.next().unwrap_or_default();
        let (_, _, time) = (word(), word(), word());
        let at = decimal_time(time, 1_000_000_000)
            .ok_or_else(|| format!("'{time}' is not a time in seconds; line format: {FORM}"))?;
        let at = self.moment(at);
        let (_, action, rwbs) = (word(), word(), word());
        if action != self.sends && action != "C" {
            return Ok(());
        }
        let moment = Moment { at, line };
        let (sector, plus, sectors) = (word(), word(), word());
        let (sector, sectors) = if plus == "+" {
            (
                number(Some(sector), "sector", FORM)?,
                number(Some(sectors), "number of sectors", FORM)?,
            )
        } else {
            (0, 0)
        };
        let Some(op) = op_of(rwbs, sectors) else {
            return Ok(());
        };
        let Some(io) = io_of_sectors(op, sector, sectors, FORM)? else {
            return Ok(());
        };
        let key = (device, op, if op == Op::Flush { 0 } else { sector });
        if action == "C" {
            self.complete(key, moment);
        } else {
            let which = self.first + self.open.len() as u64;
            self.under_way.entry(key).or_default().push_back(which);
            self.open.push_back(Traced {
                sent: moment,
                done: None,
                io,
                device,
                late: false,
            });
        }
        self.give_out(out);
        Ok(())
    }

    fn end(&mut self, out: &mut VecDeque<Traced>) {
        out.extend(self.open.drain(..));
    }
}

/// RWBS of an operation.
fn rwbs(op: Op) -> &'static str {
    match op {
        Op::Read => "R",
        Op::Write => "W",
        Op::Trim => "D",
        Op::Flush => "FN",
    }
}

/// One line: `action` is `D` or `C`.
pub(super) fn write(
    out: &mut String,
    (sequence, nanos): (u64, u64),
    action: &str,
    io: &base::io::Io,
    failed: bool,
) {
    use std::fmt::Write;
    let (seconds, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    let start = format_args!(
        "  8,0    0 {sequence:8} {seconds:5}.{nanos:09}     0  {action} {:>3}",
        rwbs(io.op)
    )
    .to_string();
    let (sector, sectors) = (io.offset.get() / 512, io.len.get() / 512);
    // EIO; blkparse prints the error number of a completion.
    let tail = match (action, failed) {
        ("C", true) => "5",
        ("C", false) => "0",
        _ => "drivelab",
    };
    let _ = match (io.op, action) {
        (Op::Flush, "C") => writeln!(out, "{start} 0 [{tail}]"),
        (Op::Flush, _) => writeln!(out, "{start} [{tail}]"),
        _ => writeln!(out, "{start} {sector} + {sectors} [{tail}]"),
    };
}
