"""drivelab: measures storage drives, and runs the same methods on modelled ones.

>>> import drivelab
>>> evo = drivelab.drive("samsung-840-evo-250gb", state="steady-random")
>>> result = drivelab.run("crystaldiskmark", evo, scale="quick", seed=1)
>>> print(result["rnd4k-q1t1.read"])  # doctest: +SKIP
"""

from . import fleet
from ._comparison import Comparison, compare
from ._drivelab import VERSION as __version__
from ._errors import DrivelabError, Failed, Interrupted, Invalid, Rejected, Suspect
from ._figure import Figure, Interval
from ._frame import Frame
from ._progress import Progress
from ._replay import FLUSH, READ, TRIM, WRITE, Replayed, replay
from ._result import Figures, Plot, Result, report
from ._store import Store, load
from ._sweep import Sweep, sweep
from ._target import Drive, Forecast, Method, Setting, drive, drives, forecast, method, methods, run

__all__ = [
    "Comparison",
    "Drive",
    "DrivelabError",
    "FLUSH",
    "Failed",
    "Figure",
    "Figures",
    "Forecast",
    "Frame",
    "Interrupted",
    "Interval",
    "Invalid",
    "Method",
    "Plot",
    "Progress",
    "READ",
    "Rejected",
    "Replayed",
    "Result",
    "Setting",
    "Store",
    "Suspect",
    "Sweep",
    "TRIM",
    "WRITE",
    "__version__",
    "compare",
    "drive",
    "drives",
    "fleet",
    "forecast",
    "load",
    "method",
    "methods",
    "replay",
    "report",
    "run",
    "sweep",
]
