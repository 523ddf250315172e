"""Tables: any library that reads Arrow takes them, and none is needed."""

from __future__ import annotations

from html import escape
from typing import Iterator, Mapping, Optional, Sequence, Union

from . import _drivelab

Cell = Union[str, float, int, bool, None]

#: Whole numbers or floating-point ones, as they lie in memory.
Numbers = Union["memoryview[int]", "memoryview[float]"]

_SHOWN = 10


class Frame:
    """A table, as ``polars.DataFrame(frame)``, ``pandas.DataFrame.from_arrow(frame)``, ``pyarrow.table(frame)`` and
    DuckDB take it: by ``__arrow_c_stream__``, without a copy.

    Without any of them: ``frame["column"]`` is a list, ``frame.array("column")`` a ``memoryview`` of numbers, and
    iterating gives one dictionary a row.
    """

    def __init__(self, native: _drivelab.Frame) -> None:
        self._native = native

    @staticmethod
    def _of(rows: Sequence[Mapping[str, object]], texts: Sequence[str], numbers: Sequence[str]) -> _drivelab.Frame:
        """A table of rows: columns of texts, then columns of numbers."""
        kinds = [*((name, "text") for name in texts), *((name, "number") for name in numbers)]
        return _drivelab.frame_of([(name, kind, [row[name] for row in rows]) for name, kind in kinds])

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._native)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.columns

    def __getitem__(self, column: str) -> list[Cell]:
        return self._native[column]

    def array(self, column: str) -> Numbers:
        """A column of numbers without gaps; ``numpy.asarray`` takes it as it is."""
        data, letter = self._native.raw(column)
        view = memoryview(data)
        return view.cast("q") if letter == "q" else view.cast("d")

    def to_dict(self) -> dict[str, list[Cell]]:
        """All columns as lists."""
        return {column: self[column] for column in self.columns}

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        names = self.columns
        for row in zip(*(self[name] for name in names)):
            yield dict(zip(names, row))

    def __repr__(self) -> str:
        return f"Frame({len(self)} rows: {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = []
        for at, row in enumerate(self):
            if at == _SHOWN:
                body.append(f'<tr><td colspan="{len(row)}">... {len(self)} rows</td></tr>')
                break
            cells = "".join(f"<td>{escape(_shown(cell))}</td>" for cell in row.values())
            body.append(f"<tr>{cells}</tr>")
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
