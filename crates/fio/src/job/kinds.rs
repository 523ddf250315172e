//! What a job does, in which steps, by which engine, in which files.
//!
//! A number after the kind means two things: for sequential I/O it is a step in bytes, forwards or backwards, between
//! the end of one I/O and the beginning of the next (`write:8k`, `read:-8k`); for random I/O it is how many I/Os come
//! before the next position is drawn (`randread:8`), and `rw_sequencer` says whether these are sequential or repeat the
//! position.

use base::io::Op;

use super::{Kind, Options, Read};
use crate::units;

/// Engines that have one I/O in flight at a time, whatever the depth.
const SYNCHRONOUS: [&str; 8] = [
    "sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice", "sg",
];
/// Engines with as many I/Os in flight as the depth says.
pub(super) const ASYNCHRONOUS: [&str; 6] = [
    "null",
    "libaio",
    "io_uring",
    "io_uring_cmd",
    "posixaio",
    "windowsaio",
];

/// The meaning of a number after the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Sequential: bytes between two I/Os, negative for backwards.
    pub bytes: i64,
    /// Random: number of I/Os for each drawn position.
    pub every: u64,
    /// These repeat the position.
    pub stays: bool,
}

impl Default for Steps {
    fn default() -> Steps {
        Steps {
            bytes: 0,
            every: 1,
            stays: false,
        }
    }
}

/// Which file is next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Service {
    /// Alternating, for this many I/Os each.
    Turns(u64),
    /// One to its end, then the next.
    Whole,
    /// Drawn, and kept for this many I/Os.
    Drawn(u64),
}

const PLAIN: Kind = of("read", false, Op::Read, None);

const fn of(name: &'static str, random: bool, first: Op, second: Option<Op>) -> Kind {
    Kind {
        name,
        random,
        does: (first, second),
        trims_before_writes: false,
        steps: Steps {
            bytes: 0,
            every: 1,
            stays: false,
        },
    }
}

const fn trimmed(name: &'static str, random: bool) -> Kind {
    Kind {
        trims_before_writes: true,
        ..of(name, random, Op::Trim, Some(Op::Write))
    }
}

const KINDS: [Kind; 11] = [
    PLAIN,
    of("write", false, Op::Write, None),
    of("trim", false, Op::Trim, None),
    of("randread", true, Op::Read, None),
    of("randwrite", true, Op::Write, None),
    of("randtrim", true, Op::Trim, None),
    of("rw", false, Op::Read, Some(Op::Write)),
    of("readwrite", false, Op::Read, Some(Op::Write)),
    of("randrw", true, Op::Read, Some(Op::Write)),
    trimmed("trimwrite", false),
    trimmed("randtrimwrite", true),
];

fn kind(text: &str, base: u64) -> Read<Kind> {
    let (name, steps) = match text.split_once(':') {
        Some((name, steps)) => (name.trim(), Some(steps.trim())),
        None => (text, None),
    };
    let Some(kind) = KINDS.iter().find(|kind| kind.name == name) else {
        return Err(format!(
            "'{name}' is none of read, write, trim, randread, randwrite, randtrim, rw, randrw, trimwrite, randtrimwrite"
        ));
    };
    let Some(text) = steps else { return Ok(*kind) };
    let (back, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let number = i64::try_from(units::number(text, base)?)
        .map_err(|_| format!("'{text}' is farther than any target"))?;
    let steps = match (kind.random, back) {
        (true, true) => return Err("a number of I/Os is not negative".to_owned()),
        (true, false) => Steps {
            every: (number as u64).max(1),
            ..Steps::default()
        },
        (false, _) => Steps {
            bytes: if back { -number } else { number },
            ..Steps::default()
        },
    };
    Ok(Kind { steps, ..*kind })
}

/// The kind of I/Os, with the order of its steps.
pub(super) fn of_job(o: &mut Options<'_>) -> Kind {
    let mut kind = o.take("rw", PLAIN, kind);
    kind.steps.stays = o.choice(
        "rw_sequencer",
        &[("sequential", false), ("identical", true)],
    );
    kind
}

/// Per cent of reads in a mix; that of writes goes before it.
pub(super) fn read_percent(o: &mut Options<'_>) -> u8 {
    let read = o.number("rwmixread", 50, 0, 100);
    let write = o.number("rwmixwrite", 100 - read, 0, 100);
    match o.section.get("rwmixwrite") {
        Some(_) => (100 - write) as u8,
        None => read as u8,
    }
}

/// The engine, its I/Os in flight, and how many of them complete before it is refilled. A synchronous engine has 1 in
/// flight, but where it is offloaded a thread for each.
pub(super) fn engine_and_depth(o: &mut Options<'_>) -> (String, u32, u32) {
    let engine = o.take("ioengine", "psync".to_owned(), |text, _| engine(text));
    let depth = o.number("iodepth", 1, 1, 65_535) as u32;
    let offloaded = o.choice("io_submit_mode", &[("inline", false), ("offload", true)]);
    let complete_min = o.number("iodepth_batch_complete_min", 1, 0, 65_535) as u32;
    let depth = match ASYNCHRONOUS.contains(&engine.as_str()) || offloaded {
        true => depth,
        false => 1,
    };
    (engine, depth, complete_min.clamp(1, depth))
}

/// I/Os in flight at which the depth is filled up again.
pub(super) fn depth_low(o: &mut Options<'_>, depth: u32) -> u32 {
    match o.number("iodepth_low", 0, 0, 65_535) as u32 {
        0 => depth,
        low => low.min(depth),
    }
}

fn engine(text: &str) -> Read<String> {
    let known = SYNCHRONOUS.contains(&text) || ASYNCHRONOUS.contains(&text);
    match known {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "the engine '{text}' drives no local drive; libaio, io_uring and psync (among others) are done, each by drivelab's own engine"
        )),
    }
}

pub(super) fn service(o: &mut Options<'_>) -> Service {
    o.take("file_service_type", Service::Turns(1), |text, base| {
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let number = number.map(|number| units::number(number, base));
        let number = number.transpose()?.unwrap_or(1).max(1);
        match name {
            "roundrobin" => Ok(Service::Turns(number)),
            "sequential" => Ok(Service::Whole),
            "random" => Ok(Service::Drawn(number)),
            _ => Err(format!(
                "'{name}' is not done here: roundrobin, sequential and random are"
            )),
        }
    })
}

pub(super) fn files(text: &str) -> Vec<String> {
    // A colon is part of a name where a backslash is before it.
    let mut files = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&':') => {
                letters.next();
                push(&mut files, ':');
            }
            ':' => files.push(String::new()),
            letter => push(&mut files, letter),
        }
    }
    files.retain(|file| !file.is_empty());
    files
}

fn push(files: &mut [String], letter: char) {
    if let Some(last) = files.last_mut() {
        last.push(letter);
    }
}
