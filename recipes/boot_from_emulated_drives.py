#!/usr/bin/env python3
"""A Debian guest that boots from emulated drives, one after another, as reviewers started Windows from them.

An image of a small Debian is made (mmdebstrap, extlinux, a partition from 1 MiB on), and copied to each drive through
its own write path, as an image is restored. Then QEMU boots from the drive over NBD: its BIOS reads the boot loader,
that the kernel and the first files, the kernel the rest. A unit of the guest's says when all of it has started. Then the
drive is switched off. What it was asked, and when it answered, is played again from its log: the time in which reads
were on their way is the drive's part at most; what is left of the boot was the host's alone.

    sudo python3 recipes/boot_from_emulated_drives.py
    sudo python3 recipes/boot_from_emulated_drives.py --drive model:wd-red-wd30efrx-3tb --trace debian-12.boot

Without --drive it takes the eleven drives of 2009 to 2011 that catalog/plans/boot-2011.toml starts Windows 7 from. It needs
root, mmdebstrap, extlinux and syslinux-common, qemu-system-x86, libnbd-bin. Prints one JSON
object. Exit: 0 all booted, 1 one did not, 2 it could not be tried.
"""

import argparse
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

MIRROR = "http://deb.debian.org/debian"
PACKAGES = "linux-image-cloud-amd64,systemd-sysv,udev,dbus,openssh-server,cron,rsyslog,python3-minimal,locales"
BOOTED = "every unit has started"
# A sector before the partition that nothing else reads alone: read when all has started, so that the drive's log says when.
MARK = 1501
PATIENCE = 600.0
IMAGE_MIB = 2048
FIRST_BYTE = 1 << 20

# Of the document's starts of Windows: each drive once, in the state that it says.
DRIVES = [
    "model:acard-ans-9010-14gb?state=70%25-in-order",
    "model:intel-x25-m-g2-80gb?state=13%25-in-order",
    "model:plextor-m2s-128gb?state=8%25-in-order",
    "model:crucial-c300-64gb?state=16%25-in-order",
    "model:a-data-s592-32gb?state=33%25-in-order",
    "model:kingston-svp100s2-96gb?state=11%25-in-order",
    "model:toshiba-hg2-64gb?state=16%25-in-order&firmware=AGYA0201",
    "model:ocz-vertex-2-50gb?state=21%25-in-order",
    "model:kingston-snv125-s2-30gb?state=35%25-in-order",
    "model:cfd-cssd-sm64wj3-32gb?state=17%25-in-order",
    "model:ocz-apex-120gb?state=9%25-in-order",
]

UNIT = f"""[Unit]
Description=Says when the guest has booted
After=multi-user.target getty.target

[Service]
Type=oneshot
ExecStart=/bin/dd if=/dev/vda of=/dev/null bs=512 skip={MARK} count=1 iflag=direct
ExecStart=/bin/sh -c 'echo "{BOOTED} $(cut -d" " -f1 /proc/uptime)" > /dev/ttyS0'
StandardOutput=null

[Install]
WantedBy=graphical.target
"""

LOADER = """DEFAULT debian
PROMPT 0
TIMEOUT 1
LABEL debian
 LINUX /boot/vmlinuz
 INITRD /boot/initrd.img
 APPEND root=/dev/vda1 ro console=ttyS0 quiet systemd.show_status=0
"""


class CannotTry(Exception):
    """Something that the recipe needs is missing, or did not start."""


