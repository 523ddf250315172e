//! A machine that starts from the image of a stick, as a PC does: by its firmware (UEFI, with Secure Boot or without, or
//! a BIOS), from USB, with the fleet beside it.
//!
//! There is no agent in it. Somebody sits at its serial line, where the stick's menu is, too: `types` is what they type,
//! `screen` what they wait for. Commands of such a case run on the host, with the image in `$stick`: what is on its data
//! partition is read as a PC with Windows would, without the stick's own system. Killing QEMU is a pulled plug.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::fleet::{Firmware, Fleet};
use crate::guest::Guest;
use crate::machine::{Pair, Places, fleet_drives};
use crate::skipped::Skipped;
use crate::wire::Answer;
use crate::wiring::Wired;

/// Where Debian has the firmware: its code, and the variables that it begins with.
const UEFI: [&str; 2] = [
    "/usr/share/OVMF/OVMF_CODE_4M.fd",
    "/usr/share/OVMF/OVMF_VARS_4M.fd",
];
/// The same with Microsoft's keys enrolled.
const SECURE: [&str; 2] = [
    "/usr/share/OVMF/OVMF_CODE_4M.ms.fd",
    "/usr/share/OVMF/OVMF_VARS_4M.ms.fd",
];

/// One for all fleets that start from a stick: it is built once a session.
static BUILT: Mutex<Option<Result<PathBuf, String>>> = Mutex::new(None);

/// What a terminal has been sent since somebody last typed.
#[derive(Default)]
struct Screen {
    text: Mutex<String>,
    moved: Condvar,
}

/// A running machine.
pub(crate) struct Machine {
    qemu: Child,
    line: UnixStream,
    screen: Arc<Screen>,
    patience: u32,
}

/// A fleet's own stick, as it is written for the first time.
///
/// # Errors
/// Why there is none: then cases with it are skipped.
pub(crate) fn new_stick(guest: &Guest, folder: &Path) -> Result<PathBuf> {
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let image = built.get_or_insert_with(|| build(guest).map_err(|why| format!("{why:#}")));
    let image = image
        .clone()
        .map_err(|why| Skipped(format!("no stick: {why}")))?;
    let stick = folder.join("stick.img");
    std::fs::copy(image, &stick).context("the image of the stick cannot be copied")?;
    Ok(stick)
}

fn build(guest: &Guest) -> Result<PathBuf> {
    if let Some(missing) = UEFI
        .iter()
        .chain(&SECURE)
        .find(|file| !Path::new(file).exists())
    {
        bail!("{missing} is missing (package ovmf)");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let image = guest.program.with_file_name("stick.img");
    let said = Command::new("sh")
        .arg(root.join("stick/build.sh"))
        .args([&guest.program, &image])
        .stdin(Stdio::null())
        .output()?;
    if !said.status.success() {
        let words = String::from_utf8_lossy(&said.stderr);
        bail!(
            "{}",
            words
                .trim()
                .lines()
                .next_back()
                .unwrap_or("stick/build.sh failed")
        );
    }
    Ok(image)
}

impl Machine {
    /// Switches a machine on, its stick in it.
    pub(crate) fn boot(
        guest: &Guest,
        fleet: &Fleet,
        wired: &Wired,
        places: &Places,
    ) -> Result<Machine> {
        let folder = &places.folder;
        let socket = folder.join("line");
        let _ = std::fs::remove_file(&socket); // there may be none
        let mut qemu = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "qemu-system-x86_64"])
            .args(firmware(fleet.firmware, folder)?)
            .args(arguments(fleet, folder))
            .args(fleet_drives(wired).flat_map(|(key, value)| [key.to_owned(), value]))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(folder.join("qemu.log"))?)
            .spawn()
            .context("setpriv (which starts qemu-system-x86_64) does not start")?;
        let line = connect(&mut qemu, &socket)?;
        let screen = Arc::new(Screen::default());
        listen(line.try_clone()?, Arc::clone(&screen));
        Ok(Machine {
            qemu,
            line,
            screen,
            patience: guest.patience,
        })
    }

    /// Types on the serial line; the screen is empty from then on.
    pub(crate) fn types(&mut self, text: &str) -> Result<()> {
        self.screen
            .text
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        Ok(self.line.write_all(text.as_bytes())?)
    }

    /// Waits until the screen has this text, in any of its states since somebody typed.
    pub(crate) fn wait_for(&self, text: &str, limit_s: u64) -> Result<()> {
        let limit = Duration::from_secs(limit_s) * self.patience;
        let shown = self
            .screen
            .text
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let misses = |shown: &mut String| !shown.contains(text);
        let waited = self.screen.moved.wait_timeout_while(shown, limit, misses);
        let (shown, time) = waited.unwrap_or_else(PoisonError::into_inner);
        match time.timed_out() {
            false => Ok(()),
            true => bail!("{text:?} is not on the screen: {}", end_of(&shown)),
        }
    }
}

