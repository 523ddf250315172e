"""What is yours is never written without your word. Only files that a test has made are ever overwritten."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Iterator

import pytest

import drivelab


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    path = tmp_path / "disk.img"
    path.write_bytes(b"mine" * (16 << 18))
    return path


def overwritten(path: Path, **consent: object) -> drivelab.Result:
    settings = {"size": "16MiB", "time": "10ms"}
    return drivelab.run("crystaldiskmark", path, scale="quick", settings=settings, **consent)  # type: ignore[arg-type]


def test_a_file_is_only_overwritten_when_its_path_is_typed(own_file: Path) -> None:
    before = own_file.read_bytes()
    for consent in ({"destroy_data": True}, {"destroy_data": True, "confirm": "disk"}):
        with pytest.raises(drivelab.Invalid, match="overwrit"):
            overwritten(own_file, **consent)
        assert own_file.read_bytes() == before
    forecast = drivelab.forecast("slc-fill", own_file, scale="quick", destroy_data=True)
    assert forecast.refused is not None and str(own_file) in forecast.refused
    overwritten(own_file, destroy_data=True, confirm=str(own_file))
    assert own_file.read_bytes() != before


def test_a_method_that_has_to_write_is_refused_without_consent(own_file: Path) -> None:
    with pytest.raises(drivelab.Invalid):
        drivelab.run("slc-fill", own_file, scale="quick")


def test_a_path_may_have_letters_of_the_grammar(tmp_path: Path) -> None:
    path = tmp_path / "a?b,(c)&100%25.img"
    path.write_bytes(bytes(16 << 20))
    result = drivelab.run("quick-scan", path, scale="quick")
    assert result.ended == "complete" and result.document["target"]["kind"] == "real"


@pytest.fixture
def loop_device(own_file: Path) -> Iterator[str]:
    try:
        made = subprocess.run(
            ["losetup", "--find", "--show", str(own_file)], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("losetup: no loop device can be made here")
    device = made.stdout.strip()
    yield device
    subprocess.run(["losetup", "--detach", device], check=True)


def test_a_device_that_nothing_tells_from_others_is_never_written(loop_device: str, own_file: Path) -> None:
    before = own_file.read_bytes()
    with pytest.raises(drivelab.DrivelabError) as caught:
        drivelab.run("slc-fill", loop_device, scale="quick", destroy_data=True, confirm=loop_device)
    assert "not overwritten" in str(caught.value)
    assert own_file.read_bytes() == before
