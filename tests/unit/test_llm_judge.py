"""A language model grades a project: stored at once, resumed, kept apart from people."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from math import log2
from typing import Any

import pytest

pytest.importorskip("sqlalchemy")

from tests.unit.completions import Completions, Received, Reply, serve_completions

from relkit.core.errors import InputError, ParameterError, UnknownNameError
from relkit.io import read_sheet
from relkit.io.sheets import sheet_format, sheet_formats, write_sheet
from relkit.judging.actions import Action
from relkit.judging.exchange import export_sheet, final_judgments, import_sheet
from relkit.judging.llm.calibration import accept_judge, calibrate
from relkit.judging.llm.differences import find_differences
from relkit.judging.llm.endpoint import Endpoint, EndpointError
from relkit.judging.llm.judge import Outcome, ask_model, choose_items, make_plan
from relkit.judging.llm.models import Configuration, draft_configuration
from relkit.judging.llm.pace import Pace
from relkit.judging.llm.prompt import make_prompt
from relkit.judging.llm.systems import compare_systems
from relkit.judging.progress import measure_progress
from relkit.judging.records import Item, Project
from relkit.judging.schema import llm_answers, sa
from relkit.judging.status import describe_project
from relkit.judging.store import Store, open_store


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    with open_store(database, create=True) as found:
        yield found


@pytest.fixture
def server() -> Iterator[Completions]:
    with serve_completions() as found:
        yield found


@pytest.fixture
def project(store: Store) -> Project:
    found = store.projects.create("June", overlap=2, guideline={"en": "Grade it."})
    store.items.add(found.id, [Item(f"q{n // 4}", f"d{n}", title=f"Title {n}") for n in range(12)])
    return found


def configure(store: Store, project: Project, url: str, **changes: Any) -> Configuration:
    settings: dict[str, Any] = {
        "endpoint": url,
        "model": "small",
        "samples": 3,
        "parameters": {"temperature": 0.7},
        "language": "en",
        "prompt": make_prompt(project).text,
        **changes,
    }
    judge = settings.pop("judge", "llm:small")
    return store.models.add(draft_configuration(project.id, judge, **settings))


def run(
    store: Store, project: Project, url: str, *, items: list[Item] | None = None,
    attempts: int = 3, concurrency: int = 4, **changes: Any,
) -> Outcome:  # fmt: skip
    """Does what `relkit judge llm` does, without waiting between attempts."""
    configuration = configure(store, project, url, **changes)
    prompt = make_prompt(project)
    chosen = choose_items(store, project.id) if items is None else items
    plan = make_plan(store, configuration, prompt, chosen, attempts=attempts)
    endpoint = Endpoint(url, pace=Pace(wait=lambda _: None), retries=2)
    return ask_model(store, configuration, prompt, plan, endpoint, concurrency=concurrency)


def title_number(request: Received) -> int:
    return int(str(request.data["title"]).removeprefix("Title "))


def people(store: Store, project: Project, names: tuple[str, ...] = ("Ann", "Bo")) -> None:
    """Two people grade every item as `number % 4`."""
    for name in names:
        user = store.accounts.create(name)
        for task in store.grading.take(user, project.id, count=100):
            grade = int(task.item.document[1:]) % 4
            key = f"{name} {task.item.id}"
            store.grading.record(user, Action("grade", key=key, item_id=task.item.id, grade=grade))


def test_every_item_is_asked_as_often_as_wanted_and_the_median_counts(
    store: Store, project: Project, server: Completions
) -> None:
    seen: Counter[int] = Counter()
    lock = threading.Lock()

    def script(request: Received) -> Reply:
        with lock:
            seen[title_number(request)] += 1
            sample = seen[title_number(request)]
        return Reply(f'{{"grade": {[0, 3, 2][sample - 1]}}}')

    server.script = script
    outcome = run(store, project, server.url)
    assert len(server.received) == 36
    assert set(seen.values()) == {3}
    assert (outcome.asked, outcome.graded, outcome.given_up) == (36, 36, 0)
    assert (outcome.prompt_tokens, outcome.completion_tokens) == (3600, 360)
    found = store.replies.samples(store.models.get(project.id))
    assert {tuple(sorted(one)) for one in found.values()} == {(0.0, 2.0, 3.0)}
    request = server.received[0].body
    assert (request["model"], request["temperature"]) == ("small", 0.7)


def test_nothing_is_asked_twice(store: Store, project: Project, server: Completions) -> None:
    run(store, project, server.url)
    before = len(server.received)
    assert run(store, project, server.url).asked == 0
    assert len(server.received) == before
    # More samples: only those that are new. Another project with the same items: none.
    assert run(store, project, server.url, samples=5).asked == 24
    july = store.projects.create("July", guideline={"en": "Grade it."})
    store.items.add(july.id, [replace(item, id=0) for item in store.items.all(project.id)])
    assert run(store, july, server.url).asked == 0
    assert len(store.replies.samples(store.models.get(july.id))) == 12
    # Another temperature, model, guideline or endpoint is another question.
    assert run(store, project, server.url, parameters={"temperature": 0.0}).asked == 36
    assert run(store, project, server.url, model="large", judge="llm:large").asked == 36
    store.projects.set_guideline(project.id, {"en": "Grade it well."})
    assert run(store, store.projects.get("June"), server.url).asked == 36


def test_other_settings_are_another_version(
    store: Store, project: Project, server: Completions
) -> None:
    one = configure(store, project, server.url)
    other = configure(store, project, server.url, samples=5)
    assert configure(store, project, server.url) == one
    assert (one.version, other.version) == (1, 2)
    assert store.models.get(project.id).version == 2
    assert store.models.get(project.id, "llm:small", 1) == one
    with pytest.raises(UnknownNameError, match="no version 3"):
        store.models.get(project.id, version=3)
    with pytest.raises(UnknownNameError, match="unknown language model: `llm:smal`"):
        store.models.get(project.id, "llm:smal")
    configure(store, project, server.url, judge="llm:other")
    with pytest.raises(InputError, match="2 language models"):
        store.models.get(project.id)
    july = store.projects.create("July")
    with pytest.raises(InputError, match="no language model"):
        store.models.get(july.id)


@pytest.mark.parametrize(
    "changes",
    [{"judge": "small"}, {"judge": "llm"}, {"judge": "LLM:x"}, {"samples": 0}, {"model": " "},
     {"parameters": {"n": 3}}, {"parameters": {"messages": []}}],
)  # fmt: skip
def test_settings_that_cannot_be(store: Store, project: Project, changes: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        configure(store, project, "http://x.test", **changes)
    assert store.models.all(project.id) == []
    assert store.accounts.all() == []


def test_answers_that_cannot_be_read_are_asked_again_and_never_guessed(
    store: Store, project: Project, server: Completions
) -> None:
    bad = ["I cannot help.", '{"grade": 9}', "", '{"grade": 0} {"grade": 3}', "3"]

    def script(request: Received) -> Reply:
        number = title_number(request)
        return Reply(bad[number % 5] if number < 5 else '{"grade": 1}')

    server.script = script
    outcome = run(store, project, server.url, samples=1)
    assert len(server.received) == 7 + 5 * 3
    assert (outcome.graded, outcome.given_up) == (7, 5)
    assert outcome.problems == {"no_grade": 6, "wrong_grade": 3, "empty": 3, "several_grades": 3}
    assert len(store.replies.samples(store.models.get(project.id))) == 7
    # They were given up; with more attempts they are asked again.
    assert run(store, project, server.url, samples=1).asked == 0
    assert run(store, project, server.url, samples=1, attempts=4).asked == 5


def test_an_item_needs_most_of_its_samples(
    store: Store, project: Project, server: Completions
) -> None:
    seen: Counter[int] = Counter()

    def script(request: Received) -> Reply:
        seen[title_number(request)] += 1
        # The first item gets two grades of four, the others three.
        few = seen[title_number(request)] > (2 if title_number(request) == 0 else 3)
        return Reply("no" if few else '{"grade": 1}')

    server.script = script
    run(store, project, server.url, samples=4, attempts=1, concurrency=1)
    found = store.replies.samples(store.models.get(project.id))
    assert sorted(map(len, found.values())) == [3] * 11
    assert store.replies.graded_items(store.models.get(project.id)) == set(found)


def test_an_error_of_the_endpoint_ends_and_what_was_answered_stays(
    store: Store, project: Project, server: Completions
) -> None:
    server.replies(*[Reply()] * 10, *[Reply(status=401, body=b"{}")] * 20)
    with pytest.raises(EndpointError, match="HTTP 401"):
        run(store, project, server.url, concurrency=1)
    assert len(server.received) == 11
    server.replies()
    assert run(store, project, server.url).asked == 26


def test_a_first_request_that_is_refused_ends(
    store: Store, project: Project, server: Completions
) -> None:
    server.script = lambda _: Reply(status=400, body=b'{"error": "no such parameter"}')
    with pytest.raises(EndpointError, match="HTTP 400: no such parameter"):
        run(store, project, server.url, concurrency=1)
    assert len(server.received) == 1


def test_one_item_that_is_refused_does_not_end(
    store: Store, project: Project, server: Completions
) -> None:
    def script(request: Received) -> Reply:
        if title_number(request) == 5:
            return Reply(status=400, body=b'{"error": "content filter"}')
        return Reply()

    server.script = script
    outcome = run(store, project, server.url, concurrency=1)
    assert (outcome.problems["refused"], outcome.given_up, outcome.graded) == (1, 3, 33)
    assert len(server.received) == 34
    # It would be refused again.
    assert run(store, project, server.url).asked == 0
    assert len(server.received) == 34


def test_an_endpoint_that_refuses_everything_after_a_while_ends(
    store: Store, project: Project, server: Completions
) -> None:
    server.script = lambda request: (
        Reply() if title_number(request) == 0 else Reply(status=400, body=b"{}")
    )
    with pytest.raises(EndpointError, match="HTTP 400"):
        run(store, project, server.url, concurrency=1)
    assert len(server.received) == 3 + 10


def test_interruption_stores_what_is_on_its_way(
    store: Store, project: Project, server: Completions
) -> None:
    """Ctrl-C in the middle: what was asked is answered and kept; another run does the rest."""
    server.script = lambda _: Reply(seconds=0.2)
    configuration = configure(store, project, server.url)
    prompt = make_prompt(project)
    plan = make_plan(store, configuration, prompt, store.items.all(project.id))

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    told = []
    outcome = Outcome()
    with pytest.raises(KeyboardInterrupt):
        ask_model(
            store, configuration, prompt, plan, Endpoint(server.url), outcome=outcome,
            progress=interrupt, on_interrupt=lambda: told.append("waiting"),
        )  # fmt: skip
    assert told == ["waiting"]
    asked = len(server.received)
    assert 4 <= asked <= 12
    assert outcome.asked == asked
    server.script = lambda _: Reply()
    assert run(store, project, server.url).asked == 36 - asked


def test_two_runs_at_once_store_each_answer_once(
    store: Store, project: Project, server: Completions
) -> None:
    errors = []

    def grade() -> None:
        try:
            run(store, project, server.url)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=grade) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with store.database.read() as connection:
        rows = connection.execute(sa.select(llm_answers.c.request_hash, llm_answers.c.sample)).all()
    assert len(rows) == len(set(rows)) == 36


def test_items_that_show_the_same_are_asked_once(
    store: Store, project: Project, server: Completions
) -> None:
    store.items.add(project.id, [Item("q0", "copy", title="Title 0")])
    run(store, project, server.url)
    assert len(server.received) == 36
    assert len(store.replies.samples(store.models.get(project.id))) == 13


def test_items_without_anything_to_show_are_not_asked(
    store: Store, project: Project, server: Completions
) -> None:
    store.items.add(project.id, [Item("q0", "bare")])
    configuration = configure(store, project, server.url)
    plan = make_plan(store, configuration, make_prompt(project), store.items.all(project.id))
    assert (plan.hidden, len(plan.items), len(plan.open)) == (1, 12, 36)


def test_which_items(store: Store, project: Project) -> None:
    ann = store.accounts.create("Ann")
    for task in store.grading.take(ann, project.id, count=5):
        store.grading.record(
            ann, Action("grade", key=f"{task.item.id}", item_id=task.item.id, grade=1)
        )
    graded = choose_items(store, project.id, which="graded")
    ungraded = choose_items(store, project.id, which="ungraded")
    assert (len(graded), len(ungraded)) == (5, 7)
    assert {one.id for one in graded}.isdisjoint(one.id for one in ungraded)
    two = choose_items(store, project.id, queries=2)
    assert len({one.query for one in two}) == 2
    assert len(two) == 8
    assert choose_items(store, project.id, limit=3) == choose_items(store, project.id, limit=5)[:3]
    chosen = [choose_items(store, project.id, limit=4, seed=seed) for seed in range(20)]
    orders = {tuple(item.id for item in one) for one in chosen}
    assert len(orders) == 3
    with pytest.raises(ParameterError, match="`which` must be"):
        choose_items(store, project.id, which="some")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="`limit` must be"):
        choose_items(store, project.id, limit=0)


def snapshot(store: Store, project: Project) -> Any:
    """Everything that is made of people's grades."""
    status = describe_project(store, project.id)
    status.pop("machines", None)
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
    (note,) = judgments.notes
    assert (note.kind, note.level) == ("machine-grades", "warning")
    assert note.message.startswith("4 of 11 final grades are those of the language model llm:small")
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
    with pytest.raises(ParameterError, match="`Ann` does not lead"):
        accept_judge(store, configuration, store.accounts.get("Ann"), least=12)
    with pytest.raises(ParameterError, match="does not lead"):
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
        import_sheet(store, july.id, again, as_gold=False)
    assert {name for found in store.grades.by_judge(july.id).values() for name in found} == {"Ann"}
    assert len(store.grades.by_judge(july.id)) == 6
    assert len(store.items.all(july.id)) == 12
    import_sheet(
        store,
        july.id,
        replace(sheet, rows=tuple(replace(row, ratings=()) for row in sheet.rows)),
        as_gold=True,
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