impl Drop for Machine {
    /// Pulls the plug.
    fn drop(&mut self) {
        let _ = self.qemu.kill();
        let _ = self.qemu.wait();
    }
}

fn end_of(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(12)..].join(" / ")
}

/// A machine with this firmware, and the variables of its own that it begins with.
fn firmware(firmware: Firmware, folder: &Path) -> Result<Vec<String>> {
    let [code, variables] = match firmware {
        Firmware::Bios => return Ok(["-machine", "pc"].map(str::to_owned).to_vec()),
        Firmware::Uefi => UEFI,
        Firmware::SecureBoot => SECURE,
    };
    let own = folder.join("variables.fd");
    std::fs::copy(variables, &own)?;
    // Where keys are checked, only the firmware in system-management mode may change them: a machine with an ICH9.
    let machine: &[&str] = match firmware {
        Firmware::SecureBoot => &[
            "-machine",
            "q35,smm=on",
            "-global",
            "driver=cfi.pflash01,property=secure,value=on",
        ],
        _ => &["-machine", "pc"],
    };
    let flash = |unit: u8, rest: &str| format!("if=pflash,unit={unit},format=raw,{rest}");
    let drives = [
        flash(0, &format!("readonly=on,file={code}")),
        flash(1, &format!("file={}", own.display())),
    ];
    let machine = machine.iter().map(|&word| word.to_owned());
    let drives = drives
        .into_iter()
        .flat_map(|drive| ["-drive".to_owned(), drive]);
    Ok(machine.chain(drives).collect())
}

fn arguments(fleet: &Fleet, folder: &Path) -> Vec<String> {
    let place = |name: &str| folder.join(name).display().to_string();
    let line = format!(
        "socket,id=line,path={},server=on,wait=off,logfile={}",
        place("line"),
        place("console.log")
    );
    let pairs: [Pair; 7] = [
        ("-accel", "tcg,thread=multi".to_owned()),
        ("-cpu", "max".to_owned()),
        ("-m", fleet.memory_mib.to_string()),
        ("-chardev", line),
        ("-serial", "chardev:line".to_owned()),
        (
            "-drive",
            format!("if=none,id=stick,format=raw,file={}", place("stick.img")),
        ),
        ("-vga", "std".to_owned()),
    ];
    let devices = [
        "qemu-xhci,id=stick_bus,addr=0x3",
        "usb-storage,bus=stick_bus.0,drive=stick,serial=STICK,bootindex=0",
    ];
    let devices = devices.map(|device| ("-device", device.to_owned()));
    let mut list = ["-nodefaults", "-display", "none", "-no-user-config"]
        .map(str::to_owned)
        .to_vec();
    let pairs = pairs.into_iter().chain(devices);
    list.extend(pairs.flat_map(|(key, value)| [key.to_owned(), value]));
    list
}

fn connect(qemu: &mut Child, socket: &Path) -> Result<UnixStream> {
    for _ in 0..600 {
        if let Some(status) = qemu.try_wait()? {
            bail!("QEMU ended with {status} (qemu.log)");
        }
        if let Ok(line) = UnixStream::connect(socket) {
            return Ok(line);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    bail!("the serial line does not appear")
}

fn listen(mut line: UnixStream, screen: Arc<Screen>) {
    std::thread::spawn(move || {
        let (mut bytes, mut is_control) = ([0; 4096], false);
        while let Ok(length @ 1..) = line.read(&mut bytes) {
            let mut text = screen.text.lock().unwrap_or_else(PoisonError::into_inner);
            for byte in &bytes[..length] {
                match (is_control, byte) {
                    (false, 0x1b) => is_control = true,
                    // A control sequence ends with a letter.
                    (true, byte) => is_control = !byte.is_ascii_alphabetic(),
                    (false, b'\r') => {}
                    (false, byte) if byte.is_ascii() => text.push(char::from(*byte)),
                    (false, _) => {}
                }
            }
            drop(text);
            screen.moved.notify_all();
        }
    });
}

/// Runs a command on the host, beside the machine.
pub(crate) fn run_beside(command: &str, folder: &Path, limit_s: u64) -> Result<Answer> {
    let output = Command::new("timeout")
        .args(["-k", "5", &limit_s.to_string(), "sh", "-c", command])
        .current_dir(folder)
        .env("stick", folder.join("stick.img"))
        .stdin(Stdio::null())
        .output()?;
    let text = [output.stdout, output.stderr].concat();
    Ok(Answer {
        id: 0,
        exit: output.status.code().unwrap_or(-1),
        output: String::from_utf8_lossy(&text).into_owned(),
    })
}
