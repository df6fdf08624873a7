"use strict";
// The learner's track, and how far each lesson and track is: `?track=core` in an address chooses one.
relyon.tracks = JSON.parse(document.getElementById("tracks")?.textContent ?? "{}");

relyon.progress = (() => {
  const { store, tracks } = relyon;
  const has = (name) => Object.hasOwn(tracks, name);
  const asked = new URLSearchParams(location.search).get("track");
  if (asked !== null && (asked === "" || has(asked)) && asked !== (store.settings.track ?? "")) {
    store.put("settings", "track", asked);
  }
  const place = (lesson) => store.places[lesson] ?? {};
  const seen = (lesson) => Object.entries(store.answers)
    .filter(([name, answer]) => name.startsWith(`${lesson}/`) && name.split("/").length === 2 && answer.done).length;

  return {
    /** The name of the chosen track; empty for the whole course. */
    get track() {
      const name = store.settings.track;
      return typeof name === "string" && has(name) ? name : "";
    },
    choose(name) { store.put("settings", "track", name); },
    place,
    /** How many questions of a lesson were seen: answered or skipped. */
    seen,
    /** Whether the learner is through with a lesson: at its end or with all of its questions, or as far as a track goes. */
    through: ({ lesson, until, at }, questions) => place(lesson).ended === true
      || (Boolean(until) && place(lesson).at >= at) || (questions > 0 && seen(lesson) >= questions),
    /** Seconds that the learner was active on the pages of a lesson. */
    seconds: (lesson) => Number.isFinite(place(lesson).seconds) && place(lesson).seconds > 0 ? place(lesson).seconds : 0,
  };
})();
