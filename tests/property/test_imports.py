"""Whatever bytes an upload holds, it is read or refused in words: no other error comes out."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import suppress

import pytest

pytest.importorskip("sqlalchemy")

from hypothesis import HealthCheck, example, given, settings, strategies as st

from relyon.core.errors import InputError, ParameterError, ParseError
from relyon.data.scale import SEARCH
from relyon.data.sheets import Sheet
from relyon.io import read_sheet
from relyon.io.plain_text import sent_source
from relyon.io.sheets import sheet_format, sheet_formats, write_sheet
from relyon.judging.exchange import import_sheet
from relyon.judging.store import Store, open_store

JSON_FORMATS = (
    "jsonl", "quepid-book", "rre", "elasticsearch", "opensearch", "label-studio",
)  # fmt: skip
CSV_FORMATS = ("csv", "quepid-case", "quepid-book-csv")
#: Members and columns that the formats look for, and what is special in any of them.
WORDS = st.sampled_from(
    [
        "query",
        "document",
        "query_text",
        "rank",
        "title",
        "fields",
        "tier",
        "session",
        "inclusion_probability",
        "ratings",
        "judge",
        "grade",
        "cannot",
        "reason",
        "note",
        "seconds",
        "at",
        "final",
        "final_source",
        "docid",
        "doc_id",
        "rating",
        "query_doc_pairs",
        "judgements",
        "user_email",
        "explanation",
        "document_fields",
        "position",
        "topics",
        "query_groups",
        "queries",
        "placeholders",
        "$query",
        "relevant_documents",
        "gain",
        "requests",
        "id",
        "request",
        "params",
        "ratings",
        "_id",
        "_index",
        "judgmentRatings",
        "docId",
        "data",
        "annotations",
        "result",
        "value",
        "completed_by",
        "was_cancelled",
        "lead_time",
        "created_at",
        "choices",
        "from_name",
        "number",
        "q1",
        "d1",
        "3",
        "0.5",
        "-1",
        "1e999",
        "nan",
        "高",
    ]
)
VALUES = (
    WORDS
    | st.text(max_size=4)
    | st.sampled_from(["", "\0", "\ud800", "\udc00", "\ud83d\ude00", "'=1", "\r\n", "9" * 400])
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(VALUES, inner, max_size=5),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path = tmp_path_factory.mktemp("imports") / "judging.db"
    with open_store(path, create=True) as opened:
        opened.projects.create("June", overlap=2, scale=SEARCH)
        yield opened


LIMIT = 1 << 30


def read_text(text: str, name: str) -> Sheet:
    """Reads what the text of a file holds."""
    sent = sent_source(text.encode("utf-8", "surrogatepass"), "file", LIMIT)
    return read_sheet(sent, format=name, scale=SEARCH)


def take(store: Store, name: str, data: bytes) -> None:
    """Imports an upload as the app does."""
    with suppress(InputError):
        with suppress(InputError, ParameterError):
            read_sheet(sent_source(data, f"file{sheet_format(name).suffix}", LIMIT), scale=SEARCH)
        sheet = read_sheet(sent_source(data, "file", LIMIT), format=name, scale=SEARCH)
        import_sheet(store, 1, sheet)
        whole = Sheet(sheet.rows[:20]).finals()
        for other in sheet_formats():
            with suppress(InputError):
                write_sheet(whole, format=other)


SETTINGS = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@SETTINGS
@given(st.sampled_from(sheet_formats()), st.binary(max_size=40) | st.text(max_size=40))
@example("csv", b"\xff")
@example("jsonl", '{"query": "\\ud800", "document": "d"}')
def test_any_bytes(store: Store, name: str, data: bytes | str) -> None:
    take(store, name, data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))


@SETTINGS
@given(st.sampled_from(JSON_FORMATS), JSON, st.booleans())
def test_any_json(store: Store, name: str, value: object, escaped: bool) -> None:
    text = json.dumps(value, ensure_ascii=escaped)
    take(store, name, text.encode("utf-8", "surrogatepass"))


@SETTINGS
@given(st.sampled_from(CSV_FORMATS), st.lists(st.lists(VALUES, max_size=6), max_size=4))
def test_any_csv(store: Store, name: str, rows: list[list[str]]) -> None:
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows(rows)
    take(store, name, stream.getvalue().encode("utf-8", "surrogatepass"))


def places(value, found: list) -> list:
    for key in value.keys() if isinstance(value, dict) else range(len(value)):
        if isinstance(value[key], str):
            found.append((value, key))
        elif isinstance(value[key], dict | list):
            places(value[key], found)
    return found


@pytest.mark.parametrize("character", ["\ud800", "\0"])
@pytest.mark.parametrize("name", JSON_FORMATS)
def test_no_text_of_json_holds_what_cannot_be_stored(name: str, character: str) -> None:
    """Every text of a whole file is tried, and the file and the line are named."""
    from tests.unit.sheets import FULL

    text = write_sheet(FULL.finals(), format=name)[0]
    for place in range(
        len(places(json.loads(text.split("\n")[0] if name == "jsonl" else text), []))
    ):
        content = json.loads(text.split("\n")[0] if name == "jsonl" else text)
        holder, key = places(content, [])[place]
        holder[key] += character
        for escaped in (True, False):
            changed = "\n" + json.dumps(content, ensure_ascii=escaped)
            with pytest.raises(ParseError, match=r"^file:2: .*cannot be stored") as caught:
                read_text(changed, name)
            assert "half of a surrogate pair" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("csv", "query,doc\nq,d\nq,d{}\n"),
        ("csv", 'query,doc,fields\nq,d,\nq,e,"{{""a"": ""\\ud800""}}"\n'),
        ("quepid-case", "query,docid,rating\nq,d,1\nq,e{},1\n"),
        ("quepid-book-csv", "query,docid,Ann\nq,d,1\nq,e{},1\n"),
        ("trec", "q 0 d 1\n\nq 0 e{} 1\n"),
        ("ranklib", "1 qid:1 # d\n\n1 qid:1 # e{}\n"),
    ],
)
def test_no_line_holds_what_cannot_be_stored(name: str, text: str) -> None:
    for character in "\0\ud800":
        with pytest.raises(ParseError, match=r"^file:3: .*cannot be stored"):
            read_text(text.format(character), name)
