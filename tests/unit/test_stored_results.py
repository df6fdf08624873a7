"""Stored evaluations are compared like the runs they were measured on, to the bit."""

from __future__ import annotations

import copy
import gzip
import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import Command
from tests.values import whole_list

import relyon
from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.core.texts import translate
from relyon.evaluation.same_inputs import DifferentInputs
from relyon.evaluation.stored import is_stored
from relyon.measures.lookup import registry

NAMES = [whole_list(name) for name in sorted(registry) if registry.get(name).needs == "judgments"]
POOLED = {"auc", "logloss", "brier", "calibration_error"}
CONVENTIONS = ("relyon", "trec_eval", "lightgbm")


def data(seed: int = 3, queries: int = 30, negative: bool = True) -> tuple[Any, Any, Any]:
    """Judgments with unjudged, negative and fractional grades, and runs with ties and gaps."""
    dice = random.Random(seed)
    judgments: dict[str, dict[str, float]] = {}
    runs: list[dict[str, dict[str, float]]] = [{}, {}]
    for number in range(queries):
        query = f"q{number}"
        grades = [dice.choice([-negative, 0, 0, 1, 2, 3, 0.5]) for _ in range(9)]
        if number % 7 == 0:
            grades = [0] * 9
        judgments[query] = {f"d{place}": grade for place, grade in enumerate(grades)}
        for run in runs:
            if dice.random() < 0.93:
                run[query] = {f"d{place}": dice.randint(0, 5) / 2 for place in range(12)}
        if number % 5 == 0:  # no inversions: an infinite PNR
            runs[1][query] = dict(judgments[query])
    return judgments, runs[0], runs[1]


def stored(results: relyon.Results, path: Path) -> relyon.Results:
    path.write_text(results.to_json(per_query=True), "utf-8", "surrogateescape")
    return relyon.read_results(path)


def evaluated(names: Any, **settings: Any) -> tuple[Any, Any, Any, list[relyon.Results]]:
    judgments, old, new = data(negative=settings.get("convention") != "lightgbm")
    runs = [
        relyon.evaluate(judgments, run, names, name=name, **settings)
        for name, run in (("old", old), ("new", new))
    ]
    return judgments, old, new, runs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("average", [None, "macro", "micro"])
def test_every_measure_compares_the_same(tmp_path: Path, convention: str, average: Any) -> None:
    possible = []
    for name in NAMES:
        try:
            evaluated([name], convention=convention, average=average)
        except (InputError, ParameterError):
            continue
        possible.append(name)
    assert len(possible) > 30
    judgments, old, new, results = evaluated(possible, convention=convention, average=average)
    kept = [stored(one, tmp_path / f"{one.run}.json") for one in results]
    for one, other in zip(results, kept, strict=True):
        assert other.queries == one.queries
        assert other.to_json(per_query=True) == one.to_json(per_query=True)
        assert repr(other.entries) == repr(one.entries)
        assert other.notes == one.notes
    compared = [name for name in possible if not pooled(results[0], name)]
    judgments, old, new, results = evaluated(compared, convention=convention, average=average)
    kept = [stored(one, tmp_path / f"{one.run}.json") for one in results]
    direct = relyon.compare(
        judgments, old, new, compared, names=["old", "new"], convention=convention, average=average
    )
    found = relyon.compare_results(kept)
    assert compared_json(found.to_json(per_query=True)) == compared_json(
        direct.to_json(per_query=True)
    )
    assert repr(found.contrasts) == repr(direct.contrasts)
    for language in ("en", "zh"):
        shown = [one.to_text(language=language).partition("\n\n")[2] for one in (found, direct)]
        assert shown[0] == shown[1]


def compared_json(text: str) -> Any:
    """Returns a comparison's JSON without its decisions.

    Runs are searched for documents that nobody judged; stored results have no documents.
    """
    return {name: value for name, value in json.loads(text).items() if name != "decision"}


def pooled(results: relyon.Results, name: str) -> bool:
    entry = results.entries[str(relyon.measure(name))]
    return entry.average == "micro" and relyon.measure(name).combine == "pooled"


