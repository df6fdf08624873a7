"""Click models: closed forms by hand, exact posteriors by enumeration, likelihoods that rise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

from relyon.labels.examination import Chain
from relyon.labels.log import ClickLog, read_clicks
from relyon.labels.model import ClickModel, FittedModel, models
from relyon.labels.result_lists import Lists, lists_of

#: A query, its documents in order, and the clicks.
Session = tuple[str, Sequence[str], Sequence[int]]

ALL = list(models)
CHAINS = ["cascade", "ccm", "dbn", "dcm", "sdbn"]
ITERATED = ["ccm", "dbn", "pbm", "ubm"]


def log_of(sessions: Iterable[Session], **options: Any) -> ClickLog:
    rows = [
        (f"s{number:04}", query, document, position, bool(click))
        for number, (query, documents, clicks) in enumerate(sessions)
        for position, (document, click) in enumerate(zip(documents, clicks, strict=True), 1)
    ]
    schema = ["session", "query", "doc", "position", "clicked"]
    return read_clicks(pl.DataFrame(rows, schema=schema, orient="row"), **options)


def random_sessions(seed: int, count: int = 300, longest: int = 5) -> Iterator[Session]:
    generator = np.random.default_rng(seed)
    for _ in range(count):
        documents = generator.permutation(list("abcdefg"))[: generator.integers(1, longest + 1)]
        chances = 0.6 / np.arange(1, len(documents) + 1)
        yield (
            str(generator.choice(["tv", "电视"])),
            [str(document) for document in documents],
            [int(click) for click in generator.random(len(documents)) < chances],
        )


def values_of(fitted: FittedModel, name: str) -> dict[str, float]:
    return dict(zip(fitted.pairs["document"], fitted.parameters.pairs[name], strict=True))


# Three sessions: clicks on b, on a and b, and none.
HAND: list[Session] = [
    ("q", "abc", (0, 1, 0)),
    ("q", "abc", (1, 1, 0)),
    ("q", "abc", (0, 0, 0)),
]


@pytest.mark.parametrize(
    ("name", "parameter", "expected"),
    [
        ("dctr", "rate", {"a": 2 / 5, "b": 3 / 5, "c": 1 / 5}),
        # c is examined in the session without a click alone.
        ("sdbn", "attraction", {"a": 2 / 5, "b": 3 / 5, "c": 1 / 3}),
        ("sdbn", "satisfaction", {"a": 1 / 3, "b": 3 / 4, "c": 1 / 2}),
        ("dcm", "attraction", {"a": 2 / 5, "b": 3 / 5, "c": 1 / 3}),
        # Nothing below the first click counts.
        ("cascade", "attraction", {"a": 2 / 5, "b": 2 / 4, "c": 1 / 3}),
        # Rates of the positions: 1/3, 2/3, 0.
        ("coec", "ratio", {"a": 2 / 2, "b": 3 / 3, "c": 1 / 1}),
    ],
)
def test_closed_forms(name: str, parameter: str, expected: dict[str, float]) -> None:
    assert values_of(models.get(name)().fit(log_of(HAND)), parameter) == expected


def test_going_on_after_a_click() -> None:
    fitted = models.get("dcm")().fit(log_of(HAND))
    # One click at position 1, which another followed; two at position 2, which none did.
    assert list(fitted.parameters.shared["go_on"][:3]) == [2 / 3, 1 / 4, 1 / 2]


@pytest.mark.parametrize("name", ALL)
def test_the_order_of_the_rows_and_threads_change_no_bit(name: str) -> None:
    rows = [
        (f"s{number}", query, document, position, bool(click))
        for number, (query, documents, clicks) in enumerate(random_sessions(1))
        for position, (document, click) in enumerate(zip(documents, clicks, strict=True), 1)
    ]
    frame = pl.DataFrame(
        rows, schema=["session", "query", "doc", "position", "clicked"], orient="row"
    )
    model = models.get(name)()
    whole = model.fit(read_clicks(frame, threads=1)).relevance()
    for other in (frame.sample(fraction=1, shuffle=True, seed=2), frame.reverse()):
        assert model.fit(read_clicks(other, threads=3)).relevance().equals(whole)


@pytest.mark.parametrize("name", ALL)
def test_clicks_foreseen_are_those_of_all_ways_through_the_list(name: str) -> None:
    """Marginal probabilities are sums over all clicks of the products of conditional ones."""
    fitted = models.get(name)().fit(log_of(random_sessions(2, longest=4)))
    ways = list(itertools.product((0, 1), repeat=4))
    lists = lists_of(log_of(("tv", "abcd", way) for way in ways))
    chances = np.exp(
        np.where(
            lists.clicked,
            np.log(
                np.maximum(
                    conditional := fitted.click_probabilities(lists, conditional=True), 1e-300
                )
            ),
            np.log1p(-conditional),
        ).sum(axis=1)
    )
    assert chances.sum() == pytest.approx(1)
    assert (chances[:, None] * lists.clicked).sum(axis=0) == pytest.approx(
        fitted.click_probabilities(lists)[0]
    )


@pytest.mark.parametrize("name", ALL)
def test_simulated_clicks_come_as_often_as_foreseen(name: str) -> None:
    fitted = models.get(name)().fit(log_of(random_sessions(3)))
    lists = lists_of(log_of(("tv", "abcd"[: 1 + n % 4], [0] * (1 + n % 4)) for n in range(4)))
    copies = 20_000
    many = Lists(
        lists.names,
        np.repeat(lists.pairs, copies, axis=0),
        np.repeat(lists.positions, copies, axis=0),
        np.repeat(lists.shown, copies, axis=0),
        np.repeat(lists.clicked, copies, axis=0),
        np.repeat(lists.counts, copies),
    )
    drawn = fitted.simulate(many, seed=5).reshape(len(lists), copies, -1).mean(axis=1)
    foreseen = fitted.click_probabilities(lists) * lists.shown
    assert np.abs(drawn - foreseen).max() < 5 * math.sqrt(0.25 / copies)


@pytest.mark.parametrize("name", ITERATED)
def test_every_round_raises_the_likelihood(name: str) -> None:
    log = log_of(random_sessions(4))
    lists = lists_of(log)
    likelihoods = []
    for rounds in range(1, 12):
        model = models.get(name)(prior_clicks=0, prior_shown=0, rounds=rounds, tolerance=0)  # type: ignore[call-arg]
        likelihoods.append(float(model.fit(log).log_likelihood(lists) @ lists.counts))
    assert np.diff(likelihoods).min() > -1e-9


@pytest.mark.parametrize("name", ["dbn", "ccm"])
def test_a_round_is_the_exact_expectation(name: str) -> None:
    """One round from 1/2 everywhere, against the sum over all that is hidden."""
    sessions = list(random_sessions(6, count=40, longest=4))
    model = models.get(name)(rounds=1, tolerance=0)  # type: ignore[call-arg]
    fitted = model.fit(log_of(sessions))
    learned: dict[Any, list[float]] = {}
    for query, documents, clicks in sessions:
        ways = list(hidden_ways(name, len(documents), clicks))
        whole = sum(weight for weight, _ in ways)
        for weight, trials in ways:
            for (kind, place), success in trials:
                key = (kind, query, documents[place]) if kind in "as" else kind
                entry = learned.setdefault(key, [1.0, 2.0])
                entry[0] += success * weight / whole
                entry[1] += weight / whole
    for kind, parameter in (("a", "attraction"), ("s", "satisfaction")):
        if parameter not in fitted.parameters.pairs:
            continue
        found = zip(fitted.pairs.rows(), fitted.parameters.pairs[parameter], strict=True)
        for (query, document), value in found:
            done, shown = learned.get((kind, query, document), [1.0, 2.0])
            assert value == pytest.approx(done / shown, abs=1e-12)
    for number, value in enumerate(fitted.parameters.shared["go_on"]):
        done, shown = learned[f"g{number}"]
        assert value == pytest.approx(done / shown, abs=1e-12)


def hidden_ways(
    name: str, size: int, clicks: Sequence[int]
) -> Iterator[tuple[float, list[tuple[tuple[str, int], int]]]]:
    """Every way through a list that leads to the clicks: its weight and its trials.

    All probabilities are 1/2, so that a way weighs 1/2 to the number of its trials. A document
    attracts, or not, whether it is examined or not; going on past the end is no trial.
    """
    for attracts in itertools.product((0, 1), repeat=size):
        yield from walk(name, size, clicks, attracts, 0, [])


def walk(
    name: str,
    size: int,
    clicks: Sequence[int],
    attracts: Sequence[int],
    place: int,
    trials: list[tuple[tuple[str, int], int]],
) -> Iterator[tuple[float, list[tuple[tuple[str, int], int]]]]:
    def done() -> tuple[float, list[tuple[tuple[str, int], int]]]:
        every = [*trials, *((("a", at), attracts[at]) for at in range(size))]
        return 0.5 ** len(every), every

    if place == size:
        yield done()
        return
    if clicks[place] != attracts[place]:
        return  # what is examined is clicked where it attracts
    quiet = not any(clicks[place + 1 :])

    def onward(kind: str, here: list[tuple[tuple[str, int], int]]) -> Iterator[Any]:
        if place + 1 == size:
            yield from walk(name, size, clicks, attracts, size, here)
            return
        if quiet:
            every = [*here, ((kind, place), 0), *((("a", at), attracts[at]) for at in range(size))]
            yield 0.5 ** len(every), every
        yield from walk(name, size, clicks, attracts, place + 1, [*here, ((kind, place), 1)])

    if not clicks[place]:
        yield from onward("g0", trials)
        return
    helps = "s" if name == "dbn" else "a"
    for pleased in (0, 1):
        here = [*trials, ((helps, place), pleased)]
        if name == "ccm":
            yield from onward("g2" if pleased else "g1", here)
        elif not pleased:
            yield from onward("g0", here)
        elif quiet:
            every = [*here, *((("a", at), attracts[at]) for at in range(size))]
            yield 0.5 ** len(every), every


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "sessions",
    [
        [("q", "a", (0,))],
        [("q", "a", (1,))],
        [("q", "abc", (0, 0, 0))] * 3,
        [("q", "abc", (1, 1, 1))] * 3,
        [("q", "ab", (0, 1)), ("r", "a", (1,)), ("q", "b", (0,))],
    ],
    ids=["skipped", "clicked", "no clicks", "all clicks", "few"],
)
@pytest.mark.parametrize("prior", [(1, 2), (0, 0)], ids=["prior", "no prior"])
def test_corners_have_an_answer(name: str, sessions: list[Session], prior: tuple[int, int]) -> None:
    model = models.get(name)(prior_clicks=prior[0], prior_shown=prior[1])
    log = log_of(sessions)
    fitted = model.fit(log)
    found = fitted.relevance()
    numbers = found.select("low", "relevance", "high", "weight").to_numpy()
    assert np.isfinite(numbers).all()
    assert ((numbers[:, :3] >= 0) & (numbers[:, :3] <= 1)).all()
    assert (np.diff(numbers[:, :3]) >= 0).all()
    assert np.isfinite(fitted.log_likelihood(lists_of(log))).all()
    assert fitted.judgments().evidence is not None


@pytest.mark.parametrize("name", ALL)
def test_a_document_that_the_log_does_not_have(name: str) -> None:
    fitted = models.get(name)().fit(log_of(HAND))
    clicks = fitted.click_probabilities(lists_of(log_of([("new", "xyz", (0, 0, 0))])))
    assert np.isfinite(clicks).all()
    assert ((clicks >= 0) & (clicks <= 1)).all()


def test_chains_say_when_the_user_goes_on() -> None:
    """A satisfied user of SDBN examines nothing more; one who skipped does."""
    model = models.get("sdbn")(prior_clicks=0, prior_shown=0)
    fitted = model.fit(log_of([("q", "ab", (1, 0)), ("q", "ab", (0, 1))]))
    lists = lists_of(log_of([("q", "ab", (1, 0)), ("q", "ab", (0, 0))]))
    found = dict(
        zip(
            lists.clicked[:, 0],
            fitted.click_probabilities(lists, conditional=True)[:, 1],
            strict=True,
        )
    )
    assert found == {True: 0.0, False: 1.0}
    assert isinstance(model, Chain)


def test_the_base_takes_new_models() -> None:
    assert all(issubclass(models.get(name), ClickModel) for name in ALL)
    assert len(ALL) == 14
