"use strict";
// What a judge did stays here until the server says that it has it. Every action has an entry of
// its own, so that two tabs do not overwrite each other's.
class Outbox {
  #memory = new Map();
  #prefix;
  #last = 0;
  durable = true;

  constructor(user) {
    this.#prefix = `relyon:action:${user}:`;
  }

  /** Whether something is kept in this page alone, and would be lost with it. */
  get fragile() {
    return this.#memory.size > 0;
  }

  add(action) {
    this.#last = Math.max(Date.now(), this.#last + 1);
    const name = `${this.#prefix}${String(this.#last).padStart(15, "0")}:${action.key}`;
    try {
      localStorage.setItem(name, JSON.stringify(action));
    } catch {
      this.durable = false;
      this.#memory.set(name, action);
    }
  }

  /** All entries as pairs of a name and an action, the oldest first. */
  entries() {
    const found = [...this.#memory];
    try {
      for (let place = 0; place < localStorage.length; place += 1) {
        const name = localStorage.key(place);
        if (name.startsWith(this.#prefix)) found.push([name, JSON.parse(localStorage.getItem(name))]);
      }
    } catch {
      this.durable = false;
    }
    return found.sort(([one], [other]) => (one < other ? -1 : 1));
  }

  remove(name) {
    this.#memory.delete(name);
    try {
      localStorage.removeItem(name);
    } catch {
      this.durable = false;
    }
  }
}
