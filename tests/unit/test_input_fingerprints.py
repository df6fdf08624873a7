"""Fingerprints of inputs: equal for equal content, different for any other."""

from __future__ import annotations

import copy
import gc
import gzip
import hashlib
import json
import math
import os
import pickle
import struct
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.data.convention import load_convention
from relyon.data.input_fingerprints import (
    InputFingerprints,
    content_of,
    convention_fingerprint,
    scale_fingerprint,
)
from relyon.data.scale import SEARCH, Level, Scale

IDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
GRADES = st.one_of(st.integers(-2, 5), st.sampled_from([0.5, 1e300, -0.0, 5e-324]))
TABLES = st.dictionaries(
    IDS, st.dictionaries(IDS, GRADES, min_size=1, max_size=6), min_size=1, max_size=5
)
SUBTOPICS = st.dictionaries(
    IDS,
    st.dictionaries(
        IDS, st.dictionaries(st.sampled_from("0123"), GRADES, min_size=1), min_size=1, max_size=4
    ),
    min_size=1,
    max_size=4,
)


def text(one: str) -> bytes:
    data = one.encode("utf-8", "surrogateescape")
    return struct.pack(">I", len(data)) + data


def defined(judgments: Any) -> str:
    """The definition in plain Python, of {query: {document: {subtopic: grade} or grade}}."""
    whole = b""
    for query in sorted(judgments, key=str.encode):
        rows = []
        for document, grade in judgments[query].items():
            each = grade if isinstance(grade, dict) else {"": grade}
            rows += [(document.encode(), name.encode(), float(one)) for name, one in each.items()]
        several = len({name for _, name, _ in rows}) > 1
        rows.sort()
        ids = b"".join(
            text(one.decode()) + (text(name.decode()) if several else b"") for one, name, _ in rows
        )
        numbers = b"".join(struct.pack(">d", one + 0.0) for *_, one in rows)
        own = hashlib.sha256(hashlib.sha256(ids).digest() + numbers).digest()
        whole += text(query) + own
    return hashlib.sha256(whole).hexdigest()


def of(judgments: Any) -> str:
    return content_of(relyon.Judgments.from_dict(judgments).table).whole


def turned(table: Any) -> Any:
    return {query: dict(reversed(one.items())) for query, one in reversed(table.items())}


@given(TABLES)
def test_judgments_and_runs_follow_the_definition(table: Any) -> None:
    assert of(table) == defined(table) == of(turned(table))
    run = relyon.Run.from_dict(table).table
    assert content_of(run).whole == defined(table)
    assert content_of(relyon.Run.from_dict(turned(table)).table) == content_of(run)


@pytest.mark.parametrize("lanes", ["scalar", "avx2", ""])
def test_any_instruction_set_follows_the_definition(lanes: str) -> None:
    """Lists of every length, so that hashed bytes end everywhere in a block; ids that begin alike,
    with bytes of 0 and above 127 where they differ."""
    program = (
        "import json, sys, relyon\n"
        "from relyon.data.input_fingerprints import content_of\n"
        "print(content_of(relyon.Run.from_dict(json.load(sys.stdin)).table).whole)"
    )
    ids = [
        "",
        "a",
        "a\x01",
        "same-beginning",
        "same-beginning\x01",
        "same-beg",
        "文",
        "é",
        "z" * 70,
    ]
    table = {
        f"q{size}": {f"{ids[n % 9]}{(7 * n) % 67}": n / 3 for n in range(size)}
        for size in range(1, 67)
    }
    said = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(table),
        env={**os.environ, "RELYON_SIMD": lanes},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == defined(table)


def test_a_table_is_hashed_once_while_it_exists() -> None:
    run = relyon.Run.from_dict({"q": {"a": 1.0, "b": 0.5}})
    assert content_of(run.table) is content_of(run.table)
    gone = weakref.ref(run.table)
    del run
    gc.collect()
    assert gone() is None


@given(SUBTOPICS)
def test_subtopics_follow_the_definition(table: Any) -> None:
    several = any(
        len({name for grades in one.values() for name in grades}) > 1 for one in table.values()
    )
    assert of(table) == defined(table)
    if several:
        assert of(turned(table)) == of(table)


