"""What the fixture returns: searches the judged queries, or takes a run that exists."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import pytest

from relyon.analysis.comparison.summaries.summary import Gate
from relyon.compat.pytest.artifacts import Artifacts
from relyon.compat.pytest.baseline import Baseline
from relyon.compat.pytest.checked_run import CheckedRun
from relyon.compat.pytest.names import FAILED, OWN_FIXTURES, PASSED, WRITTEN
from relyon.compat.pytest.searches import Searches
from relyon.compat.pytest.settings import Settings
from relyon.compat.pytest.words import plain_errors, said
from relyon.core.errors import InputError
from relyon.core.parameters import check_whole
from relyon.data.run import Run
from relyon.evaluation import Evaluator

if TYPE_CHECKING:
    from relyon.compat.pytest.searches import Search
    from relyon.engines.asked import Query

__all__ = ["Relevance"]

_searches: Final = pytest.StashKey[Searches]()
#: Queries that a message names.
NAMED = 3


class Relevance:
    """The fixture `relevance`: searches, and takes runs.

    Attributes:
        settings: The data of the test, and how its runs are compared.
    """

    def __init__(self, item: pytest.Item, settings: Settings, searches: Searches) -> None:
        self.settings = settings
        self._item = item
        self._searches = searches
        self._evaluator = Evaluator(
            settings.judgments, convention=settings.convention, scale=settings.scale
        )
        self._artifacts = Artifacts(item)
        self._baseline = Baseline(settings.baseline, item, searches)
        self._found: list[CheckedRun] = []
        self._texts: Mapping[str, str] | None = None

    @classmethod
    def of(cls, request: pytest.FixtureRequest) -> Relevance:
        """Returns the fixture of a test.

        Raises:
            pytest.fail.Exception: If its data or a mark cannot be used.
        """
        __tracebackhide__ = True
        item: pytest.Item = request.node
        with plain_errors(at_line=False):
            searches = item.config.stash.setdefault(_searches, Searches())
            return cls(item, Settings.of(item), searches)

    def search(
        self,
        engine: Search | str | os.PathLike[str],
        k: int = 100,
        *,
        repeats: int = 1,
        variant: str = "",
        fresh: bool = False,
    ) -> CheckedRun:
        """Searches with every judged query.

        Tests of one session that search with the same function, queries and k share its answers,
        unless a test has parameters or fixtures that are made for it alone: these may change what
        the function finds.

        Args:
            engine: A function `search(query, k)`, or `search(query)`, that returns results, best
                first: ids, pairs of id and score, or mappings with `id` and `score`; it may be
                `async`. It gets the query's text, or its id if the test has no table of queries.
                Or the path of an engine's file.
            k: How many results to ask for.
            repeats: How often to search, for an engine that answers differently each time: checks
                then use the means over the repeated runs.
            variant: The variant of an engine's file.
            fresh: Whether to search even if the session knows the answers.

        Raises:
            pytest.fail.Exception: If the function raised something, or its results or the queries
                cannot be used.
        """
        __tracebackhide__ = True
        with plain_errors():
            check_whole("k", k)
            check_whole("repeats", repeats)
            shared = not fresh and not self._item.stash.get(OWN_FIXTURES, False)
            runs = self._searches.search(
                self._at(engine), self._queries(), k, variant, repeats, shared=shared
            )
        return self._checked(runs, k)

    def run(self, run: object) -> CheckedRun:
        """Takes a run that exists.

        Args:
            run: The path of a file, or what else `relyon.evaluate` takes: `{query: {document:
                score}}`, a frame, a `Run`.

        Raises:
            pytest.fail.Exception: If it cannot be read.
        """
        __tracebackhide__ = True
        from relyon.io import read_run

        with plain_errors():
            found = run if isinstance(run, Run) else read_run(self._at(run))
        return self._checked([found], None)

    def __repr__(self) -> str:
        files = {"judgments": self.settings.judgments, "baseline": self.settings.baseline}
        shown = [
            f"{name}={os.path.basename(one)!r}"
            for name, one in files.items()
            if isinstance(one, str)
        ]
        return f"Relevance({', '.join(shown)})"

    def finish(self, *, succeeded: bool) -> None:
        """Writes what the test leaves: a new baseline if it succeeded, and reports.

        Raises:
            pytest.fail.Exception: If they cannot be written.
        """
        __tracebackhide__ = True
        with plain_errors(at_line=False):
            for path in self._baseline.write(succeeded=succeeded):
                self._item.user_properties.append((WRITTEN, said("baseline-written", path=path)))
            for one in self._found:
                gate = Gate(one.compared, one.failures)
                self._artifacts.write(one.runs, one.comparison if one.compared else None, gate)

    def _at(self, given: object) -> object:
        """Returns a path relative to the test's file, else anything as it is."""
        if not isinstance(given, str | os.PathLike):
            return given
        beside = self._item.path.parent / given
        return str(beside if beside.exists() else self._item.config.rootpath / given)

    def _checked(self, runs: Sequence[Run], k: int | None) -> CheckedRun:
        found = CheckedRun(
            runs,
            self._evaluator,
            self.settings,
            self._baseline,
            self._artifacts,
            note=self._note,
            texts=self._known_texts,
            k=k,
        )
        self._found.append(found)
        return found

    def _note(self, text: str, *, passed: bool) -> None:
        self._item.user_properties.append((PASSED if passed else FAILED, text))

    def _queries(self) -> Sequence[Query]:
        """Returns the judged queries.

        Raises:
            InputError: If one has no text: it would count as a query without results.
        """
        from relyon.engines.asked import Query
        from relyon.engines.queries import read_queries

        judged = self._evaluator.judgments.queries
        given = self.settings.queries
        if given is None:
            return [Query(one, one) for one in judged]
        known = {one.id: one for one in read_queries(given)}
        left = [one for one in judged if one not in known]
        if left:
            counts = {"count": len(left), "total": len(judged)}
            raise InputError(
                said("queries-without-text", queries=left[:NAMED], **counts),
                path=os.fspath(given) if isinstance(given, str | os.PathLike) else "",
                hint=said("add-texts"),
            )
        return [known[one] for one in judged]

    def _known_texts(self) -> Mapping[str, str]:
        """Returns the texts of queries for messages; none without a table."""
        from relyon.io.descriptions import described

        if self._texts is None:
            queries = self._evaluator.judgments.queries
            given = self.settings.queries
            self._texts = {} if given is None else described(given, "query", queries)
        return self._texts
