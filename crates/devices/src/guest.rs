//! What the machine boots: the distribution's kernel and a root of its packages, unpacked, never installed.
//!
//! `apt-get` works here in a state of its own in which nothing is installed, so it fetches the packages that are asked for
//! and all that they need; `dpkg-deb` unpacks them into a folder, which becomes an ext4 image. No package's script runs, and
//! the host stays as it is. The initramfs holds busybox and the few modules that lead to the root. All of it is made
//! once and kept until the list or the scripts change.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::initramfs::Archive;

/// The packages that are asked for; apt adds what they need.
const PACKAGES: &[&str] = &[
    "linux-image-amd64",
    "busybox-static",
    "kmod",
    "udev",
    "dash",
    "coreutils",
    "diffutils",
    "findutils",
    "grep",
    "sed",
    "gawk",
    "procps",
    "util-linux",
    "mount",
    "fdisk",
    "e2fsprogs",
    "smartmontools",
    "mdadm",
    "lvm2",
    "dmsetup",
    "nvme-cli",
    "sg3-utils",
    "fio",
    "gddrescue",
    "btrfs-progs",
];
/// Left out, though a package wants them: nothing here runs them.
const NOT_UNPACKED: &[&str] = &["perl", "libperl", "python", "libpython", "debconf", "gcc-"];
/// Folders of the packages that the guest does not read.
const NOT_KEPT: &[&str] = &[
    "doc",
    "man",
    "locale",
    "info",
    "bug",
    "lintian",
    "bash-completion",
    "zsh",
];
/// The kernel's modules that the guest may need: block drivers and what they stand on.
const MODULES: &[&str] = &[
    "arch/x86/crypto",
    "block",
    "crypto",
    "lib",
    "drivers/nvme",
    "drivers/scsi",
    "drivers/ata",
    "drivers/md",
    "drivers/block",
    "drivers/virtio",
    "drivers/dax",
    "drivers/usb/core",
    "drivers/usb/common",
    "drivers/usb/host",
    "drivers/usb/storage",
    "drivers/char/virtio_console.ko",
    "fs/btrfs",
    "fs/ext4",
    "fs/jbd2",
    "fs/mbcache.ko",
    "fs/xfs",
    "fs/configfs",
];
/// What leads to the root, in the order of need.
const FIRST_MODULES: &[&str] = &[
    "lib/crc16",
    "crypto/crc32c_generic",
    "fs/mbcache",
    "fs/jbd2/jbd2",
    "fs/ext4/ext4",
    "drivers/virtio/virtio_ring",
    "drivers/virtio/virtio",
    "drivers/virtio/virtio_pci_legacy_dev",
    "drivers/virtio/virtio_pci_modern_dev",
    "drivers/virtio/virtio_pci",
    "drivers/block/virtio_blk",
];

const FIRST_SCRIPT: &str = include_str!("guest/first.sh");
const INIT_SCRIPT: &str = include_str!("guest/init.sh");
/// A command for cases.
const WAIT_SCRIPT: &str = include_str!("guest/wait-for-io.sh");

/// A guest that is ready to boot.
pub(crate) struct Guest {
    pub(crate) kernel: PathBuf,
    pub(crate) initramfs: PathBuf,
    /// The image of its root: never written, each machine has its own changes in memory.
    pub(crate) root: PathBuf,
    /// The image with the program that is tried.
    pub(crate) programs: PathBuf,
}

/// What the host lacks to make and run a guest; empty where all is there.
pub(crate) fn missing_tools() -> Vec<&'static str> {
    [
        "qemu-system-x86_64",
        "apt-get",
        "dpkg-deb",
        "mkfs.ext4",
        "truncate",
        "setpriv",
    ]
    .into_iter()
    .filter(|tool| !has(tool))
    .collect()
}

fn has(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .any(|folder| folder.join(tool).exists())
}

