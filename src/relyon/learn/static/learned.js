"use strict";
// What the learner can do now: of this browser, or as the author of a link tells it after the #.
(() => {
  const { store, say, make, progress, tracks } = relyon;
  const { lessons, cards: deck } = JSON.parse(document.getElementById("lessons").textContent);
  const article = document.getElementById("learned"), form = document.querySelector("form.share");
  const field = form.elements.namedItem("name"), link = document.getElementById("link");
  const PREFIX = "#told=", VERSION = 1, LONGEST = 60, MOST_SECONDS = 3_600_000;
  const names = Object.keys(lessons);
  const questions = names.flatMap((name) => lessons[name].questions);
  const through = (item) => progress.through(item, lessons[item.lesson].questions.length);

  /** What this browser keeps. */
  const own = () => {
    const answers = questions.map((name) => store.answers[name]).filter((answer) => typeof answer?.first === "boolean");
    return {
      version: VERSION,
      name: typeof store.settings.name === "string" ? store.settings.name.slice(0, LONGEST) : "",
      date: relyon.today(),
      lessons: names.filter((lesson) => through({ lesson, until: "" })),
      tracks: Object.keys(tracks).filter((name) => tracks[name].lessons.every(through)),
      right: answers.filter((answer) => answer.first).length,
      count: answers.length,
      seconds: Math.min(MOST_SECONDS, Math.round(names.reduce((sum, name) => sum + progress.seconds(name), 0))),
      cards: Math.min(deck, Object.values(store.cards).filter((card) => card.state === 2).length),
    };
  };

  const encoded = (data) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(data))))
    .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const decoded = (text) => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0)),
  ));
  const whole = (value, most) => Number.isInteger(value) && value >= 0 && value <= most;
  const listed = (value, known) => Array.isArray(value) && new Set(value).size === value.length
    && value.every((one) => typeof one === "string" && Object.hasOwn(known, one));
  const dated = (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
  // Letters, marks, digits, punctuation: nothing that hides, or turns the direction of what follows.
  const named = (value) => typeof value === "string" && value.length <= LONGEST && !/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u.test(value);
  /** What a link tells; null if it could not have been made here. */
  const told = (hash) => {
    try {
      const data = decoded(hash.slice(PREFIX.length));
      const good = data?.version === VERSION && named(data.name) && dated(data.date)
        && listed(data.lessons, lessons) && listed(data.tracks, tracks)
        && whole(data.count, questions.length) && whole(data.right, data.count)
        && whole(data.seconds, MOST_SECONDS) && whole(data.cards, deck);
      return good ? data : null;
    } catch { return null; }
  };

  const part = (name) => article.querySelector(`.${name}`);
  const fill = (name, rows) => {
    part(name).hidden = !rows.length;
    part(name).querySelector("ul").replaceChildren(...rows.map(([title, text]) =>
      make("li", {}, make("strong", {}, title), make("span", {}, text))));
  };
  const minutes = (seconds) => say("page.minutes", { minutes: Math.max(1, Math.round(seconds / 60)) });
  const facts = (data) => {
    const found = [];
    if (data.count) {
      const percent = Math.round(100 * data.right / data.count);
      found.push(["learned.first", say("learned.first_value", { right: data.right, count: data.count, percent })]);
    }
    if (data.cards) found.push(["learned.cards", say("learned.cards_value", { known: data.cards, count: deck })]);
    if (data.seconds >= 30) {
      const estimate = data.lessons.reduce((sum, name) => sum + lessons[name].minutes, 0);
      const value = minutes(data.seconds);
      found.push(["learned.time", estimate ? say("learned.time_value", { value, minutes: estimate }) : value]);
    }
    found.push(["learned.date", data.date]);
    return found.flatMap(([key, value]) => [make("dt", {}, say(key)), make("dd", {}, value)]);
  };
  const draw = (data, foreign) => {
    const any = data.lessons.length + data.tracks.length + data.count + data.cards > 0;
    const name = data.name.trim();
    part("told").hidden = !foreign;
    part("whose").hidden = !name;
    part("whose").textContent = name;
    part("none").hidden = any || foreign;
    fill("can", data.lessons.map((one) => [lessons[one].title, lessons[one].summary]));
    fill("ways-done", data.tracks.map((one) => [tracks[one].title, tracks[one].about]));
    part("sums").hidden = !any;
    part("sums").replaceChildren(...facts(data));
    part("made").hidden = !any;
    form.hidden = foreign || !any;
  };
  const tell = (key) => { document.getElementById("said").textContent = say(key); };
  const address = (data) => `${location.href.split("#")[0].split("?")[0]}${PREFIX}${encoded(data)}`;

  const show = () => {
    const foreign = location.hash.startsWith(PREFIX);
    const data = foreign ? told(location.hash) : own();
    document.querySelector(".mine").hidden = !foreign;
    for (const other of document.querySelectorAll(".tools a[hreflang]")) {
      other.href = `${other.href.split("#")[0]}${foreign && data ? location.hash : ""}`;
    }
    if (!data) {
      draw({ ...own(), name: "", lessons: [], tracks: [], count: 0, cards: 0 }, true);
      part("told").textContent = say("learned.broken");
      return;
    }
    part("told").textContent = say("learned.told");
    draw(data, foreign);
    if (foreign) return;
    if (document.activeElement !== field) field.value = data.name;
    link.value = address(data);
  };

  field.addEventListener("input", () => {
    store.put("settings", "name", field.value.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, ""));
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("print").addEventListener("click", () => print());
  link.addEventListener("focus", () => link.select());
  document.getElementById("copy").addEventListener("click", async () => {
    link.select();
    try { await navigator.clipboard.writeText(link.value); } catch {
      if (!document.execCommand("copy")) { tell("learned.not_copied"); return; }
    }
    tell("learned.copied");
  });
  /** The page as a file of its own: what is written in it is text, escaped by the browser. */
  document.getElementById("save").addEventListener("click", () => {
    const copy = article.cloneNode(true);
    for (const hidden of copy.querySelectorAll("[hidden]")) hidden.remove();
    const style = "body{max-width:44rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}"
      + "li{margin:.4rem 0}li strong{display:block}dt{color:#555}dd{margin:0 0 .4rem;font-weight:600}.whose{font-size:1.4rem}";
    const text = `<!doctype html>\n<html lang="${document.documentElement.lang}"><head><meta charset="utf-8">`
      + `<meta name="viewport" content="width=device-width"><title>relyon</title><style>${style}</style></head>`
      + `<body>${copy.outerHTML}</body></html>\n`;
    const url = URL.createObjectURL(new Blob([text], { type: "text/html" }));
    make("a", { href: url, download: "relyon-learned.html" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  });
  addEventListener("hashchange", show);
  addEventListener("storage", show);
  addEventListener("pageshow", show);
  show();
})();
