"""The session of the guide: models, methods, runs, figures, tables, pictures, comparisons."""

from __future__ import annotations

import json
import signal
import threading
import time
from pathlib import Path

import pytest

import drivelab

EVO = "samsung-840-evo-250gb"
SETTINGS = {"time": "1s", "every": "1ms"}


@pytest.fixture(scope="module")
def result() -> drivelab.Result:
    return drivelab.run("latency-watch", drivelab.drive(EVO), scale="quick", settings=SETTINGS)


def test_a_drive_is_named_by_its_options_and_knows_what_it_holds() -> None:
    drive = drivelab.drive(EVO, state="steady-random", **{"ssd.nand.dies": 32})
    assert drive.name == f"model:{EVO}?state=steady-random&ssd.nand.dies=32"
    assert drive.with_options(state="fresh").name.endswith("state=fresh")
    assert drive.is_a_model and drive.capacity == 250_059_350_016 and drive.block == 512


def test_a_drives_parameters_have_sources_and_what_was_put_in_their_place() -> None:
    drive = drivelab.drive(EVO, **{"ssd.nand.dies": 32})
    rows = list(drive.parameters())
    assert {row["source"] for row in rows} <= {"published", "construction", "class", "estimated", "fitted"}
    given = [row for row in rows if row["given"] is not None]
    assert [(row["section"], row["key"], row["given"]) for row in given] == [("nand", "dies", "32")]


def test_a_drive_that_is_not_there_names_the_nearest_ones() -> None:
    with pytest.raises(drivelab.Invalid, match="samsung-840-evo-250gb"):
        drivelab.drive("samsung-840-evo-250g")


def test_a_method_has_a_card() -> None:
    card = drivelab.method("slc-fill")
    assert "slc-fill" in repr(card) and card.settings
    assert "<table>" in card._repr_html_()
    with pytest.raises(drivelab.Invalid, match="no-such"):
        drivelab.method("no-such")


def test_a_forecast_says_time_bytes_and_ranges() -> None:
    forecast = drivelab.forecast("slc-fill", drivelab.drive(EVO), scale="quick")
    assert forecast.seconds > 0 and forecast.bytes_written > 0 and forecast.refused is None
    assert forecast.written[0][0] == 0 and "slc-fill" in str(forecast)


def test_figures_have_value_unit_and_conditions(result: drivelab.Result) -> None:
    figure = result["alone.p99"]
    assert figure.unit == "ms" and figure.better == "lower" and float(figure) > 0
    assert figure.conditions["state"] == "fresh"
    with pytest.raises(KeyError, match="alone.p99"):
        result["alone.p98"]
    assert result.ended == "complete" and result.figures.frame().columns[:3] == ["key", "value", "unit"]


def test_repeats_give_an_interval() -> None:
    result = drivelab.run("latency-watch", "null:", scale="quick", settings={"time": "100ms"}, repeat=6)
    assert result["alone.median"].interval is not None


def test_the_tables_of_a_result(result: drivelab.Result) -> None:
    counts = [row["count"] for row in result.histogram() if row["op"] != "flush"]
    assert sum(counts) == sum(result.series()["ios"])  # type: ignore[arg-type]
    worst = [row["felt_ns"] for row in result.worst() if row["phase"] == "alone"]
    assert worst == sorted(worst, reverse=True) and 0 < len(worst)  # type: ignore[type-var]
    fill = drivelab.run("slc-fill", drivelab.drive(EVO), scale="quick")
    assert len(fill.addresses()) > 10 and fill.curves()["chart"]
    with pytest.raises(KeyError, match="there is no column"):
        result.series()["no-such"]


def test_pictures_and_the_page(result: drivelab.Result, tmp_path: Path) -> None:
    plot = result.plot()
    assert plot._repr_svg_().startswith("<svg")
    with pytest.raises(KeyError, match="there is no picture"):
        result.plot("no-such")
    page = result.report(tmp_path / "report.html", title="A title")
    assert "A title" in page.read_text(encoding="utf-8")
    result.report(page, lang="ja")
    other = tmp_path / "other.html"
    other.write_text("mine")
    with pytest.raises(drivelab.Failed, match="not a report"):
        result.report(other)
    assert other.read_text() == "mine"


def test_a_result_is_its_document(result: drivelab.Result) -> None:
    again = drivelab.Result.from_json(result.to_json())
    assert again.to_json() == result.to_json()
    assert json.loads(result.to_json())["schema"] == "drivelab.result/2"
    with pytest.raises(drivelab.Invalid):
        drivelab.Result.from_json("{}")


