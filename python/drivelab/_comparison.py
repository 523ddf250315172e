"""Results side by side, with the reasons where two figures may not be compared."""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional

from . import _drivelab
from ._frame import Frame
from ._result import Result


_TEXTS = ("method", "key", "unit", "result", "verdict", "differs")
_NUMBERS = ("value", "ratio", "difference", "low", "high")


class Comparison(Frame):
    """What ``drivelab compare`` prints: every figure against that of the first result. As a table it has a row for each
    figure of each result but the first, where ``differs`` is one text."""

    def __init__(self, results: tuple[Result, ...]) -> None:
        natives = [result._native for result in results]
        document, text, refusal = _drivelab.compare(natives, 100)
        self.document: Mapping[str, Any] = json.loads(document)
        self._text = text
        #: Why nothing can be compared; ``None`` where something can.
        self.refusal: Optional[str] = refusal
        rows = [{**row, "differs": "; ".join(row["differs"]) or None} for row in self.rows()]
        super().__init__(self._of(rows, _TEXTS, _NUMBERS))

    def rows(self) -> list[dict[str, Any]]:
        """One row for each figure of each result but the first: ratio, verdict and interval of the difference, or
        ``differs``, the conditions that forbid a ratio."""
        rows = []
        for method in self.document["methods"]:
            for figure in method["figures"]:
                for result, value in list(zip(method["results"], figure["values"]))[1:]:
                    rows.append(_row(method["method"], figure, result, value))
        return rows

    def ratio(self, key: str) -> Optional[float]:
        """The second result's figure over the first one's; ``None`` where they may not be compared."""
        for row in self.rows():
            if row["key"] == key:
                ratio: Optional[float] = row["ratio"]
                return ratio
        raise KeyError(f"there is no figure '{key}'")

    def why_not(self, key: str) -> list[str]:
        """The conditions that differ, and so forbid a ratio: ``scale (quick, elsewhere full)``."""
        return [why for row in self.rows() if row["key"] == key for why in row["differs"]]

    def __repr__(self) -> str:
        return self._text if self.refusal is None else f"{self._text}\n{self.refusal}\n"


def _row(method: str, figure: Mapping[str, Any], result: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    effect = value.get("effect") or {}
    interval = effect.get("interval") or {}
    return {
        "method": method,
        "key": figure["key"],
        "unit": figure["unit"],
        "result": result["title"],
        "value": value["value"],
        "ratio": value["ratio"],
        "verdict": effect.get("verdict"),
        "difference": effect.get("difference"),
        "low": interval.get("low"),
        "high": interval.get("high"),
        "differs": [f"{d['what']} ({d['here'] or 'none'}, elsewhere {d['there'] or 'none'})" for d in value.get("differs", ())],
    }


def compare(*results: Result) -> Comparison:
    """Sets results side by side, against the first of them. Nothing is compared that was measured in another way."""
    return Comparison(results)
