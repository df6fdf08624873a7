"""Writes `data/pyclick.json`: what PyClick finds in a small log.

    PYTHONPATH=PYCLICK_CHECKOUT python tests/golden/make_pyclick.py

PyClick is https://github.com/markovi/PyClick (GPL; it is run and not copied). Its DBN and CCM are
left out: they take the probability of examining a result without regard to the clicks above it, and
the parameters of the top of the list for its tail. Lists have one length: in others its UBM mixes
"no click above" with a click at the last place.
"""

from __future__ import annotations

import json
import random
from importlib import import_module
from pathlib import Path
from typing import Any

ROUNDS = 20
MODELS = {
    "cascade": ("CM", "CM", "attr"),
    "dcm": ("DCM", "DCM", "attr"),
    "dctr": ("CTR", "DCTR", "ctr"),
    "pbm": ("PBM", "PBM", "attr"),
    "sdbn": ("SDBN", "SDBN", "attr"),
    "ubm": ("UBM", "UBM", "attr"),
}


def sessions() -> list[dict[str, Any]]:
    """A small log of three queries."""
    generator = random.Random(7)
    made = []
    for _ in range(80):
        documents = generator.sample("abcdefgh", 6)
        clicks = [generator.random() < 0.7 / position for position in range(1, 7)]
        made.append(
            {"query": generator.choice(["tv", "手机", "sofa"]), "documents": documents}
            | {"clicks": list(map(int, clicks))}
        )
    return made


def main() -> None:
    """Runs PyClick and writes what it finds."""
    from pyclick.click_models.Inference import EMInference
    from pyclick.search_session.SearchResult import SearchResult
    from pyclick.search_session.SearchSession import SearchSession

    log = sessions()
    read = []
    for one in log:
        session = SearchSession(one["query"])
        for document, click in zip(one["documents"], one["clicks"], strict=True):
            session.web_results.append(SearchResult(document, click))
        read.append(session)
    found: dict[str, Any] = {}
    for name, (module, cls, parameter) in MODELS.items():
        model = getattr(import_module(f"pyclick.click_models.{module}"), cls)()
        if isinstance(model._inference, EMInference):
            model._inference = EMInference(ROUNDS)
        model.train(read)
        values = model.params[model.param_names[parameter]]
        found[name] = {
            query: {
                document: values.get(query, document).value()
                for document in sorted({d for one in log for d in one["documents"]})
            }
            for query in sorted({one["query"] for one in log})
        }
    path = Path(__file__).with_name("data") / "pyclick.json"
    path.write_text(
        json.dumps({"rounds": ROUNDS, "sessions": log, "found": found}, ensure_ascii=False) + "\n"
    )


if __name__ == "__main__":
    main()
