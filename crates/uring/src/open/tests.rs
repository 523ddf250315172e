//! Opening real files with every I/O path, and what is refused.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use base::io::{Fill, FillKind, Op};
use base::label::Difference;
use base::target::Outcome;
use fixtures::conformance;

use super::*;
use crate::fill::Filler;

const SIZE: u64 = 4 << 20;

/// A nameless file on a disk file system, with known bytes in it, and its name in messages.
fn disk_file() -> File {
    for folder in [
        std::env::temp_dir(),
        PathBuf::from(env!("CARGO_MANIFEST_DIR")),
    ] {
        let Ok(file) = tempfile::tempfile_in(&folder) else {
            continue;
        };
        let bytes: Vec<u8> = (0..SIZE).map(byte_at).collect();
        file.write_all_at(&bytes, 0).unwrap();
        if set_direct(&file.as_fd().try_clone_to_owned().unwrap(), true).is_ok() {
            return file;
        }
    }
    panic!("neither the folder for temporary files nor the source folder has direct I/O");
}

/// A byte that is another one in each block.
fn byte_at(offset: u64) -> u8 {
    (offset / 512 * 7 + offset % 251) as u8
}

fn writable(engine: Engine, buffered: bool, depth: u32) -> Options {
    Options {
        engine,
        buffered,
        depth,
        read_only: false,
        largest_io: Bytes::kib(64),
        ..Options::default()
    }
}

fn on(file: &File, options: &Options) -> Result<RealTarget, OpenError> {
    adopt(
        file.try_clone().unwrap().into(),
        Path::new("a test file"),
        options,
    )
}

