"""How often `relyon depth` distinguishes two runs of equal quality.

python -m bench.depth_alarms                                    prints the table
python -m bench.depth_alarms --write docs/depth.md docs/zh/depth.md
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import relyon
from relyon.analysis.depth import Depth
from relyon.core.notes import RelyonWarning

QUERIES = (5, 10, 50, 200)
DOCUMENTS = 50
CUTOFFS = (1, 2, 3, 5, 10, 20, 30)
MEASURES = ("ndcg", "recall")
#: What depth says that distinguishes the runs.
CLAIMS = ("better-at", "worse-at", "order-changes")


def equals(queries: int, seed: int, measures: Sequence[str] = MEASURES) -> Depth:
    """Returns the depths of one ranker whose scores were disturbed twice.

    For each query both runs have the same distribution: whatever distinguishes them is chance.
    Queries differ as real ones do: in how many documents are relevant, and in how hard they are.
    """
    random = np.random.default_rng([seed, queries])
    relevant = random.random((queries, DOCUMENTS)) < random.beta(1, 9, (queries, 1))
    relevant[:, 0] = True
    grades = relevant * random.integers(1, 4, relevant.shape)
    scores = grades * random.exponential(0.5, (queries, 1)) + random.normal(0, 1, grades.shape)
    runs = [(scores + random.normal(0, 0.5, scores.shape)).tolist() for _ in range(2)]
    names = [f"d{n}" for n in range(DOCUMENTS)]
    lists = [
        {f"q{n}": dict(zip(names, row, strict=True)) for n, row in enumerate(rows)}
        for rows in (grades.tolist(), *runs)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)
        return relyon.depth(*lists, at=CUTOFFS, measures=measures, names=["a", "b"], threads=1)


@cache
def truth() -> dict[tuple[str, int], float]:
    """Returns (σ/mean)² of each measure and cutoff, from many queries."""
    found = equals(20_000, 0)
    return {
        (name, k): row.deviation_share**2
        for name in MEASURES
        for k, row in found.series(name, "b").items()
    }


def happened(found: Depth) -> set[str]:
    """Returns what chance did, and what depth says of it."""
    rows = [row for row in found.rows if row.run == "b"]
    seen = {one.kind for one in found.advice}
    if any(row.p <= found.alpha for row in rows):
        seen.add("uncorrected")
    if any(row.verdict in ("better", "worse") for row in rows):
        seen.add("marked")
    for name in found.measures:
        differences = [row.difference for row in found.series(name, "b").values()]
        if min(differences) < 0 < max(differences):
            seen.add("signs")
    for one in found.advice:
        if one.kind == "queries-needed":
            name = str(one.values["name"]).lower()
            spreads = truth()
            values: Any = one.values
            if values["low"] > spreads[name, values["k"]] / spreads[name, values["other"]]:
                seen.add("overstated")
    if seen & set(CLAIMS):
        seen.add("claimed")
    return seen


def counts(queries: int, repetitions: int) -> Counter[str]:
    """Returns in how many repetitions each thing happened."""
    found: Counter[str] = Counter()
    for seed in range(1, repetitions + 1):
        found.update(happened(equals(queries, seed)))
    return found


# -- tables ------------------------------------------------------------------------------------

SHOWN = ("signs", "uncorrected", "marked", "claimed", "order-changes", "overstated")
WORDS = {
    "en": {
        "heading": "two runs of equal quality",
        "queries": "{} queries",
        "signs": "the better mean changes sides with K",
        "uncorrected": "p ≤ 0.05 at some K, uncorrected",
        "marked": "▲ or ▼ at some K",
        "claimed": "advice that one run is better or worse at some K",
        "order-changes": "advice that the order depends on K",
        "overstated": "“at least … times the queries” is more than the truth",
        "note": "Repetitions: {:,} each; NDCG and Recall at K = {}: {} tests.",
        "comma": ", ",
    },
    "zh": {
        "heading": "两个质量相同的结果文件",
        "queries": "{} 条查询",
        "signs": "均值孰高孰低随 K 改变",
        "uncorrected": "某个 K 上未校正的 p ≤ 0.05",
        "marked": "某个 K 上出现 ▲ 或 ▼",
        "claimed": "建议称某个 K 上更好或更差",
        "order-changes": "建议称孰优孰劣取决于 K",
        "overstated": "“所需的查询数至少是 … 倍”高于真实值",
        "note": "每格重复 {:,} 次；K = {} 的 NDCG 与 Recall，共 {} 次检验。",
        "comma": "、",
    },
}


def table(found: dict[int, Counter[str]], repetitions: int, language: str) -> str:
    """Returns Markdown: a row per thing that can happen, a column per number of queries."""
    words = WORDS[language]
    heads = [words["heading"], *(words["queries"].format(n) for n in found)]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * len(found)]
    for name in SHOWN:
        cells = [f"{one[name] / repetitions:.1%}" for one in found.values()]
        lines.append("| " + " | ".join([words[name], *cells]) + " |")
    cutoffs = words["comma"].join(map(str, CUTOFFS))
    note = words["note"].format(repetitions, cutoffs, len(CUTOFFS) * len(MEASURES))
    return "\n".join([*lines, "", note])


def main() -> None:
    """Prints the table, or puts it between its marks in pages."""
    parser = argparse.ArgumentParser(prog="python -m bench.depth_alarms", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=2000, help="default 2000")
    parser.add_argument("--write", type=Path, nargs="+", metavar="PAGE", default=[])
    options = parser.parse_args()
    found = {queries: counts(queries, options.repetitions) for queries in QUERIES}
    if not options.write:
        print(table(found, options.repetitions, "en"))
    for page in options.write:
        language = "zh" if "zh" in page.parts else "en"
        before, _, rest = page.read_text("utf-8").partition("<!-- alarms -->\n")
        after = rest.partition("<!-- /alarms -->")[2]
        inside = f"\n{table(found, options.repetitions, language)}\n\n"
        page.write_text(f"{before}<!-- alarms -->\n{inside}<!-- /alarms -->{after}", "utf-8")


if __name__ == "__main__":
    main()
