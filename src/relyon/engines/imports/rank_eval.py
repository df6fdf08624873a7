"""Requests to `_rank_eval` of Elasticsearch and OpenSearch, as an engine's file and its inputs."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import cast

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.columns import plain_name
from relyon.data.columns.synonyms import QUERY_TEXTS
from relyon.engines.files.engine_toml import escape_braces
from relyon.engines.files.template import PLACEHOLDER, Json, Scalar, names_in, write_scalar
from relyon.engines.imports.imported import Imported, left_out, safe_ids
from relyon.engines.imports.text_templates import json_template, placeholder_name
from relyon.io.json_members import identifier, listing, mapping, parse_grade, parse_json
from relyon.io.plain_text import read_file

__all__ = ["METRICS", "read_rank_eval"]

ADDRESS = "http://localhost:9200"
#: Metrics by name, with the measures that count the same.
METRICS = {
    "precision": "p",
    "recall": "recall",
    "mean_reciprocal_rank": "rr",
    "expected_reciprocal_rank": "err",
    "dcg": "dcg",
}
#: Parameters of metrics that are carried over.
KNOWN = ("k", "relevant_rating_threshold", "normalize", "maximum_relevance")
MUSTACHE = re.compile(r"\{\{(\{)?\s*([\w.\-]+)\s*(?(1)\}\}\}|\}\})")
SECTION = re.compile(r"\{\{\{?\s*[#^/>!&]")
GIVEN = frozenset({"query", "query_id", "k"})


def read_rank_eval(
    path: str | os.PathLike[str], *, address: str = ADDRESS, index: str = ""
) -> Imported:
    """Reads a `_rank_eval` request: requests with their ratings, or a template with parameters.

    What differs between its requests becomes the query and further columns; the parameters of a
    template that are the same everywhere become parameters of the engine's file.

    Args:
        path: The file with the request's body.
        address: Where the engine is, which the request does not say.
        index: The index; by default those of the ratings.

    Raises:
        InputError: If it cannot be read, or its requests have no common template.

    Examples:
        >>> import json, pathlib, tempfile
        >>> def rated(id, text):
        ...     body = {"query": {"match": {"title": text}}}
        ...     ratings = [{"_index": "shop", "_id": "d1", "rating": 2}]
        ...     return {"id": id, "request": body, "ratings": ratings}
        >>> asked = {"requests": [rated("q1", "red shoes"), rated("q2", "tv")],
        ...          "metric": {"dcg": {"k": 20, "normalize": True}}}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "request.json")
        ...     _ = file.write_text(json.dumps(asked))
        ...     found = read_rank_eval(file)
        >>> found.measure, found.k, found.engine["index"], found.queries[0]
        ('ndcg@20', 20, 'shop', {'query_id': 'q1', 'query': 'red shoes'})
    """
    file = os.fspath(path)
    content = mapping(parse_json(read_file(file), file), "the request", file)
    requests = [mapping(one, "a request", file) for one in _list(content, "requests", file)]
    if not requests:
        raise InputError(message("engines.no-queries"), path=file)
    names = [identifier(one.get("id"), "`id`", file) for one in requests]
    twice = next((one for one in names if names.count(one) > 1), None)
    if twice is not None:
        raise InputError(message("engines.request-twice", id=twice), path=file)
    ids = safe_ids(names)
    grades, indices = _grades(dict(zip(ids, requests, strict=True)), file)
    template, columns, parameters, notes = _template(content, requests, names, file)
    measure, k, more = _measure(content.get("metric"), file)
    notes += more
    rows: list[dict[str, Scalar]] = []
    for place, (id, name) in enumerate(zip(ids, names, strict=True)):
        row: dict[str, Scalar] = {"query_id": id}
        if id != name:
            row["name"] = name
        rows.append(row | {column: values[place] for column, values in columns.items()})
    used = set(names_in(template))
    engine: dict[str, Json] = {
        "kind": "elasticsearch",
        "address": address,
        "index": index or ",".join(indices) or "INDEX",
        "body": json.dumps(template, ensure_ascii=False, indent=2),
        "parameters": {name: one for name, one in parameters.items() if name in used},
    }
    source = f"From {os.path.basename(file)}: a _rank_eval request."
    return Imported(engine, rows, grades, measure, "elasticsearch", k, source, tuple(notes))


def _list(content: Mapping[str, object], name: str, path: str) -> list[object]:
    return listing(content.get(name), f"`{name}`", path)


def _grades(
    requests: Mapping[str, Mapping[str, object]], path: str
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Returns the grades by query and document, and the indices of the documents."""
    found: dict[str, dict[str, float]] = {}
    indices: dict[str, None] = {}
    for query, request in requests.items():
        for rating in _list(request, "ratings", path):
            one = mapping(rating, "a rating", path)
            document = identifier(one.get("_id"), "`_id`", path)
            where = f"query `{query}`, document `{document}`"
            grade = parse_grade(one.get("rating"), where, path, None)
            grades = found.setdefault(query, {})
            if grades.setdefault(document, grade) != grade:
                raise InputError(
                    message("engines.rated-twice", query=query, document=document), path=path
                )
            if isinstance(one.get("_index"), str) and one["_index"]:
                indices[str(one["_index"])] = None
    return found, list(indices)


