"""Checks that queries, grades and ids of both sides match."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress, islice
from typing import ClassVar

from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register
from relyon.core.notes import Note
from relyon.io import explain_mismatch

__all__ = ["Coverage"]


@register
@dataclass(frozen=True)
class Coverage(Rule):
    """The two runs are evaluated on different queries, or ids or grades do not match.

    Checks queries missing or without a value in only one run, grades above the scale, and ids of
    queries and documents that do not match between the files.

    Attributes:
        k: Cutoff of NDCG.
        changed: At least this share of the queries has a value in one run only. Single queries
            come and go wherever both runs are sparsely judged.
        ids: Documents are compared in about the first `ids` rows of a run.
    """

    name: ClassVar[str] = "coverage"
    of_lists: ClassVar[bool] = True
    k: int = 10
    changed: float = 0.01
    ids: int = 20_000

    def measures(self) -> tuple[str, ...]:
        return f"ndcg@{self.k}", "pnr"

    def apply(self, subject: Subject) -> Finding | None:
        evidence: dict[str, object] = {}
        parts: list[str] = []
        steps: list[str] = []
        examples: list[str] = []
        chart: list[dict[str, object]] = []

        def add(part: str, values: dict[str, object], shown: Iterable[str]) -> None:
            evidence.update(values)
            parts.append(f"text.{part}")
            steps.append(f"step.{part}")
            examples.extend(islice(shown, 3))

        missing = {name: self._missing(subject, name) for name in _both(subject)}
        changed = missing[subject.baseline] ^ missing[subject.candidate]
        if changed:
            values: dict[str, object] = {
                "missing_baseline": len(missing[subject.baseline]),
                "missing_candidate": len(missing[subject.candidate]),
            }
            add("missing", values, sorted(changed))
        for measure in (f"ndcg@{self.k}", "pnr"):
            undefined = {name: self._undefined(subject, name, measure) for name in _both(subject)}
            # Queries missing from a run are reported above.
            held = missing[subject.baseline] | missing[subject.candidate]
            moved = (undefined[subject.baseline] ^ undefined[subject.candidate]) - held
            chart.append(
                {
                    "measure": measure,
                    "baseline": len(undefined[subject.baseline]),
                    "candidate": len(undefined[subject.candidate]),
                    "changed": len(moved),
                }
            )
            least = self.changed * len(subject.results(subject.baseline).queries)
            if moved and len(moved) >= least and "text.undefined" not in parts:
                values = {
                    "undefined_measure": measure,
                    "undefined_baseline": len(undefined[subject.baseline]),
                    "undefined_candidate": len(undefined[subject.candidate]),
                    "undefined_changed": len(moved),
                }
                add("undefined", values, sorted(moved))
        grades = self._grades(subject)
        if grades is not None:
            add("grades", grades, ())
        for name in _both(subject):
            for what in ("query", "document"):
                note = self._mismatch(subject, name, what)
                if note is None or f"text.{what}" in parts:
                    continue
                add(what, {f"{what}_run": name, f"{what}_reason": note.message}, _ids(note))
        if not parts:
            return None
        serious = {"text.query", "text.document", "text.grades"}
        if len(changed) >= self.changed * len(subject.judgments.queries):
            serious.add("text.missing")
        return Finding(
            self.name,
            "high" if serious.intersection(parts) else "medium",
            evidence,
            tuple(parts),
            tuple(steps),
            tuple(examples),
            tuple(chart),
        )

    def _missing(self, subject: Subject, name: str) -> set[str]:
        table = subject.run(name).table
        return {query for query in subject.judgments.queries if query not in table}

    def _undefined(self, subject: Subject, name: str, measure: str) -> set[str]:
        results = subject.results(name)
        return set(compress(results.queries, map(math.isnan, results.column(measure))))

    def _grades(self, subject: Subject) -> dict[str, object] | None:
        """Returns the facts about grades above the scale's highest, if there are any."""
        scale, table = subject.scale, subject.judgments.table
        if scale is None or scale.highest is None or not table.highest > scale.highest:
            return None
        above = sum(grade > scale.highest for grade in table.columns()[2])
        return {
            "scale": scale.name,
            "scale_highest": scale.highest,
            "grade_highest": table.highest,
            "above": above,
        }

    def _mismatch(self, subject: Subject, name: str, what: str) -> Note | None:
        """Returns why ids do not match, if they do not."""
        judgments, run = subject.judgments, subject.run(name)
        if what == "query":
            return explain_mismatch(judgments.queries, run.queries)
        judged: dict[str, None] = {}
        retrieved: dict[str, None] = {}
        seen = 0
        for query in judgments.queries:
            if query not in run.table:
                continue
            judged.update(dict.fromkeys(judgments.table.grades(query)))
            documents, _, _ = run.table.documents(query)
            retrieved.update(dict.fromkeys(documents))
            seen += len(documents)
            if seen > self.ids:
                break
        return explain_mismatch(judged, retrieved, "document")


def _ids(note: Note) -> list[str]:
    """Returns an example as run id and judged id, which needs no language."""
    pair = note.values.get("pair")
    return [" ↔ ".join(f"`{one}`" for one in pair)] if isinstance(pair, tuple) else []


def _both(subject: Subject) -> tuple[str, str]:
    return subject.baseline, subject.candidate
