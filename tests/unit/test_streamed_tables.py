"""Which tables are evaluated while they are read, and that the others are read whole."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

import relyon
from relyon import io
from relyon.core.errors import InputError, ParseError
from relyon.io.format import formats

JUDGMENTS = {"q1": {"d1": 2, "d2": 1, 'd"3': 3}, "查询": {"文档": 1}, "7": {"1": 1}}
MEASURES = ["ndcg", "rr", "num_ret"]
CSV = "query,document,score\nq1,d2,2.5\nq1,d1,1.5\n查询,文档,1\n查询,x,2\n7,2,2\n7,1,1\n"


def streams(path: Path, judgments: Any = None, threads: int = 2) -> bool:
    """Evaluates a file, as it is read and whole, and says whether the first was possible."""
    judgments = judgments or JUDGMENTS
    kind = type(formats.get(io.open_source(str(path)).format))
    usual: Callable[..., Any] = kind.stream_run
    taken = []

    def watched(self: Any, *arguments: Any) -> Any:
        found = usual(self, *arguments)
        taken.append(found is not None)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "stream_run", watched)
        streamed = relyon.evaluate(judgments, path, MEASURES, threads=threads)
        patch.setattr(kind, "stream_run", lambda *_: None)
        whole = relyon.evaluate(judgments, path, MEASURES, threads=threads)
    assert streamed.to_dict(per_query=True) == whole.to_dict(per_query=True)
    assert streamed.notes == whole.notes
    return taken == [True]


def write(folder: Path, text: str | bytes, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


LIKE = {
    "plain": CSV,
    "no last line end": CSV.removesuffix("\n"),
    "carriage returns": CSV.replace("\n", "\r\n"),
    "byte-order mark": "\ufeff" + CSV,
    "semicolons": CSV.replace(",", ";"),
    "bars": CSV.replace(",", "|").replace("d2", "d,2"),
    "usual names": CSV.replace("query,document,score", "QID,Doc No,Similarity"),
    "quoted": CSV.replace("q1,d2", '"q1","d2"').replace("1.5", '"1.5"'),
    "quoted names": CSV.replace("query,document", '"query","document"'),
    "a quote in an id": CSV.replace("d2", '"d""3"'),
    "a comma in an id": CSV.replace("d2", '"d,2"'),
    "an apostrophe": CSV.replace("x", "it's"),
    "blank lines": CSV.replace("查询", "\n查询"),
    "ranks": "query,document,rank\nq1,d2,1\nq1,d1,2\n7,1,1.0\n",
    "ranks and scores": "rank,score,document,query\n1,2e-3,d2,q1\n12,-1,d1,q1\n",
    "other columns": "query,title,document,score,x\nq1,,d2,2,\nq1,\"a, b\",d1,1,y\n",
    "a title of two lines": 'query,title,document,score\nq1,"a\nq1,b,d1,2",d2,2\nq1,x,d1,1\n',
    "long rows": f"query,title,document,score\nq1,{'长' * 90},d2,2\n{'q' * 200},{'x' * 63},d1,1\n",
    "an unjudged query": CSV + "q9,d1,2\nq9,d2,2\n",
    "spellings of numbers": "query,document,score\n" + "".join(
        f"q1,e{place},{text}\n"
        for place, text in enumerate(["1.", ".5", "+2", "1e-3", " 7 ", "-0"])
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LIKE)
def test_a_usual_table_streams(name: str, tmp_path: Path) -> None:
    assert streams(write(tmp_path, LIKE[name]))


LINES = """{"query":"q1","document":"d2","score":2.5}
{"query":"q1","document":"d1","score":1.5}
{"query":"查询","document":"文档","score":1}
{"query":"查询","document":"x","score":2}
{"query":"7","document":"2","score":2}
{"query":"7","document":"1","score":1}
"""
LIKE_LINES = {
    "plain": LINES,
    "no last line end": LINES.removesuffix("\n"),
    "carriage returns": LINES.replace("\n", "\r\n"),
    "byte-order mark": "\ufeff" + LINES,
    "blanks": LINES.replace(":", " :\t").replace(",", " , ").replace("}", " } "),
    "blank lines": LINES.replace("\n", "\n\n \t\n"),
    "numbers as ids": LINES.replace('"7"', "7").replace('"2"', "2").replace('"1"', "1"),
    "numbers as texts": LINES.replace("2.5", '"2.5"').replace("1.5", '" 1.5 "'),
    "spellings of numbers": LINES.replace("2.5", "25e-1").replace("1.5", "-0.0E+2"),
    "escapes": LINES.replace("查询", "\\u67e5\\u8be2").replace("d2", "d\\\"3"),
    "escapes of pairs": LINES.replace('"x"', '"a\\ud83d\\ude00\\u00e9\\/\\n"'),
    "escapes in keys": LINES.replace("document", "\\u6587\\u6863"),
    "usual names": LINES.replace('"document"', '"docno"').replace('"query"', '"qid"'),
    "any order": LINES.replace('{"query":"q1",', "{").replace("2.5", '2.5,"query":"q1"').replace(
        "1.5", '1.5,"query":"q1"'
    ),
    "other members": LINES.replace(
        '"document"', '"x":{"query":[1,{"a":"]}\\""},null,-1e-2,"文"],"b":{}},"y":[],"document"'
    ),
    "other members come and go": LINES.replace('{"query":"q1"', '{"a":true,"query":"q1"'),
    "ranks": LINES.replace("score", "rank").replace("2.5", "1").replace("1.5", "2"),
    "ranks and scores": LINES.replace('"document"', '"rank":3,"document"'),
    "an unjudged query": LINES + LINES.replace("7", "q9").replace("查询", "q8").replace("q1", "q2"),
}  # fmt: skip


@pytest.mark.parametrize("name", LIKE_LINES)
def test_usual_json_lines_stream(name: str, tmp_path: Path) -> None:
    assert streams(write(tmp_path, LIKE_LINES[name], "x.jsonl"))
    packed = gzip.compress(LIKE_LINES[name].encode())
    assert streams(write(tmp_path, packed, "x.jsonl.gz"))


UNLIKE_LINES = {
    "not grouped": LINES + LINES.splitlines()[0].replace("d2", "d5"),
    "a key twice": LINES.replace('"document":"x"', '"document":"x","document":"y"'),
    "a decimal number as an id": LINES.replace('"x"', "1.50"),
    "a truth value as an id": LINES.replace('"x"', "true"),
}


@pytest.mark.parametrize("name", UNLIKE_LINES)
def test_unusual_json_lines_are_read_whole(name: str, tmp_path: Path) -> None:
    assert not streams(write(tmp_path, UNLIKE_LINES[name], "x.jsonl"))


def test_tabs(tmp_path: Path) -> None:
    assert streams(write(tmp_path, CSV.replace(",", "\t"), "x.tsv"))
    assert streams(write(tmp_path, CSV.replace(",", "\t"), "x.csv"))
    assert streams(write(tmp_path, CSV.replace(",", "\t").replace("x", "a,b"), "x.tab"))


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [(".gz", gzip.compress), (".zst", zstandard.ZstdCompressor().compress)],
)
def test_compressed(suffix: str, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    rows = "".join(f"q1,e{place},{place}.25\n" for place in range(20_000))
    assert streams(write(tmp_path, pack(CSV.encode()), f"a.csv{suffix}"))
    long = "query,document,score\n" + rows + "7,1,3\n"
    assert streams(write(tmp_path, pack(long.encode()), f"b.csv{suffix}"))


UNLIKE = {
    "not grouped": CSV + "q1,d3,1\n",
    "not grouped, unjudged": CSV + "q8,a,1\nq9,a,1\nq8,b,1\n",
    "a hidden formula": CSV.replace("x", "'=1+1"),
    "a line of spaces": CSV.replace("查询", "  \n查询", 1),
    "an empty row": CSV.replace("查询", ",,\n查询", 1),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_an_unusual_table_is_read_whole(name: str, tmp_path: Path) -> None:
    assert not streams(write(tmp_path, UNLIKE[name]))


def lines(score: str, query: str = "q9") -> str:
    return f'{LINES}{{"query":"{query}","document":"d1","score":{score}}}\n'


REFUSED: dict[str, tuple[str | bytes, str]] = {
    "a row too short": (CSV + "q9,d1\n", "x.csv:8: expected 3 columns, as in the first line"),
    "a row too long": (CSV + "q9,d1,1,2\n", "x.csv:8: expected 3 columns"),
    "no document": (CSV + "q9,,1\n", "x.csv:8: the document is empty"),
    "no score": (CSV + "q9,d1,\n", "x.csv:8: the score is empty"),
    "no number": (CSV + "q9,d1,high\n", "x.csv:8: the score `high` is not a number"),
    "nan": (CSV + "q9,d1,nan\n", "x.csv:8: the score of document `d1` is nan"),
    "twice": (CSV + "q9,d1,1\nq9,d1,2\n", "x.csv:9: document `d1` of query `q9` is ret"),
    "twice, judged": (CSV + "7,1,1\n", "x.csv:8: document `1` of query `7` is retrieved twice"),
    "an open quote": (CSV + 'q9,"d1,1\n', "x.csv:8: a quoted field does not end"),
    "no UTF-8": (CSV.encode() + b"q9,d\xff,1\n", "x.csv:8: is not UTF-8 text"),
    "a rank of 1.5": ("query,document,rank\nq1,d1,1.5\n", "x.csv:2: the rank `1.5` is not a whole"),
    "no rows": ("query,document,score\n", "x.csv: contains no retrieved documents"),
    "no JSON": (lines("01"), "x.jsonl:7: is not JSON"),
    "no JSON beside": (lines('1,"x":[1 2]'), "x.jsonl:7: is not JSON"),
    "text behind": (LINES + "{} 2", "x.jsonl:7: is not JSON"),
    "a list": (LINES + "[]\n", "x.jsonl:7: expected an object, got a list"),
    "no key": (LINES + '{"query":"q9","score":1}\n', "x.jsonl:7: the document is empty"),
    "null": (lines("null"), "x.jsonl:7: the score is empty"),
    "too large": (lines("1e400"), "x.jsonl:7: the score of document `d1` is inf"),
    "nested": (lines("[1]"), "x.jsonl:7: the score is not a single value"),
    "half a character": (
        lines("1", "q\\ud800"),
        "x.jsonl:7: the query contains half of a surrogate",
    ),
    "control": (lines("1", "q\t9"), "x.jsonl:7: is not JSON"),
    "no UTF-8 beside": (
        LINES.encode() + b'{"query":"q9","document":"d","x":"\xff","score":1}',
        "x.jsonl:7: is not UTF-8 text",
    ),
    "no header": ("q1,d1,1\nq1,d2,2\n", "x.csv:1: this file seems to have no header line"),
}  # fmt: skip


@pytest.mark.parametrize("stretch", ["", "1", "30"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_said_with_its_line(
    name: str, stretch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, message = REFUSED[name]
    monkeypatch.setenv("RELYON_STRETCH", stretch)
    path = write(tmp_path, content, message.split(":")[0])
    with pytest.raises(InputError) as caught:
        relyon.evaluate(JUDGMENTS, path, MEASURES)
    assert message in str(caught.value)
    assert isinstance(caught.value, ParseError) == (name != "no rows")


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 2])
def test_every_border_between_stretches(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        f'q{query},"say ""{place}"", or\nq{query + 1},z,d1,1\n",d{place},{9 - place}.5\n'
        if place == 2
        else f"q{query},x,d{place},{9 - place}.5\n"
        for query, size in enumerate((1, 1, 3, 1, 4, 1, 1, 3))
        for place in range(size)
    ]
    text = "query,title,document,score\n" + "".join(rows)
    path = write(tmp_path, text)
    judgments = {f"q{query}": {"d0": 1, "d2": 2} for query in range(8)}
    for size in range(1, len(text) + 2):
        monkeypatch.setenv("RELYON_STRETCH", str(size))
        assert streams(path, judgments, threads), size


@pytest.mark.long
def test_every_border_between_stretches_of_json_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, LIKE_LINES["escapes"], "x.jsonl")
    for size in range(1, path.stat().st_size + 2):
        monkeypatch.setenv("RELYON_STRETCH", str(size))
        assert streams(path), size


def test_lines_longer_than_the_window(tmp_path: Path) -> None:
    lines = LINES.replace('"document"', f'"x":"{"é" * 200_000}","document"')
    assert streams(write(tmp_path, lines, "x.jsonl"))
    rows = [f"q1,{'x' * 300_000},d{place},{place}\n" for place in range(5)]
    assert streams(write(tmp_path, "query,title,document,score\n" + "".join(rows)))
    quoted = [row.replace(",x", ',"""x').replace("x,", 'x",') for row in rows]
    assert streams(write(tmp_path, "query,title,document,score\n" + "".join(quoted)))


