"""`first(M)`, `last(M)`, `best(M)`, `mean(M)`: names, and values on tasks with one call."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import Command
from tests.values import whole_list

import relyon
from relyon.cli.option_values import split_measures
from relyon.core.document.signs import width
from relyon.data.convention import load_convention
from relyon.measures.display_names import convention_line, measure_label, prose_label
from relyon.measures.fingerprint import measure_fingerprint
from relyon.measures.lookup import registry
from relyon.measures.of_calls import OF_CALLS, OfCalls
from relyon.measures.parser import measures
from relyon.measures.tasks import TaskMeasure

WHICH = ["first", "last", "best", "mean"]
LISTS = [
    whole_list(name)
    for name in sorted(registry)
    if registry.get(name).needs == "judgments" and not issubclass(registry.get(name), TaskMeasure)
]


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize(
    "inside", ["ndcg@10", "ndcg(gain={1:3,2:9,other:grade})@5", "pnr", "p(rel=2)@5", "recall@all"]
)
def test_names_are_read_and_written(which: str, inside: str) -> None:
    found = relyon.measure(f"{which}({inside})")
    assert isinstance(found, OfCalls)
    assert type(found) is OF_CALLS[which]
    assert str(found) == f"{which}({inside})"
    assert relyon.measure(str(found)) == found
    assert measures([str(found), f" {which.upper()} ( {inside} ) "]) == [found]
    assert pickle.loads(pickle.dumps(found)) == found
    assert split_measures([f"{found},ap"]) == [str(found), "ap"]
    resolved = found.resolve(relyon.Convention(gain="exp"))
    assert relyon.measure(str(resolved)) == resolved
    assert (found.bounds, found.better) == (found.of.bounds, found.of.better)


def test_names_of_other_programs_are_read() -> None:
    assert str(relyon.measure("last(nDCG_cut_10)")) == "last(ndcg@10)"
    assert str(relyon.measure("first(hit_rate@5)")) == "first(success@5)"
    assert relyon.measure("best(ndcg)").with_cutoff(3) == relyon.measure("best(ndcg@3)")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("first", "not a measure name"),
        ("first()", "not a measure name"),
        ("first(ndcg)@10", "no cutoff of its own"),
        ("first(rbo)", "compares two runs"),
        ("best(session_dcg)", "is a measure of tasks"),
        ("mean(first(ndcg))", "is a measure of tasks"),
        ("last(P)", "means 9 measures"),
        ("first(nothing)", "unknown measure: `nothing`"),
    ],
)
def test_what_is_no_measure(name: str, told: str) -> None:
    with pytest.raises(relyon.RelyonError, match=told):
        relyon.measure(name)


def collection(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    draw = random.Random(seed)
    documents = [f"d{place}" for place in range(8)]
    judgments: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for place in range(6):
        query = f"q{place}"
        chosen = draw.sample(documents, 5)
        judgments[query] = {one: draw.choice([0, 1, 2, 3]) for one in chosen}
        run[query] = {one: draw.choice([0, 1, 2, 3]) for one in draw.sample(documents, 5)}
    return judgments, run


@pytest.mark.parametrize("name", LISTS)
def test_one_call_has_the_bits_of_the_measure(name: str) -> None:
    judgments, run = collection(7)
    asked: list[Any] = [relyon.measure(name)]
    asked += [OF_CALLS[which](asked[0]) for which in WHICH]
    traces = relyon.Traces.from_run(relyon.Run.from_dict(run))
    for source in (run, traces):
        found = relyon.evaluate(judgments, source, asked)
        wanted = [repr(value) for value in found.column(asked[0])]
        for one in asked[1:]:
            assert [repr(value) for value in found.column(one)] == wanted, str(one)


def test_what_is_shown() -> None:
    rules = load_convention("relyon")
    assert measure_label("first(pnr(label_ties=ignore))") == "first(pnr (strict))"
    assert prose_label("best(ndcg@10)") == "best(ndcg@10)"
    assert prose_label("session_dcg@10") == "sDCG@10"
    assert "gain=linear" in convention_line(rules, ["first(ndcg@10)"])
    plain, exp = rules, rules.replace(gain="exp")
    first = relyon.measure("first(ndcg@10)")
    assert isinstance(first, OfCalls)
    assert measure_fingerprint(first, plain) != measure_fingerprint(first, exp)
    assert measure_fingerprint(first, plain) != measure_fingerprint(first.of, plain)


def test_rules_of_a_measure_apply_inside() -> None:
    judgments = {"t": {"a": 1}, "u": {"a": 0}}
    traces = relyon.Traces.from_dict({"t": [{"results": ["a"]}], "u": [{"results": ["a"]}]})
    rules = {"measures": {"rr": {"undefined": "zero"}}}
    plain = relyon.evaluate(judgments, traces, "first(rr)")
    counted = relyon.evaluate(judgments, traces, "first(rr)", convention=rules)
    assert (plain["first(rr)"], counted["first(rr)"]) == (1.0, 0.5)


def test_lower_is_better_for_the_best_and_in_a_comparison() -> None:
    judgments = {f"t{n}": {"a": 1} for n in range(8)}
    calls = [{"results": ["a", "x"]}, {"results": ["x", "y"]}]
    old = relyon.Traces.from_dict(dict.fromkeys(judgments, calls), name="old")
    new = relyon.Traces.from_dict(dict.fromkeys(judgments, calls[1:]), name="new")
    found = relyon.evaluate(judgments, old, ["best(unjudged@2)", "last(unjudged@2)"])
    assert list(found.values()) == [0.5, 1.0]
    contrast = relyon.compare(judgments, old, new, "best(unjudged@2)").contrasts[0]
    assert contrast.difference == 0.5


def test_results_are_stored_and_read(tmp_path: Path) -> None:
    judgments, run = collection(3)
    found = relyon.evaluate(judgments, run, ["first(ndcg@3)", "session_dcg@3", "recovery@3"])
    (tmp_path / "found.json").write_text(found.to_json(per_query=True), "utf-8")
    again = relyon.read_results(tmp_path / "found.json")
    assert again.values_by_query("first(ndcg@3)") == found.values_by_query("first(ndcg@3)")


@pytest.mark.parametrize("name", ["first", "mean(p(rel=2)@5)", "best(unjudged@5)"])
def test_the_command_describes_them(name: str, command: Command) -> None:
    outcome = command("measures", name)
    assert (outcome.code, outcome.err) == (0, "")
    assert "relyon evaluate judgments.qrels agent.jsonl -m" in outcome.out
    assert max(map(width, outcome.out.splitlines())) <= 80
    assert '"of"' in command("measures", name, "--format", "json").out


# -- worked by hand ------------------------------------------------------------------------------


def test_values_worked_by_hand() -> None:
    """Grades a 3, b 2, c 1, as on the page of traces; log4(5) = 1.1610, log4(6) = 1.2925."""
    judgments = {"who": {"a": 3, "b": 2, "c": 1}}
    calls = [
        {"results": ["x", "y"], "read": ["x"], "tokens": 300},
        {"results": ["a", "x"], "read": ["a", "x"], "tokens": 400},
        {"results": ["b", "c"], "read": ["b"], "tokens": 300},
    ]
    wanted = {
        "session_dcg": 3 / 1.1609640 + (2 + 1 / 1.5849625) / 1.2924813,
        "session_dcg(form=original)": 3 / 1.5 + (2 + 1 / 2) / 1.7924813,
        "session_dcg(gain=exp)": 7 / 1.1609640 + (3 + 1 / 1.5849625) / 1.2924813,
        "session_dcg(bq=2)": 3 / 1.5849625 + (2 + 1 / 1.5849625) / 2,
        "nsdcg": 4.6196245 / (4.7618595 * (1 + 1 / 1.1609640 + 1 / 1.2924813)),
        # The best three results of a session without repeats: divisors 1, 1.1610 and 1.2925.
        "nsdcg(repeats=ignored)": 4.6196245 / (3 + 2 / 1.1609640 + 1 / 1.2924813),
        "srbp": 0.2 * (0.4444444 + 0.1975309 + 0.1975309 * 0.64),
        "srbp(p=0.5,b=0.5)": 0.5 * (1 / 3 + 1 / 9 + 1 / 36),
        "task_recall(calls=2)": 1 / 3,
        "call_rr": 1 / 2,
        "recovery": 1.0,
        "redundancy": 1 / 6,
        "redundancy(items=reads)": 1 / 4,
        "gain_per_read": 5 / 4,
        "gain_per_ktoken": 6.0,
        "chain_recall": 1.0,
        "chain_recall(calls=2)": 0.0,
        "chain_recall(calls=2,credit=share)": 1 / 3,
    }
    found = relyon.evaluate(judgments, relyon.Traces.from_dict({"who": calls}), list(wanted))
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value, rel=1e-6), name


def test_what_was_not_recorded_is_said() -> None:
    judgments = {"t": {"a": 1}}
    names = ["gain_per_read", "gain_per_ktoken@5", "redundancy(items=reads)", "task_recall"]
    bare = relyon.Traces.from_dict({"t": [{"results": ["a"]}]})
    found = {note.kind: note for note in relyon.evaluate(judgments, bare, names).notes}
    reads, tokens = found["reads-not-recorded"], found["tokens-not-recorded"]
    assert reads.values["measures"] == ["gain_per_read", "redundancy(items=reads)"]
    assert tokens.values["measures"] == ["gain_per_ktoken@5"]
    assert "no task says which documents were read" in reads.message
    full = relyon.Traces.from_dict({"t": [{"results": ["a"], "read": ["a"], "tokens": 10}]})
    kinds = {note.kind for note in relyon.evaluate(judgments, full, names).notes}
    assert not kinds & {"reads-not-recorded", "tokens-not-recorded"}
    run = relyon.evaluate(judgments, {"t": {"a": 1.0}}, names)
    assert {"reads-not-recorded", "tokens-not-recorded"} <= {note.kind for note in run.notes}


def test_very_deep_names_are_refused() -> None:
    """Each level would be one of Python's calls, and text of an agent may have thousands."""
    deep = "mean(" * 700 + "ndcg" + ")" * 700
    with pytest.raises(relyon.ParameterError, match="not a measure name"):
        relyon.measure(deep)
