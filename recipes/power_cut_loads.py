#!/usr/bin/env python3
"""What power_cuts.py has running on a drive: databases, files, and plain blocks, each a small class and a line in LOADS.

    python3 recipes/power_cut_loads.py NAME PLACE ACKNOWLEDGED

opens the load at a place (a mounted folder; of `blocks` the drive's socket), looks whether all is there that was
acknowledged up to this number, and prints the number that it found. Then it commits number after number, and prints each
when it may be relied on, until something fails or it is killed. What is lost it says in a line that begins with `lost`,
what it needs and is missing in one that begins with `missing`; both end it.

Number n stands in slot n % SLOTS, with bytes that follow from it: so each slot says which number it has, and all of them
whether a number is missing between.
"""

import base64
import ctypes
import ctypes.util
import glob
import hashlib
import http.client
import itertools
import json
import os
import pathlib
import random
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import time

SLOTS = 64
PATIENCE = 60.0


class Missing(Exception):
    """Something that a load needs is not installed."""


class Lost(Exception):
    """Something that was acknowledged is not there."""


def text(number):
    """What stands in a number's slot."""
    drawn = random.Random(number)
    return f"{number} {drawn.randbytes(drawn.choice([10, 100, 2000])).hex()}"


def program(name, package):
    """The path of a program."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    found = found or next(iter(sorted(glob.glob(f"/usr/lib/*/*/bin/{name}"), reverse=True)), None)
    if not found:
        raise Missing(f"{name} (Debian: {package})")
    return found


def library(name, package):
    """A library, whose functions give addresses and take whatever they are given."""
    found = ctypes.util.find_library(name)
    if not found:
        raise Missing(f"lib{name} (Debian: {package})")
    return ctypes.CDLL(found)


def free_port():
    """A port that nobody listens at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Database:
    """Slots that hold texts: what each database does with them is its own."""

    def __init__(self, place):
        self.place = place

    def last(self, acknowledged):
        """The newest number, where none before it is missing."""
        found = [found for slot in range(SLOTS) if (found := self.get(slot)) is not None]
        numbers = sorted(int(found.split()[0]) for found in found)
        last = numbers[-1] if numbers else 0
        if last < acknowledged:
            raise Lost(f"numbers {last + 1} to {acknowledged}")
        if numbers != list(range(max(1, last - SLOTS + 1), last + 1)):
            raise Lost(f"some of the numbers up to {last}: {numbers}")
        if any(found != text(int(found.split()[0])) for found in found):
            raise Lost("bytes of a row")
        return last

    def commit(self, number):
        """Commits a number; true where all up to it may be relied on."""
        self.put(number % SLOTS, text(number))
        return True


class Sqlite(Database):
    """SQLite with its rollback journal: the folder is flushed, too, after the journal is deleted (`extra`)."""

    settings = ("journal_mode = delete", "synchronous = extra")

    def open(self):
        """Opens it, and looks it over."""
        self.connection = sqlite3.connect(os.path.join(self.place, "slots.db"), isolation_level=None)
        for setting in self.settings:
            self.connection.execute(f"pragma {setting}")
        self.connection.execute("create table if not exists slots (slot integer primary key, text)")
        found = self.connection.execute("pragma integrity_check").fetchone()[0]
        if found != "ok":
            raise Lost(f"the database's integrity: {found}")

    def get(self, slot):
        """The text of a slot."""
        found = self.connection.execute("select text from slots where slot = ?", (slot,)).fetchone()
        return found and found[0]

    def put(self, slot, what):
        """Commits a text."""
        self.connection.execute("insert or replace into slots values (?, ?)", (slot, what))


class SqliteWal(Sqlite):
    """SQLite with a write-ahead log that is flushed at each commit."""

    settings = ("journal_mode = wal", "synchronous = full")


class SqliteWalNormal(Sqlite):
    """The same, flushed at checkpoints alone: commits since then may be gone, from the last one on, and no others."""

    settings = ("journal_mode = wal", "synchronous = normal")

    def commit(self, number):
        """Commits a number; a checkpoint follows two of ten, the second of which has little to write."""
        super().commit(number)
        if number % 10 > 1:
            return False
        return self.connection.execute("pragma wal_checkpoint(full)").fetchone()[0] == 0


