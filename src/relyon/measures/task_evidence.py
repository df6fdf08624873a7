"""Evidence found by the calls of a task: recall, the first call with any, recovery, chains."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.data.ranking import Ranking
from relyon.measures.definition import Aspect, Combine
from relyon.measures.formulas import equation, format_number
from relyon.measures.lookup import register
from relyon.measures.relevance import MACRO_MICRO
from relyon.measures.tasks import (
    CallRows,
    Listed,
    TaskMeasure,
    TaskStep,
    distinct_judgments,
    shares,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.judged_calls import JudgedCalls

__all__ = ["CallRR", "ChainRecall", "Recovery", "TaskRecall"]

Credit = Literal["whole", "share"]
NOTHING_RELEVANT = "no judged document is relevant"
FOUND_AT_ONCE = "the first call found a relevant document"
NO_SET = "no document is relevant to any subtopic"


class _Evidence(TaskMeasure):
    """Shared by measures that ask whether calls found relevant documents."""

    headings: ClassVar[tuple[str, str]] = ("relevant", "divisor")
    k: int | None
    rel: float | None

    def threshold(self) -> float:
        """The grade from which a document is relevant: 0 or more."""
        return 1.0 if self.rel is None else max(self.rel, 0.0)

    def hit(self, one: Listed) -> bool:
        """Whether a result is judged relevant."""
        return one.entry.grade is not None and one.entry.grade >= self.threshold()

    def undefined(self, ranking: Ranking) -> str | None:
        return None if ranking.relevant(self.threshold()) else NOTHING_RELEVANT

    def missing_relevant(self, ranking: Ranking) -> list[str]:
        found = {one.entry.document for one in self.listed(ranking)}
        lacking = [
            document
            for document, grade in ranking.judged.items()
            if grade >= self.threshold() and document not in found
        ]
        return sorted(lacking, key=lambda document: (-ranking.judged[document], document))

    def relevant_counts(self, judged: JudgedCalls) -> NDArray[np.int64]:
        """Returns how many judged documents are relevant, by task."""
        import numpy as np

        task, _, grades = distinct_judgments(judged)
        counts: NDArray[np.int64] = np.bincount(
            task[grades >= self.threshold()], minlength=len(judged.tasks)
        )
        return counts

    def first_hits(self, judged: JudgedCalls, calls: int | None) -> NDArray[np.int64]:
        """Returns the number of the first call with a relevant result by task, 0 for none."""
        import numpy as np

        rows = CallRows.of(judged, self.k, calls)
        hits = rows.grade >= self.threshold()
        first = np.zeros(len(judged.tasks), dtype=np.int64)
        # The rows are in order, so the first of each task is that of the earliest call.
        tasks, places = np.unique(rows.task[hits], return_index=True)
        first[tasks] = rows.call[hits][places]
        return first


class _FirstHit(_Evidence):
    """Shared by measures of the first call with a relevant document."""

    headings: ClassVar[tuple[str, str]] = ("relevant", "call")

    @abstractmethod
    def worth(self, call: int) -> float:
        """Returns the value if this call is the first with a relevant document."""

    def steps(self, ranking: Ranking) -> Iterator[TaskStep]:
        total = 0.0
        for one in self.listed(ranking):
            hit = self.hit(one)
            added = self.worth(one.call) if hit and not total else 0.0
            total += added
            yield one.step(float(hit), float(one.call), added, total)

    def missing_relevant(self, ranking: Ranking) -> list[str]:
        return [] if self.value(ranking) else super().missing_relevant(ranking)


@register
@dataclass(frozen=True)
class TaskRecall(_Evidence):
    """Recall after c calls.

    The share of the task's relevant documents that any of the first c calls returned among its
    first k results. A document that several calls return counts once, so neither the order of the
    calls nor repeats matter. With one call it is `recall`. Undefined if R = 0.

    Attributes:
        k: Ranks counted per call; `None` counts all.
        calls: c, the calls counted; `None` counts all.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("task_recall@2").score([1, 0, 1, 1])
        0.3333333333333333

    References:
        Instance recall after each query of a session: Jiang and Allan (2016), Correlation between
        system and user metrics in a session, CHIIR; the union of calls as in BrowseComp-Plus, Chen
        et al. (2025), arXiv:2508.06600.
    """

    name = "task_recall"
    aliases = ("session_recall", "union_recall")
    aspect: ClassVar[Aspect] = "coverage"
    averages: ClassVar[tuple[str, ...]] = MACRO_MICRO
    formula = "relevant in top k of any of the first c calls / R"
    k: int | None = None
    calls: int | None = None
    rel: float | None = None

    def parts(self, ranking: Ranking) -> tuple[float, float]:
        found = sum(one.new and self.hit(one) for one in self.listed(ranking))
        return float(found), float(ranking.relevant(self.threshold()))

    def expanded_formula(self, ranking: Ranking) -> str:
        above, below = self.parts(ranking)
        return equation(f"{format_number(above)} / {format_number(below)}", self.value(ranking))

    def steps(self, ranking: Ranking) -> Iterator[TaskStep]:
        of = float(ranking.relevant(self.threshold()))
        found = 0
        for one in self.listed(ranking):
            hit = one.new and self.hit(one)
            found += hit
            yield one.step(float(hit), of, hit / of, found / of)

    def values(self, judged: JudgedCalls) -> NDArray[np.float64]:
        import numpy as np

        rows = CallRows.of(judged, self.k, self.calls)
        hits = rows.where(rows.grade >= self.threshold())
        found = hits.sums(hits.new.astype(np.float64), len(judged.tasks))
        of = self.relevant_counts(judged)
        return shares(found, of)


@register
@dataclass(frozen=True)
class CallRR(_FirstHit):
    """Reciprocal of the first call with evidence.

    1 / j if call j is the first with a relevant document among its first k results, and 0 if none
    of the calls has one. The reciprocal, because the mean of j would leave out the tasks that found
    nothing and so favour systems that fail on hard tasks. With one call it is `success`.
    Undefined if R = 0.

    Attributes:
        k: Ranks counted per call; `None` counts all.
        calls: Calls counted; `None` counts all.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("call_rr@2").score([0, 1, 1])
        1.0

    References:
        Reciprocal rank of calls in place of documents: Kantor and Voorhees (2000), The TREC-5
        Confusion Track, Information Retrieval 2.
    """

    name = "call_rr"
    aliases = ("first_evidence",)
    aspect: ClassVar[Aspect] = "first"
    formula = "1 / first call with a relevant document in its top k"
    k: int | None = None
    calls: int | None = None
    rel: float | None = None

    def worth(self, call: int) -> float:
        return 1.0 / call

    def values(self, judged: JudgedCalls) -> NDArray[np.float64]:
        import numpy as np

        first = self.first_hits(judged, self.calls)
        found = np.where(first > 0, 1.0 / np.maximum(first, 1), 0.0)
        value: NDArray[np.float64] = np.where(self.relevant_counts(judged) > 0, found, np.nan)
        return value


@register
@dataclass(frozen=True)
class Recovery(_FirstHit):
    """Recovery: a later call finds what the first did not.

    Of the tasks whose first call has no relevant document among its first k results, the share in
    which a later call has one. A task whose first call found something has no value and no weight
    in the mean, under any rule of the convention for undefined queries. A task without a second
    call counts 0. Undefined if R = 0, too, and under ``ties=expected`` if the order of tied results
    decides whether the first call failed.

    Attributes:
        k: Ranks counted per call; `None` counts all.
        calls: Calls counted; `None` counts all.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("recovery@2").score([0, 0, 1])
        0.0

    References:
        Defined here; the question is that of elastic/kibana issue 290921, in which concatenated
        calls score a recovery as zero.
    """

    name = "recovery"
    aspect: ClassVar[Aspect] = "hit"
    combine: ClassVar[Combine] = "ratio"
    formula = "found by a later call / not found by the first"
    k: int | None = None
    calls: int | None = None
    rel: float | None = None

    def _found_at_once(self, ranking: Ranking) -> bool:
        return any(one.call == 1 and self.hit(one) for one in self.listed(ranking))

    def undefined(self, ranking: Ranking) -> str | None:
        reason = super().undefined(ranking)
        return reason or (FOUND_AT_ONCE if self._found_at_once(ranking) else None)

    def query_weight(self, ranking: Ranking) -> float:
        return 0.0 if self._found_at_once(ranking) else 1.0

    def worth(self, call: int) -> float:
        return 1.0

    def values(self, judged: JudgedCalls) -> NDArray[np.float64]:
        import numpy as np

        first = self.first_hits(judged, self.calls)
        failed = (self.relevant_counts(judged) > 0) & (first != 1)
        value: NDArray[np.float64] = np.where(failed, (first > 1).astype(np.float64), np.nan)
        return value

    def weights(self, judged: JudgedCalls) -> NDArray[np.float64]:
        import numpy as np

        weight: NDArray[np.float64] = (self.first_hits(judged, self.calls) != 1).astype(np.float64)
        return weight


@register
@dataclass(frozen=True)
class ChainRecall(_Evidence):
    """Chain recall: the share of evidence sets that are complete.

    A subtopic of the judgments is a set of documents that are all needed, as the links of a chain
    of reasoning are. A set is found once each of its relevant documents has been among the first k
    results of any of the calls. The value is the number of sets found, divided by the
    number of sets with a relevant document. A document in several sets counts in each. Judgments
    without subtopics are one set of all relevant documents, so the value is 1 or 0. With
    ``credit=share`` a set counts the share of its documents that was returned. Undefined if no
    document is relevant to any subtopic.

    Attributes:
        k: Ranks counted per call; `None` counts all.
        calls: Calls counted; `None` counts all.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        credit: A set counts only if it is `whole`, or by the `share` that was returned.

    Examples:
        >>> import relyon
        >>> relyon.measure("chain_recall@2").score([1, 1, 1])
        0.0
        >>> round(relyon.measure("chain_recall(credit=share)@2").score([1, 1, 1]), 4)
        0.6667

    References:
        Defined here, after the evidence sets of multi-hop questions: Yang et al. (2018), HotpotQA,
        EMNLP; Thorne et al. (2018), FEVER, NAACL, whose claims need a complete evidence set.
    """

    name = "chain_recall"
    aliases = ("set_completeness",)
    aspect: ClassVar[Aspect] = "coverage"
    needs_subtopics: ClassVar[bool] = True
    formula = "sets found whole in the calls' top k / sets"
    headings: ClassVar[tuple[str, str]] = ("sets", "divisor")
    k: int | None = None
    calls: int | None = None
    rel: float | None = None
    credit: Credit = "whole"

    def sets(self, ranking: Ranking) -> dict[str, set[str]]:
        """Returns the relevant documents of each set that has any."""
        found: dict[str, set[str]] = {}
        for document, grades in ranking.subtopics.items():
            for name, grade in grades.items():
                if grade >= self.threshold() and document in ranking.judged:
                    found.setdefault(name, set()).add(document)
        return found

    def undefined(self, ranking: Ranking) -> str | None:
        return None if self.sets(ranking) else NO_SET

    def steps(self, ranking: Ranking) -> Iterator[TaskStep]:
        sets = self.sets(ranking)
        lacking = {name: set(documents) for name, documents in sets.items()}
        of, running = float(len(sets)), 0.0
        for one in self.listed(ranking):
            added = 0.0
            for name, left in lacking.items():
                if one.entry.document in left:
                    left.discard(one.entry.document)
                    added += 1.0 / len(sets[name]) if self.credit == "share" else float(not left)
            running += added
            complete = sum(
                (len(sets[name]) - len(left)) / len(sets[name])
                if self.credit == "share"
                else float(not left)
                for name, left in lacking.items()
            )
            yield one.step(added, of, added / of, complete / of)

    def missing_relevant(self, ranking: Ranking) -> list[str]:
        needed = {document for documents in self.sets(ranking).values() for document in documents}
        found = {one.entry.document for one in self.listed(ranking)}
        lacking = needed - found
        return sorted(lacking, key=lambda document: (-ranking.judged[document], document))

    def values(self, judged: JudgedCalls) -> NDArray[np.float64]:
        import numpy as np

        rows = CallRows.of(judged, self.k, self.calls)
        rows = rows.where(rows.grade >= self.threshold())
        tasks = len(judged.tasks)
        numbers = judged.judged_sets
        task = np.repeat(np.arange(tasks), np.diff(judged.judged))
        place = np.zeros(len(task), dtype=np.int64) if numbers is None else numbers
        kept = judged.judged_grades >= self.threshold()
        task, place, document = task[kept], place[kept], judged.judged_documents[kept]
        codes = np.concatenate([rows.document, document])
        width = int(codes.max(initial=0)) + 1
        found = np.isin(task * width + document, rows.task * width + rows.document)
        many = int(place.max(initial=0)) + 1
        keys, which, sizes = np.unique(task * many + place, return_inverse=True, return_counts=True)
        share = np.bincount(which, weights=found, minlength=len(keys)) / np.maximum(sizes, 1)
        worth = share if self.credit == "share" else (share == 1.0).astype(np.float64)
        sums = np.bincount(keys // many, weights=worth, minlength=tasks)
        sets = np.bincount(keys // many, minlength=tasks)
        return shares(sums, sets)
