"""Grade scales: names and gains of levels, and which of them are relevant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from os.path import basename, splitext
from typing import Any, overload

from relyon.core.errors import DependencyError, InputError, ParameterError
from relyon.core.packages import optional_package
from relyon.core.parameters import check_path
from relyon.core.registry import Registry
from relyon.core.texts import Language, message

__all__ = ["BINARY", "FLOATS", "INTEGERS", "SEARCH", "Level", "Scale", "load_scale", "scales"]

#: Traditional characters of levels' names, by the simplified ones: 高, 中 and 低 are the same.
TRADITIONAL = str.maketrans("無關", "无关")


def simplified(name: str) -> str:
    """Returns a level's Chinese name in simplified characters."""
    return name.translate(TRADITIONAL)


@dataclass(frozen=True)
class Level:
    """One step of a scale.

    Attributes:
        grade: Its number.
        name: Its English name.
        chinese: Its Chinese name.
        gain: The gain of a document at this level under ``gain=scale``.
    """

    grade: float
    name: str
    chinese: str = ""
    gain: float = 0.0


@dataclass(frozen=True)
class Scale:
    """An ordered list of levels and the grade from which a document is relevant.

    Attributes:
        name: Its registered name.
        relevant_from: The lowest grade that binary measures count as relevant.
        levels: The levels, if the scale names them; an open scale takes any number.

    Raises:
        ParameterError: If two levels share a grade or a name.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> SEARCH.parse("高"), SEARCH.parse("無"), SEARCH.parse("middle"), SEARCH.parse(1)
        (3.0, 0.0, 2.0, 1.0)
        >>> SEARCH.label(3.0, "zh")
        '高'
    """

    name: str
    relevant_from: float = 1.0
    levels: tuple[Level, ...] = ()

    def __post_init__(self) -> None:
        names = [level.name.lower() for level in self.levels]
        names += [simplified(level.chinese) for level in self.levels if level.chinese]
        grades = [level.grade for level in self.levels]
        if len(set(names)) < len(names) or len(set(grades)) < len(grades):
            raise ParameterError(message("data.scale-has-two-levels", name=self.name))

    @property
    def highest(self) -> float | None:
        """The highest grade, or `None` for an open scale."""
        return max((level.grade for level in self.levels), default=None)

    @property
    def gains(self) -> dict[float, float]:
        """The gain of each grade, for ``gain=scale``; empty for an open scale."""
        return {level.grade: level.gain for level in self.levels}

    def parse(self, value: object) -> float:
        """Returns the grade of a level, a name in either language, or a number.

        Raises:
            InputError: If the value is not one of them.
        """
        if isinstance(value, str):
            text = value.strip()
            for level in self.levels:
                if text.lower() == level.name.lower() or (
                    level.chinese and simplified(text) == simplified(level.chinese)
                ):
                    return level.grade
            try:
                number = float(text)
            except ValueError:
                raise self._unknown(value) from None
        else:
            try:
                number = float(value)  # type: ignore[arg-type]
            except (TypeError, ValueError):
                raise self._unknown(value) from None
        if self.levels and number >= 0 and number not in self.gains:
            raise self._unknown(value)
        return number

    def label(self, grade: float, language: str = "en") -> str:
        """Returns a level's name in English (`en`) or Chinese (`zh`), or the number."""
        for level in self.levels:
            if level.grade == grade:
                return level.chinese if language == "zh" and level.chinese else level.name
        return f"{grade:g}"

    def language_of(self, grades: Iterable[object]) -> Language | None:
        """Returns the language of grades written as names, `None` for numbers.

        Examples:
            >>> SEARCH.language_of(["高", "无"]), SEARCH.language_of(["High", 1])
            ('zh', 'en')
            >>> SEARCH.language_of([3])
        """
        written = {simplified(one.strip()) for one in grades if isinstance(one, str)}
        if written & {simplified(level.chinese) for level in self.levels if level.chinese}:
            return "zh"
        names = {level.name.lower() for level in self.levels}
        return "en" if names & {one.lower() for one in written} else None

    def _unknown(self, value: object) -> InputError:
        if not self.levels:
            return InputError(
                message("data.not-grade", value=value),
                hint=message("data.give-number"),
            )
        known = ", ".join(
            f"{level.grade:g} = {level.name}{'/' + level.chinese if level.chinese else ''}"
            for level in self.levels
        )
        return InputError(
            message("data.not-grade-of-scale", name=self.name, value=value),
            hint=message(
                "data.use-known",
                known=known,
            ),
        )


