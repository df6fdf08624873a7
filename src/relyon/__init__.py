"""relyon measures, explains and improves search relevance.

One definition of every measure, every rule explicit, everywhere the same:

    >>> import relyon
    >>> judgments = {"q1": {"d1": 3, "d2": 2, "d3": 0}}
    >>> run = {"q1": {"d2": 1.5, "d1": 1.2, "d3": 0.3}}
    >>> results = relyon.evaluate(judgments, run, ["ndcg@10", "rr@10"])
    >>> round(results["ndcg@10"], 4), results["rr@10"]
    (0.9134, 1.0)
"""


def __getattr__(name: str) -> object:
    """Imports a public name when it is first used; the stub lists them and is read then.

    The command line uses none of them, and starts sooner without.
    """
    if name.startswith("_") and not name.startswith("__"):
        raise AttributeError(f"module 'relyon' has no attribute {name!r}")
    _read_stub()
    found: object = globals()[name] if name == "__all__" else globals()["__getattr__"](name)
    return found


def __dir__() -> list[str]:
    _read_stub()
    names: list[str] = globals()["__dir__"]()
    return names


def _read_stub() -> None:
    """Puts lazy-loader's functions and the list of names in the place of those above."""
    import lazy_loader

    found = lazy_loader.attach_stub(__name__, __file__)
    globals().update(zip(("__getattr__", "__dir__", "__all__"), found, strict=True))
