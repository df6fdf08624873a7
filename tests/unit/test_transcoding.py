"""Text in GBK, Big5 and UTF-16 is read where its encoding is certain, and never mistaken."""

from __future__ import annotations

import gzip
import io
import random
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.core.errors import ParseError
from relyon.io.byte_source import Source
from relyon.io.transcoding import FEWEST, Encoding, Transcoded, certain_encoding

LANGUAGES = tomllib.loads((Path(__file__).parent / "words_of_languages.toml").read_text("utf-8"))
WORDS: dict[str, list[str]] = {name: one["words"].split() for name, one in LANGUAGES.items()}
SIMPLIFIED, TRADITIONAL = WORDS["Simplified"], WORDS["Traditional"]
OTHERS = sorted(set(WORDS) - {"Simplified", "Traditional"})


def drained(stream: Transcoded, size: int) -> bytes:
    """Returns all that a stream has, read in parts of a size."""
    parts = []
    while part := stream.read(size):
        parts.append(part)
    return b"".join(parts)


def table(words: list[str], seed: int, rows: int) -> str:
    """Returns a small table of words, as a search team has them."""
    chosen = random.Random(seed)
    lines = ["query,document,title,grade"]
    for number in range(rows):
        some = [chosen.choice(words) for _ in range(chosen.randint(1, 4))]
        glue = chosen.choice(["", " "])
        lines.append(f"{some[0]},{100 + number},{glue.join(some)},{chosen.randint(0, 3)}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("words", "codec", "name"),
    [(SIMPLIFIED, "gbk", "GBK"), (SIMPLIFIED, "gb18030", "GBK"), (TRADITIONAL, "big5", "Big5")],
)
def test_chinese_tables_are_recognised(words: list[str], codec: str, name: str) -> None:
    for seed in range(200):
        data = table(words, seed, 40).encode(codec)
        found = certain_encoding(data)
        assert found is not None, seed
        assert found.name == name, seed
        assert data.decode(found.codec) == data.decode(codec)


@pytest.mark.parametrize("language", OTHERS)
def test_no_other_language_is_mistaken(language: str) -> None:
    words = WORDS[language]
    for encoding in LANGUAGES[language]["encodings"]:
        for seed in range(200):
            data = table(words, seed, 5 + seed).encode(encoding, "ignore")
            assert certain_encoding(data) is None, (encoding, seed)


def test_simplified_and_traditional_are_not_mistaken_for_each_other() -> None:
    for seed in range(200):
        rows = 2 + seed
        for words, codec, right in ((SIMPLIFIED, "gbk", "GBK"), (TRADITIONAL, "big5", "Big5")):
            found = certain_encoding(table(words, seed, rows).encode(codec))
            assert found is None or found.name == right
        # Traditional characters exist in GBK, too: they are rarer there, so nothing is certain.
        found = certain_encoding(table(TRADITIONAL, seed, rows).encode("gbk"))
        assert found is None or found.name == "GBK"


def test_sentences_of_this_program() -> None:
    texts = (Path(relyon.__file__).parent / "core/texts/zh/notes.toml").read_text("utf-8")
    assert certain_encoding(texts.encode()) is None
    found = certain_encoding(texts.encode("gb18030"))
    assert found is not None
    assert found.codec == "gb18030"


def test_short_texts_are_not_guessed() -> None:
    word = "手选"
    assert certain_encoding((word * (FEWEST // 2 - 1)).encode("gbk")) is None
    assert certain_encoding((word * FEWEST).encode("gbk")) is not None


@given(st.text(st.characters(exclude_categories=["Cs"])), st.data())
def test_any_text_comes_out_as_utf_8(text: str, data: st.DataObject) -> None:
    name, codec = data.draw(
        st.sampled_from([("GB18030", "gb18030"), ("UTF-16", "utf-16"), ("UTF-32", "utf-32")])
    )
    stream = Transcoded(io.BytesIO(text.encode(codec)), Encoding(name, codec), "x")
    parts = []
    while part := stream.read(data.draw(st.integers(1, 9))):
        parts.append(part)
    assert b"".join(parts) == text.encode()
    whole = Transcoded(io.BytesIO(text.encode(codec)), Encoding(name, codec), "x")
    assert whole.read() == text.encode()
    assert whole.read() == b""


def test_a_byte_that_is_no_text_is_named_with_its_line() -> None:
    data = "查询\n文档\n".encode("gbk") + b"\xff\xff\n"
    for size in (-1, 1, 5, 4096):
        stream = Transcoded(io.BytesIO(data), Encoding("GBK", "gb18030"), "x.csv")
        with pytest.raises(ParseError, match=r"x\.csv:3: is not text in GBK"):
            drained(stream, size)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("name", "codec"), [("GBK", "gbk"), ("UTF-16", "utf-16"), ("UTF-16", "utf-16-be")]
)
def test_files_streams_and_packed_files(
    packed: bool, name: str, codec: str, tmp_path: Path
) -> None:
    text = table(SIMPLIFIED, 1, 300)
    data = ("\ufeff" * (codec == "utf-16-be") + text).encode(codec)
    path = tmp_path / "j.csv"
    path.write_bytes(gzip.compress(data) if packed else data)
    expected = relyon.read_judgments(io.BytesIO(text.encode()))
    for source in (path, io.BytesIO(path.read_bytes())):
        found = relyon.read_judgments(source)
        assert found.to_dict() == expected.to_dict()
        (note,) = [one for one in found.notes if one.kind == "read-in-encoding"]
        assert f"is read in {name}, not UTF-8" in str(note)
    assert Source(path).read_all() == text.encode()


def test_runs_logs_and_rows_say_it_too(tmp_path: Path) -> None:
    judgments = {"手机壳": {"a": 1}}
    run = tmp_path / "a.run"
    lines = [f"{word} Q0 d{n} {n + 1} {9 - n} x" for word in SIMPLIFIED for n in range(5)]
    run.write_bytes("\n".join(lines).encode("gbk"))
    results = relyon.evaluate(judgments, run, "rr")
    assert [one.kind for one in results.notes].count("read-in-encoding") == 1
    assert relyon.read_run(run).queries == SIMPLIFIED
    log = tmp_path / "log.csv"
    rows = [f"s{n},{word},1,d,0" for n, word in enumerate(SIMPLIFIED)]
    log.write_bytes("\n".join(["会话,查询,位置,商品,是否点击", *rows]).encode("gbk"))
    both = ["read-in-encoding", "columns-read-as"]
    assert [one.kind for one in relyon.read_sessions(log).notes] == both
    scored = tmp_path / "scored.csv"
    rows = [f"{word},1,{n}" for n, word in enumerate(SIMPLIFIED)]
    scored.write_bytes("\n".join(["查询,标注,得分", *rows]).encode("gbk"))
    assert [one.kind for one in relyon.read_scored(scored).notes] == both


def test_what_is_uncertain_is_refused_as_before(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_bytes("query,document,grade\n手机壳,a,1\n".encode("gbk"))
    with pytest.raises(ParseError, match="it looks like GBK") as caught:
        relyon.read_judgments(path)
    assert "iconv -f GBK" in caught.value.hint
