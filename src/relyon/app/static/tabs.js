"use strict";
// One tab a judge and project: two would show the same results. A tab that finds another one at work
// rests until somebody takes over in it, and the other one rests then.
class TabWatch {
  #channel = null;
  #id = Math.random();
  #since = Date.now();
  #rest;
  resting = false;

  constructor(name, rest) {
    this.#rest = rest;
    if (!("BroadcastChannel" in window)) return;
    this.#channel = new BroadcastChannel(name);
    this.#channel.addEventListener("message", ({ data }) => this.#hear(data));
    this.#ask("new");
    // A browser may have stopped this tab while another one took over.
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && !this.resting) this.#ask("back");
    });
  }

  /** Works on in this tab. */
  take() {
    this.resting = false;
    this.#since = Date.now();
    this.#channel?.postMessage({ kind: "take", id: this.#id });
  }

  #ask(kind) {
    this.#channel.postMessage({ kind, id: this.#id, since: this.#since });
  }

  #hear({ kind, id, since, to }) {
    const earlier = this.#since < since || (this.#since === since && this.#id < id);
    if (!this.resting && ((kind === "new" && earlier) || (kind === "back" && !earlier))) {
      this.#channel.postMessage({ kind: "here", id: this.#id, to: id });
    } else if ((kind === "here" && to === this.#id) || kind === "take") {
      if (this.resting) return;
      this.resting = true;
      this.#rest();
    }
  }
}
