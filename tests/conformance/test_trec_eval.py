"""`relyon trec_eval` against trec_eval 10: what it prints, byte for byte, and how it ends."""

from __future__ import annotations

import gzip
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from relyon.compat.trec_eval import TrecEvalError, parse, run

GOLDEN = Path(__file__).parent.parent / "golden" / "data" / "trec_eval_commands.json"
COMMANDS = json.loads(GOLDEN.read_text("utf-8"))


class Outcome(NamedTuple):
    """What a command printed, and its exit code."""

    out: str
    code: int


def ours(arguments: list[str]) -> Outcome:
    """Runs `relyon trec_eval` in this process."""
    parts: list[str] = []
    try:
        run(parse(arguments), parts.append)
    except TrecEvalError as failure:
        return Outcome("".join(parts), failure.code)
    return Outcome("".join(parts), 0)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in COMMANDS["files"].items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words(command: str) -> list[str]:
    return re.sub(r"{(\w+)}", r"\1", command).split()


@pytest.mark.parametrize("job", COMMANDS["jobs"], ids=lambda job: job["command"])
@pytest.mark.usefixtures("files")
def test_small_inputs(job: dict[str, str | int]) -> None:
    assert COMMANDS["program"] == "trec_eval version 10.0-rc3"
    assert ours(words(str(job["command"]))) == (job["out"], job["code"])


#: The commands of trec_eval's `make quicktest`, and the files that they must print.
QUICKTEST = [
    ("out.test", "qrels.test results.test"),
    ("out.test", "qrels.test.with-comments results.test"),
    ("out.comment.test", "qrels.comment.test results.comment.test.gz"),
    ("out.test.a", "-m all_trec qrels.test results.test"),
    ("out.test.aq", "-m all_trec -q qrels.test results.test"),
    ("out.test.aqc", "-m all_trec -q -c qrels.test results.trunc"),
    ("out.test.aqcM", "-m all_trec -q -c -M100 qrels.test results.trunc"),
    ("out.test.aql", "-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test"),
    (
        "out.test.meas_params",
        "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000"
        " -m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75"
        " -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20 qrels.test results.test",
    ),
    ("out.test.qrels_jg", "-m qrels_jg -q -R qrels_jg qrels.123 results.test"),
    ("out.test.qrels_jg", "-m qrels_jg -q -R qrels_jg qrels.comments.123 results.test"),
    ("out.test.aqZ", "-q -m all_trec -Z zscores_file qrels.test results.test"),
]


