//! What the machine boots: the distribution's kernel and a root of its packages, unpacked, never installed.
//!
//! Packages are fetched and unpacked into a directory, which becomes an ext4 image. No package's script runs, and the
//! host stays unchanged. Two kernels share the root, if the release's backports are available; each has an initramfs
//! with busybox and the few modules needed to mount the root. Everything is created once and kept until the list or the
//! scripts change.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::fleet::Kernel;
use crate::initramfs::Archive;
use crate::skipped::Skipped;

mod packages;

/// The requested packages; apt adds their dependencies.
const PACKAGES: &str = include_str!("guest/packages.txt");
/// Left out, though a package wants them: nothing here runs them.
const NOT_UNPACKED: &str = include_str!("guest/not-unpacked.txt");
/// Folders of the packages that the guest does not read.
const NOT_KEPT: &str = include_str!("guest/not-kept.txt");
/// The kernel modules that the guest may need: block drivers and their dependencies.
const MODULES: &str = include_str!("guest/modules.txt");
/// What leads to the root, in the order of need.
const FIRST_MODULES: &str = include_str!("guest/first-modules.txt");

const FIRST_SCRIPT: &str = include_str!("guest/first.sh");
const INIT_SCRIPT: &str = include_str!("guest/init.sh");
/// Commands for cases, each with its script: they are installed next to the tested program.
const COMMANDS: &[(&str, &str)] = &[
    ("wait-for-io", include_str!("guest/wait-for-io.sh")),
    ("guest-needs", include_str!("guest/guest-needs.sh")),
    ("at-terminal", include_str!("guest/at-terminal.sh")),
    ("emulate-as", include_str!("guest/emulate-as.sh")),
    ("emulate-end", include_str!("guest/emulate-end.sh")),
    ("cut-power-twice", include_str!("guest/cut-power-twice.sh")),
    ("udisks-begin", include_str!("guest/udisks-begin.sh")),
    ("smartd-begin", include_str!("guest/smartd-begin.sh")),
    ("multipath-begin", include_str!("guest/multipath-begin.sh")),
];

/// What a machine boots from.
pub(crate) struct Start {
    pub(crate) kernel: PathBuf,
    pub(crate) initramfs: PathBuf,
}

