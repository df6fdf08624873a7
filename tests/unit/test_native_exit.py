"""A process that used the native code ends without a word about objects that nobody freed.

nanobind counts the functions, types and instances of an extension that are still there when the
interpreter ends. Other extensions are made with it too, and tell of their own (DuckDB does, of
objects that narwhals read): what is looked at here is what stands in the list for relyon.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

START = """
import relyon
from relyon import _native
judgments = {f"q{n}": {"a": 2, "b": 1, "c": 0} for n in range(30)}
old = {query: {"b": 2.0, "c": 1.5, "a": 1.0} for query in judgments}
new = {query: {"a": 2.0, "b": 1.0, "x": 0.5} for query in judgments}
"""
USES = {
    "everything at once": """
results = relyon.evaluate(judgments, old, ["ndcg@10", "auc", "pnr", "judged@5"])
arrays = results.parts("ndcg@10")
rows = iter(results.rows())
next(rows)
comparison = relyon.compare(judgments, old, new, ["rr", "auc"], names=["old", "new"])
pools, p_values = comparison.contrasts[1].p_values, dict(comparison.contrasts[0].p_values)
plan = _native.Plan([("ndcg", {"k": 3})])
table = _native.JudgmentTable.from_dict(judgments)
batch = _native.evaluate_dict(table, plan, old)
views = batch.arrays(0)
del batch
""",
    "what a cache, a cycle and a closure hold": """
import functools
@functools.cache
def table(name):
    return _native.JudgmentTable.from_dict(judgments)
class Holder:
    pass
holder = Holder()
holder.itself, holder.table, holder.method = holder, table("x"), table("x").grades
judgments["held"] = {}
hook = lambda: holder
relyon.holder = holder
""",
    "what a class, a default and a module attribute hold": """
run = _native.RunTable.from_dict(old)
class Kept:
    held = run
    def method(self, run=run):
        yield run
waiting = Kept().method()
next(waiting)
_native.kept_here = Kept
import sys
sys.kept_here = run
""",
    "readers that fail": """
class Broken:
    def __call__(self, size):
        raise OSError("the line was cut")
reader = Broken()
kept = []
cut = [b"q1 0 d1"]
for read in (reader, lambda size: "text", lambda size: cut.pop() if cut else b""):
    try:
        _native.JudgmentTable.from_chunks(read, "x.qrels")
    except Exception as error:
        kept.append(error)
assert len(kept) == 3, kept
""",
    "threads": """
import threading
found = []
def work():
    local = threading.local()
    local.table = _native.JudgmentTable.from_dict(judgments)
    found.append(relyon.evaluate(judgments, new, "ndcg@10"))
threads = [threading.Thread(target=work) for _ in range(4)]
for one in threads: one.start()
for one in threads: one.join()
""",
    "a thread that never ends": """
import threading
results = relyon.evaluate(judgments, new, "ndcg@10")
waiting = threading.Event()
def wait():
    relyon.evaluate(judgments, old, "ap")
    done.set()
    waiting.wait()
done = threading.Event()
threading.Thread(target=wait, daemon=True).start()
done.wait()
""",
}
ENDS = {
    "quietly": ("", 0),
    "by an exception": ("table = _native.JudgmentTable.from_text('absent.qrels')", 1),
    "by an exception with what it held": (
        "def fail(held):\n    raise RuntimeError(held)\n"
        "fail(_native.JudgmentTable.from_dict(judgments))",
        1,
    ),
    "by sys.exit": ("import sys\nsys.exit(3)", 3),
}


def ending(code: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "dev", "-W", "ignore", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.mark.parametrize("use", USES)
def test_nothing_is_left_at_the_end(use: str, tmp_path: Path) -> None:
    done = ending(START + USES[use], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "nanobind" not in done.stderr
    assert "leaked" not in done.stderr


@pytest.mark.parametrize("end", ENDS)
def test_nothing_is_left_whatever_the_end(end: str, tmp_path: Path) -> None:
    last, code = ENDS[end]
    done = ending(START + USES["everything at once"] + last, tmp_path)
    assert done.returncode == code, done.stderr
    assert "nanobind" not in done.stderr
    assert "leaked" not in done.stderr


def test_a_leak_would_be_noticed(tmp_path: Path) -> None:
    code = START + (
        "import ctypes\ntable = _native.JudgmentTable.from_dict(judgments)\n"
        "ctypes.pythonapi.Py_IncRef(ctypes.py_object(table))\n"
    )
    done = ending(code, tmp_path)
    assert "nanobind: leaked 1 instances" in done.stderr
    assert "relyon._native.JudgmentTable" in done.stderr


@pytest.mark.long
def test_a_relation_of_duckdb_leaves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    code = START + (
        "import duckdb\n"
        "rows = duckdb.sql(\"select 'q1' as query, 'a' as document, 2 as grade\")\n"
        "print(len(relyon.Judgments.from_frame(rows)))\n"
    )
    done = ending(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "1"
    assert "leaked" not in done.stderr  # DuckDB's Arrow streams would be
