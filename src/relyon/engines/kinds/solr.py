"""Apache Solr: `/solr/COLLECTION/select` with parameters or a body of JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import ClassVar

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.engines.asked import Request
from relyon.engines.engine import engines
from relyon.engines.files.options import Options
from relyon.engines.files.template import Json
from relyon.engines.http.paths import Path
from relyon.engines.kinds.http import Call, Http

__all__ = ["Solr"]

#: Parameters that a request has unless the file names others.
USUAL: Mapping[str, Json] = {"q": "{query}", "rows": "{k}", "fl": "*,score", "wt": "json"}
EXPLAINED: Mapping[str, Json] = {"debug": "results", "debug.explain.structured": "false"}


@engines.register
class Solr(Http):
    """Apache Solr."""

    name = "solr"
    example = "http://localhost:8983"
    usual: ClassVar[Mapping[str, str]] = {
        "hits": "response.docs",
        "id": "id",
        "score": "score",
        "document": "@",
        "explanation": "debug.explain",
        "took": "responseHeader.QTime",
        "total": "response.numFound",
        "error": "error.msg",
        "partial": "responseHeader.partialResults",
    }

    @classmethod
    def _read_call(cls, options: Options, parameters: Mapping[str, Json]) -> Call:
        path = options.text("path")
        if not path:
            collection = options.required("collection", '"products"').strip("/")
            path = f"solr/{collection}/select"
        elif options.has("collection"):
            raise ParameterError(message("engines.index-or-path", path=options.path))
        body = options.json("body")
        if body is None:
            return Call("GET", f"/{path.lstrip('/')}", {**USUAL, **parameters})
        if not isinstance(body, dict):
            raise ParameterError(
                message("engines.key-must-be-table", path=options.path, key="body"),
                hint=message("engines.write-table", line="[body]"),
            )
        inner = body.get("params")
        given = {*parameters, *(inner if isinstance(inner, dict) else {})}
        if "limit" not in body and "rows" not in given:
            body = {**body, "limit": "{k}"}
        if "fields" not in body and "fl" not in given:
            body = {**body, "fields": "*,score"}
        return Call("POST", f"/{path.lstrip('/')}", {"wt": "json", **parameters}, body)

    def _call_for(self, request: Request) -> Call:
        if not request.explain:
            return self._call
        return replace(self._call, parameters={**self._call.parameters, **EXPLAINED})

    def _explanations(self) -> Callable[[Json, Json], Json] | None:
        """Explanations are apart from results, by id."""
        path: Path = self._paths.explanation

        def explanation(whole: Json, id: Json) -> Json:
            found = path(whole)
            return found.get(str(id)) if isinstance(found, dict) else None

        return explanation
