"""pytrec_eval's interface: the same names, the same numbers, faster.

Change ``import pytrec_eval`` to ``from relyon.compat import pytrec_eval``. Differences:

- Cutoffs of 0, and parameters that a measure does not take, raise a `ValueError`; in pytrec_eval
  they end the process.
- A query for which nothing was retrieved has interpolated precision 0; pytrec_eval divides 0 by 0.
- NaN and infinite scores raise an error; pytrec_eval ranks them somewhere.
- `parse_run` and `parse_qrel` raise a `ValueError` with the line; pytrec_eval asserts.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from relyon import _native
from relyon.compat.trec_eval.measures import (
    NICKNAMES,
    OFFICIAL_PREFERENCES,
    PREFERENCES,
    QRELS,
    BadParametersError,
    Column,
)
from relyon.compat.trec_eval.options import Options
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.data.judgments import Judgments
from relyon.evaluation import Program
from relyon.measures.parser import measure

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

#: trec_eval 9's measures, in the order in which it prints them. `relstring` and `runid` are texts,
#: which pytrec_eval returns as 0.
NAMES = tuple(
    name for name in QRELS if name not in {"dcg", "ideal_dcg", "yaap", "rbp", "rbp_resid", "unj"}
)
#: Those that are followed by cutoffs or levels.
CUT = {
    *("iprec_at_recall", "P", "recall", "Rprec_mult", "ndcg_cut", "map_cut", "relative_P"),
    "success",
}

supported_measures: set[str] = set(NAMES)

#: Names of several measures. Those of preferences and of several judges are known, as in
#: pytrec_eval, but neither evaluates them.
supported_nicknames: dict[str, set[str]] = {
    "official": set(NICKNAMES["official"]),
    "set": set(NICKNAMES["set"]),
    "all_trec": set(NAMES),
    "all_prefs": set(PREFERENCES),
    "prefs": set(OFFICIAL_PREFERENCES),
    "qrels_jg": set(NICKNAMES["qrels_jg"]),
}

Number = TypeVar("Number", int, float)

PARAMETER = re.compile(r"(?P<name>.+?)[._](?P<values>\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)")


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Reads the lines of a TREC run into {query: {document: score}}.

    Raises:
        InputError: If a line does not have six columns, its score is not a number, or a document
            repeats.

    Examples:
        >>> dict(parse_run(["q1 Q0 d1 1 2.5 mine"]))
        {'q1': {'d1': 2.5}}
    """
    return _parse(f_run, 6, 4, float, "query, Q0, document, rank, score, run")


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Reads the lines of TREC qrels into {query: {document: grade}}.

    Raises:
        InputError: If a line does not have four columns, its grade is not a whole number, or a
            document repeats.

    Examples:
        >>> dict(parse_qrel(["q1 0 d1 2"]))
        {'q1': {'d1': 2}}
    """
    return _parse(f_qrel, 4, 3, int, "query, iteration, document, grade")


def _parse(
    lines: Iterable[str], columns: int, place: int, read: Callable[[str], Number], names: str
) -> dict[str, dict[str, Number]]:
    found: dict[str, dict[str, Number]] = defaultdict(dict)
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != columns:
            raise InputError(
                message(
                    "compat.line-number",
                    number=number,
                    columns=columns,
                    names=names,
                    count=len(fields),
                    line=line.strip()[:80],
                )
            )
        query, document = fields[0], fields[2]
        if document in found[query]:
            raise InputError(
                message(
                    "compat.line-query-holds-twice",
                    number=number,
                    query=query,
                    document=document,
                )
            )
        try:
            found[query][document] = read(fields[place])
        except ValueError:
            raise InputError(
                message("compat.line-not-number", number=number, fields=fields[place])
            ) from None
    return found


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Aggregates the values of all queries.

    Args:
        measure: Its name decides: `num_...` is summed, `gm_...` (logarithms) gives the exponential
            of the mean, all others are averaged.
        values: One value per query.

    Returns:
        The number; NaN for no values, except sums.

    Examples:
        >>> compute_aggregated_measure("map", [0.5, 1.0])
        0.75
    """
    total = math.fsum(values)
    if measure.startswith("num_"):
        return total
    if not len(values):
        return math.nan
    mean = total / len(values)
    return math.exp(mean) if measure.startswith("gm_") else mean


