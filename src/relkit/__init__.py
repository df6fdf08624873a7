"""relkit measures, explains and improves search relevance.

One definition of every measure, every rule explicit, everywhere the same:

    >>> import relkit
    >>> judgments = {"q1": {"d1": 3, "d2": 2, "d3": 0}}
    >>> run = {"q1": {"d2": 1.5, "d1": 1.2, "d3": 0.3}}
    >>> results = relkit.evaluate(judgments, run, ["ndcg@10", "rr@10"])
    >>> round(results["ndcg@10"], 4), results["rr@10"]
    (0.9134, 1.0)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
