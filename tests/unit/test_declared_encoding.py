"""The encoding that a caller names: it replaces the recognised one, and a wrong one is refused."""

from __future__ import annotations

import codecs
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import relyon
from relyon.core.errors import InputError, ParameterError, ParseError, UnknownNameError
from relyon.io.byte_source import Source
from relyon.io.declared_encoding import named_encoding, text_encoding

GRADES = "查询,文档,等级\n手机壳,d1,3\n手机壳,d2,0\n"
RUN = "查询,文档,得分\n手机壳,d1,0.5\n手机壳,d2,0.25\n"
JUDGED = {"手机壳": {"d1": 3, "d2": 0}}


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    path = tmp_path / "grades.csv"
    path.write_bytes(GRADES.encode("gbk"))
    return path


@pytest.mark.parametrize("name", ["gbk", "GB2312", "gb18030", "CP936"])
def test_a_short_file_is_read_in_its_encoding(grades: Path, name: str) -> None:
    with pytest.raises(ParseError, match='encoding="GBK"'):
        relyon.read_judgments(grades)
    found = relyon.read_judgments(grades, encoding=name)
    assert found.to_dict() == JUDGED
    assert "read-in-encoding" not in {note.kind for note in found.notes}


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-16", GRADES), ("utf-16-le", GRADES), ("big5", "query,doc,grade\n手機殼,d1,3\n"),
        ("shift_jis", "query,doc,grade\nスマホケース,d1,3\n"),
        ("windows-1252", "query,doc,grade\nétui,d1,3\n"),
        ("koi8-r", "query,doc,grade\nчехол,d1,3\n"),
    ],
)  # fmt: skip
def test_other_encodings(tmp_path: Path, encoding: str, text: str) -> None:
    data = text.encode(encoding)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(data))
    expected = relyon.read_judgments(io.BytesIO(text.encode())).to_dict()
    assert relyon.read_judgments(path, encoding=encoding).to_dict() == expected
    assert relyon.read_judgments(io.BytesIO(data), encoding=encoding).to_dict() == expected


def test_every_reader_has_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"

    def given(text: str) -> Path:
        path.write_bytes(text.encode("gbk"))
        return path

    assert relyon.read_run(given(RUN), encoding="gbk").to_dict() == {
        "手机壳": {"d1": 0.5, "d2": 0.25}
    }
    log = "会话,查询,排名,文档\ns1,手机壳,1,d1\n"
    assert relyon.read_sessions(given(log), encoding="gbk").collect()["query"][0] == "手机壳"
    rows = "查询,等级,得分\n手机壳,1,0.5\n"
    assert relyon.read_scored(given(rows), encoding="gbk").queries == ["手机壳"]
    rows = "查询,等级,价格\n手机壳,1,0.5\n"
    assert relyon.read_features(given(rows), encoding="gbk").known_features().names == ("价格",)
    sheet = relyon.io.read_sheet(given(GRADES), encoding="gbk")
    assert sheet.rows[0].item.query == "手机壳"


def test_it_replaces_the_recognised_encoding() -> None:
    text = "查询,文档,等级\n" + "手机壳,防水硬壳,3\n" * 50
    data = text.encode("gbk")
    assert Source(io.BytesIO(data)).notes
    with pytest.raises(InputError, match="is not UTF-8 text"):
        relyon.read_judgments(io.BytesIO(data), encoding="utf-8")
    assert "手机壳" not in Source(io.BytesIO(data), encoding="big5").read_all().decode()


@pytest.mark.parametrize("name", ["gbkk", "", "hex", "rot13", "unicode_escape", "idna", "a\0b"])
def test_unknown_names_are_refused_with_those_that_people_have(grades: Path, name: str) -> None:
    with pytest.raises(UnknownNameError, match=r"there is no encoding") as caught:
        relyon.read_judgments(grades, encoding=name)
    assert "`GBK`, `GB18030`, `Big5`, `UTF-16`" in caught.value.hint


def test_every_common_name_is_known_to_python() -> None:
    for name in ("utf8", "GBK", "Big5", "latin1", "cp1252", "sjis", "euc-kr", "utf-8-sig"):
        found = named_encoding(name)
        assert codecs.lookup(found.codec).name
        assert named_encoding(found.name) == found


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
@pytest.mark.parametrize("rows", [1, 30_000])
def test_bytes_that_do_not_belong_are_named_by_line_and_byte(
    tmp_path: Path, ending: str, rows: int
) -> None:
    start = ("查询,文档,等级\n" + "手机壳,d1,3\n" * rows).encode("gbk")
    data = start + b"a\xff,d,2\n"
    path = tmp_path / f"a{ending}"
    path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    with pytest.raises(ParseError, match="is not text in GBK") as caught:
        relyon.read_judgments(path, encoding="gbk")
    assert caught.value.line == rows + 2
    assert f"the byte 0xff at place {len(start) + 2:,} does not" in str(caught.value)
    assert "`Big5`" in caught.value.hint


def test_a_character_that_the_end_cuts_is_named() -> None:
    data = GRADES.encode("gbk") + b"\xca"
    with pytest.raises(ParseError, match="the byte 0xca") as caught:
        relyon.read_judgments(io.BytesIO(data), encoding="gbk")
    assert caught.value.line == 4


@pytest.mark.parametrize(
    "data",
    [
        GRADES.encode(),  # decodes as GBK, to other characters
        GRADES.encode("utf-8-sig"),
        ("query,doc,grade\n" + "q,d,1\n" * 20_000 + "手机壳x,d,3\n").encode(),  # beyond the head
    ],
)
def test_text_in_utf_8_is_not_garbled(data: bytes) -> None:
    with pytest.raises(ParseError, match="is UTF-8 text, not GBK") as caught:
        relyon.read_judgments(io.BytesIO(data), encoding="gbk")
    assert "leave `encoding` out" in caught.value.hint
    assert relyon.read_judgments(io.BytesIO(data), encoding="utf-8")


