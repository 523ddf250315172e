#!/usr/bin/env python3
"""A database on an emulated drive whose power fails at random moments.

Each round serves the drive (drivelab emulate), makes it a block device (nbdfuse and a loop device), mounts the ext4
on it, opens the database, and checks that every commit that was ever acknowledged is there. Then rows are committed
one by one, each noted outside of the drive once it was acknowledged, until the power is cut. A drive that honours
flushes loses no acknowledged commit; one that lies about them (--ignore-flushes) is caught.

    python3 recipes/database_power_cuts.py --drive model:samsung-840-evo-250gb --cuts 50
    python3 recipes/database_power_cuts.py --database postgresql --cuts 50
    python3 recipes/database_power_cuts.py --ignore-flushes

It needs root, /dev/fuse, loop devices, nbdfuse (Debian: libnbd-bin), e2fsprogs; for PostgreSQL its server. Prints one
JSON object. Exit: 0 nothing was lost, 1 something was, 2 it could not be tried.
"""

import argparse
import contextlib
import glob
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

PATIENCE = 60.0

# How each file system is made, and mounted: a copy that lost its drive may still be there for a moment.
FILE_SYSTEMS = {
    "ext4": (["mkfs.ext4", "-q"], []),
    "xfs": (["mkfs.xfs", "-q", "-f"], ["-o", "nouuid"]),
    "btrfs": (["mkfs.btrfs", "-q", "-f"], []),
}


