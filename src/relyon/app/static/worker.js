"use strict";
// Keeps the judging page of whoever is signed in, so that it opens without a network. It comes from
// the server whenever that answers, and is forgotten with the sign-out. Grades are not kept here.
const CACHE = "relyon-judging";
const isJudging = (path) => /^\/projects\/\d+\/judge$/.test(path);
const isFile = (path) => path.startsWith("/static/");
const forget = () => caches.delete(CACHE);

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

async function keep(address, answer) {
  const cache = await caches.open(CACHE);
  const url = new URL(address, self.location.origin);
  if (isFile(url.pathname)) {
    // Earlier versions of a file differ in what follows its name.
    for (const one of await cache.keys()) {
      const other = new URL(one.url);
      if (other.pathname === url.pathname && other.search !== url.search) await cache.delete(one);
    }
    await cache.put(url.href, answer);
  } else {
    await cache.put(url.pathname, answer);
  }
}

async function answerPage(event) {
  const { pathname } = new URL(event.request.url);
  const kept = async () => (await caches.open(CACHE)).match(pathname);
  try {
    const answer = await fetch(event.request);
    if (answer.ok) event.waitUntil(keep(pathname, answer.clone()));
    // The sign-in has ended: the page belongs to nobody.
    else if (answer.type === "opaqueredirect") event.waitUntil(forget());
    // A proxy answers where the app does not.
    return answer.status >= 502 ? ((await kept()) ?? answer) : answer;
  } catch (error) {
    const found = await kept();
    if (found) return found;
    throw error;
  }
}

async function answerFile(event) {
  const found = await (await caches.open(CACHE)).match(event.request.url);
  return found ?? fetch(event.request);
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin) return;
  if (request.method === "POST" && pathname === "/sign-out") event.waitUntil(forget());
  if (request.method !== "GET") return;
  if (request.mode === "navigate" && isJudging(pathname)) event.respondWith(answerPage(event));
  else if (isFile(pathname)) event.respondWith(answerFile(event));
});

// What was loaded before this worker was there.
async function keepAll({ page, files }) {
  const cache = await caches.open(CACHE);
  for (const address of [page, ...files]) {
    const { pathname } = new URL(address, self.location.origin);
    if (!(isJudging(pathname) || isFile(pathname)) || (await cache.match(address))) continue;
    const answer = await fetch(address, { redirect: "error" });
    if (answer.ok) await keep(address, answer);
  }
}

self.addEventListener("message", (event) => event.waitUntil(keepAll(event.data)));
