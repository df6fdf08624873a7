"""Results in the form that trec_eval prints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from relkit.core.errors import InputError
from relkit.evaluation.tables import Measured
from relkit.measures.labels import count

__all__ = ["trec_lines", "trec_name"]

#: What trec_eval's lines stand for where the measure's own name leaves it open.
TREC_VALUES = {"rbp": {"p": 0.9}}
#: trec_eval's names of measures without a cutoff.
TREC_NAMES = {
    **{"ap": "map", "rr": "recip_rank", "rprec": "Rprec", "infap": "infAP", "iap": "11pt_avg"},
    **{"gm_ap": "gm_map", "set_ap": "set_map", "num_nonrel_ret": "num_nonrel_judged_ret"},
    **{"bin_g": "binG", "g": "G", "rndcg": "Rndcg", "idcg": "ideal_dcg", "f1": "set_F"},
    **{"p@all": "set_P", "recall@all": "set_recall", "recall(capped=true)@all": "set_relative_P"},
    "rbp(p=0.9,gain=linear,normalise=true)": "rbp",
    "rbp(p=0.9)": "rbp",
    "rbp_residual(p=0.9,tail=unjudged)": "rbp_resid",
    "utility": "utility",
}
#: Those with a cutoff, or with another number.
TREC_CUTS = {
    **{"ndcg": "ndcg_cut", "ap": "map_cut", "p": "P", "recall": "recall", "success": "success"},
    **{"unjudged": "unj", "recall(capped=true)": "relative_P"},
}


def trec_name(name: str) -> str:
    """Returns trec_eval's name for a measure, or relkit's own where trec_eval has none.

    Examples:
        >>> trec_name("ndcg@10"), trec_name("ap"), trec_name("iprec@0.5")
        ('ndcg_cut_10', 'map', 'iprec_at_recall_0.50')
    """
    if name in TREC_NAMES:
        return TREC_NAMES[name]
    word, _, k = name.rpartition("@")
    if word == "iprec":
        return f"iprec_at_recall_{float(k):3.2f}"
    if word in TREC_CUTS:
        return f"{TREC_CUTS[word]}_{k}"
    if name.startswith("rprec(multiple=") and name.count("=") == 1:
        return f"Rprec_mult_{float(name[15:-1]):3.2f}"
    if name.startswith("rbp(p=") and name.count("=") == 1 and not word:
        return f"rbp_p={name[6:-1]}"
    return name


def trec_lines(
    run: Measured, per_query: bool, digits: int, header: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """Yields the lines of one run.

    Args:
        run: Its results.
        per_query: Puts the queries' values before the averages, sorted by query.
        digits: Decimals.
        header: Names and texts that come before its averages.
    """

    def line(name: str, query: str, value: float) -> str:
        whole = run.entries[name].average == "sum"
        text = count(value) if whole else f"{value:{digits + 2}.{digits}f}"
        return f"{titles[name]:<22}\t{query}\t{text}"

    from relkit.measures.names import measure

    titles = {name: trec_name(name) for name in run.entries}
    for name, entry in run.entries.items():
        asked = measure(name)
        for key, usual in TREC_VALUES.get(asked.name, {}).items():
            value = measure(entry.definition).filled(key)
            if getattr(asked, key) is None:
                whole = str(replace(asked, **{key: value}))  # type: ignore[type-var]
                known = value != usual or whole in TREC_NAMES
                titles[name] = trec_name(whole) if known else name
    if per_query:
        instead = [
            measure(name).counted(run.convention) if entry.average == "macro" else math.nan
            for name, entry in run.entries.items()
        ]
        for query, values in sorted(run.rows()):
            if any(mark in query for mark in "\t\r\n"):
                raise InputError(
                    f"trec_eval's lines cannot hold the query `{query}`: it has a tab or line end",
                    hint="print CSV or JSON Lines",
                )
            for name, value, other in zip(run.entries, values, instead, strict=True):
                if name == "num_q" or run.entries[name].average == "geometric":
                    continue  # trec_eval prints them for all queries only
                counted = other if math.isnan(value) else value
                if not math.isnan(counted):
                    yield line(name, query, counted)
    for name, text in header:
        yield f"{name:<22}\tall\t{text}"
    for name, entry in run.entries.items():
        yield line(name, "all", entry.value)