def _measure(metric: object, path: str) -> tuple[str, int, list[Note]]:
    """Returns the measure that counts as a metric does, and how many results it looks at."""
    if metric is None:
        return "", 10, []
    found = mapping(metric, "`metric`", path)
    name = next(iter(found), "")
    if len(found) != 1 or name not in METRICS:
        return "", 10, [left_out("metric", name=name)]
    options = mapping(found[name] or {}, f"`{name}`", path)
    notes = []
    depth = options.get("k", 10)
    k = depth if isinstance(depth, int) and not isinstance(depth, bool) and depth > 0 else 10
    for option, value in options.items():
        if option not in KNOWN and value not in (None, False):
            notes.append(left_out("metric-option", name=name, option=option))
    measure = "ndcg" if name == "dcg" and options.get("normalize") else METRICS[name]
    threshold = options.get("relevant_rating_threshold", 1)
    highest = options.get("maximum_relevance")
    inner = ""
    if name == "expected_reciprocal_rank" and isinstance(highest, int):
        inner = f"(max={highest})"
    elif measure in ("p", "recall", "rr") and threshold != 1:
        inner = f"(rel={threshold})"
    return f"{measure}{inner}@{k}", k, notes


# -- the template ----------------------------------------------------------------------------------

Columns = dict[str, list[Scalar]]


def _template(
    content: Mapping[str, object],
    requests: Sequence[Mapping[str, object]],
    names: Sequence[str],
    path: str,
) -> tuple[Json, Columns, dict[str, Scalar], list[Note]]:
    """Returns the body's template, the columns of the queries, and the other parameters."""
    used = [one.get("template_id") for one in requests]
    if all(one is None for one in used):
        bodies = [
            dict(cast("dict[str, Json]", mapping(one.get("request"), f"`{name}`: `request`", path)))
            for one, name in zip(requests, names, strict=True)
        ]
        notes = _without_paging(bodies)
        template, columns = _common(cast("list[Json]", bodies), path)
        parameters: dict[str, Scalar] = {}
    else:
        if len({str(one) for one in used}) > 1:
            raise InputError(
                message("engines.several-templates", names=sorted({str(one) for one in used})),
                path=path,
                hint=message("engines.split-request"),
            )
        template, columns, parameters = _of_mustache(content, requests, str(used[0]), path)
        bodies = [dict(template)] if isinstance(template, dict) else []
        notes = _without_paging(bodies)
        template = bodies[0] if bodies else template
    query = _query_column(columns)
    if query:
        if query != "query":
            template = _renamed(template, query, "query")
            columns = {("query" if name == query else name): one for name, one in columns.items()}
        columns = {"query": columns.pop("query"), **columns}
    else:
        notes.append(left_out("query-text"))
        columns = {"query": list(names), **columns}
    return template, columns, parameters, notes


def _without_paging(bodies: Sequence[dict[str, Json]]) -> list[Note]:
    """Takes `size` and `from` out of bodies: `k` is how many results are asked for."""
    shifted = sum(bool(one.pop("from", 0)) for one in bodies)
    for one in bodies:
        one.pop("size", None)
    return [left_out("from", shifted)] if shifted else []


def _common(bodies: list[Json], path: str) -> tuple[Json, Columns]:
    """Returns what bodies have in common, with placeholders for what differs."""
    if len(bodies) == 1:
        return _of_one(bodies[0])
    columns: Columns = {}
    taken = set(GIVEN)

    def merge(values: list[Json], key: str) -> Json:
        first = values[0]
        if len({json.dumps(one, sort_keys=True) for one in values}) == 1:
            return _escaped(first)
        if isinstance(first, dict):
            parts = [one for one in values if isinstance(one, dict) and one.keys() == first.keys()]
            if len(parts) == len(values):
                return {
                    escape_braces(name): merge([one[name] for one in parts], name) for name in first
                }
        if isinstance(first, list):
            lists = [one for one in values if isinstance(one, list) and len(one) == len(first)]
            if len(lists) == len(values):
                return [merge([one[n] for one in lists], key) for n in range(len(first))]
        if all(isinstance(one, str | int | float | bool) for one in values):
            found = cast("list[Scalar]", values)
            known = next((name for name, one in columns.items() if one == found), None)
            if known is None:
                known = placeholder_name(key, taken)
                columns[known] = found
            return f"{{{known}}}"
        raise InputError(
            message("engines.requests-differ", key=key),
            path=path,
            hint=message("engines.split-request"),
        )

    return merge(bodies, "body"), columns