def pair(measures: Any = "ndcg@10", **changes: Any) -> list[relyon.Results]:
    """Evaluations of two runs, the second with other judgments."""
    judgments, old, new = data()
    other = copy.deepcopy(judgments)
    for query, grades in changes.get("grades", {}).items():
        if grades is None:
            del other[query]
        else:
            other.setdefault(query, {}).update(grades)
    return [
        relyon.evaluate(judgments, old, measures, name="old"),
        relyon.evaluate(other, new, measures, name="new", scale=changes.get("scale")),
    ]


@pytest.mark.filterwarnings("ignore")
def test_other_judgments_are_refused_with_what_differs() -> None:
    changed = {"q3": {"d1": 3, "d2": 3}, "q5": {"more": 1}, "q4": None, "new": {"d1": 1}}
    with pytest.raises(InputError) as raised:
        relyon.compare_results(pair(grades=changed))
    text = str(raised.value)
    assert "`old` and `new` were measured with different judgments" in text
    assert "270 judgments of 30 queries" in text
    assert "263 of 30 queries" in text
    assert "the judgments of 2 of 29 shared queries differ: `q3`, `q5`" in text
    assert "only `old` has judgments of 1 query: `q4`" in text
    assert "only `new` has judgments of 1 query: `new`" in text
    assert "--allow-different-inputs" in str(raised.value)


