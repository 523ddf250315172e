"""Stores, and files of other tools."""

from __future__ import annotations

from pathlib import Path

import pytest

import drivelab





def test_a_result_is_stored_listed_and_loaded(tmp_path: Path) -> None:
    store = drivelab.Store(tmp_path / "results.sqlite3")
    result = drivelab.run("latency-watch", "null:", scale="quick", store=store)
    drivelab.run("latency-watch", "null:", scale="quick", store=store.path, seed=2)
    assert result.id == 1 and [run["id"] for run in store.list()] == [2, 1]
    assert store[1].to_json() == result.to_json()
    assert [one.id for one in store.load("1-2")] == [1, 2]
    assert store["last"].id == 2
    with pytest.raises(drivelab.DrivelabError):
        store.load("no-such-name")


def test_an_interrupted_run_is_in_the_store(tmp_path: Path) -> None:
    def stop(progress: drivelab.Progress) -> None:
        raise KeyboardInterrupt

    store = drivelab.Store(tmp_path / "results.sqlite3")
    drive = drivelab.drive("samsung-840-evo-250gb")
    with pytest.raises(drivelab.Interrupted, match="drivelab resume 1"):
        drivelab.run("crystaldiskmark", drive, scale="full", store=store, progress=stop)
    assert [run["state"] for run in store.list()] == ["interrupted"]


def test_a_file_of_another_tool_is_read_and_stored_once(tmp_path: Path) -> None:
    map_file = tmp_path / "rescue.map"
    map_file.write_text(
        "# Mapfile. Created by GNU ddrescue version 1.27\n0x00000000     +               1\n"
        "0x00000000  0x00100000  +\n0x00100000  0x00000200  -\n"
    )
    result = drivelab.load(map_file)
    assert result.method == "import" and len(result.figures) > 0
    store = drivelab.Store(tmp_path / "results.sqlite3")
    assert store.add_imported(result) == store.add_imported(result) == 1
    with pytest.raises(drivelab.Invalid):
        drivelab.load(__file__)
