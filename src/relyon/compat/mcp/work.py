"""What the tools do: arguments to JSON-ready values with a sentence."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypedDict

from relyon.compat.mcp.folder import MOST_BYTES, MOST_TOGETHER, Folder
from relyon.compat.mcp.said import say, say_checked, say_comparison, say_results
from relyon.compat.mcp.settings import Settings
from relyon.compat.mcp.shorten import page
from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.io.byte_source import Source

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.compat.mcp.sealed import SealedSet
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.traces import Traces

__all__ = ["Work", "engine_names"]

#: Files of one answer of `files`.
MOST_LISTED = 500
DEFAULT_MEASURE = "ndcg@10"
#: Endings of the files that may be written: nothing that another program would run.
WRITTEN = (".run", ".trec")


def engine_names(paths: Sequence[str]) -> dict[str, str]:
    """Returns the files of engines by the name that an agent uses: the file's, without ending.

    Raises:
        ParameterError: If two have the same name.
    """
    found: dict[str, str] = {}
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        if name in found:
            raise ParameterError(message("compat.mcp-engines-same-name", name=name))
        found[name] = path
    return found


class _Rules(TypedDict):
    """What every function that evaluates takes."""

    convention: str | None
    scale: str | None


class Work:
    """The tools of a server.

    Args:
        settings: What the server was started with.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = Folder.of(settings.folder)
        self.sealed: SealedSet | None = None
        self._left = MOST_TOGETHER
        self._chunks: Any = ()
        self._texts: Any = None
        if settings.sealing is not None:
            from relyon.compat.mcp.sealed import SealedSet

            self.sealed = SealedSet(settings.sealing, settings.convention, settings.scale)
        self.tools: Mapping[str, Callable[..., dict[str, object]]] = {
            "files": self.files,
            "evaluate": self.evaluate,
            "compare": self.compare,
            "explain": self.explain,
            "diagnose": self.diagnose,
            "check": self.check,
            "sealed_set": self.sealed_set,
            "search": self.search,
        }

    def call(self, name: str, arguments: Mapping[str, object]) -> dict[str, object]:
        """Returns what a tool says.

        Args:
            name: The tool.
            arguments: Its arguments, checked.

        Raises:
            RelyonError: If it cannot be done.
        """
        if self.sealed is not None:
            self.sealed.verify()
        given = dict(arguments)
        self._chunks, self._texts = given.pop("chunks", ()), given.pop("texts", None)
        return self.tools[name](**given)

    @contextmanager
    def _copies(self) -> Iterator[str]:
        """Works in an empty folder of its own, so that files keep their names there."""
        before = os.getcwd()
        self._left = MOST_TOGETHER
        with tempfile.TemporaryDirectory(prefix="relyon-mcp-") as place:
            os.chdir(place)
            try:
                yield place
            finally:
                os.chdir(before)

    def _copy(self, name: str, place: str) -> Source:
        """Copies a file, as long as all of a call are not too large together.

        What is unpacked from it is limited, too, and it is not read as a database.
        """
        plain = self.folder.plain(name)
        if any(self._is_at(name, engine) for engine in self.settings.engines):
            raise ParameterError(message("compat.mcp-engine-is-no-data", name=name))
        if not os.path.exists(os.path.join(place, *plain.split("/"))):
            self._left -= self.folder.copy(name, place, min(MOST_BYTES, self._left))
        return Source(plain, limit=MOST_TOGETHER)

    def _rules(self, judged: Judgments) -> _Rules:
        """Returns the rules; judgments that have a scale were read with it."""
        scale = None if judged.scale is not None else self.settings.scale or None
        return {"convention": self.settings.convention or None, "scale": scale}

    def _judgments(self, name: str | None, place: str) -> Judgments:
        """Returns judgments without held-out queries; of chunks, if the call has these."""
        from relyon.io import read_judgments

        sealed = self.sealed
        if self._chunks or self._texts is not None:
            from relyon.compat.mcp.passages import chunk_judgments

            if sealed is not None:
                raise ParameterError(message("compat.mcp-no-chunks-if-sealed"))
            return chunk_judgments(
                name,
                self._chunks,
                self._texts,
                copy=lambda one: self._copy(one, place),
                folder=self.folder,
                scale=self.settings.scale or None,
            )
        if name is None or (sealed is not None and self._is_sealed_file(name)):
            if sealed is None:
                raise ParameterError(message("compat.mcp-name-judgments"))
            return sealed.open_judgments
        scale = self.settings.scale or None
        found = read_judgments(self._copy(name, place), scale=scale)
        return found if sealed is None else sealed.open_judged(found)

    def _is_sealed_file(self, name: str) -> bool:
        sealing = self.settings.sealing
        return sealing is not None and self._is_at(name, sealing.judgments)

    def _is_at(self, name: str, path: str) -> bool:
        """Returns whether a name in the folder is a file elsewhere, also by a link of any kind."""
        own = os.path.join(self.folder.root, *self.folder.real(name))
        try:
            return own == os.path.realpath(path) or os.path.samefile(own, path)
        except OSError:
            return False

    def _lists(self, name: str, place: str) -> Run | Traces:
        """Returns a run without held-out queries, or, if nothing is sealed, also traces."""
        from relyon.io.traces import read_lists

        return self._run(name, place) if self.sealed else read_lists(self._copy(name, place))

    def _run(self, name: str, place: str, *, held_out: bool = False) -> Run:
        """Returns a run, without held-out queries unless they are asked for."""
        from relyon.io import read_run

        if self.sealed is not None and self._is_sealed_file(name):
            raise ParameterError(message("compat.mcp-judgments-are-no-run", name=name))
        found = read_run(self._copy(name, place))
        return found if self.sealed is None or held_out else self.sealed.open_run(found)

    def _notes(self, found: dict[str, object]) -> dict[str, object]:
        if self.sealed is not None:
            found["sealed"] = say("left-out", queries=len(self.sealed.held_out))
        return found

    def files(self, below: str = "") -> dict[str, object]:
        """Lists files."""
        prefix = "/".join(self.folder.parts(below)) + "/" if below else ""
        every = [one for one in self.folder.files() if one[0].startswith(prefix)]
        listed = [{"file": name, "bytes": size} for name, size in every[:MOST_LISTED]]
        return {
            "sentence": say("files", count=len(every), shown=len(listed)),
            "files": listed,
        }

    def evaluate(
        self,
        run: str,
        judgments: str | None = None,
        measures: Sequence[str] = (DEFAULT_MEASURE,),
        per_query: bool = False,
        first: int = 0,
        count: int = 50,
    ) -> dict[str, object]:
        """Evaluates one run."""
        from relyon.evaluation import Evaluator

        with self._copies() as place:
            judged = self._judgments(judgments, place)
            evaluator = Evaluator(judged, **self._rules(judged))
            found = evaluator.evaluate(self._lists(run, place), list(measures))
            values = found.to_dict(per_query=per_query)
        values.pop("stored", None)
        _without_hashes(values)
        return self._notes({"sentence": say_results(found), **_paged(values, first, count)})

    def _compared(
        self,
        judged: Judgments,
        runs: Sequence[str],
        measures: Sequence[str],
        place: str,
    ) -> Comparison:
        from relyon.analysis.comparison import compare

        first, *others = (self._lists(one, place) for one in runs)
        names = list(runs) if len(set(map(os.path.basename, runs))) < len(runs) else None
        return compare(judged, first, others, list(measures), names=names, **self._rules(judged))

    def compare(
        self,
        baseline: str,
        candidates: Sequence[str],
        judgments: str | None = None,
        measures: Sequence[str] = (DEFAULT_MEASURE,),
        per_query: bool = False,
        first: int = 0,
        count: int = 50,
    ) -> dict[str, object]:
        """Compares candidates with a baseline."""
        with self._copies() as place:
            judged = self._judgments(judgments, place)
            found = self._compared(judged, [baseline, *candidates], measures, place)
            values = found.to_dict()
            if per_query:
                values["per_query"] = _by_query(found.to_dict(per_query=True)["per_query"])
        return self._notes({"sentence": say_comparison(found), **_paged(values, first, count)})

    def explain(
        self,
        run: str,
        query: str,
        judgments: str | None = None,
        other: str | None = None,
        measure: str = DEFAULT_MEASURE,
        limit: int = 20,
    ) -> dict[str, object]:
        """Explains the value of a query, or its change between two runs."""
        from relyon.analysis.explanation import explain, explain_change

        with self._copies() as place:
            judged = self._judgments(judgments, place)
            if self.sealed is not None and query not in judged:
                raise UnknownNameError(
                    message("compat.mcp-no-open-query", query=query),
                    hint=suggestion(query, list(judged)),
                )
            rules = self._rules(judged)
            ranked = self._lists(run, place)
            if other is None:
                one = explain(judged, ranked, query, measure, limit=limit, **rules)
                values = one.to_dict()
                sentence = say("explained", measure=measure, query=query, value=_number(one.value))
            else:
                moved = explain_change(
                    judged,
                    ranked,
                    self._lists(other, place),
                    query,
                    measure,
                    limit=limit,
                    **rules,
                )
                values = moved.to_dict()
                sentence = say(
                    "moved",
                    measure=measure,
                    query=query,
                    before=_number(moved.before.value),
                    after=_number(moved.after.value),
                    difference=_number(moved.difference, "+.4f"),
                    count=moved.moved,
                )
        return self._notes({"sentence": sentence, **values})

    def diagnose(
        self,
        baseline: str,
        candidate: str,
        judgments: str | None = None,
        rules: Sequence[str] | None = None,
    ) -> dict[str, object]:
        """Diagnoses a comparison."""
        from relyon.analysis.diagnosis import diagnose
        from relyon.core.language import environment_language

        language = environment_language()
        with self._copies() as place:
            judged = self._judgments(judgments, place)
            compared = self._compared(judged, [baseline, candidate], [DEFAULT_MEASURE], place)
            found = diagnose(compared, rules=rules)
            values = [one.to_dict(language) for one in found]
        titles = [str(one.get("title", one.get("rule", ""))) for one in values]
        key = "diagnosed" if values else "nothing-found"
        sentence = say(key, count=len(values), titles=titles)
        return self._notes(
            {"sentence": sentence, "comparison": say_comparison(compared), "findings": values}
        )

    def check(self, run: str) -> dict[str, object]:
        """Answers a look at the held-out queries."""
        sealed = self._required()
        with self._copies() as place:
            found = sealed.check(self._run(run, place, held_out=True))
        values: dict[str, object] = {
            "sentence": say_checked(found),
            "answer": found.answer,
            "looks_left": found.left,
            "looks": found.looks,
            "charged": found.charged,
            "compared_with": found.against,
        }
        if found.missing:
            values["missing_held_out_queries"] = found.missing
        return values

    def sealed_set(self) -> dict[str, object]:
        """Describes the sealed set."""
        about = self._required().about()
        return {"sentence": say("sealed-set", **about), **about}

    def _required(self) -> SealedSet:
        if self.sealed is None:
            raise ParameterError(message("compat.mcp-nothing-sealed"))
        return self.sealed

    def search(
        self, engine: str, queries: Mapping[str, str], k: int = 10, output: str | None = None
    ) -> dict[str, object]:
        """Asks an engine that the person allowed."""
        from relyon.engines import search

        paths = engine_names(self.settings.engines)
        if engine not in paths:
            raise ParameterError(
                message("compat.mcp-no-such-engine", name=engine),
                hint=suggestion(engine, list(paths)),
            )
        with self._copies():
            found = search(paths[engine], dict(queries), k)
            if output is not None:
                self._write(output, next(iter(found.runs.values())))
        results = {
            name: {query: [one for one, _ in run.documents(query)] for query in run}
            for name, run in found.runs.items()
        }
        key = "searched" if output is None else "searched.written"
        sentence = say(key, engine=engine, count=len(queries), written=output)
        return {"sentence": sentence, **found.to_dict(), "results": results}

    def _write(self, name: str, run: Run) -> None:
        from relyon.io import write_run

        if not self.settings.writes:
            raise ParameterError(message("compat.mcp-read-only"))
        if not name.lower().endswith(WRITTEN):
            # Ids are the agent's: a line `import_os;f()# Q0 d 1 …` of conftest.py would be run.
            raise ParameterError(message("compat.mcp-not-a-run-name", name=name, endings=WRITTEN))
        self.folder.real(name)
        write_run(run, "written.run", format="trec")
        with open("written.run", "rb") as file:
            self.folder.write(name, file.read())


def _number(value: float, form: str = ".4f") -> str:
    return format(value, form) if math.isfinite(value) else "–"


def _paged(values: dict[str, object], first: int, count: int) -> dict[str, object]:
    rows = values.get("per_query")
    if isinstance(rows, Mapping):
        values["per_query"], values["page"] = page(rows, first, count)
    return values


def _without_hashes(values: dict[str, object]) -> None:
    """Removes the fingerprint of each query's judgments: long, and of no use to an agent."""
    inputs = values.get("inputs")
    if isinstance(inputs, dict):
        inputs.pop("judgments_by_query", None)


def _by_query(deltas: object) -> dict[str, object]:
    """Turns {candidate: {measure: {query: difference}}} around, the largest losses first."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    losses: dict[str, float] = {}
    if isinstance(deltas, Mapping):
        for candidate, by_measure in deltas.items():
            for place, (measure, by_query) in enumerate(by_measure.items()):
                for query, value in by_query.items():
                    found.setdefault(query, {}).setdefault(candidate, {})[measure] = value
                    if place == 0 and isinstance(value, int | float):
                        losses[query] = min(losses.get(query, 0.0), value)
    return dict(sorted(found.items(), key=lambda row: losses.get(row[0], 0.0)))
