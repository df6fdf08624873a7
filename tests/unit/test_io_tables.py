"""CSV, TSV, JSON Lines and Parquet."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from relyon import io
from relyon.core.errors import InputError, ParameterError, ParseError
from relyon.data.judgments import Judgments
from relyon.data.run import Run

GRADES = {"007": {"d1": 2.0, "d 2": 0.0}, "8": {"d1": 0.5}}


def judgments(folder: Path, name: str, content: str | bytes, **options: object) -> Judgments:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return io.read_judgments(path, **options)  # type: ignore[arg-type]


def run(folder: Path, name: str, content: str | bytes, **options: object) -> Run:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return io.read_run(path, **options)  # type: ignore[arg-type]


CSV = "qid,docid,rel\n007,d1,2\n007,d 2,0\n8,d1,0.5\n"
VARIANTS: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "gzip": lambda text: gzip.compress(b"\xef\xbb\xbf" + text.encode()),
    "semicolons": lambda text: text.replace(",", ";").encode(),
    "tabs": lambda text: text.replace(",", "\t").encode(),
    "bars": lambda text: text.replace(",", "|").encode(),
    "no last line end": lambda text: text[:-1].encode(),
    "blank lines before": lambda text: b"\n\r\n" + text.encode(),
    "lines of blanks": lambda text: text.replace("\n", "\n  \n").encode(),
    "blank lines": lambda text: text.replace("\n", "\n\n").encode(),
    "quoted": lambda text: "".join(
        ",".join(f'"{field}"' for field in line.split(",")) + "\n" for line in text.splitlines()
    ).encode(),
    "other columns": lambda text: (
        "".join(f"x,{line},\n" for line in text.splitlines())
        .replace("x,qid,docid,rel,", "note,qid,docid,rel,more")
        .encode()
    ),
}


@pytest.mark.parametrize("change", VARIANTS.values(), ids=VARIANTS)
def test_csv(tmp_path: Path, change: Callable[[str], bytes]) -> None:
    assert judgments(tmp_path, "a.csv", change(CSV)).to_dict() == GRADES


def test_tsv(tmp_path: Path) -> None:
    assert judgments(tmp_path, "a.tsv", CSV.replace(",", "\t")).to_dict() == GRADES


def test_quoted_fields(tmp_path: Path) -> None:
    text = 'query,document,grade\n"shoes, red","a ""b""\nc",1\n"x",y,2\n'
    assert judgments(tmp_path, "a.csv", text).to_dict() == {
        "shoes, red": {'a "b"\nc': 1.0},
        "x": {"y": 2.0},
    }


def test_ids_stay_as_they_are_written(tmp_path: Path) -> None:
    text = "query,document,score\n007,1e3,1\n7,0x1F,2\n+7,NA,3\nnull,None,4\nü, d ,5\n"
    assert run(tmp_path, "a.csv", text).to_dict() == {
        "007": {"1e3": 1.0},
        "7": {"0x1F": 2.0},
        "+7": {"NA": 3.0},
        "null": {"None": 4.0},
        "ü": {" d ": 5.0},
    }


def test_numbers_keep_all_their_digits(tmp_path: Path) -> None:
    texts = ["0.30000000000000004", "5e-324", "-1.7976931348623157E+308", " 12 ", ".5", "1."]
    lines = "".join(f"q,d{place},{text}\n" for place, text in enumerate(texts))
    found = run(tmp_path, "a.csv", "query,document,score\n" + lines)
    assert list(found["q"].values()) == [float(text) for text in texts]


def test_columns_by_name_and_by_place(tmp_path: Path) -> None:
    named = {"query": "keywords", "document": "thing", "grade": "stars"}
    text = "stars,thing,keywords\n3,d1,red shoes\n"
    assert judgments(tmp_path, "a.csv", text, columns=named).to_dict() == {"red shoes": {"d1": 3.0}}
    placed = {"query": "3", "document": "2", "grade": "1"}
    text = "3,d1,red shoes\n2,d2,red shoes\n"
    assert judgments(tmp_path, "b.csv", text, columns=placed).to_dict() == {
        "red shoes": {"d1": 3.0, "d2": 2.0}
    }
    with pytest.raises(InputError, match="no column `4` for the query"):
        judgments(tmp_path, "b.csv", text, columns={**placed, "query": "4"})
    with pytest.raises(ParameterError, match="`stars` is not a column of this kind"):
        judgments(tmp_path, "b.csv", text, columns={"stars": "1"})


def test_ranks(tmp_path: Path) -> None:
    found = run(tmp_path, "a.csv", "query,document,score,rank\nq,a,1.5,2\nq,b,1.5,1\n")
    assert found.to_frame()["rank"].to_list() == [2, 1]
    found = run(tmp_path, "b.tsv", "qid\tpid\trank\n1\ta\t2\n1\tb\t1\n")
    assert found["1"]["b"] > found["1"]["a"]
    assert [note.kind for note in found.notes] == ["columns-read-as", "scores-from-ranks"]


def test_names_of_grades(tmp_path: Path) -> None:
    text = "查询,文档,等级\n鞋,d1,高\n鞋,d2,none\n鞋,d3,1\n鞋,d4,\n"
    found = judgments(tmp_path, "a.csv", text, scale="search")
    assert found.to_dict() == {"鞋": {"d1": 3.0, "d2": 0.0, "d3": 1.0}}
    assert [(note.kind, note.count) for note in found.notes] == [
        ("columns-read-as", 1),
        ("missing-grades", 1),
    ]
    with pytest.raises(ParseError, match=r"a\.csv:2: the grade `高` is not a number") as caught:
        judgments(tmp_path, "a.csv", text)
    assert 'scale="search"' in caught.value.hint
    with pytest.raises(ParseError, match=r"a\.csv:3: not a grade of the scale"):
        judgments(tmp_path, "a.csv", text.replace("none", "hihg"), scale="search")


HEAD = "query,document,grade\n"
BAD_JUDGMENTS = {
    "too few fields": (HEAD + "q,a,1\nq,b\nq,c,1\n", 3, "expected 3 columns, .* got 2: `q,b`"),
    "too many fields": (HEAD + "q,a,1\nq,b,1,x\n", 3, "expected 3 columns, .* got 4"),
    "too few unread fields": (
        "q,d,rel,x\nq,a,1,\nq,b,1\n".replace("q,d,rel", "qid,doc,rel"),
        3,
        "got 3",
    ),
    "too many behind a quoted line end": (HEAD + '"q\n1",a,1\nq,b,1,x\n', 4, "got 4"),
    "no number": (HEAD + "q,a,1\n\nq,b,two\n", 4, "the grade `two` is not a number"),
    "another script": (HEAD + "q,a,１\n", 2, "the grade `１` is not a number"),
    "infinite": (HEAD + "q,a,inf\n", 2, "the grade of document `a` is inf"),
    "not a number": (HEAD + "q,a,1\nq,b,NaN\n", 3, "the grade of document `b` is nan"),
    "empty query": (HEAD + "q,a,1\n,b,1\n", 3, "the query is empty"),
    "empty document": (HEAD + 'q,"",1\n', 2, "the document is empty"),
    "two grades": (HEAD + "q,a,1\nq,b,1\nq,a,2\n", 4, r"judged twice, .*\(first in line 2\)"),
    "open quote": (HEAD + 'q,a,1\nq,"b,1\nq,c,1\n', 3, "a quoted field does not end"),
    "text behind a quote": (HEAD + 'q,"b"x,1\n', 2, "not well formed"),
    "Latin-1": ((HEAD + "q,a,1\nq,é,1\n").encode("latin-1"), 3, "is not UTF-8 text"),
}


@pytest.mark.parametrize(("content", "line", "message"), BAD_JUDGMENTS.values(), ids=BAD_JUDGMENTS)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_bad_lines_are_named(
    tmp_path: Path, content: str | bytes, line: int, message: str, packed: bool
) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(ParseError, match=message) as caught:
        judgments(tmp_path, "bad.csv", gzip.compress(data) if packed else data)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "bad.csv"), line)


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ("q,a,1\nq,b,\n", 3, "the score is empty"),
        ("q,a,1\nq,a,1\n", 3, r"retrieved twice \(first in line 2\)"),
        ("q,a,1\nq,b,-inf\n", 3, "the score of document `b` is -inf"),
        ("q,a,1\nq,b,1_000\n", 3, "the score `1_000` is not a number"),
    ],
)
def test_bad_lines_of_a_run_are_named(tmp_path: Path, rows: str, line: int, message: str) -> None:
    with pytest.raises(ParseError, match=message) as caught:
        run(tmp_path, "bad.csv", "query,document,score\n" + rows)
    assert caught.value.line == line


def test_bad_ranks_are_named(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"bad\.csv:3: the rank `x` is not a whole number"):
        run(tmp_path, "bad.csv", "query,document,score,rank\nq,a,1,1\nq,b,2,x\n")


def test_missing_column_lists_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no column for the query") as caught:
        judgments(tmp_path, "a.csv", "words,docid,rel\nq,d,1\n")
    assert "`words`, `docid`, `rel`" in caught.value.message
    assert 'relyon.read_judgments(…, columns={"query": "words"})' in caught.value.hint


@pytest.mark.parametrize("content", ["", "\n\n", HEAD, HEAD + "q,a,\n"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_nothing_in_it(tmp_path: Path, content: str, name: str) -> None:
    text = content.replace(",", "\t") if name == "a.tsv" else content
    with pytest.raises(InputError, match=r"is empty|contains no judgments"):
        judgments(tmp_path, name, text)


def test_a_name_with_wildcards_is_one_file(tmp_path: Path) -> None:
    assert judgments(tmp_path, "a[1]*.csv", CSV).to_dict() == GRADES


JSONL = "".join(
    json.dumps({"query_id": query, "doc_id": document, "relevance": grade}) + "\n"
    for query, grades in GRADES.items()
    for document, grade in grades.items()
)
JSON_VARIANTS: dict[str, Callable[[str], bytes]] = {
    name: change
    for name, change in VARIANTS.items()
    if name in {"plain", "CRLF", "BOM", "gzip", "no last line end", "blank lines"}
}


@pytest.mark.parametrize("change", JSON_VARIANTS.values(), ids=JSON_VARIANTS)
def test_jsonl(tmp_path: Path, change: Callable[[str], bytes]) -> None:
    assert judgments(tmp_path, "a.jsonl", change(JSONL)).to_dict() == GRADES


@pytest.mark.parametrize("long", [False, True])
def test_ids_in_json_may_be_numbers(tmp_path: Path, long: bool) -> None:
    query = 12345678901234567890123 if long else 18446744073709551615
    text = f'{{"q":{query},"d":-7,"g":1.5}}\n{{"g":2e0,"q":"007","d":"é"}}\n'
    columns = {"query": "q", "document": "d", "grade": "g"}
    assert judgments(tmp_path, "a.jsonl", text, columns=columns).to_dict() == {
        str(query): {"-7": 1.5},
        "007": {"é": 2.0},
    }


ROW = '{"query": "q", "document": "a", "grade": 1}\n'
BAD_JSON = {
    "broken": (ROW + '{"query": "q", "docu\n', 2, "is not JSON"),
    "no object": (ROW + "\n[1, 2]\n", 3, "expected an object, got a list"),
    "nested": (ROW + '{"query": "q", "document": ["a"], "grade": 1}\n', 2, "not a single value"),
    "no document": (ROW + '{"query": "q", "grade": 1}\n', 2, "the document is empty"),
    "null": (ROW + '{"query": null, "document": "b", "grade": 1}\n', 2, "the query is empty"),
    "no number": (ROW + '{"query": "q", "document": "b", "grade": "x"}\n', 2, "`x` is not a"),
    "truth": (ROW + '{"query": "q", "document": "b", "grade": true}\n', 2, "is not a number"),
    "not a number": (ROW + '{"query": "q", "document": "b", "grade": NaN}\n', 2, "is nan"),
    "two grades": (ROW + ROW.replace("1", "2"), 2, "judged twice"),
    "Latin-1": (ROW.encode() + '{"query": "é"}\n'.encode("latin-1"), 2, "is not UTF-8"),
}


@pytest.mark.parametrize(("content", "line", "message"), BAD_JSON.values(), ids=BAD_JSON)
def test_bad_objects_are_named(
    tmp_path: Path, content: str | bytes, line: int, message: str
) -> None:
    with pytest.raises(ParseError, match=message) as caught:
        judgments(tmp_path, "bad.jsonl", content)
    assert caught.value.line == line


def test_grades_that_are_null_are_left_out(tmp_path: Path) -> None:
    text = ROW + '{"query": "q", "document": "b", "grade": null}\n{"query": "q", "document": "c"}\n'
    found = judgments(tmp_path, "a.jsonl", text)
    assert found.to_dict() == {"q": {"a": 1.0}}
    assert [(note.kind, note.count) for note in found.notes] == [("missing-grades", 2)]


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    frame = pl.DataFrame({"qid": [7, 7, 8], "docno": ["a", "b", "a"], "label": [2, 0, 1]})
    frame.write_parquet(path)
    expected = {"7": {"a": 2.0, "b": 0.0}, "8": {"a": 1.0}}
    assert io.read_judgments(path).to_dict() == expected
    path = tmp_path / "packed"
    path.write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    assert io.read_judgments(path).to_dict() == expected


def test_bad_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(InputError, match=r"a\.parquet: cannot be read as Parquet"):
        io.read_judgments(path)
    frame = pl.DataFrame({"qid": ["q", "q"], "docno": ["a", "a"], "score": [1.0, 2.0]})
    frame.write_parquet(path)
    with pytest.raises(InputError, match=r"a\.parquet: row 2: document `a` .* retrieved twice"):
        io.read_run(path)
    frame.drop("docno").write_parquet(path)
    with pytest.raises(InputError, match=r"a\.parquet: there is no column for the document"):
        io.read_run(path)


def test_a_large_file_gives_what_a_small_one_gives(tmp_path: Path) -> None:
    rows = [(f"q{row // 1000}", f"d{row % 1000}", row * 0.1) for row in range(30_000)]
    text = "".join(f"{query},{document},{score!r}\n" for query, document, score in rows)
    expected: dict[str, dict[str, float]] = {}
    for query, document, score in rows:
        expected.setdefault(query, {})[document] = score
    assert run(tmp_path, "a.csv", "query,document,score\n" + text).to_dict() == expected
    # An empty last field anywhere sends the file through the careful reader: same numbers.
    careful = "query,document,score,note\n" + text.replace("\n", ",\n")
    assert run(tmp_path, "b.csv", careful).to_dict() == expected


@pytest.mark.parametrize(
    "text",
    [
        "q1,d1,3\nq1,d2,0\n",
        "tv,d1,高\ntv,d2,低\n",
        "7,9,3\n7,11,0\n",
    ],
)
def test_a_first_line_of_data_is_no_header(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bare.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(
        ParseError, match=r"bare\.csv:1: this file seems to have no header"
    ) as caught:
        io.read_judgments(path)
    assert '{"query": "1", "document": "2", "grade": "3"}' in caught.value.hint
    columns = {"query": "1", "document": "2", "grade": "3"}
    scale = "search" if "高" in text else None
    assert io.read_judgments(path, columns=columns, scale=scale).to_frame().height == 2


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("who,what,2019\nq1,d1,3\n", {"query": "who", "document": "what", "grade": "2019"}),
        ("query,doc,2019\nq1,d1,3\n", {"grade": "2019"}),
        ("0,1,2\nq1,d1,3\n", {"query": "0", "document": "1", "grade": "2"}),
    ],
)
def test_names_that_are_numbers_are_names(
    tmp_path: Path, text: str, columns: dict[str, str]
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    if "who" in text:
        # Nothing tells this name from a grade.
        with pytest.raises(ParseError, match="no header line"):
            io.read_judgments(path, columns=columns)
    else:
        assert io.read_judgments(path, columns=columns).to_dict() == {"q1": {"d1": 3}}
