"""Runs trec_eval's command: reads, evaluates, prints, line for line as trec_eval does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon import _native
from relyon.compat.trec_eval.measures import QRELS, BadParametersError, Column
from relyon.compat.trec_eval.options import Options, TrecEvalError
from relyon.compat.trec_eval.results import has_text_score, lenient_table, unreadable
from relyon.core.errors import InputError
from relyon.data.convention import Convention, load_convention
from relyon.evaluation.program import Program
from relyon.io.byte_source import Source
from relyon.io.line_numbers import encoding_named

if TYPE_CHECKING:
    from relyon.compat.trec_eval.zscores import Scores

__all__ = ["Table", "columns_of", "run"]


@dataclass
class Table:
    """Values of all lines, query by query.

    Attributes:
        queries: In the order in which trec_eval goes through them.
        values: By line, one value per query; nothing for texts.
        texts: By line and query, the printed texts.
        judged: Number of judged queries.
        totals: Sums that are not those of the queries' values.
        tag: The run's name.
        lacking: The first query missing from the results, which ends the program.
    """

    queries: list[str]
    values: list[list[float]]
    texts: dict[str, Callable[[str], str]]
    judged: int
    totals: dict[str, float]
    tag: str
    lacking: str | None = None


def run(options: Options, write: Callable[[str], object]) -> None:
    """Evaluates, and writes the output of trec_eval.

    Args:
        options: The parsed command line.
        write: Takes the output in pieces.

    Raises:
        TrecEvalError: If the files cannot be evaluated; with trec_eval's exit code.
    """
    if options.results_form != "trec_results":
        raise TrecEvalError(f"illegal retrieval results format '{options.results_form}'", 2)
    if options.form in {"prefs", "qrels_prefs"}:
        raise TrecEvalError(f"relyon does not read judgments in the format '{options.form}'", 2)
    if options.form not in {"qrels", "qrels_jg"}:
        raise TrecEvalError(f"illegal rel_format '{options.form}'", 2)
    scores = None
    if options.zscores is not None:
        from relyon.compat.trec_eval.zscores import read_scores

        scores = read_scores(options.zscores)
    columns = columns_of(options)
    table = (_evaluate if options.form == "qrels" else _evaluate_judges)(options, columns)
    _print(options, columns, table, scores, write)


def columns_of(options: Options) -> list[Column]:
    """Returns the requested lines, in trec_eval's order.

    Raises:
        TrecEvalError: If a measure cannot be made of its parameters, or needs another format.
    """
    from relyon.compat.trec_eval.judges import JUDGES

    columns: list[Column] = []
    builders = QRELS if options.form == "qrels" else JUDGES
    for name in [name for name in builders if name in options.measures]:
        try:
            columns += builders[name](name, options.measures[name], options)
        except BadParametersError as error:
            raise TrecEvalError(
                f"{error}\ncannot initialize measure '{name}'", error.code
            ) from None
    others = [name for name in options.measures if name not in builders]
    if others:
        raise TrecEvalError(
            f"can't calculate measure '{others[0]}' with format '{options.form}'", 4
        )
    return columns


def rules_of(options: Options) -> Convention:
    """Returns the convention that the options name."""
    return load_convention("trec_eval10").replace(
        rel=float(options.level),
        missing="zero",
        unjudged="removed" if options.judged_only else "nonrelevant",
    )


def order(queries: Iterable[str]) -> list[str]:
    """Returns ids as C sorts them, by their bytes."""
    return sorted(queries, key=lambda query: query.encode("utf-8", "surrogateescape"))


def _evaluate(options: Options, columns: Sequence[Column]) -> Table:
    rules = rules_of(options)
    judgments = _judgments(options.judgments)
    needs = dict.fromkeys(need for column in columns for need in column.needs)
    program = Program.compile([*needs, "num_q", "num_rel(rel=1)"], rules, None, None)
    batch, tag, table, held = _batch(options, judgments, program, rules)
    names = batch.queries
    present = len(names) - batch.missing
    places = {query: place for place, query in enumerate(names)}
    queries, lacking = _queries(options, names, present, held)
    raw = {need: _filled(batch.values(program.places[_name(need)])) for need in needs}
    rows = [places[query] for query in queries]
    values: list[list[float]] = []
    for column in columns:
        if column.average == "text":
            values.append([])
            continue
        parts = [raw[need] for need in column.needs]
        made = parts[0] if column.make is None else [
            column.make(*row) for row in zip(*parts, strict=True)
        ]  # fmt: skip
        if column.absent is not None:
            made = [
                value if place < present else column.absent(value)
                for place, value in enumerate(made)
            ]
        values.append([made[row] for row in rows])
    totals: dict[str, float] = {}
    if options.complete:
        # trec_eval counts the judgments themselves here, regardless of -l
        grades = batch.values(program.places["num_rel(rel=1)"])
        totals["num_rel"] = sum(int(value) for value in grades)
    texts = {}
    if table is not None and "relstring" in options.measures:
        from relyon.compat.trec_eval.relstring import relevance_strings

        texts = relevance_strings(options, columns, rules, judgments, table)
    return Table(queries, values, texts, len(judgments), totals, tag, lacking)


def _queries(
    options: Options, names: Sequence[str], present: int, held: Sequence[str] = ()
) -> tuple[list[str], str | None]:
    """Returns the queries in order, up to the first missing from the results, and that one.

    Args:
        options: The parsed command line.
        names: All judged queries, those missing from the results at the end.
        present: How many of them the results contain.
        held: Queries that the results contain although `-M 0` leaves none of their documents.
    """
    queries = order(names)
    if options.only is not None:
        queries = [query for query in queries if query == options.only]
    absent = set() if options.complete else set(names[present:]).difference(held)
    for place, query in enumerate(queries):
        if query in absent:
            return queries[:place], query
    if not queries:
        raise TrecEvalError("No queries with both results and relevance info", 7)
    return queries, None


def _evaluate_judges(options: Options, columns: Sequence[Column]) -> Table:
    """Evaluates the judgments of each judge by themselves."""
    from relyon.compat.trec_eval.judges import mean_over_judges, read_judges

    rules = rules_of(options)
    everything, tables = read_judges(options.judgments)
    needs = list(dict.fromkeys(need for column in columns for need in column.needs)) or ["num_q"]
    program = Program.compile(needs, rules, None, None)
    parts = []
    for judgments in tables:
        batch, tag, _, held = _batch(options, judgments, program, rules)
        raw = {need: _filled(batch.values(program.places[_name(need)])) for need in needs}
        rows = zip(*(raw[column.needs[0]] for column in columns if column.needs), strict=True)
        parts.append(dict(zip(batch.queries, map(list, rows), strict=False)))
        if judgments is tables[0]:
            names, present = batch.queries, len(batch.queries) - batch.missing
    queries, lacking = _queries(options, names, present, held)
    width = sum(bool(column.needs) for column in columns)
    made = iter(mean_over_judges(queries, parts, width))
    values = [next(made) if column.needs else [] for column in columns]
    return Table(queries, values, {}, len(everything), {}, tag, lacking)


def _name(need: str) -> str:
    from relyon.measures.parser import measure

    return str(measure(need))


def _filled(values: list[float]) -> list[float]:
    return [0.0 if math.isnan(value) else value for value in values]


def _judgments(path: str) -> _native.JudgmentTable:
    try:
        with Source(path) as source, encoding_named(source):
            if source.plain:
                return _native.JudgmentTable.from_text(source.path)
            return _native.JudgmentTable.from_chunks(source.read, source.path)
    except (InputError, OSError) as error:
        raise unreadable(error, path) from None


def _batch(
    options: Options, judgments: _native.JudgmentTable, program: Program, rules: Convention
) -> tuple[_native.Batch, str, _native.RunTable | None, Sequence[str]]:
    """Returns the values, the run's name, the run itself if it had to be kept, and its queries."""
    shows = options.per_query and "relstring" in options.measures
    try:
        with Source(options.results) as source, encoding_named(source), ExitStack() as readers:
            if options.depth is None and not shows:
                return *_streamed(source, judgments, program.plan, readers), None, ()
            tail = Tail(source.read)
            table = _native.RunTable.from_chunks(tail.read, source.path)
            held = table.queries()
            if options.depth is not None:
                table = _cut(table, max(options.depth, 0), rules)
            batch = _native.evaluate_run(judgments, program.plan, table)
            return batch, tail.tag(), table, held
    except (InputError, OSError) as error:
        if not has_text_score(error) or options.results == "-":
            raise unreadable(error, options.results) from None
    try:
        table = lenient_table(options.results)
    except (InputError, OSError) as error:
        raise unreadable(error, options.results) from None
    held = table.queries()
    if options.depth is not None:
        table = _cut(table, max(options.depth, 0), rules)
    batch = _native.evaluate_run(judgments, program.plan, table)
    return batch, _last_tag(options.results), table, held


