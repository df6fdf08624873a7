"""A model's grades beside people's: accepted by a lead, compared, never taken for a person's."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from io import BytesIO
from math import log2
from typing import Any

import pytest

pytest.importorskip("sqlalchemy")

from tests.unit.asking import people, project_to_ask, run, title_number
from tests.unit.completions import Completions, Received, Reply

from relyon.core.errors import InputError, ParameterError
from relyon.io import read_sheet
from relyon.io.sheets import sheet_format, sheet_formats, write_sheet
from relyon.judging.actions import Action
from relyon.judging.exchange import export_sheet, final_judgments, import_sheet
from relyon.judging.llm.calibration import accept_judge, calibrate
from relyon.judging.llm.differences import find_differences
from relyon.judging.llm.systems import compare_systems
from relyon.judging.progress import measure_progress
from relyon.judging.records import Item, Project
from relyon.judging.status import describe_project
from relyon.judging.store import Store


@pytest.fixture
def project(store: Store) -> Project:
    return project_to_ask(store)


def snapshot(store: Store, project: Project) -> Any:
    """Everything that is made of people's grades."""
    status = {**describe_project(store, project.id), "machines": None}
    return (
        store.grades.ratings(project.id),
        store.grades.by_judge(project.id),
        store.decisions.queue(project.id),
        store.gold.quality(project.id),
        store.grades.history(project.id),
        measure_progress(store, project.id),
        store.decisions.people_grades(project.id),
        status,
    )


@pytest.mark.long
def test_a_model_changes_nothing_of_what_people_say_accepted_or_not(
    store: Store, project: Project, server: Completions
) -> None:
    lead = store.accounts.create("Lee", role="lead")
    store.gold.add(project.id, [(Item("q0", "gold", title="Title 99"), 2.0)])
    ann = store.accounts.create("Ann")
    for task in store.grading.take(ann, project.id, count=6):
        store.grading.record(
            ann, Action("grade", key=f"{task.item.id}", item_id=task.item.id, grade=1)
        )
    before = snapshot(store, project)
    finals = store.decisions.final_grades(project.id)
    text, _ = write_sheet(export_sheet(store, project.id), format="csv")
    run(store, project, server.url)
    assert snapshot(store, project) == before
    assert store.decisions.final_grades(project.id) == finals
    assert write_sheet(export_sheet(store, project.id), format="csv")[0] == text
    configuration = store.models.get(project.id)
    accept_judge(store, configuration, lead, least=5)
    assert snapshot(store, project) == before


def test_accepted_grades_fill_only_what_nobody_said_anything_of(
    store: Store, project: Project, server: Completions
) -> None:
    lead = store.accounts.create("Lee", role="lead")
    ann = store.accounts.create("Ann")
    tasks = store.grading.take(ann, project.id, count=8)
    for place, task in enumerate(tasks):
        kind: Any = "cannot" if place == 7 else "grade"
        more: Any = {"reason": "gone"} if place == 7 else {"grade": 1}
        store.grading.record(ann, Action(kind, key=f"{task.item.id}", item_id=task.item.id, **more))
    run(store, project, server.url)
    configuration = store.models.get(project.id)
    assert store.models.accepted(project.id) is None
    accept_judge(store, configuration, lead, least=7, note="good enough")
    found = {one.item.id: one for one in store.decisions.final_grades(project.id)}
    filled = [one for one in found.values() if one.source == "llm:small"]
    assert len(filled) == store.decisions.count_filled(project.id) == 4
    assert {(one.value, one.judges, one.agreeing) for one in filled} == {(2.0, 0, 0)}
    assert {found[task.item.id].source for task in tasks[:7]} == {"median"}
    assert tasks[7].item.id not in found
    assert {one.value for one in store.decisions.final_grades(project.id, rule="mean_gain")} == {
        0.3,
        0.7,
    }
    judgments, grading = final_judgments(store, project.id)
    assert len(judgments.to_dict()) == 3
    assert grading == "median, llm:small"
    ungraded, note = judgments.notes
    assert (ungraded.kind, ungraded.count) == ("missing-grades", 1)
    assert (note.kind, note.level) == ("machine-grades", "warning")
    assert note.message.startswith("4 of 11 final grades come from the language model llm:small")
    accepted = store.models.accepted(project.id)
    assert accepted is not None
    assert (accepted.by, accepted.items, accepted.note) == ("Lee", 7, "good enough")
    assert accepted.configuration == configuration
    # A person's grade comes before it at once.
    store.decisions.decide(filled[0].item.id, lead, 0, key="1")
    after = {one.item.id: one for one in store.decisions.final_grades(project.id)}
    assert store.decisions.count_filled(project.id) == 3
    assert (after[filled[0].item.id].source, after[filled[0].item.id].value) == ("adjudicated", 0.0)
    # Another version is not accepted by it.
    server.script = lambda _: Reply('{"grade": 3}')
    run(store, project, server.url, samples=1, parameters={"temperature": 0.0})
    assert store.decisions.final_grades(project.id) == list(after.values())
    store.models.record_acceptance(configuration, lead, accepted=False)
    assert store.models.accepted(project.id) is None
    assert store.decisions.count_filled(project.id) == 0
    assert {one.source for one in store.decisions.final_grades(project.id)} == {
        "median",
        "adjudicated",
    }


