"""Shared by passages and chunks: the fields of their rows, and what their offsets count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from relyon.core.errors import InputError, ParseError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.data.columns import is_na, missing, number as number_of, parse_grade
from relyon.data.parts import Part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.scale import Scale

__all__ = [
    "Faults",
    "Offsets",
    "Passage",
    "Resolution",
    "Rows",
    "character_offsets",
    "check_offsets",
    "other_length",
    "part_of_row",
    "passage_of_row",
    "text_of",
]

#: What starts and ends count.
Offsets = Literal["characters", "lf", "utf8", "utf16"]
#: Rows with their fields by role.
Rows: TypeAlias = list[dict[str, object]]

Resolution = Literal["given", "exact", "normalized", "nearest", "not searched", "not found"]


@dataclass(frozen=True)
class Passage:
    """A judged passage.

    Attributes:
        query: The query.
        part: The document and the place; if it is not found, the length is that of the quote.
        grade: The grade.
        name: Its own name within the query, or empty.
        quote: Its text, or empty.
        resolution: How its place is known: `given` as offsets; the quote found as it is (`exact`),
            with width and white space `normalized`, or at the `nearest` place; `not searched`, or
            `not found`.
        similarity: Of the quote and the place, from 0 to 1.
        places: How many places are equally good, of which this is one.
    """

    query: str
    part: Part
    grade: float = 1.0
    name: str = ""
    quote: str = ""
    resolution: Resolution = "given"
    similarity: float = 1.0
    places: int = 1

    @property
    def shown(self) -> str:
        """The name in messages: query, document, and place or the beginning of the quote."""
        document, start, end, found = self.part
        short = self.quote if len(self.quote) <= 40 else self.quote[:39] + "…"
        place = f"{start}-{end}" if found else f"“{short}”"
        return f"{self.query}: {document} {place}"


@dataclass(frozen=True)
class Faults:
    """Names rows in errors.

    Attributes:
        path: The file, or empty for memory.
        lines: The line of each row, if the file has lines.
    """

    path: str = ""
    lines: Sequence[int] = ()

    def error(self, number: int, problem: str, hint: str = "") -> InputError:
        """Returns the error about a row, counted from 0."""
        if number < len(self.lines):
            return ParseError(problem, path=self.path, line=self.lines[number], hint=hint)
        said = message("data.row-problem", row=number + 1, problem=problem)
        return InputError(said, path=self.path, hint=hint)


def text_of(row: Mapping[str, object], role: str, number: int, faults: Faults) -> str:
    """Returns an id: text, or a whole number as its decimal text.

    Raises:
        InputError: If it is missing or something else.
    """
    value = row.get(role)
    if _absent(value):
        raise faults.error(number, message("data.row-lacks", role=role))
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise faults.error(number, message("data.id-is-not-text", role=role, value=value))
    return str(value)


def part_of_row(
    row: Mapping[str, object], document: str, number: int, faults: Faults, text: object = None
) -> Part | None:
    """Returns the place that a row gives, or None if it gives none.

    A start without an end is enough if the row has the text that starts there.

    Raises:
        InputError: If start or end is missing or no offset, or the end comes before the start.
    """
    given = [row.get("start"), row.get("end")]
    absent = [_absent(one) for one in given]
    if all(absent):
        return None
    if absent == [False, True] and isinstance(text, str) and text:
        given, absent = [given[0], given[0]], [False, False]
    else:
        text = ""
    offsets: list[int] = []
    for role, value, lacking in zip(("start", "end"), given, absent, strict=True):
        if lacking:
            raise faults.error(
                number, message("data.row-lacks", role=role), message("data.give-end-or-text")
            )
        found = number_of(value)
        if found is None or found < 0 or found != found // 1 or found > 2**53:
            raise faults.error(number, message("data.is-not-offset", role=role, value=value))
        offsets.append(int(found))
    start, end = offsets
    if end < start:
        raise faults.error(number, message("data.part-ends-before-start", start=start, end=end))
    return Part(document, start, end + len(text))


def check_offsets(offsets: Offsets, texts: Mapping[str, str] | None, path: str) -> None:
    """Refuses offsets of bytes without the texts that turn them into characters.

    Raises:
        ParameterError: If it is not known what they count.
        InputError: If they need texts.
    """
    check_choice("offsets", offsets, get_args(Offsets))
    if offsets != "characters" and texts is None:
        raise InputError(
            message("data.offsets-need-texts", offsets=offsets),
            path=path,
            hint=message("data.give-texts"),
        )


def character_offsets(
    part: Part, texts: Mapping[str, str], offsets: Offsets, number: int, faults: Faults
) -> Part:
    """Returns a place in characters, which must be in the document's text.

    A document without a text keeps places in characters as they are.

    Raises:
        InputError: If it ends after the text or within a character, or there is no text to convert.
    """
    text = texts.get(part.document)
    if text is None:
        if offsets == "characters":
            return part
        raise faults.error(
            number,
            message("data.document-has-no-text", document=part.document),
            message("data.give-texts"),
        )
    starts = None if offsets == "characters" else _starts(text, offsets)
    size = len(text) if starts is None else int(starts[-1])
    if part.end > size:
        raise faults.error(
            number,
            message("data.part-ends-after-text", end=part.end, document=part.document, length=size),
            message("data.say-what-offsets-count"),
        )
    if starts is None:
        return part
    found = starts.searchsorted([part.start, part.end])
    if starts[found].tolist() != [part.start, part.end]:
        raise faults.error(
            number,
            message("data.offset-within-character", offsets=offsets, document=part.document),
            message("data.say-what-offsets-count"),
        )
    start, end = found.tolist()
    return Part(part.document, start, end)


def other_length(text: str) -> int | None:
    """Returns the length of a text if each line end of Windows counts as one; None without any."""
    ends = text.count("\r\n")
    return len(text) - ends if ends else None


@lru_cache(maxsize=2)
def _starts(text: str, offsets: Offsets) -> NDArray[np.int64]:
    """Returns where each character of a text starts, and at last where the text ends."""
    import numpy as np

    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    if offsets == "lf":
        sizes = np.ones(len(codes), np.int64)
        sizes[:-1][(codes[:-1] == 13) & (codes[1:] == 10)] = 0
    else:
        limits = (0x80, 0x800, 0x10000) if offsets == "utf8" else (0x10000,)
        sizes = np.ones(len(codes), np.int64)
        for limit in limits:
            sizes += codes >= limit
    return np.concatenate([[0], np.cumsum(sizes)])


def passage_of_row(
    row: Mapping[str, object], scale: Scale | None, number: int, faults: Faults
) -> Passage:
    """Returns the passage of a row.

    Raises:
        InputError: If it cannot be used.
    """
    query = text_of(row, "query", number, faults)
    document = text_of(row, "document", number, faults)
    name = "" if _absent(row.get("passage")) else text_of(row, "passage", number, faults)
    quote = row.get("quote")
    quote = "" if _absent(quote) else quote
    if not isinstance(quote, str):
        raise faults.error(number, message("data.id-is-not-text", role="quote", value=quote))
    part = part_of_row(row, document, number, faults, quote)
    if part is not None and part.end == part.start:
        raise faults.error(number, message("data.passage-is-empty", start=part.start))
    if part is None and not quote:
        raise faults.error(
            number, message("data.passages-have-no-place"), message("data.give-place-of-passage")
        )
    try:
        grade = 1.0 if is_na(row.get("grade")) else parse_grade(row.get("grade"), scale)
    except InputError as error:
        raise faults.error(number, error.message, error.hint) from None
    if not abs(grade) < float("inf"):
        raise faults.error(number, message("data.grade-is-not-number", value=row.get("grade")))
    if part is not None:
        return Passage(query, part, grade, name, quote)
    lost = Part(document, 0, len(quote), False)
    return Passage(query, lost, grade, name, quote, "not searched", 0.0)


def _absent(value: object) -> bool:
    return is_na(value) or missing(value)
