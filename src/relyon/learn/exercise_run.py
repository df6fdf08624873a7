"""Runs a learner's `dcg.py` on lists, in a process of its own, and prints what it computes.

It is given to Python as text: it reads JSON from the standard input, and prints one line of JSON.
What the learner's file prints goes nowhere.
"""

import json
import os
import sys
import time
import traceback


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
        names: dict[str, object] = {"__name__": "dcg", "__file__": path}
        exec(code, names)
        for function in ("dcg", "ndcg"):
            call = names[function]
            if not callable(call):
                raise TypeError(function)
            values: list[object] = []
            for number, (grades, judged) in enumerate(asked["cases"]):
                place = [function, number]
                given = (list(grades),) if function == "dcg" else (list(grades), list(judged))
                values.append(plain(call(*given)))
            found[function] = values
        place = None
        call = names["ndcg"]
        seconds = []
        for _ in range(3):
            begin = time.perf_counter()
            for grades in asked["timed"]:
                call(grades, grades)  # type: ignore[operator]
            seconds.append(time.perf_counter() - begin)
        found["seconds"] = min(seconds)
    except BaseException as error:  # the learner's lines may raise anything
        lines = [one.lineno for one in traceback.extract_tb(error.__traceback__)
                 if one.filename == path]  # fmt: skip
        line = lines[-1] if lines else getattr(error, "lineno", 0) or 0
        found = {"error": [type(error).__name__, str(error), line, place]}
    print(json.dumps(found), file=out, flush=True)
    os._exit(0)


def plain(value: object) -> object:
    """Returns a value that JSON can hold: NumPy's numbers become Python's."""
    item = getattr(value, "item", None)
    if callable(item):
        value = item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return repr(value)[:80]


if __name__ == "__main__":
    main()
