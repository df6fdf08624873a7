"""Texts of items from the tape of the search that found them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.data.sheets import Item, Sheet
from relyon.judging.snapshots.unjudged import parts_of

if TYPE_CHECKING:
    from relyon.engines import Tape

__all__ = ["describe_recorded"]


def describe_recorded(sheet: Sheet, tape: Tape) -> Sheet:
    """Adds what a tape keeps of queries and documents to items that lack it.

    These are the texts of queries, and the titles, texts, addresses and pictures of documents.
    Existing values are kept; other fields that the engine gave are left out.

    Args:
        sheet: Items.
        tape: The tape.
    """
    parts: dict[str, Mapping[str, str]] = {}

    def described(item: Item) -> Item:
        if item.document not in parts:
            parts[item.document] = parts_of(tape.documents.get(item.document, {}))
        found = parts[item.document]
        query = tape.queries.get(item.query)
        text = query.text if query is not None and query.text != item.query else ""
        return replace(
            item,
            query_text=item.query_text or text,
            title=item.title or found["title"],
            snippet=item.snippet or found["snippet"],
            url=item.url or found["url"],
            image=item.image or found["image"],
        )

    return replace(sheet, rows=tuple(replace(row, item=described(row.item)) for row in sheet.rows))
