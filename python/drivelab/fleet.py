"""Many runs on modelled drives, made by Dask wherever it has workers.

A *point* is one run, written as one line: method, drive with its overrides, settings, scale, seed. A modelled drive knows
no host and no clock, so a point has the same result, to the byte, wherever it is made. Lines go out in batches, results
come back and into one store; what a lost worker had is sent again; what the store has is not made again.

>>> import drivelab
>>> points = [drivelab.fleet.point("slc-fill", "model:wd-black-sn770-1tb", seed=seed) for seed in range(100)]
>>> made = drivelab.fleet.map(points, "tcp://scheduler:8786", store="sweep.sqlite3")  # doctest: +SKIP

Measure no real drive this way: a worker beside a measurement disturbs it (`drivelab fleet` is for hosts).
"""

from __future__ import annotations

import json
import logging
import os
import time
import uuid
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

from . import _drivelab
from ._errors import DrivelabError, Failed, Interrupted
from ._frame import Frame
from ._progress import ProgressArgument, Shown
from ._result import Result
from ._store import Store
from ._target import (
    MethodArgument,
    Option,
    StoreArgument,
    TargetArgument,
    method_name,
    set_text,
    store_path,
    target_text,
)

__all__ = ["Made", "Point", "as_completed", "map", "merge_histograms", "point"]

#: How long a batch takes, about: long against Dask's milliseconds a task, and short to be lost.
_BATCH_SECONDS = 1.0
_MOST_IN_A_BATCH = 256
#: Batches for each thread of the workers: one is made, one waits.
_AHEAD = 2
#: How often a point may take its worker with it before it is given up.
_TRIES = 3
#: How long a scheduler may be away, in seconds.
_PATIENCE = 120.0
#: Runs of this process that were given up: their points, made by threads of this process, end early.
_given_up: set[str] = set()


@dataclass(frozen=True)
class Point:
    """One run of a method on a modelled drive."""

    #: All of it, as JSON.
    line: str

    @property
    def document(self) -> Mapping[str, Any]:
        """Method, target, scale, seed and settings (``set``), and the version of drivelab."""
        document: Mapping[str, Any] = json.loads(self.line)
        return document


@dataclass(frozen=True)
class Made:
    """What came of a point."""

    point: Point
    #: Why there is no result: an impossible drive, a point whose workers died.
    why_not: Optional[str] = None
    _text: Optional[str] = field(default=None, repr=False)
    _stored: Optional[tuple[str, int]] = field(default=None, repr=False)

    @property
    def result(self) -> Result:
        """The result; it is read from the store where there is one."""
        if self._stored is not None:
            return Store(self._stored[0])[self._stored[1]]
        if self._text is None:
            raise Failed(self.why_not or "there is no result")
        return Result.from_json(self._text)

    @property
    def text(self) -> str:
        """The document of the result."""
        return self._text if self._text is not None else self.result.to_json()


def point(
    method: MethodArgument,
    target: TargetArgument,
    *,
    settings: Mapping[str, Option] = {},
    scale: str = "default",
    seed: int = 1,
) -> Point:
    """A point; its words are those of :func:`drivelab.run`."""
    line = _drivelab.point_line(method_name(method), target_text(target), scale, seed, set_text(settings))
    return Point(line)


def map(
    points: Iterable[Point],
    client: Any = None,
    *,
    store: StoreArgument = None,
    progress: ProgressArgument = None,
) -> Sequence[Made]:
    """Makes all points, and gives what came of them in their order; see :func:`as_completed`."""
    points = list(points)
    made = {one.point: one for one in as_completed(points, client, store=store, progress=progress)}
    return [made[point] for point in points]


