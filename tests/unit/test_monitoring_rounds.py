"""Rounds of the monitor: what a session is worth, estimates, folders that notice changes."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

import relyon
from relyon.core.errors import InputError, ParameterError
from relyon.online.monitoring import read_round
from relyon.online.monitoring.domain_means import domain_mean
from relyon.online.monitoring.points import month_points
from relyon.online.sampling import Sample, draw_sample, estimate


def log(sessions: dict[str, tuple[str, list[str]]]) -> pl.DataFrame:
    """A log of sessions: (query, documents shown) by session."""
    rows = [
        {"session": session, "query": query, "position": position, "doc": doc}
        for session, (query, docs) in sessions.items()
        for position, doc in enumerate(docs, 1)
    ]
    return pl.DataFrame(rows)


SESSIONS = {
    "s1": ("tv", ["a", "b", "c"]),
    "s2": ("tv", ["b", "a"]),
    "s3": ("tv", ["x", "a"]),
    "s4": ("tv", ["a"]),
    "s5": ("pen", ["p", "q"]),
    "s6": ("pen", ["y", "z"]),
    "s7": ("ink", ["i"]),
}
GRADES = {"tv": {"a": 3, "b": 1, "c": 0, "never": 3}, "pen": {"p": 2, "q": 2}, "lamp": {"l": 1}}


def whole(k: int | dict[str, int] = 5) -> Sample:
    return draw_sample(
        log(SESSIONS), per_tier=10, tiers="count", cuts=[3], names=["head", "tail"], k=k
    )


def some(sizes: int = 3, seed: int = 0) -> Sample:
    sessions = {
        f"{query}-{number}": (query, ["a", "b"][: 1 + number % 2] if number % 3 else ["b", "a"])
        for query, count in (("tv", 30), ("pen", 9), ("ink", 8))
        for number in range(count)
    }
    return draw_sample(
        log(sessions),
        per_tier=sizes,
        tiers="count",
        cuts=[20],
        names=["head", "tail"],
        seed=seed,
        k=5,
    )


def test_values_of_sessions() -> None:
    made = relyon.create_round("2026-03", whole(), GRADES)
    found = {row["session"]: row for row in made.results.iter_rows(named=True)}
    assert found["s1"]["dcg"] == pytest.approx(3 + 1 / math.log2(3))
    assert found["s2"]["dcg"] == pytest.approx(1 + 3 / math.log2(3))
    # An unjudged document keeps its place and is worth nothing.
    assert found["s3"]["dcg"] == pytest.approx(3 / math.log2(3))
    assert (found["s3"]["shown"], found["s3"]["judged"]) == (2, 1)
    # NDCG over the retrieved does not see that `never` is missing.
    assert found["s1"]["ndcg"] == pytest.approx(1.0)
    assert found["s3"]["ndcg"] == pytest.approx(1 / math.log2(3))
    # Nothing of what they were shown is judged.
    assert (found["s6"]["dcg"], found["s7"]["dcg"], found["s7"]["ndcg"]) == (None, None, None)


def test_the_common_depth_and_that_of_a_tier() -> None:
    made = relyon.create_round("2026-03", whole(), GRADES, k={"head": 3, "tail": 1}, common_k=1)
    found = {row["session"]: row for row in made.results.iter_rows(named=True)}
    assert (found["s2"]["k"], found["s5"]["k"]) == (3, 1)
    assert found["s2"]["common_dcg"] == 1
    assert found["s5"]["dcg"] == found["s5"]["common_dcg"] == 2
    assert relyon.create_round("2026-03", whole({"head": 3, "tail": 2}), GRADES).common_k == 2


def test_a_session_without_results_counts_nothing_as_zero() -> None:
    sample = whole()
    nothing = sample.results.filter(pl.col("session") != "s4")
    sample = Sample(
        sample.sessions, nothing, sample.tiers, sample.design, sample.seed, sample.common_k
    )
    made = relyon.create_round("2026-03", sample, GRADES, convention={"missing": "skip"})
    found = {row["session"]: row for row in made.results.iter_rows(named=True)}
    assert (found["s4"]["dcg"], found["s4"]["ndcg"], found["s4"]["shown"]) == (0.0, None, 0)
    (head,) = (
        point
        for point in month_points(made, made.depths, 5, made.convention, 0.95)
        if (point.tier, point.depth) == ("head", "tier")
    )
    assert (head.empty, head.sampled, head.left_out) == (1, 4, 0)


def test_the_rules_of_the_convention_count() -> None:
    made = relyon.create_round(
        "2026-03", whole(), GRADES, convention={"gain": "exp", "ties": "rank"}
    )
    found = dict(made.results.select("session", "dcg").iter_rows())
    assert found["s2"] == pytest.approx(1 + 7 / math.log2(3))


def test_queries_that_were_not_sampled_are_left_out() -> None:
    made = relyon.create_round("2026-03", whole(), GRADES)
    assert sorted(made.judgments.queries) == ["pen", "tv"]
    assert made.judgments["tv"]["never"] == 3


def test_points_are_the_estimates_of_sampling() -> None:
    sample = some(5)
    grades = {query: {"a": 3, "b": 1} for query in ("tv", "pen", "ink")}
    made = relyon.create_round("2026-03", sample, grades)
    points = month_points(made, made.depths, 1, made.convention, 0.9)
    by_name = {(point.tier, point.depth): point for point in points}
    assert sorted(by_name) == [
        ("all", "common"),
        ("head", "common"), ("head", "tier"),
        ("tail", "common"), ("tail", "tier"),
    ]  # fmt: skip
    values = dict(made.results.select("session", "dcg").iter_rows())
    plain = estimate(sample, values, confidence=0.9)
    for tier in ("head", "tail"):
        mine, theirs = by_name[tier, "tier"].dcg, plain.per_tier[tier]
        assert mine.interval == pytest.approx(theirs.interval)
        assert mine.value == pytest.approx(theirs.value)
    at_one = {
        session: {"a": 3.0, "b": 1.0}[doc]
        for session, doc in sample.results.filter(pl.col("position") == 1)
        .select("session", "doc")
        .iter_rows()
    }
    overall = estimate(sample, at_one, confidence=0.9)
    assert by_name["all", "common"].dcg.value == pytest.approx(overall.value)
    assert by_name["all", "common"].dcg.interval == pytest.approx(overall.interval)
    assert by_name["all", "common"].judged == pytest.approx(1.0)
    assert by_name["head", "tier"].share == pytest.approx(30 / 47)


def test_a_domain_mean_is_a_ratio() -> None:
    sample = some(6)
    ids = sample.sessions.filter(pl.col("tier") == "head")["session"].to_list()
    values = dict(zip(ids[:4], [1.0, 2.0, 4.0, 5.0], strict=True))
    whole, per_tier = domain_mean(sample, values)
    assert "tail" not in per_tier
    head = per_tier["head"]
    assert (head.value, head.sampled) == (3.0, 4)
    assert whole.value == pytest.approx(3.0)
    residuals = np.array([-2, -1, 1, 2, 0, 0.0])
    error = math.sqrt(residuals.var(ddof=1) / 6 * (1 - 6 / 30)) / (4 / 6)
    assert head.standard_error == pytest.approx(error)
    half = t.ppf(0.975, 3) * error
    assert head.interval == pytest.approx((3 - half, 3 + half))
    # The tail adds sessions without a value: their number is known to be none.
    assert whole.standard_error == pytest.approx(error)


def test_one_value_has_no_interval() -> None:
    sample = some(6)
    whole, per_tier = domain_mean(sample, {sample.sessions["session"][0]: 2.0})
    assert whole.value == pytest.approx(2.0)
    assert math.isnan(whole.interval[0])
    assert math.isnan(next(iter(per_tier.values())).standard_error)
    nothing, empty = domain_mean(sample, {})
    assert math.isnan(nothing.value)
    assert empty == {}


@pytest.mark.parametrize(
    ("month", "options", "message"),
    [
        ("2026-13", {}, "`2026-13` is not a month"),
        ("2026-3", {}, "is not a month"),
        ("2026-03", {"k": 6}, "must be between 1 and 5"),
        ("2026-03", {"k": {"haed": 2}}, "not one of head, tail"),
        ("2026-03", {"k": {"head": 2}, "common_k": 3}, "between 1 and 2"),
    ],
)
def test_options_that_cannot_be(month: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        relyon.create_round(month, whole(), GRADES, **options)  # type: ignore[arg-type]


def test_judgments_of_other_queries() -> None:
    with pytest.raises(InputError, match="none of the 3 sampled queries is judged, such as `ink`"):
        relyon.create_round("2026-03", whole(), {"TV": {"a": 1}})


def test_a_round_is_read_as_it_was_written(tmp_path: Path) -> None:
    grades = {"tv": {"a": "高", "b": "低"}, "pen": {"p": "中"}}
    made = relyon.create_round(
        "2026-03",
        whole(),
        grades,
        scale="search",
        convention={"gain": "scale"},
        k={"head": 3},
        grading="majority",
    )
    path = relyon.write_round(made, tmp_path / "rounds")
    found = read_round(path)
    assert found.results.equals(made.results)
    assert found.judgments.to_dict() == made.judgments.to_dict()
    assert found.judgments.scale == made.judgments.scale
    assert found.convention == made.convention
    assert (found.depths, found.common_k) == (made.depths, made.common_k)
    assert found.sample.to_frame().equals(made.sample.to_frame())
    assert found.made
    assert found.grading == "majority"
    assert found.version == relyon.__version__
    points = [month_points(one, one.depths, 2, one.convention, 0.95) for one in (made, found)]
    assert [point.to_dict() for point in points[0]] == [point.to_dict() for point in points[1]]


HOSTILE = (
    "007", "null", "NA", " lead", "trail ", "a,b", 'q"uote', "new\nline", "tab\there", "中文 查询",
    "#hash", "1e5", "-", "=1+1", "\ufeffbom", "true", "a\rb",
)  # fmt: skip


@pytest.mark.parametrize("design", ["stratified", "pptss"])
def test_ids_of_any_kind_survive(tmp_path: Path, design: Any) -> None:
    sessions = {
        f"{query}-{number}": (query, [f"{query} one", f"{query} two"])
        for query in HOSTILE
        for number in range(3)
    }
    sample = draw_sample(log(sessions), per_tier=9, design=design, k=5)
    grades = {query: {f"{query} one": 3, f"{query} two": 1} for query in HOSTILE}
    made = relyon.create_round("2026-03", sample, grades)
    relyon.write_round(made, tmp_path)
    (found,) = relyon.read_rounds(tmp_path)
    assert found.judgments.to_dict() == made.judgments.to_dict()
    assert found.results.equals(made.results)
    assert found.sample.to_frame().equals(sample.to_frame())
    assert relyon.monitor(tmp_path).to_dict() == relyon.monitor([made]).to_dict()


@pytest.mark.long
def test_rounds_in_the_order_of_months(tmp_path: Path) -> None:
    for month in ("2026-10", "2025-12", "2026-02"):
        relyon.write_round(relyon.create_round(month, whole(), GRADES), tmp_path)
    (tmp_path / ".2026-03.17.partial").mkdir()
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    assert [one.month for one in relyon.read_rounds(tmp_path)] == ["2025-12", "2026-02", "2026-10"]


def test_a_round_is_never_overwritten(tmp_path: Path) -> None:
    made = relyon.create_round("2026-03", whole(), GRADES)
    path = relyon.write_round(made, tmp_path)
    before = {file.name: file.read_bytes() for file in path.iterdir()}
    with pytest.raises(InputError, match="exists already"):
        relyon.write_round(relyon.create_round("2026-03", whole(), {"tv": {"a": 1}}), tmp_path)
    assert {file.name: file.read_bytes() for file in path.iterdir()} == before
    assert [one.name for one in tmp_path.iterdir()] == ["2026-03"]


@pytest.mark.long
def test_of_several_that_add_a_month_at_once_one_wins(tmp_path: Path) -> None:
    rounds = [
        relyon.create_round("2026-03", whole(), {"tv": {"a": grade}})
        for grade in (1, 2, 3, 4, 5, 6)
    ]

    with ThreadPoolExecutor(6) as pool:
        done = [pool.submit(relyon.write_round, made, tmp_path) for made in rounds]
    errors = [one.exception() for one in done]
    won = [error is None for error in errors]
    assert sum(won) == 1
    assert all("exists already" in str(error) for error in errors if error is not None)
    (found,) = relyon.read_rounds(tmp_path)
    assert found.judgments.to_dict() == rounds[won.index(True)].judgments.to_dict()
    assert [one.name for one in tmp_path.iterdir()] == ["2026-03"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InputError, match="cannot be written"):
        relyon.write_round(relyon.create_round("2026-03", whole(), GRADES), tmp_path / "file")


@pytest.mark.parametrize("name", ["sample.csv", "judgments.csv", "results.csv"])
def test_a_changed_file_is_noticed(tmp_path: Path, name: str) -> None:
    path = relyon.write_round(relyon.create_round("2026-03", whole(), GRADES), tmp_path)
    file = path / name
    file.write_bytes(file.read_bytes().replace(b"3", b"2", 1))
    with pytest.raises(InputError, match=rf"{name}: the file has changed") as caught:
        relyon.read_rounds(tmp_path)
    assert "never changed" in caught.value.hint
    file.unlink()
    with pytest.raises(InputError, match=rf"{name}: the file is missing"):
        relyon.read_rounds(tmp_path)


def test_a_changed_manifest_is_noticed(tmp_path: Path) -> None:
    path = relyon.write_round(relyon.create_round("2026-03", whole(), GRADES), tmp_path)
    file = path / "round.json"
    values = json.loads(file.read_text("utf-8"))
    values["k"]["head"] = 1
    file.write_text(json.dumps(values), "utf-8")
    with pytest.raises(InputError, match=r"round\.json: the file has changed"):
        relyon.read_rounds(tmp_path)
    file.write_text("[", "utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        relyon.read_rounds(tmp_path)
    file.unlink()
    with pytest.raises(InputError, match="is not a round"):
        relyon.read_rounds(tmp_path)


def test_a_round_under_the_name_of_another_month(tmp_path: Path) -> None:
    path = relyon.write_round(relyon.create_round("2026-03", whole(), GRADES), tmp_path)
    path.rename(tmp_path / "2026-04")
    with pytest.raises(InputError, match="contains the round of 2026-03"):
        relyon.read_rounds(tmp_path)


def test_no_rounds(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no round"):
        relyon.read_rounds(tmp_path)
    with pytest.raises(InputError, match="is not a folder"):
        relyon.read_rounds(tmp_path / "nowhere")


def test_a_round_stores_the_fingerprints_of_its_inputs(tmp_path: Path) -> None:
    made = relyon.create_round("2026-03", whole(), GRADES, scale="search", convention="trec_eval")
    path = relyon.write_round(made, tmp_path)
    found = json.loads((path / "round.json").read_text("utf-8"))["inputs"]
    sampled = {query: GRADES[query] for query in ("tv", "pen")}
    expected = relyon.evaluate(sampled, {"tv": {"a": 1.0}}, scale="search", convention="trec_eval")
    assert expected.inputs is not None
    assert found == expected.inputs.to_dict()
    again = read_round(path)
    copied = relyon.write_round(again, tmp_path / "again")
    assert json.loads((copied / "round.json").read_text("utf-8"))["inputs"] == found
