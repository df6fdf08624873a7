"""Further lists of a question for a number, drawn and computed by relyon."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

from relyon.core.errors import InputError
from relyon.core.texts import PAGE, message
from relyon.learn.blocks import LIST, Quiz, Wrong
from relyon.learn.lesson import NUMBER, numbers
from relyon.learn.quantities import quantity

__all__ = ["fresh_questions"]

GRADE = re.compile(r"\d+(?:\.\d+)?")
DECIMALS = re.compile(r"\.(\d+)")
#: So many lists are drawn for each that is needed, before the question is given up.
TRIES = 200


@lru_cache(maxsize=256)
def fresh_questions(quiz: Quiz) -> tuple[Quiz, ...]:
    """Returns the further questions of a question with a list: as many as its `fresh` says.

    Lists are drawn with a seed from the question's id, so that they are the same on every page.
    They have the length, and the marks for ties and documents not returned, of the first list;
    each grade is drawn alike from the whole numbers between the lowest and the highest grade of the
    first list (from its grades, if they are not whole). A list is refused if it was there before,
    if all its grades are equal, if the answer or a number of a text is undefined, or if two of the
    right and the wrong numbers are so near to each other that a typed number would be both.

    A number of a text whose expression has the list in it is computed anew, with as many decimals
    as the first list's has.

    Raises:
        InputError: If there are not so many such lists.
    """
    template = quiz.template
    if template is None or quiz.fresh < 1:
        return ()
    found = tuple(_question(template, grades) for grades in _lists(template, quiz, quiz.fresh))
    if len(found) < quiz.fresh:
        raise InputError(
            message("learn.fewer-fresh-lists", found=len(found), fresh=quiz.fresh),
            hint=message("learn.longer-list-or-less-fresh"),
        )
    return found


def _lists(template: Quiz, quiz: Quiz, count: int) -> list[str]:
    written = GRADE.findall(quiz.grades)
    values = sorted({float(one) for one in written})
    if len(values) < 2:
        return []
    if all(one.is_integer() for one in values):
        pool = [str(one) for one in range(int(values[0]), int(values[-1]) + 1)]
    else:
        pool = sorted(set(written), key=float)
    rng = random.Random(f"fresh {quiz.id}")
    seen = {quiz.grades}
    found: list[str] = []
    for _ in range(count * TRIES):
        if len(found) == count:
            break
        drawn = GRADE.sub(lambda _: rng.choice(pool), quiz.grades)
        if drawn in seen:
            continue
        seen.add(drawn)
        if len(set(GRADE.findall(drawn))) < 2 or not _is_clear(template.of(drawn)):
            continue
        if _is_told(template, drawn):
            found.append(drawn)
    return found


def _is_clear(quiz: Quiz) -> bool:
    """Returns whether a number can only be one of the right and the wrong ones."""
    values = [quantity(quiz.answer), *(quantity(one.value) for one in quiz.wrong)]
    if not all(map(math.isfinite, values)):
        return False
    return all(not abs(one - other) <= 2 * quiz.tolerance for one, other in combinations(values, 2))


def _is_told(template: Quiz, grades: str) -> bool:
    """Returns whether every number of the question's texts is defined for a list."""
    told = (number.expression for text in template.texts() for number in numbers(text))
    return all(math.isfinite(quantity(one.replace(LIST, grades))) for one in told if LIST in one)


def _question(template: Quiz, grades: str) -> Quiz:
    put = _renumbered(grades)
    return replace(
        template,
        ask=put(template.ask),
        reply=put(template.reply),
        otherwise=put(template.otherwise),
        worked=put(template.worked),
        wrong=tuple(Wrong(one.value, put(one.reply)) for one in template.wrong),
    ).of(grades)


def _renumbered(grades: str) -> Callable[[str], str]:
    """Returns what writes the numbers of a text anew whose expressions have the list in them."""

    def written(found: re.Match[str]) -> str:
        expression = found["expression"]
        if LIST not in expression:
            return found[0]
        value = quantity(expression.replace(LIST, grades))
        return f"[{_as_written(found['written'], value)}](={expression})"

    return lambda text: NUMBER.sub(written, text)


def _as_written(first: str, value: float) -> str:
    """Returns a number with as many decimals as another has, and its percent sign.

    A number without decimals keeps two if it needs them, since the first may be whole by chance.
    """
    decimals = DECIMALS.search(first)
    percent = first.rstrip().endswith("%")
    shown = value * 100 if percent else value
    whole = abs(shown - round(shown)) < 1e-9
    digits = len(decimals[1]) if decimals else 0 if whole or percent else 2
    return PAGE.number(shown, digits) + ("%" if percent else "")
