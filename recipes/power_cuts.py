#!/usr/bin/env python3
"""Databases and files on emulated drives whose power fails at random moments.

Each life of a drive serves it (drivelab emulate), makes it a block device (nbdfuse and a loop device), mounts the file
system on it, and starts a load (power_cut_loads.py): a database, or files. The load looks whether all is there that was
ever acknowledged, commits number after number, and says each when it was acknowledged, until the power is cut. When a drive
has been through --each power cuts, the file system is taken off and checked by its own program, and a new drive is taken.
A drive that honours flushes loses nothing acknowledged; one that lies about them (--ignore-flushes) is caught.

    sudo python3 recipes/power_cuts.py                        # every load: nothing is lost, then the lie is caught
    sudo python3 recipes/power_cuts.py --load sqlite --load postgresql --cuts 50 --lying-cuts 0
    sudo python3 recipes/power_cuts.py --load files --file-system xfs --drive model:solidigm-670p-1tb
    sudo python3 recipes/power_cuts.py --load files --cuts 0 --lying-cuts 30

It needs root, /dev/fuse, loop devices, nbdfuse (Debian: libnbd-bin), the file system's own tools, and what a load is made
of (`blocks` needs none of these); a load that is not installed is said to be skipped. Prints a line of JSON for each load, on an honest drive and on one
that lies. Exit: 0 all was as it must be, 1 something acknowledged was lost or a lie was not caught, 2 it could not be tried.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from power_cut_loads import LOADS

PATIENCE = 60.0
# How each file system is made, mounted (a copy that lost its drive may still be there for a moment), and looked over.
FILE_SYSTEMS = {
    "ext4": (["mkfs.ext4", "-q"], "discard", ["e2fsck", "-f", "-n"]),
    "xfs": (["mkfs.xfs", "-q", "-f"], "discard,nouuid", ["xfs_repair", "-n"]),
    "btrfs": (["mkfs.btrfs", "-q", "-f"], "discard=async", ["btrfs", "check", "--readonly"]),
}


class CannotTry(Exception):
    """Something that the recipe needs is missing, or did not start."""


class Lost(Exception):
    """Something that was acknowledged is not there."""


def quietly(*command):
    """Runs a command whose failure does not matter."""
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def must(*command):
    """Runs a command, and gives what it prints."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as missing:
        raise CannotTry(f"{missing.filename} is missing") from missing
    if done.returncode != 0:
        raise CannotTry(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout.strip()


def until(condition, what):
    """Waits for something that happens soon."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise CannotTry(f"{what}: not within {PATIENCE:.0f} s")
        time.sleep(0.02)


class Drive:
    """An emulated drive, as a mounted block device."""

    def __init__(self, arguments, place, lies):
        self.arguments, self.lies = arguments, lies
        self.folder, self.socket, self.file, self.mount_point, self.log = (
            os.path.join(place, name) for name in ("drive", "socket", "device", "mounted", "served")
        )
        self.server = self.fuse = self.loop = None
        os.makedirs(self.mount_point)

    def serve(self):
        """Switches the drive on."""
        command = [self.arguments.drivelab, "emulate", self.arguments.drive, "--keep", self.folder]
        command += ["--nbd", f"unix:{self.socket}", "--seed", str(self.arguments.seed)]
        with open(self.log, "w", encoding="utf-8") as log:
            self.server = subprocess.Popen(command + ["--ignore-flushes"] * self.lies, stderr=log, stdout=log)
        until(self.is_served, "the drive is served")

    def is_served(self):
        """Whether clients can connect."""
        with open(self.log, encoding="utf-8") as log:
            said = log.read()
        if self.server.poll() is not None:
            raise CannotTry(f"drivelab emulate: {said.strip()}")
        return "nbd+unix:" in said

    def mount(self, is_new):
        """Makes it a block device with a file system, which is mounted."""
        open(self.file, "a", encoding="utf-8").close()
        uri = f"nbd+unix:///?socket={self.socket}"
        try:
            self.fuse = subprocess.Popen(["nbdfuse", self.file, uri], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        except FileNotFoundError as missing:
            raise CannotTry("nbdfuse is missing (Debian: libnbd-bin)") from missing
        until(lambda: os.path.getsize(self.file) > 0, "nbdfuse shows the drive")
        self.loop = must("losetup", "--find", "--show", self.file)
        make, options, _ = FILE_SYSTEMS[self.arguments.file_system]
        if is_new:
            must(*make, self.loop)
        try:
            must("mount", "-t", self.arguments.file_system, "-o", options, self.loop, self.mount_point)
        except CannotTry as why:
            raise why if is_new else Lost(str(why)) from why

    def lost(self):
        """What the drive says that the last power cut took."""
        with open(self.log, encoding="utf-8") as log:
            lines = [line.strip() for line in log if "power cut" in line]
        return lines[0] if lines else ""

    def take_away(self):
        """Unmounts what has lost its drive, or is to lose it."""
        if self.fuse is not None:
            self.fuse.kill()
            self.fuse.wait()
        quietly("umount", self.mount_point)
        quietly("umount", "--lazy", self.mount_point)
        if self.loop:
            quietly("losetup", "--detach", self.loop)
        quietly("umount", "--lazy", self.file)
        self.loop = self.fuse = None

    def looked_over(self):
        """Looks the file system over with its own program, after a clean end."""
        # What was killed may still have it for a moment.
        until(lambda: not os.path.ismount(self.mount_point) or quietly("umount", self.mount_point), "it is unmounted")
        check = FILE_SYSTEMS[self.arguments.file_system][2]
        done = subprocess.run([*check, self.loop], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Lost(f"{check[0]}: {(done.stdout + done.stderr).strip()[-300:]}")

    def switch_off(self):
        """Switches it off."""
        if self.server is not None and self.server.poll() is None:
            self.server.send_signal(signal.SIGINT)
            self.server.wait()


class Life:
    """A load at work, until it is ended."""

    def __init__(self, name, place, acknowledged, log):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "power_cut_loads.py")
        command = [sys.executable, "-B", program, name, place, str(acknowledged)]
        with open(log, "a", encoding="utf-8") as said:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, start_new_session=True)
        self.acknowledged, self.place = acknowledged, place

    def begins(self, is_new):
        """Waits until it has looked at what is there."""
        said = self.process.stdout.readline().strip()
        if said.startswith("missing "):
            raise CannotTry(said)
        if not said.isdigit():
            why = said.removeprefix("lost ") or "the load ended before it had looked at what is there"
            raise CannotTry(why) if is_new else Lost(why)
        self.acknowledged = int(said)

    def goes_on(self):
        """Takes note of what is acknowledged, until it has ended."""
        for said in self.process.stdout:
            if said.strip().isdigit():
                self.acknowledged = int(said)
        self.process.wait()

    def end(self):
        """Ends it with all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        # Of a server's own processes some end by themselves, some time later.
        until(lambda: not self.others_end(), "the load's processes end")

    def others_end(self):
        """Ends what still works at the load's place; true where there was something."""
        found = False
        for process in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{process}/cwd").startswith(f"{self.place}/"):
                    os.kill(int(process), signal.SIGKILL)
                    found = True
        return found


class Trial:
    """A load on one drive after another."""

    def __init__(self, arguments, name, lies):
        self.arguments, self.name, self.lies = arguments, name, lies
        self.cuts = arguments.lying_cuts if lies else arguments.cuts
        self.drawn = random.Random(f"{arguments.seed} {name} {lies}")
        self.found = {"load": name, "drive": arguments.drive, "file_system": arguments.file_system}
        if name == "blocks":
            del self.found["file_system"]
        self.found |= {"honours_flushes": not lies, "power_cuts": 0, "lossy_cuts": 0, "acknowledged": 0, "lost": []}

    def run(self):
        """All power cuts, or until something is lost; gives what was found."""
        while self.found["power_cuts"] < self.cuts and not self.found["lost"]:
            with tempfile.TemporaryDirectory(dir=self.arguments.folder) as place:
                os.chmod(place, 0o755)
                drive = Drive(self.arguments, place, self.lies)
                try:
                    self.one_drive(drive)
                except Lost as why:
                    self.found["lost"].append({"cut": self.found["power_cuts"], "what": str(why), "drive": drive.lost()})
                finally:
                    drive.take_away()
                    drive.switch_off()
                if self.found["lost"] and self.arguments.keep and not self.lies:
                    os.makedirs(self.arguments.keep, exist_ok=True)
                    quietly("cp", "--archive", "--sparse=always", place, self.arguments.keep)
        return self.found

    def one_drive(self, drive):
        """So many power cuts of one new drive."""
        cuts = min(self.arguments.each, self.cuts - self.found["power_cuts"])
        acknowledged = 0
        for cut in range(cuts + 1):
            drive.serve()
            place = drive.socket
            if self.name != "blocks":
                drive.mount(is_new=cut == 0)
                place = drive.mount_point
            self.found["lossy_cuts"] += int(cut > 0 and "lost 0 B" not in drive.lost())
            life = Life(self.name, place, acknowledged, f"{drive.log}.load")
            try:
                life.begins(is_new=cut == 0)
                self.found["acknowledged"] += max(life.acknowledged - acknowledged, 0)
                acknowledged = life.acknowledged
                if cut == cuts:
                    break
                self.until_the_power_fails(drive, life)
                self.found["acknowledged"] += life.acknowledged - acknowledged
                acknowledged = life.acknowledged
            finally:
                life.end()
            drive.take_away()
        if self.name != "blocks":
            drive.looked_over()

    def until_the_power_fails(self, drive, life):
        """Has it work until the power fails."""
        # What waits for a drive that is gone may wait for ever.
        cutter = threading.Timer(self.drawn.uniform(0.02, self.arguments.seconds), drive.server.kill)
        ender = threading.Timer(self.arguments.seconds + 2, life.end)
        cutter.start()
        ender.start()
        life.goes_on()
        ender.cancel()
        cutter.join()
        drive.server.wait()
        self.found["power_cuts"] += 1


def tried(arguments, name, lies):
    """Tries a load, and says what came of it; false where it is not what it must be, none where it could not be tried."""
    try:
        if os.geteuid() != 0 and name != "blocks":
            raise CannotTry("root is needed to mount")
        found = Trial(arguments, name, lies).run()
    except (CannotTry, OSError) as why:
        print(f"skipped: {name}: {why}", file=sys.stderr, flush=True)
        return None
    print(json.dumps(found), flush=True)
    return bool(found["lost"]) == lies


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--drivelab", default="drivelab", help="the program")
    parser.add_argument("--load", action="append", choices=LOADS, help="what is run on the drive [default: each in turn]")
    parser.add_argument("--drive", default="model:samsung-840-evo-250gb")
    parser.add_argument("--file-system", choices=FILE_SYSTEMS, default="ext4")
    parser.add_argument("--cuts", type=int, default=10, help="power cuts of honest drives")
    parser.add_argument("--lying-cuts", type=int, default=30, help="most power cuts until a drive that lies is caught")
    parser.add_argument("--each", type=int, default=25, help="power cuts of one drive, before a new one is taken")
    parser.add_argument("--seconds", type=float, default=0.7, help="longest time until a cut")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help="where the drives' files go [default: a temporary folder]")
    parser.add_argument("--keep", help="where the files of a drive go on which something was lost [default: nowhere]")
    arguments = parser.parse_args()
    results = []
    for name in arguments.load or LOADS:
        results += [tried(arguments, name, lies) for lies in (False, True) if (arguments.lying_cuts if lies else arguments.cuts)]
    if False in results:
        return 1
    return 0 if True in results else 2


if __name__ == "__main__":
    sys.exit(main())
