"""The prompt: the guideline, the scale, and one search result as data."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from relyon.core.errors import InputError, ParameterError
from relyon.core.language import Language, check_language
from relyon.core.texts import catalogue, message
from relyon.data.scale import Scale
from relyon.judging.records import Item, Project, Trait, item_parts
from relyon.judging.shown import choose_fields

__all__ = ["LONGEST", "Prompt", "build_prompt", "can_be_shown", "list_levels", "restore_prompt"]

#: Maximum characters shown of one text of a result, and of all its further fields together.
LONGEST = 4000


@dataclass(frozen=True)
class Prompt:
    """The prompt, except for the result itself.

    Attributes:
        language: The language of our own sentences.
        task: The task, the guideline and the scale.
        scale: The grades that an answer may have.
    """

    language: Language
    task: str
    scale: Scale

    @property
    def text(self) -> str:
        """The constant text for all results, which identifies a prompt."""
        return f"{self.task}\n\n{self._rules('BOUNDARY')}"

    def messages(self, item: Item) -> list[dict[str, str]]:
        """Returns the messages that request one result's grade.

        The same result always gives the same text. Nothing in the result can end the data: its line
        breaks are escaped, and the boundary depends on the data and does not occur in it.

        Raises:
            InputError: If the item has nothing to show.
        """
        if not can_be_shown(item):
            raise InputError(
                message(
                    "judging.query-document-has-no",
                    query=item.query,
                    document=item.document,
                ),
                hint=message("judging.relyon-judge-import-documents"),
            )
        data = _data(item)
        boundary = _boundary(data)
        return [
            {"role": "system", "content": f"{self.task}\n\n{self._rules(boundary)}"},
            {"role": "user", "content": f"BEGIN {boundary}\n{data}\nEND {boundary}"},
        ]

    def _rules(self, boundary: str) -> str:
        grades = sorted(level.grade for level in self.scale.levels)
        listed = [f"{grade:g}" for grade in grades]
        return catalogue("prompt", self.language).say("rules", boundary=boundary, grades=listed)


def can_be_shown(item: Item) -> bool:
    """Returns whether an item has more than its id, and so can be graded."""
    return bool(item.title or item.snippet or item.url or item.fields)


def build_prompt(project: Project, *, language: Language = "en", task: str | None = None) -> Prompt:
    """Builds the prompt of a project.

    Args:
        project: The project, with guideline and scale; the guideline in the language, or else in
            another one.
        language: The language of our own sentences.
        task: Your own task in place of ours, with placeholders `{guideline}` and `{scale}`. The
            sections on data and on the form of an answer are appended.

    Raises:
        ParameterError: If there is no such language, or the task is empty.
        InputError: If the project is side by side, or the scale has no levels.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> project = Project(1, "June", "grades", SEARCH, {}, 1, 0.0, None, 0, 1800.0, 0.0)
        >>> system, user = build_prompt(project).messages(Item("tv", "d1", title="A television"))
        >>> "3 = high (also called 高, counts as relevant)" in system["content"]
        True
        >>> print(user["content"])
        BEGIN 358213e1e38ea803
        {
          "query": "tv",
          "title": "A television"
        }
        END 358213e1e38ea803
    """
    check_language(language)
    if project.kind != "grades":
        raise InputError(
            message(
                "judging.is-side-by-side-project",
                project_name=project.name,
            )
        )
    if not project.scale.levels:
        raise InputError(
            message(
                "judging.scale-has-no-levels",
                scale_name=project.scale.name,
            ),
            hint=message("judging.create-project-with-scale"),
        )
    if task is not None and not task.strip():
        raise ParameterError(message("judging.prompt-is-empty"))
    texts = catalogue("prompt", language)
    guideline = project.guideline_in(language) or texts["no_guideline"]
    parts = {"{guideline}": guideline, "{scale}": list_levels(project.scale, language)}
    # In one pass: a guideline may itself contain `{scale}`.
    filled = re.sub(
        r"\{guideline\}|\{scale\}",
        lambda found: parts[found[0]],
        (texts["task"] if task is None else task).strip(),
    )
    return Prompt(language, filled, project.scale)


def restore_prompt(text: str, *, language: Language, scale: Scale) -> Prompt:
    """Returns the prompt of which `text` is the constant part, to ask the same again.

    Args:
        text: As `Prompt.text` returned it.
        language: The language of the prompt.
        scale: The project's scale.

    Raises:
        InputError: If it was not built with this scale, or by another version of relyon.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> built = Prompt("en", "Grade it.", SEARCH)
        >>> restore_prompt(built.text, language="en", scale=SEARCH) == built
        True
    """
    end = Prompt(language, "", scale).text
    if not text.endswith(end):
        raise InputError(
            message("judging.prompt-cannot-be-repeated"),
            hint=message("judging.start-model-anew"),
        )
    return Prompt(language, text.removesuffix(end), scale)


def list_levels(scale: Scale, language: Language) -> str:
    """Returns the levels of a scale as a prompt lists them, one per line, the highest first."""
    texts = catalogue("prompt", language)
    lines = []
    for level in sorted(scale.levels, key=lambda one: -one.grade):
        label = scale.label(level.grade, language)
        other = level.name if label == level.chinese else level.chinese
        remarks = [texts.say("also", name=other)] if other else []
        if level.grade >= scale.relevant_from:
            remarks.append(texts["relevant"])
        key = "level_remarks" if remarks else "level"
        lines.append(
            texts.say(
                key, grade=level.grade, label=label, remarks=texts["list.clause"].join(remarks)
            )
        )
    return "\n".join(lines)


def _data(item: Item) -> str:
    shown: dict[str, object] = {"query": _cut(item.query_text or item.query)}
    for name in item_parts(Trait.PROMPT):
        if text := getattr(item, name):
            shown[name] = _cut(text)
    if fields := choose_fields(item):
        shown["fields"] = _fields(fields)
    text = json.dumps(shown, ensure_ascii=False, indent=2)
    # Texts that some models take for the end of a message, such as <|im_end|> or [/INST], are
    # escaped, which JSON decodes to the same text.
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return re.sub(r"\[(?=/?[A-Z_]+\])", r"\\u005b", text)


def _fields(fields: Mapping[str, object]) -> dict[str, object]:
    shown: dict[str, object] = {}
    left = LONGEST
    for name, value in fields.items():
        written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if len(name) + len(written) > left:
            shown[_cut(name, 200)] = _cut(written, max(left - len(name), 0))
            break
        shown[name] = value
        left -= len(name) + len(written)
    return shown


def _cut(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else text[:longest] + "…"


def _boundary(data: str) -> str:
    number = 0
    while True:
        found = hashlib.sha256(f"{number}\n{data}".encode()).hexdigest()[:16]
        if found not in data:
            return found
        number += 1