def as_completed(
    points: Iterable[Point],
    client: Any = None,
    *,
    store: StoreArgument = None,
    progress: ProgressArgument = None,
) -> Iterator[Made]:
    """Makes all points, and gives each as it comes. A point that is given twice is made once.

    ``client`` is a scheduler's address, or a ``distributed.Client`` of yours (dask-jobqueue, Kubernetes); without one
    the processors of this machine work. With ``store`` each result is stored as it comes, and what is stored already is
    not made again: after an interrupt, a full disk or a scheduler that is gone, the same call goes on.
    """
    lines = list(dict.fromkeys(point.line for point in points))
    _drivelab.check_points(lines, client is not None)
    path = store_path(store)
    there = {} if path is None else _drivelab.stored_points(path)
    left = [line for line in lines if line not in there]
    done = len(lines) - len(left)

    def so_far() -> str:
        if path is None:
            return f"{done} of {len(lines)} points were made, and are not kept"
        stored = _drivelab.stored_points(path)
        count = sum(line in stored for line in lines)
        return f"{count} of {len(lines)} points are stored, and the same call makes the others"

    with Shown(progress) as hear:
        for line in lines:
            if path is not None and line in there:
                yield Made(Point(line), _stored=(path, there[line]))
        try:
            for batch in _made(left, client) if left else ():
                kept = _kept(batch, path)
                done += len(kept)
                hear({"done": done, "of": len(lines)})
                yield from kept
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted: {so_far()}") from None
        except DrivelabError as why:
            raise type(why)(f"{why}: {so_far()}", reasons=why.reasons) from why


def _kept(batch: Sequence[_Answer], path: Optional[str]) -> list[Made]:
    """Stores what has a result, where there is a store."""
    texts = [(one.line, one.text) for one in batch if one.text is not None]
    numbers: dict[str, int] = {}
    if path is not None and texts:
        stored = _drivelab.store_points(path, texts)
        numbers = {line: number for (line, _), number in zip(texts, stored)}
    return [
        Made(Point(one.line), _stored=(path, numbers[one.line]))
        if path is not None and one.line in numbers
        else Made(Point(one.line), one.why_not, one.text)
        for one in batch
    ]


def merge_histograms(of: Iterable[Union[Frame, Result, Made]]) -> Frame:
    """The histograms of several results as one: counts are added bucket by bucket, and nothing is rounded.

    What it gives can be merged again, so a million results need not be held at once.
    """
    merged = _drivelab.merge_histograms([])
    for one in of:
        one = one.result if isinstance(one, Made) else one
        frame = one.histogram() if isinstance(one, Result) else one
        merged = _drivelab.merge_histograms([merged, frame._native])
    return Frame(merged)


# What follows runs beside the workers' work: batches out, answers back.


class _GivenUp(Exception):
    """Nobody waits for a batch any more."""


@dataclass(frozen=True)
class _Answer:
    line: str
    text: Optional[str]
    why_not: Optional[str]


def _make(lines: Sequence[str], version: str, run: str) -> tuple[float, list[tuple[Optional[str], Optional[str]]]]:
    """On a worker: makes the points of a batch; gives the seconds that it took, and a document or a reason for each."""
    if version != _drivelab.VERSION:
        raise RuntimeError(f"a worker has drivelab {_drivelab.VERSION}, and this is {version}: install the same on all")

    def go_on(_: Mapping[str, Any]) -> None:
        if run in _given_up:
            raise _GivenUp

    began = time.monotonic()
    made: list[tuple[Optional[str], Optional[str]]] = []
    for line in lines:
        try:
            go_on({})
            made.append((_drivelab.make_point(line, go_on), None))
        except _GivenUp:
            break
        except Interrupted:  # Ctrl-C in the worker's own terminal is no property of the point.
            raise
        except DrivelabError as why:
            made.append((None, str(why)))
    return time.monotonic() - began, made


def _made(lines: Sequence[str], client: Any) -> Iterator[Sequence[_Answer]]:
    connection = _Connection(client)
    work = _Work(lines)
    try:
        while work.is_left():
            try:
                yield from _with(connection.client(), work)
            except OSError:
                # The scheduler is gone: what was on the way is made again.
                work.all_lost()
                connection.again()
    finally:
        _given_up.add(work.run)
        connection.close(work)


def _with(client: Any, work: _Work) -> Iterator[Sequence[_Answer]]:
    """Makes what is left; OSError where the scheduler is gone."""
    distributed = _distributed()
    coming = distributed.as_completed(loop=client.loop, raise_errors=False)
    while work.is_left():
        for lines in work.next_batches(_threads(client)):
            # Another machine's result is not the one that was lost, so nothing is looked up by what it is of.
            future = client.submit(_make, lines, _drivelab.VERSION, work.run, key=f"drivelab-{uuid.uuid4()}")
            work.on_the_way[future] = lines
            coming.add(future)
        future = next(coming)
        lines = work.on_the_way.pop(future)
        if future.status == "finished":
            seconds, made = future.result()
            work.took(seconds, len(lines))
            yield [_Answer(line, *one) for line, one in zip(lines, made)]
        elif future.status in ("cancelled", "lost"):
            work.left.extendleft(reversed(lines))
            raise ConnectionError("the scheduler is gone")
        else:
            yield work.failed(lines, future.exception())


