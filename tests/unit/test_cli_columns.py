"""Columns on the command line: every table can be named, and hints are true where they appear."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.conftest import Command

ODD = "词,货,分\n"
NAMED = "query=词,document=货,grade=分"


@pytest.fixture
def rows(files: Path) -> Path:
    """Rows of features, their grades under odd names, a log, and a policy."""
    pairs = [(f"q{query}", f"d{query}_{place}") for query in range(20) for place in range(4)]
    lines = [f"{query},{doc},{place % 3},{place}.5" for place, (query, doc) in enumerate(pairs)]
    (files / "rows.csv").write_text("\n".join(["qid,doc,label,bm25", *lines]))
    grades = [f"{query},{doc},{place % 3}" for place, (query, doc) in enumerate(pairs)]
    (files / "odd.csv").write_text(ODD + "\n".join(grades))
    (files / "usual.csv").write_text("搜索词,商品,等级\n" + "\n".join(grades))
    (files / "trec.qrels").write_text("q1 0 d1 1\nq2 0 d1 0\n")
    log = [
        f"s{place},{query},{place % 4 + 1},{doc},{int(place % 3 == 0)}"
        for place, (query, doc) in enumerate(pairs)
    ]
    (files / "log.csv").write_text("session,query,position,doc,clicked\n" + "\n".join(log))
    (files / "policy.csv").write_text("词,货,分\nq0,d0_0,0.5\nq0,d0_1,0.5\n")
    return files


@pytest.mark.parametrize(
    "args",
    [
        ("train", "rows.csv", "-o", "x.json", "--judgments", "odd.csv"),
        ("split", "rows.csv", "-o", "parts", "--judgments", "odd.csv"),
        ("labels", "compare", "log.csv", "--judgments", "odd.csv"),
        ("sample", "log.csv", "-o", "s.csv", "--judgments", "odd.csv"),
        ("evaluate", "odd.csv", "run.csv"),
    ],
)
def test_judgments_beside_other_data_have_their_own_columns(
    args: tuple[str, ...], rows: Path, command: Command
) -> None:
    (rows / "run.csv").write_text("query,document,score\nq0,d0_0,1\n")
    refused = command(*args)
    assert "there are no columns for `query`, `document`, `grade`" in refused.err
    hint = "name them: --judgments-columns query=COLUMN,document=COLUMN,grade=COLUMN\n"
    assert refused.err.endswith(hint)
    unknown = command(*args, "--judgments-columns", "foo=词,bar=货")
    assert "--judgments-columns does not accept `foo`, `bar`" in unknown.err
    assert command(*args, "--judgments-columns", NAMED).code == 0


def test_candidates_and_fused_judgments_have_columns(rows: Path, command: Command) -> None:
    refused = command("offpolicy", "log.csv", "policy.csv")
    assert "--candidate-columns query=COLUMN" in refused.err
    named = ("--candidate-columns", "query=词,document=货,概率=分")
    assert "no column" not in command("offpolicy", "log.csv", "policy.csv", *named).err
    (rows / "run.csv").write_text("词,货,s\nq0,d0_0,1\nq0,d0_1,2\n")
    fuse = ("fuse", "run.csv", "run.csv", "--method", "posfuse", "--judgments", "odd.csv")
    fused = command(*fuse, "--columns", f"{NAMED},score=s", "-o", "-")
    assert (fused.code, len(fused.out.splitlines())) == (0, 2), fused.err


def test_synonyms_of_the_judgments_of_rows_are_said_once(rows: Path, command: Command) -> None:
    said = "note: columns of usual.csv read as: query = 搜索词, document = 商品, grade = 等级\n"
    for args in (
        ("split", "rows.csv", "-o", "parts", "--judgments", "usual.csv"),
        ("train", "rows.csv", "-o", "x.json", "--judgments", "usual.csv"),
    ):
        assert command(*args).err.replace("\n  ", " ").count(said) == 1


@pytest.mark.parametrize("name", ["usual.csv", "trec.qrels"])
def test_judgments_are_not_split_but_said_how_they_serve(
    name: str, rows: Path, command: Command
) -> None:
    refused = command("split", name, "-o", "parts")
    assert refused.code == 3
    assert f"error: {name}: contains no features" in refused.err
    assert f"relyon split ROWS --judgments {name} -o DIR" in refused.err
    assert not (rows / "parts").exists()
    chinese = command("split", name, "-o", "parts", "--lang", "zh")
    assert "没有特征" in chinese.err


def test_a_split_by_judgments_has_the_parts_of_one_by_the_same_labels(
    rows: Path, command: Command
) -> None:
    assert command("split", "rows.csv", "-o", "own").code == 0
    assert command("split", "rows.csv", "-o", "judged", "--judgments", "usual.csv").code == 0
    for part in ("train", "valid", "test"):
        assert (rows / "own" / f"{part}.csv").read_bytes() == (
            rows / "judged" / f"{part}.csv"
        ).read_bytes()


def test_hints_offer_neither_features_nor_counts(rows: Path, command: Command) -> None:
    (rows / "counts.csv").write_text("query,position,doc,exposure_total,clicks\na,1,d,9,3\n")
    for args in (("sample", "counts.csv", "-o", "s.csv"), ("labels", "bias", "counts.csv")):
        assert "hint: name it: --columns session=COLUMN\n" in command(*args).err
    (rows / "bare.csv").write_text("qid,doc,bm25,price\na,d,1,2\n")
    for args in (("split", "bare.csv", "-o", "p"), ("train", "bare.csv", "-o", "x.json")):
        hint = command(*args).err.partition("hint: ")[2]
        assert "--label NAME" in hint
        assert "bm25" not in hint
    scored = command("evaluate", "--scored", "bare.csv").err
    assert "hint: name their columns: --columns label=COLUMN --score COLUMN\n" in scored
    text = command("split", "log.csv", "-o", "p", "--label", "clicked").err
    assert "name the columns that are, --features COLUMN,…" in text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("foo=a,bar=b,query=c", "--columns does not accept `foo`, `bar`"),
        ("query,doc=,label=b", "`--columns query, doc=` is not NAME=VALUE"),
        ("query=a,搜索词=b", "two columns are given for the query: `a` and `b`"),
    ],
)
def test_all_faults_of_columns_are_said_at_once(
    given: str, said: str, rows: Path, command: Command
) -> None:
    for args in (("evaluate", "usual.csv", "usual.csv"), ("agree", "usual.csv", "a", "b", "c")):
        refused = command(*args, "--columns", given)
        assert (refused.code, said in refused.err) == (2, True), refused.err


def test_files_with_the_same_columns_are_in_one_note(files: Path, command: Command) -> None:
    (files / "j.csv").write_text("query,document,grade\nq,a,1\nq,b,0\n")
    for name in ("x", "y", "z"):
        (files / f"{name}.csv").write_text("query,document,得分\nq,a,1\nq,b,2\n")
        log = "会话,搜索词,排名,商品,是否点击\ns,q,1,a,1\n".replace("s,", f"s{name},")
        (files / f"log-{name}.csv").write_text(log)
    runs = ("x.csv", "y.csv", "z.csv")
    said = "note: columns of x.csv, y.csv, z.csv read as: score = 得分\n"
    for args in (
        ("evaluate", "j.csv", *runs),
        ("compare", "j.csv", *runs),
        ("fuse", *runs, "-o", "-"),
    ):
        assert command(*args).err.count("columns of") == 1
        assert said in command(*args).err
    logs = command("logs", "doctor", "log-x.csv", "log-y.csv", "log-z.csv").err
    assert logs.count("columns of") == 1
    of_logs = (("labels", "bias"), ("labels", "make", "-o", "l.csv"), ("logs", "inspect"))
    for line in of_logs:
        assert command(*line, "log-x.csv").err.count("columns of log-x.csv") == 1
