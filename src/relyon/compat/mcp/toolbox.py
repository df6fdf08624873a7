"""What each tool is for, and when an agent should use which."""

from __future__ import annotations

from dataclasses import replace

from relyon.compat.mcp.fields import Field, Tool
from relyon.compat.mcp.settings import Settings

__all__ = ["tools"]

NAME = "A name relative to the served folder, such as runs/new.run."
JUDGMENTS = Field(
    "judgments",
    "text",
    f"The file of judgments: query, document, grade (TREC qrels, CSV, TSV, JSONL, Parquet). {NAME}",
    required=True,
)
RUN = "a run: query, document, score (TREC, CSV, TSV, JSONL, Parquet)"
BASELINE = Field("baseline", "text", f"The file of the baseline, {RUN}. {NAME}", required=True)
RUN_FIELD = Field("run", "text", f"The file of {RUN}. {NAME}", required=True)
MEASURES = Field(
    "measures",
    "texts",
    "Names of measures such as ndcg@10, recall@100, rr@10. The tool `measures` lists all.",
)
PER_QUERY = Field(
    "per_query", "flag", "Also return the values of single queries, one page at a time."
)
FIRST = Field("first", "whole", "With per_query: how many queries to skip.")
COUNT = Field(
    "count",
    "whole",
    "With per_query: how many queries to return, 50 by default.",
    least=1,
    most=500,
)

CHUNKS = Field(
    "chunks",
    "texts",
    "If the run ranks chunks of documents and the judgments are of passages (query, document, and"
    f" start and end or quote): the tables of the chunks (chunk, document, start, end). {NAME}",
)
TEXTS = Field(
    "texts",
    "text",
    "With chunks, to find quotes: the texts of the documents, a table (document, text) or a folder"
    f" of text files. {NAME}",
)
TRACES = (
    " A run can also be an agent's trace: JSON Lines with task, query and results for each call; a"
    " task takes the place of a query."
)

FILES = Tool(
    "files",
    "List files",
    "List the files that the other tools can read, with their sizes in bytes. Start here.",
    (Field("below", "text", "Only files in this folder."),),
)
MEASURES_TOOL = Tool(
    "measures",
    "Describe measures",
    "List all measures, or describe one: its formula, parameters and source. Use it before you"
    " choose a measure or explain one to a person.",
    (Field("name", "text", "The measure to describe, such as ndcg; without it all are listed."),),
)
EVALUATE = Tool(
    "evaluate",
    "Evaluate a run",
    "Measure one run against judgments. Use it to know where a system stands. To decide between two"
    " runs use `compare`: two means alone do not show whether a difference is more than chance.",
    (JUDGMENTS, RUN_FIELD, MEASURES, PER_QUERY, FIRST, COUNT),
)
COMPARE = Tool(
    "compare",
    "Compare runs",
    "Compare candidates with a baseline query by query: difference, confidence interval, p-value"
    " corrected for the number of comparisons, and a verdict. Use it to decide between runs. Do not"
    " call it again and again with small variations until one is significant.",
    (
        JUDGMENTS,
        BASELINE,
        Field("candidates", "texts", f"The files of candidates. {NAME}", required=True),
        MEASURES,
        PER_QUERY,
        FIRST,
        COUNT,
    ),
)
EXPLAIN = Tool(
    "explain",
    "Explain one query",
    "Derive the value of one query rank by rank; with `other`, which documents moved between two"
    " runs and what each move changed. Use it on queries that `compare` with per_query shows as the"
    " largest losses.",
    (
        JUDGMENTS,
        RUN_FIELD,
        Field("query", "text", "The id of the query.", required=True),
        Field("other", "text", f"A second run, to explain the change from the first. {NAME}"),
        Field("measure", "text", "The measure, ndcg@10 by default."),
        Field("limit", "whole", "Rows to show of each list, 20 by default.", least=1, most=200),
    ),
)
DIAGNOSE = Tool(
    "diagnose",
    "Diagnose a comparison",
    "Look for known problems of a comparison: unjudged documents, ties, reversed scores, recall up"
    " while NDCG is flat, losses on a group of queries, and more; with the numbers and what to do."
    " Use it after `compare`, before you change the system.",
    (
        JUDGMENTS,
        BASELINE,
        Field("candidate", "text", f"The file of the candidate. {NAME}", required=True),
        Field("rules", "texts", "Names of rules such as ties or unjudged; all by default."),
    ),
)
CHECK = Tool(
    "check",
    "Check on held-out queries",
    "Ask whether a run is better than the best run so far on the sealed, held-out queries. Answers"
    " only “better”, “not distinguishable” or “out of looks”. Each new run costs one look of a"
    " small budget that never refills; the same run is answered from the record. Use it only for a"
    " candidate that `compare` shows to be better on the development queries. “Not distinguishable”"
    " is an answer: do not resubmit variations of a run to get another one. The run must contain"
    " the results of all queries: a held-out query that it lacks has the worst value.",
    (Field("run", "text", f"The file of {RUN}, for all queries. {NAME}", required=True),),
)
SEALED = Tool(
    "sealed_set",
    "Describe the sealed set",
    "Say how many queries are open and sealed, how many looks are left, which run is the best so"
    " far, and how large an improvement must be to be found. It costs nothing.",
)
SEARCH = Tool(
    "search",
    "Ask a search engine",
    "Send queries to one of the live search engines that the person allowed, and return its"
    " results, best first. Use it to see what an engine answers today.",
    (
        Field("engine", "text", "The name of the engine.", required=True),
        Field("queries", "table", "Texts of up to 200 queries, by their ids.", required=True),
        Field("k", "whole", "How many results per query, 10 by default.", least=1, most=1000),
    ),
    open_world=True,
)
OUTPUT = Field(
    "output",
    "text",
    f"Also write the results as a new run in TREC's format; existing files are kept. {NAME}",
)


def tools(settings: Settings) -> tuple[Tool, ...]:
    """Returns the tools of a server.

    With a sealed set judgments need not be named: its development queries are the default. Without
    one there is no `check`, but judgments can be of passages, and runs traces. Without engines
    there is no `search`.
    """
    found = [FILES, MEASURES_TOOL, EVALUATE, COMPARE, EXPLAIN, DIAGNOSE]
    if settings.sealing is not None:
        found = [_sealed(one) for one in found]
        found += [CHECK, SEALED]
    else:
        found = [_open(one) for one in found]
    if settings.engines:
        from relyon.compat.mcp.work import engine_names

        names = tuple(engine_names(settings.engines))
        engine, *others = SEARCH.fields
        fields = (replace(engine, choices=names), *others)
        if settings.writes:
            fields = (*fields, OUTPUT)
        found.append(replace(SEARCH, fields=fields, writes=settings.writes))
    return tuple(found)


def _open(tool: Tool) -> Tool:
    """Returns a tool that takes passages and traces, too, which need that nothing is sealed."""
    if JUDGMENTS not in tool.fields:
        return tool
    fields = (*tool.fields, CHUNKS, TEXTS)
    return replace(tool, fields=fields, description=tool.description + TRACES)


def _sealed(tool: Tool) -> Tool:
    """Returns a tool that takes the development queries by default."""
    if JUDGMENTS not in tool.fields:
        return tool
    own = replace(
        JUDGMENTS,
        required=False,
        description="Without it the development queries of the sealed set. "
        + JUDGMENTS.description,
    )
    fields = (*(one for one in tool.fields if one is not JUDGMENTS), own)
    more = " Held-out queries are left out of every file: values are those of development queries."
    return replace(tool, fields=fields, description=tool.description + more)
