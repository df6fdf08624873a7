"""People grade search results: agreement between them, and combined grades.

>>> from tempfile import TemporaryDirectory
>>> from relyon.judging import Item, open_store
>>> folder = TemporaryDirectory()
>>> with open_store(f"{folder.name}/judging.db", create=True) as store:
...     june = store.projects.create("June", scale="search")
...     store.items.add(june.id, [Item("red shoes", "d1")])
1
>>> folder.cleanup()
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
