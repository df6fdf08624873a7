"use strict";
// Wakes every block of a lesson, and begins with its first step.
for (const section of document.querySelectorAll("section.block")) {
  const found = section.querySelector(".data");
  if (!found) continue;
  const data = JSON.parse(found.textContent);
  relyon.blocks[data.kind](section, data);
}
relyon.pace.start();