class SqlServer(Database):
    """A server of its own on the drive, asked through its client's program."""

    def started(self, server, client, user):
        """Starts the server, and the client as often as it takes until it is answered."""
        server = subprocess.Popen(server, stdout=sys.stderr, user=user)
        end = time.monotonic() + PATIENCE
        while True:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            self.client = subprocess.Popen(client, **pipes)
            try:
                self.ask("create table if not exists slots (slot bigint primary key, words text)")
                return
            except OSError as why:
                if server.poll() is not None or time.monotonic() > end:
                    raise OSError("the server does not start") from why
            self.client.wait()
            time.sleep(0.1)

    def ask(self, statement):
        """Runs a statement to its end, and gives its rows."""
        self.client.stdin.write(f"{statement};\nselect 'done';\n")
        self.client.stdin.flush()
        rows = []
        for row in iter(self.client.stdout.readline, ""):
            if row == "done\n":
                return rows
            rows.append(row.strip())
        raise OSError("the server is gone")

    def get(self, slot):
        """The text of a slot."""
        rows = self.ask(f"select words from slots where slot = {slot}")
        return rows[0] if rows else None

    def folder(self, name, user):
        """A folder of that user, which is made or begun again; true where it has to be filled."""
        self.data = os.path.join(self.place, name)
        if os.path.exists(f"{self.data}/made"):
            return False
        shutil.rmtree(self.data, ignore_errors=True)
        os.makedirs(self.data)
        shutil.chown(self.data, user)
        return True

    def made(self):
        """The folder is filled, and on stable storage."""
        pathlib.Path(f"{self.data}/made").touch()
        os.sync()


