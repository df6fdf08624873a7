"""`relyon.depth`: measures, judged shares and power at every cutoff."""

from __future__ import annotations

import json
import math
import random
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.unit.conftest import Command

import relyon
from relyon.analysis.depth import LADDER
from relyon.online.logs import last_clicks
from relyon.report import build_depth_page, depth_picture

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "examples" / "docs-search"
FILES = [str(DOCS / name) for name in ("judgments.qrels", "bm25.run", "tfidf.run")]


def drawn(seed: int, queries: int = 12, documents: int = 15) -> tuple[Any, Any, Any]:
    """Returns random judgments and two runs, with ties, unjudged documents and missing queries."""
    chance = random.Random(seed)
    names = [f"d{n}" for n in range(documents)]
    judgments = {
        f"q{n}": {name: chance.choice([0, 0, 1, 2]) for name in names if chance.random() < 0.6}
        for n in range(queries)
    }
    judgments = {query: one or {"d0": 1} for query, one in judgments.items()}
    runs = [
        {
            query: {name: float(chance.randint(0, 6)) for name in names if chance.random() < 0.8}
            for query in judgments
            if chance.random() < 0.9
        }
        for _ in range(2)
    ]
    runs = [{query: one for query, one in run.items() if one} for run in runs]
    return judgments, runs[0], runs[1]


@pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")
@pytest.mark.parametrize("seed", range(6))
def test_every_number_is_that_of_evaluate_and_compare(seed: int) -> None:
    judgments, old, new = drawn(seed)
    measures = ["ndcg", "recall", "p", "rr"]
    found = relyon.depth(judgments, old, new, at=[1, 3, 10, 40], measures=measures)
    every = [f"{name}@{k}" for name in measures for k in found.cutoffs]
    compared = {one.measure: one for one in relyon.compare(judgments, old, new, every).contrasts}
    assert found.tests == len(every)
    assert len(found.rows) == 4 * 4 * 2
    assert [row.run for row in found.rows[:2]] == list(found.runs)
    for name in measures:
        base, other = (found.series(name, run) for run in found.runs)
        for k in found.cutoffs:
            asked = [f"{name}@{k}", f"judged@{k}"]
            for row, run in ((base[k], old), (other[k], new)):
                single = relyon.evaluate(judgments, run, asked)
                assert (row.value, row.judged) == (single[asked[0]], single[asked[1]])
            contrast = compared[asked[0]]
            assert other[k].p == contrast.p_values["t"]
            assert other[k].p_adjusted == contrast.p_adjusted
            assert other[k].verdict == contrast.verdict
            assert base[k].verdict == "described"
            assert other[k].difference == contrast.difference
            assert other[k].paired == contrast.queries
            assert other[k].detectable == pytest.approx(contrast.detectable, rel=1e-12)
            share = contrast.detectable / contrast.baseline_mean
            assert other[k].detectable_share == pytest.approx(share, rel=1e-12)
    for run in found.runs:
        values = [row.value for row in found.series("recall", run).values()]
        assert values == sorted(values)


def test_the_ladder_ends_at_the_first_cutoff_that_contains_the_longest_list() -> None:
    run = {"q": {f"d{n}": float(n) for n in range(12)}}
    found = relyon.depth({"q": {"d1": 1}}, run)
    assert found.cutoffs == (1, 2, 3, 5, 10, 20)
    assert found.deepest == 12
    assert "lists-end" in [one.kind for one in found.advice]
    long = {"q": {f"d{n}": float(n) for n in range(2000)}}
    assert relyon.depth({"q": {"d1": 1}}, long).cutoffs == LADDER


