"use strict";
// Lists as candies: as many as the grade says, and so much left of each as its rank leaves. `compare` shows
// lists above each other as they are, with the places that differ, their measures, and the ideal list.
(() => {
  const { say } = relyon;
  const { svg, text, sheet, number, percent, pile, high, grades, named, measured, described } = relyon.draw;
  const NARROWEST = 31, WIDEST = 72, BAND = 12;

  /** What stands above a list, its name and its measures, in as many lines as the width asks for. */
  const heading = (name, values, width) => {
    const wide = (said) => [...said].reduce((sum, one) => sum + (one > "\u2e7f" ? 14 : 7.5), 12);
    const parts = [...(name ? [["", name]] : []), ...values.map(([measure, value]) => [`${measure} `, number(value)])];
    const lines = [];
    let room = 0;
    for (const part of parts) {
      const asked = wide(part.join(""));
      if (!lines.length || asked > room) { lines.push([]); room = width; }
      lines.at(-1).push(part);
      room -= asked;
    }
    return lines;
  };

  /** One list: columns of ranks, in as many bands as the width asks for. */
  const row = (data, list, width, { name, values, changed, shrinks }) => {
    const count = Math.max(1, list.grades.length);
    const per = Math.min(count, Math.max(1, Math.floor(width / NARROWEST)));
    const cell = Math.min(WIDEST, Math.floor(width / per)), size = Math.min(42, cell - 3);
    const tall = high(list.grades, size), band = 16 + tall + 20 + (shrinks ? 14 : 0) + BAND;
    const said = list.grades.map((grade, place) => say("picture.place", {
      rank: say("picture.rank", { rank: place + 1 }),
      what: [grade === null ? say("play.unjudged") : say("picture.grade", { grade: number(grade, 1) }),
        ...(shrinks ? [say("picture.left", { share: percent(data.shares[place]) })] : []),
        ...(changed?.[place] ? [say("picture.changed")] : [])].join(say("play.comma")),
    }));
    const rest = list.missing?.length
      ? say("picture.described", { name: say("play.below"), what: list.missing.map((one) => number(one, 1)).join(say("play.comma")) }) : "";
    const lines = heading(name, values, width);
    const top = lines.length ? 18 * lines.length + 2 : 0;
    const made = sheet(width, top + Math.ceil(count / per) * band + (rest ? 14 : 0), described(name, [...said, ...[rest, values.length ? measured(values) : ""].filter(Boolean)]));
    lines.forEach((parts, line) => {
      const head = svg("text", { x: 2, y: 13 + 18 * line });
      parts.forEach(([before, strong], place) => head.append(
        svg("tspan", place ? { dx: 12 } : {}, before), svg("tspan", { class: "strong" }, strong)));
      made.append(head);
    });
    list.grades.forEach((grade, place) => {
      const x = (place % per) * cell + cell / 2, down = top + Math.floor(place / per) * band, base = down + 16 + tall;
      if (changed?.[place]) {
        made.append(svg("rect", { x: x - cell / 2 + 1.5, y: down + 1, width: cell - 3, height: band - BAND + 2, rx: 4, class: "differs" }));
      }
      made.append(text(x, down + 12, String(place + 1), "muted small"));
      made.append(pile(x, base, size, grade, shrinks ? data.shares[place] : 1));
      made.append(svg("line", { x1: x - cell / 2 + 3, x2: x + cell / 2 - 3, y1: base + 2.5, y2: base + 2.5, class: "shelf" }));
      made.append(text(x, base + 16, grade === null ? "–" : number(grade, 1), "strong"));
      if (shrinks) made.append(text(x, base + 30, percent(data.shares[place]), "muted small"));
    });
    if (rest) made.append(text(2, top + Math.ceil(count / per) * band + 6, rest, "muted", "start"));
    return made;
  };
  const note = (said) => relyon.make("p", { class: "legend" }, said);

  relyon.drawings.candies = (data) => ({
    render: (lists, width) => [
      ...lists.map((list, index) => row(data, list, width, { name: named(data, lists, index), values: data.values?.[index] ?? [], shrinks: true })),
      note(say("picture.scale")),
    ],
  });

  relyon.drawings.compare = (data) => ({
    render: (lists, width) => {
      const rows = lists.map((list, index) => {
        const own = named(data, lists, index);
        const name = data.ideal?.is === index ? say("picture.is_ideal", { name: own || `[${grades(list)}]` }) : own;
        return row(data, list, width, { name, values: data.values[index], changed: index ? data.changed[index] : null });
      });
      const alone = data.ideal && data.ideal.is === null;
      if (alone) {
        rows.push(row(data, { ...data.ideal, missing: [] }, width, {
          name: data.names.ideal || say("picture.ideal"), values: data.ideal.values, changed: data.ideal.changed,
        }));
      }
      const marks = lists.length > 1 ? data.changed.slice(1).flat() : alone ? data.ideal.changed ?? [] : [];
      return marks.some(Boolean) ? [...rows, note(say("picture.legend"))] : rows;
    },
  });
})();
