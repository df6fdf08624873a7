"use strict";
// A lesson, one step at a time: what follows a question waits until it is answered or skipped.
relyon.pace = (() => {
  const { store, say, make, practice } = relyon;
  const article = document.querySelector("article"), lesson = article.dataset.lesson;
  const bar = document.querySelector(".pace");
  const [back, skip, onward] = ["backward", "skip-step", "onward"].map((name) => bar.querySelector(`.${name}`));
  const toggle = document.getElementById("reading");
  // Find-in-page finds what is hidden so, where the browser can.
  const HIDDEN = "onbeforematch" in window ? "until-found" : "";
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  /** A step: its element, the section beyond the core that it belongs to, whether it was opened. */
  const step = (node, values = {}) => ({ node, deeper: node.dataset.deeper ?? "", extra: "", opened: false, ...values });
  const steps = [...article.querySelectorAll(".step")].map((node) => step(node));
  const core = steps.filter((one) => !one.deeper);
  let now = 0;
  let whole = new URLSearchParams(location.search).has("all") || store.settings.whole === true;

  const sections = (one) => [...one.node.querySelectorAll("section.block")];
  const known = new WeakMap();
  const read = (section) => {
    const text = section.querySelector(".data")?.textContent ?? "{}";
    if (known.get(section)?.text !== text) known.set(section, { text, data: JSON.parse(text) });
    return known.get(section).data;
  };
  const kept = (section) => section.dataset.kept ?? `${lesson}/${section.id}`;

  /** Whether a block has been dealt with, so that what follows may be seen. */
  const settled = (section) => {
    if ("settled" in section.dataset) return true;
    if ("again" in section.dataset) return false;
    const data = read(section);
    if (data.kind === "predict" || data.kind === "quiz") return Boolean(store.answers[kept(section)]?.done);
    if (data.kind === "derive") return !section.querySelector(".steps li[hidden]");
    if (data.kind === "card") return section.querySelector("details").open || kept(section) in store.cards;
    if (data.goals?.length) return data.goals.some((_, goal) => store.answers[`${kept(section)}/${goal}`]?.done);
    return true;
  };
  /** Whether the reader has been beyond a step: it asks for nothing any more. */
  const passed = (place) => !steps[place].extra && steps.slice(place + 1)
    .some((one) => one.opened && !one.extra && one.deeper === steps[place].deeper);
  const free = (place) => steps[place].free || passed(place) || sections(steps[place]).every(settled);

  /** The step after another one, -1 after the last: what is beyond the core waits to be chosen. */
  const following = (place) => steps.findIndex((one, at) => at > place
    && (!one.deeper || one.opened || one.deeper === steps[place].deeper));
  const preceding = (place) => steps.findLastIndex((one, at) => at < place && one.opened);

  /** The steps beyond the core that directly follow a step, by their title. */
  const beyond = (place) => {
    const found = new Map();
    for (const one of steps.slice(place + 1)) {
      if (one.extra) continue;
      if (!one.deeper) break;
      found.set(one.deeper, [...(found.get(one.deeper) ?? []), one]);
    }
    return found;
  };

  const named = (one) => {
    const among = (list) => ({ step: list.indexOf(one) + 1, count: list.length });
    if (one.extra === "review") return say("pace.review");
    if (one.extra) return say("pace.practice_step", among(steps.filter((other) => other.round === one.round)));
    if (one.deeper) return say("pace.deeper_step", among(steps.filter((other) => other.deeper === one.deeper)));
    return say("pace.step", among(core));
  };

  const draw = () => {
    article.classList.toggle("paced", !whole);
    article.classList.toggle("ended", steps.at(-1).opened);
    const last = steps.findLast((one) => one.opened);
    for (const one of steps) {
      const hide = !whole && !one.opened;
      if (hide !== one.node.hasAttribute("hidden")) {
        if (hide) one.node.setAttribute("hidden", HIDDEN); else one.node.removeAttribute("hidden");
      }
      one.node.classList.toggle("last", !whole && one === last);
    }
    bar.hidden = whole;
    toggle.textContent = say(whole ? "pace.paced" : "pace.whole");
    if (!whole) drawBar();
  };
  const drawBar = () => {
    const one = steps[now], open = free(now), held = document.activeElement === skip;
    const reached = core.findLastIndex((other) => steps.indexOf(other) <= now) + 1;
    bar.querySelector(".where span").textContent = named(one);
    const progress = bar.querySelector("progress");
    progress.max = core.length;
    progress.value = reached;
    back.hidden = preceding(now) < 0;
    skip.hidden = open;
    onward.hidden = !open || following(now) < 0;
    onward.textContent = say(one.node.querySelector("section.recap") ? "pace.go_on" : "pace.next");
    if (held && open) onward.focus({ preventScroll: true });
  };

  // A file of progress may hold anything there.
  const record = (value) => value && typeof value === "object" && !Array.isArray(value) ? value : {};
  const left = () => record(store.places[lesson]);
  const reviewed = () => record(left().reviewed);
  const remember = (values) => store.put("places", lesson, { ...left(), ...values, when: new Date().toISOString() });
  const keepPlace = () => {
    const furthest = core.findLastIndex((one) => one.opened);
    const before = core.findIndex((one) => one.node.dataset.step === left().step);
    if (furthest <= before) return;
    remember({
      step: core[furthest].node.dataset.step, at: furthest + 1, of: core.length,
      ended: furthest === core.length - 1 || Boolean(left().ended),
    });
  };

  /** What the focus goes to: the heading that a step begins with, else the step. */
  const head = (one) => {
    const title = one.node.querySelector(":scope > :is(.prose, section)")?.firstElementChild;
    return title?.matches("h2, h3, h4") ? title : one.node;
  };
  const show = (target, smooth) => {
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    const top = target.closest(".step") ?? target;
    top.scrollIntoView({ block: "start", behavior: smooth && !still.matches ? "smooth" : "auto" });
  };

  /** Opens a step and everything of the core before it. */
  const openTo = (place) => {
    const { deeper } = steps[place];
    for (const one of steps.slice(0, place + 1)) {
      if (!one.deeper || one.deeper === deeper) one.opened = true;
    }
    now = place;
    // What is beyond the core stays on offer where it was passed by.
    for (const one of steps.slice(0, place)) {
      if (one.opened && !one.deeper && !one.extra && beyond(steps.indexOf(one)).size) ways(one, false);
    }
  };
  const go = (place) => {
    steps[place].opened = true;
    now = place;
    arrive(steps[place]);
    draw();
    keepPlace();
    show(head(steps[place]), true);
  };
  const next = () => {
    const place = following(now);
    if (place >= 0 && free(now)) go(place);
  };

  /** What stands at a step once it is reached: ways to go on, questions of earlier lessons, a score. */
  const arrive = (one) => {
    if (one.extra) return;
    const recap = one.node.querySelector("section.recap");
    const place = steps.indexOf(one);
    ways(one, Boolean(recap) || place === steps.length - 1);
    lead(one, recap);
    if (recap) lookBack(one, recap.id);
    const coming = steps[following(place)];
    if (coming?.node.querySelector("section.recap")) practice.load();
  };

  const ways = (one, practises) => {
    one.node.querySelector(".ways")?.remove();
    const found = [], place = steps.indexOf(one);
    const before = steps.slice(0, place).filter((other) => other.opened && !other.extra).flatMap(sections);
    if (practises) {
      const missed = practice.missed(before), fresh = practice.fresh(before);
      if (missed.length) found.push(way(say("pace.practise", { count: missed.length }), () => practise(one, missed)));
      else if (before.some((section) => store.answers[kept(section)]?.done)) {
        found.push(make("span", { class: "said" }, say("pace.all_right")));
      }
      if (fresh.length) found.push(way(say("pace.practise_fresh", { count: fresh.length }), () => practise(one, fresh)));
    }
    for (const [title, group] of one.deeper ? [] : beyond(place)) {
      const { minutes } = group[0].node.dataset;
      const text = say(minutes ? "pace.deeper_minutes" : "pace.deeper", { title, minutes });
      found.push(way(text, () => go(steps.indexOf(group[0]))));
    }
    if (found.length) one.node.append(make("p", { class: "ways" }, ...found));
  };
  const way = (text, act) => {
    const button = make("button", { type: "button" }, text);
    button.addEventListener("click", act);
    return button;
  };

  /** Puts steps that are not of the lesson after one of it. */
  const insert = (place, contents, values) => {
    const made = contents.map((content) => {
      const node = make("div", { class: `step ${values.extra}`, hidden: HIDDEN });
      node.append(content);
      return step(node, values);
    });
    steps[place].node.after(...made.map((one) => one.node));
    steps.splice(place + 1, 0, ...made);
    made.forEach(label);
  };
  let rounds = 0;
  const practise = (one, which) => {
    for (const old of steps.filter((other) => other.extra === "practice")) {
      old.node.remove();
      steps.splice(steps.indexOf(old), 1);
    }
    const place = steps.indexOf(one);
    rounds += 1;
    insert(place, practice.again(which), { extra: "practice", round: rounds });
    go(place + 1);
  };

  /** After a recap, and what is beyond the core there, comes a question of an earlier lesson. */
  const lookBack = async (one, recap) => {
    const asked = reviewed();
    if (recap in asked || one.looking) return;
    one.looking = true;
    const within = track()?.lessons.map((other) => other.lesson) ?? null;
    const found = await practice.review(Object.values(asked), within);
    if (!found) return;
    const place = steps.indexOf(one);
    const last = [...beyond(place).values()].flat().at(-1) ?? one;
    if (passed(place)) return;  // the reader has gone on meanwhile
    insert(steps.indexOf(last), [found.section], { extra: "review" });
    found.section.dataset.recap = recap;
    found.section.dataset.name = found.name;
    drawBar();
  };

  /** The learner's track: its title, and its lessons in order, each with the recap that ends it early. */
  const track = () => {
    const found = document.getElementById("tracks");
    const chosen = store.track ?? store.settings.track;
    return found && chosen ? JSON.parse(found.textContent)[chosen] ?? null : null;
  };
  const link = (one, key) => make("p", { class: "following" }, make("a", { href: `${one.lesson}.html` }, say(key, one)));
  /** Says where the learner's track goes on: at the lesson's end, or at the recap that ends it early. */
  const lead = (one, recap) => {
    const own = track();
    const place = own?.lessons.findIndex((other) => other.lesson === lesson) ?? -1;
    if (place < 0) return;
    const { until } = own.lessons[place], after = own.lessons[place + 1];
    if (recap ? recap.id !== until : one !== steps.at(-1)) return;
    const box = recap ?? one.node.querySelector(".finish");
    for (const old of box.querySelectorAll(".following, .track")) old.remove();
    if (recap && after) box.append(make("p", { class: "track" }, say("pace.track_ends", { track: own.title })));
    box.append(after ? link(after, "pace.track_next") : make("p", { class: "track" }, say("pace.track_done", { track: own.title })));
  };

  /** How the first answers of the lesson went. */
  const score = (one) => {
    const answers = steps.filter((other) => !other.extra).flatMap(sections)
      .filter((section) => section.matches(".predict, .quiz"))
      .map((section) => store.answers[kept(section)]).filter((answer) => answer?.done);
    const skipped = answers.filter((answer) => answer.skipped).length;
    const count = answers.length - skipped, right = answers.filter((answer) => answer.first === true).length;
    const line = one.node.querySelector(".score");
    line.textContent = [
      count ? say("pace.score", { right, count }) : "", skipped ? say("pace.score_skipped", { count: skipped }) : "",
    ].join("").trim();
    line.hidden = !answers.length;
  };

  /** Shows what a step asks for; a question is kept as skipped, not as wrong. */
  const skipStep = () => {
    const one = steps[now];
    let shown = false;
    for (const section of sections(one).filter((other) => !settled(other))) {
      const data = read(section);
      section.dataset.settled = "";
      if (data.kind === "predict" || data.kind === "quiz") {
        const name = kept(section);
        relyon.reveal(section, data);
        if (!store.answers[name]?.done) store.put("answers", name, { done: true, skipped: true, when: new Date().toISOString() });
      }
      if (data.kind === "derive") section.querySelector(".all").click();
      if (section.matches(".card, .play")) {
        for (const details of section.querySelectorAll("details")) { details.open = true; shown = true; }
      }
      shown ||= data.kind !== "play";
    }
    one.free = true;
    drawBar();
    if (shown) onward.focus({ preventScroll: true }); else next();
  };

  const label = (one) => {
    one.node.setAttribute("role", "group");
    one.node.setAttribute("aria-label", named(one));
    one.node.tabIndex = -1;
  };

  /** A right answer leads on: Enter goes to the next step, and the reply is read with the button. */
  const answered = (event) => {
    const { part, name } = event.detail;
    if (part !== "answers") return;
    score(steps.at(-1));
    if (whole) return;
    const section = sections(steps[now]).find((one) => kept(one) === name);
    const opens = skip.hidden === false;
    if (section) {
      section.dataset.settled = "";
      const { recap, name: asked } = section.dataset;
      if (recap) remember({ reviewed: { ...reviewed(), [recap]: asked } });
    }
    drawBar();
    if (!section || !opens || !free(now) || store.answers[name].right !== true) return;
    const reply = section.querySelector(".reply");
    if (!reply) return;
    reply.id ||= `${section.id}-reply`;
    onward.setAttribute("aria-describedby", reply.id);
    onward.focus({ preventScroll: true });
  };

  /** Where a lesson goes on: where it was left, else, with answers of old, at what is not answered. */
  const resumed = () => {
    if (document.getElementById("OWN")) return 0;  // the page was opened for the reader's own numbers
    const key = String(left().step ?? "");
    const at = (name) => core.findIndex((one) => one.node.dataset.step === name);
    if (key) return Math.max(0, at(key) >= 0 ? at(key) : at(key.split(".")[0]));
    if (!Object.keys(store.answers).some((name) => name.startsWith(`${lesson}/`))) return 0;
    return Math.max(0, core.findIndex((one) => !sections(one).every(settled)));
  };
  const toAnchor = () => {
    let name = location.hash.slice(1);
    try { name = decodeURIComponent(name); } catch { /* no name of a block */ }
    const target = name && document.getElementById(name);
    const place = target ? steps.findIndex((one) => one.node.contains(target)) : -1;
    if (place < 0) return false;
    openTo(place);
    arrive(steps[place]);
    draw();
    show(target.querySelector(".kind") ?? target, false);
    return true;
  };

  const start = () => {
    steps.forEach(label);
    toggle.parentElement.hidden = false;
    const place = steps.indexOf(core[resumed()]);
    openTo(place);
    arrive(steps[place]);
    draw();
    score(steps.at(-1));
    if (!whole) history.scrollRestoration = "manual";
    if (toAnchor() || whole || place === 0) return;
    show(head(steps[place]), false);
    document.getElementById("paced").textContent = say("pace.resumed", { step: core.indexOf(steps[place]) + 1, count: core.length });
  };

  back.addEventListener("click", () => go(preceding(now)));
  skip.addEventListener("click", skipStep);
  onward.addEventListener("click", next);
  toggle.addEventListener("click", () => {
    whole = !whole;
    store.put("settings", "whole", whole);
    draw();
    if (!whole) show(head(steps[now]), false);
  });
  document.addEventListener("relyon-kept", answered);
  new MutationObserver(() => { if (!whole) drawBar(); })
    .observe(article, { subtree: true, attributeFilter: ["hidden", "open"] });
  addEventListener("hashchange", toAnchor);
  article.addEventListener("beforematch", (event) => {
    const place = steps.findIndex((one) => one.node === event.target.closest(".step"));
    if (place < 0) return;
    openTo(place);
    draw();
  });
  addEventListener("keydown", (event) => {
    if (whole || event.defaultPrevented || event.altKey || event.shiftKey) return;
    const finding = event.key.toLowerCase() === "f" && (event.ctrlKey || event.metaKey);
    if (finding && !HIDDEN) { whole = true; draw(); }  // else nothing hidden could be found
    const own = event.target.closest("a, button, input, select, textarea, summary, [tabindex='0']");
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !own) next();
  });
  return { start };
})();
