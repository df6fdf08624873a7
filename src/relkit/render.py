"""Results as text: table, Markdown, CSV, JSON, trec_eval's form, HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from relkit.notes import Note

if TYPE_CHECKING:
    from relkit.results import Results

__all__ = ["csv", "html", "json", "jsonl", "markdown", "note_dict", "rich_table", "table", "trec"]

COLUMNS = ("measure", "value", "queries", "undefined", "missing")


def number(value: float, digits: int = 4) -> str:
    """Returns a value for people: 4 decimals, `-` where undefined, counts as whole numbers."""
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "inf"
    return f"{value:.{digits}f}"


def _shown(name: str, results: Results) -> str:
    entry = results.entries[name]
    return f"{entry.value:.0f}" if entry.average == "sum" else number(entry.value)


def note_dict(note: Note) -> dict[str, Any]:
    """Returns a note as JSON-ready values."""
    return {
        "kind": note.kind,
        "level": note.level,
        "message": note.message,
        "count": note.count,
        "examples": list(note.examples),
    }


def _rows(runs: Sequence[Results]) -> tuple[list[str], list[list[str]]]:
    """Returns headings and rows: one run with its counts, several side by side."""
    if len(runs) == 1:
        rows = []
        for name, entry in runs[0].entries.items():
            label = name if entry.average in {"macro", "sum"} else f"{name} ({entry.average})"
            rows.append(
                [
                    label,
                    _shown(name, runs[0]),
                    str(entry.queries),
                    str(entry.undefined),
                    str(entry.missing),
                ]
            )
        return list(COLUMNS), rows
    headings = ["measure", *(run.run for run in runs)]
    rows = [[name, *(_shown(name, run) for run in runs)] for name in runs[0].entries]
    return headings, rows


def _query_rows(runs: Sequence[Results]) -> tuple[list[str], list[list[str]]]:
    headings = (["run"] if len(runs) > 1 else []) + ["query", *runs[0].entries]
    rows = []
    for run in runs:
        for query, values in run.rows():
            label = [run.run] if len(runs) > 1 else []
            rows.append([*label, query, *(number(value) for value in values)])
    return headings, rows


def width(text: str) -> int:
    """Returns how many terminal columns a text takes: two for a Chinese character."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text
    )


def align(headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Returns lines of aligned columns, the first `left` to the left, numbers to the right."""
    widths = [
        max(width(text) for text in column)
        for column in zip(headings, *rows, strict=True)
    ]
    lines = []
    for row in (headings, *rows):
        cells = []
        for place, (text, wide) in enumerate(zip(row, widths, strict=True)):
            padding = " " * (wide - width(text))
            cells.append(text + padding if place < left else padding + text)
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("─" * wide for wide in widths))
    return lines


def table(runs: Sequence[Results], *, per_query: bool = False) -> str:
    """Returns a table for the terminal."""
    lines = []
    if per_query:
        headings, rows = _query_rows(runs)
        lines += [*align(headings, rows, left=2 if len(runs) > 1 else 1), ""]
    headings, rows = _rows(runs)
    return "\n".join(lines + align(headings, rows))


def markdown(runs: Sequence[Results], *, per_query: bool = False) -> str:
    """Returns a Markdown table."""
    blocks = []
    for headings, rows in ([_query_rows(runs)] if per_query else []) + [_rows(runs)]:
        lines = ["| " + " | ".join(headings) + " |"]
        lines.append("|" + "|".join([" --- "] + [" ---: "] * (len(headings) - 1)) + "|")
        for row in rows:
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


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
                    writer.writerow([run.run, query, name, "" if math.isnan(value) else repr(value)])
    else:
        writer.writerow(["run", *COLUMNS, "average", "tie_sensitive"])
        for run in runs:
            for name, entry in run.entries.items():
                value = "" if math.isnan(entry.value) else repr(entry.value)
                writer.writerow(
                    [
                        run.run,
                        name,
                        value,
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


def trec(runs: Sequence[Results], *, per_query: bool = False) -> str:
    """Returns what trec_eval prints: name padded to 22, tab, query or `all`, tab, value."""
    return "\n".join(line for run in runs for line in _trec(run, per_query))


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


def _trec(run: Results, per_query: bool) -> Iterator[str]:
    def line(name: str, query: str, value: float) -> str:
        whole = run.entries[name].average == "sum"
        text = f"{value:.0f}" if whole else f"{value:6.4f}"
        return f"{trec_name(name):<22}\t{query}\t{text}"

    if per_query:
        for query, values in sorted(run.rows()):
            for name, value in zip(run.entries, values, strict=True):
                if math.isnan(value):
                    value = {"skip": math.nan, "zero": 0.0, "one": 1.0}[run.convention.undefined]
                if not math.isnan(value):
                    yield line(name, query, value)
    yield f"{'runid':<22}\tall\t{run.run}"
    counted = max((entry.queries for entry in run.entries.values()), default=0)
    yield f"{'num_q':<22}\tall\t{counted}"
    for name, entry in run.entries.items():
        yield line(name, "all", entry.value)


def rich_table(runs: Sequence[Results]) -> object:
    """Returns a `rich.table.Table`."""
    from rich.table import Table

    headings, rows = _rows(runs)
    result = Table(title=runs[0].run if len(runs) == 1 else None)
    for place, heading in enumerate(headings):
        result.add_column(heading, justify="right" if place else "left")
    for row in rows:
        result.add_row(*row)
    return result


def html(runs: Sequence[Results]) -> str:
    """Returns an HTML table with the notes and the convention below."""
    from html import escape

    headings, rows = _rows(runs)
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
        + f"<details><summary>Convention: {escape(convention.name)}</summary>{escape(rules)}</details>"
    )
