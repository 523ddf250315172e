//! A boot that was recorded: which requests a system sent, and what each waited for.
//!
//! A trace with times alone would replay the recording drive's own latency on every other one. So completion times were
//! recorded, too, and a request is stored with its delay after the completions that it depends on: it waits for the
//! read that completed last, and then the host worked for that time. A write and a flush also wait for the last of
//! their own kind; no read waits for them.
//!
//! ```text
//! image 2048              the part of the drive where all of it lies but a look at the drive's end, in MiB
//! host 41200000           us in which no read was on its way, up to when all had started
//! r 120 1 2048 8          a read, 120 us after the answer to the request before it: first sector, sectors of 512 bytes
//! w 40 3,17 4096 16       a write, behind the later of two answers
//! f 0 1                   a flush
//! m 77 2                  all has started
//! ```
//!
//! The host of the recording is not the one that a drive is judged on: its times are scaled so that their sum is the
//! setting's.

use base::{Bytes, Duration, Io, Op, Script, Span, StepId, Takes, splitmix64};

/// A Debian 12 booted from an emulated drive; its first lines describe how.
const DEBIAN_12: &str = include_str!("../../../../catalog/traces/debian-12.boot");

/// The contents of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    /// Nothing of what marks that all has started.
    asks: Option<Io>,
    think: Duration,
    /// How many steps back those are that it waits for.
    back: Vec<usize>,
}

/// A recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Recorded {
    image: Bytes,
    host: Duration,
    steps: Vec<Step>,
}

impl Recorded {
    /// The Debian that comes with the program.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub(super) fn debian_12() -> Recorded {
        Recorded::read(DEBIAN_12).expect("the recording that comes with the program is one")
    }

    /// Reads a recording; nothing where a line is none of one.
    fn read(text: &str) -> Option<Recorded> {
        let mut recorded = Recorded {
            image: Bytes::ZERO,
            host: Duration::ZERO,
            steps: Vec::new(),
        };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (word, rest) = line.split_once(' ')?;
            match word {
                "image" => recorded.image = Bytes::mib(rest.parse().ok()?),
                "host" => recorded.host = Duration::from_micros(rest.parse().ok()?),
                _ => {
                    let step = step(word, rest, recorded.steps.len())?;
                    recorded.steps.push(step);
                }
            }
        }
        let is_whole = !recorded.image.is_zero() && !recorded.host.is_zero();
        is_whole.then_some(recorded)
    }

    /// The steps up to the end, or the first requests up to this number; without writes on a read-only target.
    fn taken(&self, accesses: u64, writable: bool) -> impl Iterator<Item = (usize, &Step)> {
        let changes = |step: &Step| step.asks.is_some_and(|io| io.op != Op::Read);
        let steps = self.steps.iter().enumerate();
        let kept = steps.filter(move |(_, step)| writable || !changes(step));
        kept.take(usize::try_from(accesses).unwrap_or(usize::MAX))
    }

    /// What it takes.
    pub(super) fn takes(&self, accesses: u64, writable: bool, host: Duration) -> Takes {
        let asks = || {
            self.taken(accesses, writable)
                .filter_map(|(_, step)| step.asks)
        };
        let bytes = asks().map(|io| io.len.get()).sum();
        // The writes of a while follow, at the host's pace: once more is enough for them.
        Takes::moving(Bytes::new(bytes))
            .and_idle(host * 2)
            .and_accesses(asks().count() as u64)
    }

    /// The recording on another drive: positions beyond the span are folded into it, the host's times scaled to the sum
    /// `host`. The end of the boot is marked; in a truncated recording, its last step.
    pub(super) fn script(
        &self,
        span: Span,
        block: Bytes,
        (accesses, writable): (u64, bool),
        host: Duration,
        seed: u64,
    ) -> Script {
        let mut script = Script::new("boot", DEPTH);
        let mut made: Vec<Option<StepId>> = vec![None; self.steps.len()];
        let (mut last, mut is_marked) = (None, false);
        for (number, step) in self.taken(accesses, writable) {
            let after: Vec<StepId> = (step.back.iter())
                .filter_map(|back| made[number - back])
                .collect();
            let think = self.scaled(step.think, host);
            let id = match step.asks {
                Some(io) => script.io(placed(io, span, block, seed), think, &after),
                None => {
                    let all = script.host(think, &after);
                    script.mark(all);
                    is_marked = true;
                    all
                }
            };
            made[number] = Some(id);
            last = Some(id);
        }
        if let (Some(last), false) = (last, is_marked) {
            let end = script.host(Duration::ZERO, &[last]);
            script.mark(end);
        }
        script
    }

    fn scaled(&self, think: Duration, host: Duration) -> Duration {
        let ns = u128::from(think.as_nanos()) * u128::from(host.as_nanos())
            / u128::from(self.host.as_nanos().max(1));
        Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }
}

