"""The command line as a process: streams, pipes, exit codes, interrupts, imports."""

from __future__ import annotations

import errno
import gzip
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import relyon

pytestmark = pytest.mark.long

FILES = ("judgments.qrels", "bm25.run")
RELYON = [sys.executable, "-m", "relyon"]


def test_data_on_stdout_and_the_rest_on_stderr(process) -> None:
    outcome = process("evaluate", *FILES, "-m", "rr", "--format", "csv")
    assert outcome.code == 0
    assert all(line.startswith(("run,", "bm25.run,")) for line in outcome.out.splitlines())
    assert outcome.err.splitlines() == [
        "convention relyon: ties=doc-desc, undefined=skip, missing=zero",
        "warning: 1 query is in the judgments but not in the run (q3) — lesson: relyon learn 13",
    ]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_stdin_plain_and_compressed(pack, process, files: Path) -> None:
    data = pack((files / "bm25.run").read_bytes())
    outcome = process("evaluate", "judgments.qrels", "-", "-m", "rr", "--format", "csv", data=data)
    assert outcome.out.splitlines()[1].startswith("stdin,rr,0.666666")
    data = pack((files / "judgments.qrels").read_bytes())
    outcome = process("evaluate", "-", "bm25.run", "-m", "rr", "--format", "csv", data=data)
    assert outcome.out.splitlines()[1].startswith("bm25.run,rr,0.666666")


def test_convert_between_pipes(process, files: Path) -> None:
    data = (files / "bm25.run").read_bytes()
    outcome = process("convert", "-", "-", "--format", "csv", data=data)
    assert outcome.code == 0, outcome.err
    assert outcome.out.splitlines()[1].startswith("q1,d2,")
    assert outcome.err == "stdout: 5 documents retrieved for 2 queries\n"


def test_a_closed_pipe_is_silent(files: Path) -> None:
    lines = "".join(f"q{number} Q0 d1 1 1.5 x\n" for number in range(50_000))
    (files / "long.run").write_text(lines)
    (files / "long.qrels").write_text("".join(f"q{number} 0 d1 1\n" for number in range(50_000)))
    command = [*RELYON, "evaluate", "long.qrels", "long.run", "-q", "--format", "trec"]
    with subprocess.Popen(
        command, cwd=files, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline()
        running.stdout.close()
        said = running.stderr.read()
        assert running.wait(60) == 141
    assert said == b""


def test_an_interrupt_is_clean(files: Path) -> None:
    os.mkfifo(files / "waiting")
    with subprocess.Popen(
        [*RELYON, "evaluate", "judgments.qrels", "-"],
        cwd=files,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None
        running.stdin.write(b"q1 Q0 d1 1 2.5 x\n")
        running.stdin.flush()
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(1.5)
        running.send_signal(signal.SIGINT)
        out, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert out == b""
    assert said.strip() == b"error: interrupted"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("evaluate", *FILES), 0),
        (("evaluate", *FILES, "--strict"), 1),
        (("evaluate", *FILES, "-m", "nothing"), 2),
        (("evaluate", "judgments.qrels", "absent.run"), 3),
        (("evaluate", *FILES, "--convention", "mine.yaml"), 4),
    ],
)
def test_exit_codes(arguments: tuple[str, ...], code: int, process, files: Path) -> None:
    if code == 4:
        (files / "mine.yaml").write_text("ties: worst\n")
        (files / "yaml.py").write_text("raise ImportError('not installed')\n")
    outcome = process(*arguments)
    assert outcome.code == code, outcome.err
    assert "Traceback" not in outcome.err


