"""Label Studio: tasks with annotations as JSON, and the labelling interface for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import ClassVar

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.scale import SEARCH, Scale
from relyon.data.sheets import ITEM_TEXTS, Rating, Row, Sheet, described
from relyon.io.format import formats
from relyon.io.json_members import (
    dump,
    has_member,
    identifier,
    is_json,
    listing,
    mapping,
    parse_grade,
    parse_json,
    parse_number,
)
from relyon.io.numbers import plain_number
from relyon.io.sheets import SheetFormat

__all__ = ["LabelStudio", "labelling_config"]


def labelling_config(scale: Scale = SEARCH, *, language: str = "en") -> str:
    """Returns the labelling interface for exported tasks.

    The levels of the scale have the hotkeys 1, 2, 3 …, the highest first. A scale without levels
    gives a number field.

    Args:
        scale: The grade scale.
        language: `en` or `zh`: the language of the choices.

    Examples:
        >>> print(labelling_config().split("\\n")[6].strip())
        <Choice alias="high" value="high" hotkey="1"/>
    """
    # It imports code that opens web addresses, including TLS.
    from xml.sax.saxutils import quoteattr

    asked = {"en": "Remark", "zh": "备注"}.get(language, "Remark")
    if scale.levels:
        levels = sorted(scale.levels, key=lambda level: -level.grade)
        choices = [
            f"    <Choice alias={quoteattr(level.name)}"
            f" value={quoteattr(scale.label(level.grade, language))}"
            f' hotkey="{number}"/>'
            for number, level in enumerate(levels, 1)
        ]
        grade = [
            '  <Choices name="grade" toName="document" choice="single" required="true">',
            *choices,
            "  </Choices>",
        ]
    else:
        grade = ['  <Number name="grade" toName="document" required="true"/>']
    return "\n".join(
        [
            "<View>",
            '  <Header value="$shown"/>',
            '  <Text name="document" value="$title"/>',
            '  <Text name="snippet" value="$snippet"/>',
            '  <HyperText name="link" value="$url"/>',
            *grade,
            f'  <TextArea name="note" toName="document" placeholder={quoteattr(asked)}'
            ' maxSubmissions="1"/>',
            "</View>",
            "",
        ]
    )


class LabelStudio(SheetFormat):
    """A list of tasks: one item per task, one annotation per grade."""

    name: ClassVar[str] = "label-studio"
    title: ClassVar[str] = "a list of Label Studio tasks"
    suffix: ClassVar[str] = ".json"
    keeps: ClassVar[frozenset[str]] = frozenset(
        {
            *ITEM_TEXTS,
            "query_id",
            "rank",
            "fields",
            "inclusion_probability",
            "ratings",
            "cannot",
            "note",
            "seconds",
            "at",
            "final",
            "final_source",
            "ungraded",
            "reason",
        }
    )

    def recognises(self, head: bytes) -> bool:
        """Whether there is a list of tasks with data."""
        return is_json(head, "[") and has_member(head, "data", "{")

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads tasks; choices are names of levels, or numbers."""
        rows = []
        for one in listing(parse_json(text, path), "the file", path):
            task = mapping(one, "a task", path)
            data = dict(mapping(task.get("data"), "`data`", path))
            query = identifier(data.pop("query", None), "`query`", path)
            document = identifier(data.pop("document", None), "`document`", path)
            where = f"query `{query}`, document `{document}`"
            data.pop("shown", None)
            texts = {name: str(data.pop(name, "") or "") for name in ITEM_TEXTS}
            numbers: dict[str, float | None] = {}
            for name in ("rank", "inclusion_probability"):
                value = data.pop(name, None)
                numbers[name] = (
                    None if value is None else parse_number(value, f"{where}: `{name}`", path)
                )
            rank = numbers["rank"]
            final = data.pop("final", None)
            source = str(data.pop("final_source", "") or "")
            extra = data.pop("fields", {})
            rows.append(
                Row(
                    described(
                        query,
                        document,
                        texts,
                        rank=None if rank is None else int(rank),
                        fields={**data, **mapping(extra, "`fields`", path)},
                        inclusion_probability=numbers["inclusion_probability"],
                    ),
                    tuple(
                        rating
                        for said in listing(task.get("annotations") or [], "`annotations`", path)
                        if (
                            rating := _rating(
                                mapping(said, "an annotation", path), where, path, scale
                            )
                        )
                    ),
                    None if final is None else parse_grade(final, where, path, scale),
                    source,
                )
            )
        return Sheet(tuple(rows))

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields tasks; give Label Studio `labelling_config` with them."""
        tasks = []
        for number, row in enumerate(sheet.rows, 1):
            item = row.item
            data: dict[str, object] = {
                "query": item.query,
                "document": item.document,
                "shown": item.query_text or item.query,
                **{name: getattr(item, name) for name in ITEM_TEXTS},
            }
            for name in ("rank", "inclusion_probability"):
                if getattr(item, name) is not None:
                    data[name] = getattr(item, name)
            if item.fields:
                data["fields"] = dict(item.fields)
            if row.final is not None:
                data["final"] = plain_number(row.final)
            if row.final_source:
                data["final_source"] = row.final_source
            found = [_annotation(one, sheet.scale) for one in row.ratings]
            tasks.append({"id": number, "data": data, "annotations": found})
        yield dump(tasks)


def _annotation(rating: Rating, scale: Scale | None) -> dict[str, object]:
    result: list[dict[str, object]] = []
    if rating.grade is not None:
        named = scale is not None and rating.grade in scale.gains
        value: dict[str, object] = (
            {"choices": [scale.label(rating.grade)]}
            if scale is not None and named
            else {"number": plain_number(rating.grade)}
        )
        kind = "choices" if named else "number"
        result.append({"from_name": "grade", "to_name": "document", "type": kind, "value": value})
    for name in ("note", "reason"):
        text = getattr(rating, name)
        if text:
            result.append(
                {
                    "from_name": name,
                    "to_name": "document",
                    "type": "textarea",
                    "value": {"text": [text]},
                }
            )
    found: dict[str, object] = {
        "completed_by": {"email": rating.judge},
        "was_cancelled": rating.grade is None,
        "result": result,
    }
    if rating.seconds is not None:
        found["lead_time"] = rating.seconds
    if rating.at is not None:
        try:
            found["created_at"] = datetime.fromtimestamp(rating.at, UTC).isoformat()
        except (ValueError, OverflowError, OSError):
            raise InputError(message("io.seconds-since-1970", at=rating.at)) from None
    return found


def _rating(
    content: Mapping[str, object], where: str, path: str, scale: Scale | None
) -> Rating | None:
    judge = content.get("completed_by")
    if isinstance(judge, dict):
        judge = judge.get("email") or judge.get("id")
    said: dict[str, object] = {}
    for one in listing(content.get("result") or [], "`result`", path):
        result = mapping(one, "a result", path)
        value = mapping(result.get("value"), "`value`", path)
        name = str(result.get("from_name"))
        for key in ("choices", "text"):
            chosen = value.get(key)
            if isinstance(chosen, list) and chosen:
                said[name] = chosen[0]
        for key in ("number", "rating"):
            if key in value:
                said[name] = value[key]
    cancelled = bool(content.get("was_cancelled"))
    if "grade" not in said and not cancelled:
        return None
    seconds = content.get("lead_time")
    return Rating(
        identifier(judge, f"{where}: `completed_by`", path),
        None if cancelled else parse_grade(said["grade"], where, path, scale),
        str(said.get("reason", "")),
        str(said.get("note", "")),
        None if seconds is None else parse_number(seconds, f"{where}: `lead_time`", path),
        _time(content.get("created_at"), where, path),
    )


def _time(text: object, where: str, path: str) -> float | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except (ValueError, OverflowError):
        raise InputError(message("io.is-not-point", where=where, text=text), path=path) from None


formats.register(LabelStudio())
