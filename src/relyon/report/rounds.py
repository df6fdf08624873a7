"""The monitor as a page: the trend, the alarm and its cause."""

from __future__ import annotations

import math
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from relyon.core.language import Language
from relyon.core.parameters import check_type
from relyon.online.monitoring import ALL, MonthlyChange
from relyon.online.monitoring.monitor_document import legend_lines, past_sentences
from relyon.online.monitoring.sentences import losses_sentence, tier_name
from relyon.report.catalogue import Catalogue, catalogue
from relyon.report.coverage import coverage_section, queries_section
from relyon.report.document import Format, Report, TitleOptions
from relyon.report.monthly import DIGITS, TONES, typeset
from relyon.report.number_formats import build_headline, number, p_equation, signed
from relyon.report.page import (
    Block,
    Cell,
    Chart,
    Headline,
    Headlines,
    Key,
    Page,
    Prose,
    Section,
    Table,
)
from relyon.report.provenance import note_section, rules_section
from relyon.report.trends import beside_section, month_note_sections, trend_section

if TYPE_CHECKING:
    from relyon.online.monitoring import Monitor

__all__ = ["build_monitor_page", "render_monitor_report", "write_monitor_report"]

PARTS = (
    ("reached", "solid", "green"),
    ("ranking", "hatched", "purple"),
    ("recall", "open", "orange"),
)


class MonitorOptions(TitleOptions, total=False):
    """Keyword options of `build_monitor_page`."""

    queries: int


def write_monitor_report(
    found: Monitor, path: str | PathLike[str], **options: Unpack[MonitorOptions]
) -> None:
    """Writes a report on monthly rounds: one file, HTML or Markdown by its ending.

    The HTML opens offline: style, script and charts are inside.

    Args:
        found: The result of `relyon.monitor`.
        path: Where to write; `.html` or `.md`.
        **options: `language`: `en` or `zh`. `title`: the title of the page; by default it names the
            months. `queries` (10): how many of the worst queries, and of the largest drops, to
            show.

    Raises:
        ParameterError: If the ending or the language is unknown.
        DependencyError: If a package of the extra `report` is not installed.

    Examples:
        >>> import os, polars as pl, relyon, tempfile
        >>> log = pl.DataFrame({"session": ["s"], "query": ["tv"], "position": [1], "doc": ["a"]})
        >>> made = relyon.create_round("2026-03", relyon.draw_sample(log), {"tv": {"a": 3}})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "monitor.md")
        ...     relyon.write_monitor_report(relyon.monitor([made]), path)
        ...     with open(path, encoding="utf-8") as file:
        ...         print(file.readline().strip())
        # Relevance of what users saw, 2026-03
    """
    Report(build_monitor_page).write(path, found, **options)


def render_monitor_report(
    found: Monitor, *, format: Format = "html", **options: Unpack[MonitorOptions]
) -> str:
    """Returns a report on monthly rounds as text; see `relyon.write_monitor_report`."""
    return Report(build_monitor_page).render(format, found, **options)


def build_monitor_page(
    found: Monitor, *, language: Language = "en", title: str | None = None, queries: int = 10
) -> Page:
    """Returns the contents of a report on rounds, before it becomes HTML or Markdown.

    Args:
        found: The result of `relyon.monitor`.
        language: `en` or `zh`.
        title: The title of the page.
        queries: How many of the worst queries, and of the largest drops, to show.

    Raises:
        ParameterError: If the language is unknown.
    """
    from relyon.online.monitoring import Monitor

    check_type("found", found, Monitor, "what relyon.monitor returned")
    texts = catalogue(language)
    months = {"first": found.months[0], "last": found.months[-1]}
    heading = texts.say("monitor.title" if len(found.months) > 1 else "monitor.title_one", **months)
    alarms = [typeset(alarm.sentence(language)) for alarm in found.alarms()]
    quiet = "monitor.quiet" if len(found.months) > 1 else "monitor.first"
    sections = [
        *([_summary(found, texts)] if len(found.months) > 1 else []),
        trend_section(found, texts),
        beside_section(found, texts),
        *([_causes(found, texts)] if len(found.months) > 1 else []),
        *month_note_sections(found, texts),
        queries_section(found, texts, queries),
        coverage_section(found, texts),
        rules_section(found.convention, texts),
        note_section(found.notes, texts),
    ]
    return Page(
        language=language,
        title=title or heading,
        subtitle=texts.say(
            "monitor.subtitle" if len(found.months) > 1 else "monitor.subtitle_one",
            rounds=texts.count("monitor.rounds", len(found.months)),
            alpha=f"{found.alpha:g}",
        ),
        lead=tuple(alarms[:2]) or (texts.say(quiet, last=found.months[-1]),),
        sections=tuple(sections),
    )