@given(TABLES, st.data())
def test_every_change_is_noticed(table: Any, data: Any) -> None:
    other = copy.deepcopy(table)
    query = data.draw(st.sampled_from(sorted(table)))
    document = data.draw(st.sampled_from(sorted(table[query])))
    change = data.draw(st.sampled_from(["grade", "next", "document", "query", "absent", "more"]))
    grade = other[query][document]
    if change == "grade":
        other[query][document] = 7
    elif change == "next":  # the nearest number there is
        other[query][document] = math.nextafter(float(grade), math.inf)
    elif change == "document":
        del other[query][document]
        other[query][document + "\u0301"] = grade
    elif change == "query":
        other[query + " "] = other.pop(query)
    elif change == "absent":
        del other[query][document]
        if not other[query]:
            del other[query]
    else:
        other[query][document + "x"] = grade
    first, second = (content_of(relyon.Judgments.from_dict(one).table) for one in (table, other))
    if first == second:  # the change made what was there before
        assert (
            relyon.Judgments.from_dict(other).to_dict()
            == relyon.Judgments.from_dict(table).to_dict()
        )
        return
    assert first.whole != second.whole
    assert (first.queries == second.queries) == (table.keys() == other.keys())
    same = {one: sorted(grades) for one, grades in table.items()} == {
        one: sorted(grades) for one, grades in other.items()
    }
    assert (first.documents == second.documents) == same


def test_boundaries_are_noticed() -> None:
    tables: list[Any] = [
        {"a": {"bc": 1}},
        {"ab": {"c": 1}},
        {"a": {"b": 1, "c": 1}},
        {"a": {"b": 1}, "c": {"b": 1}},
        {"a": {"é": 1}},
        {"a": {"e\u0301": 1}},
        {"a": {"b": {"1": 1, "2": 1}}},
        {"a": {"b": {"1": 1, "3": 1}}},
        {"a": {"b" * 5000: 1}},
        {"a": {"b" * 5001: 1}},
        {"a": {"b": 0}},
        {"a": {"b": 5e-324}},
    ]
    assert len({of(one) for one in tables}) == len(tables)
    assert of({"a": {"b": -0.0}}) == of({"a": {"b": 0}})
    assert of({"a": {"b": 1}}) == of({"a": {"b": 1.0}})
    assert of({1: {2: 1}}) == of({"1": {"2": 1}})
    assert of({"a": {"b": {"1": 1}}}) == of({"a": {"b": 1}})
    assert of({}) == hashlib.sha256(b"").hexdigest()


@pytest.mark.filterwarnings("ignore")
def test_formats_and_compression_do_not_matter(tmp_path: Path) -> None:
    table = {f"q{n}": {f"d{k}": (n * k) % 4 for k in range(9)} for n in range(20)}
    rows = [(query, doc, grade) for query, one in table.items() for doc, grade in one.items()]
    qrels = "".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in reversed(rows))
    (tmp_path / "a.qrels").write_text(qrels)
    (tmp_path / "twice.qrels").write_text(qrels + qrels[: qrels.index("\n") + 1])
    (tmp_path / "b.qrels.gz").write_bytes(gzip.compress(qrels.encode()))
    frame = pl.DataFrame(rows, ["query", "document", "grade"], orient="row")
    frame.write_csv(tmp_path / "c.csv")
    frame.write_parquet(tmp_path / "d.parquet")
    frame.with_columns(pl.col("grade").cast(pl.Float32)).write_ndjson(tmp_path / "e.jsonl")
    (tmp_path / "f.json").write_text(json.dumps(table))
    found = {content_of(relyon.read_judgments(path).table).whole for path in tmp_path.iterdir()}
    assert found == {defined(table)}
    run = "".join(
        f"{query} Q0 {doc} {place} {grade + place / 8} tag\n"
        for place, (query, doc, grade) in enumerate(rows)
    )
    (tmp_path / "one.run").write_text(run)
    (tmp_path / "other.run").write_text(run.replace(" tag", " other"))
    runs = [content_of(relyon.read_run(tmp_path / f"{one}.run").table) for one in ("one", "other")]
    assert runs[0] == runs[1]
    assert runs[0].whole == defined(relyon.read_run(tmp_path / "one.run").to_dict())


