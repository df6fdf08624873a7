"use strict";
// How far an import is, without loading the page again; the page says how it ended.
(() => {
  const told = document.getElementById("progress");
  const bar = document.querySelector("progress");
  const number = new Intl.NumberFormat(document.documentElement.lang);

  async function look() {
    try {
      const answer = await fetch(`/api/jobs/${told.dataset.job}`);
      if (answer.ok) {
        const job = await answer.json();
        if (!["running", "stopping"].includes(job.state)) {
          location.reload();
          return;
        }
        if (job.state === "running" && job.total) {
          bar.max = job.total;
          bar.value = job.done;
          told.textContent = told.dataset.text
            .replace("{done}", number.format(job.done))
            .replace("{total}", number.format(job.total));
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
