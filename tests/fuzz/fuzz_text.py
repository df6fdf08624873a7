"""Damaged qrels and runs, read by the native code and by a slow reader that knows nothing of it.

    python -m tests.fuzz.fuzz_text --count 20000 --seed 1

Every input must end in data or in an `InputError`; all instruction sets, threads and sizes of
stretches must say the same; and the slow reader must agree about what is refused, in which line,
and about every number that is accepted.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from math import isnan
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from tests.fuzz import reference

from relyon import _native
from relyon.core.errors import InputError, ParseError

PIECES = [
    b"\0", b"\r", b"\n", b"\r\n", b"\n\n", b"\t", b" ", b"  ", b"\v", b"\f", b"#", b"# ",
    b"\n# a b\n", b"\n#q1 Q0 d1 1 2 t\n", b"\n#q1 0 d1 1\n", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"nan", b"-nan", b"NaN", b"nan(1)", b"inf", b"-Infinity",
    b"1e999", b"-1e999", b"1e-999", b"0x1p3", b"0x10", b"1_000", b"1,5", b"+1", b"+-1", b"--1",
    b"-0", b"-0.0", b".", b"1.", b".5", b"-.5", b"+.5", b"1e", b"1e+", b"e5", b"1E5", b"-", b"+",
    b"9007199254740993", b"0.1234567890123456789", b"123456789.12345678",
    b"4.9406564584124654e-324", b"2.4703282292062327e-324", b"1.7976931348623158e308",
    b"1.7976931348623159e308", b"00000000000000000000001.5", b"99999999999999999999",
    b"2147483647", b"2147483648", b"-2147483649",
    b"9223372036854775807", b"9223372036854775808",
    b"1.0.0", b"1.5x", "中".encode(), "😀".encode(),
    b"\xc3", b"\xe2\x80\xa8", b"\xc2\xa0", b"\x7f", b"\x01", b"q1 Q0 d1 1 2 t\n", b"q1 0 d1 1\n",
    b"\nq2 ", b"d1", "１".encode(), "٣".encode(),
]  # fmt: skip
QUERIES = [b"q1", b"q2", b"1", b"01", b"#4", b"query-number-5", "问".encode()]
DOCUMENTS = [b"d", b"doc-", "文".encode(), b"#", b"a-document-with-a-name-as-long-as-"]
BORDERS = [64, 4096, 64 << 10, 128 << 10, 256 << 10, 512 << 10]

Plan = list[tuple[str, dict[str, Any]]]
KERNELS: Plan = [
    ("num_ret", {}),
    ("num_rel_ret", {}),
    ("rr", {}),
    ("p", {"k": 3}),
    ("ndcg", {}),
    ("pnr", {}),
]


class DisagreementError(AssertionError):
    """Two ways to read an input that do not say the same."""


def make_input(seed: int) -> tuple[bytes, bytes]:
    """A pair of qrels and run: valid ones, changed in up to four places."""
    random = Random(seed)
    qrels, run = _valid(random)
    for _ in range(random.randrange(5)):
        if random.randrange(3):
            run = mutate(random, run)
        else:
            qrels = mutate(random, qrels)
    return qrels, run


def check(seed: int, folder: Path) -> str:
    """Reads one input in every way.

    Returns:
        "accepted" or "refused", for the run.

    Raises:
        DisagreementError: If two ways do not say the same.
    """
    qrels, run = make_input(seed)
    random = Random(seed + 1)
    (folder / "x.qrels").write_bytes(qrels)
    path = str(folder / "x.run")
    (folder / "x.run").write_bytes(run)
    judgments, table = _check_judgments(random, qrels, str(folder / "x.qrels"))
    return _check_run(random, run, path, judgments, table)


def _check_judgments(
    random: Random, text: bytes, path: str
) -> tuple[reference.Judged, _native.JudgmentTable]:
    expected = _reference(lambda: reference.read_judgments(text))
    found = _native_outcome(lambda: _native.JudgmentTable.from_text(path))
    stream = _native_outcome(lambda: _native.JudgmentTable.from_chunks(_chunks(random, text), path))
    _compare(found, expected, "qrels")
    _same(found, stream, "qrels in pieces")
    if not isinstance(expected, reference.Judged):
        dictionary = {
            "q1": {"d1": 1.0, "d2": 3.0, "doc-1": -1.0},
            "1": {"d3": 1.0},
            "#4": {"#1": 2.0},
        }
        return reference.Judged(dictionary), _native.JudgmentTable.from_dict(dictionary)
    if {query: found.grades(query) for query in found.queries()} != expected.grades:
        raise DisagreementError("grades")
    if found.duplicates != expected.duplicates:
        raise DisagreementError("number of repeated judgments")
    if found.has_subtopics != expected.several:
        raise DisagreementError("whether there are subtopics")
    if expected.several:
        subtopics = {query: found.subtopics(query) for query in found.queries()}
        if subtopics != expected.subtopics:
            raise DisagreementError("subtopics")
    return expected, found


def _check_run(
    random: Random, text: bytes, path: str, judged: reference.Judged, table: _native.JudgmentTable
) -> str:
    expected = _reference(lambda: reference.read_run(text))
    whole = expected
    if isinstance(expected, reference.Retrieved) and (
        lines := expected.repeated(set(expected.rows))
    ):
        whole = reference.RefusedError(lines)
    found = _native_outcome(lambda: _native.RunTable.from_text(path))
    stream = _native_outcome(lambda: _native.RunTable.from_chunks(_chunks(random, text), path))
    _compare(found, whole, "run")
    if isinstance(whole, reference.Retrieved):
        _same(found, stream, "run in pieces")
        rows = {query: found.documents(query) for query in found.queries()}
        if rows != {
            query: (
                [row[0] for row in rows],
                [row[1] for row in rows],
                [row[2] for row in rows] if whole.has_ranks else None,
            )
            for query, rows in whole.rows.items()
        }:
            raise DisagreementError("rows of the run")
        if found.tag != whole.tag:
            raise DisagreementError(f"tag: {found.tag!r} and {whole.tag!r}")
    elif isinstance(stream, _native.RunTable):
        raise DisagreementError("only the stream is accepted")

    plan = _native.Plan(KERNELS)
    batches = []
    sizes = [0, 1 + random.randrange(len(text) + 1)] if len(text) < 4096 else [0, len(text) // 3]
    for simd in ("scalar", "avx2", ""):
        for size in sizes if simd else sizes[:1]:
            threads = 3 if random.randrange(8) == 0 else 1
            with environment(RELYON_SIMD=simd, RELYON_STRETCH=str(size)):
                evaluate = partial(_native.evaluate_text, table, plan, path, threads)
                batches.append(_native_outcome(evaluate))
    first = batches[0]
    judged_whole = expected
    if isinstance(expected, reference.Retrieved) and (
        lines := expected.repeated(set(judged.grades))
    ):
        judged_whole = reference.RefusedError(lines)
    if isinstance(expected, reference.RefusedError):
        # A repeated document in front of the bad line may be found first.
        if not isinstance(first, InputError):
            raise DisagreementError("only the evaluation accepts the run")
        if "occurs twice" not in str(first):
            _compare(first, expected, "evaluation")
    else:
        _compare(first, judged_whole, "evaluation")
    for other in batches[1:]:
        _same(first, other, "evaluation")
    if not isinstance(judged_whole, reference.Retrieved) or isinstance(first, InputError):
        return "refused"
    _compare_values(first, judged_whole, judged)
    return "accepted"


def _compare_values(
    batch: _native.Batch, run: reference.Retrieved, judged: reference.Judged
) -> None:
    """Counts and reciprocal ranks, computed from the rows of the slow reader."""
    unjudged = [query for query in run.rows if query not in judged.grades]
    held = [query for query in run.rows if query in judged.grades]
    missing = [query for query in judged.grades if query not in run.rows]
    if batch.queries != held + missing or batch.missing != len(missing):
        raise DisagreementError("queries")
    if batch.rows != run.count or batch.unjudged_queries != len(unjudged):
        raise DisagreementError("numbers of rows and of queries without judgments")
    if batch.unjudged_examples != unjudged[:5]:
        raise DisagreementError("examples of queries without judgments")
    retrieved, relevant, reciprocal = [], [], []
    for query in batch.queries:
        order = sorted(
            run.rows.get(query, []), key=lambda row: (row[1], _bytes(row[0])), reverse=True
        )
        grades = [judged.grades[query].get(row[0], 0.0) for row in order]
        ranks = [rank for rank, grade in enumerate(grades, start=1) if grade >= 1]
        retrieved.append(float(len(grades)))
        relevant.append(float(len(ranks)))
        reciprocal.append(1.0 / ranks[0] if ranks else 0.0)
    if batch.values(0) != retrieved or batch.values(1) != relevant:
        raise DisagreementError("numbers of documents")
    known = [grade >= 1 for query in batch.queries for grade in judged.grades[query].values()]
    if all(known) and batch.values(2) != reciprocal:
        raise DisagreementError(f"reciprocal ranks {batch.values(2)} and {reciprocal}")
    for value, wanted in zip(batch.values(2), reciprocal, strict=True):
        if not isnan(value) and value != wanted:
            raise DisagreementError(f"reciprocal ranks {value} and {wanted}")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _reference(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except reference.RefusedError as error:
        return error


def _native_outcome(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except InputError as error:
        if len(str(error)) > 1000:
            raise DisagreementError(f"a message of {len(str(error))} characters") from None
        return error


def _compare(found: Any, expected: Any, what: str) -> None:
    """Checks that both accept or refuse, and that the line named is a bad one."""
    if isinstance(found, InputError) != isinstance(expected, reference.RefusedError):
        raise DisagreementError(
            f"{what}: the slow reader says {expected!r}, the fast one {found!r}"
        )
    if isinstance(found, InputError):
        line = found.line if isinstance(found, ParseError) else 0
        if line not in expected.lines:
            raise DisagreementError(
                f"{what}: line {line} is named, not one of {sorted(expected.lines)}"
            )


def _same(one: Any, other: Any, what: str) -> None:
    first, second = _shown(one), _shown(other)
    if first == second:
        return
    both = isinstance(one, InputError) and isinstance(other, InputError)
    if both and "occurs twice" in str(one) + str(other):
        return  # of two faults, either may be named where a file is read whole
    raise DisagreementError(f"{what}:\n{first}\n{second}")


def _shown(outcome: Any) -> str:
    if isinstance(outcome, _native.Batch):
        columns = [outcome.values(place) for place in range(len(KERNELS))]
        examples = outcome.unjudged_examples
        return repr((outcome.queries, columns, outcome.rows, outcome.matched, examples))
    if isinstance(outcome, InputError):
        return f"{type(outcome).__name__}: {outcome}"
    return repr(outcome.columns())


def _chunks(random: Random, text: bytes) -> Callable[[int], bytes]:
    stream = BytesIO(text)
    most = random.choice([1, 7, 64, 1 << 20]) if len(text) < 4096 else 1 << random.randrange(12, 20)
    return lambda size: stream.read(min(size, most))


@contextmanager
def environment(**names: str) -> Iterator[None]:
    os.environ.update(names)
    try:
        yield
    finally:
        for name in names:
            del os.environ[name]


def _valid(random: Random) -> tuple[bytes, bytes]:
    qrels, run = [], []
    for query in random.sample(QUERIES, random.randint(1, 4)):
        if random.randrange(6):
            subtopics = random.choice([[b"0"], [b"0"], [b"1"], [b"1", b"2", b"10"]])
            # In an order that does not change with the process: a seed makes one input.
            for document in sorted({_document(random) for _ in range(random.randint(1, 5))}):
                for subtopic in random.sample(subtopics, random.randint(1, len(subtopics))):
                    grade = random.randint(-1, 4)
                    qrels.append(b"%s %s %s %d\n" % (query, subtopic, document, grade))
        if random.randrange(8):
            documents = {_document(random) for _ in range(random.randint(1, 8))}
            for rank, document in enumerate(sorted(documents), start=1):
                run.append(b"%s Q0 %s %d %s tag\n" % (query, document, rank, random_number(random)))
    return b"".join(sorted(qrels)) or b"q1 0 d1 1\n", b"".join(run) or b"q1 Q0 d1 1 2.5 tag\n"


def _document(random: Random) -> bytes:
    return random.choice(DOCUMENTS) + b"%d" % random.randrange(12)


def random_number(random: Random) -> bytes:
    value = random.choice([float(random.randrange(4)), random.gauss(0, 100), random.random()])
    return random.choice(["{:.0f}", "{:.3f}", "{!r}", "{:.6e}", "{:.17g}"]).format(value).encode()


def mutate(random: Random, text: bytes) -> bytes:
    at = random.randrange(len(text) + 1)
    start, end = _token(random, text)
    first, last = _line(random, text)
    match random.randrange(13):
        case 0 if text:
            changed = bytearray(text)
            changed[at - 1] ^= 1 << random.randrange(8)
            return bytes(changed)
        case 1:
            return text[:at] + random.randbytes(random.randint(1, 4)) + text[at:]
        case 2:
            return text[:at] + text[at + random.randint(1, 4) :]
        case 3:
            return text[:at] + random.choice(PIECES) + text[at:]
        case 4:
            return text[:start] + random.choice(PIECES) + text[end:]
        case 5:
            other = random.choice(text.split() or [b"x"])
            return text[:start] + other + text[end:]
        case 6:
            return text[:last] + b"\n" + text[first:last] + text[last:]
        case 7:
            lines = text.splitlines(keepends=True)
            random.shuffle(lines)
            return b"".join(lines)
        case 8:
            return text[: random.choice([at, len(text) - 1])]
        case 9:
            return text[:start] + b"x" * random.randint(50, 80) + text[end:]
        case 10:
            digits = random.choice([b"0", b"9"]) * random.randint(290, 420)
            point = random.randrange(len(digits))
            power = b"e%d" % random.randint(-450, 450) if random.randrange(2) else b""
            return text[:start] + digits[:point] + b"." + digits[point:] + power + text[end:]
        case 11:
            return text.replace(b"\n", random.choice([b"\r\n", b" \n", b"\n\n", b"\t\n", b"\r"]))
        case _ if random.randrange(10) == 0:
            # Around the borders of the window that files are read through.
            size = max(1, random.choice(BORDERS) - random.randrange(len(text) + 80))
            filler = random.choice([b"# " + b"-" * size + b"\n", b"x" * size, b"5" * size])
            return text[:first] + filler + text[first:]
    return text.replace(b" ", random.choice([b"\t", b"  ", b" \t "]), random.randint(1, 9))


def _token(random: Random, text: bytes) -> tuple[int, int]:
    """Where a random token begins and ends."""
    fields = text.split(b" ")
    place = random.randrange(len(fields))
    start = sum(len(one) + 1 for one in fields[:place])
    return start, start + len(fields[place])


def _line(random: Random, text: bytes) -> tuple[int, int]:
    """Where a random line begins and ends."""
    lines = text.split(b"\n")
    place = random.randrange(len(lines))
    start = sum(len(one) + 1 for one in lines[:place])
    return start, start + len(lines[place])


def fuzz(count: int, seed: int, folder: Path) -> dict[str, int]:
    """Checks `count` inputs; the failing one is left in `folder`.

    Raises:
        DisagreementError: With the number of the input.
    """
    counts = {"accepted": 0, "refused": 0}
    for number in range(seed, seed + count):
        try:
            counts[check(number, folder)] += 1
        except Exception as error:
            error.add_note(f"input {number}: {make_input(number)!r}"[:4000])
            raise
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    start = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        counts = fuzz(arguments.count, arguments.seed, Path(folder))
    accepted, refused = counts["accepted"], counts["refused"]
    print(
        f"{arguments.count} inputs in {perf_counter() - start:.1f} s, no disagreement: "
        f"{accepted} runs accepted, {refused} refused"
    )


if __name__ == "__main__":
    main()