impl Guest {
    /// Makes the guest in that folder, or takes the one that is there; puts the programs into it.
    pub(crate) fn ready(folder: &Path, programs: &[(&str, &Path)]) -> Result<Guest> {
        fs::create_dir_all(folder)?;
        let folder = folder.canonicalize()?;
        let guest = Guest {
            kernel: folder.join("kernel"),
            initramfs: folder.join("initramfs"),
            root: folder.join("root.img"),
            programs: folder.join("programs.img"),
        };
        let mark = folder.join("made-of");
        let recipe = recipe();
        if fs::read_to_string(&mark).unwrap_or_default() != recipe {
            guest.make(&folder)?;
            fs::write(&mark, recipe)?;
        }
        guest.put_programs(&folder, programs)?;
        Ok(guest)
    }

    fn make(&self, folder: &Path) -> Result<()> {
        let (apt, root) = (folder.join("apt"), folder.join("root"));
        fetch(&apt)?;
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        fs::create_dir(&root)?;
        unpack(&apt.join("archives"), &root)?;
        let version = kernel_version(&root)?;
        fs::copy(root.join(format!("boot/vmlinuz-{version}")), &self.kernel)?;
        keep_some_modules(&root, &version)?;
        index_modules(&root, &version)?;
        fs::write(&self.initramfs, first_files(&root, &version)?)?;
        furnish(&root)?;
        image_of(&root, &self.root, 768)?;
        fs::remove_dir_all(&root)?;
        Ok(fs::remove_dir_all(&apt)?)
    }

    fn put_programs(&self, folder: &Path, programs: &[(&str, &Path)]) -> Result<()> {
        let place = folder.join("programs");
        fs::create_dir_all(&place)?;
        for (name, program) in programs {
            fs::copy(program, place.join(name))
                .with_context(|| format!("{} cannot be copied", program.display()))?;
        }
        image_of(&place, &self.programs, 512)
    }
}

/// What the guest is made of, in a line that changes when any of it does.
fn recipe() -> String {
    let mut hasher = DefaultHasher::new();
    (PACKAGES, NOT_UNPACKED, NOT_KEPT, MODULES, FIRST_MODULES).hash(&mut hasher);
    (FIRST_SCRIPT, INIT_SCRIPT, WAIT_SCRIPT).hash(&mut hasher);
    format!("{:016x}\n", hasher.finish())
}

/// Fetches the packages and all that they need, in a state of apt's in which nothing is installed.
fn fetch(apt: &Path) -> Result<()> {
    for part in ["lists/partial", "archives/partial"] {
        fs::create_dir_all(apt.join(part))?;
    }
    fs::write(apt.join("status"), "")?;
    let options = [
        format!("Dir::State={}", apt.display()),
        format!("Dir::State::lists={}/lists", apt.display()),
        format!("Dir::State::status={}/status", apt.display()),
        format!("Dir::Cache={}", apt.display()),
        format!("Dir::Cache::archives={}/archives", apt.display()),
        "APT::Sandbox::User=".to_string(),
        "Acquire::Languages=none".to_string(),
        "Acquire::http::Timeout=30".to_string(),
        "Acquire::Retries=2".to_string(),
    ];
    let apt_get = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(["-qq", "-y"]);
        for option in &options {
            command.args(["-o", option]);
        }
        command.args(arguments);
        command
    };
    // A source of the host's that is unreachable does not matter where the packages come from others.
    let _ = quiet(&mut apt_get(&["update"]));
    let mut arguments = vec!["install", "--download-only", "--no-install-recommends"];
    arguments.extend(PACKAGES);
    quiet(&mut apt_get(&arguments)).context("the packages of the guest cannot be fetched")
}

fn unpack(archives: &Path, root: &Path) -> Result<()> {
    let mut packages: Vec<PathBuf> = fs::read_dir(archives)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    packages.sort();
    for package in packages {
        let name = package
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.ends_with(".deb") && !NOT_UNPACKED.iter().any(|start| name.starts_with(start)) {
            quiet(Command::new("dpkg-deb").arg("-x").arg(&package).arg(root))
                .with_context(|| format!("{name} cannot be unpacked"))?;
        }
    }
    Ok(())
}

fn kernel_version(root: &Path) -> Result<String> {
    let mut modules =
        fs::read_dir(root.join("lib/modules")).context("the kernel brought no modules")?;
    let first = modules.next().context("the kernel brought no modules")??;
    Ok(first.file_name().to_string_lossy().into_owned())
}

