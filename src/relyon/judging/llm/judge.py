"""A language model grades a project's items: repeated samples, stored at once, resumable."""

from __future__ import annotations

import hashlib
import json
import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_choice, check_whole
from relyon.core.texts import message
from relyon.engines.pace import StoppedError
from relyon.judging.llm.answers import Answer, read_answer
from relyon.judging.llm.endpoint import Completion, Endpoint, RefusedError
from relyon.judging.llm.prompt import Prompt, can_be_shown
from relyon.judging.places import draw_number
from relyon.judging.records import Item

if TYPE_CHECKING:
    from relyon.judging.llm.models import Configuration
    from relyon.judging.llm.replies import StoredAnswer
    from relyon.judging.store import Store

__all__ = [
    "Outcome",
    "Plan",
    "Which",
    "ask_model",
    "build_plan",
    "choose_items",
    "find_open",
    "hash_request",
    "request_body",
]

Which = Literal["all", "graded", "ungraded"]

#: After this many rejected items in a row the endpoint is considered unusable.
MOST_REFUSALS = 10


@dataclass(frozen=True)
class Plan:
    """The requests to send.

    Attributes:
        items: The items that have something to show.
        requests: The hash of the request, by item.
        open: Unanswered requests: item, sample, and the attempts made.
        unreadable: Abandoned samples.
        hidden: Items with nothing to show.
        attempts: Maximum attempts per sample to get a valid answer.
        kept_as: Whether the answers are `grades` of the items, or those of `probes`, which are
            never grades.
    """

    items: tuple[Item, ...]
    requests: Mapping[int, str]
    open: tuple[tuple[Item, int, int], ...]
    unreadable: int
    hidden: int
    attempts: int
    kept_as: Literal["grades", "probes"] = "grades"


@dataclass
class Outcome:
    """The outcome of a run.

    Attributes:
        asked: Requests that were answered.
        graded: Of them, those with a grade.
        problems: How many answers had no grade, by kind of problem.
        given_up: Samples without a grade after the last attempt.
        retried: Requests that were sent again after an error.
        prompt_tokens: As counted by the endpoint.
        completion_tokens: As counted by the endpoint.
    """

    asked: int = 0
    graded: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    given_up: int = 0
    retried: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


