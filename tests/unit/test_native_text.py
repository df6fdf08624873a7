"""The native reader of TREC text: every byte counts, every error names its line."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.unit.batches import plan, state

from relyon import _native
from relyon.core.errors import InputError, ParseError

Rows = list[tuple[str, str, float]]


def chunks(data: bytes, sizes: Callable[[], int]) -> Callable[[int], bytes]:
    at = 0

    def read(size: int) -> bytes:
        nonlocal at
        part = data[at : at + min(size, sizes())]
        at += len(part)
        return part

    return read


def slow_rows(data: bytes) -> Rows:
    rows = []
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        fields = line.split()
        if not fields or fields[0] == b"#":
            continue
        query, _, document, _, score = fields[:5]
        rows.append(
            (
                query.decode("utf-8", "surrogateescape"),
                document.decode("utf-8", "surrogateescape"),
                float(score),
            )
        )
    return rows


def random_run(seed: int, *, grouped: bool = True) -> bytes:
    draw = random.Random(seed)
    lines = []
    queries = draw.sample([f"q{n}" for n in range(60)] + ["查询", "#x", "7", "a" * 70], 25)
    for query in queries:
        names = [f"d{n}" for n in range(40)] + ["文档", "#d", "x" * 200, "\xff"]
        for rank, document in enumerate(draw.sample(names, draw.randint(1, 30))):
            score = draw.choice(
                [
                    f"{draw.uniform(-9, 9):.{draw.randint(0, 17)}f}",
                    repr(draw.gauss(0, 1e-9)),
                    "1",
                    "2",
                ]
            )
            lines.append(
                [query, "Q0", document, str(rank), score, "tag"][: draw.choice([5, 6, 6, 6])]
            )
    if not grouped:
        draw.shuffle(lines)
    out = bytearray(draw.choice([b"", b"\xef\xbb\xbf"]))
    for line in lines:
        if draw.random() < 0.05:
            out += draw.choice([b"\n", b"  \t\r\n", b"# a comment\n", b"#\n"])
        plain = draw.random() < 0.7
        joint = " " if plain else draw.choice([" ", "\t", "  ", " \t "])
        head, tail = ("", "") if plain else (draw.choice(["", " "]), draw.choice(["", " ", "\r"]))
        encoded = "".join([head, joint.join(line), tail]).encode("utf-8", "surrogateescape")
        out += encoded + b"\n"
    return bytes(out.rstrip(b"\n")) if draw.random() < 0.5 else bytes(out)


def judged(rows: Rows, seed: int) -> _native.JudgmentTable:
    draw = random.Random(seed)
    table: dict[str, dict[str, float]] = {"only judged": {"d1": 1.0}, "no grade": {"d1": 0.0}}
    for query, document, _ in rows:
        if query[-1] != "7" and draw.random() < 0.3:
            table.setdefault(query, {})[document] = draw.choice([0.0, 1.0, 2.0, 0.5])
    return _native.JudgmentTable.from_dict(table)


def nested(rows: Rows) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, document, score in rows:
        found.setdefault(query, {})[document] = score
    return found


@pytest.mark.parametrize("seed", range(12))
def test_rows_are_those_of_a_slow_reader(seed: int, tmp_path: Path) -> None:
    data = random_run(seed, grouped=seed % 2 == 0)
    path = tmp_path / "x.run"
    path.write_bytes(data)
    rows = slow_rows(data)
    table = _native.RunTable.from_text(str(path))
    small = _native.RunTable.from_chunks(chunks(data, lambda: 3), "x")
    for one in (table, small):
        assert one.rows == len(rows)
        assert one.has_ranks
        for query, documents in nested(rows).items():
            names, scores, _ = one.documents(query)
            assert names == list(documents)
            assert struct.pack(f"{len(scores)}d", *scores) == struct.pack(
                f"{len(scores)}d", *documents.values()
            )


@pytest.mark.parametrize("simd", ["avx512", "avx2", "scalar"])
@pytest.mark.parametrize("seed", range(6))
def test_every_way_gives_the_same_bits(
    seed: int, simd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELYON_SIMD", simd)
    data = random_run(seed)
    path = tmp_path / "x.run"
    path.write_bytes(data)
    rows = slow_rows(data)
    judgments = judged(rows, seed)
    rules = plan()
    expected = state(_native.evaluate_dict(judgments, rules, nested(rows)))
    table = _native.RunTable.from_text(str(path))
    assert state(_native.evaluate_run(judgments, rules, table)) == expected
    for threads in (1, 2, 5):
        for stretch in (1, 37, 500, 1 << 20):
            monkeypatch.setenv("RELYON_STRETCH", str(stretch))
            batch = _native.evaluate_text(judgments, rules, str(path), threads)
            assert state(batch) == expected, (threads, stretch)
            assert not batch.regrouped
    draw = random.Random(seed)
    for largest in (1, 7, 300, 1 << 20):
        read = chunks(data, partial(draw.randint, 1, largest))
        assert state(_native.evaluate_chunks(judgments, rules, read, "x")) == expected
        read = chunks(data, partial(draw.randint, 1, largest))
        streamed = _native.evaluate_chunks(
            judgments, rules, read, "x", lambda: pytest.fail("again")
        )
        assert state(streamed) == expected


@pytest.mark.parametrize("seed", range(6))
def test_lines_in_any_order_are_regrouped(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = random_run(seed, grouped=False)
    path = tmp_path / "x.run"
    path.write_bytes(data)
    rows = slow_rows(data)
    judgments = judged(rows, seed)
    rules = plan()
    expected = state(_native.evaluate_dict(judgments, rules, nested(rows)))
    opened = []

    def again() -> Callable[[int], bytes]:
        opened.append(True)
        return chunks(data, lambda: 100)

    for stretch in (1, 100, 1 << 20):
        monkeypatch.setenv("RELYON_STRETCH", str(stretch))
        batch = _native.evaluate_text(judgments, rules, str(path), 2)
        assert state(batch) == expected
        assert batch.regrouped
    for batch in (
        _native.evaluate_chunks(judgments, rules, chunks(data, lambda: 9), "x"),
        _native.evaluate_chunks(judgments, rules, chunks(data, lambda: 9), "x", again),
    ):
        assert state(batch) == expected
        assert batch.regrouped
    assert opened


def check_run_error(data: bytes, line: int, message: str, tmp_path: Path) -> None:
    """All readers of runs, judged or not, give the same error."""
    path = tmp_path / "x.run"
    path.write_bytes(data)
    rules = plan()
    for judgments in (
        _native.JudgmentTable.from_dict({"q": {"d1": 1}}),
        _native.JudgmentTable.from_dict({"other": {"d1": 1}}),
    ):
        ways: list[Callable[[], object]] = [
            lambda: _native.RunTable.from_text(str(path)),
            lambda: _native.RunTable.from_chunks(chunks(data, lambda: 5), str(path)),
            partial(_native.evaluate_text, judgments, rules, str(path)),
            partial(
                _native.evaluate_chunks,
                judgments,
                rules,
                chunks(data, lambda: 5),
                str(path),
                lambda: pytest.fail("again"),
            ),
        ]
        for way in ways:
            with pytest.raises(ParseError) as caught:
                way()
            assert caught.value.message == f"{path}:{line}: {message}"
            assert caught.value.line == line
            assert caught.value.path == str(path)


@pytest.mark.parametrize(
    ("score", "message"),
    [
        ("nan", "the score is not a finite number: `nan`"),
        ("-NaN", "the score is not a finite number: `-NaN`"),
        ("inf", "the score is not a finite number: `inf`"),
        ("-Infinity", "the score is not a finite number: `-Infinity`"),
        ("1e999", "the score is not a finite number: `1e999`"),
        ("9" * 400, "the score is not a finite number: `" + "9" * 60 + "…`"),
        ("1" + "0" * 400 + "e-10", "the score is not a finite number: `1" + "0" * 59 + "…`"),
        ("0x1p3", "the score is not a number: `0x1p3`"),
        ("1,5", "the score is not a number: `1,5`"),
        ("1_0", "the score is not a number: `1_0`"),
        ("--1", "the score is not a number: `--1`"),
        ("+-1", "the score is not a number: `+-1`"),
        ("1e", "the score is not a number: `1e`"),
        (".", "the score is not a number: `.`"),
        ("1.2.3", "the score is not a number: `1.2.3`"),
        ("abc", "the score is not a number: `abc`"),
        ("１", "the score is not a number: `１`"),
    ],
)
def test_scores_that_are_no_numbers(score: str, message: str, tmp_path: Path) -> None:
    check_run_error(f"q Q0 d1 1 1.5 t\n\nq Q0 d2 2 {score} t\n".encode(), 3, message, tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            b"q Q0 d 1",
            "expected 6 columns (query, Q0, document, rank, score, tag), got 4: `q Q0 d 1`",
        ),
        (b"q", "expected 6 columns (query, Q0, document, rank, score, tag), got 1: `q`"),
        (
            b"q " + b"x" * 5000,
            "expected 6 columns (query, Q0, document, rank, score, tag), got 2: `q "
            + "x" * 58
            + "…`",
        ),
        (b"q Q0 d\x00 1 1.0 t", "looks like a binary file: the line contains a NUL byte"),
        (b"\x00", "looks like a binary file: the line contains a NUL byte"),
    ],
)
def test_lines_that_are_no_rows(line: bytes, message: str, tmp_path: Path) -> None:
    check_run_error(b"q Q0 d9 1 1 t\r\n# note\n" + line + b"\nq Q0 d 1 1 t\n", 3, message, tmp_path)


def test_a_line_longer_than_a_text_has(tmp_path: Path) -> None:
    data = b"q Q0 d9 1 1 t\nq Q0 " + b"x" * (18 << 20)
    path = tmp_path / "x.run"
    path.write_bytes(data)
    judgments = _native.JudgmentTable.from_dict({"q": {"d9": 1}})
    with pytest.raises(ParseError, match=r"x\.run:2: the line is longer than 16 MiB"):
        _native.RunTable.from_text(str(path))
    with pytest.raises(ParseError, match=r"x\.run:2: the line is longer than 16 MiB"):
        _native.evaluate_text(judgments, plan(), str(path), 1)
    read = chunks(data, lambda: 1 << 20)
    with pytest.raises(ParseError, match=r"x:2: the line is longer than 16 MiB"):
        _native.evaluate_chunks(judgments, plan(), read, "x", lambda: read)


@pytest.mark.parametrize("between", [b"", b"# c\n\n", b"r Q0 d1 1 1 t\n", b"q Q0 d2 1 1 t\n" * 0])
@pytest.mark.parametrize("stretch", [1, 1 << 20])
def test_a_document_twice_names_both_lines(
    between: bytes, stretch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELYON_STRETCH", str(stretch))
    data = b"q Q0 a 1 1 t\nq Q0 d1 1 1 t\n" + between + b"q Q0 d1 5 2 t\n"
    path = tmp_path / "x.run"
    path.write_bytes(data)
    line = data.count(b"\n")
    judgments = _native.JudgmentTable.from_dict({"q": {"d9": 1}, "r": {"d1": 1}})
    text = f"x.run:{line}: document `d1` occurs twice in query `q`: the other is in line 2"
    ways: list[Callable[[], object]] = [
        lambda: _native.RunTable.from_text(str(path)),
        lambda: _native.evaluate_text(judgments, plan(), str(path)),
        lambda: _native.evaluate_chunks(
            judgments, plan(), chunks(data, lambda: 4), str(path), lambda: chunks(data, lambda: 4)
        ),
    ]
    for way in ways:
        with pytest.raises(ParseError) as caught:
            way()
        assert caught.value.message.endswith(text)
    with pytest.raises(InputError, match="document `d1` occurs twice in query `q`"):
        _native.RunTable.from_chunks(chunks(data, lambda: 4), "x")


def test_the_first_error_is_told_for_any_number_of_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELYON_STRETCH", "40")
    lines = [f"q{n} Q0 d{n} 1 1 t\n" for n in range(200)]
    for place in (150, 60, 120):
        lines[place] = "q Q0 d x\n"
    path = tmp_path / "x.run"
    path.write_text("".join(lines))
    judgments = _native.JudgmentTable.from_dict({"q": {"d": 1}})
    for threads in (1, 2, 5, 5, 5):
        with pytest.raises(ParseError) as caught:
            _native.evaluate_text(judgments, plan(), str(path), threads)
        assert caught.value.line == 61


@pytest.mark.parametrize(
    "read",
    [
        _native.JudgmentTable.from_text,
        _native.RunTable.from_text,
        lambda path: _native.evaluate_text(
            _native.JudgmentTable.from_dict({"q": {"d": 1}}), plan(), path
        ),
    ],
    ids=["judgments", "run", "evaluate"],
)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file"),
        (b"", "the file is empty"),
        (b"\n \n# only\n", "contains no"),
        (b"\x1f\x8b\x08\x00xyz", "is compressed with gzip"),
        (b"\x28\xb5\x2f\xfdxyz", "is compressed with zstd"),
    ],
)
def test_files_without_text(
    read: Callable[[str], object], content: bytes | None, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "x"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read(str(path))
    assert caught.value.message.startswith(f"{path}: {message}")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory"):
        _native.RunTable.from_text(str(tmp_path))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"q 0 d", "expected 4 columns (query, iteration, document, grade), got 3: `q 0 d`"),
        (
            b"q Q0 d 1 2.5 t",
            "expected 4 columns (query, iteration, document, grade), got 6: `q Q0 d 1 2.5 t`",
        ),
        (b"q 0 d high", "the grade is not a number: `high`"),
        (b"q 0 d nan", "the grade is not a finite number: `nan`"),
        (b"a 0 d1 2", "two grades for query `a`, document `d1`: the other is in line 1"),
    ],
)
def test_judgments_that_cannot_be_read(line: bytes, message: str, tmp_path: Path) -> None:
    data = b"a 0 d1 1\n\n" + line + b"\n"
    path = tmp_path / "x.qrels"
    path.write_bytes(data)
    for way in (
        lambda: _native.JudgmentTable.from_text(str(path)),
        lambda: _native.JudgmentTable.from_chunks(chunks(data, lambda: 2), str(path)),
    ):
        with pytest.raises(ParseError) as caught:
            way()
        assert caught.value.message == f"{path}:3: {message}"


def test_judgments_are_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.qrels"
    path.write_bytes(
        b"\xef\xbb\xbf# judgments\nb 0 d2 3\nb\t1  d1 -2\r\n a 0 \xe6\x96\x87 0.5\n#a 0 x 1\n"
        b"b 0 d2 3.0\na 0 \xc3\xa9 1"
    )
    table = _native.JudgmentTable.from_text(str(path))
    assert table.queries() == ["b", "a", "#a"]
    assert table.grades("b") == {"d2": 3.0, "d1": -2.0}
    assert table.grades("a") == {"文": 0.5, "é": 1.0}
    assert (table.rows, table.duplicates, table.negatives) == (5, 1, 1)
    assert (table.highest, table.fractional, len(table)) == (3.0, True, 3)
    assert "a" in table
    assert "c" not in table
    with pytest.raises(KeyError):
        table.grades("c")
    queries, documents, grades = table.columns()
    assert queries == ["b", "b", "a", "a", "#a"]
    assert documents == ["d2", "d1", "文", "é", "x"]
    assert grades == [3.0, -2.0, 0.5, 1.0, 1.0]


def test_ranks_and_tags(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("q Q0 a 9000000000 1 my tag \nq Q0 b -1 1 other\n")
    table = _native.RunTable.from_text(str(path))
    assert table.documents("q") == (["a", "b"], [1.0, 1.0], [9_000_000_000, -1])
    assert table.tag == "my tag"
    path.write_text("q Q0 a x 1\nq Q0 b 1 1 late\n")
    table = _native.RunTable.from_text(str(path))
    assert not table.has_ranks
    assert table.documents("q") == (["a", "b"], [1.0, 1.0], None)
    assert table.tag == ""
    with pytest.raises(InputError, match="rank"):
        _native.evaluate_run(
            _native.JudgmentTable.from_dict({"q": {"a": 1}}), plan(ties="rank"), table
        )


def test_read_errors_pass_through() -> None:
    judgments = _native.JudgmentTable.from_dict({"q": {"d": 1}})

    def failing(size: int) -> bytes:
        raise OSError("disk on fire")

    with pytest.raises(OSError, match="disk on fire"):
        _native.evaluate_chunks(judgments, plan(), failing, "x", lambda: failing)
    with pytest.raises(TypeError, match="must return bytes"):
        _native.RunTable.from_chunks(lambda size: "text", "x")  # type: ignore[arg-type,return-value]
    with pytest.raises(ValueError, match="more bytes than asked"):
        _native.RunTable.from_chunks(lambda size: b"x" * (size + 1), "x")


@pytest.mark.parametrize("missing", ["zero", "skip", "error"])
def test_judged_queries_that_the_run_lacks(missing: str, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("b Q0 d 1 1 t\nx Q0 d 1 1 t\ny Q0 d 1 1 t\n")
    judgments = _native.JudgmentTable.from_dict({q: {"d": 1} for q in ["z", "b", "a", "c"]})
    if missing == "error":
        with pytest.raises(InputError, match="3 judged queries are not in the run: `z`, `a`, `c`"):
            _native.evaluate_text(judgments, plan(missing=missing), str(path))
        return
    batch = _native.evaluate_text(judgments, plan(missing=missing), str(path))
    assert batch.queries == (["b", "z", "a", "c"] if missing == "zero" else ["b"])
    assert batch.missing == (3 if missing == "zero" else 0)
    assert batch.unjudged_queries == 2
    assert batch.unjudged_examples == ["x", "y"]
