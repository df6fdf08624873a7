"""Breakdowns of a comparison by columns of its queries."""

from __future__ import annotations

import json
import math
import runpy
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import relyon
from relyon.analysis.comparison.breakdowns.breakdown import Breakdown
from relyon.analysis.statistics import adjust, groups

Column = Mapping[str, str]

MEASURES = ["ndcg@10", "recall@3", "rr", "num_rel_ret", "rbp_residual", "judged@10", "pnr"]


def collection(
    queries: int, *, bad: int = 3, seed: int = 1, loss: float = 1.5
) -> tuple[relyon.Judgments, list[relyon.Run]]:
    """Judgments and two runs, of which the second is worse on every `bad`-th query."""
    chance = np.random.default_rng(seed)
    names, documents, grades = [], [], []
    scores: tuple[list[float], list[float]] = ([], [])
    for number in range(queries):
        grade = chance.integers(0, 4, 12) * (chance.random(12) < 0.5)
        grade[0] = 2
        names += [f"q{number}"] * 12
        documents += [f"d{place}" for place in range(12)]
        grades += grade.tolist()
        sign = -loss if number % bad == 0 else 0.6
        scores[0].extend((grade + chance.normal(0, 1.5, 12)).tolist())
        scores[1].extend((grade * (1 + sign) + chance.normal(0, 1.5, 12)).tolist())
    judgments = relyon.Judgments.from_arrays(names, documents, grades)
    runs = [
        relyon.Run.from_arrays(names, documents, own, name=name)
        for name, own in zip(("old", "new"), scores, strict=True)
    ]
    return judgments, runs


def column(queries: int, bad: int = 3, without: Sequence[int] = ()) -> Column:
    return {
        f"q{number}": "zh" if number % bad == 0 else "en"
        for number in range(queries)
        if number not in without
    }


def of_values(
    differences: Mapping[str, float], by: Mapping[str, Column], name: str = "m", **options: object
) -> relyon.Comparison:
    """Compares a run whose values are 0.5 with one that differs from it."""
    old = {name: dict.fromkeys(differences, 0.5)}
    new = {name: {query: 0.5 + one for query, one in differences.items()}}
    return relyon.compare_values({"old": old, "new": new}, by=by, **options)  # type: ignore[arg-type]


