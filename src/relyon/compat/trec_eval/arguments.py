"""trec_eval's command line, as its getopt reads it."""

from __future__ import annotations

import getopt
import re
from collections.abc import Sequence

from relyon.compat.trec_eval.measures import MEASURES, NICKNAMES
from relyon.compat.trec_eval.options import Options, TrecEvalError

__all__ = ["USAGE", "parse", "whole"]

USAGE = "usage: relyon trec_eval [options] rel_info_file results_file; -h lists the options"

SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure=": "m",
    "complete_rel_info_wanted": "c",
    "level_for_rel=": "l",
    "nosummary": "n",
    "Debug_level=": "D",
    "Judged_docs_only": "J",
    "Number_docs_in_coll=": "N",
    "Max_retrieved_per_topic=": "M",
    "Rel_info_format=": "R",
    "Results_format=": "T",
    "Output_old_results_format=": "o",
    "Zscore=": "Z",
}


def parse(arguments: Sequence[str]) -> Options:
    """Reads the command line.

    Raises:
        TrecEvalError: For an option or a measure that trec_eval does not have, and if there are not
            two files.

    Examples:
        >>> parse(["-qml2", "--version"]).version
        Traceback (most recent call last):
            ...
        relyon.compat.trec_eval.options.TrecEvalError: illegal measure 'l2'
        >>> options = parse(["qrels", "-q", "-l2", "-m", "P.5,10", "run"])
        >>> options.judgments, options.level, options.measures
        ('qrels', 2, {'P': '5,10'})
    """
    try:
        found, files = getopt.gnu_getopt(list(arguments), SHORT, list(LONG))
    except getopt.GetoptError as error:
        raise TrecEvalError(f"{error.msg}\n{USAGE}", 1) from None
    options = Options()
    spelled = {f"--{name.rstrip('=')}": short for name, short in LONG.items()}
    for name, value in found:
        _take(options, spelled.get(name, name[1:]), value)
        if options.version:
            return options
    if options.help:
        return options
    if len(files) != 2:
        raise TrecEvalError(USAGE, 1)
    options.judgments, options.results = files
    if not options.measures:
        _mark(options, "official")
    return options


def _take(options: Options, option: str, value: str) -> None:
    flags = {"q": "per_query", "c": "complete", "J": "judged_only", "h": "help", "v": "version"}
    texts = {"R": "form", "T": "results_form", "Z": "zscores"}
    numbers = {"l": "level", "N": "collection", "M": "depth"}
    if option in flags:
        setattr(options, flags[option], True)
    elif option in texts:
        setattr(options, texts[option], value)
    elif option in numbers:
        setattr(options, numbers[option], whole(value))
    elif option == "n":
        options.summary = False
    elif option == "D":
        _, point, query = value.partition(".")
        options.only = query if point else options.only
    elif option == "m":
        _mark(options, value)


def whole(text: str) -> int:
    """Returns the whole number at the start of a text, or 0, as C's atol."""
    found = re.match(r"\s*([-+]?\d+)", text)
    return int(found[1]) if found else 0


def _mark(options: Options, text: str) -> None:
    """Notes a measure or a set of them; parameters that were given first stay."""
    name, point, parameters = text.partition(".")
    if point and not parameters:
        raise TrecEvalError(f"improper measure in parameter '{name}'", 1)
    names = NICKNAMES.get(name, (name,))
    for one in names:
        if one in {"prefs", "all_prefs"} or one.startswith("prefs_"):
            raise TrecEvalError(f"relyon has no measures of preferences: '{name}'", 1)
        if one not in MEASURES:
            raise TrecEvalError(f"illegal measure '{name}'", 1)
        options.measures.setdefault(one, None)
    if point and name in MEASURES and options.measures[name] is None:
        options.measures[name] = parameters
