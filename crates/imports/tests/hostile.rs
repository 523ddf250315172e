//! Files that are cut off, damaged, empty, binary or huge are refused, and never stop the program.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use imports::{ImportError, LARGEST};
use proptest::prelude::*;

const FILES: &[&[u8]] = &[
    include_bytes!("files/crystaldiskmark-8.txt"),
    include_bytes!("files/crystaldiskmark-7-utf16.txt"),
    include_bytes!("files/crystaldiskmark-6.txt"),
    include_bytes!("files/crystaldiskmark-3-cp932.txt"),
    include_bytes!("files/kdiskmark-3.txt"),
    include_bytes!("files/fio-3-json-plus.json"),
    include_bytes!("files/fio-2.json"),
    include_bytes!("files/diskspd-2.xml"),
    include_bytes!("files/iometer-2006.csv"),
    include_bytes!("files/hd-tune.txt"),
    include_bytes!("files/fio-lat.log"),
    include_bytes!("files/ddrescue.map"),
    include_bytes!("files/backblaze.csv"),
];
/// The first of them end with what must be there, so that a cut is seen; a table or a log may end after any line.
const WITH_AN_END: usize = 8;

#[test]
fn a_file_that_is_cut_off_anywhere_is_refused_or_lacks_only_its_last_lines() {
    for file in &FILES[..WITH_AN_END] {
        let whole = imports::read(file).unwrap();
        for end in (0..file.len()).step_by(7) {
            if let Ok(cut) = imports::read(&file[..end]) {
                assert_eq!(cut.figures.len(), whole.figures.len(), "{}", whole.tool);
            }
        }
    }
}

#[test]
fn empty_binary_and_huge_files_are_refused() {
    assert_eq!(imports::read(b"").unwrap_err(), ImportError::Empty);
    let binary: Vec<u8> = (0..=255).collect();
    assert_eq!(imports::read(&binary).unwrap_err(), ImportError::NotText);
    let huge = vec![b'a'; LARGEST.get() as usize + 1];
    let refused = imports::read(&huge).unwrap_err();
    assert!(matches!(refused, ImportError::TooLarge { .. }), "{refused}");
}

proptest! {
    #[test]
    fn a_damaged_file_is_read_or_refused(
        file in 0..FILES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        taken in any::<prop::sample::Index>(),
        length in 0_usize..64,
    ) {
        let mut bytes = FILES[file].to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let from = taken.index(bytes.len());
        let to = (from + length).min(bytes.len());
        bytes.drain(from..to);
        if let Err(refused) = imports::read(&bytes) {
            prop_assert!(!refused.to_string().contains('\n'));
        }
    }
}
