"""``python -m drivelab fleet ADDRESS``: the part of ``drivelab sweep --scheduler`` that speaks with Dask.

Standard input has a point a line. Standard output has a line for each as it comes: its number from 0, and its result or
why there is none.
"""

from __future__ import annotations

import json
import sys

from . import fleet
from ._errors import DrivelabError


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] != "fleet":
        print("usage: python -m drivelab fleet ADDRESS < POINTS", file=sys.stderr)
        return 2
    lines = sys.stdin.read().splitlines()
    numbers: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        numbers.setdefault(line, []).append(number)
    try:
        for made in fleet.as_completed(map(fleet.Point, lines), arguments[1], progress=False):
            for number in numbers[made.point.line]:
                result = None if made.why_not is not None else json.loads(made.text)
                print(json.dumps({"point": number, "result": result, "why_not": made.why_not}), flush=True)
    except DrivelabError as why:
        print(why, file=sys.stderr)
        return why.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
