"""Files and frames to data, and back. Importing this imports no NumPy, Polars or narwhals."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
