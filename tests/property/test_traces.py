"""Traces: one call is a run to the last bit; several calls against loops over rankings."""

from __future__ import annotations

import math
import pickle
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.property.test_measures import ALL_VARIANTS

import relyon
from relyon.data.convention import Convention
from relyon.data.judgments import Judgments
from relyon.data.traces import Traces
from relyon.evaluation.measure_columns import python_columns
from relyon.evaluation.program import Program
from relyon.evaluation.results import Results
from relyon.evaluation.task_columns import _EachCall
from relyon.measures.of_calls import OfCalls
from relyon.measures.tasks import TaskMeasure

TASKS = ["q1", "q2", "7", "任务"]
DOCUMENTS = ["a", "b", "c", "d", "e", "f", "7", "文档"]
GRADES = st.sampled_from([0.0, 0.0, 1.0, 2.0, 3.0, 0.5, -1.0, -2.0])
JUDGMENTS = st.dictionaries(
    st.sampled_from(TASKS),
    st.dictionaries(st.sampled_from(DOCUMENTS), GRADES, min_size=1),
    min_size=1,
)
SUBTOPICS = st.dictionaries(
    st.sampled_from(TASKS),
    st.dictionaries(
        st.sampled_from(DOCUMENTS),
        st.dictionaries(st.sampled_from("xyz"), GRADES, min_size=1),
        min_size=1,
    ),
    min_size=1,
)
# Few scores, so that they tie.
SCORES = st.sampled_from([0.0, 0.5, 1.0, 1.0 + 1e-9, -3.0])
LISTS = st.dictionaries(st.sampled_from(DOCUMENTS), SCORES, min_size=1)
RUNS = st.dictionaries(st.sampled_from(TASKS), LISTS, min_size=1)
CALL = st.fixed_dictionaries(
    {"results": st.dictionaries(st.sampled_from(DOCUMENTS), SCORES)},
    optional={
        "read": st.lists(st.sampled_from(DOCUMENTS), max_size=4),
        "tokens": st.sampled_from([0, 250, 1234.5]),
    },
)
TRACES = st.dictionaries(st.sampled_from(TASKS), st.lists(CALL, min_size=1, max_size=4), min_size=1)
CONVENTIONS = st.builds(
    Convention,
    ties=st.sampled_from(["doc-desc", "doc-asc", "input", "input-desc", "worst", "best", "rank"]),
    undefined=st.sampled_from(["skip", "zero", "one"]),
    missing=st.sampled_from(["zero", "skip"]),
    unjudged=st.sampled_from(["nonrelevant", "removed", "ignored"]),
    unretrieved=st.sampled_from(["counted", "removed"]),
    negative=st.sampled_from(["nonrelevant", "unjudged"]),
    scores=st.sampled_from(["float64", "float32"]),
    decimals=st.sampled_from([None, None, 2]),
)
LIST_MEASURES = [name for name in ALL_VARIANTS if not isinstance(relyon.measure(name), TaskMeasure)]
OF_TASKS = [name for name in ALL_VARIANTS if isinstance(relyon.measure(name), TaskMeasure)]
#: A few of each family, with all ways in which queries become one number.
SOME = [
    "ndcg@3", "dcg(gain=exp)", "ap", "rr@2", "p@3", "recall@2", "err(max=3)", "bpref", "infap",
    "pnr", "auc", "gauc(weight=positives)", "ap_pooled", "gm_ap", "num_q", "num_ret", "num_rel",
    "num_rel_ret", "rbp", "alpha_ndcg", "strecall@2", "tau", "judged@3", "unjudged@3",
]  # fmt: skip


def known(names: list[str]) -> list[str]:
    found = []
    for name in names:
        try:
            relyon.measure(name)
        except relyon.RelyonError:
            continue
        found.append(name)
    return found


SOME = known(SOME)


def same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