class RelevanceEvaluator:
    """Evaluates runs against judgments, as trec_eval does.

    Args:
        query_relevance: {query: {document: grade}}, grades whole numbers.
        measures: Names such as `map`, `ndcg_cut_10`, `P.5,10`, or nicknames such as `official`.
        relevance_level: Grades of at least this value are relevant.
        judged_docs_only_flag: Leaves documents without a grade out of the ranking.

    Raises:
        TypeError: If queries or documents are not text, or grades are not whole numbers.
        ValueError: If a measure is not supported; the message lists those that are.

    Examples:
        >>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}}, {"map", "ndcg"})
        >>> evaluator.evaluate({"q1": {"d1": 1.5, "d2": 1.0}})
        {'q1': {'map': 0.5, 'ndcg': 0.6309297535714575}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        if not isinstance(query_relevance, Mapping):
            raise TypeError("Expected object_relevance_per_qid dictionary and measures set.")
        if not isinstance(relevance_level, int):
            raise TypeError("Argument relevance_level should be a whole number.")
        if relevance_level < 1:
            raise TypeError("Argument relevance_level should be positive.")
        self._columns = _Columns(measures)
        judged = {}
        for query, grades in query_relevance.items():
            kinds = _check_judgments(query, grades)
            if grades:
                whole = kinds == {int}
                judged[query] = grades if whole else {key: int(grades[key]) for key in grades}
        self._queries = judged.keys()
        self._table = Judgments.from_dict(judged).table if judged else None
        convention = load_convention("pytrec_eval").replace(
            rel=relevance_level,
            unjudged="removed" if judged_docs_only_flag else "nonrelevant",
            name="pytrec_eval",
        )
        # compiled once: many callers evaluate one small list at a time
        self._program = (
            Program.compile(self._columns.asked, convention, None, None)
            if self._columns.asked
            else None
        )

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Evaluates one run.

        Args:
            scores: {query: {document: score}}. Queries without judgments are left out.

        Returns:
            {query: {measure: value}}.

        Raises:
            TypeError: If it is not such a mapping.
            InputError: If a score is NaN or infinite.
        """
        if not scores:
            return {}
        if not isinstance(scores, dict):
            raise TypeError("Argument object scores should be of type dictionary.")
        for query, documents in scores.items():
            _check_scores(query, documents)
        names = self._columns.names
        if self._table is None or self._queries.isdisjoint(scores):
            return {}
        if self._program is None:
            texts = dict.fromkeys(names, 0.0)
            return {query: dict(texts) for query in scores if query in self._queries}
        try:
            batch = _native.evaluate_dict(self._table, self._program.plan, scores)
        except InputError as error:
            if _holds_no_numbers(scores):
                raise TypeError("Unable to extract query/object scores.") from error
            raise
        columns = [batch.values(place) for place in self._program.places.values()]
        # a query without a relevant document counts 0 in every measure
        nan = math.isnan
        filled = [[0.0 if nan(value) else value for value in column] for column in columns]
        rows = zip(*self._columns.compute(filled, len(batch.queries)), strict=True)
        return {
            query: dict(zip(names, row, strict=True))
            for query, row in zip(batch.queries, rows, strict=True)
        }


