"""An engine's file: the engine, its parameters and variants, and how it may be asked."""

from __future__ import annotations

import itertools
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.engines.asked import Variant
from relyon.engines.engine import Engine, engines
from relyon.engines.files.allowance import Allowance
from relyon.engines.files.options import Options
from relyon.engines.files.secrets import Secrets
from relyon.engines.files.template import Scalar, is_finite, write_scalar

__all__ = ["BASE", "Configuration", "Limits", "alike", "read_configuration"]

#: The variant without changes.
BASE = "base"
#: Names that every request has.
GIVEN = ("query", "query_id", "k")
#: Variants that a grid may have: more are a mistake, or a task for another tool.
MOST = 200
PARAMETER = re.compile("[A-Za-z_][A-Za-z0-9_]*")
NAME = re.compile(r"[\w][\w.,=+%@-]{0,99}")


@dataclass(frozen=True)
class Limits:
    """How an engine may be asked.

    Attributes:
        concurrency: Requests at the same time.
        rate: Requests per second; 0 sets no limit.
        timeout: Seconds until a request without an answer counts as lost.
        retries: How often a request that failed for the moment is sent again.
        longest_wait: The longest wait in seconds that an engine may ask for.
    """

    concurrency: int = 4
    rate: float = 0.0
    timeout: float = 10.0
    retries: int = 5
    longest_wait: float = 120.0


@dataclass(frozen=True)
class Configuration:
    """What an engine's file says.

    Attributes:
        name: The name of the engine in results.
        engine: The engine.
        variants: The variants, in order; the first is the baseline.
        limits: How it may be asked.
        path: The file, or an empty string.
        app: What the web app allows.
    """

    name: str
    engine: Engine
    variants: tuple[Variant, ...]
    limits: Limits = field(default_factory=Limits)
    path: str = ""
    app: Allowance = field(default_factory=Allowance)

    def chosen(self, names: Iterable[str]) -> tuple[Variant, ...]:
        """Returns the variants with some names, in the file's order; all if none is named.

        Raises:
            ParameterError: If a name is unknown.
        """
        wanted = list(names)
        known = [one.name for one in self.variants]
        for name in wanted:
            if name not in known:
                raise ParameterError(
                    message("engines.no-such-variant", name=name, path=self.path),
                    hint=suggestion(name, known),
                )
        return tuple(one for one in self.variants if not wanted or one.name in wanted)


