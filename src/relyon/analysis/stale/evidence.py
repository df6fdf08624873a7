"""What is known of judged documents: the texts that judges saw, tiers, and times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.columns import ITEM_NAMES, plain_name
from relyon.data.columns.synonyms import JUDGED_AT
from relyon.data.document_prints import ContentPrint, content_print
from relyon.io.content_prints import KnownPrints, prints_of_rows, read_prints
from relyon.io.document_rows import USUAL, DocumentRows, document_rows

if TYPE_CHECKING:
    import os

    from relyon.data.scale import Scale
    from relyon.data.sheets import Item, Row, Sheet

__all__ = [
    "Evidence",
    "Judged",
    "judged_of_sheet",
    "read_evidence",
    "sheet_of_source",
    "shown_prints",
]

Pair = tuple[str, str]
#: Parts of an item that can be compared, beside its further fields.
PARTS = ("title", "snippet", "url", "image")


@dataclass(frozen=True)
class Judged:
    """The texts, tiers and times of the pairs of a sheet of items.

    Attributes:
        texts: Texts by field, by query and document; only fields that some item has.
        fields: The fields that judges saw.
        tiers: The tier, where there is one.
        times: When the latest grade was given, in seconds since 1970.
        query_texts: The text of each query that has an id.
    """

    texts: Mapping[Pair, Mapping[str, str]] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    tiers: Mapping[Pair, str] = field(default_factory=dict)
    times: Mapping[Pair, float] = field(default_factory=dict)
    query_texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Evidence:
    """Both sides of the comparison, with the same fields.

    Attributes:
        then: What documents said when they were judged.
        today: The collection, to be read once.
        unseen: Fields that judges saw and that are not compared.
    """

    then: KnownPrints
    today: DocumentRows
    unseen: tuple[str, ...] = ()


def sheet_of_source(source: object, scale: Scale | str | None = None) -> Sheet | None:
    """Returns judgments as items with texts and times; None if they have grades alone.

    Args:
        source: A file, a project of a judging database, or anything else.
        scale: The grade scale, or its name.
    """
    from relyon.data.sheets import Sheet
    from relyon.io import read_sheet
    from relyon.io.format import formats
    from relyon.io.readers import opened
    from relyon.io.table_files import has_table

    if isinstance(source, Sheet):
        return source
    found = opened(source, "judgments")
    if found is None:
        return None
    chosen = formats.get(found.format)
    if chosen.is_sheet(found.head) or (chosen.tabular and has_table(found.path)):
        return read_sheet(found, scale=scale)
    return None


def judged_of_sheet(sheet: Sheet) -> Judged:
    """Returns the texts, tiers and times of a sheet."""
    texts: dict[Pair, dict[str, str]] = {}
    tiers: dict[Pair, str] = {}
    times: dict[Pair, float] = {}
    queries: dict[str, str] = {}
    fields: dict[str, None] = {}
    for row in sheet.rows:
        item = row.item
        pair = (item.query, item.document)
        texts[pair] = _texts(item)
        fields |= dict.fromkeys(texts[pair])
        if item.tier:
            tiers[pair] = item.tier
        if item.query_text:
            queries[item.query] = item.query_text
        when = _time(row)
        if when is not None:
            times[pair] = when
    return Judged(texts, tuple(fields), tiers, times, queries)


def _texts(item: Item) -> dict[str, str]:
    found = {name: getattr(item, name) for name in PARTS if getattr(item, name)}
    for name, value in item.fields.items():
        if value not in (None, "") and plain_name(name) not in JUDGED_AT:
            found[name] = str(value)
    return found


def _time(row: Row) -> float | None:
    """Returns when the last judge graded an item: of its ratings, or a column with times."""
    known = [one.at for one in row.ratings if one.at is not None]
    if known:
        return max(known)
    for name, value in row.item.fields.items():
        if plain_name(name) in JUDGED_AT:
            return _seconds(str(value))
    return None


def _seconds(text: str) -> float | None:
    import polars as pl

    from relyon.data.lazy import utc

    found = pl.DataFrame({"at": [text]}).select(utc("at"))["at"][0]
    return None if found is None else float(found.timestamp())


def read_evidence(
    judged: Judged,
    documents: object,
    *,
    then: object = None,
    fingerprints: KnownPrints | str | os.PathLike[str] | None = None,
    fields: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    wanted: Iterable[str] = (),
) -> Evidence:
    """Returns what documents said and say, of the fields that both sides have.

    Args:
        judged: What the judgments say.
        documents: The collection of today; see `relyon.io.document_rows`.
        then: The collection as it was; likewise.
        fingerprints: A file of `relyon judge fingerprints`.
        fields: The fields; none are `title` and `snippet`, as far as both sides have them.
        columns: Columns of `documents` and `then` by role.
        wanted: The judged documents.

    Raises:
        InputError: If a file cannot be read, or a named field is missing.
        ParameterError: If both `then` and `fingerprints` are given.
    """
    if then is not None and fingerprints is not None:
        raise ParameterError(
            message("analysis.then-and-fingerprints"),
            hint=message("analysis.leave-then-or-fingerprints"),
        )
    ids = {*wanted}
    if fingerprints is not None:
        known = fingerprints if isinstance(fingerprints, KnownPrints) else read_prints(fingerprints)
        if fields and {*fields} != {*known.fields}:
            raise ParameterError(
                message("analysis.fingerprints-of-fields", names=list(known.fields)),
                hint=message("analysis.leave-fields-out"),
            )
        today = document_rows(documents, fields=known.fields, columns=columns, wanted=ids)
        return Evidence(known, today)
    if then is not None:
        old = document_rows(then, fields=fields, columns=columns, wanted=ids)
        today = document_rows(documents, fields=fields, columns=columns, wanted=ids)
        shared = _shared(old.fields, today)
        return Evidence(
            prints_of_rows(old.only(shared), ids, limit=None),
            today.only(shared),
            tuple(one for one in old.fields if one not in shared),
        )
    today = document_rows(documents, fields=fields, columns=columns, wanted=ids)
    seen = {one: own for one in today.fields if (own := _shown(one, judged.fields)) is not None}
    shared = tuple(seen)
    if not shared:
        return Evidence(KnownPrints(today.fields), today, judged.fields)
    names = list(seen.values())
    pairs: dict[Pair, ContentPrint] = {
        pair: content_print([texts.get(name, "") for name in names])
        for pair, texts in judged.texts.items()
    }
    unseen = tuple(one for one in judged.fields if one not in names)
    return Evidence(KnownPrints(shared, pairs=pairs), today.only(shared), unseen)


def _shown(name: str, fields: Sequence[str]) -> str | None:
    """Returns the field that judges saw under a name: of that name, or of that usual name.

    A file's column `标题` or `name` is the title of its items.
    """
    plain = {plain_name(one): one for one in fields}
    own = plain.get(plain_name(name))
    usual = (one for one in PARTS if one in fields and plain_name(name) in ITEM_NAMES.get(one, ()))
    return own or next(usual, None)


def _shared(then: Sequence[str], today: DocumentRows) -> tuple[str, ...]:
    """Returns the fields of both collections."""
    shared = tuple(one for one in then if one in today.fields)
    if not shared:
        raise InputError(
            message("analysis.collections-share-no-field", first=list(then), second=today.names),
            path=today.path,
            hint=message("io.name-field-or-column"),
        )
    return shared


def shown_prints(judged: Judged | None, fields: Sequence[str] = ()) -> KnownPrints:
    """Returns the fingerprints of the texts that judges saw, by query and document.

    Args:
        judged: What the judgments say; None if they have grades alone.
        fields: The fields; none are title and snippet, as far as there are any.

    Raises:
        InputError: If there are no texts, or a named field is missing.
    """
    held = () if judged is None else judged.fields
    known = {name: _shown(name, held) for name in fields or USUAL}
    missing = [name for name, own in known.items() if own is None] if fields else []
    wanted = tuple(dict.fromkeys(own for own in known.values() if own is not None))
    if judged is None or not wanted or missing:
        raise InputError(
            message("analysis.judgments-have-no-texts", names=list(missing or USUAL)),
            hint=message("analysis.name-documents"),
        )
    pairs = {
        pair: content_print([texts.get(own, "") for own in wanted])
        for pair, texts in judged.texts.items()
    }
    return KnownPrints(wanted, pairs={pair: one for pair, one in pairs.items() if one})
