"""A result and a section of its own, in one output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from relyon.cli.joined_tables import joined_tables
from relyon.core.texts.numbers import DIGITS

if TYPE_CHECKING:
    import polars

    from relyon.core.language import Language
    from relyon.core.notes import Note

__all__ = ["WithSection"]


class WithSection:
    """A result, and what was found besides, in one output.

    Args:
        result: Results of runs in columns, a comparison, or one of them with another section.
        found: What was found: an `Exportable` with notes.

    Attributes:
        key: Its name in JSON.
    """

    key: ClassVar[str]

    def __init__(self, result: Any, found: Any) -> None:
        self._result = result
        self._found = found

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes about what was found."""
        return tuple(self._found.notes)

    def to_text(
        self,
        *,
        columns: int | None,
        language: Language = "en",
        digits: int = DIGITS,
        **options: object,
    ) -> str:
        """Returns the result, then the section."""
        first = self._result.to_text(columns=columns, language=language, digits=digits, **options)
        found = self._found.to_text(columns=columns, language=language, digits=digits)
        return f"{first}\n\n{found}"

    def to_markdown(
        self, *, language: Language = "en", digits: int = DIGITS, **options: object
    ) -> str:
        """Returns the result, then the section."""
        first = self._result.to_markdown(language=language, digits=digits, **options)
        return f"{first}\n\n{self._found.to_markdown(language=language, digits=digits)}"

    def to_json(self, **options: object) -> str:
        """Returns the result with the section; of several results, each with its own part."""
        from relyon.core.document.json import json_text

        return "\n".join(
            json_text({**one, self.key: self.part(one.get("run"))})
            for one in _values(self._result.to_json(**options))
        )

    def to_csv(self, **options: object) -> str:
        """Returns the rows of the result, then those of the section.

        Columns that only one of both has are empty in the other.
        """
        from relyon.core.cells import csv_frame

        return joined_tables(str(self._result.to_csv(**options)), csv_frame(self.frame()))

    def part(self, run: str | None) -> dict[str, object]:
        """Returns the section in JSON, of one run only if one is given.

        Args:
            run: The run's name.
        """
        values: dict[str, object] = self._found.to_dict()
        return values

    def frame(self) -> polars.DataFrame:
        """Returns the section's rows with the names of the result's columns."""
        found: polars.DataFrame = self._found.to_frame()
        return found


def _values(text: str) -> Iterator[dict[str, Any]]:
    """Yields the JSON objects of a text, one after the other."""
    import json

    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        yield value
        while at < len(text) and text[at].isspace():
            at += 1
