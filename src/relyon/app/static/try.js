"use strict";
// Trying queries: a variant fills in its values; grades are stored without a new page; j and k move
// between results, and a grade's key grades the one that has the focus.
(() => {
  const tried = document.getElementById("tried");
  const form = document.getElementById("try");
  const asking = document.getElementById("asking");

  for (const one of document.querySelectorAll(".plain-only")) one.hidden = true;

  function fill(side) {
    const chosen = side.querySelector("select[name=a], select[name=b]");
    const option = chosen.selectedOptions[0];
    side.querySelector("[name$='.of']").value = chosen.value;
    const inputs = side.querySelector(".pairs");
    if (inputs) inputs.hidden = !chosen.value;
    if (!option.dataset.values) return;
    for (const [name, value] of Object.entries(JSON.parse(option.dataset.values))) {
      const field = form.elements[`${side.dataset.side}.p.${name}`];
      if (field) field.value = String(value);
      const shown = side.querySelector(`output[data-name="${CSS.escape(name)}"]`);
      if (shown) shown.textContent = String(value);
    }
  }

  if (form) {
    for (const side of form.querySelectorAll("[data-side]")) {
      side.querySelector("select").addEventListener("change", () => fill(side));
    }
    // Another engine has other variants and parameters.
    form.elements.engine.addEventListener("change", () => {
      const kept = new URLSearchParams({
        engine: form.elements.engine.value,
        query: form.elements.query.value,
        k: form.elements.k.value,
      });
      location.assign(`${location.pathname}?${kept}`);
    });
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) event.preventDefault();
      form.dataset.sent = "yes";
      asking.textContent = asking.dataset.text;
    });
    // Back from another page: it may be sent again.
    window.addEventListener("pageshow", () => {
      delete form.dataset.sent;
      asking.textContent = "";
    });
  }

  // The answer is the page with the new grades: only its lists are taken.
  async function send(one, submitter) {
    const open = [...tried.querySelectorAll("li details[open]")].map((each) => each.closest("li").id);
    const row = one.closest("li")?.id;
    try {
      const answer = await fetch(one.action, {
        method: "POST",
        credentials: "same-origin",
        body: new URLSearchParams(new FormData(one, submitter)),
      });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = page.getElementById("tried");
      if (!answer.ok || !found) {
        throw new Error(page.querySelector("main p")?.textContent.trim() || "");
      }
      tried.replaceChildren(...found.childNodes);
      for (const id of open) {
        const details = document.getElementById(id)?.querySelector("details");
        if (details) details.open = true;
      }
      watch();
      (row ? document.getElementById(row) : tried.querySelector("[role=status]"))?.focus({ preventScroll: true });
    } catch (error) {
      delete one.dataset.sent;
      const said = tried.querySelector(".failed") || document.createElement("p");
      said.className = "problem failed";
      said.setAttribute("role", "alert");
      said.textContent = error.message || tried.dataset.failed;
      (one.closest("li") || tried).append(said);
    }
  }

  function watch() {
    for (const one of tried.querySelectorAll("form")) {
      one.addEventListener("submit", (event) => {
        event.preventDefault();
        if (one.dataset.sent) return;
        one.dataset.sent = "yes";
        send(one, event.submitter);
      });
    }
    for (const picture of tried.querySelectorAll("img")) {
      const drop = () => picture.remove();
      if (picture.complete && !picture.naturalWidth) drop();
      else picture.addEventListener("error", drop);
    }
  }
  watch();

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (event.target.closest("input, textarea, select")) return;
    const cases = [...tried.querySelectorAll(".case")];
    const place = cases.findIndex((one) => one.contains(document.activeElement));
    const key = readKey(event);
    if (key === "j" || key === "k") {
      cases[place < 0 ? 0 : place + (key === "j" ? 1 : -1)]?.focus();
    } else if (place >= 0) {
      const button = cases[place].querySelector(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
      if (!button) return;
      button.click();
    } else return;
    event.preventDefault();
  });
})();
