"""MTEB's and BEIR's results, by the real packages, on a toy task without downloads."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from tests.hosts.packages import host
from tests.hosts.pages import run_examples

import relyon
from relyon.compat import beir, mteb

program = host("mteb")
datasets = host("datasets")
st = host("sentence_transformers", package="sentence-transformers")
retrieval = host("mteb.abstasks.retrieval")
metadata = host("mteb.abstasks.task_metadata")

TEXTS = {"d1": "red shoe", "d2": "blue hat", "d3": "red hat rug", "q2": "hat", "d5": "rug rug red"}
QUERIES = {"q1": "red rug", "q2": "hat", "q3": "rug shoe", "q4": "blue"}
GRADES = {"q1": {"d1": 3, "d3": 1}, "q2": {"d2": 2, "q2": 3, "d3": 0}, "q3": {"d5": 1}, "q4": {}}


class Toy(retrieval.AbsTaskRetrieval):  # type: ignore[misc, name-defined]
    """A task whose data are here."""

    metadata = metadata.TaskMetadata(
        name="Toy",
        description="a toy",
        reference=None,
        dataset={"path": "local/toy", "revision": "1"},
        type="Retrieval",
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="ndcg_at_10",
        date=("2020-01-01", "2020-01-02"),
        domains=None,
        task_subtypes=None,
        license=None,
        annotations_creators=None,
        dialect=None,
        sample_creation=None,
        bibtex_citation="",
    )

    data_loaded: bool = False

    def load_data(self, num_proc: int | None = None, **_: Any) -> None:
        if self.data_loaded:
            return
        rows = {"corpus": TEXTS, "queries": QUERIES}
        part: dict[str, Any] = {
            name: datasets.Dataset.from_list([{"id": id, "text": text} for id, text in one.items()])
            for name, one in rows.items()
        }
        part |= {"relevant_docs": copy.deepcopy(GRADES), "top_ranked": None}
        self.dataset = {"default": {"test": part}}
        self.data_loaded = True


class WithoutItself(Toy):
    """The same, and a query's own document does not count."""

    ignore_identical_ids = True


class WithoutFirst(Toy):
    """The same, and the first result does not count."""

    skip_first_result = True


@pytest.fixture(scope="module")
def model() -> Any:
    weights = {"red": 1.0, "shoe": 1.5, "blue": 2.1, "hat": 2.9, "rug": 3.3}
    words = st.sentence_transformer.modules.BoW([*weights], weights)
    return st.SentenceTransformer(modules=[words], device="cpu")


@pytest.mark.parametrize("kind", [Toy, WithoutItself, WithoutFirst])
def test_numbers_are_theirs(kind: Any, model: Any, tmp_path: Path) -> None:
    task = kind()
    done = program.evaluate(
        model, task, prediction_folder=tmp_path, cache=None, show_progress_bar=False
    )
    theirs = done.task_results[0].scores["test"][0]
    run = mteb.run(tmp_path / "Toy_predictions.json", task=task)
    judged = mteb.judgments(task)
    assert judged.to_dict() == {query: one for query, one in GRADES.items() if one}
    names = {"ndcg@3": "ndcg_at_3", "ndcg@10": "ndcg_at_10", "ap@10": "map_at_10"}
    names |= {"recall@3": "recall_at_3", "p@3": "precision_at_3", "success@1": "hit_rate_at_1"}
    names |= {"rr@10": "mrr_at_10"}
    ours = relyon.evaluate(judged, run, [*names], convention="pytrec_eval")
    for name, key in names.items():
        assert ours[name] == pytest.approx(theirs[key], abs=5.1e-6), name  # five decimals there
    other = relyon.Run.from_dict(_reversed(run), name="reversed")
    contrast = relyon.compare(judged, run, other, "ndcg@3").contrasts[0]
    assert contrast.queries == 3
    assert contrast.difference == pytest.approx(
        relyon.evaluate(judged, other, "ndcg@3")["ndcg@3"]
        - relyon.evaluate(judged, run, "ndcg@3")["ndcg@3"]
    )


def _reversed(run: relyon.Run) -> dict[str, dict[str, float]]:
    return {
        query: {document: -score for document, score in one.items()}
        for query, one in run.to_dict().items()
    }


def test_kinds_differ() -> None:
    stored = {"default": {"test": {"q2": {"q2": 9.0, "d2": 2.0, "d3": 2.0}}}}
    assert set(mteb.run(stored)["q2"]) == {"q2", "d2", "d3"}
    assert set(mteb.run(stored, task=WithoutItself())["q2"]) == {"d2", "d3"}
    assert set(mteb.run(stored, task=WithoutFirst())["q2"]) == {"d2", "d3"}


