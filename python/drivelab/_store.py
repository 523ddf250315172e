"""Stored results, and files of other tools."""

from __future__ import annotations

import json
import os
from typing import Any, Optional, Sequence, Union

from . import _drivelab
from ._result import Result

PathArgument = Union[str, os.PathLike[str]]


class Store:
    """A database of results, as the command line keeps it; the user's own where no path is given."""

    def __init__(self, path: Optional[PathArgument] = None) -> None:
        self.path: str = os.fspath(path) if path is not None else _drivelab.default_store()

    def list(self) -> Sequence[dict[str, Any]]:
        """The stored runs, the latest first: number, method, target, when, state, first figure, name, tags, note."""
        listed: Sequence[dict[str, Any]] = json.loads(_drivelab.results_of(self.path))["results"]
        return listed

    def load(self, *words: Union[str, int]) -> Sequence[Result]:
        """The results that words mean: ``9``, ``"9-12"``, ``"last:3"``, ``"plan-2"``, ``"tag:desk"``, a name."""
        natives = _drivelab.read_stored(self.path, [str(word) for word in words])
        return [Result(native) for native in natives]

    def __getitem__(self, word: Union[str, int]) -> Result:
        found = self.load(word)
        if len(found) != 1:
            raise KeyError(f"{word} means {len(found)} results")
        return found[0]

    def add_imported(self, result: Result) -> int:
        """Stores an imported result, the same file once; returns its number."""
        return _drivelab.store_imported(result._native, self.path)[0]

    def __repr__(self) -> str:
        return f"Store({self.path!r})"


def load(path: PathArgument) -> Result:
    """The result that another tool's file holds: CrystalDiskMark, KDiskMark, fio, DiskSpd, Iometer, HD Tune, ddrescue,
    Backblaze. Its content says which tool it is."""
    command = ["python", "drivelab.load", os.fspath(path)]
    return Result(_drivelab.import_file(os.fspath(path), command))
