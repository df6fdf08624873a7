"""Results and data travel: they pickle, copy and reach other processes whole; notes warn."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import polars as pl
import pytest

import relyon as library
from relyon.core.notes import RelyonWarning

JUDGMENTS: dict[str, dict[str, float]] = {
    "q1": {"d1": 3, "d2": 2, "d3": 0},
    "q2": {"d1": 1, "d4": 0},
    "问题": {"文档": 0.5, "d": -1},
}
RUN = {"q1": {"d2": 1.5, "d1": 1.2, "d3": 0.3}, "q2": {"d4": 1.0, "d1": 0.5}, "问题": {"文档": 1.0}}
OTHER = {"q1": {"d2": 1.1, "d1": 1.2, "d3": 0.3}, "q2": {"d4": 1.0, "d1": 2.5}, "问题": {"d": 1.0}}
THIRD = {"q1": {"d3": 1.0}, "q2": {"d1": 1.0}, "问题": {"d": 1.0, "文档": 2.0}}
SUBTOPICS = pl.DataFrame(
    {
        "query": ["q", "q", "q"],
        "subtopic": ["1", "2", "1"],
        "document": ["a", "a", "b"],
        "grade": [1, 0, 1],
    }
)
MEASURES = ["ndcg@10", "pnr", "auc", "rr", "num_ret"]


def comparison() -> library.Comparison:
    return library.compare(JUDGMENTS, RUN, [OTHER], measures=["ndcg@10", "rr"])


def accumulated() -> library.Accumulator:
    found = library.Accumulator(MEASURES)
    found.update(JUDGMENTS, RUN)
    return found


def round_() -> library.Round:
    sessions = pl.DataFrame(
        {
            "session": ["s1", "s1", "s2", "s2"],
            "query": ["tv", "tv", "radio", "radio"],
            "position": [1, 2, 1, 2],
            "doc": ["a", "b", "c", "d"],
        }
    )
    sample = library.draw_sample(library.Sessions.from_frame(sessions), per_tier=1, k=2)
    return library.create_round(
        "2026-01", sample, {"tv": {"a": 2, "b": 0}, "radio": {"c": 1, "d": 3}}
    )


THINGS: dict[str, Callable[[], Any]] = {
    "Accumulator": lambda: accumulated().compute().summary,
    "Change": lambda: library.explain_change(JUDGMENTS, RUN, OTHER, "q1", "ndcg@3"),
    "Comparison": comparison,
    "Contrast": lambda: comparison().contrasts[0],
    "Convention": lambda: library.presets.get("trec_eval"),
    "Correlations": lambda: library.rank_correlation(JUDGMENTS, [RUN, OTHER, THIRD], ["rr", "ap"]),
    "Curve": lambda: library.roc_curve([1, 0, 1], [0.3, 0.2, 0.1]),
    "Depth": lambda: library.depth(JUDGMENTS, RUN, OTHER, clicks={1: 2}),
    "Discrimination": lambda: library.discriminative_power(JUDGMENTS, [RUN, OTHER], ["rr"]),
    "Explanation": lambda: library.explain(JUDGMENTS, RUN, "q1", "ndcg@3"),
    "Findings": lambda: library.diagnose(comparison()),
    "Funnel": lambda: library.funnel(JUDGMENTS, RUN, k=2),
    "Fused run": lambda: library.fuse([RUN, OTHER]),
    "Judgments": lambda: library.Judgments.from_dict(JUDGMENTS),
    "Judgments of subtopics": lambda: library.read_judgments(SUBTOPICS),
    "Measure": lambda: library.measure("ndcg(gain=exp)@10"),
    "Monitor": lambda: library.monitor([round_()]),
    "Note": lambda: library.Note("regrouped", 2, examples=("a",)),
    "Ranking": lambda: library.Ranking.of([3, 0, 1]),
    "Results": lambda: library.evaluate(JUDGMENTS, RUN, MEASURES),
    "Results of scores": lambda: library.evaluate_scores(
        [1, 0, 1], [0.3, 0.2, 0.1], measures=["auc"]
    ),
    "Round": round_,
    "Run": lambda: library.Run.from_dict(RUN),
    "Sample": lambda: round_().sample,
    "Scale": lambda: library.scales.get("search"),
}


def content(thing: Any) -> Any:
    """Everything a user reads of it, as text and numbers."""
    if isinstance(thing, list | tuple):
        return [content(one) for one in thing]
    if isinstance(thing, library.Judgments | library.Run):
        return repr(thing), thing.table.columns(), thing.notes, thing.source
    if isinstance(thing, library.Results):
        parts = [tuple(map(list, thing.parts(name))) for name in thing]
        columns = [thing.column(name) for name in thing]
        pairs = [thing.equal_pairs(name) for name in thing]
        return str(thing), repr((thing.queries, columns, parts, pairs)), thing.to_dict()
    if hasattr(thing, "to_dict"):
        return str(thing), repr(thing.to_dict())
    return repr(thing)


@pytest.mark.parametrize("name", THINGS)
@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_what_is_pickled_comes_back_whole(name: str, protocol: int) -> None:
    thing = THINGS[name]()
    once = pickle.loads(pickle.dumps(thing, protocol))
    assert content(once) == content(thing)
    assert content(pickle.loads(pickle.dumps(once, protocol))) == content(thing)


@pytest.mark.parametrize("name", THINGS)
def test_a_deep_copy_is_the_same(name: str) -> None:
    thing = THINGS[name]()
    assert content(copy.deepcopy(thing)) == content(thing)


def test_copied_tables_evaluate_to_the_same_bits() -> None:
    judgments = library.read_judgments(SUBTOPICS)
    names = ["alpha_ndcg@5", "ndcg@10", "strecall@5"]
    run = {"q": {"b": 2.0, "a": 1.0}}
    here = library.evaluate(judgments, run, names).to_dict()
    copied = pickle.loads(pickle.dumps(judgments))
    assert library.evaluate(copied, pickle.loads(pickle.dumps(library.Run.from_dict(run))), names)
    assert library.evaluate(copied, run, names).to_dict() == here
    assert (copied.table.rows, copied.table.duplicates) == (
        judgments.table.rows,
        judgments.table.duplicates,
    )


def test_an_evaluator_works_in_another_process() -> None:
    evaluator = library.Evaluator(JUDGMENTS)
    here = evaluator.evaluate(RUN, MEASURES)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = pool.submit(evaluator.evaluate, RUN, MEASURES).result(timeout=120)
    assert content(there) == content(here)


def test_an_accumulator_goes_on_where_it_was() -> None:
    one = pickle.loads(pickle.dumps(accumulated()))
    other = accumulated()
    for each in (one, other):
        each.update({"q9": {"a": 1}}, {"q9": {"b": 1.0, "a": 0.5}})
    assert content(one.compute().to_dict()) == content(other.compute().to_dict())


@pytest.mark.parametrize("table", [library.Judgments.from_dict, library.Run.from_dict])
@pytest.mark.parametrize("damage", [lambda state: state[:-1], lambda state: state + b"x", bytes])
def test_a_damaged_state_is_refused(table: Callable[..., Any], damage: Callable[..., Any]) -> None:
    made = table({"q": {"d": 1}}).table
    state = made.__getstate__() if damage is not bytes else b"x" * 40
    kind: Any = type(made)
    with pytest.raises(library.InputError, match="damaged"):
        kind.__new__(kind).__setstate__(damage(state))


@pytest.mark.parametrize(
    "error",
    [
        library.ParseError("wrong", path="a.csv", line=3, hint="mend it"),
        library.InputError("wrong", path="a.csv", hint="mend it"),
        library.UnknownNameError("wrong"),
        library.StrictError("wrong", hint="mend it"),
    ],
)
def test_errors_travel(error: library.RelyonError) -> None:
    for back in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(back) is type(error)
        assert str(back) == str(error)
        assert vars(back) == vars(error)


def test_notes_are_warnings_of_the_line_that_called() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = library.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}}, ["rr"])
    told = [one for one in caught if issubclass(one.category, RelyonWarning)]
    wanted = [str(note) for note in found.notes if note.level == "warning"]
    assert wanted
    assert [str(one.message).partition(": ")[2] for one in told] == wanted
    assert {one.filename for one in told} == {__file__}
    assert library.RelyonWarning is RelyonWarning
    assert math.isfinite(found["rr"])


def test_a_warning_can_be_made_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RelyonWarning)
        with pytest.raises(RelyonWarning, match="run"):
            library.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}}, ["rr"])
