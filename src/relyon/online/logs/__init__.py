"""What is wrong with a search log, what that does to the numbers, and how to repair it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
