"""The next batch in a project's queue, and the estimate from what people graded of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.next_pairs import (
    BUDGET,
    MEASURE,
    NextPairs,
    PairsEstimate,
    estimate_pairs,
    next_pairs,
)
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.data.input_fingerprints import content_of, convention_fingerprint
from relyon.io.descriptions import Descriptions
from relyon.judging.exchange import refuse_preferences
from relyon.judging.imports import bring_in
from relyon.judging.incoming_items import Incoming
from relyon.judging.next_pairs.records import Batch, forget_batch, read_batches, record_batch
from relyon.judging.next_pairs.state import State
from relyon.judging.records import Item

if TYPE_CHECKING:
    from relyon.data.run import Run
    from relyon.judging.records import Project, User
    from relyon.judging.store import Store

__all__ = ["Queued", "Runs", "default_measure", "draw_next", "estimate_drawn", "series_of"]

#: The baseline, and the candidate if a difference is estimated.
Runs = tuple["Run | None", "Run | None"]
#: Seconds after which a batch whose results are not in the queue will not get there.
LOST = 60.0
#: Returns an item with what is known of a pair.
Describe = Callable[[str, str], Item]


@dataclass(frozen=True)
class Queued:
    """A batch in the queue.

    Attributes:
        pairs: The drawn pairs.
        added: How many of them were not in the project yet.
    """

    pairs: NextPairs
    added: int


def default_measure(project: Project) -> str:
    """Returns the measure unless another is named: DCG at as many ranks as the project judges."""
    return MEASURE if project.k is None else f"dcg@{project.k}"


def series_of(runs: Runs, measure: str, convention: Convention) -> str:
    """Returns the fingerprint of a series: equal runs, measure and rules are of one series."""
    parts = ["" if run is None else content_of(run.table).whole for run in runs]
    parts += [measure, convention_fingerprint(convention)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def draw_next(
    store: Store,
    project: Project,
    runs: Runs,
    *,
    measure: str | None = None,
    budget: int = BUDGET,
    model_judgments: object = None,
    seed: int | None = None,
    convention: Convention | str | Mapping[str, object] | None = None,
    describe: Describe | None = None,
    query_texts: object = None,
    document_titles: object = None,
    title: str = "",
    by: User | None = None,
    after: int | None = None,
    threads: int = 0,
) -> Queued:
    """Draws the next batch for a project's queue.

    Pairs that the project has wait in the queue already; the others are added like any import.
    Nothing that judges see tells a drawn result from others. The draws of the same runs, measure
    and rules are one series. A language model's accepted grades are not people's, and do not count.

    Args:
        store: The database.
        project: The project.
        runs: The baseline and the candidate.
        measure: As for `relyon.next_pairs`; by default `default_measure`.
        budget: How many pairs.
        model_judgments: As for `relyon.next_pairs`.
        seed: As for `relyon.next_pairs`.
        convention: As for `relyon.next_pairs`.
        describe: Returns an item to grade with its texts; by default with those that the project
            has of the query and of the document.
        query_texts: Texts of queries: a mapping, a frame or a file.
        document_titles: Titles of documents, in the same way.
        title: The names of the runs; by default their own.
        by: The account that asks for it.
        after: How many batches of the series the caller has seen: with more, nothing is drawn, so
            that a request that is sent twice draws once. None to draw in any case.
        threads: As for `relyon.next_pairs`.

    Raises:
        InputError: If the project compares rankings, or data cannot be used.
        ParameterError: If the project is closed, imports, or another batch was drawn meanwhile.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relyon import Run
        >>> from relyon.judging import draw_next, open_store
        >>> folder = TemporaryDirectory()
        >>> runs = Run.from_dict({"tv": {"a": 2, "b": 1}}), Run.from_dict({"tv": {"c": 2, "a": 1}})
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     project = store.projects.create("June")
        ...     queued = draw_next(store, project, runs, measure="dcg@2")
        ...     len(queued.pairs), queued.added, store.items.count(project.id)
        (3, 3, 3)
        >>> folder.cleanup()
    """
    refuse_preferences(project)
    rules = load_convention(convention)
    chosen = measure or default_measure(project)
    series = series_of(runs, chosen, rules)
    before = read_batches(store, project.id, series)
    if after is not None and len(before) != after:
        raise ParameterError(
            message("judging.batch-was-drawn-meanwhile"),
            hint=message("judging.grade-batch-first"),
        )
    state = State.of(store, project)
    before = _without_lost(store, project, before, state)
    found = next_pairs(
        state.judgments(before),
        *runs,
        None if before else chosen,
        budget=budget,
        drawn=state.drawn(before) if before else None,
        model_judgments=model_judgments,
        seed=seed,
        convention=rules,
        scale=project.scale,
        threads=threads,
    )
    if not found.drawn:
        return Queued(found, 0)
    names = title or " → ".join(run.name for run in runs if run is not None)
    record_batch(store, project, series, names, found.drawn, [*state.people], by)
    try:
        make = describe or _describer(store, project)
        new = [
            make(one.query, one.document)
            for one in found.drawn
            if (one.query, one.document) not in state.there
        ]
        rows = [Incoming(one) for one in _named(new, query_texts, document_titles)]
        added = bring_in(store, project, rows, source=names, by=by).items if rows else 0
    except BaseException:
        forget_batch(store, project.id, Batch(series, found.drawn[0].batch))
        raise
    return Queued(found, added)


def _without_lost(
    store: Store, project: Project, batches: list[Batch], state: State
) -> list[Batch]:
    """Returns the batches without a last one whose results never reached the queue.

    Its process died between both steps; no judge can grade such results. It is drawn again.
    """
    if not batches or store.clock() - batches[-1].created_at < LOST:
        return batches
    if all((one.query, one.document) in state.there for one in batches[-1].drawn):
        return batches
    forget_batch(store, project.id, batches[-1])
    return batches[:-1]


def estimate_drawn(
    store: Store,
    project: Project,
    runs: Runs,
    *,
    measure: str | None = None,
    until: int | None = None,
    model_judgments: object = None,
    next_budget: int = BUDGET,
    confidence: float = 0.95,
    convention: Convention | str | Mapping[str, object] | None = None,
    threads: int = 0,
) -> PairsEstimate:
    """Estimates from the grades that people gave to the drawn pairs so far.

    A result that a judge could not grade, or that a lead removed, counts as one that cannot be
    judged once all its places are answered.

    Args:
        store: The database.
        project: The project.
        runs: The baseline and the candidate.
        measure: As for `draw_next`.
        until: The last batch that counts; None for all.
        model_judgments: As for `draw_next`.
        next_budget: As for `relyon.estimate_pairs`.
        confidence: As for `relyon.estimate_pairs`.
        convention: As for `draw_next`.
        threads: As for `draw_next`.

    Raises:
        InputError: If nothing was drawn for these runs, or data cannot be used.
        ParameterError: If a parameter is invalid.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relyon import Run
        >>> from relyon.judging import Item, Rating, draw_next, estimate_drawn, open_store
        >>> folder = TemporaryDirectory()
        >>> runs = Run.from_dict({"tv": {"a": 1}}), Run.from_dict({"tv": {"b": 1}})
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     project = store.projects.create("June")
        ...     _ = draw_next(store, project, runs)
        ...     one, other = Item("tv", "a"), Item("tv", "b")
        ...     grades = [(one, [Rating("Ann", 1)]), (other, [Rating("Ann", 3)])]
        ...     _ = store.grades.add(project.id, grades)
        ...     estimate_drawn(store, project, runs).value
        2.0
        >>> folder.cleanup()
    """
    refuse_preferences(project)
    rules = load_convention(convention)
    chosen = measure or default_measure(project)
    batches = read_batches(store, project.id, series_of(runs, chosen, rules))
    if not batches:
        raise InputError(
            message("judging.nothing-was-drawn", project=project.name, measure=chosen),
            hint=message("judging.draw-first"),
        )
    counted = [one for one in batches if until is None or one.batch <= until]
    state = State.of(store, project)
    return estimate_pairs(
        state.judgments(counted),
        *runs,
        chosen,
        drawn=state.drawn(counted),
        model_judgments=model_judgments,
        next_budget=next_budget,
        confidence=confidence,
        convention=rules,
        scale=project.scale,
        threads=threads,
    )


def _named(new: Sequence[Item], query_texts: object, document_titles: object) -> list[Item]:
    """Returns items with the texts of their queries and the titles of their documents."""
    texts = Descriptions.of(query_texts, "query").find([one.query for one in new])
    titles = Descriptions.of(document_titles, "document").find([one.document for one in new])
    return [
        replace(
            one,
            query_text=texts.get(one.query, one.query_text),
            title=titles.get(one.document, one.title),
        )
        for one in new
    ]


def _describer(store: Store, project: Project) -> Describe:
    """Returns a function that fills an item with what the project has of its query and document."""
    queries, documents = dict[str, Item](), dict[str, Item]()
    for _, item in store.items.by_id(project.id):
        queries.setdefault(item.query, item)
        documents.setdefault(item.document, item)

    def describe(query: str, document: str) -> Item:
        asked, found = queries.get(query), documents.get(document)
        item = Item(query, document) if found is None else replace(found, query=query, id=0)
        return replace(
            item,
            query_text="" if asked is None else asked.query_text,
            tier="" if asked is None else asked.tier,
            rank=None,
            session="",
            inclusion_probability=None,
        )

    return describe
