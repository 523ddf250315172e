"""The same seed gives the same figures as the command line, to the bit."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import drivelab

EVO = "model:samsung-840-evo-250gb?state=steady-random"


def printed(program: Path, *arguments: str) -> Any:
    command = [str(program), "run", *arguments, "--no-store", "--json", "--progress", "none"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


@pytest.mark.parametrize("method", ["crystaldiskmark", "latency-watch", "quick-scan"])
@pytest.mark.parametrize("seed", [1, 7])
def test_a_run(program: Path, method: str, seed: int) -> None:
    theirs = printed(program, method, EVO, "--scale", "quick", "--seed", str(seed))
    ours = json.loads(drivelab.run(method, EVO, scale="quick", seed=seed).to_json())
    for document in (theirs, ours):
        document["environment"].pop("command")
    assert ours == theirs


def test_arrays_have_the_times_of_the_method_replay(program: Path, tmp_path: Path) -> None:
    times = [at * 60_000 for at in range(2_000)]
    ops = [at % 3 == 0 for at in range(2_000)]
    offsets = [4096 * (at * 7_919 % 50_000) for at in range(2_000)]
    lines = (f"{at} 0 {offset // 512} 8 {0 if write else 1}\n" for at, write, offset in zip(times, ops, offsets))
    trace = tmp_path / "trace.txt"
    trace.write_text("".join(lines))
    settings = ["--set", f"trace={trace}", "--set", "format=mqsim", "--scale", "full", "--seed", "3"]
    theirs = printed(program, "replay", EVO, *settings)
    ours = drivelab.drive(EVO).replay(time_ns=times, op=[int(w) for w in ops], offset=offsets, length=4096, seed=3)
    figures = {figure["key"]: figure["value"] for figure in theirs["figures"]}
    for op, name in ((0, "read"), (1, "write")):
        response = [r for r, write in zip(ours.response_ns, ops) if write == bool(op)]
        assert figures[f"{name}.response.worst"] == max(response) / 1e3
        assert figures[f"{name}.response.mean"] == pytest.approx(sum(response) / len(response) / 1e3, abs=1e-3)
