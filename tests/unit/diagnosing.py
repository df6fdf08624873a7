"""What one rule says of two runs, and the collections that make it speak."""

from __future__ import annotations

import json
from typing import Any

import relyon
from relyon.analysis.diagnosis import Finding

QUERIES = [f"q{number:02d}" for number in range(20)]
Lists = dict[str, dict[str, float]]


def run_of(*documents: str) -> dict[str, float]:
    """Documents in order, with falling scores."""
    return {document: float(-place) for place, document in enumerate(documents)}


def every(run: dict[str, float]) -> Lists:
    return {query: dict(run) for query in QUERIES}


def comparison(judgments: Any, baseline: Any, candidate: Any, **options: Any) -> relyon.Comparison:
    options.setdefault("names", ["old", "new"])
    return relyon.compare(judgments, baseline, candidate, "ndcg@10", **options)


def look(rule: Any, judgments: Any, baseline: Any, candidate: Any, **options: Any) -> Any:
    """What one rule finds, or None."""
    given_to_rules = {key: options.pop(key) for key in ("online", "stages") if key in options}
    found = relyon.diagnose(
        comparison(judgments, baseline, candidate, **options), rules=[rule], **given_to_rules
    )
    assert len(found) <= 1
    return found[0] if found else None


def both_languages(finding: Finding) -> None:
    """Both texts are whole sentences with every number in its place."""
    for language, stop in (("en", "."), ("zh", "。")):
        for text in (finding.text(language), finding.next_step(language)):
            assert text.endswith(stop), text
            assert "{" not in text
            assert "nan" not in text
    json.dumps(finding.to_dict("zh"), allow_nan=False)


GRADED = {query: {"a": 2, "b": 1, "c": 1} for query in QUERIES}

WORSE, BETTER = every(run_of("c", "b", "a")), every(run_of("a", "b", "c"))
FLAT = {
    "baseline": {"events": 300, "trials": 10_000},
    "candidate": {"events": 301, "trials": 10_000},
}
