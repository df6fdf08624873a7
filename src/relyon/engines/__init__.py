"""Live search engines: queries are sent, answers recorded on tapes, and runs made of them.

>>> import relyon
>>> def answer(query: str, k: int) -> list[tuple[str, float]]:
...     return [("d1", 2.5), ("d2", 1.0)][:k]
>>> found = relyon.search(answer, {"q1": "red shoes"}, k=10)
>>> found.run.to_dict()
{'q1': {'d1': 2.5, 'd2': 1.0}}
"""

import lazy_loader

from relyon.core.packages import optional_package
from relyon.core.texts import message

for _name in ("filelock", "msgspec"):  # those of single kinds are asked for by these
    optional_package(_name, purpose=message("engines.searching"), install="relyon[search]")

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
