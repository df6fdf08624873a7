"""Calls of traces in memory, checked one by one, and the native table made of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from relyon import _native
from relyon.core.errors import InputError, ParseError
from relyon.core.texts import Message, message

__all__ = ["TraceColumns"]

#: Numbers of calls are smaller, and larger than its negative.
LARGEST = 10**15
#: Half of a pair of surrogates; the others here stand for bytes that are not UTF-8.
LONE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


@dataclass
class TraceColumns:
    """Collects calls; `table` returns them.

    Attributes:
        path: The file, for messages; empty for data in memory.
    """

    path: str = ""
    _columns: dict[str, Any] = field(
        default_factory=lambda: {
            name: []
            for name in (
                "tasks", "queries", "numbers", "lines", "rows", "reads", "tokens", "seconds",
                "documents", "scores", "ranks", "starts", "ends", "read",
            )
        }
    )  # fmt: skip
    _spans: bool = False
    _ranked: bool = False
    _where: tuple[int, str, int] = (0, "", 0)

    def __len__(self) -> int:
        return len(self._columns["tasks"])

    def add(
        self,
        task: object,
        call: Mapping[str, object],
        *,
        line: int = 0,
        ranks: Sequence[int] | None = None,
    ) -> None:
        """Adds a call.

        Args:
            task: The id of its task.
            call: Its members: `results` and perhaps `call`, `query`, `read`, `tokens`, `seconds`.
            line: Its line in the file; 0 for data in memory.
            ranks: The rank of each result; `None` for its place.

        Raises:
            InputError: If a member is missing or of another type.
        """
        self._where = (line, str(task), len(self) + 1)
        columns = self._columns
        name = self._id(task, "task")
        if "results" not in call:
            raise self._error(message("data.call-lacks", member="results"))
        results = self._results(call["results"])
        read = call.get("read")
        documents = None
        if read is not None:
            documents = [self._id(one, "read") for one in self._list(read, "read")]
        number = call.get("call")
        if number is not None and (
            isinstance(number, bool) or not isinstance(number, int) or abs(number) >= LARGEST
        ):
            raise self._error(message("data.call-number-is-not-whole", value=shown(number)))
        query = call.get("query")
        if query is not None and not isinstance(query, str):
            raise self._error(
                message("data.call-member-is-not-text", member="query", value=shown(query))
            )
        tokens, seconds = self._amount(call, "tokens"), self._amount(call, "seconds")
        columns["tasks"].append(name)
        # A query may have been cut in the middle of a character: it is only shown.
        columns["queries"].append(LONE.sub("\ufffd", query or ""))
        columns["numbers"].append(number)
        columns["lines"].append(line)
        columns["rows"].append(len(results))
        columns["reads"].append(-1 if documents is None else len(documents))
        columns["tokens"].append(tokens)
        columns["seconds"].append(seconds)
        columns["read"] += documents or ()
        for document, score, start, end in results:
            columns["documents"].append(document)
            columns["scores"].append(score)
            columns["starts"].append(start)
            columns["ends"].append(end)
            self._spans |= not (math.isnan(start) and math.isnan(end))
        self._ranked |= ranks is not None
        columns["ranks"] += range(1, len(results) + 1) if ranks is None else ranks

    def table(self, *, has_ranks: bool = True) -> _native.TraceTable:
        """Returns the calls.

        Args:
            has_ranks: Whether ranks may order the results; else ``ties="rank"`` is refused.

        Raises:
            InputError: If a task repeats the number of a call, a call repeats a document, or only
                some of its results have scores.
        """
        columns = dict(self._columns)
        if not self._spans:
            columns["starts"] = columns["ends"] = None
        if not self._ranked:
            columns["ranks"] = None
        return _native.TraceTable.from_columns(columns, path=self.path, has_ranks=has_ranks)

    def _results(self, results: object) -> list[tuple[str, float, float, float]]:
        if isinstance(results, Mapping):
            return [
                (self._id(document, "document"), self._number(score, "score"), math.nan, math.nan)
                for document, score in results.items()
            ]
        return [self._result(one) for one in self._list(results, "results")]

    def _result(self, one: object) -> tuple[str, float, float, float]:
        if isinstance(one, Mapping):
            if "document" not in one:
                raise self._error(message("data.result-lacks-document", value=shown(dict(one))))
            document = self._id(one["document"], "document")
            score = self._number(one.get("score"), "score")
            start, end = self._amount(one, "start"), self._amount(one, "end")
            if start > end:
                raise self._error(
                    message("data.span-ends-before", document=document, start=start, end=end)
                )
            return document, score, start, end
        if isinstance(one, tuple) and len(one) == 2:
            return self._id(one[0], "document"), self._number(one[1], "score"), math.nan, math.nan
        if isinstance(one, list | tuple) or one is None:
            raise self._error(message("data.result-lacks-document", value=shown(one)))
        return self._id(one, "document"), math.nan, math.nan, math.nan

    def _list(self, value: object, member: str) -> Iterable[object]:
        if isinstance(value, list | tuple):
            return value
        raise self._error(
            message("data.call-member-is-not-list", member=member, value=shown(value))
        )

    def _id(self, value: object, member: str) -> str:
        found = value.item() if hasattr(value, "item") else value
        if isinstance(found, bool) or not isinstance(found, str | int) or found == "":
            raise self._error(
                message("data.call-member-is-not-id", member=member, value=shown(value))
            )
        text = str(found)
        if LONE.search(text):
            raise self._error(
                message("data.call-member-is-not-id", member=member, value=shown(value))
            )
        return text

    def _number(self, value: object, member: str) -> float:
        """Returns a finite number, NaN for None."""
        if value is None:
            return math.nan
        from relyon.data.columns import number

        found = None if isinstance(value, str | bool) else number(value)
        if found is None or not math.isfinite(found):
            raise self._error(
                message("data.call-member-is-not-number", member=member, value=shown(value))
            )
        return found

    def _amount(self, members: Mapping[str, object], member: str) -> float:
        value = self._number(members.get(member), member)
        if value < 0:
            raise self._error(
                message("data.call-member-is-negative", member=member, value=shown(value))
            )
        return value

    def _error(self, said: Message | str) -> InputError:
        line, task, call = self._where
        hint = message("data.form-of-call")
        if line and self.path:
            return ParseError(said, path=self.path, line=line, hint=hint)
        where = message("data.in-call", task=task, call=call, problem=said)
        return InputError(where, path=self.path, hint=hint)


def shown(value: object) -> str:
    """Returns a value for a message, shortened."""
    text = repr(value) if not isinstance(value, str) else value
    return text if len(text) <= 60 else text[:59] + "…"
