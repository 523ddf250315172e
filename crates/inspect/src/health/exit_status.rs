//! smartctl's exit status: eight bits with separate meanings (smartctl(8), "EXIT STATUS"). The two lowest mean that
//! nothing was read; each of the others is a sign for the verdict.

use base::health::Sign;
use base::message::Message;

const COMMAND_LINE: u8 = 1 << 0;
const OPEN: u8 = 1 << 1;
const FAILING: u8 = 1 << 3;

/// Bit, and the key of its meaning.
const MEANINGS: [(u8, &str); 8] = [
    (COMMAND_LINE, "health-not-understood"),
    (OPEN, "health-not-opened"),
    (1 << 2, "health-sign-command-failed"),
    (FAILING, "health-says-failing"),
    (1 << 4, "health-sign-below-threshold"),
    (1 << 5, "health-sign-was-below"),
    (1 << 6, "health-sign-error-log"),
    (1 << 7, "health-self-test-log"),
];

/// Bit, and its sign. The bit of a failing drive is the drive's own verdict.
const SIGNS: [(u8, Sign); 5] = [
    (1 << 2, Sign::CommandFailed),
    (1 << 4, Sign::BelowThreshold),
    (1 << 5, Sign::WasBelowThreshold),
    (1 << 6, Sign::ErrorLog),
    (1 << 7, Sign::SelfTestLog),
];

/// True where nothing was read from the device.
pub(super) fn nothing_was_read(status: u8) -> bool {
    status & (COMMAND_LINE | OPEN) != 0
}

/// True if the drive reported that it is failing.
pub(super) fn is_failing(status: u8) -> bool {
    status & FAILING != 0
}

/// What all bits mean that are set.
pub(super) fn meanings(status: u8) -> Vec<Message> {
    let set = MEANINGS.iter().filter(|(bit, _)| status & bit != 0);
    set.map(|(_, meaning)| Message::of(meaning)).collect()
}

/// True if it reports a problem of the drive; together with a bit that nothing was read it is not smartctl's.
pub(super) fn speaks_of_the_drive(status: u8) -> bool {
    status & !7 != 0 && !nothing_was_read(status)
}

/// What all bits are signs of that are set.
pub(super) fn signs(status: u8) -> impl Iterator<Item = Sign> {
    let set = SIGNS.iter().filter(move |(bit, _)| status & bit != 0);
    set.map(|(_, sign)| *sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bit_has_its_meaning_and_the_two_lowest_say_that_nothing_was_read() {
        assert_eq!(meanings(0), [] as [&str; 0]);
        assert_eq!(meanings(0xff).len(), 8);
        for bit in 0..8 {
            assert_eq!(meanings(1 << bit).len(), 1);
            assert_eq!(nothing_was_read(1 << bit), bit < 2);
            assert_eq!(speaks_of_the_drive(1 << bit), bit > 2);
            // Each reaches the verdict: as nothing read, as the drive's own word, or as a sign.
            let ways = [bit < 2, is_failing(1 << bit), signs(1 << bit).count() == 1];
            assert_eq!(ways.iter().filter(|way| **way).count(), 1, "{bit}");
        }
        // 216 = 128 + 64 + 16 + 8: a failing drive with entries in both logs.
        assert!(is_failing(216) && !nothing_was_read(216));
        assert_eq!(signs(216).count(), 3);
    }
}
