"""A project of a judging database wherever judgments are read: `judging.db#June`."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from tests.databases import create_file
from tests.unit.conftest import BM25, JUDGMENTS, Command

pytest.importorskip("sqlalchemy")

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
from relyon.data.scale import Level, Scale
from relyon.data.sheets import Row, Sheet
from relyon.io.databases import database_at, file_of, hide_password, hide_passwords
from relyon.judging.exchange import export_sheet, import_sheet
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store, open_store
from relyon.report.provenance import digest

URL = "postgresql://ann:s3cret@127.0.0.1:1/judging"
RUN = {"tv": {"tv-2": 2.0, "tv-1": 1.0}, "pen": {"pen-1": 1.0}}


def fill(store: Store, name: str = "June") -> int:
    """Creates a project with grades that agree, differ, are decided, and are missing."""
    project = store.projects.create(name, overlap=3)
    store.grades.add(
        project.id,
        [
            (Item("tv", "tv-1"), [Rating("Ann", 3), Rating("Bo", 3)]),
            (Item("tv", "tv-2"), [Rating("Ann", 3), Rating("Bo", 0)]),
            (Item("cup", "cup-1"), [Rating("Ann", 1), Rating("Bo", 3), Rating("Cy", 3)]),
            (Item("pen", "pen-1"), [Rating("Ann", None, "gone")]),
        ],
    )
    store.items.add(project.id, [Item("pen", "pen-2")])
    store.gold.add(project.id, [(Item("hat", "hat-1"), 2)])
    lead = store.accounts.create(f"Lee {name}", role="lead")
    decided = next(one for one in store.items.all(project.id) if one.document == "tv-2")
    store.decisions.decide(decided.id, lead, 1, key=f"first {name}")
    return project.id


FINAL = {"tv": {"tv-1": 3.0, "tv-2": 1.0}, "cup": {"cup-1": 3.0}, "hat": {"hat-1": 2.0}}


@pytest.fixture
def june(tmp_path: Path) -> str:
    """The path of a database with one project."""
    path = str(create_file(tmp_path / "judging.db"))
    with open_store(path) as store:
        fill(store)
    return path


@pytest.fixture
def several(june: str) -> str:
    """The path of a database with several projects."""
    with open_store(june) as store:
        for name in ("Live", "A#1"):
            project = store.projects.create(name)
            store.grades.add(project.id, [(Item("tv", name), [Rating("Ann", 2)])])
        store.projects.create("Empty")
        store.projects.create("Side", kind="side_by_side")
    return june


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


# -- what cannot be read --------------------------------------------------------------------------


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


# -- passwords ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://u:s3cret@h/n", "postgresql://u:***@h/n"),
        ("postgresql://:s3cret@h/n", "postgresql://:***@h/n"),
        ("postgresql://u:a@b/c#d@h/n", "postgresql://u:***@h/n"),
        ("postgresql://u@h/n?password=s3cret&a=1", "postgresql://u@h/n?password=***&a=1"),
        ("postgresql://u@h/n", "postgresql://u@h/n"),
        ("a@b:c.db", "a@b:c.db"),
    ],
)
def test_passwords_are_hidden(address: str, shown: str) -> None:
    assert hide_password(address) == shown
    assert hide_passwords(f"open `{address}`: failed") == f"open `{shown}`: failed"


def test_no_error_or_name_shows_a_password() -> None:
    for url in (URL, f"{URL}#June", f"{URL}?sslpassword=s3cret", f"{URL}?unknown=1#June"):
        source = io.open_source(url)
        assert "s3cret" not in repr(source) + source.path + source.name
        with pytest.raises(InputError, match="cannot be used") as raised:
            relyon.evaluate(url, RUN)
        assert "s3cret" not in str(raised.value) + raised.value.path + repr(raised.value)


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", URL),
        ("evaluate", f"{URL}#June", "bm25.run"),
        ("evaluate", "judgments.qrels", URL),
        ("evaluate", URL, "bm25.run", "--columns", "grade=x"),
        ("evaluate", URL, "bm25.run", "--judgments-columns", "grade=x"),
        ("evaluate", URL, "bm25.run", "--judgments-format", "csv"),
        ("compare", URL, "bm25.run"),
        ("agree", URL, "bm25.run"),
        ("convert", URL, "x.csv"),
        ("monitor", "add", "rounds", "--month", "2026-03", "--sample", "sample.csv", "--judgments",
         URL, "--project", "June"),
        ("judge", "status", URL),
    ],
)  # fmt: skip
def test_no_command_shows_a_password(arguments: tuple[str, ...], command: Command) -> None:
    outcome = command(*arguments)
    assert outcome.code in (2, 3)
    assert "s3cret" not in outcome.out + outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.postgres
def test_results_of_postgresql_show_no_password(
    new_judging_database: Callable[[str], AbstractContextManager[str]],
    command: Command,
    files: Path,
) -> None:
    with new_judging_database("postgresql") as address:
        with open_store(address) as store:
            import_sheet(store, store.projects.create("June").id, judged())
        start, _, rest = address.partition("://")
        host = rest.rpartition("@")[2]
        user = (rest.rpartition("@")[0] or "postgres").partition(":")[0]
        url = f"{start}://{user}:s3cret@{host}#June"
        texts = []
        for form in ("table", "json", "jsonl", "csv", "markdown"):
            outcome = command("evaluate", url, "bm25.run", "--format", form)
            assert outcome.code == 0, outcome.err
            texts += [outcome.out, outcome.err]
        assert command("report", url, "bm25.run", "tfidf.run", "-o", "r.html").code == 0
        texts.append((files / "r.html").read_text("utf-8"))
        assert "s3cret" not in "".join(texts)


# -- every command --------------------------------------------------------------------------------


def judged() -> Sheet:
    """The judgments of the small files, as items with a final grade."""
    rows = [line.split() for line in JUDGMENTS.splitlines()]
    rows += [["tv", "", "tv-1", "3"], ["pen", "", "pen-1", "1"], ["cup", "", "cup-1", "2"]]
    rows += [[str(n // 5), "", f"d{n}", str(n % 3)] for n in range(100)]
    return Sheet(
        tuple(Row(Item(query, document), final=float(grade)) for query, _, document, grade in rows)
    )


@pytest.fixture
def small(files: Path) -> Path:
    """A database beside its export as a file."""
    with open_store(create_file(files / "judging.db")) as store:
        project = store.projects.create("June")
        import_sheet(store, project.id, judged())
        export = export_sheet(store, project.id)
    lines = [f"{one.item.query}\t{one.item.document}\t{one.final:g}" for one in export.rows]
    (files / "june.tsv").write_text("\n".join(["query\tdocument\tgrade", *lines, ""]), "utf-8")
    return files


@pytest.mark.parametrize("name", ["judging.db#June", "judging.db"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "{}", "bm25.run", "tfidf.run", "-q"),
        ("evaluate", "{}", "bm25.run", "--format", "json"),
        ("compare", "{}", "bm25.run", "tfidf.run"),
        ("diagnose", "{}", "bm25.run", "tfidf.run"),
        ("explain", "{}", "bm25.run", "--query-id", "q1"),
        ("funnel", "{}", "--stage", "recall=bm25.run", "--stage", "rank=tfidf.run"),
        ("depth", "{}", "bm25.run", "tfidf.run", "--at", "1,2"),
        ("agree", "{}", "bm25.run", "tfidf.run", "new.run"),
        ("agree", "crowd.qrels", "bm25.run", "tfidf.run", "new.run", "--with", "{}"),
        ("fuse", "bm25.run", "tfidf.run", "--method", "posfuse", "--judgments", "{}", "-o", "-"),
        ("labels", "compare", "clicks.csv", "--judgments", "{}", "--format", "json"),
    ],
)
def test_every_command_reads_it_as_its_export(
    arguments: tuple[str, ...], name: str, command: Command, small: Path
) -> None:
    scaled = () if arguments[0] == "fuse" else ("--scale", "search")
    theirs = command(*(one.format("june.tsv") for one in arguments), *scaled)
    # Another file with the scale of the project needs it, too.
    both = scaled if "--with" in arguments else ()
    ours = command(*(one.format(name) for one in arguments), *both)
    assert theirs.code == ours.code == 0, theirs.err + ours.err
    assert ours.out == theirs.out.replace("june.tsv", "judging.db#June")


def test_a_report_names_the_project_and_the_digest_of_its_grades(
    command: Command, small: Path
) -> None:
    pages = []
    for name, scaled in (("june.tsv", ("--scale", "search")), ("judging.db", ())):
        outcome = command(
            "report", name, "bm25.run", "tfidf.run", "-o", "-", "--format", "markdown", *scaled
        )
        assert outcome.code == 0, outcome.err
        pages.append(outcome.out.splitlines())
    different = [(one, other) for one, other in zip(*pages, strict=False) if one != other]
    assert "| june.tsv |" in different[0][0]
    assert "| judging.db#June |" in different[0][1]
    grades = relyon.read_judgments("june.tsv").to_dict()
    assert digest(Judgments.from_dict(grades)) in different[0][1]
    assert "or of a judging database, is that of its rows" in "\n".join(pages[1])


@pytest.mark.parametrize(
    "arguments",
    [
        ("sample", "log.csv", "--per-tier", "2", "--pool", "out.csv", "--judgments", "{}"),
        ("convert", "{}", "out.csv", "--force"),
        ("labels", "simulate", "search.run", "-n", "50", "--judgments", "{}", "-o", "out.csv",
         "--force"),
        ("train", "rows.letor", "--judgments", "{}", "--scorer", "linear", "--ranker", "ranknet",
         "-o", "out.csv", "--force"),
    ],
)  # fmt: skip
def test_every_command_that_writes_reads_it_as_its_export(
    arguments: tuple[str, ...], command: Command, small: Path
) -> None:
    written = []
    for name in ("june.tsv", "judging.db#June"):
        outcome = command(*(one.format(name) for one in arguments))
        assert outcome.code == 0, outcome.err
        written.append((outcome.out, (small / "out.csv").read_bytes()))
    assert written[0] == written[1]


def test_items_of_one_database_are_imported_into_another(command: Command, small: Path) -> None:
    assert command("judge", "init", "other.db", "--project", "July").code == 0
    outcome = command("judge", "import", "other.db", "judging.db#June", "--project", "July")
    assert outcome.code == 0, outcome.err
    assert "109 new items, 109 new grades" in outcome.err
    ours, theirs = map(relyon.read_judgments, ("other.db", "judging.db"))
    assert ours.to_dict() == theirs.to_dict()
    outcome = command("judge", "import", "other.db", "none.db#June", "--project", "July")
    assert outcome.code == 3
    assert "there is no such file" in outcome.err


def test_monitor_has_one_door(command: Command, files: Path) -> None:
    with open_store(create_file(files / "judging.db")) as store:
        fill(store)
        fill(store, "Live")
    made = []
    for number, judgments in enumerate(
        [
            ("judging.db", "--project", "Live"),
            ("judging.db#Live",),
            ("judging.db#Live", "--project", "Live"),
        ]
    ):
        add = ("monitor", "add", f"rounds{number}", "--sample", "sample.csv", "--month", "2026-03")
        outcome = command(*add, "--judgments", *judgments, "--combine", "majority")
        assert outcome.code == 0, outcome.err
        assert "majority: the most frequent grade" in outcome.err
        assert "2 of 6 items have no grade yet" in outcome.err
        (round_,) = relyon.read_rounds(f"rounds{number}")
        made.append((round_.judgments.to_dict(), round_.grading, round_.judgments.scale))
    assert made[0] == made[1] == made[2]
    assert made[0][1] == "majority"


def test_the_output_is_never_the_database(command: Command, small: Path) -> None:
    before = (small / "judging.db").read_bytes()
    for arguments in (
        ("evaluate", "judging.db#June", "bm25.run", "-o", "judging.db"),
        ("evaluate", "sqlite:///judging.db#June", "bm25.run", "-o", "judging.db"),
        ("convert", "judging.db#June", "judging.db", "--format", "csv", "--force"),
        ("sample", "log.csv", "--judgments", "judging.db#June", "--pool", "judging.csv"),
    ):
        outcome = command(*arguments)
        if "sample" in arguments:
            assert outcome.code == 0, outcome.err
            continue
        assert outcome.code == 2
        assert "is one of the inputs" in outcome.err
    assert (small / "judging.db").read_bytes() == before
    assert file_of("judging.db#June") == "judging.db"


def test_chinese_is_spoken_of_databases_too(command: Command, june: str, files: Path) -> None:
    (files / "a.run").write_text(BM25, "utf-8")
    outcome = command("evaluate", f"{june}#六月", "a.run", "--lang", "zh")
    assert outcome.code == 2
    assert "现有项目：`June`" in outcome.err
    outcome = command("evaluate", june, "search.run", "--lang", "zh")
    assert outcome.code == 0, outcome.err
    assert "6 条结果中有 2 条还没有等级，按未标注处理" in outcome.err
