"""Measures drivelab.fleet: what a point costs beside its run, and two workers against one.

    target/python/venv/bin/python python/benchmarks/points.py [POINTS]

Bars: overhead of 5 ms a point or less, two workers on two processors 1.7 times as fast as one. Overhead is told in processor
seconds, of collector, scheduler and workers together, so that another program that runs meanwhile does not count; the two
workers are told in wall time, and mean something on a machine with nothing else to do.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Callable

import distributed

from drivelab import _drivelab, fleet

DRIVE = "model:samsung-840-evo-250gb"
ROUNDS = 3


def points(count: int, time_: str) -> list[fleet.Point]:
    settings = {"time": time_, "every": "1ms", "load": "none"}
    return [
        fleet.point("latency-watch", DRIVE, settings=settings, scale="quick", seed=seed)
        for seed in range(1, count + 1)
    ]


def processor_seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def overhead(count: int) -> None:
    asked = points(count, "100ms")
    alone = processor_seconds(lambda: [_drivelab.make_point(point.line, None) for point in asked])
    mapped = processor_seconds(lambda: fleet.map(asked))
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "points.sqlite3"
        stored = processor_seconds(lambda: fleet.map(asked, store=store))
        resumed = processor_seconds(lambda: fleet.map(asked, store=store))
    each = 1e3 / count
    print(f"{count} points: {alone * each:.2f} ms a point alone, in processor time")
    print(f"overhead a point: {(mapped - alone) * each:.2f} ms, with a store {(stored - alone) * each:.2f} ms")
    print(f"told from the store that it is there: {resumed * each:.2f} ms a point")


def two_workers() -> None:
    asked = points(400, "20s")
    took: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for workers in (1, 2):
            with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
                with distributed.Client(cluster) as client:
                    fleet.map(points(4, "100ms"), client)
                    began = time.monotonic()
                    fleet.map(asked, client)
                    took[workers].append(time.monotonic() - began)
    one, two = (median(took[workers]) for workers in (1, 2))
    load = os.getloadavg()[0]
    print(f"one worker {one:.2f} s, two {two:.2f} s: {one / two:.2f} x, on {os.cpu_count()} processors with a load of {load:.1f}")


if __name__ == "__main__":
    overhead(int(sys.argv[1]) if sys.argv[1:] else 1_000)
    two_workers()
