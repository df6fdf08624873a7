"""The exercise of lesson 16: DCG and NDCG in fifteen lines of Python, with three gaps to fill.

The learner's file runs in a process of its own, on the learner's own machine and with the learner's
own rights: it is their program, and nothing shields them from it. It may take ten seconds.
"""

from __future__ import annotations

import ast
import json
import math
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from relyon.core.errors import InputError
from relyon.core.texts import Catalogue, Language, catalogue, message
from relyon.learn.mistakes import DCG_MISTAKES, NDCG_MISTAKES, Case, expected, same

__all__ = ["FILE", "LIMIT", "Verdict", "cases", "check_exercise", "write_exercise"]

#: The file's name.
FILE = "dcg.py"
#: Seconds that the learner's file may take.
LIMIT = 10.0
#: Lists drawn besides those that are chosen, and their longest.
DRAWN, LONGEST = 200, 12
#: What is timed: so many lists of so many documents.
TIMED = (500, 50)

CODE = '''"""{title}

{how}
"""

from math import log2


def dcg(grades):
    """{dcg}"""
    total = 0.0
    for rank, grade in enumerate(grades, start=1):
        total += ...  # 1: {first}
    return total


def ndcg(grades, judged):
    """{ndcg}"""
    ideal = ...  # 2: {second}
    best = dcg(ideal)
    return ...  # 3: {third}
'''


@dataclass(frozen=True)
class Verdict:
    """What was found in the learner's file.

    Attributes:
        right: Whether it computes what relyon does, on every list.
        lines: The sentences about it.
    """

    right: bool
    lines: tuple[str, ...]


def write_exercise(folder: Path, language: Language = "en") -> Path:
    """Writes the file with the gaps, and returns its path.

    Args:
        folder: Created if missing.
        language: The language of the comments.

    Raises:
        InputError: If the file exists: it may be somebody's work.
    """
    path = folder / FILE
    if path.exists():
        raise InputError(
            message("learn.exercise-exists", path=str(path)),
            hint=message("learn.exercise-other-folder"),
        )
    words = catalogue("learn", language)
    parts = ("title", "how", "dcg", "ndcg", "first", "second", "third")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(CODE.format(**{one: words[f"exercise.{one}"] for one in parts}), "utf-8")
    return path


@cache
def cases() -> tuple[Case, ...]:
    """Returns the lists that a solution is tried on, the simplest first.

    The chosen ones have one document, equal grades, nothing relevant, documents not returned, no
    document at all, grades with fractions and with two digits; the others are drawn, always the
    same.
    """
    chosen: list[tuple[Sequence[float], Sequence[float]]] = [
        ([1], []), ([3], []), ([3, 2, 0], []), ([2, 3, 0], []), ([0, 3, 2, 1], []), ([2, 2, 2], []),
        ([0], []), ([0, 0], []), ([2, 3, 0], [2]), ([3, 2, 3, 0, 1, 2], [3, 0]), ([0, 0], [2]),
        ([], []), ([], [1]), ([0.5, 1, 0], [0.25]), ([2, 10, 0], [9]),
    ]  # fmt: skip
    rng = random.Random(20261128)
    for _ in range(DRAWN):
        grades = [rng.randint(0, 4) for _ in range(rng.randint(1, LONGEST))]
        chosen.append((grades, [rng.randint(0, 4) for _ in range(rng.randint(0, 4))]))
    found = []
    for returned, missing in chosen:
        judged = [*missing, *returned]
        rng.shuffle(judged)
        found.append(Case(tuple(returned), tuple(judged), tuple(missing)))
    return tuple(found)


def check_exercise(path: Path, language: Language = "en") -> Verdict:
    """Runs a solution on many lists, and compares it with relyon.

    Args:
        path: The learner's file.
        language: The language of the sentences.

    Returns:
        What was found: where it cannot run, with the line; the first list where it differs, what
        was expected there, and the likely mistake; or that it is right, and how fast it is.

    Raises:
        InputError: If the file cannot be read.
    """
    words = catalogue("learn", language)
    try:
        source = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise InputError(
            message("learn.exercise-cannot-be-read", path=str(path)),
            hint=message("learn.exercise-is-written"),
        ) from None
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        return Verdict(False, (words.say("exercise.syntax", line=line, error=said),))
    gaps = _gaps(tree)
    if gaps:
        return Verdict(False, (words.say("exercise.gap", lines=", ".join(map(str, gaps))),))
    answer = _run(path)
    if answer is None:
        return Verdict(False, (words.say("exercise.too_long", seconds=f"{LIMIT:g}"),))
    return _judged(answer, language)


def _gaps(tree: ast.Module) -> list[int]:
    """Returns the lines on which there still is a gap: `...`, but not as in `tuple[int, ...]`."""
    indices = (node.slice for node in ast.walk(tree) if isinstance(node, ast.Subscript))
    allowed = {node for one in indices for node in ast.walk(one)}
    return sorted(
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value is Ellipsis and node not in allowed
    )


