"""`relyon judge import`: sheets of several people, corrected sheets, and what judges do not see."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from tests.unit.conftest import Command, Outcome

from relyon.judging.actions import Action
from relyon.judging.store import open_store


@pytest.fixture
def pair(command: Command, files: Path) -> Path:
    assert command("judge", "init", "judging.db", "--project", "Pair", "--overlap", "2").code == 0
    (files / "ann.csv").write_text("query,doc,评分\na,d1,3\na,d2,1\n", "utf-8")
    (files / "bo.csv").write_text("query,doc,grade,judge\na,d1,2,\na,d2,1,\n", "utf-8")
    return files


def test_a_second_sheet_is_another_judge_or_refused(command: Command, pair: Path) -> None:
    def bring(*args: str) -> Outcome:
        return command("judge", "import", "judging.db", *args, "--project", "Pair")

    assert "2 new items, 2 new grades" in bring("ann.csv").err
    refused = bring("bo.csv")
    assert refused.code == 3
    assert "1 grade differs from what the same judge gave before" in refused.err
    assert "--judge NAME" in refused.err
    assert "--update" in refused.err
    assert "2 new grades" in bring("bo.csv", "--judge", "Bo").err
    assert bring("bo.csv", "--judge", "Bo").code == 3
    assert bring("ann.csv", "--gold", "--update").code == 2
    # Two sheets at once that differ are two people's as well.
    assert bring("ann.csv", "bo.csv").code == 3


def test_a_corrected_sheet_replaces_grades_and_can_be_undone(command: Command, pair: Path) -> None:
    args = ("judge", "import", "judging.db", "--project", "Pair")
    assert command(*args, "ann.csv").code == 0
    assert "0 new items, 1 new grade" in command(*args, "bo.csv", "--update").err
    with open_store("judging.db") as store:
        project = store.projects.get("Pair")
        known = {one.document: one.id for one in store.items.all(project.id)}
        assert store.grades.by_judge(project.id)[known["d1"]] == {"import": 2.0}
        assert [one["grade"] for one in store.grades.history(project.id)] == [3.0, 1.0, 2.0]
        judge = store.accounts.get("import")
        store.grading.record(judge, Action("undo", key="back", project_id=project.id))
        assert store.grades.by_judge(project.id)[known["d1"]] == {"import": 3.0}


def test_judges_see_no_grades_and_no_clicks(command: Command, pair: Path) -> None:
    args = ("judge", "import", "judging.db", "--project", "Pair")
    rows = "query,doc,title,{}\na,d1,T,{}\na,d2,U,{}\n"
    (pair / "wide.csv").write_text(rows.format("张三,李四", "3,2", "1,0"), "utf-8")
    (pair / "named.csv").write_text(rows.format("评分人备注,打分", "x,4.7", "y,9.1"), "utf-8")
    (pair / "log.csv").write_text(rows.format("是否点击,ctr,price", "1,.3,30", "0,.1,20"), "utf-8")
    refused = command(*args, "wide.csv")
    assert refused.code == 3
    assert "judges would see `张三`, `李四`" in refused.err
    assert "--judge-column 张三 --judge-column 李四" in refused.err
    assert command(*args, "named.csv").code == 3
    left = command(*args, "log.csv")
    assert left.code == 0
    assert "2 columns are not shown to judges" in left.err
    assert "--show 是否点击 --show ctr" in left.err
    with open_store("judging.db") as store:
        found = store.items.all(store.projects.get("Pair").id)
        assert [dict(one.fields) for one in found] == [{"price": "30"}, {"price": "20"}]
    shown = rows.replace("a,", "b,").format("张三,clicked", "3,1", "1,0")
    (pair / "shown.csv").write_text(shown, "utf-8")
    assert command(*args, "shown.csv", "--show", "张三", "--show", "clicked").code == 0
    wide = command(*args, "wide.csv", "--judge-column", "张三", "--judge-column", "李四")
    assert "4 new grades" in wide.err


def test_columns_of_items_are_named_or_found_in_both_languages(
    files: Path, command: Command
) -> None:
    assert command("judge", "init", "j.db", "--project", "June").code == 0
    (files / "it.csv").write_text("词,货,品名,图\n鞋,d1,红,http://x/1.png\n")
    refused = command("judge", "import", "j.db", "it.csv", "--project", "June")
    assert refused.code == 3
    assert "hint: name them: --columns query=COLUMN,document=COLUMN" in refused.err
    unknown = command(
        "judge", "import", "j.db", "it.csv", "--project", "June", "--columns", "词=a,foo=b"
    )
    assert "--columns does not accept `词`, `foo`" in unknown.err
    named = ("--columns", "query=词,document=货,标题=品名", "--columns", "picture=图")
    assert command("judge", "import", "j.db", "it.csv", "--project", "June", *named).code == 0
    (files / "it.jsonl").write_text('{"搜索词": "鞋", "货": "d2", "标题": "蓝"}\n')
    lines = command(
        "judge", "import", "j.db", "it.jsonl", "--project", "June", "--columns", "document=货"
    )
    assert "note: columns of it.jsonl read as: query = 搜索词, title = 标题" in lines.err
    found = command("judge", "export", "j.db", "--project", "June", "--format", "jsonl", "-o", "-")
    assert [json.loads(line) for line in found.out.splitlines()] == [
        {"query": "鞋", "document": "d1", "title": "红", "image": "http://x/1.png"},
        {"query": "鞋", "document": "d2", "title": "蓝"},
    ]


def test_one_column_like_grades_may_be_the_grade(command: Command, pair: Path) -> None:
    args = ("judge", "import", "judging.db", "scores.csv", "--project", "Pair")
    (pair / "scores.csv").write_text("query,doc,title,得分\na,d1,T,3\na,d2,U,1\n", "utf-8")
    refused = command(*args)
    assert refused.code == 3
    assert "--columns grade=得分" in refused.err
    assert "--judge-column 得分" in refused.err
    assert "2 new items, 2 new grades" in command(*args, "--columns", "grade=得分").err
    # A table that has grades already has no second column of them.
    (pair / "scores.csv").write_text("query,doc,grade,得分\na,d1,3,3\na,d2,1,1\n", "utf-8")
    again = command(*args)
    assert again.code == 3
    assert "grade=得分" not in again.err


def test_a_bad_grade_is_named_in_the_language_of_the_command(command: Command, pair: Path) -> None:
    args = ("judge", "import", "judging.db", "bad.csv", "--project", "Pair", "--lang", "zh")
    (pair / "bad.csv").write_text("query,doc,grade\na,d1,很高\n", "utf-8")
    assert "bad.csv:2：等级：不是等级表" in command(*args).err
    (pair / "bad.csv").write_text("query,doc,grade,final\na,d1,3,很高\n", "utf-8")
    assert "bad.csv:2：最终等级：" in command(*args).err
    (pair / "bad.csv").write_text("query,doc,张三\na,d1,很高\n", "utf-8")
    assert "bad.csv:2：张三 给出的等级：" in command(*args, "--judge-column", "张三").err