def same(one: object, other: object) -> bool:
    """Whether two values are equal, NaN and numbers by name among them."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other


#: What the correction over all values changes.
CORRECTED = {"p_adjusted", "verdict", "left_out"}


@pytest.mark.parametrize("cluster", [False, True], ids=["queries", "clusters"])
def test_a_value_is_a_comparison_of_only_its_queries(cluster: bool) -> None:
    judgments, runs = collection(40)
    by = {"language": column(40, without=[1, 2])}
    groups = {f"q{n}": f"c{n // 2}" for n in range(40)} if cluster else None
    whole = relyon.compare(judgments, runs[0], runs[1], MEASURES, by=by, cluster=groups)
    (breakdown,) = whole.breakdowns
    assert [one.kind for one in breakdown.groups] == ["value", "value", "none"]
    for group in breakdown.groups:
        kept = set(group.queries)
        rows = [
            (query, document, grade)
            for query, documents in judgments.to_dict().items()
            for document, grade in documents.items()
            if query in kept
        ]
        part = relyon.Judgments.from_arrays(*zip(*rows, strict=True))
        old, new = (
            {q: documents for q, documents in run.to_dict().items() if q in kept} for run in runs
        )
        alone = relyon.compare(
            part,
            old,
            new,
            MEASURES,
            names=["old", "new"],
            cluster=groups,
        )
        for measure in whole.measures:
            (found,) = [one.contrast for one in breakdown.of("new", measure) if one.group == group]
            wanted = alone.contrast("new", measure)
            for one in fields(found):
                if one.name not in CORRECTED:
                    assert same(getattr(found, one.name), getattr(wanted, one.name)), (
                        measure,
                        one.name,
                    )


def test_a_value_of_repeated_runs_is_that_of_its_queries() -> None:
    chance = np.random.default_rng(3)
    by = column(30)

    def system(shift: float) -> list[dict[str, dict[str, float]]]:
        return [
            {
                "m": {
                    q: shift + float(one)
                    for q, one in zip(by, chance.normal(0, 0.1, 30), strict=True)
                }
            }
            for _ in range(3)
        ]

    systems = {"old": system(0.5), "new": system(0.55)}
    whole = relyon.compare_values(systems=systems, by={"language": by})
    for one in whole.breakdowns[0].parts:
        kept = set(one.group.queries)
        alone = relyon.compare_values(
            systems={
                name: [{"m": {q: v for q, v in run["m"].items() if q in kept}} for run in runs]
                for name, runs in systems.items()
            }
        ).contrasts[0]
        assert one.contrast.interval == alone.interval
        assert one.contrast.p == alone.p
        assert one.contrast.repeats is not None
        assert alone.repeats is not None
        assert one.contrast.repeats.to_dict() == alone.repeats.to_dict()


def test_a_pooled_auc_is_that_of_the_queries_of_a_value() -> None:
    chance = np.random.default_rng(2)
    labels = chance.integers(0, 2, 400)
    queries = np.repeat(np.arange(40), 10)
    scores = [labels + chance.normal(0, 1.2, 400), labels + chance.normal(0, 0.9, 400)]
    value = {f"{n}": "a" if n % 2 else "b" for n in range(40)}

    def evaluated(kept: np.ndarray) -> list[relyon.Results]:
        return [
            relyon.evaluate_scores(
                labels[kept], one[kept], [f"{n}" for n in queries[kept]], ["auc", "gauc"], name=name
            )
            for name, one in zip(("old", "new"), scores, strict=True)
        ]

    every = relyon.compare_results(evaluated(labels >= 0), by={"column": value})
    for name, rest in (("a", 1), ("b", 0)):
        alone = relyon.compare_results(evaluated(queries % 2 == rest))
        for measure in every.measures:
            (found,) = [
                one.contrast for one in every.breakdowns[0].of("new", measure)
                if one.group.value == name
            ]  # fmt: skip
            wanted = alone.contrast("new", measure)
            assert found.difference == pytest.approx(wanted.difference, abs=1e-12)
            assert found.interval == pytest.approx(wanted.interval, abs=1e-12)
            assert found.p == wanted.p


def test_p_values_are_corrected_over_all_values_columns_measures_and_candidates() -> None:
    judgments, runs = collection(40)
    third = relyon.Run.from_dict(runs[0].to_dict(), name="third")
    by = {
        "language": column(40),
        "tier": column(40, bad=4),
        "few": {"q0": "x", "q1": "y", "q2": "y"},
    }
    found = relyon.compare(
        judgments, runs[0], [runs[1], third], ["ndcg@10", "rr", "judged@10"], by=by
    )
    parts = [one for each in found.breakdowns for one in each.parts if one.contrast.tested]
    counted = [one for one in parts if not one.contrast.few]
    assert {one.group.value for one in parts if one.contrast.few} == {"x", "y"}
    assert all(math.isnan(one.contrast.p_adjusted) for one in parts if one.contrast.few)
    assert [one.contrast.p_adjusted for one in counted] == pytest.approx(
        adjust([one.contrast.p for one in counted], "holm")
    )
    assert {one.corrected for one in found.breakdowns} == {len(counted)}
    assert len(counted) == (2 + 2 + 1) * 2 * 2
    untested = [one for each in found.breakdowns for one in each.parts if not one.contrast.tested]
    assert {one.contrast.measure for one in untested} == {"judged@10"}
    assert all(math.isnan(one.shrunken) for one in untested)


def test_a_loss_that_the_whole_does_not_show_comes_first() -> None:
    judgments, runs = collection(60, loss=1.2)
    found = relyon.compare(judgments, runs[0], runs[1], ["ndcg@10"], by={"language": column(60)})
    (breakdown,) = found.breakdowns
    assert found.contrast("new", "ndcg@10").verdict != "worse"
    (loss,) = breakdown.losses("new")
    assert loss.group.value == "zh"
    assert loss.contrast.verdict == "worse"
    assert breakdown.losses("other") == ()
    first = found.to_text().split("\n\n")[1]
    assert first.startswith("▼ new loses where language = zh: ndcg@10 -")
    assert (
        found.to_text(language="zh")
        .split("\n\n")[1]
        .startswith("▼ new 在 language = zh 的查询上变差")
    )
    spread = breakdown.spread("new", "ndcg@10")
    assert spread is not None
    assert spread.significant
    assert "differ from each other by more than chance" in found.to_text()


def test_a_loss_of_the_whole_does_not_come_twice() -> None:
    differences = {f"q{n}": -0.1 - 0.01 * (n % 5) for n in range(40)}
    found = of_values(differences, {"language": column(40)})
    assert found.contrasts[0].verdict == "worse"
    assert found.to_text().split("\n\n")[1].startswith("A = old, B = new")
    assert "new loses where language = zh" in found.to_text()


def test_without_a_loss_the_largest_is_said_to_be_chance() -> None:
    chance = np.random.default_rng(4)
    differences = {f"q{n}": float(one) for n, one in enumerate(chance.normal(0, 0.1, 48))}
    found = of_values(differences, {"tier": {f"q{n}": f"t{n % 6}" for n in range(48)}})
    text = " ".join(found.to_text().split())
    assert "tier: no value shows a loss, p ≤ 0.05 after Holm over 6 tests." in text
    assert "It could be chance." in text
    assert "differ from each other is not shown" in text
    assert "可能只是偶然" in found.to_text(language="zh")


@pytest.mark.parametrize(
    ("differences", "said"),
    [
        ({f"q{n}": 0.1 + 0.01 * (n % 3) for n in range(20)}, "has a loss"),
        ({f"q{n}": -0.1 for n in range(5)}, "no value has six queries or more"),
        (dict.fromkeys([f"q{n}" for n in range(20)], 0.0), "cannot be tested"),
    ],
    ids=["gains", "few", "equal"],
)
def test_what_is_said_of_corners(differences: Mapping[str, float], said: str) -> None:
    found = of_values(differences, {"language": column(len(differences), bad=2)})
    assert said in " ".join(found.to_text().split())
    assert not found.breakdowns[0].losses()


@pytest.fixture
def bad_share(own_measures: None) -> str:
    """A measure of which lower values are better."""
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "examples" / "bad_share.py"))
    return "bad_share@2"


def test_lower_is_better(bad_share: str) -> None:
    differences = {f"q{n}": (0.1 if n % 3 == 0 else -0.05) + 0.002 * (n % 7) for n in range(60)}
    found = of_values(differences, {"language": column(60)}, bad_share)
    (loss,) = found.breakdowns[0].losses()
    assert loss.contrast.difference > 0
    assert loss.gain < 0
    assert loss.group.value == "zh"
    (gain,) = found.breakdowns[0].gains()
    assert gain.group.value == "en"


def test_sums_are_shrunken_per_query() -> None:
    judgments, runs = collection(60)
    cut = {q: dict(sorted(d.items(), key=lambda one: -one[1])[:5])
           for q, d in runs[1].to_dict().items()}  # fmt: skip
    found = relyon.compare(
        judgments, runs[0], cut, ["num_rel_ret"], names=["old", "new"], by={"language": column(60)}
    )
    parts = found.breakdowns[0].of("new", "num_rel_ret")
    whole = found.contrast("new", "num_rel_ret")
    assert sum(one.contrast.difference for one in parts) == whole.difference
    for one in parts:
        own = one.contrast.difference / one.contrast.queries
        low, high = sorted((own, whole.difference / whole.queries))
        assert low - 1e-9 <= one.shrunken / one.contrast.queries <= high + 1e-9


def test_whether_values_differ_is_tested_by_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs that do not differ, in clusters that are alike: values are made of whole clusters.

    Counted as single queries, chance between the clusters would look like a spread of the values.
    """
    monkeypatch.setattr(groups, "DRAWS", 199)
    queries = [f"q{place}" for place in range(144)]
    intents = {query: f"intent {place // 6}" for place, query in enumerate(queries)}
    tiers = {"tier": {query: f"tier {place // 48}" for place, query in enumerate(queries)}}
    chance = np.random.default_rng(17)
    alarms = {None: 0, "clusters": 0}
    for _ in range(25):
        moved = chance.normal(0, 0.08, 24).repeat(6) + chance.normal(0, 0.05, 144)
        differences = dict(zip(queries, moved.tolist(), strict=True))
        for name, cluster in ((None, None), ("clusters", intents)):
            found = of_values(differences, tiers, cluster=cluster, resamples=99)
            alarms[name] += found.breakdowns[0].spreads[0].p <= 0.05
    assert alarms["clusters"] <= 4
    assert alarms[None] >= 6
    alone = of_values(differences, {"intent": intents}, cluster=intents, resamples=99)
    assert math.isnan(alone.breakdowns[0].spreads[0].p), "each value is a single cluster"


