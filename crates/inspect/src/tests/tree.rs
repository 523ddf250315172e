//! Recorded machines for tests: small trees of `/sys`, `/proc`, `/run/udev` and `/dev` in a
//! temporary folder, laid out as the kernel lays them out.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::sysfs::Root;

/// A recorded machine, removed when dropped.
pub(crate) struct Tree {
    folder: TempDir,
    mounts: Vec<String>,
}

impl Tree {
    /// A machine without devices: one process, nothing mounted, no swap.
    pub(crate) fn new() -> Tree {
        let mut tree = Tree {
            folder: TempDir::new().unwrap(),
            mounts: Vec::new(),
        };
        for folder in ["sys/class/block", "sys/dev/block", "dev"] {
            fs::create_dir_all(tree.at(folder)).unwrap();
        }
        tree.file("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
        tree.process(1, "systemd", &[]);
        tree.link("proc/self/ns/pid", "pid:[4026531836]");
        tree.link("proc/self/ns/mnt", "mnt:[4026531832]");
        tree.mounts(&[]);
        tree
    }

    pub(crate) fn root(&self) -> Root {
        Root::new(self.folder.path())
    }

    pub(crate) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn file(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Makes a link with that text.
    pub(crate) fn link(&self, path: impl AsRef<Path>, text: impl AsRef<Path>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(text, path).unwrap();
    }

    /// A block device at `devices/...` below `/sys`, with a node in `/dev` that holds zeros.
    pub(crate) fn device(&self, path: &str, number: &str, sectors: u64) {
        let folder = format!("sys/devices/{path}");
        let name = path.rsplit('/').next().unwrap();
        self.file(format!("{folder}/dev"), format!("{number}\n"));
        self.file(format!("{folder}/size"), format!("{sectors}\n"));
        self.file(format!("{folder}/ro"), "0\n");
        for relation in ["holders", "slaves"] {
            fs::create_dir_all(self.at(format!("{folder}/{relation}"))).unwrap();
        }
        self.link(
            format!("sys/class/block/{name}"),
            format!("../../devices/{path}"),
        );
        self.link(
            format!("sys/dev/block/{number}"),
            format!("../../devices/{path}"),
        );
        File::create(self.at(format!("dev/{name}")))
            .unwrap()
            .set_len(sectors * 512)
            .unwrap();
    }

    /// Partition `index` of the device at `path`: its directory is inside the device's.
    pub(crate) fn partition(
        &self,
        path: &str,
        index: u32,
        number: &str,
        start: u64,
        sectors: u64,
    ) -> String {
        let drive = path.rsplit('/').next().unwrap();
        let between = if drive.ends_with(|last: char| last.is_ascii_digit()) {
            "p"
        } else {
            ""
        };
        let path = format!("{path}/{drive}{between}{index}");
        self.device(&path, number, sectors);
        self.attribute(&path, "partition", &index.to_string());
        self.attribute(&path, "start", &start.to_string());
        path
    }

    /// A SATA drive on the first port, as `sda` (8:0) by default.
    pub(crate) fn sata(&self, name: &str, number: &str, sectors: u64) -> String {
        let port = name.bytes().last().unwrap() - b'a' + 1;
        let device =
            format!("pci0000:00/0000:00:17.0/ata{port}/host{port}/target{port}:0:0/{port}:0:0:0");
        let path = format!("{device}/block/{name}");
        self.device(&path, number, sectors);
        self.link(format!("sys/devices/{path}/device"), "../..");
        self.file(format!("sys/devices/{device}/model"), "Samsung SSD 840 \n");
        self.file(format!("sys/devices/{device}/vendor"), "ATA     \n");
        self.file(format!("sys/devices/{device}/rev"), "BB6Q\n");
        let serial = format!("S1D9NEAD60000{port}T  ");
        let page = [&[0, 0x80, 0, serial.len() as u8][..], serial.as_bytes()].concat();
        self.file(format!("sys/devices/{device}/vpd_pg80"), page);
        self.file(
            format!("sys/devices/{device}/wwid"),
            format!("naa.5002538844584d3{port}\n"),
        );
        self.file(
            format!("sys/class/ata_link/link{port}/sata_spd"),
            "6.0 Gbps\n",
        );
        path
    }

    /// An NVMe controller with a serial number; namespaces are put on it by [`Tree::namespace`].
    pub(crate) fn nvme_controller(&self, index: u32, serial: &str) -> String {
        let function = format!("pci0000:00/0000:00:1d.{index}/0000:0{index}:00.0");
        let controller = format!("{function}/nvme/nvme{index}");
        for (name, value) in [
            ("transport", "pcie"),
            ("model", "Samsung SSD 980 PRO 1TB   "),
            ("serial", serial),
            ("firmware_rev", "5B2QGXA7"),
        ] {
            self.attribute(&controller, name, value);
        }
        self.link(format!("sys/devices/{controller}/device"), "../..");
        controller
    }

    /// A namespace: the kernel's name, the controller's number for it, and the kernel's `wwid`.
    pub(crate) fn namespace(
        &self,
        controller: &str,
        (name, number): (&str, &str),
        nsid: u32,
        wwid: &str,
    ) -> String {
        let path = format!("{controller}/{name}");
        self.device(&path, number, 1_953_525_168);
        self.link(format!("sys/devices/{path}/device"), "..");
        self.attribute(&path, "nsid", &nsid.to_string());
        self.attribute(&path, "wwid", wwid);
        path
    }

    /// A SCSI disk behind a virtio controller, with a serial number and no world-wide name.
    pub(crate) fn virtio_scsi(&self, name: &str, number: &str, lun: u32, serial: &str) -> String {
        let device = format!("pci0000:00/0000:00:05.0/virtio2/host9/target9:0:0/9:0:0:{lun}");
        let path = format!("{device}/block/{name}");
        self.device(&path, number, 2_048);
        self.link(format!("sys/devices/{path}/device"), "../..");
        self.file(format!("sys/devices/{device}/model"), "QEMU HARDDISK   \n");
        self.file(format!("sys/devices/{device}/vendor"), "QEMU    \n");
        let page = [&[0, 0x80, 0, serial.len() as u8][..], serial.as_bytes()].concat();
        self.file(format!("sys/devices/{device}/vpd_pg80"), page);
        path
    }

    /// A device made of others: the relations in both directions.
    pub(crate) fn stacked(&self, name: &str, number: &str, on: &[&str]) -> String {
        let path = format!("virtual/block/{name}");
        self.device(&path, number, 1000);
        for lower in on {
            let lower_name = lower.rsplit('/').next().unwrap();
            let up = |from: &str| "../".repeat(from.split('/').count() + 1);
            self.link(
                format!("sys/devices/{lower}/holders/{name}"),
                format!("{}{path}", up(lower)),
            );
            self.link(
                format!("sys/devices/{path}/slaves/{lower_name}"),
                format!("{}{lower}", up(&path)),
            );
        }
        path
    }

    /// A device-mapper device with the name and UUID that its maker gave.
    pub(crate) fn mapped(
        &self,
        name: &str,
        number: &str,
        on: &[&str],
        volume: &str,
        uuid: &str,
    ) -> String {
        let path = self.stacked(name, number, on);
        self.attribute(&path, "dm/name", volume);
        self.attribute(&path, "dm/uuid", uuid);
        path
    }

    /// An attribute of the device at `devices/...`.
    pub(crate) fn attribute(&self, path: &str, name: &str, value: &str) {
        self.file(format!("sys/devices/{path}/{name}"), format!("{value}\n"));
    }

    /// A process with links for its open files.
    pub(crate) fn process(&self, pid: u32, name: &str, open: &[&str]) {
        self.file(format!("proc/{pid}/comm"), format!("{name}\n"));
        fs::create_dir_all(self.at(format!("proc/{pid}/fd"))).unwrap();
        for (index, path) in open.iter().enumerate() {
            self.link(format!("proc/{pid}/fd/{index}"), path);
        }
        self.link(format!("proc/{pid}/ns/mnt"), "mnt:[4026531832]");
    }

    /// What is mounted: number, point, file system, source.
    pub(crate) fn mounts(&mut self, mounts: &[(&str, &str, &str, &str)]) {
        self.mounts
            .extend(mounts.iter().map(|(number, point, kind, source)| {
                format!("27 1 {number} / {point} rw,relatime shared:1 - {kind} {source} rw\n")
            }));
        self.file("proc/self/mountinfo", self.mounts.concat());
    }

    /// Puts bytes into the content of a device.
    pub(crate) fn content(&self, name: &str, offset: u64, bytes: &[u8]) {
        use std::os::unix::fs::FileExt;
        let file = File::options()
            .write(true)
            .open(self.at(format!("dev/{name}")))
            .unwrap();
        file.write_all_at(bytes, offset).unwrap();
    }
}
