//! The trail of a phase: what each single I/O was, when it was sent and what it took.
//!
//! Histograms say how often a response occurs, not after what. Whoever infers something from one I/O after another (a read
//! that is slow because the one before it went to the same die, a rotation that is met again after whole turns) needs
//! them one by one. A trail is bounded, since a run may have billions of I/Os: [`MOST`] of them are kept, the first. It is
//! stored packed, as differences from one I/O to the next in base64: some ten letters an I/O in place of a hundred.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::io::{Io, Op};
use crate::size::Bytes;
use crate::time::Duration;

/// I/Os that a trail keeps.
const MOST: usize = 65_536;

/// One I/O of a trail: complete and whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrailIo {
    /// The step of the script that it was.
    pub step: u32,
    pub op: Op,
    pub offset: Bytes,
    pub len: Bytes,
    /// When it was handed over, since the beginning of the phase.
    pub sent: Duration,
    /// From handing over to completion.
    pub took: Duration,
}

/// The single I/Os of a phase, in the order of their completion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "Packed", try_from = "Packed")]
#[schemars(with = "Packed")]
pub struct Trail {
    ios: Vec<TrailIo>,
    left_out: u64,
}

impl Trail {
    /// One more I/O: left out, and counted, where the trail is full.
    pub fn keep(&mut self, step: u32, io: &Io, sent: Duration, took: Duration) {
        if self.ios.len() >= MOST {
            self.left_out += 1;
            return;
        }
        self.ios.push(TrailIo {
            step,
            op: io.op,
            offset: io.offset,
            len: io.len,
            sent,
            took,
        });
    }

    /// The I/Os, in the order of their completion.
    pub fn ios(&self) -> &[TrailIo] {
        &self.ios
    }

    /// I/Os that came after the last one that was kept.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }
}

/// A trail as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Trail")]
struct Packed {
    /// How many I/Os it has.
    ios: u64,
    /// I/Os after those that it has.
    #[serde(default)]
    left_out: u64,
    /// For each I/O six numbers, each as bytes of seven bits, the lowest first (LEB128), all in base64 without padding: step
    /// less the last I/O's, operation (0 read, 1 write, 2 trim, 3 flush), first byte less the last I/O's, bytes, ns from
    /// the beginning of the phase less the last I/O's, ns that it took. Differences d are stored as 2d, or -2d-1 below 0.
    packed: String,
}

impl From<Trail> for Packed {
    fn from(trail: Trail) -> Packed {
        let mut bytes = Vec::with_capacity(trail.ios.len() * 10);
        let mut last = [0_i64; 3];
        for io in &trail.ios {
            let here = [
                i64::from(io.step),
                io.offset.get().cast_signed(),
                io.sent.as_nanos().cast_signed(),
            ];
            let [step, offset, sent] =
                std::array::from_fn(|i| zigzag(here[i].wrapping_sub(last[i])));
            last = here;
            let all = [
                step,
                io.op as u64,
                offset,
                io.len.get(),
                sent,
                io.took.as_nanos(),
            ];
            all.into_iter().for_each(|number| put(number, &mut bytes));
        }
        Packed {
            ios: trail.ios.len() as u64,
            left_out: trail.left_out,
            packed: STANDARD_NO_PAD.encode(bytes),
        }
    }
}

impl TryFrom<Packed> for Trail {
    type Error = String;

    fn try_from(packed: Packed) -> Result<Trail, String> {
        let bytes = STANDARD_NO_PAD
            .decode(&packed.packed)
            .map_err(|error| format!("a trail that is no base64: {error}"))?;
        let mut rest = bytes.as_slice();
        let mut trail = Trail {
            ios: Vec::new(),
            left_out: packed.left_out,
        };
        let mut last = [0_i64; 3];
        while !rest.is_empty() && trail.ios.len() < MOST {
            let io = take_io(&mut rest, &mut last).ok_or("a trail that is cut off")?;
            trail.ios.push(io);
        }
        match trail.ios.len() as u64 == packed.ios && rest.is_empty() {
            true => Ok(trail),
            false => Err(format!(
                "a trail of {} I/Os that says {}",
                trail.ios.len(),
                packed.ios
            )),
        }
    }
}

fn take_io(rest: &mut &[u8], last: &mut [i64; 3]) -> Option<TrailIo> {
    let mut number = || take(rest);
    let (step, op, offset) = (number()?, number()?, number()?);
    let (len, sent, took) = (number()?, number()?, number()?);
    for (last, by) in last.iter_mut().zip([step, offset, sent]) {
        *last = last.wrapping_add(unzigzag(by));
    }
    let op = [Op::Read, Op::Write, Op::Trim, Op::Flush]
        .into_iter()
        .find(|known| *known as u64 == op)?;
    Some(TrailIo {
        step: u32::try_from(last[0]).ok()?,
        op,
        offset: Bytes::new(u64::try_from(last[1]).ok()?),
        len: Bytes::new(len),
        sent: Duration::from_nanos(u64::try_from(last[2]).ok()?),
        took: Duration::from_nanos(took),
    })
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}

fn put(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for place in 0..10 {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_trail_reads_back_as_it_was_kept(
            ios in prop::collection::vec((any::<u32>(), 0_u64..1 << 50, 1_u64..1 << 30, 0_u64..1 << 60, any::<u64>()), 0..50),
        ) {
            let mut trail = Trail::default();
            for (step, offset, len, sent, took) in ios {
                let io = match step % 2 {
                    0 => Io::read(Bytes::new(offset), Bytes::new(len)),
                    _ => Io::write(Bytes::new(offset), Bytes::new(len), 1),
                };
                trail.keep(step, &io, Duration::from_nanos(sent), Duration::from_nanos(took));
            }
            let text = serde_json::to_string(&trail).unwrap();
            prop_assert_eq!(serde_json::from_str::<Trail>(&text).unwrap(), trail);
        }

        #[test]
        fn what_is_no_trail_is_refused_and_does_not_panic(packed in "[A-Za-z0-9+/=]{0,60}", ios in 0_u64..20) {
            let text = serde_json::json!({"ios": ios, "packed": packed}).to_string();
            let _ = serde_json::from_str::<Trail>(&text);
        }
    }

    #[test]
    fn a_full_trail_counts_what_it_leaves_out() {
        let mut trail = Trail::default();
        let io = Io::read(Bytes::ZERO, Bytes::kib(4));
        for step in 0..MOST as u32 + 3 {
            trail.keep(step, &io, Duration::ZERO, Duration::ZERO);
        }
        assert_eq!((trail.ios().len(), trail.left_out()), (MOST, 3));
    }
}