def test_advice_names_the_numbers() -> None:
    found = relyon.depth(*FILES, clicks={1: 50, 3: 30, 7: 16, 20: 4})
    advice = {one.kind: one for one in found.advice}
    assert advice["clicks-covered"].values == {
        "share": 0.96, "rank": 7, "sessions": 100, "measure": "ndcg@10", "k": 10,
    }  # fmt: skip
    low = advice["judged-low"].values
    assert low["k"] == 50
    assert low["judged"] == min(row.judged for row in found.at(50)) < 0.9
    assert all(row.judged >= 0.9 for k in (1, 10, 20) for row in found.at(k))
    grows: Any = advice["recall-cut"].values
    assert grows["now"] == found.series("recall", grows["run"])[100].value
    needed: Any = next(one for one in found.advice if one.kind == "queries-needed").values
    rows = found.series("ndcg", needed["run"])
    blunt, sharp = rows[needed["k"]], rows[needed["other"]]
    # The same number of queries at both: it is the square of the detectable shares' ratio.
    ratio = (blunt.detectable_share / sharp.detectable_share) ** 2
    assert needed["times"] == pytest.approx(ratio)
    assert needed["times"] > needed["low"] > 1.5
    for one in found.advice:
        assert one.sentence() != one.sentence("zh")
    with pytest.raises(relyon.ParameterError):
        found.advice[0].sentence("fr")


def test_clicks_beyond_every_cutoff_cut_off_and_missing() -> None:
    def said(clicks: Any) -> list[str]:
        run = {"q": {"a": 2.0, "b": 1.0}}
        found = relyon.depth({"q": {"a": 1, "b": 0}}, run, at=[1, 2], clicks=clicks)
        return kinds(found)

    assert said({1: 19, 2: 1})[0] == "clicks-covered"
    assert said({5: 10})[0] == "clicks-beyond"
    assert said({})[0] == "no-clicks"
    assert "clicks-cut" in said(relyon.LastClicks({2: 10}, {2: 10}, 10))
    assert "clicks-cut" not in said(relyon.LastClicks({2: 10}, {9: 10}, 10))
    with pytest.raises(relyon.ParameterError, match="only 3 sessions in total"):
        relyon.LastClicks({1: 5}, {}, 3)
    with pytest.raises(relyon.ParameterError):
        said({0: 3})


def test_one_query_one_run_equal_runs_and_nothing_judged() -> None:
    judgments, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}
    single = relyon.depth(judgments, run)
    assert all(math.isnan(row.p) for row in single.rows)
    alone = relyon.depth(judgments, run, {"q": {"b": 1.0}}, names=["one", "two"])
    assert "power-unknown" in [one.kind for one in alone.advice]
    many = {f"q{n}": {"a": 1} for n in range(9)}
    same = {query: {"a": 1.0} for query in many}
    equal = relyon.depth(many, same, same, names=["one", "two"])
    assert {row.p for row in equal.rows if row.run == "two"} == {1.0}
    assert all(math.isnan(row.detectable) for row in equal.rows)
    assert "power-unknown" in [one.kind for one in equal.advice]
    strange = relyon.depth(judgments, {"q": {"x": 2.0, "y": 1.0}})
    assert {row.judged for row in strange.rows} == {0.0}
    assert "judged-low" in [one.kind for one in strange.advice]
    negative = relyon.depth({"q": {"a": -1, "b": 2}}, run, at=[1])
    assert negative.rows[0].value == 0.0
    for one in (single, alone, equal, strange, negative):
        for write in (one.to_text, one.to_markdown, one.to_html, one.to_csv, one.to_json):
            assert write()


def kinds(found: Any) -> list[str]:
    return [one.kind for one in found.advice]


def shifted(queries: int, k: int) -> tuple[Any, Any, Any]:
    """Returns runs of which the second has one more relevant document at rank k, in all queries."""
    judgments = {f"q{n}": {"good": 1, "other": 1} for n in range(queries)}
    names = [f"x{n}" for n in range(9)]
    old = {q: {"good": 20.0, **{name: 10.0 - n for n, name in enumerate(names)}} for q in judgments}
    new = {
        q: {"good": 20.0, **{("other" if n == k - 2 and int(q[1:]) % 7 else name): 10.0 - n
                             for n, name in enumerate(names)}}
        for q in judgments
    }  # fmt: skip
    return judgments, old, new


