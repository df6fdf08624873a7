"""`relyon diagnose`: findings on the command line."""

from __future__ import annotations

import json

from tests.unit.conftest import Command

import relyon
from relyon.analysis.diagnosis import Findings
from relyon.core.document.terminal import width

FILES = ("judgments.qrels", "bm25.run", "tfidf.run")


def findings() -> Findings:
    comparison = relyon.compare(*FILES, "ndcg@10", names=["bm25.run", "tfidf.run"])
    return relyon.diagnose(comparison)


def test_findings_with_numbers_and_next_steps(command: Command) -> None:
    outcome = command("diagnose", *FILES)
    found = findings()
    assert outcome.code == 0
    assert outcome.out == found.to_text() + "\n"
    assert len(found) > 1
    assert max(map(width, outcome.out.splitlines())) <= 80
    assert "1. " in outcome.out
    assert "tfidf.run against bm25.run" in outcome.out
    assert "Next step: " in outcome.out


def test_in_chinese(command: Command) -> None:
    outcome = command("diagnose", *FILES, "--lang", "zh")
    assert outcome.out == findings().to_text("zh") + "\n"
    assert "下一步：" in outcome.out
    lines = outcome.out.splitlines()
    assert max(map(width, lines)) <= 82  # a full stop may hang over
    assert not [line for line in lines if line.strip().startswith(("，", "。", "）"))]
    text = "".join(line.strip() for line in lines)
    for finding in findings():
        assert finding.text("zh").replace(" ", "")[:40] in text.replace(" ", "")


def test_json_and_markdown(command: Command) -> None:
    outcome = command("diagnose", *FILES, "--format", "json", "--lang", "zh")
    assert json.loads(outcome.out) == json.loads(
        json.dumps([finding.to_dict("zh") for finding in findings()])
    )
    outcome = command("diagnose", *FILES, "--format", "markdown")
    assert outcome.out == findings().to_markdown() + "\n"
    assert outcome.out.count("### ") == len(findings())
    assert "**Next step:** " in outcome.out


def test_silence_is_no_error(command: Command) -> None:
    outcome = command(
        "diagnose", "judgments.qrels", "bm25.run", "tfidf.run", "--rule", "micro-macro"
    )
    assert (outcome.code, outcome.out) == (
        0,
        "Nothing was found (1 rule applied). That does not rule out problems: few queries\n"
        "  show few of them.\n",
    )


def test_rules_online_data_and_several_candidates(command: Command, files) -> None:
    online = {"buckets": {"a": 100, "b": 900}}
    (files / "online.json").write_text(json.dumps(online), "utf-8")
    lines = [f"q{n} 0 {d} {g}" for n in range(9) for d, g in (("x", 2), ("y", 1))]
    (files / "j.qrels").write_text("\n".join(lines) + "\n", "utf-8")
    for name, order in (("old.run", "yx"), ("new.run", "xy"), ("other.run", "xy")):
        rows = [
            f"q{n} Q0 {document} {rank} {9 - rank} t"
            for n in range(9) for rank, document in enumerate(order, 1)
        ]  # fmt: skip
        (files / name).write_text("\n".join(rows) + "\n", "utf-8")
    arguments = ("j.qrels", "old.run", "new.run", "other.run", "--online", "online.json")
    outcome = command("diagnose", *arguments, "--rule", "ndcg-up-online-flat", "--format", "json")
    found = json.loads(outcome.out)
    assert [finding["candidate"] for finding in found] == ["new.run", "other.run"]
    assert found[0]["evidence"]["ratio_chi2"] == 640
    outcome = command("diagnose", *arguments, "--stage", "a=old.run")
    assert outcome.code == 2
    assert "belong to one candidate" in outcome.err


def test_stages_name_who_loses(command: Command, files) -> None:
    lines = [f"q{n} 0 {d} {g}" for n in range(9) for d, g in (("x", 3), ("y", 3), ("z", 1))]
    (files / "j.qrels").write_text("\n".join(lines) + "\n", "utf-8")
    for name, documents in (("retrieval.run", "zx"), ("final.run", "z")):
        rows = [f"q{n} Q0 {d} 1 {ord(d)} t" for n in range(9) for d in documents]
        (files / name).write_text("\n".join(rows) + "\n", "utf-8")
    outcome = command(
        "diagnose", "j.qrels", "retrieval.run", "final.run", "--stage", "retrieval=retrieval.run",
        "--stage", "final=final.run", "--rule", "ndcg-high-dcg-low", "--format", "json",
    )  # fmt: skip
    (found,) = json.loads(outcome.out)
    assert [row["stage"] for row in found["chart_data"]] == ["retrieval", "final", "ranking"]


def test_what_is_refused(command: Command) -> None:
    outcome = command("diagnose", *FILES, "--rule", "tie")
    assert outcome.code == 2
    assert outcome.err.splitlines() == ["error: unknown rule: `tie`", "hint: did you mean `ties`?"]
    outcome = command("diagnose", *FILES, "--online", "nowhere.json")
    assert outcome.code == 3
    assert command("diagnose", "judgments.qrels", "bm25.run").code == 2
    assert command("diagnose", *FILES, "--stage", "x").code == 2
    assert command("diagnose", *FILES, "-o", "bm25.run").code == 2
