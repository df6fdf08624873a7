"""The input and output of rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, ClassVar, Literal, TypeVar

from relyon.analysis.diagnosis.common_queries import CommonQueries
from relyon.analysis.diagnosis.difference import (
    Difference,
    effective_units,
    mean_interval,
    paired_p,
)
from relyon.analysis.diagnosis.example import Example
from relyon.core.document.json import json_values
from relyon.core.errors import ParameterError
from relyon.core.language import Language, check_language
from relyon.core.lessons import lesson_of
from relyon.core.registry import Registry
from relyon.core.texts import Catalogue, catalogue, message
from relyon.data.ranking import first_rows
from relyon.evaluation import Evaluator
from relyon.measures import measure as parse_measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.analysis.comparison import Comparison
    from relyon.analysis.diagnosis.online import OnlineData
    from relyon.data.convention import Convention, Gain
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.evaluation.results import Results
    from relyon.measures import Measure

__all__ = ["Finding", "Rule", "Severity", "Subject", "register", "rules"]

Severity = Literal["high", "medium", "low"]


@dataclass(frozen=True)
class Finding:
    """The finding of one rule, with the numbers that triggered it.

    The texts come from one catalogue per language, so that both say the same.

    Attributes:
        rule: The rule's name.
        severity: How much it can change the decision: `high`, `medium` or `low`.
        evidence: The numbers, by name.
        parts: The sentences of the catalogue that apply.
        steps: The next steps that apply.
        examples: A few queries or documents to look at.
        chart_data: Rows of a table or chart, for rules that have one.
        baseline: The baseline's name.
        candidate: The candidate's name; empty if the finding is only about the data.
        heading: The sentence of the catalogue that is the title.
        sentences: The rule's own sentences, by language and name.
        query_texts: Texts of the queries that it names; `None` if not requested.
        document_titles: Titles of the documents that it names; `None` if not requested.

    Examples:
        >>> from relyon.analysis.diagnosis import Finding
        >>> finding = Finding("ties", "high", {"spread": 0.02})
        >>> finding.title("zh")
        '在这些查询上，同分文档的次序比两个系统的差别影响更大'
    """

    rule: str
    severity: Severity
    evidence: Mapping[str, object]
    parts: tuple[str, ...] = ("text",)
    steps: tuple[str, ...] = ("step",)
    examples: tuple[str, ...] = ()
    chart_data: tuple[Mapping[str, object], ...] = ()
    baseline: str = ""
    candidate: str = ""
    heading: str = "title"
    sentences: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    query_texts: Mapping[str, str] | None = None
    document_titles: Mapping[str, str] | None = None

    @property
    def lesson(self) -> str:
        """The lesson of the course that explains it, such as `05-auc`; empty if none does."""
        return lesson_of("diagnosis", self.rule)

    @property
    def described(self) -> bool:
        """Whether it has texts of queries or documents."""
        return bool(self.query_texts or self.document_titles)

    def shown_examples(self) -> tuple[str, ...]:
        """Returns the examples, with the texts of queries and documents that are known."""
        queries, documents = self.query_texts or {}, self.document_titles or {}
        known = (one if isinstance(one, Example) else Example(one) for one in self.examples)
        return tuple(one.described(queries, documents) for one in known)

    def named(self, role: Literal["query", "document"]) -> list[str]:
        """Returns the ids of queries, or of documents, that examples and chart data name."""
        found = [getattr(one, role, one if role == "query" else "") for one in self.examples]
        found += [str(row.get(role) or "") for row in self.chart_data]
        return [*filter(None, dict.fromkeys(found))]

    def title(self, language: Language = "en") -> str:
        """Returns the problem in a few words, in English (`en`) or Chinese (`zh`)."""
        return self._say((self.heading,), language)

    def text(self, language: Language = "en") -> str:
        """Returns the evidence as sentences."""
        return self._say(self.parts, language)

    def next_step(self, language: Language = "en") -> str:
        """Returns what to do about it."""
        return self._say(self.steps, language)

    def _say(self, keys: Sequence[str], language: Language) -> str:
        check_language(language)
        texts = catalogue("diagnosis", language)
        return texts.word("list.sentence").join(self._sentence(key, texts) for key in keys)

    def _sentence(self, key: str, texts: Catalogue) -> str:
        """Returns the rule's own sentence, or the catalogue's.

        English replaces a language that the rule lacks; a rule without sentences gets a general one
        from its name and numbers.
        """
        brought = [self.sentences.get(language, {}).get(key) for language in (texts.language, "en")]
        sentence = brought[0] or brought[1] or texts.get(f"{self.rule}.{key}")
        if sentence is None:
            numbers = [f"{name}: {one}" for name, one in self.evidence.items()]
            general = next((one for one in ("title", "step") if key.startswith(one)), "text")
            return texts.say(f"own.{general}", rule=self.rule, numbers=numbers or "-")
        names = {"baseline": self.baseline, "candidate": self.candidate}
        return texts.write(sentence, {**names, **self.evidence})

    def to_dict(self, language: Language = "en") -> dict[str, object]:
        """Returns JSON-ready values: NaN and infinity become null."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "baseline": self.baseline,
            "candidate": self.candidate,
            "title": self.title(language),
            "text": self.text(language),
            "next_step": self.next_step(language),
            "evidence": json_values(self.evidence),
            "examples": list(self.examples),
            "chart_data": json_values(self.chart_data),
            "lesson": self.lesson or None,
            **({} if self.query_texts is None else {"query_texts": dict(self.query_texts)}),
            **(
                {}
                if self.document_titles is None
                else {"document_titles": dict(self.document_titles)}
            ),
        }

    def __str__(self) -> str:
        return f"{self.title()}: {self.text()} {self.next_step()}"


