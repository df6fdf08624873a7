"""Functions in Python as engines: what they may return and raise, and a vector store."""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import relyon
from relyon.engines import FatalError, PassingError, Query, RefusedError, Request, Variant
from relyon.engines.asked import Answer
from relyon.engines.kinds.python import Python


def ask(
    function: Callable[..., object],
    *,
    columns: dict[str, str] | None = None,
    parameters: dict[str, str | float] | None = None,
) -> Answer:
    engine = Python(function)  # type: ignore[arg-type]
    return engine.ask(
        Request(Query("q", "red", columns or {}), Variant("base", parameters or {}), 3)
    )


def generated(query: str, k: int) -> Iterator[tuple[str, float]]:
    for n in range(9):
        yield f"d{n}", 9.0 - n


@pytest.mark.parametrize(
    ("function", "ids", "scores"),
    [
        (lambda query, k: ["a", "b"], ["a", "b"], [None, None]),
        (generated, ["d0", "d1", "d2"], [9.0, 8.0, 7.0]),
        (lambda query, k: np.array(["a", "b"]), ["a", "b"], [None, None]),
        (lambda query, k: np.array([7, 8]), ["7", "8"], [None, None]),
        (
            lambda query, k: zip([1, 2], np.array([0.5, 0.25], np.float32), strict=True),
            ["1", "2"],
            [0.5, 0.25],
        ),
        (lambda query, k: [{"id": 3, "score": np.int64(2)}], ["3"], [2.0]),
        (lambda query, k: [("a", None), ("a", 3.0), ("b", 1)], ["a", "b"], [None, 1.0]),
        (lambda query, k: [], [], []),
        (
            lambda query, k: {
                "a",
            },
            ["a"],
            [None],
        ),
    ],
)
def test_what_a_function_may_return(
    function: Callable[..., object], ids: list[str], scores: list[float | None]
) -> None:
    answer = ask(function)
    assert (list(answer.ids), list(answer.scores)) == (ids, scores)
    assert all(type(one) is str for one in answer.ids)


def raising(error: Exception) -> Callable[[str, int], Iterable[object]]:
    def function(query: str, k: int) -> Iterator[str]:
        yield "a"
        raise error

    return function


