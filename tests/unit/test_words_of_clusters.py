"""Where clusters are too few, texts count clusters, not queries."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from relyon.cli import main

ROOT = Path(__file__).parents[2]
FILES = ROOT / "examples" / "docs-search"
ASKED = [
    *("compare", str(FILES / "judgments.qrels"), str(FILES / "bm25.run"), str(FILES / "tfidf.run")),
    *("--scale", "search", "-m", "ndcg@10", "--margin", "ndcg@10=0.01"),
    *("--queries", str(FILES / "queries.csv"), "--cluster", "length", "--by", "language"),
    *("--fail-unless-not-worse", "ndcg@10", "--fail-if-worse-in", "language"),
]


def test_three_clusters_are_called_few_clusters_not_few_queries() -> None:
    found = CliRunner().invoke(main, ASKED, env={"COLUMNS": "400"})
    assert found.exit_code == 1
    said = " ".join((found.output + found.stderr).split())
    for sentence in (
        "cannot tell; there are fewer than six clusters",
        "language: no value has queries of six clusters or more",
        "cannot be tested: fewer than two groups of six clusters, or no spread",
        "with fewer than six clusters nothing is called better or worse",
        "cannot fail: no value has queries of six clusters or more",
        "by the margin of 0.01: 3 clusters are too few; it takes six",
        "hint: ndcg@10: grade queries of more clusters",
    ):
        assert sentence in said
    assert "six queries" not in said


def test_columns_with_commas_are_asked_for_one_by_one() -> None:
    asked = [*ASKED[:6], "--queries", str(FILES / "queries.csv"), "--by", "language,length"]
    found = CliRunner().invoke(main, asked)
    assert found.exit_code == 3
    assert "hint: give language, length one by one, such as --by A --by B" in found.stderr


@pytest.mark.parametrize("language", ["en", "zh"])
def test_tables_of_repeated_runs_fit_eighty_columns(tmp_path: Path, language: str) -> None:
    """With a measure of ten letters, the one with the most columns included."""
    other = tmp_path / "again.run"
    other.write_bytes((FILES / "bm25.run").read_bytes())
    systems = [f"A={FILES / 'bm25.run'},{other}", f"B={FILES / 'tfidf.run'},{other}"]
    asked = [*ASKED[:2], *("--system", systems[0], "--system", systems[1], "--scale", "search")]
    asked += ["-m", "recall@100", "--lang", language]
    found = CliRunner().invoke(main, asked, env={"COLUMNS": "80"})
    assert found.exit_code == 0
    wide = [line for line in found.stdout.splitlines() if _width(line) > 80]
    assert not wide


def _width(line: str) -> int:
    return sum(1 + (ord(one) > 0x2E80) for one in line)
