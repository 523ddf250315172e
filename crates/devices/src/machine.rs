//! One virtual machine: QEMU, its monitor, and the agent in its guest.
//!
//! QEMU interprets the guest's instructions (TCG), since a machine that tests may have no KVM; that is ten to twenty
//! times slower than the processor, and a boot takes some 15 seconds. A reset is the computer's: the kernel starts
//! again and finds the drives as they were left. Killing QEMU is the same, with other wiring the next time.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::fleet::Fleet;
use crate::guest::{Guest, Start};
use crate::monitor::Monitor;
use crate::served::Served;
use crate::wire::{self, Answer, FromGuest, Order, PORT};
use crate::wiring::Wired;

/// A guest that is not up after this long will not be.
const BOOT: Duration = Duration::from_secs(240);
/// Additional time for an answer beyond its order's own limit.
const GRACE: Duration = Duration::from_secs(40);

type Waiting = Arc<Mutex<HashMap<u64, Sender<Answer>>>>;

/// A running machine.
pub(crate) struct Machine {
    qemu: Child,
    patience: u32,
    /// Their power goes with the machine's.
    _served: Vec<Served>,
    monitor: Monitor,
    agent: UnixStream,
    hello: Receiver<()>,
    waiting: Waiting,
    orders: u64,
}

/// A command that continues in the guest.
pub(crate) struct Job {
    /// The number of its order.
    order: u64,
    answer: Receiver<Answer>,
    limit: Duration,
}

impl Job {
    /// How it ended, if it has; reported once.
    pub(crate) fn ended(&self) -> Option<Answer> {
        self.answer.try_recv().ok()
    }

    /// The location of its output in the guest while it continues.
    pub(crate) fn output(&self) -> String {
        wire::output_of(self.order)
    }

    /// Waits until it has ended.
    pub(crate) fn finish(self) -> Result<Answer> {
        match self.answer.recv_timeout(self.limit + GRACE) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Timeout) => bail!("the guest does not answer: it hangs"),
            Err(RecvTimeoutError::Disconnected) => bail!("the guest is gone"),
        }
    }
}

/// The location of a machine's files: sockets, the console's log, the state disk.
pub(crate) struct Places {
    pub(crate) folder: PathBuf,
    pub(crate) state: PathBuf,
}

impl Places {
    fn monitor(&self) -> PathBuf {
        self.folder.join("monitor")
    }

    fn agent(&self) -> PathBuf {
        self.folder.join("agent")
    }
}

