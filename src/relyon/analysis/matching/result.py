"""Which rules gave a number: classes, near misses, broken inputs, and what to look at next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.matching.facts import MatchedClass, MatchFacts, NearMiss
from relyon.analysis.matching.tables import match_document
from relyon.core.document.exportable import Exportable
from relyon.core.texts import Language

if TYPE_CHECKING:
    import polars

    from relyon.core.document.model import Document

__all__ = ["ConventionMatch"]


@dataclass(frozen=True)
class ConventionMatch(MatchFacts, Exportable):
    """Which rules give printed numbers.

    Attributes:
        numbers: What was printed.
        classes: The classes of rules that give all of it, the simplest first. Rules with a change
            that is not needed, as they give the numbers without it, are left out.
        needless: Rules left out as one of their changes is not needed.
        nearest: The nearest misses.
        tiers: What was tried, and how often it matches by accident: known programs, then with one
            and with two changes.
        next_look: What would tell the classes apart; None for fewer than two.
        faults: Broken inputs under which a known program gives the numbers; looked for if no
            program does, as it is or with one change.
        faults_tried: How many broken inputs were tried.
        faults_accident: The probability that a known program gives the numbers on one of them by
            accident.
        without_effect: Rules that cannot matter for these measures on these files.
        queries: Judged queries.
        run: The run's name.
        copies: Rows of the run that repeat a document of their list; the first copy counts.
        own: The numbers under relyon's own rules, by measure.
        differences: The rules in which the first class differs from relyon's own and which the
            numbers need; None without a class, or if the numbers need more than named rules.
        partial: Without a class and a broken input that gives all of several numbers: the rules
            that give some of them.

    Examples:
        >>> import relyon
        >>> judgments = {"q1": {"a": 3, "b": 1, "c": 0}, "q2": {"d": 0, "e": 2}}
        >>> run = {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}, "q2": {"d": 2.0, "e": 1.0}}
        >>> found = relyon.match_convention(judgments, run, {"ndcg@10": "0.6704"})
        >>> found.classes[0].name
        'lightgbm'
    """

    def document(self, *, language: Language = "en", limit: int = 10) -> Document:
        """Returns the answer: the classes, what to look at next, and how likely an accident is.

        Args:
            language: `en` or `zh`; names of rules are the same in both.
            limit: Maximum classes shown; `to_dict` has all.
        """
        return match_document(self, language=language, limit=limit)

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per class, then the nearest misses."""
        import polars

        rows = [
            {
                "rules": one.name,
                "matches": isinstance(one, MatchedClass),
                "changes": one.way.tier,
                **one.values,
            }
            for one in [*self.classes, *map(_as_class, self.nearest)]
        ]
        for row, miss in zip(rows[len(self.classes) :], self.nearest, strict=True):
            row["matches"] = False
            row["rules"] = str(miss.way)
        schema = ["rules", "matches", "changes", *(one.name for one in self.numbers)]
        return (
            polars.DataFrame(rows, infer_schema_length=None).select(schema)
            if rows
            else (polars.DataFrame(schema=schema))
        )

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; NaN becomes null."""
        look = self.next_look
        return {
            "run": self.run,
            "queries": self.queries,
            "copies": self.copies,
            "numbers": [
                {
                    "measure": one.name,
                    "text": one.text,
                    "value": one.value,
                    "half_unit": one.half,
                }
                for one in self.numbers
            ],
            "verdict": self.verdict,
            "classes": [
                {
                    "rules": one.name,
                    **one.way.to_dict(),
                    "values": _plain(one.values),
                    "options": one.options,
                    "others": [str(other) for other in one.others],
                }
                for one in self.classes
            ],
            "relyon": _plain(self.own),
            "differences": None
            if self.differences is None
            else [vars(one) for one in self.differences],
            "partial": [
                {
                    "rules": str(one.way),
                    **one.way.to_dict(),
                    "values": _plain(one.values),
                    "accident": one.accident,
                    "options": one.options,
                }
                for one in self.partial
            ],
            "needless": self.needless,
            "nearest": [
                {
                    "rules": str(one.way),
                    **one.way.to_dict(),
                    "values": _plain(one.values),
                    "distance": one.distance,
                    "cut_off": one.cut_off,
                }
                for one in self.nearest
            ],
            "tiers": [vars(one) for one in self.tiers],
            "accident": self.accident,
            "next": None
            if look is None
            else {
                **{key: one for key, one in vars(look).items() if key != "values"},
                "values": [one if math.isfinite(one) else None for one in look.values],
            },
            "faults_tried": self.faults_tried,
            "faults_accident": self.faults_accident,
            "faults": [
                {
                    "kind": one.fault.kind,
                    "value": one.fault.value,
                    "rules": [str(way) for way in one.ways],
                    "values": _plain(one.values),
                }
                for one in self.faults
            ],
            "without_effect": list(self.without_effect),
        }


def _as_class(miss: NearMiss) -> MatchedClass:
    return MatchedClass(miss.way, (), miss.values, None)


def _plain(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: one if math.isfinite(one) else None for name, one in values.items()}
