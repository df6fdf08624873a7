"""Losses and measures on PyTorch's tensors."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import relyon
import relyon.ltr
from relyon.core.errors import InputError, ParameterError

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from relyon.ltr.torch import RankingLoss, evaluate_tensors  # noqa: E402

RNG = np.random.default_rng(3)
SIZES = np.array([3, 0, 1, 5, 2])
MASK = torch.arange(5) < torch.tensor(SIZES)[:, None]
#: Holes between documents, too.
HOLES = MASK[:, torch.tensor([4, 0, 3, 1, 2])]


def batch(mask: Any, padding: float) -> tuple[Any, Any]:
    """Padded scores and labels, the same documents for every mask."""
    rng = np.random.default_rng(4)
    rows = int(SIZES.sum())
    scores = torch.full(mask.shape, padding, dtype=torch.float64)
    labels = torch.full(mask.shape, padding, dtype=torch.float64)
    scores[mask] = torch.tensor(rng.normal(size=rows))
    labels[mask] = torch.tensor(rng.permutation(rows) / rows)
    return scores, labels


@pytest.mark.parametrize("name", list(relyon.ltr.losses))
@pytest.mark.parametrize("padding", [0.0, -1.0, float("nan"), 1e6])
def test_padding_changes_nothing(name: str, padding: float) -> None:
    rng = np.random.default_rng(4)
    rows = int(SIZES.sum())
    flat, labels = rng.normal(size=rows), rng.permutation(rows) / rows
    offsets = np.concatenate([[0], np.cumsum(SIZES)])
    wanted = relyon.ltr.loss(name).evaluate(labels, flat, offsets)
    for mask in (MASK, HOLES):
        scores, padded = batch(mask, padding)
        scores.requires_grad_()
        values = RankingLoss(name, reduction="none")(scores, padded, mask=mask)
        assert values.tolist() == wanted.values.tolist()
        values.sum().backward()
        assert scores.grad[mask].tolist() == wanted.gradient.tolist()
        assert not scores.grad[~mask].any()


def test_reductions() -> None:
    scores, labels = batch(MASK, 0.0)
    values = RankingLoss("squared_error", reduction="none")(scores, labels, mask=MASK)
    assert values.shape == (5,)
    total = RankingLoss("squared_error", reduction="sum")(scores, labels, mask=MASK)
    mean = RankingLoss("squared_error")(scores, labels, mask=MASK)
    assert total.item() == pytest.approx(values.sum().item(), rel=1e-15)
    # Four of the five lists have a document.
    assert mean.item() == pytest.approx(values.sum().item() / 4, rel=1e-15)
    nothing = RankingLoss("ranknet")(scores, labels, mask=torch.zeros_like(MASK))
    assert nothing.item() == 0


@pytest.mark.parametrize("name", ["ranknet", "softrank", "neural_ndcg(tolerance=0)", "listnet"])
@pytest.mark.parametrize("way", ["padded", "flat", "full"])
def test_gradients_by_pytorchs_own_check(name: str, way: str) -> None:
    scores, labels = batch(MASK, 0.0)
    options: dict[str, Any] = {"mask": MASK}
    if way == "flat":
        scores, labels = scores[MASK], labels[MASK]
        options = {"offsets": torch.tensor(np.concatenate([[0], np.cumsum(SIZES)]))}
    elif way == "full":
        options = {}
        labels = labels + torch.arange(5)
    weights = torch.rand(5, dtype=torch.float64) + 0.5
    if way != "flat":
        options["weights"] = weights

    def total(given: Any) -> Any:
        return RankingLoss(name, reduction="none")(given, labels, **options)

    assert torch.autograd.gradcheck(total, scores.clone().requires_grad_(), eps=1e-5, atol=1e-6)


def test_one_list_and_one_weight_per_list() -> None:
    scores = torch.tensor([0.0, 1.0], requires_grad=True)
    loss = RankingLoss("ranknet")(scores, torch.tensor([1, 0]))
    loss.backward()
    assert scores.grad is not None
    assert loss.item() == pytest.approx(np.log1p(np.e), rel=1e-6)
    two = torch.tensor([[0.0, 1.0], [0.0, 1.0]])
    values = RankingLoss("ranknet", reduction="none")(
        two, torch.tensor([[1, 0], [1, 0]]), weights=torch.tensor([2.0, 3.0])
    )
    assert values.tolist() == pytest.approx([2 * loss.item(), 3 * loss.item()])


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float32])
def test_gradients_have_the_type_of_the_scores(kind: Any) -> None:
    scores = torch.tensor([[0.5, -1.0, 2.0]], dtype=kind, requires_grad=True)
    loss = RankingLoss("listnet")(scores, torch.tensor([[2, 0, 1]]))
    loss.backward()
    assert loss.dtype == kind
    assert scores.grad is not None
    assert scores.grad.dtype == kind
    wanted = relyon.ltr.loss("listnet").evaluate([2, 0, 1], [0.5, -1, 2]).gradient
    assert scores.grad[0].tolist() == pytest.approx(wanted, rel=1e-2)


def test_a_network_learns() -> None:
    torch.manual_seed(1)
    features = torch.tensor(RNG.normal(size=(40, 12, 4)), dtype=torch.float32)
    labels = (features @ torch.tensor([1.0, -2.0, 0.5, 0.0])).clamp(0, 4).floor()
    model = torch.nn.Linear(4, 1)
    step = torch.optim.Adam(model.parameters(), lr=0.1)
    criterion = RankingLoss("approx_ndcg(temperature=0.5)")
    before = evaluate_tensors(model(features)[..., 0], labels)["ndcg@10"]
    for _ in range(40):
        step.zero_grad()
        criterion(model(features)[..., 0], labels).backward()
        step.step()
    after = evaluate_tensors(model(features)[..., 0], labels)["ndcg@10"]
    assert before < 0.9
    assert after > 0.97


def test_draws_differ_from_call_to_call_and_come_back() -> None:
    scores, labels = torch.tensor([[3.0, 2, 1, 0]]), torch.tensor([[1, 1, 0, 0]])

    def values(module: Any) -> list[float]:
        return [module(scores, labels).item() for _ in range(12)]

    drawn = values(RankingLoss("listmle", seed=5))
    assert len(set(drawn)) == 4
    assert values(RankingLoss("listmle", seed=5)) == drawn
    module = RankingLoss("listmle", seed=5)
    first = module(scores, labels).item()
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert [first, *values(other)][:12] == drawn


def test_bad_tensors_are_refused() -> None:
    loss = RankingLoss("ranknet")
    scores, labels = torch.zeros(2, 3), torch.zeros(2, 3)
    with pytest.raises(InputError, match="`labels` and scores differ in shape"):
        loss(scores, labels[:1])
    with pytest.raises(InputError, match="`mask` and scores differ in shape"):
        loss(scores, labels, mask=torch.ones(2, 2, dtype=torch.bool))
    with pytest.raises(InputError, match="a mask must be of type bool"):
        loss(scores, labels, mask=torch.ones(2, 3))
    with pytest.raises(InputError, match="scores are not floating-point"):
        loss(labels.long(), labels)
    with pytest.raises(InputError, match="scores, row 1: not a number"):
        loss(torch.tensor([0.0, float("nan")]), torch.tensor([0.0, 1.0]))
    with pytest.raises(InputError, match="offsets must rise"):
        loss(torch.zeros(3), torch.zeros(3), offsets=torch.tensor([0, 2]))
    with pytest.raises(ParameterError, match="reduction"):
        RankingLoss("ranknet", reduction="median")  # type: ignore[arg-type]


@pytest.mark.parametrize("mask", [MASK, HOLES])
def test_measures_of_padded_tensors_are_those_of_their_lists(mask: Any) -> None:
    scores, labels = batch(mask, float("nan"))
    labels = (labels * 4).round()
    found = evaluate_tensors(scores, labels, ["ndcg@10", "pnr"], mask=mask)
    sizes = SIZES[SIZES > 0]
    wanted = relyon.evaluate_scores(
        labels[mask].numpy(), scores[mask].numpy(), sizes, ["ndcg@10", "pnr"]
    )
    assert dict(found) == dict(wanted)
    offsets = torch.tensor(np.concatenate([[0], np.cumsum(sizes)]))
    flat = evaluate_tensors(scores[mask], labels[mask], ["ndcg@10", "pnr"], offsets=offsets)
    assert dict(flat) == dict(wanted)


def test_lists_of_one_document_are_lists() -> None:
    # Three sizes of 1 are as long as three ids: they must not be taken for those.
    found = evaluate_tensors(torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([[1], [0], [2]]))
    assert found.queries == ["0", "1", "2"]
    offsets = torch.tensor([0, 2, 2, 3])
    other = evaluate_tensors(torch.rand(3), torch.tensor([1, 0, 2]), offsets=offsets)
    assert other.queries == ["0", "1", "2"]


def test_the_room_does_not_import_pytorch() -> None:
    code = "import sys, relyon.ltr; relyon.ltr.loss('ranknet'); print('torch' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
