"""Which click model a log supports, whether users follow it, and why documents moved."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from relyon.core.errors import InputError, ParameterError
from relyon.labels import (
    ClickLog,
    Crowd,
    Simulation,
    check_fit,
    choose_model,
    estimate_bias,
    make_labels,
    models,
    read_clicks,
    simulate,
)
from relyon.labels.click_models.dcm import DCM
from relyon.labels.click_models.sdbn import SDBN
from relyon.labels.position_bias.connection import support_of
from relyon.labels.session_sample import part_of, sample_of, split


def users(model: str, *, sessions: int = 1500, queries: int = 5, swap: float = 0.3) -> Simulation:
    run = {f"q{one}": {f"d{doc}": 6.0 - doc for doc in range(6)} for one in range(queries)}
    return simulate(run, None, model, sessions=sessions, seed=1, crowd=Crowd(swap=swap))


@pytest.fixture(scope="module")
def dbn() -> ClickLog:
    return read_clicks(users("dbn").log)


def test_users_who_do_not_follow_the_model_are_warned_of(dbn: ClickLog) -> None:
    own = check_fit(models.get("dbn")().fit(dbn), dbn)
    assert own.verdict == "fits"
    assert own.notes == ()
    other = check_fit(models.get("pbm")().fit(dbn), dbn)
    assert other.verdict == "differs"
    (note,) = other.notes
    assert other.worst is not None
    assert abs(other.worst.z) > other.least
    assert f"{other.worst.clicks:,} times where it expects" in note.text()
    assert "用户行为不符合" in note.text("zh")
    # More is known with the observed rates, and nothing is gained where users follow the model.
    gains = [np.nanmean(one.perplexity) - np.nanmean(one.saturated) for one in (own, other)]
    assert gains[1] > 5 * gains[0]


def test_groups_count_every_result(dbn: ClickLog) -> None:
    found = check_fit(models.get("pbm")().fit(dbn), dbn)
    for by in ("position", "previous", "frequency"):
        assert sum(one.shown for one in found.groups if one.by == by) == dbn.results
    groups = found.to_dict()["groups"]
    assert isinstance(groups, list)
    assert len(groups) == len(found.groups)


def test_few_impressions_cannot_be_checked() -> None:
    log = read_clicks(users("dbn", sessions=60).log)
    found = check_fit(models.get("pbm")().fit(log), log)
    assert (found.verdict, found.notes) == ("unknown", ())


def test_the_plain_rate_is_chosen_where_the_log_supports_no_model() -> None:
    few = make_labels(users("pbm", sessions=60).log)
    assert few.choice is not None
    assert (few.choice.model, few.choice.reason) == ("dctr", "few-impressions")
    assert few.fitted.model.name == "dctr"
    still = make_labels(users("pbm", swap=0).log)
    assert still.choice is not None
    assert (still.choice.model, still.choice.reason) == ("dctr", "not-connected")
    assert "Chosen: DCTR, the plain click rate." in " ".join(few.to_text().split())
    assert "选用 DCTR" in still.to_text(language="zh")


def test_the_choice_follows_the_users_and_repeats(dbn: ClickLog) -> None:
    pbm = read_clicks(users("pbm").log)
    found = choose_model(pbm, support_of(pbm))
    assert found.model in ("pbm", "ubm")  # UBM contains PBM
    assert found == choose_model(pbm, support_of(pbm))
    assert choose_model(dbn, support_of(dbn)).model in ("dbn", "ccm")
    assert any(one.near for one in found.candidates)
    assert found.candidates[0].log_likelihood >= found.candidates[-1].log_likelihood


def test_labels_say_why(dbn: ClickLog) -> None:
    labels = make_labels(users("dbn").log)
    assert labels.choice is not None
    assert labels.fit is not None
    said = labels.to_dict()
    assert said["choice"] == labels.choice.to_dict()
    assert said["fit"] == labels.fit.to_dict()
    assert labels.about["chosen"] == "best"
    assert labels.about["fit"] == "fits"
    named = make_labels(users("dbn").log, "pbm")
    assert named.choice is None
    assert "labels-do-not-fit" in [note.kind for note in named.notes]


def test_parts_of_a_log(dbn: ClickLog) -> None:
    held, rest = split(dbn, 5)
    assert held.sessions + rest.sessions == dbn.sessions
    assert 0.1 < held.sessions / dbn.sessions < 0.3
    assert sample_of(dbn, dbn.sessions) is dbn
    some = sample_of(dbn, 200)
    assert 0 < some.sessions <= 200
    assert (some.pairs == sample_of(dbn, 200).pairs).to_series(0).all()
    everything = part_of(dbn, dbn.patterns.counts.astype(np.int64))
    assert everything.native.counts()["clicks"].tolist() == dbn.native.counts()["clicks"].tolist()


def test_sessions_without_a_click_are_a_choice() -> None:
    rows = [(1, 1, "a", 1), (1, 2, "b", 0), (2, 1, "a", 0), (2, 2, "b", 0)]
    names = ["session", "position", "doc", "clicked"]
    frame = pl.DataFrame(rows, names, orient="row").with_columns(query=pl.lit("q"))
    log = read_clicks(frame)
    for model in (SDBN, DCM):
        seen = model(prior_clicks=0, prior_shown=0).fit(log).parameters.pairs["attraction"]
        left = model(prior_clicks=0, prior_shown=0, clickless="left-out").fit(log)
        assert seen.tolist() == [0.5, 0.0]
        assert left.parameters.pairs["attraction"][0] == 1.0
    with pytest.raises(ParameterError):
        SDBN(clickless="all")  # type: ignore[arg-type]


def moving(kind: str) -> pl.DataFrame:
    """Documents whose click rate changes with their position: over time, by user, or not."""
    generator = np.random.default_rng(2)
    rows = []
    for session in range(4000):
        query, user = session % 8, int(generator.integers(40))
        late = session / 4000
        taste = generator.random(2)
        if kind == "time":
            taste = taste + np.array([late, 1 - late])
        if kind == "user":
            taste = taste + np.array([user % 2, 1 - user % 2]) * 0.8
        share = {"time": late, "user": float(user % 2), "": 0.5}[kind]
        liked = (share, 1 - share)
        for position, doc in enumerate(np.argsort(-taste), 1):
            clicked = generator.random() < (0.2 + 0.5 * liked[doc]) / position
            rows.append((session, query, f"u{user}", doc, position, clicked, session))
    names = ["session", "query", "user", "doc", "position", "clicked", "timestamp"]
    return pl.DataFrame(rows, names, orient="row").with_columns(
        pl.from_epoch(pl.col("timestamp") * 1000)
    )


@pytest.mark.parametrize("kind", ["", "time", "user"])
def test_documents_that_move_with_relevance(kind: str) -> None:
    found = estimate_bias(moving(kind), ["all-pairs"])
    assert [one.kind for one in found.movements if one.doubtful] == ([kind] if kind else [])
    assert all(one.tested for one in found.movements)
    verdict = found.verdict()
    assert (
        verdict[1] == "A log alone cannot show why documents moved: only swaps drawn at random can."
    )
    assert any("are then wrong" in one for one in verdict) == bool(kind)
    assert len(found.verdict("zh")) == len(verdict)


def arms(within: float, flips: str = "session") -> pl.DataFrame:
    """Two arms that rank two documents the other way round; a share of lists does so by itself."""
    generator = np.random.default_rng(4)
    rows = []
    for session in range(4_000):
        user = int(generator.integers(60))
        arm = user % 2
        turned = user % 4 < 2 if flips == "user" else generator.random() < 0.5
        order = [0, 1] if (arm if generator.random() >= within else turned) else [1, 0]
        for position, doc in enumerate(order, 1):
            clicked = generator.random() < (0.6, 0.3)[doc] / position
            rows.append((session, session % 8, f"u{user}", f"arm {arm}", doc, position, clicked))
    names = ["session", "query", "user", "bucket", "doc", "position", "clicked"]
    return pl.DataFrame(rows, names, orient="row")


def test_arms_that_a_log_names_are_looked_at_and_can_be_declared() -> None:
    found = estimate_bias(arms(0.0), ["all-pairs"])
    between = found.movements[2]
    assert (between.kind, between.tested, between.size) == ("bucket", True, 1.0)
    assert not found.movements[1].tested  # within an arm all users see the same
    said = found.verdict()
    assert "only swaps drawn at random can" in said[1]
    assert any("100% of the variance" in one and "--moved bucket" in one for one in said)
    declared = found.declare("bucket")
    assert declared.estimates == found.estimates
    assert "unrelated to relevance: 100%" in declared.verdict()[1]
    assert not any("--moved bucket" in one for one in declared.verdict())
    assert declared.to_dict()["declared"] == "bucket"
    assert found.to_dict()["declared"] == "unknown"
    assert "按声明，会话是随机分到各组的" in declared.verdict("zh")[1]
    assert "As declared, swaps were drawn" in found.declare("random").verdict()[1]


def test_a_declaration_says_what_it_does_not_cover() -> None:
    found = estimate_bias(arms(0.5), ["all-pairs"]).declare("bucket")
    assert 0.1 < found.movements[2].size < 0.5
    assert "The other" in found.verdict()[1]
    assert not any("contradicts" in one for one in found.verdict())
    personal = estimate_bias(arms(0.5, "user"), ["all-pairs"]).declare("bucket")
    assert personal.movements[1].doubtful
    assert any("contradicts the declaration" in one for one in personal.verdict())


def test_arms_of_a_log_without_any_cannot_be_declared() -> None:
    found = estimate_bias(moving(""), ["all-pairs"])
    with pytest.raises(InputError, match="bucket"):
        found.declare("bucket")
    with pytest.raises(ParameterError):
        found.declare("swaps")  # type: ignore[arg-type]


def test_a_log_without_times_and_users_says_so() -> None:
    found = estimate_bias(moving("").drop("timestamp", "user"), ["all-pairs"])
    assert [one.tested for one in found.movements] == [False, False]
    assert sum("cannot be checked" in one for one in found.verdict()) == 2
