"use strict";
// Wakes every block of a lesson.
for (const section of document.querySelectorAll("section.block")) {
  const data = JSON.parse(section.querySelector(".data").textContent);
  relyon.blocks[data.kind](section, data);
}
