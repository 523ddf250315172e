"""Arrays of I/Os on modelled drives."""

from __future__ import annotations

import random
from array import array

import pytest

import drivelab

NULL = "null:?service=3us"


def test_each_io_has_its_times() -> None:
    replayed = drivelab.replay(
        NULL, time_ns=[0, 1_000, 500_000], op=["read", "write", "flush"], offset=[0, 4096, 0], length=4096
    )
    assert replayed["due_ns"] == [0, 1_000, 500_000] == replayed["sent_ns"]
    assert list(replayed.latency_ns) == [3_000] * 3 == list(replayed.response_ns)
    assert replayed["errno"] == [0, 0, 0]


def test_any_buffer_and_any_sequence_is_the_same() -> None:
    offsets = [4096 * random.Random(1).randrange(1_000) for _ in range(100)]
    drive = drivelab.drive("samsung-840-evo-250gb")
    as_list = drive.replay(offset=offsets, length=4096, op="write", depth=4)
    as_array = drive.replay(offset=array("q", offsets), length=array("q", [4096] * 100), op=bytes([1] * 100), depth=4)
    assert as_list.to_dict() == as_array.to_dict()


def test_numpy_arrays_go_in_and_come_out() -> None:
    numpy = pytest.importorskip("numpy")
    offset = numpy.arange(1_000, dtype="int64") * 8_192
    op = (numpy.arange(1_000) % 2).astype("uint8")
    time_ns = numpy.arange(1_000) * 50_000
    drive = drivelab.drive("samsung-840-evo-250gb")
    replayed = drive.replay(time_ns=time_ns, op=op, offset=offset[::1], length=numpy.int64(4096).item())
    latency = numpy.asarray(replayed.latency_ns)
    assert latency.dtype == numpy.int64 and (latency > 0).all()
    strided = drive.replay(time_ns=time_ns, op=op, offset=numpy.repeat(offset, 2)[::2], length=4096)
    assert (numpy.asarray(strided.latency_ns) == latency).all()
    narrow = drive.replay(time_ns=time_ns, op=op, offset=(offset // 8).astype("uint32") * 8, length=4096)
    assert (numpy.asarray(narrow.latency_ns) == latency).all()


def test_a_faster_pace_makes_ios_wait() -> None:
    drive = drivelab.drive("samsung-840-evo-250gb")
    arrays = dict(time_ns=list(range(0, 20_000_000, 20_000)), offset=[0] * 1_000, length=65_536, op="write")
    slow, fast = (drive.replay(**arrays, speed=speed) for speed in (0.01, 100.0))
    assert max(fast.response_ns) > max(slow.response_ns)


def test_a_replay_tells_how_far_it_is_and_an_interrupt_keeps_the_times_so_far() -> None:
    count = 400_000
    heard: list[drivelab.Progress] = []
    whole = drivelab.replay("null:", offset=[0] * count, length=4096, progress=heard.append)
    assert heard and heard[-1].fraction is not None and 0 < heard[-1].fraction <= 1
    assert -1 not in whole.latency_ns

    def stop(progress: drivelab.Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(drivelab.Interrupted) as stopped:
        drivelab.replay("null:", offset=[0] * 20 * count, length=4096, progress=stop)
    part = stopped.value.replayed
    assert part is not None and len(part) == 20 * count
    complete = [latency for latency in part.latency_ns if latency >= 0]
    assert 0 < len(complete) < len(part)
    assert complete[:1_000] == list(whole.latency_ns[:1_000])

    def fail(progress: drivelab.Progress) -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        drivelab.replay("null:", offset=[0] * count, length=4096, progress=fail)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"offset": [1]}, "512"),
        ({"offset": [-512]}, "below 0"),
        ({"offset": [1 << 60]}, "1"),
        ({"length": 0}, "."),
        ({"length": [512, 512]}, "2 values"),
        ({"op": "erase"}, "no operation"),
        ({"op": [7]}, "no operation"),
        ({"op": bytes([7])}, "op.0. is 7"),
        ({"offset": [0.5]}, "whole numbers"),
        ({"time_ns": [0], "speed": 0}, "above 0"),
        ({"time_ns": [5, 3], "offset": [0, 0]}, "sort the list"),
    ],
)
def test_what_makes_no_sense_is_invalid(change: dict[str, object], said: str) -> None:
    arguments = {"offset": [0], "length": 512, **change}
    with pytest.raises(drivelab.Invalid, match=said):
        drivelab.replay("null:", **arguments)  # type: ignore[arg-type]


def test_a_real_target_is_refused(tmp_path: object) -> None:
    with pytest.raises(drivelab.Invalid, match="modelled drive alone"):
        drivelab.replay(str(tmp_path), offset=[0], length=4096)
