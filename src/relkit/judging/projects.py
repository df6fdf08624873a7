"""Projects: what is judged, on which scale, and by how many."""

from __future__ import annotations

import math
import secrets
from dataclasses import asdict
from typing import get_args

from relkit.errors import ParameterError
from relkit.judging.base import StoreBase
from relkit.judging.records import Kind, Project
from relkit.judging.rows import PLACES, read_project
from relkit.judging.schema import projects, sa
from relkit.judging.texts import check_name, check_text, is_id, is_storable, unknown_name
from relkit.parameters import check_choice
from relkit.scale import Level, Scale, load_scale

__all__ = ["PREFERENCES", "ProjectStore"]

PREFERENCES = Scale(
    "preference",
    relevant_from=1.0,
    levels=(
        Level(-2.0, "first much better", "前者好得多", -2.0),
        Level(-1.0, "first better", "前者略好", -1.0),
        Level(0.0, "equal", "差不多", 0.0),
        Level(1.0, "second better", "后者略好", 1.0),
        Level(2.0, "second much better", "后者好得多", 2.0),
    ),
)
"""The five-point scale of side-by-side projects."""


class ProjectStore(StoreBase):
    """The part of a store that keeps projects."""

    def create_project(
        self,
        name: str,
        *,
        scale: Scale | str = "search",
        kind: Kind = "grades",
        guideline_en: str = "",
        guideline_zh: str = "",
        overlap: int = 1,
        gold_share: float = 0.0,
        k: int | None = None,
        seed: int | None = None,
        lease_seconds: float = 1800.0,
    ) -> Project:
        """Makes a project.

        Args:
            name: Its name.
            scale: The grades there are; a side-by-side project always has five preferences.
            kind: Whether single results get `grades`, or two rankings are seen `side_by_side`.
            guideline_en: The guideline in English, Markdown.
            guideline_zh: The guideline in Chinese, Markdown.
            overlap: How many judges grade each item.
            gold_share: The share of gold items among those that a judge is given, below 1.
            k: How many results of each query are judged.
            seed: Of the random orders, and of what is gold where; None draws one. Judges who know
                it can tell gold items from others.
            lease_seconds: How long an item stays with a judge who does nothing.

        Raises:
            ParameterError: If the name is taken or a parameter out of its range.
        """
        name = check_name(name, "project")
        chosen = PREFERENCES if kind == "side_by_side" else load_scale(scale)
        check_choice("kind", kind, get_args(Kind))
        for what, value, least in (("overlap", overlap, 1), ("k", k, 1), ("seed", seed, 0)):
            whole = isinstance(value, int) and not isinstance(value, bool)
            if value is not None and not (whole and least <= value < PLACES):
                raise ParameterError(
                    f"the parameter `{what}` must be a whole number of {least} or more."
                    f" Got `{value}` instead."
                )
        if not 0 <= gold_share < 1:
            raise ParameterError(
                "the parameter `gold_share` must be at least 0 and below 1."
                f" Got `{gold_share}` instead."
            )
        if not (lease_seconds > 0 and math.isfinite(lease_seconds)):
            raise ParameterError(
                f"the parameter `lease_seconds` must be above 0. Got `{lease_seconds}` instead."
            )
        values = {
            "name": name,
            "kind": kind,
            "scale": asdict(chosen),
            "guideline_en": check_text(guideline_en, "guideline"),
            "guideline_zh": check_text(guideline_zh, "guideline"),
            "overlap": overlap,
            "gold_share": gold_share,
            "k": k,
            "seed": 1 + secrets.randbelow(PLACES - 1) if seed is None else seed,
            "lease_seconds": lease_seconds,
            "created_at": self.clock(),
        }
        self._insert_named(projects, values, "project")
        return self.project(name)

    def projects(self) -> list[Project]:
        """Returns all projects, the oldest first."""
        with self.database.read() as connection:
            rows = connection.execute(sa.select(projects).order_by(projects.c.id))
            return [read_project(row) for row in rows]

    def project(self, name: str | int) -> Project:
        """Returns a project by its name or id.

        Raises:
            UnknownNameError: If there is none.
        """
        key = projects.c.id if isinstance(name, int) else projects.c.name
        row = None
        if is_id(name) if isinstance(name, int) else is_storable(name):
            with self.database.read() as connection:
                row = connection.execute(sa.select(projects).where(key == name)).one_or_none()
        if row is None:
            raise unknown_name("project", str(name), [one.name for one in self.projects()])
        return read_project(row)

    def set_guideline(
        self, project_id: int, *, en: str | None = None, zh: str | None = None
    ) -> None:
        """Changes the guideline in one or both languages."""
        texts = {"guideline_en": en, "guideline_zh": zh}
        changes = {
            key: check_text(text, "guideline") for key, text in texts.items() if text is not None
        }
        if changes:
            with self.database.write() as connection:
                connection.execute(
                    sa.update(projects).where(projects.c.id == project_id).values(**changes)
                )
