"use strict";
// The interval of a mean that narrows as sessions are graded: the sessions as points, their interval, and the
// intervals of the smaller samples above it on a scale of their own.
(() => {
  const { say, make } = relyon;
  const { svg, text, sheet, number, described } = relyon.draw;
  const STRIP = 70, ROW = 22, EDGE = 14;

  relyon.drawings.interval = (data) => {
    const { frames } = data;
    const scale = (values, width, left) => {
      const low = Math.min(...values), high = Math.max(...values), room = (high - low || 1) * 0.05;
      return (value) => left + (width - left - EDGE) * (value - low + room) / (high - low + 2 * room);
    };
    const said = ({ setting, values }) => say("picture.interval", {
      name: setting, low: number(values.low, 2), high: number(values.high, 2), value: number(values.estimate, 2), truth: number(values.truth, 2),
    });
    const ticks = (made, x, y, values) => {
      for (const value of values) made.append(text(x(value), y, number(value, 1), "muted small"));
    };
    const range = (made, x, y, { low, high, estimate }, past) => {
      made.append(svg("line", { x1: x(low), x2: x(high), y1: y, y2: y, class: past ? "range past" : "range" }));
      for (const end of [low, high]) made.append(svg("line", { x1: x(end), x2: x(end), y1: y - 6, y2: y + 6, class: "end" }));
      made.append(svg("circle", { cx: x(estimate), cy: y, r: 3.5, class: "mean" }));
    };
    return {
      // A dial gives the place of its setting; a picture shows all of them.
      render: (lists, width) => {
        const last = typeof lists === "number" ? lists : frames.length - 1, now = frames[last], shown = frames.slice(0, last + 1);
        const every = frames.flatMap(({ series }) => series.sessions.map(([, value]) => value));
        const left = EDGE + Math.max(...frames.map(({ setting }) => 7 * String(setting).length));
        const x = scale(every, width, left), zoomed = scale(frames.flatMap(({ values }) => [values.low, values.high, values.truth]), width, left);
        const rows = STRIP + 64, made = sheet(width, rows + ROW * frames.length + 20, described(say("picture.interval_all"), shown.map(said)));
        made.append(text(0, 12, `${say("picture.interval_dots")} (${now.setting})`, "muted", "start"));
        // Points of one value stand apart by their place in the sample alone.
        now.series.sessions.forEach(([place, value]) => made.append(
          svg("circle", { cx: x(value), cy: 22 + (STRIP - 30) * ((place * 0.618034) % 1), r: 2.2, class: "session" })));
        range(made, x, STRIP + 4, now.values);
        const whole = [Math.ceil(Math.min(...every)), Math.round((Math.min(...every) + Math.max(...every)) / 2), Math.floor(Math.max(...every))];
        made.append(svg("line", { x1: x(now.values.truth), x2: x(now.values.truth), y1: 18, y2: STRIP + 12, class: "truth" }));
        ticks(made, x, STRIP + 24, whole);
        made.append(text(0, STRIP + 48, say("picture.interval_all"), "muted", "start"));
        made.append(svg("line", { x1: zoomed(now.values.truth), x2: zoomed(now.values.truth), y1: rows - 8, y2: rows + ROW * frames.length, class: "truth" }));
        frames.forEach(({ setting, values }, place) => {
          made.append(text(left - 8, rows + ROW * (place + 0.5) + 4, String(setting), place === last ? "strong" : "muted", "end"));
          if (place <= last) range(made, zoomed, rows + ROW * (place + 0.5), values, place !== last);
        });
        const ends = frames.map(({ values }) => values);
        ticks(made, zoomed, rows + ROW * frames.length + 14, [Math.min(...ends.map(({ low }) => low)), now.values.truth, Math.max(...ends.map(({ high }) => high))]);
        return [made, make("p", { class: "legend" }, say("picture.interval_legend")), ...(typeof lists === "number" ? [] : [make("p", { class: "legend" }, said(now))])];
      },
    };
  };
})();
