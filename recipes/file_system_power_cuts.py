#!/usr/bin/env python3
"""A file system on an emulated drive whose power fails at random moments.

Each round serves the drive (drivelab emulate), makes it a block device (nbdfuse and a loop device), mounts the file system
on it, and checks that every file whose writing was ever acknowledged is whole: new files that were flushed with their
folder, files that were replaced by renaming, and a journal that is appended to. Then it goes on writing such files, each
noted outside of the drive once fsync has returned, until the power is cut. When a drive has been through --each power
cuts, the file system is taken off and checked by its own program, and a new drive is taken.

    sudo python3 recipes/file_system_power_cuts.py --cuts 50
    sudo python3 recipes/file_system_power_cuts.py --file-system xfs --drive model:solidigm-670p-1tb
    sudo python3 recipes/file_system_power_cuts.py --ignore-flushes

It needs root, /dev/fuse, loop devices, nbdfuse (Debian: libnbd-bin), and the file system's own tools. Prints one JSON
object. Exit: 0 nothing was lost, 1 something was, 2 it could not be tried.
"""

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import threading

from database_power_cuts import FILE_SYSTEMS, CannotTry, Drive, must, quietly

# What looks a file system over without changing it.
CHECKS = {
    "ext4": ["e2fsck", "-f", "-n"],
    "xfs": ["xfs_repair", "-n"],
    "btrfs": ["btrfs", "check", "--readonly"],
}
LARGEST = 96 * 1024
# Of a journal's record: its number, and bytes that follow from it.
RECORD = 512
SLOTS = 24


def content(number):
    """The bytes of the file of a number, which say whether they are whole."""
    drawn = random.Random(number)
    length = drawn.choice([0, 100, 4096, drawn.randrange(1, LARGEST)])
    return drawn.randbytes(length)


def record(number):
    """A record of the journal."""
    head = number.to_bytes(8, "big")
    return head + hashlib.shake_128(head).digest(RECORD - 8)


def flushed(path, data, flags):
    """Writes a file, and returns when it is on stable storage."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o600)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(file, view):]
        os.fsync(file)
    finally:
        os.close(file)


def folder_flushed(path):
    """Returns when the names in a folder are on stable storage."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


class Files:
    """What was acknowledged, and what may be there."""

    def __init__(self, root):
        self.root = root
        self.new = []
        # By slot: the acknowledged number, and one that was on its way when the power failed.
        self.replaced = {}
        self.on_its_way = {}
        self.records = 0
        self.acknowledged = 0

    def path(self, name):
        """A file's path."""
        return os.path.join(self.root, name)

    def write_one(self, number):
        """Writes something, and notes it when it is acknowledged."""
        kind = number % 3
        if kind == 0:
            flushed(self.path(f"new-{number}"), content(number), os.O_TRUNC)
            folder_flushed(self.root)
            self.new.append(number)
        elif kind == 1:
            slot = number % SLOTS
            self.on_its_way[slot] = number
            flushed(self.path("temporary"), content(number), os.O_TRUNC)
            os.rename(self.path("temporary"), self.path(f"slot-{slot}"))
            folder_flushed(self.root)
            self.replaced[slot] = number
            del self.on_its_way[slot]
        else:
            flushed(self.path("journal"), record(self.records), os.O_APPEND)
            if self.records == 0:
                folder_flushed(self.root)
            self.records += 1
        self.acknowledged += 1

    def read(self, name):
        """A file's bytes, or none where it cannot be read."""
        try:
            with open(self.path(name), "rb") as file:
                return file.read()
        except OSError:
            return None

    def missing(self):
        """What was acknowledged and is not whole; and takes what stands there as the new beginning."""
        lost = [f"new-{number}" for number in self.new if self.read(f"new-{number}") != content(number)]
        for slot, number in list(self.replaced.items()):
            found = self.read(f"slot-{slot}")
            later = self.on_its_way.get(slot)
            if later is not None and found == content(later):
                self.replaced[slot] = later
            elif found != content(number):
                lost.append(f"slot-{slot}")
        self.on_its_way.clear()
        there = self.read("journal") or b""
        whole = 0
        while there[whole * RECORD:(whole + 1) * RECORD] == record(whole):
            whole += 1
        if whole < self.records:
            lost.append(f"{self.records - whole} records")
        elif len(there) != self.records * RECORD:
            # A record that nobody was told of: it may be there, in part or whole.
            with open(self.path("journal"), "r+b") as file:
                file.truncate(self.records * RECORD)
                os.fsync(file.fileno())
        for number in self.new[:-40]:
            os.unlink(self.path(f"new-{number}"))
        self.new = self.new[-40:]
        return lost


