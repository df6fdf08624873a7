"""The plugin of pytest: searches, marks and settings."""

from __future__ import annotations

import pytest
from tests.unit.relevance_project import MARK, OPTIONS, QUERIES, Project

pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with 40 queries, in which pytest loads no plugin but this one."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("RELYON_LANG", raising=False)
    monkeypatch.delenv("CI", raising=False)
    return Project(pytester)


# -- searching -------------------------------------------------------------------------------------


def test_every_form_of_results_is_taken(project: Project) -> None:
    done = project.run(
        """
import asyncio
def ids(query): return project_search.ranked(query)
def pairs(query, k): return [(one, 1 / rank) for rank, one in enumerate(ids(query), 1)][:k]
def dicts(query, *, k): return [{"id": one, "title": one} for one in ids(query)][:k]
def lazy(query, k): yield from ids(query)
async def waits(query, k):
    await asyncio.sleep(0)
    return ids(query)[:k]
async def streams(query, k):
    for one in ids(query):
        yield one
def twice(query, k): return [one for one in ids(query) for _ in range(2)][:k]

@pytest.mark.parametrize("search", [ids, pairs, dicts, lazy, waits, streams, twice])
def test_form(relevance, search):
    depth = 10 if search is not twice else 5
    found = relevance.search(search, k=10)
    assert relevance.run(found.run).value("rr@5") == found.value("rr@5")
    found.at_least(f"recall@{depth}", 0.9)
"""
    )
    done.assert_outcomes(passed=7)


def test_columns_are_passed_by_name_wherever_k_is(project: Project) -> None:
    project.write(
        "queries.tsv",
        "query_id\tquery\tlanguage\n" + "".join(f"q{n}\tquery number {n}\tde\n" for n in range(40)),
    )
    done = project.run(
        """
def found(query, k, language, known=("de", 10)):
    assert (language, k) == known
    return search(query, 10)
def usual(query, k, language): return found(query, k, language)
def second(query, language="en"): return found(query, 10, language)
def last(query, language, k): return found(query, k, language)
def alone(query, *, language): return found(query, 10, language)
def by_name(query, *, language, k=3): return found(query, k, language)
def limit(query, limit=3, **columns): return found(query, limit, **columns)
def other(query, top_k=3, session=None): return found(query, top_k, "de") if not session else []

@pytest.mark.parametrize("search", [usual, second, last, alone, by_name, limit, other])
def test_form(relevance, search):
    relevance.search(search, k=10).at_least("recall@10", 0.9)
"""
    )
    done.assert_outcomes(passed=7)


def test_duplicates_and_empty_results(project: Project) -> None:
    """A document counts once, at its first rank; a query without results counts as 0."""
    done = project.run(
        """
def twice(query, k): return [one for one in project_search.ranked(query) for _ in range(2)][:k]
def test_twice(relevance):
    lists = relevance.search(twice, k=10).run.to_dict()
    assert {len(one) for one in lists.values()} == {5}
def test_empty(relevance):
    found = relevance.search(lambda query, k: [] if query.endswith("1") else ["x"], k=10)
    assert found.value("recall@10") == 0.0
    found.at_most("recall@10", 0.1)
"""
    )
    done.assert_outcomes(passed=2, warnings=2)


def test_what_a_search_raises_names_the_query(project: Project) -> None:
    done = project.run(
        """
def broken(query, k):
    if query == "query number 3":
        raise KeyError("index is gone")
    return search(query, k)
def test_broken(relevance):
    relevance.search(broken, k=10)
def stops(query, k):
    yield "d1"
    raise OSError("connection lost")
def test_lazily(relevance):
    relevance.search(stops, k=10)
def test_nothing(relevance):
    relevance.search(lambda query, k: None)
def test_bad(relevance):
    relevance.search(lambda query, k: [("a", float("nan"))])
"""
    )
    done.assert_outcomes(failed=4)
    done.stdout.fnmatch_lines(
        [
            '>*raise KeyError("index is gone")',
            "E *KeyError: 'index is gone'",
            "The above exception was the direct cause of the following exception:",
            ">*relevance.search(broken, k=10)",
            "E *Failed: the search failed for query `q3` (query number 3): KeyError: 'index is *",
            "E *Failed: the search failed for query `q0` (query number 0): OSError: connection *",
            "E *Failed: 40 of 40 requests have no answer (q0, q1, q2): *returns NoneType, which *",
            "E *Failed: 40 of 40 requests have no answer (q0, q1, q2): score nan",
        ]
    )
    assert not [line for line in done.outlines if "src/relyon" in line or "contextlib" in line]


