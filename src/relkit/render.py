"""Results as text: table, Markdown, CSV, JSON, trec_eval's form, HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from relkit.notes import Note

if TYPE_CHECKING:
    from relkit.convention import Convention
    from relkit.results import Results

__all__ = [
    "align",
    "convention_line",
    "csv",
    "fold",
    "html",
    "json",
    "jsonl",
    "markdown",
    "note_dict",
    "number",
    "rich_table",
    "table",
    "trec",
    "width",
    "wrap",
]

COLUMNS = ("measure", "value", "queries", "undefined", "missing")
DIGITS = 4

#: Fields that every convention line shows; others where a measure uses them or they deviate.
ALWAYS_SHOWN = ("ties", "undefined", "missing")


def number(value: float, digits: int = DIGITS) -> str:
    """Returns a value for people: 4 decimals, `-` where undefined."""
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return f"{value:.{digits}f}"


def _count(value: float) -> str:
    """Returns a number of pairs or documents: whole, unless half pairs were counted."""
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def _shown(name: str, results: Results, digits: int) -> str:
    entry = results.entries[name]
    return _count(entry.value) if entry.average == "sum" else number(entry.value, digits)


def _detail(name: str, key: str, results: Results, digits: int) -> str:
    value = results.entries[name].details.get(key, math.nan)
    if math.isnan(value):
        return "-"
    return number(value, digits) if key == "share" else _count(value)


def convention_line(convention: Convention, measures: Sequence[str] = ()) -> str:
    """Returns the rules that stand behind numbers: those that matter, and those that deviate.

    Args:
        convention: The rules.
        measures: Names of the measures: the gain is shown where one of them takes it from there.

    Examples:
        >>> from relkit.convention import load_convention
        >>> convention_line(load_convention("relkit"), ["ndcg@10"])
        'convention relkit: ties=doc-desc, undefined=skip, missing=zero, gain=linear'
    """
    from relkit.convention import load_convention
    from relkit.measures.names import measure

    values = convention.to_dict()
    usual = load_convention(None).to_dict()
    shown = list(ALWAYS_SHOWN)
    if any(getattr(measure(name), "gain", "none") is None for name in measures):
        shown.append("gain")
    shown += [key for key in values if key not in {*shown, "name"} and values[key] != usual[key]]
    return f"convention {values['name']}: " + ", ".join(f"{key}={values[key]}" for key in shown)


def note_dict(note: Note) -> dict[str, Any]:
    """Returns a note as JSON-ready values."""
    return {
        "kind": note.kind,
        "level": note.level,
        "message": note.message,
        "count": note.count,
        "examples": list(note.examples),
    }


def _rows(runs: Sequence[Results], digits: int) -> tuple[list[str], list[list[str]]]:
    """Returns headings and rows: one run with its counts, several side by side."""
    single = runs[0] if len(runs) == 1 else None
    rows = []
    for name, entry in runs[0].entries.items():
        label = name if entry.average in {"macro", "sum"} else f"{name} ({entry.average})"
        row = [label, *(_shown(name, run, digits) for run in runs)]
        if single is not None:
            row += [str(entry.queries), str(entry.undefined), str(entry.missing)]
        rows.append(row)
        for key in entry.details:
            row = [f"  {key}", *(_detail(name, key, run, digits) for run in runs)]
            rows.append(row + [""] * 3 if single is not None else row)
    headings = list(COLUMNS) if single is not None else ["measure", *(run.run for run in runs)]
    return headings, rows


def _query_rows(runs: Sequence[Results], digits: int) -> tuple[list[str], list[list[str]]]:
    headings = (["run"] if len(runs) > 1 else []) + ["query", *runs[0].entries]
    whole = [entry.average == "sum" for entry in runs[0].entries.values()]
    rows = []
    for run in runs:
        label = [run.run] if len(runs) > 1 else []
        for query, values in run.rows():
            cells = (
                _count(value) if counted and math.isfinite(value) else number(value, digits)
                for value, counted in zip(values, whole, strict=True)
            )
            rows.append([*label, query, *cells])
    return headings, rows


def width(text: str) -> int:
    """Returns how many terminal columns a text takes: two for a Chinese character."""
    if text.isascii():
        return len(text)
    from unicodedata import category, combining, east_asian_width

    return sum(
        0
        if combining(sign) or category(sign) in {"Cf", "Me", "Mn"}
        else 2
        if east_asian_width(sign) in "WF"
        else 1
        for sign in text
    )


def wrap(text: str, columns: int = 80, indent: str = "", first: str = "") -> list[str]:
    """Returns a text as lines of at most so many terminal columns, where its words allow it.

    Args:
        text: Words between spaces.
        columns: The width.
        indent: Stands before every line but the first.
        first: Stands before the first line.

    Examples:
        >>> wrap("one two three", 8, "  ")
        ['one two', '  three']
    """
    lines = [first]
    fresh = True
    for word in text.split():
        if not fresh and width(lines[-1]) + 1 + width(word) > columns:
            lines.append(indent)
            fresh = True
        lines[-1] += word if fresh else f" {word}"
        fresh = False
    return lines


def _widths(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(width, column)) for column in zip(headings, *rows, strict=True)]


def align(headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Returns lines of aligned columns, the first `left` to the left, numbers to the right."""
    widths = _widths(headings, rows)
    lines = []
    for row in (headings, *rows):
        cells = []
        for place, (text, wide) in enumerate(zip(row, widths, strict=True)):
            padding = " " * (wide - width(text))
            cells.append(text + padding if place < left else padding + text)
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("─" * wide for wide in widths))
    return lines