def test_an_unexpected_error_asks_for_a_report(process, files: Path) -> None:
    script = "import relyon.evaluation as e; e.Evaluator.evaluate = lambda *a, **k: 1 / 0;"
    script += (
        "from relyon.cli.application import main; main(['evaluate', 'judgments.qrels', 'bm25.run'])"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=files, capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert done.stderr.splitlines()[0] == "error: unexpected ZeroDivisionError: division by zero"
    assert "Traceback" not in done.stderr
    environment = {**os.environ, "RELYON_TRACEBACK": "1"}
    done = subprocess.run(
        command, cwd=files, capture_output=True, text=True, check=False, env=environment
    )
    assert "Traceback (most recent call last)" in done.stderr


def on_terminal(files: Path, *arguments: str, **variables: str) -> str:
    """Returns what a command writes to a terminal."""
    parent, child = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    with subprocess.Popen(
        [*RELYON, *arguments],
        cwd=files,
        stdout=subprocess.DEVNULL,
        stderr=child,
        env={**environment, "TERM": "xterm", **variables},
    ) as running:
        os.close(child)
        parts = []
        while True:
            try:
                part = os.read(parent, 4096)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                break
            if not part:
                break
            parts.append(part)
        running.wait(60)
    os.close(parent)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_colours_on_a_terminal_only(files: Path) -> None:
    warning = "warning: 1 query is in the judgments but not in the run (q3)\n"
    plain = f"{warning}  Lesson: relyon learn 13\n"  # in one piece, to be copied
    assert on_terminal(files, "evaluate", *FILES, "-m", "rr") == plain.replace(
        "warning:", "\x1b[33;1mwarning:\x1b[0m"
    )
    assert on_terminal(files, "evaluate", *FILES, "-m", "rr", "--no-color") == plain
    assert on_terminal(files, "evaluate", *FILES, "-m", "rr", NO_COLOR="1") == plain
    assert on_terminal(files, "evaluate", *FILES, "-m", "rr", TERM="dumb") == plain


def test_a_character_that_the_terminal_lacks_is_escaped(files: Path) -> None:
    environment = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*RELYON, "measures", "pnr"], cwd=files, capture_output=True, env=environment, check=False
    )
    assert done.returncode == 0
    assert b"\\u6b63" in done.stdout


def test_completion_names_commands_and_measures(process) -> None:
    outcome = process(
        _RELYON_COMPLETE="bash_complete", COMP_WORDS="relyon evaluate -m ndc", COMP_CWORD="3"
    )
    assert outcome.out.splitlines() == ["plain,ndcg", "plain,ndcg_rel"]


def imported(files: Path, *arguments: str) -> set[str]:
    """Returns the modules that a command imports."""
    script = (
        "import sys\nfrom relyon.cli.application import main\n"
        f"try:\n    main({list(arguments)!r})\nexcept SystemExit as end:\n    assert not end.code\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=files, capture_output=True, text=True, check=True
    )
    return set(done.stderr.splitlines()[-1].split())


HEAVY = {"numpy", "polars", "narwhals", "rich", "scipy", "pandas", "pyarrow", "json", "csv"}
HEAVY |= {
    "backports",
    "pathlib",
    "importlib.metadata",
    "importlib.resources",
    "tempfile",
    "logging",
    "asyncio",
}


TREC = {"relyon.io.formats.trec"}


def test_evaluate_imports_little(files: Path) -> None:
    found = imported(files, "evaluate", *FILES)
    assert found & HEAVY == set()
    assert {one for one in found if one.startswith("relyon.io.formats.")} == TREC
    assert found & {"relyon.data.columns", "relyon.data.scale"} == set()
    assert found & {"relyon.measures.pairwise", "relyon.io.databases"} == set()


def test_fuse_and_convert_import_little(files: Path) -> None:
    found = imported(files, "fuse", "bm25.run", "tfidf.run", "-o", "fused.run")
    assert found & HEAVY == set()
    assert {one for one in found if one.startswith("relyon.io.formats.")} == TREC
    found = imported(
        files, "convert", "judgments.qrels", "judged.tsv", "--format", "csv", "--force"
    )
    assert found & {"ssl", "urllib.request"} == set()
    assert "relyon.core.document.model" not in imported(files, "convert", "--help")


def test_compare_and_report_import_no_frames_and_no_altair(files: Path) -> None:
    runs = ("judgments.qrels", "bm25.run", "tfidf.run")
    frames = {"polars", "narwhals", "pandas", "pyarrow"}
    assert imported(files, "compare", *runs) & {*frames, "scipy.stats", "relyon.report"} == set()
    found = imported(files, "report", *runs, "-o", "report.html")
    assert found & {*frames, "altair", "relyon.report.clicks", "relyon.report.rounds"} == set()
    assert found & {"relyon.online", "relyon.labels", "relyon.ltr"} == set()


def test_nothing_is_imported_before_interrupts_are_caught() -> None:
    # An editable installation finds modules by code of its own, which imports some.
    script = (
        "import sys\nsys.meta_path[:] = [one for one in sys.meta_path if isinstance(one, type)]\n"
        f"sys.path.insert(0, {str(Path(relyon.__file__).parents[1])!r})\n"
        "before = set(sys.modules)\nimport relyon.cli\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    ours = {"relyon", "relyon.cli", "relyon.cli.start"}
    # Those of the interpreter itself take no time.
    assert set(done.stdout.split()) - ours - {"__future__", "_signal", "gc"} == set()


@pytest.mark.parametrize("arguments", [("--help",), ("measures",), ("conventions",)])
def test_help_and_lists_import_little(arguments: tuple[str, ...], files: Path) -> None:
    assert imported(files, *arguments) & {"numpy", "polars", "narwhals", "rich"} == set()
