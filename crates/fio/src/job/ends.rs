//! What ends a job besides its bytes and its time, and which others end with it.
//!
//! A job may be too slow (`rate_min`), too late (`max_latency`), or meet an error; fio ends it with its own error
//! number. `exitall` ends others as well: those of its group, all running ones, or all.

use base::time::Duration;

use super::{Each, Options, Read, duration, each};

/// Who ends with a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    Nobody,
    /// All jobs of its group of the output.
    Group,
    /// All running ones; those after the next wall begin.
    Running,
    All,
}

/// Which errors do not end a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoesOn {
    /// Errors of reads, of writes (and trims and flushes), of data that does not match.
    pub on: [bool; 3],
    /// Errors that are no errors, by the same kinds: their numbers.
    pub ignored: [Vec<i32>; 3],
}

/// How a job ends early.
#[derive(Clone, Debug, PartialEq)]
pub struct Ends {
    /// Who ends where it ends.
    pub with_it: Along,
    /// Who ends where it ends with an error.
    pub with_its_error: Along,
    /// Errors that it outlives.
    pub goes_on: GoesOn,
    /// An I/O that takes longer ends it.
    pub longest: Each<Option<Duration>>,
    /// Bytes a second that it must reach.
    pub least_rate: Each<Option<u64>>,
    /// I/Os a second that it must reach.
    pub least_iops: Each<Option<u64>>,
    /// Over which time.
    pub cycle: Duration,
}

pub(super) fn ends(o: &mut Options<'_>) -> Ends {
    let what = [
        ("group", Along::Group),
        ("stonewall", Along::Running),
        ("all", Along::All),
    ];
    let what = o.choice("exit_what", &what);
    let if_asked = |asked| if asked { what } else { Along::Nobody };
    let with_it = if_asked(o.flag("exitall", false));
    let with_its_error = if_asked(o.flag("exitall_on_error", false));
    Ends {
        with_it,
        with_its_error,
        goes_on: GoesOn {
            on: o.take("continue_on_error", [false; 3], |text, _| goes_on(text)),
            ignored: o.take("ignore_error", Default::default(), |text, _| ignored(text)),
        },
        longest: o.take("max_latency", [None; 3], |text, _| {
            let some = |time: Duration| Some(time).filter(|time| !time.is_zero());
            let read = each(text, &mut |part| duration(part, 1))?;
            Ok(read.map(|time| time.and_then(some)))
        }),
        least_rate: o.each("rate_min"),
        least_iops: o.each("rate_iops_min"),
        cycle: Duration::from_millis(o.number("rate_cycle", 1_000, 1, 1 << 40)),
    }
}

fn goes_on(text: &str) -> Read<[bool; 3]> {
    let mut on = [false; 3];
    for word in text.split(',').map(str::trim) {
        let more = match word {
            "none" | "0" => [false; 3],
            "read" => [true, false, false],
            "write" => [false, true, false],
            "io" => [true, true, false],
            "verify" => [false, false, true],
            "all" | "1" => [true; 3],
            _ => return Err("it is none, read, write, io, verify or all".to_owned()),
        };
        on.iter_mut().zip(more).for_each(|(on, more)| *on |= more);
    }
    Ok(on)
}

fn ignored(text: &str) -> Read<[Vec<i32>; 3]> {
    let mut all: [Vec<i32>; 3] = Default::default();
    let lists: Vec<&str> = text.split(',').collect();
    if lists.len() > 3 {
        return Err("there are three lists at most: reads, writes, verification".to_owned());
    }
    for (into, list) in all.iter_mut().zip(lists) {
        for word in list.split(':').map(str::trim).filter(|w| !w.is_empty()) {
            let number = word.parse().ok().filter(|number| *number > 0);
            let number = number.or_else(|| base::errno::number(word));
            into.push(number.ok_or_else(|| format!("'{word}' is not an error's name or number"))?);
        }
    }
    Ok(all)
}