def test_accepting_needs_a_lead_and_enough_items(
    store: Store, project: Project, server: Completions
) -> None:
    people(store, project)
    run(store, project, server.url)
    configuration = store.models.get(project.id)
    lead = store.accounts.create("Lee", role="lead")
    with pytest.raises(InputError, match="both graded 12 items, and 50 are needed"):
        accept_judge(store, configuration, lead)
    with pytest.raises(ParameterError, match="`Ann` is not a lead"):
        accept_judge(store, configuration, store.accounts.get("Ann"), least=12)
    with pytest.raises(ParameterError, match="is not a lead"):
        accept_judge(store, configuration, store.accounts.get("llm:small"), least=12)
    assert store.models.accepted(project.id) is None
    accept_judge(store, configuration, lead, least=12)
    assert store.models.accepted(project.id) is not None


def test_a_calibration_of_what_is_stored(
    store: Store, project: Project, server: Completions
) -> None:
    people(store, project)
    store.gold.add(project.id, [(Item("q9", "gold", title="Title 13"), 1.0)])
    server.script = lambda request: Reply(f'{{"grade": {title_number(request) % 4}}}')
    run(store, project, server.url)
    found = calibrate(store, store.models.get(project.id))
    assert found.items == 13
    assert found.overall.final.kappa.value == 1.0
    assert found.overall.single is not None
    assert found.overall.single.items == 12
    assert [one.judge for one in found.judges] == ["Ann", "Bo", "llm:small"]
    assert found.consistency.unanimous == 1.0
    with pytest.raises(ParameterError, match="not gains"):
        calibrate(store, store.models.get(project.id), rule="mean_gain")


def test_a_model_is_no_person(store: Store, project: Project, server: Completions) -> None:
    run(store, project, server.url)
    machine = store.accounts.get("llm:small")
    assert machine.machine
    assert not machine.active
    assert store.accounts.check_password("llm:small", "") is None
    with pytest.raises(ParameterError, match="is a language model"):
        store.accounts.change("llm:small", password="correct horse battery staple")
    with pytest.raises(ParameterError, match="is a language model"):
        store.accounts.change("llm:small", role="lead")
    with pytest.raises(ParameterError):
        store.grading.take(machine, project.id)
    with pytest.raises(ParameterError):
        store.grading.record(machine, Action("grade", key="1", item_id=1, grade=3))
    for name in ("llm:small", "llm:other", "LLM:x"):
        with pytest.raises(ParameterError, match="the name of a language model"):
            store.accounts.create(name)


