"""ir_measures' interface: the same names, the same numbers, one program behind them.

Change ``import ir_measures`` to ``from relyon.compat import ir_measures``. Differences:

- No other package is needed: each of its providers (pytrec_eval, cwl_eval, pyndeval, gdeval …)
  is relyon under the rules of that program, and so needs neither perl nor a compiler.
- Bad input and impossible parameters raise a `ValueError` that says what to do; ir_measures
  asserts.
- NaN and infinite scores raise an error.
- Compat puts documents of the same grade and the same score into the ideal list in the order of the
  run; ir_measures in the order of the judgments. A score of exactly 0 is the score of documents
  missing from the run.
- Accuracy leaves out a query of which only relevant documents were retrieved; ir_measures divides
  by zero.
- A nDCG with `gains` changes no other nDCG of the same call.
- C/W/L measures return a `Metric`, without the four other numbers of a `CwlMetric`.
- `trectools` has the measures whose definition is the common one; RBP is not among them.
"""

from __future__ import annotations

from relyon.compat.ir_measures import measures, providers, util
from relyon.compat.ir_measures.defined import define, define_byquery
from relyon.compat.ir_measures.inputs import read_trec_qrels, read_trec_run
from relyon.compat.ir_measures.measure_names import parse_measure, parse_trec_measure
from relyon.compat.ir_measures.model import (
    BaseMeasure,
    CalcResults,
    CwlMetric,
    Evaluator,
    MeanAgg,
    Measure,
    Metric,
    ParamInfo,
    SumAgg,
)
from relyon.compat.ir_measures.provider import Provider
from relyon.compat.ir_measures.providers import DefaultPipeline
from relyon.compat.ir_measures.records import (
    GenericQrel,
    GenericScoredDoc,
    Qrel,
    ScoredDoc,
)
from relyon.compat.ir_measures.util import (
    convert_trec_name,
    parse_trec_qrels,
    parse_trec_run,
)

accuracy = providers.registry["accuracy"]
compat = providers.registry["compat"]
cwl_eval = providers.registry["cwl_eval"]
gdeval = providers.registry["gdeval"]
judged = providers.registry["judged"]
msmarco = providers.registry["msmarco"]
pyndeval = providers.registry["pyndeval"]
pytrec_eval = providers.registry["pytrec_eval"]
ranx = providers.registry["ranx"]
runtime = providers.registry["runtime"]
trectools = providers.registry["trectools"]

evaluator = DefaultPipeline.evaluator
iter_calc = DefaultPipeline.iter_calc
calc = DefaultPipeline.calc
calc_aggregate = DefaultPipeline.calc_aggregate
calc_ctxt = DefaultPipeline.calc_ctxt
run_inputs = DefaultPipeline.run_inputs
qrel_inputs = DefaultPipeline.qrel_inputs

globals().update(measures.registry)

__all__ = [
    "AP",
    "AP_IA",
    "BPM",
    "ERR",
    "ERR_IA",
    "INSQ",
    "INST",
    "MAP",
    "MAP_IA",
    "MRR",
    "NDCG",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NRBP",
    "P_IA",
    "RBP",
    "RR",
    "SDCG",
    "Accuracy",
    "BPref",
    "BaseMeasure",
    "Bpref",
    "CalcResults",
    "Compat",
    "CwlMetric",
    "DefaultPipeline",
    "Evaluator",
    "GenericQrel",
    "GenericScoredDoc",
    "IPrec",
    "Judged",
    "MeanAgg",
    "Measure",
    "Metric",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "ParamInfo",
    "Precision",
    "Provider",
    "Qrel",
    "R",
    "RPrec",
    "Recall",
    "Rprec",
    "ScoredDoc",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "SetRelP",
    "StRecall",
    "Success",
    "SumAgg",
    "accuracy",
    "alpha_DCG",
    "alpha_nDCG",
    "calc",
    "calc_aggregate",
    "calc_ctxt",
    "compat",
    "convert_trec_name",
    "cwl_eval",
    "define",
    "define_byquery",
    "evaluator",
    "gdeval",
    "infAP",
    "iter_calc",
    "judged",
    "measures",
    "msmarco",
    "nDCG",
    "nERR_IA",
    "nNRBP",
    "parse_measure",
    "parse_trec_measure",
    "parse_trec_qrels",
    "parse_trec_run",
    "providers",
    "pyndeval",
    "pytrec_eval",
    "qrel_inputs",
    "ranx",
    "read_trec_qrels",
    "read_trec_run",
    "run_inputs",
    "runtime",
    "trectools",
    "util",
    "α_DCG",
    "α_nDCG",
]


def __getattr__(name: str) -> Measure:
    try:
        return measures.registry[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
