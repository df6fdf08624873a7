"""Experiments with users: interleaved lists, and whether an A/B test can be read."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
