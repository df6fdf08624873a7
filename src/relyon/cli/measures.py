"""`relyon measures`: lists and describes measures."""

from __future__ import annotations

import dataclasses
import math
from typing import TypedDict

import click

from relyon.cli.options import format_option, no_color_option, plugin_option
from relyon.cli.output import Answer, Output, emit
from relyon.cli.request import argument, fixed, group, request, takes
from relyon.cli.text import definitions, entries, paragraphs, sections, summary
from relyon.core.document.terminal import wrap
from relyon.learn.course import course, lesson_on
from relyon.measures import Measure, measure, registry
from relyon.measures.of_calls import OF_CALLS, OfCalls, split_of_calls
from relyon.measures.parameters import choices, parameters

__all__ = ["command", "describe", "listing"]

HELP = """List the measures, or describe one.

\b
Examples:
  relyon measures
  relyon measures ndcg

A name is measure@k or measure(parameter=value,…)@k, such as ndcg@10 or
recall(rel=2)@100. Names of trec_eval (P_10, ndcg_cut_10), ir_measures (nDCG@10)
and ranx (hit_rate@5) are accepted.
"""


@request
class Request:
    """The request of `relyon measures`."""

    name: str | None = argument(required=False)
    output: Output = group(
        Output, forms=fixed(("table", "json")), asked=format_option("table", "json")
    )


