"use strict";
// "Defeat the DCG monster": a list is put in order with few moves, and its value is the attack.
(() => {
  const { store, say, count, make, sortable, handles } = relyon;
  const data = JSON.parse(document.getElementById("game").textContent);
  const part = (name) => document.getElementById(name);
  const section = part("fight"), top = section.querySelector(".list"), below = section.querySelector(".below");
  const outside = section.querySelector(".outside"), monster = section.querySelector(".monster");
  const bar = section.querySelector(".bar-of span"), outcome = part("outcome");
  const short = (value) => value.toFixed(3);
  const NAME = "game", KEPT = 5;

  let place = 0, hearts = 0, points = 0, beaten = 0;   // the game
  let level, rows = [], left = 0, last = null, before = [], now = [], over = false;   // the fight

  // ---- What is said
  const words = (key) => say(`game.monsters.${level.id}.${key}`);
  const tally = () => {
    part("tally").hidden = false;
    part("tally").replaceChildren(
      make("span", { class: "hearts", "aria-hidden": "true" }, "♥".repeat(hearts) + "♡".repeat(data.hearts - hearts)),
      ` ${count("game.hearts", hearts)} · ${count("game.points_of", points)}`,
    );
  };
  const health = (value) => {
    const rest = Math.max(0, level.ideal - value), share = rest / level.ideal;
    part("hp").textContent = say("game.hp", { left: short(rest), all: short(level.ideal) });
    bar.style.width = `${100 * share}%`;
    monster.style.setProperty("--size", 0.45 + 0.55 * share);
  };
  const title = (row) => level.documents[Number(row.dataset.index)].title;
  const grade = (row) => String(level.documents[Number(row.dataset.index)].grade);
  const where = (row) => {
    const rank = [...top.children].indexOf(row);
    return rank < 0 ? say("play.place_below", { title: title(row) }) : say("play.place", { title: title(row), rank: rank + 1 });
  };

  /** Puts what each rank counts, or what each document added, beside the documents. */
  const weigh = (attacked) => {
    for (const row of rows) {
      const rank = [...top.children].indexOf(row);
      const weight = rank < 0 ? 0 : level.parts["1"][rank];
      const brief = (value) => value ? short(value) : "0";
      const text = rank < 0 ? "–" : attacked ? `+${brief(level.parts[grade(row)][rank])}` : `×${brief(weight)}`;
      row.querySelector(".weight").textContent = text;
      row.setAttribute("aria-label", [where(row), say("play.grade", { grade: grade(row) }), text].join(say("play.comma")));
    }
  };

  // ---- Moves
  const order = () => [[...top.children], [...below.children]];
  const key = () => {
    const [listed, missing] = order().map((list) => list.map(grade));
    return listed.join(" ") + (missing.length ? `/${missing.sort().join(" ")}` : "");
  };
  const same = (one, other) => one.every((list, n) =>
    list.length === other[n].length && list.every((row, index) => row === other[n][index]));

  const allowed = (row) => {
    if (over) return false;
    if (left > 0 || row === last) return true;
    part("said").textContent = say("game.no_move");
    return false;
  };
  // A document that goes on is one move; one that comes back to where it was is none.
  const moved = (row) => {
    if (row !== last) { left -= 1; before = now; }
    last = row;
    now = order();
    if (same(now, before)) { left += 1; last = null; }
    weigh(false);
    const moves = count("game.left", left);
    part("left").textContent = moves;
    part("said").textContent = [where(row), moves].map((what) => say("play.now", { what })).join(say("game.between"));
  };
  sortable([top, below], moved, allowed);

  const putBack = () => {
    top.replaceChildren(...rows.slice(0, level.retrieved));
    below.replaceChildren(...rows.slice(level.retrieved));
    left = level.moves;
    last = null;
    now = order();
    part("left").textContent = count("game.left", left);
    weigh(false);
  };

  // ---- A fight
  const documentRow = (one, index) => {
    const dots = "●".repeat(one.grade) + "○".repeat(3 - one.grade);
    return make("li", { tabindex: "0", "data-index": index },
      // A long name goes on in the next line after a point or an underscore.
      make("span", { class: "title" }, ...one.title.split(/(?<=[._])/).flatMap((text) => [text, make("wbr")])),
      make("span", { class: "grade" }, make("span", { class: "dots", "aria-hidden": "true" }, dots), ` ${say("play.grade", one)}`),
      make("span", { class: "weight" }), ...handles(one.title));
  };

  const ready = () => {
    over = false;
    outcome.replaceChildren();
    part("said").textContent = "";
    part("on").hidden = true;
    monster.classList.remove("beaten", "angry");
    section.classList.remove("over");
    putBack();
    health(0);
  };
  const begin = () => {
    level = data.levels[place];
    section.hidden = false;
    part("number").textContent = say("game.number", { number: place + 1, count: data.levels.length });
    for (const name of ["name", "says", "rule"]) part(name).textContent = words(name);
    part("query").textContent = level.query;
    part("measure").textContent = level.measure;
    rows = level.documents.map(documentRow);
    outside.hidden = level.retrieved === level.documents.length;
    ready();
    tally();
    part("name").focus();
  };

  const attack = () => {
    const [value, sum] = level.record[key()];
    const won = value >= level.enough;
    const share = { value: short(value), ideal: short(level.ideal), percent: `${(100 * value / level.ideal).toFixed(1)}%` };
    const said = [say("game.hit", share)];
    if (level.shared) said.unshift(say("game.sum", { sum: short(sum), ideal: short(level.ideal_sum) }));
    over = true;
    weigh(true);
    health(value);
    section.classList.add("over");
    monster.classList.add(won ? "beaten" : "angry");
    if (won) {
      const earned = Math.round(100 * value / level.ideal) + left * data.points.saved;
      points += earned;
      beaten += 1;
      said.push(say("game.beaten", { name: words("name"), points: earned }), words("won"));
    } else {
      hearts -= 1;
      said.push(say("game.alive", { name: words("name"), hearts: count("game.hearts", hearts) }));
      if (hearts) said.push(words("hint"));
    }
    const mark = make("span", { class: "mark", "aria-hidden": "true" }, won ? "✓" : "✗");
    outcome.className = `reply ${won ? "right" : "wrong"}`;
    outcome.replaceChildren(make("p", {}, mark, " ", said.join(say("game.between"))));
    part("said").textContent = "";
    const ends = won ? place + 1 === data.levels.length : !hearts;
    const on = part("on");
    on.textContent = say(ends ? "game.to_scores" : won ? "game.next" : "game.again");
    on.onclick = ends ? () => end(won) : won ? () => { place += 1; begin(); } : () => { ready(); part("name").focus(); };
    on.hidden = false;
    tally();
    on.focus();
  };

  // ---- The end, and the scores
  const kept = () => {
    const found = store.scores[NAME];
    return Array.isArray(found) ? found.filter((one) => Number.isFinite(one?.points)) : [];
  };
  const showScores = (newest = null) => {
    const language = document.documentElement.lang;
    part("scores").hidden = !kept().length;
    part("scores").tBodies[0].replaceChildren(...kept().map((one) => make("tr", {},
      make("td", {}, String(one.points), one.when === newest ? ` ← ${say("game.this")}` : ""),
      make("td", {}, `${one.beaten} / ${data.levels.length}`),
      make("td", {}, new Date(one.when).toLocaleDateString(language)))));
  };
  const end = (won) => {
    points += hearts * data.points.heart;
    const score = { points, beaten, when: new Date().toISOString() };
    const best = kept().every((one) => one.points < points) && points > 0;
    store.put("scores", NAME, [...kept(), score].sort((one, other) => other.points - one.points).slice(0, KEPT));
    section.hidden = true;
    part("tally").hidden = true;
    part("end").hidden = false;
    part("verdict").textContent = say(won ? "game.won" : "game.lost", { name: words("name") });
    const total = say("game.total", { points: count("game.points_of", points), count: beaten, all: data.levels.length });
    part("total").textContent = best ? total + say("game.between") + say("game.best") : total;
    showScores(score.when);
    part("verdict").focus();
  };
  const start = (earned) => {
    [place, hearts, points, beaten] = [0, data.hearts, earned, 0];
    begin();
  };

  part("attack").addEventListener("click", attack);
  part("back").addEventListener("click", () => { putBack(); part("said").textContent = say("game.put_back"); });
  const taste = relyon.taste(data.taste, data.points.guess, start);
  part("replay").addEventListener("click", () => { part("end").hidden = true; taste(); });
  showScores();
})();