def test_tukeys_test_is_fishers_for_values() -> None:
    judgments, runs = collection(30)
    third = relyon.Run.from_dict(runs[0].to_dict(), name="third")
    found = relyon.compare(judgments, runs[0], [runs[1], third], ["rr"], test="tukey",
                           by={"language": column(30)}, resamples=500)  # fmt: skip
    assert {one.test for one in found.contrasts} == {"tukey"}
    assert {one.contrast.test for one in found.breakdowns[0].parts} == {"permutation"}
    assert "Fisher's randomisation test" in " ".join(found.to_text().split())


def test_margins_are_those_of_each_value() -> None:
    differences = {f"q{n}": (-0.02 if n % 3 == 0 else 0.0) + 0.001 * (n % 5 - 2) for n in range(60)}
    found = of_values(differences, {"language": column(60)}, margins={"m": 0.05})
    assert {one.contrast.verdict for one in found.breakdowns[0].parts} == {"equal"}
    assert not found.breakdowns[0].losses()
    share = of_values(differences, {"language": column(60)}, margins={"m": "2%"})
    margins = [one.contrast.margin for one in share.breakdowns[0].parts]
    assert [one.size for one in margins if one is not None] == pytest.approx([0.01, 0.01])


def test_a_margin_above_the_number_of_one_value_is_no_error() -> None:
    old = {"ndcg": {f"q{n}": 0.01 if n % 3 == 0 else 0.5 for n in range(30)}}
    new = {"ndcg": {q: one + 0.001 * (int(q[1:]) % 5) for q, one in old["ndcg"].items()}}
    found = relyon.compare_values(
        {"old": old, "new": new}, margins={"ndcg": 0.05}, by={"language": column(30)}
    )
    assert len(found.breakdowns[0].parts) == 2


