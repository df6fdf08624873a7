"use strict";
// Rows that change places: dragged by mouse, pen or finger, or moved by the arrow keys.
// `allowed` says whether a row may be moved now.
relkit.sortable = (lists, moved, allowed = () => true) => {
  let dragged = null;

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

  /** Moves a row one place; at the end of a list, into the next one. */
  const step = (row, by) => {
    if (!allowed(row)) return;
    const { list, index } = place(row);
    const target = index + by;
    if (target >= 0 && target < list.children.length) move(row, list, target);
    else {
      const next = lists[lists.indexOf(list) + by];
      if (next) move(row, next, by < 0 ? next.children.length : 0);
    }
    row.focus();
  };

  const drag = (event) => {
    if (!dragged) return;
    event.preventDefault();
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const list = under && lists.find((one) => one.contains(under) || one.parentElement === under);
    if (!list) return;
    const others = rows(list).filter((one) => one !== dragged);
    const index = others.findIndex((one) => {
      const box = one.getBoundingClientRect();
      return event.clientY < box.top + box.height / 2;
    });
    const before = others[index] ?? null;
    if (dragged.parentElement !== list || dragged.nextElementSibling !== before) {
      list.insertBefore(dragged, before);
    }
  };

  const start = (event) => {
    const row = event.target.closest("li");
    if (!row || event.button || event.target.closest("button") || !allowed(row)) return;
    const from = place(row);
    dragged = row;
    row.classList.add("dragged");
    row.setPointerCapture(event.pointerId);
    const end = (last) => {
      row.removeEventListener("pointermove", drag);
      row.removeEventListener("pointerup", end);
      row.removeEventListener("pointercancel", end);
      row.classList.remove("dragged");
      dragged = null;
      const to = place(row);
      if (last.type === "pointercancel") {
        from.list.insertBefore(row, rows(from.list).filter((one) => one !== row)[from.index] ?? null);
      } else if (to.list !== from.list || to.index !== from.index) moved(row);
    };
    row.addEventListener("pointermove", drag);
    row.addEventListener("pointerup", end);
    row.addEventListener("pointercancel", end);
  };

  for (const list of lists) {
    list.addEventListener("keydown", key);
    list.addEventListener("pointerdown", start);
  }
  return { step };
};
