"""What the columns of an uploaded table are: guessed by their names, and chosen by people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import Text, message
from relyon.data.columns import ITEM_LEVELS, LEVELS, best_columns, plain_name
from relyon.data.columns.synonyms import (
    ITEM_NAMES,
    NEED_NAMES,
    QUERY_IDS,
    QUERY_TEXTS,
    TIER_NAMES,
    Levels,
)
from relyon.io.row_tables import OWN, Columns
from relyon.io.sheet_tables import item_columns
from relyon.judging.leaks import find_leaks

if TYPE_CHECKING:
    from relyon.data.scale import Scale
    from relyon.io.row_tables import RowTable

__all__ = ["FIELD", "KINDS", "LEFT_OUT", "Guess", "IntakeKind", "check_choices", "guess_choices"]

#: What a lead brings in: results to grade, a catalogue, queries with their texts and needs, a run,
#: or the runs of a side-by-side project.
IntakeKind = Literal["results", "documents", "queries", "run", "sides"]
#: The roles of columns by what is brought in; the required ones first.
KINDS: Mapping[IntakeKind, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "results": (
        ("query", "document"),
        (
            "query_text",
            "need",
            "title",
            "snippet",
            "url",
            "image",
            "grade",
            "judge",
            "rank",
            "tier",
        ),
    ),
    "documents": (("document",), ("title", "snippet", "url", "image")),
    "queries": (("query",), ("query_text", "need")),
    "run": (("query", "document"), ("score", "rank")),
    "sides": (("query", "document"), ("score", "rank")),
}  # fmt: skip
#: A column that judges see as a further field, one that is left out, and one whose own name has a
#: meaning.
FIELD, LEFT_OUT, NAMED = "field", "", "named"
#: Rows by which columns are recognised as grades.
ENOUGH = 200
NEEDS: Levels = tuple((name,) for name in NEED_NAMES)
TIERS: Levels = (TIER_NAMES,)


@dataclass(frozen=True)
class Guess:
    """What columns seem to be.

    Attributes:
        choices: A role, `FIELD`, `LEFT_OUT` or `NAMED`, by column.
        behaviour: Columns of what users did, which judges should not see.
        grades: Columns that look like grades, which judges should not see.
        missing: Required roles that no column has.
    """

    choices: Mapping[str, str]
    behaviour: tuple[str, ...] = ()
    grades: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def guess_choices(
    kind: IntakeKind, table: RowTable, first: Sequence[Mapping[str, object]], scale: Scale
) -> Guess:
    """Returns what the columns of a table seem to be.

    Args:
        kind: What is brought in.
        table: The table.
        first: Its first rows.
        scale: The project's scale, by which columns of grades are recognised.
    """
    roles = _roles(kind, table)
    by_name = {name: role for role, name in roles.items()}
    rest = LEFT_OUT if kind in ("run", "sides", "queries") else FIELD
    choices = {
        name: by_name.get(name, NAMED if kind == "results" and name in OWN else rest)
        for name in table.names
    }
    missing = tuple(role for role in KINDS[kind][0] if role not in roles)
    behaviour, grades = _leaks(kind, table, first, choices, scale)
    hidden = {name for name in table.names if not name.strip()} | {*behaviour, *grades}
    return Guess(
        {name: LEFT_OUT if name in hidden else one for name, one in choices.items()},
        tuple(behaviour),
        tuple(grades),
        missing,
    )


def check_choices(kind: IntakeKind, choices: Mapping[str, str], names: Sequence[str]) -> Columns:
    """Returns the columns that somebody chose.

    Args:
        kind: What is brought in.
        choices: A role, `FIELD`, `LEFT_OUT` or `NAMED`, by column.
        names: The columns that there are.

    Raises:
        ParameterError: If one is not there, or cannot be that.
        InputError: If two columns have one role, or none has a required one.

    Examples:
        >>> check_choices("documents", {"sku": "document", "CTR": ""}, ["sku", "CTR", "price"])
        Columns(roles={'document': 'sku'}, hidden=frozenset({'CTR'}))
    """
    known = {*KINDS[kind][0], *KINDS[kind][1], FIELD, LEFT_OUT, NAMED}
    for name, role in choices.items():
        if name not in names:
            raise ParameterError(message("judging.column-is-not-there", name=name[:60]))
        if role not in known:
            raise ParameterError(message("judging.column-cannot-be", name=name, role=role[:60]))
    roles: dict[str, str] = {}
    for name, role in choices.items():
        if role in (FIELD, LEFT_OUT, NAMED):
            continue
        if role in roles:
            raise InputError(
                message(
                    "judging.two-columns-have-role",
                    first=roles[role],
                    second=name,
                    role=_name(role),
                )
            )
        roles[role] = name
    missing = [role for role in KINDS[kind][0] if role not in roles]
    if kind in ("run", "sides") and not {"score", "rank"} & roles.keys():
        missing.append("score")
    if missing:
        raise InputError(
            message("judging.roles-are-missing", roles=[_name(role) for role in missing])
        )
    return Columns(roles, frozenset(name for name, role in choices.items() if role == LEFT_OUT))


def _name(role: str) -> Text:
    return Text(f"app.import.role_{role}")


def _roles(kind: IntakeKind, table: RowTable) -> dict[str, str]:
    """Returns the columns by role, each of which has one."""
    if kind == "results":
        try:
            found = item_columns(table.names, table.path)
        except InputError:  # a required one is missing, or two could be meant
            found = _best(table.names, {role: ITEM_LEVELS.get(role, ()) for role in _all(kind)})
        else:
            found = _once(found)
        extra = {"need": NEEDS, "tier": TIERS}
        rest = [name for name in table.names if name not in found.values()]
        return found | _best(rest, extra)
    if kind == "documents":
        names = {role: tuple((one,) for one in ITEM_NAMES[role]) for role in ITEM_NAMES}
        return _best(table.names, {"document": LEVELS["document"], **names})
    if kind == "queries":
        texts: Levels = tuple((name,) for name in QUERY_TEXTS if name not in NEED_NAMES)
        ids: Levels = tuple((name,) for name in QUERY_IDS)
        return _best(table.names, {"need": NEEDS, "query": ids, "query_text": texts})
    return _best(table.names, {role: LEVELS[role] for role in _all(kind)})


def _all(kind: IntakeKind) -> tuple[str, ...]:
    return (*KINDS[kind][0], *KINDS[kind][1])


def _once(roles: Mapping[str, str]) -> dict[str, str]:
    """Returns the roles without those whose column already has one."""
    taken: dict[str, str] = {}
    for role, name in roles.items():
        if name not in taken.values():
            taken[role] = name
    return taken


def _best(names: Sequence[str], levels: Mapping[str, Levels]) -> dict[str, str]:
    found: dict[str, str] = {}
    for role, known in levels.items():
        free = [name for name in names if name not in found.values()]
        best = best_columns(free, known)
        if best:
            found[role] = best[0]
    return found


def _leaks(
    kind: IntakeKind,
    table: RowTable,
    first: Sequence[Mapping[str, object]],
    choices: Mapping[str, str],
    scale: Scale,
) -> tuple[list[str], list[str]]:
    """Returns the columns that judges should not see, by the first rows."""
    from relyon.data.sheets import Item

    shown = [name for name, choice in choices.items() if choice == FIELD and plain_name(name)]
    if kind not in ("results", "documents"):
        return [], []
    items = (
        Item("-", "-", fields={name: row[name] for name in shown if row.get(name)})
        for row in first[:ENOUGH]
    )
    return find_leaks(items, scale)
