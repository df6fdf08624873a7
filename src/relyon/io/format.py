"""The base of file formats, and their registry.

A format is one class: its readers and writers define what it can contain. To add one, derive
from `Format` and register an instance:

    class Letters(Format):
        name = "letters"
        suffixes = (".letters",)

        def read_judgments(self, source, *, columns=None, scale=None):
            return Judgments.from_dict(parse(source.read_all()), scale=scale, source=source.path)

    formats.register(Letters())

It is then recognised by suffix, and works wherever judgments are read: in `relyon.read_judgments`,
`relyon evaluate`, `relyon convert`, `relyon judge import`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO, ClassVar, Literal

from relyon.core.errors import InputError
from relyon.core.registry import Registry
from relyon.core.texts import message
from relyon.data.features import STORAGE, Labelling, Storage

if TYPE_CHECKING:
    from relyon import _native
    from relyon.core.notes import Note
    from relyon.data.judgments import Judgments
    from relyon.data.labelled import LabelledRows, StreamedRows
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.data.sheets import Sheet
    from relyon.data.traces import Traces
    from relyon.io.byte_source import Source

__all__ = ["MODULES", "Format", "Kind", "first_lines", "formats"]

Kind = Literal["judgments", "run", "scored", "features", "sheet", "traces"]

#: The reader of each kind of data, and its name in messages.
READERS: dict[Kind, tuple[str, str]] = {
    "judgments": ("read_judgments", "judgments"),
    "run": ("read_run", "a run"),
    "scored": ("read_scored", "labels with scores"),
    "features": ("read_features", "labels with features"),
    "sheet": ("read_sheet", "items to judge"),
    "traces": ("read_traces", "traces"),
}

#: The modules of the formats, with the names that each registers. Content is recognised in this
#: order: formats that are easily mistaken for others come last.
MODULES = {
    "relyon.io.formats.trec": "trec qrels qrel",
    "relyon.io.formats.letor": "letor svmlight libsvm ranklib",
    "relyon.io.formats.quepid": "quepid-case quepid-book quepid-book-csv",
    "relyon.io.formats.rre": "rre",
    "relyon.io.formats.elasticsearch": "elasticsearch",
    "relyon.io.formats.opensearch": "opensearch",
    "relyon.io.formats.label_studio": "label-studio",
    "relyon.io.formats.traces": "traces trace opentelemetry otel otlp",
    "relyon.io.formats.json_lines": "jsonl ndjson",
    "relyon.io.formats.ranx_json": "json ranx",
    "relyon.io.formats.delimited": "tsv csv",
    "relyon.io.formats.parquet": "parquet",
    "relyon.io.formats.workbook": "xlsx excel",
    "relyon.io.formats.judging_database": "judging-database",
}


class Format:
    """One file format; the base of all.

    Attributes:
        name: Its name for `format=` and `--input-format`.
        title: Its name in prose, with an article.
        aliases: Other names.
        suffixes: Suffixes that determine the format.
        weak_suffixes: Suffixes that determine the format unless the content contradicts it.
        general: Whether other formats are special cases of it: it is chosen only if none of them is
            recognised.
        tabular: Whether it has named columns.
        keeps_evidence: Whether judgments are written with the evidence for their grades.
        kinds: The kinds of data that it can contain: those with a reader.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    aliases: ClassVar[tuple[str, ...]] = ()
    suffixes: ClassVar[tuple[str, ...]] = ()
    weak_suffixes: ClassVar[tuple[str, ...]] = ()
    general: ClassVar[bool] = False
    tabular: ClassVar[bool] = False
    keeps_evidence: ClassVar[bool] = False
    kinds: ClassVar[frozenset[Kind]] = frozenset()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.kinds = frozenset(
            kind
            for kind, (reader, _) in READERS.items()
            if getattr(cls, reader) is not getattr(Format, reader)
        )
        if "judgments" in cls.kinds:  # which are items with only a grade
            cls.kinds |= {"sheet"}

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The name and the aliases."""
        return (cls.name, *cls.aliases)

    def recognises(self, head: bytes) -> bool:
        """Whether a file with this beginning has the format."""
        return False

    def may_be(self, head: bytes) -> bool:
        """Whether a file with the format's suffix and this beginning may have the format."""
        return True

    def is_sheet(self, head: bytes) -> bool:
        """Whether a file with this beginning contains ratings of single judges."""
        return False

    def run_tag(self, head: bytes) -> str:
        """Returns the tag in a run's first line; an empty string if the format has none."""
        return ""

    def read_judgments(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Judgments:
        """Reads judgments."""
        raise self._cannot("judgments", source.path)

    def read_run(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Run:
        """Reads a run."""
        raise self._cannot("run", source.path)

    def stream_run(
        self,
        source: Source,
        judgments: _native.JudgmentTable,
        plan: _native.Plan,
        threads: int = 0,
    ) -> tuple[_native.Batch, tuple[Note, ...]] | None:
        """Evaluates a run while reading it, without keeping it.

        The results equal those of `read_run` and an evaluation, to the last bit.

        Args:
            source: A run.
            judgments: The judgments to evaluate against.
            plan: What to compute.
            threads: Threads to use; 0 uses all cores.

        Returns:
            The values and notes; None, with nothing consumed from a pipe, if the run must be read
            whole, which then also reports its errors.
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
        raise self._cannot("scored", source.path)

    def stream_scored(
        self,
        source: Source,
        plan: _native.Plan,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
        threads: int = 0,
    ) -> StreamedRows | None:
        """Evaluates labels and scores while reading them, without keeping them.

        Args:
            source: A file of labelled rows.
            plan: What to compute.
            columns: Column names by role.
            scale: The grade scale: labels may then be names of its levels.
            threads: Threads to use; 0 uses all cores.

        Returns:
            The results of `read_scored` and an evaluation, to the last bit; None, with nothing
            consumed from a pipe, if the rows must be read whole.
        """
        return None

    def read_features(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        groups: Source | None = None,
        scale: Scale | None = None,
        storage: Storage = STORAGE,
        labels: Labelling = "own",
    ) -> LabelledRows:
        """Reads labels and features, row by row."""
        raise self._cannot("features", source.path)

    def read_sheet(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Sheet:
        """Reads items to judge and their ratings; judgments are items with a grade.

        Args:
            source: The file.
            columns: Column names by role, for columns without a usual name.
            scale: Names that grades may have.
        """
        if "judgments" not in self.kinds:
            raise self._cannot("sheet", source.path)
        from relyon.io.graded_items import sheet_of
        from relyon.io.plain_text import check_text

        return sheet_of(self.read_judgments(check_text(source), columns=columns, scale=scale))

    def read_traces(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Traces:
        """Reads traces: calls of a search tool by task.

        Args:
            source: The file.
            columns: The attribute that names the `task`, for formats with attributes.
            name: Their name in results.
        """
        raise self._cannot("traces", source.path)

    def write_judgments(self, judgments: Judgments, stream: BinaryIO) -> None:
        """Writes judgments."""
        raise self._cannot("judgments")

    def write_run(self, run: Run, stream: BinaryIO) -> None:
        """Writes a run."""
        raise self._cannot("run")

    def write_features(self, rows: LabelledRows, stream: BinaryIO) -> None:
        """Writes rows with features."""
        raise self._cannot("features")

    def _cannot(self, kind: Kind, path: str = "") -> InputError:
        return InputError(
            message(
                "io.format-cannot-contain",
                name=self.name,
                readers=message(READERS[kind][1]),
            ),
            path=path,
            hint=message("io.features-need-names") if kind == "features" and path else "",
        )


#: All formats by name.
formats: Registry[Format] = Registry("format", modules=MODULES)


def first_lines(head: bytes, count: int = 1, comment: bytes = b"#") -> list[bytes]:
    """The first lines of data: no blank lines or comments, without line ends and byte-order mark.

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
