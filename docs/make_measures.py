"""Writes `docs/measures.md` from the registry of measures.

python docs/make_measures.py            writes the page
python docs/make_measures.py --check    says whether it is up to date
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import re
import sys
from inspect import cleandoc
from pathlib import Path

from relkit.cli.text import entries, sections
from relkit.core.registry import Registry
from relkit.measures import Measure, registry
from relkit.measures.base import FAMILIES, choices, parameters

PAGE = Path(__file__).with_name("measures.md")

#: The families in reading order, and what they have in common.
TITLES = {
    "gain": ("Graded gain", "How much a list is worth, with and without comparison to the ideal."),
    "binary": (
        "Binary relevance",
        "A document is relevant if its grade reaches `rel`: 1, or the scale's threshold."
        " R is the number of judged relevant documents of a query.",
    ),
    "pairwise": (
        "Pairs of documents",
        "Is the better document scored higher? See also [PNR, step by step](pnr.md).",
    ),
    "classes": (
        "Two classes",
        "Do positives score higher than negatives? Rows may weigh differently.",
    ),
    "cascade": ("Models of a reader", "A reader goes down the list and stops somewhere."),
    "diversity": (
        "Diversity",
        "Does a list cover all that a query can mean? Judgments name subtopics: see"
        " [Diversity](diversity.md).",
    ),
    "sets": ("Sets", "Measures of what was retrieved, whatever its order."),
    "interpolated": (
        "Interpolated precision",
        "Precision at levels of recall: the points of a recall-precision curve.",
    ),
    "geometric": (
        "Geometric means",
        "The value of a query is the same as in the mean over queries; the way in which queries"
        " become one number is not. `relkit compare` tests the logarithms' jackknife.",
    ),
    "continuation": (
        "The C/W/L framework",
        "A reader goes on to the next rank with some chance; the value is the mean gain of what is"
        " read. Grades are scaled to 0..1 by `min` and `max`.",
    ),
    "order": ("The order itself", "How near a list is to an ideal order, and how many pairs are."),
    "incomplete": (
        "Incomplete judgments, and counts",
        "Measures that allow for documents that nobody judged, and what there was to count.",
    ),
    "trec": (
        "Introduced by trec_eval",
        "Experimental measures that no other program has.",
    ),
    "agreement": ("Agreement of scores and labels", "Correlation within each query."),
    "overlap": (
        "Two rankings",
        "These compare a run with another run; no judgments are needed. In"
        " `relkit evaluate` the other run takes the place of the judgments.",
    ),
}

HEAD = """\
<!-- Written by docs/make_measures.py from the measures themselves: change them, not this page. -->

# Measures