/// The ring, or a note that this test is skipped.
fn ring(test: &str, file: &File, buffered: bool, depth: u32) -> Option<RealTarget> {
    match on(file, &writable(Engine::Uring, buffered, depth)) {
        Ok(target) => Some(target),
        Err(OpenError::NoRing { why, .. }) => {
            fixtures::skip::skip(test, &format!("no io_uring: {why}"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn wait_for(target: &mut RealTarget, io: &Io) -> Done {
    target.submit(Tag(0), io).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        target.wait(None, &mut done);
    }
    done[0]
}

#[test]
fn the_ring_keeps_the_contract_direct_and_buffered_at_every_depth() {
    let file = disk_file();
    for buffered in [false, true] {
        for depth in [1, 64] {
            let name = "the_ring_keeps_the_contract_direct_and_buffered_at_every_depth";
            if ring(name, &file, buffered, depth).is_none() {
                return;
            }
            conformance::all(&mut || {
                Box::new(on(&file, &writable(Engine::Uring, buffered, depth)).unwrap())
            });
        }
    }
}

#[test]
fn plain_calls_keep_the_contract_inline_and_in_a_pool() {
    let file = disk_file();
    for (depth, way) in [
        (1, "psync inline, direct"),
        (64, "psync, direct"),
        (200, "psync, direct"),
    ] {
        conformance::all(&mut || {
            let target = on(&file, &writable(Engine::Psync, false, depth)).unwrap();
            assert_eq!(target.describe(), way);
            Box::new(target)
        });
    }
    conformance::all(&mut || Box::new(on(&file, &writable(Engine::Psync, true, 8)).unwrap()));
}

#[test]
fn a_target_that_refuses_writes_keeps_the_contract_for_reads() {
    let file = disk_file();
    let options = Options::default();
    conformance::all(&mut || Box::new(on(&file, &options).unwrap()));
}

#[test]
fn every_way_writes_the_bytes_that_the_stamp_says_where_it_says() {
    for (engine, buffered) in [
        (Engine::Uring, false),
        (Engine::Uring, true),
        (Engine::Psync, false),
        (Engine::Psync, true),
    ] {
        let file = disk_file();
        let mut target = match on(&file, &writable(engine, buffered, 4)) {
            Err(OpenError::NoRing { .. }) => continue,
            opened => opened.unwrap(),
        };
        for (stamp, kind) in [FillKind::Fresh, FillKind::RepeatEachMib, FillKind::Ones]
            .into_iter()
            .enumerate()
        {
            let io = Io {
                fill: Fill {
                    kind,
                    compressible_percent: 25,
                },
                ..Io::write(
                    Bytes::kib(40 * (1 + stamp as u64)),
                    Bytes::kib(12),
                    stamp as u64,
                )
            };
            // One of them says that it is complete only on stable storage.
            let io = if stamp == 1 { io.durably() } else { io };
            assert_eq!(wait_for(&mut target, &io).outcome, Outcome::Complete);
            let mut wanted = vec![0; 12 << 10];
            Filler::new(1).fill(0, &mut wanted, &io);
            assert_eq!(
                read(&file, io.offset, 12 << 10),
                wanted,
                "{engine:?} {io:?}"
            );
        }
        // Beside them nothing has changed.
        assert_eq!(read(&file, Bytes::kib(52), 4_096), known(52 << 10, 4_096));
    }
}

/// Through the page cache, whatever the mode of the file itself.
fn read(file: &File, offset: Bytes, len: usize) -> Vec<u8> {
    let again = File::open(format!(
        "/proc/self/fd/{}",
        std::os::fd::AsRawFd::as_raw_fd(file)
    ));
    let mut bytes = vec![0; len];
    again
        .unwrap()
        .read_exact_at(&mut bytes, offset.get())
        .unwrap();
    bytes
}

fn known(offset: u64, len: u64) -> Vec<u8> {
    (offset..offset + len).map(byte_at).collect()
}

#[test]
fn a_read_fetches_what_is_there() {
    let name = "a_read_fetches_what_is_there";
    let file = disk_file();
    for buffered in [false, true] {
        let Some(mut target) = ring(name, &file, buffered, 4) else {
            return;
        };
        let io = Io::read(Bytes::kib(1_000), Bytes::kib(64));
        assert_eq!(wait_for(&mut target, &io).outcome, Outcome::Complete);
        let Way::Ring(ring) = &mut target.way else {
            panic!("{}", target.describe());
        };
        assert_eq!(ring.bytes_of(Tag(0)), known(1_000 << 10, 64 << 10));
    }
}

#[test]
fn behind_the_end_a_read_is_short_and_one_that_is_too_long_or_crooked_fails() {
    let file = disk_file();
    for engine in [Engine::Auto, Engine::Psync] {
        let mut target = on(&file, &writable(engine, false, 2)).unwrap();
        let end = target.info().capacity;
        let block = target.info().block;
        let mut outcome = |io: Io| wait_for(&mut target, &io).outcome;
        let across = Io::read(end.saturating_sub(block), block * 4);
        assert_eq!(outcome(across), Outcome::Short(block));
        assert_eq!(outcome(Io::read(end, block)), Outcome::Short(Bytes::ZERO));
        let einval = Outcome::Failed(Errno::INVAL.raw_os_error());
        assert_eq!(outcome(Io::read(Bytes::ZERO, Bytes::mib(1))), einval);
        assert_eq!(outcome(Io::read(Bytes::new(1), block)), einval);
        // It goes on all the same.
        assert_eq!(outcome(Io::read(Bytes::ZERO, block)), Outcome::Complete);
    }
}

#[test]
fn a_trim_makes_a_hole_and_a_synchronous_write_is_complete() {
    for engine in [Engine::Auto, Engine::Psync] {
        let file = disk_file();
        let mut options = writable(engine, false, 2);
        options.sync = Sync::OSync;
        let mut target = on(&file, &options).unwrap();
        assert!(
            target.describe().contains("O_SYNC"),
            "{}",
            target.describe()
        );
        let write = Io::write(Bytes::kib(8), Bytes::kib(4), 3);
        assert_eq!(wait_for(&mut target, &write).outcome, Outcome::Complete);
        let trim = Io {
            op: Op::Trim,
            ..Io::write(Bytes::kib(64), Bytes::kib(64), 0)
        };
        match wait_for(&mut target, &trim).outcome {
            Outcome::Failed(errno) if errno == Errno::OPNOTSUPP.raw_os_error() => {
                fixtures::skip::skip("a_trim_makes_a_hole", "no holes in files here");
            }
            outcome => {
                assert_eq!(outcome, Outcome::Complete);
                assert_eq!(read(&file, Bytes::kib(64), 64 << 10), vec![0; 64 << 10]);
            }
        }
    }
}

#[test]
fn a_discard_on_a_block_device_reads_back_as_zeros() {
    let name = "a_discard_on_a_block_device_reads_back_as_zeros";
    let Some(device) = fixtures::loop_device::LoopDevice::attach(name, 8) else {
        return;
    };
    for engine in [Engine::Auto, Engine::Psync] {
        let mut target = open(&device.node, &writable(engine, false, 4)).unwrap();
        assert_eq!(target.info().capacity, Bytes::mib(8));
        let write = Io::write(Bytes::kib(32), Bytes::kib(64), 3);
        assert_eq!(wait_for(&mut target, &write).outcome, Outcome::Complete);
        let node = File::open(device.file.path()).unwrap();
        assert_ne!(read(&node, Bytes::kib(32), 64 << 10), vec![0; 64 << 10]);
        let trim = Io {
            op: Op::Trim,
            ..write
        };
        // Twice: the second one goes the way that the first one found.
        assert_eq!(wait_for(&mut target, &trim).outcome, Outcome::Complete);
        assert_eq!(wait_for(&mut target, &trim).outcome, Outcome::Complete);
        assert_eq!(
            wait_for(&mut target, &Io::flush()).outcome,
            Outcome::Complete
        );
        assert_eq!(read(&node, Bytes::kib(32), 64 << 10), vec![0; 64 << 10]);
    }
}

#[test]
fn a_device_behind_a_ring_keeps_the_contract() {
    let name = "a_device_behind_a_ring_keeps_the_contract";
    let Some(device) = fixtures::loop_device::LoopDevice::attach(name, 8) else {
        return;
    };
    let options = writable(Engine::Auto, false, 16);
    conformance::all(&mut || Box::new(open(&device.node, &options).unwrap()));
}

#[test]
fn a_file_in_memory_is_refused_unless_the_cache_is_asked_for_and_read_inline_then() {
    let Ok(mut file) = tempfile::tempfile_in("/dev/shm") else {
        fixtures::skip::skip("a_file_in_memory", "/dev/shm takes no files");
        return;
    };
    std::io::Write::write_all(&mut file, &[5; 2 << 20]).unwrap();
    let direct = on(&file, &writable(Engine::Auto, false, 8)).map(|target| target.description);
    let message = direct.unwrap_err().to_string();
    assert!(
        message.contains("no direct I/O") && message.contains("tmpfs"),
        "{message}"
    );
    assert!(message.contains("?buffered"), "{message}");
    let target = on(&file, &writable(Engine::Auto, true, 8)).unwrap();
    // A later kernel may begin such reads without blocking.
    if target.describe().starts_with("psync") {
        assert_eq!(
            target.describe(),
            "psync inline (tmpfs has no non-blocking path), buffered"
        );
    }
    drop(target);
    conformance::all(&mut || Box::new(on(&file, &writable(Engine::Auto, true, 8)).unwrap()));
}

#[test]
fn what_cannot_be_measured_is_refused_in_one_line() {
    let message = |path: &str, options: &Options| {
        let opened = open(Path::new(path), options).map(|target| target.description);
        let text = opened.unwrap_err().to_string();
        assert!(!text.contains('\n'), "{text}");
        text
    };
    let options = Options::default();
    assert!(message("/no/such/file", &options).contains("/no/such/file"));
    assert!(message("/", &options).contains("a directory"));
    assert!(message("/dev/null", &options).contains("a character device"));
    let file = disk_file();
    let refused = |options: Options| on(&file, &options).map(|t| t.description).unwrap_err();
    let deep = Options {
        depth: 5_000,
        ..Options::default()
    };
    assert!(matches!(refused(deep), OpenError::Option { .. }));
    let crooked = Options {
        block: Some(Bytes::new(700)),
        ..Options::default()
    };
    assert!(matches!(refused(crooked), OpenError::Option { .. }));
    file.set_len(100).unwrap();
    assert!(matches!(
        refused(Options::default()),
        OpenError::TooSmall { .. }
    ));
}

#[test]
fn every_way_finds_labelled_sectors_and_says_what_was_changed_behind_its_back() {
    let labelled = |io: Io, generation| Io {
        fill: Fill::labelled(generation),
        ..io
    };
    let write = |generation| labelled(Io::write(Bytes::kib(64), Bytes::kib(16), 0), generation);
    let asking = |kib, generation| labelled(Io::read(Bytes::kib(kib), Bytes::kib(16)), generation);
    for (engine, read_only) in [
        (Engine::Uring, false),
        (Engine::Uring, true),
        (Engine::Psync, false),
        (Engine::Psync, true),
    ] {
        let file = disk_file();
        let mut target = match on(&file, &writable(engine, false, 4)) {
            Err(OpenError::NoRing { .. }) => continue,
            opened => opened.unwrap(),
        };
        assert_eq!(wait_for(&mut target, &write(3)).outcome, Outcome::Complete);
        let options = Options {
            read_only,
            ..writable(engine, false, 4)
        };
        let mut target = on(&file, &options).unwrap();
        let mut found = |io: &Io| match wait_for(&mut target, io).outcome {
            Outcome::Complete => None,
            Outcome::Differs(differs) => Some((differs.kind, differs.first, differs.sectors)),
            other => panic!("{other:?}"),
        };
        assert_eq!(found(&asking(64, 3)), None);
        assert_eq!(
            found(&asking(64, 4)),
            Some((Difference::OldGeneration, 0, 32))
        );
        assert_eq!(found(&asking(128, 3)), Some((Difference::Corrupt, 0, 32)));
        let sector = read(&file, Bytes::kib(64), 512);
        change(&file, (64 << 10) + 5 * 512, &sector);
        assert_eq!(
            found(&asking(64, 3)),
            Some((Difference::OtherAddress, 5, 1))
        );
        change(&file, 64 << 10, &[0; 1_024]);
        assert_eq!(found(&asking(64, 3)), Some((Difference::Unwritten, 0, 3)));
        // A read that asks for nothing takes what there is.
        let plain = Io::read(Bytes::kib(64), Bytes::kib(16));
        assert_eq!(found(&plain), None);
    }
}

/// Through the page cache, and on to the drive.
fn change(file: &File, offset: u64, bytes: &[u8]) {
    let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file));
    let again = File::options().write(true).open(path).unwrap();
    again.write_all_at(bytes, offset).unwrap();
    again.sync_all().unwrap();
}

mod losses;
