"""Points by Dask: the same results wherever they are made, and none lost with a worker, a scheduler or a full disk."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Iterator, Sequence

import pytest

import drivelab
from drivelab import fleet

pytest.importorskip("distributed", reason="Dask is not installed")

DRIVE = "model:samsung-840-evo-250gb"
#: How long anything here may take, in seconds: reached only by what hangs.
PATIENCE = 300.0


def points(count: int, time_: str = "100ms") -> list[fleet.Point]:
    settings = {"time": time_, "every": "1ms", "load": "none"}
    return [
        fleet.point("latency-watch", DRIVE, settings=settings, scale="quick", seed=seed)
        for seed in range(1, count + 1)
    ]


def texts(made: Sequence[fleet.Made]) -> list[str]:
    return [one.text for one in made]


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, workers: int) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.wanted = workers
        self.start()

    def start(self) -> None:
        self.scheduler = self._run("scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        for _ in range(self.wanted):
            self.add_worker()

    def add_worker(self) -> None:
        self.workers.append(self._run("worker", self.address, "--nthreads", "1", "--no-nanny"))

    def kill_a_worker(self, which: int) -> None:
        worker = self.workers.pop(which % len(self.workers))
        worker.kill()
        worker.wait()

    def stop(self) -> None:
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()
        self.workers.clear()

    def _run(self, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *words, "--no-dashboard"]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    cluster = Cluster(workers=2)
    yield cluster
    cluster.stop()


def test_a_point_has_the_same_result_wherever_it_is_made(cluster: Cluster) -> None:
    asked = points(6)
    here = fleet.map(asked)
    there = fleet.map(asked, cluster.address)
    assert texts(here) == texts(there)
    settings = {"time": "100ms", "every": "1ms", "load": "none"}
    run = drivelab.run("latency-watch", DRIVE, scale="quick", seed=1, settings=settings)
    assert dict(here[0].result.figures) == dict(run.figures)


def test_results_come_in_the_order_of_the_points_and_an_impossible_drive_says_why() -> None:
    impossible = fleet.point("latency-watch", f"{DRIVE}?ssd.slc.size_gb=200", scale="quick")
    asked = [*points(2), impossible, points(1)[0]]
    made = fleet.map(asked)
    assert [one.point for one in made] == asked
    assert made[0].text == made[3].text != made[1].text
    assert made[2].why_not and "latency-watch" not in made[2].why_not
    with pytest.raises(drivelab.Failed):
        made[2].result


def test_words_are_checked_before_anything_is_made() -> None:
    with pytest.raises(drivelab.Invalid, match="no-such"):
        fleet.map([*points(1), fleet.point("no-such", DRIVE)])
    with pytest.raises(drivelab.Invalid, match="only a modelled drive"):
        fleet.map([fleet.point("latency-watch", "/dev/null")])


def test_a_point_that_names_a_file_is_not_sent_elsewhere() -> None:
    point = fleet.point("latency-watch", "model:./mine.toml")
    with pytest.raises(drivelab.Invalid, match="mine.toml"):
        fleet.map([point], "tcp://127.0.0.1:1")


def test_a_worker_of_another_version_is_told() -> None:
    with pytest.raises(RuntimeError, match="0.0.0"):
        fleet._make([points(1)[0].line], "0.0.0", "run")


def test_what_the_store_has_is_not_made_again(tmp_path: Path) -> None:
    store = tmp_path / "points.sqlite3"
    first = fleet.map(points(3), store=store)
    # No scheduler is there: nothing is left for one.
    again = fleet.map(points(3), "tcp://127.0.0.1:1", store=store)
    assert texts(first) == texts(again)
    assert len(drivelab.Store(store).list()) == 3
    fleet.map(points(5), store=store)
    assert len(drivelab.Store(store).list()) == 5


def test_an_interrupt_keeps_what_is_stored_and_the_same_call_goes_on(tmp_path: Path) -> None:
    store = tmp_path / "points.sqlite3"
    asked = points(12)

    def stop(progress: drivelab.Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(drivelab.Interrupted, match="of 12 points are stored"):
        fleet.map(asked, store=store, progress=stop)
    kept = len(drivelab.Store(store).list())
    assert 0 < kept < 12
    fleet.map(asked, store=store)
    assert len(drivelab.Store(store).list()) == 12


def test_progress_counts_the_points() -> None:
    heard: list[drivelab.Progress] = []
    fleet.map(points(4), progress=heard.append)
    assert heard[-1].phase == "4 of 4" and heard[-1].fraction == 1.0


def test_histograms_are_merged_exactly_in_any_order() -> None:
    made = fleet.map(points(5))
    counted: dict[tuple[Any, ...], Any] = {}
    for one in made:
        for row in one.result.histogram():
            whose, count = list(row.values())[:-1], row["count"]
            counted[tuple(whose)] = counted.get(tuple(whose), 0) + count
    merged = fleet.merge_histograms(made)
    assert {tuple(row.values())[:-1]: row["count"] for row in merged} == counted
    halves = [fleet.merge_histograms(made[3:]), fleet.merge_histograms(made[:3])]
    assert list(fleet.merge_histograms(halves)) == list(merged)


def test_points_of_killed_workers_are_made_again(cluster: Cluster, tmp_path: Path) -> None:
    asked = points(int(os.environ.get("DRIVELAB_FLEET_POINTS", "60")), time_="2s")
    kills = int(os.environ.get("DRIVELAB_FLEET_KILLS", "3"))
    draw = random.Random(32)
    store = tmp_path / "points.sqlite3"
    ended = threading.Event()
    killed = 0

    def kill_now_and_then() -> None:
        nonlocal killed
        while killed < kills and not ended.wait(draw.uniform(0.3, 2.0)):
            cluster.kill_a_worker(draw.randrange(8))
            killed += 1
            cluster.add_worker()

    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    try:
        made = fleet.map(asked, cluster.address, store=store)
    finally:
        ended.set()
        killer.join()
    assert killed > 0
    assert len(drivelab.Store(store).list()) == len(asked)
    some = draw.sample(range(len(asked)), 5)
    expected = fleet.map([asked[at] for at in some])
    assert [dict(made[at].result.figures) for at in some] == [dict(one.result.figures) for one in expected]


def test_a_scheduler_that_is_begun_again_is_found(cluster: Cluster, tmp_path: Path) -> None:
    asked = points(40, time_="2s")
    coming = fleet.as_completed(asked, cluster.address, store=tmp_path / "points.sqlite3")
    made = [next(coming)]
    cluster.stop()
    restart = threading.Timer(1.0, cluster.start)
    restart.start()
    made.extend(coming)
    restart.join()
    assert {one.point for one in made} == set(asked)
    assert all(one.why_not is None for one in made)


def test_a_scheduler_that_nobody_begins_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "_PATIENCE", 1.0)
    with pytest.raises(drivelab.Failed, match="no scheduler answers at tcp://127.0.0.1:1 .*0 of 2 points"):
        fleet.map(points(2), "tcp://127.0.0.1:1")


def test_a_full_disk_keeps_what_there_was_room_for_and_the_same_call_goes_on(tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a small file system needs root, and that tmpfs may be mounted")
    try:
        store = tmp_path / "points.sqlite3"
        asked = points(400)
        with pytest.raises(drivelab.Failed, match="the same call makes the others") as full:
            fleet.map(asked, store=store)
        subprocess.run(["mount", "-o", "remount,size=200m", str(tmp_path)], check=True)
        finished = [run for run in drivelab.Store(store).list() if run["state"] == "finished"]
        assert 0 < len(finished) < 400 and f"{len(finished)} of 400" in str(full.value)
        made = fleet.map(asked, store=store)
        assert len(drivelab.Store(store).list()) == 400
        assert made[0].result.figures
    finally:
        subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


SWEEP = ["sweep", "latency-watch", DRIVE, "--vary", "link=sata-3,sata-6", "--vary", "load=none,reads"]
SWEEP += ["--set", "time=100ms", "--scale", "quick", "--json"]


def swept(program: Path, python: str, *more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHON": python}
    return subprocess.run([str(program), *SWEEP, *more], capture_output=True, text=True, env=env)


def test_a_sweep_of_the_command_line_by_a_scheduler_gives_the_same(cluster: Cluster, program: Path) -> None:
    here = swept(program, sys.executable)
    there = swept(program, sys.executable, "--scheduler", cluster.address)
    assert here.returncode == there.returncode == 0, (here.stderr, there.stderr)
    assert json.loads(here.stdout) == json.loads(there.stdout)
    assert len(json.loads(here.stdout)["points"]) == 4


def test_a_sweep_by_a_scheduler_says_what_is_missing(program: Path, tmp_path: Path) -> None:
    def said(python: str) -> str:
        ended = swept(program, python, "--scheduler", "tcp://127.0.0.1:1")
        assert ended.returncode == 1 and not ended.stdout and ended.stderr.count("\n") == 1, ended
        return ended.stderr

    assert "drivelab[fleet]" in said(str(tmp_path / "no-python"))
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    assert "No module named" in said(str(bare))