@pytest.mark.filterwarnings("ignore")
def test_the_documents_may_be_the_same_and_the_grades_not() -> None:
    with pytest.raises(InputError, match="the judged documents are the same, with other grades"):
        relyon.compare_results(pair(grades={"q3": {"d1": 3, "d2": 3}}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("measure", ["ndcg@10", "pnr(smoothing=1)", "auc", "num_rel_ret", "gm_ap"])
def test_common_queries_are_compared_as_if_there_were_no_others(measure: str) -> None:
    changed = {"q3": {"d1": 3, "d2": 3}, "q5": {"more": 1}, "q4": None}
    found = relyon.compare_results(pair(measure, grades=changed), different_inputs="common")
    judgments, old, new = data()
    for query in changed:
        del judgments[query]
    runs = [{query: one for query, one in run.items() if query in judgments} for run in (old, new)]
    expected = relyon.compare(judgments, runs[0], runs[1], measure, names=["old", "new"])
    assert repr(found.contrasts) == repr(expected.contrasts)
    (note,) = [one for one in found.notes if one.kind == "judged-differently"]
    assert (note.count, note.examples, note.level) == (3, ("q3", "q4", "q5"), "warning")


@pytest.mark.filterwarnings("ignore")
def test_nothing_in_common_is_an_error() -> None:
    changed = {f"q{number}": {"more": 1} for number in range(30)}
    with pytest.raises(InputError, match="no query has the same judgments"):
        relyon.compare_results(pair(grades=changed), different_inputs="common")


@pytest.mark.filterwarnings("ignore")
def test_other_scales_are_other_inputs() -> None:
    judgments = {f"q{n}": {"a": 3, "b": 1, "c": 0} for n in range(8)}
    run = {query: {"a": 1.0, "b": 2.0} for query in judgments}
    results = [
        relyon.evaluate(judgments, run, "ndcg@5", name=name, scale=scale)
        for name, scale in (("old", None), ("new", "search"))
    ]
    with pytest.raises(InputError, match="different grade scales"):
        relyon.compare_results(results)


def test_other_rules_are_named_with_both_values() -> None:
    judgments = {f"q{n}": {"a": 3, "b": 1} for n in range(8)}
    rules: Any = ({}, {"ties": "expected", "rel": 2, "measures": {"rbp": {"p": 0.9}}})
    results = [
        relyon.evaluate(judgments, judgments, "ndcg@5", name=name, convention=one)
        for name, one in zip(("old", "new"), rules, strict=True)
    ]
    with pytest.raises(ParameterError) as raised:
        relyon.compare_results(results)
    assert str(raised.value.message) == (
        "`old` and `new` were measured by different rules: ties: doc-desc in `old`, expected in "
        "`new`; rel: the default in `old`, 2 in `new`; rbp.p: the default in `old`, 0.9 in `new`"
    )
    said = translate(raised.value.message, "zh")
    assert "ties：`old` = doc-desc，`new` = expected；" in said
    assert "rbp.p：`old` = 默认值，`new` = 0.9" in said
    renamed = relyon.evaluate(judgments, judgments, "ndcg@5", convention={"gain": "linear"})
    assert relyon.compare_results([results[0], renamed]).contrasts


def test_other_definitions_are_other_numbers() -> None:
    judgments = {f"q{n}": {"a": 3, "b": 1, "c": 0} for n in range(8)}
    run = {query: {"a": 1.0, "b": 2.0} for query in judgments}
    results = [
        relyon.evaluate(judgments, run, "pnr", name=name, average=average)  # type: ignore[arg-type]
        for name, average in (("old", "macro"), ("new", "micro"))
    ]
    different: DifferentInputs
    for different in ("refuse", "common"):
        with pytest.raises(InputError, match="`pnr` is defined differently"):
            relyon.compare_results(results, different_inputs=different)


@pytest.mark.filterwarnings("ignore")
def test_pooled_scores_are_not_stored(tmp_path: Path) -> None:
    results = [stored(one, tmp_path / f"{one.run}.json") for one in evaluated(["auc", "rr"])[3]]
    assert results[0]["auc"] == evaluated(["auc", "rr"])[3][0]["auc"]
    again = [pickle.loads(pickle.dumps(one)) for one in results]
    for one in (results, again):
        with pytest.raises(InputError, match=r"old.json: stored results .* `auc`") as raised:
            relyon.compare_results(one)
        assert "gauc" in (raised.value.hint or "")


@pytest.mark.filterwarnings("ignore")
def test_old_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    values = evaluated(["rr", "pnr"])[3][0].to_dict(per_query=True)
    before = {key: one for key, one in values.items() if key not in ("stored", "inputs")}
    path.write_text(json.dumps(before))
    found = relyon.read_results(path)
    assert found.inputs is None
    assert [one.kind for one in found.notes][-1] == "inputs-unknown"
    assert repr(found.column("rr")) == repr(evaluated(["rr"])[3][0].column("rr"))
    for ask in (found.column, found.parts):
        with pytest.raises(InputError, match="earlier version"):
            ask("pnr")
    del before["per_query"]
    path.write_text(json.dumps(before))
    with pytest.raises(InputError, match="no values of queries") as raised:
        relyon.read_results(path)
    assert "-q --format json" in str(raised.value)


@pytest.mark.parametrize(
    "text", ["{}", "[]", "1", "", '{"run": "a"}', '{"run": "a", "measures": 1}', "{", "a b c"]
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"a\.json"):
        relyon.read_results(path)


@pytest.mark.filterwarnings("ignore")
def test_broken_values_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    whole = evaluated(["pnr"])[3][0].to_dict(per_query=True)
    for place in (("inputs", "judgments"), ("per_query", "q1"), ("convention", "ties"),
                  ("stored", "measures", "pnr", "numerators"), ("measures", "pnr", "average"),
                  ("measures", "pnr", "value"), ("stored", "notes")):  # fmt: skip
        values: Any = json.loads(json.dumps(whole))
        inner = values
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = {"x": 1}
        path.write_text(json.dumps(values))
        if place[-1] == "average":
            continue
        with pytest.raises((InputError, ParameterError)):
            relyon.read_results(path)
    whole["stored"]["format"] = 2  # type: ignore[index]
    path.write_text(json.dumps(whole))
    with pytest.raises(InputError, match="later version"):
        relyon.read_results(path)


@pytest.mark.filterwarnings("ignore")
def test_several_runs_in_one_file_and_compression(tmp_path: Path) -> None:
    both = "\n".join(one.to_json(per_query=True) for one in evaluated(["rr"])[3])
    path = tmp_path / "both.json.gz"
    path.write_bytes(gzip.compress(both.encode()))
    assert is_stored(str(path))
    assert relyon.read_results(path, run="new").run == "new"
    with pytest.raises(ParameterError, match="several runs"):
        relyon.read_results(path)
    with pytest.raises(UnknownNameError, match="no run `newer`"):
        relyon.read_results(path, run="newer")


def test_judgments_are_not_taken_for_results(tmp_path: Path) -> None:
    path = tmp_path / "judgments.json"
    for text in ('{"run": {"d": 1}}', '{"q": {"d": 1}}', '{"run": {}, "measures": {}}'):
        path.write_text(text)
        assert not is_stored(str(path))


@pytest.mark.filterwarnings("ignore")
def test_ids_of_all_kinds_survive(tmp_path: Path) -> None:
    ids = ["é", "e\u0301", "\udcff", 'a"b\\', "a b\t", "x" * 3000, "查询"]
    judgments = {one: {"d": 1, "e": 0} for one in ids}
    run = {one: {"d": 1.0, "e": 2.0} for one in ids}
    found = relyon.evaluate(judgments, run, ["rr", "pnr"], name="\udcff")
    again = stored(found, tmp_path / "ids.json")
    assert again.queries == ids
    assert again.run == found.run
    assert again.inputs == found.inputs


# -- on the command line ---------------------------------------------------------------------------


def store(command: Command, run: str, *more: str, judgments: str = "judgments.qrels") -> str:
    path = run.replace(".run", ".json")
    done = command("evaluate", judgments, run, "-q", "--format", "json", "-o", path, *more)
    assert done.code == 0, done.err
    return path


def test_the_command_compares_stored_results(command: Command) -> None:
    measures = ("-m", "ndcg@10", "-m", "pnr")
    files = [store(command, run, *measures) for run in ("bm25.run", "new.run", "tfidf.run")]
    runs = ("judgments.qrels", "bm25.run", "new.run", "tfidf.run")
    for options in ((), ("-q", "--format", "json"), ("--plan",), ("--test", "tukey"),
                    ("--margin", "ndcg@10=.1"), ("--fail-if-worse", "ndcg@10")):  # fmt: skip
        direct = command("compare", *runs, *measures, *options)
        found = command("compare", *files, *measures, *options)
        if "json" in options:
            assert compared_json(found.out) == compared_json(direct.out)
            assert (found.code, found.err) == (direct.code, direct.err)
        else:
            assert found == direct
    shown = command("compare", *files)
    assert shown.out == command("compare", *runs, *measures).out
    named = command("compare", *files[:2], "--name", "A1", "--name", "B1")
    assert "A = A1, B = B1" in named.out


def test_the_command_refuses_what_does_not_fit(command: Command) -> None:
    old, new = (store(command, run, "-m", "rr") for run in ("bm25.run", "new.run"))
    Path("other.qrels").write_text(Path("judgments.qrels").read_text().replace("d1 3", "d1 1"))
    other = store(command, "tfidf.run", "-m", "rr", "-m", "ap", judgments="other.qrels")
    for arguments, said in (
        ((old, other), "different judgments"),
        ((old, "new.run"), "is not"),
        ((old,), "two or more runs"),
        ((old, old), "have the name"),
        ((old, new, "-m", "ap"), "`ap` was not evaluated"),
        ((old, new, "--fail-if-worse", "ap"), "`ap` was not evaluated"),
        ((old, new, "--convention", "trec_eval"), "--convention does not apply"),
        ((old, new, "--name", "one"), "2 runs"),
        (("judgments.qrels", "bm25.run", "new.run", "--allow-different-inputs"), "for stored"),
    ):
        outcome = command("compare", *arguments)
        assert outcome.code in (2, 3), arguments
        assert said in outcome.err
        assert outcome.out == ""
    allowed = command("compare", old, other, "--allow-different-inputs")
    assert allowed.code == 0
    assert "their judgments differ between the results (q1)" in allowed.err
    assert "measures missing from some runs left out: ap" in allowed.err


def test_runs_of_one_name_have_the_names_of_their_files(command: Command) -> None:
    for place, run in enumerate(("bm25.run", "new.run")):
        store(command, run, "-m", "rr", "--name", "bm25")
        Path(run.replace(".run", ".json")).rename(f"month-{place}.json")
    assert (
        "A = month-0.json, B = month-1.json"
        in command("compare", "month-0.json", "month-1.json").out
    )
