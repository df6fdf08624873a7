"use strict";
// Lists to re-order with measures that follow, and dials with figures that follow.
(() => {
  const { store, say, count, make, sortable } = relkit;
  const lesson = document.querySelector("article").dataset.lesson;
  const shown = (value, digits = 4) =>
    value === null ? say("play.undefined") : typeof value === "string" ? value : value.toFixed(digits).replace("-", "−");

  const list = (section, data) => {
    const top = section.querySelector(".list");
    const below = make("ol", { class: "sortable below", "aria-label": say("play.below") });
    if (data.line) top.after(make("p", { class: "line" }, say("play.below")), below);
    const lists = data.line ? [top, below] : [top];
    const values = section.querySelector(".values");
    const goals = section.querySelector(".goals");
    let goal = 0, moves = 0, last = null;

    const grade = (one) => one.grade === null ? say("play.unjudged") : say("play.grade", { grade: one.grade });
    const rows = data.documents.map((one, index) => {
      const up = make("button", { type: "button", class: "up", "aria-label": say("play.up", one), tabindex: "-1" }, "↑");
      const down = make("button", { type: "button", class: "down", "aria-label": say("play.down", one), tabindex: "-1" }, "↓");
      return make("li", { tabindex: "0", "data-index": index },
        make("span", { class: "title" }, one.title), make("span", { class: "grade" }, grade(one)),
        make("span", { class: "moves" }, up, down));
    });

    const name = (row) => {
      const one = data.documents[Number(row.dataset.index)];
      return one.grade === null ? "-" : String(one.grade);
    };
    const state = () => {
      const retrieved = [...top.children].map(name).join(" ");
      const missing = data.line
        ? [...below.children].map(name)
        : data.documents.slice(data.retrieved).map((one) => one.grade === null ? "-" : String(one.grade));
      missing.sort((one, other) => one < other ? -1 : one > other ? 1 : 0);
      return retrieved + (missing.length ? `/${missing.join(" ")}` : "");
    };

    const measure = () => {
      const now = data.record[state()], first = data.record[data.start];
      values.replaceChildren(...data.measures.flatMap((measured, column) => {
        const value = now[column];
        const way = typeof value === "number" && typeof first[column] === "number"
          ? Math.sign(Math.round((value - first[column]) * 1e9)) : 0;
        const bar = make("span", { class: "bar-of", "aria-hidden": "true" }, make("span"));
        bar.firstChild.style.width = `${typeof value === "number" ? Math.max(0, 100 * value / data.highest[column]) : 0}%`;
        return [
          make("dt", {}, measured),
          make("dd", { class: way > 0 ? "better" : way < 0 ? "worse" : "" },
            make("span", { class: "value" }, shown(value), way > 0 ? " ▲" : way < 0 ? " ▼" : ""), bar),
        ];
      }));
    };

    const tell = () => {
      rows.forEach((row) => {
        const one = data.documents[Number(row.dataset.index)];
        const at = [...top.children].indexOf(row);
        const where = at >= 0 ? say("play.place", { title: one.title, rank: at + 1 }) : say("play.place_below", one);
        row.setAttribute("aria-label", `${where}, ${grade(one)}`);
      });
    };

    const showGoals = () => {
      goals.replaceChildren(...data.goals.slice(0, goal + 1).map((one, index) => {
        const kept = store.answers[`${lesson}/${data.id}/${index}`];
        const text = make("span");
        text.innerHTML = one.text;  // rendered from the lesson's Markdown
        const row = make("li", { class: kept?.done ? "done" : "" }, text, " ");
        const par = count("play.moves", one.moves);
        if (kept?.done) {
          row.append(make("span", { class: "said" }, "✓ ", say("play.reached", { moves: count("play.moves", kept.answer), par })));
        } else {
          row.append(make("span", { class: "par" }, say("play.par", { moves: par })));
          if (one.hint) {
            const hint = make("p");
            hint.innerHTML = one.hint;
            row.append(make("details", {}, make("summary", {}, say("play.hint")), hint));
          }
        }
        return row;
      }));
      if (data.goals.length && goal >= data.goals.length) goals.append(make("li", { class: "end" }, say("play.all")));
    };

    const check = () => {
      const one = data.goals[goal];
      if (!one || !one.reached.includes(state())) return;
      const key = `${lesson}/${data.id}/${goal}`;
      const best = store.answers[key]?.answer ?? Infinity;
      store.put("answers", key, { done: true, right: true, answer: Math.min(best, moves), when: new Date().toISOString() });
      goal += 1;
      showGoals();
    };

    // A document that goes on is one move: the arrow keys take it there step by step.
    const moved = (row) => {
      if (row !== last) moves += 1;
      last = row;
      measure();
      tell();
      check();
    };
    const reset = () => {
      moves = 0;
      last = null;
      top.replaceChildren(...rows.slice(0, data.retrieved));
      below.replaceChildren(...rows.slice(data.retrieved));
      measure();
      tell();
    };

    const { step } = sortable(lists, moved);
    rows.forEach((row) => {
      row.querySelector(".up").addEventListener("click", () => step(row, -1));
      row.querySelector(".down").addEventListener("click", () => step(row, 1));
    });
    section.querySelector(".again").addEventListener("click", () => {
      reset();
      goal = data.goals.findIndex((_, index) => !store.answers[`${lesson}/${data.id}/${index}`]?.done);
      if (goal < 0) goal = 0;
      showGoals();
    });
    while (goal < data.goals.length && store.answers[`${lesson}/${data.id}/${goal}`]?.done) goal += 1;
    reset();
    showGoals();
  };

  const dial = (section, data) => {
    const range = section.querySelector("[type=range]");
    const figure = section.querySelector("figure");
    const points = data.frames.flatMap((frame) => Object.values(frame.series).flat());
    const xs = points.map((one) => one[0]), ys = points.map((one) => one[1]);
    const bounds = [Math.min(...xs), Math.max(...xs), Math.min(0, ...ys), Math.max(...ys)];
    const show = () => {
      const frame = data.frames[Number(range.value)];
      section.querySelector("output").textContent = data.settings[Number(range.value)];
      section.querySelector(".values").replaceChildren(...Object.entries(frame.values).flatMap(([key, value]) => [
        make("dt", {}, data.names[key]), make("dd", {}, shown(value, data.digits)),
      ]));
      figure.replaceChildren(...(Object.keys(frame.series).length ? [relkit.chart(frame.series, data.names, bounds)] : []));
    };
    if (data.settings.length < 2) section.querySelector(".dial").hidden = true;
    range.addEventListener("input", show);
    show();
  };

  relkit.blocks.play = (section, data) => (data.frames ? dial : list)(section, data);
})();
