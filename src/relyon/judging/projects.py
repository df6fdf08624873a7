"""Projects: their settings, and their creation, closing and renaming."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from dataclasses import asdict
from typing import Literal, get_args

from relyon.core.errors import InputError, ParameterError
from relyon.core.language import check_language
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.data.scale import Level, Scale, load_scale
from relyon.judging.database_part import Base
from relyon.judging.records import Kind, Project
from relyon.judging.schema import items, projects, sa
from relyon.judging.table_rows import PLACES, read_project
from relyon.judging.texts import check_name, check_text, is_id, is_storable, unknown_name

__all__ = [
    "PREFERENCES",
    "Projects",
    "Which",
    "check_open",
    "find_project",
    "find_settings",
    "refuse_closed",
    "settings_row",
]

Which = Literal["open", "all"]

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


#: The states of visible projects.
SEEN = ("open", "closed")
# The query of every request is built once.
BY_ID, BY_NAME = (
    sa.select(projects).where(column == sa.bindparam("name"), projects.c.state.in_(SEEN))
    for column in (projects.c.id, projects.c.name)
)
PROJECT_OF = (
    sa.select(projects).select_from(projects.join(items)).where(items.c.id == sa.bindparam("item"))
)


class Projects(Base):
    """The part of a store that manages projects."""

    def create(
        self,
        name: str,
        *,
        scale: Scale | str = "search",
        kind: Kind = "grades",
        guideline: Mapping[str, str] | None = None,
        overlap: int = 1,
        gold_share: float = 0.0,
        k: int | None = None,
        seed: int | None = None,
        lease_seconds: float = 1800.0,
    ) -> Project:
        """Creates a project.

        Args:
            name: Its name.
            scale: The grade scale; a side-by-side project always has five preferences.
            kind: Whether single results get `grades`, or two rankings are seen `side_by_side`.
            guideline: The guideline, Markdown, by language: `{"en": ..., "zh": ...}`.
            overlap: How many judges grade each item.
            gold_share: The share of gold items among those that a judge is given, below 1.
            k: How many results of each query are judged.
            seed: The seed of the random orders, and of the positions of gold items, to repeat them;
                None draws a secret of 128 bits. Judges who know or guess a seed can tell gold
                items from others.
            lease_seconds: How long an item stays reserved for a judge who does nothing.

        Raises:
            ParameterError: If the name is taken or a parameter is out of range.
        """
        values = settings_row(
            name,
            scale=scale,
            kind=kind,
            guideline=guideline,
            overlap=overlap,
            gold_share=gold_share,
            k=k,
            seed=seed,
            lease_seconds=lease_seconds,
        )
        self.insert_named(projects, {**values, "created_at": self.clock()}, "project")
        return self.get(str(values["name"]))

    def all(self, which: Which = "all") -> list[Project]:
        """Returns all projects, or the open ones, oldest first."""
        states = ("open",) if which == "open" else SEEN
        query = sa.select(projects).where(projects.c.state.in_(states)).order_by(projects.c.id)
        with self.database.read() as connection:
            return [read_project(row) for row in connection.execute(query)]

    def get(self, name: str | int) -> Project:
        """Returns a project by its name or id.

        Raises:
            UnknownNameError: If the project does not exist.
        """
        query = BY_ID if isinstance(name, int) else BY_NAME
        row = None
        if is_id(name) if isinstance(name, int) else is_storable(name):
            with self.database.read() as connection:
                row = connection.execute(query, {"name": name}).one_or_none()
        if row is None:
            raise unknown_name("project", str(name), [one.name for one in self.all()])
        return read_project(row)

    def of_item(self, item_id: int) -> Project:
        """Returns the project that an item belongs to.

        Raises:
            InputError: If this item does not exist.
        """
        with self.database.read() as connection:
            return find_project(connection, item_id)

    def rename(self, project_id: int, name: str) -> Project:
        """Renames a project.

        Raises:
            ParameterError: If the name is taken or invalid.
            UnknownNameError: If the project does not exist.
        """
        found = self.get(project_id)
        name = check_name(name, "project")
        try:
            self._change(found, name=name)
        except sa.exc.IntegrityError:
            raise ParameterError(
                message("judging.project-already-exists", name=name),
                hint=message("judging.choose-another-name"),
            ) from None
        return self.get(project_id)

    def close(self, project_id: int) -> Project:
        """Closes a project, which becomes read-only and hidden from judges.

        Raises:
            UnknownNameError: If the project does not exist.
        """
        self._change(self.get(project_id), state="closed")
        return self.get(project_id)

    def reopen(self, project_id: int) -> Project:
        """Reopens a closed project.

        Raises:
            UnknownNameError: If the project does not exist.
        """
        self._change(self.get(project_id), state="open")
        return self.get(project_id)

    def set_gold_share(self, project_id: int, gold_share: float) -> Project:
        """Changes the share of gold items among those that judges are given from now on.

        Raises:
            ParameterError: If it is not at least 0 and below 1, or the project is closed.
            UnknownNameError: If the project does not exist.
        """
        found = self.get(project_id)
        _check_gold_share(gold_share)
        with self.database.write() as connection:
            check_open(connection, found.id)
            mine = projects.c.id == found.id
            connection.execute(sa.update(projects).where(mine).values(gold_share=gold_share))
        return self.get(project_id)

    def set_target_agreement(self, project_id: int, target: float | None) -> Project:
        """Changes the agreement (ordinal alpha) below which a month asks before it is stored.

        Args:
            project_id: The project.
            target: At most 1; None for no target.

        Raises:
            ParameterError: If it is not between -1 and 1, or the project is closed.
            UnknownNameError: If the project does not exist.
        """
        found = self.get(project_id)
        if target is not None and not -1 <= target <= 1:
            raise ParameterError(message("judging.parameter-target-agreement", target=target))
        with self.database.write() as connection:
            check_open(connection, found.id)
            mine = projects.c.id == found.id
            connection.execute(sa.update(projects).where(mine).values(target_agreement=target))
        return self.get(project_id)

    def _change(self, found: Project, **values: str) -> None:
        seen = sa.and_(projects.c.id == found.id, projects.c.state.in_(SEEN))
        with self.database.write() as connection:
            connection.execute(sa.update(projects).where(seen).values(**values))

    def set_guideline(self, project_id: int, guideline: Mapping[str, str]) -> None:
        """Changes the guideline in some languages; the others are unchanged.

        Args:
            project_id: The project.
            guideline: Texts by language; an empty one removes the guideline in that language.

        Raises:
            ParameterError: If a language is unknown, or the project is closed.
        """
        mine = projects.c.id == project_id
        with self.database.write() as connection:
            check_open(connection, project_id)
            known = connection.execute(sa.select(projects.c.guideline).where(mine)).scalar_one()
            changed = _check_guideline({**known, **guideline})
            connection.execute(sa.update(projects).where(mine).values(guideline=changed))


def settings_row(
    name: str,
    *,
    scale: Scale | str = "search",
    kind: Kind = "grades",
    guideline: Mapping[str, str] | None = None,
    overlap: int = 1,
    gold_share: float = 0.0,
    k: int | None = None,
    seed: int | None = None,
    lease_seconds: float = 1800.0,
) -> dict[str, object]:
    """Returns the row of a new project without its time; `Projects.create` describes it.

    Raises:
        ParameterError: If a parameter is out of range.
    """
    name = check_name(name, "project")
    chosen = PREFERENCES if kind == "side_by_side" else load_scale(scale)
    check_choice("kind", kind, get_args(Kind))
    for what, value, least in (("overlap", overlap, 1), ("k", k, 1), ("seed", seed, 0)):
        whole = isinstance(value, int) and not isinstance(value, bool)
        if value is not None and not (whole and least <= value < PLACES):
            raise ParameterError(
                message(
                    "judging.parameter-must-be-whole",
                    what=what,
                    least=least,
                    value=value,
                )
            )
    _check_gold_share(gold_share)
    if not (lease_seconds > 0 and math.isfinite(lease_seconds)):
        raise ParameterError(
            message(
                "judging.parameter-lease-seconds",
                lease_seconds=lease_seconds,
            )
        )
    return {
        "name": name,
        "kind": kind,
        "scale": asdict(chosen),
        "guideline": _check_guideline(guideline or {}),
        "overlap": overlap,
        "gold_share": gold_share,
        "k": k,
        "seed": 1 + secrets.randbelow(PLACES - 1) if seed is None else seed,
        "random_key": secrets.token_hex(16) if seed is None else "",
        "lease_seconds": lease_seconds,
    }


def find_settings(project: Project) -> dict[str, object]:
    """Returns the settings of a project that a copy has, too, as values of its row."""
    return {
        "scale": asdict(project.scale),
        "guideline": dict(project.guideline),
        "overlap": project.overlap,
        "gold_share": project.gold_share,
        "k": project.k,
        "lease_seconds": project.lease_seconds,
        "members_only": project.members_only,
        "target_agreement": project.target_agreement,
    }


def _check_guideline(guideline: Mapping[str, str]) -> dict[str, str]:
    for language, text in guideline.items():
        check_language(language)
        check_text(text, "guideline")
    return {language: text for language, text in guideline.items() if text}


def _check_gold_share(gold_share: float) -> None:
    if not 0 <= gold_share < 1:
        raise ParameterError(
            message(
                "judging.parameter-gold-share",
                gold_share=gold_share,
            )
        )


def check_open(connection: sa.Connection, project_id: int) -> None:
    """Checks that a project may be changed.

    Raises:
        ParameterError: If it is closed.
        InputError: If it does not exist or is being removed.
    """
    query = sa.select(projects).where(projects.c.id == project_id)
    row = connection.execute(query).one_or_none()
    if row is None or row.state not in SEEN:
        raise InputError(message("judging.there-is-no-project", project_id=project_id))
    refuse_closed(read_project(row))


def refuse_closed(project: Project) -> None:
    """Checks that a project was open when it was read.

    Raises:
        ParameterError: If it was closed.
    """
    if project.state != "open":
        raise ParameterError(
            message("judging.project-is-closed", project_name=project.name),
            hint=message("judging.whoever-leads-can-open"),
        )


def find_project(connection: sa.Connection, item_id: int) -> Project:
    """Returns the project that an item belongs to.

    Raises:
        InputError: If this item does not exist.
    """
    row = None
    if is_id(item_id):
        row = connection.execute(PROJECT_OF, {"item": item_id}).one_or_none()
    if row is None or row.state not in SEEN:
        raise InputError(message("judging.there-is-no-item-item-id", item_id=item_id))
    return read_project(row)
