"""Rankers in files: the same scores to the bit, and a clear answer to every damage."""

from __future__ import annotations

import hashlib
import io
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.unit.lists import lists

import relyon
import relyon.ltr
from relyon.ltr import TreeRanker
from relyon.ltr.rankers.files import MODEL, _checksum

DATA = lists()


@pytest.fixture(scope="module")
def ranker() -> Any:
    found = TreeRanker(trees=5, leaves=4, min_rows=5, threads=1, convention="lightgbm")
    return found.fit(DATA.X, DATA.labels, qid=DATA.qid)


@pytest.fixture
def path(ranker: Any, tmp_path: Path) -> Path:
    target = tmp_path / "shop.ranker"
    ranker.save(target)
    return target


def rewritten(path: Path, **changes: Any) -> Path:
    """Changes what a saved ranker says of itself, with the checksum that follows."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    model = json.loads(parts[MODEL]) | changes
    model["checksum"] = _checksum(model)
    parts[MODEL] = json.dumps(model).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def test_same_scores_to_the_bit(ranker: Any, path: Path) -> None:
    again = relyon.ltr.load(path)
    assert (again.predict(DATA.X) == ranker.predict(DATA.X)).all()
    assert again.get_params() == ranker.get_params()
    for name in ("measure_", "convention_", "fingerprint_", "data_", "feature_names_"):
        assert getattr(again, name) == getattr(ranker, name), name
    score = again.score(DATA.X, DATA.labels, DATA.qid)
    assert score == ranker.score(DATA.X, DATA.labels, DATA.qid)


def test_the_same_ranker_gives_the_same_bytes(ranker: Any, path: Path, tmp_path: Path) -> None:
    relyon.ltr.load(path).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_what_it_says_of_itself(path: Path) -> None:
    said = relyon.ltr.describe(path)
    assert said["kind"] == "trees"
    assert said["measure"] == "ndcg@10"
    assert said["convention"]["gain"] == "exp"
    assert said["data"]["queries"] == 30
    assert said["data"]["rows"] == 360
    assert {"relyon", "numpy", "lightgbm"} <= set(said["versions"])
    assert b"pickle" not in path.read_bytes()


def test_names_of_features_are_kept(tmp_path: Path) -> None:
    frame = pl.DataFrame(DATA.X, schema=["bm25", "age", "noise", "length"])
    made = TreeRanker(trees=2, threads=1).fit(frame, DATA.labels, qid=DATA.qid)
    made.save(tmp_path / "named")
    again = relyon.ltr.load(tmp_path / "named")
    assert again.feature_names_ == ("bm25", "age", "noise", "length")
    assert (again.predict(frame) == made.predict(frame)).all()
    with pytest.raises(relyon.InputError, match="feature names should match"):
        again.predict(frame.rename({"age": "year"}))


def test_every_cut_is_noticed(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    for size in [0, 1, 10, *range(100, len(data), max(len(data) // 40, 1)), len(data) - 1]:
        cut = tmp_path / "cut"
        cut.write_bytes(data[:size])
        with pytest.raises(relyon.InputError, match=r"cut: the file is not a saved ranker"):
            relyon.ltr.load(cut)


def test_changed_bytes_are_noticed_or_change_nothing(
    ranker: Any, path: Path, tmp_path: Path
) -> None:
    data, places = path.read_bytes(), random.Random(7)
    expected, noticed = ranker.predict(DATA.X), 0
    for _ in range(200):
        changed = bytearray(data)
        changed[places.randrange(len(data))] ^= 1 << places.randrange(8)
        target = tmp_path / "changed"
        target.write_bytes(changed)
        try:
            again = relyon.ltr.load(target)
        except relyon.InputError as error:
            assert str(target) in error.message  # noqa: PT017
            noticed += 1
        else:  # the time or the rights of a part, which nobody reads
            assert (again.predict(DATA.X) == expected).all()
    assert noticed > 180


def test_other_versions(path: Path) -> None:
    with pytest.raises(relyon.InputError, match="format 2, created by relyon 0") as caught:
        relyon.ltr.load(rewritten(path, version=2))
    assert "or a newer one" in caught.value.hint
    with pytest.raises(relyon.InputError, match="counts in another way"):
        relyon.ltr.load(rewritten(path, version=1, fingerprint="0" * 16))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"parameters": {"leafs": 4}}, "parameters that this relyon does not know"),
        ({"kind": "svm"}, "parameters that this relyon does not know"),
        ({"parts": {}}, "other parts than declared"),
        ({"parameters": {"engine": 3}}, "parameters that this relyon does not know"),
        ({"features": 3}, "checksum differs"),
        ({"convention": {"ties": "never"}}, "parameters that this relyon does not know"),
    ],
)
def test_wrong_claims(path: Path, changes: dict[str, Any], expected: str) -> None:
    with pytest.raises(relyon.InputError, match=expected) as caught:
        relyon.ltr.load(rewritten(path, **changes))
    assert str(path) in caught.value.message


@pytest.mark.long
def test_bombs_and_paths(path: Path, tmp_path: Path) -> None:
    huge = {"bytes": 1 << 40, "sha256": "0" * 64}
    with pytest.raises(relyon.InputError, match=r"contains a part of 1,099,511,627,776 bytes"):
        relyon.ltr.load(rewritten(path, parts={"lightgbm.txt": huge}))
    data = b"0" * (40 << 20)  # 40 MiB of the same byte pack to 40 KiB
    said = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../escape", data)
    with pytest.raises(relyon.InputError, match="other parts than declared"):
        relyon.ltr.load(path)
    with pytest.raises(relyon.InputError, match="lacks parts"):
        relyon.ltr.load(rewritten(path, parts=relyon_parts(path) | {"../../escape": said}))
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MODEL, b" " * (17 << 20))
    (tmp_path / "bomb").write_bytes(bomb.getvalue())
    with pytest.raises(relyon.InputError, match="is not a saved ranker"):
        relyon.ltr.load(tmp_path / "bomb")


def relyon_parts(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        found: dict[str, Any] = json.loads(archive.read(MODEL))["parts"]
    return found


def test_trees_that_the_engine_cannot_read(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        model = json.loads(archive.read(MODEL))
    data = b"tree\nversion=v4\n"
    model["parts"] = {
        "lightgbm.txt": {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    }
    model["checksum"] = _checksum(model)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(MODEL, json.dumps(model))
        archive.writestr("lightgbm.txt", data)
    with pytest.raises(relyon.InputError, match="LightGBM cannot read its trees"):
        relyon.ltr.load(path)


def test_a_missing_engine_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "lightgbm", None)
    assert relyon.ltr.describe(path)["kind"] == "trees"
    with pytest.raises(relyon.DependencyError, match="needs the package lightgbm") as caught:
        relyon.ltr.load(path)
    assert "relyon[ltr]" in caught.value.hint


def test_files_that_are_none(tmp_path: Path) -> None:
    for name, data in (("text", b"1 qid:1 1:2\n"), ("zip", b"PK\x03\x04nothing")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(relyon.InputError, match="is not a saved ranker"):
            relyon.ltr.load(tmp_path / name)
    with pytest.raises(relyon.InputError, match="cannot be read: No such file"):
        relyon.ltr.load(tmp_path / "absent")


def test_what_cannot_be_saved(ranker: Any, tmp_path: Path) -> None:
    made = TreeRanker(trees=1, threads=1, options={"max_bin": np.int64(63)})
    made.fit(DATA.X, DATA.labels, qid=DATA.qid).save(tmp_path / "fine")
    made.set_params(options={"callback": print})
    with pytest.raises(relyon.ParameterError, match="`options` cannot be saved") as caught:
        made.save(tmp_path / "wrong")
    assert "numbers, text" in caught.value.hint
    assert not (tmp_path / "wrong").exists()
    with pytest.raises(relyon.InputError, match="cannot be written"):
        ranker.save(tmp_path / "absent" / "shop.ranker")
