"""A project of a judging database as a source of judgments: `judging.db#June`."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.conftest import JUDGMENTS

pytest.importorskip("sqlalchemy")

from tests.unit.judging_projects import FINAL, create_june, create_several, fill

import relyon
from relyon import io
from relyon.core.errors import (
    InputError,
    UnknownNameError,
)
from relyon.data.scale import Level, Scale
from relyon.io.databases import database_at, hide_password
from relyon.judging.exchange import export_sheet
from relyon.judging.records import Item, Rating
from relyon.judging.store import open_store

RUN = {"tv": {"tv-2": 2.0, "tv-1": 1.0}, "pen": {"pen-1": 1.0}}


@pytest.fixture
def june(tmp_path: Path) -> str:
    """The path of a database with one project."""
    return create_june(tmp_path)


@pytest.fixture
def several(tmp_path: Path) -> str:
    """The path of a database with several projects."""
    return create_several(tmp_path)


def contents(path: str) -> dict[str, bytes]:
    """Every file of the folder of a file."""
    return {one.name: one.read_bytes() for one in Path(path).parent.iterdir() if one.is_file()}


# -- what is read ---------------------------------------------------------------------------------


def test_final_grades_are_those_of_an_export(judging_database: str, tmp_path: Path) -> None:
    with open_store(judging_database) as store:
        project = store.projects.get(fill(store))
        sheet = export_sheet(store, project.id)
    found = relyon.read_judgments(f"{judging_database}#June")
    exported: dict[str, dict[str, float]] = {}
    for row in sheet.rows:
        if row.final is not None:
            exported.setdefault(row.item.query, {})[row.item.document] = row.final
    assert found.to_dict() == exported == FINAL
    assert found.scale == project.scale
    assert found.source == f"{hide_password(judging_database)}#June"
    assert {note.kind: (note.count, note.level, note.examples) for note in found.notes} == {
        "missing-grades": (2, "warning", ("pen-1", "pen-2")),
        "combined-grades": (1, "info", ("cup-1",)),
    }
    assert [note.message for note in found.notes] == [
        "2 of 6 items have no grade yet: they count as unjudged",
        "1 item with different grades by several judges: the median counts",
    ]
    results = relyon.evaluate(f"{judging_database}#June", RUN, "ndcg@10")
    assert results["ndcg@10"] == relyon.evaluate(FINAL, RUN, "ndcg@10", scale="search")["ndcg@10"]
    assert relyon.read_judgments(judging_database).to_dict() == FINAL


def test_a_database_is_a_sheet_with_every_rating(judging_database: str) -> None:
    with open_store(judging_database) as store:
        sheet = export_sheet(store, fill(store))
    assert io.read_sheet(f"{judging_database}#June") == sheet


def test_a_scale_of_the_caller_comes_first(june: str) -> None:
    own = Scale("own", relevant_from=2.0, levels=tuple(Level(float(n), str(n)) for n in range(4)))
    assert io.read_judgments(june, scale=own).scale == own
    with pytest.raises(InputError, match=r"judging\.db#June"):
        io.read_judgments(june, scale=replace(own, levels=own.levels[:2]))


@pytest.mark.parametrize(
    ("name", "project"),
    [
        ("judging.db#June", "June"),
        ("judging.db# June ", "June"),
        ("judging.db#A#1", "A#1"),
        ("sqlite:///judging.db#Live", "Live"),
        ("sqlite:///judging.db#A#1", "A#1"),
        ("./judging.db#Live", "Live"),
    ],
)
def test_a_project_follows_the_sign(
    name: str, project: str, several: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(several).parent)
    found = relyon.read_judgments(name)
    assert found.source.endswith(f"judging.db#{project}")
    assert relyon.read_judgments(Path("judging.db#Live"))["tv"] == {"Live": 2.0}


def test_names_of_files_may_contain_the_sign(tmp_path: Path, june: str) -> None:
    (tmp_path / "judged#1.qrels").write_text(JUDGMENTS, "utf-8")
    assert len(relyon.read_judgments(tmp_path / "judged#1.qrels")) == 6
    os.rename(june, tmp_path / "a#b.db")
    assert relyon.read_judgments(tmp_path / "a#b.db").to_dict() == FINAL
    assert relyon.read_judgments(tmp_path / "a#b.db#June").to_dict() == FINAL
    # A file comes before a project.
    (tmp_path / "a#b.db#June").write_text(JUDGMENTS, "utf-8")
    assert len(relyon.read_judgments(tmp_path / "a#b.db#June")) == 6


@pytest.mark.parametrize(
    ("url", "address", "project"),
    [
        ("postgresql://h/n", "postgresql://h/n", ""),
        ("postgresql://h/n#", "postgresql://h/n", ""),
        ("postgres://u@h:5432/n#June", "postgres://u@h:5432/n", "June"),
        ("postgresql+psycopg://u:p@h/n#a@b", "postgresql+psycopg://u:p@h/n", "a@b"),
        ("postgresql://h:5432/n#a@b", "postgresql://h:5432/n", "a@b"),
        ("postgresql://u:p#w@h/n#June #2", "postgresql://u:p#w@h/n", "June #2"),
        ("postgresql://u:p/w#x@h/n#June", "postgresql://u:p/w#x@h/n", "June"),
        ("postgresql://u:p@/n?host=/tmp#六月", "postgresql://u:p@/n?host=/tmp", "六月"),
    ],
)
def test_urls(url: str, address: str, project: str) -> None:
    found = database_at(url)
    assert found is not None
    assert (found.address, found.project) == (address, project)


def test_a_source_can_be_opened_before_it_is_read(june: str) -> None:
    source = io.open_source(f"{june}#June", kind="judgments")
    assert (source.format, source.path) == ("judging-database", f"{june}#June")
    assert relyon.read_judgments(source).to_dict() == FINAL
    with pytest.raises(InputError, match="is a database"):
        source.read_all()


# -- nothing is changed ---------------------------------------------------------------------------


def test_reading_changes_nothing(june: str) -> None:
    before = contents(june)
    relyon.read_judgments(june)
    io.read_sheet(june)
    with pytest.raises(UnknownNameError):
        relyon.read_judgments(f"{june}#Juni")
    assert contents(june) == before


def test_a_read_only_file_is_read(june: str) -> None:
    os.chmod(june, stat.S_IRUSR)
    os.chmod(Path(june).parent, stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert relyon.read_judgments(june).to_dict() == FINAL
    finally:
        os.chmod(Path(june).parent, stat.S_IRWXU)


def test_a_database_in_use_is_read_with_what_is_in_its_log(june: str) -> None:
    with open_store(june) as store:
        project = store.projects.get("June")
        relyon.read_judgments(june)
        store.grades.add(project.id, [(Item("pen", "pen-2"), [Rating("Ann", 2)])])
        before = Path(june).read_bytes()
        assert relyon.read_judgments(june)["pen"] == {"pen-2": 2.0}
        assert Path(june).read_bytes() == before
        store.grades.add(project.id, [(Item("pen", "pen-3"), [Rating("Ann", 1)])])
        assert store.database.checkpoint()
        assert relyon.read_judgments(june)["pen"] == {"pen-2": 2.0, "pen-3": 1.0}
        store.grades.add(project.id, [(Item("pen", "pen-4"), [Rating("Ann", 1)])])
        assert len(relyon.read_judgments(june)["pen"]) == 3


@pytest.mark.postgres
def test_postgresql_refuses_to_write_in_a_store_to_read(
    new_judging_database: Callable[[str], AbstractContextManager[str]],
) -> None:
    with new_judging_database("postgresql") as address:
        with open_store(address) as store:
            fill(store)
        with open_store(address, access="read") as store:
            assert store.database.read_only
            with store.database.read() as connection:
                assert connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "on"
        with pytest.raises(InputError, match="cannot be written"):
            open_store(address, access="read", create=True)
