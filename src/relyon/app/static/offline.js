"use strict";
// What lets the judging page open again without a network: results loaded before, and the page
// itself, which the worker keeps. Both are forgotten where somebody signs in.
const offline = (() => {
  const place = "relyon:tasks:";

  function keep(user, project, values) {
    try {
      localStorage.setItem(`${place}${user}:${project}`, JSON.stringify(values));
    } catch {
      // Without room for them there is nothing to go on with, and nothing is lost.
    }
  }

  function recall(user, project) {
    try {
      return JSON.parse(localStorage.getItem(`${place}${user}:${project}`));
    } catch {
      return null;
    }
  }

  async function forget() {
    try {
      for (const name of Object.keys(localStorage)) {
        if (name.startsWith(place)) localStorage.removeItem(name);
      }
      for (const name of await caches.keys()) await caches.delete(name);
    } catch {
      // There is no storage, or no secure connection, and so nothing to forget.
    }
  }

  // Browsers allow workers over HTTPS and on one's own machine alone.
  async function keepPage(worker) {
    if (!("serviceWorker" in navigator)) return;
    try {
      await navigator.serviceWorker.register(worker, { scope: "/" });
      const { active } = await navigator.serviceWorker.ready;
      const files = [...document.querySelectorAll("script[src], link[rel=stylesheet]")];
      active.postMessage({
        page: location.pathname,
        files: files.map((one) => one.src || one.href),
      });
    } catch {
      // The page works without it, as long as it stays open.
    }
  }

  if (document.body.classList.contains("signing-in")) forget();
  return { keep, recall, keepPage };
})();
