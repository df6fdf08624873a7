"""Quantities of a lesson: short expressions in its text, computed by relyon.

A lesson says ``[0.913](=ndcg@3:2,3,0)``: the number that people read, and after the `=` what it is.

- ``ndcg@3:2,3,0``: a measure of a list of grades, best ranked first. ``-`` is an unjudged document,
  ``2=0`` two documents with equal scores, ``2,3/3,1`` documents behind the stroke that are judged
  and not retrieved, ``2,0&0,1`` two queries. Rules follow after a semicolon:
  ``ndcg@3:2,3,0;preset=lightgbm``, ``auc:1=0;ties=worst``.
- ``1/log2(3)``: arithmetic, with `log2`, `ln`, `log10`, `exp` and `sqrt`; measures in it are in
  braces: ``{dcg:2,3,0}/{dcg:3,2,0}``.
- ``#power@40/detectable``: one number of a figure (`relyon.learn.figures`) for the setting 40.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from relyon.analysis.explanation import Explanation, explain
from relyon.core.errors import InputError
from relyon.core.notes import RelyonWarning
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.evaluation import evaluate
from relyon.learn.figures import figure_value

__all__ = ["GradedList", "MeasuredLists", "derivation", "matches", "quantity", "read_rules"]

#: What the first documents of a list are called; later ones are `d27` and so on.
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
GRADE = re.compile(r"-|\d+(?:\.\d+)?")
WRITTEN = re.compile(r"(?P<sign>[+\-−]?)(?P<digits>[\d,]*\.?\d+)(?P<percent>\s?%?)")
INFINITE = {"∞": math.inf, "−∞": -math.inf}

FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "log2": math.log2,
    "ln": math.log,
    "log10": math.log10,
    "exp": math.exp,
    "sqrt": math.sqrt,
}
OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


@dataclass(frozen=True)
class GradedList:
    """A ranked list, known by its grades.

    Attributes:
        grades: Grades of the retrieved documents, best ranked first; `None` where unjudged.
        scores: A score per document; documents with equal scores are tied.
        missing: Grades of judged documents that were not retrieved.
    """

    grades: tuple[float | None, ...]
    scores: tuple[float, ...]
    missing: tuple[float, ...] = ()

    @classmethod
    def read(cls, text: str) -> GradedList:
        """Reads ``2,3=0/1``.

        Raises:
            InputError: If it is not a list of grades.
        """
        retrieved, _, missing = text.partition("/")
        grades: list[float | None] = []
        scores: list[float] = []
        groups = [group for group in retrieved.split(",") if retrieved]
        for place, group in enumerate(groups):
            for one in group.split("="):
                grades.append(None if one == "-" else _grade(one, text))
                scores.append(float(len(groups) - place))
        rest = tuple(_grade(one, text) for one in missing.split(",")) if missing else ()
        return cls(tuple(grades), tuple(scores), rest)

    @property
    def judgments(self) -> dict[str, float]:
        """The grade of every judged document."""
        documents = map(document_name, range(len(self.grades) + len(self.missing)))
        graded = zip(documents, (*self.grades, *self.missing), strict=True)
        return {document: grade for document, grade in graded if grade is not None}

    @property
    def run(self) -> dict[str, float]:
        """The score of every retrieved document."""
        return {document_name(place): score for place, score in enumerate(self.scores)}


@dataclass(frozen=True)
class MeasuredLists:
    """A measure of one or several lists.

    Attributes:
        measure: The measure's name.
        lists: One list per query.
        convention: The rules.
    """

    measure: str
    lists: tuple[GradedList, ...]
    convention: Convention

    @classmethod
    def read(cls, text: str) -> MeasuredLists:
        """Reads ``ndcg@3:2,3,0;preset=lightgbm``.

        Raises:
            InputError: If it is not a measure of lists.
        """
        measure, colon, rest = text.partition(":")
        if not colon or not measure:
            raise _not_a_quantity(text)
        lists, _, rules = rest.partition(";")
        return cls(
            measure.strip(),
            tuple(GradedList.read(one) for one in lists.split("&")),
            read_rules(rules),
        )

    @property
    def value(self) -> float:
        """The measure of the lists, as `relyon.evaluate` computes it; NaN where undefined."""
        queries = {f"q{number}": one for number, one in enumerate(self.lists, 1)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RelyonWarning)  # a lesson says itself what is unusual
            results = evaluate(
                {query: one.judgments for query, one in queries.items()},
                {query: one.run for query, one in queries.items()},
                [self.measure],
                convention=self.convention,
            )
        return float(results[self.measure])


def read_rules(text: str) -> Convention:
    """Returns the convention of rules such as ``ties=worst;preset=lightgbm``; may be empty."""
    return load_convention(dict(rule.partition("=")[::2] for rule in text.split(";") if rule))


def document_name(place: int) -> str:
    """Returns a document's name by its place in the list, counted from 0."""
    return LETTERS[place] if place < len(LETTERS) else f"d{place + 1}"


