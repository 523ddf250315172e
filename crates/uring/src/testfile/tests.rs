//! The life of a test file on the file system of the temporary directory, and on a small ext4.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::*;
use fixtures::loop_device::LoopDevice;

fn entries(directory: &Path) -> usize {
    fs::read_dir(directory).unwrap().count()
}

/// A stale file with that name and content.
fn leave(directory: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = directory.join(name);
    File::create_new(&path).unwrap().write_all(content).unwrap();
    path
}

/// What a killed maker of a file of 8 KiB leaves.
fn marked() -> Vec<u8> {
    let mut content = vec![7; 8192];
    content.extend(mark(Bytes::kib(8)));
    content.resize(8192 + 4096, 0);
    content
}

#[test]
fn a_file_has_its_length_and_is_gone_when_dropped() {
    for naming in [Naming::NamelessIfPossible, Naming::Named] {
        let directory = TempDir::new().unwrap();
        let made = TestFile::create(directory.path(), Bytes::mib(1), naming).unwrap();
        assert_eq!(made.bytes(), Bytes::mib(1));
        let length = made.file().metadata().unwrap().len();
        let expected = if made.path().is_some() {
            Bytes::mib(1) + MARK_BLOCK
        } else {
            Bytes::mib(1)
        };
        assert_eq!(length, expected.get());
        drop(made);
        assert_eq!(entries(directory.path()), 0, "{naming:?}");
    }
}

#[test]
fn a_named_file_is_seen_only_by_its_owner_and_leaves_with_remove() {
    let directory = TempDir::new().unwrap();
    let made = TestFile::create(directory.path(), Bytes::mib(1), Naming::Named).unwrap();
    let path = made.path().unwrap().to_owned();
    assert!(is_our_name(path.file_name().unwrap()));
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    made.remove().unwrap();
    assert_eq!(entries(directory.path()), 0);
}

#[test]
fn what_is_written_is_read_back_through_a_second_opening() {
    for naming in [Naming::NamelessIfPossible, Naming::Named] {
        let directory = TempDir::new().unwrap();
        let made = TestFile::create(directory.path(), Bytes::kib(64), naming).unwrap();
        made.file().write_all_at(b"in the middle", 30_000).unwrap();
        let again = made.open_again(OFlags::empty()).unwrap();
        let mut found = [0; 13];
        again.read_exact_at(&mut found, 30_000).unwrap();
        assert_eq!(&found, b"in the middle");
    }
}

#[test]
fn an_existing_file_is_never_taken() {
    let directory = TempDir::new().unwrap();
    // All names that this process could try first.
    let own: Vec<PathBuf> = (0..NAMES_TRIED / 2)
        .map(|number| {
            leave(
                directory.path(),
                &format!("drivelab-test-{}-{number}.tmp", std::process::id()),
                b"mine",
            )
        })
        .collect();
    let made = TestFile::create(directory.path(), Bytes::kib(4), Naming::Named).unwrap();
    assert!(!own.contains(&made.path().unwrap().to_owned()));
    drop(made);
    for path in own {
        assert_eq!(fs::read(path).unwrap(), b"mine");
    }
}

#[test]
fn a_stale_file_is_removed_and_a_living_or_foreign_one_is_not() {
    let directory = TempDir::new().unwrap();
    let alive = TestFile::create(directory.path(), Bytes::kib(8), Naming::Named).unwrap();
    let stale = leave(directory.path(), "drivelab-test-1-0.tmp", &marked());
    let cut = leave(
        directory.path(),
        "drivelab-test-1-1.tmp",
        &marked()[..8192 + 32],
    );
    let empty = leave(directory.path(), "drivelab-test-1-2.tmp", b"");
    let foreign = leave(
        directory.path(),
        "drivelab-test-1-3.tmp",
        b"somebody's thesis",
    );
    let unmarked = leave(directory.path(), "drivelab-test-1-4.tmp", &[0; 12_288]);
    let other_name = leave(directory.path(), "drivelab-test-1.tmp", &marked());
    let link = directory.path().join("drivelab-test-1-5.tmp");
    std::os::unix::fs::symlink(&other_name, &link).unwrap();
    fs::create_dir(directory.path().join("drivelab-test-1-6.tmp")).unwrap();

    assert_eq!(remove_stale(directory.path()).unwrap(), [stale, cut, empty]);
    for kept in [
        alive.path().unwrap(),
        &foreign,
        &unmarked,
        &other_name,
        &link,
    ] {
        assert!(kept.exists(), "{}", kept.display());
    }
    assert!(remove_stale(directory.path()).unwrap().is_empty());
}

