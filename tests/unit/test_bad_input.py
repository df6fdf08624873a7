"""Bad input has one answer, whichever way it comes in: an error that names the place, or a note."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.conftest import Command, Outcome

import relyon
from relyon import io
from relyon._native import RunTable
from relyon.core.errors import (
    InputError,
    ParameterError,
    ParseError,
    RelyonError,
    StrictError,
    UnknownNameError,
)

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n"
#: How much more memory and time a program takes under sanitizers (`make sanitize`), which keep what
#: was freed for a while and look at every access.
LARGER, SLOWER = (4, 10) if "libasan" in os.environ.get("LD_PRELOAD", "") else (1, 1)
RUN = "q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 1.5 x\nq2 Q0 d1 1 3 x\n"


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "judged.qrels"
    path.write_text(QRELS)
    return path


def test_a_document_that_comes_back_after_another_query(qrels: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("q1 Q0 d1 1 2 x\n#q1 Q0 d1 1 2 3 x\nq2 Q0 d1 1 2 x\nq1 Q0 d1 2 1 x\n")
    with pytest.raises(ParseError, match=r"x\.run:4: document `d1` occurs twice in query `q1`"):
        relyon.evaluate(qrels, path)


def test_repeated_documents_of_queries_that_nobody_judged(qrels: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    twice = "q3 Q0 d1 1 2 x\nq3 Q0 d1 2 1 x\n"
    for text in (RUN + twice, twice + RUN + "q1 Q0 d3 3 1 x\n"):
        path.write_text(text)
        assert relyon.evaluate(qrels, path, "rr")["rr"] == 1.0


def test_long_ids_are_cut_in_messages(qrels: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text(f"q1 Q0 {'d' * 9999} 1 2 x\n" * 2)
    with pytest.raises(ParseError, match="occurs twice") as caught:
        relyon.evaluate(qrels, path)
    assert caught.value.line == 2
    assert len(str(caught.value)) < 500
    path.write_text(f"q1 0 {'d' * 9999} 1\nq1 0 {'d' * 9999} 2\n")
    with pytest.raises(InputError, match="two grades") as caught_grade:
        relyon.evaluate(path, qrels)
    assert len(str(caught_grade.value)) < 500


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("1" + "0" * 400 + "e-300", 1e100),
        ("0." + "0" * 400 + "1e+500", 1e99),
        ("0." + "0" * 400 + "1e5", 0.0),
        ("0." + "0" * 400 + "1e+5", 0.0),
        ("1" + "0" * 400 + "e-5", None),
        ("1e-400", 0.0),
        ("-1e-99999999999999999999", 0.0),
        ("1e99999999999999999999", None),
        ("0e99999999999999999999", 0.0),
    ],
)
def test_numbers_beyond_the_range(number: str, expected: float | None, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text(f"q1 Q0 d1 1 {number} x\n")
    if expected is None:
        with pytest.raises(ParseError, match="the score is not a finite number"):
            io.read_run(path)
    else:
        assert io.read_run(path)["q1"] == {"d1": expected}


@pytest.mark.parametrize("text", [b"\r\n#", b"\n\n", b"#", b" \n", b"\xef\xbb\xbf", b"\n#\n"])
def test_files_of_a_few_bytes(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_bytes(text)
    with pytest.raises(InputError, match=r"x\.run: contains no document"):
        RunTable.from_text(str(path))
    path.write_bytes(text + b"x" if text[-1:] == b"\n" else text + b"\nx")
    with pytest.raises(ParseError, match="expected 6 columns"):
        RunTable.from_text(str(path))


def test_a_tag_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_bytes("q1 Q0 d1 1 2 é\n".encode("latin-1"))
    with pytest.raises(ParseError, match=r"x\.run:1: is not UTF-8 text .* looks like LATIN1"):
        io.read_run(path)


# judgments, run, measure, error, exit code, and what the message says. Files are relative to the
# directory that the command runs in.
REFUSED: dict[str, tuple[bytes | None, bytes | None, str, type[RelyonError], int, list[str]]] = {
    "score nan": (
        None,
        b"q1 Q0 d1 1 2 x\nq1 Q0 d2 2 nan x\n",
        "rr",
        ParseError,
        3,
        ["x.run:2: ", "`nan`"],
    ),
    "score infinite": (
        None,
        b"q1 Q0 d1 1 -inf x\n",
        "rr",
        ParseError,
        3,
        ["x.run:1: ", "not a finite number"],
    ),
    "score too large": (
        None,
        b"\nq1 Q0 d1 1 1e999 x\n",
        "rr",
        ParseError,
        3,
        ["x.run:2: ", "`1e999`"],
    ),
    "ids in latin 1": (
        None,
        RUN.encode() + "q2 Q0 é 1 2 x\n".encode("latin-1"),
        "rr",
        ParseError,
        3,
        ["x.run:4: ", "LATIN1", "iconv -f LATIN1 -t UTF-8 x.run"],
    ),
    "judgments in latin 1": (
        QRELS.encode() + "q2 0 é 1\n".encode("latin-1"),
        None,
        "rr",
        ParseError,
        3,
        ["j.qrels:4: ", "LATIN1", "iconv -f LATIN1 -t UTF-8 j.qrels"],
    ),
    "score hexadecimal": (
        None,
        b"q1 Q0 d1 1 0x1p3 x\n",
        "rr",
        ParseError,
        3,
        ["x.run:1: ", "`0x1p3`"],
    ),
    "score of a query without judgments": (
        None,
        RUN.encode() + b"q9 Q0 d1 1 ? x\n",
        "rr",
        ParseError,
        3,
        ["x.run:4: ", "not a number: `?`"],
    ),
    "grade nan": (b"q1 0 d1 nan\n", None, "rr", ParseError, 3, ["j.qrels:1: ", "`nan`"]),
    "grade a word": (
        b"q1 0 d1 1\nq1 0 d2 good\n",
        None,
        "rr",
        ParseError,
        3,
        ["j.qrels:2: ", "`good`", "scale"],
    ),
    "document twice": (
        None,
        b"q1 Q0 d1 1 2 x\n" * 2,
        "rr",
        ParseError,
        3,
        ["x.run:2: ", "`d1`", "`q1`", "line 1"],
    ),
    "two grades": (
        b"q1 0 d1 1\nq1 0 d1 2\n",
        None,
        "rr",
        ParseError,
        3,
        ["j.qrels:2: ", "`d1`", "line 1"],
    ),
    "short line": (
        None,
        RUN.encode() + b"q2 Q0\n",
        "rr",
        ParseError,
        3,
        ["x.run:4: ", "got 2: `q2 Q0`"],
    ),
    "long line of judgments": (
        QRELS.encode() + b"a b c 1 2 3\n",
        None,
        "rr",
        ParseError,
        3,
        ["j.qrels:4: ", "got 6"],
    ),
    "empty run": (None, b"", "rr", InputError, 3, ["x.run: ", "empty"]),
    "empty judgments": (b"", None, "rr", InputError, 3, ["j.qrels: ", "empty"]),
    "comments only": (None, b"# a comment\n\n", "rr", InputError, 3, ["x.run: "]),
    "binary": (None, bytes(range(256)) * 9, "rr", InputError, 3, ["x.run: ", "binary"]),
    "binary in the middle": (
        None,
        RUN.encode() * 2000 + b"q3 Q0 d\0 1 2 x\n",
        "rr",
        InputError,
        3,
        ["x.run:6001: ", "NUL"],
    ),
    "truncated gzip": (
        None,
        gzip.compress(RUN.encode())[:-12],
        "rr",
        InputError,
        3,
        ["x.run: ", "truncated"],
    ),
    "arguments exchanged": (
        RUN.encode(),
        QRELS.encode(),
        "rr",
        ParseError,
        3,
        ["j.qrels:1: ", "this looks like a run"],
    ),
    "no query in common: int and text": (
        b"q1 0 d1 1\nq2 0 d1 1\n",
        b"1 Q0 d1 1 2 x\n2 Q0 d1 1 2 x\n",
        "rr",
        InputError,
        3,
        ["`q1`", "the run has `1`", "the prefix"],
    ),
    "no query in common: padding": (
        b"7 0 d1 1\n8 0 d1 1\n",
        b"007 Q0 d1 1 2 x\n008 Q0 d1 1 2 x\n",
        "rr",
        InputError,
        3,
        ["`007` in the run, `7` in the judgments"],
    ),
    "cutoff 0": (None, None, "ndcg@0", ParameterError, 2, ["`ndcg@0`", "1 or more", "Got `0`"]),
    "cutoff negative": (None, None, "ndcg@-1", RelyonError, 2, ["ndcg@-1"]),
    "cutoff no number": (None, None, "ndcg@ten", RelyonError, 2, ["ndcg@ten"]),
    "unknown measure": (
        None,
        None,
        "ngcd@10",
        UnknownNameError,
        2,
        ["unknown measure: `ngcd`", "did you mean `ndcg`?"],
    ),
    "unknown parameter": (
        None,
        None,
        "ndcg(gian=exp)",
        RelyonError,
        2,
        ["`gian`", "did you mean `gain`?"],
    ),
}


def _write(folder: Path, judgments: bytes | None, run: bytes | None) -> None:
    (folder / "j.qrels").write_bytes(QRELS.encode() if judgments is None else judgments)
    (folder / "x.run").write_bytes(RUN.encode() if run is None else run)


def _no_traceback(outcome: Outcome) -> None:
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    assert "report" not in outcome.err
    assert outcome.err.startswith("error: ")
    assert len(outcome.err) < 1000


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, files: Path, command: Command) -> None:
    judgments, run, measure, kind, code, words = REFUSED[name]
    _write(files, judgments, run)
    with pytest.raises(kind) as caught:
        relyon.evaluate("j.qrels", "x.run", measure)
    outcome = command("evaluate", "j.qrels", "x.run", "-m", measure)
    assert outcome.code == code
    _no_traceback(outcome)
    for word in words:
        assert word in str(caught.value)
        assert word in outcome.err


@pytest.mark.parametrize("place", ["judgments", "run"])
@pytest.mark.parametrize(("name", "words"), [("folder", "folder"), ("j.qrel", "did you mean")])
def test_paths_that_cannot_be_read(
    place: str, name: str, words: str, files: Path, command: Command
) -> None:
    _write(files, None, None)
    (files / "folder").mkdir()
    paths = (name, "x.run") if place == "judgments" else ("j.qrels", name)
    with pytest.raises(InputError, match=rf"(?s)^{name}: .*{words}"):
        relyon.evaluate(*paths)
    outcome = command("evaluate", *paths)
    assert outcome.code == 3
    _no_traceback(outcome)
    assert words in outcome.err


# What is accepted, and with which notes; `strict` refuses those that are warnings.
ACCEPTED: dict[str, tuple[bytes | None, bytes | None, dict[str, int]]] = {
    "crlf": (QRELS.replace("\n", "\r\n").encode(), RUN.replace("\n", "\r\n").encode(), {}),
    "byte-order mark": (b"\xef\xbb\xbf" + QRELS.encode(), b"\xef\xbb\xbf" + RUN.encode(), {}),
    "ids with number signs": (
        QRELS.replace("q", "#").replace("d", "#").encode(),
        RUN.replace("q", "#").replace("d", "#").encode(),
        {},
    ),
    "ids beyond ascii": (
        QRELS.replace("q", "问").replace("d", "é😀").encode(),
        RUN.replace("q", "问").replace("d", "é😀").encode(),
        {},
    ),
    "no line end": (QRELS.strip().encode(), RUN.strip().encode(), {}),
    "same grade twice": (QRELS.encode() * 2, None, {"duplicate-judgments": 3}),
    "query without judgments": (None, RUN.encode() + b"q3 Q0 d1 1 2 x\n", {"unjudged-queries": 1}),
    "query missing": (QRELS.encode() + b"q3 0 d1 0\n", None, {"missing-queries": 1}),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str, files: Path, command: Command) -> None:
    judgments, run, notes = ACCEPTED[name]
    _write(files, judgments, run)
    results = relyon.evaluate("j.qrels", "x.run", "p@1")
    held = [value for value in results.values_by_query("p@1").values() if value]
    assert held == [1.0, 1.0]
    assert {note.kind: note.count for note in results.notes} == notes
    assert all(note.level == "warning" for note in results.notes)
    arguments = ("evaluate", "j.qrels", "x.run", "-m", "p@1", "--format", "csv")
    outcome = command(*arguments)
    assert outcome.code == 0
    assert f"p@1,{results['p@1']!r}," in outcome.out
    for note in results.notes:
        assert outcome.err.count(note.message) == 1
    outcome = command(*arguments, "--strict")
    if not notes:
        assert outcome.code == 0
        return
    assert outcome.code == 1
    _no_traceback(outcome)
    with pytest.raises(StrictError):
        relyon.evaluate("j.qrels", "x.run", "p@1", strict=True)


def test_no_document_in_common_is_a_warning(files: Path, command: Command) -> None:
    _write(files, None, RUN.replace("d", "D").encode())
    results = relyon.evaluate("j.qrels", "x.run", "p@1")
    assert [note.kind for note in results.notes] == ["no-judged-document"]
    assert command("evaluate", "j.qrels", "x.run", "--strict").code == 1


ENDLESS = 100 * 2**20


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A line of 100 MiB without an end: one of 10 GB takes the same way."""
    path = tmp_path_factory.mktemp("endless") / "endless"
    with path.open("wb") as file:
        for _ in range(100):
            file.write(b"x" * 2**20)
    return path


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")
@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("x.run", True),
        ("x.run", False),
        ("j.qrels", True),
        ("j.qrels", False),
        ("x.csv", True),
        ("x.tsv", True),
    ],
)
def test_a_line_without_end(name: str, first: bool, files: Path, endless: Path) -> None:
    _write(files, None, None)
    table = name.endswith("sv")
    path = files / name
    if first:
        path.unlink(missing_ok=True)
        path.symlink_to(endless)
    else:
        with path.open("ab") as file, endless.open("rb") as line:
            while part := line.read(2**20):
                file.write(part)
    run = "x.run" if name == "j.qrels" else name
    code = (
        "import re, resource\n"
        "from pathlib import Path\n"
        "from relyon.cli.application import main\n"
        f"resource.setrlimit(resource.RLIMIT_CPU, ({20 * SLOWER}, {20 * SLOWER}))\n"
        "try:\n"
        f"    main(['evaluate', 'j.qrels', '{run}'])\n"
        "finally:\n"
        "    used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "    status = Path('/proc/self/status').read_text()\n"
        "    peak = re.search(r'VmHWM:\\s+(\\d+) kB', status).group(1)\n"
        "    print(peak, used.ru_utime + used.ru_stime)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=files, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    limit = "64 KiB" if table else "16 MiB"
    assert done.stderr.startswith(f"error: {name}:{1 if first else 4}: the ")
    assert f"line is longer than {limit}" in done.stderr
    assert len(done.stderr) < 500
    memory, seconds = done.stdout.split()
    assert int(memory) < (300 if table else 150) * 1024 * LARGER
    assert float(seconds) < (4 if table else 2) * SLOWER


def test_long_lines_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.run"
    line = b"q1 Q0 d1 1 2 "
    limit = 16 << 20
    for size, accepted in ((limit, True), (limit + 1, False)):
        path.write_bytes(line + b"x" * (size - len(line)) + b"\nq2 Q0 d1 1 2 x\n")
        for stretch in ("", "5000000"):
            monkeypatch.setenv("RELYON_STRETCH", stretch)
            if accepted:
                assert relyon.evaluate({"q2": {"d1": 1}}, path, "rr")["rr"] == 1.0
            else:
                with pytest.raises(ParseError, match=r"x\.run:1: the line is longer"):
                    relyon.evaluate({"q2": {"d1": 1}}, path, "rr")