@pytest.mark.parametrize(("queries", "verdict"), [(5, "undecided"), (8, "better")])
def test_fewer_than_six_queries_are_never_called_significant(queries: int, verdict: str) -> None:
    # One query of seven does not differ, so that the spread is known.
    with pytest.warns(relyon.RelyonWarning) if queries < 6 else nullcontext():
        found = relyon.depth(*shifted(queries, 3), at=[2, 3], measures=["recall"])
    last = found.rows[-1]
    assert last.verdict == verdict
    assert last.p_adjusted <= 0.05
    assert ("few-queries" in [note.kind for note in found.notes]) == (queries < 6)
    assert ("better-at" in kinds(found)) == (queries >= 6)
    assert not found.needs
    assert ("▲ +" in found.to_text()) == (queries >= 6)


def test_many_cutoffs_are_many_tests() -> None:
    judgments, old, new = shifted(16, 3)
    one = relyon.depth(judgments, old, new, at=[3], measures=["recall"])
    assert (one.tests, one.rows[-1].p_adjusted) == (1, one.rows[-1].p)
    assert "corrected" not in one.to_text()
    many = relyon.depth(judgments, old, new, at=range(1, 11), measures=["recall", "p"])
    row = many.series("recall", many.runs[1])[3]
    assert many.tests == 20
    assert row.p == one.rows[-1].p
    assert row.p_adjusted > row.p
    assert "Holm over 20 tests" in many.to_text()
    assert many.to_dict()["tests"] == 20


def test_the_order_depends_on_k_only_if_both_directions_are_significant() -> None:
    judgments = {f"q{n}": {"a": 1, "b": 1} for n in range(20)}
    old = {q: {"a": 5.0, "x": 4.0, "y": 3.0, "z": 2.0} for q in judgments}
    new = {q: {"x": 5.0, "a": 4.0, "b": 3.0, "z": 2.0} for q in judgments}
    for q in ("q0", "q1"):  # the differences must vary
        new[q] = old[q]
    found = relyon.depth(judgments, old, new, at=[1, 3], measures=["p"])
    advice = next(one for one in found.advice if one.kind == "order-changes")
    assert (advice.values["better"], advice.values["worse"]) == ([3], [1])
    few = {q: judgments[q] for q in list(judgments)[:5]}
    with pytest.warns(relyon.RelyonWarning):
        found = relyon.depth(few, old, new, at=[1, 3], measures=["p"])
    assert "order-changes" not in kinds(found)


def test_recall_where_lists_end() -> None:
    """Recall that lists cannot raise any more says nothing about ranking."""
    judgments = {f"q{n}": {f"d{m}": m % 2 for m in range(8)} for n in range(8)}
    reranked = {q: {f"d{m}": float(m) for m in range(8)} for q in judgments}
    found = relyon.depth(judgments, reranked, at=[2, 8, 100])
    full = next(one for one in found.advice if one.kind == "recall-full")
    assert full.values == {"measure": "recall@8", "k": 8}
    assert "recall-flat" not in kinds(found)
    assert "lists-end" in kinds(found)
    # One long list among short ones: K=50 measures whole lists.
    uneven = {**reranked, "q0": {f"x{m}": float(m) for m in range(60)}}
    found = relyon.depth(judgments, uneven, at=[5, 50])
    short = next(one for one in found.advice if one.kind == "lists-short")
    assert short.values == {"k": 50, "run": found.runs[0], "reach": 1 / 8}
    assert [row.reach for row in found.series("recall", found.runs[0]).values()] == [1, 1 / 8]
    # Recall that still grows where the lists end, and where they do not.
    half = {q: {f"d{m}": 9.0 - m for m in range(6)} for q in judgments}
    assert "recall-cut" in kinds(relyon.depth(judgments, half, at=[2, 6]))
    assert "recall-grows" in kinds(relyon.depth(judgments, half, at=[2, 4]))
    # Nothing grows between neighbours, but it did since half the depth.
    assert "recall-grows" in kinds(relyon.depth(judgments, half, at=[1, 4, 5]))
    top = {q: {"d1": 9.0, **{f"x{m}": 8.0 - m / 9 for m in range(40)}} for q in judgments}
    flat = relyon.depth(judgments, top, at=[5, 10, 20])
    assert next(one for one in flat.advice if one.kind == "recall-flat").values["last"] == 20


