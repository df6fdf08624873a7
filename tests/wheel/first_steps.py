"""What an installed relyon must do: run with the Python that has it, and nothing else.

python tests/wheel/first_steps.py examples             with a plain installation
python tests/wheel/first_steps.py examples --report    with the extra `report`
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

LACKS_A_PACKAGE = 4  # exit code


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "relyon", *arguments]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", check=False, env=environment
    )


def relyon(*arguments: str) -> str:
    done = run(*arguments)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed\n{done.stdout}\n{done.stderr}")
    return done.stdout


def check_reports(files: list[str], charts: bool) -> None:
    """Markdown needs no extra; HTML has charts, or an error names the extra that it lacks."""
    relyon("report", *files, "-o", "report.md")
    if not Path("report.md").read_text(encoding="utf-8").startswith("# "):
        raise SystemExit("report.md has no title")
    if not charts:
        lacking = run("report", *files, "-o", "report.html")
        if lacking.returncode != LACKS_A_PACKAGE or "relyon[report]" not in lacking.stderr:
            raise SystemExit(f"a report without its extra: {lacking.returncode}\n{lacking.stderr}")
        return
    relyon("report", *files, "-o", "report.html")
    drawn = Path("report.html").read_text(encoding="utf-8").count("<svg")
    if not drawn:
        raise SystemExit("report.html has no chart")
    print(f"report.html: {drawn} charts")


def main(examples: Path, charts: bool) -> None:
    os.chdir(tempfile.mkdtemp())  # so that nothing is imported from a checkout
    judgments, old, new = (
        str(examples / name) for name in ("judgments.qrels", "run.trec", "new.trec")
    )
    printed = relyon("evaluate", judgments, old, "-m", "ndcg@10", "-m", "rr@10")
    if "0.4988" not in printed:
        raise SystemExit(f"ndcg@10 of the example is not 0.4988:\n{printed}")
    docs = examples / "docs-search"
    pair = [str(docs / name) for name in ("judgments.qrels", "bm25.run", "tfidf.run")]
    for test, p in (("t", "0.0083"), ("permutation", "0.0059")):
        printed = relyon("compare", *pair, "--scale", "search", "-m", "ndcg@10", "--test", test)
        if "-0.0473" not in printed or p not in printed:
            raise SystemExit(f"the difference of the example is not -0.0473, p {p}:\n{printed}")
    relyon("compare", judgments, old, new, "--lang", "zh")
    relyon("explain", judgments, old, "--query", "q1", "-m", "ndcg@10")
    relyon("diagnose", *pair, "--scale", "search")
    relyon("funnel", judgments, old, new)
    table = ["--scored", str(examples / "models.csv"), "--score", "old", "--score", "new"]
    printed = relyon("compare", *table, "--scale", "search", "-m", "ndcg@5")
    if "+0.1738" not in printed:
        raise SystemExit(f"the difference of the table is not +0.1738:\n{printed}")
    relyon("logs", "doctor", str(examples / "log.csv"))
    check_reports([judgments, old, new], charts)

    import polars as pl

    import relyon as library

    where = Path(library.__file__).resolve()
    if examples.resolve().parent in where.parents and "site-packages" not in where.parts:
        raise SystemExit(f"{where} is the checkout, not what was installed")
    frame = pl.DataFrame({"query": ["q"] * 2, "document": ["a", "b"], "grade": [1, 0]})
    scores = frame.select("query", "document", score=pl.Series([0.1, 0.9]))
    value = library.evaluate(frame, scores, "rr@10")["rr@10"]
    if value != 0.5:
        raise SystemExit(f"rr@10 of two rows is {value}, not 0.5")
    print(f"relyon {library.__version__} works: {where.parent}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), "--report" in sys.argv[2:])