@pytest.mark.parametrize(
    ("values", "hint"),
    [
        ([f"text {n}" for n in range(40)], "such as a language or tier"),
        ([f"{n * 0.5}" for n in range(40)], "put the numbers into bins"),
        ([f"{n % 52}" for n in range(110)], "put the numbers into bins"),
    ],
    ids=["texts", "numbers", "52 numbers"],
)
def test_columns_of_ids_and_numbers_are_refused(values: list[str], hint: str) -> None:
    names = [f"q{n}" for n in range(len(values))]
    with pytest.raises(relyon.ParameterError, match="the column `c` has") as caught:
        of_values(dict.fromkeys(names, 0.1), {"c": dict(zip(names, values, strict=True))})
    assert hint in str(caught.value.hint)


def test_of_many_values_the_rarest_are_one_row() -> None:
    sizes = [12 - min(n, 9) for n in range(24)]
    column = [f"v{n:02}" for n, size in enumerate(sizes) for _ in range(size)]
    names = [f"q{n}" for n in range(len(column))]
    differences = {name: 0.01 * (place % 7 - 3) for place, name in enumerate(names)}
    found = of_values(differences, {"c": dict(zip(names, column, strict=True))})
    groups = found.breakdowns[0].groups
    assert [one.kind for one in groups] == ["value"] * 19 + ["others"]
    assert [len(one.queries) for one in groups[:-1]] == sorted(sizes, reverse=True)[:19]
    assert groups[-1].values == 5
    assert sum(len(one.queries) for one in groups) == len(names)
    assert "(5 other values)" in found.to_text()
    assert "（其余 5 个取值）" in found.to_text(language="zh")