def fold(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: int = 1,
    columns: int | None = None,
) -> list[str]:
    """Returns aligned lines, in blocks that repeat the first columns where one is too wide.

    Args:
        headings: One a column.
        rows: Their cells.
        left: Columns aligned to the left, and repeated in each block.
        columns: Terminal columns a line may take; `None` never folds.
    """
    widths = _widths(headings, rows)
    lines: list[str] = []
    block = list(range(left))
    for place in range(left, len(headings)):
        taken = sum(widths[other] + 2 for other in block) + widths[place]
        if columns is not None and taken > columns and len(block) > left:
            lines += [*_block(headings, rows, block, left), ""]
            block = list(range(left))
        block.append(place)
    return lines + _block(headings, rows, block, left)


def _block(
    headings: Sequence[str], rows: Sequence[Sequence[str]], places: Sequence[int], left: int
) -> list[str]:
    chosen = [[row[place] for place in places] for row in rows]
    return align([headings[place] for place in places], chosen, left)


def table(
    runs: Sequence[Results],
    *,
    per_query: bool = False,
    digits: int = DIGITS,
    columns: int | None = None,
) -> str:
    """Returns a table for the terminal.

    Args:
        runs: One run with its counts, or several side by side.
        per_query: Puts a table of the queries before it.
        digits: Decimals.
        columns: Terminal columns a line may take; `None` never folds.
    """
    lines = []
    if per_query:
        headings, rows = _query_rows(runs, digits)
        lines += [*fold(headings, rows, 2 if len(runs) > 1 else 1, columns), ""]
    headings, rows = _rows(runs, digits)
    return "\n".join(lines + fold(headings, rows, 1, columns))


def markdown(runs: Sequence[Results], *, per_query: bool = False, digits: int = DIGITS) -> str:
    """Returns a Markdown table."""
    blocks = []
    tables = [_query_rows(runs, digits)] if per_query else []
    for headings, rows in [*tables, _rows(runs, digits)]:
        blocks.append("\n".join(markdown_lines(headings, rows)))
    return "\n\n".join(blocks)


def markdown_lines(
    headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1
) -> list[str]:
    """Returns a Markdown table, the first `left` columns to the left, numbers to the right."""
    sides = [" --- " if place < left else " ---: " for place in range(len(headings))]
    lines = ["| " + " | ".join(map(_cell, headings)) + " |", "|" + "|".join(sides) + "|"]
    return lines + ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]


def _cell(text: str) -> str:
    return text.strip().replace("\\", "\\\\").replace("|", "\\|")


def csv(runs: Sequence[Results], *, per_query: bool = False) -> str:
    """Returns CSV: one row a run and measure, or a run, query and measure; values in full."""
    import csv as library
    import io

    out = io.StringIO()
    writer = library.writer(out, lineterminator="\n")
    if per_query:
        writer.writerow(["run", "query", "measure", "value"])
        for run in runs:
            for query, values in run.rows():
                for name, value in zip(run.entries, values, strict=True):
                    writer.writerow(
                        [run.run, query, name, "" if math.isnan(value) else repr(value)]
                    )
    else:
        writer.writerow(["run", *COLUMNS, "average", "tie_sensitive"])
        for run in runs:
            for name, entry in run.entries.items():
                shown = "" if math.isnan(entry.value) else repr(entry.value)
                writer.writerow(
                    [
                        run.run,
                        name,
                        shown,
                        entry.queries,
                        entry.undefined,
                        entry.missing,
                        entry.average,
                        entry.tie_sensitive,
                    ]
                )
    return out.getvalue().rstrip("\n")


