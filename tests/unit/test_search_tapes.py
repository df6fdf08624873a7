"""Tapes: what is written is read, what was changed is refused, and what differs is named."""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.searched import Scripted, answer

import relyon
from relyon.engines import Answer, Query, Request, Variant, diff_tapes, read_tape
from relyon.engines.files.template import fill, names_in
from relyon.engines.tapes.entry import Entry
from relyon.engines.tapes.tape import Head, Tape, write_tape
from relyon.engines.tapes.tape_lines import Documents, Entries

QUERIES = {"q1": "red shoes", "q2": "电视"}
HEAD = Head(
    engine="e",
    kind="k",
    address="a",
    recipe="r",
    k=5,
    explain=False,
    variants={"base": {}},
    queries="q",
    started=1.0,
)

#: Any text that JSON can carry, without halves of characters.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ANSWERS = st.lists(
    st.tuples(TEXTS, st.none() | NUMBERS), max_size=6, unique_by=lambda pair: pair[0]
)


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(st.dictionaries(TEXTS.filter(str.strip), ANSWERS, min_size=1, max_size=5), st.data())
def test_replay_is_live_for_any_answers(
    answers: dict[str, list[tuple[str, float | None]]], data: st.DataObject
) -> None:
    fields = data.draw(st.dictionaries(TEXTS, TEXTS, max_size=2))
    totals = st.none() | st.integers(0, 2**53)
    total = data.draw(totals)

    def reply(request: Request) -> Answer:
        found = answers[request.query.id]
        ids, scores = [one[0] for one in found], [one[1] for one in found]
        return Answer(ids, scores, [fields] * len(ids), ids, 1.5, 2, total)

    queries = {id: id for id in answers}
    with tempfile.TemporaryDirectory() as folder:
        tape = f"{folder}/tape.jsonl"
        live = relyon.search(Scripted(reply), queries, 6, record=tape)
        again = relyon.search(Scripted(reply), queries, 6, replay=tape, record=f"{tape}2")
        assert Path(tape).read_bytes() == Path(f"{tape}2").read_bytes()
        recorded = read_tape(tape)
    assert again.run.to_dict() == live.run.to_dict()
    assert again.notes == live.notes
    assert again.latencies == live.latencies
    for query, found in answers.items():
        entry = next(one for one in recorded.entries.values() if one.query == query)
        assert entry.ids == [one[0] for one in found]
        assert entry.scores == [one[1] for one in found]
        assert entry.why == [one[0] for one in found]
        kept = live.run.to_dict().get(query, {})
        assert list(kept) == entry.ids
        given = [one for one in entry.scores if one is not None]
        if kept and list(kept.values()) != given:
            assert list(kept.values()) == [6.0 - rank for rank in range(len(kept))]


ENTRIES = st.builds(
    Entry,
    key=st.text("0123456789abcdef", min_size=32, max_size=32),
    variant=st.sampled_from(["base", "电", "a=1,b=x"]),
    query=TEXTS,
    ids=st.lists(TEXTS, max_size=4),
    scores=st.lists(st.none() | NUMBERS, max_size=4),
    ms=st.floats(0, 1e6),
    took=st.none() | st.floats(0, 1e6),
    total=st.none() | st.integers(0, 2**62),
    at=st.floats(0, 1e10),
    duplicates=st.integers(0, 9),
    problems=st.lists(TEXTS, max_size=3),
    failed=st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    why=st.lists(TEXTS, max_size=4),
)


@pytest.mark.long
@settings(max_examples=80, deadline=None)
@given(
    st.lists(ENTRIES, max_size=6, unique_by=lambda entry: entry.key),
    st.dictionaries(TEXTS, st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=3), max_size=5),
)
def test_a_tape_that_was_written_is_read(
    entries: list[Entry], documents: dict[str, dict[str, str]]
) -> None:
    queries = {one.query: Query(one.query, one.query, {"n": 1}) for one in entries}
    tape = Tape(HEAD, queries, Entries.of(entries), Documents.of(documents))
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/tape.jsonl"
        write_tape(path, tape)
        found = read_tape(path)
        content = Path(path).read_bytes()
        write_tape(path, found)
        assert Path(path).read_bytes() == content
    assert list(found.entries.values()) == entries
    assert found.queries == queries
    used = {id for one in entries for id in one.ids}
    assert dict(found.documents) == {id: one for id, one in documents.items() if id in used}
    assert found.checksum == tape.checksum
    body, _, end = content.rstrip(b"\n").rpartition(b"\n")
    assert json.loads(end) == {
        "end": len(entries),
        "sha256": hashlib.sha256(body + b"\n").hexdigest(),
    }


