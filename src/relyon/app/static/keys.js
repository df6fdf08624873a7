"use strict";
// Which key was pressed. Input methods hide a letter and leave the place of the key; in full width
// it is the same key.
const readKey = (event) => {
  const { key, code } = event;
  return (key.length === 1 ? key.normalize("NFKC") : code.replace(/^(Key|Digit|Numpad)/, "")).toLowerCase();
};

// Says that the keys have changed, until somebody has confirmed that they read it. Nothing else can
// be done meanwhile. Without a network it is remembered here, and told to the server later.
(() => {
  const notice = document.getElementById("keys-changed");
  if (!notice) return;
  const { path, csrf, seen } = notice.dataset;
  let confirmed = false;

  const isSeen = () => {
    try {
      return localStorage.getItem(seen) !== null;
    } catch {
      return false;
    }
  };

  function tell() {
    fetch(path, {
      method: "POST",
      credentials: "same-origin",
      redirect: "error",
      headers: { "X-CSRF-Token": csrf },
    }).catch(() => window.addEventListener("online", tell, { once: true }));
  }

  // Escape, pressed twice, closes any dialog.
  notice.addEventListener("close", () => {
    if (!confirmed) notice.showModal();
  });
  notice.addEventListener("cancel", (event) => event.preventDefault());
  document.getElementById("keys-confirm").addEventListener("click", () => {
    try {
      localStorage.setItem(seen, "yes");
    } catch {
      // It is asked again, unless the server hears of it.
    }
    confirmed = true;
    delete document.body.dataset.asked;
    notice.close();
    tell();
  });
  if (isSeen()) tell();
  else {
    // Keys do nothing meanwhile.
    document.body.dataset.asked = "keys";
    notice.showModal();
  }
})();