def _streamed(
    source: Source, judgments: _native.JudgmentTable, plan: _native.Plan, readers: ExitStack
) -> tuple[_native.Batch, str]:
    """Evaluates a run without keeping it; returns its name too."""
    if source.plain:
        return _native.evaluate_text(judgments, plan, source.path), _last_tag(source.path)

    def again() -> Callable[[int], bytes]:
        reader = source.open()
        readers.callback(reader.close)
        tail.restart(reader.read)
        return tail.read

    tail, once = Tail(source.read), source.waiting
    batch = _native.evaluate_chunks(
        judgments, plan, tail.read, source.path, None if once else again
    )
    return batch, tail.tag()


def _cut(table: _native.RunTable, depth: int, rules: Convention) -> _native.RunTable:
    """Keeps the first documents of each query."""
    from relyon.data.ranking import first_rows

    kept = {}
    for query in table.queries():
        documents, scores, _ = table.documents(query)
        rows = first_rows(documents, scores, None, depth, rules)
        kept[query] = {documents[row]: scores[row] for row in rows}
    return _native.RunTable.from_dict(kept)


class Tail:
    """Reads from a source, and keeps the last bytes."""

    SIZE = 1 << 16

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self.restart(read)

    def restart(self, read: Callable[[int], bytes]) -> None:
        """Begins again, with another reader."""
        self._read = read
        self._end = b""

    def read(self, size: int = -1, /) -> bytes:
        """Reads like a file."""
        part = self._read(size)
        self._end = (self._end + part)[-self.SIZE :]
        return part

    def tag(self) -> str:
        """Returns the run's name: the sixth column of the last line."""
        return _tag_in(self._end)


