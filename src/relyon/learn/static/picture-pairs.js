"use strict";
// The pairs of a list: lines between documents, above the list for pairs the right way round and below it for
// the others. The number of lines is what PNR divides.
(() => {
  const { say, make } = relyon;
  const { svg, text, sheet, number, pile, high, grades, named, described } = relyon.draw;

  relyon.drawings.pairs = (data) => {
    const counted = { equal: data.equal ? "picture.equal_counted" : "picture.equal_left", tied: `picture.tied_${data.tied}` };

    /** Every pair of a list, the upper document first, with what it is. */
    const pairs = (list) => list.grades.flatMap((upper, first) => list.grades.slice(first + 1).map((lower, place) => {
      const second = first + 1 + place;
      const name = [upper, lower].map((one) => one === null ? data.unjudged : String(one));
      const tied = list.groups && list.groups[first] === list.groups[second];
      return { first, second, kind: name.includes("") ? null : tied ? "tied" : data.kinds[name.join(" ")] };
    })).filter(({ kind }) => kind);

    const sketch = (list, width, name) => {
      const found = pairs(list), count = Math.max(1, list.grades.length);
      const cell = Math.min(84, Math.floor(width / count)), size = Math.min(30, cell - 4);
      const arc = (first, second) => Math.min(86, 12 + 15 * (second - first));
      const lift = (kinds) => Math.max(0, ...found.filter(({ kind }) => kinds.includes(kind)).map(({ first, second }) => arc(first, second)));
      const tall = high(list.grades, size), top = (name ? 22 : 4) + lift(["right", "equal"]), seat = tall + 22;
      const said = ["right", "wrong", "equal", "tied"].map((kind) => [kind, found.filter((one) => one.kind === kind)])
        .filter(([kind, those]) => those.length || kind === "right" || kind === "wrong");
      const label = (kind) => say(counted[kind] ?? `picture.${kind}`);
      const ranks = (those) => those.map(({ first, second }) => `${first + 1}–${second + 1}`).join(say("play.comma"));
      const made = sheet(width, top + seat + lift(["wrong", "tied"]) + 6, described(
        name || say("picture.pairs", { grades: grades(list) }),
        said.map(([kind, those]) => [say("picture.measure", { measure: label(kind), value: those.length }), ...(those.length ? [`(${ranks(those)})`] : [])].join(" "))));
      if (name) made.append(text(2, 14, name, "strong", "start"));
      const middle = (place) => (place + 0.5) * cell;
      for (const { first, second, kind } of found) {
        const above = kind === "right" || kind === "equal", y = above ? top : top + seat, bend = 2 * arc(first, second) * (above ? -1 : 1);
        // Lines of one document start apart.
        const spread = Math.min(4, cell / (2 * count));
        const a = middle(first) + spread * (second - first), b = middle(second) - spread * (second - first);
        made.append(svg("path", { d: `M${a.toFixed(1)} ${y}C${a.toFixed(1)} ${(y + bend * 0.66).toFixed(1)} ${b.toFixed(1)} ${(y + bend * 0.66).toFixed(1)} ${b.toFixed(1)} ${y}`, class: `pair ${kind}` }));
      }
      list.grades.forEach((grade, place) => {
        const x = middle(place);
        made.append(svg("rect", { x: x - cell / 2 + 2, y: top, width: cell - 4, height: seat, rx: 4, class: "seat" }),
          pile(x, top + tall + 4, size, grade), text(x, top + seat - 5, grade === null ? "–" : number(grade, 1), "strong"));
      });
      const key = (kind) => {
        const line = svg("svg", { class: "key drawn", viewBox: "0 0 34 12", "aria-hidden": "true" }, svg("path", { d: "M2 6H32", class: `pair ${kind}` }));
        return make("span", {}, line, ` ${those(kind)}`);
      };
      const those = (kind) => found.filter((one) => one.kind === kind).length;
      return [made, make("dl", { class: "facts" }, ...said.flatMap(([kind]) => [make("dt", {}, key(kind)), make("dd", {}, label(kind))]))];
    };
    return { render: (lists, width) => lists.flatMap((list, index) => sketch(list, width, named(data, lists, index))) };
  };
})();
