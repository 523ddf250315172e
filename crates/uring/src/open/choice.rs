//! The I/O path to a target, and its name in a result.

use std::fmt::Write as _;

use rustix::io::Errno;

use crate::medium::Medium;
use crate::open::{Engine, Options, Sync};
use crate::raw::Traits;

/// How I/Os will be issued, before it is known whether there is a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Ring,
    Inline(Reason),
    Pool(Reason),
}

/// Why not io_uring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Asked,
    NoPath,
    NoRing,
}

pub(super) fn choose(medium: &Medium, options: &Options) -> Choice {
    match options.engine {
        Engine::Uring => Choice::Ring,
        Engine::Psync => plain(medium, options, Reason::Asked),
        Engine::Auto if medium.begins_without_blocking => Choice::Ring,
        Engine::Auto => plain(medium, options, Reason::NoPath),
    }
}

pub(super) fn plain(medium: &Medium, options: &Options, reason: Reason) -> Choice {
    if medium.in_memory || options.depth == 1 {
        Choice::Inline(reason)
    } else {
        Choice::Pool(reason)
    }
}

pub(super) fn why_no_ring(error: &std::io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOSYS) => "ENOSYS: this kernel has none, or none that is new enough".to_owned(),
        Some(Errno::PERM) => "EPERM: kernel.io_uring_disabled or a sandbox forbids it".to_owned(),
        _ => error.to_string(),
    }
}

pub(super) fn describe_ring(traits: Traits, medium: &Medium, options: &Options) -> String {
    let mut text = "io_uring".to_owned();
    if !medium.begins_without_blocking {
        let _ = write!(
            text,
            " (worker threads: {} has no non-blocking path)",
            medium.kind
        );
    }
    text.push_str(mode(options));
    match (traits.registered_buffers, traits.registered_file) {
        (true, true) => text.push_str(", registered buffers and file"),
        (true, false) => text.push_str(", registered buffers"),
        (false, true) => text.push_str(", registered file, buffers not registered"),
        (false, false) => text.push_str(", nothing registered"),
    }
    if traits.single_issuer {
        text.push_str(", single issuer");
    }
    if !traits.registered_ring {
        text.push_str(", ring not registered");
    }
    text
}

pub(super) fn describe_plain(
    choice: Choice,
    why: &str,
    medium: &Medium,
    options: &Options,
) -> String {
    let (name, reason) = match choice {
        Choice::Inline(reason) => ("psync inline", reason),
        Choice::Pool(reason) => ("psync", reason),
        Choice::Ring => ("io_uring", Reason::Asked),
    };
    let reason = match reason {
        Reason::Asked => String::new(),
        Reason::NoPath => format!(" ({} has no non-blocking path)", medium.kind),
        Reason::NoRing => format!(" (no io_uring: {why})"),
    };
    format!("{name}{reason}{}", mode(options))
}

fn mode(options: &Options) -> &'static str {
    match (options.buffered, options.sync) {
        (false, Sync::None) => ", direct",
        (false, Sync::OSync) => ", direct, O_SYNC",
        (true, Sync::None) => ", buffered",
        (true, Sync::OSync) => ", buffered, O_SYNC",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::size::Bytes;

    fn medium(kind: &str, in_memory: bool, begins_without_blocking: bool) -> Medium {
        Medium {
            device: false,
            size: Bytes::gib(1),
            block: Bytes::SECTOR,
            in_memory,
            begins_without_blocking,
            kind: kind.to_owned(),
        }
    }

    fn options(engine: Engine, depth: u32) -> Options {
        Options {
            engine,
            depth,
            ..Options::default()
        }
    }

    #[test]
    fn the_ring_is_taken_wherever_the_kernel_can_begin_without_blocking() {
        let (ext4, tmpfs, fuse) = (
            medium("ext4", false, true),
            medium("tmpfs", true, false),
            medium("fuse", false, false),
        );
        let auto = |depth| options(Engine::Auto, depth);
        assert_eq!(choose(&ext4, &auto(1)), Choice::Ring);
        assert_eq!(choose(&ext4, &auto(32)), Choice::Ring);
        assert_eq!(choose(&tmpfs, &auto(32)), Choice::Inline(Reason::NoPath));
        assert_eq!(choose(&fuse, &auto(32)), Choice::Pool(Reason::NoPath));
        assert_eq!(choose(&fuse, &auto(1)), Choice::Inline(Reason::NoPath));
        assert_eq!(choose(&tmpfs, &options(Engine::Uring, 32)), Choice::Ring);
        let plain = choose(&ext4, &options(Engine::Psync, 32));
        assert_eq!(plain, Choice::Pool(Reason::Asked));
    }

    #[test]
    fn the_result_says_which_way_was_taken_and_why() {
        let ext4 = medium("ext4", false, true);
        let mut options = options(Engine::Auto, 32);
        let all = Traits {
            single_issuer: true,
            registered_ring: true,
            registered_file: true,
            registered_buffers: true,
        };
        assert_eq!(
            describe_ring(all, &ext4, &options),
            "io_uring, direct, registered buffers and file, single issuer"
        );
        let forbidden = why_no_ring(&std::io::Error::from_raw_os_error(libc::EPERM));
        assert_eq!(
            describe_plain(Choice::Pool(Reason::NoRing), &forbidden, &ext4, &options),
            "psync (no io_uring: EPERM: kernel.io_uring_disabled or a sandbox forbids it), direct"
        );
        options.buffered = true;
        let tmpfs = medium("tmpfs", true, false);
        assert_eq!(
            describe_plain(Choice::Inline(Reason::NoPath), "", &tmpfs, &options),
            "psync inline (tmpfs has no non-blocking path), buffered"
        );
    }
}
