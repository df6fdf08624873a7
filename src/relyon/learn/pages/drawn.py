"""What the drawings of lessons show, computed by relyon: scripts only place it.

A drawing of a list that can be moved gets a table for every order, no matter how it is reached; one
without controls gets its lists.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from relyon.core.errors import InputError
from relyon.core.texts import PAGE, message
from relyon.evaluation import roc_curve
from relyon.learn.blocks import Picture, Play
from relyon.learn.figures import figure_of
from relyon.learn.pages.recorded import Record
from relyon.learn.quantities import GradedList, MeasuredLists, read_rules
from relyon.measures.parser import measure

__all__ = [
    "INTERVAL",
    "LAMBDARANK",
    "MOST_LAMBDAS",
    "json_number",
    "picture_data",
    "play_drawing",
    "shares",
]

#: The loss whose gradient is drawn: gains are the grades themselves, as in lesson 2.
LAMBDARANK = "lambdarank(measure=ndcg(gain=linear),normalize=false)"
#: The figure of which a picture draws an interval for each setting.
INTERVAL = "graded"
#: Most orders of which the λ fit a page.
MOST_LAMBDAS = 720

#: Grades in ranked order, each with its score; `None` where unjudged.
Rows = Sequence[tuple[float | None, float]]
Table = dict[str, object]


def shares(count: int) -> list[float]:
    """Returns what DCG leaves of a gain at each rank: the DCG of a single document of grade 1.

    Examples:
        >>> [round(one, 2) for one in shares(3)]
        [1.0, 0.63, 0.5]
    """
    dcg = measure("dcg")
    return [_round(dcg.score([*[0] * rank, 1])) for rank in range(count)]


def picture_data(picture: Picture) -> Table:
    """Returns the data of a drawing without controls.

    Raises:
        InputError: If it has no list, one that is none, or one that cannot be drawn so.
    """
    if not picture.lists:
        raise InputError(message("learn.drawing-has-no-list", id=picture.id))
    found: Table = {"name": picture.drawing, "names": dict(picture.names)}
    if picture.drawing == "interval":
        return found | {"frames": [_frame(one) for one in picture.lists]}
    lists = [GradedList.read(text) for text in picture.lists]
    found["lists"] = [_list(one) for one in lists]
    found["values"] = [_values(text, picture.measures) for text in picture.lists]
    longest = max(len(one.grades) for one in lists)
    if picture.drawing in {"candies", "compare"}:
        found["shares"] = shares(longest)
    if picture.drawing == "compare":
        found["changed"] = list(_changed(lists))
        found["ideal"] = _ideal(lists, picture)
    if picture.drawing == "roc":
        found |= _roc_rules(picture.measures, "")
        found["curves"] = _curves(
            [list(zip(one.grades, one.scores, strict=True)) for one in lists], found
        )
    if picture.drawing == "pairs":
        found |= _pair_rules(picture.measures, "", [grade for one in lists for grade in one.grades])
    if picture.drawing == "lambdas":
        orders = [_judged(one, picture.id) for one in lists]
        found["lambdas"] = {_order(order): _lambdas(order) for order in orders}
    return found


def play_drawing(play: Play, found: Record) -> Table:
    """Returns the data of the drawing that follows a list that is moved.

    Args:
        play: The list to play with.
        found: Its record, for the orders that there are.

    Raises:
        InputError: If the λ of its orders do not fit a page, or are not defined for them.
    """
    grades = [None if math.isnan(one.grade) else one.grade for one in play.documents]
    data: Table = {"name": play.drawing, "names": {}}
    orders = [
        [None if name == "-" else float(name) for name in state.partition("/")[0].split()]
        for state in found.values
    ]
    if play.drawing == "candies":
        data["shares"] = shares(len(grades))
    if play.drawing == "roc":
        data |= _roc_rules(play.measures, play.rules)
        data["curves"] = _curves([_ranked(order) for order in orders], data)
    if play.drawing == "pairs":
        data |= _pair_rules(play.measures, play.rules, grades)
    if play.drawing == "lambdas":
        whole = play.retrieved == len(grades) and not play.line and None not in grades
        if len(orders) > MOST_LAMBDAS or not whole:
            raise InputError(
                message("learn.lambdas-cannot-be-drawn", id=play.id),
                hint=message("learn.lambdas-need", most=MOST_LAMBDAS),
            )
        full = [[grade for grade in order if grade is not None] for order in orders]
        data["lambdas"] = {_order(order): _lambdas(order) for order in full}
    return data


def json_number(value: float | None) -> float | str | None:
    """Returns a number for JSON: infinity becomes text."""
    if value is None or math.isnan(value):
        return None
    return PAGE.number(value) if math.isinf(value) else round(value, 10)


def _list(one: GradedList) -> Table:
    ties = [sum(score == other for other in one.scores) > 1 for score in one.scores]
    places = {score: place for place, score in enumerate(sorted({*one.scores}, reverse=True))}
    return {
        "grades": list(one.grades),
        "groups": [places[score] for score in one.scores] if any(ties) else None,
        "missing": list(one.missing),
    }


def _values(text: str, measures: Sequence[str]) -> list[list[object]]:
    found = [(name, MeasuredLists.read(f"{name}:{text}").value) for name in measures]
    return [[name, json_number(value)] for name, value in found]


def _changed(lists: Sequence[GradedList]) -> Iterator[list[bool]]:
    """Yields for each list the places at which it differs from the one above it."""
    above: GradedList | None = None
    for one in lists:
        before = one.grades if above is None else above.grades
        yield [
            place >= len(before) or grade != before[place] for place, grade in enumerate(one.grades)
        ]
        above = one


def _ideal(lists: Sequence[GradedList], picture: Picture) -> Table | None:
    """Returns the ideal list, if the lists have one in common and the picture is about it.

    That is: a measure of the picture is divided by it (or is it), or ``names.ideal`` is given.
    """
    asked = "ideal" in picture.names or any(
        "ndcg" in one or "idcg" in one for one in picture.measures
    )
    pools = {
        tuple(sorted((*(g for g in one.grades if g is not None), *one.missing), reverse=True))
        for one in lists
    }
    if not asked or len(pools) > 1:
        return None
    pool = pools.pop()
    length = max(len(one.grades) for one in lists)
    text = ",".join(f"{grade:g}" for grade in pool[:length])
    rest = ",".join(f"{grade:g}" for grade in pool[length:])
    text += f"/{rest}" if rest else ""
    ideal = GradedList.read(text)
    first = lists[0].grades
    changed = [
        place >= len(first) or grade != first[place] for place, grade in enumerate(ideal.grades)
    ]
    return _list(ideal) | {
        "values": _values(text, picture.measures),
        "changed": changed if len(lists) == 1 else None,
        "is": next((n for n, one in enumerate(lists) if one.grades == ideal.grades), None),
    }


def _asked(kinds: tuple[str, ...], measures: Sequence[str]) -> str:
    """Returns the first of the measures that has one of these names, else the first name."""
    return next((one for one in measures if measure(one).name in kinds), kinds[0])


def _roc_rules(measures: Sequence[str], rules: str) -> Table:
    """Returns the lowest relevant grade, and what unjudged documents count as (empty: not)."""
    auc = measure(_asked(("auc", "gauc"), measures)).resolve(read_rules(rules))
    values = auc.kernel()
    chosen = values[1] if values else {}
    rel = chosen.get("rel")
    return {
        "rel": 1.0 if rel is None else float(str(rel)),
        "unjudged": "0" if chosen.get("unjudged") == "nonrelevant" else "",
    }


def _curves(orders: Sequence[Rows], rules: Table) -> dict[str, Table]:
    """Returns the ROC curve of each order of relevant (1) and other (0) documents, by that order.

    Documents of equal score are in brackets; a list without one of the two has no curve.
    """
    found: dict[str, Table] = {}
    for order in orders:
        known = [
            (int(grade is not None and grade >= float(str(rules["rel"]))), score)
            for grade, score in order
            if grade is not None or rules["unjudged"]
        ]
        groups = [
            [label for label, score in known if score == one]
            for one in sorted({score for _, score in known}, reverse=True)
        ]
        key = "".join(_group(labels) for labels in groups)
        if key in found or len({label for label, _ in known}) < 2:
            continue
        curve = roc_curve([label for label, _ in known], [score for _, score in known])
        found[key] = {
            "x": [_round(one) for one in curve.x.tolist()],
            "y": [_round(one) for one in curve.y.tolist()],
            "cut": [sum(map(len, groups[:place])) for place in range(len(groups) + 1)],
            "area": _round(curve.area),
        }
    return found


def _group(labels: Sequence[int]) -> str:
    written = "".join(map(str, sorted(labels, reverse=True)))
    return f"({written})" if len(labels) > 1 else written


def _pair_rules(
    measures: Sequence[str], rules: str, grades: Sequence[float | None]
) -> dict[str, object]:
    """Returns what a pair is by its two grades, the upper one first, as PNR counts it.

    A pair of equal grades is told apart, and `equal` says whether PNR counts it as the right way.
    """
    pnr = measure(_asked(("pnr", "concordance"), measures)).resolve(read_rules(rules))
    values = pnr.kernel()
    chosen = {name: str(one) for name, one in (values[1] if values else {}).items()}
    settings = [f"{name}={chosen[name]}" for name in ("label_ties", "score_ties", "unjudged")]
    counted = measure(f"concordance({','.join(settings)})")
    none = chosen["unjudged"] == "nonrelevant"
    known = sorted({grade for grade in grades if grade is not None} | ({0.0} if none else set()))
    kinds = {}
    for upper, lower in product(known, known):
        right = counted.score([upper, lower]) > 0
        kinds[f"{upper:g} {lower:g}"] = "equal" if upper == lower else "right" if right else "wrong"
    return {
        "kinds": kinds,
        "equal": bool(known) and counted.score([known[0], known[0]]) > 0,
        "tied": chosen["score_ties"],
        "unjudged": "0" if none else "",
    }


def _judged(one: GradedList, name: str) -> list[float]:
    grades = [grade for grade in one.grades if grade is not None]
    if len(grades) < len(one.grades) or one.missing or len({*one.scores}) < len(one.scores):
        raise InputError(
            message("learn.lambdas-cannot-be-drawn", id=name),
            hint=message("learn.lambdas-need", most=MOST_LAMBDAS),
        )
    return grades


def _lambdas(grades: Sequence[float]) -> Table:
    """Returns the push of each document, and of each pair, of a list whose scores are 1 apart.

    A push is minus the gradient: above 0 the score should rise. A pair's is its change of NDCG
    when swapped, times the slope of RankNet's loss of the two; a document's is the sum of them.
    """
    import relyon.ltr
    from relyon.ltr.losses.lambdarank import LambdaRank

    loss = relyon.ltr.loss(LAMBDARANK)
    ranknet = relyon.ltr.loss("ranknet(sigma=1)")
    assert isinstance(loss, LambdaRank)
    scores = [float(len(grades) - place) for place in range(len(grades))]
    pushes = -loss.evaluate(list(grades), scores).gradient
    swaps = loss.swaps(list(grades))
    pairs = []
    for upper in range(len(grades)):
        for lower in range(upper + 1, len(grades)):
            if grades[upper] == grades[lower] or not swaps[upper, lower]:
                continue
            labels = [float(grades[upper] > grades[lower]), float(grades[upper] < grades[lower])]
            slope = ranknet.evaluate(labels, [scores[upper], scores[lower]]).gradient
            push = -float(slope[0]) * float(swaps[upper, lower])
            pairs.append([upper, lower, _round(push)])
    return {"pushes": [_round(float(one)) for one in pushes], "pairs": pairs}


def _frame(text: str) -> Table:
    try:
        setting = float(text)
    except ValueError:
        raise InputError(message("learn.interval-needs-number", text=text)) from None
    found = figure_of(INTERVAL, setting)
    return {"setting": setting, **_plain(found.values, found.series)}


def _plain(values: Mapping[str, float], series: Mapping[str, object]) -> Table:
    return {
        "values": {name: json_number(one) for name, one in values.items()},
        "series": dict(series),
    }


def _ranked(order: Sequence[float | None]) -> Rows:
    return [(grade, float(-place)) for place, grade in enumerate(order)]


def _order(grades: Sequence[float]) -> str:
    return " ".join(f"{grade:g}" for grade in grades)


def _round(value: float) -> float:
    return round(float(value), 6)
