"""The role of each column, by its name or as the caller says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from relyon.core.errors import InputError, ParameterError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.data.columns.repeated import refuse_repeated
from relyon.data.columns.synonyms import (
    EVIDENCE_NAMES,
    ITEM_NAMES,
    LEVELS,
    NAMES,
    SPELLINGS,
    Levels,
)

__all__ = [
    "EVIDENCE_NAMES",
    "ITEM_NAMES",
    "KINDS",
    "LABELLING",
    "NAMES",
    "READERS",
    "best_columns",
    "choose",
    "feature_name",
    "feature_role",
    "named_columns",
    "named_twice",
    "plain_name",
    "role_of",
    "shown_role",
    "synonyms_of",
]

#: Files whose rows may be calls of an agent.
JSON = (".json", ".jsonl", ".ndjson")
#: The function that reads a kind of data, for messages.
READERS = {
    "judgments": "read_judgments",
    "run": "read_run",
    "scored": "read_scored",
    **dict.fromkeys(("features", "candidates", "unlabelled"), "read_features"),
    "passages": "read_passages",
    "chunks": "read_chunks",
}

# Required and optional roles of each kind of data.
KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "judgments": (("query", "document", "grade"), ("subtopic", "weight", "low", "high")),
    "items": (("query", "document"), ("grade", "rank", "judge", "query_text", *ITEM_NAMES)),
    "run": (("query", "document"), ("score", "rank")),
    "scored": (("label", "score"), ("query", "document", "weight")),
    "features": (("label",), ("query", "document", "weight", "position", "group")),
    # To be labelled by judgments; a label column is not a feature.
    "candidates": (("query", "document"), ("label", "weight", "position", "group")),
    # To be ranked by a ranker; a label column is not a feature, either.
    "unlabelled": (
        (), ("query", "document", "label", "weight", "position", "group"),
    ),
    "sessions": (
        ("session", "query", "position", "doc"),
        (
            "timestamp", "clicked", "dwell_seconds", "add_to_cart", "purchase", "bucket", "user",
            "shown", "reward", "propensity", "overridden",
        ),
    ),
    # Sums of a log: each row counts impressions of a document at a position, and their clicks.
    "counts": (("query", "position", "doc", "impressions", "clicks"), ()),
    # A log of single decisions: each row can be a session of its own.
    "decisions": (
        ("doc",),
        (
            "session", "query", "position", "timestamp", "clicked", "dwell_seconds", "add_to_cart",
            "purchase", "bucket", "user", "shown", "reward", "propensity", "overridden",
        ),
    ),
    "policy": (("document", "probability"), ("query", "rank")),
    # Parts of documents, and what is cut from them.
    "passages": (("query", "document"), ("start", "end", "quote", "grade", "passage")),
    "chunks": (("chunk", "document"), ("start", "end", "text")),
}  # fmt: skip

#: Other names of a role, where the kind of data has no role of the name itself.
ALIASES = {"document": "doc", "doc": "document", "time": "timestamp", "date": "timestamp"}

#: Short names that say no less than the role's own.
OWN = {"query": ("qid",), "document": ("docno",), "label": ("grade",), "rank": ("position",)}

#: Roles for which a hint may name a column that has no other role.
OFFERED = ("query", "document", "doc", "score", "probability")

#: What tells the name of an id from that of its text.
ID_SIGNS = ("id", "编号", "編號")

#: Every name of a role, and every usual name of a column.
ROLES = frozenset(role for parts in KINDS.values() for part in parts for role in part) - {
    *ITEM_NAMES
}
KNOWN = frozenset(
    name
    for table in (NAMES, EVIDENCE_NAMES, ITEM_NAMES, SPELLINGS)
    for names in table.values()
    for name in names
)

#: Kinds in which every column without another role is a feature.
FEATURED = ("features", "candidates", "unlabelled")

#: The kind of rows with features, by the source of their labels.
LABELLING = {"own": "features", "judgments": "candidates", "none": "unlabelled"}


def plain_name(name: str) -> str:
    """Returns a column's name without case, spaces, hyphens, underscores and dots."""
    return "".join(letter for letter in name.strip().lower() if letter not in " _-.")


def role_of(name: str, roles: Collection[str]) -> str:
    """Returns the role that a name means: a document is `doc` in logs, `document` in judgments.

    The usual names of a role's columns mean the role, too, unless two roles have the name or it is
    a role of other data. Labels are grades.

    Args:
        name: The given name.
        roles: The roles of this kind of data.

    Examples:
        >>> role_of("document", KINDS["sessions"][0]), role_of("doc", KINDS["run"][0])
        ('doc', 'document')
        >>> role_of("关键词", KINDS["sessions"][0]), role_of("product_id", KINDS["run"][0])
        ('query', 'document')
    """
    if name in roles:
        return name
    other = ALIASES.get(name)
    if other is not None and other in roles:
        return other
    plain = plain_name(name)
    if name in ROLES or plain not in KNOWN:
        return name
    table = SPELLINGS if "doc" in roles else {**NAMES, **EVIDENCE_NAMES, **ITEM_NAMES}
    means = [role for role in roles if plain in table.get(role, ())]
    return means[0] if len(means) == 1 or {*means} == {"grade", "label"} else name


