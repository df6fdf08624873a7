"""The exercise that runs: right and wrong solutions, what is said of each, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.unit.conftest import Command

from relyon.core.errors import InputError
from relyon.core.texts import LANGUAGES, Language, catalogue
from relyon.learn import course, exercise
from relyon.learn.exercise import cases, check_exercise, write_exercise
from relyon.learn.lesson import Prose
from relyon.learn.mistakes import DCG_MISTAKES, NDCG_MISTAKES, expected, same

FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
GAPS = (
    "grade / log2(rank + 1)",
    "sorted(judged, reverse=True)",
    "dcg(grades) / best if best else None",
)


def taught() -> str:
    lesson = next(one for one in course("en") if one.name == "16-python")
    text = "\n".join(part.text for part in lesson.parts if isinstance(part, Prose))
    found = FENCE.search(text)
    assert found is not None
    return found[1]


def filled(folder: Path, *gaps: str, language: Language = "en") -> Path:
    path = write_exercise(folder, language)
    text = path.read_text("utf-8")
    for number, gap in enumerate(gaps, 1):
        text = text.replace(f"...  # {number}:", f"{gap}  # {number}:")
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_right_lines_are_right(tmp_path: Path, language: Language) -> None:
    verdict = check_exercise(filled(tmp_path, *GAPS, language=language), language)
    words = catalogue("learn", language)
    assert verdict.right
    assert verdict.lines[0] == words.say("exercise.right", count=len(cases()))
    assert len(verdict.lines) == 2


def test_the_lines_of_the_lesson_are_right(tmp_path: Path) -> None:
    path = tmp_path / "dcg.py"
    path.write_text(taught(), "utf-8")
    assert check_exercise(path).right


def test_the_gaps_are_those_of_the_lesson(tmp_path: Path) -> None:
    text = write_exercise(tmp_path).read_text("utf-8")
    for line in ("def dcg(grades):", "def ndcg(grades, judged):", "    best = dcg(ideal)"):
        assert line in text
        assert line in taught()
    verdict = check_exercise(tmp_path / "dcg.py")
    assert not verdict.right
    numbers = [n for n, line in enumerate(text.splitlines(), 1) if "...  #" in line]
    assert len(numbers) == 3
    assert ", ".join(map(str, numbers)) in verdict.lines[0]


WRONG = {
    "exponential": ("(2**grade - 1) / log2(rank + 1)", *GAPS[1:]),
    "precedence": ("2**grade - 1 / log2(rank + 1)", *GAPS[1:]),
    "no_discount": ("grade", *GAPS[1:]),
    "rank_too_high": ("grade / log2(rank + 2)", *GAPS[1:]),
    "log_of_rank": ("grade / max(1, log2(rank))", *GAPS[1:]),
    "natural": ("grade / __import__('math').log(rank + 1)", *GAPS[1:]),
    "by_rank": ("grade / rank", *GAPS[1:]),
    "times": ("grade * log2(rank + 1)", *GAPS[1:]),
    "returned_only": (GAPS[0], "sorted(grades, reverse=True)", GAPS[2]),
    "upwards": (GAPS[0], "sorted(judged)", GAPS[2]),
    "not_sorted": (GAPS[0], "judged", GAPS[2]),
    "cut": (GAPS[0], "sorted(judged, reverse=True)[:len(grades)]", GAPS[2]),
    "undefined_0": (*GAPS[:2], "dcg(grades) / best if best else 0"),
    "undefined_1": (*GAPS[:2], "dcg(grades) / best if best else 1"),
    "turned": (*GAPS[:2], "best / dcg(grades) if dcg(grades) else None"),
    "not_divided": (*GAPS[:2], "dcg(grades)"),
    "parenthesis": ("grade / (log2(rank) + 1)", *GAPS[1:]),
    "binary": ("(grade > 0) / log2(rank + 1)", *GAPS[1:]),
    "whole_grades": ("int(grade) / log2(rank + 1)", *GAPS[1:]),
    "whole_quotient": ("grade // log2(rank + 1)", *GAPS[1:]),
    "index": ("grade / log2(grades.index(grade) + 2)", *GAPS[1:]),
    "first_10": ("grade / log2(rank + 1) if rank <= 10 else 0", *GAPS[1:]),
    "first_5": ("grade / log2(rank + 1) if rank <= 5 else 0", *GAPS[1:]),
    "first_skipped": ("grade / log2(rank + 1) if rank > 1 else 0", *GAPS[1:]),
    "last_skipped": ("grade / log2(rank + 1) if rank < len(grades) else 0", *GAPS[1:]),
    "rounded": ("round(grade / log2(rank + 1), 2)", *GAPS[1:]),
    "only_reversed": (GAPS[0], "judged[::-1]", GAPS[2]),
    "returned_twice": (GAPS[0], "sorted(judged + grades, reverse=True)", GAPS[2]),
    "duplicates_lost": (GAPS[0], "sorted(set(judged), reverse=True)", GAPS[2]),
    "judged_above": (*GAPS[:2], "dcg(judged) / best if best else None"),
    "grades_sorted": (*GAPS[:2], "dcg(sorted(grades)[::-1]) / best if best else None"),
    "ideal_only": (*GAPS[:2], "best"),
    "percent": (*GAPS[:2], "100 * dcg(grades) / best if best else None"),
    "none_for_zero": (*GAPS[:2], "dcg(grades) / best if dcg(grades) else None"),
    "none_for_empty": (*GAPS[:2], "dcg(grades) / best if grades and best else None"),
    "undefined_other": (*GAPS[:2], "dcg(grades) / best if best else 'nan'"),
}
#: Mistakes outside the gaps: what is changed of the right file.
CHANGED = {
    "no_return": ("    return total", "    print(total)"),
    "first_only": ("    return total", "        return total"),
    "last_only": ("total +=", "total ="),
    "nothing_added": ("total +=", "total +"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_solution_is_told_its_mistake(tmp_path: Path, name: str) -> None:
    verdict = check_exercise(filled(tmp_path, *WRONG[name]))
    said = catalogue("learn", "en")[f"exercise.mistake.{name}"]
    assert not verdict.right
    assert verdict.lines[-1] == catalogue("learn", "en").say("exercise.likely", mistake=said)
    assert re.match(r"n?dcg\(\[.*\) returns .*, and .* is right\.", verdict.lines[0])


@pytest.mark.parametrize("name", CHANGED)
def test_a_mistake_outside_the_gaps_is_told(tmp_path: Path, name: str) -> None:
    path = filled(tmp_path, *GAPS)
    path.write_text(path.read_text("utf-8").replace(*CHANGED[name]), "utf-8")
    said = catalogue("learn", "en")[f"exercise.mistake.{name}"]
    lines = check_exercise(path).lines
    assert lines[0].startswith("dcg(")
    assert lines[-1] == catalogue("learn", "en").say("exercise.likely", mistake=said)


def test_every_mistake_is_tried_and_has_words() -> None:
    for language in LANGUAGES:
        words = catalogue("learn", language)
        assert all(words[f"exercise.mistake.{name}"] for name in {*WRONG, *CHANGED})


def test_of_two_mistakes_the_one_that_shows_first_is_told(tmp_path: Path) -> None:
    both = filled(
        tmp_path, GAPS[0], "sorted(grades, reverse=True)", "dcg(grades) / best if best else 1"
    )
    said = catalogue("learn", "en")["exercise.mistake.undefined_1"]
    assert check_exercise(both).lines[-1].endswith(said)


def test_an_unknown_mistake_is_not_guessed(tmp_path: Path) -> None:
    lines = check_exercise(filled(tmp_path, "grade / rank ** 0.5", *GAPS[1:])).lines
    assert lines == ("dcg([3, 2, 0]) returns 4.41421, and 4.26186 is right.",)


def test_a_difference_below_the_digits_shown_is_shown(tmp_path: Path) -> None:
    lines = check_exercise(filled(tmp_path, "round(grade / log2(rank + 1), 5)", *GAPS[1:])).lines
    shown = re.search(r"returns (\S+), and (\S+) is right", lines[0])
    assert shown is not None
    assert shown[1] != shown[2]


RIGHT = {
    "lambda": """from math import log2
