"use strict";
// Guesses, questions, derivations and cards of a lesson.
(() => {
  const { store, say, make } = relyon;
  const lesson = document.querySelector("article").dataset.lesson;
  // A question of an earlier lesson is kept under that lesson's name.
  const name = (data) => `${data.lesson ?? lesson}/${data.id}`;

  const html = (text, name = "span") => {
    const found = make(name);
    found.innerHTML = text;  // rendered from the lesson's Markdown, in which HTML is text
    return found;
  };

  const MARKS = { right: "✓", also: "◐", some: "◐", wrong: "✗" };
  /** Shows a reply: how the answer was (right, also, some, wrong), what leads, and why. */
  const reply = (section, how, why, lead = "") => {
    const box = section.querySelector(".reply");
    const mark = make("span", { class: "mark", "aria-hidden": "true" }, MARKS[how]);
    const [first, ...rest] = Array.isArray(why) ? why : [html(why)];
    box.className = `reply ${how}`;
    box.replaceChildren(make("p", {}, mark, " ", lead, lead ? say("quiz.between") : "", first), ...rest.map((one) => make("p", {}, one)));
  };
  /** Says why something was no answer; the question stays open. */
  const open = (section, text) => {
    const box = section.querySelector(".reply");
    box.className = "reply open";
    box.replaceChildren(make("p", {}, text));
    section.querySelector("input[type=text]")?.setAttribute("aria-invalid", "true");
  };

  const keep = (data, right, answer, more = {}) => {
    const before = store.answers[name(data)];
    const first = before?.first ?? (before?.shown ? false : right);
    store.put("answers", name(data), {
      done: true, right, answer, first, when: new Date().toISOString(), ...more,
    });
  };

  const chosen = (section) => [...section.querySelectorAll("input:checked")].map((one) => Number(one.value));

  /** An option as it is written, followed by the reply to it. */
  const named = (section, data, place, key) => {
    const found = make("span");
    const [before, after] = say(key, { option: "\n" }).split("\n");
    const option = section.querySelectorAll("label.choice > span")[place].cloneNode(true);
    found.append(make("strong", {}, before, option, after), say("quiz.between"), html(data.choices[place].reply));
    return found;
  };

  const several = (section, data, picked) => {
    const missed = data.choices.map((_, place) => place).filter((place) => data.choices[place].right && !picked.includes(place));
    const odd = picked.filter((place) => !data.choices[place].right && !data.choices[place].also);
    const right = !missed.length && !odd.length;
    const good = picked.some((place) => data.choices[place].right);
    if (right) reply(section, "right", picked.map((place) => html(data.choices[place].reply)), say("quiz.right"));
    else {
      reply(section, good ? "some" : "wrong",
        [...odd.map((place) => named(section, data, place, "quiz.not_this")), ...missed.map((place) => named(section, data, place, "quiz.missed"))],
        say(!good ? "quiz.wrong" : odd.length ? "quiz.mixed" : "quiz.some"));
    }
    return right;
  };

  const choices = (section, data) => {
    const picked = chosen(section);
    if (!picked.length) { open(section, say("quiz.nothing_chosen")); return; }
    let right = false;
    if (section.querySelector("[type=checkbox]")) right = several(section, data, picked);
    else {
      const one = data.choices[picked[0]];
      right = one.right || one.also === true;
      const how = one.right ? "right" : one.also ? "also" : "wrong";
      reply(section, how, one.reply, say(`quiz.${how}`));
      if (data.kind === "predict") mark(section, data);
    }
    keep(data, right, picked);
  };

  /** Marks the right answer of a guess that was made. */
  const mark = (section, data) => {
    section.querySelectorAll("label.choice").forEach((label, place) => {
      label.querySelector("b")?.remove();
      const right = data.choices[place].right, own = label.querySelector("input").checked;
      label.classList.toggle("is-right", right);
      if (right) label.append(make("b", { class: "verdict" }, `✓ ${say("quiz.the_right_one")}`));
      else if (own) label.append(make("b", { class: "verdict" }, say("quiz.your_choice")));
    });
  };

  const STREAK = 3;
  // How a question for a number stands on the page: its list, and how many were right in a row.
  const runs = new WeakMap();
  const turns = new Map();   // by question: the next further list

  const number = (section, data) => {
    const input = section.querySelector("input"), run = runs.get(section) ?? { data, streak: 0, other: false };
    const { answer, tolerance, wrong } = run.data;
    const { value, shown } = relyon.numbers.read(input.value, answer, tolerance, wrong.map((one) => one.value));
    if (Number.isNaN(value)) {
      const typed = input.value.trim();
      open(section, typed ? say("quiz.not_understood", { typed }) : say("quiz.nothing_typed"));
      return;
    }
    input.removeAttribute("aria-invalid");
    const right = Math.abs(value - answer) <= tolerance;
    const known = wrong.find((one) => Math.abs(value - one.value) <= tolerance);
    const lead = [shown ? say("quiz.read_as", { value: shown }) : "", say(right ? "quiz.right" : "quiz.wrong")];
    reply(section, right ? "right" : "wrong", right ? run.data.reply : (known?.reply ?? run.data.otherwise), lead.filter(Boolean).join(say("quiz.between")));
    if (!run.tried) run.streak = right && !run.shown ? run.streak + 1 : 0;
    run.tried = true;
    runs.set(section, run);
    const more = section.querySelector(".another")?.parentElement;
    if (more) {
      const enough = run.streak >= STREAK;
      if (enough) section.querySelector(".reply").append(make("p", { class: "streak" }, say("fresh.streak")));
      const held = enough && more.contains(document.activeElement);
      more.hidden = enough;
      if (held) input.focus();
    }
    // What was answered on further lists is practice: the answer to the first list stays.
    const before = store.answers[name(data)];
    if (!run.other) keep(data, right, value);
    else keep(data, right, before?.answer ?? null, { practised: (before?.practised ?? 0) + 1 });
  };

  /** Asks about the next further list. */
  const another = (section, data) => {
    const key = name(data), turn = turns.get(key) ?? 0;
    const fresh = data.fresh[turn % data.fresh.length];
    turns.set(key, turn + 1);
    const run = runs.get(section);
    runs.set(section, { data: { ...data, ...fresh }, streak: run?.streak ?? 0, other: true });
    section.querySelector(".data").textContent = JSON.stringify({ ...data, ...fresh });
    section.querySelector(".asked span").innerHTML = fresh.ask;  // as above: rendered Markdown
    const input = section.querySelector("input"), box = section.querySelector(".reply"), worked = section.querySelector(".worked");
    input.value = "";
    input.removeAttribute("aria-invalid");
    box.className = "reply";
    box.replaceChildren();
    worked.open = false;
    worked.querySelector(".lines").replaceChildren(...fresh.worked.map((line) => html(line, "li")));
    section.querySelector(".another").parentElement.hidden = true;
  };
  relyon.practise = (section) => {
    const data = JSON.parse(section.querySelector(".data").textContent);
    if (data.fresh?.length) another(section, { ...data, ...(section.dataset.kept ? { lesson: section.dataset.kept.split("/")[0] } : {}) });
  };

  /** The worked result, a line more for each press, or all; before an answer it counts as shown. */
  const worked = (section, data) => {
    const details = section.querySelector(".worked"), buttons = details.querySelector(".buttons");
    const lines = () => [...details.querySelectorAll(".lines li")];
    let count = 1;
    const draw = () => {
      lines().forEach((line, place) => { line.hidden = place >= count; });
      const all = count >= lines().length, focused = buttons.contains(document.activeElement);
      buttons.hidden = all;
      if (all && focused) { const last = lines().at(-1); last.tabIndex = -1; last.focus(); }
    };
    details.querySelector(".next").addEventListener("click", () => { count += 1; draw(); });
    details.querySelector(".all").addEventListener("click", () => { count = lines().length; draw(); });
    details.addEventListener("toggle", () => {
      if (!details.open) { count = 1; draw(); return; }
      const run = runs.get(section) ?? { data, streak: 0, other: false };
      if (!run.tried) Object.assign(run, { shown: true, streak: 0 });
      runs.set(section, run);
      const more = section.querySelector(".another")?.parentElement;
      if (more) more.hidden = false;
      if (!run.tried && !store.answers[name(data)]?.done) {
        store.put("answers", name(data), { done: true, skipped: true, shown: true, when: new Date().toISOString() });
      } else if (data.again) document.dispatchEvent(new CustomEvent("relyon-kept", { detail: { part: "answers", name: name(data) } }));
      draw();
    });
    draw();
    section.querySelector(".another")?.addEventListener("click", () => {
      another(section, data);
      section.querySelector(".heard")?.remove();
      section.querySelector("input").focus();
    });
  };

  const order = (section, data) => {
    const places = [...section.querySelectorAll(".sortable li")].map((row) => Number(row.dataset.item));
    const right = places.every((place, index) => place === index);
    reply(section, right ? "right" : "wrong", right ? data.reply : data.otherwise, say(right ? "quiz.right" : "quiz.wrong"));
    keep(data, right, places);
  };

  const slider = (section, data) => {
    const value = Number(section.querySelector("input").value);
    const off = Math.abs(value - data.answer);
    const guess = section.querySelector("output").textContent;
    const how = off <= data.step / 2 ? "exact" : off <= data.near ? "near" : "far";
    reply(section, off <= data.near ? "right" : "wrong", data.reply, say(`predict.${how}`, { guess }));
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
    if (answer === number) worked(section, data);
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
        if (kept.answer == null) return;  // only practised on further lists
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
      relyon.schedule.add(name(data));
    });
  };

  relyon.blocks = { predict: ask, quiz: ask, derive, card };
  for (const kind of ["recap", "picture"]) relyon.blocks[kind] = () => {};
})();
