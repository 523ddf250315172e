"""Exceptions: one class for each exit code of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Optional, Sequence

if TYPE_CHECKING:
    from . import _drivelab
    from ._replay import Replayed
    from ._result import Result


class DrivelabError(Exception):
    """What all of drivelab's exceptions are.

    The message is one line: what happened, where, what to do. ``reasons`` are the reasons one by one, where a drive is
    not overwritten or is rejected.
    """

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        message: str,
        *,
        reasons: Sequence[str] = (),
        measured: Optional[_drivelab.RunResult] = None,
    ) -> None:
        super().__init__(message)
        self.reasons: tuple[str, ...] = tuple(reasons)
        self._measured = measured

    @property
    def result(self) -> Optional[Result]:
        """What was measured all the same: the phases until an interrupt, or a result that the store did not take."""
        from ._result import Result

        return None if self._measured is None else Result(self._measured)


class Failed(DrivelabError):
    """It failed: every I/O of a phase, a drive that went away, a full disk."""

    exit_code = 1


class Invalid(DrivelabError):
    """The request is invalid, or not allowed; nothing was run."""

    exit_code = 2


class Rejected(DrivelabError):
    """A drive is failing, or a requirement is not met."""

    exit_code = 3


class Suspect(DrivelabError):
    """A requirement is not decided: its limit is inside the figure's interval."""

    exit_code = 4


class Interrupted(DrivelabError, KeyboardInterrupt):
    """Ctrl-C. It is a ``KeyboardInterrupt``, too; ``result`` has what was measured until then, and ``replayed`` the times
    of an array of I/Os."""

    exit_code = 130

    def __init__(
        self,
        message: str,
        *,
        reasons: Sequence[str] = (),
        measured: Optional[_drivelab.RunResult] = None,
        replayed: Optional[Replayed] = None,
    ) -> None:
        super().__init__(message, reasons=reasons, measured=measured)
        self.replayed = replayed
