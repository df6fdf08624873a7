"""The plugin of pytest: what passes, what fails, and what is said."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.unit.relevance_project import Project

pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with 40 queries, in which pytest loads no plugin but this one."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("RELYON_LANG", raising=False)
    monkeypatch.delenv("CI", raising=False)
    return Project(pytester)


def test_unused_it_imports_nothing() -> None:
    code = """
import sys
import pytest
before = set(sys.modules)
import relyon.compat.pytest.plugin
found = {one.partition('.')[0] for one in set(sys.modules) - before} - {'relyon'}
print(sorted(found - set(sys.stdlib_module_names)))
print(sorted(one for one in set(sys.modules) - before if one.startswith('relyon')))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    others, own = done.stdout.splitlines()
    assert others == "[]"
    assert own == str(
        [
            "relyon",
            "relyon.compat",
            "relyon.compat.pytest",
            "relyon.compat.pytest.names",
            "relyon.compat.pytest.plugin",
        ]
    )


def test_a_session_without_it_imports_nothing(project: Project) -> None:
    project.write(
        "test_unused.py",
        """
import sys
def test_unused():
    print(sorted({"numpy", "polars", "relyon.core", "relyon.data"} & {*sys.modules}), "loaded")
""",
    )
    fresh = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "relyon.compat.pytest.plugin", "-s"],
        capture_output=True,
        text=True,
        cwd=project.path,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        check=False,
        timeout=60,
    )
    assert "[] loaded" in fresh.stdout, fresh.stdout + fresh.stderr


def test_the_entry_point_names_the_plugin() -> None:
    root = Path(__file__).parents[2]
    declared = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert declared["entry-points"]["pytest11"] == {"relyon": "relyon.compat.pytest.plugin"}


def test_what_holds_passes(project: Project) -> None:
    done = project.run(
        """
def test_all(relevance):
    found = relevance.search(search, k=10)
    found.at_least("recall@10", 0.9).at_least("rr@10", 0.35).at_most("rr@10", 0.7)
    found.not_worse("ndcg@10", by=0.01).not_significantly_worse("ndcg@10", "rr@10")
    assert found.value("recall@10") == 1.0
""",
        "-v",
    )
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(
        [
            "=* relevance =*",
            "ok   test_search.py::test_all: recall@10 is at least 0.9: 1.0000, 95% interval *",
            "ok   *: rr@10 is at most 0.7: 0.4567, 95% interval *40 queries",
            "ok   *: ndcg@10 is unchanged: all lists are those of baseline.run",
        ]
    )


def test_passing_checks_are_silent_without_v(project: Project) -> None:
    done = project.run(
        """
def test_recall(relevance):
    relevance.search(search, k=10).at_least("recall@10", 0.9)
"""
    )
    done.assert_outcomes(passed=1)
    done.stdout.no_fnmatch_line("*= relevance =*")


def test_the_lower_end_decides_not_the_value(project: Project) -> None:
    """Its mean reciprocal rank is 0.4567; with 40 queries the interval begins lower."""
    done = project.run(
        """
def test_interval(relevance):
    relevance.search(search, k=10).at_least("rr@10", 0.45)
def test_point(relevance):
    relevance.search(search, k=10).at_least("rr@10", 0.45, point=True)
def test_value(relevance):
    relevance.search(search, k=10).at_least("rr@10", 0.5, point=True)
"""
    )
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(
        [
            "E *AssertionError: rr@10 is not shown to be at least 0.45: the lower end of its 95%"
            " interval is 0.3*",
            "E *About * such queries would show it, if the value stays.",
            "E *AssertionError: rr@10 is 0.4567, below 0.5 (40 queries)",
            "FAIL test_search.py::test_interval: rr@10 is not shown *",
        ]
    )


