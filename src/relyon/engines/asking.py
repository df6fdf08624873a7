"""Asking an engine: several requests at the same time, a rate, retries, and an orderly stop."""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.engines.asked import Answer, Request
from relyon.engines.engine import Engine
from relyon.engines.files.configuration import Limits
from relyon.engines.pace import Pace, StoppedError
from relyon.engines.problems import FatalError, PassingError, RefusedError

__all__ = ["Outcome", "ask_all", "unanswered"]

#: Seconds before a request is sent again, doubled with every attempt.
FIRST_REST, LONGEST_REST = 0.5, 30.0
#: Requests in a row without an answer, after all retries, after which the engine counts as gone;
#: one that cannot be connected to, before it ever answered, does at once.
GONE = 5
#: Seconds that requests on their way are waited for after an interrupt.
GRACE = 2.5
#: Seconds after which a wait looks up.
BEAT = 0.2
#: Queries that a message names.
NAMED = 3


@dataclass
class Outcome:
    """What became of one request.

    Attributes:
        request: The request.
        answer: The answer; None if it has none.
        seconds: From sending the request that was answered, or the last one, to its end.
        at: When it ended, in seconds since 1970.
        problems: What went wrong, once per attempt that failed.
        refused: Whether the engine refuses the query, so that asking again will not help.
        detail: The engine's message about the last problem.
    """

    request: Request
    answer: Answer | None = None
    seconds: float = 0.0
    at: float = 0.0
    problems: list[str] = field(default_factory=list)
    refused: bool = False
    detail: str = ""

    @property
    def settled(self) -> bool:
        """Whether the engine answered or refused the query: asking again would not help."""
        return self.answer is not None or self.refused


def unanswered(
    without: Iterable[Outcome], place: Callable[[Request], int], total: int, hint: str = ""
) -> InputError:
    """Returns the error of queries without an answer: it names the first ones.

    Args:
        without: What became of their requests, in any order.
        place: Returns the place of a request among all.
        total: How many there are.
        hint: What to do.
    """
    found = sorted(without, key=lambda one: place(one.request))
    return InputError(
        message(
            "engines.queries-without-answer",
            count=len(found),
            total=total,
            queries=[one.request.query.id for one in found[:NAMED]],
            problem=found[0].detail or found[0].problems[-1],
        ),
        hint=hint,
    )


def ask_all(
    engine: Engine,
    requests: Sequence[Request],
    limits: Limits,
    *,
    keep: Callable[[Outcome], None] | None = None,
    wait: Callable[[float], object] | None = None,
) -> Iterator[Outcome]:
    """Sends requests to an engine that is open, and yields what became of each, as they end.

    Args:
        engine: The engine.
        requests: The requests, sent in this order.
        limits: How it may be asked.
        keep: Called with every outcome before it is yielded, one at a time, in the thread that
            asked: unless that is the main one, an interrupt of the program cannot come between an
            answer and this call. Requests that are on their way when the caller stops are waited
            for and kept, too.
        wait: Waits for some seconds; tests need not.

    Raises:
        FatalError: If no query will be answered. Nothing more is sent then.
    """
    pace = Pace(limits.rate * 60 if limits.rate else None, wait=wait)
    asking = _Asking(engine, limits, pace, keep)
    count = min(limits.concurrency, len(requests))
    if count == 1 and engine.in_calling_thread:
        yield from _followed((asking.ask(one) for one in requests), engine)
        return
    for request in requests:
        asking.waiting.put(request)
    workers = [
        threading.Thread(target=asking.work, name=f"relyon-search-{n}", daemon=True)
        for n in range(count)
    ]
    for worker in workers:
        worker.start()
    try:
        yield from _followed((asking.ended() for _ in requests), engine)
    finally:
        pace.stop()
        try:
            end = time.monotonic() + GRACE
            for worker in workers:
                worker.join(max(end - time.monotonic(), 0.0))
        finally:
            asking.end()


