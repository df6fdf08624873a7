"""The evaluator: their retrieval, relyon's measures."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from relyon.analysis.uncertainty import mean_interval_of
from relyon.compat.sentence_transformers.base import Base, Scored
from relyon.compat.sentence_transformers.checks import check_texts, graded, kept_depth
from relyon.compat.sentence_transformers.groups import Groups
from relyon.compat.sentence_transformers.reranking import candidates_of, reranked, samples_of
from relyon.compat.sentence_transformers.table import append_row
from relyon.core.errors import InputError
from relyon.core.parameters import check_fraction
from relyon.core.texts import message
from relyon.data.run import Run
from relyon.evaluation import Evaluator
from relyon.measures.parser import measures as parse_measures

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.scale import Scale
    from relyon.evaluation.program import MeasureNames
    from relyon.evaluation.results import Results

__all__ = ["MEASURES", "RelevanceEvaluator"]

MEASURES = ("ndcg@10", "rr@10", "ap@100", "recall@100")
logger = logging.getLogger(__name__)


class RelevanceEvaluator(Base):
    """Evaluates a model during training, or by itself, by any of relyon's measures.

    It encodes, scores and collects the best documents as `InformationRetrievalEvaluator` does
    (chunks of the corpus, prompts, score functions, dimensions). Judgments are graded, and their
    rules are those of `relyon.evaluate`: judged documents that the corpus lacks stay in ideal lists
    and in recall, a judged query without a result counts as 0, unjudged queries are not encoded.
    Of documents tied at the depth, those with the lowest ids are kept; the convention orders ties
    among the kept ones.

    It returns `{NAME_FUNCTION_MEASURE: value}`, such as `dev_cosine_ndcg@10`; a cross-encoder has
    no score function. With intervals there are also `…_low` and `…_high`, with groups
    `…_ndcg@10[VALUE]`. The first measure is the primary metric; of several score functions its best
    on the first call counts, unless `main_score_function` names one.

    Args:
        queries: The text of each query.
        corpus: The text of each document.
        judgments: Anything that `relyon.read_judgments` takes; or a set of documents per query.
        measures: One or more names.
        candidates: For each query, the ids of the documents to rank, instead of the whole corpus.
            A cross-encoder needs them.
        depth: How many documents are kept per query: by default 1,000, or the largest cutoff.
        intervals: The confidence level of intervals over queries, such as 0.95; None for none.
        groups: The group of each query; each group's measures are reported, too.
        name: The name of the data in results and files.
        write_csv: Whether a row is appended to `Relevance_evaluation_NAME_results.csv`.
        convention: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        settings: Those of `InformationRetrievalEvaluator`: `corpus_chunk_size`, `batch_size`,
            `score_functions`, `main_score_function`, `query_prompt`, `truncate_dim` …

    Attributes:
        results: `relyon.Results` of the last call, by score function.

    Raises:
        InputError: If a judged query has no text, a candidate is not in the corpus, or there are no
            judgments or documents.
        ParameterError: If the depth is less than a cutoff, or groups are too many.
    """

    def __init__(
        self,
        queries: Mapping[Any, Any],
        corpus: Mapping[Any, Any],
        judgments: object,
        measures: MeasureNames = MEASURES,
        *,
        candidates: Mapping[Any, Sequence[Any]] | None = None,
        depth: int | None = None,
        intervals: float | None = None,
        groups: Mapping[Any, Any] | None = None,
        name: str = "",
        write_csv: bool = True,
        convention: Convention | str | Mapping[str, object] | None = None,
        scale: Scale | str | None = None,
        **settings: Any,
    ) -> None:
        self.measures = parse_measures(measures)
        self.evaluator = Evaluator(graded(judgments), convention=convention, scale=scale)
        judged = self.evaluator.judgments
        texts = check_texts(queries, judged)
        kept = [kept_depth(self.measures, depth)]
        cutoffs = ("mrr", "ndcg", "accuracy", "precision_recall", "map")
        cut = {f"{one}_at_k": kept for one in cutoffs}
        documents = {str(one): text for one, text in corpus.items()}
        if not documents:
            raise InputError(message("compat.corpus-is-empty"))
        if intervals is not None:
            check_fraction("intervals", intervals)
        relevant = {query: judged[query] for query in judged.queries}
        super().__init__(texts, documents, relevant, name=name, write_csv=False, **cut, **settings)
        self.candidates = candidates_of(candidates, documents)
        self.groups = Groups(groups or {}, self.evaluator)
        self.intervals = intervals
        self.name = name
        self.results: dict[str, Results] = {}
        self.greater_is_better = self.measures[0].better != "lower"
        self._main = settings.get("main_score_function")
        self._functions = settings.get("score_functions")
        self._csv = f"Relevance_evaluation{name and '_' + name}_results.csv" if write_csv else ""

    @classmethod
    def from_samples(
        cls, samples: Iterable[Mapping[str, Any]], *given: Any, **settings: Any
    ) -> RelevanceEvaluator:
        """Returns one of reranking data, as of their `RerankingEvaluator`.

        Args:
            samples: Each with `query`, and `positive` and `negative` (texts, or one text): grades 1
                and 0; or `documents` and their `grades`. Query n is called `n`, its documents
                `n-1`, `n-2` …, positive ones first.
            given: The measures.
            settings: See the class.

        Raises:
            InputError: If a sample has neither.
        """
        queries, corpus, judgments, candidates = samples_of(samples)
        return cls(queries, corpus, judgments, *given, candidates=candidates, **settings)

    def __call__(
        self,
        model: Any,
        output_path: str | None = None,
        epoch: int = -1,
        steps: int = -1,
        **settings: Any,
    ) -> dict[str, float]:
        """Evaluates a model; called by trainers, too.

        Args:
            model: A `SentenceTransformer`, or with candidates also a `CrossEncoder`; not a
                `SparseEncoder` or `MultiVectorEncoder`.
            output_path: The folder of the CSV file; None writes none.
            epoch: Written to the file.
            steps: Written to the file.
            settings: Those of `InformationRetrievalEvaluator`, such as `corpus_embeddings`.
        """
        own = getattr(model, "similarity", None)
        self.score_functions = self._functions or {getattr(model, "similarity_fn_name", ""): own}
        self.score_function_names = sorted(self.score_functions)
        if self.candidates is not None:
            lists = reranked(self, model, self.candidates)
            scored = {key: self.compute_metrics(hits) for key, hits in lists.items()}
        else:
            scored = self.compute_all_metrics(model, output_path=output_path, **settings)
        self.results = {function: found.results for function, found in scored.items()}
        values = {
            f"{function}_{key}" if function else key: value
            for function, found in scored.items()
            for key, value in self._values(found).items()
        }
        if output_path is not None and self._csv:
            append_row(output_path, self._csv, {"epoch": epoch, "steps": steps, **values})
        self.primary_metric = self.primary_metric or self._primary()
        metrics = self.prefix_name_to_metrics(values, self.name)
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        return metrics

    def compute_metrics(self, queries_result_list: Sequence[Sequence[Mapping[str, Any]]]) -> Scored:
        """Returns the measures of lists of hits, one list for each of `queries_ids`."""
        lists = zip(self.queries_ids, queries_result_list, strict=True)
        run = {query: {one["corpus_id"]: one["score"] for one in hits} for query, hits in lists}
        given = Run.from_dict(run, name=self.name or None)
        return Scored(self.evaluator.evaluate(given, self.measures), run)

    def output_scores(self, scores: Scored) -> None:
        """Logs the measures."""
        for key, value in scores.results.items():
            logger.info("%s: %.4f", key, value)

    def _values(self, found: Scored) -> dict[str, float]:
        values = dict(found.results)
        if self.intervals is not None:
            for key in found.results:
                ends = mean_interval_of([found.results], key, level=self.intervals).queries
                values |= dict(zip((f"{key}_low", f"{key}_high"), ends, strict=True))
        return values | self.groups.values(found.run, self.measures)

    def _primary(self) -> str:
        first = str(self.measures[0])
        best = max if self.greater_is_better else min
        main = str(getattr(self._main, "value", self._main) or "")
        function = main or best(self.results, key=lambda one: self.results[one][first])
        return f"{function}_{first}" if function else first