#[test]
fn a_file_whose_maker_was_killed_is_stale() {
    let directory = TempDir::new().unwrap();
    let mut made = TestFile::create(directory.path(), Bytes::mib(1), Naming::Named).unwrap();
    made.file().write_all_at(&[0x5A; 1 << 20], 0).unwrap();
    let path = made.path().unwrap().to_owned();
    assert!(
        remove_stale(directory.path()).unwrap().is_empty(),
        "while it lives"
    );
    // Dropped without its path the file stays, as after a kill. Its lock is given back in so many
    // words: a child that another test is just starting has this file open until its exec, and
    // with it the lock.
    made.path = None;
    rustix::fs::flock(made.file(), FlockOperation::Unlock).unwrap();
    drop(made);
    assert_eq!(remove_stale(directory.path()).unwrap(), [path]);
}

#[test]
fn a_file_that_took_over_the_name_is_left_alone() {
    let directory = TempDir::new().unwrap();
    let made = TestFile::create(directory.path(), Bytes::kib(4), Naming::Named).unwrap();
    let path = made.path().unwrap().to_owned();
    fs::rename(&path, directory.path().join("moved")).unwrap();
    fs::write(&path, "another").unwrap();
    drop(made);
    assert_eq!(fs::read(&path).unwrap(), b"another");
}