class Postgresql(SqlServer):
    """PostgreSQL as it is set up, with little memory."""

    def open(self):
        """Makes the server's folder where there is none, and starts it."""
        server = program("postgres", "postgresql")
        if self.folder("postgresql", "postgres"):
            made = [program("initdb", "postgresql"), "-D", self.data, "--auth=trust", "--wal-segsize=1"]
            subprocess.run(made, user="postgres", check=True, stdout=sys.stderr)
            self.made()
        # A computer that was off has no process of that number any more; here it may not have been laid to rest yet.
        pathlib.Path(f"{self.data}/postmaster.pid").unlink(missing_ok=True)
        sockets = f"{self.place}-sockets"
        shutil.rmtree(sockets, ignore_errors=True)
        os.makedirs(sockets)
        shutil.chown(sockets, "postgres")
        options = ["-D", self.data, "-k", sockets]
        for setting in ("listen_addresses=", "shared_buffers=16MB", "max_connections=10", "min_wal_size=2MB"):
            options += ["-c", setting]
        client = [program("psql", "postgresql-client"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", sockets, "-U", "postgres"]
        self.started([server, *options], client, "postgres")

    def put(self, slot, what):
        """Commits a text."""
        self.ask(f"insert into slots values ({slot}, '{what}') on conflict (slot) do update set words = excluded.words")


class Mariadb(SqlServer):
    """MariaDB with InnoDB, as it is set up, with little memory."""

    def open(self):
        """Makes the server's folder where there is none, and starts it."""
        server = program("mariadbd", "mariadb-server")
        if self.folder("mariadb", "root"):
            made = [program("mariadb-install-db", "mariadb-server"), "--no-defaults", f"--datadir={self.data}", "--user=root"]
            made += ["--auth-root-authentication-method=normal", "--skip-test-db"]
            subprocess.run(made, check=True, stdout=sys.stderr)
            self.made()
        at = f"{self.place}.mariadb"
        options = ["--no-defaults", f"--datadir={self.data}", f"--socket={at}", "--skip-networking", "--skip-stack-trace"]
        options += ["--innodb-buffer-pool-size=16M", "--innodb-log-file-size=8M", f"--pid-file={at}.pid", "--user=root"]
        client = [program("mariadb", "mariadb-client"), "--no-defaults", f"--socket={at}", "--user=root", "--database=mysql"]
        self.started([server, *options], [*client, "-NB", "--unbuffered", "--skip-reconnect"], "root")

    def put(self, slot, what):
        """Commits a text."""
        self.ask(f"replace into slots values ({slot}, '{what}')")


class Lmdb(Database):
    """LMDB as it is set up: a memory map, and two pages that take turns."""

    def open(self):
        """Opens it."""
        self.library, self.environment = library("lmdb", "liblmdb0"), ctypes.c_void_p()
        folder = os.path.join(self.place, "lmdb")
        os.makedirs(folder, exist_ok=True)
        self.call("env_create", ctypes.byref(self.environment))
        self.call("env_set_mapsize", self.environment, ctypes.c_size_t(16 << 20))
        self.call("env_open", self.environment, folder.encode(), 0, 0o600)

    def call(self, name, *arguments):
        """Calls a function; false where it does not find what it is asked for."""
        error = getattr(self.library, f"mdb_{name}")(*arguments)
        if error not in (0, -30798):
            raise OSError(f"LMDB's {name}: error {error}")
        return error == 0

    def does(self, name, slot, what=b""):
        """Does something with a slot in a transaction; gives the bytes that stand there."""
        class Bytes(ctypes.Structure):
            """Bytes and how many they are."""
            _fields_ = [("many", ctypes.c_size_t), ("at", ctypes.c_void_p)]

        within, table = ctypes.c_void_p(), ctypes.c_uint()
        name_of_slot = str(slot).encode()
        key, value = (Bytes(len(held), ctypes.cast(held, ctypes.c_void_p)) for held in (name_of_slot, what))
        self.call("txn_begin", self.environment, None, 0, ctypes.byref(within))
        self.call("dbi_open", within, None, 0, ctypes.byref(table))
        more = [0] if name == "put" else []
        there = self.call(name, within, table, ctypes.byref(key), ctypes.byref(value), *more)
        found = ctypes.string_at(value.at, value.many) if there else None
        self.call("txn_commit", within)
        return found

    def get(self, slot):
        """The text of a slot."""
        found = self.does("get", slot)
        return found and found.decode()

    def put(self, slot, what):
        """Commits a text."""
        self.does("put", slot, what.encode())


class LevelDb(Database):
    """LevelDB, each write of which is flushed; RocksDB has the same functions under its own name."""

    name, package = "leveldb", "libleveldb1d"

    def open(self):
        """Opens it."""
        self.library = library(self.name, self.package)
        options = self.call("options_create")
        self.call("options_set_create_if_missing", options, ctypes.c_ubyte(1))
        self.call("options_set_write_buffer_size", options, ctypes.c_size_t(64 << 10))
        self.database = self.tries("open", options, os.path.join(self.place, self.name).encode())
        self.writing, self.reading = self.call("writeoptions_create"), self.call("readoptions_create")
        self.call("writeoptions_set_sync", self.writing, ctypes.c_ubyte(1))

    def call(self, name, *arguments):
        """Calls a function, all of which give an address or nothing."""
        function = getattr(self.library, f"{self.name}_{name}")
        function.restype = ctypes.c_void_p
        return ctypes.c_void_p(function(*arguments))

    def tries(self, name, *arguments):
        """Calls a function that may fail."""
        error = ctypes.c_char_p()
        found = self.call(name, *arguments, ctypes.byref(error))
        if error.value:
            raise OSError(error.value.decode(errors="replace"))
        return found

    def get(self, slot):
        """The text of a slot."""
        key, many = str(slot).encode(), ctypes.c_size_t()
        found = self.tries("get", self.database, self.reading, key, ctypes.c_size_t(len(key)), ctypes.byref(many))
        return ctypes.string_at(found, many.value).decode() if found else None

    def put(self, slot, what):
        """Commits a text."""
        key, value = str(slot).encode(), what.encode()
        many = [ctypes.c_size_t(len(key)), ctypes.c_size_t(len(value))]
        self.tries("put", self.database, self.writing, key, many[0], value, many[1])


class RocksDb(LevelDb):
    """RocksDB, each write of which is flushed."""

    name, package = "rocksdb", "librocksdb7.8"


class Etcd(Database):
    """One etcd, asked over HTTP; it takes a snapshot every hundred commits."""

    def open(self):
        """Starts it."""
        server, port = program("etcd", "etcd-server"), free_port()
        mine, others = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{free_port()}"
        options = ["--data-dir", os.path.join(self.place, "etcd"), "--snapshot-count", "100"]
        options += ["--listen-client-urls", mine, "--advertise-client-urls", mine, "--listen-peer-urls", others]
        options += ["--initial-advertise-peer-urls", others, "--initial-cluster", f"default={others}"]
        server = subprocess.Popen([server, *options], stdout=sys.stderr)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        end = time.monotonic() + PATIENCE
        while not self.is_ready():
            if server.poll() is not None or time.monotonic() > end:
                raise OSError("etcd does not start")
            time.sleep(0.1)

    def is_ready(self):
        """Whether it answers."""
        try:
            return self.get(0) != ""
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return False

    def ask(self, what, **asked):
        """Asks for something, whose texts are in base 64."""
        body = {name: base64.b64encode(text.encode()).decode() for name, text in asked.items()}
        self.connection.request("POST", f"/v3/kv/{what}", json.dumps(body))
        answer = self.connection.getresponse()
        said = json.loads(answer.read())
        if answer.status != 200:
            raise OSError(f"etcd: {said}")
        return said

    def get(self, slot):
        """The text of a slot."""
        found = self.ask("range", key=f"slot-{slot}").get("kvs")
        return base64.b64decode(found[0]["value"]).decode() if found else None

    def put(self, slot, what):
        """Commits a text."""
        self.ask("put", key=f"slot-{slot}", value=what)


class Files:
    """Files that are flushed with their folder: new ones, ones that are replaced by renaming, and a journal."""

    kept, slots, record = 120, 24, 512

    def __init__(self, place):
        self.place = place

    def open(self):
        """There is nothing to be opened."""

    def content(self, number):
        """The bytes of the file of a number."""
        drawn = random.Random(number)
        return drawn.randbytes(drawn.choice([0, 100, 4096, drawn.randrange(1, 96 << 10)]))

    def line(self, number):
        """A record of the journal."""
        head = number.to_bytes(8, "big")
        return head + hashlib.shake_128(head).digest(self.record - 8)

    def path(self, name):
        """A file's path."""
        return os.path.join(self.place, name)

    def flushed(self, name, data, flags):
        """Writes a file, and returns when it and the folder are on stable storage."""
        file = os.open(self.path(name), os.O_WRONLY | os.O_CREAT | flags, 0o600)
        view = memoryview(data)
        while view:
            view = view[os.write(file, view):]
        os.fsync(file)
        os.close(file)
        folder = os.open(self.place, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def commit(self, number):
        """Writes something, and returns when it is on stable storage."""
        if number % 3 == 0:
            pathlib.Path(self.path(f"new-{number - self.kept}")).unlink(missing_ok=True)
            self.flushed(f"new-{number}", self.content(number), os.O_TRUNC)
        elif number % 3 == 1:
            self.flushed("temporary", self.content(number), os.O_TRUNC)
            os.rename(self.path("temporary"), self.path(f"slot-{number % self.slots}"))
            self.flushed("folder", b"", 0)
        else:
            self.flushed("journal", self.line(number), os.O_APPEND)
        return True

    def read(self, name):
        """A file's bytes, or none where it cannot be read."""
        try:
            return pathlib.Path(self.path(name)).read_bytes()
        except OSError:
            return None

    def last(self, acknowledged):
        """The number that was acknowledged; the one that was on its way may be there, and is written again."""
        slots = {number % self.slots: number for number in range(1, acknowledged + 1, 3)}
        for slot, number in slots.items():
            may = [self.content(number)]
            may += [self.content(acknowledged + 1)] * ((acknowledged + 1 - number) % self.slots == 0)
            if self.read(f"slot-{slot}") not in may:
                raise Lost(f"slot-{slot}, which is number {number}")
        # One more of them may have been deleted by the number that was on its way.
        for number in range(max(1, acknowledged + 2 - self.kept), acknowledged + 1):
            if number % 3 == 0 and self.read(f"new-{number}") != self.content(number):
                raise Lost(f"new-{number}")
        lines = b"".join(self.line(number) for number in range(2, acknowledged + 1, 3))
        if not (self.read("journal") or b"").startswith(lines):
            raise Lost("records of the journal")
        if lines:
            with open(self.path("journal"), "r+b") as file:
                file.truncate(len(lines))
                os.fsync(file.fileno())
        return acknowledged


class Blocks:
    """Blocks of the drive without a kernel in front of it: writes and zeros with and without FUA, trims, flushes.

    Several are asked at once. What was sent and answered is noted beside the socket, since each version of a block from the
    newest durable one on may be there after a power cut.
    """

    block, many = 4096, 48

    def __init__(self, place):
        self.place, self.notes, self.may = place, f"{place}.notes", [[0] for _ in range(self.many)]

    def open(self):
        """Connects, and has the notes."""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(self.place)
        self.receive(18)
        self.socket.sendall(struct.pack(">I8sII", 3, b"IHAVEOPT", 1, 0))
        self.receive(10)
        if os.path.exists(self.notes):
            for line in pathlib.Path(self.notes).read_text(encoding="utf-8").splitlines():
                self.noted(json.loads(line))

    def noted(self, note):
        """What a note says of the versions that may be there."""
        if "were" in note:
            self.may = [[value] for value in note["were"]]
        for block, value, _ in note.get("sent", []):
            self.may[block].append(value)
        for block, value, durable in note.get("answered", []):
            if durable:
                self.may[block] = [value]
        for block, value in enumerate(note.get("flushed", [])):
            while value in self.may[block][1:]:
                del self.may[block][0]

    def note(self, file, **note):
        """Notes something."""
        file.write(json.dumps(note) + "\n")
        file.flush()
        self.noted(note)

    def receive(self, many):
        """So many bytes of the socket."""
        got = b""
        while len(got) < many:
            part = self.socket.recv(many - len(got))
            if not part:
                raise OSError("the server is gone")
            got += part
        return got

    def ask(self, kind, cookie, block=0, flags=0, data=b"", length=None):
        """Sends a request."""
        length = (self.block if kind != 3 else 0) if length is None else length
        head = struct.pack(">IHHQQI", 0x25609513, flags, kind, cookie, block * self.block, length)
        self.socket.sendall(head + data)

    def answer(self):
        """The number of the next answer, where it went well; a drive need not know trims."""
        _, error, cookie = struct.unpack(">IIQ", self.receive(16))
        if error not in (0, 95):
            raise OSError(f"the drive answers with error {error}")
        return cookie, error == 0

    def last(self, acknowledged):
        """The number that was acknowledged, where each block has a version that it may have."""
        were = []
        for block, may in enumerate(self.may):
            self.ask(0, block, block)
            self.answer()
            found = self.receive(self.block)
            value = int.from_bytes(found[:8], "big")
            if found != value.to_bytes(8, "big") * (self.block // 8) or value not in may:
                raise Lost(f"block {block}: it has version {value}, and may have {may}")
            were.append(value)
        self.file = open(self.notes, "w", encoding="utf-8")
        self.note(self.file, were=were)
        return acknowledged

    def commit(self, number):
        """Asks for some changes at once, and at times for a flush; each block is changed once."""
        drawn = random.Random(number)
        sent, kinds = [], []
        flushes, before = drawn.random() < 0.3, [may[-1] for may in self.may]
        for block in drawn.sample(range(self.many), drawn.randrange(1, 9)):
            kind = drawn.choice([1, 1, 1, 6, 4])
            kinds.append(kind)
            durable = kind != 4 and drawn.random() < 0.4
            sent.append((block, number * 64 + block if kind == 1 else 0, durable))
        self.note(self.file, sent=sent)
        for cookie, (kind, (block, value, durable)) in enumerate(zip(kinds, sent)):
            data = value.to_bytes(8, "big") * (self.block // 8) if kind == 1 else b""
            self.ask(kind, cookie, block, int(durable), data)
        if flushes:
            self.ask(3, self.many)
        answered = dict(self.answer() for _ in range(len(sent) + int(flushes)))
        self.note(self.file, answered=[change for cookie, change in enumerate(sent) if answered[cookie]])
        if flushes:
            self.note(self.file, flushed=before)
        return True


LOADS = {
    "sqlite": Sqlite,
    "sqlite-wal": SqliteWal,
    "sqlite-wal-normal": SqliteWalNormal,
    "postgresql": Postgresql,
    "mariadb": Mariadb,
    "lmdb": Lmdb,
    "leveldb": LevelDb,
    "rocksdb": RocksDb,
    "etcd": Etcd,
    "files": Files,
    "blocks": Blocks,
}


def main():
    """The command."""
    name, place, acknowledged = sys.argv[1:]
    load = LOADS[name](place)
    try:
        load.open()
        last = load.last(int(acknowledged))
    except Missing as why:
        return print("missing", why, flush=True)
    except Exception as why:  # Whatever it is, it is not there.
        return print("lost", " ".join(str(why).split())[:300] or type(why).__name__, flush=True)
    print(last, flush=True)
    for number in itertools.count(last + 1):
        if load.commit(number):
            print(number, flush=True)


if __name__ == "__main__":
    main()
