//! The status of a mapped device from the kernel's device mapper: `DM_TABLE_STATUS` (`linux/dm-ioctl.h`).
//!
//! `/sys` has the name of a mapped device and the devices below it, but not its status. Each target in its table reports a
//! line in its own format. Only root may query it.

#![allow(unsafe_code)]

use std::fs::File;

use rustix::ioctl::{Updater, ioctl};

/// `DM_TABLE_STATUS`: `_IOWR(0xfd, 12, struct dm_ioctl)`.
const DM_TABLE_STATUS: rustix::ioctl::Opcode = 0xC138_FD0C;
/// Work that is under way is not finished for the answer (`DM_NOFLUSH_FLAG`).
const NO_FLUSH: u32 = 1 << 11;
/// The answer is longer than the room for it (`DM_BUFFER_FULL_FLAG`).
const TOO_LONG: u32 = 1 << 8;
/// Bytes for the answer: a line has some hundred.
const ROOM: usize = 16 << 10;
/// Bytes before each part's line: start, length, status, place of the next, type.
const PART: usize = 40;

/// `struct dm_ioctl`, 312 bytes, and the room behind it.
#[repr(C)]
struct Question {
    version: [u32; 3],
    data_size: u32,
    data_start: u32,
    parts: u32,
    open_count: i32,
    flags: u32,
    event: u32,
    padding: u32,
    device: u64,
    name: [u8; 128],
    uuid: [u8; 129],
    unused: [u8; 7],
    answer: [u8; ROOM],
}

const _: () = assert!(size_of::<Question>() == 312 + ROOM);

/// The type of each part of a mapped device and what it says of itself, as `dmsetup status` prints it; nothing where the
/// kernel may not be asked, and for another device.
pub fn mapping_status(major: u32, minor: u32) -> Option<Vec<(String, String)>> {
    let control = File::open("/dev/mapper/control").ok()?;
    let (major, minor) = (u64::from(major), u64::from(minor));
    let mut question = Box::new(Question {
        version: [4, 0, 0],
        data_size: size_of::<Question>() as u32,
        data_start: 312,
        parts: 0,
        open_count: 0,
        flags: NO_FLUSH,
        event: 0,
        padding: 0,
        // As `huge_encode_dev` of `linux/kdev_t.h` has it.
        device: (minor & 0xff) | (major << 8) | ((minor & !0xff) << 12),
        name: [0; 128],
        uuid: [0; 129],
        unused: [0; 7],
        answer: [0; ROOM],
    });
    // SAFETY: the request reads and writes a `dm_ioctl` and the room behind it, together the `data_size` that the structure
    // says and has; all of it is integers, of which every value is valid.
    let request = unsafe { Updater::<DM_TABLE_STATUS, Question>::new(&mut question) };
    // SAFETY: the number is that of this request, and the file is the mapper's own; any other answers ENOTTY and writes
    // nothing.
    unsafe { ioctl(&control, request) }.ok()?;
    if question.flags & TOO_LONG != 0 {
        return None;
    }
    let from = (question.data_start as usize).checked_sub(312)?;
    parts(question.answer.get(from..)?, question.parts)
}

/// The parts of an answer; nothing where it is not one.
fn parts(answer: &[u8], count: u32) -> Option<Vec<(String, String)>> {
    let mut at = 0;
    let mut found = Vec::new();
    for _ in 0..count {
        let part = answer.get(at..)?;
        found.push((text(part.get(24..PART)?), text(part.get(PART..)?)));
        at = u32::from_ne_bytes(part.get(20..24)?.try_into().ok()?) as usize;
    }
    Some(found)
}

/// Until the byte that ends it.
fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(next: u32, kind: &str, line: &str) -> Vec<u8> {
        let mut bytes = vec![0; 20];
        bytes.extend(next.to_ne_bytes());
        bytes.extend(kind.as_bytes());
        bytes.resize(PART, 0);
        bytes.extend(line.as_bytes());
        bytes.resize((PART + line.len()) / 8 * 8 + 8, 0); // with its end, to a multiple of 8
        bytes
    }

    #[test]
    fn each_part_of_an_answer_has_its_type_and_its_line() {
        let mut answer = part(48, "linear", "");
        answer.extend(part(0, "raid", "raid1 2 AD 32768/32768 idle 0 0 -"));
        let expected = [
            ("linear".to_owned(), String::new()),
            (
                "raid".to_owned(),
                "raid1 2 AD 32768/32768 idle 0 0 -".to_owned(),
            ),
        ];
        assert_eq!(parts(&answer, 2).unwrap(), expected);
        assert_eq!(parts(&answer, 0).unwrap(), []);
    }

    #[test]
    fn an_answer_that_is_cut_off_is_none() {
        let answer = part(400, "linear", "");
        assert_eq!(parts(&answer, 2), None);
        assert_eq!(parts(&answer[..30], 1), None);
    }
}
