"""Scored rows on the command line: several columns of one file, or a file per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relyon.cli.named_tables import is_table
from relyon.cli.option_values import format_named_by, run_names, scored_columns
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.labelled import LabelledRows
    from relyon.data.scale import Scale
    from relyon.evaluation.results import Results

__all__ = ["Model", "ScoredFiles"]


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

        named: dict[str, Any] = {**self.columns, **self.files}
        with format_named_by("--run-format"):
            return read_scored(self.path, **named, format=self.format, scale=scale)

    def evaluate(
        self,
        measures: Sequence[Any],
        convention: Convention,
        scale: Scale | None,
        common: Mapping[str, Any],
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
                **common,
            )


@dataclass(frozen=True, kw_only=True)
class ScoredFiles:
    """The options for scored rows; false if there are none.

    Attributes:
        files: The files of `--scored`.
        scores: Columns of scores: `--score`.
        predictions: Files of one score per line: `--scores`.
        groups: Files of one number of rows per line: `--groups`.
        flat: Other columns by role, from their own options.
        columns: What `--columns` says.
        format: The format of the files; `None` detects it.
    """

    files: tuple[str, ...]
    scores: tuple[str, ...]
    predictions: tuple[str, ...]
    groups: tuple[str, ...]
    flat: Mapping[str, str | None]
    columns: tuple[str, ...]
    format: str | None

    @classmethod
    def of(cls, values: dict[str, Any], columns: tuple[str, ...], form: str | None) -> ScoredFiles:
        """Takes its own options out of a command's.

        Raises:
            ParameterError: If columns or files of scores are named without a file of rows.
        """
        several = {name: values.pop(f"scored_{name}") for name in ("score", "scores", "groups")}
        roles = [name for name in values if name.startswith("scored_")]
        flat = {name.removeprefix("scored_"): values.pop(name) for name in roles}
        files = values.pop("scored")
        given = [name for name, value in {**flat, **several}.items() if value]
        if given and not files:
            raise ParameterError(message("cli.needs-scored-file", given=f"--{given[0]}"))
        return cls(
            files=files,
            scores=several["score"],
            predictions=several["scores"],
            groups=several["groups"],
            flat=flat,
            columns=columns,
            format=form,
        )

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
        flat: dict[str, str | None] = dict(self.flat)
        if len(self.scores) < 2 and (least < 2 or len(files) > 1):
            flat["score"] = self.scores[0] if self.scores else None
        named = scored_columns(self.columns, flat)
        columns = {role: name for role, name in named.items() if name is not None}
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
            own = dict(columns)
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

    def _count(self, files: Sequence[str]) -> int:
        """Returns the number of models.

        Raises:
            ParameterError: If the options and files disagree on it.
        """
        given = {"--score": self.scores, "--scores": self.predictions, "--groups": self.groups}
        most = max(len(files), len(self.scores), len(self.predictions))
        for option, values in given.items():
            if (len(values) > 1 and len(values) != most) or len(files) not in (1, most):
                raise ParameterError(
                    message(
                        "cli.there-are-files",
                        count=len(files),
                        count_2=len(values),
                        option=option,
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


def _at(values: Sequence[str], place: int) -> str:
    """Returns an own value, or the shared one."""
    return values[place] if len(values) > 1 else values[0]