@pytest.mark.parametrize("length", [*range(1, 140), 1000, 70_000])
def test_ids_of_every_length(length: int) -> None:
    table = {"q" * length: {"d" * length: 1, "e": 2}, "r": {"x" * (length + 1): 3}}
    assert of(table) == defined(table)


def test_threads_do_not_matter() -> None:
    from relyon import _native

    table = {f"q{n}": {f"d{n * k}": k for k in range(1 + n % 5)} for n in range(2000)}
    native = relyon.Judgments.from_dict(table).table
    assert len({str(_native.judgment_contents(native, threads)) for threads in (1, 2, 3, 8)}) == 1
    assert content_of(native).whole == defined(table)


def test_scales_are_what_they_do() -> None:
    def named(prefix: str, levels: Any) -> Scale:
        return Scale(
            prefix,
            1.0,
            tuple(Level(one.grade, f"{prefix}{one.grade}", "", one.gain) for one in levels),
        )

    one, other = named("a", SEARCH.levels), named("b", reversed(SEARCH.levels))
    assert scale_fingerprint(one) == scale_fingerprint(other)
    assert scale_fingerprint(Scale("open", 1.0)) != scale_fingerprint(Scale("open", 2.0))
    gains = [Scale("one", 1.0, (Level(1, "a", "", gain),)) for gain in (1.0, 2.0)]
    assert len({scale_fingerprint(each) for each in gains}) == 2
    assert scale_fingerprint(None) is None


def test_conventions_are_their_rules() -> None:
    names = ("relyon", "trec_eval", "lightgbm", "sklearn")
    found = {convention_fingerprint(load_convention(name)) for name in names}
    assert len(found) == len(names)


def test_results_carry_them() -> None:
    judgments = {"q": {"a": 1, "b": 0}, "r": {"c": 2}}
    run = {"q": {"a": 1.0}}
    found = relyon.evaluate(judgments, run, "rr").inputs
    assert found is not None
    assert found.judgments == defined(judgments)
    assert found.run is None  # it was streamed
    assert found.counts == {"queries": 2, "judgments": 3}
    assert found.by_query.keys() == {"q", "r"}
    kept = relyon.evaluate(judgments, relyon.Run.from_dict(run), "rr").inputs
    assert kept is not None
    assert kept.run == defined(run)
    assert InputFingerprints.from_dict(kept.to_dict(per_query=True)) == kept
    scaled = relyon.evaluate(judgments, run, "rr", scale="search", convention="trec_eval").inputs
    assert scaled is not None
    assert (scaled.judgments, scaled.scale) == (found.judgments, scale_fingerprint(SEARCH))
    assert scaled.convention != found.convention


def test_hashes_of_queries_are_written_only_if_asked_for() -> None:
    found = relyon.evaluate({"r": {"c": 2}, "q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}, "rr").inputs
    assert found is not None
    found.to_dict()
    assert "shown" not in vars(found.by_query)
    own = hashlib.sha256(text("a") + text("b")).digest() + struct.pack(">dd", 1, 0)
    shown = found.to_dict(per_query=True)["judgments_by_query"]
    assert isinstance(shown, dict)
    assert list(shown) == ["q", "r"]
    assert shown["q"] == hashlib.sha256(own).hexdigest()[:16]
    again = pickle.loads(pickle.dumps(found))
    assert again == found == InputFingerprints.from_dict(found.to_dict(per_query=True))


def test_only_what_carries_them_computes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    module = sys.modules["relyon.evaluation.evaluator"]

    def counted(table: Any) -> Any:
        asked.append(table)
        return content_of(table)

    monkeypatch.setattr(module, "content_of", counted)
    evaluator = relyon.Evaluator({"q": {"a": 1}})
    results = [evaluator.evaluate({"q": {"a": 1.0}}, "rr", name=name) for name in ("a", "b")]
    results[0].to_text()
    results[0].to_csv(per_query=True)
    assert asked == []
    for one in results:
        one.to_json()
        one.to_json()
    assert len(asked) == 1