def test_the_queries_that_a_bound_needs_are_enough(project: Project) -> None:
    """The number of the message, tried: as many queries of the same kind do reach the bound."""
    from relyon.analysis.uncertainty import MeasureInterval
    from relyon.compat.pytest.bounds import check_bound

    found = MeasureInterval(0.9, (0.8, 1.0), (0.0, 0.0), 0.0, 100, "t")
    passed, text = check_bound("rr", found, 0.85, kind="at-least", point=False, level=0.95)
    assert not passed
    assert "About 400 such queries" in text
    # Four times the queries: half the width, so the lower end is the bound.
    more = MeasureInterval(0.9, (0.85, 0.95), (0.0, 0.0), 0.0, 400, "t")
    assert check_bound("rr", more, 0.85, kind="at-least", point=False, level=0.95)[0]


def test_a_measure_without_interval_is_not_shown(project: Project) -> None:
    done = project.run(
        """
def test_sum(relevance):
    relevance.search(search, k=10).at_least("num_rel_ret", 40)
def test_point(relevance):
    relevance.search(search, k=10).at_least("num_rel_ret", 40, point=True)
"""
    )
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(
        ["E *num_rel_ret is not shown to be at least 40: it has no interval*"]
    )


def test_a_loss_fails_with_the_queries_that_lost(project: Project) -> None:
    done = project.run(
        """
def test_loss(relevance):
    relevance.search(worse, k=10).not_worse("rr@10", by=0.01)
""",
        "-p",
        "cacheprovider",
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "E *AssertionError: rr@10 is worse than in baseline.run: 0.4567 → 0.*(-0.*, 95% *"
            " p < 0.0001; 40 queries: * better, * equal, * worse)",
            "E *The queries with the largest losses:",
            "E * q5 *query number 5 *1.0000 → 0.1*",
            "E *Explain: relyon explain judgments.qrels baseline.run .pytest_cache*candidate.run"
            " --query-id q* -m rr@10",
            "test_search.py:*: AssertionError",
        ]
    )
    # CatBoost keeps the last error of a callback for ever: pytest prints it before any later one.
    own = str(done.stdout).rpartition("During handling of the above exception")[2].splitlines()
    traced = [line for line in own if line.startswith(("src/", "/")) and ".py:" in line]
    assert not [line for line in traced if "relyon" in line], traced
    explain = next(line for line in done.outlines if "Explain: " in line).partition("Explain: ")[2]
    import shlex

    shown = subprocess.run(
        [sys.executable, "-m", *shlex.split(explain)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=project.path,
        check=False,
        timeout=60,
    )
    assert shown.returncode == 0, shown.stderr
    assert "rr@10" in shown.stdout


def test_each_check_passes_on_its_verdicts(project: Project) -> None:
    """No query changed: not worse within any margin, but not better either."""
    done = project.run(
        """
def test_equal(relevance):
    relevance.search(search, k=10).not_worse("rr@10", by=0.05)
def test_better(relevance):
    relevance.search(search, k=10).better("rr@10")
def test_loss(relevance):
    relevance.search(worse, k=10).not_significantly_worse("rr@10")
def test_gain(relevance):
    relevance.run({f"q{n}": {f"q{n}-d0": 1.0} for n in range(40)}).better("rr@10")
"""
    )
    done.assert_outcomes(passed=2, failed=2)
    done.stdout.fnmatch_lines(
        [
            "E *rr@10 is not shown to be better than in baseline.run: *",
            "E *rr@10 is worse than in baseline.run: *",
        ]
    )


def test_a_margin_comes_from_the_mark_or_the_call(project: Project) -> None:
    done = project.run(
        """
@pytest.mark.relevance(margins={"RR@10": 0.02})
def test_marked(relevance):
    relevance.search(search, k=10).not_worse("rr@10")
def test_share(relevance):
    relevance.search(search, k=10).not_worse("rr@10", by="5%")
def test_none(relevance):
    relevance.search(search, k=10).not_worse("rr@10")
def test_bad(relevance):
    relevance.search(search, k=10).not_worse("rr@10", by=-1)
"""
    )
    done.assert_outcomes(passed=2, failed=2)
    done.stdout.fnmatch_lines(
        [
            "E *Failed: rr@10: which loss is too small to matter?",
            'E *hint: not_worse("rr@10", by=0.01), or margins=*',
        ]
    )


def test_few_queries_cannot_tell(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    project = Project(pytester, queries=5)
    done = project.run(
        """
def test_strict(relevance):
    relevance.search(worse, k=10).not_worse("rr@10", by=0.01)
def test_lenient(relevance):
    relevance.search(worse, k=10).not_significantly_worse("rr@10")
""",
        "-v",
    )
    done.assert_outcomes(passed=1, failed=1, warnings=3)
    done.stdout.fnmatch_lines(
        [
            "E *AssertionError: cannot tell whether rr@10 is worse than in baseline.run by 0.01: *",
            "E *Only 5 queries have a value in both runs: from six on*",
            "*RelyonWarning: rr@10 cannot fail: *5 queries have a value in both runs*",
            "ok   *::test_lenient: *; rr@10 cannot fail: *",
        ]
    )


def test_repeated_searches_are_compared_by_their_means(project: Project) -> None:
    """An engine that answers differently each time: one run of it is not its quality."""
    done = project.run(
        """
import random
def noisy(query, k):
    documents = project_search.ranked(query)
    return random.sample(documents, len(documents))[:k]
def test_noisy(relevance):
    random.seed(7)
    found = relevance.search(noisy, k=10, repeats=3)
    assert len({str(run.to_dict()) for run in found.runs}) == 3
    ranks = [[documents.index(f"{query}-d0") + 1 for query, documents in
              ((query, list(run[query])) for query in run)] for run in found.runs]
    mean = sum(1 / rank for run in ranks for rank in run) / 120
    assert abs(found.value("rr@10") - mean) < 1e-12
    found.at_least("rr@10", 0.2).not_worse("rr@10", by=0.01)
def test_same(relevance):
    relevance.search(search, k=10, repeats=2).not_worse("rr@10", by=0.01)
    assert len(calls) == 80
def test_shared(relevance):
    relevance.search(search, k=10, repeats=3)
    assert len(calls) == 120
"""
    )
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["E *AssertionError: *rr@10 *40 queries: *), the means of 3 runs"])


def test_clusters_count_for_bounds_and_comparisons(project: Project) -> None:
    """Forty queries of four intents are hardly more evidence than four queries."""
    project.write(
        "queries.tsv",
        "query_id\tquery\tintent\n"
        + "".join(f"q{n}\tquery number {n}\ti{n % 5}\n" for n in range(40)),
    )
    done = project.run(
        """
CLUSTERS = {f"q{n}": str(n % 5) for n in range(40)}
def test_alone(relevance):
    relevance.search(search, k=10).at_least("rr@10", 0.35)
@pytest.mark.relevance(cluster="intent")
def test_column(relevance):
    relevance.search(search, k=10).at_least("rr@10", 0.35)
@pytest.mark.relevance(cluster=CLUSTERS)
def test_mapping(relevance):
    relevance.search(search, k=10).at_least("rr@10", 0.35)
@pytest.mark.relevance(cluster="intent")
def test_comparison(relevance):
    relevance.search(worse, k=10).not_worse("rr@10", by=0.01)
"""
    )
    done.assert_outcomes(passed=1, failed=3)
    done.stdout.fnmatch_lines(
        [
            "E *rr@10 *40 queries: *), in 5 clusters (intent)",
            "E *Only 5 clusters decide: from six on*",
            "FAIL *test_column: rr@10 is not *",
        ]
    )
    assert "queries have a value in both runs" not in done.stdout.str()


def test_a_possible_loss_beyond_the_interval_is_explained(project: Project) -> None:
    done = project.run(
        """
def slips(query, k): return search(query, k)[:: -1 if query.endswith(" 8") else 1]
def test_rare(relevance):
    relevance.search(slips, k=10).not_worse("rr@10", by=0.01)
"""
    )
    done.stdout.fnmatch_lines(["E *A loss of up to * is possible: few results changed, so *"])


def test_values_of_a_column_that_lose_are_said(project: Project) -> None:
    """The whole gains while one language loses: the test passes with a warning."""
    project.write(
        "queries.tsv",
        "query_id\tquery\tlanguage\n"
        + "".join(f"q{n}\tquery number {n}\t{'zh' if n % 4 == 1 else 'en'}\n" for n in range(40)),
    )
    done = project.run(
        """
def gain(query, k):
    number = int(query.split()[-1])
    best = f"q{number}-d0"
    rest = [one for one in project_search.ranked(query) if one != best]
    return ([*rest, best] if number % 4 == 1 else [best, *rest])[:k]
@pytest.mark.relevance(by="language")
def test_gain(relevance):
    relevance.search(gain, k=10).not_worse("rr@10", by=0.01)
""",
        "-v",
    )
    done.assert_outcomes(passed=1, warnings=1)
    done.stdout.fnmatch_lines(
        ["*RelyonWarning: *language = zh*", "ok *rr@10 is better than in baseline.run: *zh*"]
    )


def test_queries_that_the_baseline_lacks_are_said(project: Project) -> None:
    """They look like gains, which can hide a loss on the others."""
    rows = (project.path / "baseline.run").read_text("utf-8").splitlines(keepends=True)
    project.write("baseline.run", "".join(row for row in rows if not row.startswith("q1")))
    done = project.run(
        """
def test_gain(relevance):
    relevance.search(search, k=10).not_worse("rr@10", by=0.01)
""",
        "-v",
    )
    done.assert_outcomes(passed=1, warnings=2)
    done.stdout.fnmatch_lines(
        ["ok *; baseline.run has no results for 11 queries (q1, q10, q11), which count as 0: *"]
    )


def test_unjudged_results_are_said(project: Project) -> None:
    """New documents push the judged ones down: the loss may be one of judgments."""
    done = project.run(
        """
def fresh(query, k):
    return ([f"new-{n}" for n in range(5)] + project_search.ranked(query))[:k]
def test_new(relevance):
    relevance.search(fresh, k=10).not_worse("rr@10", by=0.01)
"""
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["E *judged@10: 100% → 50%. More results are unjudged than *"])


def test_lists_that_a_convention_leaves_out_fail(project: Project) -> None:
    """trec_eval's rules leave out a query without results: the rest would look good."""
    done = project.run(
        """
@pytest.mark.relevance(convention="trec_eval")
class TestSkip:
    def some(self, query, k):
        return search(query, k) if query.endswith("0") else []
    def test_bound(self, relevance):
        relevance.search(self.some, k=10).at_least("recall@10", 0.5)
    def test_loss(self, relevance):
        relevance.search(self.some, k=10).not_worse("recall@10", by=0.05)
    def test_whole(self, relevance):
        relevance.search(search, k=10).at_least("recall@10", 0.5)
"""
    )
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(
        ["E *the run lacks 36 of the 40 judged queries (q1, q2, q3), and the convention leaves *"]
    )


def test_the_cutoff_needs_as_many_results(project: Project) -> None:
    done = project.run(
        """
def test_deep(relevance):
    relevance.search(search, k=5).at_least("recall@10", 0.1)
def test_data(relevance):
    relevance.search(search, k=10).at_least("judged@10", 0.5).better("judged@10")
def test_nothing(relevance):
    relevance.search(search, k=10).not_significantly_worse()
"""
    )
    done.assert_outcomes(failed=3)
    done.stdout.fnmatch_lines(
        [
            "E *Failed: recall@10 looks at more results than the 5 that were asked for",
            "E *hint: relevance.search(…, k=10)",
            "E *Failed: judged@10 describes the data*",
            "E *Failed: name the measures to check",
        ]
    )
