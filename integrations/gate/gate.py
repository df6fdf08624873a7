"""Runs the gate of the action: compares, writes the summary and the report, and sets the outputs.

    python gate.py RELYON

RELYON is the command to run. The inputs of the action are variables: INPUT_JUDGMENTS and so on.
The exit code is 0 even if the gate fails, so that the comment can be written; the output
`exit-code` is that of `relyon compare`. It needs nothing but Python's standard library.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

#: Options of the command by the input that gives them: one value, or one per line.
ONE = {"queries": "--queries", "cluster": "--cluster", "scale": "--scale", "lang": "--lang"}
SEVERAL = {"by": "--by"}
COMPARED = {
    "margin": "--margin",
    "fail-if-worse": "--fail-if-worse",
    "fail-unless-not-worse": "--fail-unless-not-worse",
}
#: Verdicts, the most serious first.
VERDICTS = ("worse", "undecided", "equal", "not-worse", "better")
TEXTS = {
    "en": {
        "error": "the comparison failed",
        "exit": "`relyon compare` ended with exit code {code}:",
        "no-report": "there is no report: {reason}",
        "empty": "the input `{name}` is empty",
        "no-folder": "the input `working-directory` is no folder: {path}",
        "quotes": "the input `{name}` has a quotation mark that is not closed: {text}",
    },
    "zh": {
        "error": "比较没有完成",
        "exit": "`relyon compare` 的退出码是 {code}：",
        "no-report": "没有报告：{reason}",
        "empty": "输入 `{name}` 是空的",
        "no-folder": "输入 `working-directory` 不是文件夹：{path}",
        "quotes": "输入 `{name}` 里的引号没有配对：{text}",
    },
}


class Inputs:
    """The inputs of the action.

    Args:
        environment: The variables of the step.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def one(self, name: str) -> str:
        """Returns an input; empty if it is not given."""
        return self._environment.get(f"INPUT_{name.upper().replace('-', '_')}", "").strip()

    def lines(self, name: str) -> list[str]:
        """Returns the lines of an input that are not empty."""
        return [line.strip() for line in self.one(name).splitlines() if line.strip()]

    def asked(self, name: str) -> bool:
        """Returns whether an input is true."""
        return self.one(name).lower() in {"true", "yes", "1"}

    def words(self, name: str) -> list[str]:
        """Returns the words of an input, as a shell reads them."""
        return shlex.split(self.one(name))

    @property
    def texts(self) -> Mapping[str, str]:
        """The sentences in the language of the input `lang`."""
        return TEXTS.get(self.one("lang"), TEXTS["en"])

    @property
    def slug(self) -> str:
        """The title as part of a file's name."""
        found = re.sub(r"[^\w.-]+", "-", self.one("title"), flags=re.ASCII).strip("-.")
        unusual = found != self.one("title")
        number = (
            f"{sum(ord(sign) * 31**place for place, sign in enumerate(self.one('title'))) % 9973}"
        )
        return "-".join(filter(None, [found, number if unusual else ""]))


def arguments(inputs: Inputs) -> list[str]:
    """Returns the options and files that comparison and report share.

    Values follow their option after an equals sign, and files a double dash: none of them can be
    read as an option.
    """
    words = [f"--measure={name}" for name in inputs.lines("measures")]
    words += [f"{option}={inputs.one(name)}" for name, option in ONE.items() if inputs.one(name)]
    for name, option in SEVERAL.items():
        words += [f"{option}={line}" for line in inputs.lines(name)]
    convention, *changes = inputs.lines("convention") or [""]
    if "=" in convention:
        convention, changes = "", [convention, *changes]
    words += [f"--convention={convention}"] if convention else []
    words += [f"--set={change}" for change in changes]
    words += [f"--system={line}" for line in inputs.lines("systems")]
    words += [f"--name={line}" for line in inputs.lines("names")]
    return words


def files(inputs: Inputs) -> list[str]:
    """Returns judgments and runs, after a double dash."""
    given = [inputs.one("judgments"), inputs.one("baseline"), *inputs.lines("candidates")]
    return ["--", *filter(None, given)]


def comparison(inputs: Inputs, folder: Path) -> list[str]:
    """Returns the arguments of `relyon compare`."""
    words = ["compare", *arguments(inputs)]
    for name, option in COMPARED.items():
        words += [f"{option}={line}" for line in inputs.lines(name)]
    words += inputs.words("args")
    words += [f"--summary={folder / 'summary.md'}"]
    words += [f"--title={inputs.one('title')}"] if inputs.one("title") else []
    words += ["--format=json", f"--output={folder / 'comparison.json'}"]
    return [*words, *files(inputs)]


def report(inputs: Inputs, folder: Path) -> list[str]:
    """Returns the arguments of `relyon report`."""
    words = ["report", *arguments(inputs)]
    words += [f"--margin={line}" for line in inputs.lines("margin")]
    words += inputs.words("report-args")
    words += [f"--title={inputs.one('title')}"] if inputs.one("title") else []
    return [*words, f"--output={folder / 'report.html'}", *files(inputs)]


@dataclass(frozen=True)
class Done:
    """A command that ended: its exit code, and what it wrote."""

    code: int
    said: str