def must(*command, **more):
    """Runs a command, and gives what it prints."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    except FileNotFoundError as missing:
        raise CannotTry(f"{missing.filename} is missing") from missing
    if done.returncode != 0:
        raise CannotTry(f"{' '.join(command)}: {done.stderr.strip()[-500:]}")
    return done.stdout.strip()


def quietly(*command):
    """Runs a command whose failure does not matter."""
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def until(condition, what, patience=60.0):
    """Waits for something that happens soon."""
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            raise CannotTry(f"{what}: not within {patience:.0f} s")
        time.sleep(0.02)


def make_image(arguments, place):
    """A disk image that boots; gives its path."""
    image = arguments.image or os.path.join(place, "debian.img")
    if os.path.exists(image):
        return image
    archive = arguments.root or os.path.join(place, "root.tar")
    if not os.path.exists(archive):
        must("mmdebstrap", "--variant=important", f"--include={PACKAGES}", "bookworm", archive, arguments.mirror)
    made = image + ".part"
    with open(made, "wb") as file:
        file.truncate(IMAGE_MIB << 20)
        file.write(boot_sector())
    mounted = os.path.join(place, "mounted")
    os.makedirs(mounted, exist_ok=True)
    loop = must("losetup", "--find", "--show", "--offset", str(FIRST_BYTE), made)
    try:
        # The boot loader reads no file system of more than 2^32 blocks.
        must("mkfs.ext4", "-q", "-O", "^64bit,^metadata_csum", loop)
        must("mount", loop, mounted)
        try:
            must("tar", "-C", mounted, "-xpf", archive)
            furnish(mounted)
        finally:
            must("umount", mounted)
    finally:
        quietly("losetup", "--detach", loop)
    os.rename(made, image)
    return image


def boot_sector():
    """The first sector: syslinux's code, and one partition of Linux that is active, from the first MiB to the end."""
    places = ["/usr/lib/EXTLINUX/mbr.bin", "/usr/lib/syslinux/mbr/mbr.bin"]
    found = [place for place in places if os.path.exists(place)]
    if not found:
        raise CannotTry("the boot sector of syslinux-common is missing")
    with open(found[0], "rb") as code:
        sector = code.read(440).ljust(446, b"\0")
    first = FIRST_BYTE // 512
    sectors = (IMAGE_MIB << 20) // 512 - first
    # Active; no address by cylinders; kind 0x83.
    sector += struct.pack("<B3sB3sII", 0x80, b"\xfe\xff\xff", 0x83, b"\xfe\xff\xff", first, sectors)
    return sector.ljust(510, b"\0") + b"\x55\xaa"


def furnish(root):
    """Boot loader, and the unit that says when all has started."""
    boot = os.path.join(root, "boot")
    for name in ("vmlinuz", "initrd.img"):
        found = sorted(entry for entry in os.listdir(boot) if entry.startswith(name + "-"))
        os.symlink(found[-1], os.path.join(boot, name))
    loader = os.path.join(boot, "extlinux")
    os.makedirs(loader, exist_ok=True)
    with open(os.path.join(loader, "extlinux.conf"), "w", encoding="utf-8") as file:
        file.write(LOADER)
    must("extlinux", "--install", loader)
    with open(os.path.join(root, "etc/fstab"), "w", encoding="utf-8") as file:
        file.write("/dev/vda1 / ext4 defaults 0 1\n")
    units = os.path.join(root, "etc/systemd/system")
    with open(os.path.join(units, "booted.service"), "w", encoding="utf-8") as file:
        file.write(UNIT)
    wants = os.path.join(units, "graphical.target.wants")
    os.makedirs(wants, exist_ok=True)
    os.symlink("/etc/systemd/system/booted.service", os.path.join(wants, "booted.service"))


class Served:
    """A drive that is served until it is switched off."""

    def __init__(self, arguments, place, drive):
        self.arguments = arguments
        self.drive = drive
        self.folder = os.path.join(place, re.sub(r"\W+", "-", drive))
        self.socket = os.path.join(place, "socket")
        self.said = os.path.join(place, "served")
        self.server = None

    def __enter__(self):
        command = [self.arguments.drivelab, "emulate", self.drive, "--keep", self.folder, "--nbd", f"unix:{self.socket}"]
        with open(self.said, "w", encoding="utf-8") as log:
            self.server = subprocess.Popen(command, stdout=log, stderr=log)
        until(self.is_served, "the drive is served", PATIENCE)
        return self

    def text(self):
        """What it has said so far."""
        with open(self.said, encoding="utf-8") as log:
            return log.read()

    def is_served(self):
        """Whether clients can connect."""
        if self.server.poll() is not None:
            raise CannotTry(f"drivelab emulate: {self.text().strip()}")
        return "nbd+unix:" in self.text()

    def __exit__(self, *_):
        self.server.send_signal(signal.SIGINT)
        self.server.wait()


