"""Checks between training rows and evaluation rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from relyon.ltr.preparation.duplicates import row_keys, telling_rows
from relyon.ltr.preparation.findings import Finding
from relyon.ltr.preparation.near_copies import copied_queries

if TYPE_CHECKING:
    from relyon.data.labelled import LabelledRows

__all__ = ["SIDE_RULES", "side_findings"]

SIDE_RULES = ("query-on-two-sides", "row-on-two-sides", "copy-on-two-sides")

SHOWN = 5


def side_findings(rows: LabelledRows, sides: Mapping[str, LabelledRows]) -> Iterator[Finding]:
    """Yields queries and rows that are both in the training rows and on another side."""
    import numpy as np

    own = set(rows.queries)
    for name, side in sides.items():
        shared = [query for query in side.queries if query in own]
        if shared:
            evidence = {"count": len(shared), "total": len(side.queries), "side": name}
            yield Finding("query-on-two-sides", "warning", evidence, tuple(shared[:SHOWN]))
        if rows.features is None or side.features is None:
            continue
        ours = row_keys(rows.features)[telling_rows(rows.features)]
        theirs = np.flatnonzero(telling_rows(side.features))
        both = theirs[np.isin(row_keys(side.features)[theirs], ours)]
        if len(both):
            queries = dict.fromkeys(side.queries[place] for place in side.qid[both])
            evidence = {
                "count": len(both),
                "total": len(side),
                "side": name,
                "queries": len(queries),
            }
            yield Finding("row-on-two-sides", "warning", evidence, tuple(queries)[:SHOWN])
        copied, _ = copied_queries(rows, side)
        if copied:
            evidence = {"count": len(copied), "total": len(side.queries), "side": name}
            yield Finding("copy-on-two-sides", "warning", evidence, tuple(copied[:SHOWN]))
