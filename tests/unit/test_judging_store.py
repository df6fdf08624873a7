"""The judging database: the same on SQLite and PostgreSQL."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.judging.actions import Action
from relyon.judging.database import Database
from relyon.judging.records import Comparison, Item, Project, Rating, Trait, User, item_parts
from relyon.judging.schema import metadata
from relyon.judging.store import Store, open_store

PAIRS = [Item("red shoes", f"d{n}", title=f"Shoe {n}", rank=n, tier="head") for n in (1, 2, 3)]


@pytest.fixture
def store_clock() -> Callable[[], float]:
    return lambda: 1000.0


@pytest.fixture
def project(store: Store) -> Project:
    return store.projects.create("June", overlap=2)


def give(store: Store, user: User, project: Project, grades: dict[str, float]) -> None:
    """Lets a judge grade documents."""
    for task in store.grading.take(user, project.id, count=100):
        if task.item.document in grades:
            key = f"{user.name} {task.item.document}"
            grade = grades[task.item.document]
            store.grading.record(user, Action("grade", key=key, item_id=task.item.id, grade=grade))


def test_migrations_make_the_tables_of_the_schema(database: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    found = Database(database)
    found.upgrade()
    found.upgrade()
    with found.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        checks = {
            table: {
                check["name"] for check in found.inspect(connection).get_check_constraints(table)
            }
            for table in metadata.tables
        }
    assert checks == {
        name: {one.name for one in table.constraints if str(one.name).startswith("ck_")}
        for name, table in metadata.tables.items()
    }
    found.close()


def test_a_guideline_in_a_language_without_texts_is_refused(store: Store) -> None:
    with pytest.raises(ParameterError, match="language"):
        store.projects.create("June", guideline={"fr": "Notez."})
    made = store.projects.create("June", guideline={"en": "Grade it."})
    with pytest.raises(ParameterError, match="language"):
        store.projects.set_guideline(made.id, {"fr": "Notez."})
    store.projects.set_guideline(made.id, {"en": ""})
    assert store.projects.get(made.id).guideline == {}


def test_an_item_says_what_its_parts_are() -> None:
    columns = metadata.tables["items"].c
    parts = {one.name: one.type for one in dataclasses.fields(Item)}
    assert set(parts) <= set(columns.keys())
    assert all(columns[name].nullable == ("None" in kind) for name, kind in parts.items())
    # What could sway a grade is not shown.
    hidden = {"rank", "tier", "session", "inclusion_probability"}
    assert set(item_parts(Trait.SHOWN)) == set(parts) - hidden


def test_the_tables_can_be_taken_back(database: str) -> None:
    from alembic import command

    found = Database(database)
    found.upgrade()
    with found.write() as connection:
        command.downgrade(found.config(connection), "base")
        assert found.inspect(connection).get_table_names() == ["alembic_version"]
    found.close()


def test_a_database_without_tables_is_refused(database: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="judge init"):
        open_store(database)
    (tmp_path / "judging.db").touch()
    with pytest.raises(InputError, match=r"has no judging tables|the file is empty"):
        open_store(database)


@pytest.mark.parametrize(
    "address", ["", ":memory:", "sqlite://", "mysql://root@localhost/x", "nonsense://", "://"]
)
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(ParameterError):
        open_store(address, create=True)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are notes, and no database at all" * 40, "utf-8")
    with pytest.raises(InputError, match="this is not a SQLite database"):
        open_store(path)


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(InputError) as caught:
        open_store("postgresql://someone:secret@127.0.0.1:1/none", create=True)
    assert "secret" not in str(caught.value)


def test_sqlite_is_durable_and_strict(tmp_path: Path) -> None:
    with open_store(tmp_path / "judging.db", create=True) as store, store.database.read() as reader:
        values = [
            reader.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert values == ["wal", 2, 1]


@pytest.mark.long
def test_users(store: Store) -> None:
    ann = store.accounts.create("Ann", role="lead", password="correct horse")
    assert store.accounts.get("Ann") == ann
    assert store.accounts.check_password("Ann", "correct horse") == ann
    assert store.accounts.check_password("Ann", "wrong horse") is None
    assert store.accounts.check_password("Bo", "correct horse") is None
    store.accounts.create("import")
    assert store.accounts.check_password("import", "") is None
    with pytest.raises(ParameterError, match="`Ann` already"):
        store.accounts.create("Ann")
    with pytest.raises(UnknownNameError, match="did you mean `Ann`"):
        store.accounts.get("Anne")
    for name in ("", " ", "a\nb", "x" * 300):
        with pytest.raises(ParameterError, match="cannot be the name"):
            store.accounts.create(name)
    with pytest.raises(ParameterError, match="12 to 128 characters"):
        store.accounts.create("Cy", password="short")
    with pytest.raises(ParameterError, match="must be one of `judge`, `lead`, `admin`"):
        store.accounts.create("Cy", role="boss")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["a\0", "\ud800"])
def test_names_that_no_database_holds(store: Store, name: str) -> None:
    assert store.accounts.check_password(name, "correct horse") is None
    with pytest.raises(UnknownNameError):
        store.accounts.get(name)
    with pytest.raises(UnknownNameError):
        store.projects.get(name)


@pytest.mark.parametrize("number", [0, -1, 2**31, 10**30])
def test_ids_that_no_row_has(store: Store, project: Project, number: int) -> None:
    user = store.accounts.create("Lee", role="lead")
    with pytest.raises(UnknownNameError):
        store.projects.get(number)
    with pytest.raises(InputError, match="no item"):
        store.decisions.decide(number, user, 1, key="k")
    with pytest.raises(InputError, match="no item"):
        store.grading.record(user, Action("grade", key="k", item_id=number, grade=1))
    with pytest.raises(InputError, match="no project"):
        store.grading.record(user, Action("undo", key="k", project_id=number))
    with pytest.raises(InputError, match="nothing to undo"):
        store.grading.record(user, Action("undo", key="k", project_id=project.id, undoes="\0"))


@pytest.mark.long
def test_an_account_changes(store: Store) -> None:
    store.accounts.create("Ann", password="correct horse")
    changed = store.accounts.change("Ann", role="admin", password="battery staple", active=False)
    assert (changed.role, changed.active) == ("admin", False)
    assert store.accounts.check_password("Ann", "battery staple") is None
    store.accounts.change("Ann", active=True)
    assert store.accounts.check_password("Ann", "correct horse") is None
    assert store.accounts.check_password("Ann", "battery staple") is not None


def test_only_hashes_are_stored(store: Store) -> None:
    store.accounts.create("Ann", password="correct horse")
    with store.database.read() as connection:
        stored = connection.exec_driver_sql("SELECT password_hash FROM users").scalar_one()
    assert stored.startswith("$argon2id$")
    assert "horse" not in stored


def test_projects(store: Store) -> None:
    made = store.projects.create(
        "June", scale="search", guideline={"en": "Grade it.", "zh": "请打分。"}, overlap=3,
        gold_share=0.1, k=20, seed=7,
    )  # fmt: skip
    assert store.projects.get("June") == store.projects.get(made.id) == made
    assert made.scale.parse("高") == 3
    assert (made.guideline["zh"], made.overlap, made.k, made.created_at) == (
        "请打分。",
        3,
        20,
        1000.0,
    )
    store.projects.set_guideline(made.id, {"zh": "看商品是否满足查询。"})
    changed = store.projects.get("June")
    assert changed.guideline == {"en": "Grade it.", "zh": "看商品是否满足查询。"}
    assert [one.name for one in store.projects.all()] == ["June"]
    with pytest.raises(ParameterError, match="`June` already"):
        store.projects.create("June")
    with pytest.raises(UnknownNameError, match="unknown project"):
        store.projects.get(99)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"overlap": 0}, "`overlap` must be a whole number of 1 or more"),
        ({"overlap": 1.5}, "`overlap`"),
        ({"k": 0}, "`k`"),
        ({"seed": -1}, "`seed`"),
        ({"gold_share": 1.0}, "`gold_share`"),
        ({"lease_seconds": 0}, "`lease_seconds`"),
        ({"kind": "pairs"}, "`kind` must be one of `grades`, `side_by_side`"),
    ],
)
def test_bad_projects(store: Store, options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        store.projects.create("x", **options)  # type: ignore[arg-type]


def test_items_come_back_as_they_were(store: Store, project: Project) -> None:
    item = Item(
        "q1", "文档\u200b1", query_text="红色 👟", rank=3, title="A 'title'", snippet="a\nb\t<b>",
        url="https://x.example/?a=1&b=2", image="i.png", fields={"price": 3.5, "tags": ["a", None]},
        tier="tail", session="s1", inclusion_probability=0.25,
    )  # fmt: skip
    assert store.items.add(project.id, [item, item, PAIRS[0]]) == 2
    assert store.items.add(project.id, [item]) == 0
    stored = store.items.all(project.id)
    assert dataclasses.replace(stored[0], id=0) == item
    assert stored[1].document == "d1"


@pytest.mark.parametrize(
    "item",
    [
        Item("", "d"),
        Item("q", ""),
        Item("q", "d\0"),
        Item("q", "d", title="\ud800"),
        Item("q", "d", fields={"a": ["\0"]}),
        Item("q", "d", inclusion_probability=0.0),
        Item("q", "d", rank=10**30),
    ],
)
def test_items_that_cannot_be_stored(store: Store, project: Project, item: Item) -> None:
    with pytest.raises(InputError):
        store.items.add(project.id, [PAIRS[0], item])
    assert store.items.all(project.id) == []


def test_grades_disagree_and_a_lead_decides(store: Store, project: Project) -> None:
    store.items.add(project.id, PAIRS)
    ann, bo = store.accounts.create("Ann"), store.accounts.create("Bo")
    lead = store.accounts.create("Lee", role="lead")
    give(store, ann, project, {"d1": 3, "d2": 3})
    give(store, bo, project, {"d1": 0, "d2": 3})
    third = next(item for item in store.items.all(project.id) if item.document == "d3")
    store.grading.record(bo, Action("cannot", key="c", item_id=third.id, reason="no picture"))
    first, second, _ = store.items.all(project.id)
    assert store.grades.by_judge(project.id) == {
        first.id: {"Ann": 3, "Bo": 0},
        second.id: {"Ann": 3, "Bo": 3},
    }
    queue = store.decisions.queue(project.id)
    assert [(one.item.document, one.spread, one.unrateable) for one in queue] == [
        ("d1", 3.0, 0),
        ("d3", 0.0, 1),
    ]
    assert queue[1].ratings[0].reason == "no picture"
    assert store.decisions.queue(project.id, most=1) == queue[:1]
    assert store.decisions.queue(project.id, at_least=4) == queue[1:]
    assert store.decisions.count_queue(project.id) == 2
    with pytest.raises(ParameterError, match="above 0"):
        store.decisions.queue(project.id, at_least=0)
    with pytest.raises(ParameterError, match="`Ann` is a judge"):
        store.decisions.decide(first.id, ann, 2, key="k1")
    assert store.decisions.decide(first.id, lead, "中", key="k1", note="the colour differs")
    assert not store.decisions.decide(first.id, lead, 2, key="k1", note="the colour differs")
    with pytest.raises(ParameterError, match="another decision"):
        store.decisions.decide(first.id, lead, 1, key="k1")
    with pytest.raises(InputError, match="not a grade"):
        store.decisions.decide(first.id, lead, 7, key="k2")
    with pytest.raises(InputError, match="no item"):
        store.decisions.decide(99999, lead, 1, key="k3")
    assert [one.item.document for one in store.decisions.queue(project.id)] == ["d3"]
    anew = [one.item.document for one in store.decisions.queue(project.id, again=first.id, most=2)]
    assert anew == ["d1", "d3"]
    found = store.decisions.final_grades(project.id)
    assert [(one.item.document, one.value, one.source, one.judges) for one in found] == [
        ("d1", 2.0, "adjudicated", 2),
        ("d2", 3.0, "median", 2),
    ]
    assert store.decisions.decide(first.id, lead, 1, key="k4")
    gains = store.decisions.final_grades(project.id, rule="mean_gain")
    assert [round(one.value, 9) for one in gains] == [0.3, 1.0]


def test_gold_items(store: Store, project: Project) -> None:
    store.items.add(project.id, PAIRS[:2])
    assert store.gold.add(project.id, [(PAIRS[0], 3), (PAIRS[2], "无")]) == (1, 2)
    assert store.gold.add(project.id, [(PAIRS[0], 2)]) == (0, 0)
    ids = {item.document: item.id for item in store.items.all(project.id)}
    assert store.gold.all(project.id) == {ids["d1"]: 2.0, ids["d3"]: 0.0}
    assert [
        (one.item.document, one.source) for one in store.decisions.final_grades(project.id)
    ] == [
        ("d1", "gold"),
        ("d3", "gold"),
    ]
    with pytest.raises(InputError, match="not a grade"):
        store.gold.add(project.id, [(PAIRS[1], 9)])


def test_grades_from_elsewhere(store: Store, project: Project) -> None:
    given = [
        (PAIRS[0], [Rating("Ann", 3.0, note="fine", seconds=2.5, at=5.0), Rating("Bo", 2.0)]),
        (PAIRS[1], [Rating("Ann", None, reason="broken link")]),
    ]
    assert store.grades.add(project.id, given) == (2, 3)
    assert store.grades.add(project.id, given) == (0, 0)
    first, second = store.items.all(project.id)
    ratings = store.grades.ratings(project.id)
    assert ratings[first.id][0] == Rating("Ann", 3.0, "", "fine", 2.5, 5.0)
    assert ratings[second.id] == [Rating("Ann", None, "broken link", at=1000.0)]
    ann = store.accounts.get("Ann")
    store.grading.record(ann, Action("skip", key="k", item_id=second.id))
    assert store.grades.add(project.id, given) == (0, 0)  # what was taken back stays so
    with pytest.raises(InputError, match="more than 2 grades"):
        store.grades.add(project.id, [(PAIRS[0], [Rating("Cy", 1.0)])])
    with pytest.raises(InputError, match="not a grade"):
        store.grades.add(project.id, [(PAIRS[2], [Rating("Ann", 8.0)])])
    assert len(store.items.all(project.id)) == 2


def test_comparisons(store: Store, project: Project) -> None:
    sides = store.projects.create("SBS", kind="side_by_side")
    pair = Comparison(
        "shoes", "old", "new", (Item("shoes", "a", title="A"),), (Item("shoes", "b"),), tier="head"
    )
    assert store.items.add_comparisons(sides.id, [pair, pair]) == 1
    assert list(store.items.comparisons(sides.id).values()) == [pair]
    with pytest.raises(ParameterError, match="not a side-by-side project"):
        store.items.add_comparisons(project.id, [pair])
    with pytest.raises(InputError, match="name two systems"):
        store.items.add_comparisons(sides.id, [Comparison("q", "old", "old")])