def _last_tag(path: str) -> str:
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - Tail.SIZE))
        return _tag_in(file.read())


def _tag_in(end: bytes) -> str:
    for line in reversed(end.splitlines()):
        fields = line.split()
        if len(fields) >= 6 and not line.lstrip().startswith(b"#"):
            return fields[5].decode("utf-8", "surrogateescape")
    return ""


def _print(
    options: Options,
    columns: Sequence[Column],
    table: Table,
    scores: Scores | None,
    write: Callable[[str], object],
) -> None:
    zscored = scores is not None
    values = table.values
    if scores is not None:
        values = [
            [
                scores.of(query, column.name, value)
                for query, value in zip(table.queries, made, strict=False)
            ]
            for column, made in zip(columns, values, strict=True)
        ]
    if options.per_query:
        shown = [
            (column, f"{_label(column, zscored)}\t", values[place])
            for place, column in enumerate(columns)
            if column.single
        ]
        for row, query in enumerate(table.queries):
            lines = []
            for column, label, made in shown:
                if column.average == "text":
                    text = table.texts[column.name](query)
                else:
                    text = _shown(column, made[row], zscored)
                lines.append(f"{label}{query}\t{text}\n")
            write("".join(lines))
    if table.lacking is not None:
        raise TrecEvalError(
            f"query '{table.lacking}' of the judgments is not in the results (-c counts it as 0)", 4
        )
    if options.summary:
        write("".join(_summary(options, columns, table, values, zscored)))


def _summary(
    options: Options,
    columns: Sequence[Column],
    table: Table,
    values: Sequence[Sequence[float]],
    zscored: bool,
) -> Iterator[str]:
    count = table.judged if options.complete else len(table.queries)
    for place, column in enumerate(columns):
        if not column.total:
            continue
        if column.average == "text":
            yield f"{column.name:<22}\tall\t{table.tag}\n"
            continue
        total = 0.0
        for value in values[place]:
            total += value
        if column.name == "num_q":
            total = count
        elif column.average == "sum":
            total = table.totals.get(column.name, total)
        elif column.average == "geometric":
            left = count - len(table.queries)
            total = math.exp((total + left * math.log(0.00001)) / count)
        else:
            total /= count
        yield f"{_label(column, zscored)}\tall\t{_shown(column, total, zscored)}\n"


def _label(column: Column, zscored: bool) -> str:
    return f"{'Z' if zscored and column.average != 'text' else ''}{column.name:<22}"


def _shown(column: Column, value: float, zscored: bool) -> str:
    return f"{value:.0f}" if column.counted and not zscored else f"{value:6.4f}"