@pytest.mark.parametrize(("expected", "command"), QUICKTEST)
def test_its_own_test_folder(
    expected: str, command: str, test_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = test_data / "trec_eval_test" / "v10.0-rc3"
    monkeypatch.chdir(folder)
    assert ours(command.split()) == ((folder / expected).read_text("utf-8"), 0)


SCRIPT = """\
#!/bin/sh
set -e
trec_eval -q -m map -m P.5 -m ndcg_cut.10 qrels run > per-query.txt
map=$(trec_eval -m map qrels run | awk '$2 == "all" { print $3 }')
trec_eval qrels - < run | grep -c '^P_' > cutoffs.txt
if trec_eval -m nothing qrels run 2> errors.txt; then exit 9; fi
echo "MAP is $map"
"""


def test_a_script_changes_one_word(files: Path) -> None:
    """The script's own output was made by trec_eval 10.0-rc3 with the same files."""
    program = f"{shutil.which('relyon', path=str(Path(sys.executable).parent)) or 'relyon'}"
    changed = re.sub(r"\btrec_eval\b", f"{program} trec_eval", SCRIPT)
    (files / "script.sh").write_text(changed, "utf-8")
    outcome = subprocess.run(
        ["sh", "script.sh"], cwd=files, capture_output=True, text=True, check=False
    )
    assert (outcome.returncode, outcome.stderr) == (0, "")
    golden = {job["command"]: job["out"] for job in COMMANDS["jobs"]}
    lines = golden["{qrels} {run}"].splitlines()
    mean = next(line.split()[2] for line in lines if line.startswith("map "))
    assert outcome.stdout == f"MAP is {mean}\n"
    assert (files / "cutoffs.txt").read_text() == "9\n"
    assert "illegal measure 'nothing'" in (files / "errors.txt").read_text()
    shown = [
        line
        for line in golden["-q -m all_trec {qrels} {run}"].splitlines(keepends=True)
        if line.split()[0] in {"map", "P_5", "ndcg_cut_10"}
    ]
    assert (files / "per-query.txt").read_text() == "".join(shown)


def test_compressed_and_scattered_runs(files: Path) -> None:
    expected = ours(["-q", "qrels", "run"])
    lines = sorted(COMMANDS["files"]["run"].splitlines(keepends=True), key=lambda line: line[-9:])
    last = next(line for line in lines if "last-name" in line)
    lines.remove(last)
    (files / "mixed.gz").write_bytes(gzip.compress("".join([*lines, last]).encode()))
    assert ours(["-q", "qrels", "mixed.gz"]) == expected


def test_nothing_heavy_is_imported(files: Path) -> None:
    code = (
        "import sys\nfrom relyon.cli.application import main\n"
        "try:\n    main(['trec_eval', '-q', '-m', 'all_trec', 'qrels', 'run'])\n"
        "except SystemExit as end:\n    assert not end.code\n"
        "heavy = {'numpy', 'polars', 'narwhals', 'scipy', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=files, check=True, capture_output=True)


def test_the_whole_folder_of_options_is_known() -> None:
    options = parse(["-qcnJ", "-l", "2", "-N", "9", "-M", "7", "-D0.q1", "-o", "-Zz", "a", "b"])
    assert (options.per_query, options.complete, options.summary) == (True, True, False)
    assert (options.level, options.collection, options.depth, options.only) == (2, 9, 7, "q1")
    assert (options.judgments, options.results, options.zscores) == ("a", "b", "z")


PARAMETERS = (
    *("P.5,7", "set_F.0.5", "utility.1,-1,-2,0.5", "ndcg.1=3,2=9", "relstring.5", "yaap", "dcg"),
    *("ideal_dcg", "rbp.p=0.5", "rbp_resid.p=0.5", "11pt_avg.0.1,0.9", "Rprec_mult.0.5,3"),
    *("iprec_at_recall.0.33", "G.1=2", "Rndcg.2=5", "ndcg_rel.1=4"),
)


def random_files(choose: random.Random, folder: Path) -> None:
    top = choose.choice([1, 1, 2, 4])
    lowest = choose.choice([0, 0, -1])
    qrels, lines = [], []
    for number in range(choose.choice([1, 2, 5, 16])):
        documents = [f"d{place:03d}" for place in range(choose.choice([1, 3, 10, 60]))]
        qrels.append(f"q{number} 0 always {choose.randint(0, top)}\n")
        for document in documents:
            if choose.random() < 0.6:
                qrels.append(f"q{number} 0 {document} {choose.randint(lowest, top)}\n")
        for document in [*documents, "always", "unjudged"]:
            if choose.random() < 0.8:
                score = choose.choice([choose.randint(0, 3), round(choose.random(), 3)])
                lines.append(f"q{number} Q0 {document} 0 {score} mine\n")
    lines.append("q0 Q0 last 0 0.5 mine\n")
    (folder / "qrels").write_text("".join(qrels))
    (folder / "run").write_text("".join(lines))


@pytest.mark.parametrize("seed", range(60))
def test_random_files(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = os.environ.get("RELYON_TREC_EVAL") or shutil.which("trec_eval")
    if program is None:
        pytest.skip("trec_eval is not installed, and RELYON_TREC_EVAL does not name it")
    choose = random.Random(seed)
    random_files(choose, tmp_path)
    monkeypatch.chdir(tmp_path)
    arguments = ["-q", "-m", "all_trec", "-m", choose.choice(PARAMETERS)]
    arguments += choose.choice([[], ["-c"], ["-l2"], ["-J"], ["-M5"], ["-c", "-M3", "-N", "500"]])
    arguments += ["qrels", "run"]
    theirs = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    found = ours(arguments)
    assert found.code == theirs.returncode
    nothing: dict[str, list[float]] = {}  # values by query, of measures that are 0/0 somewhere
    for mine, line in zip(found.out.splitlines(), theirs.stdout.splitlines(), strict=True):
        name, query, value = mine.split()
        if line.split()[-1].endswith("nan"):  # trec_eval divides 0 by 0 where a list is empty
            assert name.startswith("iprec_at_recall_") or name == "11pt_avg"
            assert line.split()[:2] == [name, query]
            wanted = statistics.fmean(nothing[name]) if query == "all" else 0.0
            assert float(value) == pytest.approx(wanted, abs=2e-4)
        elif name == "rbp" and mine != line:  # trec_eval reads its bounds before it sets them
            assert line.split()[:2] == [name, query]
            assert 0 <= float(value) <= 1
        else:
            assert mine == line
        if query != "all" and not value.startswith("'"):
            nothing.setdefault(name, []).append(_number(value))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
