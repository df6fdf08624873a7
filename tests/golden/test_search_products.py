"""The presets of search products against their own code's values and their own tests' values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log2
from typing import Any

import pytest

import relyon

Golden = Callable[[str], Any]

QUEPID = {
    "ap@10": "ap@10",
    "err@10": "err(max=3)@10",
    "ndcg@10": "ndcg@10",
    "ndcg_cut@10": "ndcg(ideal=judged)@10",
    "p@10": "p@10",
    "rr@10": "rr@10",
    "dcg@10": "dcg@10",
    "cg@10": "cg@10",
}


def value(
    measure: str,
    grades: Sequence[float | None],
    convention: Any,
    absent: tuple[float, ...] = (),
) -> float:
    """Evaluates one list of grades by the kernel and by the definition, and compares."""
    judged = {f"d{place}": grade for place, grade in enumerate(grades) if grade is not None}
    judged |= {f"absent{place}": grade for place, grade in enumerate(absent)}
    judged["elsewhere"] = 0
    run = {f"d{place}": -float(place) for place in range(len(grades))}
    results = relyon.evaluate({"q": judged}, {"q": run}, [measure], convention=convention)
    explained = relyon.explain({"q": judged}, {"q": run}, "q", measure, convention=convention)
    if not explained.undefined:
        assert explained.value == pytest.approx(results[measure], rel=1e-12)
    return results[measure]


def test_quepid(golden: Golden) -> None:
    checked = 0
    for entry in golden("quepid")["expected"]:
        judged = entry["judged"] or {"elsewhere": 0}
        run = {document: -float(place) for place, document in enumerate(entry["ranked"])}
        found = relyon.evaluate(
            {"q": judged}, {"q": run}, list(QUEPID.values()), convention="quepid"
        )
        for theirs, own in QUEPID.items():
            expected = entry["values"][theirs]
            if expected is None:
                # Not a number there: AP without a relevant document, CG and DCG of ungraded ones.
                assert theirs in {"ap@10", "cg@10", "dcg@10"}
                continue
            assert found[own] == pytest.approx(expected, rel=1e-12), (theirs, judged)
            checked += 1
    assert checked == 238


# EvaluationTests.java of OpenSearch's search-relevance plugin at d8be5d1: grades i modulo 3.
SEARCH_RELEVANCE = [
    ("p", 20, 20, 0.7),
    ("p", 20, 5, 0.8),
    ("p", 5, 8, 0.8),
    ("p", 8, 5, 0.8),
    ("ap", 20, 20, 0.76),
    ("ap", 5, 5, 0.25),
    ("ap", 5, 8, 0.25),
    ("ap", 8, 5, 0.25),
    ("ndcg", 20, 20, 0.76),
    ("ndcg", 5, 5, 0.51),
    ("ndcg", 5, 8, 0.40),
    ("ndcg", 8, 5, 0.51),
]


@pytest.mark.parametrize(("name", "returned", "k", "expected"), SEARCH_RELEVANCE)
def test_opensearch(name: str, returned: int, k: int, expected: float) -> None:
    grades = [float(place % 3) for place in range(1, 21)]
    found = value(f"{name}@{k}", grades[:returned], "opensearch", tuple(grades[returned:]))
    assert found == expected


def test_opensearch_counts_every_grade_above_zero() -> None:
    # judgments from clicks are fractions
    assert value("p@3", [0.4, 0.0, 0.9], "opensearch") == 0.67
    assert value("ap@3", [0.4, 0.0, 0.9], "opensearch") == 0.83


# The tests of Elasticsearch's modules/rank-eval: DiscountedCumulativeGainTests,
# ExpectedReciprocalRankTests, PrecisionAtKTests.
ELASTICSEARCH = [
    ("dcg@10", [3, 2, 3, 0, 1, 2], (), {}, 13.84826362927298),
    ("ndcg@10", [3, 2, 3, 0, 1, 2], (), {}, 13.84826362927298 / 14.595390756454922),
    ("dcg@10", [3, 2, 3, None, 1, None], (), {}, 12.779642067948913),
    ("ndcg@10", [3, 2, 3, None, 1, None], (), {}, 12.779642067948913 / 13.347184833073591),
    ("dcg@10", [3, 2, 3, None], (1,), {}, 12.392789260714371),
    ("ndcg@10", [3, 2, 3, None], (1,), {}, 12.392789260714371 / 13.347184833073591),
    ("err(max=3)@3", [3, 2, 0, 1], (), {"unjudged": 0}, 0.8984375),
    ("err(max=3)@4", [3, 2, 0, 1], (), {"unjudged": 0}, 0.8984375 + 0.00244140625),
    ("err(max=3)@4", [3, None, 0, 1], (), {}, 0.875 + 0.00390625),
    ("err(max=3)@4", [3, None, 0, 1], (), {"unjudged": 2}, 0.8984375 + 0.00244140625),
    ("p@10", [1, 1, 1, 1, 0], (), {}, 4 / 5),
    ("p(rel=2)@5", [0, 1, 2, 3, 4], (), {}, 3 / 5),
    ("p@10", [1, 1, None], (), {}, 2 / 3),
    ("p@10", [1, 1, None], (), {"unjudged": "ignored"}, 1.0),
    ("p@10", [None] * 5, (), {}, 0.0),
    ("p@10", [None] * 5, (), {"unjudged": "ignored"}, 0.0),
    ("p@10", [], (), {}, 0.0),
]


@pytest.mark.parametrize(("name", "grades", "absent", "rules", "expected"), ELASTICSEARCH)
def test_elasticsearch(
    name: str,
    grades: list[float | None],
    absent: tuple[float, ...],
    rules: dict[str, Any],
    expected: float,
) -> None:
    found = value(name, grades, {"preset": "elasticsearch", **rules}, absent)
    assert found == pytest.approx(expected, abs=1e-14)


def test_elasticsearch_cuts_the_ideal_list_at_the_hits() -> None:
    # Two hits, rated 3 and 0, of five documents rated 3, 2, 3, 0, 1.
    found = value("ndcg@10", [3, 2], "elasticsearch", (3, 0, 1))
    assert found == pytest.approx((7 + 3 / log2(3)) / (7 + 7 / log2(3)))
    assert round(found, 4) == 0.7789


def test_elasticsearch_window_does_not_move_up() -> None:
    grades = [1, None, None, 0, 1, 1]
    rules = {"preset": "elasticsearch", "unjudged": "ignored"}
    assert value("p@3", grades, rules) == 1.0
    assert value("p@3", grades, rules | {"unjudged": "removed"}) == pytest.approx(2 / 3)


def test_paddle_counts_equal_scores_as_negative() -> None:
    # positive_negative_pair_op.h: equal labels are skipped; of the rest, a product of the two
    # differences above 0 is positive and everything else negative, so also equal scores.
    labels, scores = [3, 2, 2, 0, 1, 3], [1.0, 1.0, 2.0, 0.5, 0.7, 0.7]
    positive = negative = 0
    for one in range(len(labels)):
        for other in range(one):
            if labels[one] != labels[other]:
                product = (scores[one] - scores[other]) * (labels[one] - labels[other])
                positive, negative = positive + (product > 0), negative + (product <= 0)
    results = relyon.evaluate_scores(labels, scores, measures=["pnr"], convention="paddle")
    assert results.entries["pnr"].details["positive"] == positive
    assert results.entries["pnr"].details["negative"] == negative
    assert results["pnr"] == positive / negative
    assert results.entries["pnr"].definition == "pnr(label_ties=ignore,score_ties=rank)"