/// A guest that is ready to boot.
pub(crate) struct Guest {
    release: Start,
    newer: Start,
    /// Why there is no newer kernel, where there is none.
    no_newer: PathBuf,
    /// The image of its root: never written, each machine has its own changes in memory.
    pub(crate) root: PathBuf,
    /// Factor for all timeouts compared with an idle machine.
    pub(crate) patience: u32,
    /// The tested program, also for serving drives from the host.
    pub(crate) program: PathBuf,
    /// The image with it.
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
    /// Creates the guest in that directory, or reuses an existing one; installs the programs in it.
    pub(crate) fn ready(folder: &Path, programs: &[(&str, &Path)]) -> Result<Guest> {
        fs::create_dir_all(folder)?;
        let folder = folder.canonicalize()?;
        let start = |which: &str| Start {
            kernel: folder.join(format!("kernel{which}")),
            initramfs: folder.join(format!("initramfs{which}")),
        };
        let guest = Guest {
            release: start(""),
            newer: start("-newer"),
            no_newer: folder.join("no-newer-kernel"),
            root: folder.join("root.img"),
            patience: 1,
            program: folder.join("programs/drivelab"),
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

    /// What a machine with that kernel boots from.
    ///
    /// # Errors
    /// Why there is no such kernel.
    pub(crate) fn start(&self, kernel: Kernel) -> Result<&Start> {
        match (kernel, fs::read_to_string(&self.no_newer)) {
            // A machine that starts from a stick has its own.
            (Kernel::Release | Kernel::Stick, _) => Ok(&self.release),
            (Kernel::Backports, Err(_)) => Ok(&self.newer),
            (Kernel::Backports, Ok(why)) => {
                Err(Skipped(format!("no kernel of the backports: {}", why.trim())).into())
            }
        }
    }

    fn make(&self, folder: &Path) -> Result<()> {
        let (apt, root) = (folder.join("apt"), folder.join("root"));
        packages::fetch(&apt)?;
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        fs::create_dir(&root)?;
        packages::unpack(&apt.join("archives"), &root)?;
        let version = only_folder(&root.join("lib/modules"))?;
        prepare_kernel(&root, &version, &self.release)?;
        let _ = fs::remove_file(&self.no_newer); // the first time there is none
        if let Err(why) = self.add_newer_kernel(folder, &root) {
            fs::write(&self.no_newer, format!("{why:#}\n"))?;
        }
        furnish(&root)?;
        image_of(&root, &self.root, 1536)?;
        fs::remove_dir_all(&root)?;
        Ok(fs::remove_dir_all(&apt)?)
    }

    /// The backports' kernel in addition to the release's: its modules go to the same root.
    fn add_newer_kernel(&self, folder: &Path, root: &Path) -> Result<()> {
        let (apt, newer) = (folder.join("apt-newer"), folder.join("newer"));
        let _ = fs::remove_dir_all(&newer); // what an attempt before has left
        packages::fetch_newer_kernel(&apt)?;
        fs::create_dir_all(&newer)?;
        packages::unpack(&apt.join("archives"), &newer)?;
        let version = only_folder(&newer.join("lib/modules"))?;
        let place = Path::new("lib/modules").join(&version);
        fs::rename(newer.join(&place), root.join(&place))?;
        let image = format!("boot/vmlinuz-{version}");
        fs::rename(newer.join(&image), root.join(&image))?;
        prepare_kernel(root, &version, &self.newer)?;
        fs::remove_dir_all(&newer)?;
        Ok(fs::remove_dir_all(&apt)?)
    }

    fn put_programs(&self, folder: &Path, programs: &[(&str, &Path)]) -> Result<()> {
        let place = folder.join("programs");
        fs::create_dir_all(&place)?;
        for (name, program) in programs {
            let copy = place.join(name);
            // One that still runs cannot be written over; the first time there is none.
            let _ = fs::remove_file(&copy);
            fs::copy(program, copy)
                .with_context(|| format!("{} cannot be copied", program.display()))?;
        }
        for (name, script) in COMMANDS {
            write_program(&place.join(name), script)?;
        }
        image_of(&place, &self.programs, 512)
    }
}

/// What the guest is made of, in a line that changes when any of it does.
fn recipe() -> String {
    let mut hasher = DefaultHasher::new();
    for list in [PACKAGES, NOT_UNPACKED, NOT_KEPT, MODULES, FIRST_MODULES] {
        list.lines().collect::<Vec<_>>().hash(&mut hasher);
    }
    (FIRST_SCRIPT, INIT_SCRIPT).hash(&mut hasher);
    format!("{:016x}\n", hasher.finish())
}

/// The one folder in a folder: a kernel's version, where it has brought its modules.
fn only_folder(folder: &Path) -> Result<String> {
    let mut inside = fs::read_dir(folder).context("the kernel brought no modules")?;
    let first = inside.next().context("the kernel brought no modules")??;
    Ok(first.file_name().to_string_lossy().into_owned())
}

/// Makes a kernel of the root's bootable, and its modules few.
fn prepare_kernel(root: &Path, version: &str, start: &Start) -> Result<()> {
    fs::copy(root.join(format!("boot/vmlinuz-{version}")), &start.kernel)?;
    keep_some_modules(root, version)?;
    index_modules(root, version)?;
    Ok(fs::write(&start.initramfs, first_files(root, version)?)?)
}

/// All modules are 400 MB, most of it for sound, networks and screens.
fn keep_some_modules(root: &Path, version: &str) -> Result<()> {
    let kernel = root.join("lib/modules").join(version).join("kernel");
    let all = root.join("all-modules");
    fs::rename(&kernel, &all)?;
    for module in MODULES.lines() {
        // A newer kernel's are compressed.
        for name in [module.to_owned(), format!("{module}.xz")] {
            let to = kernel.join(&name);
            if let (Some(parent), true) = (to.parent(), all.join(&name).exists()) {
                fs::create_dir_all(parent)?;
                fs::rename(all.join(&name), &to)?;
            }
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
    for module in FIRST_MODULES.lines() {
        let file = root.join(format!("lib/modules/{version}/kernel/{module}.ko"));
        let name = module.rsplit('/').next().unwrap_or(module);
        // What this kernel has built in needs no loading.
        if let Some(content) = module_content(&file)? {
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

/// A module as busybox loads it, which unpacks none; nothing where the kernel has no such module.
fn module_content(file: &Path) -> Result<Option<Vec<u8>>> {
    if let Ok(content) = fs::read(file) {
        return Ok(Some(content));
    }
    let compressed = file.with_extension("ko.xz");
    if !compressed.exists() {
        return Ok(None);
    }
    let unpacked = Command::new("xz")
        .arg("-dc")
        .arg(&compressed)
        .output()
        .context("xz, which unpacks its modules, does not start")?;
    if !unpacked.status.success() {
        bail!("{} cannot be unpacked", compressed.display());
    }
    Ok(Some(unpacked.stdout))
}

fn furnish(root: &Path) -> Result<()> {
    for name in NOT_KEPT.lines() {
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
    write_program(&root.join("init"), INIT_SCRIPT)
}

fn write_program(place: &Path, script: &str) -> Result<()> {
    fs::write(place, script)?;
    fs::set_permissions(place, fs::Permissions::from_mode(0o755))?;
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
