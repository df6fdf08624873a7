"""The monitor as text: tables of 80 columns, and Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relkit.core.language import Language, check_language
from relkit.core.rendering import align, markdown_lines, shorten, width, wrap
from relkit.measures.labels import convention_line
from relkit.online.monitoring.points import ALL, Point
from relkit.online.monitoring.wording import (
    STYLE,
    change_sentence,
    losses_sentence,
    percent,
    since_sentence,
    tier_name,
)

if TYPE_CHECKING:
    import polars as pl

    from relkit.online.monitoring.timeline import Monitor

__all__ = ["monitor_markdown", "monitor_text", "since_sentences"]

COLUMNS = 80
BAR = 8
EIGHTHS = " ▏▎▍▌▋▊▉█"
ARROWS = {"fell": "▼", "rose": "▲", "undecided": "·"}

WORDS = {
    "en": {
        "title": "Relevance of what users saw, {first} to {last}",
        "one": "Relevance of what users saw, {last}",
        "month": "month",
        "interval": "{confidence} interval",
        "judged": "judged",
        "change": "change",
        "p": "p",
        "group": "{tier}: {share} of sessions, {sampled} sampled",
        "all": "all tiers, weighted by traffic: {sampled} sessions sampled",
        "common": "tiers at the common depth",
        "tier": "tier",
        "detectable": "detectable",
        "alarms": "Alarms",
        "quiet": "No alarm.",
        "last": "Change to {last}",
        "since": "Since {first}",
        "cause": "Where it comes from",
        "worst": "Worst queries of {last}, by DCG@{k}",
        "fallen": "Queries that fell most",
        "query": "query",
        "sessions": "sessions",
        "before": "before",
        "legend": "▼ ▲ DCG changed by more than chance explains (level {alpha}; p of tests that"
        " belong together corrected by Holm); NDCG: ideal over the retrieved.",
        "about": "Intervals of a month are about the sessions of that month. Changes, their"
        " intervals and p are about the process behind the months: queries are what varies, and"
        " nothing counts as sampled whole.",
        "mix": "Of the change of all tiers together, {mix} is traffic moving between tiers.",
        "next": "Next month, changes from here on would show (power 0.8): {parts}.",
        "comma": ", ",
    },
    "zh": {
        "title": "用户实际看到的搜索质量：{first} 至 {last}",
        "one": "用户实际看到的搜索质量：{last}",
        "month": "月份",
        "interval": "{confidence} 区间",
        "judged": "已标注",
        "change": "变化",
        "p": "p",
        "group": "{tier}：占会话 {share}，抽样 {sampled} 个",
        "all": "全部流量（按流量加权）：抽样 {sampled} 个会话",
        "common": "各层在统一深度下",
        "tier": "分层",
        "detectable": "可测出",
        "alarms": "告警",
        "quiet": "没有告警。",
        "last": "{last} 的变化",
        "since": "自 {first} 以来",
        "cause": "变化来自哪里",
        "worst": "{last} 最差的查询（按 DCG@{k}）",
        "fallen": "下降最多的查询",
        "query": "查询",
        "sessions": "会话数",
        "before": "上月",
        "legend": "▼ ▲ 表示 DCG 的变化超出随机波动（显著性水平 {alpha}，"
        "同组检验的 p 值经 Holm 校正）；NDCG 的理想排序只取已返回的文档。",
        "about": "单月的区间针对该月的会话；变化及其区间和 p 值针对各月背后的搜索过程："
        "以查询为独立单位，全部抽取也不视为没有误差。",
        "mix": "全部流量的变化中，有 {mix} 来自各层流量占比的变化。",
        "next": "下个月的变化达到以下幅度即可测出（检验功效 0.8）：{parts}。",
        "comma": "，",
    },
}


def monitor_text(found: Monitor, language: Language, queries: int) -> str:
    """Returns the monitor as lines of at most 80 columns."""
    check_language(language)
    words = WORDS[language]
    lines = wrap(_title(found, words), COLUMNS)
    most = max((one.dcg.value for one in found.points if one.dcg.value > 0), default=0.0)
    for tier, depth in found.alert_series:
        points = found.series(tier, depth)
        lines += ["", *wrap(_group(points[-1], words, language), COLUMNS)]
        headings, rows = _rows(found, points, words)
        table = align((*headings, ""), [(*row, "") for row in rows])
        table[1] = table[1].rstrip("─").rstrip()
        wide = max(map(width, table))
        for place, point in enumerate(points, 2):
            bar = _bar(point.dcg.value, most)
            if bar:
                table[place] += " " * (wide - width(table[place]) + 1) + bar
        lines += table
    headings, rows = _common_rows(found, words, language)
    if rows:
        lines += ["", *wrap(_common_title(found, words), COLUMNS), *align(headings, rows)]
    for title, sentences in _sections(found, words, language):
        lines += ["", title]
        for sentence in sentences:
            lines += wrap(sentence, COLUMNS, "  ", "  ")
    for title, frame in _query_frames(found, words, queries):
        headings, rows = _query_rows(frame, found, words, language)
        lines += ["", *wrap(title, COLUMNS), *align(headings, shorten(headings, rows, COLUMNS))]
    lines += ["", *wrap(words["legend"].format(alpha=f"{found.alpha:g}"), COLUMNS)]
    lines += wrap(words["about"], COLUMNS)
    rules = convention_line(found.convention, [f"dcg@{found.common_k}"])
    return "\n".join([*lines, *wrap(rules, COLUMNS, "  ")])


def monitor_markdown(found: Monitor, language: Language, queries: int) -> str:
    """Returns the monitor as Markdown."""
    check_language(language)
    words = WORDS[language]
    lines = [f"# {_title(found, words)}"]
    for title, sentences in _sections(found, words, language):
        lines += ["", f"## {title}", "", *(f"- {sentence}" for sentence in sentences)]
    for tier, depth in found.alert_series:
        points = found.series(tier, depth)
        lines += ["", f"## {_group(points[-1], words, language)}", ""]
        lines += markdown_lines(*_rows(found, points, words))
    headings, rows = _common_rows(found, words, language)
    if rows:
        lines += ["", f"## {_common_title(found, words)}", "", *markdown_lines(headings, rows)]
    for title, frame in _query_frames(found, words, queries):
        lines += ["", f"## {title}", ""]
        lines += markdown_lines(*_query_rows(frame, found, words, language))
    lines += ["", words["legend"].format(alpha=f"{found.alpha:g}"), "", words["about"], ""]
    return "\n".join([*lines, convention_line(found.convention, [f"dcg@{found.common_k}"])])


def _title(found: Monitor, words: dict[str, str]) -> str:
    name = "title" if len(found.months) > 1 else "one"
    return words[name].format(first=found.months[0], last=found.months[-1])


def _group(point: Point, words: dict[str, str], language: Language) -> str:
    name = "all" if point.tier == ALL else "group"
    return words[name].format(
        tier=tier_name(point.tier, language),
        share=percent(point.share, language),
        sampled=f"{point.sampled:,}",
    )


def _rows(
    found: Monitor, points: Sequence[Point], words: dict[str, str]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    k = points[-1].k
    headings = (
        words["month"],
        f"DCG@{k}",
        words["interval"].format(confidence=f"{100 * found.confidence:g} %"),
        words["change"],
        words["p"],
        "",
        f"NDCG@{k}",
        words["judged"],
    )
    rows: list[tuple[str, ...]] = []
    for point in points:
        change = found.change(point.tier, point.depth, point.month)
        rows.append(
            (
                point.month,
                STYLE.number(point.dcg.value),
                STYLE.interval(point.dcg.interval),
                STYLE.signed(change.dcg.value) if change else "",
                STYLE.p_value(change.p_adjusted) if change else "",
                ARROWS[change.verdict] if change else "",
                STYLE.number(point.ndcg.value),
                percent(point.judged),
            )
        )
    return headings, rows


def _common_title(found: Monitor, words: dict[str, str]) -> str:
    return f"{words['common']} (DCG@{found.common_k})"


def _common_rows(
    found: Monitor, words: dict[str, str], language: Language
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Each tier at the common depth, where that is not its own."""
    tiers = [tier for tier in found.tiers if found.depths[tier] != found.common_k]
    if not tiers:
        return (), []
    # The last months that fit beside each other.
    months = found.months[-4:]
    rows = []
    for tier in found.tiers:
        by_month = {one.month: one for one in found.series(tier, "common")}
        change = found.change(tier, "common", found.months[-1])
        cells = [
            STYLE.number(by_month[month].dcg.value) if month in by_month else "-"
            for month in months
        ]
        rows.append(
            (
                tier_name(tier, language),
                *cells,
                STYLE.signed(change.dcg.value) if change else "",
                STYLE.p_value(change.p_adjusted) if change else "",
                ARROWS[change.verdict] if change else "",
            )
        )
    return (words["tier"], *months, words["change"], words["p"], ""), rows


