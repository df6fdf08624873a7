"""Click models as a page: position bias, click prediction, and agreement with people."""

from __future__ import annotations

import math
import os
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from relyon.core.language import Language
from relyon.core.parameters import check_type
from relyon.core.texts import PAGE, catalogue as texts_of
from relyon.labels import ModelComparison
from relyon.report.catalogue import Catalogue, catalogue
from relyon.report.document import Format, Report, TitleOptions
from relyon.report.number_formats import build_headline, label, number, p_equation, sentence, signed
from relyon.report.page import (
    Block,
    Chart,
    Details,
    Headline,
    Headlines,
    Key,
    Page,
    Prose,
    Section,
    Table,
)
from relyon.report.positions import PositionCurve, position_chart, series_of
from relyon.report.provenance import note_section, rules_section

if TYPE_CHECKING:
    from relyon.labels import Agreement, HumanComparison, ModelFit, PositionBias
    from relyon.report.page import Tone

__all__ = ["build_labels_page", "render_labels_report", "write_labels_report"]

DIGITS = 3


def write_labels_report(
    found: ModelComparison, path: str | PathLike[str], **options: Unpack[TitleOptions]
) -> None:
    """Writes a report on click models: one file, HTML or Markdown by its ending.

    The HTML opens offline: style, script and charts are inside.

    Args:
        found: The result of `relyon.labels.compare_models`.
        path: Where to write; `.html` or `.md`.
        **options: `language`: `en` or `zh`. `title`: the title of the page; by default it names the
            models.

    Raises:
        ParameterError: If the ending or the language is unknown.
        DependencyError: If a package of the extra `report` is not installed.

    Examples:
        >>> import pathlib, tempfile
        >>> import polars as pl
        >>> from relyon.labels import compare_models
        >>> columns = {"session": range(60), "query": ["tv", "sofa"] * 30, "doc": ["a"] * 60}
        >>> log = pl.DataFrame(columns | {"position": [1] * 60, "clicked": [1, 0, 0] * 20})
        >>> found = compare_models(log, ["dctr", "pbm"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "labels.md")
        ...     write_labels_report(found, path)
        ...     path.read_text("utf-8").splitlines()[0]
        '# Click models: dctr and pbm'
    """
    Report(build_labels_page).write(path, found, **options)


def render_labels_report(
    found: ModelComparison, *, format: Format = "html", **options: Unpack[TitleOptions]
) -> str:
    """Returns a report on click models as text; see `relyon.write_labels_report`."""
    return Report(build_labels_page).render(format, found, **options)


def build_labels_page(
    found: ModelComparison,
    *,
    language: Language = "en",
    title: str | None = None,
) -> Page:
    """Returns the contents of a report on click models.

    Args:
        found: The result of `relyon.labels.compare_models`.
        language: `en` or `zh`.
        title: The title of the page; by default it names the models.

    Raises:
        ParameterError: If the language is unknown.
    """
    check_type("found", found, ModelComparison, "what relyon.labels.compare_models returned")
    texts = catalogue(language)
    words = texts_of("labels", language, PAGE)
    names = [fit.model for fit in found.fits]
    sections = [
        _summary(found, texts),
        _models(found, texts, words),
        _positions(found, texts),
        _calibration(found, texts),
        _perplexity(found, texts),
        _people(found, texts, words),
    ]
    if found.people is not None:
        sections.append(rules_section(found.people.convention, texts, found.people.measures))
    sections.append(note_section(found.notes, texts))
    return Page(
        language=language,
        title=title or texts.say("clicks.title", models=texts.join(names)),
        subtitle=texts.say("clicks.subtitle", source=os.path.basename(found.source), **found.facts),
        lead=tuple(_lead(found, texts, words)),
        sections=tuple(sections),
    )


def _lead(found: ModelComparison, texts: Catalogue, words: Catalogue) -> list[str]:
    """Returns which model predicts clicks best, and whether people agree."""
    best = max(found.fits, key=lambda fit: fit.log_likelihood)
    lead = [texts.say("clicks.best" if len(found.fits) > 1 else "clicks.alone", model=best.model)]
    if found.people is None:
        lead.append(texts.say("clicks.no_people_lead"))
    elif not found.people.agreements:
        lead.append(sentence(words["people.nothing"], texts))
    elif len(found.fits) > 1:
        lead.append(sentence(found.people.verdict(words), texts))
    return lead


