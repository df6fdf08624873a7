"""trec_eval's command: its measures by its names, its options, its output."""

from relkit.compat.trec_eval.options import Options, TrecEvalError, parse
from relkit.compat.trec_eval.program import run

__all__ = ["Options", "TrecEvalError", "parse", "run"]
