"use strict";
/** What a row is moved by besides the mouse and the arrow keys: two buttons, and dots to hold by a finger. */
relyon.handles = (title) => {
  const { make, say } = relyon;
  const button = (way, sign) =>
    make("button", { type: "button", class: way, "aria-label": say(`play.${way}`, { title }), tabindex: "-1" }, sign);
  return [
    make("span", { class: "moves" }, button("up", "↑"), button("down", "↓")),
    make("span", { class: "grip", "aria-hidden": "true" }, "⠿"),
  ];
};

// Rows that change places: dragged, or moved by the arrow keys or their buttons. A finger on a row
// scrolls the page; on its dots it takes the row along. `allowed` says whether a row may be moved now.
relyon.sortable = (lists, moved, allowed = () => true) => {
  const EDGE = 48, PACE = 8;   // pixels from the window's edge, pixels per frame
  let dragged = null, at = 0;   // and how far down the window it is held

  const rows = (list) => [...list.children];
  const place = (row) => ({ list: row.parentElement, index: rows(row.parentElement).indexOf(row) });

  const move = (row, list, index) => {
    const before = place(row);
    if (before.list === list && before.index === index) return;
    const others = rows(list).filter((one) => one !== row);
    list.insertBefore(row, others[index] ?? null);
    moved(row);
  };

  const key = (event) => {
    const row = event.target.closest("li");
    if (!row || event.target !== row || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    step(row, event.key === "ArrowUp" ? -1 : 1);
  };

  const click = (event) => {
    const button = event.target.closest(".moves button");
    if (button) step(button.closest("li"), button.classList.contains("up") ? -1 : 1, button);
  };

  /** Moves a row one place; at the end of a list, into the next one. */
  const step = (row, by, focused = row) => {
    if (!allowed(row)) return;
    const { list, index } = place(row);
    const target = index + by;
    if (target >= 0 && target < list.children.length) move(row, list, target);
    else {
      const next = lists[lists.indexOf(list) + by];
      if (next) move(row, next, by < 0 ? next.children.length : 0);
    }
    focused.focus();
  };

  const nearest = (y) => {
    const far = (list) => {
      const box = list.getBoundingClientRect();
      return Math.max(box.top - y, y - box.bottom, 0);
    };
    return lists.filter((one) => one.getClientRects().length).sort((one, other) => far(one) - far(other))[0];
  };

  const drag = (event) => {
    event.preventDefault();
    at = event.clientY;
    carry();
  };

  /** Scrolls while a row is held at the window's edge. */
  const scroll = () => {
    if (!dragged) return;
    const way = at < EDGE ? -1 : at > innerHeight - EDGE ? 1 : 0;
    if (way) { scrollBy(0, way * PACE); carry(); }
    requestAnimationFrame(scroll);
  };

  const carry = () => {
    const list = nearest(at);
    const others = rows(list).filter((one) => one !== dragged);
    const index = others.findIndex((one) => {
      const box = one.getBoundingClientRect();
      return at < box.top + box.height / 2;
    });
    const before = others[index] ?? null;
    if (dragged.parentElement !== list || dragged.nextElementSibling !== before) {
      list.insertBefore(dragged, before);
    }
  };

  const start = (event) => {
    const row = event.target.closest("li");
    const finger = event.pointerType !== "mouse";
    if (!row || event.button || event.target.closest("button") || (finger && !event.target.closest(".grip")) || !allowed(row)) return;
    const from = place(row);
    dragged = row;
    row.classList.add("dragged");
    from.list.setPointerCapture(event.pointerId);   // a row that changes places would lose it
    at = event.clientY;
    if (finger) requestAnimationFrame(scroll);
    const end = (last) => {
      from.list.removeEventListener("pointermove", drag);
      from.list.removeEventListener("pointerup", end);
      from.list.removeEventListener("pointercancel", end);
      row.classList.remove("dragged");
      dragged = null;
      const to = place(row);
      if (last.type === "pointercancel") {
        from.list.insertBefore(row, rows(from.list).filter((one) => one !== row)[from.index] ?? null);
      } else if (to.list !== from.list || to.index !== from.index) moved(row);
    };
    from.list.addEventListener("pointermove", drag);
    from.list.addEventListener("pointerup", end);
    from.list.addEventListener("pointercancel", end);
  };

  for (const list of lists) {
    list.addEventListener("keydown", key);
    list.addEventListener("click", click);
    list.addEventListener("pointerdown", start);
  }
};
