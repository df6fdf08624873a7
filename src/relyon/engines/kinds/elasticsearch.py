"""Elasticsearch and OpenSearch: `/INDEX/_search` with a body in their query language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.engines.asked import Request
from relyon.engines.engine import engines
from relyon.engines.files.options import Options
from relyon.engines.files.template import Json
from relyon.engines.kinds.http import Call, Http

__all__ = ["Elasticsearch"]

#: The query of a file without a body: the words in any field.
WORDS: Json = {"query": {"multi_match": {"query": "{query}", "lenient": True}}}


@engines.register
class Elasticsearch(Http):
    """Elasticsearch and OpenSearch, whose requests and answers are the same here."""

    name = "elasticsearch"
    aliases = ("opensearch",)
    example = "http://localhost:9200"
    usual: ClassVar[Mapping[str, str]] = {
        "hits": "hits.hits",
        "id": "_id",
        "score": "_score",
        "document": "_source",
        "explanation": "_explanation",
        "took": "took",
        "total": "hits.total",
        # Shards that were not searched in time, or not at all: some results may be missing.
        "partial": "timed_out || _shards.failed > `0`",
    }

    @classmethod
    def _read_call(cls, options: Options, parameters: Mapping[str, Json]) -> Call:
        path = options.text("path")
        if not path:
            index = options.required("index", '"products"').strip("/")
            path = f"{index}/_search"
        elif options.has("index"):
            raise ParameterError(message("engines.index-or-path", path=options.path))
        body = options.json("body")
        if body is None:
            body = WORDS
        if not isinstance(body, dict):
            raise ParameterError(
                message("engines.key-must-be-table", path=options.path, key="body"),
                hint=message("engines.write-table", line="[body]"),
            )
        if "size" not in body and "size" not in parameters:
            body = {**body, "size": "{k}"}
        return Call("POST", f"/{path.lstrip('/')}", parameters, body)

    def _call_for(self, request: Request) -> Call:
        body = self._call.body
        if not request.explain or not isinstance(body, dict):
            return self._call
        return replace(self._call, body={**body, "explain": True})
