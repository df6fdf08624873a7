"""A language model's calibration, for people to read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.core.document.model import Block, Document, Lines, Points, Prose, Section, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.judging.llm.descriptions import date_of
from relyon.judging.llm.figures import NAMES, Figure, Figures

if TYPE_CHECKING:
    from relyon.data.scale import Scale
    from relyon.judging.llm.calibration import Calibration, Comparisons
    from relyon.judging.llm.differences import Difference
    from relyon.judging.llm.models import Configuration
    from relyon.judging.llm.saved import SavedGrades
    from relyon.judging.llm.systems import SystemOrder

__all__ = ["calibration_document"]

#: So many characters of an untrusted text are shown.
LONGEST = 200


def calibration_document(
    found: Calibration,
    configuration: Configuration,
    scale: Scale,
    *,
    order: SystemOrder | None = None,
    saved: Sequence[SavedGrades] = (),
    differences: Sequence[Difference] = (),
    language: Language = "en",
) -> Document:
    """Returns a calibration as a document.

    Args:
        found: The calibration.
        configuration: The model and its settings.
        scale: The grade scale.
        order: The systems as ranked by people's and by the model's grades.
        saved: What the model's grades add to people's, by measure and system.
        differences: The items to list on which the model and people differ.
        language: `en` or `zh`.
    """
    texts = catalogue("judging", language)
    blocks: list[Block] = [Prose([_settings(configuration, texts), *_verdict(found, texts)])]
    blocks.append(_confusion(found, scale, texts))
    tiers = {texts.name("tier", name): one for name, one in found.tiers.items()}
    for name, one in {texts["all"]: found.overall, **tiers}.items():
        title = texts.say(
            "calibration.group", name=name, items=one.final.items, queries=one.final.queries
        )
        blocks.append(Section("", title, [_comparisons(one, texts)]))
    if found.judges:
        rows = [
            [one.judge, str(one.units), _share(one.equal), _number(one.difference, texts),
             _number(one.weighted_kappa, texts)]
            for one in found.judges
        ]  # fmt: skip
        names = ("judge", "items", "equal", "difference", "weighted_kappa")
        table = Table(texts.names("column", names), rows)
        blocks.append(Section("", texts["calibration.judges"], [table]))
    if order is not None:
        blocks.append(_systems(order, texts))
    if saved:
        blocks.append(_saved(saved, texts))
    if differences:
        points = Points([_difference(apart, scale, texts) for apart in differences])
        blocks.append(Section("", texts["calibration.differences"], [points]))
    legend = texts.say(
        "calibration.legend",
        confidence=found.confidence,
        resamples=found.resamples,
        seed=found.seed,
    )
    return Document([*blocks, Lines([legend])], texts.say("calibration.title", judge=found.judge))


def _settings(found: Configuration, texts: Catalogue) -> str:
    return texts.say(
        "calibration.settings",
        title=found.title,
        model=found.model,
        endpoint=found.endpoint,
        settings=[
            texts.say("calibration.samples", samples=found.samples),
            *(f"{name} {value}" for name, value in found.parameters.items()),
        ],
        language=texts.name("prompt", found.language),
        date=date_of(found.created_at),
    )


def _verdict(found: Calibration, texts: Catalogue) -> list[str]:
    lines = []
    if found.outlook is not None:
        lines.append(found.outlook.text(texts.language))
    # Of two people's grades the lower one counts, so even a fair judge looks generous.
    bias = (found.overall.single or found.overall.final).difference
    if bias.low > 0 or bias.high < 0:
        key = "calibration.generous" if bias.value > 0 else "calibration.strict"
        lines.append(texts.say(key, grades=abs(bias.value)))
    itself = found.consistency
    if not math.isnan(itself.unanimous):
        key = "steady" if math.isnan(itself.alpha_ordinal) else "steady_alpha"
        lines.append(
            texts.say(
                f"calibration.{key}",
                share=itself.unanimous,
                items=itself.items,
                spread=itself.spread,
                alpha=itself.alpha_ordinal,
            )
        )
    return lines


def _confusion(found: Calibration, scale: Scale, texts: Catalogue) -> Section:
    labels = [_grade(grade, scale, texts.language) for grade in found.levels]
    rows = [
        [label, *map(str, counts), str(sum(counts))]
        for label, counts in zip(labels, found.confusion, strict=True)
    ]
    sums = [str(sum(column)) for column in zip(*found.confusion, strict=True)]
    rows.append([texts["all"], *sums, str(found.items)])
    table = Table([found.judge, *labels, texts["all"]], rows)
    return Section("", texts["calibration.confusion"], [table])


def _grade(grade: float, scale: Scale, language: Language) -> str:
    label = scale.label(grade, language)
    return f"{grade:g}" if label in ("", f"{grade:g}") else f"{grade:g} {label}"


def _comparisons(found: Comparisons, texts: Catalogue) -> Table:
    columns: dict[str, Figures] = {"final": found.final}
    if found.single is not None:
        columns["single"] = found.single
    if found.people is not None:
        columns["people"] = found.people
    rows = [
        [
            texts[f"calibration.figure.{name}"],
            *(_figure(getattr(one, name), name, texts) for one in columns.values()),
        ]
        for name in NAMES
    ]
    if found.people is not None:
        # Either person may be the first.
        rows[NAMES.index("difference")][-1] = texts.style.nothing
    items = [texts["column.items"], *(f"{one.items:,}" for one in columns.values())]
    return Table(["", *(texts[f"calibration.pair.{name}"] for name in columns)], [items, *rows])


def _systems(order: SystemOrder, texts: Catalogue) -> Section:
    rows = [
        [one.system, _number(one.people, texts, 4), _number(one.machine, texts, 4)]
        for one in order.systems
    ]
    headings = [texts[f"calibration.{name}"] for name in ("system", "by_people", "by_model")]
    swapped = [
        texts.say("calibration.swapped_pair", first=one, second=other)
        for one, other in order.swapped
    ]
    told = texts.say(
        "calibration.swapped" if swapped else "calibration.same_order",
        tau=_number(order.tau, texts),
        swapped=swapped,
    )
    title = texts.say("calibration.systems", measure=order.measure)
    return Section("", title, [Table(headings, rows), Prose([told])])


def _saved(saved: Sequence[SavedGrades], texts: Catalogue) -> Section:
    rows = []
    for one in saved:
        name = f"{one.system} − {one.baseline}" if one.baseline else one.system
        worth = (
            texts.style.nothing if math.isnan(one.worth) else f"{math.floor(one.worth + 1e-9):,}"
        )
        rows.append([name, one.measure, f"{one.labelled:,}", f"{one.total:,}", worth])
    names = ("system", "measure", "labelled", "graded", "worth")
    headings = [texts[f"calibration.saved_{name}"] for name in names]
    told = texts["calibration.saved_half" if saved[0].halved else "calibration.saved_read"]
    return Section("", texts["calibration.saved"], [Table(headings, rows, left=2), Prose([told])])


def _difference(found: Difference, scale: Scale, texts: Catalogue) -> str:
    title = _plain(found.item.title)
    document = _plain(found.item.document)
    said = texts.say(
        "calibration.apart",
        machine=_grade(found.machine, scale, texts.language),
        people=_grade(found.people, scale, texts.language),
        query=_plain(found.item.query_text or found.item.query),
        documents=[document, title] if title else [document],
    )
    if not found.reason:
        return said
    return texts.say("calibration.reason", said=said, reason=_plain(found.reason))


def _plain(text: str) -> str:
    """Returns an untrusted text on one line, without control characters."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    short = " ".join(shown.split())
    return short if len(short) <= LONGEST else short[:LONGEST] + "…"


def _figure(found: Figure, name: str, texts: Catalogue) -> str:
    def show(value: float) -> str:
        return _share(value) if name.endswith("equal") else _number(value, texts)

    if math.isnan(found.value):
        return texts.style.nothing
    if math.isnan(found.low):
        return show(found.value)
    return f"{show(found.value)} [{show(found.low)}, {show(found.high)}]"


def _number(value: float, texts: Catalogue, digits: int = 2) -> str:
    return texts.style.number(value, digits)


def _share(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.0%}"
