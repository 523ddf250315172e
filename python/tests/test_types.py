"""The package's types: of its own sources, its stubs, and a sample of their use, under `mypy --strict`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize("what", [["-p", "drivelab"], [str(HERE / "typed_sample.py")]])
def test_mypy_strict(what: list[str], tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path)]
    # By its name and from another folder, so that the installed package is looked at and not its source.
    checked = subprocess.run([*command, *what], capture_output=True, text=True, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_stubs_name_what_the_native_module_has(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "drivelab._drivelab", "--ignore-disjoint-bases"]
    checked = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