def test_parts_and_errors(tmp_path: Path) -> None:
    stored = {
        "mteb_model_meta": {"model_name": "a/b", "revision": "1"},
        "en": {"test": {"q1": {"d1": 1.0}}, "dev": {"q1": {"d2": 1.0}}},
        "zh": {"test": {"查询": {"文档": 0.5}}},
    }
    assert mteb.run(stored, subset="zh").to_dict() == {"查询": {"文档": 0.5}}
    assert mteb.run(stored, subset="en", split="dev").name == "a/b"
    with pytest.raises(relyon.UnknownNameError, match=r"`subset` must be one of .*en.*zh"):
        mteb.run(stored)
    with pytest.raises(relyon.UnknownNameError, match=r"`split` must be one of .*dev.*test"):
        mteb.run(stored, subset="en")
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"q1": {"d1": 0.5}}), "utf-8")
    for content in ("[1]", "{}", '{"a": {"b": 1}}', "{"):
        path.write_text(content, "utf-8")
        with pytest.raises(relyon.InputError, match=r"x\.json: "):
            mteb.run(path)
    with pytest.raises(relyon.InputError, match="no such file"):
        mteb.run(tmp_path / "missing.json")
    with pytest.raises(relyon.InputError, match="task of retrieval"):
        mteb.judgments(object())


def test_beir_files_and_numbers(tmp_path: Path) -> None:
    """BEIR leaves out a query's own document, and deletes it from the results it is given."""
    util, evaluation = host("beir.util"), host("beir.retrieval.evaluation")
    loader = host("beir.datasets.data_loader")
    grades = {query: one for query, one in GRADES.items() if one}
    util.write_to_tsv(str(tmp_path / "test.tsv"), grades)
    util.write_to_json(str(tmp_path / "queries.jsonl"), QUERIES)
    util.write_to_json(str(tmp_path / "corpus.jsonl"), TEXTS)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "test.tsv").rename(tmp_path / "qrels" / "test.tsv")
    _, queries, qrels = loader.GenericDataLoader(str(tmp_path)).load(split="test")
    judged = relyon.read_judgments(tmp_path / "qrels" / "test.tsv")
    assert judged.to_dict() == {query: {**one} for query, one in qrels.items()}
    from relyon.engines.queries import read_queries

    texts = {one.id: one.text for one in read_queries(str(tmp_path / "queries.jsonl"))}
    assert {query: texts[query] for query in queries} == queries
    results = {
        "q1": {"d1": 0.5, "d3": 0.9},
        "q2": {"q2": 9.0, "d2": 0.3, "d1": 0.4},
        "q3": {"d1": 1.0, "d5": 0.5},
    }
    ours = {kind: beir.run(results, identical_ids=kind) for kind in ("drop", "keep")}
    names = ["ndcg@1", "ndcg@10", "ap@10", "recall@1", "p@1"]
    for kind, run in ours.items():
        given = copy.deepcopy(results)
        theirs = evaluation.EvaluateRetrieval.evaluate(qrels, given, [1, 10], kind == "drop")
        assert ("q2" in given["q2"]) == (kind == "keep")
        values = {name: value for one in theirs for name, value in one.items()}
        found = relyon.evaluate(judged, run, names, convention="pytrec_eval")
        keys = ["NDCG@1", "NDCG@10", "MAP@10", "Recall@1", "P@1"]
        for name, key in zip(names, keys, strict=True):
            assert found[name] == pytest.approx(values[key], abs=5.1e-6), (kind, name)
    assert "q2" in results["q2"]
    some = {"q1": results["q1"]}  # a query without results is left out of their mean
    theirs = evaluation.EvaluateRetrieval.evaluate(qrels, copy.deepcopy(some), [10])[0]["NDCG@10"]
    value = relyon.evaluate(judged, some, "ndcg@10", convention="pytrec_eval")["ndcg@10"]
    assert value == pytest.approx(theirs, abs=5.1e-6)
    assert relyon.evaluate(judged, some, "ndcg@10")["ndcg@10"] == pytest.approx(value / 3)
    util.save_runfile(str(tmp_path / "toy.run"), results)
    read = beir.run(tmp_path / "toy.run", identical_ids="keep")
    assert read.to_dict() == results
    assert read.name == "toy.run"
    with pytest.raises(relyon.ParameterError):
        beir.run(results, identical_ids="both")  # type: ignore[arg-type]


def test_page(model: Any, tmp_path: Path) -> None:
    results = {"q1": {"d1": 0.5, "d3": 0.9}, "q2": {"q2": 9.0, "d2": 0.3}}
    names = {"model": model, "task": Toy(), "results": results, "qrels": {"q1": {"d1": 1}}}
    run_examples("model-hosts.md", "MTEB", names, folder=tmp_path)
