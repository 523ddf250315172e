"""Progress of a run: given to a callback, or shown by tqdm or rich where one of them is installed."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Union

_LOG = logging.getLogger("drivelab")


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    target: str
    method: str
    phase: str
    #: Rate of the phase so far, in MB/s (10^6).
    mb_s: Optional[float]
    #: I/Os a second of the phase so far.
    iops: Optional[float]
    #: Progress of the method, 0 to 1, where that is known.
    fraction: Optional[float]
    #: Seconds left, where they are known; virtual time on a modelled drive.
    left_seconds: Optional[float]
    #: Whether the time is that of a modelled drive.
    simulated: bool


Callback = Callable[[Progress], object]
#: ``None`` shows it where a person looks (a terminal, a notebook) and tqdm or rich is there; ``False`` never does.
ProgressArgument = Union[Callback, bool, None]
_Native = Callable[[Mapping[str, Any]], None]


class Shown:
    """A context with the callback that the native module is given."""

    def __init__(self, progress: ProgressArgument) -> None:
        self._bar: Optional[_Bar] = None
        self._callback: Optional[Callback] = None
        if callable(progress):
            self._callback = progress
        elif progress is True or (progress is None and _somebody_looks()):
            self._bar = _bar()

    def __enter__(self) -> _Native:
        return self._hear

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def _hear(self, told: Mapping[str, Any]) -> None:
        if "said" in told:
            _LOG.info("%s", told["said"])
            return
        if "of" in told:
            told = _of_parts(told["done"], told["of"])
        progress = Progress(**told)
        if self._callback is not None:
            self._callback(progress)
        elif self._bar is not None:
            self._bar.show(progress)


def _of_parts(done: int, of: int) -> Mapping[str, Any]:
    part = f"{done} of {of}"
    unknown = dict.fromkeys(("mb_s", "iops", "left_seconds"))
    return dict(target="", method="", phase=part, fraction=done / max(of, 1), simulated=True, **unknown)


def _somebody_looks() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class _Bar:
    def show(self, progress: Progress) -> None:
        """Shows it."""

    def close(self) -> None:
        """Removes what was shown."""


class _Tqdm(_Bar):
    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(total=100, leave=False, bar_format="{desc} {percentage:3.0f}%|{bar}|{postfix}")

    def show(self, progress: Progress) -> None:
        self._bar.set_description_str(f"{progress.method}, {progress.phase}", refresh=False)
        self._bar.set_postfix_str(_rate(progress), refresh=False)
        if progress.fraction is not None:
            self._bar.n = min(100.0, 100.0 * progress.fraction)
        self._bar.refresh()

    def close(self) -> None:
        self._bar.close()


class _Rich(_Bar):
    def __init__(self, rich: Any) -> None:
        self._bar = rich.Progress(transient=True)
        self._bar.start()
        self._task = self._bar.add_task("", total=1.0)

    def show(self, progress: Progress) -> None:
        said = f"{progress.method}, {progress.phase} {_rate(progress)}"
        self._bar.update(self._task, description=said, completed=progress.fraction or 0.0)

    def close(self) -> None:
        self._bar.stop()


def _rate(progress: Progress) -> str:
    return "" if progress.mb_s is None else f"{progress.mb_s:.0f} MB/s"


def _bar() -> Optional[_Bar]:
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        pass
    else:
        return _Tqdm(tqdm)
    try:
        import rich.progress
    except ImportError:
        return None
    return _Rich(rich.progress)