@dataclass(frozen=True)
class Subject:
    """One candidate against the baseline: the input of a rule.

    Attributes:
        comparison: The comparison.
        candidate: The candidate's name.
        measures: The measures to compute for both runs, in one pass each.
        online: Data from production, if any.
        stages: The candidate's stages, for the rule that attributes its loss.
    """

    comparison: Comparison
    candidate: str
    measures: tuple[str, ...] = ()
    online: OnlineData | None = None
    stages: object = None
    _runs: dict[str, Run] = field(default_factory=dict, repr=False, compare=False)
    _tops: dict[tuple[str, str, int], list[str]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def baseline(self) -> str:
        """The baseline's name."""
        return self.comparison.baseline

    @property
    def judgments(self) -> Judgments:
        """The judgments.

        Raises:
            ParameterError: If results or values were compared, not runs.
        """
        if self.comparison.judgments is None:
            raise _no_runs()
        return self.comparison.judgments

    @property
    def convention(self) -> Convention:
        """The rules of the comparison.

        Raises:
            ParameterError: If results or values were compared, not runs.
        """
        if self.comparison.convention is None:
            raise _no_runs()
        return self.comparison.convention

    @property
    def alpha(self) -> float:
        """The comparison's significance level."""
        return self.comparison.alpha

    @cached_property
    def evaluator(self) -> Evaluator:
        """An evaluator under the comparison's rules."""
        return self.evaluator_under(self.convention)

    def evaluator_under(self, convention: Convention) -> Evaluator:
        """Returns an evaluator of the same judgments under other rules."""
        return Evaluator(self.judgments, convention=convention, scale=self.comparison.scale)

    @property
    def scale(self) -> Scale | None:
        """The scale of the judgments."""
        return self.evaluator.scale

    @property
    def threshold(self) -> float:
        """Grades of at least this value are relevant."""
        rel: float = self.resolved("recall@all").rel  # type: ignore[attr-defined]
        return rel

    def best_grade(self, gain: Gain) -> float:
        """Returns the grade with the highest gain; NaN if nothing is judged.

        That is the highest of a map of gains, of the scale, or of the judgments.
        """
        if isinstance(gain, tuple):
            return max(gain, key=lambda pair: (pair[1], pair[0]))[0]
        if self.scale is not None and self.scale.highest is not None:
            return self.scale.highest
        return self.judgments.table.highest

    def resolved(self, measure: str) -> Measure:
        """Returns a measure with all parameters filled in as in the comparison."""
        return parse_measure(measure).resolve(
            self.convention, self.scale, self.judgments.table.highest
        )

    def run(self, name: str) -> Run:
        """Returns a whole run."""
        if name not in self._runs:
            self._runs[name] = self.comparison.run(name)
        return self._runs[name]

    def results(self, name: str) -> Results:
        """Returns the measures of a run."""
        if self.comparison.judgments is None:
            raise _no_runs()
        return self.comparison.measured(name, self.measures)

    def value(self, name: str, measure: str) -> float:
        """Returns one measure of one run."""
        return self._results_with(name, measure)[measure]

    def pairs(self, measure: str) -> dict[str, tuple[float, float]]:
        """Returns baseline and candidate values for queries with both, sorted by query."""
        queries, ours, theirs = self._paired(measure)
        return dict(zip(queries, zip(ours.tolist(), theirs.tolist(), strict=True), strict=True))

    def difference(self, measure: str) -> Difference:
        """Returns one measure of both runs, their difference, its p-value and its interval."""
        queries, ours, theirs = self._paired(measure)
        clusters = self.clusters(queries)
        return Difference(
            self.value(self.baseline, measure),
            self.value(self.candidate, measure),
            paired_p(theirs - ours, clusters),
            len(ours),
            mean_interval(theirs - ours, self.alpha, clusters),
            None if clusters is None else effective_units(clusters),
        )

    def clusters(self, queries: Iterable[str]) -> NDArray[np.int64] | None:
        """Returns the number of each query's cluster; None if each is a cluster of its own."""
        ids = list(queries)
        found = self.comparison.facts.groups(ids)
        return None if found is None or len(found[1]) == len(ids) else found[0]

    def first_runs_alone(self, measure: str) -> bool:
        """Returns whether the means over repeated runs do not show a loss of a measure.

        Rules look at the first run of each system: what only it has lost may be its seed.
        """
        return any(
            one.measure == measure
            and one.candidate == self.candidate
            and one.repeats is not None
            and not (one.difference < 0 and one.p <= self.alpha)
            for one in self.comparison.contrasts
        )

    def within_margin(self, measure: str) -> bool:
        """Returns whether the comparison shows a measure to be equal within its margin."""
        return any(
            one.measure == measure and one.candidate == self.candidate and one.verdict == "equal"
            for one in self.comparison.contrasts
        )

    def significant(self, difference: Difference) -> bool:
        """Whether a difference is significant, for which it takes six queries or clusters."""
        from relyon.analysis.statistics import is_significant

        return is_significant(difference.units, difference.p, self.alpha)

    def _results_with(self, name: str, measure: str) -> Results:
        """Returns results with a measure, computed if no rule requested it."""
        found = self.results(name)
        return found if measure in found else self.comparison.measured(name, [measure])

    def _paired(
        self, measure: str
    ) -> tuple[Sequence[str], NDArray[np.float64], NDArray[np.float64]]:
        """Returns the queries for which both runs have a value, sorted, and both values."""
        import numpy as np

        ours, theirs = self.both(lambda name: self._results_with(name, measure).column(measure))
        held = ~(np.isnan(ours) | np.isnan(theirs))
        return list(compress(self.common.queries, held.tolist())), ours[held], theirs[held]

    def both(self, column: Callable[[str], ArrayLike]) -> NDArray[np.float64]:
        """Returns a column of each run by its name, over the queries of `common`."""
        return self.common.values(column(self.baseline), column(self.candidate))

    @cached_property
    def common(self) -> CommonQueries:
        """The queries that both runs have, sorted."""
        return CommonQueries.of(
            *(self.results(name).queries for name in (self.baseline, self.candidate))
        )

    def top(self, name: str, query: str, k: int) -> list[str]:
        """Returns a query's first `k` documents in the convention's order, best first.

        Tie rules without a single order (`expected`, `worst`, `best`) use that of `doc-desc`.
        """
        key = (name, query, k)
        if key not in self._tops:
            self._tops[key] = self._top(name, query, k)
        return self._tops[key]

    def _top(self, name: str, query: str, k: int) -> list[str]:
        table = self.run(name).table
        if query not in table:
            return []
        documents, scores, ranks = table.documents(query)
        return [documents[row] for row in first_rows(documents, scores, ranks, k, self.convention)]

    def finding(self, finding: Finding) -> Finding:
        """Returns a finding with the names of both runs."""
        return replace(finding, baseline=self.baseline, candidate=self.candidate)


def _no_runs() -> ParameterError:
    return ParameterError(
        message("analysis.only-values-were-compared-but-rules"),
        hint=message("analysis.compare-judgments-and-runs"),
    )


@dataclass(frozen=True)
class Rule(ABC):
    """Looks for one problem, and returns nothing if there is none.

    Subclasses are frozen dataclasses whose fields are the thresholds. Register one with
    `@register`, and `relyon.diagnose` applies it.

    Attributes:
        name: Its name; its sentences in the catalogues start with it.
        about_data: Whether it is the same for every candidate, so that it is reported once.
        of_lists: Whether it reads one list per query: it is left out if tasks have several calls.
        sentences: The sentences `title`, `text` and `step` of a rule that is not in the catalogues,
            by language, with numbers of the evidence in braces. Without them its findings get
            general sentences.
    """

    name: ClassVar[str]
    about_data: ClassVar[bool] = False
    of_lists: ClassVar[bool] = False
    sentences: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    @abstractmethod
    def measures(self) -> tuple[str, ...]:
        """Returns the measures to compute for both runs."""

    @abstractmethod
    def apply(self, subject: Subject) -> Finding | None:
        """Returns the finding, or `None`."""


#: The modules of the rules, in the order in which they are applied.
MODULES = (
    "reversed_scores",
    "worse",
    "slices",
    "flat_ndcg",
    "flat_online",
    "tail_gain",
    "poor_candidates",
    "single_relevant",
    "unjudged",
    "ties",
    "averages",
    "coverage",
    "first_call",
    "reads_again",
)

rules: Registry[type[Rule]] = Registry(
    "rule", modules=[f"relyon.analysis.diagnosis.{name}" for name in MODULES]
)

R = TypeVar("R", bound=type[Rule])


def register(kind: R) -> R:
    """Class decorator that registers a rule for `relyon.diagnose`.

    Raises:
        ParameterError: If the name is already registered.
    """
    return rules.register(kind)
