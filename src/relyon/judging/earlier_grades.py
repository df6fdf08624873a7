"""Grades of an earlier project that a later one can use again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from relyon.data.document_prints import normal_text
from relyon.judging.decisions import is_machine_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from polars._typing import PolarsDataType

    from relyon.judging.store import Store

__all__ = ["read_earlier_grades", "retitled"]


def read_earlier_grades(store: Store, project_id: int) -> pl.DataFrame:
    """Returns the final grades of a project as `relyon.online.sampling.build_pool` takes them.

    A grade is as old as the latest of the judges' grades behind it. Known grades of gold items and
    grades of language models are left out, and so are medians between two grades of the scale.

    Args:
        store: The database.
        project_id: A project whose single results are graded.

    Returns:
        `query`, `doc`, `grade` and `judged_at` (UTC), one row per graded item.

    Raises:
        UnknownNameError: If the project does not exist.
    """
    import polars as pl

    project = store.projects.get(project_id)
    levels = {one.grade for one in project.scale.levels}
    said = store.grades.ratings(project.id)
    finals = store.decisions.final_values(project.id)
    rows = []
    for number, item in store.items.by_id(project.id):
        if number not in finals or number not in said:
            continue
        final, source = finals[number]
        if source == "gold" or is_machine_source(source):
            continue
        if levels and final.value not in levels:
            continue
        at = max((one.at for one in said[number] if one.at is not None), default=None)
        when = None if at is None else datetime.fromtimestamp(at, UTC)
        rows.append((item.query, item.document, final.value, when))
    schema: dict[str, PolarsDataType] = {
        "query": pl.String,
        "doc": pl.String,
        "grade": pl.Float64,
        "judged_at": pl.Datetime("us", "UTC"),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def retitled(store: Store, project_id: int, titles: Mapping[str, str]) -> set[tuple[str, str]]:
    """Returns the pairs of a project whose documents have another title now.

    White space does not count, case does. Pairs without a title then or now are left out: nothing
    is known of them.

    Args:
        store: The database.
        project_id: The project.
        titles: The titles of documents now.
    """
    found = set()
    for _, item in store.items.by_id(project_id):
        now = titles.get(item.document, "")
        if item.title and now and normal_text(item.title) != normal_text(now):
            found.add((item.query, item.document))
    return found
