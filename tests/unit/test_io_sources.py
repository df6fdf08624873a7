"""Files, pipes and standard input: what they are, how they are packed, what is wrong with them."""

from __future__ import annotations

import bz2
import gzip
import io as streams
import json
import lzma
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard

from relyon import io
from relyon.core.errors import InputError, ParseError, UnknownNameError
from relyon.data.judgments import Judgments
from relyon.io import Format, Source
from relyon.io.byte_source import HEAD
from relyon.io.format import first_lines, formats

QRELS = b"".join(b"q%d 0 d%d %d\n" % (row // 10, row, row % 4) for row in range(5000))
RUN = b"".join(b"q%d Q0 d%d 1 %d.5 t\n" % (row // 10, row, row % 7) for row in range(5000))

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}


def noise(rows: int) -> bytes:
    """Qrels that do not get much smaller when they are compressed."""
    return b"".join(b"q%d 0 %s 1\n" % (row, os.urandom(8).hex().encode()) for row in range(rows))


SUFFIX = {"gzip": ".gz", "zstd": ".zst", "bzip2": ".bz2", "xz": ".xz"}


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("suffixed", [True, False])
def test_compression_is_seen_in_the_first_bytes(tmp_path: Path, kind: str, suffixed: bool) -> None:
    path = tmp_path / ("a.qrels" + (SUFFIX[kind] if suffixed else ""))
    path.write_bytes(PACK[kind](QRELS))
    source = io.open_source(path)
    assert (source.compression, source.format, source.plain) == (kind, "trec", False)
    assert source.read_all() == QRELS
    assert len(io.read_judgments(path)) == 5000
    path.write_bytes(PACK[kind](RUN))
    assert len(io.read_run(path)) == 5000


def test_a_suffix_alone_does_not_make_it_compressed(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels.gz"
    path.write_bytes(QRELS)
    source = io.open_source(path)
    assert (source.compression, source.plain) == ("", True)
    assert len(io.read_judgments(path)) == 5000


@pytest.mark.parametrize("kind", PACK)
def test_several_compressed_parts_one_after_the_other(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.qrels"
    half = QRELS.index(b"q250 ")
    path.write_bytes(PACK[kind](QRELS[:half]) + PACK[kind](QRELS[half:]))
    assert len(io.read_judgments(path)) == 5000


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("left", [5, 100, -5, -1])
def test_truncated(tmp_path: Path, kind: str, left: int) -> None:
    path = tmp_path / "cut.qrels"
    packed = PACK[kind](os.urandom(40_000).hex().encode() + QRELS)
    path.write_bytes(packed[: left + (10 if left > 0 else 0)])
    with pytest.raises(InputError, match=f"is incomplete: the {kind} data is truncated"):
        io.read_judgments(path, format="trec")


@pytest.mark.parametrize("kind", PACK)
def test_truncated_behind_the_first_block(tmp_path: Path, kind: str) -> None:
    content = noise(30_000)
    path = tmp_path / "cut.qrels"
    packed = PACK[kind](content)
    path.write_bytes(packed[: len(packed) * 9 // 10])
    with pytest.raises(InputError, match=r"cut\.qrels: is incomplete"):
        io.read_judgments(path)


@pytest.mark.parametrize("kind", PACK)
def test_corrupted(tmp_path: Path, kind: str) -> None:
    content = noise(9_000)
    packed = bytearray(PACK[kind](content))
    middle = len(packed) // 2
    packed[middle : middle + 64] = bytes(value ^ 0xFF for value in packed[middle : middle + 64])
    path = tmp_path / "bad.qrels"
    path.write_bytes(packed)
    with pytest.raises(InputError, match=r"bad\.qrels"):
        io.read_judgments(path)


def test_a_little_input_may_be_a_lot_of_output(tmp_path: Path) -> None:
    path = tmp_path / "big.qrels"
    path.write_bytes(zstandard.ZstdCompressor().compress(b"q 0 d 1\n" + b" \n" * 20_000_000))
    with Source(path) as source:
        total = 0
        while part := source.read(1 << 20):
            assert len(part) <= 1 << 20
            total += len(part)
    assert total == 8 + 40_000_000


def test_lz4_needs_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.qrels.lz4"
    path.write_bytes(b"\x04\x22\x4d\x18" + b"\x40" * 20)
    monkeypatch.setitem(sys.modules, "lz4", None)
    monkeypatch.setitem(sys.modules, "lz4.frame", None)
    with pytest.raises(ImportError, match="needs the package `lz4`"):
        io.read_judgments(path)


def test_lz4(tmp_path: Path) -> None:
    frame = pytest.importorskip("lz4.frame")
    path = tmp_path / "a.qrels.lz4"
    path.write_bytes(frame.compress(QRELS))
    assert len(io.read_judgments(path)) == 5000
    path.write_bytes(frame.compress(QRELS)[:-20])
    with pytest.raises(InputError, match="truncated"):
        io.read_judgments(path)


def _standard_input(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", streams.TextIOWrapper(streams.BytesIO(content)))


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]) -> None:
    _standard_input(monkeypatch, pack(QRELS))
    judgments = io.read_judgments("-")
    assert len(judgments) == 5000
    assert judgments.source == "<stdin>"
    _standard_input(monkeypatch, pack(RUN))
    source = io.open_source("-")
    assert source.format == "trec"
    assert io.open_source(source) is source
    assert io.read_run(source).name == "stdin"


def test_standard_input_holds_one_thing_only(monkeypatch: pytest.MonkeyPatch) -> None:
    _standard_input(monkeypatch, QRELS)
    io.read_judgments("-")
    with pytest.raises(InputError, match="<stdin>: is empty"):
        io.read_run("-")


def test_standard_input_in_other_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    _standard_input(monkeypatch, b"query,document,grade\nq,d,1\n")
    assert io.read_judgments("-").to_dict() == {"q": {"d": 1.0}}
    _standard_input(monkeypatch, b'{"query": "q", "document": "d", "grade": 1}\n')
    assert io.read_judgments("-").to_dict() == {"q": {"d": 1.0}}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_named_pipes_are_read_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(RUN,))
    writer.start()
    with io.open_source(str(path)) as source:
        assert source.format == "trec"
        assert not source.plain
        parts = []
        while part := source.read(1000):
            parts.append(part)
    writer.join()
    assert b"".join(parts) == RUN


def test_open_files() -> None:
    assert len(io.read_judgments(streams.BytesIO(gzip.compress(QRELS)))) == 5000
    with pytest.raises(InputError, match="open as text"):
        io.read_judgments(streams.StringIO("q 0 d 1\n"))


class _Slow(streams.RawIOBase):
    """A pipe that holds 300 bytes now, and would wait for ever for more."""

    def __init__(self, start: bytes) -> None:
        self.parts = [start, QRELS[:300]]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        assert self.parts, "asked for more than the pipe holds"
        part = self.parts.pop(0)
        buffer[: len(part)] = part
        return len(part)


def test_a_pipe_gives_what_it_holds_at_once() -> None:
    """Or else a Ctrl-C while it gives nothing is noticed too late."""
    start = (QRELS * 2)[:HEAD]
    assert len(start) == HEAD
    source = Source(streams.BufferedReader(_Slow(start), HEAD))
    assert source.read(HEAD) == start
    assert source.read(HEAD) == QRELS[:300]


def test_a_stream_can_be_opened_once() -> None:
    source = Source(streams.BytesIO(QRELS))
    assert source.read_all() == QRELS
    with pytest.raises(InputError, match="only once"):
        source.open()


def test_missing_file_names_similar_ones(tmp_path: Path) -> None:
    (tmp_path / "bm25.run.gz").write_bytes(b"")
    with pytest.raises(InputError, match="no such file") as caught:
        io.read_run(tmp_path / "bm25.run")
    assert caught.value.hint == "did you mean `bm25.run.gz`?"
    with pytest.raises(InputError, match="no such file") as caught:
        io.read_run(tmp_path / "nowhere" / "bm25.run")
    assert "no folder" in caught.value.hint


def test_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder, not a file"):
        io.read_judgments(tmp_path)


def test_name_with_a_zero_byte() -> None:
    with pytest.raises(InputError, match="cannot be read"):
        io.read_judgments("a\0b")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_no_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_bytes(QRELS)
    path.chmod(0)
    with pytest.raises(InputError, match="Permission denied"):
        io.read_judgments(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (b"q1 0 d\x00 1\n", "is a binary file: byte 7 is zero"),
        (b"\x7fELF\x02\x01\x01\x00", "is a binary file"),
        ("q1 0 d1 1\n".encode("utf-16-le"), "is UTF-16 text"),
        (b"PK\x03\x04rest", "is a zip archive"),
        (b"PK\x03\x04rest[Content_Types].xml", "is a spreadsheet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "is a spreadsheet"),
    ],
)
@pytest.mark.parametrize("name", ["data", "data.txt"])
def test_what_is_no_data(tmp_path: Path, content: bytes, message: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        io.read_judgments(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.qrels", b"q,d,1\n", "trec"),
        ("a.RUN", b"", "trec"),
        ("a.csv", b"q d\n", "csv"),
        ("a.tsv", b"query\tdocument\tgrade\nq\td\t1\n", "tsv"),
        ("a.tsv", b"1\t0\t7\t1\n", "trec"),
        ("a.tab", b"query document\n", "tsv"),
        ("a.jsonl", b"{}", "jsonl"),
        ("a.ndjson", b"{}", "jsonl"),
        ("a.json", b'{"q": {"d": 1}}', "json"),
        ("a.json", b'{\n "q": {\n', "json"),
        ("a.json", b'{"query": "q", "document": "d", "grade": 1}\n{"query": 2}\n', "jsonl"),
        ("a.json", b"nonsense", "json"),
        ("a.parquet", b"x", "parquet"),
        ("a.csv", b"PAR1....", "parquet"),
        ("a.txt", b"# note\n\n2 qid:1 1:0.5\n", "letor"),
        ("a.txt", b"2 1:0.5 3:1\n", "letor"),
        ("a.svm", b"2 1:0.5 3:1\n", "letor"),
        ("a", b"\xef\xbb\xbfquery,document,grade\n", "csv"),
        ("a", b"query;document;grade\n", "csv"),
        ("a", b"query\tdocument\tgrade\n", "tsv"),
        ("a", b"q1 Q0 d1 1 -1.5e-3 t\n", "trec"),
        ("a", b"q1 Q0 d1 1 .5\n", "trec"),
        ("a", b"[\n", "json"),
        ("a.txt", "q1 0 d1 高".encode(), "trec"),
        ("a.txt", b"only three words", "trec"),
    ],
)
def test_formats_are_recognised(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    path = tmp_path / name
    path.write_bytes(content or b"q1 Q0 d1 1 1 t\n")
    assert io.open_source(path).format == expected


def test_a_format_that_nobody_knows(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"once upon a time\n")
    with pytest.raises(InputError, match="not recognised; it begins with `once upon") as caught:
        io.read_judgments(path)
    assert "`trec`" in caught.value.hint


def test_format_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(QRELS)
    assert len(io.read_judgments(path, format="TREC")) == 5000
    assert len(io.read_judgments(path, format="qrels")) == 5000
    with pytest.raises(UnknownNameError, match="unknown format: `trek`") as caught:
        io.read_judgments(path, format="trek")
    assert "did you mean `trec`" in caught.value.hint


def test_a_format_cannot_hold_everything(tmp_path: Path) -> None:
    path = tmp_path / "a.letor"
    path.write_bytes(b"1 qid:1 1:2\n")
    with pytest.raises(InputError, match=r"a\.letor: the format `letor` cannot contain a run"):
        io.read_run(path)


def test_a_format_is_added_by_one_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pairs(Format):
        name = "pairs"
        suffixes = (".pairs",)

        def recognises(self, head: bytes) -> bool:
            return head.startswith(b"pairs!")

        def read_judgments(self, source, *, columns=None, scale=None):
            grades: dict[str, dict[str, float]] = {}
            for line in source.read_all().decode().splitlines()[1:]:
                query, document = line.split("=")
                grades.setdefault(query, {})[document] = 1.0
            return Judgments.from_dict(grades, scale=scale, source=source.path)

    assert Pairs.name not in list(formats)  # which registers every other format for good
    monkeypatch.setattr(formats, "_things", dict(formats._things))
    monkeypatch.setattr(formats, "_aliases", dict(formats._aliases))
    formats.add(Pairs.name, Pairs())
    for name in ("a.pairs", "a.pairs.gz", "other"):
        path = tmp_path / name
        path.write_bytes(
            gzip.compress(b"pairs!\nq=d\n") if name.endswith("gz") else b"pairs!\nq=d\n"
        )
        assert io.read_judgments(path).to_dict() == {"q": {"d": 1.0}}


def test_objects_that_are_not_files() -> None:
    class Qrels:
        def to_dict(self) -> dict[str, dict[str, int]]:
            return {"q": {"d": 1}}

    judgments = io.read_judgments(Qrels())
    assert judgments.to_dict() == {"q": {"d": 1.0}}
    assert io.read_judgments(judgments) is judgments
    run = io.read_run(Qrels(), name="mine")
    assert run.name == "mine"
    assert io.read_run(run) is run
    with pytest.raises(InputError, match="cannot read judgments from a int"):
        io.read_judgments(3)


def test_frames_mappings_and_sources(tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": ["q"], "docid": ["d"], "score": [1.0]})
    assert io.read_judgments(frame).to_dict() == {"q": {"d": 1.0}}
    assert io.read_run(frame, name="x").to_dict() == {"q": {"d": 1.0}}
    assert io.read_run({"q": {"d": 1}}).to_dict() == {"q": {"d": 1.0}}
    path = tmp_path / "a.run"
    path.write_bytes(b"q Q0 d 1 1 t\n")
    assert io.read_run(Source(path)).to_dict() == {"q": {"d": 1.0}}
    assert io.read_run(io.open_source(path)).name == "a.run"


@pytest.mark.parametrize("kind", [None, "judgments", "run", "scored", "write"])
def test_what_a_format_does_not_say_it_cannot(kind: str | None) -> None:
    class Nothing(Format):
        name = "nothing"

    nothing, source = Nothing(), Source(streams.BytesIO(b"x"))
    assert not nothing.recognises(b"x")
    calls: dict[str | None, Callable[[], object]] = {
        None: lambda: nothing.write_run(io.read_run({"q": {"d": 1}}), streams.BytesIO()),
        "judgments": lambda: nothing.read_judgments(source),
        "run": lambda: nothing.read_run(source),
        "scored": lambda: nothing.read_scored(source),
        "write": lambda: nothing.write_judgments(
            io.read_judgments({"q": {"d": 1}}), streams.BytesIO()
        ),
    }
    with pytest.raises(InputError, match="the format `nothing` cannot contain"):
        calls[kind]()


def test_first_lines() -> None:
    assert first_lines(b"\xef\xbb\xbf\r\n# c\n a b \r\nc") == [b" a b "]
    assert first_lines(b"\n\n#x\n") == []
    assert first_lines(b"#x\ny", count=2, comment=b"") == [b"#x", b"y"]


def test_reading_trec_needs_no_heavy_package(tmp_path: Path) -> None:
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run.gz"
    qrels.write_bytes(QRELS)
    run.write_bytes(gzip.compress(RUN))
    code = (
        "import json, sys, relyon.io\n"
        "relyon.io.read_judgments(sys.argv[1]); relyon.io.read_run(sys.argv[2])\n"
        "relyon.io.open_source(sys.argv[2])\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(qrels), str(run)],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(json.loads(result.stdout))
    assert "relyon" in loaded
    assert not loaded & {"numpy", "polars", "narwhals", "pandas", "pyarrow", "backports", "csv"}


def test_a_bad_line_in_a_stream_is_named() -> None:
    with pytest.raises(ParseError, match="<stream>:2"):
        io.read_judgments(streams.BytesIO(b"q 0 d 1\nq 0 d\n"))
