"""relyon on Apache Spark: the same digits as on one machine."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
