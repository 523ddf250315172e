//! Telling a drive that went away from a drive with bad sectors.
//!
//! One failed I/O says nothing about the drive. So the device is checked ([`IsLost`]) after a short transfer, which
//! within the device's length does not happen while the drive is there, and after consecutive failures: after eight,
//! and then, since a drive may well have a thousand adjacent bad sectors, less and less often. From the I/O on at which
//! it was found missing, failures become ENODEV.

use std::os::fd::BorrowedFd;

use base::fault::ENODEV;
use base::target::{Done, Outcome};

/// Consecutive failures after which the device is first checked.
const FIRST: u32 = 8;
/// They double until the looks are so far apart.
const FURTHEST: u32 = 1_024;

/// Whether the open device is no longer there. The opener of the target knows how to tell.
pub type IsLost = Box<dyn Fn(BorrowedFd<'_>) -> bool + Send>;

/// Checks the completions of one device.
pub(super) struct Guard {
    is_lost: Option<IsLost>,
    in_a_row: u32,
    next_look: u32,
    gone: bool,
}

impl Guard {
    pub(super) fn new(is_lost: Option<IsLost>) -> Guard {
        Guard {
            is_lost,
            in_a_row: 0,
            next_look: FIRST,
            gone: false,
        }
    }

    /// True if the completions need to be processed.
    #[inline]
    pub(super) fn is_concerned(&self, done: &[Done]) -> bool {
        self.in_a_row > 0 || done.iter().any(|done| failed(done.outcome))
    }

    /// Processes the completions of the open device.
    #[cold]
    pub(super) fn look_at(&mut self, done: &mut [Done], device: BorrowedFd<'_>) {
        for done in done.iter_mut() {
            if !failed(done.outcome) {
                (self.in_a_row, self.next_look) = (0, FIRST);
                continue;
            }
            self.in_a_row += 1;
            if self.in_a_row >= self.next_look || matches!(done.outcome, Outcome::Short(_)) {
                self.next_look = self.in_a_row + self.in_a_row.clamp(FIRST, FURTHEST);
                self.gone = self.gone || self.is_lost(device);
            }
            if self.gone {
                done.outcome = Outcome::Failed(ENODEV);
            }
        }
    }

    fn is_lost(&self, device: BorrowedFd<'_>) -> bool {
        self.is_lost.as_ref().is_some_and(|is_lost| is_lost(device))
    }
}

/// A failed path says nothing about the device; nor do differing bytes.
fn failed(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Failed(_) | Outcome::Short(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::fault::EIO;
    use base::size::Bytes;
    use base::target::Tag;
    use base::time::Instant;
    use std::fs::File;
    use std::os::fd::AsFd;

    fn came_back(outcome: Outcome) -> Done {
        Done {
            tag: Tag(0),
            sent: Instant::ZERO,
            at: Instant::ZERO,
            outcome,
        }
    }

    /// The outcome for `outcome`, completed this many times.
    fn seen(guard: &mut Guard, file: &File, outcome: Outcome, times: usize) -> Vec<Outcome> {
        let mut done = vec![came_back(outcome); times];
        if guard.is_concerned(&done) {
            guard.look_at(&mut done, file.as_fd());
        }
        done.iter().map(|done| done.outcome).collect()
    }

    fn guarded() -> (File, Guard) {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 20).unwrap();
        let shorter = |file: BorrowedFd<'_>| rustix::fs::fstat(file).unwrap().st_size < 1 << 20;
        (file, Guard::new(Some(Box::new(shorter))))
    }

    const BAD: Outcome = Outcome::Failed(EIO);
    const GONE: Outcome = Outcome::Failed(ENODEV);

    #[test]
    fn the_eighth_failure_in_a_row_finds_out_that_the_drive_is_gone() {
        let (file, mut guard) = guarded();
        file.set_len(0).unwrap();
        assert_eq!(seen(&mut guard, &file, BAD, 7), [BAD; 7]);
        assert_eq!(
            seen(&mut guard, &file, Outcome::Complete, 1),
            [Outcome::Complete]
        );
        let nine = seen(&mut guard, &file, BAD, 9);
        assert_eq!(nine, [BAD, BAD, BAD, BAD, BAD, BAD, BAD, GONE, GONE]);
    }

    #[test]
    fn a_transfer_that_is_short_finds_it_out_at_once() {
        let (file, mut guard) = guarded();
        let short = Outcome::Short(Bytes::ZERO);
        assert_eq!(seen(&mut guard, &file, short, 1), [short], "it is there");
        file.set_len(0).unwrap();
        assert_eq!(seen(&mut guard, &file, short, 2), [GONE, GONE]);
    }

    #[test]
    fn a_drive_with_many_bad_sectors_is_there_and_looked_at_ever_more_rarely() {
        let (file, mut guard) = guarded();
        assert!(
            seen(&mut guard, &file, BAD, 100_000)
                .iter()
                .all(|o| *o == BAD)
        );
        file.set_len(0).unwrap();
        let later = seen(&mut guard, &file, BAD, FURTHEST as usize);
        assert!(later.contains(&GONE), "but it is looked at");
    }

    #[test]
    fn a_broken_way_and_other_bytes_say_nothing_of_the_drive() {
        let (file, mut guard) = guarded();
        file.set_len(0).unwrap();
        let broken = Outcome::Broken(53);
        assert!(
            seen(&mut guard, &file, broken, 100)
                .iter()
                .all(|o| *o == broken)
        );
    }
}