def test_a_search_stops_at_the_first_error(project: Project) -> None:
    done = project.run(
        """
asked = []
def broken(query, k):
    asked.append(query)
    raise RuntimeError
def test_broken(relevance):
    try:
        relevance.search(broken)
    finally:
        print(len(asked), "asked")
"""
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["1 asked"])


def test_tests_share_answers_unless_something_may_change_them(project: Project) -> None:
    """A shared answer of another state would pass or fail for the wrong reason."""
    done = project.run(
        """
@pytest.fixture(scope="session")
def client():
    class Client:
        def search(self, query, k): return search(query, k)
    return Client()
@pytest.fixture
def changed(monkeypatch): return 1

def test_first(relevance):
    relevance.search(search, k=10)
    assert len(calls) == 40
def test_second(relevance):
    relevance.search(search, k=10)
    assert len(calls) == 40
def test_other_depth(relevance):
    relevance.search(search, k=5)
    assert len(calls) == 80
def test_fresh(relevance):
    relevance.search(search, k=10, fresh=True)
    assert len(calls) == 120
@pytest.mark.parametrize("weight", [1, 2])
def test_parameters(relevance, weight):
    relevance.search(search, k=10)
    assert len(calls) == 120 + 40 * weight
def test_own_fixture(relevance, changed):
    relevance.search(search, k=10)
    assert len(calls) == 240
@pytest.fixture
def found(relevance):
    return relevance.search(search, k=10)
def test_through_a_fixture(found):
    assert len(calls) == 240
def test_wide_fixture(relevance, client):
    relevance.search(client.search, k=10)
    assert len(calls) == 280
def test_wide_fixture_again(relevance, client):
    relevance.search(client.search, k=10)
    assert len(calls) == 280
"""
    )
    done.assert_outcomes(passed=10)


def test_queries_without_text_are_refused(project: Project) -> None:
    """They would count as queries without results, and pull the numbers down."""
    project.write("queries.tsv", "query_id\tquery\nq0\tquery number 0\nother\tunjudged\n")
    done = project.run(
        """
def test_some(relevance):
    relevance.search(search)
"""
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        ["E *queries.tsv: 39 of 40 judged queries have no text here (q1, q2, q3)"]
    )


def test_without_a_table_ids_are_the_texts(project: Project) -> None:
    done = project.run(
        """
def test_ids(relevance):
    relevance.search(lambda query, k: [f"{query}-d0"]).at_least("rr@10", 0.9)
""",
        mark='import pytest\npytestmark = pytest.mark.relevance(judgments="judgments.qrels")\n',
    )
    done.assert_outcomes(passed=1)


def test_an_engine_s_file_is_searched(project: Project) -> None:
    rows = [f"q{n}-d0\tquery number {n}\n" for n in range(QUERIES)]
    project.write("data/documents.tsv", "id\ttitle\n" + "".join(rows))
    text = (
        'kind = "sqlite"\ndocuments = "documents.tsv"\n\n[parameters]\ntitle = 1\nmatch = "all"\n'
    )
    project.write("data/one.toml", text)
    project.write("data/two.toml", f"{text}\n[grid]\ntitle = [1, 2]\n")
    done = project.run(
        """
def test_one(relevance):
    relevance.search("data/one.toml", k=10).at_least("rr@10", 0.8)
def test_variant(relevance):
    relevance.search("data/two.toml", k=10, variant="title=2").at_least("rr@10", 0.8)
def test_several(relevance):
    relevance.search("data/two.toml", k=10)
"""
    )
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(
        ["E *the engine has several variants: title=1, title=2", 'E *variant="title=1")']
    )


# -- marks and settings ----------------------------------------------------------------------------


