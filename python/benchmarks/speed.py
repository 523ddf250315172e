"""Measures the module: arrays through a model against the command line, and tables into polars.

    target/python/venv/bin/python python/benchmarks/speed.py [PROGRAM]

PROGRAM is a release build of the command line; without one its method runs in the module itself, with the same trace. Bars: a
million I/Os at 70 % of the command line's speed or more, a million rows into polars in less than 0.2 s. Runs alternate, and
the medians of their processor
seconds count.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Callable

import numpy
import polars

import drivelab

IOS = 1_000_000
ROUNDS = 5
DRIVE = "model:samsung-970-evo-plus-1tb"


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds, of this process and its children: another program that runs meanwhile does not count."""

    def used() -> float:
        each = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(usage.ru_utime + usage.ru_stime for usage in each)

    began = used()
    work()
    return used() - began


def arrays() -> dict[str, numpy.ndarray]:
    draw = numpy.random.default_rng(1)
    return {
        "time_ns": numpy.arange(IOS, dtype="int64") * 4_000,
        "op": (draw.random(IOS) < 0.3).astype("uint8"),
        "offset": draw.integers(0, 1 << 24, IOS, dtype="int64") * 4_096,
        "length": numpy.full(IOS, 4_096, dtype="int64"),
    }


def written(ios: dict[str, numpy.ndarray], path: Path) -> None:
    """The same as a trace of MQSim."""
    kinds = 1 - ios["op"]
    columns = (ios["time_ns"], kinds * 0, ios["offset"] // 512, ios["length"] // 512, kinds)
    numpy.savetxt(path, numpy.column_stack(columns), fmt="%d")


def command_line(trace: Path) -> Callable[[], object]:
    """The method replay of the command line, or in this process where there is no program."""
    settings = {"trace": str(trace), "format": "mqsim"}
    if not sys.argv[1:]:
        return lambda: drivelab.run("replay", DRIVE, scale="full", settings=settings)
    pairs = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    command = [sys.argv[1], "run", "replay", DRIVE, *pairs, "--scale", "full", "--no-store", "--json"]
    return lambda: subprocess.run(command, check=True, capture_output=True)


def main() -> None:
    ios = arrays()
    replay = lambda: drivelab.replay(DRIVE, **ios)  # noqa: E731
    replayed = replay()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.txt"
        written(ios, trace)
        run = command_line(trace)
        theirs: list[float] = []
        ours: list[float] = []
        for _ in range(ROUNDS):
            ours.append(seconds(replay))
            theirs.append(seconds(run))
    print(f"{IOS} I/Os through {DRIVE} and back: {median(ours):.3f} s, {IOS / median(ours):,.0f} a second")
    share = 100 * median(theirs) / median(ours)
    print(f"the method replay with the same trace: {median(theirs):.3f} s; arrays have {share:.0f} % of its speed")
    into_polars = median(seconds(lambda: polars.DataFrame(replayed)) for _ in range(ROUNDS))
    print(f"{len(replayed)} rows into polars: {1e3 * into_polars:.2f} ms")


if __name__ == "__main__":
    main()
