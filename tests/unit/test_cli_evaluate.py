"""`relyon evaluate`: every form of output, every option, every refusal."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from pathlib import Path

import pytest
from tests.unit.conftest import Command

import relyon
from relyon.core.document.terminal import width

FILES = ("judgments.qrels", "bm25.run")


def rows(text: str) -> dict[str, list[str]]:
    """Returns the rows of a table by their first cell."""
    return {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.strip()}


def test_table_shows_values_and_counts(command: Command) -> None:
    outcome = command("evaluate", *FILES, "-m", "rr@10", "-m", "p@1")
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        "measure   value  queries  undefined  missing",
        "───────  ──────  ───────  ─────────  ───────",
        "rr@10    0.6667        3          0        1",
        "p@1      0.6667        3          0        1",
        "",
        "convention relyon: ties=doc-desc, undefined=skip, missing=zero",
    ]
    told = (
        "warning: 1 query is in the judgments but not in the run (q3) — lesson: relyon learn 13\n"
    )
    assert outcome.err == told


def test_the_default_measures_fit_80_columns(command: Command) -> None:
    outcome = command("evaluate", *FILES, "-q")
    assert outcome.code == 0
    assert max(map(width, outcome.out.splitlines())) <= 80
    assert {"ndcg@10", "ndcg", "ap", "recall@100", "rr@10", "judged@10"} <= set(rows(outcome.out))


def test_several_runs_stand_side_by_side(command: Command) -> None:
    outcome = command("evaluate", *FILES, "tfidf.run", "-m", "rr@10")
    assert outcome.out.splitlines()[0].split() == ["measure", "bm25.run", "tfidf.run"]
    assert rows(outcome.out)["rr@10"] == ["0.6667", "0.8333"]
    assert outcome.err.startswith("warning: bm25.run: 1 query is in the judgments")


def test_runs_of_the_same_name_are_told_apart(command: Command, files: Path) -> None:
    (files / "other").mkdir()
    (files / "other" / "bm25.run").write_text((files / "tfidf.run").read_text())
    outcome = command("evaluate", *FILES, "other/bm25.run", "-m", "rr")
    assert outcome.out.splitlines()[0].split() == ["measure", "bm25.run", "other/bm25.run"]


def test_lists_of_measures(command: Command) -> None:
    listed = command("evaluate", *FILES, "-m", "ndcg(gain=exp,ideal=judged)@10,ap", "-m", "P.1,2")
    assert set(rows(listed.out)) > {"ndcg(gain=exp,ideal=judged)@10", "ap", "p@1", "p@2"}


def test_per_query_values(command: Command) -> None:
    outcome = command("evaluate", *FILES, "-q", "-m", "ndcg@10")
    found = rows(outcome.out)
    assert found["q2"] == [f"{2 / (2 + 1 / math.log2(3)):.4f}"]
    assert found["q3"] == ["0.0000"]


def test_json_is_what_the_library_returns(command: Command) -> None:
    outcome = command("evaluate", *FILES, "-m", "ndcg@10", "-q", "--format", "json")
    expected = relyon.evaluate(*FILES, ["ndcg@10"])
    assert json.loads(outcome.out) == expected.to_dict(per_query=True)
    assert json.loads(outcome.out)["measures"]["ndcg@10"]["value"] == expected["ndcg@10"]


def test_jsonl_has_one_object_a_line(command: Command) -> None:
    outcome = command("evaluate", *FILES, "tfidf.run", "-m", "rr", "-q", "--format", "jsonl")
    found = [json.loads(line) for line in outcome.out.splitlines()]
    assert [entry.get("query") for entry in found] == [
        "q1",
        "q2",
        "q3",
        None,
        "q1",
        "q2",
        "q3",
        None,
    ]
    assert found[-1]["run"] == "tfidf.run"


def test_csv_has_values_in_full(command: Command) -> None:
    outcome = command("evaluate", *FILES, "-m", "ndcg@10", "--format", "csv")
    found = list(csv.DictReader(io.StringIO(outcome.out)))
    assert float(found[0]["value"]) == relyon.evaluate(*FILES, ["ndcg@10"])["ndcg@10"]
    assert outcome.err.startswith("convention relyon: ")


def test_csv_by_query(command: Command) -> None:
    outcome = command("evaluate", *FILES, "-m", "rr", "-q", "--format", "csv")
    found = [tuple(row.values()) for row in csv.DictReader(io.StringIO(outcome.out))]
    assert found == [
        ("bm25.run", "q1", "rr", "1.0"),
        ("bm25.run", "q2", "rr", "1.0"),
        ("bm25.run", "q3", "rr", "0.0"),
    ]


def test_markdown(command: Command) -> None:
    outcome = command("evaluate", *FILES, "-m", "rr@10", "--format", "markdown")
    assert outcome.out.splitlines()[:3] == [
        "| measure | value | queries | undefined | missing |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| rr@10 | 0.6667 | 3 | 0 | 1 |",
    ]


def test_trec_prints_what_trec_eval_prints(command: Command) -> None:
    options = ("--convention", "trec_eval", "--format", "trec")
    outcome = command(
        "evaluate", *FILES, "-m", "map", "-m", "P_5", "-m", "num_rel_ret", "-q", *options
    )
    assert outcome.out == (
        "map                   \tq1\t1.0000\n"
        "P_5                   \tq1\t0.4000\n"
        "num_rel_ret           \tq1\t2\n"
        "map                   \tq2\t0.5000\n"
        "P_5                   \tq2\t0.2000\n"
        "num_rel_ret           \tq2\t1\n"
        "map                   \tall\t0.7500\n"
        "P_5                   \tall\t0.3000\n"
        "num_rel_ret           \tall\t3\n"
    )


def test_trec_without_measures_prints_the_official_ones(command: Command) -> None:
    outcome = command("evaluate", *FILES, "--convention", "trec_eval", "--format", "trec")
    lines = [line.split("\t") for line in outcome.out.splitlines()]
    assert lines[0] == [f"{'runid':<22}", "all", "bm25"]
    assert lines[1] == [f"{'num_q':<22}", "all", "2"]
    names = [name.strip() for name, _, _ in lines]
    assert names[2:10] == [
        "num_ret",
        "num_rel",
        "num_rel_ret",
        "map",
        "gm_map",
        "Rprec",
        "bpref",
        "recip_rank",
    ]
    assert names[10] == "iprec_at_recall_0.00"
    assert names[-1] == "P_1000"


def test_trec_agrees_with_trec_eval_on_its_own_files(command: Command, test_data: Path) -> None:
    folder = test_data / "trec_eval_test" / "v9.0.8"
    inputs = test_data / "trec_eval_test" / "v10.0-rc3"
    outcome = command(
        "evaluate",
        str(inputs / "qrels.test"),
        str(inputs / "results.test"),
        *("--convention", "trec_eval", "--format", "trec"),
    )
    assert outcome.out == (folder / "out.test").read_text()


def test_digits(command: Command) -> None:
    outcome = command("evaluate", *FILES, "-m", "rr", "--digits", "10")
    assert rows(outcome.out)["rr"][0] == "0.6666666667"
    outcome = command("evaluate", *FILES, "-m", "rr", "--digits", "2", "--format", "trec")
    assert outcome.out == f"{'recip_rank':<22}\tall\t0.67\n"


def test_average(command: Command) -> None:
    macro = command("evaluate", *FILES, "-m", "recall@10", "--average", "macro")
    micro = command("evaluate", *FILES, "-m", "recall@10", "--average", "micro")
    assert rows(macro.out)["recall@10"][0] == "0.5000"
    assert rows(micro.out)["recall@10"][:2] == ["(micro)", "0.6000"]


def test_convention_preset_file_and_changes(command: Command, files: Path) -> None:
    preset = command("evaluate", *FILES, "-m", "rr", "--convention", "trec_eval")
    assert rows(preset.out)["rr"][0] == "1.0000"
    assert "missing=skip" in preset.out
    (files / "mine.toml").write_text('preset = "trec_eval"\nmissing = "zero"\n')
    changed = command("evaluate", *FILES, "-m", "rr", "--convention", "mine.toml")
    assert rows(changed.out)["rr"][0] == "0.6667"
    changed = command(
        "evaluate", *FILES, "-m", "ndcg@10", "--set", "gain=exp", "--set", "missing=skip"
    )
    assert "missing=skip, gain=exp" in changed.out


def test_scale_changes_what_is_relevant(command: Command) -> None:
    plain = command("evaluate", *FILES, "-m", "num_rel")
    search = command("evaluate", *FILES, "-m", "num_rel", "--scale", "search")
    assert rows(plain.out)["num_rel"][0] == "5"
    assert rows(search.out)["num_rel"][0] == "3"


def test_scored_table(command: Command) -> None:
    outcome = command(
        "evaluate",
        *("--scored", "scores.csv", "--query", "query", "--label", "label", "--score", "score"),
        *("-m", "auc", "-m", "pnr", "-m", "gauc"),
    )
    found = rows(outcome.out)
    assert found["pnr"] == ["(micro)", "4.3333", "2", "0", "0"]
    assert found["positive"] == ["13"]
    assert found["negative"] == ["3"]
    assert found["share"] == ["0.8125"]


def test_scored_table_with_weights(command: Command, files: Path) -> None:
    rows_written = ["query,label,score,much", "1,1,0.9,1", "1,0,0.8,1", "1,1,0.7,3", "2,0,0.1,1"]
    (files / "weighted.csv").write_text("\n".join(rows_written) + "\n")
    plain = command("evaluate", "--scored", "weighted.csv", "-m", "auc")
    assert rows(plain.out)["auc"][1] == "0.7500"
    heavy = command("evaluate", "--scored", "weighted.csv", "--weight", "much", "-m", "auc")
    assert rows(heavy.out)["auc"][1] == "0.6250"
    refused = command("evaluate", "--scored", "weighted.csv", "--weight", "much", "-m", "tau")
    assert refused.code == 2
    assert "weights are not supported by tau" in refused.err
    without = command("evaluate", *FILES, "--weight", "much")
    assert without.code == 2
    assert "--weight needs --scored FILE" in without.err


def test_scored_letor_with_scores(command: Command, files: Path) -> None:
    (files / "test.letor").write_text(
        "2 qid:1 1:0.5\n0 qid:1 1:0.1\n1 qid:2 1:0.3\n0 qid:2 1:0.9\n"
    )
    (files / "scores.txt").write_text("0.9\n0.1\n0.2\n0.8\n")
    outcome = command(
        "evaluate", "--scored", "test.letor", "--scores", "scores.txt", "-m", "gauc", "-q"
    )
    assert rows(outcome.out)["1"] == ["1.0000"]
    assert rows(outcome.out)["2"] == ["0.0000"]


def test_two_runs_without_judgments(command: Command) -> None:
    outcome = command("evaluate", "bm25.run", "tfidf.run", "-m", "overlap@2", "-q")
    assert outcome.code == 0
    assert rows(outcome.out)["q1"] == ["0.5000"]


def test_columns_and_formats(command: Command, files: Path) -> None:
    (files / "judged").write_text("a,b,c\nq1,d1,1\n")
    (files / "ranked").write_text("a,b,s\nq1,d2,2.0\nq1,d1,1.0\n")
    outcome = command(
        *("evaluate", "judged", "ranked", "-m", "rr"),
        *("--columns", "query=a,document=b", "--columns", "grade=c,score=s"),
        *("--judgments-format", "csv", "--run-format", "csv"),
    )
    assert outcome.code == 0
    assert rows(outcome.out)["rr"][0] == "0.5000"


def test_compressed_files(command: Command, files: Path) -> None:
    for name in FILES:
        (files / f"{name}.gz").write_bytes(gzip.compress((files / name).read_bytes()))
    plain = command("evaluate", *FILES)
    packed = command("evaluate", *(f"{name}.gz" for name in FILES))
    assert packed.out == plain.out


def test_output_file_is_written_and_named_formats_are_kept(command: Command, files: Path) -> None:
    shown = command("evaluate", *FILES, "-m", "rr", "--format", "json")
    outcome = command("evaluate", *FILES, "-m", "rr", "-o", "results.json")
    assert (outcome.code, outcome.out) == (0, "")
    assert (files / "results.json").read_text("utf-8") == shown.out
    assert [path.name for path in files.glob("*.partial")] == []


def test_output_keeps_the_mode_and_the_old_file_on_errors(command: Command, files: Path) -> None:
    target = files / "results.csv"
    target.write_text("old")
    target.chmod(0o600)
    assert command("evaluate", "judgments.qrels", "absent.run", "-o", "results.csv").code == 3
    assert target.read_text() == "old"
    assert command("evaluate", *FILES, "-o", "results.csv").code == 0
    assert target.read_text().startswith("run,measure,value")
    assert target.stat().st_mode & 0o777 == 0o600


def test_output_never_replaces_an_input(command: Command, files: Path) -> None:
    before = (files / "bm25.run").read_text()
    outcome = command("evaluate", *FILES, "-o", "./bm25.run")
    assert outcome.code == 2
    assert "is one of the inputs" in outcome.err
    assert (files / "bm25.run").read_text() == before


def test_output_to_a_place_that_is_not_there(command: Command) -> None:
    outcome = command("evaluate", *FILES, "-o", "absent/results.csv")
    assert outcome.code == 3
    assert outcome.err.endswith(
        "error: absent/results.csv: cannot be written: No such file or directory\n"
    )


def test_strict_turns_warnings_into_an_error(command: Command) -> None:
    outcome = command("evaluate", *FILES, "--strict")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("error: bm25.run: 1 query is in the judgments but not in the run")
    assert command("evaluate", "judgments.qrels", "tfidf.run", "--strict").code == 0


def test_a_comma_at_the_end_names_nothing(command: Command) -> None:
    assert command("evaluate", *FILES, "-m", "ndcg@10,") == command(
        "evaluate", *FILES, "-m", "ndcg@10"
    )


WHOLE = "a whole number of 1 or more, below 2^63"
SCALES = "choose one of `binary`, `floats`, `integers`, `search`; `search` has 高/中/低/无"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "error: JUDGMENTS and RUN are missing\nhint: relyon evaluate"),
        (("judgments.qrels",), 2, "error: RUN is missing"),
        (("-", "-"), 2, "error: stdin can be read only once"),
        ((*FILES, "-m", "ndgc"), 2, "error: unknown measure: `ndgc`\nhint: did you mean `ndcg`?"),
        ((*FILES, "-m", "foo"), 2, "error: unknown measure: `foo`\nhint: `relyon measures` lists"),
        (
            (*FILES, "-m", f"ndcg@{10**20}"),
            2,
            f"error: the parameter `k` of `ndcg` must be {WHOLE}",
        ),
        ((*FILES, "-m", ","), 2, "error: not a measure name: ``"),
        ((*FILES, "--scale", "chinese"), 2, f"error: unknown scale: `chinese`\nhint: {SCALES}"),
        ((*FILES, "--scale", "foo"), 2, f"error: unknown scale: `foo`\nhint: {SCALES}"),
        ((*FILES, "-m", "ndcg@0"), 2, "error: the cutoff of `ndcg@0` must be a whole number"),
        ((*FILES, "--convention", "trec"), 2, "error: unknown convention preset: `trec`"),
        ((*FILES, "--set", "ties"), 2, "error: `--set ties` is not NAME=VALUE"),
        ((*FILES, "--set", "tie=worst"), 2, "error: a convention has no field `tie`"),
        ((*FILES, "--set", "ties=odd"), 2, "error: the field `ties` of a convention must be one"),
        ((*FILES, "--scale", "stars"), 2, "error: unknown scale: `stars`"),
        ((*FILES, "--format", "xml"), 2, "error: invalid value for '--format'"),
        ((*FILES, "--digits", "40"), 2, "error: invalid value for '--digits'"),
        (
            (*FILES, "--columns", "documen=x"),
            2,
            "error: --columns does not accept `documen`\nhint: did",
        ),
        ((*FILES, "--run-format", "trek"), 2, "error: unknown format: `trek`\nhint: did you mean"),
        ((*FILES, "--query", "q"), 2, "error: --query needs --scored FILE"),
        ((*FILES, "--scored", "scores.csv"), 2, "error: --scored replaces JUDGMENTS"),
        # Judgments in place of a run: whatever is said, no traceback.
        ((*FILES, "-m", "rbo"), 3, "error: judgments.qrels"),
        (("judgments.qrels", "absent.run"), 3, "error: absent.run: there is no such file"),
        (("judgments.qrels", "."), 3, "error: .: is a folder, not a file"),
        (("--scored", "scores.csv", "--label", "nolabel"), 3, "error: scores.csv"),
    ],
)
def test_refusals(command: Command, arguments: tuple[str, ...], code: int, message: str) -> None:
    outcome = command("evaluate", *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith(message), outcome.err


def test_bad_lines_are_named(command: Command, files: Path) -> None:
    (files / "bad.run").write_text("q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 many x\n")
    outcome = command("evaluate", "judgments.qrels", "bad.run")
    assert outcome.code == 3
    assert outcome.err.startswith("error: bad.run:2: ")


def test_scored_table_with_a_column_map(command: Command, files: Path) -> None:
    (files / "odd.csv").write_text("who,what,value\n1,2,0.9\n1,0,0.1\n2,0,0.8\n2,1,0.2\n")
    scored = ("evaluate", "--scored", "odd.csv", "-m", "gauc", "-q")
    found = command(*scored, "--columns", "query=who,label=what", "--columns", "score=value")
    assert found.code == 0, found.err
    assert (rows(found.out)["1"], rows(found.out)["2"]) == (["1.0000"], ["0.0000"])
    for others in (
        ("--columns", "query=who,grade=what", "--score", "value"),
        ("--columns", "query=who", "--query", "who", "--label", "what", "--score", "value"),
    ):
        assert command(*scored, *others).out == found.out
    outcome = command(*scored, "--columns", "query=who,label=what", "--query", "what")
    assert outcome.code == 2
    assert "two columns are given for the query: `what` and `who`" in outcome.err
    assert "leave out --query or query in --columns" in outcome.err
    assert "does not accept `rank`" in command(*scored, "--columns", "rank=who").err


def test_compare_scored_with_a_column_map(command: Command, files: Path) -> None:
    rows = [f"q{n % 5},{n % 3},{n * 7 % 11},{n * 5 % 13}" for n in range(40)]
    (files / "odd.csv").write_text("\n".join(["who,what,old,new", *rows]) + "\n")
    scored = ("compare", "--scored", "odd.csv", "-m", "ndcg@5")
    given = (*scored, "--score", "old", "--score", "new")
    found = command(*given, "--columns", "query=who,label=what")
    assert found.code == 0, found.err
    assert found.out == command(*given, "--query", "who", "--label", "what").out
    outcome = command(*scored, "--columns", "query=who,label=what,score=old")
    assert outcome.code == 2
    assert "--score old --score OTHER" in outcome.err


def test_tables_without_a_header_line(command: Command, files: Path) -> None:
    (files / "bare.csv").write_text("q1,d1,3\nq1,d2,0\nq2,d3,1\n")
    (files / "bare-run.csv").write_text("q1,d1,3.5\nq1,d2,0.25\nq2,d3,1.5\n")
    bare = ("evaluate", "bare.csv", "bare-run.csv", "-m", "num_rel_ret")
    for columns in ((), ("--columns", "query=q1,document=d1,grade=3,score=3.5")):
        outcome = command(*bare, *columns)
        assert outcome.code == 3
        assert "bare.csv:1: this file seems to have no header line: `q1,d1,3`" in outcome.err
        assert "--judgments-columns query=1,document=2,grade=3" in outcome.err
        assert "query=q1" not in outcome.err.partition("hint")[2]
    found = command(*bare, "--columns", "query=1,document=2,grade=3,score=3")
    # The first row is one of them.
    assert rows(found.out)["num_rel_ret"][0] == "2"
    outcome = command("evaluate", "--scored", "bare.csv")
    assert "--columns query=1,label=2,score=3" in outcome.err


@pytest.mark.parametrize("packed", [False, True])
def test_a_negative_grade_is_in_the_judgments(command: Command, files: Path, packed: bool) -> None:
    text = "q1 0 d1 3\nq1 0 d2 -2\nq1 0 d20 1\n"
    name = "below.qrels.gz" if packed else "below.qrels"
    (files / name).write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    (files / "below.csv").write_text("query,document,grade\nq1,d1,3\nq1,d2,-2\n")
    for path, line in ((name, 2), ("below.csv", 3)):
        outcome = command("evaluate", path, "bm25.run", "--set", "negative=error")
        assert outcome.code == 3
        assert f"error: {path}:{line}: query `q1`, document `d2`: negative grade -2" in outcome.err
        assert "set negative=nonrelevant" in outcome.err
