"""Judgments by several judges: trec_eval's format `qrels_jg` and its measures.

A line contains query, judge, document and grade. A measure is computed for the judgments of each
judge by themselves; a query's value is the mean over its judges.
"""

from __future__ import annotations

from collections.abc import Sequence

from relyon import _native
from relyon.compat.trec_eval.measures import QRELS, Builder, Column, number
from relyon.compat.trec_eval.options import Options, TrecEvalError

__all__ = ["JUDGES", "read_judges"]

Grades = dict[str, dict[str, float]]


def _averaged(own: str) -> Builder:
    def build(name: str, parameters: str | None, options: Options) -> list[Column]:
        bare = name.removesuffix("_avgjg")
        return [
            Column(column.name.replace(bare, name, 1), column.needs)
            for column in QRELS[own](bare, parameters, options)
        ]

    return build


#: Every measure of the format, in the order in which trec_eval prints.
JUDGES: dict[str, Builder] = {
    "runid": QRELS["runid"],
    "num_q": QRELS["num_q"],
    "map_avgjg": _averaged("map"),
    "P_avgjg": _averaged("P"),
    "Rprec_mult_avgjg": _averaged("Rprec_mult"),
}


def read_judges(path: str) -> tuple[_native.JudgmentTable, list[_native.JudgmentTable]]:
    """Returns the judgments of all judges together, and one table per place.

    The tables contain the judgments of each query's first judge, of its second and so on, in the
    order of the bytes of the judges' names.

    Raises:
        TrecEvalError: If the file cannot be read.
    """
    judged: dict[str, dict[bytes, dict[str, float]]] = {}
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for line_number, line in enumerate(file, 1):
                if line.startswith("#"):
                    continue
                fields = line.split()
                if len(fields) != 4:
                    raise TrecEvalError(
                        f"{path}:{line_number}: expected 4 columns (query, judge, document, grade)",
                        2,
                    )
                query, judge, document, grade = fields
                named = judge.encode("utf-8", "surrogateescape")
                judged.setdefault(query, {}).setdefault(named, {})[document] = float(
                    int(number(grade))
                )
    except OSError as error:
        raise TrecEvalError(f"cannot read qrels file '{path}': {error.strerror}", 2) from None
    if not judged:
        raise TrecEvalError(f"cannot read qrels file '{path}': it is empty", 2)
    ordered = {
        query: [judges[judge] for judge in sorted(judges)] for query, judges in judged.items()
    }
    tables = []
    for place in range(max(map(len, ordered.values()))):
        part = {query: grades[place] for query, grades in ordered.items() if place < len(grades)}
        tables.append(_native.JudgmentTable.from_dict(part))
    everything: Grades = {query: grades[0] for query, grades in ordered.items()}
    return _native.JudgmentTable.from_dict(everything), tables


def mean_over_judges(
    queries: Sequence[str], parts: Sequence[dict[str, list[float]]], width: int
) -> list[list[float]]:
    """Returns columns of means over the judges that graded a query.

    Args:
        queries: The queries.
        parts: For each place of a judge, the values of the queries that have one.
        width: Number of columns.
    """
    rows = []
    for query in queries:
        held = [part[query] for part in parts if query in part]
        totals = [0.0] * width
        for values in held:
            for place, value in enumerate(values):
                totals[place] += value
        rows.append([total / len(held) for total in totals])
    return [[row[place] for row in rows] for place in range(width)]
