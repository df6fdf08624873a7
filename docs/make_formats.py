"""Writes two tables into docs/formats.md: what each format can hold, and the names of columns.

python docs/make_formats.py            writes the page
python docs/make_formats.py --check    exits with 1 if the page is not as it would be written
"""

from __future__ import annotations

from pathlib import Path

from marks import replaced, write_or_check

from relyon.data.columns.synonyms import (
    EVIDENCE_NAMES,
    ITEM_NAMES,
    LEVELS,
    LOG_LEVELS,
    QUERY_TEXTS,
    Levels,
)
from relyon.io.format import Format, Kind, formats

PAGE = Path(__file__).with_name("formats.md")
START, END = "<!-- formats -->\n", "<!-- end of formats -->\n"
NAMES_START, NAMES_END = "<!-- names -->\n", "<!-- end of names -->\n"

#: What each row is called, and the formats that it is about.
ROWS = {
    "TREC qrels and runs": "trec",
    "CSV, TSV with a header": "csv tsv",
    "JSON Lines": "jsonl",
    "Parquet": "parquet",
    "[Excel workbooks](#excel)": "xlsx",
    "ranx JSON": "json",
    "SVMlight, LETOR, RankLib": "letor",
    "[Traces of agents](traces.md), spans of OpenTelemetry": "traces opentelemetry",
    "Quepid cases and books": "quepid-case quepid-book quepid-book-csv",
    "Rated Ranking Evaluator": "rre",
    "Elasticsearch `_rank_eval`": "elasticsearch",
    "OpenSearch judgment lists": "opensearch",
    "Label Studio tasks": "label-studio",
    "[Judging databases](judging.md#evaluate-without-an-export), read only": "judging-database",
}
#: What the columns are about.
KINDS: dict[str, Kind] = {
    "judgments": "judgments",
    "run": "run",
    "labelled scores": "scored",
    "features": "features",
    "traces": "traces",
}
#: What needs more than a yes.
DETAILS = {
    ("letor", "scored"): "yes, with a file of scores",
    **{(name, "run"): "with one call per task" for name in ("traces", "opentelemetry")},
}


def cells(name: str) -> list[str]:
    """Returns what a format can hold, a cell per kind of data, then whether it keeps evidence."""
    one: Format = formats.get(name)
    held = [
        DETAILS.get((name, kind), "yes") if kind in one.kinds else "" for kind in KINDS.values()
    ]
    held.insert(1, "yes" if one.keeps_evidence else "")
    return held


def table() -> str:
    """Returns the table.

    Raises:
        ValueError: If a format is in no row, or those of a row differ.
    """
    named = [name for names in ROWS.values() for name in names.split()]
    if sorted(named) != sorted(formats):
        raise ValueError(f"formats without a row: {sorted({*formats} ^ {*named})}")
    heads = ["format", "name", *KINDS]
    heads.insert(3, "weights, intervals")
    lines = [heads, ["---"] * len(heads)]
    for title, names in ROWS.items():
        several = [cells(name) for name in names.split()]
        if several.count(several[0]) != len(several):
            raise ValueError(f"{names} differ in what they hold")
        lines.append([title, ", ".join(f"`{name}`" for name in names.split()), *several[0]])
    return "".join(
        "|".join(["", *(f" {cell} ".replace("  ", " ") for cell in line), "\n"]) for line in lines
    )


def column_names() -> str:
    """Returns the table of columns' names, by data and role."""
    tables = {
        "judgments, runs, rows": {**LEVELS, **_singly(EVIDENCE_NAMES)},
        "items to judge": _singly({**ITEM_NAMES, "query_text": QUERY_TEXTS}),
        "search logs": LOG_LEVELS,
    }
    lines = ["|data|role|names|\n", "|---|---|---|\n"]
    for title, roles in tables.items():
        for role, known in roles.items():
            if known:
                names = " › ".join(", ".join(level) for level in known)
                lines.append(f"| {title} | `{role}` | {names} |\n")
    return "".join(lines)


def _singly(names: dict[str, tuple[str, ...]]) -> dict[str, Levels]:
    """Returns each name as a level of its own."""
    return {role: tuple((name,) for name in found) for role, found in names.items()}


if __name__ == "__main__":
    page = replaced(PAGE, START, END, table())
    write_or_check(PAGE, replaced(PAGE, NAMES_START, NAMES_END, column_names(), page))
