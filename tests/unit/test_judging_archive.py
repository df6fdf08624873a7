"""A project in one file, and the same project made of it, in the other kind of database too."""

from __future__ import annotations

import hashlib
import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("sqlalchemy")

from relyon.core.errors import InputError, ParameterError
from relyon.io.sheets import sheet_formats, write_sheet
from relyon.judging.actions import Action
from relyon.judging.archive import pack_project
from relyon.judging.archive_import import unpack_project
from relyon.judging.archive_parts import LEFT_OUT, MANIFEST, archive_parts
from relyon.judging.archive_reader import Archive, is_archive
from relyon.judging.exchange import export_sheet
from relyon.judging.jobs import list_jobs
from relyon.judging.llm.models import draft_configuration
from relyon.judging.progress import measure_progress
from relyon.judging.records import ActionKind, Comparison, Item, Project, Rating
from relyon.judging.schema import metadata, sa
from relyon.judging.status import describe_project
from relyon.judging.store import Store, open_store

KINDS = ["sqlite", "postgresql"]
Make = Callable[[str], AbstractContextManager[str]]


class Clock:
    """A clock that goes on by itself."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        self.now += 1.5
        return self.now


#: What judges do, in turn.
DONE: tuple[ActionKind, ...] = ("grade", "grade", "cannot", "skip", "later", "grade")


def fill(store: Store) -> Project:
    """Makes a project in which everything happened that can happen."""
    other = store.projects.create("Before", overlap=3)
    store.grades.add(other.id, [(Item("q", "x"), [Rating("Zoe", 1)])])
    project = store.projects.create(
        "June", overlap=2, gold_share=0.3, k=5, seed=7, lease_seconds=60,
        guideline={"en": "# Guide\n\n`x` \U0001f600", "zh": "指南"},
    )  # fmt: skip
    items = [
        Item(f"query {n // 4}", f"d{n}", query_text="Größe ' \" \\", rank=n, title="=1+1",
             snippet="a\nb\tc\u2028", url="https://x.example/?a=1", image="", tier="head",
             session=f"s{n}", inclusion_probability=0.1 + 0.2,
             fields={"ä": [1, 1.0, None, {"b": True}]})
        for n in range(40)
    ]  # fmt: skip
    store.items.add(project.id, items)
    store.gold.add(project.id, [(items[0], 3), (Item("query 0", "gold"), 0)], note="known")
    store.grades.add(project.id, [(items[1], [Rating("import", 2, note="n", at=5.25)])])
    people = [store.accounts.create(name) for name in ("Ann", "Bo", "Zoe 2", "陈")]
    lead = store.accounts.create("Lee", role="lead", password="correct horse battery")
    for user in people:
        for n, task in enumerate(store.grading.take(user, project.id, count=12)):
            key = f"{user.name} {n}"
            kind = DONE[n % len(DONE)]
            grade = (n + len(user.name)) % 4 if kind == "grade" else None
            store.grading.record(
                user,
                Action(
                    kind,
                    key=key,
                    item_id=task.item.id,
                    grade=grade,
                    reason="language" if kind == "cannot" else "",
                    note="ok",
                    seconds=1.5,
                ),
            )
            if n == 5:
                store.grading.record(
                    user, Action("undo", key=f"undo {user.name}", project_id=project.id)
                )
                note = Action("note", f"note {user.name}", item_id=task.item.id, note="remark")
                store.grading.record(user, note)
    store.clock.now += 100  # type: ignore[attr-defined]
    store.grading.take(store.accounts.create("Late"), project.id, count=10)
    for one in store.decisions.queue(project.id)[:3]:
        store.decisions.decide(one.item.id, lead, 1, key=f"a {one.item.id}", note="because")
        store.decisions.decide(one.item.id, lead, 2, key=f"b {one.item.id}")
    answer_as_a_model(store, project, lead)
    return store.projects.get(project.id)


def answer_as_a_model(store: Store, project: Project, lead: Any) -> None:
    made = store.models.add(
        draft_configuration(
            project.id, "llm:m", endpoint="http://127.0.0.1:1/v1", model="m", samples=1,
            parameters={"temperature": 0.0}, language="en", prompt="Grade.",
        )
    )  # fmt: skip
    ids = [item.id for item in store.items.all(project.id)][-3:]
    with store.database.write() as connection:
        for n, item in enumerate(ids):
            connection.execute(
                sa.insert(metadata.tables["llm_requests"]).values(
                    configuration_id=made.id, item_id=item, request_hash=f"hash {n}"
                )
            )
            connection.execute(
                sa.insert(metadata.tables["llm_answers"]).values(
                    request_hash=f"hash {n}", sample=1, attempt=1, content="3", grade=3.0,
                    prompt_tokens=1, completion_tokens=1, seconds=0.5, created_at=1.0,
                )
            )  # fmt: skip
        connection.execute(
            sa.insert(metadata.tables["llm_probes"]).values(
                configuration_id=made.id, item_id=ids[0], probe="padded", drawn="any",
                request_hash="hash 2",
            )
        )  # fmt: skip
    store.models.record_acceptance(made, lead, accepted=True, note="good enough")


def everything(store: Store, project: Project) -> dict[str, Any]:
    """What can be read of a project, without the ids of the database."""
    items = store.items.all(project.id)
    places = {item.id: n for n, item in enumerate(items)}
    history = store.grades.history(project.id)
    actions: dict[int | None, int] = {one["id"]: n for n, one in enumerate(history)}
    found: dict[str, Any] = {
        "project": replace(project, id=0),
        "ratings": {places[key]: value for key, value in store.grades.ratings(project.id).items()},
        "grades": {places[key]: value for key, value in store.grades.by_judge(project.id).items()},
        "gold": {places[key]: value for key, value in store.gold.all(project.id).items()},
        "quality": store.gold.quality(project.id),
        "adjudicated": {places[key]: one for key, one in store.decisions.all(project.id).items()},
        "queue": [(places[one.item.id], one.ratings) for one in store.decisions.queue(project.id)],
        "finals": [
            (rule, places[one.item.id], one.value, one.source, one.judges, one.agreeing)
            for rule in ("median", "majority", "mean_gain")
            for one in store.decisions.final_grades(project.id, rule=rule)
        ],
        "status": describe_project(store, project.id),
        "history": [
            {**one, "id": n, "undoes": actions.get(one["undoes"]), "project_id": 0, "user_id": 0,
             "item_id": places[one["item_id"]],
             "key": "import" if one["key"] == f"import {one['item_id']}" else one["key"]}
            for n, one in enumerate(history)
        ],
        "comparisons": {
            places[key]: one for key, one in store.items.comparisons(project.id).items()
        },
    }  # fmt: skip
    for user in ("Ann", "Bo", "Late"):
        if user in {one["judge"] for one in history}:
            found[user] = measure_progress(store, project.id, store.accounts.get(user))
    for rule in ("median", "mean_gain"):
        sheet = export_sheet(store, project.id, rule=rule)
        for name in sheet_formats():
            try:
                found[f"{name} {rule}"] = write_sheet(sheet, format=name)[0]
            except InputError as error:
                found[f"{name} {rule}"] = str(error)
    return found


def pack(store: Store, project: Project) -> io.BytesIO:
    file = io.BytesIO()
    pack_project(store, project.id, file)
    return file


def contents(file: io.BytesIO) -> dict[str, Any]:
    """An archive's parts, without what says when and by what it was packed."""
    with zipfile.ZipFile(file) as archive:
        found: dict[str, Any] = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(found.pop(MANIFEST))
    del manifest["packed_at"]
    return {**found, "manifest": manifest}


