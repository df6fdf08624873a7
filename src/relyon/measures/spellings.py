"""How other programs write measures, especially trec_eval, and names that mean several."""

from __future__ import annotations

import math
import re

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["SETS", "expand"]

NINE = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
LEVELS = ("0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1")
MULTIPLES = ("0.2", "0.4", "0.6", "0.8", "1", "1.2", "1.4", "1.6", "1.8", "2")

#: trec_eval's measures with cutoffs: relyon's spelling, and the default cutoffs.
LISTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "p": ("p@{}", NINE),
    "recall": ("recall@{}", NINE),
    "ndcg_cut": ("ndcg@{}", NINE),
    "map_cut": ("ap@{}", NINE),
    "success": ("success@{}", ("1", "5", "10")),
    "relative_p": ("recall(capped=true)@{}", NINE),
    "unj": ("unjudged@{}", ("5", "10", "20")),
    "iprec_at_recall": ("iprec@{}", LEVELS),
    "iprec": ("iprec@{}", LEVELS),
    "rprec_mult": ("rprec(multiple={})", MULTIPLES),
}
#: Names that mean one measure with parameters.
SPELLINGS = {
    "ndcg_cut": "ndcg",
    "relative_p": "recall(capped=true)",
    "ndcg_burges": "ndcg(gain=exp)",
    "dcg_burges": "dcg(gain=exp)",
    "ndcg_score": "ndcg",
    "ideal_dcg": "idcg",
    "rbp_resid": "rbp_residual(p=0.9,tail=unjudged)",
    "set_relative_p": "recall(capped=true)@all",
    "setrelp": "recall(capped=true)@all",
}
#: What trec_eval's nicknames mean, in the order in which it prints; `runid` and `relstring` are not
#: numbers.
SETS = {
    "official": "num_q num_ret num_rel num_rel_ret ap gm_ap rprec bpref rr iprec p",
    "set": (
        "num_q num_ret num_rel num_rel_ret utility p@all recall(capped=true)@all recall@all set_ap"
        " f1"
    ),
    "all_trec": (
        "num_q num_ret num_rel num_rel_ret ap gm_ap rprec bpref rr iprec p recall infap gm_bpref"
        " rprec_mult utility iap bin_g g ndcg ndcg_rel rndcg ndcg_cut map_cut relative_p success"
        " p@all recall(capped=true)@all recall@all set_ap f1 num_nonrel_ret"
        " rbp(p=0.9,gain=linear,normalise=true) rbp_residual(p=0.9,tail=unjudged) unj"
    ),
}
#: Measures of gain that take trec_eval's pairs of grades and gains.
GAINED = {"ndcg", "dcg", "idcg", "ideal_dcg", "rndcg", "ndcg_rel", "g"}
PERSISTENT = {"rbp": "rbp({},normalise=true)", "rbp_resid": "rbp_residual({},tail=unjudged)"}
TEXTS = {"runid", "relstring"}

# name; after a point or underscore, numbers or pairs separated by commas; and a cutoff
TAIL = (
    r"(?P<word>[A-Za-z0-9_\-]*?[A-Za-z])(?P<sign>[._])"
    r"(?P<tail>[-+.\d][^()@\s=]*|\w+=[^()@\s]+)(?P<at>@[^()@\s]+)?"
)

# ir_measures' SetP(relative=True) and SetF(beta=2)
SET_CALL = r"set_?(?P<kind>[pf])\s*\((?P<inside>[^()]*)\)"


def expand(name: str) -> list[str] | None:
    """Returns relyon's own spelling of a name, `None` if it already is one.

    Raises:
        ParameterError: If its parameters cannot be parsed, or it is not a number.

    Examples:
        >>> expand("P_5,10"), expand("rbp.95"), expand("ndcg@10")
        (['p@5', 'p@10'], ['rbp(p=0.95)'], None)
        >>> expand("ndcg.1=3,2=9")
        ['ndcg(gain={1:3,2:9,other:grade})']
        >>> expand("success")
        ['success@1', 'success@5', 'success@10']
    """
    text = name.strip()
    word = text.lower()
    if word in SETS:
        return [one for part in SETS[word].split() for one in expand(part) or [part]]
    if word in LISTS:
        template, values = LISTS[word]
        return [template.format(value) for value in values]
    call = re.fullmatch(SET_CALL, word) if word.startswith("set") else None
    if call is not None:
        return _of_set(name, call["kind"], call["inside"])
    # Most names do not need a compiled pattern.
    found = re.fullmatch(TAIL, text) if "." in text or "_" in text else None
    if found is None:
        if word in TEXTS:
            raise _no_number(word)
        return None
    return _with_tail(name, found["word"].lower(), found["sign"], found["tail"], found["at"] or "")


