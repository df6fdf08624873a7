"""The files of `examples/rag` are what they say: BM25's results, and two agents' calls."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from relyon.demo.corpus import Document, Question
from relyon.demo.rankers import Ranking, bm25

pytest.importorskip("bm25s")

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "rag"
TEXTS = {path.stem: path.read_text("utf-8") for path in (FOLDER / "texts").iterdir()}
DEPTH = 5


def rows(name: str) -> list[dict[str, str]]:
    with open(FOLDER / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def lines(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]


def chunks(way: str) -> list[Document]:
    return [
        Document(row["chunk"], "", TEXTS[row["document"]][int(row["start"]) : int(row["end"])])
        for row in rows(f"{way}.csv")
    ]


def ranked(way: str, texts: dict[str, str], depth: int = DEPTH) -> Ranking:
    return bm25(chunks(way), [Question(key, "en", text) for key, text in texts.items()], depth)


@pytest.mark.parametrize("way", ["windows", "paragraphs"])
def test_a_run_is_that_of_bm25(way: str) -> None:
    texts = {row["query"]: row["text"] for row in rows("questions.csv")}
    expected = [
        {"query": query, "document": name, "score": round(score, 3)}
        for query, found in ranked(way, texts).items()
        for name, score in found
    ]
    assert lines(f"{way}.jsonl") == expected


def test_calls_are_what_the_agents_asked() -> None:
    words = {one.id: len(one.text.split()) for one in chunks("paragraphs")}
    calls = lines("retry.jsonl")
    assert lines("once.jsonl") == [call for call in calls if call["call"] == 1]
    asked = {row["query"]: row["text"] for row in rows("questions.csv")}
    for call in calls:
        found = ranked("paragraphs", {"": str(call["query"])}, 3)[""]
        assert call["results"] == [
            {"document": name, "score": round(score, 3)} for name, score in found
        ]
        read = [name for name, _ in found[:2]]
        assert (call["read"], call["tokens"]) == (read, sum(words[name] for name in read))
        if call["call"] == 1:
            assert call["query"] == asked[str(call["task"])]


def test_paragraphs_cover_their_texts() -> None:
    for name, text in TEXTS.items():
        parts = [row for row in rows("paragraphs.csv") if row["document"] == name]
        joined = "\n\n".join(text[int(row["start"]) : int(row["end"])] for row in parts)
        assert joined == text.rstrip("\n")
