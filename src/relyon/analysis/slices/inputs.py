"""The features of queries, given and derived, of which slices are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.analysis.slices.predicates import MOST_NUMBERS, Feature, Origin, binned
from relyon.analysis.slices.text_features import text_features, words_of
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    import polars as pl

    from relyon.analysis.comparison import Comparison

__all__ = ["JUDGED", "Features", "gather_features"]

#: Measures behind the features of judgments.
JUDGED = ("num_rel", "judged@10")
#: Words of queries that are predicates: those of most queries.
MOST_WORDS = 30
#: A column of numbers is a run's value if its ranks correlate with those of the values at least so.
VALUE_LIKE = 0.9
#: The share that is judged favours a run if it correlates so with how much more of a candidate's
#: documents are judged than of the baseline's: then few judged are few of one run.
ONE_SIDED = 0.5


@dataclass
class Features:
    """The features of queries.

    Attributes:
        used: The features.
        left_out: By the name of a column that is not used, why: `constant`, `unique`, `two-values`,
            `run-value`, or `one-sided`: the share that is judged, if it depends on one run.
        texts: The texts of queries, as far as they are known.
        queries: How many queries there are.
    """

    used: list[Feature] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    queries: int = 0

    def add(self, name: str, values: Mapping[str, str], origin: Origin, least: int) -> None:
        """Adds a feature, or notes why it is of no use."""
        counts = Counter(values.values())
        if len(counts) <= 1 and origin != "word" and len(values) >= self.queries:
            reason = "constant"
        elif origin == "given" and _scattered(counts, least):
            reason = "unique"
        else:
            self.used.append(Feature(name, values, origin))
            return
        if origin == "given":
            self.left_out[name] = reason


def gather_features(
    ids: Sequence[str],
    given: Mapping[str, Mapping[str, object]] | None,
    queries: object,
    comparison: Comparison | None,
    least: int,
) -> Features:
    """Returns the features of queries.

    Those that are given, each column of the table, those of texts, and of a comparison of runs the
    number of relevant documents and the share of the first ten documents that is judged, as the
    mean over the runs, unless it depends on one of them: a feature may not favour a run, or slices
    of noise lose.

    Args:
        ids: The queries.
        given: By the name of a feature, the value of each query.
        queries: A table of queries: a frame or a file.
        comparison: The comparison, whose judgments, runs and texts are used.
        least: The least number of queries in a slice.

    Raises:
        InputError: If the table cannot be read, or is about none of the queries.
        ParameterError: If features are not mappings.
    """
    found = Features(queries=len(ids))
    values = _own_values(comparison)
    columns = _given(given, ids)
    if queries is not None:
        more, found.left_out = _table_columns(queries, ids, comparison)
        columns = {**more, **columns}
    for name, one in columns.items():
        if _is_value(one, values):
            found.left_out[name] = "run-value"
        else:
            found.add(name, one, "given", least)
    found.texts = _texts(ids, queries, comparison)
    if found.texts:
        for name, one in text_features(found.texts).items():
            found.add(name, one, "text", least)
        for word, holders in _words(found.texts, len(ids), least).items():
            found.add(word, dict.fromkeys(holders, "yes"), "word", least)
    for name, one in _judged(comparison, ids).items():
        if name == "judged" and comparison is not None and _is_one_sided(one, comparison):
            found.left_out[name] = "one-sided"
        else:
            found.add(name, one, "judgments", least)
    return found


def _scattered(counts: Mapping[str, int], least: int) -> bool:
    """Whether a column's values are neither numbers or dates nor shared by enough queries."""
    if len(counts) > MOST_NUMBERS and binned(counts):
        return False
    return bool(counts) and max(counts.values()) < least


def _given(
    features: Mapping[str, Mapping[str, object]] | None, ids: Sequence[str]
) -> dict[str, dict[str, str]]:
    found = {}
    for name, values in (features or {}).items():
        if not isinstance(values, Mapping):
            raise ParameterError(
                message("analysis.feature-is-mapping", name=name, type=type(values).__name__),
                hint=message("analysis.write-feature", name=name),
            )
        known = {str(query): value for query, value in values.items()}
        texts = {one: str(known[one]).strip() for one in ids if known.get(one) is not None}
        found[str(name)] = {one: text for one, text in texts.items() if text not in ("", "nan")}
    return found


