"use strict";
// The page is loaded again once it is known what the file would change, unless something was chosen
// meanwhile.
(() => {
  const form = document.getElementById("import");
  let chosen = false;
  form.addEventListener("change", () => {
    chosen = true;
  });

  async function look() {
    try {
      const answer = await fetch(form.dataset.state);
      if (!answer.ok && answer.status < 500) {
        location.reload();
        return;
      }
      if (answer.ok && (await answer.json()).ready && !chosen) {
        location.reload();
        return;
      }
    } catch {
      // The server is away for a moment.
    }
    if (!chosen) setTimeout(look, 1000);
  }
  setTimeout(look, 700);
})();
