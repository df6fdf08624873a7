"use strict";
// λ of each document as an arrow: up if its score should rise. Twice the length is four times the λ. Each pair's part is shown on request.
(() => {
  const { say, make } = relyon;
  const { svg, text, sheet, number, pile, high, grades, named, described } = relyon.draw;
  const LONGEST = 52, DIGITS = 3;
  const signed = (value) => (value > 0 ? "+" : "") + (Math.abs(value) < 5e-4 ? "0" : number(value, DIGITS));

  relyon.drawings.lambdas = (data, again) => {
    let open = false;
    const highest = Math.max(1e-9, ...Object.values(data.lambdas).flatMap(({ pushes }) => pushes.map(Math.abs)));
    const button = make("button", { type: "button", "aria-expanded": "false" }, say("picture.each_pair"));
    button.addEventListener("click", () => {
      open = !open;
      button.setAttribute("aria-expanded", String(open));
      button.textContent = say(open ? "picture.hide_pairs" : "picture.each_pair");
      again();
    });

    const sketch = (list, width, name) => {
      const { pushes, pairs } = data.lambdas[list.grades.join(" ")], count = pushes.length;
      const cell = Math.min(84, Math.floor(width / count)), size = Math.min(34, cell - 4);
      const tall = high(list.grades, size), top = name ? 22 : 4, line = top + 18 + LONGEST, foot = line + LONGEST + 18;
      const made = sheet(width, foot + tall + 38, described(name || say("picture.lambdas", { grades: grades(list) }),
        pushes.map((push, place) => say("picture.place", {
          rank: say("picture.rank", { rank: place + 1 }),
          what: [say("picture.grade", { grade: number(list.grades[place], 1) }), say("picture.push", { value: signed(push) })].join(say("play.comma")),
        }))));
      if (name) made.append(text(2, 14, name, "strong", "start"));
      made.append(svg("line", { x1: 0, x2: cell * count, y1: line, y2: line, class: "axis" }));
      pushes.forEach((push, place) => {
        const x = (place + 0.5) * cell, long = LONGEST * Math.sqrt(Math.abs(push) / highest), way = push < 0 ? 1 : -1;
        const tip = line + way * long, head = Math.min(9, long);
        if (long > 0.5) {
          made.append(svg("line", { x1: x, x2: x, y1: line, y2: tip - way * head, class: `arrow ${push < 0 ? "fall" : "rise"}` }),
            svg("path", { d: `M${x} ${tip}l-7 ${-way * head}h14z`, class: push < 0 ? "fall" : "rise" }));
        } else made.append(svg("circle", { cx: x, cy: line, r: 3, class: "none" }));
        made.append(text(x, push < 0 ? tip + 14 : tip - 5, signed(push), "strong small"));
        made.append(pile(x, foot + tall, size, list.grades[place]), text(x, foot + tall + 16, number(list.grades[place], 1), "strong"),
          text(x, foot + tall + 31, String(place + 1), "muted small"));
      });
      const parts = pairs.map(([upper, lower, push]) => {
        const [rank, other] = push > 0 ? [upper, lower] : [lower, upper];
        return make("li", {}, say("picture.pair", {
          upper: upper + 1, lower: lower + 1, above: number(list.grades[upper], 1), below: number(list.grades[lower], 1),
          value: say("picture.better_rises", { rank: rank + 1, other: other + 1, value: number(Math.abs(push), DIGITS) }),
        }));
      });
      return [made, ...(open ? [make("ul", { class: "parts" }, ...parts)] : [])];
    };
    return {
      controls: [button],
      render: (lists, width) => {
        const most = Math.max(...lists.map((list) => list.grades.length));
        const scores = Array.from({ length: most }, (_, place) => most - place).join(say("play.comma"));
        return [...lists.flatMap((list, index) => sketch(list, width, named(data, lists, index))),
          make("p", { class: "legend" }, say("picture.lambdas_legend", { scores }))];
      },
    };
  };
})();
