"""Cases of Quepid: its JSON export as an engine's file, queries and judgments."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.engines.files.template import Json, Scalar, names_in
from relyon.engines.http.connection import SECRET
from relyon.engines.imports.imported import Imported, left_out, safe_ids
from relyon.engines.imports.quepid_fields import field_table
from relyon.engines.imports.text_templates import json_template, placeholder_name, text_template
from relyon.io.json_members import identifier, listing, mapping, parse_grade, parse_json
from relyon.io.plain_text import read_file

__all__ = ["read_quepid_case"]

#: `#$query##`, `#$keyword1##`, `#$qOption.a|none##`, and `##curator##` or `##curator=5##`.
PLACEHOLDER = re.compile(
    r"#\$(?P<magic>\w+)(?P<inner>(?:\.[\w.\-]+|\[[^\]#]*\])*)(?:\|(?P<default>[^#]*))?##"
    r"|##(?P<curator>[^#=]+)(?:=(?P<value>[^#]*))?##"
)
SCORER = re.compile(r"(ndcg|ndcg_cut|dcg|cg|err|ap|p|rr)@(\d+)", re.IGNORECASE)
#: Kinds of engines by Quepid's names.
KINDS = {"es": "elasticsearch", "os": "opensearch", "solr": "solr"}
#: Engines that answer over HTTP, with where results are if that is known.
OTHERS: Mapping[str, Mapping[str, str]] = {
    "algolia": {"hits": "hits", "id": "objectID"},
    "searchapi": {"hits": "results", "id": "id"},
    "vectara": {"hits": "results", "id": "id"},
}


def read_quepid_case(path: str | os.PathLike[str]) -> Imported:
    """Reads the JSON export of a Quepid case: queries, ratings, and the try.

    Queries have ids of their own if their texts have spaces; information needs and notes are the
    columns `need` and `notes`. Curator variables become parameters, query options and keywords
    further columns. Headers, users and passwords are never copied: the engine's file names
    variables of the environment in their place.

    Args:
        path: The file.

    Raises:
        InputError: If it cannot be read, or its template cannot be.

    Examples:
        >>> import json, pathlib, tempfile
        >>> case = {"case_name": "Shop", "scorer": {"name": "nDCG@10"}, "queries": [
        ...     {"query_text": "red shoes", "information_need": "Shoes that are red",
        ...      "ratings": [{"doc_id": "d1", "rating": 3}]}],
        ...     "try": {"query_params": "q=#$query##&tie=##tie##", "field_spec": "title:name",
        ...             "curator_variables": [{"name": "tie", "value": 0.5}],
        ...             "search_endpoint": {"search_engine": "solr",
        ...                                 "endpoint_url": "http://host:8983/solr/shop/select"}}}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "case.json")
        ...     _ = file.write_text(json.dumps(case))
        ...     found = read_quepid_case(file)
        >>> found.engine["url_parameters"], found.engine["parameters"], found.measure
        ({'q': '{query}', 'tie': '{tie}'}, {'tie': 0.5}, 'ndcg@10')
    """
    file = os.fspath(path)
    case = mapping(parse_json(read_file(file), file), "the case", file)
    notes: list[Note] = []
    queries, grades = _queries(case, file, notes)
    if not queries:
        raise InputError(message("engines.case-without-queries"), path=file)
    texts = list(queries)
    ids = safe_ids(texts)
    attempt = mapping(case.get("try") or {}, "`try`", file)
    rows: list[dict[str, Scalar]] = []
    for id, text in zip(ids, texts, strict=True):
        row: dict[str, Scalar] = {"query_id": id, "query": text}
        for column, key in (("need", "information_need"), ("notes", "notes")):
            if any(one.get(key) for one in queries.values()):
                row[column] = str(queries[text].get(key) or "")
        rows.append(row)
    engine = _Try(case, attempt, list(queries.values()), file, notes).engine(rows)
    scorer = mapping(case.get("scorer") or {}, "`scorer`", file)
    depth = attempt.get("number_of_rows")
    return Imported(
        engine,
        rows,
        {id: grades[text] for id, text in zip(ids, texts, strict=True) if grades[text]},
        _measure(scorer, notes),
        "quepid",
        depth if isinstance(depth, int) and not isinstance(depth, bool) and depth > 0 else 10,
        f"From {os.path.basename(file)}: the Quepid case {_line(case.get('case_name'))}.",
        tuple(notes),
    )


def _line(name: object) -> str:
    return "".join(sign for sign in str(name or "") if sign.isprintable())[:100]


def _queries(
    case: Mapping[str, object], path: str, notes: list[Note]
) -> tuple[dict[str, Mapping[str, object]], dict[str, dict[str, float]]]:
    """Returns the queries by their text, and their grades."""
    found: dict[str, Mapping[str, object]] = {}
    grades: dict[str, dict[str, float]] = {}
    empty = twice = without = 0
    for one in listing(case.get("queries"), "`queries`", path):
        query = mapping(one, "a query", path)
        text = " ".join(str(query.get("query_text") or "").split())
        if not text:
            empty += 1
            continue
        twice += text in found
        found.setdefault(text, query)
        own = grades.setdefault(text, {})
        for rating in listing(query.get("ratings") or [], f"query `{text}`: `ratings`", path):
            content = mapping(rating, f"query `{text}`: a rating", path)
            document = identifier(content.get("doc_id"), f"query `{text}`: `doc_id`", path)
            if content.get("rating") is None:
                without += 1
                continue
            where = f"query `{text}`, document `{document}`"
            own.setdefault(document, parse_grade(content["rating"], where, path, None))
    notes += [
        left_out(what, count)
        for what, count in (("queries", empty), ("twice", twice), ("ratings", without))
        if count
    ]
    return found, grades


def _measure(scorer: Mapping[str, object], notes: list[Note]) -> str:
    name = str(scorer.get("name") or "")
    known = SCORER.fullmatch(name.strip())
    if known is None:
        if name:
            notes.append(left_out("scorer", name=_line(name)))
        return ""
    measure, k = known[1].lower(), known[2]
    return f"ndcg(ideal=judged)@{k}" if measure == "ndcg_cut" else f"{measure}@{k}"


class _Try:
    """The try of a case: its template, where it is sent, and which fields are shown."""

    def __init__(
        self,
        case: Mapping[str, object],
        attempt: Mapping[str, object],
        queries: Sequence[Mapping[str, object]],
        path: str,
        notes: list[Note],
    ) -> None:
        self._case = case
        self._try = attempt
        self._queries = queries
        self._path = path
        self._notes = notes
        self._taken = {"query", "query_id", "k", "need", "notes"}
        self._names: dict[str, str] = {}
        self._parameters: dict[str, Json] = {}
        self._columns: dict[str, list[Scalar]] = {}
        given = listing(attempt.get("curator_variables") or [], "`curator_variables`", path)
        variables = (mapping(one, "a curator variable", path) for one in given)
        self._curators = {str(one.get("name")): one.get("value") for one in variables}

    def engine(self, rows: list[dict[str, Scalar]]) -> dict[str, Json]:
        """Returns the engine's file; further columns are added to the rows of the queries."""
        endpoint = mapping(self._try.get("search_endpoint") or {}, "`search_endpoint`", self._path)
        name = str(endpoint.get("search_engine") or self._try.get("search_engine") or "")
        url = str(endpoint.get("endpoint_url") or self._try.get("search_url") or "")
        if (name not in KINDS and name not in OTHERS) or not url:
            self._notes.append(left_out("engine", name=_line(name) or "-"))
            return {}
        address, place = self._address(url, bool(endpoint.get("basic_auth_credential")))
        found: dict[str, Json] = {
            "kind": KINDS.get(name, "http"),
            "name": _line(self._case.get("case_name")),
            "address": address,
        }
        found |= self._kind(name, place)
        template = self._template(name)
        found |= template
        id_path, fields = field_table(str(self._try.get("field_spec") or ""), name in ("es", "os"))
        if (
            id_path
            and name in ("solr", "searchapi", "vectara")
            and id_path != found.get("id", "id")
        ):
            found["id"] = id_path
        found |= {
            "fields": {**fields},
            "headers": {**self._headers(endpoint)},
        }
        used = {name for one in template.values() for name in names_in(one)}
        found["parameters"] = {name: one for name, one in self._parameters.items() if name in used}
        for column, values in self._columns.items():
            if column in used:
                for row, value in zip(rows, values, strict=True):
                    row[column] = value
        if endpoint.get("mapper_code"):
            self._notes.append(left_out("mapper"))
        elif name in ("searchapi", "vectara"):
            self._notes.append(left_out("paths"))
        if name == "solr" and self._try.get("escape_query"):
            self._notes.append(left_out("escape"))
        return {key: one for key, one in found.items() if one not in ({}, "")}

    def _address(self, url: str, password: bool) -> tuple[str, str]:
        """Returns the address without user, password and parameters, and the path."""
        parts = urlsplit(url.strip())
        host = parts.netloc.rpartition("@")[2]
        user = ""
        if password or "@" in parts.netloc:
            user = "${SEARCH_USER}@"
            self._notes.append(left_out("password", variable="SEARCH_USER"))
        if parts.query:
            self._notes.append(left_out("address"))
        return urlunsplit((parts.scheme, user + host, "", "", "")), parts.path

    def _kind(self, name: str, place: str) -> dict[str, Json]:
        """Returns where in the engine requests go, and where results are."""
        parts = place.strip("/").split("/")
        if name in ("es", "os") and len(parts) == 2 and parts[1] == "_search":
            return {"index": parts[0]}
        if name == "solr" and len(parts) == 3 and (parts[0], parts[2]) == ("solr", "select"):
            return {"collection": parts[1]}
        return {"path": place, **OTHERS.get(name, {})}

    def _template(self, name: str) -> dict[str, Json]:
        text = str(self._try.get("query_params") or "").strip()
        if text.startswith(("{", "[")):
            body = json_template(text, PLACEHOLDER, self._name, self._path)
            sized = isinstance(body, dict) and name in ("es", "os")
            if sized and isinstance(body, dict):
                body = {key: one for key, one in body.items() if key not in ("size", "from")}
            return {"body": json.dumps(body, ensure_ascii=False, indent=2)}
        parameters: dict[str, Json] = {}
        template = text_template("".join(text.splitlines()), PLACEHOLDER, self._name)
        for key, value in parse_qsl(template, keep_blank_values=True):
            if key in ("rows", "start") and name == "solr":
                continue
            secret = SECRET.search(key) and not value.startswith("{")
            shown = self._variable(key) if secret else value
            known = parameters.get(key)
            several = [*known, shown] if isinstance(known, list) else [known, shown]
            parameters[key] = (
                shown if known is None else [one for one in several if one is not None]
            )
        found: dict[str, Json] = {"url_parameters": parameters}
        return found if name in KINDS else {"method": "GET", **found}

    def _name(self, found: re.Match[str]) -> str:
        """Returns the name of a placeholder, and keeps its values."""
        if found["curator"] is not None:
            return self._curator(found["curator"].strip(), found["value"])
        magic, inner = found["magic"], found["inner"] or ""
        if magic == "query":
            return "query"
        key = magic + inner
        if key in self._names:
            return self._names[key]
        keyword = re.fullmatch(r"keyword(\d+)", magic)
        values: list[Scalar]
        if keyword:
            values = [_word(one, int(keyword[1])) for one in self._queries]
        else:
            keys = [one for one in re.split(r"[.\[\]'\"]+", inner) if one]
            values = [self._option(one, magic, keys, found["default"]) for one in self._queries]
            if "" in values:
                self._notes.append(left_out("option", name=".".join([magic, *keys])))
        self._names[key] = name = placeholder_name(key, self._taken)
        self._columns[name] = values
        return name

    def _curator(self, name: str, value: str | None) -> str:
        known = self._names.get(f"##{name}")
        if known is None:
            known = self._names[f"##{name}"] = placeholder_name(name, self._taken)
            given = self._curators.get(name, value)
            self._parameters[known] = _number(given)
        return known

    def _option(
        self, query: Mapping[str, object], magic: str, keys: Sequence[str], default: str | None
    ) -> Scalar:
        found: object = {**_options(self._case.get("options")), **_options(query.get("options"))}
        for key in keys if magic == "qOption" else ("",):
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, str | int | float | bool) else default or ""

    def _headers(self, endpoint: Mapping[str, object]) -> dict[str, str]:
        """Returns the headers, with a variable of the environment for each value."""
        return {name: self._variable(name) for name in _options(endpoint.get("custom_headers"))}

    def _variable(self, name: str) -> str:
        """Returns a variable of the environment in place of a value that may be a secret."""
        variable = "SEARCH_" + re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").upper()
        self._notes.append(left_out("header", name=name, variable=variable))
        return f"${{{variable}}}"


def _options(value: object) -> dict[str, object]:
    """Returns options, which may be an object or its text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}


def _word(query: Mapping[str, object], place: int) -> str:
    words = str(query.get("query_text") or "").split()
    return words[place - 1] if 0 < place <= len(words) else ""


def _number(value: object) -> Json:
    """Returns a curator variable's value: numbers as numbers."""
    if isinstance(value, bool | int | float):
        return value
    text = str(value if value is not None else "")
    if re.fullmatch(r"-?(0|[1-9]\d*)", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d+\.\d+", text) else text
