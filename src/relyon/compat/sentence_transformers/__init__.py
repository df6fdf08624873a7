"""An evaluator for sentence-transformers: graded judgments, any measure, intervals and groups."""

from relyon.core.packages import optional_package

optional_package(
    "sentence_transformers",
    purpose="relyon.compat.sentence_transformers",
    package="sentence-transformers",
)

from relyon.compat.sentence_transformers.evaluator import RelevanceEvaluator  # noqa: E402

__all__ = ["RelevanceEvaluator"]
