"""Reading of saved rankers."""

from __future__ import annotations

import dataclasses
from os import PathLike

from relyon.core.errors import DependencyError, InputError, RelyonError
from relyon.core.parameters import check_path
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.ltr.rankers.files import Description, RankerFile, convention_fields
from relyon.ltr.rankers.linear import LinearRanker
from relyon.ltr.rankers.neural import NeuralRanker
from relyon.ltr.rankers.ranker import Ranker
from relyon.ltr.rankers.target_measure import fingerprint
from relyon.ltr.rankers.trees import TreeRanker

__all__ = ["describe", "load"]

#: Every kind of ranker by its name in files.
KINDS: dict[str, type[Ranker]] = {
    kind.kind: kind for kind in (TreeRanker, LinearRanker, NeuralRanker)
}


def load(path: str | PathLike[str]) -> Ranker:
    """Reads a ranker that `save` wrote.

    The file contains numbers and text only, and no code. Its checksums find accidental changes, not
    those of somebody who writes new checksums.

    Returns:
        A fitted `TreeRanker`, `LinearRanker` or `NeuralRanker`, whose scores are those of the saved
        one, to the bit.

    Raises:
        InputError: If it is not such a file, is truncated or modified, or was written by a newer
            relyon.
        DependencyError: If the library that trained it is not installed.

    Examples:
        >>> import os, tempfile, numpy as np, relyon.ltr
        >>> X, qid = np.arange(40.0)[:, None] % 7, np.arange(40) // 8
        >>> labels = X[:, 0] // 3
        >>> ranker = relyon.ltr.TreeRanker(trees=2, min_rows=2, threads=1).fit(X, labels, qid=qid)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "shop.ranker")
        ...     ranker.save(path)
        ...     again = relyon.ltr.load(path)
        >>> bool((again.predict(X) == ranker.predict(X)).all())
        True
    """
    file = RankerFile(check_path("path", path))
    try:
        kind = KINDS[file.model["kind"]]
        ranker = kind(**file.model["parameters"])
        names = kind._files(file.model["parameters"])
        ranker.measure_ = file.model["measure"]
        said = file.model["convention"]
        rules = load_convention(convention_fields(said))
        ranker.convention_ = dataclasses.replace(rules, name=str(said.get("name")))
        known = fingerprint(ranker.measure_, ranker.convention_)
    except DependencyError:
        raise
    except (TypeError, KeyError, RelyonError):
        raise file.error(message("ltr.has-parameters-that-this")) from None
    if sorted(names) != sorted(file.model["parts"]):
        raise file.error(message("ltr.lacks-parts-of-ranker"))
    parts = file.parts()
    learnt = file.model["learnt"]
    ranker.fingerprint_ = file.model["fingerprint"]
    ranker.data_ = file.model["data"]
    ranker.feature_names_ = tuple(file.model["features"])
    ranker.n_features_in_ = len(ranker.feature_names_)
    if learnt.get("named"):
        import numpy as np

        ranker.feature_names_in_ = np.asarray(ranker.feature_names_, dtype=object)
    if known != ranker.fingerprint_:
        raise file.error(
            message("ltr.was-trained-for-measure"),
            message(
                "ltr.was-created-by-relyon",
                maker=file.model["versions"].get("relyon") or "?",
            ),
        )
    try:
        ranker._restore(parts)
    except InputError as error:
        raise InputError(error.message, path=file.path, hint=error.hint) from None
    return ranker


def describe(path: str | PathLike[str]) -> Description:
    """Returns the description of a saved ranker, without importing the library that trained it.

    Its kind, parameters, measure, convention, fingerprint, data, features and versions.

    Raises:
        InputError: As `load`.
    """
    file = RankerFile(check_path("path", path))
    model = file.model
    return {
        "format": model["format"],
        "version": model["version"],
        "kind": model["kind"],
        "parameters": model["parameters"],
        "measure": model["measure"],
        "convention": model["convention"],
        "fingerprint": model["fingerprint"],
        "data": model["data"],
        "features": model["features"],
        "versions": model["versions"],
        "parts": model["parts"],
    }
