"""`Relevance` as a metric of torchmetrics, and what torchmetrics' own metrics return."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from time import perf_counter

import pytest
from tests.hosts.packages import host
from tests.hosts.pages import run_examples
from tests.hosts.torch_ranks import MEASURES, batches, measure_on_rank

import relyon

torch = host("torch")
torchmetrics = host("torchmetrics")
torch.set_num_threads(1)

from relyon.ltr.torch import Relevance  # noqa: E402

SHARES = {
    "uneven": ([0, 1, 2, 3, 4], [5, 6]),
    "one-is-empty": ([], [0, 1, 2, 3, 4, 5, 6]),
    "other-order": ([6, 3, 1], [0, 5, 2, 4]),
}


def whole() -> Relevance:
    metric = Relevance(MEASURES)
    for scores, grades, queries in batches():
        metric.update(*(torch.as_tensor(one) for one in (scores, grades, queries)))
    return metric


def test_it_is_one_of_theirs_and_equals_evaluate_scores() -> None:
    metric = whole()
    assert isinstance(metric, torchmetrics.Metric)
    given = [[value for batch in batches() for value in batch[n].tolist()] for n in range(3)]
    scores, grades, queries = given
    wanted = relyon.evaluate_scores(grades, scores, queries, MEASURES)
    found = metric.compute()
    assert list(found) == MEASURES
    for name, value in found.items():
        assert float(value) == wanted[name]


def test_processes_have_the_bits_of_one(tmp_path: Path) -> None:
    spawn = torch.multiprocessing.spawn
    spawn(measure_on_rank, (2, str(tmp_path), SHARES), nprocs=2)
    wanted = whole()
    bits = {name: float(value).hex() for name, value in wanted.compute().items()}
    by_query = wanted.results().values_by_query("ndcg@10")
    sizes = [len(one[0]) for one in batches()]
    for rank in range(2):
        both = json.loads((tmp_path / f"{rank}.json").read_text("utf-8"))
        assert {name: one.pop("base") for name, one in both.items()} == {
            "torchmetrics": True,
            "alone": False,
        }
        for found in both.values():
            for name, shares in SHARES.items():
                assert found[name] == {
                    "values": bits,
                    "by_query": by_query,
                    "kept": sum(sizes[n] for n in shares[rank]),  # afterwards its own again
                }


def test_collections_resets_copies_and_merges() -> None:
    metric = whole()
    before = {name: float(value) for name, value in metric.compute().items()}
    both = torchmetrics.MetricCollection(
        {"relyon": Relevance("ndcg@10"), "theirs": torchmetrics.retrieval.RetrievalMRR()}
    )
    scores, target = torch.tensor([0.2, 0.9, 0.5]), torch.tensor([1, 0, 1])
    both.update(scores, target, indexes=torch.zeros(3, dtype=torch.long))
    found = both.compute()
    assert float(found["relyon"]) == pytest.approx(0.6934264, abs=1e-6)
    assert float(found["theirs"]) == 0.5
    several = torchmetrics.MetricCollection([Relevance(["rr", "ap"])], prefix="test_")
    several.update(scores, target, torch.zeros(3, dtype=torch.long))
    assert set(several.compute()) == {"test_rr", "test_ap"}
    for other in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert {name: float(value) for name, value in other.compute().items()} == before
    parts = Relevance(MEASURES), Relevance(MEASURES)
    for number, batch in enumerate(batches()):
        parts[number % 2].update(*(torch.as_tensor(one) for one in batch))
    parts[0].merge_state(parts[1])
    assert {name: float(value) for name, value in parts[0].compute().items()} == before
    metric.half().reset()
    with pytest.raises(relyon.InputError, match="has no rows"):
        metric.compute()
    value = metric(*(torch.as_tensor(one) for one in batches()[0]))
    assert set(value) == set(MEASURES)


def test_two_dimensions_flattened_3216() -> None:
    """torchmetrics#3216: rows of a matrix are one query there: .9197 for a mean of .8155."""
    preds = torch.tensor([[0.1, 0.2, 0.3], [0.8, 0.1, 0.05]])
    target = torch.tensor([[0, 1, 0], [1, 0, 0]])
    theirs = torchmetrics.functional.retrieval.retrieval_normalized_dcg(preds, target)
    assert float(theirs) == pytest.approx(0.9197, abs=1e-4)
    ours = Relevance("ndcg")
    ours.update(preds, target, torch.tensor([[0, 0, 0], [1, 1, 1]]))
    assert float(ours.compute()) == pytest.approx(0.8155, abs=1e-4)


def test_ideal_without_what_was_not_retrieved() -> None:
    """Theirs is 1 for one of four relevant documents: it knows only retrieved rows."""
    scores, target = torch.tensor([3.0, 2.0, 1.0]), torch.tensor([1, 0, 0])
    theirs = torchmetrics.retrieval.RetrievalNormalizedDCG()
    theirs.update(scores, target, indexes=torch.zeros(3, dtype=torch.long))
    assert float(theirs.compute()) == 1.0
    lost = torch.full((3,), -torch.inf)
    preds, target = torch.cat([scores, lost]), torch.cat([target, torch.ones(3, dtype=torch.long)])
    ours = Relevance(["ndcg@10", "recall@10", "ap"])
    ours.update(preds, target, torch.zeros(6, dtype=torch.long))
    found = {name: float(value) for name, value in ours.compute().items()}
    judged = {"0": {f"d{n}": grade for n, grade in enumerate(target.tolist())}}
    run = {"0": {"d0": 3.0, "d1": 2.0, "d2": 1.0}}
    assert found == dict(relyon.evaluate(judged, run, ["ndcg@10", "recall@10", "ap"]))
    assert found["recall@10"] == 0.25
    assert found["ndcg@10"] == pytest.approx(0.3904, abs=1e-4)


def test_double_precision_is_not_tied() -> None:
    """Theirs casts scores to single precision: 1 + 1e-9 and 1 are tied, and NDCG is a mean."""
    preds = torch.tensor([1.0, 1.0 + 1e-9], dtype=torch.float64)
    target, queries = torch.tensor([0, 1]), torch.zeros(2, dtype=torch.long)
    theirs = torchmetrics.retrieval.RetrievalNormalizedDCG()
    theirs.update(preds, target, indexes=queries)
    assert float(theirs.compute()) == pytest.approx((1 + 0.63093) / 2, abs=1e-5)
    ours = Relevance("ndcg")
    ours.update(preds, target, queries)
    assert float(ours.compute()) == 1.0


def test_many_queries_are_slow_there_2287() -> None:
    """torchmetrics#2287: 8,000 queries of 40 rows take it seconds, one query at a time."""
    rows = torch.Generator().manual_seed(0)
    preds = torch.rand((8000, 40), generator=rows)
    target = torch.randint(0, 4, (8000, 40), generator=rows)
    queries = torch.arange(8000)[:, None].expand(8000, 40)
    theirs, ours = torchmetrics.retrieval.RetrievalNormalizedDCG(top_k=10), Relevance("ndcg@10")
    found, seconds = [], []
    for metric in (theirs, ours):
        started = perf_counter()
        metric.update(preds, target, indexes=queries)
        found.append(float(metric.compute()))
        seconds.append(perf_counter() - started)
    assert found[1] == pytest.approx(found[0], abs=1e-5)
    assert seconds[1] < seconds[0], seconds


def test_page(tmp_path: Path) -> None:
    run_examples("model-hosts.md", "PyTorch", folder=tmp_path)