def test_scores_from_ranks_are_noted(tmp_path: Path) -> None:
    path = write(tmp_path, LIKE["ranks"])
    results = relyon.evaluate(JUDGMENTS, path, MEASURES)
    assert "scores-from-ranks" in [note.kind for note in results.notes]


def test_the_rule_of_ranks(tmp_path: Path) -> None:
    path = write(tmp_path, "query,document,rank,score\nq1,d1,2,5\nq1,x,1,5\n")
    by_rank = relyon.evaluate(JUDGMENTS, path, ["rr"], convention={"ties": "rank"})
    assert by_rank.values_by_query("rr")["q1"] == 0.5
    path = write(tmp_path, CSV)
    with pytest.raises(InputError, match="ties=rank needs a rank column"):
        relyon.evaluate(JUDGMENTS, path, ["rr"], convention={"ties": "rank"})


def test_no_heavy_package_is_needed(tmp_path: Path) -> None:
    qrels = write(tmp_path, "q1 0 d1 1\n", "x.qrels")
    code = (
        "import sys, relyon; relyon.evaluate(*sys.argv[1:3], 'rr')\n"
        "sys.exit(bool({'polars', 'numpy', 'narwhals'} & {*sys.modules}))"
    )
    for run in (write(tmp_path, CSV), write(tmp_path, LINES, "x.jsonl")):
        subprocess.run([sys.executable, "-c", code, str(qrels), str(run)], check=True)
