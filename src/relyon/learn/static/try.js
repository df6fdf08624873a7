"use strict";
// Commands on the learner's own files: their names are typed once, and every command has them.
(() => {
  const { store, say, make } = relyon;
  const SIMPLE = /^[\w@%+=:,./-]+$/;   // needs no quotes in any shell

  /** A name as one word of a command; one that begins with a dash is no option. */
  const quoted = (name) => {
    const text = name.startsWith("-") ? `./${name}` : name;
    if (SIMPLE.test(text)) return text;
    return /Windows/.test(navigator.userAgent) ? `'${text.replace(/'/g, "''")}'` : `'${text.replace(/'/g, "'\\''")}'`;
  };

  const typed = () => {
    const kept = store.settings.files;
    return Object.fromEntries(Object.entries(kept && typeof kept === "object" ? kept : {})
      .filter(([, value]) => typeof value === "string" && value.trim()));
  };

  /** The command with what was typed, or with usual names. */
  const filled = ({ command, places }, own = typed()) =>
    command.replace(/\{(\w+)\}/g, (_, name) => quoted((own[name] ?? places[name]).trim()));

  /** Copies a text, also where the page has no clipboard: then it is chosen, and copied as by keys. */
  const copy = async (text, element) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      getSelection().selectAllChildren(element);
      return document.execCommand("copy");
    }
  };

  const attempt = (section, data) => {
    const code = section.querySelector(".command code"), said = section.querySelector(".said");
    const files = section.querySelector(".files");
    const fields = Object.entries(data.places).map(([name, usual]) => {
      const input = make("input", { type: "text", name, placeholder: usual, autocomplete: "off", spellcheck: "false" });
      input.addEventListener("input", () => store.put("settings", "files", { ...typed(), [name]: input.value }));
      files.append(make("p", {}, make("label", {}, `${say(`try.place.${name}`)} `, input)));
      return [name, input];
    });
    const show = () => {
      const own = typed();
      code.textContent = filled(data, own);
      for (const [name, input] of fields) {
        if (input !== document.activeElement) input.value = own[name] ?? "";
      }
    };
    section.querySelector(".copy").addEventListener("click", async () => {
      said.textContent = say(await copy(code.textContent, code) ? "try.copied" : "try.chosen");
    });
    document.addEventListener("relyon-kept", ({ detail }) => {
      if (detail.part === "settings" && detail.name === "files") show();
    });
    files.hidden = !fields.length;
    section.querySelector(".buttons").hidden = false;
    show();
  };

  relyon.blocks.try = attempt;
  relyon.command = filled;
})();