@pytest.fixture(params=[(one, other) for one in KINDS for other in KINDS], ids="-".join)
def stores(request: pytest.FixtureRequest, new_judging_database: Make) -> Iterator[list[Store]]:
    """A database, and another one in which ids are taken already."""
    with ExitStack() as stack:
        found = []
        for kind in request.param:
            address = stack.enter_context(new_judging_database(kind))
            found.append(stack.enter_context(open_store(address, clock=Clock())))
        filler = found[1].projects.create("Other", overlap=1)
        found[1].grades.add(filler.id, [(Item("q", f"d{n}"), [Rating("Bo", 1)]) for n in range(9)])
        yield found


@pytest.mark.long
def test_a_project_comes_back_exactly(stores: list[Store]) -> None:
    source, target = stores
    project = fill(source)
    packed = pack(source, project)
    made = unpack_project(target, Archive(packed))
    target.clock.now = source.clock.now = 9000.0  # type: ignore[attr-defined]
    assert made.matched == ("Bo",)
    assert set(made.made) == {"Ann", "Late", "Lee", "Zoe 2", "import", "陈"}
    assert everything(target, made.project) == everything(source, project)
    assert contents(pack(target, made.project)) == contents(packed)
    assert [job.state for job in list_jobs(target, made.project.id)] == ["done"]
    lee = target.accounts.get("Lee")
    assert (lee.active, lee.role) == (False, "judge")
    assert target.accounts.check_password("Lee", "correct horse battery") is None
    assert b"argon2" not in packed.getvalue()


