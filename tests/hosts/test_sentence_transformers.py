"""`RelevanceEvaluator` with real models of sentence-transformers, and what theirs return."""

from __future__ import annotations

import csv
import doctest
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.hosts.packages import host
from tests.hosts.pages import run_examples

import relyon

torch = host("torch")
st = host("sentence_transformers", package="sentence-transformers")
theirs = host("sentence_transformers.evaluation")
torch.set_num_threads(1)

from relyon.compat.sentence_transformers import RelevanceEvaluator  # noqa: E402

WORDS = ["red", "blue", "green", "shoe", "boot", "hat", "lamp", "desk", "chair", "rug", "鞋", "灯"]
QUERIES = {"q1": "red shoe", "q2": "blue hat", "q3": "green desk lamp", "q4": "rug"}


def corpus(count: int = 40, seed: int = 1) -> dict[str, str]:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 6))) for _ in range(count)]
    return {f"d{n:02}": text for n, text in enumerate(texts)}


def judgments(seed: int = 1, highest: int = 3) -> dict[str, dict[str, int]]:
    rng = np.random.default_rng(seed)
    ids = [*corpus()]
    return {
        query: {str(one): int(rng.integers(0, highest + 1)) for one in rng.choice(ids, 8, False)}
        for query in QUERIES
    }


@pytest.fixture(scope="module")
def model() -> Any:
    """A bag of words: no weights are needed."""
    words = st.sentence_transformer.modules.BoW(
        WORDS, {word: 1 + n for n, word in enumerate(WORDS)}
    )
    return st.SentenceTransformer(modules=[words], device="cpu")


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A tiny transformer with random weights, and a tokenizer of whole words."""
    tokenizers, transformers = host("tokenizers"), host("transformers")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: n for n, word in enumerate([*special, *WORDS])}
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = dict(zip(("pad", "unk", "cls", "sep", "mask"), special, strict=True))
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, **{f"{key}_token": value for key, value in names.items()}
    )
    torch.manual_seed(0)
    small = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        initializer_range=1.0,
        num_labels=1,
    )
    folder = tmp_path_factory.mktemp("cross")
    transformers.BertForSequenceClassification(small).save_pretrained(folder)
    fast.save_pretrained(folder)
    return st.CrossEncoder(str(folder), device="cpu")


def test_binary_judgments_have_their_values(model: Any) -> None:
    """Their rules: ties by ascending id, average precision divided by at most k."""
    relevant = {
        query: {one for one, grade in row.items() if grade} for query, row in judgments().items()
    }
    wanted = theirs.InformationRetrievalEvaluator(QUERIES, corpus(), relevant)(model)
    rules = {"ties": "doc-asc", "ap_denominator": "capped"}
    names = ["ndcg@10", "rr@10", "ap@100", "recall@3", "p@5", "success@1"]
    ours = RelevanceEvaluator(QUERIES, corpus(), relevant, names, convention=rules)
    found = ours(model)
    pairs = dict(
        zip(
            names,
            ["ndcg@10", "mrr@10", "map@100", "recall@3", "precision@5", "accuracy@1"],
            strict=True,
        )
    )
    assert len(found) == len(names)
    for name, key in pairs.items():
        assert found[f"cosine_{name}"] == pytest.approx(wanted[f"cosine_{key}"], abs=1e-12), name
    assert ours.primary_metric == "cosine_ndcg@10"


def test_grades_are_one_there_1349(model: Any) -> None:
    """sentence-transformers#1349: grades 3 and 1 are one grade there, and 0 is relevant, too."""
    texts = {"a": "red", "b": "red shoe", "c": "red shoe boot"}
    grades = {"q": {"a": 0, "b": 1, "c": 3}}
    wrong = theirs.InformationRetrievalEvaluator({"q": "red"}, texts, grades)(model)
    assert wrong["cosine_ndcg@10"] == 1.0
    assert wrong["cosine_recall@1"] == pytest.approx(1 / 3)
    found = RelevanceEvaluator({"q": "red"}, texts, grades, ["ndcg@10", "recall@1"])(model)
    ranked = (0 + 1 / np.log2(3) + 3 / np.log2(4)) / (3 + 1 / np.log2(3))
    assert found["cosine_ndcg@10"] == pytest.approx(ranked, abs=1e-12)
    assert found["cosine_recall@1"] == 0.0


def test_retrieval_is_that_of_the_whole_corpus_and_of_relyon(model: Any) -> None:
    queries = model.encode([*QUERIES.values()])
    scores = model.similarity(queries, model.encode([*corpus().values()])).tolist()
    run = {
        query: dict(zip(corpus(), row, strict=True))
        for query, row in zip(QUERIES, scores, strict=True)
    }
    wanted = relyon.evaluate(judgments(), run, ["ndcg@10", "ap"])
    for size in (7, 40, 50_000):
        ours = RelevanceEvaluator(
            QUERIES, corpus(), judgments(), ["ndcg@10", "ap"], corpus_chunk_size=size
        )
        found = ours(model)
        assert found["cosine_ndcg@10"] == pytest.approx(wanted["ndcg@10"], abs=1e-6)
        assert found["cosine_ap"] == pytest.approx(wanted["ap"], abs=1e-6)
        by_query = ours.results["cosine"].values_by_query("ap")
        assert by_query == pytest.approx(wanted.values_by_query("ap"), abs=1e-6)