/// Maximum requests in flight: the limit of the recording's driver.
const DEPTH: u32 = 128;

/// A request on a drive whose part is `span`, in its blocks.
fn placed(io: Io, span: Span, block: Bytes, seed: u64) -> Io {
    if io.op == Op::Flush {
        return io;
    }
    let start = io.offset.round_down(block);
    let end = io.end().round_up(block);
    let len = (end - start).min(span.len.round_down(block));
    let room = (span.len - len).round_down(block) + block;
    let offset = span.start + Bytes::new(start.get() % room.get()).round_down(block);
    let stamp = splitmix64(seed ^ io.offset.get());
    Io {
        offset,
        len,
        stamp: if io.op == Op::Write { stamp } else { 0 },
        ..io
    }
}

fn step(word: &str, rest: &str, number: usize) -> Option<Step> {
    let mut words = rest.split(' ');
    let think = Duration::from_micros(words.next()?.parse().ok()?);
    let mut back = Vec::new();
    for steps in words.next()?.split(',').filter(|steps| *steps != "0") {
        let steps: usize = steps.parse().ok()?;
        back.push(steps);
        if steps == 0 || steps > number {
            return None;
        }
    }
    let asks = match word {
        "m" => None,
        "f" => Some(Io::flush()),
        _ => {
            let mut sectors = || words.next()?.parse::<u32>().ok().map(u64::from);
            let (offset, len) = (Bytes::SECTOR * sectors()?, Bytes::SECTOR * sectors()?);
            let io = match word {
                "r" => Io::read(offset, len),
                "w" => Io::write(offset, len, 0),
                "t" => Io {
                    op: Op::Trim,
                    ..Io::read(offset, len)
                },
                _ => return None,
            };
            Some(io)
        }
    };
    Some(Step { asks, think, back })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str =
        "# three requests\nimage 1\nhost 1000\nr 500 0 0 8\nw 10 1 2040 8\nr 500 2 1024 8\nm 0 1\n";

    #[test]
    fn the_recording_of_debian_reads_tens_of_megabytes_before_it_is_marked() {
        let debian = Recorded::debian_12();
        let marks = debian.steps.iter().filter(|step| step.asks.is_none());
        assert_eq!(marks.count(), 1);
        let before: Vec<Io> = (debian.steps.iter())
            .map_while(|step| step.asks)
            .filter(|io| io.op == Op::Read)
            .collect();
        let bytes: u64 = before.iter().map(|io| io.len.get()).sum();
        assert!(before.len() > 500 && bytes > 30 << 20, "{bytes}");
        // At its end a drive is asked for other partition tables and arrays.
        let beyond = before.iter().filter(|io| io.end() > debian.image);
        assert!(beyond.count() < before.len() / 20);
    }

    #[test]
    fn a_line_that_is_none_is_told_from_one() {
        assert!(Recorded::read(SMALL).is_some());
        for (right, wrong) in [
            ("r 500 2", "x 500 2"),
            ("r 500 2", "r 500 9"),
            ("1024 8", "1024"),
            ("host 1000", "host 0"),
            ("image 1\n", ""),
        ] {
            let text = SMALL.replace(right, wrong);
            assert_eq!(Recorded::read(&text), None, "{text}");
        }
    }

    #[test]
    fn places_lie_in_the_part_whatever_its_size_and_blocks() {
        for (span, block) in [(64, 4096), (8, 512), (4, 4096)] {
            let span = Span::new(Bytes::mib(3), Bytes::kib(span));
            for io in Recorded::read(SMALL)
                .unwrap()
                .steps
                .iter()
                .filter_map(|step| step.asks)
            {
                let block = Bytes::new(block);
                let placed = placed(io, span, block, 1);
                assert!(
                    placed.offset >= span.start && placed.end() <= span.end(),
                    "{placed:?}"
                );
                assert!(placed.offset.is_multiple_of(block) && placed.len.is_multiple_of(block));
                assert!(!placed.len.is_zero());
            }
        }
    }
}
