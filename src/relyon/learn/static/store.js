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

relyon.store = (() => {
  const NAME = "relyon-learn";
  const empty = () => ({
    format: "relyon-learn", version: 1, answers: {}, cards: {}, scores: {}, places: {}, settings: {},
  });
  const valid = (value) => value && value.format === "relyon-learn" && value.version === 1
    && ["answers", "cards", "scores"].every((part) => typeof value[part] === "object" && value[part])
    // Parts that older files do not have.
    && ["places", "settings"].every((part) => !(part in value) || (typeof value[part] === "object" && value[part]));
  let state = empty();

  const load = () => {
    try {
      const found = JSON.parse(localStorage.getItem(NAME));
      if (valid(found)) state = { ...empty(), ...found };
    } catch { /* nothing is kept here: the page works without */ }
  };
  const keep = () => {
    try { localStorage.setItem(NAME, JSON.stringify(state)); } catch { /* as above */ }
  };
  load();
  // Another tab may have written meanwhile: its answers are taken before one is added.
  addEventListener("storage", (event) => { if (event.key === NAME) load(); });

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
    text: () => JSON.stringify(state, null, 1),
    replace(text) {
      let found = null;
      try { found = JSON.parse(text); } catch { return false; }
      if (!valid(found)) return false;
      state = { ...empty(), ...found };
      keep();
      return true;
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
