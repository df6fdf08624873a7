"use strict";
// How far a job is, without loading the page again; the page says how it ended.
(() => {
  const told = document.getElementById("progress");
  const bar = document.querySelector("progress");
  const number = new Intl.NumberFormat(document.documentElement.lang);
  // What else the answer counts, where the page shows it.
  const counts = document.getElementById("counts");
  const fill = (text, values) =>
    text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? number.format(values[name]) : whole));

  async function look() {
    try {
      const answer = await fetch(told.dataset.source ?? `/api/jobs/${told.dataset.job}`);
      if (answer.ok) {
        const job = await answer.json();
        if (!["running", "stopping"].includes(job.state)) {
          location.reload();
          return;
        }
        if (job.state === "running" && job.total) {
          bar.max = job.total;
          bar.value = job.done;
          told.textContent = fill(told.dataset.text, job);
          if (counts) counts.textContent = fill(counts.dataset.text, job);
        }
      } else if (answer.status < 500) {
        location.reload();
        return;
      }
    } catch {
      // The server is away for a moment.
    }
    setTimeout(look, 1000);
  }
  setTimeout(look, 1000);
})();