#[test]
fn a_file_that_would_fill_the_disk_is_refused_with_the_numbers() {
    let directory = TempDir::new().unwrap();
    let (free, size) = space(directory.path()).unwrap();
    let error = TestFile::create(directory.path(), free, Naming::NamelessIfPossible).unwrap_err();
    let TestFileError::NoRoom { needed, kept, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(*needed, free + MARK_BLOCK);
    assert_eq!(*kept, kept_free(size));
    assert!(error.to_string().contains("use a smaller size"), "{error}");
    let all = TestFile::create(directory.path(), Bytes::new(u64::MAX), Naming::Named);
    assert!(matches!(all, Err(TestFileError::NoRoom { .. })));
    assert_eq!(entries(directory.path()), 0);
}

#[test]
fn a_path_that_is_no_directory_is_refused() {
    let directory = TempDir::new().unwrap();
    let file = leave(directory.path(), "file", b"");
    let create = |path: &Path| TestFile::create(path, Bytes::kib(4), Naming::NamelessIfPossible);
    assert!(matches!(
        create(&file),
        Err(TestFileError::NotADirectory { .. })
    ));
    assert!(matches!(
        create(&file.join("x")),
        Err(TestFileError::NotADirectory { .. })
    ));
    assert!(matches!(
        create(&directory.path().join("absent")),
        Err(TestFileError::NotFound { .. })
    ));
}

#[test]
fn a_directory_that_may_not_be_written_is_refused() {
    if rustix::process::geteuid().is_root() {
        fixtures::skip::skip(
            "a_directory_that_may_not_be_written_is_refused",
            "root may write everywhere",
        );
        return;
    }
    for naming in [Naming::NamelessIfPossible, Naming::Named] {
        let error = TestFile::create(Path::new("/"), Bytes::kib(4), naming).unwrap_err();
        assert!(
            matches!(
                error,
                TestFileError::NoPermission { .. } | TestFileError::ReadOnly { .. }
            ),
            "{error}"
        );
    }
}

#[test]
fn a_tenth_stays_free_but_four_gib_are_always_enough() {
    assert_eq!(kept_free(Bytes::new(1_001)), Bytes::new(101));
    assert_eq!(kept_free(Bytes::gib(40)), Bytes::gib(4));
    assert_eq!(kept_free(Bytes::gib(40_000)), Bytes::gib(4));
    assert_eq!(kept_free(Bytes::new(0)), Bytes::new(0));
}

#[test]
fn on_a_small_ext4_a_tenth_stays_free() {
    let test = "on_a_small_ext4_a_tenth_stays_free";
    let Some(device) = LoopDevice::attach(test, 16) else {
        return;
    };
    if !device.make_ext4(test) {
        return;
    }
    let mounted = device.mount("rw");
    let (free, size) = space(mounted.path()).unwrap();
    for naming in [Naming::NamelessIfPossible, Naming::Named] {
        let most = (free - kept_free(size) - MARK_BLOCK).round_down(Bytes::kib(4));
        let mut made = TestFile::create(mounted.path(), most, naming).unwrap();
        assert_eq!(
            made.path().is_none(),
            naming == Naming::NamelessIfPossible,
            "ext4 has nameless files"
        );
        assert!(made.is_reserved());
        assert!(made.free_after() >= kept_free(size));
        assert!(
            space(mounted.path()).unwrap().0 <= free - most,
            "the space is taken at once"
        );
        // It was reserved: now it can all be written.
        io::copy(&mut io::repeat(0xA5).take(most.get()), &mut made.file).unwrap();
        made.file.sync_all().unwrap();

        let one_more = TestFile::create(mounted.path(), Bytes::kib(4), naming);
        assert!(
            matches!(one_more, Err(TestFileError::NoRoom { .. })),
            "{one_more:?}"
        );
        drop(made);
        let too_long = TestFile::create(mounted.path(), most + Bytes::mib(1), naming);
        assert!(
            matches!(too_long, Err(TestFileError::NoRoom { .. })),
            "{too_long:?}"
        );
        let left = fs::read_dir(mounted.path())
            .unwrap()
            .filter(|entry| is_our_name(&entry.as_ref().unwrap().file_name()));
        assert_eq!(left.count(), 0);
    }
}

#[test]
fn a_disk_that_fills_while_the_file_is_made_is_told_and_nothing_stays() {
    let test = "a_disk_that_fills_while_the_file_is_made_is_told_and_nothing_stays";
    let Some(device) = LoopDevice::attach(test, 16) else {
        return;
    };
    if !device.make_ext4(test) {
        return;
    }
    let mounted = device.mount("rw");
    let mut made = TestFile::create(mounted.path(), Bytes::kib(4), Naming::Named).unwrap();
    let path = made.path().unwrap().to_owned();
    // As if somebody had written 16 MiB between the question for room and the reservation.
    made.bytes = Bytes::mib(16);
    let error = made.give_length().unwrap_err();
    assert!(matches!(error, TestFileError::NoRoom { .. }), "{error}");
    drop(made);
    assert!(!path.exists());
}

#[test]
fn a_read_only_file_system_is_told() {
    let test = "a_read_only_file_system_is_told";
    let Some(device) = LoopDevice::attach(test, 16) else {
        return;
    };
    if !device.make_ext4(test) {
        return;
    }
    let mounted = device.mount("ro");
    for naming in [Naming::NamelessIfPossible, Naming::Named] {
        let error = TestFile::create(mounted.path(), Bytes::kib(4), naming).unwrap_err();
        assert!(matches!(error, TestFileError::ReadOnly { .. }), "{error}");
        assert!(error.to_string().contains("read-only"), "{error}");
    }
}

#[test]
fn a_file_system_without_nameless_files_and_reservations_gets_a_named_one() {
    let test = "a_file_system_without_nameless_files_and_reservations_gets_a_named_one";
    let Some(device) = LoopDevice::attach(test, 32) else {
        return;
    };
    let tool = Command::new("mkfs.ntfs")
        .args(["-q", "-F"])
        .arg(&device.node)
        .stderr(Stdio::null())
        .status();
    if !tool.is_ok_and(|status| status.success()) {
        fixtures::skip::skip(test, "needs mkfs.ntfs and ntfs-3g");
        return;
    }
    let mounted = match device.try_mount_as("ntfs-3g", "rw") {
        Ok(mounted) => mounted,
        Err(message) => {
            fixtures::skip::skip(test, &format!("cannot mount with ntfs-3g: {message}"));
            return;
        }
    };
    let made = TestFile::create(mounted.path(), Bytes::mib(4), Naming::NamelessIfPossible).unwrap();
    let path = made.path().expect("ntfs-3g has no O_TMPFILE").to_owned();
    assert!(!made.is_reserved(), "ntfs-3g has no fallocate");
    assert_eq!(
        made.file().metadata().unwrap().len(),
        (Bytes::mib(4) + MARK_BLOCK).get()
    );
    assert!(
        remove_stale(mounted.path()).unwrap().is_empty(),
        "it is locked"
    );
    let again = made.open_again(OFlags::empty()).unwrap();
    drop(again);
    drop(made);
    assert!(!path.exists());
}
