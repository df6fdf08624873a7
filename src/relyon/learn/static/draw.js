"use strict";
// Parts of drawings: SVG in pixels of the page, so that text keeps its size on a phone; candies; and the
// frame that draws again when the page changes its width. A drawing is `relyon.drawings[name](data, again)`,
// which returns `{render(lists, width), controls}`: it only places what relyon computed.
(() => {
  const { say, make } = relyon;
  const SVG = "http://www.w3.org/2000/svg";
  const svg = (name, attributes = {}, ...inside) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
      made.setAttribute(key, typeof value === "number" ? Number(value.toFixed(2)) : value);
    }
    made.append(...inside);
    return made;
  };
  const text = (x, y, said, className = "", anchor = "middle") =>
    svg("text", { x, y, class: className, "text-anchor": anchor }, said);
  const sheet = (width, height, label) => {
    const made = svg("svg", { viewBox: `0 0 ${width} ${Math.ceil(height)}`, role: "img", "aria-label": label, class: "drawn" });
    made.style.maxWidth = `${width}px`;
    return made;
  };
  const number = (value, digits = 3) => value === null || value === undefined ? say("play.undefined")
    : typeof value === "string" ? value
      : (Number.isInteger(value) ? String(value) : value.toFixed(digits)).replace("-", "−");
  const percent = (share) => `${Math.round(100 * share)}%`;

  /** A wrapped candy with its middle at (x, y), so wide at full size; `left` is the share of its area. */
  const candy = (x, y, width, left = 1) => {
    const w = width * Math.sqrt(left);
    const wing = (side) => `M${x + side * 0.24 * w} ${y}l${side * 0.24 * w} ${-0.2 * w}v${0.4 * w}z`;
    return svg("g", { class: "sweet" },
      svg("path", { d: wing(-1) + wing(1), class: "paper" }),
      svg("ellipse", { cx: x, cy: y, rx: 0.29 * w, ry: 0.23 * w, class: "body" }),
      svg("path", { d: `M${x - 0.1 * w} ${y - 0.19 * w}q${0.1 * w} ${0.19 * w} 0 ${0.38 * w}M${x + 0.08 * w} ${y - 0.2 * w}q${0.1 * w} ${0.2 * w} 0 ${0.4 * w}`, class: "stripe" }));
  };
  const MOST = 4, TALL = 0.5;

  /** As many candies as the grade says, on top of each other and standing at `bottom`; a fraction is a smaller one. */
  const pile = (x, bottom, width, grade, left = 1) => {
    const made = svg("g");
    if (grade === null) { made.append(text(x, bottom - 4, "?", "muted")); return made; }
    if (grade <= 0) { made.append(svg("circle", { cx: x, cy: bottom - 5, r: 3.5, class: "none" })); return made; }
    const step = width * TALL * Math.sqrt(left) + 1.5;
    if (grade > MOST) {
      made.append(candy(x, bottom - step / 2, width, left), text(x, bottom - step - 4, `×${number(grade, 1)}`));
      return made;
    }
    for (let place = 0; place < Math.ceil(grade); place += 1) {
      made.append(candy(x, bottom - step * (place + 0.5), width, left * Math.min(1, grade - place)));
    }
    return made;
  };
  const high = (grades, width) => Math.max(16, Math.max(1, ...grades.map((one) => one > MOST ? 2 : Math.ceil(one ?? 0))) * (width * TALL + 1.5));

  const grades = (list) => list.grades.map((one) => one === null ? "–" : number(one, 1)).join(", ");
  const named = (data, lists, index) => data.names[String(index + 1)]
    ?? (lists.length > 1 ? say("picture.list", { number: index + 1 }) : "");
  const measured = (values) => values.map(([measure, value]) => say("picture.measure", { measure, value: number(value) })).join(say("play.comma"));
  const described = (name, parts) => {
    const what = parts.join(say("play.comma"));
    return (name ? say("picture.described", { name, what }) : what) + say("picture.stop");
  };

  const USUAL = 560, WIDEST = 640;

  /** Draws into a figure, and again for each width; returns what shows other lists. */
  const drawn = (figure, data) => {
    // What is hidden has no width, and may be printed.
    let lists = null, width = USUAL;
    const stage = make("div", { class: "stage" });
    const render = () => { if (lists !== null) stage.replaceChildren(...drawing.render(lists, width)); };
    const drawing = relyon.drawings[data.name](data, render);
    figure.replaceChildren(stage, ...(drawing.controls ?? []));
    new ResizeObserver(([{ contentRect }]) => {
      const wide = Math.min(WIDEST, Math.floor(contentRect.width));
      if (wide && wide !== width) { width = wide; render(); }
    }).observe(figure);
    return (now) => { lists = now; render(); };
  };

  /** A small pile of candies for a row of a list that is moved; its grade is written beside it. */
  const sweets = (grade) => {
    const made = svg("svg", { class: "sweets", "aria-hidden": "true" });
    const count = grade === null || grade <= 0 ? 1 : grade > MOST ? 1 : Math.ceil(grade), wide = 20;
    made.setAttribute("viewBox", `0 0 ${wide * count} 14`);
    made.setAttribute("width", wide * count);
    made.setAttribute("height", 14);
    if (grade === null || grade <= 0) made.append(svg("circle", { cx: wide / 2, cy: 7, r: 3.5, class: "none" }));
    else for (let place = 0; place < count; place += 1) made.append(candy(wide * (place + 0.5), 7, 20, Math.min(1, grade - place)));
    return made;
  };

  Object.assign(relyon, {
    drawings: {}, drawn,
    draw: { svg, text, sheet, number, percent, candy, pile, high, grades, named, measured, described, sweets },
  });
  /** A drawing without controls: its data says what it shows. */
  relyon.blocks.picture = (section, data) => drawn(section.querySelector("figure"), data.drawing)(data.drawing.lists ?? []);
})();
