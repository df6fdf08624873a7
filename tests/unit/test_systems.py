"""Systems with repeated runs: means by query, notes, tables, and what p-values count."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.conftest import Command

import relyon
from relyon.core.errors import InputError, ParameterError

Judgments = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

MEASURES = ["ndcg@10", "pnr", "num_rel_ret", "ap"]
QUERIES = 14


def judged(queries: int = QUERIES) -> Judgments:
    """Makes judgments of eight documents per query."""
    random = np.random.default_rng(7)
    return {
        f"q{n:02}": {f"d{place}": int(random.integers(0, 4)) for place in range(8)}
        for n in range(queries)
    }


def run_of(judgments: Judgments, strength: float, seed: int, depth: int = 8) -> Run:
    """Makes a run that prefers what is relevant."""
    random = np.random.default_rng(seed)
    found = {}
    for query, grades in judgments.items():
        scores = {doc: strength * grade + random.normal() for doc, grade in grades.items()}
        kept = sorted(scores, key=lambda doc: -scores[doc])[:depth]
        found[query] = {doc: float(scores[doc]) for doc in kept}
    return found


def systems_of(judgments: Judgments, sizes: tuple[int, int] = (3, 2)) -> dict[str, list[Run]]:
    return {
        "A": [run_of(judgments, 0.5, seed) for seed in range(sizes[0])],
        "B": [run_of(judgments, 1.0, 100 + seed) for seed in range(sizes[1])],
    }


@pytest.fixture(name="judgments")
def judgments_fixture() -> Judgments:
    return judged()


def written(comparison: relyon.Comparison) -> tuple[str, str, str, str]:
    return (
        comparison.to_json(),
        comparison.to_text(columns=80),
        comparison.to_markdown(language="zh"),
        comparison.to_csv(),
    )


def test_systems_of_one_run_each_are_runs_to_the_byte(judgments: Judgments) -> None:
    old, new = run_of(judgments, 0.5, 1), run_of(judgments, 1.0, 2)
    plain = relyon.compare(judgments, old, new, MEASURES, names=["A", "B"])
    found = relyon.compare(judgments, measures=MEASURES, systems={"A": [old], "B": [new]})
    assert written(found) == written(plain)
    assert found.systems == ()
    results = [relyon.evaluate(judgments, one, MEASURES) for one in (old, new)]
    again = relyon.compare_results(systems={"A": results[:1], "B": results[1:]})
    assert json.loads(again.to_json())["contrasts"] == json.loads(plain.to_json())["contrasts"]
    values = {name: {"m": {"a": 0.1, "b": 0.4}} for name in ("A", "B")}
    listed = {name: [one] for name, one in values.items()}
    with pytest.warns(relyon.RelyonWarning):
        assert written(relyon.compare_values(systems=listed)) == written(
            relyon.compare_values(values)
        )


def test_a_query_counts_as_the_mean_over_runs(judgments: Judgments) -> None:
    systems = systems_of(judgments)
    found = relyon.compare(judgments, measures=["ndcg@10", "num_rel_ret"], systems=systems)
    for measure in ("ndcg@10", "num_rel_ret"):
        sides = [
            [
                relyon.evaluate(judgments, one, [measure]).values_by_query(measure)
                for one in systems[name]
            ]
            for name in ("A", "B")
        ]
        for query, both in found.own_values("B", measure).items():
            expected = [math.fsum(one[query] for one in side) / len(side) for side in sides]
            assert both == pytest.approx(expected)


def test_a_ratio_of_sums_is_that_of_all_runs(judgments: Judgments) -> None:
    """The number of PNR is the positive pairs of all runs over their negative pairs."""
    systems = systems_of(judgments)
    found = relyon.compare(judgments, measures=["pnr"], systems=systems).contrasts[0]
    for name, number in (("A", found.baseline_mean), ("B", found.candidate_mean)):
        parts = [relyon.evaluate(judgments, one, ["pnr"]).parts("pnr") for one in systems[name]]
        above, below = (
            math.fsum(math.fsum(np.asarray(one[side]).tolist()) for one in parts) for side in (0, 1)
        )
        assert number == pytest.approx(above / below)
    assert found.repeats is not None
    assert not found.repeats.included
    assert found.repeats.baseline.means == pytest.approx(
        [relyon.evaluate(judgments, one, ["pnr"])["pnr"] for one in systems["A"]]
    )


def planted(
    seed: int, runs: tuple[int, int], run: float, queries: int = 20
) -> dict[str, list[Mapping[str, Mapping[str, float]]]]:
    """Draws values of two equal systems whose runs differ by what all queries share."""
    random = np.random.default_rng(seed)
    query = random.normal(0.5, 0.1, queries)
    found: dict[str, list[Mapping[str, Mapping[str, float]]]] = {}
    for name, count in zip("AB", runs, strict=True):
        own = query + random.normal(0, 0.03, queries)
        rows = own + random.normal(0, run, (count, 1)) + random.normal(0, 0.02, (count, queries))
        found[name] = [
            {"m": {f"q{n:03}": float(value) for n, value in enumerate(row)}} for row in rows
        ]
    return found


def test_p_and_interval_count_what_the_runs_share() -> None:
    """By hand: V = V_q + V_r - V_c, with Satterthwaite's degrees of freedom."""
    from scipy import stats

    given_values = planted(3, (3, 4), run=0.05)
    one = relyon.compare_values(systems=given_values).contrasts[0]
    rows = [np.array([[*each["m"].values()] for each in runs]) for runs in given_values.values()]
    differences = rows[1].mean(axis=0) - rows[0].mean(axis=0)
    count = len(differences)
    by_query = differences.var(ddof=1) / count
    shared = [side.mean(axis=1).var(ddof=1) / len(side) for side in rows]
    left = [
        side - side.mean(axis=0) - side.mean(axis=1, keepdims=True) + side.mean() for side in rows
    ]
    freedoms = [(len(side) - 1) * (count - 1) for side in rows]
    noise = [
        (one_left**2).sum() / freedom / count / len(one_left)
        for one_left, freedom in zip(left, freedoms, strict=True)
    ]
    excess = sum(shared) - sum(noise)
    assert excess > 0
    variance = by_query + excess
    parts = by_query**2 / (count - 1)
    parts += sum(value**2 / (len(side) - 1) for value, side in zip(shared, rows, strict=True))
    parts += sum(value**2 / freedom for value, freedom in zip(noise, freedoms, strict=True))
    freedom = variance**2 / parts
    t = differences.mean() / math.sqrt(variance)
    assert one.statistics["degrees_of_freedom"] == pytest.approx(freedom)
    assert one.statistics["t"] == pytest.approx(t)
    assert one.p == pytest.approx(2 * stats.t.sf(abs(t), freedom))
    half = stats.t.ppf(0.975, freedom) * math.sqrt(variance)
    assert one.interval == pytest.approx((differences.mean() - half, differences.mean() + half))
    assert one.repeats is not None
    assert one.repeats.excess == pytest.approx(excess)
    widths = one.repeats.half_widths
    assert widths is not None
    assert widths[0] == pytest.approx(half)
    assert one.p_values["permutation"] < one.p