def read_configuration(
    path: str | os.PathLike[str],
    *,
    environment: Mapping[str, str] | None = None,
    parameters: Mapping[str, Scalar] | None = None,
    body: str | None = None,
) -> Configuration:
    """Reads an engine's file.

    Args:
        path: A TOML file.
        environment: The variables that it may name; by default those of this process.
        parameters: Other values for some of its parameters; variants and grids start from these.
        body: Another template of the requests' body, as JSON; None keeps the file's.

    Raises:
        InputError: If it cannot be read, or is not TOML.
        ParameterError: If a key or value cannot be used.
    """
    file = os.fspath(path)
    try:
        with open(file, "rb") as stream:
            values = tomllib.load(stream)
    except FileNotFoundError:
        raise InputError(
            message("core.there-is-no"), path=file, hint=message("engines.write-engine-file")
        ) from None
    except OSError as error:
        raise InputError(
            message("core.cannot-be-read-strerror", strerror=error.strerror or error), path=file
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(message("engines.is-not-toml", problem=error), path=file) from None
    if body is not None:
        values["body"] = body
    return _configure(values, file, Secrets(environment), parameters or {})


def _configure(
    values: Mapping[str, object], path: str, secrets: Secrets, changes: Mapping[str, Scalar]
) -> Configuration:
    options = Options(values, path)
    kind = options.required("kind", '"elasticsearch"')
    parameters = options.table("parameters").scalars()
    parameters |= {name: alike(name, value, parameters, path) for name, value in changes.items()}
    variants = _variants(options, parameters)
    limits = _limits(options.table("limits"))
    default = os.path.splitext(os.path.basename(path))[0] or kind
    name = options.text("name", default)
    app = Allowance.from_options(options.table("app"))
    engine = _kind(kind, path).from_options(options, secrets)
    options.finish()
    _check_names(engine, variants, path)
    return Configuration(name, engine, variants, limits, path, app)


def _kind(name: str, path: str) -> type[Engine]:
    try:
        return engines.get(name)
    except UnknownNameError as error:
        raise ParameterError(
            message("engines.key-has-no-such-choice", path=path, key="kind", value=name),
            hint=error.hint,
        ) from None


def alike(name: str, value: Scalar, parameters: Mapping[str, Scalar], path: str) -> Scalar:
    """Returns a new value of a parameter; a text becomes a number where the file has one.

    Raises:
        ParameterError: If there is no such parameter, or the value is of another type.

    Examples:
        >>> alike("boost", "2.5", {"boost": 1.0}, "engine.toml")
        2.5
    """
    if name not in parameters:
        raise ParameterError(
            message("engines.no-such-parameter-to-set", name=name, path=path),
            hint=suggestion(name, list(parameters))
            if parameters
            else message("engines.add-parameters"),
        )
    usual = parameters[name]
    if isinstance(usual, str):
        return write_scalar(value)
    if isinstance(usual, bool):
        known: Scalar | None = {"true": True, "false": False}.get(write_scalar(value).lower())
    else:
        known = _number(value)
    if known is None:
        expected = "true or false" if isinstance(usual, bool) else "a number"
        raise ParameterError(
            message(
                "engines.key-must-be",
                path=path,
                key=f"parameters.{name}",
                expected=message(expected),
                value=value,
            )
        )
    return known


def _number(value: Scalar) -> int | float | None:
    if not isinstance(value, str):
        return None if isinstance(value, bool) else value
    for kind in (int, float):
        try:
            found = kind(value)
        except ValueError:
            continue
        return found if is_finite(found) else None
    return None


def _limits(options: Options) -> Limits:
    known = Limits()
    found = Limits(
        options.whole("concurrency", known.concurrency, least=1),
        options.number("rate", known.rate),
        options.number("timeout", known.timeout, above=True),
        options.whole("retries", known.retries),
        options.number("longest_wait", known.longest_wait),
    )
    options.finish()
    return found


def _variants(options: Options, parameters: Mapping[str, Scalar]) -> tuple[Variant, ...]:
    """Returns the variants: the parameters as they are, those with a name, and a grid's."""
    named = {name: table.scalars() for name, table in options.table("variants").tables().items()}
    grid = options.table("grid").lists()
    found = [Variant(BASE, parameters)] if named or not grid else []
    for name, changes in named.items():
        if not NAME.fullmatch(name) or name == BASE:
            raise ParameterError(
                message("engines.variant-name", name=name, path=options.path),
                hint=message("engines.name-variant"),
            )
        found.append(_changed(name, parameters, changes, f"variants.{name}", options.path))
    found += _grid(grid, parameters, options.path)
    return tuple(found)


def _grid(
    grid: Mapping[str, Sequence[Scalar]], parameters: Mapping[str, Scalar], path: str
) -> list[Variant]:
    if not grid:
        return []
    points = list(itertools.islice(itertools.product(*grid.values()), MOST + 1))
    if len(points) > MOST:
        raise ParameterError(message("engines.grid-is-too-large", path=path, most=MOST))
    found: dict[str, Variant] = {}
    for point in points:
        changes = dict(zip(grid, point, strict=True))
        name = ",".join(f"{key}={_short(value)}" for key, value in changes.items())
        if name in found:
            raise ParameterError(message("engines.grid-has-twice", path=path, name=name))
        found[name] = _changed(name, parameters, changes, "grid", path)
    return list(found.values())


def _short(value: Scalar) -> str:
    """Returns a value as a part of a file's name.

    Examples:
        >>> _short("title^2 text"), _short(0.5)
        ('title-2-text', '0.5')
    """
    return re.sub(r"[^\w.%+-]+", "-", write_scalar(value))[:40] or "-"


def _changed(
    name: str,
    parameters: Mapping[str, Scalar],
    changes: Mapping[str, Scalar],
    table: str,
    path: str,
) -> Variant:
    for key in changes:
        if key not in parameters:
            raise ParameterError(
                message("engines.no-such-parameter", name=key, table=table, path=path),
                hint=suggestion(key, list(parameters))
                if parameters
                else message("engines.add-parameters"),
            )
    return Variant(name, {**parameters, **changes})


def _check_names(engine: Engine, variants: Sequence[Variant], path: str) -> None:
    """Checks that parameters are used, and have no name that is given."""
    names = engine.placeholders()
    used = None if names is None else set(names)
    for key in variants[0].parameters:
        if not PARAMETER.fullmatch(key):
            raise ParameterError(
                message("engines.parameter-name", name=key, path=path),
                hint=message("engines.name-parameter"),
            )
        if key in GIVEN:
            raise ParameterError(message("engines.parameter-is-given", name=key, path=path))
        if used is not None and key not in used:
            raise ParameterError(
                message("engines.parameter-is-not-used", name=key, path=path),
                hint=message("engines.use-parameter", name=key),
            )