dcg = lambda grades: sum(g / log2(r) for r, g in enumerate(grades, 2))
ndcg = lambda g, j: dcg(g) / dcg(sorted(j)[::-1]) if any(j) else None
""",
    "recursion": """import math
def dcg(grades, rank=1):
    return grades[0] / math.log2(rank + 1) + dcg(grades[1:], rank + 1) if grades else 0
def ndcg(grades, judged):
    judged.sort(reverse=True)
    try:
        return dcg(grades) / dcg(judged)
    except ZeroDivisionError:
        return None
""",
    "numpy, single precision": """import numpy as np
def dcg(grades):
    return (np.float32(grades) / np.log2(np.arange(2, len(grades) + 2, dtype="f"))).sum()
def ndcg(grades, judged):
    with np.errstate(invalid="ignore"):
        return dcg(grades) / dcg(np.sort(judged)[::-1])
""",
    "fractions and decimals": """from decimal import Decimal
from fractions import Fraction
from math import log2
def dcg(grades):
    return sum((Fraction(g) / Fraction(log2(r)) for r, g in enumerate(grades, 2)), Fraction(0))
def ndcg(grades, judged):
    best = dcg(sorted(judged, reverse=True))
    return Decimal(float(dcg(grades) / best)) if best else None
""",
    "a data class with late annotations": """from __future__ import annotations
