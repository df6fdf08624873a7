"""Fusion, normalisation, the search for parameters and comparisons against ranx."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.programs import needs_compiled_ranx

from relyon.compat import ranx as ours
from relyon.compat.ranx import fusion
from relyon.compat.ranx.normalization import borda_norm

pytestmark = pytest.mark.filterwarnings("ignore")  # Numba and pandas warn inside ranx

NORMALIZATIONS = [None, "min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda"]
#: What a method needs, and whether it reads scores.
METHODS: dict[str, tuple[dict[str, Any], bool]] = {
    "min": ({}, True),
    "max": ({}, True),
    "med": ({}, True),
    "sum": ({}, True),
    "anz": ({}, True),
    "mnz": ({}, True),
    "gmnz": ({"gamma": 0.3}, True),
    "isr": ({}, False),
    "log_isr": ({}, False),
    "logn_isr": ({"sigma": 0.2}, False),
    "rrf": ({"k": 7}, False),
    "rbc": ({"phi": 0.7}, False),
    "wsum": ({"weights": [0.2, 0.5, 0.3]}, True),
    "wmnz": ({"weights": [0.2, 0.5, 0.3]}, True),
    "mixed": ({"weights": [0.2, 0.5, 0.3]}, True),
    "bordafuse": ({}, False),
    "w_bordafuse": ({"weights": [0.2, 0.5, 0.3]}, False),
}
TRAINED = ["posfuse", "slidefuse", "probfuse", "segfuse", "mapfuse", "bayesfuse"]


@pytest.fixture(scope="module")
def theirs(peer: Callable[[str], ModuleType]) -> ModuleType:
    return peer("ranx")


def make_runs(seed: int, *, full: bool = False, size: int = 60) -> list[dict[str, Any]]:
    """Three runs of ten queries without equal scores; `full` runs hold every document."""
    source = random.Random(seed)
    runs = []
    for _ in range(3):
        run = {}
        for query in range(10):
            count = size if full else source.randint(1, size)
            documents = source.sample(range(size), count)
            scores = source.sample(range(1, 10_000), count)
            run[f"q{query}"] = {
                f"d{document}": score / 7 for document, score in zip(documents, scores, strict=True)
            }
        runs.append(run)
    return runs


def make_qrels(seed: int) -> dict[str, dict[str, int]]:
    source = random.Random(seed)
    return {
        f"q{query}": {f"d{document}": source.choice([0, 0, 1, 2]) for document in range(60)}
        for query in range(10)
    }


def both(theirs: ModuleType, runs: list[dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    return (
        [theirs.Run(run, name=f"r{place}") for place, run in enumerate(runs)],
        [ours.Run(run, name=f"r{place}") for place, run in enumerate(runs)],
    )


def same(found: Any, expected: Any) -> None:
    assert list(found.keys()) == list(expected.keys())
    for query in expected.keys():  # noqa: SIM118
        wanted = dict(expected[query])
        assert found[query] == pytest.approx(wanted, rel=1e-12, abs=1e-12)
        if len({round(score, 10) for score in wanted.values()}) == len(wanted):
            assert list(found[query]) == list(wanted)


@pytest.mark.long
@pytest.mark.parametrize("norm", NORMALIZATIONS)
@pytest.mark.parametrize("method", METHODS)
def test_fuse(method: str, norm: str | None, theirs: ModuleType) -> None:
    params, reads_scores = METHODS[method]
    if norm == "borda" and not reads_scores:
        pytest.skip("ranx orders Borda scores as a Python set does: another order each time")
    first, second = both(theirs, make_runs(3))
    expected = theirs.fuse(first, norm=norm, method=method, params=params)
    found = ours.fuse(second, norm=norm, method=method, params=params)
    assert found.name == expected.name
    same(found, expected)


@pytest.mark.parametrize("norm", [name for name in NORMALIZATIONS if name not in (None, "borda")])
def test_normalize(norm: str, theirs: ModuleType) -> None:
    runs = [
        *make_runs(4),
        {"q": {"a": 2.0, "b": 2.0}, "p": {"a": -1.0, "b": -3.0}, "o": {"a": 0.0}},
    ]
    for run in runs:
        same(ours.normalize(ours.Run(run), norm), theirs.normalize(theirs.Run(run), norm))


def test_borda_norm(theirs: ModuleType) -> None:
    from ranx.normalization import borda_norm as their_norm

    first, second = both(theirs, make_runs(5))
    for found, expected in zip(borda_norm(second), their_norm(first), strict=True):
        assert found.keys() == list(expected.keys())
        for query in found:
            assert found[query] == pytest.approx(dict(expected[query]), rel=1e-12)


@pytest.mark.parametrize("method", TRAINED)
def test_trained_methods(method: str, theirs: ModuleType) -> None:
    import ranx.fusion as their_fusion

    first, second = both(theirs, make_runs(6))
    qrels = make_qrels(6)
    extra = (4,) if method == "probfuse" else ()
    expected = getattr(their_fusion, f"{method}_train")(theirs.Qrels(qrels), first, *extra)
    found = getattr(fusion, f"{method}_train")(ours.Qrels(qrels), second, *extra)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, np.asarray(other), rtol=1e-12, atol=1e-12)
    name = {"mapfuse": "map_scores", "bayesfuse": "log_odds"}.get(method, "probs")
    params = {name: expected} | ({"w": 3} if method == "slidefuse" else {})
    same(
        ours.fuse(second, method=method, params=params),
        theirs.fuse(first, method=method, params=params),
    )


@pytest.mark.parametrize("method", ["condorcet", "w_condorcet"])
def test_condorcet_where_majorities_agree(method: str, theirs: ModuleType) -> None:
    """Full lists with one order twice: every majority is that order, whatever one starts from."""
    runs = make_runs(7, full=True)
    runs[1] = runs[0]
    params = {"weights": [0.3, 0.4, 0.3]} if method == "w_condorcet" else {}
    first, second = both(theirs, runs)
    same(
        ours.fuse(second, method=method, params=params),
        theirs.fuse(first, method=method, params=params),
    )


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("wsum", {"step": 0.25}),
        ("mixed", {}),
        ("rrf", {}),
        pytest.param("rbc", {"step": 0.1, "min_phi": 0.1}, marks=needs_compiled_ranx),
        ("gmnz", {"step": 0.2}),
        pytest.param("logn_isr", {"step": 0.2}, marks=needs_compiled_ranx),
        ("slidefuse", {"max_w": 6}),
        ("probfuse", {"max_n_segments": 6}),
        ("posfuse", {}),
        ("bayesfuse", {}),
    ],
)
def test_optimize_fusion(method: str, options: dict[str, Any], theirs: ModuleType) -> None:
    first, second = both(theirs, make_runs(8))
    qrels = make_qrels(8)
    arguments = {"norm": "min-max", "method": method, "metric": "ndcg@10"} | options
    if method not in ("posfuse", "bayesfuse"):
        arguments["show_progress"] = False
    expected = theirs.optimize_fusion(theirs.Qrels(qrels), first, **arguments)
    found = ours.optimize_fusion(ours.Qrels(qrels), second, **arguments)
    assert list(found) == list(expected)
    if method == "probfuse":  # a segment's documents tie, so that the best setting is another
        ndcg = [
            ours.evaluate(
                ours.Qrels(qrels), ours.fuse(second, method=method, params=params), "ndcg@10"
            )
            for params in (found, expected)
        ]
        assert ndcg[0] >= ndcg[1] > 0
        return
    for name, value in expected.items():
        np.testing.assert_allclose(flat(found[name]), flat(value), rtol=1e-12, atol=1e-12)


def flat(value: Any) -> list[float]:
    """The numbers of a number, a list, or lists of different lengths."""
    parts = [np.ravel(part) for part in value] if isinstance(value, Iterable) else [[value]]
    return [float(number) for part in parts for number in part]


def test_optimization_report(theirs: ModuleType) -> None:
    first, second = both(theirs, make_runs(9))
    qrels = make_qrels(9)
    # Not rrf: documents whose ranks are swapped tie, and ranx orders them as it happens.
    arguments: dict[str, Any] = {"method": "gmnz", "norm": None, "step": 0.2, "metric": "map"}
    arguments["show_progress"] = False
    _, expected = theirs.optimize_fusion(
        theirs.Qrels(qrels), first, return_optimization_report=True, **arguments
    )
    _, found = ours.optimize_fusion(
        ours.Qrels(qrels), second, return_optimization_report=True, **arguments
    )
    assert found.configs == expected.configs
    np.testing.assert_allclose(found.results, expected.results, rtol=1e-12)
    assert str(found) == str(expected)


@pytest.mark.long
@pytest.mark.parametrize("stat_test", ["student", "fisher", "tukey"])
@pytest.mark.parametrize("percentages", [False, True])
@pytest.mark.parametrize("digits", [3, 4])
def test_compare(stat_test: str, percentages: bool, digits: int, theirs: ModuleType) -> None:
    runs = make_runs(10)
    qrels = make_qrels(10)
    runs[0] = {  # much better than the others: significant in every test
        query: {
            document: grade + (len(document) + int(document[1:]) % 7) / 100
            for document, grade in row.items()
        }
        for query, row in qrels.items()
    }
    metrics = ["map@100", "mrr", "ndcg@10-l2", "rbp.95", "hit_rate"]
    options: dict[str, Any] = {
        "stat_test": stat_test,
        "rounding_digits": digits,
        "show_percentages": percentages,
        "max_p": 0.05,
    }
    first, second = both(theirs, runs)
    expected = theirs.compare(theirs.Qrels(qrels), first, metrics, **options)
    found = ours.compare(ours.Qrels(qrels), second, metrics, **options)
    assert str(found) == str(expected)
    assert found.to_latex() == expected.to_latex()
    assert found.to_dataframe().columns.tolist() == expected.to_dataframe().columns.tolist()
    ours_dict, their_dict = found.to_dict(), expected.to_dict()
    assert list(ours_dict) == list(their_dict)
    for model in found.model_names:
        assert ours_dict[model]["scores"] == pytest.approx(their_dict[model]["scores"], rel=1e-12)
        assert ours_dict[model]["win_tie_loss"] == their_dict[model]["win_tie_loss"]
        for other, values in their_dict[model]["comparisons"].items():
            tolerance = 0.05 if stat_test == "fisher" else 1e-9
            for metric, p in values.items():
                if not np.isnan(p):
                    mine = ours_dict[model]["comparisons"][other][metric]
                    assert mine == pytest.approx(p, abs=tolerance)


def test_text_of_columns_without_significant_differences(theirs: ModuleType) -> None:
    """tabulate reads such columns as numbers: it drops zeros and aligns them by their points."""
    runs = make_runs(11)
    qrels = make_qrels(11)
    first, second = both(theirs, runs)
    for metrics in (["hits", "ndcg@10"], ["bpref"]):
        expected = theirs.compare(theirs.Qrels(qrels), first, metrics, max_p=1e-9)
        assert str(ours.compare(ours.Qrels(qrels), second, metrics, max_p=1e-9)) == str(expected)


def test_lz4_both_ways(theirs: ModuleType, tmp_path: Any) -> None:
    run = make_runs(12)[0]
    theirs.Run(run, name="x").save(str(tmp_path / "theirs.lz4"))
    ours.Run(run, name="x").save(tmp_path / "ours.lz4")
    assert ours.Run.from_file(tmp_path / "theirs.lz4").to_dict() == ours.Run(run).to_dict()
    back = theirs.Run.from_file(str(tmp_path / "ours.lz4"))
    assert {query: dict(back[query]) for query in back.keys()} == ours.Run(run).to_dict()  # noqa: SIM118
