"""The worked result of a question for a number, line by line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from relyon.core.errors import RelyonError
from relyon.core.texts import PAGE, Language, catalogue
from relyon.learn.blocks import Quiz
from relyon.learn.lesson import plain_text
from relyon.learn.pages.render import derivation_steps, markdown_line, readable
from relyon.learn.quantities import quantity

__all__ = ["is_worked", "number_data", "worked_html", "worked_lines"]

BRACES = re.compile(r"\{([^{}]*)\}")
SIGNS: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "−",
    ast.Mult: "×",
    ast.Div: "/",
    ast.Pow: "^",
}


def is_worked(quiz: Quiz) -> bool:
    """Returns whether relyon can show how the number of a question comes about.

    It is so where the question has its own worked result, and for measures of one list and
    arithmetic with them; not for numbers of figures.
    """
    if quiz.worked:
        return True
    try:
        return bool(_computed(quiz.answer, "en"))
    except RelyonError:
        return False


def worked_lines(quiz: Quiz, language: Language) -> list[str]:
    """Returns the worked result as plain text, a line for each step.

    It is the question's own text, a paragraph a line; else relyon's derivation of a measure of one
    list; else arithmetic, operation by operation, after the derivations of the measures in it.
    Numbers have three decimals, and `≈` says where that is rounded.

    Args:
        quiz: A question for a number.
        language: The language of the lines.

    Raises:
        RelyonError: If nothing shows how the number comes about.
    """
    own = _paragraphs(quiz.worked)
    return [plain_text(one) for one in own] if own else _computed(quiz.answer, language)


def worked_html(quiz: Quiz, language: Language) -> list[Markup]:
    """Returns the worked result as HTML, as `worked_lines` does as plain text."""
    own = _paragraphs(quiz.worked)
    if own:
        return [markdown_line(one, language) for one in own]
    return [escape(one) for one in _computed(quiz.answer, language)]


def number_data(quiz: Quiz, language: Language, *, asked: bool = False) -> dict[str, object]:
    """Returns the answers to a question for a number and its replies, ready for JSON.

    Args:
        quiz: The question.
        language: The language of the replies.
        asked: Whether the question itself and its worked result are among them, as for a question
            that is not on the page.
    """
    data: dict[str, object] = {
        "answer": quantity(quiz.answer),
        "tolerance": quiz.tolerance,
        "wrong": [
            {"value": quantity(one.value), "reply": markdown_line(one.reply, language)}
            for one in quiz.wrong
        ],
        "reply": markdown_line(quiz.reply, language),
        "otherwise": markdown_line(quiz.otherwise, language),
    }
    if asked:
        data["ask"] = markdown_line(quiz.ask, language)
        data["worked"] = worked_html(quiz, language)
    return data


def _paragraphs(text: str) -> list[str]:
    return [one.strip() for one in re.split(r"\n\s*\n", text) if one.strip()]


def _computed(expression: str, language: Language) -> list[str]:
    if expression.startswith("#"):
        return []
    if "{" not in expression and ":" in expression:
        return derivation_steps(expression, language)
    lines: list[str] = []
    values: dict[str, float] = {}

    def derived(found: re.Match[str]) -> str:
        of = found[1]
        name = f"value{len(values)}"
        known = next((old for old, other in names.items() if other == of), None)
        if known is not None:
            return known
        lines.extend(_derived(of, language))
        values[name] = quantity(of)
        names[name] = of
        return name

    names: dict[str, str] = {}
    plain = BRACES.sub(derived, expression).replace("^", "**")
    if any(of.startswith("#") for of in names.values()):
        return []
    worked = _Arithmetic(values)
    worked.value(ast.parse(plain, mode="eval").body)
    if worked.lines and worked.last != worked.lines[-1]:
        worked.lines.append(worked.last)  # an operation seen before is left out, but not the last
    # A number alone, without any operation, is no result that was worked out.
    return [*lines, *worked.lines]


def _derived(of: str, language: Language) -> Iterator[str]:
    """Yields the derivation of a measure within arithmetic."""
    if of.startswith("#"):
        return
    words = catalogue("learn", language)
    yield words.say("worked.of", what=readable(of), value=_short(quantity(of)))
    yield from derivation_steps(of, language)


@dataclass
class _Arithmetic:
    """Arithmetic, an operation a line.

    Attributes:
        values: Values by name.
        lines: The operations so far, each once.
        last: The latest of them; empty before the first.
    """

    values: Mapping[str, float]
    lines: list[str] = field(default_factory=list)
    last: str = ""

    def value(self, node: ast.expr) -> float:
        """Returns the value of an expression, and keeps its operations as lines."""
        if isinstance(node, ast.Name | ast.Constant):
            return self._plain(node)
        if isinstance(node, ast.UnaryOp):
            return -self.value(node.operand)
        if isinstance(node, ast.Call):
            inner = self.value(node.args[0])
            name = ast.unparse(node.func)
            return self._line(f"{name}({_short(inner)})", quantity(f"{name}({inner!r})"))
        operands = [self.value(one) for one, _ in _chain(node)]
        signs = [sign for _, sign in _chain(node)]
        shown = [_bracketed(one, place > 0) for place, one in enumerate(operands)]
        text = " ".join(
            f"{sign} {one}" if sign else one for sign, one in zip(signs, shown, strict=True)
        )
        total = operands[0]
        for sign, one in zip(signs[1:], operands[1:], strict=True):
            total = _applied(sign, total, one)
        return self._line(text, total)

    def _plain(self, node: ast.Name | ast.Constant) -> float:
        if isinstance(node, ast.Name):
            return self.values[node.id]
        return float(str(node.value))

    def _line(self, text: str, value: float) -> float:
        exact = abs(value - round(value, 3)) < 1e-12
        line = f"{text} {'=' if exact else '≈'} {_short(value)}"
        if line not in self.lines:
            self.lines.append(line)
        self.last = line
        return value


def _chain(node: ast.expr) -> list[tuple[ast.expr, str]]:
    """Returns the operands of a sum, each with the sign before it; of others, both."""
    if not isinstance(node, ast.BinOp):
        return [(node, "")]
    sign = SIGNS[type(node.op)]
    same = sign in "+−" and isinstance(node.left, ast.BinOp) and SIGNS[type(node.left.op)] in "+−"
    left = _chain(node.left) if same else [(node.left, "")]
    return [*left, (node.right, sign)]


def _applied(sign: str, one: float, other: float) -> float:
    if sign in "+−":
        return one + other if sign == "+" else one - other
    if sign == "^":
        return float(one**other)
    return one * other if sign == "×" else one / other


def _bracketed(value: float, second: bool) -> str:
    return f"({_short(value)})" if second and value < 0 else _short(value)


def _short(value: float) -> str:
    """Returns a number with up to three decimals."""
    text = PAGE.number(value, 3)
    return text.rstrip("0").rstrip(".") if "." in text else text
