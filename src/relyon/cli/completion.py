"""Shell completion: files, columns, and names known to relyon, by the kind of parameter.

Imported only for completion.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from relyon.core.errors import RelyonError

__all__ = ["OPEN", "Completed", "kind_of", "paths", "teach"]

#: The type of an item after which the word continues: no space follows it.
OPEN = "open"

#: Metavars, or names of arguments without one, that mean a file or a folder.
FILES = frozenset(
    {"BASELINE", "CANDIDATE", "DATA", "DATABASE", "DIR", "DIRECTORY", "ENGINE", "FILE", "FOLDER"}
    | {"INPUT", "JUDGMENTS", "LOG", "MIXED", "MODEL", "OTHER", "OUTPUT", "QRELS", "ROUNDS", "RUN"}
    | {"SOURCE", "TAPE", "TARGET"}
)
FOLDERS = frozenset({"DIRECTORY", "DIR", "FOLDER"})

#: Registries by kind of parameter.
REGISTRIES: dict[str, tuple[str, str]] = {
    "convention": ("relyon.data.convention", "presets"),
    "scale": ("relyon.data.scale", "scales"),
    "format": ("relyon.io.format", "formats"),
    "rule": ("relyon.analysis.diagnosis", "rules"),
    "log check": ("relyon.online.logs.log_check", "checks"),
    "experiment check": ("relyon.online.experiments.abtest.experiment_check", "experiment_checks"),
    "click model": ("relyon.labels.model", "models"),
    "bias estimator": ("relyon.labels.position_bias.estimator", "estimators"),
    "off-policy estimator": ("relyon.labels.off_policy.estimator", "estimators"),
    "interleaving": ("relyon.online.experiments.interleaving.method", "methods"),
    "fusion": ("relyon.ltr.fusion.method", "methods"),
    "engine": ("relyon.ltr.rankers.engines.engine", "engines"),
}

#: Parameters whose `metavar` is ambiguous: by command and name.
NAMED = {
    ("measures", "name"): "measure",
    ("conventions", "names"): "convention",
    ("fuse", "method"): "fusion",
    ("fuse", "to"): "format",
    ("mix", "method"): "interleaving",
    ("doctor", "only"): "log check",
    ("check", "only"): "experiment check",
    ("diagnose", "rules"): "rule",
    ("bias", "estimators"): "bias estimator",
    ("offpolicy", "estimators"): "off-policy estimator",
    ("calibrate", "measure"): "measure",
    ("train", "engine"): "engine",
}
#: The kind that a `metavar` alone determines.
METAVARS = {
    "COLUMN": "column",
    "COLUMN,…": "column",
    "NAME=COLUMN,…": "role",
    "FORMAT": "format",
    "MEASURE": "measure",
    "KEY=VALUE": "setting",
    "NAME=RUN": "file",
}
LOG_FORMATS = ("parquet", "csv", "tsv", "jsonl", "ubi")
#: Files of rules: conventions and scales.
RULES = (".toml", ".json", ".yaml", ".yml")
DEPTHS = (1, 3, 5, 10, 20, 50, 100, 1000)
FIRST_LINE = 1 << 16


def teach(command: click.Command) -> click.Command:
    """Returns a command whose parameters have completion."""
    for parameter in command.params:
        if type(parameter.type) is click.types.StringParamType:
            kind = kind_of(command, parameter)
            if kind:
                parameter.type = Completed(kind)
    return command


def kind_of(command: click.Command, parameter: click.Parameter) -> str:
    """Returns the kind of a text parameter; `""` if nothing completes it."""
    known = NAMED.get((command.name or "", parameter.name or ""))
    if known is not None:
        return known
    shown = parameter.metavar or ""
    if parameter.name == "scale":
        return "scale"
    if shown == "FORMAT" and any(one.name in {"log", "logs"} for one in command.params):
        return "log format"
    if shown == "MODEL" and isinstance(parameter, click.Option):
        return "click model"
    if shown == "PRESET|FILE":
        return "convention"
    first = shown.partition("|")[0]
    if first in METAVARS:
        return METAVARS[first]
    if not shown and isinstance(parameter, click.Argument):
        shown = (parameter.name or "").upper().removesuffix("S")
        shown = {"ROUND": "ROUNDS", "FILE": "FILE", "JUDGMENT": "JUDGMENTS"}.get(shown, shown)
    words = set(re.split(r"[^A-Z]+", shown)) - {""}
    if words & FOLDERS:
        return "folder"
    return "file" if words & FILES else ""


class Completed(click.types.StringParamType):
    """Text of a known kind, with completion.

    Args:
        kind: What: `file`, `folder`, `column`, `role`, `setting`, `measure` or a registry.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Returns the completions of a word. None if a file cannot be read."""
        try:
            return [*self._found(ctx, param, incomplete)]
        except Exception:  # a Tab must never print an error into the command line
            return []

    def _found(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> Iterator[CompletionItem]:
        shown = param.metavar or ""
        head, last = _last_part(incomplete) if self.kind in LISTS else ("", incomplete)
        if shown == "NAME=RUN":
            name, equals, path = incomplete.partition("=")
            yield from paths(path, name + equals) if equals else []
        elif self.kind in ("file", "folder"):
            yield CompletionItem(incomplete, type="dir" if self.kind == "folder" else "file")
        elif self.kind in KINDS:
            for word in KINDS[self.kind](ctx, last):
                if word.startswith(last):
                    yield CompletionItem(head + word, type=OPEN if word[-1] in "=@(/" else "plain")
        else:
            module, name = REGISTRIES[self.kind]
            words = [one for one in getattr(import_module(module), name) if one.startswith(last)]
            yield from map(CompletionItem, words)
            if "FILE" in shown and not (words and incomplete):
                yield from paths(incomplete, endings=RULES)


def _last_part(text: str) -> tuple[str, str]:
    """Splits a list at its last comma outside of brackets."""
    depth, cut = 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            cut = place + 1
    return text[:cut], text[cut:]


def paths(
    incomplete: str, before: str = "", endings: tuple[str, ...] = ("",)
) -> Iterator[CompletionItem]:
    """Yields the files that complete a path, if the shell cannot list them itself.

    Args:
        incomplete: The path so far.
        before: What precedes it in the same word.
        endings: The wanted file name endings.
    """
    folder, name = os.path.split(incomplete)
    with os.scandir(os.path.expanduser(folder) or ".") as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if not entry.name.startswith(name) or (entry.name[0] == "." and not name):
                continue
            path = before + os.path.join(folder, entry.name)
            if entry.is_dir():
                yield CompletionItem(f"{path}/", type=OPEN)
            elif entry.name.endswith(endings):
                yield CompletionItem(path)


def _measures(context: click.Context, incomplete: str) -> Iterator[str]:
    """Yields measures; after `@` depths, in brackets parameters and their values."""
    from relyon.measures import registry
    from relyon.measures.parameters import parameters

    if incomplete.startswith("@"):  # a file of measures
        yield from (one.value for one in paths(incomplete[1:], "@"))
        return
    name, bracket, inside = incomplete.partition("(")
    name, at, _ = name.partition("@")
    if not bracket and not at:
        yield from registry
    if name not in registry:
        return
    names = parameters(registry.get(name))
    if bracket:
        done, last = inside.rpartition(",")[0], inside.rpartition(",")[2]
        before = f"{name}({done}," if done else f"{name}("
        key, equals, _ = last.partition("=")
        if equals:
            yield from (f"{before}{key}={value}" for value in _values(names.get(key)))
        else:
            yield from (f"{before}{one}=" for one in names if one != "k")
    elif "k" in names and (at or incomplete == name):
        yield from (f"{name}@{depth}" for depth in DEPTHS)


def _values(hint: object) -> list[str]:
    from relyon.measures.parameters import choices

    return [str(value).lower() for value in choices(hint)] if hint is not None else []


def _settings(context: click.Context, incomplete: str) -> Iterator[str]:
    """Yields rules: fields of the convention and their values, measures and their rules."""
    from dataclasses import fields

    from relyon.data.convention import CHOICES, Convention
    from relyon.measures import registry
    from relyon.measures.parameters import open_parameters

    word, equals, _ = incomplete.partition("=")
    measure, dot, key = word.partition(".")
    if dot:
        if equals and key == "undefined":
            yield from (f"{word}={value}" for value in CHOICES["undefined"])
        elif not equals:
            names = open_parameters(registry.get(measure)) if measure in registry else []
            yield from (f"{measure}.{name}=" for name in ["undefined", *names])
    elif equals:
        yield from (f"{word}={value}" for value in CHOICES.get(word, ()))
    else:
        own = {"name", "measures"}
        yield from (f"{one.name}=" for one in fields(Convention) if one.name not in own)


def _roles(context: click.Context, incomplete: str) -> Iterator[str]:
    """Yields column roles, and after `=` the columns of the files on the line."""
    from relyon.data.columns.roles import KINDS as ROLES_BY_KIND

    role, equals, _ = incomplete.partition("=")
    if equals:
        yield from (f"{role}={column}" for column in _columns(context, ""))
    else:
        roles = (
            one for required, optional in ROLES_BY_KIND.values() for one in required + optional
        )
        yield from (f"{one}=" for one in dict.fromkeys(roles))


def _columns(context: click.Context, incomplete: str) -> Iterator[str]:
    """Yields the columns of the files named on the line, each once."""
    words = context.find_root().obj or ()
    found: dict[str, None] = {}
    for before, word in zip(("", *words), words, strict=False):
        path = word.partition("=")[2] if word.startswith("--") else word
        if before not in ("-o", "--output") and os.path.isfile(path):
            with suppress(RelyonError):  # not a table, or not readable
                found.update(dict.fromkeys(_header(path)))
    yield from found


def _header(path: str) -> Iterable[str]:
    """Returns the columns of a Parquet, JSON Lines, CSV or TSV file, compressed or not."""
    from relyon.io.byte_source import Source

    source = Source(path)
    if source.head.startswith(b"PAR1"):
        import polars as pl

        return pl.read_parquet_schema(path)
    line = source.head[:FIRST_LINE].decode("utf-8-sig", "replace").partition("\n")[0]
    if line.startswith("{"):
        import json

        return [str(key) for key in json.loads(line)]
    import csv

    separator = max("\t,;|", key=line.count)
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]


#: Completion functions by kind; the kinds in `LISTS` accept comma-separated lists.
KINDS: Mapping[str, Callable[[click.Context, str], Iterable[str]]] = {
    "measure": _measures,
    "setting": _settings,
    "role": _roles,
    "column": _columns,
    "log format": lambda context, incomplete: LOG_FORMATS,
}
LISTS = frozenset({"measure", "role", "column"})
