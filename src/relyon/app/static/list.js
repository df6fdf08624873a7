"use strict";
// All results of one query, one below the other: those that wait, and those that were just graded.
class QueryList {
  #place;
  #draw;
  #choose;
  #ids = "";
  #order = new Map();

  /**
   * @param place Where the list is drawn.
   * @param draw Draws a result of a query.
   * @param choose Called with the id of a result that was clicked.
   */
  constructor(place, draw, choose) {
    this.#place = place;
    this.#draw = draw;
    this.#choose = choose;
  }

  /** The results of the query of the first waiting one, as they were first seen, with their answers. */
  group(tasks, done) {
    const [first] = tasks;
    if (!first) return [];
    const waiting = new Set(tasks.map((task) => task.id));
    const same = (one) => one.task.query === first.query && (!one.kind || !waiting.has(one.task.id));
    const found = [...done, ...tasks.map((task) => ({ task }))].filter(same);
    for (const { task } of found) {
      if (!this.#order.has(task.id)) this.#order.set(task.id, this.#order.size);
    }
    return found.sort((one, other) => this.#order.get(one.task.id) - this.#order.get(other.task.id));
  }

  /** Shows a group, and which of it is judged now. */
  show(group, current, label) {
    const ids = group.map(({ task }) => task.id).join();
    const drawn = ids === this.#ids;
    if (!drawn) {
      this.#ids = ids;
      this.#place.replaceChildren(...group.map(({ task }) => this.#card(task)));
    }
    for (const [n, card] of [...this.#place.children].entries()) {
      const { task, kind } = group[n];
      card.classList.toggle("answered", kind !== undefined);
      card.lastElementChild.textContent = kind === undefined ? "" : label(group[n]);
      if (task.id === current) {
        card.setAttribute("aria-current", "true");
        if (drawn || n) card.scrollIntoView({ block: "nearest" });
      } else card.removeAttribute("aria-current");
    }
  }

  forget() {
    this.#ids = "";
  }

  #card(task) {
    const card = document.createElement("div");
    card.setAttribute("role", "listitem");
    card.append(this.#draw(task), document.createElement("p"));
    card.lastElementChild.className = "answer";
    card.addEventListener("click", (event) => {
      if (!event.target.closest("a")) this.#choose(task.id);
    });
    return card;
  }
}

// Which parts of a text are words of a query. A Chinese one is compared by pairs of its characters,
// because nothing separates its words.
const findWords = (() => {
  const HAN = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u;
  const plain = (text) => [...text].map((one) => one.normalize("NFKC").toLowerCase());

  function termsOf(query) {
    const terms = new Set();
    for (const run of query.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      for (const part of run.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu)) {
        const signs = [...part];
        if (!HAN.test(part) || signs.length < 3) terms.add(part);
        else for (let n = 0; n + 1 < signs.length; n += 1) terms.add(signs[n] + signs[n + 1]);
      }
    }
    return [...terms];
  }

  /** The ranges of a text, in characters, in which terms of a query occur. */
  return (text, query) => {
    const signs = plain(text);
    const lengths = signs.map((one) => one.length);
    const whole = signs.join("");
    const marked = new Set();
    const isWord = (sign) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign) && !HAN.test(sign);
    // Where each character of the plain text came from.
    const origin = lengths.flatMap((length, place) => Array(length).fill(place));
    for (const term of termsOf(query)) {
      for (let at = whole.indexOf(term); at >= 0; at = whole.indexOf(term, at + 1)) {
        // A word begins where a word begins: "shoe" in "shoes", not in "horseshoe".
        if (!HAN.test(term) && isWord(whole[at - 1])) continue;
        for (let n = at; n < at + term.length; n += 1) marked.add(origin[n]);
      }
    }
    const ranges = [];
    for (const place of [...marked].sort((one, other) => one - other)) {
      const last = ranges.at(-1);
      if (last && last[1] === place) last[1] = place + 1;
      else ranges.push([place, place + 1]);
    }
    return ranges;
  };
})();

/** Marks the words of a query in the title and the snippet of a drawn result. */
function markWords(article, query) {
  for (const part of article.querySelectorAll(".title, .snippet")) {
    const target = part.querySelector("a") ?? part;
    const signs = [...target.textContent];
    const parts = [];
    let end = 0;
    for (const [from, to] of findWords(target.textContent, query)) {
      const mark = document.createElement("mark");
      mark.textContent = signs.slice(from, to).join("");
      parts.push(signs.slice(end, from).join(""), mark);
      end = to;
    }
    target.replaceChildren(...parts, signs.slice(end).join(""));
  }
  return article;
}
