"""`relyon.explain`: one query of a run, or one task of traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from relyon.analysis.explanation.derivation import LIMIT, Explanation, derive
from relyon.analysis.explanation.discrepancy import discrepancy
from relyon.analysis.explanation.subject import Subject
from relyon.analysis.explanation.tasks import derive_task, task_subject
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.data.scale import Scale
from relyon.data.traces import Traces
from relyon.evaluation.mistakes import refuse_columns_as_runs
from relyon.io.traces import read_lists
from relyon.measures.definition import Measure

__all__ = ["explain"]


def explain(
    judgments: object,
    run: object,
    query: str,
    measure: str | Measure = "ndcg@10",
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    against: Convention | str | Mapping[str, object] | None = None,
    limit: int = LIMIT,
    query_texts: object = None,
    document_titles: object = None,
) -> Explanation:
    """Derives one query's value rank by rank, or one task's value call by call.

    Of traces, a measure of one list means its mean over the calls; the result is then a
    `TaskExplanation`, with what each call returned, what of it is new, and the value after it.

    Args:
        judgments: See `relyon.evaluate`.
        run: See `relyon.evaluate`.
        query: The query's id, or the task's.
        measure: The measure's name.
        convention: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        against: Another convention, such as ``"sklearn"``: shows which of its rules change the
            value, and how much each contributes (see `Discrepancy`).
        limit: Rows to show of the ideal list, of missed documents and of inverted pairs.
        query_texts: The query's text, shown next to its id: a mapping from ids to texts, a
            frame, or a CSV, TSV, JSON Lines or Parquet file with a column of ids and one of texts.
        document_titles: Document titles, shown next to the ids, in the same forms.

    Raises:
        InputError: If the data cannot be used, or a table of texts has no column of ids or texts.
        UnknownNameError: If neither side has the query.
        ParameterError: If ties are averaged over: no single order explains the value.

    Examples:
        >>> import relyon
        >>> print(relyon.explain({"q": {"a": 3, "b": 2}}, {"q": {"b": 2, "a": 1}}, "q", "dcg"))
        dcg(gain=linear,discount=log2)  =  sum of gain / log2(rank + 1), ranks 1..k
        dcg of query q = 3.8927892607
        <BLANKLINE>
        rank  document  score  grade  gain  discount    adds   total
        ────  ────────  ─────  ─────  ────  ────────  ──────  ──────
           1         b      2      2     2    1.0000  2.0000  2.0000
           2         a      1      3     3    1.5850  1.8928  3.8928
        2 retrieved, 2 judged
        <BLANKLINE>
        The ideal list (2 documents with a gain)
        rank  document  grade  gain    adds  in the run at
        ────  ────────  ─────  ────  ──────  ─────────────
           1         a      3     3  3.0000              2
           2         b      2     2  1.2619              1
        <BLANKLINE>
        dcg = 2 + 3/1.585 = 3.8928
    """
    rules = load_convention(convention)
    refuse_columns_as_runs(judgments, [run])
    lists = read_lists(run)
    if isinstance(lists, Traces):
        if against is not None:
            raise ParameterError(message("analysis.against-explains-no-traces"))
        task, judged = task_subject(judgments, [lists], query, measure, scale)
        explained = derive_task(task, judged, lists, rules, limit)
        return explained.described(query_texts, document_titles)
    subject = Subject.of(judgments, [lists], query, measure, scale)
    found = derive(subject, subject.ranking(lists, rules), rules, limit)
    if against is not None:
        other = load_convention(against)
        found = replace(found, against=discrepancy(subject, lists, rules, other))
    return found.described(query_texts, document_titles)
