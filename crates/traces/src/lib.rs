//! Traces: the I/Os of another computer and drive, one by one.
//!
//! Ten formats, one per file: the text of `blkparse`, fio's iolog in versions 2 and 3, the csv of the MSR Cambridge
//! traces, and the ascii formats of the simulators MQSim and DiskSim are read and written; the public collections
//! SYSTOR '17, Alibaba, Tencent and SPC are read. A trace is read line by line
//! and never held in memory completely: the read-ahead of a replay is bounded ([`Reader`]).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io::{BufRead, Chain, Cursor, Read};

use base::io::{Fill, Io, Op};
use base::size::Bytes;
use base::time::Duration;
use base::trace::{BadTrace, Moment, Traced};

mod alibaba;
mod blkparse;
mod disksim;
mod fields;
mod fio;
mod mqsim;
mod msr;
mod spc;
mod survey;
mod systor;
mod tencent;
mod writer;

use fields::Fields;
pub use survey::Survey;
pub use writer::{Event, Writer};

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text of `blkparse`: issues and completions, in ns.
    Blkparse,
    /// fio's iolog, version 2: waits between the actions, in us.
    FioV2,
    /// fio's iolog, version 3: a time stamp each action, in us.
    FioV3,
    /// csv of the MSR Cambridge traces: sends and response times, in 100 ns.
    Msr,
    /// MQSim's ascii: arrivals in ns, sectors of 512 bytes.
    Mqsim,
    /// DiskSim's ascii: arrivals in ms, sectors of 512 bytes.
    Disksim,
    /// csv of the SYSTOR '17 traces: sends and response times, in s.
    Systor,
    /// csv of Alibaba's block traces: sends in us.
    Alibaba,
    /// csv of Tencent's block traces: sends in whole seconds.
    Tencent,
    /// The Storage Performance Council's: sends in s.
    Spc,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 10] = [
        Format::Blkparse,
        Format::FioV2,
        Format::FioV3,
        Format::Msr,
        Format::Mqsim,
        Format::Disksim,
        Format::Systor,
        Format::Alibaba,
        Format::Tencent,
        Format::Spc,
    ];

    /// Those that are written, too.
    pub const WRITTEN: [Format; 6] = [
        Format::Blkparse,
        Format::FioV2,
        Format::FioV3,
        Format::Msr,
        Format::Mqsim,
        Format::Disksim,
    ];

    /// Its name in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Blkparse => "blkparse",
            Format::FioV2 => "fio-v2",
            Format::FioV3 => "fio-v3",
            Format::Msr => "msr",
            Format::Mqsim => "mqsim",
            Format::Disksim => "disksim",
            Format::Systor => "systor17",
            Format::Alibaba => "alibaba",
            Format::Tencent => "tencent",
            Format::Spc => "spc",
        }
    }

    /// What a line of it looks like.
    pub const fn form(self) -> &'static str {
        match self {
            Format::Blkparse => blkparse::FORM,
            Format::FioV2 => fio::FORM_V2,
            Format::FioV3 => fio::FORM_V3,
            Format::Msr => msr::FORM,
            Format::Mqsim => mqsim::FORM,
            Format::Disksim => disksim::FORM,
            Format::Systor => systor::FORM,
            Format::Alibaba => alibaba::FORM,
            Format::Tencent => tencent::FORM,
            Format::Spc => spc::FORM,
        }
    }

    /// The format with this name.
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format of a text, from its first line that is neither empty, nor a comment, nor what the tools themselves
    /// print before and between the lines of a trace.
    pub fn of_text(head: &str) -> Option<Format> {
        let line = head
            .trim_start_matches(BYTE_ORDER_MARK)
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .find(|line| !blkparse::is_about_the_trace(line))?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |text: &str| text.parse::<f64>().is_ok();
        match words.as_slice() {
            ["fio", "version", "2", "iolog"] => Some(Format::FioV2),
            ["fio", "version", "3", "iolog"] => Some(Format::FioV3),
            [device, _, _, time, ..] if device.contains(',') && number(time) => {
                Some(Format::Blkparse)
            }
            _ if line.contains(',') => of_fields(line),
            [time, _, _, _, _] if words.iter().take(4).all(|word| number(word)) => {
                Some(if time.contains('.') {
                    Format::Disksim
                } else {
                    Format::Mqsim
                })
            }
            _ => None,
        }
    }

    /// Whether its times are those of a clock, and a trace begins with its first I/O; the others count from 0 on.
    const fn begins_with_its_first(self) -> bool {
        match self {
            Format::Blkparse | Format::FioV2 | Format::FioV3 | Format::Spc => false,
            Format::Msr
            | Format::Mqsim
            | Format::Disksim
            | Format::Systor
            | Format::Alibaba
            | Format::Tencent => true,
        }
    }

    fn parser(self, head: &str) -> Box<dyn Parser + Send> {
        match self {
            Format::Blkparse => Box::new(blkparse::Blkparse::of(head)),
            Format::FioV2 => Box::new(fio::Iolog::version_2()),
            Format::FioV3 => Box::new(fio::Iolog::version_3()),
            Format::Msr => Box::new(msr::Msr),
            Format::Mqsim => Box::new(mqsim::Mqsim),
            Format::Disksim => Box::new(disksim::Disksim),
            Format::Systor => Box::new(systor::Systor),
            Format::Alibaba => Box::new(alibaba::Alibaba),
            Format::Tencent => Box::new(tencent::Tencent),
            Format::Spc => Box::new(spc::Spc),
        }
    }
}