def test_a_side_by_side_project_comes_back_exactly(stores: list[Store]) -> None:
    source, target = stores
    project = source.projects.create("SBS", kind="side_by_side", overlap=2)
    pairs = [
        Comparison(f"q{n}", "old", "new", (Item(f"q{n}", "a", title="A"),), (Item(f"q{n}", "b"),))
        for n in range(5)
    ]
    source.items.add_comparisons(project.id, pairs)
    ann = source.accounts.create("Ann")
    for n, task in enumerate(source.grading.take(ann, project.id)):
        source.grading.record(ann, Action("grade", key=str(n), item_id=task.item.id, grade=n - 2))
    source.projects.close(project.id)
    project = source.projects.get(project.id)
    packed = pack(source, project)
    made = unpack_project(target, Archive(packed), name="SBS again")
    assert made.project.name == "SBS again"
    target.projects.rename(made.project.id, "SBS")
    target.clock.now = source.clock.now = 9000.0  # type: ignore[attr-defined]
    found = target.projects.get(made.project.id)
    assert everything(target, found) == everything(source, project)
    assert contents(pack(target, found)) == contents(packed)
    with pytest.raises(ParameterError, match="`SBS` already"):
        unpack_project(target, Archive(packed))
    assert len(target.projects.all()) == 2


def test_the_archive_knows_every_table_and_no_secret() -> None:
    parts = {part.table.name for part in archive_parts()}
    assert parts | LEFT_OUT.keys() == metadata.tables.keys()
    assert parts.isdisjoint(LEFT_OUT)
    names = {column.name for part in archive_parts() for column in part.columns}
    assert not {name for name in names if "password" in name or "secret" in name}


@pytest.fixture
def store_clock() -> Callable[[], float]:
    return Clock()


@pytest.mark.long
def test_a_copy_beside_the_original(store: Store, packed: io.BytesIO) -> None:
    first = unpack_project(store, Archive(packed)).project
    store.projects.rename(first.id, "First")
    copy = unpack_project(store, Archive(packed)).project
    store.clock.now = 9000.0  # type: ignore[attr-defined]
    told = everything(store, copy)
    store.projects.rename(copy.id, "Copy")
    original = everything(store, store.projects.get(store.projects.rename(first.id, "June").id))
    for one in (told, original):
        assert len(one.pop("history")) > 50
        del one["project"]
    assert told == original
    # Further imports and actions find no key in their way.
    more = [(Item("q", f"new {n}"), [Rating("Ann", 1), Rating("import", 1)]) for n in range(60)]
    assert store.grades.add(copy.id, more) == (60, 120)
    assert store.grades.add(first.id, more) == (60, 120)