impl Machine {
    /// Boots, and waits for the agent.
    pub(crate) fn boot(
        guest: &Guest,
        fleet: &Fleet,
        wired: &Wired,
        places: &Places,
    ) -> Result<Machine> {
        let start = guest.start(fleet.kernel)?;
        let (monitor, agent) = (places.monitor(), places.agent());
        for socket in [&monitor, &agent] {
            let _ = std::fs::remove_file(socket); // there may be none
        }
        let served = serve(guest, fleet, places)?;
        // QEMU ends with the thread that started it, however that ends.
        let mut qemu = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "qemu-system-x86_64"])
            .args(arguments(guest, start, fleet, wired, places))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(places.folder.join("qemu.log"))?)
            .spawn()
            .context("setpriv (which starts qemu-system-x86_64) does not start")?;
        let connected = connect(&mut qemu, &monitor, &agent).with_context(|| {
            let said = std::fs::read_to_string(places.folder.join("qemu.log")).unwrap_or_default();
            format!("QEMU does not come up: {}", said.trim())
        });
        let (monitor, agent) = match connected {
            Ok(both) => both,
            Err(error) => {
                let _ = qemu.kill();
                let _ = qemu.wait();
                return Err(error);
            }
        };
        let waiting = Waiting::default();
        let hello = listen(agent.try_clone()?, Arc::clone(&waiting));
        let mut machine = Machine {
            qemu,
            patience: guest.patience,
            _served: served,
            monitor,
            agent,
            hello,
            waiting,
            orders: 0,
        };
        machine.wait_until_up()?;
        machine.name_drives(wired)?;
        Ok(machine)
    }

    fn wait_until_up(&mut self) -> Result<()> {
        self.hello
            .recv_timeout(BOOT * self.patience)
            .context("the guest does not come up (see the console's log)")
    }

    /// Leaves a file in the guest that gives each drive's device to a shell.
    fn name_drives(&mut self, wired: &Wired) -> Result<()> {
        let mut script = String::from(": > /run/drives\n");
        for (id, pattern) in &wired.places {
            let serial = wired
                .devices
                .iter()
                .find(|device| device["id"] == *id)
                .and_then(|device| device["serial"].as_str())
                .or_else(|| nvme_serial(wired, id))
                .unwrap_or_default();
            script.push_str(&format!(
                "for p in /dev/disk/by-path/{pattern}; do [ -e $p ] && echo {id}=$(readlink -f $p) >> /run/drives; done\n\
                 echo {id}_serial={serial} >> /run/drives\n"
            ));
        }
        script.push_str("cat /run/drives; ls -l /dev/disk/by-path /dev/disk/by-id");
        self.start(&script, 60)?.finish().map(|_| ())
    }

    /// Begins a command.
    pub(crate) fn start(&mut self, shell: &str, limit_s: u64) -> Result<Job> {
        self.orders += 1;
        let limit_s = limit_s * u64::from(self.patience);
        let (send, answer) = channel();
        self.waiting
            .lock()
            .map_err(|_| anyhow::anyhow!("the listening thread died"))?
            .insert(self.orders, send);
        let order = Order {
            id: self.orders,
            shell: format!("[ -e /run/drives ] && . /run/drives; {shell}"),
            limit_s,
        };
        let line = serde_json::to_string(&order)? + "\n";
        self.agent
            .write_all(line.as_bytes())
            .context("the guest is gone")?;
        Ok(Job {
            order: self.orders,
            answer,
            limit: Duration::from_secs(limit_s),
        })
    }

    /// Takes a device away, and waits until the guest has let it go.
    pub(crate) fn unplug(&mut self, id: &str) -> Result<()> {
        self.monitor.ask("device_del", &json!({ "id": id }))?;
        self.monitor.wait_for("DEVICE_DELETED", id)
    }

    /// Plugs a device in.
    pub(crate) fn plug(&mut self, device: &Value) -> Result<()> {
        self.monitor.ask("device_add", device).map(|_| ())
    }

    /// Makes a drive larger or smaller, as an array or a hypervisor does.
    pub(crate) fn resize(&mut self, node: &str, bytes: u64) -> Result<()> {
        let arguments = json!({ "node-name": node, "size": bytes });
        self.monitor.ask("block_resize", &arguments).map(|_| ())
    }

    /// From now on a drive that has a limit transfers at most so many bytes a second: with few, it lets its commands wait.
    pub(crate) fn limit(&mut self, id: &str, bytes_per_second: u64) -> Result<()> {
        let limits = json!({ "bps-total": bytes_per_second });
        let arguments = json!({ "path": format!("/objects/{id}-limits"), "property": "limits", "value": limits });
        self.monitor.ask("qom-set", &arguments).map(|_| ())
    }

    /// Stands still for so long, with all its clocks but that of the mainboard.
    pub(crate) fn pause(&mut self, time: Duration) -> Result<()> {
        self.monitor.ask("stop", &json!({}))?;
        std::thread::sleep(time);
        self.monitor.ask("cont", &json!({})).map(|_| ())
    }

    /// Resets the machine without involving the guest.
    pub(crate) fn reset(&mut self, wired: &Wired) -> Result<()> {
        self.monitor.ask("system_reset", &json!({}))?;
        self.wait_until_up()?;
        self.name_drives(wired)
    }
}

impl Drop for Machine {
    /// Switches the machine off without involving the guest.
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.qemu.kill();
        let _ = self.qemu.wait();
    }
}

fn serve(guest: &Guest, fleet: &Fleet, places: &Places) -> Result<Vec<Served>> {
    let served = fleet.drives.iter().filter_map(|drive| {
        let model = drive.serves.as_deref()?;
        Some(Served::start(&guest.program, &places.folder, drive, model))
    });
    served.collect()
}

fn nvme_serial<'a>(wired: &'a Wired, id: &str) -> Option<&'a str> {
    let drive = wired.devices.iter().find(|device| device["id"] == *id)?;
    let controller = &drive["bus"];
    wired
        .devices
        .iter()
        .find(|device| device["id"] == *controller)?["serial"]
        .as_str()
}

fn connect(qemu: &mut Child, monitor: &Path, agent: &Path) -> Result<(Monitor, UnixStream)> {
    for _ in 0..600 {
        if let Some(status) = qemu.try_wait()? {
            bail!("it ended with {status}");
        }
        if let (true, Ok(agent)) = (monitor.exists(), UnixStream::connect(agent)) {
            return Ok((Monitor::open(monitor)?, agent));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    bail!("its sockets do not appear")
}

fn listen(agent: UnixStream, waiting: Waiting) -> Receiver<()> {
    let (hello, receive) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(agent).split(b'\n').map_while(Result::ok) {
            // A reset cuts lines off: what is no message belongs to the life before.
            match serde_json::from_slice(&line) {
                Ok(FromGuest::Hello) => {
                    forget_all(&waiting);
                    if hello.send(()).is_err() {
                        return;
                    }
                }
                Ok(FromGuest::Answer(answer)) => hand_over(&waiting, answer),
                Err(_) => {}
            }
        }
        forget_all(&waiting);
    });
    receive
}

