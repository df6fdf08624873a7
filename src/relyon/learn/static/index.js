"use strict";
// The list of lessons with what is answered, and the file of progress.
(() => {
  const { store, say, count } = relyon;
  const show = () => {
    for (const row of document.querySelectorAll("[data-lesson]")) {
      const prefix = `${row.dataset.lesson}/`;
      const done = Object.entries(store.answers)
        .filter(([name, answer]) => name.startsWith(prefix) && answer.done).length;
      const count = Number(row.dataset.count);
      row.querySelector(".progress").textContent = done ? say("page.progress", { done, count }) : "";
      row.classList.toggle("done", count > 0 && done >= count);
    }
  };
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
