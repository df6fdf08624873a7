"use strict";
// Numbers as people type them. The grammar is that of relyon.learn.typed, with the same cases in
// tests/unit/typed_numbers.json: decimal point or comma, percent, arithmetic, full-width signs.
relyon.numbers = (() => {
  const LONGEST = 100;
  const SIGNS = { "−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", ":": "/" };
  const TOKEN = /\s*(?:([0-9.,]+(?:e[+-]?[0-9]+)?)|([a-z]+[0-9]*)|(\*\*|[-+*/^()%]))/y;
  const FUNCTIONS = new Map([["log2", Math.log2], ["ln", Math.log], ["log10", Math.log10], ["exp", Math.exp], ["sqrt", Math.sqrt]]);

  const digits = (text) => {
    if (/^([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/.test(text)) return Number(text);
    if (/^[0-9]*,[0-9]+$/.test(text)) return Number(text.replace(",", "."));
    if (/^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$/.test(text)) return Number(text.replaceAll(",", ""));
    return NaN;
  };

  /** The tokens of arithmetic, null if something in it is none. */
  const cut = (text) => {
    const tokens = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const found = TOKEN.exec(text);
      if (!found) return null;
      tokens.push(found[1] ?? found[2] ?? found[3]);
    }
    return tokens;
  };

  /** The value of arithmetic, by descent: sums of products of powers; NaN if it is none. */
  const value = (tokens) => {
    let place = 0;
    const next = (...signs) => signs.includes(tokens[place]) ? tokens[place++] : "";
    const sum = () => {
      let found = product(), sign;
      while ((sign = next("+", "-"))) found = sign === "+" ? found + product() : found - product();
      return found;
    };
    const product = () => {
      let found = signed(), sign;
      while ((sign = next("*", "/"))) {
        const other = signed();
        if (sign === "/" && other === 0) return NaN;  // 1/(1/0) has no value either
        found = sign === "*" ? found * other : found / other;
      }
      return found;
    };
    const signed = () => {
      const sign = next("-", "+");
      if (sign) return sign === "-" ? -signed() : signed();
      let found = atom();
      while (next("%")) found /= 100;
      return next("^", "**") ? finite(found ** signed()) : found;
    };
    const finite = (number) => Number.isFinite(number) ? number : NaN;
    const atom = () => {
      const token = tokens[place++] ?? "";
      if (/^[0-9.,]/.test(token)) return digits(token);
      const own = FUNCTIONS.get(token);
      if (own ? !next("(") : token !== "(") return NaN;
      const found = sum();
      if (!next(")")) return NaN;
      return own ? finite(own(found)) : found;
    };
    const found = sum();
    return place < tokens.length ? NaN : finite(found);
  };

  /** A number as people type it, NaN if it is not understood. */
  const typed = (text) => {
    if (/\p{No}/u.test(text.replace(/[₀-₉]/g, ""))) return NaN;  // NFKC would read 2² as 22
    const plain = text.normalize("NFKC").trim().toLowerCase()
      .replace(/[−–×·÷:]/g, (sign) => SIGNS[sign]).replace(/^([≈=~]|约)\s*/, "");
    const tokens = plain && plain.length <= LONGEST ? cut(plain) : null;
    return tokens ? value(tokens) : NaN;
  };

  /** A typed number as it fits a question, with how it was read where that is not what was typed. */
  const read = (text, answer, tolerance, others = []) => {
    const number = typed(text);
    const known = (one) => [answer, ...others].some((other) => Math.abs(one - other) <= tolerance);
    if (Number.isNaN(number) || known(number)) return { value: number, shown: "" };
    const percent = text.normalize("NFKC").includes("%");
    const short = (one) => String(Number(one.toPrecision(10)));
    if (!percent && Math.abs(answer) <= 1 && Math.abs(number) > 1 && known(number / 100)) {
      return { value: number / 100, shown: `${short(number)}%` };
    }
    if (percent && Math.abs(answer) > 1 && known(number * 100)) return { value: number * 100, shown: short(number * 100) };
    return { value: number, shown: "" };
  };

  return { typed, read };
})();
