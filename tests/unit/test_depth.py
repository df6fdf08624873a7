"""`relkit.depth`: measures, judged shares and power at every cutoff."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.unit.conftest import Command

import relkit
from relkit.analysis.depth import LADDER
from relkit.online.logs import last_clicks
from relkit.report import build_depth_page, depth_picture

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


@pytest.mark.filterwarnings("ignore::relkit.RelkitWarning")
@pytest.mark.parametrize("seed", range(6))
def test_every_number_is_that_of_evaluate_and_compare(seed: int) -> None:
    judgments, old, new = drawn(seed)
    measures = ["ndcg", "recall", "p", "rr"]
    found = relkit.depth(judgments, old, new, at=[1, 3, 10, 40], measures=measures)
    assert len(found.rows) == 4 * 4 * 2
    assert [row.run for row in found.rows[:2]] == list(found.runs)
    for name in measures:
        base, other = (found.series(name, run) for run in found.runs)
        for k in found.cutoffs:
            asked = [f"{name}@{k}", f"judged@{k}"]
            for row, run in ((base[k], old), (other[k], new)):
                single = relkit.evaluate(judgments, run, asked)
                assert (row.value, row.judged) == (single[asked[0]], single[asked[1]])
            contrast = relkit.compare(judgments, old, new, asked[:1]).contrasts[0]
            assert other[k].p == contrast.p_values["t"]
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
    found = relkit.depth({"q": {"d1": 1}}, run)
    assert found.cutoffs == (1, 2, 3, 5, 10, 20)
    assert found.deepest == 12
    assert "lists-end" in [one.kind for one in found.advice]
    long = {"q": {f"d{n}": float(n) for n in range(2000)}}
    assert relkit.depth({"q": {"d1": 1}}, long).cutoffs == LADDER


def test_advice_names_the_numbers() -> None:
    found = relkit.depth(*FILES, clicks={1: 50, 3: 30, 7: 16, 20: 4})
    advice = {one.kind: one for one in found.advice}
    assert advice["clicks-covered"].values == {
        "share": 0.96, "rank": 7, "sessions": 100, "measure": "ndcg@10", "k": 10,
    }  # fmt: skip
    low = advice["judged-low"].values
    assert low["k"] == 50
    assert low["judged"] == min(row.judged for row in found.at(50)) < 0.9
    assert all(row.judged >= 0.9 for k in (1, 10, 20) for row in found.at(k))
    grows = advice["recall-grows"].values
    assert grows["now"] == found.series("recall", grows["run"])[100].value
    needed = next(one for one in found.advice if one.kind == "queries-needed").values
    rows = found.series("ndcg", needed["run"])
    blunt, sharp = rows[needed["k"]], rows[needed["other"]]
    # The same number of queries at both: it is the square of the detectable shares' ratio.
    ratio = (blunt.detectable_share / sharp.detectable_share) ** 2
    assert needed["times"] == pytest.approx(ratio)
    assert needed["times"] > 1.5
    for one in found.advice:
        assert one.sentence() != one.sentence("zh")
    with pytest.raises(relkit.ParameterError):
        found.advice[0].sentence("fr")  # type: ignore[arg-type]


def test_clicks_beyond_every_cutoff_cut_off_and_missing() -> None:
    def kinds(clicks: Any) -> list[str]:
        run = {"q": {"a": 2.0, "b": 1.0}}
        found = relkit.depth({"q": {"a": 1, "b": 0}}, run, at=[1, 2], clicks=clicks)
        return [one.kind for one in found.advice]

    assert kinds({1: 19, 2: 1})[0] == "clicks-covered"
    assert kinds({5: 10})[0] == "clicks-beyond"
    assert kinds({})[0] == "no-clicks"
    assert "clicks-cut" in kinds(relkit.LastClicks({2: 10}, {2: 10}, 10))
    assert "clicks-cut" not in kinds(relkit.LastClicks({2: 10}, {9: 10}, 10))
    with pytest.raises(relkit.ParameterError, match="only 3 sessions in total"):
        relkit.LastClicks({1: 5}, {}, 3)
    with pytest.raises(relkit.ParameterError):
        kinds({0: 3})


def test_one_query_one_run_equal_runs_and_nothing_judged() -> None:
    judgments, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}
    single = relkit.depth(judgments, run)
    assert all(math.isnan(row.p) for row in single.rows)
    alone = relkit.depth(judgments, run, {"q": {"b": 1.0}}, names=["one", "two"])
    assert [one.kind for one in alone.advice][-1] == "power-unknown"
    many = {f"q{n}": {"a": 1} for n in range(9)}
    same = {query: {"a": 1.0} for query in many}
    equal = relkit.depth(many, same, same, names=["one", "two"])
    assert {row.p for row in equal.rows if row.run == "two"} == {1.0}
    assert all(math.isnan(row.detectable) for row in equal.rows)
    assert "power-unknown" in [one.kind for one in equal.advice]
    strange = relkit.depth(judgments, {"q": {"x": 2.0, "y": 1.0}})
    assert {row.judged for row in strange.rows} == {0.0}
    assert "judged-low" in [one.kind for one in strange.advice]
    negative = relkit.depth({"q": {"a": -1, "b": 2}}, run, at=[1])
    assert negative.rows[0].value == 0.0
    for one in (single, alone, equal, strange, negative):
        for write in (one.to_text, one.to_markdown, one.to_html, one.to_csv, one.to_json):
            assert write()


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
    with pytest.raises(relkit.ParameterError, match=said):
        relkit.depth({"q": {"a": 1}}, {"q": {"a": 1.0}}, **options)
    with pytest.raises(relkit.ParameterError, match="no run"):
        relkit.depth({"q": {"a": 1}})


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
    with pytest.raises(relkit.InputError, match="has a result at position 0"):
        last_clicks(log.with_columns(pl.col("position") - 1))
    with pytest.raises(relkit.InputError, match="no clicks"):
        last_clicks(log.drop("clicked"))


def test_the_page_and_the_picture() -> None:
    pytest.importorskip("vl_convert")
    found = relkit.depth(*FILES, clicks={1: 50, 3: 30, 7: 16, 20: 4})
    picture = depth_picture(found)
    assert picture.startswith("<svg")
    for text in ("bm25.run", "NDCG@K", "Recall@K", "judged, tfidf.run"):
        assert f">{text}<" in picture
    page = str(build_depth_page(found, language="zh"))
    assert found.advice[0].sentence("zh") in page


def test_the_command(command: Command, tmp_path: Path) -> None:
    log = tmp_path / "clicks.csv"
    log.write_text("session,query,position,doc,clicked\ns,tv,1,a,1\ns,tv,2,b,0\n")
    outcome = command("depth", *FILES, "--at", "1,5", "-m", "ndcg,p", "--log", str(log))
    assert outcome.code == 0
    found = relkit.depth(*FILES, at=[1, 5], measures=["ndcg", "p"], clicks=last_clicks(str(log)))
    assert outcome.out == found.to_text() + "\n"
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert command("depth", *FILES, "--format", "csv").out == relkit.depth(*FILES).to_csv() + "\n"
    assert command("depth", FILES[0]).code == 2
    assert command("depth").code == 2
    assert command("depth", *FILES, "--at", "1,x").code == 2
    assert command("depth", *FILES, "--log-columns", "session=s").code == 2