def test_ascii_is_text_in_nearly_every_encoding() -> None:
    data = b"query,doc,grade\nq,d,1\n"
    for name in ("gbk", "big5", "latin-1"):
        assert relyon.read_judgments(io.BytesIO(data), encoding=name).to_dict() == {"q": {"d": 1}}


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"query": ["q"], "document": ["d"], "grade": [1]})
    frame.write_parquet(tmp_path / "a.parquet")
    relyon.io.write_judgments(relyon.read_judgments(frame), tmp_path / "a.xlsx")
    refused: list[Callable[[], object]] = [
        lambda: relyon.read_judgments(tmp_path / "a.parquet", encoding="gbk"),
        lambda: relyon.read_judgments(tmp_path / "a.xlsx", encoding="gbk"),
        lambda: relyon.read_judgments(frame, encoding="gbk"),
        lambda: relyon.read_judgments("postgresql://ann@host/x#June", encoding="gbk"),
        lambda: relyon.read_sessions(frame, encoding="gbk"),
    ]
    for read in refused:
        with pytest.raises(ParameterError, match="has no encoding of text"):
            read()


def test_one_encoding_for_all_files_or_for_some(tmp_path: Path, grades: Path) -> None:
    run = tmp_path / "run.csv"
    run.write_text(RUN, "utf-8")
    expected = relyon.evaluate(JUDGED, run, "ap")["ap"]
    with text_encoding(files={str(grades): "gbk"}):
        assert relyon.evaluate(str(grades), str(run), "ap")["ap"] == expected
    with text_encoding("gbk"), pytest.raises(ParseError, match=r"run\.csv:1: is UTF-8 text"):
        relyon.evaluate(str(grades), str(run), "ap")
    run.write_bytes(RUN.encode("gbk"))
    with text_encoding("gbk"):
        assert relyon.evaluate(str(grades), str(run), "ap")["ap"] == expected
    with pytest.raises(ParseError, match="is not UTF-8"):
        relyon.evaluate(str(grades), str(run), "ap")


def test_the_option(files: Path, command) -> None:
    (files / "grades.csv").write_bytes(GRADES.encode("gbk"))
    (files / "run.csv").write_bytes(RUN.encode("gbk"))
    outcome = command("evaluate", "grades.csv", "run.csv", "-m", "ap")
    assert outcome.code == 3
    assert "name it: --encoding GBK; or convert it: iconv" in outcome.err
    outcome = command("evaluate", "grades.csv", "run.csv", "-m", "ap", "--encoding", "gbk")
    assert outcome.code == 0
    (files / "run.csv").write_text(RUN, "utf-8")
    outcome = command("evaluate", "grades.csv", "run.csv", "-m", "ap", "--encoding", "gbk")
    assert outcome.code == 3
    assert "--encoding FILE=NAME names it for one file only" in outcome.err
    one = ("--encoding", "grades.csv=gbk")
    assert command("evaluate", "grades.csv", "run.csv", "-m", "ap", *one).code == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--encoding", "gbkk"], "there is no encoding `gbkk`"),
        (["--encoding", "gbk", "--encoding", "big5"], "two encodings of all files: gbk and big5"),
        (["--encoding", "none.csv=gbk"], "none.csv: there is no such file"),
        (["--encoding", "gbk", "--engine", "spark"], "Spark reads UTF-8 only"),
    ],
)
def test_what_the_option_refuses(files: Path, command, given: list[str], said: str) -> None:
    (files / "grades.csv").write_bytes(GRADES.encode("gbk"))
    outcome = command("evaluate", "grades.csv", "grades.csv", *given)
    assert outcome.code in (2, 3)
    assert said in outcome.err


@pytest.mark.parametrize(
    "given",
    [
        ["convert", "a.csv", "b.parquet"],
        ["logs", "inspect", "log.csv"],
        ["split", "rows.csv", "-o", "parts"],
    ],
)
def test_commands_that_read_tables_have_it(files: Path, command, given: list[str]) -> None:
    (files / "a.csv").write_bytes(GRADES.encode("gbk"))
    log = "会话,查询,排名,文档,时间,点击\n" + "".join(
        f"s{n},手机壳,1,d1,2026-03-01T09:0{n}:00Z,1\n" for n in range(5)
    )
    (files / "log.csv").write_bytes(log.encode("gbk"))
    rows = "查询,等级,价格\n" + "".join(f"手机壳{n},{n % 2},{n}.5\n" for n in range(20))
    (files / "rows.csv").write_bytes(rows.encode("gbk"))
    assert command(*given, "--encoding", "big5").code == 3
    outcome = command(*given, "--encoding", "gbk")
    assert outcome.code == 0, outcome.err


def test_sheets_of_judges_and_uploads(files: Path, command) -> None:
    assert command("judge", "init", "j.db", "--project", "P").code == 0
    (files / "wide.csv").write_bytes("查询,文档,张三\n手机壳,d1,3\n".encode("gbk"))
    wide = ("judge", "import", "j.db", "wide.csv", "--project", "P", "--judge-column", "张三")
    assert "name it: --encoding GBK" in command(*wide).err
    assert command(*wide, "--encoding", "gbk").code == 0
    from relyon.io.plain_text import sent_source

    with pytest.raises(InputError, match="it looks like GBK"):
        sent_source(GRADES.encode("gbk"), "upload.csv", 2**20)
    named = sent_source(GRADES.encode("gbk"), "upload.csv", 2**20, encoding="gbk")
    assert named.read_all().decode("utf-8") == GRADES
