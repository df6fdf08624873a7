"use strict";
// "Who knows me best?": the player's own grades judge two recommenders.
relyon.taste = (data, points, done) => {
  const { say, make } = relyon;
  const section = document.getElementById("taste");
  const grades = document.getElementById("grades"), guess = document.getElementById("guess");
  const said = document.getElementById("taste-said"), reply = section.querySelector(".reply");
  const go = document.getElementById("go"), skip = document.getElementById("skip");
  let given = [], earned = 0;

  const value = (order) => data.record[order.map((place) => given[place]).join(" ")];

  const show = (event) => {
    event.preventDefault();
    given = data.candies.map((_, place) => grades.querySelector(`[name=candy-${place}]:checked`).value);
    if (value(data.recommenders[0]) === null) {
      said.textContent = say("game.taste.none");
      return;
    }
    said.textContent = "";
    grades.hidden = true;
    guess.hidden = false;
    for (const one of guess.querySelectorAll(".grade")) {
      one.textContent = say("play.grade", { grade: given[Number(one.dataset.candy)] });
    }
    guess.querySelector("legend").focus();
  };

  const compare = (event) => {
    event.preventDefault();
    const [a, b] = data.recommenders.map(value);
    const better = Math.abs(a - b) < 1e-9 ? 2 : a > b ? 0 : 1;
    const right = Number(guess.querySelector(":checked").value) === better;
    earned = right ? points : 0;
    [a, b].forEach((one, index) => {
      guess.querySelectorAll(".value")[index].textContent = `${data.measure} = ${one.toFixed(3)}`;
    });
    const mark = make("span", { class: "mark", "aria-hidden": "true" }, right ? "✓" : "✗");
    const result = say(`game.taste.${["first", "second", "both"][better]}`, { a: a.toFixed(3), b: b.toFixed(3), measure: data.measure });
    const lead = right ? say("game.taste.right", { points }) : say("game.taste.wrong");
    reply.className = `reply ${right ? "right" : "wrong"}`;
    reply.replaceChildren(make("p", {}, mark, ` ${lead} ${result}`));
    guess.querySelector("[type=submit]").hidden = true;
    for (const one of guess.querySelectorAll("input")) one.disabled = true;
    go.hidden = false;
    go.focus();
  };

  grades.addEventListener("submit", show);
  guess.addEventListener("submit", compare);
  const leave = () => { section.hidden = true; done(earned); };
  go.addEventListener("click", leave);
  skip.addEventListener("click", leave);

  /** Begins again, with nothing graded. */
  return () => {
    earned = 0;
    grades.reset();
    guess.reset();
    for (const one of guess.querySelectorAll("input")) one.disabled = false;
    for (const one of guess.querySelectorAll(".value")) one.textContent = "";
    guess.querySelector("[type=submit]").hidden = false;
    reply.replaceChildren();
    guess.hidden = go.hidden = true;
    section.hidden = grades.hidden = false;
    section.querySelector("h2").focus();
  };
};