A measure's name is `name(parameter=value,…)@k`: `ndcg@10`, `ndcg(gain=exp)@10`, `p(rel=2)@5`,
`pnr(label_ties=ignore)`. Names are case-insensitive, and the spellings of trec_eval (`P_10`,
`ndcg_cut_10`), ir_measures (`nDCG@10`, `AP(rel=2)`) and ranx (`hit_rate@5`) are understood.
A bare `P`, `recall` or `success` stands for trec_eval's default cutoffs, as in trec_eval,
pytrec_eval and ir_measures; the whole list is `p@all`, `recall@all`, `success@all`.
[trec_eval's names](trec_eval.md) are listed with relkit's. `relkit measures` lists all measures,
`relkit measures ndcg` describes one.

A parameter whose default says *convention* is taken from the [convention](convention.md) of the
evaluation. **macro** is the mean of the queries' values, **micro** the ratio of summed numerators
and denominators; the first one named is what is printed unless you say `--average`. A query for
which a measure is undefined is left out of the mean, and counted; `--set undefined=zero` counts it
as 0.

"""


def cell(text: str) -> str:
    """Returns a text that a table's cell can hold."""
    return text.replace("|", "\\|").replace("\n", " ")


def number(value: float) -> str:
    """Returns a bound as text."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:g}".replace("-", "−")


def values_of(kind: type[Measure], name: str) -> str:
    """Returns the values that a parameter takes."""
    if name == "gain":
        return "`linear`, `exp`, `scale`, a map `{3:7,2:3}`"
    hint = parameters(kind)[name]
    allowed = choices(hint)
    if allowed:
        return ", ".join(f"`{value}`" for value in allowed)
    if "bool" in str(hint):
        return "`true`, `false`"
    return "1, 2, …" if "int" in str(hint) else "a number"


def default_of(kind: type[Measure], name: str, default: object) -> str:
    """Returns a parameter's default as text."""
    if default is not None:
        return f"`{str(default).lower() if isinstance(default, bool) else default}`"
    if name == "k":
        return "the whole list"
    if name == "max":
        return "the scale's, or the judgments' highest grade"
    return "convention"


def undefined_rule(kind: type[Measure], text: str) -> str:
    """Returns the sentence that says where a measure has no value.

    Raises:
        ValueError: If the measure can be undefined and its docstring does not say where.
    """
    if kind.undefined is Measure.undefined:
        return "never"
    found = [one for one in re.split(r"(?<=\.)\s+", text) if "undefined" in one.lower()]
    if not found:
        raise ValueError(f"the docstring of `{kind.name}` does not say where it is undefined")
    return " ".join(re.sub(r"^Undefined ", "", one) for one in found).rstrip(".")


def describe(kind: type[Measure]) -> str:
    """Returns the part of the page on one measure."""
    doc = sections(re.sub(r"(?<!`)``(?!`)", "`", kind.__doc__ or ""))
    summary, _, text = doc[""].partition("\n")
    text = text.strip()
    heading = f"### `{kind.name}` {summary.rstrip('.')}"
    lines = [
        f'{heading} {{ #{kind.name} data-toc-label="{kind.name}" }}',
        "",
        "```text",
        kind.formula,
        "```",
        "",
    ]
    lines += [text, ""] if text else []
    said = entries(doc.get("Attributes", ""))
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]
    if fields:
        lines += ["| parameter | values | default | meaning |", "| --- | --- | --- | --- |"]
        for entry in fields:
            shown = "@k" if entry.name == "k" else entry.name
            row = (
                f"`{shown}`",
                values_of(kind, entry.name),
                default_of(kind, entry.name, entry.default),
                re.sub(r"; `None` (counts|takes)[^.]*", "", said[entry.name]),
            )
            lines.append("| " + " | ".join(cell(part) for part in row) + " |")
        lines.append("")
    low, high = kind.bounds
    said_of = {"sum": "sum over queries", "geometric": "geometric mean over queries"}
    averages = said_of.get(kind.combine, ", ".join(kind.averages))
    facts = [
        ("Undefined", undefined_rule(kind, " ".join(text.split()))),
        ("Averages", averages),
        ("Range", f"{number(low)} to {number(high)}"),
    ]
    if kind.aliases:
        facts.append(("Other names", ", ".join(f"`{alias}`" for alias in kind.aliases)))
    facts.append(("Source", " ".join(doc["References"].split())))
    lines += [f"- **{name}**: {value}" for name, value in facts]
    lines += ["", "```python", cleandoc(doc["Examples"]), "```", ""]
    return "\n".join(lines)


def page(measures: Registry[type[Measure]] = registry) -> str:
    """Returns the whole page."""
    parts = [HEAD]
    kinds = [measures.get(name) for name in measures]
    for family in sorted(FAMILIES, key=list(TITLES).index):
        title, said = TITLES[family]
        parts.append(f"## {title}\n\n{said}\n\n")
        here = [kind for kind in kinds if kind.__module__ == f"relkit.measures.{family}"]
        parts.append("\n".join(describe(kind) for kind in here) + "\n")
    return "".join(parts).rstrip("\n") + "\n"


def main() -> int:
    """Writes or checks the page."""
    parser = argparse.ArgumentParser(description="Writes docs/measures.md from the measures.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    if not parser.parse_args().check:
        PAGE.write_text(page(), encoding="utf-8", newline="\n")
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        return 0
    sys.stderr.write(f"{PAGE} is stale: run `python docs/make_measures.py`\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
