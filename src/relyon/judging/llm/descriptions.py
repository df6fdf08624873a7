"""Language models as judges, in words and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypedDict

from relyon.core.document.markdown import render_markdown
from relyon.core.document.model import Document, Table
from relyon.core.document.terminal import align, wrap
from relyon.core.notes import Note
from relyon.core.texts import Catalogue
from relyon.core.texts.numbers import TERMINAL
from relyon.judging.llm.figures import NAMES, Figure, Figures

if TYPE_CHECKING:
    from relyon.data.scale import Scale
    from relyon.judging.llm.calibration import Calibration, Comparisons
    from relyon.judging.llm.differences import Difference
    from relyon.judging.llm.models import Configuration
    from relyon.judging.llm.systems import SystemOrder
    from relyon.judging.store import Store

__all__ = [
    "ConfigurationValues",
    "MachineValues",
    "configuration_dict",
    "describe_configuration",
    "describe_machine",
    "describe_machines",
    "note_machines",
    "render_calibration",
]

_TITLES = {
    "equal": "equal",
    "kappa": "κ",
    "weighted_kappa": "weighted κ",
    "alpha_ordinal": "ordinal α",
    "difference": "difference",
    "relevant_equal": "relevant: equal",
    "relevant_kappa": "relevant: κ",
}


class ConfigurationValues(TypedDict):
    """A judge's settings as JSON, without the prompt."""

    judge: str
    version: int
    model: str
    endpoint: str
    samples: int
    parameters: dict[str, object]
    language: str


class MachineValues(ConfigurationValues):
    """A language model that graded in a project, as JSON; None if it is not accepted."""

    graded: int
    accepted: bool
    accepted_by: str | None
    accepted_at: float | None
    compared: int | None
    kappa: float | None
    weighted_kappa: float | None
    filled: int


def describe_configuration(found: Configuration) -> str:
    """Returns a judge's settings in one line."""
    settings = [f"{name} {value}" for name, value in found.parameters.items()]
    times = "1 sample" if found.samples == 1 else f"{found.samples} samples"
    return (
        f"{found.title}: model {found.model} at {found.endpoint}, "
        + ", ".join([times, *settings, f"prompt in {found.language}"])
        + f", since {_date(found.created_at)}"
    )


def configuration_dict(found: Configuration) -> ConfigurationValues:
    """Returns a judge's settings as JSON-ready values, without the prompt."""
    return {
        "judge": found.judge,
        "version": found.version,
        "model": found.model,
        "endpoint": found.endpoint,
        "samples": found.samples,
        "parameters": dict(found.parameters),
        "language": found.language,
    }


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def note_machines(store: Store, project_id: int, sources: Sequence[str]) -> Note | None:
    """Returns a note of how many final grades are a language model's; None if there are none.

    Every export of final grades shows it.

    Args:
        store: The database.
        project_id: The project.
        sources: The source of each final grade.
    """
    accepted = store.models.accepted(project_id)
    if accepted is None:
        return None
    judge = accepted.configuration.judge
    filled = sources.count(judge)
    if not filled:
        return None
    values = {"filled": filled, "total": len(sources), "judge": judge, "by": accepted.by}
    values["date"] = _date(accepted.at)
    return Note("machine-grades", level="warning", values=values)


def describe_machines(store: Store, project_id: int) -> list[MachineValues]:
    """Returns the language models that graded in a project, every version, as JSON-ready values."""
    known = store.models.all(project_id)
    if not known:
        return []
    accepted = store.models.accepted(project_id)
    filled = store.decisions.count_filled(project_id)
    found: list[MachineValues] = []
    for one in known:
        graded = len(store.replies.graded_items(one))
        if not graded:
            continue
        mine = accepted if accepted is not None and accepted.configuration == one else None
        found.append(
            {
                **configuration_dict(one),
                "graded": graded,
                "accepted": mine is not None,
                "accepted_by": mine.by if mine else None,
                "accepted_at": mine.at if mine else None,
                "compared": mine.items if mine else None,
                "kappa": mine.kappa if mine else None,
                "weighted_kappa": mine.weighted_kappa if mine else None,
                "filled": filled if mine else 0,
            }
        )
    return found


def describe_machine(one: MachineValues, texts: Catalogue) -> str:
    """Returns a result of `describe_machines` as a sentence."""
    values: dict[str, object] = {
        "judge": one["judge"],
        "version": one["version"],
        "graded": one["graded"],
    }
    if one["accepted_at"] is None:
        return texts.say("machine_open", **values)
    values |= {"by": one["accepted_by"], "date": _date(one["accepted_at"])}
    values |= {"compared": one["compared"], "filled": one["filled"]}
    if one["kappa"] is None:
        return texts.say("machine", **values)
    return texts.say("machine_kappa", **values, kappa=one["kappa"])


