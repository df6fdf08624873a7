"""Every measure: one class each, registered by name."""

from typing import TYPE_CHECKING

from relkit.measures.base import Measure, Step, register, registry
from relkit.measures.names import measure, measures

if TYPE_CHECKING:
    from relkit.measures.agreement import Kappa, Spearman, Tau
    from relkit.measures.binary import AP, F1, RR, MeanP, Precision, Recall, RPrec, Success
    from relkit.measures.cascade import ERR, RBP
    from relkit.measures.gain import CG, DCG, IDCG, NDCG
    from relkit.measures.incomplete import Bpref, InfAP, Judged, NumRel, NumRelRet, NumRet
    from relkit.measures.overlap import RBO, Overlap, TauAP
    from relkit.measures.pairwise import AUC, GAUC, PNR, Concordance

__all__ = [
    "AP",
    "AUC",
    "CG",
    "DCG",
    "ERR",
    "F1",
    "GAUC",
    "IDCG",
    "NDCG",
    "PNR",
    "RBO",
    "RBP",
    "RR",
    "Bpref",
    "Concordance",
    "InfAP",
    "Judged",
    "Kappa",
    "MeanP",
    "Measure",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "Overlap",
    "Precision",
    "RPrec",
    "Recall",
    "Spearman",
    "Step",
    "Success",
    "Tau",
    "TauAP",
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
