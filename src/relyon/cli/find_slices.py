"""Options and output of commands that find slices of queries in which a candidate loses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from relyon.cli.joined_tables import joined_tables
from relyon.cli.request import flag, option, request
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.core.texts.numbers import DIGITS
from relyon.io.excel_export import ExcelExport

if TYPE_CHECKING:
    import polars

    from relyon.analysis.comparison import Comparison
    from relyon.analysis.slices import Slices
    from relyon.cli.inputs import Given
    from relyon.core.language import Language

__all__ = ["FindSlices", "WithSlices"]


@request
class FindSlices:
    """Whether slices are searched for, and how large and how deep they are."""

    find: bool = flag(
        "--find-slices",
        "find",
        help="Find slices of queries in which a candidate loses: conjunctions of values of the"
        " columns of --queries, and of features of texts and judgments. They are searched in one"
        " half of the queries and tested in the other; p is corrected over all that are tested. A"
        " run's own value is never a feature: it loses on noise alone.",
    )
    depth: int | None = option(
        "--slice-depth",
        "depth",
        type=click.IntRange(1, 3),
        metavar="N",
        help="With --find-slices: the most conditions of a slice, 1 to 3.  [default: 2]",
    )
    least: int | None = option(
        "--slice-size",
        "least",
        type=click.IntRange(min=12),
        metavar="N",
        help="With --find-slices: the least number of queries in a slice, and outside it."
        "  [default: 20, or one in a hundred of all queries if that is more]",
    )

    def __bool__(self) -> bool:
        return self.find

    def __post_init__(self) -> None:
        for name, value in (("--slice-depth", self.depth), ("--slice-size", self.least)):
            if value is not None and not self.find:
                raise ParameterError(
                    message("cli.needs-find-slices", option=name),
                    hint=message("cli.add-find-slices"),
                )

    def refuse(self, form: str | None, **given: object) -> None:
        """Rejects forms and other options that do not go with it.

        Args:
            form: The form of the output; None if it does not matter.
            **given: By the name of an option, its value.

        Raises:
            ParameterError: If one is given.
        """
        if not self:
            return
        for name, value in given.items():
            if value:
                raise ParameterError(message("cli.find-slices-and-option", option=f"--{name}"))
        if form == "latex":
            raise ParameterError(
                message("cli.find-slices-and-form", form=form), hint=message("cli.choose-table")
            )

    @property
    def further(self) -> tuple[str, ...]:
        """The measures that it needs of each run, to be computed in the pass of the comparison."""
        if not self:
            return ()
        from relyon.analysis.slices.inputs import JUDGED

        return JUDGED

    def of_comparison(
        self, comparison: Comparison, queries: str | None, given: Given
    ) -> Slices | None:
        """Returns the slices of a comparison; None if they are not asked for.

        Args:
            comparison: The comparison, whose settings and texts are used.
            queries: The table of queries, if there is one.
            given: The inputs: without a table of queries, one file of scored rows has columns.
        """
        if not self:
            return None
        from relyon.analysis.slices import find_slices

        if queries is None and given.scored and len(given.scored.files) == 1:
            queries = given.scored.files[0]
        return find_slices(comparison, queries=queries, depth=self.depth or 2, least=self.least)


class WithSlices:
    """A result, and the slices in which its candidates lose, in one output.

    Args:
        result: A comparison, alone or with other parts.
        found: The slices.
    """

    def __init__(self, result: Any, found: Slices) -> None:
        self._result = result
        self._found = found

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
        """Returns the result with the section as `slices`."""
        import json

        from relyon.core.document.json import json_text

        values = json.loads(self._result.to_json(**options))
        return json_text({**values, "slices": self._found.to_dict()})

    def to_csv(self, **options: object) -> str:
        """Returns the rows of the result, then those of the section.

        Columns that only one of both has are empty in the other.
        """
        return joined_tables(str(self._result.to_csv(**options)), self._found.to_csv())

    def to_xlsx(self, **options: Any) -> bytes:
        """Returns the workbook of the comparison with a sheet of slices."""
        return _Workbook(self._result, self._found).to_xlsx(**options)


class _Workbook(ExcelExport):
    """The sheets of a comparison, and one of slices."""

    def __init__(self, result: Any, found: Slices) -> None:
        self._result = result
        self._found = found

    def excel_frames(self) -> dict[str, polars.DataFrame]:
        """Returns the sheets."""
        return {**self._result.excel_frames(), "slices": self._found.to_frame()}

    def excel_notes(self, language: Language) -> list[str]:
        """Returns the notes of both."""
        own = [note.text(language) for note in self._found.notes]
        return [*self._result.excel_notes(language), *own]
