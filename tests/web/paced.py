"""A course of two short lessons, and a reader who goes through lessons step by step."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relyon.learn.blocks import Block, Card, Derive, Dial, Play, Predict, Quiz
from relyon.learn.quantities import quantity

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

#: Opens a page of the short course: `opened("01-first.html#swap", language="zh")`.
Open = Callable[..., "Page"]
#: Two lessons with every kind of block. The first has two recaps and a section beyond the core.
FIRST = """+++
title = "First"
summary = "Say what a candy is."
minutes = 2
+++

Candies are sweet.

```predict
id = "guess"
ask = "How many candies?"
[[choices]]
text = "One"
reply = "Too few."
[[choices]]
text = "Two"
right = true
reply = "Two it is."
```

Two it was, as you see **now**.

## A number

```quiz
id = "dcg"
form = "number"
list = "3,1,2"
fresh = 3
ask = "The grades are [$list]. What is the CG?"
answer = "cg:$list"
tolerance = 0.006
reply = "They are added."
otherwise = "Add them."
[[wrong]]
value = "dcg:$list"
reply = "That is DCG."
```

```card
id = "card"
front = "What is it?"
back = "It is **now**"
```

```recap
id = "recap-one"
text = "- Candies are sweet."
```

## Why candies? {deeper}

Because of the sugar.

```quiz
id = "deep"
form = "single"
ask = "Why?"
[[choices]]
text = "Sugar"
right = true
reply = "Sweet."
[[choices]]
text = "Salt"
reply = "Salty."
```

More of it.

## Line by line

```derive
id = "lines"
of = "ndcg@3:2,3,0"
```

```play
id = "swap"
ask = "Put the better one first."
measures = ["ndcg"]
[[documents]]
title = "Good"
grade = 2
[[documents]]
title = "Best"
grade = 3
[[goals]]
text = "NDCG as high as it can be."
want = { ndcg = "highest" }
moves = 1
```

```recap
id = "recap-two"
text = "- Everything was said."
```

The last text.
"""
SECOND = """+++
title = "Second"
summary = "Say it again."
minutes = 1
+++

Once more.

```recap
id = "recap-one"
text = "- Nothing yet."
```

```quiz
id = "again"
form = "order"
ask = "In order, please."
items = ["a", "b", "c"]
reply = "a, b, c."
otherwise = "No."
```

