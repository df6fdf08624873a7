"use strict";
// The tracks, the list of lessons with what was seen of them, and the file of progress.
(() => {
  const { store, say, count, progress, tracks } = relyon;
  const rows = [...document.querySelectorAll("[data-lesson]")];
  const begin = document.getElementById("begin");
  const named = (lesson) => rows.find((row) => row.dataset.lesson === lesson).dataset.title;
  const total = (lesson) => Number(rows.find((row) => row.dataset.lesson === lesson).dataset.count);
  /** The lessons of a track in order; of the whole course without one. */
  const items = (name) => tracks[name]?.lessons ?? rows.map((row) => ({ lesson: row.dataset.lesson, until: "" }));
  /** Whether the learner is through with a lesson of a track: at its end, or with all questions seen. */
  const through = (item) => progress.through(item, total(item.lesson));

  const showRow = (row, item, chosen) => {
    const { lesson } = row.dataset, all = Number(row.dataset.count), done = progress.seen(lesson);
    const seconds = progress.seconds(lesson), ended = through(item ?? { lesson, until: "" });
    row.querySelector(".progress").textContent = done ? say("page.progress", { done, count: all }) : "";
    row.querySelector(".taken").textContent = seconds >= 30
      ? say("page.taken", { minutes: Math.max(1, Math.round(seconds / 60)) }) : "";
    row.querySelector(".within").textContent = chosen && item?.until ? say("track.part", { minutes: item.minutes }) : "";
    row.classList.toggle("done", ended);
    row.classList.toggle("outside", Boolean(chosen) && !item);
  };
  const showTracks = (chosen) => {
    for (const label of document.querySelectorAll(".track")) {
      const name = label.dataset.track, all = items(name), done = all.filter(through).length;
      const box = label.querySelector("input");
      box.hidden = false;
      box.checked = name === chosen;
      label.querySelector(".progress").textContent = done ? say("track.done", { done, count: all.length }) : "";
    }
  };
  /** Start, or where the learner stopped: the lesson left last, else the first one that is not done. */
  const showBegin = (chosen) => {
    const all = items(chosen), open = all.filter((item) => !through(item));
    const when = ({ lesson }) => Date.parse(progress.place(lesson).when) || 0;
    const left = open.filter((item) => progress.place(item.lesson).step && when(item))
      .sort((one, other) => when(other) - when(one))[0];
    const next = left ?? open[0];
    const where = document.getElementById("begin-where");
    where.textContent = "";
    if (!next) {
      begin.href = "learned.html";
      begin.textContent = say("track.all_done");
      return;
    }
    const { at, of } = progress.place(next.lesson);
    const fresh = !all.some((item) => progress.place(item.lesson).step || progress.seen(item.lesson));
    begin.href = `${next.lesson}.html`;
    begin.textContent = say(fresh ? "track.start" : "track.continue", { title: named(next.lesson) });
    if (left && Number.isInteger(at) && Number.isInteger(of)) where.textContent = say("pace.step", { step: at, count: of });
  };
  const show = () => {
    const chosen = progress.track, all = items(chosen);
    for (const row of rows) showRow(row, all.find((item) => item.lesson === row.dataset.lesson), chosen);
    showTracks(chosen);
    showBegin(chosen);
  };
  document.addEventListener("change", (event) => {
    if (event.target.name !== "track") return;
    progress.choose(event.target.value);
    show();
  });
  const tell = (key) => { document.getElementById("said").textContent = say(key); };

  document.getElementById("export").addEventListener("click", store.save);
  const file = document.getElementById("file");
  document.getElementById("import").addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    if (!file.files.length) return;
    const left = store.replace(await file.files[0].text());
    if (left === null) tell("page.not_progress");
    else if (left) document.getElementById("said").textContent = count("page.imported_but", left);
    else tell("page.imported");
    file.value = "";
    show();
  });
  document.getElementById("reset").addEventListener("click", () => {
    if (confirm(say("page.reset_sure"))) { store.forget(); show(); }
  });
  addEventListener("storage", show);
  addEventListener("pageshow", show);
  show();
})();
