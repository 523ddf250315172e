"""What several tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def no_store_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the results of whoever runs it."""
    monkeypatch.setenv("DRIVELAB_STORE", str(tmp_path / "default.sqlite3"))


@pytest.fixture(scope="session")
def program() -> Path:
    """The command line, where it is built."""
    folder = Path(os.environ.get("DRIVELAB_TARGET_DIR", ROOT / "target"))
    built = [folder / profile / "drivelab" for profile in ("release", "lab", "debug")]
    there = [path for path in built if path.is_file()]
    if not there:
        pytest.skip("the program drivelab is not built")
    return there[0]
