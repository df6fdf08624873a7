"""File formats: what a format is, which one a file has, and the readers and writers of all.

A format is one class. To add one, derive from `Format` and register an instance:

    class Letters(Format):
        name = "letters"
        suffixes = (".letters",)

        def read_judgments(self, source, *, columns=None, scale=None):
            return Judgments.from_dict(parse(source.read_all()), scale=scale, source=source.path)

    formats.add(Letters.name, Letters())

It is then recognised by suffix, and works in `relkit.read_judgments`, on the command line and in
`relkit convert`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from relkit.core.errors import InputError
from relkit.core.registry import Registry
from relkit.io.open import Source

if TYPE_CHECKING:
    from relkit import _native
    from relkit.core.notes import Note
    from relkit.data.judgments import Judgments
    from relkit.data.labelled import LabelledRows, StreamedRows
    from relkit.data.run import Run
    from relkit.data.scale import Scale

__all__ = [
    "Format",
    "first_lines",
    "formats",
    "open_source",
    "read_judgments",
    "read_run",
]


class Format:
    """One file format; the base of all.

    Attributes:
        name: What `format=` and `--input-format` call it.
        aliases: Other names.
        suffixes: Suffixes that decide: such a file has this format.
        weak_suffixes: Suffixes that decide only where the content does not say otherwise.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    suffixes: ClassVar[tuple[str, ...]] = ()
    weak_suffixes: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The name and the aliases."""
        return (cls.name, *cls.aliases)

    def recognises(self, head: bytes) -> bool:
        """Says whether a file that begins like this has the format."""
        return False

    def read_judgments(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Judgments:
        """Reads judgments."""
        raise self._cannot("hold judgments", source.path)

    def read_run(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Run:
        """Reads a run."""
        raise self._cannot("hold a run", source.path)

    def stream_run(
        self,
        source: Source,
        judgments: _native.JudgmentTable,
        plan: _native.Plan,
        threads: int = 0,
    ) -> tuple[_native.Batch, tuple[Note, ...]] | None:
        """Evaluates a run while it is read, without keeping it.

        What comes out is what `read_run` and an evaluation would give, to the last bit.

        Args:
            source: A run.
            judgments: What it is held against.
            plan: What to compute.
            threads: Threads to use; 0 takes one a processor.

        Returns:
            The values and what was noticed; None, with nothing read from a pipe, where the run
            must be read whole, which then also says what is wrong with it.
        """
        return None

    def read_scored(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scores: Source | None = None,
        groups: Source | None = None,
        scale: Scale | None = None,
    ) -> LabelledRows:
        """Reads labels and scores, row by row."""
        raise self._cannot("hold labels with scores", source.path)

    def stream_scored(
        self,
        source: Source,
        plan: _native.Plan,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
        threads: int = 0,
    ) -> StreamedRows | None:
        """Evaluates labels and scores while they are read, without keeping them.

        Args:
            source: A file of labelled rows.
            plan: What to compute.
            columns: Column names by role.
            scale: The grade scale: labels may then be its names.
            threads: Threads to use; 0 takes one a processor.

        Returns:
            What `read_scored` and an evaluation would give, to the last bit; None, with nothing
            read from a pipe, where the rows must be read whole.
        """
        return None

    def write_judgments(self, judgments: Judgments, stream: BinaryIO) -> None:
        """Writes judgments."""
        raise self._cannot("hold judgments")

    def write_run(self, run: Run, stream: BinaryIO) -> None:
        """Writes a run."""
        raise self._cannot("hold a run")

    def _cannot(self, what: str, path: str = "") -> InputError:
        return InputError(f"the format `{self.name}` cannot {what}", path=path)


formats: Registry[Format] = Registry(
    "format",
    modules={
        "relkit.io.trec": "trec qrels qrel",
        "relkit.io.delimited": "csv tsv",
        "relkit.io.jsonl": "jsonl ndjson",
        "relkit.io.letor": "letor svmlight libsvm ranklib",
        "relkit.io.parquet": "parquet",
        "relkit.io.ranx_json": "json ranx",
    },
)

# A file's content is compared with these in this order, after the formats that were added: what
# is easily mistaken for something else comes last.
_ORDER = ("trec", "letor", "jsonl", "json", "tsv", "csv", "parquet")


def first_lines(head: bytes, count: int = 1, comment: bytes = b"#") -> list[bytes]:
    """The first lines that hold data: not blank, no comment, without line ends and byte-order mark.

    Examples:
        >>> first_lines(b"# qrels\\n\\nq1 0 d1 1\\r\\nq1 0 d2 0\\n")
        [b'q1 0 d1 1']
    """
    found: list[bytes] = []
    for line in head.removeprefix(b"\xef\xbb\xbf").splitlines():
        text = line.strip()
        if text and not (comment and text.startswith(comment)):
            found.append(line)
            if len(found) == count:
                break
    return found


def recognise(source: Source) -> Format:
    """Says which format a file has, by suffix and then by content.

    Raises:
        InputError: If neither says.
    """
    suffix, head = source.suffix, source.head
    trec = formats.get("trec")
    if head.startswith(b"PAR1"):
        return formats.get("parquet")
    if suffix in trec.suffixes or (suffix in ("", *trec.weak_suffixes) and trec.recognises(head)):
        return trec  # the others need not even be imported
    added = [formats.get(name) for name in formats if name not in _ORDER]
    every = [*added, *(formats.get(name) for name in _ORDER)]
    for candidate in every:
        if suffix in candidate.suffixes:
            return candidate
    for candidate in every:
        if candidate.recognises(head):
            return candidate
    for candidate in every:
        if suffix in candidate.weak_suffixes:
            return candidate
    line = b"".join(first_lines(source.head, comment=b""))[:60].decode("utf-8", "replace")
    raise InputError(
        f"the format is not recognised; it begins with `{line}`",
        path=source.path,
        hint="name it with format=, one of " + ", ".join(f"`{name}`" for name in formats),
    )


def open_source(where: str | os.PathLike[str] | BinaryIO, *, format: str | None = None) -> Source:
    """Opens a file and says what it is, without reading more than its beginning.

    Imports none of NumPy, Polars and narwhals.

    Args:
        where: A path, "-" for standard input, or an open binary file.
        format: The name of its format; None recognises it by suffix, then by content.

    Returns:
        The source, with `format`, `compression`, and `plain` where native code can read it itself.

    Raises:
        InputError: If it cannot be read or its format is not recognised.
        UnknownNameError: If there is no format of that name.
    """
    chosen = formats.get(format) if format is not None else None
    # A pipe gives its bytes once: whoever asks again before reading it gets the same source.
    key = (where, id(sys.stdin)) if where == "-" else (where, 0)
    known = _waiting.pop(key, None) if isinstance(where, str) else None
    source = known if known is not None and known.waiting else Source(where)
    source.format = (chosen or recognise(source)).name
    if source.waiting and isinstance(where, str):
        _waiting[key] = source
    return source


_waiting: dict[tuple[object, int], Source] = {}


def read_judgments(
    source: object,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    scale: Scale | str | None = None,
) -> Judgments:
    """Reads judgments from whatever holds them.

    Args:
        source: A path ("-" for standard input), an open binary file, a dict of dicts, a data frame,
            or an object with `to_dict()`, such as ranx's Qrels. `Judgments` come back as they are.
        format: The file's format; None recognises it.
        columns: Column names by role (query, document, grade), for tables.
        scale: The grade scale, or its name: grades may then be its names, such as 高 or high.

    Raises:
        InputError: If the data cannot be used; the message names the file and the line.
        UnknownNameError: If there is no format or scale of that name.

    Examples:
        >>> read_judgments({"q1": {"d1": 1}})["q1"]
        {'d1': 1.0}
    """
    from relkit.data.judgments import Judgments

    if isinstance(source, Judgments):
        return source
    found = None
    if scale is not None:
        from relkit.data.scale import load_scale

        found = load_scale(scale)
    opened = _opened(source, format)
    if opened is not None:
        result = formats.get(opened.format).read_judgments(opened, columns=columns, scale=found)
        if not len(result):
            raise InputError("holds no judgments", path=opened.path)
        return result
    if isinstance(source, Mapping):
        return Judgments.from_dict(source, scale=found)
    if _is_frame(source):
        return Judgments.from_frame(source, columns, scale=found)
    return Judgments.from_dict(_dict_of(source, "judgments"), scale=found)


def read_run(
    source: object,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Run:
    """Reads a run from whatever holds it.

    Args:
        source: A path ("-" for standard input), an open binary file, a dict of dicts, a data frame,
            or an object with `to_dict()` such as ranx's Run. A `Run` is returned as it is.
        format: The file's format; None recognises it.
        columns: Column names by role (query, document, score, rank), for tables.
        name: What results call the run; None takes the file's name.

    Raises:
        InputError: If the data cannot be used; the message names the file and the line.
        UnknownNameError: If there is no format of that name.

    Examples:
        >>> read_run({"q1": {"d1": 0.5}}, name="mine")
        Run('mine', queries=1, rows=1, source='memory')
    """
    from relkit.data.run import Run, run_name

    if isinstance(source, Run):
        return source
    opened = _opened(source, format)
    if opened is not None:
        name = name or run_name(opened)
        result = formats.get(opened.format).read_run(opened, columns=columns, name=name)
        if not len(result):
            raise InputError("holds no retrieved documents", path=opened.path)
        return result
    if isinstance(source, Mapping):
        return Run.from_dict(source, name=name)
    if _is_frame(source):
        return Run.from_frame(source, columns, name=name)
    name = name or getattr(source, "name", None)
    return Run.from_dict(_dict_of(source, "a run"), name=name)


def _opened(source: object, format: str | None) -> Source | None:
    if isinstance(source, Source):
        if format is not None or not source.format:
            source.format = formats.get(format).name if format else recognise(source).name
        return source
    if isinstance(source, str | os.PathLike):
        return open_source(source, format=format)
    if hasattr(source, "read") and not hasattr(source, "__arrow_c_stream__"):
        stream: Any = source
        return open_source(stream, format=format)
    return None


def _is_frame(source: object) -> bool:
    from relkit.data.columns import is_frame

    return is_frame(source)


def _dict_of(source: object, what: str) -> Mapping[Any, Mapping[Any, Any]]:
    convert = getattr(source, "to_dict", None)
    if callable(convert):
        return convert()  # type: ignore[no-any-return]
    raise InputError(
        f"cannot read {what} from a {type(source).__name__}",
        hint="give a path, a dict of dicts or a data frame",
    )
