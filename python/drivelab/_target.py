"""Targets and methods: what is measured, and how."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

from . import _drivelab
from ._errors import Invalid
from ._frame import Frame
from ._progress import ProgressArgument, Shown
from ._result import Result
from ._store import Store

if TYPE_CHECKING:
    from ._replay import Replayed

Option = Union[str, int, float, bool]
StoreArgument = Union[str, os.PathLike[str], Store, None]
TargetArgument = Union[str, os.PathLike[str], "Drive"]
MethodArgument = Union[str, "Method"]


def option_text(value: Option) -> str:
    """A value as the grammar of targets and settings writes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


class Drive:
    """A target: a modelled drive, a path, or layers over them, by the grammar of the command line."""

    def __init__(self, name: TargetArgument, **options: Option) -> None:
        pairs = [(key, option_text(value)) for key, value in options.items()]
        self.name: str = _drivelab.target_name(target_text(name), pairs)

    def with_options(self, **options: Option) -> Drive:
        """The same target with other options of its outermost part."""
        return Drive(self.name, **options)

    @cached_property
    def _info(self) -> tuple[int, int, int, bool]:
        return _drivelab.read_options(self.name)

    @property
    def capacity(self) -> int:
        """Bytes that it holds."""
        return self._info[0]

    @property
    def block(self) -> int:
        """Bytes of a logical block: offsets and lengths are multiples of it."""
        return self._info[1]

    @property
    def most_in_flight(self) -> int:
        """I/Os that it takes at once."""
        return self._info[2]

    @property
    def is_a_model(self) -> bool:
        """Whether it is modelled: nothing of it can be lost or worn."""
        return self._info[3]

    def parameters(self) -> Frame:
        """Every value of its modelled drives, with unit, source and reason; ``given`` is what an option puts in its
        place."""
        return Frame(_drivelab.parameters(self.name))

    def run(self, method: MethodArgument, **arguments: Any) -> Result:
        """Runs a method on it; see :func:`drivelab.run`."""
        return run(method, self, **arguments)

    def forecast(self, method: MethodArgument, **arguments: Any) -> Forecast:
        """What a run of a method would take; see :func:`drivelab.forecast`."""
        return forecast(method, self, **arguments)

    def replay(self, **arrays: Any) -> Replayed:
        """Replays arrays of I/Os on it, a modelled drive; see :func:`drivelab.replay`."""
        from ._replay import replay

        return replay(self, **arrays)

    def __repr__(self) -> str:
        return f"Drive({self.name!r})"


def drive(name: str, **options: Option) -> Drive:
    """A modelled drive of the catalogue, or of a drive file by its path, with the options of ``model:NAME?...``.

    ``drive("samsung-840-evo-250gb", state="steady-random", **{"ssd.nand.dies": 32})``
    """
    return Drive(name if name.startswith("model:") else f"model:{name}", **options)


def target_text(target: TargetArgument) -> str:
    """A target's name. A ``pathlib.Path`` is a path whatever letters it has; a text is read by the grammar."""
    if isinstance(target, Drive):
        return target.name
    if isinstance(target, str):
        return target
    return "".join(f"%{ord(letter):02X}" if letter in "%(),?&" else letter for letter in os.fspath(target))


@dataclass(frozen=True)
class Setting:
    """A setting of a method."""

    key: str
    help: str
    #: Which values it takes, in words.
    takes: str
    quick: str
    default: str
    full: str


class Method:
    """A method's card: what it measures, who published it, what can be set."""

    def __init__(self, card: Mapping[str, Any]) -> None:
        self.card = card
        self.id: str = card["id"]
        self.title: str = card["title"]
        self.summary: str = card["summary"]
        self.publisher: str = card["publisher"]
        self.version: int = card["version"]
        self.settings: Mapping[str, Setting] = {one["key"]: Setting(**one) for one in card["settings"]}

    def run(self, target: TargetArgument, **arguments: Any) -> Result:
        """Runs it; see :func:`drivelab.run`."""
        return run(self, target, **arguments)

    def forecast(self, target: TargetArgument, **arguments: Any) -> Forecast:
        """What a run would take; see :func:`drivelab.forecast`."""
        return forecast(self, target, **arguments)

    def __repr__(self) -> str:
        head = [f"{self.id}: {self.title}", f"  {self.summary}", f"  Publisher: {self.publisher}"]
        rows = [f"  {s.key} = {s.quick} | {s.default} | {s.full}: {s.help} ({s.takes})" for s in self.settings.values()]
        return "\n".join(head + rows)

    def _repr_html_(self) -> str:
        row = "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{} ({})</td></tr>"
        rows = "".join(
            row.format(*(escape(text) for text in (s.key, s.quick, s.default, s.full, s.help, s.takes)))
            for s in self.settings.values()
        )
        head = "<tr><th>setting</th><th>quick</th><th>default</th><th>full</th><th></th></tr>"
        return (
            f"<h4>{escape(self.title)} <code>{escape(self.id)}</code></h4><p>{escape(self.summary)}</p>"
            f"<p>{escape(self.publisher)}</p><table>{head}{rows}</table>"
        )