def _table_columns(
    source: object, ids: Sequence[str], comparison: Comparison | None
) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Returns the columns of a table of queries, and those in which a query has two values."""
    from relyon.data.columns import plain_name
    from relyon.data.columns.synonyms import QUERY_IDS, QUERY_TEXTS
    from relyon.io.descriptions import NO_ROWS, key_column
    from relyon.io.query_columns import query_columns

    table, path = _whole_table(source)
    key = key_column(table, set(ids), QUERY_IDS, path, role="query_id", problem=NO_ROWS["query"])
    cluster = "" if comparison is None else comparison.facts.cluster
    apart = {plain_name(one) for one in (*QUERY_IDS, *QUERY_TEXTS, cluster)}
    names = [one for one in table.columns if one != key and plain_name(one) not in apart]
    found: dict[str, dict[str, str]] = {}
    left_out = {}
    for name in names:
        try:
            found |= query_columns(table.select(key, name), [name], ids)
        except InputError:
            left_out[name] = "two-values"
    return found, left_out


def _whole_table(source: object) -> tuple[pl.DataFrame, str]:
    from relyon.data.columns import is_frame, named_series
    from relyon.io.query_columns import query_table

    if is_frame(source):
        import polars as pl

        return pl.DataFrame(named_series(source, lambda _: True)), ""
    return query_table(source, ())


def _texts(ids: Sequence[str], queries: object, comparison: Comparison | None) -> dict[str, str]:
    from relyon.io.descriptions import Descriptions

    if comparison is not None and comparison.query_texts:
        return {one: comparison.query_texts[one] for one in ids if one in comparison.query_texts}
    found = {} if queries is None else Descriptions(queries, "query", "optional").find(ids)
    return found or _texts_in(ids)


def _texts_in(ids: Sequence[str]) -> dict[str, str]:
    """Returns the ids as texts if most have white space or a letter outside ASCII."""
    written = [one for one in ids if any(c.isspace() or (c.isalpha() and c > "\x7f") for c in one)]
    return {one: one for one in ids} if 2 * len(written) > len(ids) else {}


def _words(texts: Mapping[str, str], queries: int, least: int) -> dict[str, list[str]]:
    """Returns the words that are in enough texts, and in not too many, with their queries."""
    holders: dict[str, list[str]] = {}
    for query, text in texts.items():
        for word in words_of(text):
            holders.setdefault(word, []).append(query)
    often = sorted(
        (one for one, held in holders.items() if least <= len(held) <= queries - least),
        key=lambda one: (-len(holders[one]), one),
    )
    return {word: holders[word] for word in often[:MOST_WORDS]}


def _judged(comparison: Comparison | None, ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Returns the number of relevant documents, and the share of judged ones in all runs."""
    if comparison is None or comparison.judgments is None:
        return {}
    results = [comparison.measured(run, JUDGED) for run in comparison.runs]
    relevant = results[0].values_by_query("num_rel")
    shares = [one.values_by_query("judged@10") for one in results]
    found: dict[str, dict[str, str]] = {"relevant": {}, "judged": {}}
    for query in ids:
        if relevant.get(query, float("nan")) >= 0:
            found["relevant"][query] = f"{relevant[query]:g}"
        held = [one[query] for one in shares if one.get(query, float("nan")) >= 0]
        if len(held) == len(shares):
            found["judged"][query] = f"{sum(held) / len(held):.4g}"
    return found


def _is_one_sided(judged: Mapping[str, str], comparison: Comparison) -> bool:
    """Whether the share of judged documents says how much of one run alone is judged.

    A pool of the baseline's documents alone has few judged documents where the candidate ranks
    others, which count as not relevant: it loses there, however good they are.
    """
    means = {query: float(text) for query, text in judged.items()}
    first, *others = [
        comparison.measured(run, ["judged@10"]).values_by_query("judged@10")
        for run in (comparison.baseline, *comparison.candidates)
    ]
    return any(
        abs(_correlation(means, {query: one[query] - first[query] for query in means})) >= ONE_SIDED
        for one in others
    )


def _own_values(comparison: Comparison | None) -> list[dict[str, float]]:
    """Returns the values of each run on each tested measure."""
    if comparison is None:
        return []
    found = []
    for candidate in comparison.candidates:
        for measure in comparison.tested:
            pairs = comparison.own_values(candidate, measure)
            found += [{query: pair[place] for query, pair in pairs.items()} for place in (0, 1)]
    return found


def _is_value(column: Mapping[str, str], values: Sequence[Mapping[str, float]]) -> bool:
    """Whether a column of numbers is nearly a run's value, or orders queries as it does."""
    try:
        numbers = {query: float(text) for query, text in column.items()}
    except ValueError:
        return False
    return any(abs(_correlation(numbers, one)) >= VALUE_LIKE for one in values)


def _correlation(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Returns Spearman's correlation of the queries that have both numbers; 0 without a spread."""
    import numpy as np

    both = sorted(first.keys() & second.keys())
    ranks = []
    for one in (first, second):
        numbers = np.array([one[query] for query in both])
        if len(both) < 3 or not np.isfinite(numbers).all():
            return 0.0
        _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        if len(counts) < 3:
            return 0.0
        ranks.append((np.cumsum(counts) - (counts - 1) / 2)[places])
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])