@pytest.fixture(scope="module")
def packed(new_judging_database: Make) -> Iterator[io.BytesIO]:
    """The archive of a project in which everything happened."""
    with (
        new_judging_database("sqlite") as address,
        open_store(address, clock=Clock()) as opened,
    ):
        yield pack(opened, fill(opened))


def remade(packed: io.BytesIO, change: Callable[[dict[str, bytes]], None]) -> io.BytesIO:
    with zipfile.ZipFile(packed) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return made


def with_part(name: str, old: bytes, new: bytes) -> Callable[[dict[str, bytes]], None]:
    """A change of a part whose length and sum the manifest tells rightly."""

    def change(parts: dict[str, bytes]) -> None:
        data = parts[name].replace(old, new, 1)
        assert data != parts[name]
        manifest = json.loads(parts[MANIFEST])
        told = manifest["parts"][name]
        told |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(),
                 "rows": data.count(b"\n")}  # fmt: skip
        parts[name], parts[MANIFEST] = data, json.dumps(manifest).encode()

    return change


def in_manifest(**values: Any) -> Callable[[dict[str, bytes]], None]:
    def change(parts: dict[str, bytes]) -> None:
        parts[MANIFEST] = json.dumps({**json.loads(parts[MANIFEST]), **values}).encode()

    return change


def plainly(name: str, old: bytes, new: bytes) -> Callable[[dict[str, bytes]], None]:
    def change(parts: dict[str, bytes]) -> None:
        assert old in parts[name]
        parts[name] = parts[name].replace(old, new, 1)

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (in_manifest(version=2, relyon="9.9"), "version 2, made by relyon 9.9"),
        (in_manifest(format="something"), "not an archive of a project"),
        (in_manifest(parts={}), "lacks|contains no project"),
        (in_manifest(parts=3), "cannot be read"),
        (in_manifest(packed_at="x" * 2_000_000), "not an archive of a project"),
        (lambda parts: parts.pop(MANIFEST), "not an archive of a project"),
        (lambda parts: parts.pop("items.jsonl"), "`items.jsonl` does not match"),
        (plainly("items.jsonl", b"d1", b"d9"), "`items.jsonl` does not match"),
        (plainly("actions.jsonl", b"\n", b"\n[]\n"), "`actions.jsonl` does not match"),
        (plainly(MANIFEST, b'"tier"', b'"weight"'), "items.weight"),
        (with_part("items.jsonl", b'"d1"', b'"d\\u0000"'), "row 2 of `items.jsonl`"),
        (with_part("items.jsonl", b'"d1"', b'"d\\ud800"'), "row 2 of `items.jsonl`"),
        (with_part("items.jsonl", b'"d1"', b"null"), "row 2 of `items.jsonl`"),
        (with_part("items.jsonl", b"[2,", b"[7,"), "row 2 of `items.jsonl`"),
        (with_part("actions.jsonl", b'"grade"', b'"praise"'), "the database refuses"),
        (with_part("actions.jsonl", b",1,", b",900000,"), "row 1 of `actions.jsonl`"),
        (with_part("adjudications.jsonl", b",1.0,", b",NaN,"), "row 1 of `adjudications.jsonl`"),
        (with_part("adjudications.jsonl", b",1.0,", b",true,"), "row 1 of `adjudications.jsonl`"),
        (with_part("projects.jsonl", b'"open"', b'"removing"'), "`removing`"),
        (with_part("projects.jsonl", b'"levels"', b'"scales"'), "project cannot be read"),
        (with_part("projects.jsonl", b",60.0,", b",-60.0,"), "row 1 of `projects.jsonl`"),
        (with_part("projects.jsonl", b'"grades"', b'"prizes"'), "project cannot be read"),
        (with_part("adjudications.jsonl", b",1.0,", b",-1.0,"), "row 1 of `adjudications.jsonl`"),
        (with_part("adjudications.jsonl", b",1.0,", b",1e308,"), "row 1 of `adjudications.jsonl`"),
        (with_part("items.jsonl", b"{}", b'"x"'), "row 41 of `items.jsonl`"),
        (with_part("items.jsonl", b"{}", b"3"), "row 41 of `items.jsonl`"),
        (with_part("items.jsonl", b"{}", b"[1]"), "row 41 of `items.jsonl`"),
        (with_part("users.jsonl", b"[1,", b"[2,"), "`users.jsonl`"),
        (with_part("items.jsonl", b"[1,", b"["), "`items.jsonl` does not match"),
        (with_part("items.jsonl", b"[1,", b"[" * 5000), "`items.jsonl` does not match"),
    ],
)  # fmt: skip
def test_nothing_comes_of_a_damaged_archive(
    store: Store, packed: io.BytesIO, change: Callable[[dict[str, bytes]], None], told: str
) -> None:
    store.accounts.create("Ann")
    broken = remade(packed, change)
    with pytest.raises(InputError, match=told):
        unpack_project(store, Archive(broken, path="x.relyon-project"))
    assert store.projects.all() == []
    # Nor is anything in the way of the right one.
    assert unpack_project(store, Archive(packed)).project.name == "June"


