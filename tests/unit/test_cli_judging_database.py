"""Every command reads a project of a judging database as its export."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.databases import create_file
from tests.unit.conftest import BM25, JUDGMENTS, Command

pytest.importorskip("sqlalchemy")

from tests.unit.judging_projects import URL, create_june, fill

import relyon
from relyon import io
from relyon.core.errors import (
    InputError,
)
from relyon.data.judgments import Judgments
from relyon.data.sheets import Row, Sheet
from relyon.io.databases import file_of, hide_password, hide_passwords
from relyon.judging.exchange import export_sheet, import_sheet
from relyon.judging.records import Item
from relyon.judging.store import open_store
from relyon.report.provenance import digest

RUN = {"tv": {"tv-2": 2.0, "tv-1": 1.0}, "pen": {"pen-1": 1.0}}


@pytest.fixture
def june(tmp_path: Path) -> str:
    """The path of a database with one project."""
    return create_june(tmp_path)


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
    assert "or of a judging database, is its fingerprint" in "\n".join(pages[1])


@pytest.mark.parametrize(
    "arguments",
    [
        ("sample", "log.csv", "--per-tier", "2", "--pool", "out.csv", "--judgments", "{}",
         "--force"),
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
