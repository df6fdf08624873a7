"""A project with graded results, and an engine in this process that finds more of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from tests.unit.searched import QUICK, Scripted

from relyon.engines import Answer, Configuration, Limits, Request, Variant
from relyon.judging.records import Item, Project, Rating
from relyon.judging.snapshots.kept import Snapshot, find_snapshot
from relyon.judging.snapshots.queries import project_queries
from relyon.judging.snapshots.taking import start_snapshot
from relyon.judging.store import Store

__all__ = ["answer", "engine_of", "find", "found", "hook", "project_of", "settle", "snapshot"]

QUERIES = 12


def found(ids: Sequence[str]) -> Answer:
    """Returns documents with falling scores."""
    return Answer(list(ids), [1.0 / (rank + 1) for rank in range(len(ids))])


def answer(request: Request) -> Answer:
    """Returns eight documents of a query; `shift` puts the first of them last."""
    ids = [f"{request.query.id}-{n}" for n in range(8)]
    shift = int(request.variant.parameters.get("shift", 0))
    ids = [*ids[shift:], *ids[:shift]][: request.k]
    return found(ids)


#: What `find` calls with each query before it answers.
hook: list[Callable[[str], None]] = []


def find(query: str, k: int, shift: int = 0) -> list[dict[str, str]]:
    """Answers as `answer` does, for the file of an engine."""
    for one in hook:
        one(query)
    ids = [f"q{query.rsplit(maxsplit=1)[-1]}-{n}" for n in range(8)]
    chosen = [*ids[shift:], *ids[:shift]][:k]
    return [{"id": one, "title": f"Shoe {one}", "text": f"Good for {query}"} for one in chosen]


def project_of(store: Store, *, queries: int = QUERIES, graded: int = 4) -> Project:
    """Returns a project in which the first documents of each query are graded."""
    project = store.projects.create("June", scale="search", overlap=1)
    store.grades.add(
        project.id,
        [
            (
                Item(f"q{query}", f"q{query}-{n}", query_text=f"red shoe {query}"),
                [Rating("cy", max(0, 3 - n))],
            )
            for query in range(queries)
            for n in range(graded)
        ],
    )
    return project


def engine_of(reply: Callable[[Request], Answer] = answer, limits: Limits = QUICK) -> Configuration:
    """Returns an engine with two variants."""
    variants = (Variant("base", {"shift": 0}), Variant("shifted", {"shift": 2}))
    return Configuration("shop", Scripted(reply), variants, limits)


def settle() -> None:
    """Waits for the threads of jobs that were stopped: they may still keep an answer."""
    for one in threading.enumerate():
        if one.name == "snapshot" or one.name.startswith("relyon-search"):
            one.join(10)


def snapshot(
    store: Store,
    project: Project,
    configuration: Configuration | None = None,
    *,
    variant: str = "base",
    name: str = "",
    k: int = 5,
) -> Snapshot:
    """Takes a snapshot, and returns it."""
    engine = configuration or engine_of()
    (chosen,) = engine.chosen([variant])
    queries = project_queries(store, project.id)
    run = start_snapshot(store, project, engine, chosen, queries, k=k, name=name or variant)
    run.run()
    return find_snapshot(store, project.id, run.snapshot.id)