def test_without_a_run_effect_the_test_is_that_over_queries() -> None:
    """Where the runs' means differ by less than noise explains, p is that of the means."""
    found = 0
    for seed in range(20):
        given_values = planted(seed, (3, 3), run=0.0)
        one = relyon.compare_values(systems=given_values).contrasts[0]
        means = {
            name: {
                "m": {
                    query: math.fsum(run["m"][query] for run in runs) / 3 for query in runs[0]["m"]
                }
            }
            for name, runs in given_values.items()
        }
        plain = relyon.compare_values(means).contrasts[0]
        assert one.repeats is not None
        if not one.repeats.excess:
            found += 1
            assert (one.p, one.interval, one.detectable) == (
                plain.p, plain.interval, plain.detectable,
            )  # fmt: skip
        else:
            assert one.p > plain.p
    assert 3 <= found <= 17


def test_clusters_and_margins_count_what_the_runs_share() -> None:
    """The error of clusters takes the place of that of queries, and a margin moves the mean."""
    from scipy import stats

    from relyon.analysis.statistics import ClusteredMean
    from relyon.analysis.statistics.components import RunEffect, RunSpread

    given_values = planted(3, (3, 4), run=0.05)
    queries = [*given_values["A"][0]["m"]]
    clusters = {query: f"c{place // 3}" for place, query in enumerate(queries)}
    found = relyon.compare_values(systems=given_values, cluster=clusters, margins={"m": 0.2})
    one = found.contrasts[0]
    rows = [np.array([[*each["m"].values()] for each in runs]) for runs in given_values.values()]
    differences = rows[1].mean(axis=0) - rows[0].mean(axis=0)
    groups = np.array([place // 3 for place in range(len(queries))])
    mean = ClusteredMean.of(differences, groups)
    effect = RunEffect.of(*(RunSpread.of(side) for side in rows))
    assert effect is not None
    assert effect.excess > 0
    variance, freedom = effect.added_to(mean.error**2, mean.degrees)
    assert one.test == "t"
    assert one.p == pytest.approx(2 * stats.t.sf(abs(mean.value) / math.sqrt(variance), freedom))
    assert one.margin is not None
    gain = mean.value + 0.2
    expected = 2 * stats.t.sf(abs(gain) / math.sqrt(variance), freedom) if gain > 0 else 1.0
    assert one.margin.p_not_worse == pytest.approx(expected)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.permutations(range(3)), st.permutations(range(4)))
def test_the_order_of_runs_and_queries_does_not_matter(
    seed: int, first: list[int], second: list[int]
) -> None:
    given_values = planted(seed, (3, 4), run=0.02, queries=9)
    moved = {
        name: [{"m": dict(reversed([*given_values[name][place]["m"].items()]))} for place in order]
        for name, order in (("A", first), ("B", second))
    }
    one, other = (
        relyon.compare_values(systems=values, resamples=200).contrasts[0]
        for values in (given_values, moved)
    )
    left, right = one.to_dict(), other.to_dict()
    for found in (left, right):
        for side in ("baseline", "candidate"):
            found["repeats"][side].pop("means")  # type: ignore[index]
    assert left == right


def test_a_system_split_in_two_is_seldom_better_than_itself() -> None:
    verdicts = []
    for seed in range(150):
        runs = planted(seed, (4, 1), run=0.05)["A"]
        one = relyon.compare_values(systems={"A": runs[:2], "B": runs[2:]}).contrasts[0]
        verdicts.append(one.verdict)
    assert verdicts.count("undecided") >= 135


def test_a_query_that_a_run_lacks_is_left_out_of_all(judgments: Judgments) -> None:
    systems = systems_of(judgments)
    del systems["A"][1]["q03"]
    with pytest.warns(relyon.RelyonWarning, match="missing in some of the runs"):
        found = relyon.compare(
            judgments, measures=["ndcg@10"], systems=systems, convention={"missing": "skip"}
        )
    assert "q03" not in found.queries
    assert found.contrasts[0].queries == QUERIES - 1
    note = next(one for one in found.notes if one.kind == "repeats-lack-queries")
    assert (note.run, note.examples, note.count) == ("A", ("q03",), 1)
    kept = relyon.compare(judgments, measures=["ndcg@10"], systems=systems)
    assert kept.contrasts[0].queries == QUERIES


def test_runs_without_a_common_query_are_an_error() -> None:
    runs = [{"m": {"a": 0.1}}, {"m": {"b": 0.1}}]
    with pytest.raises(InputError, match="no query in common"):
        relyon.compare_values(systems={"A": runs, "B": runs[:1]})


def test_the_same_run_twice_is_a_warning(judgments: Judgments) -> None:
    first, second = run_of(judgments, 0.5, 1), run_of(judgments, 1.0, 2)
    with pytest.warns(relyon.RelyonWarning, match="same values"):
        found = relyon.compare(
            judgments, measures=["ap"], systems={"A": [first, dict(first)], "B": [second]}
        )
    kinds = [note.kind for note in found.notes]
    assert "repeats-alike" in kinds
    assert "single-run-of-system" in kinds


def test_a_run_effect_outside_p_is_a_warning() -> None:
    given_values = planted(5, (3, 3), run=0.1)
    counted = relyon.compare_values(systems=given_values)
    assert not any(note.kind == "run-effect" for note in counted.notes)
    with pytest.warns(relyon.RelyonWarning, match="about these very runs"):
        found = relyon.compare_values(systems=given_values, test="permutation")
    assert found.contrasts[0].repeats is not None
    assert not found.contrasts[0].repeats.included


def test_lists_are_those_of_the_first_run(judgments: Judgments) -> None:
    systems = systems_of(judgments)
    found = relyon.compare(judgments, measures=["ndcg@10"], systems=systems)
    assert [one.run for one in found.results] == ["A", "B"]
    assert found.run("A")["q01"] == relyon.read_run(systems["A"][0])["q01"]
    first = relyon.evaluate(judgments, systems["B"][0], ["rr"])["rr"]
    assert found.measured("B", ["rr"])["rr"] == first
    assert [one.name for one in found.systems] == ["A", "B"]
    assert len(found.systems[0].results) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": {}, "systems": {"A": [{}], "B": [{}]}}, "one of the two"),
        ({"systems": {"A": [{}]}}, "two or more"),
        ({"systems": {"A": [], "B": [{}]}}, "has no runs"),
        ({"systems": {"A": "a.run", "B": ["b.run"]}}, "must be a list"),
        ({"systems": [["a.run"], ["b.run"]]}, "must be a mapping"),
        ({"systems": {"A": [{}], "B": [{}]}, "names": ["x", "y"]}, "names are given"),
        ({}, "two or more"),
    ],
    ids=["both", "one", "none", "text", "list", "names", "nothing"],
)
def test_what_is_wrong_with_systems_is_said(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        relyon.compare({"q": {"a": 1}}, **options)  # type: ignore[arg-type]


def test_a_pooled_auc_has_no_repeats() -> None:
    random = np.random.default_rng(0)
    labels, groups = random.integers(0, 2, 60), [6] * 10
    results = [
        relyon.evaluate_scores(
            labels, random.normal(size=60), groups, ["auc", "gauc"], name=f"r{n}"
        )
        for n in range(3)
    ]
    with pytest.raises(ParameterError, match="pools the scores"):
        relyon.compare_results(systems={"A": results[:2], "B": results[2:]})


def write(path: Path, run: Run) -> str:
    rows = [
        f"{query} Q0 {doc} {rank} {score} x\n"
        for query, scores in run.items()
        for rank, (doc, score) in enumerate(scores.items(), 1)
    ]
    path.write_text("".join(rows), encoding="utf-8")
    return str(path)


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path, judgments: Judgments) -> Path:
    rows = [f"{q} 0 {d} {g}\n" for q, grades in judgments.items() for d, g in grades.items()]
    (tmp_path / "j.qrels").write_text("".join(rows), encoding="utf-8")
    for name, runs in systems_of(judgments).items():
        for place, run in enumerate(runs, 1):
            write(tmp_path / f"{name.lower()}-{place}.run", run)
    return tmp_path


