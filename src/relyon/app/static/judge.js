"use strict";
(() => {
  const byId = (name) => document.getElementById(name);
  const main = byId("main");
  const levels = JSON.parse(main.dataset.levels);
  const messages = JSON.parse(main.dataset.messages);
  const project = Number(main.dataset.project);
  const user = Number(main.dataset.user);
  const sideBySide = main.dataset.sideBySide === "yes";
  const byQuery = !sideBySide && readUnit() === "query";
  let csrf = main.dataset.csrf;

  const number = new Intl.NumberFormat(document.documentElement.lang);
  const say = (key, values = {}) =>
    messages[key].replace(/\{(\w+)\}/g, (whole, name) =>
      typeof values[name] === "number" ? number.format(values[name]) : (values[name] ?? whole),
    );
  const newKey = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (one) => one.toString(16).padStart(2, "0")).join("");

  // The address says whether results come one by one or by query; the next time it is remembered.
  function readUnit() {
    const place = `relyon:by:${user}`;
    const asked = new URLSearchParams(location.search).get("by");
    try {
      if (asked) localStorage.setItem(place, asked);
      return asked ?? localStorage.getItem(place);
    } catch {
      return asked;
    }
  }

  const queue = new Outbox(user);
  const list = new QueryList(
    byId("documents"),
    (task) => markWords(drawing.drawDocument(task, "h3", say), task.query_text || task.query),
    choose,
  );
  // The same of one judge and project in all tabs.
  const tabs = new TabWatch(`relyon:judging:${user}:${project}`, forget);
  let tasks = [];
  let done = [];
  const handled = new Map();
  let progress = null;
  let sending = false;
  let filling = false;
  let wanted = null;
  let connected = true;
  let pause = 500;
  let retry = 0;
  let shownAt = 0;
  let hiddenAt = 0;
  let shown = 0;
  let chosen = 0;
  let steps = 0;
  let conflicts = 0;

  const call = (path, body) =>
    fetch(path, {
      method: "POST",
      credentials: "same-origin",
      redirect: "error",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20000),
    });

  // A page may be open for days.
  const bounded = (action) => ("seconds" in action ? { ...action, seconds: Math.min(action.seconds, 86400) } : action);

  function tell(text, detail = "", link = "") {
    const place = byId("problem");
    place.hidden = !text;
    place.textContent = detail ? `${text} ${detail}` : text;
    if (link) {
      const anchor = document.createElement("a");
      anchor.href = link;
      anchor.textContent = say("sign_in_link");
      place.append(" ", anchor);
    }
  }

  // The page may be older than the sign-in: another tab signed in again.
  async function renew() {
    const answer = await fetch("/api/session", { credentials: "same-origin", redirect: "error" });
    if (answer.status === 401) {
      tell(say("sign_in"), "", `/sign-in?next=${encodeURIComponent(location.pathname)}`);
      return false;
    }
    if (!answer.ok) return false;
    const found = await answer.json();
    if (found.id !== user) {
      tell(say("other_user"));
      return false;
    }
    if (found.csrf === csrf) return false;
    csrf = found.csrf;
    tell("");
    return true;
  }

  // Another tab goes on: what is known here will be out of date.
  function forget() {
    list.forget();
    tasks = [];
    done = [];
    handled.clear();
    progress = null;
    show();
  }

  function takeOver() {
    tabs.take();
    show();
    fill();
  }

  // The judge had answered this result elsewhere, which this page did not know.
  function tellConflict(action) {
    conflicts += 1;
    byId("conflict").hidden = false;
    byId("conflict").textContent = say("conflict", { count: conflicts });
    done = done.filter((one) => one.key !== action.key);
    fill(0);
  }

  async function flush() {
    if (sending) return;
    sending = true;
    let again = false;
    try {
      for (;;) {
        const [entry] = queue.entries();
        if (!entry) break;
        const [name, action] = entry;
        const answer = await call("/api/actions", bounded(action));
        if (answer.ok) {
          queue.remove(name);
          connected = true;
          pause = 500;
        } else if (answer.status === 401 || answer.status === 403) {
          connected = true;
          if (!(await renew())) {
            again = true;
            pause = 5000;
            break;
          }
        } else if (answer.status === 429 || answer.status >= 500) {
          if (answer.status >= 502) lose();
          again = true;
          break;
        } else if (answer.status === 409) {
          queue.remove(name);
          tellConflict(action);
        } else {
          const found = await answer.json().catch(() => ({}));
          queue.remove(name);
          tell(say("refused"), found.error?.message ?? String(answer.status));
        }
        status();
      }
    } catch {
      lose();
      again = true;
    }
    sending = false;
    status();
    if (again) {
      pause = Math.min(pause * 1.6, 8000);
      setTimeout(flush, pause);
    } else {
      fill();
    }
  }

  // The server cannot be reached. A page that was opened just now goes on with the results that were
  // loaded before.
  function lose() {
    connected = false;
    const kept = progress === null && !tabs.resting ? offline.recall(user, project) : null;
    if (kept) {
      const unsent = new Set(queue.entries().map(([, action]) => action.item_id));
      tasks = kept.tasks.filter((task) => !unsent.has(task.id) && !handled.has(task.id));
      progress = { done: kept.finished, open: kept.left, available: 0, later: 0, before: done.length };
    }
    clearTimeout(retry);
    retry = setTimeout(fill, 2000);
    show();
  }

  function counts() {
    const since = done.length - progress.before;
    // Skipped results are not judged, and those for later are still to come: the server counts alike.
    const recent = done.slice(Math.max(progress.before, 0));
    const later = recent.filter((one) => one.kind === "later").length;
    const skipped = recent.filter((one) => one.kind === "skip").length;
    const left = Math.max(progress.open + progress.available + progress.later - since + later, 0);
    return { finished: progress.done + since - later - skipped, left };
  }

  async function fill(first = null) {
    if (tabs.resting) return;
    if (filling) {
      // What is on its way may be older than what happened since.
      wanted = { first: first ?? wanted?.first ?? null };
      return;
    }
    if (connected && tasks.length > (byQuery ? 0 : 5) && first === null) return;
    // What the server offers would still contain what it was not sent.
    if (!connected && queue.entries().length) {
      flush();
      return;
    }
    filling = true;
    steps += 1;
    const begun = steps;
    try {
      const waiting = queue.entries().map(([, action]) => action);
      const unit = byQuery ? "count=100&by=query" : `count=${Math.min(12 + waiting.length, 100)}`;
      const answer = await call(`/api/projects/${project}/tasks?${unit}`, {});
      if (answer.status === 401 || answer.status === 403) {
        if (await renew()) setTimeout(fill, 0);
        return;
      }
      if (!answer.ok) throw new Error(String(answer.status));
      const found = await answer.json();
      if (tabs.resting) return;
      if (!connected) setTimeout(flush, 0);
      connected = true;
      const kinds = queue.entries().map(([, action]) => action.kind);
      // The server does not count yet what was not sent.
      const pending = kinds.length - 2 * kinds.filter((kind) => kind === "undo").length;
      // What was sent while the server answered may be in its answer, too.
      const unsent = new Set([...waiting, ...queue.entries().map(([, action]) => action)].map((one) => one.item_id));
      const known = new Set(tasks.map((task) => task.id));
      for (const task of found.tasks) {
        const was = handled.get(task.id);
        // What was answered before the server was asked is offered for a reason: it was re-opened.
        const open = was === undefined || was.step < begun || (task.later && was.kind === "later");
        if (open && !known.has(task.id) && !unsent.has(task.id)) {
          // Its earlier answer, if any, no longer counts.
          if (was && was.kind !== "later") done = done.filter((one) => one.task.id !== task.id);
          tasks.push(task);
          drawing.prefetch(task);
        }
      }
      progress = { ...found.progress, before: done.length - pending };
      if (first !== null) {
        const place = tasks.findIndex((task) => task.id === first);
        if (place > 0) tasks.unshift(...tasks.splice(place, 1));
      }
      show();
    } catch {
      lose();
    } finally {
      filling = false;
      if (wanted) {
        const { first: next } = wanted;
        wanted = null;
        setTimeout(fill, 0, next);
      }
    }
  }

  const group = () => list.group(tasks, done);

  function current() {
    const picked = byQuery && chosen ? group().find((one) => one.task.id === chosen) : null;
    return picked?.task ?? tasks[0];
  }

  function choose(id) {
    chosen = id;
    show();
  }

  /** Goes to the next or the one before of a query's results. */
  function move(by) {
    const all = group();
    const place = all.findIndex((one) => one.task.id === current()?.id) + by;
    if (all[place]) choose(all[place].task.id);
  }

  const nameAnswer = ({ kind, grade }) =>
    kind === "grade" ? (levels.find((one) => one.grade === grade)?.name ?? String(grade)) : say(kind);

  function show() {
    const task = current();
    byId("task").hidden = byId("controls").hidden = !task;
    byId("empty").hidden = Boolean(task) || tabs.resting;
    byId("elsewhere").hidden = !tabs.resting;
    if (!task) {
      const known = progress !== null && connected && !queue.entries().length;
      byId("empty").textContent = known ? say("empty") : say(connected ? "loading" : "unreachable");
      // There is something to undo after the last one too.
      byId("controls").hidden = !done.length || tabs.resting;
      shown = 0;
    } else if (task.id !== shown) {
      byId("query").textContent = task.query_text || task.query;
      byId("need").textContent = task.need ? say("need", { need: task.need }) : "";
      byId("need").hidden = !task.need;
      byId("put-off").hidden = !task.later;
      const place = byId("documents");
      if (!byQuery) {
        place.className = sideBySide ? "sides" : "";
        place.replaceChildren(
          ...(sideBySide
            ? [drawing.drawSide("left", task.left ?? [], say), drawing.drawSide("right", task.right ?? [], say)]
            : [drawing.drawDocument(task, "h3", say)]),
        );
      }
      const { title, document: name, url } = task;
      byId("announcement").textContent = say(sideBySide ? "announce_query" : "announce", {
        query: task.query_text || task.query,
        title: title || name || url,
      });
      byId("note").value = "";
      byId("note-field").hidden = true;
      if (byId("grade")) byId("grade").value = "";
      shown = task.id;
      shownAt = Date.now();
      if (!byQuery) window.scrollTo(0, 0);
    }
    if (byQuery && task) list.show(group(), task.id, nameAnswer);
    for (const button of document.querySelectorAll(".controls button")) {
      button.disabled = !task && button.dataset.action !== "undo";
    }
    status();
  }

  function status() {
    const count = queue.entries().length;
    const text = connected ? say(count ? "sending" : "saved") : say(count ? "waiting" : "offline", { count });
    const place = byId("saving");
    place.classList.toggle("waiting", !connected);
    if (place.textContent !== text) place.textContent = text;
    main.dataset.unsent = String(count);
    if (!queue.durable) tell(say("unsafe"));
    if (!progress) return;
    const { finished, left } = counts();
    offline.keep(user, project, { tasks, finished, left });
    byId("count").textContent = say("count", { done: finished, left });
    byId("progress").max = Math.max(finished + left, 1);
    byId("progress").value = finished;
  }

  function act(kind, values = {}) {
    const task = current();
    if (!task) return;
    const earlier = done.find((one) => one.task.id === task.id);
    if (earlier) queue.add({ kind: "undo", key: newKey(), project_id: project, undoes: earlier.key });
    const action = {
      kind,
      key: newKey(),
      item_id: task.id,
      note: byId("note").value.trim(),
      seconds: Math.round((Date.now() - shownAt) / 100) / 10,
      ...values,
    };
    queue.add(action);
    const left = group();
    const after = left.slice(left.findIndex((one) => one.task.id === task.id) + 1);
    chosen = after.find((one) => one.kind === undefined)?.task.id ?? 0;
    tasks = tasks.filter((one) => one.id !== task.id);
    done = done.filter((one) => one !== earlier);
    done.push({ task, key: action.key, kind, grade: action.grade });
    handled.set(task.id, { kind, step: steps });
    tell("");
    // Keys grade again; whoever went to a button stays there.
    if (document.activeElement.matches("input, textarea")) document.activeElement.blur();
    show();
    flush();
    // The next results are asked for while the grades before are still on their way.
    if (connected) fill();
  }

  async function undo() {
    if (tabs.resting) return;
    tell("");
    const before = done.pop();
    if (before) {
      queue.add({ kind: "undo", key: newKey(), project_id: project, undoes: before.key });
      handled.delete(before.task.id);
      tasks = [before.task, ...tasks.filter((task) => task.id !== before.task.id)];
      chosen = before.task.id;
      show();
      flush();
      return;
    }
    // What was done before the page was opened is known to the server alone.
    if (queue.entries().length) {
      tell(say("offline_undo"));
      return;
    }
    try {
      const answer = await call("/api/actions", { kind: "undo", key: newKey(), project_id: project });
      if (answer.ok) {
        const receipt = await answer.json();
        handled.delete(receipt.item_id);
        tell(say("undone"));
        await fill(receipt.item_id);
      } else {
        tell(say("nothing"));
      }
    } catch {
      tell(say("offline_undo"));
    }
  }

  const reasons = byId("reasons");
  const keys = byId("keys");
  const actions = {
    undo,
    skip: () => act("skip"),
    later: () => act("later"),
    cannot: () => current() && reasons.showModal(),
    note: () => {
      if (!tasks.length) return;
      byId("note-field").hidden = false;
      byId("note").focus();
    },
    guideline: () => {
      const guideline = byId("guideline");
      guideline.open = !guideline.open;
      if (guideline.open) guideline.scrollIntoView({ block: "nearest" });
    },
    keys: () => keys.showModal(),
  };
  const letters = { u: "undo", s: "skip", c: "cannot", l: "later", n: "note", g: "guideline", "?": "keys" };

  function cannot(reason) {
    reasons.close();
    byId("reason").value = "";
    act("cannot", { reason });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (tabs.resting || document.body.dataset.asked) return;
    if (event.target.closest("input, textarea, select")) {
      if (event.key === "Escape" && event.target === byId("note")) event.target.blur();
      return;
    }
    const key = readKey(event);
    if (keys.open) {
      if (letters[key] === "keys") {
        event.preventDefault();
        keys.close();
      }
      return;
    }
    if (reasons.open) {
      const button = reasons.querySelectorAll("[data-reason]")[Number(key) - 1];
      if (button) {
        event.preventDefault();
        cannot(button.dataset.reason);
      }
      return;
    }
    const level = levels.find((one) => one.key === key);
    if (level) act("grade", { grade: level.grade });
    else if (letters[key]) actions[letters[key]]();
    else if (byQuery && (key === "j" || key === "k")) move(key === "j" ? 1 : -1);
    else if (!levels.length && /^[0-9.-]$/.test(key)) {
      byId("grade").focus();
      return;
    } else return;
    event.preventDefault();
  });
  for (const button of document.querySelectorAll("[data-grade]")) {
    button.addEventListener("click", () => act("grade", { grade: Number(button.dataset.grade) }));
  }
  for (const button of document.querySelectorAll("[data-action]")) {
    button.addEventListener("click", () => actions[button.dataset.action]());
  }
  for (const button of document.querySelectorAll("[data-reason]")) {
    button.addEventListener("click", () => cannot(button.dataset.reason));
  }
  byId("other").addEventListener("submit", (event) => {
    event.preventDefault();
    if (byId("reason").value.trim()) cannot(byId("reason").value.trim());
  });
  byId("take-over").addEventListener("click", takeOver);
  byId("no-reason").addEventListener("click", () => reasons.close());
  byId("close-keys").addEventListener("click", () => keys.close());
  byId("number")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const grade = Number(byId("grade").value.replace(",", "."));
    if (byId("grade").value.trim() && Number.isFinite(grade)) act("grade", { grade });
    else tell(say("number"));
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenAt = Date.now();
    else if (hiddenAt) shownAt += Date.now() - hiddenAt;
  });
  window.addEventListener("beforeunload", (event) => {
    if (queue.fragile) event.preventDefault();
  });
  window.addEventListener("online", flush);
  window.addEventListener("offline", lose);
  if (byId("by-query")) byId(byQuery ? "by-result" : "by-query").hidden = false;
  if (byQuery) {
    byId("documents").className = "list";
    byId("documents").setAttribute("role", "list");
  }
  for (const one of document.querySelectorAll(".move-keys")) one.hidden = !byQuery;
  if (window.matchMedia("(max-width: 60rem)").matches) byId("guideline").open = false;
  show();
  flush();
  offline.keepPage(main.dataset.worker);
})();
