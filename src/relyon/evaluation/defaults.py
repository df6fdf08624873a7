"""The default measures."""

__all__ = ["DEFAULT_MEASURES", "DEFAULT_SCORE_MEASURES"]

DEFAULT_MEASURES = ("ndcg@10", "ndcg", "ap", "recall@100", "rr@10", "judged@10")
#: For labelled scores.
DEFAULT_SCORE_MEASURES = ("auc", "gauc", "pnr", "ndcg@10")
