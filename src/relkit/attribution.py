"""Where the gain went: recall loss against ranking loss, stage by stage."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from relkit.convention import Convention, load_convention
from relkit.errors import ParameterError
from relkit.evaluation import Evaluator
from relkit.io import as_run
from relkit.notes import Note
from relkit.ranking import first_rows
from relkit.render import (
    align,
    convention_line,
    cut,
    json_number,
    markdown_lines,
    note_dict,
    number,
    percent,
    width,
    wrap,
)
from relkit.run import Run

if TYPE_CHECKING:
    import polars

    from relkit.results import Results
    from relkit.scale import Scale

__all__ = ["Funnel", "Stage", "funnel"]

Language = Literal["en", "zh"]

DEFAULT_CUTOFFS = (10, 50, 100, 200, 500, 1000)
BAR = 12
#: From this share of the loss on, one side alone is named.
MOSTLY = 0.6


@dataclass(frozen=True)
class Stage:
    """What one stage returned, and what it lost.

    Attributes:
        name: The stage's name.
        candidates: Documents a query, on average.
        judged: Share of them that is judged, NaN where there is none. What nobody judged counts
            as worth nothing.
        recall: Share of a query's relevant documents among its candidates, on average: Recall@K
            with K the length of each list.
        recall_at: Recall at the cutoffs that the longest list reaches, under the stage's own order.
        retention: Relevant documents over those of the stage before, of all queries together; for
            the first stage, over those that are judged. Above 1 where a stage adds some.
        retention_macro: The same a query, on average over queries where the stage before had one.
        ideal: Ideal DCG@k of the candidates, on average: what a perfect ranker makes of them.
        loss: The ideal of the stage before less this one: the stage's recall loss.
        share: That loss as a share of the whole loss, NaN where nothing is lost.
    """

    name: str
    candidates: float
    judged: float
    recall: float
    recall_at: Mapping[int, float]
    retention: float
    retention_macro: float
    ideal: float
    loss: float
    share: float

    def to_dict(self) -> dict[str, Any]:
        """Returns JSON-ready values: NaN becomes null."""
        values: dict[str, Any] = {"name": self.name}
        for name in NUMBERS:
            values[name] = json_number(getattr(self, name))
        values["recall_at"] = {str(k): json_number(value) for k, value in self.recall_at.items()}
        return values


NUMBERS = (
    "candidates",
    "judged",
    "recall",
    "retention",
    "retention_macro",
    "ideal",
    "loss",
    "share",
)


@dataclass(frozen=True)
class Funnel:
    """The gain that a search could have, and where it is lost on the way to the user.

    ``ideal - actual`` is the whole loss: ``recall_loss``, which is the sum of the stages' losses,
    plus ``ranking_loss``.

    Attributes:
        stages: One a stage, in the order of the search.
        ideal: Ideal DCG@k over all judged documents, on average over queries.
        actual: DCG@k of the last stage's order, on average over queries.
        recall_loss: Lost because good documents are not among the last stage's candidates.
        ranking_loss: Lost because the last stage does not put its best candidates first.
        queries: Queries that the averages rest on.
        k: The cutoff; `None` counts whole lists.
        measure: DCG with every parameter filled in.
        convention: The rules.
        notes: What was noticed about the data.

    Examples:
        >>> import relkit
        >>> judgments = {"q": {"a": 3, "b": 1}}
        >>> print(relkit.funnel(judgments, {"q": {"b": 1.0}}, k=1).sentence())
        100 % of the loss is recall: start with the retrieval. DCG@1 is 1.0000 of 3.0000.
    """

    stages: tuple[Stage, ...]
    ideal: float
    actual: float
    recall_loss: float
    ranking_loss: float
    queries: int
    k: int | None
    measure: str
    convention: Convention
    notes: tuple[Note, ...] = ()
    _values: Mapping[str, Sequence[Any]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def loss(self) -> float:
        """The whole loss."""
        return self.ideal - self.actual

    @property
    def recall_share(self) -> float:
        """The recall loss as a share of the whole loss, NaN where nothing is lost."""
        return _share(self.recall_loss, self.loss)

    @property
    def ranking_share(self) -> float:
        """The ranking loss as a share of the whole loss, NaN where nothing is lost."""
        return _share(self.ranking_loss, self.loss)

    @property
    def verdict(self) -> Literal["recall", "ranking", "both", "none"]:
        """Whose loss it is: 60 % or more of it, or both sides'."""
        if math.isnan(self.recall_share):
            return "none"
        # As the sentence shows them, in whole percent.
        if round(self.recall_share, 2) >= MOSTLY:
            return "recall"
        return "ranking" if round(self.ranking_share, 2) >= MOSTLY else "both"

    def sentence(self, language: Language = "en") -> str:
        """Returns the verdict with its numbers, and whom to ask.

        Args:
            language: `en` or `zh`.

        Raises:
            ParameterError: If the language is neither.
        """
        if language not in SENTENCES:
            raise ParameterError(
                f"the parameter `language` must be `en` or `zh`. Got `{language}` instead."
            )
        verdict = self.verdict
        stages, whom = "", WHOM[language]
        if verdict in {"recall", "both"} and len(self.stages) > 1:
            largest = sorted(self.stages, key=lambda stage: -stage.share)
            comma, left, right = (", ", " (", ")") if language == "en" else ("、", "（", "）")
            whom = f" {largest[0].name}" if language == "zh" else largest[0].name
            parts = [
                f"{stage.name} {percent(stage.share, language=language)}"
                for stage in largest
                if stage.share > 0
            ]
            stages = left + comma.join(parts) + right if parts else ""
        return SENTENCES[language][verdict].format(
            recall=percent(self.recall_share, language=language),
            ranking=percent(self.ranking_share, language=language),
            stages=stages,
            whom=whom,
            actual=number(self.actual),
            ideal=number(self.ideal),
            measure=self._short,
        )

    @property
    def _short(self) -> str:
        return "DCG" if self.k is None else f"DCG@{self.k}"

    @property
    def per_query(self) -> polars.DataFrame:
        """One row a query: each loss, and for each stage `ideal:NAME` and `loss:NAME`."""
        import polars

        return polars.DataFrame(dict(self._values))

    def to_frame(self) -> polars.DataFrame:
        """Returns one row a stage, with a column for each number and each cutoff."""
        import polars

        rows = []
        for stage in self.stages:
            row: dict[str, Any] = {"stage": stage.name}
            row |= {name: getattr(stage, name) for name in NUMBERS}
            rows.append(row | {f"recall@{k}": stage.recall_at.get(k) for k in self._cutoffs})
        return polars.DataFrame(rows, infer_schema_length=None)

    @property
    def _cutoffs(self) -> list[int]:
        return sorted({k for stage in self.stages for k in stage.recall_at})

    def rows(self) -> list[tuple[str, ...]]:
        """The stages as text, between what is judged and what the user sees."""
        rows: list[tuple[str, ...]] = [
            ("all judged", "", "", "", "", number(self.ideal), "", "", "")
        ]
        for stage in self.stages:
            rows.append(
                (
                    stage.name,
                    number(stage.candidates, 1),
                    number(stage.recall),
                    percent(stage.retention),
                    percent(stage.judged),
                    number(stage.ideal),
                    number(stage.loss),
                    percent(stage.share),
                    _bar(stage.share),
                )
            )
        share = self.ranking_share
        loss = number(self.ranking_loss)
        rows.append(
            ("ranking", "", "", "", "", number(self.actual), loss, percent(share), _bar(share))
        )
        return rows

    @property
    def headings(self) -> tuple[str, ...]:
        """Names of the columns of `rows`."""
        return ("", "docs", "recall", "kept", "judged", self._short, "lost", "share", "")

    def _recall_rows(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        headings = ("recall at", *(str(k) for k in self._cutoffs))
        return headings, [
            (
                stage.name,
                *(
                    number(stage.recall_at[k]) if k in stage.recall_at else ""
                    for k in self._cutoffs
                ),
            )
            for stage in self.stages
        ]

    def __str__(self) -> str:
        rows = _fitting(self.headings, self.rows(), 80)
        queries = "query" if self.queries == 1 else "queries"
        lines = [f"{self.measure} over {self.queries:,} {queries}", ""]
        table = align(self.headings[:-1], [row[:-1] for row in rows])
        # Bars start at the left of their column, where numbers would not.
        wide = max(map(width, table))
        for place, row in enumerate(rows, 2):
            if row[-1]:
                table[place] += " " * (wide - width(table[place]) + 2) + row[-1]
        lines += table
        if self._cutoffs:
            headings, recalls = self._recall_rows()
            lines += ["", *align(headings, _fitting(headings, recalls, 80))]
        lines += ["", *wrap(self.sentence(), 80)]
        lines += ["", *wrap(convention_line(self.convention, [_dcg_name(self.k)]), 80, "  ")]
        return "\n".join(lines)

    def to_markdown(self, language: Language = "en") -> str:
        """Returns the stages as a Markdown table, with the verdict below."""
        headings = ("stage", *self.headings[1:])
        lines = markdown_lines(headings[:-1], [row[:-1] for row in self.rows()])
        if self._cutoffs:
            lines += ["", *markdown_lines(*self._recall_rows())]
        return "\n".join([*lines, "", self.sentence(language)])

    def to_csv(self) -> str:
        """Returns one line a stage, and one for the ranking; numbers in full."""
        import csv
        from io import StringIO

        out = StringIO()
        writer = csv.writer(out, lineterminator="\n")
        cutoffs = self._cutoffs
        writer.writerow(["stage", *NUMBERS, *(f"recall@{k}" for k in cutoffs)])
        for stage in self.stages:
            values = [getattr(stage, name) for name in NUMBERS]
            values += [stage.recall_at.get(k, math.nan) for k in cutoffs]
            texts = ["" if math.isnan(value) else repr(value) for value in values]
            writer.writerow([stage.name, *texts])
        last = {"ideal": self.actual, "loss": self.ranking_loss, "share": self.ranking_share}
        values = [last.get(name, math.nan) for name in NUMBERS]
        texts = ["" if math.isnan(value) else repr(value) for value in values]
        writer.writerow(["ranking", *texts, *("" for _ in cutoffs)])
        return out.getvalue().rstrip("\n")

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Returns JSON-ready values.

        Args:
            per_query: Adds `per_query`: one object a query.
        """
        values: dict[str, Any] = {
            "measure": self.measure,
            "k": self.k,
            "queries": self.queries,
            "ideal": json_number(self.ideal),
            "actual": json_number(self.actual),
            "loss": json_number(self.loss),
            "recall_loss": json_number(self.recall_loss),
            "ranking_loss": json_number(self.ranking_loss),
            "recall_share": json_number(self.recall_share),
            "ranking_share": json_number(self.ranking_share),
            "verdict": self.verdict,
            "sentence": self.sentence(),
            "stages": [stage.to_dict() for stage in self.stages],
            "convention": self.convention.to_dict(),
            "notes": [note_dict(note) for note in self.notes],
        }
        if per_query:
            names = list(self._values)
            values["per_query"] = [
                dict(zip(names, row, strict=True))
                for row in zip(*self._values.values(), strict=True)
            ]
        return values

    def _repr_html_(self) -> str:
        from html import escape

        headings = ("stage", *self.headings[1:-1])
        head = "".join(f"<th>{escape(name)}</th>" for name in headings)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row[:-1]) + "</tr>"
            for row in self.rows()
        )
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"<p>{escape(self.sentence())}</p>"
        )


WHOM = {"en": "the retrieval", "zh": "召回"}
SENTENCES = {
    "en": {
        "none": "Nothing is lost: {measure} is {actual}, the best that the judgments allow.",
        "recall": "{recall} of the loss is recall{stages}: start with {whom}."
        " {measure} is {actual} of {ideal}.",
        "ranking": "{ranking} of the loss is ranking: the good documents are among the candidates"
        " and not on top; start with the ranking. {measure} is {actual} of {ideal}.",
        "both": "{recall} of the loss is recall{stages} and {ranking} is ranking: both need"
        " work. {measure} is {actual} of {ideal}.",
    },
    "zh": {
        "none": "没有损失：{measure} 为 {actual}，已达到标注所能达到的上限。",
        "recall": "损失的 {recall} 来自召回{stages}：先看{whom}。"
        "{measure} 为 {actual}，上限 {ideal}。",
        "ranking": "损失的 {ranking} 来自排序：好文档已在候选中，但没有排到前面，先看排序。"
        "{measure} 为 {actual}，上限 {ideal}。",
        "both": "损失的 {recall} 来自召回{stages}，{ranking} 来自排序：召回和排序都要改进。"
        "{measure} 为 {actual}，上限 {ideal}。",
    },
}


def funnel(
    judgments: Any,
    run_or_stages: Any,
    k: int | None = 10,
    *,
    convention: Convention | str | Mapping[str, Any] | None = None,
    scale: Scale | str | None = None,
    cutoffs: Iterable[int] = DEFAULT_CUTOFFS,
    names: Sequence[str] | None = None,
    candidates: int | None = None,
    threads: int = 0,
) -> Funnel:
    """Attributes the gain that a search loses to its stages and to its ranking.

    For a query, D* is the ideal DCG@k over all judged documents, D_c the ideal DCG@k over the
    documents that a stage returned, and D the DCG@k of the last stage's order. A stage's recall
    loss is D_c of the stage before less its own (D* - D_c for the first), the ranking loss is
    D_c - D of the last stage. They add up to D* - D.

    Args:
        judgments: As for `relkit.evaluate`.
        run_or_stages: One run, or a run per stage in the order of the search: a mapping
            {name: run}, or a list of runs. Everything a run returned is a candidate.
        k: The cutoff; `None` counts whole lists.
        convention: As for `relkit.evaluate`: gain, discount, ties, missing queries. An ideal of
            its own (`ideal=`) plays no part.
        scale: As for `relkit.evaluate`.
        cutoffs: Where to show Recall as well; those beyond a stage's longest list are left out.
        names: Names of the stages; by default the mapping's, or those of the runs.
        candidates: Only the first so many documents of each stage count.
        threads: Threads to use; 0 takes one a processor.

    Returns:
        A `Funnel`: `.stages`, the losses, `.verdict` and `.sentence()`, `.per_query`.

    Raises:
        ParameterError: If there is no stage, names are given twice, or a number is not a whole
            number of 1 or more.
        InputError: If the data cannot be used.

    Examples:
        >>> import relkit
        >>> judgments = {"q": {"a": 3, "b": 2, "c": 1}}
        >>> retrieval = {"q": {"a": 0.9, "b": 0.8, "x": 0.7}}
        >>> reranked = {"q": {"b": 5.0, "x": 4.0}}
        >>> found = relkit.funnel(judgments, {"retrieval": retrieval, "re-rank": reranked}, k=1)
        >>> [(stage.name, stage.ideal, stage.loss) for stage in found.stages]
        [('retrieval', 3.0, 0.0), ('re-rank', 2.0, 1.0)]
        >>> found.ideal, found.recall_loss, found.ranking_loss, found.actual
        (3.0, 1.0, 0.0, 2.0)
    """
    rules = load_convention(convention)
    stages = _stages(run_or_stages, names)
    depths = sorted({_whole("cutoffs", one) for one in cutoffs})
    if candidates is not None:
        candidates = _whole("candidates", candidates)
    evaluator = Evaluator(
        judgments,
        convention=rules if rules.missing == "error" else rules.replace(missing="zero"),
        scale=scale,
        threads=threads,
    )
    best, reachable, actual = _measures(k)
    resolved = actual.resolve(rules, evaluator.scale, evaluator.judgments.table.highest)
    runs: list[Any] = []
    results: list[Results] = []
    for name, source in stages:
        run = source
        if len(stages) > 1 or candidates is not None or not isinstance(source, str | PathLike):
            run = as_run(source)
        if candidates is not None:
            run = _first(run, candidates, rules)
        runs.append(run)
        wanted = [best, reachable, actual, "recall", "num_ret", "judged"]
        wanted += [f"recall@{depth}" for depth in depths]
        results.append(evaluator.evaluate(run, wanted, name=name))
    held = {query for one in results for query in _held(one)}
    queries = [
        query for query in evaluator.judgments.queries if rules.missing != "skip" or query in held
    ]
    table = _Table(queries, results)
    notes = _notes(results, rules, str(actual))
    notes += _without_relevant(sum(map(math.isnan, table.column(0, "recall"))), rules)
    if len(runs) > 1:
        notes += _strangers([name for name, _ in stages], runs, queries)
    return _assemble(table, [name for name, _ in stages], depths, k, str(resolved), rules, notes)


def _measures(k: int | None) -> tuple[Any, Any, Any]:
    """Returns D*, D_c and D as measures."""
    from relkit.measures import DCG, IDCG

    return IDCG(k=k, ideal="judged"), IDCG(k=k, ideal="retrieved"), DCG(k=k)


def _dcg_name(k: int | None) -> str:
    return "dcg" if k is None else f"dcg@{k}"


@dataclass(frozen=True)
class _Table:
    """Values of the same queries at every stage."""

    queries: list[str]
    results: list[Results]

    def column(self, stage: int, name: Any) -> list[float]:
        values = self.results[stage].values_by_query(name)
        return [values[query] for query in self.queries]

    def parts(self, stage: int, name: Any) -> tuple[list[float], list[float]]:
        from numpy import asarray

        one = self.results[stage]
        places = {query: place for place, query in enumerate(one.queries)}
        chosen = [places[query] for query in self.queries]
        above, below = (asarray(part, dtype=float)[chosen].tolist() for part in one.parts(name))
        return above, below


def _assemble(
    table: _Table,
    names: list[str],
    depths: list[int],
    k: int | None,
    definition: str,
    rules: Convention,
    notes: list[Note],
) -> Funnel:
    best, reachable, actual = _measures(k)
    ideals = table.column(0, best)
    actuals = table.column(len(names) - 1, actual)
    whole = _mean(ideals) - _mean(actuals)
    values: dict[str, list[Any]] = {"query": table.queries, "ideal": ideals, "actual": actuals}
    stages = []
    before, (_, relevant_before) = ideals, table.parts(0, "recall")
    for place, name in enumerate(names):
        now = table.column(place, reachable)
        kept, _ = table.parts(place, "recall")
        lengths = table.column(place, "num_ret")
        judged, listed = table.parts(place, "judged")
        loss = _mean(before) - _mean(now)
        pairs = [(a, b) for a, b in zip(kept, relevant_before, strict=True) if b > 0]
        stages.append(
            Stage(
                name=name,
                candidates=_mean(lengths),
                judged=_share(math.fsum(judged), math.fsum(listed)),
                recall=_counted(table.column(place, "recall"), rules),
                recall_at={
                    depth: _counted(table.column(place, f"recall@{depth}"), rules)
                    for depth in depths
                    if depth <= max(lengths, default=0)
                },
                retention=_share(math.fsum(kept), math.fsum(relevant_before)),
                retention_macro=_mean([a / b for a, b in pairs]),
                ideal=_mean(now),
                loss=loss,
                share=_share(loss, whole),
            )
        )
        values[f"ideal:{name}"] = now
        values[f"loss:{name}"] = [a - b for a, b in zip(before, now, strict=True)]
        before, relevant_before = now, kept
    values["recall_loss"] = [a - b for a, b in zip(ideals, before, strict=True)]
    values["ranking_loss"] = [a - b for a, b in zip(before, actuals, strict=True)]
    return Funnel(
        stages=tuple(stages),
        ideal=_mean(ideals),
        actual=_mean(actuals),
        recall_loss=_mean(ideals) - _mean(before),
        ranking_loss=_mean(before) - _mean(actuals),
        queries=len(table.queries),
        k=k,
        measure=definition,
        convention=rules,
        notes=tuple(notes),
        _values=values,
    )


def _stages(source: Any, names: Sequence[str] | None) -> list[tuple[str, Any]]:
    """Returns stages with their names."""
    if isinstance(source, Mapping) and _names_stages(source):
        found = [(str(name), run) for name, run in source.items()]
    elif isinstance(source, list | tuple):
        found = [(_name(run), run) for run in source]
    else:
        found = [(_name(source), source)]
    if not found:
        raise ParameterError("there is no stage", hint="give a run, or a mapping {name: run}")
    if names is not None:
        if len(names) != len(found):
            raise ParameterError(f"there are {len(found)} stages and {len(names)} names")
        found = [(name, run) for name, (_, run) in zip(names, found, strict=True)]
    if len({name for name, _ in found}) < len(found):
        raise ParameterError(
            "two stages have the same name: " + ", ".join(f"`{name}`" for name, _ in found),
            hint="name them: names=[…], or a mapping {name: run}",
        )
    return found


def _names_stages(source: Mapping[Any, Any]) -> bool:
    """Whether a mapping is {stage: run} and not {query: {document: score}}."""
    for value in source.values():
        if not isinstance(value, Mapping):
            return True
        return isinstance(next(iter(value.values()), None), Mapping)
    return False


def _name(run: Any) -> str:
    if isinstance(run, Run):
        return run.name
    if isinstance(run, str | PathLike):
        return str(run).replace("\\", "/").rsplit("/", 1)[-1]
    return "run"


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ParameterError(
            f"the parameter `{name}` must be a whole number of 1 or more. Got `{value}` instead."
        )
    return value


def _first(run: Run, count: int, rules: Convention) -> Run:
    """Returns a run's first documents of each query, under the convention's order."""
    queries: list[str] = []
    kept: list[str] = []
    values: list[float] = []
    places: list[int] = []
    for query in run.queries:
        documents, scores, ranks = run.table.documents(query)
        rows = first_rows(documents, scores, ranks, count, rules)
        queries += [query] * len(rows)
        kept += [documents[row] for row in rows]
        values += [scores[row] for row in rows]
        places += [ranks[row] for row in rows] if ranks is not None else []
    return Run.from_arrays(queries, kept, values, places or None, name=run.name)


def _held(results: Results) -> Iterator[str]:
    """Yields the queries that a stage's run holds."""
    missing = results.entries["num_ret"].missing
    yield from results.queries[: len(results.queries) - missing]


def _notes(results: list[Results], rules: Convention, actual: str) -> list[Note]:
    """Returns what was noticed, with the stage's name where not all of them have it."""
    notes: list[Note] = []
    for one in results:
        for note in one.notes:
            if note.kind == "tie-sensitive":
                continue  # only the order of the last stage matters, and only up to k
            if note.kind == "missing-queries" and rules.missing == "skip":
                continue
            if note.kind == "undefined-queries":
                continue  # DCG has a value for every query; Recall is spoken of once, below
            shared = all(note in other.notes for other in results)
            named = note if shared else replace(note, message=f"{one.run}: {note.message}")
            if named not in notes:
                notes.append(named)
    entry = results[-1].entries[actual]
    if entry.tie_sensitive and rules.ties != "expected":
        count = entry.tie_sensitive
        queries = "query has" if count == 1 else "queries have"
        message = f"{count:,} {queries} equal scores across the cutoff of {actual}"
        notes.append(Note("tie-sensitive", f"{message}: ties={rules.ties} decides", count))
    return notes


def _without_relevant(count: int, rules: Convention) -> list[Note]:
    if not count:
        return []
    queries = "query has" if count == 1 else "queries have"
    treated = {"skip": "left out of", "zero": "counted as 0 in", "one": "counted as 1 in"}
    return [
        Note(
            "undefined-queries",
            f"{count:,} {queries} no relevant document: {treated[rules.undefined]} recall",
            count,
        )
    ]


def _strangers(names: list[str], runs: list[Run], queries: list[str]) -> list[Note]:
    """Says where a stage returns documents that the stage before did not."""
    notes = []
    for place in range(1, len(runs)):
        before, now = runs[place - 1].table, runs[place].table
        count = 0
        examples: list[str] = []
        for query in queries:
            if query not in now:
                continue
            known = set(before.documents(query)[0]) if query in before else set()
            new = [document for document in now.documents(query)[0] if document not in known]
            count += len(new)
            examples += [f"{query}: {document}" for document in new[: 3 - len(examples)]]
        if count:
            documents = "document" if count == 1 else "documents"
            notes.append(
                Note(
                    "stages-do-not-nest",
                    f"{names[place]} returns {count:,} {documents} that {names[place - 1]} did"
                    " not: its loss is what it dropped less what it added",
                    count,
                    "warning",
                    tuple(examples),
                )
            )
    return notes


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _counted(values: Sequence[float], rules: Convention) -> float:
    """Returns the mean under the convention's rule for queries without a value."""
    if rules.undefined == "skip":
        return _mean([value for value in values if not math.isnan(value)])
    instead = float(rules.undefined == "one")
    return _mean([instead if math.isnan(value) else value for value in values])


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


def _bar(share: float) -> str:
    if math.isnan(share) or share <= 0:
        return ""
    return "█" * max(1, round(BAR * min(share, 1.0)))


def _fitting(
    headings: Sequence[str], rows: list[tuple[str, ...]], columns: int
) -> list[tuple[str, ...]]:
    """Returns rows with first cells so short that a line takes at most so many columns."""
    others = sum(
        max(width(row[place]) for row in [headings, *rows]) + 2 for place in range(1, len(headings))
    )
    room = max(columns - others, 8)
    return [(cut(row[0], room), *row[1:]) for row in rows]