class _Columns:
    """Measures of relyon, and the columns of pytrec_eval that are computed from them."""

    def __init__(self, measures: Iterable[str]) -> None:
        asked: dict[str, None] = {}
        self.names: list[str] = []
        self._makers: list[tuple[Callable[..., float] | None, tuple[str, ...]]] = []
        chosen = _parameters(measures)
        for base in NAMES:
            if base not in chosen:
                continue
            for column in _columns(base, chosen[base]):
                self.names.append(column.name if base in CUT else base)
                needs = tuple(str(measure(need)) for need in column.needs)
                self._makers.append((column.make, needs))
                asked.update(dict.fromkeys(needs))
        self.asked = list(asked)
        self._plain = [(None, (name,)) for name in self.asked] == self._makers

    def compute(self, columns: list[list[float]], count: int) -> Sequence[Sequence[float]]:
        """Returns the columns of `names` from those of `asked`, for a number of queries."""
        if self._plain:
            return columns
        place = {name: number for number, name in enumerate(self.asked)}
        made: list[Sequence[float]] = []
        for maker, needed in self._makers:
            parts = [columns[place[name]] for name in needed]
            if not parts:
                made.append([0.0] * count)
            elif maker is None:
                made.append(parts[0])
            else:
                made.append([maker(*row) for row in zip(*parts, strict=True)])
        return made


def _columns(base: str, parameters: set[str]) -> list[Column]:
    """Returns the columns of one of trec_eval's measures."""
    text = ",".join(sorted(parameters, key=float)) or None
    try:
        return QRELS[base](base, text, Options())
    except BadParametersError as error:
        raise ParameterError(
            message("compat.unsupported-measure-base", base=base, text=text, error=error)
        ) from None


def _parameters(measures: Iterable[str]) -> dict[str, set[str]]:
    """Returns the parameters of every measure, from names such as `P_5` and `P.5,10`."""
    if isinstance(measures, str):
        raise ParameterError(
            message(
                "compat.measures-must-be-list",
                measures=measures,
            )
        )
    chosen: dict[str, set[str]] = {}
    for name in measures:
        if not isinstance(name, str):
            raise TypeError("Expected measure to be string.")
        if name in supported_nicknames:
            for one in supported_nicknames[name]:
                if one not in supported_measures:
                    raise TypeError("Unable to resolve all measures.")
                chosen.setdefault(one, set())
            continue
        if name in supported_measures:
            chosen.setdefault(name, set())
            continue
        found = PARAMETER.fullmatch(name)
        if found is None or found["name"] not in {*CUT, "set_F", "11pt_avg"}:
            raise ParameterError(
                message("compat.unsupported-measure-name", name=name), hint=_supported()
            )
        chosen.setdefault(found["name"], set()).update(found["values"].split(","))
    return chosen


def _supported() -> str:
    plain = ", ".join(name for name in NAMES if name not in CUT)
    cut = ", ".join(f"{name}_K" for name in NAMES if name in CUT)
    return f"relyon has {plain}, and with a cutoff {cut}"


def _check_judgments(query: object, grades: object) -> set[type]:
    """Returns the types of the grades."""
    if not isinstance(query, str):
        raise TypeError("Expected string as key.")
    if not isinstance(grades, dict):
        raise TypeError("Expected dictionary as value.")
    if not all(issubclass(kind, str) for kind in set(map(type, grades))):
        raise TypeError("Expected mapping of document id to query relevance or matching score.")
    kinds = set(map(type, grades.values()))
    if not all(issubclass(kind, int) for kind in kinds):
        raise TypeError("Expected relevance to be integer.")
    return kinds


def _check_scores(query: object, documents: object) -> None:
    """Checks the first document of a query; the rest is checked when it is read."""
    if isinstance(query, str) and isinstance(documents, dict):
        for document, score in documents.items():
            if isinstance(document, str) and isinstance(score, (int, float)):
                return
            break
        else:
            return
    raise TypeError("Unable to extract query/object scores.")


def _holds_no_numbers(scores: Mapping[str, Mapping[str, object]]) -> bool:
    return any(
        not isinstance(document, str) or not isinstance(score, (int, float))
        for documents in scores.values()
        for document, score in documents.items()
    )
