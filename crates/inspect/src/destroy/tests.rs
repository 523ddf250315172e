//! The door's order on recorded machines, and its whole length on a loop device.

use std::process::{Child, Command, Stdio};

use super::*;
use crate::tests::tree::Tree;
use crate::{Kind, confirm_token, found_on};
use fixtures::loop_device::LoopDevice;

fn open(tree: &Tree, confirmation: &str) -> DestroyError {
    open_for_destruction(&tree.root(), Path::new("/dev/sda"), confirmation).unwrap_err()
}

#[test]
fn a_recorded_drive_goes_through_all_checks_and_is_not_opened() {
    let mut tree = Tree::new();
    let path = tree.sata("sda", "8:0", 1000);
    assert!(matches!(
        open(&tree, "S1D9NEAD600001T"),
        DestroyError::Recorded { .. }
    ));
    assert!(
        matches!(
            open(&tree, " S1D9NEAD600001T\n"),
            DestroyError::Recorded { .. }
        ),
        "as typed"
    );
    for wrong in ["", "yes", "s1d9nead600001t", "S1D9NEAD600001"] {
        assert!(
            matches!(open(&tree, wrong), DestroyError::NotConfirmed { .. }),
            "{wrong}"
        );
    }
    tree.mounts(&[("8:0", "/srv", "ext4", "/dev/sda")]);
    let error = open(&tree, "S1D9NEAD600001T");
    assert_eq!(
        error.to_string(),
        "/dev/sda is not overwritten: mounted: sda is mounted at /srv; unmount it (umount /srv)"
    );
    tree.attribute(&path, "ro", "1");
    assert_eq!(
        open(&tree, "S1D9NEAD600001T").to_string().lines().count(),
        3,
        "a list of two"
    );
}

#[test]
fn a_drive_without_any_name_of_its_own_is_refused() {
    let tree = Tree::new();
    tree.device("pci0000:00/0000:00:02.0/virtio1/block/sda", "8:0", 1000);
    for typed in ["", "/dev/sda", "sda"] {
        assert!(
            matches!(open(&tree, typed), DestroyError::NoToken { .. }),
            "{typed}"
        );
    }
}

#[test]
fn a_name_that_two_drives_have_opens_neither_and_the_telling_one_is_asked_for() {
    let tree = Tree::new();
    let controller = tree.nvme_controller(0, "S5GXNF0R");
    tree.namespace(&controller, ("nvme0n1", "259:0"), 1, "eui.002538b111b2c3d4");
    tree.namespace(&controller, ("nvme0n2", "259:1"), 2, "eui.002538b111b2c3d5");
    let open = |typed: &str| {
        open_for_destruction(&tree.root(), Path::new("/dev/nvme0n1"), typed).unwrap_err()
    };
    assert_eq!(
        open("S5GXNF0R").to_string(),
        "/dev/nvme0n1 is not overwritten: 'S5GXNF0R' also names nvme0n2 (Samsung SSD 980 PRO 1TB, \
         serial number S5GXNF0R, eui.002538b111b2c3d5, namespace 2, 1.00 TB); its unique name is \
         'eui.002538b111b2c3d4' (check that this is the drive you mean)"
    );
    let all_checks_passed = open("eui.002538b111b2c3d4");
    assert!(matches!(all_checks_passed, DestroyError::Recorded { .. }));
    tree.virtio_scsi("sdb", "8:16", 0, "same");
    tree.virtio_scsi("sdc", "8:32", 1, "same");
    let error = open_for_destruction(&tree.root(), Path::new("/dev/sdb"), "same").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("cannot be distinguished from sdc ("),
        "{error}"
    );
}