/// The format of a line of comma-separated values, by where the kind of the I/O stands.
fn of_fields(line: &str) -> Option<Format> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let whole = |text: &str| text.parse::<u64>().is_ok();
    let letter = |text: &str| text.eq_ignore_ascii_case("R") || text.eq_ignore_ascii_case("W");
    match fields.as_slice() {
        [unit, block, size, kind, _, ..]
            if letter(kind) && [unit, block, size].into_iter().all(|text| whole(text)) =>
        {
            Some(Format::Spc)
        }
        [time, _, kind, _, offset, _]
            if (letter(kind) || kind.is_empty()) && time.contains('.') && whole(offset) =>
        {
            Some(Format::Systor)
        }
        ["Timestamp", "Response", "IOType", ..] => Some(Format::Systor),
        [_, kind, offset, _, time] if letter(kind) && whole(offset) && whole(time) => {
            Some(Format::Alibaba)
        }
        [time, offset, size, "0" | "1", _]
            if [time, offset, size].into_iter().all(|text| whole(text)) =>
        {
            Some(Format::Tencent)
        }
        _ if fields.len() >= 7 => Some(Format::Msr),
        _ => None,
    }
}

/// Reads lines of one format.
trait Parser {
    /// Takes a non-empty line, and returns the I/Os that are complete now, with the times that the trace has.
    ///
    /// # Errors
    /// What was found and what was expected, in words.
    fn line(&mut self, text: &str, number: u64, out: &mut VecDeque<Traced>) -> Result<(), String>;

    /// The trace is over: returns what was held back.
    fn end(&mut self, out: &mut VecDeque<Traced>) {
        let _ = out;
    }
}

/// I/Os that are looked at ahead, to put lines in order that are a little out of it. A log that is written as I/Os complete
/// has one that took a second behind all that completed meanwhile, which may be more: such a one is marked as late.
const AHEAD: usize = 4_096;
/// Bytes at the beginning used to detect the format.
const HEAD: u64 = 8 << 10;
/// What editors and shells of Windows put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// The longest line; no format has lines of a tenth of this.
const LONGEST_LINE: u64 = 64 << 10;

/// A trace, read on demand.
pub struct Reader<R> {
    from: Chain<Cursor<Vec<u8>>, R>,
    parser: Box<dyn Parser + Send>,
    line: Vec<u8>,
    number: u64,
    ready: VecDeque<Traced>,
    order: BinaryHeap<Reverse<(Moment, u64, Entry)>>,
    taken: u64,
    /// The time that counts as 0: the first I/O decides, which need not be in the first line.
    begins: Option<Duration>,
    last: Duration,
    over: bool,
}