def test_queries_without_relevant_documents_ties_and_odd_grades() -> None:
    judgments = {
        "none": {"a": 0, "b": 0},
        **{f"q{n}": {"a": 0.5 + n, "b": -1.0, "c": 0.25} for n in range(7)},
    }
    tied = {q: {"a": 1.0, "b": 1.0, "c": 1.0} for q in judgments}
    other = {q: {"c": 2.0, "a": 1.0, "b": 0.5} for q in judgments}
    found = relyon.depth(judgments, tied, other, names=["one", "two"])
    # No grade of q0 reaches 1: it has gain, but no relevant document, so recall is undefined.
    assert {row.paired for row in found.series("ndcg", "two").values()} == {7}
    assert {row.paired for row in found.series("recall", "two").values()} == {6}
    assert all(row.verdict in ("better", "worse", "undecided", "described") for row in found.rows)
    nothing = relyon.depth({"q": {"a": 0}}, {"q": {"a": 1.0}}, names=["one"])
    pair = relyon.depth({"q": {"a": 0}}, {"q": {"a": 1.0}}, {"q": {"a": 2.0}})
    assert "power-unknown" not in kinds(pair)  # the notes say that no query has a value
    assert all(math.isnan(row.value) for row in nothing.rows)
    for one in (found, nothing):
        for write in (one.to_text, one.to_markdown, one.to_html, one.to_csv, one.to_json):
            assert write()
        for advice in one.advice:
            assert advice.sentence("zh")


def test_more_queries_are_only_claimed_where_the_bound_is_known() -> None:
    chance = random.Random(3)

    def values(queries: int) -> Any:
        judgments = {f"q{n}": {f"d{m}": m % 3 for m in range(30)} for n in range(queries)}
        runs = [
            {q: {d: chance.gauss(0, 1) for d in judged} for q, judged in judgments.items()}
            for _ in range(2)
        ]
        return relyon.depth(judgments, *runs, at=[1, 20], measures=["p"], names=["one", "two"])

    (need,) = values(60).needs
    assert (need.k, need.other) == (1, 20)
    assert 1 < need.low < need.times < need.high
    assert need.to_dict()["low"] == need.low
    with pytest.warns(relyon.RelyonWarning):
        assert not values(5).needs


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measures": ["ndcg@10"]}, "has a cutoff"),
        ({"measures": ["auc"]}, "has no cutoff"),
        ({"measures": []}, "no measure is given"),
        ({"at": []}, "no cutoff is given"),
        ({"at": [0]}, "at"),
        ({"alpha": 2}, "alpha"),
        ({"names": ["a", "b"]}, "1 runs but 2 names"),
    ],
)
def test_what_cannot_be_measured_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(relyon.ParameterError, match=said):
        relyon.depth({"q": {"a": 1}}, {"q": {"a": 1.0}}, **options)
    with pytest.raises(relyon.ParameterError, match="no run"):
        relyon.depth({"q": {"a": 1}})


def test_last_clicks_of_a_log() -> None:
    rows = [
        ("s1", 1, 1), ("s1", 2, 0), ("s1", 3, 1),
        ("s2", 1, 0), ("s2", 2, 0),
        ("s3", 1, 1),
    ]  # fmt: skip
    log = pl.DataFrame(rows, schema=["session", "position", "clicked"], orient="row")
    log = log.with_columns(query=pl.lit("tv"), doc=pl.lit("a"))
    found = last_clicks(log)
    assert (found.ranks, found.shown, found.sessions) == ({1: 1, 3: 1}, {1: 1, 2: 1, 3: 1}, 3)
    assert found.share(1) == 0.5
    assert found.shown_share(2) == pytest.approx(2 / 3)
    with pytest.raises(relyon.InputError, match="has a result at position 0"):
        last_clicks(log.with_columns(pl.col("position") - 1))
    with pytest.raises(relyon.InputError, match="no clicks"):
        last_clicks(log.drop("clicked"))