def _sections(
    found: Monitor, words: dict[str, str], language: Language
) -> list[tuple[str, list[str]]]:
    alarms = found.alarms()
    sections = []
    if len(found.months) > 1:
        sentences = [alarm.sentence(language) for alarm in alarms] or [words["quiet"]]
        sections.append((words["alarms"], sentences))
        said = {alarm.tier for alarm in alarms if alarm.kind == "fell"}
        watched = [one for one in found.latest() if one.watched and one.tier not in said]
        sentences = [change_sentence(one, language) for one in watched]
        total = found.change(ALL, "common", found.months[-1])
        if total is not None and not math.isnan(total.mix) and abs(total.mix) >= 0.0005:
            sentences.append(words["mix"].format(mix=STYLE.signed(total.mix)))
        if sentences:
            sections.append((words["last"].format(last=found.months[-1]), sentences))
        since = since_sentences(found, language)
        if since:
            sections.append((words["since"].format(first=found.months[0]), since))
        sections.append((words["cause"], [losses_sentence(one, language) for one in found.losses]))
    return sections


def since_sentences(found: Monitor, language: Language) -> list[str]:
    """Returns how far each tier is from its first month, where there are three or more."""
    sentences = []
    for tier, depth in found.alert_series:
        change = found.since_first(tier, depth)
        if change is not None:
            points = found.series(tier, depth)
            sentences.append(since_sentence(change, tier, points[-1].k, points[0].month, language))
    return sentences


