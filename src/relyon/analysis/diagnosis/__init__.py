"""Rules that read a comparison and say what is wrong, with the numbers that made them fire."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