def _summary(found: ModelComparison, texts: Catalogue) -> Section:
    blocks: list[Block] = [Headlines(texts.say("clicks.foreseen"), _foreseen(found, texts))]
    people = found.people
    if people is not None and people.agreements:
        first = people.measures[0]
        headlines = tuple(
            _agreement(one, people, texts) for one in people.agreements if one.measure == first
        )
        title = texts.say("clicks.agreed", measure=label(first))
        blocks.append(Headlines(title, headlines))
    blocks.append(Prose((texts.say("clicks.both"),)))
    return Section("summary", texts.say("clicks.summary"), tuple(blocks))


def _foreseen(found: ModelComparison, texts: Catalogue) -> tuple[Headline, ...]:
    first = found.fits[0]
    headlines = []
    for fit in found.fits:
        told = fit.model, number(fit.log_likelihood, DIGITS)
        if fit is first:
            headlines.append(_reference(*told, texts))
            continue
        tone = _tone(fit.interval)
        evidence = _evidence(fit.difference, fit.interval, found.level, texts)
        meaning = texts.say(f"clicks.foresees_{tone}", first=first.model)
        headlines.append(build_headline(*told, evidence, meaning, tone, texts))
    return tuple(headlines)


def _agreement(one: Agreement, people: HumanComparison, texts: Catalogue) -> Headline:
    told, contrast = (one.model, number(one.value, DIGITS)), one.contrast
    if contrast is None:
        return _reference(*told, texts)
    evidence = _evidence(contrast.difference, contrast.interval, people.level, texts)
    if math.isfinite(contrast.p_adjusted):
        p = texts.say("headline.corrected", p=p_equation(contrast.p_adjusted))
        evidence = texts.say("clicks.evidence_p", evidence=evidence, p=p)
    meaning = texts.say(f"clicks.agrees_{contrast.verdict}", first=people.orders[0].model)
    return build_headline(*told, evidence, meaning, contrast.verdict, texts)


def _reference(model: str, value: str, texts: Catalogue) -> Headline:
    evidence, meaning = texts.say("clicks.reference_short"), texts.say("clicks.reference")
    return build_headline(model, value, evidence, meaning, "described", texts)


def _evidence(
    difference: float, interval: tuple[float, float], level: float, texts: Catalogue
) -> str:
    low, high = interval
    held = math.isfinite(low) and math.isfinite(high)
    return texts.say(
        "clicks.evidence" if held else "clicks.evidence_no_interval",
        difference=signed(difference, DIGITS),
        confidence=texts.percent(level),
        low=signed(low, DIGITS),
        high=signed(high, DIGITS),
    )


def _tone(interval: tuple[float, float]) -> Tone:
    low, high = interval
    return "better" if low > 0 else "worse" if high < 0 else "undecided"


def _models(found: ModelComparison, texts: Catalogue, words: Catalogue) -> Section:
    said = (words.say("compared", **found.facts), words["compared_numbers"])
    names = (texts.say("clicks.model"), texts.say("clicks.assumption"))
    rows = tuple((fit.model, words[f"assumes.{fit.model}"]) for fit in found.fits)
    blocks: tuple[Block, ...] = (
        Prose(tuple(sentence(text, texts) for text in said)),
        found.table(words, DIGITS),
        Table(names, rows, texts.say("clicks.assumptions"), left=2),
    )
    return Section("models", texts.say("clicks.models"), blocks)


def _positions(found: ModelComparison, texts: Catalogue) -> Section:
    names = [fit.model for fit in found.fits]
    curves = [PositionCurve(fit.model, fit.examination) for fit in found.fits if fit.examination]
    if found.bias is not None:
        curves += _estimates(found.bias)
    clicks = [value for value in found.clicks if value > 0]
    if clicks:
        values = [value / clicks[0] for value in found.clicks]
        curves.insert(0, PositionCurve(texts.say("clicks.counted"), values, counted=True))
    blocks: list[Block] = [Prose((texts.say("clicks.position_text"),))]
    if found.bias is not None:
        said = texts.say("clicks.estimators", names=list(found.bias.estimators))
        blocks.append(Prose((said, *found.bias.verdict(texts.language))))
    if any(not one.counted for one in curves):
        blocks.append(position_chart(curves, names, texts, key="examination", zero=True))
    else:
        blocks.append(Prose((texts.say("clicks.no_examination"),)))
    without = [fit.model for fit in found.fits if not fit.examination]
    if without and len(without) < len(found.fits):
        blocks.append(Prose((texts.say("clicks.without", models=without),)))
    return Section("positions", texts.say("clicks.positions"), tuple(blocks))


