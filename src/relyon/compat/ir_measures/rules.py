"""The measures and rules of relyon that compute the numbers of ir_measures' providers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from relyon.compat import pytrec_eval
from relyon.compat.ir_measures.inputs import QrelsConverter, RunConverter
from relyon.compat.ir_measures.model import ABSENT, Absent, Measure
from relyon.compat.ir_measures.provider import REQUIRED, Allowed, Values
from relyon.data.convention import Convention
from relyon.data.judgments import Judgments
from relyon.evaluation import Evaluator
from relyon.measures import measure as parse

__all__ = ["ASSUMED", "ORDER", "PREPARE", "SUPPORTED", "prepare"]

Prepared = tuple[Iterable[str], Callable[[object], Values]]

#: The order in which the providers are asked.
ORDER = (
    *("runtime", "pytrec_eval", "cwl_eval", "compat", "pyndeval", "judged", "msmarco", "gdeval"),
    *("accuracy", "ranx"),
)
_ALL: Allowed = {"judged_only": (False,)}
_WHOLE: Allowed = {"cutoff": ABSENT}
_CUT: Allowed = {"cutoff": REQUIRED}
_SCALED: Allowed = {"max_rel": REQUIRED}
_GAINLESS: Allowed = {"gains": ABSENT}
_FIRST: Allowed = {"rel": (1,)}


def _any(*names: str) -> dict[str, Allowed]:
    """Returns measures that a provider takes with all values of their parameters."""
    return {name: {} for name in names}


#: The measures of every provider, and the allowed values of their parameters.
SUPPORTED: dict[str, dict[str, Allowed]] = {
    "pytrec_eval": {
        **_any("P", "Rprec", "AP", "R", "Bpref", "NumRet", "NumQ", "SetAP", "SetF"),
        **_any("SetP", "SetR", "Success", "IPrec", "infAP"),
        "RR": _WHOLE,
        "nDCG": {"dcg": ("log2",)},
        "NumRel": {"rel": (1,)},
    },
    "cwl_eval": {
        "P": _ALL,
        "RR": _WHOLE | _ALL,
        "AP": _WHOLE | _ALL,
        "RBP": _WHOLE | {"rel": REQUIRED},
        **dict.fromkeys(("BPM", "SDCG", "NERR8", "NERR9"), _CUT | _SCALED),
        **dict.fromkeys(("NERR10", "NERR11", "INST", "INSQ"), _SCALED),
    },
    "compat": {"Compat": {}},
    "pyndeval": {
        **_any("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "NRBP", "nNRBP", "AP_IA"),
        **_any("P_IA", "StRecall"),
    },
    "judged": {"Judged": {}},
    "msmarco": {"RR": _ALL},
    "gdeval": {"nDCG": _CUT | _GAINLESS | _ALL | {"dcg": ("exp-log2",)}, "ERR": _CUT},
    "accuracy": {"Accuracy": {}},
    "ranx": {
        **dict.fromkeys(("P", "SetP", "Rprec", "AP", "R"), _ALL),
        "RR": _ALL,
        "nDCG": _GAINLESS | _ALL,
        "SetR": {},
        "NumRet": {"rel": REQUIRED},
        "Success": _CUT | _ALL,
    },
    "trectools": {
        **dict.fromkeys(("P", "AP"), _FIRST | _ALL),
        "Rprec": _FIRST | _ALL,
        "RR": _FIRST | _ALL | _WHOLE,
        "nDCG": _GAINLESS | _ALL,
        "Bpref": {"rel": (1,)},
    },
}

#: Parameters that override the requested ones: gdeval has one kind of gain.
ASSUMED: dict[str, dict[str, dict[str, object]]] = {"gdeval": {"nDCG": {"dcg": "exp-log2"}}}

#: How the programs order documents with equal scores; all of them compare 64-bit numbers.
TIES = {
    "compat": "doc-asc",
    "pyndeval": "doc-asc",
    "judged": "doc-asc",
    "msmarco": "doc-asc",
    "gdeval": "doc-desc",
}
#: gdeval prints so many decimals.
DECIMALS = {"gdeval": 5}
#: gdeval's highest grade.
HIGHEST = 4
#: cwl_eval reads no further.
DEPTH = 1000

#: relyon's names by ir_measures', of measures with the usual parameters only.
NAMES = {
    "Accuracy": "accuracy",
    "AP": "ap",
    "AP_IA": "ap_ia",
    "alpha_DCG": "alpha_dcg",
    "alpha_nDCG": "alpha_ndcg",
    "BPM": "bpm",
    "Bpref": "bpref",
    "Compat": "compat",
    "ERR": "err",
    "ERR_IA": "err_ia",
    "INSQ": "insq",
    "INST": "inst",
    "Judged": "judged",
    "nDCG": "ndcg",
    "NERR8": "nerr8",
    "NERR9": "nerr9",
    "NERR10": "nerr10",
    "NERR11": "nerr11",
    "nERR_IA": "nerr_ia",
    "nNRBP": "nnrbp",
    "NRBP": "nrbp",
    "NumRet": "num_rel_ret",
    "P": "p",
    "P_IA": "p_ia",
    "R": "recall",
    "RBP": "rbp",
    "Rprec": "rprec",
    "RR": "rr",
    "SDCG": "sdcg",
    "SetP": "p",
    "SetR": "recall",
    "StRecall": "strecall",
    "Success": "success",
}
PARAMETERS = {"T": "target", "min_rel": "min", "max_rel": "max"}


def relyon_name(provider: str, measure: Measure) -> str:
    """Returns the name in relyon of a measure as a provider computes it.

    Examples:
        >>> from relyon.compat.ir_measures import ERR, INST
        >>> relyon_name("gdeval", ERR @ 20), relyon_name("cwl_eval", INST(T=2.0, max_rel=3))
        ('err(max=4)@20', 'inst(target=2.0,min=0,max=3)')
    """
    given: dict[str, object] = {}
    for name in measure.SUPPORTED_PARAMS:
        value = measure[name]
        if value is ABSENT or name in {"cutoff", "dcg", "gains", "relative"}:
            continue
        if name != "judged_only" or value:
            given[PARAMETERS.get(name, name)] = value
    if measure.NAME == "ERR":
        given["max"] = HIGHEST
    if measure.NAME == "Compat":
        given["unretrieved"] = "zero"
    if measure.NAME == "nDCG":
        given["gain"] = "exp" if measure["dcg"] == "exp-log2" else "linear"
    cutoff = measure["cutoff"] if "cutoff" in measure.SUPPORTED_PARAMS else ABSENT
    if provider == "cwl_eval" and measure.NAME in {"P", "RR", "AP", "RBP", "SDCG", "BPM"}:
        cutoff = DEPTH if isinstance(cutoff, Absent) else min(cutoff, DEPTH)
    inside = ",".join(f"{name}={str(value).lower()}" for name, value in given.items())
    arguments = f"({inside})" if inside else ""
    at = "" if cutoff is ABSENT else f"@{cutoff}"
    return f"{NAMES[str(measure.NAME)]}{arguments}{at}"


def _judged(qrels: object) -> dict[str, dict[str, int]]:
    """Returns the judgments as a dictionary whose queries are text."""
    judged = QrelsConverter(qrels).as_dict_of_dict()
    for query in judged:
        if not isinstance(query, str):
            raise TypeError(f"query ids must be text. Got {query!r} instead.")
    return judged


def prepare(provider: str, measures: list[Measure], qrels: object) -> Prepared:
    """Prepares measures that relyon's evaluator computes."""
    judged = _judged(qrels)
    return list(judged), _computer(provider, measures, judged)


