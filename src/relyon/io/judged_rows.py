"""Features of one file with the labels of another: rows joined with judgments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.interval_weights import interval_weights
from relyon.io.mismatch import explain_mismatch

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.judgments import Judgments
    from relyon.data.labelled import LabelledRows

__all__ = ["Unjudged", "judged_rows"]

#: The treatment of rows without a judgment.
Unjudged = Literal["drop", "zero"]

#: Queries whose unjudged documents are compared with judged ones without a row.
QUERIES = 50


def judged_rows(
    rows: LabelledRows,
    judgments: Judgments,
    unjudged: Unjudged,
    *,
    weights: Literal["judged", "own"] = "judged",
) -> LabelledRows:
    """Labels rows with the grades of their documents, and weights them as the judgments are.

    Args:
        rows: Rows whose documents have ids.
        judgments: Grades by query and document.
        unjudged: "drop" leaves out unjudged rows, and queries without a judged row;
            "zero" gives them the label 0.
        weights: "judged" takes the weights of the judgments if the rows have none of their own; a
            row whose judgment has no weight, or without a judgment, has the weight 1. Of judgments
            with intervals and without weights, a weight is the number of impressions that would
            give the interval. "own" keeps the rows' weights.

    Raises:
        InputError: If no row is judged, or the judgments are of subtopics.
        ParameterError: If the rows' documents have no ids.
    """
    import numpy as np
    import polars as pl

    if rows.documents is None:
        raise ParameterError(
            message("io.rows-have-no-document"),
            hint=message("io.name-column-of-documents"),
        )
    if judgments.has_subtopics:
        raise InputError(message("io.judgments-of-subtopics-cannot"), path=judgments.source)
    qid = rows.qid
    keys = pl.DataFrame(
        {"query": pl.Series(rows.queries, dtype=pl.String).gather(qid), "document": rows.documents},
        schema={"query": pl.String, "document": pl.String},
    )
    graded = judgments.to_frame()
    joined = keys.join(graded, on=["query", "document"], how="left", maintain_order="left")
    found = joined.get_column("grade")
    missing = int(found.null_count())
    spelled = _other_spelling(keys, graded) if missing else None
    if missing == len(found):
        raise InputError(
            message("io.none-of-rows"),
            path=rows.source,
            hint=message("io.ids-are-spelled-otherwise", **spelled.values)
            if spelled is not None
            else message("io.compare-ids-of-queries"),
        )
    labels = found.fill_null(0.0).to_numpy()
    notes = [*rows.notes, *judgments.notes]
    if missing:
        key = "rows-unjudged.drop" if unjudged == "drop" else "rows-unjudged.zero"
        notes.append(Note("rows-unjudged", missing, values={"total": len(found)}, key=key))
        notes += [] if spelled is None else [spelled]
    absent = graded.join(keys, on=["query", "document"], how="anti").height
    if absent:
        notes.append(Note("judged-without-row", absent, values={"total": graded.height}))
    own = rows.weights
    if weights == "judged" and own is None and "weight" in joined.columns:
        weight = joined.get_column("weight")
        own = weight.fill_null(1.0).to_numpy()
        total = len(found) - missing if unjudged == "drop" else len(found)
        count = len(weight) - int(weight.null_count())
        key = "weights-judged.all" if count == total else "weights-judged.some"
        notes.append(Note("weights-judged", count, values={"total": total}, key=key))
    if weights == "judged" and own is None and {"low", "high"} <= {*joined.columns}:
        found_weights = interval_weights(joined.get_column("low"), joined.get_column("high"))
        if found_weights is not None:
            own = found_weights.fill_null(1.0).to_numpy()
            notes.append(Note("weights-interval"))
    rows = replace(rows, labels=labels, weights=own, notes=tuple(notes))
    if unjudged == "zero" or not missing:
        return rows
    kept = np.flatnonzero(found.is_not_null().to_numpy())
    sizes = np.bincount(qid[kept], minlength=len(rows.queries))
    rows = rows.keep(kept, sizes)
    return rows.select(np.flatnonzero(sizes)) if not sizes.all() else rows


def _other_spelling(keys: pl.DataFrame, graded: pl.DataFrame) -> Note | None:
    """Returns a warning if ids of unjudged rows are those of judgments in another spelling.

    Prefixes are no reason here: of documents that only some judgments have, they prove nothing.

    Args:
        keys: Query and document of each row.
        graded: The judgments.
    """
    import polars as pl

    pair = ["query", "document"]
    rest, other = keys.join(graded, on=pair, how="anti"), graded.join(keys, on=pair, how="anti")
    known = {*other["query"]}
    shared = [one for one in rest["query"].unique(maintain_order=True) if one in known][:QUERIES]
    documents = [
        part.filter(pl.col("query").is_in(shared))["document"].unique(maintain_order=True)
        for part in (other, rest)
    ]
    queries = [graded["query"].unique(maintain_order=True), keys["query"].unique()]
    for what, (judged, found) in (("query", queries), ("document", documents)):
        both = {*judged} & {*found}
        note = explain_mismatch(
            [one for one in judged if one not in both],
            [one for one in found if one not in both],
            what,
        )
        if note is None:
            continue
        reasons, ids = note.values.get("reasons"), note.values.get("pair")
        if not isinstance(reasons, list) or not isinstance(ids, tuple):
            continue
        if any(one.values for one in reasons):
            continue
        values = {"what": what, "reasons": reasons, "row": ids[0], "judged": ids[1]}
        return Note("id-mismatch", note.count, "warning", values=values, key="id-mismatch.rows")
    return None
