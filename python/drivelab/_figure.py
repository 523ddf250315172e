"""Figures: one number each, with its unit, how it was made, and under which conditions it may be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional


@dataclass(frozen=True)
class Interval:
    """A confidence interval, in the figure's unit."""

    low: float
    high: float
    #: The confidence that it really has, in per cent.
    confidence_percent: float


@dataclass(frozen=True)
class Figure:
    """One number of a result."""

    key: str
    #: In ``unit``; ``None`` where there is no number, and then ``why_not`` says why.
    value: Optional[float]
    unit: str
    #: ``higher``, ``lower`` or ``none``.
    better: str
    #: How it was made of its samples: ``best of 5``, ``p99.9``, ``mean``.
    statistic: str
    #: Samples: runs, or I/Os of a distribution.
    n: int
    interval: Optional[Interval]
    why_not: Optional[str]
    phases: tuple[str, ...]
    #: Two figures may be compared where all of these agree.
    conditions: Mapping[str, Any]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Figure:
        """A figure of a ``drivelab.result/2`` document."""
        interval = document.get("interval")
        return cls(
            key=document["key"],
            value=document["value"],
            unit=document["unit"],
            better=document["better"],
            statistic=document["statistic"],
            n=document["n"],
            interval=None if interval is None else Interval(**interval),
            why_not=document.get("why_not"),
            phases=tuple(document["phases"]),
            conditions=document["comparable_by"],
        )

    def __float__(self) -> float:
        if self.value is None:
            raise ValueError(f"{self.key} has no value: {self.why_not}")
        return self.value

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.key}: - ({self.why_not})"
        said = f"{self.key}: {self.value:.4g} {self.unit}"
        if self.interval is None:
            return said
        return f"{said} ({self.interval.low:.4g} to {self.interval.high:.4g})"
