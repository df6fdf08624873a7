"""Writes what ppi-python (PPI++, by its authors) returns for seeded data.

In an environment of its own: pip install ppi-python==0.2.3 && python tests/golden/make_ppi.py
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from ppi_py import (  # type: ignore[import-not-found, unused-ignore]
    ppi_mean_ci,
    ppi_mean_pointestimate,
)

CASES = ((1, 100, 800, 0.1), (2, 200, 2000, 0.3), (3, 500, 5000, 0.6), (4, 1000, 4000, 0.2))


def main() -> None:
    """Writes one result per case: seed, n, N, the model's error, estimate and 95% interval."""
    found = []
    for seed, labelled, total, error in CASES:
        random = np.random.default_rng(seed)
        human = random.beta(2, 2, total)
        model = human + random.normal(0.1, error, total)
        given = human[:labelled], model[:labelled], model[labelled:]
        low, high = (float(np.ravel(end)[0]) for end in ppi_mean_ci(*given, alpha=0.05))
        estimate = float(np.ravel(ppi_mean_pointestimate(*given))[0])
        found.append([seed, labelled, total, error, estimate, low, high])
    path = Path(__file__).parent / "data" / "ppi.json"
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
