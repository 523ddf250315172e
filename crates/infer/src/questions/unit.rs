//! How large is the mapping unit, and where does it begin?
//!
//! Flash is mapped, and disks with large sectors are laid out, in units, of 4 KiB nearly always. A write that covers a part
//! of one needs the rest: the drive reads it, puts both together and writes the whole. So a write of 4 KiB that begins
//! within a unit touches two of them, and takes several times as long as an aligned one, if nothing faster in front hides
//! it (a write cache that is not full). Conditions that are tried one after another drift apart by themselves, as the drive
//! fills; so they are tried in short bursts in random order, and each burst is held against the aligned one of its round.

use base::{Bytes, Io, Message, Stopped};

use crate::evidence::middle;
use crate::probe::{Probe, micros};
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "unit",
    suits: |_| true,
    writes: |asked| Some(asked.area()),
    takes: |asked| asked.singles(ROUNDS * BURST * OFFSETS.len() as u64),
    ask,
};

/// Where writes of 4 KiB begin within one.
const OFFSETS: [u64; 4] = [0, 512, 2_048, 3_584];
const WRITE: Bytes = Bytes::kib(4);
/// Bursts of each, and writes of a burst.
const ROUNDS: u64 = 16;
const BURST: u64 = 32;
/// Places lie so far apart.
const APART: Bytes = Bytes::kib(64);

fn ask(probe: &mut Probe<'_>, _: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let places = probe.asked.area().len.get() / APART.get();
    if probe.asked.block.get() > 512 || places < 16 {
        let places = [
            ("block", probe.asked.block.into()),
            ("size", Bytes::new(512).into()),
        ];
        found.add(
            probe,
            "misaligned",
            "ratio",
            Err(Message::new("why-blocks", places)),
        );
        return Ok(found);
    }
    let (ios, bursts) = bursts(probe, places);
    let trail = probe.one_at_a_time("writes", ios)?;
    // A write that failed is not in the trail: from there on the bursts would be told from their neighbours' times.
    let whole = (0..).zip(&trail).take_while(|(step, io)| io.step == *step);
    let responses = micros(&trail[..whole.count()]);
    let estimate = misaligned(&responses, &bursts);
    found.add(probe, "misaligned", "ratio", estimate);
    Ok(found)
}

/// Bursts in random order within each round, and which offset each has.
fn bursts(probe: &mut Probe<'_>, places: u64) -> (Vec<Io>, Vec<usize>) {
    let (mut ios, mut bursts) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut order = [0, 1, 2, 3];
        probe.shuffle(&mut order);
        for which in order {
            bursts.push(which);
            for _ in 0..BURST {
                let place = APART * probe.rng.below(places - 1);
                let at = probe.asked.area().start + place + Bytes::new(OFFSETS[which]);
                let io = probe.write(at, WRITE);
                ios.push(io);
            }
        }
    }
    (ios, bursts)
}

/// What a misaligned write takes, over an aligned one of its round: the median over rounds, and between which values it
/// lies. Only whole rounds count.
fn misaligned(responses: &[f64], bursts: &[usize]) -> Estimate {
    let means: Vec<(usize, f64)> = responses
        .chunks_exact(BURST as usize)
        .zip(bursts)
        .map(|(burst, which)| (*which, burst.iter().sum::<f64>() / BURST as f64))
        .collect();
    let rounds = means.chunks_exact(OFFSETS.len());
    let ratios: Vec<f64> = rounds
        .filter_map(|round| {
            let aligned = round.iter().find(|(which, _)| *which == 0)?.1;
            let others = round.iter().filter(|(which, _)| *which != 0);
            let mean = others.map(|(_, mean)| mean).sum::<f64>() / (OFFSETS.len() - 1) as f64;
            (aligned > 0.0).then_some(mean / aligned)
        })
        .collect();
    middle(&ratios)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misaligned_write_is_held_against_the_aligned_one_of_its_round() {
        // The drive becomes slower all the time; within a round a misaligned write takes five times as long.
        let bursts: Vec<usize> = (0..ROUNDS as usize)
            .flat_map(|round| [round % 4, (round + 1) % 4, (round + 2) % 4, (round + 3) % 4])
            .collect();
        let responses: Vec<f64> = bursts
            .iter()
            .enumerate()
            .flat_map(|(at, which)| {
                let slower = 1.0 + at as f64 / 20.0;
                let one = if *which == 0 { 20.0 } else { 100.0 };
                vec![one * slower; BURST as usize]
            })
            .collect();
        let (ratio, interval) = misaligned(&responses, &bursts).unwrap();
        assert!((4.0..6.0).contains(&ratio), "{ratio}");
        let [low, high] = interval.unwrap();
        assert!(low > 1.5 && high < 9.0);
        let alike = vec![20.0; responses.len()];
        assert!((misaligned(&alike, &bursts).unwrap().0 - 1.0).abs() < 1e-9);
        assert!(misaligned(&[], &bursts).is_err());
    }
}