def test_all_scores_equal_numbers_as_ids_and_ties_at_the_depth(model: Any) -> None:
    texts = dict.fromkeys(range(30), "red")
    grades = {7: {29: 1}, 8: {0: 1}}
    for size in (4, 30):
        ours = RelevanceEvaluator(
            {7: "red", 8: "red", 9: "unjudged"},
            texts,
            grades,
            ["recall@10", "rr@10"],
            depth=10,
            corpus_chunk_size=size,
            convention={"ties": "doc-asc"},
        )
        assert ours(model)["cosine_recall@10"] == 0.5
        assert ours.results["cosine"].values_by_query("rr@10") == {"7": 0.0, "8": 1.0}


def test_intervals_and_groups_4011(model: Any) -> None:
    """sentence-transformers#4011, #3464: closed there as a task of an evaluation framework."""
    groups = {"q1": "zh", "q2": "en", "q3": "en"}
    ours = RelevanceEvaluator(
        QUERIES, corpus(), judgments(), "ndcg@10", intervals=0.95, groups=groups, name="dev"
    )
    found = ours(model)
    results = ours.results["cosine"]
    by_query = results.values_by_query("ndcg@10")
    ends = relyon.measure_intervals(judgments(), _run(ours, model), "ndcg@10")["ndcg@10"].queries
    key = "dev_cosine_ndcg@10"
    assert (found[f"{key}_low"], found[f"{key}_high"]) == pytest.approx(ends)
    assert found[f"{key}[zh]"] == by_query["q1"]
    assert found[f"{key}[en]"] == pytest.approx((by_query["q2"] + by_query["q3"]) / 2)
    assert found[f"{key}[(none)]"] == by_query["q4"]
    assert ours.primary_metric == key
    assert found[key] == results["ndcg@10"]


def _run(evaluator: Any, model: Any) -> dict[str, dict[str, float]]:
    return dict(evaluator.compute_all_metrics(model)["cosine"].run)


def test_score_functions_and_the_file(model: Any, tmp_path: Path) -> None:
    functions = {"dot": st.util.dot_score, "cosine": st.util.cos_sim}
    ours = RelevanceEvaluator(
        QUERIES, corpus(), judgments(), "ndcg@10", name="dev", score_functions=functions
    )
    one = ours(model, str(tmp_path), epoch=1, steps=20)
    two = ours(model, str(tmp_path), epoch=2, steps=40)
    assert one == two
    assert set(one) == {"dev_dot_ndcg@10", "dev_cosine_ndcg@10"}
    assert ours.primary_metric == max(one, key=lambda key: one[key])
    assert one["dev_dot_ndcg@10"] != one["dev_cosine_ndcg@10"]
    with (tmp_path / "Relevance_evaluation_dev_results.csv").open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert [row["steps"] for row in rows] == ["20", "40"]
    assert float(rows[1]["dot_ndcg@10"]) == one["dev_dot_ndcg@10"]
    other = RelevanceEvaluator(
        QUERIES, corpus(), judgments(), "ap", name="dev", main_score_function="cosine"
    )
    other(model, str(tmp_path))
    assert other.primary_metric == "dev_cosine_ap"
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "Relevance_evaluation_dev_results.csv",
        "Relevance_evaluation_dev_results_2.csv",
    ]
    low = RelevanceEvaluator(QUERIES, corpus(), judgments(), "rbp_residual", write_csv=False)
    low(model, str(tmp_path / "none"))
    assert not low.greater_is_better
    assert not (tmp_path / "none").exists()


def test_candidates_of_bi_encoders_and_cross_encoders(model: Any, cross_encoder: Any) -> None:
    candidates = {query: [*row, next(iter(row))] for query, row in judgments().items()}
    ours = RelevanceEvaluator(
        QUERIES, corpus(), judgments(), ["ndcg@10", "judged@10"], candidates=candidates
    )
    found = ours(model)
    assert found["cosine_judged@10"] == 1.0
    texts = corpus()
    pairs = [(QUERIES[query], texts[one]) for query, row in judgments().items() for one in row]
    scores = iter(cross_encoder.predict(pairs).tolist())
    run = {query: {one: next(scores) for one in row} for query, row in judgments().items()}
    wanted = relyon.evaluate(judgments(), run, "ndcg@10")["ndcg@10"]
    different = {score for row in run.values() for score in row.values()}
    assert len(different) > len(pairs) / 2
    crossed = ours(cross_encoder)
    assert crossed["ndcg@10"] == pytest.approx(wanted, abs=1e-6)
    assert set(crossed) == {"ndcg@10", "judged@10"}