SEARCH = Scale(
    "search",
    relevant_from=2.0,
    levels=(
        Level(3.0, "high", "高", 1.0),
        Level(2.0, "middle", "中", 0.7),
        Level(1.0, "low", "低", 0.3),
        Level(0.0, "none", "无", 0.0),
    ),
)
INTEGERS = Scale("integers", relevant_from=1.0)
BINARY = Scale(
    "binary",
    relevant_from=1.0,
    levels=(Level(1.0, "relevant", "相关", 1.0), Level(0.0, "irrelevant", "不相关", 0.0)),
)
FLOATS = Scale("floats", relevant_from=0.5)

scales: Registry[Scale] = Registry(
    "scale",
    advice="`search` has 高/中/低/无 and high/middle/low/none; a TOML, JSON or YAML file describes"
    " any other scale",
)
for _scale in (SEARCH, INTEGERS, BINARY, FLOATS):
    scales.add(_scale.name, _scale)


@overload
def load_scale(source: str | PathLike[str] | Scale) -> Scale: ...
@overload
def load_scale(source: str | PathLike[str] | Scale | None) -> Scale | None: ...
def load_scale(source: str | PathLike[str] | Scale | None) -> Scale | None:
    """Returns a scale by name or from a TOML, JSON or YAML file; scales and `None` stay as is.

    A file contains ``name``, ``relevant_from`` and a list ``levels`` of ``grade``, ``name``,
    ``chinese`` and ``gain``.

    Raises:
        UnknownNameError: If it is neither a file nor a registered name.
        InputError: If the file does not describe a scale.
    """
    if source is None or isinstance(source, Scale):
        return source
    path = check_path("scale", source, "a name, a file or a Scale")
    if not is_settings(path):
        return scales.get(path)
    values = read_settings(path)
    try:
        levels = tuple(
            Level(
                grade=float(level["grade"]),
                name=str(level["name"]),
                chinese=str(level.get("chinese", "")),
                gain=float(level.get("gain", level["grade"])),
            )
            for level in values.get("levels", ())
        )
        return Scale(
            name=str(values.get("name", splitext(basename(path))[0])),
            relevant_from=float(values.get("relevant_from", 1.0)),
            levels=levels,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            message("data.not-scale", error=error),
            path=path,
            hint=message("data.each-level-needs-grade"),
        ) from error


def is_settings(path: str) -> bool:
    """Whether a text is the path of a settings file and not a name."""
    return path.lower().endswith((".toml", ".json", ".yaml", ".yml"))


def read_settings(path: str) -> dict[str, Any]:
    """Reads a TOML, JSON or YAML file into a dictionary.

    Raises:
        InputError: If the file cannot be read, or is not a table of keys and values.
        DependencyError: If a YAML file is given and PyYAML is not installed.
    """
    suffix = splitext(path)[1].lower()
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
        if suffix == ".json":
            import json

            values = json.loads(text)
        elif suffix in {".yaml", ".yml"}:
            yaml = optional_package(
                "yaml",
                purpose=message("data.file-in-yaml"),
                package="PyYAML",
                install="relyon[yaml]",
            )
            values = yaml.safe_load(text)
        else:
            import tomllib

            values = tomllib.loads(text)
    except DependencyError:
        raise
    except FileNotFoundError as error:
        raise InputError(message("core.there-is-no"), path=path) from error
    except OSError as error:
        raise InputError(message("core.cannot-be-read", error=error.strerror), path=path) from error
    except ValueError as error:
        raise InputError(message("core.cannot-be-read", error=error), path=path) from error
    except Exception as error:  # PyYAML's errors share no base with ValueError
        raise InputError(message("core.cannot-be-read", error=error), path=path) from error
    if not isinstance(values, dict):
        raise InputError(message("data.expected-keys-and-values"), path=path)
    return values
