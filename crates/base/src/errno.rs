//! Error numbers in words.
//!
//! The numbers of a failed I/O are Linux's (`errno.h`), on a real drive and on a modelled one. They are
//! named here and not by the C library, so that a result reads the same on every machine.

/// Those that I/Os on drives and files end with.
const NAMES: &[(i32, &str, &str)] = &[
    (1, "EPERM", "not permitted"),
    (5, "EIO", "I/O error"),
    (6, "ENXIO", "no such device"),
    (9, "EBADF", "bad file descriptor"),
    (11, "EAGAIN", "try again"),
    (12, "ENOMEM", "no memory"),
    (13, "EACCES", "permission denied"),
    (16, "EBUSY", "busy"),
    (19, "ENODEV", "no such device"),
    (22, "EINVAL", "invalid argument"),
    (24, "EMFILE", "too many open files"),
    (27, "EFBIG", "file too large"),
    (28, "ENOSPC", "no space left"),
    (30, "EROFS", "read-only"),
    (52, "EBADE", "invalid exchange"),
    (53, "EBADR", "invalid request descriptor"),
    (61, "ENODATA", "the medium cannot be read there"),
    (62, "ETIME", "timer expired"),
    (67, "ENOLINK", "the link is severed"),
    (74, "EBADMSG", "bad message"),
    (
        84,
        "EILSEQ",
        "other bytes than were written, or a checksum that does not fit",
    ),
    (95, "EOPNOTSUPP", "not supported"),
    (108, "ESHUTDOWN", "shut down"),
    (110, "ETIMEDOUT", "timed out"),
    (121, "EREMOTEIO", "remote I/O error"),
    (123, "ENOMEDIUM", "no medium"),
    (125, "ECANCELED", "cancelled"),
];

/// The number in words: `EIO, I/O error`; `error 999` where it has no name here.
pub fn in_words(errno: i32) -> String {
    match NAMES.iter().find(|(number, ..)| *number == errno) {
        Some((_, name, meaning)) => format!("{name}, {meaning}"),
        None => format!("error {errno}"),
    }
}

/// The number of a name: 5 of `EIO`.
pub fn number(name: &str) -> Option<i32> {
    let of = NAMES.iter().find(|(_, known, _)| *known == name);
    of.map(|(number, ..)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_its_name_and_meaning_and_an_unknown_one_itself() {
        assert_eq!(in_words(5), "EIO, I/O error");
        assert_eq!(in_words(crate::fault::ENODEV), "ENODEV, no such device");
        assert_eq!(in_words(999), "error 999");
        assert_eq!((number("ENOSPC"), number("ENONE")), (Some(28), None));
        assert!(NAMES.windows(2).all(|two| two[0].0 < two[1].0));
    }
}
