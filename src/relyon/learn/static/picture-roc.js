"use strict";
// A list as a ROC curve: up for a relevant document, right for another one, slanted for equal scores; the
// filled area is the AUC. A threshold goes down the list with the point that it makes on the curve.
(() => {
  const { say, make } = relyon;
  const { svg, text, sheet, number, grades, named, described } = relyon.draw;

  relyon.drawings.roc = (data, again) => {
    let cut = null;
    const range = make("input", { type: "range", min: 0, step: 1 });
    const output = make("output", { "aria-live": "off" });
    const control = make("label", { class: "cut" }, say("picture.cut"), range, output);
    range.addEventListener("input", () => { cut = Number(range.value); again(); });

    /** The key of a list's curve: 1 for relevant, 0 for others, brackets around equal scores. */
    const key = (list) => {
      const groups = new Map();
      list.grades.forEach((grade, place) => {
        const bit = grade === null ? data.unjudged : grade >= data.rel ? "1" : "0";
        const group = list.groups ? list.groups[place] : place;
        if (bit) groups.set(group, (groups.get(group) ?? "") + bit);
      });
      return [...groups].sort(([one], [other]) => one - other)
        .map(([, bits]) => bits.length > 1 ? `(${[...bits].sort().reverse().join("")})` : bits).join("");
    };

    const plot = (curve, list, width, name, at) => {
      const side = Math.min(240, width - 70), left = 44, top = name ? 36 : 20;
      const x = (value) => left + side * value, y = (value) => top + side * (1 - value);
      const facts = [
        say("picture.measure", { measure: say("picture.area"), value: number(curve.area) }),
        say("picture.measure", { measure: say("picture.short_tpr"), value: number(curve.y[at]) }),
        say("picture.measure", { measure: say("picture.short_fpr"), value: number(curve.x[at]) }),
      ];
      const made = sheet(width, top + side + 34, described(say("picture.roc", { grades: grades(list) }), facts));
      if (name) made.append(text(2, 14, name, "strong", "start"));
      for (const share of [0, 0.5, 1]) {
        made.append(svg("line", { x1: x(0), x2: x(1), y1: y(share), y2: y(share), class: "guide" }),
          svg("line", { x1: x(share), x2: x(share), y1: y(0), y2: y(1), class: "guide" }),
          text(x(0) - 6, y(share) + 4, number(share, 1), "muted small", "end"), text(x(share), y(0) + 15, number(share, 1), "muted small"));
      }
      made.append(text(x(0.25), y(0) + 29, say("picture.short_fpr"), "muted"), text(12, y(0.25) + 4, say("picture.short_tpr"), "muted"));
      const path = curve.x.map((one, place) => `${x(one).toFixed(1)},${y(curve.y[place]).toFixed(1)}`);
      made.append(svg("polygon", { points: [...path, `${x(1)},${y(0)}`].join(" "), class: "filled" }),
        svg("line", { x1: x(0), y1: y(0), x2: x(1), y2: y(1), class: "chance" }),
        svg("polyline", { points: path.join(" "), class: "curve" }));
      // A step is named by the documents that make it.
      for (let place = 1; place < curve.x.length; place += 1) {
        const a = (curve.x[place - 1] + curve.x[place]) / 2, b = (curve.y[place - 1] + curve.y[place]) / 2;
        const first = curve.cut[place - 1] + 1, last = curve.cut[place], upward = curve.x[place] === curve.x[place - 1];
        made.append(svg("circle", { cx: x(curve.x[place]), cy: y(curve.y[place]), r: 3, class: "point" }),
          text(x(a) + (upward ? 9 : 0), y(b) + (upward ? 4 : -6), first === last ? String(first) : `${first}–${last}`, "small strong"));
      }
      made.append(svg("line", { x1: x(0), x2: x(curve.x[at]), y1: y(curve.y[at]), y2: y(curve.y[at]), class: "to-axis" }),
        svg("line", { x1: x(curve.x[at]), x2: x(curve.x[at]), y1: y(0), y2: y(curve.y[at]), class: "to-axis" }),
        svg("circle", { cx: x(curve.x[at]), cy: y(curve.y[at]), r: 6, class: "marker" }),
        text(x(0.97), y(0.06), `AUC ${number(curve.area)}`, "strong", "end"));
      return made;
    };

    const render = (lists, width) => {
      const made = lists.flatMap((list, index) => {
        const curve = data.curves[key(list)], name = named(data, lists, index);
        if (!curve) return [make("p", { class: "legend" }, described(name, [say("picture.roc_none")]))];
        const last = curve.cut.length - 1, at = Math.min(cut ?? Math.ceil(last / 2), last);
        range.max = last;
        range.value = at;
        output.textContent = say("picture.cut_at", { count: curve.cut[at] });
        range.setAttribute("aria-valuetext", [output.textContent,
          say("picture.measure", { measure: say("picture.short_tpr"), value: number(curve.y[at]) }),
          say("picture.measure", { measure: say("picture.short_fpr"), value: number(curve.x[at]) })].join(say("play.comma")));
        return [plot(curve, list, width, name, at), make("dl", { class: "facts" },
          make("dt", {}, number(curve.y[at])), make("dd", {}, say("picture.tpr")),
          make("dt", {}, number(curve.x[at])), make("dd", {}, say("picture.fpr")),
          make("dt", {}, number(curve.area)), make("dd", {}, say("picture.area")))];
      });
      control.hidden = !lists.some((list) => data.curves[key(list)]);
      return [...made, make("p", { class: "legend" }, say("picture.roc_legend", { rel: number(data.rel, 1) }))];
    };
    return { render, controls: [control] };
  };
})();
