//! smartctl's exit status: eight bits, each with a meaning of its own (smartctl(8), "EXIT STATUS").

const COMMAND_LINE: u8 = 1 << 0;
const OPEN: u8 = 1 << 1;
const FAILING: u8 = 1 << 3;

/// Bit, and what it means.
const MEANINGS: [(u8, &str); 8] = [
    (
        COMMAND_LINE,
        "smartctl did not understand how it was called, or what kind of device this is",
    ),
    (
        OPEN,
        "the device could not be opened or did not identify itself",
    ),
    (
        1 << 2,
        "a command to the drive failed, or a table came with a wrong checksum",
    ),
    (FAILING, "the drive says that it is failing"),
    (
        1 << 4,
        "attributes that predict failure are at or below their thresholds",
    ),
    (
        1 << 5,
        "attributes were at or below their thresholds in the past",
    ),
    (1 << 6, "the drive's log of errors has entries"),
    (1 << 7, "the drive's log of self-tests has failures"),
];

/// Bits that say something which no other field says.
const WORTH_A_REMARK: u8 = 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7;

/// True where nothing was read from the device.
pub(super) fn nothing_was_read(status: u8) -> bool {
    status & (COMMAND_LINE | OPEN) != 0
}

/// True where the drive said that it fails.
pub(super) fn is_failing(status: u8) -> bool {
    status & FAILING != 0
}

/// What all bits mean that are set.
pub(super) fn meanings(status: u8) -> Vec<String> {
    let set = MEANINGS.iter().filter(|(bit, _)| status & bit != 0);
    set.map(|(_, meaning)| (*meaning).to_owned()).collect()
}

/// What is to be said beside what was read.
pub(super) fn remarks(status: u8) -> Vec<String> {
    meanings(status & WORTH_A_REMARK)
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
        }
        // 216 = 128 + 64 + 16 + 8: a failing drive with entries in both logs.
        assert!(is_failing(216) && !nothing_was_read(216));
        assert_eq!(remarks(216).len(), 2);
    }
}
