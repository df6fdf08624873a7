"""The drop-in interface of pytrec_eval, without pytrec_eval."""

from __future__ import annotations

import math

import pytest

from relyon.compat import pytrec_eval
from relyon.core.errors import InputError

JUDGED = {"q1": {"d1": 0, "d2": 1}}


def test_unknown_measures_list_what_there_is() -> None:
    with pytest.raises(ValueError, match=r"unsupported measure err") as caught:
        pytrec_eval.RelevanceEvaluator(JUDGED, {"err"})
    for name in ("ndcg", "ndcg_cut_K", "infAP"):
        assert name in str(caught.value)


@pytest.mark.parametrize("name", ["P_0", "ndcg.5", "map_5", "recip_rank.5"])
def test_parameters_that_a_measure_cannot_take(name: str) -> None:
    with pytest.raises(ValueError, match="unsupported measure"):
        pytrec_eval.RelevanceEvaluator(JUDGED, {name})


def test_nicknames_hold_what_is_supported() -> None:
    for name, measures in pytrec_eval.supported_nicknames.items():
        if name in {"prefs", "all_prefs", "qrels_jg"}:
            with pytest.raises(TypeError, match="Unable to resolve all measures"):
                pytrec_eval.RelevanceEvaluator(JUDGED, {name})
            continue
        assert measures <= pytrec_eval.supported_measures
        values = pytrec_eval.RelevanceEvaluator(JUDGED, {name}).evaluate({"q1": {"d2": 1.0}})
        assert values["q1"]["num_q"] == 1.0


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_scores_that_have_no_order(score: float) -> None:
    with pytest.raises(InputError):
        pytrec_eval.RelevanceEvaluator(JUDGED, {"map"}).evaluate({"q1": {"d2": score, "d1": 1.0}})


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["q1 0 d1"], "line 1: expected 4 columns"),
        (["q1 0 d1 1", "q1 0 d1 1"], "line 2: query `q1` contains `d1` twice"),
        (["q1 0 d1 x"], "line 1: not a number: `x`"),
    ],
)
def test_bad_qrels_name_the_line(lines: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        pytrec_eval.parse_qrel(lines)


def test_bad_runs_name_the_line() -> None:
    with pytest.raises(InputError, match="line 2: expected 6 columns"):
        pytrec_eval.parse_run(["q1 Q0 d1 1 2.5 mine", "q1 Q0 d1 2.5 mine"])


def test_aggregation_of_nothing() -> None:
    assert math.isnan(pytrec_eval.compute_aggregated_measure("map", []))
    assert pytrec_eval.compute_aggregated_measure("num_ret", []) == 0.0
