"use strict";
// The look that was chosen, before the page is drawn; and the button that changes it.
(() => {
  const NAME = "relyon-theme";
  const read = () => { try { return localStorage.getItem(NAME); } catch { return null; } };
  const chosen = read();
  if (chosen) document.documentElement.dataset.theme = chosen;
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      const root = document.documentElement;
      const dark = root.dataset.theme
        ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      try { localStorage.setItem(NAME, root.dataset.theme); } catch { /* it lasts for this page */ }
    });
  });
})();
