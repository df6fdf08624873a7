"""Files that are small when they are sent, and would take all memory when they are read."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.core.errors import InputError
from relyon.io.byte_source import Source
from relyon.io.parquet_size import measure_parquet
from relyon.io.table_files import read_table

LIMIT = 2**20
#: Reads a file in a process of its own, and says what it took.
SCRIPT = """
import resource, sys
# Enough for the threads of the readers, and far less than what the files hold.
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
import relyon
from relyon.core.errors import InputError
limit, *paths = sys.argv[1:]
for path in paths:
    try:
        relyon.read_sample(path, limit=int(limit))
        print("read")
    except InputError as error:
        print(error.message.partition(": ")[2])
status = open("/proc/self/status").read()
print(int(status.partition("VmHWM:")[2].split()[0]) // 1024)
"""


def packed(compress: Callable[[bytes], bytes], size: int) -> bytes:
    """Compressed CSV of one large cell in many rows."""
    return compress(b"a,b\n" + b"0,0\n" * (size // 4))


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="needs the memory counts of Linux")
def test_bombs_take_little_memory(tmp_path: Path) -> None:
    """What takes less than 10 MB on the disk would be 0.4 to 5 GB."""
    part = gzip.compress(b"draw,tier\n" + b"0,0\n" * 2**18)
    (tmp_path / "long.csv").write_bytes(part * 5_000)
    (tmp_path / "short.csv").write_bytes(gzip.compress(b"draw,tier\n" + b"0,0\n" * 10_000_000, 1))
    rows = pl.select(pl.repeat("x", 30_000_000).alias("a"))
    rows.write_parquet(tmp_path / "rows.parquet", row_group_size=len(rows))
    pages = pl.DataFrame({"a": ["x" * 10_000_000 + str(n) for n in range(40)]})
    pages.write_parquet(tmp_path / "pages.parquet", statistics=False)
    lines = ["{" + f'"member {n}": 1' + "}" for n in range(30_000)]
    (tmp_path / "members.jsonl").write_text("\n".join(lines))
    (tmp_path / "wide.csv").write_text(",".join(f"c{n}" for n in range(1_000_000)) + "\n1\n" * 9)
    (tmp_path / "deep.jsonl").write_text('{"a": ' + "[" * 500_000 + "]" * 500_000 + "}")
    names = ("long.csv", "short.csv", "rows.parquet", "pages.parquet", "members.jsonl",
             "wide.csv", "deep.jsonl")  # fmt: skip
    assert max((tmp_path / name).stat().st_size for name in names) < 10 * 2**20
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(256 * 2**20), *names],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    *told, peak = done.stdout.splitlines()
    large = "is too large: it takes more than 256 MiB when unpacked and read"
    assert told == [
        large,
        large,
        large,
        large,
        "is not a sample: it has no column `draw`",
        "has more than 10,000 columns",
        "is not JSON: nested too deeply",
    ]
    assert int(peak) < 600


@pytest.mark.parametrize(
    "compress", [gzip.compress, bz2.compress, lzma.compress, "zstandard", "lz4.frame", None]
)
def test_every_compression_is_counted(tmp_path: Path, compress: object) -> None:
    if isinstance(compress, str):
        module = pytest.importorskip(compress)
        compress = module.compress
    pack = compress if callable(compress) else bytes
    path = tmp_path / "a.csv"
    path.write_bytes(packed(pack, LIMIT))
    with Source(path, limit=2 * LIMIT) as source:
        assert len(source.read_all()) == LIMIT + 4
    with pytest.raises(InputError, match=r"a\.csv: is too large: .* more than 1 MiB"):
        Source(path, limit=LIMIT).read_all()
    with path.open("rb") as stream, pytest.raises(InputError, match="too large"):
        Source(stream, limit=LIMIT).read_all()
    assert len(Source(path).read_all()) == LIMIT + 4


@pytest.fixture
def frame() -> pl.DataFrame:
    rows = 500
    return pl.DataFrame(
        {
            "text": [None if n % 7 == 0 else f"text {n % 50}" for n in range(rows)],
            "number": range(rows),
            "share": [n / 3 for n in range(rows)],
            "yes": [n % 2 == 0 for n in range(rows)],
        }
    )


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "brotli", "lz4", "uncompressed"])
def test_what_parquet_takes_is_told_from_its_tables(frame: pl.DataFrame, compression: str) -> None:
    for part in (50, 500):
        file = io.BytesIO()
        frame.write_parquet(file, compression=compression, row_group_size=part)  # type: ignore[arg-type]
        size = measure_parquet(file.getvalue(), "a")
        assert 16 * 4 * 500 <= size < 3 * 16 * 4 * 500


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_what_another_program_writes_is_measured(
    frame: pl.DataFrame, version: str, dictionary: bool
) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    for pages in ("1.0", "2.0"):
        file = io.BytesIO()
        pyarrow.parquet.write_table(
            frame.to_arrow(), file, version=version.replace("2.0", "2.6"),
            use_dictionary=dictionary, data_page_version=pages,
        )  # fmt: skip
        assert 16 * 4 * 500 <= measure_parquet(file.getvalue(), "a") < 3 * 16 * 4 * 500
    file = io.BytesIO()
    pyarrow.parquet.write_table(
        frame.to_arrow(), file, use_dictionary=False,
        column_encoding={"text": "DELTA_BYTE_ARRAY"},
    )  # fmt: skip
    with pytest.raises(InputError, match="hides its size"):
        measure_parquet(file.getvalue(), "a")


def test_one_text_for_many_rows_counts_for_each(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for frame in (
        pl.DataFrame({"a": ["x" * 1000] * 5000}),
        pl.DataFrame({"a": pl.Series(["x" * 1000] * 5000, dtype=pl.Categorical)}),
    ):
        frame.write_parquet(path)
        assert measure_parquet(path.read_bytes(), "a") < LIMIT
        with pytest.raises(InputError, match="too large"):
            read_table(path, limit=LIMIT)
        assert read_table(path, limit=8 * LIMIT).equals(frame)
    pl.DataFrame({"a": [[1]]}).write_parquet(path)
    with pytest.raises(InputError, match="`a` contains nested values"):
        read_table(path, limit=LIMIT)


@given(st.data())
def test_damaged_parquet_is_refused_in_words(data: st.DataObject) -> None:
    file = io.BytesIO()
    pl.DataFrame({"a": ["x", "y", None] * 20, "b": range(60)}).write_parquet(file)
    changed = bytearray(file.getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(-400, -1) | st.integers(0, len(changed) - 1))
        changed[place % len(changed)] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(changed)) | st.just(len(changed)))
    with suppress(InputError):
        assert measure_parquet(bytes(changed[:cut]), "a") >= 0


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_sample_within_the_limit_is_the_same(
    tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    log = pl.DataFrame(
        {
            "session": [f"s{n}" for n in range(60) for _ in "ab"],
            "query": [f"=query {n % 9}" for n in range(60) for _ in "ab"],
            "position": [1, 2] * 60,
            "doc": ["a", "ü"] * 60,
        }
    )
    sample = relyon.draw_sample(log, k=2, design="pptss", per_tier=5, seed=3)
    path = tmp_path / f"sample{ending}"
    sample.write(path)
    path.write_bytes(pack(path.read_bytes()))
    bounded = relyon.read_sample(path, limit=LIMIT)
    assert bounded.to_frame().equals(relyon.read_sample(path).to_frame())
    assert bounded.tiers == relyon.read_sample(path).tiers
    with pytest.raises(InputError, match="too large"):
        relyon.read_sample(path, limit=2000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ('{"a": 1}\n[1]\n', ":2: expected an object"),
        ('{"a": [1]}\n', ":1: `a` is not a single value"),
        ('{"a": "' + "x" * 2**20 + '"}\n', ":1: the line is longer than 1 MiB"),
        (json.dumps(dict.fromkeys(map(str, range(10_001)))), "more than 10,000 members"),
    ],
)
def test_lines_of_json_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_table(path, limit=2**24)


def test_members_of_json_are_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1, "b": true, "c": 0.10}\n\n{"a": "x", "d": 1}\n')
    found = read_table(path, limit=LIMIT)
    assert found.rows() == [("1", "true", "0.10"), ("x", None, None)]