def test_the_command_line_takes_lists_patterns_and_repetitions(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    start = ["compare", "j.qrels", "-m", "ndcg@10", "--format", "json"]
    listed = ["--system", "A=a-1.run,a-2.run,a-3.run", "--system", "B=b-1.run,b-2.run"]
    whole = command(*start, *listed)
    assert command(*start, "--system", "A=a-*.run", "--system", "B=b-?.run").out == whole.out
    apart = [f"--system={one}" for one in ("A=a-1.run", "A=a-2.run,a-3.run", "B=b-*.run")]
    assert command(*start, *apart).out == whole.out
    found = json.loads(whole.out)
    assert found["systems"] == {
        "A": ["A: a-1.run", "A: a-2.run", "A: a-3.run"],
        "B": ["B: b-1.run", "B: b-2.run"],
    }
    assert found["contrasts"][0]["repeats"]["baseline"]["runs"] == 3
    shown = command("compare", "j.qrels", "-m", "ndcg@10", *listed)
    assert "Noise floor: 95% of pairs of runs" in shown.out
    assert "system × query" in shown.out


def test_a_file_with_a_comma_is_one_run(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "a-1.run").rename(folder / "a,1.run")
    start = ["compare", "j.qrels", "-m", "ap", "--format", "json", "--system", "A=a,1.run"]
    found = json.loads(command(*start, "--system", "A=a-2.run", "--system", "B=b-1.run").out)
    assert found["systems"]["A"] == ["A: a,1.run", "A: a-2.run"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["j.qrels", "--system", "A=a-1.run"], "nothing to compare it with"),
        (["j.qrels", "b-1.run", "--system", "A=a-1.run", "--system", "B=b-2.run"], "further files"),
        (["--system", "A=a-1.run", "--system", "B=b-2.run"], "judgments are missing"),
        (["j.qrels", "--system", "A=z*.run", "--system", "B=b-2.run"], "no file matches"),
        (["j.qrels", "--system", "A", "--system", "B=b-2.run"], "not a name and runs"),
        (["j.qrels", "--system", "A=a-1.run,", "--system", "B=b-2.run"], "not a name and runs"),
        (
            ["j.qrels", "--system", "A=a-1.run", "--system", "B=b-2.run", "--name", "x"],
            "does not go with --name",
        ),
    ],
    ids=["one", "both", "no-judgments", "pattern", "no-runs", "empty", "names"],
)
def test_what_is_wrong_with_the_option_is_said(
    command: Command,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(folder)
    for name in ("compare", "report", "diagnose"):
        more = ["-o", "page.html"] if name == "report" else []
        found = command(name, *arguments, *more)
        assert found.code == 2
        assert message in found.err


def test_the_report_shows_the_noise_floor_and_means(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    given_systems = ["--system", "A=a-*.run", "--system", "B=b-*.run"]
    outcome = command("report", "j.qrels", *given_systems, "-m", "ndcg@10", "-o", "page.md")
    assert outcome.code == 0
    page = (folder / "page.md").read_text("utf-8")
    assert "Noise floor" in page
    assert "first run of each system" in page
    assert command("diagnose", "j.qrels", *given_systems).code == 0


def test_a_gate_sees_queries_that_any_run_lost(
    command: Command, folder: Path, judgments: Judgments, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    run = run_of(judgments, 1.0, 101)
    del run["q05"]
    write(folder / "b-2.run", run)
    given_systems = ["--system", "A=a-*.run", "--system", "B=b-*.run"]
    gate = ["--fail-if-worse", "ndcg@10", "--set", "missing=skip"]
    found = command("compare", "j.qrels", *given_systems, *gate)
    assert found.code == 1
    assert "q05" in found.err
