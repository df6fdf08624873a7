"""Measures of tasks: an independent brute force, arrays against steps, and their invariants."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given, strategies as st
from tests.task_data import Asked, Task, judged_calls, task_ranking

import relyon
from relyon.data.ranking import Ranking
from relyon.measures.of_calls import OfCalls
from relyon.measures.tasks import TaskMeasure

DOCUMENTS = ["a", "b", "c", "d", "e", "f", "7", "文档"]
GRADES = st.sampled_from([0.0, 1.0, 2.0, 3.0, 0.5, -1.0])
LISTS = st.lists(st.sampled_from(DOCUMENTS), max_size=6, unique=True)
CALLS = st.builds(
    Asked,
    results=LISTS,
    read=st.none() | st.lists(st.sampled_from(DOCUMENTS), max_size=4),
    tokens=st.sampled_from([math.nan, 0.0, 250.0, 1000.0, 1234.0]),
)


@st.composite
def tasks(draw: st.DrawFn, subtopics: bool = False, least: int = 0) -> Task:
    judged = {}
    for document in draw(st.lists(st.sampled_from(DOCUMENTS), max_size=6, unique=True)):
        names = ["0"]
        if subtopics:
            names = draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=3, unique=True))
        judged[document] = {name: draw(GRADES) for name in names}
    return Task(judged, draw(st.lists(CALLS, min_size=least, max_size=4)), subtopics)


def cut(task: Task, k: int | None, calls: int | None) -> list[list[str]]:
    return [call.results[:k] for call in task.calls[:calls]]


def gain(task: Task, document: str) -> float:
    return max(task.grades.get(document, 0.0), 0.0)


def relevant(task: Task, rel: float = 1.0) -> set[str]:
    return {document for document, grade in task.grades.items() if grade >= max(rel, 0.0)}


# -- the definitions again, with sets and loops --------------------------------------------------


def session_dcg(
    task: Task, k: int | None, calls: int | None, b: float, bq: float, form: str, repeats: str
) -> float:
    total, seen = 0.0, set()
    for j, results in enumerate(cut(task, k, calls), 1):
        for i, document in enumerate(results, 1):
            worth = gain(task, document)
            if document in seen and repeats == "ignored":
                worth = 0.0
            seen.add(document)
            if form == "track":
                total += worth / math.log(i + b - 1, b) / math.log(j + bq - 1, bq)
            else:
                total += worth / (1 + math.log(i, b)) / (1 + math.log(j, bq))
    return total


def best_session(
    task: Task, k: int | None, calls: int | None, b: float, bq: float, form: str, repeats: str
) -> float:
    """The ideal lists as calls of a task, evaluated as any other."""
    best = sorted(task.grades, key=lambda one: -gain(task, one))
    count = max(len(task.calls[:calls]), 1)
    if repeats == "counted":
        ideal = Task(task.judged, [Asked(best)] * count)
        return session_dcg(ideal, k, calls, b, bq, form, repeats)
    # Every place of every call, the cheapest first, gets the next best document.
    places = []
    for j in range(1, count + 1):
        for i in range(1, min(len(best), k or len(best)) + 1):
            if form == "track":
                places.append(math.log(i + b - 1, b) * math.log(j + bq - 1, bq))
            else:
                places.append((1 + math.log(i, b)) * (1 + math.log(j, bq)))
    return sum(gain(task, one) / place for one, place in zip(best, sorted(places), strict=False))


def srbp(task: Task, k: int | None, calls: int | None, p: float, b: float, repeats: str) -> float:
    """The user model itself: the probability of reaching each result, call by call."""
    total, seen = 0.0, set()
    reaches_call = 1.0
    for results in cut(task, k, calls):
        reaches, leaves = reaches_call, 0.0
        for i in range(2000):  # a list goes on for ever, with results that are worth nothing
            if i < len(results):
                document = results[i]
                hit = document in relevant(task) and not (repeats == "ignored" and document in seen)
                seen.add(document)
                total += (1 - p) * reaches * hit
            leaves += reaches * p * (1 - b)
            reaches *= p * b
        reaches_call = leaves
    return total


def task_recall(task: Task, k: int | None, calls: int | None) -> float:
    wanted = relevant(task)
    found = {document for results in cut(task, k, calls) for document in results}
    return len(found & wanted) / len(wanted) if wanted else math.nan


def first_call(task: Task, k: int | None, calls: int | None) -> int:
    for j, results in enumerate(cut(task, k, calls), 1):
        if set(results) & relevant(task):
            return j
    return 0


def call_rr(task: Task, k: int | None, calls: int | None) -> float:
    if not relevant(task):
        return math.nan
    first = first_call(task, k, calls)
    return 1 / first if first else 0.0


def recovery(task: Task, k: int | None, calls: int | None) -> float:
    first = first_call(task, k, calls)
    return math.nan if first == 1 or not relevant(task) else float(first > 1)


def repeated(lists: list[list[str]]) -> float:
    flat = [document for results in lists for document in results]
    return (len(flat) - len(set(flat))) / len(flat) if flat else math.nan


def gain_per_read(task: Task, calls: int | None) -> float:
    reads = [document for call in task.calls[:calls] for document in call.read or []]
    return sum(gain(task, one) for one in set(reads)) / len(reads) if reads else math.nan


def gain_per_tokens(task: Task, k: int | None, calls: int | None) -> float:
    spent = sum(call.tokens for call in task.calls[:calls])
    found = {document for results in cut(task, k, calls) for document in results}
    if not spent > 0:
        return math.nan
    return sum(gain(task, one) for one in found) / (spent / 1000)


def chain_recall(task: Task, k: int | None, calls: int | None, credit: str) -> float:
    sets: dict[str, set[str]] = {}
    for document, by_subtopic in task.judged.items():
        for name, grade in by_subtopic.items():
            if grade >= 1:
                sets.setdefault(name if task.subtopics else "", set()).add(document)
    found = {document for results in cut(task, k, calls) for document in results}
    shares = [len(one & found) / len(one) for one in sets.values()]
    if credit == "whole":
        shares = [float(one == 1) for one in shares]
    return sum(shares) / len(shares) if shares else math.nan


def written(name: str, k: int | None, calls: int | None, **values: object) -> TaskMeasure:
    inside = [f"{key}={value}" for key, value in values.items()]
    inside += [f"calls={calls}"] if calls else []
    text = name + (f"({','.join(inside)})" if inside else "") + (f"@{k}" if k else "")
    found = relyon.measure(text).resolve(relyon.Convention())
    assert isinstance(found, TaskMeasure)
    assert relyon.measure(str(found)) == found
    return found


def same(one: float, two: float) -> bool:
    return math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-12) or (
        math.isnan(one) and math.isnan(two)
    )


def check(measure: TaskMeasure, wanted: list[float], many: list[Task]) -> None:
    """Steps, and arrays of all tasks at once, equal the brute force."""
    found = [measure.value(task_ranking(task)) for task in many]
    assert all(map(same, found, wanted)), (str(measure), found, wanted)
    at_once = measure.values(judged_calls(many)).tolist()
    assert all(map(same, at_once, found)), (str(measure), at_once, found)
    low, high = measure.bounds
    for value in found:
        assert math.isnan(value) or low <= value <= high + 1e-12


CUTOFFS = st.sampled_from([None, 1, 2, 3])
MANY = st.lists(tasks(), min_size=1, max_size=4)
BASES = st.sampled_from([(2.0, 4.0), (3.0, 2.0), (10.0, 1.5)])


@given(MANY, CUTOFFS, CUTOFFS, BASES, st.sampled_from(["track", "original"]),
       st.sampled_from(["counted", "ignored"]))  # fmt: skip
def test_sdcg_and_nsdcg(
    many: list[Task],
    k: int | None,
    calls: int | None,
    bases: tuple[float, float],
    form: str,
    repeats: str,
) -> None:
    values = {"b": bases[0], "bq": bases[1], "form": form, "repeats": repeats}
    wanted = [session_dcg(task, k, calls, *bases, form, repeats) for task in many]
    check(written("session_dcg", k, calls, **values), wanted, many)
    best = [best_session(task, k, calls, *bases, form, repeats) for task in many]
    shares = [one / all_ if all_ > 0 else math.nan for one, all_ in zip(wanted, best, strict=True)]
    check(written("nsdcg", k, calls, **values), shares, many)


@given(MANY, CUTOFFS, CUTOFFS, st.sampled_from([0.5, 0.8]), st.sampled_from([0.3, 0.8, 1.0]),
       st.sampled_from(["counted", "ignored"]))  # fmt: skip
def test_srbp(
    many: list[Task], k: int | None, calls: int | None, p: float, b: float, repeats: str
) -> None:
    wanted = [srbp(task, k, calls, p, b, repeats) for task in many]
    check(written("srbp", k, calls, p=p, b=b, repeats=repeats), wanted, many)


@given(MANY, CUTOFFS, CUTOFFS)
def test_evidence(many: list[Task], k: int | None, calls: int | None) -> None:
    check(written("task_recall", k, calls), [task_recall(one, k, calls) for one in many], many)
    check(written("call_rr", k, calls), [call_rr(one, k, calls) for one in many], many)
    check(written("recovery", k, calls), [recovery(one, k, calls) for one in many], many)


@given(MANY, CUTOFFS, CUTOFFS)
def test_effort(many: list[Task], k: int | None, calls: int | None) -> None:
    check(written("redundancy", k, calls), [repeated(cut(one, k, calls)) for one in many], many)
    reads = [[call.read or [] for call in task.calls[:calls]] for task in many]
    check(written("redundancy", None, calls, items="reads"), list(map(repeated, reads)), many)
    check(written("gain_per_read", None, calls), [gain_per_read(one, calls) for one in many], many)
    wanted = [gain_per_tokens(one, k, calls) for one in many]
    check(written("gain_per_ktoken", k, calls), wanted, many)


@given(
    st.booleans().flatmap(lambda s: st.lists(tasks(subtopics=s), min_size=1, max_size=4)),
    CUTOFFS,
    CUTOFFS,
    st.sampled_from(["whole", "share"]),
)
def test_chain_recall(many: list[Task], k: int | None, calls: int | None, credit: str) -> None:
    wanted = [chain_recall(task, k, calls, credit) for task in many]
    check(written("chain_recall", k, calls, credit=credit), wanted, many)


@given(MANY)
def test_weights_of_recovery(many: list[Task]) -> None:
    measure = written("recovery", 2, None)
    weights = [measure.query_weight(task_ranking(task)) for task in many]
    assert measure.weights(judged_calls(many)).tolist() == weights
    assert weights == [float(first_call(task, 2, None) != 1) for task in many]


# -- invariants ----------------------------------------------------------------------------------


@given(tasks(least=1))
def test_one_call_is_a_list(task: Task) -> None:
    one = replace(task, calls=task.calls[:1])
    whole, alone = task_ranking(one), task_ranking(one).calls[0].ranking
    pairs = [
        ("session_dcg@3", "dcg@3"),
        ("nsdcg@3", "ndcg@3"),
        ("task_recall@2", "recall@2"),
        *((f"{which}({name})", name) for which in ("first", "last", "best", "mean")
          for name in ("ndcg(gain=exp)@3", "rr", "unjudged@2", "pnr", "ap")),
    ]  # fmt: skip
    for of_task, of_list in pairs:
        mine = relyon.measure(of_task).resolve(relyon.Convention())
        theirs = relyon.measure(of_list).resolve(relyon.Convention())
        assert repr(mine.value(whole)) == repr(theirs.value(alone)), of_task
        # An ordinary ranking is a task with one call.
        assert repr(mine.value(alone)) == repr(theirs.value(alone)), of_task
    rbp = written("srbp", None, None, b=1, p=0.7).value(task_ranking(task))
    assert same(rbp, relyon.measure("rbp(p=0.7)").value(alone))
    if relevant(one):
        success = relyon.measure("success@2").value(alone)
        assert relyon.measure("call_rr@2").value(whole) == success


@given(tasks(least=1), st.data())
def test_a_result_that_the_task_had_raises_nothing(task: Task, data: st.DataObject) -> None:
    had = [document for call in task.calls for document in call.results]
    if not had:
        return
    again = [data.draw(st.sampled_from(had))]
    longer = replace(task, calls=[*task.calls, Asked(again, [], 10.0)])
    for name in (
        *("task_recall", "chain_recall", "call_rr", "recovery", "nsdcg(repeats=ignored)"),
        *("session_dcg(repeats=ignored)", "srbp(repeats=ignored)", "gain_per_ktoken"),
    ):
        measure = relyon.measure(name)
        before, after = (measure.value(task_ranking(one)) for one in (task, longer))
        assert math.isnan(before) or after <= before + 1e-12, name
    redundancy = relyon.measure("redundancy")
    assert redundancy.value(task_ranking(longer)) >= redundancy.value(task_ranking(task)) - 1e-12


@given(tasks(least=1), CALLS)
def test_one_more_call_never_lowers_what_calls_find_together(task: Task, more: Asked) -> None:
    """The page says so: these measures alone reward an agent for calling more often."""
    longer = replace(task, calls=[*task.calls, more])
    for name in (
        *("session_dcg@2", "srbp@2", "task_recall@2", "chain_recall@2", "call_rr@2"),
        *("recovery@2", "best(ndcg@2)"),
    ):
        measure = relyon.measure(name).resolve(relyon.Convention())
        before, after = (measure.value(task_ranking(one)) for one in (task, longer))
        assert math.isnan(before) or after >= before - 1e-12, name


@given(tasks(), st.randoms(use_true_random=False))
def test_the_order_of_calls_does_not_matter_for_the_union(task: Task, random: object) -> None:
    calls = list(task.calls)
    random.shuffle(calls)  # type: ignore[attr-defined]
    shuffled = replace(task, calls=calls)
    for name in ("task_recall@2", "chain_recall@2", "redundancy@2", "gain_per_read"):
        measure = relyon.measure(name)
        assert same(measure.value(task_ranking(task)), measure.value(task_ranking(shuffled))), name


@given(tasks())
def test_calls_are_chosen_and_averaged(task: Task) -> None:
    for name in ("ndcg@2", "p@1", "unjudged@3", "rr"):
        inside = relyon.measure(name).resolve(relyon.Convention())
        ranking = task_ranking(task)
        lists = [call.ranking for call in ranking.calls] or [
            Ranking(documents=(), judged=ranking.judged)
        ]
        values = [inside.value(one) for one in lists]
        known = [value for value in values if not math.isnan(value)] or [math.nan]
        best = min(known) if inside.better == "lower" else max(known)
        wanted = {
            "first": values[0],
            "last": values[-1],
            "best": best,
            "mean": math.fsum(known) / len(known),
        }
        for which, value in wanted.items():
            measure = relyon.measure(f"{which}({name})").resolve(relyon.Convention())
            assert isinstance(measure, OfCalls)
            assert repr(measure.value(ranking)) == repr(value), (which, name)
            steps = list(measure.steps(ranking)) if measure.undefined(ranking) is None else []
            if steps:
                assert same(steps[-1].total, value)
            assert (measure.undefined(ranking) is None) != math.isnan(value)


@given(tasks(), st.sampled_from(["ignored", "removed"]))
def test_ignored_documents_leave_each_call(task: Task, rule: Literal["ignored", "removed"]) -> None:
    rules = relyon.Convention(unjudged=rule)
    kept = [replace(one, results=[x for x in one.results[:2] if x in task.grades])
            for one in task.calls]  # fmt: skip
    if rule == "removed":
        kept = [replace(one, results=[x for x in one.results if x in task.grades])
                for one in task.calls]  # fmt: skip
    for name in ("session_dcg@2", "task_recall@2", "redundancy@2", "chain_recall@2"):
        measure = relyon.measure(name)
        found = measure.value(task_ranking(task, rules))
        assert same(found, measure.value(task_ranking(replace(task, calls=kept)))), name


@given(MANY)
def test_judged_documents_alone(many: list[Task]) -> None:
    for name in ("session_dcg", "task_recall", "redundancy", "srbp"):
        measure = relyon.measure(f"{name}(judged_only=true)@2").resolve(relyon.Convention())
        assert isinstance(measure, TaskMeasure)
        kept = [
            replace(task, calls=[
                replace(one, results=[x for x in one.results if x in task.grades])
                for one in task.calls
            ])
            for task in many
        ]  # fmt: skip
        plain = relyon.measure(f"{name}@2").resolve(relyon.Convention())
        wanted = [plain.value(task_ranking(task)) for task in kept]
        check(measure, wanted, many)


def test_a_grade_that_is_not_in_the_map_of_gains_is_refused() -> None:
    measure = relyon.measure("srbp(gain={0:0,1:2})")
    with pytest.raises(relyon.ParameterError, match="gains from 0 to 1"):
        measure.score([1])
