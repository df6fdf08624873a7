"""An engine in this process whose answers a test scripts, and one over HTTP with known results."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from relyon.engines import Answer, Configuration, Engine, Limits, Request, Variant
from relyon.engines.files.options import Options
from relyon.engines.files.secrets import Secrets
from relyon.engines.files.template import Json
from relyon.engines.reach import Reach

__all__ = ["QUICK", "Scripted", "answer", "hits_of", "reply_of", "without_times", "write_engine"]

#: Limits under which tests need not wait.
QUICK = Limits(concurrency=4, retries=3, timeout=5.0)


class Scripted(Engine):
    """Answers as a function does, and counts.

    Args:
        reply: Returns the answer to a request, or raises.
        used: The names that its templates use.
        secrets: What must not be shown.
    """

    name = "scripted"

    def __init__(
        self,
        reply: Callable[[Request], Answer],
        used: Iterable[str] | None = None,
        secrets: Secrets | None = None,
    ) -> None:
        self._reply = reply
        self._used = used
        self._lock = threading.Lock()
        self._now = 0
        self.secrets = secrets or Secrets({})
        self.asked: Counter[tuple[str, str]] = Counter()
        self.times: list[float] = []
        self.most = 0

    @classmethod
    def from_options(cls, options: Options, secrets: Secrets) -> Scripted:
        """Is not made from files."""
        raise NotImplementedError

    @property
    def address(self) -> str:
        """Where it is."""
        return "here"

    @property
    def recipe(self) -> Json:
        """What decides its answers."""
        return {"kind": self.name}

    def placeholders(self) -> Iterable[str] | None:
        """The names that its templates use."""
        return self._used

    def open(self, timeout: float, connections: int, reach: Reach | None = None) -> None:
        """Does nothing."""

    def ask(self, request: Request) -> Answer:
        """Answers, and counts requests, their times, and how many there were at once."""
        with self._lock:
            self.asked[request.variant.name, request.query.id] += 1
            self.times.append(time.monotonic())
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            return self._reply(request)
        finally:
            with self._lock:
                self._now -= 1

    def close(self) -> None:
        """Does nothing."""

    def configured(self, variants: Sequence[Variant] = (Variant("base"),)) -> Configuration:
        """Returns this engine as its file would describe it."""
        return Configuration("scripted", self, tuple(variants), QUICK)


def hits_of(query: str, k: int) -> list[dict[str, object]]:
    """Returns the results of a query: always the same."""
    return [
        {
            "id": f"d{sum(query.encode()) * 7 + rank}",
            "score": (k - rank) * 1.37 + len(query),
            "title": f"标题 {rank}",
        }
        for rank in range(k)
    ]


def reply_of(body: object) -> dict[str, object]:
    """Returns the reply of the engine that `write_engine` describes."""
    assert isinstance(body, Mapping)
    return {"hits": hits_of(str(body["q"]), int(body["size"]))}


def write_engine(folder: Path, address: str, more: str = "") -> Path:
    """Writes the file of an engine over HTTP."""
    path = folder / "engine.toml"
    path.write_text(
        f'''kind = "http"
address = "{address}"
path = "/search"
body = {{q = "{{query}}", size = "{{k}}"}}
hits = "hits"
id = "id"
score = "score"
{more}
''',
        "utf-8",
    )
    return path


def without_times(tape: Path) -> list[object]:
    """Returns the lines of a tape after its head, without times and what went wrong meanwhile."""
    found: list[object] = []
    for line in tape.read_text("utf-8").splitlines()[1:-1]:
        one = json.loads(line)
        found.append({key: one[key] for key in one if key not in ("ms", "at", "took", "problems")})
    return found


def answer(request: Request) -> Answer:
    """Returns k documents whose ids and scores follow from the request."""
    shift = int(request.variant.parameters.get("shift", 0))
    ids = [f"{request.query.id}-{rank + shift}" for rank in range(request.k)]
    return Answer(ids, [10.0 - rank for rank in range(request.k)], [{"title": one} for one in ids])
