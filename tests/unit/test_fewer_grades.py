"""Few human grades and a model's for all: which queries count, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import relyon
from relyon import InputError, ParameterError, RelyonWarning
from relyon.analysis.statistics import prediction_powered as statistic

Grades = dict[str, dict[str, float]]


def collection(count: int = 120, documents: int = 6) -> tuple[Grades, Grades, Grades, Grades]:
    """Grades of people and of a model for all queries, and two runs."""
    rng = np.random.default_rng(7)
    people: Grades = {}
    model: Grades = {}
    old: Grades = {}
    new: Grades = {}
    for number in range(count):
        query = f"查询{number:03d}"
        grades = rng.integers(0, 4, documents)
        noise = rng.choice([-1, 0, 0, 0, 1], documents)
        people[query] = {f"{n}": float(grade) for n, grade in enumerate(grades)}
        model[query] = {
            f"{n}": float(np.clip(grade, 0, 3)) for n, grade in enumerate(grades + noise)
        }
        old[query] = {f"{n}": float(g * 0.2 + rng.normal()) for n, g in enumerate(grades)}
        new[query] = {f"{n}": float(g * 0.6 + rng.normal()) for n, g in enumerate(grades)}
    return people, model, old, new


def some(grades: Grades, count: int) -> Grades:
    """The grades of the first queries; the queries are random."""
    return {query: grades[query] for query in list(grades)[:count]}


def test_values_are_those_of_evaluate_on_each_side() -> None:
    people, model, old, new = collection()
    found = relyon.prediction_powered(
        some(people, 40), model, [old, new], ["dcg@3"], names=["old", "new"]
    )
    ours = {
        name: relyon.evaluate(people, run, "dcg@3").values_by_query("dcg@3")
        for name, run in (("old", old), ("new", new))
    }
    theirs = {
        name: relyon.evaluate(model, run, "dcg@3").values_by_query("dcg@3")
        for name, run in (("old", old), ("new", new))
    }
    queries = sorted(people)
    labelled = sorted(some(people, 40))
    expected = statistic(
        [ours["new"][q] - ours["old"][q] for q in labelled],
        [theirs["new"][q] - theirs["old"][q] for q in labelled],
        [theirs["new"][q] - theirs["old"][q] for q in queries],
    )
    one = found.mean("dcg@3", "new", "old").powered
    assert (one.estimate, one.low, one.worth) == pytest.approx(
        (expected.estimate, expected.low, expected.worth)
    )
    assert (one.labelled, one.total) == (40, 120)
    assert found.pairs == 240
    with pytest.raises(ParameterError, match="no `dcg@3` of `none`"):
        found.mean("dcg@3", "none")


def test_a_query_with_an_ungraded_document_among_the_first_is_not_labelled() -> None:
    people, model, old, _ = collection()
    few = some(people, 40)
    first = max(old[next(iter(few))], key=old[next(iter(few))].__getitem__)
    few[next(iter(few))] = {d: g for d, g in few[next(iter(few))].items() if d != first}
    found = relyon.prediction_powered(few, model, old, ["dcg@3", "dcg@6"], names=["old"])
    assert [one.powered.labelled for one in found.means] == [39, 39]
    assert [one.incomplete for one in found.means] == [1, 1]
    assert [note.kind for note in found.notes] == ["powered-incomplete"]
    counted = relyon.prediction_powered(few, model, old, "dcg@3", labelled="judged")
    assert counted.means[0].powered.labelled == 40


def test_queries_that_the_model_did_not_grade_whole_are_left_out_and_counted() -> None:
    people, model, old, _ = collection()
    queries = list(people)
    model[queries[0]] = {"0": 1.0}
    model[queries[-1]] = {"0": 1.0}
    with pytest.warns(RelyonWarning, match="left out of dcg@3"):
        found = relyon.prediction_powered(some(people, 30), model, old, "dcg@3")
    one = found.means[0]
    assert (one.powered.labelled, one.powered.total) == (29, 118)
    assert (one.unpaired, one.ungraded) == (1, 2)


def test_labelled_queries_that_are_easier_than_all_are_noticed() -> None:
    people, model, old, _ = collection()
    values = relyon.evaluate(model, old, "dcg@3").values_by_query("dcg@3")
    best = sorted(values, key=values.__getitem__)[-40:]
    with pytest.warns(RelyonWarning, match="not like a random sample"):
        relyon.prediction_powered({q: people[q] for q in best}, model, old, "dcg@3")


def test_strata_weights_and_clusters_come_from_a_table_of_queries() -> None:
    people, model, old, _ = collection()
    queries = list(people)
    table = pl.DataFrame(
        {
            "query": queries,
            "tier": ["head"] * 60 + ["tail"] * 60,
            "weight": [1.5] * 60 + [6.0] * 60,
            "intent": [str(n // 2) for n in range(120)],
        }
    )
    few = {query: people[query] for query in [*queries[:40], *queries[60:70]]}
    # Queries of the head were drawn four times as often.
    by = relyon.prediction_powered(few, model, old, "dcg@3", strata="tier", queries=table)
    weighed = relyon.prediction_powered(few, model, old, "dcg@3", weights="weight", queries=table)
    ours = relyon.evaluate(people, old, "dcg@3").values_by_query("dcg@3")
    mean = np.mean([ours[q] for q in queries[:40]]), np.mean([ours[q] for q in queries[60:70]])
    assert by.means[0].powered.classical_estimate == pytest.approx(sum(mean) / 2)
    assert weighed.means[0].powered.classical_estimate == pytest.approx(sum(mean) / 2)
    alike = relyon.prediction_powered(few, model, old, "dcg@3", cluster="intent", queries=table)
    assert alike.means[0].powered.labelled == 50
    with pytest.raises(InputError, match="no weight above 0"):
        relyon.prediction_powered(few, model, old, "dcg@3", weights={queries[0]: "1"})


def test_grades_of_another_scale_are_refused_until_they_are_mapped() -> None:
    people, model, old, _ = collection()
    binary = {q: {d: float(g > 1) for d, g in one.items()} for q, one in model.items()}
    with pytest.raises(InputError, match="not on the scale of people's") as raised:
        relyon.prediction_powered(some(people, 30), binary, old, "dcg@3")
    assert "--model-grade 1=3" in raised.value.hint
    mapped = relyon.prediction_powered(some(people, 30), binary, old, "dcg@3", grades={0: 0, 1: 3})
    assert mapped.means[0].powered.model_mean > 0
    with pytest.raises(ParameterError, match="not mapped to people's: 0"):
        relyon.prediction_powered(some(people, 30), binary, old, "dcg@3", grades={1: 3})
    high = {q: {d: g * 10 for d, g in one.items()} for q, one in model.items()}
    with pytest.raises(InputError, match="not on the scale"):
        relyon.prediction_powered(some(people, 30), high, old, "dcg@3")


def test_a_copy_of_peoples_grades_is_noticed() -> None:
    people, _, old, _ = collection()
    with pytest.warns(RelyonWarning, match="a file of the model's own grades"):
        relyon.prediction_powered(some(people, 30), people, old, "dcg@3")


def test_what_has_no_mean_over_queries_is_refused() -> None:
    people, model, old, _ = collection()
    with pytest.raises(ParameterError, match="`pnr` is not a mean over queries"):
        relyon.prediction_powered(some(people, 30), model, old, ["pnr"])
    with pytest.raises(InputError, match="none of the 30 queries with human grades"):
        relyon.prediction_powered(
            {q: {"x": 1, "y": 3} for q in some(people, 30)}, model, old, ["dcg@3"]
        )


def test_forms_say_the_same_in_both_languages() -> None:
    people, model, old, new = collection()
    found = relyon.prediction_powered(
        some(people, 40), model, [old, new], "dcg@3", names=["old", "new"]
    )
    assert len(json.loads(found.to_json())["means"]) == len(found.to_frame()) == 3
    assert "new − old" in found.to_text()
    assert "只用人工" in found.to_text(language="zh")
    worth = found.mean("dcg@3", "new", "old").powered.worth
    assert f"| {int(worth)} |" in found.to_markdown()


def test_one_labelled_query_and_queries_without_a_relevant_document() -> None:
    people, model, old, _ = collection()
    one = relyon.prediction_powered(some(people, 1), model, old, "dcg@3").means[0].powered
    assert np.isnan(one.low)
    assert one.alone == "few-labelled"
    nothing = {q: dict.fromkeys(grades, 0.0) for q, grades in some(people, 20).items()}
    same = {float(grade): float(grade) for grade in range(4)}
    found = relyon.prediction_powered(nothing, model, old, "dcg@3", grades=same).means[0].powered
    assert found.estimate == 0
    assert found.alone == "few-differ"
