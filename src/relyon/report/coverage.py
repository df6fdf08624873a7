"""Coverage of the months: their queries, and how much of them was sampled and judged."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relyon.online.monitoring import ALL
from relyon.online.monitoring.sentences import tier_name
from relyon.report.catalogue import Catalogue
from relyon.report.monthly import DIGITS
from relyon.report.number_formats import number, signed
from relyon.report.page import (
    Block,
    Details,
    Prose,
    Section,
    Table,
)

if TYPE_CHECKING:
    import polars as pl

    from relyon.online.monitoring import Monitor

__all__ = ["coverage_section", "queries_section"]


def queries_section(found: Monitor, texts: Catalogue, count: int) -> Section:
    """Returns the section on the worst queries, and on the largest drops."""
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


def coverage_section(found: Monitor, texts: Catalogue) -> Section:
    """Returns the section on how much of every tier was sampled and judged."""
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
    watched = [one for one in found.points if one.month == month and one.can_alarm]
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