def _summary(found: Monitor, texts: Catalogue) -> Section:
    blocks: list[Block] = []
    watched = [one for one in found.latest() if one.can_alarm]
    watched.sort(key=lambda one: one.tier != ALL)
    if watched:
        blocks.append(Headlines("", tuple(_headline(one, found, texts) for one in watched)))
        mix = watched[0].mix
        if not math.isnan(mix) and abs(mix) >= 0.0005:
            blocks.append(Prose((texts.say("monitor.mix", mix=signed(mix, DIGITS)),)))
        past = past_sentences(found, texts.language)
        lines = [*past, *legend_lines(found, texts.language)]
        blocks.append(Prose(tuple(typeset(line) for line in lines)))
    return Section("summary", texts.say("section.summary"), tuple(blocks))


def _headline(one: MonthlyChange, found: Monitor, texts: Catalogue) -> Headline:
    low, high = one.dcg.interval
    held = not math.isnan(low)
    evidence = texts.say(
        "monitor.evidence" if held else "monitor.evidence_no_interval",
        difference=signed(one.dcg.value, DIGITS),
        relative=_relative(one.relative, texts),
        confidence=texts.percent(found.confidence),
        low=signed(low, DIGITS),
        high=signed(high, DIGITS),
        p=texts.say("headline.corrected", p=p_equation(one.p_adjusted)),
    )
    key = {"fell": "fell_hidden" if one.hidden else "fell", "rose": "rose"}.get(one.verdict, "")
    if not key:
        key = "undecided" if math.isfinite(one.dcg.detectable) else "undecided_plain"
        key = "undecided_beyond_reach" if one.beyond_reach else key
    return build_headline(
        f"{tier_name(one.tier, texts.language)} DCG@{one.k}",
        f"{number(one.before.dcg.value, DIGITS)} → {number(one.after.dcg.value, DIGITS)}",
        evidence,
        texts.say(f"monitor.{key}", detectable=number(one.dcg.detectable, DIGITS)),
        TONES[one.verdict],
        texts,
    )


def _relative(share: float, texts: Catalogue) -> str:
    if math.isnan(share):
        return "–"
    text = texts.percent(abs(share), 1 if abs(share) < 0.0995 else 0)
    return f"{'+' if share > 0 else '−' if share < 0 else ''}{text}"


def _causes(found: Monitor, texts: Catalogue) -> Section:
    title = texts.say("monitor.cause")
    ordered = sorted(found.losses, key=lambda one: one.tier != ALL)
    blocks: list[Block] = [
        Prose(tuple(typeset(losses_sentence(one, texts.language)) for one in ordered))
    ]
    rows: list[dict[str, object]] = []
    cells: list[tuple[Cell | str, ...]] = []
    for one in ordered:
        if not one.known:
            continue
        for month, means, share in zip(one.months, (one.before, one.after), one.share, strict=True):
            name = texts.say(
                "monitor.cause_name", month=month, tier=tier_name(one.tier, texts.language)
            )
            values = [means["dcg"].value, means["ranking_loss"].value, means["recall_loss"].value]
            for order, ((part, _, _), value) in enumerate(zip(PARTS, values, strict=True)):
                said = texts.say(f"funnel.{part}")
                rows.append(
                    {
                        "name": name,
                        "part": part,
                        "order": order,
                        "value": value,
                        "text": f"{name}, {said}{texts.say('list.colon')}{number(value, DIGITS)}",
                    }
                )
            ideal = number(means["ideal"].value, DIGITS)
            shown = (number(value, DIGITS) for value in values)
            cells.append((name, *shown, ideal, texts.percent(share)))
    if rows:
        depths = {one.k for one in ordered if one.known}
        cutoff = f"@{depths.pop()}" if len(depths) == 1 else ""
        headings = (
            texts.say("monitor.month"),
            *(texts.say(f"funnel.{part}") for part, _, _ in PARTS),
            texts.say("funnel.ideal"),
            texts.say("monitor.told"),
        )
        blocks.append(
            Chart(
                drawing="losses",
                title=texts.say("monitor.cause_title", cutoff=cutoff),
                caption=texts.say("monitor.cause_caption", k=cutoff.lstrip("@") or "k"),
                rows=tuple(rows),
                table=Table(headings, tuple(cells)),
                labels={"x": f"DCG{cutoff}"},
                legend=tuple(
                    Key(shape, role, texts.say(f"funnel.{part}")) for part, shape, role in PARTS
                ),
            )
        )
    return Section("causes", title, tuple(blocks))
