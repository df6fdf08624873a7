"""The monitor as a page: the trend, the alarm and its cause."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from relkit.core.language import Language
from relkit.core.parameters import check_type
from relkit.online.monitoring import ALL, MonthlyChange, Point
from relkit.online.monitoring.text import since_sentences
from relkit.online.monitoring.wording import losses_sentence, tier_name
from relkit.report.catalogue import Catalogue, catalogue
from relkit.report.document import Format, format_of, render_page, write_page
from relkit.report.page import (
    Block,
    Cell,
    Chart,
    Columns,
    Details,
    Headline,
    Headlines,
    Key,
    Page,
    Prose,
    Section,
    Table,
    Tone,
)
from relkit.report.provenance import convention_table, note_table
from relkit.report.wording import MARKS, number, p_equation, p_value, signed

if TYPE_CHECKING:
    import polars as pl

    from relkit.online.monitoring import Monitor

__all__ = ["build_monitor_page", "render_monitor_report", "write_monitor_report"]

DIGITS = 3
TONES: Mapping[str, Tone] = {"fell": "worse", "rose": "better", "undecided": "undecided"}
#: Colours and strokes of tiers, the most frequent queries first.
LINES = (("blue", ""), ("orange", "7 3"), ("green", "2 3"), ("purple", "8 3 2 3"), ("sky", "4 2"))
WHOLE, HALF = 640, 420
PARTS = (
    ("reached", "solid", "green"),
    ("ranking", "hatched", "purple"),
    ("recall", "open", "orange"),
)


def write_monitor_report(
    found: Monitor,
    path: str | PathLike[str],
    *,
    language: Language = "en",
    title: str | None = None,
    queries: int = 10,
) -> None:
    """Writes a report on monthly rounds: one file, HTML or Markdown by its ending.

    The HTML opens without a network: style, script and charts are inside.

    Args:
        found: What to report, from `relkit.monitor`.
        path: Where to write; `.html` or `.md`.
        language: `en` or `zh`.
        title: The heading of the page; by default it names the months.
        queries: How many of the worst queries, and of those that fell most.

    Raises:
        ParameterError: If the ending or the language is none of those.
        DependencyError: If a package of the extra `report` is not installed.

    Examples:
        >>> import os, polars as pl, relkit, tempfile
        >>> log = pl.DataFrame({"session": ["s"], "query": ["tv"], "position": [1], "doc": ["a"]})
        >>> made = relkit.create_round("2026-03", relkit.draw_sample(log), {"tv": {"a": 3}})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "monitor.md")
        ...     relkit.write_monitor_report(relkit.monitor([made]), path)
        ...     with open(path, encoding="utf-8") as file:
        ...         print(file.readline().strip())
        # Relevance of what users saw, 2026-03
    """
    text = render_monitor_report(
        found, format=format_of(path), language=language, title=title, queries=queries
    )
    write_page(text, path)


def render_monitor_report(
    found: Monitor,
    *,
    format: Format = "html",
    language: Language = "en",
    title: str | None = None,
    queries: int = 10,
) -> str:
    """Returns a report on monthly rounds as text; see `relkit.write_monitor_report`."""
    page = build_monitor_page(found, language=language, title=title, queries=queries)
    return render_page(page, format)


def build_monitor_page(
    found: Monitor, *, language: Language = "en", title: str | None = None, queries: int = 10
) -> Page:
    """Returns everything that a report on rounds says, before it becomes HTML or Markdown.

    Args:
        found: What to report.
        language: `en` or `zh`.
        title: The heading of the page.
        queries: How many of the worst queries, and of those that fell most.

    Raises:
        ParameterError: If the language is none of them.
    """
    from relkit.online.monitoring import Monitor

    check_type("found", found, Monitor, "what relkit.monitor returned")
    texts = catalogue(language)
    months = {"first": found.months[0], "last": found.months[-1]}
    heading = texts.say("monitor.title" if len(found.months) > 1 else "monitor.title_one", **months)
    alarms = [_typeset(alarm.sentence(language)) for alarm in found.alarms()]
    quiet = "monitor.quiet" if len(found.months) > 1 else "monitor.first"
    sections = [
        _summary(found, texts),
        _trend(found, texts),
        _beside(found, texts),
        _causes(found, texts),
        _queries(found, texts, queries),
        _coverage(found, texts),
        Section(
            "convention",
            texts.say("section.convention"),
            (convention_table(found.convention, texts),),
        ),
        Section("notes", texts.say("section.notes"), (note_table(found.notes, texts),)),
    ]
    return Page(
        language=language,
        title=title or heading,
        subtitle=texts.say(
            "monitor.subtitle",
            rounds=texts.count("monitor.rounds", len(found.months)),
            alpha=f"{found.alpha:g}",
        ),
        lead=tuple(alarms[:2]) or (texts.say(quiet, last=found.months[-1]),),
        sections=tuple(sections),
    )


def _typeset(text: str) -> str:
    """Returns a sentence with real minus signs before its numbers; months keep their hyphens.

    Examples:
        >>> _typeset("2026-03: -0.25 [-0.5, -0.1]")
        '2026-03: −0.25 [−0.5, −0.1]'
    """
    return re.sub(r"(?<![\w-])-(?=\d)", "−", text)


def _summary(found: Monitor, texts: Catalogue) -> Section:
    blocks: list[Block] = []
    watched = [one for one in found.latest() if one.watched]
    watched.sort(key=lambda one: one.tier != ALL)
    if watched:
        blocks.append(Headlines("", tuple(_headline(one, found, texts) for one in watched)))
        mix = watched[0].mix
        if not math.isnan(mix) and abs(mix) >= 0.0005:
            blocks.append(Prose((texts.say("monitor.mix", mix=signed(mix, DIGITS)),)))
        blocks.append(Prose((texts.say("monitor.about"),)))
    else:
        blocks.append(Prose((texts.say("monitor.first"),)))
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
    tone = TONES[one.verdict]
    return Headline(
        subject=f"{tier_name(one.tier, texts.language)} DCG@{one.k}",
        numbers=f"{number(one.before.dcg.value, DIGITS)} → {number(one.after.dcg.value, DIGITS)}",
        evidence=evidence,
        meaning=texts.say(f"monitor.{key}", detectable=number(one.dcg.detectable, DIGITS)),
        tone=tone,
        mark=MARKS[tone],
        separator=texts.say("list.colon"),
    )


def _relative(share: float, texts: Catalogue) -> str:
    if math.isnan(share):
        return "–"
    text = texts.percent(abs(share), 1 if abs(share) < 0.0995 else 0)
    return f"{'+' if share > 0 else '−' if share < 0 else ''}{text}"


def _trend(found: Monitor, texts: Catalogue) -> Section:
    series = []
    for tier, (role, dash) in zip(found.tiers, LINES, strict=False):
        name = f"{tier_name(tier, texts.language)} DCG@{found.depths[tier]}"
        series.append((name, role, dash, found.series(tier)))
    caption = texts.say("monitor.trend_caption", confidence=texts.percent(found.confidence))
    chart = _lines(found, series, "dcg", texts.say("monitor.trend_title"), caption, "DCG", texts)
    blocks: list[Block] = [chart]
    since = [_typeset(text) for text in since_sentences(found, texts.language)]
    if since:
        blocks.append(Prose(tuple(since)))
    for tier, depth in found.alert_series:
        points = found.series(tier, depth)
        name = f"{tier_name(tier, texts.language)} DCG@{points[-1].k}"
        table = _months(found, points, texts)
        blocks.append(Details(texts.say("monitor.details", tier=name), (table,)))
    if any(depth != found.common_k for depth in found.depths.values()):
        blocks.append(_common(found, texts))
    return Section("trend", texts.say("monitor.trend"), tuple(blocks))


def _common(found: Monitor, texts: Catalogue) -> Table:
    """Every tier at the depth at which tiers can be compared."""
    headings = (
        texts.say("monitor.tier"),
        *found.months,
        texts.say("monitor.change"),
        texts.say("table.corrected"),
    )
    rows: list[tuple[Cell | str, ...]] = []
    for tier in found.tiers:
        by_month = {one.month: one.dcg.value for one in found.series(tier, "common")}
        values = (number(by_month.get(month, math.nan), DIGITS) for month in found.months)
        one = found.change(tier, "common", found.months[-1])
        tone = TONES[one.verdict] if one else ""
        rows.append(
            (
                tier_name(tier, texts.language),
                *values,
                Cell(signed(one.dcg.value, DIGITS), tone, MARKS[tone]) if one and tone else "–",
                p_value(one.p_adjusted) if one else "–",
            )
        )
    return Table(headings, tuple(rows), texts.say("monitor.common", k=found.common_k))


def _months(found: Monitor, points: Sequence[Point], texts: Catalogue) -> Table:
    k = points[-1].k
    headings = (
        texts.say("monitor.month"),
        f"DCG@{k}",
        texts.say("table.interval", confidence=texts.percent(found.confidence)),
        texts.say("monitor.change"),
        texts.say("table.p"),
        texts.say("table.corrected"),
        texts.say("table.detectable"),
        f"NDCG@{k}",
    )
    rows: list[tuple[Cell | str, ...]] = []
    for point in points:
        one = found.change(point.tier, point.depth, point.month)
        tone = TONES[one.verdict] if one else ""
        rows.append(
            (
                point.month,
                number(point.dcg.value, DIGITS),
                _interval(point.dcg.interval),
                Cell(signed(one.dcg.value, DIGITS), tone, MARKS[tone]) if one and tone else "–",
                p_value(one.dcg.p) if one else "–",
                p_value(one.p_adjusted) if one else "–",
                number(one.dcg.detectable, DIGITS) if one else "–",
                number(point.ndcg.value, DIGITS),
            )
        )
    return Table(headings, tuple(rows))


def _interval(interval: tuple[float, float]) -> str:
    low, high = interval
    return "–" if math.isnan(low) else f"{number(low, DIGITS)} … {number(high, DIGITS)}"


def _lines(
    found: Monitor,
    series: Sequence[tuple[str, str, str, Sequence[Point]]],
    measure: str,
    title: str,
    caption: str,
    axis: str,
    texts: Catalogue,
) -> Chart:
    rows: list[dict[str, Any]] = []
    cells = []
    for name, _, _, points in series:
        for point in points:
            mean = point.dcg if measure == "dcg" else point.ndcg
            low, high = mean.interval
            change = found.change(point.tier, point.depth, point.month)
            verdict = change.verdict if change and measure == "dcg" else "undecided"
            interval = _interval(mean.interval)
            cells.append((point.month, name, number(mean.value, DIGITS), interval))
            if math.isnan(mean.value):
                continue
            colon = texts.say("list.colon")
            text = f"{point.month} {name}{colon}{number(mean.value, DIGITS)} ({interval})"
            rows.append(
                {
                    "month": point.month,
                    "series": name,
                    "value": mean.value,
                    "low": mean.value if math.isnan(low) else low,
                    "high": mean.value if math.isnan(high) else high,
                    "verdict": TONES[verdict],
                    "text": text,
                }
            )
    headings = (
        texts.say("monitor.month"),
        texts.say("monitor.tier"),
        axis,
        texts.say("table.interval", confidence=texts.percent(found.confidence)),
    )
    legend = tuple(Key("line", role, name, dash) for name, role, dash, _ in series)
    return Chart(
        kind="trend",
        title=title,
        caption=caption,
        rows=tuple(rows),
        table=Table(headings, tuple(cells), left=2),
        labels={"x": texts.say("monitor.axis_month"), "y": axis},
        values={
            "months": found.months,
            # Beside each other, charts have half a page each.
            "width": WHOLE if len(series) > 1 else HALF,
            "series": [(name, role, dash) for name, role, dash, _ in series],
        },
        legend=legend if len(series) > 1 else (),
    )


def _beside(found: Monitor, texts: Catalogue) -> Section:
    k = found.common_k
    points = found.series(ALL, "common")
    name = texts.say("monitor.all_tiers")
    charts = []
    for measure, role in (("dcg", "blue"), ("ndcg", "purple")):
        title = texts.say(f"monitor.{measure}_title", k=k)
        caption = texts.say(f"monitor.{measure}_caption")
        axis = f"{measure.upper()}@{k}"
        charts.append(
            _lines(found, [(name, role, "", points)], measure, title, caption, axis, texts)
        )
    hidden = [alarm.sentence(texts.language) for alarm in found.alarms() if alarm.kind == "recall"]
    fine = texts.say("monitor.beside_fine", last=found.months[-1])
    blocks: list[Block] = [Prose(tuple(hidden) or (fine,)), Columns(((charts[0],), (charts[1],)))]
    return Section("ndcg", texts.say("monitor.beside"), tuple(blocks))


def _causes(found: Monitor, texts: Catalogue) -> Section:
    title = texts.say("monitor.cause")
    if not found.losses:
        return Section("causes", title, (Prose((texts.say("monitor.cause_first"),)),))
    ordered = sorted(found.losses, key=lambda one: one.tier != ALL)
    blocks: list[Block] = [
        Prose(tuple(_typeset(losses_sentence(one, texts.language)) for one in ordered))
    ]
    rows: list[dict[str, Any]] = []
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
                kind="losses",
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


def _queries(found: Monitor, texts: Catalogue, count: int) -> Section:
    names = {"last": found.months[-1], "k": found.common_k}
    blocks: list[Block] = [
        _query_table(found, found.worst(count), texts.say("monitor.worst", **names), texts)
    ]
    fallen = found.largest_drops(count)
    if len(fallen):
        blocks.append(_query_table(found, fallen, texts.say("monitor.fallen", **names), texts))
    elif len(found.months) > 1:
        blocks.append(Prose((texts.say("monitor.fallen_none"),)))
    return Section("queries", texts.say("monitor.queries"), tuple(blocks))


def _query_table(found: Monitor, frame: pl.DataFrame, caption: str, texts: Catalogue) -> Table:
    headings = (
        texts.say("table.query"),
        f"DCG@{found.common_k}",
        texts.say("monitor.change"),
        texts.say("monitor.before"),
        f"NDCG@{found.common_k}",
        texts.say("monitor.tier"),
        texts.say("monitor.sessions"),
        texts.say("monitor.sampled"),
    )
    rows = tuple(
        (
            row["query"],
            number(row["dcg"], DIGITS),
            signed(_float(row["change"]), DIGITS),
            number(_float(row["before"]), DIGITS),
            number(_float(row["ndcg"]), DIGITS),
            tier_name(row["tier"], texts.language),
            f"{row['sessions']:,}",
            f"{row['sampled']:,}",
        )
        for row in frame.iter_rows(named=True)
    )
    return Table(headings, rows, caption)


def _float(value: float | None) -> float:
    return math.nan if value is None else value


def _coverage(found: Monitor, texts: Catalogue) -> Section:
    headings = (
        texts.say("monitor.month"),
        texts.say("monitor.tier"),
        "k",
        texts.say("monitor.share"),
        texts.say("monitor.sampled"),
        texts.say("monitor.judged"),
        texts.say("monitor.left_out"),
        texts.say("monitor.empty"),
        texts.say("monitor.detectable_next"),
    )
    last, *earlier = [
        Table(headings, tuple(_covered(found, month, texts)), left=2)
        for month in found.months[::-1]
    ]
    blocks: list[Block] = [Prose((texts.say("monitor.coverage_text"),)), last]
    blocks += [
        Details(month, (table,)) for month, table in zip(found.months[-2::-1], earlier, strict=True)
    ]
    return Section("coverage", texts.say("monitor.coverage"), tuple(blocks))


def _covered(found: Monitor, month: str, texts: Catalogue) -> Iterator[tuple[str, ...]]:
    watched = [one for one in found.points if one.month == month and one.watched]
    for point in sorted(watched, key=lambda one: one.tier != ALL):
        detectable = math.nan
        if month == found.months[-1]:
            detectable = found.detectable(point.tier, point.depth)
        yield (
            month,
            tier_name(point.tier, texts.language),
            str(point.k),
            texts.percent(point.share),
            f"{point.sampled:,}",
            "–" if math.isnan(point.judged) else texts.percent(point.judged, 1),
            f"{point.left_out:,}",
            f"{point.empty:,}",
            number(detectable, DIGITS),
        )
