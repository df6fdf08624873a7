"""The provenance of the numbers: rules, inputs and their digests, versions, notes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from importlib import metadata
from io import BytesIO
from platform import python_version
from typing import TYPE_CHECKING

from relyon import _native
from relyon.core.lessons import with_lessons
from relyon.data.input_fingerprints import SHORT, content_of
from relyon.data.traces import Traces
from relyon.io.traces import trace_lines
from relyon.measures.display_names import pair_rules
from relyon.report.catalogue import Catalogue
from relyon.report.drilldown import has_lists
from relyon.report.page import Block, Columns, Prose, Section, Table

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.core.notes import Note
    from relyon.data.convention import Convention
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run

__all__ = [
    "convention_section",
    "convention_table",
    "digest",
    "input_section",
    "note_section",
    "note_table",
    "rules_section",
]

BLOCK = 1 << 20


def convention_section(comparison: Comparison, texts: Catalogue) -> Section:
    """Returns every rule with its value and meaning."""
    return rules_section(comparison.convention, texts, comparison.measures)


def rules_section(
    convention: Convention | None, texts: Catalogue, measures: Sequence[str] = ()
) -> Section:
    """Returns every rule of a convention, or a sentence that it is unknown."""
    unknown = Prose((texts.say("convention.unknown"),))
    block = unknown if convention is None else convention_table(convention, texts, measures)
    return Section("convention", texts.say("section.convention"), (block,))


def convention_table(
    convention: Convention, texts: Catalogue, measures: Sequence[str] = ()
) -> Table:
    """Returns every rule of a convention, and how pair measures count equal labels."""
    name = convention.name
    rows = tuple(
        (field, "–" if value == "None" else value, _meaning(field, value, texts))
        for field, value in convention.shown().items()
    )
    rows += tuple(
        (field, value, _meaning(field, value, texts))
        for field, found in pair_rules(measures, convention).items()
        for value in found
    )
    headings = (
        texts.say("convention.field"),
        texts.say("convention.value"),
        texts.say("convention.meaning"),
    )
    return Table(headings, rows, texts.say("convention.caption", name=name), left=3)


def _meaning(field: str, value: str, texts: Catalogue) -> str:
    if "." in field:
        name, _, parameter = field.partition(".")
        form = "undefined" if parameter == "undefined" else "parameter"
        return texts.say(f"rule.measure.{form}", measure=name, parameter=parameter)
    for key in (f"rule.{field}.{value.lower()}", f"rule.{field}.number"):
        if key in texts:
            return texts.say(key)
    return texts.say(f"rule.{field}.map")


def input_section(comparison: Comparison, texts: Catalogue) -> Section:
    """Returns the inputs with their digests, and the program versions."""
    say = texts.say
    blocks: list[Block] = []
    if has_lists(comparison):
        blocks += _inputs(comparison, texts)
    else:
        blocks.append(Prose((say("inputs.none"),)))
    rows = [(say("inputs.test"), say(f"test.{comparison.test}"))]
    for name, value in comparison.settings.to_dict().items():
        if name == "test":
            continue  # what was done may differ from the request
        if name == "interval":
            shown = say(f"interval.{value}")
        elif name == "correction":
            shown = say(f"correction.{value}")
        elif isinstance(value, Mapping):
            shown = texts.join([f"{measure} = {one}" for measure, one in value.items()])
        else:
            shown = f"{value:,}" if isinstance(value, int) else f"{value:g}"
        rows.append((say(f"inputs.{name}"), shown))
    headings = (say("inputs.setting"), say("table.value"))
    settings = Table(headings, tuple(rows), say("inputs.settings"), left=2)
    headings = (say("inputs.program"), say("inputs.version"))
    programs = Table(headings, versions(), say("inputs.versions"), left=2)
    blocks.append(Columns(((settings,), (programs,))))
    return Section("inputs", say("section.inputs"), tuple(blocks))


def _inputs(comparison: Comparison, texts: Catalogue) -> list[Block]:
    say = texts.say
    sources: list[tuple[str, str, Judgments | Run | Traces]] = []
    if comparison.judgments is not None:
        sources.append((say("inputs.judgments"), "", comparison.judgments))
    for name in comparison.runs:
        role = "baseline" if name == comparison.baseline else "candidate"
        sources.append((say(f"inputs.{role}"), name, comparison.lists(name)))
    rows = []
    memory = False
    for role, name, source in sources:
        held = os.path.isfile(source.source)
        memory = memory or not held
        named = held or "#" in source.source  # a project of a judging database
        rows.append(
            (
                role,
                name or "–",
                os.path.basename(source.source) if named else say("inputs.memory"),
                "–" if isinstance(source, Traces) else content_of(source.table).whole[:SHORT],
                digest(source),
                f"{len(source):,}",
                f"{len(source.tasks if isinstance(source, Traces) else source.queries):,}",
            )
        )
    names = ("role", "name", "file", "fingerprint", "digest", "rows", "queries")
    headings = tuple(say(f"inputs.{name}") for name in names)
    blocks: list[Block] = [Table(headings, tuple(rows), say("inputs.caption"), left=5)]
    blocks.append(Prose((say("inputs.fingerprint_note"),)))
    if memory:
        blocks.append(Prose((say("inputs.memory_note"),)))
    return blocks


def digest(source: Judgments | Run | Traces) -> str:
    """Returns the SHA-256 of a file, or the fingerprint of data in memory.

    Of traces in memory it is the SHA-256 of their lines, as `relyon.write_traces` writes them.

    Examples:
        >>> import relyon
        >>> one = relyon.Judgments.from_dict({"q": {"a": 1, "b": 0}})
        >>> other = relyon.Judgments.from_dict({"q": {"b": 0, "a": 1}})
        >>> digest(one) == digest(other), len(digest(one))
        (True, 64)
    """
    if os.path.isfile(source.source):
        found = hashlib.sha256()
        with open(source.source, "rb") as file:
            while block := file.read(BLOCK):
                found.update(block)
        return found.hexdigest()
    if isinstance(source, Traces):
        lines = BytesIO()
        trace_lines(source, lines)
        return hashlib.sha256(lines.getvalue()).hexdigest()
    return content_of(source.table).whole


def versions() -> tuple[tuple[str, str], ...]:
    """Returns the versions of the programs that the numbers depend on."""
    packages = ("numpy", "polars")
    return (
        ("relyon", _native.__version__),
        ("Python", python_version()),
        *((name, metadata.version(name)) for name in packages),
    )


def note_section(notes: Sequence[Note], texts: Catalogue) -> Section:
    """Returns the notes about the data."""
    return Section("notes", texts.say("section.notes"), (note_table(notes, texts),))


def note_table(notes: Sequence[Note], texts: Catalogue) -> Table | Prose:
    """Returns the notes, or a sentence if there are none."""
    if not notes:
        return Prose((texts.say("notes.none"),))
    headings = (texts.say("notes.level"), texts.say("notes.note"))
    levels = [texts.say(f"notes.{one.level}") for one in notes]
    said = with_lessons([(one.text(texts.language), one.lesson) for one in notes], texts.language)
    return Table(headings, tuple(zip(levels, said, strict=True)), left=2)
