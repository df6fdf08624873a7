"""Asking an engine: several requests at the same time, a rate, retries, and an orderly stop."""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from relyon.core.texts import message
from relyon.engines.asked import Answer, Request
from relyon.engines.configuration import Limits
from relyon.engines.engine import Engine
from relyon.engines.pace import Pace, StoppedError
from relyon.engines.problems import FatalError, PassingError, RefusedError

__all__ = ["Outcome", "ask_all"]

#: Seconds before a request is sent again, doubled with every attempt.
FIRST_REST, LONGEST_REST = 0.5, 30.0
#: Requests in a row without an answer, after all retries, after which the engine counts as gone.
GONE = 10
#: Seconds that requests on their way are waited for after an interrupt.
GRACE = 3.0


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


def ask_all(
    engine: Engine,
    requests: Sequence[Request],
    limits: Limits,
    *,
    wait: Callable[[float], object] | None = None,
) -> Iterator[Outcome]:
    """Sends requests to an engine that is open, and yields what became of each, as they end.

    Args:
        engine: The engine.
        requests: The requests, sent in this order.
        limits: How it may be asked.
        wait: Waits for some seconds; tests need not.

    Raises:
        FatalError: If no query will be answered. Nothing more is sent then; what had been answered
            was yielded before.
    """
    pace = Pace(limits.rate * 60 if limits.rate else None, wait=wait)
    waiting: queue.SimpleQueue[Request] = queue.SimpleQueue()
    for request in requests:
        waiting.put(request)
    ended: queue.SimpleQueue[Outcome | BaseException] = queue.SimpleQueue()

    def work() -> None:
        try:
            while True:
                request = waiting.get_nowait()
                ended.put(_ask(engine, request, limits, pace))
        except (queue.Empty, StoppedError):
            return
        except BaseException as error:  # raised again in the calling thread
            ended.put(error)

    workers = [
        threading.Thread(target=work, name=f"relyon-search-{n}", daemon=True)
        for n in range(min(limits.concurrency, len(requests)))
    ]
    for worker in workers:
        worker.start()
    try:
        yield from _received(ended, len(requests), engine)
    finally:
        pace.stop()
        # A request on its way is waited for: its connection can then be closed in order.
        end = time.monotonic() + GRACE
        for worker in workers:
            worker.join(max(end - time.monotonic(), 0.0))


def _received(
    ended: queue.SimpleQueue[Outcome | BaseException], total: int, engine: Engine
) -> Iterator[Outcome]:
    silent = 0
    for _ in range(total):
        found = ended.get()
        if isinstance(found, BaseException):
            yield from _answered(_left(ended))
            raise found
        yield found
        silent = 0 if found.answer is not None or found.refused else silent + 1
        if silent >= GONE:
            yield from _answered(_left(ended))
            raise FatalError(
                message(
                    "engines.gives-no-answers",
                    address=engine.address,
                    count=silent,
                    problem=found.detail or found.problems[-1],
                ),
                hint=message("engines.run-again-when-up"),
            )


def _left(ended: queue.SimpleQueue[Outcome | BaseException]) -> Iterator[Outcome | BaseException]:
    while not ended.empty():
        yield ended.get()


def _answered(found: Iterable[Outcome | BaseException]) -> Iterator[Outcome]:
    return (one for one in found if isinstance(one, Outcome))


def _ask(engine: Engine, request: Request, limits: Limits, pace: Pace) -> Outcome:
    """Sends one request until it is answered or retries are used up."""
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
            if len(outcome.problems) <= limits.retries and _rest(error, outcome, limits, pace):
                continue
        outcome.seconds = time.perf_counter() - start
        outcome.at = time.time()
        return outcome


def _rest(error: PassingError, outcome: Outcome, limits: Limits, pace: Pace) -> bool:
    """Waits before a request is sent again; returns whether it may be.

    Raises:
        FatalError: If the engine asks for a longer wait than allowed.
    """
    if error.wait is None:
        rest = min(FIRST_REST * 2 ** (len(outcome.problems) - 1), LONGEST_REST)
        pace.sleep(rest * random.uniform(0.5, 1.0))
        return True
    if error.wait > limits.longest_wait:
        raise FatalError(
            message("engines.asks-to-wait", seconds=error.wait, most=limits.longest_wait),
            hint=message("engines.run-again-then"),
        )
    pace.pause(error.wait)
    pace.sleep(error.wait)
    return True