def test_a_comparison_gives_a_ratio_or_says_why_not(result: drivelab.Result) -> None:
    drive = drivelab.drive("samsung-840-evo-750gb")
    alike = drivelab.compare(result, drivelab.run("latency-watch", drive, scale="quick", settings=SETTINGS))
    assert alike.refusal is None and alike.ratio("alone.median") is not None
    worn = drivelab.drive(EVO, state="steady-random")
    other = drivelab.run("latency-watch", worn, scale="quick", settings=SETTINGS)
    apart = drivelab.compare(result, other)
    assert apart.ratio("alone.median") is None
    assert any(why.startswith("state (") for why in apart.why_not("alone.median"))
    assert apart.refusal is not None and "what was measured differs" in apart.refusal
    polars = pytest.importorskip("polars")
    table = polars.DataFrame(apart)
    assert table.columns == apart.columns and table.height == len(apart.rows()) > 0
    assert table["value"].to_list() == [row["value"] for row in apart.rows()]
    assert table.filter(key="alone.median")["differs"][0].startswith("state (")
    with pytest.raises(drivelab.Invalid, match="at least two"):
        drivelab.compare(result)


def test_a_setting_that_is_not_one_is_invalid() -> None:
    with pytest.raises(drivelab.Invalid) as caught:
        drivelab.run("latency-watch", "null:", settings={"tim": "1s"})
    assert caught.value.exit_code == 2 and isinstance(caught.value, drivelab.DrivelabError)
    with pytest.raises(drivelab.Invalid, match="scale"):
        drivelab.run("latency-watch", "null:", scale="tiny")


def test_a_failing_drive_is_rejected() -> None:
    failing = drivelab.run("quick-scan", f"fault(model:{EVO})?bad=1MiB+4KiB", scale="quick")
    with pytest.raises(drivelab.Rejected) as caught:
        failing.check()
    assert caught.value.reasons and caught.value.exit_code == 3


def test_progress_is_told_and_other_threads_run() -> None:
    seen: list[drivelab.Progress] = []
    counted = 0
    over = threading.Event()

    def count() -> None:
        nonlocal counted
        while not over.is_set():
            counted += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    settings = {"time": "10s", "load": "none"}
    drivelab.run("latency-watch", drivelab.drive(EVO), scale="quick", settings=settings, progress=seen.append)
    over.set()
    thread.join()
    assert seen and seen[-1].method == "Latency watch" and seen[-1].simulated
    assert counted > 100


def test_ctrl_c_stops_a_run_and_keeps_what_was_measured() -> None:
    def interrupt(progress: drivelab.Progress) -> None:
        if progress.fraction is not None and progress.fraction > 0.2:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught:
        drivelab.run("crystaldiskmark", drivelab.drive(EVO), scale="full", progress=interrupt)
    assert isinstance(caught.value, drivelab.Interrupted)
    kept = caught.value.result
    assert kept is not None and kept.ended != "complete" and len(kept.histogram()) > 0


def test_a_signal_from_outside_stops_a_run_without_a_callback() -> None:
    timer = threading.Timer(0.2, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    timer.start()
    with pytest.raises(drivelab.Interrupted):
        while True:
            drivelab.run("crystaldiskmark", drivelab.drive(EVO), scale="full", progress=False)


def test_a_callback_that_raises_ends_the_run() -> None:
    def fail(progress: drivelab.Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        drivelab.run("crystaldiskmark", drivelab.drive(EVO), scale="full", progress=fail)


def test_requirements_are_met_or_not(result: drivelab.Result) -> None:
    gate = result.require("alone.p99 <= 5s", "latency-watch.alone.median <= 5s")
    assert gate["outcome"] == "met"
    with pytest.raises(drivelab.Rejected, match="1 of 1 requirements") as caught:
        result.require("alone.p99 <= 1ns")
    assert any("alone.p99" in reason for reason in caught.value.reasons)
    with pytest.raises(drivelab.Invalid):
        result.require("alone.p99 <= 5")


def test_a_sweep_gives_a_row_a_point() -> None:
    parts: list[str] = []
    swept = drivelab.sweep(
        "latency-watch",
        drivelab.drive(EVO),
        {"link": ["sata-3", "sata-6"]},
        figures=["alone.median"],
        settings={"time": "100ms"},
        scale="quick",
        progress=lambda progress: parts.append(progress.phase),
    )
    assert [row["link"] for row in swept] == ["sata-3", "sata-6"] and parts[-1] == "2 of 2"
    slow, fast = swept.array("alone.median")
    assert slow > fast
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(swept).to_dicts() == swept.rows()
