"""The training of a ranker as a page: results, reasons, queries, and the model card."""

from __future__ import annotations

import math
import os
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from relyon.core.language import Language
from relyon.core.parameters import check_type
from relyon.core.texts import PAGE, catalogue as texts_of
from relyon.ltr.training.card import split_text
from relyon.ltr.training.outcome import Training
from relyon.ltr.training.training_tables import (
    curve_table,
    importance_table,
    placement_table,
    segment_table,
)
from relyon.report.catalogue import Catalogue, catalogue
from relyon.report.document import Format, Report, TitleOptions
from relyon.report.drawings import ForestRow
from relyon.report.number_formats import build_headline, label, number, p_equation, sentence, signed
from relyon.report.page import (
    Block,
    Chart,
    Columns,
    Heading,
    Headlines,
    Key,
    Page,
    Prose,
    Section,
    Table,
)
from relyon.report.provenance import note_section, rules_section
from relyon.report.queries import QueryDifferences, difference_chart

if TYPE_CHECKING:
    from relyon.report.page import Tone

__all__ = ["build_training_page", "render_training_report", "write_training_report"]

DIGITS = 4
#: Number of features with a bar, and of queries named on each side.
FEATURES, QUERIES = 20, 10
#: Colour and dashes of the lines of training queries and held-out queries.
LINES = (("train", "orange", "7 3"), ("held_out", "blue", ""))


def write_training_report(
    found: Training, path: str | PathLike[str], **options: Unpack[TitleOptions]
) -> None:
    """Writes a report on the training of a ranker: one file, HTML or Markdown by its ending.

    The HTML opens offline: style, script and charts are inside.

    Args:
        found: The result of `relyon.ltr.train`.
        path: Where to write; `.html` or `.md`.
        **options: `language`: `en` or `zh`. `title`: the title of the page; by default it names the
            ranker.

    Raises:
        ParameterError: If the ending or the language is unknown.
        DependencyError: If a package of the extra `report` is not installed.
    """
    Report(build_training_page).write(path, found, **options)


def render_training_report(
    found: Training, *, format: Format = "html", **options: Unpack[TitleOptions]
) -> str:
    """Returns a report on training as text; see `relyon.report.write_training_report`."""
    return Report(build_training_page).render(format, found, **options)


def build_training_page(
    found: Training, *, language: Language = "en", title: str | None = None
) -> Page:
    """Returns the contents of a report on training, before it becomes HTML or Markdown.

    Args:
        found: The result of `relyon.ltr.train`.
        language: `en` or `zh`.
        title: The title of the page; by default it names the ranker.

    Raises:
        ParameterError: If the language is unknown.
    """
    check_type("found", found, Training, "what relyon.ltr.train returned")
    texts = catalogue(language)
    words = texts_of("training", language, PAGE)
    card = found.card
    sections = [_summary(found, texts, words)]
    if found.curve:
        sections.append(_curve(found, words))
    if found.differences():
        sections.append(_queries(found, texts, words))
    if found.importance:
        sections.append(_importance(found, words))
    if found.placements:
        table = placement_table(found.placements, card.level, words, DIGITS)
        blocks = (table, Prose((words["note.placement"],)))
        sections.append(Section("placement", words["title.placement"], blocks))
    if found.segments:
        sections.append(_segments(found, texts, words))
    sections.append(_card(found, words))
    sections.append(rules_section(card.convention, texts, [card.measure]))
    sections.append(note_section(found.notes, texts))
    return Page(
        language=language,
        title=title or words.say("page.title", ranker=card.ranker, measure=label(card.measure)),
        subtitle=words.say(
            "page.subtitle",
            source=os.path.basename(card.data.source),
            queries=card.data.queries,
            rows=card.data.rows,
            features=len(card.data.features),
        ),
        lead=(sentence(found.verdict(words), texts),),
        sections=tuple(sections),
    )


def _summary(found: Training, texts: Catalogue, words: Catalogue) -> Section:
    card, held = found.card, found.found
    level = texts.percent(card.level)
    items = [
        build_headline(
            card.ranker,
            number(held.value, DIGITS),
            _interval(held.interval, level, texts, words),
            words.say("page.of_queries", queries=held.queries),
            "described",
            texts,
        )
    ]
    if held.paired:
        tone: Tone = "undecided"
        if held.tone in {"better", "worse"}:
            tone = "better" if held.tone == "better" else "worse"
        evidence = _interval(held.difference_interval, level, texts, words)
        if math.isfinite(held.p):
            evidence = words.say("page.evidence", interval=evidence, p=p_equation(held.p))
        items.append(
            build_headline(
                words.say("page.against", baseline=card.baseline),
                f"{number(held.baseline, DIGITS)} → "
                f"{number(held.baseline + held.difference, DIGITS)}",
                words.say(
                    "page.change", difference=signed(held.difference, DIGITS), evidence=evidence
                ),
                words[f"page.{tone}"],
                tone,
                texts,
            )
        )
    told = [words.say("page.split", split=split_text(card.split, words)), *found.searched(words)]
    if found.against is not None:
        told += found.against.lines(words, DIGITS, card.level)
    blocks: list[Block] = [
        Headlines(label(card.measure), tuple(items)),
        Prose(tuple(sentence(one, texts) for one in told)),
    ]
    return Section("summary", words["page.summary"], tuple(blocks))


def _interval(bounds: tuple[float, float], level: str, texts: Catalogue, words: Catalogue) -> str:
    if any(map(math.isnan, bounds)):
        return words["page.no_interval"]
    low, high = (number(one, DIGITS) for one in bounds)
    return words.say("page.interval", percent=level, low=low, high=high)


