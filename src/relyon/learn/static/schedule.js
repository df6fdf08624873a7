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

  return {
    state,
    /** Whether a card is in the box, and due. */
    due: (id) => id in store.cards && state(id).due <= new Date(),
    /** Puts a card into the box, unless it is there. */
    add(id) {
      if (!(id in store.cards)) store.put("cards", id, { added: new Date().toISOString() });
    },
    /** When a card would come back after each rating. */
    times: (id) => scheduler.repeat(state(id), new Date()),
    /** Keeps a rating, from 1 (again) to 4 (easy). */
    rate(id, rating) {
      const { card } = scheduler.next(state(id), new Date(), rating);
      store.put("cards", id, { added: store.cards[id]?.added ?? new Date().toISOString(), ...card });
    },
  };
})();
