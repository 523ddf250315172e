"""Sweeps: one method on a modelled drive, over a grid of parameters."""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional, Sequence, Union

from . import _drivelab
from ._frame import Cell, Frame
from ._progress import ProgressArgument, Shown
from ._target import MethodArgument, Option, TargetArgument, method_name, option_text, set_text, target_text

#: The values of a parameter, or a range as ``"1..64:*2"``.
Values = Union[str, Sequence[Option]]


class Sweep(Frame):
    """The figures of each point of a grid: one row a point, with the varied values as texts, the figures, and
    ``why_not`` where there are none."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        #: On the schema ``drivelab.sweep/1``.
        self.document = document
        axes = [axis["key"] for axis in document["axes"]]
        figures = [figure["key"] for figure in document["figures"]]
        rows = []
        for point in document["points"]:
            named = dict(zip(axes + figures, point["values"] + point["figures"]))
            rows.append({**named, "why_not": point.get("why_not")})
        super().__init__(self._of(rows, [*axes, "why_not"], figures))

    def rows(self) -> list[dict[str, Cell]]:
        """One dictionary a point."""
        return list(self)


def sweep(
    method: MethodArgument,
    target: TargetArgument,
    vary: Mapping[str, Values],
    *,
    figures: Sequence[str] = (),
    settings: Mapping[str, Option] = {},
    scale: str = "default",
    seed: int = 1,
    jobs: Optional[int] = None,
    progress: ProgressArgument = None,
) -> Sweep:
    """Runs a method over a grid, on all processors: any value of the drive's file, its link, state or host, an option of a
    layer, or a setting of the method."""
    asked = {
        "method": method_name(method),
        "target": target_text(target),
        "vary": [f"{key}={_values(values)}" for key, values in vary.items()],
        "figures": list(figures),
        "set": set_text(settings),
        "scale": scale,
        "seed": seed,
        "jobs": jobs,
    }
    with Shown(progress) as hear:
        return Sweep(json.loads(_drivelab.sweep(asked, hear)))


def _values(values: Values) -> str:
    if isinstance(values, str):
        return values
    return ";".join(option_text(value) for value in values)