from dataclasses import dataclass
from math import log2
@dataclass
class Result:
    rank: int
    grade: float
if True:
    def dcg(grades):
        results = [Result(rank, grade) for rank, grade in enumerate(grades, 1)]
        return sum(one.grade / log2(one.rank + 1) for one in results)
def ndcg(grades, judged):
    best = dcg(sorted(judged, reverse=True))
    return dcg(grades) / best if best else None
""",
}


@pytest.mark.parametrize("name", RIGHT)
def test_an_unusual_right_solution_is_right(tmp_path: Path, name: str) -> None:
    path = tmp_path / "dcg.py"
    path.write_text(RIGHT[name], "utf-8")
    verdict = check_exercise(path)
    assert verdict.right, verdict.lines


def test_a_slow_right_solution_is_right_and_not_timed(tmp_path: Path) -> None:
    path = filled(tmp_path, *GAPS)
    text = path.read_text("utf-8").replace(
        "    ideal =", "    len(grades) < 50 or __import__('time').sleep(1.01)\n    ideal ="
    )
    path.write_text(text, "utf-8")
    verdict = check_exercise(path)
    assert verdict.right
    assert len(verdict.lines) == 1


@pytest.mark.parametrize(
    ("gaps", "text", "said"),
    [
        ((GAPS[0], "judged.sort(reverse=True)", GAPS[2]), "TypeError", "in_place"),
        (("grade / log2(rank + 1)\n    grades[0]", *GAPS[1:]), "IndexError", "empty"),
    ],
    ids=["in_place", "empty"],
)
def test_other_errors_have_a_hint(
    tmp_path: Path, gaps: tuple[str, ...], text: str, said: str
) -> None:
    verdict = check_exercise(filled(tmp_path, *gaps))
    assert text in verdict.lines[0]
    assert verdict.lines[-1] == catalogue("learn", "en")[f"exercise.{said}"]


def test_the_first_list_that_differs_is_named(tmp_path: Path) -> None:
    verdict = check_exercise(filled(tmp_path, *WRONG["no_discount"]))
    assert verdict.lines[0] == "dcg([3, 2, 0]) returns 5, and 4.26186 is right."


def test_a_file_that_begins_with_a_byte_order_mark_runs(tmp_path: Path) -> None:
    path = filled(tmp_path, *GAPS)
    path.write_text(path.read_text("utf-8"), "utf-8-sig")
    assert check_exercise(path).right


def test_nan_is_undefined_too(tmp_path: Path) -> None:
    assert check_exercise(
        filled(tmp_path, *GAPS[:2], "dcg(grades) / best if best else float('nan')")
    ).right


@pytest.mark.parametrize(
    ("gaps", "said"),
    [
        (("grade / log2(rank)", *GAPS[1:]), "zero_dcg"),
        ((*GAPS[:2], "dcg(grades) / best"), "zero_ndcg"),
    ],
    ids=["dcg", "ndcg"],
)
def test_a_division_by_zero_says_where_and_why(
    tmp_path: Path, gaps: tuple[str, ...], said: str
) -> None:
    path = filled(tmp_path, *gaps)
    verdict = check_exercise(path)
    changed = next(gap for gap, right in zip(gaps, GAPS, strict=True) if gap != right)
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if changed in text)
    assert f"line {line}: ZeroDivisionError" in verdict.lines[0]
    assert verdict.lines[-1] == catalogue("learn", "en")[f"exercise.{said}"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def dcg(grades:\n", "Python cannot read line 1"),
        ("def dcg(grades):\n    return 1\n", "no function `ndcg`"),
        ("import no_such\ndef dcg(g): pass\ndef ndcg(g, j): pass\n", "line 1: ModuleNotFoundError"),
        ("def dcg(g): return 'x'\ndef ndcg(g, j): return 1\n", "returns 'x', and 1 is right"),
        ("def dcg(g): return [1]\ndef ndcg(g, j): return 1\n", "returns [1], and 1 is right"),
        ("def dcg(g): pass\ndef ndcg(g, j): pass\n", "returns None (undefined), and 1 is right"),
        ("def dcg(g): return True\ndef ndcg(g, j): return 1\n", "returns True, and 1 is right"),
        ("exit(3)\ndef dcg(g): pass\ndef ndcg(g, j): pass\n", "line 1: SystemExit: 3"),
        ("import os\nos._exit(3)\ndef dcg(g): pass\ndef ndcg(g, j): pass\n", "exit code 3"),
        ("\ufeffdef dcg(g: tuple[int, ...]): pass\n", "no function `ndcg`"),
        ("print('loud')\ndef dcg(g): return 1j\ndef ndcg(g, j): pass\n", "returns 1j, and 1"),
    ],
    ids=range(11),
)  # fmt: skip
def test_any_file_gets_an_answer(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "dcg.py"
    path.write_text(text, "utf-8")
    verdict = check_exercise(path)
    assert not verdict.right
    assert said in verdict.lines[0]


def test_a_loop_without_an_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exercise, "LIMIT", 0.5)
    path = tmp_path / "dcg.py"
    path.write_text("def dcg(g):\n    while True: pass\ndef ndcg(g, j): pass\n", "utf-8")
    assert "longer than 0.5 seconds" in check_exercise(path).lines[0]


def test_work_is_not_overwritten_and_a_folder_is_no_file(tmp_path: Path) -> None:
    write_exercise(tmp_path)
    with pytest.raises(InputError, match="exists already"):
        write_exercise(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        check_exercise(tmp_path)


def test_mistakes_differ_from_the_right_value_and_have_words() -> None:
    for function, mistakes in (("dcg", DCG_MISTAKES), ("ndcg", NDCG_MISTAKES)):
        right = [expected(function, one) for one in cases()]
        for name, mistake in mistakes.items():
            assert not all(
                same(mistake(one), value) for one, value in zip(cases(), right, strict=True)
            )
            for language in LANGUAGES:
                assert catalogue("learn", language)[f"exercise.mistake.{name}"]


def test_the_command_line(tmp_path: Path, command: Command) -> None:
    written = command("learn", "--exercise", str(tmp_path / "x"))
    path = written.out.strip()
    assert (written.code, path) == (0, str(tmp_path / "x" / "dcg.py"))
    failed = command("learn", "--check-exercise", path, "--lang", "zh")
    assert failed.code == 1
    assert "还有空没填" in failed.out
    filled(tmp_path / "y", *GAPS)
    right = command("learn", "--check-exercise", str(tmp_path / "y" / "dcg.py"))
    assert right.code == 0
    assert right.out.startswith("Right: ")
    assert "runs on this machine" in right.err