#[test]
fn a_file_or_directory_does_not_go_through_this_door() {
    let directory = tempfile::TempDir::new().unwrap();
    let error = open_for_destruction(&Root::new("/"), directory.path(), "").unwrap_err();
    assert!(
        matches!(error, DestroyError::Refused { ref reasons, .. } if reasons[..] == [Refusal::NotADevice]),
        "{error}"
    );
    let error = open_for_destruction(&Root::new("/"), Path::new("/dev/no-such"), "").unwrap_err();
    assert!(
        matches!(error, DestroyError::Inspect(InspectError::NotFound { .. })),
        "{error}"
    );
}

/// How often is looked where these processes have the device open, one set after the other, and the end.
fn looks(held_by: &[&[&str]]) -> (usize, Result<(), DestroyError>) {
    let seen = std::cell::Cell::new(0);
    let look = || {
        let names = held_by.get(seen.get()).or(held_by.last()).unwrap();
        seen.set(seen.get() + 1);
        let reasons = names.iter().map(|name| Refusal::HeldOpen {
            chain: vec!["sda".to_owned()],
            pid: 204,
            name: (*name).to_owned(),
        });
        let reasons: Vec<Refusal> = reasons.collect();
        match reasons.is_empty() {
            true => Ok(()),
            false => Err(DestroyError::Refused {
                path: "/dev/sda".into(),
                reasons,
            }),
        }
    };
    let is_udev = |reason: &Refusal| is_udev(reason, |_| Some((1, "sh".to_owned())));
    let ended = after_udev(look, is_udev, || {});
    (seen.get(), ended)
}

#[test]
fn udev_that_looks_at_a_drive_is_waited_for_and_nobody_else_is() {
    let (seen, ended) = looks(&[&["(udev-worker)"], &["systemd-udevd", "(udev-worker)"], &[]]);
    assert!(ended.is_ok() && seen == 3, "{seen}: {ended:?}");
    for others in [&["cat"] as &[&str], &["(udev-worker)", "cat"]] {
        let (seen, ended) = looks(&[others]);
        assert!(ended.is_err() && seen == 1, "{seen}: {ended:?}");
    }
    let (seen, ended) = looks(&[&["(udev-worker)"]]);
    assert!(ended.is_err(), "udev that never ends is refused: {ended:?}");
    assert_eq!(seen, LOOKS as usize);
}

#[test]
fn what_udev_runs_for_a_moment_is_udev_and_what_somebody_else_runs_is_not() {
    let held = |name: &str| Refusal::HeldOpen {
        chain: vec!["sda".to_owned()],
        pid: 520,
        name: name.to_owned(),
    };
    let of = |parents: &'static [(u32, u32, &'static str)]| {
        move |pid: u32| {
            let found = parents.iter().find(|(child, _, _)| *child == pid)?;
            Some((found.1, found.2.to_owned()))
        }
    };
    let by_udev = of(&[(520, 519, "(udev-worker)"), (519, 1, "systemd")]);
    assert!(is_udev(&held("probe-bcache"), by_udev));
    let through_a_shell = of(&[(520, 519, "sh"), (519, 518, "systemd-udevd")]);
    assert!(is_udev(&held("ata_id"), through_a_shell));
    let by_a_user = of(&[(520, 519, "bash"), (519, 1, "systemd")]);
    assert!(!is_udev(&held("probe-bcache"), by_a_user));
    // It has ended between the two looks.
    assert!(is_udev(&held("probe-bcache"), of(&[])));
}

/// Another process that has a device open, ended when dropped.
struct Holder(Child);

