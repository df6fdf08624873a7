"""Every measure: one class each, registered by name."""

from typing import TYPE_CHECKING

from relkit.measures.base import Measure, Step, register, registry
from relkit.measures.names import measure, measures

if TYPE_CHECKING:
    from relkit.measures.agreement import Kappa, Spearman, Tau
    from relkit.measures.binary import AP, RR, MeanP, Precision, Recall, RPrec, Success
    from relkit.measures.cascade import ERR, RBP, RBPResidual
    from relkit.measures.classes import AUC, GAUC, AveragePrecision
    from relkit.measures.continuation import (
        BPM,
        INSQ,
        INST,
        NERR8,
        NERR9,
        NERR10,
        NERR11,
        SDCG,
    )
    from relkit.measures.gain import CG, DCG, IDCG, NDCG
    from relkit.measures.geometric import GMAP, GMBpref
    from relkit.measures.incomplete import (
        Bpref,
        InfAP,
        Judged,
        NumNonrelRet,
        NumQ,
        NumRel,
        NumRelRet,
        NumRet,
        Unjudged,
    )
    from relkit.measures.interpolated import IAP, IPrec
    from relkit.measures.order import Accuracy, Compatibility
    from relkit.measures.overlap import RBO, Overlap, TauAP
    from relkit.measures.pairwise import PNR, Concordance
    from relkit.measures.sets import F1, FBeta, SetAP, Utility
    from relkit.measures.trec import RNDCG, YAAP, BinG, GMeasure, NDCGRel

__all__ = [
    "AP",
    "AUC",
    "BPM",
    "CG",
    "DCG",
    "ERR",
    "F1",
    "GAUC",
    "GMAP",
    "IAP",
    "IDCG",
    "INSQ",
    "INST",
    "NDCG",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "PNR",
    "RBO",
    "RBP",
    "RNDCG",
    "RR",
    "SDCG",
    "YAAP",
    "Accuracy",
    "AveragePrecision",
    "BinG",
    "Bpref",
    "Compatibility",
    "Concordance",
    "FBeta",
    "GMBpref",
    "GMeasure",
    "IPrec",
    "InfAP",
    "Judged",
    "Kappa",
    "MeanP",
    "Measure",
    "NDCGRel",
    "NumNonrelRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "Overlap",
    "Precision",
    "RBPResidual",
    "RPrec",
    "Recall",
    "SetAP",
    "Spearman",
    "Step",
    "Success",
    "Tau",
    "TauAP",
    "Unjudged",
    "Utility",
    "measure",
    "measures",
    "register",
    "registry",
]


def __getattr__(name: str) -> object:
    if name in __all__:
        for kind in map(registry.get, registry):
            if kind.__name__ == name:
                return kind
    raise AttributeError(f"module 'relkit.measures' has no attribute {name!r}")