@click.command("measures", help=HELP, short_help="List the measures, or describe one.")
@takes(Request)
@plugin_option
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon measures`."""
    kinds = [registry.get(key) for key in registry]
    of_calls = _of_calls(request.name or "")
    if of_calls is not None:
        found = of_calls
        answer = Answer(
            lambda: of_calls_dict(found), lambda language: "\n".join(of_calls_lines(found))
        )
        emit(answer, request.output)
        return
    if request.name:
        kinds = [
            registry.get(request.name) if request.name in registry else type(measure(request.name))
        ]
    if request.name:
        answer = Answer(lambda: to_dict(kinds[0]), lambda language: describe(kinds[0]))
    else:
        answer = Answer(lambda: [to_dict(kind) for kind in kinds], lambda language: listing(kinds))
    emit(answer, request.output)


def listing(kinds: list[type[Measure]]) -> str:
    """Returns two lines per measure: its summary and its formula."""
    wide = max(len(kind.name) for kind in kinds) + 2
    lines = []
    for kind in kinds:
        lines.append(f"{kind.name:<{wide}}{summary(kind.__doc__)}")
        lines += wrap(kind.formula, 80, " " * (wide + 2), " " * (wide + 2))
    others = "first(M), last(M), best(M) and mean(M) take a measure M on the calls of a task."
    return "\n".join([*lines, "", others, "relyon measures NAME describes one."])


def _of_calls(name: str) -> OfCalls | None:
    """Returns the measure of a name such as `first(ndcg@10)` or `first`, `None` for others."""
    word = name.strip().lower()
    if word in OF_CALLS and word not in registry:
        name = f"{word}(ndcg@10)"
    found = split_of_calls(name)
    return None if found is None else found[0](measure(found[1] or "ndcg@10"))


def of_calls_dict(found: OfCalls) -> dict[str, object]:
    """Returns the description of a measure on calls as JSON-ready values."""
    low, high = found.bounds
    about = entries(sections(OfCalls.__doc__).get("Attributes", ""))
    return {
        "name": str(found),
        "summary": summary(found.__doc__),
        "formula": found.formula,
        "aliases": [],
        "parameters": [{"name": "of", "default": None, "choices": [], "description": about["of"]}],
        "averages": list(found.averages),
        "bounds": [low if math.isfinite(low) else None, high if math.isfinite(high) else None],
        "needs": found.needs,
        "references": "",
    }


def of_calls_lines(found: OfCalls) -> list[str]:
    """Returns the description of a measure on calls, folded to 80 columns."""
    parts = sections(OfCalls.__doc__)
    facts = [
        ("average", _averages(type(found))),
        ("range", f"{_bound(found.bounds[0])} to {_bound(found.bounds[1])}"),
    ]
    return [
        *wrap(f"{found}  =  {found.formula}", 80, "  ", ""),
        "",
        *paragraphs(sections(found.__doc__)[""]),
        "",
        *paragraphs(parts[""].partition("\n\n")[2]),
        "",
        "Parameters:",
        *definitions([*entries(parts["Attributes"]).items()]),
        "",
        *definitions(facts, ""),
        "",
        "Example in Python:",
        *(f"  {line}" if line else "" for line in parts["Examples"].splitlines()),
        "",
        "On the command line:",
        f'  relyon evaluate judgments.qrels agent.jsonl -m "{found}"',
        f"  relyon measures {found.of.name}",
    ]


class Parameter(TypedDict):
    """A parameter of a measure, as JSON-ready values."""

    name: str
    default: object
    choices: list[object]
    description: str


def _parameters(kind: type[Measure]) -> list[Parameter]:
    described = entries(sections(kind.__doc__).get("Attributes", ""))
    return [
        {
            "name": field.name,
            "default": field.default,
            "choices": list(choices(parameters(kind)[field.name])),
            "description": described.get(field.name, ""),
        }
        for field in dataclasses.fields(kind)  # type: ignore[arg-type]
    ]


def to_dict(kind: type[Measure]) -> dict[str, object]:
    """Returns a measure's description as JSON-ready values."""
    low, high = kind.bounds
    return {
        "name": kind.name,
        "summary": summary(kind.__doc__),
        "formula": kind.formula,
        "aliases": list(kind.aliases),
        "parameters": _parameters(kind),
        "averages": list(kind.averages),
        "bounds": [low if math.isfinite(low) else None, high if math.isfinite(high) else None],
        "needs": kind.needs,
        "references": sections(kind.__doc__).get("References", ""),
    }


def describe(kind: type[Measure]) -> str:
    """Returns everything about a measure, folded to 80 columns."""
    parts = sections(kind.__doc__)
    own = _parameters(kind)
    cutoff = "@k" if any(entry["name"] == "k" for entry in own) else ""
    title = f"{kind.name}{cutoff}" + (f"  =  {kind.formula}" if kind.formula else "")
    lines = [title, "", *paragraphs(parts[""])]
    if own:
        lines += ["", "Parameters:"]
        lines += definitions([(entry["name"], _parameter(entry)) for entry in own])
    facts = []
    if kind.aliases:
        facts.append(("aliases", ", ".join(kind.aliases)))
    facts.append(("average", _averages(kind)))
    facts.append(("range", f"{_bound(kind.bounds[0])} to {_bound(kind.bounds[1])}"))
    if kind.needs == "reference":
        facts.append(("compares", "two runs: give the other run in place of the judgments"))
    lines += ["", *definitions(facts, "")]
    if "Examples" in parts:
        lines += ["", "Example in Python:"]
        lines += [f"  {line}" if line else "" for line in parts["Examples"].splitlines()]
    if "References" in parts:
        lines += ["", "Source:", *paragraphs(parts["References"], "  ")]
    lines += ["", "On the command line:", f"  relyon evaluate {_example(kind)}"]
    lesson = lesson_on(kind.name, course())
    if lesson is not None:
        lines += ["", "Lesson:", f"  relyon learn {lesson.number}    {lesson.title}"]
    return "\n".join(lines)


def _parameter(entry: Parameter) -> str:
    text = entry["description"]
    if entry["choices"]:
        text += f" One of {', '.join(map(str, entry['choices']))}."
    if entry["default"] is not None:
        text += f" [default: {entry['default']}]"
    return text


def _averages(kind: type[Measure]) -> str:
    if len(kind.averages) == 1:
        return {
            "macro": "mean over queries",
            "sum": "sum over queries",
            "geometric": "geometric mean over queries",
        }.get(kind.averages[0], kind.averages[0])
    first, *others = kind.averages
    return f"{first}, or {', '.join(others)} with --average"


def _bound(value: float) -> str:
    return "unbounded" if math.isinf(value) else f"{value:g}"


def _example(kind: type[Measure]) -> str:
    first = "judgments.qrels" if kind.needs == "judgments" else "tfidf.run"
    name = f"{kind.name}@10" if "k" in parameters(kind) else kind.name
    return f"{first} bm25.run -m {name}"