def boot(arguments, place, served):
    """Boots from a drive that is served; gives the seconds until all has started."""
    console = os.path.join(place, "console")
    quietly("rm", "-f", console)
    command = ["qemu-system-x86_64", "-accel", arguments.accelerator, "-m", "768", "-smp", "1"]
    command += ["-display", "none", "-monitor", "none", "-nic", "none", "-no-reboot", "-serial", f"file:{console}"]
    command += ["-drive", f"file=nbd:unix:{served.socket},if=virtio,format=raw,cache=none"]
    begun = time.monotonic()
    machine = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def said():
        if machine.poll() is not None:
            raise CannotTry("QEMU has ended")
        if not os.path.exists(console):
            return None
        with open(console, encoding="utf-8", errors="replace") as file:
            return re.search(rf"{BOOTED} ([0-9.]+)", file.read())

    try:
        until(said, f"{served.drive} boots", PATIENCE)
        took = time.monotonic() - begun
        guest = float(said().group(1))
        time.sleep(arguments.after)
    finally:
        machine.kill()
        machine.wait()
    return took, guest


def answers(arguments, folder):
    """What the drive was asked, with the times of the answers, as text of blkparse."""
    command = [arguments.drivelab, "emulate", "--trace", folder, "--answers"]
    return must(*command).splitlines()


class Request:
    """One that the drive was asked while it booted; times in seconds of the drive's own clock."""

    def __init__(self, fields):
        self.sent = float(fields[3])
        self.done = None
        self.kind = fields[6][0]
        place = fields[7:]
        self.sector, self.sectors = (int(place[0]), int(place[2])) if len(place) > 2 else (0, 0)

    def is_mark(self):
        """Whether it says that all has started."""
        return (self.kind, self.sector, self.sectors) == ("R", MARK, 1)


def requests_of(lines):
    """The requests of a text of blkparse with sends and answers, in order."""
    requests, flying = [], {}
    for line in lines:
        fields = line.split()
        key = tuple(fields[6:10] if len(fields) > 10 else fields[6:7])
        if fields[5] == "D":
            request = Request(fields)
            requests.append(request)
            flying.setdefault(key, []).append(request)
        elif flying.get(key):
            flying[key].pop(0).done = float(fields[3])
    return requests


def on_their_way(requests, end):
    """Seconds up to a moment in which at least one read was on its way."""
    total, busy_until = 0.0, 0.0
    for request in requests:
        if request.kind == "R" and request.done is not None and request.sent < end:
            done = min(request.done, end)
            total += max(0.0, done - max(request.sent, busy_until))
            busy_until = max(busy_until, done)
    return total


def packed(requests, drive, host):
    """What the method os-boot plays: each request with how long after which others it was sent."""
    lines = [
        "# What a Debian 12 asked of its drive while it booted and shortly after, and what waited for what.",
        f"# Recorded by recipes/boot_from_emulated_drives.py on {drive}, from QEMU's own processor (TCG).",
        f"# Packages: those of mmdebstrap's variant important, and {PACKAGES}.",
        "# A line: what (r, w, t, f; m: all has started), us of the host's, steps back to those that it waits for",
        "# (0: the beginning), first sector and sectors of 512 bytes. A request waits for the read that had come back",
        "# last when it was sent; a write and a flush for the last of their own kind as well.",
        f"image {IMAGE_MIB}",
        f"host {round(1e6 * host)}",
    ]
    first = requests[0].sent
    for number, request in enumerate(requests):
        earlier = [(other.done, i) for i, other in enumerate(requests[:number]) if other.done is not None and other.done <= request.sent]
        reads = [found for found in earlier if requests[found[1]].kind == "R"]
        others = [found for found in earlier if requests[found[1]].kind != "R"]
        waits = [max(found) for found in ((reads,) if request.kind == "R" else (reads, others)) if found]
        think = request.sent - max([done for done, _ in waits], default=first)
        back = ",".join(str(number - i) for _, i in waits) or "0"
        kind = "m" if request.is_mark() else {"R": "r", "W": "w", "D": "t", "F": "f"}[request.kind]
        place = "" if kind in "mf" else f" {request.sector} {request.sectors}"
        lines.append(f"{kind} {round(1e6 * think)} {back}{place}")
    return "\n".join(lines) + "\n"


