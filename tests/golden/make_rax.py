"""Writes `data/rax.json`: losses and gradients of a few lists by Rax.

    JAX_ENABLE_X64=1 PYTHONPATH=RAX_CHECKOUT python tests/golden/make_rax.py

Rax is https://github.com/google/rax (Apache 2.0; it is run and not copied) and needs JAX. The lists
are those of `data/allrank.json`.
"""

from __future__ import annotations

import json
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> None:
    """Runs Rax and writes what it finds."""
    rax: Any = import_module("rax")
    jax: Any = import_module("jax")
    numbers: Any = import_module("jax.numpy")
    losses = {
        "ranknet": partial(rax.pairwise_logistic_loss, reduce_fn=numbers.sum),
        "squared_error": partial(rax.pointwise_mse_loss, reduce_fn=numbers.sum),
        "softmax": rax.softmax_loss,
        "listmle": rax.listmle_loss,
        "approx_ndcg": rax.approx_t12n(rax.ndcg_metric),
        "approx_ndcg(temperature=0.1)": rax.approx_t12n(rax.ndcg_metric, temperature=0.1),
    }
    data = Path(__file__).with_name("data")
    found = []
    for one in json.loads((data / "allrank.json").read_text("utf-8"))["lists"]:
        scores, labels = numbers.array(one["scores"]), numbers.array(one["labels"])
        results = {}
        for name, loss in losses.items():
            value, gradient = jax.value_and_grad(loss)(scores, labels)
            results[name] = {"value": float(value), "gradient": gradient.tolist()}
        found.append({"labels": one["labels"], "scores": one["scores"], "losses": results})
    (data / "rax.json").write_text(json.dumps({"lists": found}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
