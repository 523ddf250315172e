"""A result: its figures, its tables, its pictures, its page."""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Union

from . import _drivelab
from ._figure import Figure
from ._frame import Frame

_COLUMNS = 100


class Figures(Mapping[str, Figure]):
    """The figures of a result by their keys, in the order in which they are shown."""

    def __init__(self, figures: Mapping[str, Figure], native: _drivelab.RunResult) -> None:
        self._figures = figures
        self._native = native

    def __getitem__(self, key: str) -> Figure:
        try:
            return self._figures[key]
        except KeyError:
            raise KeyError(f"there is no figure '{key}': there are {', '.join(self)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def frame(self) -> Frame:
        """The figures as a table."""
        return Frame(self._native.table("figures"))

    def __repr__(self) -> str:
        return "\n".join(str(figure) for figure in self.values())

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


class Plot:
    """A picture of the report; a notebook shows it."""

    def __init__(self, name: str, svg: str) -> None:
        self.name = name
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the SVG."""
        Path(path).write_text(self.svg, encoding="utf-8")

    def __repr__(self) -> str:
        return f"Plot({self.name!r})"


class Result:
    """One method on one target, once."""

    def __init__(self, native: _drivelab.RunResult) -> None:
        self._native = native

    @classmethod
    def from_json(cls, text: str) -> Result:
        """A result from its document, as ``drivelab run --json`` prints it."""
        return cls(_drivelab.read_text(text))

    def to_json(self) -> str:
        """The whole document, on the schema ``drivelab.result/2``."""
        return self._native.json()

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """The document without phases and charts; :meth:`to_json` has all of it."""
        document: Mapping[str, Any] = json.loads(self._native.head())
        return document

    @property
    def id(self) -> int:
        """Its number in the store; 0 where it is not stored."""
        return int(self.document["id"])

    @property
    def method(self) -> str:
        """The method's name."""
        return str(self.document["method"])

    @property
    def target(self) -> str:
        """The target as it was named."""
        return str(self.document["target"]["name"])

    @property
    def title(self) -> str:
        """The target's name for people."""
        return str(self.document["target"]["title"])

    @property
    def state(self) -> str:
        """What the drive had been through before the run; ``unknown`` of a real one."""
        return str(self.document["target"]["state"])

    @property
    def settings(self) -> Mapping[str, str]:
        """All settings with their values."""
        settings: Mapping[str, str] = self.document["settings"]["values"]
        return settings

    @property
    def ended(self) -> str:
        """``complete``, or why it ended early."""
        return str(self.document["ended"])

    @property
    def notes(self) -> list[str]:
        """What a reader must know."""
        return list(self.document["notes"])

    @property
    def warnings(self) -> list[str]:
        """What spoils or limits the result."""
        return list(self.document["warnings"])

    @cached_property
    def figures(self) -> Figures:
        """What was measured."""
        each = (Figure.of(figure) for figure in self.document["figures"])
        return Figures({figure.key: figure for figure in each}, self._native)

    def __getitem__(self, key: str) -> Figure:
        return self.figures[key]

    def curves(self) -> Frame:
        """What the method wants drawn: one row a point."""
        return Frame(self._native.table("curves"))

    def series(self) -> Frame:
        """I/Os, bytes and latencies over time: one row an interval, for reads and for writes."""
        return Frame(self._native.table("series"))

    def histogram(self) -> Frame:
        """How often each latency came: one row a bucket, at most 1/128 of its lower edge wide."""
        return Frame(self._native.table("histogram"))

    def addresses(self) -> Frame:
        """The transfer curve of a scan: one row for each part of the addresses."""
        return Frame(self._native.table("addresses"))

    def worst(self) -> Frame:
        """The worst I/Os of each phase, at most 100 a job, worst first, with what else was in flight."""
        return Frame(self._native.table("worst"))

    def plots(self) -> list[Plot]:
        """All pictures of the report."""
        return [Plot(name, svg) for name, svg in self._native.pictures()]

    def plot(self, name: Optional[str] = None) -> Plot:
        """The picture whose name has ``name`` in it; the first one where none is given."""
        plots = self.plots()
        for plot in plots:
            if name is None or name in plot.name:
                return plot
        raise KeyError(f"there is no picture '{name or ''}': there are {', '.join(plot.name for plot in plots)}")

    def report(
        self,
        path: Union[str, os.PathLike[str]],
        *,
        title: Optional[str] = None,
        lang: str = "en",
    ) -> Path:
        """Writes the report, one HTML file that needs nothing else; never over a file that is not one of drivelab's."""
        return report([self], path, title=title, lang=lang)

    def check(self) -> None:
        """Raises what the command line would exit with: ``Failed`` if nothing was measured, ``Rejected`` if the drive is
        failing."""
        self._native.check()

    def require(self, *requirements: str) -> Mapping[str, Any]:
        """Holds requirements such as ``"alone.p99 <= 5ms"`` against the figures, as ``drivelab gate`` does.

        Raises ``Rejected`` where one is not met, ``Suspect`` where one is not decided because its limit is inside the
        figure's interval. Gives each requirement with its outcome where all are met.
        """
        own = f"{self.method}."
        asked = [one if one.startswith(own) else own + one for one in requirements]
        gate: Mapping[str, Any] = json.loads(self._native.require(asked))
        return gate

    def summary(self, columns: int = _COLUMNS) -> str:
        """The summary of the command line."""
        return self._native.summary(columns)

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return self._native.table_html()


def report(
    results: list[Result],
    path: Union[str, os.PathLike[str]],
    *,
    title: Optional[str] = None,
    lang: str = "en",
) -> Path:
    """Writes one report of several results; ``lang`` is ``en`` or ``ja``."""
    if lang not in ("en", "ja"):
        from ._errors import Invalid

        raise Invalid(f"'{lang}' is not a language of reports: en or ja")
    _drivelab.write_report([result._native for result in results], path, title, lang == "ja")
    return Path(path)
