"""The derivation of one number: which rank added what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from relkit.convention import Convention, load_convention
from relkit.errors import ParameterError, UnknownNameError
from relkit.io import as_judgments, as_run
from relkit.measures.base import Measure, Step
from relkit.measures.names import measure as parse_measure
from relkit.ranking import Ranking
from relkit.registry import suggestion
from relkit.render import align, number
from relkit.run import Run
from relkit.scale import Scale, load_scale

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation:
    """How one query's value of one measure comes about.

    Attributes:
        query: The query's id.
        measure: The measure with every parameter filled in.
        value: Its value, NaN where undefined.
        steps: What each rank adds; the last total is the value.
        undefined: Why there is no value, or an empty string.
        judged: Judged documents of the query.
        retrieved: Documents of the ranked list.
        convention: The rules.
        scale: Names the grades, where the judgments have a scale.
    """

    query: str
    measure: Measure
    value: float
    steps: tuple[Step, ...]
    undefined: str
    judged: int
    retrieved: int
    convention: Convention
    scale: Scale | None = None

    @property
    def headings(self) -> tuple[str, ...]:
        """Names of the columns of `rows`."""
        return ("rank", "document", "grade", *self.measure.headings, "contribution", "total")

    def rows(self) -> list[tuple[str, ...]]:
        """The steps as text."""
        rows = []
        for step in self.steps:
            grade = "-" if step.grade is None else f"{step.grade:g}"
            if step.grade is not None and self.scale is not None and self.scale.levels:
                grade = f"{self.scale.label(step.grade)} ({grade})"
            numbers = (step.gain, step.discount, step.contribution, step.total)
            rows.append(
                (str(step.rank), step.document or "-", grade, *(number(value) for value in numbers))
            )
        return rows

    @property
    def title(self) -> str:
        """The value and its formula in one line."""
        value = number(self.value, 10).rstrip("0").rstrip(".") if math.isfinite(self.value) else ""
        shown = value or (f"undefined: {self.undefined}" if self.undefined else number(self.value))
        formula = f"  =  {self.measure.formula}" if self.measure.formula else ""
        return f"{self.measure}{formula}\n{self.measure.name} of query {self.query} = {shown}"

    def __str__(self) -> str:
        lines = [self.title, ""]
        if self.steps:
            lines += align(self.headings, self.rows(), left=0)
        counts = f"{self.retrieved:,} retrieved, {self.judged:,} judged"
        return "\n".join([*lines, counts])

    def to_markdown(self) -> str:
        """Returns the derivation as a Markdown table."""
        lines = [self.title, "", "| " + " | ".join(self.headings) + " |"]
        lines.append("|" + " ---: |" * len(self.headings))
        lines += ["| " + " | ".join(row) + " |" for row in self.rows()]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Returns JSON-ready values."""
        return {
            "query": self.query,
            "measure": str(self.measure),
            "formula": self.measure.formula,
            "value": self.value if math.isfinite(self.value) else None,
            "undefined": self.undefined,
            "judged": self.judged,
            "retrieved": self.retrieved,
            "headings": list(self.headings),
            "steps": [asdict(step) for step in self.steps],
            "convention": self.convention.to_dict(),
        }

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(name)}</th>" for name in self.headings)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self.rows()
        )
        title = escape(self.title).replace("\n", "<br>")
        return f"<p>{title}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def explain(
    judgments: Any,
    run: Any,
    query: str,
    measure: str | Measure = "ndcg@10",
    *,
    convention: Convention | str | Mapping[str, Any] | None = None,
    scale: Scale | str | None = None,
) -> Explanation:
    """Derives one query's value rank by rank.

    Args:
        judgments: As for `relkit.evaluate`.
        run: As for `relkit.evaluate`.
        query: The query's id.
        measure: The measure's name.
        convention: As for `relkit.evaluate`.
        scale: As for `relkit.evaluate`.

    Raises:
        UnknownNameError: If neither side has the query.
        ParameterError: If ties are averaged over: no single order explains the value.

    Examples:
        >>> import relkit
        >>> print(relkit.explain({"q": {"a": 3, "b": 2}}, {"q": {"b": 2, "a": 1}}, "q", "dcg"))
        dcg(gain=linear,discount=log2)  =  sum of gain / log2(rank + 1), ranks 1..k
        dcg of query q = 3.8927892607
        <BLANKLINE>
        rank  document  grade    gain  discount  contribution   total
        ────  ────────  ─────  ──────  ────────  ────────────  ──────
           1         b      2  2.0000    1.0000        2.0000  2.0000
           2         a      3  3.0000    1.5850        1.8928  3.8928
        2 retrieved, 2 judged
    """
    rules = load_convention(convention)
    if rules.ties == "expected":
        raise ParameterError(
            "ties=expected averages over many orders, and one derivation shows one order",
            hint="explain with another tie rule, such as ties=doc-desc",
        )
    chosen = load_scale(scale) if scale is not None else None
    ranked = as_run(run)
    one = parse_measure(measure)
    if one.needs == "reference":
        other = judgments if isinstance(judgments, Run) else as_run(judgments)
        grades: dict[str, float] = {}
        highest = math.nan
        reference = tuple(entry.document for entry in _order(other, query, {}, rules))
        held = query in other.table
    else:
        judged = as_judgments(judgments, chosen)
        chosen = chosen or judged.scale
        held = query in judged.table
        grades = judged.table.grades(query) if held else {}
        highest = judged.table.highest
        reference = ()
    if not held and query not in ranked.table:
        known = ranked.queries
        raise UnknownNameError(
            f"no query `{query}`",
            hint=suggestion(query, known)
            if len(known) < 20
            else "the run has " + ", ".join(f"`{name}`" for name in known[:5]) + ", …",
        )
    filled = one.resolve(rules, chosen, highest)
    ranking = replace(_order(ranked, query, grades, rules), reference=reference)
    reason = filled.undefined(ranking) or ""
    return Explanation(
        query=query,
        measure=filled,
        value=filled.value(ranking),
        steps=() if reason else tuple(filled.steps(ranking)),
        undefined=reason,
        judged=len(ranking.judged),
        retrieved=len(ranking),
        convention=rules,
        scale=chosen,
    )


def _order(run: Run, query: str, grades: Mapping[str, float], rules: Convention) -> Ranking:
    documents, scores, ranks = run.table.documents(query) if query in run.table else ([], [], None)
    return Ranking.build(grades, documents, scores, rules, ranks=ranks, query=query)
