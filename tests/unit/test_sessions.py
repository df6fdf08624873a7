"""Search logs: tables of any engine, files of any format, values that cannot be read."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard

from relyon import InputError, ParameterError, ParseError, Sessions, UnknownNameError, read_sessions
from relyon.data.lazy import gather, utc
from relyon.data.sessions import COLUMNS

LOG = {
    "session": ["s1", "s1", "s2"],
    "query": ["tv", "tv", "iPhone  15"],
    "timestamp": ["2024-12-10T00:01:29Z", "2024-12-10 00:01:29", "1733788889000"],
    "position": [1, 2, 1],
    "doc": ["a", "b", "c"],
    "clicked": [True, False, True],
    "dwell_seconds": [3.5, None, 10.0],
    "add_to_cart": [False, False, True],
    "purchase": [False, False, False],
    "bucket": ["old", "old", "new"],
    "user": ["u1", "u1", "u2"],
}
TIME = datetime(2024, 12, 10, 0, 1, 29, tzinfo=UTC)


@pytest.fixture
def log() -> pl.DataFrame:
    return pl.DataFrame(LOG)


@pytest.fixture
def table(log: pl.DataFrame) -> pl.DataFrame:
    """The log as it should be read."""
    at = pl.Series("timestamp", [TIME] * 3, pl.Datetime("us", "UTC"))
    return log.with_columns(at)


# -- frames ----------------------------------------------------------------------------------------


def test_the_columns_in_their_order_and_types(log: pl.DataFrame, table: pl.DataFrame) -> None:
    sessions = Sessions.from_frame(log.select(reversed(log.columns)))
    assert sessions.columns == COLUMNS[: COLUMNS.index("shown")]
    assert sessions.missing == ()
    assert sessions.collect().equals(table)
    assert sessions.raw.collect().to_native()["timestamp"].to_list() == LOG["timestamp"]


def test_a_lazy_frame_is_not_carried_out(log: pl.DataFrame) -> None:
    def fail(_: pl.DataFrame) -> pl.DataFrame:
        raise RuntimeError("rows were read")

    lazy = log.lazy().map_batches(fail, schema=log.schema)
    sessions = Sessions.from_frame(lazy)
    assert sessions.columns == COLUMNS[: COLUMNS.index("shown")]
    with pytest.raises(Exception, match="rows were read"):
        sessions.collect()


@pytest.mark.parametrize(
    "convert",
    [pl.DataFrame.lazy, pl.DataFrame.to_arrow, pl.DataFrame.to_pandas],
    ids=["lazy", "arrow", "pandas"],
)
def test_every_engine_gives_the_same_table(table: pl.DataFrame, convert) -> None:
    # pandas has objects where the dwell time is missing as nothing else does
    assert Sessions.from_frame(convert(table)).collect().equals(table)


def test_duckdb_stays_in_duckdb(table: pl.DataFrame) -> None:
    naive = table.with_columns(pl.col("timestamp").dt.replace_time_zone(None)).to_arrow()
    relation = duckdb.from_arrow(naive)
    sessions = Sessions.from_frame(relation)
    assert sessions.frame.implementation.is_duckdb()
    assert sessions.collect().sort("session", "position").equals(pl.DataFrame(naive))


def test_text_times_are_refused_outside_polars(log: pl.DataFrame) -> None:
    arrow = log.to_arrow()
    relation = duckdb.from_arrow(arrow)
    with pytest.raises(InputError, match="outside Polars it must contain timestamps") as caught:
        Sessions.from_frame(relation)
    assert "cast it to a timestamp" in caught.value.hint


def test_an_object_with_the_arrow_interface(table: pl.DataFrame) -> None:
    class Exporter:
        def __arrow_c_stream__(self, schema: object = None) -> object:
            return table.to_arrow().__arrow_c_stream__(schema)

    assert Sessions.from_frame(Exporter()).collect().equals(table)


def test_no_frame() -> None:
    with pytest.raises(InputError, match="a list is not a data frame"):
        Sessions.from_frame([1])


def test_usual_spellings() -> None:
    frame = {"请求ID": [7], "Search Term": ["tv"], "RANK": [1], "asin": ["a"], "n_clicks": [2],
             "client_id": ["u"], "加购": [0]}  # fmt: skip
    sessions = Sessions.from_frame(pl.DataFrame(frame))
    assert sessions.collect().to_dicts() == [
        {"session": "7", "query": "tv", "position": 1, "doc": "a", "clicked": True,
         "add_to_cart": False, "user": "u"}
    ]  # fmt: skip
    assert sessions.missing == ("timestamp", "dwell_seconds", "purchase", "bucket")


def test_a_column_map_comes_before_the_spellings() -> None:
    frame = pl.DataFrame({"session": ["x"], "sid": ["s"], "query": ["q"], "pos": [1], "doc": ["d"]})
    assert Sessions.from_frame(frame, {"session": "sid"}).collect()["session"].item() == "s"


def test_several_columns_make_one_id() -> None:
    frame = pl.DataFrame({"visit": [1, 1], "search": [1, 2], "query": ["q", "q"], "pos": [1, 1],
                          "doc": ["d", "d"]})  # fmt: skip
    sessions = Sessions.from_frame(frame, {"session": "visit+search"})
    assert sessions.collect()["session"].to_list() == ["1-1", "1-2"]
    # The query may be a part of the session and still be the query.
    sessions = Sessions.from_frame(frame, {"session": "visit+query"})
    assert sessions.collect()["session"].to_list() == ["1-q", "1-q"]


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"grade": "doc"}, ParameterError, "`grade` is not a column of this kind"),
        ({"doc": "missing"}, InputError, "there is no column `missing` for the doc"),
        ({"session": "session+missing"}, InputError, "no column `session\\+missing`"),
        (
            {"doc": "clicked"},
            InputError,
            "the doc column contains Boolean, not text or whole numbers",
        ),
        ({"position": "clicked"}, InputError, "the position column contains Boolean, not numbers"),
        ({"timestamp": "clicked"}, InputError, "the timestamp column contains Boolean, not times"),
    ],
)
def test_columns_that_cannot_be(
    log: pl.DataFrame, columns: dict[str, str], error: type, message: str
) -> None:
    with pytest.raises(error, match=message):
        Sessions.from_frame(log, columns)


def test_a_missing_column_is_named_with_a_hint(log: pl.DataFrame) -> None:
    with pytest.raises(InputError, match="there is no column for the doc") as caught:
        Sessions.from_frame(log.drop("doc"))
    assert "--columns doc=" in caught.value.hint


def test_empty_ids_are_missing_and_spaces_are_kept() -> None:
    frame = pl.DataFrame({"session": ["", " s"], "query": ["  ", " tv "], "position": [1, 2],
                          "doc": [None, "d"]})  # fmt: skip
    assert Sessions.from_frame(frame).collect().rows() == [
        (None, None, 1, None), (" s", " tv ", 2, "d")
    ]  # fmt: skip


def test_positions_are_not_moved() -> None:
    frame = pl.DataFrame({"session": ["s", "s"], "query": ["q", "q"], "position": [0.0, None],
                          "doc": ["d", "e"]})  # fmt: skip
    assert Sessions.from_frame(frame).collect()["position"].to_list() == [0, None]


@pytest.mark.parametrize(
    "values", [["nan", "1", "NaN", "0"], [float("nan"), 1.0, float("nan"), 0.0]]
)
def test_a_click_that_is_not_a_number_is_none(values: list[object]) -> None:
    frame = pl.DataFrame({"session": ["s"] * 4, "query": ["q"] * 4, "position": [1, 2, 3, 4],
                          "doc": list("abcd"), "clicked": values})  # fmt: skip
    found = Sessions.from_frame(frame).collect()
    assert found["clicked"].to_list() == [False, True, False, False]


def test_pandas_gaps_are_missing() -> None:
    frame = pd.DataFrame({"session": ["s", "s"], "query": ["q", "q"], "position": [1, None],
                          "doc": ["d", "e"]})  # fmt: skip
    assert Sessions.from_frame(frame).collect()["position"].to_list() == [1, None]


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (["1", "0", "2", ""], [True, False, True, False]),
        (["TRUE", "no", "是", None], [True, False, True, False]),
        ([1.0, 0.0, None, 3.0], [True, False, False, True]),
        ([True, False, None, True], [True, False, False, True]),
    ],
)
def test_flags(values: list[object], wanted: list[bool]) -> None:
    frame = pl.DataFrame({"session": ["s"] * 4, "query": ["q"] * 4, "position": [1, 2, 3, 4],
                          "doc": list("abcd"), "clicked": values, "shown": values})  # fmt: skip
    found = Sessions.from_frame(frame).collect()
    assert found["clicked"].to_list() == wanted
    # A row without a word about it is an impression.
    shown = [True if value is None else flag for value, flag in zip(values, wanted, strict=True)]
    assert found["shown"].to_list() == shown


@pytest.mark.parametrize(
    "text",
    ["2024-12-10T00:01:29Z", "2024-12-10T08:01:29.000+08:00", "2024-12-10 00:01:29 UTC",
     "2024/12/10 00:01:29", "2024-12-10T00:01:29.000+0000", " 1733788889 ", "1733788889.0",
     "1733788889000", "1733788889000000", "1733788889000000000"],
)  # fmt: skip
def test_ways_to_write_a_time(text: str) -> None:
    assert pl.DataFrame({"at": [text]}).select(utc("at")).item() == TIME


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2024-12-10", datetime(2024, 12, 10, tzinfo=UTC)),
        ("2024-12-10 07:30", datetime(2024, 12, 10, 7, 30, tzinfo=UTC)),
        ("2024-12-10T07:30+01:00", datetime(2024, 12, 10, 6, 30, tzinfo=UTC)),
        ("tomorrow", None),
        ("inf", None),
        ("", None),
    ],
)
def test_short_times_and_no_times(text: str, wanted: datetime | None) -> None:
    assert pl.DataFrame({"at": [text]}).select(utc("at")).item() == wanted


def test_times_as_numbers_dates_and_zones() -> None:
    base = pl.DataFrame({"session": ["s"], "query": ["q"], "position": [1], "doc": ["d"]})
    for value in (
        pl.lit(1733788889),
        pl.lit(1733788889.0),
        pl.lit(TIME).dt.convert_time_zone("Asia/Shanghai"),
        pl.lit(TIME.replace(tzinfo=None)).cast(pl.Datetime("ms")),
    ):
        frame = base.with_columns(value.alias("timestamp"))
        assert Sessions.from_frame(frame).collect()["timestamp"].item() == TIME
    frame = base.with_columns(pl.lit(TIME.date()).alias("timestamp"))
    assert Sessions.from_frame(frame).collect()["timestamp"].item().hour == 0


def test_gather_collects_aggregates_of_any_engine(table: pl.DataFrame) -> None:
    import narwhals as nw

    arrow = table.with_columns(pl.col("timestamp").dt.replace_time_zone(None)).to_arrow()
    for frame in (table.lazy(), duckdb.from_arrow(arrow)):
        sessions = Sessions.from_frame(frame)
        assert gather(sessions.frame.select(nw.col("position").sum())).item() == 4


# -- files -----------------------------------------------------------------------------------------


def write(frame: pl.DataFrame, path: Path) -> Path:
    match path.suffixes[0]:
        case ".parquet":
            frame.write_parquet(path)
            return path
        case ".csv":
            data = frame.write_csv().encode()
        case ".tsv":
            data = frame.write_csv(separator="\t", quote_style="never").encode()
        case _:
            data = frame.write_ndjson().encode()
    packed: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".zst": zstandard.compress,
        ".bz2": bz2.compress,
    }
    path.write_bytes(packed[path.suffix](data) if path.suffix in packed else data)
    return path


@pytest.mark.parametrize(
    "name",
    [
        "log.parquet",
        "log.csv",
        "log.tsv",
        "log.jsonl",
        "log.csv.gz",
        "log.jsonl.zst",
        "log.txt.bz2",
    ],
)
def test_every_format_gives_the_same_table(
    tmp_path: Path, log: pl.DataFrame, table: pl.DataFrame, name: str
) -> None:
    path = write(log, tmp_path / name)
    sessions = read_sessions(path)
    assert sessions.source == str(path)
    assert sessions.collect().equals(table)
    assert read_sessions(sessions) is sessions


def test_quotes_in_text(tmp_path: Path) -> None:
    rows = 'session,query,position,doc\ns,"17"" screen, new\nline",1,d\n'
    (tmp_path / "log.csv").write_text(rows, "utf-8")
    assert read_sessions(tmp_path / "log.csv").collect()["query"].item() == '17" screen, new\nline'
    (tmp_path / "log.tsv").write_text('session\tquery\tposition\tdoc\ns\t"17" tv\t1\td\n', "utf-8")
    assert read_sessions(tmp_path / "log.tsv").collect()["query"].item() == '"17" tv'


def test_a_byte_order_mark_and_windows_lines(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_bytes(b"\xef\xbb\xbfsession,query,position,doc\r\ns,q,1,d\r\n")
    assert read_sessions(tmp_path / "log.csv").collect().row(0) == ("s", "q", 1, "d")


def test_json_values_of_several_types(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"session":1,"query":"q","position":1,"doc":7,"clicked":true}\n\n'
        '{"session":"1","query":"q","position":"2","doc":"8","clicked":0,"timestamp":1733788889}\n'
    )
    assert read_sessions(path).collect().rows() == [
        ("1", "q", None, 1, "7", True), ("1", "q", TIME, 2, "8", False)
    ]  # fmt: skip


def test_several_files_are_one_log(tmp_path: Path, log: pl.DataFrame, table: pl.DataFrame) -> None:
    parts = [write(log[:1], tmp_path / "a.csv"), write(log[1:], tmp_path / "b.csv.gz")]
    assert read_sessions(parts).collect().equals(table)
    with pytest.raises(InputError, match="different formats"):
        read_sessions([parts[0], write(log, tmp_path / "c.parquet")])
    with pytest.raises(InputError, match="different columns"):
        read_sessions([parts[0], write(log.drop("user"), tmp_path / "d.csv")])


def test_columns_of_files(tmp_path: Path, log: pl.DataFrame) -> None:
    for name in ("log.csv", "log.jsonl", "log.parquet"):
        path = write(log.rename({"doc": "b1", "session": "visit"}), tmp_path / name)
        with pytest.raises(InputError, match="no columns for `session`, `doc`"):
            read_sessions(path)
        found = read_sessions(path, columns={"doc": "b1", "session": "visit+user"}).collect()
        assert found["session"].to_list() == ["s1-u1", "s1-u1", "s2-u2"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('s,"two\nlines",1,d,1\n\ns,q,x,d,0\n', 5, "the position `x` is not a whole number"),
        ("s,q,1.5,d,1\n", 2, "the position `1.5` is not a whole number"),
        ("s,q,1,d,1\ns,q,2,d,maybe\n", 3, "column clicked: `maybe` is not true or false"),
        ("s,q,1,d,1\ns,q,2,d,1,more\n", 3, "expected 5 columns, as in the first line, got 6"),
    ],
)
def test_the_line_of_a_bad_value_in_csv(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "log.csv.gz"
    path.write_bytes(gzip.compress(b"session,query,position,doc,clicked\n" + text.encode()))
    with pytest.raises(ParseError, match=message) as caught:
        read_sessions(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('\n{"session":1,"query":"q","position":"x","doc":"d"}\n', 3, "the position `x`"),
        ('{"session":1,\n', 2, "is not JSON"),
        ("[1]\n", 2, "expected an object, got a list"),
    ],
)
def test_the_line_of_a_bad_value_in_json_lines(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"session":1,"query":"q","position":1,"doc":"d"}\n' + text)
    with pytest.raises(ParseError, match=message) as caught:
        read_sessions(path)
    assert caught.value.line == line


def test_files_that_are_no_logs(tmp_path: Path) -> None:
    for name, data, message in (
        ("log.parquet", b"PAR1 and nothing more", "cannot be read as Parquet"),
        ("log.json", b'[{"session": 1}]', "the format is not recognised"),
        ("log.txt", b"just words", "the format is not recognised"),
        ("log.jsonl", b"{}\n", "contains no objects"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError, match=message):
            read_sessions(tmp_path / name)
    with pytest.raises(UnknownNameError, match="unknown log format: `parket`"):
        read_sessions(tmp_path / "log.txt", format="parket")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there is no such file"):
        read_sessions(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="a int is not a data frame"):
        read_sessions(7)


def test_a_format_that_is_named_decides(tmp_path: Path, log: pl.DataFrame) -> None:
    path = write(log, tmp_path / "log.jsonl").rename(tmp_path / "log.csv")
    assert read_sessions(path, format="jsonl").collect().height == 3


def test_arrow_table(table: pl.DataFrame) -> None:
    assert isinstance(table.to_arrow(), pa.Table)
    assert read_sessions(table.to_arrow()).collect().equals(table)


def test_the_public_collection_of_sessions(test_data: Path) -> None:
    sessions = read_sessions(
        test_data / "trec_session2013_part" / "session_impressions.tsv.gz",
        columns={"session": "session+interaction"},
    )
    found = sessions.collect()
    assert found.height == 1709
    assert found["session"].n_unique() == found.filter(pl.col("position") == 1).height
    assert found["clicked"].sum() > 0
