"""The baseline of a test: read, and written with ``--relevance-update``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from relyon.compat.pytest.words import fail, said
from relyon.core.errors import ParameterError
from relyon.data.run import Run, run_name

if TYPE_CHECKING:
    import pytest

    from relyon.compat.pytest.searches import Searches

__all__ = ["Baseline"]


class Baseline:
    """The run that others are compared with.

    Args:
        given: A path, a run, or `None`.
        item: The test.
        searches: What the session knows, such as the baselines that it has written.
    """

    def __init__(self, given: object, item: pytest.Item, searches: Searches) -> None:
        self.given = given
        self.updates = bool(item.config.getoption("--relevance-update"))
        self._test = item.nodeid
        self._searches = searches
        self._run: Run | None = None
        self._new: Run | None = None

    @property
    def path(self) -> str:
        """The path of its file; empty if it has none."""
        return os.fspath(self.given) if isinstance(self.given, str | os.PathLike) else ""

    @property
    def name(self) -> str:
        """Its name in messages."""
        return run_name(self.given) if self.path or isinstance(self.given, Run) else "baseline"

    def run(self) -> Run:
        """Returns the run; a file is read once.

        Raises:
            ParameterError: If there is none.
        """
        from relyon.io import read_run

        if self.given is None:
            raise ParameterError(said("no-baseline"), hint=said("name-baseline"))
        if self.path and not os.path.exists(self.path):
            raise ParameterError(
                said("baseline-missing", path=self.path), hint=said("write-baseline")
            )
        if self._run is None:
            self._run = self.given if isinstance(self.given, Run) else read_run(self.given)
        return self._run

    def replace(self, run: Run) -> None:
        """Keeps a run that becomes the baseline if the test succeeds.

        Raises:
            ParameterError: If the baseline is not a file.
            pytest.fail.Exception: If another test or check of the session has another run for it.
        """
        __tracebackhide__ = True
        if not self.path:
            raise ParameterError(said("baseline-is-no-file"), hint=said("name-baseline"))
        known = self._searches.baselines.get(self.path, (self._test, self._new or run))
        if known[1].to_dict() != run.to_dict():
            fail(said("baseline-twice", path=self.path, test=known[0]))
        self._new = run

    def write(self, *, succeeded: bool) -> list[str]:
        """Writes the new baseline if there is one and the test succeeded; returns its path.

        Raises:
            InputError: If it cannot be written.
        """
        from relyon.io.writers import write_run

        if self._new is None or not succeeded:
            return []
        if self.path not in self._searches.baselines:
            folder = os.path.dirname(self.path)
            if folder:
                os.makedirs(folder, exist_ok=True)
            write_run(self._new, self.path, overwrite=True)
        self._searches.baselines[self.path] = self._test, self._new
        return [self.path]
