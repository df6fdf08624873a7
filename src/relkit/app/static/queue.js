"use strict";
// Keys for the page on which disagreements are decided: a number decides what has the focus.
(() => {
  const cases = [...document.querySelectorAll(".case")];
  const current = () => cases.findIndex((one) => one.contains(document.activeElement));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (event.target.closest("input, textarea, select")) {
      if (event.key === "Escape") event.target.closest(".case")?.focus();
      return;
    }
    const place = current();
    if (event.key === "j" || event.key === "k") {
      cases[place + (event.key === "j" ? 1 : -1)]?.focus();
    } else if (event.key === "n" && place >= 0) {
      cases[place].querySelector("[name=note]").focus();
    } else if (/^[1-9]$/.test(event.key) && place >= 0) {
      const button = cases[place].querySelectorAll("button[name=grade]")[Number(event.key) - 1];
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
