"""Projects of judging databases that cannot be read as judgments, and why."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from tests.databases import create_file
from tests.unit.conftest import JUDGMENTS

pytest.importorskip("sqlalchemy")

from tests.unit.judging_projects import FINAL, URL, create_june, create_several

import relyon
from relyon import io
from relyon.core.errors import (
    DependencyError,
    InputError,
    ParameterError,
    RelyonError,
    UnknownNameError,
)
from relyon.data.judgments import Judgments
from relyon.judging.store import open_store


@pytest.fixture
def june(tmp_path: Path) -> str:
    """The path of a database with one project."""
    return create_june(tmp_path)


@pytest.fixture
def several(tmp_path: Path) -> str:
    """The path of a database with several projects."""
    return create_several(tmp_path)


@pytest.mark.parametrize(
    ("name", "error", "said", "hint"),
    [
        ("{}#Juni", UnknownNameError, "unknown project: `Juni`", "did you mean `June`?"),
        ("{}#xyz", UnknownNameError, "unknown project", "the projects are `June`, `Live`, `A#1`, "),
        ("{}", ParameterError, "the database has 5 projects", "`{}#NAME`: `June`, `Live`, `A#1`"),
        ("{}#", ParameterError, "the database has 5 projects", "name one after `#`"),
        ("{}#Empty", InputError, "{}#Empty: nothing has been graded in `Empty` yet", ""),
        ("{}#Side", InputError, "`Side` contains preferences", "`relyon judge status`"),
        ("{}.old#June", InputError, "{}.old#June: there is no such file", ""),
        ("sqlite:///{}.old#June", InputError, "{}.old: this database does not exist", "judge init"),
        ("mysql://a:s3cret@h/n#June", ParameterError, "not `mysql`", "postgresql://USER@HOST/NAME"),
        ("postgresql://u:s3cret@h:x/n#June", ParameterError, "not the URL", "postgresql://USER"),
    ],
)
def test_projects_that_cannot_be_read(
    name: str, error: type[RelyonError], said: str, hint: str, several: str
) -> None:
    for read in (relyon.read_judgments, relyon.Evaluator, io.read_sheet):
        if "Empty" in name and read is io.read_sheet:
            continue  # items without any grade are a sheet
        with pytest.raises(error) as raised:
            read(name.format(several))
        assert said.format(several) in raised.value.message
        assert hint.format(several) in raised.value.hint
        assert "s3cret" not in str(raised.value)


def test_many_projects_are_listed_up_to_a_limit(june: str) -> None:
    with open_store(june) as store:
        for number in range(30):
            store.projects.create(f"round {number}")
    with pytest.raises(ParameterError, match="the database has 31 projects") as raised:
        relyon.read_judgments(june)
    assert raised.value.hint.endswith("`round 18`, …")


def test_a_database_without_projects(tmp_path: Path) -> None:
    path = create_file(tmp_path / "judging.db")
    with pytest.raises(InputError, match="the database has no projects") as raised:
        relyon.read_judgments(path)
    assert "relyon judge init DATABASE --project NAME" in raised.value.hint


def test_closed_projects_are_read_and_removed_ones_are_not(several: str) -> None:
    with open_store(several) as store:
        store.projects.close(store.projects.get("June").id)
    assert relyon.read_judgments(f"{several}#June").to_dict() == FINAL


def test_databases_of_other_programs_and_versions(june: str, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE judgments (query, document, grade)")
    before = other.read_bytes()
    for name in (other, f"{other}#June"):
        with pytest.raises(InputError, match=r"has no judging tables, but others: judgments"):
            relyon.read_judgments(name)
    assert other.read_bytes() == before
    for version, said in (("9999", "which this relyon does not know"), (None, "no judging tables")):
        with sqlite3.connect(june) as connection:
            connection.execute("UPDATE alembic_version SET version_num = ?", [version or "x"])
            if version is None:
                connection.execute("DELETE FROM alembic_version")
        connection.close()
        before = Path(june).read_bytes()
        with pytest.raises(InputError, match=said):
            relyon.read_judgments(june)
        assert Path(june).read_bytes() == before


def test_a_damaged_database(june: str) -> None:
    data = Path(june).read_bytes()
    Path(june).write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="the file is cut off") as raised:
        relyon.read_judgments(f"{june}#June")
    assert "judge restore" in raised.value.hint
    Path(june).write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    with pytest.raises(InputError, match="cannot be used"):
        relyon.read_judgments(f"{june}#June")


def test_a_project_of_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "judgments.qrels"
    path.write_text(JUDGMENTS, "utf-8")
    with pytest.raises(InputError, match="#June: there is no such file") as raised:
        relyon.read_judgments(f"{path}#June")
    assert raised.value.hint == (
        f"a project after `#` belongs to a judging database, and `{path}` is not one"
    )


def test_a_database_is_only_judgments(june: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`judging-database` cannot contain a run"):
        relyon.evaluate(FINAL, june, "rr")
    with pytest.raises(InputError, match="cannot contain labels with features"):
        relyon.read_features(june)
    with pytest.raises(ParameterError, match="is a judging database, not `csv`") as raised:
        relyon.read_judgments(june, format="csv")
    assert raised.value.hint == "leave out format="
    with pytest.raises(ParameterError, match="has columns of its own"):
        relyon.read_judgments(june, columns={"grade": "x"})
    assert relyon.read_judgments(june, format="judging-database").to_dict() == FINAL
    for target in ("copy.db", "judging.db"):
        with pytest.raises(ParameterError, match="cannot be written as a file"):
            relyon.write_judgments(
                Judgments.from_dict(FINAL), tmp_path / target,
                format="judging-database", overwrite=True,
            )  # fmt: skip
    assert not (tmp_path / "copy.db").exists()
    assert relyon.read_judgments(june).to_dict() == FINAL


def test_bytes_are_never_opened_as_a_database(june: str) -> None:
    """The name of a stream may come from a stranger."""
    with open(june, "rb") as file, pytest.raises(InputError, match="is a database") as raised:
        relyon.read_judgments(file)
    assert "judging.db#PROJECT" in raised.value.hint
    for name in (june, f"{june}#June", URL):
        sent = io.Source(BytesIO(b"query,document,grade\nq,d,1\n"), name=name)
        with pytest.raises(InputError, match="is not a judging database"):
            io.read_sheet(sent, format="judging-database")
    with pytest.raises(InputError, match="is not a judging database"):
        relyon.read_judgments(BytesIO(b"q 0 d 1\n"), format="judging-database")


def test_missing_packages(june: str) -> None:
    script = (
        "import sys\nsys.modules['sqlalchemy'] = None\nimport relyon\n"
        "from relyon.core.errors import RelyonError\n"
        "try:\n    relyon.read_judgments(sys.argv[1])\n"
        "except RelyonError as error:\n    print(type(error).__name__, error.hint)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, june], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{DependencyError.__name__} pip install 'relyon[judge]'\n"
