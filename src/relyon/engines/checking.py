"""One query through an engine: what is sent, what comes back, and what is missing in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Block, Document, Lines, Prose, Section, Table
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import Language, catalogue, message
from relyon.engines.asked import Query
from relyon.engines.asking import ask_all
from relyon.engines.files.configuration import Configuration
from relyon.engines.order import make_run
from relyon.engines.planning import make_requests
from relyon.engines.remarks import remarks
from relyon.engines.tapes.entry import Entry
from relyon.engines.tapes.recording import recorded

if TYPE_CHECKING:
    import polars as pl

    from relyon.engines.reach import Reach

__all__ = ["Checked", "check_engine"]

#: Notes about the number of results, which is shown anyway.
COUNTED = ("search-short", "search-empty")
#: Characters of a field in a table.
LONGEST = 60


@dataclass(frozen=True)
class Checked(Exportable):
    """What an engine's file says, and how the engine answered one query.

    Attributes:
        configuration: What the file says.
        variant: The variant that was asked.
        query: The query; None if the engine was not asked.
        sent: What was sent, without secrets; an empty string if the kind does not show it.
        entry: The answer.
        fields: The fields of its documents, by id.
        notes: What the answer lacks.
    """

    configuration: Configuration
    variant: str
    query: str | None = None
    sent: str = ""
    entry: Entry | None = None
    fields: Mapping[str, Mapping[str, str]] | None = None
    notes: tuple[Note, ...] = ()

    @property
    def address(self) -> str:
        """Where the engine is."""
        engine = self.configuration.engine
        return engine.secrets.hide(engine.address)

    def document(self, language: Language = "en") -> Document:
        """Returns the file's facts, what was sent, the results, and what they lack."""
        texts = catalogue("search", language)
        known = self.configuration
        limits = known.limits
        facts = {
            "engine": f"{known.name} ({known.engine.name})",
            "address": self.address,
            "variants": texts.join([one.name for one in known.variants]),
            "limit": texts.say(
                "check.limits",
                concurrency=limits.concurrency,
                rate=texts.say("check.rate", rate=limits.rate) if limits.rate else "",
                timeout=limits.timeout,
                retries=limits.retries,
            ),
        }
        rows = [[texts[f"check.{name}"], text] for name, text in facts.items()]
        blocks: list[Block] = [Table(["", ""], rows, left=2)]
        if self.query is None:
            return Document([*blocks, Lines([texts["check.ask"]])])
        if self.sent:
            said = texts.say("check.sent", query=self.query, variant=self.variant)
            blocks.append(Section("sent", said, [Lines(self.sent.splitlines())]))
        if self.entry is not None:
            blocks += self._results(self.entry, language)
        return Document(blocks)

    def _results(self, entry: Entry, language: Language) -> list[Block]:
        texts = catalogue("search", language)
        fields = self.fields or {}
        took = "" if entry.took is None else texts.say("check.took", ms=round(entry.took, 1))
        total = "" if entry.total is None else texts.say("check.total", count=entry.total)
        said = texts.say(
            "check.answer", count=len(entry.ids), ms=round(entry.ms, 1), total=total, took=took
        )
        headings = [texts[f"check.{name}"] for name in ("rank", "id", "score")] + ["title"]
        titles = [_short(fields.get(id, {}).get("title", "")) for id in entry.ids]
        rows = [
            [str(rank), id, "-" if score is None else f"{score:.6g}", title]
            for rank, (id, score, title) in enumerate(
                zip(entry.ids, entry.scores, titles, strict=True), 1
            )
        ]
        blocks: list[Block] = [Prose([said])]
        if not rows:
            return [*blocks, Lines([texts["check.nothing"]])]
        blocks.append(Table(headings, rows, left=len(headings), long=[3]))
        first = fields.get(entry.ids[0], {})
        if first:
            facts = [[name, _short(text)] for name, text in first.items()]
            blocks.append(Section("first", texts["check.first"], [Table(["", ""], facts, left=2)]))
        if not any(titles):
            blocks.append(Lines([texts["check.no-title"]]))
        return blocks

    def to_dict(self) -> dict[str, object]:
        """Returns all of it, JSON-ready."""
        known, entry, fields = self.configuration, self.entry, self.fields or {}
        found: dict[str, object] = {
            "engine": known.name,
            "kind": known.engine.name,
            "address": self.address,
            "variants": {one.name: dict(one.parameters) for one in known.variants},
            "query": self.query,
            "variant": self.variant,
            "sent": self.sent,
        }
        if entry is not None:
            found |= {
                "ms": entry.ms,
                "took_ms": entry.took,
                "total": entry.total,
                "results": [
                    {"id": id, "score": score, "fields": dict(fields.get(id, {}))}
                    for id, score in zip(entry.ids, entry.scores, strict=True)
                ],
                "notes": [note.text() for note in self.notes],
            }
        return found

    def to_frame(self) -> pl.DataFrame:
        """Returns the results as rows."""
        import polars as pl

        entry = self.entry or Entry(key="", variant=self.variant, query="")
        return pl.DataFrame({"id": entry.ids, "score": entry.scores})


def check_engine(
    configuration: Configuration,
    query: str | None = None,
    k: int = 5,
    *,
    variant: str | None = None,
    reach: Reach | None = None,
) -> Checked:
    """Asks an engine one query, once, and returns what was sent and what came back.

    Args:
        configuration: What the engine's file says.
        query: The query; None only returns what the file says.
        k: How many results to ask for.
        variant: The variant; by default the first.
        reach: Which addresses may be connected to; None sets no limit.

    Raises:
        InputError: If there is no answer.
        ParameterError: If there is no such variant, or a placeholder has no value.

    Examples:
        >>> from relyon.engines import Variant
        >>> from relyon.engines.kinds.python import Python
        >>> engine = Python(lambda query, k: [("d1", 2.5)])
        >>> checked = check_engine(Configuration("mine", engine, (Variant("base"),)), "red", 5)
        >>> checked.entry.ids, checked.notes
        (['d1'], ())
    """
    chosen = configuration.chosen([] if variant is None else [variant])[0]
    if query is None:
        return Checked(configuration, chosen.name)
    engine = configuration.engine
    [request] = make_requests(engine, [Query("q1", query)], [chosen], k)
    limits = replace(configuration.limits, concurrency=1, retries=0)
    engine.open(limits.timeout, 1, reach)
    try:
        sent = engine.secrets.hide(engine.show(request))
        outcome = next(ask_all(engine, [request], limits))
    finally:
        engine.close()
    if outcome.answer is None:
        problem = engine.secrets.hide(outcome.detail) or outcome.problems[-1]
        raise InputError(
            message("engines.query-has-no-answer", query=query, problem=problem),
            path=engine.secrets.hide(engine.address),
            hint=message("engines.is-engine-up") if "connection" in outcome.problems else "",
        )
    entry, fields = recorded("", outcome, engine.secrets)
    found = (*make_run([entry], chosen.name, k)[1], *remarks([entry], k))
    notes = tuple(one for one in found if one.kind not in COUNTED)
    return Checked(configuration, chosen.name, query, sent, entry, fields, notes)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
