"""All providers, and the pipeline that asks one after the other."""

from __future__ import annotations

from functools import partial

from relyon.compat.ir_measures.defined import RuntimeProvider, define, define_byquery
from relyon.compat.ir_measures.model import CwlMetric, Evaluator, set_pipeline
from relyon.compat.ir_measures.provider import (
    FallbackProvider,
    Provider,
    RulesProvider,
    register,
    registry,
)
from relyon.compat.ir_measures.rules import ASSUMED, ORDER, PREPARE, SUPPORTED, prepare

__all__ = [
    "AccuracyProvider",
    "CompatProvider",
    "CwlEvalProvider",
    "CwlMetric",
    "DefaultPipeline",
    "Evaluator",
    "FallbackProvider",
    "GdevalProvider",
    "JudgedProvider",
    "MsMarcoProvider",
    "Provider",
    "PyNdEvalProvider",
    "PytrecEvalProvider",
    "RanxProvider",
    "RuntimeProvider",
    "TrectoolsProvider",
    "define",
    "define_byquery",
    "register",
    "registry",
]


class _Named(RulesProvider):
    """A provider by the rules of its name."""

    def __init__(self) -> None:
        name = self.NAME
        super().__init__(
            name,
            SUPPORTED[name],
            partial(PREPARE.get(name, prepare), name),
            ASSUMED.get(name, {}),
            fills=name != "accuracy",
        )


class AccuracyProvider(_Named):
    """The provider of Accuracy."""

    NAME = "accuracy"


class CompatProvider(_Named):
    """The provider of Compat."""

    NAME = "compat"


class CwlEvalProvider(_Named):
    """relyon under the rules of cwl_eval."""

    NAME = "cwl_eval"


class GdevalProvider(_Named):
    """relyon under the rules of gdeval.pl."""

    NAME = "gdeval"


class JudgedProvider(_Named):
    """The provider of Judged."""

    NAME = "judged"


class MsMarcoProvider(_Named):
    """relyon under the rules of MS MARCO's program."""

    NAME = "msmarco"


class PyNdEvalProvider(_Named):
    """relyon under the rules of ndeval."""

    NAME = "pyndeval"


class PytrecEvalProvider(_Named):
    """relyon under the rules of pytrec_eval."""

    NAME = "pytrec_eval"


class RanxProvider(_Named):
    """relyon under the rules of ranx."""

    NAME = "ranx"


class TrectoolsProvider(_Named):
    """relyon, for those measures of trectools whose definition is the common one."""

    NAME = "trectools"


for _kind in (
    *(RuntimeProvider, PytrecEvalProvider, CwlEvalProvider, CompatProvider, PyNdEvalProvider),
    *(JudgedProvider, MsMarcoProvider, GdevalProvider, AccuracyProvider, RanxProvider),
    TrectoolsProvider,
):
    register(_kind())

DefaultPipeline = FallbackProvider(registry[name] for name in ORDER)
set_pipeline(DefaultPipeline)
