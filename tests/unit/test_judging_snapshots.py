"""Snapshots: an engine asked all queries of a project, kept, compared, and graded."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("msgspec")

from tests.unit.snapshotted import (
    QUERIES,
    answer,
    engine_of,
    found as documents,
    project_of,
    snapshot,
)

import relyon
from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.engines import Answer, RefusedError, Request
from relyon.engines.tapes.tape import read_tape, write_tape
from relyon.io.writers import write_run
from relyon.judging.archive import pack_project
from relyon.judging.archive_import import unpack_project
from relyon.judging.archive_reader import Archive
from relyon.judging.records import Item, Rating
from relyon.judging.removal import remove_project
from relyon.judging.schema import sa, snapshot_answers, snapshots
from relyon.judging.snapshots import kept
from relyon.judging.snapshots.comparing import compare_snapshots
from relyon.judging.snapshots.kept import (
    delete_snapshot,
    find_snapshot,
    list_snapshots,
    read_answers,
    run_of,
    tape_of,
)
from relyon.judging.snapshots.quality import recent_quality
from relyon.judging.snapshots.queries import project_queries, with_more
from relyon.judging.snapshots.taking import start_snapshot
from relyon.judging.snapshots.unjudged import add_unjudged, find_unjudged
from relyon.judging.store import Store


def count(store: Store, table: sa.Table) -> int:
    with store.database.read() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def test_every_query_is_asked_once_and_its_answer_is_kept(store: Store) -> None:
    project = project_of(store)
    asked: Counter[str] = Counter()

    def reply(request: Request) -> Answer:
        asked[request.query.text] += 1
        return answer(request)

    found = snapshot(store, project, engine_of(reply))
    assert asked == Counter(f"red shoe {n}" for n in range(QUERIES))
    assert (found.state, found.queries, found.answered, found.failed) == ("whole", 12, 12, 0)
    assert found.p50 is not None
    assert found.p95 is not None
    assert found.p50 <= found.p95
    answers = read_answers(store, found)
    assert [one.query.id for one in answers] == [f"q{n}" for n in range(QUERIES)]
    assert answers[3].entry.ids == [f"q3-{n}" for n in range(5)]
    run, _ = run_of(found, answers)
    assert list(run.to_dict()["q3"]) == [f"q3-{n}" for n in range(5)]


def test_a_query_is_asked_once_although_its_results_are_many(store: Store) -> None:
    project = store.projects.create("July", scale="search", overlap=1)
    removed = Item("gone", "d9")
    store.items.add(project.id, [Item("q1", "a"), Item("q1", "b", query_text="tv"), removed])
    found = project_queries(store, project.id)
    assert [(one.id, one.text) for one in found] == [("q1", "tv"), ("gone", "gone")]
    more = with_more(found, "tv\n\n  radio \nradio\n查询\nq1")
    assert [one.text for one in more] == ["tv", "gone", "radio", "查询"]
    with pytest.raises(InputError, match="longer than 2000 bytes"):
        with_more(found, "查" * 700)
    with pytest.raises(InputError, match="cannot be stored"):
        with_more(found, "a\0b")


def test_the_numbers_are_those_of_the_command_line(store: Store, tmp_path: Path) -> None:
    project = project_of(store)
    found = [snapshot(store, project), snapshot(store, project, variant="shifted")]
    quality = recent_quality(store, project, found)
    judgments = {f"q{q}": {f"q{q}-{n}": max(0, 3 - n) for n in range(4)} for q in range(QUERIES)}
    for one in found:
        path = tmp_path / f"{one.name}.run"
        write_run(run_of(one, read_answers(store, one))[0], str(path))
        alone = relyon.measure_intervals(judgments, path, ["ndcg@5", "judged@5"], scale="search")
        assert quality[one.id].ndcg == pytest.approx(alone["ndcg@5"].value)
        assert quality[one.id].judged == pytest.approx(alone["judged@5"].value)
        assert quality[one.id].interval == pytest.approx(alone["ndcg@5"].queries)
    assert quality[found[0].id].ndcg == 1.0
    assert quality[found[0].id].queries == QUERIES


def test_its_tape_repeats_it_without_the_engine(store: Store, tmp_path: Path) -> None:
    project = project_of(store)
    found = snapshot(store, project)
    path = tmp_path / "shop.tape.jsonl"
    write_tape(str(path), tape_of(found, read_answers(store, found, documents=True)))
    tape = read_tape(path)
    assert tape.checksum == found.checksum

    def refuse(request: Request) -> Answer:
        raise AssertionError(request)

    queries = {f"q{n}": f"red shoe {n}" for n in range(QUERIES)}
    again = relyon.search(engine_of(refuse), queries, k=5, variants=["base"], replay=path)
    assert again.run.to_dict() == run_of(found, read_answers(store, found))[0].to_dict()


def test_refused_queries_count_as_without_results_and_are_named(store: Store) -> None:
    project = project_of(store)

    def reply(request: Request) -> Answer:
        if request.query.id == "q3":
            raise RefusedError("refused", "unbalanced quotes")
        return documents([]) if request.query.id == "q4" else answer(request)

    found = snapshot(store, project, engine_of(reply))
    assert (found.whole, found.failed, found.empty) == (True, 1, 1)
    refused = [one for one in read_answers(store, found) if one.entry.failed]
    assert [(one.query.id, one.entry.failed) for one in refused] == [("q3", "unbalanced quotes")]
    quality = recent_quality(store, project, [found])[found.id]
    assert quality.ndcg == pytest.approx(10 / 12)


def test_two_snapshots_against_each_other(store: Store) -> None:
    project = project_of(store)
    first, second = snapshot(store, project), snapshot(store, project, variant="shifted")
    versus = compare_snapshots(store, project, first, second)
    assert (versus.shared, versus.moved, versus.k) == (12, 12, 5)
    contrast = versus.contrast
    assert contrast is not None
    assert (contrast.wins, contrast.losses, contrast.ties) == (0, 12, 0)
    assert contrast.verdict == "worse"
    assert contrast.p < 0.01
    assert versus.judged == pytest.approx((0.8, 0.4))
    assert versus.finding is not None
    assert versus.finding.evidence["pairs"] == 3 * QUERIES
    assert len(versus.lost) == 12
    assert not versus.gained
    assert {(one.new, one.gone) for one in versus.lost} == {(2, 2)}
    assert versus.lost[0].text.startswith("red shoe")
    # The other way round, everything has the other sign.
    back = compare_snapshots(store, project, second, first)
    assert back.contrast is not None
    assert back.contrast.difference == pytest.approx(-contrast.difference)
    assert len(back.gained) == 12


def test_what_cannot_be_known_is_not_said(store: Store) -> None:
    nothing = store.projects.create("Nothing", scale="search", overlap=1)
    store.items.add(nothing.id, [Item("q1", "q1-0"), Item("q2", "q2-0")])
    one, two = snapshot(store, nothing), snapshot(store, nothing, variant="shifted")
    versus = compare_snapshots(store, nothing, one, two)
    assert (versus.contrast, versus.judged, versus.finding) == (None, None, None)
    assert versus.moved == 2
    assert [change.new for change in versus.other] == [2, 2]
    assert recent_quality(store, nothing, [one])[one.id].ndcg is None
    # One query: a difference without interval or test.
    single = project_of(store, queries=1)
    one, two = snapshot(store, single), snapshot(store, single, variant="shifted")
    versus = compare_snapshots(store, single, one, two)
    assert versus.contrast is not None
    assert versus.contrast.no_interval == "one-query"
    # The same twice: nothing moved.
    three = snapshot(store, single, name="again")
    versus = compare_snapshots(store, single, one, three)
    assert versus.moved == 0
    assert versus.same_setting


def test_the_unjudged_become_results_once(store: Store) -> None:
    project = project_of(store)
    store.items.add(project.id, [Item("q0", "q0-4")])

    def reply(request: Request) -> Answer:
        found = answer(request)
        fields = [{"name": f"Shoe {one}", "text": "Red, of leather"} for one in found.ids]
        return Answer(found.ids, found.scores, fields)

    engine = engine_of(reply)
    first = snapshot(store, project, engine)
    second = snapshot(store, project, engine, variant="shifted")
    before = compare_snapshots(store, project, first, second).unjudged
    assert (before.results, before.graded, before.waiting, before.new) == (84, 48, 1, 35)
    new = find_unjudged(store, project, [first, second])
    assert len(new) == 35
    shown = next(one for one in new if one.document == "q1-5")
    assert (shown.title, shown.snippet) == ("Shoe q1-5", "Red, of leather")
    assert (shown.query_text, shown.rank) == ("red shoe 1", 4)
    made = add_unjudged(store, project, [first, second])
    assert isinstance(made, tuple)
    assert made.items == 35
    after = compare_snapshots(store, project, first, second).unjudged
    assert (after.graded, after.waiting, after.new) == (48, 36, 0)
    with pytest.raises(InputError, match="has all these results"):
        add_unjudged(store, project, [first, second])
    store.grades.add(project.id, [(one, [Rating("bo", 2)]) for one in new])
    done = compare_snapshots(store, project, first, second)
    assert (done.unjudged.graded, done.unjudged.waiting) == (83, 1)
    assert done.judged is not None
    assert done.judged[1] == pytest.approx((11 * 5 + 4) / 60)


def test_a_snapshot_is_refused_where_it_could_not_be_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = project_of(store)
    engine = engine_of()
    base = engine.variants[0]
    queries = project_queries(store, project.id)

    def start(name: str = "A", k: int = 5, asked: object = queries) -> None:
        start_snapshot(store, project, engine, base, asked, k=k, name=name)  # type: ignore[arg-type]

    with pytest.raises(InputError, match="has no queries yet"):
        start(asked=[])
    with pytest.raises(ParameterError, match="more than a snapshot keeps"):
        start(k=10_000)
    with pytest.raises(ParameterError, match="cannot be the name"):
        start(name="\x07")
    snapshot(store, project, engine, name="A")
    with pytest.raises(ParameterError, match="already exists"):
        start()
    monkeypatch.setattr("relyon.judging.snapshots.taking.MOST_SNAPSHOTS", 1)
    with pytest.raises(ParameterError, match="the most that are kept"):
        start(name="B")
    monkeypatch.undo()
    pairs = store.projects.create("Pairs", kind="side_by_side", overlap=1)
    with pytest.raises(ParameterError, match="compares pairs"):
        start_snapshot(store, pairs, engine, base, queries, k=5, name="A")
    store.projects.close(project.id)
    with pytest.raises(ParameterError, match="closed"):
        start(name="C")
    assert kept.MOST_RESULTS == 100_000


def test_a_deleted_snapshot_is_gone_and_the_grades_stay(store: Store) -> None:
    project = project_of(store)
    first, second = snapshot(store, project), snapshot(store, project, variant="shifted")
    delete_snapshot(store, first)
    assert [one.id for one in list_snapshots(store, project.id)] == [second.id]
    assert count(store, snapshot_answers) == QUERIES
    with pytest.raises(UnknownNameError, match="no snapshot"):
        find_snapshot(store, project.id, first.id)
    assert len(store.grades.by_judge(project.id)) == 48
    snapshot(store, project, name="base")  # the name is free again


def test_a_snapshot_of_another_project_is_not_there(store: Store) -> None:
    found = snapshot(store, project_of(store))
    other = store.projects.create("Other", scale="search", overlap=1)
    with pytest.raises(UnknownNameError):
        find_snapshot(store, other.id, found.id)


def test_an_archive_has_them_and_a_removed_project_takes_them_along(store: Store) -> None:
    project = project_of(store)
    found = snapshot(store, project)
    file = io.BytesIO()
    pack_project(store, project.id, file)
    remove_project(store, project)
    assert (count(store, snapshots), count(store, snapshot_answers)) == (0, 0)
    file.seek(0)
    again = unpack_project(store, Archive(file)).project
    (restored,) = list_snapshots(store, again.id)
    assert (restored.name, restored.checksum, restored.p95) == (
        found.name,
        found.checksum,
        found.p95,
    )
    assert next(one.entry.ids for one in read_answers(store, restored)) == [
        f"q0-{n}" for n in range(5)
    ]


def test_documents_with_strange_names_can_be_graded(store: Store) -> None:
    project = project_of(store, queries=1)
    long = "".join(f"{n}," for n in range(150))
    names = ["a\0b", "商品 <b>1</b>", long]
    shot = snapshot(store, project, engine_of(lambda request: documents(names)))
    assert read_answers(store, shot)[0].entry.ids == names
    new = [one.document for one in find_unjudged(store, project, [shot])]
    assert new == ["商品 <b>1</b>", long]
    add_unjudged(store, project, [shot])
    assert find_unjudged(store, project, [shot]) == []