def feature_role(name: str) -> str:
    """Returns the role of a feature's column."""
    return f"feature {name}"


def feature_name(role: str) -> str | None:
    """Returns the feature's name in such a role, or None for other roles.

    Examples:
        >>> feature_name(feature_role("bm25")), feature_name("label")
        ('bm25', None)
    """
    return role.removeprefix("feature ") if role.startswith("feature ") else None


def choose(
    names: Sequence[str],
    kind: str,
    *,
    columns: Mapping[str, str] | None = None,
    levels: Mapping[str, Levels] = LEVELS,
    path: str = "",
) -> dict[str, str]:
    """Assigns columns to roles.

    In tables of features, every column without another role is a feature, unless the caller names
    some.

    Args:
        names: The column names.
        kind: The kind of data: a key of `KINDS`.
        columns: The caller's own choice, from role to column name; it takes precedence over the
            usual names. An empty name drops a role: no column has it, and its usual names are not
            features.
        levels: The usual names by role: a column of an earlier level wins.
        path: The file, for messages.

    Raises:
        ParameterError: If `columns` names a role that does not exist here.
        InputError: If a column is missing, or if two could be meant: columns that have a heading in
            common, if it is or could be that of a role.
    """
    required, optional = KINDS[kind]
    roles = [*required, *optional]
    given = {role_of(name, roles): column for name, column in (columns or {}).items()}
    features = [role for role in given if kind in FEATURED and feature_name(role) is not None]
    roles += features
    unknown = [role for role in given if role not in roles]
    if unknown:
        raise ParameterError(
            message("data.is-not-column", role=unknown[0])
            if len(unknown) == 1
            else message("data.are-not-columns", roles=_listed(unknown)),
            hint=suggestion(unknown[0], roles),
        )
    usual = {name: plain for name in names if (plain := plain_name(name)) in KNOWN}
    if kind == "judgments":
        levels = {**levels, **{role: (names,) for role, names in EVIDENCE_NAMES.items()}}
    if kind in FEATURED:
        levels = {**levels, "weight": (EVIDENCE_NAMES["weight"],)}
    absent = [given[role] for role in features if given[role] not in names]
    if absent:
        raise InputError(
            message("data.there-are-no-columns", absent=_listed(absent)),
            path=path,
            hint=message("data.columns-are-names", names=_listed(names)),
        )
    if kind == "judgments" and {"judge", "final"} <= {*usual.values()}:
        # One line per judge, as `relyon judge export` writes them: the final grade counts.
        levels = {**levels, "grade": (("final",),)}
    read = {*given.values()} | {
        name
        for name, plain in usual.items()
        if any(plain in level for role in roles for level in levels.get(role, ()))
    }
    featured = kind in FEATURED and not features
    refuse_repeated(names, path, lambda name: featured or name in read)
    chosen: dict[str, str] = {}
    lacking: dict[str, str] = {}
    for role in roles:
        if given.get(role):
            chosen[role] = given[role]
            if given[role] not in names:
                lacking[role] = given[role]
            continue
        taken = [*given.values(), *(chosen.values() if kind == "chunks" else ())]
        free = [name for name in usual if name not in taken]
        found = best_columns(free, levels.get(role, ()))
        if len(found) > 1:
            raise named_twice(found, kind, role, path)
        if found:
            chosen[role] = found[0]
    if kind == "run" and "rank" not in chosen:
        required = (*required, "score")
    lacking |= {role: "" for role in required if role not in chosen}
    if lacking:
        raise _lacks(kind, lacking, names, _unused(names, chosen), path)
    if featured:
        rest = [name for name in names if name not in chosen.values()]
        chosen |= {feature_role(name): name for name in rest}
    return {role: name for role, name in chosen.items() if given.get(role) != ""}


def best_columns(names: Sequence[str], levels: Levels) -> list[str]:
    """Returns the columns of the first level that has any; of an id and its text, the id.

    Args:
        names: The columns.
        levels: The usual names of the role.

    Examples:
        >>> best_columns(["url", "item", "Item ID"], LEVELS["document"])
        ['Item ID']
        >>> best_columns(["关键词", "搜索词"], LEVELS["query"])
        ['搜索词', '关键词']
    """
    plain: dict[str, list[str]] = {}
    for name in names:
        plain.setdefault(plain_name(name), []).append(name)
    for level in levels:
        there = [name for name in level if name in plain]
        best = [name for name in there if not any(name + sign in there for sign in ID_SIGNS)]
        if best:
            return [column for name in best for column in plain[name]]
    return []


def named_twice(found: Sequence[str], kind: str, role: str, path: str = "") -> InputError:
    """Returns the error about several columns that could each have a role."""
    return InputError(
        message("data.columns-could-each", found=_listed(found), role=role),
        path=path,
        hint=_map_hint(kind, role, found[0]),
    )


def shown_role(role: str) -> str:
    """Returns a role as people write it: `document` for `doc`, `time` for `timestamp`."""
    return next((name for name in ("document", "time") if ALIASES.get(name) == role), role)


