"""What is said of a table while it is read is what the whole table says, to the last bit."""

from __future__ import annotations

import csv
import io as streams
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.core.errors import RelyonError
from relyon.io.format import formats

pytestmark = pytest.mark.long

JUDGMENTS = {
    "q1": {"d1": 2, "d2": 1, "文档": 3, "a-document-with-a-name-as-long-as-it-takes": 1},
    "查询": {"d1": 1, 'd"2': 2, "d,3": 1},
    "7": {"1": 1, "2": 0, "d1": 3},
    "q'4": {"d1": 1},
}
MEASURES = ("ndcg", "rr", "ap", "num_ret", "recall@2")
Outcome = tuple[Any, ...]


def outcome(path: Path, **options: Any) -> Outcome:
    """What there is to see of an evaluation: every number and note, or the error."""
    try:
        results = relyon.evaluate(JUDGMENTS, path, MEASURES, **options)
    except RelyonError as error:
        return (type(error), str(error), error.hint)
    return (results.to_dict(per_query=True), results.notes)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


def both(kind: Any, path: Path, **options: Any) -> tuple[Outcome, list[Outcome], bool]:
    """Returns what the table read whole says, what streaming says, and whether it streamed."""
    usual: Callable[..., Any] = kind.stream_run
    streamed = []

    def watched(self: Any, *arguments: Any) -> Any:
        found = usual(self, *arguments)
        streamed.append(found is not None)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "stream_run", lambda *_: None)
        whole = outcome(path, **options)
        patch.setattr(kind, "stream_run", watched)
        found = []
        for stretch, lanes in (("", ""), ("7", "scalar"), ("40", "avx2"), ("1", "")):
            patch.setenv("RELYON_STRETCH", stretch)
            patch.setenv("RELYON_SIMD", lanes)
            found.append(outcome(path, **options))
    return whole, found, all(streamed) and bool(streamed)


def check(name: str, path: Path, **options: Any) -> bool:
    whole, found, streamed = both(type(formats.get(name)), path, **options)
    assert found == [whole] * len(found)
    return streamed


QUERIES = st.sampled_from(["q1", "查询", "7", "q'4", "unjudged", "q1"])
DOCUMENTS = st.sampled_from(
    ["d1", "d2", "1", "2", "文档", 'd"2', "d,3", "d\t4", "a b", " d5", "d6 ", "x" * 70, "é",
     "a-document-with-a-name-as-long-as-it-takes", "-1", "'=1", "it's", "''x", "007", "＝", "d\n7",
     "d;8", "d|9", "{1}", "[2"]
)  # fmt: skip
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.floats(-100, 100).map(lambda value: f"{value:.6f}"),
    st.sampled_from(
        ["1", "0.5", "12.345678", "-0", "-0.0", "+1", "+1.5", "1.", ".5", "-.5", "1e5", "1E-5",
         "1e+5", "1e-400", "4.9406564584124654e-324", "2.4703282292062327e-324",
         "1.7976931348623157e308", "00012", "9007199254740993", "0.1234567890123456789",
         "123456789.12345678", "99999999999999999999", " 1 ", "\t2", "0.1e1"]
    ),
)  # fmt: skip
ODD_NUMBERS = st.sampled_from(
    ["", "nan", "inf", "-inf", "1e400", "one", "1_0", "0x10", "1d", "--1", "+-1", "1e", "-", "٣",
     "'1", "true", "null", "1 2"]
)  # fmt: skip
RANKS = st.one_of(
    st.integers(-2, 200).map(str),
    st.sampled_from(["1.0", "123456789", "12345678901", "9007199254740993", "1e3", "+2", "-0"]),
)


@st.composite
def rows(draw: st.DrawFn, odd: bool) -> list[list[str]]:
    """Rows of query, document, score and rank, grouped for the most part."""
    listed: list[list[str]] = []
    for query in draw(st.lists(QUERIES, min_size=1, max_size=5, unique=not odd)):
        documents = draw(st.lists(DOCUMENTS, min_size=1, max_size=6, unique=not odd))
        for document in documents:
            listed.append([query, document, draw(NUMBERS), draw(RANKS)])
    if odd:
        for _ in range(draw(st.integers(0, 2))):
            row = draw(st.integers(0, len(listed) - 1))
            column = draw(st.integers(0, 3))
            listed[row][column] = draw(ODD_NUMBERS)
    return listed


NAMES = ("query", "document", "score", "rank")


@st.composite
def delimited(draw: st.DrawFn, odd: bool) -> tuple[bytes, str]:
    """A table and its separator."""
    separator = draw(st.sampled_from(",\t;|"))
    columns = draw(st.permutations([0, 1, 2, 3, 4]))
    if draw(st.booleans()):
        columns = [column for column in columns if column != 3]
    elif draw(st.integers(0, 4)) == 0:
        columns = [column for column in columns if column != 2]
    if draw(st.booleans()):
        columns = [column for column in columns if column != 4]
    text = draw(st.sampled_from(["", "a title", 'a "title"', "one\nq1,d1,2,3\nq1", "長" * 40, "é"]))
    quoted: list[Literal[0, 1]] = [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_MINIMAL]
    quoting = draw(st.sampled_from(quoted))
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    written = streams.StringIO(newline="")
    writer = csv.writer(written, delimiter=separator, quoting=quoting, lineterminator=ending)
    writer.writerow([(*NAMES, "title")[column] for column in columns])
    for row in draw(rows(odd)):
        writer.writerow([(*row, text)[column] for column in columns])
        if draw(st.integers(0, 20)) == 0:
            written.write(draw(st.sampled_from(["\n", "\r\n", "  \n", separator * 3 + "\n"])))
    content = written.getvalue()
    if draw(st.booleans()):
        content = content.removesuffix(ending)
    data = content.encode()
    if draw(st.booleans()):
        data = b"\xef\xbb\xbf" + data
    return data, separator