```recap
id = "recap-two"
text = "- A thing."
```
"""


def write_lessons(folder: Path) -> Path:
    """Writes the lessons of both languages, and returns their folder."""
    for language in ("en", "zh"):
        for name, text in (("01-first", FIRST), ("02-second", SECOND)):
            path = folder / language / f"{name}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    return folder


#: What a reader sees: the bar, the last step that is open, where the focus is.
STATE = """() => {
  const seen = (one) => one.checkVisibility() && !one.hidden;
  const bar = document.querySelector(".pace");
  const open = [...document.querySelectorAll(".step")].filter(seen);
  const focus = document.activeElement, step = focus.closest(".step");
  return {
    where: bar.querySelector(".where span").textContent,
    value: bar.querySelector("progress").value,
    skip: seen(bar.querySelector(".skip-step")),
    next: seen(bar.querySelector(".onward")),
    label: bar.querySelector(".onward").textContent,
    back: seen(bar.querySelector(".backward")),
    open: open.map((one) => one.dataset.step ?? one.className.replace(/step|last/g, "").trim()),
    focus: focus.className || focus.localName,
    group: step?.getAttribute("aria-label") ?? "",
    top: open.at(-1).getBoundingClientRect().top,
  };
}"""


#: How often the tab key is pressed from where the focus is to an element; of radio buttons with the
#: same name, it stops at one.
TABS = """target => {
  const stops = new Set();
  const found = [...document.querySelectorAll("a[href], button, input, summary, [tabindex]")]
    .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility());
  const from = document.activeElement;
  if (from === target) return 0;
  const ahead = from.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING;
  const between = found.filter((one) => {
    const after = (ahead ? from : target).compareDocumentPosition(one);
    const before = (ahead ? target : from).compareDocumentPosition(one);
    const inside = (after & Node.DOCUMENT_POSITION_FOLLOWING || (!ahead && one === target))
      && (before & Node.DOCUMENT_POSITION_PRECEDING || (ahead && one === target));
    const group = one.type === "radio" ? one.form?.closest("section")?.id + one.name : one;
    if (!inside || stops.has(group)) return false;
    stops.add(group);
    return true;
  }).length;
  return (ahead ? 1 : -1) * Math.max(1, between);
}"""


def state(tab: Page) -> dict[str, Any]:
    """Returns what a reader sees of a paced lesson."""
    found: dict[str, Any] = tab.evaluate(STATE)
    return found


def skip_to(tab: Page, key: str) -> None:
    """Goes on without answering until a step is open."""
    for _ in range(60):
        now = state(tab)
        if key in now["open"]:
            return
        button = "skip-step" if now["skip"] else "onward"
        tab.evaluate(f"document.querySelector('.pace .{button}').click()")
    raise AssertionError(f"{key} is never reached")


def kept(tab: Page) -> Any:
    """Returns what the browser keeps of the course."""
    return json.loads(tab.evaluate("localStorage.getItem('relyon-learn')"))


class Reader:
    """Someone who reads a lesson with keys alone, a mouse or a finger.

    Args:
        tab: The page.
        way: `keys`, `mouse` or `touch`.
    """

    def __init__(self, tab: Page, way: str) -> None:
        self.tab = tab
        self.way = way

    def press(self, place: Locator) -> None:
        """Presses a button, a choice or a summary."""
        if self.way == "mouse":
            place.click()
        elif self.way == "touch":
            place.tap()
        else:
            self.tab_to(place)
            kind = place.evaluate("one => one.type ?? one.localName")
            self.tab.keyboard.press("Space" if kind in {"radio", "checkbox"} else "Enter")

    def tab_to(self, place: Locator) -> None:
        """Goes to an element by the tab key alone, forwards or backwards."""
        for _ in range(6):
            away = place.evaluate(TABS)
            if not away:
                return
            for _ in range(abs(away)):
                self.tab.keyboard.press("Tab" if away > 0 else "Shift+Tab")
        raise AssertionError(f"the tab key does not reach {place}")

    def choose(self, section: Locator, places: list[int]) -> None:
        """Chooses answers."""
        boxes = section.locator("form input")
        if self.way != "keys":
            for place in places:
                self.press(section.locator("label.choice").nth(place))
        elif boxes.first.get_attribute("type") == "radio":
            self.tab_to(boxes.first)
            self.tab.keyboard.press("Space")
            for _ in range(places[0]):
                self.tab.keyboard.press("ArrowDown")
        else:
            for place in places:
                self.press(boxes.nth(place))

    def enter(self, section: Locator, text: str) -> None:
        """Types a number and sends it."""
        box = section.locator("form input")
        if self.way == "keys":
            self.tab_to(box)
        else:
            self.press(box)
        self.tab.keyboard.type(text)
        if self.way == "keys":
            self.tab.keyboard.press("Enter")
        else:
            self.press(section.locator("[type=submit]"))

    def step_up(self, row: Locator) -> None:
        """Moves a row up by one place."""
        if self.way == "keys":
            self.tab_to(row)
            self.tab.keyboard.press("ArrowUp")
        else:
            self.press(row.locator(".moves .up"))

    def deal_with(self, section: Locator, block: Block) -> bool:
        """Does what a block asks for; returns whether a right answer was given."""
        if isinstance(block, Predict | Quiz) and block.choices:
            self.choose(section, [at for at, one in enumerate(block.choices) if one.right])
        elif isinstance(block, Predict) and block.slider:
            box = section.locator("form input")
            if self.way == "keys":
                self.tab_to(box)
                self.tab.keyboard.press("ArrowRight")
            else:
                self.press(box)
        elif isinstance(block, Quiz) and block.form == "number":
            self.enter(section, f"{quantity(block.answer):.5f}")
            return True
        elif isinstance(block, Quiz):
            for place in range(len(block.items)):
                row = section.locator(f"li[data-item='{place}']")
                while row.evaluate("row => [...row.parentElement.children].indexOf(row)") > place:
                    self.step_up(row)
        elif isinstance(block, Derive):
            self.press(section.locator("button.all"))
        elif isinstance(block, Card):
            self.press(section.locator("summary"))
        elif isinstance(block, Dial) and len(block.settings) > 1:
            box = section.locator(".dial input")
            if self.way == "keys":
                self.tab_to(box)
                ended = block.start == block.settings[-1]
                self.tab.keyboard.press("ArrowLeft" if ended else "ArrowRight")
            else:
                width = box.evaluate("one => one.clientWidth")
                first = block.start == block.settings[0]
                box.tap(position={"x": width - 3 if first else 3, "y": 8})
        elif isinstance(block, Play):
            self.step_up(section.locator(".sortable li").nth(1))
        if isinstance(block, Predict | Quiz):
            self.press(section.locator("[type=submit]"))
            return not (isinstance(block, Predict) and block.slider)
        return False


def gated(block: Block | None) -> bool:
    """Returns whether what follows a block waits."""
    kinds = (Predict, Quiz, Derive, Card)
    return isinstance(block, kinds) or (isinstance(block, Play) and bool(block.goals))
