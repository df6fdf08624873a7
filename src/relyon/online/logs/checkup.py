"""All checks of a log, and what a repair changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Document, Lines
from relyon.core.errors import InputError, ParameterError
from relyon.core.findings import Findings
from relyon.core.language import Language, check_language
from relyon.core.texts import catalogue, message
from relyon.data.lazy import gather
from relyon.data.log_facts import FLAGS, Facts, facts_of
from relyon.data.sessions import COLUMNS, Sessions, written_column
from relyon.data.written_cells import restored, unread_columns
from relyon.online.logs.finding_text import shown_finding
from relyon.online.logs.log_check import EXAMPLES, MODULES, Check, Finding, Log, checks, plain

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Change", "Checkup", "Repair", "examine"]

DEPTH = 20


@dataclass(frozen=True)
class Change:
    """One rule that a repair applied.

    Attributes:
        kind: The finding that it repairs.
        rule: What was done, in a sentence.
        rows: How many rows were touched: changed, merged or left out.
        left: How many rows there were afterwards.
        examples: A few of the rows as they were.
    """

    kind: str
    rule: str
    rows: int
    left: int
    examples: tuple[Mapping[str, object], ...]

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "kind": self.kind,
            "rule": self.rule,
            "rows_touched": self.rows,
            "rows_left": self.left,
            "examples": [dict(row) for row in self.examples],
        }


@dataclass(frozen=True)
class Repair(Exportable):
    """A log that was repaired, and the record of it.

    Attributes:
        sessions: The cleaned log, as a plan.
        rows: Rows before.
        changes: What was done, in this order.
        remaining: Kinds of findings that only people can decide about.
    """

    sessions: Sessions
    rows: int
    changes: tuple[Change, ...]
    remaining: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "source": self.sessions.source,
            "rows_before": self.rows,
            "rows_after": self.changes[-1].left if self.changes else self.rows,
            "changes": [change.to_dict() for change in self.changes],
            "not_repaired": list(self.remaining),
        }

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per change."""
        import polars as pl

        schema = {
            "kind": pl.String,
            "rule": pl.String,
            "rows_touched": pl.Int64,
            "rows_left": pl.Int64,
        }
        rows = [(one.kind, one.rule, one.rows, one.left) for one in self.changes]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def to_json(self) -> str:
        """Returns the record as JSON; dates in the examples become text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, default=str)


class Checkup(Findings[Finding], Exportable):
    """The findings about a log, warnings first.

    Attributes:
        findings: The findings; none where nothing is wrong.
        rows: Rows of the log.
        made: How many checks were made.
    """

    def __init__(self, findings: Iterable[Finding], log: Log, made: tuple[Check, ...]) -> None:
        self.findings = tuple(sorted(findings, key=lambda one: one.level != "warning"))
        self.rows = log.rows
        self.made = len(made)
        self._log = log
        self._checks = made

    def repair(self, also: Collection[str] = ()) -> Repair:
        """Returns the log with the safe repairs made; this one is not changed.

        The repairs are those of the findings that are `fixable`. They need Polars: the rows of
        another engine are read into memory. Columns that are not of a log stay as they are.

        Args:
            also: Further findings to repair: `bots` leaves out the users, or sessions, of that
                check.
        """
        import polars as pl

        sessions = self._log.sessions
        written = self._as_written(also)
        rows = sessions.with_written(written)
        native = rows.to_native()
        frame = native if isinstance(native, pl.LazyFrame) else gather(rows).lazy()
        changes = []
        done = set()
        for check in self._checks:
            if check.name not in self:
                continue
            if not self[check.name].fixable and check.name not in also:
                continue
            repaired = check.repair(frame, self._log)
            if repaired is None:
                continue
            frame, touched = repaired
            done.add(check.name)
            changes.append(self._change(check.name, frame, touched))
        cleaned = Sessions.from_frame(
            restored(frame, written),
            {name: name for name in self._log.columns if name in COLUMNS},
            source=sessions.source,
            notes=sessions.notes,
            facts=self._facts if set(written) & set(FLAGS) else None,
            others="keep",
        )
        remaining = tuple(one.kind for one in self.findings if one.kind not in done)
        return Repair(cleaned, self.rows, tuple(changes), remaining)

    @property
    def _facts(self) -> Facts:
        return self._log.sessions.facts or facts_of(self._log.sessions.raw)

    def _as_written(self, also: Collection[str]) -> tuple[str, ...]:
        """Returns the columns with cells that no repair changes and that their type would lose."""
        names = unread_columns(self._log.sessions, self._facts)
        odd = "click-values"
        if odd in self and (self[odd].fixable or odd in also):
            names = tuple(name for name in names if name != "clicked")
        return names

    def _change(self, kind: str, frame: pl.LazyFrame, touched: pl.LazyFrame) -> Change:
        import polars as pl

        def size(part: pl.LazyFrame) -> int:
            return int(part.select(pl.len()).collect(engine="streaming").item())

        names = touched.collect_schema().names()
        order = [name for name in ("session", "position", "doc") if name in names]
        touched = touched.select(pl.exclude(f"^{written_column('.*')}$"))
        first = touched.sort(order).head(EXAMPLES).collect(engine="streaming")
        rule = self[kind].fix("en")
        return Change(kind, rule, size(touched), size(frame), plain(first))

    def to_dict(self, language: Language = "en") -> dict[str, object]:
        """Returns JSON-ready values, with texts in English (`en`) or Chinese (`zh`)."""
        check_language(language)
        return {
            "source": self._log.sessions.source,
            "rows": self.rows,
            "checks": self.made,
            "findings": [one.to_dict(language) for one in self.findings],
        }

    def document(self, language: Language = "en") -> Document:
        """Returns how many checks found something, then each finding.

        Args:
            language: `en` or `zh`.
        """
        summary = self._summary(language)
        return Document(
            [Lines([summary]), *(shown_finding(one, language) for one in self.findings)]
        )

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per finding: kind, level, count, total, unit, share, fixable."""
        import polars as pl

        names = ("kind", "level", "count", "total", "unit", "share", "fixable")
        return pl.DataFrame({name: [getattr(one, name) for one in self.findings] for name in names})

    def _summary(self, language: Language) -> str:
        values = {
            "rows": self.rows,
            "checks": self.made,
            "warnings": len(self.warnings),
            "hints": len(self.findings) - len(self.warnings),
        }
        check_language(language)
        return catalogue("logs", language).say("summary" if self.findings else "clean", **values)

    def __repr__(self) -> str:
        kinds = ", ".join(one.kind for one in self.findings)
        return f"Checkup(rows={self.rows}, findings=[{kinds}])"