class _Work:
    """What is left, what is on the way, and how long a point takes."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.left = deque(lines)
        self.on_the_way: dict[Any, Sequence[str]] = {}
        self.run = uuid.uuid4().hex
        self._alone: deque[str] = deque()
        self._took_workers: Counter[str] = Counter()
        self._seconds: Optional[float] = None

    def is_left(self) -> bool:
        return bool(self.left or self._alone or self.on_the_way)

    def next_batches(self, threads: int) -> Iterator[Sequence[str]]:
        while len(self.on_the_way) < _AHEAD * threads:
            if self.left:
                # The last ones are shared out.
                most = min(self._batch(), max(1, len(self.left) // threads))
                yield [self.left.popleft() for _ in range(min(most, len(self.left)))]
            elif self._alone:
                yield [self._alone.popleft()]
            else:
                return

    def _batch(self) -> int:
        if self._seconds is None:
            return 1
        return max(1, min(_MOST_IN_A_BATCH, int(_BATCH_SECONDS / max(self._seconds, 1e-6))))

    def took(self, seconds: float, points: int) -> None:
        each = seconds / points
        self._seconds = each if self._seconds is None else 0.7 * self._seconds + 0.3 * each

    def all_lost(self) -> None:
        for lines in self.on_the_way.values():
            self.left.extend(lines)
        self.on_the_way.clear()

    def failed(self, lines: Sequence[str], why: BaseException) -> Sequence[_Answer]:
        """After several workers died with a batch, each of its points is tried alone; then the one at fault is known."""
        if not isinstance(why, _distributed().KilledWorker):
            raise Failed(f"a worker cannot make points: {why}") from why
        if len(lines) > 1:
            self._alone.extend(lines)
            return []
        self._took_workers[lines[0]] += 1
        if self._took_workers[lines[0]] < _TRIES:
            self._alone.extend(lines)
            return []
        return [_Answer(lines[0], None, f"every worker that made it died: {why}")]


class _Connection:
    """The client: the caller's, one to an address, or one to a cluster of this process."""

    def __init__(self, given: Any) -> None:
        self._given = given
        self._cluster: Any = None
        self._client: Any = None

    def client(self) -> Any:
        if self._client is None:
            self._client = self._open()
        return self._client

    def _open(self) -> Any:
        distributed = _distributed()
        if isinstance(self._given, (str, os.PathLike)):
            try:
                return distributed.Client(os.fspath(self._given), timeout=_PATIENCE, set_as_default=False)
            except OSError as why:
                raise Failed(f"no scheduler answers at {self._given} ({why}): start one with `dask scheduler`") from why
        if self._given is not None:
            return self._given
        # Points run without Python's lock: threads are enough, and start at once.
        self._cluster = distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=os.cpu_count() or 1,
            processes=False,
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
            memory_limit=0,
            silence_logs=logging.ERROR,
        )
        return distributed.Client(self._cluster, set_as_default=False)

    def again(self) -> None:
        """After the scheduler was gone: connects to the one that is there now."""
        if isinstance(self._given, (str, os.PathLike)):
            _quietly_closed(self._client)
            self._client = None
        elif self._client.status != "running":
            raise Failed("the scheduler is gone, and the client that was given is closed")

    def close(self, work: _Work) -> None:
        if self._client is None:
            return
        try:
            self._client.cancel(list(work.on_the_way))
        except Exception:  # Of a scheduler that is gone: then nothing is left to cancel.
            pass
        if self._given is None or isinstance(self._given, (str, os.PathLike)):
            _quietly_closed(self._client)
        if self._cluster is not None:
            self._cluster.close()


def _quietly_closed(client: Any) -> None:
    try:
        client.close(timeout=2)
    except Exception:  # It was broken before.
        pass


def _threads(client: Any) -> int:
    """Threads of all workers; at least one, for workers that are still to come."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return max(1, sum(int(worker["nthreads"]) for worker in workers))


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as why:
        raise Failed(f"drivelab.fleet needs dask.distributed ({why}): pip install 'drivelab[fleet]'") from why
    return distributed