def one(arguments, place, image, drive):
    """Copies the image to one drive, and boots from it."""
    with Served(arguments, place, drive) as served:
        begun = time.monotonic()
        must("nbdcopy", "--flush", image, f"nbd+unix:///?socket={served.socket}")
        copied = time.monotonic() - begun
    before = len(answers(arguments, served.folder))
    with Served(arguments, place, drive) as served:
        took, guest = boot(arguments, place, served)
    requests = requests_of(answers(arguments, served.folder)[before:])
    marks = [request for request in requests if request.is_mark()]
    if not marks:
        raise CannotTry(f"{drive}: the guest has not read the mark")
    end = marks[0].sent
    drives = on_their_way(requests, end)
    if arguments.trace:
        with open(arguments.trace, "w", encoding="utf-8") as file:
            file.write(packed(requests, drive, end - requests[0].sent - drives))
    if not arguments.keep:
        shutil.rmtree(served.folder)
    asked = {kind: [request for request in requests if request.kind == kind and request.sent <= end] for kind in "RWF"}
    late = [line.strip() for line in served.text().splitlines() if "after the drive's own time" in line]
    return {
        "drive": drive,
        "copied_s": round(copied, 1),
        "boot_s": round(took, 2),
        "guest_uptime_s": guest,
        "reads_on_their_way_s": round(drives, 3),
        "host_alone_s": round(took - drives, 2),
        "reads": len(asked["R"]),
        "read_mb": round(sum(request.sectors for request in asked["R"]) * 512 / 1e6, 1),
        "writes": len(asked["W"]),
        "written_mb": round(sum(request.sectors for request in asked["W"]) * 512 / 1e6, 1),
        "flushes": len(asked["F"]),
        "late": late[-1] if late else "",
    }


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--drivelab", default="drivelab", help="the program")
    parser.add_argument("--drive", action="append", help="boot from this one [default: eleven drives of 2009 to 2011]")
    parser.add_argument("--accelerator", choices=["tcg", "kvm"], default="tcg", help="tcg runs everywhere, and makes the host's part some times longer")
    parser.add_argument("--after", type=float, default=10.0, help="seconds that the guest runs on")
    parser.add_argument("--mirror", default=MIRROR)
    parser.add_argument("--root", help="a root that mmdebstrap made [default: it is made]")
    parser.add_argument("--image", help="a disk image that boots, and says so [default: it is made]")
    parser.add_argument("--trace", help="write what the last drive was asked to this file, as os-boot plays it")
    parser.add_argument("--keep", action="store_true", help="leave the drives' folders")
    parser.add_argument("--folder", help="where the drives' files go [default: a temporary folder]")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("root is needed to make the image", file=sys.stderr)
        return 2
    found, failed = [], []
    with tempfile.TemporaryDirectory(dir=None if arguments.keep else arguments.folder) as temporary:
        place = arguments.folder if arguments.keep and arguments.folder else temporary
        os.makedirs(place, exist_ok=True)
        try:
            image = make_image(arguments, place)
        except (CannotTry, OSError) as why:
            print(why, file=sys.stderr)
            return 2
        for drive in arguments.drive or DRIVES:
            try:
                found.append(one(arguments, place, image, drive))
                print(json.dumps(found[-1]), file=sys.stderr)
            except (CannotTry, OSError) as why:
                failed.append({"drive": drive, "why": str(why)})
                print(why, file=sys.stderr)
    told = {"accelerator": arguments.accelerator, "drives": found, "failed": failed}
    print(json.dumps(told, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
