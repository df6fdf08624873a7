"use strict";
// A line chart of a figure's series, drawn as SVG; every line is named at its end.
relkit.chart = (series, names, bounds) => {
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 560, HEIGHT = 260, LEFT = 48, RIGHT = 130, TOP = 12, BOTTOM = 30;
  const make = (name, attributes, text = "") => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };
  const [x0, x1, y0, y1] = bounds;
  const x = (value) => LEFT + (WIDTH - LEFT - RIGHT) * (x1 > x0 ? (value - x0) / (x1 - x0) : 0.5);
  const y = (value) => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (y1 > y0 ? (value - y0) / (y1 - y0) : 0.5);
  const short = (value) => Number(value.toPrecision(3)).toString();

  const title = relkit.say("play.chart", { names: Object.keys(series).map((name) => names[name]).join(", ") });
  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title, class: "chart" });
  for (const share of [0, 0.5, 1]) {
    const value = y0 + share * (y1 - y0), across = x0 + share * (x1 - x0);
    svg.append(make("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: "grid" }));
    svg.append(make("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, short(value)));
    svg.append(make("text", { x: x(across), y: HEIGHT - 8, "text-anchor": "middle" }, short(across)));
  }
  const ends = [];
  Object.entries(series).forEach(([name, points], index) => {
    const path = points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
    svg.append(make("polyline", { points: path, class: `line line-${index % 5}` }));
    const last = points[points.length - 1];
    ends.push({ y: y(last[1]), x: x(last[0]), name, index });
  });
  // Names that would cover each other move apart.
  ends.sort((one, other) => one.y - other.y);
  let free = TOP;
  for (const end of ends) {
    const at = Math.max(end.y + 4, free);
    free = at + 14;
    svg.append(make("text", { x: WIDTH - RIGHT + 8, y: at, class: `name line-${end.index % 5}` }, names[end.name]));
  }
  return svg;
};