def shuffled(comparison: relyon.Comparison) -> dict[str, object]:
    found = comparison.to_dict()
    return {name: found[name] for name in ("contrasts", "breakdowns")}


def test_the_order_of_queries_does_not_matter() -> None:
    chance = np.random.default_rng(5)
    differences = {f"q{n}": float(one) for n, one in enumerate(chance.normal(0, 0.1, 40))}
    turned = dict(reversed(differences.items()))
    by, back = column(40), dict(reversed(list(column(40).items())))
    first, second = of_values(differences, {"c": by}), of_values(turned, {"c": back})
    assert shuffled(first) == shuffled(second)


def test_without_columns_nothing_is_added() -> None:
    differences = {f"q{n}": 0.01 * (n % 3) for n in range(10)}
    found = of_values(differences, {})
    assert found.breakdowns == ()
    assert "breakdowns" not in found.to_dict()
    assert "column" not in found.to_csv().splitlines()[0]
    assert list(found.excel_frames()) == ["summary", "per_query"]


def test_exports() -> None:
    judgments, runs = collection(40)
    found = relyon.compare(
        judgments, runs[0], runs[1], ["ndcg@10", "rr"], by={"language": column(40)}
    )
    (breakdown,) = found.breakdowns
    (stored,) = json.loads(found.to_json())["breakdowns"]
    assert stored["column"] == "language"
    assert [one["value"] for one in stored["groups"]] == ["en", "zh"]
    assert len(stored["parts"]) == 4
    assert {"difference", "p_adjusted", "shrunken", "few", "verdict"} <= stored["parts"][0].keys()
    assert [one["measure"] for one in stored["spreads"]] == ["ndcg@10", "rr"]
    head, *rows = found.to_csv().splitlines()
    assert head.startswith("column,kind,value,values,measure,")
    assert [one.split(",")[:3] for one in rows] == [
        ["", "whole", ""],
        ["", "whole", ""],
        ["language", "value", "en"],
        ["language", "value", "zh"],
        ["language", "value", "en"],
        ["language", "value", "zh"],
    ]
    assert list(found.excel_frames()) == ["summary", "per_query", "breakdowns"]
    assert isinstance(breakdown, Breakdown)
    assert breakdown.to_frame().height == 4
    assert found.to_xlsx()[:2] == b"PK"
    assert "| language | n | A | B - A |" in found.to_markdown()


def test_a_loss_of_all_queries_that_no_value_shows_alone_is_not_called_chance() -> None:
    differences = {f"q{n}": -0.06 + 0.2 * math.sin(n) for n in range(50)}
    found = of_values(differences, {"c": {f"q{n}": f"v{n % 5}" for n in range(50)}})
    assert found.contrasts[0].verdict == "worse"
    assert found.breakdowns[0].losses() == ()
    text = " ".join(found.to_text().split())
    assert "no value shows a loss by itself" in text
    assert "could be chance" not in text
