(function () {
  "use strict";
  var root = document.documentElement;
  var button = document.getElementById("theme");
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  function show(theme) {
    root.dataset.theme = theme;
    button.setAttribute("aria-pressed", String(theme === "dark"));
  }
  function remember(theme) {
    // A page opened from a file may have no storage.
    try { localStorage.setItem("relyon-theme", theme); } catch (error) { return; }
  }
  function remembered() {
    try { return localStorage.getItem("relyon-theme"); } catch (error) { return null; }
  }
  var before = remembered();
  if (before === "dark" || before === "light") { show(before); }
  else { button.setAttribute("aria-pressed", String(dark.matches)); }
  button.hidden = false;
  button.addEventListener("click", function () {
    var now = root.dataset.theme || (dark.matches ? "dark" : "light");
    var next = now === "dark" ? "light" : "dark";
    show(next);
    remember(next);
  });
  function all(selector) { return Array.prototype.slice.call(document.querySelectorAll(selector)); }
  // Sections are folded on narrow screens only.
  var narrow = window.matchMedia("(max-width: 40rem)");
  function fold() {
    all("details.fold").forEach(function (one) {
      one.open = !narrow.matches;
      one.querySelector("summary").tabIndex = narrow.matches ? 0 : -1;
    });
    cue();
  }
  // A table that goes on beyond its box says so.
  function cue() {
    all(".scroll + .cue").forEach(function (one) {
      var box = one.previousElementSibling;
      one.hidden = box.scrollWidth <= box.clientWidth + 1;
    });
  }
  document.addEventListener("toggle", cue, true);
  window.addEventListener("resize", cue);
  narrow.addEventListener("change", fold);
  fold();
  function open() {
    var target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) { return; }
    var section = target.querySelector(":scope > details.fold");
    if (section) { section.open = true; }
    for (var above = target.parentElement; above; above = above.parentElement) {
      if (above.tagName === "DETAILS") { above.open = true; }
    }
    if (section) { target.scrollIntoView(); }
    if (target.tagName === "DETAILS") {
      target.open = true;
      target.scrollIntoView();
      target.querySelector("summary").focus({ preventScroll: true });
    }
  }
  // Where the style sheet cannot open what is folded, for paper.
  var folded = [];
  window.addEventListener("beforeprint", function () {
    folded = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
    folded.forEach(function (one) { one.open = true; });
  });
  window.addEventListener("afterprint", function () {
    folded.forEach(function (one) { one.open = false; });
  });
  window.addEventListener("hashchange", open);
  open();
})();
