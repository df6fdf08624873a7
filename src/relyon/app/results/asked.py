"""Which results a page or a program asks for: a filter, an order, and where to begin."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Annotated
from urllib.parse import parse_qsl, urlencode

from fastapi import Query
from pydantic import BaseModel, BeforeValidator, Field

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.judging.result_filter import ResultFilter
from relyon.judging.result_list import ResultOrder
from relyon.judging.result_rows import ResultState

__all__ = ["Asked", "AskedFor", "read_asked", "safe_return"]

#: Pages that lead to a query's results, and back to which a link leads.
RETURNS = re.compile(r"/(monitor|projects/\d+/(preferences|agreement|queue|mine))(#[\w-]*)?")


def _empty(value: object) -> object:
    """Forms send what was not chosen as an empty text."""
    return None if value == "" else value


Maybe = BeforeValidator(_empty)
Short = Annotated[str, Field(max_length=500)]
Grade = Annotated[Annotated[float, Field(allow_inf_nan=False)] | None, Maybe]


class Asked(BaseModel):
    """A list of results, as an address asks for it."""

    query: Short = ""
    exact: Annotated[bool, Field(description="Whether `query` is the whole query.")] = False
    text: Annotated[Short, Field(description="A part of the query, the title, or the id.")] = ""
    judge: Annotated[Annotated[int, Field(ge=1, le=2**31 - 1)] | None, Maybe] = None
    lowest: Annotated[Grade, Field(description="The least grade of a judge.")] = None
    highest: Annotated[Grade, Field(description="The greatest grade of a judge.")] = None
    tier: Annotated[Annotated[str, Field(max_length=200)] | None, Maybe] = None
    state: Annotated[ResultState | None, Maybe] = None
    noted: bool = False
    imported: bool = False
    since: Annotated[date | None, Maybe, Field(description="In UTC.")] = None
    until: Annotated[date | None, Maybe, Field(description="In UTC, this day included.")] = None
    order: ResultOrder = "newest"
    after: Annotated[str, Field(max_length=5000, description="The `next` of the page before.")] = ""
    back: Annotated[str, Field(max_length=200, exclude=True)] = ""

    def chosen(self) -> ResultFilter:
        """Returns the filter."""
        return ResultFilter(
            self.query.strip(), self.exact, self.text.strip(), self.judge, self.lowest,
            self.highest, self.tier, self.state, self.noted, self.imported,
            _begin(self.since), None if self.until is None else _begin(self.until, days=1),
        )  # fmt: skip

    def address(self, **changes: object) -> str:
        """Returns the query string of this list, or of one that differs."""
        values = {**self.model_dump(mode="json"), "back": self.back, **changes}
        given = Asked().model_dump(mode="json") | {"back": ""}
        return urlencode(
            {
                name: str(value).lower() if isinstance(value, bool) else value
                for name, value in values.items()
                if value != given[name] and value is not None
            }
        )


def _begin(day: date | None, *, days: int = 0) -> float | None:
    """Returns the first second of a day in UTC, or of one later."""
    if day is None:
        return None
    try:
        later = day + timedelta(days=days)
    except OverflowError:
        later = date.max
    return datetime(later.year, later.month, later.day, tzinfo=UTC).timestamp()


AskedFor = Annotated[Asked, Query()]


def read_asked(text: str) -> Asked:
    """Returns the list of a query string, from a form.

    Raises:
        ParameterError: If there is no such list.
    """
    try:
        return Asked.model_validate(dict(parse_qsl(text, max_num_fields=30)))
    except ValueError:
        raise ParameterError(
            message("judging.unknown-cursor"), hint=message("judging.open-list-again")
        ) from None


def safe_return(address: str) -> str:
    """Returns the address of a page to go back to; empty if it is not one of ours.

    Examples:
        >>> safe_return("/monitor"), safe_return("//evil.example/monitor"), safe_return("")
        ('/monitor', '', '')
    """
    return address if RETURNS.fullmatch(address) else ""
