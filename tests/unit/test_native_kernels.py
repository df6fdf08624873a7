"""Every kernel against a slow loop that shares no code with it."""

from __future__ import annotations

import math
import random
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from tests.unit.slow_measures import NAN, SLOW, Case, Document, Parts, ordered, orders

from relyon import _native
from relyon.core.errors import InputError

MAP = {0.0: 0.0, 0.2: 0.1, 0.9: 0.5, 1.0: 0.4, 2.0: 0.7, 3.0: 1.0}
ZERO_COUNTS = MAP | {0.0: 0.2}

KERNELS: list[tuple[str, dict[str, Any]]] = [
    ("cg", {}),
    ("cg", {"k": 3, "gain": "exp"}),
    ("dcg", {"k": 4}),
    ("dcg", {"discount": "inverse", "gain": "exp"}),
    ("dcg", {"k": 5, "gain": ZERO_COUNTS}),
    ("idcg", {}),
    ("idcg", {"k": 3, "discount": "inverse"}),
    ("idcg", {"k": 4, "ideal": "retrieved", "gain": "exp"}),
    ("idcg", {"k": 4, "gain": ZERO_COUNTS, "ideal": "retrieved", "discount": "none"}),
    ("ndcg", {}),
    ("ndcg", {"k": 3}),
    ("ndcg", {"k": 4, "ideal": "retrieved", "gain": "exp"}),
    ("ndcg", {"k": 4, "gain": MAP}),
    ("ndcg", {"k": 4, "gain": ZERO_COUNTS, "ideal": "retrieved", "discount": "none"}),
    ("recall", {}),
    ("recall", {"k": 3, "rel": 2.0}),
    ("recall", {"k": 2, "capped": True}),
    ("p", {}),
    ("p", {"k": 3}),
    ("p", {"k": 20, "denominator": "retrieved"}),
    ("p", {"k": 20, "rel": 0.2}),
    ("p", {"k": 4, "rel": 0.0}),
    ("success", {"k": 2}),
    ("success", {"k": 4, "rel": 2.0}),
    ("f1", {"k": 3}),
    ("f1", {"k": 20, "denominator": "retrieved"}),
    ("rr", {}),
    ("rr", {"k": 3, "rel": 2.0}),
    ("ap", {}),
    ("ap", {"k": 4}),
    ("ap", {"k": 3, "denominator": "capped"}),
    ("ap", {"k": 3, "denominator": "retrieved"}),
    ("meanp", {}),
    ("meanp", {"k": 4}),
    ("meanp", {"k": 30, "rel": 2.0}),
    ("rprec", {}),
    ("err", {"max": 3}),
    ("err", {"k": 4, "max": 4}),
    ("rbp", {}),
    ("rbp", {"p": 0.5, "k": 4, "rel": 2.0}),
    ("rbp", {"p": 0.95, "gain": MAP}),
    ("bpref", {}),
    ("bpref", {"rel": 2.0}),
    ("infap", {}),
    ("judged", {}),
    ("judged", {"k": 4}),
    ("num_ret", {}),
    ("num_rel", {}),
    ("num_rel_ret", {"k": 5}),
    ("pnr", {}),
    *[
        ("pnr", {"label_ties": label, "score_ties": score, "unjudged": unjudged, "smoothing": 1.0})
        for label in ("positive", "ignore")
        for score in ("ignore", "half", "rank")
        for unjudged in ("removed", "nonrelevant")
    ],
    ("concordance", {}),
    ("concordance", {"score_ties": "half"}),
    ("concordance", {"label_ties": "ignore", "score_ties": "rank"}),
    ("auc", {}),
    ("auc", {"rel": 2.0, "unjudged": "nonrelevant"}),
    ("auc", {"rel": 0.0}),
    ("auc", {"rel": -1.0, "unjudged": "nonrelevant"}),
    ("auc", {"max_fpr": 0.3}),
    ("auc", {"max_fpr": 0.75, "unjudged": "nonrelevant"}),
    ("average_precision", {}),
    ("average_precision", {"rel": 0.0, "unjudged": "nonrelevant"}),
    ("gauc", {"weight": "rows"}),
    ("gauc", {"max_fpr": 0.1, "weight": "positives"}),
    ("gauc", {"rel": -1.0}),
    ("gauc", {"rel": 0.0, "unjudged": "nonrelevant"}),
    ("gauc", {"weight": "positives", "unjudged": "nonrelevant"}),
    ("tau", {}),
    ("tau", {"unjudged": "nonrelevant"}),
    ("spearman", {}),
    ("spearman", {"unjudged": "nonrelevant"}),
    ("kappa", {}),
    ("kappa", {"unjudged": "nonrelevant"}),
]

