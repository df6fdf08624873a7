"use strict";
// The time that a learner is active on a lesson: while the page is seen, and the last key, click,
// touch or scroll is less than two minutes ago. It stays in this browser.
(() => {
  const { store } = relyon;
  const lesson = document.querySelector("article").dataset.lesson;
  const IDLE = 120_000, KEEP = 15_000;
  let last = Date.now(), active = last, waiting = 0, away = document.hidden;

  /** Adds what passed since the last look; what is longer than the idle time counts as none. */
  const look = () => {
    const now = Date.now();
    const counted = Math.min(now, active + IDLE) - last;
    if (counted > 0 && !away) waiting += counted;
    last = now;
  };
  const keep = () => {
    look();
    if (waiting < 1000) return;
    const before = store.places[lesson] ?? {};
    const seconds = Number.isFinite(before.seconds) ? before.seconds : 0;
    store.put("places", lesson, { ...before, seconds: seconds + Math.round(waiting / 1000) });
    waiting = 0;
  };
  const act = () => {
    look();
    active = Date.now();
    if (waiting >= KEEP) keep();
  };
  for (const name of ["keydown", "pointerdown", "pointermove", "scroll"]) addEventListener(name, act, { passive: true });
  document.addEventListener("visibilitychange", () => {
    keep();
    away = document.hidden;
    active = Date.now();
  });
  addEventListener("pagehide", keep);
})();
