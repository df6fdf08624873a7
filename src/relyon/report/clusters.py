"""Clusters of queries in a report: how many there are, and what they show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.analysis.comparison.clusters.texts import cluster_table
from relyon.core.texts import catalogue
from relyon.core.texts.numbers import PAGE

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison, Contrast
    from relyon.core.document.model import Table
    from relyon.report.catalogue import Catalogue

__all__ = ["cluster_tables", "counted_queries", "few_text"]


def counted_queries(comparison: Comparison, queries: int, texts: Catalogue) -> str:
    """Returns the number of queries, and in how many clusters they are.

    Args:
        comparison: The comparison.
        queries: Their number.
        texts: The report's texts.
    """
    counted = texts.count("count.queries", queries)
    found = [one.clusters for one in comparison.contrasts if one.clusters]
    held = [one for one in found if not one.alone]
    if not held:
        return counted
    most = max(held, key=lambda one: one.count)
    return catalogue("clusters", texts.language).say(
        "report.subtitle", queries=counted, clusters=most.count, column=most.column
    )


def few_text(one: Contrast, texts: Catalogue) -> str:
    """Returns why a contrast has too little to call a difference significant."""
    facts = one.clusters
    if facts is None or facts.alone:
        return texts.say("headline.undecided_few", queries=one.queries)
    words = catalogue("clusters", texts.language)
    if facts.decided and facts.count > 1:
        return words.say("report.decided", name=facts.name, share=texts.percent(facts.largest))
    return words.say("report.few", clusters=facts.count)


def cluster_tables(
    comparison: Comparison, contrasts: Sequence[Contrast], texts: Catalogue
) -> list[Table]:
    """Returns the table of clusters behind the contrasts of a candidate, if there are any."""
    caption = catalogue("clusters", texts.language).say(
        "report.table", column=comparison.facts.cluster
    )
    found = cluster_table(contrasts, texts.language, style=PAGE, none="–", caption=caption)
    return [] if found is None else [found]
