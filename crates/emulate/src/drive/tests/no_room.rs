//! A drive without room for its log.

use std::fs::File;

use super::*;
use crate::offer::modelled;

/// A drive whose log is written to a device that is always full.
fn without_room() -> Emulated {
    let target = modelled(DRIVES[0], 7, &Interrupt::new()).unwrap().target;
    let data = tempfile::tempfile().unwrap();
    let image = Image::new(data, target.info().capacity).unwrap();
    let image = image.with_undo(tempfile::tempfile().unwrap()).unwrap();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let drive = Emulated::new(target, image);
    drive.restored(&[][..], Writer::new(full)).unwrap().0
}

/// The error of each of these, one after the other.
fn errors(drive: &mut Emulated, asked: Vec<Asked>) -> Vec<i32> {
    let one = |asked| {
        drive.ask(drive.now(), ASKER, asked);
        settle(drive)[0].error
    };
    asked.into_iter().map(one).collect()
}

#[test]
fn a_drive_without_room_for_its_log_is_read_and_refuses_to_be_changed() {
    let mut drive = without_room();
    let span = Span::new(Bytes::ZERO, Bytes::new(BLOCK));
    let write = || Asked::Write {
        offset: Bytes::ZERO,
        bytes: vec![7; BLOCK as usize],
        durable: false,
    };
    let read = || Asked::Read(span);
    let asked = vec![read(), write(), read(), Asked::Trim(span), Asked::Flush];
    assert!(!drive.has_no_room());
    assert_eq!(errors(&mut drive, asked), [0, ENOSPC, 0, ENOSPC, ENOSPC]);
    assert!(drive.has_no_room());
    assert_eq!(value(&drive, 0), 0, "nothing was taken");
}

#[test]
fn a_change_that_was_under_way_when_the_room_ended_has_failed() {
    let mut drive = without_room();
    write(&mut drive, 0, 7);
    assert_eq!(settle(&mut drive)[0].error, ENOSPC);
}
