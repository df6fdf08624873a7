"""Parsing the values of options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from relyon.cli.hints import said
from relyon.cli.messages import messages
from relyon.core.errors import InputError, ParameterError, ParseError, RelyonError, UnknownNameError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.scale import Scale

__all__ = [
    "SCORED",
    "chosen_columns",
    "chosen_convention",
    "chosen_scale",
    "format_named_by",
    "named_values",
    "parse_depths",
    "run_names",
    "scored_columns",
    "split_measures",
]


def parse_depths(text: str, tiers: Sequence[str] = ()) -> int | dict[str, int]:
    """Returns the depths of ``-k``: one number, TIER=K pairs, or one number per tier.

    Args:
        text: The given text.
        tiers: The tiers in their order; without them numbers alone are refused.

    Raises:
        ParameterError: If it is not one of these.
    """
    parts = [part.partition("=") for part in text.split(",")]
    names = [name.strip() for name, equals, _ in parts if equals]
    numbers = [(depth if equals else name).strip() for name, equals, depth in parts]
    known = all(number.isascii() and number.isdigit() for number in numbers)
    if known and not names and len(numbers) == 1:
        return int(numbers[0])
    if known and not names and len(numbers) == len(tiers):
        names = list(tiers)
    if not known or len(set(names)) != len(numbers) or not all(names):
        raise ParameterError(
            message("cli.k-is-neither", text=text),
            hint=message(
                "cli.write-k",
                tiers=",".join(f"{tier}=20" for tier in tiers or ("head", "tail")),
            ),
        )
    return {name: int(number) for name, number in zip(names, numbers, strict=True)}


def split_measures(texts: Sequence[str]) -> list[str]:
    """Returns single measure names from texts, which may be comma-separated lists or `@FILE`.

    Raises:
        InputError: If a file cannot be read, or a line of it names no measure.

    Examples:
        >>> split_measures(["ndcg(gain=exp,ideal=retrieved)@10,ap", "P.5,10"])
        ['ndcg(gain=exp,ideal=retrieved)@10', 'ap', 'P.5,10']
        >>> split_measures(["ndcg@10,", "ap"])
        ['ndcg@10', 'ap']
        >>> split_measures(["utility.2,-1,0,0,ndcg.1=3,2=9,11pt_avg"])
        ['utility.2,-1,0,0', 'ndcg.1=3,2=9', '11pt_avg']
    """
    import re

    # A number, or a pair of numbers, after a comma continues trec_eval's list of parameters.
    more = re.compile(r"[-+]?(\d+\.?|\.\d)\d*(=[^,()]*)?(@\d+)?(,|$)")
    names = []
    for text in texts:
        if text.startswith("@"):
            names += _measures_of(text[1:])
            continue
        start = depth = 0
        for place, sign in enumerate(text):
            depth += {"(": 1, ")": -1}.get(sign, 0)
            if sign == "," and depth == 0 and not more.match(text, place + 1):
                names.append(text[start:place])
                start = place + 1
        names.append(text[start:])
    # A comma at the end, which completion leaves, names nothing.
    return [name for name in names if name.strip()] or names


def _measures_of(path: str) -> list[str]:
    """Returns the measures of a file: one or several per line, nothing after `#`."""
    from relyon.io.plain_text import read_file
    from relyon.measures.parser import measures

    found: list[str] = []
    for number, line in enumerate(read_file(path).splitlines(), start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        names = split_measures([text])
        try:
            measures(names)
        except RelyonError as error:
            raise ParseError(error.message, path=path, line=number, hint=error.hint) from error
        found += names
    if not found:
        raise InputError(
            message("cli.names-no-measure"), path=path, hint=message("cli.write-one-per-line")
        )
    return found


@contextmanager
def format_named_by(
    option: str, columns: str = "--columns", *, per_file: bool = False
) -> Iterator[None]:
    """Makes hints name options rather than Python parameters.

    Args:
        option: The option for `format=`.
        columns: The option for `columns=`.
        per_file: Whether hints name the file of the columns, as there are several.
    """
    try:
        yield
    except RelyonError as error:
        hint = said(error.hint, columns)
        named = {"format=": option, "--columns ": f"{columns} "}
        if columns == "--columns":
            del named["--columns "]
        if any(one in hint for one in named):
            hint = messages.translate(hint)
            for one, instead in named.items():
                hint = hint.replace(one, instead)
        path = getattr(error, "path", "")
        if per_file and path and getattr(hint, "kind", "") == "data.columns-are-names":
            hint = message("cli.name-columns-of-file", known=hint, option=columns, file=path)
        elif per_file and path and columns in hint:
            import re

            pairs = re.compile(rf"{columns} (?=\S+=)")
            hint = pairs.sub(lambda _: f"{columns} {path}=", messages.translate(hint))
        error.hint = hint
        raise


def named_values(texts: Sequence[str], option: str, example: str) -> dict[str, str]:
    """Returns the values of an option NAME=VALUE that can be given several times.

    Raises:
        ParameterError: If a text is not NAME=VALUE.
    """
    parts = [[part.strip() for part in text.partition("=")] for text in texts]
    wrong = [text for text, part in zip(texts, parts, strict=True) if not all(part)]
    if wrong:
        raise ParameterError(
            message("cli.option-text-is-not-name", option=option, text=", ".join(wrong)),
            hint=message("cli.write-option-example", option=option, example=example),
        )
    return {name: value for name, _, value in parts}


def chosen_convention(source: str | None, changes: Sequence[str]) -> Convention:
    """Returns the convention of ``--convention`` and ``--set``."""
    from relyon.data.convention import load_convention

    convention = load_convention(source)
    pairs = named_values(changes, "--set", "ties=expected")
    return convention.replace(**pairs) if pairs else convention


def chosen_scale(source: str | None) -> Scale | None:
    """Returns the scale of ``--scale``."""
    if source is None:
        return None
    from relyon.data.scale import load_scale

    return load_scale(source)


#: The names that `--columns` accepts for labelled rows.
SCORED = ("query", "label", "grade", "score", "document")


def scored_columns(
    texts: Sequence[str],
    flat: Mapping[str, str | None],
    *,
    scores: str = "--score",
    known: Sequence[str] = SCORED,
) -> dict[str, str | None]:
    """Returns the columns of labelled rows, from ``--columns`` and their own options.

    Args:
        texts: The values of ``--columns``; `grade` is another name of the label.
        flat: The values of the columns' own options, by role.
        scores: The option that names a column of scores, for the error if ``--columns`` tries to.
        known: The names that ``--columns`` accepts.

    Raises:
        ParameterError: If a text is not NAME=COLUMN, or both name different columns.
        UnknownNameError: If a name is unknown.
    """
    found: dict[str, str | None] = dict(flat)
    for name, column in (chosen_columns(texts, known, "query=qid,label=grade") or {}).items():
        role = "label" if name == "grade" else name
        if role == "score" and role not in flat:
            raise ParameterError(
                message("cli.columns-names-only"),
                hint=message("cli.write-other", scores=scores, column=column),
            )
        if found.get(role) not in (None, column):
            raise ParameterError(
                message(
                    "cli.two-columns-are-given",
                    role=role,
                    found=found[role],
                    column=column,
                ),
                hint=(
                    message("cli.leave-out-or-in-columns", role=role, name=name)
                    if flat.get(role) is not None
                    else message("cli.name-once-in-columns", option="--columns")
                ),
            )
        found[role] = column
    return found


def chosen_columns(
    texts: Sequence[str],
    known: Sequence[str] = ("query", "document", "grade", "score", "rank"),
    example: str = "query=qid,document=url",
    option: str = "--columns",
) -> dict[str, str] | None:
    """Returns the column map of ``--columns``.

    Args:
        texts: The values of the option.
        known: The names for this kind of data; by default those of judgments and runs.
        example: A map of such names, for the hint.
        option: Its name.

    Raises:
        ParameterError: If a text is not NAME=COLUMN, or two name different columns of a role.
        UnknownNameError: If a name is unknown.
    """
    if not texts:
        return None
    from relyon.data.columns.roles import role_of

    items = [item for text in texts for item in text.split(",")]
    named_values(items, option, example)  # refuses all that are no pairs
    pairs: dict[str, str] = {}
    for item in items:
        for name, column in named_values([item], option, example).items():
            role = role_of(name, known)
            found = pairs.setdefault(role, column)
            if found != column:
                raise ParameterError(
                    message("cli.two-columns-are-given", role=role, found=found, column=column),
                    hint=message("cli.name-once-in-columns", option=option),
                )
    unknown = [name for name in pairs if name not in known]
    if unknown:
        from relyon.core.registry import suggestion

        raise UnknownNameError(
            message("cli.does-not-accept", option=option, name="`, `".join(unknown)),
            hint=suggestion(unknown[0], list(known)),
        )
    return pairs or None


def run_names(runs: Sequence[str], names: Sequence[str] = ()) -> list[str]:
    """Returns file names, or whole paths if two names are equal.

    Args:
        runs: Paths.
        names: The values of ``--name``.

    Raises:
        ParameterError: If names are given, but not a distinct one for each run.
    """
    from relyon.data.run import file_names

    if names and len(names) != len(runs):
        raise ParameterError(
            message("core.there-are-runs", count=len(runs), count_2=len(names)),
            hint=message("cli.give-name-once-per"),
        )
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise ParameterError(
            message("core.two-runs-have-name", twice=twice[0]),
            hint=message("core.give-different-names"),
        )
    if names:
        return list(names)
    return file_names(runs)