def _query_frames(
    found: Monitor, words: dict[str, str], count: int
) -> list[tuple[str, pl.DataFrame]]:
    frames = []
    if count:
        title = words["worst"].format(last=found.months[-1], k=found.common_k)
        frames = [(title, found.worst(count)), (words["fallen"], found.largest_drops(count))]
    return [(title, frame) for title, frame in frames if len(frame)]


def _query_rows(
    frame: pl.DataFrame, found: Monitor, words: dict[str, str], language: Language
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    headings = (
        words["query"], words["tier"], words["sessions"], f"DCG@{found.common_k}",
        f"NDCG@{found.common_k}", words["before"], words["change"],
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (
            row["query"],
            tier_name(row["tier"], language),
            f"{row['sessions']:,}",
            STYLE.number(row["dcg"]),
            STYLE.number(_number(row["ndcg"])),
            STYLE.number(_number(row["before"])),
            STYLE.signed(_number(row["change"])),
        )
        for row in frame.iter_rows(named=True)
    ]
    return headings, rows


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _bar(value: float, most: float) -> str:
    if not value > 0 or not most > 0:
        return ""
    eighths = max(1, round(8 * BAR * value / most))
    full, rest = divmod(eighths, 8)
    return "█" * full + (EIGHTHS[rest] if rest else "")