def methods() -> Mapping[str, Method]:
    """All methods by their names."""
    listed = json.loads(_drivelab.methods())["methods"]
    return {card["id"]: Method(card) for card in listed}


def method(name: str) -> Method:
    """The method of a name."""
    found = methods().get(name)
    if found is None:
        raise Invalid(f"there is no method '{name}'; drivelab.methods() lists them")
    return found


def drives() -> Mapping[str, Mapping[str, Any]]:
    """All modelled drives by their names: title, maker, capacity, kind, link, year, what they are known by."""
    listed = json.loads(_drivelab.drives())["drives"]
    return {card["slug"]: card for card in listed}


@dataclass(frozen=True)
class Forecast:
    """What a run would take, at most."""

    #: Idle time included; virtual time on a modelled drive.
    seconds: float
    #: Where ``seconds`` is an estimate: the rate that was assumed, in MB/s.
    assumed_mb_s: Optional[float]
    #: About how long a processor takes to simulate it; ``None`` of a real drive.
    processor_seconds: Optional[float]
    bytes_read: int
    bytes_written: int
    #: First byte and length of each range that is written.
    written: tuple[tuple[int, int], ...]
    #: The same in words.
    lines: tuple[str, ...]
    #: Why the run would be refused; ``None`` where it would not.
    refused: Optional[str]

    def __str__(self) -> str:
        return "\n".join(self.lines)


def _asked(
    method: MethodArgument,
    target: TargetArgument,
    scale: str,
    seed: int,
    repeat: Union[int, str],
    settings: Mapping[str, Option],
    destroy_data: bool,
    confirm: Optional[str],
) -> dict[str, Any]:
    name = method_name(method)
    where = target_text(target)
    return {
        "method": name,
        "target": where,
        "scale": scale,
        "seed": seed,
        "repeat": str(repeat),
        "set": set_text(settings),
        "destroy_data": destroy_data,
        "confirm": confirm,
        "command": ["python", "drivelab.run", name, where],
    }


def method_name(method: MethodArgument) -> str:
    """A method's name."""
    return method.id if isinstance(method, Method) else method


def set_text(settings: Mapping[str, Option]) -> list[str]:
    """Settings as the command line writes them, each ``KEY=VALUE``."""
    return [f"{key}={_yes_or_no(value) if isinstance(value, bool) else value}" for key, value in settings.items()]


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


def forecast(
    method: MethodArgument,
    target: TargetArgument,
    *,
    scale: str = "default",
    seed: int = 1,
    repeat: Union[int, str] = 1,
    settings: Mapping[str, Option] = {},
    destroy_data: bool = False,
    confirm: Optional[str] = None,
) -> Forecast:
    """What a run would take: time, bytes, and every range that it would write. Nothing is made or opened for writing."""
    asked = _asked(method, target, scale, seed, repeat, settings, destroy_data, confirm)
    told = json.loads(_drivelab.forecast(asked))
    told["written"] = tuple((start, length) for start, length in told["written"])
    told["lines"] = tuple(told["lines"])
    return Forecast(**told)


def run(
    method: MethodArgument,
    target: TargetArgument,
    *,
    scale: str = "default",
    seed: int = 1,
    repeat: Union[int, str] = 1,
    settings: Mapping[str, Option] = {},
    store: StoreArgument = None,
    progress: ProgressArgument = None,
    destroy_data: bool = False,
    confirm: Optional[str] = None,
) -> Result:
    """Runs a method on a target, as ``drivelab run`` does: the same seed gives the same figures.

    ``settings`` are those of the method's card; ``repeat`` is a number or ``"auto:5%,max=20"``. The result is stored
    where ``store`` names a database. Other threads run meanwhile; Ctrl-C raises :class:`drivelab.Interrupted`, which has
    what was measured.

    A device or file of yours is only read. To let a method overwrite it, pass ``destroy_data=True`` and, in
    ``confirm``, the drive's own serial number or name (of a file its path): the guards are those of the command line,
    and the exception lists the reasons.
    """
    asked = _asked(method, target, scale, seed, repeat, settings, destroy_data, confirm)
    with Shown(progress) as hear:
        return Result(_drivelab.run(asked, store_path(store), hear))


def store_path(store: StoreArgument) -> Optional[str]:
    """The path of a store's database."""
    if store is None:
        return None
    return store.path if isinstance(store, Store) else os.fspath(store)
