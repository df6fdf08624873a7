"""Off-policy evaluation from the log of another ranker: estimators, overlap, refusals."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
