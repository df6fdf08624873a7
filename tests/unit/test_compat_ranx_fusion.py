"""The drop-in interface of ranx: arrays, comparisons, fusion and files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relyon.compat.ranx import Qrels, Run, compare, evaluate, fuse, normalize, optimize_fusion
from relyon.core.errors import DependencyError, InputError, ParameterError

JUDGED = {f"q{number}": {"a": 1, "b": 0, "c": 2} for number in range(6)}
GOOD = {f"q{number}": {"c": 3.0, "a": 2.0, "b": 1.0} for number in range(6)}
POOR = {f"q{number}": {"b": 3.0, "a": 2.0, "c": 1.0 + number / 10} for number in range(6)}


def test_arrays_are_in_ranked_order() -> None:
    qrels = np.array([[[1, 1], [4, 2]], [[7, 1], [8, 1]]])
    run = [np.array([[4, 1], [2, 1], [1, 1]]), np.array([[1, 9], [2, 10]])]
    np.testing.assert_allclose(evaluate(qrels, run, "mrr", return_mean=False), [1.0, 0.0])
    assert evaluate(qrels, run, ["hits@2", "map"]) == {"hits@2": 0.5, "map": (1 + 2 / 3) / 4}


@pytest.mark.parametrize("wrong", [3, "x", np.array([[1, 2]]), [[1, 2, 3]], [["a", "b"]]])
def test_what_is_neither_arrays_nor_dicts(wrong: Any) -> None:
    with pytest.raises(InputError):
        evaluate(wrong, np.array([[[1, 1]]]), "map")
    with pytest.raises(InputError):
        evaluate(np.array([[[1, 1]]]), wrong, "map")


def test_a_document_twice_in_an_array_run() -> None:
    with pytest.raises(InputError, match="twice"):
        evaluate(np.array([[[1, 1]]]), np.array([[[1, 1], [1, 1]]]), "map")


def test_typed_lists_go_into_evaluate() -> None:
    qrels, run = Qrels(JUDGED), Run(POOR)
    assert [rows.shape for rows in run.to_typed_list()] == [(3, 2)] * 6
    value = evaluate(qrels.to_typed_list(), run.to_typed_list(), "map")
    assert value == pytest.approx(evaluate(qrels, run, "map"))


def test_sorted_as_ranx_says_it() -> None:
    run = Run({"q": {"a": 1.0, "b": 2.0}})
    assert run.sorted
    assert list(run.run["q"]) == ["b", "a"]
    run.add_score("q", "c", 3)
    assert not run.sorted
    assert list(run.run["q"]) == ["b", "a", "c"]
    run.sort()
    assert list(run.run["q"]) == ["c", "b", "a"]
    assert not Run().sorted


def test_report(tmp_path: Path) -> None:
    runs = [Run(GOOD, name="good"), Run(POOR)]
    report = compare(Qrels(JUDGED), runs, ["map", "ndcg@2"], max_p=0.05)
    lines = str(report).splitlines()
    assert lines[:2] == ["#    Model    MAP     NDCG@2", "---  -------  ------  --------"]
    assert lines[2].startswith("a    good     1.000ᵇ  1.000ᵇ")
    assert report.model_names == ["good", "run_2"]
    assert report.win_tie_loss["good", "run_2"]["map"] == {"W": 6, "T": 0, "L": 0}
    assert report.to_dataframe()["map"].tolist()[0] == 1.0
    assert "\\textbf{1.000}$^{b}$" in report.to_latex()
    report.save(tmp_path / "x.json")
    assert json.loads((tmp_path / "x.json").read_text()) == report.to_dict()
    with pytest.raises(ParameterError, match="stat_test"):
        compare(Qrels(JUDGED), runs, "map", stat_test="sign")
    with pytest.raises(ParameterError, match="two runs have the name"):
        compare(Qrels(JUDGED), [runs[0], runs[0]], "map")


def test_fuse_and_its_errors() -> None:
    one, two = Run(GOOD, name="x"), Run(POOR)
    assert fuse([one, two], method="max")["q0"] == {"c": 1.0, "b": 1.0, "a": 0.5}
    assert fuse([one, two], method="rrf", params={"k": 1, "name": "mine"}).name == "mine"
    empty = fuse(
        [Run({"q": {"a": 1.0}, "p": {}}), Run({"q": {}, "p": {}})], method="mnz", norm=None
    )
    assert empty.to_dict() == {"p": {}, "q": {"a": 1.0}}
    with pytest.raises(ValueError, match="at least two runs"):
        fuse([one])
    with pytest.raises(InputError, match="same queries"):
        fuse([one, Run({"q0": {"a": 1.0}})])
    with pytest.raises(ValueError, match="`rff` is not supported"):
        fuse([one, two], method="rff")
    with pytest.raises(ValueError, match="needs weights"):
        fuse([one, two])
    with pytest.raises(ValueError, match="normalisation"):
        normalize(one, "half")


def test_optimize_fusion_and_its_errors() -> None:
    qrels, runs = Qrels(JUDGED), [Run(GOOD), Run(POOR)]
    best = optimize_fusion(qrels, runs, method="wsum", metric="map", show_progress=False)
    assert evaluate(qrels, fuse(runs, params=best), "map") == 1.0
    _, report = optimize_fusion(
        qrels, runs, method="rrf", metric="map@2", return_optimization_report=True, step=30
    )
    assert report.configs == ["10", "40", "70", "100"]
    assert "MAP@2" in str(report)
    with pytest.raises(ValueError, match="does not support"):
        optimize_fusion(qrels, runs, method="sum")
    with pytest.raises(ValueError, match="is not searched by"):
        optimize_fusion(qrels, runs, method="rrf", min_phi=1)
    with pytest.raises(InputError, match="qrels"):
        optimize_fusion(Qrels({"q": {"a": 1}}), runs)


def test_files_that_need_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in ("lz4.frame", "ir_datasets"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DependencyError, match="lz4"):
        Run(GOOD).save(tmp_path / "x.lz4")
    with pytest.raises(DependencyError, match="ir_datasets"):
        Qrels.from_ir_datasets("vaswani")
    with pytest.raises(ParameterError, match="no qrels as lz4"):
        Qrels(JUDGED).save(tmp_path / "x.lz4")
    with pytest.raises(InputError, match="downloads nothing"):
        Run.from_ranxhub("some/run")


def test_lz4_there_and_back(tmp_path: Path) -> None:
    pytest.importorskip("lz4")
    pytest.importorskip("cbor2")
    Run(GOOD).save(tmp_path / "x.lz4")
    assert Run.from_file(tmp_path / "x.lz4").to_dict() == Run(GOOD).to_dict()
    (tmp_path / "y.lz4").write_bytes(b"no")
    with pytest.raises(InputError, match="not a run that ranx wrote"):
        Run.from_file(tmp_path / "y.lz4")
