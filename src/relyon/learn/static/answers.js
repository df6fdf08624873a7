"use strict";
// Guesses, questions, derivations and cards of a lesson.
(() => {
  const { store, say, make } = relyon;
  const lesson = document.querySelector("article").dataset.lesson;
  // A question of an earlier lesson is kept under that lesson's name.
  const name = (data) => `${data.lesson ?? lesson}/${data.id}`;

  /** A number as people type it: full-width digits, comma or point, a percent sign. */
  const typed = (text) => {
    const plain = text.normalize("NFKC").trim().replace(/−/g, "-");
    const percent = plain.endsWith("%");
    const digits = plain.replace(/%$/, "").trim().replace(/^([^.,]*),(\d+)$/, "$1.$2");
    if (!/^-?(\d+\.?\d*|\.\d+)$/.test(digits)) return NaN;
    return Number(digits) / (percent ? 100 : 1);
  };

  const reply = (section, right, html, lead = "") => {
    const box = section.querySelector(".reply");
    const mark = make("span", { class: "mark", "aria-hidden": "true" }, right ? "✓" : "✗");
    const text = make("span");
    text.innerHTML = html;  // rendered from the lesson's Markdown, in which HTML is text
    box.className = `reply ${right ? "right" : "wrong"}`;
    box.replaceChildren(make("p", {}, mark, " ", lead, lead ? " " : "", text));
  };

  const keep = (data, right, answer) => {
    const before = store.answers[name(data)];
    store.put("answers", name(data), {
      done: true, right, answer, first: before?.first ?? right, when: new Date().toISOString(),
    });
  };

  const chosen = (section) => [...section.querySelectorAll("input:checked")].map((one) => Number(one.value));

  const choices = (section, data) => {
    const picked = chosen(section);
    if (!picked.length) return;
    const right = data.choices.every((choice, index) => choice.right === picked.includes(index));
    if (section.querySelector("[type=checkbox]") && !right) {
      const odd = data.choices.findIndex((choice, index) => choice.right !== picked.includes(index));
      reply(section, false, data.choices[odd].reply, say("quiz.wrong"));
    } else {
      reply(section, right, data.choices[picked[0]].reply, say(right ? "quiz.right" : "quiz.wrong"));
    }
    keep(data, right, picked);
  };

  const number = (section, data) => {
    const value = typed(section.querySelector("input").value);
    if (Number.isNaN(value)) return;
    const right = Math.abs(value - data.answer) <= data.tolerance;
    const known = data.wrong.find((one) => Math.abs(value - one.value) <= data.tolerance);
    reply(section, right, right ? data.reply : (known?.reply ?? data.otherwise), say(right ? "quiz.right" : "quiz.wrong"));
    keep(data, right, value);
  };

  const order = (section, data) => {
    const places = [...section.querySelectorAll(".sortable li")].map((row) => Number(row.dataset.item));
    const right = places.every((place, index) => place === index);
    reply(section, right, right ? data.reply : data.otherwise, say(right ? "quiz.right" : "quiz.wrong"));
    keep(data, right, places);
  };

  const slider = (section, data) => {
    const value = Number(section.querySelector("input").value);
    const off = Math.abs(value - data.answer);
    const guess = section.querySelector("output").textContent;
    const how = off <= data.step / 2 ? "exact" : off <= data.near ? "near" : "far";
    reply(section, off <= data.near, data.reply, say(`predict.${how}`, { guess }));
    keep(data, off <= data.near, value);
  };

  const ask = (section, data) => {
    const range = section.querySelector("[type=range]");
    if (range) {
      const show = () => { section.querySelector("output").textContent = range.value; };
      range.addEventListener("input", show);
      show();
    }
    const list = section.querySelector(".sortable");
    if (list) items(list, section.querySelector(".heard"));
    const answer = range ? slider : list ? order : data.choices ? choices : number;
    section.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      answer(section, data);
    });
    restore(section, data, store.answers[name(data)], answer);
  };

  /** Makes the items of a question of order movable. */
  const items = (list, heard) => {
    const titles = new Map([...list.children].map((row) => [row, row.textContent.trim()]));
    const name = (row) => say("play.place", { title: titles.get(row), rank: [...list.children].indexOf(row) + 1 });
    const tell = () => titles.forEach((_, row) => row.setAttribute("aria-label", name(row)));
    titles.forEach((title, row) => row.append(...relyon.handles(title)));
    relyon.sortable([list], (row) => { tell(); heard.textContent = say("play.now", { what: name(row) }); });
    new MutationObserver(tell).observe(list, { childList: true });
    tell();
  };

  /** Shows an earlier answer and its reply. */
  const restore = (section, data, kept, answer) => {
    if (!kept || data.again) return;  // asked once more: as if never answered
    if (kept.skipped) { relyon.reveal(section, data); return; }
    try {
      if (answer === choices) {
        for (const one of section.querySelectorAll("input")) one.checked = kept.answer.includes(Number(one.value));
      } else if (answer === order) {
        const list = section.querySelector(".sortable");
        const rows = [...list.children];
        list.append(...kept.answer.map((place) => rows.find((row) => Number(row.dataset.item) === place)));
      } else {
        section.querySelector("input").value = kept.answer;
        const output = section.querySelector("output");
        if (output) output.textContent = section.querySelector("input").value;
      }
      const first = kept;
      answer(section, data);
      store.put("answers", name(data), first);
    } catch { /* the lesson has changed since */ }
  };

  const derive = (section) => {
    const steps = [...section.querySelectorAll(".steps li")];
    const after = section.querySelector(".after");
    const buttons = section.querySelector(".buttons");
    let shown = 0;
    const show = (count) => {
      shown = count;
      steps.forEach((step, index) => { step.hidden = index >= shown; });
      if (after) after.hidden = shown < steps.length;
      const all = shown >= steps.length, focused = buttons.contains(document.activeElement);
      buttons.hidden = all;
      if (all && focused) { steps[steps.length - 1].tabIndex = -1; steps[steps.length - 1].focus(); }
    };
    section.querySelector(".next").addEventListener("click", () => {
      show(shown + 1);
    });
    section.querySelector(".all").addEventListener("click", () => show(steps.length));
    show(0);
  };

  const card = (section, data) => {
    section.querySelector("details").addEventListener("toggle", () => {
      if (!(name(data) in store.cards)) store.put("cards", name(data), { added: new Date().toISOString() });
    });
  };

  relyon.blocks = { predict: ask, quiz: ask, derive, card };
  for (const kind of ["recap", "picture", "try"]) relyon.blocks[kind] = () => {};
})();