SCALARS = st.text() | st.integers() | NUMBERS | st.booleans()
LEAVES = st.none() | SCALARS | st.sampled_from(["{a}", "x{b}y", "{a}{b}", "{{a}}", "{", "}}"])
BODIES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc.", max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


def shape(value: object) -> object:
    """Returns the structure of JSON: which tables and lists it has, and where it has a leaf."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items()}
    if isinstance(value, list):
        return [shape(one) for one in value]
    return "leaf"


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(BODIES, SCALARS, SCALARS)
def test_no_value_changes_the_structure_of_a_body(body: object, a: object, b: object) -> None:
    values = {name: a if name == "a" else b for name in {"a", "b", *names_in(body)}}  # type: ignore[arg-type]
    filled = fill(body, values)  # type: ignore[arg-type]
    assert shape(filled) == shape(body)
    assert shape(msgspec.json.decode(json.dumps(filled))) == shape(body)


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """A good tape."""
    relyon.search(Scripted(answer), QUERIES, 3, record=tmp_path / "t.jsonl")
    return tmp_path / "t.jsonl"


def test_every_changed_byte_is_noticed(tape: Path) -> None:
    content = tape.read_bytes()
    end = content.rindex(b'{"end"')
    for place in range(0, end, 7):
        changed = bytearray(content)
        changed[place] = changed[place] ^ 1
        tape.write_bytes(changed)
        with pytest.raises(relyon.InputError):
            read_tape(tape)


def test_the_head_has_the_fingerprint_of_the_judged_queries(tape: Path, tmp_path: Path) -> None:
    judgments = {query: {f"{query}-0": 1} for query in reversed(QUERIES)}
    inputs = relyon.evaluate(judgments, {"q1": {"q1-0": 1.0}}, "rr").inputs
    assert inputs is not None
    assert read_tape(tape).head.query_ids == inputs.queries
    old = read_tape(tape)  # as earlier versions wrote it
    old.head = msgspec.structs.replace(old.head, query_ids="")
    write_tape(str(tmp_path / "old.jsonl"), old)
    content = (tmp_path / "old.jsonl").read_bytes().replace(b',"query_ids":""', b"", 1)
    body, end = content.rsplit(b"\n", 2)[0] + b"\n", json.loads(content.splitlines()[-1])
    end["sha256"] = hashlib.sha256(body).hexdigest()
    (tmp_path / "old.jsonl").write_bytes(body + json.dumps(end).replace(" ", "").encode() + b"\n")
    again = read_tape(tmp_path / "old.jsonl")
    assert (again.head.query_ids, again.checksum) == ("", read_tape(tape).checksum)
    assert again.head.same(read_tape(tape).head)
    assert diff_tapes(tape, again).same
    runs = [relyon.search(Scripted(answer), QUERIES, 3, replay=one) for one in (tape, again.path)]
    assert runs[0].run.to_dict() == runs[1].run.to_dict()


def test_a_tape_without_its_end_is_not_whole(tape: Path) -> None:
    content = tape.read_bytes()
    lines = content.splitlines(keepends=True)
    for cut in (content[:-1], b"".join(lines[:-1]), lines[0], b"".join([*lines, lines[-2]])):
        tape.write_bytes(cut)
        with pytest.raises(relyon.InputError, match="has no end"):
            read_tape(tape)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"q1 Q0 d1 1 2.5 bm25\n",
        b'{"tape": 1}\n',
        b"\xff\xfe\n",
        b"null\n",
        b'{"query":"q1"}\n',
        b"[" * 100_000,
    ],
)
def test_what_is_no_tape_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(content)
    with pytest.raises(relyon.InputError, match="not a tape"):
        read_tape(path)


def test_a_tape_of_a_later_version_is_named(tape: Path) -> None:
    tape.write_bytes(tape.read_bytes().replace(b'{"tape":1', b'{"tape":2', 1))
    with pytest.raises(relyon.InputError, match="version 2"):
        read_tape(tape)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"ids":["q1-0"', b'"ids":{"q1-0"'),
        (b'"scores":[10.0', b'"scores":["x"'),
        (b'"variant":"base","query":"q1"', b'"variant":"base"'),
        (b'"fields":{"title":"q1-0"}', b'"fields":[]'),
        (b'"scores":[10.0,', b'"scores":['),
        (b'"templates":', b'"templates":' + b"[" * 90_000 + b"]" * 90_000 + b',"other":'),
        (b'"engine":"', b'"engine":"\xff'),
        (b'"query":"q2","text":"', b'"query":"q2","text":"\xff'),
        (b'"document":"q1-0"', b'"document":"\xff"'),
    ],
)
def test_lines_of_another_form_with_the_right_checksum(
    tape: Path, before: bytes, after: bytes
) -> None:
    body, _, _ = tape.read_bytes().rstrip(b"\n").rpartition(b"\n")
    assert before in body
    body = body.replace(before, after, 1) + b"\n"
    end = json.dumps({"end": 2, "sha256": hashlib.sha256(body).hexdigest()}, separators=(",", ":"))
    tape.write_bytes(body + end.encode() + b"\n")
    with pytest.raises(relyon.InputError):
        dict(relyon.search(Scripted(answer), QUERIES, 3, replay=tape).documents)


def test_memory_is_lines_not_results() -> None:
    """What is kept of an answer is its line."""
    entries = Entries.of(
        Entry(key=f"{n:032}", variant="base", query=f"q{n}", ids=[f"d{m}" for m in range(100)])
        for n in range(10)
    )
    assert all(isinstance(line, bytes) for line in entries.lines(entries))
    assert len(entries["0" * 32].ids) == 100


# -- what differs ----------------------------------------------------------------------------------


def test_equal_tapes_are_the_same(tape: Path, tmp_path: Path) -> None:
    relyon.search(Scripted(answer), QUERIES, 3, record=tmp_path / "u.jsonl")
    drift = diff_tapes(tape, tmp_path / "u.jsonl")
    assert drift.same
    assert drift.comparable
    assert drift.to_text() == "Both tapes were asked the same and have the same answers."
    assert "相同" in drift.to_text(language="zh")


def test_what_drifted_is_named(tape: Path) -> None:
    def reply(request: Request) -> Answer:
        found = answer(request)
        if request.query.id == "q1":
            return Answer(found.ids[::-1], found.scores, [{"title": "new"}] * 3)
        return Answer([*found.ids[:2], "other"], found.scores, found.fields)

    other = Scripted(reply, ["query", "boost"]).configured([Variant("base", {"boost": 2.0})])
    found = relyon.search(other, QUERIES, 3)
    drift = diff_tapes(read_tape(tape), found.tape)
    assert drift.settings == {"parameters.boost": (None, 2.0)}
    assert drift.comparable
    assert not drift.same
    assert [(one.query, one.kind, round(one.shared, 2)) for one in drift.answers] == [
        ("q1", "order", 1.0),
        ("q2", "documents", 0.67),
    ]
    assert drift.documents.changed == ["q1-0", "q1-1", "q1-2"]
    assert drift.documents.second == ["other"]
    assert drift.to_frame()["difference"].to_list() == ["order", "documents"]
    assert json.loads(drift.to_json())["answers"]["same"] == 0
    assert "another order: q1" in drift.to_text()


def test_other_queries_and_another_k_are_not_comparable(tape: Path) -> None:
    more = relyon.search(Scripted(answer), {**QUERIES, "q3": "lamp"}, 3)
    drift = diff_tapes(tape, more.tape)
    assert (drift.comparable, drift.queries.second) == (False, ["q3"])
    assert "only the second tape has 1 query: q3" in drift.to_text()
    assert "有 1 条查询只在第一个录制文件里：q3" in diff_tapes(more.tape, tape).to_text(
        language="zh"
    )
    said = relyon.search(Scripted(answer), {**QUERIES, "q1": "blue shoes"}, 3)
    assert "1 query has another text or other columns: q1" in diff_tapes(tape, said.tape).to_text()
    deep = relyon.search(Scripted(answer), QUERIES, 4)
    assert diff_tapes(tape, deep.tape).settings == {"k": (3, 4)}
    assert "k differ" in diff_tapes(tape, deep.tape).to_text()


def test_variants_are_compared_by_name_and_single_ones_whatever_their_name(tape: Path) -> None:
    both = Scripted(answer).configured([Variant("a", {"shift": 0}), Variant("b", {"shift": 1})])
    two = relyon.search(both, QUERIES, 3)
    assert diff_tapes(two.tape, two.tape).same_answers == 4
    assert diff_tapes(tape, two.tape).same_answers == 0
    named = Scripted(answer).configured([Variant("mine")])
    assert diff_tapes(tape, relyon.search(named, QUERIES, 3).tape).same