def render_calibration(
    found: Calibration,
    configuration: Configuration,
    scale: Scale,
    *,
    order: SystemOrder | None = None,
    differences: Sequence[Difference] = (),
    markdown: bool = False,
) -> str:
    """Returns a calibration as text for the terminal, or as Markdown.

    Args:
        found: The calibration.
        configuration: The model and its settings.
        scale: The grade scale.
        order: The systems as ranked by people's and by the model's grades.
        differences: The items to list on which the model and people differ.
        markdown: Returns Markdown instead of text.
    """
    table: Callable[..., list[str]] = _markdown if markdown else align
    head = "## " if markdown else ""
    title = f"{found.judge} and people"
    lines = [f"# {title}" if markdown else title, ""]
    for sentence in (describe_configuration(configuration), *_verdict(found)):
        lines += [*([sentence] if markdown else wrap(sentence, 80)), ""]
    lines += [f"{head}Confusion matrix: rows the model, columns the grade that counts", ""]
    labels = [f"{grade:g} {scale.label(grade)}".strip() for grade in found.levels]
    labels = [f"{grade:g}" if label == f"{grade:g} {grade:g}" else label
              for label, grade in zip(labels, found.levels, strict=True)]  # fmt: skip
    rows = [
        [label, *map(str, counts), str(sum(counts))]
        for label, counts in zip(labels, found.confusion, strict=True)
    ]
    rows.append(["all", *(str(sum(column)) for column in zip(*found.confusion, strict=True)),
                 str(found.items)])  # fmt: skip
    lines += [*table([found.judge, *labels, "all"], rows), ""]
    for name, one in {"all": found.overall, **found.tiers}.items():
        queries = f"{one.final.queries:,} quer{'y' if one.final.queries == 1 else 'ies'}"
        lines += [f"{head}{name}: {one.final.items:,} items, {queries}", ""]
        lines += [*_comparisons(one, table), ""]
    if found.judges:
        lines += [f"{head}Each judge with single other people", ""]
        lines += [
            *table(
                ["judge", "items", "equal", "difference", "weighted κ"],
                [
                    [one.judge, str(one.units), _share(one.equal), _number(one.difference),
                     _number(one.weighted_kappa)]
                    for one in found.judges
                ],
            ),
            "",
        ]  # fmt: skip
    if order is not None:
        lines += [f"{head}Systems by {order.measure}", ""]
        systems = [
            [one.system, _number(one.people, 4), _number(one.machine, 4)] for one in order.systems
        ]
        lines += [*table(["system", "by people's grades", "by the model's"], systems), ""]
        swapped = ", ".join(f"{one} and {other}" for one, other in order.swapped)
        told = f"Kendall's τ of the two orders is {_number(order.tau)}; " + (
            f"the model swaps {swapped}." if swapped else "the model swaps none."
        )
        lines += [*([told] if markdown else wrap(told, 80)), ""]
    if differences:
        lines += [f"{head}The widest differences", ""]
        for apart in differences:
            lines += [*_difference(apart, scale, markdown), ""]
    last = (
        f"Brackets: {found.confidence:.0%} of {found.resamples:,} draws of queries (seed"
        f" {found.seed}). Difference: the first grade less the second, on average."
    )
    lines += [last] if markdown else wrap(last, 80)
    return "\n".join(lines)


def _markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return render_markdown(Document([Table(headings, rows)])).splitlines()


def _difference(found: Difference, scale: Scale, markdown: bool) -> list[str]:
    names = [f"{grade:g} {scale.label(grade)}" for grade in (found.machine, found.people)]
    query = _plain(found.item.query_text or found.item.query)
    title = f", {_plain(found.item.title)}" if found.item.title else ""
    text = (
        f"model {names[0]}, people {names[1]}: {query} → {_plain(found.item.document)}{title}"
        + (f". The model: {_plain(found.reason)}" if found.reason else "")
    )
    if markdown:
        return ["- " + re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", text)]
    return wrap(text, 80, "  ")


def _plain(text: str) -> str:
    """Returns an untrusted text on one line, without control characters."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    short = " ".join(shown.split())
    return short if len(short) <= 200 else short[:200] + "…"


def _verdict(found: Calibration) -> list[str]:
    lines = []
    if found.outlook is not None:
        lines.append(found.outlook.text())
    # Of two people's grades the lower one counts, so even a fair judge looks generous.
    bias = (found.overall.single or found.overall.final).difference
    if bias.low > 0 or bias.high < 0:
        kind = "more generous" if bias.value > 0 else "stricter"
        lines.append(f"It is {kind} than people: by {abs(bias.value):.2f} grades on average.")
    itself = found.consistency
    if not math.isnan(itself.unanimous):
        alpha = (
            "" if math.isnan(itself.alpha_ordinal) else f", ordinal α {itself.alpha_ordinal:.2f}"
        )
        lines.append(
            f"Asked repeatedly, it gives {itself.unanimous:.0%} of {itself.items:,} items one and"
            f" the same grade (mean spread {itself.spread:.2f}{alpha})."
        )
    return lines


def _comparisons(found: Comparisons, table: Callable[..., list[str]]) -> list[str]:
    columns: dict[str, Figures] = {"model – final grade": found.final}
    if found.single is not None:
        columns["model – one person"] = found.single
    if found.people is not None:
        columns["person – person"] = found.people
    rows = [
        [_TITLES[name], *(_figure(getattr(one, name), name) for one in columns.values())]
        for name in NAMES
    ]
    if found.people is not None:
        rows[NAMES.index("difference")][-1] = "-"  # either person may be the first
    rows.insert(0, ["items", *(f"{one.items:,}" for one in columns.values())])
    return table(["", *columns], rows)


def _figure(found: Figure, name: str) -> str:
    show = _share if name.endswith("equal") else _number
    if math.isnan(found.value):
        return "-"
    if math.isnan(found.low):
        return show(found.value)
    return f"{show(found.value)} [{show(found.low)}, {show(found.high)}]"


def _number(value: float, digits: int = 2) -> str:
    return TERMINAL.number(value, digits)


def _share(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.0%}"
