"""Drafts of months: a log on its way to a sample, held for one lead until the project is there."""

from __future__ import annotations

import logging
import secrets
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError, ParseError, RelyonError
from relyon.core.texts import Message, message

if TYPE_CHECKING:
    from relyon.app.months.checked_logs import CheckedLog
    from relyon.app.months.plans import Plan, PlanForm

__all__ = ["CancelledError", "Draft", "Drafts", "Problem", "Stage"]

log = logging.getLogger("relyon.judging")

#: What a draft waits for, or does.
Stage = Literal["reading", "checks", "cleaning", "plan", "drawing", "creating", "created"]
#: Seconds after which an unused draft is forgotten.
FORGOTTEN = 6 * 3600.0
#: Drafts of one lead, and of all.
OWN, ALL = 3, 20
#: Steps that run at once; others wait.
AT_ONCE = 1


class CancelledError(Exception):
    """The draft was cancelled."""


@dataclass(frozen=True)
class Problem:
    """Why a step of a draft failed.

    Attributes:
        text: What is wrong; `relyon.core.texts.translate` translates it.
        stage: The step that failed.
    """

    text: str
    stage: Stage


@dataclass
class Draft:
    """A log on its way to a sample.

    Attributes:
        token: Names it in addresses.
        owner: The account that may see it.
        month: Such as `2026-11`.
        name: The name of the log, for display.
        folder: Its own folder.
        path: The log: in the folder, or where the operator keeps it.
        trusted: Whether the log is the operator's own.
        stage: What it waits for, or does.
        running: Whether a step runs.
        done: Parts of the step that are done.
        total: All parts of the step.
        problem: Why the last step failed.
        columns: The names of the log's columns, if these could not be recognised.
        roles: Which of them is what, as the lead says.
        checked: What was found in the log.
        cleaned: The repaired log.
        form: What the plan was made of.
        plan: The plan.
        project: The project that it became.
    """

    token: str
    owner: int
    month: str
    name: str
    folder: Path
    path: Path
    trusted: bool = False
    stage: Stage = "reading"
    running: bool = False
    done: int = 0
    total: int = 0
    problem: Problem | None = None
    columns: tuple[str, ...] = ()
    roles: dict[str, str] = field(default_factory=dict)
    checked: CheckedLog | None = None
    cleaned: Path | None = None
    form: PlanForm | None = None
    plan: Plan | None = None
    project: int | None = None
    used: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    cancelled: threading.Event = field(default_factory=threading.Event, repr=False)

    def report(self, done: int, total: int, what: object = None) -> None:
        """Stores the progress of the step.

        Args:
            done: Parts that are done.
            total: All parts.
            what: What comes next; it is not shown.

        Raises:
            CancelledError: If the draft was cancelled.
        """
        if self.cancelled.is_set():
            raise CancelledError
        self.done, self.total = done, total


class Drafts:
    """The drafts of an app, in a private folder that ends with the app.

    Steps run in threads, one at a time for the whole app: each may take as much memory as its log.
    """

    def __init__(self) -> None:
        self._root: Path | None = None
        self._found: dict[str, Draft] = {}
        self._lock = threading.Lock()
        self._turn = threading.Semaphore(AT_ONCE)

    def make(self, owner: int, month: str, name: str) -> Draft:
        """Creates a draft with a folder of its own.

        Raises:
            InputError: If there are too many.
        """
        with self._lock:
            self._forget()
            mine = [one for one in self._found.values() if one.owner == owner]
            if len(mine) >= OWN:
                # A lead who begins again has left the oldest one behind, unless it runs.
                idle = [one for one in mine if not one.running]
                if not idle:
                    raise InputError(message("app.too-many-drafts"))
                self._discard(min(idle, key=lambda one: one.used))
            if len(self._found) >= ALL:
                raise InputError(message("app.too-many-drafts"))
            if self._root is None:
                self._root = Path(tempfile.mkdtemp(prefix="relyon-months-"))
                weakref.finalize(self, shutil.rmtree, str(self._root), ignore_errors=True)
            token = secrets.token_hex(16)
            folder = self._root / token
            folder.mkdir(mode=0o700)
            made = Draft(token, owner, month, name, folder, folder / "log")
            self._found[token] = made
            return made

    def find(self, token: str, owner: int) -> Draft | None:
        """Returns a lead's own draft; None if there is none, or it is another's."""
        with self._lock:
            self._forget()
            found = self._found.get(token)
            if found is None or found.owner != owner:
                return None
            found.used = time.monotonic()
            return found

    def of(self, owner: int) -> list[Draft]:
        """Returns a lead's unfinished drafts, the latest first."""
        with self._lock:
            self._forget()
            mine = [one for one in self._found.values() if one.owner == owner]
        return sorted(
            (one for one in mine if one.project is None), key=lambda one: one.used, reverse=True
        )

    def discard(self, draft: Draft) -> None:
        """Removes a draft and its files; a step that runs stops at its next part."""
        with self._lock:
            self._discard(draft)

    def _discard(self, draft: Draft) -> None:
        draft.cancelled.set()
        self._found.pop(draft.token, None)
        if not draft.running:
            shutil.rmtree(draft.folder, ignore_errors=True)

    def _forget(self) -> None:
        limit = time.monotonic() - FORGOTTEN
        for one in [one for one in self._found.values() if one.used < limit and not one.running]:
            self._discard(one)

    def start(
        self,
        draft: Draft,
        stage: Stage,
        work: Callable[[], Stage],
        *,
        patience: float = 2.0,
    ) -> bool:
        """Runs a step of a draft in a thread, and waits a little for its end.

        Args:
            draft: The draft.
            stage: What it does meanwhile.
            work: The step; it returns what the draft waits for afterwards.
            patience: Seconds to wait.

        Returns:
            Whether it was started: only one step of a draft runs at a time.
        """
        with draft.lock:
            if draft.running or draft.project is not None:
                return False
            before = draft.stage
            draft.running, draft.stage, draft.problem = True, stage, None
            draft.done = draft.total = 0

        def run() -> None:
            after: Stage = before
            problem: Problem | None = None
            try:
                with self._turn:
                    draft.report(0, 0)
                    after = work()
            except CancelledError:
                log.info("a draft of %s was cancelled", draft.month)
            except BaseException as error:  # also Polars' panics
                if not isinstance(error, RelyonError):
                    log.warning("draft of %s, %s", draft.month, stage, exc_info=error)
                problem = Problem(_sentence(error, draft), stage)
            with draft.lock:
                draft.running, draft.stage, draft.problem = False, after, problem
            if draft.cancelled.is_set() or draft.project is not None:
                shutil.rmtree(draft.folder, ignore_errors=True)

        thread = threading.Thread(target=run, name=f"month {draft.month}", daemon=True)
        thread.start()
        thread.join(patience)
        return True


def _sentence(error: BaseException, draft: Draft) -> str:
    """Returns what went wrong, with the name of the log instead of its path, and without advice.

    The advice of errors is for those who have a command line.
    """
    if not isinstance(error, RelyonError):
        return message("app.log-cannot-be-read")
    found = error.message
    if not isinstance(found, Message) or found.kind != "core.path-message":
        return found
    line = f":{error.line}" if isinstance(error, ParseError) else ""
    return message("core.path-message", path=f"{draft.name}{line}", message=found.values["message"])
