"""How much of a month's number rests on grades of documents that changed since."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.analysis.stale.states import compare_contents
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.judgments import Judgments
from relyon.io.content_prints import prints_of_rows, read_prints, write_prints
from relyon.io.document_rows import document_rows
from relyon.online.monitoring.archive import find_rounds, read_round
from relyon.online.monitoring.session_values import session_values

if TYPE_CHECKING:
    import polars as pl

    from relyon.online.monitoring.rounds import Round

__all__ = ["PRINTS", "StaleEvidence", "keep_contents", "stale_evidence"]

#: The file of a round with the fingerprints of its judged documents.
PRINTS = "documents.csv"
#: The states of grades that count as stale.
STALE = ("changed", "gone")
ALL = "all"


@dataclass(frozen=True)
class StaleEvidence:
    """What the last month's number rests on.

    Attributes:
        month: The month.
        judgments: The number of its judgments.
        states: How many of them are in each state of `relyon.stale_judgments`.
        value_shares: By tier, and `all`, the share of the estimated DCG that stale grades
            contribute: 1 − Σ w DCG without them / Σ w DCG over the sampled sessions, where w is
            1 / inclusion probability and DCG goes down to the tier's depth. NaN without DCG.
        weight_shares: Likewise of DCG with a gain of 1 for every judged result: the share of the
            discounted ranks, which grades of 0 are part of, too.
        documents: The number of documents of the collection.
    """

    month: str
    judgments: int
    states: Mapping[str, int]
    value_shares: Mapping[str, float]
    weight_shares: Mapping[str, float]
    documents: int

    def notes(self, level: float) -> tuple[Note, ...]:
        """Returns the share as a note, a warning from a level on; and how much is unknown.

        Args:
            level: The share of the discounted ranks from which it is a warning.
        """
        weight, value = self.weight_shares[ALL], self.value_shares[ALL]
        found = []
        stale = sum(self.states[state] for state in STALE)
        if not math.isnan(weight):
            values = {
                "month": self.month,
                "total": self.judgments,
                "weight": weight,
                "value": 0.0 if math.isnan(value) else value,
            }
            kind = "stale-evidence"
            found.append(Note(kind, stale, "warning" if weight >= level else "info", values=values))
        if self.states["unknown"]:
            total = {"total": self.judgments}
            found.append(Note("stale-unknown", self.states["unknown"], "warning", values=total))
        return tuple(found)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "month": self.month,
            "judgments": self.judgments,
            "states": dict(self.states),
            "value_shares": dict(self.value_shares),
            "weight_shares": dict(self.weight_shares),
            "documents": self.documents,
        }


def keep_contents(
    folder: str | os.PathLike[str],
    judgments: Judgments,
    documents: object,
    columns: Mapping[str, str] | None = None,
) -> int:
    """Keeps the fingerprints of the judged documents in a round's folder.

    Args:
        folder: The round's own folder, which `relyon.write_round` returned.
        judgments: Its judgments.
        documents: The collection as it is now; see `relyon.stale_judgments`.
        columns: Its columns by role.

    Returns:
        The number of documents with a fingerprint.

    Raises:
        InputError: If the collection cannot be read, or the round has fingerprints already.
    """
    target = Path(folder) / PRINTS
    if target.exists():
        raise InputError(message("online.round-has-fingerprints"), path=str(target))
    judged = {document for own in judgments.to_dict().values() for document in own}
    known = prints_of_rows(document_rows(documents, columns=columns, wanted=judged), judged)
    write_prints(known, target)
    return len(known)


def stale_evidence(
    rounds: str | os.PathLike[str],
    documents: object,
    *,
    near: float = 0.9,
    columns: Mapping[str, str] | None = None,
) -> StaleEvidence:
    """Returns how much of the last month's number rests on grades of documents that changed.

    Args:
        rounds: A folder of rounds, the last of which was stored with `--documents`.
        documents: The collection of today; see `relyon.stale_judgments`.
        near: The least closeness at which a changed text is nearly the same, and not stale.
        columns: Its columns by role.

    Raises:
        InputError: If there is no round, the last one has no fingerprints, or a file cannot be
            used.
    """
    folders = find_rounds(rounds)
    if not folders:
        raise InputError(
            message("online.holds-no-round"),
            path=os.fspath(rounds),
            hint=message("online.relyon-monitor-add-folder"),
        )
    path = folders[-1] / PRINTS
    if not path.is_file():
        raise InputError(
            message("online.round-has-no-fingerprints", month=folders[-1].name),
            path=os.fspath(rounds),
            hint=message("online.add-rounds-with-documents"),
        )
    month = read_round(folders[-1])
    then = read_prints(path)
    grades = month.judgments.to_dict()
    pairs = [(query, document) for query, own in grades.items() for document in own]
    wanted = {document for _, document in pairs}
    today = document_rows(documents, fields=then.fields, columns=columns, wanted=wanted)
    compared = compare_contents(pairs, then, today, near=near)
    states = dict.fromkeys(("same", "near", "changed", "gone", "moved", "unknown"), 0)
    for one in compared.states.values():
        states[one.state] += 1
    stale = {pair for pair, one in compared.states.items() if one.state in STALE}
    value, weight = _shares(month, grades, stale)
    return StaleEvidence(month.month, len(pairs), states, value, weight, compared.documents)


def _shares(
    month: Round, grades: Mapping[str, Mapping[str, float]], stale: Collection[tuple[str, str]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Returns both shares by tier and of all."""
    flat = {query: dict.fromkeys(own, 1.0) for query, own in grades.items()}
    value = _share(month, grades, _without(grades, stale), month.judgments)
    return value, _share(month, flat, _without(flat, stale), None)


def _without(
    grades: Mapping[str, Mapping[str, float]], stale: Collection[tuple[str, str]]
) -> dict[str, dict[str, float]]:
    kept = {
        query: {one: grade for one, grade in own.items() if (query, one) not in stale}
        for query, own in grades.items()
    }
    return {query: own for query, own in kept.items() if own}


def _share(
    month: Round,
    whole: Mapping[str, Mapping[str, float]],
    rest: Mapping[str, Mapping[str, float]],
    judgments: Judgments | None,
) -> dict[str, float]:
    import polars as pl

    scale = None if judgments is None else judgments.scale
    columns = []
    for name, grades in (("whole", whole), ("rest", rest)):
        made = Judgments.from_dict(grades, scale=scale)
        values = session_values(month.sample, made, month.convention, month.depths)
        columns.append(values.select("session", "tier", pl.col("dcg").alias(name)))
    joined = columns[0].join(columns[1].drop("tier"), on="session").join(_weights(month), "session")
    sums = (
        joined.filter(pl.col("whole").is_not_null())
        .group_by("tier")
        .agg(
            (pl.col("whole") * pl.col("weight")).sum(),
            (pl.col("rest").fill_null(0.0) * pl.col("weight")).sum(),
        )
    )
    by_tier = {tier: (one, other) for tier, one, other in sums.iter_rows()}
    by_tier[ALL] = (
        math.fsum(one for one, _ in by_tier.values()),
        math.fsum(other for _, other in by_tier.values()),
    )
    return {
        tier: 1 - other / one if one > 0 else math.nan for tier, (one, other) in by_tier.items()
    }


def _weights(month: Round) -> pl.DataFrame:
    """Returns how many sessions of the log each sampled one stands for; drawn twice, twice."""
    import polars as pl

    chance = pl.col("inclusion_probability").fill_null(1.0)
    return month.sample.sessions.group_by("session").agg((1 / chance).sum().alias("weight"))
