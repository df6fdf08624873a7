"""Numbers and names as a report writes them."""

from __future__ import annotations

import math

from relkit.measures.names import measure as parse_measure

__all__ = ["MARKS", "kind_of", "label", "number", "p_value", "signed"]

DIGITS = 4
MARKS = {"better": "▲", "worse": "▼", "undecided": "○"}

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
}
WRITTEN = {"recall": "Recall", "success": "Success", "judged": "Judged", "concordance": "C"}


def number(value: float, digits: int = DIGITS) -> str:
    """Returns a value, with a real minus sign, `–` where there is none.

    Examples:
        >>> number(-0.25), number(float("nan"))
        ('−0.2500', '–')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def signed(value: float, digits: int = DIGITS) -> str:
    """Returns a difference with its sign.

    Examples:
        >>> signed(0.25, 2), signed(-0.25, 2), signed(0.0, 2)
        ('+0.25', '−0.25', '0.00')
    """
    text = number(value, digits)
    positive = value > 0 and any(sign in "123456789∞" for sign in text)
    return f"+{text}" if positive else text


def p_value(value: float, *, equation: bool = False) -> str:
    """Returns a p-value, never 0; as an equation, `p = 0.0312`.

    Examples:
        >>> p_value(1e-9), p_value(0.0312, equation=True)
        ('< 0.0001', 'p = 0.0312')
    """
    if math.isnan(value):
        return "p –" if equation else "–"
    if value < 1e-4:
        return "p < 0.0001" if equation else "< 0.0001"
    return f"p = {value:.4f}" if equation else f"{value:.4f}"


def label(measure: str) -> str:
    """Returns a measure's name as prose writes it.

    Examples:
        >>> label("ndcg@10"), label("recall(rel=2)@100")
        ('NDCG@10', 'Recall(rel=2)@100')
    """
    name = _name(measure)
    if not name or not measure.startswith(name):
        return measure
    short = name.upper() if len(name) <= 5 and name not in WRITTEN else name
    return WRITTEN.get(name, short) + measure[len(name) :]


def kind_of(measure: str) -> str:
    """Returns which sentence a change of a measure is told in."""
    return KINDS.get(_name(measure), "other")


def _name(measure: str) -> str:
    try:
        return parse_measure(measure).name
    except (LookupError, ValueError):
        return ""
