"""Results as text: table, Markdown, CSV, JSON, trec_eval's form, HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from relkit.core.errors import InputError
from relkit.core.rendering.text import count, fold, markdown_lines
from relkit.core.texts.numbers import DIGITS, TERMINAL
from relkit.io.cells import Cell, csv_text
from relkit.measures.labels import detail, detail_names, measure_label

if TYPE_CHECKING:
    from relkit.evaluation.results import Results

__all__ = ["csv", "html", "json", "jsonl", "markdown", "table", "trec"]

COLUMNS = ("measure", "value", "queries", "undefined", "missing")


#: What trec_eval's lines stand for where the measure's own name leaves it open.
TREC_VALUES = {"rbp": {"p": 0.9}}


def _shown(name: str, results: Results, digits: int) -> str:
    entry = results.entries[name]
    return count(entry.value) if entry.average == "sum" else TERMINAL.number(entry.value, digits)


def _detail(name: str, key: str, results: Results, digits: int) -> str:
    value = results.entries[name].details.get(key, math.nan)
    return "-" if math.isnan(value) else detail(key, value, TERMINAL, digits)


def _rows(runs: Sequence[Results], digits: int) -> tuple[list[str], list[list[str]]]:
    """Returns headings and rows: one run with its counts, several side by side."""
    single = runs[0] if len(runs) == 1 else None
    rows = []
    for name, entry in runs[0].entries.items():
        label = measure_label(name, entry.average, entry.definition)
        row = [label, *(_shown(name, run, digits) for run in runs)]
        if single is not None:
            row += [str(entry.queries), str(entry.undefined), str(entry.missing)]
        rows.append(row)
        for key in detail_names(name, entry.details, entry.definition):
            row = [f"  {key}", *(_detail(name, key, run, digits) for run in runs)]
            rows.append(row + [""] * 3 if single is not None else row)
    headings = list(COLUMNS) if single is not None else ["measure", *(run.run for run in runs)]
    return headings, rows


def _query_rows(runs: Sequence[Results], digits: int) -> tuple[list[str], list[list[str]]]:
    headings = (["run"] if len(runs) > 1 else []) + ["query", *map(measure_label, runs[0].entries)]
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
    rows: list[Sequence[Cell]] = []
    if per_query:
        rows.append(["run", "query", "measure", "value"])
        for run in runs:
            for query, values in run.rows():
                for name, value in zip(run.entries, values, strict=True):
                    rows.append([run.run, query, name, _full(value)])
    else:
        details = list(
            dict.fromkeys(
                key for run in runs for entry in run.entries.values() for key in entry.details
            )
        )
        rows.append(["run", *COLUMNS, "average", "tie_sensitive", *details])
        for run in runs:
            for name, entry in run.entries.items():
                rows.append(
                    [
                        run.run,
                        name,
                        _full(entry.value),
                        entry.queries,
                        entry.undefined,
                        entry.missing,
                        entry.average,
                        entry.tie_sensitive,
                        *(_full(entry.details.get(key, math.nan)) for key in details),
                    ]
                )
    return csv_text(rows).rstrip("\n")


def _full(value: float) -> float | None:
    return None if math.isnan(value) else value


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


#: trec_eval's names of measures without a cutoff.
TREC_NAMES = {
    **{"ap": "map", "rr": "recip_rank", "rprec": "Rprec", "infap": "infAP", "iap": "11pt_avg"},
    **{"gm_ap": "gm_map", "set_ap": "set_map", "num_nonrel_ret": "num_nonrel_judged_ret"},
    **{"bin_g": "binG", "g": "G", "rndcg": "Rndcg", "idcg": "ideal_dcg", "f1": "set_F"},
    **{"p@all": "set_P", "recall@all": "set_recall", "recall(capped=true)@all": "set_relative_P"},
    "rbp(p=0.9,gain=linear,normalise=true)": "rbp",
    "rbp(p=0.9)": "rbp",
    "rbp_residual(p=0.9,tail=unjudged)": "rbp_resid",
    "utility": "utility",
}
#: Those with a cutoff, or with another number.
TREC_CUTS = {
    **{"ndcg": "ndcg_cut", "ap": "map_cut", "p": "P", "recall": "recall", "success": "success"},
    **{"unjudged": "unj", "recall(capped=true)": "relative_P"},
}


def trec_name(name: str) -> str:
    """Returns trec_eval's name for a measure, or relkit's own where trec_eval has none.

    Examples:
        >>> trec_name("ndcg@10"), trec_name("ap"), trec_name("iprec@0.5")
        ('ndcg_cut_10', 'map', 'iprec_at_recall_0.50')
    """
    if name in TREC_NAMES:
        return TREC_NAMES[name]
    word, _, k = name.rpartition("@")
    if word == "iprec":
        return f"iprec_at_recall_{float(k):3.2f}"
    if word in TREC_CUTS:
        return f"{TREC_CUTS[word]}_{k}"
    if name.startswith("rprec(multiple=") and name.count("=") == 1:
        return f"Rprec_mult_{float(name[15:-1]):3.2f}"
    if name.startswith("rbp(p=") and name.count("=") == 1 and not word:
        return f"rbp_p={name[6:-1]}"
    return name


def _trec(
    run: Results, per_query: bool, digits: int, header: Sequence[tuple[str, str]]
) -> Iterator[str]:
    def line(name: str, query: str, value: float) -> str:
        whole = run.entries[name].average == "sum"
        text = count(value) if whole else f"{value:{digits + 2}.{digits}f}"
        return f"{titles[name]:<22}\t{query}\t{text}"

    from relkit.measures.names import measure

    titles = {name: trec_name(name) for name in run.entries}
    for name, entry in run.entries.items():
        asked = measure(name)
        for key, usual in TREC_VALUES.get(asked.name, {}).items():
            value = measure(entry.definition).filled(key)
            if getattr(asked, key) is None:
                whole = str(replace(asked, **{key: value}))  # type: ignore[type-var]
                known = value != usual or whole in TREC_NAMES
                titles[name] = trec_name(whole) if known else name
    if per_query:
        instead = [
            measure(name).counted(run.convention) if entry.average == "macro" else math.nan
            for name, entry in run.entries.items()
        ]
        for query, values in sorted(run.rows()):
            if any(mark in query for mark in "\t\r\n"):
                raise InputError(
                    f"trec_eval's lines cannot hold the query `{query}`: it has a tab or line end",
                    hint="print CSV or JSON Lines",
                )
            for name, value, other in zip(run.entries, values, instead, strict=True):
                if name == "num_q" or run.entries[name].average == "geometric":
                    continue  # trec_eval prints them for all queries only
                counted = other if math.isnan(value) else value
                if not math.isnan(counted):
                    yield line(name, query, counted)
    for name, text in header:
        yield f"{name:<22}\tall\t{text}"
    for name, entry in run.entries.items():
        yield line(name, "all", entry.value)


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
    rules = ", ".join(f"{key} = {value}" for key, value in convention.shown().items())
    return (
        f"<table><caption>{escape(', '.join(run.run for run in runs))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        + (f"<ul>{notes}</ul>" if notes else "")
        + f"<details><summary>Convention: {escape(convention.name)}</summary>"
        + f"{escape(rules)}</details>"
    )
