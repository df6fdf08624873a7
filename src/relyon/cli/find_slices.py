"""Options and output of commands that find slices of queries in which a candidate loses."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import click

from relyon.cli.request import flag, option, request
from relyon.cli.sections import Asked, WithSection
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.io.excel_export import ExcelExport

if TYPE_CHECKING:
    import polars

    from relyon.analysis.comparison import Comparison
    from relyon.analysis.slices import Slices
    from relyon.cli.inputs import Given
    from relyon.core.language import Language

__all__ = ["FindSlices", "WithSlices"]


@request
class FindSlices(Asked):
    """Whether slices are searched for, and how large and how deep they are."""

    asked_by: ClassVar[str] = "--find-slices"
    forms: ClassVar[tuple[str, ...]] = ("table", "markdown", "json", "csv", "xlsx")
    other_form: ClassVar[str] = "cli.choose-table"

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


class WithSlices(WithSection, ExcelExport):
    """A result, and the slices in which its candidates lose, in one output."""

    key = "slices"

    def excel_frames(self) -> dict[str, polars.DataFrame]:
        """Returns the sheets of the result, and one of slices."""
        return {**self._result.excel_frames(), self.key: self.frame()}

    def excel_notes(self, language: Language) -> list[str]:
        """Returns the notes of both."""
        own = [note.text(language) for note in self.notes]
        return [*self._result.excel_notes(language), *own]
