"""Searching: every query through every variant of an engine, recorded, and made into runs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

import msgspec

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.parameters import check_choice, check_whole
from relyon.core.texts import message
from relyon.data.input_fingerprints import query_ids_fingerprint
from relyon.data.run import Run
from relyon.engines.answers import Answers
from relyon.engines.asked import Request, Variant
from relyon.engines.asking import NAMED, Outcome, ask_all, unanswered
from relyon.engines.engine import Engine
from relyon.engines.files.configuration import BASE, Configuration, Limits, read_configuration
from relyon.engines.found import Found
from relyon.engines.kinds.python import Python
from relyon.engines.latency import Latency
from relyon.engines.order import Scores, make_run
from relyon.engines.places import Places, find_places
from relyon.engines.planning import in_turn, keyed, make_requests
from relyon.engines.queries import queries_hash, read_queries
from relyon.engines.remarks import remarks
from relyon.engines.tapes.entry import recipe_hash
from relyon.engines.tapes.journal import Journal
from relyon.engines.tapes.recording import recorded
from relyon.engines.tapes.tape import Head, Tape, read_tape, write_tape
from relyon.io.tapes import tape_beside
from relyon.io.writers import write_run

__all__ = ["Failed", "search", "tape_beside"]

#: What becomes of queries that the engine refuses.
Failed = Literal["stop", "empty"]


def search(
    engine: object,
    queries: object,
    k: int = 100,
    *,
    variants: Iterable[str] = (),
    output: str | os.PathLike[str] | None = None,
    record: str | os.PathLike[str] | None = None,
    replay: str | os.PathLike[str] | None = None,
    scores: Scores = "auto",
    failed: Failed = "stop",
    explain: bool = False,
    limits: Limits | None = None,
    restart: bool = False,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Found:
    """Returns what an engine finds for some queries: a run per variant.

    With `output` or `record`, every answer is on disk as it comes, in a journal beside it: the same
    call goes on after an interrupt and asks nothing twice. Runs are written once every query has
    its answer, each with its tape beside it (`new.run.tape.jsonl`).

    Args:
        engine: The path of an engine's file, what `read_configuration` returned, or a function that
            takes a query's text and k and returns results, best first: ids, pairs of id and score,
            or mappings with `id`, `score` and fields.
        queries: `{id: text}`, a list or a column of texts, a data frame, or a file.
        k: How many results to ask for.
        variants: The names of the variants; by default all.
        output: The file of the run, or the folder of the runs if there are several variants.
        record: Where to write one tape with all variants.
        replay: A tape: it gives the answers, and no engine is asked.
        scores: `auto` keeps the engine's scores if they give its order, and takes k + 1 − rank if
            not; `engine` and `rank` always take the one.
        failed: `stop` if a query that the engine refuses is an error; `empty` if it counts as one
            without results, as its users see it.
        explain: Whether the engine is asked to explain its scores.
        limits: How the engine may be asked; by default as its file says.
        restart: Whether a journal of an earlier call is thrown away.
        overwrite: Whether existing runs and tapes are replaced.
        progress: Called with the number of requests that are done, and of all.

    Raises:
        InputError: If queries or a tape cannot be read, queries have no answer, or a file exists.
        FatalError: If the engine cannot be asked at all.
        ParameterError: If an option or the engine's file cannot be used.

    Examples:
        >>> import relyon
        >>> def by_length(query, k):
        ...     return [(f"d{n}", n) for n in range(len(query), 0, -1)][:k]
        >>> found = relyon.search(by_length, {"q1": "red", "q2": "tv"}, k=2)
        >>> found.run.to_dict()
        {'q1': {'d3': 3.0, 'd2': 2.0}, 'q2': {'d2': 2.0, 'd1': 1.0}}
    """
    check_whole("k", k)
    check_choice("scores", scores, ("auto", "engine", "rank"))
    check_choice("failed", failed, ("stop", "empty"))
    configuration = _configuration(engine)
    chosen = configuration.chosen(variants)
    asked = read_queries(queries)
    recipe = recipe_hash(configuration.engine.recipe, k, explain)
    planned = make_requests(configuration.engine, asked, chosen, k, explain=explain)
    requests = keyed(planned, recipe, configuration.engine)
    head = Head(
        engine=configuration.name,
        kind=configuration.engine.name,
        address=configuration.engine.secrets.hide(configuration.engine.address),
        recipe=recipe,
        templates=configuration.engine.recipe,
        k=k,
        explain=explain,
        variants={one.name: dict(one.parameters) for one in chosen},
        queries=queries_hash(asked),
        started=round(time.time(), 3),
        query_ids=query_ids_fingerprint(one.id for one in asked),
    )
    places = find_places(output, record, chosen, [one.id for one in asked])
    if replay is not None:
        if not overwrite:
            places.refuse_existing()
        places.make_folders()
        tape = _replayed(read_tape(replay), requests, head)
        found = _found(tape, configuration.name, requests, scores, places)
        _write(found, requests, places)
        return found
    places.make_folders()
    with Journal(places.journal) as journal:
        if not overwrite and (restart or not journal.exists):
            places.refuse_existing()
        journal.begin(head, asked, restart=restart)
        notes = _ask(journal, configuration, requests, limits, failed, progress)
        found = _found(journal.tape, configuration.name, requests, scores, places, notes)
        _write(found, requests, places)
        journal.remove()
    return found


def _configuration(engine: object) -> Configuration:
    if isinstance(engine, Configuration):
        return engine
    if isinstance(engine, str | os.PathLike):
        return read_configuration(engine)
    if isinstance(engine, Engine):
        return Configuration(engine.name, engine, (Variant(BASE),))
    if callable(engine):
        python = Python(engine)
        return Configuration(python.address, python, (Variant(BASE),), Limits(concurrency=1))
    raise ParameterError(
        message("engines.engine-must-be", name=type(engine).__name__),
        hint=message("engines.give-engine"),
    )


def _ask(
    journal: Journal,
    configuration: Configuration,
    requests: dict[str, Request],
    limits: Limits | None,
    failed: Failed,
    progress: Callable[[int, int], None] | None,
) -> tuple[Note, ...]:
    """Asks for what the journal does not have yet.

    Raises:
        InputError: If queries have no answer.
        FatalError: If the engine cannot be asked at all.
    """
    chosen = limits or configuration.limits
    open_ = {
        key: one
        for key, one in requests.items()
        if key not in journal.tape.entries
        or (journal.tape.entries[key].failed and failed == "stop")
    }
    keys = {id(one): key for key, one in open_.items()}
    done = len(requests) - len(open_)
    without: list[Outcome] = []

    def keep(outcome: Outcome) -> None:
        if outcome.answer is not None or (outcome.refused and failed == "empty"):
            key = keys[id(outcome.request)]
            journal.add(*recorded(key, outcome, configuration.engine.secrets))

    notes = []
    if done:
        notes.append(Note("search-resumed", done))
    with _opened(configuration.engine, chosen):
        for outcome in ask_all(configuration.engine, in_turn(open_.values()), chosen, keep=keep):
            if outcome.answer is None and not (outcome.refused and failed == "empty"):
                without.append(outcome)
            done += 1
            if progress is not None:
                progress(done, len(requests))
    if without:
        places = {id(one): place for place, one in enumerate(requests.values())}
        hint = _what_to_do(without, bool(journal.path))
        raise unanswered(without, lambda one: places[id(one)], len(requests), hint)
    if journal.changed:
        changed = sorted(journal.changed)
        notes.append(
            Note("search-documents-changed", len(changed), "warning", tuple(changed[:NAMED]))
        )
    return tuple(notes)


@contextmanager
def _opened(engine: Engine, limits: Limits) -> Iterator[None]:
    engine.open(limits.timeout, limits.concurrency)
    try:
        yield
    finally:
        engine.close()


def _what_to_do(without: Sequence[Outcome], kept: bool) -> str:
    if all(one.refused for one in without):
        return message("engines.count-as-empty")
    return message("engines.run-again") if kept else message("engines.record-to-resume")


def _replayed(tape: Tape, requests: dict[str, Request], head: Head) -> Tape:
    """Returns the entries of a tape for these requests.

    Raises:
        InputError: If it lacks one.
    """
    missing = [one for key, one in requests.items() if key not in tape.entries]
    if missing:
        reason = message("engines.tape-of-other-queries")
        if tape.head.k != head.k:
            reason = message("engines.tape-of-other-k", k=tape.head.k)
        elif tape.head.recipe != head.recipe:
            reason = message("engines.tape-of-other-recipe")
        raise InputError(
            message(
                "engines.tape-lacks-requests",
                count=len(missing),
                total=len(requests),
                query=missing[0].query.id,
                variant=missing[0].variant.name,
            ),
            path=tape.path,
            hint=reason,
        )
    return replace(
        tape,
        head=msgspec.structs.replace(tape.head, variants=head.variants),
        entries=tape.entries.named({key: one.variant.name for key, one in requests.items()}),
    )


def _found(
    tape: Tape,
    name: str,
    requests: Mapping[str, Request],
    scores: Scores,
    places: Places,
    notes: tuple[Note, ...] = (),
) -> Found:
    runs: dict[str, Run] = {}
    latencies: dict[str, Latency] = {}
    several = len(tape.head.variants) > 1
    for variant in tape.head.variants:
        answers = Answers.read(tape.entries.lines(_keys_of(variant, requests)))
        own = variant if several or variant != BASE else name
        runs[variant], more = make_run(answers, own, tape.head.k, scores)
        more = (*more, *remarks(answers, tape.head.k))
        notes += tuple(replace(one, run=own) if several else one for one in more)
        latencies[variant] = Latency.of(answers)
    return Found(name, tape.head.k, runs, latencies, tape, notes, places.runs)


def _keys_of(variant: str, requests: Mapping[str, Request]) -> list[str]:
    return [key for key, one in requests.items() if one.variant.name == variant]


def _write(found: Found, requests: Mapping[str, Request], places: Places) -> None:
    """Writes runs and tapes; the tape of a run first, so that no run is without it."""
    if places.record:
        write_tape(places.record, found.tape, requests)
    for variant, (run, tape) in places.runs.items():
        write_tape(tape, found.tape, _keys_of(variant, requests))
        try:
            write_run(found.runs[variant], run, overwrite=True)
        except InputError as error:
            # Such as an id with white space, which TREC's form cannot contain.
            raise InputError(
                error.message, hint=message("engines.replay-into-another", tape=tape)
            ) from None
