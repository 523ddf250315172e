"""Tables in the libraries that take them; each is skipped by its name where it is not installed."""

from __future__ import annotations

import pytest

import drivelab


@pytest.fixture(scope="module")
def frame() -> drivelab.Frame:
    result = drivelab.run("quick-scan", drivelab.drive("samsung-840-evo-250gb"), scale="quick")
    return result.figures.frame()


def test_without_any_library(frame: drivelab.Frame) -> None:
    rows = list(frame)
    assert len(rows) == len(frame) and rows[0]["key"] == frame["key"][0]
    assert frame.array("n").format == "q"
    with pytest.raises(TypeError, match="no column of numbers"):
        frame.array("key")
    assert "<table>" in frame._repr_html_() and "rows" in repr(frame)


def test_polars(frame: drivelab.Frame) -> None:
    polars = pytest.importorskip("polars")
    table = polars.DataFrame(frame)
    assert table.to_dict(as_series=False) == frame.to_dict()


def test_pandas(frame: drivelab.Frame) -> None:
    pandas = pytest.importorskip("pandas", "3.0")
    table = pandas.DataFrame.from_arrow(frame)
    assert list(table["key"]) == frame["key"] and list(table["n"]) == frame["n"]


def test_pyarrow(frame: drivelab.Frame) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(frame)
    assert table.to_pydict() == frame.to_dict()


def test_duckdb(frame: drivelab.Frame) -> None:
    duckdb = pytest.importorskip("duckdb")
    keys = duckdb.sql("select key from frame order by key").fetchall()
    assert [key for (key,) in keys] == sorted(frame["key"])  # type: ignore[type-var]


def test_nanoarrow(frame: drivelab.Frame) -> None:
    nanoarrow = pytest.importorskip("nanoarrow")
    assert len(nanoarrow.Array(frame)) == len(frame)


def test_a_stream_is_taken_twice_and_survives_its_table(frame: drivelab.Frame) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(drivelab.drive("samsung-840-evo-250gb").parameters())
    assert table.num_rows > 10 and table.column("value").to_pylist()
    frame.__arrow_c_stream__()
    assert pyarrow.table(frame).num_rows == len(frame)
