"""Clusters of queries in the tables of a comparison: the legend, and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast_parts import contrast_label
from relyon.core.document.model import Table
from relyon.core.texts import Language, catalogue
from relyon.core.texts.numbers import TERMINAL, NumberStyle

if TYPE_CHECKING:
    from relyon.analysis.comparison.contrast import Contrast
    from relyon.analysis.comparison.paired_runs import PairedRuns

__all__ = ["cluster_legend", "cluster_table", "clusters_drawn"]

COLUMNS = ("measure", "clusters", "largest", "effective", "design_effect", "correlation", "needed")


def _clustered(contrasts: Sequence[Contrast]) -> list[Contrast]:
    return [one for one in contrasts if one.tested and one.in_clusters]


def cluster_legend(comparison: PairedRuns, language: Language, *, table: bool = False) -> list[str]:
    """Returns how clusters are counted; empty without any cluster of two queries.

    Args:
        comparison: The comparison.
        language: `en` or `zh`.
        table: Whether the legend of `cluster_table` follows.
    """
    from relyon.analysis.statistics import FEW_CLUSTERS, least_p

    found = _clustered(comparison.contrasts)
    if not found:
        return []
    words, tables = catalogue("clusters", language), catalogue("tables", language)
    settings = comparison.settings
    few = [one for one in found if one.clusters and one.clusters.effective < FEW_CLUSTERS]
    least = 1 - settings.confidence + 1e-12
    flipped = [one for one in few if least_p(one.units) <= least]
    tests = {one.test for one in found}
    said = [words.say("legend.whole", column=comparison.facts.cluster)]
    name = tables.name("test", settings.test)
    if settings.test in {"wilcoxon", "sign"}:
        said.append(words.say("legend.none", test=name))
    elif settings.test == "t" and "permutation" in tests and few:
        said.append(words.say("legend.few", test=name, least=FEW_CLUSTERS))
    if settings.interval == "t" and flipped:
        said.append(words["legend.flipped"])
    if settings.interval == "t" and len(flipped) < len(found):
        said.append(words["legend.t_interval"])
    sentences = [catalogue("common", language)["list.semicolon"].join(said)]
    return [*sentences, words["legend.table"]] if table else sentences


def clusters_drawn(comparison: PairedRuns) -> bool:
    """Returns whether p or an interval comes from random flips of clusters, not from all."""
    from relyon.analysis.statistics import FEW_CLUSTERS
    from relyon.analysis.statistics.clusters.flips import EXACT

    found = [one.clusters for one in _clustered(comparison.contrasts) if one.clusters]
    return any(one.count > EXACT and one.effective < FEW_CLUSTERS for one in found)


def cluster_table(
    contrasts: Sequence[Contrast],
    language: Language,
    *,
    style: NumberStyle = TERMINAL,
    none: str = "-",
    caption: str = "",
) -> Table | None:
    """Returns the clusters behind each contrast, with a legend; None without any.

    Args:
        contrasts: Those of one candidate.
        language: `en` or `zh`.
        style: How numbers are written.
        none: What is shown without a number.
        caption: The table's caption.
    """
    words = catalogue("clusters", language)
    rows = []
    for one in _clustered(contrasts):
        facts = one.clusters
        if facts is None:
            continue
        rows.append(
            (
                contrast_label(one),
                f"{facts.count:,}",
                f"{100 * facts.largest:.3g}%",
                f"{facts.effective:.1f}",
                style.number(facts.design_effect, 2),
                style.number(facts.correlation, 2),
                f"{facts.needed:,}" if facts.needed else none,
            )
        )
    if not rows:
        return None
    headings = tuple(words[f"heading.{name}"] for name in COLUMNS)
    return Table(headings, tuple(rows), caption, notes=(words["legend.table"],))