@pytest.mark.long
def test_a_models_grades_do_not_come_back_as_a_persons(
    store: Store, project: Project, server: Completions
) -> None:
    """Exported with its name, they are not imported as anybody's."""
    lead = store.accounts.create("Lee", role="lead")
    ann = store.accounts.create("Ann")
    for task in store.grading.take(ann, project.id, count=6):
        store.grading.record(
            ann, Action("grade", key=f"{task.item.id}", item_id=task.item.id, grade=1)
        )
    run(store, project, server.url)
    accept_judge(store, store.models.get(project.id), lead, least=6)
    sheet = export_sheet(store, project.id)
    assert Counter(row.final_source for row in sheet.rows) == {"": 6, "llm:small": 6}
    july = store.projects.create("July", overlap=2)
    for name in ("csv", "jsonl", "label-studio"):
        text, notes = write_sheet(sheet, format=name)
        assert "llm:small" in text
        assert all(note.kind == "not-exported-name" for note in notes)
        again = read_sheet(BytesIO(text.encode()), format=name, scale=project.scale)
        assert [row.final_source for row in again.rows] == [row.final_source for row in sheet.rows]
        import_sheet(store, july.id, again)
        import_sheet(store, july.id, again)
    assert {name for found in store.grades.by_judge(july.id).values() for name in found} == {"Ann"}
    assert len(store.grades.by_judge(july.id)) == 6
    assert len(store.items.all(july.id)) == 12
    import_sheet(
        store,
        july.id,
        replace(sheet, rows=tuple(replace(row, ratings=()) for row in sheet.rows)),
        mode="gold",
    )
    assert len(store.gold.all(july.id)) == 6
    for name in sheet_formats():
        chosen = sheet_format(name)
        if "final" in chosen.keeps and "final_source" not in chosen.keeps:
            kinds = {note.kind: note.count for note in chosen.losses(sheet)}
            assert kinds["not-exported-final-source"] == 6
    foreign = "query,document,judge,grade\nq0,d1,llm:small,3\n"
    with pytest.raises(ParameterError, match="the name of a language model"):
        import_sheet(store, july.id, read_sheet(BytesIO(foreign.encode()), format="csv"))


def test_the_order_of_systems_by_either_ones_grades(
    store: Store, project: Project, server: Completions
) -> None:
    scipy = pytest.importorskip("scipy.stats")
    people(store, project)
    # The model turns the grades of the first query round.
    server.script = lambda request: Reply(
        json.dumps({"grade": 3 - number if (number := title_number(request)) < 4 else number % 4})
    )
    run(store, project, server.url)
    configuration = store.models.get(project.id)
    documents = {f"q{n}": [f"d{n * 4 + place}" for place in range(4)] for n in range(3)}

    def system(*orders: list[int]) -> dict[str, dict[str, float]]:
        return {
            query: {found[place]: float(-rank) for rank, place in enumerate(order)}
            for (query, found), order in zip(documents.items(), orders, strict=True)
        }

    up, down = [0, 1, 2, 3], [3, 2, 1, 0]
    runs = {
        "best": system(down, down, down),
        "first wrong": system(up, down, down),
        "last wrong": system(down, down, up),
        "worst": system(up, up, up),
    }
    found = compare_systems(store, configuration, runs, measure="dcg@4")
    values = {one.system: (one.people, one.machine) for one in found.systems}
    high, low = (
        sum(grade / log2(rank + 2) for rank, grade in enumerate(order)) for order in (down, up)
    )
    assert values["best"] == pytest.approx((high, (2 * high + low) / 3))
    assert values["first wrong"] == pytest.approx(((2 * high + low) / 3, high))
    assert found.systems[0].system == "best"
    assert ("best", "first wrong") in found.swapped
    expected = scipy.kendalltau(*zip(*values.values(), strict=True)).statistic
    assert found.tau == pytest.approx(expected)
    with pytest.raises(ParameterError, match="needs two runs"):
        compare_systems(store, configuration, {"one": runs["best"]})


def test_the_widest_differences_and_the_models_reason(
    store: Store, project: Project, server: Completions
) -> None:
    people(store, project)
    answers = {0: [3, 3, 0], 5: [3, 3, 2], 6: [1, 1, 1]}

    seen: Counter[int] = Counter()

    def script(request: Received) -> Reply:
        number = title_number(request)
        seen[number] += 1
        grade = answers.get(number, [number % 4] * 3)[seen[number] - 1]
        return Reply(json.dumps({"grade": grade, "reason": f"because {grade}"}))

    server.script = script
    run(store, project, server.url, concurrency=1)
    configuration = store.models.get(project.id)
    found = find_differences(store, configuration)
    assert [(one.item.document, one.machine, one.people, one.reason) for one in found] == [
        ("d0", 3.0, 0.0, "because 3"),
        ("d5", 3.0, 1.0, "because 3"),
        ("d6", 1.0, 2.0, "because 1"),
    ]
    assert find_differences(store, configuration, count=1) == found[:1]
    assert find_differences(store, configuration, count=0) == []
