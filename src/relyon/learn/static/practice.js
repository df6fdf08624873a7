"use strict";
// Questions asked once more: in practice at a recap, and in later lessons.
relyon.practice = (() => {
  const { store, say, make, schedule } = relyon;
  const lesson = document.querySelector("article").dataset.lesson;
  const read = (section) => JSON.parse(section.querySelector(".data").textContent);

  // Every section as the page came, before the scripts woke it.
  const untouched = new Map([...document.querySelectorAll("section.predict, section.quiz, section.card")]
    .map((section) => [section.id, section.cloneNode(true)]));
  let copies = 0;

  /** Returns a section with names of its own: a page has each only once. */
  const renamed = (section) => {
    const own = (id) => `again${copies}-${id}`;
    copies += 1;
    for (const one of [section, ...section.querySelectorAll("[id]")]) one.id = own(one.id);
    for (const name of ["aria-labelledby", "aria-describedby", "for"]) {
      for (const one of section.querySelectorAll(`[${name}]`)) {
        one.setAttribute(name, one.getAttribute(name).split(" ").map(own).join(" "));
      }
    }
    for (const one of section.querySelectorAll("input[name]")) one.name = own(one.name);
    section.dataset.again = "";
    return section;
  };

  const question = (section, values = {}) => {
    const copy = renamed(section.cloneNode(true));
    const data = { ...read(copy), ...values, again: true };
    copy.dataset.kept = `${data.lesson ?? lesson}/${data.id}`;
    relyon.blocks[data.kind](copy, data);
    return copy;
  };

  const card = (section) => {
    const copy = renamed(section.cloneNode(true));
    const id = `${lesson}/${read(copy).id}`;
    const buttons = make("p", { class: "buttons" });
    for (const [word, rating] of [["pace.forgotten", 1], ["pace.known", 3]]) {
      const button = make("button", { type: "button" }, say(word));
      button.addEventListener("click", () => {
        copy.dataset.settled = "";
        schedule.rate(id, rating);
        buttons.hidden = true;
      });
      buttons.append(button);
    }
    buttons.hidden = true;
    copy.querySelector("details").addEventListener("toggle", () => {
      buttons.hidden = "settled" in copy.dataset;
    });
    copy.append(buttons);
    return copy;
  };

  /** Returns what of these sections was wrong or skipped, and their cards that are due. */
  const missed = (sections) => sections.filter((section) => {
    const kept = store.answers[`${lesson}/${section.id}`];
    if (section.matches(".card")) return schedule.due(`${lesson}/${section.id}`);
    return kept?.done && kept.right !== true;
  });

  /** Returns the questions among these sections that have other numbers to ask about. */
  const fresh = (sections) => sections.filter((section) => section.matches(".quiz")
    && untouched.has(section.id) && read(untouched.get(section.id)).fresh?.length);

  /** Returns sections to practise: copies of these, with fresh numbers where there are any. */
  const again = (sections) => sections.map((section) => {
    const first = untouched.get(section.id);
    if (section.matches(".card")) return card(first);
    const copy = question(first);
    if (fresh([section]).length) relyon.practise?.(copy);
    return copy;
  });

  let loading = null;
  /** Loads the questions of all lessons: a script, since a page on disk may load no other file. */
  const load = () => {
    loading ??= new Promise((resolve) => {
      const script = make("script", { src: "review.js" });
      script.addEventListener("load", () => resolve(relyon.review));
      script.addEventListener("error", () => resolve([]));
      document.head.append(script);
    });
    return loading;
  };

  const DAY = 24 * 3600 * 1000;
  /** How soon a question is asked again: still wrong or skipped, wrong at first, seen, never seen. */
  const turn = (kept) => {
    if (!kept?.done) return 3;
    if (kept.right !== true) return 0;
    return kept.first === false && Date.now() - Date.parse(kept.when) > DAY ? 1 : 2;
  };

  /** Returns a question of an earlier lesson: wrong at first, else the longest not seen. In a track,
      what its lessons did not teach is not asked, unless it was answered. */
  const choose = (pool, asked, within) => {
    const before = pool.slice(0, Math.max(0, pool.findIndex((one) => one.lesson === lesson)));
    const found = before.flatMap((taught) => taught.questions.map(({ id, html }) => {
      const name = `${taught.lesson}/${id}`, kept = store.answers[name];
      return { taught, id, html, name, turn: turn(kept), when: Date.parse(kept?.when ?? "") || 0 };
    })).filter((one) => !asked.includes(one.name)
      && (one.turn < 3 || !within?.includes(lesson) || within.includes(one.taught.lesson)));
    found.sort((one, other) => one.turn - other.turn || one.when - other.when);
    return found[0] ?? null;
  };

  /** Returns the content of a step that looks back, null if there is nothing to look back to. */
  const review = async (asked, within) => {
    const found = choose(await load(), asked, within);
    if (!found) return null;
    const { taught, id, html, name } = found;
    const template = make("template");
    template.innerHTML = html;  // rendered from the lesson's Markdown, as on its own page
    const section = question(template.content.firstElementChild, { lesson: taught.lesson });
    section.querySelector(".kind").textContent = say("pace.review");
    const from = make("p", { class: "taught" }, say("pace.review_from", taught), " · ",
      make("a", { href: `${taught.lesson}.html#${id}` }, say("pace.review_where")));
    section.append(from);
    return { section, name };
  };

  return { missed, fresh, again, load, choose, review };
})();

/** Shows the reply to a question that was skipped. */
relyon.reveal = (section, data) => {
  const { say, make } = relyon;
  const between = say("pace.between_answers");
  const text = (html) => { const span = make("span"); span.innerHTML = html; return span; };
  const digits = (step) => Math.max(0, Math.ceil(-Math.log10(step || 0.005)));
  const rounded = (value, step) => String(Number(value.toFixed(digits(step)))).replace("-", "−");
  const labels = [...section.querySelectorAll("label.choice > span")];
  const items = [...section.querySelectorAll(".sortable li")]
    .sort((one, other) => Number(one.dataset.item) - Number(other.dataset.item))
    .map((row) => row.querySelector("span"));
  const right = data.choices?.map((choice, place) => choice.right ? place : -1).filter((place) => place >= 0);
  const answers = right ? right.map((place) => labels[place].cloneNode(true))
    : items.length ? items.map((one) => one.cloneNode(true))
      : [rounded(data.answer, data.tolerance ?? data.step)];
  const listed = answers.flatMap((one, place) => place ? [between, one] : [one]);
  const [before, after] = say("pace.skipped", { answer: "\n" }).split("\n");
  const why = right ? right.map((place) => data.choices[place].reply) : [data.reply];
  const box = section.querySelector(".reply");
  box.className = "reply skipped";
  box.replaceChildren(make("p", {}, before, make("strong", {}, ...listed), after), ...why.map((one) => make("p", {}, text(one))));
};
