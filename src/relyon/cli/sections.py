"""Options that ask for a section beside a result, and both in one output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from relyon.cli.joined_tables import joined_tables
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.core.texts.numbers import DIGITS

if TYPE_CHECKING:
    import polars

    from relyon.core.language import Language
    from relyon.core.notes import Note

__all__ = ["Asked", "WithSection"]


class Asked:
    """Options of which one asks for a section; the others belong to it.

    Attributes:
        asked_by: That option.
        forms: The forms of output that show the section.
        needs: The kind of the hint beside an option that it excludes, empty for none.
        other_form: The kind of the hint beside a form that cannot show it.
    """

    asked_by: ClassVar[str]
    forms: ClassVar[tuple[str, ...]] = ("table", "markdown", "json", "csv")
    needs: ClassVar[str] = ""
    other_form: ClassVar[str] = "cli.choose-form-of-answerable"

    def __bool__(self) -> bool:
        raise NotImplementedError

    def refuse(self, form: str | None, **given: object) -> None:
        """Rejects forms and other options that do not go with it.

        Args:
            form: The form of the output; None if it does not matter.
            **given: By the name of an option, with `_` for `-`, its value.

        Raises:
            ParameterError: If one is given.
        """
        if not self:
            return
        for name, value in given.items():
            if value:
                other = f"--{name.replace('_', '-')}"
                text = message("cli.options-exclude", first=self.asked_by, second=other)
                raise ParameterError(text, hint=message(self.needs) if self.needs else "")
        if form is not None and form not in self.forms:
            text = message("cli.options-exclude", first=self.asked_by, second=f"--format {form}")
            raise ParameterError(text, hint=message(self.other_form))


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