def examine(
    sessions: Sessions | object,
    *,
    depth: int = DEPTH,
    only: Iterable[str | Check] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Checkup:
    """Checks a search log, and describes the effect of each fault on the numbers.

    Every check is written against narwhals' lazy frames, so that it runs where the log is: on
    Polars, DuckDB or PySpark. Nothing is changed; `Checkup.repair` makes a cleaned copy.

    Args:
        sessions: The log: `Sessions`, or a frame that they can be made of.
        depth: Positions that measures will look at. Lists that end before are a warning.
        only: Names of checks, or checks with thresholds of their own; None makes all.
        progress: Told how many checks are made, of how many.

    Raises:
        ParameterError: If the depth is below 1.
        UnknownNameError: If a check is unknown.
        InputError: If the log contains no rows.

    Examples:
        >>> import polars as pl
        >>> log = {"session": ["s", "s"], "query": ["TV", "TV"], "rank": [0, 1], "doc": ["a", "b"]}
        >>> checkup = examine(pl.DataFrame(log))
        >>> checkup
        Checkup(rows=2, findings=[zero-based-positions])
        >>> checkup.repair().sessions.collect()["position"].sort().to_list()
        [1, 2]
    """
    if depth < 1:
        raise ParameterError(message("online.parameter-depth-must-be-at-least", depth=depth))
    log = Log(sessions if isinstance(sessions, Sessions) else Sessions.from_frame(sessions), depth)
    made = _chosen(only)
    if not log.rows:
        raise InputError(
            message("core.contains-no-rows"),
            path=log.sessions.path,
            hint=message("online.was-log-exported-whole"),
        )
    found = []
    for place, check in enumerate(made):
        if progress is not None:
            progress(place, len(made))
        finding = check.apply(log)
        if finding is not None:
            found.append(finding)
    return Checkup(found, log, made)


def _chosen(only: Iterable[str | Check] | None) -> tuple[Check, ...]:
    """Returns checks in the order of their modules."""
    if only is None:
        chosen = [checks.get(name)() for name in checks]
    else:
        listed = [only] if isinstance(only, str) else only
        chosen = [one if isinstance(one, Check) else checks.get(one)() for one in listed]
    order = {f"relyon.online.logs.{module}": place for place, module in enumerate(MODULES)}
    return tuple(
        sorted(chosen, key=lambda one: (order.get(type(one).__module__, len(order)), one.name))
    )
