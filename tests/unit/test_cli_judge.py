"""`relyon judge`: a database of grades on the command line."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

pytest.importorskip("sqlalchemy")

from tests.unit.conftest import Command

from relyon.cli.judge import command as judge
from relyon.core.document.terminal import width
from relyon.judging.shown import choose_fields
from relyon.judging.store import open_store

ITEMS = """query,document,judge,grade,tier
q1,d1,Ann,3,head
q1,d1,Bo,3,head
q1,d2,Ann,0,head
q1,d2,Bo,3,head
q2,d4,Ann,1,tail
"""


@pytest.fixture
def june(command: Command, files: Path) -> Path:
    """A project with grades."""
    (files / "items.csv").write_text(ITEMS, "utf-8")
    assert command("judge", "init", "judging.db", "--project", "June", "--overlap", "2").code == 0
    outcome = command("judge", "import", "judging.db", "items.csv", "--project", "June",
                     "--input-format", "csv")  # fmt: skip
    assert (outcome.code, outcome.out) == (0, "")
    assert "June: 3 new items, 5 new grades" in outcome.err
    return files


def test_events_are_shown(command: Command, june: Path) -> None:
    assert command("judge", "init", "judging.db", "--account", "ann").code == 2  # there is an Ann
    command("judge", "init", "judging.db", "--account", "eve")
    command("judge", "export", "judging.db", "--project", "June", "--format", "trec")
    found = json.loads(command("judge", "events", "judging.db", "--format", "json").out)
    assert [(one["kind"], one["detail"], one["address"]) for one in reversed(found)] == [
        ("project_made", "June", "command line"),
        ("imported", "June: 3 + 5", "command line"),
        ("account_made", "eve (judge)", "command line"),
        ("exported", "June: trec", "command line"),
    ]
    table = command("judge", "events", "judging.db", "--kind", "exported").out
    assert "June: trec" in table
    assert "account_made" not in table
    assert (
        command("judge", "events", "judging.db", "--account", "nobody").out == "nothing happened\n"
    )
    assert command("judge", "events", "judging.db", "--kind", "export").code == 2


def test_guidelines_and_rules(command: Command, files: Path) -> None:
    (files / "en.md").write_text("Grade it.", "utf-8")
    (files / "zh.md").write_text("请打分。", "utf-8")
    outcome = command(
        "judge", "init", "judging.db", "--project", "June", "--guideline-en", "en.md",
        "--guideline-zh", "zh.md", "--overlap", "3", "--gold-share", "0.1", "-k", "20",
        "--seed", "5", "--scale", "binary",
    )  # fmt: skip
    assert (
        "created the project June: scale binary, 3 judges per item, 10% gold items" in outcome.err
    )
    with open_store(files / "judging.db") as store:
        project = store.projects.get("June")
    assert project.guideline == {"en": "Grade it.", "zh": "请打分。"}
    assert (project.overlap, project.gold_share, project.k, project.seed) == (3, 0.1, 20, 5)


def test_importing_again_adds_nothing(command: Command, june: Path) -> None:
    outcome = command("judge", "import", "judging.db", "items.csv", "--project", "June",
                     "--input-format", "csv")  # fmt: skip
    assert "nothing was imported: 5 grades of these judges" in outcome.err


def test_of_several_files_all_come_in_or_none(command: Command, june: Path) -> None:
    (june / "good.csv").write_text("query,document,judge,grade\nq9,d1,Eve,3\n", "utf-8")
    (june / "bad.csv").write_text("query,document,judge,grade\nq1,d1,Cy,3\n", "utf-8")
    args = ("judge", "import", "judging.db", "good.csv", "bad.csv", "--project", "June",
            "--input-format", "csv")  # fmt: skip
    outcome = command(*args)
    assert outcome.code == 3
    assert "more than 2 grades" in outcome.err
    with open_store(june / "judging.db") as store:
        assert len(store.items.all(1)) == 3
        assert [user.name for user in store.accounts.all()] == ["Ann", "Bo"]


def test_status(command: Command, june: Path) -> None:
    outcome = command("judge", "status", "judging.db", "--project", "June")
    assert "June: 5 of 6 grades (83%), 2 of 3 items finished" in outcome.out
    assert "for a lead to decide: 1" in outcome.out
    assert "Ann / Bo" in outcome.out
    assert max(map(width, outcome.out.splitlines())) <= 80
    (found,) = json.loads(command("judge", "status", "judging.db", "--format", "json").out)
    assert found["agreement"]["overall"]["units"] == 2
    assert found["agreement"]["overall"]["equal"] == 0.5
    assert set(found["agreement"]["tiers"]) == {"head", "tail"}
    assert [one["judge"] for one in found["judges"]] == ["Ann", "Bo"]
    assert found["judges"][1]["available"] == 1


def test_status_of_an_empty_database(command: Command) -> None:
    assert command("judge", "init", "judging.db").code == 0
    assert command("judge", "status", "judging.db").out == "there is no project\n"


def test_export_says_what_is_lost_and_which_rule(command: Command, june: Path) -> None:
    outcome = command("judge", "export", "judging.db", "--project", "June", "--format", "trec")
    assert outcome.out == "q1 0 d1 3\nq1 0 d2 0\nq2 0 d4 1\n"
    assert "cannot represent tiers: left out of 3 items" in outcome.err
    assert "median: the middle grade, the lower one of two" in outcome.err
    outcome = command("judge", "export", "judging.db", "--project", "June", "--format", "csv",
                     "-o", "out.csv")  # fmt: skip
    assert (outcome.code, outcome.out) == (0, "")
    assert (june / "out.csv").read_text("utf-8").count("\n") == 6
    evaluated = command("judge", "export", "judging.db", "--project", "June", "--format", "trec",
                       "--combine", "mean_gain", "-o", "gains.qrels")  # fmt: skip
    assert evaluated.code == 0
    assert "q1 0 d2 0.5" in (june / "gains.qrels").read_text("utf-8")


def test_a_byte_order_mark_where_it_is_asked_for(command: Command, june: Path) -> None:
    args = ("judge", "export", "judging.db", "--project", "June", "--format", "csv", "-o", "o.csv")
    command(*args)
    plain = (june / "o.csv").read_bytes()
    command(*args, "--bom")
    assert (june / "o.csv").read_bytes() == "\ufeff".encode() + plain
    again = command("judge", "import", "judging.db", "o.csv", "--project", "June")
    assert again.code == 3
    assert "5 grades of these judges for these items are already stored" in again.err


def test_the_labelling_interface(command: Command, june: Path) -> None:
    command("judge", "export", "judging.db", "--project", "June", "--format", "label-studio",
           "-o", "tasks.json", "--labelling-config", "view.xml")  # fmt: skip
    assert len(json.loads((june / "tasks.json").read_text("utf-8"))) == 3
    assert 'alias="high"' in (june / "view.xml").read_text("utf-8")


def test_items_of_a_run(command: Command, june: Path) -> None:
    outcome = command("judge", "import", "judging.db", "--project", "June", "--run", "bm25.run",
                     "--run", "tfidf.run", "-k", "2")  # fmt: skip
    assert "June: 4 new items, 0 new grades" in outcome.err
    with open_store(june / "judging.db") as store:
        items = store.items.all(store.projects.get("June").id)
    assert [(item.query, item.document, item.rank) for item in items[3:]] == [
        ("q2", "d9", 2),
        ("q1", "d3", 2),
        ("q2", "d1", 2),
        ("q3", "d5", 1),
    ]


def test_known_grades(command: Command, june: Path) -> None:
    outcome = command("judge", "import", "judging.db", "judgments.csv", "--project", "June",
                     "--input-format", "csv", "--gold")  # fmt: skip
    assert "June: 0 new items, 3 new known grades" in outcome.err
    assert "3 gold items" in command("judge", "status", "judging.db").out


def test_a_column_a_judge(command: Command, june: Path) -> None:
    (june / "wide.csv").write_text("query,doc,Ann,Bo\nq9,d1,高,无\n", "utf-8")
    outcome = command("judge", "import", "judging.db", "wide.csv", "--project", "June",
                     "--judge-column", "Ann", "--judge-column", "Bo")  # fmt: skip
    assert "1 new item, 2 new grades" in outcome.err


def test_side_by_side(command: Command, june: Path) -> None:
    command("judge", "init", "judging.db", "--project", "SBS", "--kind", "side_by_side")
    (june / "texts.csv").write_text(
        "query,document,query_text,title,tier\nq1,d1,red shoes,Red,head\n", "utf-8"
    )
    outcome = command(
        "judge", "import", "judging.db", "texts.csv", "--project", "SBS", "--input-format", "csv",
        "--side", "old=bm25.run", "--side", "new=tfidf.run", "-k", "2",
    )  # fmt: skip
    assert "SBS: 2 new comparisons" in outcome.err
    with open_store(june / "judging.db") as store:
        first, second = store.items.comparisons(store.projects.get("SBS").id).values()
    assert (first.query_text, first.tier, first.first, first.second) == (
        "red shoes", "head", "old", "new",
    )  # fmt: skip
    assert [one.document for one in first.first_results] == ["d2", "d1"]
    assert first.first_results[1].title == "Red"
    assert [one.document for one in second.second_results] == ["d9", "d1"]
    outcome = command("judge", "import", "judging.db", "texts.csv", "--project", "SBS",
                     "--input-format", "csv")  # fmt: skip
    assert outcome.code == 2
    assert "side-by-side project" in outcome.err


def test_tables_describe_what_runs_name_by_ids(command: Command, june: Path) -> None:
    (june / "catalogue.csv").write_text("id,title,price\nd1,One,5\nd2,Two,6\nd9,Nine,\n", "utf-8")
    (june / "queries.tsv").write_text("id\ttext\nq1\tred shoes\nq2\tblue\nq3\tgreen\n", "utf-8")
    command("judge", "init", "judging.db", "--project", "July")
    command("judge", "init", "judging.db", "--project", "SBS", "--kind", "side_by_side")
    tables = ("--queries", "queries.tsv", "--documents", "catalogue.csv")
    outcome = command("judge", "import", "judging.db", "--project", "July", "--run", "bm25.run",
                     "-k", "2", *tables)  # fmt: skip
    assert outcome.code == 0
    assert "catalogue.csv: nothing about the document of 1 item" in outcome.err
    command("judge", "import", "judging.db", "--project", "SBS", "--side", "old=bm25.run",
           "--side", "new=tfidf.run", *tables)  # fmt: skip
    with open_store(june / "judging.db") as store:
        items = store.items.all(store.projects.get("July").id)
        pairs = list(store.items.comparisons(store.projects.get("SBS").id).values())
    told = {one.document: (one.query_text, one.title, dict(one.fields)) for one in items}
    assert told["d9"] == ("blue", "Nine", {})
    assert told["d2"] == ("red shoes", "Two", {"price": "6"})
    assert [one.query_text for one in pairs] == ["red shoes", "blue"]
    assert {one.title for one in pairs[0].first_results} >= {"One", "Two"}


def test_tables_describe_what_was_imported_before(command: Command, june: Path) -> None:
    (june / "catalogue.csv").write_text("id,title,price\nd1,One,5\nd2,Two,6\nd9,Nine,\n", "utf-8")
    command("judge", "init", "judging.db", "--project", "July")
    words = ("judge", "import", "judging.db", "--project", "July", "--run", "bm25.run", "-k", "2")
    command(*words)
    with open_store(june / "judging.db") as store:
        assert {one.title for one in store.items.all(store.projects.get("July").id)} == {""}
    outcome = command(*words, "--documents", "catalogue.csv")
    assert "July: 0 new items, 0 new grades, texts for 3 earlier items" in outcome.err
    with open_store(june / "judging.db") as store:
        titles = {one.document: one.title for one in store.items.all(store.projects.get("July").id)}
    assert titles == {"d1": "One", "d2": "Two", "d4": "", "d9": "Nine"}
    assert "earlier" not in command(*words, "--documents", "catalogue.csv").err


def test_judges_do_not_see_how_often_a_result_was_shown(command: Command, june: Path) -> None:
    (june / "pool.csv").write_text(
        "query,doc,tier,position,sessions,reason\ntv,d7,head,3,120,new\n", "utf-8"
    )
    outcome = command("judge", "import", "judging.db", "pool.csv", "--project", "June")
    assert "1 new item" in outcome.err
    with open_store(june / "judging.db") as store:
        item = store.items.all(store.projects.get("June").id)[-1]
    assert (item.query, item.document, item.tier, item.rank) == ("tv", "d7", "head", 3)
    assert item.fields == {"sessions": "120"}  # kept, and exported
    assert choose_fields(item) == {}


def test_what_is_exported_is_what_counts(command: Command, june: Path) -> None:
    from relyon import read_judgments
    from relyon.judging.exchange import final_judgments

    for form in ("csv", "jsonl"):
        outcome = command("judge", "export", "judging.db", "--project", "June", "--format", form,
                         "-o", f"out.{form}")  # fmt: skip
        assert outcome.code == 0
        found = read_judgments(june / f"out.{form}")
        assert {query: found[query] for query in found.queries} == {
            "q1": {"d1": 3.0, "d2": 0.0},
            "q2": {"d4": 1.0},
        }
    with open_store(june / "judging.db") as store:
        project = store.projects.get("June").id
        direct, grading = final_judgments(store, project)
        assert {query: direct[query] for query in direct.queries} == {
            query: found[query] for query in found.queries
        }
        assert grading == "median"
        assert direct.scale == store.projects.get("June").scale
        gains, _ = final_judgments(store, project, rule="mean_gain")
        assert gains["q1"] == {"d1": 1.0, "d2": 0.5}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["status", "none.db"], 3, "this database does not exist"),
        (["status", "judging.db", "--project", "Juni"], 2, "did you mean `June`?"),
        (["import", "judging.db", "--project", "June"], 2, "nothing to import"),
        (["import", "judging.db", "book.csv", "--project", "June"], 2, "could be one of csv"),
        (["export", "judging.db", "--project", "June", "--format", "xls"], 2, "unknown format"),
        (["import", "judging.db", "--project", "June", "--side", "a=bm25.run"], 2, "two systems"),
        (["init", "mysql://localhost/x"], 2, "PostgreSQL"),
    ],
)
def test_what_cannot_be_done(
    command: Command, june: Path, arguments: list[str], code: int, message: str
) -> None:
    (june / "book.csv").write_text("query,docid,Ann,Bo\nq,d,1,2\n", "utf-8")
    outcome = command("judge", *arguments)
    assert outcome.code == code
    assert message in outcome.err


@pytest.mark.parametrize("name", sorted(judge.commands))
def test_help_of_the_parts(name: str, command: Command, june: Path) -> None:
    outcome = command("judge", name, "--help")
    lines = outcome.out.splitlines()
    assert max(map(width, lines)) <= 80
    assert "Examples:" in [line.strip() for line in lines[4:7]]
    context = click.Context(judge)
    part = judge.get_command(context, name)
    assert part is not None
    for one in part.params:
        assert one.param_type_name == "argument" or one.help


@pytest.mark.long
def test_the_examples_of_the_parts_work_in_order(command: Command, june: Path) -> None:
    from tests.unit.test_cli_help import examples

    (june / "judging.db").unlink()
    for name in ("init", "import", "export", "status"):
        for line in examples(command("judge", name, "--help").out):
            outcome = command(*shlex.split(line)[1:])
            assert outcome.code == 0, f"{line}: {outcome.err}"


def test_the_help_needs_no_judging_packages() -> None:
    code = (
        "import sys; from relyon.cli.application import main\n"
        "try: main(['judge', '--help'])\n"
        "except SystemExit: pass\n"
        "print([one for one in ('sqlalchemy', 'alembic', 'argon2', 'numpy', 'polars')"
        " if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_a_missing_package_of_the_app_is_named(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    outcome = command("judge", "serve", "judging.db")
    assert outcome.code == 4
    assert outcome.err.splitlines()[:2] == [
        "error: the judging app needs the package uvicorn",
        "hint: pip install 'relyon[judge]'",
    ]


def test_queries_of_several_words_are_exported_with_a_table_of_ids(
    command: Command, june: Path
) -> None:
    rows = "query,document,judge,grade\nred running shoes,a document,Ann,3\ntv,d1,Ann,1\n"
    (june / "more.csv").write_text(rows, "utf-8")
    command("judge", "init", "judging.db", "--project", "Shop")
    command(
        "judge", "import", "judging.db", "more.csv", "--project", "Shop", "--input-format", "csv"
    )
    export = ("judge", "export", "judging.db", "--project", "Shop", "--format", "trec")
    outcome = command(*export)
    assert (outcome.code, outcome.out) == (2, "")
    assert "--queries FILE, or use -o FILE" in outcome.err
    outcome = command(*export, "-o", "shop.qrels")
    assert outcome.code == 0, outcome.err
    assert (june / "shop.qrels").read_text() == "q1 0 d2 3\ntv 0 d1 1\n"
    queries = "id\ttext\toriginal\nq1\tred running shoes\tred running shoes\ntv\ttv\t\n"
    assert (june / "shop.queries.tsv").read_text() == queries
    assert (june / "shop.documents.tsv").read_text() == "id\toriginal\nd2\ta document\nd1\t\n"
    assert "shop.queries.tsv maps the ids of queries to texts" in outcome.err
    outcome = command(*export, "--queries", "q.tsv", "--documents", "d.tsv")
    assert outcome.out == "q1 0 d2 3\ntv 0 d1 1\n"
    assert (june / "q.tsv").read_text() == queries
    command("judge", "init", "judging.db", "--project", "Back")
    outcome = command(
        "judge", "import", "judging.db", "shop.qrels", "--project", "Back",
        "--queries", "shop.queries.tsv", "--documents", "shop.documents.tsv",
    )  # fmt: skip
    assert "2 new items, 2 new grades" in outcome.err
    with open_store(june / "judging.db") as store:
        found = [
            (one.query, one.query_text, one.document, one.fields) for one in store.items.all(3)
        ]
    assert found == [("red running shoes", "", "a document", {}), ("tv", "", "d1", {})]


def test_tables_of_ids_are_for_formats_of_ids(command: Command, june: Path) -> None:
    export = ("judge", "export", "judging.db", "--project", "June", "--queries", "q.tsv")
    outcome = command(*export, "--format", "csv")
    assert outcome.code == 2
    assert "--queries is for formats that contain only ids" in outcome.err
    assert command(*export, "--format", "trec").code == 0
    assert (june / "q.tsv").read_text() == "id\ttext\toriginal\nq1\tq1\t\nq2\tq2\t\n"


@pytest.mark.long
def test_an_archive_is_written_and_read(command: Command, june: Path) -> None:
    args = ("judge", "export", "judging.db", "--project", "June", "--format", "archive")
    assert "add -o" in command(*args).err
    written = command(*args, "-o", "june.relyon-project")
    assert written.code == 0
    assert "3 items" in written.err
    taken = command("judge", "import", "judging.db", "june.relyon-project")
    assert (taken.code, "`June` already" in taken.err) == (2, True)
    made = command("judge", "import", "judging.db", "june.relyon-project", "--project", "Copy")
    assert made.code == 0
    assert "created the project Copy" in made.err
    command("judge", "init", "other.db")
    other = command("judge", "import", "other.db", "june.relyon-project")
    assert "created the project June" in other.err
    for database, project in (("judging.db", "Copy"), ("other.db", "June")):
        csv = command("judge", "export", database, "--project", project, "--format", "csv").out
        again = command("judge", "export", "judging.db", "--project", "June", "--format", "csv").out
        assert csv == again
    mixed = command("judge", "import", "judging.db", "june.relyon-project", "--run", "bm25.run")
    assert "is a whole project" in mixed.err
    (june / "half.relyon-project").write_bytes((june / "june.relyon-project").read_bytes()[:900])
    broken = command("judge", "import", "judging.db", "half.relyon-project")
    assert (broken.code, "truncated" in broken.err) == (3, True)
    missing = command("judge", "import", "judging.db", "pool.csv").err
    assert "error: --project is missing\nhint: name the project to import into: " in missing
    assert "`Copy`" in missing
    assert "`June`" in missing
    command("judge", "init", "empty.db")
    empty = command("judge", "import", "empty.db", "pool.csv").err
    assert "hint: `relyon judge init DATABASE --project NAME` creates one" in empty


def test_a_project_is_renamed_closed_opened_and_deleted(command: Command, june: Path) -> None:
    def change(*options: str) -> str:
        return str(command("judge", "project", "judging.db", *options).err)

    assert "renamed to July" in change("June", "--rename", "July")
    assert "10% of a judge's items" in change("July", "--gold-share", "0.1")
    assert "closed the project July" in change("July", "--close")
    refused = command("judge", "import", "judging.db", "pool.csv", "--project", "July")
    assert "`July` is closed" in refused.err
    assert "July: closed" in command("judge", "project", "judging.db", "July").out
    assert "opened the project July" in change("July", "--reopen")
    assert "exclude each other" in change("July", "--close", "--delete")
    assert "needs --yes" in change("July", "--delete")
    assert "July" in command("judge", "status", "judging.db").out
    assert "deleted the project July" in change("July", "--delete", "--yes")
    assert "July" not in command("judge", "status", "judging.db").out
    assert "unknown project" in change("July", "--close")
