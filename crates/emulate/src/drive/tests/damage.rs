//! A damaged kept folder is refused with a description of the damage, and left unchanged.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::*;

/// A folder of a drive whose power failed with much that was not flushed.
fn cut_drive(place: &Path) {
    let mut offered = had(DRIVES[0], place, false);
    for block in 0..200 {
        write(&mut offered.drive, block, 5);
        settle(&mut offered.drive);
    }
}

fn refused(place: &Path) -> String {
    let wanted = Wanted {
        target: DRIVES[0],
        seed: 7,
        folder: Some(place),
        ignores_flushes: false,
        read_only: false,
    };
    offer(&wanted, &Interrupt::new()).err().unwrap().to_string()
}

fn opened(place: &Path, name: &str) -> File {
    let mut options = File::options();
    options
        .read(true)
        .write(true)
        .open(place.join(name))
        .unwrap()
}

#[test]
fn a_changed_bit_half_a_log_and_a_leap_in_time_are_told() {
    let flip = |file: &File, at: u64| {
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ 4], at).unwrap();
    };
    let halved = |file: &File| {
        let length = file.metadata().unwrap().len() / 2;
        file.set_len(length - length % 32).unwrap();
    };
    let leaps = |file: &File| {
        let far = Record::Reached {
            at: Instant::ZERO + Duration::from_secs(146 * 365 * 86_400),
        };
        let mut writer = Writer::new(file.try_clone().unwrap());
        std::io::Seek::seek(&mut &*file, std::io::SeekFrom::End(0)).unwrap();
        writer.push(&far);
        writer.hand_over().unwrap();
    };
    let says = [
        (
            "log",
            &(|file: &File| flip(file, 32 * 10 + 17)) as &dyn Fn(&File),
            "record 11",
        ),
        ("log", &halved, "the log was cut"),
        ("log", &leaps, "years after"),
        (
            "undo",
            &(|file: &File| flip(file, 20)),
            "undo file is damaged",
        ),
        (
            "undo",
            &(|file: &File| flip(file, 3_000)),
            "undo file is damaged",
        ),
    ];
    for (name, damage, says) in says {
        let place = tempfile::tempdir().unwrap();
        cut_drive(place.path());
        damage(&opened(place.path(), name));
        let why = refused(place.path());
        assert!(why.contains(says), "{name}: {why}");
        let data = opened(place.path(), "data");
        let mut bytes = [0; 4096];
        data.read_exact_at(&mut bytes, 199 * BLOCK).unwrap();
        assert_eq!(bytes, [5; 4096], "left as it is");
    }
}
