"""Files of queries, grades and a request from other programs: which program a file is of."""

from __future__ import annotations

import os

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.engines.imports.imported import Imported
from relyon.engines.imports.quepid_case import read_quepid_case
from relyon.engines.imports.rank_eval import ADDRESS, read_rank_eval
from relyon.io.json_members import mapping, parse_json
from relyon.io.plain_text import read_file

__all__ = ["read_case"]


def read_case(path: str | os.PathLike[str], *, address: str = ADDRESS, index: str = "") -> Imported:
    """Reads a `_rank_eval` request, or the JSON export of a Quepid case.

    Args:
        path: The file.
        address: Where the engine of a `_rank_eval` request is.
        index: Its index; by default those of its ratings.

    Raises:
        InputError: If it is neither of them, or cannot be read.

    Examples:
        >>> import json, pathlib, tempfile
        >>> rated = {"id": "q1", "request": {"query": {"match": {"title": "tv"}}}, "ratings": []}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "request.json")
        ...     _ = file.write_text(json.dumps({"requests": [rated]}))
        ...     read_case(file).queries
        [{'query_id': 'q1', 'query': 'tv'}]
    """
    file = os.fspath(path)
    content = mapping(parse_json(read_file(file), file), "the file", file)
    if isinstance(content.get("requests"), list):
        return read_rank_eval(file, address=address, index=index)
    if isinstance(content.get("queries"), list) and ("try" in content or "case_name" in content):
        return read_quepid_case(file)
    raise InputError(
        message("engines.is-neither-case"), path=file, hint=message("engines.give-case")
    )
