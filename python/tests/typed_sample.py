"""What a user's typed script may look like; test_types.py checks it, nothing runs it."""

from __future__ import annotations

from typing import Optional

import drivelab

drive: drivelab.Drive = drivelab.drive("samsung-840-evo-250gb", state="steady-random", **{"ssd.nand.dies": 32})
forecast: drivelab.Forecast = drive.forecast("slc-fill", scale="quick")
seconds: float = forecast.seconds


def shown(progress: drivelab.Progress) -> None:
    print(progress.fraction, progress.mb_s)


try:
    result: drivelab.Result = drivelab.run("slc-fill", drive, scale="quick", seed=7, progress=shown)
except drivelab.Interrupted as interrupted:
    kept: Optional[drivelab.Result] = interrupted.result
    raise

figure: drivelab.Figure = result["seq.write"]
value: Optional[float] = figure.value
if figure.interval is not None:
    low: float = figure.interval.low
series: drivelab.Frame = result.series()
latency: memoryview[int] = drivelab.replay(drive, offset=[0, 4096], length=4096).latency_ns
ratio: Optional[float] = drivelab.compare(result, result).ratio("seq.write")
