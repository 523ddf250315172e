"""Sweeps: one method on a modelled drive, over a grid of parameters."""

from __future__ import annotations

import json
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

from . import _drivelab
from ._progress import ProgressArgument, Shown
from ._target import MethodArgument, Option, TargetArgument, method_name, option_text, set_text, target_text

#: The values of a parameter, or a range as ``"1..64:*2"``.
Values = Union[str, Sequence[Option]]


class Sweep:
    """The figures of each point of a grid."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        #: On the schema ``drivelab.sweep/1``.
        self.document = document

    def rows(self) -> Sequence[dict[str, Any]]:
        """One row a point: the varied values as texts, the figures, and ``why_not`` where there are none."""
        return list(self)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        axes = [axis["key"] for axis in self.document["axes"]]
        figures = [figure["key"] for figure in self.document["figures"]]
        for point in self.document["points"]:
            named = zip(axes + figures, point["values"] + point["figures"])
            yield {**dict(named), "why_not": point.get("why_not")}

    def __len__(self) -> int:
        return len(self.document["points"])

    def __repr__(self) -> str:
        return "\n".join(str(row) for row in self)


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
