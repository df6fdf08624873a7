"""Numbers and names as a report writes them."""

from __future__ import annotations

from collections.abc import Mapping

from relkit.core.texts.numbers import PAGE
from relkit.measures.labels import measure_label
from relkit.measures.names import measure as parse_measure

__all__ = ["MARKS", "asked", "kind_of", "label", "number", "p_equation", "p_value", "signed"]

number, signed = PAGE.number, PAGE.signed
p_value, p_equation = PAGE.p_value, PAGE.p_equation

MARKS = {"better": "▲", "worse": "▼", "undecided": "○", "described": ""}

KINDS = {
    "recall": "coverage",
    "num_rel_ret": "coverage",
    "idcg": "coverage",
    "ndcg": "top",
    "dcg": "top",
    "ap": "top",
    "err": "top",
    "rbp": "top",
    "rr": "first",
    "p": "precision",
    "rprec": "precision",
    "cg": "precision",
    "meanp": "precision",
    "success": "hit",
    "auc": "pairs",
    "gauc": "pairs",
    "pnr": "pairs",
    "tau": "pairs",
    "concordance": "pairs",
    "bpref": "pairs",
    "judged": "judged",
    "alpha_dcg": "diversity",
    "alpha_ndcg": "diversity",
    "err_ia": "diversity",
    "nerr_ia": "diversity",
    "nrbp": "diversity",
    "nnrbp": "diversity",
    "p_ia": "diversity",
    "ap_ia": "diversity",
    "strecall": "diversity",
}
WRITTEN = {"recall": "Recall", "success": "Success", "judged": "Judged", "concordance": "C"}


def label(measure: str) -> str:
    """Returns a measure's name as prose writes it.

    Examples:
        >>> label("ndcg@10"), label("recall(rel=2)@100")
        ('NDCG@10', 'Recall(rel=2)@100')
        >>> label("pnr"), label("pnr(label_ties=ignore)")
        ('PNR', 'PNR (strict)')
    """
    name, shown = _name(measure), measure_label(measure)
    if not name or not shown.startswith(name):
        return shown
    short = name.upper() if len(name) <= 5 and name not in WRITTEN else name
    return WRITTEN.get(name, short) + shown[len(name) :]


def asked(query: str, texts: Mapping[str, str]) -> str:
    """Returns a query's id, with what was asked where that is known and says more.

    Examples:
        >>> asked("q1", {"q1": "red shoes"}), asked("red shoes", {"red shoes": "red shoes"})
        ('q1 · red shoes', 'red shoes')
    """
    text = " ".join(texts.get(query, "").split())
    return f"{query} · {text}" if text and text != query else query


def kind_of(measure: str) -> str:
    """Returns which sentence a change of a measure is told in."""
    return KINDS.get(_name(measure), "other")


def _name(measure: str) -> str:
    try:
        return parse_measure(measure).name
    except (LookupError, ValueError):
        return ""
