"""Three scripted agents that search the demonstration's documents, and the value of their calls.

Each agent follows a rule that needs no judgments, so that what it reads, and what that costs, are
consequences of the rule.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.demo.rankers import bm25, content, tokenize

if TYPE_CHECKING:
    import polars as pl

    from relyon.analysis.comparison import Comparison, Contrast
    from relyon.data.judgments import Judgments
    from relyon.data.traces import Traces
    from relyon.demo.corpus import Document as Text, Question
    from relyon.demo.rankers import Ranking

__all__ = [
    "AGENTS",
    "COMPARED",
    "COST",
    "DEPTH",
    "RECALL",
    "AgentStory",
    "measure_agents",
    "trace_file",
    "write_agents",
]

#: The agents; the first is what the others are compared with.
AGENTS = ("once", "rewrites", "repeats")
CALLS = 3
#: Results of a call, and how many of them an agent reads.
DEPTH, READS = 10, 3
#: An agent stops if a document that it read has this share of the question's words.
CONTENT = 0.8
#: Words of the documents read that a second query gets.
FEEDBACK = 5
LAST, RECALL, COST = f"last(ndcg@{DEPTH})", f"task_recall@{DEPTH}", f"gain_per_ktoken@{READS}"
COMPARED = (LAST, RECALL, COST)
RECOVERY, AGAIN, JUDGED = f"recovery@{DEPTH}", "redundancy(items=reads)", f"mean(judged@{DEPTH})"

#: Ranks documents for texts, each under its id.
Search = Callable[[Sequence["Question"]], "Ranking"]
Call = dict[str, object]


def trace_file(agent: str) -> str:
    """Returns the name of an agent's file.

    Examples:
        >>> trace_file("once")
        'agent-once.jsonl'
    """
    return f"agent-{agent}.jsonl"


def write_agents(
    directory: str | Path,
    documents: Sequence[Text],
    questions: Sequence[Question],
    first: Ranking,
    other: Ranking,
) -> None:
    """Lets the agents search, and writes what they do, one file per agent.

    `once` asks the question and reads the first three results. `rewrites` and `repeats` ask again,
    up to three calls in all, unless a document that they read has four fifths of the question's
    words. `rewrites` adds the five words of what it read with the highest tf-idf (pseudo-relevance
    feedback), and then asks the other ranker; it reads no document twice. `repeats` asks the same
    question, and reads the same results again. The tokens of a call are the words that it read.

    Args:
        directory: The directory of the demonstration.
        documents: The collection.
        questions: The questions; each is a task.
        first: The ranking of BM25 for each question.
        other: That of the other ranker.
    """
    from relyon.data.traces import Traces
    from relyon.demo.corpus import Question
    from relyon.io.traces import write_traces

    shelf = _Shelf(documents)
    tasks = {one.id: shelf.call(one.text, first[one.id], ()) for one in questions}
    left = [one for one in questions if not shelf.content(one.text, [tasks[one.id]])]
    second = [
        Question(one.id, one.language, shelf.rewritten(one.text, tasks[one.id])) for one in left
    ]
    answers = bm25(documents, second, DEPTH)
    made: dict[str, dict[str, list[Call]]] = {name: {} for name in AGENTS}
    rewritten = {one.id: one.text for one in second}
    for one in questions:
        start = tasks[one.id]
        made["once"][one.id] = [start]
        made["repeats"][one.id] = [start] * (CALLS if one.id in rewritten else 1)
        calls = made["rewrites"][one.id] = [start]
        if one.id in rewritten:
            calls.append(shelf.call(rewritten[one.id], answers[one.id], calls))
            if not shelf.content(one.text, calls):
                calls.append(shelf.call(one.text, other[one.id], calls))
    for name, calls_by_task in made.items():
        path = Path(directory) / trace_file(name)
        write_traces(Traces.from_dict(calls_by_task, name=name), path, overwrite=True)


class _Shelf:
    """The documents as an agent reads them."""

    def __init__(self, documents: Sequence[Text]) -> None:
        self._terms = {one.id: tokenize(content(one)) for one in documents}
        self._words = {one.id: len(content(one).split()) for one in documents}
        seen = Counter(term for terms in self._terms.values() for term in set(terms))
        self._rarity = {term: math.log(len(documents) / count) for term, count in seen.items()}

    def call(self, query: str, ranking: list[tuple[str, float]], before: Sequence[Call]) -> Call:
        """Returns a call: what was sent and returned, and what the agent reads, nothing twice."""
        known = {name for call in before for name in self.read(call)}
        found = ranking[:DEPTH]
        read = [name for name, _ in found[:READS] if name not in known]
        tokens = sum(self._words[name] for name in read)
        return {"query": query, "results": found, "read": read, "tokens": tokens}

    @staticmethod
    def read(call: Call) -> list[str]:
        """Returns the documents that were read after a call."""
        read = call["read"]
        if not isinstance(read, list):
            raise TypeError("the reads of a call are a list")
        return read

    def content(self, question: str, calls: Sequence[Call]) -> bool:
        """Returns whether a document that was read has most of the question's words."""
        asked = set(tokenize(question))
        return any(
            len(asked.intersection(self._terms[name])) >= CONTENT * len(asked)
            for call in calls
            for name in self.read(call)
        )

    def rewritten(self, question: str, call: Call) -> str:
        """Returns the question with the strongest words of what was read after a call."""
        asked = set(tokenize(question))
        counts = Counter(
            term
            for name in self.read(call)
            for term in self._terms[name]
            if term not in asked and not term.isdigit()
        )
        weights = {term: count * self._rarity[term] for term, count in counts.items()}
        added = sorted(weights, key=lambda term: (-weights[term], term))[:FEEDBACK]
        return " ".join([question, *added])


