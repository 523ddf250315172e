//! Is all of its capacity there?
//!
//! A counterfeit takes all that is written and keeps what its memory has room for; copies to it succeed, and the files are
//! lost. Marks all over the drive and a piece at its end that is written completely show it ([`crate::pieces`]).
//!
//! A few sectors that failed, were lost or come back changed are no missing capacity: most of the last piece must be
//! missing, or a mark must hold what was written to another address, and the same must be so when it is looked at again.
//! What a cache holds looks stored: the last piece is longer than drives' caches are, and where something in front of the
//! drive keeps what was read, all that is there proves nothing.

use base::label::Difference;
use base::{Bytes, Message, PhaseRecord, Stopped, Takes};

use crate::asked::Asked;
use crate::pieces::Pieces;
use crate::probe::Probe;
use crate::question::{Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "capacity",
    suits: |_| true,
    writes: |asked| Some(asked.span),
    takes: |asked| {
        let pieces = pieces(asked);
        let looks = pieces.most_looks() + AGAIN;
        Takes::moving(pieces.moved_by_a_look() * 2 * looks).and_accesses(2 * pieces.count() * looks)
    },
    ask,
};

/// Pieces at most, and how long they are at least: no drive has a larger cache, unless that is most of it.
const PIECES: u64 = 1_024;
const LEAST_PIECE: Bytes = Bytes::gib(1);
const OF_ALL: u64 = 8;
/// Looks that repeat what the others found: at what is stored, and at what is not.
const AGAIN: u64 = 2;
/// Of so many I/Os one may fail: the only mark that tells may be among them, on one counterfeit of as many.
const ONE_OF: u64 = 100;

fn pieces(asked: &Asked) -> Pieces {
    let all = asked.span.len.get();
    let least = LEAST_PIECE.min(Bytes::new(all / OF_ALL));
    Pieces::new(
        asked.span.len,
        asked.access,
        Bytes::new(all / PIECES).max(least),
    )
}

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let pieces = pieces(probe.asked);
    let is_whole =
        known.is_drive && probe.asked.span.len + probe.asked.block > probe.asked.capacity;
    let kept = if !is_whole {
        Err(Message::of("why-not-a-whole-drive"))
    } else if !probe.checks_labels() {
        Err(Message::of("why-no-data-kept"))
    } else {
        stored(&pieces, |looked_at, generation| {
            let name = match generation {
                1 => "look at the end".to_owned(),
                _ => format!("look {generation}"),
            };
            probe.whole(&name, &pieces.look(looked_at, generation), |record| {
                Seen::of(record, pieces.len())
            })
        })?
    };
    let all_of_it = |kept: [u64; 2]| match kept[0] == pieces.count() && known.is_behind_a_cache {
        true => Err(Message::of("why-behind-a-cache")),
        false => Ok(kept),
    };
    let gigabytes = |pieces_of: u64| pieces.end(pieces_of).get() as f64 / 1e9;
    let mut found = Found::default();
    let claimed = gigabytes(pieces.count());
    found.add(probe, "claimed", "GB", Ok((claimed, None)));
    let size = |[kept, missing]: [u64; 2]| -> (f64, Option<[f64; 2]>) {
        let between = [kept, missing].map(gigabytes);
        (between[0], (kept < missing).then_some(between))
    };
    found.add(probe, "kept", "GB", kept.and_then(all_of_it).map(size));
    Ok(found)
}

/// What a look saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    AllThere,
    Missing,
    /// Too many I/Os failed.
    Failed,
}

impl Seen {
    fn of(record: &PhaseRecord, piece: Bytes) -> Seen {
        let differing = &record.job().errors.differing;
        let all: u64 = differing.values().sum();
        let overwritten = differing.get(&Difference::OtherAddress).copied();
        Seen::told(
            [overwritten.unwrap_or(0), all],
            piece.get() / Bytes::SECTOR.get(),
            [record.failed(), record.ios() + record.errors()],
        )
    }

    /// By how many sectors hold what belongs elsewhere and how many differ at all, how many a piece has, and how many I/Os
    /// failed of how many.
    fn told([overwritten, differing]: [u64; 2], piece: u64, [failed, ios]: [u64; 2]) -> Seen {
        if failed * ONE_OF > ios {
            Seen::Failed
        } else if overwritten > 0 || differing > piece / 2 {
            Seen::Missing
        } else {
            Seen::AllThere
        }
    }
}

/// How many pieces are stored and of how many the last one is not, where that is seen twice.
fn stored(
    pieces: &Pieces,
    mut look: impl FnMut(u64, u16) -> Result<Seen, Stopped>,
) -> Result<Result<[u64; 2], Message>, Stopped> {
    let (mut failed, mut generation) = (false, 0);
    let mut lacks = |looked_at: u64| {
        generation += 1;
        let seen = look(looked_at, generation)?;
        failed |= seen == Seen::Failed;
        Ok(seen == Seen::Missing)
    };
    let [kept, missing] = pieces.stored(|looked_at, _| lacks(looked_at))?;
    let is_so = kept == missing || lacks(missing)? && (kept == 0 || !lacks(kept)?);
    Ok(match (failed, is_so) {
        (true, _) => Err(Message::of("why-end-failed")),
        (_, false) => Err(Message::of("why-looks-differ")),
        (false, true) => Ok([kept, missing]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    /// A drive of 1,000 pieces of which so many are there. One sector in ten thousand comes back changed; of one look in
    /// ten nothing is seen, or too much, where `fails`.
    fn found(there: u64, seed: u64, fails: bool) -> Result<[u64; 2], Message> {
        let pieces = Pieces::new(Bytes::gib(1_000), Bytes::kib(4), Bytes::gib(1));
        let mut rng = Rng::new(seed);
        let sectors = 2_097_152;
        let look = |looked_at: u64, _| {
            let changed = rng.below(sectors / 5_000);
            let odd = fails && rng.below(10) == 0;
            let seen = match (looked_at > there) != odd {
                true if rng.below(2) == 0 => [8, 8 + changed],
                true => [0, sectors - changed],
                false => [0, changed],
            };
            Ok(Seen::told(seen, sectors, [rng.below(10), 2_000]))
        };
        stored(&pieces, look).unwrap()
    }

    #[test]
    fn what_is_there_is_found_among_changed_sectors_and_failed_reads() {
        for seed in 0..30 {
            for there in [0, 1, 31, 500, 998, 999] {
                assert_eq!(found(there, seed, false).unwrap(), [there, there + 1]);
            }
            assert_eq!(found(1_000, seed, false).unwrap(), [1_000; 2]);
        }
    }

    #[test]
    fn a_drive_that_loses_now_and_then_is_seldom_said_to_lack_capacity() {
        let wrong = (0..300).filter(|seed| found(1_000, *seed, true).is_ok_and(|it| it[0] < 1_000));
        assert!(wrong.count() < 9);
    }

    #[test]
    fn where_much_fails_nothing_is_said() {
        let pieces = Pieces::new(Bytes::gib(64), Bytes::kib(4), Bytes::gib(1));
        let failing = |_, _| Ok(Seen::told([0, 0], 2_097_152, [21, 2_000]));
        let why = stored(&pieces, failing).unwrap().unwrap_err();
        assert_eq!(why.key(), Some("why-end-failed"));
        let few = Seen::told([0, 1_000], 2_097_152, [20, 2_000]);
        assert_eq!(few, Seen::AllThere);
    }
}