def test_samples_have_their_values_and_grades(model: Any) -> None:
    samples = [
        {
            "query": "red shoe",
            "positive": ["red shoe hat"],
            "negative": ["boot", "lamp rug", "red"],
        },
        {"query": "rug", "positive": "desk lamp rug", "negative": ["rug chair", "hat"]},
    ]
    wanted = theirs.RerankingEvaluator(samples)(model)
    ours = RelevanceEvaluator.from_samples(samples, ["ap", "rr@10", "ndcg@10"])
    found = ours(model)
    assert found["cosine_ap"] == pytest.approx(wanted["map"])
    assert found["cosine_rr@10"] == pytest.approx(wanted["mrr@10"])
    assert found["cosine_ndcg@10"] == pytest.approx(wanted["ndcg@10"])
    graded = [{"query": "red", "documents": ["red", "red hat", "hat"], "grades": [1, 3, 0]}]
    value = RelevanceEvaluator.from_samples(graded, "ndcg@10")(model)["cosine_ndcg@10"]
    assert value == pytest.approx((1 + 3 / np.log2(3)) / (3 + 1 / np.log2(3)))


def test_it_chooses_the_best_step_of_a_training(tmp_path: Path) -> None:
    torch.manual_seed(0)
    datasets = host("datasets")
    host("accelerate")
    tokenizers = host("tokenizers")
    words = tokenizers.Tokenizer(
        tokenizers.models.WordLevel(
            {word: n for n, word in enumerate(["?", *WORDS])}, unk_token="?"
        )
    )
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    static = st.sentence_transformer.modules.StaticEmbedding(words, embedding_dim=8)
    trained = st.SentenceTransformer(modules=[static], device="cpu")
    rows = {
        "anchor": [*QUERIES.values()],
        "positive": ["shoe red", "hat blue", "lamp green", "rug"],
    }
    ours = RelevanceEvaluator(QUERIES, corpus(), judgments(), "ndcg@10", name="dev", intervals=0.9)
    trainer = st.SentenceTransformerTrainer(
        model=trained,
        args=st.SentenceTransformerTrainingArguments(
            output_dir=str(tmp_path),
            num_train_epochs=2,
            eval_strategy="epoch",
            save_strategy="epoch",
            load_best_model_at_end=True,
            metric_for_best_model="eval_dev_cosine_ndcg@10",
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=datasets.Dataset.from_dict(rows),
        loss=st.sentence_transformer.losses.MultipleNegativesRankingLoss(trained),
        evaluator=ours,
    )
    trainer.train()
    values = [
        row["eval_dev_cosine_ndcg@10"]
        for row in trainer.state.log_history
        if "eval_dev_cosine_ndcg@10" in row
    ]
    assert len(values) == 2
    assert trainer.state.best_metric == max(values)
    assert [*tmp_path.rglob("Relevance_evaluation_dev_results.csv")]


def test_errors(model: Any) -> None:
    with pytest.raises(relyon.InputError, match="1 of 1 judged queries have no text: q9"):
        RelevanceEvaluator(QUERIES, corpus(), {"q9": {"d00": 1}})
    with pytest.raises(relyon.InputError, match="`x` is not in the corpus"):
        RelevanceEvaluator(QUERIES, corpus(), judgments(), candidates={"q1": ["x"]})
    with pytest.raises(relyon.ParameterError, match="depth of 5 is less than the cutoff"):
        RelevanceEvaluator(QUERIES, corpus(), judgments(), "ndcg@10", depth=5)
    with pytest.raises(relyon.InputError, match="sample 1 has neither"):
        RelevanceEvaluator.from_samples([{"query": "red", "documents": ["a"], "grades": []}])
    with pytest.raises(relyon.UnknownNameError):
        RelevanceEvaluator(QUERIES, corpus(), judgments(), "ngdc")
    with pytest.raises(relyon.InputError, match="there are no judgments"):
        RelevanceEvaluator(QUERIES, corpus(), {})
    with pytest.raises(relyon.InputError, match="corpus is empty"):
        RelevanceEvaluator(QUERIES, {}, judgments())
    with pytest.raises(relyon.ParameterError, match="`intervals` must be between 0 and 1"):
        RelevanceEvaluator(QUERIES, corpus(), judgments(), intervals=95)
    lost = {"lost": lambda one, two: torch.full((len(one), len(two)), torch.nan)}
    with pytest.raises(relyon.InputError, match="not a finite number"):
        RelevanceEvaluator(QUERIES, corpus(), judgments(), score_functions=lost)(model)


@pytest.mark.parametrize("part", ["checks", "groups", "reranking"])
def test_examples_of_docstrings(part: str) -> None:
    module = import_module(f"relyon.compat.sentence_transformers.{part}")
    assert doctest.testmod(module).failed == 0


def test_page(model: Any, tmp_path: Path) -> None:
    names = {"model": model, "queries": QUERIES, "corpus": corpus(), "judgments": judgments()}
    run_examples("model-hosts.md", "sentence-transformers", names, folder=tmp_path)
