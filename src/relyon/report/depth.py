"""Measures by cutoff as a page and as a picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from relyon.core.language import Language
from relyon.core.texts import PAGE, Catalogue as Words, catalogue as texts_of
from relyon.io.picture import Picture
from relyon.report.catalogue import catalogue
from relyon.report.document import Format, Report, TitleOptions
from relyon.report.page import Block, Chart, Key, Page, Prose, Section, Table
from relyon.report.pictures import draw_alone
from relyon.report.positions import series_of
from relyon.report.provenance import note_section

if TYPE_CHECKING:
    from relyon.analysis.depth import Depth

__all__ = ["build_depth_page", "depth_picture", "render_depth_report"]

Curve = Mapping[int, float]


def _chart(
    found: Depth, words: Words, curves: Mapping[str, Curve], table: Table, **texts: str
) -> Chart:
    """Returns a chart of one line per name; `texts` are title, caption and axis."""
    # Curves without any value are left out, also from the legend.
    known = [name for name, one in curves.items() if any(map(math.isfinite, one.values()))]
    series = series_of(known)
    shares = texts.get("share")
    rows = []
    for name, curve in curves.items():
        for k, value in curve.items():
            if not math.isfinite(value):
                continue
            shown = words.style.part(value) if shares else words.style.number(value)
            text = words.say("chart.point", name=name, k=k, value=shown)
            rows.append({"series": name, "position": k, "value": value, "low": None, "high": None,
                         "text": text})  # fmt: skip
    return Chart(
        drawing="by_position",
        title=texts["title"],
        caption=texts["caption"],
        rows=tuple(rows),
        table=table,
        labels={"x": "K", "y": texts["axis"]},
        values={"series": series, "zero": True, "end": None, "percent": bool(shares)},
        legend=tuple(Key("line", role, name, dash) for name, role, dash in series),
    )


def _charts(found: Depth, words: Words) -> list[Chart]:
    """Returns the charts of the share seen and judged, of every measure, and of the power."""
    first = found.measures[0]
    seen: dict[str, Curve] = {}
    if found.clicks is not None and found.clicks.clicked:
        clicks = found.clicks
        seen[words["chart.clicks"]] = {k: clicks.share(k) for k in found.cutoffs}
    for run in found.runs:
        rows = found.series(first, run)
        seen[words.say("chart.judged", run=run)] = {k: row.judged for k, row in rows.items()}
    charts = [
        _chart(found, words, seen, found.coverage_table(words, words.style), share="yes",
               title=words["chart.title"], caption=words["chart.caption"],
               axis=words["chart.share"])
    ]  # fmt: skip
    power: dict[str, Curve] = {}
    for measure in found.measures:
        label = found.label(measure)
        tables = found.measure_tables(measure, words, words.style)
        values = {
            run: {k: row.value for k, row in found.series(measure, run).items()}
            for run in found.runs
        }
        title = words.say("chart.value", measure=label)
        caption = words["chart.value_caption"]
        charts.append(
            _chart(found, words, values, tables[0], title=title, caption=caption, axis=label)
        )
        for run in found.runs[1:]:
            name = label if len(found.runs) == 2 else words.say("chart.of", measure=label, run=run)
            rows = found.series(measure, run)
            power[name] = {k: row.detectable_share for k, row in rows.items()}
    if any(math.isfinite(one) for curve in power.values() for one in curve.values()):
        caption = words.say("chart.power_caption", baseline=found.runs[0])
        charts.append(
            _chart(found, words, power, _power_table(found, power, words), share="yes",
                   title=words["chart.power"], caption=caption, axis=words["chart.power_axis"])
        )  # fmt: skip
    return charts


def _power_table(found: Depth, power: Mapping[str, Curve], words: Words) -> Table:
    cells = [
        [str(k), *(words.style.short_percent(curve[k]) for curve in power.values())]
        for k in found.cutoffs
    ]
    return Table(["K", *power], cells)


def depth_picture(found: Depth, language: Language = "en") -> Picture:
    """Returns all charts as one picture.

    Args:
        found: The result of `relyon.depth`.
        language: `en` or `zh`.

    Raises:
        DependencyError: If a package of the extra `report` is not installed.
    """
    words = texts_of("depth", language, PAGE)
    charts = _charts(found, words)
    return draw_alone(
        Chart(
            drawing="panels",
            title=found.title(language),
            caption="",
            rows=(),
            table=charts[0].table,
            values={"charts": tuple(charts)},
        )
    )


def build_depth_page(found: Depth, *, language: Language = "en", title: str | None = None) -> Page:
    """Returns the contents of a page on cutoffs, before it becomes HTML or Markdown.

    Args:
        found: The result of `relyon.depth`.
        language: `en` or `zh`.
        title: The title of the page.

    Raises:
        ParameterError: If the language is unknown.
    """
    texts = catalogue(language)
    words = texts_of("depth", language, PAGE)
    charts = _charts(found, words)
    first, *advice = [one.sentence(language) for one in found.advice] or [""]
    sections = (
        [Section("advice", words["section.advice"], (Prose(tuple(advice)),))] if advice else []
    )
    sections.append(Section("seen", words["section.seen"], (charts[0],)))
    for place, measure in enumerate(found.measures):
        more: Sequence[Table] = found.measure_tables(measure, words, words.style)
        blocks: tuple[Block, ...] = (charts[1 + place], *more[1:])
        sections.append(Section(f"measure-{place + 1}", found.label(measure), blocks))
    tested = (Prose((found.legend(language),)),) if found.tests else ()
    power = (*charts[1 + len(found.measures) :], *tested)
    if power:
        sections.append(Section("power", words["section.power"], power))
    sections.append(note_section(found.notes, texts))
    return Page(
        language=language,
        title=title or words["page.title"],
        subtitle=found.title(language),
        lead=(first,) if first else (),
        sections=tuple(sections),
    )


def render_depth_report(
    found: Depth, *, format: Format = "html", **options: Unpack[TitleOptions]
) -> str:
    """Returns a page on cutoffs as text.

    Args:
        found: The result of `relyon.depth`.
        format: `html` or `markdown`.
        **options: `language`: `en` or `zh`. `title`: the title of the page.

    Raises:
        ParameterError: If the format or the language is unknown.
        DependencyError: If a package of the extra `report` is not installed.
    """
    return Report(build_depth_page).render(format, found, **options)
