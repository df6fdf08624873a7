"""Some two hundred hostile files and command lines: an error each, never a fault of relyon."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

#: What no command may say, whatever it is given.
FAULTS = ("Traceback", "unexpected ", "this is an error in relyon")
EXPECTED = {0, 1, 2, 3, 4}
HUGE = "9" * 400

#: Files of every kind of damage: what they are called, and what they hold.
DAMAGED: dict[str, bytes] = {
    "empty": b"",
    "blank": b"\n\n \n\t\n",
    "zeros": b"\0" * 5000,
    "bom.csv": b"\xef\xbb\xbf",
    "header.csv": b"query,doc,grade,score\n",
    "cut.csv": b'query,doc,grade,score\nq1,"d1,1,2\nq2,d2',
    "ragged.csv": b"query,doc,grade,score\nq1,d1\nq1,d2,1,2,3,4\n",
    "twice.csv": b"query,query,doc,doc,score,grade\nq1,q2,d1,d2,1,1\n",
    "same.csv": b"query,doc,grade,score\nq1,d1,1,1\nq1,d1,2,2\n",
    "huge.csv": f"query,doc,grade,score\nq1,d1,{HUGE},{HUGE}\n".encode(),
    "nan.csv": b"query,doc,grade,score\nq1,d1,nan,inf\nq1,d2,-inf,NaN\n",
    "names.csv": b"query,doc,grade,score\nq1,d1,good,bad\n",
    "cr.csv": b"query,doc,grade,score\rq1,d1,1,2\rq2,d2,1,2\r",
    "wide.csv": b"query,doc,grade,score" + b",x" * 5000 + b"\nq1,d1,1,2" + b",1" * 5000 + b"\n",
    "gbk.csv": "query,doc,grade,score\n查询,文档,1,2\n".encode("gbk"),
    "utf16.csv": "query,doc,grade,score\nq1,d1,1,2\n".encode("utf-16"),
    "controls.csv": b"query,doc,grade,score\n\x1b[2J,\x07\x9b,1,2\n",
    "quotes.csv": b'query,doc,grade,score\n"""""",\'\',1,2\n',
    "cut.jsonl": b'{"query": "q1", "document": "d1", "grade": 1}\n{"query": "q2"',
    "deep.json": b"[" * 100_000,
    "deep.jsonl": b'{"query": ' + b"[" * 50_000 + b"\n",
    "array.json": b"[1, 2, 3]",
    "null.json": b'{"q1": {"d1": null}, "q2": null}',
    "twice.json": b'{"q1": {"d1": 1}, "q1": {"d1": 2}}',
    "half.json": b'{"\\ud800": {"\\udfff": 1}}',
    "huge.json": f'{{"q1": {{"d1": {HUGE}}}}}'.encode(),
    "fields.run": b"q1 Q0 d1 1\nq1\n",
    "huge.run": f"q1 Q0 d1 {HUGE} {HUGE} x\n".encode(),
    "words.run": b"one two three four five six\n",
    "half.qrels": b"q1 0 d1 1\nq1 0 d2",
    "huge.qrels": f"q1 0 d1 {HUGE}\n".encode(),
    "minus.qrels": b"q1 0 d1 -2147483649\nq1 0 d2 -0\n",
    "long.qrels": b"q" * 200_000 + b" 0 d1 1\n",
    "gbk.qrels": "查询 0 文档 1\n".encode("gbk"),
    "bytes.qrels": bytes(range(1, 256)) * 20,
    "cut.letor": b"1 qid:1 1:0.5 2:\n2 qid:",
    "huge.letor": f"1 qid:1 {HUGE}:1\n".encode(),
    "text.parquet": b"PAR1 and then text",
    "ends.parquet": b"PAR1" + b"\xff" * 64 + b"PAR1",
    "cut.csv.gz": gzip.compress(b"query,doc,grade\nq1,d1,1\n" * 500)[:40],
    "not.gz": b"\x1f\x8b\x08\x00 nothing packed",
    "not.zst": b"\x28\xb5\x2f\xfd nothing packed",
    "sheet.xlsx": b"PK\x03\x04" + b"\0" * 100,
    "some.sqlite": b"SQLite format 3\x00" + b"\0" * 100,
    "rules.toml": b"ties = [[[",
    "other.toml": b'colour = "blue"\n',
    "rules.json": b'{"ties": {"ties": "ties"}}',
    "rules.yaml": b"- - - :\n\t- {",
    "own.py": b"raise SystemExit(",
}
SPECIAL = ("folder", "locked.csv", "loop.csv", "no/such/file.csv", "", "\0", "a" * 5000)

#: Commands that read a file, which takes the place of FILE.
READERS = [
    "evaluate FILE bm25.run",
    "evaluate judgments.qrels FILE",
    "evaluate --scored FILE",
    "compare judgments.qrels bm25.run FILE",
    "logs inspect FILE",
    "convert FILE out.csv --force",
    "judge import new.db FILE --project p",
    "explain FILE bm25.run",
    "fuse bm25.run FILE -o fused.run",
    "sample FILE -o s.jsonl",
    "diagnose judgments.qrels bm25.run FILE",
    "trec_eval FILE bm25.run",
]
#: Each damaged file with as many of the commands, in turn.
EACH = 3

LINES = [
    "",
    "nothing",
    "--nothing",
    "evaluate",
    "evaluate judgments.qrels",
    "evaluate - -",
    "evaluate bm25.run judgments.qrels",
    "evaluate judgments.qrels bm25.run -m",
    "evaluate judgments.qrels bm25.run -m ndcg@",
    "evaluate judgments.qrels bm25.run -m ndcg@0",
    "evaluate judgments.qrels bm25.run -m ndcg@-1",
    "evaluate judgments.qrels bm25.run -m ndcg@1e3",
    f"evaluate judgments.qrels bm25.run -m ndcg@{HUGE}",
    "evaluate judgments.qrels bm25.run -m ndcg@99999999999999999999",
    "evaluate judgments.qrels bm25.run -m ndcg@10,",
    "evaluate judgments.qrels bm25.run -m ,,,",
    "evaluate judgments.qrels bm25.run -m rbp(p=nan)",
    "evaluate judgments.qrels bm25.run -m rbp(p=2)",
    "evaluate judgments.qrels bm25.run -m rbp(((",
    "evaluate judgments.qrels bm25.run -m rbp(p=0.5,p=0.5)",
    "evaluate judgments.qrels bm25.run -m recall(rel=1e999)@5",
    "evaluate judgments.qrels bm25.run -m @no-such-file",
    "evaluate judgments.qrels bm25.run --set ties",
    "evaluate judgments.qrels bm25.run --set =",
    "evaluate judgments.qrels bm25.run --set ties=",
    "evaluate judgments.qrels bm25.run --set a.b.c=d",
    f"evaluate judgments.qrels bm25.run --set gain={HUGE}",
    "evaluate judgments.qrels bm25.run --convention nope.toml",
    "evaluate judgments.qrels bm25.run --convention rules.toml",
    "evaluate judgments.qrels bm25.run --convention other.toml",
    "evaluate judgments.qrels bm25.run --convention rules.json",
    "evaluate judgments.qrels bm25.run --convention rules.yaml",
    "evaluate judgments.qrels bm25.run --convention folder",
    "evaluate judgments.qrels bm25.run --scale other.toml",
    "evaluate judgments.qrels bm25.run --scale folder",
    "evaluate judgments.qrels bm25.run --plugin own.py",
    "evaluate judgments.qrels bm25.run --plugin no.such.module",
    "evaluate judgments.qrels bm25.run --threads 1000000",
    "evaluate judgments.qrels bm25.run --threads -1",
    f"evaluate judgments.qrels bm25.run --threads {HUGE}",
    "evaluate judgments.qrels bm25.run --digits 99",
    "evaluate judgments.qrels bm25.run --format nothing",
    "evaluate judgments.qrels bm25.run --run-format nothing",
    "evaluate judgments.qrels bm25.run --run-format parquet",
    "evaluate judgments.qrels bm25.run --judgments-format json",
    "evaluate judgments.qrels bm25.run --columns query=nothing",
    "evaluate judgments.qrels bm25.run --columns =",
    "evaluate judgments.qrels bm25.run --lang xx",
    "evaluate judgments.qrels bm25.run -o folder",
    "evaluate judgments.qrels bm25.run -o no/such/out.csv",
    "evaluate judgments.qrels bm25.run -o judgments.qrels",
    "compare judgments.qrels bm25.run",
    "compare judgments.qrels bm25.run bm25.run",
    "compare judgments.qrels bm25.run new.run --alpha 1.5",
    "compare judgments.qrels bm25.run new.run --confidence nan",
    "compare judgments.qrels bm25.run new.run --resamples 0",
    "compare judgments.qrels bm25.run new.run --seed -1",
    "compare judgments.qrels bm25.run new.run --fail-if-worse nothing",
    "explain judgments.qrels bm25.run --query nobody",
    "report judgments.qrels bm25.run new.run -o report.xyz",
    "report judgments.qrels bm25.run new.run -o folder",
    "logs doctor log.csv --columns session=nothing",
    "logs read log.csv -o folder",
    "sample log.csv -o no/such/file.jsonl",
    "fuse bm25.run",
    "fuse bm25.run new.run --method nothing",
    "convert bm25.run out.nothing",
    "convert bm25.run bm25.run",
    "measures nothing",
    "measures NDCG@10",
    "conventions nothing",
    "conventions rules.toml",
    "judge status folder",
    "judge status judgments.qrels",
    "judge export nothing.db --project p",
    "monitor show folder",
    "monitor show log.csv",
    "train log.csv -o model",
    "rank folder log.csv",
    "export log.csv -o out.onnx",
]


def _cases() -> Iterator[tuple[str, ...]]:
    place = 0
    for name in (*DAMAGED, *SPECIAL):
        for _ in range(EACH):
            reader = READERS[place % len(READERS)]
            place += 1
            yield tuple(name if word == "FILE" else word for word in reader.split())
        place += 1
    for line in LINES:
        yield tuple(line.split())


CASES = list(_cases())


@pytest.fixture
def hostile(files: Path) -> Path:
    """The working directory, with files of every kind of damage."""
    for name, content in DAMAGED.items():
        (files / name).write_bytes(content)
    (files / "folder").mkdir()
    (files / "loop.csv").symlink_to("loop.csv")
    (files / "locked.csv").write_text("query,doc\n")
    (files / "locked.csv").chmod(0)
    return files


def test_there_are_enough() -> None:
    assert len(CASES) >= 190


@pytest.mark.parametrize(
    "arguments", CASES, ids=[f"{n}-{' '.join(one)[:60]}" for n, one in enumerate(CASES)]
)
def test_no_input_is_a_fault(
    arguments: tuple[str, ...], hostile: Path, command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        outcome = command(*arguments)
    assert outcome.code in EXPECTED, outcome.err
    assert not [fault for fault in FAULTS if fault in outcome.out + outcome.err]
    if outcome.code in {2, 3, 4} and arguments[:1] != ("trec_eval",):
        assert outcome.err.startswith(("error: ", "note: ", "warning: ")), outcome.err
        assert "error: " in outcome.err


@pytest.mark.parametrize(
    "line",
    [
        "evaluate judgments.qrels bytes.qrels",
        "evaluate huge.json bm25.run",
        "logs inspect text.parquet",
        "evaluate deep.json bm25.run",
        "compare judgments.qrels bm25.run locked.csv",
    ],
)
def test_a_process_ends_as_cleanly(line: str, hostile: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "relyon", *line.split()],
        cwd=hostile, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode in EXPECTED, done.stderr
    assert not [fault for fault in FAULTS if fault in done.stderr]