def synonyms_of(
    chosen: Mapping[str, str], given: Mapping[str, str] | None = None, *, kind: str = ""
) -> dict[str, str]:
    """Returns the columns whose names are not those of their roles, by role as people write it.

    Args:
        chosen: Columns by role.
        given: The caller's own choice, which needs no mention.
        kind: The kind of data; labels that are not read need no mention, either.

    Examples:
        >>> synonyms_of({"query": "搜索词", "doc": "doc_id", "timestamp": "时间"})
        {'query': '搜索词', 'time': '时间'}
    """
    said = {*(given or {}).values()}
    if kind in {LABELLING["judgments"], LABELLING["none"]} and "label" in chosen:
        said.add(chosen["label"])
    return {
        shown_role(role): name
        for role, name in chosen.items()
        if name not in said and feature_name(role) is None and not _is_own(plain_name(name), role)
    }


def _is_own(plain: str, role: str) -> bool:
    """Returns whether a name is the role's own, or of its id."""
    names = {plain_name(one) for one in (role, shown_role(role), ALIASES.get(role, role))}
    return bool(names & {plain, plain.removesuffix("id")}) or plain in OWN.get(shown_role(role), ())


def _lacks(
    kind: str, lacking: Mapping[str, str], names: Sequence[str], unused: str, path: str
) -> InputError:
    """Returns the error about all roles without a column; each with its given name or ""."""
    role, given = next(iter(lacking.items()))
    if len(lacking) > 1:
        wanted = [role if not given else f"{role}={given}" for role, given in lacking.items()]
        hint = _map_hint(kind, role, "COLUMN")
        if kind == "scored":
            hint = message("data.name-scored")
        elif kind not in FEATURED:
            pairs = ",".join(f"{one}=COLUMN" for one in lacking)
            inside = ", ".join(f'"{one}": "COLUMN"' for one in lacking)
            python = f"columns={{{inside}}}"
            hint = message("data.name-them", python=python, pairs=pairs)
            if kind == "run" and "document" in lacking and path.lower().endswith(JSON):
                hint = message("data.name-them-or-write-calls", python=python, pairs=pairs)
        text = message(
            "data.there-are-no-columns-for", wanted=_listed(wanted), names=_listed(names)
        )
        return InputError(text, path=path, hint=hint)
    if given:
        return InputError(
            message("data.there-is-no-column-given", given=given, role=role),
            path=path,
            hint=message("data.columns-are-names", names=_listed(names)),
        )
    if kind == "judgments" and role == "grade" and _of_passages(names):
        text = message("data.judgments-are-passages", names=_listed(names))
        return InputError(text, path=path, hint=message("data.give-chunks"))
    # Grades and sessions are never guessed: the column could be a feature or a count.
    name = unused if role in OFFERED else "COLUMN"
    return InputError(
        message("data.there-is-no-column", role=role, names=_listed(names)),
        path=path,
        hint=_map_hint(kind, role, name),
    )


def _of_passages(names: Sequence[str]) -> bool:
    """Whether a table without grades has the columns of judged passages."""
    plain = {plain_name(name) for name in names}
    places = all(plain & {*NAMES[role]} for role in ("start", "end"))
    return places or bool(plain & ({*NAMES["quote"]} - {*NAMES["text"]}))


def _map_hint(kind: str, role: str, name: str) -> str:
    """Returns the hint for Python; the command line puts its own options there."""
    reader = READERS.get(kind)
    if kind == "features" and role == "label":
        return message("data.name-label")
    if reader is None:
        return message(
            "data.name-columns-in-python",
            role=role,
            name=name,
        )
    values = {"parameter": named_columns(kind, {role: name}), "role": role, "name": name}
    if kind == "scored":  # read_scored has parameters, evaluate_scores and others have `columns`
        return message("data.name-scored-column", reader=f"relyon.{reader}", **values)
    return message("data.name-column", reader=f"relyon.{reader}", **values)


def named_columns(kind: str, columns: Mapping[str, str]) -> str:
    """Returns columns in the form that the reader of a kind of data takes.

    Examples:
        >>> named_columns("run", {"score": "bm25"}), named_columns("scored", {"score": "old"})
        ('columns={"score": "bm25"}', 'score="old"')
    """
    if kind in {"judgments", "run"}:
        inside = ", ".join(f'"{role}": "{name}"' for role, name in columns.items())
        return f"columns={{{inside}}}"
    return ", ".join(f'{role}="{name}"' for role, name in columns.items())


def _unused(names: Sequence[str], chosen: Mapping[str, str]) -> str:
    """Returns the first column without a role whose name does not mean something else."""
    taken = chosen.values()
    return next(
        (one for one in names if one not in taken and plain_name(one) not in KNOWN), "COLUMN"
    )


def _listed(names: Sequence[str], limit: int = 20) -> str:
    shown = ", ".join(
        f"`{name}`" if len(name) <= 60 else f"`{name[:60]}…`" for name in names[:limit]
    )
    return (shown + (", …" if len(names) > limit else "")) or "none"