def run(command: str, words: Sequence[str], folder: str) -> Done:
    """Runs relyon, and shows what it says; none of it can be a command to GitHub."""
    print(shlex.join(["relyon", *words]), flush=True)
    done = subprocess.run(
        [command, *words],
        cwd=folder or None,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    said = done.stdout.decode("utf-8", "replace")
    quiet(said)
    return Done(done.returncode, said)


def quiet(text: str) -> None:
    """Prints a text whose lines are no commands to GitHub, even if they begin with `::`."""
    stop = secrets.token_hex(16)
    print(f"::stop-commands::{stop}\n{text}\n::{stop}::", flush=True)


def verdict(values: Mapping[str, object], inputs: Inputs) -> str:
    """Returns the most serious verdict of the measures that are checked, or of all."""
    checked = {
        name.strip()
        for key in ("fail-if-worse", "fail-unless-not-worse")
        for line in inputs.lines(key)
        for name in line.split(",")
    }
    contrasts = values.get("contrasts")
    known = (
        [one for one in contrasts if isinstance(one, dict)] if isinstance(contrasts, list) else []
    )
    found = [one for one in known if one.get("measure") in checked] or known
    verdicts = {str(one.get("verdict")) for one in found}
    return next((one for one in VERDICTS if one in verdicts), "undecided")


def failure(done: Done, inputs: Inputs) -> str:
    """Returns the summary of a comparison that failed: what the command said, as a block."""
    texts, title = inputs.texts, inputs.one("title")
    said = "".join(sign for sign in done.said.strip() if sign in "\n\t" or sign.isprintable())
    said = said[-4000:]
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", said)), default=0))
    title = re.sub(r"([\\`*_\[\]#|<>~&!$@])", lambda found: f"&#{ord(found[0])};", title)
    head = f"### ⛔ {title + ': ' if title else ''}{texts['error']}"
    return f"{head}\n\n{texts['exit'].format(code=done.code)}\n\n{fence}text\n{said}\n{fence}\n"


def outputs(values: Mapping[str, str], path: str) -> None:
    """Sets outputs of the step; no value can set another."""
    with Path(path).open("a", encoding="utf-8") as file:
        for name, value in values.items():
            end = secrets.token_hex(16)
            file.write(f"{name}<<{end}\n{value}\n{end}\n")


def wrong(inputs: Inputs, folder: str) -> Iterator[str]:
    """Yields what is wrong with the inputs, before anything runs."""
    for name in missing(inputs):
        yield inputs.texts["empty"].format(name=name)
    if folder and not Path(folder).is_dir():
        yield inputs.texts["no-folder"].format(path=folder)
    for name in ("args", "report-args"):
        try:
            inputs.words(name)
        except ValueError:
            yield inputs.texts["quotes"].format(name=name, text=inputs.one(name))


def missing(inputs: Inputs) -> Iterator[str]:
    """Yields the inputs that are needed and empty."""
    if inputs.lines("systems"):
        needed: tuple[str, ...] = ("judgments",)
    elif "--scored" in inputs.one("args") or "--values" in inputs.one("args"):
        needed = ()
    else:
        needed = ("judgments", "baseline", "candidates")
    yield from (name for name in needed if not inputs.one(name))


def main(command: str, environment: Mapping[str, str]) -> int:
    """Compares and sets the outputs; returns the exit code of this program."""
    inputs = Inputs(environment)
    folder = Path(environment["RUNNER_TEMP"]) / f"relyon-{inputs.slug or 'gate'}"
    folder.mkdir(parents=True, exist_ok=True)
    for old in ("comparison.json", "summary.md", "report.html"):
        (folder / old).unlink(missing_ok=True)
    start = environment.get("WORKING_DIRECTORY", "")
    faults = list(wrong(inputs, start))
    if faults:
        done = Done(2, "\n".join(faults))
        quiet(done.said)
    else:
        done = run(command, comparison(inputs, folder), start)
    summary, page = folder / "summary.md", folder / "report.html"
    compared = done.code in {0, 1} and summary.exists()
    if not compared:
        summary.write_text(failure(done, inputs), "utf-8")
    found = {
        "exit-code": str(done.code),
        "passed": "true" if done.code == 0 else "false",
        "summary": str(summary),
        "artifact": "-".join(filter(None, ["relyon", inputs.slug])),
        "verdict": "error",
    }
    if compared:
        path = folder / "comparison.json"
        found["comparison"] = str(path)
        found["verdict"] = verdict(json.loads(path.read_text("utf-8")), inputs)
        if inputs.asked("report"):
            made = run(command, report(inputs, folder), start)
            if made.code == 0 and page.exists():
                found["report"] = str(page)
            else:
                reason = (made.said.strip().splitlines() or [str(made.code)])[0].replace("%", "%25")
                print(f"::warning::relyon: {inputs.texts['no-report'].format(reason=reason)}")
    text = summary.read_text("utf-8")
    quiet(text)
    if environment.get("GITHUB_STEP_SUMMARY"):
        with Path(environment["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as file:
            file.write(f"{text.rstrip()}\n\n")
    if environment.get("GITHUB_OUTPUT"):
        outputs(found, environment["GITHUB_OUTPUT"])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], os.environ))