def _prepare_subtopics(provider: str, measures: list[Measure], qrels: object) -> Prepared:
    """Prepares measures of diversity; the judgments' iteration is the subtopic."""
    judged: dict[str, dict[str, dict[str, int]]] = {}
    for row in QrelsConverter(qrels).as_namedtuple_iter():
        subtopic = str(getattr(row, "iteration", "0"))
        judged.setdefault(row.query_id, {}).setdefault(row.doc_id, {})[subtopic] = row.relevance
    return list(judged), _computer(provider, measures, judged)


def _computer(
    provider: str, measures: list[Measure], judged: Mapping[str, Mapping[str, object]]
) -> Callable[[object], Values]:
    convention = Convention(
        ties=TIES.get(provider, "input"),  # type: ignore[arg-type]
        undefined="skip" if provider == "accuracy" else "zero",
        missing="skip",
        name=provider,
    )
    texts = {measure: parse(relyon_name(provider, measure)) for measure in measures}
    evaluator = Evaluator(Judgments.from_dict(judged), convention=convention) if judged else None

    def compute(run: object) -> Values:
        nested = RunConverter(run).as_dict_of_dict()
        listed = {query: documents for query, documents in nested.items() if query in judged}
        if evaluator is None or not any(listed.values()):
            return {}
        found = evaluator.evaluate(listed, list(dict.fromkeys(texts.values())))
        columns = {measure: found.values_by_query(own) for measure, own in texts.items()}
        return {
            query: {
                measure: _finished(provider, measure, columns[measure][query])
                for measure in measures
                if not math.isnan(columns[measure].get(query, math.nan))
            }
            for query in listed
        }

    return compute


