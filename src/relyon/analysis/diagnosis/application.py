"""Applies rules to a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

from relyon.analysis.diagnosis.findings import Findings
from relyon.analysis.diagnosis.online import OnlineData, load_online
from relyon.analysis.diagnosis.rule import (
    MODULES,
    Finding,
    Rule,
    Severity,
    Subject,
    rules,
)
from relyon.core.errors import ParameterError
from relyon.core.parameters import check_type
from relyon.core.texts import message
from relyon.io.descriptions import Descriptions

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.analysis.comparison.runs import Progress

__all__ = ["diagnose", "rule_measures"]

SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")


def diagnose(
    comparison: Comparison,
    *,
    online: OnlineData | Mapping[str, object] | str | PathLike[str] | None = None,
    stages: object = None,
    rules: Iterable[str | Rule] | None = None,
    progress: Progress | None = None,
    query_texts: object = None,
    document_titles: object = None,
) -> Findings:
    """Diagnoses a comparison: findings of rules, the most severe first.

    A rule that does not apply reports nothing. Rules compute what they need, so findings do not
    depend on the measures of the comparison. Of traces with several calls per task, rules that read
    one ranked list per query are left out (see `Rule.of_lists`).

    Args:
        comparison: The result of `relyon.compare`.
        online: Data from production: `OnlineData`, a mapping of its parts, or a file.
        stages: The candidate's stages as `relyon.funnel` takes them, for the rule that attributes
            its loss. Needs a comparison with one candidate.
        rules: Names of rules, or rules with their own thresholds; `None` applies all.
        progress: Called with the number of rules applied, the total, and the next rule.
        query_texts: Query texts, shown next to the ids: a mapping from ids to texts, a
            frame, or a CSV, TSV, JSON Lines or Parquet file with a column of ids and one of texts.
            By default the comparison's own, from `Comparison.described`.
        document_titles: Document titles, shown next to the ids, in the same forms.

    Raises:
        UnknownNameError: If a rule is unknown.
        ParameterError: If stages are given and there are several candidates.
        InputError: If the online data, or a table of texts, cannot be used.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{i}": {"a": 1, "b": 0} for i in range(4)}
        >>> tied = {query: {"a": 1.0, "b": 1.0} for query in judgments}
        >>> clear = {query: {"a": 2.0, "b": 1.0} for query in judgments}
        >>> comparison = relyon.compare(judgments, clear, [tied], names=["clear", "tied"])
        >>> [finding.rule for finding in relyon.diagnose(comparison, rules=["recall-like-hit"])]
        ['recall-like-hit']
    """
    from relyon.analysis.comparison import Comparison

    known = load_online(online) if online is not None else None
    check_type("comparison", comparison, Comparison, "what relyon.compare returned")
    chosen = _rules(rules)
    if comparison.of_tasks:
        chosen = [rule for rule in chosen if not rule.of_lists]
    if stages is not None and len(comparison.candidates) > 1:
        raise ParameterError(
            message(
                "analysis.stages-belong-to-one-candidate",
                count=len(comparison.candidates),
            ),
            hint=message("analysis.compare-one-candidate"),
        )
    measures = _asked(chosen)
    findings: list[Finding] = []
    spoken: set[str] = set()
    for place, candidate in enumerate(comparison.candidates):
        subject = Subject(comparison, candidate, measures, known, stages)
        for order, rule in enumerate(chosen, place * len(chosen)):
            if progress is not None:
                progress(order, len(comparison.candidates) * len(chosen), rule.name)
            if rule.name in spoken:
                continue
            found = rule.apply(subject)
            if found is None:
                continue
            if rule.sentences and not found.sentences:
                found = replace(found, sentences=rule.sentences)
            if rule.about_data:
                spoken.add(rule.name)
                findings.append(found)
            else:
                findings.append(subject.finding(found))
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    texts = query_texts
    if texts is None and comparison.query_texts is not None:
        texts = Descriptions(comparison.query_texts, "query")
    return Findings(findings, applied=len(chosen)).described(texts, document_titles)


def rule_measures() -> tuple[str, ...]:
    """Returns the measures that all rules need of each run."""
    return _asked(_rules(None))


def _asked(chosen: Iterable[Rule]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for rule in chosen for name in rule.measures()))


def _rules(chosen: Iterable[str | Rule] | None) -> list[Rule]:
    """Returns rules from their names; `None` returns all in their order."""
    if chosen is None:
        kinds = [rules.get(name) for name in rules]
        order = {
            f"relyon.analysis.diagnosis.{module}": place for place, module in enumerate(MODULES)
        }
        kinds.sort(key=lambda kind: order.get(kind.__module__, len(order)))
        return [kind() for kind in kinds]
    if isinstance(chosen, str):
        chosen = [chosen]
    return [one if isinstance(one, Rule) else rules.get(one)() for one in chosen]
