"use strict";
// When cards come back: FSRS, and what the store keeps of each.
relyon.schedule = (() => {
  const { store } = relyon;
  const scheduler = FSRS.fsrs({ enable_fuzz: false });

  const state = (id) => {
    const kept = store.cards[id];
    if (!kept?.due) return FSRS.createEmptyCard(new Date(kept?.added ?? 0));
    return { ...kept, due: new Date(kept.due), last_review: kept.last_review && new Date(kept.last_review) };
  };

  const LEARNED = 2;   // FSRS's state of a card that comes back
  /** Whole numbers of an object, or the usual ones. */
  const whole = (found, usual) => Object.fromEntries(Object.entries(usual)
    .map(([name, count]) => [name, Number.isInteger(found?.[name]) && found[name] >= 0 ? found[name] : count]));
  /** What was done today. */
  const day = () => {
    const date = relyon.today(), kept = store.settings.day;
    return { date, ...whole(kept?.date === date ? kept : {}, { new: 0, reviews: 0, more: 0 }) };
  };

  return {
    state,
    /** Whether a card is in the box, and due. */
    due: (id) => id in store.cards && state(id).due <= new Date(),
    /**
     * The cards of today, of those in the box: those being learned, those that come back, then new
     * ones; `held` of them wait until tomorrow. As in relyon's `learn/ration.py`.
     */
    today(ids, usual) {
      const limits = whole(store.settings.limits, usual), done = day(), now = new Date();
      const due = ids.filter((id) => id in store.cards).map((id) => ({ id, kept: store.cards[id], at: state(id).due }));
      const soon = due.filter(({ kept, at }) => kept.due && at <= now).sort((one, other) => one.at - other.at);
      const learning = soon.filter(({ kept }) => kept.state !== LEARNED);
      const back = soon.filter(({ kept }) => kept.state === LEARNED);
      const fresh = due.filter(({ kept }) => !kept.due);
      const left = (kind) => Math.max(0, limits[kind] + done.more - done[kind]);
      const asked = [...learning, ...back.slice(0, left("reviews")), ...fresh.slice(0, left("new"))];
      return { asked: asked.map(({ id }) => id), held: soon.length + fresh.length - asked.length };
    },
    /** The limits that the learner set, or the usual ones. */
    limits: (usual) => whole(store.settings.limits, usual),
    limit(kind, value, usual) {
      store.put("settings", "limits", { ...whole(store.settings.limits, usual), [kind]: value });
    },
    /** Asks for more cards today. */
    more(count) {
      const done = day();
      store.put("settings", "day", { ...done, more: done.more + count });
    },
    /** Puts a card into the box, unless it is there. */
    add(id) {
      if (!(id in store.cards)) store.put("cards", id, { added: new Date().toISOString() });
    },
    /** When a card would come back after each rating. */
    times: (id) => scheduler.repeat(state(id), new Date()),
    /** Keeps a rating, from 1 (again) to 4 (easy). */
    rate(id, rating) {
      const before = store.cards[id] ?? {}, done = day();
      if (!before.due) done.new += 1;
      else if (before.state === LEARNED) done.reviews += 1;
      store.put("settings", "day", done);
      const { card } = scheduler.next(state(id), new Date(), rating);
      store.put("cards", id, { added: store.cards[id]?.added ?? new Date().toISOString(), ...card });
    },
  };
})();