def evaluated(judgments: Any, run: Any, names: list[str], rules: Convention) -> Results | str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return relyon.evaluate(judgments, run, names, convention=rules)
    except relyon.RelyonError as error:
        return str(error)


def has_closed_form(name: str, rules: Convention) -> bool:
    try:
        Program.compile(name, rules, None, None)
    except relyon.RelyonError:
        return False
    return True


def assert_same_bits(ours: Results | str, theirs: Results | str, names: list[str]) -> None:
    if isinstance(ours, str) or isinstance(theirs, str):
        assert ours == theirs
        return
    assert ours.queries == theirs.queries
    for name in names:
        assert all(map(same, ours.column(name), theirs.column(name))), name
        one, other = (
            ours.entries[relyon.measure(name).__str__()],
            theirs.entries[str(relyon.measure(name))],
        )
        assert repr(one) == repr(other), name
        for mine, yours in zip(ours.parts(name), theirs.parts(name), strict=True):
            assert all(map(same, mine, yours)), name


@settings(max_examples=60)
@given(judgments=JUDGMENTS | SUBTOPICS, run=RUNS, rules=CONVENTIONS, data=st.data())
def test_one_call_gives_the_bits_of_a_run(
    judgments: Any, run: Any, rules: Convention, data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from(LIST_MEASURES), min_size=1, max_size=8, unique=True))
    whole = relyon.Run.from_dict(run)
    table = Judgments.from_dict(judgments)
    assert_same_bits(
        evaluated(table, Traces.from_run(whole), names, rules),
        evaluated(table, whole, names, rules),
        names,
    )


@pytest.mark.long
@pytest.mark.parametrize("ties", ["doc-desc", "input", "expected", "worst"])
def test_every_registered_measure_is_that_of_a_run(ties: str, tmp_path: Path) -> None:
    grades: dict[str, dict[str, dict[str, float]]] = {
        "q1": {"a": {"x": 2, "y": 1}, "b": {"x": 0}, "c": {"y": 3}},
        "q2": {"a": {"x": 1}, "d": {"x": 0.5, "z": 1}},
        "7": {"e": {"x": 1}},
    }
    judgments = Judgments.from_dict(grades)
    run = {
        "q1": {"a": 1.0, "b": 1.0, "c": 0.0, "u": -1.0},
        "q2": {"d": 0.0, "a": 2.0, "f": -1.0},
        "n": {"a": 1.0},
    }
    rules = Convention(ties=ties)  # type: ignore[arg-type]
    names = [name for name in ALL_VARIANTS if ties != "expected" or has_closed_form(name, rules)]
    assert len(names) > 400
    whole = relyon.Run.from_dict(run)
    path = tmp_path / "agent.jsonl"
    relyon.write_traces(Traces.from_run(whole), path)
    expected = evaluated(judgments, whole, names, rules)
    assert isinstance(expected, Results)
    for traces in (Traces.from_run(whole), path):
        found = evaluated(judgments, traces, names, rules)
        assert isinstance(found, Results)
        lists = [one for one in names if not isinstance(relyon.measure(one), TaskMeasure)]
        assert_same_bits(found, expected, lists)
        for name in set(names) - set(lists):
            assert found.column(name) == pytest.approx(expected.column(name), nan_ok=True), name
            assert found[name] == pytest.approx(expected[name], nan_ok=True), name


