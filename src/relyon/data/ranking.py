"""One query's ranked documents: the input of every measure's reference implementation."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import nlargest, nsmallest
from itertools import groupby, permutations, product
from math import factorial, prod
from numbers import Real
from operator import neg
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_items, check_type
from relyon.core.rules import Ties, tie_rule
from relyon.core.texts import message
from relyon.data.convention import Convention

if TYPE_CHECKING:
    from relyon.data.judged_passages import JudgedPassages
    from relyon.data.parts import JudgedPart, Part

__all__ = ["RankedDocument", "Ranking", "first_rows"]

MOST_ORDERS = 50_000


@dataclass(frozen=True)
class RankedDocument:
    """A retrieved document.

    Attributes:
        document: Its id.
        score: The model's score.
        grade: Its grade, or `None` if unjudged.
        rank: Its rank, counted from 1.
        first: Rank of the first document with the same score.
        last: Rank of the last document with the same score.
        weight: The weight of its row, for measures of weighted rows.
    """

    document: str
    score: float
    grade: float | None
    rank: int
    first: int
    last: int
    weight: float = 1.0


@dataclass(frozen=True)
class Ranking:
    """The documents of one query, best first, and all its judgments.

    Attributes:
        documents: Retrieved documents in order.
        judged: Every judged document of the query and its grade, retrieved or not.
        query: Its id.
        reference: The documents of another run, in order, for measures that compare two rankings.
        pooled: Documents with a negative grade, if those count as unjudged: they were in the pool
            from which judged documents were sampled (used by infAP).
        ignores: Whether each measure removes unjudged documents from its first k.
        unseen: Whether judged documents outside the list are ignored.
        graded: Grades by document and subtopic; empty if the judgments have no subtopics.
        passages: The judged passages of the query, or `None` if documents are judged as a whole.
        chunks: The place of each chunk, if passages are judged and documents are chunks.

    Examples:
        >>> import relyon
        >>> rules = relyon.Convention()
        >>> ranking = relyon.Ranking.build({"a": 3, "c": 1}, ["a", "b"], [0.2, 0.9], rules)
        >>> [(entry.rank, entry.document, entry.grade) for entry in ranking]
        [(1, 'b', None), (2, 'a', 3)]
    """

    documents: tuple[RankedDocument, ...]
    judged: Mapping[str, float]
    query: str = ""
    reference: tuple[str, ...] = ()
    pooled: frozenset[str] = frozenset()
    ignores: bool = False
    unseen: bool = False
    graded: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    passages: tuple[JudgedPart, ...] | None = None
    chunks: Mapping[str, Part] = field(default_factory=dict)

    @classmethod
    def build(
        cls,
        judged: Mapping[str, float],
        documents: Sequence[str],
        scores: Sequence[float],
        convention: Convention,
        *,
        ranks: Sequence[int] | None = None,
        query: str = "",
        weights: Sequence[float] | None = None,
        graded: Mapping[str, Mapping[str, float]] | None = None,
        passages: JudgedPassages | None = None,
    ) -> Ranking:
        """Orders documents by the rules of a convention.

        Args:
            judged: Grade by document.
            documents: Ids in input order.
            scores: One score per document.
            convention: The rules: `ties`, `unjudged`, `unretrieved`, `negative`, `scores`.
            ranks: The run's rank column, for ``ties="rank"``.
            query: The query's id.
            weights: The weight of each row; `None` for 1 each.
            graded: Grades by document and subtopic, if the judgments have subtopics.
            passages: The judged passages of all queries and the chunks, if passages are judged.

        Raises:
            InputError: If a grade is negative and the convention forbids it, or the convention
                needs a rank column that the run lacks.
        """
        unseen = convention.unretrieved == "removed"
        if unseen:
            listed = set(documents)
            judged = {document: grade for document, grade in judged.items() if document in listed}
        if convention.negative == "error":
            for document, grade in judged.items():
                if grade < 0:
                    raise InputError(
                        message(
                            "core.query-document-negative-grade",
                            query=query,
                            document=document,
                            grade=grade,
                        ),
                        hint=message("data.set-negative-nonrelevant"),
                    )
        pooled: frozenset[str] = frozenset()
        if convention.negative == "unjudged":
            pooled = frozenset(document for document, grade in judged.items() if grade < 0)
            judged = {document: grade for document, grade in judged.items() if grade >= 0}
        rows = list(range(len(documents)))
        if convention.unjudged == "removed":
            rows = [row for row in rows if documents[row] in judged]
        values = [
            struct.unpack("f", struct.pack("f", score))[0]
            if convention.scores == "float32"
            else score
            for score in scores
        ]
        if convention.ties == "rank" and ranks is None:
            raise InputError(
                message("data.query-ties-rank-needs", query=query),
                hint=message("data.choose-another-tie-rule"),
            )
        kept = set(rows)
        keys, descending = _sort_keys(documents, values, ranks, convention.ties, judged)
        rows = [key[-1] for key in sorted(keys, reverse=descending) if key[-1] in kept]
        spans: dict[int, tuple[int, int]] = {}
        start = 0
        for _, group in groupby(rows, key=values.__getitem__):
            members = list(group)
            for row in members:
                spans[row] = (start + 1, start + len(members))
            start += len(members)
        return cls(
            documents=tuple(
                RankedDocument(
                    documents[row],
                    values[row],
                    judged.get(documents[row]),
                    rank,
                    *spans[row],
                    1.0 if weights is None else weights[row],
                )
                for rank, row in enumerate(rows, 1)
            ),
            judged=dict(judged),
            query=query,
            pooled=frozenset() if convention.unjudged == "ignored" else pooled,
            ignores=convention.unjudged == "ignored",
            unseen=unseen,
            graded=graded or {},
            passages=None if passages is None else passages.of(query),
            chunks={} if passages is None else passages.chunks.parts,
        )

    @classmethod
    def of(cls, grades: Sequence[float | None], unretrieved: Sequence[float] = ()) -> Ranking:
        """Builds a ranking from grades in order, without ties; `None` means unjudged.

        Args:
            grades: Grades of the retrieved documents, best ranked first.
            unretrieved: Grades of judged documents that were not retrieved.

        Examples:
            >>> [entry.grade for entry in Ranking.of([3, None, 1])]
            [3, None, 1]
        """
        grades = check_items("grades", grades, "grades in order")
        for grade in (*grades, *check_items("unretrieved", unretrieved, "grades")):
            if grade is not None:
                check_type("grades", grade, Real, "grades, or None where unjudged")
        count = len(grades)
        documents = tuple(
            RankedDocument(f"d{rank}", float(count - rank), grade, rank, rank, rank)
            for rank, grade in enumerate(grades, 1)
        )
        judged = {entry.document: entry.grade for entry in documents if entry.grade is not None}
        judged |= {f"u{number}": grade for number, grade in enumerate(unretrieved, 1)}
        return cls(documents=documents, judged=judged)

    def __iter__(self) -> Iterator[RankedDocument]:
        return iter(self.documents)

    def __len__(self) -> int:
        return len(self.documents)

    def top(self, k: int | None) -> tuple[RankedDocument, ...]:
        """Returns the first `k` documents; all for `None`."""
        return self.documents[:k]

    def window(self, k: int | None) -> Ranking:
        """Returns the first `k` documents, all for `None`, without the unjudged ones."""
        kept = [entry for entry in self.top(k) if entry.grade is not None]
        entries: list[RankedDocument] = []
        for _, group in groupby(kept, key=lambda entry: entry.first):
            members = list(group)
            first, last = len(entries) + 1, len(entries) + len(members)
            entries += [
                replace(entry, rank=rank, first=first, last=last)
                for rank, entry in enumerate(members, first)
            ]
        judged = self.judged
        if self.unseen:
            judged = {entry.document: judged[entry.document] for entry in entries}
        return replace(self, documents=tuple(entries), judged=judged, ignores=False)

    @property
    def subtopics(self) -> Mapping[str, Mapping[str, float]]:
        """Grades by document and subtopic; one subtopic if the judgments have none."""
        return self.graded or {document: {"0": grade} for document, grade in self.judged.items()}

    def relevant(self, rel: float) -> int:
        """Returns how many judged documents have a grade of `rel` or more: R."""
        return sum(grade >= rel for grade in self.judged.values())

    @cached_property
    def retrieved_grades(self) -> list[float]:
        """Grades of the retrieved documents that are judged."""
        return [entry.grade for entry in self.documents if entry.grade is not None]

    @cached_property
    def tied(self) -> bool:
        """Whether two documents have the same score."""
        return any(entry.first != entry.last for entry in self.documents)

    def reordered(self, order: Literal["worst", "best"]) -> Ranking:
        """Returns the same list with tied documents in the worst or the best order.

        Examples:
            >>> judged, scores = {"a": 1, "b": 2}, [0.5, 0.5]
            >>> ranking = Ranking.build(judged, ["a", "b"], scores, Convention(ties="input"))
            >>> [entry.document for entry in ranking.reordered("best")]
            ['b', 'a']
        """
        entries: list[RankedDocument] = []
        for _, group in groupby(self.documents, key=lambda entry: entry.first):
            entries += sorted(group, key=lambda entry: entry.grade or 0.0, reverse=order == "best")
        documents = tuple(replace(entry, rank=rank) for rank, entry in enumerate(entries, 1))
        return replace(self, documents=documents)

    def orders(self) -> Iterator[Ranking]:
        """Yields every order of tied documents once: the oracle of ``ties="expected"``.

        Raises:
            ParameterError: If there are more than 50,000 of them.
        """
        groups = [
            list(group) for _, group in groupby(self.documents, key=lambda entry: entry.first)
        ]
        if prod(factorial(len(group)) for group in groups) > MOST_ORDERS:
            raise ParameterError(
                message(
                    "data.query-has-too-many",
                    query=self.query,
                ),
                hint=message("data.choose-another-tie-rule-for-this"),
            )
        for order in product(*(permutations(group) for group in groups)):
            entries = [entry for group in order for entry in group]
            yield replace(
                self,
                documents=tuple(replace(entry, rank=rank) for rank, entry in enumerate(entries, 1)),
            )


def first_rows(
    documents: Sequence[str],
    scores: Sequence[float],
    ranks: Sequence[int] | None,
    count: int,
    convention: Convention,
) -> list[int]:
    """Returns the rows of a query's top documents, best first, without sorting all of them.

    Tie rules without a single order (`expected`, `worst`, `best`) use that of `doc-desc`.

    Args:
        documents: Ids in input order.
        scores: One score per document.
        ranks: The run's rank column, for ``ties="rank"``.
        count: How many.
        convention: The rules: `ties` and `scores`.

    Examples:
        >>> first_rows(["a", "b", "c"], [0.1, 0.9, 0.9], None, 2, Convention())
        [2, 1]
    """
    if convention.scores == "float32":
        scores = [struct.unpack("f", struct.pack("f", score))[0] for score in scores]
    ties = convention.ties
    if ties == "rank" and ranks is None:
        ties = "input"
    elif tie_rule(ties).key == "grade":
        ties = "doc-desc"
    keys, descending = _sort_keys(documents, scores, ranks, ties)
    return [key[-1] for key in (nlargest if descending else nsmallest)(count, keys)]


def _sort_keys(
    documents: Sequence[str],
    scores: Sequence[float],
    ranks: Sequence[int] | None,
    ties: Ties,
    judged: Mapping[str, float] | None = None,
) -> tuple[Iterator[tuple[*tuple[object, ...], int]], bool]:
    """Returns the sort keys, each ending with its row, and whether the largest comes first.

    Args:
        documents: Ids in input order.
        scores: One score per document.
        ranks: The run's rank column, for ``ties="rank"``.
        ties: The rule for equal scores; for `expected` their order matters to the last bits only.
        judged: Grade by document, for `expected`, `worst` and `best`.
    """

    def ids() -> Sequence[str | bytes]:
        """Ids are compared as bytes, as the native core does; of ASCII that is the same."""
        if "".join(documents).isascii():
            return documents
        return [document.encode("utf-8", "surrogateescape") for document in documents]

    rows = range(len(documents))
    key, descending = tie_rule(ties)
    if key == "rank" and ranks is not None:
        return zip(ranks, rows, strict=True), False
    if key == "grade" and judged is not None:
        grades = [judged.get(document, 0.0) for document in documents]
        by_grade = grades if descending else map(neg, grades)
        return zip(scores, by_grade, ids(), rows, strict=True), True
    by_score = scores if descending else map(neg, scores)
    if key == "document":
        return zip(by_score, ids(), rows, strict=True), descending
    return zip(by_score, rows, strict=True), descending