/// All modules are 400 MB, most of it for sound, networks and screens.
fn keep_some_modules(root: &Path, version: &str) -> Result<()> {
    let kernel = root.join("lib/modules").join(version).join("kernel");
    let all = root.join("all-modules");
    fs::rename(&kernel, &all)?;
    for module in MODULES {
        let to = kernel.join(module);
        if let (Some(parent), true) = (to.parent(), all.join(module).exists()) {
            fs::create_dir_all(parent)?;
            fs::rename(all.join(module), &to)?;
        }
    }
    Ok(fs::remove_dir_all(all)?)
}

/// The guest's own depmod, started by the guest's own loader: the host may have none.
fn index_modules(root: &Path, version: &str) -> Result<()> {
    let libraries = ["lib", "usr/lib"].map(|folder| {
        root.join(folder)
            .join("x86_64-linux-gnu")
            .display()
            .to_string()
    });
    quiet(
        Command::new(root.join("lib64/ld-linux-x86-64.so.2"))
            .args(["--argv0", "depmod", "--library-path", &libraries.join(":")])
            .arg(root.join("bin/kmod"))
            .arg("-b")
            .arg(root)
            .arg(version),
    )
    .context("depmod cannot index the guest's modules")
}

fn first_files(root: &Path, version: &str) -> Result<Vec<u8>> {
    let mut archive = Archive::default();
    for folder in ["bin", "modules", "proc", "dev", "root", "sys"] {
        archive.folder(folder);
    }
    archive.program("bin/busybox", &fs::read(root.join("bin/busybox"))?);
    let mut load = String::new();
    for module in FIRST_MODULES {
        let file = root.join(format!("lib/modules/{version}/kernel/{module}.ko"));
        let name = module.rsplit('/').next().unwrap_or(module);
        // What this kernel has built in needs no loading.
        if let Ok(content) = fs::read(&file) {
            archive.program(&format!("modules/{name}.ko"), &content);
            load.push_str(&format!("$busybox insmod /modules/{name}.ko\n"));
        }
    }
    archive.program(
        "init",
        FIRST_SCRIPT.replace("LOAD_MODULES\n", &load).as_bytes(),
    );
    Ok(archive.finish())
}

fn furnish(root: &Path) -> Result<()> {
    for name in NOT_KEPT {
        let _ = fs::remove_dir_all(root.join("usr/share").join(name)); // not every list of packages brings each
    }
    fs::remove_dir_all(root.join("boot"))?;
    for folder in [
        "proc", "sys", "dev", "run", "tmp", "mnt", "root", "state", "programs", "var/lib",
    ] {
        fs::create_dir_all(root.join(folder))?;
    }
    // The packages' scripts, which would choose one of several awks, have not run.
    symlink("gawk", root.join("usr/bin/awk"))?;
    fs::write(root.join("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n")?;
    fs::write(root.join("etc/group"), "root:x:0:\ndisk:x:6:\n")?;
    for (name, script) in [("init", INIT_SCRIPT), ("usr/bin/wait-for-io", WAIT_SCRIPT)] {
        let place = root.join(name);
        fs::write(&place, script)?;
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// An ext4 image of a folder, without being root.
pub(crate) fn image_of(folder: &Path, image: &Path, size_mib: u64) -> Result<()> {
    let _ = fs::remove_file(image); // the first time there is none
    quiet(
        Command::new("truncate")
            .arg("-s")
            .arg(format!("{size_mib}M"))
            .arg(image),
    )?;
    let path = std::env::var("PATH").unwrap_or_default();
    quiet(
        Command::new("mkfs.ext4")
            .env("PATH", format!("{path}:/usr/sbin:/sbin"))
            .args(["-q", "-F", "-m", "0", "-d"])
            .arg(folder)
            .arg(image),
    )
    .with_context(|| format!("no file system can be made in {}", image.display()))
}

fn quiet(command: &mut Command) -> Result<()> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{} does not start", command.get_program().to_string_lossy()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last: Vec<&str> = said.lines().rev().take(3).collect();
        bail!(
            "{} failed: {}",
            command.get_program().to_string_lossy(),
            last.into_iter().rev().collect::<Vec<_>>().join(" / ")
        );
    }
    Ok(())
}