def _with_tail(name: str, word: str, sign: str, tail: str, at: str) -> list[str] | None:
    values = tail.split(",")
    if word in TEXTS:
        raise _no_number(word)
    if "=" in tail:
        return [_paired(name, word, values) + at] if word in GAINED | set(PERSISTENT) else None
    if word == "rbp" and sign == ".":
        # ranx writes the digits after the decimal point
        shares = [value if "." in value else f"0.{value}" for value in values]
        return [f"rbp(p={_number(name, share)}){at}" for share in shares]
    if at:
        return None
    if word in LISTS:
        numbers = [_number(name, value) for value in values]
        if word not in {"iprec", "iprec_at_recall", "rprec_mult"}:
            # trec_eval's cutoffs end at the point
            numbers = [value.partition(".")[0] for value in numbers]
        return [LISTS[word][0].format(value) for value in numbers]
    if word == "utility":
        numbers = [_number(name, value) for value in values]
        if len(numbers) != 4:
            raise ParameterError(message("measures.needs-four-numbers", name=name))
        return ["utility(tp={},fp={},fn={},tn={})".format(*numbers)]
    if word in {"set_f", "setf"}:
        beta = _beta(name, values[0])
        return ["f1" if beta == 1 else f"f_beta(beta={beta!r})"]
    if word == "11pt_avg":
        raise ParameterError(
            message("measures.levels-of-recall-cannot", name=name),
            hint=message("measures.iap-points-11-takes"),
        )
    if all(value.isdigit() for value in values):
        return [f"{word}@{value}" for value in values]
    return None


def _beta(name: str, weight: str) -> float:
    """Returns the beta of F from trec_eval's weight of recall, which is its square."""
    square = float(_number(name, weight))
    if square < 0:
        raise ParameterError(message("measures.weight-of-must-be-0", name=name))
    return math.sqrt(square)


def _of_set(name: str, kind: str, inside: str) -> list[str] | None:
    items = dict(item.strip().lower().partition("=")[::2] for item in inside.split(","))
    if kind == "f" and "beta" in items:
        items["beta"] = repr(_beta(name, items["beta"]))
        return [f"f_beta({_written(items)})"]
    if kind == "p" and "relative" in items:
        if items.pop("relative") == "true":
            return [f"recall({_written(items | {'capped': 'true'})})@all"]
        return [f"p({_written(items)})@all"]
    return None


def _written(items: dict[str, str]) -> str:
    return ",".join(f"{key}={value}" for key, value in items.items())


def _paired(name: str, word: str, items: list[str]) -> str:
    """Returns a measure from trec_eval's parameters `1=3,2=9`, `p=0.95`."""
    gains, named = [], []
    for item in items:
        key, _, value = item.partition("=")
        pair = (key, _number(name, value))
        if key.isdigit():
            gains.append(":".join(pair))
        elif key == "p" and word in PERSISTENT:
            named.append("=".join(pair))
        else:
            raise ParameterError(
                message("measures.no-grade-or-parameter", name=name, key=key),
                hint=message("measures.write-grade-gain-grade"),
            )
    if gains:
        named.append("gain={" + ",".join([*gains, "other:grade"]) + "}")
    elif word == "rbp":
        named.append("gain=linear")
    inside = ",".join(named)
    return PERSISTENT[word].format(inside) if word in PERSISTENT else f"{word}({inside})"


def _number(name: str, text: str) -> str:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ParameterError(message("measures.not-number", name=name, text=text))
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _no_number(word: str) -> ParameterError:
    return ParameterError(
        message("measures.is-text", word=word),
        hint=message("measures.relyon-trec-eval-prints"),
    )
