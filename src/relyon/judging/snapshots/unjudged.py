"""The results of snapshots that have no grade, and how they become results to grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.columns import plain_name
from relyon.data.columns.synonyms import ITEM_NAMES
from relyon.judging.imports import AT_ONCE, bring_in, prepare_import
from relyon.judging.incoming_items import Incoming, Lazy
from relyon.judging.places import COUNTS
from relyon.judging.records import Item
from relyon.judging.schema import items, sa
from relyon.judging.snapshots.kept import Snapshot, Stored, read_answers
from relyon.judging.snapshots.quality import cutoff
from relyon.judging.texts import is_storable

if TYPE_CHECKING:
    from relyon.judging.imports import Prepared
    from relyon.judging.incoming_items import Imported
    from relyon.judging.records import Project, User
    from relyon.judging.store import Store

__all__ = ["PARTS", "UnjudgedTop", "add_unjudged", "count_unjudged", "find_unjudged", "parts_of"]

#: The parts of a result that an engine can fill in.
PARTS = ("title", "snippet", "url", "image")


@dataclass(frozen=True)
class UnjudgedTop:
    """How many of the first results of snapshots have a grade.

    Attributes:
        results: All of them, each query's documents once.
        graded: Those with a final grade.
        waiting: Those that the project has, and that have none yet.
        removed: Those that a lead removed, which stay out.
        new: Those that the project does not have.
    """

    results: int
    graded: int
    waiting: int
    removed: int
    new: int


Pair = tuple[str, str]


def count_unjudged(
    store: Store, project: Project, sides: Sequence[Sequence[Stored]], k: int
) -> UnjudgedTop:
    """Returns how many of the first k results of some snapshots have a grade.

    Args:
        store: The database.
        project: The project.
        sides: The answers of each snapshot.
        k: How many ranks.
    """
    pairs = _first_ranks(sides, k)
    known, removed = _known(store, project)
    finals = store.decisions.final_values(project.id)
    graded = sum(pair in known and known[pair] in finals for pair in pairs)
    there = sum(pair in known for pair in pairs)
    out = sum(pair in removed for pair in pairs)
    return UnjudgedTop(len(pairs), graded, there - graded, out, len(pairs) - there - out)


def find_unjudged(store: Store, project: Project, chosen: Sequence[Snapshot]) -> list[Item]:
    """Returns the first results of snapshots that a project does not have, as results to grade.

    Their titles, texts, addresses and pictures are those that the engine gave; fields with other
    names are left out.

    Args:
        store: The database.
        project: The project.
        chosen: One snapshot or several: as many ranks of each as all of them have.
    """
    k = cutoff(project, *chosen)
    sides = [read_answers(store, one, documents=True) for one in chosen]
    known, removed = _known(store, project)
    new = {
        pair: rank
        for pair, rank in _first_ranks(sides, k).items()
        if pair not in known and pair not in removed
    }
    found: dict[Pair, Item] = {}
    for side in sides:
        for one in side:
            text = one.query.text if one.query.text != one.query.id else ""
            for document in one.entry.ids[:k]:
                pair = (one.query.id, document)
                if pair in new and pair not in found:
                    parts = parts_of(one.documents.get(document, {}))
                    found[pair] = Item(
                        *pair,
                        query_text=text,
                        rank=new[pair],
                        title=parts["title"],
                        snippet=parts["snippet"],
                        url=parts["url"],
                        image=parts["image"],
                    )
    return list(found.values())


def add_unjudged(
    store: Store,
    project: Project,
    chosen: Sequence[Snapshot],
    *,
    by: User | None = None,
) -> Imported | Prepared:
    """Adds the first results of snapshots that a project does not have, for its judges.

    Args:
        store: The database.
        project: The project.
        chosen: One snapshot or several.
        by: The account that requested it.

    Returns:
        What was added; or the prepared job, to be run, if there are many.

    Raises:
        InputError: If there is nothing to add.
        ParameterError: If the project is closed, or an import is not finished.
    """
    new = find_unjudged(store, project, chosen)
    if not new:
        raise InputError(
            message("judging.nothing-unjudged-to-add"),
            hint=message("judging.grade-what-waits"),
        )
    rows = Lazy(new, Incoming)
    source = ", ".join(one.name for one in chosen)
    if len(new) > AT_ONCE:
        return prepare_import(store, project, rows, source=source, by=by)
    return bring_in(store, project, rows, source=source, by=by)


def _first_ranks(sides: Sequence[Sequence[Stored]], k: int) -> dict[Pair, int]:
    """Returns the first results, with the best rank that a snapshot gave each."""
    found: dict[Pair, int] = {}
    for side in sides:
        for one in side:
            for rank, document in enumerate(one.entry.ids[:k], 1):
                pair = (one.query.id, document)
                if is_storable(document):
                    found[pair] = min(rank, found.get(pair, rank))
    return found


def _known(store: Store, project: Project) -> tuple[dict[Pair, int], set[Pair]]:
    """Returns the results of a project by query and document, and those that a lead removed."""
    query = sa.select(items.c.query, items.c.document, items.c.id, COUNTS.label("counts"))
    known: dict[Pair, int] = {}
    removed: set[Pair] = set()
    with store.database.read() as connection:
        for text, document, number, counts in connection.execute(
            query.where(items.c.project_id == project.id)
        ):
            if counts:
                known[text, document] = number
            else:
                removed.add((text, document))
    return known, removed


def parts_of(fields: Mapping[str, str]) -> dict[str, str]:
    """Returns the title, snippet, address and picture of a document, as far as they are there."""
    plain = {plain_name(name): text for name, text in fields.items()}
    return {
        part: next((plain[name] for name in ITEM_NAMES[part] if plain.get(name)), "")
        for part in PARTS
    }
