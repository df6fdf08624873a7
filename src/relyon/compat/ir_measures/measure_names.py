"""Names of measures, ir_measures' own and trec_eval's, into measure objects."""

from __future__ import annotations

import ast
import logging
import re

from relyon.compat import pytrec_eval
from relyon.compat.ir_measures.measures import Measure, registry
from relyon.core.errors import ParameterError
from relyon.core.registry import nearest
from relyon.core.texts import message

__all__ = ["parse_measure", "parse_trec_measure"]

logger = logging.getLogger(__name__)

NINE = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
#: trec_eval's names: the measure, its parameter, and its default values.
TREC: dict[str, tuple[str, str, tuple[float, ...]]] = {
    "num_q": ("NumQ", "", ()),
    "num_ret": ("NumRet", "", ()),
    "num_rel": ("NumRel", "", ()),
    "num_rel_ret": ("NumRelRet", "", ()),
    "map": ("AP", "", ()),
    "Rprec": ("Rprec", "", ()),
    "bpref": ("Bpref", "", ()),
    "recip_rank": ("RR", "", ()),
    "infAP": ("infAP", "", ()),
    "ndcg": ("nDCG", "", ()),
    "set_P": ("SetP", "", ()),
    "set_relative_P": ("SetRelP", "", ()),
    "set_recall": ("SetR", "", ()),
    "set_map": ("SetAP", "", ()),
    "set_F": ("SetF", "beta", (1.0,)),
    "P": ("P", "cutoff", NINE),
    "recall": ("R", "cutoff", NINE),
    "ndcg_cut": ("nDCG", "cutoff", NINE),
    "map_cut": ("AP", "cutoff", NINE),
    "success": ("Success", "cutoff", (1, 5, 10)),
    "iprec_at_recall": ("IPrec", "recall", tuple(level / 10 for level in range(11))),
}
PARAMETERS = re.compile(r"(?P<name>.+?)[._](?P<values>\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)")


def parse_measure(measure: str | Measure) -> Measure:
    """Returns the measure of a name such as `nDCG(dcg='exp-log2')@10`.

    Raises:
        ParameterError: If the text is not a name with parameters.
        NameError: If there is no such measure.

    Examples:
        >>> parse_measure("P(rel=2)@10")
        P(rel=2)@10
    """
    if isinstance(measure, Measure):
        return measure
    refused = ParameterError(
        message("compat.not-measure", measure=measure),
        hint=message("compat.write-measure-parameter-value"),
    )
    try:
        node: ast.expr = ast.parse(measure, mode="eval").body
        params: dict[str, object] = {}
        at: list[object] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at = [ast.literal_eval(node.right)]
            node = node.left
        if isinstance(node, ast.Call):
            if node.args:
                raise refused
            params = {str(one.arg): ast.literal_eval(one.value) for one in node.keywords}
            node = node.func
    except (SyntaxError, TypeError, ValueError, MemoryError, RecursionError):
        raise refused from None
    if not isinstance(node, ast.Name):
        raise refused
    if node.id not in registry:
        near = nearest(node.id, list(registry))
        known = next((name for name in registry if name.lower() == near), "")
        hint = f"; did you mean {known}?" if known else ""
        raise NameError(message("compat.measure-not-found", node_id=node.id, hint=hint))
    found = registry[node.id]
    for value in at:
        params[found.AT_PARAM] = value
    return found(**params)


def parse_trec_measure(measure: str) -> list[Measure]:
    """Returns the measures of one of trec_eval's names or nicknames.

    Measures of a nickname that ir_measures does not have are left out, and logged.

    Raises:
        ParameterError: If there is no such measure, or it takes no parameters.

    Examples:
        >>> parse_trec_measure("P_5,10")
        [P@5, P@10]
    """
    if measure in pytrec_eval.supported_nicknames:
        names = sorted(pytrec_eval.supported_nicknames[measure])
        lacking = [name for name in names if name not in TREC]
        if lacking:
            logger.warning("`%s`: left out %s", measure, ", ".join(lacking))
        return [one for name in names if name in TREC for one in parse_trec_measure(name)]
    if measure in TREC:
        own, parameter, values = TREC[measure]
        return [registry[own](**{parameter: value}) for value in values] or [registry[own]]
    found = PARAMETERS.fullmatch(measure)
    if found is None or found["name"] not in TREC:
        raise ParameterError(
            message("compat.unknown-measure", measure=measure),
            hint=message("compat.known-are-trec", trec=list(TREC)),
        )
    own, parameter, _ = TREC[found["name"]]
    if not parameter:
        raise ParameterError(
            message(
                "compat.takes-no-parameter",
                found=found["name"],
                found_2=found["values"],
            )
        )
    kind = registry[own].SUPPORTED_PARAMS[parameter].dtype or float
    return [registry[own](**{parameter: kind(float(text))}) for text in found["values"].split(",")]
