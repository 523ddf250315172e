//! How the addresses of a trace come onto the target.
//!
//! Offsets and ends are rounded outwards to the target's blocks. A trace that extends beyond the area in use is
//! refused, wrapped (its addresses modulo the area's length; an I/O across the end is moved to before it) or scaled
//! (its addresses times the area's length over the trace's, lengths unchanged), depending on the setting; one that fits
//! keeps its addresses in all three modes.

use base::input::BadInput;
use base::{Bytes, Info, Io, Op};
use traces::Survey;

/// The longest read or write: each I/O in flight has its own buffer.
const LONGEST: Bytes = Bytes::mib(256);

/// What becomes of addresses that the part in use does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beyond {
    Refuse,
    Wrap,
    Scale,
}

impl Beyond {
    pub(super) const WORDS: &'static [&'static str] = &["refuse", "wrap", "scale"];

    pub(super) fn named(word: &str) -> Beyond {
        match word {
            "wrap" => Beyond::Wrap,
            "scale" => Beyond::Scale,
            _ => Beyond::Refuse,
        }
    }
}

/// How addresses are fitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    block: Bytes,
    /// Length of the part in use.
    part: Bytes,
    /// Where the trace ends, in whole blocks.
    end: Bytes,
    beyond: Beyond,
}

impl Fit {
    /// Fits a trace into the first `part` of a target.
    ///
    /// # Errors
    /// Why it cannot be, in words, with what to do.
    pub(super) fn new(
        survey: &Survey,
        part: Bytes,
        beyond: Beyond,
        on: &Info,
    ) -> Result<Fit, String> {
        let fit = Fit {
            block: on.block,
            part,
            end: survey.end.round_up(on.block),
            beyond,
        };
        if survey.largest > LONGEST {
            return Err(format!(
                "its longest read or write is of {}, and {LONGEST} is the most",
                survey.largest
            ));
        }
        if !survey.longest.is_zero() && survey.longest + on.block * 2 > part && fit.end > part {
            return Err(format!(
                "its longest I/O is of {}, and the part in use is of {part}",
                survey.longest
            ));
        }
        if beyond == Beyond::Refuse && fit.end > part {
            return Err(format!(
                "it reaches up to {}, and the part in use ends at {part}: give addresses=wrap or addresses=scale, or another target",
                survey.end
            ));
        }
        Ok(fit)
    }

    /// What is touched: from the first byte to the last.
    pub(super) fn touched(&self, survey: &Survey) -> (Bytes, Bytes) {
        if self.end > self.part {
            (Bytes::ZERO, self.part)
        } else {
            (survey.start.round_down(self.block), self.end)
        }
    }

    /// The I/O on the target.
    pub(super) fn io(&self, io: Io) -> Io {
        if io.op == Op::Flush {
            return io;
        }
        let start = io.offset.round_down(self.block);
        let len = io.end().round_up(self.block) - start;
        let offset = match self.beyond {
            _ if self.end <= self.part => start,
            Beyond::Scale => {
                let scaled = u128::from(start.get()) * u128::from(self.part.get())
                    / u128::from(self.end.get());
                // Less than `part`, which is of 64 bits.
                Bytes::new(scaled as u64).round_down(self.block)
            }
            _ => Bytes::new(start.get() % self.part.get()),
        };
        Io {
            offset: offset.min(self.part.saturating_sub(len)),
            len,
            ..io
        }
    }
}

/// The error for a trace that does not fit.
pub(super) fn unfit(path: &str, what: String) -> BadInput {
    BadInput::Unfit {
        path: path.to_owned(),
        what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(block: u64) -> Info {
        Info {
            capacity: Bytes::mib(1),
            block: Bytes::new(block),
            max_in_flight: 32,
            writable: true,
        }
    }

    fn survey(end: Bytes) -> Survey {
        Survey {
            end,
            longest: Bytes::kib(8),
            largest: Bytes::kib(8),
            ..Survey::default()
        }
    }

    fn at(fit: &Fit, offset: Bytes, len: u64) -> (u64, u64) {
        let io = fit.io(Io::read(offset, Bytes::new(len)));
        (io.offset.get(), io.len.get())
    }

    #[test]
    fn what_fits_keeps_its_addresses_and_is_rounded_outwards_to_blocks() {
        for beyond in [Beyond::Refuse, Beyond::Wrap, Beyond::Scale] {
            let fit =
                Fit::new(&survey(Bytes::mib(1)), Bytes::mib(1), beyond, &info(4_096)).unwrap();
            assert_eq!(at(&fit, Bytes::kib(8), 4_096), (8_192, 4_096));
            assert_eq!(at(&fit, Bytes::new(8_192 + 512), 512), (8_192, 4_096));
            assert_eq!(at(&fit, Bytes::new(4_096 * 3 - 512), 1_024), (8_192, 8_192));
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_wrapped_or_scaled() {
        let (four, one) = (survey(Bytes::mib(4)), Bytes::mib(1));
        let why = Fit::new(&four, one, Beyond::Refuse, &info(512)).unwrap_err();
        assert!(why.contains("addresses=wrap"), "{why}");
        let wrap = Fit::new(&four, one, Beyond::Wrap, &info(512)).unwrap();
        assert_eq!(
            at(&wrap, Bytes::mib(3) + Bytes::kib(4), 4_096),
            (4_096, 4_096)
        );
        let last = Bytes::mib(2) - Bytes::kib(4);
        assert_eq!(at(&wrap, last, 8_192), ((1 << 20) - 8_192, 8_192));
        let scale = Fit::new(&four, one, Beyond::Scale, &info(512)).unwrap();
        assert_eq!(at(&scale, Bytes::mib(2), 4_096), (1 << 19, 4_096));
        assert_eq!(
            at(&scale, Bytes::mib(4) - Bytes::kib(4), 4_096),
            ((1 << 20) - 4_096, 4_096)
        );
        let why = Fit::new(&four, Bytes::kib(4), Beyond::Wrap, &info(512)).unwrap_err();
        assert!(why.contains("longest"), "{why}");
    }
}