def test_the_page_and_the_picture() -> None:
    pytest.importorskip("vl_convert")
    found = relyon.depth(*FILES, clicks={1: 50, 3: 30, 7: 16, 20: 4})
    picture = depth_picture(found)
    assert picture.svg.startswith("<svg")
    for text in ("bm25.run", "NDCG@K", "Recall@K", "judged, tfidf.run"):
        assert f">{text}<" in picture.svg
    assert "var(--" not in picture.to_png().decode("latin-1")
    page = str(build_depth_page(found, language="zh"))
    assert found.advice[0].sentence("zh") in page


def test_the_command(command: Command, tmp_path: Path) -> None:
    log = tmp_path / "clicks.csv"
    log.write_text("session,query,position,doc,clicked\ns,tv,1,a,1\ns,tv,2,b,0\n")
    outcome = command("depth", *FILES, "--at", "1,5", "-m", "ndcg,p", "--log", str(log))
    assert outcome.code == 0
    found = relyon.depth(*FILES, at=[1, 5], measures=["ndcg", "p"], clicks=last_clicks(str(log)))
    assert outcome.out == found.to_text() + "\n"
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert command("depth", *FILES, "--format", "csv").out == relyon.depth(*FILES).to_csv() + "\n"
    assert command("depth", FILES[0]).code == 2
    assert command("depth").code == 2
    assert command("depth", *FILES, "--at", "1,x").code == 2
    for option in (("--log-columns", "session=s"), ("--log-format", "csv"), ("--month", "2026-03")):
        outcome = command("depth", *FILES, *option)
        assert outcome.code == 2
        assert f"{option[0]} needs --log" in outcome.err


def test_the_threshold_of_the_scale_is_among_the_rules(command: Command) -> None:
    outcome = command("depth", *FILES, "--at", "1,5", "-m", "recall", "--scale", "search")
    assert outcome.code == 0
    assert "convention relyon: ties=doc-desc, undefined=skip, missing=zero, rel=2" in outcome.out


def test_the_log_is_read_as_other_commands_read_it(command: Command, tmp_path: Path) -> None:
    log = tmp_path / "clicks.txt"
    log.write_text(
        "sid,q,position,item,clicked,time\n"
        "s,tv,1,a,1,2026-02-03\n"
        "t,tv,1,a,0,2026-03-03\n"
        "t,tv,2,b,1,2026-03-03\n"
    )
    read: tuple[str, ...] = ("--log", str(log), "--log-columns", "session=sid,query=q,doc=item")
    read += ("--log-format", "csv", "--format", "json", "--at", "1,5")

    def clicked(*options: str) -> list[float]:
        outcome = command("depth", *FILES, *read, *options)
        assert outcome.code == 0, outcome.err
        return [one["clicks"] for one in json.loads(outcome.out)["clicks"]["at"]]

    assert clicked() == [0.5, 1.0]
    assert clicked("--month", "2026-02") == [1.0, 1.0]
    assert clicked("--since", "2026-03") == [0.0, 1.0]
    outcome = command("depth", *FILES, "--log", str(log), "--log-columns", "session=sid")
    assert outcome.code == 3
    assert "--log-columns query=q" in outcome.err


@pytest.mark.parametrize(
    ("ending", "start"),
    [
        ("png", b"\x89PNG\r\n"), ("svg", b"<svg "), ("html", b"<!doctype html>"),
        ("md", b"# NDCG@K"), ("json", b"{"), ("csv", b"k,"),
    ],
)  # fmt: skip
def test_every_ending_is_what_it_says(
    command: Command, tmp_path: Path, ending: str, start: bytes
) -> None:
    pytest.importorskip("vl_convert")
    path = tmp_path / f"depth.{ending}"
    assert command("depth", *FILES, "--at", "1,5", "-o", str(path)).code == 0
    assert path.read_bytes().lower().startswith(start.lower())


@pytest.mark.parametrize("ending", ["pdf", "csv.gz", "tex", "jsonl"])
def test_other_endings_are_refused(command: Command, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"depth.{ending}"
    outcome = command("depth", *FILES, "-o", str(path))
    assert outcome.code == 2
    assert "`.png`" in outcome.err
    assert not path.exists()
    assert command("depth", *FILES, "-o", str(path), "--format", "csv").code == 0
