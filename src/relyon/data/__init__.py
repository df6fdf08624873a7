"""Data of measures: judgments, runs, sessions, their columns, grades and the rules of counting."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
