"""Damaged files of programs that search: traces, spans, passages, chunks, answerable queries.

    python -m tests.fuzz.fuzz_machines --count 20000 --seed 1

Every input must end in data or in an `InputError` that names the file, within a second or two; what
is read must be evaluated, too. With `--lines` errors without the number of a line are printed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import relyon
from relyon.core.errors import InputError, RelyonError
from relyon.core.notes import RelyonWarning
from relyon.io.answerable import read_answerable

#: Seconds that one input may take, on a busy machine.
PATIENCE = 10.0

TEXTS = {
    "d1": "The sky is blue.\r\nＧrass is 绿色的 😀. " * 3,
    "d2": "e\u0301 ﬁn\tand so on",
    "d3": "x",
}
CALLS: list[dict[str, Any]] = [
    {"task": "t1", "call": 1, "query": "sky", "results": [
        {"document": "d1", "score": 2.5, "start": 0, "end": 10}, {"document": "d2", "score": 1},
    ], "read": ["d1"], "tokens": 10, "seconds": 0.5},
    {"task": "t1", "call": 2, "query": "天空", "results": [{"document": "d3", "score": 1}]},
    {"task": 2, "results": ["d1", "d2"], "tokens": 3},
    {"task": "t3", "results": [], "read": []},
]  # fmt: skip
SPANS: list[dict[str, Any]] = [
    {
        "traceId": "a", "spanId": "1", "parentSpanId": "",
        "startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000001000000000",
        "attributes": [
            {"key": "openinference.span.kind", "value": {"stringValue": "RETRIEVER"}},
            {"key": "input.value", "value": {"stringValue": "sky"}},
            {"key": "session.id", "value": {"stringValue": "t1"}},
            {"key": "retrieval.documents.0.document.id", "value": {"stringValue": "d1"}},
            {"key": "retrieval.documents.0.document.score", "value": {"doubleValue": 0.5}},
            {"key": "retrieval.documents.1.document.metadata",
             "value": {"stringValue": '{"doc_id": "d2"}'}},
            {"key": "retrieval.documents.1.document.score", "value": {"intValue": "3"}},
            {"key": "tags", "value": {"arrayValue": {"values": [{"stringValue": "x"}]}}},
            {"key": "more", "value": {"kvlistValue": {"values": [
                {"key": "a", "value": {"boolValue": True}}]}}},
        ],
    },
    {
        "traceId": "a", "spanId": "2", "parentSpanId": "1",
        "startTimeUnixNano": "1700000000500000000", "endTimeUnixNano": "1700000001000000000",
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "12"}},
            {"key": "gen_ai.usage.output_tokens", "value": {"intValue": 5}},
        ],
    },
    {
        "name": "search", "context": {"trace_id": "b", "span_id": "3"}, "parent_id": None,
        "start_time": "2025-01-01T00:00:00Z", "end_time": "2025-01-01T00:00:01Z", "attributes": {
            "gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "grass",
            "gen_ai.retrieval.documents": '[{"id": "d1", "score": 1}, {"id": "d2", "score": 0.5}]',
        },
    },
]  # fmt: skip
PASSAGES: list[dict[str, Any]] = [
    {"query": "t1", "document": "d1", "start": 0, "end": 7, "grade": 2, "passage": "p"},
    {"query": "t1", "document": "d1", "quote": "Grass is 绿色的"},
    {"query": "2", "document": "d2", "quote": "é fin and so", "grade": 1},
]
CHUNKS: list[dict[str, Any]] = [
    {"chunk": "c1", "document": "d1", "start": 0, "end": 20},
    {"chunk": "c2", "document": "d1", "start": 10, "end": 40},
    {"chunk": "c3", "document": "d2", "start": 0, "end": 5},
]
ANSWERS: list[dict[str, Any]] = [
    {"query": "t1", "answerable": True}, {"query": "2", "answerable": "no"},
]  # fmt: skip

DEEP = json.dumps("[" * 3000)
NASTY = [
    "null", "true", "[]", "{}", '""', '" "', "0", "-1", "-0.0", "1e308", "1e999", "-1e999", "NaN",
    "Infinity", "1" + "0" * 30, "9" * 5000, "1.5", "9223372036854775807", '"\\ud800"', '"\\u0000"',
    '"²"', '"٣"', '"--5"', '"-"', '"' + "9" * 5000 + '"', '"9223372036854775807"', '"1e5"', DEEP,
    "[" * 3000 + "]" * 3000, "[null]", '[["d1", 1]]', '{"a": null}', '{"document": null}',
    '{"document": "d1", "score": null}', '{"document": "d1", "start": 5, "end": 2}',
    '{"intValue": "²"}', '{"intValue": null}', '{"intValue": "' + "9" * 5000 + '"}',
    '{"arrayValue": {"values": null}}', '{"arrayValue": {"values": 5}}', '{"arrayValue": null}',
    '{"kvlistValue": {"values": [1]}}', '{"kvlistValue": {"values": {"key": 1}}}', '"0001-01-01"',
    '"9999-12-31T23:59:59.999999"', '"2025-13-01"', '"[1, 2"', '"[[]]"',
    '"{\\"id\\": {}}"', '"=1+1"',
    '"retrieval.documents.' + "9" * 5000 + '.document.id"', '"retrieval.documents.٣.document.id"',
    '"d1"', '"t1"', "2", '"😀"', '"\\u202e"', '"</script>"',
]  # fmt: skip
PIECES = [
    b"\0", b"\r", b"\n", b"\r\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xff", b"\xc3", b"\xed\xa0\x80",
    b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\u", b"\\ud83d", b" ", b"\t", b"#", b"-",
    b"e", b".", b"0", b"1" * 400, b"nan", "中".encode(), "😀".encode(), b"'", b";",
]  # fmt: skip


def _places(value: object, at: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Returns the paths of all parts of a JSON value."""
    found = [at] if at else []
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return found + [one for key, inner in pairs for one in _places(inner, (*at, key))]