def _finished(provider: str, measure: Measure, value: float) -> float:
    """Returns a value as the program returns it."""
    if measure.NAME == "RBP":  # the weights of the ranks that cwl_eval reads add up to 1
        return value / (1.0 - float(measure["p"]) ** DEPTH)
    digits = DECIMALS.get(provider)
    return value if digits is None else float(f"{value:.{digits}f}")


def trec_name(measure: Measure) -> tuple[str, str]:
    """Returns a measure's name in pytrec_eval, and the name of its values.

    Examples:
        >>> from relyon.compat.ir_measures import AP, SetF
        >>> trec_name(AP @ 5), trec_name(SetF(beta=0.5))
        (('map_cut_5', 'map_cut_5'), ('set_F_0.5', 'set_F'))
    """
    name = str(measure.NAME)
    if name in CUT_NAMES:
        plain, cut = CUT_NAMES[name]
        text = plain if measure["cutoff"] is ABSENT else f"{cut}_{measure['cutoff']}"
        return text, text
    if name == "NumRet":
        text = "num_ret" if measure["rel"] is ABSENT else "num_rel_ret"
    elif name == "SetP":
        text = "set_relative_P" if measure["relative"] else "set_P"
    elif name == "IPrec":
        text = f"iprec_at_recall_{measure['recall']:.2f}"
    elif name == "SetF":
        weight = float(measure["beta"])
        return ("set_F" if weight == 1 else f"set_F_{weight!r}"), "set_F"
    else:
        text = TREC_NAMES[name]
    return text, text


CUT_NAMES = {
    "P": ("P", "P"),
    "R": ("recall", "recall"),
    "AP": ("map", "map_cut"),
    "nDCG": ("ndcg", "ndcg_cut"),
    "Success": ("success", "success"),
}
TREC_NAMES = {
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "NumQ": "num_q",
    "NumRel": "num_rel",
    "SetAP": "set_map",
    "SetR": "set_recall",
    "infAP": "infAP",
}


#: Lowest relevant grade, whether unjudged documents are left out, gains, weight of the F measure.
_Grading = tuple[int, bool, tuple[tuple[int, int], ...], float]


def _prepare_trec(provider: str, measures: list[Measure], qrels: object) -> Prepared:
    """Prepares measures that pytrec_eval's interface computes, each with its own grades."""
    judged = _judged(qrels)
    groups: dict[_Grading, dict[str, Measure]] = {}
    gains: dict[_Grading, dict[int, int]] = {}
    for measure in measures:
        params = measure.SUPPORTED_PARAMS
        rel = measure["rel"] if "rel" in params else 1
        mapped = measure["gains"] if "gains" in params else ABSENT
        key = (
            1 if rel is ABSENT else rel,
            "judged_only" in params and measure["judged_only"],
            () if isinstance(mapped, Absent) else tuple(sorted(mapped.items())),
            measure["beta"] if measure.NAME == "SetF" else 1.0,
        )
        groups.setdefault(key, {})[trec_name(measure)[1]] = measure
        gains[key] = {} if isinstance(mapped, Absent) else mapped
    evaluators = []
    for key, asked in groups.items():
        grades = gains[key]
        table = judged
        if grades:
            table = {
                query: {document: grades.get(grade, grade) for document, grade in row.items()}
                for query, row in judged.items()
            }
        names = [trec_name(measure)[0] for measure in asked.values()]
        evaluators.append((pytrec_eval.RelevanceEvaluator(table, names, key[0], key[1]), asked))

    def compute(run: object) -> Values:
        nested = RunConverter(run).as_dict_of_dict()
        found: dict[str, dict[Measure, float]] = {}
        for evaluator, asked in evaluators:
            for query, values in evaluator.evaluate(nested).items():
                row = found.setdefault(query, {})
                for name, measure in asked.items():
                    row[measure] = values[name]
        return found

    return list(judged), compute


#: The functions that prepare the measures of a provider, if not `prepare`.
PREPARE = {"pytrec_eval": _prepare_trec, "pyndeval": _prepare_subtopics}