@dataclass(frozen=True)
class AgentStory(Exportable):
    """The value of the agents' calls.

    Attributes:
        values: Each agent's measures, by the agent's name.
        calls: The calls of each agent, over all tasks.
        failed: The number of tasks whose first call found nothing relevant.
        comparison: The agents compared with the first one, task by task.
    """

    values: Mapping[str, Mapping[str, float]]
    calls: Mapping[str, int]
    failed: int
    comparison: Comparison

    def contrast(self, agent: str, measure: str) -> Contrast:
        """Returns an agent against the first one on a measure."""
        return next(
            one
            for one in self.comparison.contrasts
            if one.candidate == agent and one.measure == measure
        )

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per agent."""
        import polars as pl

        return pl.DataFrame(
            [
                {"agent": name, "calls": self.calls[name], **values}
                for name, values in self.values.items()
            ]
        )

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {"failed": self.failed, "agents": self.to_frame().to_dicts()}

    def document(self, *, digits: int = 3, language: Language = "en") -> Document:
        """Returns the table and its conclusions.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("demo", language)
        style = words.style
        rows = [
            [
                name,
                str(self.calls[name]),
                *(style.number(values[one], digits) for one in (*COMPARED, AGAIN)),
            ]
            for name, values in self.values.items()
        ]
        names = [words[f"agents.{name}"] for name in ("agent", "calls")]
        names += [*COMPARED, words["agents.again"]]
        once, rewrites, repeats = AGENTS
        how = words.say(
            "agents.how", once=once, rewrites=rewrites, repeats=repeats, reads=READS, calls=CALLS
        )
        blocks: list[Block] = [
            Prose([how]),
            Table(names, rows),
            Prose(list(self._findings(words, digits))),
        ]
        return Document(blocks)

    def _findings(self, words: Catalogue, digits: int) -> Iterator[str]:
        """Yields the conclusions from the numbers."""
        style = words.style
        once, rewrites, repeats = AGENTS

        def change(agent: str, measure: str) -> dict[str, str]:
            one = self.contrast(agent, measure)
            return {
                "difference": style.signed(one.difference, digits),
                "interval": style.signed_interval(one.interval, digits),
            }

        for kind, measure in (("query", LAST), ("found", RECALL), ("cost", COST)):
            verdict = self.contrast(rewrites, measure).verdict
            yield words.say(
                f"agents.{kind}_{verdict}",
                agent=rewrites,
                baseline=once,
                measure=measure,
                **change(rewrites, measure),
            )
        yield words.say(
            "agents.recovery",
            failed=self.failed,
            share=self.values[rewrites][RECOVERY],
            agent=rewrites,
        )
        yield words.say(
            "agents.repeats", repeats=repeats, baseline=once, calls=CALLS, **change(repeats, COST)
        )
        yield words.say("agents.judged", agent=rewrites, share=self.values[rewrites][JUDGED])


def measure_agents(traces: Sequence[Traces], judgments: Judgments) -> AgentStory:
    """Evaluates the agents, and compares them with the first one.

    Args:
        traces: What each agent did, in the order of `AGENTS`.
        judgments: People's grades of the tasks' documents.
    """
    from relyon.analysis.comparison import compare
    from relyon.evaluation import evaluate

    measures = (*COMPARED, RECOVERY, AGAIN, JUDGED)
    results = [evaluate(judgments, one, measures) for one in traces]
    values = {
        name: {str(one): float(found[one]) for one in measures}
        for name, found in zip(AGENTS, results, strict=True)
    }
    failed = sum(not math.isnan(value) for value in results[0].values_by_query(RECOVERY).values())
    calls = {
        name: sum(len(one.calls(task)) for task in one.tasks)
        for name, one in zip(AGENTS, traces, strict=True)
    }
    first, *others = traces
    comparison = compare(judgments, first, others, COMPARED, names=AGENTS)
    return AgentStory(values, calls, failed, comparison)