def test_the_closest_mark_wins(project: Project) -> None:
    project.write_run("other.run", {f"q{n}": [f"q{n}-d0"] for n in range(QUERIES)})
    done = project.run(
        """
@pytest.mark.relevance(baseline="other.run", alpha=0.01)
class TestClass:
    def test_class(self, relevance):
        assert relevance.settings.baseline.endswith("other.run")
        assert relevance.settings.judgments.endswith("judgments.qrels")
        assert relevance.settings.alpha == 0.01
    @pytest.mark.relevance(baseline=None, alpha=0.1, margins={"rr": 0.1})
    def test_function(self, relevance):
        assert relevance.settings.baseline.endswith("other.run")
        assert relevance.settings.alpha == 0.1
        assert dict(relevance.settings.margins) == {"rr": 0.1, "ndcg@10": 0.01}
        relevance.search(search, k=10).not_worse("rr@10", by=0.01)
def test_module(relevance):
    assert relevance.settings.baseline.endswith("baseline.run")
""",
        mark=MARK.replace("baseline=", 'margins={"ndcg@10": 0.01}, baseline='),
    )
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["E *rr@10 is worse than in other.run: 1.0000 → 0.4567 *90% *"])


def test_settings_are_the_defaults(project: Project) -> None:
    project.write(
        "pyproject.toml",
        """
[tool.pytest.ini_options]
relevance_judgments = "judgments.qrels"
relevance_queries = "queries.tsv"
relevance_baseline = "baseline.run"
relevance_margins = "NDCG@10=0.01 rr@10=2%"
relevance_by = "tier, language"
relevance_alpha = "0.1"
""",
    )
    project.write(
        "tests/test_below.py",
        """
def test_settings(relevance):
    settings = relevance.settings
    assert dict(settings.margins) == {"ndcg@10": "0.01", "rr@10": "2%"}
    assert settings.alpha == 0.1
    assert settings.by == ["tier", "language"]
    assert relevance.run("baseline.run").value("recall@10") == 1.0
""",
    )
    done = project.pytester.runpytest_inprocess(*OPTIONS, "--strict-markers", "tests")
    done.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ('judgements="x"', "test_search.py:3: the mark `relevance` has no argument `judgements`"),
        ('"x"', "test_search.py:3: the mark `relevance` takes its arguments by name, got 'x'"),
        ('baseline="x"', "test_search.py:3: the test has no judgments: *"),
        ('judgments="none.qrels"', "*none.qrels: *"),
        ('judgments="judgments.qrels", alpha=2', "*alpha*2*"),
        ('judgments="judgments.qrels", alpha="x"', "*alpha must be a number such as 0.05, got 'x'"),
        ('judgments="judgments.qrels", margins=0.1', "*margins must be a mapping such as *"),
        ('judgments="judgments.qrels", margins={"nonsense": 1}', "*nonsense*"),
        ('judgments="judgments.qrels", scale="nonsense"', "*nonsense*"),
        ('judgments="judgments.qrels", convention="nonsense"', "*nonsense*"),
    ],
)
def test_a_wrong_mark_is_an_error(project: Project, mark: str, expected: str) -> None:
    done = project.run(
        f"""
@pytest.mark.relevance({mark})
def test_mark(relevance):
    pass
""",
        mark="import pytest\n",
    )
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines([expected])
    done.stdout.no_fnmatch_line("*plugin.py*")


def test_marks_and_the_fixture_are_described(project: Project) -> None:
    done = project.pytester.runpytest_inprocess(*OPTIONS, "--markers")
    done.stdout.fnmatch_lines(["@pytest.mark.relevance(judgments=..., baseline=..., *"])
    done = project.pytester.runpytest_inprocess(*OPTIONS, "--fixtures")
    done.stdout.fnmatch_lines(["relevance -- *", "*Searches, and checks the relevance of *"])


def test_a_missing_baseline_says_how_to_write_it(project: Project) -> None:
    (project.path / "baseline.run").unlink()
    done = project.run(
        """
def test_missing(relevance):
    relevance.search(search, k=10).at_least("recall@10", 0.5).better("rr@10")
@pytest.mark.relevance(baseline={})
def test_other(relevance):
    pass
""",
    )
    done.assert_outcomes(failed=1, passed=1)
    done.stdout.fnmatch_lines(
        ["E *Failed: no baseline at *baseline.run", "E *hint: run pytest --relevance-update once*"]
    )
