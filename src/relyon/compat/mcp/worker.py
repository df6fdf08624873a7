"""The process that does the work of a server: it can be ended if it takes too long.

It reads a line of JSON per request from stdin and writes one per answer to stdout; the first line
is what the server was started with. Everything else that is written to stdout goes to stderr.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import warnings
from typing import IO

from relyon.compat.mcp.said import error_values, say
from relyon.compat.mcp.settings import Settings
from relyon.compat.mcp.shorten import shortened
from relyon.compat.mcp.work import Work
from relyon.core.document.json import json_values
from relyon.core.errors import RelyonError
from relyon.core.notes import RelyonWarning
from relyon.core.texts import message

__all__ = ["SCRATCH", "main"]

#: The beginning of the name of the folder for temporary files.
SCRATCH = "relyon-mcp-"


def main() -> None:
    """Answers requests until stdin ends, then removes its temporary files."""
    try:
        _serve()
    except BrokenPipeError:  # the server was killed
        pass
    finally:
        place = tempfile.gettempdir()
        if os.path.basename(place).startswith(SCRATCH):  # of this process alone
            shutil.rmtree(place, ignore_errors=True)


def _serve() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore", RelyonWarning)
    settings = Settings.from_dict(json.loads(sys.stdin.readline()))
    limit_memory(settings.megabytes)
    work: Work | None = None
    try:
        work = Work(settings)
        ready: dict[str, object] = {"ready": True}
        if work.sealed is not None:
            ready |= {"about": work.sealed.about()}
    except RelyonError as error:
        ready = {**error_values(error), "kind": type(error).__name__}
    _write(answers, ready)
    if work is None:
        return
    for line in sys.stdin:
        _write(answers, answer(work, line))


def answer(work: Work, line: str) -> dict[str, object]:
    """Returns the answer to one request: what a tool says, or an error."""
    request = json.loads(line)
    name, arguments = str(request["tool"]), request["arguments"]
    sealed = work.sealed is not None
    try:
        return shortened(work.call(name, arguments))
    except RelyonError as error:
        return shortened(error_values(error, _texts(arguments), sealed=sealed))
    except MemoryError:
        return {"error": say("out-of-memory", megabytes=work.settings.megabytes), "hint": ""}
    except Exception as error:  # an agent gets a sentence, the log the rest
        import traceback

        traceback.print_exc()
        return {"error": message("compat.mcp-unexpected", name=type(error).__name__), "hint": ""}


def limit_memory(megabytes: int) -> None:
    """Limits the memory that this process may take, where the system can do so."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    most = megabytes << 20
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _texts(value: object) -> list[str]:
    """Returns all texts that the agent gave."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for one in pair for text in _texts(one)]
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else []


def _write(answers: IO[str], values: dict[str, object]) -> None:
    answers.write(json.dumps(json_values(values)) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