def json(runs: Sequence[Results], *, per_query: bool = False) -> str:
    """Returns one JSON object for one run, one a line-separated run for several."""
    import json as library

    return "\n".join(
        library.dumps(run.to_dict(per_query=per_query), ensure_ascii=False, indent=2)
        for run in runs
    )


def jsonl(runs: Sequence[Results], *, per_query: bool = False) -> str:
    """Returns JSON lines: one a query where `per_query`, then one a run."""
    import json as library

    lines = []
    for run in runs:
        if per_query:
            for query, values in run.rows():
                pairs = zip(run.entries, values, strict=True)
                measures = {name: value if math.isfinite(value) else None for name, value in pairs}
                record = {"run": run.run, "query": query, "measures": measures}
                lines.append(library.dumps(record, ensure_ascii=False))
        lines.append(library.dumps(run.to_dict(), ensure_ascii=False))
    return "\n".join(lines)


def trec(
    runs: Sequence[Results],
    *,
    per_query: bool = False,
    digits: int = DIGITS,
    header: Sequence[Sequence[tuple[str, str]]] = (),
) -> str:
    """Returns what trec_eval prints: name padded to 22, tab, query or `all`, tab, value.

    Args:
        runs: One or several runs, one after the other.
        per_query: Puts the queries' values before the averages, sorted by query.
        digits: Decimals.
        header: For each run, names and texts that come before its averages.
    """
    lines: list[str] = []
    for place, run in enumerate(runs):
        lines += _trec(run, per_query, digits, header[place] if header else ())
    return "\n".join(lines)


def trec_name(name: str) -> str:
    """Returns trec_eval's name for a measure, or relkit's own where trec_eval has none.

    Examples:
        >>> trec_name("ndcg@10"), trec_name("ap"), trec_name("p@5")
        ('ndcg_cut_10', 'map', 'P_5')
    """
    names = {"ap": "map", "rr": "recip_rank", "rprec": "Rprec", "infap": "infAP", "p": "set_P"}
    names |= {"recall": "set_recall", "f1": "set_F"}
    cuts = {"ndcg": "ndcg_cut", "ap": "map_cut", "p": "P", "recall": "recall", "success": "success"}
    word, _, k = name.partition("@")
    if k and word in cuts:
        return f"{cuts[word]}_{k}"
    return name if k else names.get(word, name)


def _trec(
    run: Results, per_query: bool, digits: int, header: Sequence[tuple[str, str]]
) -> Iterator[str]:
    def line(name: str, query: str, value: float) -> str:
        whole = run.entries[name].average == "sum"
        text = _count(value) if whole else f"{value:{digits + 2}.{digits}f}"
        return f"{trec_name(name):<22}\t{query}\t{text}"

    if per_query:
        instead = {"skip": math.nan, "zero": 0.0, "one": 1.0}[run.convention.undefined]
        for query, values in sorted(run.rows()):
            for name, value in zip(run.entries, values, strict=True):
                counted = instead if math.isnan(value) else value
                if not math.isnan(counted):
                    yield line(name, query, counted)
    for name, text in header:
        yield f"{name:<22}\tall\t{text}"
    for name, entry in run.entries.items():
        yield line(name, "all", entry.value)


def rich_table(runs: Sequence[Results]) -> object:
    """Returns a `rich.table.Table`."""
    from rich.table import Table

    headings, rows = _rows(runs, DIGITS)
    result = Table(title=runs[0].run if len(runs) == 1 else None)
    for place, heading in enumerate(headings):
        result.add_column(heading, justify="right" if place else "left")
    for row in rows:
        result.add_row(*row)
    return result


def html(runs: Sequence[Results]) -> str:
    """Returns an HTML table with the notes and the convention below."""
    from html import escape

    headings, rows = _rows(runs, DIGITS)
    head = "".join(f"<th>{escape(text)}</th>" for text in headings)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{"right" if place else "left"}">{escape(text)}</td>'
            for place, text in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    notes = "".join(f"<li>{escape(str(note))}</li>" for run in runs for note in run.notes)
    convention = runs[0].convention
    rules = ", ".join(
        f"{key} = {value}" for key, value in convention.to_dict().items() if key != "name"
    )
    return (
        f"<table><caption>{escape(', '.join(run.run for run in runs))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        + (f"<ul>{notes}</ul>" if notes else "")
        + f"<details><summary>Convention: {escape(convention.name)}</summary>"
        + f"{escape(rules)}</details>"
    )
