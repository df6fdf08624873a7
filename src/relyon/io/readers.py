"""Reading judgments, runs, labelled scores and features from files, frames and objects."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, Literal, TypeGuard, get_args

from relyon.core.errors import InputError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.data.features import Labelling, Matrix, Precision, Storage
from relyon.io.byte_source import Source
from relyon.io.declared_encoding import no_text
from relyon.io.format import Kind, formats
from relyon.io.irds import dataset_judgments, dataset_run, is_dataset, refuse_file_options
from relyon.io.judged_rows import Unjudged, judged_rows
from relyon.io.recognition import open_source

if TYPE_CHECKING:
    from relyon.core.notes import Note
    from relyon.data.judgments import Judgments
    from relyon.data.labelled import LabelledRows
    from relyon.data.run import Run
    from relyon.data.scale import Scale

__all__ = [
    "opened",
    "read_features",
    "read_judgments",
    "read_rows",
    "read_run",
    "read_scored",
    "scored_table",
]


def read_judgments(
    source: object,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    scale: Scale | str | None = None,
    encoding: str | None = None,
) -> Judgments:
    """Reads judgments from a file, frame or object.

    Args:
        source: A path ("-" for standard input), an open binary file, a dict of dicts, a data frame,
            or an object with `to_dict()`, such as ranx's Qrels. `Judgments` are returned as they
            are. A judging database is a path, too, with its project after `#`: "judging.db#June"
            or "postgresql://USER@HOST/NAME#June"; and so is the id of a data set of ir_datasets,
            "irds:vaswani".
        format: The file's format; None recognises it.
        columns: Column names by role (query, document, grade), for tables.
        scale: The grade scale, or its name: grades may then be names of levels, such as 高 or high.
        encoding: The encoding of a text file, such as "gbk"; None for UTF-8, or the one that
            `text_encoding` declares or that is certain.

    Raises:
        InputError: If the data cannot be used; the message names the file and the line.
        UnknownNameError: If there is no format, scale or encoding of that name.

    Examples:
        >>> read_judgments({"q1": {"d1": 1}})["q1"]
        {'d1': 1.0}
    """
    from relyon.data.judgments import Judgments

    if isinstance(source, Judgments):
        return source
    passages = sys.modules.get("relyon.data.passages")
    if passages is not None and isinstance(source, passages.Passages):
        raise InputError(
            message("io.passages-need-chunks"), path=source.path, hint=message("data.give-chunks")
        )
    levels = None
    if scale is not None:
        from relyon.data.scale import load_scale

        levels = load_scale(scale)
    if is_dataset(source):
        refuse_file_options(str(source), format=format, columns=columns, encoding=encoding)
        return dataset_judgments(str(source), levels)
    found = opened(source, "judgments", format=format, columns=columns, encoding=encoding)
    if found is not None:
        result = formats.get(found.format).read_judgments(found, columns=columns, scale=levels)
        if not len(result):
            raise InputError(message("io.contains-no-judgments"), path=found.path)
        return result.with_notes(found.notes) if found.notes else result
    if isinstance(source, Mapping):
        return Judgments.from_dict(source, scale=levels)
    if _is_frame(source):
        return Judgments.from_frame(source, columns, scale=levels)
    return Judgments.from_dict(_dict_of(source, "judgments"), scale=levels)


def read_run(
    source: object,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
    encoding: str | None = None,
) -> Run:
    """Reads a run from a file, frame or object.

    Args:
        source: A path ("-" for standard input), an open binary file, a dict of dicts, a data frame,
            or an object with `to_dict()` such as ranx's Run. A `Run` is returned as it is.
        format: The file's format; None recognises it.
        columns: Column names by role (query, document, score, rank), for tables.
        name: The name of the run in results; None takes the file's name.
        encoding: The encoding of a text file, such as "gbk"; None for UTF-8, or the one that
            `text_encoding` declares or that is certain.

    Raises:
        InputError: If the data cannot be used; the message names the file and the line.
        UnknownNameError: If there is no format or encoding of that name.

    Examples:
        >>> read_run({"q1": {"d1": 0.5}}, name="mine")
        Run('mine', queries=1, rows=1, source='memory')
    """
    from relyon.data.run import Run, run_name

    if isinstance(source, Run):
        return source
    if is_dataset(source):
        refuse_file_options(str(source), format=format, columns=columns, encoding=encoding)
        return dataset_run(str(source), name)
    found = opened(source, "run", format=format, columns=columns, encoding=encoding)
    if found is not None:
        name = name or run_name(found)
        result = formats.get(found.format).read_run(found, columns=columns, name=name)
        if not len(result):
            raise InputError(message("io.contains-no-retrieved-documents"), path=found.path)
        return result.with_notes(found.notes) if found.notes else result
    if isinstance(source, Mapping):
        return Run.from_dict(source, name=name)
    if _is_frame(source):
        return Run.from_frame(source, columns, name=name)
    name = name or getattr(source, "name", None)
    return Run.from_dict(_dict_of(source, "a run"), name=name)


def read_scored(
    source: object,
    *,
    query: str | None = None,
    label: str | None = None,
    score: str | None = None,
    document: str | None = None,
    weight: str | None = None,
    scores: str | os.PathLike[str] | None = None,
    groups: str | os.PathLike[str] | None = None,
    format: str | None = None,
    scale: Scale | str | None = None,
    encoding: str | None = None,
) -> LabelledRows:
    """Reads rows of a label and a score, grouped by query.

    Args:
        source: A file of any format that contains `scored` rows (see `relyon.io.Format.kinds`),
            or any data frame; the scores of an SVMlight/LETOR file are in a separate file.
        query: The query's column; None finds it by the usual names. Without one all rows count as
            one query.
        label: The label's column; None finds it by the usual names.
        score: The score's column; None finds it by the usual names.
        document: The document's column; None finds it by the usual names. It is optional.
        weight: The column of row weights; None for 1 each. It is never guessed.
        scores: For SVMlight/LETOR: the file with one score per line.
        groups: For SVMlight files without `qid:`: the file with the number of rows per query.
        format: The file's format; None recognises it.
        scale: The grade scale, or its name: labels may then be names of levels.
        encoding: The encoding of a text file, such as "gbk"; None for UTF-8, or the one that
            `text_encoding` declares or that is certain.

    Returns:
        Labels, scores and offsets; rows are grouped by query, in their order.

    Raises:
        InputError: If the data cannot be used; the message names the file and the line.

    Examples:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"q": ["a", "b", "a"], "label": [1, 0, 2], "score": [3.0, 2, 1]})
        >>> scored = read_scored(frame, query="q")
        >>> scored.queries, scored.groups.tolist(), scored.labels.tolist()
        (['a', 'b'], [0, 2, 3], [1.0, 2.0, 0.0])
    """
    from relyon.data.scale import load_scale

    named: Mapping[str, str | None] = {
        "query": query,
        "label": label,
        "score": score,
        "document": document,
        "weight": weight,
    }
    columns = {role: name for role, name in named.items() if name is not None}
    chosen = load_scale(scale)
    return scored_table(
        source,
        columns,
        chosen,
        format=format,
        scores=_open(scores),
        groups=_open(groups),
        encoding=encoding,
    )


def scored_table(
    source: object,
    columns: Mapping[str, str] | None = None,
    scale: Scale | None = None,
    *,
    format: str | None = None,
    scores: Source | None = None,
    groups: Source | None = None,
    encoding: str | None = None,
) -> LabelledRows:
    """Reads rows of a label and a score, with columns by role; see `read_scored`."""
    found = opened(source, "scored", format=format, columns=columns, encoding=encoding)
    if found is not None:
        return read_rows(found, columns, scale, scores=scores, groups=groups)
    from relyon.data.columns import SAMPLE, first_values, polars_columns, query_candidates
    from relyon.data.labelled import from_columns

    series = polars_columns(source, "scored", columns=columns)
    candidates: tuple[str, ...] = ()
    if "query" not in series:
        candidates = query_candidates(first_values(source, series, SAMPLE))
    return _filled(from_columns(series, scale=scale, candidates=candidates))


def read_features(
    source: object,
    *,
    query: str | None = None,
    label: str | None = None,
    document: str | None = None,
    weight: str | Literal[False] | None = None,
    position: str | Literal[False] | None = None,
    group: str | None = None,
    features: Sequence[str] | None = None,
    groups: str | os.PathLike[str] | None = None,
    judgments: object = None,
    unjudged: Unjudged = "drop",
    format: str | None = None,
    scale: Scale | str | None = None,
    dtype: Precision | None = None,
    matrix: Matrix = "auto",
    labels: Literal["own", "none"] = "own",
    encoding: str | None = None,
) -> LabelledRows:
    """Reads labels and features, grouped by query: training data for rankers.

    Args:
        source: A file of any format that contains `features` (see `relyon.io.Format.kinds`), such
            as SVMlight/LETOR text or a flat table, or any data frame.
        query: The query's column; None finds it by the usual names. Without one all rows count as
            one query.
        label: The label's column; None finds it by the usual names.
        document: The document's column; None finds it by the usual names. It is optional.
        weight: The column of row weights; None takes a column named `weight` or 权重, with a note,
            because as a feature it would leak the label. False: 1 each, and such a column, or the
            file `PATH.weight`, is not read.
        position: The column of positions at which rows were shown; None for none: it is never
            guessed. False leaves the file `PATH.position` unread.
        group: The column of what stays on one side of every split, such as an intent that several
            queries express; None for none.
        features: The columns of features; None takes every column without another role, such as
            `score`, `rank` or `position`, which `relyon.ltr.check` reports. In a table a missing
            value is NaN, in an SVMlight/LETOR file it is 0.
        groups: For SVMlight files without `qid:`: the file with the number of rows per query. None
            takes `PATH.query` or `PATH.group` if it exists; then `PATH.weight` and `PATH.position`
            are read, too, as in LightGBM. A note names the files.
        judgments: Anything that `read_judgments` takes: rows get the grade of their query and
            document, and a label column is not read. A weight of their grade becomes the weight of
            the row, with a note, unless the rows have weights of their own or `weight` is False.
        unjudged: With `judgments`, the treatment of rows without a grade: "drop" leaves them out,
            "zero" gives them the label 0. A note counts them.
        format: The file's format; None recognises it.
        scale: The grade scale, or its name: labels may then be names of levels.
        dtype: "float32" or "float64". None: "float32" for SVMlight/LETOR text, whose learners use
            no more; for a table, "float32" if it represents every feature's type exactly.
        matrix: "dense" or "sparse" (SciPy CSR). "auto": SVMlight/LETOR text with fewer than 20%
            nonzero values is sparse; tables are dense.
        labels: "none" for rows to be ranked: a label column is not needed, not read and not a
            feature, and every label is 0.
        encoding: The encoding of a text file, such as "gbk"; None for UTF-8, or the one that
            `text_encoding` declares or that is certain.

    Returns:
        Labels, features and offsets; rows are grouped by query, in their order.
        `evaluate_scores` takes them with the scores of a ranker.

    Raises:
        InputError: If the data cannot be used; the message names the file and the line.
        ParameterError: If `unjudged`, `dtype`, `matrix` or `labels` is something else.

    Examples:
        >>> import polars as pl
        >>> import relyon
        >>> frame = pl.DataFrame({"q": [7, 7], "label": [1, 0], "bm25": [3.5, 2], "age": [1, 9]})
        >>> rows = relyon.read_features(frame, query="q")
        >>> rows.features
        Features(rows=2, names=['bm25', 'age'])
        >>> relyon.evaluate_scores(rows, rows.features.values[:, 0], measures="auc")["auc"]
        1.0
    """
    from relyon.data.columns import feature_role
    from relyon.data.scale import load_scale

    named = {
        "query": query,
        "label": label,
        "document": document,
        "weight": weight,
        "position": position,
        "group": group,
    }
    columns = {role: name or "" for role, name in named.items() if name is not None}
    columns |= {feature_role(name): name for name in features or ()}
    check_choice("unjudged", unjudged, get_args(Unjudged))
    check_choice("labels", labels, ("own", "none"))
    storage = Storage(dtype, matrix)
    grades = None if judgments is None else read_judgments(judgments, scale=scale)
    given: Labelling = labels if grades is None else "judgments"
    chosen = load_scale(scale)
    found = opened(source, "features", format=format, columns=columns, encoding=encoding)
    if found is None:
        from relyon.data.columns import LABELLING, polars_columns
        from relyon.io.table_columns import Table

        table = Table(polars_columns(source, LABELLING[given], columns=columns), "")
        rows = table.featured(columns, chosen, storage, given)
    else:
        rows = formats.get(found.format).read_features(
            found,
            columns=columns,
            groups=_open(groups),
            scale=chosen,
            storage=storage,
            labels=given,
        )
    rows = _filled(rows, () if found is None else found.notes)
    if grades is None:
        return rows
    return judged_rows(rows, grades, unjudged, weights="own" if weight is False else "judged")


def read_rows(
    source: Source,
    columns: Mapping[str, str] | None = None,
    scale: Scale | None = None,
    *,
    scores: Source | None = None,
    groups: Source | None = None,
) -> LabelledRows:
    """Reads labelled rows from a source whose format is known; see `read_scored`."""
    rows = formats.get(source.format).read_scored(
        source, columns=columns, scores=scores, groups=groups, scale=scale
    )
    return _filled(rows, source.notes)


def _filled(scored: LabelledRows, notes: tuple[Note, ...] = ()) -> LabelledRows:
    if not len(scored):
        raise InputError(message("core.contains-no-rows"), path=scored.source)
    return replace(scored, notes=(*notes, *scored.notes)) if notes else scored


def _open(path: str | os.PathLike[str] | None) -> Source | None:
    """Opens a file that is not a table, such as one number per line."""
    return None if path is None else Source(path)


def opened(
    source: object,
    kind: Kind,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Source | None:
    """Returns an opened and recognised file; None if the source is not a file.

    Args:
        source: A path, an open binary file, a source, or anything else.
        kind: The kind of data to look for.
        format: Its format; None recognises it.
        columns: Column names given by the caller.
        encoding: The encoding of its text, given by the caller.

    Raises:
        InputError: If it cannot be read or is not recognised.
        ParameterError: If there is an encoding, but no file that it could be of.
    """
    if encoding is not None and (isinstance(source, Source) or not _is_file(source)):
        raise no_text(type(source).__name__, message("io.data-in-memory"))
    if _is_file(source):
        return open_source(source, format=format, kind=kind, named=bool(columns), encoding=encoding)
    return None


def _is_file(source: object) -> TypeGuard[str | os.PathLike[str] | BinaryIO | Source]:
    if isinstance(source, str | os.PathLike | Source):
        return not is_dataset(source)
    return hasattr(source, "read") and not hasattr(source, "__arrow_c_stream__")


def _is_frame(source: object) -> bool:
    from relyon.data.columns import is_frame

    return is_frame(source)


def _dict_of(source: object, what: str) -> Mapping[str, Mapping[str, float]]:
    convert = getattr(source, "to_dict", None)
    if callable(convert):
        return convert()  # type: ignore[no-any-return]
    raise InputError(
        message("io.cannot-read-what", what=what, name=type(source).__name__),
        hint=message("io.give-path"),
    )
