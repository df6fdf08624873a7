"""Judgments of passages: reading, finding, and the judgments of chunks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import relyon
from relyon import Chunks, InputError, ParameterError, Passages

TEXTS = {
    "d": "Returns are free within 30 days. Shipping takes a week. Refunds are paid at once.",
    "文": "🙂 支持七天无理由退货。",
}


def judged(*passages: Any) -> Passages:
    return Passages.from_dict({"q": passages})


def quoted(quote: str, document: str = "d", **more: object) -> dict[str, object]:
    return {"document": document, "quote": quote, **more}


def test_passages_have_places_and_grades() -> None:
    passages = judged(("d", 0, 7), ("d", 12, 31, 2), quoted("Refunds"))
    assert [(one.part.start, one.part.end, one.grade) for one in passages] == [
        (0, 7, 1.0),
        (12, 31, 2.0),
        (0, 7, 1.0),
    ]
    assert passages.unresolved["resolution"].to_list() == ["not searched"]
    found = passages.resolve(TEXTS)
    assert found.passages[2].part == ("d", 56, 63, True)
    assert not len(found.unresolved)


def test_a_quote_beside_a_stale_place_is_found_anew() -> None:
    moved = judged(quoted("free within", start=0, end=11)).resolve(TEXTS)
    assert (moved.passages[0].part.start, moved.passages[0].resolution) == (12, "exact")
    right = judged(quoted("Returns", start=0, end=7)).resolve(TEXTS)
    assert right.passages[0].resolution == "given"
    unknown = judged(quoted("free", "other", start=3, end=7)).resolve(TEXTS)
    assert unknown.passages[0].part == ("other", 3, 7, True)


def test_what_is_not_found_is_listed_and_counts() -> None:
    passages = judged(quoted("Returns are free"), quoted("no such words"), quoted("x", "absent"))
    found = passages.resolve(TEXTS)
    assert found.unresolved["passage"].to_list() == ["no such words", "x"]
    assert [note.kind for note in found.notes] == ["passages-without-text", "passages-not-found"]
    assert [note.count for note in found.notes] == [1, 1]
    judgments = found.judgments(Chunks.from_dict({"all": ("d", 0, len(TEXTS["d"]))}))
    with pytest.warns(relyon.RelyonWarning, match="1 passage is not found"):
        results = relyon.evaluate(
            judgments, {"q": {"all": 1.0}}, ["char_recall", "span_recall", "recall@1"]
        )
    assert results["char_recall"] == 16 / (16 + 13 + 1)
    assert results["span_recall"] == results["recall@1"] == 1 / 3
    with pytest.raises(relyon.StrictError):
        relyon.evaluate(judgments, {"q": {"all": 1.0}}, "char_recall", strict=True)


def test_near_and_ambiguous_places_are_noted() -> None:
    found = judged(quoted("Returns are free within 3O days"), quoted("re")).resolve(TEXTS)
    assert {note.kind: note.level for note in found.notes} == {
        "passages-found-nearly": "info",
        "passages-in-several-places": "warning",
    }
    strict = judged(quoted("Returns are free within 3O days")).resolve(TEXTS, similarity=1.0)
    assert len(strict.unresolved) == 1


@pytest.mark.parametrize(("offsets", "start", "end"), [("utf8", 5, 11), ("utf16", 3, 5)])
def test_offsets_of_bytes_become_characters(offsets: Any, start: int, end: int) -> None:
    passages = judged(("文", start, end))
    found = relyon.read_passages(passages, texts=TEXTS, offsets=offsets)
    assert found.passages[0].part == ("文", 2, 4, True)
    chunks = Chunks.from_dict({"a": ("文", start, end)}, texts=TEXTS, offsets=offsets)
    assert chunks["a"] == ("文", 2, 4, True)
    with pytest.raises(InputError, match="can only become characters"):
        relyon.read_passages(passages, offsets=offsets)


@pytest.mark.parametrize(
    ("offsets", "place", "problem"),
    [
        ("utf8", (1, 5), "within a character"),
        ("utf16", (1, 3), "within a character"),
        ("utf8", (0, 500), "the end 500 is after the text"),
        ("characters", (0, 500), "the end 500 is after the text of document `文`"),
    ],
)
def test_offsets_that_are_not_in_the_text_are_refused(
    offsets: Any, place: tuple[int, int], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        judged(("文", *place)).resolve(TEXTS, offsets=offsets)


@pytest.mark.parametrize(
    ("passages", "problem"),
    [
        ([("d", 3, 3)], "the passage is empty"),
        ([("d", 5, 3)], "the end 3 is before the start 5"),
        ([("d", -1, 3)], "the start `-1` is not a whole number"),
        ([("d", 0.5, 3)], "the start `0.5` is not a whole number"),
        ([("d", 0, "x")], "the end `x` is not a whole number"),
        ([("d", None, 3)], "there is no start"),
        ([("", 0, 3)], "there is no document"),
        ([(1.5, 0, 3)], "neither text nor a whole number"),
        ([("d", 0, 3, "high")], "is not a number"),
        ([("d", 0, 3, float("inf"))], "is not a number"),
        ([{"document": "d"}], "neither start and end nor a quote"),
        ([{"document": "d", "quote": 7}], "the quote `7`"),
        ([{"document": "d", "from": 7}], "unknown field `from`"),
        ([("d", 0)], "has tuple in place of a passage"),
        (["text"], "has str in place of a passage"),
        ("text", "has str in place of a passage"),
        ([("d", 0, 3, 1), ("d", 0, 3, 2)], "judged twice, with different grades"),
        (
            [{"document": "d", "start": n, "end": 5, "passage": "a"} for n in (0, 1)],
            "two passages named `a`",
        ),
    ],
)
def test_bad_passages_are_refused(passages: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Passages.from_dict({"q": passages})


def test_repeated_passages_count_once() -> None:
    passages = judged(("d", 0, 3, 2), ("d", 0, 3, 2))
    assert len(passages) == 1
    assert passages.notes[0].kind == "duplicate-passages"
    same = judged(quoted("Returns"), ("d", 0, 7)).resolve(TEXTS)
    judgments = same.judgments(Chunks.from_dict({"a": ("d", 0, 9)}))
    assert judgments.passages is not None
    assert len(judgments.passages.of("q")) == 1
    with pytest.raises(InputError, match="different grades are at one place"):
        judged(quoted("Returns"), ("d", 0, 7, 3)).resolve(TEXTS).judgments(
            Chunks.from_dict({"a": ("d", 0, 9)})
        )


def test_grades_may_be_names_and_ids_numbers() -> None:
    passages = Passages.from_dict({1: [(7, 0, 3, "高")]}, scale="search")
    chunks = Chunks.from_dict({3: (7, 0, 9)})
    assert passages.judgments(chunks).to_dict() == {"1": {"3": 3.0}}


def test_chunks_have_the_grades_of_the_passages_they_contain() -> None:
    passages = judged(("d", 10, 20, 1), ("d", 16, 30, 2), ("d", 90, 99, 3), ("e", 0, 4, 0))
    chunks = Chunks.from_dict(
        {"a": ("d", 0, 25), "b": ("d", 15, 40), "c": ("d", 40, 80), "e": ("e", 0, 9)}
    )
    judgments = passages.judgments(chunks)
    assert judgments.subtopics("q") == {
        "a": {"d:10-20": 1.0, "d:16-30": 2.0},
        "b": {"d:10-20": 1.0, "d:16-30": 2.0},
        "passage:d:90-99": {"d:90-99": 3.0},
        "e": {"e:0-4": 0.0},
    }
    assert [note.kind for note in judgments.notes] == ["passages-in-no-chunk"]
    assert passages.judgments(chunks, share=1.0).subtopics("q")["b"] == {"d:16-30": 2.0}
    without = passages.judgments(Chunks.from_dict({"e": ("e", 0, 9)}))
    assert ("passages-without-chunks", 3) in [(note.kind, note.count) for note in without.notes]
    # A chunk of the name keeps its own grades.
    named = passages.judgments(Chunks.from_dict({"passage:d:10-20": ("e", 0, 9)}))
    assert named["q"]["passage:d:10-20"] == 0.0
    assert named["q"]["_passage:d:10-20"] == 1.0


@pytest.mark.parametrize("share", [0, -1, 1.5])
def test_shares_are_above_0_and_at_most_1(share: float) -> None:
    with pytest.raises(ParameterError, match="share"):
        judged(("d", 0, 3)).judgments(Chunks.from_dict({"a": ("d", 0, 9)}), share=share)
    for name in ("span_recall", "span_ndcg"):
        with pytest.raises(ParameterError, match="share"):
            relyon.measure(f"{name}(share={share})@10")
    with pytest.raises(ParameterError, match="similarity"):
        judged(("d", 0, 3)).resolve(TEXTS, similarity=share)


def test_quotes_must_be_searched_first() -> None:
    with pytest.raises(InputError, match="1 quote has not been searched"):
        judged(quoted("Returns")).judgments(Chunks.from_dict({"a": ("d", 0, 9)}))
    with pytest.raises(InputError, match="no passages"):
        Passages([]).judgments(Chunks.from_dict({"a": ("d", 0, 9)}))


def test_a_run_with_unknown_chunks_is_refused_by_measures_of_passages() -> None:
    judgments = judged(("d", 0, 3)).judgments(Chunks.from_dict({"a": ("d", 0, 9)}))
    run = {"q": {"other": 1.0}}
    with pytest.raises(InputError, match="the table of chunks has no chunk `other`"):
        relyon.evaluate(judgments, run, "char_precision@5")
    assert relyon.evaluate(judgments, run, "ndcg@5")["ndcg@5"] == 0


def test_judgments_of_documents_count_each_as_a_passage_with_a_note() -> None:
    judgments, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 2, "x": 1}}
    with pytest.warns(relyon.RelyonWarning, match="each judged document counts as one passage"):
        results = relyon.evaluate(judgments, run, ["char_recall@2", "recall@2"])
    assert results["char_recall@2"] == results["recall@2"]


def test_texts_of_chunks_are_searched_in_order() -> None:
    texts = {"d": "one two one two", "e": "three"}
    chunks = Chunks.from_dict(
        {"a": ("d", "one"), "b": ("d", "two"), "c": ("d", "one"), "x": ("d", "none here")},
        texts=texts,
    )
    assert [chunks[one].start for one in "abc"] == [0, 4, 8]
    assert chunks.unresolved == ["x"]
    assert [note.kind for note in chunks.notes] == ["chunks-not-found"]
    # Its characters were retrieved, but contain no passage.
    judgments = judged(("d", 0, 3)).judgments(chunks)
    with pytest.warns(relyon.RelyonWarning, match="1 chunk is not found"):
        found = relyon.evaluate(judgments, {"q": {"a": 2, "x": 1}}, "char_precision")
    assert found["char_precision"] == 3 / (3 + len("none here"))


@pytest.mark.parametrize(
    ("chunks", "problem"),
    [
        ({"a": ("d",)}, "neither a place nor a text"),
        ({"a": "text"}, "neither a place nor a text"),
        ({"a": ("d", "text")}, "must be searched"),
        ({"a": ("d", 5, 3)}, "before the start"),
        ({"a": ("d", 0, 3), "": ("d", 0, 3)}, "there is no chunk"),
    ],
)
def test_bad_chunks_are_refused(chunks: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Chunks.from_dict(chunks)
    frame = pl.DataFrame({"chunk": ["a", "a"], "document": "d", "start": [0, 1], "end": 5})
    with pytest.raises(InputError, match="occurs twice, with different places"):
        Chunks.from_frame(frame)


def test_frames_and_files(tmp_path: Path) -> None:
    rows = [
        {"query_id": "q", "doc_id": "d", "start_index": 0, "end_index": 7, "rel": 2},
        {"query_id": "q", "doc_id": "d", "start_index": None, "end_index": None, "rel": 1},
    ]
    frame = pl.DataFrame(rows).with_columns(pl.Series("quote", [None, "Refunds"]))
    read = Passages.from_frame(frame)
    assert len(read) == 2
    for suffix in (".csv", ".tsv", ".jsonl", ".parquet"):
        path = tmp_path / f"passages{suffix}"
        relyon.write_passages(read.resolve(TEXTS), path)
        again = relyon.read_passages(path)
        assert [(one.part, one.grade) for one in again] == [
            (("d", 0, 7, True), 2.0),
            (("d", 56, 63, True), 1.0),
        ]
    folder = tmp_path / "texts"
    (folder / "sub").mkdir(parents=True)
    (folder / "d.txt").write_text(TEXTS["d"], "utf-8")
    (folder / "sub" / "e.md").write_bytes(b"a\r\nb")
    (tmp_path / "passages.json").write_text("{}", "utf-8")
    found = relyon.read_passages(
        {"q": [quoted("b", "sub/e"), quoted("b", "sub/e.md")]}, texts=folder
    )
    assert [one.part.start for one in found] == [3, 3]
    table = tmp_path / "texts.jsonl"
    table.write_text(json.dumps({"doc_id": "d", "text": TEXTS["d"]}), "utf-8")
    assert not len(relyon.read_passages(read, texts=table).unresolved)
    assert not len(relyon.read_passages(read, texts=pl.read_ndjson(table)).unresolved)


def test_errors_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "passages.csv"
    path.write_text('query,document,start,end,quote\nq,d,,,"two\nlines"\nq,d,5,x,\n', "utf-8")
    with pytest.raises(InputError, match=r"passages\.csv:4: the end `x`"):
        relyon.read_passages(path)
    path = tmp_path / "passages.jsonl"
    path.write_text(
        '{"query":"q","document":"d","start":1,"end":2}\n' * 2
        + '{"query":"q","document":"d","start":3,"end":2}\n',
        "utf-8",
    )
    with pytest.raises(InputError, match=r"passages\.jsonl:3: the end 2 is before"):
        relyon.read_passages(path)
    with pytest.raises(InputError, match="no column"):
        Passages.from_frame(pl.DataFrame({"query": ["q"], "start": [1], "end": [2]}))
    with pytest.raises(InputError, match="neither start and end nor a quote"):
        Passages.from_frame(pl.DataFrame({"query": ["q"], "document": ["d"]}))
    with pytest.raises(InputError, match="cannot be read from"):
        relyon.read_passages(judged(("d", 0, 1)), texts=7)
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="no text files"):
        relyon.read_passages(judged(("d", 0, 1)), texts=tmp_path / "none")


def test_two_ways_of_cutting_have_the_same_judgments() -> None:
    """Stored results of measures of passages can be compared: what is judged is the same."""
    passages = judged(("d", 10, 30), ("d", 50, 60))
    ways = (
        {f"a{start}": ("d", start, start + 20) for start in range(0, 80, 20)},
        {f"b{start}": ("d", start, start + 45) for start in range(0, 80, 40)},
    )

    def judged_by(judgments: relyon.Judgments, chunk: str) -> str:
        inputs = relyon.evaluate(judgments, {"q": {chunk: 1.0}}, "char_recall@1").inputs
        assert inputs is not None
        return inputs.judgments

    one, two = (
        judged_by(passages.judgments(Chunks.from_dict(way)), next(iter(way))) for way in ways
    )
    assert one == two
    other = judged(("d", 10, 31), ("d", 50, 60)).judgments(Chunks.from_dict(ways[0]))
    assert judged_by(other, "a0") != one


def test_explanations_and_accumulators_know_passages() -> None:
    passages = judged(("d", 10, 30, 2), ("d", 50, 60))
    chunks = Chunks.from_dict({f"a{start}": ("d", start, start + 20) for start in range(0, 80, 20)})
    judgments = passages.judgments(chunks)
    run = {"q": {"a0": 2.0, "a60": 1.5, "a20": 1.0}}
    for name in ("char_recall@2", "char_precision", "char_iou", "span_recall@3", "span_ndcg"):
        value = relyon.evaluate(judgments, run, name)[name]
        explained = relyon.explain(judgments, run, "q", name)
        assert explained.value == pytest.approx(value)
        assert relyon.explain(judgments, run, "q", name, against="trec_eval") is not None
        gathered = relyon.Accumulator([name])
        gathered.update(judgments, run)
        assert gathered.compute()[name] == value
        once = relyon.Accumulator([name], queries="once")
        once.update(judgments, run)
        once.finish(judgments)
        assert once.compute()[name] == value
    missed = relyon.explain(judgments, run, "q", "span_recall@2").to_dict()
    assert "a20" in json.dumps(missed)


def test_results_of_traces_with_places_are_chunks(tmp_path: Path) -> None:
    calls = [
        {"query": "one", "results": [["d", 0, 20], ["d", 12, 31]], "read": ["d", "x"]},
        {"query": "two", "results": [["e", 0, 5]]},
    ]
    traced = [
        {
            **call,
            "results": [
                dict(zip(("document", "start", "end"), place, strict=True))
                for place in call["results"]
            ],
        }
        for call in calls
    ]
    traces, chunks = relyon.read_traced_chunks({"q": traced})
    assert [one.documents for one in traces.calls("q")] == [("d:0-20", "d:12-31"), ("e:0-5",)]
    assert traces.calls("q")[0].read == ("d:0-20", "d:12-31", "x")
    assert chunks["d:12-31"] == ("d", 12, 31, True)
    judgments = judged(("d", 10, 30)).judgments(chunks)
    results = relyon.evaluate(judgments, traces, ["last(char_recall@2)", "best(char_recall@2)"])
    assert [*results.values()] == [0.0, 1.0]
    path = tmp_path / "agent.jsonl"
    lines = [json.dumps({"task": "q", "call": n, **one}) for n, one in enumerate(traced, 1)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    again, table = relyon.read_traced_chunks(path)
    assert again.to_frame().equals(traces.to_frame())
    assert table.parts == chunks.parts
    path.write_text(lines[0] + '\n\n{"task": "q", "call": 2, "results": ["d"]}\n', "utf-8")
    with pytest.raises(InputError, match=r"agent\.jsonl:3: a result has no document"):
        relyon.read_traced_chunks(path)
    with pytest.raises(InputError, match="the end 3 is before the start 5"):
        relyon.read_traced_chunks({"q": [{"results": [{"document": "d", "start": 5, "end": 3}]}]})


def test_a_trace_with_one_call_has_the_values_of_its_run() -> None:
    passages = judged(("d", 10, 30, 2), ("d", 50, 60))
    chunks = Chunks.from_dict({f"a{start}": ("d", start, start + 20) for start in range(0, 80, 20)})
    judgments, run = passages.judgments(chunks), {"q": {"a0": 2.0, "a60": 1.0, "a20": 1.0}}
    traces = relyon.Traces.from_run(relyon.Run.from_dict(run))
    names = ["char_recall@2", "char_precision", "char_iou", "span_recall@3", "span_ndcg"]
    for ties in ("doc-desc", "expected", "worst"):
        rules = {"ties": ties}
        one, other = (
            relyon.evaluate(judgments, lists, names, convention=rules) for lists in (run, traces)
        )
        assert [*one.values()] == [*other.values()]