def choose_items(
    store: Store,
    project_id: int,
    *,
    which: Which = "all",
    queries: int | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> list[Item]:
    """Selects the items for a model, reproducibly.

    Args:
        store: The database.
        project_id: The project.
        which: `graded` are the items with a grade by people, for a calibration; `ungraded` those
            without.
        queries: Only this many queries, drawn at random, with all their items.
        limit: Only this many items, query by query in a random order.
        seed: Of the random order.

    Raises:
        ParameterError: If `which` is not one of its choices, or a number is below 1.
    """
    check_choice("which", which, get_args(Which))
    for name, value in (("queries", queries), ("limit", limit)):
        if value is not None:
            check_whole(name, value)
    found = store.items.all(project_id)
    if which != "all":
        graded = {one.item.id for one in store.decisions.people_grades(project_id)}
        found = [item for item in found if (item.id in graded) == (which == "graded")]
    if queries is None and limit is None:
        return found
    place = {query: draw_number(seed, "queries", query) for query in {one.query for one in found}}
    order = sorted(place, key=lambda query: (place[query], query))
    chosen = set(order[:queries])
    kept = [item for item in found if item.query in chosen]
    return sorted(kept, key=lambda item: (place[item.query], item.query, item.id))[:limit]


def request_body(configuration: Configuration, prompt: Prompt, item: Item) -> dict[str, object]:
    """Returns the JSON of the request about an item."""
    settings = {"model": configuration.model, **configuration.parameters}
    body = {key: value for key, value in settings.items() if value is not None}
    return {**body, "messages": prompt.messages(item)}


def build_plan(
    store: Store,
    configuration: Configuration,
    prompt: Prompt,
    items: Sequence[Item],
    *,
    attempts: int = 3,
) -> Plan:
    """Determines the remaining requests: those that no project has sent before.

    Args:
        store: The database, which is not modified.
        configuration: The model and its settings.
        prompt: Its prompt.
        items: The items to grade.
        attempts: Maximum attempts per sample to get a valid answer.

    Raises:
        ParameterError: If `attempts` is below 1.
    """
    check_whole("attempts", attempts)
    shown = [item for item in items if can_be_shown(item)]
    requests = {item.id: hash_request(configuration, prompt, item) for item in shown}
    answers = store.replies.find(requests.values())
    left = []
    unreadable = 0
    asked = set()
    for item in shown:
        # Items that look the same share a request.
        if requests[item.id] in asked:
            continue
        asked.add(requests[item.id])
        found, abandoned = find_open(
            answers.get(requests[item.id], []), range(1, configuration.samples + 1), attempts
        )
        left += [(item, sample, before) for sample, before in found]
        unreadable += abandoned
    hidden = len(items) - len(shown)
    return Plan(tuple(shown), requests, tuple(left), unreadable, hidden, attempts)


def find_open(
    answers: Sequence[StoredAnswer], samples: Iterable[int], attempts: int
) -> tuple[list[tuple[int, int]], int]:
    """Returns the samples of a request that have to be asked for, and how many were abandoned.

    Args:
        answers: The answers to the request.
        samples: The numbers of the samples that are needed.
        attempts: Maximum attempts per sample to get a valid answer.

    Returns:
        Each open sample with the attempts made, and the number of samples without a valid answer
        that are not asked for again.
    """
    known: dict[int, list[StoredAnswer]] = {}
    for one in answers:
        known.setdefault(one.sample, []).append(one)
    refused = any(one.answer.problem == "refused" for one in answers)
    left, abandoned = [], 0
    for sample in samples:
        before = known.get(sample, [])
        if any(one.answer.grade is not None for one in before):
            continue
        if refused or len(before) >= attempts:
            abandoned += 1
        else:
            left.append((sample, len(before)))
    return left, abandoned


def hash_request(configuration: Configuration, prompt: Prompt, item: Item) -> str:
    """Returns the hash of the request about an item: equal requests are sent once."""
    asked = [configuration.endpoint, request_body(configuration, prompt, item)]
    text = json.dumps(asked, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def ask_model(
    store: Store,
    configuration: Configuration,
    prompt: Prompt,
    plan: Plan,
    endpoint: Endpoint,
    *,
    concurrency: int = 4,
    outcome: Outcome | None = None,
    progress: Callable[[int, int], None] | None = None,
    on_interrupt: Callable[[], None] | None = None,
) -> Outcome:
    """Sends a plan's open requests and stores every answer on arrival.

    An interruption (Ctrl-C) waits for pending requests and stores their answers too. Another run
    resumes where this one stopped.

    Args:
        store: The database.
        configuration: The model and its settings.
        prompt: Its prompt.
        plan: The requests.
        endpoint: The endpoint.
        concurrency: Number of concurrent requests.
        outcome: Updated during the run, so that it is complete even after an error.
        progress: Called with the number of samples done and their total.
        on_interrupt: Called before waiting for pending requests.

    Raises:
        EndpointError: If the endpoint cannot be used.
        ParameterError: If `concurrency` is below 1.
    """
    if not 1 <= concurrency <= 64:
        raise ParameterError(
            message(
                "judging.parameter-concurrency-must-be-from-1",
                concurrency=concurrency,
            )
        )
    if plan.kept_as == "grades":
        store.replies.add_requests(configuration, plan.requests)
    work = _Work(store, configuration, prompt, plan, endpoint, outcome or Outcome())
    threads = [
        threading.Thread(target=work.run, daemon=True)
        for _ in range(min(concurrency, len(plan.open)))
    ]
    for thread in threads:
        thread.start()
    done = 0
    try:
        while any(thread.is_alive() for thread in threads) or not work.finished.empty():
            try:
                work.finished.get(timeout=0.2)
            except queue.Empty:
                continue
            done += 1
            if progress is not None:
                progress(done, len(plan.open))
    except KeyboardInterrupt:
        if on_interrupt is not None:
            on_interrupt()
        raise
    finally:
        endpoint.pace.stop()
        for thread in threads:
            thread.join()
        work.outcome.retried = endpoint.retried
    if work.error is not None:
        raise work.error
    return work.outcome


class _Work:
    """The work shared by several threads."""

    def __init__(
        self,
        store: Store,
        configuration: Configuration,
        prompt: Prompt,
        plan: Plan,
        endpoint: Endpoint,
        outcome: Outcome,
    ) -> None:
        self.store = store
        self.configuration = configuration
        self.prompt = prompt
        self.plan = plan
        self.endpoint = endpoint
        self.attempts = plan.attempts
        self.outcome = outcome
        self.error: BaseException | None = None
        self.finished: queue.Queue[None] = queue.Queue()
        self._lock = threading.Lock()
        self._open: Iterator[tuple[Item, int, int]] = iter(plan.open)
        # Whether a rejection may be due to the request rather than the settings.
        self._understood = any(store.replies.answers(configuration.id).values())
        self._refused: set[str] = set()
        self._refusals = 0

    def run(self) -> None:
        """Requests samples until none is left or the work is stopped."""
        try:
            while not self.endpoint.pace.stopped:
                with self._lock:
                    task = next(self._open, None)
                if task is None:
                    return
                self._ask(*task)
                self.finished.put(None)
        except StoppedError:
            pass
        except BaseException as error:
            with self._lock:
                self.error = self.error or error
            self.endpoint.pace.stop()

    def _ask(self, item: Item, sample: int, before: int) -> None:
        asked = self.plan.requests[item.id]
        body = request_body(self.configuration, self.prompt, item)
        for attempt in range(before + 1, self.attempts + 1):
            if asked in self._refused:  # another sample of the same request was
                break
            try:
                completion = self.endpoint.complete(body)
            except RefusedError as error:
                self._refuse(asked, sample, attempt, error)
                break
            answer = read_answer(completion.content, self.prompt.scale)
            self._keep(asked, sample, attempt, answer, completion)
            if answer.grade is not None:
                return
        with self._lock:
            self.outcome.given_up += 1

    def _keep(
        self, asked: str, sample: int, attempt: int, answer: Answer, completion: Completion
    ) -> None:
        self.store.replies.add(asked, sample, attempt, answer, completion)
        with self._lock:
            self._understood = True
            self._refusals = 0
            self.outcome.asked += 1
            self.outcome.graded += answer.grade is not None
            if answer.problem:
                self.outcome.problems[answer.problem] += 1
            self.outcome.prompt_tokens += completion.prompt_tokens
            self.outcome.completion_tokens += completion.completion_tokens

    def _refuse(self, asked: str, sample: int, attempt: int, error: RefusedError) -> None:
        """Records a rejected item; if none was ever accepted, all would be rejected."""
        with self._lock:
            if asked in self._refused:
                return
            self._refusals += 1
            if not self._understood or self._refusals >= MOST_REFUSALS:
                raise error
            self._refused.add(asked)
            self.outcome.problems["refused"] += 1
        told = Completion(error.message)
        self.store.replies.add(asked, sample, attempt, Answer(None, problem="refused"), told)