class _Asking:
    """What the threads of one search share."""

    def __init__(
        self, engine: Engine, limits: Limits, pace: Pace, keep: Callable[[Outcome], None] | None
    ) -> None:
        self.waiting: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[Outcome | BaseException] = queue.SimpleQueue()
        self._engine, self._limits, self._pace = engine, limits, pace
        self._keep = keep
        self._lock = threading.Lock()
        self._over = False

    def work(self) -> None:
        """Asks until nothing waits any more."""
        try:
            while not self._over:
                self._ended.put(self.ask(self.waiting.get_nowait()))
        except (queue.Empty, StoppedError):
            return
        except BaseException as error:  # raised again in the calling thread
            self._pace.stop()
            self._ended.put(error)

    def ask(self, request: Request) -> Outcome:
        """Sends one request until it is answered or retries are used up, and keeps what became."""
        outcome = _ask(self._engine, request, self._limits, self._pace)
        with self._lock:
            if self._keep is not None and not self._over:
                self._keep(outcome)
        return outcome

    def ended(self) -> Outcome:
        """Returns what became of the next request to end."""
        found = None
        while found is None:
            # An interrupt of the program counts once this wait ends.
            with suppress(queue.Empty):
                found = self._ended.get(timeout=BEAT)
        if isinstance(found, BaseException):
            raise found
        return found

    def end(self) -> None:
        """Keeps nothing from now on: the caller is gone."""
        with self._lock:
            self._over = True


def _followed(outcomes: Iterator[Outcome], engine: Engine) -> Iterator[Outcome]:
    """Yields outcomes until the engine counts as gone."""
    silent, answered = 0, False
    for one in outcomes:
        yield one
        silent = 0 if one.settled else silent + 1
        answered = answered or one.settled
        unreachable = silent and not answered and one.problems[-1] == "connection"
        if silent >= GONE or unreachable:
            raise FatalError(
                message(
                    "engines.gives-no-answers",
                    address=engine.secrets.hide(engine.address),
                    count=silent,
                    problem=one.detail or one.problems[-1],
                ),
                hint=message("engines.run-again-when-up"),
            )


def _ask(engine: Engine, request: Request, limits: Limits, pace: Pace) -> Outcome:
    outcome = Outcome(request)
    while True:
        pace.take_turn()
        start = time.perf_counter()
        try:
            outcome.answer = engine.ask(request)
        except RefusedError as error:
            outcome.refused = True
            outcome.problems.append(error.kind)
            outcome.detail = engine.secrets.hide(error.detail)
        except PassingError as error:
            outcome.problems.append(error.kind)
            outcome.detail = engine.secrets.hide(error.detail)
            if len(outcome.problems) <= limits.retries:
                _rest(error, len(outcome.problems), limits, pace)
                continue
        except FatalError as error:
            raise _without_secrets(error, engine) from None
        outcome.seconds = time.perf_counter() - start
        outcome.at = time.time()
        return outcome


def _without_secrets(error: FatalError, engine: Engine) -> FatalError:
    hide = engine.secrets.hide_message
    return FatalError(hide(error.message), hint=hide(error.hint))


def _rest(error: PassingError, attempts: int, limits: Limits, pace: Pace) -> None:
    """Waits before a request is sent again.

    Raises:
        FatalError: If the engine asks for a longer wait than allowed.
        StoppedError: If nothing more is sent.
    """
    if error.wait is None:
        rest = min(FIRST_REST * 2 ** (attempts - 1), LONGEST_REST)
        pace.sleep(rest * random.uniform(0.5, 1.0))
    elif error.wait > limits.longest_wait:
        raise FatalError(
            message("engines.asks-to-wait", seconds=error.wait, most=limits.longest_wait),
            hint=message("engines.run-again-then"),
        )
    else:
        pace.pause(error.wait)
        pace.sleep(error.wait)
