"""Results as text: table, Markdown, CSV, JSON, trec_eval's form, HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relkit.render.numbers import DIGITS, TERMINAL
from relkit.render.text import count, fold, markdown_lines

if TYPE_CHECKING:
    from relkit.results import Results

__all__ = ["csv", "html", "json", "jsonl", "markdown", "rich_table", "table", "trec"]

COLUMNS = ("measure", "value", "queries", "undefined", "missing")


def _shown(name: str, results: Results, digits: int) -> str:
    entry = results.entries[name]
    return count(entry.value) if entry.average == "sum" else TERMINAL.number(entry.value, digits)


def _detail(name: str, key: str, results: Results, digits: int) -> str:
    value = results.entries[name].details.get(key, math.nan)
    if math.isnan(value):
        return "-"
    return TERMINAL.number(value, digits) if key == "share" else count(value)


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
                count(value) if counted and math.isfinite(value) else TERMINAL.number(value, digits)
                for value, counted in zip(values, whole, strict=True)
            )
            rows.append([*label, query, *cells])
    return headings, rows


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
        text = count(value) if whole else f"{value:{digits + 2}.{digits}f}"
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
