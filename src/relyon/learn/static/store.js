"use strict";
// What the learner did, kept in this browser: answers by "lesson/block", cards by the same, scores,
// the place in each lesson, and settings.
const relyon = {};

relyon.words = JSON.parse(document.getElementById("words").textContent);

/** A text of the page's language with values put in: {name} stands for one. */
relyon.say = (key, values = {}) =>
  relyon.words[key].replace(/\{(\w+)(?::[^}]*)?\}/g, (whole, name) => name in values ? values[name] : whole);

/** A number with its noun: keys end in .one and .many. */
relyon.count = (key, count) => relyon.say(`${key}.${count === 1 ? "one" : "many"}`, { count });

/** The learner's own day, such as 2026-03-02. */
relyon.today = () => {
  const now = new Date(), two = (number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
};

relyon.store = (() => {
  const NAME = "relyon-learn";
  const empty = () => ({
    format: "relyon-learn", version: 1, answers: {}, cards: {}, scores: {}, places: {}, settings: {},
  });
  const record = (value) => Boolean(value) && typeof value === "object" && !Array.isArray(value);
  const valid = (value) => record(value) && value.format === "relyon-learn" && value.version === 1
    && ["answers", "cards", "scores"].every((part) => record(value[part]))
    // Parts that older files do not have.
    && ["places", "settings"].every((part) => !(part in value) || record(value[part]));
  const date = (value) => !Number.isNaN(Date.parse(value));
  const COUNTS = ["elapsed_days", "scheduled_days", "reps", "lapses"];
  /** Whether a card is new, or has what FSRS needs to plan it. */
  const card = (value) => record(value) && ("due" in value
    ? date(value.due) && (!value.last_review || date(value.last_review)) && [0, 1, 2, 3].includes(value.state)
      && ["stability", "difficulty"].every((name) => value[name] === null || value[name] >= 0)
      && COUNTS.every((name) => Number.isInteger(value[name]) && value[name] >= 0)
    : date(value.added));
  const ENTRIES = { answers: record, cards: card, places: record };
  let state = empty(), lost = false;

  /** Takes what is valid, without the entries that are not; returns how many those were. */
  const take = (found) => {
    state = { ...empty(), ...found };
    let left = 0;
    for (const [part, good] of Object.entries(ENTRIES)) {
      const all = Object.entries(state[part]), kept = all.filter(([, value]) => good(value));
      state[part] = Object.fromEntries(kept);
      left += all.length - kept.length;
    }
    return left;
  };
  const load = () => {
    if (lost) return;  // what is kept here is newer than what is stored
    try {
      const text = localStorage.getItem(NAME), found = JSON.parse(text);
      if (text === null) state = empty();  // forgotten meanwhile
      else if (valid(found)) take(found);
    } catch { /* nothing is kept here: the page works without */ }
  };
  const keep = () => {
    try { localStorage.setItem(NAME, JSON.stringify(state)); } catch { warn(); return; }
    lost = false;
    document.querySelector(".unkept")?.remove();
  };
  const save = () => {
    const address = URL.createObjectURL(new Blob([JSON.stringify(state, null, 1)], { type: "application/json" }));
    relyon.make("a", { href: address, download: "relyon-learn.json" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };
  /** Says once that nothing is kept, and offers the file. */
  const warn = () => {
    if (lost) return;
    lost = true;
    const { make, say } = relyon, button = make("button", { type: "button" }, say("page.export"));
    button.addEventListener("click", save);
    const said = make("p", { class: "unkept", role: "alert" }, say("page.not_kept"), " ", button);
    document.getElementById("main").prepend(said);
  };
  load();
  // Another tab may have written meanwhile: its answers are taken before one is added.
  addEventListener("storage", (event) => { if (event.key === NAME || event.key === null) load(); });
  addEventListener("pageshow", (event) => { if (event.persisted) load(); });

  return {
    get answers() { return state.answers; },
    get cards() { return state.cards; },
    get scores() { return state.scores; },
    get places() { return state.places; },
    get settings() { return state.settings; },
    put(part, name, value) {
      load();
      state[part][name] = value;
      keep();
      document.dispatchEvent(new CustomEvent("relyon-kept", { detail: { part, name } }));
    },
    save,
    /** Takes the text of a file: null if it has no progress, else how many of its entries are not understood. */
    replace(text) {
      let found = null;
      try { found = JSON.parse(text); } catch { return null; }
      if (!valid(found)) return null;
      const left = take(found);
      keep();
      return left;
    },
    forget() { state = empty(); keep(); },
  };
})();

/** Elements of a page by a short call: relyon.make("p", { class: "x" }, "text", child …). */
relyon.make = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