class CannotTry(Exception):
    """Something that the recipe needs is missing, or did not start."""


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
    """The emulated drive, as a mounted block device."""

    def __init__(self, arguments, place):
        self.arguments = arguments
        self.place = place
        self.folder = os.path.join(place, "drive")
        self.socket = os.path.join(place, "socket")
        self.file = os.path.join(place, "device")
        self.mount_point = os.path.join(place, "mounted")
        self.log = os.path.join(place, "served")
        self.server = self.fuse = self.loop = None
        os.makedirs(self.mount_point)

    def serve(self, first):
        command = [self.arguments.drivelab, "emulate", self.arguments.drive, "--keep", self.folder]
        command += ["--nbd", f"unix:{self.socket}", "--seed", str(self.arguments.seed)]
        if self.arguments.ignore_flushes:
            command.append("--ignore-flushes")
        with open(self.log, "w", encoding="utf-8") as log:
            self.server = subprocess.Popen(command, stderr=log, stdout=log)
        until(self.is_served, "the drive is served")
        open(self.file, "a", encoding="utf-8").close()
        uri = f"nbd+unix:///?socket={self.socket}"
        self.fuse = subprocess.Popen(
            ["nbdfuse", self.file, uri], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        until(lambda: os.path.getsize(self.file) > 0, "nbdfuse shows the drive")
        self.loop = must("losetup", "--find", "--show", self.file)
        file_system = getattr(self.arguments, "file_system", "ext4")
        make, options = FILE_SYSTEMS[file_system]
        if first:
            must(*make, self.loop)
        must("mount", "-t", file_system, *options, self.loop, self.mount_point)

    def is_served(self):
        with open(self.log, encoding="utf-8") as log:
            said = log.read()
        if self.server.poll() is not None:
            raise CannotTry(f"drivelab emulate: {said.strip()}")
        return "nbd+unix:" in said

    def lost(self):
        """What the drive says that the last power cut took."""
        with open(self.log, encoding="utf-8") as log:
            lines = [line for line in log if "power cut" in line]
        return lines[0].strip() if lines else ""

    def power_cut(self):
        must(self.arguments.drivelab, "emulate", "--power-cut", self.folder)
        self.server.wait()

    def switch_off(self):
        if self.server is not None and self.server.poll() is None:
            self.server.send_signal(signal.SIGINT)
            self.server.wait()

    def take_away(self):
        quietly("umount", "--lazy", self.mount_point)
        if self.loop:
            quietly("losetup", "--detach", self.loop)
        quietly("umount", "--lazy", self.file)
        if self.fuse is not None:
            self.fuse.kill()
            self.fuse.wait()
        self.loop = self.fuse = None


class Sqlite:
    """SQLite with a write-ahead log that is flushed with each commit."""

    def __init__(self, drive):
        self.path = os.path.join(drive.mount_point, "commits.db")
        self.connection = None

    def open(self):
        self.connection = sqlite3.connect(self.path, isolation_level=None, timeout=PATIENCE)
        self.connection.execute("pragma journal_mode = wal")
        self.connection.execute("pragma synchronous = full")
        self.connection.execute("create table if not exists commits (number integer primary key)")

    def is_whole(self):
        return self.connection.execute("pragma integrity_check").fetchone() == ("ok",)

    def numbers(self):
        return {row[0] for row in self.connection.execute("select number from commits")}

    def commit(self, number):
        self.connection.execute("insert into commits values (?)", (number,))

    def leave(self):
        with contextlib.suppress(sqlite3.Error):
            self.connection.close()


class Postgresql:
    """A PostgreSQL server of its own on the drive, asked through psql."""

    def __init__(self, drive):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not found:
            raise CannotTry("PostgreSQL's server is missing (Debian: postgresql)")
        self.programs = found[-1]
        self.data = os.path.join(drive.mount_point, "data")
        self.sockets = os.path.join(drive.place, "postgresql")
        self.client = self.server = None
        self.log = os.path.join(drive.place, "postgresql.log")
        os.makedirs(self.sockets, exist_ok=True)
        shutil.chown(self.sockets, "postgres")

    def open(self):
        if not os.path.exists(os.path.join(self.data, "PG_VERSION")):
            shutil.rmtree(self.data, ignore_errors=True)
            os.makedirs(self.data)
            shutil.chown(self.data, "postgres")
            initdb = os.path.join(self.programs, "initdb")
            made = [initdb, "-D", self.data, "--auth=trust"]
            subprocess.run(made, user="postgres", check=True, stdout=subprocess.DEVNULL)
            quietly("sync", "--file-system", self.data)
        server = os.path.join(self.programs, "postgres")
        options = ["-D", self.data, "-k", self.sockets, "-c", "listen_addresses="]
        with open(self.log, "a", encoding="utf-8") as log:
            self.server = subprocess.Popen(
                [server, *options], user="postgres", stdout=log, stderr=log, start_new_session=True
            )
        ready = os.path.join(self.programs, "pg_isready")
        until(lambda: subprocess.run([ready, "-q", "-h", self.sockets], check=False).returncode == 0, "PostgreSQL is ready")
        psql = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.sockets, "-U", "postgres"]
        self.client = subprocess.Popen(
            psql, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.ask("create table if not exists commits (number bigint primary key)")

    def ask(self, statement):
        """Runs a statement to its end, and gives its rows."""
        self.client.stdin.write(f"{statement};\n\\echo done\n")
        self.client.stdin.flush()
        rows = []
        while True:
            line = self.client.stdout.readline()
            if not line:
                raise OSError("the server is gone")
            if line.strip() == "done":
                return rows
            rows.append(line.strip())

    def is_whole(self):
        return len(self.ask("select count(*) from commits")) == 1

    def numbers(self):
        return {int(row) for row in self.ask("select number from commits")}

    def commit(self, number):
        self.ask(f"insert into commits values ({number})")

    def leave(self):
        for process in (self.client, self.server):
            if process is not None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                process.wait()
        # Its children see that it has gone, and leave the drive.
        time.sleep(0.2)


DATABASES = {"sqlite": Sqlite, "postgresql": Postgresql}


def work(arguments, drive, database, number, acknowledged, times):
    """Commits until the power fails; gives the first number that was not tried."""
    cutter = subprocess.Popen(
        [sys.executable, "-c", "import sys, time, subprocess; time.sleep(float(sys.argv[1])); subprocess.run(sys.argv[2:])",
         str(random.uniform(0.2, arguments.seconds)), arguments.drivelab, "emulate", "--power-cut", drive.folder],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        while True:
            number += 1
            begun = time.monotonic()
            database.commit(number)
            times.append(time.monotonic() - begun)
            acknowledged.add(number)
    except (OSError, sqlite3.Error):
        pass
    cutter.wait()
    drive.server.wait()
    return number


def rounds(arguments, place):
    """All power cuts; gives what was found."""
    random.seed(arguments.seed)
    drive = Drive(arguments, place)
    acknowledged, times, lost, broken, number = set(), [], [], 0, 0
    recovered = 0
    try:
        for cut in range(arguments.cuts + 1):
            drive.serve(first=cut == 0)
            database = DATABASES[arguments.database](drive)
            try:
                database.open()
                there = database.numbers()
                missing = acknowledged - there
                whole = database.is_whole()
            except (OSError, sqlite3.Error, CannotTry):
                if cut == 0:
                    raise
                missing, whole = acknowledged, False
            if cut > 0:
                recovered += int(whole and not missing)
                broken += int(not whole)
            if missing or not whole:
                lost.append({"cut": cut, "commits": len(missing), "whole": whole, "drive": drive.lost()})
                database.leave()
                break
            if cut < arguments.cuts:
                number = work(arguments, drive, database, number, acknowledged, times)
            database.leave()
            drive.take_away()
    finally:
        drive.take_away()
        drive.switch_off()
    times.sort()
    return {
        "drive": arguments.drive,
        "database": arguments.database,
        "honours_flushes": not arguments.ignore_flushes,
        "power_cuts": cut,
        "recovered": recovered,
        "acknowledged_commits": len(acknowledged),
        "commits_per_second": round(len(times) / sum(times), 1) if times else None,
        "commit_p99_ms": round(1000 * times[int(0.99 * (len(times) - 1))], 3) if times else None,
        "lost": lost,
    }


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--drivelab", default="drivelab", help="the program")
    parser.add_argument("--drive", default="model:samsung-840-evo-250gb")
    parser.add_argument("--database", choices=sorted(DATABASES), default="sqlite")
    parser.add_argument("--cuts", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=2.0, help="longest time until a cut")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ignore-flushes", action="store_true")
    parser.add_argument("--folder", help="where the drive's files go [default: a temporary folder]")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("root is needed to mount", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(dir=arguments.folder) as place:
        os.chmod(place, 0o755)
        try:
            found = rounds(arguments, place)
        except (CannotTry, OSError, subprocess.CalledProcessError) as why:
            print(why, file=sys.stderr)
            return 2
    print(json.dumps(found, indent=1))
    return 1 if found["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
