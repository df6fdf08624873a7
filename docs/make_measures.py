"""Writes what follows from the measures' classes: their page, their index and their stub.

python docs/make_measures.py            writes docs/measures.md, and in src/relyon/measures
                                        index.py (which module has which name) and __init__.pyi
python docs/make_measures.py --check    says whether they are up to date
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import re
import sys
import textwrap
from collections.abc import Iterable
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from pkgutil import iter_modules

from relyon import measures as room
from relyon.cli.text import entries, sections
from relyon.core.registry import Registry
from relyon.learn.course import course, lesson_on
from relyon.measures import Measure, registry
from relyon.measures.parameters import choices, parameters

PAGE = Path(__file__).with_name("measures.md")
INDEX = Path(room.__path__[0]) / "index.py"
STUB = INDEX.with_name("__init__.pyi")

#: The families in reading order, and what they have in common.
TITLES = {
    "gain": ("Graded gain", "How much a list is worth, with and without comparison to the ideal."),
    "binary": (
        "Binary relevance",
        "A document is relevant if its grade reaches `rel`: 1, or the scale's threshold."
        " R is the number of judged relevant documents of a query.",
    ),
    "averages": ("Averages of precision", "Precision at several ranks, averaged."),
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
    "passages_characters": (
        "Characters of passages",
        "How much of the judged passages do chunks contain, however texts are cut? See"
        " [Passages](passages.md).",
    ),
    "passages_spans": (
        "Whole passages",
        "Are judged passages found, each once, however many chunks contain them? See"
        " [Passages](passages.md).",
    ),
    "session_gain": (
        "Gain over a session",
        "Several calls for one task: later calls and lower ranks count less. See"
        " [Traces](traces.md). An ordinary run is a task with one call.",
    ),
    "task_evidence": (
        "Evidence found by a task",
        "What the calls of a task found together, and when. `first(M)`, `last(M)`, `best(M)` and"
        " `mean(M)` take any measure M of one list on a task's calls. See [Traces](traces.md).",
    ),
    "task_effort": (
        "Effort of a task",
        "What calls repeated, and what was gained by what was read or spent. See"
        " [Traces](traces.md).",
    ),
    "sets": ("Sets", "Measures of what was retrieved, whatever its order."),
    "interpolated": (
        "Interpolated precision",
        "Precision at levels of recall: the points of a recall-precision curve.",
    ),
    "geometric": (
        "Geometric means",
        "The value of a query is the same as in the mean over queries; the way in which queries"
        " become one number is not. `relyon compare` tests the logarithms' jackknife.",
    ),
    "continuation": (
        "The C/W/L framework",
        "A reader goes on to the next rank with some chance; the value is the mean gain of what is"
        " read. Grades are scaled to 0..1 by `min` and `max`.",
    ),
    "order": ("The order itself", "How near a list is to an ideal order, and how many pairs are."),
    "incomplete": (
        "Incomplete judgments",
        "Measures that allow for unjudged documents, or say how many there are.",
    ),
    "counts": ("Counts", "What there was to count, added up over queries."),
    "trec": (
        "Introduced by trec_eval",
        "Experimental measures that no other program has.",
    ),
    "agreement": ("Agreement of scores and labels", "Correlation within each query."),
    "overlap": (
        "Two rankings",
        "These compare a run with another run; no judgments are needed. In"
        " `relyon evaluate` the other run takes the place of the judgments.",
    ),
}

HEAD = """\
<!-- Written by docs/make_measures.py from the measures themselves: change them, not this page. -->

# Measures