def work(arguments, drive, files, number):
    """Writes until the power fails; gives the first number that was not tried."""
    cutter = threading.Timer(random.uniform(0.02, arguments.seconds), drive.server.kill)
    cutter.start()
    try:
        while True:
            number += 1
            files.write_one(number)
    except OSError:
        pass
    cutter.join()
    drive.server.wait()
    return number


def take_away(drive):
    """Unmounts what has lost its drive, and waits until it is gone."""
    drive.fuse.kill()
    quietly("umount", drive.mount_point)
    drive.take_away()


def looked_over(arguments, drive):
    """What the file system's own program finds, after a clean end; nothing where all is well."""
    must("umount", drive.mount_point)
    done = subprocess.run([*CHECKS[arguments.file_system], drive.loop], capture_output=True, text=True, check=False)
    drive.take_away()
    drive.switch_off()
    return "" if done.returncode == 0 else (done.stdout + done.stderr).strip()[-400:]


def missing_when_served(drive, files, cut):
    """Serves the drive and mounts it; gives what is missing, all of it where it cannot be mounted any more."""
    try:
        drive.serve(first=cut == 0)
    except CannotTry as why:
        if cut > 0 and str(why).startswith("mount "):
            return [str(why)[:200]]
        raise
    return files.missing() if cut > 0 else []


def one_drive(arguments, place, cuts, found):
    """So many power cuts of one new drive."""
    drive = Drive(arguments, place)
    files, number = Files(drive.mount_point), 0
    try:
        for cut in range(cuts + 1):
            found["power_cuts"] += int(cut > 0)
            lost = missing_when_served(drive, files, cut)
            if lost:
                found["lost"].append({"cut": found["power_cuts"], "files": lost[:5], "drive": drive.lost()})
                return
            found["recovered"] += int(cut > 0)
            found["lossy_cuts"] += int("lost 0 B" not in drive.lost() and cut > 0)
            if cut < cuts:
                number = work(arguments, drive, files, number)
                take_away(drive)
        wrong = looked_over(arguments, drive)
        if wrong:
            found["lost"].append({"cut": found["power_cuts"], "check": wrong})
    finally:
        found["acknowledged"] += files.acknowledged
        drive.take_away()
        drive.switch_off()


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--drivelab", default="drivelab", help="the program")
    parser.add_argument("--drive", default="model:samsung-840-evo-250gb")
    parser.add_argument("--file-system", choices=sorted(FILE_SYSTEMS), default="ext4")
    parser.add_argument("--cuts", type=int, default=50)
    parser.add_argument("--each", type=int, default=25, help="power cuts of one drive, before a new one is taken")
    parser.add_argument("--seconds", type=float, default=0.5, help="longest time until a cut")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ignore-flushes", action="store_true")
    parser.add_argument("--folder", help="where the drive's files go [default: a temporary folder]")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("root is needed to mount", file=sys.stderr)
        return 2
    random.seed(arguments.seed)
    found = {
        "drive": arguments.drive,
        "file_system": arguments.file_system,
        "honours_flushes": not arguments.ignore_flushes,
        "power_cuts": 0,
        "recovered": 0,
        "lossy_cuts": 0,
        "acknowledged": 0,
        "lost": [],
    }
    while found["power_cuts"] < arguments.cuts and not found["lost"]:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as place:
            try:
                one_drive(arguments, place, min(arguments.each, arguments.cuts - found["power_cuts"]), found)
            except (CannotTry, OSError) as why:
                print(why, file=sys.stderr)
                return 2
    print(json.dumps(found, indent=1))
    return 1 if found["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
