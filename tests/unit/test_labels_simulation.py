"""Simulated logs: the truth comes back, whatever the size, and models keep their own rules."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.simulated import ALL, DEPTH, JUDGMENTS, RUN, simulated

import relyon
from relyon.core.errors import InputError, ParameterError
from relyon.labels import (
    Crowd,
    UserBehaviour,
    models,
    read_clicks,
    simulate,
)
from relyon.labels.simulation.session_blocks import BLOCK
from relyon.online.logs import examine

# -- the truth -------------------------------------------------------------------------------------


def test_grades_become_attraction_and_satisfaction() -> None:
    found = simulated(epsilon=0.2).pairs.filter(pl.col("query") == "q1")
    # R = (2^g - 1) / 2^3; e is not judged.
    gains = [7 / 8, 0, 3 / 8, 1 / 8, 0]
    assert found.get_column("grade").to_list() == [3, 0, 2, 1, None]
    assert found.get_column("satisfaction").to_list() == gains
    assert found.get_column("attraction").to_list() == [0.2 + 0.8 * gain for gain in gains]


def test_probabilities_of_grades() -> None:
    by_grade = {0: 0.05, 1: 0.2, 2: 0.5, 3: 0.9}
    found = simulated(attraction=by_grade, satisfaction={0: 0, 1: 0, 2: 0.5, 3: 1}).pairs
    for grade, attraction in found.select("grade", "attraction").iter_rows():
        assert attraction == by_grade[grade or 0]
    with pytest.raises(ParameterError, match="lacks these grades: 0, 2, 3"):
        simulated(attraction={1: 0.5})


def test_a_scale_says_what_is_the_most() -> None:
    judgments = relyon.read_judgments({"q1": {"a": "中"}}, scale="search")
    users = simulate({"q1": {"a": 1}}, judgments, sessions=1, epsilon=0)
    assert users.pairs.get_column("attraction").to_list() == [3 / 8]


def test_without_judgments_relevance_is_drawn() -> None:
    first, again, other = (simulate(RUN, sessions=1, seed=seed).pairs for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)
    assert first.get_column("grade").null_count() == first.height
    with pytest.raises(ParameterError, match="need judgments"):
        simulate(RUN, sessions=1, attraction={0: 0.5})


def test_examination() -> None:
    def seen(model: str, **behaviour: Any) -> list[float]:
        users = simulated(model, behaviour=UserBehaviour(depth=3, **behaviour))
        return list(users.truth.parameters.shared["examination"].tolist())

    assert seen("pbm", eta=0.5) == [1.0, 2**-0.5, 3**-0.5]
    assert seen("pbm", examination=[0.9, 0.5, 0.1]) == [0.9, 0.5, 0.1]
    # Position 1 after none; 2 after none and after 1; 3 after none, 1 and 2: by the distance.
    assert seen("ubm", examination=[0.9, 0.5, 0.1]) == [0.9, 0.5, 0.9, 0.1, 0.5, 0.9]


@pytest.mark.parametrize(
    ("model", "going_on", "expected"),
    [
        ("dbn", None, [0.9]),
        ("dbn", 0.8, [0.8]),
        ("dcm", None, [0.5] * DEPTH),
        ("dcm", [0.1, 0.2, 0.3, 0.4, 0.5], [0.1, 0.2, 0.3, 0.4, 0.5]),
        ("ccm", [0.9, 0.6, 0.2], [0.9, 0.6, 0.2]),
        ("ccm", 0.5, [0.5] * 3),
    ],
)
def test_going_on(model: str, going_on: Any, expected: list[float]) -> None:
    users = simulated(model, behaviour=UserBehaviour(depth=DEPTH, going_on=going_on))
    assert users.truth.parameters.shared["go_on"].tolist() == expected


def test_going_on_of_a_model_that_has_one_of_its_own() -> None:
    users = simulated(models.get("dbn")(going_on=0.7))  # type: ignore[call-arg]
    assert users.truth.parameters.shared["go_on"].tolist() == [0.7]


@pytest.mark.parametrize("name", ALL)
def test_known_parameters_are_certain(name: str) -> None:
    users = simulated(name)
    found = users.truth.relevance()
    assert found.get_column("low").equals(found.get_column("relevance"), check_names=False)
    assert found.get_column("high").equals(found.get_column("relevance"), check_names=False)
    assert np.isinf(found.get_column("weight").to_numpy()).all()
    mine = users.pairs.sort("query", "document").get_column("relevance")
    theirs = found.sort("query", "document").get_column("relevance")
    assert mine.equals(theirs)


def test_what_a_fit_found_can_be_simulated() -> None:
    fitted = models.get("dbn")().fit(read_clicks(simulated("dbn").log))
    users = simulated(fitted)
    assert users.truth.parameters.shared == fitted.parameters.shared
    known = dict(zip(fitted.pairs.rows(), fitted.parameters.pairs["attraction"], strict=True))
    for query, document, attraction in users.pairs.select(
        "query", "document", "attraction"
    ).iter_rows():
        assert attraction == known[query, document]
    with pytest.raises(ParameterError, match="its own behaviour"):
        simulated(fitted, behaviour=UserBehaviour())


# -- the log ---------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_log_and_a_longer_one_begins_with_it() -> None:
    crowd = Crowd(shuffle=0.2, swap=0.2, noise=0.05, misclicks=0.05, bots=0.1, cart=0.3)
    short, long = (
        simulated("ubm", sessions=sessions, crowd=crowd, seed=3).collect()
        for sessions in (BLOCK + 7, 2 * BLOCK + 1)
    )
    assert short.get_column("session").n_unique() == BLOCK + 7
    assert long.get_column("session").n_unique() == 2 * BLOCK + 1
    assert short.equals(long.head(short.height))
    assert not short.equals(simulated("ubm", BLOCK + 7, crowd=crowd, seed=4).collect())


def test_what_is_switched_on_changes_nothing_else() -> None:
    plain = simulated().collect()
    more = simulated(crowd=Crowd(cart=0.5, purchase=0.5, missing={"user": 0.5})).collect()
    columns = ["session", "query", "position", "doc", "clicked", "dwell_seconds"]
    assert more.select(columns).equals(plain.select(columns))


@pytest.mark.long
@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl", "csv.gz"])
def test_what_is_written_is_what_is_drawn(tmp_path: Path, ending: str) -> None:
    users = simulated(crowd=Crowd(misclicks=0.1, bots=0.1), sessions=BLOCK + 3)
    told: list[tuple[int, int]] = []
    counts = users.write(tmp_path / f"log.{ending}", progress=lambda *done: told.append(done))
    read = relyon.read_sessions(str(tmp_path / f"log.{ending}")).collect()
    drawn = users.collect()
    assert read.drop("timestamp").equals(drawn.drop("timestamp"))
    assert told[-1] == (BLOCK + 3, BLOCK + 3)
    assert counts.sessions == BLOCK + 3
    assert (counts.results, counts.clicks) == (drawn.height, drawn.get_column("clicked").sum())
    by_position = drawn.group_by("position").agg(pl.len(), pl.col("clicked").sum()).sort("position")
    assert list(counts.shown) == by_position.get_column("len").to_list()
    assert list(counts.clicked) == by_position.get_column("clicked").to_list()


def test_parts_of_the_plan() -> None:
    """Columns, filters and limits that Polars pushes into the source."""
    users, whole = simulated(), simulated().collect()
    frame = users.log.frame.to_native()
    assert frame.select("doc").collect().equals(whole.select("doc"))
    assert (
        frame.filter(pl.col("position") == 2)
        .collect()
        .equals(whole.filter(pl.col("position") == 2))
    )
    assert frame.head(17).collect().equals(whole.head(17))


def test_users_and_times() -> None:
    crowd = Crowd(users=50, per_day=1000.0)
    log = simulated(sessions=2000, crowd=crowd).collect()
    times = log.unique("session", maintain_order=True).get_column("timestamp")
    assert times.is_sorted()
    assert (times[-1] - times[0]).total_seconds() == pytest.approx(2 * 86400, rel=0.01)
    assert log.get_column("user").n_unique() == 50


def test_each_user_has_one_arm() -> None:
    other = {
        query: dict(zip(docs, sorted(docs.values()), strict=True)) for query, docs in RUN.items()
    }
    users = simulate({"old": RUN, "new": other}, JUDGMENTS, sessions=4000, crowd=Crowd(users=300))
    log = users.collect()
    arms = log.group_by("user").agg(pl.col("bucket").n_unique())
    assert arms.get_column("bucket").unique().to_list() == [1]
    share = log.unique("user").get_column("bucket").eq("old").mean()
    assert isinstance(share, float)
    assert 0.4 < share < 0.6
    top = log.filter((pl.col("position") == 1) & (pl.col("query") == "q1"))
    assert set(top.select("bucket", "doc").unique().rows()) == {("old", "a"), ("new", "e")}


def test_queries_that_some_run_lacks() -> None:
    with pytest.warns(relyon.RelyonWarning, match="left out 1 query for which a run has no result"):
        users = simulate({"one": RUN, "two": {"q1": {"z": 1}, "q2": {"z": 1}}}, sessions=10)
    assert users.drawing.shown_lists.queries.to_list() == ["q1", "q2"]
    with pytest.raises(InputError, match="no query has results in every run: one, two"):
        simulate({"one": RUN, "two": {"other": {"z": 1}}}, sessions=10)


def test_equal_scores_come_as_relyon_ranks_them() -> None:
    log = simulate({"q": {"a": 1, "c": 1, "b": 1}}, sessions=1).collect()
    assert log.get_column("doc").to_list() == ["c", "b", "a"]


def test_frequencies() -> None:
    def shares(**options: Any) -> dict[str, float]:
        log = simulated(sessions=BLOCK, crowd=Crowd(**options)).collect().unique("session")
        counts = log.group_by("query").len().rows()
        return {query: count / BLOCK for query, count in counts}

    weights = {"q1": 6.0, "q2": 3.0, "电视": 1.0}
    close = 4 * math.sqrt(0.25 / BLOCK)
    for query, share in shares(frequencies=weights).items():
        assert share == pytest.approx(weights[query] / 10, abs=close)
    zipf = sorted(shares(frequencies=2.0).values(), reverse=True)
    assert zipf == pytest.approx([rank**-2 / (1 + 1 / 4 + 1 / 9) for rank in (1, 2, 3)], abs=close)
    for share in shares(frequencies={"q1": 1.0}, tail=0.3).values():
        assert min(abs(share - 0.8), abs(share - 0.1)) < close
    assert set(shares(frequencies={"q1": 1.0})) == {"q1"}
    with pytest.raises(ParameterError, match="frequencies must be 0 or more"):
        simulated(crowd=Crowd(frequencies={"q7": 1.0}))


def test_queries_as_they_were_asked() -> None:
    asked = ["q2", "电视", "q2", "q1"]
    log = simulated(sessions=6, crowd=Crowd(asked=asked)).collect()
    queries = log.unique("session", maintain_order=True).get_column("query").to_list()
    assert queries == [*asked, *asked[:2]]
    with pytest.raises(ParameterError, match="no run has results for these queries: q7"):
        simulated(crowd=Crowd(asked=["q1", "q7"]))


@pytest.mark.parametrize("sizes", [1, 2, 5])
def test_orders(sizes: int) -> None:
    """A shuffle gives every document every place; a swap changes two places or none."""
    run = {"q": {"abcde"[place]: -place for place in range(sizes)}}
    behaviour = UserBehaviour(depth=DEPTH)
    mixed = simulate(run, sessions=BLOCK, behaviour=behaviour, crowd=Crowd(shuffle=1.0)).collect()
    for count in mixed.group_by("doc", "position").len().get_column("len"):
        assert count == pytest.approx(BLOCK / sizes, abs=5 * math.sqrt(BLOCK / sizes))
    assert mixed.group_by("doc", "position").len().height == sizes**2
    swapped = simulate(run, sessions=BLOCK, behaviour=behaviour, crowd=Crowd(swap=0.5)).collect()
    home = pl.col("doc").replace_strict(
        {"abcde"[at]: at + 1 for at in range(5)}, return_dtype=pl.Int64
    )
    moved = swapped.group_by("session").agg((home != pl.col("position")).sum().alias("moved"))
    counts = dict(moved.group_by("moved").len().iter_rows())
    if sizes == 1:
        assert counts == {0: BLOCK}
    else:
        assert set(counts) == {0, 2}
        assert counts[2] == pytest.approx(BLOCK / 2, abs=5 * math.sqrt(BLOCK / 4))


def test_noise_and_mistakes() -> None:
    nothing = dict.fromkeys(range(4), 0.0)
    quiet: dict[str, Any] = {"attraction": nothing, "satisfaction": nothing, "sessions": BLOCK}
    assert simulated(**quiet).collect().get_column("clicked").sum() == 0
    noisy = simulated(**quiet, crowd=Crowd(noise=0.2)).collect()
    wrong = simulated(**quiet, crowd=Crowd(misclicks=0.2)).collect()
    for log in (noisy, wrong):
        rate = log.get_column("clicked").mean()
        assert rate == pytest.approx(0.2, abs=4 * math.sqrt(0.16 / log.height))
        assert log.get_column("dwell_seconds").is_not_null().equals(log.get_column("clicked"))
    assert wrong.get_column("dwell_seconds").max() <= 2.0  # type: ignore[operator]
    assert noisy.get_column("dwell_seconds").median() == pytest.approx(8.0, rel=0.05)
    # What `min_dwell` takes out is what was put in.
    assert read_clicks(wrong, min_dwell=2.1).patterns.clicked.sum() == 0


def test_bots_are_found_by_the_doctor() -> None:
    users = simulated(sessions=BLOCK, crowd=Crowd(bots=0.05))
    log = users.collect()
    bots = log.filter(pl.col("user").str.starts_with("bot"))
    assert bots.get_column("clicked").all()
    share = bots.get_column("session").n_unique() / BLOCK
    assert share == pytest.approx(0.05, abs=4 * math.sqrt(0.05 / BLOCK))
    found = {finding.kind: finding for finding in examine(users.log).findings}
    assert found["bots"].count == 5


def test_carts_and_purchases_follow_clicks() -> None:
    certain = dict.fromkeys(range(4), 1.0)
    crowd = Crowd(cart=0.5, purchase=0.4)
    log = simulated(satisfaction=certain, crowd=crowd, sessions=BLOCK).collect()
    clicked, cart, bought = (
        log.get_column(name).to_numpy() for name in ("clicked", "add_to_cart", "purchase")
    )
    assert (clicked | ~cart).all()
    assert (cart | ~bought).all()
    assert cart.sum() / clicked.sum() == pytest.approx(0.5, abs=0.02)
    assert bought.sum() / cart.sum() == pytest.approx(0.4, abs=0.02)
    alone = simulated(satisfaction=certain, crowd=Crowd(purchase=0.4), sessions=BLOCK).collect()
    assert "add_to_cart" not in alone.columns
    assert alone.get_column("purchase").to_numpy().sum() / clicked.sum() == pytest.approx(
        0.4, abs=0.02
    )


def test_missing_values() -> None:
    missing = {"dwell_seconds": 1.0, "position": 0.3, "doc": 1.0}
    log = simulated(crowd=Crowd(missing=missing), sessions=BLOCK).collect()
    assert "dwell_seconds" not in log.columns
    assert log.get_column("doc").null_count() == log.height
    share = log.get_column("position").null_count() / log.height
    assert share == pytest.approx(0.3, abs=0.01)
    with pytest.raises(ParameterError, match="missing"):
        Crowd(missing={"session": 0.5})


@pytest.mark.parametrize(
    "options",
    [
        {"noise": 1.5},
        {"bots": -0.1},
        {"misclicks": math.nan},
        {"users": 0},
        {"per_day": 0},
        {"dwell": (0.0, 3.0)},
        {"missing": {"doc": 2.0}},
    ],
)
def test_crowds_that_cannot_be(options: Any) -> None:
    with pytest.raises(ParameterError):
        Crowd(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"sessions": 0},
        {"sessions": 2.5},
        {"seed": -1},
        {"epsilon": 2},
        {"behaviour": UserBehaviour(depth=3, examination=[1, 0.5])},
        {"behaviour": UserBehaviour(depth=2, examination=[1, math.nan])},
        {"attraction": {0: 0, 1: 0, 2: 0, 3: 2}},
    ],
)
def test_numbers_that_cannot_be(options: Any) -> None:
    with pytest.raises(ParameterError):
        simulated(**{"sessions": 10, **options})


def test_behaviour_that_cannot_be() -> None:
    with pytest.raises(ParameterError):
        UserBehaviour(eta=-1)
    with pytest.raises(ParameterError):
        simulated("ccm", behaviour=UserBehaviour(depth=3, going_on=[0.5, 0.5]))


@pytest.mark.parametrize(
    "pairs",
    [
        {"query": ["q"], "document": ["a"]},
        {"query": ["q", "q"], "document": ["a", "a"], "attraction": [0.1, 0.1]},
        {"query": ["q"], "document": ["a"], "attraction": [1.1]},
    ],
)
def test_pairs_that_cannot_be_known(pairs: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        models.get("pbm")().known(pl.DataFrame(pairs))


def test_satisfaction_has_to_be_known() -> None:
    pairs = pl.DataFrame({"query": ["q"], "document": ["a"], "attraction": [0.1]})
    with pytest.raises(ParameterError, match="needs the satisfaction"):
        models.get("dbn")().known(pairs)


def test_the_truth_is_written(tmp_path: Path) -> None:
    users = simulated("dbn")
    users.write_truth(tmp_path / "truth.csv")
    users.write_truth(tmp_path / "truth.parquet")
    users.write_truth(tmp_path / "truth.json")
    assert pl.read_parquet(tmp_path / "truth.parquet").equals(users.pairs)
    found = json.loads((tmp_path / "truth.json").read_text("utf-8"))
    assert found["shared"] == {"go_on": [0.9]}
    assert found["pairs"] == users.pairs.to_dicts()
    # Of two columns that could be the grade, judgments read the grade.
    assert relyon.read_judgments(tmp_path / "truth.csv")["q2"] == {"a": 1.0, "c": 3.0}


# -- properties ------------------------------------------------------------------------------------

chances = st.floats(0, 1)


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(ALL),
    sessions=st.integers(1, 60),
    seed=st.integers(0, 2**32),
    depth=st.integers(1, 6),
    crowd=st.builds(
        Crowd,
        frequencies=st.floats(0, 3),
        tail=chances,
        users=st.integers(1, 20),
        shuffle=chances,
        swap=chances,
        noise=chances,
        misclicks=chances,
        bots=chances,
        cart=st.none() | chances,
        purchase=st.none() | chances,
    ),
)
def test_any_log_is_whole(name: str, sessions: int, seed: int, depth: int, crowd: Crowd) -> None:
    users = simulated(name, sessions, seed=seed, crowd=crowd, behaviour=UserBehaviour(depth=depth))
    log = users.collect()
    assert log.get_column("session").n_unique() == sessions
    for (query, *_), rows in log.group_by("query", "session"):
        assert rows.get_column("position").to_list() == list(range(1, rows.height + 1))
        assert rows.get_column("doc").n_unique() == rows.height
        wanted = sorted(RUN[query], key=lambda doc: -RUN[query][doc])[:depth]
        assert sorted(rows.get_column("doc")) == sorted(wanted)
    dwell = log.filter(pl.col("clicked")).get_column("dwell_seconds")
    assert dwell.null_count() == 0
    assert (dwell >= 0).all()
    assert log.filter(~pl.col("clicked")).get_column(
        "dwell_seconds"
    ).null_count() == log.height - len(dwell)