def test_files_that_are_no_archives(packed: io.BytesIO) -> None:
    for data in (b"", b"PK\x03\x04", b"query,document\n", bytes(range(256)) * 40):
        with pytest.raises(InputError, match="not an archive"):
            Archive(io.BytesIO(data))
    whole = packed.getvalue()
    assert is_archive(whole)
    for end in (10, len(whole) // 2, len(whole) - 1):
        with pytest.raises(InputError):
            Archive(io.BytesIO(whole[:end])).check()


def test_an_archive_is_bounded(store: Store) -> None:
    project = store.projects.create("June")
    store.items.add(project.id, [Item("q", f"d{n}", title="x" * 5000) for n in range(400)])
    whole = pack(store, project)
    assert len(whole.getvalue()) < 50_000
    Archive(whole, largest=3_000_000)
    with pytest.raises(InputError, match="1,000,000 can be taken"):
        Archive(whole, largest=1_000_000)
    # One that says less than it holds is read no further than it says.
    lying = remade(whole, with_less)
    with pytest.raises(InputError, match=r"`items\.jsonl` does not match"):
        Archive(lying, largest=1_000_000).check()


def test_a_row_of_brackets_takes_little_memory(store: Store) -> None:
    project = store.projects.create("June")
    store.items.add(project.id, [Item("q", "d")])
    row = b"[" + b"[]," * (21 << 20) + b"[]]\n"

    def fill_people(parts: dict[str, bytes]) -> None:
        manifest = json.loads(parts[MANIFEST])
        parts["users.jsonl"] = row
        manifest["parts"]["users.jsonl"] |= {
            "rows": 1, "bytes": len(row), "sha256": hashlib.sha256(row).hexdigest()
        }  # fmt: skip
        parts[MANIFEST] = json.dumps(manifest).encode()

    bomb = remade(pack(store, project), fill_people)
    assert len(bomb.getvalue()) < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"too large|does not match"):
            Archive(bomb, largest=1 << 30).check()
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
    small = b"[" + b"[]," * (1 << 20) + b"[]]\n"
    row = small
    with pytest.raises(InputError, match="too large"):
        Archive(remade(pack(store, project), fill_people), largest=1 << 30).check()


def with_less(parts: dict[str, bytes]) -> None:
    manifest = json.loads(parts[MANIFEST])
    manifest["parts"]["items.jsonl"]["bytes"] = 1000
    parts[MANIFEST] = json.dumps(manifest).encode()
