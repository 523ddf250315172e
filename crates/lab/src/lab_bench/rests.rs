//! Rests between phases on a real drive.
//!
//! Idle time belongs to the phase after it. So a resumed run owes idle time only before the first phase that it really
//! runs: if the phase comes from the store, its idle time has already been taken. The remaining time is slept in
//! slices, so that a stop request is noticed.

use std::time::Duration as WallDuration;

use base::{Duration, Interrupt, Stopped};

/// The longest time until a stop request is noticed.
const SLICE: WallDuration = WallDuration::from_millis(50);

/// What a real drive is owed.
#[derive(Debug, Default)]
pub(crate) struct Rests {
    owed: Duration,
}

impl Rests {
    /// The method requests idle time.
    pub(super) fn ask(&mut self, time: Duration) {
        self.owed += time;
    }

    /// The phase after the pending idle time was returned from the store.
    pub(super) fn forget(&mut self) {
        self.owed = Duration::ZERO;
    }

    /// Takes the pending idle time; returns its length.
    ///
    /// # Errors
    /// If a stop was requested.
    pub(super) fn take(
        &mut self,
        interrupt: &Interrupt,
        sleep: &mut dyn FnMut(WallDuration),
    ) -> Result<Duration, Stopped> {
        let owed = std::mem::take(&mut self.owed);
        let mut left = WallDuration::from_nanos(owed.as_nanos());
        while !left.is_zero() {
            if interrupt.wanted() {
                return Err(Stopped::Interrupted);
            }
            let now = left.min(SLICE);
            sleep(now);
            left -= now;
        }
        Ok(owed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn what_is_owed_is_slept_whole_in_slices_and_once() {
        let mut rests = Rests::default();
        rests.ask(Duration::from_millis(120));
        rests.ask(Duration::from_millis(11));
        let mut slept = Vec::new();
        let mut take = |rests: &mut Rests| {
            rests
                .take(&Interrupt::new(), &mut |slice| {
                    slept.push(slice.as_millis())
                })
                .unwrap()
        };
        assert_eq!(take(&mut rests), Duration::from_millis(131));
        assert_eq!(take(&mut rests), Duration::ZERO);
        assert_eq!(slept, [50, 50, 31]);
    }

    #[test]
    fn the_rest_before_a_phase_that_the_store_has_is_not_taken_again() {
        let mut rests = Rests::default();
        rests.ask(Duration::from_secs(3_600));
        rests.forget();
        rests.ask(Duration::from_millis(5));
        let mut slept = WallDuration::ZERO;
        rests
            .take(&Interrupt::new(), &mut |slice| slept += slice)
            .unwrap();
        assert_eq!(slept, WallDuration::from_millis(5));
    }

    #[test]
    fn somebody_who_wants_to_stop_is_heard_between_slices() {
        let (mut rests, interrupt, mut slices) = (Rests::default(), Interrupt::new(), 0);
        rests.ask(Duration::from_secs(3_600));
        let rested = rests.take(&interrupt, &mut |_| {
            slices += 1;
            interrupt.flag().store(slices == 3, Ordering::Relaxed);
        });
        assert_eq!((rested, slices), (Err(Stopped::Interrupted), 3));
    }
}
