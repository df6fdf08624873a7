"""Values worked out by hand, each under its own name."""

from __future__ import annotations

from math import log2

import pytest

import relyon
from relyon.measures import measure

GAINS = [1, 0.7, 0.3, 1, 0.7, 0.7, 0.3, 0, 0.7, 0]
GRADES = {"high": 3, "middle": 2, "low": 1}


def score(name: str, grades: list[float], unretrieved: list[float] | None = None) -> float:
    """Evaluates one list twice, by the definition and by the kernel, and compares."""
    missed = unretrieved or []
    by_definition = measure(name).score(grades, missed)
    judgments = {f"d{place:02d}": grade for place, grade in enumerate(grades)}
    run = {document: -float(place) for place, document in enumerate(judgments)}
    judgments |= {f"u{place:02d}": grade for place, grade in enumerate(missed)}
    by_kernel = relyon.evaluate({"q": judgments}, {"q": run}, [name])[name]
    assert by_kernel == pytest.approx(by_definition, rel=1e-12)
    return by_definition


def test_gains_as_grades() -> None:
    assert score("cg@4", GAINS) == pytest.approx(3.0, abs=1e-12)
    assert score("dcg@4", GAINS) == pytest.approx(2.0223273856, abs=1e-9)
    best = sorted(GAINS, reverse=True)
    assert score("cg@4", best) == pytest.approx(3.4, abs=1e-12)
    assert score("dcg@4", best) == pytest.approx(2.2824033442, abs=1e-9)
    assert score("ndcg@4", GAINS) == pytest.approx(2.0223273856 / 2.2824033442, abs=1e-9)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_order_within_the_cutoff_leaves_cg_unchanged(order: list[int]) -> None:
    gains = [GAINS[place] for place in order] + GAINS[4:]
    assert score("cg@4", gains) == pytest.approx(3.0, abs=1e-12)


@pytest.mark.parametrize(
    "order", ["high middle high high middle low", "high high high low middle middle"]
)
def test_pnr_counts_inversions_wherever_they_are(order: str) -> None:
    grades = [float(GRADES[name]) for name in order.split()]
    assert score("pnr", grades) == pytest.approx(6.5, abs=1e-12)
    assert score("pnr(label_ties=ignore)", grades) == pytest.approx(4.5, abs=1e-12)


def test_pnr_counts_are_shown() -> None:
    judgments = {"q": {"a": 3, "b": 2, "c": 3, "d": 3, "e": 2, "f": 1}}
    run = {"q": {"a": 6.0, "b": 5.0, "c": 4.0, "d": 3.0, "e": 2.0, "f": 1.0}}
    details = relyon.evaluate(judgments, run, ["pnr"]).entries["pnr"].details
    assert details["positive"] == 13
    assert details["negative"] == 2
    assert details["share"] == pytest.approx(13 / 15, abs=1e-12)


def test_pnr_of_a_permutation() -> None:
    # true order 1, 3, 4, 6; the model puts them 1, 4, 6, 3
    assert score("pnr", [6.0, 3.0, 1.0, 4.0]) == pytest.approx(2.0, abs=1e-12)


def test_linear_dcg() -> None:
    assert score("dcg@3", [3, 2, 1]) == pytest.approx(3 + 2 / log2(3) + 1 / 2, abs=1e-12)
    assert score("dcg@3", [3, 2, 1]) == pytest.approx(4.7618595071, abs=1e-9)
    assert score("dcg@3", [2, 3, 0]) == pytest.approx(3.8927892607, abs=1e-9)
    assert score("dcg@3", [3, 2, 0]) == pytest.approx(4.2618595071, abs=1e-9)
    assert score("ndcg@3", [2, 3, 0]) == pytest.approx(0.9134015925, abs=1e-9)


@pytest.mark.parametrize(
    ("grades", "dcg", "ndcg"),
    [([1, 3, 2, 0], 3.8927892607, 0.8174935138), ([0, 1, 2, 3], 2.9229594278, 0.6138273133)],
)
def test_ndcg_at_four(grades: list[float], dcg: float, ndcg: float) -> None:
    assert score("dcg@4", grades) == pytest.approx(dcg, abs=1e-9)
    assert score("dcg@4", sorted(grades, reverse=True)) == pytest.approx(4.7618595071, abs=1e-9)
    assert score("ndcg@4", grades) == pytest.approx(ndcg, abs=1e-9)


def test_judged_documents_that_were_not_retrieved() -> None:
    grades, missed = [3.0, 2, 3, 0, 1, 2], [3.0, 0]
    assert score("dcg@6", grades, missed) == pytest.approx(6.8611266886, abs=1e-9)
    everything = sorted(grades + missed, reverse=True)
    assert score("dcg@6", everything) == pytest.approx(8.3840551785, abs=1e-9)
    assert score("ndcg@6", grades, missed) == pytest.approx(0.8183541905, abs=1e-9)
    assert score("ndcg(ideal=retrieved)@6", grades, missed) == pytest.approx(0.9608081943, abs=1e-9)
    assert score("ndcg(gain=exp)@6", grades, missed) == pytest.approx(0.7812708868, abs=1e-9)


def test_ndcg_hides_a_failing_recall_stage_and_dcg_shows_it() -> None:
    grades = [0.1, 0.1, 0.1, 0.1]
    assert score("ndcg@4", grades) == pytest.approx(1.0, abs=1e-12)
    assert score("dcg@4", grades) == pytest.approx(0.2561606312, abs=1e-9)
