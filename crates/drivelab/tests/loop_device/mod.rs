//! Loop devices and file systems on them, created on a file of the test and removed when dropped. Without root, loop
//! devices or the tools a test reports itself as skipped.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use tempfile::TempDir;

use fixtures::skip::{root, skip};

/// A file shown as a block device.
pub(crate) struct LoopDevice {
    pub(crate) node: PathBuf,
    pub(crate) backing: PathBuf,
    /// Once it is detached its number may be reused: detaching twice would detach another test's device.
    attached: bool,
    _folder: TempDir,
}

/// A mounted file system on a loop device.
pub(crate) struct Mounted {
    // Dropped in this order: unmounted, then detached.
    mount: Mount,
    device: LoopDevice,
}

struct Mount {
    point: TempDir,
}

/// A missing tool is also an answer.
fn run(program: &str, arguments: &[&str]) -> Result<Output, String> {
    let output = Command::new(program).args(arguments).output();
    match output {
        Ok(output) if output.status.success() => Ok(output),
        Ok(output) => Err(format!(
            "{program}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(error) => Err(format!("{program}: {error}")),
    }
}

/// Two that look for a free device at once find the same one, and the loser has the winner's device
/// open for a moment, which its test would see as a use of it.
static LOOKING_FOR_A_DEVICE: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

impl LoopDevice {
    pub(crate) fn attach_or_skip(test: &str, mib: u64) -> Option<LoopDevice> {
        if !root() {
            skip(test, "a loop device needs root");
            return None;
        }
        LoopDevice::attach(mib).map_err(|why| skip(test, &why)).ok()
    }

    fn attach(mib: u64) -> Result<LoopDevice, String> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let backing = folder.path().canonicalize().unwrap().join("backing.img");
        std::fs::write(&backing, crate::command::content((mib << 20) as usize)).unwrap();
        Ok(LoopDevice {
            node: show(&backing)?,
            backing,
            attached: true,
            _folder: folder,
        })
    }

    pub(crate) fn node(&self) -> &str {
        text(&self.node)
    }

    pub(crate) fn backing(&self) -> &str {
        text(&self.backing)
    }

    /// Shows the same file as another device, and takes this one away.
    pub(crate) fn show_elsewhere(&mut self) {
        let node = show(&self.backing).unwrap();
        self.detach();
        self.node = node;
        self.attached = true;
    }

    /// Detaches the device, and waits until it is gone: the kernel keeps it until the last process that has it open (a
    /// killed run's ring, udev) has closed it.
    pub(crate) fn detach(&mut self) {
        run("losetup", &["--detach", text(&self.node)]).unwrap();
        self.attached = false;
        let name = self.node.file_name().unwrap();
        let shows = Path::new("/sys/block").join(name).join("loop/backing_file");
        let own = |shown: &str| Path::new(shown.trim()) == self.backing;
        for _ in 0..1_000 {
            if !std::fs::read_to_string(&shows).is_ok_and(|shown| own(&shown)) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!(
            "{} still shows its file after ten seconds",
            self.node.display()
        );
    }

    /// The backing bytes of the device, including all writes.
    pub(crate) fn content(&self) -> Vec<u8> {
        run("sync", &[]).unwrap();
        std::fs::read(&self.backing).unwrap()
    }
}

/// The next free device, showing that file.
fn show(backing: &Path) -> Result<PathBuf, String> {
    let _alone = LOOKING_FOR_A_DEVICE.lock();
    let output = run("losetup", &["--find", "--show", text(backing)])?;
    let node = String::from_utf8_lossy(&output.stdout);
    Ok(PathBuf::from(node.trim()))
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        if !self.attached {
            return;
        }
        // While something else fails, a second panic would hide it.
        let _ = run("losetup", &["--detach", text(&self.node)]);
    }
}

impl Mounted {
    /// A new file system of `mib` MiB, of the first of these kinds that this machine can make.
    pub(crate) fn new_or_skip(test: &str, kinds: &[&str], mib: u64) -> Option<Mounted> {
        let device = LoopDevice::attach_or_skip(test, mib)?;
        let mut troubles = Vec::new();
        for kind in kinds {
            match make(kind, &device).and_then(|()| mount(kind, &device)) {
                Ok(mount) => {
                    return Some(Mounted { mount, device });
                }
                Err(trouble) => troubles.push(format!("{kind}: {}", trouble.replace('\n', " "))),
            }
        }
        skip(test, &troubles.join("; "));
        None
    }

    pub(crate) fn path(&self) -> &Path {
        self.mount.point.path()
    }

    pub(crate) fn text(&self) -> &str {
        text(self.path())
    }

    /// The device, and its backing file.
    pub(crate) fn device(&self) -> (&str, &str) {
        (self.device.node(), self.device.backing())
    }

    pub(crate) fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        run("mount", &["-o", &options, self.text()]).unwrap();
    }

    /// Bytes that an ordinary user may still write, and the size of the file system.
    pub(crate) fn free_and_size(&self) -> (u64, u64) {
        // What was freed counts when the journal has it.
        run("sync", &["--file-system", self.text()]).unwrap();
        let output = run("df", &["-B1", "--output=avail,size", self.text()]).unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let numbers: Vec<u64> = text
            .lines()
            .last()
            .unwrap()
            .split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect();
        (numbers[0], numbers[1])
    }

    /// Fills it with a file until less than 4 KiB are left.
    pub(crate) fn fill_up(&self) {
        use std::io::Write;
        let mut file = std::fs::File::create(self.path().join("filling")).unwrap();
        for block in [1 << 20, 4096] {
            while file
                .write_all(&vec![7; block])
                .and_then(|()| file.sync_all())
                .is_ok()
            {}
        }
    }
}

fn make(kind: &str, device: &LoopDevice) -> Result<(), String> {
    let node = text(&device.node);
    match kind {
        "ntfs-3g" => run("mkfs.ntfs", &["-Q", "-F", node]),
        "ext4" => run("mkfs.ext4", &["-q", "-F", "-m", "0", node]),
        kind => run(&format!("mkfs.{kind}"), &[node]),
    }
    .map(drop)
}

fn mount(kind: &str, device: &LoopDevice) -> Result<Mount, String> {
    let point = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    run(
        "mount",
        &["-t", kind, text(&device.node), text(point.path())],
    )?;
    Ok(Mount { point })
}

impl Drop for Mount {
    fn drop(&mut self) {
        // The kernel takes a ring's files apart after its process has ended: until then it is busy.
        let point = text(self.point.path());
        for _ in 0..1_000 {
            if run("umount", &[point]).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = run("umount", &["--lazy", point]);
    }
}
