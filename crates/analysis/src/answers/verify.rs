//! Whether the data read is the data written: all of it, less than the drive claims, or not even what it acknowledged.
//!
//! Flushed data that was lost comes first. Sectors that hold data of other addresses, or nothing, indicate less
//! capacity than claimed: addresses beyond the end wrap or are dropped. Unflushed data may be lost; that is reported
//! after the answer, and is not a fault.

use base::size::Bytes;
use results::{FILE_SYSTEM, Quantity, RunResult, Statement};

use super::figures::{count, figure, is_missing, share_of_drive, size};
use super::without_room;

/// The checks of what had to be there.
const DUE: [&str; 3] = ["in-order", "overwritten", "power-cut"];
/// The unit in which sectors are labelled.
const SECTOR: u64 = 512;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let of = |check: &str, key: &str| count(result, &format!("{check}.{key}"));
    let checked = || {
        DUE.into_iter()
            .filter(|check| of(check, "differing").is_some())
    };
    let most = |key: &str| checked().filter_map(|check| of(check, key)).max();
    let differing = most("differing")?;
    let unreadable = most("read-errors").unwrap_or(0);
    let writings = ["write", "overwrite", "unflushed"].into_iter();
    let refused: u64 = writings.filter_map(|writing| of(writing, "errors")).sum();
    let read = Bytes::new(largest_read(result));
    let lost = of("power-cut", "lost").unwrap_or(0);
    let sound = ["in-order", "overwritten"].into_iter();
    let sound = sound
        .filter_map(|check| of(check, "differing"))
        .sum::<u64>()
        == 0;
    let elsewhere = most("other-address").unwrap_or(0);
    let bad = Bytes::new(differing.saturating_mul(SECTOR));
    let sizes = size(result, "kept.size").zip(size(result, "written.size"));
    let missing = sizes.filter(|(kept, written)| is_missing(*kept, *written));
    let said = if lost > 0 && sound {
        Statement::new("answer-verify-loses").with("lost", Quantity::Count(lost))
    } else if let Some((kept, written)) = missing {
        fake(kept, written)
    } else if elsewhere > 0 && bad < read {
        fake(read.saturating_sub(bad), read)
    } else if differing > 0 {
        Statement::new("answer-verify-differs").with("sectors", Quantity::Count(differing))
    } else if refused > 0 {
        let said = || Statement::new("answer-verify-refused");
        let refused = || said().with("writes", Quantity::Count(refused));
        // A full file system is not the drive's fault.
        without_room(result).unwrap_or_else(refused)
    } else if unreadable > 0 {
        Statement::new("answer-verify-unreadable").with("reads", Quantity::Count(unreadable))
    } else {
        let is_file = result.target.identity.contains_key(FILE_SYSTEM);
        let whole = !is_file && share_of_drive(result, read).is_some_and(|share| share > 99.9);
        let key = match whole {
            true => "answer-verify-whole",
            false => "answer-verify-part",
        };
        Statement::new(key).with("written", Quantity::Length(read))
    };
    // What was never written is not gone.
    let unflushed = figure(result, "unflushed.lost").and_then(|of| of.value);
    let unflushed = unflushed.map(|lost| lost as u64);
    let unflushed = unflushed.filter(|lost| *lost > 0 && refused == 0);
    let unflushed = unflushed.map(|lost| {
        Statement::new("answer-verify-unflushed").with(
            "size",
            Quantity::Length(Bytes::new(lost.saturating_mul(SECTOR))),
        )
    });
    Some(std::iter::once(said).chain(unflushed).collect())
}

/// That it has less than it claims.
fn fake(kept: Bytes, written: Bytes) -> Statement {
    Statement::new("answer-verify-fake")
        .with("kept", Quantity::Length(kept))
        .with("written", Quantity::Length(written))
}

/// Bytes of the phase that read the most: the extent that was checked.
fn largest_read(result: &RunResult) -> u64 {
    let phases = result.phases.iter();
    let read = phases.map(|phase| phase.jobs.iter().map(|job| job.ops[0].bytes.get()).sum());
    read.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;
    use fixtures::results as sample;

    fn key(figures: &[(&str, f64, &str)]) -> &'static str {
        let mut result = measured("verify", figures);
        result.phases = sample::review().swap_remove(0).phases;
        answer(&result).unwrap()[0].key
    }

    #[test]
    fn the_gravest_that_is_wrong_is_told() {
        let in_order = |n: f64| ("in-order.differing", n, "count");
        assert_eq!(key(&[in_order(0.0)]), "answer-verify-part");
        assert_eq!(key(&[in_order(1.0)]), "answer-verify-differs");
        let unread = ("in-order.read-errors", 2.0, "count");
        assert_eq!(key(&[in_order(0.0), unread]), "answer-verify-unreadable");
        let refused = ("overwrite.errors", 3.0, "count");
        assert_eq!(
            key(&[in_order(0.0), unread, refused]),
            "answer-verify-refused"
        );
        let elsewhere = ("in-order.other-address", 4.0, "count");
        assert_eq!(key(&[in_order(4.0), elsewhere]), "answer-verify-fake");
    }

    #[test]
    fn a_drive_that_drops_what_lies_beyond_its_end_is_said_to_have_less_than_it_claims() {
        let differing = ("in-order.differing", 327_680.0, "count");
        let unwritten = ("in-order.unwritten", 327_680.0, "count");
        let sizes = |kept: f64| [("kept.size", kept, "GB"), ("written.size", 0.268_4, "GB")];
        let missing = [&[differing, unwritten][..], &sizes(0.100_7)].concat();
        let result = measured("verify", &missing);
        let said = answer(&result).unwrap().swap_remove(0);
        assert_eq!(said.key, "answer-verify-fake");
        let kept = said.quantity("kept");
        assert_eq!(kept, Some(&Quantity::Length(Bytes::new(100_700_000))));
        // Some damaged sectors are no missing capacity.
        let damaged = [&[("in-order.differing", 8.0, "count")][..], &sizes(0.268_3)].concat();
        assert_eq!(key(&damaged), "answer-verify-differs");
    }

    #[test]
    fn flushed_data_that_a_power_cut_took_are_a_fault_and_unflushed_ones_are_not() {
        let sound = ("in-order.differing", 0.0, "count");
        let differing = ("power-cut.differing", 8.0, "count");
        let lost = ("power-cut.lost", 8.0, "count");
        assert_eq!(key(&[sound, differing, lost]), "answer-verify-loses");
        let unflushed = [sound, ("unflushed.lost", 8.0, "count")];
        let said = answer(&measured("verify", &unflushed)).unwrap();
        assert_eq!(said[0].key, "answer-verify-part");
        assert_eq!(said[1].key, "answer-verify-unflushed");
    }

    #[test]
    fn nothing_that_could_be_compared_is_no_answer() {
        assert_eq!(
            answer(&measured("verify", &[("write.rate", 1.0, "MB/s")])),
            None
        );
    }
}
