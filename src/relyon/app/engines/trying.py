"""One query against one engine, with one or two variants beside each other."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from relyon.app.engines.gate import Turn
from relyon.core.errors import RelyonError
from relyon.core.texts import Message
from relyon.engines.asked import Query, Request, Variant
from relyon.engines.asking import Outcome, ask_all
from relyon.engines.files.configuration import Configuration, Limits
from relyon.engines.shown import without_address
from relyon.engines.tapes.entry import Entry
from relyon.engines.tapes.recording import recorded
from relyon.judging.snapshots.unjudged import parts_of

__all__ = ["PATIENCE", "Asked", "Problem", "Side", "ask"]

log = logging.getLogger("relyon.judging")

#: Seconds after which a person no longer waits for an engine.
PATIENCE = 15.0
#: Characters of an engine's message that are shown; of a result's text, and of an explanation.
LONGEST, TEXT, WHY = 500, 600, 6000

#: Why a side has no results: no answer in time; the engine cannot be reached, or is busy; its
#: answer came only in part; it refuses the query; its answer cannot be read; its address is not
#: allowed; it cannot be asked at all.
Problem = Literal["late", "away", "busy", "cut", "refused", "answer", "private", "broken"]
#: What an engine at an address that is not allowed says.
PRIVATE = "engines.address-is-private"
KINDS: Mapping[str, Problem] = {
    "timeout": "late",
    "connection": "away",
    "status": "busy",
    "truncated": "cut",
    "partial": "cut",
    "refused": "refused",
}


@dataclass(frozen=True)
class Asked:
    """A variant of an engine to ask.

    Attributes:
        configuration: The engine, with connections of its own.
        variant: Its name and parameters.
        body: The changed template of the body; None for the file's.
    """

    configuration: Configuration
    variant: Variant
    body: str | None = None


@dataclass(frozen=True)
class Side:
    """What became of a variant.

    Attributes:
        variant: Its name and parameters.
        body: The changed template of the body; None for the file's.
        entry: Documents, scores, times and explanations; None without an answer.
        documents: The title, text and addresses of the documents, by id.
        problem: Why there is no answer.
        detail: What the engine says about a query that it refuses.
    """

    variant: Variant
    body: str | None = None
    entry: Entry | None = None
    documents: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    problem: Problem | None = None
    detail: str = ""


def ask(
    sides: Sequence[Asked],
    query: Query,
    k: int,
    turn: Turn,
    *,
    explain: bool = False,
    patience: float = PATIENCE,
) -> tuple[Side, ...]:
    """Asks for all sides, and returns what became of each.

    They are asked at the same time, unless the engine takes one request at a time.

    Args:
        sides: What to ask.
        query: The query.
        k: How many results.
        turn: The person's turn, with as many parts as there are sides.
        explain: Whether the engine explains its scores.
        patience: Seconds to wait.
    """
    found: dict[int, Side] = {}

    def work(chosen: Sequence[tuple[int, Asked]]) -> None:
        for place, one in chosen:
            try:
                found[place] = _ask(one, Request(query, one.variant, k, explain), patience)
            finally:
                turn.leave()

    every = list(enumerate(sides))
    alone = any(one.configuration.limits.concurrency == 1 for one in sides)
    threads = [
        threading.Thread(target=work, args=(chosen,), name="relyon-try", daemon=True)
        for chosen in ([every] if alone else [[one] for one in every])
    ]
    for thread in threads:
        thread.start()
    end = time.monotonic() + patience
    for thread in threads:
        thread.join(max(end - time.monotonic(), 0.0))
    late = [Side(one.variant, one.body, problem="late") for one in sides]
    return tuple(found.get(place, one) for place, one in enumerate(late))


def _ask(one: Asked, request: Request, patience: float) -> Side:
    configuration = one.configuration
    engine = configuration.engine
    limits = Limits(1, timeout=min(configuration.limits.timeout, patience), retries=0)
    try:
        engine.open(limits.timeout, 1, configuration.app.reach)
        try:
            outcome = next(iter(ask_all(engine, [request], limits)))
        finally:
            engine.close()
        return _without(one, outcome) if outcome.answer is None else _with(one, outcome)
    except Exception as error:
        known = isinstance(error, RelyonError)
        told = str(error) if known else "".join(traceback.format_exception(error))
        level = logging.WARNING if known else logging.ERROR
        log.log(level, "engine %s: %s", configuration.name, engine.secrets.hide(told))
        return Side(one.variant, one.body, problem=_fault(error))


def _with(one: Asked, outcome: Outcome) -> Side:
    """Returns a side with an answer.

    Raises:
        FatalError: If an id contains a secret.
    """
    entry, documents = recorded("", outcome, one.configuration.engine.secrets)
    entry.why = [text[:WHY] for text in entry.why]
    kept = {id: _parts(fields) for id, fields in documents.items()}
    return Side(one.variant, one.body, entry, kept)


def _parts(fields: Mapping[str, str]) -> dict[str, str]:
    """Returns what a page shows of a document: its title, text and addresses."""
    parts = parts_of(fields)
    return {**parts, "snippet": parts["snippet"][:TEXT]}


def _fault(error: Exception) -> Problem:
    """Returns why an engine cannot be asked: what an error says names addresses and files."""
    if not isinstance(error, RelyonError):
        return "broken"
    said: object = error.message
    if isinstance(said, Message) and said.kind == "core.path-message":
        said = said.values["message"]
    return "private" if getattr(said, "kind", "") == PRIVATE else "broken"


def _without(one: Asked, outcome: Outcome) -> Side:
    """Returns a side without an answer; what the engine says is shown if it is about the query."""
    kind = outcome.problems[-1] if outcome.problems else ""
    problem: Problem = KINDS.get(kind, "answer" if outcome.refused else "away")
    log.info("engine %s: %s %s", one.configuration.name, kind, outcome.detail)
    detail = outcome.detail if outcome.refused else ""
    return Side(
        one.variant, one.body, problem=problem, detail=_shown(detail, one.configuration)[:LONGEST]
    )


def _shown(text: str, configuration: Configuration) -> str:
    """Returns an engine's message in one line, without its address."""
    found = without_address(text, configuration.engine)
    return " ".join("".join(one if one.isprintable() else " " for one in found).split())
