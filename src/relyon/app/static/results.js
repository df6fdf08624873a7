"use strict";
// The list of results by keyboard: j and k move, x selects, Enter opens, / goes to the filter.
(() => {
  const boxes = [...document.querySelectorAll("#results [name=item]")];
  const links = [...document.querySelectorAll("#results tbody a")];
  const all = document.getElementById("all");
  const rows = links.map((one) => one.closest("tr"));
  const current = () => rows.findIndex((one) => one.contains(document.activeElement));

  if (all) {
    all.hidden = false;
    all.addEventListener("change", () => {
      for (const one of boxes) one.checked = all.checked;
    });
    for (const one of boxes) {
      one.addEventListener("change", () => {
        all.checked = boxes.every((other) => other.checked);
      });
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select")) return;
    const place = current();
    const { key } = event;
    if (key === "j" || key === "k") {
      links[place < 0 ? 0 : place + (key === "j" ? 1 : -1)]?.focus();
    } else if (key === "x" && boxes[place]) {
      boxes[place].click();
    } else if (key === "/") {
      document.querySelector("[name=query]")?.focus();
    } else return;
    event.preventDefault();
  });
})();
