"""Files in other encodings: the error names the encoding, the line and how to convert."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.unit.batches import plan

import relyon
from relyon import _native
from relyon.core.errors import InputError, ParseError
from relyon.io.encoding import guess

QUERY, DOCUMENT = "手机壳透明", "商品详情页"
LINES = {
    "a.qrels": f"q1 0 d1 1\n{QUERY} 0 {DOCUMENT} 2\n",
    "a.csv": f"query,doc,grade\n{QUERY},{DOCUMENT},2\n",
    "a.tsv": f"query\tdoc\tgrade\n{QUERY}\t{DOCUMENT}\t2\n",
    "a.jsonl": '{"query": "q", "document": "d", "grade": 1}\n'
    f'{{"query": "{QUERY}", "document": "{DOCUMENT}", "grade": 2}}\n',
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "utf-16-le", "utf-16-be"])
def test_other_encodings_are_named(name: str, encoding: str, tmp_path: Path) -> None:
    text = LINES[name] + ("\U00020000" if encoding == "gb18030" else "")
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    with pytest.raises(InputError) as raised:
        relyon.read_judgments(str(path))
    error = str(raised.value)
    if encoding.startswith("utf-16"):
        assert f"{name}: is UTF-16 text" in error
    else:
        assert f"{name}:2: is not UTF-8 text" in error
        assert f"it looks like {encoding.upper()}" in error
    wanted = {"utf-16-le": "UTF-16LE", "utf-16-be": "UTF-16BE"}.get(encoding, encoding.upper())
    assert f"iconv -f {wanted} -t UTF-8 {path}" in raised.value.hint
    path.write_bytes(text.encode("utf-8"))  # what iconv makes of it
    if encoding != "gb18030":  # whose last line is there for its character only
        assert QUERY in relyon.read_judgments(str(path)).queries


@pytest.mark.parametrize("name", [*LINES, "a.letor"])
def test_carriage_returns_alone_are_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    text = LINES.get(name, "1 qid:1 1:2 # docid=a\n0 qid:1 1:3 # docid=b\n")
    path.write_bytes(text.replace("\n", "\r").encode())
    with pytest.raises(ParseError, match="1: lines end with a carriage return alone") as raised:
        relyon.read_judgments(path)
    assert "tr '\\r' '\\n'" in raised.value.hint


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize(
    ("text", "encoding"),
    [("café", "latin1"), (QUERY, "gbk"), ("スマホケースかわいい", "shift_jis")],
)
def test_a_line_far_from_the_beginning_is_named(
    text: str, encoding: str, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"x.run{ending}"
    data = "".join(f"q{n} Q0 d{n} 1 2 tag\n" for n in range(9000)).encode()
    data += f"q1 Q0 {text} 1 2 tag\n".encode(encoding)
    path.write_bytes(gzip.compress(data) if ending else data)
    for read in (
        lambda: relyon.read_run(path),
        lambda: relyon.evaluate({"q1": {"d1": 1}}, path, "rr"),
    ):
        with pytest.raises(relyon.ParseError) as raised:
            read()
        assert ":9001: is not UTF-8 text" in str(raised.value)
        assert f"it looks like {encoding.upper()}" in str(raised.value)
        convert = f"-f {encoding.upper()} -t UTF-8"
        pipe = f"gzip -dc {path} | iconv {convert}" if ending else f"iconv {convert} {path}"
        assert raised.value.hint == (
            f'name it: encoding="{encoding.upper()}"; or convert it: {pipe} > utf8-file'
        )


@pytest.mark.parametrize(
    ("text", "encoding", "named"),
    [
        ("连衣裙 夏季 女", "gbk", "GBK"),
        ("café, Größe, señor", "latin-1", "LATIN1"),
        ("résumé", "cp1252", "LATIN1"),
        ("手機殼 透明 商品詳情頁面 連衣裙 夏季", "big5", "BIG5"),
        ("スマホケース クリア かわいい", "shift_jis", "SHIFT_JIS"),
    ],
)
def test_guesses(text: str, encoding: str, named: str) -> None:
    assert guess(text.encode(encoding)) == named


def test_a_character_that_the_beginning_cuts_is_no_fault(tmp_path: Path) -> None:
    """The first bytes that are looked at end within a character."""
    for shift in range(3):
        path = tmp_path / "long.qrels"
        path.write_text("x" * shift + "1 0 d 1\n" + "查询 0 文档 1\n" * 5000)
        assert "查询" in relyon.read_judgments(str(path)).queries


def test_a_log_in_gbk_is_named(files: Path, command) -> None:
    (files / "log.csv").write_bytes(f"session,query,position,doc\ns1,{QUERY},1,d\n".encode("gbk"))
    outcome = command("logs", "inspect", "log.csv")
    assert outcome.code == 3
    assert "log.csv:2: is not UTF-8 text" in outcome.err
    assert "iconv -f GBK -t UTF-8 log.csv" in outcome.err


def test_lines_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    good = "".join(f"q{n // 30} Q0 文档{n} {n} {n} tag\n" for n in range(3000)).encode()
    table = _native.JudgmentTable.from_dict({"q1": {"文档31": 1.0}})
    for text in (b"q9 Q0 caf\xe9 1 2 x\n", b"q9  Q0 caf\xe9 1 2 x", b"q9 Q0 d 1 2 \xb2\xe9\n"):
        path.write_bytes(good + text)
        for read in (
            lambda: _native.RunTable.from_text(str(path)),
            lambda: _native.evaluate_text(table, plan(), str(path), 2),
        ):
            with pytest.raises(ParseError) as caught:
                read()
            assert caught.value.message == f"{path}:3001: is not UTF-8 text"
    path.write_bytes(good + b"# caf\xe9\n")
    assert _native.RunTable.from_text(str(path)).rows == 3000
