"""ranx's interface: the same names, the same numbers, without a compiler to wait for.

Change ``from ranx import Qrels, Run, evaluate`` to ``from relyon.compat.ranx import ...``.
Differences:

- Documents of equal score keep the order in which they are given; ranx sorts them unstably.
- Queries are matched by id; ranx matches two dicts by position.
- `bpref` of a query without relevant documents is 0 and leaves the other queries alone.
- Bad input raises a `ValueError` that says what to do; ranx asserts.
- The p of `compare(stat_test="fisher")` counts the result itself as one permutation, so that it is
  never 0; that of `student` is 1, not NaN, if two runs have equal values.
- Condorcet fusion starts from the Borda order, so that it always gives the same run; ranx starts
  from the order of a Python set. Two documents missing from a run get no vote from it.
- BayesFuse treats documents after rank 1,000 as not returned; ranx reads past the end of its table.
- Fused scores add the smallest part first, so that the order of the runs does not matter.
- `plot` draws nothing: it raises an error that names the measures with the curves' points.
- `Run.from_ranxhub` downloads nothing.
"""

from relyon.compat.ranx.comparison import compare
from relyon.compat.ranx.evaluation import evaluate
from relyon.compat.ranx.fusion import fuse
from relyon.compat.ranx.normalization import normalize
from relyon.compat.ranx.optimization import optimize_fusion
from relyon.compat.ranx.plots import plot
from relyon.compat.ranx.qrels_and_run import Qrels, Run
from relyon.compat.ranx.report import Report

__all__ = [
    "Qrels",
    "Report",
    "Run",
    "compare",
    "evaluate",
    "fuse",
    "normalize",
    "optimize_fusion",
    "plot",
]
