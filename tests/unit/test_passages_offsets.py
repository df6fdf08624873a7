"""What offsets count: line ends of Windows, and chunks whose own text is elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import relyon
from relyon import Chunks, Passages

WINDOWS = "One.\r\nTwo.\r\nThree.\r\n"
TEXTS = {"d": WINDOWS}


def kinds(found: Chunks | Passages) -> list[str]:
    return [note.kind for note in found.notes]


def test_lf_counts_a_line_end_of_windows_once() -> None:
    unix = WINDOWS.replace("\r\n", "\n")
    for start in range(len(unix)):
        for end in range(start + 1, len(unix) + 1):
            part = Chunks.from_dict({"c": ("d", start, end)}, texts=TEXTS, offsets="lf")["c"]
            held = WINDOWS[part.start : part.end]
            assert held.replace("\r\n", "\n") == unix[start:end]


@pytest.mark.parametrize("offsets", ["lf", "utf8", "utf16"])
def test_places_beyond_the_text_are_refused_in_every_unit(offsets: str) -> None:
    texts = {"d": "aé😀\r\n"}
    size = {"lf": 4, "utf8": 9, "utf16": 6}[offsets]
    whole = Chunks.from_dict({"c": ("d", 0, size)}, texts=texts, offsets=offsets)  # type: ignore[arg-type]
    assert whole["c"] == ("d", 0, 5, True)
    with pytest.raises(
        relyon.InputError, match=f"after the text of document `d`, which has {size}"
    ):
        Chunks.from_dict({"c": ("d", 0, size + 1)}, texts=texts, offsets=offsets)  # type: ignore[arg-type]


def test_an_offset_within_a_character_is_refused() -> None:
    with pytest.raises(relyon.InputError, match="within a character of document `d`"):
        Chunks.from_dict({"c": ("d", 0, 3)}, texts={"d": "é€"}, offsets="utf8")


def test_chunks_that_end_where_the_text_ends_with_other_line_ends_are_noted() -> None:
    pieces = {"a": ("d", 0, 10), "b": ("d", 10, 17)}
    assert kinds(Chunks.from_dict(pieces, texts=TEXTS)) == ["chunks-count-line-ends-once"]
    assert kinds(Chunks.from_dict({"a": ("d", 0, 12)}, texts=TEXTS)) == ["windows-line-ends"]
    assert not kinds(Chunks.from_dict({"a": ("d", 0, 20)}, texts=TEXTS))
    assert not kinds(Chunks.from_dict(pieces, texts=TEXTS, offsets="lf"))
    assert not kinds(Chunks.from_dict({"a": ("d", 0, 5)}, texts={"d": "One.\nTwo."}))
    judged = Passages.from_dict({"q": [("d", 0, 4)]})
    assert kinds(judged.resolve(TEXTS)) == ["windows-line-ends"]
    assert not kinds(judged.resolve(TEXTS, offsets="lf"))


def test_a_chunk_with_another_text_at_its_offsets_is_placed_by_its_text() -> None:
    rows = {"chunk": ["a", "b"], "document": ["d", "d"], "start": [0, 2], "end": [4, 6]}
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({**rows, "text": ["One.", "Two."]})
    found = relyon.read_chunks(frame, texts=TEXTS)
    assert found["b"] == ("d", 6, 10, True)
    assert kinds(found) == ["chunks-moved"]
    assert found.notes[0].examples == ("b",)
    other = relyon.read_chunks(
        polars.DataFrame({**rows, "text": ["One.", "Title: Two."]}), texts=TEXTS
    )
    assert other["b"] == ("d", 2, 6, True)
    assert kinds(other) == ["chunks-differ"]


def test_a_text_without_the_blanks_at_its_place_is_no_other_text() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"chunk": ["a"], "document": ["d"], "start": [4], "text": ["Two."]})
    found = relyon.read_chunks(frame, texts=TEXTS)
    assert found["a"] == ("d", 6, 10, True)
    assert not kinds(found)


def test_members_of_nested_json_are_columns(tmp_path: Path) -> None:
    file = tmp_path / "chunks.jsonl"
    file.write_text(
        '{"id": "a", "page_content": "Two.", "metadata": {"source": "d", "start_index": 6}}\n'
    )
    columns = {"document": "metadata.source", "start": "metadata.start_index"}
    found = relyon.read_chunks(file, texts=TEXTS, columns=columns)
    assert found["a"] == ("d", 6, 10, True)
    with pytest.raises(relyon.InputError, match=r"`metadata\.start_index`"):
        relyon.read_chunks(file, texts=TEXTS)


def test_documents_without_a_chunk_are_named_beside_those_of_the_table() -> None:
    judged = Passages.from_dict({"q": [("d", 0, 4)]})
    notes = judged.judgments(Chunks.from_dict({"a": ("kb/d.md", 0, 9)})).notes
    assert "such as `kb/d.md`" in str(notes[0])


def test_a_start_and_a_text_are_a_place() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"chunk": ["a"], "document": ["d"], "start": [6], "text": ["Two."]})
    for texts in (None, TEXTS):
        assert relyon.read_chunks(frame, texts=texts)["a"] == ("d", 6, 10, True)
    passages = Passages.from_dict({"q": [{"document": "d", "start": 6, "quote": "Two."}]})
    assert passages.passages[0].part == ("d", 6, 10, True)
    with pytest.raises(relyon.InputError, match="there is no end") as caught:
        Passages.from_dict({"q": [{"document": "d", "start": 6}]})
    assert "the text that begins there" in caught.value.hint


def test_a_quote_that_is_not_at_its_offsets_is_noted() -> None:
    passages = Passages.from_dict({"q": [{"document": "d", "start": 0, "end": 4, "quote": "Two."}]})
    found = passages.resolve(TEXTS)
    assert found.passages[0].part == ("d", 6, 10, True)
    assert kinds(found) == ["passages-moved"]


def test_documents_without_a_text_are_named_with_an_id_that_exists() -> None:
    passages = Passages.from_dict({"q": [{"document": "logs", "quote": "Two."}]})
    found = passages.resolve({"guides/intro.md": "x", "guides/logs.md": WINDOWS})
    assert kinds(found) == ["passages-without-text"]
    assert "`guides/logs.md`" in str(found.notes[0])
    assert "(logs)" in str(found.notes[0])
    assert kinds(passages.resolve({})) == ["passages-without-text"]


@pytest.mark.parametrize("traced", [False, True])
def test_retrieved_chunks_that_the_table_lacks_are_noted(traced: bool) -> None:
    judged = Passages.from_dict({"q": [("d", 0, 4)]}).judgments(
        Chunks.from_dict({"a": ("d", 0, 9)})
    )
    run: object = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "other": {"z": 1.0}}
    if traced:
        calls = {"q": [{"results": ["a", "b"]}, {"results": ["c"]}], "other": [{"results": ["z"]}]}
        run = relyon.Traces.from_dict(calls)
    with pytest.warns(relyon.RelyonWarning, match="2 of 3 retrieved chunks are not in the table"):
        results = relyon.evaluate(judged, run, "rr")
    assert "chunks-not-in-table" in [note.kind for note in results.notes]
    with pytest.raises(relyon.InputError, match="the table of chunks has no chunk `b`"):
        relyon.evaluate(judged, run, "char_recall")


def test_the_error_about_an_unknown_chunk_names_the_run(tmp_path: Path) -> None:
    judged = Passages.from_dict({"q": [("d", 0, 4)]}).judgments(
        Chunks.from_dict({"a": ("d", 0, 9)})
    )
    file = tmp_path / "mine.run"
    file.write_text("q Q0 b 1 1 tag\n")
    with pytest.raises(relyon.InputError, match=r"mine\.run: query `q`"):
        relyon.evaluate(judged, file, "char_recall")