def _changed(rows: list[dict[str, Any]], chance: Random) -> tuple[list[Any], dict[str, str]]:
    """Returns rows of which some parts were replaced, removed or doubled, and the replacements."""
    rows = json.loads(json.dumps(rows))
    written: dict[str, str] = {}
    for _ in range(chance.choice([0, 1, 1, 1, 2, 4])):
        places = _places(rows)
        if not places:
            break
        *way, last = chance.choice(places)
        inside: Any = rows
        for key in way:
            inside = inside[key]
        kind = chance.random()
        if kind < 0.6:
            mark = f"@@{len(written)}@@"
            written[mark] = chance.choice(NASTY)
            inside[last] = mark
        elif kind < 0.75:
            del inside[last]
        elif kind < 0.85 and isinstance(inside, dict):
            inside[json.loads(json.dumps(chance.choice(["call", "task", "x", ""])))] = inside.pop(
                last
            )
        elif isinstance(inside, list):
            inside.insert(int(last), json.loads(json.dumps(inside[last])))  # type: ignore[call-overload]
    return rows, written


def _filled(text: str, written: Mapping[str, str]) -> bytes:
    for mark, new in written.items():
        text = text.replace(f'"{mark}"', new)
    return text.encode("utf-8", "surrogatepass")


def _cell(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return '"' + text.replace('"', '""') + '"' if any(one in text for one in ',"\n') else text


def _written(rows: list[dict[str, Any]], form: str, chance: Random) -> bytes:
    """Returns a damaged file."""
    changed, written = _changed(rows, chance)
    if form == "csv":
        columns = list(dict.fromkeys(name for one in rows for name in one))
        for mark, new in written.items():
            with contextlib.suppress(ValueError, RecursionError):
                loaded = json.loads(new)
                written[mark] = json.dumps(_cell(loaded))[1:-1] if isinstance(loaded, str) else new
        lines = [",".join(columns)]
        for one in changed:
            row = one if isinstance(one, dict) else {}
            lines.append(",".join(_cell(row.get(name, "")) for name in columns))
        text = "\n".join(lines) + "\n"
        for mark, new in written.items():
            text = text.replace(mark, new.replace("\n", " "))
        data = text.encode("utf-8", "surrogatepass")
    elif form == "whole":
        scopes = [{"spans": changed}]
        whole = {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": scopes}]}
        data = _filled(json.dumps(whole), written)
    elif form == "list":
        data = _filled(json.dumps(changed), written)
    else:
        data = b"".join(_filled(json.dumps(one), written) + b"\n" for one in changed)
    for _ in range(chance.choice([0, 0, 0, 1, 1, 3])):
        place = chance.randrange(len(data) + 1)
        end = min(len(data), place + chance.choice([0, 1, 1, 5, 50]))
        piece = chance.choice([b"", *PIECES, data[place:end] * 2])
        data = data[:place] + piece + data[end:]
    if chance.random() < 0.05:
        data = data[: chance.randrange(len(data) + 1)]
    return data


JUDGED = {"t1": {"d1": 2, "d2": 0}, "2": {"d2": 1}, "t3": {"d1": 1}, "a": {"d1": 1}, "b": {"d2": 1}}


def _traces(path: str, chance: Random) -> None:
    columns = {"task": "session.id"} if chance.random() < 0.2 and "span" in path else None
    traces = relyon.read_traces(path, columns=columns)
    with contextlib.suppress(InputError):  # such as tasks without judgments
        relyon.evaluate(JUDGED, traces, ["ndcg@3", "sdcg", "recovery"])
    if chance.random() < 0.1:
        one, two = path + "-1.jsonl", path + "-2.jsonl"
        relyon.write_traces(traces, one, overwrite=True)
        relyon.write_traces(relyon.read_traces(one), two, overwrite=True)
        assert Path(one).read_bytes() == Path(two).read_bytes()


def _passages(path: str, chance: Random) -> None:
    texts = TEXTS if chance.random() < 0.7 else None
    found = relyon.read_passages(path, texts=texts)
    chunks = relyon.Chunks.from_dict(
        {one["chunk"]: (one["document"], one["start"], one["end"]) for one in CHUNKS}
    )
    run = relyon.Run.from_dict({"t1": {"c1": 2.0, "c3": 1.0}, "2": {"c3": 1.0}})
    judged = found.judgments(chunks)
    with contextlib.suppress(InputError):
        relyon.evaluate(judged, run, ["char_recall@5", "ndcg@5"])


def _chunks(path: str, chance: Random) -> None:
    texts = TEXTS if chance.random() < 0.5 else None
    relyon.read_chunks(path, texts=texts)


def _answerable(path: str, _: Random) -> None:
    read_answerable(path, ["t1", "2"])


Read = Callable[[str, Random], None]
#: Rows, the reader, and the forms that files have.
KINDS: Mapping[str, tuple[list[dict[str, Any]], Read, tuple[str, ...]]] = {
    "calls": (CALLS, _traces, ("jsonl",)),
    "spans": (SPANS, _traces, ("jsonl", "whole", "list")),
    "passages": (PASSAGES, _passages, ("jsonl", "csv")),
    "chunks": (CHUNKS, _chunks, ("jsonl", "csv")),
    "answerable": (ANSWERS, _answerable, ("jsonl", "csv")),
}


def main() -> None:
    """Reads damaged files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=list(KINDS))
    parser.add_argument("--only", type=int, help="read one input of a seed")
    parser.add_argument("--lines", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore", RelyonWarning)
    read, refused, bad, slowest = 0, Counter[str](), 0, 0.0
    with tempfile.TemporaryDirectory(prefix="relyon-fuzz-") as place:
        for number in [given.only] if given.only is not None else range(given.count):
            chance = Random(f"{given.seed}/{number}")
            name = given.kind or chance.choice(list(KINDS))
            rows, reader, forms = KINDS[name]
            form = chance.choice(forms)
            end = {"whole": "json", "list": "json"}.get(form, form)
            path = os.path.join(place, f"{name}-file.{end}")
            data = _written(rows, form, chance)
            Path(path).write_bytes(data)
            start = perf_counter()
            problem = ""
            try:
                reader(path, chance)
                read += 1
            except InputError as error:
                where = (
                    "file"
                    if not error.path
                    else "line"
                    if getattr(error, "line", None)
                    else "no line"
                )
                kind = str(error).replace(path, "")[:90]
                refused[f"{where} {name} {kind}"] += 1
                if not error.path:
                    problem = f"names no file: {error}"
            except RelyonError as error:
                refused[f"other {name} {getattr(error.message, 'kind', '')}"] += 1
            except BaseException as error:  # what fuzzing is for
                problem = f"{type(error).__name__}: {str(error)[:300]}"
            took = perf_counter() - start
            slowest = max(slowest, took)
            if took > PATIENCE:
                problem = f"took {took:.1f} s"
            if problem:
                bad += 1
                print(f"{given.seed}/{number} {name} {form}: {problem!a}\n  {data[:300]!r}")
    if given.lines:
        for key, count in refused.most_common():
            print(f"{count:6} {key!a}")
    count = sum(refused.values())
    print(f"{given.count} inputs: {read} read, {count} refused; slowest {slowest:.2f} s")
    if bad:
        raise SystemExit(f"{bad} problems")


if __name__ == "__main__":
    main()
