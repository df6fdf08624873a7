"""`relyon logs`: read, inspect, doctor."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest
from tests.unit.conftest import Command

from relyon import ParameterError, Sessions, read_sessions, write_sessions
from relyon.core.document.terminal import width
from relyon.online.logs import examine, summarise

ROOT = Path(__file__).resolve().parent.parent.parent
KINDS = ["mixed-timestamps", "zero-based-positions", "query-variants"]


LOG = """session,query,timestamp,position,doc,clicked,user
s1,tv,2025-03-03T08:00:00Z,0,d1,1,u1
s1,tv,2025-03-03T08:00:00Z,1,d2,0,u1
s1,tv,2025-03-03T08:00:00Z,2,d3,0,u1
s2,TV,2025-03-03T08:01:00Z,0,d2,0,u2
s2,TV,2025-03-03T08:01:00Z,1,d4,1,u2
s3,tv,1740993600000,0,d1,0,u3
"""


@pytest.fixture(autouse=True)
def messy_log(files: Path) -> None:
    (files / "log.csv").write_text(LOG, "utf-8")


def test_an_unknown_command(command: Command) -> None:
    assert command("logs", "docter").code == 2


@pytest.mark.parametrize("name", ["read", "inspect", "doctor"])
def test_help_of_the_commands(name: str, command: Command, make_cli: ModuleType) -> None:
    outcome = command("logs", name, "--help")
    assert max(map(width, outcome.out.splitlines())) <= 80
    assert dict(make_cli.parts_of("logs"))[name] in (ROOT / "docs" / "cli.md").read_text("utf-8")
    lines = [line.strip() for line in outcome.out.splitlines() if line.startswith("    relyon")]
    assert lines
    if name == "inspect":
        command(*shlex.split("logs read arms.csv -o log.parquet"))
    for line in lines:
        worked = command(*shlex.split(line)[1:])
        assert worked.code == 0, worked.err


def test_read_writes_the_canonical_form(command: Command, files: Path) -> None:
    outcome = command("logs", "read", "log.csv", "-o", "log.parquet")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    written = pl.read_parquet(files / "log.parquet")
    assert written.equals(read_sessions("log.csv").collect())
    assert written["position"].min() == 0  # repaired by the doctor only


def test_read_takes_columns_and_a_format(command: Command, files: Path) -> None:
    (files / "log.csv").rename(files / "other.txt")
    outcome = command(
        "logs", "read", "other.txt", "--columns", "session=session+user,doc=user",
        "--input-format", "csv", "-o", "out.csv",
    )  # fmt: skip
    assert outcome.code == 0
    written = read_sessions(files / "out.csv").collect()
    assert set(written["session"]) == {"s1-u1", "s2-u2", "s3-u3"}
    assert set(written["doc"]) == {"u1", "u2", "u3"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["read", "log.csv"], 2, "--output"),
        (["read", "log.csv", "-o", "log.csv"], 2, "is one of the inputs"),
        (["read", "log.csv", "-o", "log.xlsx"], 2, "logs cannot be written to"),
        (["read", "log.csv", "-o", "log.parquet.gz"], 2, "logs cannot be written to"),
        (["read", "log.csv", "-o", "none/log.parquet"], 3, "cannot be written"),
        (["read", "none.csv", "-o", "log.parquet"], 3, "there is no such file"),
        (["inspect", "log.csv", "--columns", "paper=doc"], 2, "does not accept `paper`"),
        (["inspect", "log.csv", "--input-format", "xml"], 2, "unknown log format: `xml`"),
        (["inspect", "judgments.csv"], 3, "there are no columns for `session`, `position`"),
        (["inspect", "-", "-"], 2, "stdin can be read only once"),
        (["doctor", "log.csv", "--fix"], 2, "--fix needs a file"),
        (["doctor", "log.csv", "-o", "x.parquet"], 2, "--output is for --fix"),
        (["doctor", "log.csv", "--record", "x.json"], 2, "--record is for --fix"),
        (["doctor", "log.csv", "--fix", "-o", "log.csv"], 2, "is one of the inputs"),
        (["doctor", "log.csv", "--fix", "-o", "a.csv", "--record", "log.csv"], 2, "of the inputs"),
        (["doctor", "empty.csv"], 3, "empty.csv: contains no rows"),
        (["doctor", "log.csv", "--check", "gap"], 2, "did you mean `gaps`?"),
    ],
)
def test_mistakes(
    command: Command, files: Path, arguments: list[str], code: int, message: str
) -> None:
    before = (files / "log.csv").read_bytes()
    (files / "empty.csv").write_bytes(before.splitlines(keepends=True)[0])
    outcome = command("logs", *arguments)
    assert outcome.code == code, outcome.err
    assert message in outcome.err
    assert (files / "log.csv").read_bytes() == before
    assert not list(files.glob("*.partial*"))


def test_inspect(command: Command, files: Path) -> None:
    overview = summarise(read_sessions("log.csv"))
    assert command("logs", "inspect", "log.csv").out == f"{overview}\n"
    assert command("logs", "inspect", "log.csv", "--format", "markdown").out == (
        overview.to_markdown() + "\n"
    )
    outcome = command("logs", "inspect", "log.csv", "--format", "json", "-o", "log.json")
    assert (outcome.code, outcome.out) == (0, "")
    content = json.loads((files / "log.json").read_text("utf-8"))
    assert (content["rows"], content["sessions"], content["users"]) == (6, 3, 3)


def test_doctor(command: Command, files: Path) -> None:
    outcome = command("logs", "doctor", "log.csv")
    checkup = examine(read_sessions("log.csv"))
    assert outcome.code == 0
    assert outcome.out == f"{checkup}\n"
    assert max(map(width, outcome.out.splitlines())) <= 80
    chinese = command("logs", "doctor", "log.csv", "--lang", "zh", "--format", "markdown").out
    assert chinese == checkup.to_markdown("zh") + "\n"
    content = json.loads(command("logs", "doctor", "log.csv", "--format", "json").out)
    assert [finding["kind"] for finding in content["findings"]] == KINDS


def test_one_check_and_a_depth(command: Command) -> None:
    outcome = command("logs", "doctor", "log.csv", "--check", "gaps", "--check", "bots")
    assert outcome.out == "rows: 6, checks: 2; nothing is wrong.\n"


def test_strict(command: Command) -> None:
    outcome = command("logs", "doctor", "log.csv", "--strict")
    assert outcome.code == 1
    assert KINDS[0] in outcome.out
    assert "the log has warnings" in outcome.err
    assert command("logs", "doctor", "log.csv", "--strict", "--check", "gaps").code == 0


def test_fix_writes_a_copy_and_a_record(command: Command, files: Path) -> None:
    before = (files / "log.csv").read_bytes()
    outcome = command("logs", "doctor", "log.csv", "--fix", "-o", "clean.csv.gz")
    assert outcome.code == 0
    assert "clean.csv.gz.changes.json" in outcome.err
    assert (files / "log.csv").read_bytes() == before
    assert command("logs", "doctor", "clean.csv.gz", "--strict").code == 0
    cleaned = read_sessions("clean.csv.gz").collect()
    assert cleaned["position"].to_list() == [1, 2, 3, 1, 2, 1]
    assert set(cleaned["query"]) == {"tv"}
    record = json.loads((files / "clean.csv.gz.changes.json").read_text("utf-8"))
    assert [change["kind"] for change in record["changes"]] == KINDS
    assert [change["rows_touched"] for change in record["changes"]] == [1, 6, 2]
    assert (record["source"], record["rows_before"], record["rows_after"]) == ("log.csv", 6, 6)


def test_what_is_left_is_said(command: Command, files: Path) -> None:
    rows = "".join(f"s{number},q{number},{place},d{place}\n" for number in range(30)
                   for place in range(5))  # fmt: skip
    (files / "short.csv").write_text("session,query,position,doc\n" + rows, "utf-8")
    outcome = command("logs", "doctor", "short.csv", "--fix", "-o", "a.jsonl", "--record", "r.json")
    assert "left for you to decide: cut-off-lists" in outcome.err
    assert json.loads((files / "r.json").read_text("utf-8"))["not_repaired"] == ["cut-off-lists"]
    deep = command("logs", "doctor", "a.jsonl", "--depth", "5", "--strict")
    assert deep.code == 0
    assert "info cut-off-lists" in deep.out


def test_notes_of_ubi_are_said(command: Command, files: Path) -> None:
    rows = [
        {"query_id": "q", "user_query": "tv", "query_response_hit_ids": ["a", "b"]},
        {"action_name": "hover", "query_id": "q"},
    ]
    for name, row in zip(("queries.ndjson", "events.ndjson"), rows, strict=True):
        (files / name).write_text(json.dumps(row) + "\n", "utf-8")
    outcome = command("logs", "inspect", "queries.ndjson", "events.ndjson", "--format", "json")
    assert json.loads(outcome.out)["rows"] == 2
    assert "note: actions other" in outcome.err


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.jsonl", "a.csv.gz", "a.jsonl.zst"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    log = pl.DataFrame(
        {
            "session": ["s", "s"],
            "query": ['17" tv, "new"\nline', " ｔｖ "],
            "timestamp": ["2025-03-03T08:00:00.123456+08:00", None],
            "position": [1, None],
            "doc": ["a", None],
            "clicked": [True, False],
            "dwell_seconds": [0.1, None],
        }
    )
    sessions = Sessions.from_frame(log)
    folder = tmp_path / "out"
    folder.mkdir()
    for _ in range(2):  # the second time it is replaced
        write_sessions(sessions, folder / name)
    assert read_sessions(folder / name).collect().equals(sessions.collect())
    assert [path.name for path in folder.iterdir()] == [name]


def test_tabs_are_not_written(tmp_path: Path) -> None:
    sessions = Sessions.from_frame(
        pl.DataFrame({"session": ["s"], "query": ["q"], "position": [1], "doc": ["d"]})
    )
    with pytest.raises(ParameterError, match="logs cannot be written to"):
        write_sessions(sessions, tmp_path / "a.tsv")