fn forget_all(waiting: &Waiting) {
    if let Ok(mut waiting) = waiting.lock() {
        waiting.clear();
    }
}

fn hand_over(waiting: &Waiting, answer: Answer) {
    let sender = waiting
        .lock()
        .ok()
        .and_then(|mut waiting| waiting.remove(&answer.id));
    if let Some(sender) = sender {
        let _ = sender.send(answer); // nobody waits any more
    }
}

fn arguments(
    guest: &Guest,
    start: &Start,
    fleet: &Fleet,
    wired: &Wired,
    places: &Places,
) -> Vec<String> {
    let mut list: Vec<String> = [
        "-nodefaults",
        "-display",
        "none",
        "-accel",
        "tcg,thread=multi",
        "-cpu",
        "max",
        "-smp",
        "1",
        "-append",
        "console=ttyS0 quiet no_timer_check mitigations=off panic=-1 random.trust_cpu=on",
        "-no-user-config",
    ]
    .map(str::to_string)
    .to_vec();
    let kernel = [
        ("-m", fleet.memory_mib.to_string()),
        ("-kernel", start.kernel.display().to_string()),
        ("-initrd", start.initramfs.display().to_string()),
    ];
    let pairs = (kernel.into_iter())
        .chain(board(fleet, wired))
        .chain(lines(places))
        .chain(guest_disks(guest, places))
        .chain(fleet_drives(wired));
    list.extend(pairs.flat_map(|(key, value)| [key.to_string(), value]));
    list
}

/// An option of QEMU with its value.
pub(crate) type Pair = (&'static str, String);

/// The board; a server on the host works in the guest's memory, which is then shared.
fn board(fleet: &Fleet, wired: &Wired) -> Vec<Pair> {
    let chardevs = wired.chardevs.iter();
    let chardevs = chardevs.map(|chardev| ("-chardev", chardev.clone()));
    if wired.chardevs.is_empty() {
        return vec![("-machine", "pc".to_string())];
    }
    let size = fleet.memory_mib;
    let memory = format!("memory-backend-memfd,id=memory,size={size}M,share=on");
    let shared = [
        ("-object", memory),
        ("-machine", "pc,memory-backend=memory".to_string()),
    ];
    shared.into_iter().chain(chardevs).collect()
}

/// The lines between host and guest: console, monitor, agent.
fn lines(places: &Places) -> Vec<Pair> {
    let console = places.folder.join("console.log");
    let socket = |path: PathBuf| format!("{},server=on,wait=off", path.display());
    let agent = format!("socket,id=agent,path={}", socket(places.agent()));
    let port = format!("virtserialport,chardev=agent,name={PORT}");
    vec![
        ("-serial", format!("file:{}", console.display())),
        ("-qmp", format!("unix:{}", socket(places.monitor()))),
        ("-chardev", agent),
        (
            "-device",
            "virtio-serial-pci,bus=pci.0,addr=0x5".to_string(),
        ),
        ("-device", port),
    ]
}

/// What the guest itself runs from.
fn guest_disks(guest: &Guest, places: &Places) -> Vec<Pair> {
    let disks = [
        ("root", &guest.root, "on"),
        ("programs", &guest.programs, "on"),
        ("state", &places.state, "off"),
    ];
    let pairs = (disks.into_iter().zip(2..)).flat_map(|((name, image, snapshot), slot)| {
        let image = image.display();
        let drive = format!("file={image},format=raw,if=none,id={name},snapshot={snapshot}");
        let device =
            format!("virtio-blk-pci,drive={name},serial=guest-{name},bus=pci.0,addr={slot:#x}");
        [("-drive", drive), ("-device", device)]
    });
    pairs.collect()
}

/// The fleet's drives, but those that are absent at the start.
pub(crate) fn fleet_drives(wired: &Wired) -> impl Iterator<Item = Pair> {
    let is_there = |value: &&Value| !wired.absent.iter().any(|id| value["id"] == **id);
    let of = move |key, values: &'_ [Value]| -> Vec<Pair> {
        let there = values.iter().filter(is_there);
        there.map(|value| (key, value.to_string())).collect()
    };
    let all = [
        of("-object", &wired.objects),
        of("-blockdev", &wired.nodes),
        of("-device", &wired.devices),
    ];
    all.into_iter().flatten()
}
