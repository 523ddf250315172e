"""Arrays of I/Os on a modelled drive, and the time of each back as an array."""

from __future__ import annotations

from array import array
from typing import Any, Optional, Sequence, Union

from . import _drivelab
from ._errors import Interrupted, Invalid
from ._frame import Frame
from ._progress import ProgressArgument, Shown
from ._target import TargetArgument, target_text

#: Numbers of operations in an array.
READ, WRITE, TRIM, FLUSH = range(4)
_NAMES = {"read": READ, "r": READ, "write": WRITE, "w": WRITE, "trim": TRIM, "flush": FLUSH}

#: A NumPy array, or anything with the buffer protocol, or a sequence of whole numbers.
Numbers = Any


class Replayed(Frame):
    """One row for each I/O, in the order of the arrays.

    ``due_ns``, ``sent_ns`` and ``done_ns`` count from the first I/O; ``latency_ns`` is from sending to completion,
    ``response_ns`` from when the I/O was due; ``errno`` is 0 where it was complete.
    """

    @property
    def latency_ns(self) -> memoryview[int]:
        """From sending to completion."""
        return self._whole("latency_ns")

    @property
    def response_ns(self) -> memoryview[int]:
        """From when it was due to completion: what a user waits."""
        return self._whole("response_ns")

    def _whole(self, column: str) -> memoryview[int]:
        return memoryview(self._native.raw(column)[0]).cast("q")


def replay(
    target: TargetArgument,
    *,
    offset: Numbers,
    length: Union[int, Numbers],
    op: Union[str, int, Numbers] = "read",
    time_ns: Optional[Numbers] = None,
    depth: int = 32,
    speed: float = 1.0,
    seed: int = 1,
    progress: ProgressArgument = None,
) -> Replayed:
    """Replays I/Os on a newly made modelled drive, and gives the times of each.

    ``offset`` and ``length`` are in bytes, whole blocks of the drive; ``op`` is ``"read"``, ``"write"``, ``"trim"`` or
    ``"flush"``, or an array of 0 to 3; ``time_ns`` says when each is sent (in order, divided by ``speed``). Without
    times, I/Os are sent as soon as fewer than ``depth`` are in flight. What is a single value holds for all.
    After Ctrl-C, ``replayed`` of :class:`drivelab.Interrupted` has the times of what was complete, and -1 of all others.
    """
    offsets = _eights(offset, "offset")
    count = len(offsets) // 8
    arrays = {
        "time_ns": bytes(8 * count) if time_ns is None else _eights(time_ns, "time_ns"),
        "op": _ops(op, count),
        "offset": offsets,
        "length": _repeated(length, count) if isinstance(length, int) else _eights(length, "length"),
    }
    asked = {
        "target": target_text(target),
        "seed": seed,
        "speed": None if time_ns is None else float(speed),
        "depth": depth,
    }
    with Shown(progress) as hear:
        native, stopped_by = _drivelab.replay_arrays(asked, _Arrays(**arrays), hear)
    replayed = Replayed(native)
    if isinstance(stopped_by, KeyboardInterrupt):
        raise Interrupted("interrupted: the times so far are in the exception's replayed", replayed=replayed)
    if stopped_by is not None:
        raise stopped_by
    return replayed


class _Arrays:
    def __init__(self, *, time_ns: bytes, op: bytes, offset: bytes, length: bytes) -> None:
        self.time_ns = time_ns
        self.op = op
        self.offset = offset
        self.length = length


def _repeated(value: int, count: int) -> bytes:
    return array("q", [value]).tobytes() * count


def _eights(values: Numbers, name: str) -> bytes:
    """Whole numbers as native signed ones of eight bytes."""
    try:
        view = memoryview(values)
    except TypeError:
        return _from_sequence(values, name)
    if view.ndim != 1:
        raise Invalid(f"{name} has {view.ndim} dimensions: it takes one")
    if view.itemsize == 8 and view.format in ("q", "l"):
        return view.tobytes()
    if view.format in ("f", "d", "e", "?"):
        raise Invalid(f"{name} takes whole numbers, and these are of type '{view.format}': convert them first")
    return _from_sequence(view.tolist(), name)


def _from_sequence(values: Sequence[int], name: str) -> bytes:
    try:
        return array("q", values).tobytes()
    except (TypeError, OverflowError) as why:
        raise Invalid(f"{name} takes whole numbers: {why}") from None


def _ops(op: Union[str, int, Numbers], count: int) -> bytes:
    if isinstance(op, (str, int)):
        return bytes([_op(op)]) * count
    try:
        view = memoryview(op)
    except (TypeError, ValueError):
        return bytes(_op(one) for one in op)
    if view.itemsize == 1 and view.format in ("B", "b", "?"):
        return view.tobytes()
    if view.format is not None and view.format.endswith(("w", "s")):
        return bytes(_op(str(one)) for one in op)
    return bytes(_op(one) for one in view.tolist())


def _op(op: Union[str, int]) -> int:
    number = _NAMES.get(op.lower()) if isinstance(op, str) else op
    if number not in (READ, WRITE, TRIM, FLUSH):
        raise Invalid(f"{op!r} is no operation: read, write, trim or flush, or 0 to 3")
    return int(number)