Look up a measure here: its definition, its parameters, and what it is undefined for. A measure's
name is `name(parameter=value,…)@k`: `ndcg@10`, `ndcg(gain=exp)@10`, `p(rel=2)@5`,
`pnr(label_ties=ignore)`. Names are case-insensitive, and relyon accepts the spellings of trec_eval
(`P_10`, `ndcg_cut_10`), ir_measures (`nDCG@10`, `AP(rel=2)`) and ranx (`hit_rate@5`). As in
trec_eval, pytrec_eval and ir_measures, a bare `P`, `recall` or `success` means trec_eval's default
cutoffs; for the whole list, write `p@all`, `recall@all`, `success@all`. See also
[trec_eval's names](trec_eval.md). `relyon measures` lists all measures, `relyon measures ndcg`
describes one.

A parameter whose default is *convention* is taken from the [convention](convention.md) of the
evaluation. **macro** is the mean of the per-query values, **micro** the ratio of summed numerators
and denominators; the first one listed is the default, and `--average` selects another. Queries for
which a measure is undefined are left out of the mean and counted; `--set undefined=zero` counts
them as 0.

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
    lesson = lesson_on(kind.name, course())
    if lesson is not None:
        facts.append(("Lesson", f"[{lesson.title}](learn/en/{lesson.name}.html)"))
    facts.append(("Source", " ".join(doc["References"].split())))
    lines += [f"- **{name}**: {value}" for name, value in facts]
    lines += ["", "```python", cleandoc(doc["Examples"]), "```", ""]
    return "\n".join(lines)


def families(measures: Registry[type[Measure]] = registry) -> dict[str, list[type[Measure]]]:
    """Returns the measures of each module, the modules by name."""
    for module in iter_modules(room.__path__):
        import_module(f"relyon.measures.{module.name}")
    found: dict[str, list[type[Measure]]] = {}
    for kind in map(measures.get, measures):
        if kind.__module__.startswith(f"{room.__name__}."):  # not one of a plugin
            found.setdefault(kind.__module__.removeprefix(f"{room.__name__}."), []).append(kind)
    return dict(sorted(item for item in found.items() if "." not in item[0]))


def page(measures: Registry[type[Measure]] = registry) -> str:
    """Returns the whole page."""
    parts = [HEAD]
    for family, kinds in sorted(
        families(measures).items(), key=lambda item: list(TITLES).index(item[0])
    ):
        title, said = TITLES[family]
        parts.append(f"## {title}\n\n{said}\n\n")
        parts.append("\n".join(map(describe, kinds)) + "\n")
    return "".join(parts).rstrip("\n") + "\n"


def index() -> str:
    """Returns the module that says where each name is, so that others need not be imported."""
    lines = [
        '"""Which module has the measures of which names: written by docs/make_measures.py."""',
        "",
        '__all__ = ["MODULES"]',
        "",
        "MODULES = {",
    ]
    for family, kinds in families().items():
        names = " ".join(name.lower() for kind in kinds for name in (kind.name, *kind.aliases))
        parts = [names] if len(names) <= 90 else textwrap.wrap(names, 89, break_on_hyphens=False)
        if len(parts) == 1 and len(family) + len(names) < 86:
            lines.append(f'    "{family}": "{names}",')
            continue
        held = [f'        "{part} "' for part in parts[:-1]] + [f'        "{parts[-1]}"']
        lines += [f'    "{family}": (', *held, "    ),"]
    return "\n".join([*lines, "}", ""])


def stub() -> str:
    """Returns the stub of the room: its public names and where each lives."""
    found: dict[str, Iterable[str]] = {
        family: [kind.__name__ for kind in kinds] for family, kinds in families().items()
    }
    found |= {
        "definition": ["Measure", "Step"],
        "lookup": ["register", "registry"],
        "parser": ["measure", "measures"],
    }
    lines = [
        '"""The public names and where each lives: written by docs/make_measures.py."""',
        "",
    ]
    for module, names in sorted(found.items()):
        lines.append(f"from .{module} import (")
        lines += [f"    {name} as {name}," for name in sorted(names, key=_in_order)]
        lines.append(")")
    return "\n".join([*lines, ""])


def _in_order(name: str) -> tuple[int, list[tuple[int, str]]]:
    """Returns what ruff sorts imports by: constants, classes, functions; numbers by value."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    parts = re.findall(r"\d+|\D+", name.lower())
    return kind, [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def main() -> int:
    """Writes or checks the files."""
    parser = argparse.ArgumentParser(description="Writes what follows from the measures.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    stale = False
    for path, text in ((INDEX, index()), (STUB, stub()), (PAGE, page())):
        if not check:
            path.write_text(text, encoding="utf-8", newline="\n")
        elif path.read_text(encoding="utf-8") != text:
            stale = True
            sys.stderr.write(f"{path} is stale: run `python docs/make_measures.py`\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
