"""Runs a learner's `dcg.py` on lists, in a process of its own, and prints what it computes.

It is given to Python as text: it reads JSON from the standard input, and prints one line of JSON.
What the learner's file prints goes nowhere.
"""

import json
import numbers
import os
import sys
import time
import traceback
from collections.abc import Callable
from decimal import Decimal
from types import ModuleType


def main() -> None:
    """Runs every list; stops at the first error."""
    asked = json.load(sys.stdin)
    path, out = asked["path"], sys.stdout
    place: list[object] | None = None
    found: dict[str, object] = {}
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - the process ends soon
    try:
        with open(path, encoding="utf-8-sig") as file:
            code = compile(file.read(), path, "exec")
        # A data class with late annotations looks for its module by name.
        module = sys.modules["dcg"] = ModuleType("dcg")
        names = vars(module)
        names["__file__"] = path
        exec(code, names)
        lacking = [one for one in ("dcg", "ndcg") if not callable(names.get(one))]
        if lacking:
            found["lacking"] = lacking[0]
        for function in ("dcg", "ndcg") if not lacking else ():
            call = names[function]
            values: list[object] = []
            for number, (grades, judged) in enumerate(asked["cases"]):
                place = [function, number]
                given = (list(grades),) if function == "dcg" else (list(grades), list(judged))
                values.append(plain(call(*given)))
            found[function] = values
        place = None
        found["seconds"] = None if lacking else fastest(names["ndcg"], asked["timed"])
    except BaseException as error:  # the learner's lines may raise anything
        lines = [one.lineno for one in traceback.extract_tb(error.__traceback__)
                 if one.filename == path]  # fmt: skip
        line = lines[-1] if lines else getattr(error, "lineno", 0) or 0
        found["error"] = [type(error).__name__, str(error), line, place]
    print(json.dumps(found), file=out, flush=True)
    os._exit(0)


def fastest(call: Callable[..., object], lists: list[list[float]]) -> float | None:
    """Returns the seconds that the lists take, the best of three; `None` if more than one.

    A right solution may be slow, with fractions for example, and is not refused for it.
    """
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        for grades in lists:
            call(grades, grades)
            if time.perf_counter() - begin > 1:
                return None
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def plain(value: object) -> object:
    """Returns a number of any library as JSON writes it; anything else as Python shows it."""
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "size", 1) == 1:
        value = item()
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, numbers.Real | Decimal):
        return float(value)
    return repr(value)[:80]


if __name__ == "__main__":
    main()