def _curve(found: Training, words: Catalogue) -> Section:
    measure = label(found.card.measure)
    names = {key: words.say(f"column.{key}", measure=measure) for key, _, _ in LINES}
    rows: list[dict[str, object]] = [
        {"series": names[key], "iteration": point.iteration, "value": value}
        for key, _, _ in LINES
        for point in found.curve
        if math.isfinite(value := getattr(point, key))
    ]
    series = [(names[key], role, dash) for key, role, dash in LINES]
    series = [one for one in series if any(row["series"] == one[0] for row in rows)]
    known = [point for point in found.curve if math.isfinite(point.held_out)]
    best = max(known, key=lambda point: (point.held_out, -point.iteration), default=None)
    marks = []
    caption = words["note.curve"]
    if best is not None:
        told = words.say("page.best", iteration=best.iteration, value=best.held_out)
        marks = [{"iteration": best.iteration, "value": best.held_out, "text": told}]
        caption = f"{told}{words['page.space']}{caption}"
    chart = Chart(
        drawing="by_iteration",
        title=words.say("page.curve_title", measure=measure),
        caption=caption,
        rows=tuple(rows),
        table=curve_table(found.curve, found.card.measure, words, DIGITS, 12),
        labels={"x": words["column.iteration"], "y": measure},
        values={"series": series, "best": marks},
        legend=tuple(Key("line", role, name, dash) for name, role, dash in series),
    )
    return Section("curve", words["title.curve"], (chart,))


def _queries(found: Training, texts: Catalogue, words: Catalogue) -> Section:
    deltas = found.differences()
    held, card = found.found, found.card
    same = held.paired - held.better - held.worse
    chart = difference_chart(
        QueryDifferences(
            card.measure,
            card.ranker,
            card.baseline,
            deltas,
            held.difference,
            (held.better, same, held.worse),
        ),
        texts,
    )
    values = dict(zip(found.queries, found.values, strict=True))
    sides = (
        ("gained", [one for one in deltas[:QUERIES] if one[1] > 0]),
        ("lost", [one for one in reversed(deltas[-QUERIES:]) if one[1] < 0]),
    )
    headings = (texts.say("table.query"), label(card.measure), texts.say("table.difference"))
    tables = [
        Table(
            headings,
            tuple(
                (query, number(values[query], DIGITS), signed(one, DIGITS)) for query, one in side
            ),
            words.say(f"page.{name}", baseline=card.baseline),
            long=(0,),
        )
        for name, side in sides
        if side
    ]
    beside: tuple[Block, ...] = (Columns(tuple((table,) for table in tables)),) if tables else ()
    return Section("queries", words["page.queries"], (chart, *beside))


def _importance(found: Training, words: Catalogue) -> Section:
    shown = found.importance[:FEATURES]
    falls = shown[0].kind == "permutation"
    sign = -1.0 if falls else 1.0
    rows = []
    for one in shown:
        low, high = sorted(sign * bound for bound in one.interval)
        held = math.isfinite(low) and math.isfinite(high)
        value = signed(sign * one.value, DIGITS) if falls else number(one.value, DIGITS)
        rows.append(
            {
                "name": one.feature,
                "value": sign * one.value,
                "low": low if held else None,
                "high": high if held else None,
                "text": f"{one.feature} {value}",
            }
        )
    heading = words["column.falls" if falls else "column.moves"]
    chart = Chart(
        drawing="feature_bars",
        title=words["title.importance"],
        caption=words[f"note.{found.note_of('importance')}"],
        rows=tuple(rows),
        table=importance_table(found.importance, words, DIGITS, FEATURES),
        labels={"x": heading},
    )
    more = len(found.importance) - len(shown)
    said = (Prose((words.say("page.more_features", count=more),)),) if more else ()
    return Section("importance", words["title.importance"], (chart, *said))


def _segments(found: Training, texts: Catalogue, words: Catalogue) -> Section:
    card = found.card
    table = segment_table(found.segments, card, words, DIGITS)
    rows: list[ForestRow] = []
    for one in found.segments:
        held = one.found
        low, high = held.difference_interval
        if not held.paired:
            continue
        known = math.isfinite(low) and math.isfinite(high)
        sure = known and held.tone != "few" and held.p <= 1 - card.level
        rows.append(
            {
                "name": one.name,
                "difference": held.difference,
                "low": low if known else held.difference,
                "high": high if known else held.difference,
                "verdict": "undecided"
                if not sure
                else "better"
                if held.difference > 0
                else "worse",
                "text": f"{one.name} {signed(held.difference, DIGITS)}",
            }
        )
    note = Prose((words["note.segments"],))
    if not rows:
        return Section("segments", words["title.segments"], (table, note))
    names = (words["column.segment"], words["column.difference"])
    chart = Chart(
        drawing="forest",
        title=words.say("page.segments_title", measure=label(card.measure), baseline=card.baseline),
        caption=words.say("page.segments_caption", percent=texts.percent(card.level)),
        rows=tuple(rows),
        table=Table(names, tuple((row["name"], signed(row["difference"])) for row in rows)),
        labels={"axis": words.say("page.less", ranker=card.ranker, baseline=card.baseline)},
    )
    return Section("segments", words["title.segments"], (chart, table, note))


def _card(found: Training, words: Catalogue) -> Section:
    card = found.card
    headings = (words["page.fact"], words["page.value"])
    blocks: list[Block] = [
        Table(headings, facts, words[f"card.{name}"], left=2)
        for name, facts in card.facts(words, DIGITS).items()
        if facts
    ]
    blocks += [Heading(words["card.limits"]), Prose(tuple(card.limits(words)))]
    return Section("card", words.say("card.title", ranker=card.ranker), tuple(blocks))
