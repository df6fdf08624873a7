"use strict";
// Keys for the page on which disagreements are decided: a grade's key decides what has the focus.
(() => {
  const cases = [...document.querySelectorAll(".case")];
  const current = () => cases.findIndex((one) => one.contains(document.activeElement));

  // The first one has the focus, so that keys work at once; a notice takes it away for a while.
  const begin = () => {
    const focused = document.activeElement;
    if (focused === document.body || focused.closest("dialog:not([open])")) cases[0]?.focus({ preventScroll: true });
  };
  document.querySelector("dialog")?.addEventListener("close", begin);
  begin();

  document.addEventListener("keydown", (event) => {
    if (document.body.dataset.asked) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (event.target.closest("input, textarea, select")) {
      if (event.key === "Escape") event.target.closest(".case")?.focus();
      return;
    }
    const place = current();
    const key = readKey(event);
    if (key === "j" || key === "k") {
      cases[place + (key === "j" ? 1 : -1)]?.focus();
    } else if (key === "n" && place >= 0) {
      cases[place].querySelector("[name=note]").focus();
    } else if (place >= 0) {
      const button = cases[place].querySelector(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
      if (!button) return;
      button.click();
    } else return;
    event.preventDefault();
  });

  for (const picture of document.querySelectorAll(".case img")) {
    const drop = () => picture.remove();
    if (picture.complete && !picture.naturalWidth) drop();
    else picture.addEventListener("error", drop);
  }

  // The form may be sent once.
  for (const one of cases) {
    one.querySelector("form").addEventListener("submit", (event) => {
      if (one.dataset.sent) event.preventDefault();
      one.dataset.sent = "yes";
    });
  }
  if (window.matchMedia("(max-width: 60rem)").matches) {
    const guideline = document.getElementById("guideline");
    if (guideline) guideline.open = false;
  }
})();
