"use strict";
// A line chart of a figure's series, drawn as SVG in pixels of the page, so that its text keeps its size
// on a phone. Lines are named at their ends, or below the chart where there is no room.
relyon.chart = (series, names, bounds, { width = 560, ticks = null, at = null } = {}) => {
  const SVG = "http://www.w3.org/2000/svg";
  const END = 130, NARROW = 460, ROW = 18, PLOT = 260;
  const make = (name, attributes, text = "") => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };
  const drawn = Object.keys(series), wide = Math.min(560, Math.max(260, Math.floor(width)));
  const long = (text) => [...text].reduce((sum, one) => sum + (one > "\u2e80" ? 12 : 7), 0);
  const below = wide < NARROW || drawn.some((name) => long(names[name]) > END - 8);
  const short = (value) => Number(value.toPrecision(3)).toString();
  const heights = [0, 0.5, 1].map((share) => bounds[2] + share * (bounds[3] - bounds[2]));
  const left = 14 + Math.max(...heights.map((value) => long(short(value)))), right = below ? 22 : END, top = 12, bottom = 30;
  const height = PLOT + (below ? ROW * drawn.length : 0);
  const [x0, x1, y0, y1] = bounds;
  const x = (value) => left + (wide - left - right) * (x1 > x0 ? (value - x0) / (x1 - x0) : 0.5);
  const y = (value) => PLOT - bottom - (PLOT - top - bottom) * (y1 > y0 ? (value - y0) / (y1 - y0) : 0.5);

  const title = relyon.say("play.chart", { names: drawn.map((name) => names[name]).join(relyon.say("play.comma")) });
  const svg = make("svg", { viewBox: `0 0 ${wide} ${height}`, role: "img", "aria-label": title, class: "chart" });
  svg.style.maxWidth = `${wide}px`;
  for (const value of heights) {
    svg.append(make("line", { x1: left, x2: wide - right, y1: y(value), y2: y(value), class: "grid" }));
    svg.append(make("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, short(value)));
  }
  for (const [place, text] of ticks ?? [0, 0.5, 1].map((share) => [x0 + share * (x1 - x0), short(x0 + share * (x1 - x0))])) {
    svg.append(make("text", { x: x(place), y: PLOT - 8, "text-anchor": "middle" }, text));
  }
  if (at !== null) svg.append(make("line", { x1: x(at), x2: x(at), y1: top, y2: PLOT - bottom, class: "now" }));
  drawn.forEach((name, index) => {
    const path = series[name].map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
    svg.append(make("polyline", { points: path, class: `line line-${index % 5}` }));
    for (const [a, b] of series[name].filter(([a]) => a === at || series[name].length === 1)) {
      svg.append(make("circle", { cx: x(a), cy: y(b), r: 4, class: `dot line-${index % 5}` }));
    }
  });
  const named = (place, index, down) =>
    svg.append(make("text", { x: place, y: down, class: `name line-${index % 5}` }, names[drawn[index]]));
  if (below) {
    drawn.forEach((_, index) => {
      const down = PLOT + ROW * index + 10;
      svg.append(make("polyline", { points: `${left},${down - 4} ${left + 26},${down - 4}`, class: `line line-${index % 5}` }));
      named(left + 34, index, down);
    });
    return svg;
  }
  // Names that would cover each other move apart.
  const ends = drawn.map((name, index) => ({ index, y: y(series[name][series[name].length - 1][1]) }));
  ends.sort((one, other) => one.y - other.y);
  let free = top;
  for (const end of ends) {
    const down = Math.max(end.y + 4, free);
    free = down + 14;
    named(wide - right + 8, end.index, down);
  }
  return svg;
};
