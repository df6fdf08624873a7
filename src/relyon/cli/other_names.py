"""Options by the names that other programs and commands have for them."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["meant"]

#: What is meant, and names for it. A command takes the first of what is meant that it has: an
#: option, an option with an example of its value, or an argument.
NAMES: tuple[tuple[str, str], ...] = (
    (
        "--valid | --test-share | DATA | FILE…",
        "test data validation validate val dev heldout held-out eval eval-data test-data test-file"
        " valid-data validation-data test-set valid-set holdout",
    ),
    ("--valid-share", "validation-share val-share dev-share valid-size val-size"),
    ("--test-share", "test-size test-fraction test-ratio split ratio"),
    ("--watch", "early-stopping-data stop-data"),
    ("--stop", "early-stopping early-stopping-rounds patience"),
    ("--grading", "grades grade to-grades thresholds threshold bins buckets"),
    ("--max-drop", "drop threshold max-decrease"),
    ("--drop", "max-drop"),
    (
        "--judgments | JUDGMENTS",
        "qrels qrel judgements judgement judgment grades labels gold ground-truth truth relevance",
    ),
    ("--run | RUN…", "runs results result-file ranking predictions"),
    ("LOG…", "log logs clicks click-log"),
    ("FILE… | DATA", "file files input path sheet data"),
    ("RUN…", "run"),
    ("--measure", "metric metrics measures eval-metric m"),
    ("--baseline | BASELINE", "base reference control old"),
    ("CANDIDATE…", "candidate new treatment"),
    ("--depth | --at | -m ndcg@10", "k top topk top-k cutoff at top-n depth"),
    (
        "--per-tier | --limit | --sessions",
        "n size count num number sample-size samples sessions rows",
    ),
    ("--output", "out output-file outfile out-file dest target save save-to o"),
    ("--force", "overwrite replace yes f"),
    ("--format", "output-format type fmt json csv markdown table"),
    (
        "--input-format | --judgments-format",
        "format input-type file-format sep delimiter separator",
    ),
    ("--columns", "column col cols mapping rename column-map schema"),
    ("--document", "doc docid doc-id item item-id"),
    ("--query | --query-id | --queries", "qid query-id query_id group topic topics queries query"),
    ("--label", "target y relevance grade"),
    ("--score", "pred prediction scores"),
    ("--features", "feature cols columns x"),
    ("--seed", "random-state random-seed random rng"),
    ("--threads", "jobs n-jobs workers num-workers cores cpus parallel j"),
    ("--confidence", "level ci confidence-level conf-level alpha"),
    ("--alpha", "significance significance-level level p confidence"),
    ("--resamples", "bootstrap bootstraps permutations n-resamples iterations n-bootstrap"),
    ("--correction", "adjust p-adjust multiple-testing"),
    ("--test", "significance-test stat-test statistic"),
    (
        "--fail-if-worse",
        "max-drop drop threshold max-decrease fail gate fail-on-regression check ci",
    ),
    ("--drop-bots", "no-bots remove-bots exclude-bots without-bots filter-bots bots"),
    ("--since", "from start start-date date-from begin after"),
    ("--until", "to end end-date date-to before"),
    ("--month", "period date months"),
    ("--lang", "language locale"),
    ("--ranker", "model algorithm algo objective loss"),
    ("--engine", "library backend lib"),
    ("-p trees=200", "trees n-estimators num-trees iterations num-boost-round rounds epochs"),
    ("-p leaves=31", "leaves num-leaves"),
    ("-p learning_rate=0.05", "learning-rate lr eta"),
    ("--folds", "cv k-fold kfold n-folds"),
    ("--weights", "weight"),
    ("--weight", "weights sample-weight sample-weights"),
    ("--method", "fusion algorithm type"),
    ("--norm", "normalization normalisation normalize normalise"),
    ("--encoding", "charset enc"),
    ("--strict", "fail-on-warning werror warnings-as-errors"),
    ("--judge", "grader annotator user assessor rater name"),
    ("--judge-column", "grader annotator assessor rater"),
    ("--guideline-en | --guideline-zh", "guideline guidelines instructions"),
    ("--digits", "precision decimals round"),
    ("--propensities", "propensity pscore"),
    ("--reward", "target outcome"),
    ("--convention", "preset compat like"),
    ("--set rel=2", "l relevance-level"),
    ("--set missing=zero", "c complete"),
    ('-m "ap(judged_only=true)"', "J judged-only"),
    ("-m ap@100", "M max-results"),
    ("--per-query", "by-query q detail details"),
    ("--no-color", "no-colour nocolor plain"),
)


def meant(option: str, known: Collection[str]) -> str:
    """Returns what a command has for an option that it does not have, or an empty text.

    Args:
        option: The option as written, with its dashes.
        known: The options and the names of the arguments of the command.

    Returns:
        An option, an option with an example, or the name of an argument.

    Examples:
        >>> meant("--test", {"--valid", "--folds", "DATA"})
        '--valid'
        >>> meant("--top_k", {"-m", "--measure"})
        '-m ndcg@10'
        >>> meant("-l", {"-m", "--set"}), meant("-M", {"-m", "--set"})
        ('--set rel=2', '-m ap@100')
    """
    name = option.lstrip("-").replace("_", "-")
    name = name if len(name) == 1 else name.lower()
    for targets, names in NAMES:
        if name not in names.split():
            continue
        for target in targets.split(" | "):
            if target.split(" ")[0] in known and target != option:
                return target
    return ""