@cache
def quantity(text: str) -> float:
    """Returns the value of an expression.

    Args:
        text: The expression, without the `=` before it.

    Raises:
        InputError: If it is not an expression.
        UnknownNameError: If relyon does not know the measure, the preset or the figure.

    Examples:
        >>> round(quantity("ndcg@3:2,3,0"), 3)
        0.913
        >>> round(quantity("{dcg:2,3,0}-{dcg:0,3,2}"), 3)
        1.0
        >>> round(quantity("1/log2(3)"), 3)
        0.631
    """
    if text.startswith("#"):
        return figure_value(text[1:])
    if "{" not in text and ":" in text:
        return MeasuredLists.read(text).value
    values: dict[str, float] = {}

    def named(found: re.Match[str]) -> str:
        name = f"value{len(values)}"
        values[name] = quantity(found[1])
        return name

    plain = re.sub(r"\{([^{}]*)\}", named, text).replace("^", "**")
    try:
        return _arithmetic(ast.parse(plain, mode="eval").body, values)
    except (SyntaxError, KeyError, ZeroDivisionError, OverflowError, ValueError):
        raise _not_a_quantity(text) from None


def derivation(text: str) -> Explanation:
    """Returns the derivation of a measure of one list.

    Raises:
        InputError: If the expression is not a measure of one list.
        ParameterError: If ties are averaged over.
    """
    asked = MeasuredLists.read(text)
    if len(asked.lists) != 1:
        raise _not_a_quantity(text)
    one = asked.lists[0]
    return explain(
        {"q": one.judgments}, {"q": one.run}, "q", asked.measure, convention=asked.convention
    )


def matches(written: str, value: float) -> bool:
    """Returns whether a number as people read it is a value, rounded to the digits shown.

    Examples:
        >>> matches("0.913", 0.91340), matches(".92", 0.91340), matches("91%", 0.9134)
        (True, False, True)
        >>> matches("−0.5", -0.5), matches("∞", float("inf"))
        (True, True)
    """
    text = written.strip()
    if text in INFINITE:
        return value == INFINITE[text]
    found = WRITTEN.fullmatch(text)
    if found is None or not math.isfinite(value):
        return False
    digits = found["digits"].replace(",", "")
    shown = float(digits) * (-1 if found["sign"] in {"-", "−"} else 1)
    decimals = len(digits.partition(".")[2])
    value = value * 100 if found["percent"] else value
    # A value in the middle of two roundings is up to two units of its last bit off either.
    return bool(abs(shown - value) <= 0.5 * 10.0**-decimals + 2 * math.ulp(value))


def _arithmetic(node: ast.expr, values: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_arithmetic(node.operand, values)
    if isinstance(node, ast.BinOp):
        left, right = (_arithmetic(one, values) for one in (node.left, node.right))
        return OPERATIONS[type(node.op)](left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        return FUNCTIONS[node.func.id](_arithmetic(node.args[0], values))
    raise ValueError


def _grade(text: str, whole: str) -> float:
    if not GRADE.fullmatch(text) or text == "-":
        raise InputError(
            message("learn.in-is-not-grade", text=text, whole=whole),
            hint=message("learn.write-grades-with-commas"),
        )
    return float(text)


def _not_a_quantity(text: str) -> InputError:
    return InputError(
        message("learn.is-not-quantity", text=text),
        hint=message("learn.write-measure-of-grades"),
    )