@pytest.mark.parametrize(
    ("function", "kind", "said"),
    [
        (lambda query, k: None, RefusedError, "returns NoneType"),
        (lambda query, k: "d1", RefusedError, "returns str"),
        (lambda query, k: {"d1": 2.0}, RefusedError, "returns dict"),
        (lambda query, k: [1.5], RefusedError, "bad-hit: id 1.5"),
        (lambda query, k: [("a", float("nan"))], RefusedError, "bad-hit: score nan"),
        (lambda query, k: [("a", "high")], RefusedError, "bad-hit: score 'high'"),
        (lambda query, k: [("", 1)], RefusedError, "bad-hit: id ''"),
        (lambda query, k: [{"score": 1}], RefusedError, "bad-hit: id None"),
        (lambda query, k: 7, FatalError, "cannot be called"),
        (lambda query: [], FatalError, "takes 1 positional argument"),
        (raising(KeyError("x")), RefusedError, "KeyError: 'x'"),
        (raising(TypeError("deep")), RefusedError, "TypeError: deep"),
        (raising(TimeoutError("late")), PassingError, "timeout: late"),
        (raising(ConnectionResetError("gone")), PassingError, "connection: gone"),
        (raising(PassingError("status", "429", wait=2.0)), PassingError, "429"),
        (raising(FatalError("no index")), FatalError, "no index"),
    ],
)
def test_what_it_must_not(
    function: Callable[..., object], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        ask(function)


def test_a_generator_that_never_ends_is_read_as_far_as_needed() -> None:
    assert ask(lambda query, k: itertools.cycle(["a", "a", "b", "c"])).ids == ["a", "b", "c"]


async def later(query: str, k: int) -> list[str]:
    return ["a"]


async def one_by_one(query: str, k: int) -> AsyncIterator[str]:
    yield "a"


@pytest.mark.parametrize("function", [later, one_by_one])
@pytest.mark.filterwarnings("error")
def test_functions_that_are_asynchronous_are_named(function: Callable[..., object]) -> None:
    with pytest.raises(FatalError, match="is asynchronous") as caught:
        ask(function)
    assert "asyncio.run" in str(caught.value.hint)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_is_no_list_of_its_columns(frame: Callable[..., object]) -> None:
    with pytest.raises(RefusedError, match="DataFrame, which is not a list of results"):
        ask(lambda query, k: frame({"id": ["a"], "score": [1.0]}))
    assert ask(lambda query, k: pl.Series(["a", "b"])).ids == ["a", "b"]


def test_parameters_and_columns_that_it_takes() -> None:
    def some(query: str, k: int, shop: str, boost: float = 1.0) -> list[str]:
        return [query, shop, str(boost)]

    def every(query: str, k: int, **rest: object) -> list[str]:
        return sorted(rest)

    columns = {"shop": "de", "note": "x"}
    assert ask(some, columns=columns, parameters={"boost": 2.0}).ids == ["red", "de", "2.0"]
    assert ask(every, columns=columns, parameters={"boost": 2.0}).ids == ["boost", "note", "shop"]
    assert ask(lambda query, k: [query], columns=columns).ids == ["red"]


def write(folder: Path, code: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "mine.py").write_text(code, encoding="utf-8")
    path = folder / "engine.toml"
    path.write_text('kind = "python"\npython = "mine:go"\n')
    return path


def found(path: Path) -> list[str]:
    return list(relyon.search(path, {"q": "x"}, k=3).run.to_dict()["q"])


def test_modules_of_the_same_name_and_modules_that_change(tmp_path: Path) -> None:
    code = """
from __future__ import annotations
from dataclasses import dataclass
@dataclass
class Hit:
    id: str
def go(query, k):
    return [Hit("%s").id]
"""
    first = write(tmp_path / "a", code % "one")
    second = write(tmp_path / "b", code % "two")
    assert (found(first), found(second)) == (["one"], ["two"])
    write(tmp_path / "a", code % "new")
    os.utime(tmp_path / "a" / "mine.py", ns=(1, 1))
    assert found(first) == ["new"]


@pytest.mark.parametrize("code", ["import no_such_package", "def go(:", "raise ValueError('x')"])
def test_modules_that_cannot_be_imported(tmp_path: Path, code: str) -> None:
    with pytest.raises(relyon.ParameterError, match="`mine:go` cannot be imported"):
        found(write(tmp_path / "a", code))


STORE = """
import hashlib
from qdrant_client import QdrantClient
from qdrant_client.models import Distance, PointStruct, VectorParams

TEXTS = {1: "red shoes", 2: "blue shoes", 3: "红色 台灯", 4: "desk lamp"}
SIZE = 64


def vector(text):
    found = [0.001] * SIZE
    for word in text.lower().split():
        found[int(hashlib.sha256(word.encode()).hexdigest(), 16) % SIZE] += 1.0
    return found


store = QdrantClient(":memory:")
store.create_collection("docs", VectorParams(size=SIZE, distance=Distance.COSINE))
store.upsert("docs", [
    PointStruct(id=id, vector=vector(text), payload={"title": text}) for id, text in TEXTS.items()
])


def go(query, k, exact=True, least=0.0):
    found = store.query_points("docs", vector(query), limit=k, score_threshold=least)
    return [{"id": p.id, "score": p.score, "title": p.payload["title"]} for p in found.points]
"""


def test_a_vector_store(tmp_path: Path) -> None:
    pytest.importorskip("qdrant_client")
    path = write(tmp_path / "store", STORE)
    with open(path, "a", encoding="utf-8") as file:
        file.write("[parameters]\nleast = 0.0\n[grid]\nleast = [0.0, 0.6]\n")
    runs = relyon.search(path, {"a": "red shoes", "b": "台灯"}, k=2, record=tmp_path / "t.jsonl")
    wide = runs.runs["least=0.0"].to_dict()
    assert list(wide["a"]) == ["1", "2"]
    assert next(iter(wide["b"])) == "3"
    assert wide["a"]["1"] == pytest.approx(1.0, abs=1e-3)
    assert list(runs.runs["least=0.6"].to_dict()["a"]) == ["1"]
    assert runs.documents["1"] == {"title": "red shoes"}
    again = relyon.search(path, {"a": "red shoes", "b": "台灯"}, k=2, replay=tmp_path / "t.jsonl")
    assert {name: run.to_dict() for name, run in again.runs.items()} == {
        name: run.to_dict() for name, run in runs.runs.items()
    }


def test_results_that_cannot_be_read_are_refused() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise KeyError("gone")

    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    for field in (Odd(), [[Odd()]], nested):
        engine = Python(lambda query, k, field=field: [{"id": "d1", "title": field}])
        with pytest.raises(RefusedError, match=r"KeyError|RecursionError"):
            engine.ask(Request(Query("q1", "red"), Variant("base"), 10))