def _of_one(body: Json) -> tuple[Json, Columns]:
    """Returns the template of a single body: its one text under `query` is the query."""
    texts: dict[str, None] = {}

    def look(value: Json, within: bool, key: str) -> Json:
        if isinstance(value, dict):
            return {
                escape_braces(name): look(one, within or key.startswith("match"), name)
                for name, one in value.items()
            }
        if isinstance(value, list):
            return [
                _escaped(one) if isinstance(one, str) else look(one, within, key) for one in value
            ]
        if isinstance(value, str) and (key == "query" or (within and key != "operator")):
            texts[value] = None
            return "{query}"
        return _escaped(value)

    template = look(body, False, "")
    if len(texts) == 1:
        return template, {"query": list(texts)}
    return _escaped(body), {}


def _escaped(value: Json) -> Json:
    if isinstance(value, str):
        return escape_braces(value)
    if isinstance(value, list):
        return [_escaped(one) for one in value]
    if isinstance(value, dict):
        return {escape_braces(name): _escaped(one) for name, one in value.items()}
    return value


def _of_mustache(
    content: Mapping[str, object], requests: Sequence[Mapping[str, object]], id: str, path: str
) -> tuple[Json, Columns, dict[str, Scalar]]:
    """Returns a template of Mustache, the parameters that differ, and those that do not."""
    templates = [mapping(one, "a template", path) for one in _list(content, "templates", path)]
    chosen = next((one for one in templates if one.get("id") == id), None)
    inner = chosen.get("template") if chosen else None
    source = None
    if isinstance(inner, dict):
        source = inner.get("source", inner.get("inline"))
    if source is None:
        raise InputError(
            message("engines.no-such-template", name=id),
            path=path,
            hint=message("engines.write-template"),
        )
    text = source if isinstance(source, str) else json.dumps(source, ensure_ascii=False)
    if SECTION.search(text):
        raise InputError(
            message("engines.template-has-sections", name=id),
            path=path,
            hint=message("engines.write-template"),
        )
    asked = list(dict.fromkeys(found[2] for found in MUSTACHE.finditer(text)))
    values: dict[str, list[Scalar]] = {name: [] for name in asked}
    for request in requests:
        given = mapping(request.get("params") or {}, "`params`", path)
        for name in asked:
            value = given.get(name, "")
            if not isinstance(value, str | int | float | bool):
                raise InputError(message("engines.parameter-no-scalar", name=name), path=path)
            values[name].append(value)
    query = _query_column(values)
    taken = set(GIVEN)
    names = {name: "query" if name == query else placeholder_name(name, taken) for name in asked}
    template = json_template(text, MUSTACHE, lambda found: names[found[2]], path)
    columns: Columns = {}
    parameters: dict[str, Scalar] = {}
    for name, found in values.items():
        if name == query or len({(type(one), one) for one in found}) > 1:
            columns[names[name]] = found
        else:
            parameters[names[name]] = found[0]
    return template, columns, parameters


def _query_column(columns: Mapping[str, Sequence[Scalar]]) -> str:
    """Returns the column that has the texts of queries: by its name, or the most various one."""
    texts = {
        name: values
        for name, values in columns.items()
        if all(isinstance(one, str) and one.strip() for one in values)
    }
    for name in sorted(texts, key=lambda one: "query" not in plain_name(one)):
        if "query" in plain_name(name) or plain_name(name) in QUERY_TEXTS:
            return name
    return max(texts, key=lambda name: len({*texts[name]}), default="")


def _renamed(template: Json, old: str, new: str) -> Json:
    if isinstance(template, str):
        return PLACEHOLDER.sub(
            lambda found: f"{{{new}}}" if found[1] == old else found[0], template
        )
    if isinstance(template, list):
        return [_renamed(one, old, new) for one in template]
    if isinstance(template, dict):
        return {
            _text(_renamed(name, old, new)): _renamed(one, old, new)
            for name, one in template.items()
        }
    return template


def _text(value: Json) -> str:
    return value if isinstance(value, str) else write_scalar(cast("Scalar", value))
