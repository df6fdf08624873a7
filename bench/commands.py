"""Commands as whole processes: what starting them costs, and a report beside a comparison."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from bench import limits
from bench.timing import Contender, Workload
from bench.wheel import as_installed, install

DOCS_SEARCH = Path(__file__).parents[1] / "examples" / "docs-search"
START = "import numpy"


def starts(home: Path) -> Workload:
    """The shipped example, beside an interpreter that imports NumPy."""
    judgments, *runs = (
        str(DOCS_SEARCH / name) for name in ("judgments.qrels", "bm25.run", "tfidf.run")
    )
    commands = {
        "relyon --help": ["--help"],
        "relyon evaluate": ["evaluate", judgments, runs[0]],
        "relyon compare": ["compare", judgments, *runs],
        "relyon report": ["report", judgments, *runs, "-o", str(home / "starts.html")],
    }
    python = as_installed(home)
    return Workload(
        [
            Contender(START, [*python, "-c", START]),
            limits.nothing(python),
            *(Contender(name, [*python, "-m", "relyon", *one]) for name, one in commands.items()),
        ],
        prepare=partial(install, home),
    )


def reports(home: Path) -> Workload:
    """A comparison of two runs of 20 million rows, and the report and the diagnoses of it."""
    files = [str(home / f"reports.{name}.parquet") for name in ("judgments", "old", "new")]
    relyon = [*as_installed(home), "-m", "relyon"]
    return Workload(
        [
            Contender("relyon compare", [*relyon, "compare", *files]),
            Contender("relyon report", [*relyon, "report", *files, "-o", str(home / "many.html")]),
            Contender("relyon diagnose", [*relyon, "diagnose", *files]),
            limits.tables_read(files, as_installed(home)),
        ],
        prepare=partial(install, home),
        input_bytes=sum(Path(one).stat().st_size for one in files),
    )