/// An I/O in the heap, where its moment and number alone decide.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry(Traced);

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, _: &Entry) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl<R: BufRead> Reader<R> {
    /// A trace in this format, or in the detected one.
    ///
    /// # Errors
    /// If the format cannot be detected, or nothing can be read.
    pub fn new(mut from: R, format: Option<Format>) -> Result<(Reader<R>, Format), BadTrace> {
        let bad = |what: String| BadTrace { line: 1, what };
        // As many bytes whatever pieces they come in: a packed trace is read as it would be unpacked.
        let mut first = Vec::new();
        from.by_ref()
            .take(HEAD)
            .read_to_end(&mut first)
            .map_err(|why| bad(why.to_string()))?;
        if first.starts_with(&[0xff, 0xfe]) || first.starts_with(&[0xfe, 0xff]) {
            let what = "is text of 16 bits a letter (UTF-16): convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)";
            return Err(bad(what.to_owned()));
        }
        let head = String::from_utf8_lossy(&first);
        let head = head.trim_start_matches(BYTE_ORDER_MARK);
        let format = format.or_else(|| Format::of_text(head)).ok_or_else(|| {
            let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            bad(format!(
                "its format cannot be detected from its first lines: it is none of {}",
                names.join(", ")
            ))
        })?;
        let reader = Reader {
            parser: format.parser(head),
            from: Cursor::new(first).chain(from),
            line: Vec::new(),
            number: 0,
            ready: VecDeque::new(),
            order: BinaryHeap::new(),
            taken: 0,
            begins: (!format.begins_with_its_first()).then_some(Duration::ZERO),
            last: Duration::ZERO,
            over: false,
        };
        Ok((reader, format))
    }

    /// Lines taken so far.
    pub fn lines(&self) -> u64 {
        self.number
    }

    /// Takes lines until enough is known to give the next I/O.
    fn look_ahead(&mut self) -> Result<(), BadTrace> {
        while !self.over && self.order.len() <= AHEAD {
            self.take_line()?;
            while let Some(traced) = self.ready.pop_front() {
                self.order
                    .push(Reverse((traced.sent, self.taken, Entry(traced))));
                self.taken += 1;
            }
        }
        Ok(())
    }

    fn take_line(&mut self) -> Result<(), BadTrace> {
        self.number += 1;
        let number = self.number;
        let bad = |what: String| BadTrace { line: number, what };
        self.line.clear();
        let mut limited = self.from.by_ref().take(LONGEST_LINE);
        let read = limited
            .read_until(b'\n', &mut self.line)
            .map_err(|why| bad(why.to_string()))?;
        if read == 0 {
            self.over = true;
            self.parser.end(&mut self.ready);
            return Ok(());
        }
        if read as u64 == LONGEST_LINE {
            return Err(bad(format!("longer than {LONGEST_LINE} bytes")));
        }
        // A process may be called by any bytes.
        let text = String::from_utf8_lossy(&self.line);
        let text = text.trim_start_matches(BYTE_ORDER_MARK).trim_end();
        if text.trim_start().is_empty() || text.starts_with('#') {
            return Ok(());
        }
        self.parser.line(text, number, &mut self.ready).map_err(bad)
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Traced, BadTrace>;

    fn next(&mut self) -> Option<Result<Traced, BadTrace>> {
        if let Err(bad) = self.look_ahead() {
            self.over = true;
            self.order.clear();
            return Some(Err(bad));
        }
        let Reverse((_, _, Entry(mut traced))) = self.order.pop()?;
        traced.late = traced.sent.at < self.last;
        let at = traced.sent.at.max(self.last);
        self.last = at;
        let begins = *self.begins.get_or_insert(at);
        traced.sent.at = at.saturating_sub(begins);
        if let Some(done) = &mut traced.done {
            done.at = done.at.saturating_sub(begins);
        }
        Some(Ok(traced))
    }
}

/// Times and addresses up to here are taken: 146 years, 4 EiB.
const MOST: u64 = 1 << 62;

/// A field that is a whole number.
fn number(text: Option<&str>, what: &str, form: &str) -> Result<u64, String> {
    let text = text.ok_or_else(|| format!("{what} is missing; line format: {form}"))?;
    let number = text.trim().parse::<u64>().ok().filter(|n| *n < MOST);
    number.ok_or_else(|| format!("'{text}' is not a {what}; line format: {form}"))
}

/// An I/O as the trace has it; nothing where it moves no bytes.
fn io_of(op: Op, offset: u64, len: u64, form: &str) -> Result<Option<Io>, String> {
    if op == Op::Flush {
        return Ok(Some(Io::flush()));
    }
    if len == 0 {
        return Ok(None);
    }
    if offset.checked_add(len).is_none_or(|end| end > MOST) {
        return Err(format!(
            "{len} bytes from {offset} on reach beyond any drive; line format: {form}"
        ));
    }
    Ok(Some(Io {
        op,
        fill: Fill::FRESH,
        offset: Bytes::new(offset),
        len: Bytes::new(len),
        stamp: 0,
        durable: false,
        zone: None,
    }))
}

/// The same with sectors of 512 bytes.
fn io_of_sectors(op: Op, first: u64, sectors: u64, form: &str) -> Result<Option<Io>, String> {
    let bytes = |sectors: u64| sectors.checked_mul(512).filter(|n| *n < MOST);
    match (bytes(first), bytes(sectors)) {
        (Some(offset), Some(len)) => io_of(op, offset, len, form),
        _ => Err(format!(
            "{sectors} sectors from {first} on reach beyond any drive; line format: {form}"
        )),
    }
}

/// An I/O of a trace without response times; nothing where it moves no bytes.
fn sent_only(
    io: Option<Io>,
    nanos: Option<u64>,
    device: &str,
    line: u64,
    form: &str,
) -> Result<Option<Traced>, String> {
    let nanos = nanos.filter(|nanos| *nanos < MOST);
    let nanos = nanos.ok_or_else(|| format!("the time is too long; line format: {form}"))?;
    Ok(io.map(|io| Traced {
        sent: Moment {
            at: Duration::from_nanos(nanos),
            line,
        },
        done: None,
        io,
        device: device_of(device),
        late: false,
    }))
}

/// A time in decimal digits, such as `0.000001234`, in parts of `unit_nanos`.
fn decimal_time(text: &str, unit_nanos: u64) -> Option<Duration> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if part.len() > 18 || !part.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let scale = 10_u128.pow(part.len() as u32);
    let part: u128 = if part.is_empty() {
        0
    } else {
        part.parse().ok()?
    };
    let nanos = u128::from(whole) * u128::from(unit_nanos) + part * u128::from(unit_nanos) / scale;
    let nanos = u64::try_from(nanos).ok().filter(|nanos| *nanos < MOST)?;
    Some(Duration::from_nanos(nanos))
}

/// A number for a drive's name.
fn device_of(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