def _run(path: Path) -> dict[str, object] | None:
    """Runs the learner's file in a process of its own; `None` if it takes too long."""
    program = resources.files("relyon.learn").joinpath("exercise_run.py").read_text("utf-8")
    count, length = TIMED
    rng = random.Random(1)
    timed = [[rng.randint(0, 4) for _ in range(length)] for _ in range(count)]
    asked = {
        "path": str(path.resolve()),
        "cases": [[list(one.grades), list(one.judged)] for one in cases()],
        "timed": timed,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", program],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    last = (done.stdout.splitlines() or [""])[-1]
    try:
        found = json.loads(last)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        # The program ended itself, by `exit()` for example.
        return {"error": ["", f"exit code {done.returncode}", 0, None]}
    return {**found, "timed": timed}


def _judged(answer: dict[str, object], language: Language) -> Verdict:
    words = catalogue("learn", language)
    lacking = answer.get("lacking")
    if lacking:
        return Verdict(False, (words.say("exercise.no_function", name=lacking),))
    for function in ("dcg", "ndcg"):
        # A wrong DCG may stop NDCG, and is then the cause: it comes first.
        values = answer.get(function)
        lines = _differs(function, values, language) if isinstance(values, list) else []
        if lines:
            return Verdict(False, tuple(lines))
    if isinstance(answer.get("error"), list):
        return Verdict(False, tuple(_stopped(answer["error"], words)))
    return Verdict(True, (words.say("exercise.right", count=len(cases())), *_speed(answer, words)))


def _stopped(error: object, words: Catalogue) -> list[str]:
    """Returns where the learner's lines stopped, on which list, and why."""
    if not isinstance(error, list):
        raise TypeError(error)
    kind, text, line, place = error
    lines = [words.say("exercise.error", error=f"{kind}: {text}".strip(": "), line=line)]
    if isinstance(place, list):
        function, number = place
        case = cases()[number]
        lines.append(words.say("exercise.on", call=_call(function, case)))
        if kind == "ZeroDivisionError":
            lines.append(words[f"exercise.zero_{function}"])
        elif kind in {"IndexError", "ValueError"} and not case.grades:
            lines.append(words["exercise.empty"])
        elif text == "'NoneType' object is not iterable":
            lines.append(words["exercise.in_place"])
    return lines


def _differs(function: str, values: list[object], language: Language) -> list[str]:
    """Returns the first list that comes out differently, and the likely mistake, if one does."""
    words = catalogue("learn", language)
    right = [expected(function, one) for one in cases()]
    wrong = [n for n, one in enumerate(right) if not same(values[n], one)]
    if not wrong:
        return []
    first = wrong[0]
    shown, wanted = (_shown(one, language) for one in (values[first], right[first]))
    if shown == wanted:
        shown, wanted = str(values[first]), str(right[first])
    call = _call(function, cases()[first])
    lines = [words.say("exercise.differs", call=call, value=shown, expected=wanted)]
    name = _mistake(function, values, right, wrong)
    if name is not None:
        lines.append(words.say("exercise.likely", mistake=words[f"exercise.mistake.{name}"]))
    return lines


def _mistake(
    function: str, values: list[object], right: list[float | None], wrong: list[int]
) -> str | None:
    """Returns the name of the mistake that makes these values; `None` if it is none we know."""
    if all(one is None for one in values):
        return "no_return"
    mistakes = DCG_MISTAKES if function == "dcg" else NDCG_MISTAKES
    # With two mistakes at once, the one is named that the first wrong lists show: those without a
    # right value, or those with one.
    undefined = right[wrong[0]] is None
    alike = [n for n in wrong if (right[n] is None) == undefined][:3]
    for places in (range(len(values)), alike):
        for name, mistake in mistakes.items():
            if all(same(values[n], mistake(cases()[n])) for n in places):
                return name
    if undefined:
        return "undefined_other"
    near = all(
        isinstance(one, int | float) and abs(one - other) < 0.051
        for one, other in zip(values, right, strict=True)
        if other is not None
    )
    return "rounded" if near else None


def _speed(answer: dict[str, object], words: Catalogue) -> list[str]:
    """Returns a sentence about the time that the learner's lines took, and relyon; none if long."""
    import relyon

    timed, seconds = answer["timed"], answer["seconds"]
    if seconds is None:
        return []
    if not isinstance(timed, list) or not isinstance(seconds, float):
        raise TypeError(seconds)
    judgments = {
        str(query): {str(place): grade for place, grade in enumerate(grades)}
        for query, grades in enumerate(timed)
    }
    run = {
        str(query): {str(place): float(-place) for place in range(len(grades))}
        for query, grades in enumerate(timed)
    }
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        relyon.evaluate(judgments, run, ["ndcg"])
        times.append(time.perf_counter() - begin)
    own = min(times)
    return [
        words.say(
            "exercise.time",
            lists=len(timed),
            documents=len(timed[0]),
            yours=f"{seconds * 1000:.1f}",
            relyons=f"{own * 1000:.1f}",
        )
    ]


def _call(function: str, case: Case) -> str:
    grades = _list(case.grades)
    return f"dcg({grades})" if function == "dcg" else f"ndcg({grades}, {_list(case.judged)})"


def _list(grades: Sequence[float]) -> str:
    return f"[{', '.join(f'{one:g}' for one in grades)}]"


def _shown(value: object, language: Language) -> str:
    """Returns a value as the sentences show it."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return catalogue("learn", language)["exercise.none"]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.6g}"
    return str(value)
