"""The scripts of `integrations/gate`, which are in no package."""

from __future__ import annotations

import sys
from importlib import util
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parents[2] / "integrations" / "gate"


def script(name: str) -> ModuleType:
    """Imports one of them."""
    spec = util.spec_from_file_location(f"relyon_gate_{name}", FOLDER / f"{name}.py")
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
