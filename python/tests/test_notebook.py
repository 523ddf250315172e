"""The tour, executed as a notebook."""

from __future__ import annotations

from pathlib import Path

import pytest

TOUR = Path(__file__).parents[1] / "tour.ipynb"


def test_the_tour_runs_and_shows_its_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.chdir(tmp_path)
    notebook = nbformat.read(TOUR, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    kinds = {kind for cell in notebook.cells for out in cell.get("outputs", ()) for kind in out.get("data", ())}
    assert {"image/svg+xml", "text/html"} <= kinds
    assert (tmp_path / "report.html").is_file()
