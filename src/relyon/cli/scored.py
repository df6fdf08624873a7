"""Scored rows on the command line: several columns of one file, or a file per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from relyon.cli.file_columns import check_columns_for, columns_for
from relyon.cli.named_tables import is_table
from relyon.cli.option_values import SCORED, format_named_by, run_names, scored_columns
from relyon.cli.request import Declared, option, request
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.labelled import LabelledRows
    from relyon.data.scale import Scale
    from relyon.evaluation.program import Average
    from relyon.evaluation.results import Results

__all__ = ["Model", "ScoredFiles"]

T = TypeVar("T")


@dataclass(frozen=True)
class Model:
    """The location of one model's scores.

    Attributes:
        name: The model's name.
        path: The file of its rows.
        columns: The named columns by role.
        files: Files of scores and of groups beside an SVMlight/LETOR file.
        format: The format of the rows; `None` detects it.
    """

    name: str
    path: str
    columns: Mapping[str, str]
    files: Mapping[str, str]
    format: str | None

    def read(self, scale: Scale | None) -> LabelledRows:
        """Reads the rows."""
        from relyon.io import read_scored

        named = {**self.columns, **self.files}
        with format_named_by("--run-format"):
            return read_scored(self.path, **named, format=self.format, scale=scale)

    def evaluate(
        self,
        measures: Sequence[str],
        convention: Convention,
        scale: Scale | None,
        *,
        average: Average | None,
        threads: int,
        strict: bool = False,
    ) -> Results:
        """Evaluates the rows, without keeping them if their format can be streamed."""
        from relyon.evaluation import DEFAULT_SCORE_MEASURES, evaluate_scores

        whole = self.format is not None or self.files
        with format_named_by("--run-format"):
            return evaluate_scores(
                self.read(scale) if whole else self.path,
                measures=list(measures) or DEFAULT_SCORE_MEASURES,
                columns=None if whole else dict(self.columns),
                convention=convention,
                scale=scale,
                name=self.name,
                average=average,
                strict=strict,
                threads=threads,
            )


def _column_option(name: str) -> Declared:
    what = "row weights" if name == "weight" else f"the {name}"
    return option(
        f"--{name}",
        f"scored_{name}",
        metavar="COLUMN",
        help=f"With --scored: the column of {what}.",
    )


@request
class ScoredFiles:
    """The options for scored rows; false without any.

    Their columns and format are those of all files: `Given` adds them.
    """

    files: tuple[str, ...] = option(
        "--scored",
        "scored",
        metavar="FILE",
        multiple=True,
        help="Files with labels and scores, instead of judgments and runs: one per model, or"
        " one with several --score.",
    )
    query: str | None = _column_option("query")
    label: str | None = _column_option("label")
    document: str | None = _column_option("document")
    weight: str | None = _column_option("weight")
    scores: tuple[str, ...] = option(
        "--score",
        "scored_score",
        metavar="COLUMN",
        multiple=True,
        help="With --scored: a column of scores; repeat it for each model.",
    )
    predictions: tuple[str, ...] = option(
        "--scores",
        "scored_scores",
        metavar="FILE",
        multiple=True,
        help="With --scored LETOR: one score per line; repeat it for each model.",
    )
    groups: tuple[str, ...] = option(
        "--groups",
        "scored_groups",
        metavar="FILE",
        multiple=True,
        help="With --scored LETOR without qid: the number of rows of each query, one per line.",
    )

    columns: tuple[str, ...] = ()
    format: str | None = None

    def __post_init__(self) -> None:
        several = {"score": self.scores, "scores": self.predictions, "groups": self.groups}
        given = [name for name, value in {**self.flat, **several}.items() if value]
        if given and not self.files:
            raise ParameterError(message("cli.needs-scored-file", given=f"--{given[0]}"))

    @property
    def flat(self) -> dict[str, str | None]:
        """Other columns by role, from their own options."""
        return {name: getattr(self, name) for name in ("query", "label", "document", "weight")}

    def __bool__(self) -> bool:
        return bool(self.files)

    @property
    def paths(self) -> list[str]:
        """Every named file."""
        return [*self.files, *self.predictions, *self.groups]

    def models(self, more: Sequence[str], names: Sequence[str] = (), least: int = 1) -> list[Model]:
        """Returns the location of each model's scores.

        Args:
            more: The arguments of the command: more files of scored rows.
            names: The models' names.
            least: The minimum number of models.

        Raises:
            ParameterError: If there are fewer, the numbers of columns and files differ, or two
                names are equal.
        """
        files = [*self.files, *more]
        self._check_files(more)
        count = self._count(files)
        flat: dict[str, str | None] = self.flat
        if len(self.scores) < 2 and (least < 2 or len(files) > 1):
            flat["score"] = self.scores[0] if self.scores else None
        check_columns_for(files, self.columns, SCORED)
        columns = [self._columns(path, flat) for path in files]
        if count < least:
            raise ParameterError(
                message("cli.scored-needs-two-columns"),
                hint=message("cli.name-them"),
            )
        titles = run_names(self._told_apart(files), names)
        twice = next((name for name in titles if titles.count(name) > 1), None)
        if twice is not None:
            raise ParameterError(
                message("core.two-runs-have-name", twice=twice),
                hint=message("core.give-different-names"),
            )
        found = []
        for place, name in enumerate(titles):
            beside = {"scores": self.predictions, "groups": self.groups}
            own = dict(_at(columns, place))
            if self.scores:
                own["score"] = _at(self.scores, place)
            found.append(
                Model(
                    name,
                    _at(files, place),
                    own,
                    {role: _at(paths, place) for role, paths in beside.items() if paths},
                    self.format,
                )
            )
        return found

    def rows(
        self, more: Sequence[str], names: Sequence[str], scale: Scale | None, least: int = 1
    ) -> dict[str, LabelledRows]:
        """Reads the rows of each model, by its name."""
        return {model.name: model.read(scale) for model in self.models(more, names, least)}

    def _columns(self, path: str, flat: Mapping[str, str | None]) -> dict[str, str]:
        """Returns the columns of a file, from `--columns` and their own options."""
        found = columns_for(path, self.columns, SCORED)
        named = scored_columns([f"{role}={name}" for role, name in found.items()], flat)
        return {role: name for role, name in named.items() if name is not None}

    def _count(self, files: Sequence[str]) -> int:
        """Returns the number of models.

        Raises:
            ParameterError: If the options and files disagree on it.
        """
        given = {"--score": self.scores, "--scores": self.predictions, "--groups": self.groups}
        most = max(len(files), len(self.scores), len(self.predictions))
        for name, values in given.items():
            if (len(values) > 1 and len(values) != most) or len(files) not in (1, most):
                raise ParameterError(
                    message(
                        "cli.there-are-files",
                        count=len(files),
                        count_2=len(values),
                        option=name,
                    ),
                    hint=message("cli.give-one-file"),
                )
        return most

    def _check_files(self, more: Sequence[str]) -> None:
        """Rejects judgments together with scored rows, and files of scores together with a table.

        Raises:
            ParameterError: If so.
        """
        for path in more:
            if not is_table(path, self.format, "scored", others=("letor",)):
                raise ParameterError(
                    message("cli.scored-replaces-judgments"),
                    hint=message("cli.leave-out-judgments", judgments=path),
                )
        if self.predictions and is_table(self.files[0], self.format, "scored"):
            raise ParameterError(
                message(
                    "cli.scores-is-for-svmlight",
                    path=self.files[0],
                ),
                hint=message("cli.name-column-of-scores"),
            )

    def _told_apart(self, files: Sequence[str]) -> Sequence[str]:
        """Returns what distinguishes the models: files, or columns or predictions of one file."""
        if len(files) == 1 and len(self.scores) > 1:
            return self.scores
        return self.predictions if len(files) == 1 and len(self.predictions) > 1 else files


def _at(values: Sequence[T], place: int) -> T:
    """Returns an own value, or the shared one."""
    return values[place] if len(values) > 1 else values[0]
