"""Hints that say what to write in Python, and what they say on the command line."""

from __future__ import annotations

from relyon.core.texts import message

__all__ = ["HINTS", "said"]

#: By what they say in Python.
HINTS = {
    "assign columns by number, {reader}(…, {parameter}), or add a header line": (
        "assign columns by number: {columns} {places}; or add a header line"
    ),
    "without strict, these warnings are only printed": (
        "drop --strict to continue despite warnings"
    ),
    "to evaluate a file of scores, use read_scored(…, scores=…)": (
        "to evaluate a file of scores: --scored FILE --scores FILE"
    ),
    "name its column: {reader}(…, {parameter})": "name its column: {columns} {role}={name}",
    "leave `columns` out": "leave {columns} out",
    "leave `columns` out, or name another format": "leave {columns} out, or name another format",
    "name the file with one score per line: scores=PATH": (
        "name the file that holds one score per line: --scores FILE"
    ),
    "name the file with the number of rows per query: groups=PATH": (
        "name the file that holds the number of rows of each query: --groups FILE"
    ),
    'name a scale for grades such as 高/中/低/无: scale="search"': (
        "name a scale for grades such as 高/中/低/无: --scale search"
    ),
    'say scale="search", or give the map itself: gain={3:1,2:0.7,1:0.3,0:0}': (
        "say --scale search, or give the map itself: --set gain={3:1,2:0.7,1:0.3,0:0}"
    ),
    "choose another tie rule, such as ties=input": (
        "choose another tie rule, such as --set ties=input"
    ),
    "choose another tie rule, such as ties=doc-desc": (
        "choose another tie rule, such as --set ties=doc-desc"
    ),
    "set negative=nonrelevant or negative=unjudged": (
        "say --set negative=nonrelevant or --set negative=unjudged"
    ),
    "name the column of documents: document=NAME": "name the column of documents: --document NAME",
    "all rows belong to one query: name the query column, query=NAME": (
        "all rows belong to one query: name the query column, --query NAME"
    ),
    "overwrite=True replaces it": "--force replaces it",
    "create one with kind='side_by_side'": "make one: `relyon judge init --kind side_by_side`",
    "join columns into an id of one search: columns={'session': 'visit+search'}": (
        "join columns into an id of one search: --columns session=visit+search"
    ),
}


def said(hint: str, columns: str = "--columns") -> str:
    """Returns a hint as the command line says it.

    Args:
        hint: A hint of an error, which may speak of Python.
        columns: The option that says `columns=`.
    """
    template = getattr(hint, "template", hint)
    if template not in HINTS:
        return hint
    spoken = HINTS[template]
    values = dict(getattr(hint, "values", {}))
    if "{columns}" in spoken:
        values["columns"] = columns
    if values.get("reader") == "relyon.read_scored" and values.get("role") == "score":
        return message("name its column: --score {name}", **values)
    return message(spoken, **values)
