//! A machine's description of its drives: mounts, swap areas, udev's database, attributes and pages of `/sys`, in a
//! recorded tree with one SATA drive and a partition.
//!
//! A line that begins with `@` and a name selects the file for the lines after it; the other files are as on an
//! ordinary machine.

use std::cell::OnceCell;
use std::os::unix::fs::symlink;
use std::path::Path;

use inspect::{Root, confirm_token, found_on, identify, refusals};
use tempfile::TempDir;

const DISK: &str = "sys/devices/pci0000:00/0000:00:17.0/ata1/host1/target1:0:0/1:0:0:0";
/// The files, by their names in an input, each with its ordinary content; `$` is the directory of the disk.
const FILES: &[(&str, &str, &str)] = &[
    (
        "mountinfo",
        "proc/self/mountinfo",
        "27 1 254:0 / / rw - ext4 /dev/vda rw\n",
    ),
    (
        "swaps",
        "proc/swaps",
        "Filename\tType\tSize\tUsed\tPriority\n",
    ),
    (
        "udev",
        "run/udev/data/b8:0",
        "S:disk/by-id/ata-A_B\nE:ID_MODEL=A_B\nE:ID_SERIAL_SHORT=S1\n",
    ),
    ("model", "$/model", "Samsung SSD 840 \n"),
    ("vendor", "$/vendor", "ATA     \n"),
    ("rev", "$/rev", "BB6Q\n"),
    ("vpd_pg80", "$/vpd_pg80", "\0\u{0}\0\u{4}S1D9"),
    ("vpd_pg83", "$/vpd_pg83", ""),
    ("vpd_pg89", "$/vpd_pg89", ""),
    ("wwid", "$/wwid", "naa.5002538844584d30\n"),
    ("dev", "$/block/sda/dev", "8:0\n"),
    ("size", "$/block/sda/size", "128\n"),
    ("ro", "$/block/sda/ro", "0\n"),
    ("block", "$/block/sda/queue/logical_block_size", "512\n"),
    ("removable", "$/block/sda/removable", "0\n"),
    ("start", "$/block/sda/sda1/start", "8\n"),
    ("partition", "$/block/sda/sda1/partition", "1\n"),
    ("part_size", "$/block/sda/sda1/size", "64\n"),
    ("part_dev", "$/block/sda/sda1/dev", "8:1\n"),
    ("speed", "sys/class/ata_link/link1/sata_spd", "6.0 Gbps\n"),
    ("content", "dev/sda", "nothing"),
    ("content1", "dev/sda1", "nothing"),
];

thread_local! {
    static MACHINE: OnceCell<TempDir> = const { OnceCell::new() };
}

pub(crate) fn run(input: &[u8]) {
    MACHINE.with(|machine| {
        let folder =
            machine.get_or_init(|| set_up().expect("a temporary folder takes small files"));
        let said = sections(input);
        for (path, content) in &said {
            std::fs::write(folder.path().join(path), content).expect("as before");
        }
        look(&Root::new(folder.path()));
        for (path, _) in &said {
            put_back(folder.path(), path).expect("as before");
        }
    });
}

fn look(root: &Root) {
    for path in ["/dev/sda", "/dev/sda1", "/dev/disk/by-id/ata-A_B", "/dev"] {
        match identify(root, path) {
            Err(bad) => super::refusal(&bad),
            Ok(identity) => {
                let _ = (confirm_token(root, &identity), found_on(root, &identity));
                for refusal in refusals(root, &identity) {
                    super::refusal(&refusal);
                }
            }
        }
    }
}

fn place(path: &str) -> String {
    path.replace('$', DISK)
}

/// The input's contents, by path.
fn sections(input: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut sections: Vec<(String, Vec<u8>)> = Vec::new();
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        let name = line.strip_prefix(b"@").map(<[u8]>::trim_ascii_end);
        let named = name.and_then(|name| FILES.iter().find(|file| file.0.as_bytes() == name));
        match (named, sections.last_mut()) {
            (Some((_, path, _)), _) => sections.push((place(path), Vec::new())),
            (None, Some((_, content))) => content.extend_from_slice(line),
            (None, None) => {}
        }
    }
    sections
}

fn put_back(folder: &Path, path: &str) -> std::io::Result<()> {
    match FILES.iter().find(|file| place(file.1) == path) {
        Some((_, _, content)) => std::fs::write(folder.join(path), content),
        None => Ok(()),
    }
}

fn set_up() -> std::io::Result<TempDir> {
    let folder = tempfile::tempdir()?;
    let at = |path: &str| folder.path().join(path);
    for (_, path, _) in FILES {
        let path = place(path);
        if let Some(parent) = at(&path).parent() {
            std::fs::create_dir_all(parent)?;
        }
        put_back(folder.path(), &path)?;
    }
    for made in ["holders", "slaves", "sda1/holders", "sda1/slaves"] {
        std::fs::create_dir_all(at(&format!("{DISK}/block/sda/{made}")))?;
    }
    for made in [
        "sys/class/block",
        "sys/dev/block",
        "dev/disk/by-id",
        "proc/1/fd",
        "proc/1/ns",
        "proc/self/ns",
    ] {
        std::fs::create_dir_all(at(made))?;
    }
    let disk = DISK.trim_start_matches("sys/");
    symlink("../..", at(&format!("{DISK}/block/sda/device")))?;
    for (name, number, below) in [("sda", "8:0", "sda"), ("sda1", "8:1", "sda/sda1")] {
        symlink(
            format!("../../{disk}/block/{below}"),
            at(&format!("sys/class/block/{name}")),
        )?;
        symlink(
            format!("../../{disk}/block/{below}"),
            at(&format!("sys/dev/block/{number}")),
        )?;
    }
    symlink("../../sda", at("dev/disk/by-id/ata-A_B"))?;
    std::fs::write(at("proc/1/comm"), "systemd\n")?;
    for link in ["proc/1/ns/mnt", "proc/self/ns/mnt"] {
        symlink("mnt:[4026531832]", at(link))?;
    }
    symlink("pid:[4026531836]", at("proc/self/ns/pid"))?;
    Ok(folder)
}