DAMAGE = st.lists(
    st.tuples(
        st.integers(0, 3000),
        st.integers(0, 5),
        st.one_of(
            st.binary(max_size=4),
            st.sampled_from(
                [b"\n", b"\r", b"\r\n", b"\x00", b'"', b'""', b",", b"\t", b"'", b"#", b"\xff",
                 b"\xed\xa0\x80", b"\xc3\xa9", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"nan", b"q1",
                 b"\\", b"{", b"}", b"[", b"null", b"\\u00e9", b"\\ud800", b"\\n", b":", b" "]
            ),
        ),
    ),
    max_size=4,
)  # fmt: skip


def damaged(data: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    content = bytearray(data)
    for place, length, replacement in changes:
        start = place % (len(content) + 1)
        content[start : start + length] = replacement
    return bytes(content)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
ODD_VALUES = st.sampled_from(
    ["null", "true", "[]", '["d1"]', "{}", "1.0", "-0", "1e400", "01", "NaN", "Infinity", '""',
     '"\\u0000"', '"\\ud800"', '"\\udc00x"', '"\\q"', "1.", ".5", "+1", "- 1", "1e",
     "12345678901234567890", '"[1"', '"{"', '" 1 "', '"1\\n"', '"\\u0031"', '"nan"']
)  # fmt: skip


@st.composite
def json_lines(draw: st.DrawFn, odd: bool) -> bytes:
    """Objects with the same keys for the most part, in any order."""
    names = list(NAMES)
    if draw(st.booleans()):
        names.remove(draw(st.sampled_from(["score", "rank"])))
    ascii = draw(st.booleans())
    keys = {"query": draw(st.sampled_from(["query", "查询", "QID"]))}
    others = draw(st.dictionaries(st.sampled_from(["title", "x y", "标题", 'q"', ""]), VALUES))
    lines: list[str] = []
    for row in draw(rows(odd)):
        members = []
        for name, value in zip(NAMES, row, strict=True):
            if name not in names or (odd and draw(st.integers(0, 40)) == 0):
                continue
            text = json.dumps(value, ensure_ascii=ascii)
            if name in ("score", "rank") or (value.isdecimal() and draw(st.booleans())):
                text = value if draw(st.integers(0, 3)) else text
            if odd and draw(st.integers(0, 30)) == 0:
                text = draw(ODD_VALUES)
            members.append((keys.get(name, name), text))
        for name, content in others.items():
            members.append((name, json.dumps(content, ensure_ascii=ascii)))
        if draw(st.integers(0, 5)) == 0:
            members = draw(st.permutations(members))
        if odd and members and draw(st.integers(0, 40)) == 0:
            members.append(draw(st.sampled_from(members)))
        comma, colon = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " : ")]))
        written = comma.join(f"{json.dumps(name)}{colon}{text}" for name, text in members)
        lines.append(f"{{{written}}}" + draw(st.sampled_from(["", "", "", " ", "\r"])))
        if draw(st.integers(0, 20)) == 0:
            lines.append(draw(st.sampled_from(["", " ", "\r", "\t \r", "\v", "[]", "{}"])))
    return b"\n".join(line.encode("utf-8", "surrogatepass") for line in lines)


def suffix(separator: str) -> str:
    return ".tsv" if separator == "\t" else ".csv"


CONVENTIONS = st.sampled_from(
    ["relyon", "trec_eval", "relyon", {"ties": "rank"}, {"ties": "input"}, {"missing": "error"},
     {"missing": "skip"}, {"ties": "expected"}]
)  # fmt: skip


@given(
    table=delimited(odd=True),
    changes=DAMAGE,
    threads=st.sampled_from([1, 2]),
    convention=CONVENTIONS,
)
def test_delimited(
    home: Path,
    table: tuple[bytes, str],
    changes: list[tuple[int, int, bytes]],
    threads: int,
    convention: Any,
) -> None:
    data, separator = table
    path = home / f"run{suffix(separator)}"
    path.write_bytes(damaged(data, changes))
    check("csv", path, threads=threads, convention=convention)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_quoted_fields_at_every_place_of_a_block(home: Path, ending: str) -> None:
    """Quotes open and close, and separators and newlines stand within, anywhere in 64 bytes."""
    path = home / "quoted.csv"
    streamed = []
    for length in range(130):
        rows = [
            f'q1,"{"x" * length}","d1",3.5',
            f'"q1",{"x" * length},d2,"2.5"',
            f'"q1","{"," * length}","文档","1.5"',
            f'"查询","{"x" * length}""{"y" * 3}","d1","1"',
            f'"查询","{"x" * length}\n{"y" * 3}","d,3","0.5"',
            f'"7",{"x" * length}"","1","2"' if length % 2 else f'"7","","1","{length}.25"',
        ]
        path.write_text(
            ending.join(['"query","title","document","score"', *rows, ""]), "utf-8", newline=""
        )
        streamed.append(check("csv", path))
    assert all(streamed[::2])
    assert not any(streamed[1::2])


@given(
    data=json_lines(odd=True),
    changes=DAMAGE,
    threads=st.sampled_from([1, 2]),
    convention=CONVENTIONS,
)
def test_json_lines(
    home: Path,
    data: bytes,
    changes: list[tuple[int, int, bytes]],
    threads: int,
    convention: Any,
) -> None:
    path = home / "run.jsonl"
    path.write_bytes(damaged(data, changes))
    check("jsonl", path, threads=threads, convention=convention)
