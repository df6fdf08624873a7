"""Measure names: `name(param=value,…)@k`, and the spellings of other programs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from relyon.core.arguments import split_arguments
from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.parameters import check_items
from relyon.core.registry import nearest
from relyon.core.texts import message
from relyon.measures.definition import Measure
from relyon.measures.lookup import build, registry
from relyon.measures.parameters import parameters
from relyon.measures.spellings import SETS, SPELLINGS, expand

__all__ = ["measure", "measures"]

# name, (parameters), and the cutoff as @10, _10 or .10
NAME = re.compile(
    r"\s*(?P<name>[A-Za-zα][A-Za-z0-9_\-]*?|11pt_avg)\s*(?:\((?P<arguments>[^()]*)\))?\s*"
    r"(?:[@](?P<k>[^@()\s]+)|[_.](?P<cut>\d+))?\s*",
)

#: Parameter names and values of other programs.
PARAMETERS = {
    "dcg": "gain",
    "gains": "gain",
    "relevance_level": "rel",
    "cutoff": "k",
    "max_rel": "max",
    "min_rel": "min",
    "t": "target",
}
VALUES = {"exp-log2": "exp", "log2": "linear"}
#: Words before a measure of one list in parentheses; see `relyon.measures.of_calls`.
OF = {"first", "last", "best", "mean"}
#: Parentheses within a measure of calls that a name can have.
DEEPEST = 20
#: Names that mean several measures, and the whole list if they end in @all.
WHOLE = {"P", "p", "recall", "success", "ndcg_cut", "map_cut", "unj"}


def measure(name: str | Measure) -> Measure:
    """Returns the measure with a name such as `ndcg(gain=exp)@10`.

    Names are case-insensitive; aliases and the spellings of trec_eval (`P_10`, `ndcg_cut_10`),
    ir_measures (`nDCG@10`, `AP(rel=2)`) and ranx (`hit_rate@5`) are understood.

    Raises:
        UnknownNameError: If the measure or parameter is unknown; the hint names the nearest.
        ParameterError: If the text is not a measure name, or a parameter has an invalid value.

    Examples:
        >>> import relyon
        >>> str(relyon.measure("nDCG_cut_10"))
        'ndcg@10'
        >>> relyon.measure(str(relyon.measure("P(rel=2)@5"))) == relyon.measure("p(rel=2)@5")
        True
    """
    if isinstance(name, Measure):
        return name
    of_calls = _of_calls(name)
    if of_calls is not None:
        return of_calls
    several = expand(name) if isinstance(name, str) else None
    if several is not None:
        if len(several) == 1:
            return _single(several[0])
        whole = f"; {name.strip().lower()}@all is the whole list" if name in WHOLE else ""
        raise ParameterError(
            message(
                "measures.means-measures",
                name=name,
                count=len(several),
                several=several[0],
                several_2=several[1],
            ),
            hint=message("measures.name-one-of-them", whole=whole),
        )
    return _single(name)


def _of_calls(name: str) -> Measure | None:
    """Returns the measure of a name such as `first(ndcg@10)`, `None` for other names."""
    # Most names do not need the module.
    if not isinstance(name, str) or name.strip()[:5].lower().partition("(")[0].strip() not in OF:
        return None
    from relyon.measures.of_calls import split_of_calls

    word = name.strip().lower()
    found = split_of_calls(f"{word}()" if word in OF and word not in registry else name)
    if found is None:
        return None
    kind, inside = found
    if not inside.strip():
        raise ParameterError(
            message("measures.not-measure-name", name=name),
            hint=message("measures.write-of-calls", name=kind.name),
        )
    if inside.count("(") > DEEPEST:  # each level would be one of Python's calls
        raise ParameterError(
            message("measures.not-measure-name", name=name[:80]),
            hint=message("measures.write-of-calls", name=kind.name),
        )
    return kind(measure(inside))


def _single(name: str) -> Measure:
    """Returns the measure of one name; a report asks for the same ones hundreds of times."""
    return _parsed(name, registry.additions) if isinstance(name, str) else _parse(name)


@lru_cache(maxsize=1024)
def _parsed(name: str, additions: int) -> Measure:
    return _parse(name)


def _parse(name: str) -> Measure:
    found = NAME.fullmatch(name) if isinstance(name, str) else None
    if found is None:
        from relyon.measures.chinese_names import meant

        near = meant(name) if isinstance(name, str) else ""
        raise ParameterError(
            message("measures.not-measure-name", name=name),
            hint=message("core.did-you-mean", name=near)
            if near
            else message("measures.write-name-k"),
        )
    word, inside = found["name"], found["arguments"] or ""
    spelled = SPELLINGS.get(word.lower())
    arguments = split_arguments(name, inside)
    if spelled is not None and word.lower() not in registry:
        base = NAME.fullmatch(spelled)
        word = base["name"] if base else word
        inner = (base["arguments"] or "") if base else ""
        arguments = split_arguments(name, inner) | arguments
    text = found["k"] if found["k"] is not None else found["cut"]
    if word not in registry:
        near = nearest(word, sorted(SETS), cutoff=0.75)
        if near:
            raise UnknownNameError(
                message("core.unknown-kind", kind=message("measures.the-word-measure"), name=word),
                hint=message("core.did-you-mean", name=near),
            )
    kind = registry.get(word)
    values = _translate(kind, arguments)
    if text is None or (text == "all" and kind.at == "k" and "k" in parameters(kind)):
        return build(kind, values)
    if kind.at != "k":
        return build(kind, {kind.at: text} | values)
    try:
        k = int(text)
    except ValueError:
        k = 0
    if k < 1:
        raise ParameterError(
            message(
                "measures.cutoff-of-must-be-whole",
                name=name,
                text=text,
            )
        )
    return build(kind, values, k)


def measures(names: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Returns the measures of one or several names, each once, in order.

    trec_eval's lists of cutoffs (`P.5,10`, `ndcg_cut_10,20`) mean one measure each, its bare names
    (`P`, `recall`, `success`) for its default cutoffs, and its sets (`official`, `all_trec`, `set`)
    for their measures.

    Raises:
        UnknownNameError: As `measure`.
        ParameterError: As `measure`.

    Examples:
        >>> [str(one) for one in measures("P.5,10")]
        ['p@5', 'p@10']
        >>> [str(one) for one in measures(["success", "recall@all"])]
        ['success@1', 'success@5', 'success@10', 'recall@all']
    """
    if isinstance(names, str | Measure):
        names = [names]
    found: dict[Measure, None] = {}
    for name in check_items("measures", names, "names of measures, such as ndcg@10"):
        of_calls = _of_calls(name) if isinstance(name, str) else None
        if of_calls is not None:
            found[of_calls] = None
            continue
        several = expand(name) if isinstance(name, str) else None
        found |= dict.fromkeys([measure(name)] if several is None else map(_single, several))
    return list(found)


def _translate(kind: type[Measure], arguments: dict[str, str]) -> dict[str, object]:
    known = parameters(kind)
    translated: dict[str, object] = {}
    for name, value in arguments.items():
        own = name if name in known else PARAMETERS.get(name, name)
        translated[own] = _gain(value, name == "gains") if own == "gain" else value
    return translated


def _gain(value: str, others: bool) -> str:
    """Returns relyon's spelling of a gain; unlisted grades are their own gain."""
    value = VALUES.get(value.lower(), value)
    return value[:-1] + ",other:grade}" if others and value.endswith("}") else value