NO_CLOSED_FORM = [
    ("bpref", {}),
    ("infap", {}),
    ("ap", {"denominator": "retrieved"}),
    ("pnr", {"score_ties": "rank"}),
]


def test_every_kernel_has_a_slow_twin() -> None:
    assert {name for name, _ in KERNELS} == set(SLOW)


def sample(
    seed: int, size: int = 12, negatives: bool = True
) -> tuple[dict[str, float], dict[str, float]]:
    """Judgments and a run with heavy ties, unjudged documents and grades below 1 and 0."""
    chance = random.Random(seed)
    grades = chance.choice([(0.0, 1.0), (0.0, 1.0, 2.0, 3.0), (0.0, 0.2, 0.9, 1.0), (0.0, 3.0)])
    if negatives and chance.random() < 0.5:
        grades = (*grades, -1.0, -2.0)
    names = [f"d{number}" for number in chance.sample(range(100), size + 4)]
    retrieved = names[: chance.randint(1, size)]
    share = chance.choice([0.3, 0.7, 1.0])
    judged = {name: chance.choice(grades) for name in names if chance.random() < share}
    judged.setdefault(names[-1], chance.choice(grades))
    levels = chance.choice([1, 3, 6, 1000])
    run = {name: float(chance.randint(-levels // 2, levels)) for name in retrieved}
    if chance.random() < 0.3:
        run = dict(sorted(run.items(), key=lambda item: -item[1]))
    if 0.0 in run.values() and chance.random() < 0.5:
        run[next(name for name, score in run.items() if score == 0)] = -0.0
    return judged, run


def native(
    kernel: tuple[str, dict[str, Any]],
    judged: dict[str, float],
    run: dict[str, float],
    **rules: str,
) -> Parts:
    plan = _native.Plan([kernel], _native.Rules(**rules))  # type: ignore[arg-type]
    table = _native.JudgmentTable.from_dict({"q": judged})
    batch = _native.evaluate_dict(table, plan, {"q": run})
    value, numerator, denominator = (float(column[0]) for column in batch.arrays(0))
    return value, numerator, denominator


def same(found_parts: Parts, wanted: Parts, tolerance: float = 1e-12) -> bool:
    return all(
        one == other
        or (math.isnan(one) and math.isnan(other))
        or math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
        for one, other in zip(found_parts, wanted, strict=True)
    )


def kernel_id(kernel: tuple[str, dict[str, Any]]) -> str:
    return kernel[0] + "".join(
        f"-{key}={value}" for key, value in kernel[1].items() if key != "gain"
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=kernel_id)
def test_kernel_is_the_slow_loop(kernel: tuple[str, dict[str, Any]]) -> None:
    name, parameters = kernel
    for seed in range(25):
        judged, run = sample(seed)
        for ties in ("doc-desc", "doc-asc", "input", "input-desc", "worst", "best"):
            for unjudged in ("nonrelevant", "removed"):
                for negative in ("nonrelevant", "unjudged"):
                    rules = {"ties": ties, "unjudged": unjudged, "negative": negative}
                    case = ordered(judged, run, **rules)
                    wanted = SLOW[name](case, **parameters)
                    result = native(kernel, judged, run, **rules)
                    assert same(result, wanted), (seed, rules, result, wanted)


EXACT = [
    "cg",
    "dcg",
    "ndcg",
    "recall",
    "p",
    "f1",
    "rr",
    "ap",
    "meanp",
    "rprec",
    "err",
    "rbp",
    "bpref",
]


@pytest.mark.parametrize("kernel", [one for one in KERNELS if one[0] in EXACT], ids=kernel_id)
def test_sums_are_the_textbook_loop_to_the_last_bit(kernel: tuple[str, dict[str, Any]]) -> None:
    name, parameters = kernel
    for seed in range(60, 100):
        judged, run = sample(seed, size=40)
        result = native(kernel, judged, run)
        assert same(result, SLOW[name](ordered(judged, run), **parameters), tolerance=0.0), seed


CLOSED_FORM = [
    (name, parameters)
    for name, parameters in KERNELS
    if name not in {"pnr", "bpref", "infap"} and parameters.get("denominator") != "retrieved"
] + [("p", {"k": 20, "denominator": "retrieved"}), ("f1", {"k": 20, "denominator": "retrieved"})]


@pytest.mark.parametrize("kernel", CLOSED_FORM, ids=kernel_id)
def test_expected_is_the_mean_over_every_order(kernel: tuple[str, dict[str, Any]]) -> None:
    name, parameters = kernel
    for seed in range(40):
        judged, run = sample(seed, size=6)
        parts = [SLOW[name](case, **parameters) for case in orders(ordered(judged, run))]
        value, above, below = (
            math.fsum(column) / len(parts) for column in zip(*parts, strict=True)
        )
        result = native(kernel, judged, run, ties="expected")
        assert same(result, (value, above, below)), (seed, result, value, above, below)


def test_expected_pair_ratio_does_not_depend_on_order() -> None:
    for seed in range(40):
        judged, run = sample(seed)
        for score_ties in ("ignore", "half"):
            kernel = ("pnr", {"score_ties": score_ties})
            wanted = SLOW["pnr"](ordered(judged, run), score_ties=score_ties)
            assert same(native(kernel, judged, run, ties="expected"), wanted)


@pytest.mark.parametrize("kernel", NO_CLOSED_FORM, ids=kernel_id)
def test_without_a_closed_form_expected_is_refused(kernel: tuple[str, dict[str, Any]]) -> None:
    with pytest.raises(
        InputError, match=r"no closed form under ties=expected[\s\S]*another tie rule"
    ):
        _native.Plan([kernel], _native.Rules(ties="expected"))


@pytest.mark.long
def test_expected_err_of_a_long_tie() -> None:
    grades = [1] * 30 + [0] * 370
    plan = _native.Plan([("err", {"max": 2, "k": None})], _native.Rules(ties="expected"))
    value = _native.evaluate_arrays(plan, np.array([grades]), np.zeros((1, 400))).values(0)[0]
    # Draws one after the other: the chance that place t holds the document that stops the user.
    chance = random.Random(5)
    draws = []
    for _ in range(4000):
        order = chance.sample(grades, 400)
        total, reached = 0.0, 1.0
        for rank, grade in enumerate(order, 1):
            stop = (2.0**grade - 1) / 4
            total += reached * stop / rank
            reached *= 1 - stop
        draws.append(total)
    error = (sum((draw - value) ** 2 for draw in draws) / len(draws) / len(draws)) ** 0.5
    assert abs(sum(draws) / len(draws) - value) < 4 * error


RANK_KERNELS = [
    one for one in KERNELS if one[0] in {"pnr", "concordance", "auc", "tau", "ndcg", "kappa"}
]


@pytest.mark.parametrize("kernel", RANK_KERNELS, ids=kernel_id)
def test_a_rank_column_is_the_whole_order(kernel: tuple[str, dict[str, Any]]) -> None:
    name, parameters = kernel
    for seed in range(60):
        judged, run = sample(seed)
        names = list(run)
        random.Random(seed).shuffle(names)
        ranks = {document: position for position, document in enumerate(names)}
        table = _native.JudgmentTable.from_dict({"q": judged})
        lines = [
            f"q 0 {document} {ranks[document]} {score!r} t\n" for document, score in run.items()
        ]
        held = _native.RunTable.from_chunks(BytesIO("".join(lines).encode()).read, "run")
        batch = _native.evaluate_run(
            table, _native.Plan([kernel], _native.Rules(ties="rank")), held
        )
        documents = tuple(Document(one, run[one], judged.get(one)) for one in names)
        wanted = SLOW[name](Case(documents, tuple(judged.values())), **parameters)
        result = tuple(float(column[0]) for column in batch.arrays(0))
        assert same(result, wanted), (seed, result, wanted)  # type: ignore[arg-type]


def test_long_lists_take_the_same_ranks_in_any_order() -> None:
    chance = random.Random(3)
    run = {f"d{number}": float(chance.randint(0, 900)) for number in range(3000)}
    judged = {f"d{number}": float(chance.randint(0, 3)) for number in range(0, 3000, 2)}
    kernels = [
        ("ndcg", {}),
        ("ap", {}),
        ("bpref", {}),
        ("pnr", {"unjudged": "nonrelevant"}),
        ("tau", {}),
    ]
    few = dict(list(judged.items())[:5])
    for grades in (judged, few):
        for ties in ("doc-desc", "doc-asc", "worst", "best"):
            ranked = dict(sorted(run.items(), key=lambda item: -item[1]))
            for kernel in kernels:
                in_order = native(kernel, grades, ranked, ties=ties)
                assert native(kernel, grades, run, ties=ties) == in_order
                if kernel[0] in EXACT:
                    wanted = SLOW[kernel[0]](ordered(grades, run, ties), **kernel[1])
                    assert same(in_order, wanted, tolerance=0.0)


def test_scores_as_float32_tie() -> None:
    judged, run = {"a": 1.0, "b": 0.0}, {"a": 1.0, "b": 1.0 + 1e-12}
    assert native(("rr", {}), judged, run)[0] == 0.5
    plan = _native.Plan([("rr", {})], _native.Rules(ties="doc-asc", float32=True))
    table = _native.JudgmentTable.from_dict({"q": judged})
    assert _native.evaluate_dict(table, plan, {"q": run}).values(0) == [1.0]


def test_negative_grades_can_be_refused() -> None:
    with pytest.raises(InputError, match=r"`q`: negative grade -1[\s\S]*negative=nonrelevant"):
        native(("rr", {}), {"a": 1.0, "b": -1.0}, {"a": 1.0}, negative="error")


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_queries_are_tie_sensitive_where_a_tie_with_gain_crosses_the_cutoff(k: int) -> None:
    judged = {"a": 1.0, "b": 0.0, "c": 2.0, "d": 0.0}
    run = {"a": 9.0, "b": 5.0, "c": 5.0, "u": 5.0, "d": 1.0, "v": 1.0}
    table = _native.JudgmentTable.from_dict({"q": judged})
    batch = _native.evaluate_dict(
        table, _native.Plan([("ndcg", {"k": k}), ("judged", {"k": k})]), {"q": run}
    )
    wanted = int(k in {2, 3})
    assert [batch.total(measure).tie_sensitive for measure in (0, 1)] == [wanted, wanted]


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (("ndgc", {}), "unknown kernel: `ndgc`"),
        (("ndcg", {"cutoff": 3}), "`ndcg` has no parameter `cutoff`"),
        (("num_ret", {"k": 3}), "`num_ret` has no parameter `k`"),
        (("ndcg", {"k": 0}), "`k` of `ndcg` must be a whole number of 1 or more"),
        (("ndcg", {"k": 2.5}), "`k` of `ndcg` must be a whole number"),
        (("ndcg", {"gain": "square"}), "`gain` of `ndcg` must be"),
        (("ndcg", {"gain": {1: -1.0}}), "gains of 0 or more"),
        (("ndcg", {"ideal": "best"}), "one of `judged` `retrieved`"),
        (("recall", {"capped": 1}), "`capped` of `recall` must be true or false"),
        (("recall", {"rel": NAN}), "`rel` of `recall` must be a finite number"),
        (("recall", {"rel": "high"}), "`rel` of `recall` must be a finite number"),
        (("rbp", {"p": 1.0}), "`p` of `rbp` must be between 0 and 1"),
        (("pnr", {"smoothing": -1}), "`smoothing` of `pnr` must be 0 or more"),
        (("pnr", {"score_ties": "both"}), "one of `ignore` `half` `rank`"),
    ],
)
def test_bad_parameters_are_named(kernel: tuple[str, dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError) as caught:
        _native.Plan([kernel])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"ties": "random"}, "`ties` must be one of `doc-desc`"),
        ({"unjudged": "x"}, "`unjudged` must be"),
        ({"negative": "x"}, "`negative` must be"),
        ({"missing": "x"}, "`missing` must be"),
    ],
)
def test_bad_rules_are_named(rules: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        _native.Plan([], _native.Rules(**rules))  # type: ignore[arg-type]
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (("ndcg", {"gain": {0: 0, 1: 1}}), "no entry for the grade 2"),
        (("err", {"max": 1}), "`err(max=1)` met a grade of 2"),
        (("rbp", {"gain": "linear"}), "gains from 0 to 1, got 2"),
        (("kappa", {}), "compares predicted grades, and 0.5 is not one"),
    ],
)
def test_grades_that_a_measure_cannot_take(
    kernel: tuple[str, dict[str, Any]], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        native(kernel, {"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 0.5})
    assert message in str(caught.value)
    assert "query `q`" in str(caught.value)


def test_an_empty_list() -> None:
    judged = {"a": 2.0, "b": 0.0}
    for name, parameters in KERNELS:
        if name != "infap":
            wanted = SLOW[name](Case((), tuple(judged.values())), **parameters)
            assert same(native((name, parameters), judged, {}), wanted), name


def test_mean_precision_far_past_the_end_of_the_list() -> None:
    judged, run = {"a": 1.0, "b": 0.0}, {"a": 2.0, "b": 1.0}
    k = 3_000_000
    wanted = math.fsum(1 / rank for rank in range(1, k + 1)) / k
    assert native(("meanp", {"k": k}), judged, run)[0] == pytest.approx(wanted, rel=1e-9)


def test_simd_names_an_instruction_set() -> None:
    assert _native.simd() in {"avx512", "avx2", "sse2", "neon", "scalar"}
