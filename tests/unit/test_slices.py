"""Slices: their features, the search, the tests, and what is said of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import relyon
from relyon.analysis.slices.entry import find_slices
from relyon.analysis.slices.held_out import held_out_tests
from relyon.analysis.slices.predicates import Feature, predicates
from relyon.analysis.slices.search import Space, candidates
from relyon.analysis.slices.text_features import text_features, words_of

IDS = [f"q{n}" for n in range(240)]
CHANGES = {query: -0.5 + n % 5 / 10 if n < 60 else n % 5 / 20 for n, query in enumerate(IDS)}
TIERS = {query: "tail" if n < 60 else "head" for n, query in enumerate(IDS)}
MIXED = {query: f"v{n * 7 % 3}" for n, query in enumerate(IDS)}


def kinds(feature: Feature, queries: list[str], least: int = 1) -> list[tuple[str, str, int]]:
    found = predicates(feature, queries, least)
    return [(one.kind, one.value, int(held.sum())) for one, held in found]


def test_numbers_and_dates_are_cut_at_quartiles_and_equal_values_stay_together() -> None:
    ids = [f"q{n}" for n in range(20)]
    numbers = Feature("n", {one: str(n if n > 8 else 3) for n, one in enumerate(ids)})
    bins = [("3", 9), ("9", 1), ("10–14", 5), ("15–19", 5)]
    assert kinds(numbers, ids) == [("range", *one) for one in bins]
    dates = Feature("d", {one: f"2026-01-{n + 1:02d}" for n, one in enumerate(ids)})
    assert kinds(dates, ids)[0] == ("range", "2026-01-01–2026-01-05", 5)
    few = Feature("n", {one: str(n % 3) for n, one in enumerate(ids)})
    assert [kind for kind, *_ in kinds(few, ids)] == ["value"] * 3
    negative = Feature("n", {one: str(-n / 2) for n, one in enumerate(ids)})
    assert kinds(negative, ids)[0] == ("range", "-9.5–-7.5", 5)


def test_missing_values_are_a_predicate_of_given_columns_only() -> None:
    ids = ["a", "b", "c", "d"]
    column = {"a": "x", "b": "x", "c": "x"}
    assert ("missing", "", 1) in kinds(Feature("f", column), ids)
    assert kinds(Feature("f", column, "text"), ids) == [("value", "x", 3)]
    assert kinds(Feature("f", {}), ids) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("how do I parse JSON", ("15", "5", "no", "Latin", "yes")),
        ("红色连衣裙", ("5", None, "no", "Han", "no")),
        ("怎么退货 iPhone 15", ("12", None, "yes", "mixed", "yes")),
        ("？", ("1", "1", "no", "none", "yes")),
        ("", ("0", "0", "no", "none", "no")),
        ("ひらがな漢字", ("6", None, "no", "Kana", "no")),
        ("ｉｐｈｏｎｅ　１５", ("8", "2", "yes", "Latin", "no")),
        ("Москва 2024", ("10", "2", "yes", "Cyrillic", "no")),
        ("whatever works", ("13", "2", "no", "Latin", "no")),
    ],
)
def test_features_of_texts(text: str, wanted: tuple[str | None, ...]) -> None:
    found = text_features({"q": text})
    assert tuple(one.get("q") for one in found.values()) == wanted


def test_words_of_one_han_character_and_of_latin() -> None:
    assert words_of("鞋") == {"鞋"}
    assert words_of("Nike AIR 运动鞋") == {"nike", "air", "运动", "动鞋"}


def test_a_planted_slice_is_found_and_named_simply() -> None:
    found = find_slices(CHANGES, {"tier": TIERS, "other": MIXED}, depth=3)
    (one,) = found.slices
    assert one.where() == "tier = tail"
    assert (one.verdict, len(one.queries), one.by) == ("loses", 60, ("tier",))
    assert one.interval[0] < one.difference < one.interval[1] < 0 < one.rest
    assert [change for _, change in one.examples] == [-0.5] * 5
    assert one.tested in (60, sum(1 for _ in one.queries))
    assert "where tail" not in found.to_text()
    assert "--by tier" in found.to_text()
    assert "--by tier" in found.to_text(language="zh")


def test_worse_than_elsewhere_is_not_a_loss() -> None:
    better = {query: change + 0.6 for query, change in CHANGES.items()}
    assert not find_slices(better, {"tier": TIERS}).tested
    near = {query: change + 0.26 for query, change in CHANGES.items()}
    for each in find_slices(near, {"tier": TIERS, "other": MIXED}).tested:
        assert each.verdict != "loses"


def test_a_loss_that_is_everywhere_is_no_slice() -> None:
    chance = np.random.default_rng(3)
    changes = {query: float(chance.normal(-0.3, 0.1)) for query in IDS}
    found = find_slices(changes, {"tier": TIERS, "other": MIXED})
    assert not found.slices
    assert "No slice" in found.to_text()
    assert "没有切片" in found.to_text(language="zh") or "没有可检验" in found.to_text(
        language="zh"
    )


@pytest.mark.parametrize("count", [0, 6, 20, 39])
def test_few_queries_say_that_they_are_too_few(count: int) -> None:
    changes = {query: CHANGES[query] for query in IDS[30 : 30 + count]}
    found = find_slices(changes, {"tier": TIERS})
    assert not found.tested
    assert [one.kind for one in found.notes][:1] == ["slices-too-few-queries"]
    assert f"{count} quer" in found.notes[0].text()


@pytest.mark.parametrize("value", [0.0, -0.25, 1e300, -1e-300])
def test_equal_changes_have_no_slice(value: float) -> None:
    found = find_slices(dict.fromkeys(IDS, value), {"tier": TIERS})
    assert not found.slices
    assert found.to_dict()["slices"] == []


def test_columns_that_say_nothing_are_left_out_with_their_reason() -> None:
    columns = {
        "same": dict.fromkeys(IDS, "x"),
        "id": {query: f"text {query}" for query in IDS},
        "tier": TIERS,
    }
    found = find_slices(CHANGES, columns)
    assert found.left_out == {"same": "constant", "id": "unique"}
    assert {one.kind for one in found.notes} == {"slices-left-out"}
    assert found.features == ("tier",)


def runs(count: int = 60) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    judgments = {f"q{n}": {"a": 2, "b": n % 2, "c": 0} for n in range(count)}
    chance = np.random.default_rng(0)
    run = {query: dict(zip("abc", chance.random(3).tolist(), strict=True)) for query in judgments}
    return judgments, run


def test_a_column_that_is_a_runs_value_is_never_a_feature() -> None:
    judgments, old = runs()
    new = runs()[1] | {"q0": {"c": 1.0}}
    comparison = relyon.compare(judgments, old, new, "ndcg@10", names=["old", "new"])
    values = {query: pair[0] for query, pair in comparison.own_values("new", "ndcg@10").items()}
    columns = {"old": values, "rank": {q: round(100 - 50 * v, 1) for q, v in values.items()}}
    found = relyon.find_slices(
        comparison, {**columns, "parity": {q: int(q[1:]) % 2 for q in values}}
    )
    assert found.left_out == {"old": "run-value", "rank": "run-value"}
    assert "regression to the mean" in found.notes[0].text()
    assert set(found.features) >= {"parity", "relevant"}


def test_of_a_measure_of_which_lower_is_better_a_rise_is_a_loss() -> None:
    old = {"rbp_residual": dict.fromkeys(IDS, 0.0)}
    new = {"rbp_residual": {query: -change for query, change in CHANGES.items()}}
    comparison = relyon.compare_values({"old": old, "new": new})
    (one,) = relyon.find_slices(comparison, {"tier": TIERS}, measures="rbp_residual").slices
    assert one.difference > 0
    assert one.interval[0] > 0
    assert one.examples[0][1] == 0.5


def test_a_table_of_queries_with_texts_and_a_doubled_column() -> None:
    table = pl.DataFrame(
        {
            "query_id": [*IDS, "q1"],
            "query": ["红色 鞋" if n < 60 else "red shoes" for n in range(240)] + ["红色 鞋"],
            "tier": [TIERS[one] for one in IDS] + ["tail"],
            "two": ["x"] * 240 + ["y"],
        }
    )
    comparison = relyon.compare_values(
        {"old": {"m": dict.fromkeys(IDS, 0.0)}, "new": {"m": CHANGES}}
    )
    found = relyon.find_slices(comparison, queries=table)
    assert found.left_out["two"] == "two-values"
    (one,) = found.slices
    assert len(one.queries) == 60
    assert "红色 鞋" in found.to_text()
    assert set(found.features) >= {"tier", "script", "characters"}


def test_clusters_count_once() -> None:
    """Twelve lists of twenty copies: one cluster loses, which is no evidence for its slice."""
    clusters = {query: f"c{n // 20}" for n, query in enumerate(IDS)}
    chance = np.random.default_rng(5)
    level = chance.normal(0, 0.3, 12)
    changes = {query: float(level[n // 20]) for n, query in enumerate(IDS)}
    worst = {query: "yes" if level[n // 20] < -0.2 else "no" for n, query in enumerate(IDS)}
    assert find_slices(changes, {"worst": worst}).slices
    assert not find_slices(changes, {"worst": worst}, cluster=clusters).slices


def test_each_seed_has_its_halves_and_equal_seeds_are_equal() -> None:
    first, second, other = (find_slices(CHANGES, {"tier": TIERS}, seed=seed) for seed in (1, 1, 2))
    assert first.to_dict() == second.to_dict()
    assert first.tested[0].p_loss <= 0.05 >= other.tested[0].p_loss


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"depth": 4}, "1 to 3"),
        ({"depth": 0}, "depth"),
        ({"least": 3}, "least"),
        ({"alpha": 1.5}, "alpha"),
        ({"features": {"tier": ["a"]}}, "must be a mapping"),
        ({"features": None}, "nothing to make slices of"),
        ({"measures": "ndcg"}, "measures are those of a comparison"),
    ],
)
def test_wrong_arguments(arguments: dict[str, object], said: str) -> None:
    given = {"features": {"tier": TIERS}, **arguments}
    with pytest.raises(relyon.ParameterError, match=said):
        find_slices(CHANGES, **given)  # type: ignore[arg-type]


def test_changes_must_be_numbers() -> None:
    with pytest.raises(relyon.ParameterError, match="`q1` is not a number"):
        find_slices({"q1": "x"}, {"tier": TIERS})  # type: ignore[dict-item]
    nothing = find_slices({**CHANGES, "q0": float("nan"), "q1": float("inf")}, {"tier": TIERS})
    assert nothing.queries == 238


def test_the_tests_are_exact_in_a_small_case() -> None:
    """Of all orders of six values, 1 in 20 puts the three losses into the slice."""
    values = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
    members = np.array([[True, True, True, False, False, False]])
    found = held_out_tests(values, members, None, draws=20_000, seed=0)
    assert found.elsewhere[0] == pytest.approx(1 / 20, abs=0.005)
    assert found.loss[0] == pytest.approx(1 / 8, abs=0.008)


def test_a_predicate_that_adds_nothing_is_dropped() -> None:
    values = np.where(np.arange(200) < 50, -1.0, 0.0) + np.tile([0.1, -0.1], 100)
    always = np.ones(200, dtype=bool)
    always[199] = False
    held = np.stack([np.arange(200) < 50, always], axis=1)
    assert [one.chosen for one in candidates(Space(values, held, 10), 2, 5)] == [(0,)]


def test_ids_that_are_texts_have_features_of_texts() -> None:
    asks = ["多少钱", "怎么选", "哪个好", "会掉色吗"]
    ids = [f"跑鞋{n}{asks[n % 4] if n < 60 else '的价格'}" for n in range(240)]
    changes = {query: CHANGES[f"q{n}"] for n, query in enumerate(ids)}
    found = find_slices(changes, {"mixed": {one: f"v{n * 7 % 3}" for n, one in enumerate(ids)}})
    assert "question" in found.features
    assert [one.where() for one in found.slices] == ["question = yes"]
    query, change = found.slices[0].examples[0]
    assert f"{query} ({change:+.4f})" in found.to_text().replace("\n  ", " ")
    assert f"{query} {query}" not in found.to_text()
    assert f"--query-id '{query}'" in found.to_text()
    numbers = {f"q{n}": one for n, one in enumerate(changes.values())}
    assert "question" not in find_slices(numbers, {"mixed": MIXED}).features


@pytest.mark.long
@pytest.mark.parametrize(("pooled", "used"), [("both", True), ("baseline", False)])
def test_the_share_judged_is_no_feature_if_it_is_that_of_one_run(pooled: str, used: bool) -> None:
    """A pool of the baseline alone: the candidate loses where it ranks other documents."""
    chance = np.random.default_rng(7)
    judgments: dict[str, dict[str, int]] = {}
    runs: list[dict[str, dict[str, float]]] = [{}, {}]
    for number in range(120):
        query = f"q{number}"
        truth = chance.normal(0, 1, 30)
        for run in runs:
            scores = truth + chance.normal(0, 1, 30)
            best = np.argsort(-scores)[:12]
            run[query] = {f"d{one}": float(scores[one]) for one in best}
        known = [*runs[0][query]][: 10 if pooled == "baseline" else 6]
        known += [*runs[1][query]][:6] if pooled == "both" else []
        judgments[query] = {one: int(truth[int(one[1:])] > 0.5) for one in known}
    comparison = relyon.compare(judgments, runs[0], runs[1], "ndcg@10")
    found = relyon.find_slices(comparison)
    assert ("judged" in found.features) is used
    assert found.left_out.get("judged") == (None if used else "one-sided")
    assert [note.key for note in found.notes if "one-sided" in note.key] == (
        [] if used else ["slices-left-out.one-sided"]
    )


def test_a_comparison_without_a_measure_of_quality_has_no_slices() -> None:
    judgments = {f"q{n}": {"a": n % 2} for n in range(50)}
    run = {query: {"a": 1.0, "b": 0.5} for query in judgments}
    comparison = relyon.compare(judgments, run, run, "num_ret")
    with pytest.raises(relyon.ParameterError, match="no measure of the comparison"):
        relyon.find_slices(comparison, {"x": dict.fromkeys(judgments, "y")})