def _estimates(bias: PositionBias) -> list[PositionCurve]:
    """Returns the lines of the estimators, with their intervals."""
    deepest = max(bias.connection.positions)
    curves = []
    for name in bias.estimators:
        found = {one.position: one for one in bias[name]}
        nothing = (math.nan, math.nan)
        places = [found.get(place) for place in range(1, deepest + 1)]
        curves.append(
            PositionCurve(
                name,
                [one.examination if one else math.nan for one in places],
                [(one.low, one.high) if one else nothing for one in places],
            )
        )
    return curves


def _perplexity(found: ModelComparison, texts: Catalogue) -> Section:
    curves = [PositionCurve(fit.model, fit.by_position) for fit in found.fits]
    names = [fit.model for fit in found.fits]
    chart = position_chart(curves, names, texts, key="perplexity", zero=False)
    return Section("perplexity", texts.say("clicks.perplexity"), (chart,))


def _calibration(found: ModelComparison, texts: Catalogue) -> Section:
    rows: list[dict[str, object]] = []
    cells: list[tuple[str, ...]] = []
    end = 0.0
    for fit in found.fits:
        for order, one in enumerate(fit.reliability):
            low, high = one.interval
            held = math.isfinite(low) and math.isfinite(high)
            end = max(end, one.foreseen, high if held else one.clicked)
            interval = f"{number(low, DIGITS)} … {number(high, DIGITS)}" if held else "–"
            values = (number(one.foreseen, DIGITS), number(one.clicked, DIGITS))
            cells.append((fit.model, *values, interval, f"{one.shown:,}"))
            said = texts.say("clicks.bin", foreseen=values[0], clicked=values[1])
            rows.append(
                {
                    "series": fit.model,
                    "order": order,
                    "foreseen": one.foreseen,
                    "clicked": one.clicked,
                    "low": low if held else None,
                    "high": high if held else None,
                    "text": f"{fit.model}{texts.say('list.colon')}{said}",
                }
            )
    series = series_of([fit.model for fit in found.fits])
    level = texts.percent(found.level)
    headings = (
        texts.say("clicks.model"),
        texts.say("clicks.foreseen_axis"),
        texts.say("clicks.clicked_axis"),
        texts.say("table.interval", confidence=level),
        texts.say("clicks.shown"),
    )
    chart = Chart(
        drawing="reliability",
        title=texts.say("clicks.calibration_title"),
        caption=texts.say("clicks.calibration_caption", confidence=level),
        rows=tuple(rows),
        table=Table(headings, tuple(cells)),
        labels={"x": headings[1], "y": headings[2]},
        values={"series": series, "end": min(1.0, math.ceil(end * 20 + 0.01) / 20) or 0.05},
        legend=tuple(Key("line", role, name, dash) for name, role, dash in series),
    )
    off = [sentence for fit in found.fits if (sentence := _off(fit, texts))]
    prose = [Prose(tuple(off))] if off else []
    return Section("calibration", texts.say("clicks.calibration"), (*prose, chart))


def _off(fit: ModelFit, texts: Catalogue) -> str:
    """Returns how many bins of a model are off the diagonal."""
    known = [one for one in fit.reliability if math.isfinite(one.interval[0])]
    if not known:
        return ""
    over = sum(one.foreseen > one.interval[1] for one in known)
    under = sum(one.foreseen < one.interval[0] for one in known)
    key = "clicks.off" if over or under else "clicks.on"
    return texts.say(key, model=fit.model, over=over, under=under, bins=len(known))


def _people(found: ModelComparison, texts: Catalogue, words: Catalogue) -> Section:
    title, people = words["people.title"], found.people
    if people is None:
        return Section("people", title, (Prose((texts.say("clicks.no_people"),)),))
    said = Prose(tuple(sentence(text, texts) for text in people.sentences(words)))
    blocks: list[Block] = [said]
    if people.agreements:
        blocks += [people.table(words, DIGITS), people.order_table(words)]
        if people.disagreements:
            blocks.append(Prose((words["people.examples"], texts.say("clicks.why"))))
        for order in people.orders:
            table = people.example_table(words, DIGITS, len(people.disagreements), order.model)
            if table.rows:
                summary = texts.say("clicks.examples", model=order.model)
                blocks.append(Details(summary, (table,), value=f"{len(table.rows) // 2}"))
    return Section("people", title, tuple(blocks))
