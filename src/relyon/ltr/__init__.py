"""Learning to rank: rankers that optimise the reported measure, and fusion of runs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
