"""The sentences of the log doctor in English."""

from __future__ import annotations

__all__ = ["MESSAGES"]

MESSAGES = {
    "level.warning": "warning",
    "level.info": "info",
    "clean": "rows: {rows}, checks: {checks}; nothing is wrong.",
    "summary": "rows: {rows}, checks: {checks}; warnings: {warnings}, for information: {hints}.",
    "advice": "Fix: {fix}",
    "fixable": " (--fix does it)",
    "counted": "{count} of {total} {unit} ({share})",
    "unit.rows": "rows",
    "unit.sessions": "sessions",
    "unit.queries": "queries",
    "unit.users": "users",
    "unit.hours": "hours",
    # -- values --------------------------------------------------------------------------------
    "missing-values.title": "Rows lack what every row must have",
    "missing-values.text": "{counted} have no value in: {columns}. They cannot be counted or"
    " sampled, and their lists come out with holes.",
    "missing-values.fix": "Leave these rows out, and find out why the log loses them.",
    # -- times ---------------------------------------------------------------------------------
    "mixed-timestamps.title": "Timestamps are written in several forms",
    "mixed-timestamps.text": "{counted} are not of the most frequent form: {forms}. A program that"
    " expects one form drops the others or puts them in 1970: trends, rounds and gaps come out"
    " wrong.",
    "mixed-timestamps.fix": "Read each in its own form and write all of them in UTC; agree on one"
    " form where the log is made.",
    "unreadable-timestamps.title": "Timestamps cannot be read",
    "unreadable-timestamps.text": "{counted} have a timestamp that is neither ISO 8601 nor a"
    " number. Their time counts as unknown.",
    "unreadable-timestamps.fix": "Write them as ISO 8601 with a zone, such as"
    " 2026-01-31T08:00:00Z.",
    "implausible-timestamps.title": "Times cannot be right",
    "implausible-timestamps.text": "{counted} are before {year} or in the future: another unit, a"
    " time within the visit, or a wrong clock. Trends and age limits would be computed from them.",
    "implausible-timestamps.fix": "Choose the column that holds the time of day, or correct the"
    " unit where the log is made.",
    "gaps.title": "The log has gaps in time",
    "gaps.text": "{counted} are without a search where about {expected} were to be expected (gaps:"
    " {gaps}). Counts, trends and a sample of this time leave out whatever happened"
    " then.",
    "gaps.fix": "Find the missing files or the outage; compare only periods that are complete.",
    # -- positions -----------------------------------------------------------------------------
    "invalid-positions.title": "Positions are below 0",
    "invalid-positions.text": "{counted} have a negative position. No rank stands for them, so DCG"
    " cannot discount them.",
    "invalid-positions.fix": "Leave these rows out.",
    "zero-based-positions.title": "Positions begin at 0",
    "zero-based-positions.text": "{counted} have a result at position 0, and hardly any list begins"
    " at 1. Read as ranks, every result stands one rank too high: the first one is lost, or"
    " divides by log2(1) = 0 in DCG, and the top k holds k + 1 results.",
    "zero-based-positions.fix": "Add 1 to every position.",
    "mixed-positions.title": "Some lists count positions from 0, others from 1",
    "mixed-positions.text": "{counted} begin at 0, {from_one} begin at 1: two sources write this"
    " log. Their results at the same position are not at the same rank, so DCG@k and click rates by"
    " position mix two scales.",
    "mixed-positions.fix": "Add 1 to the positions of the lists that have a position 0. A list of"
    " the zero-based source that lost its first result cannot be told from the others: correct"
    " the source.",
    "incomplete-lists.title": "Lists have holes",
    "incomplete-lists.text": "{counted} begin after position 1 or leave out a position. The results"
    " that are missing there cannot be graded: they count as worth nothing in DCG.",
    "incomplete-lists.fix": "Log whole result lists, not only what came into view, or take the"
    " missing results from the search log.",
    "cut-off-lists.title": "Lists end at position {depth}",
    "cut-off-lists.text": "{counted} end there. What was shown below is not in the log: DCG at a"
    " deeper k (here {measured}) is DCG@{depth} for them, and recall below it cannot be seen.",
    "cut-off-lists.fix": "Log deeper pages, or measure at k of at most {depth}.",
    "shared-positions.title": "Several documents stand at one position",
    "shared-positions.text": "{counted} have more documents than positions: pages that each count"
    " from the beginning, several searches under one id, or grids. Their rank is not defined, and"
    " DCG counts the top ranks several times.",
    "shared-positions.fix": "Make the position count on over pages, and give each search a session"
    " of its own (--columns session=VISIT+SEARCH joins two columns).",
    # -- events --------------------------------------------------------------------------------
    "duplicate-rows.title": "Events were logged twice",
    "duplicate-rows.text": "{counted} repeat a document at the same position of the same session."
    " They count twice in impressions and click rates, and once too often in DCG.",
    "duplicate-rows.fix": "Keep one row each, with the clicks of all of them.",
    "repeated-documents.title": "Lists show a document at several positions",
    "repeated-documents.text": "{counted} have more positions than documents. Each copy gains again"
    " in DCG, which can exceed the ideal.",
    "repeated-documents.fix": "See if users saw the copies. If they did, keep them and count the"
    " first one; if not, the log joins several lists.",
    "actions-without-impression.title": "Clicks, carts or purchases without an impression",
    "actions-without-impression.text": "{counted} that have an action are of documents not logged"
    " as shown. Click rates come out too high, and what users wanted most is missing from the"
    " lists to grade.",
    "actions-without-impression.fix": "Put the document where it was clicked if that position is"
    " free, and leave out the rest; find out which impressions are not logged.",
    "clicks-only.title": "The log holds clicks only",
    "clicks-only.text": "{counted} hold no document that was not clicked. What was shown is not"
    " known: neither click rates nor DCG of the lists can be computed.",
    "clicks-only.fix": "Log impressions too, or join the clicks with the result lists of the"
    " search.",
    # -- searches ------------------------------------------------------------------------------
    "several-queries.title": "Sessions hold several queries",
    "several-queries.text": "{counted} have more than one query: the column is a visit, not a"
    " search. The lists of its searches are taken for one list, and the query's frequency is"
    " that of its visits.",
    "several-queries.fix": "Use the id of the search as the session; --columns"
    " session=VISIT+SEARCH joins two columns.",
    "query-variants.title": "Queries differ only in case, width or spaces",
    "query-variants.text": "{counted} are another writing of a more frequent one (sessions:"
    " {sessions}). Each writing is a query of its own: frequent queries fall into a lower"
    " tier, and the same results are graded again.",
    "query-variants.fix": "Write each as its most frequent form (Unicode NFKC, case and spaces"
    " aside).",
    # -- traffic -------------------------------------------------------------------------------
    "bots.title": "Rates that no person reaches",
    "bots.text": "{counted} search or click faster than people do, and make {traffic} of the"
    " traffic. Frequencies, tiers and click rates follow them instead of the users.",
    "bots.fix": "Look at the examples, and leave out bots, monitoring and test accounts.",
}