def calls_apart(
    traces: dict[str, Any], judgments: dict[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Yields each call of a judged task as judgments and a run of its own."""
    for task, calls in traces.items():
        if task in judgments:
            for call in calls:
                yield task, {task: judgments[task]}, call["results"]


@pytest.mark.long
@settings(max_examples=40)
@given(judgments=JUDGMENTS, traces=TRACES, rules=CONVENTIONS)
def test_calls_are_lists_of_their_own(judgments: Any, traces: Any, rules: Convention) -> None:
    ties = "input" if rules.ties == "rank" else rules.ties  # a dict has no ranks
    rules = replace(rules, decimals=None, missing="zero", ties=ties)
    table = Judgments.from_dict(judgments)
    found = evaluated(table, Traces.from_dict(traces), SOME, rules)
    if isinstance(found, str):
        return
    for name in SOME:
        by_task: dict[str, list[tuple[float, float, float]]] = {}
        for task, judged, results in calls_apart(traces, judgments):
            run = {task: results} if results else Traces.from_dict({task: [{"results": []}]})
            one = evaluated(judged, run, [name], rules)
            assert isinstance(one, Results)
            numerator, denominator = (part[0] for part in one.parts(name))
            by_task.setdefault(task, []).append((one.column(name)[0], numerator, denominator))
        measure = relyon.measure(name)
        values = found.values_by_query(name)
        parts = dict(zip(found.queries, zip(*found.parts(name), strict=True), strict=True))
        for task, rows in by_task.items():
            defined = [value for value, _, _ in rows if not math.isnan(value)]
            if measure.counts_queries:
                wanted = rows[0][0]
            elif not defined:
                wanted = math.nan
            elif measure.combine == "sum":
                wanted = math.fsum(defined)
            else:
                wanted = math.fsum(defined) / len(defined)
            assert same(values[task], wanted), (name, task)
            if measure.combine == "geometric":
                instead = math.log(max(wanted, 0.00001)) if defined else 0.0
                sums = (instead, float(bool(defined)))
            elif measure.counts_queries:
                sums = rows[0][1:]
            else:
                sums = (math.fsum(row[1] for row in rows), math.fsum(row[2] for row in rows))
            assert parts[task] == pytest.approx(sums), (name, task)


@settings(max_examples=60)
@given(judgments=JUDGMENTS | SUBTOPICS, traces=TRACES, rules=CONVENTIONS, data=st.data())
def test_native_and_python_agree_on_tasks(
    judgments: Any, traces: Any, rules: Convention, data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from(SOME), min_size=1, max_size=6, unique=True))
    names += [
        f"{which}({name})"
        for which in ("first", "last", "best", "mean")
        for name in ("ndcg@3", "rr", "auc")
    ]
    table, given_traces = Judgments.from_dict(judgments), Traces.from_dict(traces)
    found = evaluated(table, given_traces, names, rules)
    if isinstance(found, str):
        return
    program = Program.compile(names, rules, None, None, table.table.highest)
    wanted = [
        (str(asked), one if isinstance(one, OfCalls) else _EachCall(one, rules))
        for asked, one in zip(program.asked, program.resolved, strict=True)
    ]
    rankings = (given_traces.ranking(task, table, rules) for task in found.queries)
    missing = sum(task not in given_traces for task in found.queries)
    columns = python_columns(program, rankings, missing, wanted)
    for name, one in zip(names, program.resolved, strict=True):
        column = columns[str(relyon.measure(name))]
        assert found.column(name) == pytest.approx(column.values(), nan_ok=True, abs=1e-9), name
        entry = found.entries[str(relyon.measure(name))]
        # What judged@k counts, the best and the worst order by gain say nothing of. Nor do ties
        # count that decide whether a call has a value at all, as they do if measures see the judged
        # documents of the first k alone.
        window = rules.unjudged == "ignored" and rules.unretrieved == "removed"
        if one.combine != "pooled" and one.describes == "quality" and not window:
            assert entry.tie_decided == column.total.tie_decided, name
        assert (entry.missing, entry.undefined) == (
            column.total.missing,
            column.total.undefined if one.combine != "pooled" or entry.average == "macro" else 0,
        ), name


@settings(max_examples=60)
@given(judgments=JUDGMENTS | SUBTOPICS, traces=TRACES, rules=CONVENTIONS, data=st.data())
def test_all_tasks_at_once_and_one_by_one(
    judgments: Any, traces: Any, rules: Convention, data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from(OF_TASKS), min_size=1, max_size=6, unique=True))
    table, given_traces = Judgments.from_dict(judgments), Traces.from_dict(traces)
    found = evaluated(table, given_traces, names, rules)
    if isinstance(found, str):
        return
    program = Program.compile(names, rules, None, None, table.table.highest)
    rankings = (given_traces.ranking(task, table, rules) for task in found.queries)
    wanted = [(str(asked), one) for asked, one in zip(program.asked, program.resolved, strict=True)]
    missing = sum(task not in given_traces for task in found.queries)
    columns = python_columns(program, rankings, missing, wanted)
    for name in names:
        column = columns[str(relyon.measure(name))]
        assert found.column(name) == pytest.approx(column.values(), nan_ok=True, abs=1e-9), name
        assert found[name] == pytest.approx(_number(program, name, column), nan_ok=True, abs=1e-9)


def _number(program: Program, name: str, column: Any) -> float:
    from relyon.evaluation.assembly import number

    place = [str(one) for one in program.asked].index(str(relyon.measure(name)))
    measure, form = program.resolved[place], program.forms[place]
    return number(measure, form, column.total, program.convention)


@settings(max_examples=100)
@given(judgments=JUDGMENTS | SUBTOPICS, traces=TRACES, rules=CONVENTIONS)
def test_arrays_and_rankings_say_the_same(judgments: Any, traces: Any, rules: Convention) -> None:
    table, given_traces = Judgments.from_dict(judgments), Traces.from_dict(traces)
    found = given_traces.judged(table, rules)
    tasks = [task for task in given_traces.tasks if task in table.table]
    if rules.missing != "skip":
        tasks += [task for task in table.queries if task not in given_traces]
    assert found.tasks == tasks
    codes: dict[tuple[str, str], int] = {}
    for number, task in enumerate(tasks):
        ranking = given_traces.ranking(task, table, rules)
        calls = ranking.calls
        assert found.calls[number + 1] - found.calls[number] == len(calls)
        for place, call in enumerate(calls):
            at = found.calls[number] + place
            rows = slice(found.rows[at], found.rows[at + 1])
            grades = [math.nan if one.grade is None else one.grade for one in call.ranking]
            assert all(map(same, found.grades[rows].tolist(), grades))
            for code, document in zip(found.documents[rows].tolist(), call, strict=True):
                assert codes.setdefault((task, document), code) == code
            assert same(found.tokens[at], call.tokens)
            if found.reads is not None and found.read_documents is not None:
                read = slice(found.reads[at], found.reads[at + 1])
                pairs = zip(found.read_documents[read].tolist(), call.read or (), strict=True)
                for code, document in pairs:
                    assert codes.setdefault((task, document), code) == code
        judged = slice(found.judged[number], found.judged[number + 1])
        listed: dict[int, float] = {}
        for code, grade in zip(
            found.judged_documents[judged].tolist(),
            found.judged_grades[judged].tolist(),
            strict=True,
        ):
            listed[code] = max(grade, listed.get(code, -math.inf))
        assert sorted(listed.values()) == sorted(ranking.judged.values())
        for document, grade in ranking.judged.items():
            if (task, document) in codes:
                assert listed[codes[task, document]] == grade
    assert len(set(codes.values())) == len(codes)


@settings(max_examples=60)
@given(traces=TRACES)
def test_traces_survive_files_frames_and_pickles(traces: Any) -> None:
    found = Traces.from_dict(traces)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.jsonl.gz")
        relyon.write_traces(found, path)
        read = relyon.read_traces(path)
    again = pickle.loads(pickle.dumps(found))
    assert read.to_dict() == again.to_dict() == found.to_dict()
    assert again.notes == found.notes
    framed = Traces.from_frame(found.to_frame())
    for task, place in product(found.tasks, range(1)):
        ours, theirs = found.calls(task), framed.calls(task)
        assert [one.documents for one in ours] == [one.documents for one in theirs], place
        assert [one.scores for one in ours] == [one.scores for one in theirs]
