"use strict";
// Lists to re-order with measures that follow, and dials with figures that follow.
(() => {
  const { store, say, count, make, sortable, handles } = relyon;
  const lesson = document.querySelector("article").dataset.lesson;
  const shown = (value, digits = 4) =>
    value === null ? say("play.undefined") : typeof value === "string" ? value
      : Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en").replace("-", "−") : value.toFixed(digits).replace("-", "−");

  const list = (section, data) => {
    const top = section.querySelector(".list");
    const below = make("ol", { class: "sortable below", "aria-label": say("play.below") });
    if (data.line) top.after(make("p", { class: "line" }, say("play.below")), below);
    const lists = data.line ? [top, below] : [top];
    const values = section.querySelector(".values");
    const goals = section.querySelector(".goals"), heard = section.querySelector(".heard");
    let goal = 0, moves = 0, last = null, before = [];

    const grade = (one) => one.grade === null ? say("play.unjudged") : say("play.grade", { grade: one.grade });
    const draw = data.drawing ? relyon.drawn(section.querySelector(".drawing"), data.drawing) : () => {};
    const rows = data.documents.map((one, index) => make("li", { tabindex: "0", "data-index": index },
      make("span", { class: "title" }, one.title), make("span", { class: "grade" }, relyon.draw.sweets(one.grade), grade(one)), ...handles(one.title)));

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

    const picture = () => draw([{
      grades: [...top.children].map((row) => data.documents[Number(row.dataset.index)].grade), groups: null,
    }]);

    const measure = () => {
      picture();
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
            make("span", { class: "value" }, shown(value)),
            make("span", { "aria-hidden": "true" }, way > 0 ? " ▲" : way < 0 ? " ▼" : ""), bar),
        ];
      }));
    };

    const where = (row) => {
      const one = data.documents[Number(row.dataset.index)];
      const at = [...top.children].indexOf(row);
      return at >= 0 ? say("play.place", { title: one.title, rank: at + 1 }) : say("play.place_below", one);
    };
    const tell = () => {
      rows.forEach((row) => {
        const one = data.documents[Number(row.dataset.index)];
        row.setAttribute("aria-label", [where(row), grade(one)].join(say("play.comma")));
      });
    };

    /** Says what moved, what the measures became, and the goal that was reached. */
    const announce = (row, before, reached) => {
      const now = data.record[state()];
      const values = data.measures.map((measure, column) => now[column] === before[column]
        ? say("play.unchanged", { measure })
        : say("play.changed", { measure, value: shown(now[column]), before: shown(before[column]) }));
      const said = [where(row), ...values].map((what) => say("play.now", { what }));
      heard.textContent = [...said, ...reached].join(" ");
    };

    const result = (kept, one) =>
      say("play.reached", { moves: count("play.moves", kept.answer), par: count("play.moves", one.moves) });
    const showGoals = () => {
      goals.replaceChildren(...data.goals.slice(0, goal + 1).map((one, index) => {
        const kept = store.answers[`${lesson}/${data.id}/${index}`];
        const text = make("span");
        text.innerHTML = one.text;  // rendered from the lesson's Markdown
        const row = make("li", { class: kept?.done ? "done" : "" }, text, " ");
        if (kept?.done) {
          row.append(make("span", { class: "said" }, "✓ ", result(kept, one)));
        } else {
          row.append(make("span", { class: "par" }, say("play.par", { moves: count("play.moves", one.moves) })));
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

    /** Returns what is said of the goal, if it is reached. */
    const check = () => {
      const one = data.goals[goal];
      if (!one || !one.reached.includes(state())) return [];
      const key = `${lesson}/${data.id}/${goal}`;
      const best = store.answers[key]?.answer ?? Infinity;
      store.put("answers", key, { done: true, right: true, answer: Math.min(best, moves), when: new Date().toISOString() });
      goal += 1;
      showGoals();
      const said = result(store.answers[key], one);
      return goal < data.goals.length ? [said] : [said, say("play.all")];
    };

    // A document that goes on is one move: the arrow keys take it there step by step.
    const moved = (row) => {
      if (row !== last) moves += 1;
      last = row;
      measure();
      tell();
      announce(row, before, check());
      before = data.record[state()];
    };
    const reset = () => {
      moves = 0;
      last = null;
      top.replaceChildren(...rows.slice(0, data.retrieved));
      below.replaceChildren(...rows.slice(data.retrieved));
      before = data.record[state()];
      heard.textContent = "";
      measure();
      tell();
    };

    sortable(lists, moved);
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

  /** Returns each number of a figure as a line over the settings, without those that are undefined. */
  const course = ({ frames }) => Object.fromEntries(Object.keys(frames[0].values)
    .map((key) => [key, frames.flatMap(({ values }, place) => Number.isFinite(values[key]) ? [[place, values[key]]] : [])])
    .filter(([, line]) => line.length));

  const dial = (section, data) => {
    let drawn = 0;
    const range = section.querySelector("[type=range]");
    const figure = section.querySelector("figure");
    // A figure without lines of its own shows how its numbers follow the dial.
    const own = data.frames.some((frame) => Object.keys(frame.series).length);
    const turns = !own && data.frames.length > 1;
    const over = turns ? course(data) : {};
    const points = (own ? data.frames.map((frame) => frame.series) : [over]).flatMap((one) => Object.values(one).flat());
    const xs = turns ? [0, data.frames.length - 1] : points.map((one) => one[0]), ys = points.map((one) => one[1]);
    const bounds = [Math.min(...xs), Math.max(...xs), Math.min(0, ...ys), Math.max(...ys)];
    const chart = (frame) => relyon.chart(own ? frame.series : over, data.names, bounds, {
      width: figure.clientWidth,
      ...(turns ? { ticks: data.settings.map((one, place) => [place, String(one)]), at: Number(range.value) } : {}),
    });
    const drawing = data.drawing ? relyon.drawn(figure, { ...data.drawing, frames: data.frames.map((one, place) => ({ setting: data.settings[place], ...one })) }) : null;
    const show = (event) => {
      const frame = data.frames[Number(range.value)], setting = String(data.settings[Number(range.value)]);
      const values = Object.entries(frame.values).map(([key, value]) => [data.names[key], shown(value, data.digits)]);
      section.querySelector("output").textContent = setting;
      range.setAttribute("aria-valuetext", setting);
      section.querySelector(".values").replaceChildren(...values.flatMap(([name, value]) => [
        make("dt", {}, name), make("dd", {}, value),
      ]));
      if (event) section.querySelector(".heard").textContent = values.map((one) => say("play.now", { what: one.join(" ") })).join(" ");
      if (drawing) drawing(Number(range.value));
      else figure.replaceChildren(...(points.length ? [chart(frame)] : []));
    };
    if (data.settings.length < 2) section.querySelector(".dial").hidden = true;
    range.addEventListener("input", show);
    if (!drawing) new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width !== drawn) { drawn = contentRect.width; show(); }
    }).observe(figure);
    show();
  };

  relyon.blocks.play = (section, data) => (data.frames ? dial : list)(section, data);
})();