impl Holder {
    fn of(device: &Path) -> Holder {
        let file = File::open(device).unwrap();
        // `cat` waits on its input and keeps the device as its third file.
        let child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(file)
            .spawn();
        Holder(child.unwrap())
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// This machine's `/proc` with those processes taken out that we may not look into, as if they held
/// nothing: some sandboxes guard their first process even from root.
fn readable_processes() -> tempfile::TempDir {
    let proc = tempfile::TempDir::new().unwrap();
    for name in ["self", "swaps"] {
        std::os::unix::fs::symlink(Path::new("/proc").join(name), proc.path().join(name)).unwrap();
    }
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let is_process = entry
            .file_name()
            .to_string_lossy()
            .bytes()
            .all(|byte| byte.is_ascii_digit());
        let may_look = std::fs::read_link(entry.path().join("ns/mnt")).is_ok();
        let there = proc.path().join(entry.file_name());
        if is_process && may_look {
            std::os::unix::fs::symlink(entry.path(), there).unwrap();
        } else if is_process && entry.file_name() == "1" {
            std::fs::create_dir_all(there.join("fd")).unwrap();
            std::fs::write(there.join("comm"), "init").unwrap();
        }
    }
    proc
}

#[test]
fn a_loop_device_is_opened_only_when_nobody_uses_it_and_its_file_is_typed() {
    let test = "a_loop_device_is_opened_only_when_nobody_uses_it_and_its_file_is_typed";
    let Some(device) = LoopDevice::attach(test, 16) else {
        return;
    };
    let root = Root::new("/");
    let file = device.file.path().canonicalize().unwrap();
    let identity = identify(&root, &device.node).unwrap();
    let token = confirm_token(&root, &identity).unwrap();
    assert_eq!(token, file.to_str().unwrap());
    assert!(matches!(&identity.kind, Kind::Loop { backing_file, .. } if *backing_file == file));
    assert_eq!(
        identity.drive.as_ref().unwrap().capacity,
        base::size::Bytes::mib(16)
    );
    let refused = soon(|| {
        let refused = refusals(&root, &identity);
        let is_held = |it: &Refusal| matches!(it, Refusal::HeldOpen { .. });
        match refused.iter().any(is_held) {
            true => Err(refused),
            false => Ok(refused),
        }
    });
    let is_guarded = match &refused[..] {
        [] => false,
        [Refusal::CannotTell { why, .. }] if why.starts_with("the open files of ") => {
            let error = open_for_destruction(&root, &device.node, &token).unwrap_err();
            assert!(matches!(error, DestroyError::Refused { .. }), "{error}");
            eprintln!("{test}: {why}; the test goes on as if those processes held nothing");
            true
        }
        [Refusal::CannotTell { why, .. }] => {
            fixtures::skip::skip(test, why);
            return;
        }
        other => panic!("{other:?}"),
    };
    let open = |typed: &str| {
        let processes = readable_processes();
        let root = if is_guarded {
            root.clone().with_proc(processes.path())
        } else {
            root.clone()
        };
        open_for_destruction(&root, &device.node, typed)
    };

    let wrong = open("/etc/passwd").unwrap_err();
    assert!(
        matches!(wrong, DestroyError::NotConfirmed { .. }),
        "{wrong}"
    );

    {
        let holder = Holder::of(&device.node);
        let expected = format!("held open: process {} (cat) has", holder.0.id());
        soon(|| says(open(&token), &expected));
    }
    if device.make_ext4(test) {
        assert!(found_on(&root, &identity).unwrap()[0].ends_with("ext4 file system"));
        let mounted = device.mount("rw");
        let expected = format!("is mounted at {}", mounted.path().display());
        soon(|| says(open(&token), &expected));
    }

    let claimed = soon(|| open(&token));
    assert_eq!(claimed.identity(), &identity);
    let flags = rustix::fs::fcntl_getfl(claimed.file()).unwrap();
    assert!(flags.contains(OFlags::DIRECT | OFlags::RDWR));
    soon(|| match open(&token) {
        Err(DestroyError::Claimed { .. }) => Ok(()),
        other => Err(other.map(drop)),
    });
    assert!(
        device.try_mount("rw").is_err(),
        "nobody mounts it while it is ours"
    );
    drop(claimed);
    soon(|| open(&token));
}

/// What is so soon. A program that another test starts has for a moment, between fork and exec, all that this process has
/// open: so the device is in use by that, and named first, now and then.
fn soon<T, E: std::fmt::Debug>(mut it: impl FnMut() -> Result<T, E>) -> T {
    for _ in 0..100 {
        if let Ok(it) = it() {
            return it;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    it().unwrap()
}

/// Whether it is refused in these words.
fn says<T>(tried: Result<T, DestroyError>, words: &str) -> Result<(), String> {
    let said = tried.map_or_else(|error| error.to_string(), |_| "it opens".to_owned());
    match said.contains(words) {
        true => Ok(()),
        false => Err(said),
    }
}

#[test]
fn another_device_behind_the_same_name_is_noticed_after_opening() {
    let test = "another_device_behind_the_same_name_is_noticed_after_opening";
    let Some(first) = LoopDevice::attach(test, 16) else {
        return;
    };
    let Some(second) = LoopDevice::attach(test, 16) else {
        return;
    };
    let directory = tempfile::TempDir::new().unwrap();
    let name = directory.path().join("disk");
    let root = Root::new("/");
    std::os::unix::fs::symlink(&first.node, &name).unwrap();
    let before = identify(&root, &name).unwrap();
    assert!(same_device(&root, &name, &File::open(&name).unwrap(), &before).is_ok());
    std::fs::remove_file(&name).unwrap();
    std::os::unix::fs::symlink(&second.node, &name).unwrap();
    let error = same_device(&root, &name, &File::open(&name).unwrap(), &before).unwrap_err();
    assert!(
        matches!(
            error,
            DestroyError::Changed {
                what: "another device took its name",
                ..
            }
        ),
        "{error}"
    );
    // The device that was opened is the right one, but the name leads elsewhere by now.
    let error = same_device(&root, &name, &File::open(&first.node).unwrap(), &before).unwrap_err();
    assert!(
        matches!(
            error,
            DestroyError::Changed {
                what: "another device took its place",
                ..
            }
        ),
        "{error}"
    );
    let mut older = before.clone();
    if let Some(drive) = &mut older.drive {
        drive.arrival = Some(0);
    }
    let error = same_device(
        &root,
        &first.node,
        &File::open(&first.node).unwrap(),
        &older,
    )
    .unwrap_err();
    assert!(
        matches!(error, DestroyError::Changed { .. }),
        "pulled and replaced: {error}"
    );
}

#[test]
fn a_mounted_partition_keeps_the_whole_drive_by_our_word_and_by_the_kernels() {
    let test = "a_mounted_partition_keeps_the_whole_drive_by_our_word_and_by_the_kernels";
    let Some(device) = LoopDevice::attach(test, 16) else {
        return;
    };
    let Some((partition, mounted)) = device.mount_partition(test) else {
        return;
    };
    let root = Root::new("/");
    let whole = identify(&root, &device.node).unwrap();
    let part = identify(&root, &partition).unwrap();
    let (of_the_part, of_the_whole) = (confirm_token(&root, &part), confirm_token(&root, &whole));
    assert_eq!(of_the_part.unwrap(), of_the_whole.unwrap() + "-part1");
    let at = |reason: &Refusal| match reason {
        Refusal::Mounted { chain, at, .. } => Some((chain.len(), at.clone())),
        _ => None,
    };
    let mounts = |identity: &Identity| refusals(&root, identity).iter().find_map(at);
    assert_eq!(mounts(&whole), Some((2, mounted.path().to_owned())));
    assert_eq!(mounts(&part), Some((1, mounted.path().to_owned())));
    let found = found_on(&root, &whole).unwrap();
    assert!(found[0].ends_with("GPT with 1 partition"), "{found:?}");
    assert!(found[1].ends_with("p1: ext4 file system"), "{found:?}");
    for node in [&device.node, &partition] {
        let error = open_exclusively(node).unwrap_err();
        assert!(matches!(error, DestroyError::Claimed { .. }), "{error}");
    }
}
