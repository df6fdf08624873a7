"""What a change of the search must not break."""

from search import search


def test_recall(relevance):
    relevance.search(search, k=20).at_least("recall@20", 0.25)


def test_no_worse_than_the_baseline(relevance):
    relevance.search(search, k=20).not_worse("ndcg@10", by=0.02)
