"""Files that a test leaves: reports, the candidate's run, and the command that explains a query."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.core.language import environment_language
from relyon.core.notes import RelyonWarning
from relyon.io.atomic_files import open_replaced
from relyon.io.writers import write_run

if TYPE_CHECKING:
    import pytest

    from relyon.analysis.comparison import Comparison
    from relyon.analysis.comparison.summaries.summary import Gate
    from relyon.compat.pytest.settings import Settings
    from relyon.data.run import Run

__all__ = ["Artifacts", "safe_name"]

#: Characters of a test's name in the name of its folder.
LONGEST = 60


def safe_name(test: str) -> str:
    """Returns the name of a test's folder: every system takes it, and no two tests share it.

    Args:
        test: The id of the test in pytest.

    Examples:
        >>> safe_name("tests/test_a.py::test_b[红/x]")
        'tests-test_a.py-test_b-x-42f27536'
    """
    plain = re.sub(r"[^A-Za-z0-9._]+", "-", test).strip("-.")[:LONGEST]
    return f"{plain}-{hashlib.sha256(test.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


class Artifacts:
    """The files of one test, in the folder that ``--relevance-report`` names.

    Args:
        item: The test.
    """

    def __init__(self, item: pytest.Item) -> None:
        given = item.config.getoption("--relevance-report")
        self._item = item
        self._folder = Path(given).absolute() / safe_name(item.nodeid) if given else None
        self._written = 0

    def write(
        self, runs: Sequence[Run], compare: Callable[[], Comparison] | None, gate: Gate
    ) -> None:
        """Writes the runs of a search, and the report and summary if it was compared.

        Args:
            runs: The run; several if the search was repeated.
            compare: Returns the comparison; `None` if there is none.
            gate: What was checked, and why it failed.

        Raises:
            RelyonError: If they cannot be written.
        """
        if self._folder is None:
            return
        self._written += 1
        number = "" if self._written == 1 else f"-{self._written}"
        for place, run in enumerate(runs, 1):
            _write(run, self._folder, number if place == 1 else f"{number}-repeat-{place}")
        if compare is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RelyonWarning)  # the checks had them
                _report(compare(), self._folder, number, gate)

    def explain(self, run: Run, settings: Settings, measure: str) -> Callable[[str], str] | None:
        """Returns what makes the command that explains a query; `None` if data is not in files.

        Args:
            run: The candidate's run, which is written if the command needs it.
            settings: Where the other data is.
            measure: The measure.
        """
        files = [settings.judgments, settings.baseline]
        rules = {"--convention": settings.convention, "--scale": settings.scale}
        folder = self._folder or self._cache()
        named = all(isinstance(one, str) for one in files)
        if folder is None or not named:
            return None
        if not all(one is None or isinstance(one, str) for one in rules.values()):
            return None
        path = _write(run, folder, f"-{self._written + 1}" if self._written else "")
        words = ["relyon", "explain", *(_near(str(one)) for one in (*files, path))]
        asked: list[str] = []
        for name, one in rules.items():
            asked += [] if one is None else [name, str(one)]

        def command(query: str) -> str:
            return shlex.join([*words, "--query-id", query, "-m", measure, *asked])

        return command

    def _cache(self) -> Path | None:
        """Returns a folder of pytest's cache; `None` if it has none."""
        cache = getattr(self._item.config, "cache", None)
        if cache is None:
            return None
        return Path(cache.mkdir("relevance")) / safe_name(self._item.nodeid)


def _write(run: Run, folder: Path, number: str) -> str:
    """Writes a run into a folder; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / f"candidate{number}.run")
    write_run(run, path, overwrite=True)
    return path


def _report(comparison: Comparison, folder: Path, number: str, gate: Gate) -> None:
    """Writes the report and the summary of a comparison."""
    from relyon.core.errors import DependencyError
    from relyon.report import write_report

    language = environment_language()
    with open_replaced(str(folder / f"summary{number}.md")) as file:
        summary = comparison.to_summary(gate=gate, language=language)
        file.write(f"{summary}\n".encode("utf-8", "backslashreplace"))
    try:
        write_report(comparison, folder / f"report{number}.html", language=language)
    except DependencyError:  # Markdown needs no package
        write_report(comparison, folder / f"report{number}.md", language=language)


def _near(path: str) -> str:
    """Returns a path as it is written from here, if that is shorter."""
    try:
        return min(os.path.relpath(path), path, key=len)
    except ValueError:  # on another drive
        return path
