"""The sentences of the diagnoses in English."""

from __future__ import annotations

__all__ = ["MESSAGES"]

MESSAGES = {
    # -- rules that bring no sentences ---------------------------------------------------------
    "own.title": "The rule {rule} applies",
    "own.text": "{numbers}.",
    "own.step": "Look at what the rule {rule} measures.",
    "own.comma": ", ",
    # -- recall up, NDCG flat ------------------------------------------------------------------
    "recall-up-ndcg-flat.title": "Recall rose and NDCG did not: the ranker leaves the new documents"
    " below",
    "recall-up-ndcg-flat.text": "{recall} went from {recall_baseline:value} to"
    " {recall_candidate:value} ({recall_difference:delta}, {recall_p:p}), {ndcg} only from"
    " {ndcg_baseline:value} to {ndcg_candidate:value} ({ndcg_difference:delta}, {ndcg_p:p})."
    " {new:count relevant document is/relevant documents are} newly found ({lost:count} lost);"
    " {below:count} of them ({below_share:share}) stand below rank {k}, their median rank is"
    " {median_rank}.",
    "recall-up-ndcg-flat.step": "Look at the examples: which features does the ranker lack for"
    " these documents, and which label was it trained on? Train it again with candidates of the"
    " new retrieval.",
    # -- NDCG up, online flat ------------------------------------------------------------------
    "ndcg-up-online-flat.title": "NDCG rose and the online metric did not follow",
    "ndcg-up-online-flat.text": "{ndcg} went from {ndcg_baseline:value} to {ndcg_candidate:value}"
    " ({ndcg_difference:delta}, {ndcg_p:p}).",
    "ndcg-up-online-flat.text.metric": "{metric} went from {online_baseline:value} to"
    " {online_candidate:value} ({online_difference:delta}, {online_p:p}).",
    "ndcg-up-online-flat.text.agreement": "Grades and the label `{label}` hardly agree: Kendall's"
    " tau-b is {tau:value} over {label_queries:count query/queries}.",
    "ndcg-up-online-flat.text.agreement.fine": "Grades and the labels agree: Kendall's tau-b is"
    " {tau:value} for `{label}`, the lowest.",
    "ndcg-up-online-flat.text.ratio": "The buckets do not have their planned sizes (sample-ratio"
    " mismatch, {ratio_p:p}): `{bucket}` has {bucket_share:share} instead of"
    " {bucket_planned:share}.",
    "ndcg-up-online-flat.text.ratio.fine": "The buckets have their planned sizes ({ratio_p:p}).",
    "ndcg-up-online-flat.text.cold": "The share of cold starts differs: {cold_baseline:share} in"
    " the baseline, {cold_candidate:share} in the candidate.",
    "ndcg-up-online-flat.text.cold.fine": "The share of cold starts is alike"
    " ({cold_baseline:share} and {cold_candidate:share}).",
    "ndcg-up-online-flat.text.mix": "The traffic is another one ({mix_p:p}): the tier `{tier}` has"
    " {tier_baseline:share} of the baseline's and {tier_candidate:share} of the candidate's.",
    "ndcg-up-online-flat.text.mix.fine": "The mix of traffic is alike (tiers differ by"
    " {mix_distance:share}).",
    "ndcg-up-online-flat.text.shown": "Users saw another list than was ranked:"
    " {changed:count} of {positions:count position/positions} in the first {k}"
    " ({changed_share:share}) were overridden.",
    "ndcg-up-online-flat.text.shown.fine": "Users saw what was ranked ({changed_share:share} of the"
    " positions overridden).",
    "ndcg-up-online-flat.step": "No check explains it: run the experiment longer, and compare the"
    " grades with what users do (clicks, carts, purchases).",
    "ndcg-up-online-flat.step.agreement": "Bring the guideline or the gains closer to the online"
    " goal, or optimise for that label as well.",
    "ndcg-up-online-flat.step.ratio": "Do not read the experiment before its assignment and"
    " logging are repaired.",
    "ndcg-up-online-flat.step.cold": "Compare within users and documents that have a history.",
    "ndcg-up-online-flat.step.mix": "Compare within each tier, or weight the tiers alike.",
    "ndcg-up-online-flat.step.shown": "Measure the list as it was shown; look at the business"
    " rules, filters and stock that change it.",
    # -- AUC up, DCG down ----------------------------------------------------------------------
    "auc-up-dcg-down.title": "AUC rose and DCG fell: the tail got better and the head worse",
    "auc-up-dcg-down.text": "AUC went from {auc_baseline:value} to {auc_candidate:value}"
    " ({auc_difference:delta}), {dcg} from {dcg_baseline:value} to {dcg_candidate:value}"
    " ({dcg_difference:delta}, {dcg_p:p}). In the head, ranks {worst_ranks} lost most"
    " ({worst_difference:delta} DCG); in the tail, ranks {best_ranks} won most gain"
    " ({best_difference:delta}).",
    "auc-up-dcg-down.step": "Judge the model by NDCG@k or DCG@k, and train with a loss that weighs"
    " the head (LambdaRank, a list-wise loss) instead of a point-wise or plain pair-wise one.",
    # -- NDCG high, DCG low --------------------------------------------------------------------
    "ndcg-high-dcg-low.title": "The order is good, the candidates are poor",
    "ndcg-high-dcg-low.text": "{dcg} is {dcg_candidate:value}: {order:share} of what its candidates"
    " allow ({reachable:value}), but these reach only {reach:share} of the ideal over all judged"
    " documents ({ideal:value}). {recall_share:share} of the loss is recall"
    " ({recall_loss:value}), the ranking loses {ranking_loss:value}.",
    "ndcg-high-dcg-low.step": "Work on the retrieval: more channels, query rewriting, a larger K."
    " A better ranker has little left to win. `relkit funnel` shows the loss stage by stage.",
    "ndcg-high-dcg-low.text.pool": "{ndcg} is {ndcg_candidate:value}, but {dcg} is only"
    " {dcg_candidate:value}: the best candidate of a query is worth {worth:share} of the highest"
    " grade on average, although {judged:share} of the top is judged. Only retrieved documents have"
    " grades, so the recall loss cannot be measured: NDCG hides it.",
    "ndcg-high-dcg-low.step.pool": "Judge documents that the retrieval does not return (from other"
    " channels, other systems, searches by hand), and report DCG beside NDCG.",
    # -- Recall@K behaves like Hit@K -----------------------------------------------------------
    "recall-like-hit.title": "Recall@K behaves like Hit@K: most queries have one relevant document",
    "recall-like-hit.text": "{single:count} of {queries:count query/queries} with a relevant"
    " document ({single_share:share}) have exactly one; on average there are"
    " {mean_relevant:.1f}. {recall} is {recall_baseline:value} and {success}"
    " {success_baseline:value}; they are equal on {same_share:share} of the queries.",
    "recall-like-hit.step": "Read Recall as the share of queries with a hit, add RR for its"
    " place, and judge more documents a query before you speak of coverage.",
    # -- unjudged ------------------------------------------------------------------------------
    "unjudged.title": "Many documents of the top {k} are unjudged",
    "unjudged.text": "{share_baseline:share} of the baseline's top {k} and {share_candidate:share}"
    " of the candidate's are unjudged and count as worth nothing. With the grades that exist,"
    " {dcg} differs by {difference:delta}; depending on the {pairs:count unjudged document"
    "/unjudged documents} it could be anything from {lowest:delta} to {highest:delta}. {ndcg} of"
    " baseline and candidate: {ndcg_baseline_none:value} and {ndcg_candidate_none:value} if they"
    " are worth nothing, {ndcg_baseline_high:value} and {ndcg_candidate_high:value} if all have the"
    " highest grade.",
    "unjudged.text.open": "Even the sign is open.",
    "unjudged.text.settled": "The sign does not depend on them.",
    "unjudged.step": "Judge the listed pairs from the top: {needed:count pair is/pairs are} enough"
    " to settle the sign if they turn out as worth nothing.",
    "unjudged.step.settled": "Judge the listed pairs from the top where the size of the difference"
    " matters.",
    # -- ties ----------------------------------------------------------------------------------
    "ties.title": "The order of ties decides more than the system",
    "ties.text": "{measure} of `{run}` is {worst:value} with tied documents in the worst order and"
    " {best:value} in the best: {spread:value} apart, on {queries:count query/queries}. The runs"
    " differ by {difference:delta}.",
    "ties.step": "Write scores with more digits, or break ties by a rule that is part of the"
    " system; compare with ties=expected until then.",
    # -- micro and macro -----------------------------------------------------------------------
    "micro-macro.title": "Micro and macro averages disagree: a few large queries dominate",
    "micro-macro.text": "The mean over queries of {measure} changes by {macro_difference:delta}"
    " ({macro_baseline:value} to {macro_candidate:value}), the ratio of sums by"
    " {micro_difference:delta} ({micro_baseline:value} to {micro_candidate:value}). The"
    " {large:count largest query holds/largest queries hold} {large_share:share} of the weight.",
    "micro-macro.step": "Decide which question matters: a user's typical query (macro), or all"
    " documents alike (micro). Look at the largest queries on their own.",
    # -- coverage ------------------------------------------------------------------------------
    "coverage.title": "Queries, grades or ids do not fit together",
    "coverage.text.missing": "The baseline lacks {missing_baseline:count judged query"
    "/judged queries}, the candidate {missing_candidate:count}.",
    "coverage.text.undefined": "{undefined_measure} has no value on"
    " {undefined_baseline:count query/queries} of the baseline and on {undefined_candidate:count}"
    " of the candidate; {undefined_changed:count changed/changed} sides, so the averages rest on"
    " different queries.",
    "coverage.text.grades": "{above:count grade is/grades are} above the highest of the scale"
    " `{scale}`: {grade_highest:g} where it ends at {scale_highest:g}.",
    "coverage.text.query": "`{query_run}`: {query_reason}.",
    "coverage.text.document": "`{document_run}`: {document_reason}.",
    "coverage.step.missing": "Find out why the queries are missing (a time-out, a filter, another"
    " version of the query set) before you compare.",
    "coverage.step.undefined": "Compare on the queries that have a value in both runs, or count"
    " those without as 0 (--set undefined=zero).",
    "coverage.step.grades": "Name the scale that the judgments were made on (--scale).",
    "coverage.step.query": "Write query ids alike in both files.",
    "coverage.step.document": "Write document ids alike in both files.",
    # -- around them ---------------------------------------------------------------------------
    "label.none": "Nothing was found ({rules:count rule/rules} applied).",
    "label.against": "{candidate} against {baseline}",
    "label.data": "about the data",
    "label.next": "Next step: ",
    "label.examples": "For example: ",
    "label.high": "high",
    "label.medium": "medium",
    "label.low": "low",
}
