"""trec_eval's command: its measures by its names, its options, its output."""

from relyon.compat.trec_eval.arguments import parse
from relyon.compat.trec_eval.options import Options, TrecEvalError
from relyon.compat.trec_eval.program import run

__all__ = ["Options", "TrecEvalError", "parse", "run"]
