"""What an installed relkit must do: run with the Python that has it, and nothing else.

python tests/wheel/first_steps.py examples
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path


def relkit(*arguments: str) -> str:
    command = [sys.executable, "-W", "error", "-m", "relkit", *arguments]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", check=False, env=environment
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed\n{done.stdout}\n{done.stderr}")
    return done.stdout


def main(examples: Path) -> None:
    os.chdir(tempfile.mkdtemp())  # so that nothing is imported from a checkout
    judgments, run, new = (
        str(examples / name) for name in ("judgments.qrels", "run.trec", "new.trec")
    )
    printed = relkit("evaluate", judgments, run, "-m", "ndcg@10", "-m", "rr@10")
    if "0.4988" not in printed:
        raise SystemExit(f"ndcg@10 of the example is not 0.4988:\n{printed}")
    docs = examples / "docs-search"
    pair = [str(docs / name) for name in ("judgments.qrels", "bm25.run", "tfidf.run")]
    for test, p in (("t", "0.0083"), ("permutation", "0.0059")):
        printed = relkit("compare", *pair, "--scale", "search", "-m", "ndcg@10", "--test", test)
        if "-0.0473" not in printed or p not in printed:
            raise SystemExit(f"the difference of the example is not -0.0473, p {p}:\n{printed}")
    relkit("compare", judgments, run, new, "--lang", "zh")
    relkit("explain", judgments, run, "--query", "q1", "-m", "ndcg@10")
    relkit("diagnose", *pair, "--scale", "search")
    relkit("funnel", judgments, run, new)

    import polars as pl

    import relkit as library

    where = Path(library.__file__).resolve()
    if examples.resolve().parent in where.parents and "site-packages" not in where.parts:
        raise SystemExit(f"{where} is the checkout, not what was installed")
    frame = pl.DataFrame({"query": ["q"] * 2, "document": ["a", "b"], "grade": [1, 0]})
    scores = frame.select("query", "document", score=pl.Series([0.1, 0.9]))
    value = library.evaluate(frame, scores, "rr@10")["rr@10"]
    if value != 0.5:
        raise SystemExit(f"rr@10 of two rows is {value}, not 0.5")
    print(f"relkit {library.__version__} works: {where.parent}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
