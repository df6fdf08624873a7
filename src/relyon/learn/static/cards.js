"use strict";
// The card box: cards come back when they are about to be forgotten, as FSRS says.
(() => {
  const { store, say, count, schedule } = relyon;
  const cards = JSON.parse(document.getElementById("cards").textContent);
  const box = document.getElementById("box");
  const language = document.documentElement.lang;

  const usual = JSON.parse(document.getElementById("limits").textContent);
  const MORE = 10;

  const inBox = () => cards.filter((card) => card.id in store.cards);
  const interval = (when) => {
    const minutes = Math.max(1, Math.round((when - Date.now()) / 60000));
    const format = new Intl.RelativeTimeFormat(language, { numeric: "always", style: "short" });
    if (minutes < 60) return format.format(minutes, "minute");
    if (minutes < 1440) return format.format(Math.round(minutes / 60), "hour");
    return format.format(Math.round(minutes / 1440), "day");
  };

  let asked = null;
  const show = () => {
    const today = schedule.today(cards.map((card) => card.id), usual);
    const waiting = today.asked.map((id) => ({ card: cards.find((card) => card.id === id) }));
    const said = document.getElementById("due");
    box.hidden = !waiting.length;
    document.getElementById("all-cards").hidden = inBox().length === cards.length;
    document.getElementById("more").hidden = !today.held || waiting.length > 0;
    if (!inBox().length) said.textContent = say("cards.empty");
    else if (waiting.length) said.textContent = count("cards.due", waiting.length);
    else if (today.held) said.textContent = count("cards.held", today.held);
    else {
      const next = Math.min(...inBox().map((card) => schedule.state(card.id).due.getTime()));
      said.textContent = say("cards.none", { when: interval(next) });
    }
    if (!waiting.length) return;
    asked = waiting[0];
    box.querySelector(".kind").textContent = say("cards.from", { number: asked.card.lesson });
    box.querySelector(".front").innerHTML = asked.card.front;  // rendered from the lesson's Markdown
    box.querySelector(".back").innerHTML = asked.card.back;
    flip(false);
  };
  const flip = (open) => {
    box.querySelector(".back").hidden = !open;
    box.querySelector(".rate").hidden = !open;
    box.querySelector(".show").parentElement.hidden = open;
    if (!open) return;
    const times = schedule.times(asked.card.id);
    for (const button of box.querySelectorAll("[data-rating]")) {
      button.querySelector("small").textContent = interval(times[Number(button.dataset.rating)].card.due);
    }
  };
  const rate = (rating) => {
    schedule.rate(asked.card.id, rating);
    show();
    (box.hidden ? document.getElementById("due") : box.querySelector(".show")).focus();
  };

  document.getElementById("due").tabIndex = -1;
  box.querySelector(".show").addEventListener("click", () => { flip(true); box.querySelector("[data-rating='3']").focus(); });
  for (const button of box.querySelectorAll("[data-rating]")) {
    button.addEventListener("click", () => rate(Number(button.dataset.rating)));
  }
  addEventListener("keydown", (event) => {
    if (box.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    const open = !box.querySelector(".back").hidden;
    if (open && "1234".includes(event.key)) rate(Number(event.key));
  });
  for (const field of document.querySelectorAll("#limit input")) {
    field.value = schedule.limits(usual)[field.name];
    field.addEventListener("change", () => {
      const value = Math.trunc(Number(field.value));
      if (field.value !== "" && value >= 0) schedule.limit(field.name, value, usual);
      field.value = schedule.limits(usual)[field.name];
      show();
    });
  }
  document.getElementById("more").addEventListener("click", () => {
    schedule.more(MORE);
    show();
    (box.hidden ? document.getElementById("due") : box.querySelector(".show")).focus();
  });
  document.getElementById("all-cards").addEventListener("click", () => {
    for (const card of cards) schedule.add(card.id);
    show();
  });
  show();
})();
